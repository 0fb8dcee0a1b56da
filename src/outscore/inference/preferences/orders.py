"""What is known of the order in which two answers were shown, and the test that holds where it was fixed.

Swapping the names of two systems is a symmetry of the data if both orders of a prompt were judged, or the order was drawn by
lot. Where each prompt was judged in one order that somebody chose, it is not: being shown first may be what wins. Then the
orders themselves are exchanged between prompts. H0: the systems are alike, so whether the first answer wins does not depend on
which system it is from. With y the share of "first" on a prompt, p is the probability, over all ways to deal the orders out
again, of a difference between the means of y in the two orders as large as the observed one.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from outscore.core.numeric import Array
from outscore.inference.base.p_values import identical_p, sampled_p
from outscore.inference.preferences.tally import Tally
from outscore.results.pvalue import PValue

__all__ = ["Seen", "exchanged_p", "orders_of", "seen_order"]

Seen = Literal["both", "mixed", "single", "unrecorded"]
SURE = 5
"""Prompts beyond the first of each pair that must all be in one order before it counts as a rule: chance is 1 in 32."""
RESAMPLES = 9_999
MAX_CELLS = 1 << 24


def orders_of(tally: Tally) -> Array:
    """For every pair: 0 the order is unrecorded, 1 both in equal number on every prompt, 2 mixed, 3 always the same."""
    recorded = tally.by_pair(tally.n_shown) == tally.total
    uneven = tally.by_pair(2 * tally.n_first != tally.n)
    first, second = tally.by_pair(tally.n_first), tally.by_pair(tally.n_shown - tally.n_first)
    found = np.where(uneven == 0, 1, np.where((first == 0) | (second == 0), 3, 2))
    return np.asarray(np.where(recorded, found, 0))


def seen_order(tally: Tally) -> Seen:
    """What the orders of all pairs together look like."""
    kinds = orders_of(tally)
    if (kinds == 0).any():
        return "unrecorded"
    if (kinds == 1).all():
        return "both"
    alone = kinds == 3
    if alone.all() and int((tally.meetings - 1).sum()) >= SURE:
        return "single"
    return "mixed"


def exchanged_p(y: Array, left_first: Array, seed: int) -> PValue:
    """p of the difference of y between prompts that showed the left system first and those that showed the right one.

    Exact where y has the three values of single verdicts, by the law of a draw without replacement; sampled otherwise.

    Examples
    --------
    >>> y = np.array([1, 1, 1, 1, -1, -1, -1, -1])
    >>> exchanged_p(y, y > 0, 0).value  # 2 of 70 ways
    0.02857142857142857
    """
    n, k = len(y), int(left_first.sum())
    observed = abs(float(y[left_first].sum()) - k * float(y.sum()) / n)
    if observed == 0.0:
        return identical_p(n)
    values, counts = np.unique(y, return_counts=True)
    if set(values.tolist()) <= {-1, 0, 1} and int(np.prod(counts + 1)) <= MAX_CELLS:
        return _exact(dict(zip(values.tolist(), counts.tolist(), strict=True)), n, k, observed)
    rng = np.random.Generator(np.random.Philox(seed))
    hits = 0
    for _ in range(RESAMPLES):
        drawn = abs(float(y[rng.permutation(n)[:k]].sum()) - k * float(y.sum()) / n)
        hits += drawn >= observed * (1 - 1e-12)
    return sampled_p(hits, RESAMPLES, "exchanged-orders")


def _exact(counts: dict[float, int], n: int, k: int, observed: float) -> PValue:
    import scipy.special

    plus, none, minus = counts.get(1, 0), counts.get(0, 0), counts.get(-1, 0)
    i, j = np.arange(plus + 1)[:, None], np.arange(minus + 1)[None, :]
    rest = k - i - j

    def log_choose(a: Array | int, b: Array) -> Array:
        return np.asarray(-np.log(a + 1.0) - scipy.special.betaln(a - b + 1.0, b + 1.0))

    fits = (rest >= 0) & (rest <= none)
    far = np.abs((i - j) - k * (plus - minus) / n) >= observed * (1 - 1e-12)
    taken = np.where(fits, rest, 0)
    logs = log_choose(plus, i) + log_choose(minus, j) + log_choose(none, taken) - log_choose(n, np.array(k))
    hit = fits & far
    log_p = float(scipy.special.logsumexp(logs[hit]))
    found = PValue.from_logs(min(log_p, 0.0), min(log_p, 0.0), method="exact", kernel="exchanged-orders")
    # Rounding in the logarithm would move a simple fraction by its last digits.
    ways = math.comb(n, k)
    if ways < 2**50:
        value = round(found.value * ways) / ways
        return PValue(value, value, value, math.log10(value), "exact", "exchanged-orders", n=n)
    return found
