"""The array type, numerical constants, exact sums and brackets of roots that all rooms share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    # Results take constants from here, and a saved one is read without numpy.
    Array = Any

LN10 = math.log(10.0)
"""Natural logarithm of 10, which turns log p into log10 p."""
LOG2 = math.log(2.0)
"""Natural logarithm of 2."""
TIE_TOLERANCE = 1e-12
"""Relative difference up to which two floats that were computed in different ways count as equal."""
MAX_EXACT = 2**53
"""From here on neighbouring integers are the same float64. Sums of counts stay below it, so that int64 cannot overflow."""
LARGEST_SCORE = 1e150
"""Squares and sums of scores up to this size are finite."""
TINY_POWER = -400
"""Squares of numbers below this power of two, or of their small differences, leave the numbers that have all digits."""
MIN_FLOAT = 5e-324
"""The smallest positive float, which stands for a p-value too small for one."""
MIN_ADDENDS = 4_096
"""Below this many numbers `math.fsum` is as fast as `exact_sum`."""
ADDENDS = 1 << 15
"""How many are added up at a time: what is left of them stays in the processor's cache."""
FINE = 1e-14
"""A bracket so narrow, relative to its ends, is left to halving: six more steps reach neighbouring floats."""
CHORDS = 40
"""A curve that no line follows is left to halving, too."""

SHORT = {2: (3, 20), 4: (6, 100)}
"""By the size of a float in bytes: decimals with so many digits, and fractions with so small a denominator, survive in it."""


def as_array(x: object) -> Array | None:
    """What a list, an array or a column contains, as an array; None if its rows have different lengths.

    Examples
    --------
    >>> import numpy as np
    >>> as_array((1, 2.5)).tolist(), as_array(np.array([1, 2], dtype=object)).dtype.kind, as_array([[1], [2, 3]])
    ([1.0, 2.5], 'i', None)
    """
    import numpy as np

    try:
        raw = np.asarray(x)
    except ValueError:
        return None
    if raw.dtype == object and all(isinstance(entry, (int, float, np.number)) for entry in raw.ravel()):
        # Numbers in a column of type object, as dataframes may have them.
        raw = np.array(raw.tolist())
    return raw


def as_written(x: Array) -> Array:
    """Floats in double precision, those of single and half precision read by their shortest decimal.

    The float32 next to .1 is .10000000149 in double precision, and no longer a tenth. A number that no short
    decimal gives is read as a small fraction where one rounds to it: the float32 .33333334 is a third.

    Examples
    --------
    >>> import numpy as np
    >>> as_written(np.array([0.1, 1 / 3, 0.25], dtype=np.float32)).tolist()
    [0.1, 0.3333333333333333, 0.25]
    """
    import numpy as np

    if x.dtype.itemsize not in SHORT:
        return x.astype(np.float64, copy=False)
    digits, largest = SHORT[x.dtype.itemsize]
    distinct, places = np.unique(x, return_inverse=True)
    read = distinct.astype(str).astype(np.float64)
    long = np.array([_digits(float(value)) > digits for value in read], dtype=bool)
    for q in range(3, largest + 1):
        near = np.rint(distinct.astype(np.float64) * q) / q
        exact = long & (near.astype(x.dtype) == distinct)
        read[exact] = near[exact]
        long &= ~exact
    return np.asarray(read[places].reshape(x.shape))


def _digits(value: float) -> int:
    """Significant digits of the shortest decimal."""
    return len(repr(value).lower().partition("e")[0].replace(".", "").strip("-0"))


def combine(rows: Array, weights: Sequence[Sequence[int]]) -> Array:
    """Integer combinations of columns: one new column per weight vector; a surplus weight is added as a constant.

    numpy has no fast matrix product for integers, and most weights are 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> combine(np.array([[3, 1], [2, 5]]), [(1, 0), (1, 1), (0, 0, 7)])
    array([[3, 4, 7],
           [2, 7, 7]])
    """
    import numpy as np

    # Of bools a sum would be another bool.
    rows = rows.astype(np.int64) if rows.dtype.kind == "b" else rows
    out = np.empty((len(rows), len(weights)), dtype=rows.dtype, order="F")
    for column, vector in zip(out.T, weights, strict=True):
        parts = [source if weight == 1 else weight * source for source, weight in zip(rows.T, vector, strict=False) if weight]
        parts += vector[rows.shape[1] :]
        if len(parts) < 2:
            column[:] = parts[0] if parts else 0
            continue
        # The first two in one pass.
        np.add(parts[0], parts[1], out=column)
        for part in parts[2:]:
            np.add(column, part, out=column)
    return out


def weighed(rows: Array, weights: Sequence[float] | Array) -> Array:
    """rows @ weights; where a single weight is 1 and the others are 0, that column itself, since products of integers are slow.

    Examples
    --------
    >>> import numpy as np
    >>> weighed(np.array([[3, 1], [2, 5]]), (0, 1)), weighed(np.array([[3, 1], [2, 5]]), (1, -1))
    (array([1, 5]), array([ 2, -3]))
    """
    import numpy as np

    places = [k for k, weight in enumerate(weights) if weight]
    if len(places) == 1 and weights[places[0]] == 1:
        return np.asarray(rows[..., places[0]])
    return np.asarray(rows @ np.asarray(weights))


def median(x: Array) -> float:
    """What `np.median` finds in one column without nan, in a fraction of its time for short ones.

    Examples
    --------
    >>> import numpy as np
    >>> median(np.array([3, 1, 2])), median(np.array([4.0, 1.0, 2.0, 3.0]))
    (2.0, 2.5)
    """
    import numpy as np

    low, high = (len(x) - 1) // 2, len(x) // 2
    middle = np.partition(x, (low, high))
    return float((middle[low] + middle[high]) / 2)


def quantiles(x: Array, levels: Sequence[float]) -> list[float]:
    """What `np.quantile` finds in one column, linear between neighbours, without the masked arrays that it loads too.

    Examples
    --------
    >>> import numpy as np
    >>> quantiles(np.array([4.0, 1.0, 2.0]), (0.25, 0.5, 1.0))
    [1.5, 2.0, 4.0]
    """
    import numpy as np

    last = len(x) - 1
    places = [last * float(level) for level in levels]
    lower = [math.floor(place) for place in places]
    upper = [min(low + 1, last) for low in lower]
    ordered = np.partition(x, sorted({*lower, *upper, last}))
    if math.isnan(ordered[last]):
        return [math.nan] * len(places)
    values = []
    for place, low, high in zip(places, lower, upper, strict=True):
        share, below, above = place - low, float(ordered[low]), float(ordered[high])
        # From the nearer neighbour, so that a share of 0 or 1 is that neighbour.
        values.append(below + (above - below) * share if share < 0.5 else above - (above - below) * (1 - share))
    return values


def distinct(x: Array) -> Array:
    """The finite numbers of an array, each once, in order: `np.unique` without loading masked arrays to look for a mask.

    Examples
    --------
    >>> import numpy as np
    >>> distinct(np.array([[3, 1], [1, 2]])), distinct(np.array([]))
    (array([1, 2, 3]), array([], dtype=float64))
    """
    import numpy as np

    ordered = np.sort(x, axis=None)
    first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def as_integers(x: Array) -> Array:
    """Floats that are whole, all of them, as integers; others, and any too large to be told from its neighbours, as they are.

    Examples
    --------
    >>> import numpy as np
    >>> as_integers(np.array([3.0, 1.0])), as_integers(np.array([0.5, 1.0])), as_integers(np.array([1e19]))
    (array([3, 1]), array([0.5, 1. ]), array([1.e+19]))
    """
    import numpy as np

    whole = bool(((x == np.rint(x)) & (np.abs(x) < MAX_EXACT)).all())
    return x.astype(np.int64) if whole else x


def exact_sum(x: Array) -> float:
    """The correctly rounded sum of finite floats, equal to `math.fsum` and faster for long arrays.

    Each pass adds the upper bits of all numbers as integers, as many bits as int64 has room for, and leaves the lower bits to
    the next pass. Numbers that span more bits than four passes cover go to `fsum`.

    Examples
    --------
    >>> import numpy as np
    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    import numpy as np

    numbers = np.ascontiguousarray(x, dtype=float)
    if len(numbers) < MIN_ADDENDS:
        # Zeros, of which differences of scores have many, would take as long as any other number.
        return math.fsum(numbers[numbers != 0].tolist())
    total = Fraction(0)
    for start in range(0, len(numbers), ADDENDS):
        part = _exact_part(numbers[start : start + ADDENDS])
        if part is None:
            return math.fsum(numbers.tolist())
        total += part
    return float(total)


def _exact_part(rest: Array) -> Fraction | None:
    """The sum of numbers that four passes cover; None of others."""
    import numpy as np

    total = Fraction(0)
    room = 62 - len(rest).bit_length()
    for _ in range(4):
        largest = max(float(rest.max()), -float(rest.min()))
        if largest == 0.0:
            return total
        shift = room - math.frexp(largest)[1]
        if abs(shift) > 1_000 or not math.isfinite(largest):
            break
        whole = np.rint(rest * math.ldexp(1.0, shift))
        total += int(whole.astype(np.int64).sum()) * Fraction(2) ** -shift
        rest = rest - whole * math.ldexp(1.0, -shift)
    return None


def tiny_power(x: Array) -> int:
    """The power of two that the numbers are about as large as, where their squares would lose digits; else 0.

    Such numbers are divided by it before they are squared: `np.ldexp(x, -power)` is exact.

    Examples
    --------
    >>> import numpy as np
    >>> tiny_power(np.array([0.0, 3.0])), tiny_power(np.array([0.0, 2.0**-559]))
    (0, -558)
    """
    power = math.frexp(float(abs(x).max(initial=0.0)))[1]
    return power if power < TINY_POWER else 0


def float_of(text: str) -> float:
    """The number that a text is, NaN where it is none.

    Examples
    --------
    >>> float_of("0.5"), float_of("half")
    (0.5, nan)
    """
    try:
        return float(text)
    except ValueError:
        return math.nan


def finite(value: float | None) -> float | None:
    """The value, or None where there is no number to show: that is also what a saved result holds."""
    return None if value is None or not math.isfinite(value) else float(value)


def renumbered(codes: Array, known: int) -> tuple[Array, Array]:
    """Those of the codes 0 … known - 1 that occur, in order, and all codes as places among them; without sorting.

    Examples
    --------
    >>> import numpy as np
    >>> [x.tolist() for x in renumbered(np.array([4, 1, 4]), 6)]
    [[1, 4], [1, 0, 1]]
    """
    import numpy as np

    there = np.zeros(known, dtype=bool)
    there[codes] = True
    places = np.cumsum(there) - 1
    return np.flatnonzero(there), np.asarray(places[codes])


def first_where(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The first whole number above `low` from which on something holds; `high` at the latest.

    Examples
    --------
    >>> first_where(lambda k: k * k >= 50, 0, 20)
    8
    """
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def narrowed(function: Callable[[float], float], target: float, low: float, high: float) -> tuple[float, float]:
    """A narrow bracket of where a rising function reaches the target, from one that holds it.

    Chords, with the value of an end that stays twice halved (Dowell and Jarratt, 1971): a dozen values where halving takes
    fifty. The next point lies at least half a narrow bracket inside, so that the far end follows once the near one has
    arrived. At the ends the function is below the target, and not below it, as before.

    Examples
    --------
    >>> low, high = narrowed(lambda x: x * x, 2.0, 0.0, 2.0)
    >>> low**2 < 2 <= high**2, high - low < 1e-13
    (True, True)
    """
    below, above = function(low) - target, function(high) - target
    last = 0
    for _ in range(CHORDS):
        fine = FINE * max(abs(low), abs(high))
        if not high - low > fine:
            break
        middle = high - above * (high - low) / (above - below)
        middle = min(max(middle, low + fine / 2), high - fine / 2)
        value = function(middle) - target
        side = -1 if value < 0 else 1
        if side < 0:
            low, below = middle, value
            above = above / 2 if last == side else above
        else:
            high, above = middle, value
            below = below / 2 if last == side else below
        last = side
    return low, high
