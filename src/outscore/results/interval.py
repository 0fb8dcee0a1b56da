"""Confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from outscore.results.rendering import Result

__all__ = ["Interval"]


@dataclass(frozen=True)
class Interval(Result):
    """A confidence interval; None is an unbounded side.

    `dual` says that the interval holds exactly the values its own test does not reject. `estimand` is what the interval is
    about and `estimate` its value: the difference A - B in the metric, or the typical difference that a rank test speaks of.
    """

    low: float | None
    high: float | None
    level: float
    method: str
    dual: bool
    estimand: Literal["difference", "median", "pseudomedian"] = "difference"
    estimate: float | None = None

    @property
    def verdict(self) -> str:
        """The interval with its level and method."""
        low = "-inf" if self.low is None else f"{self.low:.6g}"
        high = "inf" if self.high is None else f"{self.high:.6g}"
        return f"{self.level:.0%} interval [{low}, {high}] ({self.method})"
