"""How sure one system's own score is: a confidence interval from the same items or clusters as the comparison.

It answers "what would this system score on other items of the same kind?", one system at a time. Two such
intervals may well overlap where the paired test is certain, because the items' difficulty is common to both
systems; compare systems by the interval of their difference.

For a ratio of sums, Σt/Σb over units g, the standard error is that of the linearised ratio (Cochran, 1977,
chapter 6),

    error² = G/(G - 1) · Σ_g (t_g - score·b_g)² / (Σ b)²

which for a mean is s²/n, or the clustered variance where units are clusters. A share, 0 ≤ t ≤ b everywhere in
both systems, gets Wilson's score interval for as many independent looks as its standard error is worth,
score·(1 - score)/error²: that stays between 0 and 1, and is the usual Wilson interval for right-or-wrong
items. Scores between 0 and 1 are such shares, and so are the item means of right-or-wrong repeats. Other
ratios get score ± t·error with G - 1 degrees of freedom, and so do functions of sums, with the jackknife's
standard error (Efron and Tibshirani, 1993, chapter 11).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.paired import PairedScores
from outscore.inference.base.discordance import wilson_limits

__all__ = ["Limits", "score_interval", "score_intervals"]

Limits = tuple[float | None, float | None]
UNKNOWN: Limits = (None, None)


@dataclass(frozen=True)
class Share:
    """A score that cannot leave 0 … `worth`; `binary` says that every item is wholly right or wholly wrong."""

    worth: float
    binary: bool


def score_intervals(pairs: PairedScores, metric: AdditiveMetric, alpha: float = 0.05) -> tuple[Limits, Limits]:
    """The interval of A's own score and of B's, repeats averaged first and clusters as in the comparison.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a, b = (np.stack([x, np.ones(4)], axis=1) for x in (np.array([0.5, 0.7, 0.8, 0.6]), np.array([0.4, 0.6, 0.6, 0.5])))
    >>> [tuple(round(x, 4) for x in limits) for limits in score_intervals(PairedScores(a, b), mean)]
    [(0.4364, 0.8167), (0.3771, 0.6686)]
    """
    items = pairs.per_item()
    # Both systems together say what scores can be, so that a system that is always wrong is treated like the
    # other.
    share = _share(np.concatenate([pairs.a, pairs.b]) / pairs.scale, metric)
    if share is not None and items.rows < pairs.rows:
        share = Share(share.worth, binary=False)
    first, second = (_limits(rows / items.scale, metric, share, items.clusters, alpha) for rows in (items.a, items.b))
    return first, second


def score_interval(
    rows: Array, metric: AdditiveMetric, *, scale: int = 1, clusters: Array | None = None, alpha: float = 0.05
) -> Limits:
    """Limits of level 1 - α for the score of one system; (None, None) where its units show no spread.

    Parameters
    ----------
    rows, scale
        One row per item in the metric's own columns, its true numbers being rows / scale.
    clusters
        A code per item; items of one cluster count as one unit.

    Examples
    --------
    >>> f1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))
    >>> low, high = score_interval(np.array([[3, 1], [4, 0], [2, 2], [5, 1]] * 10), f1)
    >>> round(low, 4), round(high, 4)
    (0.8378, 0.9046)
    """
    table = np.asarray(rows, dtype=float) / scale
    return _limits(table, metric, _share(table, metric), clusters, alpha)


def _limits(table: Array, metric: AdditiveMetric, share: Share | None, clusters: Array | None, alpha: float) -> Limits:
    if metric.ratio is None:
        return _jackknife_limits(_sum_clusters(table, clusters), metric, alpha)
    top, bottom = _parts(table, metric)
    # A sum is its items' number times their mean.
    times = float(len(top)) if metric.ratio[1] is None else 1.0
    tops, bottoms = _sum_clusters(top, clusters), _sum_clusters(bottom, clusters)
    whole = float(bottoms.sum())
    if len(tops) < 2 or whole <= 0:
        return UNKNOWN
    score = float(tops.sum()) / whole
    error = _ratio_error(tops, bottoms, score)
    # Scores that never vary say nothing about their spread, unless they stand at an end, where none is left.
    if share is None or (error == 0.0 and 0 < score < share.worth and (bottom == 1).all()):
        return _student(times * score, times * error, len(tops), alpha)
    alone = clusters is None and share.binary
    low, high = _wilson(score / share.worth, error / share.worth, int((bottoms > 0).sum()), alpha, normal=alone)
    return share.worth * low, share.worth * high


def _parts(table: Array, metric: AdditiveMetric) -> tuple[Array, Array]:
    """Every item's part above and below the line; below a sum stand ones."""
    assert metric.ratio is not None
    u, v = metric.ratio
    top = np.asarray(table @ np.asarray(u, dtype=float))
    return top, np.ones(len(top)) if v is None else np.asarray(table @ np.asarray(v, dtype=float))


def _ratio_error(tops: Array, bottoms: Array, score: float) -> float:
    """Standard error of Σt/Σb; what rounding leaves of units that do not vary is 0."""
    residuals = tops - score * bottoms
    residuals[np.abs(residuals) <= 8 * np.spacing(np.abs(tops) + np.abs(score * bottoms))] = 0.0
    return math.sqrt(len(tops) / (len(tops) - 1) * float(residuals @ residuals)) / float(bottoms.sum())


def _share(table: Array, metric: AdditiveMetric) -> Share | None:
    """The range that the score cannot leave, as far as these rows show; None where they show none.

    Counts over counts are a share when no item has more right than there is. One score per item is one when
    all lie between 0 and 1, or are 0 or 100. Where the metric itself says that its scale is another, the rows
    are not asked.
    """
    if metric.ratio is None or metric.ratio[1] is None or _in_points(metric):
        return None
    top, bottom = _parts(table, metric)
    if not (bottom == 1).all():
        return Share(1.0, binary=False) if ((top >= 0) & (top <= bottom)).all() else None
    unit = 100.0 if top.max() == 100.0 else 1.0
    binary = bool(((top == 0) | (top == unit)).all())
    return Share(unit, binary) if binary or (top.min() >= 0 and top.max() <= 1) else None


def _in_points(metric: AdditiveMetric) -> bool:
    """Whether the metric says that it is no share of 1: by its column, or by a factor before a numerator of its own columns."""
    assert metric.ratio is not None
    u, v = (np.asarray(w, dtype=np.int64) for w in metric.ratio)
    return metric.graded or (not (u * v).any() and math.gcd(*u.tolist()) != math.gcd(*v.tolist()))


def _wilson(share: float, error: float, units: int, alpha: float, *, normal: bool) -> tuple[float, float]:
    """Wilson's limits for the looks that the error is worth; as many as there are units where nothing varies."""
    import scipy.special

    quantile = -float(scipy.special.ndtri(alpha / 2) if normal else scipy.special.stdtrit(max(units - 1, 1), alpha / 2))
    spread = share * (1 - share)
    looks = units if normal or error == 0.0 or spread <= 0.0 else spread / error**2
    return wilson_limits(share, looks, quantile)


def _jackknife_limits(units: Array, metric: AdditiveMetric, alpha: float) -> Limits:
    """Leave one unit out, score the rest: their spread, blown up, is the spread of the score."""
    g = len(units)
    if g < 2:
        return UNKNOWN
    total = units.sum(axis=0)
    score, without = float(metric.score(total)), metric.score(total - units)
    error = math.sqrt((g - 1) / g * float(((without - without.mean()) ** 2).sum()))
    return _student(score, error if error > 1e-12 * abs(score) else 0.0, g, alpha)


def _student(score: float, error: float, units: int, alpha: float) -> Limits:
    import scipy.special

    if error == 0.0 or not math.isfinite(error):
        return UNKNOWN
    reach = -float(scipy.special.stdtrit(units - 1, alpha / 2)) * error
    return score - reach, score + reach


def _sum_clusters(values: Array, clusters: Array | None) -> Array:
    """Sums over clusters along the first axis."""
    if clusters is None:
        return values
    if values.ndim == 1:
        return np.bincount(clusters, weights=values)
    return np.stack([np.bincount(clusters, weights=column) for column in values.T], axis=1)
