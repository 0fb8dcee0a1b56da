"""Numbers for people: p-values, scores, intervals.

Rounding never flatters: bounds are rounded outwards, and a p-value keeps enough digits to stay on its side of alpha.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from outscore.core.numeric import finite
from outscore.core.records import dataclass
from outscore.results.pvalue import Interval, PValue

# Below this the value itself is no longer a normal float and only its logarithm can be trusted.
SMALLEST_NORMAL_LOG10 = -307.6
SMALLEST_WRITTEN_OUT = Decimal("1e-4")
TINY, HUGE = 1e-5, 1e9
"""Numbers in between are written out."""


def format_probability(value: float, digits: int | None = None, rounding: str = ROUND_HALF_EVEN) -> str:
    """A probability without the zero before the point, and below 1e-4 as a power of ten.

    It has `digits` significant digits; by default three, or two as a power of ten.

    Examples
    --------
    >>> format_probability(0.0123456), format_probability(3.94e-281), format_probability(0.00009999), format_probability(1.0)
    ('.0123', '3.9e-281', '.000100', '1')
    """
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    digits = _fewest(value) if digits is None else digits
    rounded = Decimal(repr(value)).normalize(Context(prec=digits, rounding=rounding, Emin=-999))
    if rounded < SMALLEST_WRITTEN_OUT:
        mantissa, _, exponent = f"{rounded:.{digits - 1}e}".lower().partition("e")
        return f"{mantissa}e{int(exponent)}"
    places = max(digits - 1 - rounded.adjusted(), digits - 1)
    return f"{rounded:.{places}f}".removeprefix("0")


def _fewest(value: float) -> int:
    """Significant digits of a probability for people: two if it is written as, or rounds to, a power of ten; else three."""
    return 2 if Decimal(f"{value:.1e}") < SMALLEST_WRITTEN_OUT else 3


def format_p(p: PValue, alpha: float | None = None, *, brief: bool = False) -> str:
    """The p-value as people write it, with its error where it has one.

    With `alpha`, enough digits are shown to keep the rounded number on the same side of it as the true one. `brief` leaves
    out bounds that add nothing to the number: those on one side of `alpha`, and certified ones less than 1% apart.

    Examples
    --------
    >>> format_p(PValue(0.0123, 0.0123, 0.0123, -1.91, "exact", "lattice"))
    'p = .0123'
    >>> format_p(PValue(5e-324, 0.0, 5e-324, -1505.23, "exact", "lattice"))
    'p = 10^-1505.2'
    """
    number = format_p_number(p, alpha)
    shown = f"p {number}" if number.startswith("<") else f"p = {number}"
    error = format_p_error(p, bounds=not brief or (alpha is not None and p.lower <= alpha < p.upper))
    if not error:
        return shown
    return f"{shown} ({error})" if p.method == "certified" else f"{shown} {error}"


def format_p_number(p: PValue, alpha: float | None = None) -> str:
    """The p-value alone, for tables that have a separate column for its error.

    Examples
    --------
    >>> format_p_number(PValue(1e-9, 0.0, 1e-9, -9.0, "certified", "bracket"))
    '<= 1.00e-9'
    """
    if p.log10 < SMALLEST_NORMAL_LOG10:
        return f"10^{p.log10:.1f}"
    if p.method == "certified" and p.lower == 0.0 < p.upper:
        # Only an upper bound is known, so an equals sign would claim too much.
        return f"<= {format_probability(p.upper, 3, ROUND_CEILING)}"
    return format_probability(p.value, _digits(p.value, alpha))


def format_mid_p(mid: float, log10: float | None) -> str:
    """The mid-p of a test that has one; files of version 0.1.0 do not contain its logarithm.

    Examples
    --------
    >>> format_mid_p(5e-324, -1505.5)
    '10^-1505.5'
    """
    if log10 is not None and log10 < SMALLEST_NORMAL_LOG10:
        return f"10^{log10:.1f}"
    return format_probability(mid)


def format_p_error(p: PValue, *, bounds: bool = True) -> str:
    """The uncertainty that bounding or sampling leaves; empty where the value is known exactly.

    Without `bounds`, the bounds of sampled values are left out, and certified ones less than 1% apart.

    Examples
    --------
    >>> format_p_error(PValue(0.0123, 0.0098, 0.0152, -1.91, "monte-carlo", "sign-flips:9999"))
    '± .0027, 99% bounds .009800 to .01520'
    """
    if p.log10 < SMALLEST_NORMAL_LOG10 or (p.lower == 0.0 and p.method == "certified"):
        return ""
    low, high = format_probability(p.lower, 4, ROUND_FLOOR), format_probability(p.upper, 4, ROUND_CEILING)
    if p.method == "certified" and p.lower < p.upper:
        return f"between {low} and {high}" if bounds or p.upper > 1.01 * p.lower else ""
    if p.method == "monte-carlo":
        half = f"± {format_probability((p.upper - p.lower) / 2, 2)}"
        return f"{half}, 99% bounds {low} to {high}" if bounds else half
    return ""


def _digits(value: float, alpha: float | None) -> int:
    fewest = _fewest(value)
    if alpha is None or value == alpha:
        return fewest
    for digits in range(fewest, 17):
        rounded = float(f"{value:.{digits - 1}e}")
        if rounded != alpha and (rounded < alpha) == (value < alpha):
            return digits
    return 17


def decimals_for(*values: float, difference: float = 0.0) -> int:
    """How many decimals show the largest value to four digits and the difference to two."""
    largest = max((abs(v) for v in values if math.isfinite(v)), default=0.0)
    wanted = 3 - math.floor(math.log10(largest)) if largest else 4
    if difference and math.isfinite(difference):
        wanted = max(wanted, 1 - math.floor(math.log10(abs(difference))))
    return min(max(wanted, 0), 12)


@dataclass(frozen=True)
class Places:
    """How many decimals a short answer shows: of the difference and its interval, and of the scores."""

    difference: int
    score: int


def justified_places(
    scores: Iterable[float], difference: float = 0.0, low: float | None = None, high: float | None = None
) -> Places:
    """As many decimals as an interval justifies: two digits of half its width.

    Scores have three digits, but no more decimals than the interval and at most one fewer, and where these allow their
    difference is the one shown. An end that is not 0 is not rounded to 0, so that a reader sees on which side of it the
    interval lies. Without an interval, scores have four digits.

    Examples
    --------
    >>> justified_places([0.9337, 0.9238], 0.0099, 0.0038, 0.0161)
    Places(difference=4, score=3)
    >>> justified_places([74.5, 64.12], 10.38, 5.31, 15.44), justified_places([0.53, 0.597], -0.067, -0.232, 0.098)
    (Places(difference=1, score=1), Places(difference=2, score=2))
    >>> justified_places([14.04, 9.97], 4.07, 3.94, 4.21)
    Places(difference=2, score=2)
    """
    scores = list(scores)
    ends = [end for end in (low, high) if end is not None and math.isfinite(end)]
    width = (ends[1] - ends[0]) / 2 if len(ends) == 2 else max((abs(difference - end) for end in ends), default=0.0)
    if not width:
        alike = decimals_for(*scores, difference=difference)
        return Places(alike, alike)
    places = min(max(1 - math.floor(math.log10(width)), 0), 12)
    while places < 12 and any(end and not round(end, places) for end in (*ends, difference)):
        places += 1
    shown = max(min(decimals_for(*scores) - 1, places), places - 1, 0)
    # Who subtracts the scores that are shown finds the difference that is shown.
    while shown < places and len(scores) == 2 and _subtracted(scores, shown) != round(abs(difference), shown):
        shown += 1
    return Places(places, shown)


def _subtracted(scores: Sequence[float], places: int) -> float:
    return round(abs(round(scores[0], places) - round(scores[1], places)), places)


def decimals_of_intervals(intervals: Iterable[tuple[float | None, float | None]]) -> int:
    """Two digits of half the width of the narrowest interval; 12 if there is none.

    Examples
    --------
    >>> decimals_of_intervals([(0.772, 0.848), (0.1, None)]), decimals_of_intervals([])
    (3, 12)
    """
    widths = [high - low for low, high in intervals if low is not None and high is not None and low < high]
    return max((justified_places((), 0.0, -width / 2, width / 2).difference for width in widths), default=12)


def finer(decimals: int, value: float | None) -> int:
    """`decimals`, or as many more as `value` needs to show two digits.

    Examples
    --------
    >>> finer(4, 0.0123), finer(4, 0.000071)
    (4, 6)
    """
    if not value or not math.isfinite(value):
        return decimals
    return max(decimals, min(1 - math.floor(math.log10(abs(value))), 12))


def format_number(value: float | None, decimals: int | None = None, *, sign: bool = False) -> str:
    """A score or a difference for people: four significant digits, or `decimals` decimals.

    Examples
    --------
    >>> format_number(0.954321), format_number(0.0143, 4, sign=True), format_number(1234567.0), format_number(-5e-324, 4)
    ('0.9543', '+0.0143', '1234567', '0.0000')
    """
    if value is None:
        return "unbounded"
    plus = "+" if sign and value > 0 else ""
    # An end of an interval that was moved just past 0, to agree with p, is 0 for people.
    value = 0.0 if abs(value) < sys.float_info.min else value
    if not math.isfinite(value) or 0 < abs(value) < 1e-9 or abs(value) >= 1e15:
        return f"{plus}{value:.4g}"
    places = decimals_for(value) if decimals is None else decimals
    text = f"{value:.{places}f}"
    # Rounding may leave a minus sign before nothing but zeros.
    return plus + (text.removeprefix("-") if float(text) == 0 else text)


def format_interval(interval: Interval, decimals: int | None = None) -> str:
    """The two ends of an interval, in words where one is missing."""
    return format_ends(interval.low, interval.high, decimals)


def format_ends(low: float | None, high: float | None, decimals: int | None = None) -> str:
    """Two ends, in words where one is missing.

    Examples
    --------
    >>> format_ends(0.1, 0.2), format_ends(None, 0.2), format_ends(0.1, None)
    ('0.1000 to 0.2000', 'up to 0.2000', 'from 0.1000 upwards')
    """
    shown_low, shown_high = format_number(low, decimals), format_number(high, decimals)
    if low is None and high is None:
        return "unbounded on both sides"
    if low is None:
        return f"up to {shown_high}"
    return f"from {shown_low} upwards" if high is None else f"{shown_low} to {shown_high}"


def interval_ends(low: float | None, high: float | None, decimals: int | None = None) -> str:
    """An interval; empty where there is none.

    Examples
    --------
    >>> interval_ends(0.1, 0.2), interval_ends(None, math.inf)
    ('0.1000 to 0.2000', '')
    """
    low, high = finite(low), finite(high)
    return "" if low is None and high is None else format_ends(low, high, decimals)


def count(n: int, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> count(1, "item"), count(2000, "item")
    ('1 item', '2,000 items')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def span(low: int, high: int, word: str = " to ") -> str:
    """Two whole numbers, or one where they are equal.

    Examples
    --------
    >>> span(3, 3), span(3, 2000)
    ('3', '3 to 2,000')
    """
    return f"{low:,}" if low == high else f"{low:,}{word}{high:,}"


def format_level(alpha: float) -> str:
    """A significance level as it was given: .05."""
    return f"{alpha:g}".removeprefix("0")


def format_percent(level: float) -> str:
    """A confidence level: 95%."""
    return f"{100 * level:.10g}%"


def effect_size(value: float, *, computed: bool) -> str:
    """A requested difference as it is; a computed one rounded up, because a smaller one would promise too much.

    Examples
    --------
    >>> effect_size(0.02, computed=False), effect_size(0.028741, computed=True)
    ('0.02', '0.0288')
    """
    return rounded(value, up=True) if computed else rounded(value, 4)


def rounded(value: float, digits: int = 3, *, up: bool = False) -> str:
    """A number rounded to `digits` significant digits, away from 0 with `up`; very small and large ones as powers of ten.

    Examples
    --------
    >>> rounded(0.02953130, up=True), rounded(-0.5), rounded(12345.0), rounded(2.656e-9)
    ('0.0296', '-0.5', '12300', '2.66e-9')
    """
    if not value:
        return "0"
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_HALF_EVEN)
    # The last digits of a float are noise, which must not push a number up.
    clean = Decimal(f"{abs(value):.12g}").normalize(context)
    sign = "-" if value < 0 else ""
    if TINY <= abs(value) < HUGE:
        return f"{sign}{clean:f}"
    exponent = clean.adjusted()
    return f"{sign}{clean.scaleb(-exponent).normalize():f}e{exponent}"
