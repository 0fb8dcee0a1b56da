"""What single items say about many systems: which tell none apart, which agree with the rest, and which contradict it.

No model is fitted. The spread of an item is the variance of its scores over the systems, that is, half its mean squared
difference between two of them: an item without spread is dead, because no paired test looks at it. The item-rest correlation is
Pearson's, over systems, between the scores of the item and the mean scores of the same systems on all other items (Ebel, 1965).
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.laws import student_quantile

DISCRIMINATING = 0.2
"""The item-rest correlation from which an item is said to discriminate (Ebel)."""
LEVEL = 0.05
"""One-sided, of a negative correlation that is called suspicious."""
ROUNDING = 1e-12
MIN_SYSTEMS = 5
"""With fewer systems, a correlation over them says nothing."""


@dataclass(frozen=True, eq=False)
class ItemTable:
    """One row for each item.

    `systems` counts those with a score, `mean` and `spread` are over them, `dead` says that all scores are equal, `rest` is the
    item-rest correlation, nan where there is none, and `limit` the negative one from which an item is suspicious.
    """

    systems: Array
    mean: Array
    spread: Array
    dead: Array
    rest: Array
    limit: Array

    @property
    def discriminating(self) -> Array:
        """Which items agree with the rest."""
        return np.asarray(np.nan_to_num(self.rest) >= DISCRIMINATING)

    @property
    def suspicious(self) -> Array:
        """On which items better systems do worse."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.rest <= self.limit)


def item_table(values: object, present: object = None) -> ItemTable:
    """The items of a (systems, items) table of scores.

    Correlations do not depend on which scores are better: where lower ones are, those of the rest turn with those of the item.

    Examples
    --------
    >>> right = np.array([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0], [1, 1, 0, 0, 1], [1, 1, 0, 0, 1], [1, 0, 0, 0, 1]])
    >>> found = item_table(right)
    >>> found.dead.tolist(), found.rest.round(2).tolist(), found.suspicious.tolist()
    ([True, False, False, False, False], [nan, 0.25, -0.17, 0.25, -0.88], [False, False, False, False, True])
    """
    scores = np.asarray(values, dtype=float)
    there = np.ones(scores.shape, dtype=bool) if present is None else np.asarray(present, dtype=bool)
    x = np.where(there, scores, 0.0)
    count = there.sum(axis=0)
    others = there.sum(axis=1, keepdims=True) - 1
    rest = (x.sum(axis=1, keepdims=True) - x) / np.maximum(others, 1)
    used = there & (others > 0)
    mean, spread = _moments(x, there)
    high, low = np.where(there, scores, -np.inf).max(axis=0), np.where(there, scores, np.inf).min(axis=0)
    dead = high <= low
    own, of_own = _moments(x, used)
    around, of_rest = _moments(rest, used)
    pairs = used.sum(axis=0)
    together = (np.where(used, (x - own) * (rest - around), 0.0)).sum(axis=0) / np.maximum(pairs, 1)
    # Means that are equal but for their rounding are equal.
    known = ~dead & (of_own > 0) & (of_rest > (ROUNDING * (1 + np.abs(around))) ** 2) & (pairs >= MIN_SYSTEMS)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlation = np.where(known, together / np.sqrt(of_own * of_rest), np.nan)
    limits = {n: _limit(n) for n in np.unique(pairs).tolist()}
    return ItemTable(count, mean, np.where(dead, 0.0, spread), dead, correlation, np.array([limits[n] for n in pairs.tolist()]))


def _moments(x: Array, there: Array) -> tuple[Array, Array]:
    """Mean and variance of each column over its filled cells."""
    n = np.maximum(there.sum(axis=0), 1)
    mean = np.where(there, x, 0.0).sum(axis=0) / n
    return mean, np.where(there, (x - mean) ** 2, 0.0).sum(axis=0) / n


def _limit(systems: int) -> float:
    """The correlation of so many systems whose one-sided p, by Student's t, is `LEVEL`."""
    if systems < MIN_SYSTEMS:
        return -math.inf
    t = student_quantile(systems - 2, 1 - LEVEL)
    return -t / math.sqrt(systems - 2 + t * t)


def effective_items(spread: object) -> float:
    """As many items that decide alike as these decide: (Σ spread)² / Σ spread².

    Examples
    --------
    >>> effective_items([0.25, 0.25, 0.25, 0.25, 0.0]), round(effective_items([0.25, 0.05, 0.05]), 2)
    (4.0, 1.81)
    """
    shares = np.asarray(spread, dtype=float)
    squares = float((shares**2).sum())
    return float(shares.sum()) ** 2 / squares if squares else 0.0
