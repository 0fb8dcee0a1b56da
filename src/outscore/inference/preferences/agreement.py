"""What verdicts depend on beside the answers: the order in which they were shown, and the judge."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.base.discordance import wilson_limits
from outscore.inference.base.own_score import effective_clusters
from outscore.inference.base.question import identical_p, sampled_p
from outscore.inference.preferences.tally import Tally, tally_of
from outscore.laws import t_quantile
from outscore.results.pvalue import PValue
from outscore.scores.battles import Battles

# The order in which two answers were shown: what is known about it, the test for fixed orders, what being first is worth.
#
# Swapping the names of two systems is a symmetry of the data if both orders of a prompt were judged, or the order was
# random. Where each prompt was judged in one order that somebody chose, it is not: being shown first may be what wins. Then
# the orders themselves are exchanged between prompts. H0: the systems are alike, so whether the first answer wins does not
# depend on which system it is from. With y the share of "first" on a prompt, p is the probability, over all ways to deal
# the orders out again, of a difference between the means of y in the two orders as large as the observed one.
#
# Whether being shown first is worth anything (`by_place`) is tested, too. H0: the order does not matter. Then exchanging
# the order on a prompt leaves its verdicts as they are and turns "the first one won" into "the second one won", so the sign
# of (first less second) flips: the test of a win rate, with places for systems. It holds where both orders of a prompt were
# judged or the order was random.


Seen = Literal["both", "mixed", "single", "unrecorded"]
SURE = 5
"""Prompts beyond the first of each pair that must all be in one order before it counts as a rule: chance is 1 in 32."""
RESAMPLES = 9_999
MAX_CELLS = 1 << 24


def halves_of(battles: Battles) -> Counter[str]:
    """Look at every pair on every prompt, battles without a verdict included.

    "uneven" are those that were not shown in both orders alike often, "lost" those that were, but lack verdicts of one order.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> first, shown = np.array([0, 1, 0, 1]), np.ones(4, dtype=bool)
    >>> halves_of(Battles(("x", "y"), first, 1 - first, np.array([1.0, 1.0, 1.0, np.nan]), Labels.of("aabb"), shown))
    Counter({'lost': 1, 'uneven': 0})
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
    lost = even & (balance(shown & battles.decided) != 0)
    return Counter(uneven=int((~even).sum()), lost=int(lost.sum()))


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


def swapped_verdicts(battles: Battles) -> Counter[str]:
    """Set two verdicts on the same pair and prompt by one judge, one in each order, against each other.

    "compared" is how many such two there are and "flipped" how many differ; of several in one order each meets each of the
    other, so that places in a file do not matter. "questions" are the pairs, prompts and judges that have both orders.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> first, second, shown = np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]), np.ones(4, dtype=bool)
    >>> battles = Battles(("x", "y"), first, second, np.array([1.0, 1.0, 1.0, 0.0]), Labels.of("aabb"), shown)
    >>> swapped_verdicts(battles)
    Counter({'compared': 2, 'questions': 2, 'flipped': 1})
    """
    known = battles if battles.shown is None else battles.take(np.flatnonzero(battles.shown & battles.decided))
    if battles.shown is None or not known.rows:
        return Counter()
    turned = known.first > known.second
    verdict = (1 - np.sign(np.where(turned, 1 - known.share, known.share) - 0.5)).astype(np.int64)
    group = same_question(known)
    size = 3 * (int(group.max()) + 1)
    in_order, in_reverse = (
        np.bincount(group[side] * 3 + verdict[side], minlength=size).reshape(-1, 3) for side in (~turned, turned)
    )
    met = in_order.sum(axis=1) * in_reverse.sum(axis=1)
    compared, alike = int(met.sum()), int((in_order * in_reverse).sum())
    return Counter(compared=compared, flipped=compared - alike, questions=int((met > 0).sum()))


def same_question(battles: Battles) -> Array:
    """A code for every pair, prompt and judge."""
    k = len(battles.systems)
    low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    judges = 0 if battles.judges is None else battles.judges.codes
    many = 1 if battles.judges is None else len(battles.judges.names)
    keys = ((low * k + high) * len(battles.prompts.names) + battles.prompts.codes) * many + judges
    return np.asarray(np.unique(keys, return_inverse=True)[1])


# How far judges agree: raw agreement, Cohen's kappa and Krippendorff's alpha, with intervals over prompts.
#
# Judges are compared on the same pair, prompt and order, which is an item. Verdicts are names: the first, the second, a
# tie, or no verdict, which agrees only with no verdict. A judge who gave several verdicts on an item counts once, with the
# share of each: all of one judge's meet all of another's. Kappa is (a - e)/(1 - e) with e the agreement that the two
# judges' shares of each verdict would give by chance (Cohen, 1960). Alpha is 1 - D_o/D_e over all judges, from the
# coincidences of verdicts within an item (Krippendorff, 2011); there a missing verdict is left out, and items of one judge
# say nothing. Intervals leave out one prompt at a time (jackknife), with t of G - 1 degrees of freedom, since verdicts on
# one prompt depend on one another: for the share of equal verdicts Wilson's, for as many looks as the jackknife's variance
# is worth; none for a coefficient that no prompt moves.


VERDICTS = 4
"""The first won, tie, the second won, no verdict."""
MISSING = 3
UNMOVED = 1e-12
"""A standard error up to this is what rounding leaves of none."""


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Verdicts by item and judge: codes of both and of the unit, and how often the judge gave each verdict, one row each."""

    item: Array
    judge: Array
    counts: Array
    unit: Array
    items: int


@dataclass(frozen=True, eq=False)
class Tables:
    """(units, verdicts, verdicts) counts by unit, the code of each unit, and the number of items behind them."""

    unit: Array
    tables: Array
    items: int


Estimate = tuple[float, float, float]
"""A coefficient with its limits; nan where it is not defined or nothing shows its spread."""


def verdicts_of(battles: Battles) -> Verdicts:
    """The verdicts of all judges, item by item."""
    assert battles.judges is not None
    turned = battles.first > battles.second
    left = np.where(turned, 1 - battles.share, battles.share)
    verdict = np.where(np.isnan(left), MISSING, 1 - np.sign(np.nan_to_num(left, nan=0.5) - 0.5)).astype(np.int64)
    question = same_question(replace(battles, judges=None))
    shown = np.zeros(battles.rows, dtype=bool) if battles.shown is None else battles.shown
    # Where the order is known it is part of the question.
    questions, item = np.unique(question * 3 + np.where(shown, 1 + turned, 0), return_inverse=True)
    many = len(battles.judges.names)
    keys, first, cell = np.unique(item * many + battles.judges.codes, return_index=True, return_inverse=True)
    counts = np.bincount(cell * VERDICTS + verdict, minlength=len(keys) * VERDICTS).reshape(-1, VERDICTS)
    return Verdicts(keys // many, keys % many, counts, battles.units.codes[first], len(questions))


def kappa_tables(verdicts: Verdicts, one: int, other: int) -> Tables:
    """Verdicts of two judges on the items that both judged, against each other; an item counts as one."""
    rows = [np.flatnonzero(verdicts.judge == judge) for judge in (one, other)]
    _, first, second = np.intersect1d(verdicts.item[rows[0]], verdicts.item[rows[1]], assume_unique=True, return_indices=True)
    a, b = _shares(verdicts.counts[rows[0]][first]), _shares(verdicts.counts[rows[1]][second])
    used, unit = np.unique(verdicts.unit[rows[0]][first], return_inverse=True)
    return Tables(used, _summed(unit, len(used), lambda i, j: a[:, i] * b[:, j]), len(a))


def _shares(counts: Array) -> Array:
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _summed(unit: Array, units: int, value: Callable[[int, int], Array]) -> Array:
    """Tables by unit, cell by cell."""
    tables = np.zeros((units, VERDICTS, VERDICTS))
    for i in range(VERDICTS):
        for j in range(VERDICTS):
            tables[:, i, j] = np.bincount(unit, weights=value(i, j), minlength=units)
    return tables


def kappa_of(comparison: Tables, alpha: float) -> tuple[Estimate, Estimate]:
    """Raw agreement and kappa."""
    return _share(comparison.tables, alpha), _jackknife(comparison.tables, _kappa, alpha)


def _share(tables: Array, alpha: float) -> Estimate:
    """The share of equal verdicts, within 0 and 1, and never of no width."""
    units = len(tables)
    at, error = _error(tables, lambda x: np.trace(x, axis1=1, axis2=2) / x.sum(axis=(1, 2)))
    if units < 2:
        return at, math.nan, math.nan
    spread = at * (1 - at)
    sure = error <= UNMOVED or spread <= 0
    looks = effective_clusters(tables.sum(axis=(1, 2))) if sure else spread / error**2
    return at, *wilson_limits(at, looks, t_quantile(units - 1, alpha))


def _kappa(tables: Array) -> Array:
    """Cohen's kappa of each table.

    Examples
    --------
    >>> _kappa(np.array([[[20.0, 5.0], [10.0, 15.0]]])).round(6).tolist()
    [0.4]
    """
    whole = tables.sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / whole**2
        agreed = np.trace(tables, axis1=1, axis2=2) / whole
        return np.asarray((agreed - chance) / (1 - chance))


def alpha_tables(verdicts: Verdicts) -> Tables:
    """Coincidences of verdicts in items with verdicts of two judges or more."""
    counts = verdicts.counts.copy()
    counts[:, MISSING] = 0
    there = counts.any(axis=1)
    item, shares = verdicts.item[there], _shares(counts[there])
    judges = np.bincount(item, minlength=verdicts.items)
    unit = np.zeros(verdicts.items, dtype=np.int64)
    unit[verdicts.item] = verdicts.unit
    several = judges > 1
    used, unit = np.unique(unit[several], return_inverse=True)
    whole = np.stack([np.bincount(item, weights=column, minlength=verdicts.items) for column in shares.T])

    def met(i: int, j: int) -> Array:
        """Ordered pairs of two judges' verdicts within an item, each item's weighted by 1/(m - 1)."""
        same_judge = np.bincount(item, weights=shares[:, i] * shares[:, j], minlength=verdicts.items)
        return np.asarray((whole[i] * whole[j] - same_judge)[several] / (judges[several] - 1))

    return Tables(used, _summed(unit, len(used), met), int(several.sum()))


def alpha_of(coincidences: Tables, alpha: float) -> Estimate:
    """Krippendorff's alpha; nan where no item has two verdicts."""
    if not coincidences.items:
        return math.nan, math.nan, math.nan
    return _jackknife(coincidences.tables, _krippendorff, alpha)


def _krippendorff(tables: Array) -> Array:
    totals = tables.sum(axis=1)
    n = totals.sum(axis=1)
    observed = n - np.trace(tables, axis1=1, axis2=2)
    expected = n**2 - (totals**2).sum(axis=1)
    return np.asarray(1 - (n - 1) * observed / expected)


def _jackknife(tables: Array, value: Callable[[Array], Array], alpha: float) -> Estimate:
    """The value of all units together, and its limits by leaving out each in turn."""
    at, error = _error(tables, value)
    if not error > UNMOVED:
        return at, math.nan, math.nan
    reach = t_quantile(len(tables) - 1, alpha) * error
    return at, max(at - reach, -1.0), min(at + reach, 1.0)


def _error(tables: Array, value: Callable[[Array], Array]) -> tuple[float, float]:
    """The value of all units together and the jackknife's standard error; nan where one cannot be left out."""
    whole = tables.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        at, units = float(value(whole[None])[0]), len(tables)
        if units < 2 or not math.isfinite(at):
            return at, math.nan
        without = value(whole[None] - tables)
    if not np.isfinite(without).all():
        return at, math.nan
    return at, math.sqrt((units - 1) / units * float(((without - without.mean()) ** 2).sum()))
