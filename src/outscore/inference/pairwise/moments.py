"""All pairs of systems from sums that add up over items: the moments, counts of right and wrong, and the tests that follow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.numeric import MIN_FLOAT, Array
from outscore.core.records import dataclass
from outscore.exact.binomial import log_better, log_two_sided
from outscore.inference.base import discordance
from outscore.inference.base.discordance import Worth, wilson_limits, worth_of
from outscore.inference.pairwise.table import KINDS, OwnScores, PairTable
from outscore.laws import log_t_tail, normal_quantile
from outscore.resampling import flip_bits

# Sums from which the tests of all pairs of systems follow, and which add up over items.
#
# A leaderboard may be larger than one machine's memory. But what a pair of systems needs to know of its common items is
# little: how many they are (n), both totals over them, and the sum of squared differences. For k systems that is three k ×
# k tables,
#
#     n = M Mᵀ,   own = X Mᵀ,   squares = (X∘X) Mᵀ + M (X∘X)ᵀ - 2 X Xᵀ
#
# with the scores X, 0 where one is missing, and the mask M of those that are there. Sums over two sets of items add up to
# those over both, so that every machine sends its tables and never an item.
#
# The products are exact, whatever the number of threads and the make of the processor: right-or-wrong items are counted in
# whole numbers, and other scores are cut into two whole numbers of `BITS` bits, whose sums over `CHUNK` items a float holds
# exactly (the splitting of Ozaki, Ogita, Oishi and Rump, 2012). So any engine gives the same bytes.
#
# Permutation tests of all pairs need one sum more, of sign flips that every partition of the items can draw for itself.
# Swapping two systems on an item flips the sign of their difference there. With the same coins for all pairs, the flipped
# sum of a pair is the difference of two systems' flipped totals, so that k systems need k totals for each resample and not
# k(k - 1)/2. An item's coins are a random stream of its own, keyed by the seed and the item: whoever holds the item draws
# them, in any order. Totals are whole numbers in fixed point, and so add up exactly over partitions.


BITS = 20
CHUNK = 1 << 10
"""2·(2^BITS)²·CHUNK < 2^53: sums of squared differences stay exact."""
BINARY_CHUNK = 1 << 14
"""Items counted at a time in single precision, which is exact below 2^24."""
ITEMS = 512
"""Items flipped at a time: ten thousand coins of each are 40 MB."""
TOTAL_BITS = 52
KEY_BITS = 64


@dataclass(frozen=True, eq=False)
class PairMoments:
    """What the pairs of some systems have in common, over some items.

    Parameters
    ----------
    systems
        Their names; rows and columns of the tables are in this order.
    items
        How many items there are.
    count
        (k, k) items that both systems have; on the diagonal those of each system.
    own
        (k, k) total of the row's system over the items it has in common with the column's.
    squares
        (k, k) sum of squared differences over the common items.
    own_squares
        (k,) sum of every system's squared scores.
    least, largest
        The extreme scores, infinite where there is none.
    two_valued
        Whether all scores are the one or the other of these two.
    """

    systems: tuple[str, ...]
    items: int
    count: Array
    own: Array
    squares: Array
    own_squares: Array
    least: float
    largest: float
    two_valued: bool

    @property
    def complete(self) -> bool:
        """Whether every system has every item."""
        return bool((self.count == self.items).all())

    @property
    def gaps(self) -> Array:
        """Σ (x_i - x_j) over the common items."""
        return np.asarray(self.own - self.own.T)

    @property
    def wins(self) -> Array:
        """Items that the row's system got right and the column's wrong, of right-or-wrong items."""
        assert self.worth is not None
        # Σ(x_i - x_j)² counts wins and losses, Σ(x_i - x_j) their difference.
        unit = self.worth.unit
        return np.rint((self.squares / unit**2 + self.gaps / unit) / 2).astype(np.int64)

    @property
    def worth(self) -> Worth | None:
        """What wrong and right items are worth; None where scores are not right-or-wrong."""
        if not self.items or self.least > self.largest:
            return Worth(0.0, 1.0)
        return worth_of(self.least, self.largest, self.items) if self.two_valued else None

    @property
    def sums(self) -> Array:
        """Every system's total."""
        return np.diagonal(self.own)


def moments_of(systems: Sequence[str], values: Array, present: Array) -> PairMoments:
    """The moments of (systems, items) scores, where those not present do not count.

    Examples
    --------
    >>> values = np.array([[1, 1, 0, 1], [0, 1, 1, 0]])
    >>> both = moments_of(["new", "old"], values, np.array([[True] * 4, [True, True, True, False]]))
    >>> both.count.tolist(), both.wins.tolist(), both.sums.tolist(), both.worth
    ([[4, 3], [3, 3]], [[0, 1], [1, 0]], [3.0, 2.0], Worth(wrong=0.0, right=1.0))
    """
    values = np.where(present, values, 0.0)
    there = values[present]
    least, largest = float(there.min(initial=np.inf)), float(there.max(initial=-np.inf))
    two_valued = bool(((there == least) | (there == largest)).all())
    low, high = (least, largest) if len(there) else (0.0, 0.0)
    k, items = values.shape
    step = BINARY_CHUNK if two_valued else CHUNK
    tables = np.zeros((3, k, k))
    for start in range(0, items, step):
        scores, mask = values[:, start : start + step], present[:, start : start + step]
        tables += _count_tables(scores, mask, low, high) if two_valued else _sum_tables(scores, mask)
    count, own, squares = tables
    if two_valued:
        # Σx² of scores l and h is (l + h) Σx - lh n.
        alone = (low + high) * np.diagonal(own) - low * high * np.diagonal(count)
    else:
        # A sum without rounding: numpy's own goes by the width of the processor's registers.
        alone = np.array([math.fsum((row * row).tolist()) for row in values])
    return PairMoments(tuple(systems), items, count.astype(np.int64), own, squares, alone, least, largest, two_valued)


def _count_tables(scores: Array, mask: Array, least: float, largest: float) -> Array:
    """Tables of two-valued scores, by counting the larger one."""
    there, right = mask.astype(np.float32), ((scores == largest) & mask).astype(np.float32)
    whole = bool(mask.all())
    both = np.full(2 * there.shape[:1], float(mask.shape[1])) if whole else (there @ there.T).astype(float)
    own = np.repeat(right.sum(axis=1)[:, None], len(right), axis=1) if whole else right @ there.T
    differing = own + own.T - 2 * (right @ right.T)
    sums = largest * own.astype(float) + least * (both - own)
    return np.stack([both, sums, (largest - least) ** 2 * differing.astype(float)])


def _sum_tables(scores: Array, mask: Array) -> Array:
    """Tables of other scores, x = (high + low 2^-BITS) 2^shift with whole numbers high and low."""
    there = mask.astype(float)
    shift = int(np.frexp(np.abs(scores).max(initial=0.0))[1]) - BITS
    scaled = np.ldexp(scores.astype(float), -shift)
    high = np.rint(scaled)
    low = np.rint(np.ldexp(scaled - high, BITS))
    own = (high @ there.T) + np.ldexp(low @ there.T, -BITS)
    cross = _products(high, low, there) + _products(low, high, there)
    squares = _products(high, high, there) + np.ldexp(cross, -BITS) + np.ldexp(_products(low, low, there), -2 * BITS)
    return np.stack([there @ there.T, np.ldexp(own, shift), np.ldexp(squares, 2 * shift)])


def _products(a: Array, b: Array, there: Array) -> Array:
    """Σ (a_i - a_j)(b_i - b_j) over common items."""
    alone = (a * b) @ there.T
    mixed = a @ b.T
    return np.asarray(alone + alone.T - mixed - mixed.T)


def total_of(parts: Sequence[PairMoments], systems: Sequence[str] | None = None) -> PairMoments:
    """The moments of disjoint sets of items together, over all their systems, in the order given or else of appearance.

    Examples
    --------
    >>> here = moments_of(["new", "old"], np.array([[1, 0], [1, 1]]), np.ones((2, 2), dtype=bool))
    >>> there = moments_of(["old", "base"], np.array([[1], [0]]), np.ones((2, 1), dtype=bool))
    >>> both = total_of([here, there])
    >>> both.systems, both.items, both.count.tolist()
    (('new', 'old', 'base'), 3, [[2, 2, 0], [2, 3, 1], [0, 1, 1]])
    """
    names = tuple(systems or dict.fromkeys(name for part in parts for name in part.systems))
    place = {name: i for i, name in enumerate(names)}
    k = len(names)
    count, own, squares, alone = np.zeros((k, k), dtype=np.int64), np.zeros((k, k)), np.zeros((k, k)), np.zeros(k)
    for part in parts:
        places = [place[name] for name in part.systems]
        rows = np.ix_(places, places)
        alone[places] += part.own_squares
        count[rows] += part.count
        own[rows] += part.own
        squares[rows] += part.squares
    return PairMoments(
        names,
        sum(part.items for part in parts),
        count,
        own,
        squares,
        alone,
        min((part.least for part in parts), default=np.inf),
        max((part.largest for part in parts), default=-np.inf),
        _two_valued(parts),
    )


def _two_valued(parts: Sequence[PairMoments]) -> bool:
    """Whether the parts have no more than two scores between them."""
    ends = {end for part in parts for end in (part.least, part.largest) if math.isfinite(end)}
    return all(part.two_valued for part in parts) and len(ends) <= 2


def fixed_shift(largest: float, items: int) -> int:
    """The power of two that scales scores of at most this size so that totals of so many stay below 2^52.

    Examples
    --------
    >>> fixed_shift(1.0, 1000), fixed_shift(100.0, 1000)
    (41, 35)
    """
    return TOTAL_BITS - math.frexp(max(largest, 1e-300))[1] - (items.bit_length())


def flipped_totals(whole: Array, keys: Sequence[int], *, resamples: int, seed: int) -> Array:
    """Σ ε x over the items for every system: whole numbers, (1 + resamples, systems), of which the first row is unflipped.

    Parameters
    ----------
    whole
        (systems, items) scores in fixed point.
    keys
        64 bits for each item, its own wherever it is met.

    Examples
    --------
    >>> whole = np.array([[3, 1], [2, 0]])
    >>> both = flipped_totals(whole, [11, 12], resamples=4, seed=0)
    >>> alone = [flipped_totals(whole[:, [i]], [key], resamples=4, seed=0) for i, key in enumerate([11, 12])]
    >>> both[0].tolist(), both.tolist() == (alone[0] + alone[1]).tolist()
    ([4, 2], True)
    """
    sums = np.zeros((1 + resamples, len(whole)), dtype=np.int64)
    for start in range(0, len(keys), ITEMS):
        scores = np.asarray(whole[:, start : start + ITEMS], dtype=float)
        bits = np.zeros((scores.shape[1], 1 + resamples))
        for i, key in enumerate(keys[start : start + ITEMS]):
            bits[i, 1:] = flip_bits(resamples, 0, 1, (seed << KEY_BITS) | key)[0]
        sums += (scores.sum(axis=1) - 2.0 * (bits.T @ scores.T)).astype(np.int64)
    return sums


def pair_hits(totals: Array, left: Array, right: Array, slack: int) -> tuple[Array, Array, Array]:
    """For each pair, how many resamples are as far from 0 as the observed difference, at least as large, and at most.

    `slack` is how far apart two sums may be and still be a tie.

    Examples
    --------
    >>> totals = np.array([[3, 0], [3, 0], [-3, 0], [1, 0]])
    >>> [hits.tolist() for hits in pair_hits(totals, np.array([0]), np.array([1]), 0)]
    [[2], [1], [3]]
    """
    by_system = np.ascontiguousarray(totals.T)
    far, above, below = (np.empty(len(left), dtype=np.int64) for _ in range(3))
    for i, (one, other) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        gaps = by_system[one] - by_system[other]
        observed, flipped = gaps[0], gaps[1:]
        far[i] = np.count_nonzero(np.abs(flipped) >= abs(observed) - slack)
        above[i] = np.count_nonzero(flipped >= observed - slack)
        below[i] = np.count_nonzero(flipped <= observed + slack)
    return far, above, below


# All pairs of systems on right-or-wrong items: counts from matrix products, exact p-values and intervals for all at once.
#
# Every row equals what `permutation` (or exact McNemar) finds for its pair alone.


TANGO = "Tango score, stretched to agree with the exact test"
NO_INTERVALS = "none: there are too many pairs"


def binary_table(
    left: Array,
    right: Array,
    n: Array,
    wins: Array,
    losses: Array,
    *,
    unit: float = 1.0,
    orientation: int = 1,
    alpha: float = 0.05,
    intervals: bool = True,
) -> PairTable:
    """The pairs from their counts.

    Parameters
    ----------
    left, right
        Numbers of the systems.
    n
        Items both have.
    wins, losses
        Items that only the left, or only the right system scored on.
    unit
        What such an item is worth.
    orientation
        -1 where lower is better.
    alpha, intervals
        The intervals' level is 1 - alpha; without `intervals` their ends are nan.

    Examples
    --------
    >>> table = binary_table(*(np.array([x]) for x in (0, 1, 100, 15, 5)))
    >>> table.difference.tolist(), table.p.round(5).tolist(), table.low.round(4).tolist(), table.high.round(4).tolist()
    ([0.1], [0.04139], [0.0134], [0.1924])
    """
    log_p = log_two_sided(wins, losses)
    low, high = np.full(len(n), np.nan), np.full(len(n), np.nan)
    there = n > 0
    if intervals and there.any():
        low[there], high[there] = tango_limits(n[there], wins[there], losses[there], log_p[there], alpha)
    better, worse = log_better(wins, losses), log_better(losses, wins)
    return PairTable(
        left=left,
        right=right,
        n=n,
        difference=np.where(there, unit * (wins - losses) / np.maximum(n, 1), np.nan),
        low=unit * low,
        high=unit * high,
        log_p=log_p,
        kind=np.full(len(n), KINDS.index("exact"), dtype=np.int8),
        log_better=better if orientation > 0 else worse,
        log_worse=worse if orientation > 0 else better,
        wins=wins,
        losses=losses,
        unit=unit,
    )


def tango_limits(n: Array, wins: Array, losses: Array, log_p: Array, alpha: float) -> tuple[Array, Array]:
    """Both ends of `tango_interval`, for arrays of pairs: moved to hold 0 exactly where the exact test does not reject.

    Examples
    --------
    >>> low, high = tango_limits(*(np.array([x]) for x in (50, 6, 1)), np.log([0.125]), 0.05)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.0048], [0.2226])
    """
    z = -normal_quantile(alpha / 2)
    items, ahead, behind = (x.astype(float) for x in (n, wins, losses))
    low, high = discordance.tango_limits(items, ahead, behind, z, np.exp(log_p) > alpha, np)
    return np.asarray(low), np.asarray(high)


# All pairs tested from their moments: exactly for right-or-wrong items, by Student's t or by flipped totals for other
# scores.
#
# The moments are those of `moments`; whether they were summed here or on a hundred machines makes no difference. Every
# table also has the one-sided p of either direction, which is what datasets are combined by; higher scores are better.


NO_SPREAD = 1e-12
"""A variance within this share of the mean square is what rounding left of none."""


def binary_pairs(
    moments: PairMoments, left: Array, right: Array, alpha: float = 0.05, *, orientation: int = 1, intervals: bool = True
) -> PairTable:
    """Exact tests of right-or-wrong items.

    Examples
    --------
    >>> from outscore.inference.pairwise.moments import moments_of
    >>> both = moments_of(["new", "old"], np.array([[1, 1, 1, 1, 0], [0, 0, 0, 0, 0]]), np.ones((2, 5), dtype=bool))
    >>> table = binary_pairs(both, np.array([0]), np.array([1]))
    >>> table.difference.tolist(), table.p.round(6).tolist()
    ([0.8], [0.125])
    """
    assert moments.worth is not None
    wins = moments.wins
    return binary_table(
        left,
        right,
        moments.count[left, right],
        wins[left, right],
        wins[right, left],
        unit=moments.worth.unit,
        orientation=orientation,
        alpha=alpha,
        intervals=intervals,
    )


def student_pairs(moments: PairMoments, left: Array, right: Array, alpha: float = 0.05) -> PairTable:
    """Student's paired t: d̄ / √(s²/n) with s² = (Σd² - n d̄²)/(n - 1).

    Where the differences do not vary there is no t: p is 1 for those pairs, and the interval unknown.

    Examples
    --------
    >>> from outscore.inference.pairwise.moments import moments_of
    >>> both = moments_of(["new", "old"], np.array([[3, 5, 4, 8], [1, 2, 3, 4]]), np.ones((2, 4), dtype=bool))
    >>> round(float(student_pairs(both, np.array([0]), np.array([1])).p[0]), 6)
    0.030466
    """
    n, mean, error = _differences(moments, left, right)
    varies = error > 0
    df, safe = np.maximum(n - 1, 1), np.where(varies, error, 1.0)
    t = np.where(varies, mean / safe, 0.0)
    reach = _t_quantile(df, alpha) * np.where(varies, error, np.nan)
    return PairTable(
        left=left,
        right=right,
        n=n,
        difference=mean,
        low=mean - reach,
        high=mean + reach,
        log_p=np.where(varies, np.minimum(math.log(2.0) + log_t_tails(df, np.abs(t)), 0.0), 0.0),
        kind=np.full(len(left), KINDS.index("asymptotic"), dtype=np.int8),
        log_better=np.where(varies, log_t_tails(df, t), 0.0),
        log_worse=np.where(varies, log_t_tails(df, -t), 0.0),
    )


def sampled_pairs(moments: PairMoments, left: Array, right: Array, totals: Array, alpha: float = 0.05) -> PairTable:
    """The permutation test by flipped totals of complete data: p = (hits + 1)/(K + 1), near ties counted as hits.

    Rounding to fixed point moves a score by half a unit, and so two sums of n differences by 2n units at most
    from each other. The interval is Student's.
    """
    hits = pair_hits(totals, left, right, 2 * moments.items)
    alike = moments.squares[left, right] == 0
    far, above, below = (np.where(alike, 0.0, np.log((count + 1) / len(totals))) for count in hits)
    student = student_pairs(moments, left, right, alpha)
    kind = np.full(len(left), KINDS.index("monte-carlo"), dtype=np.int8)
    return replace(student, log_p=far, kind=kind, log_better=above, log_worse=below)


def macro_student(moments: Sequence[PairMoments], left: Array, right: Array) -> Array:
    """log p of each pair's mean difference over datasets being 0, by Student's t with pooled errors.

    The error is √(Σ error²)/D, with the degrees of freedom of Welch (1947) and Satterthwaite (1946), (Σ
    error²)² / Σ error⁴/(n - 1). Datasets without a common item do not count; p is 1 where nothing varies, or
    where a dataset has a single common item or differences that are all the same, whose error nobody knows.

    Examples
    --------
    >>> from outscore.inference.pairwise.moments import moments_of
    >>> moments = moments_of(["new", "old"], np.array([[3, 5, 4, 8], [1, 2, 3, 4]]), np.ones((2, 4), dtype=bool))
    >>> np.exp(macro_student([moments, moments], np.array([0]), np.array([1]))).round(6).tolist()  # t = 5.477 with 6 df
    [0.001547]
    """
    n, mean, error = (np.stack(column) for column in zip(*(_differences(part, left, right) for part in moments), strict=True))
    variance = error**2
    pooled = variance.sum(axis=0)
    unknown = (n == 1) | ((n > 1) & (variance == 0) & (mean != 0))
    varies = (pooled > 0) & ~unknown.any(axis=0)
    squares = (variance**2 / np.maximum(n - 1, 1)).sum(axis=0)
    df = np.where(varies, pooled**2 / np.where(varies, squares, 1.0), 1.0)
    t = np.abs(np.nan_to_num(mean).sum(axis=0)) / np.sqrt(np.where(varies, pooled, 1.0))
    return np.asarray(np.where(varies, np.minimum(math.log(2.0) + log_t_tails(df, t), 0.0), 0.0))


def system_scores(moments: PairMoments, alpha: float = 0.05) -> OwnScores:
    """Means with Wilson's interval for right-or-wrong items and for scores between 0 and 1, else with Student's.

    As in `base.own_score`, scores between 0 and 1 count as as many looks as their standard error is worth.
    """
    n = np.diagonal(moments.count)
    mean = np.divide(moments.sums, n, out=np.full(len(n), np.nan), where=n > 0)
    low, high = np.full(len(n), np.nan), np.full(len(n), np.nan)
    error, z = _error_of(moments.own_squares, mean, n), -normal_quantile(alpha / 2)
    worth = moments.worth
    for i in np.flatnonzero(n > 1).tolist():
        size = float(error[i])
        if worth is not None:
            ends = wilson_limits(worth.share(float(mean[i])), int(n[i]), z)
            low[i], high[i] = (worth.wrong + worth.unit * end for end in ends)
        elif moments.least >= 0 and moments.largest <= 1 and size > 0:
            looks = float(mean[i]) * (1 - float(mean[i])) / size**2
            low[i], high[i] = wilson_limits(float(mean[i]), looks, float(_t_quantile(n[i] - 1, alpha)))
        elif size > 0:
            reach = float(_t_quantile(n[i] - 1, alpha)) * size
            low[i], high[i] = mean[i] - reach, mean[i] + reach
    return OwnScores(mean, low, high)


def log_t_tails(df: Array, t: Array) -> Array:
    """log P(T ≥ t) for whole arrays; only what underflows is computed one by one.

    Examples
    --------
    >>> log_t_tails(np.array([9, 10_000]), np.array([0.0, 60.0])).round(6).tolist()
    [-0.693147, -1542.283342]
    """
    import scipy.special

    tail = scipy.special.stdtr(df, -t)
    result = np.log(np.maximum(tail, MIN_FLOAT))
    for i in np.flatnonzero(tail < 1e-250):
        result[i] = log_t_tail(float(df[i]), float(t[i]))
    return np.asarray(result)


def _differences(moments: PairMoments, left: Array, right: Array) -> tuple[Array, Array, Array]:
    """Common items and the mean difference over them, nan where there are none, with its standard error."""
    n = moments.count[left, right]
    gaps = moments.own[left, right] - moments.own[right, left]
    mean = np.divide(gaps, n, out=np.full(len(n), np.nan), where=n > 0)
    return n, mean, _error_of(moments.squares[left, right], mean, n)


def _error_of(squares: Array, mean: Array, n: Array) -> Array:
    """√(s²/n) from the sum of squares; 0 where nothing varies or there are fewer than two items."""
    safe = np.maximum(n, 2)
    around = squares - n * np.nan_to_num(mean) ** 2
    around = np.where((n > 1) & (around > NO_SPREAD * squares), around, 0.0)
    return np.asarray(np.sqrt(around / (safe - 1) / safe))


def _t_quantile(df: Array, alpha: float) -> Array:
    import scipy.special

    return np.asarray(-scipy.special.stdtrit(df, alpha / 2))
