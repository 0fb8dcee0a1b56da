"""The paired tests of sacreBLEU, number for number, so that p-values in old papers can be checked. Not for new ones.

What is wrong with them, each reproduced here:

- A trial counts only if its difference is *larger* than the observed one. Ties do not count, so two identical
outputs get the
  smallest p there is, 1 / (trials + 1), and so do outputs that differ in one segment.
- The bootstrap, which follows a script of Moses, subtracts the mean of the *absolute* differences from
absolute differences.
  That is not the law of the difference under the null hypothesis: at a nominal level of 5 % it rejects a true
  one in about 11 % of the cases.
- The bootstrap adds up and scores in single precision.
- A seed of 0 means no seed there. Here it is a seed like any other.

`permutation` and `bootstrap` are the tests to use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.inference.base import question
from outscore.results.pvalue import PValue

SACREBLEU_SEED = 12345
"""What sacreBLEU uses unless the variable SACREBLEU_SEED overrides it."""
BLOCK_ENTRIES = 1 << 21
BITS_PER_WORD = 32
"""The generator takes coins from whole words: a block of a multiple of 32 trials leaves no half-used word behind."""

Score = Callable[[Array], Array]


def sacrebleu_ar(
    statistics_a: Array, statistics_b: Array, score: Score, *, trials: int = 10_000, seed: int = SACREBLEU_SEED
) -> PValue:
    """p of sacreBLEU's approximate randomisation (`--paired-ar`).

    Segments are swapped by coins of the seed; p = (1 + number of trials with a larger absolute difference) /
    (1 + trials). The ties that `permutation` counts and this test does not matter when few segments differ.
    `statistics_a` are the baseline's statistics per segment, `score` turns (m, k) totals into m scores.

    Examples
    --------
    >>> def precision(totals):
    ...     return totals[:, 0] / totals[:, 1]
    >>> a, b = np.array([[3, 4], [2, 4], [4, 4]]), np.array([[1, 4], [2, 4], [1, 4]])
    >>> sacrebleu_ar(a, b, precision, trials=999).value, sacrebleu_ar(a, a, precision, trials=999).value
    (0.001, 0.001)
    """
    a, b = _tables(statistics_a, statistics_b)
    observed = abs(_difference(a.sum(axis=0), b.sum(axis=0), score))
    stream = np.random.default_rng(seed)
    hits = 0
    for count in _blocks(trials, len(a)):
        stay = stream.integers(2, size=(count, len(a)), dtype=bool)
        swapped_a, swapped_b = (_kept(stay, x) + _kept(~stay, y) for x, y in ((a, b), (b, a)))
        hits += int((np.abs(score(swapped_a) - score(swapped_b)) > observed).sum())
    return _p(hits, trials, "sacrebleu-ar", a, b, score)


def sacrebleu_bs(
    statistics_a: Array, statistics_b: Array, score: Score, *, trials: int = 1_000, seed: int = SACREBLEU_SEED
) -> PValue:
    """p of sacreBLEU's paired bootstrap (`--paired-bs`).

    For each resample, the absolute difference minus the mean of all absolute differences is compared with the
    observed one. It rejects true null hypotheses too often, `bootstrap` does not. `score` gets totals in
    single precision, as sacreBLEU's own functions do; one that computes with them in double precision may
    differ by a resample or two.

    Examples
    --------
    >>> def precision(totals):
    ...     return totals[:, 0] / totals[:, 1]
    >>> a, b = np.array([[3, 4], [2, 4], [4, 4]] * 9), np.array([[3, 4], [2, 4], [2, 4]] * 9)
    >>> sacrebleu_bs(a, b, precision, trials=999).value
    0.001
    """
    a, b = _tables(statistics_a, statistics_b)
    observed = abs(_difference(a.sum(axis=0), b.sum(axis=0), score))
    single_a, single_b = a.astype(np.float32), b.astype(np.float32)
    stream = np.random.default_rng(seed)
    gaps = []
    for count in _blocks(trials, len(a)):
        drawn = stream.integers(len(a), size=(count, len(a)))
        # Row after row: in single precision the order of addition matters.
        of_a, of_b = (score(np.stack([single[rows].sum(axis=0) for rows in drawn])) for single in (single_a, single_b))
        gaps.append(np.abs(of_b - of_a))
    moves = np.concatenate(gaps)
    hits = int((moves - moves.mean() > observed).sum())
    return _p(hits, trials, "sacrebleu-bs", a, b, score)


COMPAT: dict[str, Callable[..., PValue]] = {"sacrebleu-ar": sacrebleu_ar, "sacrebleu-bs": sacrebleu_bs}


def _tables(a: Array, b: Array) -> tuple[Array, Array]:
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.ndim != 2 or not len(a):
        raise OutscoreError(
            f"The statistics have shapes {a.shape} and {b.shape}.", "Give one row for each segment, the same for both systems."
        )
    return a, b


def _difference(total_a: Array, total_b: Array, score: Score) -> float:
    """Difference of the scores of two rows of totals."""
    return float(score(total_a[None])[0] - score(total_b[None])[0])


def _blocks(trials: int, segments: int) -> Iterator[int]:
    """Numbers of trials that are drawn at a time."""
    block = BITS_PER_WORD * max(1, BLOCK_ENTRIES // (BITS_PER_WORD * segments))
    for first in range(0, trials, block):
        yield min(block, trials - first)


def _kept(chosen: Array, table: Array) -> Array:
    """Totals of the chosen rows, in the kind of number the table has; products of floats are fast, and exact below 2^53."""
    return np.asarray((chosen.astype(float) @ table.astype(float)).astype(table.dtype))


def _p(hits: int, trials: int, name: str, a: Array, b: Array, score: Score) -> PValue:
    statistic = _difference(a.sum(axis=0), b.sum(axis=0), score)
    return replace(question.sampled_p(hits, trials, name), test=name, statistic=statistic, n=len(a))
