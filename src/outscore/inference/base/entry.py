"""The form of a registry entry for tests, and what a test is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from outscore.core.metric import AdditiveMetric
from outscore.core.options import Option, OptionValue
from outscore.core.paired import PairedScores
from outscore.inference.base.sign_flips import Alternative, checked_resamples
from outscore.results.comparison import TestResult

__all__ = ["TestEntry", "TestRequest"]


@dataclass(frozen=True)
class TestRequest:
    """What is asked of a test, apart from the data.

    `alpha` sets the interval's level and where bounds must be decisive. Without `interval` the p-value alone is asked for,
    and a test whose interval costs more than its p leaves it out.
    """

    # Not a test class, whatever its name says to pytest.
    __test__ = False

    alternative: Alternative = "two-sided"
    delta: float = 0.0
    alpha: float = 0.05
    seed: int = 0
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    interval: bool = True

    def count(self, name: str) -> int:
        """An option that is a whole number."""
        return int(str(self.options[name]))

    @property
    def resamples(self) -> int:
        """How many resamples to draw; numbers that would run for days are refused."""
        return checked_resamples(self.count("resamples"))


@dataclass(frozen=True)
class TestEntry:
    """One test: its hypothesis in a line, what it works on, and the function that runs it.

    `on` is "any" for every additive metric, "scores" for means of item scores, "binary" for right-or-wrong items. `estimand`
    is what a rejection speaks of. `clusters` and `delta` say whether the test takes them.
    """

    __test__ = False

    name: str
    summary: str
    estimand: Literal["metric", "mean", "median", "accuracy"]
    on: Literal["any", "scores", "binary"]
    clusters: bool
    delta: bool
    run: Callable[[PairedScores, AdditiveMetric, TestRequest], TestResult]
    options: tuple[Option, ...] = ()
