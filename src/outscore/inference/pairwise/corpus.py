"""All pairs of systems by a corpus metric: one set of sign flips, and one of bootstrap weights, for all of them.

A flipped sum is linear, so k systems cost k tables and not k(k - 1)/2; only the metric itself is evaluated
pair by pair. The signs belong to the items of the dataset and not to a pair, hence p may differ from that of
the pair tested alone by what sampling leaves open. Ranges of resamples can be counted anywhere: hits add up.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.numeric import TIE_TOLERANCE, Array
from outscore.core.records import dataclass
from outscore.inference.base.differences import tie_scale
from outscore.inference.bootstrap import MIN_UNITS
from outscore.inference.pairwise.table import KINDS, PairTable
from outscore.resampling import exactly_summable, shared_flipped_blocks, shared_resampled_blocks
from outscore.scores.panel import Panel

CENTRED = "centred bootstrap, shared by all pairs"
PART = 1_000
"""Resamples that a worker takes at a time."""
Ranges = list[tuple[int, int]]


def ranges(resamples: int, part: int = PART) -> Ranges:
    """First and number of each part of the resamples.

    Examples
    --------
    >>> ranges(2500)
    [(0, 1000), (1000, 1000), (2000, 500)]
    """
    return [(first, min(part, resamples - first)) for first in range(0, resamples, part)]


@dataclass(frozen=True, eq=False)
class Flipped:
    """Datasets whose units are flipped together, and the pairs whose difference, averaged over datasets, is looked at.

    The datasets hold numbers whose sums are exact (`summable`). With several of them each has signs of its
    own, made from the seed and its number; a single one has those of the seed, as a test of its own would.
    """

    datasets: tuple[Panel, ...]
    left: Array
    right: Array
    seed: int

    def observed(self) -> Array:
        """The difference of each pair, left - right, averaged over datasets."""
        scores = np.mean([_scores_of(systems) for systems in self.datasets], axis=0)
        return np.asarray(scores[self.left] - scores[self.right])

    def slack(self) -> float:
        """Differences closer than this are ties."""
        return TIE_TOLERANCE * max(
            tie_scale(systems.metric, systems.rows.sum(axis=1) / systems.scale) for systems in self.datasets
        )

    def seeds(self) -> list[int]:
        """The key of each dataset's stream: beyond 64 bits, where no user's seed lies."""
        return [self.seed] if len(self.datasets) == 1 else [self.seed + ((i + 1) << 64) for i in range(len(self.datasets))]


def hits_of(flipped: Flipped, part: tuple[int, int]) -> Array:
    """(pairs, 3) counts over a range of resamples: as far from 0 as observed, as high, as low; ties included.

    Examples
    --------
    >>> from outscore.core.metric import AdditiveMetric
    >>> f1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))
    >>> rows = np.array([[[3, 1], [4, 0], [2, 2]], [[3, 1], [4, 0], [2, 2]]])
    >>> same = Flipped((Panel(f1, ("A", "B"), rows, np.ones((2, 3), dtype=bool)),), np.array([0]), np.array([1]), 0)
    >>> hits_of(same, (0, 100)).tolist()
    [[100, 100, 100]]
    """
    first, count = part
    observed, slack = flipped.observed(), flipped.slack()
    totals = [systems.rows.sum(axis=1) for systems in flipped.datasets]
    hits = np.zeros((len(observed), 3), dtype=np.int64)
    blocks = [
        shared_flipped_blocks(list(systems.rows), resamples=count, seed=seed, first=first, block=PART)
        for systems, seed in zip(flipped.datasets, flipped.seeds(), strict=True)
    ]
    for together in zip(*blocks, strict=True):
        for i, (left, right) in enumerate(zip(flipped.left.tolist(), flipped.right.tolist(), strict=True)):
            moved = np.mean(
                [
                    _flipped_difference(systems, total[left] + total[right], sums[left] - sums[right])
                    for systems, total, sums in zip(flipped.datasets, totals, together, strict=True)
                ],
                axis=0,
            )
            hits[i] += [
                int((np.abs(moved) >= abs(observed[i]) - slack).sum()),
                int((moved >= observed[i] - slack).sum()),
                int((moved <= observed[i] + slack).sum()),
            ]
    return hits


def drawn_scores(panel: Panel, seed: int, part: tuple[int, int]) -> Array:
    """(resamples, systems) scores on units drawn with replacement, the same for all systems.

    Examples
    --------
    >>> from outscore.core.metric import AdditiveMetric
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = np.array([[[1, 1], [1, 1]], [[0, 1], [0, 1]]])
    >>> drawn_scores(Panel(mean, ("A", "B"), rows, np.ones((2, 2), dtype=bool)), 0, (0, 2)).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    first, count = part
    blocks = shared_resampled_blocks(list(panel.rows), resamples=count, seed=seed, first=first)
    return np.concatenate([np.stack([panel.metric.score(t / panel.scale) for t in sums], axis=1) for sums in blocks])


def shared_table(flipped: Flipped, n: Array, hits: Array, draws: Array | None, resamples: int, alpha: float) -> PairTable:
    """The pairs from their hits; `draws` are resampled scores, averaged over datasets, for the intervals."""
    observed = flipped.observed()
    log_p = np.log((hits + 1) / (resamples + 1))
    low, high = _limits(flipped, observed, draws, alpha)
    still = observed == 0.0
    log_p[still] = 0.0
    better, worse = (1, 2) if flipped.datasets[0].orientation > 0 else (2, 1)
    return PairTable(
        left=flipped.left,
        right=flipped.right,
        n=n,
        difference=observed,
        low=low,
        high=high,
        log_p=log_p[:, 0],
        kind=np.full(len(observed), KINDS.index("monte-carlo"), dtype=np.int8),
        log_better=log_p[:, better],
        log_worse=log_p[:, worse],
    )


def _limits(flipped: Flipped, observed: Array, draws: Array | None, alpha: float) -> tuple[Array, Array]:
    """d ± q with q the ⌊α(B + 1)⌋-th largest |d* - d| (`centred`); nan where nothing moves or the units are too few."""
    reach = np.full(len(observed), np.nan)
    if draws is None or min(systems.rows.shape[1] for systems in flipped.datasets) < MIN_UNITS:
        return reach, reach.copy()
    rank = max(1, math.floor(alpha * (len(draws) + 1) + 1e-9))
    slack = flipped.slack()
    for i, (left, right) in enumerate(zip(flipped.left.tolist(), flipped.right.tolist(), strict=True)):
        moves = np.abs(draws[:, left] - draws[:, right] - observed[i])
        if float(moves.max()) > slack:
            reach[i] = np.partition(moves, -rank)[-rank]
    return observed - reach, observed + reach


def summable(panel: Panel) -> Panel:
    """The same rows as floats whose sums are exact in any order.

    Examples
    --------
    >>> from outscore.core.metric import AdditiveMetric
    >>> total = AdditiveMetric("sum", ("score",), ratio=((1,), None))
    >>> rows = np.array([[[0.1], [0.2], [0.3]]])
    >>> bool(np.abs(summable(Panel(total, ("A",), rows, np.ones((1, 3), dtype=bool))).rows - rows).max() < 1e-12)
    True
    """
    k, units, columns = panel.rows.shape
    wide = exactly_summable(panel.rows.transpose(1, 0, 2).reshape(units, k * columns))
    return replace(panel, rows=np.ascontiguousarray(wide.reshape(units, k, columns).transpose(1, 0, 2)))


def _scores_of(panel: Panel) -> Array:
    """The scores through the arithmetic of the resamples: a resample that equals the sample does not move at all."""
    return panel.metric.score(panel.rows.sum(axis=1) / panel.scale)


def _flipped_difference(panel: Panel, whole: Array, flip: Array) -> Array:
    """score((T + S)/2) - score((T - S)/2) with the flipped sums S, T being what both systems have together."""
    unit = 2.0 * panel.scale
    return panel.metric.score((whole + flip) / unit) - panel.metric.score((whole - flip) / unit)
