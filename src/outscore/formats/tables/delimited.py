"""CSV and TSV: a header, and one record per line (or more, where a quoted field holds a line end).

The csv module reads them, because it knows on which line a record begins. Of each record only the fields asked for are kept.
"""

from __future__ import annotations

import contextlib
import csv
import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.source import Source
from outscore.formats.tables.columns import is_known, is_partner_of_counts
from outscore.formats.tables.field import is_name, is_number, is_whole, shorten, undecoded
from outscore.formats.tables.table import BLOCK_ROWS, Block, Choice, Records

if TYPE_CHECKING:
    from _csv import Reader

__all__ = ["looks_like_table", "records", "sample", "separator_of"]

SEPARATORS = "\t,;"
# What the csv module says, and what a person would; the empty mark is for whatever else it may say.
_FAILURES = {
    "expected after": "text after a closing quotation mark",
    "field limit": "a quotation mark that is never closed, or a field of more than 131,072 characters",
    "end of data": "a quotation mark that is never closed",
    "": "a record that is not proper CSV",
}


def separator_of(source: Source) -> str | None:
    """The separator that cuts the first line into most fields, or None where nothing cuts it."""
    line = next(iter(_filled(source)), "")
    best = max(SEPARATORS, key=lambda mark: len(_cut(line, mark)))
    return best if len(_cut(line, best)) > 1 else None


def looks_like_table(source: Source, choice: Choice, separators: str) -> bool:
    """Whether this is a table with a header, rather than bare numbers with one.

    A column that was asked for decides, and so does a known name in the header. Otherwise two or four columns of numbers are
    bare scores and counts, whatever they are called, and everything else under a header is a table.
    """
    mark = separator_of(source)
    if choice.names_columns:
        return mark is not None and mark in separators
    if mark is None or mark not in separators:
        return False
    first, *body = _filled(source)
    header = _cut(first, mark)
    if not all(is_name(name) for name in header if name):
        return False
    if any(map(is_known, header)) and not any(map(is_partner_of_counts, header)):
        return True
    if not body:
        return False
    fields = _cut(body[0], mark)
    bare = all(map(is_number, fields))
    return not (bare and (len(fields) <= 2 or (len(fields) == 4 and all(map(is_whole, fields)))))


def records(source: Source, separator: str, choice: Choice | None = None) -> Records:
    """Open a table as a stream of records; of scores, where `choice` says what is looked for in them."""
    label = source.label
    reader = csv.reader(source.lines(), delimiter=separator, strict=True)
    line, header = _header(reader, label)
    columns = tuple(name.strip() for name in header)
    problem = undecoded(" ".join(columns))
    if problem is not None:
        raise OutscoreError(f"{label}, line {line}: {problem[0]}.", problem[1])
    if choice is not None:
        _refuse_data(label, line, columns, choice)

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        return _blocks(reader, label, columns, needed)

    return Records(label, columns, sample(source, separator, columns), blocks)


def sample(source: Source, separator: str, columns: Sequence[str] = ()) -> dict[str, list[str]]:
    """The first values of each column, which are called as the first line has it unless `columns` says better."""
    found: list[list[str]] = []
    # The head may end inside a quoted field: what is looked at need not be strict. A field too long is refused when it is read.
    with contextlib.suppress(csv.Error):
        for row in csv.reader(source.head, delimiter=separator):
            found.append(row)  # noqa: PERF402 - what was read before an error counts
    header, *rows = [row for row in found if row] or [[]]
    return {name.strip(): [row[k].strip() for row in rows if len(row) > k] for k, name in enumerate(columns or header)}


def _filled(source: Source) -> list[str]:
    """The first lines that are not blank."""
    return [line for line in source.head if line.strip()]


def _header(reader: Reader, label: str) -> tuple[int, list[str]]:
    """The first record that holds anything, and its line."""
    while True:
        line, found = _take(reader, label, 1)
        if not found:
            raise OutscoreError(
                f"{label} is empty, a table was expected.", "Give a header line and one record per line below it."
            )
        if any(map(str.strip, found[0])):
            return line, found[0]


def _refuse_data(label: str, line: int, columns: Sequence[str], choice: Choice) -> None:
    """Refuse a first line that is data: as names of columns it would cost an item, and call systems by their scores.

    Numbers may be names (a column for each seed) where another name shows that this is a header: a usual one, or one that
    the caller knows.
    """
    values = [name for name in columns if is_number(name) or name.lower() in ("true", "false")]
    names = set(columns) - set(values)
    if not values or any(map(is_known, names)) or choice.named & names:
        return
    raise OutscoreError(
        f'{label}, line {line}: found {shorten(values[0])} in "{shorten(", ".join(columns))}", expected the names of columns.',
        "Put a line of names above the data, such as id,A,B.",
    )


def _cut(line: str, separator: str) -> list[str]:
    return [field.strip() for field in next(csv.reader([line], delimiter=separator), [])]


def _blocks(reader: Reader, label: str, columns: Sequence[str], needed: Sequence[str]) -> Iterator[Block]:
    places = [columns.index(name) for name in needed]
    while True:
        first, rows = _take(reader, label, BLOCK_ROWS)
        if not rows:
            return
        lines = _lines(rows, first, reader.line_num)
        if set(map(len, rows)) != {len(columns)}:
            rows, lines = _without_blanks(rows, lines, label, len(columns))
        if rows:
            yield Block(lines, {name: [row[k] for row in rows] for name, k in zip(needed, places, strict=True)})


def _take(reader: Reader, label: str, count: int) -> tuple[int, list[list[str]]]:
    """The next records, and the line the first begins on; what the csv module cannot read becomes a sentence."""
    first = reader.line_num + 1
    rows: list[list[str]] = []
    try:
        # What was read before a failure stays in the list, and tells the line the failing record begins on.
        rows.extend(itertools.islice(reader, count))
    except csv.Error as error:
        line = first + sum(map(_height, rows))
        found = next(words for mark, words in _FAILURES.items() if mark in str(error))
        raise OutscoreError(
            f"{label}, line {line}: found {found}.",
            "Put fields with separators, quotes or line ends inside quotation marks, and double the quotes within.",
        ) from None
    return first, rows


def _height(row: Sequence[str]) -> int:
    """How many lines a record takes."""
    return 1 + sum(field.count("\n") for field in row)


def _lines(rows: Sequence[Sequence[str]], first: int, last: int) -> Array:
    """The line each record begins on, which is simple unless quoted fields hold line ends."""
    if last - first + 1 == len(rows):
        return np.arange(first, last + 1)
    heights = np.fromiter(map(_height, rows), dtype=np.int64, count=len(rows))
    return first + np.cumsum(heights) - heights


def _without_blanks(rows: Sequence[list[str]], lines: Array, label: str, width: int) -> tuple[list[list[str]], Array]:
    """Leave out blank lines and refuse ragged ones."""
    kept = []
    for place, row in enumerate(rows):
        if len(row) == width:
            kept.append(place)
        elif any(map(str.strip, row)):
            fields = f'{len(row)} {"field" if len(row) == 1 else "fields"} ("{shorten(", ".join(row))}")'
            raise OutscoreError(
                f"{label}, line {lines[place]}: found {fields}, expected {width} as in the header.",
                "Give every line the fields of the header; put fields with separators inside quotation marks.",
            )
    return [rows[place] for place in kept], lines[kept]
