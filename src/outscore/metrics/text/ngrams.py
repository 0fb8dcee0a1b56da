"""Which n-grams of a text its references have, for all segments at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from outscore.core.numeric import Array

__all__ = ["clipped_matches"]


def clipped_matches(
    hypotheses: Sequence[Sequence[Hashable]], references: Sequence[Sequence[Sequence[Hashable]]], order: int
) -> Array:
    """N-grams of each segment that a reference has, by n: each at most as often as the reference that has most of it.

    Papineni et al. (2002), section 2.1. A word becomes the number of its kind, a kind being a word of one segment. An n-gram
    is a pair of an (n - 1)-gram and the word after it, and pairs are numbered by kinds in turn.

    Examples
    --------
    >>> clipped_matches(["the the cat".split()], [["the cat".split()], ["a cat".split()]], 2)
    array([[2, 1]])
    """
    lines = [*hypotheses, *(line for lines in references for line in lines)]
    lengths = np.array([len(line) for line in lines])
    ends = lengths.cumsum().repeat(lengths)
    text, segment = np.divmod(np.arange(len(lines)).repeat(lengths), len(hypotheses))
    numbers: dict[Hashable, int] = {}
    words = np.array([numbers.setdefault(word, len(numbers)) for line in lines for word in line], dtype=np.int64)
    words = _kinds(segment * len(numbers) + words)
    starts, kinds = np.arange(len(words)), words
    found = np.zeros((len(hypotheses), order), dtype=np.int64)
    for n in range(1, order + 1):
        if n > 1:
            fits = starts + n <= ends[starts]
            starts = starts[fits]
            kinds = _kinds(kinds[fits] * len(words) + words[starts + n - 1])
        if not len(starts):
            break
        found[:, n - 1] = _clipped(kinds, text[starts], segment[starts], found.shape[0], 1 + len(references))
    return found


def _kinds(codes: Array) -> Array:
    """Codes numbered from 0 without gaps."""
    return np.unique(codes, return_inverse=True)[1]


def _clipped(kinds: Array, text: Array, segment: Array, segments: int, texts: int) -> Array:
    """By segment, what the first text has of all kinds, each at most as often as the one of the others that has most."""
    size = int(kinds.max()) + 1
    counts = np.bincount(text * size + kinds, minlength=texts * size).reshape(texts, size)
    where = np.zeros(size, dtype=np.int64)
    where[kinds] = segment
    matched = np.minimum(counts[0], counts[1:].max(axis=0))
    return np.bincount(where, weights=matched, minlength=segments).astype(np.int64)
