"""CSV and TSV: a header, and one record per line (or several lines, where a quoted field holds a line end).

Blocks of plain lines, a field for each column and no quotation mark, are split at once. From the first unusual block on the csv
module reads, because it knows on which line a record begins. Only the fields needed are kept of each record.
"""

from __future__ import annotations

import contextlib
import csv
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.base.entry import Choice
from outscore.formats.base.source import MAX_LINE, Peek, Source, line_error, refuse_undecoded, shorten, split_lines
from outscore.formats.tables.cells import BLOCK_ROWS, Block, Records, is_damaged, is_name, is_number, is_whole
from outscore.formats.tables.fields import Fields, plain_lines
from outscore.formats.tables.names import is_count, is_known, is_score, names_counts, suggests_other
from outscore.formats.tables.numbers import may_be_a_score
from outscore.scores.system import label_of

if TYPE_CHECKING:
    from _csv import Reader

SEPARATORS = "\t,;"
BAR = "|"
"""Names of systems and sets of labels contain it, so that it separates fields only where nothing else does."""
# A field may be as long as a line may be: transcripts are longer than the 131,072 characters the module allows by default.
csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE))
# Parts of the csv module's messages, and what to say instead; the empty one matches any message.
_FAILURES = {
    "expected after": "text after a closing quotation mark",
    "field limit": f"a quotation mark that is never closed, or a field of more than {MAX_LINE:,} characters",
    "end of data": "a quotation mark that is never closed",
    "": "a record that is not proper CSV",
}


def separator_of(peek: Peek) -> str | None:
    r"""The separator that splits the first line into most fields, or None if there is none.

    Examples
    --------
    >>> separator_of(Peek("runs", ["id|a,b|b\n", "q1|1|0\n"])), separator_of(Peek("runs", ["id|a|b\n", "q1|1|0\n"]))
    (',', '|')
    >>> separator_of(Peek("text", ["Yes | no\n", "He came | and 1 of them went\n"])) is None
    True
    """
    lines = [line for line in _without_comments(peek.head) if line.strip()] or [""]
    best = max(SEPARATORS, key=lambda mark: len(_split(lines[0], mark)))
    if len(_split(lines[0], best)) > 1:
        return best
    header, *body = [_split(line, BAR) for line in lines]
    as_wide = body and all(len(fields) == len(header) > 1 for fields in body)
    return BAR if as_wide and (any(map(is_known, header)) or any(map(is_number, body[0]))) else None


def looks_like_table(peek: Peek, choice: Choice, separators: str) -> bool:
    """Whether this is a table with a header, rather than bare numbers with one.

    A column named by the caller makes it a table, and so does a known name in the header. Otherwise two columns of numbers
    are bare scores unless a name suggests another meaning (answers, lengths), four whole numbers are bare counts where all
    names say so, and everything else with a header is a table.
    """
    mark = separator_of(peek)
    if choice.names_columns:
        return mark is not None and mark in separators
    if mark is None or mark not in separators:
        return False
    first, *body = [line for line in _without_comments(peek.head) if line.strip()]
    header = _split(first, mark)
    if not all(is_name(name) or is_damaged(name) for name in header if name):
        return False
    # Ids, systems and datasets stand in tables; `correct` beside `error` is a count.
    known = [name for name in header if is_known(name)]
    if known and not (all(map(is_score, known)) and any(map(names_counts, header))):
        return True
    if not body or any(map(is_damaged, header)):
        return False
    fields = _split(body[0], mark)
    counts = len(fields) == 4 and all(map(is_whole, fields)) and all(map(is_count, header))
    scores = len(fields) <= 2 and all(map(is_number, fields)) and not any(map(suggests_other, header))
    return mark == BAR or not (counts or scores)


def records(source: Source, separator: str, choice: Choice | None = None) -> Records:
    """Open a table as a stream of records; with `choice`, a table of scores, whose first line must be a header."""
    path = source.path
    head = _without_comments(source.head)
    lines = itertools.chain(head, itertools.islice(source.lines(), len(head), None))
    reader = csv.reader(lines, delimiter=separator, strict=True)
    line, header = _read_header(reader, path)
    columns = tuple(name.strip() for name in header)
    refuse_undecoded(path, line, " ".join(columns))
    if choice is not None:
        _refuse_data(path, line, columns, choice)

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        # Of two columns of one name the first counts.
        first_of = {name: k for k, name in reversed(list(enumerate(columns)))}
        places = {name: first_of[name] for name in needed}
        above = reader.line_num
        # Lines are pieces, too, where the header is so long that the rest has been begun by lines.
        pieces = lines if above > len(head) else _below(source.pieces, above)
        for piece in pieces:
            plain = None if len(columns) == 1 else plain_lines(piece, separator, len(columns))
            if plain is None:
                rest = itertools.chain.from_iterable(map(split_lines, itertools.chain([piece], pieces)))
                unusual = csv.reader(rest, delimiter=separator, strict=True)
                yield from _unusual_blocks(unusual, path, above, len(columns), places)
                return
            rows = len(plain.ends)
            yield Block(np.arange(above + 1, above + rows + 1), {name: Fields(plain, k) for name, k in places.items()})
            above += rows

    return Records(source.label, columns, sample(source, separator, columns), blocks, path=path)


def sample(peek: Peek, separator: str, columns: Sequence[str] = ()) -> dict[str, list[str]]:
    """The first values of each column by name; names come from the first line unless `columns` gives them."""
    records: list[list[str]] = []
    # The head may end inside a quoted field, so parsing is not strict here. Errors are reported when the
    # table is read.
    with contextlib.suppress(csv.Error):
        for row in csv.reader(_without_comments(peek.head), delimiter=separator):
            records.append(row)  # noqa: PERF402 - the records before an error count
    header, *rows = [row for row in records if row] or [[]]
    return {name.strip(): [row[k].strip() for row in rows if len(row) > k] for k, name in enumerate(columns or header)}


def _without_comments(head: Sequence[str]) -> list[str]:
    r"""The first lines with blank ones in place of comments above the header; a header behind a # loses the mark.

    Examples
    --------
    >>> _without_comments(["# made today\n", "id,a,b\n", "q1,1,0\n"])
    ['\n', 'id,a,b\n', 'q1,1,0\n']
    >>> _without_comments(["# id,a,b\n", "q1,1,0\n"])
    ['id,a,b\n', 'q1,1,0\n']
    """
    above = list(itertools.takewhile(lambda line: not line.strip() or line.startswith("#"), head))
    if not any(line.strip() for line in above):
        return list(head)
    below = head[len(above) :]
    plain = ["\n"] * len(above)
    last = max(i for i, line in enumerate(above) if line.strip())
    if below and _is_header(above[last].lstrip("# "), below[0]):
        plain[last] = above[last].lstrip("# ")
    return [*plain, *below]


def _is_header(line: str, following: str) -> bool:
    """Whether a line names the columns of the one that follows."""
    for mark in SEPARATORS:
        names, fields = _split(line, mark), _split(following, mark)
        if len(names) == len(fields) > 1 and all(map(is_name, names)) and any(map(is_number, fields)):
            return True
    return False


def _read_header(reader: Reader, path: str) -> tuple[int, list[str]]:
    """The line and the fields of the first record that is not blank."""
    while True:
        line, rows = _take(reader, path, 1)
        if not rows:
            raise OutscoreError(
                f"{label_of(path)} is empty, but a table was expected.", "Give a header line and one record per line below it."
            )
        if any(map(str.strip, rows[0])):
            return line, rows[0]


def _refuse_data(path: str, line: int, columns: Sequence[str], choice: Choice) -> None:
    """Refuse a first line that is data: taken for a header, it would lose an item and name systems after their scores.

    Numbers may be names (a column for each seed) if another name shows that this is a header: a usual one, or
    one that the caller gave.
    """
    values = [name for name in columns if is_number(name) or is_damaged(name) or name.lower() in ("true", "false")]
    if len(columns) == 1 and columns[0] not in choice.named and may_be_a_score(columns[0]):
        values = list(columns)
    names = set(columns) - set(values)
    if not values or any(map(is_known, names)) or choice.named & names:
        return
    # A column for each item, numbered through, below a name of the column of systems.
    numbered = len(names) == 1 and [name for name in columns if name in values] == [
        str(i + int(values[0] == "1")) for i in range(len(values))
    ]
    if numbered and choice.transpose:
        return
    hint = "Put a line of names above the data, such as id,A,B."
    if numbered:
        hint = (
            "If every row is a system and every column an item, add --transpose; otherwise put a line of names above the data."
        )
    raise line_error(
        path, line, f'found {shorten(values[0])} in "{shorten(", ".join(columns))}", expected the names of columns', hint
    )


def _split(line: str, separator: str) -> list[str]:
    """The fields of a single line, which may not be proper CSV: the error is raised when the table is read."""
    try:
        fields = next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        fields = line.split(separator)
    return [field.strip() for field in fields]


def _below(pieces: Iterator[str], above: int) -> Iterator[str]:
    """Pieces of text without the first lines."""
    for piece in pieces:
        rest = piece
        while above and rest:
            rest = rest.partition("\n")[2]
            above -= 1
        if rest:
            yield rest


def _unusual_blocks(reader: Reader, path: str, above: int, width: int, places: Mapping[str, int]) -> Iterator[Block]:
    """The records that the csv module reads, with `above` lines above them."""
    while True:
        first, rows = _take(reader, path, BLOCK_ROWS, above)
        if not rows:
            return
        lines = _lines(rows, first, above + reader.line_num)
        if set(map(len, rows)) != {width}:
            rows, lines = _drop_blank_lines(rows, lines, path, width)
        if rows:
            yield Block(lines, {name: [row[k] for row in rows] for name, k in places.items()})


def _take(reader: Reader, path: str, count: int, above: int = 0) -> tuple[int, list[list[str]]]:
    """The line of the next record, and up to `count` records; errors of the csv module become an `OutscoreError`."""
    first = above + reader.line_num + 1
    rows: list[list[str]] = []
    try:
        # The records before a failure stay in the list and tell on which line the failing record begins.
        rows.extend(itertools.islice(reader, count))
    except csv.Error as error:
        line = first + sum(map(_height, rows))
        failure = next(words for mark, words in _FAILURES.items() if mark in str(error))
        raise line_error(
            path,
            line,
            f"found {failure}",
            "Put fields with separators, quotes or line ends inside quotation marks, and double the quotes inside.",
        ) from None
    return first, rows


def _height(row: Sequence[str]) -> int:
    """The number of lines of a record."""
    return 1 + sum(field.count("\n") for field in row)


def _lines(rows: Sequence[Sequence[str]], first: int, last: int) -> Array:
    """The line each record begins on; records differ in height if quoted fields hold line ends."""
    if last - first + 1 == len(rows):
        return np.arange(first, last + 1)
    heights = np.fromiter(map(_height, rows), dtype=np.int64, count=len(rows))
    return first + np.cumsum(heights) - heights


def _drop_blank_lines(rows: Sequence[list[str]], lines: Array, path: str, width: int) -> tuple[list[list[str]], Array]:
    """Drop blank lines and comments, and refuse records with too few or too many fields."""
    kept = []
    for place, row in enumerate(rows):
        if len(row) == width:
            kept.append(place)
        elif any(map(str.strip, row)) and not row[0].startswith("#"):
            fields = f'{len(row)} {"field" if len(row) == 1 else "fields"} ("{shorten(", ".join(row))}")'
            raise line_error(
                path,
                int(lines[place]),
                f"found {fields}, expected {width} as in the header",
                "Give every line the fields of the header; put fields with separators inside quotation marks.",
            )
    return [rows[place] for place in kept], lines[kept]
