"""How sure one system's own score is, and the variance of a mean whose items come in clusters."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, distinct, exact_sum
from outscore.core.records import dataclass
from outscore.inference.base.discordance import Worth, wilson_limits, worth_of
from outscore.laws import t_quantile

# The variance of a mean whose items come in clusters, and how far that variance can be trusted.
#
# Residuals of one cluster depend on one another, so only their sums S_g count. Their squares are too small, because the
# mean was fitted to them, the more so the larger the cluster's share f_g = n_g/N. CR2 (Bell and McCaffrey, 2002, "Bias
# reduction in standard errors for linear regression with multi-stage samples", Survey Methodology 28) makes up for it
# cluster by cluster, exactly where items are independent:
#
#     V = Σ_g S_g² / (1 - f_g) / N²
#
# Few large clusters leave V with far fewer degrees of freedom than G - 1. Those of Bell and McCaffrey match the first two
# moments of V with a chi-square, tr(M)²/tr(M²) with M = diag(n) - nn'/N scaled by 1/√(1 - f_g) on both sides, which for a
# mean is
#
#     df = 1 / (Σ f_g² + (Σ q_g)² - Σ q_g²),   q_g = f_g²/(1 - f_g)
#
# Clusters of one size give back (G/(G-1)) Σ S_g²/N² and G - 1, and single items s²/n and n - 1. A ratio Σt/Σb is the mean
# of t/b weighted by b: its sizes are the clusters' sums of b.


def cluster_variance(sums: Array, sizes: Array | None = None) -> tuple[float, float]:
    """CR2 variance of a mean, and its Bell–McCaffrey degrees of freedom; (0, 0) for a single cluster.

    Parameters
    ----------
    sums
        Sums of the residuals (score minus mean), one per cluster.
    sizes
        How many items, or how much weight, each cluster has; None where each is one item.

    Examples
    --------
    >>> sums = np.array([2.0, -1.0, -1.0])
    >>> [round(x, 6) for x in cluster_variance(sums, np.array([4, 4, 4]))]  # equal clusters: 3/2 · 6/144, 2
    [0.0625, 2.0]
    >>> [round(x, 6) for x in cluster_variance(sums, np.array([10, 1, 1]))]
    [0.181818, 1.19802]
    """
    sums = np.asarray(sums, dtype=float)
    if sizes is None:
        n = len(sums)
        return (exact_sum(sums * sums / ((n - 1) / n)) / n**2, n - 1.0) if n > 1 else (0.0, 0.0)
    sizes = np.asarray(sizes, dtype=float)
    df = bell_mccaffrey_df(sizes)
    if not df:
        return 0.0, 0.0
    whole = exact_sum(sizes)
    return exact_sum(sums * sums / (_others(sizes) / whole)) / whole**2, df


def _others(sizes: Array) -> Array:
    """What all other clusters have: that of the largest is added up, as the whole less nearly all of it would be rounding."""
    left = exact_sum(sizes) - sizes
    largest = int(np.argmax(sizes))
    left[largest] = exact_sum(np.delete(sizes, largest))
    return left


def bell_mccaffrey_df(sizes: Array) -> float:
    """Degrees of freedom of the CR2 variance of a mean of clusters of these sizes; 0 for a single cluster.

    Examples
    --------
    >>> bell_mccaffrey_df(np.array([5, 5, 5, 5])), round(bell_mccaffrey_df(np.array([100, 5, 5, 5, 5, 5, 5, 5])), 4)
    (3.0, 1.665)
    """
    filled = np.asarray(sizes, dtype=float)
    filled = filled[filled > 0]
    if len(filled) < 2:
        return 0.0
    if (filled == filled[0]).all():
        return len(filled) - 1.0
    share = filled / exact_sum(filled)
    q = share * filled / _others(filled)
    largest = int(np.argmax(q))
    rest = np.delete(q, largest)
    # (Σ q)² - Σ q² without the square of the largest, which may exceed all else by more than the digits of a number.
    products = exact_sum(rest) * (2 * float(q[largest]) + exact_sum(rest)) - exact_sum(rest**2)
    # Never below 1 but for rounding: M is not 0 and has no negative eigenvalue.
    return max(1.0, 1 / (exact_sum(share**2) + products))


def effective_clusters(sizes: Array) -> float:
    """N²/Σ n_g²: how many clusters of one size tell as much about a mean as these, if each is of one piece.

    Examples
    --------
    >>> effective_clusters(np.array([5, 5, 5, 5])), round(effective_clusters(np.array([100, 5, 5])), 4)
    (4.0, 1.204)
    """
    sizes = np.asarray(sizes, dtype=float)
    return exact_sum(sizes) ** 2 / exact_sum(sizes**2)


# How sure one system's own score is: a confidence interval from the same items or clusters as the comparison.
#
# It answers "what would this system score on other items of the same kind?", one system at a time. Two such intervals may
# well overlap where the paired test is certain, because the items' difficulty is common to both systems; compare systems by
# the interval of their difference.
#
# For a ratio of sums, Σt/Σb over units g, the variance is that of the linearised ratio (Cochran, 1977, chapter 6): CR2 of
# the residuals t_g - score·b_g with the weights b_g, and Bell–McCaffrey degrees of freedom (`cluster_variance`), which for
# a mean of single items are s²/n and n - 1. What follows depends on the score:
#
# - A share, 0 ≤ t ≤ b everywhere in both systems, gets Wilson's score interval for as many independent looks as
#   its variance is worth, score·(1 - score)/V: that stays between 0 and 1, and is the usual Wilson interval for
#   right-or-wrong items. Right-or-wrong items in clusters are worth no more looks than they are items, and
#   (Σb)²/Σb² where V is 0. Scores between 0 and 1 are shares, and so are item means of right-or-wrong repeats.
# - Other ratios get score ± t·√V.
# - A function of the 2 × 2 table (balanced accuracy, macro-F1, MCC, kappa) gets the delta method on the table
#   with one decision added to every cell, as Agresti and Coull (1998) and Agresti and Caffo (2000) have it for
#   shares and their differences. Clusters leave the table fewer effective decisions, n/deff.
# - Other functions of sums get the jackknife's standard error (Efron and Tibshirani, 1993, chapter 11).
#
# No limit leaves the range that the metric states.


Limits = tuple[float | None, float | None]
UNKNOWN: Limits = (None, None)
ADDED = 1.0
"""Decisions added to every cell of a table: four in all, as z² is."""
STEP = 1e-4
"""Step of a numerical derivative, as a share of the cell."""


Share = tuple[Worth, bool]
"""What wrong and right items score where a score cannot leave these, and whether every item is the one or the other."""


@dataclass(frozen=True)
class RunNoise:
    """What the runs of one system say about its mean over runs.

    Attributes
    ----------
    runs
        K, how many there are.
    between
        R: the squared standard error of the mean over runs, from the runs' scores alone.
    within
        E: the part of it that items would make without any effect of whole runs.
    df_within
        The degrees of freedom of `within`.
    scores
        The scores of the runs.
    """

    runs: int
    between: float
    within: float
    df_within: float
    scores: tuple[float, ...] = ()

    @property
    def added(self) -> float:
        """What whole runs add to the spread of the item means: R - E, never below 0."""
        return max(0.0, self.between - self.within)


@dataclass(frozen=True, eq=False)
class OwnRows:
    """One system in the metric's own columns, true numbers: single rows, item means, a cluster for each item, what runs say."""

    rows: Array
    items: Array
    clusters: Array | None = None
    runs: RunNoise | None = None


def own_intervals(systems: Sequence[OwnRows], metric: AdditiveMetric, alpha: float = 0.05) -> list[Limits]:
    """The interval of each system's own score.

    All systems together say what scores can be, so that a system that is always wrong is treated like the others.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> right = np.stack([[1.0, 1.0, 0.0, 1.0] * 5, np.ones(20)], axis=1)
    >>> [round(end, 4) for end in own_intervals([OwnRows(right, right)], mean)[0]]
    [0.5313, 0.8881]
    """
    metric = metric.alone or metric
    share = _shared_share(systems, metric) if systems else None
    found = []
    for one in systems:
        table, clusters = one.items, one.clusters
        if clusters is not None and len(distinct(clusters)) == len(table):
            clusters = None
        if metric.ratio is not None:
            limits = _ratio_limits(*_parts(table, metric), share, clusters, alpha, one.runs)
            # A sum is its items' number times their mean.
            limits = _scaled(limits, 0.0, len(table)) if metric.ratio[1] is None else limits
        elif metric.cells:
            limits = _table_limits(table, metric, clusters, alpha, one.runs)
        else:
            variance, df = _jackknife_variance(table, metric, clusters)
            variance, df = _over_runs(variance, df, one.runs, alpha)
            limits = _student(float(metric.score(table.sum(axis=0))), math.sqrt(variance), df, alpha) if df else UNKNOWN
        found.append(within_scale(limits, metric))
    return found


def interval_method(systems: Sequence[OwnRows], metric: AdditiveMetric) -> str:
    """How `own_intervals` makes the intervals of these systems, in words.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> right, graded = (np.stack([x, np.ones(3)], axis=1) for x in ([1.0, 0.0, 1.0], [3.5, 2.0, 7.0]))
    >>> interval_method([OwnRows(right, right)], mean), interval_method([OwnRows(graded, graded)], mean)
    ("Wilson's score interval", "Student's t")
    """
    metric = metric.alone or metric
    if metric.ratio is None:
        return "delta method, one decision added to every cell" if metric.cells else "jackknife, Student's t"
    share = _shared_share(systems, metric)
    if share is None:
        return "Student's t"
    _, binary = share
    plain = binary and all(one.clusters is None and one.runs is None for one in systems)
    return "Wilson's score interval" if plain else "Wilson's score interval for the effective number of items"


def _shared_share(systems: Sequence[OwnRows], metric: AdditiveMetric) -> Share | None:
    """The range that no system's score can leave, as far as all of them show."""
    most = max(len(one.items) for one in systems)
    share = _share([one.rows for one in systems], metric, most)
    if share is not None and share[1] and any(len(one.items) < len(one.rows) for one in systems):
        averaged = _share([one.items for one in systems], metric, most)
        share = share[0], averaged == share
    return share


def score_variance(table: Array, metric: AdditiveMetric, clusters: Array | None = None) -> tuple[float, float]:
    """The squared standard error of a score over new items, and its degrees of freedom; (0, 0) where it cannot be had.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> [round(x, 6) for x in score_variance(np.array([[1.0, 1], [3.0, 1], [5.0, 1]]), mean)]
    [1.333333, 2.0]
    """
    if metric.ratio is None:
        return _jackknife_variance(table, metric, clusters)
    top, bottom = _parts(table, metric)
    tops, bottoms = _sum_clusters(top, clusters), _sum_clusters(bottom, clusters)
    if len(tops) < 2 or float(bottoms.sum()) <= 0 or (bottoms < 0).any():
        return 0.0, 0.0
    variance, df = _ratio_variance(tops, bottoms)
    return (variance * len(table) ** 2, df) if metric.ratio[1] is None else (variance, df)


def _over_runs(variance: float, df: float, runs: RunNoise | None, alpha: float) -> tuple[float, float]:
    """The variance over new items and new runs and its degrees of freedom, by the rule of `two_way` for a single system.

    As there, a claim about items and runs is never surer than one about items: whichever reaches further counts.
    """
    if runs is None or not df:
        return variance, df
    beyond = max(0.0, variance - runs.within)
    whole = beyond + max(runs.between, runs.within / 2)
    noise = beyond**2 / df + runs.between**2 / (runs.runs - 1)
    scales = (whole, whole**2 / noise if noise else math.inf), (variance, df)
    return max(scales, key=lambda scale: t_quantile(scale[1], alpha) * math.sqrt(scale[0]))


def _ratio_variance(tops: Array, bottoms: Array) -> tuple[float, float]:
    """CR2 of a ratio of sums over units."""
    score = float(tops.sum()) / float(bottoms.sum())
    residuals = tops - score * bottoms
    # What rounding leaves of units that do not vary is nothing.
    residuals[np.abs(residuals) <= 8 * np.spacing(np.abs(tops) + np.abs(score * bottoms))] = 0.0
    return cluster_variance(residuals, bottoms)


def _ratio_limits(
    top: Array, bottom: Array, share: Share | None, clusters: Array | None, alpha: float, runs: RunNoise | None
) -> Limits:
    tops, bottoms = _sum_clusters(top, clusters), _sum_clusters(bottom, clusters)
    whole = float(bottoms.sum())
    if len(tops) < 2 or whole <= 0 or (bottoms < 0).any():
        return UNKNOWN
    score = float(tops.sum()) / whole
    worth, binary = share or (None, False)
    if worth is not None and binary and clusters is None and runs is None:
        limits = wilson_limits(worth.share(score), len(tops), t_quantile(math.inf, alpha))
        return _scaled(limits, worth.wrong, worth.unit)
    variance, df = _over_runs(*_ratio_variance(tops, bottoms), runs, alpha)
    # Scores that never vary say nothing about their spread, unless they stand at an end, where none is left.
    inside = worth is not None and worth.wrong < score < worth.right
    if worth is None or (variance == 0.0 and inside and (bottom == 1).all()):
        return _student(score, math.sqrt(variance), df, alpha)
    part = worth.share(score)
    # How many independent looks a share with this variance is worth.
    spread, seen = part * (1 - part), variance / worth.unit**2
    looks = effective_clusters(bottoms) if seen == 0.0 or spread <= 0.0 else spread / seen
    if seen and spread > 0 and binary:
        looks = min(len(top), looks)
    return _scaled(wilson_limits(part, looks, t_quantile(max(df, 1.0), alpha)), worth.wrong, worth.unit)


def _scaled(limits: Limits, start: float, unit: float) -> Limits:
    low, high = limits
    return None if low is None else start + unit * low, None if high is None else start + unit * high


def within_scale(limits: Limits, metric: AdditiveMetric) -> Limits:
    """The limits, cut at the ends of the metric's range.

    Examples
    --------
    >>> within_scale((-36.03, 65.79), AdditiveMetric("points", ("points",), ratio=((1,), None), bounds=(0.0, 100.0)))
    (0.0, 65.79)
    """
    low, high = limits
    least, largest = metric.bounds
    if low is not None and least is not None:
        low = max(low, least)
    if high is not None and largest is not None:
        high = min(high, largest)
    return low, high


def _parts(table: Array, metric: AdditiveMetric) -> tuple[Array, Array]:
    """Every item's part above and below the line; below a sum stand ones."""
    top, bottom = metric.top(table).astype(float, copy=False), metric.bottom(table)
    return top, np.ones(len(top)) if bottom is None else bottom.astype(float, copy=False)


def _share(tables: Sequence[Array], metric: AdditiveMetric, items: int) -> Share | None:
    """The range that the score cannot leave, as far as the rows of all tables show; None where they show none.

    Counts over counts are a share when no item has more right than there is. One score per item is one when
    there are only two scores, or all lie between 0 and 1. Where the metric itself says that its scale is
    another, the rows are not asked.
    """
    u, v = metric.ratio or ((), None)
    if v is None or metric.graded:
        return None
    top, bottom = np.asarray(u, dtype=np.int64), np.asarray(v, dtype=np.int64)
    if not (top * bottom).any() and math.gcd(*top.tolist()) != math.gcd(*bottom.tolist()):
        # The two parts have no column in common, and a factor stands before one: points, and no share of 1.
        return None
    parts = [_parts(table, metric) for table in tables if len(table)]
    if not all((bottom == 1).all() for _, bottom in parts):
        within = all(((top >= 0) & (top <= bottom)).all() for top, bottom in parts)
        return (Worth(0.0, 1.0), False) if within else None
    least, largest = float(min(top.min() for top, _ in parts)), float(max(top.max() for top, _ in parts))
    two = all(((top == least) | (top == largest)).all() for top, _ in parts)
    worth = worth_of(least, largest, items) if two else None
    if worth is not None:
        return worth, True
    return (Worth(0.0, 1.0), False) if least >= 0 and largest <= 1 else None


def _table_limits(table: Array, metric: AdditiveMetric, clusters: Array | None, alpha: float, runs: RunNoise | None) -> Limits:
    """The delta method on a table with one decision added to every cell, stretched to hold the score itself.

    With p the cells' shares and g the derivatives of the score by them, V = (Σ p g² - (Σ p g)²)/n for n
    independent decisions; deff is what CR2 makes of the units' own residuals over that.
    """
    units = _sum_clusters(table, clusters)
    sizes = units.sum(axis=1)
    cells, n = units.sum(axis=0), float(sizes.sum())
    df = bell_mccaffrey_df(sizes)
    if not df:
        return UNKNOWN
    slope = _slope(cells + ADDED, metric)
    variance, _ = cluster_variance((units - sizes[:, None] * (cells / n)) @ slope, sizes)
    # Of single decisions CR2 is the unbiased variance, over n - 1.
    independent = _multinomial(cells / n, slope) / max(n - 1, 1.0)
    effective = min(n, n * independent / variance) if variance and independent else effective_clusters(sizes)
    padded = cells * (effective / n) + ADDED
    variance = _multinomial(padded / padded.sum(), _slope(padded, metric)) / float(padded.sum())
    variance, df = _over_runs(variance, df, runs, alpha)
    score, middle = float(metric.score(cells)), float(metric.score(padded))
    reach = t_quantile(df, alpha) * math.sqrt(variance)
    return min(middle - reach, score), max(middle + reach, score)


def _slope(cells: Array, metric: AdditiveMetric) -> Array:
    """Derivatives of the score by the cells' shares."""
    # Each cell is stepped by a share of itself, so that a rare one among many items is moved as little as the others.
    moved = STEP * np.diag(cells)
    return np.asarray((metric.score(cells + moved) - metric.score(cells - moved)) / (2 * STEP * cells / cells.sum()))


def _multinomial(shares: Array, slope: Array) -> float:
    """Variance of a sum of slopes over one decision."""
    return max(0.0, float(shares @ slope**2) - float(shares @ slope) ** 2)


def _jackknife_variance(table: Array, metric: AdditiveMetric, clusters: Array | None) -> tuple[float, float]:
    """Leave one unit out, score the rest: their spread, blown up, is the spread of the score."""
    units = _sum_clusters(table, clusters)
    g = len(units)
    if g < 2 or metric.steps:
        return 0.0, 0.0
    total = units.sum(axis=0)
    score, without = float(metric.score(total)), metric.score(total - units)
    error = math.sqrt((g - 1) / g * float(((without - without.mean()) ** 2).sum()))
    df = g - 1.0 if clusters is None else bell_mccaffrey_df(np.bincount(clusters))
    return error**2 if error > 1e-12 * abs(score) else 0.0, df


def _student(score: float, error: float, df: float, alpha: float) -> Limits:
    if error == 0.0 or not math.isfinite(error):
        return UNKNOWN
    reach = t_quantile(df, alpha) * error
    return score - reach, score + reach


def _sum_clusters(values: Array, clusters: Array | None) -> Array:
    """Sums over clusters along the first axis."""
    if clusters is None:
        return values
    if values.ndim == 1:
        return np.bincount(clusters, weights=values)
    return np.stack([np.bincount(clusters, weights=column) for column in values.T], axis=1)
