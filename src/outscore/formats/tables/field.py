"""One written number: whether it is one, and what is wrong with it if not."""

from __future__ import annotations

import math
import re

__all__ = ["DECIMAL_POINT", "is_name", "is_number", "is_whole", "problem_with", "shorten", "undecoded"]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
# What stands between the commas of "0,5 0,7".
_TWO_DECIMALS = re.compile(r"[0-9]+\s+[+-]?[0-9]+")
_MISSING = frozenset({"", "-", "?", ".", "na", "n/a", "#n/a", "nan", "none", "null", "inf", "infinity"})
_UNDECODED = re.compile("[\udc80-\udcff]")
_SHOWN = 40
DECIMAL_POINT = "Write decimals with a point instead of a comma."
_GIVE_ONE = "Give the item a score, or remove it from both systems."
_NO_NUMBER_AT_ALL = "Keep only numbers below an optional header line."


def is_number(field: str) -> bool:
    """Whether this is a finite decimal number, written in ASCII."""
    return _NUMBER.fullmatch(field) is not None


def is_whole(field: str) -> bool:
    """Whether this number is written without a point and an exponent."""
    return field.lstrip("+-").isdigit()


def undecoded(text: str) -> tuple[str, str] | None:
    """What was found and how to cure it where bytes were no UTF-8, or None."""
    found = _UNDECODED.search(text)
    if found is None:
        return None
    return f"found the byte 0x{ord(found[0]) - 0xDC00:02x}, which is not UTF-8 text", "Save the file as UTF-8."


def is_name(field: str) -> bool:
    """Whether this may stand in a header: neither a number, nor a missing one, nor one in the wrong dress."""
    return not is_number(field) and _cure(field) == _NO_NUMBER_AT_ALL


def shorten(text: str) -> str:
    """At most 40 characters of a line, fit for a message."""
    clean = " ".join(text.split())
    clean = "".join(c if c.isprintable() else "?" for c in clean)
    return clean if len(clean) <= _SHOWN else clean[: _SHOWN - 3] + "..."


def problem_with(field: str, *, column: str = "", otherwise: str = _NO_NUMBER_AT_ALL) -> tuple[str, str] | None:
    """What was found (in a named column) and how to cure it, or None for a proper number.

    `otherwise` is the cure of what looks like no number at all.
    """
    inside = f" in column `{column}`" if column else ""
    if is_number(field):
        if math.isfinite(float(field)):
            return None
        return f"found {shorten(field)}{inside}, which is too large for a number", "Write numbers below 1e308."
    found = f'"{shorten(field)}"' if field else "an empty field"
    cure = _cure(field)
    return f"found {found}{inside}, expected a number", otherwise if cure == _NO_NUMBER_AT_ALL else cure


def _cure(field: str) -> str:
    if field.strip("\"'+-").lower() in _MISSING or field.lower() in _MISSING:
        return _GIVE_ONE
    if field.endswith("%") and is_number(field[:-1].strip()):
        return "Write it without the per cent sign."
    if _DECIMAL_COMMA.fullmatch(field) or _TWO_DECIMALS.fullmatch(field):
        return DECIMAL_POINT
    if field[0] in "\u2212\u2013\u2014" and is_number(field[1:]):
        return "Write the minus sign as a plain hyphen."
    if field[0] in "\"'" and is_number(field.strip("\"'")):
        return "Write numbers without quotation marks."
    return _NO_NUMBER_AT_ALL
