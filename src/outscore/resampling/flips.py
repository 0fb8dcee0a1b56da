"""Random sign flips in bulk.

Resample k of a seed is a fixed stretch of a counter-based random stream (Philox; Salmon et al., 2011): one
bit per unit, and any worker can draw any block without drawing what comes before it. Sums are exact: the
columns are integers with absolute sums below 2**53, so floating-point addition never rounds and no block
size, thread or order can change a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from outscore.core.numeric import Array
from outscore.resampling.products import in_exact_precision, products

WORDS_PER_STEP = 4
"""One step of the Philox counter yields four 64-bit words."""


def flip_bits(units: int, first: int, count: int, seed: int) -> Array:
    """Sign flips of resamples first … first + count - 1 as a (count, units) array of 0 and 1."""
    steps = -(-units // (64 * WORDS_PER_STEP))
    stream = np.random.Philox(key=seed, counter=first * steps)
    words = stream.random_raw(count * steps * WORDS_PER_STEP).astype("<u8")
    packed = words.view(np.uint8).reshape(count, -1)
    return np.unpackbits(packed, axis=1, count=units, bitorder="little")


def flipped_blocks(vectors: Array, *, resamples: int, seed: int, first: int = 0, block: int | None = None) -> Iterator[Array]:
    """Σ ε v over the rows v of an integer array (n, m), as exact floats, block after block of the resamples.

    Examples
    --------
    >>> [sums.tolist() for sums in flipped_blocks(np.array([[1, 2], [0, 3]]), resamples=2, seed=2)]
    [[[1.0, -1.0], [1.0, 5.0]]]
    """
    rows = in_exact_precision(vectors, np.abs(vectors).sum(axis=0))
    total, units = rows.sum(axis=0, dtype=float), len(rows)
    for product in products(rows, lambda start, count: flip_bits(units, start, count, seed), first, resamples, block):
        yield total - 2.0 * product


def flipped_sums(vectors: Array, first: int, count: int, seed: int) -> Array:
    """The sums of a range of resamples together, as (count, m)."""
    return np.concatenate(list(flipped_blocks(vectors, resamples=count, seed=seed, first=first)))


def count_hits(vectors: Array, inside: Callable[[Array], Array], *, resamples: int, seed: int, block: int | None = None) -> int:
    """How many of the resamples' sums satisfy `inside`, a vectorised predicate on (count, m) sums."""
    return sum(int(inside(sums).sum()) for sums in flipped_blocks(vectors, resamples=resamples, seed=seed, block=block))
