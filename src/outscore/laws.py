"""The normal, beta and Student's t distributions for single numbers, without scipy.

Its import costs more than a small comparison.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from outscore.core.numeric import LOG2

# The normal law: its distribution function, its quantiles and its tail beside its density.


ROOT_HALF = math.sqrt(0.5)
ROOT_TWO_PI = math.sqrt(2 * math.pi)
FAR = 5.0
LEVELS = 40
"""Levels of the continued fraction, of which y = 5 needs thirty for the last digit and a larger y fewer."""


def normal(x: float) -> float:
    """P(Z ≤ x).

    Examples
    --------
    >>> round(normal(-1.959964), 6)
    0.025
    """
    return math.erfc(-x * ROOT_HALF) / 2


def log_normal(x: float) -> float:
    """log P(Z ≤ x), right however small it is.

    Examples
    --------
    >>> round(log_normal(-40.0), 6)
    -804.608442
    """
    return math.log(mills(-x)) - x * x / 2 if x < 0 else math.log1p(-normal(-x))


def normal_quantile(p: float) -> float:
    """The x of which P(Z ≤ x) is p (Wichura, 1988, as the standard library has it).

    Examples
    --------
    >>> round(normal_quantile(0.025), 6), normal_quantile(0.5), normal_quantile(0.0)
    (-1.959964, 0.0, -inf)
    """
    if 0.0 < p < 1.0:
        return _inverse()(float(p))
    return {0.0: -math.inf, 1.0: math.inf}.get(p, math.nan)


@functools.cache
def _inverse() -> Callable[[float], float]:
    from statistics import NormalDist

    return NormalDist().inv_cdf


def mills(y: float) -> float:
    """e^(y²/2) P(Z ≥ y) for y ≥ 0: where the tail has vanished, this has not.

    Far out by Laplace's continued fraction 1/(y + 1/(y + 2/(y + 3/(y + …)))) over √(2π) (DLMF 7.9.1).

    Examples
    --------
    >>> mills(0.0), round(mills(1e6) * 1e6, 6)
    (0.5, 0.398942)
    """
    if y < FAR:
        return math.exp(y * y / 2) * math.erfc(y * ROOT_HALF) / 2
    fraction = y
    for level in range(LEVELS, 0, -1):
        fraction = y + level / fraction
    return 1 / (fraction * ROOT_TWO_PI)


# The beta law: the regularised incomplete beta function I_x(a, b) and its inverse, and exact bounds that follow.
#
# I_x(a, b) is x^a (1 - x)^b / B(a, b) times a continued fraction, which converges fast below the mean; above it the other tail
# is found. The factor before it is a binomial probability times a constant: what Stirling's formula leaves of it are the
# deviances of a and b from (a + b)x and (a + b)(1 - x), in which large logarithms do not cancel (Loader, 2000).


STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
"""log Γ(a) = (a - ½) log a - a + log √(2π) + Σ STIRLING[i] a^-(2i+1) + … (DLMF 5.11.1)."""
ENOUGH = 16.0
"""From here on five terms of the series are exact to the last digit."""
TINY = 1e-300
LARGEST = math.nextafter(1.0, 0.0)
STEPS = 100
"""Newton steps for a quantile, which takes five or so."""


def log_beta_tails(a: float, b: float, x: float) -> tuple[float, float]:
    """log I_x(a, b) and log(1 - I_x(a, b)) for a, b > 0 and 0 < x < 1: both tails of the beta law, neither of them by rounding.

    Examples
    --------
    >>> lower, upper = log_beta_tails(8, 3, 0.5)
    >>> round(math.exp(lower), 7), round(math.exp(upper), 7)
    (0.0546875, 0.9453125)
    """
    if x * (a + b + 2) < a + 1:
        lower = _log_below_mean(a, b, x, 1 - x)
        return lower, log_rest(lower)
    upper = _log_below_mean(b, a, 1 - x, x)
    return log_rest(upper), upper


def log_rest(log: float) -> float:
    """log(1 - e^log), also where rounding has made all of it."""
    return math.log1p(-math.exp(log)) if log < 0 else -math.inf


def _log_below_mean(a: float, b: float, x: float, rest: float) -> float:
    """log I_x(a, b) by the continued fraction α1/(β1 + α2/(β2 + …)), from its front (Lentz, 1976).

    It is written with 1 - x beside x (Didonato and Morris, 1992, equation 9), so that it loses nothing where x is close to 1.
    """
    n = a + b
    above = n * rest - b if rest < x else a - n * x
    beta = a / (a + 1) * (above + 1)
    fraction = c = _away(beta)
    d, m = 0.0, 1
    while True:
        turn = m * (b - m) * x / (a + 2 * m - 1)
        alpha = (a + m - 1) * (n + m - 1) * x / (a + 2 * m - 1) * turn
        beta = m + turn + (a + m) / (a + 2 * m + 1) * (above + 1 + m * (1 + rest))
        d, c = 1 / _away(beta + alpha * d), _away(beta + alpha / c)
        fraction *= d * c
        if abs(d * c - 1) < 4e-16:
            return _log_power(a, b, x, rest) - math.log(fraction)
        m += 1


def _away(number: float) -> float:
    return number if abs(number) > TINY else TINY


def _log_power(a: float, b: float, x: float, rest: float) -> float:
    """log of x^a (1 - x)^b / B(a, b)."""
    n = a + b
    spread = 0.5 * math.log(a / n * b / (2 * math.pi))
    return spread + _stirling_error(n) - _stirling_error(a) - _stirling_error(b) - _deviance(a, n * x) - _deviance(b, n * rest)


def _stirling_error(a: float) -> float:
    """What Stirling's formula lacks: log Γ(a) - (a - ½) log a + a - log √(2π)."""
    if a < ENOUGH:
        return math.lgamma(a) - (a - 0.5) * math.log(a) + a - 0.5 * math.log(2 * math.pi)
    return math.fsum(c * a ** -(2 * i + 1) for i, c in enumerate(STIRLING))


def _deviance(k: float, m: float) -> float:
    """k log(k/m) + m - k, by the series of the inverse hyperbolic tangent where the three nearly cancel (Loader, 2000)."""
    gap = k - m
    v = gap / (k + m)
    if abs(v) > 0.1:
        return k * math.log(k / m) - gap
    total, term, i = gap * v, 2 * k * v, 1
    while True:
        term *= v * v
        grown = total + term / (2 * i + 1)
        if grown == total:
            return total
        total, i = grown, i + 1


def beta_quantile(a: float, b: float, p: float, *, upper: bool = False) -> float:
    """The x of which I_x(a, b) is p; with `upper`, of which 1 - I_x(a, b) is.

    Newton's steps on the logarithm of the tail against log x. Both tails bend downwards there, so that after the first
    step all are from one side; a step never goes further than halfway to 1, nor to 1 by rounding.

    Examples
    --------
    >>> round(beta_quantile(8, 3, 0.0546875), 6), round(beta_quantile(1, 20, 0.025, upper=True), 6)
    (0.5, 0.168433)
    """
    target, x = math.log(p), a / (a + b)
    for _ in range(STEPS):
        lower, other = log_beta_tails(a, b, x)
        log_tail = other if upper else lower
        slope = math.exp(_log_power(a, b, x, 1 - x) - log_tail) / (1 - x)
        step = (log_tail - target) / slope if upper else (target - log_tail) / slope
        x = min(x * math.exp(min(step, 1.0)), (1 + x) / 2, LARGEST)
        if abs(step) < 1e-15:
            break
    return x


def clopper_pearson(hits: int, trials: int, level: float = 0.99) -> tuple[float, float]:
    """Exact confidence bounds for a probability after `hits` of `trials` (Clopper and Pearson, 1934).

    Examples
    --------
    >>> low, high = clopper_pearson(50, 1000)
    >>> round(low, 4), round(high, 4)
    (0.0339, 0.0705)
    """
    side = (1.0 - level) / 2.0
    low = beta_quantile(hits, trials - hits + 1, side) if hits > 0 else 0.0
    high = beta_quantile(hits + 1, trials - hits, side, upper=True) if hits < trials else 1.0
    return low, high


# Student's law, central and not, as a mixture of normal laws over the spread that was estimated.
#
# T = (Z + λ)/S, where df·S² is χ² with df degrees of freedom, so that P(T ≤ t) = E Φ(tS - λ). The density of log S is
# proportional to exp(df (u - (e^(2u) - 1)/2)). Sums over equally spaced points approach integrals of functions that are
# analytic and vanish at both ends at a geometric rate (Trefethen and Weideman, 2014): the error is the integrand's Fourier
# transform at 2π/step. That of the density is |Γ((df + iω)/2)|, which falls as exp(-ω²/(4 df)) at first and as exp(-πω/4) far
# out. Φ(t e^u - λ) beside it is as curved as the density of half the square of t e^u more degrees of freedom where it rises,
# which is where t e^u is not far from λ. The weights of points that are this close sum to the integral, by which they are
# divided, so that no gamma function is asked for.
#
# Tails of the central law keep all digits after the turn s = v/√(1 + t²/df) of the variable:
#
#     P(T ≥ t) = ∫ f(s) Φ(-ts) ds = (1 + t²/df)^(-df/2) E M(yS),   y = t/√(1 + t²/df),   M(y) = e^(y²/2) Φ(-y).


NATS = 41.0
"""What is e^-41 of the largest term, or of the sum, is no longer seen in a float."""
RISE = 9.0
"""The normal law has risen so far from its middle."""
HUGE = 1e100
NEAR = 5e-6
"""Below, u - (e^(2u) - 1)/2 is -u² - 2u³/3 - u⁴/3 in a float."""
STUDENT_STEPS = 60
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


@functools.lru_cache(maxsize=4096)
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
    # Of each part `normal`, written out: a comparison asks for hundreds of these.
    return min(1.0, math.fsum([w * math.erfc((noncentrality - t * s) * ROOT_HALF) for s, w in spreads]) / 2)


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
    for _ in range(STUDENT_STEPS):
        log_tail = log_t_tail(df, t)
        density = math.exp(log_top - (df + 1) / 2 * _log_stretch(df, t) - log_tail)
        step = (log_tail - target) / (t * density)
        t *= math.exp(step)
        if abs(step) < 1e-15 * STUDENT_STEPS:
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
