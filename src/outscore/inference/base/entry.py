"""The form of a registry entry for tests, and what the tests of one score per item share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Literal

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LOG2, Array, distinct
from outscore.core.options import Option, OptionValue
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import MIN_LARGE_SAMPLE, ItemScores, item_scores
from outscore.inference.base.question import Alternative, TestRequest
from outscore.laws import log_normal
from outscore.results.comparison import TestResult
from outscore.results.pvalue import PValue

# The form of a registry entry for tests: all that the rest of the package needs to know, declared by the test itself.
#
# Adding a test is its module, which ends in a `TestEntry`, and one line in `registry`. The command line, the advice,
# sentences, the page of methods, citations, power simulations and contract tests loop over the registry.


Estimand = Literal["mean", "accuracy", "metric"]
Group = Literal["recommended", "usable", "unsuited"]

SYMMETRIC = 0.5
"""Bulmer's (1979) mark: below it a distribution is roughly symmetric."""

# Reasons that several tests give.
NEEDS_SCORES = "It needs one score per item, and this metric is computed from all items at once."
ANOTHER_MEDIAN = "It tests another estimand, the median difference"
MEDIAN_OF_BINARY = "For right-or-wrong items the median difference is 0 unless most items change."


Run = Callable[[PairedScores, AdditiveMetric, TestRequest], TestResult]
Screen = Callable[[PairedScores, AdditiveMetric, TestRequest], bool | None]


@dataclass(frozen=True)
class Claim:
    """What a claim is about, and the few facts the advice depends on: independent units (clusters, or items), skewness."""

    estimand: Estimand
    n: int
    skewness: float | None
    clusters: bool = False

    @property
    def symmetric(self) -> bool:
        """Whether the skewness is compatible with symmetry."""
        return self.skewness is None or abs(self.skewness) < SYMMETRIC

    @property
    def units(self) -> str:
        """What is counted."""
        return "clusters" if self.clusters else "items"


Suitability = tuple[Group, str, int]
"""How well a test suits a claim, why, in one sentence, and its place among the tests.

In the sentence ``{units}`` stands for what is counted, and ``{few}`` for a clause about samples that are not large.
"""
Suits = Mapping[Estimand, Suitability | Callable[[Claim], Suitability]]
"""By estimand; a function where the answer depends on more of the claim than the wording."""


def suits_many_binary(claim: Claim, place: int) -> Suitability:
    """How a t statistic suits right-or-wrong items: with enough of them their mean is nearly normal."""
    if claim.n < MIN_LARGE_SAMPLE:
        return ("unsuited", f"It tests the same mean, but needs at least {MIN_LARGE_SAMPLE} {claim.units}.", place)
    why = f"It tests the same mean; with this many {claim.units} its normal approximation is good."
    return ("usable", why, place)


@dataclass(frozen=True)
class TestEntry:
    r"""One test, with everything that the rest of the package needs to know about it.

    Parameters
    ----------
    name, summary
        What it is called in commands and results, and its hypothesis in a line.
    phrase
        What a sentence in a paper calls it: "paired t test".
    formula
        Its statistic or p-value in the small part of TeX that the page of methods knows.
    citations
        Keys of works in ``report/works.bib``.
    estimand
        What a rejection is about.
    run
        The test.
    suits
        How well it suits each kind of claim, for the advice. A test without clusters is unsuited to clustered items.
    on
        ``"any"`` for every additive metric, ``"scores"`` for means of item scores, ``"binary"`` for
        right-or-wrong items.
    clusters, delta
        Whether it takes clusters, and a difference other than 0.
    options
        Its options.
    null
        Where its null distribution comes from: ``"swaps"`` of the two systems' results, ``"signs"`` of the
        differences alone, or something else. For swaps and signs, p is never below that of n equal signs, 2^-n a side.
    kind_in_phrase
        The phrase already says how p is computed, or there is only one way: no "exact" or "asymptotic" is put
        before it.
    method_citations
        What to cite in addition when p was computed in this way: ``{"exact": ("exact p", "zmigrod2022")}``.
    posterior
        It answers with posterior probabilities and has no p-value of its own.
    small_samples
        What fewer than `MIN_LARGE_SAMPLE` units do to its level, as measured; empty where no harm is known.
    lean
        The side that the test itself favours, as a number that is positive for A and negative for B.
    subsets
        Which p-value stands for its own where hundreds are needed at once, on random subsets of the items: ``"itself"``;
        ``"t"``, that of a paired t test by the jackknife's standard error, which answers nearly the same where the test is too
        slow (on right-or-wrong items swaps of the metric are counted instead); or none, and there is no curve.
    quick
        Options that make the test itself quick on subsets, and what to say about them after its name.
    unsimulated
        Why it cannot be tried on samples drawn item by item; empty where it can.
    screen
        Whether it rejects a simulated sample, where that is clear without its p-value; None where the test has to decide.
    simulated
        A form of it that is quick on any numbers, for simulated samples, where it has one.
    aliases
        Other names that people know it by, for hints.

    Examples
    --------
    >>> from outscore.inference.registry import TESTS
    >>> TESTS["student"].phrase, TESTS["student"].estimand, TESTS["student"].citations
    ('paired t test', 'mean', ('student1908',))
    """

    __test__ = False

    name: str
    summary: str
    phrase: str
    formula: str
    citations: tuple[str, ...]
    estimand: Literal["metric", "mean", "median", "accuracy"]
    run: Run
    suits: Suits
    on: Literal["any", "scores", "binary"] = "scores"
    clusters: bool = False
    delta: bool = True
    options: tuple[Option, ...] = ()
    null: Literal["swaps", "signs", "other"] = "other"
    kind_in_phrase: bool = False
    method_citations: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    posterior: bool = False
    small_samples: str = ""
    lean: Callable[[PValue], float] | None = None
    subsets: Literal["itself", "t", "none"] = "none"
    quick: tuple[Mapping[str, OptionValue], str] = field(default_factory=lambda: ({}, ""))
    unsimulated: str = ""
    screen: Screen | None = None
    simulated: Run | None = None
    aliases: tuple[str, ...] = ()

    @property
    def swaps_metric(self) -> bool:
        """Whether it swaps the systems and recomputes the metric, so that several questions can share the swaps (max-T)."""
        return self.null == "swaps" and self.estimand == "metric"

    def p(self, pairs: PairedScores, metric: AdditiveMetric, request: TestRequest) -> PValue:
        """Its p-value alone."""
        return self.run(pairs, metric, replace(request, interval=False)).p

    def suitability(self, claim: Claim) -> Suitability:
        """How well it suits a claim."""
        suits = self.suits[claim.estimand]
        group, why, place = suits(claim) if callable(suits) else suits
        few = f"; with {claim.n} {claim.units} (fewer than {MIN_LARGE_SAMPLE}) it rejects somewhat too often"
        return group, why.format(units=claim.units, few="" if claim.n >= MIN_LARGE_SAMPLE else few), place


# What the tests of one score per item share: refusals, normal tails, and the sides of an interval.


MEDIAN_IN_CLUSTERS = "`bootstrap-median`, which resamples whole clusters and tests the median, or `permutation`"


def unclustered_scores(pairs: PairedScores, metric: AdditiveMetric, test: str, instead: str) -> ItemScores:
    """One score per item and system; clusters, which the test would treat as if not there, are refused with a way out."""
    # The metric first: what is named instead must take it too.
    scores = item_scores(pairs, metric, test)
    if pairs.clusters is not None:
        raise ClustersError(
            f"`{test}` treats items as independent and does not support clusters.", f"Use {instead}.", parameter="cluster"
        )
    return scores


class NoSpreadError(OutscoreError):
    """A sample without spread says nothing about spread. Simulations, which may draw one, count it as undecided."""


def without_spread(test: str, place: str, difference: float) -> NoSpreadError:
    """The refusal of differences that are all the same."""
    return NoSpreadError(
        f"The difference is {difference:g} in every {place}, and `{test}` needs differences that vary.",
        "Use `permutation`, which does not.",
    )


def normal_log_p(gap: float, sd: float, correction: float, alternative: Alternative) -> float:
    """log p of a statistic that lies `gap` (oriented) from its null mean, by the normal law with a continuity correction.

    Every side moves the statistic by `correction` towards the middle of its own tail, so P(T ≥ t) still
    counts t itself.

    Examples
    --------
    >>> import math
    >>> round(math.exp(normal_log_p(1.96, 1.0, 0.0, "two-sided")), 4), round(math.exp(normal_log_p(1.96, 1.0, 0.0, "less")), 4)
    (0.05, 0.975)
    """
    if alternative == "two-sided":
        return min(0.0, LOG2 + log_normal(-max(abs(gap) - correction, 0.0) / sd))
    turned = gap if alternative == "greater" else -gap
    return log_normal(-(turned - correction) / sd)


def without_repeats(sizes: Array) -> bool:
    """Whether no number occurs twice."""
    return len(distinct(sizes)) == len(sizes)
