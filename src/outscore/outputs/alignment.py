"""Words of a system aligned with words of gold, also where its text is not quite gold's."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.items import shared_inventory
from outscore.outputs.model import Words, codes_among
from outscore.scores.system import Labels

# Words of a system aligned with words of gold, by the characters they cover.
#
# Tokens and sentences may be split differently; the text without white space must be the same. A word is aligned with the
# word of the same characters. If either side has a multi-word token, the words inside are aligned by the longest common
# subsequence of their forms, ignoring case (Zeman et al., 2018, CoNLL shared task, section 5.1).


def align(gold: Words, system: Words) -> Array:
    """The row of the system's word for each word of gold, -1 if there is none.

    Parameters
    ----------
    gold, system
        The same text, split into words twice; a different text is refused with the first difference.

    Examples
    --------
    >>> def words(name, *forms):
    ...     ends = np.cumsum([len(form) for form in forms])
    ...     starts, none = np.r_[0, ends[:-1]], np.zeros(len(forms), dtype=bool)
    ...     return Words(name, Labels.of(forms), np.zeros(len(forms), dtype=int), {}, starts, ends, none, ("1",))
    >>> align(words("gold", "I", "'m", "here"), words("new", "I'm", "here")).tolist()
    [-1, -1, 1]
    """
    if _same_words(gold, system):
        return np.arange(gold.rows)
    if not has_same_text(gold, system):
        refuse_text(gold, system)
    regions = _regions(gold, system)
    rows = np.full(gold.rows, -1, dtype=np.int64)
    inside_gold, inside_system = _inside(gold, regions), _inside(system, regions)
    _match_spans(rows, gold, system, inside_gold < 0, inside_system < 0)
    _, (forms_gold, forms_system) = shared_inventory([gold.forms, system.forms], str.lower)
    spans = zip(_runs(inside_gold, len(regions)), _runs(inside_system, len(regions)), strict=True)
    for (first, last), (begin, end) in spans:
        pairs = common_subsequence(forms_gold[first:last].tolist(), forms_system[begin:end].tolist())
        for i, j in pairs:
            rows[first + i] = begin + j
    return rows


def has_same_text(gold: Words, system: Words) -> bool:
    """Whether two files have the same text, white space aside."""
    return _same_words(gold, system) or text_of(gold) == text_of(system)


def _same_words(gold: Words, system: Words) -> bool:
    """Whether both have the same tokens and words, as most systems that were given gold tokens do."""
    if gold.rows != system.rows or not np.array_equal(gold.ends, system.ends):
        return False
    return all(_equal(*pair) for pair in ((gold.forms, system.forms), (_tokens(gold), _tokens(system))))


def _equal(a: Labels, b: Labels) -> bool:
    if a.names == b.names:
        return np.array_equal(a.codes, b.codes)
    return np.array_equal(a.codes, codes_among(b, a.names))


def _tokens(words: Words) -> Labels:
    """The tokens as written: the words themselves, except for multi-word tokens."""
    return words.columns.get("token", words.forms)


def text_of(words: Words) -> str:
    """The text of a file without white space."""
    tokens = _tokens(words)
    names = ["".join(name.split()) for name in tokens.names]
    firsts = np.diff(words.starts, prepend=-1) != 0
    return "".join([names[code] for code in tokens.codes[firsts].tolist()])


def _first_difference(a: str, b: str) -> int:
    """The first index at which two texts differ, which may be the end of the shorter."""
    low, high = 0, min(len(a), len(b))
    # Bisection: comparing slices is much faster than comparing characters.
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def refuse_text(gold: Words, system: Words, *, share: float | None = None, largest: float = 0.0) -> NoReturn:
    """Refuse a system whose text is not that of gold, with the first difference.

    `share` is how much of gold would have no counterpart, where more than the `largest` share is too much.
    """
    place = _first_difference(text_of(gold), text_of(system))
    row, other = (int(np.searchsorted(words.ends, place, side="right")) for words in (gold, system))
    hint = (
        "Both files must contain the same text in the same order: only blanks, sentence ends and token boundaries may differ."
    )
    if share is not None:
        hint = (
            f"Both files must contain the same text in the same order: {100 * share:.0f}% of gold's words would have no"
            f" counterpart, more than {100 * largest:.0f}%."
        )
    if other == system.rows:
        raise OutscoreError(
            f"{system.label} ends where {gold.place(row)}, goes on with `{_tokens(gold)[row]}`.",
            "The system's output is incomplete: run the system on the whole text.",
        )
    if row == gold.rows:
        raise OutscoreError(
            f"{system.place(other)}: found `{_tokens(system)[other]}` where the text of {gold.label} has ended.", hint
        )
    raise OutscoreError(
        f"{system.place(other)}: found `{_tokens(system)[other]}`, expected `{_tokens(gold)[row]}` as in {gold.place(row)}.",
        hint,
    )


def _regions(gold: Words, system: Words) -> Array:
    """(k, 2) spans covered by multi-word tokens of either side, with overlapping ones joined."""
    spans = [np.column_stack((w.starts[w.multiword], w.ends[w.multiword])) for w in (gold, system)]
    both = np.unique(np.concatenate(spans), axis=0)
    if not len(both):
        return both
    reach = np.maximum.accumulate(both[:, 1])
    first = np.r_[True, both[1:, 0] >= reach[:-1]]
    return np.column_stack((both[first, 0], np.maximum.reduceat(both[:, 1], np.flatnonzero(first))))


def _inside(words: Words, regions: Array) -> Array:
    """The region that contains each word, -1 for none."""
    if not len(regions):
        return np.full(words.rows, -1)
    near = np.searchsorted(regions[:, 0], words.starts, side="right") - 1
    return np.where((near >= 0) & (words.ends <= regions[near, 1]), near, -1)


def _match_spans(rows: Array, gold: Words, system: Words, free: Array, free_system: Array) -> None:
    """Align words outside multi-word tokens that cover the same characters."""
    size = int(gold.ends[-1]) + 1
    ours, theirs = np.flatnonzero(free), np.flatnonzero(free_system)
    if not len(theirs):
        return
    keys, others = (w.starts[at].astype(np.int64) * size + w.ends[at] for w, at in ((gold, ours), (system, theirs)))
    near = np.minimum(np.searchsorted(others, keys), len(others) - 1)
    same = others[near] == keys
    rows[ours[same]] = theirs[near[same]]


def _runs(inside: Array, regions: int) -> Iterator[tuple[int, int]]:
    """First and last row (exclusive) of the words in each region, which are consecutive."""
    held = np.flatnonzero(inside >= 0)
    bounds = np.searchsorted(inside[held], np.arange(regions + 1))
    for low, high in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        yield (int(held[low]), int(held[high - 1]) + 1) if high > low else (0, 0)


def common_subsequence(a: Sequence[object], b: Sequence[object]) -> list[tuple[int, int]]:
    """Index pairs of a longest common subsequence.

    Examples
    --------
    >>> common_subsequence([1, 2, 3], [2, 9, 3])
    [(1, 0), (2, 2)]
    """
    if a == b:
        return [(i, i) for i in range(len(a))]
    longest = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            longest[i][j] = longest[i + 1][j + 1] + 1 if a[i] == b[j] else max(longest[i + 1][j], longest[i][j + 1])
    pairs, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i][j] == longest[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


# A system whose text is not quite gold's: missing sentences, unknown words, altered characters, brackets spelt out.
#
# Sentences of the same text are aligned by their characters (`alignment`). Between them sentences are paired by their ids,
# and words by the longest common subsequence of their forms. A word of gold without a counterpart is unaligned, as where a
# system cuts the text differently. Where more than a tenth of gold's words would be, the file is another text and is
# refused.


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
    for tag, *sentences in SequenceMatcher(None, ours[0], theirs[0], autojunk=False).get_opcodes():
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


_Sentences = tuple[list[str], list[int]]
"""The texts of a file's sentences without white space, and the rows at which they begin, with the end behind."""


def _sentences(words: Words) -> _Sentences:
    text = text_of(words)
    bounds = words.sentence_bounds
    begins, ends = words.starts[bounds[:-1]].tolist(), words.ends[bounds[1:] - 1].tolist()
    return [text[i:j] for i, j in zip(begins, ends, strict=True)], bounds.tolist()


def _rows_of(ours: _Sentences, theirs: _Sentences, sentences: Sequence[int]) -> Gap:
    first, last, begin, end = sentences
    return ours[1][first], ours[1][last], theirs[1][begin], theirs[1][end]


def _part(words: Words, first: int, last: int) -> Words:
    """Some consecutive words, as a text of their own."""
    tokens = {name: labels for name, labels in words.columns.items() if name == "token"}
    part, begin = replace(words, columns=tokens, heads=None).take(slice(first, last)), words.starts[first]
    return replace(part, starts=part.starts - begin, ends=part.ends - begin)


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
