"""What the answer hangs on: the units that decided it, and how many of them would have to go the other way.

The influence of a unit is how much the difference in scores changes when it is left out (the jackknife; Quenouille, 1956).
Fragility counts units, most influential first, whose two outputs are swapped until the test's decision changes. Swapping leaves
the null law as it is, which is what makes the question cheap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.data import AdditiveMetric, Array, PairedScores

__all__ = ["fragility", "influence"]


def influence(units: PairedScores, metric: AdditiveMetric) -> Array:
    """How much of the difference A - B each unit brings: the difference with it minus the difference without it.

    Examples
    --------
    >>> import numpy as np
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> pairs = PairedScores(np.array([[3, 1], [1, 1]]), np.array([[1, 1], [1, 1]]))
    >>> influence(pairs, mean)
    array([ 1., -1.])
    """
    scale = float(units.scale)
    total_a, total_b = units.a.sum(axis=0), units.b.sum(axis=0)
    whole = metric.score(total_a / scale) - metric.score(total_b / scale)
    without = metric.score((total_a - units.a) / scale) - metric.score((total_b - units.b) / scale)
    return np.asarray(whole - without)


def fragility(
    units: PairedScores, metric: AdditiveMetric, decision: Callable[[PairedScores], object], *, most: int = 4096
) -> int | None:
    """The smallest number of units, swapped in order of their pull, that changes the decision; None beyond `most`.

    A decided result is pulled back by swapping the units that favour the winner, an undecided one is pushed on by swapping
    those that oppose the leader. Found by bisection: each further swap moves the difference the same way.
    """
    difference = metric.score(units.a.sum(axis=0) / float(units.scale)) - metric.score(units.b.sum(axis=0) / float(units.scale))
    before = decision(units)
    leader = 1.0 if difference >= 0 else -1.0
    pull = leader * influence(units, metric) * (1.0 if before is not None else -1.0)
    # Only units that pull the wrong way: swapping all of them would mirror the data and decide nothing new.
    useful = (units.a != units.b).any(axis=1) & (pull > 0)
    order = np.argsort(np.where(useful, -pull, np.inf), kind="stable")[: int(useful.sum())]

    def changed(k: int) -> bool:
        return decision(_swapped(units, order[:k])) != before

    # Galloping keeps away from far tails, where every question to the test is dear.
    low, high, last = 0, 1, min(len(order), most)
    while high <= last and not changed(high):
        low, high = high, 2 * high
    if high > last:
        high = last
        if high <= low or not changed(high):
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if changed(middle) else (middle, high)
    return high


def _swapped(units: PairedScores, chosen: Array) -> PairedScores:
    a, b = units.a.copy(), units.b.copy()
    a[chosen], b[chosen] = units.b[chosen], units.a[chosen]
    return replace(units, a=a, b=b)
