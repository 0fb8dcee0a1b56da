"""All systems at once, by resampling the items of a leaderboard: the same items for all systems.

Simultaneous intervals: with s the spread of a pair's difference over the draws, c is the 1 - alpha quantile of the largest
|d* - d| / s over all pairs, and d ± c s holds for all of them together (sup-t; Montiel Olea and Plagborg-Møller, 2019). As s is
estimated from n units, c is read as a quantile of the normal law and replaced by that of Student's t with n - 1 degrees of
freedom, and s is widened by √(n / (n - 1)).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.pairwise.corpus import ranges, summable
from outscore.laws import log_normal, student_quantile
from outscore.resampling import shared_resampled_blocks
from outscore.scores.panel import Panel

CONFIDENCE = 2.5758293035489004
"""The normal quantile of bounds that hold with 99 % confidence."""
PART = 200
"""Numbers whose draws are looked at together."""
STILL = 1e-12
"""Spreads below this share of the largest are those of numbers that do not move."""


@dataclass(frozen=True, eq=False)
class Draws:
    """The results of resampling items: (draws, systems) scores, and the same numbers of the items at hand.

    `points` are mean points over items, those of (draws, systems) and of the items at hand; None where items have no scores.
    `by_dataset` are (draws, datasets, systems) scores and those at hand, where there are several. `units` is the number
    of items or clusters that were drawn, of the smallest dataset.
    """

    scores: Array
    observed: Array
    units: int
    points: tuple[Array, Array] | None = None
    by_dataset: tuple[Array, Array] | None = None


@dataclass(frozen=True, eq=False)
class Band:
    """Limits that hold all at once, nan where a number does not move, and the quantile they rest on with its sampling error."""

    low: Array
    high: Array
    critical: float
    error: float


def points_of(panel: Panel) -> Array | None:
    """(systems, items) twice the points of every item: systems that are worse, ties half; None where items have no scores.

    Examples
    --------
    >>> from outscore.core.metric import AdditiveMetric
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = np.array([[[2, 1], [0, 1]], [[1, 1], [1, 1]], [[1, 1], [5, 1]]])
    >>> points_of(Panel(mean, ("A", "B", "C"), rows, np.ones((3, 2), dtype=bool))).tolist()
    [[4, 0], [1, 2], [1, 4]]
    """
    import scipy.stats

    if not panel.single_scores():
        return None
    assert panel.metric.ratio is not None
    scores = panel.orientation * (panel.rows @ np.asarray(panel.metric.ratio[0]))
    return np.asarray(np.rint(2 * (scipy.stats.rankdata(scores, axis=0) - 1)), dtype=np.int64)


def draw(
    datasets: Sequence[Panel],
    *,
    resamples: int,
    seed: int,
    begin: Callable[[int], None] = lambda _: None,
    advance: Callable[[], None] = lambda: None,
) -> Draws:
    """Resample the items of each dataset, or its clusters, the same ones for all systems; datasets are averaged.

    Examples
    --------
    >>> from outscore.core.metric import AdditiveMetric
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = np.array([[[1, 1], [1, 1]], [[0, 1], [0, 1]]])
    >>> draws = draw([Panel(mean, ("A", "B"), rows, np.ones((2, 2), dtype=bool))], resamples=3, seed=0)
    >>> draws.scores.tolist(), draws.points[1].tolist()
    ([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]], [1.0, 0.0])
    """
    # As in tests over several datasets, each has a stream of its own, beyond where a user's seed lies.
    seeds = [seed] if len(datasets) == 1 else [seed + ((i + 1) << 64) for i in range(len(datasets))]
    parts = ranges(resamples)
    begin(len(parts) * len(datasets))
    drawn = [_drawn(systems, parts, key, advance) for systems, key in zip(datasets, seeds, strict=True)]
    scores, observed = np.stack([part[0] for part in drawn]), np.stack([part[1] for part in drawn])
    pointed = [part[2] for part in drawn]
    points = None
    if all(part is not None for part in pointed):
        points = (
            np.mean([part[0] for part in pointed if part is not None], axis=0),
            np.mean([part[1] for part in pointed if part is not None], axis=0),
        )
    several = (scores.transpose(1, 0, 2), observed) if len(datasets) > 1 else None
    units = min(part[3] for part in drawn)
    return Draws(scores.mean(axis=0), observed.mean(axis=0), units, points, several)


def _drawn(
    panel: Panel, parts: list[tuple[int, int]], seed: int, advance: Callable[[], None]
) -> tuple[Array, Array, tuple[Array, Array] | None, int]:
    """Drawn and observed scores, the same of points, and the number of units."""
    points = points_of(panel)
    items = np.ones((1, panel.rows.shape[1], 1), dtype=np.int64)
    beside = items if points is None else np.concatenate([points[..., None], items])
    counted = replace(panel, rows=beside, present=np.ones(beside.shape[:2], dtype=bool)).collapse_clusters()
    whole = summable(panel.collapse_clusters())
    tables = [*whole.rows, *counted.rows]
    k = len(whole.rows)
    scores, ranks = [], []
    for first, count in parts:
        for sums in shared_resampled_blocks(tables, resamples=count, seed=seed, first=first):
            scores.append(np.stack([panel.metric.score(total / panel.scale) for total in sums[:k]], axis=1))
            if points is not None:
                ranks.append(np.concatenate(sums[k:-1], axis=1) / (2 * sums[-1]))
        advance()
    observed = panel.metric.score(whole.rows.sum(axis=1) / panel.scale)
    points_drawn = None if points is None else (np.concatenate(ranks), points.mean(axis=1) / 2)
    return np.concatenate(scores), observed, points_drawn, whole.rows.shape[1]


def shares_of_best(scores: Array, *, higher_is_better: bool) -> Array:
    """The share of the draws in which each system has the best score, those who share it by parts.

    Examples
    --------
    >>> shares_of_best(np.array([[1.0, 0.5], [0.5, 0.5], [0.4, 0.5], [0.6, 0.5]]), higher_is_better=True).tolist()
    [0.625, 0.375]
    """
    best = scores.max(axis=1) if higher_is_better else scores.min(axis=1)
    first = scores == best[:, None]
    return np.asarray((first / first.sum(axis=1, keepdims=True)).mean(axis=0))


def win_rates(scores: Array, *, higher_is_better: bool) -> Array:
    """(..., systems) the share of others that each system beats, averaged over datasets (the axis before the last).

    Examples
    --------
    >>> win_rates(np.array([[3.0, 2.0, 1.0], [3.0, 2.0, 2.0]]), higher_is_better=True).tolist()
    [1.0, 0.375, 0.125]
    """
    turned = scores if higher_is_better else -scores
    beaten = (turned[..., :, None] > turned[..., None, :]).sum(axis=-1)
    level = (turned[..., :, None] == turned[..., None, :]).sum(axis=-1) - 1
    return np.asarray(((beaten + level / 2) / (scores.shape[-1] - 1)).mean(axis=-2))


def band_of(drawn: Array, observed: Array, *, units: int, alpha: float, pairs: tuple[Array, Array] | None = None) -> Band:
    """Limits of all numbers at once from their (draws, numbers) draws, or of their differences by `pairs`, left - right.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> narrow = band_of(rng.standard_normal((20_000, 1)), np.zeros(1), units=10_000, alpha=0.05)
    >>> ten = band_of(rng.standard_normal((20_000, 10)), np.zeros(10), units=10_000, alpha=0.05)
    >>> round(narrow.critical, 1), round(ten.critical, 1)
    (2.0, 2.8)
    """
    value = observed if pairs is None else observed[pairs[0]] - observed[pairs[1]]

    def moves(part: slice) -> Array:
        if pairs is None:
            return np.asarray(drawn[:, part] - observed[part])
        left, right = (side[part] for side in pairs)
        return np.asarray(drawn[:, left] - drawn[:, right] - value[part])

    # So many pairs at a time that their draws fit into memory.
    parts = [slice(first, first + PART) for first in range(0, len(value), PART)]
    spread = np.concatenate([np.sqrt((moves(part) ** 2).mean(axis=0)) for part in parts])
    live = spread > STILL * max(float(np.abs(observed).max(initial=0.0)), float(spread.max(initial=0.0)))
    low = np.full(len(value), np.nan)
    high = low.copy()
    if not live.any() or units < 2:
        return Band(low, high, math.nan, math.nan)
    largest = np.zeros(len(drawn))
    for part in parts:
        there = live[part]
        if there.any():
            largest = np.maximum(largest, (np.abs(moves(part)[:, there]) / spread[part][there]).max(axis=1))
    largest.sort()
    middle, *ends = (_student(float(largest[place]), units - 1) for place in _places(len(largest), alpha))
    half = spread[live] * math.sqrt(units / (units - 1)) * middle
    low[live], high[live] = value[live] - half, value[live] + half
    return Band(low, high, middle, (ends[1] - ends[0]) / 2)


def _places(draws: int, alpha: float) -> list[int]:
    """The place of the 1 - alpha quantile among sorted draws, and those that contain the true one with 99 % confidence."""
    reach = CONFIDENCE * math.sqrt(alpha * (1 - alpha) * draws)
    wanted = [math.ceil((1 - alpha) * (draws + 1)) + shift for shift in (0, -math.ceil(reach), math.ceil(reach))]
    return [min(max(place - 1, 0), draws - 1) for place in wanted]


def _student(quantile: float, freedom: int) -> float:
    """Student's quantile of the probability that a normal one has."""
    tail = log_normal(-quantile)
    return -student_quantile(freedom, math.exp(tail))
