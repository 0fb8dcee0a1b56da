r"""What a test set can detect, before a second system is there.

The variance of a paired difference is that of two scores less what they have in common. With v the squared standard error of
one system's score over items, r what new runs add to it, and ρ the correlation of two systems' scores of an item,

    V = 2 (1 - ρ) v + 2 r,

and the smallest difference that a two-sided paired t test finds with the power asked for solves the noncentral t of
`planning` for V and its degrees of freedom. ρ is not known from one system, and systems of one kind mostly share what is hard:
both ends are shown, ρ = 0 and a ρ that is measured where there are several systems and said to be assumed where there is one.
So few units that flips of their signs never reach alpha find no difference at all, whatever a t test would.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from outscore.core.numeric import Array, median
from outscore.inference.power.design import study_of
from outscore.results.plan import StudyDesign
from outscore.results.score import Detectable

__all__ = ["ASSUMED", "detectable_difference", "median_correlation"]

ASSUMED = 0.5
"""The correlation of two systems' item scores where there is one system: that of systems of one kind is .3 to .8 mostly."""


def detectable_difference(
    variance: float,
    df: float,
    *,
    added: float = 0.0,
    correlation: float | None = None,
    possible: float | None = None,
    units: int | None = None,
    alpha: float,
    power: float,
) -> Detectable | None:
    """The smallest difference to another system that is detected; None where scores do not vary.

    Parameters
    ----------
    variance, df
        The squared standard error of one score over items, and its degrees of freedom.
    added
        What new runs add to it.
    correlation
        Of two systems' item scores; None where it is not known.
    possible
        The largest difference that there can be; None where it is not known.
    units
        Items or clusters whose signs the test of the difference flips; None where it flips none.

    Examples
    --------
    >>> found = detectable_difference(0.25 / 100, 99, alpha=0.05, power=0.8)
    >>> round(found.independent, 4), round(found.correlated, 4), found.correlation
    (0.2, 0.1415, 0.5)
    """
    if not variance + added > 0 or df < 1:
        return None
    rho = ASSUMED if correlation is None else correlation
    if units is not None and units < StudyDesign(alpha=alpha).min_units:
        smallest = min(1.0, 2.0 ** (1 - units))
        return Detectable(None, None, rho, correlation is not None, power, alpha, possible, smallest)
    ends = [_effect(2 * (1 - shared) * variance + 2 * added, df, alpha, power) for shared in (0.0, rho)]
    return Detectable(ends[0], ends[1], rho, correlation is not None, power, alpha, possible)


def _effect(variance: float, df: float, alpha: float, power: float) -> float:
    units = df + 1
    if not variance > 0:
        return 0.0
    study = study_of(StudyDesign(math.sqrt(variance * units), alpha=alpha, method="t"))
    return study.detectable_effect(units, power)


def median_correlation(tables: Sequence[tuple[Array, Array]]) -> float | None:
    """The median correlation of two systems' scores of the items both have; None where no two systems show one.

    `tables` holds a code for each item and its score, for each system.

    Examples
    --------
    >>> codes = np.arange(4)
    >>> round(median_correlation([(codes, np.array([1.0, 2, 3, 4])), (codes, np.array([1.0, 3, 2, 4]))]), 6)
    0.8
    """
    found = []
    for i, (codes, scores) in enumerate(tables):
        for others, theirs in tables[i + 1 :]:
            _, first, second = np.intersect1d(codes, others, assume_unique=True, return_indices=True)
            x, y = scores[first], theirs[second]
            if len(x) > 2 and x.std() > 0 and y.std() > 0:
                found.append(float(np.corrcoef(x, y)[0, 1]))
    return median(np.array(found)) if found else None
