"""The results of planning: required items, detectable effects, power curves, and the range of p behind two printed scores.

They are frozen like every other result, with the same dictionaries in and out. Numbers stay as computed: 968.9975 items is
what the formula says, `items` is what a person has to collect.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import field
from typing import Any, ClassVar, Literal

from outscore.core.records import brief_name, brief_number, brief_p, dataclass
from outscore.results.analysis import Directions, PowerPoint
from outscore.results.design import Family, Reading
from outscore.results.note import Note, Signature
from outscore.results.pvalue import PValue
from outscore.results.rendering import Result


@dataclass(frozen=True)
class StudyDesign:
    """Everything about a planned study except n, effect and power, as given.

    Attributes
    ----------
    sd
        Standard deviation of the difference A - B between items.
    discordance
        Share of right-or-wrong items on which exactly one system is right. With neither, effects are in units of the sd.
    alpha, alternative
        The level of the test, and its side; "greater" means that A is better.
    repeats, within
        Runs of each system per item, and the sd of the difference between two single runs on one item, sqrt(σ_A² + σ_B²).
    cluster_size, icc
        Items per cluster (document, passage), and the correlation of differences within a cluster.
    cluster_cv
        How unequal the clusters are: the sd of their sizes divided by the mean.
    observed_effect
        The design effect that a pilot showed, instead of the one that follows from `icc`.
    method
        The test to compute power for: "permutation" (sign flips), "normal" (spread assumed known), "t", "exact" (McNemar), or
        "auto", the one that suits the design.
    accuracy, correlation
        Of right-or-wrong items: the accuracy of the baseline, from which the discordance follows at every difference, and the
        correlation of both systems' right answers.
    delta
        The difference that is tested.
    unit
        What a right item is worth, in the unit of effects.
    battles
        Whether items are battles of two systems, clusters the prompts, and effects what the win rate has above one half.
    unpaired
        Whether each system will have items of its own; n then counts those of each system, and `sd` is that of its scores.
    margin, largest_loss
        If a gate is planned: by less than how much A may be worse, and how much one item can lose, where that is known.
    measure
        What is compared, if it is not a mean of scores: the metric of texts.
    """

    sd: float | None = None
    discordance: float | None = None
    alpha: float = 0.05
    alternative: str = "two-sided"
    repeats: int = 1
    cluster_size: float = 1.0
    icc: float = 0.0
    within: float = 0.0
    method: str = "auto"
    cluster_cv: float = 0.0
    observed_effect: float | None = None
    accuracy: float | None = None
    correlation: float = 0.0
    delta: float = 0.0
    unit: float = 1.0
    battles: bool = False
    unpaired: bool = False
    margin: float | None = None
    largest_loss: float | None = None
    measure: str = ""

    @property
    def basis(self) -> Literal["sd", "discordance", "standardised"]:
        """Where the spread of the items comes from."""
        if self.discordance is not None or self.accuracy is not None:
            return "discordance"
        return "standardised" if self.sd is None else "sd"

    @property
    def design_effect(self) -> float:
        """How many items in clusters are worth one independent item (Kish, 1965; Eldridge and others, 2006, for unequal sizes).

        An item's own cluster has Σn²/Σn items on average, which is the mean size times 1 + cv².

        Examples
        --------
        >>> [round(StudyDesign(cluster_size=10, icc=0.1, cluster_cv=cv).design_effect, 12) for cv in (0, 1)]
        [1.9, 2.9]
        """
        if self.observed_effect is not None:
            return self.observed_effect
        return 1 + (self.cluster_size * (1 + self.cluster_cv**2) - 1) * self.icc

    @property
    def min_units(self) -> int:
        """The fewest units with which a permutation test can reach alpha at all: flips of m have p = 2^-m per side.

        Examples
        --------
        >>> StudyDesign().min_units, StudyDesign(alternative="greater").min_units
        (6, 5)
        """
        tails = 2 if self.alternative == "two-sided" else 1
        if self.unpaired:
            # All divisions of n items of each are as likely.
            return next(n for n in itertools.count(2) if tails <= self.alpha * math.comb(2 * n, n) * (1 + 1e-12))
        return max(2, math.ceil(math.log2(tails / self.alpha) - 1e-12))


@dataclass(frozen=True, repr=False)
class SimulatedCurve(Result):
    """A retrospective power curve: how often a test rejects in samples drawn from a model of the data.

    Attributes
    ----------
    kind
        "normal" (a normal distribution with the observed spread) or "bootstrap" (the sample itself, with replacement).
    test
        The test whose power it is.
    effect
        The difference that is assumed to be true.
    observed_n, unit
        How many units the data have, and what n counts.
    replicates, seed
        Samples drawn for each point, and the seed.
    points
        The power at each n, with its 95% Monte-Carlo band.
    note
        What such a curve can say.
    """

    saved_schema: ClassVar[str | None] = "outscore/power-curve/1"

    kind: Literal["normal", "bootstrap"]
    test: str
    effect: float
    observed_n: int
    unit: Literal["items", "units", "clusters"]
    replicates: int
    seed: int
    points: list[PowerPoint]
    note: str

    @property
    def verdict(self) -> str:
        """The power at the observed n."""
        here = next((p.power for p in self.points if p.n == self.observed_n), None)
        at = "" if here is None else f": {here:.3g} at n = {self.observed_n:,}"
        return f"Retrospective power of the {self.test} test ({self.kind} resampling){at}"

    def _brief(self) -> str:
        points = ", ".join(f"{p.power:.2g} at {p.n:,}" for p in self.points[:4])
        return f"{self.test} test, {self.kind} resampling, {len(self.points)} points: power {points}"


@dataclass(frozen=True)
class OverlapPoint:
    """The p-value if two systems differ on a number of items.

    Attributes
    ----------
    differ
        Items on which exactly one system is right.
    p
        The p-value then.
    """

    differ: int
    p: float


@dataclass(frozen=True)
class AnytimePlan:
    """After how many items an anytime-valid test is expected to stop if the planned difference is true.

    Attributes
    ----------
    mean, median
        The expected and the median number of items.
    items
        The items within which it stops with the requested power.
    fixed, by_fixed
        The items of the plan with one look, and the probability of having stopped by then.
    method
        ``"exact"`` (right-or-wrong items), or ``"simulated"`` (bets on bounded scores).
    paths, seed
        Simulated studies and their seed; None if the distribution is exact.
    horizon
        The items after which simulated studies ended: those that had not stopped count with these in the mean, and `median`
        or `items` are None if they lie beyond.
    """

    mean: float
    median: int | None
    items: int | None
    fixed: int
    by_fixed: float
    method: Literal["exact", "simulated"]
    paths: int | None = None
    seed: int | None = None
    horizon: int | None = None


@dataclass(frozen=True)
class EffectPoint:
    """How many items one difference needs.

    Attributes
    ----------
    effect
        The difference.
    items
        The items needed to detect it.
    """

    effect: float
    items: int


@dataclass(frozen=True)
class RunsPoint:
    """How many items a claim about new items and new runs takes with so many runs.

    Attributes
    ----------
    runs_a, runs_b
        Runs of each system.
    items
        The items, or clusters, that are needed; None if no number of them is enough.
    """

    runs_a: int
    runs_b: int
    items: int | None


@dataclass(frozen=True)
class PricedDesign:
    """One number of runs per item, with its cost and what it achieves.

    Attributes
    ----------
    repeats, items
        Runs of each system per item, and items.
    cost
        What the study costs.
    power, effect
        The power, and the difference it is about.
    """

    repeats: int
    items: int
    cost: float
    power: float
    effect: float


@dataclass(frozen=True)
class Costs:
    """The cost of a plan, and of plans with other numbers of runs.

    Attributes
    ----------
    price_item, price_run
        The price of an item, and of one run of one system on it.
    budget
        The money to spend; None if the cheapest design was requested.
    cost
        What the plan costs: items times the price of an item and of the runs of both systems.
    designs
        Every number of runs that was considered; larger ones cannot be better.
    """

    price_item: float
    price_run: float
    budget: float | None
    cost: float
    designs: list[PricedDesign]


@dataclass(frozen=True)
class PlanFacts:
    """The numbers that a plan consists of; `PlanResult` says what they are."""

    question: Literal["items", "effect", "power"]
    n: float
    items: int
    effect: float
    power: float
    target: float
    design: StudyDesign
    method: Literal["normal", "t", "exact", "permutation", "margin"]
    accuracy: float | None = None
    directions: Directions | None = None


@dataclass(frozen=True, repr=False, kw_only=True)
class PlanResult(Result, PlanFacts):
    """The answer to one planning question, with everything that went into it.

    Attributes
    ----------
    question
        Which of the three numbers was computed: "items", "effect" or "power"; the other two were given.
    verdict
        The answer in a sentence.
    n, items
        The number of items as computed, and the whole number to collect.
    effect
        The difference to detect.
    power, target
        The power reached, and the requested power.
    design
        Everything else about the study.
    method
        The method that was used, if the design says "auto".
    accuracy
        The accuracy of the baseline, if the discordance was computed from it.
    formula_n
        What the closed formula says, which treats the standard deviation as known; the test needs more items if
        there are few units.
    t_items
        What the paired t test needs, if it is not the answer itself.
    curve
        The power at this effect for fewer and for more items.
    needs
        The items for smaller and larger effects.
    retrospective
        Simulated curves, if a test was tried out on a pilot.
    costs
        The cost of the study, if prices were given.
    anytime
        The items that looking early takes, if requested.
    reading
        How the pilot was interpreted; None without one.
    directions
        If n items of a known accuracy were asked about: what they detect if the other system is better, and if it is worse;
        `effect` is the less favourable of the two that is possible.
    runs
        If the pilot's repeats are whole runs: the items that a claim about new runs takes, for several numbers of runs.
    signature
        One line that repeats the plan.
    notes
        Notes for the reader.
    settings
        The settings that repeat the call.
    schema
        The schema of the saved file.
    """

    verdict: str
    formula_n: float | None = None
    t_items: int | None = None
    curve: list[PowerPoint] = field(default_factory=list)
    needs: list[EffectPoint] = field(default_factory=list)
    retrospective: list[SimulatedCurve] = field(default_factory=list)
    signature: Signature = field(default_factory=Signature)
    notes: list[Note] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    costs: Costs | None = None
    schema: Literal["outscore/plan/1"] = "outscore/plan/1"
    anytime: AnytimePlan | None = None
    reading: Reading | None = None
    runs: list[RunsPoint] = field(default_factory=list)

    def _brief(self) -> str:
        answer = f"{self.items:,} items, effect {brief_number(self.effect)}, power {brief_number(self.power)}"
        return f"of {self.question}: {answer}, alpha {self.design.alpha:g} {self.design.alternative}"


@dataclass(frozen=True, repr=False)
class PossibleP(Result):
    """All p-values that two printed accuracies allow.

    Attributes
    ----------
    scores
        The accuracies as printed.
    n
        Items.
    alpha, alternative
        The level, and the side of the test.
    right
        For each system the fewest and the most right answers that round to its score.
    lowest, highest
        Exact McNemar p-values, reached when the systems differ on `discordant[0]` and `discordant[1]` items.
    discordant
        The items they differ on then.
    independent
        The p-value for independent errors.
    significant_up_to
        The largest number of items the systems may differ on for p to stay at or below alpha; None when no overlap gets there.
    curve
        p from the most complete overlap to the least, for the numbers of right answers nearest to the scores.
    verdict
        The answer in words.
    signature, settings
        One line that repeats the answer, and the settings that repeat the call.
    notes
        Notes for the reader.
    schema
        The schema of the saved file.
    """

    scores: tuple[str, str]
    n: int
    alpha: float
    alternative: Literal["two-sided", "greater", "less"]
    right: tuple[tuple[int, int], tuple[int, int]]
    lowest: PValue
    highest: PValue
    discordant: tuple[int, int]
    independent: PValue
    significant_up_to: int | None
    curve: list[OverlapPoint] = field(default_factory=list)
    verdict: str = ""
    signature: Signature = field(default_factory=Signature)
    notes: list[Note] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    schema: Literal["outscore/possible-p/1"] = "outscore/possible-p/1"

    def _brief(self) -> str:
        low, high = (brief_p(p.value, p.log10) for p in (self.lowest, self.highest))
        return f"of {self.scores[0]} and {self.scores[1]} on {self.n:,} items: {low} to {high}"


@dataclass(frozen=True)
class PrintedScore:
    """One printed accuracy.

    Attributes
    ----------
    system, score
        The system, and its score as printed.
    right
        The fewest and the most right answers that round to it; None if the number of items is not given.
    """

    system: str
    score: str
    right: tuple[int, int] | None = None


@dataclass(frozen=True)
class Fitting:
    """Numbers of items for which every score is the rounded accuracy of some number of right answers.

    Attributes
    ----------
    looked_up_to
        The largest number that was checked.
    count
        How many numbers fit.
    smallest
        The smallest that fits; None if none does.
    every_from
        Every number from here on fits; None if that is beyond those checked.
    ranges
        The first ranges of numbers that fit, first and last of each.
    """

    looked_up_to: int
    count: int
    smallest: int | None
    every_from: int | None
    ranges: list[tuple[int, int]]


@dataclass(frozen=True)
class PossiblePair:
    """The p-values that two printed accuracies allow, on their own and among all pairs.

    Attributes
    ----------
    systems
        The two, the one with the higher score first.
    lowest, highest
        The smallest and the largest p of the exact McNemar test, over all right answers and overlaps of errors that fit.
    adjusted_lowest, adjusted_highest
        Bounds of p corrected for all pairs: the correction of all smallest p-values, and of all largest.
    independent
        p for independent errors, without correction.
    outcome
        Whether corrected p is at or below alpha "always", "never", or "depends" on how far errors overlap.
    """

    systems: tuple[str, str]
    lowest: PValue
    highest: PValue
    adjusted_lowest: float
    adjusted_highest: float
    independent: PValue
    outcome: Literal["always", "depends", "never"]


@dataclass(frozen=True, repr=False)
class PossibleTable(Result):
    """What a printed table of accuracies allows.

    Attributes
    ----------
    systems
        The printed scores, best first.
    n
        Items; None if they were not given, and then there are no pairs.
    alpha
        The level.
    fitting
        How many items there may be, according to the printed decimals.
    pairs
        All pairs of systems.
    family
        The correction over the pairs; None without pairs.
    verdict, headline, reason
        The answer in words, and its two parts.
    signature, settings
        One line that repeats the answer, and the settings that repeat the call.
    notes
        Notes for the reader.
    schema
        The schema of the saved file.
    reading
        How the file was interpreted; None if scores were given directly.
    """

    systems: list[PrintedScore]
    n: int | None
    alpha: float
    fitting: Fitting
    pairs: list[PossiblePair] = field(default_factory=list)
    family: Family | None = None
    verdict: str = ""
    headline: str = ""
    reason: str = ""
    signature: Signature = field(default_factory=Signature)
    notes: list[Note] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    schema: Literal["outscore/possible-table/1"] = "outscore/possible-table/1"
    reading: Reading | None = None

    def _brief(self) -> str:
        first = self.systems[0]
        items = "unknown items" if self.n is None else f"{self.n:,} items"
        always = sum(pair.outcome == "always" for pair in self.pairs)
        answer = (
            f"{always} of {len(self.pairs)} pairs differ in any case" if self.pairs else f"{self.fitting.count:,} sizes fit"
        )
        return (
            f"of {len(self.systems)} printed scores on {items}: {brief_name(first.system)} {first.score[:20]} first, {answer}"
        )
