"""Tango's score of paired right-or-wrong items, and the limits of the difference that follow from it.

p_A - p_B = δ is tested by the efficient score, with the nuisance parameter at its constrained maximum (Tango,
1998). One formula serves a single pair and arrays of pairs. `of` is the arithmetic it is done in: numpy, or
`NUMBERS`, which for a single pair is twenty times as fast.
"""

from __future__ import annotations

import math
from typing import Any

__all__ = ["NUMBERS", "limits", "score"]

TINY = 5e-324
STEPS = 60


class NUMBERS:
    """The functions of numpy that the formula needs, for single numbers."""

    sqrt, copysign, maximum, minimum = math.sqrt, math.copysign, max, min

    @staticmethod
    def where(condition: bool, one: float, other: float) -> float:  # noqa: FBT001 - as numpy has it
        """One of two numbers."""
        return one if condition else other


def score(n: Any, wins: Any, losses: Any, delta: Any, of: Any) -> Any:  # noqa: ANN401 - numbers or arrays of them
    """Tango's z for p_A - p_B = δ, decreasing in δ: of n items only A got `wins` right and only B `losses`.

    Examples
    --------
    >>> round(score(50, 6, 1, 0.0, NUMBERS), 6)  # McNemar's, 5/√7
    1.889822
    """
    linear = -wins - losses + (2 * n - wins + losses) * delta
    constant = -losses * delta * (1 - delta)
    root = of.sqrt(of.maximum(0.0, linear * linear - 8 * n * constant))
    # The other form of the quadratic formula where this one cancels.
    divisor = root + linear
    other = of.where(divisor != 0, -2 * constant / of.where(divisor != 0, divisor, 1.0), 0.0)
    p21 = of.where(linear < 0, (root - linear) / (4 * n), other)
    variance = n * (2 * p21 + delta * (1 - delta))
    gap = wins - losses - n * delta
    z = gap / of.sqrt(of.where(variance > 0, variance, 1.0))
    return of.where(variance > 0, z, of.where(gap == 0, 0.0, of.copysign(math.inf, gap)))


def limits(n: Any, wins: Any, losses: Any, z: float, kept: Any, of: Any) -> tuple[Any, Any]:  # noqa: ANN401 - as above
    """All δ with |score| ≤ z, moved to hold 0 exactly where the exact test does not reject 0, which `kept` says.

    Examples
    --------
    >>> [round(end, 4) for end in limits(50, 6, 1, 1.959963984540054, True, NUMBERS)]
    [-0.0048, 0.2226]
    """
    low, high = _solve(n, wins, losses, z, of), _solve(n, wins, losses, -z, of)
    ahead, astride = wins > losses, (low <= 0) & (high >= 0)
    # Far out the exact test is the sharper one: 0 is rejected on the side of the difference.
    away = of.where(astride & ahead, TINY, low), of.where(astride, of.where(ahead, high, -TINY), high)
    return of.where(kept, of.minimum(low, 0.0), away[0]), of.where(kept, of.maximum(high, 0.0), away[1])


def _solve(n: Any, wins: Any, losses: Any, z: float, of: Any) -> Any:  # noqa: ANN401 - as above
    """δ with score(δ) = z, by bisection on a decreasing function."""
    low, high = 0.0 * n - 1.0, 0.0 * n + 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = score(n, wins, losses, middle, of) > z
        low, high = of.where(above, middle, low), of.where(above, high, middle)
    return (low + high) / 2
