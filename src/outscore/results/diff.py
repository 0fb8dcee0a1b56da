"""The results of a comparison of outputs: frozen records that survive a JSON round trip.

Everything here is about the step from the first system of a pair to the second, so every difference is second minus first:
corrections make it larger, new errors smaller.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from outscore.core.records import brief_name, brief_number, brief_p, dataclass
from outscore.results.analysis import ScoredSubset
from outscore.results.design import Family, Reading
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue
from outscore.results.rendering import Result, frame_of

if TYPE_CHECKING:
    import polars as pl

MAX_LISTED_PAIRS = 3
"""Up to this many pairs are listed individually."""


@dataclass(frozen=True)
class Rates:
    """Recall and precision.

    Attributes
    ----------
    r
        Recall, over gold units.
    p
        Precision, over the system's units.
    f1
        Their harmonic mean.
    """

    r: float
    p: float
    f1: float


@dataclass(frozen=True)
class Outcomes:
    """What happened to the units from the first system to the second.

    Attributes
    ----------
    both_right, shared_error
        Units that stay right, and units that stay wrong in the same way.
    correction, new_error
        Units that become right, and units that become wrong.
    changed_error
        Units that become wrong in a different way.
    """

    both_right: int
    correction: int
    new_error: int
    changed_error: int
    shared_error: int

    @property
    def n(self) -> int:
        """All units."""
        return self.both_right + self.correction + self.new_error + self.changed_error + self.shared_error

    @property
    def changes(self) -> int:
        """Units that became right, wrong, or wrong in a different way."""
        return self.correction + self.new_error + self.changed_error


class Shift(msgspec.Struct, frozen=True, rename={"source": "from", "target": "to"}, kw_only=True):
    """A row of a transition table: how often one label became another, and how often the reverse happened.

    Attributes
    ----------
    source, target
        What the first system answered and what the second does; "from" and "to" in JSON.
    gold
        The right label.
    count, mirror
        How often the label changed this way, and how often the reverse happened.
    share_of_class, share_of_changes
        The count divided by all changes of its class, and by all changes.
    p
        The change against its mirror, by swapping the systems within clusters: a correction from x to y against the new error
        from y to x. None below the minimum support.
    """

    source: str
    target: str
    gold: str
    count: int
    mirror: int
    share_of_class: float
    share_of_changes: float
    p: PValue | None = None


@dataclass(frozen=True)
class ScoreChange:
    """One metric of the whole.

    Attributes
    ----------
    metric
        Its name.
    first, second, difference
        Both scores, and second - first.
    interval, p
        The interval of the difference, and its test.
    needed
        If it is not significant: how many times as much data detect a true difference as large as the observed one with power
        .8; None if no amount does, and in results of version 0.1.0.
    """

    metric: str
    first: float
    second: float
    difference: float
    interval: Interval | None
    p: PValue
    needed: float | None = None


@dataclass(frozen=True)
class Pair:
    """The step from one system to another by one criterion.

    Attributes
    ----------
    systems
        First and second.
    criterion
        What makes an answer right.
    n, clusters
        Units, and the clusters they are tested in; None if units are independent.
    differ
        Share of units with different answers.
    overlap_correct
        Dice coefficient of the right answers.
    metric, first, second, difference, interval, p
        The score of the criterion, and its difference second - first.
    metrics
        The other scores of the whole, each with its own test.
    kinds
        What the changes consist of: heads or labels, boundaries or types.
    transitions
        Rows by class of change; empty for most pairs of many systems, see the note on what is left out.
    labels, slices
        The same by gold label and by the values of other columns.
    outcomes
        What happened to the units.
    families
        The corrections of transitions, labels, slices, and of the pairs of one criterion if there are several.
    notes
        Notes for the reader.
    verdict, sentence
        The answer in words, and one sentence for a paper.
    headline, reason, identical
        The two parts of the verdict, and whether nothing changed. Empty and False in results of version 0.1.0.
    label_f1
        F1 of each label with its test, for the primary criterion if pairs are few.
    counted_by
        The criterion by which units are right or wrong, where that is not `criterion`: the CoNLL score of coreference is one of
        chains, and everything that counts mentions (n, differ, outcomes, transitions, labels, slices) is by ``"arcs-any"``.
    row_intervals
        How the intervals of labels and slices were computed. They are not adjusted for the number of rows.
    needed
        If the difference is not significant: how many times as much data detect a true one as large with power .8; None if no
        amount does, and in results of version 0.1.0.
    """

    systems: tuple[str, str]
    criterion: str
    n: int
    clusters: int | None
    differ: float
    overlap_correct: float
    metric: str
    first: float
    second: float
    difference: float
    interval: Interval | None
    p: PValue
    outcomes: Outcomes
    transitions: dict[str, list[Shift]]
    labels: list[ScoredSubset]
    slices: list[ScoredSubset] = field(default_factory=list)
    metrics: list[ScoreChange] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=dict)
    families: dict[str, Family] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    verdict: str = ""
    sentence: str = ""
    headline: str = ""
    reason: str = ""
    identical: bool = False
    row_intervals: str = ""
    label_f1: list[ScoredSubset] = field(default_factory=list)
    counted_by: str = ""
    needed: float | None = None

    @property
    def unit_criterion(self) -> str:
        """The criterion by which units are right or wrong."""
        return self.counted_by or self.criterion

    def is_significant(self, alpha: float) -> bool:
        """Whether the scores differ and the test rejects, by the corrected p if the pair is one of several."""
        return self.difference != 0 and self.p <= alpha and (self.p.adjusted is None or self.p.adjusted <= alpha)


@dataclass(frozen=True)
class OracleRate:
    """What the systems could do together.

    Attributes
    ----------
    rate
        Share of units that at least one system solves.
    independent
        The same if errors were independent.
    gain_over_best
        The rate minus that of the best system.
    """

    rate: float
    independent: float
    gain_over_best: float


@dataclass(frozen=True)
class LabelOracle:
    """The oracle on the units of one gold label.

    Attributes
    ----------
    label, n
        The label, and its units.
    scores
        The share that each system solves.
    rate, independent
        The share that at least one system solves, and the same if errors were independent.
    gain_over_best, gain_over_best_here
        The rate minus that of the system that is best overall, and minus that of the one that is best on this label.
    """

    label: str
    n: int
    scores: list[float]
    rate: float
    independent: float
    gain_over_best: float
    gain_over_best_here: float


@dataclass(frozen=True)
class Oracle:
    """What the systems could do together, by one criterion.

    Attributes
    ----------
    all
        On all units.
    labels
        On the units of each gold label.
    solved_by
        How many units none, one, two … systems solve.
    only
        Units that one system alone solves, by system.
    majority
        Share of units that most systems solve.
    criterion
        What makes an answer right.
    sentences
        Whole sentences: right if all their units are; for the combination, if some system has each unit right. None if units
        are not words.
    """

    all: OracleRate
    labels: list[LabelOracle]
    solved_by: list[int]
    only: dict[str, int]
    majority: float
    criterion: str = ""
    sentences: LabelOracle | None = None


@dataclass(frozen=True)
class LabelRates:
    """One system on one label.

    Attributes
    ----------
    system, label
        Which.
    n
        Gold units of the label.
    rates
        Recall, precision and F1 of the label.
    """

    system: str
    label: str
    n: int
    rates: Rates


@dataclass(frozen=True)
class Confusion:
    """One kind of error of one system.

    Attributes
    ----------
    system
        Which.
    gold, answer
        The right label and the one given; the same if only the head is wrong.
    count
        How often.
    """

    system: str
    gold: str
    answer: str
    count: int


@dataclass(frozen=True)
class Inventory:
    """Labels that files do not share.

    Attributes
    ----------
    unknown
        Labels that gold lacks, by system.
    unused
        Labels of gold that a system never or hardly ever uses, by system.
    warnings
        A sentence if they are frequent enough to decide a comparison.
    """

    unknown: dict[str, list[str]]
    unused: dict[str, list[str]]
    warnings: list[str]


@dataclass(frozen=True)
class KeyScore:
    """One response scored with another as the key: how far the two agree, without gold.

    Attributes
    ----------
    key, response
        The two systems.
    metric, f1
        The metric, and its F1.
    """

    key: str
    response: str
    metric: str
    f1: float


@dataclass(frozen=True, repr=False)
class Diff(Result):
    """One to many systems against gold: scores, what changed between them, and what they could do together.

    Attributes
    ----------
    task
        What was compared: "pos", "dep", "ner", "label" or "coref".
    units
        Gold units.
    systems
        The names.
    scores
        Every metric of every system: a number, or recall, precision and F1.
    pairs
        The step from one system to another, by pair and criterion; the primary criterion comes first.
    oracle
        What the systems could do together.
    agreement
        Share of units on which two systems agree, as a matrix.
    inventory
        Labels that files do not share.
    settings
        The settings that repeat the call.
    notes
        Notes for the reader.
    keys
        For coreference: each response scored with another as the key.
    label_rates, confusions
        Recall, precision and F1 of every label, and the most frequent errors, by system and the primary criterion.
    overlap
        Overlap of right answers of two systems (Dice), as a matrix; empty in results of version 0.1.0.
    schema
        The schema of the saved file.
    reading
        How the input was interpreted. None in results of version 0.1.0.
    """

    task: str
    units: int
    systems: list[str]
    scores: dict[str, dict[str, float | Rates]]
    pairs: list[Pair]
    oracle: Oracle | None
    agreement: list[list[float]]
    inventory: Inventory
    settings: dict[str, Any]
    notes: list[Note] = field(default_factory=list)
    keys: list[KeyScore] = field(default_factory=list)
    overlap: list[list[float]] = field(default_factory=list)
    label_rates: list[LabelRates] = field(default_factory=list)
    confusions: list[Confusion] = field(default_factory=list)
    schema: Literal["outscore/diff/1"] = "outscore/diff/1"
    reading: Reading | None = None

    @property
    def primary_pairs(self) -> list[Pair]:
        """The pairs by the first criterion."""
        return [pair for pair in self.pairs if pair.criterion == self.pairs[0].criterion]

    @property
    def counted_pairs(self) -> list[Pair]:
        """The pairs, without those that count the units of two systems by the same criterion as an earlier one does."""
        return list({(pair.systems, pair.unit_criterion): pair for pair in reversed(self.pairs)}.values())[::-1]

    @property
    def verdicts(self) -> list[str]:
        """The verdicts on the pairs by the primary criterion, individually if they are few."""
        pairs = self.primary_pairs
        if not pairs:
            return [f"{self.systems[0]}: scores of one system; name another to see what changed."]
        if len(pairs) <= MAX_LISTED_PAIRS:
            return [pair.verdict for pair in pairs]
        alpha = self.settings.get("alpha", 0.05)
        won = sum(pair.is_significant(alpha) for pair in pairs)
        together = "corrected together" if pairs[0].p.adjusted is not None else "each tested separately"
        return [f"{len(self.systems)} systems: {won} of {len(pairs)} pairs differ significantly, {together}."]

    @property
    def verdict(self) -> str:
        """The verdicts as one text."""
        return " ".join(self.verdicts)

    def to_frame(self, of: Literal["pairs", "labels", "transitions"] = "pairs") -> pl.DataFrame:
        """A polars data frame with a row for each pair and metric, for each label and slice, or for each transition."""
        return frame_of(self, of)

    def _brief(self) -> str:
        about = f"{self.task}: {len(self.systems)} {'system' if len(self.systems) == 1 else 'systems'}, {self.units:,} units"
        if not self.pairs:
            return about
        pair = self.pairs[0]
        first, second = map(brief_name, pair.systems)
        change = f"{pair.metric} {brief_number(pair.difference, sign=True)} {brief_p(pair.p.value, pair.p.log10)}"
        return f"{about}; {first} to {second}: {change}"
