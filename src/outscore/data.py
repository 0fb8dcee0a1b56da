"""What goes in: additive metrics, and two systems' rows of numbers side by side.

Every comparison is a table of per-item numbers whose column sums make a score. `AdditiveMetric` says how the sums become
the score; `PairedScores` holds the two tables. Rows are kept as they came; repeats and clusters are views made on demand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from outscore.errors import OutscoreError

__all__ = ["AdditiveMetric", "Array", "PairedScores", "codes_of", "combine", "exact_sum"]

Array = NDArray[Any]
Precise = Fraction | Decimal

# Sums of counts stay below this, so that int64 arithmetic in the kernel can never wrap round.
LARGEST_TOTAL = 2**53
FEW_ADDENDS = 4_096
"""Fewer numbers than this are added one by one: that is as quick."""


@dataclass(frozen=True)
class AdditiveMetric:
    """A score that is a function of column sums.

    Parameters
    ----------
    name
        What people call it.
    columns
        The names of the additive columns, in order.
    function
        Totals with the columns on the last axis to scores, vectorised over the leading axes. Leave it out for a ratio.
    direction
        ``"higher"`` or ``"lower"``: which end is better.
    ratio
        Integer vectors (u, v) when the score is u·x / v·x; v of None means the score is u·x itself. Scores with v·x = 0 are 0.
        A ratio brings the exact kernel and exact ties with it.
    precise
        The same function for one row of integer totals in exact or 50-digit arithmetic; decides ties of other metrics.

    Examples
    --------
    >>> import numpy as np
    >>> f1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))
    >>> round(float(f1.score(np.array([8, 4]))), 6)
    0.8
    """

    name: str
    columns: tuple[str, ...]
    function: Callable[[Array], Array] | None = None
    direction: Literal["higher", "lower"] = "higher"
    ratio: tuple[Sequence[int], Sequence[int] | None] | None = None
    precise: Callable[[Sequence[Fraction]], Precise] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.direction not in ("higher", "lower"):
            raise OutscoreError(f"Metric `{self.name}`: `direction` is {self.direction!r}.", "Use 'higher' or 'lower'.")
        if self.function is None and self.ratio is None:
            raise OutscoreError(f"Metric `{self.name}` has neither a function of its totals nor a ratio.", "Give one of them.")
        if self.ratio is not None:
            vectors = [w for w in self.ratio if w is not None]
            if any(len(w) != len(self.columns) or any(int(x) != x for x in w) for w in vectors):
                raise OutscoreError(
                    f"Metric `{self.name}`: `ratio` must hold whole numbers, one for each of its {len(self.columns)} columns."
                )

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger score is a better one."""
        return self.direction == "higher"

    def score(self, totals: Array) -> Array:
        """The score of column sums (last axis), for any number of leading axes."""
        if self.function is not None:
            return self._called(totals)
        assert self.ratio is not None
        u, v = self.ratio
        numerator = np.asarray(totals @ np.asarray(u), dtype=float)
        if v is None:
            return numerator
        denominator = np.asarray(totals @ np.asarray(v), dtype=float)
        defined = denominator != 0
        return np.where(defined, numerator / np.where(defined, denominator, 1.0), 0.0)

    def _called(self, totals: Array) -> Array:
        assert self.function is not None
        try:
            value = np.asarray(self.function(totals), dtype=float)
        except (TypeError, ValueError, IndexError) as error:
            raise OutscoreError(
                f"The function of metric `{self.name}` failed: {error}.",
                "It gets totals with the columns on the last axis, x[..., 0], and returns a number for each row.",
            ) from None
        if value.shape != np.shape(totals)[:-1]:
            raise OutscoreError(
                f"The function of metric `{self.name}` returned shape {value.shape} for totals of shape {np.shape(totals)}.",
                "It gets the columns on the last axis, x[..., 0], and returns a number for each row.",
            )
        return value


@dataclass(frozen=True)
class PairedScores:
    """Two systems' rows in a metric's own columns.

    `a` and `b` are (rows, columns): int64 when every number was recognised as written, its true value being number / scale;
    float64 otherwise. `items` and `clusters` are integer codes per row, or None.
    """

    a: Array
    b: Array
    scale: int = 1
    items: Array | None = None
    clusters: Array | None = None

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.a)

    @property
    def integral(self) -> bool:
        """Whether the numbers are exact integers over a common scale."""
        return bool(self.a.dtype.kind == self.b.dtype.kind == "i")

    def totals(self) -> tuple[Array, Array]:
        """Column sums of both systems in true units, correctly rounded."""
        if self.integral:
            return self.a.sum(axis=0) / self.scale, self.b.sum(axis=0) / self.scale
        return _float_sums(self.a), _float_sums(self.b)

    def per_item(self) -> PairedScores:
        """Rows of one item averaged, so that each item counts once however often it was repeated."""
        if self.items is None:
            return self
        repeats = np.bincount(self.items)
        clusters = None if self.clusters is None else _one_per_group(self.clusters, self.items)
        a, b = _sum_by(self.a, self.items), _sum_by(self.b, self.items)
        common = math.lcm(*(int(k) for k in np.unique(repeats)))
        if self.integral and _fits(common, self.a, self.b):
            weight = (common // repeats)[:, None]
            return PairedScores(a * weight, b * weight, self.scale * common, None, clusters)
        divisor = repeats[:, None] * float(self.scale)
        return PairedScores(a / divisor, b / divisor, 1, None, clusters)

    def collapsed(self) -> PairedScores:
        """Rows of one cluster summed: the units that are swapped as one."""
        if self.clusters is None:
            return self
        return replace(self, a=_sum_by(self.a, self.clusters), b=_sum_by(self.b, self.clusters), items=None, clusters=None)

    def units(self) -> PairedScores:
        """Items first, then clusters of items: what the permutation swaps."""
        return self.per_item().collapsed()


def combine(rows: Array, weights: Sequence[Sequence[int]]) -> Array:
    """Integer combinations of columns: one new column for each vector of weights, one more weight being a constant.

    Whole numbers get no fast matrix product from numpy, and most weights are 0 or 1.

    Examples
    --------
    >>> combine(np.array([[3, 1], [2, 5]]), [(1, 0), (1, 1), (0, 0, 7)])
    array([[3, 4, 7],
           [2, 7, 7]])
    """
    out = np.zeros((len(rows), len(weights)), dtype=rows.dtype, order="F")
    for i, vector in enumerate(weights):
        for source, weight in zip(rows.T, vector, strict=False):
            if weight:
                out[:, i] += source if weight == 1 else weight * source
        if len(vector) > rows.shape[1]:
            out[:, i] += vector[-1]
    return out


def codes_of(labels: object, rows: int, parameter: str) -> Array | None:
    """Turn any labels, one per row, into codes 0..k-1 in order of first appearance."""
    if labels is None:
        return None
    try:
        raw = np.asarray(labels)
    except ValueError:
        raise OutscoreError(f"`{parameter}` holds lists of different lengths.", "Give one label for each row.") from None
    if raw.ndim != 1 or len(raw) != rows:
        raise OutscoreError(
            f"`{parameter}` has shape {raw.shape}, the scores have {rows} rows.", "Give one label for each row."
        )
    # What is missing is None, or not equal to itself.
    missing = np.array([x is None or x != x for x in raw]) if raw.dtype == object else raw != raw  # noqa: PLR0124
    if missing.any():
        raise OutscoreError(f"`{parameter}` has a missing label at row {int(missing.argmax()) + 1}.")
    if raw.dtype == object:
        raw = raw.astype(str)
    _, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first, kind="stable")] = np.arange(len(first))
    return order[inverse]


def _sum_by(rows: Array, codes: Array) -> Array:
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.add.reduceat(rows[order], starts, axis=0)


def _one_per_group(labels: Array, groups: Array) -> Array:
    """The label every row of a group shares; rows that disagree are refused."""
    first = np.zeros(int(groups.max()) + 1, dtype=labels.dtype)
    first[groups[::-1]] = labels[::-1]
    wrong = np.flatnonzero(first[groups] != labels)
    if len(wrong):
        raise OutscoreError(
            f"Row {int(wrong[0]) + 1} puts its item into a second cluster.", "Every item must lie in exactly one cluster."
        )
    return first


def _fits(factor: int, *tables: Array) -> bool:
    return all(factor * float(np.abs(t).sum(axis=0, dtype=float).max(initial=0.0)) < LARGEST_TOTAL for t in tables)


def _float_sums(rows: Array) -> Array:
    return np.array([exact_sum(column) for column in rows.T])


def exact_sum(x: Array) -> float:
    """The sum of finite floats, correctly rounded, as `math.fsum` has it; many are added as whole numbers.

    Every pass takes the upper bits of all numbers, as many as a sum of integers has room for, and leaves the lower ones to the
    next. What spans more bits than a few passes hold goes to `fsum`.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    rest, total = np.ascontiguousarray(x, dtype=float), Fraction(0)
    if len(rest) < FEW_ADDENDS:
        return math.fsum(rest.tolist())
    room = 62 - len(rest).bit_length()
    for _ in range(4):
        largest = max(float(rest.max()), -float(rest.min()))
        if largest == 0.0:
            return float(total)
        shift = room - math.frexp(largest)[1]
        if abs(shift) > 1_000 or not math.isfinite(largest):
            break
        whole = np.rint(rest * math.ldexp(1.0, shift))
        total += int(whole.astype(np.int64).sum()) * Fraction(2) ** -shift
        rest = rest - whole * math.ldexp(1.0, -shift)
    return math.fsum(x.tolist())
