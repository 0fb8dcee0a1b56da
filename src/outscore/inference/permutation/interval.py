"""Confidence intervals by inverting the permutation test of a linear metric.

The interval holds every δ that the two-sided test of "the units' differences are symmetric about δ" does not
reject. For units with difference d_g and weight w_g (their denominators),

    p_greater(δ) = 2^-G · #{subsets F : Σ_F d ≤ δ Σ_F w}

which never decreases in δ, so the limits are subset means. Few units: all of them are listed. Many: a secant
on the saddlepoint approximation, started at the t limits, finds the neighbourhood, then both sides of the
limit are certified by bounds and the outer one is reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, exact_sum, tiny_power
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.exact import bracket, enumeration, numbers
from outscore.exact.saddlepoint import approximate_probit
from outscore.inference.base.sign_flips import flips_of, units_of
from outscore.laws import normal_quantile
from outscore.results.pvalue import Interval, PValue

MAX_LISTED = 20
MAX_HALVED = 28
TOLERANCE = 1.25e-3
"""How far, in standard errors, either end of a certified limit lies from it at the best."""
MAX_DEGREE = 20_000
"""Bounds that would need more lie beside a tie of many subsets: a step further is cheaper."""


def inversion_interval(
    pairs: PairedScores, metric: AdditiveMetric, alpha: float, p: PValue, alternative: str = "two-sided"
) -> Interval | None:
    """The interval dual to the permutation test; None for a metric that is not linear, or undefined, in these data."""
    units = units_of(pairs)
    flips = flips_of(units, metric)
    if flips.line is None:
        return None
    bottom = units.a @ np.asarray(metric.ratio[1]) if metric.ratio and metric.ratio[1] is not None else None
    # Numerators and denominators keep their common scale: sums of whole numbers are exact, and a subset mean
    # of 0 is 0.
    d = flips.line.astype(float)
    w = np.full(len(d), units.scale / len(d)) if bottom is None else bottom.astype(float)
    used = (w > 0) | (d != 0)
    d, w = d[used], w[used]
    if not len(d):
        return None
    side = alpha / 2 if alternative == "two-sided" else alpha
    towards_high = (alternative == "greater") == (flips.orientation > 0)
    low = lower_limit(d, w, side) if alternative == "two-sided" or towards_high else None
    high = lower_limit(-d, w, side) if alternative == "two-sided" or not towards_high else None
    low_ends, high_ends = low, None if high is None else Limit(0.0 - high.outer, 0.0 - high.inner)
    return Interval(
        low=_outer(low_ends, -1, zero_rejected=p.upper <= alpha),
        high=_outer(high_ends, 1, zero_rejected=p.upper <= alpha),
        level=1 - alpha,
        method="permutation inversion" + (", certified" if len(d) > MAX_LISTED else ", exact"),
        dual=True,
    )


@dataclass(frozen=True)
class Limit:
    """A confidence limit, known to lie between a rejected and an accepted δ."""

    outer: float
    inner: float


def _outer(limit: Limit | None, side: int, *, zero_rejected: bool) -> float | None:
    """The outer end, except that 0 lies on the side of the limit where the test at 0 puts it."""
    if limit is None or not math.isfinite(limit.outer):
        return None
    if min(limit.outer, limit.inner) < 0 < max(limit.outer, limit.inner):
        return math.copysign(math.ulp(0.0), -side) if zero_rejected else 0.0
    return limit.outer


def lower_limit(d: Array, w: Array, alpha: float) -> Limit | None:
    """Smallest δ with p_greater(δ) > α; None when no δ is rejected (too few units).

    Examples
    --------
    >>> lower_limit(np.arange(1.0, 8.0), np.ones(7), 0.05)
    Limit(outer=2.3333333333333335, inner=2.3333333333333335)
    """
    if len(d) == 0 or math.ldexp(alpha, min(len(d), 1000)) < 1:
        return None
    if len(d) <= MAX_LISTED:
        limit = _limit_from_subsets(d, w, alpha)
        return Limit(limit, limit)
    power = tiny_power(d)
    limit_of_scaled = _certified_limit(np.ldexp(d, -power), w, alpha)
    return Limit(math.ldexp(limit_of_scaled.outer, power), math.ldexp(limit_of_scaled.inner, power))


def _limit_from_subsets(d: Array, w: Array, alpha: float) -> float:
    """The k-th smallest mean over the non-empty subsets, k the first with (1 + k)/2^G > α."""
    over, under = ((enumeration.all_sums(x[:, None])[:, 0] + x.sum()) / 2 for x in (d, w))
    # The empty subset comes last: every sign is minus. Subsets without weight give ±inf: Σ d ≤ δ·0 holds for
    # every δ or none.
    with np.errstate(divide="ignore", invalid="ignore"):
        means = over[:-1] / under[:-1]
    means[np.isnan(means)] = -np.inf
    k = math.floor(math.ldexp(alpha, len(d)))
    return float(np.partition(means, k - 1)[k - 1])


def _certified_limit(d: Array, w: Array, alpha: float) -> Limit:
    weight = exact_sum(w)
    mean = exact_sum(d) / weight
    spread = math.sqrt(exact_sum((d - w * mean) ** 2) * len(d) / (len(d) - 1)) / weight
    if spread == 0.0:
        return Limit(mean, mean)
    target = normal_quantile(alpha)
    here = _approximate_limit(d, w, target, mean + target * spread, spread)
    log_alpha = math.log(alpha)

    def rejects(delta: float) -> tuple[bool, float]:
        log = _p_greater(d, w, delta).upper
        return log <= log_alpha, _probit(log) - target

    def accepts(delta: float) -> tuple[bool, float]:
        log = _p_greater(d, w, delta).lower
        return log > log_alpha, target - _probit(log)

    outer, inner = _walk(here, -spread, rejects), _walk(here, spread, accepts)
    return _halve(d, w, log_alpha, outer, inner, TOLERANCE * spread) if len(d) <= MAX_HALVED else Limit(outer, inner)


def _probit(log_p: float) -> float:
    """Φ⁻¹(p), cut off where nothing is known of p."""
    return normal_quantile(min(max(math.exp(log_p), 1e-9), 1 - 1e-9))


def _halve(d: Array, w: Array, log_alpha: float, outer: float, inner: float, tolerance: float) -> Limit:
    """Close in by bisection, where every p is exact and so decides."""
    while inner - outer > tolerance:
        middle = (outer + inner) / 2
        log_bounds = _p_greater(d, w, middle)
        if log_bounds.upper <= log_alpha:
            outer = middle
        elif log_bounds.lower > log_alpha:
            inner = middle
        else:
            break
    return Limit(outer, inner)


def _approximate_limit(d: Array, w: Array, target: float, start: float, spread: float) -> float:
    """Secant on the probit scale, where p is nearly linear in δ, with the saddlepoint approximation for p."""

    def miss(delta: float) -> float:
        shifted = d - w * delta
        return approximate_probit(shifted, exact_sum(shifted)) - target

    before, miss_before = start, miss(start)
    here = before - miss_before * spread
    for _ in range(12):
        miss_here = miss(here)
        if abs(miss_here) < TOLERANCE / 10 or miss_here == miss_before:
            break
        step = miss_here * (here - before) / (miss_here - miss_before)
        before, miss_before, here = here, miss_here, here - math.copysign(min(abs(step), spread), step)
    return here


def _walk(start: float, unit: float, certified: Callable[[float], tuple[bool, float]]) -> float:
    """Step away in growing strides until the condition is certified; `certified` also tells how far off it is.

    On the probit scale a step of one standard error, the `unit`, is a step of about one.
    """
    stride, at = TOLERANCE, start + TOLERANCE * unit
    while not (outcome := certified(at))[0]:
        stride = max(1.6 * stride, min(outcome[1], 1.0))
        at += stride * unit
    return at


def _p_greater(d: Array, w: Array, delta: float) -> bracket.Bounds:
    """Bounds for the one-sided p of differences shifted by δ."""
    shifted = d - w * delta
    total = exact_sum(shifted)
    doubt = 2 * float(np.spacing(np.abs(d) + np.abs(w * delta)).sum())
    if len(d) <= MAX_HALVED:
        return _count_bounds(shifted, doubt)
    if total >= 0:
        return bracket.bounds(shifted, total, doubt=doubt, most=MAX_DEGREE)
    beyond = bracket.bounds(shifted, -total, doubt=doubt, ties=False, most=MAX_DEGREE)
    return bracket.Bounds(_log1m(beyond.upper), _log1m(beyond.lower))


def _count_bounds(shifted: Array, doubt: float) -> bracket.Bounds:
    whole, shift = numbers.fixed_point(shifted, 52)
    slack = len(whole) + math.ceil(math.ldexp(doubt, shift))
    total = int(whole.sum())
    most, least = enumeration.meet_in_the_middle(np.abs(whole), total - slack, total + slack)
    scale = len(whole) * math.log(2)
    return bracket.Bounds(math.log(max(least, 1)) - scale, math.log(most) - scale)


def _log1m(log: float) -> float:
    return math.log1p(-math.exp(log)) if log < 0 else -math.inf
