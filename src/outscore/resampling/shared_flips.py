"""One set of sign flips, or of bootstrap weights, for many tables of one data set.

Systems, metrics and pairs that share their units can share their resamples: the tables stand side by side, a block of signs is
drawn once, and one matrix product serves all columns. A flipped sum is linear, Σ ε (a - b) = Σ ε a - Σ ε b, so the pairs of ten
systems cost ten tables and not forty-five.

The signs are those of `flips` and the weights those of `bootstrap`: every sum equals, to the last bit, the one a single call
would give for its table alone. Sums are exact, in single precision where they stay below 2^24 and in double precision below
2^53, so no block size, thread, order or company can change a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outscore.resampling.bootstrap import resample_indices, stationary_indices
from outscore.resampling.flips import flip_bits

__all__ = ["Contrast", "flipped_blocks", "resampled_blocks", "shared_hits"]

Array = NDArray[Any]
Draw = Callable[[int, int], Array]

BLOCK_ENTRIES = 1 << 21
"""Signs or weights multiplied at a time. Fewer would make BLAS start its threads more often than it pays."""
DRAWN_ENTRIES = 1 << 16
"""Weights drawn at a time: half a megabyte stays in the processor's cache."""
BLOCK_SUMS = 1 << 20
"""Sums held at a time, when there are many more columns than units."""
SINGLE = 2**24
"""Whole numbers below this are exact in single precision, which halves the time of a product."""


@dataclass(frozen=True)
class Contrast:
    """Two tables whose difference is flipped, and the sums that count; without `right` table `left` is the difference itself.

    `inside` is a vectorised predicate on (count, columns) flipped sums of left - right, as in `flips.count_hits`.
    """

    left: int
    right: int | None
    inside: Callable[[Array], Array]


def flipped_blocks(
    tables: Sequence[Array], *, resamples: int, seed: int, first: int = 0, block: int | None = None
) -> Iterator[list[Array]]:
    """Σ ε v over the rows v of every (n, k) table, the same signs for all, block after block of the resamples.

    Each block is a list with one (count, k) array of exact floats for each table. Together they are the resamples `first` …
    first + resamples - 1 of the seed. The tables hold whole numbers with absolute column sums below 2^53.

    Examples
    --------
    >>> bleu, ter = np.array([[1, 2], [0, 3]]), np.array([[5], [1]])
    >>> [[sums.tolist() for sums in block] for block in flipped_blocks([bleu, ter], resamples=2, seed=2)]
    [[[[1.0, -1.0], [1.0, 5.0]], [[4.0], [6.0]]]]
    """
    rows = _side_by_side(tables, most=lambda size: size.sum(axis=0))
    total, units = rows.sum(axis=0), len(rows)

    def signs(start: int, count: int) -> Array:
        return flip_bits(units, start, count, seed).astype(rows.dtype)

    for product in _products(rows, signs, first, resamples, block):
        yield _apart((total - 2 * product).astype(float), tables)


def resampled_blocks(
    tables: Sequence[Array],
    *,
    resamples: int,
    seed: int,
    first: int = 0,
    block_length: float | None = None,
    block: int | None = None,
) -> Iterator[list[Array]]:
    """Column sums of every table under bootstrap weights that are the same for all, block after block of the resamples.

    Units are drawn one by one, or in stationary blocks of mean length `block_length`. The tables hold whole numbers, or what
    `bootstrap.exactly_summable` made of others. The sums are those of `bootstrap.resampled_totals`, except where that has so
    many equal rows that it draws only their counts.

    Examples
    --------
    >>> a, b = np.array([[1, 1], [0, 1]]), np.array([[10], [20]])
    >>> [[sums.tolist() for sums in block] for block in resampled_blocks([a, b], resamples=2, seed=1)]
    [[[[2.0, 2.0], [0.0, 2.0]], [[20.0], [40.0]]]]
    """
    rows = _side_by_side(tables, most=lambda size: len(size) * size.max(axis=0, initial=0))
    units = len(rows)

    def indices(start: int, count: int) -> Array:
        if block_length is None:
            return resample_indices(units, start, count, seed)
        return stationary_indices(units, block_length, start, count, seed)

    def weights(start: int, count: int) -> Array:
        return _weights(indices, units, start, count, rows.dtype)

    for product in _products(rows, weights, first, resamples, block):
        yield _apart(product.astype(float), tables)


def shared_hits(
    tables: Sequence[Array],
    contrasts: Sequence[Contrast],
    *,
    resamples: int,
    seed: int,
    first: int = 0,
    block: int | None = None,
) -> list[int]:
    """How many of the resamples' flipped sums lie inside, for each contrast; hits of disjoint ranges of resamples add up.

    Examples
    --------
    >>> a, b = np.array([[3], [4], [1]]), np.array([[2], [4], [0]])
    >>> shared_hits([a, b], [Contrast(0, 1, lambda sums: abs(sums[:, 0]) >= 2)], resamples=1000, seed=0)
    [486]
    """
    hits = [0] * len(contrasts)
    for sums in flipped_blocks(tables, resamples=resamples, seed=seed, first=first, block=block):
        for i, contrast in enumerate(contrasts):
            flipped = sums[contrast.left] if contrast.right is None else sums[contrast.left] - sums[contrast.right]
            hits[i] += int(contrast.inside(flipped).sum())
    return hits


def _side_by_side(tables: Sequence[Array], most: Callable[[Array], Array]) -> Array:
    """All columns in one table, in single precision where no sum can leave its exact whole numbers.

    `most` bounds the sums from the columns' absolute values.
    """
    rows = np.concatenate([np.asarray(table, dtype=float) for table in tables], axis=1)
    whole = bool((rows == np.rint(rows)).all())
    small = float(most(np.abs(rows)).max(initial=0.0)) < SINGLE
    return rows.astype(np.float32) if whole and small else rows


def _products(rows: Array, draw: Draw, first: int, resamples: int, block: int | None) -> Iterator[Array]:
    """What is drawn times the rows, block after block."""
    units, columns = rows.shape
    block = block or max(1, min(BLOCK_ENTRIES // max(1, units), BLOCK_SUMS // max(1, columns)))
    for start in range(first, first + resamples, block):
        yield draw(start, min(block, first + resamples - start)) @ rows


def _weights(indices: Draw, units: int, start: int, count: int, kind: np.dtype[Any]) -> Array:
    """How often each unit stands in each resample."""
    weights = np.empty((count, units), dtype=kind)
    step = max(1, DRAWN_ENTRIES // max(1, units))
    for low in range(0, count, step):
        drawn = indices(start + low, min(step, count - low))
        drawn += units * np.arange(len(drawn))[:, None]
        weights[low : low + len(drawn)] = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)
    return weights


def _apart(sums: Array, tables: Sequence[Array]) -> list[Array]:
    """The sums of each table again."""
    return np.split(sums, np.cumsum([table.shape[1] for table in tables])[:-1], axis=1)
