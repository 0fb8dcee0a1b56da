"""How lopsided differences are, and what few lopsided ones do to tests of their mean."""

from __future__ import annotations

import numpy as np

from outscore.core.numeric import Array

__all__ = ["FEW", "SKEWED", "few_and_skewed", "skewness"]

SKEWED = 1.0
"""From here on differences are highly skewed, by Bulmer's rule of thumb."""
FEW = 50


def skewness(x: Array) -> float | None:
    """γ = m₃/m₂^1.5 with moments that divide by n; None for numbers that are all the same.

    Examples
    --------
    >>> round(skewness(np.array([1.0, 2.0, 9.0])), 4)
    0.6655
    """
    span = float(np.ptp(x))
    if span == 0.0:
        return None
    deviations = (x - x[0]) / span
    deviations -= deviations.mean()
    return float(np.mean(deviations**3) / np.mean(deviations**2) ** 1.5)


def few_and_skewed(x: Array) -> bool:
    """Whether a test of the mean of these numbers may err: fewer than fifty, and highly skewed.

    Examples
    --------
    >>> few_and_skewed(np.array([0.1, 0.2, 0.1, 0.3, 4.0])), few_and_skewed(np.array([1.0, 2.0, 3.0]))
    (True, False)
    """
    gamma = skewness(x) if len(x) < FEW else None
    return gamma is not None and abs(gamma) >= SKEWED
