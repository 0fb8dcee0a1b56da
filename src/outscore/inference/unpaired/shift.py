"""The shift between two samples: the median of all differences a - b (Hodges and Lehmann, 1963), and limits from their order.

If B's scores are A's moved by a constant, the c-th difference from either end is a limit that inverts the rank-sum test, c the
largest number with P(U ≤ c - 1) ≤ α/2 for U of Mann and Whitney (1947) without ties (Hollander, Wolfe and Chicken, 2014,
section 4.3). Ties make the interval cover more often than its level. The n_A·n_B differences are not listed where they are
many: counting those up to x is a search in sorted scores, and x is halved over the floats.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import Array
from outscore.inference.base.walsh import key_of_float, number_of_key
from outscore.laws.normal import normal

__all__ = ["critical", "shift", "shift_limits", "shift_quantile"]

MAX_LISTED = 1_000_000
MAX_LAW = 2e7
"""Differences that are listed, and steps up to which the law of U is counted; beyond, an expansion has the same integers."""


def shift(a: Array, b: Array) -> float:
    """The median of all differences a - b.

    Examples
    --------
    >>> shift(np.array([1.0, 2.0, 9.0]), np.array([0.0, 1.0]))
    1.5
    """
    pairs = len(a) * len(b)
    middle = shift_quantile(a, b, (pairs + 1) // 2)
    return middle if pairs % 2 else (middle + shift_quantile(a, b, pairs // 2 + 1)) / 2


def shift_quantile(a: Array, b: Array, k: int) -> float:
    """The k-th smallest difference a - b, k from 1.

    Examples
    --------
    >>> [shift_quantile(np.array([1.0, 2.0, 9.0]), np.array([0.0, 1.0]), k) for k in range(1, 7)]
    [0.0, 1.0, 1.0, 2.0, 8.0, 9.0]
    """
    if len(a) * len(b) <= MAX_LISTED:
        return float(np.partition(np.subtract.outer(a, b).ravel(), k - 1)[k - 1])
    a, b = np.sort(a.astype(float)), np.sort(b.astype(float))
    low, high = key_of_float(math.nextafter(a[0] - b[-1], -math.inf)), key_of_float(a[-1] - b[0])
    while high - low > 1:
        middle = (low + high) // 2
        if int((len(b) - np.searchsorted(b, a - number_of_key(middle))).sum()) >= k:
            high = middle
        else:
            low = middle
    # Rounding may have moved it off the differences by a last place.
    found = number_of_key(high)
    place = np.clip(np.searchsorted(b, a - found), 1, len(b) - 1)
    near = np.concatenate([a - b[place], a - b[place - 1]])
    return float(near[np.argmin(np.abs(near - found))])


def shift_limits(a: Array, b: Array, side: float) -> tuple[float | None, float | None]:
    """The limits of the shift that leave `side` outside each; None where so few items bound nothing.

    Examples
    --------
    >>> shift_limits(np.array([1.5, 2.25, 3.5, 4.0]), np.array([0.25, 0.5, 0.75, 1.0]), 0.025)
    (0.5, 3.75)
    """
    c, pairs = critical(len(a), len(b), side), len(a) * len(b)
    return (shift_quantile(a, b, c), shift_quantile(a, b, pairs + 1 - c)) if c else (None, None)


def critical(n_a: int, n_b: int, side: float) -> int:
    """The largest c with P(U ≤ c - 1) ≤ side for samples without ties; 0 if there is none.

    Examples
    --------
    >>> critical(10, 10, 0.025), critical(3, 3, 0.025)
    (24, 0)
    """
    if float(min(n_a, n_b)) * n_a * n_b <= MAX_LAW:
        return int(np.searchsorted(_lower_law(n_a, n_b), side * (1 + 1e-12), side="right"))
    low, high = 0, n_a * n_b // 2 + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _expansion(n_a, n_b, middle - 1) <= side else (low, middle)
    return low


def _lower_law(n_a: int, n_b: int) -> Array:
    """P(U ≤ u) up to the middle: the coefficients of the Gaussian binomial Π (1 - q^(m+i)) / (1 - q^i), factor by factor."""
    few, many = sorted((n_a, n_b))
    points = n_a * n_b // 2 + 1
    mass = np.zeros(points)
    mass[0] = 1.0
    for i in range(1, few + 1):
        if many + i < points:
            mass[many + i :] -= mass[: points - many - i].copy()
        for start in range(min(i, points)):
            mass[start::i] = np.cumsum(mass[start::i])
        mass *= i / (many + i)
    return np.cumsum(mass)


def _expansion(n_a: int, n_b: int, u: int) -> float:
    """P(U ≤ u) by Edgeworth's series up to the fourth cumulant (Fix and Hodges, 1955), U spread over (-½, ½)."""
    whole = n_a + n_b + 1
    variance = n_a * n_b * whole / 12 + 1 / 12
    fourth = -n_a * n_b * whole * (n_a**2 + n_b**2 + n_a * n_b + n_a + n_b) / 120 / variance**2
    x = (u + 0.5 - n_a * n_b / 2) / math.sqrt(variance)
    return normal(x) - math.exp(-x * x / 2) / math.sqrt(2 * math.pi) * fourth / 24 * (x**3 - 3 * x)
