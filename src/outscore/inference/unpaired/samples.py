"""Two samples of scores of different items, and what their means and spreads say."""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, exact_sum
from outscore.core.records import dataclass
from outscore.inference.base.cluster_variance import cluster_variance
from outscore.inference.base.discordance import Worth, worth_of
from outscore.laws import normal, normal_quantile


@dataclass(frozen=True, eq=False)
class Samples:
    """The scores of A's items and of B's, which are others.

    `clusters` are codes 0, 1, … of each system's own clusters, or None; `orientation` is -1 where lower is better.

    Examples
    --------
    >>> both = Samples(np.array([3.0, 5.0, 4.0]), np.array([1.0, 2.0]))
    >>> both.difference, both.sizes, both.units
    (2.5, (3, 2), (3, 2))
    """

    a: Array
    b: Array
    clusters: tuple[Array, Array] | None = None
    orientation: int = 1

    @property
    def sizes(self) -> tuple[int, int]:
        """How many items each system has."""
        return len(self.a), len(self.b)

    @property
    def units(self) -> tuple[int, int]:
        """How many items, or clusters of items, are exchanged."""
        if self.clusters is None:
            return self.sizes
        return int(self.clusters[0].max()) + 1, int(self.clusters[1].max()) + 1

    @property
    def n(self) -> int:
        """Units of both systems."""
        return sum(self.units)

    @cached_property
    def means(self) -> tuple[float, float]:
        """Both scores."""
        return exact_sum(self.a) / len(self.a), exact_sum(self.b) / len(self.b)

    @property
    def difference(self) -> float:
        """A - B."""
        return self.means[0] - self.means[1]

    @property
    def identical(self) -> bool:
        """Whether all scores of both are the same."""
        pooled = np.concatenate([self.a, self.b])
        return bool((pooled == pooled[0]).all())

    @cached_property
    def spreads(self) -> tuple[float | None, float | None]:
        """The standard deviation of each system's items; None of a single one."""
        first, second = (float(np.std(x, ddof=1)) if len(x) > 1 else None for x in (self.a, self.b))
        return first, second

    @cached_property
    def worth(self) -> Worth | None:
        """What wrong and right items score, where there are no others."""
        pooled = np.concatenate([self.a, self.b])
        least, largest = float(pooled.min()), float(pooled.max())
        return worth_of(least, largest, len(pooled)) if ((pooled == least) | (pooled == largest)).all() else None

    @cached_property
    def variances(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The variance of each mean with its degrees of freedom: s²/n and n - 1, of clusters CR2 and Bell–McCaffrey."""
        of_means = []
        for i, x in enumerate((self.a, self.b)):
            sums: Array = x - self.means[i]
            sizes = None
            if self.clusters is not None:
                sums, sizes = np.bincount(self.clusters[i], weights=sums), np.bincount(self.clusters[i])
            variance, df = cluster_variance(sums, sizes)
            rounding = 8 * float(np.spacing(np.abs(x).max()))
            of_means.append((variance if variance > rounding**2 else 0.0, df))
        return of_means[0], of_means[1]

    @property
    def welch(self) -> tuple[float, float] | None:
        """The standard error of the difference and the degrees of freedom of Welch and Satterthwaite.

        None where a system has a single unit, or nothing varies.

        Examples
        --------
        >>> both = Samples(np.array([3.0, 5.0, 4.0]), np.array([1.0, 2.0, 9.0, 4.0]))
        >>> [round(x, 4) for x in both.welch]
        [1.8708, 3.6049]
        """
        (v_a, df_a), (v_b, df_b) = self.variances
        whole = v_a + v_b
        if not df_a or not df_b or whole == 0.0:
            return None
        return math.sqrt(whole), whole**2 / (v_a**2 / df_a + v_b**2 / df_b)

    def checked(self) -> Samples:
        """The same, unless there is nothing to divide."""
        if min(self.units) < 1 or self.n < 3:
            raise OutscoreError(
                f"{self.n} {'items' if self.clusters is None else 'clusters'} of both systems together cannot show anything.",
                "Give more of each.",
            )
        return self

    def level(self, alpha: float) -> float | None:
        """The level at which divisions reject where only the means are equal, as these spreads and sizes have it.

        Divisions take the variance of the difference for s_A²/n_B + s_B²/n_A, and it is s_A²/n_A + s_B²/n_B: the same for
        equal sizes or spreads, and for the rest of H0, one distribution.

        Examples
        --------
        >>> stream = np.random.default_rng(0)
        >>> both = Samples(stream.normal(0, 3, 20), stream.normal(0, 1, 80))
        >>> round(both.level(0.05), 2)
        0.23
        """
        (v_a, df_a), (v_b, df_b) = self.variances
        n_a, n_b = self.units
        assumed = v_a * n_a / n_b + v_b * n_b / n_a
        if not df_a or not df_b or assumed == 0.0:
            return None
        z = -normal_quantile(alpha / 2)
        return 2 * normal(-z * math.sqrt(assumed / (v_a + v_b)))


def mid_ranks(scores: Array) -> Array:
    """Doubled mid-ranks, which are whole numbers; give scores recognised as written, or equal decimals will not tie.

    Examples
    --------
    >>> mid_ranks(np.array([3, 1, 3, 7])).tolist()
    [5, 2, 5, 8]
    """
    _, member, counts = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray((2 * np.cumsum(counts) - counts + 1)[member], dtype=np.int64)
