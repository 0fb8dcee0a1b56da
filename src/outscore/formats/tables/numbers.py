"""Files of bare numbers: one, two or four columns, an item per line.

The fast path hands blocks of lines to numpy. If numpy refuses a block, or something about it is unusual, the
same lines are parsed one by one in Python, which returns the numbers or names the first bad line. Both paths
round decimals correctly. Items are paired by line alone, so no line is ever skipped: a blank line inside the
file is an error.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import MAX_EXACT, Array
from outscore.core.records import dataclass
from outscore.formats.base.entry import Choice
from outscore.formats.base.source import Peek, Source, line_error, refuse_undecoded, shorten, stem_of
from outscore.formats.tables.cells import (
    DECIMAL_POINT,
    MISSING_WORDS,
    TRUTH,
    is_name,
    is_number,
    is_truth,
    is_whole,
    problem_with,
)
from outscore.formats.tables.measures import is_better_lower, is_measure, is_unclear, shared_measure
from outscore.formats.tables.names import is_known, suggests_other
from outscore.scores.system import Origin, Scores, label_of

BARE_FORMATS = {1: "scores", 2: "score-pairs", 4: "f1-counts"}
"""The formats without column names, by their number of columns."""

WIDTHS = tuple(BARE_FORMATS)
BLOCK_LINES = 1 << 16

_NOT_PLAIN = re.compile(r"[^0-9+\-,;\s]")
_LIKE_A_DECIMAL = re.compile(r"[+-]?(?:0|[1-9][0-9]*),[0-9]+")
_LIKE_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2},[0-9]{3}")
_PADDED = re.compile(r",0[0-9]")
_ANOTHER_NOTATION = re.compile(r"[^\w.+-]*[+-]?(?:0[xX][0-9a-fA-F]+|\d+/\d+|[\d_]*\d\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\W*")
# It begins with a digit, or with a letter or two before a decimal number; but o1 is a name, and so are numbered ones.
_LIKE_A_NUMBER = re.compile(r"[\W_]*\d|[^\W\d_]{1,2}[\W_]*\d*\.\d+$")
# Of models, shots and versions: 5-shot, 01-ai/Yi, 10ms, 7b, 4o mini, F0.5, v1.0. One letter behind a decimal may be a slip.
_NUMBERED_NAME = re.compile(
    r"\d+(?:\.\d+)*(?:[^\W\d_]{2}|[^\W\d_]?[-/][^\W\d_])|\d+[^\W\d_](?:[_ ][^\W\d_]|$)|[fF]\d(?:\.\d+)?$|[vV]\d+(?:\.\d+)*$"
)
_DECIMAL_AND_LETTER = re.compile(r"\d*\.\d+[^\W\d_]")
_FAILURE = re.compile(
    r"(?:error|exception|traceback|time(?:d )?out|crash(?:ed)?|killed|aborted|skipped|failed|refused)\b"
    r"|[^:]*(?:error|exception|timeout|failed): |n/a: ",
    re.IGNORECASE,
)
# A wrong answer counts as a false positive and a false negative: pairs such as 1,0 and 0,2 and 0,1 are
# counts.
MAX_ERRORS_OF_ONE = 2
MIN_COUNTED = 5
"""This many consecutive whole numbers are a counter, not scores."""


@dataclass(frozen=True)
class NumberTable:
    """A file of bare numbers, one item per row.

    `values` is (rows, columns): int64 if every number is written as a plain integer, float64 otherwise.
    `columns` holds the names of the header and is empty without one. `first_line` is the line of row 0, so
    that later checks can name a line, and `sha256` is the digest of the file as it is on disk.
    """

    path: str
    columns: tuple[str, ...]
    values: Array
    first_line: int = 1
    sha256: str = ""
    filled: int = 0
    """How many lines lack a number, instead of which they have the worst one."""

    @property
    def label(self) -> str:
        """What messages call the file."""
        return label_of(self.path)

    @property
    def rows(self) -> int:
        """The number of items."""
        return len(self.values)

    @property
    def width(self) -> int:
        """The number of columns."""
        return int(self.values.shape[1])


@dataclass(frozen=True)
class _Layout:
    """The layout of a file, from its first lines."""

    path: str
    columns: tuple[str, ...]
    separator: str | None
    width: int
    first_line: int

    def refuse(self, line: int, problem: str, hint: str) -> NoReturn:
        raise line_error(self.path, line, problem, hint)


def is_bare(origin: Origin | None) -> bool:
    """Whether this is a file of bare numbers, without names of columns."""
    return origin is not None and origin.format in BARE_FORMATS.values()


def holds_numbers(peek: Peek, width: int) -> bool:
    """Whether the first line of numbers has `width` of them."""
    head = peek.head
    body = head[1:] if head and _is_header(_split(head[0])) else head
    fields = _split(body[0]) if body else []
    return len(fields) == width and all(is_number(field) or is_truth(field) for field in fields)


def systems_of(table: NumberTable, choice: Choice) -> list[Scores]:
    """The systems in a file of bare numbers: one or two columns are a system each, four are the counts of two systems."""
    values, named = table.values, len(table.columns) == 2 and all(table.columns)
    measure = _measure(table)
    columns = {} if measure is None else {"measure": (measure,)}
    origin = Origin(table.path, table.sha256, table.rows, BARE_FORMATS[table.width], columns)
    origin = replace(origin, filled=table.filled, filled_for=choice.fill_for)
    if table.filled and choice.fill == 0 and values.min() < 0:
        message = f"{table.label}: scores go down to {float(values.min()):.4g}, so 0 is not the worst of them."
        raise OutscoreError(message, "Give the worst score with --bounds LOW HIGH, as `compare` takes it.", parameter="missing")
    lines = np.arange(table.first_line, table.first_line + table.rows)
    if table.width == 1:
        return [Scores(stem_of(table.path), values[:, 0], origin=origin, lines=lines)]
    parts = (values[:, 0], values[:, 1]) if table.width == 2 else (values[:, :2], values[:, 2:])
    if named:
        _refuse_answers(table)
    if not choice.systems:
        _refuse_counter(table)
    names = table.columns if named else ("A", "B")
    systems = [Scores(name, part, origin=origin, lines=lines) for name, part in zip(names, parts, strict=True)]
    by_name = dict(zip(names, systems, strict=True))
    for name in choice.systems:
        if name not in by_name:
            raise OutscoreError(f"{table.label} has no system `{name}`.", f"It has `{names[0]}` and `{names[1]}`.")
    return [by_name[name] for name in choice.systems] or systems


def _refuse_counter(table: NumberTable) -> None:
    """Refuse a column that counts the lines beside others that do not: it is the score of no system, and no count of errors."""
    counters = (np.diff(table.values, axis=0) == 1).all(axis=0)
    if table.rows < MIN_COUNTED or not counters.any() or counters.all():
        return
    place = int(counters.argmax())
    start = ", ".join(f"{value:g}" for value in table.values[:3, place].tolist())
    raise OutscoreError(
        f"{table.label}: column {place + 1} counts the lines, {start} ..., so it holds no scores.",
        "Remove it, or name the columns in the first line, such as id,new,old.",
    )


def _measure(table: NumberTable) -> str | None:
    """The name over one column, or the error, loss or time that two columns are named after."""
    if table.width == 1:
        return next(filter(None, table.columns), None)
    return shared_measure(table.columns) if table.width == 2 else None


def _refuse_answers(table: NumberTable) -> None:
    """Refuse columns whose names suggest answers or lengths; between commas or tabs they are read as a table."""
    other = next(filter(suggests_other, table.columns), None)
    if other is not None:
        raise OutscoreError(
            f"{table.label}: `{other}` beside `{table.columns[table.columns[0] == other]}` is unlikely to be the score of a "
            "system.",
            "Put commas or tabs between the columns, and name them with --score, or with --prediction and --gold.",
            parameter="score",
        )


def counts_of(columns: Sequence[Scores]) -> Scores:
    """Two columns of bare numbers as one system's counts, right and wrong."""
    first = columns[0]
    assert first.origin is not None
    assert first.lines is not None
    values = np.column_stack([column.values for column in columns])
    values = whole_counts(first.origin.path, int(first.lines[0]), values)
    return Scores(stem_of(first.origin.path), values, origin=first.origin, lines=first.lines)


def read_numbers(source: Source, widths: Sequence[int] = WIDTHS, fill: float | None = None) -> NumberTable:
    """Read all numbers of a file that has one of `widths` columns; words for none are replaced by `fill`, if it is given."""
    layout = _find_layout(source, widths)
    lines = itertools.islice(_drop_trailing_blanks(source.lines()), layout.first_line - 1, None)
    blocks, line, padded, filled = [], layout.first_line, False, 0
    commas = layout.separator == "," and layout.width == 2 and not layout.columns
    while block := list(itertools.islice(lines, BLOCK_LINES)):
        if fill is not None:
            whole = [_without_gaps(text, layout.separator, fill) for text in block]
            filled += sum(one != other for one, other in zip(whole, block, strict=True))
            block = whole
        padded = padded or (commas and any(map(_PADDED.search, block)))
        blocks.append(_parse(layout, block, line))
        line += len(block)
    values = np.concatenate(blocks)
    if values.dtype.kind == "i":
        _refuse_large(layout.path, layout.first_line, values)
        if commas:
            _refuse_decimal_commas(layout, source.head, values, padded=padded)
    if layout.width == 4:
        values = whole_counts(layout.path, layout.first_line, values)
    return NumberTable(source.path, layout.columns, values, layout.first_line, source.sha256(), filled)


def _without_gaps(line: str, separator: str | None, fill: float) -> str:
    """A line with a number for each field that says that there is none; a blank line stays blank."""
    fields = _split(line, separator)
    if not line.strip() or not any(field.lower() in MISSING_WORDS for field in fields):
        return line
    return (separator or " ").join(f"{fill:.17g}" if field.lower() in MISSING_WORDS else field for field in fields) + "\n"


def _refuse_decimal_commas(layout: _Layout, head: Sequence[str], values: Array, *, padded: bool) -> None:
    """Refuse pairs that are scores with a decimal comma, which would silently be read as two systems.

    The count 5 is never written 05. Without such padding, the comma is taken for a decimal one only if every
    line is a score from 0 to 1 and some line would mean more errors than one answer can have; 3,5 stays a
    pair.
    """
    lines = [line.strip() for line in head if line.strip()]
    if lines and all(_LIKE_THOUSANDS.fullmatch(line) for line in lines):
        raise OutscoreError(
            f'{label_of(layout.path)}: a line may be a number with a thousands separator, or two ("{shorten(lines[0])}").',
            "Remove the commas if each line is one number; if there are two columns, put a line of names above them.",
        )
    whole, rest = np.abs(values[:, 0]), values[:, 1]
    up_to_one = bool(((whole == 0) | ((whole == 1) & (rest == 0))).all()) and int(rest.max()) > MAX_ERRORS_OF_ONE
    if (rest < 0).any() or not (padded or up_to_one):
        return
    if all(_LIKE_A_DECIMAL.fullmatch(line.strip()) for line in head if line.strip()):
        raise OutscoreError(
            f'{label_of(layout.path)}: the lines look like scores with a decimal comma ("{shorten(head[0])}").',
            f"{DECIMAL_POINT} If there are two columns, put a space after the commas or a line of names above them.",
        )


def whole_counts(path: str, first_line: int, values: Array) -> Array:
    """Numbers as counts, which are whole and not negative."""
    bad = (values < 0) | (values != np.floor(values))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise line_error(
            path,
            first_line + int(row),
            f"found {values[row, column]:.12g} in column {column + 1}, expected a count (whole and not negative)",
            "Columns of counts are right and wrong decisions per item; for scores, give one file with two columns.",
        )
    _refuse_large(path, first_line, values)
    return values.astype(np.int64)


def columns_phrase(columns: int) -> str:
    """A number of columns in words."""
    return "1 column" if columns == 1 else f"{columns} columns"


def _separator(line: str) -> str | None:
    return next((mark for mark in ";," if mark in line), None)


def _split(line: str, separator: str | None = None) -> list[str]:
    mark = separator or _separator(line)
    return [field.strip() for field in line.strip().split(mark)] if mark else line.split()


def _is_header(fields: Sequence[str]) -> bool:
    """A header holds names only: one number or missing value among them makes the line data."""
    return bool(fields) and all(is_name(field) for field in fields)


def _find_layout(peek: Peek, widths: Sequence[int]) -> _Layout:
    label, head = peek.label, peek.head
    if not any(line.strip() for line in head):
        raise OutscoreError(f"{label} is empty, but numbers were expected.", "Give one item per line.")
    header = _is_header(_split(head[0]))
    if head[0].startswith("#") and not header:
        raise line_error(peek.path, 1, f'found a comment ("{shorten(head[0])}"), expected numbers', "Remove it.")
    first = 2 if header else 1
    if not any(line.strip() for line in head[first - 1 :]):
        raise OutscoreError(f"{label} has a header but no numbers below it.", "Give one item per line.")
    line = head[first - 1]
    fields = _split(line)
    draft = _Layout(peek.path, (), _separator(line), len(fields), first)
    if header:
        _refuse_binary(draft, 1, head[0])
    if not all(is_number(field) for field in fields):
        _parse_line(draft, first, line)
    if not fields:
        draft.refuse(first, *_BLANK)
    if len(fields) not in widths:
        _refuse_width(draft, head, widths)
    if header:
        _refuse_doubtful(draft, head[0])
    columns = _read_header(head[0], draft) if header else ()
    return _Layout(peek.path, columns, draft.separator, draft.width, first)


def _refuse_doubtful(layout: _Layout, line: str) -> None:
    """Refuse a first line that is no number and may have been one: taken for a header, it would lose an item.

    A damaged first line of several columns rarely leaves no number whole, so only other notations are in doubt there.
    """
    text = line.strip()
    if may_be_a_score(text) if layout.width == 1 else all(map(_is_another_notation, _split(text))):
        layout.refuse(
            1,
            f'found "{shorten(text)}", which may be damaged or a name',
            "Write scores in plain digits; if the line names columns, use words, such as score.",
        )


def may_be_a_score(text: str) -> bool:
    """Whether a line that is no number may have been one, or says why there is none."""
    name = text.lstrip("# ").strip("\"'")
    if is_known(name) or is_measure(name) or is_better_lower(name) or is_unclear(name):
        return False
    if _is_another_notation(name):
        return True
    plain = unicodedata.normalize("NFKC", name)
    if text.startswith("#"):
        # A remark or a name, unless a score was commented out.
        return _DECIMAL_AND_LETTER.fullmatch(plain) is not None
    if _NUMBERED_NAME.match(plain):
        return False
    return _LIKE_A_NUMBER.match(plain) is not None or _FAILURE.match(name) is not None


def _is_another_notation(field: str) -> bool:
    """Whether this is a number to people: in brackets, as a fraction, in other digits.

    Examples
    --------
    >>> [cell for cell in ("½", "[0.5]", "1/2", "0x1F", "1_000", "$3", "7b", "2024-05-01") if _is_another_notation(cell)]
    ['½', '[0.5]', '1/2', '0x1F', '1_000', '$3']
    """
    plain = unicodedata.normalize("NFKC", field).replace("\u2044", "/")
    return _ANOTHER_NOTATION.fullmatch(plain) is not None


def _read_header(line: str, layout: _Layout) -> tuple[str, ...]:
    text = line.strip()
    comment = text.startswith("#")
    text = text.lstrip("# ")
    if layout.width == 1:
        fields = [text]
    elif "\t" in text:
        fields = text.split("\t")
    else:
        fields = _split(text)
    if len(fields) == layout.width:
        names = tuple(field.strip().strip("\"'") for field in fields)
        if layout.width == 2 and names[0] == names[1]:
            layout.refuse(
                1,
                f'found "{shorten(names[0])}" twice, expected the names of two systems',
                "Give each column a name of its own, or leave the line of names out.",
            )
        return names
    if comment:
        return ()
    hint = "Give each column one name; names with spaces in them need tabs or commas between them."
    return layout.refuse(
        1,
        f"found a header of {len(fields)} {'name' if len(fields) == 1 else 'names'} over {layout.width} columns of numbers",
        f"{DECIMAL_POINT} Or {hint[0].lower()}{hint[1:]}" if layout.separator == "," and len(fields) == 1 else hint,
    )


def _refuse_width(layout: _Layout, head: Sequence[str], widths: Sequence[int]) -> NoReturn:
    expected = " or ".join(str(width) for width in widths) if len(widths) < 3 else "1, 2 or 4"
    problem = f'found {columns_phrase(layout.width)} ("{shorten(head[layout.first_line - 1])}"), expected {expected}'
    following = len(_split(head[layout.first_line])) if len(head) > layout.first_line else layout.width
    if following != layout.width and following in widths:
        problem += f" (the next line has {following})"
    layout.refuse(
        layout.first_line, problem, "Keep one score per line, or both systems' scores, or the four counts tp,errors,tp,errors."
    )


def _drop_trailing_blanks(lines: Iterable[str]) -> Iterator[str]:
    held: list[str] = []
    for line in lines:
        if line.isspace():
            held.append(line)
            continue
        if held:
            yield from held
            held.clear()
        yield line


def _parse(layout: _Layout, block: list[str], line: int) -> Array:
    plain = _NOT_PLAIN.search("".join(block)) is None
    try:
        values = np.loadtxt(block, dtype=np.int64 if plain else np.float64, comments=None, delimiter=layout.separator, ndmin=2)
    except (ValueError, OverflowError):
        return _parse_each(layout, block, line)
    # numpy skips blank lines, accepts "nan", and rounds large integers next to decimals: all need the slow path.
    if values.shape != (len(block), layout.width) or not (np.abs(values) < MAX_EXACT).all():
        return _parse_each(layout, block, line)
    return values


def _parse_each(layout: _Layout, block: Sequence[str], line: int) -> Array:
    """Parse lines one by one: the reference that the fast path must agree with."""
    rows = [_parse_line(layout, line + offset, text) for offset, text in enumerate(block)]
    for offset, row in enumerate(rows):
        for field in row:
            if is_whole(field) and abs(float(field)) >= MAX_EXACT:
                _refuse_count(layout.path, line + offset, field)
    values = np.array([[float(field) for field in row] for row in rows], dtype=np.float64)
    # Below the limit a float holds every integer.
    return values if any(_NOT_PLAIN.search(text) for text in block) else values.astype(np.int64)


_BLANK = ("found a blank line, expected numbers", "Delete the line if it is not an item; otherwise give the item a score.")


def _parse_line(layout: _Layout, line: int, text: str) -> list[str]:
    _refuse_binary(layout, line, text)
    fields = _split(text, layout.separator)
    if not text.strip():
        layout.refuse(line, *_BLANK)
    # The separator is checked first: what looks like text may be two numbers with an unexpected separator.
    if len(fields) != layout.width:
        layout.refuse(
            line,
            f'found {columns_phrase(len(fields))} ("{shorten(text)}"), expected {layout.width} as on line {layout.first_line}',
            "Give every line the same number of columns, with the same separator.",
        )
    fields = [TRUTH.get(field.lower(), field) for field in fields]
    for field in fields:
        problem = problem_with(field)
        if problem is not None:
            layout.refuse(line, *problem)
    return fields


def _refuse_binary(layout: _Layout, line: int, text: str) -> None:
    refuse_undecoded(layout.path, line, text)
    if "\x00" in text:
        layout.refuse(line, "found binary data, expected text", "Export the scores as plain text.")


def _refuse_large(path: str, first_line: int, values: Array) -> None:
    large = np.abs(values) >= MAX_EXACT
    if large.any():
        row, column = np.argwhere(large)[0]
        _refuse_count(path, first_line + int(row), str(int(values[row, column])))


def _refuse_count(path: str, line: int, field: str) -> NoReturn:
    raise line_error(
        path, line, f"found {shorten(field)}, too large to be counted exactly", "Whole numbers must lie below 2^53."
    )
