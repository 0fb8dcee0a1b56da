"""Words in plain columns: word and tag, or the columns of CoNLL-2000, 2002 and 2003, with a blank line between sentences.

Columns are separated by tabs, or by blanks if the line of the first word has no tab. ``-DOCSTART-`` begins a
document. A line that begins with ``#`` and does not have the file's number of columns is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.base.source import Peek, Source, line_error, stem_of
from outscore.formats.conll.field_labels import FieldLabels
from outscore.formats.conll.word_lines import (
    Lines,
    character_spans,
    document_labels,
    first_rows,
    refuse_empty,
    scan,
    sentences_of,
)
from outscore.outputs.model import Words
from outscore.scores.system import Labels, Origin

WORD, TAG = "word", "tag"
HEAD = "head"
UNNAMED = "_"
DOCUMENT = "-DOCSTART-"
# First and last names in the headers of such files, and of tables with a label per item.
_WORDS = {"word", "words", "form", "token", "tokens", "id", "item_id", "question_id", "sentence_id"}
_TAGS = {"tag", "tags", "pos", "upos", "xpos", "ner", "label", "labels", "gold", "prediction", "predicted", "pred"}
_TAG = re.compile(r"[^\w\s]+|-?[A-Z][\w$+:|.*-]*")
_ENTITY = re.compile(r"[BILESUO]-\S+")
MOST_COLUMNS = 1_000
"""No word has more: a line with more is a text."""
_HINT = "Give every word's line the same columns, and put a blank line between sentences."


def looks_like_words(peek: Peek) -> bool:
    """Whether words are in columns, with blank lines between sentences or with the tags of entities."""
    lines = [line.strip() for line in peek.head]
    rows = first_rows_of(peek)
    if len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return False
    tags = [row[-1] for row in rows]
    if not all(map(_TAG.fullmatch, tags)):
        return False
    has_documents = any(line.startswith(DOCUMENT) for line in lines)
    has_sentences = "" in lines[lines.index(next(filter(None, lines))) : -1]
    return has_sentences or has_documents or any(map(_ENTITY.fullmatch, tags))


def first_rows_of(peek: Peek) -> list[list[str]]:
    """The columns of the first words."""
    lines = (line.strip() for line in peek.head)
    filled = [line.split("\t") if "\t" in line else line.split() for line in lines if line and not line.startswith("#")]
    return [row for row in filled if row[0] != DOCUMENT]


def words_of(source: Source, columns: Sequence[str] | None = None, name: str | None = None) -> Words:
    r"""The words of an open file of columns.

    Parameters
    ----------
    source
        The file.
    columns
        The names of the columns in order, one of them ``"word"``. By default the first is ``"word"``, the
        last ``"tag"``, and those between are numbered, ``"2"``, ``"3"``...
    name
        The name of the system; by default that of the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from outscore.formats.base.source import open_source
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.bio")
    ...     _ = path.write_text("-DOCSTART- -X- O\n\nU.N. NNP B-ORG\nofficial NN O\n\nEkeus NNP B-PER\n")
    ...     with open_source(path) as source:
    ...         words = words_of(source)
    >>> words.forms.names, words.columns["tag"].names, words.sentences.tolist(), words.documents.names
    (('U.N.', 'official', 'Ekeus'), ('B-ORG', 'O', 'B-PER'), [0, 0, 1], ('1',))
    """
    first, separator = _first_columns(source.peek)
    if not first:
        refuse_empty(source, "a word and its tag on each line")
    names = _name_columns(source.label, len(first), columns)
    _refuse_header(source.label, first)
    blanks: list[Array] = []
    documents: list[Array] = []
    lines: list[Array] = []
    fields = [FieldLabels(columns=len(first)) for _ in first]
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
    return _assemble(source, names, stem_of(source.path) if name is None else name, lines, blanks, documents, fields)


def _assemble(
    source: Source,
    names: Sequence[str],
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
    labels = {column: encoded.labels() for column, encoded in zip(names, fields, strict=True)}
    forms = labels.pop(WORD)
    heads = _heads(source, rows, sentences, labels.pop(HEAD)) if HEAD in labels else None
    starts, ends = character_spans(forms, np.ones(len(rows), dtype=bool))
    if (ends == starts).any():
        line = int(rows[np.argmax(ends == starts)])
        raise line_error(source.path, line, "found a word that consists only of blanks", "Remove it, or write the word.")
    return Words(
        name=name,
        forms=forms,
        sentences=sentences,
        columns=labels,
        starts=starts,
        ends=ends,
        multiword=np.zeros(len(rows), dtype=bool),
        heads=heads,
        sentence_ids=tuple(str(number) for number in range(1, count + 1)),
        documents=document_labels([(sentence, "") for sentence in marks], count),
        origin=Origin(source.path, source.sha256(), len(rows), "word-columns"),
        lines=rows,
    )


def _heads(source: Source, lines: Array, sentences: Array, column: Labels) -> Array:
    """The row of each word's head, -1 for the root; heads are numbered from 1 within their sentence."""
    numbers = [int(name) if name.isdigit() else -1 for name in column.names]
    heads = np.array(numbers, dtype=np.int64)[column.codes]
    wrong = np.flatnonzero((heads < 0) | (heads > np.bincount(sentences)[sentences]))
    if len(wrong):
        row = int(wrong[0])
        problem = f'found "{column[row]}" as head, expected 0 or the number of a word of its sentence'
        raise line_error(source.path, int(lines[row]), problem, "Check which column --columns calls `head`.")
    return np.where(heads > 0, first_rows(sentences) + heads - 1, -1)


def _first_columns(peek: Peek) -> tuple[list[str], str]:
    """The columns of the first word's line, and their separator."""
    for line in peek.head:
        text = line.strip()
        if text and not text.startswith(("#", DOCUMENT)):
            return (text.split("\t"), "\t") if "\t" in text else (text.split(), " ")
    return [], "\t"


def _name_columns(label: str, width: int, columns: Sequence[str] | None) -> Sequence[str]:
    """A name for each column."""
    if width < 2:
        raise OutscoreError(
            f"{label} has one column, but a word and its tag were expected.",
            "Write word and tag, separated by a tab; or compare a label per item with --task label.",
        )
    if width > MOST_COLUMNS:
        raise OutscoreError(
            f"{label} has {width:,} columns, but a word and its tags were expected on each line.",
            "Write a word per line with its tags behind it; texts are compared with `outscore compare A B --reference TEXT`.",
        )
    if columns is None:
        return [WORD, *map(str, range(2, width)), TAG]
    if len(columns) != width:
        raise OutscoreError(
            f"{label} has {width} columns, but `columns` names {len(columns)}.",
            "Name every column of the file, in order.",
            parameter="columns",
        )
    named = [name for name in columns if name != UNNAMED]
    if named.count(WORD) != 1 or len(set(named)) != len(named):
        hint = "Give each its own name, call one of them `word`, and write `_` for those that are not needed."
        raise OutscoreError(f"`columns` is {', '.join(columns)}.", hint, parameter="columns")
    return [str(place) if name == UNNAMED else name for place, name in enumerate(columns, 1)]


def _refuse_header(label: str, first: Sequence[str]) -> None:
    """Refuse a header, which would count as a word that every system gets right."""
    if first[0].lower() in _WORDS and first[-1].lower() in _TAGS:
        raise OutscoreError(
            f"{label} begins with the names of columns (`{first[0]}` and `{first[-1]}`), but a word and its tag were expected.",
            "Remove that line; or compare a label per item with --task label.",
        )


def _kinds(block: Lines, width: int) -> tuple[Array, Array, Array]:
    """Masks of the rows that are words, that begin a document, and that are blank."""
    blank = ~(block.filled(0) | block.filled(1))
    document = np.zeros_like(blank)
    initials = block.initials()
    # Few lines have a single column or begin with a hyphen: only these are checked one by one.
    bare = np.flatnonzero(~(blank | block.filled(1)))
    blank[bare] = [not text.strip() for text in block.texts(0, bare)]
    hyphened = np.flatnonzero(initials == ord("-"))
    document[hyphened] = [text == DOCUMENT for text in block.texts(0, hyphened)]
    complete = block.filled(width - 1) & ~block.filled(width)
    odd = ~(blank | document | complete)
    comment = odd & (initials == ord("#"))
    wrong = np.flatnonzero(odd & ~comment)
    if len(wrong):
        block.refuse_width(int(wrong[0]), f"{width} as on the first word's line", _HINT)
    word = ~(blank | document | comment)
    for place in range(width):
        empty = np.flatnonzero(word & ~block.filled(place))
        if len(empty):
            block.refuse(int(empty[0]), f"found nothing in column {place + 1}", _HINT)
    return word, document, blank
