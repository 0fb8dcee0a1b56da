"""From two systems' rows to the sum of sign flips that the kernels work on, and the test statistic as a function of it.

Swapping keeps a' + b' = T, so the totals of the two systems are (T ± S)/2 and the difference in scores is an
odd function of the flipped sum S alone. `Statistic` evaluates it, and decides in exact arithmetic which sums
tie with the observed one.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np

from outscore.core.errors import OutscoreError, ShiftError
from outscore.core.metric import AdditiveMetric, Precise
from outscore.core.numeric import MAX_EXACT, TIE_TOLERANCE, Array, combine, exact_sum
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.inference.base.item_scores import with_exact_integers

NEAR = 1e-9
DECIMAL_TIE = Decimal("1e-40")
"""Roots are computed with 60 digits; differences below this are ties."""
TURNED = [(0, 1), (1, 0)]
"""The projections of a metric whose columns are top and bottom themselves."""


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


@dataclass(frozen=True)
class Flips:
    """The statistic, and every unit's contribution to the sum that is flipped.

    `vectors` are the units' differences a - b in the statistic's columns. When the statistic is linear,
    `line` holds one number per unit, δ taken off: an integer where the input was recognised as written, else
    a float, all of them together being off by `doubt` at most. `orientation` is -1 for metrics where lower is
    better.
    """

    statistic: Statistic
    vectors: Array
    line: Array | None
    doubt: float
    orientation: int

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.statistic.metric.name

    @property
    def on_a_lattice(self) -> bool:
        """Whether the contributions are whole numbers."""
        return self.statistic.integral if self.line is None else bool(self.line.dtype.kind == "i")

    @cached_property
    def observed(self) -> float:
        """The sum of the line, correctly rounded."""
        assert self.line is not None
        return exact_sum(self.line) if self.line.dtype.kind == "f" else float(self.line.sum())

    def sign(self) -> int:
        """+1 when A is better (by more than δ), -1 when B is, 0 when neither."""
        if self.line is None:
            value = 0.0 if self.statistic.is_zero() else self.statistic.value()
        else:
            value = 0.0 if abs(self.observed) <= self.doubt else self.observed
        return self.orientation * ((value > 0) - (value < 0))


def units_of(pairs: PairedScores) -> PairedScores:
    """Numbers recognised as written, repeats averaged, clusters summed: what is swapped as one."""
    return with_exact_integers(pairs).units()


def flips_of(units: PairedScores, metric: AdditiveMetric, delta: float = 0.0) -> Flips:
    """The flips of a metric on units."""
    orientation = 1 if metric.higher_is_better else -1
    weights, metric = _projection(units, metric)
    vectors, total = units.a - units.b, units.sums[0] + units.sums[1]
    if weights is not None and [tuple(vector) for vector in weights] == TURNED:
        # Columns that only change places are not copied.
        vectors, total = vectors[:, ::-1], total[::-1]
    elif weights is not None:
        vectors, total = combine(vectors, weights), total @ np.array(weights).T
    statistic = Statistic(metric, total, vectors.sum(axis=0), units.scale, units.integral)
    line, doubt = (None, 0.0) if weights is None else _line(statistic, vectors, units, weights, delta)
    if line is None and delta:
        raise ShiftError(
            f"The permutation test takes a margin or a `delta` only for a mean over items, and {metric.name} is not one here.",
            "Use the test `bootstrap`, which takes both for any metric.",
        )
    return Flips(statistic, vectors, line, doubt, orientation)


def _projection(units: PairedScores, metric: AdditiveMetric) -> tuple[list[Sequence[int]] | None, AdditiveMetric]:
    """A ratio depends on two projections of its columns only, denominator and numerator; other metrics keep theirs."""
    if metric.ratio is None:
        return None, metric
    u, v = metric.ratio
    weights = [u] if v is None else [v, u]
    if units.integral and not _fits(units, weights):
        raise OutscoreError(
            f"The whole numbers of both systems add up to more than 2**53, too large for an exact {metric.name}.",
            "Divide them by a common factor.",
        )
    return weights, _projected(metric.name, metric.direction, divided=v is not None)


@cache
def _projected(name: str, direction: Literal["higher", "lower"], *, divided: bool) -> AdditiveMetric:
    """The metric of the projections; the pairs of a ranking ask for the same one again and again."""
    if divided:
        return AdditiveMetric(name, ("bottom", "top"), ratio=((0, 1), (1, 0)), direction=direction)
    return AdditiveMetric(name, ("sum",), ratio=((1,), None), direction=direction)


def _fits(units: PairedScores, weights: Sequence[Sequence[int]]) -> bool:
    """Whether floats hold every sum exactly; the sizes of numbers that are not negative add up to their sums."""
    both = zip((units.a, units.b), units.sums, strict=True)
    a, b = (total if rows.min() >= 0 else np.abs(rows).sum(axis=0) for rows, total in both)
    sizes = (a + b).tolist()
    return all(sum(abs(w) * size for w, size in zip(vector, sizes, strict=True)) < MAX_EXACT for vector in weights)


def _line(
    statistic: Statistic, vectors: Array, units: PairedScores, weights: Sequence[Sequence[int]], delta: float
) -> tuple[Array | None, float]:
    """Per-unit contributions of a statistic that is linear in them, and what rounding may have moved their sum by.

    A ratio is linear when its denominator is the same in both systems, unit by unit; δ then takes off δ times
    the denominator.
    """
    divided = len(weights) == 2
    if divided and vectors[:, 0].any():
        return None, 0.0
    # With a negative denominator, more is less. With nothing to divide by every score is 0, whatever is swapped.
    turn = int(np.sign(statistic.total[0])) if divided else 1
    top = vectors[:, -1] if turn == 1 else turn * vectors[:, -1]
    if not delta:
        return top, 0.0 if units.integral else 4 * float(np.spacing(_sizes(units, weights[-1:])).sum())
    shift = Fraction(repr(float(delta)))
    if divided:
        bottom = turn * combine(units.a, weights[:1])[:, 0]
    else:
        # A plain sum has no denominator: its δ is shared out evenly.
        bottom, shift = np.full(len(top), units.scale), shift / len(top)
    moved = bottom * float(shift)
    if not units.integral:
        return np.asarray(top - moved), 4 * float(np.spacing(_sizes(units, weights[-1:]) + np.abs(moved)).sum())
    largest = float(np.abs(top).sum()) * shift.denominator + float(np.abs(bottom).sum()) * abs(shift.numerator)
    if max(largest, abs(shift.numerator), shift.denominator) < MAX_EXACT:
        return np.asarray(top * shift.denominator - bottom * shift.numerator), 0.0
    return np.asarray(top - moved), 4 * float(np.spacing(np.abs(top) + np.abs(moved)).sum())


def _sizes(units: PairedScores, weights: Sequence[Sequence[int]]) -> Array:
    """How large the numbers are whose difference is taken, unit by unit."""
    return np.abs(combine(units.a, weights)[:, 0]) + np.abs(combine(units.b, weights)[:, 0])
