"""The beta law: the regularised incomplete beta function I_x(a, b) and its inverse, and exact bounds that follow.

I_x(a, b) is x^a (1 - x)^b / B(a, b) times a continued fraction, which converges fast below the mean; above it the other
tail is found. The factor before it is a binomial probability times a constant: what Stirling's formula leaves of it are
the deviances of a and b from (a + b)x and (a + b)(1 - x), in which large logarithms do not cancel (Loader, 2000).
"""

from __future__ import annotations

import math

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
        return lower, _log_rest(lower)
    upper = _log_below_mean(b, a, 1 - x, x)
    return _log_rest(upper), upper


def _log_rest(log: float) -> float:
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
