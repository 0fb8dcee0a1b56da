"""Readers: one file in, one table out.

`FORMATS` lists what can be read. Each entry recognises its files from their first lines; `read` asks them in turn. A new
format is one entry here.
"""

from __future__ import annotations

import os

from outscore.errors import OutscoreError
from outscore.formats import numbers
from outscore.formats.source import Source, open_source
from outscore.formats.table import FormatEntry, NumberTable
from outscore.options import did_you_mean

__all__ = ["FORMATS", "FormatEntry", "NumberTable", "Source", "read"]

FORMATS: dict[str, FormatEntry] = {
    entry.name: entry
    for entry in (
        FormatEntry(
            "scores",
            "one number per line, one file per system",
            numbers.detector(1),
            numbers.reader(1),
        ),
        FormatEntry(
            "score-pairs",
            "two numbers per line: system A's score and B's (or one system's right and wrong counts)",
            numbers.detector(2),
            numbers.reader(2),
        ),
        FormatEntry(
            "f1-counts",
            "four whole numbers per line: true positives and errors of system A, then of B",
            numbers.detector(4),
            numbers.reader(4),
        ),
    )
}


def read(path: str | os.PathLike[str], *, format: str = "auto") -> NumberTable:
    """Read one file of numbers; ``-`` is standard input, and gzip, bzip2 and xz are unpacked on the way.

    Parameters
    ----------
    path
        The file.
    format
        A name from `FORMATS`, or ``"auto"`` to recognise it from the content.
    """
    if format != "auto" and format not in FORMATS:
        raise OutscoreError(f"There is no format `{format}`.", did_you_mean(format, [*FORMATS, "auto"]))
    with open_source(path) as source:
        entries = FORMATS.values() if format == "auto" else [FORMATS[format]]
        for entry in entries:
            if format != "auto" or entry.detect(source.head):
                return entry.read(source)
        # Nothing fits: the reader of all widths knows best which line is to blame.
        return numbers.read_numbers(source)
