"""Words in plain columns: word and tag, or the columns of CoNLL-2000, 2002 and 2003, with a blank line between sentences.

Columns are separated by tabs, or by blanks where the first word's line has no tab. ``-DOCSTART-`` begins a document. A line
that begins with ``#`` and does not have the file's number of columns is a comment.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.conll.field_labels import FieldLabels
from outscore.formats.conll.word_lines import Lines, character_spans, document_labels, refuse_empty, scan, sentences_of
from outscore.formats.source import Source, open_source, stem_of
from outscore.outputs.model import Words
from outscore.scores.system import Origin

__all__ = ["DOCUMENT", "read_word_columns", "words_of"]

WORD, TAG = "word", "tag"
DOCUMENT = "-DOCSTART-"
# What headers of such files, and of tables with a label per item, begin and end with.
_WORDS = {"word", "words", "form", "token", "tokens", "id", "item_id", "question_id", "sentence_id"}
_TAGS = {"tag", "tags", "pos", "upos", "xpos", "ner", "label", "labels", "gold", "prediction", "predicted", "pred"}
_CURE = "Give every word's line the same columns, and put a blank line between sentences."


def read_word_columns(path: str | os.PathLike[str], columns: Sequence[str] | None = None, name: str | None = None) -> Words:
    r"""Read the words of a file of columns; ``-`` is standard input, and compressed files are unpacked on the way.

    Parameters
    ----------
    path
        The file.
    columns
        What the columns are called, in order; one of them is ``"word"``. If not given, the first is the word, the last is
        ``"tag"``, and those between are called by their place, ``"2"``, ``"3"``...
    name
        What the system is called; the file's name if not given.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.bio")
    ...     _ = path.write_text("-DOCSTART- -X- O\n\nU.N. NNP B-ORG\nofficial NN O\n\nEkeus NNP B-PER\n")
    ...     words = read_word_columns(path)
    >>> words.forms.names, words.columns["tag"].names, words.sentences.tolist(), words.documents.names
    (('U.N.', 'official', 'Ekeus'), ('B-ORG', 'O', 'B-PER'), [0, 0, 1], ('1',))
    """
    with open_source(path) as source:
        return words_of(source, columns, name)


def words_of(source: Source, columns: Sequence[str] | None = None, name: str | None = None) -> Words:
    """The words of a file of columns that is open already."""
    first, separator = _columns_of(source)
    if not first:
        refuse_empty(source, "a word and its tag on each line")
    named = _named(source.label, len(first), columns)
    _refuse_header(source.label, first)
    blanks: list[Array] = []
    documents: list[Array] = []
    lines: list[Array] = []
    fields = [FieldLabels() for _ in first]
    for block in scan(source, separator):
        is_word, is_document, is_blank = _kinds(block, len(first))
        rows = np.flatnonzero(is_word)
        lines.append((block.first + rows).astype(np.int32))
        documents.append(block.first + np.flatnonzero(is_document))
        blanks.append(block.first + np.flatnonzero(is_blank | is_document))
        for place, column in enumerate(fields):
            column.add(block.raw, *block.fields(place, rows))
    if not sum(map(len, lines)):
        refuse_empty(source, "a word and its tag on each line")
    return _put_together(source, named, stem_of(source.path) if name is None else name, lines, blanks, documents, fields)


def _put_together(
    source: Source,
    named: Sequence[str],
    name: str,
    lines: Sequence[Array],
    blanks: Sequence[Array],
    documents: Sequence[Array],
    fields: Sequence[FieldLabels],
) -> Words:
    rows = np.concatenate(lines)
    sentences = sentences_of(rows, np.concatenate(blanks))
    count = int(sentences[-1]) + 1
    begins = np.searchsorted(rows, np.concatenate(documents))
    marks = sorted({int(sentences[row]) for row in begins.tolist() if row < len(rows)})
    labels = {column: encoded.labels() for column, encoded in zip(named, fields, strict=True)}
    forms = labels.pop(WORD)
    starts, ends = character_spans(forms, np.ones(len(rows), dtype=bool))
    if (ends == starts).any():
        line = int(rows[np.argmax(ends == starts)])
        raise OutscoreError(f"{source.label}, line {line}: found a word of blanks alone.", "Remove it, or write the word.")
    return Words(
        name=name,
        forms=forms,
        sentences=sentences,
        columns=labels,
        starts=starts,
        ends=ends,
        multiword=np.zeros(len(rows), dtype=bool),
        sentence_ids=tuple(str(number) for number in range(1, count + 1)),
        documents=document_labels([(sentence, "") for sentence in marks], count),
        origin=Origin(source.path, source.sha256(), len(rows), "word-columns"),
        lines=rows,
    )


def _columns_of(source: Source) -> tuple[list[str], str]:
    """The columns of the first word's line, and what separates them."""
    for line in source.head:
        text = line.strip()
        if text and not text.startswith(("#", DOCUMENT)):
            return (text.split("\t"), "\t") if "\t" in text else (text.split(), " ")
    return [], "\t"


def _named(label: str, width: int, columns: Sequence[str] | None) -> Sequence[str]:
    """A name for each column."""
    if width < 2:
        raise OutscoreError(
            f"{label} has one column, a word and its tag were expected.",
            "Write word and tag, separated by a tab; or compare a label per item with --task label.",
        )
    if columns is None:
        return [WORD, *map(str, range(2, width)), TAG]
    if len(columns) != width:
        raise OutscoreError(
            f"{label} has {width} columns, and `columns` names {len(columns)}.", "Name every column of the file, in order."
        )
    if columns.count(WORD) != 1 or len(set(columns)) != width:
        raise OutscoreError(f"`columns` is {', '.join(columns)}.", "Give each its own name, and call one of them `word`.")
    return columns


def _refuse_header(label: str, first: Sequence[str]) -> None:
    """Refuse column names, which would count as a word that every system gets right."""
    if first[0].lower() in _WORDS and first[-1].lower() in _TAGS:
        raise OutscoreError(
            f"{label} begins with the names of columns (`{first[0]}` and `{first[-1]}`), a word and its tag were expected.",
            "Remove that line; or compare a label per item with --task label.",
        )


def _kinds(block: Lines, width: int) -> tuple[Array, Array, Array]:
    """Which rows are words, which begin a document, and which are blank."""
    blank = ~(block.filled(0) | block.filled(1))
    document = np.zeros_like(blank)
    initials = block.initials()
    # Few lines have one column alone, or begin with a hyphen: only these are looked at one by one.
    bare = np.flatnonzero(~(blank | block.filled(1)))
    blank[bare] = [not text.strip() for text in block.texts(0, bare)]
    hyphened = np.flatnonzero(initials == ord("-"))
    document[hyphened] = [text == DOCUMENT for text in block.texts(0, hyphened)]
    complete = block.filled(width - 1) & ~block.filled(width)
    odd = ~(blank | document | complete)
    comment = odd & (initials == ord("#"))
    wrong = np.flatnonzero(odd & ~comment)
    if len(wrong):
        block.refuse_width(int(wrong[0]), f"{width} as on the first word's line", _CURE)
    word = ~(blank | document | comment)
    for place in range(width):
        empty = np.flatnonzero(word & ~block.filled(place))
        if len(empty):
            block.refuse(int(empty[0]), f"found nothing in column {place + 1}", _CURE)
    return word, document, blank
