"""One written number: whether it is one, and what is wrong with it if not."""

from __future__ import annotations

import math
import re

__all__ = ["is_name", "is_number", "problem_with", "shorten"]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
_MISSING = frozenset({"", "-", "?", ".", "na", "n/a", "#n/a", "nan", "none", "null", "inf", "infinity"})
_SHOWN = 40
_GIVE_ONE = "Give the item a score, or remove it from both systems."
_NO_NUMBER_AT_ALL = "Keep only numbers below an optional header line."


def is_number(field: str) -> bool:
    """Whether this is a finite decimal number, written in ASCII."""
    return _NUMBER.fullmatch(field) is not None


def is_name(field: str) -> bool:
    """Whether this may stand in a header: neither a number, nor a missing one, nor one in the wrong dress."""
    return not is_number(field) and _cure(field) == _NO_NUMBER_AT_ALL


def shorten(text: str) -> str:
    """At most 40 characters of a line, fit for a message."""
    clean = " ".join(text.split())
    clean = "".join(c if c.isprintable() else "?" for c in clean)
    return clean if len(clean) <= _SHOWN else clean[: _SHOWN - 3] + "..."


def problem_with(field: str) -> tuple[str, str] | None:
    """What was found and how to cure it, or None for a proper number."""
    if is_number(field):
        if math.isfinite(float(field)):
            return None
        return f"found {shorten(field)}, which is too large for a number", "Write numbers below 1e308."
    found = f'"{shorten(field)}"' if field else "an empty field"
    return f"found {found}, expected a number", _cure(field)


def _cure(field: str) -> str:
    if field.strip("\"'+-").lower() in _MISSING or field.lower() in _MISSING:
        return _GIVE_ONE
    if field.endswith("%") and is_number(field[:-1].strip()):
        return "Write it without the per cent sign."
    if _DECIMAL_COMMA.fullmatch(field):
        return "Write decimals with a point instead of a comma."
    if field[0] in "\u2212\u2013\u2014" and is_number(field[1:]):
        return "Write the minus sign as a plain hyphen."
    if field[0] in "\"'" and is_number(field.strip("\"'")):
        return "Write numbers without quotation marks."
    return _NO_NUMBER_AT_ALL
