"""Plain text, one segment per line: outputs and references of translation and generation. Empty lines count."""

from __future__ import annotations

import os
from dataclasses import dataclass

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import nul_byte_error, open_source, refuse_undecoded, stem_of
from outscore.scores.system import Origin

__all__ = ["Segments", "read_segments"]


@dataclass(frozen=True, eq=False)
class Segments:
    """The segments of a text, and the file they come from."""

    name: str
    lines: tuple[str, ...]
    origin: Origin | None = None

    def __len__(self) -> int:
        return len(self.lines)


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
    lines: list[str] = []
    with open_source(path) as source:
        if source.parquet is not None:
            raise OutscoreError(f"{source.label} is a Parquet table, plain text was expected.", "Give one segment per line.")
        for number, line in enumerate(source.lines(), 1):
            if not line.isascii():
                refuse_undecoded(source.path, number, line)
            if "\x00" in line:
                # Opening a file checks its beginning only.
                raise nul_byte_error(source.path, number)
            lines.append(line.rstrip("\r\n"))
        if not lines:
            raise OutscoreError(f"{source.label} is empty.", "Give a text of at least one line.")
        origin = Origin(source.path, source.sha256(), len(lines), "segments")
    return Segments(name or stem_of(os.fspath(path)), tuple(lines), origin)
