"""Words of a system aligned with words of gold, by the characters they cover.

Tokens and sentences may be split differently; the text without white space must be the same. A word is
aligned with the word of the same characters. If either side has a multi-word token, the words inside are
aligned by the longest common subsequence of their forms, ignoring case (Zeman et al., 2018, CoNLL shared
task, section 5.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.outputs.model import Words
from outscore.scores.system import Labels


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
    forms_gold, forms_system = _fold_case(gold.forms, system.forms)
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
    known = {name: code for code, name in enumerate(a.names)}
    return np.array_equal(a.codes, np.array([known.get(name, -1) for name in b.names])[b.codes])


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


def _fold_case(a: Labels, b: Labels) -> tuple[Array, Array]:
    known: dict[str, int] = {}
    first, second = (
        np.array([known.setdefault(name.lower(), len(known)) for name in labels.names], dtype=np.int64)[labels.codes]
        for labels in (a, b)
    )
    return first, second


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
