"""Files of words, a line each: cut into columns, measured in characters.

Every line becomes a row, so that a row knows its line; what a line means (word, comment, end of a sentence) its reader decides.
The text goes through in blocks: nothing but the columns asked for is kept of a file of any length. A block is cut by the places
of its separators, all found at once; fields stay bytes until somebody asks for one.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.source import Source
from outscore.formats.tables.field import shorten, undecoded
from outscore.scores.system import Labels

__all__ = ["Lines", "character_spans", "document_labels", "first_rows", "refuse_empty", "scan", "sentences_of"]

# About a megabyte of text: larger blocks leave the processor's cache, smaller ones pay for starting every step each time.
BLOCK_PIECES = 4
# Whole numbers of so many digits fit into 32 bits.
MOST_DIGITS = 9

_NOT_SQUEEZED = re.compile(r"[ \t]{2}|[ \t]$|^[ \t]|\t", re.MULTILINE)
_AROUND = re.compile(r"^[ \t]+|[ \t]+$", re.MULTILINE)
_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True, eq=False)
class Lines:
    """Some lines of a file, cut into columns.

    Parameters
    ----------
    label, first
        What messages call the file, and the number of the first of these lines.
    raw
        The lines as UTF-8, every one with its end.
    cuts
        Places of all separators and line ends in `raw`, after -1 for the end of the line before.
    begins
        (n,) which of the cuts ends the first column of each line.
    widths
        (n,) how many columns each line has; an empty line has one.
    ended
        Whether the last line has an end in the file too.
    """

    label: str
    first: int
    raw: bytes
    cuts: Array
    begins: Array
    widths: Array
    ended: bool

    def fields(self, column: int, rows: Array | slice = slice(None)) -> tuple[Array, Array]:
        """Where a column of these rows starts and ends in `raw`; all of them must have so many columns."""
        at = self.begins[rows] + column
        return self.cuts[at - 1] + 1, self.cuts[at]

    def filled(self, column: int) -> Array:
        """(n,) whether a line has the column, and something in it."""
        at = self.begins + np.minimum(column, self.widths - 1)
        return np.asarray((self.widths > column) & (self.cuts[at] - self.cuts[at - 1] > 1))

    def initials(self) -> Array:
        """(n,) the first byte of each line, its end where it is empty."""
        return np.frombuffer(self.raw, dtype=np.uint8)[self.fields(0)[0]]

    def numbers(self) -> Array:
        """(n,) the number in the first column, -1 where something else than at most nine digits stands there."""
        digits = np.frombuffer(self.raw, dtype=np.uint8) - np.uint8(ord("0"))
        starts, ends = self.fields(0)
        sizes = ends - starts
        found = np.where((sizes > 0) & (sizes <= MOST_DIGITS), 0, -1).astype(np.int32)
        for place in range(MOST_DIGITS):
            rows = np.flatnonzero((found >= 0) & (sizes > place))
            if not len(rows):
                break
            digit = digits[starts[rows] + place]
            found[rows] = np.where(digit < 10, 10 * found[rows] + digit, -1)
        return found

    def texts(self, column: int, rows: Array) -> list[str]:
        """A column of these rows as text, all of which must have so many columns."""
        starts, ends = self.fields(column, rows)
        fields = [self.raw[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        # One long text is decoded far faster than many short ones.
        return b"\n".join(fields).decode().split("\n") if fields else []

    def line(self, row: int) -> str:
        """A line as text, without its end."""
        begin = self.begins[row]
        return self.raw[self.cuts[begin - 1] + 1 : self.cuts[begin + self.widths[row] - 1]].decode()

    def refuse(self, row: int, found: str, hint: str) -> NoReturn:
        """Stop at a row, saying what was found and how to cure it."""
        raise OutscoreError(f"{self.label}, line {self.first + row}: {found}.", hint)

    def refuse_width(self, row: int, expected: str, hint: str) -> NoReturn:
        """Stop at a row with too few or too many columns."""
        width = int(self.widths[row])
        columns = f'{width} {"column" if width == 1 else "columns"} ("{shorten(self.line(row))}")'
        if row == len(self.widths) - 1 and not self.ended:
            hint = f"The file ends inside this line: copy or write it again. Otherwise: {hint[0].lower()}{hint[1:]}"
        self.refuse(row, f"found {columns}, expected {expected}", hint)


def scan(source: Source, separator: str) -> Iterator[Lines]:
    """Cut a file into columns, block by block."""
    first = 1
    for block in _blocks(source):
        text = _squeezed(block) if separator == " " else block
        ended = text.endswith("\n")
        raw = _bytes(text if ended else f"{text}\n", source.label, first)
        codes = np.frombuffer(raw, dtype=np.uint8)
        cuts = np.concatenate(([-1], np.flatnonzero((codes == ord(separator)) | (codes == ord("\n")))))
        line_ends = np.flatnonzero(codes[cuts[1:]] == ord("\n")) + 1
        begins = np.concatenate(([1], line_ends[:-1] + 1))
        yield Lines(source.label, first, raw, cuts, begins, line_ends - begins + 1, ended)
        first += len(begins)


def _blocks(source: Source) -> Iterator[str]:
    pieces = source.pieces()
    while text := "".join(itertools.islice(pieces, BLOCK_PIECES)):
        yield text


def _squeezed(text: str) -> str:
    """Lines without blanks around them, and one blank between columns."""
    if not _NOT_SQUEEZED.search(text):
        return text
    return _BLANKS.sub(" ", _AROUND.sub("", text))


def _bytes(text: str, label: str, first: int) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        problem = undecoded(text)
        assert problem is not None
        line = first + text.count("\n", 0, error.start)
        raise OutscoreError(f"{label}, line {line}: {problem[0]}.", problem[1]) from None


def sentences_of(lines: Array, blanks: Array) -> Array:
    """The sentence of each word, by the blank lines between them; blank lines before the first word begin none.

    Examples
    --------
    >>> sentences_of(np.array([2, 3, 6, 9]), np.array([1, 4, 5, 8, 10])).tolist()
    [0, 0, 1, 2]
    """
    begins = np.zeros(len(lines) + 1, dtype=np.int32)
    # Blank lines are few: finding their place among the words is far quicker than the other way round.
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
    """First and last character (exclusive) of each word in the file's text without white space.

    `firsts` says which words begin a token: the others share the span of the word before them.
    """
    names: Sequence[str] = tokens.names
    # Hardly a file has words with white space in them: one long text tells at once.
    if " ".join(names).split() != list(names):
        names = ["".join(name.split()) for name in names]
    lengths = np.fromiter(map(len, names), dtype=np.int32, count=len(names))
    own = lengths[tokens.codes if firsts.all() else tokens.codes[firsts]]
    ends = np.cumsum(own, dtype=np.int32)
    if firsts.all():
        return ends - own, ends
    token = np.cumsum(firsts) - 1
    return (ends - own)[token], ends[token]


def document_labels(marks: Sequence[tuple[int, str]], sentences: int) -> Labels | None:
    """The document of each sentence from (first sentence, name) of each document; None where nothing marks documents.

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
    """Stop at a file without words."""
    raise OutscoreError(f"{source.label} holds no words, {expected} was expected.", "Check that the system wrote its output.")
