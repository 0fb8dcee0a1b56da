"""p-values that carry their error and never underflow."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, Self

from outscore.results.rendering import Result

__all__ = ["LN10", "ROUNDING", "SMALLEST", "Kind", "PValue"]

Kind = Literal["exact", "certified", "monte-carlo", "asymptotic"]
SMALLEST = 5e-324
ROUNDING = 2.0**-50
LN10 = math.log(10.0)


@dataclass(frozen=True)
class PValue(Result):
    """A p-value with its error: `value` for people, `upper` for decisions, `log10` for the very small.

    `method` is the kind ("exact", "certified", "monte-carlo", "asymptotic"), `kernel` the algorithm that served. Exact values
    are correct to about eleven digits and have lower = upper = value; certified ones lie between `lower` and `upper` and
    `value` is their geometric middle; Monte-Carlo bounds are the 99 % Clopper-Pearson interval. `mid` is the mid-p of an
    exact test on discrete data. Nothing underflows: below 5e-324 `value` is 5e-324, `lower` is 0, and `log10` is to be trusted.
    """

    value: float
    lower: float
    upper: float
    log10: float
    method: Kind
    kernel: str
    test: str = "permutation"
    statistic: float = 0.0
    n: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    mid: float | None = None
    adjusted: float | None = None

    @classmethod
    def from_logs(cls, log_lower: float, log_upper: float, *, method: Kind, kernel: str, log_mid: float | None = None) -> Self:
        """Build one from natural logarithms of its bounds, which may lie far below the smallest float."""
        if method == "certified":
            # Bounds are rounded outwards: exp moves its result by the rounding of its argument and of itself.
            log_lower -= ROUNDING * (1 + abs(log_lower))
            log_upper += ROUNDING * (1 + abs(log_upper))
        log_lower, log_upper = min(log_lower, 0.0), min(log_upper, 0.0)
        # Without a lower bound there is no middle: the upper end is all that is known.
        log_value = (log_lower + log_upper) / 2 if math.isfinite(log_lower) else log_upper
        return cls(
            value=max(math.exp(log_value), SMALLEST),
            lower=_exp(log_lower),
            upper=max(math.exp(log_upper), SMALLEST),
            log10=log_value / LN10 + 0.0,
            method=method,
            kernel=kernel,
            mid=None if log_mid is None else max(math.exp(log_mid), SMALLEST),
        )

    @property
    def exact(self) -> bool:
        """Whether the value was computed without sampling, bounding or approximation."""
        return self.method == "exact"

    @property
    def verdict(self) -> str:
        """The p-value with its test and method."""
        return f"p = {self.value:.4g} ({self.test} test, {self.method}: {self.kernel})"

    @property
    def signature(self) -> str:
        """One line that says how the number came about."""
        return f"test:{self.test}|method:{self.method}|kernel:{self.kernel}|n:{self.n}"

    def __float__(self) -> float:
        return self.value


def _exp(log: float) -> float:
    """exp for a lower bound: 0 where it would be subnormal, since that would no longer be below."""
    return math.exp(log) if log > -708.0 else 0.0
