"""One set of sign flips, or of bootstrap weights, for many tables of one data set.

Systems, metrics and pairs that share their units can share their resamples: the tables stand side by side, a
block of signs is drawn once, and one matrix product serves all columns. A flipped sum is linear, Σ ε (a - b)
= Σ ε a - Σ ε b, so the pairs of ten systems cost ten tables and not forty-five.

The signs are those of `flips` and the weights those of `bootstrap`: every sum equals, to the last bit, the
one a single call would give for its table alone, since sums are exact in any company.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from outscore.core.numeric import Array
from outscore.resampling import bootstrap, flips


def flipped_blocks(
    tables: Sequence[Array], *, resamples: int, seed: int, first: int = 0, block: int | None = None
) -> Iterator[list[Array]]:
    """Σ ε v over the rows v of every (n, k) table, the same signs for all, block after block of the resamples.

    Each block is a list with one (count, k) array of exact floats for each table. Together they are the
    resamples `first` … first + resamples - 1 of the seed. The tables hold whole numbers with absolute column
    sums below 2^53.

    Examples
    --------
    >>> bleu, ter = np.array([[1, 2], [0, 3]]), np.array([[5], [1]])
    >>> [[sums.tolist() for sums in block] for block in flipped_blocks([bleu, ter], resamples=2, seed=2)]
    [[[[1.0, -1.0], [1.0, 5.0]], [[4.0], [6.0]]]]
    """
    rows = np.concatenate(tables, axis=1)
    for sums in flips.flipped_blocks(rows, resamples=resamples, seed=seed, first=first, block=block):
        yield _apart(sums, tables)


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

    Units are drawn one by one, or in stationary blocks of mean length `block_length`. The tables hold whole
    numbers, or what `bootstrap.exactly_summable` made of others. The sums are those of
    `bootstrap.resampled_totals`, except where that has so many equal rows that it draws only their counts.

    Examples
    --------
    >>> a, b = np.array([[1, 1], [0, 1]]), np.array([[10], [20]])
    >>> [[sums.tolist() for sums in block] for block in resampled_blocks([a, b], resamples=2, seed=1)]
    [[[[2.0, 2.0], [0.0, 2.0]], [[20.0], [40.0]]]]
    """
    rows = np.concatenate(tables, axis=1)
    drawn = bootstrap.resampled_blocks(
        rows, resamples=resamples, seed=seed, first=first, block_length=block_length, block=block, alike=False
    )
    for sums in drawn:
        yield _apart(sums, tables)


def _apart(sums: Array, tables: Sequence[Array]) -> list[Array]:
    """The sums of each table again."""
    return np.split(sums, np.cumsum([table.shape[1] for table in tables])[:-1], axis=1)
