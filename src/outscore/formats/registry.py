"""Readers: one file in, its systems' scores or its outputs out.

`FORMATS` lists how scores can be written, `OUTPUT_FORMATS` outputs. Each entry recognises its files from their first lines;
`read` asks them in turn. A new format is one entry.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.formats.output_formats import OUTPUT_FORMATS, recognised
from outscore.formats.source import Source, open_source
from outscore.formats.tables import delimited, jsonl, numbers, parquet
from outscore.formats.tables.assemble import read_table
from outscore.formats.tables.field import is_name, shorten
from outscore.formats.tables.table import Choice, FormatEntry, NumberTable
from outscore.outputs.model import Outputs
from outscore.scores.system import Scores

__all__ = ["FORMATS", "OUTPUT_FORMATS", "FormatEntry", "NumberTable", "Source", "read", "read_scores"]


def _delimited(name: str, separators: str) -> FormatEntry:
    def detect(source: Source, choice: Choice) -> bool:
        return delimited.looks_like_table(source, choice, separators)

    def read(source: Source, choice: Choice) -> list[Scores]:
        found = delimited.separator_of(source)
        separator = found if found is not None and found in separators else separators[0]
        return read_table(source, delimited.records(source, separator, choice), choice, name)

    between = {"\t": "tabs", ",": "commas", ";": "semicolons"}
    marks = " or ".join(between[mark] for mark in separators)
    summary = f"a table with a header and {marks}: a column per system, or columns item, system, score"
    example = ("  " if separators == "\t" else separators[0]).join(("question_id", "new", "old"))
    return FormatEntry(name, summary, example, detect, read)


def _jsonl(source: Source, choice: Choice) -> list[Scores]:
    return read_table(source, jsonl.records(source), choice, "jsonl")


def _parquet(source: Source, choice: Choice) -> list[Scores]:
    return read_table(source, parquet.records(source), choice, "parquet")


FORMATS: dict[str, FormatEntry] = {
    entry.name: entry
    for entry in (
        FormatEntry("parquet", "a Parquet table with the same columns as CSV", "", parquet.looks_like_parquet, _parquet),
        FormatEntry(
            "jsonl",
            "one JSON object per line, its keys as the columns of CSV",
            '{"question_id": "q1", "new": 1, "old": 0}',
            jsonl.looks_like_json,
            _jsonl,
        ),
        _delimited("csv", ",;"),
        _delimited("tsv", "\t"),
        FormatEntry(
            "scores",
            "one number per line, one file per system",
            "0.873",
            numbers.detector(1),
            numbers.reader(1),
        ),
        FormatEntry(
            "score-pairs",
            "two numbers per line: system A's score and B's (or one system's right and wrong counts)",
            "0.873 0.861",
            numbers.detector(2),
            numbers.reader(2),
        ),
        FormatEntry(
            "f1-counts",
            "four whole numbers per line: true positives and errors of system A, then of B",
            "12 3 11 5",
            numbers.detector(4),
            numbers.reader(4),
        ),
    )
}


def read(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    item: str | None = None,
    system: str | None = None,
    score: str | Sequence[str] | None = None,
    cluster: str | None = None,
    repeat: str | None = None,
    slice: str | Sequence[str] | None = None,
    dataset: str | None = None,
    systems: Sequence[str] | None = None,
    gaps: bool = False,
) -> list[Scores] | Outputs:
    r"""Read one file: the scores of its systems, or outputs, which `diff` compares with gold.

    ``-`` is standard input, and gzip, bzip2, xz and zstd are unpacked on the way. CoNLL-U and CoNLL-2012 are recognised as
    outputs, and so are words in columns with sentences apart or entity tags, and tables of answers without a column of
    numbers; other tables of answers (predictions 0 and 1, Parquet) are read as such where `format` is ``"labels"``.

    Parameters
    ----------
    path
        The file.
    format
        A name that `outscore formats` lists, or ``"auto"`` to recognise it from the content.
    item, system, score, cluster, repeat, slice, dataset
        Columns of a table. Left out, they are recognised by their usual names (question_id, model, score, epoch...). Several
        scores make counts, several slices are all kept. The cluster ``"none"`` leaves a column with a usual name alone. Of
        outputs, only a table of labels has columns to name: item, cluster and slice.
    systems
        Which systems to read, in this order; otherwise all.
    gaps
        Take an empty cell of a table with a column per system for an item which that system lacks, instead of refusing it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "scores.csv")
    ...     _ = path.write_text("question_id,new,old\nq1,1,0\nq2,1,1\n")
    ...     new, old = read(path)
    >>> new.name, new.values.tolist(), new.ids.names, old.values.tolist()
    ('new', [1, 1], ('q1', 'q2'), [0, 1])
    """
    _check_format(format, [*FORMATS, *OUTPUT_FORMATS])
    choice = Choice(item, system, _several(score), cluster, repeat, _several(slice), dataset, _several(systems), gaps)
    with open_source(path) as source:
        outputs = recognised(source, choice) if format == "auto" else OUTPUT_FORMATS.get(format)
        return _reader(source, choice, format)(source, choice) if outputs is None else outputs.read(source, choice)


def read_scores(
    path: str | os.PathLike[str],
    *,
    format: str = "auto",
    score: str | Sequence[str] | None = None,
    slice: str | Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    **columns: Any,  # noqa: ANN401 - as `read` takes them
) -> list[Scores]:
    """`read` where nothing but scores will do."""
    if format in OUTPUT_FORMATS:
        raise OutscoreError(
            f"`{format}` is a format of outputs, and scores were expected.", "Compare outputs with `outscore diff`."
        )
    _check_format(format, FORMATS)
    choice = Choice(score=_several(score), slice=_several(slice), systems=_several(systems), **columns)
    with open_source(path) as source:
        return _reader(source, choice, format)(source, choice)


def _check_format(format: str, known: Collection[str]) -> None:
    if format != "auto" and format not in known:
        raise OutscoreError(f"There is no format `{format}`.", did_you_mean(format, [*known, "auto"]))


def _several(value: str | Sequence[str] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def _reader(source: Source, choice: Choice, format: str) -> Callable[[Source, Choice], list[Scores]]:
    if format != "auto":
        return FORMATS[format].read
    entry = next((entry for entry in FORMATS.values() if entry.detect(source, choice)), None)
    if entry is not None and entry.name in numbers.BARE.values() and choice.names_columns:
        raise OutscoreError(
            f"{source.label} holds bare numbers, in which no column can be named.",
            "Leave the names of columns out, or give the file a header with separators.",
        )
    if entry is not None:
        return entry.read
    if choice.names_columns or source.suffix in (".csv", ".tsv"):
        # A column was asked for, or the name promises one: the table reader says what is missing.
        return FORMATS["tsv" if source.suffix == ".tsv" else "csv"].read
    _refuse_text(source)
    # Nearly numbers: the reader of all widths knows best which line is to blame.
    return lambda source, choice: numbers.systems_of(numbers.read_numbers(source), choice)


def _refuse_text(source: Source) -> None:
    """Where every line holds words, no line is to blame more than the others: say what was considered."""
    filled = [line for line in source.head if line.strip()]
    if len(filled) < 2 or not all(any(map(is_name, re.split(r"[\s,;]+", line.strip()))) for line in filled):
        return
    raise OutscoreError(
        f'{source.label} is in none of the formats {", ".join(FORMATS)}: it begins "{shorten(filled[0])}".',
        "Name the format with --reader (format=... in Python), or give numbers below an optional header line.",
    )
