"""CoNLL-U: ten columns separated by tabs, a word per line, a blank line after each sentence (universaldependencies.org/format).

Comments give sentences and documents their names. The words of a multi-word token (``1-2``) share the characters of the token
as it is written; empty nodes (``8.1``) are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from outscore.data import Array
from outscore.errors import OutscoreError
from outscore.formats.field import shorten
from outscore.formats.kinds import is_tree_line
from outscore.formats.source import Source, open_source, stem_of
from outscore.formats.word_lines import (
    Lines,
    as_labels,
    character_spans,
    document_labels,
    first_rows,
    refuse_empty,
    scan,
    sentences_of,
)
from outscore.options import did_you_mean
from outscore.outputs.model import Words
from outscore.scores import Labels, Origin

if TYPE_CHECKING:
    import polars as pl

__all__ = ["COLUMNS", "looks_like_conllu", "read_conllu", "words_of"]

COLUMNS = {"lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "deprel": 7}
DEFAULT = ("upos", "xpos", "feats", "deprel")
_ID, _FORM, _HEAD, _MISC, _WIDTH = 0, 1, 6, 9, 10
_RANGE = re.compile(r"([0-9]+)-([0-9]+)")
_EMPTY_NODE = re.compile(r"[0-9]+\.[0-9]+")
_SENT_ID = r"^#\s*sent_id\s*=(.*)$"
_NEWDOC = r"^#\s*newdoc(?:\s+id\s*=(.*)|\s*)$"
_NAMING = r"^#\s*(sent_id\s*=|newdoc)"
_EXPECTED = "the 10 of CoNLL-U"
_CURE = "Write ten columns separated by tabs, `_` in those without a value, and a blank line after each sentence."


def looks_like_conllu(source: Source) -> bool:
    """Whether the first line that is no comment begins with a number and has ten columns."""
    return is_tree_line(next((line for line in source.head if line.strip() and not line.startswith("#")), ""))


def read_conllu(path: str | os.PathLike[str], name: str | None = None, columns: Sequence[str] = DEFAULT) -> Words:
    r"""Read the words of a CoNLL-U file; ``-`` is standard input, and compressed files are unpacked on the way.

    Parameters
    ----------
    path
        The file.
    name
        What the system is called; the file's name if not given.
    columns
        Which columns to read: ``"upos"``, ``"xpos"``, ``"feats"``, ``"lemma"``, and ``"deprel"``, with which the heads come.
        What nobody asks for costs nothing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "new.conllu")
    ...     rows = ["1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_", "2\tworks\twork\tVERB\tVBZ\t_\t0\troot\t_\t_"]
    ...     _ = path.write_text("\n".join(rows) + "\n\n")
    ...     words = read_conllu(path)
    >>> words.forms.names, words.columns["upos"].names, words.heads.tolist(), words.ends.tolist()
    (('It', 'works'), ('PRON', 'VERB'), [1, -1], [2, 7])
    """
    with open_source(path) as source:
        return words_of(source, name, columns)


def words_of(source: Source, name: str | None = None, columns: Sequence[str] = DEFAULT) -> Words:
    """The words of a CoNLL-U file that is open already."""
    for column in columns:
        if column not in COLUMNS:
            raise OutscoreError(f"CoNLL-U has no column `{column}`.", did_you_mean(column, COLUMNS))
    file = _File(source.label, columns)
    needed = {_ID, _FORM, _MISC, _WIDTH, *(COLUMNS[column] for column in columns)}
    for lines in scan(source, _WIDTH, "\t", sorted(needed | ({_HEAD} if "deprel" in columns else set()))):
        file.add(lines)
    if not file.lines:
        refuse_empty(source, "CoNLL-U")
    return file.words(stem_of(source.path) if name is None else name, source)


@dataclass
class _File:
    """A file under construction: the words' columns, and the lines that are no words."""

    label: str
    columns: Sequence[str]
    lines: list[Array] = field(default_factory=list)
    frames: list[pl.DataFrame] = field(default_factory=list)
    blanks: list[Array] = field(default_factory=list)
    comments: list[pl.DataFrame] = field(default_factory=list)
    ranges: list[tuple[int, int, int, str]] = field(default_factory=list)

    def add(self, lines: Lines) -> None:
        """Take some lines apart into words and others."""
        import polars as pl

        frame = lines.frame.with_columns(pl.col(str(_ID)).cast(pl.Int32, strict=False).alias("id"))
        is_word = frame["id"].is_not_null()
        rows = np.flatnonzero(is_word.to_numpy())
        words = frame.filter(is_word)
        if len(rows):
            _check_fields(lines, words, rows)
            self.lines.append((lines.first + rows).astype(np.int32))
            self.frames.append(words.drop(str(_ID), str(_MISC), str(_WIDTH)))
        others = frame.select(pl.int_range(pl.len()).alias("row"), str(_ID), str(_FORM), str(_MISC)).filter(~is_word)
        blank = others[str(_ID)].is_null() & others[str(_FORM)].is_null()
        self.blanks.append(lines.first + others.filter(blank)["row"].to_numpy())
        comment = others[str(_ID)].str.starts_with("#").fill_null(value=False)
        named = others.filter(others[str(_ID)].str.contains(_NAMING))
        self.comments.append(named.select((pl.col("row") + lines.first).alias("line"), pl.col(str(_ID)).alias("text")))
        for row, text, form, misc in others.filter(~(blank | comment)).rows():
            self._other(lines, row, text, form, complete=misc is not None)

    def _other(self, lines: Lines, row: int, text: str | None, form: str | None, *, complete: bool) -> None:
        """A line that is neither word, comment nor blank: a multi-word token, an empty node, or a mistake."""
        if text is None:
            lines.refuse(row, "found no word number in the first column", _CURE)
        if text.isspace() and form is None:
            self.blanks.append(np.array([lines.first + row]))
        elif form is None or not (complete or lines.text.split("\n")[row].count("\t") == _WIDTH - 1):
            lines.refuse_width(row, _EXPECTED, "\t", _CURE)
        elif (found := _RANGE.fullmatch(text)) is not None:
            self.ranges.append((lines.first + row, int(found[1]), int(found[2]), form))
        elif _EMPTY_NODE.fullmatch(text) is None:
            lines.refuse(row, f'found "{shorten(text)}" in the first column, expected the number of a word', _CURE)

    def words(self, name: str, source: Source) -> Words:
        """Everything checked and put together."""
        import polars as pl

        lines, frame = np.concatenate(self.lines), pl.concat(self.frames)
        self.lines.clear()
        self.frames.clear()
        sentences = sentences_of(lines, np.concatenate(self.blanks))
        origins = first_rows(sentences)
        _check_numbers(self.label, lines, origins, frame["id"].to_numpy())
        forms = as_labels(frame[str(_FORM)])
        tokens, multiword, firsts = self._tokens(lines, origins, forms)
        starts, ends = character_spans(tokens, firsts)
        if (ends == starts).any():
            line = int(lines[np.argmax(ends == starts)])
            raise OutscoreError(f"{self.label}, line {line}: found a word of blanks alone.", "Remove it, or write the word.")
        columns = {column: as_labels(frame[str(COLUMNS[column])].fill_null("_")) for column in self.columns}
        heads = _heads(self.label, lines, origins, frame[str(_HEAD)].fill_null("_")) if "deprel" in self.columns else None
        if multiword.any():
            columns["token"] = tokens
        return Words(
            name=name,
            forms=forms,
            sentences=sentences,
            columns=columns,
            starts=starts,
            ends=ends,
            multiword=multiword,
            sentence_ids=_sentence_ids(self._names(lines, sentences, _SENT_ID), int(sentences[-1]) + 1),
            heads=heads,
            documents=document_labels(self._names(lines, sentences, _NEWDOC), int(sentences[-1]) + 1),
            origin=Origin(source.path, source.sha256(), len(lines), "conllu"),
            lines=lines,
        )

    def _tokens(self, lines: Array, origins: Array, forms: Labels) -> tuple[Labels, Array, Array]:
        """The token each word belongs to, whether it has several words, and whether the word is its first."""
        multiword, firsts = np.zeros(len(lines), dtype=bool), np.ones(len(lines), dtype=bool)
        if not self.ranges:
            return forms, multiword, firsts
        codes, known = forms.codes.copy(), {name: code for code, name in enumerate(forms.names)}
        begins = np.searchsorted(lines, [line for line, *_ in self.ranges])
        for row, (line, low, high, form) in zip(begins.tolist(), self.ranges, strict=True):
            last = row + high - low
            fits = high > low and last < len(lines) and row - origins[row] + 1 == low and origins[row] == origins[last]
            if not fits or multiword[row]:
                raise OutscoreError(
                    f"{self.label}, line {line}: found the multi-word token {low}-{high}, whose words do not follow.",
                    "Write the line of a multi-word token right before the lines of its words.",
                )
            multiword[row : last + 1] = True
            firsts[row + 1 : last + 1] = False
            codes[row : last + 1] = known.setdefault(form, len(known))
        return Labels(codes, tuple(known)), multiword, firsts

    def _names(self, lines: Array, sentences: Array, pattern: str) -> list[tuple[int, str]]:
        """Sentence and name of each comment of a kind; what stands after the last word names nothing."""
        import polars as pl

        found = pl.concat(self.comments).filter(pl.col("text").str.contains(pattern))
        rows = np.searchsorted(lines, found["line"].to_numpy())
        inside = rows < len(lines)
        names = found["text"].str.extract(pattern).fill_null("").str.strip_chars()
        return list(zip(sentences[rows[inside]].tolist(), names.filter(inside).to_list(), strict=True))


def _check_fields(lines: Lines, words: pl.DataFrame, rows: Array) -> None:
    """Refuse words with too few or too many columns, and those without a form; other columns may be empty in real files."""
    longer = words[str(_WIDTH)].is_not_null()
    if longer.any():
        lines.refuse_width(int(rows[longer.arg_max()]), _EXPECTED, "\t", _CURE)
    suspects = rows[words[str(_MISC)].is_null().to_numpy()]
    if len(suspects):
        texts = lines.text.split("\n")
        for row in suspects.tolist():
            if texts[row].count("\t") != _WIDTH - 1:
                lines.refuse_width(row, _EXPECTED, "\t", _CURE)
    if words[str(_FORM)].has_nulls():
        lines.refuse(int(rows[words[str(_FORM)].is_null().arg_max()]), "found no word in the second column", _CURE)


def _check_numbers(label: str, lines: Array, origins: Array, ids: Array) -> None:
    """Words of a sentence are numbered from 1."""
    wrong = np.flatnonzero(ids != np.arange(len(ids)) - origins + 1)
    if not len(wrong):
        return
    row = int(wrong[0])
    begun = int(ids[row]) == 1
    raise OutscoreError(
        f"{label}, line {lines[row]}: found word number {ids[row]}, expected {row - origins[row] + 1}.",
        "Put a blank line before each sentence." if begun else "Number the words of each sentence 1, 2, 3 without gaps.",
    )


def _heads(label: str, lines: Array, origins: Array, column: pl.Series) -> Array | None:
    """The row of each word's head, -1 for the root; None where no word has a head."""
    import polars as pl

    numbers = column.cast(pl.Int32, strict=False)
    if numbers.has_nulls():
        if (column == "_").all():
            return None
        row = int(numbers.is_null().arg_max() or 0)
        raise OutscoreError(
            f'{label}, line {lines[row]}: found "{shorten(column[row])}" as head, expected the number of a word, or 0.',
            "Give every word a head in column 7; write `_` for all words of a file without trees.",
        )
    heads = numbers.to_numpy()
    size = np.bincount(origins)[origins]
    outside = np.flatnonzero((heads < 0) | (heads > size))
    if len(outside):
        row = int(outside[0])
        raise OutscoreError(
            f"{label}, line {lines[row]}: found the head {heads[row]}, the sentence ends with word {size[row]}.",
            "If the sentence is cut short, copy or write the file again; heads are numbered within their sentence.",
        )
    return np.where(heads > 0, origins + heads - 1, -1).astype(np.int32)


def _sentence_ids(named: Iterable[tuple[int, str]], count: int) -> tuple[str, ...]:
    names = [str(number) for number in range(1, count + 1)]
    for sentence, name in named:
        names[sentence] = name
    return tuple(names)
