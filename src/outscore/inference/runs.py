r"""Runs exchanged within each item, for the question whether A is better on exactly these items or had luck with its draws.

H0: at each item all runs of A and of B come from one law. Then, given the n_A + n_B scores of an item, every division of them
between the systems is as likely, and items are independent. With S_i the sum of A's scores of item i and T_i that of both,

    D = Σ_i w_i (S_i/n_A - (T_i - S_i)/n_B) / Σ_i w_i

is a sum of independent laws. Right-or-wrong scores make S_i hypergeometric; equally many runs of right-or-wrong items give the
exact test of Birch (1964) for stratified tables. Other scores have the law of all C(n_A + n_B, n_A) divisions (Pitman, 1937),
which is listed or counted where that is possible, and sampled where not. Two-sided p is P(|D| ≥ |observed|): its mean is 0.

With equally many runs the test is cautious where mean scores are equal and laws are not; with unequally many it tests equal
laws only, and may reject those of equal means.

The interval is that of the same draws: items fixed, runs new. The variance of D is Σ w_i² (s²_Ai/n_A + s²_Bi/n_B), each s²
within its item and system, with the degrees of freedom of Satterthwaite (1946), moved to agree with p about 0. Where no run
differs from another there is no such variance; right-or-wrong items then get the stratified score interval of Miettinen and
Nurminen (1985).

A single run of an item shows no variance within it, and nothing says that the other system's is like it. The spread of such
items about their mean contains it, as Σ (x_i - x̄)²/(n - 1) is at least the mean σ_i² on average, so it stands in: that of the
differences of items for D, that of the scores for a system's own score.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LOG2, TIE_TOLERANCE, Array
from outscore.core.records import dataclass
from outscore.core.rows import Runs
from outscore.exact import laws as law_sums
from outscore.exact import numbers
from outscore.exact.bracket import Bounds
from outscore.exact.flipsum import BudgetError
from outscore.exact.laws import Law, hypergeometric, mirrored_laws, split_sums
from outscore.inference.base import question
from outscore.inference.base.discordance import Worth, wilson_limits, worth_of
from outscore.inference.base.question import PLAIN, TestRequest, as_extreme, interval_for, log_p_of_t
from outscore.inference.classical.student import make_agree
from outscore.inference.populations import EXCHANGE
from outscore.laws import normal_quantile, student_quantile, t_quantile
from outscore.results.pvalue import Interval, PValue

INTERVAL = "Welch t over runs within items, moved to agree with the test"
OVER_ITEMS = "Student t over items, as single runs show no spread within them, moved to agree with the test"
PARTLY_OVER_ITEMS = "Welch t over runs within items, over items where runs are single, moved to agree with the test"
SCORE_INTERVAL = "stratified score interval of Miettinen and Nurminen, moved to agree with the test"
UNEQUAL_LAWS = (
    "With unequal numbers of runs per item, the test asks whether the systems' runs have the same distribution: systems with"
    " equal mean scores whose runs vary differently may be told apart too often."
)
"""The warning for systems with unequal numbers of runs of an item."""
SPREAD_UNSEEN = (
    "A single run of an item does not show how much runs of it differ, and the other system's runs do not either: the spread"
    " over items, which contains that, is used instead, so intervals are wider than several runs would make them."
)
"""The note for a system with items that it ran once."""
COARSE, FINE = 1 << 16, 1 << 20
"""Points of a rounded lattice where no exact one serves: of a line that decides nothing, and of one that decides."""
SAMPLED = 9_999
BITS = 40
"""Real scores are rounded to so many bits in all, and what that may have moved is added to the bounds."""
BLOCK = 1 << 20
STEPS = 60


Noise = tuple[Array, Array]
"""Parts of a variance, and the degrees of freedom of each."""


class Line(NamedTuple):
    """D as a sum of independent laws on whole numbers: `unit` times their sum.

    `observed` is D itself, and `doubt` what rounding may have moved it by.
    """

    laws: Counter[Law]
    observed: int
    doubt: int
    unit: float


@dataclass(frozen=True, eq=False)
class Exchange:
    """The scores of two systems' runs on the same items.

    Attributes
    ----------
    a, b
        All scores with the codes of their items, 0 … n - 1; every item has at least one of each system.
    weights
        What an item counts, in whole numbers.
    total
        The sum of weights that makes D a mean: their own sum for a mean over items, 1 for a sum.
    orientation
        -1 where lower is better.

    Examples
    --------
    >>> a, b = Runs(np.array([1, 1, 1, 0]), np.array([0, 0, 1, 1])), Runs(np.array([0, 0, 0, 0]), np.array([0, 0, 1, 1]))
    >>> exchange = exchange_of(a, b)
    >>> exchange.difference, round(exchange.p().value, 6)  # 1/6 · 1/2, in both directions
    (0.75, 0.166667)
    """

    a: Runs
    b: Runs
    weights: Array
    total: int
    orientation: int = 1

    @cached_property
    def sizes(self) -> tuple[Array, Array]:
        """How many runs of A and of B each item has."""
        n = len(self.weights)
        return np.bincount(self.a.items, minlength=n), np.bincount(self.b.items, minlength=n)

    @property
    def equal_runs(self) -> bool:
        """Whether both systems have equally many runs of every item."""
        return bool((self.sizes[0] == self.sizes[1]).all())

    @cached_property
    def means(self) -> tuple[Array, Array]:
        """Both systems' mean scores by item."""
        n = len(self.weights)
        a, b = (
            np.bincount(draws.items, weights=draws.values, minlength=n) / size
            for draws, size in zip((self.a, self.b), self.sizes, strict=True)
        )
        return a, b

    @property
    def difference(self) -> float:
        """D."""
        a, b = self.means
        return float(self.weights @ (a - b)) / self.total

    @cached_property
    def worth(self) -> Worth | None:
        """What wrong and right runs score, where there are no others."""
        return self._worth_among(np.concatenate([self.a.values, self.b.values]))

    def _worth_among(self, values: Array) -> Worth | None:
        least, largest = float(values.min()), float(values.max())
        # Runs of one item may simply agree, whatever it scores.
        items = len(self.weights)
        return worth_of(least, largest, items) if ((values == least) | (values == largest)).all() else None

    def p(self, request: TestRequest = PLAIN, *, points: int = FINE) -> PValue:
        """The p-value of H0, from sampled exchanges if the method is Monte Carlo.

        A difference other than 0 is tested by the statistic of the interval, which is asymptotic.
        """
        if request.delta:
            p_value = self._welch_p(request)
        elif request.method == "monte-carlo":
            p_value = self._sampled_p(request)
        else:
            p_value = self._exchange_p(request, points)
        return replace(p_value, test=EXCHANGE, statistic=self.difference, n=len(self.a.values) + len(self.b.values))

    def smallest_p(self, alternative: str = "two-sided") -> float:
        """The smallest p that so many runs of each item can give: by the most extreme division of every item."""
        a, b = (size.tolist() for size in self.sizes)
        return math.exp(smallest_log_p(a, b, alternative))

    def _exchange_p(self, request: TestRequest, points: int) -> PValue:
        """By the laws of the items' parts on finer and coarser grids, or where these take too long, from sampled exchanges."""
        for grid in (points, COARSE):
            try:
                return self._lawful_p(request.direction(self.orientation), min(grid, points))
            except BudgetError:
                continue
        return self._sampled_p(request)

    def _lawful_p(self, direction: int, points: int) -> PValue:
        known, observed, doubt, _ = self.line()
        if not any(len(law.support) > 1 for law in known):
            return question.identical_p()
        if direction < 0:
            known, observed = mirrored_laws(known), -observed
        if abs(observed) <= doubt and not direction:
            return question.identical_p()
        two_sided = not direction
        if doubt:
            return _real_p(known, observed, doubt, points, two_sided=two_sided)
        try:
            if two_sided:
                tail = law_sums.two_sided(known, observed, Fraction(0))
            else:
                tail = law_sums.tail(known, observed)
            return PValue.from_logs(tail.log, tail.log, method="exact", kernel="laws", log_mid=min(tail.log_mid, 0.0))
        except BudgetError:
            return _bounded_p(known, observed, doubt, points, two_sided=two_sided)

    def line(self) -> Line:
        """The law of each item's part of D in whole numbers; `BudgetError` where the divisions of an item are too many."""
        n_a, n_b = self.sizes
        step = math.lcm(*{int(k) for k in np.unique(np.concatenate([n_a, n_b]))})
        values = np.concatenate([self.a.values, self.b.values])
        written = numbers.to_exact_integers(values)
        if written is not None:
            (whole,), scale = written
            unit = 1 / (scale * step * self.total)
        else:
            whole, shift = numbers.fixed_point(values.astype(float), BITS)
            unit = math.ldexp(1.0, -shift) / (step * self.total)
        a, b = whole[: len(self.a.values)], whole[len(self.a.values) :]
        sums = [_sums(part, draws.items, len(self.weights)) for part, draws in zip((a, b), (self.a, self.b), strict=True)]
        known: Counter[Law] = Counter()
        observed = doubt = 0
        if self.worth is not None and written is not None:
            parts = self._binary_laws(a, b)
        else:
            parts = self._split_laws(a, b)
        for (first, second, weight), law, total, count in parts:
            factor = weight * (step // first + step // second)
            known[law.times(factor, -weight * total * (step // second))] += count
        for first, second, weight, sum_a, sum_b in zip(
            n_a.tolist(), n_b.tolist(), self.weights.tolist(), *(part.tolist() for part in sums), strict=True
        ):
            observed += weight * (sum_a * (step // first) - sum_b * (step // second))
            if written is None:
                doubt += weight * step
        return Line(known, observed, doubt, unit)

    def _binary_laws(self, a: Array, b: Array) -> list[tuple[tuple[int, int, int], Law, int, int]]:
        """Items with the same numbers of runs and of right ones have the same hypergeometric law."""
        low, high = int(min(a.min(), b.min())), int(max(a.max(), b.max()))
        n = len(self.weights)
        right = np.bincount(self.a.items[a == high], minlength=n) + np.bincount(self.b.items[b == high], minlength=n)
        rows = np.stack([*self.sizes, self.weights, right if high > low else 0 * right], axis=1)
        laws = []
        for (n_a, n_b, weight, k), count in zip(
            *(x.tolist() for x in np.unique(rows, axis=0, return_counts=True)), strict=True
        ):
            law = hypergeometric(n_a, n_b, k)
            total = (n_a + n_b) * low + k * (high - low)
            laws.append(((n_a, n_b, weight), law.times(high - low, n_a * low) if high > low else law, total, count))
        return laws

    def _split_laws(self, a: Array, b: Array) -> list[tuple[tuple[int, int, int], Law, int, int]]:
        """Every item has the law of all divisions of its scores."""
        by_item: Counter[tuple[int, int, int, tuple[int, ...]]] = Counter()
        parts = zip(_grouped(a, self.a.items), _grouped(b, self.b.items), self.weights.tolist(), strict=True)
        for of_a, of_b, weight in parts:
            by_item[len(of_a), len(of_b), weight, tuple(sorted([*of_a, *of_b]))] += 1
        return [
            ((n_a, n_b, weight), split_sums(scores, n_a), sum(scores), count)
            for (n_a, n_b, weight, scores), count in by_item.items()
        ]

    def _sampled_p(self, request: TestRequest) -> PValue:
        column = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
        parts = [Runs(np.stack([d.values, np.ones(len(d.values))], axis=1), d.items) for d in (self.a, self.b)]
        moved = _divisions(parts[0], parts[1], column, self.weights, request)
        observed = self.difference * self.total / int(self.weights.sum())
        return _p_of_divisions(moved, observed, request.direction(self.orientation))

    def error(self) -> tuple[float, float]:
        """The standard error of D over new runs of these items, and its degrees of freedom; 0 where no run differs."""
        once = self.single
        parts = [self._within(system, ~once) for system in (0, 1)]
        return _error([*parts, self._over_items(self.means[0] - self.means[1], once)])

    @property
    def single(self) -> Array:
        """Which items a system ran only once."""
        return np.asarray((self.sizes[0] == 1) | (self.sizes[1] == 1))

    def _within(self, system: int, items: Array) -> Noise:
        """What the runs of these items, each about its item's mean, contribute to the variance of a system's score."""
        draws, mean, sizes = (self.a, self.b)[system], self.means[system], self.sizes[system]
        squares = np.bincount(draws.items, weights=(draws.values - mean[draws.items]) ** 2, minlength=len(mean))
        squares = self._without_rounding(squares)
        share, freedom = self.weights[items] / self.total, sizes[items] - 1
        return share**2 * squares[items] / np.maximum(freedom, 1) / sizes[items], freedom

    def _over_items(self, means: Array, items: Array) -> Noise:
        """What items with a single run contribute: their spread, or that of all items where it is larger.

        Few such items may agree by chance.
        """
        some = int(items.sum())
        if not some:
            return np.zeros(0), np.zeros(0, dtype=np.int64)
        if len(means) < 2:
            return np.array([math.inf]), np.array([1])
        shares = (self.weights / self.total) ** 2
        squares = self._without_rounding((means - means.mean()) ** 2)
        spreads = [(float(shares[items].sum() * squares.sum()) / (len(means) - 1), len(means) - 1)]
        if some > 1:
            squares = self._without_rounding((means[items] - means[items].mean()) ** 2)
            spreads.append((float(shares[items] @ squares) * some / (some - 1), some - 1))
        variance, freedom = max(spreads)
        return np.array([variance]), np.array([freedom])

    def _without_rounding(self, squares: Array) -> Array:
        """What rounding leaves of equal scores is nothing."""
        scale = float(max(np.abs(self.a.values).max(), np.abs(self.b.values).max()))
        return np.where(squares <= (64 * np.spacing(scale)) ** 2 * len(self.a.values), 0.0, squares)

    def _welch_p(self, request: TestRequest) -> PValue:
        error, df = self.error()
        if math.isinf(error):
            return PValue(1.0, 1.0, 1.0, 0.0, "asymptotic", "welch")
        gap = self.orientation * (self.difference - request.delta)
        if error == 0.0:
            t, df = (math.copysign(math.inf, gap) if gap else 0.0), math.inf
            if self.worth is not None:
                t = self.orientation * self.score(self.worth, request.delta)
        else:
            t = gap / error
        log_p = max(log_p_of_t(df, t, request), -1e6)
        return PValue.from_logs(log_p, log_p, method="asymptotic", kernel="welch")

    def interval(self, request: TestRequest, p: PValue) -> Interval | None:
        """The interval of the difference over new runs of these items; None where nothing varies and nothing bounds it."""
        (error, df), side = self.error(), request.side
        if math.isinf(error):
            return None
        if error > 0.0:
            reach = student_quantile(df, 1 - side) if math.isfinite(df) else -normal_quantile(side)
            limits, method = (self.difference - reach * error, self.difference + reach * error), INTERVAL
            if self.single.any():
                method = OVER_ITEMS if self.single.all() else PARTLY_OVER_ITEMS
        elif self.worth is not None and self.total == int(self.weights.sum()):
            limits, method = self.score_limits(self.worth, -normal_quantile(side)), SCORE_INTERVAL
        else:
            return None
        interval = interval_for(limits, request, self.orientation, method=method, dual=False, estimate=self.difference)
        return make_agree(interval, p, self.difference, request.alpha)

    def own_method(self, among: Array | None = None) -> str:
        """How `own` makes its intervals, in words."""
        if self._share_worth(among) is None:
            return "Student's t over new runs of these items"
        return "Wilson's score interval for the effective number of runs"

    def _share_worth(self, among: Array | None) -> Worth | None:
        """What wrong and right runs score, where their mean is a share of right ones."""
        if self.total != int(self.weights.sum()):
            return None
        return self.worth if among is None else self._worth_among(among)

    def own(self, alpha: float, among: Array | None = None) -> tuple[tuple[float, float], tuple[float, float]] | None:
        """The interval of each system's own score over new runs of these items; None where nothing varies.

        The scores `among` which these are say what scores can be: those of both systems, if no others are given.
        """
        intervals = []
        worth = self._share_worth(among)
        for system in (0, 1):
            once = self.sizes[system] == 1
            error, df = _error([self._within(system, ~once), self._over_items(self.means[system], once)])
            score = float(self.weights @ self.means[system]) / self.total
            if worth is None and (error == 0.0 or math.isinf(error)):
                return None
            if worth is None:
                reach = t_quantile(df, alpha) * error
                intervals.append((score - reach, score + reach))
                continue
            share, unit = worth.share(score), worth.unit
            inside = share * (1 - share)
            looks = inside / (error / unit) ** 2 if error and inside else float(self.sizes[system].sum())
            if once.all() and len(set(self.weights.tolist())) == 1:
                # Of runs that are right or wrong, the rate itself says how much they spread.
                looks, df = float(len(once)), math.inf
            low, high = wilson_limits(share, looks, t_quantile(df, alpha))
            intervals.append((worth.wrong + unit * low, worth.wrong + unit * high))
        return intervals[0], intervals[1]

    def score(self, worth: Worth, delta: float) -> float:
        """The stratified score z of Miettinen and Nurminen, every item's rates at their constrained maximum."""
        unit, shares = worth.unit, [worth.share(mean) for mean in self.means]  # type: ignore[arg-type]
        n_a, n_b = (size.astype(float) for size in self.sizes)
        gap = delta / unit
        rate_a, rate_b = _constrained(shares[0] * n_a, n_a, shares[1] * n_b, n_b, gap)
        whole = n_a + n_b
        variance = (rate_a * (1 - rate_a) / n_a + rate_b * (1 - rate_b) / n_b) * whole / (whole - 1)
        spread = math.sqrt(float(self.weights**2 @ variance))
        moved = float(self.weights @ (shares[0] - shares[1] - gap))
        if spread > 0:
            return moved / spread
        return math.copysign(math.inf, moved) if abs(moved) > 1e-12 else 0.0

    def score_limits(self, worth: Worth, z: float) -> tuple[float, float]:
        """The stratified score interval of Miettinen and Nurminen, of right-or-wrong scores, z standard errors wide."""
        ends = []
        for target in (z, -z):
            low, high = -worth.unit, worth.unit
            for _ in range(STEPS):
                middle = (low + high) / 2
                low, high = (middle, high) if self.score(worth, middle) > target else (low, middle)
            ends.append((low + high) / 2)
        return ends[0], ends[1]


def _real_p(known: Counter[Law], observed: int, doubt: int, points: int, *, two_sided: bool) -> PValue:
    """Other than short decimals: of few items all sums are listed, near ones being ties; of more there are bounds."""
    try:
        sums, mass = law_sums.all_sums(known)
    except BudgetError:
        return _bounded_p(known, observed, doubt, points, two_sided=two_sided)
    log = math.log(math.fsum(mass[as_extreme(sums, observed, doubt, 0 if two_sided else 1)].tolist()))
    return PValue.from_logs(log, log, method="exact", kernel="enumeration")


def _bounded_p(known: Counter[Law], observed: int, doubt: int, points: int, *, two_sided: bool) -> PValue:
    if not two_sided:
        bounds = law_sums.bounds(known, observed, doubt=doubt, points=points)
    elif mirrored_laws(known) == known:
        # With equally many runs of each item both sides are one.
        side = law_sums.bounds(known, abs(observed), doubt=doubt, points=points)
        bounds = Bounds(side.lower + LOG2, min(0.0, side.upper + LOG2))
    else:
        upper = law_sums.bounds(known, abs(observed), doubt=doubt, points=points)
        lower = law_sums.bounds(mirrored_laws(known), abs(observed), doubt=doubt, points=points)
        low, high = float(np.logaddexp(upper.lower, lower.lower)), float(np.logaddexp(upper.upper, lower.upper))
        bounds = Bounds(low, min(0.0, high))
    return PValue.from_logs(bounds.lower, bounds.upper, method="certified", kernel="laws")


def _error(parts: Sequence[Noise]) -> tuple[float, float]:
    """The root of a sum of variances, and Satterthwaite's degrees of freedom, which are infinite where nothing varies."""
    total = float(sum(variances.sum() for variances, _ in parts))
    if math.isinf(total):
        return math.inf, 1.0
    # Squares of variances may be too large for a number. A power of two changes no digit of them.
    size = -math.frexp(total)[1]
    noise = sum(float((np.ldexp(part[df > 0], size) ** 2 / df[df > 0]).sum()) for part, df in parts)
    return math.sqrt(total), math.ldexp(total, size) ** 2 / noise if noise else math.inf


def _constrained(x_a: Array, n_a: Array, x_b: Array, n_b: Array, gap: float) -> tuple[Array, Array]:
    """The likeliest rates of two binomials that differ by `gap`: the root of a cubic (Miettinen and Nurminen, 1985)."""
    whole, right = n_a + n_b, x_a + x_b
    second = (n_a + 2 * n_b) * gap - whole - right
    first = (n_b * gap - whole - 2 * x_b) * gap + right
    constant = x_b * gap * (1 - gap)
    q = second**3 / (27 * whole**3) - first * second / (6 * whole**2) + constant / (2 * whole)
    p = np.copysign(np.sqrt(np.maximum(second**2 / (9 * whole**2) - first / (3 * whole), 0.0)), q)
    cube = np.where(p != 0, p**3, 1.0)
    angle = (np.pi + np.arccos(np.clip(np.where(p != 0, q / cube, 1.0), -1.0, 1.0))) / 3
    rate = np.clip(2 * p * np.cos(angle) - second / (3 * whole), max(0.0, -gap), min(1.0, 1.0 - gap))
    return np.clip(rate + gap, 0.0, 1.0), rate


def _sums(values: Array, items: Array, n: int) -> Array:
    sums = np.zeros(n, dtype=np.int64)
    np.add.at(sums, items, values)
    return sums


def _grouped(values: Array, items: Array) -> list[list[int]]:
    """The values of each item, by code."""
    order = np.argsort(items, kind="stable")
    return [part.tolist() for part in np.split(values[order], np.flatnonzero(np.diff(items[order])) + 1)]


def exchange_of(a: Runs, b: Runs, *, orientation: int = 1, is_sum: bool = False) -> Exchange:
    """The exchange of scores whose mean over items, or sum, is compared."""
    n = int(a.items.max()) + 1
    if n != int(b.items.max()) + 1:
        raise OutscoreError("Both systems need a run of every item.", "Leave out items that only one system has.")
    return Exchange(a, b, np.ones(n, dtype=np.int64), 1 if is_sum else n, orientation)


def smallest_log_p(a: Sequence[int], b: Sequence[int], alternative: str = "two-sided") -> float:
    """The log of the smallest p that so many runs of each item, by A and by B, can give: by their most extreme division.

    Examples
    --------
    >>> round(math.exp(smallest_log_p([2, 2], [2, 2])), 6), round(math.exp(smallest_log_p([2, 3], [2, 2])), 6)
    (0.055556, 0.016667)
    """
    ways = math.fsum(math.log(math.comb(m + n, m)) for m, n in zip(a, b, strict=True))
    # With equal numbers of runs the mirror image is as extreme.
    mirrored = alternative == "two-sided" and list(a) == list(b)
    return min(0.0, (LOG2 if mirrored else 0.0) - ways)


def not_exchangeable(systems: Sequence[Runs], metric: AdditiveMetric) -> str:
    """Why runs cannot be exchanged within items, as a clause; empty if they can."""
    rows = np.concatenate([runs.values for runs in systems])
    together = Runs(rows, np.zeros(len(rows), dtype=np.int64))
    return f"{metric.name} is not a mean over items" if exchange_of_rows((together, together), metric) is None else ""


def exchange_of_rows(draws: tuple[Runs, Runs], metric: AdditiveMetric) -> Exchange | None:
    """The exchange of rows in a metric's own columns; None unless the metric is a mean or a sum of one score per row.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a, b = (Runs(np.array([[x, 1], [1 - x, 1]]), np.array([0, 0])) for x in (1, 0))
    >>> exchange_of_rows((a, b), mean).difference
    0.0
    """
    if metric.ratio is None:
        return None
    tops = [metric.top(one.values) for one in draws]
    bottoms = [bottom for one in draws if (bottom := metric.bottom(one.values)) is not None]
    weight: float = bottoms[0][0].item() if bottoms else 1
    if weight <= 0 or any((bottom != weight).any() for bottom in bottoms):
        return None
    scores = [Runs(top if weight == 1 else top / weight, one.items) for top, one in zip(tops, draws, strict=True)]
    return exchange_of(scores[0], scores[1], orientation=1 if metric.higher_is_better else -1, is_sum=not bottoms)


def macro_exchange(parts: Sequence[Exchange]) -> Exchange:
    """The exchange behind the mean difference over datasets, each with items of its own.

    Examples
    --------
    >>> dataset = exchange_of(Runs(np.array([1, 1, 0, 1]), np.array([0, 0, 1, 1])), Runs(np.array([0, 1]), np.array([0, 1])))
    >>> both = macro_exchange([dataset, dataset])
    >>> bool(np.isclose(both.difference, dataset.difference)), both.weights.tolist()
    (True, [1, 1, 1, 1])
    """
    common = math.lcm(*(part.total for part in parts))
    starts = np.cumsum([0, *(len(part.weights) for part in parts)])
    draws = [
        Runs(
            np.concatenate([getattr(part, side).values for part in parts]),
            np.concatenate([getattr(part, side).items + start for part, start in zip(parts, starts, strict=False)]),
        )
        for side in ("a", "b")
    ]
    weights = np.concatenate([part.weights * (common // part.total) for part in parts])
    return Exchange(draws[0], draws[1], weights, common * len(parts), parts[0].orientation)


def sampled_exchange(a: Runs, b: Runs, metric: AdditiveMetric, difference: float, request: TestRequest) -> PValue:
    """p of a metric that is not a mean over items, from sampled divisions of the rows of each item.

    `a` and `b` hold rows in the metric's own columns; those of an item are averaged, as everywhere.
    """
    n = int(a.items.max()) + 1
    moved = _divisions(a, b, metric, np.ones(n), request)
    p = _p_of_divisions(moved, difference, request.direction(1 if metric.higher_is_better else -1))
    return replace(p, test=EXCHANGE, statistic=difference, n=len(a.values) + len(b.values))


def _divisions(a: Runs, b: Runs, metric: AdditiveMetric, weights: Array, request: TestRequest) -> Array:
    """Differences in the metric after random divisions of every item's rows between the systems."""
    rows, items = np.concatenate([a.values, b.values]).astype(float), np.concatenate([a.items, b.items])
    order = np.argsort(items, kind="stable")
    rows, items = rows[order], items[order]
    n_a, n_b = (np.bincount(draws.items, minlength=len(weights)) for draws in (a, b))
    starts = np.cumsum(n_a + n_b) - n_a - n_b
    first = np.arange(len(items)) - starts[items] < n_a[items]
    to_a = np.where(first, weights[items] / n_a[items], 0.0)
    to_b = np.where(first, 0.0, weights[items] / n_b[items])
    stream = np.random.Generator(np.random.Philox(key=request.seed))
    resamples = request.resamples if request.method == "monte-carlo" else SAMPLED
    block = max(1, BLOCK // len(items))
    differences = []
    for start in range(0, resamples, block):
        count = min(block, resamples - start)
        # Random places within every item: whole parts sort by item, fractions by chance.
        places = np.argsort(items + stream.random((count, len(items))), axis=1)
        moved = rows[places]
        totals = [np.einsum("krc,r->kc", moved, weight) for weight in (to_a, to_b)]
        differences.append(np.asarray(metric.score(totals[0])) - np.asarray(metric.score(totals[1])))
    return np.concatenate(differences)


def _p_of_divisions(moved: Array, observed: float, direction: int) -> PValue:
    slack = TIE_TOLERANCE * max(float(np.abs(moved).max()), abs(observed))
    hits = int(as_extreme(moved, observed, slack, direction).sum())
    return question.sampled_p(hits, len(moved), "divisions")
