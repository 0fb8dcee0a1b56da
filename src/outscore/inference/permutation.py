"""The paired permutation test, the interval that inverts it, and its short form for gains of -1, 0 and 1."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, exact_sum, tiny_power
from outscore.core.options import Option, check_count
from outscore.core.rows import PairedScores
from outscore.exact import bracket, enumeration, numbers
from outscore.exact.flipsum import BudgetError
from outscore.exact.saddlepoint import approximate_probit
from outscore.inference.base import question
from outscore.inference.base.differences import (
    MIN_LARGE_SAMPLE,
    Flips,
    ItemScores,
    flips_of,
    lattice_half_step,
    mean_like,
    rows_of,
    scores_if_any,
    screen_flips,
    skew_warning,
    units_of,
)
from outscore.inference.base.discordance import discordance, tango_interval, tango_test
from outscore.inference.base.entry import Claim, Suitability, TestEntry
from outscore.inference.base.question import TestRequest, as_extreme, interval_for
from outscore.inference.bootstrap import MIN_UNITS, resampled_interval
from outscore.inference.classical.student import make_agree, mean_of, t_interval
from outscore.inference.permutation_tails import certified_p, convolution_p, linear_p, nonlinear_p, whole_flips
from outscore.laws import log_rest, normal_quantile
from outscore.resampling import count_hits
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue

# Confidence intervals by inverting the permutation test of a linear metric.
#
# The interval holds every δ that the two-sided test of "the units' differences are symmetric about δ" does not reject. For
# units with difference d_g and weight w_g (their denominators),
#
#     p_greater(δ) = 2^-G · #{subsets F : Σ_F d ≤ δ Σ_F w}
#
# which never decreases in δ, so the limits are subset means. Few units: all of them are listed. Many: a secant on the
# saddlepoint approximation, started at the t limits, finds the neighbourhood, then both sides of the limit are certified by
# bounds and the outer one is reported.


MAX_LISTED = 20
MAX_HALVED = 28
TOLERANCE = 1.25e-3
"""How far, in standard errors, either end of a certified limit lies from it at the best."""
MAX_DEGREE = 20_000
"""Bounds that would need more lie beside a tie of many subsets: a step further is cheaper."""


def inversion_interval(pairs: PairedScores, metric: AdditiveMetric, request: TestRequest, p: PValue) -> Interval | None:
    """The interval dual to the permutation test; None for a metric that is not linear, or undefined, in these data."""
    units = units_of(pairs)
    flips = flips_of(units, metric)
    if flips.line is None:
        return None
    bottom = metric.bottom(units.a)
    # Numerators and denominators keep their common scale: sums of whole numbers are exact, and a subset mean
    # of 0 is 0.
    d = flips.line.astype(float)
    w = np.full(len(d), units.scale / len(d)) if bottom is None else bottom.astype(float)
    used = (w > 0) | (d != 0)
    d, w = d[used], w[used]
    if not len(d):
        return None
    least, largest = metric.bounds
    # Shifted differences of means may leave the range that scores have.
    most = math.inf if least is None or largest is None else largest - least
    ends: list[float | None] = []
    for sign in (1, -1):
        limit = lower_limit(sign * d, w, request.side) if sign * request.direction(flips.orientation) >= 0 else None
        ends.append(None if limit is None else _end(limit, sign, most, zero_rejected=p.upper <= request.alpha))
    how = ", certified" if len(d) > MAX_LISTED else ", exact"
    return interval_for((ends[0], ends[1]), request, flips.orientation, method="permutation inversion" + how, dual=True)


Limit = tuple[float, float]
"""A rejected and an accepted δ, between which a confidence limit lies."""


def _end(limit: Limit, sign: int, most: float, *, zero_rejected: bool) -> float | None:
    """The rejected end, except that 0 lies on the side of the limit where the test at 0 puts it; -1 for an upper limit."""
    outer, inner = limit
    if not math.isfinite(outer):
        return None
    if min(outer, inner) < 0 < max(outer, inner):
        return math.copysign(math.ulp(0.0), sign) if zero_rejected else 0.0
    end = max(outer, -most)
    return end if sign > 0 else 0.0 - end


def lower_limit(d: Array, w: Array, alpha: float) -> Limit | None:
    """Smallest δ with p_greater(δ) > α; None when no δ is rejected (too few units).

    Examples
    --------
    >>> lower_limit(np.arange(1.0, 8.0), np.ones(7), 0.05)
    (2.3333333333333335, 2.3333333333333335)
    """
    if len(d) == 0 or math.ldexp(alpha, min(len(d), 1000)) < 1:
        return None
    if len(d) <= MAX_LISTED:
        limit = _limit_from_subsets(d, w, alpha)
        return limit, limit
    power = tiny_power(d)
    outer, inner = _certified_limit(np.ldexp(d, -power), w, alpha)
    return math.ldexp(outer, power), math.ldexp(inner, power)


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
        return mean, mean
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
    return _halve(d, w, log_alpha, outer, inner, TOLERANCE * spread) if len(d) <= MAX_HALVED else (outer, inner)


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
    return outer, inner


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
    return bracket.Bounds(log_rest(beyond.upper), log_rest(beyond.lower))


def _count_bounds(shifted: Array, doubt: float) -> bracket.Bounds:
    whole, shift = numbers.fixed_point(shifted, 52)
    slack = len(whole) + math.ceil(math.ldexp(doubt, shift))
    total = int(whole.sum())
    most, least = enumeration.meet_in_the_middle(np.abs(whole), total - slack, total + slack)
    scale = len(whole) * math.log(2)
    return bracket.Bounds(math.log(max(least, 1)) - scale, math.log(most) - scale)


# The paired permutation test.
#
# H0: for every unit the two systems are exchangeable; swapping their outputs changes nothing in law. The p-value is the
# share of the 2^n swaps whose difference in scores is at least as extreme as the observed one, ties included. It is
# computed by the first of these that serves the data, and the result names it:
#
# ====================================================  ==============================================
# no unit differs                                       identity: p = 1
# one size of difference                                binomial
# integers, decimals, multiples of 1/q; linear metric   lattice; meet in the middle up to 44 units
# real numbers; linear metric                           meet in the middle, then bracket
# ratio of two sums                                     plane, or lattice when the flips lie on a line
# binary classification with shared gold                two binomials
# any other function of sums of rank 2                  plane
# rank 3 and more                                       enumeration up to 2^20 different sums
# everything else                                       sign flips (Monte Carlo)
# ====================================================  ==============================================


METHODS = ("auto", "exact", "spectral", "certified", "dp", "fft", "monte-carlo")
FINE, COARSE = 30.0, 1_000.0
"""Steps of the grid in one spread of the units' differences; whole numbers up to so many steps need no other grid."""


def permutation(pairs: PairedScores, metric: AdditiveMetric, request: TestRequest, *, known: Flips | None = None) -> PValue:
    """p-value of the paired permutation test on rows in the metric's own columns.

    With δ ≠ 0 the units' differences are taken as symmetric about δ. That cannot hold for binary items, where
    sign flips would reject a true hypothesis far too often; they get Tango's score test instead, an
    asymptotic one. `known` are the flips, where the caller has them.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a = np.stack([[1, 1, 1, 1, 0, 1, 1, 1], np.ones(8, int)], axis=1)
    >>> b = np.stack([[0, 0, 1, 0, 0, 0, 0, 0], np.ones(8, int)], axis=1)
    >>> p = permutation(PairedScores(a, b), mean, TestRequest())
    >>> p.value, p.kernel, p.statistic  # six items won and none lost: 2 / 2^6
    (0.03125, 'binomial', 0.75)
    """
    units = units_of(pairs)
    total_a, total_b = units.totals()
    difference = float(metric.score(total_a) - metric.score(total_b))
    if not math.isfinite(difference):
        raise OutscoreError(
            f"{metric.name} is not a number for these totals.",
            "Let its function return one, by convention 0 where it is undefined.",
        )
    flips = known or flips_of(units, metric, request.delta)
    pair = discordance(pairs, metric) if request.delta else None
    p = tango_test(pair, request) if pair is not None else _solve(flips, request)
    return replace(p, statistic=difference, n=units.rows)


def _solve(flips: Flips, request: TestRequest) -> PValue:
    method = request.method
    if method == "monte-carlo":
        return monte_carlo(flips, request)
    if method in ("dp", "fft"):
        return convolution_p(flips, request)
    if method == "certified":
        return certified_p(flips, request)
    try:
        return nonlinear_p(flips, request) if flips.line is None else linear_p(flips, request)
    except BudgetError:
        if method == "auto":
            return monte_carlo(flips, request) if flips.line is None else certified_p(flips, request)
        raise OutscoreError(
            f"No exact method applies to {flips.name} on these {len(flips.vectors)} units.",
            "Use the method auto, which falls back on certified bounds or Monte Carlo and says so.",
        ) from None


def monte_carlo(flips: Flips, request: TestRequest) -> PValue:
    """p = (hits + 1)/(K + 1), ties counted as hits, with 99% bounds for the exact value."""
    vectors, statistic, slack = whole_flips(flips)
    # Rows that do not move stay: a row's coin depends on its place alone, so all metrics of one data set
    # share their swaps.
    if not vectors.any():
        return question.identical_p()
    observed = float(statistic(vectors.sum(axis=0)[None])[0])
    direction = request.direction(flips.orientation)

    def reached(sums: Array) -> Array:
        return as_extreme(statistic(sums), observed, slack, direction)

    hits = count_hits(vectors, reached, resamples=request.resamples, seed=request.seed)
    return question.sampled_p(hits, request.resamples, "sign-flips")


def _interval(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest, p: PValue) -> Interval | None:
    """The interval of the same design as p: Tango for right-or-wrong items, inversion for other linear metrics."""
    at_zero = permutation(pairs, metric, TestRequest(asked.alternative, alpha=asked.alpha)) if asked.delta else p
    pair = discordance(pairs, metric)
    if pair is not None:
        return tango_interval(pair, asked, at_zero)
    inverted = inversion_interval(pairs, metric, asked, at_zero)
    interval = inverted or resampled_interval(pairs, metric, asked)
    return None if interval is None else replace(interval, estimate=p.statistic)


def _notes(
    metric: AdditiveMetric, asked: TestRequest, p: PValue, interval: Interval | None, warning: Note | None
) -> list[Note]:
    notes = []
    if interval is None:
        few = "the metric is not linear in these data, and there are too few units to resample"
        still = f"the difference in {metric.name} is the same in every resample, so nothing shows how far it could move"
        notes.append(Note("interval", f"No interval: {few if p.n < MIN_UNITS else still}."))
    elif not interval.dual:
        text = (
            "The metric is not linear in these data, so the permutation test cannot be inverted: the interval is the"
            " centred bootstrap's and may disagree with p near alpha."
        )
        few = f" With {p.n} units, fewer than {MIN_LARGE_SAMPLE}, it is too short (coverage down to .76 at n = 20)."
        notes.append(Note("interval", text + (few if p.n < MIN_LARGE_SAMPLE else "")))
    elif interval.low is None and interval.high is None:
        notes.append(
            Note("interval", "The interval is unbounded: with so few units no difference can be rejected at this level.")
        )
    elif interval.low == interval.high:
        text = "All differences are the same, so the interval has no width; how much other items would differ is not known."
        notes.append(Note("interval", text))
    if warning is not None:
        notes.append(warning)
    if asked.delta and p.kernel == "tango":
        text = f"Right-or-wrong items at delta = {asked.delta:g}: Tango's score test, a large-sample approximation."
        notes.append(Note("method", text))
    elif asked.delta:
        notes.append(
            Note("method", f"The test assumes that the items' differences are symmetric about delta = {asked.delta:g}.")
        )
    if p.method == "monte-carlo" and asked.method == "auto":
        text = "No exact method applies to these data; p was estimated by sampling, and its bounds hold with 99% confidence."
        notes.append(Note("method", text))
    return notes


def _run(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    p = permutation(pairs, metric, asked)
    if not asked.interval:
        return TestResult(p)
    interval, scores = _interval(pairs, metric, asked, p), scores_if_any(pairs, metric)
    # Right-or-wrong items have no shape to speak of.
    warning = None if scores is None or discordance(pairs, metric) is not None else skew_warning(scores)
    return TestResult(p, interval, _notes(metric, asked, p, interval, warning))


def run_on_grid(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """The test on units whose differences are rounded to a thirtieth of their spread, where they are not coarse already.

    Then p is exact in milliseconds whatever the numbers are, which simulations of power need. Running totals
    are rounded instead of the numbers, so that the observed sum stays what it is; what is left moves a p near
    .05 by about a per cent of itself, up as often as down, which no curve shows. Metrics that are not linear
    keep their numbers.
    """
    if asked.delta and discordance(pairs, metric) is not None:
        return _run(pairs, metric, asked)
    line = flips_of(units_of(pairs), metric, asked.delta).line
    if line is None or not line.any() or (line.dtype.kind == "i" and np.abs(line).max() <= COARSE * lattice_half_step(line)):
        return _run(pairs, metric, asked)
    sizes = line.astype(float)
    totals = np.rint(np.cumsum(sizes) * (FINE / math.sqrt(float((sizes * sizes).mean()))))
    whole = np.diff(totals, prepend=0.0).astype(np.int64)
    return _run(rows_of(whole), mean_like(metric), replace(asked, delta=0.0))


def _screen(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> bool | None:
    if asked.delta or asked.method == "monte-carlo":
        return None
    flips = flips_of(units_of(pairs), metric)
    return None if flips.line is None else screen_flips(flips.line, flips.orientation, asked)


def _suits_accuracy(claim: Claim) -> Suitability:
    exact = "swaps every cluster as one" if claim.clusters else "is the exact McNemar test"
    return ("recommended", f"It tests the difference in accuracy and {exact}.", 1)


ENTRY = TestEntry(
    name="permutation",
    summary="the two systems are exchangeable item by item; exact wherever the numbers allow",
    phrase="paired permutation test",
    formula=r"p = P ( |\sum_{i} ε_i d_i| ≥ |\sum_{i} d_i| ) , ε_i = ± 1",
    citations=("noreen1989",),
    method_citations={"exact": ("exact p", "zmigrod2022"), "certified": ("bounds of p", "vaaler1985")},
    estimand="metric",
    on="any",
    clusters=True,
    delta=True,
    run=_run,
    suits={
        "mean": ("recommended", "It tests the mean itself, assumes no shape and is exact for any number of items.", 1),
        "accuracy": _suits_accuracy,
        "metric": ("recommended", "It recomputes the metric itself under every swap of the two systems.", 1),
    },
    options=(
        Option("method", str, "auto", "how p is computed", choices=METHODS),
        Option(
            "resamples", int, 9_999, "how many swaps Monte Carlo draws if no exact method applies", minimum=1, check=check_count
        ),
    ),
    null="swaps",
    subsets="t",
    screen=_screen,
    simulated=run_on_grid,
)


# Tests of gains: what each unit gained between two systems, -1, 0 or +1, in clusters that are swapped as one.
#
# This is the permutation test of a mean with whole numbers known beforehand, for tables of hundreds of rows: only units
# that gained or lost something take part in p, and a row costs milliseconds.


GAIN_INTERVAL = "Student t, stretched to agree with the exact test"
"""The method of `gain_interval`."""

GAIN = AdditiveMetric("gain", ("gain", "units"), ratio=((1, 0), (0, 1)))


def gain_test(gains: Array, clusters: Array | None, alpha: float = 0.05) -> PValue:
    """p-value of H0: the systems are exchangeable, by swapping them within clusters (every unit alone without).

    Examples
    --------
    >>> gain_test(np.array([1, 1, 1, 0, 0, 1, 1]), None).value, gain_test(np.array([1, 1, 1, 1]), np.array([0, 0, 1, 1])).value
    (0.0625, 0.5)
    """
    moved = np.flatnonzero(gains)
    if not len(moved):
        # Nothing moved: any single row without a difference says so, with p = 1.
        moved = np.arange(min(1, len(gains)))
    gained = gains[moved].astype(np.int64)
    units = np.ones_like(gained)
    if clusters is not None:
        # A row of a table moved a few hundred units of thousands of clusters: sorting these is faster than
        # counting all.
        _, codes = np.unique(clusters[moved], return_inverse=True)
        gained, units = np.bincount(codes, weights=gained).astype(np.int64), np.bincount(codes)
    a, b = np.stack([gained, units], axis=1), np.stack([np.zeros_like(gained), units], axis=1)
    return permutation(PairedScores(a, b), GAIN, TestRequest(alpha=alpha))


def consecutive(codes: Array) -> Array:
    """Codes without gaps, in the same order; counting does what sorting would take ten times as long for.

    Examples
    --------
    >>> consecutive(np.array([7, 2, 7, 9])).tolist()
    [1, 0, 1, 2]
    """
    used = np.bincount(codes) > 0
    return np.asarray((np.cumsum(used) - 1)[codes])


def gain_interval(gains: Array, clusters: Array | None, p: PValue, alpha: float = 0.05) -> Interval | None:
    """Interval of the mean gain: Student's t with the clustered standard error, within -1 and 1.

    It is stretched to hold 0 exactly where `p`, the exact test's, does not reject at `alpha`, so that the two
    never disagree. None where nothing varies, and where there are so few clusters that the test can reject no
    difference at all: it has no bounded interval then.

    Examples
    --------
    >>> gains = np.array([1, 0, 0, 1, -1, 0])
    >>> interval = gain_interval(gains, None, gain_test(gains, None))
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.6233, 0.9567)
    """
    codes = None if clusters is None else consecutive(clusters)
    if 2.0 ** (1 - (len(gains) if codes is None else int(codes.max()) + 1)) > alpha:
        return None
    values = gains.astype(float)
    mean = mean_of(ItemScores(values, np.zeros_like(values), values, None, 1, codes, 1))
    if mean.error == 0.0:
        return None
    interval = t_interval(mean, TestRequest(alpha=alpha), 1, method=GAIN_INTERVAL, dual=True)
    agreed = make_agree(interval, p, mean.value, alpha)
    low, high = (None if end is None else min(max(end, -1.0), 1.0) for end in (agreed.low, agreed.high))
    return replace(agreed, low=low, high=high, estimate=mean.value)
