"""How large is the difference? Effect sizes with intervals, of items and of units that several items form."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, distinct, exact_sum, narrowed
from outscore.core.rows import PairedScores
from outscore.exact import binomial
from outscore.inference.base import question
from outscore.inference.base.differences import ItemScores, scores_if_any, units_of
from outscore.inference.base.discordance import Discordance, discordance, tango_ends, wilson_limits
from outscore.inference.base.influence import contributions
from outscore.inference.base.question import PLAIN, TestRequest
from outscore.inference.classical.wilcoxon import hodges_lehmann, signed_ranks, walsh_interval
from outscore.inference.permutation import permutation
from outscore.laws import clopper_pearson, noncentral_student, normal_quantile
from outscore.results.analysis import Effect, UnitRow

# How large is the difference? Effect sizes of paired item scores, each with a confidence interval.
#
# All are about A - B as it is, whichever end of the metric is better; d below is one item's difference.
#
# ======================  ==================================================================================================
# name                    what it says, and where its limits come from
# ======================  ==================================================================================================
# cohen_dz                mean d in units of the sd of d; noncentral t
# hedges_g                the same without its small-sample bias; noncentral t
# wilcoxon_r              Z/√n of the signed-rank test, at most about .87; limits of rank_biserial, rescaled
# rank_biserial           weight of the ranks that favour A minus weight of those that favour B, -1 to 1; Wilson score interval
#                         with the effective sample size of a U-statistic
# hodges_lehmann          the typical d in the metric's own unit (pseudomedian); Walsh averages, dual to Wilcoxon's test
# superiority             probability that A's score on an item is the higher one, ties counting half; Tango score interval,
#                         stretched to agree with the exact sign test
# accuracy_difference     right-or-wrong items: difference in the share of right ones; Tango, stretched to agree with McNemar
# discordant_odds_ratio   right-or-wrong items: items only A got right for each one only B got right; exact (Clopper-Pearson)
# ======================  ==================================================================================================
#
# The formulas for the limits take items as independent, so with clusters there are values and no limits.


MAX_NONCENTRAL_T = 1_000.0
"""Beyond this the law of S has too many points, and that of Z serves."""
NODES = np.linspace(-9.0, 9.0, 721)
STEPS = 200


def effects(pairs: PairedScores, metric: AdditiveMetric, alpha: float = 0.05) -> list[Effect]:
    """All effect sizes that suit the data, with intervals of level 1 - α.

    A metric that is not a mean of item scores has two: its difference over the sd of the units' contributions, which
    stand for items' differences (`contributions`), with its correction for few units.
    Right-or-wrong items get their own two instead of the rank-based ones, which say nothing more about them.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([0.9, 0.7, 0.8, 0.6]), np.array([0.5, 0.6, 0.6, 0.7]))
    >>> [(e.name, round(e.value, 3)) for e in effects(PairedScores(a, b), metric)][:2]
    [('cohen_dz', 0.721), ('hedges_g', 0.521)]
    """
    scores = scores_if_any(pairs, metric)
    if scores is None:
        return _effects_of_contributions(pairs, metric, alpha)
    table = discordance(pairs.labelled(pairs.items, None), metric)
    sizes = []
    if table is not None:
        difference = table.unit * (table.only_a - table.only_b) / table.n
        sizes = [Effect("accuracy_difference", difference, *_tango(table, alpha)), _discordant_odds_ratio(table, alpha)]
    sizes += standardised(scores, alpha)
    if table is None:
        typical = Effect("hodges_lehmann", hodges_lehmann(scores.d), *walsh_interval(scores.d, alpha))
        sizes += [*_rank_effects(scores, alpha), typical]
    # P(a > b) + ½P(a = b) = ½ + ½(p₊ - p₋): the difference of two paired shares, so Tango's interval serves it too.
    exact = scores.d if scores.whole is None else scores.whole
    signs = Discordance(scores.n, int((exact > 0).sum()), int((exact < 0).sum()), 1.0, 1)
    low, high = _tango(signs, alpha)
    ahead = 0.5 + (signs.only_a - signs.only_b) / (2 * scores.n)
    sizes.append(Effect("superiority", ahead, 0.5 + low / 2, 0.5 + high / 2))
    dependent = scores.clusters is not None and len(distinct(scores.clusters)) < scores.n
    return [replace(effect, low=None, high=None) for effect in sizes] if dependent else sizes


def _effects_of_contributions(pairs: PairedScores, metric: AdditiveMetric, alpha: float) -> list[Effect]:
    differences = contributions(units_of(pairs), metric)
    if differences is None:
        return []
    nothing = np.zeros_like(differences)
    return standardised(ItemScores(differences, nothing, differences, None, 1, None, 1), alpha)


def standardised(scores: ItemScores, alpha: float = 0.05) -> list[Effect]:
    """Cohen's d for paired data, mean d over its own standard deviation (Cohen, 1988, d_z), and Hedges' g.

    d_z·√n is the paired t statistic and follows a noncentral t law when the differences are normal; the
    limits are the noncentralities at which the observed t is a 1 - α/2 and an α/2 quantile (Steiger and
    Fouladi, 1997). n pairs have n - 1 degrees of freedom; two pairs leave g nothing to correct with.
    """
    sd, n = scores.spread, scores.n
    if sd == 0.0:
        return [Effect("cohen_dz", None), Effect("hedges_g", None)]
    value = exact_sum(scores.d) / n / sd
    low, high = (end / math.sqrt(n) for end in noncentrality_limits(value * math.sqrt(n), n - 1, alpha))
    factor = hedges_factor(n - 1)
    g = Effect("hedges_g", factor * value, factor * low, factor * high) if n > 2 else Effect("hedges_g", None)
    return [Effect("cohen_dz", value, low, high), g]


def hedges_factor(df: int) -> float:
    """J(df) = Γ(df/2) / (√(df/2) Γ((df - 1)/2)), which makes d unbiased for normal data (Hedges, 1981); 0 at df = 1.

    Examples
    --------
    >>> round(hedges_factor(8), 5)
    0.9027
    """
    if df <= 1:
        return 0.0
    return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)


def _rank_effects(scores: ItemScores, alpha: float) -> list[Effect]:
    """Wilcoxon r and the rank-biserial correlation: one statistic in two units.

    With s the signed mid-ranks of the non-zero pairs, Z = Σs / √Σs². That is (W⁺ - mean)/sd with the sizes of
    the tie groups in the variance, since Σs² = n(n + 1)(2n + 1)/6 - Σ(t³ - t)/12.
    """
    exact = scores.d if scores.whole is None else scores.whole
    d = exact[exact != 0]
    s = signed_ranks(d).astype(float)
    biserial = rank_biserial(d, s, alpha)
    if biserial.value is None or biserial.low is None or biserial.high is None:
        return [replace(biserial, name="wilcoxon_r"), biserial]
    unit = float(np.abs(s).sum()) / math.sqrt(float(s @ s) * len(s))
    r = Effect("wilcoxon_r", unit * biserial.value, unit * biserial.low, unit * biserial.high)
    return [r, biserial]


def rank_biserial(d: Array, s: Array, alpha: float = 0.05) -> Effect:
    """Matched-pairs rank-biserial correlation (W⁺ - W⁻)/(W⁺ + W⁻) of non-zero differences with signed ranks s (Kerby, 2014).

    W⁺ counts the Walsh averages above 0, so (1 + r)/2 estimates θ = P(d_i + d_j > 0), a U-statistic. Its
    items are worth n' independent looks (`looks_per_item`), and Wilson's score interval for n' looks stays
    inside -1 … 1, also where all differences have one sign.

    Examples
    --------
    >>> d = np.array([3.0, -1.0, 2.0, 4.0])
    >>> rank_biserial(d, signed_ranks(d)).value
    0.8
    """
    n = len(d)
    if n == 0:
        return Effect("rank_biserial", None)
    r = float(s.sum()) / float(np.abs(s).sum())
    low, high = wilson_limits((1 + r) / 2, n * looks_per_item(d, (1 + r) / 2), -normal_quantile(alpha / 2))
    return Effect("rank_biserial", r, 2 * low - 1, 2 * high - 1)


def looks_per_item(d: Array, theta: float) -> float:
    """How many independent looks at θ = P(d_i + d_j > 0) one item is worth: θ(1 - θ)/(n·variance), at least a half.

    With φ(x) = P(x + d > 0), estimated from the sample, ties counting half, the variance of the share of sums
    above 0 is (4(n - 2)·Var φ + 2θ(1 - θ)) / (n(n - 1)), and never above 2θ(1 - θ)/n (Hoeffding, 1948). The
    estimate is drawn towards that bound with the weight of two items: near θ = 0 or 1 a small sample shows
    too little of Var φ.
    """
    n, product = len(d), theta * (1 - theta)
    if n <= 2 or product <= 0:
        return 0.5
    ordered = np.sort(d)
    # In ascending order neighbouring searches end in neighbouring places, which is several times as fast.
    mirrored = -ordered[::-1]
    above = n - np.searchsorted(ordered, mirrored, side="right")
    tied = n - np.searchsorted(ordered, mirrored, side="left") - above
    variance = (4 * (n - 2) * float(np.var((above + tied / 2) / n, ddof=1)) + 2 * product) / (n * (n - 1))
    return 1 / ((1 - 2 / n) * min(2.0, n * variance / product) + 2 / n * 2.0)


def _tango(table: Discordance, alpha: float) -> tuple[float, float]:
    """Tango's limits, holding 0 exactly when the exact binomial test of the discordant items does not reject it."""
    moved, gap = table.only_a + table.only_b, table.only_a - table.only_b
    tail = binomial.tail(moved, max(table.only_a, table.only_b))
    p = question.exact_p(tail, (gap > 0) - (gap < 0), moved, "binomial", PLAIN) if moved else question.identical_p()
    return tango_ends(table, TestRequest(alpha=alpha), p)


def _discordant_odds_ratio(table: Discordance, alpha: float) -> Effect:
    """Items only A got right over items only B got right; limits from those of the share A has of all such items."""
    a, b = table.only_a, table.only_b
    if a + b == 0:
        return Effect("discordant_odds_ratio", None)
    low, high = clopper_pearson(a, a + b, 1 - alpha)
    return Effect("discordant_odds_ratio", a / b if b else None, low / (1 - low), high / (1 - high) if b else None)


def noncentral_t_cdf(df: float, noncentrality: float, t: float) -> float:
    """P(T ≤ t) for T = (Z + λ)/S, Z standard normal and df·S² independently χ² with df degrees of freedom.

    Far out the sum P(S ≥ (z + λ)/t) over the normal density of z serves: there S decides and Z hardly
    matters.
    """
    if abs(t) <= MAX_NONCENTRAL_T:
        return noncentral_student(df, noncentrality, t)
    if t < 0:
        return 1.0 - noncentral_t_cdf(df, -noncentrality, -t)
    import scipy.special

    weights = np.exp(-(NODES**2) / 2)
    ratio = np.maximum(NODES + noncentrality, 0.0) / t
    return float(weights @ scipy.special.gammaincc(df / 2, df / 2 * ratio**2) / weights.sum())


def noncentrality_limits(t: float, df: int, alpha: float) -> tuple[float, float]:
    """All noncentralities λ that the observed t does not reject at level α, α/2 on either side.

    Examples
    --------
    >>> low, high = noncentrality_limits(3.0354, 8, 0.05)
    >>> round(low / 3, 3), round(high / 3, 3)
    (0.177, 1.807)
    """
    return _noncentrality_at(t, df, 1 - alpha / 2), _noncentrality_at(t, df, alpha / 2)


def _noncentrality_at(t: float, df: int, probability: float) -> float:
    """λ with P(T ≤ t) = probability, a decreasing function of λ: brackets that grow, chords, then halving down to rounding."""
    step = math.sqrt(1 + t * t / (2 * df))
    low, high = t - step, t + step
    while noncentral_t_cdf(df, low, t) < probability:
        low, high, step = low - 2 * step, low, 2 * step
    while noncentral_t_cdf(df, high, t) > probability:
        low, high, step = high, high + 2 * step, 2 * step
    low, high = narrowed(lambda middle: -noncentral_t_cdf(df, middle, t), -probability, low, high)
    for _ in range(STEPS):
        middle = (low + high) / 2
        if not low < middle < high or high - low <= 1e-14 * max(abs(low), abs(high)):
            break
        low, high = (middle, high) if noncentral_t_cdf(df, middle, t) > probability else (low, middle)
    return (low + high) / 2


# Evaluation units: several items that are scored as one.
#
# An evaluation unit is a set of items on which the metric can be meaningfully computed (Zhu et al., 2020, definition 1):
# fifteen sentences for a corpus score, say. Its size changes the sample size, the spread and every effect size measured in
# units of it, so the size is the user's choice and `unit_advisor` shows what it does. Units here are equal: what is left
# over when the size does not divide the number of items is left out and reported, because a short unit would spread more
# than the others.


UnitRule = tuple[int, Literal["mean", "median"], int | None]
"""How evaluation units are made of items: their size, what represents one, and the seed of a shuffle."""
SINGLE: UnitRule = (1, "mean", None)
"""Every item by itself."""
SIZES = (1, 2, 5, 10, 15, 20, 30, 50, 100)
STATISTICS = ("mean", "median")
MIN_UNITS = 2


def evaluation_units(
    pairs: PairedScores,
    metric: AdditiveMetric,
    size: int,
    statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
) -> tuple[PairedScores, int]:
    """Every `size` adjacent items as one row of the metric's own columns, and how many items were left over.

    ``"mean"`` adds the columns up, so that any additive metric means on a unit what it means on the whole
    test set. ``"median"`` takes the item in the middle of each system's scores (half of both where two are in
    the middle), for means of item scores.

    Parameters
    ----------
    pairs, metric
        Rows in the metric's own columns. Repeats of an item are averaged first.
    size
        Items per unit; with 1 the rows are returned as they are.
    statistic
        What represents a unit.
    shuffle
        A seed: items are put into random order first, the same for both systems. None keeps the order of the
        file.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([1, 0, 1, 1, 0]), np.array([0, 0, 1, 0, 1]))
    >>> units, remainder = evaluation_units(PairedScores(a, b), metric, 2)
    >>> units.a.tolist(), remainder
    ([[1, 2], [2, 2]], 1)
    """
    _check(pairs, size, statistic)
    if size == 1:
        return pairs, 0
    items = units_of(pairs)
    remainder = items.rows % size
    if size > items.rows:
        raise OutscoreError(
            f"`unit_size` is {size}, but there are only {items.rows} items.",
            f"Give at most {items.rows}.",
            parameter="unit_size",
        )
    chosen = members(items.rows, size, shuffle)
    if statistic == "mean":
        a, b = items.a[chosen].sum(axis=1), items.b[chosen].sum(axis=1)
    else:
        scores = scores_if_any(pairs, metric)
        if scores is None:
            raise OutscoreError(
                f"The median of a unit needs one score per item, but {metric.name} is not a mean of such scores here.",
                "Use unit_statistic='mean'.",
            )
        a, b = _middle(items.a, scores.a, chosen), _middle(items.b, scores.b, chosen)
    # Plain rows again: dividing once keeps numbers that were written as decimals recognisable.
    if items.scale != 1:
        a, b = a / items.scale, b / items.scale
    return PairedScores(a, b, averaged=statistic == "mean"), remainder


def members(items: int, size: int, shuffle: int | None = None) -> Array:
    """The places of the items of each unit, (units, size); what is left over belongs to none.

    Examples
    --------
    >>> members(5, 2).tolist()
    [[0, 1], [2, 3]]
    """
    count = items // size
    order = np.arange(items)
    if shuffle is not None:
        order = np.random.Generator(np.random.Philox(key=shuffle)).permutation(items)
    return order[: count * size].reshape(count, size)


def _check(pairs: PairedScores, size: int, statistic: str) -> None:
    if int(size) != size or size < 1:
        raise OutscoreError(f"`unit_size` is {size!r}.", "Give a whole number from 1 up.", parameter="unit_size")
    if statistic not in STATISTICS:
        raise OutscoreError(
            f"`unit_statistic` is {statistic!r}.", f"Choose one of: {', '.join(STATISTICS)}.", parameter="unit_statistic"
        )
    if size > 1 and pairs.clusters is not None:
        raise ClustersError(
            f"`unit_size` is {size}, but items are in clusters.",
            "Give one of the two: a cluster is already a unit of several items.",
            parameter="unit_size",
        )


def _middle(rows: Array, scores: Array, chosen: Array) -> Array:
    """The row of the item whose score is in the middle of its unit; of two middle ones, half of each."""
    size = chosen.shape[1]
    ranked = np.take_along_axis(chosen, np.argsort(scores[chosen], axis=1, kind="stable"), axis=1)
    upper = rows[ranked[:, size // 2]]
    return np.asarray(upper if size % 2 else (rows[ranked[:, size // 2 - 1]] + upper) / 2)


def unit_advisor(
    pairs: PairedScores,
    metric: AdditiveMetric,
    sizes: Sequence[int] = SIZES,
    statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    asked: TestRequest = PLAIN,
) -> list[UnitRow]:
    """How spread, effect size and the permutation p-value move with the size of the units; `asked` is the question of p.

    Sizes that leave fewer than two units are left out. d_z grows with the size though the systems stay the
    same: the mean of several items spreads less. Compare effect sizes of equal units only.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.arange(12) % 5, np.arange(12) % 3)
    >>> [(row.size, row.units, row.remainder) for row in unit_advisor(PairedScores(a, b), metric)]
    [(1, 12, 0), (2, 6, 0), (5, 2, 2)]
    """
    _check(pairs, max(sizes, default=1), statistic)
    items, found = pairs.per_item().rows, []
    for size in [size for size in sizes if size == 1 or items // size >= MIN_UNITS]:
        units, remainder = evaluation_units(pairs, metric, size, statistic, shuffle)
        rows = units_of(units)
        scores = scores_if_any(units, metric)
        if scores is None:
            # A unit's score of any metric, which is what an evaluation unit is defined for.
            a, b = (metric.score(table / rows.scale) for table in (rows.a, rows.b))
            scores = ItemScores(a, b, a - b, None, 1, None, 1 if metric.higher_is_better else -1)
        sd = scores.spread
        d_z = exact_sum(scores.d) / scores.n / sd if sd else None
        p = permutation(units, metric, asked).value
        found.append(UnitRow(size, rows.rows, remainder, sd if scores.n > 1 else None, d_z, p))
    return found
