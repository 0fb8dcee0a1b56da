"""What is asked of a test, apart from the data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeVar

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import OptionValue
from outscore.core.records import dataclass
from outscore.exact.bracket import WIDTH

Alternative = Literal["two-sided", "greater", "less"]
Differences = TypeVar("Differences", float, Array)
MAX_RESAMPLES = 1_000_000
"""Beyond this the noise of sampling is far below that of the data, and a slip of the finger would run for days."""
RESAMPLES = 9_999


@dataclass(frozen=True)
class TestRequest:
    """What is asked of a test, and of the kernels behind it.

    `alpha` sets the interval's level and where bounds must be decisive; `width` is how far apart they may be, relative to p.
    Without `interval` the p-value alone is asked for, and a test whose interval costs more than its p leaves it out. `bounds`
    are the smallest and the largest score of an item, and `assume` names what may be assumed about margins
    (`inference.shifted`).
    """

    # Not a test class, whatever its name says to pytest.
    __test__ = False

    alternative: Alternative = "two-sided"
    delta: float = 0.0
    alpha: float = 0.05
    seed: int = 0
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    interval: bool = True
    bounds: tuple[float, ...] = ()
    assume: str = ""
    width: float = WIDTH

    def __post_init__(self) -> None:
        if "resamples" in self.options:
            checked_resamples(self.count("resamples"))

    def count(self, name: str) -> int:
        """An option that is a whole number."""
        return int(str(self.options[name]))

    @property
    def method(self) -> str:
        """How a permutation p is computed."""
        return str(self.options.get("method", "auto"))

    @property
    def resamples(self) -> int:
        """How many resamples to draw."""
        return self.count("resamples") if "resamples" in self.options else RESAMPLES

    def favours(self, sign: int) -> bool:
        """Whether an oriented difference of this sign points where a one-sided alternative looks."""
        return sign == 0 or (sign > 0) == (self.alternative == "greater")


def checked_resamples(resamples: int) -> int:
    """The number of resamples asked for, unless it is too large."""
    if resamples > MAX_RESAMPLES:
        raise OutscoreError(
            f"Option `resamples` is {resamples:,}.", f"It must be at most {MAX_RESAMPLES:,}.", parameter="resamples"
        )
    return resamples


def reach(x: Differences, alternative: Alternative) -> Differences:
    """How far an oriented difference lies in the direction that the alternative looks.

    Examples
    --------
    >>> reach(-2.0, "two-sided"), reach(-2.0, "greater"), reach(-2.0, "less")
    (2.0, -2.0, 2.0)
    """
    if alternative == "two-sided":
        return abs(x)
    return x if alternative == "greater" else -x
