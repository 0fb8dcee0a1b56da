"""Student's law: its tails as logarithms, and its quantiles; the normal law where the degrees of freedom are infinite."""

from __future__ import annotations

import math

from outscore.core.numeric import LOG2

__all__ = ["log_t_tail", "log_two_sided", "t_quantile"]

FAR = 1e-250
"""Tails below this are computed as logarithms."""
FRACTIONS = 100
"""Levels of the continued fraction, which so far out needs a dozen."""


def log_t_tail(df: float, t: float) -> float:
    """log P(T ≥ t), right however small the tail.

    Examples
    --------
    >>> round(log_t_tail(10_000, 60.0), 6)
    -1542.283342
    """
    import scipy.special

    if math.isinf(t):
        return -math.inf if t > 0 else 0.0
    if math.isinf(df):
        return float(scipy.special.log_ndtr(-t))
    tail = float(scipy.special.stdtr(df, -t))
    return math.log(tail) if tail > FAR else _log_far_tail(df, t)


def _log_far_tail(df: float, t: float) -> float:
    """Half the incomplete beta function I_x(df/2, ½), x = df/(df + t²), by its continued fraction (DLMF 8.17.22)."""
    import scipy.special

    a, b, x = df / 2, 0.5, df / (df + t * t)
    fraction = 1.0
    for m in range(FRACTIONS, -1, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) if m else 0.0
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        fraction = 1 + odd / fraction
        fraction = 1 + even / fraction if m else fraction
    log_front = -a * math.log1p(t * t / df) - math.log1p(df / (t * t)) / 2 - math.log(a) - float(scipy.special.betaln(a, b))
    return log_front - math.log(fraction) - LOG2


def log_two_sided(df: float, t: float) -> float:
    """log P(|T| ≥ |t|).

    Examples
    --------
    >>> round(math.exp(log_two_sided(9, -2.262157)), 6), log_two_sided(9, 0.0)
    (0.05, 0.0)
    """
    return min(LOG2 + log_t_tail(df, abs(t)), 0.0)


def t_quantile(df: float, alpha: float) -> float:
    """The t of which P(|T| ≥ t) is α.

    Examples
    --------
    >>> round(t_quantile(9, 0.05), 6), round(t_quantile(math.inf, 0.05), 6)
    (2.262157, 1.959964)
    """
    import scipy.special

    return -float(scipy.special.ndtri(alpha / 2) if math.isinf(df) else scipy.special.stdtrit(df, alpha / 2))
