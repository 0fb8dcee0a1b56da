"""Words in lines and columns: lines split into fields, fields as labels, and words put together from sentences."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.formats.base.source import Peek, Source, line_error, refuse_undecoded, shorten, stem_of
from outscore.outputs.model import Words
from outscore.scores.system import Labels, Origin

# A column of a file as labels: every field becomes a 64-bit key, and keys are encoded many at a time.
#
# Most words and nearly all tags have at most eight bytes, which fit into one key. Longer fields are looked up one by one.


SHORT = 8
"""Bytes that fit into one key."""
# The lowest 0, 1, ... 8 bytes of a number.
_LOWEST = np.array([(1 << 8 * size) - 1 for size in range(SHORT + 1)], dtype=np.uint64)
# No byte of UTF-8 is 0xff: a key with it on top is not text but the index of a longer field.
_LONGER = np.uint64(0xFF << 56)
_NO_KEY = (1 << 64) - 1
# Fibonacci hashing (Knuth, 1998, The art of computer programming 3, section 6.4): the golden ratio spreads
# keys over the slots.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_SLOT_BITS = 16
# Slots of all columns of a file together: a wide file has fewer for each, so that memory does not grow with the width.
_ALL_SLOT_BITS = 20


class FieldLabels:
    """The fields of one column, added block by block.

    Parameters
    ----------
    empty
        The label of an empty field.
    columns
        How many such columns are read at the same time.

    Examples
    --------
    >>> column = FieldLabels(empty=b"_")
    >>> column.add(b"DET,NOUN,,DET", np.array([0, 4, 9, 10]), np.array([3, 8, 9, 13]))
    >>> labels = column.labels()
    >>> labels.names, labels.codes.tolist()
    (('DET', 'NOUN', '_'), [0, 1, 2, 0])
    """

    def __init__(self, *, empty: bytes = b"", columns: int = 1) -> None:
        self._bits = max(1, min(_SLOT_BITS, _ALL_SLOT_BITS - columns.bit_length()))
        self._empty = np.uint64(int.from_bytes(empty, "little"))
        self._blocks: list[Array] = []
        self._codes: dict[int, int] = {}
        # The last key of each slot, and its code: few fields have to be looked up a second time.
        self._slot_keys = np.full(1 << self._bits, _NO_KEY, dtype=np.uint64)
        self._slot_codes = np.zeros(1 << self._bits, dtype=np.int32)
        self._longer: defaultdict[bytes, int] = defaultdict(itertools.count().__next__)

    def add(self, text: bytes, starts: Array, ends: Array) -> None:
        """Add the fields of `text`, which must be UTF-8, from `starts` to `ends` (exclusive)."""
        sizes = ends - starts
        # One 64-bit number starting at every byte, padded at the end.
        padded = text + bytes(SHORT)
        numbers: Array = np.ndarray(len(text) + 1, dtype="<u8", buffer=padded, strides=(1,))
        keys = numbers[starts] & _LOWEST[np.minimum(sizes, SHORT)]
        keys[sizes == 0] = self._empty
        longer = sizes > SHORT
        if b"\0" in text:
            # Keys of short fields are padded with zeros, which a field with zero bytes of its own would be
            # confused with.
            zeros = np.concatenate(([0], np.cumsum(np.frombuffer(text, dtype=np.uint8) == 0)))
            longer |= zeros[ends] > zeros[starts]
        # In some languages most words are longer; a plain loop would take twice as long.
        fields = map(text.__getitem__, map(slice, starts[longer].tolist(), ends[longer].tolist()))
        keys[longer] = np.fromiter(map(self._longer.__getitem__, fields), dtype=np.uint64) | _LONGER
        self._blocks.append(self._encode(keys))

    def _encode(self, keys: Array) -> Array:
        """The code of each key, from its slot if the slot holds it."""
        slots = (keys * _SPREAD >> np.uint64(64 - self._bits)).astype(np.intp)
        codes = self._slot_codes[slots]
        missed = np.flatnonzero(self._slot_keys[slots] != keys)
        if len(missed):
            codes[missed] = self._look_up(keys[missed])
            self._slot_keys[slots[missed]] = keys[missed]
            self._slot_codes[slots[missed]] = codes[missed]
        return codes

    def _look_up(self, keys: Array) -> Array:
        """The code of each key; new keys get codes in order of first appearance."""
        distinct, places = np.unique(keys, return_inverse=True)
        first = np.empty(len(distinct), dtype=np.int64)
        # The last assignment wins: in reverse order, that is the first row.
        first[places[::-1]] = np.arange(len(keys))[::-1]
        order = np.argsort(first)
        codes = np.empty(len(distinct), dtype=np.int32)
        codes[order] = [self._codes.setdefault(key, len(self._codes)) for key in distinct[order].tolist()]
        return codes[places]

    def labels(self) -> Labels:
        """All fields, encoded in order of first appearance."""
        keys = np.array(list(self._codes), dtype="<u8")
        names = keys.view(f"S{SHORT}").tolist()
        longer = list(self._longer)
        for place in np.flatnonzero(keys >= _LONGER).tolist():
            names[place] = longer[int(keys[place] - _LONGER)]
        # No field holds a line end, and decoding one long text is much faster than decoding many short ones.
        return Labels(np.concatenate(self._blocks), tuple(b"\n".join(names).decode().split("\n")))


# Files with a word per line: lines split into columns, words located by their characters.
#
# Every line becomes a row, so that a row knows its line number; the reader decides what a line means (word, comment, end of
# a sentence). Text is processed in blocks, and only the columns needed are kept. A block is split at its separators, all
# found at once; fields stay bytes until one is asked for.


# About a megabyte of text: larger blocks leave the processor's cache, smaller ones pay the overhead of each
# step more often.
BLOCK_PIECES = 4
# Whole numbers of up to this many digits fit into 32 bits.
MAX_DIGITS = 9
INTEGER = re.compile(rf"[+-]?[0-9]{{1,{MAX_DIGITS}}}")

_NOT_SQUEEZED = re.compile(r"[ \t]{2}|[ \t]$|^[ \t]|\t", re.MULTILINE)
_AROUND = re.compile(r"^[ \t]+|[ \t]+$", re.MULTILINE)
_BLANKS = re.compile(r"[ \t]+")


@dataclass(frozen=True, eq=False)
class Lines:
    """Consecutive lines of a file, split into columns.

    Parameters
    ----------
    path, first
        The file, and the number of the first of these lines.
    raw
        The lines as UTF-8, each with a line end.
    cuts
        Offsets of all separators and line ends in `raw`, preceded by -1 for the end of the line before.
    begins
        (n,) index into `cuts` of the end of each line's first column.
    widths
        (n,) number of columns of each line; an empty line has one.
    ended
        Whether the last line ends with a line end in the file too.
    """

    path: str
    first: int
    raw: bytes
    cuts: Array
    begins: Array
    widths: Array
    ended: bool

    def fields(self, column: int, rows: Array | slice = slice(None)) -> tuple[Array, Array]:
        """Start and end of a column of these rows in `raw`; all rows must have that column."""
        at = self.begins[rows] + column
        return self.cuts[at - 1] + 1, self.cuts[at]

    def filled(self, column: int) -> Array:
        """(n,) whether each line has the column and it is not empty."""
        at = self.begins + np.minimum(column, self.widths - 1)
        return np.asarray((self.widths > column) & (self.cuts[at] - self.cuts[at - 1] > 1))

    def initials(self) -> Array:
        """(n,) the first byte of each line, which is the line end of an empty one."""
        return np.frombuffer(self.raw, dtype=np.uint8)[self.fields(0)[0]]

    def numbers(self) -> Array:
        """(n,) the number in the first column, -1 if it is anything but one to nine digits."""
        digits = np.frombuffer(self.raw, dtype=np.uint8) - np.uint8(ord("0"))
        starts, ends = self.fields(0)
        sizes = ends - starts
        numbers = np.where((sizes > 0) & (sizes <= MAX_DIGITS), 0, -1).astype(np.int32)
        for place in range(MAX_DIGITS):
            rows = np.flatnonzero((numbers >= 0) & (sizes > place))
            if not len(rows):
                break
            digit = digits[starts[rows] + place]
            numbers[rows] = np.where(digit < 10, 10 * numbers[rows] + digit, -1)
        return numbers

    def texts(self, column: int, rows: Array) -> list[str]:
        """A column of these rows as text; all rows must have that column."""
        starts, ends = self.fields(column, rows)
        fields = [self.raw[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        # Decoding one long text is much faster than decoding many short ones.
        return b"\n".join(fields).decode().split("\n") if fields else []

    def line(self, row: int) -> str:
        """A line as text, without its line end."""
        begin = self.begins[row]
        return self.raw[self.cuts[begin - 1] + 1 : self.cuts[begin + self.widths[row] - 1]].decode()

    def refuse(self, row: int, problem: str, hint: str) -> NoReturn:
        """Raise an error that names the line."""
        raise line_error(self.path, self.first + row, problem, hint)

    def refuse_width(self, row: int, expected: str, hint: str) -> NoReturn:
        """Raise the error of a row with too few or too many columns."""
        width = int(self.widths[row])
        columns = f'{width} {"column" if width == 1 else "columns"} ("{shorten(self.line(row))}")'
        if row == len(self.widths) - 1 and not self.ended:
            hint = f"The file ends inside this line: copy or write it again. Otherwise: {hint[0].lower()}{hint[1:]}"
        self.refuse(row, f"found {columns}, expected {expected}", hint)


def scan(source: Source, separator: str) -> Iterator[Lines]:
    """Split a file into columns, block by block."""
    first = 1
    for block in _blocks(source):
        text = _squeeze_blanks(block) if separator == " " else block
        ended = text.endswith("\n")
        raw = _encode(text if ended else f"{text}\n", source.path, first)
        codes = np.frombuffer(raw, dtype=np.uint8)
        cuts = np.concatenate(([-1], np.flatnonzero((codes == ord(separator)) | (codes == ord("\n")))))
        line_ends = np.flatnonzero(codes[cuts[1:]] == ord("\n")) + 1
        begins = np.concatenate(([1], line_ends[:-1] + 1))
        yield Lines(source.path, first, raw, cuts, begins, line_ends - begins + 1, ended)
        first += len(begins)


def _blocks(source: Source) -> Iterator[str]:
    pieces = source.pieces
    while text := "".join(itertools.islice(pieces, BLOCK_PIECES)):
        yield text


def _squeeze_blanks(text: str) -> str:
    """Remove blanks around lines, and leave one between columns."""
    if not _NOT_SQUEEZED.search(text):
        return text
    return _BLANKS.sub(" ", _AROUND.sub("", text))


def _encode(text: str, path: str, first: int) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        refuse_undecoded(path, first + text.count("\n", 0, error.start), text[error.start :])
        raise


def sentences_of(lines: Array, blanks: Array) -> Array:
    """The sentence of each word, by the blank lines between words.

    Examples
    --------
    >>> sentences_of(np.array([2, 3, 6, 9]), np.array([1, 4, 5, 8, 10])).tolist()
    [0, 0, 1, 2]
    """
    begins = np.zeros(len(lines) + 1, dtype=np.int32)
    # Blank lines are few: locating them among the words is much faster than the other way round.
    begins[np.searchsorted(lines, blanks.astype(lines.dtype))] = 1
    begins[0] = 0
    return np.cumsum(begins[:-1], dtype=np.int32)


def first_rows(sentences: Array) -> Array:
    """The first row of each word's sentence.

    Examples
    --------
    >>> first_rows(np.array([0, 0, 1, 1, 1])).tolist()
    [0, 0, 2, 2, 2]
    """
    return np.flatnonzero(np.diff(sentences, prepend=-1))[sentences]


def character_spans(tokens: Labels, firsts: Array) -> tuple[Array, Array]:
    """Start and end of each word in the file's text without white space.

    `firsts` marks the words that begin a token: the others share the span of the word before them.
    """
    names: Sequence[str] = tokens.names
    # Few files have words with white space inside, which one join and split of all words tells.
    if " ".join(names).split() != list(names):
        names = ["".join(name.split()) for name in names]
    lengths = np.fromiter(map(len, names), dtype=np.int32, count=len(names))
    sizes = lengths[tokens.codes if firsts.all() else tokens.codes[firsts]]
    ends = np.cumsum(sizes, dtype=np.int32)
    if firsts.all():
        return ends - sizes, ends
    token = np.cumsum(firsts) - 1
    return (ends - sizes)[token], ends[token]


def document_labels(marks: Sequence[tuple[int, str]], sentences: int) -> Labels | None:
    """The document of each sentence, from (first sentence, name) of each document; None without documents.

    Documents without a name are numbered.

    Examples
    --------
    >>> document_labels([(0, "news"), (2, "")], 3).names
    ('news', '2')
    """
    if not marks:
        return None
    named = [(0, "")] * (marks[0][0] > 0) + list(marks)
    starts = np.array([start for start, _ in named])
    names = [name or str(number) for number, (_, name) in enumerate(named, 1)]
    labels = Labels.of(names)
    return labels.take(np.searchsorted(starts, np.arange(sentences), side="right") - 1)


def make_words(
    source: Source,
    name: str | None,
    format: str,
    forms: Labels,
    sentences: Array,
    columns: dict[str, Labels],
    *,
    tokens: tuple[Labels, Array, Array] | None = None,
    sentence_ids: Mapping[int, str] | None = None,
    documents: Sequence[tuple[int, str]] = (),
    heads: Array | None = None,
    lines: Array | None = None,
) -> Words:
    """The words of a file with their characters; without a `name`, the system is called after the file.

    `tokens` are those of the words, with masks of the words that begin one and of those that share one, where words are not
    tokens; `sentence_ids` names sentences by their indexes, and `documents` the first sentence of each document.
    """
    every = np.ones(len(forms), dtype=bool)
    surface, firsts, shared = (forms, every, ~every) if tokens is None else tokens
    starts, ends = character_spans(surface, firsts)
    if lines is not None and (ends == starts).any():
        line = int(lines[np.argmax(ends == starts)])
        raise line_error(source.path, line, "found a word that consists only of blanks", "Remove it, or write the word.")
    count = int(sentences[-1]) + 1
    return Words(
        name=stem_of(source.path) if name is None else name,
        forms=forms,
        sentences=sentences,
        columns=columns | ({"token": surface} if shared.any() else {}),
        starts=starts,
        ends=ends,
        multiword=shared,
        sentence_ids=tuple((sentence_ids or {}).get(place, str(place + 1)) for place in range(count)),
        heads=heads,
        documents=document_labels(documents, count),
        origin=Origin(source.path, source.sha256(), len(forms), format),
        lines=lines,
    )


def heads_of(path: str, lines: Array, sentences: Array, column: Labels, hint: str) -> Array:
    """The row of each word's head, -1 for the root; heads are numbered from 1 within their sentence."""
    numbers = [int(name) if INTEGER.fullmatch(name) else None for name in column.names]
    if None in numbers:
        row = int(np.isin(column.codes, [code for code, number in enumerate(numbers) if number is None]).argmax())
        problem = f'found "{shorten(column[row])}" as head, expected the number of a word, or 0'
        raise line_error(path, int(lines[row]), problem, hint)
    heads = np.array(numbers, dtype=np.int32)[column.codes]
    size = np.bincount(sentences)[sentences]
    outside = np.flatnonzero((heads < 0) | (heads > size))
    if len(outside):
        row = int(outside[0])
        raise line_error(
            path,
            int(lines[row]),
            f"found the head {heads[row]}, but the sentence ends with word {size[row]}",
            "If the sentence is cut short, copy or write the file again; heads are numbered within their sentence.",
        )
    return np.where(heads > 0, first_rows(sentences) + heads - 1, -1).astype(np.int32)


def refuse_empty(source: Source, expected: str) -> NoReturn:
    """Raise the error of a file without words."""
    raise OutscoreError(f"{source.label} contains no words, but {expected} was expected.", "Check that its text was written.")


# Words in plain columns: word and tag, or the columns of CoNLL-2000, 2002 and 2003, with a blank line between sentences.
#
# Columns are separated by tabs, or by blanks if the line of the first word has no tab. ``-DOCSTART-`` begins a document. A
# line that begins with ``#`` and does not have the file's number of columns is a comment.


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
_HEAD_HINT = "Check which column --columns calls `head`."


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
    first, separator = _first_columns(source)
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
    rows = np.concatenate(lines)
    sentences = sentences_of(rows, np.concatenate(blanks))
    begins = np.searchsorted(rows, np.concatenate(documents))
    marks = sorted({int(sentences[row]) for row in begins.tolist() if row < len(rows)})
    labels = {column: encoded.labels() for column, encoded in zip(names, fields, strict=True)}
    forms, heads = labels.pop(WORD), labels.pop(HEAD, None)
    return make_words(
        source,
        name,
        "word-columns",
        forms,
        sentences,
        labels,
        documents=[(sentence, "") for sentence in marks],
        heads=None if heads is None else heads_of(source.path, rows, sentences, heads, _HEAD_HINT),
        lines=rows,
    )


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


# Words put together from sentences, for formats that are read one sentence at a time.


EMPTY = "_"


@dataclass
class Sentence:
    """The words of one sentence with their columns; `heads` are indexes in the sentence, -1 for the root.

    `tokens` are, word by word, the surface of the token and whether the word is its first, where words are not tokens.
    """

    forms: list[str] = field(default_factory=list)
    columns: dict[str, list[str]] = field(default_factory=dict)
    heads: list[int] = field(default_factory=list)
    tokens: list[tuple[str, bool]] = field(default_factory=list)
    document: str | None = None


def assemble(source: Source, sentences: Sequence[Sentence], name: str | None, format: str) -> Words:
    """Words from sentences; a column that only some sentences have is left out."""
    if not sentences:
        raise OutscoreError(f"{source.label} has no sentences.", "Give at least one sentence.")
    sizes = np.array([len(sentence.forms) for sentence in sentences])
    shared = set.intersection(*(set(sentence.columns) for sentence in sentences))
    columns = {c: Labels.of(x for s in sentences for x in s.columns[c]) for c in sentences[0].columns if c in shared}
    surfaces = [token for s in sentences for token in (s.tokens or [(form, True) for form in s.forms])]
    firsts = np.array([first for _, first in surfaces])
    heads = None
    if all(len(sentence.heads) == len(sentence.forms) for sentence in sentences):
        within = np.array([head for sentence in sentences for head in sentence.heads], dtype=np.int64)
        heads = np.where(within >= 0, within + np.repeat(np.cumsum(sizes) - sizes, sizes), -1)
    named = [(place, sentence.document) for place, sentence in enumerate(sentences) if sentence.document is not None]
    return make_words(
        source,
        name,
        format,
        Labels.of(form for sentence in sentences for form in sentence.forms),
        np.repeat(np.arange(len(sentences)), sizes),
        {c: labels for c, labels in columns.items() if labels.names != (EMPTY,)},
        tokens=(Labels.of(token for token, _ in surfaces), firsts, ~firsts | np.r_[~firsts[1:], False]),
        documents=[(place, document) for place, document in named if not place or document != sentences[place - 1].document],
        heads=heads,
    )


# A sentence per line with every word and its tag joined by a slash, such as ``The/DT mayor/NN resigned/VBD``.


TAGGED_LINES = "tagged-lines"

_WORD = re.compile(r"(\S+)/([^\s/]+)")
_ADDRESS = re.compile(r"\w+://")


def looks_like_tagged_lines(peek: Peek) -> bool:
    """Whether every word of the first lines has a tag behind a slash, and some line has several words."""
    lines = [line.split() for line in peek.filled]
    words = [word for line in lines for word in line]
    if not words or max(map(len, lines)) < 2 or any("\t" in line for line in peek.filled):
        return False
    return all(_WORD.fullmatch(word) for word in words) and not any(map(_ADDRESS.match, words))


def words_of_tagged_lines(source: Source, name: str | None = None) -> Words:
    """The words of an open file; of a word with several slashes the last one comes before the tag."""
    sentences = []
    for number, line in enumerate(source.lines(), 1):
        matches = [_WORD.fullmatch(word) for word in line.split()]
        if None in matches:
            word = line.split()[matches.index(None)]
            raise line_error(
                source.path, number, f'found "{word}", expected word/TAG', "Join every word to its tag with a slash."
            )
        if matches:
            sentences.append(Sentence([m[1] for m in matches if m], {"tag": [m[2] for m in matches if m]}))
    return assemble(source, sentences, name, TAGGED_LINES)
