"""What a comparison of outputs finds: frozen records that survive a JSON round trip.

Everything here is about the step from the first system of a pair to the second, so every difference is second minus first:
corrections make it larger, new errors smaller.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from outscore.results.design import Family
from outscore.results.interval import Interval
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.results.rendering import Result

__all__ = [
    "FEW_PAIRS",
    "Diff",
    "Inventory",
    "KeyScore",
    "LabelOracle",
    "Oracle",
    "OracleRate",
    "Outcomes",
    "Pair",
    "Part",
    "Rates",
    "ScoreChange",
    "Shift",
]

FEW_PAIRS = 3
"""Up to so many pairs are told one by one."""


@dataclass(frozen=True)
class Rates:
    """Recall (over gold units), precision (over the system's units) and their harmonic mean."""

    r: float
    p: float
    f1: float


@dataclass(frozen=True)
class Outcomes:
    """How many units the second system left right, corrected, broke, changed from error to error, and left wrong."""

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
        """Units that became right, wrong, or wrong in another way."""
        return self.correction + self.new_error + self.changed_error


class Shift(msgspec.Struct, frozen=True, rename={"source": "from", "target": "to"}, kw_only=True):
    """A row of a transition table: how often one label became another, and how often the same went the other way.

    `p` tests the change against its mirror by swapping the systems within clusters: a correction from x to y against the new
    error from y to x. None where there are fewer than the minimum support.
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
class Part:
    """The units of one label, or of one value of a slice column: both scores there and their difference, with its test."""

    column: str
    value: str
    n: int
    first: float
    second: float
    difference: float
    low: float | None = None
    high: float | None = None
    p: PValue | None = None


@dataclass(frozen=True)
class ScoreChange:
    """One metric of the whole: both scores, their difference second - first, its interval and test."""

    metric: str
    first: float
    second: float
    difference: float
    interval: Interval | None
    p: PValue


@dataclass(frozen=True)
class Pair:
    """The step from one system to another by one criterion.

    Parameters
    ----------
    systems
        First and second.
    criterion
        What makes an answer right.
    n, clusters
        Units, and the clusters they are tested in; None where every unit stands for itself.
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
        Rows by class of change.
    labels, slices
        The same by gold label and by the values of other columns.
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
    labels: list[Part]
    slices: list[Part] = field(default_factory=list)
    metrics: list[ScoreChange] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=dict)
    families: dict[str, Family] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    verdict: str = ""
    sentence: str = ""
    headline: str = ""
    reason: str = ""
    identical: bool = False


@dataclass(frozen=True)
class OracleRate:
    """Units that at least one system solves, the same if errors were independent, and the gain over the best system."""

    rate: float
    independent: float
    gain_over_best: float


@dataclass(frozen=True)
class LabelOracle:
    """The oracle on the units of one gold label; `gain_over_best` is over the system that is best overall."""

    label: str
    n: int
    scores: list[float]
    rate: float
    independent: float
    gain_over_best: float
    gain_over_best_here: float


@dataclass(frozen=True)
class Oracle:
    """What the systems could do together."""

    all: OracleRate
    labels: list[LabelOracle]
    solved_by: list[int]
    only: dict[str, int]
    majority: float
    criterion: str = ""


@dataclass(frozen=True)
class Inventory:
    """Labels that gold lacks, and labels of gold that a system never gives, by system."""

    unknown: dict[str, list[str]]
    unused: dict[str, list[str]]
    warnings: list[str]


@dataclass(frozen=True)
class KeyScore:
    """One response scored with another as the key: how far the two agree, without gold."""

    key: str
    response: str
    metric: str
    f1: float


@dataclass(frozen=True)
class Diff(Result):
    """One to many systems against gold: scores, what changed between them, and what they could do together."""

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
    schema: Literal["outscore/diff/1"] = "outscore/diff/1"

    @property
    def primary_pairs(self) -> list[Pair]:
        """The pairs by the first criterion."""
        return [pair for pair in self.pairs if pair.criterion == self.pairs[0].criterion]

    @property
    def verdicts(self) -> list[str]:
        """What the pairs by the primary criterion come to, one by one where they are few."""
        pairs = self.primary_pairs
        if not pairs:
            return [f"{self.systems[0]}: scores of one system; name another one to see what changed."]
        if len(pairs) <= FEW_PAIRS:
            return [pair.verdict for pair in pairs]
        alpha = self.settings.get("alpha", 0.05)
        won = sum(pair.p.upper <= alpha and pair.difference != 0 for pair in pairs)
        return [f"{len(self.systems)} systems: {won} of {len(pairs)} pairs differ significantly, each tested by itself."]

    @property
    def verdict(self) -> str:
        """The verdicts as one text."""
        return " ".join(self.verdicts)
