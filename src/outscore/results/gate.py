"""The result of a gate: whether a candidate may replace a baseline."""

from __future__ import annotations

from dataclasses import field
from typing import Any, Literal

from outscore.core.records import brief_name, brief_number, dataclass
from outscore.results.analysis import Subset
from outscore.results.comparison import Comparison
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue
from outscore.results.rendering import Result

Outcome = Literal["pass", "fail", "inconclusive"]
EXIT_CODES: dict[str, int] = {"pass": 0, "fail": 1, "inconclusive": 3}
"""The exit codes of the command line, if there is an answer."""


@dataclass(frozen=True)
class GateSlice:
    """The candidate and the baseline on one part of the data, which decides nothing.

    Attributes
    ----------
    slice
        The column and its value.
    n
        How many items it has.
    candidate, baseline, difference
        The scores of both, and candidate - baseline.
    interval
        The interval of the difference at level 1 - 2 alpha, as that of the gate.
    not_worse, worse
        The p-values of not being worse by the margin, and of being worse, corrected over the slices.
    beyond
        Whether the candidate is significantly worse here, and by more than the margin.
    """

    slice: Subset
    n: int
    candidate: float
    baseline: float
    difference: float
    interval: Interval | None
    not_worse: PValue
    worse: PValue
    beyond: bool


@dataclass(frozen=True, repr=False)
class GateResult(Result):
    """Pass, fail or inconclusive.

    Attributes
    ----------
    outcome
        "pass": not worse by the margin. "fail": worse. "inconclusive": neither is shown, or the candidate has no score for
        some items and nobody said that they do not count.
    margin
        How much worse the candidate may be, in units of the metric.
    alpha
        The level of each one-sided test.
    worse_within
        For "pass": whether the candidate is still significantly worse, by less than the margin.
    comparison
        The candidate (A) compared with the baseline (B): `p` is for being worse, `margin.noninferiority` for not being
        worse by the margin.
    interval
        The interval of the difference at level 1 - 2 alpha, which agrees with both tests; for identical outputs only its worse
        end, at level 1 - alpha.
    needed, towards
        For "inconclusive": how many items like these would decide, and how; None if that is unknown.
    power
        The probability with which this many would.
    inconclusive
        What "inconclusive" counts as: "pass", "fail", or neither.
    unanswered
        How many items of the baseline the candidate has no score for; they are in no number here.
    slices
        The same for each value of a column, if one was asked for; the outcome is that of the whole.
    headline, reason
        The outcome in words.
    sentence
        One sentence for a paper.
    notes
        Notes for the reader.
    settings
        The settings that repeat the call: options, versions, files.
    schema
        The schema of the saved file.
    """

    outcome: Outcome
    margin: float
    alpha: float
    worse_within: bool
    comparison: Comparison
    interval: Interval | None
    needed: int | None
    towards: Literal["pass", "fail"] | None
    power: float
    inconclusive: Literal["pass", "fail"] | None
    headline: str
    reason: str
    sentence: str
    unanswered: int = 0
    slices: list[GateSlice] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    schema: Literal["outscore/gate/1"] = "outscore/gate/1"

    @property
    def verdict(self) -> str:
        """Headline and reason as one text."""
        return f"{self.headline}: {self.reason}"

    @property
    def counts_as(self) -> Outcome:
        """The outcome, with "inconclusive" replaced by what it counts as."""
        return self.inconclusive if self.outcome == "inconclusive" and self.inconclusive is not None else self.outcome

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0 pass, 1 fail, 3 inconclusive."""
        return EXIT_CODES[self.counts_as]

    @property
    def passed(self) -> bool:
        """Whether the candidate passes."""
        return self.counts_as == "pass"

    @property
    def not_worse(self) -> PValue:
        """The p-value of not being worse by the margin."""
        assert self.comparison.margin is not None
        return self.comparison.margin.noninferiority

    @property
    def worse(self) -> PValue:
        """The p-value of being worse."""
        return self.comparison.p

    def _brief(self) -> str:
        a, b = map(brief_name, self.comparison.systems)
        return f"{self.outcome}: {a} vs {b}, {brief_number(self.comparison.difference, sign=True)}, margin {self.margin:g}"
