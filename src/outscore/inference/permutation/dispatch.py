"""The paired permutation test.

H0: for every unit the two systems are exchangeable; swapping their outputs changes nothing in law. The
p-value is the share of the 2^n swaps whose difference in scores is at least as extreme as the observed one,
ties included. It is computed by the first of these that serves the data, and the result names it:

====================================================  ==============================================
no unit differs                                       identity: p = 1
one size of difference                                binomial
integers, decimals, multiples of 1/q; linear metric   lattice; meet in the middle up to 44 units
real numbers; linear metric                           meet in the middle, then bracket
ratio of two sums                                     plane, or lattice when the flips lie on a line
binary classification with shared gold                two binomials
any other function of sums of rank 2                  plane
rank 3 and more                                       enumeration up to 2^20 different sums
everything else                                       sign flips (Monte Carlo)
====================================================  ==============================================
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import TIE_TOLERANCE, Array
from outscore.core.options import Option, check_count
from outscore.core.rows import PairedScores
from outscore.exact import numbers
from outscore.exact.flipsum import BudgetError
from outscore.inference.base import p_values
from outscore.inference.base.discordance import discordance, tango_interval, tango_test
from outscore.inference.base.entry import TESTS_THE_MEAN, Claim, Simulation, SubsetTest, Suitability, TestEntry
from outscore.inference.base.item_scores import MIN_LARGE_SAMPLE, scores_if_any, skew_warning
from outscore.inference.base.question import TestRequest
from outscore.inference.base.screening import lattice_half_step, screen_flips
from outscore.inference.base.sign_flips import Flips, flips_of, units_of
from outscore.inference.bootstrap.tests import MIN_UNITS, resampled_interval
from outscore.inference.permutation.interval import inversion_interval
from outscore.inference.permutation.tails import FIXED_POINT_BITS, certified_p, convolution_p, fixed_line, linear_p, nonlinear_p
from outscore.resampling import count_hits
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue

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
    vectors, statistic, slack = _linear(flips) if flips.line is not None else _nonlinear_flips(flips)
    # Rows that do not move stay: a row's coin depends on its place alone, so all metrics of one data set
    # share their swaps.
    if not vectors.any():
        return p_values.identical_p()
    observed = float(statistic(vectors.sum(axis=0)[None])[0])
    if request.alternative == "two-sided":
        hits = count_hits(
            vectors, lambda s: np.abs(statistic(s)) >= abs(observed) - slack, resamples=request.resamples, seed=request.seed
        )
    else:
        turn = flips.orientation * (1 if request.alternative == "greater" else -1)
        hits = count_hits(
            vectors, lambda s: turn * statistic(s) >= turn * observed - slack, resamples=request.resamples, seed=request.seed
        )
    return p_values.sampled_p(hits, request.resamples, "sign-flips")


def _linear(flips: Flips) -> tuple[Array, Callable[[Array], Array], float]:
    line, _, slack = fixed_line(flips)
    return line[:, None], lambda sums: sums[:, 0], float(slack)


def _nonlinear_flips(flips: Flips) -> tuple[Array, Callable[[Array], Array], float]:
    """Real columns have a power of two each, which the sums are divided by before the metric sees them."""
    statistic = flips.statistic
    slack = statistic.slack
    if flips.on_a_lattice:
        return flips.vectors, statistic.difference, slack
    columns, shifts = zip(*(numbers.fixed_point(column, FIXED_POINT_BITS) for column in flips.vectors.T), strict=True)
    whole, shift = np.stack(columns, axis=1), np.array(shifts)
    # Rounding to fixed point moves a total by as many units as there are rows.
    slack *= 1 + math.ldexp(len(whole), -FIXED_POINT_BITS) / TIE_TOLERANCE
    return whole, lambda sums: statistic.difference(np.ldexp(sums, -shift)), slack


def _interval(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest, p: PValue) -> Interval | None:
    """The interval of the same design as p: Tango for right-or-wrong items, inversion for other linear metrics."""
    at_zero = permutation(pairs, metric, TestRequest(asked.alternative, alpha=asked.alpha)) if asked.delta else p
    pair = discordance(pairs, metric)
    if pair is not None:
        return tango_interval(pair, asked.alpha, at_zero, asked.alternative)
    inverted = inversion_interval(pairs, metric, asked.alpha, at_zero, asked.alternative)
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


def _skewed(pairs: PairedScores, metric: AdditiveMetric) -> Note | None:
    """The warning of skewed differences; right-or-wrong items have no shape to speak of."""
    scores = scores_if_any(pairs, metric)
    return None if scores is None or discordance(pairs, metric) is not None else skew_warning(scores)


def _run(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    p = permutation(pairs, metric, asked)
    if not asked.interval:
        return TestResult(p)
    interval = _interval(pairs, metric, asked, p)
    return TestResult(p, interval, _notes(metric, asked, p, interval, _skewed(pairs, metric)))


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
    ones = np.ones_like(whole)
    plain = AdditiveMetric(metric.name, ("score", "units"), direction=metric.direction, ratio=((1, 0), (0, 1)))
    return _run(
        PairedScores(np.stack([whole, ones], axis=1), np.stack([0 * whole, ones], axis=1)), plain, replace(asked, delta=0.0)
    )


def _screen(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> bool | None:
    if asked.delta or asked.method == "monte-carlo":
        return None
    flips = flips_of(units_of(pairs), metric)
    return None if flips.line is None else screen_flips(flips.line, flips.orientation, asked)


def _suits_accuracy(claim: Claim) -> Suitability:
    exact = "swaps every cluster as one" if claim.clusters else "is the exact McNemar test"
    return Suitability("recommended", f"It tests the difference in accuracy and {exact}.", 1)


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
        "mean": Suitability(
            "recommended", "It tests the mean itself, assumes no shape and is exact for any number of items.", 1
        ),
        "accuracy": _suits_accuracy,
        "median": Suitability("unsuited", TESTS_THE_MEAN, 5),
        "metric": Suitability("recommended", "It recomputes the metric itself under every swap of the two systems.", 1),
    },
    options=(
        Option("method", str, "auto", "how p is computed", choices=METHODS),
        Option(
            "resamples", int, 9_999, "how many swaps Monte Carlo draws if no exact method applies", minimum=1, check=check_count
        ),
    ),
    null="swaps",
    subsets=SubsetTest(jackknifed=True, swaps_on_binary=True),
    simulation=Simulation(screen=_screen, run=run_on_grid),
)
