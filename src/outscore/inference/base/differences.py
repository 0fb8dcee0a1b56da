"""From two systems' rows to what tests work on: a score per item, the sum of sign flips, and clear decisions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np

from outscore.core.errors import OutscoreError, ShiftError
from outscore.core.metric import AdditiveMetric, Precise
from outscore.core.numeric import MAX_EXACT, TIE_TOLERANCE, Array, combine, exact_sum, median, quantiles, weighed
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.exact.numbers import to_exact_integers
from outscore.inference.base.question import TestRequest, reach
from outscore.results.note import Note

# One score per item and system, for the tests that need it, and how lopsided their differences are.


ULPS = 4
"""Two subtractions of rounded numbers stay this close, in units of the last place of the larger number."""
MIN_LARGE_SAMPLE = 50
"""With fewer units large-sample tests reject too often."""
SKEWED = 1.0
"""From here on differences are highly skewed, by Bulmer's rule of thumb."""
COCHRAN = 25
"""The mean of n numbers of skewness γ is normal enough from n = 25 γ² on."""
BULK = 0.25
"""Half of the numbers within so little of the standard deviation are a bulk that does not vary: the others are rare events."""


@dataclass(frozen=True)
class ItemScores:
    """Scores of both systems per item (repeats averaged), in the metric's own unit.

    `d` is a - b; where the numbers were recognised as written it comes from whole numbers, `whole` = d ·
    `scale`, so that equal differences are equal and ties are ties. `clusters` are codes per item, or None.
    `orientation` is -1 where lower is better.
    """

    a: Array
    b: Array
    d: Array
    whole: Array | None
    scale: int
    clusters: Array | None
    orientation: int

    @property
    def n(self) -> int:
        """How many items there are."""
        return len(self.d)

    @cached_property
    def spread(self) -> float:
        """Standard deviation of d (n - 1); 0 where the differences differ by nothing but the rounding of real numbers."""
        if self.n < 2:
            return 0.0
        span = float(np.ptp(self.d))
        if span == 0.0:
            return 0.0
        if self.whole is None and span <= 4 * np.spacing(float(np.maximum(np.abs(self.a), np.abs(self.b)).max())):
            return 0.0
        # Divided by the span first: squares of tiny or huge differences neither vanish nor overflow.
        return span * float(np.std(self.d / span, ddof=1))

    def minus(self, delta: float) -> tuple[Array, Array | None]:
        """d - δ, and the same in whole numbers where δ can be written in them too (then with a finer scale).

        Without whole numbers, sizes that rounding alone keeps apart are made equal: their ties count too.
        """
        if not delta and self.whole is not None:
            return self.d, self.whole
        if self.whole is not None:
            finer = to_exact_integers(self.whole / self.scale, np.array([delta]))
            if finer is not None:
                (d, shift), scale = finer
                whole = d - int(shift[0])
                return whole / scale, whole
        size = np.maximum(np.maximum(np.abs(self.a), np.abs(self.b)), abs(delta))
        return _with_ties(self.d - delta, ULPS * np.spacing(size)), None


def _with_ties(d: Array, slack: Array) -> Array:
    """The same numbers, with sizes that lie no further apart than their slack made equal, or 0 where that is in reach."""
    sizes = np.concatenate([[0.0], np.abs(d)])
    order = np.argsort(sizes, kind="stable")
    ordered, room = sizes[order], np.concatenate([[0.0], slack])[order]
    apart = np.diff(ordered, prepend=-np.inf) > np.maximum(room, np.concatenate([[0.0], room[:-1]]))
    merged = np.empty_like(sizes)
    merged[order] = ordered[np.maximum.accumulate(np.where(apart, np.arange(len(sizes)), 0))]
    return np.asarray(np.copysign(merged[1:], d))


def item_scores(pairs: PairedScores, metric: AdditiveMetric, test: str) -> ItemScores:
    """The per-item scores behind a mean; a metric that is not one is refused with the name of a test that takes it.

    A sum is refused too: its p would be right, but limits and estimates would be those of the mean per item.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([0.3, 0.5]), np.array([0.1, 0.4]))
    >>> scores = item_scores(PairedScores(a, b), metric, "student")
    >>> scores.d.tolist(), scores.whole.tolist(), scores.scale  # 0.3 - 0.1 is 2/10 and not 0.19999999999999998
    ([0.2, 0.1], [2, 1], 10)
    """
    if is_sum(metric):
        raise OutscoreError(
            f"`{test}` compares scores per item, but {metric.name} is a sum over the items.",
            "Use the metric `mean`, or the test `permutation` or `bootstrap`, which take sums.",
        )
    scores = scores_if_any(pairs, metric)
    if scores is None:
        raise OutscoreError(
            f"`{test}` needs one score per item, but {metric.name} is not a mean of such scores here.",
            "Use `permutation` or `bootstrap`, which take any metric.",
        )
    return scores


def rows_of(d: Array, clusters: Array | None = None) -> PairedScores:
    """Rows of a mean over items with these differences: A scores them, and B scores 0.

    Examples
    --------
    >>> pairs = rows_of(np.array([2, -1]))
    >>> pairs.a.tolist(), pairs.b.tolist()
    ([[2, 1], [-1, 1]], [[0, 1], [0, 1]])
    """
    ones = np.ones_like(d)
    return PairedScores(np.stack([d, ones], axis=1), np.stack([np.zeros_like(d), ones], axis=1), clusters=clusters)


def mean_like(metric: AdditiveMetric) -> AdditiveMetric:
    """The mean over items that has the name and the direction of a metric, for `rows_of` differences."""
    return AdditiveMetric(metric.name, ("score", "items"), direction=metric.direction, ratio=((1, 0), (0, 1)))


def is_sum(metric: AdditiveMetric) -> bool:
    """Whether the metric adds scores up and divides by nothing."""
    return metric.ratio is not None and metric.ratio[1] is None


def with_exact_integers(pairs: PairedScores) -> PairedScores:
    """The same pairs in whole numbers, where they can be read back as what people wrote.

    Examples
    --------
    >>> pairs = with_exact_integers(PairedScores(np.array([[0.1], [0.25]]), np.array([[0.3], [0.5]])))
    >>> pairs.a.tolist(), pairs.b.tolist(), pairs.scale
    ([[10], [25]], [[30], [50]], 100)
    """
    if pairs.real:
        return pairs
    written = to_exact_integers(pairs.a, pairs.b)
    if written is None:
        return pairs.known_real()
    (a, b), scale = written
    if a is pairs.a and b is pairs.b:
        return pairs
    return replace(pairs, a=a, b=b, scale=scale * pairs.scale)


def scores_if_any(pairs: PairedScores, metric: AdditiveMetric) -> ItemScores | None:
    """The items' scores behind a mean or a sum, to describe them; None for a metric that has none."""
    return None if metric.ratio is None else pairs.once(_scores_if_any, metric)


def _scores_if_any(pairs: PairedScores, metric: AdditiveMetric) -> ItemScores | None:
    items = with_exact_integers(pairs).per_item()
    weights = [bottom for rows in (items.a, items.b) if (bottom := metric.bottom(rows)) is not None]
    weight = weights[0][0] if weights else items.scale
    if weight <= 0 or any((bottom != weight).any() for bottom in weights):
        return None
    orientation = 1 if metric.higher_is_better else -1
    top_a, top_b = metric.top(items.a), metric.top(items.b)
    if not items.integral:
        a, b = top_a / weight, top_b / weight
        return ItemScores(a, b, a - b, None, 1, items.clusters, orientation)
    divisor = int(weight)
    common = 1 if divisor == 1 else math.gcd(divisor, int(np.gcd.reduce(np.concatenate([top_a, top_b]))) or divisor)
    whole, scale = (top_a - top_b) // common, divisor // common
    return ItemScores(top_a / divisor, top_b / divisor, whole / scale, whole, scale, items.clusters, orientation)


def skewness(x: Array) -> float | None:
    """γ = m₃/m₂^1.5 with moments that divide by n; None for numbers that are all the same.

    Examples
    --------
    >>> round(skewness(np.array([1.0, 2.0, 9.0])), 4)
    0.6655
    """
    span = float(np.ptp(x))
    if span == 0.0:
        return None
    deviations = (x - x[0]) / span
    deviations -= deviations.mean()
    # Products: a third power takes numpy ten times as long as two of them.
    squares = deviations * deviations
    return float(np.mean(squares * deviations) / np.mean(squares) ** 1.5)


def skew_warning(scores: ItemScores) -> Note | None:
    """What to know where the units are too few for the skewness of their differences; None where they are not.

    The rule is Cochran's (1977, section 2.15): a mean of n numbers of skewness γ is normal enough from n = 25 γ²
    on. Where the skewness comes from a few units beside a bulk that hardly varies, no method makes up for those
    that were not seen.

    Examples
    --------
    >>> d = np.array([0.1, 0.2, 0.1, 0.3, 0.15, 4.0])
    >>> print(skew_warning(ItemScores(d, 0 * d, d, None, 1, None, 1)))
    Too few rare events to tell: 1 of 6 items accounts for nearly all of the spread; only more items help.
    """
    units = scores.d
    if scores.clusters is not None:
        # What varies from cluster to cluster: the sums of what items differ from the mean by.
        units = np.bincount(scores.clusters, weights=scores.d - scores.d.mean())
    gamma = skewness(units) if len(units) > 2 else None
    if gamma is None or len(units) >= COCHRAN * gamma**2:
        return None
    noun = "items" if scores.clusters is None else "clusters"
    spread, middle = float(units.std()), median(units)
    low, high = quantiles(units, (0.25, 0.75))
    if high - low <= BULK * spread:
        rare = int((np.abs(units - middle) > spread).sum())
        verb = "accounts" if rare == 1 else "account"
        cause = f"{rare} of {len(units)} {noun} {verb} for nearly all of the spread"
        return Note("warning", f"Too few rare events to tell: {cause}; only more {noun} help.")
    text = (
        f"{len(units)} {noun} are few for differences this skewed (skewness {gamma:.1f} calls for"
        f" {math.ceil(COCHRAN * gamma**2)}): equal means may be rejected too often (lognormal differences, n = 50: level .10)."
        " The test `bootstrap-t` with `interval=equal-tailed` allows for skewness."
    )
    return Note("warning", text)


# From two systems' rows to the sum of sign flips that the kernels work on, and the test statistic as a function of it.
#
# Swapping keeps a' + b' = T, so the totals of the two systems are (T ± S)/2 and the difference in scores is an odd function
# of the flipped sum S alone. `Statistic` evaluates it, and decides in exact arithmetic which sums tie with the observed
# one.


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
            exact = self.statistic.exact_difference(self.statistic.observed) if self.statistic.integral else None
            value = self.statistic.value()
            if abs(value) <= self.statistic.slack if exact is None else exact == 0:
                value = 0.0
        else:
            value = 0.0 if abs(self.observed) <= self.doubt else self.observed
        return self.orientation * ((value > 0) - (value < 0))


def units_of(pairs: PairedScores) -> PairedScores:
    """Numbers recognised as written, repeats averaged, clusters summed: what is swapped as one."""
    return with_exact_integers(pairs).units()


def flips_of(units: PairedScores, metric: AdditiveMetric, delta: float = 0.0) -> Flips:
    """The flips of a metric on units."""
    orientation = 1 if metric.higher_is_better else -1
    weights: list[Sequence[int]] | None = None
    if metric.ratio is not None:
        # A ratio depends on two projections of its columns only, denominator and numerator; other metrics keep theirs.
        u, v = metric.ratio
        weights = [u] if v is None else [v, u]
        if units.integral and not _fits(units, weights):
            raise OutscoreError(
                f"The whole numbers of both systems add up to more than 2**53, too large for an exact {metric.name}.",
                "Divide them by a common factor.",
            )
        metric = _projected(metric.name, metric.direction, divided=v is not None)
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
        return top, 0.0 if units.integral else 4 * float(np.spacing(_sizes(units, weights[-1])).sum())
    shift = Fraction(repr(float(delta)))
    if divided:
        bottom = turn * combine(units.a, weights[:1])[:, 0]
    else:
        # A plain sum has no denominator: its δ is shared out evenly.
        bottom, shift = np.full(len(top), units.scale), shift / len(top)
    moved = bottom * float(shift)
    if not units.integral:
        return np.asarray(top - moved), 4 * float(np.spacing(_sizes(units, weights[-1]) + np.abs(moved)).sum())
    largest = float(np.abs(top).sum()) * shift.denominator + float(np.abs(bottom).sum()) * abs(shift.numerator)
    if max(largest, abs(shift.numerator), shift.denominator) < MAX_EXACT:
        return np.asarray(top * shift.denominator - bottom * shift.numerator), 0.0
    return np.asarray(top - moved), 4 * float(np.spacing(np.abs(top) + np.abs(moved)).sum())


def _sizes(units: PairedScores, weights: Sequence[int]) -> Array:
    """How large the numbers are whose difference is taken, unit by unit."""
    return np.abs(weighed(units.a, weights)) + np.abs(weighed(units.b, weights))


# Whether a test rejects, where that is clear without its p-value: thousands of samples are tested for one power curve.
#
# The permutation test and Wilcoxon's are sums of sign flips, S = Σ ε a, whose law is normal but for a small correction
# known in closed form. Where the p-value it gives is not near alpha the decision is clear; the test itself decides the
# others. The same holds for the bootstraps of a mean, whose law is normal to first order, with wider margins.
#
# The first cumulants of S are κ₂ = Σ a² and κ₄ = -2 Σ a⁴, odd ones vanish, so Edgeworth's expansion (Hall, 1992, "The
# bootstrap and Edgeworth expansion", section 2.3) gives, with x = s/√κ₂ taken half a lattice step back towards the centre,
#
#     P(S ≥ s) ≈ Q(x) + φ(x) (x³ - 3x) κ₄ / (24 κ₂²)
#
# With m = (Σ a²)² / Σ a⁴, the effective number of items, the terms left out are of the order m^(-3/2): at m = 30 they move
# a p near .05 by half a per cent. The margin within which the test itself decides is 3/m, twenty times as wide.


MIN_EFFECTIVE_FLIPS = 30.0
"""Effective items from which on a sum of flips is screened."""
FLIPS_MARGIN, REALS_MARGIN = 3.0, 0.05
"""The margin times m, and its least value for real numbers, whose lattice, if they lie on one, is not known."""
MEANS_MARGIN, MIN_EFFECTIVE_MEANS = 0.5, 400
"""Bootstraps of a mean: skewness and sampling move p by up to a quarter."""
PROBED = 64
MEANS_RESAMPLES = 9_999
"""With fewer the upper bound of a sampled p, which decides, lies too far from the p it bounds."""


def screen_mean(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> bool | None:
    """The decision of a bootstrap of the mean of item scores; None where it is not clear, and for other metrics."""
    if asked.delta or pairs.clusters is not None or asked.resamples < MEANS_RESAMPLES:
        return None
    scores = scores_if_any(pairs, metric)
    if scores is None:
        return None
    centred = scores.d - scores.d.mean()
    variance = float((centred**2).sum())
    if not variance or variance**2 < MIN_EFFECTIVE_MEANS * float((centred**4).sum()):
        return None
    return _clear(scores.orientation * float(scores.d.sum()) / math.sqrt(variance), 0.0, asked, MEANS_MARGIN)


def screen_flips(line: Array, orientation: int, asked: TestRequest) -> bool | None:
    """The decision for Σ line under fair flips of its signs; None where it is not clear."""
    sizes = line.astype(float)
    squares = sizes * sizes
    # Not as a product of vectors, for which BLAS would start threads.
    variance, fourth = float(squares.sum()), float((squares * squares).sum())
    if not variance or variance**2 < MIN_EFFECTIVE_FLIPS * fourth:
        return None
    effective = variance**2 / fourth
    step = lattice_half_step(line)
    margin = FLIPS_MARGIN / effective if step else max(FLIPS_MARGIN / effective, REALS_MARGIN)
    total = orientation * float(sizes.sum())
    # Half-way to the sum before: what lies at the observed one counts as a hit.
    back = asked.direction() * step or math.copysign(step, total)
    return _clear((total - back) / math.sqrt(variance), -2 / effective, asked, margin)


def lattice_half_step(line: Array) -> float:
    """Half the step of the lattice that sums of whole numbers lie on, 0 for real numbers."""
    if line.dtype.kind != "i":
        return 0.0
    # The divisor of a few is almost always that of all, and never smaller.
    few = int(np.gcd.reduce(line[:PROBED]))
    return float(few if few == 1 else np.gcd.reduce(line))


def _clear(x: float, kurtosis: float, asked: TestRequest, margin: float) -> bool | None:
    """The decision at a standardised difference, positive when A is better; None within the margin."""
    x = reach(x, asked.alternative)
    density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    tail = math.erfc(x / math.sqrt(2)) / 2 + density * (x**3 - 3 * x) * kurtosis / 24
    p = 2 * tail if asked.alternative == "two-sided" else tail
    return None if asked.alpha < p * (1 + margin) and p < asked.alpha * (1 + margin) else p < asked.alpha
