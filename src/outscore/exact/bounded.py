"""Means of bounded numbers, one or the difference of two, tested without any assumption about their shape."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from outscore.core.numeric import LOG2, Array
from outscore.core.records import dataclass
from outscore.laws import normal_quantile

# A mean of bounded numbers tested without any assumption about their shape (Gaffke, 2005).
#
# For n numbers x that lie above -r, with E standard exponential and independent, the p-value of "the mean is at most -m" is
#
#     p = P( Σ E_i (x_i + m) + E_0 (m - r) ≤ 0 ):
#
# the Bayesian bootstrap of the sample with one more number, the worst there can be. For numbers of two values it is Clopper and
# Pearson's; for n numbers that are all 0 it is (1 - m/r)^n, the chance that a loss of r in a share m/r of the items has not
# shown. That it never rejects a true hypothesis too often is proved for two values and a conjecture in general; no law is known
# for which it does. Clusters enter by their sums and sizes, and the worst one is as large as the largest.
#
# With a the weights of the exponentials and n their numbers, K(s) = -Σ n log(1 - a s) is the cumulant generating function of
# the sum, and for 1/min a < c < 0
#
#     P(sum ≤ 0) = -1/(2πi) ∫ e^K(s) ds/s   along c + i·ℝ.
#
# The line is laid through the saddle of the integrand, where nothing cancels, so that p keeps its digits however small it is.
# With s = c + i·w·sinh u the trapezoid rule converges faster than any power of its step.


BLOCK = 4096
"""So many weights are summed at a time, which bounds the memory."""
NEGLIGIBLE = -40.0
"""Where the integrand has fallen by this power of e, the rest of the line adds nothing."""
HALVINGS, AGREEMENT = 8, 1e-12
STEPS, PRECISION = 100, 1e-10
MAX_LOG = 700.0


def log_p_of_mean(x: Array, margin: float, worst: float, sizes: Array | None = None, *, times: float = 1.0) -> float:
    """log p of "the mean is at most -margin" for numbers of at least -worst.

    Parameters
    ----------
    x
        The numbers; sums of clusters with `sizes`.
    margin
        Below `worst`; negative for a mean that should exceed a number.
    worst
        The largest loss that one item can have.
    sizes
        How many items each cluster has.
    times
        How often each number counts: what as many times the data would say, if they were like these.

    Examples
    --------
    >>> round(math.exp(log_p_of_mean(np.zeros(149), 0.02, 1.0)), 6), round(0.98**149, 6)
    (0.049282, 0.049282)
    """
    if margin >= worst:
        raise ValueError("a margin as large as the worst loss excludes nothing")
    shift = margin if sizes is None else margin * sizes
    largest = 1.0 if sizes is None else float(sizes.max())
    seen, counts = np.unique(x + shift, return_counts=True)
    kept = seen != 0
    weights = np.append((margin - worst) * largest, seen[kept])
    counts = np.append(1.0, times * counts[kept])
    order = np.argsort(weights, kind="stable")
    weights, counts = weights[order] / np.abs(weights).max(), counts[order]
    # Nothing that was seen speaks for a mean above -margin.
    return 0.0 if weights[-1] < 0 else min(0.0, _log_tail(weights, counts))


def _log_tail(weights: Array, counts: Array) -> float:
    """log P(Σ a·Gamma(n) ≤ 0) for distinct ascending weights of both signs."""
    centre = _saddle(weights, counts)
    height = -float((counts * np.log1p(-weights * centre)).sum()) - math.log(-centre)
    # 1 - a (c + iy) = (1 - ac)(1 - ity): on the line each factor has the slope t, and so has 1/s.
    slopes = np.append(weights / (1 - weights * centre), -1 / centre)
    powers = np.append(counts, 1.0)
    width = 1 / math.sqrt(float((powers * slopes**2).sum()))

    def heights(u: Array) -> Array:
        """The integrand at the saddle's distance sinh u, relative to its value there."""
        log_size, angle = np.log(np.cosh(u)), np.zeros(len(u))
        for i in range(0, len(slopes), BLOCK):
            turned = slopes[i : i + BLOCK, None] * (width * np.sinh(u))
            part = powers[i : i + BLOCK, None]
            log_size -= (part * np.log1p(turned * turned)).sum(axis=0) / 2
            angle += (part * np.arctan(turned)).sum(axis=0)
        return np.asarray(np.where(log_size > NEGLIGIBLE, np.exp(log_size) * np.cos(angle), 0.0))

    end = 1.0
    while heights(np.array([end])).any():
        end += 0.5
    step = 0.25
    value = step * (float(heights(np.arange(step, end, step)).sum()) + 0.5)
    for _ in range(HALVINGS):
        step, before = step / 2, value
        value = value / 2 + step * float(heights(np.arange(step, end, 2 * step)).sum())
        if abs(value - before) < AGREEMENT * abs(value):
            break
    return height + math.log(value * width / math.pi)


def _saddle(weights: Array, counts: Array) -> float:
    """The only minimum of K(s) - log(-s) between the pole 1/min a and 0, by bisection in log s."""
    low, high = -MAX_LOG, 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        s = math.exp(middle) / weights[0]
        rising = float((counts * weights / (1 - weights * s)).sum()) - 1 / s > 0
        low, high = (middle, high) if rising else (low, middle)
    return math.exp(low) / float(weights[0])


def lower_limit_of_mean(x: Array, alpha: float, worst: float, sizes: Array | None = None) -> float:
    """The mean below which `log_p_of_mean` rejects at level alpha: it inverts that test, whose p falls as the margin grows.

    Examples
    --------
    >>> round(lower_limit_of_mean(np.zeros(149), 0.05, 1.0), 6), round(0.05 ** (1 / 149) - 1, 6)
    (-0.019905, -0.019905)
    """
    means = x if sizes is None else x / sizes
    below, above = -worst, float(means.max())
    if above <= below:
        return below
    goal = normal_quantile(alpha)
    # In normal deviates p is nearly straight in the mean: a secant from where a normal mean would have its limit takes a few
    # steps.
    limit = float(means.mean()) + goal * (float(means.std()) + worst / len(x)) / math.sqrt(len(x))
    last, last_gap = below, -math.inf
    for _ in range(STEPS):
        if not below < limit < above:
            limit = (below + above) / 2
        gap = _deviate(log_p_of_mean(x, -limit, worst, sizes)) - goal
        below, above = (limit, above) if gap <= 0 else (below, limit)
        if abs(gap) < PRECISION or above - below < PRECISION * worst:
            break
        slope = (gap - last_gap) / (limit - last)
        last, last_gap, limit = limit, gap, limit - gap / slope if math.isfinite(slope) else (below + above) / 2
    return limit


def _deviate(log_p: float) -> float:
    """The normal deviate with this much below it, or about that where a float cannot hold so little or so much."""
    if log_p < -MAX_LOG:
        return -math.sqrt(-2 * log_p)
    return normal_quantile(min(math.exp(log_p), 1 - 2.0**-53))


# A difference between the means of two independent samples of bounded numbers, without any assumption about their shape.
#
# By the test of one bounded mean (`log_p_of_mean`), "the mean is at most t" has a p-value F(t) that grows with t from 0 to
# 1: it is the distribution function of L, the Bayesian bootstrap of the sample with one more number, the worst there can be.
# With L_A that of the first sample and L_B that of the second one's negatives, independent of each other, the p-value of "the
# first mean is below the second by m or more" is
#
#     p = P( L_A + L_B ≤ -m ):
#
# two one-sided confidence procedures melded (Fay, Proschan and Brittain, 2015). For numbers of two values it is made of Clopper
# and Pearson's limits and agrees with Fisher's exact test at m = 0; for n and n' numbers that are all equal to the largest it
# is (1 - m/r)^n. No law is known for which melding limits that hold rejects too often.
#
# F is tabulated in normal deviates, where it is nearly straight, and p is a sum over the narrower of the two.


NODES, CELLS, BINS = 64, 4_000, 500
FURTHEST, NEAREST = -12.0, 5.0
"""Deviates between which F is tabulated; beyond, it counts as the end of the table below, and as 1 above."""
DIFFERENCE_HALVINGS, DIFFERENCE_PRECISION, LEAST = 16, 1e-9, 1e-300


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
    for _ in range(DIFFERENCE_HALVINGS):
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
    while above - below > DIFFERENCE_PRECISION * scale:
        middle = (below + above) / 2
        below, above = (middle, above) if log_p_of_difference(a, b, -middle) <= goal else (below, middle)
    return below
