"""All formats: how scores are written (`FORMATS`) and how outputs are (`OUTPUT_FORMATS`).

An entry declares how its files are recognised and read; command line, page and documentation loop over the
two registries. Files are recognised in the order of the entries, outputs first. A new format is one entry.
"""

from __future__ import annotations

from outscore.formats import json
from outscore.formats.base.entry import Choice, FormatEntry
from outscore.formats.base.source import Peek, Source
from outscore.formats.conll import conllu, coreference, words
from outscore.formats.conll.coreference import chains_of, looks_like_chains
from outscore.formats.tables import delimited, jsonl, numbers, parquet
from outscore.formats.tables.assemble import read_table
from outscore.formats.tables.labels import items_of, looks_like_labels
from outscore.scores.system import Scores

TABLES = ("parquet", "jsonl", "csv")
"""Formats of tables that can be told for certain."""


def _delimited_entry(name: str, separators: str, title: str = "", suffix: str = "") -> FormatEntry:
    def recognise(peek: Peek, choice: Choice) -> bool:
        return delimited.looks_like_table(peek, choice, separators)

    def read(source: Source, choice: Choice) -> list[Scores]:
        mark = delimited.separator_of(source.peek)
        separator = mark if mark is not None and mark in separators else separators[0]
        return read_table(source, delimited.records(source, separator, choice), choice, name)

    words = {"\t": "tabs", ",": "commas", ";": "semicolons"}
    marks = " or ".join(words[mark] for mark in separators)
    summary = f"a table with a header and {marks}: a column per system, or columns item, system, score"
    example = ("  " if separators == "\t" else separators[0]).join(("question_id", "new", "old"))
    is_certain = (lambda peek: peek.suffix == suffix) if suffix else None
    return FormatEntry(name, summary, example, recognise, read, title=title, is_certain=is_certain, task="label")


FORMATS: dict[str, FormatEntry] = {
    entry.name: entry
    for entry in (
        FormatEntry(
            "parquet",
            "a Parquet table with the same columns as CSV",
            "",
            lambda peek, _: peek.is_parquet,
            lambda source, choice: read_table(source, parquet.records(source), choice, "parquet"),
            title="a Parquet file",
            is_certain=lambda peek: peek.is_parquet,
            task="label",
        ),
        FormatEntry(
            "jsonl",
            "one JSON object per line, its keys as the columns of CSV",
            '{"question_id": "q1", "new": 1, "old": 0}',
            lambda peek, _: jsonl.looks_like_json(peek),
            lambda source, choice: read_table(source, jsonl.records(source), choice, "jsonl"),
            title="JSON",
            is_certain=jsonl.begins_with_object,
            task="label",
        ),
        _delimited_entry("csv", ",;", title="a comma-separated table", suffix=".csv"),
        _delimited_entry("tsv", "\t"),
        FormatEntry(
            "scores",
            "one number per line, one file per system",
            "0.873",
            numbers.recogniser(1),
            numbers.reader(1),
        ),
        FormatEntry(
            "score-pairs",
            "two numbers per line: system A's score and B's (or one system's right and wrong counts)",
            "0.873 0.861",
            numbers.recogniser(2),
            numbers.reader(2),
        ),
        FormatEntry(
            "f1-counts",
            "four whole numbers per line: true positives and errors of system A, then of B",
            "12 3 11 5",
            numbers.recogniser(4),
            numbers.reader(4),
        ),
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
            json.CHAINS,
            "coreference as JSON lines: sentences of words, and clusters of first and last words, counted through the document",
            '{"doc_key": "nw/a_0001", "sentences": [["The", "mayor", "left"]], "clusters": [[[0, 1]]]}',
            lambda peek, _: json.looks_like_chains(peek),
            lambda source, _: json.chains_of(source),
            "outputs",
            title="coreference as JSON",
            is_certain=json.looks_like_chains,
            task="coref",
            unit="chains",
        ),
        FormatEntry(
            json.WORDS,
            "words with their tags as JSON: lists of tokens and tags (Hugging Face), spaCy's Doc.to_json(), Stanza's to_dict()",
            '{"tokens": ["Ekeus", "flew"], "ner_tags": ["B-PER", "O"]}',
            lambda peek, _: json.looks_like_words(peek),
            lambda source, _: json.words_of(source),
            "outputs",
            title="words as JSON",
            is_certain=json.looks_like_words,
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
            refuses=("conllu", "conll2012", json.CHAINS, json.WORDS, words.TAGGED_LINES),
            expected="a table with a label per item was",
            unit="items",
        ),
    )
}
