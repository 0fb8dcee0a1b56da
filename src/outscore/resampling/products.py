"""Drawn numbers times a table, block after block: the one product behind flips and resamples.

A block of signs or weights stays small enough for the processor's cache and is large enough to be worth
BLAS's threads. Sums are exact, in single precision where they stay below 2^24 and in double precision below
2^53, so no block size, thread or order can change a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from outscore.core.numeric import Array

Draw = Callable[[int, int], Array]
"""From the first resample and how many to an array of (count, units) drawn numbers."""

BLOCK_ENTRIES = 1 << 21
"""Drawn numbers multiplied at a time. Fewer would make BLAS start its threads more often than it pays."""
BLOCK_SUMS = 1 << 20
"""Sums held at a time, when there are many more columns than units."""
SINGLE = 2**24
"""Whole numbers below this are exact in single precision, which halves the time of a product."""


def in_exact_precision(rows: Array, largest: Array) -> Array:
    """The rows in single precision where no sum can leave its exact whole numbers, else in double precision.

    `largest` bounds the sums of each column.

    Examples
    --------
    >>> [in_exact_precision(np.array([[x], [3]]), np.array([x + 3])).dtype.name for x in (5, 2**24)]
    ['float32', 'float64']
    """
    table = np.asarray(rows, dtype=float)
    exact = float(largest.max(initial=0.0)) < SINGLE and bool((table == np.rint(table)).all())
    return table.astype(np.float32) if exact else table


def products(rows: Array, draw: Draw, first: int, resamples: int, block: int | None = None) -> Iterator[Array]:
    """What is drawn times the rows, for the resamples first … first + resamples - 1.

    Examples
    --------
    >>> rows = np.array([[1.0], [2.0]])
    >>> [sums.tolist() for sums in products(rows, lambda first, count: np.full((count, 2), first), 0, 3, block=2)]
    [[[0.0], [0.0]], [[6.0]]]
    """
    units, columns = rows.shape
    block = block or max(1, min(BLOCK_ENTRIES // max(1, units), BLOCK_SUMS // max(1, columns)))
    for start in range(first, first + resamples, block):
        drawn = draw(start, min(block, first + resamples - start))
        yield (drawn.astype(rows.dtype, copy=False) @ rows).astype(float, copy=False)
