"""The result of scoring systems separately: each score with its interval, and what the test set can detect."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from outscore.core.records import brief_interval, brief_name, brief_number, dataclass
from outscore.results.analysis import Directions
from outscore.results.design import Reading
from outscore.results.note import Note, Signature
from outscore.results.rendering import Result, frame_of

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Noise:
    """The noise floor: how much two runs of one system on these items differ.

    Attributes
    ----------
    runs
        Runs of each item, on average.
    sd
        The standard deviation of the score of one run.
    reach
        Of 100 pairs of runs, 95 differ by no more than this.
    largest
        The largest difference between two of the runs at hand; None if runs cannot be told apart.
    false_alarms
        How often a comparison of two single runs of this system, item by item, would be significant.
    pairs, significant
        Pairs of the runs at hand that were compared, and how many of them are significant.
    bound
        Whether `false_alarms` is an upper bound, not the rate itself.
    """

    runs: float
    sd: float
    reach: float
    largest: float | None = None
    false_alarms: float | None = None
    pairs: int = 0
    significant: int = 0
    bound: bool = False


@dataclass(frozen=True)
class Detectable:
    """The smallest difference from another system that this test set detects.

    Attributes
    ----------
    independent
        If the two systems' scores on an item are independent.
    correlated, correlation
        If they are correlated, and by how much.
    measured
        Whether the correlation is that of the systems at hand (the median over pairs), or assumed.
    power, alpha
        The probability of detecting it, and the level of the two-sided paired test.
    possible
        The largest possible difference, for right-or-wrong items; None if scores have no known bounds.
    smallest_p
        If there are too few units for any difference to be significant: the smallest p that they can have. `independent` and
        `correlated` are None then.
    independent_directions, correlated_directions
        What is detected of a better and of a worse system; `independent` and `correlated` are the less favourable direction
        that is possible, or None if neither is. None in results of version 0.1.0.
    """

    independent: float | None
    correlated: float | None
    correlation: float
    measured: bool
    power: float
    alpha: float
    possible: float | None = None
    smallest_p: float | None = None
    independent_directions: Directions | None = None
    correlated_directions: Directions | None = None


@dataclass(frozen=True)
class ScorePart:
    """One system on a part of the data: a slice, or a dataset.

    Attributes
    ----------
    column, name
        The column, and its value on these rows; for a dataset the column is "dataset".
    n
        Items.
    value
        The score.
    low, high
        Its interval; None if there is none.
    """

    column: str
    name: str
    n: int
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class ScoredSystem:
    """One system's score, and what is known about it.

    Attributes
    ----------
    system
        Its name.
    value
        Its score; for several datasets the mean of their scores.
    low, high
        The interval of the score; None if there is none.
    n, rows
        Items, and rows behind them.
    clusters
        How many clusters the items belong to; None without clusters.
    repeats
        Runs of an item, on average.
    missing
        Rows or items without a score, by reason.
    error
        The standard error of the score; None if items do not vary.
    sd
        The standard deviation of the items' scores, repeats averaged; None if the metric is not a mean over items.
    between, within
        With repeats: the variance from item to item, and from run to run of one item.
    detectable
        What the test set can detect.
    noise
        The noise floor; None without repeats, and for several datasets.
    slices, datasets
        The same score on parts of the data.
    pooled
        With several datasets, the score of all items together; `value` weights the datasets equally.
    """

    system: str
    value: float
    low: float | None
    high: float | None
    n: int
    rows: int
    clusters: int | None = None
    repeats: float = 1.0
    missing: dict[str, int] = field(default_factory=dict)
    error: float | None = None
    sd: float | None = None
    between: float | None = None
    within: float | None = None
    detectable: Detectable | None = None
    noise: Noise | None = None
    slices: list[ScorePart] = field(default_factory=list)
    datasets: list[ScorePart] = field(default_factory=list)
    pooled: float | None = None


@dataclass(frozen=True, repr=False)
class ScoreResult(Result):
    """The scores of one system or several, each on its own.

    Attributes
    ----------
    systems
        The systems, in the order of the data.
    metric, higher_is_better
        What was scored, and its direction.
    alpha
        Intervals have level 1 - alpha.
    population
        What intervals are about: "items" are new items with the runs at hand, "items-and-runs" new items and new runs.
    repeat_kind, repeat_column
        What the repeats are ("epochs" or "runs"; None without repeats), and their name in the data.
    interval
        How the intervals are computed.
    headline, reason, verdict
        The answer in words: its two parts, and both as one text.
    sentence
        One sentence for a paper.
    signature
        One line that says how the numbers were computed.
    next_command
        The command that compares several systems; empty for one.
    notes
        Notes for the reader.
    reading
        How the input was interpreted.
    settings
        The settings that repeat the call: options, versions, files.
    macro
        Whether scores are macro averages: means over the datasets, weighted equally.
    schema
        The schema of the saved file.
    """

    systems: list[ScoredSystem]
    metric: str
    higher_is_better: bool
    alpha: float
    population: str
    repeat_kind: Literal["epochs", "runs"] | None
    repeat_column: str
    interval: str
    headline: str
    reason: str
    sentence: str
    signature: Signature
    next_command: str = ""
    notes: list[Note] = field(default_factory=list)
    reading: Reading | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    macro: bool = False
    schema: Literal["outscore/score/1"] = "outscore/score/1"

    @property
    def verdict(self) -> str:
        """Headline and reason as one text."""
        return f"{self.headline}: {self.reason}" if self.reason else self.headline

    def to_frame(self) -> pl.DataFrame:
        """A polars data frame with a row for each system, slice and dataset."""
        return frame_of(self, "scores")

    def _brief(self) -> str:
        parts = [
            f"{brief_name(one.system)} {brief_number(one.value)} {brief_interval(one.low, one.high)}"
            for one in self.systems[:4]
        ]
        averaged = "macro-averaged " if self.macro else ""
        return f"of {len(self.systems)}, {averaged}{brief_name(self.metric)}: {', '.join(parts)}"
