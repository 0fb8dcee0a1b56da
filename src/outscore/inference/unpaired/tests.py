"""The tests of two samples by the names of their paired siblings, each with the interval of its own design.

`permutation` divides the scores anew and has Welch's interval, of right-or-wrong items that of Miettinen and Nurminen (1985);
`wilcoxon` is the rank-sum test with the shift of Hodges and Lehmann; `student` is Welch's t test. Adding one is an entry here,
and its name and works in `inference.populations`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LOG2
from outscore.core.repeats import Draws
from outscore.inference.base import p_values
from outscore.inference.base.entry import TestRequest
from outscore.inference.base.paired import NoSpreadError, interval_for, side_of
from outscore.inference.base.sign_flips import Alternative
from outscore.inference.classical.student import make_agree
from outscore.inference.populations import FISHER, WELCH
from outscore.inference.runs.exchange import Exchange, exchange_of
from outscore.inference.unpaired.divisions import SAMPLED, division_p, rank_sum_p
from outscore.inference.unpaired.samples import Samples
from outscore.inference.unpaired.shift import shift, shift_limits
from outscore.laws.normal import log_normal, normal_quantile
from outscore.laws.student import log_t_tail, student_quantile
from outscore.results.comparison import Margin, TestResult
from outscore.results.interval import Interval
from outscore.results.note import Note
from outscore.results.pvalue import PValue

__all__ = ["MEANS", "METHODS", "UNPAIRED", "margin_of_samples", "run_unpaired", "shifted_p", "welch_interval", "welch_p"]

METHODS = ("auto", "monte-carlo")
"""How divisions may be asked for."""
WELCH_INTERVAL = "Welch t"
SCORE_INTERVAL = "score interval of Miettinen and Nurminen, moved to agree with the test"
SCORE_TEST = "miettinen-nurminen"
"""The kernel of the test that the score interval inverts."""
WITH_MARGIN = ("permutation", "student")
"""Tests of different items that a margin can be tested beside."""
LEAST_LOG = -1e6
SHIFT_INTERVAL = "order statistics of all differences (Hodges-Lehmann)"


def welch_p(samples: Samples, asked: TestRequest) -> PValue | None:
    """Welch's t test of equal means, whatever the spreads; None where a system has a single unit or nothing varies.

    Examples
    --------
    >>> both = Samples(np.array([3.0, 5.0, 4.0, 8.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    >>> round(welch_p(both, TestRequest()).value, 6)
    0.104833
    """
    found = samples.welch
    if found is None:
        return None
    error, df = found
    t = samples.orientation * samples.difference / error
    if asked.alternative == "two-sided":
        log_p = LOG2 + log_t_tail(df, abs(t))
    else:
        log_p = log_t_tail(df, t if asked.alternative == "greater" else -t)
    p = PValue.from_logs(log_p, log_p, method="asymptotic", kernel="welch-t")
    return replace(p, test=WELCH, statistic=samples.difference / error, n=samples.n)


def welch_interval(samples: Samples, asked: TestRequest, *, dual: bool) -> Interval | None:
    """Difference ± t·error with the degrees of freedom of Welch and Satterthwaite."""
    found = samples.welch
    if found is None:
        return None
    error, df = found
    reach = student_quantile(df, 1 - side_of(asked.alpha, asked.alternative)) * error
    limits = (samples.difference - reach, samples.difference + reach)
    return interval_for(
        limits,
        asked.alpha,
        asked.alternative,
        samples.orientation,
        method=WELCH_INTERVAL,
        dual=dual,
        estimate=samples.difference,
    )


def shifted_p(test: str, samples: Samples, alternative: Alternative, delta: float) -> PValue:
    """The one-sided test of a difference A - B of `delta`, `alternative` meaning better or worse whatever the direction.

    Divisions are of samples of one distribution, so that they cannot test another difference: right-or-wrong items have the
    score test of Miettinen and Nurminen (1985), which their interval inverts, and other scores Welch's.

    Examples
    --------
    >>> both = Samples(np.ones(10), np.array([1.0] * 20 + [0.0] * 10))
    >>> round(shifted_p("permutation", both, "greater", -0.1).value, 4)
    0.0057
    """
    turn = samples.orientation if alternative == "greater" else -samples.orientation
    if test == "permutation" and samples.worth is not None and samples.clusters is None:
        log_p = log_normal(-turn * _pair_of(samples).score(delta))
        log_p = max(log_p, LEAST_LOG)
        p = PValue.from_logs(log_p, log_p, method="asymptotic", kernel=SCORE_TEST)
        return replace(p, test=FISHER, n=samples.n)
    found = samples.welch
    if found is None:
        raise NoSpreadError(
            "A margin is judged by how much items vary, and these do not, or one system has a single one.",
            "Leave the margin out, or give more items.",
            parameter="margin",
        )
    error, df = found
    t = (samples.difference - delta) / error
    log_p = log_t_tail(df, turn * t)
    p = PValue.from_logs(log_p, log_p, method="asymptotic", kernel="welch-t")
    return replace(p, test=WELCH, statistic=t, n=samples.n)


def margin_of_samples(test: str, samples: Samples, margin: float) -> Margin:
    """Non-inferiority at -margin, and equivalence by two one-sided tests (Schuirmann, 1987), of different items."""
    if test not in WITH_MARGIN:
        raise OutscoreError(
            f"`{test}` of different items has no margin.", f"Use `{'` or `'.join(WITH_MARGIN)}`.", parameter="margin"
        )
    worth = samples.worth
    if worth is not None and margin >= worth.unit:
        raise OutscoreError(
            f"`margin` is {margin:g}, and scores of {worth.wrong:g} or {worth.right:g} never differ by more.",
            f"Give less than {worth.unit:g}.",
            parameter="margin",
        )
    down = -samples.orientation * margin
    not_worse = shifted_p(test, samples, "greater", down)
    not_better = shifted_p(test, samples, "less", -down)
    return Margin(margin, not_worse, max(not_worse, not_better, key=lambda p: p.upper))


def _pair_of(samples: Samples) -> Exchange:
    """Both samples as the runs of one item, whose score test is that of two shares."""
    a, b = (Draws(x, np.zeros(len(x), dtype=np.int64)) for x in (samples.a, samples.b))
    return exchange_of(a, b, orientation=samples.orientation)


def score_interval(samples: Samples, asked: TestRequest, p: PValue) -> Interval:
    """The interval of Miettinen and Nurminen (1985) for the difference between two shares.

    Examples
    --------
    >>> both = Samples(np.ones(10), np.array([1.0] * 20 + [0.0] * 10))
    >>> found = score_interval(both, TestRequest(), PValue(0.2, 0.2, 0.2, -0.7, "exact", "splits"))
    >>> round(found.low, 4), round(found.high, 4)
    (0.0, 0.5145)
    """
    side = side_of(asked.alpha, asked.alternative)
    limits = _pair_of(samples).score_limits(-normal_quantile(side))
    if asked.alternative != "two-sided":
        return interval_for(
            limits,
            asked.alpha,
            asked.alternative,
            samples.orientation,
            method=SCORE_INTERVAL,
            dual=False,
            estimate=samples.difference,
        )
    found = Interval(*limits, 1 - asked.alpha, SCORE_INTERVAL, dual=False, estimate=samples.difference)
    return make_agree(found, p, samples.difference, asked.alpha)


def _drawn(asked: TestRequest) -> dict[str, int | bool]:
    options = asked.options
    return {
        "resamples": asked.resamples if "resamples" in options else SAMPLED,
        "seed": asked.seed,
        "sample": options.get("method") == "monte-carlo",
    }


def _permutation(samples: Samples, asked: TestRequest) -> TestResult:
    p = division_p(samples, asked.alternative, **_drawn(asked))  # type: ignore[arg-type]
    if samples.worth is not None and samples.clusters is None:
        interval: Interval | None = score_interval(samples, asked, p)
    else:
        interval = welch_interval(samples, asked, dual=False)
    return TestResult(p, interval)


def _rank_sum(samples: Samples, asked: TestRequest) -> TestResult:
    p = rank_sum_p(samples, asked.alternative, **_drawn(asked))  # type: ignore[arg-type]
    if samples.clusters is not None:
        return TestResult(p, None, [Note("interval", "The shift between samples of clusters has no interval here.")])
    interval = interval_for(
        shift_limits(samples.a, samples.b, side_of(asked.alpha, asked.alternative)),
        asked.alpha,
        asked.alternative,
        samples.orientation,
        method=SHIFT_INTERVAL,
        dual=False,
        estimate=shift(samples.a, samples.b),
        estimand="shift",
    )
    text = (
        "The interval is for the shift between two distributions of one shape; of other shapes the rank-sum test says which"
        " tends to be larger."
    )
    return TestResult(p, interval, [Note("estimand", text)])


def _welch(samples: Samples, asked: TestRequest) -> TestResult:
    p = welch_p(samples, asked)
    if p is None and samples.identical:
        p = replace(p_values.identical_p(samples.n), test=WELCH, kernel="welch-t", method="asymptotic")
    if p is None:
        raise NoSpreadError(
            "Welch's test judges the difference by how much items vary, and these do not, or one system has a single one.",
            "Use `permutation`, which needs no spread.",
            parameter="test",
        )
    return TestResult(p, welch_interval(samples, asked, dual=True))


UNPAIRED: dict[str, Callable[[Samples, TestRequest], TestResult]] = {
    "permutation": _permutation,
    "wilcoxon": _rank_sum,
    "student": _welch,
}
MEANS = {
    "permutation": "every division of the scores, Fisher's for right-or-wrong items",
    "wilcoxon": "rank-sum",
    "student": "Welch",
}
"""What each of them is with different items."""


def run_unpaired(test: str, samples: Samples, asked: TestRequest) -> TestResult:
    """One of the tests of two samples.

    Examples
    --------
    >>> both = Samples(np.array([6.0, 7.0, 9.0]), np.array([1.0, 2.0, 4.0, 5.0]))
    >>> run_unpaired("wilcoxon", both, TestRequest()).p.value
    0.05714285714285714
    """
    return UNPAIRED[test](samples.checked(), asked)
