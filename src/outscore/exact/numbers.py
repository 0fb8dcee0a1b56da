"""Numbers recognised as written.

A score of 0.3 is stored as a binary fraction slightly off 3/10, and 0.1 + 0.2 is not 0.3: sums of such floats
lose the ties a permutation test must count. So before anything is added up, a table of floats is read back as
what people wrote: whole numbers, decimals with a common number of digits, or multiples of a small 1/q. The
check is exact, because IEEE division is correctly rounded: x was written as y/s exactly when
float(y)/float(s) == x, for |y| and s below 2**53.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from outscore.core.numeric import MAX_EXACT, Array, exact_sum

__all__ = ["fixed_point", "to_exact_integers"]

MAX_DIGITS = 15
"""Decimals with more significant digits than this are indistinguishable from arbitrary floats."""
MAX_DENOMINATOR = 10_000
PROBE = 200


def to_exact_integers(*tables: Array) -> tuple[list[Array], int] | None:
    """Integers and one scale such that every number is integer / scale, or None for genuinely real numbers.

    Examples
    --------
    >>> import numpy as np
    >>> to_exact_integers(np.array([0.1, 0.2, 0.35]))
    ([array([10, 20, 35])], 100)
    >>> to_exact_integers(np.array([1 / 3, 0.5]))
    ([array([2, 3])], 6)
    """
    if all(t.dtype.kind in "iub" for t in tables):
        return [t.astype(np.int64, copy=False) for t in tables], 1
    # Genuinely real numbers show after a few, and what a few need all need.
    few = np.concatenate([t[:: max(1, len(t) // PROBE)].astype(float).ravel() for t in tables])
    decimal = _decimal_scale(few)
    if decimal is None and _common_denominator(few) is None:
        return None
    flat = np.concatenate([np.asarray(t, dtype=float).ravel() for t in tables])
    scale = (decimal and _decimal_scale(flat, decimal)) or _common_denominator(flat)
    if scale is None:
        return None
    if any(float(np.abs(t).sum(dtype=float)) * scale >= MAX_EXACT for t in tables):
        return None
    return [np.rint(np.asarray(t, dtype=float) * scale).astype(np.int64) for t in tables], scale


def _decimal_scale(x: Array, scale: int = 1) -> int | None:
    """The smallest power of ten, from the given one up, that makes every number whole."""
    largest = float(np.abs(x).max(initial=0.0))
    while largest * scale < 10.0**MAX_DIGITS and scale <= 10**MAX_DIGITS:
        # Whole numbers of tenths are whole numbers of hundredths: what is settled need not be looked at
        # again.
        x = x[~_is_multiple(x, scale)]
        if not len(x):
            return scale
        scale *= 10
    return None


def _common_denominator(x: Array) -> int | None:
    """The smallest q, found as a least common multiple, for which every number is a multiple of 1/q."""
    q = 1
    while len(x):
        x = x[~_is_multiple(x, q)]
        if not len(x):
            return q
        candidate = Fraction(float(x[0])).limit_denominator(MAX_DENOMINATOR)
        q = math.lcm(q, candidate.denominator)
        if q > MAX_DENOMINATOR or not _is_multiple(x[:1], q)[0]:
            return None
    return q


def _is_multiple(x: Array, scale: int) -> Array:
    with np.errstate(over="ignore"):
        return np.asarray(np.rint(x * scale) / scale == x)


def fixed_point(values: Array, bits: int) -> tuple[Array, int]:
    """Reals as integers times 2**-shift, their absolute sum just under 2**bits.

    Rounding moves each number by at most half a unit; sums of the integers are exact in any order.
    """
    total = exact_sum(np.abs(values).ravel())
    if total == 0.0:
        return np.zeros(values.shape, dtype=np.int64), 0
    # Half a unit of rounding per number must still fit under the ceiling.
    shift = bits - 1 - math.frexp(total)[1]
    return np.rint(np.ldexp(values, shift)).astype(np.int64), shift
