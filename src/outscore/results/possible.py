"""What a printed table of accuracies allows: how many items there may be, and which p each pair can have."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from outscore.core.brief import brief_name
from outscore.core.records import dataclass
from outscore.results.design import Family, Reading
from outscore.results.note import Note
from outscore.results.pvalue import PValue
from outscore.results.rendering import Result
from outscore.results.signature import Signature


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
