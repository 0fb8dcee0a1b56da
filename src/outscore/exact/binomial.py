"""Flips of one size: binomial tails in closed form, and two independent binomials for binary classification.

Single tails come first, then those of whole arrays of pairs, of which a leaderboard asks for a million. H0 of each pair: an
item that only one of the two systems gets right is as often the one's as the other's. Tails that a float can hold come from
the incomplete beta function (`log_tail`). Farther out, where that goes term by term and pair by pair, all pairs are served
at once (`log_two_sided`, `log_better`).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from outscore.core.numeric import LOG2, Array
from outscore.exact.lattice import Tail
from outscore.laws import log_beta_tails

UNDERFLOW = 1e-290
FEW = 32
"""So many tails are computed one by one: scipy takes longer to import."""
MAX_LISTED = 1000
"""Flips up to which single tails are counted in whole numbers; 2^-1000 is still a float."""
FAR = 600.0
"""Nats: beyond so small a bound for the tail the incomplete beta function may underflow (the least float is exp(-745))."""
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
"""log n! = (n + ½) log n - n + log √(2π) + Σ STIRLING[i] n^-(2i+1) + … (DLMF 5.11.1)."""
EXACT_FACTORIALS = 16
"""Below this Stirling's series is not yet exact to the last digit, and the error comes from factorials themselves."""
NEGLIGIBLE = 1e-18


def tail(n: int, k: int) -> Tail:
    """P(X ≥ k) and P(X = k) for X ~ Binomial(n, ½), as logarithms.

    Examples
    --------
    >>> import math
    >>> round(math.exp(tail(10, 8).log), 6)
    0.054688
    """
    log_upper = float(log_tail(np.array([n]), np.array([k]))[0])
    return Tail(log_upper, log_point(n, k) if 0 <= k <= n else -math.inf)


def log_tail(n: Array, k: Array) -> Array:
    """log P(X ≥ k) for X ~ Binomial(n, ½), for whole arrays of n and k.

    The regularised incomplete beta function I_½(k, n - k + 1); where that underflows, the first terms of the
    tail itself. A few tails of up to a thousand flips are counted.
    """
    n, k = np.asarray(n, dtype=float), np.asarray(k, dtype=float)
    if n.size <= FEW:
        return np.asarray(np.vectorize(_log_single, otypes=[float])(n, k))
    import scipy.special

    inside = (k > 0) & (k <= n)
    value = scipy.special.betainc(np.where(inside, k, 1.0), np.where(inside, n - k + 1, 1.0), 0.5)
    with np.errstate(divide="ignore"):
        result = np.where(inside, np.log(value), np.where(k <= 0, 0.0, -np.inf))
    for i in np.flatnonzero(inside & (value < UNDERFLOW)):
        result[i] = _log_far_tail(int(n[i]), int(k[i]))
    return np.asarray(result)


def _log_single(n: float, k: float) -> float:
    if not 0 < k <= n:
        return 0.0 if k <= 0 else -math.inf
    if n > MAX_LISTED:
        return log_beta_tails(k, n - k + 1, 0.5)[0]
    return math.log(_ways(int(n), int(k)) / (1 << int(n)))


def _ways(n: int, k: int) -> int:
    """How many of all 2^n outcomes have k heads or more."""
    if 2 * k <= n:
        return (1 << n) - _ways(n, n - k + 1)
    total = term = math.comb(n, k)
    for i in range(k, n):
        term = term * (n - i) // (i + 1)
        total += term
    return total


def log_point(n: int, k: int) -> float:
    """log of C(n, k) 2^-n from the mode outwards, where consecutive ratios lose no digits."""
    mode, k = n // 2, max(k, n - k)
    i = np.arange(mode + 1, k + 1, dtype=float)
    return _log_central(n) + math.fsum(np.log((n - i + 1) / i).tolist())


def _log_central(n: int) -> float:
    """log of C(n, n//2) 2^-n: exact integers when small, Stirling's series when large (error below 1e-18)."""
    m = n // 2
    if n <= 2000:
        return math.log(math.comb(n, m)) - n * LOG2
    # C(2m, m) 4^-m = exp(-1/8m + 1/192m³ - 1/640m⁵ …)/√(πm); an odd n adds a factor (2m + 1)/(2m + 2).
    log = -0.5 * math.log(math.pi * m) - 1 / (8 * m) + 1 / (192 * m**3) - 1 / (640 * m**5)
    return log + (math.log1p(-1 / (2 * m + 2)) if n % 2 else 0.0)


def _log_far_tail(n: int, k: int) -> float:
    """First term times the series 1 + r1 + r1·r2 + …, r = (n - k)/(k + 1) < 1 and falling."""
    total, term, i = 1.0, 1.0, k
    while i < n and term > 1e-18 * total:
        term *= (n - i) / (i + 1)
        total += term
        i += 1
    return log_point(n, k) + math.log(total)


def log_pmf(n: int) -> Array:
    """log of C(n, k) 2^-n for all k, accumulated from the mode outwards."""
    mode = n // 2
    i = np.arange(mode + 1, n + 1, dtype=float)
    upper = _log_central(n) + np.concatenate([[0.0], np.cumsum(np.log((n - i + 1) / i))])
    k = np.arange(n + 1)
    return np.asarray(upper[np.maximum(k, n - k) - mode])


def two_sizes(values: Array, counts: Array, observed: int) -> Tail:
    """P(S ≥ observed) and P(S = observed) when flips come in two sizes: one binomial is listed, the other's tail is closed.

    Serves sizes too far apart for a lattice.

    Examples
    --------
    >>> import math, numpy as np
    >>> round(math.exp(two_sizes(np.array([7, 999983]), np.array([2, 1]), 999983).log), 6)  # 7 and -7 cancel, or both are up
    0.375
    """
    (small, large), (n1, n2) = (int(v) for v in values), (int(c) for c in counts)
    heads = np.arange(n2 + 1)
    # Σ of the large ones is (2·heads - n2)·large; the small ones must make up the rest.
    need = [observed - (2 * int(h) - n2) * large + n1 * small for h in heads]
    at_least = np.array([min(max(-(-x // (2 * small)), 0), n1 + 1) for x in need])
    tied = np.array([x % (2 * small) == 0 and 0 <= x // (2 * small) <= n1 for x in need])
    log_point = log_pmf(n2)
    whole = _log_sum(log_point + log_tail(np.full(n2 + 1, n1), at_least))
    return Tail(whole, _log_sum(log_point[tied] + log_pmf(n1)[at_least[tied]]))


def two_binomials(n1: int, n2: int, inside: Callable[[Array, Array], tuple[Array, Array]]) -> tuple[float, float]:
    """log P and log of the ties for independent X ~ Bin(n1, ½), Y ~ Bin(n2, ½) and a region that grows with x in every row y.

    `inside(x, y)` gives two masks: in the region, and tied with its threshold. Rows are searched by
    bisection.
    """
    rows = np.arange(n2 + 1)
    log_point = log_pmf(n2)
    # One place more than there are points: a row that never enters the region.
    log_upper = np.append(np.logaddexp.accumulate(log_pmf(n1)[::-1])[::-1], -np.inf)
    at_least = _log_sum(log_point + log_upper[_first(lambda x: inside(x, rows)[0], n1, rows)])
    beyond = _log_sum(log_point + log_upper[_first(lambda x: np.greater(*inside(x, rows)), n1, rows)])
    return at_least, at_least + math.log(-math.expm1(beyond - at_least)) if beyond < at_least else -math.inf


def _first(holds: Callable[[Array], Array], n: int, rows: Array) -> Array:
    """For every row the first x in 0..n at which a condition holds that then goes on holding; n + 1 if none."""
    low, high = np.full(len(rows), -1), np.full(len(rows), n + 1)
    while (high - low > 1).any():
        middle = np.clip((low + high) // 2, 0, n)
        there = holds(middle)
        undecided = high - low > 1
        low, high = np.where(undecided & ~there, middle, low), np.where(undecided & there, middle, high)
    return high


def _log_sum(logs: Array) -> float:
    if not len(logs):
        return -math.inf
    top = float(logs.max())
    return top + math.log(math.fsum(np.exp(logs - top).tolist())) if math.isfinite(top) else -math.inf


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
    result[~far] = log_tail(n[~far], k[~far])
    result[far] = _log_far_tails(n[far], k[far])
    return result


def _divergence(n: Array, k: Array) -> Array:
    """n times the Kullback-Leibler divergence of k/n from ½: n/2 [(1 + u) log(1 + u) + (1 - u) log(1 - u)], u = 2k/n - 1."""
    u = (2 * k - n) / np.maximum(n, 1)
    # x log x is 0 at 0.
    ahead, behind = (np.where(v > -1, (1 + v) * np.log1p(np.maximum(v, -1 + 1e-16)), 0.0) for v in (u, -u))
    return np.asarray(n / 2 * (ahead + behind))


def _log_far_tails(n: Array, k: Array) -> Array:
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
