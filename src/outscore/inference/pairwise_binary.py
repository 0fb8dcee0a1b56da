"""All pairs of systems on right-or-wrong items: counts from matrix products, exact p-values and intervals for all at once.

Every row equals what `permutation` (or exact McNemar) finds for its pair alone.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.data import Array
from outscore.inference.binomial_tails import log_better, log_two_sided
from outscore.inference.pair_table import KINDS, PairTable

__all__ = ["NO_INTERVALS", "TANGO", "binary_table", "tango_limits"]

TANGO = "Tango score, stretched to agree with the exact test"
NO_INTERVALS = "none: there are too many pairs"
TINY = 5e-324


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
    """Both ends of `binary.tango_interval`, for arrays of pairs: moved to hold 0 exactly where the exact test does not reject.

    Examples
    --------
    >>> low, high = tango_limits(*(np.array([x]) for x in (50, 6, 1)), np.log([0.125]), 0.05)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.0048], [0.2226])
    """
    import scipy.special

    z = -float(scipy.special.ndtri(alpha / 2))
    low, high = _solved(n, wins, losses, z), _solved(n, wins, losses, -z)
    kept = np.exp(log_p) > alpha
    astride = ~kept & (low <= 0) & (high >= 0)
    ahead = wins > losses
    # Far out the exact test is the sharper one: 0 is rejected on the side of the difference.
    low = np.where(kept, np.minimum(low, 0.0), np.where(astride & ahead, TINY, low))
    high = np.where(kept, np.maximum(high, 0.0), np.where(astride & ~ahead, -TINY, high))
    return low, high


def _solved(n: Array, wins: Array, losses: Array, z: float) -> Array:
    """δ with score(δ) = z, by bisection on decreasing functions."""
    low, high = np.full(len(n), -1.0), np.ones(len(n))
    for _ in range(60):
        middle = (low + high) / 2
        above = _score(n.astype(float), wins.astype(float), losses.astype(float), middle) > z
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((low + high) / 2)


def _score(n: Array, b: Array, c: Array, delta: Array) -> Array:
    """Tango's z as in `binary.Discordance.score` (Tango, 1998), for arrays."""
    linear = -b - c + (2 * n - b + c) * delta
    constant = -c * delta * (1 - delta)
    root = np.sqrt(np.maximum(0.0, linear * linear - 8 * n * constant))
    # The other form of the quadratic formula where this one cancels.
    divisor = root + linear
    other = np.where(divisor != 0, -2 * constant / np.where(divisor != 0, divisor, 1.0), 0.0)
    p21 = np.where(linear < 0, (root - linear) / (4 * n), other)
    variance = n * (2 * p21 + delta * (1 - delta))
    gap = b - c - n * delta
    positive = variance > 0
    z = gap / np.sqrt(np.where(positive, variance, 1.0))
    return np.asarray(np.where(positive, z, np.where(gap == 0, 0.0, np.copysign(math.inf, gap))))
