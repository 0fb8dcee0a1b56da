"""Random sign flips in bulk.

Resample k of a seed is a fixed stretch of a counter-based random stream (Philox; Salmon et al., 2011): one bit per unit, and
any worker can draw any block without drawing what comes before it. Sums are exact: the columns are integers with absolute
sums below 2**53, so floating-point addition never rounds and no block size, thread or order can change a result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["clopper_pearson", "count_hits", "flip_bits", "flipped_sums"]

Array = NDArray[Any]

WORDS_PER_STEP = 4
"""One step of the Philox counter yields four 64-bit words."""
BLOCK_ENTRIES = 1 << 21


def flip_bits(units: int, first: int, count: int, seed: int) -> Array:
    """Sign flips of resamples first … first + count - 1 as a (count, units) array of 0 and 1."""
    steps = -(-units // (64 * WORDS_PER_STEP))
    stream = np.random.Philox(key=seed, counter=first * steps)
    words = stream.random_raw(count * steps * WORDS_PER_STEP).astype("<u8")
    packed = words.view(np.uint8).reshape(count, -1)
    return np.unpackbits(packed, axis=1, count=units, bitorder="little")


def flipped_sums(vectors: Array, first: int, count: int, seed: int) -> Array:
    """Σ ε v over the rows v of an integer array (n, m) for a range of resamples, as exact floats (count, m)."""
    columns = vectors.astype(float)
    bits = flip_bits(len(vectors), first, count, seed).astype(float)
    return np.asarray(columns.sum(axis=0) - 2.0 * (bits @ columns))


def count_hits(vectors: Array, inside: Callable[[Array], Array], *, resamples: int, seed: int, block: int | None = None) -> int:
    """How many of the resamples' sums satisfy `inside`, a vectorised predicate on (count, m) sums."""
    block = block or max(1, BLOCK_ENTRIES // max(1, len(vectors)))
    return sum(
        int(inside(flipped_sums(vectors, first, min(block, resamples - first), seed)).sum())
        for first in range(0, resamples, block)
    )


def clopper_pearson(hits: int, trials: int, level: float = 0.99) -> tuple[float, float]:
    """Exact confidence bounds for a probability after `hits` of `trials` (Clopper and Pearson, 1934).

    Examples
    --------
    >>> low, high = clopper_pearson(50, 1000)
    >>> round(low, 4), round(high, 4)
    (0.0339, 0.0705)
    """
    import scipy.special

    side = (1.0 - level) / 2.0
    low = float(scipy.special.betaincinv(hits, trials - hits + 1, side)) if hits > 0 else 0.0
    high = float(scipy.special.betaincinv(hits + 1, trials - hits, 1.0 - side)) if hits < trials else 1.0
    return low, high
