"""Formats of outputs: words with their tags and trees, coreference chains, and a label per item.

A file is taken for outputs where it says so itself: CoNLL-U and CoNLL-2012 do, words in columns with sentences apart or with
entity tags do, and so does a table of answers without a single column of numbers. Everything else is left to the formats of
scores, unless the format is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields

from outscore.core.errors import OutscoreError
from outscore.formats.conll import conllu, word_columns
from outscore.formats.conll.conll2012 import chains_of
from outscore.formats.detect import CHAINS, TREES, kind_of
from outscore.formats.source import Source
from outscore.formats.tables import delimited, jsonl
from outscore.formats.tables.cells import looks_numeric
from outscore.formats.tables.columns import is_known, is_score
from outscore.formats.tables.labels import has_answers, items_of
from outscore.formats.tables.table import Choice
from outscore.outputs.model import Chains, Items, Outputs, Words

__all__ = ["OUTPUT_FORMATS", "OutputFormat", "recognised"]

_TAG = re.compile(r"[^\w\s]+|-?[A-Z][\w$+:|.*-]*")
_ENTITY = re.compile(r"[BILESUO]-\S+")


@dataclass(frozen=True)
class OutputFormat:
    """One format of outputs: how to recognise it, and how to read it; `example` is a line of such a file."""

    name: str
    summary: str
    example: str
    detect: Callable[[Source], bool]
    read: Callable[[Source, Choice], Outputs]


def recognised(source: Source, choice: Choice) -> OutputFormat | None:
    """The format of outputs that a file is in, or None where it may hold scores; columns of numbers are for scores alone."""
    if choice.score or choice.system or choice.systems:
        return None
    return next((entry for entry in OUTPUT_FORMATS.values() if entry.detect(source)), None)


def _words(source: Source, choice: Choice) -> Words:
    _refuse_named(source, choice, "CoNLL-U")
    return conllu.words_of(source)


def _word_columns(source: Source, choice: Choice) -> Words:
    _refuse_named(source, choice, "words in columns")
    return word_columns.words_of(source)


def _chains(source: Source, choice: Choice) -> Chains:
    _refuse_named(source, choice, "CoNLL-2012")
    return chains_of(source)


def _items(source: Source, choice: Choice) -> Items:
    _refuse_named(source, choice, "a label per item", ("item", "cluster", "slice"))
    return items_of(source, role="either", item=choice.item, cluster=choice.cluster, slices=choice.slice)


def _refuse_named(source: Source, choice: Choice, kind: str, but: tuple[str, ...] = ()) -> None:
    """Refuse what was said of scores, and means nothing here."""
    for entry in fields(choice):
        if getattr(choice, entry.name) and entry.name not in but:
            raise OutscoreError(f"{source.label} is read as {kind}, and `{entry.name}` is for scores.", "Leave it out.")


def _is_words(source: Source) -> bool:
    """Whether words stand in columns, with blank lines between sentences or with the tags of entities."""
    lines = [line.strip() for line in source.head]
    filled = [line.split("\t") if "\t" in line else line.split() for line in lines if line and not line.startswith("#")]
    rows = [row for row in filled if row[0] != word_columns.DOCUMENT]
    if not rows or len(rows[0]) < 2 or len({len(row) for row in rows}) > 1 or not all(_TAG.fullmatch(row[-1]) for row in rows):
        return False
    sentences = "" in lines[lines.index(next(filter(None, lines))) : -1]
    return sentences or len(rows) < len(filled) or any(_ENTITY.fullmatch(row[-1]) for row in rows)


def _is_labels(source: Source) -> bool:
    """Whether a table holds answers and not a single column of numbers."""
    if source.parquet is not None:
        return False
    is_json = jsonl.looks_like_json(source, Choice())
    sample = jsonl.sample(source) if is_json else delimited.sample(source, delimited.separator_of(source) or ",")
    numeric = [name for name, values in sample.items() if looks_numeric(values)]
    return has_answers(sample) and not any(is_score(name) or not is_known(name) for name in numeric)


OUTPUT_FORMATS: dict[str, OutputFormat] = {
    entry.name: entry
    for entry in (
        OutputFormat(
            "conllu",
            "CoNLL-U: a word per line with tags, head and relation in ten columns between tabs",
            "1  Go  go  VERB  VB  Mood=Imp  0  root  _  _",
            lambda source: kind_of(source) == TREES,
            _words,
        ),
        OutputFormat(
            "conll2012",
            "CoNLL-2012: a word per line, coreference chains as brackets in the last column",
            "nw/a_0001  0  1  mayor  NN  3)",
            lambda source: kind_of(source) == CHAINS,
            _chains,
        ),
        OutputFormat(
            "word-columns",
            "a word and its tag per line, perhaps with columns between, and a blank line between sentences",
            "Ekeus  NNP  I-NP  B-PER",
            _is_words,
            _word_columns,
        ),
        OutputFormat(
            "labels",
            "a table (CSV, TSV, JSON lines, Parquet) with a label per item, and perhaps the right ones beside",
            "question_id,label,prediction",
            _is_labels,
            _items,
        ),
    )
}
