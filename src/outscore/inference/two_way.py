"""Items and runs as two random factors: whether newly trained systems would differ on new items, and how many that takes."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, first_where
from outscore.core.records import dataclass
from outscore.inference.base import question
from outscore.inference.base.entry import NoSpreadError, without_spread
from outscore.inference.base.own_score import RunNoise, cluster_variance
from outscore.inference.base.question import PLAIN, Alternative, TestRequest, interval_for, log_p_of_t
from outscore.inference.populations import TWO_WAY
from outscore.laws import normal, student_quantile
from outscore.results.pvalue import Interval, PValue

# Items and runs as two random factors, for the question whether a newly trained A would beat a newly trained B.
#
# A run that spans all items (a training seed) moves all its scores together, and averaging over runs leaves that in the
# item means of every item at once, where no spread between items can show it. With y_irs the score of item i in run r of
# system s, K_s runs and n items, the mean squares of the crossed table give what each system's runs add (Searle, Casella
# and McCulloch, 1992, chapter 4):
#
#     R_s = MS_run,s / (n K_s),    E_s = MS_residual,s / (n K_s),
#     I   = max(0, v_items - Σ_s E_s),
#     V   = I + Σ_s max(R_s, E_s/2),
#
# with v_items the squared standard error of the mean item difference. R_s is what the scores of the runs alone show of all
# that changes from run to run, noise within items included, so I is what items add to it: v_items without the noise that
# R_s contains already. Where runs happen to agree more than that noise allows, half of it still counts. t = difference / √V
# is referred to Student's t with the degrees of freedom of Satterthwaite (1946),
#
#     df = V² / ( I²/df_v + max{ Σ_s R_s²/(K_s - 1),  (Σ_s R_s)²/f } ),
#     f  = (1/K_A + 1/K_B)² / Σ_s 1/(K_s² (K_s - 1)).
#
# The first of the two is Welch's for run effects of any sizes; the second guards systems run unequally often, whose df it
# overstates where the estimate from few runs happens to be small.
#
# New runs can only add to what new items do. Where V comes out small by chance, the t test of the items alone, of √v_items
# and df_v, is the stricter one, and the larger p of the two counts: a claim about items and runs is never surer than one
# about items.
#
# Every function here takes arrays and knows no files: `two_way_of_means` takes scores whose mean is compared,
# `two_way_of_rows` the rows of any additive metric (BLEU, F1), and `TwoWay` the parts themselves.


INTERVAL = "Student t over items and runs"
FEW_RUNS = (
    "Two runs say little about how much a system's runs differ: if those of one system differ far more than the other's, the"
    " two-way test rejects up to 2.6 times as often as alpha says."
)
"""The warning for a system with only two runs."""
PRICES = ((2, ".29", ".59"), (3, ".36", ".62"), (5, ".50", ".64"), (10, ".62", ".69"))
"""Runs of each system; the power of this test on 20 items where runs do not differ, and that of a claim about these runs."""
ULPS = 64
"""A standard error of so few units in the last place of the scores is rounding, and counts as 0."""

MOST = 1e12
"""More degrees of freedom than that are as good as infinite."""


@dataclass(frozen=True)
class Spread:
    """A squared standard error, the degrees of freedom of its estimate, and how many units it comes from."""

    variance: float
    df: float
    units: int


@dataclass(frozen=True)
class TwoWay:
    """A difference between two systems with its standard error over items and runs, and the degrees of freedom of that.

    It is made of parts, so that metrics and designs of any kind can use it: `items` may come from clusters (CR2), from the
    jackknife of a corpus score, or from strata.

    Attributes
    ----------
    difference
        A - B.
    items
        The spread of the difference over items, with the runs held fixed.
    a, b
        What the runs of each system say.
    size
        The size of the largest score, below whose rounding a spread is none.

    Examples
    --------
    >>> runs = RunNoise(runs=3, between=0.0004, within=0.0001, df_within=998.0)
    >>> test = TwoWay(0.05, Spread(0.0002, 499.0, 500), runs, runs)
    >>> round(test.error, 6), round(test.df, 3), round(test.p().value, 4)
    (0.028284, 4.0, 0.1518)
    >>> test = two_way_of_means(np.array([[3.0, 5.0], [1.0, 4.0], [2.0, 6.0]]), np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    >>> round(test.difference, 6), round(test.error, 6), round(test.df, 4), round(test.p().value, 5)
    (2.833333, 1.522972, 1.0626, 0.30261)
    """

    difference: float
    items: Spread
    a: RunNoise
    b: RunNoise
    size: float = 0.0

    @property
    def beyond_runs(self) -> float:
        """I: what items add to what the runs show."""
        return max(0.0, self.items.variance - self.a.within - self.b.within)

    @property
    def variance(self) -> float:
        """V: the variance of the difference over new items and new runs."""
        return self.beyond_runs + sum(max(s.between, s.within / 2) for s in (self.a, self.b))

    @property
    def error(self) -> float:
        """√V, and 0 where it is within rounding of that."""
        error = math.sqrt(self.variance)
        return error if error > ULPS * float(np.spacing(self.size)) else 0.0

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom, the smaller of the two; see the module."""
        if not self.items.df:
            return 0.0
        welch = sum(s.between**2 / (s.runs - 1) for s in (self.a, self.b))
        # Degrees of freedom of Σ R where both systems have run effects of one size.
        alike = (1 / self.a.runs + 1 / self.b.runs) ** 2 / sum(1 / (s.runs**2 * (s.runs - 1)) for s in (self.a, self.b))
        noise = self.beyond_runs**2 / self.items.df + max(welch, (self.a.between + self.b.between) ** 2 / alike)
        # Where runs agree up to rounding, nothing but half the noise within items is left, which is as good as known.
        return self.variance**2 / noise if noise > self.variance**2 / MOST else math.inf

    @property
    def scales(self) -> list[tuple[float, float]]:
        """Standard errors with their degrees of freedom, the strictest of which counts: over items and runs, and over items."""
        of_items = math.sqrt(self.items.variance), self.items.df
        return [(self.error, self.df), *([of_items] if self.items.variance else [])]

    def p(self, request: TestRequest = PLAIN, *, orientation: int = 1) -> PValue:
        """The p-value of H0: the expected difference over new items and runs is δ; `orientation` is -1 where lower is better.

        A difference of exactly δ without any spread has p = 1; any other difference without spread is refused.
        """
        gap, units = self.difference - request.delta, self.items.units
        if units < 2:
            raise NoSpreadError(
                f"`{TWO_WAY}` needs at least two items or clusters, to see how much they vary.", "Give more of them."
            )
        if self.error == 0.0:
            if abs(gap) > ULPS * float(np.spacing(max(self.size, abs(request.delta)))):
                raise without_spread(TWO_WAY, "item and run", self.difference)
            return question.identical_p(units, test=TWO_WAY, method="asymptotic", kernel="two-way")
        log_p, t = max((log_p_of_t(df, orientation * gap / error, request), gap / error) for error, df in self.scales)
        return PValue.from_logs(log_p, log_p, method="asymptotic", kernel="two-way", test=TWO_WAY, statistic=t, n=units)

    def interval(self, request: TestRequest = PLAIN, *, orientation: int = 1) -> Interval:
        """difference ± t · error: the differences that `p` does not reject."""
        reach = max(student_quantile(df, 1 - request.side) * error for error, df in self.scales)
        limits = self.difference - reach, self.difference + reach
        return interval_for(limits, request, orientation, method=INTERVAL, dual=True, estimate=self.difference)


def price_of_runs(runs: int) -> str:
    """What a claim about new runs costs, in a sentence for so many runs of each system.

    Examples
    --------
    >>> price_of_runs(4)
    'A claim about new runs costs power: if runs do not differ, 3 runs on 20 items have .36 where these runs alone have .62.'
    """
    known, power, alone = max(price for price in PRICES if price[0] <= max(runs, PRICES[0][0]))
    head = "A claim about new runs costs power: if runs do not differ,"
    return f"{head} {known} runs on 20 items have {power} where these runs alone have {alone}."


def run_noise(values: Array, scores: Array | None = None) -> RunNoise:
    """What the runs of one system add: (n, K) `values` of items by runs whose column means are the runs' scores.

    For a score that is not a mean of items, `values` are jackknife pseudo-values of each run and `scores` the (K,) scores of
    the runs themselves.

    Examples
    --------
    >>> noise = run_noise(np.array([[3.0, 5.0], [1.0, 4.0], [2.0, 6.0]]))
    >>> round(noise.between, 6), round(noise.within, 6), round(noise.added, 6)
    (2.25, 0.083333, 2.166667)
    """
    n, runs = values.shape
    if runs < 2 or n < 2:
        raise NoSpreadError(
            "Two-way noise needs at least two runs of each system and at least two items.", "Give more runs, or more items."
        )
    residuals = values - values.mean(axis=1, keepdims=True) - values.mean(axis=0) + values.mean()
    df = (n - 1) * (runs - 1)
    scores = values.mean(axis=0) if scores is None else scores
    within = float((residuals**2).sum()) / df / (n * runs)
    return RunNoise(runs, float(scores.var(ddof=1)) / runs, within, df, tuple(scores.tolist()))


def item_spread(d: Array, clusters: Array | None = None) -> Spread:
    """The squared standard error of the mean of item differences: s²/n, or CR2 where items come in clusters.

    Examples
    --------
    >>> spread = item_spread(np.array([1.0, 3.0, 5.0]))
    >>> round(spread.variance, 6), spread.df, spread.units
    (1.333333, 2.0, 3)
    """
    residuals = d - d.mean()
    sizes = None if clusters is None else np.bincount(clusters)
    sums = residuals if clusters is None else np.bincount(clusters, weights=residuals)
    return Spread(*cluster_variance(sums, sizes), len(sums))


def two_way_of_means(a: Array, b: Array, clusters: Array | None = None) -> TwoWay:
    """The test of mean scores: (n, K_a) and (n, K_b) scores of the same items, one column for each run.

    `clusters` are codes of the items, where these come in clusters.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> a, b = rng.normal(0.6, 0.1, (50, 3)), rng.normal(0.5, 0.1, (50, 4))
    >>> test = two_way_of_means(a, b)
    >>> round(test.difference, 4), round(test.p().value, 4)
    (0.1046, 0.0013)
    """
    d = a.mean(axis=1) - b.mean(axis=1)
    size = max(float(np.abs(a).max()), float(np.abs(b).max()))
    return TwoWay(float(d.mean()), item_spread(d, clusters), run_noise(a), run_noise(b), size)


def two_way_of_rows(
    a: Array, b: Array, metric: AdditiveMetric, *, difference: float | None = None, clusters: Array | None = None
) -> TwoWay:
    """The test of any additive metric: (n, K_a, columns) and (n, K_b, columns) rows of the same items.

    The scores of the runs are those of their column sums, and the jackknife over items says what items alone would make of
    them; for a mean this is `two_way_of_means`. `difference` is that of the mean run scores if it is left out, and `clusters`
    are codes of the items, where these come in clusters.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rng = np.random.default_rng(1)
    >>> a, b = rng.normal(0.6, 0.1, (50, 3)), rng.normal(0.5, 0.1, (50, 4))
    >>> rows = [np.stack([y, np.ones_like(y)], axis=-1) for y in (a, b)]
    >>> by_rows, by_means = two_way_of_rows(*rows, mean), two_way_of_means(a, b)
    >>> bool(np.isclose(by_rows.error, by_means.error)), bool(np.isclose(by_rows.df, by_means.df))
    (True, True)
    """
    (scores_a, values_a), (scores_b, values_b) = pseudo_values(a, metric), pseudo_values(b, metric)
    d = values_a.mean(axis=1) - values_b.mean(axis=1)
    return TwoWay(
        float(scores_a.mean() - scores_b.mean()) if difference is None else difference,
        item_spread(d, clusters),
        run_noise(values_a, scores_a),
        run_noise(values_b, scores_b),
        size=max(float(np.abs(scores_a).max()), float(np.abs(scores_b).max())),
    )


def macro_two_way(parts: Sequence[TwoWay]) -> TwoWay:
    """The test of the mean difference over datasets, each with items of its own and all with the same runs.

    The runs of a system are matched by their order, so that a run which is lucky on every dataset counts as such. Items of
    different datasets are independent, and their squared errors add up.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> a, b = rng.normal(0.6, 0.1, (50, 3)), rng.normal(0.5, 0.1, (50, 3))
    >>> one, both = two_way_of_means(a, b), macro_two_way([two_way_of_means(a[:25], b[:25]), two_way_of_means(a[25:], b[25:])])
    >>> bool(np.isclose(one.difference, both.difference)), bool(np.isclose(one.a.between, both.a.between))
    (True, True)
    """
    d = len(parts)
    return TwoWay(
        sum(part.difference for part in parts) / d,
        Spread(*_mean_error([(part.items.variance, part.items.df) for part in parts]), sum(part.items.units for part in parts)),
        _over_datasets([part.a for part in parts]),
        _over_datasets([part.b for part in parts]),
        max(part.size for part in parts),
    )


def _mean_error(parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The squared error of a mean of independent parts, with Satterthwaite's degrees of freedom."""
    total = sum(variance for variance, _ in parts)
    noise = sum(variance**2 / df for variance, df in parts if variance)
    return total / len(parts) ** 2, total**2 / noise if noise else sum(df for _, df in parts)


def _over_datasets(parts: Sequence[RunNoise]) -> RunNoise:
    scores = np.mean([part.scores for part in parts], axis=0)
    within, df = _mean_error([(part.within, part.df_within) for part in parts])
    return RunNoise(len(scores), float(scores.var(ddof=1)) / len(scores), within, df, tuple(scores.tolist()))


def pseudo_values(rows: Array, metric: AdditiveMetric) -> tuple[Array, Array]:
    """The score of each run, and the jackknife's (n, K) pseudo-values nθ - (n - 1)θ without the item (Tukey, 1958)."""
    n, totals = len(rows), rows.sum(axis=0)
    scores = np.asarray(metric.score(totals))
    return scores, n * scores - (n - 1) * np.asarray(metric.score(totals - rows))


def noise_of_rows(rows: Array, metric: AdditiveMetric) -> RunNoise:
    """What the runs of one system say about its own score: (items, runs, columns) `rows` of it.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> scores = np.array([[3.0, 5.0], [1.0, 4.0], [2.0, 6.0]])
    >>> round(noise_of_rows(np.stack([scores, np.ones((3, 2))], axis=2), mean).added, 6)
    2.166667
    """
    scores, values = pseudo_values(rows.astype(float), metric)
    return run_noise(values, scores)


# How many items a claim about new items and new runs takes, with so many runs of each system.
#
# The two-way test is a function of numbers that are independent if scores are normal: the difference, the spread of the
# items, and for each system how much its runs, and its residuals, vary. Its power is the chance that the difference exceeds
# what the test asks for, averaged over draws of the others (`two_way`). More items average out what differs between items,
# more runs what differs between runs, and neither the other: with few runs no number of items is enough for a small
# difference.


DRAWS, SEED = 8_000, 20
"""Samples of the spreads: power is then known within .01."""
MOST_ITEMS = 10**6
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
            if high > MOST_ITEMS:
                return None
        return first_where(enough, low, high)


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
