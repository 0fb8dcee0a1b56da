"""Parts of a comparison that hold no p-value: what was read, what was compared, how it was matched, who won."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from outscore.core.records import dataclass

__all__ = [
    "Alignment",
    "Claim",
    "DecidingItem",
    "Decision",
    "Design",
    "Direction",
    "DirectionSource",
    "Family",
    "Missing",
    "PathStep",
    "Reading",
    "Replicated",
    "ScorePart",
    "Segment",
    "Verdict",
]

Direction = Literal["higher", "lower"]
DirectionSource = Literal["given", "metric", "log", "column", "file", "default"]
Claim = Literal["better", "undecided", "equivalent", "non-inferior"]


@dataclass(frozen=True)
class Reading:
    """What the input was taken to mean.

    Parts hold the names of columns, several where files name theirs differently or where several columns are counts. A part
    that no column plays is empty.

    Attributes
    ----------
    kind
        "table" has named columns, "log" is what a harness recorded, "numbers" are bare numbers in the order of their lines,
        "arrays" come from Python, "texts" are scored against references, "outputs" against right
        answers, and "printed" are the scores of a published table.
    rows, files
        How many rows were read, and from how many files.
    formats
        The formats of the files.
    score
        Columns of the scores; empty where each system has a column of its own.
    systems
        Columns that are a system each.
    item, system, repeat, cluster, dataset, slices
        Columns of the other parts. Without `item`, items are matched by their order.
    prediction, gold
        Columns that were compared: an item scores 1 where the prediction is the right answer.
    by_class
        Whether predictions were counted by class instead, as macro-F1 needs them.
    measures
        The columns, or scores of logs, that are compared one by one as a family.
    direction, direction_source
        Which scores are better, and how that is known.
    left_out
        How many of the rows have no score and were left out.
    gold_file, output_files
        Of outputs: the file of the right answers, and those of the systems.
    """

    kind: Literal["table", "log", "numbers", "arrays", "texts", "outputs", "printed"]
    rows: int
    files: int = 0
    formats: list[str] = field(default_factory=list)
    score: list[str] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    item: list[str] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    repeat: list[str] = field(default_factory=list)
    cluster: list[str] = field(default_factory=list)
    dataset: list[str] = field(default_factory=list)
    slices: list[str] = field(default_factory=list)
    prediction: list[str] = field(default_factory=list)
    gold: list[str] = field(default_factory=list)
    direction: Direction = "higher"
    direction_source: DirectionSource = "default"
    gold_file: str = ""
    output_files: list[str] = field(default_factory=list)
    by_class: bool = False
    measures: list[str] = field(default_factory=list)
    left_out: int = 0


@dataclass(frozen=True)
class Missing:
    """Rows of one system that have no score, by reason.

    Attributes
    ----------
    system
        The system.
    errored, unscored, empty, not_run
        Rows whose run failed, that nobody scored, that have no output, and that were never run.
    treatment
        Whether they were left out (``"drop"``) or count as 0 (``"zero"``).
    """

    system: str
    errored: int = 0
    unscored: int = 0
    empty: int = 0
    not_run: int = 0
    treatment: Literal["drop", "zero"] = "drop"

    @property
    def reasons(self) -> dict[str, int]:
        """The reasons that there are, as they are called, with their numbers."""
        counts = {"errored": self.errored, "unscored": self.unscored, "empty": self.empty, "not run": self.not_run}
        return {reason: count for reason, count in counts.items() if count}


@dataclass(frozen=True)
class Alignment:
    """How the rows of the two systems were matched.

    Attributes
    ----------
    common
        Items that both systems have.
    only_a, only_b
        Items that one of them lacks.
    duplicates
        Rows of an item beyond its first.
    conflicts
        Items whose rows contradict each other.
    missing
        Rows of logs that have no score, one entry for each system that has such rows.
    """

    common: int
    only_a: int = 0
    only_b: int = 0
    duplicates: int = 0
    conflicts: int = 0
    missing: list[Missing] = field(default_factory=list)


@dataclass(frozen=True)
class PathStep:
    """One view of the same data: every row for itself, repeats averaged, clusters as one, items and runs both drawn anew.

    Attributes
    ----------
    view
        Which of them.
    n
        Units in this view.
    difference
        The difference A - B.
    p
        The p-value of the same test.
    """

    view: Literal["rows", "items", "clusters", "items-and-runs", "these-items"]
    n: int
    difference: float
    p: float


@dataclass(frozen=True)
class Design:
    """What counts as one unit, and how the answer moved on the way there.

    Attributes
    ----------
    rows
        Rows that were read.
    items
        Distinct items.
    repeats
        Rows per item, on average.
    path
        The answer in each view of the data.
    unit_size, remainder
        Items scored as one unit, and items left over.
    unit_statistic
        What the items of a unit are summarised by.
    between, within
        With repeats: the variance of the difference from item to item, and from run to run of one item.
    noun
        What one row is: an item, a segment.
    repeat_kind
        What the repeats are: "epochs" of each item by itself, or "runs" that span all items; None without repeats.
    repeat_column
        What the data call the repeats: "seed".
    repeats_of
        With repeats: how often A and B were run on an item, on average.
    datasets
        Datasets whose macro average was compared; 1 where items are pooled.
    reduced
        With repeats: the score that was made of an item's runs ("pass@2"); empty where it is their mean.
    """

    rows: int
    items: int
    repeats: float
    path: list[PathStep]
    unit_size: int = 1
    remainder: int = 0
    between: float | None = None
    within: float | None = None
    noun: str = "item"
    unit_statistic: Literal["mean", "median"] = "mean"
    repeat_kind: Literal["epochs", "runs"] | None = None
    repeat_column: str = ""
    datasets: int = 1
    repeats_of: tuple[float, float] | None = None
    reduced: str = ""


@dataclass(frozen=True)
class Decision:
    """The outcome in two words.

    Attributes
    ----------
    winner
        Index of the system that won; None where nobody did.
    claim
        What may be claimed.
    """

    winner: Literal[0, 1] | None
    claim: Claim


@dataclass(frozen=True)
class Verdict:
    """The answer in words, in the parts that readers see apart.

    Attributes
    ----------
    headline
        Who won, or that nobody did: what to set in large letters.
    reason
        The evidence, ending in a full stop; empty where the headline says everything.
    winner
        Index of the system that won; None where none did.
    claim
        What may be claimed.
    """

    headline: str
    reason: str = ""
    winner: int | None = None
    claim: Claim = "undecided"

    @property
    def text(self) -> str:
        """Headline and reason as one text."""
        return f"{self.headline}: {self.reason}" if self.reason else self.headline


@dataclass(frozen=True)
class Family:
    """Comparisons whose p-values are corrected together.

    Attributes
    ----------
    correction
        The method.
    error_rate
        The error rate it controls.
    m
        How many tests it corrects for.
    """

    correction: str
    error_rate: str
    m: int


@dataclass(frozen=True)
class DecidingItem:
    """A unit that moved the answer.

    Attributes
    ----------
    item
        Its name.
    a, b, difference
        Both scores on it, and A - B.
    influence
        How much of the whole difference hangs on it.
    question, target, answers
        Of logs: what was asked, what was expected, and what each system answered, as far as they say it.
    """

    item: str
    a: float
    b: float
    difference: float
    influence: float
    question: str | None = None
    target: str | None = None
    answers: tuple[str | None, str | None] | None = None


@dataclass(frozen=True)
class Segment:
    """A segment that moved the corpus score.

    Attributes
    ----------
    item
        Its name.
    references
        The reference translations.
    a, b
        Both outputs.
    influence
        How much of the whole difference hangs on it.
    source
        What was translated; None where nothing says it, and in results of version 0.1.0.
    """

    item: str
    references: list[str]
    a: str
    b: str
    influence: float
    source: str | None = None


@dataclass(frozen=True)
class ScorePart:
    """One of the numbers that a score is made of.

    Attributes
    ----------
    name
        What it is: "brevity penalty".
    a, b
        Its value for both systems.
    """

    name: str
    a: float
    b: float


@dataclass(frozen=True)
class Replicated:
    """On how many datasets one system is better than another, from one-sided p-values of the datasets.

    The first system is the one ahead in the data; to make up for that choice each direction is tested at alpha/2. Each pair is
    taken by itself.

    Attributes
    ----------
    systems
        The pair, the one ahead first.
    datasets
        Datasets that hold items of both.
    bonferroni, fisher
        With confidence 1 - alpha the first system is better on at least so many datasets: for any dependence between
        datasets, and for independent ones.
    holm
        The datasets on which it is significantly better, corrected for their number.
    worse
        The datasets on which it is significantly worse, corrected alike.
    """

    systems: tuple[str, str]
    datasets: int
    bonferroni: int
    fisher: int
    holm: list[str]
    worse: list[str] = field(default_factory=list)
