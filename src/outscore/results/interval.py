"""Confidence intervals."""

from __future__ import annotations

from typing import ClassVar, Literal

from outscore.core.brief import brief_interval
from outscore.core.records import dataclass
from outscore.results.rendering import Result

Estimand = Literal["difference", "median", "pseudomedian", "shift"]


@dataclass(frozen=True, repr=False)
class Interval(Result):
    """A confidence interval.

    Attributes
    ----------
    low, high
        Its ends; None is an unbounded side.
    level
        The confidence level, for example .95.
    method
        How it was computed.
    dual
        Whether the interval contains exactly the values that its own test does not reject.
    estimand
        What it is about: the difference A - B in the metric, or the typical difference that a rank test is about.
    estimate
        The value of the estimand in the data.

    Examples
    --------
    >>> Interval(0.0038, 0.0161, 0.95, "inversion", dual=True)
    <Interval 0.95 [0.0038, 0.0161] of the difference, inversion>
    """

    saved_schema: ClassVar[str | None] = "outscore/interval/1"

    low: float | None
    high: float | None
    level: float
    method: str
    dual: bool
    estimand: Estimand = "difference"
    estimate: float | None = None

    @property
    def verdict(self) -> str:
        """The interval with its level and method."""
        low = "-inf" if self.low is None else f"{self.low:.6g}"
        high = "inf" if self.high is None else f"{self.high:.6g}"
        return f"{self.level:.0%} interval [{low}, {high}] ({self.method})"

    def _brief(self) -> str:
        return f"{self.level:.4g} {brief_interval(self.low, self.high)} of the {self.estimand}, {self.method}"
