"""One table of mentions for gold and all systems: a row per (document, first token, last token), a column of chains per file.

Every measure of coreference compares two columns: gold and a system, or two systems, to measure how far they
agree. Rows are in text order: by first token and, if two begin together, the longer first, which is the order in
which brackets open.

A mention is nominal if it has more than one token or its only token is a noun (Tuggener, 2017); others are personal or
possessive pronouns by their tag. Tags are always those of the gold file: with its own tags a system could choose what it is
judged on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.coref.documents import document_of_tokens, match_documents
from outscore.outputs.model import Chains, Words
from outscore.scores.system import Labels

__all__ = [
    "MENTION_TYPES",
    "NOUN",
    "NO_CHAIN",
    "PRONOUNS",
    "WITHOUT_TAGS",
    "Kinds",
    "MentionType",
    "Mentions",
    "align_mentions",
    "first_of_mention",
    "kinds_of",
    "mention_type",
]

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
NO_CHAIN = -1
"""The chain of a mention in a file that does not have it."""

WITHOUT_TAGS = "The gold file has no part-of-speech tags, so no mention of a single token counts as nominal."


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


@dataclass(frozen=True, eq=False)
class Mentions:
    """The distinct mentions of several files in the order of the text.

    Parameters
    ----------
    files
        The names of the files, gold first.
    documents
        The document of each mention; its names are all documents in gold's order, including those without
        mentions.
    starts, ends
        First and last token within the document.
    chains
        (n, files) the chain of each mention in each file, -1 if the file does not have the mention.
    types, nominal
        The kind of each mention by gold's tags, and whether it is nominal.
    tokens
        The row of the first token in `words`, -1 without words.
    words
        The gold file's words.
    notes
        What a report should say about the numbers.
    groups
        What is swapped as one, where that is not the document.
    """

    files: tuple[str, ...]
    documents: Labels
    starts: Array
    ends: Array
    chains: Array
    types: Labels
    nominal: Array
    tokens: Array
    words: Words | None = None
    notes: tuple[str, ...] = ()
    groups: Labels | None = None

    @property
    def clusters(self) -> Labels:
        """What is swapped as one: topics or sentences where these were chosen, otherwise documents."""
        return self.documents if self.groups is None else self.groups

    @property
    def n(self) -> int:
        """The number of mentions."""
        return len(self.starts)


def align_mentions(gold: Chains, systems: Sequence[Chains], *, kind: MentionType = mention_type) -> Mentions:
    """Match the mentions of gold and systems, and documents by name.

    Parameters
    ----------
    gold, systems
        Files of the same documents with the same tokens; others are refused with the first difference.
    kind
        The kind of a mention, from its number of tokens and its tag; ``"noun"`` is nominal.

    Examples
    --------
    >>> gold = Chains.of("gold", [("d1", 0, 1, "a"), ("d1", 4, 4, "a")])
    >>> table = align_mentions(gold, [Chains.of("system", [("d1", 0, 1, "x"), ("d1", 3, 4, "x")])])
    >>> table.starts.tolist(), table.ends.tolist(), table.chains.tolist()
    ([0, 3, 4], [1, 4, 4], [[0, 0], [-1, 0], [0, -1]])
    """
    files = [gold, *systems]
    names = gold.documents.names
    if not gold.rows:
        raise OutscoreError(
            f"{gold.label} has no mention in any chain: there is nothing to score against.",
            "Give the gold file with its coreference column filled in.",
        )
    documents = np.concatenate([match_documents(gold, file)[file.documents.codes] for file in files])
    for file in files:
        _refuse_repeats(file)
    starts, ends = (np.concatenate(parts) for parts in ([f.starts for f in files], [f.ends for f in files]))
    keys = _keys(documents, starts, ends)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    chains = np.full((len(first), len(files)), NO_CHAIN, dtype=np.int64)
    bounds = np.cumsum([0, *(file.rows for file in files)])
    for column, (file, low, high) in enumerate(zip(files, bounds, bounds[1:], strict=False)):
        chains[place[low:high], column] = _chain_codes(documents[low:high], file.chains)
    spans = (documents[first], starts[first], ends[first])
    kinds = kinds_of(gold.words, names, spans, kind)
    return Mentions(
        tuple(file.name for file in files),
        Labels(spans[0], names),
        spans[1],
        spans[2],
        chains,
        kinds.types,
        kinds.nominal,
        kinds.tokens,
        gold.words,
        () if gold.words is not None and "pos" in gold.words.columns else (WITHOUT_TAGS,),
    )


def first_of_mention(chains: Chains) -> Array:
    """For each mention the first row with the same document and tokens, which is its own unless the file repeats it."""
    keys = _keys(chains.documents.codes, chains.starts, chains.ends)
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return np.asarray(first[place])


def _keys(documents: Array, starts: Array, ends: Array) -> Array:
    """One integer per mention, in text order."""
    width = int(ends.max(initial=0)) + 1
    return np.asarray((documents.astype(np.int64) * width + starts) * width + (width - 1 - ends))


def _chain_codes(documents: Array, chains: Array) -> Array:
    """Codes 0..k-1; the same code in two documents is two chains."""
    names = chains - chains.min(initial=0)
    return np.unique(documents * (int(names.max(initial=0)) + 1) + names, return_inverse=True)[1]


def _refuse_repeats(chains: Chains) -> None:
    repeated = first_of_mention(chains) != np.arange(chains.rows)
    if repeated.any():
        row = int(repeated.argmax())
        raise OutscoreError(
            f"{chains.label}: tokens {int(chains.starts[row])} to {int(chains.ends[row])} of document "
            f"`{chains.documents[row]}` are listed as a mention twice.",
            "Keep each mention once, in one chain.",
        )
