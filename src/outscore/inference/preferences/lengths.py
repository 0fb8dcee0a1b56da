"""The win rate at equal length: a logistic term for how much longer one answer is.

    log-odds of a win = θ_a - θ_b + γ (l_a - l_b) / (l_a + l_b)

At equal length the last term is 0, so the win rate is that of θ alone. The ratio is bounded, and 0 where nothing is longer.
Intervals come from the sandwich over prompts, with t of G - 1 degrees of freedom (`strengths`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore.core.numeric import Array
from outscore.inference.preferences.strengths import Fit, fit_model, sandwich
from outscore.scores.battles import Battles

__all__ = ["LengthFit", "fit_lengths"]

MIN_UNITS = 10
"""With fewer prompts the sandwich is not to be trusted."""
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
    residual = weight * (known.share - 1 / (1 + np.exp(-eta)))
    scores = np.zeros((len(used), k + 1))
    np.add.at(scores, (unit, known.first), residual)
    np.add.at(scores, (unit, known.second), -residual)
    np.add.at(scores, (unit, np.full(len(unit), k)), residual * x[:, 0])
    variance = sandwich(fit, scores) * len(used) / (len(used) - 1)
    return LengthFit(fit, variance, known.rows, len(used))
