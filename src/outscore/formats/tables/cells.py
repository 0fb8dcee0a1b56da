"""Tables as streams of records, and their cells: whether a text is a number, what is wrong with it, and builders of columns."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from itertools import compress, count
from typing import TYPE_CHECKING, Any, Literal, NoReturn, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LARGEST_SCORE, MAX_EXACT, Array
from outscore.core.records import dataclass
from outscore.formats.base.source import decoding_problem, shorten
from outscore.formats.tables.fields import Fields, hashes
from outscore.scores.system import NO_ANSWER, Labels, Names

if TYPE_CHECKING:
    import polars as pl


# Tables as streams of records, whichever of CSV, TSV, JSON lines or Parquet they come from.


# Records may hold long texts beside their scores: this many fit into memory in any case.
BLOCK_ROWS = 1 << 13


@dataclass(frozen=True)
class Block:
    """Consecutive records: the line each begins on, and their values by column.

    `late` holds columns of numbers that the sample does not show, with the line of their first number.
    """

    lines: Array
    columns: Mapping[str, Sequence[object]]
    late: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Records:
    """A table as a stream: column names, a sample of the first values, and blocks restricted to the columns needed.

    `label` is what messages call the table, `path` its file if it has one. `nested` are the dotted names of values inside
    objects; they serve as columns where somebody names them, or where their own names say what they are. `frame` gives the
    columns needed as one table of polars, where the file holds such; only those who want millions of rows at once ask for it.
    `row` is a further column of that table, the rows counted from 0, where it holds only some of them.
    """

    label: str
    columns: tuple[str, ...]
    sample: Mapping[str, Sequence[object]]
    blocks: Callable[[Sequence[str]], Iterator[Block]]
    unit: Literal["line", "row"] = "line"
    path: str | None = None
    nested: tuple[str, ...] = ()
    frame: Callable[[Sequence[str]], pl.DataFrame] | None = None
    row: str | None = None

    def refuse(self, line: int, problem: str, hint: str) -> NoReturn:
        """Raise an error that names the line."""
        message = f"{self.label}, {self.unit} {line}: {problem}."
        raise OutscoreError(message, hint, file=self.path, line=line if self.unit == "line" else None)

    def refuse_empty(self) -> NoReturn:
        """Raise the error of a table without records."""
        raise OutscoreError(f"{self.label} has column names but no records.", "Give one record per item.")

    def refuse_repeated(self, columns: Sequence[str]) -> None:
        """Refuse a table in which two columns have the same name, if that is one of `columns`."""
        counts = Counter(self.columns)
        for name in columns:
            if counts[name] > 1:
                raise OutscoreError(f"{self.label} has two columns named `{name}`.", "Give every column a name of its own.")


# Cells of tables: whether a text is a number and what is wrong with it if not, and builders of columns.
#
# Into a builder values go block by block, and codes or numbers come out. Only numbers and new labels are kept of a block,
# so reading takes no more memory than its result. A fast path converts whole blocks and gives up on anything unusual; the
# slow path then converts the same values one by one and names the line of the first bad one.


# Possessive, so that a field of a million digits and a letter is refused in one pass.
_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
# Groups of three digits; what begins with 0 is a decimal.
_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
# A number with a second point, a sign or an exponent too many, or with a letter that looks like a digit; but o1, 4o and e5 are
# names, and so are 7b, 1.5b and 2024-05-01.
_DAMAGED = re.compile(r"(?=.*[0-9])(?:[+-]|(?=.*\.)|(?=.*[0-9][eE]))[0-9OoIl.eE+-]+")
# What is between the commas of "0,5 0,7".
_TWO_DECIMALS = re.compile(r"[0-9]+\s+[+-]?[0-9]+")
MISSING_WORDS = frozenset({"", "-", "?", ".", "na", "n/a", "#n/a", "nan", "none", "null"})
"""What is written where there is no score."""
_MISSING = MISSING_WORDS | {"inf", "infinity"}
TRUTH = {"true": "1", "false": "0"}
"""Words for numbers that programs write."""
DECIMAL_POINT = "Write decimals with a point instead of a comma."
_MISSING_SCORE = "Give the item a score, or remove it from both systems."
OR_WRONG = (
    "Fill it in, leave out and count such rows with --missing drop, or count them as wrong with --missing zero "
    "(missing=... in Python)."
)
OR_DROP = (
    "Give the item a score, leave out and count such rows with --missing drop, or count them as 0 with --missing zero "
    "(missing=... in Python)."
)
_NOT_A_NUMBER = "Keep only numbers below an optional header line."
_NOT_NUMERIC = re.compile(r"[^0-9eE+\-.\n]")
_NOT_WHOLE = re.compile(r"[.eE]")
_RIGHT_OR_WRONG = (
    *(("true", "false"), ("correct", "incorrect"), ("right", "wrong"), ("pass", "fail"), ("passed", "failed")),
    *(("success", "failure"), ("succeeded", "failed"), ("ok", "fail"), ("resolved", "unresolved"), ("solved", "unsolved")),
)
JUDGEMENTS = {word: value for pair in _RIGHT_OR_WRONG for word, value in zip(pair, (1, 0), strict=True)}
"""Words that say whether an answer was right."""
EITHER_WORDS = {"yes": 1, "no": 0, "y": 1, "n": 0, "t": 1, "f": 0, "c": 1, "i": 0}
"""Words that may be answers themselves: they count as 1 and 0 in columns that are known to hold scores."""
_PARTIAL = {"p", "partial", "partially", "partially correct", "partially_correct", "partly correct", "half"}
_ONLY_NUMBERS = "Keep only numbers, or words such as true and false, in a column of scores."
_PARTIAL_CREDIT = (
    "How much a partly right answer counts is not said: write a number, such as 0.5, for every item; the words for right and "
    f"wrong are {', '.join('/'.join(pair) for pair in _RIGHT_OR_WRONG)}, yes/no, Y/N, T/F and C/I."
)
FEW = 16
"""Texts that occur at least so often each, on average, are parsed once."""
UNCHECKED = 4
"""So many times as many labels as before are looked through again for repeated ones."""
FLAT = "Write the table flat: one value under each name."
NO_LABEL = NO_ANSWER


def is_number(field: str) -> bool:
    """Whether this is a decimal number in ASCII."""
    return _NUMBER.fullmatch(field) is not None


def is_whole(field: str) -> bool:
    """Whether this number is written without a point or an exponent."""
    return field.lstrip("+-").isdigit()


def is_truth(field: str) -> bool:
    """Whether this is true or false."""
    return field.lower() in TRUTH


def is_damaged(field: str) -> bool:
    """Whether this was probably a number, and is none any more.

    Examples
    --------
    >>> [cell for cell in ("1.2.3", "O.9", "1e", "--1", "0.9", "o1", "4o", "e5", "1.5b", "2024-05-01") if is_damaged(cell)]
    ['1.2.3', 'O.9', '1e', '--1']
    """
    return not is_number(field) and _DAMAGED.fullmatch(field) is not None


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
    shown = f'"{shorten(field)}"' if field else "an empty field"
    hint = _hint(field)
    if field.lower() in MISSING_WORDS:
        hint = absent
    return f"found {shown}{inside}, expected a number", otherwise if hint == _NOT_A_NUMBER else hint


def _hint(field: str) -> str:  # noqa: PLR0911 - one for each kind of slip
    if len(field) > 2 and not field.strip("-+=:"):
        return "Remove the line if it only rules off the header; otherwise give the item a score."
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
    if is_damaged(field):
        return "Write the number anew; if it is a name, begin it with a letter."
    return _NOT_A_NUMBER


def is_scalar(value: object) -> bool:
    """Whether a cell holds one value, not a list or an object."""
    return value is None or isinstance(value, (str, int, float, Decimal)) or not isinstance(value, (dict, list, tuple))


def is_blank(value: object) -> bool:
    """Whether a cell is empty."""
    return value is None or (isinstance(value, str) and not value.strip())


def is_missing(value: object) -> bool:
    """Whether a cell of scores is empty, or says that there is none.

    Examples
    --------
    >>> [is_missing(value) for value in (None, " ", "NaN", float("nan"), 0, "0", "inf")]
    [True, True, True, True, False, False, False]
    """
    if isinstance(value, str):
        return value.strip().lower() in MISSING_WORDS
    return value is None or (isinstance(value, float) and math.isnan(value))


def looks_numeric(sample: Sequence[object], words: Container[str] = JUDGEMENTS) -> bool:
    """Whether at least half of a column's values, missing ones aside, are numbers or these words."""
    present = [value for value in sample if not is_missing(value)]
    good = sum(_is_numeric(value, words) for value in present)
    return good > 0 and 2 * good >= len(present)


def _is_numeric(value: object, words: Container[str]) -> bool:
    if isinstance(value, str):
        text = value.strip().lower()
        # An infinite number is refused with its line where it is read, also where a column holds nothing else.
        return is_number(text) or text in words or text.lstrip("+-") in ("inf", "infinity")
    return isinstance(value, (int, float, Decimal))


class LabelColumn:
    """Builder of a column of labels: text without surrounding blanks, so that 1, 1.0 and "1 " are the same label."""

    def __init__(
        self, records: Records, column: str, *, optional: bool = False, absent: str = "Fill it in, or remove the row."
    ) -> None:
        self._records, self._column, self._optional, self._absent = records, column, optional, absent
        # As long as no label is repeated, as ids are not, the labels are their own names, and their hashes tell that they
        # differ in half of the time of codes.
        self._distinct: list[str] = []
        self._written: list[Array] = []
        self._hashes: list[Array] = []
        self._checked = 0
        self._codes: defaultdict[str, int] | None = None
        self._blocks: list[Array] = []

    @property
    def names(self) -> Sequence[str]:
        """The distinct labels so far."""
        if self._codes is None and self._repeats():
            self._number()
        if self._written:
            return Names(np.concatenate(self._written))
        return tuple(self._distinct if self._codes is None else self._codes)

    def encode(self, values: Sequence[object], lines: Array) -> Array:
        """Encode a block, where the codes are needed at once."""
        return self._encode(self._texts(values, lines), self._number())

    def add(self, values: Sequence[object], lines: Array) -> None:
        """Add a block."""
        written = None
        if self._codes is None and not self._distinct and isinstance(values, Fields):
            written = values.labels()
        if written is not None:
            self._written.append(written)
            self._hashes.append(hashes(written))
        else:
            texts = self._texts(values, lines)
            if self._codes is not None:
                self.extend(self._encode(texts, self._codes))
                return
            self._spell()
            self._distinct += texts
            self._hashes.append(_hashes(texts))
        if sum(map(len, self._hashes)) >= UNCHECKED * self._checked and self._repeats():
            self._number()

    def _spell(self) -> None:
        """Make texts of labels that were kept as bytes, because others are to stand beside them, or are to be looked up."""
        if self._written:
            self._distinct = list(Names(np.concatenate(self._written)))
            self._written, self._hashes = [], [_hashes(self._distinct)]

    def _repeats(self) -> bool:
        """Whether two labels may be the same."""
        rows = sum(map(len, self._hashes))
        if self._checked < rows:
            self._checked = rows
            found = np.concatenate(self._hashes)
            if (found[1:] > found[:-1]).all():
                return False
            ordered = np.sort(found)
            return bool((ordered[1:] == ordered[:-1]).any())
        return False

    def _number(self) -> defaultdict[str, int]:
        """The code of each label; from now on every new one gets the next."""
        if self._codes is None:
            self._spell()
            self._codes = defaultdict(count().__next__)
            self.extend(self._encode(self._distinct, self._codes))
            self._distinct, self._hashes = [], []
        return self._codes

    @staticmethod
    def _encode(texts: Sequence[str], codes: defaultdict[str, int]) -> Array:
        return np.fromiter(map(codes.__getitem__, texts), dtype=np.int64, count=len(texts))

    def add_series(self, series: pl.Series, lines: Array) -> None:
        """Add a whole column of polars, of which every distinct value is looked at once."""
        import polars as pl

        rows = series.arg_unique().sort()
        distinct = series.gather(rows)
        codes = self.encode(distinct.to_list(), lines[rows.to_numpy()])
        table = pl.DataFrame({"value": distinct, "code": codes})
        encoded = pl.DataFrame({"value": series}).join(table, on="value", how="left", nulls_equal=True, maintain_order="left")
        self.extend(encoded["code"].to_numpy())

    def extend(self, codes: Array) -> None:
        """Add a block of codes."""
        self._blocks.append(codes)

    def labels(self) -> Labels:
        """All blocks in one array."""
        names = self.names
        return Labels(np.arange(len(names)) if self._codes is None else np.concatenate(self._blocks), names)

    def _texts(self, values: Sequence[object], lines: Array) -> Sequence[str]:
        texts = _strip_all(values)
        return list(map(self._label, values, lines.tolist())) if texts is None else texts

    def _label(self, value: object, line: int) -> str:
        if not is_scalar(value):
            self._records.refuse(line, f"found {_kind(value)} in column `{self._column}`, expected a label", FLAT)
        text = label_text(value)
        if not text and not self._optional:
            self._records.refuse(line, f"found nothing in column `{self._column}`, expected a label", self._absent)
        problem = decoding_problem(text)
        if problem is not None:
            self._records.refuse(line, *problem)
        return text or NO_LABEL


def _hashes(texts: Sequence[str]) -> Array:
    return np.fromiter(map(hash, texts), dtype=np.int64, count=len(texts))


def _strip_all(values: Sequence[object]) -> Sequence[str] | None:
    """Texts without surrounding blanks; None if some value needs a closer look."""
    if set(map(type, values)) != {str}:
        return None
    texts = cast("Sequence[str]", values)
    whole = "".join(texts)
    if len(whole.split(maxsplit=1)) != 1 or whole[0].isspace() or whole[-1].isspace():
        # There is a blank somewhere.
        texts = list(map(str.strip, texts))
    return None if "" in texts or not (whole.isascii() or decoding_problem(whole) is None) else texts


def label_text(value: object) -> str:
    """A value as a label, without surrounding blanks; empty if there is none."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return str(int(value) if isinstance(value, float) and value.is_integer() else value).strip()


class NumberColumn:
    """Builder of a column of numbers: int64 if all of them are integers as written."""

    def __init__(self, records: Records, column: str) -> None:
        self._records, self._column = records, column
        self.blocks: list[Array] = []

    def add(self, values: Sequence[object], lines: Array) -> None:
        """Add a block."""
        fast = _parse_block(values)
        self.blocks.append(self._parse_each(values, lines) if fast is None else fast)

    def values(self) -> Array:
        """All blocks in one array."""
        return np.concatenate(self.blocks)

    def facts(self) -> dict[str, Any]:
        """What `Scores` say of the column."""
        return {"values": self.values()}

    def _parse_each(self, values: Sequence[object], lines: Array) -> Array:
        numbers = list(map(self._number, values, lines.tolist()))
        whole = all(isinstance(number, int) for number in numbers)
        return np.array(numbers, dtype=np.int64 if whole else np.float64)

    def _number(self, value: object, line: int) -> int | float:
        """One number; true and false are 1 and 0, and so are other words that say whether an answer was right."""
        if not is_scalar(value):
            self._records.refuse(line, f"found {_kind(value)} in column `{self._column}`, expected a number", FLAT)
        # Typed values (from JSON or Parquet) are checked as text too: nan, inf and large integers get the same errors.
        text = "" if value is None else str(value).strip()
        word = text.lower()
        if word in JUDGEMENTS or word in EITHER_WORDS:
            return {**JUDGEMENTS, **EITHER_WORDS}[word]
        otherwise = _PARTIAL_CREDIT if word in _PARTIAL else _ONLY_NUMBERS
        problem = decoding_problem(text) or problem_with(text, column=self._column, otherwise=otherwise, absent=OR_DROP)
        if problem is not None:
            self._records.refuse(line, *problem)
        if not is_whole(text):
            return float(text)
        # By way of a float, which is exact below the limit: int() refuses thousands of leading zeros.
        if abs(float(text)) >= MAX_EXACT:
            found = f"found {shorten(text)} in column `{self._column}`, too large to be counted exactly"
            self._records.refuse(line, found, "Whole numbers must lie below 2^53.")
        return int(float(text))


class AnswerColumn(LabelColumn):
    """Builder of the scores of answers: 1 where the answer is the right one, 0 elsewhere; no answer is a wrong one."""

    def __init__(self, records: Records, column: str, gold: LabelColumn) -> None:
        super().__init__(records, column, optional=True)
        self._gold = gold
        self._padded: list[Array] = []

    def add(self, values: Sequence[object], lines: Array) -> None:
        """Add a block, and remember which answers have blanks around them."""
        super().add(values, lines)
        padded = (isinstance(value, str) and value != value.strip() and not is_blank(value) for value in values)
        self._padded.append(np.fromiter(padded, dtype=bool, count=len(values)))

    def facts(self) -> dict[str, Any]:
        """What `Scores` say of the column, once the right answers are read too."""
        answers, right = self.labels(), self._gold.labels()
        code_of = {name: code for code, name in enumerate(right.names) if name != NO_LABEL}
        codes = np.array([code_of.get(name, -1) for name in answers.names], dtype=np.int64)
        values = np.asarray(codes[answers.codes] == right.codes, dtype=np.int64)
        return {"values": values, "answers": answers, "padded": np.concatenate(self._padded)}


class GappedColumn:
    """Builder of the scores of a system that may lack items: those where its cell is empty, or with `words` says so.

    If the sample of the column says nothing, the first value found later decides whether it holds scores at all.
    """

    def __init__(self, records: Records, column: str, *, wanted: bool = False, words: bool = False) -> None:
        self._numbers = NumberColumn(records, column)
        self._is_gap = is_missing if words else is_blank
        self._present: list[Array] = []
        self._undecided: list[tuple[list[object], Array]] = []
        self.is_scores: bool | None = True if wanted or looks_numeric(records.sample[column]) else None

    def add(self, values: Sequence[object], lines: Array) -> None:
        """Add a block; most have no gap."""
        whole = _parse_block(values) if self.is_scores else None
        if whole is not None:
            self._present.append(np.ones(len(values), dtype=bool))
            self._numbers.blocks.append(whole)
            return
        present = np.array([not self._is_gap(value) for value in values], dtype=bool)
        filled = list(compress(values, present.tolist()))
        self._present.append(present)
        self._undecided.append((filled, lines[present]))
        if self.is_scores is None:
            first = next((value for value in filled if not is_missing(value)), None)
            self.is_scores = None if first is None else looks_numeric([first])
        if self.is_scores:
            for block in self._undecided:
                self._numbers.add(*block)
        if self.is_scores is not None:
            self._undecided.clear()

    @property
    def present(self) -> Array:
        """Which rows have a number."""
        return np.concatenate(self._present)

    @property
    def whole(self) -> bool:
        """Whether all rows have one."""
        return all(bool(block.all()) for block in self._present)

    def values(self) -> Array:
        """The numbers of the rows that have one."""
        return self._numbers.values()


def _parse_block(values: Sequence[object]) -> Array | None:
    """A block of numbers; None if some value needs a closer look."""
    if isinstance(values, Fields):
        digits = values.digits()
        if digits is not None:
            return digits
    kinds = set(map(type, values))
    try:
        if kinds == {str}:
            numbers = _parse_column(values)  # type: ignore[arg-type]
        elif kinds <= {int, bool}:
            numbers = np.array(values, dtype=np.int64)
        elif kinds <= {int, float, bool}:
            numbers = np.array(values, dtype=np.float64)
        else:
            return None
    except (ValueError, OverflowError):
        return None
    if numbers is None or len(numbers) != len(values):
        return None
    # False for nan too. A large float may be an integer written out, which only its text tells.
    return numbers if (np.abs(numbers) < MAX_EXACT).all() else None


def _parse_column(values: Sequence[str]) -> Array | None:
    """A block of texts; of a few that are often repeated, such as true and 0.5, each is parsed once."""
    distinct = list(set(values))
    if FEW * len(distinct) > len(values):
        return _parse_texts("\n".join(values))
    numbers = _parse_texts("\n".join(distinct))
    if numbers is None or len(numbers) != len(distinct):
        return None
    place = dict(zip(distinct, range(len(distinct)), strict=True))
    return numbers[np.fromiter(map(place.__getitem__, values), dtype=np.intp, count=len(values))]


def _parse_texts(text: str) -> Array | None:
    if _NOT_NUMERIC.search(text):
        return None
    lines = text.split("\n")
    if _NOT_WHOLE.search(text):
        return np.fromiter(map(float, lines), dtype=np.float64, count=len(lines))
    return np.fromiter(map(int, lines), dtype=np.int64, count=len(lines))


def _kind(value: object) -> str:
    return "an object" if isinstance(value, dict) else "a list"
