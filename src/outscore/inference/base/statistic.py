"""The test statistic as a function of the flipped sum.

Swapping keeps a' + b' = T, so the totals of the two systems are (T ± S)/2 and the difference in scores is an
odd function of the flipped sum S alone. `Statistic` evaluates it, and decides in exact arithmetic which sums
tie with the observed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from outscore.core.metric import AdditiveMetric, Precise
from outscore.core.numeric import TIE_TOLERANCE, Array

__all__ = ["Statistic", "exact_score"]

NEAR = 1e-9
DECIMAL_TIE = Decimal("1e-40")
"""Roots are computed with 60 digits; differences below this are ties."""


def exact_score(metric: AdditiveMetric, totals: Sequence[Fraction]) -> Precise | None:
    """The score in exact arithmetic, or None for a metric known only as a float function."""
    if metric.precise is not None:
        return metric.precise(totals)
    if metric.ratio is None:
        return None
    u, v = metric.ratio
    top = sum((int(w) * x for w, x in zip(u, totals, strict=True)), Fraction(0))
    if v is None:
        return top
    bottom = sum((int(w) * x for w, x in zip(v, totals, strict=True)), Fraction(0))
    return top / bottom if bottom else Fraction(0)


@dataclass(frozen=True)
class Statistic:
    """score((T + S)/2) - score((T - S)/2), compared with its size at the observed S."""

    metric: AdditiveMetric
    total: Array
    observed: Array
    scale: int = 1
    integral: bool = True

    def difference(self, sums: Array) -> Array:
        """The statistic at sums with the columns on the last axis."""
        unit = 2.0 * self.scale
        # A grid has corners no swap reaches; what a metric makes of such totals (a root of a negative number)
        # does not matter.
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return self.metric.score((self.total + sums) / unit) - self.metric.score((self.total - sums) / unit)

    def value(self) -> float:
        """The statistic at the observed sum."""
        return float(self.difference(self.observed))

    def excess(self, sums: Array) -> Array:
        """How much more extreme than the observed value, in its direction: ≥ 0 inside the rejection region."""
        observed = self.value()
        return (-1.0 if observed < 0 else 1.0) * self.difference(sums) - abs(observed)

    def classify(self, sums: Array) -> tuple[Array, Array]:
        """Masks over (..., k) sums: at least as extreme as the observed one in its direction, and tied with it."""
        excess = self.excess(sums)
        scale = max(1.0, abs(self.value()))
        if not self.integral or exact_score(self.metric, self._halves(self.observed)[0]) is None:
            tie = np.abs(excess) <= TIE_TOLERANCE * scale
            return (excess > 0) | tie, tie
        inside, tie = excess > 0, np.zeros(excess.shape, dtype=bool)
        doubtful = np.abs(excess) <= NEAR * scale
        if doubtful.any():
            distinct, member = np.unique(np.rint(sums[doubtful]).astype(np.int64), axis=0, return_inverse=True)
            order = np.array([self._compare(row) for row in distinct])[member.ravel()]
            inside[doubtful], tie[doubtful] = order >= 0, order == 0
        return inside, tie

    def is_zero(self) -> bool:
        """Whether both systems score exactly the same."""
        exact = self.exact_difference(self.observed) if self.integral else None
        if exact is None:
            size = float(np.abs(self.metric.score(self.total / (2.0 * self.scale))))
            return abs(self.value()) <= TIE_TOLERANCE * max(1.0, size)
        return exact == 0

    def exact_difference(self, sums: Array) -> Precise | None:
        """The statistic in exact arithmetic, or None where the metric is known as a float function only."""
        plus, minus = (exact_score(self.metric, totals) for totals in self._halves(sums))
        return None if plus is None or minus is None else plus - minus  # type: ignore[operator]

    def _compare(self, sums: Array) -> int:
        """Sign of the excess: exact for fractions; roots, known to 60 digits, tie up to 1e-40."""
        here: Any = self.exact_difference(sums)
        there: Any = self.exact_difference(self.observed)
        gap = (-here if there < 0 else here) - abs(there)
        if isinstance(gap, Decimal) and abs(gap) < DECIMAL_TIE:
            return 0
        return int(gap > 0) - int(gap < 0)

    def _halves(self, sums: Array) -> tuple[list[Fraction], list[Fraction]]:
        """Both systems' totals, (T ± S)/2 in true units."""
        unit = 2 * self.scale
        pairs = [(int(t), int(s)) for t, s in zip(self.total, sums, strict=True)]
        return [Fraction(t + s, unit) for t, s in pairs], [Fraction(t - s, unit) for t, s in pairs]
