"""Wilcoxon's signed-rank test.

H0: the items' differences are symmetric about δ. Every difference is replaced by the rank of its size, so
that outliers weigh little. Prefer it where differences are roughly symmetric with heavy tails; it speaks of
the typical difference (pseudomedian), which is not the difference of the means.

The test is the permutation test on signed ranks, and that is how it is computed: exact with ties and zeros,
where tables and most software are not.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal, cast

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.inference.base import question
from outscore.inference.base.differences import ItemScores, item_scores, screen_flips
from outscore.inference.base.entry import (
    MEDIAN_IN_CLUSTERS,
    NEEDS_SCORES,
    Claim,
    Simulation,
    SubsetTest,
    Suitability,
    TestEntry,
    interval_for,
    normal_log_p,
    side_of,
    unclustered_scores,
    without_repeats,
)
from outscore.inference.base.question import Alternative, TestRequest
from outscore.inference.base.walsh import hodges_lehmann, signed_ranks, walsh_interval
from outscore.inference.permutation import permutation
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue

NAME = "wilcoxon"
Zeros = Literal["drop", "pratt"]


@dataclass(frozen=True)
class Settings:
    """How zeros are ranked, and where the null law comes from."""

    zeros: Zeros = "drop"
    variant: Literal["exact", "normal"] = "exact"


def wilcoxon(scores: ItemScores, request: TestRequest, settings: Settings | None = None) -> PValue:
    """p-value of H0: d is symmetric about δ, by signed ranks; the statistic is W⁺, the sum of the positive ones.

    Zero differences carry no sign and drop out before ranking (``"drop"``; Wilcoxon, 1945) or after
    (``"pratt"``; Pratt, 1959).

    Examples
    --------
    >>> from outscore.inference.base.differences import item_scores
    >>> from outscore.metrics.registry import resolve
    >>> d = np.array([0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010])
    >>> metric, a, b = resolve("mean", d, 0 * d)
    >>> p = wilcoxon(item_scores(PairedScores(a, b), metric, "wilcoxon"), TestRequest())
    >>> p.statistic, p.value
    (40.0, 0.0390625)
    """
    settings = settings or Settings()
    d, whole = scores.minus(request.delta)
    doubled = signed_ranks(d if whole is None else whole, settings.zeros)
    used = doubled[doubled != 0]
    if not len(used):
        p = question.identical_p()
    elif settings.variant == "exact":
        p = _exact(used, scores.orientation, request)
    else:
        p = _normal(used, scores.orientation, request.alternative)
    zeros = scores.n - len(used)
    return replace(
        p,
        test=NAME,
        kernel=f"signed ranks: {p.kernel}",
        statistic=float(used[used > 0].sum()) / 2,
        n=len(used),
        dropped={"zero differences": zeros} if zeros else {},
    )


def _exact(doubled: Array, orientation: int, request: TestRequest) -> PValue:
    """The permutation test on ranks as scores: A has the rank, B has 0."""
    column = doubled[:, None]
    direction: Literal["higher", "lower"] = "higher" if orientation > 0 else "lower"
    ranks = AdditiveMetric("signed ranks", ("rank",), ratio=((1,), None), direction=direction)
    return permutation(PairedScores(column, np.zeros_like(column)), ranks, replace(request, delta=0.0))


def _normal(doubled: Array, orientation: int, alternative: Alternative) -> PValue:
    """W⁺ - W⁻ over its standard deviation √Σr², continuity-corrected.

    The sum of squares of mid-ranks holds the correction for ties, Σ(t³ - t)/12, without naming it.
    """
    ranks = doubled / 2
    # W⁺ moves in halves of the sum of flips, so its ½ is 1 here.
    log_p = normal_log_p(orientation * float(ranks.sum()), math.sqrt(float(ranks @ ranks)), 1.0, alternative)
    return PValue.from_logs(log_p, log_p, method="asymptotic", kernel="normal")


def _interval(scores: ItemScores, asked: TestRequest, *, dual: bool) -> Interval:
    """Order statistics of the Walsh averages of all differences, in whole numbers where these are known."""
    d, scale = (scores.d, 1) if scores.whole is None else (scores.whole, scores.scale)
    low, high = (
        None if limit is None else limit / scale for limit in walsh_interval(d, 2 * side_of(asked.alpha, asked.alternative))
    )
    return interval_for(
        (low, high),
        asked.alpha,
        asked.alternative,
        scores.orientation,
        method="Walsh averages, pseudomedian",
        dual=dual,
        estimate=hodges_lehmann(d) / scale,
        estimand="pseudomedian",
    )


def _run(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    scores = unclustered_scores(pairs, metric, NAME, MEDIAN_IN_CLUSTERS)
    settings = Settings(cast("Zeros", asked.options["zeros"]), cast("Literal['exact', 'normal']", asked.options["variant"]))
    p = wilcoxon(scores, asked, settings)
    text = "The test and its interval are about the typical difference (pseudomedian), not about the difference in means."
    notes = [Note("estimand", text)]
    if not asked.interval:
        return TestResult(p, None, notes)
    d, whole = scores.minus(asked.delta)
    clean = not p.dropped and without_repeats(np.abs(d if whole is None else whole))
    interval = _interval(scores, asked, dual=clean and settings.variant == "exact")
    if not clean:
        notes.append(Note("interval", "With tied or zero differences the interval and p may disagree near alpha."))
    elif settings.variant == "normal":
        notes.append(Note("interval", "p is a normal approximation; the interval inverts the exact test."))
    if interval.low is None and interval.high is None:
        text = "The interval is unbounded: with so few items no difference can be rejected at this level."
        notes.append(Note("interval", text))
    return TestResult(p, interval, notes)


def _screen(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> bool | None:
    if asked.delta or pairs.clusters is not None or asked.options["variant"] != "exact":
        return None
    scores = item_scores(pairs, metric, NAME)
    zeros = cast("Zeros", asked.options["zeros"])
    return screen_flips(signed_ranks(scores.d if scores.whole is None else scores.whole, zeros), scores.orientation, asked)


def _suits_mean(claim: Claim) -> Suitability:
    rough = "" if claim.symmetric else ", and these are skewed"
    why = f"It tests another estimand, the pseudomedian, which is the mean only if differences are symmetric{rough}."
    return Suitability("usable", why, 7)


def _suits_median(claim: Claim) -> Suitability:
    if claim.symmetric:
        why = "It also uses the sizes, and tests the median as long as differences are roughly symmetric."
        return Suitability("recommended", why, 2)
    return Suitability("unsuited", "It tests the median under symmetry only, and these differences are skewed.", 2)


ENTRY = TestEntry(
    name=NAME,
    summary="differences are symmetric about zero; signed ranks, exact with ties and zeros",
    phrase="Wilcoxon signed-rank test",
    formula=r"W^{+} = \sum_{d_i > 0} \text{rank} |d_i|",
    citations=("wilcoxon1945",),
    estimand="median",
    run=_run,
    suits={
        "mean": _suits_mean,
        "accuracy": Suitability("unsuited", "All non-zero differences have the same size, so ranks add nothing.", 8),
        "median": _suits_median,
        "metric": Suitability("unsuited", NEEDS_SCORES, 5),
    },
    options=(
        Option("zeros", str, "drop", "rank without zero differences, or with them (pratt)", choices=("drop", "pratt")),
        Option("variant", str, "exact", "exact null distribution, or its normal approximation", choices=("exact", "normal")),
    ),
    null="signs",
    subsets=SubsetTest(options={"variant": "normal"}, remark="normal approximation"),
    simulation=Simulation(screen=_screen),
)
