"""Which n-grams of a text its references have, for all segments at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from outscore.core.numeric import Array


def matched_words(
    hypotheses: Sequence[Sequence[Hashable]], references: Sequence[Sequence[Sequence[Hashable]]], order: int
) -> Array:
    """N-grams of each segment that a reference has, by n: each at most as often as the reference that has most of it.

    Papineni et al. (2002), section 2.1.

    Examples
    --------
    >>> matched_words(["the the cat".split()], [["the cat".split()], ["a cat".split()]], 2)
    array([[2, 1]])
    """
    lines = [*hypotheses, *(line for lines in references for line in lines)]
    numbers: dict[Hashable, int] = {}
    words = np.array([numbers.setdefault(word, len(numbers)) for line in lines for word in line], dtype=np.int64)
    return _matched(words, np.array([len(line) for line in lines]), len(hypotheses), order)


def matched_characters(hypotheses: Sequence[str], references: Sequence[Sequence[str]], order: int) -> Array:
    """The same of characters.

    Examples
    --------
    >>> matched_characters(["abba", "x"], [["abb", "y"]], 3)
    array([[3, 2, 1],
           [0, 0, 0]])
    """
    lines = [*hypotheses, *(line for lines in references for line in lines)]
    # Four bytes each, whatever the character.
    characters = np.frombuffer("".join(lines).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
    return _matched(characters, np.array([len(line) for line in lines]), len(hypotheses), order)


def _matched(words: Array, lengths: Array, segments: int, order: int) -> Array:
    """Matches of words that are whole numbers, line after line: the hypotheses of all segments, then a reference of each, ….

    A word becomes the number of its kind, a kind being a word of one segment. An n-gram is a pair of an (n - 1)-gram and the
    word after it, and pairs are numbered by kinds in turn. An n-gram matches only where the (n - 1)-gram that it begins with
    does, so the others are left out.
    """
    texts = len(lengths) // segments
    ends = lengths.cumsum().repeat(lengths)
    text, segment = np.divmod(np.arange(len(lengths)).repeat(lengths), segments)
    words = _kinds(segment * (words.max(initial=0) + 1) + words)
    starts, kinds = np.arange(len(words)), words
    matched = np.zeros((segments, order), dtype=np.int64)
    for n in range(1, order + 1):
        if n > 1:
            fits = starts + n <= ends[starts]
            starts = starts[fits]
            kinds = _kinds(kinds[fits] * len(words) + words[starts + n - 1])
        if not len(starts):
            break
        size = int(kinds.max()) + 1
        counts = np.bincount(text[starts] * size + kinds, minlength=texts * size).reshape(texts, size)
        matches = np.minimum(counts[0], counts[1:].max(axis=0))
        where = np.zeros(size, dtype=np.int64)
        where[kinds] = segment[starts]
        matched[:, n - 1] = np.bincount(where, weights=matches, minlength=segments)
        met = matches[kinds] > 0
        starts, kinds = starts[met], kinds[met]
    return matched


def _kinds(codes: Array) -> Array:
    """Codes numbered from 0 without gaps."""
    return np.unique(codes, return_inverse=True)[1]
