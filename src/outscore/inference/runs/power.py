"""How many items a claim about new items and new runs takes, with so many runs of each system.

The two-way test is a function of numbers that are independent if scores are normal: the difference, the spread of the items,
and for each system how much its runs, and its residuals, vary. Its power is the chance that the difference exceeds what the
test asks for, averaged over draws of the others (`two_way`). More items average out what differs between items, more runs
what differs between runs, and neither the other: with few runs no number of items is enough for a small difference.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.base.question import Alternative
from outscore.inference.runs.two_way import TwoWay
from outscore.laws import normal, student_quantile

DRAWS, SEED = 8_000, 20
"""Samples of the spreads: power is then known within .01."""
MOST = 10**6
"""Nobody runs a system on more items."""
SMALLEST, GRID = 1e-6, 120


@dataclass(frozen=True)
class RunsLaw:
    """Variances: of an item's difference, of whole runs of A and of B, and of what is left in a single score of each."""

    item: float
    run: tuple[float, float]
    left: tuple[float, float]

    @classmethod
    def of(cls, found: TwoWay) -> RunsLaw:
        """What a finished comparison says of them; clusters take the place of items."""
        n, both = found.items.units, (found.a, found.b)
        run_a, run_b = (s.added * s.runs for s in both)
        left_a, left_b = (s.within * n * s.runs for s in both)
        return cls(found.beyond_runs * n, (run_a, run_b), (left_a, left_b))

    def power(self, n: int, runs: tuple[int, int], effect: float, alpha: float, alternative: Alternative) -> float:
        """The chance to detect a true difference with n items and so many runs of A and of B.

        Examples
        --------
        >>> law = RunsLaw(0.3, (0.05, 0.05), (1.0, 1.0))
        >>> [round(law.power(20, (k, k), 1.0, 0.05, "two-sided"), 2) for k in (2, 3, 5)]
        [0.4, 0.75, 0.97]
        """
        rng = np.random.Generator(np.random.Philox(key=SEED))
        of_items = self.item / n
        within = [left / (n * k) for left, k in zip(self.left, runs, strict=True)]
        between = [run / k + e for run, k, e in zip(self.run, runs, within, strict=True)]
        error = math.sqrt(of_items + sum(between))
        away = {"two-sided": abs(effect), "greater": effect, "less": -effect}[alternative]
        if not error:
            return float(away > 0)
        seen = (of_items + sum(within)) * _spread(rng, n - 1)
        r = [x * _spread(rng, k - 1) for x, k in zip(between, runs, strict=True)]
        e = [x * _spread(rng, (n - 1) * (k - 1)) for x, k in zip(within, runs, strict=True)]
        beyond = np.maximum(0.0, seen - e[0] - e[1])
        variance = beyond + np.maximum(r[0], e[0] / 2) + np.maximum(r[1], e[1] / 2)
        alike = sum(1 / k for k in runs) ** 2 / sum(1 / (k * k * (k - 1)) for k in runs)
        of_runs = np.maximum(r[0] ** 2 / (runs[0] - 1) + r[1] ** 2 / (runs[1] - 1), (r[0] + r[1]) ** 2 / alike)
        doubt = (beyond**2 / (n - 1) + of_runs) / variance**2
        side = alpha / 2 if alternative == "two-sided" else alpha
        asked = np.maximum(
            _critical(doubt, side) * np.sqrt(variance), student_quantile(n - 1, 1 - side) * np.sqrt(np.maximum(seen, 0.0))
        )
        points, chances = _normal_table()
        found = np.interp((away - asked) / error, points, chances)
        wrong = np.interp((-away - asked) / error, points, chances) if alternative == "two-sided" else 0.0
        return float(np.mean(found + wrong))

    def items(self, runs: tuple[int, int], effect: float, alpha: float, alternative: Alternative, target: float) -> int | None:
        """The items that detect a true difference with the power asked for; None where no number of them does.

        Examples
        --------
        >>> law = RunsLaw(0.3, (0.05, 0.05), (1.0, 1.0))
        >>> [law.items((k, k), 1.0, 0.05, "two-sided", 0.8) for k in (2, 3, 5)]
        [None, 26, 10]
        """
        if not {"two-sided": effect, "greater": effect > 0, "less": effect < 0}[alternative]:
            return None

        def enough(n: int) -> bool:
            return self.power(n, runs, effect, alpha, alternative) >= target

        low, high = 1, 4
        while not enough(high):
            low, high = high, 2 * high
            if high > MOST:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(middle) else (middle, high)
        return high


def _spread(rng: np.random.Generator, df: int) -> Array:
    """Estimates of a variance of 1 with so many degrees of freedom."""
    return np.asarray(rng.chisquare(df, DRAWS) / df)


def _critical(inverse: Array, side: float) -> Array:
    """Student's quantiles at the inverses of degrees of freedom, from a table."""
    points, values = _table(side)
    return np.asarray(np.interp(inverse, points, values))


@functools.cache
def _normal_table() -> tuple[Array, Array]:
    points = np.linspace(-8.0, 8.0, 3_201)
    return points, np.array([normal(z) for z in points.tolist()])


@functools.lru_cache(maxsize=16)
def _table(side: float) -> tuple[Array, Array]:
    points = np.concatenate([[0.0], np.geomspace(SMALLEST, 1.0, GRID)])
    return points, np.array([student_quantile(math.inf if x == 0 else 1 / x, 1 - side) for x in points.tolist()])
