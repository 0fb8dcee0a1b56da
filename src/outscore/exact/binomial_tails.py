"""Exact p-values of right-or-wrong items for whole arrays of pairs: a leaderboard asks for a million of them.

H0 of each pair: an item that only one of the two systems gets right is as often the one's as the other's.
Tails that a float can hold come from the incomplete beta function (`exact.binomial.log_tail`). Farther out,
where that goes term by term and pair by pair, all pairs are served at once here.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import LOG2, Array
from outscore.exact import binomial

__all__ = ["log_better", "log_two_sided"]

FAR = 600.0
"""Nats: beyond so small a bound for the tail the incomplete beta function may underflow (the least float is exp(-745))."""
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
"""log n! = (n + ½) log n - n + log √(2π) + Σ STIRLING[i] n^-(2i+1) + … (DLMF 5.11.1)."""
EXACT_FACTORIALS = 16
"""Below this Stirling's series is not yet exact to the last digit, and the error comes from factorials themselves."""
NEGLIGIBLE = 1e-18


def log_two_sided(wins: Array, losses: Array) -> Array:
    """log p of both directions together; 0, that is p = 1, where wins and losses are equal.

    Examples
    --------
    >>> np.exp(log_two_sided(np.array([8, 3, 0]), np.array([2, 3, 0]))).round(6).tolist()
    [0.109375, 1.0, 1.0]
    """
    wins, losses = np.asarray(wins), np.asarray(losses)
    doubled = math.log(2.0) + _log_tail(wins + losses, np.maximum(wins, losses))
    return np.asarray(np.where(wins == losses, 0.0, np.minimum(doubled, 0.0)))


def log_better(wins: Array, losses: Array) -> Array:
    """log p of one direction: so many wins or more.

    Examples
    --------
    >>> np.exp(log_better(np.array([8, 2]), np.array([2, 8]))).round(6).tolist()
    [0.054688, 0.989258]
    """
    wins, losses = np.asarray(wins), np.asarray(losses)
    return _log_tail(wins + losses, wins)


def _log_tail(n: Array, k: Array) -> Array:
    """log P(X ≥ k) for X ~ Binomial(n, ½); what underflows is told from the bound exp(-n D(k/n, ½)) (Chernoff, 1952)."""
    n, k = np.asarray(n, dtype=float), np.asarray(k, dtype=float)
    far = (2 * k > n) & (_divergence(n, k) > FAR)
    result = np.empty(n.shape)
    result[~far] = binomial.log_tail(n[~far], k[~far])
    result[far] = _log_far_tail(n[far], k[far])
    return result


def _divergence(n: Array, k: Array) -> Array:
    """n times the Kullback-Leibler divergence of k/n from ½: n/2 [(1 + u) log(1 + u) + (1 - u) log(1 - u)], u = 2k/n - 1."""
    u = (2 * k - n) / np.maximum(n, 1)
    # x log x is 0 at 0.
    ahead, behind = (np.where(v > -1, (1 + v) * np.log1p(np.maximum(v, -1 + 1e-16)), 0.0) for v in (u, -u))
    return np.asarray(n / 2 * (ahead + behind))


def _log_far_tail(n: Array, k: Array) -> Array:
    """First term times the series 1 + r1 + r1·r2 + …, r = (n - k)/(k + 1) < 1 and falling; all arrays at once."""
    total, term, i = np.ones(n.shape), np.ones(n.shape), k.copy()
    while (term > NEGLIGIBLE * total).any():
        term *= (n - i) / (i + 1)
        total += term
        # Beyond n all terms are 0; the step must not go on to where they would be negative.
        i = np.minimum(i + 1, n)
    return np.asarray(_log_point(n, k) + np.log(total))


def _log_point(n: Array, k: Array) -> Array:
    """log of C(n, k) 2^-n without the cancellation of three large factorials (Loader, 2000, equation 4)."""
    m = n - k
    whole = m == 0
    spread = 0.5 * np.log(n / (2 * math.pi * k * np.where(whole, 1.0, m)))
    inside = _stirling_error(n) - _stirling_error(k) - _stirling_error(m) - _divergence(n, k) + spread
    return np.asarray(np.where(whole, -n * LOG2, inside))


def _stirling_error(n: Array) -> Array:
    """What Stirling's formula lacks: log n! - (n + ½) log n + n - log √(2π)."""
    small = [
        0.0 if i == 0 else math.lgamma(i + 1) - (i + 0.5) * math.log(i) + i - 0.5 * math.log(2 * math.pi)
        for i in range(EXACT_FACTORIALS)
    ]
    large = np.maximum(n, EXACT_FACTORIALS)
    series = sum(c * large ** -(2 * i + 1.0) for i, c in enumerate(STIRLING))
    return np.asarray(np.where(n < EXACT_FACTORIALS, np.array(small)[np.minimum(n, EXACT_FACTORIALS - 1).astype(int)], series))
