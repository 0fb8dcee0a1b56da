"""A look at the data before any test: what the scores are like, whether they are normal, and which tests suit."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import MIN_FLOAT, Array, exact_sum, quantiles
from outscore.core.options import check_level
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import SKEWED, ItemScores, is_sum, scores_if_any, skewness
from outscore.inference.base.discordance import discordance
from outscore.inference.base.entry import SYMMETRIC, Claim, Estimand
from outscore.inference.registry import TESTS
from outscore.laws import normal, normal_quantile
from outscore.results.analysis import Advice, Analysis, Normality, Summary, TestAdvice, lag1_bound

# Is a sample normal? Shapiro and Wilk's test for up to 5,000 numbers, D'Agostino and Pearson's beyond.
#
# Both are written out here because the package that has them takes a second to import, and every comparison asks for one.


MAX_SHAPIRO = 5_000
"""Royston's approximation was fitted up to this size."""
MIN_ITEMS = 3

# Royston (1995), remark AS R94: corrections of the two outermost weights, polynomials in 1/√n, constant term
# first …
OUTERMOST = (0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056)
NEXT = (0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
# … and location and log scale of the transformed 1 - W, in n up to 11 and in log n beyond.
SMALL_LOCATION = (0.5440, -0.39978, 0.025054, -6.714e-4)
SMALL_SCALE = (1.3822, -0.77857, 0.062767, -0.0020322)
SMALL_BOUND = (-2.273, 0.459)
LARGE_LOCATION = (-1.5861, -0.31082, -0.083751, 0.0038915)
LARGE_SCALE = (-0.4803, -0.082676, 0.0030302)


def normality_test(x: Array) -> Normality | None:
    """The test that suits the size; None for fewer than three numbers or numbers that are all the same.

    Examples
    --------
    >>> normality_test(np.arange(20.0)).test, round(normality_test(np.arange(20.0) ** 4).p, 6)
    ('Shapiro-Wilk', 0.000219)
    """
    if len(x) < MIN_ITEMS or float(np.ptp(x)) == 0.0:
        return None
    if len(x) <= MAX_SHAPIRO:
        return Normality("Shapiro-Wilk", max(shapiro_wilk(x)[1], MIN_FLOAT))
    return Normality("D'Agostino-Pearson", max(dagostino_pearson(x)[1], MIN_FLOAT))


def shapiro_wilk(x: Array) -> tuple[float, float]:
    """W and p of Shapiro and Wilk (1965), by Royston's approximation for 3 to 5,000 numbers that are not all the same.

    H0: the numbers are a sample from a normal distribution. W compares the spread that the ordered numbers
    would have if they were normal with the spread they have.

    Examples
    --------
    >>> w, p = shapiro_wilk(np.array([2.1, 3.4, 1.9, 5.6, 4.4, 3.8, 2.9]))
    >>> round(w, 4), round(p, 4)
    (0.9623, 0.8382)
    """
    y = np.sort(x)
    # Standardised by its range first: squares of tiny or huge scores neither vanish nor overflow.
    y = (y - y[len(y) // 2]) / (y[-1] - y[0])
    weights = _weights(len(y))
    deviations = y - y.mean()
    w = min(float(weights @ y) ** 2 / float(deviations @ deviations), 1.0)
    return w, _shapiro_p(w, len(y))


def _weights(n: int) -> Array:
    """Weights of the ordered numbers: normal scores, the outer ones corrected, of length one."""
    if n == MIN_ITEMS:
        return np.array([-math.sqrt(0.5), 0.0, math.sqrt(0.5)])
    scores = np.array([normal_quantile((i - 0.375) / (n + 0.25)) for i in range(1, n + 1)])
    norm, root = float(scores @ scores), 1 / math.sqrt(n)
    last = _polynomial(OUTERMOST, root) + scores[-1] / math.sqrt(norm)
    corrected = [last] if n <= 5 else [last, _polynomial(NEXT, root) + scores[-2] / math.sqrt(norm)]
    rest = norm - 2 * sum(float(scores[-1 - i]) ** 2 for i in range(len(corrected)))
    weights = np.asarray(scores / math.sqrt(rest / (1 - 2 * sum(c * c for c in corrected))))
    for i, value in enumerate(corrected):
        weights[-1 - i], weights[i] = value, -value
    return weights


def _shapiro_p(w: float, n: int) -> float:
    if n == MIN_ITEMS:
        # The one size with a known law; W is at least 3/4.
        return max(0.0, 6 / math.pi * (math.asin(math.sqrt(w)) - math.asin(math.sqrt(0.75))))
    if w == 1.0:
        return 1.0
    y = math.log1p(-w)
    if n <= 11:
        bound = _polynomial(SMALL_BOUND, n)
        if y >= bound:
            return 0.0
        y, location, scale = -math.log(bound - y), _polynomial(SMALL_LOCATION, n), _polynomial(SMALL_SCALE, n)
    else:
        location, scale = _polynomial(LARGE_LOCATION, math.log(n)), _polynomial(LARGE_SCALE, math.log(n))
    return normal((location - y) / math.exp(scale))


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    return sum(c * x**i for i, c in enumerate(coefficients))


def dagostino_pearson(x: Array) -> tuple[float, float]:
    """K² and p of D'Agostino and Pearson (1973), for at least twenty numbers that are not all the same.

    H0: the numbers are a sample from a normal distribution. Skewness and kurtosis are each turned into a
    standard normal number (D'Agostino, 1970; Anscombe and Glynn, 1983); the sum of their squares is χ² with
    two degrees of freedom.
    """
    n = float(len(x))
    deviations = (x - x.mean()) / np.ptp(x)
    squares = deviations * deviations
    m2, m3, m4 = (float(np.mean(power)) for power in (squares, squares * deviations, squares * squares))
    # D'Agostino (1970): Johnson's S_U curve fitted to the null law of the skewness.
    y = m3 / m2**1.5 * math.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    kurtosis = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    w2 = math.sqrt(2 * (kurtosis - 1)) - 1
    z_skewness = math.asinh(y / math.sqrt(2 / (w2 - 1))) / math.sqrt(math.log(w2) / 2)
    # Anscombe and Glynn (1983): a Wilson-Hilferty cube root fitted to the null law of the kurtosis.
    mean = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    skew = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * math.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    df = 6 + 8 / skew * (2 / skew + math.sqrt(1 + 4 / skew**2))
    base = 1 + (m4 / m2**2 - mean) / math.sqrt(variance) * math.sqrt(2 / (df - 4))
    root = math.copysign(abs((1 - 2 / df) / base) ** (1 / 3), base)
    total = z_skewness**2 + ((1 - 2 / (9 * df) - root) / math.sqrt(2 / (9 * df))) ** 2
    return total, math.exp(-total / 2)


# A look at the data before any test: what the scores are like, whether items depend on one another, and which tests suit.
#
# It advises; it never switches the test. Skewness is judged by Bulmer's (1979) bands, normality by `normality`, dependence
# by the autocorrelation of neighbouring items in file order: independent items leave it within ±2/√n nineteen times out of
# twenty, so beyond that there is a warning.
#
# Which tests suit the claim is said in three groups, with one sentence for each test. What decides is the estimand, the
# quantity a claim is about, and not a test of normality: choosing a test by the outcome of another one changes its error
# rate; `permutation` stays the default. What a test is good for is in its entry (`TestEntry.suits`); in short:
#
# =====================  =====================  ==========================================  ===================================
# estimand               recommended            usable                                      unsuited
# =====================  =====================  ==========================================  ===================================
# mean of scores         permutation            student, the bootstraps of the mean, bayes  mcnemar
#                                               (of another estimand: wilcoxon, sign, …)
# accuracy, binary       permutation            mcnemar, bootstraps, bayes,                 wilcoxon, tests of the median
#                                               student from 50 items on
# any other metric       permutation            bootstrap, block-bootstrap                  all that need one score per item
# =====================  =====================  ==========================================  ===================================
#
# Beside it is the table of NLPStatTest (Zhu et al., 2020), which uses skewness and normality alone.


PRETEST = "Choosing a test by this outcome would change its error rate."
NO_CLUSTERS = "It treats items as independent and does not support clusters."


def analyse(
    pairs: PairedScores,
    metric: AdditiveMetric,
    *,
    median_test: bool = False,
    normality_alpha: float = 0.05,
    unshuffled: PairedScores | None = None,
) -> Analysis:
    """Describe both systems and their differences, and group the tests by what they say about the claim.

    Parameters
    ----------
    pairs, metric
        Rows in the metric's own columns. A metric that is not a mean of item scores gets the advice alone.
    median_test
        Whether the test at hand is about the median.
    normality_alpha
        Level at which normality counts as rejected; it need not be that of the comparison.
    unshuffled
        The items in file order, where `pairs` are units of shuffled ones.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([0.9, 0.7, 0.8, 0.6, 0.5]), np.array([0.5, 0.6, 0.6, 0.7, 0.4]))
    >>> analysis = analyse(PairedScores(a, b), metric)
    >>> round(analysis.systems["difference"].mean, 3), round(analysis.skewness, 3), analysis.statistic
    (0.14, 0.179, 'mean')
    """
    check_level("normality_alpha", normality_alpha)
    scores = scores_if_any(pairs, metric)
    clusters = pairs.clusters is not None
    units = pairs.per_item().rows if pairs.clusters is None else int(pairs.clusters.max()) + 1
    if scores is None:
        return _advice_only(metric, advise(Claim("metric", units, None, clusters)))
    gamma = skewness(scores.d) if scores.spread else None
    normality = normality_test(scores.d) if scores.spread else None
    binary = discordance(pairs.labelled(pairs.items, None), metric) is not None
    about: Estimand = "accuracy" if binary else "mean"
    if is_sum(metric) and not binary:
        about = "metric"
    statistic, reason = _statistic(gamma, binary=binary)
    ordered = scores if unshuffled is None else (scores_if_any(unshuffled, metric) or scores)
    lag1 = autocorrelation(_in_order(ordered)) if ordered.spread else None
    neighbours = "units" if pairs.averaged and unshuffled is None else "items"
    normal = None if normality is None else normality.p >= normality_alpha
    zero_share = float(np.mean(scores.d == 0))
    zeros = [] if binary else _zeros(zero_share)
    return Analysis(
        systems={"a": summarise(scores.a), "b": summarise(scores.b), "difference": summarise(scores.d)},
        skewness=gamma,
        skewness_band=None if gamma is None else skewness_band(gamma),
        normality=normality,
        normality_reason=_normality_reason(normality, normality_alpha, scores.n),
        statistic=statistic,
        statistic_reason=" ".join([reason, *(zeros if statistic == "median" else [])]),
        zero_share=zero_share,
        correlation=_correlation(scores.a, scores.b),
        # How many times larger the standard error would be without pairing.
        pairing_gain=math.hypot(_sd(scores.a), _sd(scores.b)) / scores.spread if scores.spread else None,
        lag1=lag1,
        lag1_n=None if lag1 is None else len(_in_order(ordered)),
        warnings=[
            *_dependence(lag1, ordered, neighbours, shuffled=unshuffled is not None),
            *(zeros if median_test else []),
        ],
        tests=advise(Claim(about, units, gamma, clusters)),
        nlpstattest=nlpstattest_advice(gamma, normal=normal),
    )


def _advice_only(metric: AdditiveMetric, tests: TestAdvice) -> Analysis:
    reason = f"{metric.name} is computed from all items at once, so no item has a score of its own to describe."
    parts = "skewness skewness_band normality statistic zero_share correlation pairing_gain lag1"
    told: dict[str, Any] = dict.fromkeys(parts.split()) | {"normality_reason": reason, "statistic_reason": reason}
    return Analysis(systems={}, warnings=[], tests=tests, nlpstattest=TestAdvice(), **told)


def summarise(x: Array) -> Summary:
    """Mean, median, sd (n - 1), extremes and quartiles (linear interpolation)."""
    q1, median, q3 = quantiles(x, (0.25, 0.5, 0.75))
    mean = exact_sum(x) / len(x)
    return Summary(len(x), mean, median, _sd(x) if len(x) > 1 else None, float(x.min()), float(x.max()), q1, q3)


def _sd(x: Array) -> float:
    """Divided by the span first: squares of tiny or huge scores neither vanish nor overflow."""
    span = float(np.ptp(x))
    return span * float(np.std((x - x[0]) / span, ddof=1)) if span else 0.0


def skewness_band(gamma: float) -> str:
    """Bulmer's rule of thumb in words."""
    if abs(gamma) < SYMMETRIC:
        return "roughly symmetric"
    return "slightly skewed" if abs(gamma) < SKEWED else "highly skewed"


def autocorrelation(x: Array) -> float | None:
    """Lag-1 autocorrelation Σ(x_i - x̄)(x_{i+1} - x̄) / Σ(x_i - x̄)²; None for numbers that are all the same.

    Examples
    --------
    >>> autocorrelation(np.array([1.0, 2.0, 3.0, 4.0]))
    0.25
    """
    span = float(np.ptp(x))
    if span == 0.0:
        return None
    deviations = (x - x[0]) / span
    deviations -= deviations.mean()
    return float(deviations[:-1] @ deviations[1:]) / float(deviations @ deviations)


def _in_order(scores: ItemScores) -> Array:
    """The differences in file order; clusters' mean differences where there are clusters, in order of first appearance."""
    if scores.clusters is None:
        return scores.d
    return np.asarray(np.bincount(scores.clusters, weights=scores.d) / np.bincount(scores.clusters))


def _correlation(a: Array, b: Array) -> float | None:
    if len(a) < 2 or not np.ptp(a) or not np.ptp(b):
        return None
    x, y = ((v - v[0]) / np.ptp(v) for v in (a, b))
    x, y = x - x.mean(), y - y.mean()
    return min(1.0, max(-1.0, float(x @ y) / math.sqrt(float(x @ x) * float(y @ y))))


def _statistic(gamma: float | None, *, binary: bool) -> tuple[Literal["mean", "median"], str]:
    if binary:
        return "mean", "Items are right or wrong: the mean is the accuracy, and a median would be 0 or 1."
    if gamma is None:
        return "mean", "All items have the same difference."
    band = skewness_band(gamma)
    if abs(gamma) < SYMMETRIC:
        return "mean", f"The differences are {band} (γ = {gamma:.4f})."
    return "median", (
        f"The differences are {band} (γ = {gamma:.4f}), and the median describes a typical item better; "
        "a claim about the average score remains a claim about the mean."
    )


def _normality_reason(normality: Normality | None, alpha: float, n: int) -> str:
    if normality is None:
        if n > 2:
            return "Not tested: all items have the same difference."
        return f"Not tested: {n} item{'s are' if n > 1 else ' is'} too few."
    outcome = "are not normal" if normality.p < alpha else "may be normal"
    return f"The differences {outcome} ({normality.test}, level {alpha:g}). {PRETEST}"


def _dependence(lag1: float | None, scores: ItemScores, neighbours: str, *, shuffled: bool) -> list[str]:
    """A warning where neighbours are more alike than chance allows; neighbours that differ more than others do no harm."""
    clusters = scores.clusters
    n = scores.n if clusters is None else int(clusters.max()) + 1
    bound = lag1_bound(n)
    if lag1 is None or lag1 <= bound:
        return []
    seen = f"correlated (lag-1 r = {lag1:.2f}, beyond 3/√n = {bound:.2f})"
    if clusters is not None:
        return [f"Neighbouring clusters are {seen}: they may not be independent; larger clusters would keep them together."]
    if shuffled:
        lost = "units of shuffled items look independent, and their p does not count the dependence"
        cure = "Leave out --shuffle, or give `clusters`."
        return [f"Neighbouring items are {seen} in the order of the file, which the shuffle discards: {lost}. {cure}"]
    if neighbours == "units":
        return [f"Neighbouring units are {seen}: they may not be independent; larger units would keep them together."]
    cure = "Give `clusters` if items belong together (documents, sessions); use `block-bootstrap` if only their order is known."
    return [f"Neighbouring items are {seen}: they may not be independent. {cure}"]


def _zeros(zero_share: float) -> list[str]:
    """A warning for claims about the median; a mean does not mind many zeros."""
    if not 0.5 < zero_share < 1:
        return []
    return [f"{100 * zero_share:.0f}% of the differences are 0, so the median difference is 0 whatever the others are."]


def advise(claim: Claim) -> TestAdvice:
    """All tests in three groups for a claim.

    Examples
    --------
    >>> [advice.test for advice in advise(Claim("accuracy", 200, skewness=0.1)).usable][:2]
    ['mcnemar', 'bootstrap']
    """
    advice = TestAdvice()
    suited = sorted(((entry, *entry.suitability(claim)) for entry in TESTS.values()), key=lambda suit: suit[-1])
    for entry, group, why, _ in suited:
        if claim.clusters and not entry.clusters:
            advice.unsuited.append(Advice(entry.name, NO_CLUSTERS))
        else:
            getattr(advice, group).append(Advice(entry.name, why))
    return advice


PUBLISHED = ("student", "wilcoxon", "sign", "bootstrap-t", "bootstrap-median", "permutation", "permutation-median")
"""The tests NLPStatTest has, by the names they have here: its bootstrap of the mean is of t ratios."""


def nlpstattest_advice(skewness: float | None, *, normal: bool | None) -> TestAdvice:
    """The groups of NLPStatTest's own table; empty where skewness or normality is undefined.

    It switches to the median for skewed data and chooses by a test of normality; both change the claim or the error
    rate, so it is shown beside the recommendation and does not replace it.

    Examples
    --------
    >>> [advice.test for advice in nlpstattest_advice(-0.26, normal=False).recommended]
    ['wilcoxon']
    """
    if skewness is None or normal is None:
        return TestAdvice()
    if abs(skewness) >= SYMMETRIC:
        best, bad = "sign", ["student", "wilcoxon", "bootstrap-t", "permutation"]
        whys = ("skewed differences: test the median", "skewed differences: it tests the median", "skewed differences")
    elif normal:
        best, bad = "student", []
        whys = ("roughly symmetric and normal differences", "its assumptions hold, with less power", "")
    else:
        best, bad = "wilcoxon", ["student"]
        whys = ("roughly symmetric, not normal", "it does not assume normality", "it assumes normality, which was rejected")
    advice = TestAdvice()
    groups = {best: (advice.recommended, whys[0])} | dict.fromkeys(PUBLISHED, (advice.usable, whys[1]))
    groups |= dict.fromkeys(bad, (advice.unsuited, whys[2])) | {best: (advice.recommended, whys[0])}
    for test, (group, why) in groups.items():
        group.append(Advice(test, f"By skewness and normality alone: {why}."))
    return advice
