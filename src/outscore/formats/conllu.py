"""CoNLL-U: ten columns separated by tabs, a word per line, a blank line after each sentence (universaldependencies.org/format).

Comments name sentences and documents. The words of a multi-word token (``1-2``) share the characters of the
token; empty nodes (``8.1``) are left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.formats.base.source import Peek, Source, line_error, shorten
from outscore.formats.words import (
    INTEGER,
    FieldLabels,
    Lines,
    first_rows,
    heads_of,
    make_words,
    refuse_empty,
    scan,
    sentences_of,
)
from outscore.outputs.model import Words
from outscore.scores.system import Labels

COLUMNS = {"lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "deprel": 7}
DEFAULT = ("upos", "xpos", "feats", "deprel")
_ID, _FORM, _HEAD, _MISC, _WIDTH = 0, 1, 6, 9, 10
_RANGE = re.compile(r"([0-9]+)-([0-9]+)")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")
_SENT_ID = re.compile(r"#\s*sent_id\s*=(.*)")
_NEWDOC = re.compile(r"#\s*newdoc(?:\s+id\s*=(.*)|\s*)")
_NUMBER = re.compile(r"[0-9]+([-.][0-9]+)?")
_HEAD_HINT = "Give every word a head in column 7; write `_` for all words of a file without trees."
_EXPECTED = "the 10 of CoNLL-U"
_HINT = "Write ten columns separated by tabs, `_` in those without a value, and a blank line after each sentence."


def looks_like_conllu(peek: Peek) -> bool:
    """Whether the first line that is not a comment begins with the number of a word and has ten columns.

    CoNLL-2012 may have as many; its documents begin with a comment of their own.
    """
    if any(line.startswith("#begin document") for line in peek.head):
        return False
    line = next((line for line in peek.filled if not line.startswith("#")), "")
    fields = line.rstrip("\r\n").split("\t")
    if len(fields) == _WIDTH + 1 and not fields[-1]:
        # A separator after the last column is allowed.
        fields.pop()
    return len(fields) == _WIDTH and _NUMBER.fullmatch(fields[0]) is not None


def words_of(source: Source, name: str | None = None, columns: Sequence[str] = DEFAULT) -> Words:
    r"""The words of an open CoNLL-U file.

    Parameters
    ----------
    source
        The file.
    name
        The name of the system; by default that of the file.
    columns
        Which columns to read: ``"upos"``, ``"xpos"``, ``"feats"``, ``"lemma"``, and ``"deprel"``, with which
        the heads come. Columns left out cost nothing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from outscore.formats.base.source import open_source
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.conllu")
    ...     rows = ["1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_", "2\tworks\twork\tVERB\tVBZ\t_\t0\troot\t_\t_"]
    ...     _ = path.write_text("\n".join(rows) + "\n\n")
    ...     with open_source(path) as source:
    ...         words = words_of(source)
    >>> words.forms.names, words.columns["upos"].names, words.heads.tolist(), words.ends.tolist()
    (('It', 'works'), ('PRON', 'VERB'), [1, -1], [2, 7])
    """
    for column in columns:
        if column not in COLUMNS:
            raise OutscoreError(f"CoNLL-U has no column `{column}`.", did_you_mean(column, COLUMNS))
    places = [COLUMNS[column] for column in columns]
    needed = [*places, _HEAD] if "deprel" in columns else places
    file = _FileBuilder(source.path, columns, {_FORM: FieldLabels(), **{place: FieldLabels(empty=b"_") for place in needed}})
    for lines in scan(source, "\t"):
        file.add(lines)
    if not file.lines:
        refuse_empty(source, "CoNLL-U")
    return file.words(source, name)


@dataclass
class _FileBuilder:
    """Collects the words' columns, and the lines that are not words."""

    path: str
    columns: Sequence[str]
    fields: dict[int, FieldLabels]
    lines: list[Array] = field(default_factory=list)
    ids: list[Array] = field(default_factory=list)
    blanks: list[Array] = field(default_factory=list)
    sentence_names: list[tuple[int, str]] = field(default_factory=list)
    documents: list[tuple[int, str]] = field(default_factory=list)
    ranges: list[tuple[int, int, int, str]] = field(default_factory=list)

    def add(self, lines: Lines) -> None:
        """Add lines: words, and others."""
        initials = lines.initials()
        ids, is_word = _numbers(lines, initials)
        rows = np.flatnonzero(is_word)
        has_form = lines.filled(_FORM)
        if len(rows):
            _check_fields(lines, rows, has_form)
            self.lines.append((lines.first + rows).astype(np.int32))
            self.ids.append(ids[rows])
            for place, labels in self.fields.items():
                labels.add(lines.raw, *lines.fields(place, rows))
        is_blank = ~(lines.filled(_ID) | has_form)
        self.blanks.append(lines.first + np.flatnonzero(is_blank))
        is_comment = initials == ord("#")
        self._add_comments(lines, np.flatnonzero(is_comment))
        for row in np.flatnonzero(~(is_word | is_blank | is_comment)).tolist():
            self._add_other(lines, row)

    def _add_comments(self, lines: Lines, rows: Array) -> None:
        """Keep the comments that name a sentence or a document."""
        for row, text in zip(rows.tolist(), lines.texts(_ID, rows), strict=True):
            if (match := _SENT_ID.fullmatch(text)) is not None:
                self.sentence_names.append((lines.first + row, match[1].strip()))
            elif (match := _NEWDOC.fullmatch(text)) is not None:
                self.documents.append((lines.first + row, (match[1] or "").strip()))

    def _add_other(self, lines: Lines, row: int) -> None:
        """Add a line that is neither word, comment nor empty: blanks, a multi-word token, an empty node, or an error."""
        number, *rest = lines.line(row).split("\t")
        form = rest[0] if rest else ""
        if not number:
            lines.refuse(row, "found no word number in the first column", _HINT)
        if number.isspace() and not form:
            self.blanks.append(np.array([lines.first + row]))
        elif not form or not (len(rest) == _WIDTH - 1 or any(rest[_MISC - 1 : _MISC])):
            lines.refuse_width(row, _EXPECTED, _HINT)
        elif (match := _RANGE.fullmatch(number)) is not None:
            self.ranges.append((lines.first + row, int(match[1]), int(match[2]), form))
        elif _EMPTY_NODE.fullmatch(number) is None:
            lines.refuse(row, f'found "{shorten(number)}" in the first column, expected the number of a word', _HINT)

    def words(self, source: Source, name: str | None) -> Words:
        """Check everything and put it together."""
        lines = np.concatenate(self.lines)
        sentences = sentences_of(lines, np.concatenate(self.blanks))
        origins = first_rows(sentences)
        _check_numbers(self.path, lines, origins, np.concatenate(self.ids))
        fields = {place: labels.labels() for place, labels in self.fields.items()}
        heads = fields.get(_HEAD)
        has_trees = heads is not None and heads.names != ("_",)
        return make_words(
            source,
            name,
            "conllu",
            fields[_FORM],
            sentences,
            {column: fields[COLUMNS[column]] for column in self.columns},
            tokens=self._tokens(lines, origins, fields[_FORM]) if self.ranges else None,
            sentence_ids=dict(_attach_to_sentences(self.sentence_names, lines, sentences)),
            documents=_attach_to_sentences(self.documents, lines, sentences),
            heads=heads_of(self.path, lines, sentences, fields[_HEAD], _HEAD_HINT) if has_trees else None,
            lines=lines,
        )

    def _tokens(self, lines: Array, origins: Array, forms: Labels) -> tuple[Labels, Array, Array]:
        """The token of each word, whether the word is its first, and whether it has several words."""
        multiword, firsts = np.zeros(len(lines), dtype=bool), np.ones(len(lines), dtype=bool)
        codes, known = forms.codes.copy(), {name: code for code, name in enumerate(forms.names)}
        begins = np.searchsorted(lines, [line for line, *_ in self.ranges])
        for row, (line, low, high, form) in zip(begins.tolist(), self.ranges, strict=True):
            last = row + high - low
            fits = high >= low and last < len(lines) and row - origins[row] + 1 == low and origins[row] == origins[last]
            if not fits or multiword[row]:
                raise line_error(
                    self.path,
                    line,
                    f"found the multi-word token {low}-{high}, whose words do not follow",
                    "Write the line of a multi-word token right before the lines of its words.",
                )
            multiword[row : last + 1] = True
            firsts[row + 1 : last + 1] = False
            codes[row : last + 1] = known.setdefault(form, len(known))
        return Labels(codes, tuple(known)), firsts, multiword


def _numbers(lines: Lines, initials: Array) -> tuple[Array, Array]:
    """The numbers in the first column, and which rows have one."""
    ids = lines.numbers()
    is_word = ids >= 0
    # A sign begins a wrong number: such lines are rare and checked one by one.
    signed = np.flatnonzero((initials == ord("+")) | (initials == ord("-")))
    for row, text in zip(signed.tolist(), lines.texts(_ID, signed), strict=True):
        if INTEGER.fullmatch(text):
            ids[row], is_word[row] = int(text), True
    return ids, is_word


def _attach_to_sentences(names: Sequence[tuple[int, str]], lines: Array, sentences: Array) -> list[tuple[int, str]]:
    """Each name with the sentence that follows its line; a name after the last word is dropped."""
    rows = np.searchsorted(lines, np.array([line for line, _ in names], dtype=lines.dtype))
    inside = sentences[rows[rows < len(lines)]].tolist()
    return [(sentence, name) for sentence, (_, name) in zip(inside, names, strict=False)]


def _check_fields(lines: Lines, rows: Array, has_form: Array) -> None:
    """Refuse words with too few or too many columns, or without a form; other columns may be empty in real files."""
    odd = rows[lines.widths[rows] != _WIDTH]
    if len(odd):
        has_misc, has_more = lines.filled(_MISC)[odd], lines.filled(_WIDTH)[odd]
        # A separator after the last column is allowed.
        for wrong in (odd[has_more], odd[~has_misc]):
            if len(wrong):
                lines.refuse_width(int(wrong[0]), _EXPECTED, _HINT)
    without = rows[~has_form[rows]]
    if len(without):
        lines.refuse(int(without[0]), "found no word in the second column", _HINT)


def _check_numbers(path: str, lines: Array, origins: Array, ids: Array) -> None:
    """Check that the words of each sentence are numbered from 1."""
    wrong = np.flatnonzero(ids != np.arange(len(ids)) - origins + 1)
    if not len(wrong):
        return
    row = int(wrong[0])
    begun = int(ids[row]) == 1
    raise line_error(
        path,
        int(lines[row]),
        f"found word number {ids[row]}, expected {row - origins[row] + 1}",
        "Put a blank line before each sentence." if begun else "Number the words of each sentence 1, 2, 3 without gaps.",
    )
