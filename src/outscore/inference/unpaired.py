"""Two samples of different items: means and spreads, every division of their scores, the tests by name, and margins."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import TIE_TOLERANCE, Array, distinct, exact_sum, first_where
from outscore.core.records import dataclass
from outscore.core.rows import Runs
from outscore.exact import numbers, splits
from outscore.exact.bounded import LowerMean, Sample, difference_limit, log_p_of_difference, lower_mean
from outscore.exact.bracket import Bounds
from outscore.exact.flipsum import BudgetError
from outscore.exact.laws import choices
from outscore.inference.base import question
from outscore.inference.base.discordance import Worth, worth_of
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.base.own_score import cluster_variance
from outscore.inference.base.question import PLAIN, Alternative, TestRequest, as_extreme, interval_for, log_p_of_t
from outscore.inference.classical.student import make_agree
from outscore.inference.classical.wilcoxon import key_of_float, number_of_key
from outscore.inference.populations import FISHER, RANK_SUM, TWO_SAMPLES, WELCH
from outscore.inference.power.gate import MAX_ITEMS
from outscore.inference.runs import Exchange, exchange_of
from outscore.inference.shifted import NAMED_TEST, NOTHING_KNOWN, SYMMETRIC, UNKNOWN_RANGE, known_range, refuse_wide, two_scores
from outscore.laws import log_normal, log_t_tail, normal, normal_quantile, student_quantile
from outscore.results.comparison import Margin, TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Interval, PValue

# Two samples of scores of different items, and what their means and spreads say.


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


# Two samples of different items, exact: every division of the pooled scores between the systems.
#
# H0: the scores of A's items and of B's come from one distribution. Then, given all N scores, every one of the C(N, n_A)
# divisions is as likely (Pitman, 1937). With S_A the sum of the scores that fall to A and T that of all,
#
#     p = P(|S_A - n_A T/N| ≥ observed),
#
# which is the size of the difference in means. The law is exact (`exact.splits`): whole numbers and decimals on their
# lattice, real numbers between certified bounds. Right-or-wrong items make it Fisher's exact test, two-sided by the size of
# the difference; R's `fisher.test` takes the tables that are no likelier than the observed one. Mid-ranks in place of
# scores make it the rank-sum test of Wilcoxon (1945) and Mann and Whitney (1947), ties included.
#
# Items in clusters are divided by clusters, whose number is fixed. Clusters of one size are items of their sums; of unlike
# sizes the difference in means is a ratio in clusters, items and sums, and the divisions are listed, or drawn where there
# are too many.


MAX_LISTED = 100_000
"""Divisions that are listed one by one."""
BITS = 52
BLOCK = 1 << 20


def division_p(samples: Samples, request: TestRequest = PLAIN) -> PValue:
    """The p-value of the mean difference over all divisions; some of them are drawn if the method is Monte Carlo.

    Examples
    --------
    >>> right = Samples(np.ones(10), np.array([1.0] * 20 + [0.0] * 10))
    >>> p = division_p(right)
    >>> round(p.value, 4), p.test
    (0.0852, 'fisher')
    """
    pooled = np.concatenate([samples.a, samples.b])
    p = _p(samples, pooled, request)
    table = samples.worth is not None and samples.clusters is None
    return replace(p, test=FISHER if table else TWO_SAMPLES, statistic=samples.difference, n=samples.n)


def rank_sum_p(samples: Samples, request: TestRequest = PLAIN) -> PValue:
    """The p-value of the rank-sum test; its statistic is the number of pairs of items that A wins, ties counted half.

    Examples
    --------
    >>> p = rank_sum_p(Samples(np.array([1.1, 2.2, 3.3]), np.array([4.4, 5.5, 6.6, 7.7])))
    >>> round(p.value, 6), p.statistic
    (0.057143, 0.0)
    """
    pooled = np.concatenate([samples.a, samples.b])
    written = numbers.to_exact_integers(pooled)
    ranks = mid_ranks(pooled if written is None else written[0][0])
    p = _p(samples, ranks, request)
    n_a = len(samples.a)
    won = (int(ranks[:n_a].sum()) - n_a * (n_a + 1)) / 2
    return replace(p, test=RANK_SUM, statistic=won, n=samples.n)


def _p(samples: Samples, pooled: Array, request: TestRequest) -> PValue:
    if (pooled == pooled[0]).all():
        return question.identical_p()
    side = request.direction(samples.orientation)
    whole, doubt = _whole(pooled)
    n_a = len(samples.a)
    sizes = np.ones(len(whole), dtype=np.int64)
    if samples.clusters is not None:
        codes = np.concatenate([samples.clusters[0], samples.clusters[1] + samples.units[0]])
        sizes = np.bincount(codes)
        sums = np.zeros(len(sizes), dtype=np.int64)
        np.add.at(sums, codes, whole)
        whole, n_a = sums, samples.units[0]
    p = None if request.method == "monte-carlo" else _computed(whole, sizes, n_a, side, doubt)
    return _drawn(whole, sizes, n_a, side, request) if p is None else p


def _computed(whole: Array, sizes: Array, n_a: int, side: int, doubt: int) -> PValue | None:
    """p without sampling, by whichever method applies; None where none does."""
    few = _divisions(len(whole), n_a) <= MAX_LISTED
    if (sizes != sizes[0]).any():
        if not few:
            return None
        # Every division of few clusters of unlike sizes.
        chosen = choices(len(whole), n_a)
        moved = _differences(whole[chosen].sum(axis=1), sizes[chosen].sum(axis=1), whole, sizes)
        return _counted_p(_hits(moved, _observed(whole, sizes, n_a), side))
    if doubt and few:
        return _listed(whole, n_a, side, doubt)
    try:
        return _bounded(whole, n_a, side, doubt) if doubt else _exact(whole, n_a, side)
    except BudgetError:
        return None


def _whole(pooled: Array) -> tuple[Array, int]:
    """Numbers as written in whole numbers, or reals on a fine lattice with what all of them together may be off by."""
    written = numbers.to_exact_integers(pooled)
    if written is not None:
        return written[0][0], 0
    return numbers.fixed_point(pooled.astype(float), BITS)[0], len(pooled)


def _exact(whole: Array, n_a: int, side: int) -> PValue:
    observed = int(whole[:n_a].sum())
    try:
        tail = splits.two_sided(whole, n_a, observed) if side == 0 else splits.tail(side * whole, n_a, side * observed)
    except BudgetError:
        return _bounded(whole, n_a, side, 0)
    kernel = "hypergeometric" if len(distinct(whole)) == 2 else "splits"
    p = PValue.from_logs(tail.log, tail.log, method="exact", kernel=kernel, log_mid=min(tail.log_mid, 0.0))
    return _snapped(p, _divisions(len(whole), n_a))


def _divisions(n: int, chosen: int) -> float:
    """How many divisions there are, unless that number has many thousand digits."""
    return math.comb(n, chosen) if min(chosen, n - chosen) <= 60 else math.inf


def _snapped(p: PValue, divisions: float) -> PValue:
    """An exact p is a whole number of divisions; where floats hold their number, the last rounding error goes."""
    if divisions >= 2**50:
        return p
    value = max(1, round(p.value * divisions)) / divisions
    return replace(p, value=value, lower=value, upper=value, log10=math.log10(value) + 0.0)


def _bounded(whole: Array, n_a: int, side: int, doubt: int) -> PValue:
    """Certified bounds of numbers on a lattice too fine for the kernel."""
    observed = int(whole[:n_a].sum())
    if side:
        bounds = splits.bounds(side * whole, n_a, side * observed, doubt=doubt)
    else:
        centre = Fraction(n_a * int(whole.sum()), len(whole))
        distance = abs(observed - centre)
        if distance <= doubt:
            return question.identical_p()
        upper = splits.bounds(whole, n_a, math.ceil(centre + distance), doubt=doubt + 1)
        lower = upper
        if 2 * n_a != len(whole):
            lower = splits.bounds(-whole, n_a, -math.floor(centre - distance), doubt=doubt + 1)
        low, high = float(np.logaddexp(upper.lower, lower.lower)), float(np.logaddexp(upper.upper, lower.upper))
        bounds = Bounds(min(0.0, low), min(0.0, high))
    return PValue.from_logs(bounds.lower, bounds.upper, method="certified", kernel="splits")


def _listed(whole: Array, n_a: int, side: int, doubt: int) -> PValue:
    """Every division of few numbers, near sums being ties."""
    n, total = len(whole), int(whole.sum())
    sums = whole[choices(n, n_a)].sum(axis=1) - n_a * (total / n)
    observed = float(whole[:n_a].sum()) - n_a * (total / n)
    slack = doubt + 4 * float(np.spacing(np.abs(sums).max() + abs(total)))
    return _counted_p(as_extreme(sums, observed, slack, side))


def _counted_p(hits: Array) -> PValue:
    log = math.log(int(hits.sum())) - math.log(len(hits))
    return _snapped(PValue.from_logs(log, log, method="exact", kernel="enumeration"), len(hits))


def _differences(total: Array, items: Array, sums: Array, sizes: Array) -> Array:
    """Mean differences where A has these totals on so many items."""
    return np.asarray(total / items - (sums.sum() - total) / (sizes.sum() - items))


def _observed(sums: Array, sizes: Array, n_a: int) -> float:
    return float(_differences(sums[:n_a].sum(), sizes[:n_a].sum(), sums, sizes))


def _hits(moved: Array, observed: float, side: int) -> Array:
    slack = TIE_TOLERANCE * max(float(np.abs(moved).max()), abs(observed))
    return as_extreme(moved, observed, slack, side)


def _drawn(sums: Array, sizes: Array, n_a: int, side: int, request: TestRequest) -> PValue:
    """Divisions drawn at random; the observed one counts as one more."""
    stream, resamples = np.random.Generator(np.random.Philox(key=request.seed)), request.resamples
    observed = _observed(sums, sizes, n_a)
    block = max(1, BLOCK // len(sums))
    hits = 0
    for start in range(0, resamples, block):
        count = min(block, resamples - start)
        places = np.argpartition(stream.random((count, len(sums))), n_a - 1, axis=1)[:, :n_a]
        moved = _differences(sums[places].sum(axis=1), sizes[places].sum(axis=1), sums, sizes)
        hits += int(_hits(moved, observed, side).sum())
    return question.sampled_p(hits, resamples, "divisions")


def likelihood_p(samples: Samples) -> float | None:
    """Fisher's two-sided p with tables ordered by their probability, as R and scipy have it; None but for small 2 × 2 tables.

    Examples
    --------
    >>> round(likelihood_p(Samples(np.ones(10), np.array([1.0] * 20 + [0.0] * 10))), 4)
    0.0428
    """
    if samples.worth is None or samples.clusters is not None or samples.identical or sum(samples.sizes) > splits.COUNTED_TABLE:
        return None
    n_a, n_b = samples.sizes
    first, second = (int((x == samples.worth.right).sum()) for x in (samples.a, samples.b))
    right = first + second
    ways = {
        k: math.comb(right, k) * math.comb(n_a + n_b - right, n_a - k) for k in range(max(0, right - n_b), min(n_a, right) + 1)
    }
    return sum(count for count in ways.values() if count <= ways[first]) / math.comb(n_a + n_b, n_a)


# The tests of two samples by the names of their paired siblings, each with the interval of its own design.
#
# `permutation` redivides the scores and has Welch's interval, or for right-or-wrong items that of Miettinen and Nurminen
# (1985); `wilcoxon` is the rank-sum test with the shift of Hodges and Lehmann; `student` is Welch's t test. Adding one is
# an entry here, and its name and works in `inference.populations`.
#
# The shift between two samples is the median of all differences a - b (Hodges and Lehmann, 1963), with limits from their
# order. If B's scores are A's moved by a constant, the c-th difference from either end is a limit that inverts the rank-sum
# test, c the largest number with P(U ≤ c - 1) ≤ α/2 for U of Mann and Whitney (1947) without ties (Hollander, Wolfe and
# Chicken, 2014, section 4.3). Ties make the interval cover more often than its level. The n_A·n_B differences are not
# listed where they are many: counting those up to x is a search in sorted scores, and x is halved over the floats.


MAX_DIFFERENCES = 1_000_000
MAX_LAW = 2e7
"""Differences that are listed, and steps up to which the law of U is counted; beyond, an expansion has the same integers."""
METHODS = ("auto", "monte-carlo")
"""How divisions may be asked for."""
WELCH_INTERVAL = "Welch t"
SCORE_INTERVAL = "score interval of Miettinen and Nurminen, moved to agree with the test"
SHIFT_INTERVAL = "order statistics of all differences (Hodges-Lehmann)"


def welch_p(samples: Samples, asked: TestRequest) -> PValue | None:
    """Welch's t test of equal means, whatever the spreads; None where a system has a single unit or nothing varies.

    Examples
    --------
    >>> both = Samples(np.array([3.0, 5.0, 4.0, 8.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    >>> round(welch_p(both, TestRequest()).value, 6)
    0.104833
    """
    welch = samples.welch
    if welch is None:
        return None
    error, df = welch
    t = samples.difference / error
    log_p = log_p_of_t(df, samples.orientation * t, asked)
    return PValue.from_logs(log_p, log_p, method="asymptotic", kernel="welch-t", test=WELCH, statistic=t, n=samples.n)


def welch_interval(samples: Samples, asked: TestRequest, *, dual: bool) -> Interval | None:
    """Difference ± t·error with the degrees of freedom of Welch and Satterthwaite."""
    welch = samples.welch
    if welch is None:
        return None
    error, df = welch
    reach, gap = student_quantile(df, 1 - asked.side) * error, samples.difference
    return interval_for((gap - reach, gap + reach), asked, samples.orientation, method=WELCH_INTERVAL, dual=dual, estimate=gap)


WRONG_OR_RIGHT = Worth(0.0, 1.0)
"""What the runs of `pair_of` are worth."""


def pair_of(samples: Samples, worth: Worth) -> Exchange:
    """Both samples of right-or-wrong items, as 1 and 0, as the runs of one item, whose score test is that of two shares."""
    a, b = (Runs((x == worth.right).astype(float), np.zeros(len(x), dtype=np.int64)) for x in (samples.a, samples.b))
    return exchange_of(a, b, orientation=samples.orientation)


def score_interval(samples: Samples, worth: Worth, asked: TestRequest, p: PValue) -> Interval:
    """The interval of Miettinen and Nurminen (1985) for the difference between two shares.

    Examples
    --------
    >>> both = Samples(np.ones(10), np.array([1.0] * 20 + [0.0] * 10))
    >>> interval = score_interval(both, both.worth, TestRequest(), PValue(0.2, 0.2, 0.2, -0.7, "exact", "splits"))
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0, 0.5145)
    """
    low, high = pair_of(samples, worth).score_limits(WRONG_OR_RIGHT, -normal_quantile(asked.side))
    limits, gap = (worth.unit * low, worth.unit * high), samples.difference
    interval = interval_for(limits, asked, samples.orientation, method=SCORE_INTERVAL, dual=False, estimate=gap)
    return make_agree(interval, p, gap, asked.alpha)


def shift(a: Array, b: Array) -> float:
    """The median of all differences a - b.

    Examples
    --------
    >>> shift(np.array([1.0, 2.0, 9.0]), np.array([0.0, 1.0]))
    1.5
    """
    pairs = len(a) * len(b)
    middle = shift_quantile(a, b, (pairs + 1) // 2)
    return middle if pairs % 2 else (middle + shift_quantile(a, b, pairs // 2 + 1)) / 2


def shift_quantile(a: Array, b: Array, k: int) -> float:
    """The k-th smallest difference a - b, k from 1.

    Examples
    --------
    >>> [shift_quantile(np.array([1.0, 2.0, 9.0]), np.array([0.0, 1.0]), k) for k in range(1, 7)]
    [0.0, 1.0, 1.0, 2.0, 8.0, 9.0]
    """
    if len(a) * len(b) <= MAX_DIFFERENCES:
        return float(np.partition(np.subtract.outer(a, b).ravel(), k - 1)[k - 1])
    a, b = np.sort(a.astype(float)), np.sort(b.astype(float))
    low, high = key_of_float(math.nextafter(a[0] - b[-1], -math.inf)), key_of_float(a[-1] - b[0])

    def enough(key: int) -> bool:
        return int((len(b) - np.searchsorted(b, a - number_of_key(key))).sum()) >= k

    # Rounding may have moved it off the differences by a last place.
    nearly = number_of_key(first_where(enough, low, high))
    place = np.clip(np.searchsorted(b, a - nearly), 1, len(b) - 1)
    near = np.concatenate([a - b[place], a - b[place - 1]])
    return float(near[np.argmin(np.abs(near - nearly))])


def shift_limits(a: Array, b: Array, side: float) -> tuple[float | None, float | None]:
    """The limits of the shift that leave `side` outside each; None where so few items bound nothing.

    Examples
    --------
    >>> shift_limits(np.array([1.5, 2.25, 3.5, 4.0]), np.array([0.25, 0.5, 0.75, 1.0]), 0.025)
    (0.5, 3.75)
    """
    c, pairs = critical(len(a), len(b), side), len(a) * len(b)
    return (shift_quantile(a, b, c), shift_quantile(a, b, pairs + 1 - c)) if c else (None, None)


def critical(n_a: int, n_b: int, side: float) -> int:
    """The largest c with P(U ≤ c - 1) ≤ side for samples without ties; 0 if there is none.

    Examples
    --------
    >>> critical(10, 10, 0.025), critical(3, 3, 0.025)
    (24, 0)
    """
    if float(min(n_a, n_b)) * n_a * n_b <= MAX_LAW:
        return int(np.searchsorted(_lower_law(n_a, n_b), side * (1 + 1e-12), side="right"))
    return first_where(lambda c: _expansion(n_a, n_b, c - 1) > side, 0, n_a * n_b // 2 + 1) - 1


def _lower_law(n_a: int, n_b: int) -> Array:
    """P(U ≤ u) up to the middle: the coefficients of the Gaussian binomial Π (1 - q^(m+i)) / (1 - q^i), factor by factor."""
    few, many = sorted((n_a, n_b))
    points = n_a * n_b // 2 + 1
    mass = np.zeros(points)
    mass[0] = 1.0
    for i in range(1, few + 1):
        if many + i < points:
            mass[many + i :] -= mass[: points - many - i].copy()
        for start in range(min(i, points)):
            mass[start::i] = np.cumsum(mass[start::i])
        mass *= i / (many + i)
    return np.cumsum(mass)


def _expansion(n_a: int, n_b: int, u: int) -> float:
    """P(U ≤ u) by Edgeworth's series up to the fourth cumulant (Fix and Hodges, 1955), U spread over (-½, ½)."""
    whole = n_a + n_b + 1
    variance = n_a * n_b * whole / 12 + 1 / 12
    fourth = -n_a * n_b * whole * (n_a**2 + n_b**2 + n_a * n_b + n_a + n_b) / 120 / variance**2
    x = (u + 0.5 - n_a * n_b / 2) / math.sqrt(variance)
    return normal(x) - math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * fourth / 24 * (x**3 - 3 * x)


def _permutation(samples: Samples, asked: TestRequest) -> TestResult:
    p = division_p(samples, asked)
    if samples.worth is not None and samples.clusters is None:
        interval: Interval | None = score_interval(samples, samples.worth, asked, p)
    else:
        interval = welch_interval(samples, asked, dual=False)
    return TestResult(p, interval)


def _rank_sum(samples: Samples, asked: TestRequest) -> TestResult:
    p = rank_sum_p(samples, asked)
    if samples.clusters is not None:
        return TestResult(p, None, [Note("interval", "There is no interval for the shift between samples of clusters.")])
    interval = interval_for(
        shift_limits(samples.a, samples.b, asked.side),
        asked,
        samples.orientation,
        method=SHIFT_INTERVAL,
        dual=False,
        estimate=shift(samples.a, samples.b),
        estimand="shift",
    )
    text = (
        "The interval is for the shift between two distributions of the same shape; for other shapes the rank-sum test says"
        " which tends to be larger."
    )
    return TestResult(p, interval, [Note("estimand", text)])


def _welch(samples: Samples, asked: TestRequest) -> TestResult:
    p = welch_p(samples, asked)
    if p is None and samples.identical:
        p = question.identical_p(samples.n, test=WELCH, method="asymptotic", kernel="welch-t")
    if p is None:
        raise NoSpreadError(
            "Welch's test cannot be computed: the scores of the items do not vary, or one system has a single item.",
            "Use `permutation` instead.",
            parameter="test",
        )
    return TestResult(p, welch_interval(samples, asked, dual=True))


UNPAIRED: dict[str, Callable[[Samples, TestRequest], TestResult]] = {
    "permutation": _permutation,
    "wilcoxon": _rank_sum,
    "student": _welch,
}
MEANS = {
    "permutation": "two-sample permutation test, Fisher's for right-or-wrong items",
    "wilcoxon": "rank-sum",
    "student": "Welch",
}
"""What each of them becomes with different items."""


def run_unpaired(test: str, samples: Samples, asked: TestRequest) -> TestResult:
    """One of the tests of two samples.

    Examples
    --------
    >>> both = Samples(np.array([6.0, 7.0, 9.0]), np.array([1.0, 2.0, 4.0, 5.0]))
    >>> run_unpaired("wilcoxon", both, TestRequest()).p.value
    0.05714285714285714
    """
    return UNPAIRED[test](samples.checked(), asked)


# The margin between two samples of different items.
#
# As with the same items (`inference.shifted`), "worse by less than m" is shown by what was seen, never by silence:
#
# - Right-or-wrong items: the score test of Miettinen and Nurminen (1985); where every item of both systems is right, or
#   wrong, no less than (1 - m)^n, the chance that a loss of m has not shown in the n items of the system that would have
#   shown it.
# - Scores with a known range, and clusters: the difference between two bounded means (`exact.bounded`), each with one more
#   item at its worst.
# - Other scores: Welch's test, and a note on what it leaves open. Scores that do not vary show nothing.


SCORE_TEST, UNSEEN, RANGES = "miettinen-nurminen", "unseen-loss", "bounded-means"
LEAST_LOG = -1e6
POWER = 0.8


def shifted_p(test: str, samples: Samples, alternative: Alternative, delta: float) -> PValue:
    """The one-sided test of a difference A - B of `delta`, `alternative` meaning better or worse whatever the direction.

    Divisions are of samples of one distribution, so that they cannot test another difference: right-or-wrong items have the
    score test of Miettinen and Nurminen (1985), which their interval inverts, and other scores Welch's.

    Examples
    --------
    >>> both = Samples(np.ones(10), np.array([1.0] * 20 + [0.0] * 10))
    >>> round(shifted_p("permutation", both, "greater", -0.1).value, 4)
    0.0057
    """
    turn = samples.orientation if alternative == "greater" else -samples.orientation
    if test == "permutation" and samples.worth is not None and samples.clusters is None:
        log_p = log_normal(-turn * pair_of(samples, samples.worth).score(WRONG_OR_RIGHT, delta / samples.worth.unit))
        log_p = max(log_p, LEAST_LOG)
        return PValue.from_logs(log_p, log_p, method="asymptotic", kernel=SCORE_TEST, test=FISHER, n=samples.n)
    welch = samples.welch
    if welch is None:
        raise NoSpreadError(
            "The margin cannot be tested: the scores of the items do not vary, or one system has a single item.",
            "Leave the margin out, or give more items.",
            parameter="margin",
        )
    error, df = welch
    t = (samples.difference - delta) / error
    log_p = log_t_tail(df, turn * t)
    return PValue.from_logs(log_p, log_p, method="asymptotic", kernel="welch-t", test=WELCH, statistic=t, n=samples.n)


def margin_of_samples(
    test: str, samples: Samples, metric: AdditiveMetric, asked: TestRequest, margin: float
) -> tuple[Margin, list[Note]]:
    """Non-inferiority at -margin, and equivalence by two one-sided tests (Schuirmann, 1987), of different items; and notes.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> graded = np.linspace(0.5, 1.0, 101)
    >>> margin, _ = margin_of_samples("permutation", Samples(graded, graded[::2]), mean, TestRequest(), 0.1)
    >>> margin.noninferiority.kernel, round(margin.noninferiority.value, 4), round(margin.limit, 4)
    ('bounded-means', 0.0005, -0.0553)
    """
    worth = samples.worth if samples.clusters is None else None
    low, high = known_range([samples.a, samples.b], metric, asked)
    if worth is not None:
        refuse_wide(margin, worth.unit if low is None or high is None else max(worth.unit, high - low))
    elif low is not None and high is not None:
        refuse_wide(margin, high - low)
    if test != "permutation" or asked.assume == SYMMETRIC:
        named = [Note("assumption", NAMED_TEST.format(test=test))] if test != "permutation" else []
        return _margin(margin, *_both_sides(test, samples, margin)), named
    # Scores of .75 and 1 can still fall to 0.
    if worth is not None and (low is None or high is None or high - low <= worth.unit):
        return _of_shares(samples, worth, asked, margin)
    if low is not None and high is not None:
        return _of_ranges(samples, (low, high), asked, margin)
    if samples.identical:
        nothing = question.identical_p(samples.n, test=TWO_SAMPLES)
        return _margin(margin, nothing, nothing), [NOTHING_KNOWN]
    return _margin(margin, *_both_sides(test, samples, margin)), [UNKNOWN_RANGE]


def _margin(margin: float, not_worse: PValue, not_better: PValue) -> Margin:
    return Margin(margin, not_worse, max(not_worse, not_better, key=lambda p: p.upper))


def _both_sides(test: str, samples: Samples, margin: float) -> tuple[PValue, PValue]:
    down = -samples.orientation * margin
    return shifted_p(test, samples, "greater", down), shifted_p(test, samples, "less", -down)


def _of_shares(samples: Samples, worth: Worth, asked: TestRequest, margin: float) -> tuple[Margin, list[Note]]:
    """Right-or-wrong items; silence counts for as little as it says."""
    found = _margin(margin, *_both_sides("permutation", samples, margin))
    if not samples.identical:
        return found, list(two_scores(worth.wrong, worth.right))
    # A loss of the candidate shows in its own items where all are at the top, and at the bottom in the other's.
    at_top = (float(samples.a[0]) == worth.right) == (samples.orientation > 0)
    first, second = samples.sizes if at_top else samples.sizes[::-1]
    log_share = math.log1p(-margin / worth.unit)
    not_worse, not_better = (
        PValue.from_logs(n * log_share, n * log_share, method="exact", kernel=UNSEEN, test=FISHER, n=samples.n)
        for n in (first, second)
    )
    limit = math.expm1(math.log(asked.alpha) / first) * worth.unit
    needed = math.ceil(math.log(asked.alpha) / log_share / first * sum(samples.sizes) - 1e-9)
    shown = not_worse.rejects(asked.alpha)
    found = _margin(margin, not_worse, not_better)
    return replace(found, limit=samples.orientation * limit, needed=None if shown else needed), []


def _of_ranges(samples: Samples, ends: tuple[float, float], asked: TestRequest, margin: float) -> tuple[Margin, list[Note]]:
    """Means of scores between two ends, more being better."""
    low, high = ends if samples.orientation > 0 else (-ends[1], -ends[0])
    codes = samples.clusters or (None, None)
    a, b = (Sample(samples.orientation * x, low, high, own) for x, own in zip((samples.a, samples.b), codes, strict=True))
    losing = lower_mean(a), lower_mean(b.negative)
    not_worse = _melded(losing, margin, samples)
    not_better = _melded((lower_mean(b), lower_mean(a.negative)), margin, samples)
    limit = difference_limit(*losing, asked.alpha)
    needed = None if not_worse.rejects(asked.alpha) else _items_to_show(samples, limit, high - low, asked.alpha, margin)
    found = replace(_margin(margin, not_worse, not_better), limit=samples.orientation * limit, needed=needed)
    notes = [Note("method", NO_SHAPE.format(low=ends[0], high=ends[1]))]
    if samples.clusters is not None:
        largest = max(int(np.bincount(own).max()) for own in samples.clusters)
        notes.append(Note("assumption", CLUSTERS.format(largest=largest)))
    return found, notes


def _melded(both: tuple[LowerMean, LowerMean], margin: float, samples: Samples) -> PValue:
    log_p = log_p_of_difference(*both, margin)
    return PValue.from_logs(
        log_p, log_p, method="exact", kernel=RANGES, test=TWO_SAMPLES, statistic=samples.difference, n=samples.n
    )


def _items_to_show(samples: Samples, limit: float, worst: float, alpha: float, margin: float) -> int | None:
    """How many items of both like these exclude the margin: chance shrinks with the root of n, the item at its worst with n."""
    lead = samples.orientation * samples.difference
    if lead + margin <= 0:
        return None
    error = math.sqrt(sum(variance for variance, _ in samples.variances))
    z = -normal_quantile(alpha)
    unseen = max(0.0, lead - limit - z * error)
    spread = (z + normal_quantile(POWER)) * error
    # unseen·y² + spread·y = lead + margin, for n/y² items.
    y = 2 * (lead + margin) / (spread + math.sqrt(spread * spread + 4 * unseen * (lead + margin)))
    n = sum(samples.sizes)
    least = math.log(alpha) / math.log1p(-margin / worst) * n / samples.sizes[0]
    size = max(n / (y * y), least) if error == 0 else n / (y * y)
    return max(n + 1, math.ceil(size - 1e-9)) if size <= MAX_ITEMS else None


NO_SHAPE = (
    "The margin is tested without assuming anything about the shape of the scores: they lie between {low:g} and {high:g}, and"
    " each sample has one more item at its worst (Gaffke, 2005; Fay, Proschan and Brittain, 2015)."
)
CLUSTERS = "At the margin the claim is about clusters of at most {largest:g} items, like the largest of these."
