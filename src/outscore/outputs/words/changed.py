"""Words and entities that some system has wrong, in their sentences."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from outscore.core.numeric import Array
from outscore.outputs.changed import Changed, Contexts, changed_units
from outscore.outputs.model import Units, Words

OUTSIDE = -2
"""The code of a head that is not in this sentence."""


def sentence_bounds(words: Words) -> Array:
    """The first rows of sentences, and the number of rows at the end."""
    return np.flatnonzero(np.diff(words.sentences, prepend=-1, append=-1))


def sentence_contexts(words: Words) -> Contexts:
    """All sentences of a file, named with their document if there is one."""
    bounds = sentence_bounds(words).tolist()
    forms = [words.forms.names[code] for code in words.forms.codes.tolist()]
    ids = words.sentence_ids
    if words.documents is not None:
        ids = tuple(_with_document(words.documents[i], name) for i, name in enumerate(ids))
    heads = None
    if words.heads is not None:
        inside = heads_in_sentences(words.heads[:, None], words.sentences, sentence_bounds(words))[:, 0].tolist()
        heads = tuple(tuple(inside[low:high]) for low, high in pairwise(bounds))
    texts = tuple(tuple(forms[low:high]) for low, high in pairwise(bounds))
    return Contexts(ids, texts, heads=heads, documents=words.documents)


def heads_in_sentences(heads: Array, sentences: Array, bounds: Array) -> Array:
    """(n, k) heads of n words as indices within their sentence: -1 for the root, `OUTSIDE` for another sentence."""
    first, last = bounds[sentences, None], bounds[sentences + 1, None]
    return np.where(heads == -1, -1, np.where((heads >= first) & (heads < last), heads - first, OUTSIDE))


def _with_document(document: str, name: str) -> str:
    """The name of a sentence with that of its document, unless it begins with it.

    Examples
    --------
    >>> _with_document("weblog-7", "weblog-7-0001"), _with_document("1", "12")
    ('weblog-7-0001', '1, sentence 12')
    """
    begins = name.startswith(document) and not name[len(document) :][:1].isalnum()
    return name if begins or not document else f"{document}, sentence {name}"


def changed_words(units: Units, gold: Words) -> Changed:
    """Words that some system has wrong; for trees with the heads in gold and systems."""
    chosen = units.take(changed_units(units))
    assert chosen.rows is not None
    sentences = gold.sentences[chosen.rows]
    bounds = sentence_bounds(gold)
    places = chosen.rows - bounds[sentences]
    heads = None
    if chosen.heads is not None:
        assert gold.heads is not None
        heads = heads_in_sentences(np.column_stack([gold.heads[chosen.rows], chosen.heads]), sentences, bounds)
    return Changed(chosen, sentences, places, places + 1, heads)


def changed_spans(units: Units, gold: Words, spans: Array) -> Changed:
    """Spans that some system has wrong, and the others of their sentences; `spans` are rows of gold, the last exclusive."""
    sentences = gold.sentences[spans[:, 0]]
    bounds = sentence_bounds(gold)
    first, last = spans.T
    starts = first - bounds[sentences]
    ends = np.minimum(np.maximum(last, first + 1), bounds[sentences + 1]) - bounds[sentences]
    rows = changed_units(units)
    right = units.correct.all(axis=1) & np.isin(sentences, sentences[rows])
    settled = np.column_stack([sentences, starts, ends, units.gold])[right]
    return Changed(units.take(rows), sentences[rows], starts[rows], ends[rows], settled=settled)
