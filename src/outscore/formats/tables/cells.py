"""Columns under construction: values go in block by block, codes and numbers come out.

Nothing is kept of a block but its numbers and the labels not seen before, so that a file of any length is read in the memory
of its answer. As with bare numbers, a fast path does the work and declines whatever is odd; the careful path reads the same
values one by one, and either returns the number or names the line to blame.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal
from itertools import compress

import numpy as np

from outscore.core.numeric import MAX_EXACT, Array
from outscore.formats.tables.field import is_number, is_whole, problem_with, shorten, undecoded
from outscore.formats.tables.table import Records
from outscore.scores.system import Labels

__all__ = ["FLAT", "GappedColumn", "LabelColumn", "NumberColumn", "is_blank", "is_scalar", "looks_numeric"]

_NOT_NUMERIC = re.compile(r"[^0-9eE+\-.\n]")
_NOT_WHOLE = re.compile(r"[.eE]")
_TRUTH = {"true": 1, "false": 0}
_ONLY_NUMBERS = "Keep only numbers, true and false in a column of scores."
FLAT = "Write the table flat: one value under each name."
NO_LABEL = "(none)"


class _Problem(Exception):  # noqa: N818 - it never leaves this file
    """What was found, and its cure."""


def is_scalar(value: object) -> bool:
    """Whether a cell holds one value and not a list or an object of its own."""
    return value is None or isinstance(value, (str, int, float, Decimal)) or not isinstance(value, (dict, list, tuple))


def is_blank(value: object) -> bool:
    """Whether a cell holds nothing."""
    return value is None or (isinstance(value, str) and not value.strip())


def looks_numeric(sample: Sequence[object]) -> bool:
    """Whether most of a column's values that are present are numbers, true or false."""
    present = [value for value in sample if not is_blank(value)]
    good = sum(_is_numeric(value) for value in present)
    return good > 0 and 2 * good >= len(present)


def _is_numeric(value: object) -> bool:
    if isinstance(value, str):
        text = value.strip()
        return is_number(text) or text.lower() in _TRUTH
    return isinstance(value, (int, float, Decimal))


class LabelColumn:
    """Labels under construction: text without blanks around it, so that 1, 1.0 and "1 " are the same label."""

    def __init__(self, records: Records, column: str, *, optional: bool = False) -> None:
        self._records, self._column, self._optional = records, column, optional
        self._known: dict[str, int] = {}
        self._blocks: list[Array] = []

    @property
    def names(self) -> tuple[str, ...]:
        """The distinct labels so far."""
        return tuple(self._known)

    def encode(self, values: Sequence[object], lines: Array) -> Array:
        """The codes of a block."""
        texts = _tidy(values)
        if texts is None:
            texts = self._texts(values, lines)
        known, code_of = self._known, self._known.setdefault
        return np.array([code_of(text, len(known)) for text in texts], dtype=np.int64)

    def add(self, values: Sequence[object], lines: Array) -> None:
        """Take a block."""
        self.extend(self.encode(values, lines))

    def extend(self, codes: Array) -> None:
        """Take a block that is encoded already."""
        self._blocks.append(codes)

    def labels(self) -> Labels:
        """All blocks as one."""
        return Labels(np.concatenate(self._blocks), self.names)

    def _texts(self, values: Sequence[object], lines: Array) -> list[str]:
        texts = []
        for value, line in zip(values, lines.tolist(), strict=True):
            try:
                texts.append(_label(value, self._column, optional=self._optional))
            except _Problem as problem:
                self._records.refuse(line, *problem.args)
        return texts


def _tidy(values: Sequence[object]) -> list[str] | None:
    """Labels that are text already, without blanks around them; None when some must be looked at one by one."""
    if set(map(type, values)) != {str}:
        return None
    texts = list(map(str.strip, values))  # type: ignore[arg-type]
    whole = "".join(texts)
    return None if "" in texts or not (whole.isascii() or undecoded(whole) is None) else texts


def _label(value: object, column: str, *, optional: bool) -> str:
    if not is_scalar(value):
        raise _Problem(f"found {_kind(value)} in column `{column}`, expected a label", FLAT)
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = "" if missing else str(value).strip()
    if not text:
        if optional:
            return NO_LABEL
        raise _Problem(f"found nothing in column `{column}`, expected a label", "Fill it in, or remove the row.")
    problem = undecoded(text)
    if problem is not None:
        raise _Problem(*problem)
    return text


class NumberColumn:
    """Numbers under construction: int64 if all are written as whole ones."""

    def __init__(self, records: Records, column: str) -> None:
        self._records, self._column = records, column
        self._blocks: list[Array] = []

    def add(self, values: Sequence[object], lines: Array) -> None:
        """Take a block."""
        fast = _fast(values)
        self.extend(self._carefully(values, lines) if fast is None else fast)

    def extend(self, numbers: Array) -> None:
        """Take a block that is read already."""
        self._blocks.append(numbers)

    def values(self) -> Array:
        """All blocks as one."""
        return np.concatenate(self._blocks)

    def _carefully(self, values: Sequence[object], lines: Array) -> Array:
        numbers = []
        for value, line in zip(values, lines.tolist(), strict=True):
            try:
                numbers.append(_number(value, self._column))
            except _Problem as problem:
                self._records.refuse(line, *problem.args)
        whole = all(isinstance(number, int) for number in numbers)
        return np.array(numbers, dtype=np.int64 if whole else np.float64)


class GappedColumn:
    """Numbers of a system that may lack items, which are the rows where its cell is empty.

    A column may be empty as far as anyone looked ahead: its first value decides whether it holds scores at all.
    """

    def __init__(self, records: Records, column: str, *, wanted: bool = False) -> None:
        self._numbers = NumberColumn(records, column)
        self._present: list[Array] = []
        self.is_scores: bool | None = True if wanted or looks_numeric(records.sample[column]) else None

    def add(self, values: Sequence[object], lines: Array) -> None:
        """Take a block; most have no gap."""
        whole = _fast(values) if self.is_scores else None
        if whole is not None:
            self._present.append(np.ones(len(values), dtype=bool))
            self._numbers.extend(whole)
            return
        present = np.array([not is_blank(value) for value in values], dtype=bool)
        filled = list(compress(values, present.tolist()))
        if self.is_scores is None and filled:
            self.is_scores = looks_numeric(filled[:1])
        self._present.append(present)
        if self.is_scores:
            self._numbers.add(filled, lines[present])

    @property
    def present(self) -> Array:
        """Which rows have a number."""
        return np.concatenate(self._present)

    def values(self) -> Array:
        """The numbers of the rows that have one."""
        return self._numbers.values()


def _fast(values: Sequence[object]) -> Array | None:
    """A block of numbers, or None when it must be looked at one by one."""
    kinds = set(map(type, values))
    try:
        if kinds == {str}:
            found = _fast_text("\n".join(values))  # type: ignore[arg-type]
        elif kinds <= {int, bool}:
            found = np.array(values, dtype=np.int64)
        elif kinds <= {int, float, bool}:
            found = np.array(values, dtype=np.float64)
        else:
            return None
    except (ValueError, OverflowError):
        return None
    if found is None or len(found) != len(values):
        return None
    # False for nan too. Among large floats there may be whole numbers written out, which only careful reading can tell.
    return found if (np.abs(found) < MAX_EXACT).all() else None


def _fast_text(text: str) -> Array | None:
    if _NOT_NUMERIC.search(text):
        return None
    lines = text.split("\n")
    if _NOT_WHOLE.search(text):
        return np.fromiter(map(float, lines), dtype=np.float64, count=len(lines))
    return np.fromiter(map(int, lines), dtype=np.int64, count=len(lines))


def _number(value: object, column: str) -> int | float:
    """One number; true and false are 1 and 0."""
    if not is_scalar(value):
        raise _Problem(f"found {_kind(value)} in column `{column}`, expected a number", FLAT)
    # A number that came as a number is judged as it would be written: nan, inf and large integers alike.
    text = "" if value is None else str(value).strip()
    if text.lower() in _TRUTH:
        return _TRUTH[text.lower()]
    problem = undecoded(text) or problem_with(text, column=column, otherwise=_ONLY_NUMBERS)
    if problem is not None:
        raise _Problem(*problem)
    if not is_whole(text):
        return float(text)
    if abs(int(text)) >= MAX_EXACT:
        raise _Problem(
            f"found {shorten(text)} in column `{column}`, too large to be counted exactly", "Whole numbers must lie below 2^53."
        )
    return int(text)


def _kind(value: object) -> str:
    return "an object" if isinstance(value, dict) else "a list"
