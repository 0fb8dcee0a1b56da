"""Plain text, one segment per line: the outputs and references of translation and generation. An empty line is a segment."""

from __future__ import annotations

import os
from dataclasses import dataclass

from outscore.core.errors import OutscoreError
from outscore.formats.source import nul_byte, open_source, stem_of
from outscore.formats.tables.field import undecoded
from outscore.scores.system import Origin

__all__ = ["Segments", "read_segments"]


@dataclass(frozen=True, eq=False)
class Segments:
    """The lines of a text, and the file they come from."""

    name: str
    lines: tuple[str, ...]
    origin: Origin | None = None

    def __len__(self) -> int:
        return len(self.lines)


def read_segments(path: str | os.PathLike[str], name: str | None = None) -> Segments:
    r"""Read a text of one segment per line; ``-`` is standard input, and compressed files are unpacked on the way.

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
    lines: list[str] = []
    with open_source(path) as source:
        if source.parquet is not None:
            raise OutscoreError(f"{source.label} is a Parquet table, plain text was expected.", "Give one segment per line.")
        for number, line in enumerate(source.lines(), 1):
            problem = undecoded(line)
            if problem is not None:
                raise OutscoreError(f"{source.label}, line {number}: {problem[0]}.", problem[1])
            if "\x00" in line:
                # Only the beginning of a file is looked at when it is opened.
                raise OutscoreError(*nul_byte(source.label, number))
            lines.append(line.rstrip("\r\n"))
        if not lines:
            raise OutscoreError(f"{source.label} is empty.", "Give a text of at least one line.")
        origin = Origin(source.path, source.sha256(), len(lines), "segments")
    return Segments(name or stem_of(os.fspath(path)), tuple(lines), origin)
