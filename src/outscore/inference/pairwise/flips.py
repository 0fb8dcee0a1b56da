"""Permutation tests of all pairs at once, by sign flips that every partition of the items can draw for itself.

Swapping two systems on an item flips the sign of their difference there. With the same coins for all pairs,
the flipped sum of a pair is the difference of two systems' flipped totals, so that k systems need k totals
for each resample and not k(k - 1)/2. An item's coins are a random stream of its own, keyed by the seed and
the item: whoever holds the item draws them, in any order.

Totals are whole numbers in fixed point, and so add up exactly over partitions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outscore.core.numeric import Array
from outscore.resampling.flips import flip_bits

__all__ = ["fixed_shift", "flipped_totals", "pair_hits"]

ITEMS = 512
"""Items flipped at a time: ten thousand coins of each are 40 MB."""
BITS = 52
KEY_BITS = 64


def fixed_shift(largest: float, items: int) -> int:
    """The power of two that scales scores of at most this size so that totals of so many stay below 2^52.

    Examples
    --------
    >>> fixed_shift(1.0, 1000), fixed_shift(100.0, 1000)
    (41, 35)
    """
    return BITS - math.frexp(max(largest, 1e-300))[1] - (items.bit_length())


def flipped_totals(whole: Array, keys: Sequence[int], *, resamples: int, seed: int) -> Array:
    """Σ ε x over the items for every system: whole numbers, (1 + resamples, systems), of which the first row is unflipped.

    Parameters
    ----------
    whole
        (systems, items) scores in fixed point.
    keys
        64 bits for each item, its own wherever it is met.

    Examples
    --------
    >>> whole = np.array([[3, 1], [2, 0]])
    >>> both = flipped_totals(whole, [11, 12], resamples=4, seed=0)
    >>> alone = [flipped_totals(whole[:, [i]], [key], resamples=4, seed=0) for i, key in enumerate([11, 12])]
    >>> both[0].tolist(), both.tolist() == (alone[0] + alone[1]).tolist()
    ([4, 2], True)
    """
    sums = np.zeros((1 + resamples, len(whole)), dtype=np.int64)
    for start in range(0, len(keys), ITEMS):
        scores = np.asarray(whole[:, start : start + ITEMS], dtype=float)
        bits = np.zeros((scores.shape[1], 1 + resamples))
        for i, key in enumerate(keys[start : start + ITEMS]):
            bits[i, 1:] = flip_bits(resamples, 0, 1, (seed << KEY_BITS) | key)[0]
        sums += (scores.sum(axis=1) - 2.0 * (bits.T @ scores.T)).astype(np.int64)
    return sums


def pair_hits(totals: Array, left: Array, right: Array, slack: int) -> tuple[Array, Array, Array]:
    """For each pair, how many resamples are as far from 0 as the observed difference, at least as large, and at most.

    `slack` is how far apart two sums may be and still be a tie.

    Examples
    --------
    >>> totals = np.array([[3, 0], [3, 0], [-3, 0], [1, 0]])
    >>> [hits.tolist() for hits in pair_hits(totals, np.array([0]), np.array([1]), 0)]
    [[2], [1], [3]]
    """
    by_system = np.ascontiguousarray(totals.T)
    far, above, below = (np.empty(len(left), dtype=np.int64) for _ in range(3))
    for i, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        gaps = by_system[one] - by_system[other]
        observed, flipped = gaps[0], gaps[1:]
        far[i] = np.count_nonzero(np.abs(flipped) >= abs(observed) - slack)
        above[i] = np.count_nonzero(flipped >= observed - slack)
        below[i] = np.count_nonzero(flipped <= observed + slack)
    return far, above, below
