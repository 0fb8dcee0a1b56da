"""The results of a ranking of many systems: frozen records that survive a JSON round trip.

Differences are raw, first system of the pair minus the second, whatever direction is better; a pair names the better one first
unless a baseline was named, which then comes second in all pairs.
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from outscore.core.records import brief_name, brief_number, dataclass
from outscore.results.design import Family, Reading, Replicated
from outscore.results.note import Note, Signature
from outscore.results.pvalue import Kind
from outscore.results.rendering import Result, frame_of

if TYPE_CHECKING:
    import polars as pl

MAX_PAIRS = 50_000
"""With more pairs than this over all datasets, a result only keeps their counts; the pairs go into a Parquet file."""


@dataclass(frozen=True)
class RankedSystem:
    """The place of one system.

    Attributes
    ----------
    system
        Its name.
    value
        Its score.
    low, high
        The interval of the score alone.
    rank_low, rank_high
        The best and the worst place that the tests allow: one more than the number of systems that are significantly better,
        and the number of systems minus those significantly worse.
    n
        Items it was scored on.
    letters
        The groups it is in.
    advantage
        Its effect adjusted for those of items or datasets, by least squares, if systems have different items.
    tier
        1 if no system is significantly better, otherwise one more than the lowest tier among those that are; None with a
        baseline, and in results of version 0.1.0.
    """

    system: str
    value: float
    low: float | None
    high: float | None
    rank_low: int
    rank_high: int
    n: int
    letters: str = ""
    advantage: float | None = None
    tier: int | None = None


@dataclass(frozen=True)
class PairP:
    """The parts of a p-value that a leaderboard needs.

    Attributes
    ----------
    value
        The p-value, as `compare` reports it: of certified bounds the middle. In results of version 0.1.0 it is their upper end.
        Among more than two systems, p below 1e-7 is found less closely, to within an eighth.
    log10
        Its decimal logarithm.
    method
        How it was computed.
    adjusted
        Corrected for the number of pairs; None if the pair does not count in the correction.
    upper
        The upper end of certified bounds, which decides and is corrected; None for other p-values, which decide themselves.
    """

    value: float
    log10: float
    method: Kind
    adjusted: float | None = None
    upper: float | None = None

    @property
    def claimed(self) -> float:
        """The number to compare with alpha before any correction."""
        return self.value if self.upper is None else self.upper


@dataclass(frozen=True)
class RankedPair:
    """Two systems of a ranking.

    Attributes
    ----------
    systems
        The better one first; in a ranking against a baseline, the baseline second.
    n
        Items they share. If they share none, p is 1 and `note` says why.
    difference
        The score of the first minus that of the second, on the items shared.
    low, high
        The interval of the difference.
    p
        The p-value of the difference.
    note
        What to know about this pair.
    needed
        How many of what `n` counts, items or what is swapped as one, detect a true difference as large as the observed one with
        power .8, for the pair with the leader, or the baseline, that is closest to being decided; None for all others, and in
        results of version 0.1.0.
    """

    systems: tuple[str, str]
    n: int
    difference: float | None
    low: float | None
    high: float | None
    p: PairP
    note: str | None = None
    needed: int | None = None


@dataclass(frozen=True)
class PairCounts:
    """How many pairs there are.

    Attributes
    ----------
    pairs
        All of them.
    testable
        Those that share items.
    significant
        Those that differ significantly after correction.
    """

    pairs: int
    testable: int
    significant: int


@dataclass(frozen=True)
class Standing:
    """The systems on one dataset by one metric, best first.

    Attributes
    ----------
    name
        The dataset; None is the whole.
    metric, higher_is_better
        The score, and its direction.
    n
        Items.
    systems
        The names, best first.
    scores
        The systems with scores and the places that the tests allow.
    pairs
        All pairs with their tests; empty if there are more than `MAX_PAIRS`.
    counts
        How many pairs there are, and how many differ.
    groups
        The largest sets of systems no two of which differ significantly, by place.
    ordered_by
        "score", or "advantage" (system effects by least squares) if systems have different items.
    test, kernel, interval
        The test, and how p and the intervals of the pairs were computed.
    notes
        Notes for the reader.
    """

    name: str | None
    metric: str
    higher_is_better: bool
    n: int
    systems: list[str]
    scores: list[RankedSystem]
    pairs: list[RankedPair]
    counts: PairCounts
    groups: list[list[str]]
    ordered_by: Literal["score", "advantage"]
    test: str
    kernel: str
    interval: str
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True)
class CriticalDifference:
    """Friedman's test over datasets or items, and the difference in mean rank that Nemenyi's test requires.

    Attributes
    ----------
    blocks
        Datasets or items that were ranked.
    over
        Which of the two.
    mean_ranks
        The mean rank of each system, best first.
    p
        The p-value of Friedman's test.
    critical_difference
        Mean ranks that differ by more are significantly different.
    groups
        Systems that cannot be told apart.
    form
        How p was computed: counted exactly, by Iman and Davenport's F, or by chi-square.
    """

    blocks: int
    over: Literal["datasets", "items"]
    mean_ranks: dict[str, float]
    p: float
    critical_difference: float
    groups: list[list[str]]
    form: Literal["exact", "F", "chi-square"] | None = None


@dataclass(frozen=True)
class JointSystem:
    """One system among all, from resamples of the items that are the same for all systems.

    Attributes
    ----------
    system
        Its name.
    best, best_error
        The share of resamples in which it has the best score, ties split, and the sampling error of that share (99%).
        It is not a p-value: two equal systems have one half each.
    behind, behind_low, behind_high
        Its score minus that of the leader, with simultaneous limits for all pairs; None for the leader.
    win_rate, win_low, win_high
        The share of other systems that it beats on an item, ties counting half, averaged over items, with limits for all
        systems at once; None if items have no scores.
    borda, borda_low, borda_high
        The same as points per item: one for each system that is worse, half for each tie.
    dataset_win_rate, dataset_win_low, dataset_win_high
        The share of other systems that it beats on a dataset, averaged over datasets; None if there is one.
    """

    system: str
    best: float
    best_error: float
    behind: float | None = None
    behind_low: float | None = None
    behind_high: float | None = None
    win_rate: float | None = None
    win_low: float | None = None
    win_high: float | None = None
    borda: float | None = None
    borda_low: float | None = None
    borda_high: float | None = None
    dataset_win_rate: float | None = None
    dataset_win_low: float | None = None
    dataset_win_high: float | None = None


@dataclass(frozen=True)
class JointPair:
    """The difference of two systems, the first minus the second, with simultaneous limits for all pairs.

    Attributes
    ----------
    systems
        The two, as in the pairs of the ranking.
    difference
        The difference of their scores.
    low, high
        The limits; None if resampling does not change the difference.
    """

    systems: tuple[str, str]
    difference: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Joint:
    """All systems at once: the items, or clusters, were resampled, the same for all systems.

    Attributes
    ----------
    resamples, seed
        How often, and with which seed.
    unit, units
        What was resampled, and how many of them there are (in the smallest dataset).
    level
        The confidence that all limits hold at once.
    critical, critical_error
        How many standard errors the limits of the pairs reach, and the sampling error of that number (99%).
    systems
        Best first.
    pairs
        As in the ranking: all of them, or those with the baseline.
    """

    resamples: int
    seed: int
    unit: str
    units: int
    level: float
    critical: float | None
    critical_error: float | None
    systems: list[JointSystem]
    pairs: list[JointPair]


@dataclass(frozen=True)
class Domination:
    """Whether one system dominates another: better on every measure, or not worse by a margin on those that have one.

    Attributes
    ----------
    systems
        The one that dominates, and the other.
    parts
        One-sided p for each measure.
    p, adjusted
        The largest of them (intersection-union test), and the same by Holm over all ordered pairs that share items.
    """

    systems: tuple[str, str]
    parts: list[float]
    p: float
    adjusted: float


@dataclass(frozen=True)
class FrontierSystem:
    """A system by all measures.

    Attributes
    ----------
    system
        Its name.
    values, lows, highs
        Its score by each measure, with the ends of its interval.
    dominated_by
        The systems shown to dominate it; if there are none, it may be on the frontier.
    p
        The smallest adjusted p of the claims that it is dominated; None if none was tested.
    """

    system: str
    values: list[float]
    lows: list[float | None]
    highs: list[float | None]
    dominated_by: list[str]
    p: float | None


@dataclass(frozen=True)
class Frontier:
    """Which systems are not shown to be dominated: with confidence 1 - alpha, all that truly are not are among them.

    Attributes
    ----------
    measures, higher_is_better
        The measures, and the direction of each.
    margins
        By measure: by how much less than this a system that dominates may be worse.
    tests
        The number of ordered pairs that the adjusted p-values are corrected for.
    systems
        All systems, best by the first measure first.
    pairs
        All ordered pairs that share items; those with the smallest adjusted p first.
    sentences
        For each system that is dominated, by whom and by how much.
    """

    measures: list[str]
    higher_is_better: list[bool]
    margins: dict[str, float]
    tests: int
    systems: list[FrontierSystem]
    pairs: list[Domination]
    sentences: list[str]


@dataclass(frozen=True)
class SuspiciousItem:
    """An item on which better systems do worse: often a wrong key, or a question that can be read in two ways.

    Attributes
    ----------
    item, dataset
        Its id, or its number from 1 on if items have none; and the dataset it is in.
    mean
        The mean score of all systems.
    correlation
        Its item-rest correlation.
    """

    item: str
    dataset: str | None
    mean: float
    correlation: float


@dataclass(frozen=True)
class ItemKinds:
    """Which items decide a ranking. Items are judged by their scores alone; no model is fitted.

    Attributes
    ----------
    items
        How many there are.
    all_right, all_wrong, equal
        Items on which all systems have the same score, which tell none of them apart: the best one, the worst one, and for
        graded scores any.
    discriminating
        Items with an item-rest correlation of at least .2; None with fewer than five systems.
    suspicious, by_chance
        Items with a negative one, one-sided p <= .05, and how many items without any relation to the rest would be expected to
        have one; None with fewer than five systems.
    effective
        As many items that decide alike as these decide: (Σ v)² / Σ v², where v is the variance of an item's scores.
    listed
        The most suspicious items.
    """

    items: int
    all_right: int
    all_wrong: int
    equal: int
    discriminating: int | None
    suspicious: int | None
    by_chance: float | None
    effective: float
    listed: list[SuspiciousItem]

    @property
    def dead(self) -> int:
        """Items that tell no systems apart."""
        return self.all_right + self.all_wrong + self.equal


@dataclass(frozen=True)
class Coverage:
    """How complete the leaderboard is.

    Attributes
    ----------
    systems, items
        How many there are.
    missing
        Scores that are missing.
    duplicates, conflicts
        Rows of the same system and item, and those that contradict each other.
    strangers
        Pairs of systems that share no item.
    """

    systems: int
    items: int
    missing: int
    duplicates: int = 0
    conflicts: int = 0
    strangers: int = 0


@dataclass(frozen=True)
class RankDesign:
    """What was swapped between two systems, over all datasets.

    Attributes
    ----------
    items, noun
        How many there are, and what one of them is called.
    group, clusters
        The name of items that are swapped as one, and how many of these there are.
    unit_size, unit_statistic
        Items that are scored as one unit, and the statistic that summarises them.
    units, remainder
        The number of units and items left over; None if systems have different items.
    shuffle
        The seed for shuffling the items before units were formed.
    repeats
        Runs of each item, on average; they were averaged first.
    repeats_range
        The fewest and the most runs of a system on an item, if they differ; None if all are equal, or unknown.
    repeat_kind, repeat_column
        What the repeats are, "epochs" of each item or "runs" that span all items, and their name in the data.
    reduced
        How an item's runs became one score ("pass@2"); empty for their mean.
    """

    items: int
    noun: str = "item"
    group: str = "cluster"
    clusters: int | None = None
    unit_size: int = 1
    unit_statistic: str = "mean"
    units: int | None = None
    remainder: int | None = None
    shuffle: int | None = None
    repeats: float = 1.0
    repeat_kind: Literal["epochs", "runs"] | None = None
    repeat_column: str = ""
    reduced: str = ""
    repeats_range: tuple[int, int] | None = None

    @property
    def unit(self) -> str:
        """What is swapped as one."""
        if self.unit_size > 1:
            return "unit"
        return self.noun if self.clusters is None else self.group

    def score_name(self, metric: str) -> str:
        """The name of the scores: the metric, with a remark if units are summarised by their medians."""
        return f"{metric} of unit medians" if self.unit_size > 1 and self.unit_statistic == "median" else metric


@dataclass(frozen=True)
class OtherPopulation:
    """The same pairs as claims about another population, corrected in the same way; they do not affect the ranking.

    Attributes
    ----------
    population
        Which one: "items", "items-and-runs" or "these-items".
    test
        The test of its pairs.
    counts
        How many pairs there are, can be tested, and differ significantly.
    smallest_p, smallest_adjusted_p
        The smallest p that so many items and runs can give a pair, and the same after the correction; None if there is no such
        limit, or it is not known.
    """

    population: str
    test: str
    counts: PairCounts
    smallest_p: float | None = None
    smallest_adjusted_p: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class Ranking(Result, Standing):
    """Many systems: which one is ahead, and which differences are real.

    The top level is the answer: one dataset, or the macro average over datasets.

    Attributes
    ----------
    name, metric, higher_is_better, n, systems, scores, pairs, counts, groups, ordered_by, test, kernel, interval, notes
        As in each `Standing`.
    correction, family
        The requested correction, and the one that was applied to the pairs, with its error rate and number of tests.
    coverage
        How complete the leaderboard is.
    alpha
        The level of the tests.
    baseline
        The system all others were compared with; None compares all pairs.
    verdict, sentence, signature
        The answer in words, one sentence for a paper, and one line that says how the numbers were computed.
    settings
        The settings that repeat the call.
    headline, reason
        The two parts of the verdict. Empty in results of version 0.1.0.
    datasets, datasets_family
        The same for each dataset, and the correction over them.
    slice, slices, slices_family
        A column of the data, the same for each of its values, and the correction over them.
    metrics
        The same for each further metric.
    replicability
        On how many datasets one system is better than another.
    critical_difference
        Friedman's test and Nemenyi's critical difference, if requested.
    design
        What was swapped between two systems.
    reading
        How the input was interpreted. None in results of version 0.1.0.
    population
        What the claims are about: "items" are new items with the runs at hand, "items-and-runs" new items and new runs,
        "these-items" new runs of these items.
    other_populations
        How many pairs differ significantly as claims about other populations.
    smallest_p, smallest_adjusted_p
        With repeats: the smallest p that so many items and runs can give a pair as a claim about `population`, and the same
        after the correction; None if there is no such limit, or it is not known.
    joint
        Simultaneous intervals, how often each system is best, Borda scores and win rates, if requested.
    frontier
        Which systems no other dominates, if there are several measures.
    items
        Which items decide; None if items have no scores of their own, or were not kept.
    schema
        The schema of the saved file.
    """

    has_pairs: ClassVar[bool] = True

    correction: str
    family: Family
    coverage: Coverage
    alpha: float
    baseline: str | None
    verdict: str
    sentence: str
    signature: Signature
    settings: dict[str, Any]
    headline: str = ""
    reason: str = ""
    datasets: list[Standing] = field(default_factory=list)
    datasets_family: Family | None = None
    metrics: list[Standing] = field(default_factory=list)
    replicability: list[Replicated] = field(default_factory=list)
    critical_difference: CriticalDifference | None = None
    design: RankDesign | None = None
    reading: Reading | None = None
    population: str = "items"
    other_populations: list[OtherPopulation] = field(default_factory=list)
    joint: Joint | None = None
    smallest_p: float | None = None
    smallest_adjusted_p: float | None = None
    frontier: Frontier | None = None
    items: ItemKinds | None = None
    slice: str | None = None
    slices: list[Standing] = field(default_factory=list)
    slices_family: Family | None = None
    schema: Literal["outscore/ranking/1"] = "outscore/ranking/1"

    @property
    def standing(self) -> Standing:
        """The top level in the form of a dataset, without the notes, which belong to the whole ranking."""
        return Standing(**{part.name: getattr(self, part.name) for part in fields(Standing) if part.name != "notes"})

    @property
    def closest_to_decided(self) -> RankedPair | None:
        """Of the undecided pairs with the leader, or the baseline, the one with the smallest p."""
        centre = self.baseline or self.scores[0].system
        undecided = [
            pair
            for pair in self.pairs
            if centre in pair.systems and pair.p.adjusted is not None and pair.p.adjusted > self.alpha and pair.difference
        ]
        return min(undecided, key=lambda pair: pair.p.claimed, default=None)

    def to_frame(self, of: Literal["systems", "pairs"] = "systems") -> pl.DataFrame:
        """A polars data frame with a row for each system, or for each pair, of every dataset and metric."""
        return frame_of(self, of)

    def _brief(self) -> str:
        first = self.scores[0]
        lead = f"{brief_name(first.system)} {brief_number(first.value)}"
        apart = f"{self.counts.significant:,} of {self.counts.testable:,} pairs differ ({self.correction})"
        return f"of {len(self.systems):,} systems by {brief_name(self.metric)}: {lead} first, {apart}"
