"""The one door to files of texts: what a file is, and what it holds.

A file is read as what it is: a table or markup that were scored as plain lines would count its tags and keys as words.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.formats.base.source import Peek, open_source, stem_of
from outscore.formats.tables.columns import NO_ITEMS
from outscore.formats.texts.file import Held, TextFile
from outscore.formats.texts.markup import held_in_markup, looks_like_markup
from outscore.formats.texts.segments import Lines, plain_lines, stray_returns, whole_text
from outscore.formats.texts.tables import (
    FEW,
    PARTS,
    ColumnsAsked,
    cells_of_line,
    first_line,
    has_header,
    held_in_rows,
    is_table,
    json_rows,
    looks_like_header,
    separated_rows,
)
from outscore.scores.system import Origin, label_of

TEXT_FORMATS = {
    "text": "one segment per line",
    "sgml": "WMT's SGML (srcset, refset, tstset)",
    "xml": "WMT's XML (src, ref, hyp)",
    "jsonl": "an object per line, or a list of objects or of texts",
    "tsv": "a table with tabs and a header",
    "csv": "a table with commas and a header",
}
SEPARATORS = {"tsv": "\t", "csv": ","}


def check_columns(columns: Mapping[str, object]) -> None:
    """Refuse a part that no column can play."""
    for part in columns:
        if part not in PARTS:
            raise OutscoreError(f"--text-column names `{part}`.", did_you_mean(part, PARTS), parameter="text_column")


def read_texts(
    path: str | os.PathLike[str],
    *,
    reader: str = "auto",
    columns: Mapping[str, str] | None = None,
    optional: Container[str] = (),
    command: Callable[[str, Sequence[str]], str] | None = None,
) -> TextFile:
    r"""Read a file of texts as what it is; ``-`` is standard input, and compressed files are unpacked.

    `columns` names columns of a table by the part they play; it has to have them, except those of `optional` parts. `command`
    turns the path and the columns that may hold texts into a command that names them, for a table that does not say which.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.jsonl")
    ...     _ = path.write_text('{"mt": "A cat.", "ref": "The cat."}\n')
    ...     file = read_texts(path)
    >>> file.origin.format, [text.lines for text in (*file.systems(), *file.references())]
    ('jsonl', [('A cat.',), ('The cat.',)])
    """
    with open_source(path, line_ends="kept") as source:
        text = whole_text(source)
        form = _format_of(text, source.peek, columns or {}) if reader == "auto" else reader
        asked = ColumnsAsked(columns or {}, optional, command)
        held = _held(text, source.path, form, asked)
        rows = max(len(lines) for lines in (*held.systems.values(), *held.references.values(), held.source or ()))
        ids = {"item": held.ids} if held.ids else {}
        origin = Origin(source.path, source.sha256(), rows, "segments" if form == "text" else form, ids)
    if form == "text":
        (lines,) = held.systems.values()
        return TextFile(origin, replace(held, notes=stray_returns(lines, origin)))
    return TextFile(origin, replace(held, notes=(_summary(origin, held), *held.notes)))


def _held(text: str, path: str, form: str, columns: ColumnsAsked) -> Held:
    name = stem_of(path)
    if form == "text":
        lines = plain_lines(text)
        return Held({name: lines}, {name: lines})
    if form in ("sgml", "xml"):
        held = replace(held_in_markup(text, path), ids=("seg id",))
        # A system without a name is called after its file.
        return replace(held, systems={system or name: lines for system, lines in held.systems.items()})
    if form == "jsonl" and (listed := _listed_texts(text.lstrip())):
        return Held({name: listed}, {name: listed})
    rows = json_rows(text, path) if form == "jsonl" else separated_rows(text, path, SEPARATORS[form])
    return held_in_rows(rows, path, columns)


def _listed_texts(begun: str) -> Lines:
    """The texts of a file that is one JSON list of them; nothing where it is something else."""
    if not begun.startswith("["):
        return ()
    try:
        texts = json.loads(begun)
    except (ValueError, RecursionError):
        return ()
    return tuple(texts) if isinstance(texts, list) and all(isinstance(text, str) for text in texts) else ()


def _format_of(text: str, peek: Peek, columns: Mapping[str, str]) -> str:
    """What a text is, by how it begins: a mistake here would be scored. A file with a column that was named is a table."""
    begun = text.lstrip()
    if looks_like_markup(begun):
        return "xml" if "<dataset" in text[:10_000] or "<?xml" in begun[:10] else "sgml"
    if _is_json(begun) or len(_listed_texts(begun)) > 1:
        return "jsonl"
    form = _table_form(text, peek, columns)
    if form is None:
        _refuse_table(text, peek)
    return form or "text"


def _table_form(text: str, peek: Peek, columns: Mapping[str, str]) -> str | None:
    """The format of a table, told by its content; its own name and the columns that were named may add to that."""
    first = first_line(text)
    named = {column for part, column in columns.items() if (part, column) != ("item", NO_ITEMS)}
    for form, separator in SEPARATORS.items():
        if has_header(text, separator) or not set(cells_of_line(first, separator)).isdisjoint(named):
            return form
    form = peek.suffix.removeprefix(".")
    if form not in SEPARATORS:
        return None
    separator = SEPARATORS[form]
    return form if columns or looks_like_header(first, separator) or is_table(text, separator) else None


def _is_json(begun: str) -> bool:
    """Whether the first line is an object, or the whole a list or an object: `[Music]` and `{laughs}` are neither."""
    if not begun.startswith(("{", "[")):
        return False
    for whole in (begun.partition("\n")[0], begun):
        try:
            value = json.loads(whole)
        except (ValueError, RecursionError):
            continue
        rows = value if isinstance(value, list) else [value]
        return bool(rows) and all(isinstance(row, dict) for row in rows)
    return False


def _refuse_table(text: str, peek: Peek) -> None:
    """Refuse lines that all have as many tabs: they are cells, and which of them is the text is not said."""
    if has_header(text, ";") or (peek.suffix == ".csv" and is_table(text, ";")):
        message = f"{label_of(peek.path)} is a table with semicolons between its columns."
        cure = "Save it with commas or tabs; --reader text reads plain lines."
        raise OutscoreError(message, cure, file=peek.path)
    lines = text.removesuffix("\n").split("\n")
    tabs = {line.count("\t") for line in lines[:1000]}
    if len(lines) < FEW or len(tabs) != 1 or not (cells := tabs.pop()):
        return
    raise OutscoreError(
        f"{label_of(peek.path)} has {cells + 1} columns in every line but no header that names one of them.",
        "Add a header such as source, reference, hypothesis; or use --reader text if these are plain segments.",
        file=peek.path,
    )


def _summary(origin: Origin, held: Held) -> str:
    """How a file that is not plain text was read."""
    parts = [f"{origin.rows:,} segments"]
    if held.systems != held.references:
        parts += [
            f"{len(texts)} {noun}{'s' * (len(texts) > 1)}"
            for noun, texts in (("system", held.systems), ("reference", held.references))
            if texts
        ]
    if held.documents is not None:
        parts.append(f"{len(set(held.documents)):,} documents")
    return f"{origin.label} was read as {origin.format.upper()}: {', '.join(parts)}."
