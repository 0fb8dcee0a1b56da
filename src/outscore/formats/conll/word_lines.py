"""Files with a word per line: lines split into columns, words located by their characters.

Every line becomes a row, so that a row knows its line number; the reader decides what a line means (word,
comment, end of a sentence). Text is processed in blocks, and only the columns needed are kept. A block is
split at its separators, all found at once; fields stay bytes until one is asked for.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.formats.base.source import Source, line_error, refuse_undecoded, shorten
from outscore.scores.system import Labels

# About a megabyte of text: larger blocks leave the processor's cache, smaller ones pay the overhead of each
# step more often.
BLOCK_PIECES = 4
# Whole numbers of up to this many digits fit into 32 bits.
MAX_DIGITS = 9

_NOT_SQUEEZED = re.compile(r"[ \t]{2}|[ \t]$|^[ \t]|\t", re.MULTILINE)
_AROUND = re.compile(r"^[ \t]+|[ \t]+$", re.MULTILINE)
_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True, eq=False)
class Lines:
    """Consecutive lines of a file, split into columns.

    Parameters
    ----------
    path, first
        The file, and the number of the first of these lines.
    raw
        The lines as UTF-8, each with a line end.
    cuts
        Offsets of all separators and line ends in `raw`, preceded by -1 for the end of the line before.
    begins
        (n,) index into `cuts` of the end of each line's first column.
    widths
        (n,) number of columns of each line; an empty line has one.
    ended
        Whether the last line ends with a line end in the file too.
    """

    path: str
    first: int
    raw: bytes
    cuts: Array
    begins: Array
    widths: Array
    ended: bool

    def fields(self, column: int, rows: Array | slice = slice(None)) -> tuple[Array, Array]:
        """Start and end of a column of these rows in `raw`; all rows must have that column."""
        at = self.begins[rows] + column
        return self.cuts[at - 1] + 1, self.cuts[at]

    def filled(self, column: int) -> Array:
        """(n,) whether each line has the column and it is not empty."""
        at = self.begins + np.minimum(column, self.widths - 1)
        return np.asarray((self.widths > column) & (self.cuts[at] - self.cuts[at - 1] > 1))

    def initials(self) -> Array:
        """(n,) the first byte of each line, which is the line end of an empty one."""
        return np.frombuffer(self.raw, dtype=np.uint8)[self.fields(0)[0]]

    def numbers(self) -> Array:
        """(n,) the number in the first column, -1 if it is anything but one to nine digits."""
        digits = np.frombuffer(self.raw, dtype=np.uint8) - np.uint8(ord("0"))
        starts, ends = self.fields(0)
        sizes = ends - starts
        numbers = np.where((sizes > 0) & (sizes <= MAX_DIGITS), 0, -1).astype(np.int32)
        for place in range(MAX_DIGITS):
            rows = np.flatnonzero((numbers >= 0) & (sizes > place))
            if not len(rows):
                break
            digit = digits[starts[rows] + place]
            numbers[rows] = np.where(digit < 10, 10 * numbers[rows] + digit, -1)
        return numbers

    def texts(self, column: int, rows: Array) -> list[str]:
        """A column of these rows as text; all rows must have that column."""
        starts, ends = self.fields(column, rows)
        fields = [self.raw[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        # Decoding one long text is much faster than decoding many short ones.
        return b"\n".join(fields).decode().split("\n") if fields else []

    def line(self, row: int) -> str:
        """A line as text, without its line end."""
        begin = self.begins[row]
        return self.raw[self.cuts[begin - 1] + 1 : self.cuts[begin + self.widths[row] - 1]].decode()

    def refuse(self, row: int, problem: str, hint: str) -> NoReturn:
        """Raise an error that names the line."""
        raise line_error(self.path, self.first + row, problem, hint)

    def refuse_width(self, row: int, expected: str, hint: str) -> NoReturn:
        """Raise the error of a row with too few or too many columns."""
        width = int(self.widths[row])
        columns = f'{width} {"column" if width == 1 else "columns"} ("{shorten(self.line(row))}")'
        if row == len(self.widths) - 1 and not self.ended:
            hint = f"The file ends inside this line: copy or write it again. Otherwise: {hint[0].lower()}{hint[1:]}"
        self.refuse(row, f"found {columns}, expected {expected}", hint)


def scan(source: Source, separator: str) -> Iterator[Lines]:
    """Split a file into columns, block by block."""
    first = 1
    for block in _blocks(source):
        text = _squeeze_blanks(block) if separator == " " else block
        ended = text.endswith("\n")
        raw = _encode(text if ended else f"{text}\n", source.path, first)
        codes = np.frombuffer(raw, dtype=np.uint8)
        cuts = np.concatenate(([-1], np.flatnonzero((codes == ord(separator)) | (codes == ord("\n")))))
        line_ends = np.flatnonzero(codes[cuts[1:]] == ord("\n")) + 1
        begins = np.concatenate(([1], line_ends[:-1] + 1))
        yield Lines(source.path, first, raw, cuts, begins, line_ends - begins + 1, ended)
        first += len(begins)


def _blocks(source: Source) -> Iterator[str]:
    pieces = source.pieces()
    while text := "".join(itertools.islice(pieces, BLOCK_PIECES)):
        yield text


def _squeeze_blanks(text: str) -> str:
    """Remove blanks around lines, and leave one between columns."""
    if not _NOT_SQUEEZED.search(text):
        return text
    return _BLANKS.sub(" ", _AROUND.sub("", text))


def _encode(text: str, path: str, first: int) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        refuse_undecoded(path, first + text.count("\n", 0, error.start), text[error.start :])
        raise


def sentences_of(lines: Array, blanks: Array) -> Array:
    """The sentence of each word, by the blank lines between words.

    Examples
    --------
    >>> sentences_of(np.array([2, 3, 6, 9]), np.array([1, 4, 5, 8, 10])).tolist()
    [0, 0, 1, 2]
    """
    begins = np.zeros(len(lines) + 1, dtype=np.int32)
    # Blank lines are few: locating them among the words is much faster than the other way round.
    begins[np.searchsorted(lines, blanks.astype(lines.dtype))] = 1
    begins[0] = 0
    return np.cumsum(begins[:-1], dtype=np.int32)


def first_rows(sentences: Array) -> Array:
    """The first row of each word's sentence.

    Examples
    --------
    >>> first_rows(np.array([0, 0, 1, 1, 1])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.flatnonzero(np.diff(sentences, prepend=-1))[sentences]


def character_spans(tokens: Labels, firsts: Array) -> tuple[Array, Array]:
    """Start and end of each word in the file's text without white space.

    `firsts` marks the words that begin a token: the others share the span of the word before them.
    """
    names: Sequence[str] = tokens.names
    # Few files have words with white space inside, which one join and split of all words tells.
    if " ".join(names).split() != list(names):
        names = ["".join(name.split()) for name in names]
    lengths = np.fromiter(map(len, names), dtype=np.int32, count=len(names))
    sizes = lengths[tokens.codes if firsts.all() else tokens.codes[firsts]]
    ends = np.cumsum(sizes, dtype=np.int32)
    if firsts.all():
        return ends - sizes, ends
    token = np.cumsum(firsts) - 1
    return (ends - sizes)[token], ends[token]


def document_labels(marks: Sequence[tuple[int, str]], sentences: int) -> Labels | None:
    """The document of each sentence, from (first sentence, name) of each document; None without documents.

    Documents without a name are numbered.

    Examples
    --------
    >>> document_labels([(0, "news"), (2, "")], 3).names
    ('news', '2')
    """
    if not marks:
        return None
    named = [(0, "")] * (marks[0][0] > 0) + list(marks)
    starts = np.array([start for start, _ in named])
    names = [name or str(number) for number, (_, name) in enumerate(named, 1)]
    labels = Labels.of(names)
    return labels.take(np.searchsorted(starts, np.arange(sentences), side="right") - 1)


def refuse_empty(source: Source, expected: str) -> NoReturn:
    """Raise the error of a file without words."""
    raise OutscoreError(f"{source.label} contains no words, but {expected} was expected.", "Check that its text was written.")
