"""Parts of a comparison without p-values: what was read, what was compared, how it was matched, who won."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from outscore.core.records import dataclass

Direction = Literal["higher", "lower"]
DirectionSource = Literal["given", "metric", "log", "column", "file", "data", "default"]
Claim = Literal["better", "undecided", "equivalent", "non-inferior"]
HOLM = "holm"
"""The correction that is used unless another one is asked for."""


@dataclass(frozen=True)
class Reading:
    """How the input was interpreted.

    Parts are the names of columns, several if files name theirs differently or if several columns are counts. A part
    without a column is empty.

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
        Columns of the scores; empty if each system has its own column.
    systems
        Columns that each are a system.
    item, system, repeat, cluster, dataset, slices, weight
        Columns of the other parts. Without `item`, items are matched by their order.
    prediction, gold
        Columns that were compared: an item scores 1 if the prediction is the right answer.
    by_class
        Whether predictions were counted by class instead, for macro-F1 and the like.
    beside
        What else was made of what stands beside `gold`: "classes" were counted, "probabilities" of one of them were scored, or
        the scores of metrics or judges were set beside those of "people".
    measures
        The columns, or scores of logs, that are compared separately as a family.
    direction, direction_source
        Which scores are better, and how that is known.
    direction_assumed
        Whether the name of the scores is not known, so that nothing says which are better.
    left_out, filled
        How many of the rows have no score, and were left out or count as the worst score.
    unused
        Columns of numbers that play no part.
    gold_file, output_files
        For outputs: the file of the right answers, and those of the systems.
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
    direction_assumed: bool = False
    filled: int = 0
    beside: Literal["", "classes", "probabilities", "people"] = ""
    weight: list[str] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Missing:
    """Rows of one system that have no score, by reason.

    Attributes
    ----------
    system
        The system.
    errored, unscored, empty, not_run
        Rows whose run failed, that were not scored, that have no output, and that were never run.
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
        """The reasons that occur, by name, with their numbers."""
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
        Items that only one of them has.
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


View = Literal["rows", "items", "clusters", "items-and-runs", "these-items"]


@dataclass(frozen=True)
class PathStep:
    """One view of the same data: single rows, repeats averaged, clusters as one, or items and runs both resampled.

    Attributes
    ----------
    view
        Which view.
    n
        Units in this view.
    difference
        The difference A - B.
    p
        The p-value of the same test.
    """

    view: View
    n: int
    difference: float
    p: float


@dataclass(frozen=True)
class Design:
    """What counts as one unit, and the answer in each view of the data.

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
        How the items of a unit are summarised.
    between, within
        With repeats: the variance of the difference from item to item, and from run to run of one item.
    noun
        What one row is: an item, a segment.
    repeat_kind
        What the repeats are: "epochs" of each item separately, or "runs" that span all items; None without repeats.
    repeat_column
        The name of the repeats in the data, such as "seed".
    repeats_of
        With repeats: how often A and B were run on an item, on average.
    datasets
        Datasets whose macro average was compared; 1 if items are pooled.
    reduced
        With repeats: how an item's runs became one score ("pass@2"); empty for their mean.
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

    @property
    def group(self) -> str:
        """What rows that are swapped as one are called: segments make up documents."""
        return "document" if self.noun == "segment" else "cluster"

    def score_name(self, metric: str) -> str:
        """The name of the scores: the metric, with a remark if units are summarised by their medians."""
        name = f"{metric} of unit medians" if self.unit_statistic == "median" else metric
        return f"macro-averaged {name}" if self.datasets > 1 else name


@dataclass(frozen=True)
class Decision:
    """The outcome in two words.

    Attributes
    ----------
    winner
        Index of the system that won; None if nobody did.
    claim
        What may be claimed.
    """

    winner: Literal[0, 1] | None
    claim: Claim


@dataclass(frozen=True)
class Verdict:
    """The answer in words, in the parts that readers see separately.

    Attributes
    ----------
    headline
        Who won, or that nobody did, to be set in large letters.
    reason
        The evidence, ending in a full stop; empty if the headline says everything.
    winner
        Index of the system that won; None if none did.
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
        Its influence on the overall difference.
    question, target, answers
        For logs: the question, the expected answer, and the answer of each system, if the logs contain them.
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
        Its influence on the overall difference.
    source
        The source text; None if it is unknown, and in results of version 0.1.0.
    """

    item: str
    references: list[str]
    a: str
    b: str
    influence: float
    source: str | None = None


@dataclass(frozen=True)
class ScorePart:
    """One component of a score.

    Attributes
    ----------
    name
        Its name, such as "brevity penalty".
    a, b
        Its value for both systems.
    """

    name: str
    a: float
    b: float


@dataclass(frozen=True)
class Replicated:
    """On how many datasets one system is better than another, from one-sided p-values of the datasets.

    The first system is the one ahead in the data; to account for that choice each direction is tested at alpha/2. Each pair is
    treated separately.

    Attributes
    ----------
    systems
        The pair, the one ahead first.
    datasets
        Datasets with items of both.
    bonferroni, fisher
        With confidence 1 - alpha the first system is better on at least this many datasets: for any dependence between
        datasets, and for independent ones.
    holm
        The datasets on which it is significantly better, corrected for their number.
    worse
        The datasets on which it is significantly worse, corrected in the same way.
    """

    systems: tuple[str, str]
    datasets: int
    bonferroni: int
    fisher: int
    holm: list[str]
    worse: list[str] = field(default_factory=list)
