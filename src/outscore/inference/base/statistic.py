"""The test statistic as a function of the flipped sum.

Swapping keeps a' + b' = T, so the totals of the two systems are (T ± S)/2 and the difference in scores is an
odd function of the flipped sum S alone. `Statistic` evaluates it, and decides in exact arithmetic which sums
tie with the observed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from outscore.core.metric import AdditiveMetric, Precise
from outscore.core.numeric import TIE_TOLERANCE, Array
from outscore.core.records import dataclass

__all__ = ["Statistic", "exact_score", "tie_scale"]

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


def tie_scale(metric: AdditiveMetric, totals: Array) -> float:
    """The size of the numbers behind these scores, which ties are relative to.

    A score may be small because it is made of small totals, or because large ones cancel. How far it moves
    when every total does, by the tolerance, tells the two apart; a jump of a step function tells nothing, and
    is cut at the size that scores have.
    """
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        scores = metric.score(totals)
        size = float(np.abs(scores).max())
        moved = [metric.score(totals * (1 + TIE_TOLERANCE * row)) - scores for row in np.eye(totals.shape[-1])]
    move = float(np.nan_to_num(np.abs(moved).sum(axis=0)).max()) / TIE_TOLERANCE
    return min(max(size, move), max(1.0, size))


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

    @cached_property
    def slack(self) -> float:
        """Values of the statistic that lie closer than this are ties, where floats are all that is known of them."""
        totals = np.stack([self.total + self.observed, self.total - self.observed, self.total]) / (2.0 * self.scale)
        return TIE_TOLERANCE * tie_scale(self.metric, totals)

    def excess(self, sums: Array) -> Array:
        """How much more extreme than the observed value, in its direction: ≥ 0 inside the rejection region."""
        observed = self.value()
        return (-1.0 if observed < 0 else 1.0) * self.difference(sums) - abs(observed)

    def classify(self, sums: Array) -> tuple[Array, Array]:
        """Masks over (..., k) sums: at least as extreme as the observed one in its direction, and tied with it."""
        excess = self.excess(sums)
        scale = max(1.0, abs(self.value()))
        if not self.integral or exact_score(self.metric, self._halves(self.observed)[0]) is None:
            tie = np.abs(excess) <= self.slack
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
        return abs(self.value()) <= self.slack if exact is None else exact == 0

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
