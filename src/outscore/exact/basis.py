"""Integer rank reduction: few axes instead of many columns.

The flips of an m-column statistic are integer vectors; their sums lie on the lattice the vectors generate,
whose rank r is often smaller than m (both systems' totals are tied together, gold counts never change). A
Hermite basis of that lattice turns the m columns into r integer coordinates without losing or adding a point.
"""

from __future__ import annotations

import numpy as np

from outscore.core.numeric import Array


def hermite_basis(vectors: Array, most: int | None = None) -> Array:
    """Rows that generate the same lattice as the rows of `vectors`, in echelon form with positive pivots.

    Euclid's algorithm on whole columns: reduce all rows by the one with the smallest entry until a single one
    is left. It ends early where it has found more than `most` rows, which then are only the first of them.

    Examples
    --------
    >>> import numpy as np
    >>> hermite_basis(np.array([[2, 4], [3, 5], [1, 1]]))
    array([[1, 1],
           [0, 2]])
    """
    rows = _distinct(vectors.astype(np.int64))
    basis: list[Array] = []
    for axis in range(vectors.shape[1]):
        if most is not None and len(basis) > most:
            break
        while True:
            live = np.flatnonzero(rows[:, axis])
            if len(live) == 0:
                break
            pivot = rows[live[np.argmin(np.abs(rows[live, axis]))]]
            rows = rows - np.outer(rows[:, axis] // pivot[axis], pivot)
            rows = _distinct(rows[rows.any(axis=1)])
            if len(rows) == 0 or not rows[:, axis].any():
                basis.append(pivot * np.sign(pivot[axis]))
                break
            rows = np.concatenate([rows, pivot[None]])
    return np.array(basis, dtype=np.int64).reshape(len(basis), vectors.shape[1])


def _distinct(rows: Array) -> Array:
    """Each row once, in order, as `np.unique` finds them, which loads masked arrays to look for a mask.

    Examples
    --------
    >>> import numpy as np
    >>> _distinct(np.array([[2, 1], [0, 3], [2, 1], [0, 1]])).tolist()
    [[0, 1], [0, 3], [2, 1]]
    """
    ordered = rows[np.lexsort(rows.T[::-1])]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    return ordered[first]


def coordinates(vectors: Array, basis: Array) -> Array:
    """Integer coordinates of lattice vectors in an echelon basis: vectors = coordinates @ basis."""
    rest = vectors.astype(np.int64)
    places = np.zeros((len(vectors), len(basis)), dtype=np.int64)
    for i, row in enumerate(basis):
        axis = int(np.flatnonzero(row)[0])
        places[:, i] = rest[:, axis] // row[axis]
        rest = rest - np.outer(places[:, i], row)
    return places


def shear(places: Array, counts: Array, basis: Array) -> tuple[Array, Array]:
    """Coordinates in a basis of two vectors, the first one moved by a multiple of the second so that they hardly correlate.

    Flips along a thin diagonal would need a large grid; rows of constant first coordinate stay rows.

    Examples
    --------
    >>> import numpy as np
    >>> places, basis = shear(np.array([[1, 5], [2, 10], [0, 1]]), np.array([1, 1, 1]), np.array([[1, 0], [0, 1]]))
    >>> places.tolist(), basis.tolist()
    ([[1, 0], [2, 0], [0, 1]], [[1, 5], [0, 1]])
    """
    along, across = places[:, 0].astype(float), places[:, 1].astype(float)
    slope = round(float((along * across) @ counts) / float((along * along) @ counts))
    moved = places.copy()
    moved[:, 1] -= slope * places[:, 0]
    return moved, np.stack([basis[0] + slope * basis[1], basis[1]])
