"""All pairs of systems on right-or-wrong items: counts from matrix products, exact p-values and intervals for all at once.

Every row equals what `permutation` (or exact McNemar) finds for its pair alone.
"""

from __future__ import annotations

import numpy as np

from outscore.core.numeric import Array
from outscore.exact.binomial import log_better, log_two_sided
from outscore.inference.base import discordance
from outscore.inference.pairwise.table import KINDS, PairTable
from outscore.laws import normal_quantile

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
