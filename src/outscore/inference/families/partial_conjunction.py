"""On how many datasets is one system better? Partial conjunction, from one-sided p-values.

"Significant on 3 of 6 datasets" counts claims of which some may be false. The partial-conjunction hypothesis
of u asks what people mean: is the system better on at least u of the m datasets? If it is not, then at least
m - u + 1 null hypotheses are true, and the m - u + 1 largest p-values combined are no smaller than theirs
would be: that is the p-value of u (Benjamini and Heller, 2008). The count is the largest k such that u = 1 …
k are all claimed at α; with probability 1 - α or more it is no larger than the truth.

Two ways to combine: Bonferroni holds for any dependence between the datasets. Fisher gains power from many
middling p-values, but needs *independent* ones: datasets with different items give them, datasets that share
items do not.

Which datasets these are is another question, answered by Holm on the same p-values. All sums are made of
logarithms, so that p-values far below the smallest float count in full.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LN10, MIN_FLOAT, TIE_TOLERANCE, Array
from outscore.core.options import check_level, did_you_mean
from outscore.core.records import dataclass


@dataclass(frozen=True)
class Combination:
    """One way to combine p-values: when it holds, and the function from ascending log p (…, m) to those of u = 1 … m."""

    name: str
    summary: str
    function: Callable[[Array], Array]


@dataclass(frozen=True)
class Replicability:
    """`count` datasets at least, of m; `p` and `log10` hold the p-value of "better on at least u datasets", u = 1 … m."""

    count: int
    p: list[float]
    log10: list[float]
    combination: str
    alpha: float


def replicability(p_values: object, *, combination: str = "bonferroni", alpha: float = 0.05) -> Replicability:
    """On how many of m datasets a system is better, with confidence 1 - alpha.

    Parameters
    ----------
    p_values
        One p-value for each dataset, all of the same one-sided alternative: that the system is better there.
    combination
        ``"bonferroni"`` for any datasets, ``"fisher"`` for independent ones: different items, scored
        separately.
    alpha
        The level of the count.

    Examples
    --------
    >>> p = [0.168, 0.297, 0.357, 0.019, 0.218, 0.001]
    >>> replicability(p).count, replicability(p, combination="fisher").count
    (1, 2)
    """
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not len(p):
        raise OutscoreError(f"`p_values` has shape {p.shape}.", "Give one p-value for each dataset.")
    # Written so that nan, which compares false with everything, is refused too.
    wrong = np.flatnonzero(~((p > 0) & (p <= 1)))
    if len(wrong):
        place = int(wrong[0])
        raise OutscoreError(f"p-value {place + 1} is {p[place]:g}.", "Give numbers above 0 and up to 1; a p-value is never 0.")
    log10 = np.log10(p)
    log_p = _log_partial(log10 * LN10, combination)
    return Replicability(
        count=int(replicated_counts(log10, combination=combination, alpha=alpha)),
        p=np.maximum(np.exp(log_p), MIN_FLOAT).tolist(),
        log10=(log_p / LN10).tolist(),
        combination=combination,
        alpha=alpha,
    )


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
    claimed = _log_partial(np.asarray(log10_p, dtype=float) * LN10, combination) <= math.log(alpha) + TIE_TOLERANCE
    return np.asarray(np.cumprod(claimed, axis=-1).sum(axis=-1))


def _log_partial(log_p: Array, combination: str) -> Array:
    """Natural logarithms of the p-values of "at least u", u = 1 … m on the last axis."""
    if combination not in COMBINATIONS:
        raise OutscoreError(f"There is no combination `{combination}`.", did_you_mean(combination, COMBINATIONS))
    combined = COMBINATIONS[combination].function(np.sort(log_p, axis=-1))
    return np.minimum(combined, 0.0)


def _bonferroni(log_p: Array) -> Array:
    """p(u) = (m - u + 1) · the u-th smallest (Benjamini and Heller, 2008)."""
    return log_p + np.log(np.arange(log_p.shape[-1], 0, -1))


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


COMBINATIONS: dict[str, Combination] = {
    entry.name: entry
    for entry in (
        Combination("bonferroni", "any dependence between the datasets", _bonferroni),
        Combination("fisher", "independent datasets only: different items, scored separately", _fisher),
    )
}
