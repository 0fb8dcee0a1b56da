"""The normal law: its distribution function, its quantiles and its tail beside its density."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

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
