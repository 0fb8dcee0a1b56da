"""Many comparisons at once: p-values adjusted so that all of them can be read against one α.

Four ways to count errors among m comparisons, V of R rejections being false:

====  =========================  =================================================================
PCER  E(V)/m                     per comparison: no correction at all
PFER  E(V)                       the expected number of false claims
FWER  P(V ≥ 1)                   the chance of even one false claim: every single claim is safe
FDR   E(V / max(R, 1))           the expected share of false claims among the claims made
====  =========================  =================================================================

An adjusted p is the smallest α at which its comparison is still claimed, so "adjusted p ≤ α" is the decision. It is never below
the raw p and never above 1.

Plain floats are enough: a p-value too small for one is held as 5e-324, and multiplying it by m keeps the decision at any α one
could ask for. Give upper bounds where p-values are certified, and the error rate holds for them too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from outscore.data import Array
from outscore.errors import OutscoreError
from outscore.options import did_you_mean
from outscore.results import Family, PValue

__all__ = ["CORRECTIONS", "Correction", "adjust", "corrected"]


@dataclass(frozen=True)
class Correction:
    """One correction: what it controls, when it holds, and the function from ascending p-values to adjusted ones."""

    name: str
    summary: str
    error_rate: Literal["FWER", "FDR"]
    function: Callable[[Array], Array]


def adjust(p_values: object, method: str) -> Array:
    """Adjusted p-values in the order given.

    Parameters
    ----------
    p_values
        One p-value per comparison of the family.
    method
        A name of `CORRECTIONS`. ``"holm"`` holds for any dependence and never does worse than ``"bonferroni"``.

    Examples
    --------
    >>> adjust([0.01, 0.04, 0.03], "holm").tolist()
    [0.03, 0.06, 0.06]
    """
    if method not in CORRECTIONS:
        raise OutscoreError(f"There is no correction `{method}`.", did_you_mean(method, CORRECTIONS))
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1:
        raise OutscoreError(f"`p_values` has {p.ndim} dimensions.", "Give one p-value for each comparison.")
    # Written so that nan, which compares false with everything, is refused too.
    wrong = np.flatnonzero(~((p >= 0) & (p <= 1)))
    if len(wrong):
        place = int(wrong[0])
        raise OutscoreError(f"p-value {place + 1} is {p[place]:g}.", "Give numbers from 0 to 1.")
    if not len(p):
        return p
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = CORRECTIONS[method].function(p[order])
    # m·p/m may round to just below p.
    return np.asarray(np.clip(adjusted, p, 1.0))


def corrected(p_values: Sequence[PValue], method: str) -> tuple[list[PValue], Family]:
    """The same p-values with their adjusted ones, and the family they make.

    Of certified bounds the upper end is corrected, because their middle is no valid p; a sampled p is valid as it is.

    Examples
    --------
    >>> from outscore.results import PValue
    >>> found, family = corrected([PValue(p, p, p, 0.0, "exact", "binomial") for p in (0.01, 0.04)], "holm")
    >>> [p.adjusted for p in found], family.m, family.error_rate
    ([0.02, 0.04], 2, 'FWER')
    """
    claimed = [p.upper if p.method == "certified" else p.value for p in p_values]
    adjusted = adjust(claimed, method) if claimed else np.empty(0)
    found = [replace(p, adjusted=float(q)) for p, q in zip(p_values, adjusted, strict=True)]
    return found, Family(method, CORRECTIONS[method].error_rate, len(found))


def _bonferroni(p: Array) -> Array:
    return len(p) * p


def _holm(p: Array) -> Array:
    """Step down: the smallest p meets m hypotheses, the next m - 1, … (Holm, 1979)."""
    return np.maximum.accumulate(np.arange(len(p), 0, -1) * p)


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


CORRECTIONS: dict[str, Correction] = {
    entry.name: entry
    for entry in (
        Correction("bonferroni", "every p times the number of comparisons; any dependence", "FWER", _bonferroni),
        Correction("holm", "Bonferroni step by step, never weaker; any dependence", "FWER", _holm),
        Correction("hochberg", "Holm from the largest p; independent or positively dependent tests", "FWER", _hochberg),
        Correction("hommel", "never weaker than Hochberg; independent or positively dependent tests", "FWER", _hommel),
        Correction("bh", "Benjamini-Hochberg; independent or positively dependent tests", "FDR", _benjamini_hochberg),
        Correction("by", "Benjamini-Yekutieli; any dependence", "FDR", _benjamini_yekutieli),
    )
}
