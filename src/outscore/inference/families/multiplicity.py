"""Many comparisons at once: p-values adjusted so that all of them can be read against one α.

Four ways to count errors among m comparisons, V of R rejections being false:

====  =========================  =================================================================
PCER  E(V)/m                     per comparison: no correction at all
PFER  E(V)                       the expected number of false claims
FWER  P(V ≥ 1)                   the chance of even one false claim: every single claim is safe
FDR   E(V / max(R, 1))           the expected share of false claims among the claims made
====  =========================  =================================================================

Shaffer's correction knows what the others do not: the hypotheses are all pairs of k systems, and equality is
transitive. If A = B and B = C then A = C, so exactly two of three equalities are never true. Max-T needs more
than p-values: see `max_t`.

An adjusted p is the smallest α at which its comparison is still claimed, so "adjusted p ≤ α" is the decision.
It is never below the raw p and never above 1.

Plain floats are enough: a p-value too small for one is held as 5e-324, and multiplying it by m keeps the
decision at any α one could ask for. Give upper bounds where p-values are certified, and the error rate holds
for them too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.results.design import Family
from outscore.results.pvalue import PValue


@dataclass(frozen=True)
class Correction:
    """One correction: what it controls, when it holds, and the function from ascending p-values to adjusted ones.

    `all_pairs` marks a correction that holds for all pairs of some systems only. Without `function` p-values
    are not enough: the correction works on resampled differences. `phrase` is what a sentence calls it,
    `formula` the adjusted p in the small part of TeX that the page of methods knows, and `citations` are keys
    of works in ``report/references/works.bib``.
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


def correct_family(
    p_values: Sequence[PValue], method: str, *, systems: int | None = None, resampled: Array | None = None
) -> tuple[list[PValue], Family]:
    """The same p-values with their adjusted ones, and the family they make.

    What is corrected is `PValue.claimed`; a sampled p is valid as it is. `systems` is as in `adjust`. `resampled` holds what a
    correction that needs more than p-values has found (`max_t`): sampling may put it just below an exact p, and an adjusted p
    is never below the raw one.

    Examples
    --------
    >>> from outscore.results.pvalue import PValue
    >>> corrected, family = correct_family([PValue(p, p, p, 0.0, "exact", "binomial") for p in (0.01, 0.04)], "holm")
    >>> [p.adjusted for p in corrected], family.m, family.error_rate
    ([0.02, 0.04], 2, 'FWER')
    """
    claimed = [p.claimed for p in p_values]
    adjusted = adjust(claimed, method, systems=systems) if resampled is None else np.maximum(resampled, claimed)
    corrected = [replace(p, adjusted=float(q)) for p, q in zip(p_values, adjusted, strict=True)]
    return corrected, Family(method, CORRECTIONS[method].error_rate, len(corrected))


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


def _bonferroni(p: Array) -> Array:
    return len(p) * p


def _holm(p: Array) -> Array:
    """Step down: the smallest p meets m hypotheses, the next m - 1, … (Holm, 1979)."""
    return np.maximum.accumulate(np.arange(len(p), 0, -1) * p)


def _shaffer(p: Array) -> Array:
    """Step down: after i - 1 rejections at most t_i pairs can still be true (Shaffer, 1986)."""
    m = len(p)
    true = np.array(possible_true_pairs(round((1 + (1 + 8 * m) ** 0.5) / 2)))
    most = true[np.searchsorted(true, np.arange(m, 0, -1), side="right") - 1]
    return np.maximum.accumulate(most * p)


def _hochberg(p: Array) -> Array:
    """Step up: Holm's factors read from the largest p (Hochberg, 1988)."""
    return _from_above(np.arange(len(p), 0, -1) * p)


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


def _benjamini_yekutieli(p: Array) -> Array:
    """Benjamini and Hochberg times 1 + 1/2 + … + 1/m, for any dependence (Benjamini and Yekutieli, 2001)."""
    return float((1 / np.arange(1, len(p) + 1)).sum()) * _benjamini_hochberg(p)


def _from_above(p: Array) -> Array:
    return np.minimum.accumulate(p[::-1])[::-1]


def _unchanged(p: Array) -> Array:
    return p


ENTRIES = (
    Correction(
        name="bonferroni",
        phrase="Bonferroni",
        summary="every p times the number of comparisons; any dependence",
        error_rate="FWER",
        formula=r"\min ( 1 , m p_i )",
        citations=("dunn1961",),
        function=_bonferroni,
    ),
    Correction(
        name="holm",
        phrase="Holm",
        summary="Bonferroni in steps, at least as powerful; any dependence",
        error_rate="FWER",
        formula=r"\max_{j ≤ i} \min ( 1 , ( m - j + 1 ) p_{(j)} )",
        citations=("holm1979",),
        function=_holm,
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
        function=_hochberg,
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
        function=_benjamini_yekutieli,
    ),
    Correction(
        name="none",
        phrase="no correction",
        summary="every comparison on its own: false claims accumulate with their number",
        error_rate="PCER",
        formula=r"p_i",
        citations=("benjamini1995",),
        function=_unchanged,
    ),
)

CORRECTIONS: dict[str, Correction] = {entry.name: entry for entry in ENTRIES}
