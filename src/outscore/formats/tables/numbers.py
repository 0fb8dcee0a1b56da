"""Files of bare numbers: one, two or four columns, an item per line.

The happy path hands blocks of lines to numpy. When numpy declines a block, or something about it is odd, the same lines are
read again one by one in plain Python: that slower reader decides, and either returns the numbers or names the line to blame.
Both convert decimals with correct rounding. Pairs rest on line order alone, so a line is never skipped: a blank one inside the
file is an error.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import MAX_EXACT, Array
from outscore.formats.source import Source, stem_of
from outscore.formats.tables.field import DECIMAL_POINT, is_name, is_number, problem_with, shorten, undecoded
from outscore.formats.tables.table import Choice, NumberTable
from outscore.scores.system import Origin, Scores

__all__ = ["BARE", "counts_of", "detector", "plural", "read_numbers", "reader", "systems_of", "whole_counts"]

# The names of these formats by their number of columns.
BARE = {1: "scores", 2: "score-pairs", 4: "f1-counts"}

WIDTHS = (1, 2, 4)
BLOCK_LINES = 1 << 16

_NOT_PLAIN = re.compile(r"[^0-9+\-,;\s]")
_LIKE_A_DECIMAL = re.compile(r"[+-]?(?:0|[1-9][0-9]*),[0-9]+")
_PADDED = re.compile(r",0[0-9]")
# One wrong answer costs a false positive and a false negative: pairs of 1,0 and 0,2 and 0,1 are counts of right and wrong.
MOST_ERRORS_OF_ONE = 2


@dataclass(frozen=True)
class _Layout:
    """How a file is laid out, as its first lines show."""

    label: str
    columns: tuple[str, ...]
    separator: str | None
    width: int
    first_line: int

    def refuse(self, line: int, found: str, hint: str) -> NoReturn:
        raise OutscoreError(f"{self.label}, line {line}: {found}.", hint)


def detector(width: int) -> Callable[[Source, Choice], bool]:
    """A function that says whether the first line of numbers has this many."""

    def detect(source: Source, _choice: Choice) -> bool:
        head = source.head
        body = head[1:] if head and _is_header(_split(head[0])) else head
        fields = _split(body[0]) if body else []
        return len(fields) == width and all(is_number(field) for field in fields)

    return detect


def reader(width: int) -> Callable[[Source, Choice], list[Scores]]:
    """A function that reads files of this many columns."""

    def read(source: Source, choice: Choice) -> list[Scores]:
        return systems_of(read_numbers(source, (width,)), choice)

    return read


def systems_of(table: NumberTable, choice: Choice) -> list[Scores]:
    """The systems in a file of bare numbers: one column or two are a system each, four are the counts of two."""
    values, named = table.values, len(table.columns) == 2 and all(table.columns)
    origin = Origin(table.path, table.sha256, table.rows, BARE[table.width])
    lines = np.arange(table.first_line, table.first_line + table.rows)
    if table.width == 1:
        return [Scores(stem_of(table.path), values[:, 0], origin=origin, lines=lines)]
    parts = (values[:, 0], values[:, 1]) if table.width == 2 else (values[:, :2], values[:, 2:])
    names = unique_pair(*table.columns) if named else ("A", "B")
    systems = [Scores(name, part, origin=origin, lines=lines) for name, part in zip(names, parts, strict=True)]
    by_name = dict(zip(names, systems, strict=True))
    for name in choice.systems:
        if name not in by_name:
            raise OutscoreError(f"{table.label} has no system `{name}`.", f"There is `{names[0]}` and `{names[1]}`.")
    return [by_name[name] for name in choice.systems] or systems


def unique_pair(first: str, second: str) -> tuple[str, str]:
    """Two names that differ."""
    return (first, second) if first != second else (first, f"{second} (2)")


def counts_of(columns: Sequence[Scores]) -> Scores:
    """Two columns of bare numbers as the counts of one system, right and wrong."""
    first = columns[0]
    assert first.origin is not None
    assert first.lines is not None
    values = np.column_stack([column.values for column in columns])
    table = whole_counts(NumberTable(first.origin.path, (), values, int(first.lines[0]), first.origin.sha256))
    return Scores(stem_of(table.path), table.values, origin=first.origin, lines=first.lines)


def read_numbers(source: Source, widths: Sequence[int] = WIDTHS) -> NumberTable:
    """Read all numbers of a file whose lines hold one of `widths` columns."""
    layout = _layout(source, widths)
    lines = itertools.islice(_without_trailing_blanks(source.lines()), layout.first_line - 1, None)
    blocks, line, padded = [], layout.first_line, False
    commas = layout.separator == "," and layout.width == 2 and not layout.columns
    while block := list(itertools.islice(lines, BLOCK_LINES)):
        padded = padded or (commas and any(map(_PADDED.search, block)))
        blocks.append(_parse(layout, block, line))
        line += len(block)
    values = np.concatenate(blocks)
    if values.dtype.kind == "i":
        _refuse_large(layout, values)
        if commas:
            _refuse_decimal_commas(layout, source.head, values, padded=padded)
    table = NumberTable(source.path, layout.columns, values, layout.first_line, source.sha256())
    return whole_counts(table) if layout.width == 4 else table


def _refuse_decimal_commas(layout: _Layout, head: Sequence[str], values: Array, *, padded: bool) -> None:
    """Refuse pairs that are scores with a decimal comma, which would be read as two systems without a word.

    Nobody writes the count 5 as 05. Without that sign, every line must be a score from 0 to 1 if the comma is a decimal one,
    and some line must hold more errors than one answer can have: real pairs do not look so, and 3,5 is taken as it is.
    """
    whole, rest = np.abs(values[:, 0]), values[:, 1]
    up_to_one = bool(((whole == 0) | ((whole == 1) & (rest == 0))).all()) and int(rest.max()) > MOST_ERRORS_OF_ONE
    if (rest < 0).any() or not (padded or up_to_one):
        return
    if all(_LIKE_A_DECIMAL.fullmatch(line.strip()) for line in head if line.strip()):
        raise OutscoreError(
            f'{layout.label}: the lines look like scores with a decimal comma ("{shorten(head[0])}").',
            f"{DECIMAL_POINT} If they are two columns, put a blank behind the commas or a line of names above them.",
        )


def whole_counts(table: NumberTable) -> NumberTable:
    """The same table as counts: whole numbers, none of them negative."""
    values = table.values
    bad = (values < 0) | (values != np.floor(values))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        place = f"{table.label}, line {table.first_line + int(row)}"
        raise OutscoreError(
            f"{place}: found {values[row, column]:.12g} in column {column + 1}, expected a count (whole and not negative).",
            "Columns of counts hold right and wrong decisions per item; for scores give one file with two columns.",
        )
    layout = _Layout(table.label, table.columns, None, table.width, table.first_line)
    _refuse_large(layout, values)
    return NumberTable(table.path, table.columns, values.astype(np.int64), table.first_line, table.sha256)


def plural(columns: int) -> str:
    """So many columns, in words."""
    return "1 column" if columns == 1 else f"{columns} columns"


def _separator(line: str) -> str | None:
    return ";" if ";" in line else "," if "," in line else None


def _split(line: str, separator: str | None = None) -> list[str]:
    mark = separator or _separator(line)
    return [field.strip() for field in line.strip().split(mark)] if mark else line.split()


def _is_header(fields: Sequence[str]) -> bool:
    """A header holds names only: one number or missing value among them makes the line data."""
    return bool(fields) and all(is_name(field) for field in fields)


def _layout(source: Source, widths: Sequence[int]) -> _Layout:
    label, head = source.label, source.head
    if not any(line.strip() for line in head):
        raise OutscoreError(f"{label} is empty, numbers were expected.", "Give one item per line.")
    header = _is_header(_split(head[0]))
    first = 2 if header else 1
    if not any(line.strip() for line in head[first - 1 :]):
        raise OutscoreError(f"{label} has a header and no numbers under it.", "Give one item per line.")
    line = head[first - 1]
    fields = _split(line)
    draft = _Layout(label, (), _separator(line), len(fields), first)
    if header:
        _refuse_undecoded(draft, 1, head[0])
    if not all(is_number(field) for field in fields):
        _scan_line(draft, first, line)
    if not fields:
        draft.refuse(first, *_BLANK)
    if len(fields) not in widths:
        _refuse_width(draft, head, widths)
    columns = _names(head[0], draft) if header else ()
    return _Layout(label, columns, draft.separator, draft.width, first)


def _names(line: str, layout: _Layout) -> tuple[str, ...]:
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
        return tuple(field.strip().strip("\"'") for field in fields)
    if comment:
        return ()
    hint = "Give each column one name; names with blanks need tabs or commas between them."
    return layout.refuse(
        1,
        f"found a header of {len(fields)} {'name' if len(fields) == 1 else 'names'} over {layout.width} columns of numbers",
        f"{DECIMAL_POINT} Or {hint[0].lower()}{hint[1:]}" if layout.separator == "," and len(fields) == 1 else hint,
    )


def _refuse_width(layout: _Layout, head: Sequence[str], widths: Sequence[int]) -> NoReturn:
    expected = " or ".join(str(width) for width in widths) if len(widths) < 3 else "1, 2 or 4"
    found = f'found {plural(layout.width)} ("{shorten(head[layout.first_line - 1])}"), expected {expected}'
    following = len(_split(head[layout.first_line])) if len(head) > layout.first_line else layout.width
    if following != layout.width and following in widths:
        found += f" (the next line has {following})"
    layout.refuse(
        layout.first_line,
        found,
        "Keep one score per line, or both systems' scores, or the four counts tp,errors,tp,errors.",
    )


def _without_trailing_blanks(lines: Iterable[str]) -> Iterator[str]:
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
        return _scan(layout, block, line)
    # numpy skips blank lines and takes "nan": both are for the careful reader to judge.
    if values.shape != (len(block), layout.width) or not np.isfinite(values).all():
        return _scan(layout, block, line)
    return values


def _scan(layout: _Layout, block: Sequence[str], line: int) -> Array:
    """Read lines one by one: the reference that the fast path must agree with."""
    rows = [_scan_line(layout, line + offset, text) for offset, text in enumerate(block)]
    if any(_NOT_PLAIN.search(text) for text in block):
        return np.array([[float(field) for field in row] for row in rows], dtype=np.float64)
    for offset, row in enumerate(rows):
        for field in row:
            if abs(int(field)) >= MAX_EXACT:
                _refuse_count(layout, line + offset, field)
    return np.array([[int(field) for field in row] for row in rows], dtype=np.int64)


_BLANK = ("found a blank line, expected numbers", "Delete it if it stands for no item; otherwise give the item a score.")


def _scan_line(layout: _Layout, line: int, text: str) -> list[str]:
    _refuse_undecoded(layout, line, text)
    fields = _split(text, layout.separator)
    if not text.strip():
        layout.refuse(line, *_BLANK)
    # The separator comes first: what looks like text may be two numbers with an unexpected mark between them.
    if len(fields) != layout.width:
        layout.refuse(
            line,
            f'found {plural(len(fields))} ("{shorten(text)}"), expected {layout.width} as on line {layout.first_line}',
            "Give every line the same number of columns, with the same separator.",
        )
    for field in fields:
        problem = problem_with(field)
        if problem is not None:
            layout.refuse(line, *problem)
    return fields


def _refuse_undecoded(layout: _Layout, line: int, text: str) -> None:
    problem = undecoded(text)
    if problem is not None:
        layout.refuse(line, *problem)
    if "\x00" in text:
        layout.refuse(line, "found binary data, text was expected", "Export the scores as plain text.")


def _refuse_large(layout: _Layout, values: Array) -> None:
    large = np.abs(values) >= MAX_EXACT
    if large.any():
        row, column = np.argwhere(large)[0]
        _refuse_count(layout, layout.first_line + int(row), str(int(values[row, column])))


def _refuse_count(layout: _Layout, line: int, field: str) -> NoReturn:
    layout.refuse(line, f"found {shorten(field)}, too large to be counted exactly", "Whole numbers must lie below 2^53.")
