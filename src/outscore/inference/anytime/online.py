"""Items one by one: the evidence so far, and whether it is enough to stop."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outscore.core.brief import Brief
from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import check_level, check_range
from outscore.inference.anytime.process import (
    Alternative,
    Looks,
    betting_evidence,
    binary_evidence,
    confidence_sequence,
)

SIDES = ("two-sided", "greater", "less")
Scores = float | Sequence[float]


class Anytime(Brief):
    """Evidence for a difference between A and B that stays valid however often you look and whenever you stop.

    H0: A and B are equally good: each is equally likely to win a right-or-wrong item on which they differ, and the differences
    of bounded scores have mean 0. Under H0 the e-value reaches 1/α with probability α at most, over all looks together (Ville,
    1939). Items must come in random order, and items that depend on one another (turns of a conversation) must come together,
    as one call of `add`.

    Parameters
    ----------
    alpha
        The level: stop where the e-value reaches 1/alpha.
    alternative
        ``"two-sided"``, ``"greater"`` (A is better) or ``"less"``.
    bounds
        The least and the largest score that an item can have. They must be known beforehand, not taken from the scores.
    binary
        Whether every item is either right (the upper bound) or wrong (the lower one), which allows the more powerful of
        two tests. It must be set before the first item.
    cluster_size
        The most items that one call of `add` brings; 1 where items are independent.
    lower_is_better
        The direction of the scores, for one-sided alternatives.

    Examples
    --------
    >>> watch = Anytime(binary=True)
    >>> for a, b in [(1, 0)] * 8 + [(0, 0), (1, 1)]:
    ...     watch.add(a, b)
    >>> watch.n, round(watch.e_value, 2), round(watch.p, 4), watch.stopped_at
    (10, 28.44, 0.0352, 8)
    """

    def __init__(
        self,
        *,
        alpha: float = 0.05,
        alternative: Alternative = "two-sided",
        bounds: tuple[float, float] = (0.0, 1.0),
        binary: bool = False,
        cluster_size: int = 1,
        lower_is_better: bool = False,
    ) -> None:
        check_level("alpha", alpha)
        if alternative not in SIDES:
            raise OutscoreError(
                f"`alternative` is {alternative!r}.", f"Choose one of: {', '.join(SIDES)}.", parameter="alternative"
            )
        low, high = check_range("bounds", bounds)
        if cluster_size < 1:
            raise OutscoreError(f"`cluster_size` is {cluster_size}.", "Give 1 or more.", parameter="cluster_size")
        if binary and cluster_size > 1:
            raise OutscoreError(
                "`binary` needs independent items, and `cluster_size` is more than 1.",
                "Leave `binary` out: the test by betting is valid for clusters.",
                parameter="binary",
            )
        self.alpha = alpha
        self.alternative: Alternative = alternative
        self.bounds = (low, high)
        self.binary = binary
        self.cluster_size = cluster_size
        self.lower_is_better = lower_is_better
        self._sums: list[float] = []
        self._sizes: list[int] = []
        self._looks: Looks | None = None

    def add(self, a: Scores, b: Scores) -> None:
        """One more item: A's score and B's; or several that depend on one another, as two sequences."""
        first, second = (np.atleast_1d(np.asarray(side, dtype=float)) for side in (a, b))
        if first.shape != second.shape or first.ndim != 1 or not len(first):
            raise OutscoreError(
                f"A has {first.size} scores and B has {second.size}.",
                "Give one score of each system for every item.",
                parameter="b",
            )
        if len(first) > self.cluster_size:
            raise OutscoreError(
                f"{len(first)} items were added together, but `cluster_size` is {self.cluster_size}.",
                "Set `cluster_size` to the size of the largest cluster before the first item.",
                parameter="cluster_size",
            )
        self._check(first)
        self._check(second)
        self._sums.append(float((first - second).sum()))
        self._sizes.append(len(first))
        self._looks = None

    def _check(self, scores: Array) -> None:
        low, high = self.bounds
        allowed = (scores == low) | (scores == high) if self.binary else (scores >= low) & (scores <= high)
        if not allowed.all():
            score = float(scores[int(np.argmin(allowed))])
            range_text = f"{low:g} or {high:g} (`binary`)" if self.binary else f"from {low:g} to {high:g} (`bounds`)"
            raise OutscoreError(
                f"A score is {score:g}, but scores must be {range_text}.", "Set `bounds` and `binary` before the first item."
            )

    @property
    def n(self) -> int:
        """Items so far."""
        return sum(self._sizes)

    @property
    def units(self) -> int:
        """Calls of `add` so far: items, or clusters."""
        return len(self._sums)

    @property
    def difference(self) -> float | None:
        """The mean difference A - B so far; None before the first item."""
        return math.fsum(self._sums) / self.n if self._sums else None

    @property
    def looks(self) -> Looks:
        """The evidence after every unit."""
        if self._looks is None:
            self._looks = Looks(self._log_e(), self.alpha)
        return self._looks

    def _log_e(self) -> Array:
        sums, sizes, reach = self._arrays()
        side: Alternative = self.alternative
        if self.lower_is_better and side != "two-sided":
            side = "less" if side == "greater" else "greater"
        if self.binary:
            return binary_evidence(sums, side)
        return betting_evidence(sums, sizes, reach, self.alpha, side, largest=self.cluster_size)

    def _arrays(self) -> tuple[Array, Array, float]:
        return np.array(self._sums), np.array(self._sizes, dtype=float), self.bounds[1] - self.bounds[0]

    @property
    def e_value(self) -> float:
        """The e-value now: the factor by which bets on a difference have grown."""
        return self.looks.e_value

    @property
    def p(self) -> float:
        """The anytime p-value: valid at every look, including the last."""
        return self.looks.p

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence sequence of A - B now."""
        sums, sizes, reach = self._arrays()
        return confidence_sequence(sums, sizes, reach, self.alpha, largest=self.cluster_size)

    @property
    def stopped_at(self) -> int | None:
        """The number of units after which the evidence sufficed to stop; None if not yet."""
        return self.looks.stops

    @property
    def decided(self) -> bool:
        """Whether the evidence is enough to stop: the e-value has reached 1/alpha."""
        return self.stopped_at is not None

    def _brief(self) -> str:
        outcome = f"decided after {self.stopped_at}" if self.decided else "undecided"
        return f"{self.n} items, e {self.e_value:.4g}, {outcome}"
