"""Student's paired t test.

H0: the mean difference is δ. The items' differences (or the clusters' sums of them) are taken as independent,
and their mean as normal, which holds for normal differences at any n and for others from about fifty items
on. Prefer it where a mean is the claim and items are many; `permutation` answers the same question without
the normal law, and is the default.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, exact_sum, tiny_power
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.inference.base import question
from outscore.inference.base.differences import MIN_LARGE_SAMPLE, ItemScores, item_scores, skew_warning
from outscore.inference.base.discordance import discordance
from outscore.inference.base.entry import (
    NEEDS_SCORES,
    Claim,
    NoSpreadError,
    Suitability,
    TestEntry,
    suits_many_binary,
    without_spread,
)
from outscore.inference.base.own_score import cluster_variance
from outscore.inference.base.question import PLAIN, TestRequest, interval_for, log_p_of_t
from outscore.laws import log_two_sided, student_quantile, t_quantile
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue

NAME = "student"
TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Estimate:
    """A number with its standard error, nan where that is not known, and how many independent units stand behind both."""

    value: float
    error: float
    units: int
    df: float

    def limits(self, alpha: float) -> tuple[float, float]:
        """The interval of level 1 - α; nan where there is none."""
        reach = t_quantile(self.df, alpha) * self.error if self.error > 0 else math.nan
        return self.value - reach, self.value + reach

    def log_p(self) -> float:
        """log p of 0, two-sided."""
        return log_two_sided(self.df, self.value / self.error)


def mean_of(scores: ItemScores) -> Estimate:
    """The mean of d and its standard error, clustered where there are clusters.

    Clusters have the variance CR2 and the degrees of freedom of Bell and McCaffrey (`cluster_variance`); every
    item its own cluster gives s²/n and n - 1. An error within rounding of 0 is 0.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> import numpy as np
    >>> metric, a, b = resolve("mean", np.array([3, 5, 4, 8]), np.array([1, 2, 3, 4]))
    >>> mean = mean_of(item_scores(PairedScores(a, b), metric, "student"))
    >>> mean.value, round(mean.error, 6), mean.df
    (2.5, 0.645497, 3.0)
    """
    mean = exact_sum(scores.d) / scores.n
    sums: Array = scores.d - mean
    power = tiny_power(sums)
    sums = np.ldexp(sums, -power)
    sizes = None
    if scores.clusters is not None:
        sums, sizes = np.bincount(scores.clusters, weights=sums), np.bincount(scores.clusters)
    variance, df = cluster_variance(sums, sizes)
    error = math.ldexp(math.sqrt(variance), power)
    rounding = 8 * float(np.spacing(max(np.abs(scores.a).max(), np.abs(scores.b).max())))
    return Estimate(mean, error if error > rounding else 0.0, len(sums), df)


def no_spread(mean: Estimate, scores: ItemScores, test: str) -> NoSpreadError:
    """The refusal of a mean without a standard error."""
    what = "cluster" if scores.clusters is not None else "item"
    if mean.units < 2:
        return NoSpreadError(f"`{test}` needs at least two {what}s, to see how much they vary.", "Use `permutation` instead.")
    return without_spread(test, what, mean.value)


def student(scores: ItemScores, request: TestRequest = PLAIN) -> PValue:
    """p-value of the paired t test of H0: mean d = δ.

    Identical systems give p = 1; a constant difference other than δ is refused, because t would divide by 0.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> import numpy as np
    >>> metric, a, b = resolve("mean", np.array([3, 5, 4, 8]), np.array([1, 2, 3, 4]))
    >>> round(student(item_scores(PairedScores(a, b), metric, "student")).value, 6)
    0.030466
    """
    mean = mean_of(scores)
    gap = mean.value - request.delta
    if mean.error == 0.0:
        if abs(gap) > 8 * math.ulp(max(abs(mean.value), abs(request.delta))):
            raise no_spread(mean, scores, NAME)
        return question.identical_p(mean.units, test=NAME, method="asymptotic", kernel="student-t")
    t = gap / mean.error
    log_p = log_p_of_t(mean.df, scores.orientation * t, request)
    return PValue.from_logs(log_p, log_p, method="asymptotic", kernel="student-t", test=NAME, statistic=t, n=mean.units)


def t_interval(mean: Estimate, request: TestRequest, orientation: int, *, method: str, dual: bool) -> Interval:
    """mean ± t · error; unbounded where a single unit leaves no degrees of freedom.

    Examples
    --------
    >>> interval = t_interval(Estimate(0.5, 0.25, 20, 19), TestRequest(), 1, method="Student t", dual=True)
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.0233, 1.0233)
    """
    reach = student_quantile(mean.df, 1 - request.side) * mean.error if mean.df >= 1 else math.inf
    limits = mean.value - reach, mean.value + reach
    return interval_for(limits, request, orientation, method=method, dual=dual, estimate=mean.value)


def _run(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    scores = item_scores(pairs, metric, NAME)
    p = student(scores, asked)
    mean = mean_of(scores)
    notes = []
    if scores.clusters is not None:
        text = (
            f"The standard error is that of {mean.units} clusters (CR2), and t has {mean.df:.4g} degrees of freedom"
            " (Bell–McCaffrey)."
        )
        notes.append(Note("method", text))
    if mean.error == 0.0:
        notes.append(Note("interval", "The differences do not vary at all, so the interval has no width."))
    elif discordance(pairs, metric) is None and (warning := skew_warning(scores)) is not None:
        notes.append(warning)
    interval = t_interval(mean, asked, scores.orientation, method="Student t", dual=True)
    return TestResult(p, interval, notes)


def _suits_mean(claim: Claim) -> Suitability:
    few = f", and {claim.n} may be too few" if claim.n < MIN_LARGE_SAMPLE else ""
    return ("usable", f"It tests the mean; its p assumes a normal mean, which is safe for many {{units}}{few}.", 2)


ENTRY = TestEntry(
    name=NAME,
    summary="the mean difference is zero; paired t, for many items or normal differences",
    phrase="paired t test",
    aliases=("t", "t-test", "ttest", "paired-t", "paired-t-test"),
    formula=r"t = \frac{\bar{d} - δ}{s_d / \sqrt{n}}",
    citations=("student1908",),
    estimand="mean",
    clusters=True,
    run=_run,
    suits={
        "mean": _suits_mean,
        "accuracy": partial(suits_many_binary, place=6),
        "metric": ("unsuited", NEEDS_SCORES, 4),
    },
    kind_in_phrase=True,
    subsets="t",
)


def make_agree(interval: Interval, p: PValue, estimate: float, alpha: float) -> Interval:
    """A two-sided interval, moved to contain 0 exactly where another test's p does not reject at `alpha`."""
    low, high = interval.low, interval.high
    if low is None or high is None:
        return interval
    if p.upper > alpha:
        low, high = min(low, 0.0), max(high, 0.0)
    elif low <= 0.0 <= high:
        low, high = (TINY, high) if estimate > 0 else (low, -TINY)
    return replace(interval, low=low, high=high)
