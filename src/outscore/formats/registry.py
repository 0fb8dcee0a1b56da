"""All formats: how scores are written (`FORMATS`) and how outputs are (`OUTPUT_FORMATS`).

An entry declares how its files are recognised and read; command line, page and documentation loop over the
two registries. Files are recognised in the order of the entries, outputs first. A new format is one entry.

What is this file? `detect` is the one answer, for `outscore.read`, the command line and the page. It asks the entries in turn;
each declares how it recognises its files from a `Peek`. If none does, the answer lists the formats that were considered, and
may name the one whose reader explains best what is wrong; `alternatives` lists what the file may be nevertheless.

`certain_format` answers a narrower question: whether a file is unmistakably in some format, whatever the caller expects of it.
Columns are forgiving: a table read as words, or brackets of coreference read as tags, would give meaningless numbers.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from outscore.core.errors import OutscoreError
from outscore.formats import conllu, coreference, json_outputs, words
from outscore.formats.base.entry import Choice, FormatEntry, Holds
from outscore.formats.base.source import Peek, Source
from outscore.formats.coreference import chains_of, looks_like_chains
from outscore.formats.tables import delimited, jsonl, numbers, parquet
from outscore.formats.tables.assemble import read_table
from outscore.formats.tables.cells import is_name
from outscore.formats.tables.jsonl import looks_like_json
from outscore.formats.tables.labels import items_of, looks_like_labels
from outscore.scores.system import Scores

TABLES = ("parquet", "jsonl", "csv")
"""Formats of tables that can be told for certain."""


def _delimited_entry(name: str, separators: str, title: str = "", suffix: str = "") -> FormatEntry:
    def recognise(peek: Peek, choice: Choice) -> bool:
        return delimited.looks_like_table(peek, choice, separators)

    def read(source: Source, choice: Choice) -> list[Scores]:
        mark = delimited.separator_of(source)
        separator = mark if mark is not None and mark in separators else separators[0]
        return read_table(delimited.records(source, separator, choice), choice, name, source)

    words = {"\t": "tabs", ",": "commas", ";": "semicolons", delimited.BAR: "vertical bars"}
    *most, last = (words[mark] for mark in separators)
    marks = f"{', '.join(most)} or {last}" if most else last
    summary = f"a table with a header and {marks}: a column per system, or columns item, system, score"
    example = ("  " if separators == "\t" else separators[0]).join(("question_id", "new", "old"))
    is_certain = (lambda peek: peek.suffix == suffix) if suffix else None
    return FormatEntry(name, summary, example, recognise, read, title=title, is_certain=is_certain, task="label")


def _bare_entry(width: int, summary: str, example: str) -> FormatEntry:
    def read(source: Source, choice: Choice) -> list[Scores]:
        return numbers.systems_of(numbers.read_numbers(source, (width,), choice.fill), choice)

    name = numbers.BARE_FORMATS[width]
    return FormatEntry(name, summary, example, lambda peek, _: numbers.holds_numbers(peek, width), read)


FORMATS: dict[str, FormatEntry] = {
    entry.name: entry
    for entry in (
        FormatEntry(
            "parquet",
            "a Parquet table with the same columns as CSV",
            "",
            lambda peek, _: peek.is_parquet,
            lambda source, choice: read_table(parquet.records(source), choice, "parquet", source),
            title="a Parquet file",
            is_certain=lambda peek: peek.is_parquet,
            task="label",
        ),
        FormatEntry(
            "jsonl",
            "one JSON object per line, its keys as the columns of CSV",
            '{"question_id": "q1", "new": 1, "old": 0}',
            lambda peek, _: jsonl.looks_like_json(peek),
            lambda source, choice: read_table(jsonl.records(source), choice, "jsonl", source),
            title="JSON",
            is_certain=jsonl.begins_with_object,
            task="label",
        ),
        _delimited_entry("csv", f",;{delimited.BAR}", title="a comma-separated table", suffix=".csv"),
        _delimited_entry("tsv", "\t"),
        _bare_entry(1, "one number per line, one file per system", "0.873"),
        _bare_entry(
            2, "two numbers per line: system A's score and B's (or one system's right and wrong counts)", "0.873 0.861"
        ),
        _bare_entry(4, "four whole numbers per line: true positives and errors of system A, then of B", "12 3 11 5"),
    )
}

OUTPUT_FORMATS: dict[str, FormatEntry] = {
    entry.name: entry
    for entry in (
        # CoNLL-U in its other columns, so that trees and tags of such a file can be compared as well.
        FormatEntry(
            coreference.COREFUD,
            "CorefUD: CoNLL-U with coreference as Entity=(e1-...) in the last column",
            "1  Go  go  VERB  VB  Mood=Imp  0  root  _  Entity=(e1-event-1-)",
            lambda peek, _: coreference.looks_like_corefud(peek),
            lambda source, _: coreference.chains_of_corefud(source),
            "outputs",
            title="CorefUD",
            task="coref",
            unit="chains",
        ),
        FormatEntry(
            "conllu",
            "CoNLL-U: a word per line with tags, head and relation in ten columns between tabs",
            "1  Go  go  VERB  VB  Mood=Imp  0  root  _  _",
            lambda peek, _: conllu.looks_like_conllu(peek),
            lambda source, _: conllu.words_of(source),
            "outputs",
            title="CoNLL-U",
            is_certain=conllu.looks_like_conllu,
            task="pos or --task dep",
            unit="words",
        ),
        FormatEntry(
            "conll2012",
            "CoNLL-2012, SemEval-2010: a word per line, coreference chains as brackets in the last column",
            "nw/a_0001  0  1  mayor  NN  3)",
            lambda peek, _: looks_like_chains(peek),
            lambda source, _: chains_of(source),
            "outputs",
            title="CoNLL-2012",
            is_certain=looks_like_chains,
            task="coref",
            refuses=("conllu", *TABLES),
            expected="CoNLL-2012 was",
            unit="chains",
        ),
        FormatEntry(
            json_outputs.CHAINS,
            "coreference as JSON lines: sentences of words, and clusters of first and last words, counted through the document",
            '{"doc_key": "nw/a_0001", "sentences": [["The", "mayor", "left"]], "clusters": [[[0, 1]]]}',
            lambda peek, _: json_outputs.looks_like_chains(peek),
            lambda source, _: json_outputs.chains_of(source),
            "outputs",
            title="coreference as JSON",
            is_certain=json_outputs.looks_like_chains,
            task="coref",
            unit="chains",
        ),
        FormatEntry(
            json_outputs.WORDS,
            "words with their tags as JSON: lists of tokens and tags (Hugging Face), spaCy's Doc.to_json(), Stanza's to_dict()",
            '{"tokens": ["Ekeus", "flew"], "ner_tags": ["B-PER", "O"]}',
            lambda peek, _: json_outputs.looks_like_words(peek),
            lambda source, _: json_outputs.words_of(source),
            "outputs",
            title="words as JSON",
            is_certain=json_outputs.looks_like_words,
            task="pos, --task dep or --task ner",
            unit="words",
        ),
        FormatEntry(
            words.TAGGED_LINES,
            "a sentence per line, with a slash between each word and its tag",
            "The/DT mayor/NN resigned/VBD",
            lambda peek, _: words.looks_like_tagged_lines(peek),
            lambda source, _: words.words_of_tagged_lines(source),
            "outputs",
            title="words with tags behind slashes",
            is_certain=words.looks_like_tagged_lines,
            task="pos",
            unit="words",
        ),
        FormatEntry(
            "word-columns",
            "a word and its tag per line, perhaps with columns between, and a blank line between sentences",
            "Ekeus  NNP  I-NP  B-PER",
            lambda peek, _: words.looks_like_words(peek),
            lambda source, _: words.words_of(source),
            "outputs",
            title="words in columns",
            unit="words",
        ),
        FormatEntry(
            "labels",
            "a table (CSV, TSV, JSON lines, Parquet) with a label per item, and perhaps the right ones beside",
            "question_id,label,prediction",
            lambda peek, _: looks_like_labels(peek),
            lambda source, choice: items_of(
                source, role="either", item=choice.item, cluster=choice.cluster, slices=choice.slice
            ),
            "outputs",
            title="a label per item",
            refuses=("conllu", "conll2012", json_outputs.CHAINS, json_outputs.WORDS, words.TAGGED_LINES),
            expected="a table with a label per item was",
            unit="items",
        ),
    )
}


_ENTITY_TAG = re.compile(r"[BIESLUMW]-\S+|\S{2,}-[BIESLUMW]|O")


def detect(peek: Peek, choice: Choice | None = None, holds: Holds | None = None) -> FormatEntry | None:
    r"""The format of a file, as far as its beginning tells; None if no format recognises it.

    Where the name of the file or the columns that the caller named call for a table, its reader will say what is missing.

    Parameters
    ----------
    peek
        The beginning of the file: an open `Source` is one, too.
    choice
        What the caller says about its columns.
    holds
        Consider formats of ``"scores"`` or of ``"outputs"`` only.

    Examples
    --------
    >>> detect(Peek("runs.csv", ["question_id,new,old\n", "q1,1,0\n"])).name
    'csv'
    >>> detect(Peek("new.bio", ["Ekeus NNP B-PER\n", "flew VBD O\n"])).name
    'word-columns'
    >>> detect(Peek("new.bio", ["Ekeus NNP B-PER\n", "flew VBD O\n"]), holds="scores") is None
    True
    """
    choice = Choice() if choice is None else choice
    entries = [
        entry
        for entry in (*OUTPUT_FORMATS.values(), *FORMATS.values())
        if holds in (None, entry.holds) and not (entry.holds == "outputs" and choice.asks_for_scores)
    ]
    for entry in entries:
        if entry.recognise(peek, choice):
            return entry
    if holds != "outputs" and (choice.names_columns or peek.suffix in (".csv", ".tsv")):
        return FORMATS["tsv" if peek.suffix == ".tsv" else "csv"]
    return None


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
