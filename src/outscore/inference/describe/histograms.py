"""Histograms and normal quantiles of item scores, thinned out once so that no report needs the items."""

from __future__ import annotations

import math

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, distinct, quantiles
from outscore.core.paired import PairedScores
from outscore.inference.base.influence import contributions
from outscore.inference.base.sign_flips import units_of
from outscore.inference.describe.effects import scores_if_any, spread
from outscore.laws.normal import normal_quantile
from outscore.results.analysis import Histogram

__all__ = ["MIN_WIDTH", "histograms", "normal_quantiles", "two_histograms"]

MIN_WIDTH = 1e-300
"""No axis of a chart can be shorter: distances on it would be lost to rounding."""
MAX_BINS = 60
MAX_VALUES = 25
"""Scores that take no more values than this, evenly spaced, get one bar each."""

MAX_QUANTILES = 200


def histograms(pairs: PairedScores, metric: AdditiveMetric) -> dict[str, Histogram]:
    """Counts of A, B (on the same edges) and A - B (with an edge at 0).

    A metric that is not a mean of item scores is computed on each unit alone, and a unit's difference is what it
    contributes to the whole (`contributions`); empty where it cannot be.

    Bins have the width of Freedman and Diaconis (1981), 2·IQR/∛n, and there are 60 at most.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([1, 0, 1, 1]), np.array([0, 0, 1, 0]))
    >>> histograms(PairedScores(a, b), metric)["difference"]
    Histogram(edges=[-0.5, 0.5, 1.5], counts=[2, 2])
    """
    described = _described(pairs, metric)
    if described is None:
        return {}
    a, b, d = described
    shared, own = _edges(np.concatenate([a, b]), len(d), at_zero=False), _edges(d, len(d), at_zero=True)
    if min(edges[-1] - edges[0] for edges in (shared, own)) < MIN_WIDTH:
        return {}
    parts = {"a": (a, shared), "b": (b, shared), "difference": (d, own)}
    return {name: Histogram(edges.tolist(), np.histogram(x, edges)[0].tolist()) for name, (x, edges) in parts.items()}


def two_histograms(a: Array, b: Array) -> dict[str, Histogram]:
    """Counts of two samples on the same edges.

    Examples
    --------
    >>> two_histograms(np.array([1.0, 0.0]), np.array([1.0]))["b"]
    Histogram(edges=[-0.5, 0.5, 1.5], counts=[0, 1])
    """
    edges = _edges(np.concatenate([a, b]), min(len(a), len(b)), at_zero=False)
    if edges[-1] - edges[0] < MIN_WIDTH:
        return {}
    return {name: Histogram(edges.tolist(), np.histogram(x, edges)[0].tolist()) for name, x in (("a", a), ("b", b))}


def _described(pairs: PairedScores, metric: AdditiveMetric) -> tuple[Array, Array, Array] | None:
    """The scores of A and B and their differences, item by item or unit by unit."""
    scores = scores_if_any(pairs, metric)
    if scores is not None:
        return scores.a, scores.b, scores.d
    units = units_of(pairs)
    found = contributions(units, metric)
    with np.errstate(all="ignore"):
        a, b = (np.asarray(metric.score(rows / units.scale), dtype=float) for rows in (units.a, units.b))
    if found is None or not np.isfinite(a).all() or not np.isfinite(b).all():
        return None
    return a, b, found


def normal_quantiles(pairs: PairedScores, metric: AdditiveMetric) -> list[tuple[float, float]]:
    """Standard normal quantiles beside the ordered differences A - B: the points of a QQ plot, 200 of them at most.

    The i-th smallest of n differences stands beside the quantile of (i - ½)/n (Hazen, 1914). Points left out
    lie evenly between others; the smallest and the largest difference always stay. Empty where nothing
    varies.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([3, 0, 1]), np.array([0, 0, 0]))
    >>> [(round(z, 3), d) for z, d in normal_quantiles(PairedScores(a, b), metric)]
    [(-0.967, 0.0), (0.0, 1.0), (0.967, 3.0)]
    """
    scores = scores_if_any(pairs, metric)
    if scores is not None:
        d = scores.d if spread(scores) else None
    else:
        d = contributions(units_of(pairs), metric)
    if d is None or float(np.ptp(d)) < MIN_WIDTH:
        return []
    n = len(d)
    kept = distinct(np.linspace(0, n - 1, min(n, MAX_QUANTILES)).round().astype(np.int64))
    z = [normal_quantile((i + 0.5) / n) for i in kept.tolist()]
    return list(zip(z, np.sort(d)[kept].tolist(), strict=True))


def _edges(x: Array, n: int, *, at_zero: bool) -> Array:
    low, high = float(x.min()), float(x.max())
    step = _common_step(x)
    if step is not None:
        return low + step * (np.arange(round((high - low) / step) + 2) - 0.5)
    q1, q3 = quantiles(x, (0.25, 0.75))
    # Where the middle half is one value the rule has no width, and Sturges' number of bins serves.
    width = 2 * (q3 - q1) / n ** (1 / 3) or (high - low) / (math.ceil(math.log2(n)) + 1)
    bins = max(math.ceil(min((high - low) / width, MAX_BINS - 1)), 1)
    edges: Array = np.linspace(low, high, bins + 1)
    if at_zero and low < 0 < high:
        width = (high - low) / bins
        edges = width * np.arange(math.floor(low / width), math.ceil(high / width) + 1)
        # Rounding must not leave an end outside.
        edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    # Numbers too close together to be told apart get one bar.
    return edges if (np.diff(edges) > 0).all() else _one_bar(low, high)


def _common_step(x: Array) -> float | None:
    """The spacing of scores that take few, evenly spaced values (a single value counts as spaced by its own size)."""
    values = distinct(x)
    if len(values) == 1:
        return abs(float(values[0])) or 1.0
    if len(values) > MAX_VALUES:
        return None
    step = float(np.diff(values).min())
    # Before a division that may overflow.
    if float(values[-1] - values[0]) > (MAX_VALUES + 0.5) * step:
        return None
    places = (values - values[0]) / step
    if (np.abs(places - np.rint(places)) > 1e-6).any():
        return None
    return float(values[-1] - values[0]) / round(float(places[-1]))


def _one_bar(low: float, high: float) -> Array:
    reach = max(abs(low), abs(high))
    return np.array([low - reach / 2, high + reach / 2])
