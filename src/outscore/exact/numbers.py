"""Tables of floats as whole numbers, the way they were written, and on as few axes as they have."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from outscore.core.numeric import MAX_EXACT, Array, exact_sum

# Numbers recognised as written.
#
# A score of 0.3 is stored as a binary fraction slightly off 3/10, and 0.1 + 0.2 is not 0.3: sums of such floats lose the ties a
# permutation test must count. So before anything is added up, a table of floats is read back as what people wrote: whole
# numbers, decimals with a common number of digits, or multiples of a small 1/q. The check is exact, because IEEE division is
# correctly rounded: x was written as y/s exactly when float(y)/float(s) == x, for |y| and s below 2**53.
#
# One operation more, thirds as per cent or the mean of five runs, moves a number by an ulp or two. So numbers that are nothing
# exactly are tried again with a little room: `ULPS` of the largest one, on lattices so coarse that a number lies that near to a
# point by chance once in five hundred times.


MAX_DIGITS = 15
"""Decimals with more significant digits than this are indistinguishable from arbitrary floats."""
MAX_DENOMINATOR = 10_000
PROBE = 200
SOME, BLOCK = 32, 1 << 15
"""Numbers that are looked at first, one by one, and at a time."""
ULPS = 4
"""What a few operations may have moved a number by, in units of the last place of the largest."""
MIN_RESIDUE = 1 / 4096
"""What operations leave of 0 is no smaller than this share of the room."""
MAX_CHANCE = 1e-3
"""The room on either side of a lattice's points, as a share of its step."""


def to_exact_integers(*tables: Array) -> tuple[list[Array], int] | None:
    """Integers and one scale such that every number is integer / scale, or None for genuinely real numbers.

    Examples
    --------
    >>> import numpy as np
    >>> to_exact_integers(np.array([0.1, 0.2, 0.35]))
    ([array([10, 20, 35])], 100)
    >>> to_exact_integers(np.array([1 / 3, 0.5]))
    ([array([2, 3])], 6)
    """
    if all(t.dtype.kind in "iub" for t in tables):
        return [t.astype(np.int64, copy=False) for t in tables], 1
    # Genuinely real numbers show after a few, and what a few need all need; whole ones need nothing.
    few = [_broken(t[:: max(1, len(t) // PROBE)]) for t in tables]
    largest = max(max(float(t.max(initial=0)), -float(t.min(initial=0))) for t in tables)
    scale = _common_scale(tables, few, largest, 0.0)
    if scale is None:
        scale = _common_scale(tables, few, largest, ULPS * float(np.spacing(largest)))
    if scale is None:
        return None
    if any(float(np.abs(t).sum(dtype=float)) * scale >= MAX_EXACT for t in tables):
        return None
    return [np.rint(np.asarray(t, dtype=float) * scale).astype(np.int64) for t in tables], scale


def _broken(x: Array) -> Array:
    return np.asarray(x[x != np.rint(x)])


def _common_scale(tables: Sequence[Array], few: Sequence[Array], largest: float, room: float) -> int | None:
    """The scale that makes every number whole, up to the room on either side; a few of them are asked first."""
    decimal = _decimal_scale(few, largest, 1, room)
    if decimal is None and _common_denominator(few, room) is None:
        return None
    return (decimal and _decimal_scale(tables, largest, decimal, room)) or _common_denominator(tables, room)


def _parts(tables: Sequence[Array]) -> Iterator[Array]:
    """All numbers, as many at a time as the processor's cache holds."""
    for table in tables:
        flat = table.ravel(order="K")
        for start in range(0, len(flat), BLOCK):
            yield flat[start : start + BLOCK].astype(float)


def _decimal_scale(tables: Sequence[Array], largest: float, scale: int, room: float) -> int | None:
    """The smallest power of ten, from the given one up, that makes every number whole, up to the `largest`."""
    finest = min(10.0**MAX_DIGITS, MAX_CHANCE / room if room else math.inf)
    powers = (scale * 10**k for k in range(MAX_DIGITS + 1))
    scales = tuple(power for power in powers if largest * power < 10.0**MAX_DIGITS and power <= finest)
    for x in _parts(tables):
        # Of real numbers nearly any shows it alone, in a hundredth of the time.
        for alone in x[x != np.rint(x)][:3].tolist():
            if not _is_decimal(alone, scales, room):
                return None
        # Whole numbers of tenths are whole numbers of hundredths: what is settled need not be looked at again.
        left = x
        while scales and len(left := left[~_is_multiple(left, scales[0], room)]):
            scales = scales[1:]
    return scales[0] if scales else None


def _common_denominator(tables: Sequence[Array], room: float) -> int | None:
    """The smallest q, found as a least common multiple, for which every number is a multiple of 1/q."""
    q = 1
    for x in _parts(tables):
        # Real numbers mostly show among the first, which are looked at one by one.
        for first in x[:SOME].tolist():
            if not _is_multiple_alone(first, q, room):
                q = _joined(q, first, room)
                if not q:
                    return None
        left = x[SOME:]
        while len(left := left[~_is_multiple(left, q, room)]):
            q = _joined(q, float(left[0]), room)
            if not q:
                return None
    return q


def _joined(q: int, x: float, room: float) -> int:
    """The least common multiple of q and the denominator of a number; 0 where it is too large or the number no multiple."""
    q = math.lcm(q, _denominator(x))
    return 0 if q > MAX_DENOMINATOR or q * room > MAX_CHANCE or not _is_multiple_alone(x, q, room) else q


@functools.lru_cache(maxsize=4096)
def _denominator(x: float) -> int:
    """Of the nearest fraction; the pairs of a ranking ask for those of the same few numbers again and again."""
    return Fraction(x).limit_denominator(MAX_DENOMINATOR).denominator


@functools.lru_cache(maxsize=4096)
def _is_decimal(x: float, scales: tuple[int, ...], room: float) -> bool:
    return any(_is_multiple_alone(x, scale, room) for scale in scales)


def _is_multiple_alone(x: float, scale: int, room: float) -> bool:
    """`_is_multiple` of one number, without arrays."""
    nearest = round(x * scale) / scale
    if room == 0.0:
        return nearest == x
    return abs(nearest - x) <= room and (nearest != 0 or x == 0 or abs(x) >= room * MIN_RESIDUE)


def _is_multiple(x: Array, scale: int, room: float) -> Array:
    with np.errstate(over="ignore", invalid="ignore"):
        nearest = np.rint(x * scale) / scale
        if room == 0.0:
            return np.asarray(nearest == x)
        # Far below the room a number is no residue of 0 but a size of its own.
        residue = (nearest != 0) | (x == 0) | (np.abs(x) >= room * MIN_RESIDUE)
        return np.asarray((np.abs(nearest - x) <= room) & residue)


def fixed_point(values: Array, bits: int) -> tuple[Array, int]:
    """Reals as integers times 2**-shift, their absolute sum just under 2**bits.

    Rounding moves each number by at most half a unit; sums of the integers are exact in any order.
    """
    total = exact_sum(np.abs(values).ravel())
    if total == 0.0:
        return np.zeros(values.shape, dtype=np.int64), 0
    # Half a unit of rounding per number must still fit under the ceiling.
    shift = bits - 1 - math.frexp(total)[1]
    return np.rint(np.ldexp(values, shift)).astype(np.int64), shift


# Integer rank reduction: few axes instead of many columns.
#
# The flips of an m-column statistic are integer vectors; their sums lie on the lattice the vectors generate, whose rank r is
# often smaller than m (both systems' totals are tied together, gold counts never change). A Hermite basis of that lattice turns
# the m columns into r integer coordinates without losing or adding a point.


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
