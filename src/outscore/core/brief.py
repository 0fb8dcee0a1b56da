"""Short forms for `repr`: of names, numbers, intervals and p-values, and a base class that keeps to one line."""

from __future__ import annotations

MAX_REPR = 200
"""No `repr` is longer."""
MAX_NAME = 24
"""Characters of a system's name in a `repr`."""


class Brief:
    """Shows itself on one line, however large it is."""

    def _brief(self) -> str:
        """What it is in a few words."""
        raise NotImplementedError

    def __repr__(self) -> str:
        text = f"<{type(self).__name__} {self._brief()}>"
        return text if len(text) <= MAX_REPR else f"{text[: MAX_REPR - 4]}...>"


def count_of(number: int, noun: str) -> str:
    """A number of things.

    Examples
    --------
    >>> count_of(1, "item"), count_of(2_000, "item")
    ('1 item', '2,000 items')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def brief_name(name: str, longest: int = MAX_NAME) -> str:
    """A name of at most `longest` characters, on one line.

    Examples
    --------
    >>> brief_name("a-system-with-a-very-long-name")
    'a-system-with-a-very-...'
    """
    name = " ".join(name.split())
    return name if len(name) <= longest else f"{name[: longest - 3]}..."


def brief_number(value: float | None, *, sign: bool = False) -> str:
    """A number with four digits.

    Examples
    --------
    >>> brief_number(0.00991, sign=True), brief_number(None)
    ('+0.00991', '?')
    """
    if value is None:
        return "?"
    return f"{value:+.4g}" if sign else f"{value:.4g}"


def brief_interval(low: float | None, high: float | None) -> str:
    """Both ends of an interval.

    Examples
    --------
    >>> brief_interval(0.0038, None)
    '[0.0038, inf]'
    """
    return f"[{'-inf' if low is None else f'{low:.4g}'}, {'inf' if high is None else f'{high:.4g}'}]"


def brief_p(value: float, log10: float) -> str:
    """A p-value with two digits, from its logarithm where it lies below the floats.

    Examples
    --------
    >>> brief_p(0.0017, -2.77), brief_p(5e-324, -1505.2), brief_p(1.0, 0.0)
    ('p=.0017', 'p=10^-1505.2', 'p=1')
    """
    return f"p=10^{log10:.1f}" if log10 < -300 else f"p={f'{value:.2g}'.removeprefix('0')}"
