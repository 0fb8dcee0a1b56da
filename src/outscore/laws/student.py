"""Student's law, central and not, as a mixture of normal laws over the spread that was estimated.

T = (Z + λ)/S, where df·S² is χ² with df degrees of freedom, so that P(T ≤ t) = E Φ(tS - λ). The density of log S is
proportional to exp(df (u - (e^(2u) - 1)/2)). Sums over equally spaced points approach integrals of functions that are
analytic and vanish at both ends at a geometric rate (Trefethen and Weideman, 2014): the error is the integrand's
Fourier transform at 2π/step. That of the density is |Γ((df + iω)/2)|, which falls as exp(-ω²/(4 df)) at first and as
exp(-πω/4) far out. Φ(t e^u - λ) beside it is as curved as the density of half the square of t e^u more degrees of freedom
where it rises, which is where t e^u is not far from λ. The weights of points that are this close sum to the integral,
by which they are divided, so that no gamma function is asked for.

Tails of the central law keep all digits after the turn s = v/√(1 + t²/df) of the variable:

    P(T ≥ t) = ∫ f(s) Φ(-ts) ds = (1 + t²/df)^(-df/2) E M(yS),   y = t/√(1 + t²/df),   M(y) = e^(y²/2) Φ(-y).
"""

from __future__ import annotations

import functools
import math

from outscore.core.numeric import LOG2
from outscore.laws.normal import ROOT_TWO_PI, log_normal, mills, normal, normal_quantile

NATS = 41.0
"""What is e^-41 of the largest term, or of the sum, is no longer seen in a float."""
RISE = 9.0
"""The normal law has risen so far from its middle."""
HUGE = 1e100
NEAR = 5e-6
"""Below, u - (e^(2u) - 1)/2 is -u² - 2u³/3 - u⁴/3 in a float."""
STEPS = 60
"""Newton steps for a quantile, which takes three or four."""


@functools.lru_cache(maxsize=256)
def _spreads(df: float, degrees: float) -> list[tuple[float, float]]:
    """Points of S and their weights, close enough for an integrand as curved as the density of so many `degrees`."""
    # Of |Γ(a + iy)|/Γ(a), a = degrees/2 and y = π/step, less than e^-NATS is left by √(2a·NATS) + 2·NATS/π.
    step = math.pi / (math.sqrt(NATS) * math.sqrt(degrees) + 2 * NATS / math.pi)
    points, weights = [1.0], [1.0]
    for direction in (step, -step):
        i = 1
        while True:
            u = i * direction
            log = _log_density(df, u)
            if not log >= -NATS:
                break
            points.append(math.exp(u))
            weights.append(math.exp(log))
            i += 1
    total = math.fsum(weights)
    return [(s, w / total) for s, w in zip(points, weights, strict=True)]


def _log_density(df: float, u: float) -> float:
    """The log of the density of log S, 0 at its top."""
    if abs(u) >= NEAR:
        return df * (u - math.expm1(2 * u) / 2)
    # The difference would be the rounding of u, times df. Terms from u⁵ on are below 1e-16 of u².
    return -df * u * (u * (1 + u * (2 / 3 + u / 3)))


def _degrees(df: float, noncentrality: float, t: float) -> float:
    """Degrees of freedom that the integrand counts as, in powers of two so that points serve again."""
    # v - 1 - log v = q, where the density ends, has its root below 1 + √(2q) + q.
    q = 2 * NATS / df
    largest = t * t * (1 + math.sqrt(2 * q) + q)
    curved = min(largest, (abs(noncentrality) + RISE) ** 2)
    return df * 2.0 ** math.ceil(math.log2(1 + curved / (2 * df)))


def noncentral_student(df: float, noncentrality: float, t: float) -> float:
    """P(T ≤ t) for T = (Z + λ)/S, to 1e-15 of 1.

    Examples
    --------
    >>> round(noncentral_student(8, 3.0, 2.0), 6)
    0.170342
    """
    if math.isinf(df) or math.isinf(t):
        return normal(t - noncentrality)
    if not df > 0:
        return math.nan
    spreads = _spreads(df, _degrees(df, noncentrality, t))
    return min(1.0, math.fsum([w * normal(t * s - noncentrality) for s, w in spreads]))


def log_t_tail(df: float, t: float) -> float:
    """log P(T ≥ t), right however small the tail.

    Examples
    --------
    >>> round(log_t_tail(10_000, 60.0), 6), round(math.exp(log_t_tail(9, 2.262157)), 6)
    (-1542.283342, 0.025)
    """
    if t < 0:
        return math.log1p(-math.exp(log_t_tail(df, -t)))
    if math.isinf(t):
        return -math.inf
    if math.isinf(df):
        return log_normal(-t)
    if not df > 0:
        return math.nan
    log_turn = -_log_stretch(df, t) / 2
    y = t * math.exp(log_turn)
    return df * log_turn + math.log(math.fsum([w * mills(y * s) for s, w in _spreads(df, df)]))


def _log_stretch(df: float, t: float) -> float:
    """log(1 + t²/df), where t² may be more than a float holds."""
    ratio = t / math.sqrt(df)
    return math.log1p(ratio * ratio) if ratio < HUGE else 2 * math.log(ratio)


def log_two_sided(df: float, t: float) -> float:
    """log P(|T| ≥ |t|).

    Examples
    --------
    >>> round(math.exp(log_two_sided(9, -2.262157)), 6), log_two_sided(9, 0.0)
    (0.05, 0.0)
    """
    return min(LOG2 + log_t_tail(df, abs(t)), 0.0)


def student(df: float, t: float) -> float:
    """P(T ≤ t).

    Examples
    --------
    >>> round(student(9, -2.262157), 6), student(9, 0.0)
    (0.025, 0.5)
    """
    return math.exp(log_t_tail(df, -t))


@functools.lru_cache(maxsize=256)
def student_quantile(df: float, p: float) -> float:
    """The t of which P(T ≤ t) is p.

    Newton's steps on log P(T ≥ t) against log t, which bends downwards: after the first step all are from one side. They
    start at Cornish and Fisher's first correction of the normal quantile.

    Examples
    --------
    >>> round(student_quantile(9, 0.025), 6), round(student_quantile(math.inf, 0.975), 6)
    (-2.262157, 1.959964)
    """
    # Degrees of freedom may come out of an array, whose numbers no saved result holds.
    df, p = float(df), float(p)
    z = normal_quantile(p)
    if z >= 0:
        return -student_quantile(df, 1 - p) if z else 0.0
    if math.isinf(df) or math.isinf(z):
        return z
    if not df > 0:
        return math.nan
    target, t = math.log(p), -z * (1 + (z * z + 1) / (4 * df))
    # The density at 0 is E S/√(2π).
    log_top = math.log(math.fsum([w * s for s, w in _spreads(df, df)]) / ROOT_TWO_PI)
    for _ in range(STEPS):
        log_tail = log_t_tail(df, t)
        density = math.exp(log_top - (df + 1) / 2 * _log_stretch(df, t) - log_tail)
        step = (log_tail - target) / (t * density)
        t *= math.exp(step)
        if abs(step) < 1e-15 * STEPS:
            break
    return -t


def t_quantile(df: float, alpha: float) -> float:
    """The t of which P(|T| ≥ t) is α.

    Examples
    --------
    >>> round(t_quantile(9, 0.05), 6), round(t_quantile(math.inf, 0.05), 6)
    (2.262157, 1.959964)
    """
    return -student_quantile(df, alpha / 2)
