"""All pairs tested from their moments: exactly for right-or-wrong items, by Student's t or by flipped totals for other scores.

The moments are those of `moments`; whether they were summed here or on a hundred machines makes no
difference. Every table also has the one-sided p of either direction, which is what datasets are combined by;
higher scores are better.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outscore.core.numeric import MIN_FLOAT, Array
from outscore.core.records import dataclass
from outscore.inference.base.discordance import wilson_limits
from outscore.inference.pairwise.binary import binary_table
from outscore.inference.pairwise.moments import PairMoments, pair_hits
from outscore.inference.pairwise.table import KINDS, PairTable
from outscore.laws import log_t_tail, normal_quantile

NO_SPREAD = 1e-12
"""A variance within this share of the mean square is what rounding left of none."""


@dataclass(frozen=True, eq=False)
class SystemScores:
    """Every system's mean with its interval, nan where there is none."""

    value: Array
    low: Array
    high: Array
    n: Array


def binary_pairs(moments: PairMoments, left: Array, right: Array, alpha: float = 0.05, *, intervals: bool = True) -> PairTable:
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
    n, mean = _differences(moments, left, right)
    error = _errors(moments, left, right)
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
    return PairTable(
        left=left,
        right=right,
        n=student.n,
        difference=student.difference,
        low=student.low,
        high=student.high,
        log_p=far,
        kind=np.full(len(left), KINDS.index("monte-carlo"), dtype=np.int8),
        log_better=above,
        log_worse=below,
    )


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
    rows = [(*_differences(part, left, right), _errors(part, left, right) ** 2) for part in moments]
    n, mean, variance = (np.stack(column) for column in zip(*rows, strict=True))
    pooled = variance.sum(axis=0)
    unknown = (n == 1) | ((n > 1) & (variance == 0) & (mean != 0))
    varies = (pooled > 0) & ~unknown.any(axis=0)
    squares = (variance**2 / np.maximum(n - 1, 1)).sum(axis=0)
    df = np.where(varies, pooled**2 / np.where(varies, squares, 1.0), 1.0)
    t = np.abs(np.nan_to_num(mean).sum(axis=0)) / np.sqrt(np.where(varies, pooled, 1.0))
    return np.asarray(np.where(varies, np.minimum(math.log(2.0) + log_t_tails(df, t), 0.0), 0.0))


def system_scores(moments: PairMoments, alpha: float = 0.05) -> SystemScores:
    """Means with Wilson's interval for right-or-wrong items and for scores between 0 and 1, else with Student's.

    As in `score_interval`, scores between 0 and 1 count as as many looks as their standard error is worth.
    """
    n = np.diagonal(moments.count)
    mean = np.divide(moments.sums, n, out=np.full(len(n), np.nan), where=n > 0)
    low, high = np.full(len(n), np.nan), np.full(len(n), np.nan)
    error = _own_errors(moments, mean, n)
    z = _normal_quantile(alpha)
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
    return SystemScores(mean, low, high, n)


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


def _differences(moments: PairMoments, left: Array, right: Array) -> tuple[Array, Array]:
    """Common items and the mean difference over them, nan where there are none."""
    n = moments.count[left, right]
    gaps = moments.own[left, right] - moments.own[right, left]
    return n, np.divide(gaps, n, out=np.full(len(n), np.nan), where=n > 0)


def _errors(moments: PairMoments, left: Array, right: Array) -> Array:
    """Standard errors of the mean differences; 0 where nothing varies or fewer than two items are common."""
    n, mean = _differences(moments, left, right)
    return _error_of(moments.squares[left, right], mean, n)


def _own_errors(moments: PairMoments, mean: Array, n: Array) -> Array:
    return _error_of(moments.own_squares, mean, n)


def _error_of(squares: Array, mean: Array, n: Array) -> Array:
    """√(s²/n) from the sum of squares."""
    safe = np.maximum(n, 2)
    around = squares - n * np.nan_to_num(mean) ** 2
    around = np.where((n > 1) & (around > NO_SPREAD * squares), around, 0.0)
    return np.asarray(np.sqrt(around / (safe - 1) / safe))


def _t_quantile(df: Array, alpha: float) -> Array:
    import scipy.special

    return np.asarray(-scipy.special.stdtrit(df, alpha / 2))


def _normal_quantile(alpha: float) -> float:
    return -normal_quantile(alpha / 2)
