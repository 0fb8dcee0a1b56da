r"""A mean of bounded numbers tested without any assumption about their shape (Gaffke, 2005).

For n numbers x that lie above -r, with E standard exponential and independent, the p-value of "the mean is at most -m" is

    p = P( Σ E_i (x_i + m) + E_0 (m - r) ≤ 0 ):

the Bayesian bootstrap of the sample with one more number, the worst there can be. For numbers of two values it is Clopper and
Pearson's; for n numbers that are all 0 it is (1 - m/r)^n, the chance that a loss of r in a share m/r of the items has not
shown. That it never rejects a true hypothesis too often is proved for two values and a conjecture in general; no law is known
for which it does. Clusters enter by their sums and sizes, and the worst one is as large as the largest.

With a the weights of the exponentials and n their numbers, K(s) = -Σ n log(1 - a s) is the cumulant generating function of
the sum, and for 1/min a < c < 0

    P(sum ≤ 0) = -1/(2πi) ∫ e^K(s) ds/s   along c + i·ℝ.

The line is laid through the saddle of the integrand, where nothing cancels, so that p keeps its digits however small it is.
With s = c + i·w·sinh u the trapezoid rule converges faster than any power of its step.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import Array
from outscore.laws.normal import normal_quantile

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
