r"""A difference between the means of two independent samples of bounded numbers, without any assumption about their shape.

By the test of one bounded mean (`exact.bounded_mean`), "the mean is at most t" has a p-value F(t) that grows with t from 0 to
1: it is the distribution function of L, the Bayesian bootstrap of the sample with one more number, the worst there can be. With
L_A that of the first sample and L_B that of the second one's negatives, independent of each other, the p-value of "the first
mean is below the second by m or more" is

    p = P( L_A + L_B ≤ -m ):

two one-sided confidence procedures melded (Fay, Proschan and Brittain, 2015). For numbers of two values it is made of Clopper
and Pearson's limits and agrees with Fisher's exact test at m = 0; for n and n' numbers that are all equal to the largest it is
(1 - m/r)^n. No law is known for which melding limits that hold rejects too often.

F is tabulated in normal deviates, where it is nearly straight, and p is a sum over the narrower of the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from outscore.core.numeric import LOG2, Array
from outscore.core.records import dataclass
from outscore.exact.bounded_mean import log_p_of_mean
from outscore.laws.normal import normal_quantile

NODES, CELLS, BINS = 64, 4_000, 500
FURTHEST, NEAREST = -12.0, 5.0
"""Deviates between which F is tabulated; beyond, it counts as the end of the table below, and as 1 above."""
HALVINGS, PRECISION, LEAST = 16, 1e-9, 1e-300


@dataclass(frozen=True, eq=False)
class Sample:
    """Numbers of at least `low` and at most `high`; `clusters` are codes 0, 1, … of those that belong together."""

    x: Array
    low: float
    high: float
    clusters: Array | None = None

    @property
    def negative(self) -> Sample:
        """The same numbers with their signs changed."""
        return Sample(-self.x, -self.high, -self.low, self.clusters)


@dataclass(frozen=True, eq=False)
class LowerMean:
    """The distribution function F of L: points, and their normal deviates."""

    points: Array
    deviates: Array

    @property
    def width(self) -> float:
        """How far the points reach."""
        return float(self.points[-1] - self.points[0])

    def below(self, t: Array) -> Array:
        """F at the points `t`: by cubics between four points, which stay between the two that are next."""
        points, z = self.points, self.deviates
        if len(points) == 1:
            return np.asarray((t >= points[0]).astype(float))
        place = np.clip(np.searchsorted(points, t, side="right") - 1, 0, len(points) - 2)
        near = np.clip(place - 1, 0, len(points) - 4)[:, None] + np.arange(4)
        found = np.zeros(len(t))
        for k in range(4):
            others = [i for i in range(4) if i != k]
            apart = points[near[:, k], None] - points[near[:, others]]
            found += z[near[:, k]] * ((t[:, None] - points[near[:, others]]) / apart).prod(axis=1)
        inside = _normal(np.clip(found, z[place], z[place + 1]))
        return np.asarray(np.where(t > points[-1], 1.0, inside))


def lower_mean(sample: Sample) -> LowerMean:
    """F of a sample.

    Examples
    --------
    >>> ones = lower_mean(Sample(np.ones(149), 0.0, 1.0))
    >>> round(float(ones.below(np.array([0.98]))[0]), 4), round(0.98**149, 4)
    (0.0493, 0.0493)
    """
    worst = sample.high - sample.low
    x, sizes = _summed(sample)
    top = float(sample.x.max())
    if top <= sample.low:
        return LowerMean(np.array([sample.low]), np.array([0.0]))

    def deviate(t: float) -> float:
        log_p = log_p_of_mean(x, sample.high - t, worst, sizes)
        found = -normal_quantile(-math.expm1(log_p)) if log_p > -LOG2 else normal_quantile(max(math.exp(log_p), LEAST))
        return min(max(found, FURTHEST), NEAREST)

    first, last = (_where(deviate, goal, sample.low, top) for goal in (FURTHEST, NEAREST))
    points = np.linspace(first, last, NODES // 4)
    for nodes in (NODES // 2, NODES):
        # Evenly spaced in deviates, as far as those so far tell.
        deviates = np.maximum.accumulate([deviate(float(t)) for t in points])
        points = np.unique(np.interp(np.linspace(deviates[0], deviates[-1], nodes), deviates, points))
    return LowerMean(points, np.maximum.accumulate([deviate(float(t)) for t in points]))


def _summed(sample: Sample) -> tuple[Array, Array | None]:
    """The numbers minus the largest there can be, many different ones as the means of bins; sums and sizes of clusters."""
    x = sample.x.astype(float) - sample.high
    if sample.clusters is not None:
        return np.bincount(sample.clusters, weights=x), np.bincount(sample.clusters).astype(float)
    if len(np.unique(x)) <= BINS:
        return x, None
    bins = np.minimum(-x / (sample.high - sample.low) * BINS, BINS - 1).astype(np.int64)
    means = np.bincount(bins, weights=x) / np.maximum(np.bincount(bins), 1)
    return means[bins], None


def _where(deviate: Callable[[float], float], goal: float, low: float, top: float) -> float:
    """About where the deviate is `goal`, by halving."""
    below, above = low, top
    for _ in range(HALVINGS):
        middle = (below + above) / 2
        below, above = (middle, above) if deviate(middle) < goal else (below, middle)
    return above


def _normal(z: Array) -> Array:
    from scipy.special import ndtr

    return np.asarray(ndtr(z))


def log_p_of_difference(a: LowerMean, b: LowerMean, margin: float) -> float:
    """log p of "the mean of A is below that of B by the margin or more"; `b` is of B's negatives.

    Examples
    --------
    >>> ones, low = (lower_mean(x) for x in (Sample(np.ones(100), 0.0, 1.0), Sample(np.ones(80), 0.0, 1.0).negative))
    >>> round(math.exp(log_p_of_difference(ones, low, 0.02)), 4), round(0.98**100, 4)
    (0.1326, 0.1326)
    """
    wide, narrow = (a, b) if a.width >= b.width else (b, a)
    if len(narrow.points) == 1:
        p = float(wide.below(-margin - narrow.points)[0])
    else:
        y = np.linspace(narrow.points[0], narrow.points[-1], CELLS + 1)
        mass, other = narrow.below(y), wide.below(-margin - y)
        p = float(mass[0] + (np.diff(mass) * (other[1:] + other[:-1])).sum() / 2 + (1 - mass[-1]) * other[-1])
    return math.log(min(1.0, max(p, 1e-300)))


def difference_limit(a: LowerMean, b: LowerMean, alpha: float) -> float:
    """The difference A - B below which `log_p_of_difference` rejects at level alpha."""
    below = float(a.points[0] + b.points[0])
    above = float(a.points[-1] + b.points[-1])
    goal, scale = math.log(alpha), above - below
    while above - below > PRECISION * scale:
        middle = (below + above) / 2
        below, above = (middle, above) if log_p_of_difference(a, b, -middle) <= goal else (below, middle)
    return below
