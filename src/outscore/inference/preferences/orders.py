"""The order in which two answers were shown: what is known about it, the test for fixed orders, what being first is worth.

Swapping the names of two systems is a symmetry of the data if both orders of a prompt were judged, or the order was
random. Where each prompt was judged in one order that somebody chose, it is not: being shown first may be what wins. Then the
orders themselves are exchanged between prompts. H0: the systems are alike, so whether the first answer wins does not depend on
which system it is from. With y the share of "first" on a prompt, p is the probability, over all ways to deal the orders out
again, of a difference between the means of y in the two orders as large as the observed one.

Whether being shown first is worth anything (`by_place`) is tested, too. H0: the order does not matter. Then exchanging the
order on a prompt leaves its verdicts as they are and turns "the first one won" into "the second one won", so the sign of
(first less second) flips: the test of a win rate, with places for systems. It holds where both orders of a prompt were judged
or the order was random.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.base.p_values import identical_p, sampled_p
from outscore.inference.preferences.tally import Tally, tally_of
from outscore.results.pvalue import PValue
from outscore.scores.battles import Battles

Seen = Literal["both", "mixed", "single", "unrecorded"]
SURE = 5
"""Prompts beyond the first of each pair that must all be in one order before it counts as a rule: chance is 1 in 32."""
RESAMPLES = 9_999
MAX_CELLS = 1 << 24


@dataclass(frozen=True)
class Halves:
    """Pairs on prompts that were not shown in both orders alike often; and those that were, but lack verdicts of one order."""

    uneven: int = 0
    lost: int = 0

    def __add__(self, other: Halves) -> Halves:
        return Halves(self.uneven + other.uneven, self.lost + other.lost)


def halves_of(battles: Battles) -> Halves:
    """Look at every pair on every prompt, battles without a verdict included.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> first, shown = np.array([0, 1, 0, 1]), np.ones(4, dtype=bool)
    >>> halves_of(Battles(("x", "y"), first, 1 - first, np.array([1.0, 1.0, 1.0, np.nan]), Labels.of("aabb"), shown))
    Halves(uneven=0, lost=1)
    """
    k = len(battles.systems)
    shown = np.zeros(battles.rows, dtype=bool) if battles.shown is None else battles.shown
    low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    keys = (low * k + high) * len(battles.prompts.names) + battles.prompts.codes
    cells, cell = np.unique(keys, return_inverse=True)
    sign = np.where(battles.first < battles.second, 1, -1)

    def balance(rows: Array) -> Array:
        return np.bincount(cell[rows], weights=sign[rows], minlength=len(cells))

    unknown = np.bincount(cell[~shown], minlength=len(cells))
    even = (balance(shown) == 0) & (unknown == 0)
    return Halves(int((~even).sum()), int((even & (balance(shown & battles.decided) != 0)).sum()))


def orders_of(tally: Tally) -> Array:
    """For every pair: 0 the order is unrecorded, 1 both in equal number on every prompt, 2 mixed, 3 always the same."""
    recorded = tally.by_pair(tally.n_shown) == tally.total
    uneven = tally.by_pair(2 * tally.n_first != tally.n)
    first, second = tally.by_pair(tally.n_first), tally.by_pair(tally.n_shown - tally.n_first)
    kind = np.where(uneven == 0, 1, np.where((first == 0) | (second == 0), 3, 2))
    return np.asarray(np.where(recorded, kind, 0))


def seen_order(tally: Tally) -> Seen:
    """What the orders of all pairs together look like."""
    kinds = orders_of(tally)
    alone, known = kinds == 3, kinds != 0
    if alone.any() and alone[known].all() and int((tally.meetings - 1)[alone].sum()) >= SURE:
        return "single"
    if not known.all():
        return "unrecorded"
    return "both" if (kinds == 1).all() else "mixed"


def single_pair(tally: Tally) -> tuple[int, int]:
    """The first pair of which one system was always shown first: that one, and the other."""
    return _first_and_second(tally, int(np.flatnonzero(orders_of(tally) == 3)[0]))


def single_pairs(tally: Tally) -> list[tuple[int, int]]:
    """All pairs of which one system was shown first on too many prompts for chance, however many pairs there are."""
    sure = tally.meetings - 1 >= SURE + math.log2(max(tally.pairs, 1))
    return [_first_and_second(tally, pair) for pair in np.flatnonzero((orders_of(tally) == 3) & sure).tolist()]


def _first_and_second(tally: Tally, pair: int) -> tuple[int, int]:
    left, right = int(tally.left[pair]), int(tally.right[pair])
    return (left, right) if tally.n_first[tally.cells_of(pair)].any() else (right, left)


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
    p = PValue.from_logs(min(log_p, 0.0), min(log_p, 0.0), method="exact", kernel="exchanged-orders")
    # Rounding in the logarithm would move a simple fraction by its last digits.
    ways = math.comb(n, k)
    if ways < 2**50:
        value = round(p.value * ways) / ways
        return PValue(value, value, value, math.log10(value), "exact", "exchanged-orders", n=n)
    return p


@dataclass(frozen=True)
class Swapped:
    """Two verdicts on the same pair and prompt by one judge, one in each order: how many such two there are, how many differ.

    Of several in one order each meets each of the other, so that places in a file do not matter; `questions` are the pairs,
    prompts and judges that have both orders.
    """

    compared: int = 0
    flipped: int = 0
    questions: int = 0

    def __add__(self, other: Swapped) -> Swapped:
        return Swapped(self.compared + other.compared, self.flipped + other.flipped, self.questions + other.questions)


def by_place(battles: Battles) -> Tally | None:
    """Battles as those of the first place against the second; None where no order is known.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> first, second, shown = np.array([0, 1]), np.array([1, 0]), np.ones(2, dtype=bool)
    >>> battles = Battles(("x", "y"), first, second, np.array([1.0, 1.0]), Labels.of("ab"), shown)
    >>> by_place(battles).rate.tolist()
    [1.0]
    """
    if battles.shown is None or not (battles.shown & battles.decided).any():
        return None
    known = battles.take(np.flatnonzero(battles.shown))
    places = np.zeros(known.rows, dtype=np.int64)
    return tally_of(replace(known, systems=("first", "second"), first=places, second=places + 1))


def swapped_verdicts(battles: Battles) -> Swapped:
    """Set the verdicts of both orders against each other.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> first, second, shown = np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]), np.ones(4, dtype=bool)
    >>> battles = Battles(("x", "y"), first, second, np.array([1.0, 1.0, 1.0, 0.0]), Labels.of("aabb"), shown)
    >>> swapped_verdicts(battles)
    Swapped(compared=2, flipped=1, questions=2)
    """
    if battles.shown is None:
        return Swapped()
    known = battles.take(np.flatnonzero(battles.shown & battles.decided))
    if not known.rows:
        return Swapped()
    turned = known.first > known.second
    verdict = (1 - np.sign(np.where(turned, 1 - known.share, known.share) - 0.5)).astype(np.int64)
    group = same_question(known)
    size = 3 * (int(group.max()) + 1)
    in_order, in_reverse = (
        np.bincount(group[side] * 3 + verdict[side], minlength=size).reshape(-1, 3) for side in (~turned, turned)
    )
    met = in_order.sum(axis=1) * in_reverse.sum(axis=1)
    return Swapped(int(met.sum()), int(met.sum() - (in_order * in_reverse).sum()), int((met > 0).sum()))


def same_question(battles: Battles) -> Array:
    """A code for every pair, prompt and judge."""
    k = len(battles.systems)
    low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    judges = 0 if battles.judges is None else battles.judges.codes
    many = 1 if battles.judges is None else len(battles.judges.names)
    keys = ((low * k + high) * len(battles.prompts.names) + battles.prompts.codes) * many + judges
    return np.asarray(np.unique(keys, return_inverse=True)[1])
