"""Many comparisons at once: adjusted p-values, max-T for one pair by many metrics, and on how many datasets one leads."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LN10, MIN_FLOAT, TIE_TOLERANCE, Array
from outscore.core.options import check_level, did_you_mean
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import Flips, flips_of, units_of
from outscore.inference.base.question import TestRequest
from outscore.inference.permutation_tails import whole_flips
from outscore.resampling import flip_bits
from outscore.results.design import Family, Replicated
from outscore.results.pvalue import PValue

# Many comparisons at once: p-values adjusted so that all of them can be read against one α.
#
# Four ways to count errors among m comparisons, V of R rejections being false:
#
# ====  =========================  =================================================================
# PCER  E(V)/m                     per comparison: no correction at all
# PFER  E(V)                       the expected number of false claims
# FWER  P(V ≥ 1)                   the chance of even one false claim: every single claim is safe
# FDR   E(V / max(R, 1))           the expected share of false claims among the claims made
# ====  =========================  =================================================================
#
# Shaffer's correction knows what the others do not: the hypotheses are all pairs of k systems, and equality is transitive.
# If A = B and B = C then A = C, so exactly two of three equalities are never true. Max-T needs more than p-values: see
# `max_t`.
#
# An adjusted p is the smallest α at which its comparison is still claimed, so "adjusted p ≤ α" is the decision. It is never
# below the raw p and never above 1.
#
# Plain floats are enough: a p-value too small for one is held as 5e-324, and multiplying it by m keeps the decision at any
# α one could ask for. Give upper bounds where p-values are certified, and the error rate holds for them too.


@dataclass(frozen=True)
class Correction:
    """One correction: what it controls, when it holds, and the function from ascending p-values to adjusted ones.

    `all_pairs` marks a correction that holds for all pairs of some systems only. Without `function` p-values
    are not enough: the correction works on resampled differences. `phrase` is what a sentence calls it,
    `formula` the adjusted p in the small part of TeX that the page of methods knows, and `citations` are keys
    of works in ``report/works.bib``.
    """

    name: str
    phrase: str
    summary: str
    error_rate: Literal["FWER", "FDR", "PCER"]
    formula: str
    citations: tuple[str, ...]
    function: Callable[[Array], Array] | None
    all_pairs: bool = False


def adjust(p_values: object, method: str, *, systems: int | None = None) -> Array:
    """Adjusted p-values in the order given.

    Parameters
    ----------
    p_values
        One p-value per comparison of the family.
    method
        A name of `CORRECTIONS`. ``"holm"`` holds for any dependence and never does worse than
        ``"bonferroni"``.
    systems
        How many systems there are, all of whose pairs were compared. Only ``"shaffer"`` needs to know.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    >>> adjust([0.01, 0.04, 0.03], "shaffer", systems=3).tolist()
    [0.03, 0.04, 0.03]
    """
    function = _function(method)
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1:
        raise OutscoreError(f"`p_values` has {p.ndim} dimensions.", "Give one p-value for each comparison.")
    # Written so that nan, which compares false with everything, is refused too.
    wrong = np.flatnonzero(~((p >= 0) & (p <= 1)))
    if len(wrong):
        place = int(wrong[0])
        raise OutscoreError(f"p-value {place + 1} is {p[place]:g}.", "Give numbers from 0 to 1.")
    if CORRECTIONS[method].all_pairs:
        _check_pairs(method, len(p), systems)
    if not len(p):
        return p
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = function(p[order])
    # m·p/m may round to just below p.
    return np.asarray(np.clip(adjusted, p, 1.0))


def correct_family(p_values: Sequence[PValue], method: str, *, resampled: Array | None = None) -> tuple[list[PValue], Family]:
    """The same p-values with their adjusted ones, and the family they make.

    What is corrected is `PValue.claimed`; a sampled p is valid as it is. `resampled` holds what a correction that needs
    more than p-values has found (`max_t`): sampling may put it just below an exact p, and an adjusted p is never below
    the raw one.

    Examples
    --------
    >>> from outscore.results.pvalue import PValue
    >>> corrected, family = correct_family([PValue(p, p, p, 0.0, "exact", "binomial") for p in (0.01, 0.04)], "holm")
    >>> [p.adjusted for p in corrected], family.m, family.error_rate
    ([0.02, 0.04], 2, 'FWER')
    """
    claimed = [p.claimed for p in p_values]
    adjusted = adjust(claimed, method) if resampled is None else np.maximum(resampled, claimed)
    corrected = [replace(p, adjusted=float(q)) for p, q in zip(p_values, adjusted, strict=True)]
    return corrected, Family(method, CORRECTIONS[method].error_rate, len(corrected))


def correct_tests(
    tests: Sequence[PValue | None], method: str, systems: int | None = None
) -> tuple[list[PValue | None], Family]:
    """The same for tests some of which are missing, and are in the family only if the correction is for all pairs of `systems`.

    Examples
    --------
    >>> corrected, family = correct_tests([PValue(0.01, 0.01, 0.01, -2.0, "exact", "binomial"), None], "holm")
    >>> [None if p is None else p.adjusted for p in corrected], family.m
    ([0.01, None], 1)
    """
    entry = CORRECTIONS[method]
    claimed = [p.claimed for p in tests if p is not None]
    if systems is not None and entry.all_pairs:
        claimed += [1.0] * (systems * (systems - 1) // 2 - len(claimed))
    adjusted = iter(adjust(claimed, method, systems=systems if entry.all_pairs else None).tolist())
    found = [None if p is None else replace(p, adjusted=float(next(adjusted))) for p in tests]
    return found, Family(method, entry.error_rate, len(claimed))


def beyond_one_table(method: str) -> str:
    """The correction, or Holm's for one that is about all pairs of one table: over several of them, that is valid."""
    return "holm" if CORRECTIONS[method].all_pairs else method


def possible_true_pairs(systems: int) -> list[int]:
    """S(k), ascending: how many of the equalities between k systems can be true at once.

    Equal systems form groups, and a group of j makes j(j - 1)/2 true pairs. Taking one group away leaves the
    same question for fewer systems: S(k) = ∪ {j(j - 1)/2 + s : s in S(k - j)} over j = 1 … k (Shaffer, 1986).

    Examples
    --------
    >>> possible_true_pairs(5)
    [0, 1, 2, 3, 4, 6, 10]
    """
    # Bit s of a whole number says that s is in the set, so that adding to all members is one shift.
    sets = [1]
    for k in range(1, systems + 1):
        members = 0
        for j in range(1, k + 1):
            members |= sets[k - j] << (j * (j - 1) // 2)
        sets.append(members)
    return [s for s in range(sets[systems].bit_length()) if sets[systems] >> s & 1]


def _function(method: str) -> Callable[[Array], Array]:
    if method not in CORRECTIONS:
        raise OutscoreError(f"There is no correction `{method}`.", did_you_mean(method, CORRECTIONS))
    function = CORRECTIONS[method].function
    if function is None:
        # Measured with 15 systems against a baseline at α = .05: a false claim in .081 of all families.
        raise OutscoreError(
            f"Correction `{method}` needs the resampled differences of one pair of systems; it is not valid across systems, "
            "because one swap per item cannot exchange three of them.",
            "Use `holm`.",
        )
    return function


def _check_pairs(method: str, m: int, systems: int | None) -> None:
    """Refuse a family that is not all pairs of some systems."""
    if systems is None:
        raise OutscoreError(
            f"Correction `{method}` is for all pairs of several systems, but `systems` is missing.",
            "Give the number of systems, or use `holm`.",
        )
    if m != systems * (systems - 1) // 2:
        raise OutscoreError(
            f"`systems` is {systems}, which makes {systems * (systems - 1) // 2} pairs, but there are {m} p-values.",
            "Give p = 1 for pairs that were not tested, or use `holm`.",
        )


def _shaffer(p: Array) -> Array:
    """Step down: after i - 1 rejections at most t_i pairs can still be true (Shaffer, 1986)."""
    m = len(p)
    true = np.array(possible_true_pairs(round((1 + (1 + 8 * m) ** 0.5) / 2)))
    most = true[np.searchsorted(true, np.arange(m, 0, -1), side="right") - 1]
    return np.maximum.accumulate(most * p)


def _hommel(p: Array) -> Array:
    """Closure of Simes' test (Hommel, 1988), by the algorithm of Wright (1992)."""
    m = len(p)
    adjusted = np.full(m, float((m * p / np.arange(1, m + 1)).min()))
    divisors = np.arange(1.0, m + 1)
    for size in range(m - 1, 1, -1):
        # Of every set of `size` hypotheses the size - 1 largest p-values belong to the hardest one.
        first = m - size + 1
        simes = size * float((p[first:] / divisors[1:size]).min())
        bound = np.minimum(size * p[:first], simes)
        np.maximum(adjusted[:first], bound, out=adjusted[:first])
        np.maximum(adjusted[first:], bound[-1], out=adjusted[first:])
    return np.asarray(np.maximum(adjusted, p))


def _benjamini_hochberg(p: Array) -> Array:
    """The i-th smallest p times m/i, made monotone from above (Benjamini and Hochberg, 1995)."""
    return _from_above(len(p) / np.arange(1, len(p) + 1) * p)


def _from_above(p: Array) -> Array:
    return np.minimum.accumulate(p[::-1])[::-1]


ENTRIES = (
    Correction(
        name="bonferroni",
        phrase="Bonferroni",
        summary="every p times the number of comparisons; any dependence",
        error_rate="FWER",
        formula=r"\min ( 1 , m p_i )",
        citations=("dunn1961",),
        function=lambda p: len(p) * p,
    ),
    Correction(
        name="holm",
        phrase="Holm",
        summary="Bonferroni in steps, at least as powerful; any dependence",
        error_rate="FWER",
        formula=r"\max_{j ≤ i} \min ( 1 , ( m - j + 1 ) p_{(j)} )",
        citations=("holm1979",),
        # Step down: the smallest p meets m hypotheses, the next m - 1, … (Holm, 1979).
        function=lambda p: np.maximum.accumulate(np.arange(len(p), 0, -1) * p),
    ),
    Correction(
        name="shaffer",
        phrase="Shaffer",
        summary="Holm for all pairs of systems, at least as powerful; any dependence",
        error_rate="FWER",
        formula=(
            r"\max_{j ≤ i} \min ( 1 , t_j p_{(j)} ) ,"
            r" t_j = \text{most pairs that can be alike when } j - 1 \text{ are not}"
        ),
        citations=("shaffer1986",),
        function=_shaffer,
        all_pairs=True,
    ),
    Correction(
        name="hochberg",
        phrase="Hochberg",
        summary="Holm's factors, starting from the largest p; independent or positively dependent tests",
        error_rate="FWER",
        formula=r"\min_{j ≥ i} ( m - j + 1 ) p_{(j)}",
        citations=("hochberg1988",),
        # Step up: Holm's factors read from the largest p (Hochberg, 1988).
        function=lambda p: _from_above(np.arange(len(p), 0, -1) * p),
    ),
    Correction(
        name="hommel",
        phrase="Hommel",
        summary="at least as powerful as Hochberg; independent or positively dependent tests",
        error_rate="FWER",
        formula=r"\max_{I ∋ i} \min_{j} \frac{|I|}{j} p_{(j)}^{I}",
        citations=("hommel1988",),
        function=_hommel,
    ),
    Correction(
        name="max-t",
        phrase="max-T",
        summary="metrics or slices of one pair of systems, from shared sign flips; any dependence",
        error_rate="FWER",
        formula=r"P ( \max_{j} |t_j^{*}| ≥ |t_i| )",
        citations=("westfall1993",),
        function=None,
    ),
    Correction(
        name="bh",
        phrase="Benjamini-Hochberg",
        summary="Benjamini-Hochberg; independent or positively dependent tests",
        error_rate="FDR",
        formula=r"\min_{j ≥ i} \frac{m}{j} p_{(j)}",
        citations=("benjamini1995",),
        function=_benjamini_hochberg,
    ),
    Correction(
        name="by",
        phrase="Benjamini-Yekutieli",
        summary="Benjamini-Yekutieli; any dependence",
        error_rate="FDR",
        formula=r"\min_{j ≥ i} \frac{m}{j} p_{(j)} \sum_{k=1}^{m} \frac{1}{k}",
        citations=("benjamini2001",),
        # Benjamini and Hochberg times 1 + 1/2 + … + 1/m (Benjamini and Yekutieli, 2001).
        function=lambda p: float((1 / np.arange(1, len(p) + 1)).sum()) * _benjamini_hochberg(p),
    ),
    Correction(
        name="none",
        phrase="no correction",
        summary="every comparison on its own: false claims accumulate with their number",
        error_rate="PCER",
        formula=r"p_i",
        citations=("benjamini1995",),
        function=lambda p: p,
    ),
)

CORRECTIONS: dict[str, Correction] = {entry.name: entry for entry in ENTRIES}


# Max-T: one pair of systems, many statistics, and a correction that uses how they hang together.
#
# Five metrics of one pair rise and fall together, and Holm cannot know: it must hold for any dependence. Swapping the two
# systems item by item can: if the same coins swap all metrics at once, the largest of them under the null hypothesis is
# seen, dependence and all, and each observed statistic is compared with the largest among those not yet claimed (Westfall
# and Young, 1993, algorithm 4.1; Ge, Dudoit and Speed, 2003, box 2). The chance of any false claim is at most α, and the
# more the metrics agree the less is lost.
#
# The step down rests on subset pivotality: what the draws say about some statistics must not depend on whether the others'
# null hypotheses hold. Within one pair that is so, because the draws of a metric, slice or label use its own differences
# and a coin. Across systems it is not: one coin per item cannot swap three systems, and with fifteen against a baseline a
# false claim was made in .081 of all families at α = .05. So there is no max-T across systems here.


MAX_T = "max-t"
STUDENTISED_TIE = 1e-9
"""Studentised statistics closer than this are a tie. It is wider than `TIE_TOLERANCE` on purpose: sums are
exact, but a metric's own rounding is not, and dividing by the root mean square over all draws adds to it.
"""
BLOCK_ENTRIES = 1 << 21


Member = tuple[PairedScores, AdditiveMetric, Array]
"""One statistic of a family: the rows of both systems, the metric, and the number of the coin that swaps each unit.

Units are what `PairedScores.units` makes of the rows. Units of two members with the same coin are swapped together.
"""


def max_t(observed: object, draws: object, *, side: Literal["both", "upper"] = "both") -> Array:
    """Adjusted p-values by step-down max-T.

    Every statistic is divided by its root mean square over all draws, the observed one included: under the
    null hypothesis the observed arrangement is one more draw, so whatever is symmetric in all of them keeps
    the test exact.

    Parameters
    ----------
    observed
        (m,) statistics, 0 where nothing differs.
    draws
        (resamples, m) values of the same statistics under the null hypothesis, all m of a row from the same
        sign flips.
    side
        ``"both"`` counts large values of either sign, ``"upper"`` positive ones.

    Examples
    --------
    >>> from outscore.resampling import flipped_sums
    >>> d = np.array([[3, 1], [4, 2], [2, 0], [5, 1], [1, -1], [3, 2], [2, 1], [4, 1]])
    >>> max_t(d.sum(axis=0), flipped_sums(d, 0, 999, seed=1)).tolist()
    [0.005, 0.091]
    """
    t, null = np.asarray(observed, dtype=float), np.asarray(draws, dtype=float)
    _check(t, null)
    spread = np.sqrt((t**2 + (null**2).sum(axis=0)) / (len(null) + 1))
    spread[spread == 0] = 1.0
    t, null = t / spread, null / spread
    if side == "both":
        t, null = np.abs(t), np.abs(null)
    order = np.argsort(-t, kind="stable")
    # From the weakest statistic up: the largest among those no stronger than the one in question.
    largest = np.maximum.accumulate(null[:, order[::-1]], axis=1)[:, ::-1]
    hits = (largest >= t[order] - STUDENTISED_TIE * np.maximum(1.0, np.abs(t[order]))).sum(axis=0)
    adjusted = np.empty(len(t))
    adjusted[order] = np.maximum.accumulate((hits + 1) / (len(null) + 1))
    return adjusted


def max_t_of_pair(members: Sequence[Member], request: TestRequest) -> Array:
    """Adjusted p-values of one pair of systems over metrics, slices or labels.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> a, b, coins = np.array([3, 4, 5, 4, 3, 5, 4]), np.array([1, 2, 1, 2, 2, 1, 3]), np.arange(7)
    >>> mean, rows_a, rows_b = resolve("mean", a, b)
    >>> members = [(PairedScores(rows_a[part], rows_b[part]), mean, coins[part]) for part in (slice(0, 7), slice(0, 3))]
    >>> [round(p, 3) for p in max_t_of_pair(members, TestRequest(options={"resamples": 999})).tolist()]
    [0.012, 0.246]
    """
    flips = [flips_of(units_of(pairs), metric) for pairs, metric, _ in members]
    observed, draws = _draw(flips, [coins for *_, coins in members], request.resamples, request.seed)
    if request.alternative == "two-sided":
        return max_t(observed, draws)
    turn = np.array([request.direction(f.orientation) for f in flips])
    return max_t(turn * observed, turn * draws, side="upper")


def _draw(flips: Sequence[Flips], coins: Sequence[Array], resamples: int, seed: int) -> tuple[Array, Array]:
    """The observed statistics, and those of all resamples under common coins."""
    # Exact sums make results the same for any size of blocks.
    wholes = [(rows.astype(float), value) for rows, value, _ in map(whole_flips, flips)]
    observed = [
        float(value(rows.sum(axis=0)[None])[0]) if f.sign() else 0.0 for f, (rows, value) in zip(flips, wholes, strict=True)
    ]
    tossed = 1 + max(int(own.max()) for own in coins)
    draws = np.empty((resamples, len(flips)))
    block = max(1, BLOCK_ENTRIES // tossed)
    for first in range(0, resamples, block):
        bits = flip_bits(tossed, first, min(block, resamples - first), seed).astype(float)
        for column, ((rows, value), own) in enumerate(zip(wholes, coins, strict=True)):
            sums = rows.sum(axis=0) - 2.0 * (bits[:, own] @ rows)
            draws[first : first + len(bits), column] = value(sums)
    return np.array(observed), draws


def _check(observed: Array, draws: Array) -> None:
    if observed.ndim != 1 or draws.ndim != 2 or draws.shape[1] != len(observed):
        raise OutscoreError(
            f"`draws` has shape {draws.shape} for {observed.shape} observed statistics.",
            "Give one row for each resample and one column for each statistic.",
        )
    if not np.isfinite(observed).all() or not np.isfinite(draws).all():
        raise OutscoreError("A statistic is not a finite number in every resample.", "Leave that statistic out of the family.")


# On how many datasets is one system better? Partial conjunction, from one-sided p-values.
#
# "Significant on 3 of 6 datasets" counts claims of which some may be false. The partial-conjunction hypothesis of u asks
# what people mean: is the system better on at least u of the m datasets? If it is not, then at least m - u + 1 null
# hypotheses are true, and the m - u + 1 largest p-values combined are no smaller than theirs would be: that is the p-value
# of u (Benjamini and Heller, 2008). The count is the largest k such that u = 1 … k are all claimed at α; with probability 1
# - α or more it is no larger than the truth.
#
# Two ways to combine: Bonferroni holds for any dependence between the datasets. Fisher gains power from many middling
# p-values, but needs *independent* ones: datasets with different items give them, datasets that share items do not.
#
# Which datasets these are is another question, answered by Holm on the same p-values. All sums are made of logarithms, so
# that p-values far below the smallest float count in full.


def replicated_counts(log10_p: Array, *, combination: str = "bonferroni", alpha: float = 0.05) -> Array:
    """The counts of many pairs of systems at once, from the decimal logarithms of their one-sided p-values, (…, datasets).

    Examples
    --------
    >>> replicated_counts(np.log10([[0.01, 0.01, 0.01], [0.5, 0.001, 0.5], [1e-9, 0.02, 1.0]])).tolist()
    [3, 1, 2]
    """
    # Logarithms are compared, which takes no quantile.
    check_level("alpha", alpha, least=0.0)
    # A p-value of exactly α is claimed, however its logarithm was rounded.
    claimed = log_partial(np.asarray(log10_p, dtype=float) * LN10, combination) <= math.log(alpha) + TIE_TOLERANCE
    return np.asarray(np.cumprod(claimed, axis=-1).sum(axis=-1))


def log_partial(log_p: Array, combination: str) -> Array:
    """Natural logarithms of the p-values of "at least u", u = 1 … m on the last axis."""
    if combination not in COMBINATIONS:
        raise OutscoreError(f"There is no combination `{combination}`.", did_you_mean(combination, COMBINATIONS))
    return np.minimum(COMBINATIONS[combination](np.sort(log_p, axis=-1)), 0.0)


def _fisher(log_p: Array) -> Array:
    """p(u) = P(χ² ≥ -2 Σ log p) over the r = m - u + 1 largest, with 2r degrees of freedom (Fisher, 1932).

    With an even number of degrees of freedom the tail is that of a Poisson sum: e^-x Σ x^j/j! over j < r, x =
    -Σ log p.
    """
    import scipy.special

    combined = np.empty_like(log_p)
    m = log_p.shape[-1]
    # Without + 0.0 a sum of ones would be -0, whose logarithm is that of a negative number.
    sums = -np.cumsum(log_p[..., ::-1], axis=-1)[..., ::-1] + 0.0
    for first in range(m):
        x, j = sums[..., first, None], np.arange(m - first)
        terms = scipy.special.xlogy(j, x) - scipy.special.gammaln(j + 1)
        combined[..., first] = -x[..., 0] + np.logaddexp.reduce(terms, axis=-1)
    return combined


COMBINATIONS: dict[str, Callable[[Array], Array]] = {
    # p(u) = (m - u + 1) · the u-th smallest, for any dependence between the datasets (Benjamini and Heller, 2008).
    "bonferroni": lambda log_p: log_p + np.log(np.arange(log_p.shape[-1], 0, -1)),
    "fisher": _fisher,
}
"""From ascending log p (…, m) to those of u = 1 … m."""


def replication(systems: tuple[str, str], datasets: Sequence[str], better: Array, worse: Array, *, level: float) -> Replicated:
    """On how many datasets the first system is better, from log p of both sides on each; the data say which comes first.

    `level` is that of each direction: half of alpha, because the data have chosen one.

    Examples
    --------
    >>> found = replication(("new", "old"), ["a", "b"], np.log([0.001, 0.4]), np.log([1.0, 0.6]), level=0.025)
    >>> found.bonferroni, found.fisher, found.holm, found.worse
    (1, 1, ['a'], [])
    """
    by_any, by_fisher = (
        int(replicated_counts(better[None] / LN10, combination=how, alpha=level)[0]) for how in ("bonferroni", "fisher")
    )
    claimed, refuted = (adjust(np.maximum(np.exp(logs), MIN_FLOAT), "holm") <= level for logs in (better, worse))
    named = np.array(datasets, dtype=object)
    return Replicated(systems, len(datasets), by_any, by_fisher, named[claimed].tolist(), named[refuted].tolist())
