"""Additive metrics: scores that are functions of column sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, weighed
from outscore.core.records import dataclass

Precise = Fraction | Decimal


def moving(columns: Sequence[str], moves: Mapping[str, str | None]) -> tuple[tuple[int, ...], ...]:
    """The matrix that moves what is counted in some columns to others, or to none.

    Examples
    --------
    >>> moving(("tp", "fp", "fn"), {"tp": "fn", "fp": None})
    ((0, 0, 1), (0, 0, 0), (0, 0, 1))
    """
    return tuple(tuple(int(moves.get(name, name) == other) for other in columns) for name in columns)


@dataclass(frozen=True)
class AdditiveMetric:
    """A score that is a function of column sums.

    Parameters
    ----------
    name
        The name.
    columns
        The names of the additive columns, in order.
    function
        Totals with the columns on the last axis to scores, vectorised over the leading axes. Leave it out for a ratio.
    direction
        ``"higher"`` or ``"lower"``: which is better.
    ratio
        Integer vectors (u, v) if the score is u·x / v·x; v is None if it is u·x. The score is 0 if v·x = 0. Ratios have exact
        kernels and exact ties.
    graded
        Scores are graded, such as points of a hundred: zeros and ones among them do not mean wrong and right.
    cells
        The columns are tp, fp, fn and tn of one table: every decision counts in exactly one of them, and the score grows with
        the right ones and falls with the wrong ones.
    steps
        The score counts orders of totals: it stands still and then jumps, so that what it is without an item says nothing about
        its spread.
    bounds
        The least and the largest score that the metric can have, None where there is none.
    emptied
        A square matrix: a row times it is the row of the same item had the output been empty, or wrong for labels. What a
        crash costs follows from it.
    joint
        Makes the rows of two systems on the same items from their own rows, where what an item says of their difference depends
        on both: ranks are those among the outputs of both. The columns stay the same.
    alone
        Where rows are made of both systems, the metric whose spread over one system's rows is that of its own score.
    stake
        The most that an item of one system's rows can lose, where it is not the range of the score: an item of a rare class is
        worth more than one of many.
    precise
        The same function for one row of integer totals in exact or 60-digit arithmetic; decides ties
        where there is no ratio, up to 1e-40.

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
    graded: bool = False
    cells: bool = False
    steps: bool = False
    bounds: tuple[float | None, float | None] = (None, None)
    emptied: Sequence[Sequence[int]] | None = field(default=None, repr=False)
    joint: Callable[[Array, Array], tuple[Array, Array]] | None = field(default=None, repr=False)
    alone: AdditiveMetric | None = field(default=None, repr=False)
    stake: Callable[[Array], float] | None = field(default=None, repr=False)

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
        """Whether a larger score is better."""
        return self.direction == "higher"

    def top(self, rows: Array) -> Array:
        """u·x of every row of a ratio or a sum: what stands above the line."""
        assert self.ratio is not None
        return weighed(rows, self.ratio[0])

    def bottom(self, rows: Array) -> Array | None:
        """v·x of every row: what stands below the line; None where nothing does, as in a sum."""
        return None if self.ratio is None or self.ratio[1] is None else weighed(rows, self.ratio[1])

    def score(self, totals: Array) -> Array:
        """The score of column sums (last axis), for any number of leading axes."""
        if self.function is not None:
            return self._apply(self.function, totals)
        # A column of the totals may be all there is to it, and stays theirs.
        numerator, below = np.array(self.top(totals), dtype=float), self.bottom(totals)
        if below is None:
            return numerator
        denominator = np.asarray(below, dtype=float)
        if denominator.ndim == 0:
            return np.asarray(numerator / denominator if denominator else 0.0)
        return np.asarray(np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0))

    def _apply(self, function: Callable[[Array], Array], totals: Array) -> Array:
        try:
            value = np.asarray(function(totals), dtype=float)
        except (TypeError, ValueError, IndexError) as error:
            raise OutscoreError(
                f"The function of metric `{self.name}` failed: {error}.",
                "It receives totals with the columns on the last axis, x[..., 0], and must return a number for each row.",
            ) from None
        if value.shape != np.shape(totals)[:-1]:
            raise OutscoreError(
                f"The function of metric `{self.name}` returned shape {value.shape} for totals of shape {np.shape(totals)}.",
                "It receives the columns on the last axis, x[..., 0], and must return a number for each row.",
            )
        return value
