"""Plain text, one segment per line: outputs and references of translation and generation. Empty lines count."""

from __future__ import annotations

import os
import re

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.source import Source, decoding_problem, nul_byte_error, open_source, refuse_undecoded, stem_of
from outscore.scores.system import Origin

Lines = tuple[str, ...]
_STRAY = re.compile(r"\r(?!\n|$)")


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of a text, and the file they come from.

    Parameters
    ----------
    name
        What the text is called.
    lines
        One segment each.
    origin
        The file.
    keys, documents, source
        What the file says of each segment besides: its id, its document and what was translated.
    notes
        How the file was read, where that is not plain to see.
    datasets
        The test set or language pair of each segment, where the file has several.
    """

    name: str
    lines: Lines
    origin: Origin | None = None
    keys: Lines | None = None
    documents: Lines | None = None
    source: Lines | None = None
    notes: tuple[str, ...] = ()
    datasets: Lines | None = None

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def label(self) -> str:
        """What messages call the text."""
        return f"`{self.name}`" if self.origin is None else self.origin.label


def read_segments(path: str | os.PathLike[str], name: str | None = None) -> Segments:
    r"""Read a text of one segment per line; ``-`` is standard input, and compressed files are unpacked.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.txt")
    ...     _ = path.write_text("A cat.\n\nA dog.\n")
    ...     text = read_segments(path)
    >>> text.name, text.lines
    ('new', ('A cat.', '', 'A dog.'))
    """
    with open_source(path, line_ends="kept") as source:
        text = whole_text(source)
        lines = plain_lines(text)
        origin = Origin(source.path, source.sha256(), len(lines), "segments")
    return Segments(name or stem_of(os.fspath(path)), lines, origin, notes=stray_returns(lines, origin))


def whole_text(source: Source) -> str:
    """The whole text of a file; an empty one, or one with bytes that are not text, is refused."""
    if source.parquet is not None:
        raise OutscoreError(f"{source.label} is a Parquet table, but plain text was expected.", "Give one segment per line.")
    text = "".join(source.pieces())
    if not text:
        raise OutscoreError(f"{source.label} is empty.", "Give a text of at least one line.")
    if "\x00" in text:
        # Opening a file checks its beginning only.
        raise nul_byte_error(source.path, text.count("\n", 0, text.index("\x00")) + 1)
    if not text.isascii() and decoding_problem(text) is not None:
        for number, line in enumerate(text.split("\n"), 1):
            refuse_undecoded(source.path, number, line)
    return text


def plain_lines(text: str) -> Lines:
    r"""The lines of a text: they end in ``\n`` or ``\r\n``, or all of them in ``\r``.

    Examples
    --------
    >>> plain_lines("a\r\nb\rc\n\n"), plain_lines("a\rb\r")
    (('a', 'b\rc', ''), ('a', 'b'))
    """
    end = "\n" if "\n" in text else "\r"
    lines = text.removesuffix(end).split(end)
    return tuple(line.rstrip("\r") for line in lines)


def stray_returns(lines: Lines, origin: Origin) -> tuple[str, ...]:
    """What to say of carriage returns within lines, which many tools take for the end of a line."""
    stray = [i for i, line in enumerate(lines, 1) if _STRAY.search(line)]
    if not stray:
        return ()
    lines_with = f"line {stray[0]} has" if len(stray) == 1 else f"line {stray[0]} and {len(stray) - 1:,} more have"
    return (f"{origin.label}, {lines_with} a carriage return inside; it is part of the segment, as in sacreBLEU.",)
