"""Gold and system must hold the same documents of the same words before a mention of one can be compared with the other's.

Documents are matched by name, in any order. Mentions are token numbers, so a document has to have the same tokens in both
files. Words may be spelt differently here and there (``-LRB-`` for a bracket); a document in which most words differ, or in
which the differing words are the same ones at other places, is another text or a shuffled one, and never gets a score.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.outputs.model import Chains, Words

__all__ = ["NO_WORD", "chains_label", "document_of_tokens", "match_documents"]

NO_WORD = "_"
"""What a reader writes for the words of a file that has none."""

_SAME_TOKENS = "Mentions are token numbers: give files of the same tokens in the same order."


def match_documents(gold: Chains, system: Chains) -> Array:
    """Gold's code of each of the system's documents.

    Examples
    --------
    >>> from outscore.scores import Labels
    >>> def file(name, *documents):
    ...     rows = np.arange(len(documents))
    ...     return Chains(name, Labels.of(documents), rows, rows, rows)
    >>> match_documents(file("gold", "d1", "d2"), file("new", "d2", "d1")).tolist()
    [1, 0]
    """
    wanted, found = gold.documents.names, system.documents.names
    for has, lacks in ((gold, system), (system, gold)):
        absent = set(has.documents.names).difference(lacks.documents.names)
        if absent:
            name = next(name for name in has.documents.names if name in absent)
            raise OutscoreError(
                f"{chains_label(lacks)} has no document `{name}`, which {chains_label(has)} has "
                f"({len(absent):,} of {len(has.documents.names):,} are missing).",
                "Give gold and systems the same documents, with names and parts written alike.",
            )
    if gold.words is not None and system.words is not None:
        _refuse_other_tokens(gold, system, gold.words, system.words)
    known = {name: code for code, name in enumerate(wanted)}
    return np.array([known[name] for name in found], dtype=np.int64)


def chains_label(chains: Chains) -> str:
    """What messages call a file of chains."""
    return f"`{chains.name}`" if chains.origin is None else chains.origin.label


def document_of_tokens(words: Words, names: tuple[str, ...]) -> Array:
    """The document of each token, as a code of `names`."""
    assert words.documents is not None
    known = {name: code for code, name in enumerate(names)}
    codes = np.array([known[name] for name in words.documents.names], dtype=np.int64)
    return np.asarray(codes[words.documents.codes[words.sentences]])


def _refuse_other_tokens(gold: Chains, system: Chains, ours: Words, theirs: Words) -> None:
    names = gold.documents.names
    documents, others = document_of_tokens(ours, names), document_of_tokens(theirs, names)
    sizes, other_sizes = (np.bincount(x, minlength=len(names)) for x in (documents, others))
    unequal = np.flatnonzero(sizes != other_sizes)
    if len(unequal):
        at = int(unequal[0])
        rows = np.flatnonzero(documents == at), np.flatnonzero(others == at)
        raise OutscoreError(
            f"Document `{names[at]}` has {other_sizes[at]:,} tokens in {chains_label(system)} and {sizes[at]:,} in "
            f"{chains_label(gold)}{_where(ours, theirs, *rows)}.",
            _SAME_TOKENS,
        )
    # Both files' tokens in gold's order of documents.
    rows = np.argsort(documents, kind="stable"), np.argsort(others, kind="stable")
    differ = np.flatnonzero(_differing(ours, theirs, *rows))
    for at in np.unique(documents[rows[0]][differ]).tolist():
        here = differ[documents[rows[0]][differ] == at]
        if _is_other_text([ours.forms[i] for i in rows[0][here]], [theirs.forms[i] for i in rows[1][here]], int(sizes[at])):
            raise OutscoreError(
                f"Document `{names[at]}` holds other words in {chains_label(system)} than in {chains_label(gold)}"
                f"{_where(ours, theirs, rows[0][here], rows[1][here])}.",
                _SAME_TOKENS,
            )


def _is_other_text(ours: list[str], theirs: list[str], size: int) -> bool:
    """Whether words differ in more than their spelling; the lists hold the differing words of a document of `size` tokens."""
    elsewhere = (Counter(ours) & Counter(theirs)).total()
    return 2 * len(ours) > size or 2 * elsewhere >= len(ours)


def _differing(ours: Words, theirs: Words, rows: Array, other_rows: Array) -> Array:
    """Where these tokens are spelt differently; nowhere in files without words."""
    if (NO_WORD,) in {ours.forms.names, theirs.forms.names}:
        return np.zeros(min(len(rows), len(other_rows)), dtype=bool)
    known = {form: code for code, form in enumerate(ours.forms.names)}
    translate = np.array([known.get(form, -1) for form in theirs.forms.names], dtype=np.int64)
    size = min(len(rows), len(other_rows))
    return np.asarray(ours.forms.codes[rows[:size]] != translate[theirs.forms.codes[other_rows[:size]]])


def _where(ours: Words, theirs: Words, rows: Array, other_rows: Array) -> str:
    """The first of these tokens that differs, where the words are known."""
    differ = _differing(ours, theirs, rows, other_rows)
    if not differ.any():
        return ""
    at = int(differ.argmax())
    line = "" if theirs.lines is None else f"on line {int(theirs.lines[other_rows[at]])} "
    return f"; the first difference is `{theirs.forms[other_rows[at]]}` {line}where gold has `{ours.forms[rows[at]]}`"
