"""The win rate at equal length: a logistic term for how much longer one answer is.

    log-odds of a win = θ_a - θ_b + γ (l_a - l_b) / (l_a + l_b)

At equal length the last term is 0, so the win rate is that of θ alone. The ratio is bounded, and 0 where nothing is longer.
Intervals draw prompts anew, with t of G - 1 degrees of freedom. With H the information and S_g, H_g score and information of
prompt g, leaving g out moves the estimate by (H - H_g)⁻¹ S_g to first order, and the jackknife adds up the squares of that. The
plain sandwich, H⁻¹ S_g, is the same where no prompt matters much, and serves where prompts are many. Few prompts of unusual
length would make it too small: with 13 prompts it rejects no effect of length in .09 of all cases.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.preferences.models import Fit, fit_model, sandwich
from outscore.scores.battles import Battles

__all__ = ["LengthFit", "fit_lengths"]

MIN_UNITS = 10
"""With fewer prompts the sandwich is not to be trusted."""
MAX_JACKKNIFED, MAX_SYSTEMS = 1_000, 30
"""Prompts and systems up to which each prompt is left out in turn."""
MAX_CONDITION = 1e10
MAX_LOG_ODDS = 20.0
"""Larger ones say that length, or a strength, tells the winner for certain: the likelihood has no maximum."""


@dataclass(frozen=True, eq=False)
class LengthFit:
    """Strengths at equal length, the coefficient of length, and the variance of all of them."""

    fit: Fit
    variance: Array
    battles: int
    units: int

    @property
    def coefficient(self) -> float:
        """Log-odds for an answer longer by everything."""
        return float(self.fit.gamma[0])

    def coefficient_error(self) -> float:
        """Its standard error."""
        return math.sqrt(float(self.variance[-1, -1]))

    def contrast(self, i: int, j: int) -> tuple[float, float]:
        """θ_i - θ_j and its standard error."""
        v = self.variance
        spread = float(v[i, i] + v[j, j] - 2 * v[i, j])
        return float(self.fit.theta[i] - self.fit.theta[j]), math.sqrt(max(spread, 0.0))


def fit_lengths(battles: Battles) -> LengthFit | None:
    """Fit strengths and length to all battles with both lengths; None where there are too few, or where it has no maximum.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> rng = np.random.default_rng(0)
    >>> lengths = rng.integers(50, 150, (4000, 2)).astype(float)
    >>> x = (lengths[:, 0] - lengths[:, 1]) / lengths.sum(axis=1)
    >>> share = (rng.random(4000) < 1 / (1 + np.exp(-0.5 - 2 * x))).astype(float)
    >>> first = np.zeros(4000, dtype=int)
    >>> made = Battles(("x", "y"), first, first + 1, share, Labels.of(range(4000)), lengths=lengths)
    >>> found = fit_lengths(made)
    >>> abs(found.coefficient - 2) < 3 * found.coefficient_error(), abs(found.contrast(0, 1)[0] - 0.5) < 0.15
    (True, True)
    """
    if battles.lengths is None:
        return None
    total = battles.lengths.sum(axis=1)
    with np.errstate(invalid="ignore"):
        known = battles.take(np.flatnonzero(battles.decided & (total > 0)))
    if not known.rows or known.lengths is None:
        return None
    x = ((known.lengths[:, 0] - known.lengths[:, 1]) / known.lengths.sum(axis=1))[:, None]
    used, unit = np.unique(known.units.codes, return_inverse=True)
    if len(used) < MIN_UNITS or not x.any() or len(np.unique(np.stack([known.first, known.second]))) < len(known.systems):
        return None
    k, weight = len(known.systems), known.weight.astype(float)
    try:
        fit = fit_model(known.first, known.second, known.share, weight, k, x)
    except np.linalg.LinAlgError:
        return None
    eta = fit.theta[known.first] - fit.theta[known.second] + x[:, 0] * fit.gamma[0]
    if not np.isfinite(eta).all() or float(np.abs(eta).max()) > MAX_LOG_ODDS:
        return None
    chance = 1 / (1 + np.exp(-eta))
    rows = _design(known.first, known.second, x[:, 0], k)
    residual = weight * (known.share - chance)
    if len(used) <= MAX_JACKKNIFED and k <= MAX_SYSTEMS:
        variance = _jackknife(rows.toarray(), residual, weight * chance * (1 - chance), unit, k)
    else:
        by_unit = _added_up(unit, len(used)) @ rows.multiply(residual[:, None])
        variance = sandwich(fit, by_unit.tocsr()) * len(used) / (len(used) - 1)
    return None if variance is None else LengthFit(fit, variance, known.rows, len(used))


def _design(first: Array, second: Array, x: Array, systems: int) -> Any:  # noqa: ANN401 - a sparse table
    """The design: +1 for the first system, -1 for the second, and the covariate in the last column."""
    from scipy import sparse

    row = np.arange(len(first))
    columns = np.concatenate([first, second, np.full(len(first), systems)])
    values = np.concatenate([np.ones(len(first)), -np.ones(len(first)), x])
    return sparse.csr_matrix((values, (np.tile(row, 3), columns)), shape=(len(first), systems + 1))


def _added_up(unit: Array, units: int) -> Any:  # noqa: ANN401 - a sparse table
    """What adds up the rows of every unit."""
    from scipy import sparse

    return sparse.csr_matrix((np.ones(len(unit)), (unit, np.arange(len(unit)))), shape=(units, len(unit)))


def _jackknife(rows: Array, residual: Array, curvature: Array, unit: Array, systems: int) -> Array | None:
    """The variance by leaving each unit out, to first order; None where one of them cannot be left out."""
    units, size = int(unit.max()) + 1, rows.shape[1]
    scores, parts = np.zeros((units, size)), np.zeros((units, size, size))
    np.add.at(scores, unit, residual[:, None] * rows)
    np.add.at(parts, unit, curvature[:, None, None] * rows[:, :, None] * rows[:, None, :])
    whole = parts.sum(axis=0)
    pin = np.zeros((size, size))
    pin[:systems, :systems] = np.trace(whole[:systems, :systems]) / systems**2
    left = whole[None] - parts + pin
    if float(np.linalg.cond(left).max()) > MAX_CONDITION:
        return None
    moved = np.linalg.solve(left, scores[:, :, None])[:, :, 0]
    moved[:, :systems] -= moved[:, :systems].mean(axis=1, keepdims=True)
    return np.asarray((units - 1) / units * moved.T @ moved)
