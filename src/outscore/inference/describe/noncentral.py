"""Limits for the noncentrality of an observed t: what a confidence interval for a standardised mean is made of."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["noncentral_t_cdf", "noncentrality_limits"]

LARGEST_T = 1_000.0
"""Beyond this scipy's distribution function loses digits, and then returns nan."""
NODES = np.linspace(-9.0, 9.0, 721)
STEPS = 200


def noncentral_t_cdf(df: float, noncentrality: float, t: float) -> float:
    """P(T ≤ t) for T = (Z + λ)/S, Z standard normal and df·S² independently χ² with df degrees of freedom.

    Far out the sum P(S ≥ (z + λ)/t) over the normal density of z serves: there S decides and Z hardly matters.
    """
    import scipy.special

    if abs(t) <= LARGEST_T:
        return float(scipy.special.nctdtr(df, noncentrality, t))
    if t < 0:
        return 1.0 - noncentral_t_cdf(df, -noncentrality, -t)
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
    return _solve(t, df, 1 - alpha / 2), _solve(t, df, alpha / 2)


def _solve(t: float, df: int, probability: float) -> float:
    """λ with P(T ≤ t) = probability, a decreasing function of λ: brackets that grow, then halving down to rounding."""
    step = math.sqrt(1 + t * t / (2 * df))
    low, high = t - step, t + step
    while noncentral_t_cdf(df, low, t) < probability:
        low, high, step = low - 2 * step, low, 2 * step
    while noncentral_t_cdf(df, high, t) > probability:
        low, high, step = high, high + 2 * step, 2 * step
    for _ in range(STEPS):
        middle = (low + high) / 2
        if not low < middle < high or high - low <= 1e-14 * max(abs(low), abs(high)):
            break
        low, high = (middle, high) if noncentral_t_cdf(df, middle, t) > probability else (low, middle)
    return (low + high) / 2
