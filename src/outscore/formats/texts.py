"""The one door to files of texts: what a file is, and what it holds; tables of texts are read here."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import field, replace

from outscore.core.errors import OutscoreError
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.formats.base.document import parse_document
from outscore.formats.base.source import Peek, line_error, open_source, shorten, stem_of
from outscore.formats.json import json_value, number_of
from outscore.formats.segments import (
    REFERENCE,
    SOURCE,
    SYSTEM,
    Cell,
    Held,
    Lines,
    TextFile,
    arrange,
    held_in_markup,
    looks_like_markup,
    plain_lines,
    stray_returns,
    whole_text,
)
from outscore.formats.tables.columns import NO_ITEMS
from outscore.formats.tables.names import USUAL, holds_answers, join_names
from outscore.scores.system import Origin, label_of

# Tables of texts: JSON lines, a JSON list, TSV or CSV with a header, one segment of one system per row.
#
# Which column holds what is told by its name, or by the caller; two columns that might be meant are refused, never chosen
# from.


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).lower()


_DOCUMENTS = ("document", "doc", "docid", "documentid", "docname")
_IDS = tuple(tuple(plain for name in tier if (plain := _plain(name)) not in _DOCUMENTS) for tier in USUAL["item"])
"""The usual names of ids, those of earlier tiers first; in a table of texts, a document has several segments."""
_SHARED = ("taskid", "question", "example", "problem", "prompt", "instruction", "utterance", "userid")
"""Names of ids that as well name what many segments share; where they repeat, they are no ids."""
_ANSWERS = ("response", "pred", "completion", "generation")
"""Names of outputs that count where no other column is named as one: next to one, a response may be what it was taken from."""
PARTS: dict[str, tuple[str, ...]] = {
    SOURCE: ("source", "src", "sourcetext"),
    REFERENCE: ("reference", "ref", "references", "refs", "referencetext"),
    SYSTEM: ("hypothesis", "hyp", "mt", "translation", "candidate", "output", "prediction", "hypothesistext", *_ANSWERS),
    "system": ("system", "sys", "model", "systemid", "systemname", "mtsystem"),
    "document": _DOCUMENTS,
    "dataset": ("dataset", "testset", "testsetid", "langpair", "languagepair", "lp"),
    "item": tuple(name for tier in _IDS for name in tier),
}
"""What columns can hold, and the names that say so; case, spaces and punctuation do not matter."""
FEW = 3
"""Fewer lines than these have the same number of cells by chance."""
_SENTENCE_END = re.compile(r"[.?!…]\W*$")
_NUMBER = re.compile(r"[-+]?[\d.,]*\d[eE\d+-]*|")
_NUMBERED = re.compile(r"(ref|reference)(\d{1,2}|[a-d])")


_PAIR = (REFERENCE, SYSTEM)
_ASKED = {*PARTS[SOURCE], "input", "question", "prompt", "context", "instruction", "original"}
"""Words in the names of columns of what a system was given."""
_LABELS = {name for part in ("system", "document", "dataset", "item") for name in PARTS[part]}


@dataclass(frozen=True, eq=False)
class ColumnsAsked:
    """The columns that were named for the parts they play, parts that a table may lack, and how a command names columns."""

    named: Mapping[str, str] = field(default_factory=dict)
    optional: Container[str] = ()
    command: Callable[[str, Sequence[str]], str] | None = None


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a table with their lines, and its columns in order."""

    columns: tuple[str, ...]
    rows: Sequence[tuple[int, Mapping[str, object]]]


def looks_like_header(line: str, separator: str) -> bool:
    r"""Whether a line names a column of outputs or of references.

    Examples
    --------
    >>> looks_like_header("src\tref\thyp", "\t"), looks_like_header("the ref was\tlate", "\t")
    (True, False)
    """
    names = [_plain(cell) for cell in line.rstrip("\r\n").split(separator)]
    return len(names) > 1 and any(name in PARTS[SYSTEM] or _is_reference(name) for name in names)


def cells_of_line(line: str, separator: str) -> list[str]:
    r"""The cells of a header, as they would be named; a text with a stray quote has none.

    Examples
    --------
    >>> cells_of_line('uid, "the answer"\r\n', ","), cells_of_line("uid\tanswer", "\t")
    (['uid', 'the answer'], ['uid', 'answer'])
    """
    written = line.rstrip("\r\n")
    if separator == "\t":
        return [cell.strip() for cell in written.split(separator)]
    try:
        return [cell.strip() for cell in next(csv.reader([written], skipinitialspace=True, delimiter=separator), [])]
    except csv.Error:
        return []


def first_line(text: str) -> str:
    r"""The first line of a text, whose lines end in ``\n``, or all of them in ``\r``."""
    return text.partition("\n" if "\n" in text else "\r")[0]


def has_header(text: str, separator: str) -> bool:
    r"""Whether a text is clearly a table: its first line names the parts of texts, and is no sentence.

    The header of a table may have rows of other lengths, which are refused, but at least half of the rows have to be as long as
    the header; a single name of a part other than outputs and references is a header if all lines have as many cells.

    Examples
    --------
    >>> has_header("uid,hypothesis\nu1,a cat\n", ","), has_header("Reference, please!\nYes, sir\n", ",")
    (True, False)
    >>> has_header("ref,output\nThis is no table\n", ","), has_header("Model, output\nYes, sir\n", ",")
    (False, False)
    """
    first = first_line(text).strip("\ufeff\r")
    names = cells_of_line(first, separator)
    known = [name for name in names if _is_known(_plain(name))]
    # Between the names of columns there are rarely blanks, and between the words of a sentence there always are.
    bare = not re.search(r"\s", first.replace(separator, ""))
    if separator != "\t" and re.search(rf"{separator}\s", first) and not _is_spaced_header(names):
        return False
    named = looks_like_header(first, separator)
    if named and (separator == "\t" or bare or len(known) > 1):
        return _mostly_as_long(text, separator, len(names))
    if not is_table(text, separator):
        return False
    if bare and known:
        return True
    rows = list(_cells(text, separator))
    if bare:
        told = any(map(holds_answers, names)) and any(" " in cell.strip() for row in rows for cell in row)
    else:
        told = named and not _SENTENCE_END.search(first)
    return told and len(rows) >= FEW


def _is_spaced_header(names: Sequence[str]) -> bool:
    """Whether names with blanks behind their separators are no sentence: `Model, output` may be one, `id, output` is none."""
    plain = [_plain(name) for name in names]
    return all(map(_is_known, plain)) and (len(plain) > 2 or any(name in tier for name in plain for tier in _IDS[:2]))


def _mostly_as_long(text: str, separator: str, length: int) -> bool:
    """Whether at least half of the rows below a header have as many cells; blank ones say nothing."""
    try:
        rows = list(_cells(text, separator))
    except csv.Error:
        rows = [cells_of_line(line, separator) for line in text.splitlines()]
    lengths = [len(row) for row in rows[1:] if "".join(row).strip()]
    return 2 * lengths.count(length) >= len(lengths)


def _is_known(name: str) -> bool:
    return _is_reference(name) or any(name in names for names in PARTS.values())


def is_table(text: str, separator: str) -> bool:
    """Whether all lines have the same number of cells, and the first has distinct names that are no numbers."""
    try:
        rows = _cells(text, separator)
        names = [cell.strip() for cell in next(rows, [])]
        if len(names) < 2 or len(set(names)) < len(names) or any(_NUMBER.fullmatch(name) for name in names):
            return False
        second = next(rows, None)
        return second is not None and len(second) == len(names) and all(len(row) == len(names) for row in rows)
    except csv.Error:
        return False


def _cells(text: str, separator: str) -> Iterator[list[str]]:
    """The rows of TSV, whose cells are taken as they are, or of CSV with its quotes."""
    if separator == "\t":
        return (line.split("\t") for line in text.removesuffix("\n").split("\n"))
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)


def _is_reference(name: str) -> bool:
    return name in PARTS[REFERENCE] or _NUMBERED.fullmatch(name) is not None


def json_rows(text: str, path: str) -> Rows:
    """One object per line, or a list of objects."""
    if text.lstrip().startswith("["):
        listed = json_value(text, path, 1, _WRITE_OBJECTS)
        numbered = [(i, row) for i, row in enumerate(listed if isinstance(listed, list) else [listed], 1)]
    else:
        numbered = [
            (i, json_value(line, path, i, _WRITE_OBJECTS)) for i, line in enumerate(text.splitlines(), 1) if line.strip()
        ]
    rows: list[tuple[int, Mapping[str, object]]] = []
    for line, row in numbered:
        if not isinstance(row, dict):
            raise line_error(path, line, f"found {shorten(json.dumps(row))}, expected a JSON object", _WRITE_OBJECTS)
        rows.append((line, row))
    return Rows(tuple(dict.fromkeys(key for _, row in rows for key in row)), rows)


_WRITE_OBJECTS = 'Write each segment as {"hypothesis": ..., "reference": ...}, or give one segment per line and --reader text.'


def separated_rows(text: str, path: str, separator: str) -> Rows:
    """TSV or CSV with a header."""
    table = _cells(text, separator)
    columns: tuple[str, ...] = ()
    rows: list[tuple[int, Mapping[str, object]]] = []
    try:
        for number, row in enumerate(table, 1):
            cells = [cell.rstrip("\r") for cell in row]
            if not columns:
                columns = tuple(cell.strip() for cell in cells)
                continue
            if len(cells) != len(columns):
                problem = f"found {len(cells)} columns, but the header has {len(columns)}"
                raise line_error(
                    path, number, problem, "Give every row the same number of columns, or use --reader text for plain lines."
                )
            rows.append((number, dict(zip(columns, cells, strict=True))))
    except csv.Error as error:
        raise line_error(
            path, len(rows) + 2, f"this is not CSV ({error})", "Quote cells that contain commas or quotes."
        ) from None
    return Rows(columns, rows)


def held_in_rows(table: Rows, path: str, asked: ColumnsAsked) -> Held:
    """The texts of a table; `asked` names columns by the part they play."""
    columns = _columns(table, path, asked)
    if not columns[SYSTEM] and not columns[REFERENCE]:
        listed = join_names(table.columns)
        cure = "Name them with --text-column hypothesis=COLUMN or reference=COLUMN; --reader text reads plain lines."
        candidates = _candidates(table)
        if asked.command is not None and candidates:
            cure = f"Name them, such as `{asked.command(path, candidates)}`; --reader text reads plain lines."
        raise OutscoreError(
            f"{label_of(path)} is a table without a column of outputs or references; its columns are {listed}.", cure
        )
    cells = [cell for line, row in _numbered(table, columns) for cell in _cells_of(row, line, columns, path)]
    notes = [*_dataset_notes(cells, columns["dataset"], path), *_system_notes(columns[SYSTEM], path)]
    once = f"Give every segment once; --text-column item={NO_ITEMS} takes every row as a segment."
    held = arrange(_agreeing(cells, path), path, notes, once=once)
    ids = (*columns["document"], *columns["item"])
    # The place in a file is not an id that another file could share, but the place in a document is.
    held = replace(held, columns=_parts_read(columns, asked))
    by_id = ids and not _by_row(table, asked)
    return replace(held, columns={"item": ids, **held.columns}) if by_id else replace(held, keys=None)


def _by_row(table: Rows, asked: ColumnsAsked) -> bool:
    """Whether the caller says that no column contains ids."""
    return asked.named.get("item") == NO_ITEMS and NO_ITEMS not in table.columns


def _dataset_notes(cells: Sequence[Cell], columns: Sequence[str], path: str) -> list[str]:
    """A note about a column of datasets, which the caller may not have asked for."""
    several = len({cell.dataset for cell in cells})
    return [f"{label_of(path)}: column `{columns[0]}` tells {several:,} datasets apart."] if several > 1 else []


def _system_notes(columns: Sequence[str], path: str) -> list[str]:
    """A note about several columns that are read as outputs, which none of their names says."""
    if len(columns) < 2:
        return []
    return [f"{label_of(path)}: its other columns are read as systems: {join_names(columns)}."]


def _parts_read(columns: Mapping[str, Sequence[str]], asked: ColumnsAsked) -> dict[str, tuple[str, ...]]:
    """The columns of outputs and references whose names do not say plainly what they hold."""
    both = [columns[part] for part in _PAIR]
    if any(len(names) != 1 for names in both) or set(_PAIR) & set(asked.named):
        return {}
    if all(_plain(names[0]) in PARTS[part] for part, names in zip(_PAIR, both, strict=True)):
        return {}
    return {"gold": tuple(both[0]), "answer": tuple(both[1])}


def _columns(table: Rows, path: str, asked: ColumnsAsked) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    chosen = asked.named
    for part, names in PARTS.items():
        if part == "item" and _by_row(table, asked):
            columns[part] = []
            continue
        if part in chosen:
            if chosen[part] not in table.columns and part in asked.optional:
                columns[part] = []
                continue
            if chosen[part] not in table.columns:
                has = f"It has {join_names(table.columns)}."
                raise OutscoreError(f"{label_of(path)} has no column `{chosen[part]}`.", has)
            columns[part] = [chosen[part]]
            continue
        free = [name for name in table.columns if name not in chosen.values()]
        mine = [name for name in free if (_is_reference(_plain(name)) if part == REFERENCE else _plain(name) in names)]
        if part in (SYSTEM, SOURCE):
            mine = _texts_among(table, mine)
        if part == "item":
            mine = _ids(table, mine, columns)
        if len(mine) > 1 and part != REFERENCE:
            noun = "outputs" if part == SYSTEM else f"{part}s"
            raise OutscoreError(
                f"{label_of(path)} has several columns that may hold the {noun}: {join_names(mine)}.",
                f"Name the right one with --text-column {part}={mine[0]}.",
            )
        columns[part] = mine
    return _completed(columns, table)


def _completed(columns: dict[str, list[str]], table: Rows) -> dict[str, list[str]]:
    """The columns with those of texts that no usual name tells, where they can be nothing else."""
    if not columns[REFERENCE] and not columns[SYSTEM]:
        columns |= _named_in_part(_candidates(table))
    if columns[REFERENCE] and not columns[SYSTEM] and not columns["system"]:
        labels = {name for name in table.columns if _plain(name) in _LABELS}
        columns[SYSTEM] = _named_after_systems(table, labels.union(*columns.values()))
    return columns


def _named_in_part(names: Sequence[str]) -> dict[str, list[str]]:
    """Outputs and references among two columns of texts, one of which has a word of its part in its name.

    Examples
    --------
    >>> _named_in_part(["transcript_raw", "hypothesis_raw"]), _named_in_part(["source_text", "hypothesis_raw"])
    ({'reference': ['transcript_raw'], 'hypothesis': ['hypothesis_raw']}, {})
    """
    words = {name: set(re.split(r"[\W_]+", name.lower())) for name in names}
    if len(names) != len(_PAIR) or any(not own.isdisjoint(_ASKED) for own in words.values()):
        return {}
    named = {part: [name for name in names if not words[name].isdisjoint(PARTS[part])] for part in _PAIR}
    if sorted(map(len, named.values())) not in ([0, 1], [1, 1]) or named[REFERENCE] == named[SYSTEM]:
        return {}
    (first,) = named[REFERENCE] or [name for name in names if name not in named[SYSTEM]]
    return {REFERENCE: [first], SYSTEM: [name for name in names if name != first]}


def _ids(table: Rows, names: Sequence[str], columns: Mapping[str, Sequence[str]]) -> list[str]:
    """The names of the earliest tier, without columns that repeat and hold words or what segments share: a prompt is no id."""

    def repeats(name: str) -> bool:
        around = [column for part in ("system", "dataset", "document") for column in columns[part]]
        cells = [tuple(str(row.get(column)) for column in (*around, name)) for _, row in table.rows]
        return len(set(cells)) < len(cells) and (_plain(name) in _SHARED or any(" " in cell[-1].strip() for cell in cells))

    free = [name for name in names if not repeats(name)]
    return next(filter(None, ([name for name in free if _plain(name) in tier] for tier in _IDS)), [])


def _named_after_systems(table: Rows, known: Container[str]) -> list[str]:
    """The other columns of texts in a table that has references and no outputs: a column for every system."""
    free = (name for name in table.columns if name and name not in known)
    return [name for name in free if table.rows and _is_text([row.get(name) for _, row in table.rows])]


def _candidates(table: Rows) -> list[str]:
    """The columns that may hold outputs or references, first those whose cells have several words: an id is one word."""
    texts = _named_after_systems(table, {name for name in table.columns if _plain(name) in _LABELS})

    def wordy(name: str) -> bool:
        return any(len(str(row.get(name)).split()) > 1 for _, row in table.rows)

    return [name for name in texts if wordy(name)] or texts


def _is_text(cells: Sequence[object]) -> bool:
    """Whether cells are texts, and not all of them numbers."""
    return all(isinstance(cell, str) for cell in cells) and not all(_NUMBER.fullmatch(str(cell).strip()) for cell in cells)


def _texts_among(table: Rows, names: Sequence[str]) -> list[str]:
    """The columns without numbers, as MetricX calls its scores predictions; answers of models only where there is no other."""
    texts = [name for name in names if all(math.isnan(number_of(row.get(name))) for _, row in table.rows[:20])]
    return [name for name in texts if _plain(name) not in _ANSWERS] or texts


def _numbered(table: Rows, columns: Mapping[str, Sequence[str]]) -> Iterator[tuple[int, dict[str, object]]]:
    """Rows with an id each: the column of ids, else the place among the rows of the same system and document."""
    around = [column for part in ("system", "dataset", "document") for column in columns[part]]
    seen: dict[tuple[str, ...], int] = {}
    for line, row in table.rows:
        group = tuple(str(row.get(column)) for column in around)
        seen[group] = seen.get(group, 0) + 1
        key = row.get(columns["item"][0]) if columns["item"] else None
        yield line, {**row, _KEY: str(seen[group]) if key is None else str(key)}


_KEY = "\0key"


def _cells_of(row: Mapping[str, object], line: int, columns: Mapping[str, Sequence[str]], path: str) -> Iterator[Cell]:
    document, dataset = (_label(row, columns[part]) for part in ("document", "dataset"))
    system = str(row.get(columns["system"][0], "")) if columns["system"] else stem_of(path)
    # Several columns of outputs are those of as many systems.
    alone = len(columns[SYSTEM]) == 1
    for part in (SOURCE, REFERENCE, SYSTEM):
        for column in columns[part]:
            for name, text in _texts_in(row.get(column), column, part, line, path):
                yield Cell(part, system if part == SYSTEM and alone else name, document, str(row[_KEY]), text, line, dataset)


def _label(row: Mapping[str, object], columns: Sequence[str]) -> str:
    """What a row says in the column of such labels; nothing where there is no column, or no value."""
    value = row.get(columns[0]) if columns else None
    return "" if value is None else str(value)


def _texts_in(value: object, column: str, part: str, line: int, path: str) -> Iterator[tuple[str, str]]:
    """The text of a cell by the name of its column, or the references of a list."""
    if isinstance(value, str):
        yield column, value
    elif part == REFERENCE and isinstance(value, list) and value and all(isinstance(text, str) for text in value):
        yield from ((f"{column} {i}", text) for i, text in enumerate(value, 1))
    else:
        shown = "nothing" if value is None else shorten(json.dumps(value))
        raise line_error(path, line, f"column `{column}` contains {shown}, expected a text", "Give every segment a text.")


def _agreeing(cells: Sequence[Cell], path: str) -> Iterator[Cell]:
    """Sources and references once for all systems, which have to say the same."""
    known: dict[tuple[str, ...], Cell] = {}
    for cell in cells:
        if cell.part == SYSTEM:
            yield cell
            continue
        place = (cell.part, cell.name, cell.dataset, cell.document, cell.key)
        first = known.setdefault(place, cell)
        if first is cell:
            yield cell
        elif first.text != cell.text:
            raise line_error(
                path,
                cell.line,
                f"`{cell.name}` of segment {cell.key} differs from line {first.line}",
                "Give a segment the same source and reference for every system, or ids that tell segments apart.",
            )


# The one door to files of texts: what a file is, and what it holds.
#
# A file is read as what it is: a table or markup that were scored as plain lines would count its tags and keys as words.


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
        form = _format_of(text, source, columns or {}) if reader == "auto" else reader
        asked = ColumnsAsked(columns or {}, optional, command)
        held = _held(text, source.path, form, asked)
        rows = max(len(lines) for lines in (*held.systems.values(), *held.references.values(), held.source or ()))
        said = {part: names for part, names in held.columns.items() if names}
        origin = Origin(source.path, source.sha256(), rows, "segments" if form == "text" else form, said)
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
        held = held_in_markup(text, path)
        held = replace(held, columns={"item": ("seg id",), **held.columns})
        # A system without a name is called after its file.
        return replace(held, systems={system or name: lines for system, lines in held.systems.items()})
    if form == "jsonl" and (listed := _listed_texts(text.lstrip())):
        return Held({name: listed}, {name: listed})
    rows = json_rows(text, path) if form == "jsonl" else separated_rows(text, path, SEPARATORS[form])
    return held_in_rows(rows, path, columns)


def _listed_texts(begun: str) -> Lines:
    """The texts of a file that is one JSON list of them; nothing where it is something else."""
    texts = parse_document(begun) if begun.startswith("[") else None
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
    value = parse_document(begun.partition("\n")[0])
    value = parse_document(begun) if value is None else value
    rows = value if isinstance(value, list) else [value]
    return bool(rows) and all(isinstance(row, dict) for row in rows)


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
