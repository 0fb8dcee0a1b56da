"""A system whose text is not quite gold's: missing sentences, unknown words, altered characters, brackets spelt out.

Sentences of the same text are aligned by their characters (`alignment`). Between them sentences are paired by
their ids, and words by the longest common subsequence of their forms. A word of gold without a counterpart is
unaligned, as where a system cuts the text differently. Where more than a tenth of gold's words would be, the
file is another text and is refused.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.model import Words
from outscore.outputs.words.alignment import align, common_subsequence, has_same_text, refuse_text, text_of
from outscore.scores.system import Labels

MAX_UNALIGNED = 0.1
"""The share of gold's words that a differing text may leave without a counterpart."""
MAX_CELLS = 4_000_000
"""Up to so many pairs of words the longest common subsequence is found exactly; a longer gap is matched block by block."""
UNKNOWN = np.iinfo(np.int32).min
"""The shift of words whose place in gold is not known."""
Gap = tuple[int, int, int, int]
"""First and last row (exclusive) of gold, then of the system."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A system's words beside gold's.

    Parameters
    ----------
    words
        The words with their places in gold's text. A word without a counterpart covers what lies between its
        neighbours there.
    rows
        The row of the system's word for each word of gold, -1 if there is none.
    differs
        Whether the text is not gold's.
    missing
        Gold's sentences of which the system has no word, where the text differs.
    """

    words: Words
    rows: Array
    differs: bool = False
    missing: int = 0


def fit(gold: Words, system: Words) -> Fitted:
    """Align a system with gold, also where a small part of its text differs; refuse another text.

    Examples
    --------
    >>> def words(name, *forms):
    ...     ends = np.cumsum([len(form) for form in forms])
    ...     starts, none = np.r_[0, ends[:-1]], np.zeros(len(forms), dtype=bool)
    ...     return Words(name, Labels.of(forms), np.zeros(len(forms), dtype=int), {}, starts, ends, none, ("1",))
    >>> text = "it was on the way ( of course ) and so on".split()
    >>> found = fit(words("gold", *text), words("new", *(["-LRB-" if x == "(" else x for x in text])))
    >>> found.rows.tolist(), found.words.starts[5:7].tolist()
    ([0, 1, 2, 3, 4, -1, 6, 7, 8, 9, 10, 11], [13, 14])
    """
    if has_same_text(gold, system):
        return Fitted(system, align(gold, system))
    rows, shifts = np.full(gold.rows, -1, dtype=np.int64), np.full(system.rows, UNKNOWN, dtype=np.int64)
    ours, theirs = _sentences(gold), _sentences(system)
    for tag, *sentences in SequenceMatcher(None, ours.texts, theirs.texts, autojunk=False).get_opcodes():
        gap = _rows_of(ours, theirs, sentences)
        if tag == "equal":
            first, last, begin, end = gap
            aligned = align(_part(gold, first, last), _part(system, begin, end))
            rows[first:last] = np.where(aligned >= 0, aligned + begin, -1)
            shifts[begin:end] = int(gold.starts[first]) - int(system.starts[begin])
        elif tag == "replace":
            for part in _paired_by_id(gold, system, ours, theirs, sentences):
                _match_words(rows, gold, system, part)
    if (rows < 0).mean() > MAX_UNALIGNED:
        refuse_text(gold, system, share=float((rows < 0).mean()), largest=MAX_UNALIGNED)
    missing = int((np.bincount(gold.sentences, weights=rows >= 0) == 0).sum())
    return Fitted(_in_gold_places(gold, system, rows, shifts), rows, differs=True, missing=missing)


@dataclass(frozen=True, eq=False)
class _Sentences:
    """The texts of a file's sentences without white space, and the rows at which they begin, with the end behind."""

    texts: list[str]
    bounds: list[int]


def _sentences(words: Words) -> _Sentences:
    text = text_of(words)
    bounds = np.flatnonzero(np.diff(words.sentences, prepend=-1, append=-1))
    begins, ends = words.starts[bounds[:-1]].tolist(), words.ends[bounds[1:] - 1].tolist()
    return _Sentences([text[i:j] for i, j in zip(begins, ends, strict=True)], bounds.tolist())


def _rows_of(ours: _Sentences, theirs: _Sentences, sentences: Sequence[int]) -> Gap:
    first, last, begin, end = sentences
    return ours.bounds[first], ours.bounds[last], theirs.bounds[begin], theirs.bounds[end]


def _part(words: Words, first: int, last: int) -> Words:
    """Some consecutive words, as a text of their own."""
    rows, begin = slice(first, last), int(words.starts[first])
    columns = {"token": _take(words.columns["token"], rows)} if "token" in words.columns else {}
    return replace(
        words,
        forms=_take(words.forms, rows),
        sentences=words.sentences[rows],
        columns=columns,
        starts=words.starts[rows] - begin,
        ends=words.ends[rows] - begin,
        multiword=words.multiword[rows],
        heads=None,
        lines=None if words.lines is None else words.lines[rows],
    )


def _take(labels: Labels, rows: slice) -> Labels:
    return Labels(labels.codes[rows], labels.names)


def _paired_by_id(gold: Words, system: Words, ours: _Sentences, theirs: _Sentences, sentences: Sequence[int]) -> Iterator[Gap]:
    """Sentences of the same id, and what lies between them; all in one piece without ids, of which numbers tell nothing."""
    first, last, begin, end = sentences
    ids, others = gold.sentence_ids[first:last], system.sentence_ids[begin:end]
    if not (_has_ids(gold) and _has_ids(system)) or not set(ids) & set(others):
        yield _rows_of(ours, theirs, sentences)
        return
    for _, a, b, c, d in SequenceMatcher(None, ids, others, autojunk=False).get_opcodes():
        if b - a == d - c:
            steps = zip(range(first + a, first + b), range(begin + c, begin + d), strict=True)
            yield from (_rows_of(ours, theirs, (i, i + 1, j, j + 1)) for i, j in steps)
        else:
            yield _rows_of(ours, theirs, (first + a, first + b, begin + c, begin + d))


def _has_ids(words: Words) -> bool:
    """Whether sentences have names, not just the numbers that readers give."""
    return words.sentence_ids[-1] != str(len(words.sentence_ids))


def _match_words(rows: Array, gold: Words, system: Words, gap: Gap) -> None:
    """Align the words of a gap by the longest common subsequence of their forms."""
    first, last, begin, end = gap
    ours = [_normal(gold.forms[i]) for i in range(first, last)]
    theirs = [_normal(system.forms[i]) for i in range(begin, end)]
    if len(ours) * len(theirs) <= MAX_CELLS:
        pairs = common_subsequence(ours, theirs)
    else:
        blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
        pairs = [(i + k, j + k) for i, j, size in blocks for k in range(size)]
    for i, j in pairs:
        rows[first + i] = begin + j


def _normal(form: str) -> str:
    """A form up to case and to how its accents are encoded."""
    return unicodedata.normalize("NFC", form).lower()


def _in_gold_places(gold: Words, system: Words, rows: Array, shifts: Array) -> Words:
    """The system's words at the characters of gold that they stand for.

    `shifts` is by how much the words of equal sentences move; the others take the place of their counterpart.
    """
    starts, ends = system.starts + shifts, system.ends + shifts
    matched = np.flatnonzero(rows >= 0)
    starts[rows[matched]], ends[rows[matched]] = gold.starts[matched], gold.ends[matched]
    is_known = shifts != UNKNOWN
    is_known[rows[matched]] = True
    known, left = np.flatnonzero(is_known), np.flatnonzero(~is_known)
    after = np.searchsorted(known, left)
    low, high = np.r_[0, ends[known]][after], np.r_[starts[known], gold.ends[-1]][after]
    starts[left], ends[left] = low, np.maximum(low, high)
    return replace(system, starts=starts, ends=ends)
