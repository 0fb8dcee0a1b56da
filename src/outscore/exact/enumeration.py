"""Exact counting over all 2^n sign vectors, where n is small.

`meet_in_the_middle` counts tails of a one-axis sum from the sorted sums of two halves (Horowitz and Sahni,
1974): 2^(n/2) work. `all_sums` lists every sum of a few units for statistics of any shape; `distinct_sums`
lists those of many units of a few kinds, of which only the numbers that are flipped matter.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import Array

MAX_HALVED = 44
MAX_ENUMERATED = 20
MAX_COUNTED = 1_000
"""Units whose 2^n sign vectors a float can count."""
EXACT_BITS = 62
"""Up to so many units the counts are whole numbers."""


def meet_in_the_middle(sizes: Array, *thresholds: int) -> list[int]:
    """How many of the 2^n sign vectors give Σ ε a ≥ each threshold, for whole numbers a.

    Examples
    --------
    >>> import numpy as np
    >>> meet_in_the_middle(np.array([1, 2, 3]), 4, 5)
    [2, 1]
    """
    middle = len(sizes) // 2
    left, right = _sorted_sums(sizes[:middle]), _sorted_sums(sizes[middle:])
    reach = int(sizes.sum())
    # What no sum reaches may be too large for the arrays.
    bounded = [max(-reach, min(threshold, reach + 1)) for threshold in thresholds]
    return [int((len(right) - np.searchsorted(right, threshold - left[::-1])).sum(dtype=np.int64)) for threshold in bounded]


def _sorted_sums(sizes: Array) -> Array:
    sums = np.zeros(1, dtype=np.int64)
    for size in sizes.tolist():
        sums = np.concatenate([sums - size, sums + size])
        sums.sort(kind="stable")  # two ascending runs: a linear merge
    return sums


def all_sums(vectors: Array) -> Array:
    """Every Σ ε v for rows v of (n, r), as a (2^n, r) array.

    Examples
    --------
    >>> import numpy as np
    >>> all_sums(np.array([[1], [2]])).ravel()
    array([ 3,  1, -1, -3])
    """
    sums = np.zeros((1, vectors.shape[1]), dtype=vectors.dtype)
    for vector in vectors:
        sums = np.concatenate([sums + vector, sums - vector])
    return sums


def sums_listed(counts: Array) -> float:
    """How many sums `distinct_sums` would list: Π (count + 1), infinitely many where their ways are too many for floats.

    Examples
    --------
    >>> sums_listed(np.array([3, 3, 4]))
    80.0
    """
    return math.inf if counts.sum() > MAX_COUNTED else float(np.prod(counts + 1.0))


def distinct_sums(vectors: Array, counts: Array) -> tuple[Array, Array]:
    """Sums Σ ε v of vectors v of which there are several each, and in how many of the 2^n ways each arises.

    If k of c equal vectors are turned, they add up to (c - 2k)v, and that happens in C(c, k) ways.

    Examples
    --------
    >>> sums, ways = distinct_sums(np.array([[1], [3]]), np.array([2, 1]))
    >>> sums.ravel().tolist(), ways.tolist()
    ([5, 3, 1, -1, -3, -5], [1, 2, 1, 1, 2, 1])
    """
    kind = np.int64 if counts.sum() <= EXACT_BITS else np.float64
    sums: Array = np.zeros((1, vectors.shape[1]), dtype=vectors.dtype)
    ways: Array = np.ones(1, dtype=kind)
    for vector, count in zip(vectors, counts.tolist(), strict=True):
        turned = np.arange(count + 1)
        moves = (count - 2 * turned)[:, None] * vector
        choose = np.array([math.comb(count, k) for k in turned.tolist()], dtype=kind)
        sums = (sums + moves[:, None]).reshape(-1, vectors.shape[1])
        ways = (choose[:, None] * ways).ravel()
    return sums, ways


def count_subsets(sizes: Array, most: int) -> Array:
    """How many subsets of positive integers have the sum 0, 1, ..., `most`, as floats: exact up to 2^53, then to n roundings.

    Examples
    --------
    >>> count_subsets(np.array([1, 2, 3]), 4).tolist()
    [1.0, 1.0, 1.0, 2.0, 1.0]
    """
    # In turns, as an array that is added to itself is copied first.
    ways, further = np.zeros(most + 1), np.zeros(most + 1)
    ways[0], top = 1.0, 0
    for size in np.sort(sizes).tolist():
        if size > most:
            break
        top = min(top + size, most)
        further[:size] = ways[:size]
        np.add(ways[size : top + 1], ways[: top + 1 - size], out=further[size : top + 1])
        ways, further = further, ways
    return ways
