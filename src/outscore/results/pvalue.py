"""p-values that carry their error and never underflow, and confidence intervals."""

from __future__ import annotations

import math
from dataclasses import field
from numbers import Real
from typing import ClassVar, Literal, Self

from outscore.core.numeric import LN10
from outscore.core.records import brief_interval, brief_p, dataclass
from outscore.results.note import Signature
from outscore.results.rendering import Result

Kind = Literal["exact", "certified", "monte-carlo", "asymptotic"]
SMALLEST = 5e-324
ROUNDING = 2.0**-50
CONVOLUTIONS = ("dp", "fft")
"""Kernels that add up a whole distribution in floats, and so know a very small p only within what floats hold."""


@dataclass(frozen=True, repr=False)
class PValue(Result):
    """A p-value with its error: `value` for people, `upper` for decisions, `log10` for very small values.

    It compares like a number. Against numbers ``<``, ``<=``, ``>`` and ``>=`` use `upper`, as every decision here does: ``p <=
    0.05`` is True if the test rejects at that level. Between p-values they use `log10`, which distinguishes values below the
    smallest float. ``==`` compares all fields, so a p-value never equals a number; `float`, `round` and formats such as
    ``f"{p:.3g}"`` use `value`. p-values can be members of sets and keys of dictionaries.

    Attributes
    ----------
    value
        The p-value. For certified bounds it is their geometric mean. Below 5e-324 it is 5e-324.
    lower, upper
        Bounds: equal to `value` if it is exact (correct to about eleven digits) or asymptotic, certified bounds, or for
        Monte Carlo values the 99% Clopper-Pearson interval. Below 5e-324 `lower` is 0.
    log10
        The decimal logarithm of p, which is accurate for very small values.
    method
        How p was computed: "exact", "certified", "monte-carlo" or "asymptotic".
    kernel
        The algorithm that computed it.
    test
        The name of the test.
    statistic
        The value of the test statistic.
    n
        Units that were tested.
    dropped
        Units left out, by reason.
    mid, mid_log10
        The mid-p of an exact test on discrete data, and its decimal logarithm; never above p.
    adjusted
        p corrected for the number of tests, if it belongs to a family.

    Examples
    --------
    >>> p = PValue(0.0123, 0.0123, 0.0123, -1.91, "exact", "lattice", n=80)
    >>> p < 0.05, f"{p:.3g}", p
    (True, '0.0123', <PValue p=.012 exact, permutation test, n=80>)
    """

    saved_schema: ClassVar[str | None] = "outscore/p-value/1"

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
    mid_log10: float | None = None

    @classmethod
    def from_logs(
        cls,
        log_lower: float,
        log_upper: float,
        *,
        method: Kind,
        kernel: str,
        log_mid: float | None = None,
        test: str = "permutation",
        statistic: float = 0.0,
        n: int = 0,
    ) -> Self:
        """Build a p-value from the natural logarithms of its bounds, which may lie far below the smallest float."""
        if method == "certified":
            # Bounds are rounded outwards: exp moves its result by the rounding of its argument and of itself.
            log_lower -= ROUNDING * (1 + abs(log_lower))
            log_upper += ROUNDING * (1 + abs(log_upper))
        log_lower, log_upper = min(log_lower, 0.0), min(log_upper, 0.0)
        # Without a lower bound there is no mean: only the upper end is known.
        log_value = (log_lower + log_upper) / 2 if math.isfinite(log_lower) else log_upper
        return cls(
            value=max(math.exp(log_value), SMALLEST),
            # For a lower bound 0 if it would be subnormal, because that would no longer be below.
            lower=math.exp(log_lower) if log_lower > -708.0 else 0.0,
            upper=max(math.exp(log_upper), SMALLEST),
            log10=log_value / LN10 + 0.0,
            method=method,
            kernel=kernel,
            test=test,
            statistic=statistic,
            n=n,
            mid=None if log_mid is None else max(math.exp(min(log_mid, log_value)), SMALLEST),
            mid_log10=None if log_mid is None else min(log_mid, log_value) / LN10 + 0.0,
        )

    @property
    def exact(self) -> bool:
        """Whether the value was computed without sampling, bounding or approximation."""
        return self.method == "exact"

    @property
    def claimed(self) -> float:
        """The number to correct: the value, or for certified bounds the upper end, because their mean is not a valid p."""
        return self.upper if self.method == "certified" else self.value

    @property
    def deciding(self) -> float:
        """The number to compare with alpha: the corrected p if p belongs to a family, else `claimed`."""
        return self.claimed if self.adjusted is None else self.adjusted

    def rejects(self, alpha: float) -> bool:
        """Whether the null hypothesis is rejected: by the upper end of p, or by the corrected p if p belongs to a family.

        Parameters
        ----------
        alpha
            The level of the decision.

        Examples
        --------
        >>> PValue(0.04, 0.03, 0.06, -1.4, "certified", "bracket").rejects(0.05)  # the upper bound decides
        False
        """
        return self.upper <= alpha and (self.adjusted is None or self.adjusted <= alpha)

    @property
    def verdict(self) -> str:
        """The p-value with its test and method."""
        return f"p = {self.value:.4g} ({self.test} test, {self.method}: {self.kernel})"

    @property
    def signature(self) -> Signature:
        """One line that says how the number was computed."""
        return Signature([("test", self.test), ("method", self.method), ("kernel", self.kernel), ("n", self.n)])

    def _brief(self) -> str:
        return f"{brief_p(self.value, self.log10)} {self.method}, {self.test} test, n={self.n}"

    def __float__(self) -> float:
        return self.value

    def __round__(self, digits: int | None = None) -> float:
        return round(self.value, digits)

    def __format__(self, spec: str) -> str:
        return format(self.value, spec) if spec else str(self)

    def __hash__(self) -> int:
        return hash((self.value, self.lower, self.upper, self.log10, self.method, self.kernel, self.test, self.n))

    def __lt__(self, other: object) -> bool:
        if isinstance(other, PValue):
            return self.log10 < other.log10
        return self.upper < float(other) if isinstance(other, Real) else NotImplemented

    def __le__(self, other: object) -> bool:
        if isinstance(other, PValue):
            return self.log10 <= other.log10
        return self.upper <= float(other) if isinstance(other, Real) else NotImplemented

    def __gt__(self, other: object) -> bool:
        if isinstance(other, PValue):
            return self.log10 > other.log10
        return self.upper > float(other) if isinstance(other, Real) else NotImplemented

    def __ge__(self, other: object) -> bool:
        if isinstance(other, PValue):
            return self.log10 >= other.log10
        return self.upper >= float(other) if isinstance(other, Real) else NotImplemented


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
