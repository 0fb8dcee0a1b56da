"""Arrays and exact sums: the arithmetic that everything else takes for granted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEW_ADDENDS", "LARGEST_TOTAL", "Array", "combine", "exact_sum"]

Array = NDArray[Any]
# Sums of counts stay below this, so that int64 arithmetic in the kernel can never wrap round.
LARGEST_TOTAL = 2**53
FEW_ADDENDS = 4_096
"""Fewer numbers than this are added one by one: that is as quick."""


def combine(rows: Array, weights: Sequence[Sequence[int]]) -> Array:
    """Integer combinations of columns: one new column for each vector of weights, one more weight being a constant.

    Whole numbers get no fast matrix product from numpy, and most weights are 0 or 1.

    Examples
    --------
    >>> combine(np.array([[3, 1], [2, 5]]), [(1, 0), (1, 1), (0, 0, 7)])
    array([[3, 4, 7],
           [2, 7, 7]])
    """
    out = np.zeros((len(rows), len(weights)), dtype=rows.dtype, order="F")
    for i, vector in enumerate(weights):
        for source, weight in zip(rows.T, vector, strict=False):
            if weight:
                out[:, i] += source if weight == 1 else weight * source
        if len(vector) > rows.shape[1]:
            out[:, i] += vector[-1]
    return out


def exact_sum(x: Array) -> float:
    """The sum of finite floats, correctly rounded, as `math.fsum` has it; many are added as whole numbers.

    Every pass takes the upper bits of all numbers, as many as a sum of integers has room for, and leaves the lower ones to the
    next. What spans more bits than a few passes hold goes to `fsum`.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    rest, total = np.ascontiguousarray(x, dtype=float), Fraction(0)
    if len(rest) < FEW_ADDENDS:
        return math.fsum(rest.tolist())
    room = 62 - len(rest).bit_length()
    for _ in range(4):
        largest = max(float(rest.max()), -float(rest.min()))
        if largest == 0.0:
            return float(total)
        shift = room - math.frexp(largest)[1]
        if abs(shift) > 1_000 or not math.isfinite(largest):
            break
        whole = np.rint(rest * math.ldexp(1.0, shift))
        total += int(whole.astype(np.int64).sum()) * Fraction(2) ** -shift
        rest = rest - whole * math.ldexp(1.0, -shift)
    return math.fsum(x.tolist())
