"""Numbers as text: whether a cell holds one, and what is wrong with it if not."""

from __future__ import annotations

import re

from outscore.core.numeric import LARGEST_SCORE
from outscore.formats.base.source import shorten

__all__ = ["DECIMAL_POINT", "MISSING_WORDS", "OR_DROP", "TRUTH", "is_name", "is_number", "is_truth", "is_whole", "problem_with"]

# Possessive, so that a field of a million digits and a letter is refused in one pass.
_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
# Groups of three digits; what begins with 0 is a decimal.
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
# What stands between the commas of "0,5 0,7".
_TWO_DECIMALS = re.compile(r"[0-9]+\s+[+-]?[0-9]+")
MISSING_WORDS = frozenset({"", "-", "?", ".", "na", "n/a", "#n/a", "nan", "none", "null"})
"""What stands where there is no score."""
_MISSING = MISSING_WORDS | {"inf", "infinity"}
TRUTH = {"true": "1", "false": "0"}
"""Words for numbers that programs write."""
DECIMAL_POINT = "Write decimals with a point instead of a comma."
_MISSING_SCORE = "Give the item a score, or remove it from both systems."
OR_DROP = "Give the item a score, or leave out and count such rows with --missing drop (missing=... in Python)."
_NOT_A_NUMBER = "Keep only numbers below an optional header line."


def is_number(field: str) -> bool:
    """Whether this is a decimal number in ASCII."""
    return _NUMBER.fullmatch(field) is not None


def is_whole(field: str) -> bool:
    """Whether this number is written without a point or an exponent."""
    return field.lstrip("+-").isdigit()


def is_truth(field: str) -> bool:
    """Whether this is true or false."""
    return field.lower() in TRUTH


def is_name(field: str) -> bool:
    """True if the cell can be a header: not numeric, not missing, not a malformed number."""
    return not is_number(field) and not is_truth(field) and _hint(field) == _NOT_A_NUMBER


def problem_with(
    field: str, *, column: str = "", otherwise: str = _NOT_A_NUMBER, absent: str = _MISSING_SCORE
) -> tuple[str, str] | None:
    """Error message and hint for a cell that is not a finite number, or None.

    `otherwise` is the hint for text that does not look like a number at all, `absent` that for no score.
    """
    inside = f" in column `{column}`" if column else ""
    if is_number(field):
        if abs(float(field)) <= LARGEST_SCORE:
            return None
        return f"found {shorten(field)}{inside}, which is too large to compute with", f"Rescale it below {LARGEST_SCORE:.0e}."
    found = f'"{shorten(field)}"' if field else "an empty field"
    hint = _hint(field)
    if field.lower() in MISSING_WORDS:
        hint = absent
    return f"found {found}{inside}, expected a number", otherwise if hint == _NOT_A_NUMBER else hint


def _hint(field: str) -> str:  # noqa: PLR0911 - one for each kind of slip
    if field.strip("\"'+-").lower() in _MISSING or field.lower() in _MISSING:
        return _MISSING_SCORE
    if field.endswith("%") and is_number(field[:-1].strip()):
        return "Write it without the per cent sign."
    if _THOUSANDS.fullmatch(field):
        return f"Write {field.replace(',', '')} without the separator, or with a point if the comma is a decimal one."
    if _DECIMAL_COMMA.fullmatch(field) or _TWO_DECIMALS.fullmatch(field):
        return DECIMAL_POINT
    if field[0] in "\u2212\u2013\u2014" and is_number(field[1:]):
        return "Write the minus sign as a plain hyphen."
    if field[0] in "\"'" and is_number(field.strip("\"'")):
        return "Write numbers without quotation marks."
    return _NOT_A_NUMBER
