"""Win rates of pairs with their exact p-values and intervals, with units as clusters.

H0: the two systems are exchangeable on every unit, so swapping their names flips the sign of its d (wins less losses, all
orders, judges and votes of the unit together). p is the share of all flips with |Σ d| at least as large as observed. That holds
however the votes of a unit depend on one another, if both orders were shown or the order was random.

The interval is Wilson's for as many independent looks as the clustered variance of the win rate is worth, W(1 - W)/V, with CR2
and Bell-McCaffrey degrees of freedom (`base.cluster_variance`), moved so that it contains ½ exactly where the test does not
reject it. Beside both is what a table of independent votes would give: the sign test on rows.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LOG2, Array
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.exact.binomial import log_two_sided
from outscore.exact.lattice import Tail
from outscore.inference.base.cluster_variance import effective_clusters
from outscore.inference.base.discordance import wilson_limits
from outscore.inference.base.p_values import exact_p, identical_p
from outscore.inference.base.question import TestRequest
from outscore.inference.permutation.dispatch import permutation
from outscore.inference.preferences.tally import Tally
from outscore.laws import t_quantile
from outscore.results.pvalue import PValue

MEAN = AdditiveMetric("lead", ("lead", "units"), ratio=((1, 0), (0, 1)))
MAX_RANGE = 1 << 12
"""Sums up to this size are convolved, which is quicker than the lattice."""
MAX_FLIPS = 900
"""Beyond so many flips a single sign pattern is too unlikely for a float."""


@dataclass(frozen=True, eq=False)
class WinRates:
    """Win rates of all pairs: estimates, standard errors by unit and by row, and limits."""

    rate: Array
    error: Array
    rows_error: Array
    low: Array
    high: Array


def flip_p(d: Array, level: float = 0.05) -> PValue:
    """The p of Σ d under fair flips of its signs, two-sided.

    Parameters
    ----------
    d
        One number per unit, whole or real.
    level
        The α that bounds must lie clear of, where p cannot be exact.

    Examples
    --------
    >>> p = flip_p(np.array([2, 2, 1, 2, -1, 2, 2]))
    >>> p.value, p.method
    (0.046875, 'exact')
    """
    units = len(d)
    if d.dtype.kind != "i":
        rows = np.stack([d, np.ones(units)], axis=1)
        return permutation(PairedScores(rows, rows * [0.0, 1.0]), MEAN, TestRequest(alpha=level))
    sizes, counts = np.unique(np.abs(d[d != 0]), return_counts=True)
    total = int(d.sum())
    flips = int(counts.sum())
    if flips == 0 or total == 0:
        return _stated(identical_p(units), 0.0, units)
    step = math.gcd(*sizes.tolist())
    if flips > MAX_FLIPS or int(sizes @ counts) > MAX_RANGE * step:
        rows = np.stack([d, np.ones_like(d)], axis=1)
        return permutation(PairedScores(rows, rows * [0, 1]), MEAN, TestRequest(alpha=level))
    tail = _convolved_tail(sizes // step, counts, abs(total) // step)
    kernel = "binomial" if len(sizes) == 1 else "convolution"
    return _stated(exact_p(tail, int(np.sign(total)), flips, kernel, TestRequest()), total / units, units)


def _stated(p: PValue, statistic: float, units: int) -> PValue:
    return replace(p, statistic=statistic, n=units)


def _convolved_tail(sizes: Array, counts: Array, observed: int) -> Tail:
    """P(S ≥ s) and P(S = s) of a sum of whole flips, from the law of how much of Σ|d| is positive.

    Only positive numbers are added, so no digit is lost however small the tail.
    """
    law = np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        of_size = np.zeros(size * count + 1)
        of_size[::size] = np.exp(_log_binomial(count))
        law = np.convolve(law, of_size)
    whole = int(sizes @ counts)
    # With X the positive part, S = 2X - Σ|d|.
    upper = law[(whole + observed) // 2 :]
    return Tail(math.log(math.fsum(upper.tolist())), math.log(float(upper[0])) if upper[0] > 0 else -math.inf)


def _log_binomial(n: int) -> Array:
    import scipy.special

    k = np.arange(n + 1.0)
    return np.asarray(-np.log(n + 1.0) - scipy.special.betaln(n - k + 1, k + 1) - n * LOG2)


def independent_p(wins: Array, losses: Array) -> Array:
    """The sign test on rows, as if every vote were independent of all others.

    Examples
    --------
    >>> independent_p(np.array([26]), np.array([13])).round(7).tolist()
    [0.0532519]
    """
    return np.asarray(np.exp(log_two_sided(wins, losses)))


def win_rates(tally: Tally, alpha: float) -> WinRates:
    """The win rate of the left system of every pair, with its standard errors and Wilson limits."""
    total, rate = tally.total, tally.rate
    share = tally.n / total[tally.pair]
    centred = (tally.d - (2 * rate - 1)[tally.pair] * tally.n) / 2
    # What rounding leaves of units that do not vary is nothing.
    centred[np.abs(centred) <= 8 * np.spacing(np.abs(tally.d) + tally.n)] = 0.0
    alone = tally.meetings < 2
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = tally.by_pair(centred**2 / (1 - share)) / total**2
        q = share**2 / (1 - share)
        df = 1 / (tally.by_pair(share**2) + tally.by_pair(q) ** 2 - tally.by_pair(q**2))
        rows = tally.wins + tally.ties + tally.losses
        spread = np.maximum(tally.squares / total - (2 * rate - 1) ** 2, 0) / 4
        rows_error = np.sqrt(spread / (rows - 1))
    variance[alone], df[alone] = np.nan, np.nan
    low, high = np.full(tally.pairs, np.nan), np.full(tally.pairs, np.nan)
    single = (tally.by_pair(tally.n != 1) == 0) & (tally.ties == 0)
    for pair in np.flatnonzero(~alone).tolist():
        low[pair], high[pair] = _limits(tally, pair, rate[pair], variance[pair], df[pair], alpha, binary=bool(single[pair]))
    return WinRates(rate, np.sqrt(variance), np.where(rows > 1, rows_error, np.nan), low, high)


def _limits(
    tally: Tally, pair: int, rate: float, variance: float, df: float, alpha: float, *, binary: bool
) -> tuple[float, float]:
    if binary:
        return wilson_limits(rate, float(tally.total[pair]), t_quantile(math.inf, alpha))
    spread = rate * (1 - rate)
    looks = spread / variance if variance > 0 and spread > 0 else effective_clusters(tally.n[tally.cells_of(pair)])
    return wilson_limits(rate, looks, t_quantile(max(df, 1.0), alpha))


def kept_half(low: float, high: float, rate: float, p: PValue | None, alpha: float) -> tuple[float, float]:
    """The limits, moved to hold ½ exactly where the test does not reject it.

    Examples
    --------
    >>> kept_half(0.52, 0.7, 0.6, PValue(0.08, 0.08, 0.08, -1.1, "exact", "binomial"), 0.05)
    (0.5, 0.7)
    """
    if p is None or math.isnan(low):
        return low, high
    if p.upper > alpha:
        return min(low, 0.5), max(high, 0.5)
    if low <= 0.5 <= high:
        above = rate > 0.5
        return (math.nextafter(0.5, 1.0), high) if above else (low, math.nextafter(0.5, 0.0))
    return low, high
