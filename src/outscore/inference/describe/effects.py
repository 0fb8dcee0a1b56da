"""How large is the difference? Effect sizes of paired item scores, each with a confidence interval.

All are about A - B as it is, whichever end of the metric is better; d below is one item's difference.

======================  ==================================================================================================
name                    what it says, and where its limits come from
======================  ==================================================================================================
cohen_dz                mean d in units of the sd of d; noncentral t
hedges_g                the same without its small-sample bias; noncentral t
wilcoxon_r              Z/√n of the signed-rank test, at most about .87; limits of rank_biserial, rescaled
rank_biserial           weight of the ranks that favour A minus weight of those that favour B, -1 to 1; Wilson score interval
                        with the effective sample size of a U-statistic
hodges_lehmann          the typical d in the metric's own unit (pseudomedian); Walsh averages, dual to Wilcoxon's test
superiority             probability that A's score on an item is the higher one, ties counting half; Tango score interval,
                        stretched to agree with the exact sign test
accuracy_difference     right-or-wrong items: difference in the share of right ones; Tango, stretched to agree with McNemar
discordant_odds_ratio   right-or-wrong items: items only A got right for each one only B got right; exact (Clopper-Pearson)
======================  ==================================================================================================

The formulas for the limits take items as independent, so with clusters there are values and no limits.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, distinct, exact_sum, narrowed
from outscore.core.rows import PairedScores
from outscore.exact import binomial
from outscore.inference.base import p_values
from outscore.inference.base.discordance import Discordance, discordance, tango_interval, wilson_limits
from outscore.inference.base.influence import contributions
from outscore.inference.base.item_scores import ItemScores, scores_if_any
from outscore.inference.base.question import TestRequest
from outscore.inference.base.sign_flips import units_of
from outscore.inference.base.walsh import hodges_lehmann, signed_ranks, walsh_interval
from outscore.laws import clopper_pearson, noncentral_student, normal_quantile
from outscore.results.analysis import Effect

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
    sizes = [_accuracy_difference(table, alpha), _discordant_odds_ratio(table, alpha)] if table is not None else []
    d_z = cohen_dz(scores, alpha)
    sizes += [d_z, _hedges_g(d_z, scores.n)]
    if table is None:
        sizes += [*_rank_effects(scores, alpha), _hodges_lehmann(scores, alpha)]
    sizes.append(_superiority(scores, alpha))
    dependent = scores.clusters is not None and len(distinct(scores.clusters)) < scores.n
    return [replace(effect, low=None, high=None) for effect in sizes] if dependent else sizes


def _effects_of_contributions(pairs: PairedScores, metric: AdditiveMetric, alpha: float) -> list[Effect]:
    differences = contributions(units_of(pairs), metric)
    if differences is None:
        return []
    nothing = np.zeros_like(differences)
    d_z = cohen_dz(ItemScores(differences, nothing, differences, None, 1, None, 1 if metric.higher_is_better else -1), alpha)
    return [d_z, _hedges_g(d_z, len(differences))]


def spread(scores: ItemScores) -> float:
    """Standard deviation of d (n - 1); 0 where the differences differ by nothing but the rounding of real numbers."""
    if scores.n < 2:
        return 0.0
    size = float(np.maximum(np.abs(scores.a), np.abs(scores.b)).max())
    span = float(np.ptp(scores.d))
    if span == 0.0 or (scores.whole is None and span <= 4 * np.spacing(size)):
        return 0.0
    # Divided by the span first: squares of tiny or huge differences neither vanish nor overflow.
    return span * float(np.std(scores.d / span, ddof=1))


def cohen_dz(scores: ItemScores, alpha: float = 0.05) -> Effect:
    """Cohen's d for paired data: mean d over its own standard deviation (Cohen, 1988, d_z).

    d_z·√n is the paired t statistic and follows a noncentral t law when the differences are normal; the
    limits are the noncentralities at which the observed t is a 1 - α/2 and an α/2 quantile (Steiger and
    Fouladi, 1997).
    """
    sd = spread(scores)
    if sd == 0.0:
        return Effect("cohen_dz", None)
    value = exact_sum(scores.d) / scores.n / sd
    low, high = noncentrality_limits(value * math.sqrt(scores.n), scores.n - 1, alpha)
    return Effect("cohen_dz", value, low / math.sqrt(scores.n), high / math.sqrt(scores.n))


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


def _hedges_g(d_z: Effect, n: int) -> Effect:
    """Hedges' g: n pairs have n - 1 degrees of freedom. Two pairs leave nothing to correct with."""
    if d_z.value is None or d_z.low is None or d_z.high is None or n <= 2:
        return Effect("hedges_g", None)
    factor = hedges_factor(n - 1)
    return Effect("hedges_g", factor * d_z.value, factor * d_z.low, factor * d_z.high)


def _rank_effects(scores: ItemScores, alpha: float) -> list[Effect]:
    """Wilcoxon r and the rank-biserial correlation: one statistic in two units.

    With s the signed mid-ranks of the non-zero pairs, Z = Σs / √Σs². That is (W⁺ - mean)/sd with the sizes of
    the tie groups in the variance, since Σs² = n(n + 1)(2n + 1)/6 - Σ(t³ - t)/12.
    """
    exact = scores.d if scores.whole is None else scores.whole
    d = exact[exact != 0]
    s = signed_ranks(d).astype(float)
    biserial = _biserial(d, s, alpha)
    if biserial.value is None or biserial.low is None or biserial.high is None:
        return [replace(biserial, name="wilcoxon_r"), biserial]
    unit = float(np.abs(s).sum()) / math.sqrt(float(s @ s) * len(s))
    r = Effect("wilcoxon_r", unit * biserial.value, unit * biserial.low, unit * biserial.high)
    return [r, biserial]


def rank_biserial(d: Array, alpha: float = 0.05) -> Effect:
    """Matched-pairs rank-biserial correlation (W⁺ - W⁻)/(W⁺ + W⁻) of non-zero differences (Kerby, 2014).

    W⁺ counts the Walsh averages above 0, so (1 + r)/2 estimates θ = P(d_i + d_j > 0), a U-statistic. Its
    items are worth n' independent looks (`looks_per_item`), and Wilson's score interval for n' looks stays
    inside -1 … 1, also where all differences have one sign.

    Examples
    --------
    >>> rank_biserial(np.array([3.0, -1.0, 2.0, 4.0])).value
    0.8
    """
    return _biserial(d, signed_ranks(d), alpha)


def _biserial(d: Array, s: Array, alpha: float) -> Effect:
    """The same from differences and their signed ranks."""
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


def _hodges_lehmann(scores: ItemScores, alpha: float) -> Effect:
    low, high = walsh_interval(scores.d, alpha)
    return Effect("hodges_lehmann", hodges_lehmann(scores.d), low, high)


def _superiority(scores: ItemScores, alpha: float) -> Effect:
    """P(a > b) + ½P(a = b) = ½ + ½(p₊ - p₋): the difference of two paired shares, so Tango's interval serves it too."""
    exact = scores.d if scores.whole is None else scores.whole
    table = Discordance(scores.n, int((exact > 0).sum()), int((exact < 0).sum()), 1.0, 1)
    low, high = _tango(table, alpha)
    return Effect("superiority", 0.5 + (table.only_a - table.only_b) / (2 * scores.n), 0.5 + low / 2, 0.5 + high / 2)


def _accuracy_difference(table: Discordance, alpha: float) -> Effect:
    low, high = _tango(table, alpha)
    return Effect("accuracy_difference", table.unit * (table.only_a - table.only_b) / table.n, low, high)


def _tango(table: Discordance, alpha: float) -> tuple[float, float]:
    """Tango's limits, holding 0 exactly when the exact binomial test of the discordant items does not reject it."""
    moved, gap = table.only_a + table.only_b, table.only_a - table.only_b
    tail = binomial.tail(moved, max(table.only_a, table.only_b))
    p = p_values.exact_p(tail, (gap > 0) - (gap < 0), moved, "binomial", TestRequest()) if moved else p_values.identical_p()
    interval = tango_interval(table, alpha, p)
    assert interval.low is not None
    assert interval.high is not None
    return interval.low, interval.high


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
