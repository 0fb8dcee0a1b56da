"""Files of words, a line each: cut into columns by polars, encoded into labels, measured in characters.

Every line becomes a row, so that a row knows its line; what a line means (word, comment, end of a sentence) its reader decides.
The text goes through in blocks: nothing but the columns asked for is kept of a file of any length.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from outscore.data import Array
from outscore.errors import OutscoreError
from outscore.formats.field import shorten, undecoded
from outscore.formats.source import Source
from outscore.scores import Labels

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Lines", "as_labels", "character_spans", "document_labels", "first_rows", "refuse_empty", "scan", "sentences_of"]

# About two megabytes of text: larger blocks leave the processor's cache, smaller ones pay for starting polars each time.
BLOCK_PIECES = 8

_NOT_SQUEEZED = re.compile(r"[ \t]{2}|[ \t]$|^[ \t]|\t", re.MULTILINE)
_AROUND = re.compile(r"^[ \t]+|[ \t]+$", re.MULTILINE)
_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True)
class Lines:
    """Some lines of a file in columns ``"0"``, ``"1"``...; a column that a line lacks, or leaves empty, is null."""

    label: str
    first: int
    text: str
    frame: pl.DataFrame

    def refuse(self, row: int, found: str, hint: str) -> NoReturn:
        """Stop at a row, saying what was found and how to cure it."""
        raise OutscoreError(f"{self.label}, line {self.first + row}: {found}.", hint)

    def refuse_width(self, row: int, expected: str, separator: str, hint: str) -> NoReturn:
        """Stop at a row with too few or too many columns."""
        line = self.text.split("\n")[row]
        width = len(line.split(separator))
        columns = f'{width} {"column" if width == 1 else "columns"} ("{shorten(line)}")'
        if row == self.text.count("\n"):
            hint = f"The file ends inside this line: copy or write it again. Otherwise: {hint[0].lower()}{hint[1:]}"
        self.refuse(row, f"found {columns}, expected {expected}", hint)


def scan(source: Source, width: int, separator: str, needed: Sequence[int]) -> Iterator[Lines]:
    """Cut a file into columns; of the `width` columns, and one more that betrays longer lines, keep those that are needed."""
    import polars as pl

    # A header of our own settles the number of columns, whatever the first lines hold.
    header = separator.join(map(str, range(width + 1))).encode() + b"\n"
    first = 1
    for block in _blocks(source):
        text = _squeezed(block) if separator == " " else block
        frame = pl.read_csv(
            header + _bytes(text, source.label, first),
            separator=separator,
            quote_char=None,
            infer_schema=False,
            truncate_ragged_lines=True,
            columns=[*map(str, needed)],
        )
        yield Lines(source.label, first, text, frame)
        first += frame.height


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


def as_labels(column: pl.Series) -> Labels:
    """Encode a column in order of first appearance.

    Examples
    --------
    >>> import polars as pl
    >>> labels = as_labels(pl.Series(["DET", "NOUN", "DET"]))
    >>> labels.codes.tolist(), labels.names
    ([0, 1, 0], ('DET', 'NOUN'))
    """
    import polars as pl

    names = column.unique(maintain_order=True)
    codes = column.cast(pl.Enum(names)).to_physical().to_numpy()
    return Labels(codes.astype(np.int32), tuple(names.to_list()))


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
    lengths = np.array([len("".join(name.split())) for name in tokens.names], dtype=np.int32)
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
