"""Documents of gold and system, matched by name and checked for equal tokens.

Mentions are token numbers, so a document must have the same tokens in both files. Some words may be spelt
differently (``-LRB-`` for a bracket); a document in which most words differ, or in which the differing words
are the same ones in another order, is another text or a shuffled one and is refused.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.outputs.model import Chains, Words

NO_WORD = "_"
"""The word of every token in a file without words."""
DOCUMENT_ID = "document id"
"""The column of words that says which document a token belongs to, where one document of the file holds several."""

_SAME_TOKENS = "Mentions are token numbers: give files of the same tokens in the same order."


def match_documents(gold: Chains, system: Chains) -> Array:
    """Gold's code of each of the system's documents.

    Examples
    --------
    >>> gold, new = ([(name, 0, 0, "a") for name in names] for names in (["d1", "d2"], ["d2", "d1"]))
    >>> match_documents(Chains.of("gold", gold), Chains.of("new", new)).tolist()
    [1, 0]
    """
    wanted, present = gold.documents.names, system.documents.names
    for has, lacks in ((gold, system), (system, gold)):
        absent = set(has.documents.names).difference(lacks.documents.names)
        if absent:
            name = next(name for name in has.documents.names if name in absent)
            raise OutscoreError(
                f"{lacks.label} has no document `{name}`, which {has.label} has "
                f"({len(absent):,} of {len(has.documents.names):,} are missing).",
                "Give gold and systems the same documents, with names and parts written the same way.",
            )
    if gold.words is not None and system.words is not None:
        _refuse_other_tokens(gold, system, gold.words, system.words)
    known = {name: code for code, name in enumerate(wanted)}
    return np.array([known[name] for name in present], dtype=np.int64)


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
            f"Document `{names[at]}` has {other_sizes[at]:,} tokens in {system.label} and {sizes[at]:,} in "
            f"{gold.label}{_first_difference(ours, theirs, *rows)}.",
            _SAME_TOKENS,
        )
    # The tokens of both files in gold's order of documents.
    rows = np.argsort(documents, kind="stable"), np.argsort(others, kind="stable")
    differ = np.flatnonzero(_differing_mask(ours, theirs, *rows))
    for at in np.unique(documents[rows[0]][differ]).tolist():
        here = differ[documents[rows[0]][differ] == at]
        if _is_other_text([ours.forms[i] for i in rows[0][here]], [theirs.forms[i] for i in rows[1][here]], int(sizes[at])):
            raise OutscoreError(
                f"Document `{names[at]}` has different words in {system.label} and in {gold.label}"
                f"{_first_difference(ours, theirs, rows[0][here], rows[1][here])}.",
                _SAME_TOKENS,
            )


def _is_other_text(ours: list[str], theirs: list[str], size: int) -> bool:
    """Whether the differing words of a document of `size` tokens differ in more than their spelling."""
    elsewhere = (Counter(ours) & Counter(theirs)).total()
    return 2 * len(ours) > size or 2 * elsewhere >= len(ours)


def _differing_mask(ours: Words, theirs: Words, rows: Array, other_rows: Array) -> Array:
    """Mask of the tokens that are spelt differently; all False for files without words."""
    if (NO_WORD,) in {ours.forms.names, theirs.forms.names}:
        return np.zeros(min(len(rows), len(other_rows)), dtype=bool)
    known = {form: code for code, form in enumerate(ours.forms.names)}
    translate = np.array([known.get(form, -1) for form in theirs.forms.names], dtype=np.int64)
    size = min(len(rows), len(other_rows))
    return np.asarray(ours.forms.codes[rows[:size]] != translate[theirs.forms.codes[other_rows[:size]]])


def _first_difference(ours: Words, theirs: Words, rows: Array, other_rows: Array) -> str:
    """The first of these tokens that differs, for a message; empty if there is none."""
    differ = _differing_mask(ours, theirs, rows, other_rows)
    if not differ.any():
        return ""
    at = int(differ.argmax())
    line = "" if theirs.lines is None else f"on line {int(theirs.lines[other_rows[at]])} "
    return f"; the first difference is `{theirs.forms[other_rows[at]]}` {line}where gold has `{ours.forms[rows[at]]}`"
