"""The result of a comparison, with its evidence."""

from __future__ import annotations

import json
from dataclasses import field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from outscore.core.records import brief_interval, brief_name, brief_number, brief_p, dataclass
from outscore.results.analysis import Analysis, Bucket, ChartData, Effect, EvaluationUnit, Power, Subset, UnitRow, WordStudy
from outscore.results.design import Alignment, DecidingItem, Decision, Design, Family, Reading, Replicated, ScorePart, Segment
from outscore.results.files import csv_text
from outscore.results.note import Note, Signature
from outscore.results.pvalue import Interval, PValue
from outscore.results.rendering import Result, frame_of

if TYPE_CHECKING:
    import polars as pl

UNIT_COLUMNS = ("metric", "slice", "system_a", "system_b", "unit", "a", "b", "difference", "items")


@dataclass(frozen=True)
class AnytimeEvidence:
    """Evidence that is valid at every look, and when the study could have stopped.

    Attributes
    ----------
    e_value
        The e-value after the last unit.
    p
        The anytime p-value: 1 over the largest e-value so far.
    low, high
        The confidence sequence of A - B after the last unit, in units of the metric.
    stopped_at
        After how many units the e-value first reached 1/alpha; None if it never did.
    units
        How many units there are: items, or clusters.
    bound
        The largest possible difference between two scores of an item.
    binary
        Whether the e-value is the closed form for right-or-wrong items; otherwise it comes from bets on the differences.
    """

    e_value: float
    p: float
    low: float
    high: float
    stopped_at: int | None
    units: int
    bound: float
    binary: bool


@dataclass(frozen=True)
class Bayes:
    """Posterior probabilities.

    Attributes
    ----------
    a_better, equal, b_better
        The probability that A is better, that the two are practically equal, and that B is better.
    rope
        Differences up to this size, in either direction, count as practically equal.
    """

    a_better: float
    equal: float
    b_better: float
    rope: float


@dataclass(frozen=True, repr=False)
class TestResult(Result):
    """What every test returns.

    Attributes
    ----------
    p
        The p-value.
    interval
        The interval of the same design; None if the test has none or none was requested.
    notes
        Notes for the reader.
    bayes
        Posterior probabilities, from the test `bayes`.
    own
        Intervals of A's and of B's own score, if the test has its own design for them.
    own_method
        How these were computed.
    chosen
        Options that were left to the test, and what it chose from the data.
    """

    # Not a test class, although its name looks like one to pytest.
    __test__ = False
    saved_schema: ClassVar[str | None] = "outscore/test/1"

    p: PValue
    interval: Interval | None = None
    notes: list[Note] = field(default_factory=list)
    bayes: Bayes | None = None
    own: tuple[tuple[float | None, float | None], tuple[float | None, float | None]] | None = None
    own_method: str = ""
    chosen: dict[str, str] = field(default_factory=dict)

    @property
    def verdict(self) -> str:
        """The p-value in words."""
        return self.p.verdict

    def _brief(self) -> str:
        ends = "" if self.interval is None else f", {brief_interval(self.interval.low, self.interval.high)}"
        return f"{brief_p(self.p.value, self.p.log10)} {self.p.method}, {self.p.test} test{ends}"


@dataclass(frozen=True, repr=False)
class SystemScore(Result):
    """One system's score on the metric.

    Attributes
    ----------
    system
        Its name.
    value
        Its score.
    low, high
        The interval of the score alone; None if there is none.
    method
        How it was computed.
    """

    saved_schema: ClassVar[str | None] = "outscore/system-score/1"

    system: str
    value: float
    low: float | None = None
    high: float | None = None
    method: str = ""

    @property
    def verdict(self) -> str:
        """The score in a sentence."""
        return f"{self.system} scores {self.value:.6g}"

    def _brief(self) -> str:
        return f"{brief_name(self.system)}: {brief_number(self.value)}"


@dataclass(frozen=True)
class Margin:
    """An acceptable difference, and what the tests say about it.

    Attributes
    ----------
    value
        The acceptable difference.
    noninferiority
        The p-value of the claim that A is not worse than B by the margin.
    equivalence
        The p-value of the claim that the two are equal within the margin.
    limit
        The difference A - B on A's losing side that the test of non-inferiority just does not reject, at its one-sided level;
        None if the test has no such limit.
    needed
        How many items like these would show non-inferiority with a power of .8; None if it is shown, or nothing tells.
    interval
        In a gate: the interval of A - B at level 1 - 2 alpha, which agrees with both one-sided tests. None elsewhere.
    """

    value: float
    noninferiority: PValue
    equivalence: PValue
    limit: float | None = None
    needed: int | None = None
    interval: Interval | None = None


@dataclass(frozen=True)
class Claimed:
    """The part of one measure in a claim about several.

    Attributes
    ----------
    measure
        The measure.
    hypothesis
        What is claimed about the first system: "better", or "not worse" by the margin.
    margin
        The acceptable difference; None for a measure on which it should be better.
    p
        The one-sided p-value of the part, without correction.
    """

    measure: str
    hypothesis: Literal["better", "not worse"]
    margin: float | None
    p: PValue


@dataclass(frozen=True)
class JointClaim:
    """One claim about several measures, which holds if every part of it does (intersection-union test; Berger, 1982).

    Attributes
    ----------
    system, other
        The system that the claim is about, and the one it is compared with.
    claim, null
        The claim, and the hypothesis that is rejected if it holds.
    parts
        The claim about each measure.
    p
        The largest p of the parts, which is that of the claim.
    alpha
        The level of the claim, and the one-sided level of each part.
    holds
        Whether the claim is shown.
    """

    system: str
    other: str
    claim: str
    null: str
    parts: list[Claimed]
    p: PValue
    alpha: float
    holds: bool


@dataclass(frozen=True)
class PopulationAnswer:
    """The same comparison as a claim about another population of items and runs; it does not decide.

    Attributes
    ----------
    population
        Which one: "items", "items-and-runs" or "these-items".
    p
        Its p-value.
    interval
        The interval of the same design.
    smallest_p
        The smallest p that so many items and runs can give; None if there is no such limit, or it is not known.
    """

    population: str
    p: PValue
    interval: Interval | None = None
    smallest_p: float | None = None


@dataclass(frozen=True)
class Unpaired:
    """The two samples behind a comparison of different items.

    Attributes
    ----------
    n
        Items of A and of B.
    clusters
        Clusters of A and of B, which are exchanged as a whole; None without clusters.
    sd
        The standard deviation of each system's scores; None for a single item.
    welch, welch_interval
        Welch's test and interval, which allow unequal spreads; None if nothing varies, and for right-or-wrong items.
    level
        About how often the permutation test would reject for equal means with these sizes and spreads, at the level of the
        comparison; the level itself if sizes or spreads are equal. None if it is unknown.
    by_likelihood
        For right-or-wrong items: the two-sided p with tables ordered by their probability, as in R's `fisher.test`.
    """

    n: tuple[int, int]
    clusters: tuple[int, int] | None
    sd: tuple[float | None, float | None]
    welch: PValue | None = None
    welch_interval: Interval | None = None
    level: float | None = None
    by_likelihood: float | None = None


@dataclass(frozen=True)
class Runs:
    """Several runs of each system, and how much the difference varies with runs and with the test set.

    Attributes
    ----------
    a, b
        The score of each run.
    test_set
        The standard error of the difference from the choice of segments, units or documents.
    runs
        The standard error from the choice of runs.
    p
        The test of the scores of runs only, which exchanges runs between the systems.
    """

    a: list[float]
    b: list[float]
    test_set: float | None
    runs: float | None
    p: PValue


@dataclass(frozen=True, repr=False)
class Comparison(Result):
    """Two systems, one metric, one answer with its evidence.

    `print` shows the report, `to_markdown` and the like turn it into other forms, `save` writes it to a file that
    `outscore.load` reads back.

    Attributes
    ----------
    systems
        The names of A and B.
    metric
        What was compared.
    signature
        One line that says how the numbers were computed.
    higher_is_better
        The direction of the metric.
    n
        Items, or units of several items, that were compared.
    clusters
        How many clusters they belong to; None without clusters.
    design
        What counts as one unit, and the answer in each view of the data.
    alignment
        How the rows of the two systems were matched.
    scores
        Both systems' scores.
    difference
        The difference A - B, whatever the direction of the metric.
    p
        The p-value that decides, corrected if the comparison belongs to a family.
    interval
        The interval of the same design.
    decision
        Who won, and what may be claimed.
    verdict
        The answer in words: headline and reason.
    sentence
        One sentence for a paper.
    headline, reason
        The two parts of the verdict. Empty in results of version 0.1.0.
    identical
        Whether the systems have the same score on every item. False in results of version 0.1.0.
    notes
        Notes for the reader.
    dataset
        The dataset, if it has a name.
    slice
        The part of the data that was compared; None is all of it.
    effects
        Effect sizes with their intervals.
    tests
        The p-values of the other tests (``test="all"``).
    margin
        Non-inferiority and equivalence, if a margin was given.
    bayes
        Posterior probabilities, from the test `bayes`.
    analysis
        The data before any test: summaries, normality, suitable tests.
    power
        The smallest difference that this many items detect, and the power curve.
    deciding_items
        The units with the most influence on the difference, from both sides: the winner's first, or in turns if nobody won.
    favoured
        How many units favour A, and how many B; for texts, how many segments move the score towards each. None in results of
        version 0.1.0.
    fragility
        How many units' scores would have to be swapped to change the verdict.
    pictures
        The data of the charts.
    units
        The evaluation units with their members, if several items were compared as one.
    unit_advice
        How spread, effect size and p depend on the unit size.
    segments
        For texts: the segments that moved the score most, in the order of `deciding_items`.
    buckets
        The same comparison on each dataset, and for texts on other parts of the segments.
    runs
        What several runs of each system show, for texts and for scores whose repeats are runs.
    reading
        How the input was interpreted. None in results of version 0.1.0.
    population
        What `p`, `interval` and the verdict are about: "items" are new items with the runs at hand, "items-and-runs" new items
        and new runs.
    anytime
        Evidence that is valid at every look, if requested.
    other_populations
        The answers for the other populations that the data allow.
    smallest_p
        With repeats: the smallest p that so many items and runs can give for `population`; None if there is no such limit, or
        it is not known.
    replicability
        For several datasets: on how many of them the leading system is better. None in results of version 0.1.0.
    parts
        For texts: the components of the scores, such as BLEU's brevity penalty. Empty in results of version 0.1.0.
    unpaired
        The two samples, if the systems were compared on different items; None if items are paired.
    contradiction
        Where the system that the verdict favours is significantly worse, in words; empty if nowhere.
    """

    systems: tuple[str, str]
    metric: str
    signature: Signature
    higher_is_better: bool
    n: int
    clusters: int | None
    design: Design
    alignment: Alignment
    scores: tuple[SystemScore, SystemScore]
    difference: float
    p: PValue
    interval: Interval | None
    decision: Decision
    verdict: str
    sentence: str
    headline: str = ""
    reason: str = ""
    identical: bool = False
    notes: list[Note] = field(default_factory=list)
    dataset: str | None = None
    slice: Subset | None = None
    effects: list[Effect] = field(default_factory=list)
    tests: list[PValue] = field(default_factory=list)
    margin: Margin | None = None
    bayes: Bayes | None = None
    analysis: Analysis | None = None
    power: Power | None = None
    deciding_items: list[DecidingItem] = field(default_factory=list)
    fragility: int | None = None
    pictures: ChartData | None = None
    unit_advice: list[UnitRow] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    buckets: list[Bucket] = field(default_factory=list)
    runs: Runs | None = None
    reading: Reading | None = None
    population: str = "items"
    other_populations: list[PopulationAnswer] = field(default_factory=list)
    anytime: AnytimeEvidence | None = None
    replicability: Replicated | None = None
    parts: list[ScorePart] = field(default_factory=list)
    unpaired: Unpaired | None = None
    favoured: tuple[int, int] | None = None
    contradiction: str = ""
    smallest_p: float | None = None
    units: list[EvaluationUnit] = field(default_factory=list)

    def _saved(self) -> dict[str, Any]:
        """The saved form of several comparisons, marked as a single one."""
        return {**Comparisons([self], {}).to_dict(), "saved": "comparison"}

    def _brief(self) -> str:
        a, b = map(brief_name, self.systems)
        where = "" if self.slice is None else f" ({brief_name(f'{self.slice.column}={self.slice.value}')})"
        ends = ""
        if self.interval is not None and self.interval.estimand == "difference":
            ends = f" {brief_interval(self.interval.low, self.interval.high)}"
        p = f"{brief_p(self.p.value, self.p.log10)} {self.p.method}"
        return f"{self._outcome(a, b)}: {brief_name(self.metric)}{where} {brief_number(self.difference, sign=True)}{ends}, {p}"

    def _outcome(self, a: str, b: str) -> str:
        """Who won, with these names in the order of the difference."""
        if self.decision.winner is None:
            return f"{a} vs {b}, no winner"
        return f"{a} {'outscored' if self.decision.winner == 0 else 'lost to'} {b}"

    @property
    def score_name(self) -> str:
        """The name of the scores: the metric, with a remark if units are summarised by their medians."""
        return self.design.score_name(self.metric)


@dataclass(frozen=True, repr=False)
class Comparisons(Result):
    """The comparisons of one call: several metrics, or the whole and its slices.

    Attributes
    ----------
    comparisons
        All comparisons, the whole before its slices.
    settings
        The settings that repeat the call: options, versions, files.
    family
        The correction of their p-values; None if there is only one.
    headline, reason
        For several metrics: the answer of all of them together. Otherwise empty, as in results of version 0.1.0.
    schema
        The schema of the saved file.
    words
        For texts, if requested: which words make the difference.
    claim
        For several measures with margins: the claim of being better on some of them and not worse on the others.
    """

    comparisons: list[Comparison]
    settings: dict[str, Any]
    family: Family | None = None
    headline: str = ""
    reason: str = ""
    schema: Literal["outscore/result/1"] = "outscore/result/1"
    words: WordStudy | None = None
    claim: JointClaim | None = None

    def _saved(self) -> dict[str, Any]:
        """The saved form, marked as several comparisons even if it is one."""
        return {**self.to_dict(), "saved": "comparisons"}

    @property
    def verdict(self) -> str:
        """All verdicts, one after the other."""
        return " ".join(c.verdict for c in self.comparisons)

    def units_to_csv(self) -> str:
        """The evaluation units of all comparisons as CSV, with the names of their items as a list in JSON."""
        rows = [
            {
                "metric": c.metric,
                "slice": "" if c.slice is None else f"{c.slice.column}={c.slice.value}",
                "system_a": c.systems[0],
                "system_b": c.systems[1],
                "unit": unit.name,
                "a": unit.a,
                "b": unit.b,
                "difference": unit.difference,
                "items": json.dumps(unit.items, ensure_ascii=False),
            }
            for c in self.comparisons
            for unit in c.units
        ]
        return csv_text(UNIT_COLUMNS, rows)

    def to_frame(self) -> pl.DataFrame:
        """A polars data frame with a row for each comparison and each bucket."""
        return frame_of(self, "comparisons")

    def _brief(self) -> str:
        if not self.comparisons:
            return "0"
        a, b = map(brief_name, self.comparisons[0].systems)
        parts = (
            f"{brief_name(c.metric)} {brief_number(c.difference, sign=True)} {brief_p(c.p.value, c.p.log10)}"
            for c in self.comparisons[:4]
        )
        return f"{len(self.comparisons)}, {a} vs {b}: {', '.join(parts)}"
