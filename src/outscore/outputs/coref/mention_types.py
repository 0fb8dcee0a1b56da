"""Kinds of mentions, by length and part-of-speech tag: nouns, personal pronouns, possessive pronouns and others.

A mention is nominal if it has more than one token or its only token is a noun (Tuggener, 2017). Tags are
always those of the gold file: with its own tags a system could choose what it is judged on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.coref.documents import document_of_tokens
from outscore.outputs.model import Words
from outscore.scores.system import Labels

__all__ = ["MENTION_TYPES", "NOUN", "PRONOUNS", "Kinds", "MentionType", "kinds_of", "mention_type"]

MENTION_TYPES = ("noun", "personal pronoun", "possessive pronoun", "other")
NOUN, PERSONAL, POSSESSIVE, OTHER = MENTION_TYPES
PRONOUNS = (PERSONAL, POSSESSIVE)

MentionType = Callable[[int, str | None], str]
"""From the number of tokens and the tag of a single token (None for longer mentions, or without tags) to the kind."""

# Penn, Universal and STTS tags, and those of the Chinese treebank.
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "NOUN", "PROPN", "NE", "NR", "NT"})
# UPOS and the Chinese treebank do not distinguish possessive pronouns: theirs count as personal.
_PERSONAL = frozenset({"PRP", "PPER", "PRON", "PN"})
_POSSESSIVE = frozenset({"PRP$", "PPOSAT", "PPOSS"})


def mention_type(tokens: int, tag: str | None) -> str:
    """The kind of a mention, one of `MENTION_TYPES`.

    Examples
    --------
    >>> mention_type(3, None), mention_type(1, "NNP"), mention_type(1, "PRP$"), mention_type(1, "VBD"), mention_type(1, None)
    ('noun', 'noun', 'possessive pronoun', 'other', 'other')
    """
    if tokens > 1 or tag in _NOUNS:
        return NOUN
    if tag in _PERSONAL:
        return PERSONAL
    return POSSESSIVE if tag in _POSSESSIVE else OTHER


@dataclass(frozen=True, eq=False)
class Kinds:
    """The kind of each mention, whether it is nominal, and the row of its first token in the gold file (-1 without words)."""

    types: Labels
    nominal: Array
    tokens: Array


def kinds_of(words: Words | None, names: tuple[str, ...], mentions: tuple[Array, Array, Array], kind: MentionType) -> Kinds:
    """Kinds of mentions given as documents (codes of `names`), first and last tokens, by the gold file's words."""
    documents, starts, ends = mentions
    lengths = ends - starts + 1
    tags = None if words is None else words.columns.get("pos")
    tokens = np.full(len(starts), -1, dtype=np.int64)
    if words is not None:
        tokens = _first_tokens(words, names)[documents] + starts
    # The kind depends on the tag of a single token, otherwise on the length: `kind` is called once per
    # distinct case.
    case = -lengths if tags is None else np.where(lengths > 1, -lengths, tags.codes[tokens])
    distinct, place = np.unique(case, return_inverse=True)
    answers = [kind(-x, None) if x < 0 or tags is None else kind(1, tags.names[x]) for x in distinct.tolist()]
    known = tuple(dict.fromkeys((*MENTION_TYPES, *answers)))
    codes = np.array([known.index(answer) for answer in answers], dtype=np.int64)[place]
    return Kinds(Labels(codes, known), codes == known.index(NOUN), tokens)


def _first_tokens(words: Words, names: tuple[str, ...]) -> Array:
    """The row of each document's first token; the tokens of a document are consecutive."""
    of_tokens = document_of_tokens(words, names)
    first = np.zeros(len(names), dtype=np.int64)
    first[of_tokens[::-1]] = np.arange(words.rows)[::-1]
    return first
