"""What is this file? The one answer, for `outscore.read`, the command line and the page.

`detect` asks the entries of the registry in turn; each declares how it recognises its files from a `Peek`. If
none does, the answer lists the formats that were considered, and may name the one whose reader explains best
what is wrong; `alternatives` lists what the file may be nevertheless.

`certain_format` answers a narrower question: whether a file is unmistakably in some format, whatever the
caller expects of it. Columns are forgiving: a table read as words, or brackets of coreference read as tags,
would give meaningless numbers.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.formats.base.entry import Choice, FormatEntry, Holds
from outscore.formats.base.source import Peek
from outscore.formats.registry import FORMATS, OUTPUT_FORMATS
from outscore.formats.tables.cells import is_name
from outscore.formats.tables.jsonl import looks_like_json

_ENTITY_TAG = re.compile(r"[BIESLUMW]-\S+|\S{2,}-[BIESLUMW]|O")


@dataclass(frozen=True)
class Detection:
    """The format of a file, as far as its beginning tells.

    Parameters
    ----------
    entry
        The format, or None.
    recognised
        Whether the content is in this format. If not, the name of the file or the columns that the caller
        named call for it, and its reader will say what is missing.
    considered
        The names of all formats that were considered, in order.
    """

    entry: FormatEntry | None
    recognised: bool
    considered: tuple[str, ...]


def detect(peek: Peek, choice: Choice | None = None, holds: Holds | None = None) -> Detection:
    r"""The format of a file.

    Parameters
    ----------
    peek
        The beginning of the file: `Source.peek` of an open one.
    choice
        What the caller says about its columns.
    holds
        Consider formats of ``"scores"`` or of ``"outputs"`` only.

    Examples
    --------
    >>> detect(Peek("runs.csv", ["question_id,new,old\n", "q1,1,0\n"])).entry.name
    'csv'
    >>> detect(Peek("new.bio", ["Ekeus NNP B-PER\n", "flew VBD O\n"])).entry.name
    'word-columns'
    >>> detect(Peek("new.bio", ["Ekeus NNP B-PER\n", "flew VBD O\n"]), holds="scores").entry is None
    True
    """
    choice = Choice() if choice is None else choice
    entries = [
        entry
        for entry in (*OUTPUT_FORMATS.values(), *FORMATS.values())
        if holds in (None, entry.holds) and not (entry.holds == "outputs" and choice.asks_for_scores)
    ]
    considered = tuple(entry.name for entry in entries)
    for entry in entries:
        if entry.recognise(peek, choice):
            return Detection(entry, recognised=True, considered=considered)
    if "csv" in considered and (choice.names_columns or peek.suffix in (".csv", ".tsv")):
        return Detection(FORMATS["tsv" if peek.suffix == ".tsv" else "csv"], recognised=False, considered=considered)
    return Detection(None, recognised=False, considered=considered)


def alternatives(peek: Peek) -> tuple[str, ...]:
    r"""Formats that a file may be in although nothing in it says so, the likeliest first; for files that are not recognised.

    Lines of equally many columns may be words with their tags, and lines that mostly hold words a text with a
    segment per line, unless the name of the file promises a table.

    Examples
    --------
    >>> alternatives(Peek("new.txt", ["it\tn\n", "works\tv\n"]))
    ('word-columns', 'segments')
    """
    filled = peek.filled
    if not filled:
        return ()
    names = []
    widths = {len(line.split("\t" if "\t" in line else None)) for line in filled}
    has_gaps = any(not line.strip() for line in peek.head[:-1])
    if len(widths) == 1 and min(widths) > 1 and (has_gaps or all("\t" in line for line in filled)):
        names.append("word-columns")
    is_table = peek.suffix in (".csv", ".tsv", ".jsonl") or looks_like_json(peek)
    if not is_table and 2 * sum(any(map(is_name, line.split())) for line in filled) >= len(filled):
        names.append("segments")
    return tuple(names)


def certain_format(peek: Peek) -> FormatEntry | None:
    r"""The format that a file is in beyond doubt; None if it may be words in columns or any table.

    Examples
    --------
    >>> certain_format(Peek("key", ["#begin document (a); part 000\n"])).name
    'conll2012'
    """
    entries = (*OUTPUT_FORMATS.values(), *FORMATS.values())
    return next((entry for entry in entries if entry.is_certain is not None and entry.is_certain(peek)), None)


def refuse_formats(peek: Peek, names: Container[str], expected: str) -> None:
    """Refuse a file that is certainly in one of these formats, and name the task that compares such files."""
    entry = certain_format(peek)
    if entry is not None and entry.name in names:
        hint = f"Compare such files with --task {entry.task}."
        raise OutscoreError(f"{peek.label} is {entry.title}, but {expected} expected.", hint)


def diff_task(format: str, rows: Sequence[Sequence[str]]) -> str:
    """The task of `diff` for a file in this format with these first rows: ``"coref"``, ``"label"``, ``"ner"`` or ``"pos"``.

    Examples
    --------
    >>> diff_task("word-columns", [["Ekeus", "NNP", "B-PER"], ["flew", "VBD", "O"]])
    'ner'
    """
    unit = OUTPUT_FORMATS[format].unit if format in OUTPUT_FORMATS else "items"
    if unit != "words":
        return "coref" if unit == "chains" else "label"
    has_entities = bool(rows) and all(_ENTITY_TAG.fullmatch(row[-1]) for row in rows)
    return "ner" if has_entities else "pos"
