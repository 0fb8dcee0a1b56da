"""Exact counting over all 2^n sign vectors, where n is small.

`meet_in_the_middle` counts tails of a one-axis sum from the sorted sums of two halves (Horowitz and Sahni,
1974): 2^(n/2) work. `all_sums` lists every sum of a few units for statistics of any shape.
"""

from __future__ import annotations

import numpy as np

from outscore.core.numeric import Array

__all__ = ["MAX_ENUMERATED", "MAX_HALVED", "all_sums", "count_subsets", "meet_in_the_middle"]

MAX_HALVED = 44
MAX_ENUMERATED = 20


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


def count_subsets(sizes: Array, most: int) -> Array:
    """How many subsets of positive integers have the sum 0, 1, ..., `most`, as floats: exact up to 2^53, then to n roundings.

    Examples
    --------
    >>> count_subsets(np.array([1, 2, 3]), 4).tolist()
    [1.0, 1.0, 1.0, 2.0, 1.0]
    """
    ways = np.zeros(most + 1)
    ways[0], top = 1.0, 0
    for size in np.sort(sizes).tolist():
        if size > most:
            break
        top = min(top + size, most)
        ways[size : top + 1] += ways[: top + 1 - size]
    return ways
