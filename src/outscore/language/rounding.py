"""Differences and spreads in significant digits, rounded the same way in every sentence and table."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal

__all__ = ["effect_size", "rounded"]

TINY, HUGE = 1e-5, 1e9
"""Numbers in between are written out."""


def effect_size(value: float, *, computed: bool) -> str:
    """A difference that was asked for as it is; a computed one rounded up: what is smaller would promise too much.

    Examples
    --------
    >>> effect_size(0.02, computed=False), effect_size(0.028741, computed=True)
    ('0.02', '0.0288')
    """
    return rounded(value, up=True) if computed else rounded(value, 4)


def rounded(value: float, digits: int = 3, *, up: bool = False) -> str:
    """So many significant digits, away from 0 if asked for; very small and very large numbers as powers of ten.

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
