"""CLAS, MLAS and BLEX: trees judged by their content words alone, with features or lemmas (Zeman et al., 2018, section 5).

    CLAS  head and relation of words whose relation is a content relation
    MLAS  head, relation, UPOS and universal features of these, and the same of their functional children
    BLEX  head, relation and lemma of these; a lemma that gold leaves out is right

Their gold words are those with a content relation in gold, their system words those with one in the system.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

import numpy as np

from outscore.core.numeric import Array
from outscore.outputs.model import Words
from outscore.scores.system import Labels

CONTENT = ("clas", "mlas", "blex")
CONTENT_RELATIONS = frozenset(
    {"nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod"}
    | {"discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis"}
    | {"orphan", "goeswith", "reparandum", "root", "dep"}
)
FUNCTIONAL_RELATIONS = frozenset({"aux", "cop", "mark", "det", "clf", "case", "cc"})
UNIVERSAL = frozenset(
    {"PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite", "Degree"}
    | {"VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite"}
)
NO_LEMMA = "_"


def universal_features(features: str) -> str:
    """The features that all languages share, in alphabetical order.

    Examples
    --------
    >>> universal_features("VerbForm=Fin|Style=Slng|Mood=Ind")
    'Mood=Ind|VerbForm=Fin'
    """
    return "|".join(sorted(part for part in features.split("|") if part.split("=", 1)[0] in UNIVERSAL))


def content_mask(relations: Labels) -> Array:
    """Which words have a content relation."""
    return _mask(relations, CONTENT_RELATIONS)


def _mask(relations: Labels, wanted: frozenset[str]) -> Array:
    return np.array([_strip(name) in wanted for name in relations.names], dtype=bool)[relations.codes]


def further_answers(gold: Words, system: Words, aligned: Array, criterion: str) -> tuple[Array, Array] | None:
    """What MLAS or BLEX ask for beside head and relation: a code of the answer to each word of gold, and whether it is right.

    Codes are 64 bits of a hash, equal for equal answers of any system. None for criteria that ask for nothing
    more. Words without a counterpart are wrong.
    """
    if criterion == "blex":
        return _lemmas(gold, system, aligned)
    return _morphology(gold, system, aligned) if criterion == "mlas" else None


def _lemmas(gold: Words, system: Words, aligned: Array) -> tuple[Array, Array]:
    right, answer = _codes(gold.columns["lemma"]), _codes(system.columns["lemma"])[aligned]
    free = _is(gold.columns["lemma"], NO_LEMMA)
    return np.where(free, right, answer), (aligned >= 0) & (free | (answer == right))


def _morphology(gold: Words, system: Words, aligned: Array) -> tuple[Array, Array]:
    """UPOS, universal features and functional children."""
    ours, theirs = _tags(gold), _tags(system)
    place = np.full(system.rows, -1, dtype=np.int64)
    matched = np.flatnonzero(aligned >= 0)
    place[aligned[matched]] = matched
    wanted, answer = ours + _children(gold, np.arange(gold.rows), ours), (theirs + _children(system, place, theirs))[aligned]
    return answer, (aligned >= 0) & (answer == wanted)


def _tags(words: Words) -> Array:
    """A code for UPOS with universal features."""
    return _mixed(_codes(words.columns["upos"]) + 3 * _codes(words.columns["feats"], universal_features))


def _children(words: Words, place: Array, tags: Array) -> Array:
    """A code for the functional children of each word: which words of gold they are (`place`), with relation and tags.

    Children without a counterpart have a place that no word of gold has, so no answer with one is right.
    """
    assert words.heads is not None
    relations = words.columns["deprel"]
    child = np.flatnonzero(_mask(relations, FUNCTIONAL_RELATIONS) & (words.heads >= 0))
    where = np.where(place[child] >= 0, place[child], -2 - words.starts[child])
    codes = _mixed(where.astype(np.int64) + 3 * _codes(relations, _strip)[child] + 5 * tags[child])
    total = np.zeros(words.rows, dtype=np.int64)
    np.add.at(total, words.heads[child], codes)
    return total


def _codes(labels: Labels, clean: Callable[[str], str] = str) -> Array:
    """A 64-bit code for each label that depends on its text alone, so that files can be compared by it."""
    digests = b"".join(blake2b(clean(name).encode(), digest_size=8).digest() for name in labels.names)
    return np.frombuffer(digests, dtype="<i8")[labels.codes]


def _mixed(codes: Array) -> Array:
    """The codes, spread so that sums of them tell which were added (Steele, Lea and Flood, 2014, SplitMix64)."""
    mixed = codes.astype(np.uint64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))).astype(np.int64)


def _is(labels: Labels, wanted: str) -> Array:
    return np.array([name == wanted for name in labels.names], dtype=bool)[labels.codes]


def _strip(relation: str) -> str:
    return relation.partition(":")[0]
