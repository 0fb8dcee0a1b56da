"""One table of mentions for gold and all systems: a row per mention, a column of chains per file.

Every measure of coreference compares two columns: gold and a system, or two systems, to measure how far they
agree. Rows are in text order: by first token and, if two begin together, the longer first, which is the order in
which brackets open. Mentions are the same if they have the same document, first and last token; where a file has mentions of
another kind, `matching` says which of a system's is which of gold's.

A mention of empty nodes alone is a zero. Another one is nominal if it has more than one token or its only token is a noun
(Tuggener, 2017); the rest are personal or possessive pronouns by their tag. Tags are always those of the gold file: with its
own tags a system could choose what it is judged on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.coref.documents import document_of_tokens, match_documents
from outscore.outputs.coref.matching import EXACT, HEAD, NO_MATCH, match_mentions, nodes_of, refuse_headless
from outscore.outputs.model import Chains, Words
from outscore.outputs.nodes import is_word, word_before, word_of
from outscore.scores.system import Labels

MENTION_TYPES = ("noun", "personal pronoun", "possessive pronoun", "other")
NOUN, PERSONAL, POSSESSIVE, OTHER = MENTION_TYPES
ZERO = "zero"
"""The kind of a mention without a word, in files that have such."""
PRONOUNS = (PERSONAL, POSSESSIVE)

MentionType = Callable[[int, str | None], str]
"""From the number of tokens and the tag of a single token (None for other mentions, or without tags) to the kind."""

# Penn, Universal and STTS tags, and those of the Chinese treebank.
_NOUNS = frozenset({"NN", "NNS", "NNP", "NNPS", "NOUN", "PROPN", "NE", "NR", "NT"})
# UPOS and the Chinese treebank do not distinguish possessive pronouns: theirs count as personal.
_PERSONAL = frozenset({"PRP", "PPER", "PRON", "PN"})
_POSSESSIVE = frozenset({"PRP$", "PPOSAT", "PPOSS"})
NO_CHAIN = -1
"""The chain of a mention in a file that does not have it."""

WITHOUT_TAGS = "The gold file has no part-of-speech tags, so no mention of a single token counts as nominal."


def mention_type(tokens: int, tag: str | None) -> str:
    """The kind of a mention, one of `MENTION_TYPES` or `ZERO`.

    Examples
    --------
    >>> mention_type(3, None), mention_type(1, "NNP"), mention_type(1, "PRP$"), mention_type(1, "VBD"), mention_type(1, None)
    ('noun', 'noun', 'possessive pronoun', 'other', 'other')
    """
    if not tokens:
        return ZERO
    if tokens > 1 or tag in _NOUNS:
        return NOUN
    if tag in _PERSONAL:
        return PERSONAL
    return POSSESSIVE if tag in _POSSESSIVE else OTHER


@dataclass(frozen=True, eq=False)
class Kinds:
    """The kind of each mention, and whether it is nominal."""

    types: Labels
    nominal: Array


def kinds_of(tags: Labels | None, sizes: Array, tokens: Array, kind: MentionType) -> Kinds:
    """Kinds of mentions of `sizes` words, by the tags of the gold file at their first `tokens`."""
    # The kind depends on the tag of a single token, otherwise on the size: `kind` is called once per distinct case.
    case = -1 - sizes if tags is None else np.where(sizes == 1, tags.codes[tokens], -1 - sizes)
    distinct, place = np.unique(case, return_inverse=True)
    answers = [kind(-1 - x, None) if x < 0 or tags is None else kind(1, tags.names[x]) for x in distinct.tolist()]
    known = tuple(dict.fromkeys((*MENTION_TYPES, *answers)))
    codes = np.array([known.index(answer) for answer in answers], dtype=np.int64)[place]
    return Kinds(Labels(codes, known), codes == known.index(NOUN))


def first_tokens(words: Words, names: tuple[str, ...]) -> Array:
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
        First and last token within the document; a zero starts before the token that follows it, and ends before it starts.
    chains
        (n, files) the chain of each mention in each file, -1 if the file does not have the mention.
    types, nominal
        The kind of each mention by gold's tags, and whether it is nominal.
    tokens
        The row of the first token in `words`, of a zero that of one beside it in its sentence, -1 without words.
    words
        The gold file's words.
    notes
        What a report should say about the numbers.
    groups
        What is swapped as one, where that is not the document.
    parts
        Of mentions that are not all words from first to last, by row: their words within the document.
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
    parts: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def clusters(self) -> Labels:
        """What is swapped as one: topics or sentences where these were chosen, otherwise documents."""
        return self.documents if self.groups is None else self.groups

    @property
    def n(self) -> int:
        """The number of mentions."""
        return len(self.starts)


def align_mentions(
    gold: Chains, systems: Sequence[Chains], *, kind: MentionType = mention_type, match: str = EXACT
) -> Mentions:
    """Match the mentions of gold and systems, and documents by name.

    Parameters
    ----------
    gold, systems
        Files of the same documents with the same tokens; others are refused with the first difference.
    kind
        The kind of a mention, from its number of tokens and its tag; ``"noun"`` is nominal.
    match
        One of `MATCHES`: which mention of a system is which of gold.

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
    documents = [match_documents(gold, file)[file.documents.codes] for file in files]
    for file in files:
        _refuse_repeats(file)
        if match == HEAD:
            refuse_headless(file)
    is_plain = match == EXACT and all(file.nodes is None for file in files)
    rows = _rows_of_runs(files, documents) if is_plain else _rows_of_nodes(files, documents, match)
    chains = np.full((len(rows.first), len(files)), NO_CHAIN, dtype=np.int64)
    bounds = np.cumsum([0, *(file.rows for file in files)])
    for column, (file, low, high) in enumerate(zip(files, bounds, bounds[1:], strict=False)):
        chains[rows.place[low:high], column] = _chain_codes(documents[column], file.chains)
    spans = [np.concatenate(parts)[rows.first] for parts in (documents, [f.starts for f in files], [f.ends for f in files])]
    tokens = np.full(len(rows.first), -1, dtype=np.int64)
    if gold.words is not None:
        tokens = first_tokens(gold.words, names)[spans[0]] + rows.anchors
    kinds = kinds_of(None if gold.words is None else gold.words.columns.get("pos"), rows.sizes, tokens, kind)
    return Mentions(
        tuple(file.name for file in files),
        Labels(spans[0], names),
        spans[1],
        spans[2],
        chains,
        kinds.types,
        kinds.nominal,
        tokens,
        gold.words,
        () if gold.words is not None and "pos" in gold.words.columns else (WITHOUT_TAGS,),
        parts=rows.parts,
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """Which row of the table each mention of all files is, and of each row one mention, its size and a word beside it."""

    place: Array
    first: Array
    sizes: Array
    anchors: Array
    parts: Mapping[int, tuple[int, ...]]


def _rows_of_runs(files: Sequence[Chains], documents: Sequence[Array]) -> _Rows:
    """Mentions that are runs of words are the same if these are."""
    starts, ends = (np.concatenate(parts) for parts in ([f.starts for f in files], [f.ends for f in files]))
    _, first, place = np.unique(_keys(np.concatenate(documents), starts, ends), return_index=True, return_inverse=True)
    return _Rows(place, first, (ends - starts + 1)[first], starts[first], {})


def _rows_of_nodes(files: Sequence[Chains], documents: Sequence[Array], match: str) -> _Rows:
    """Mentions of systems are those of gold that they match; others are the same if they are of the same nodes."""
    gold, *systems = (nodes_of(file) for file in files)
    found = [*range(len(gold.places))]
    seen: dict[tuple[int, tuple[int, ...]], int] = {}
    for system, own in zip(systems, documents[1:], strict=True):
        matched = match_mentions(gold, documents[0], system, own, match).tolist()
        for mine, document, nodes in zip(matched, own.tolist(), system.places, strict=True):
            found.append(mine if mine != NO_MATCH else seen.setdefault((document, nodes), len(gold.places) + len(seen)))
    _, first, place = np.unique(np.array(found, dtype=np.int64), return_index=True, return_inverse=True)
    places = [own for side in (gold, *systems) for own in side.places]
    keys = np.concatenate(documents)[first].tolist()
    order = sorted(range(len(first)), key=lambda row: (keys[row], places[first[row]][0], -places[first[row]][-1], row))
    first, place = first[order], np.argsort(order)[place]
    words = [tuple(word_of(node) for node in places[row] if is_word(node)) for row in first.tolist()]
    return _Rows(
        place,
        first,
        np.array([len(own) for own in words], dtype=np.int64),
        np.array([word_before(places[row][0]) if not own else own[0] for row, own in zip(first.tolist(), words, strict=True)]),
        {row: own for row, own in enumerate(words) if not own or len(own) <= own[-1] - own[0]},
    )


def first_of_mention(chains: Chains) -> Array:
    """For each mention the first row with the same document and tokens, which is its own unless the file repeats it."""
    if chains.nodes is not None:
        seen: dict[tuple[int, tuple[int, ...]], int] = {}
        keys = zip(chains.documents.codes.tolist(), chains.nodes.places, strict=True)
        return np.array([seen.setdefault(key, row) for row, key in enumerate(keys)], dtype=np.int64)
    _, first, place = np.unique(
        _keys(chains.documents.codes, chains.starts, chains.ends), return_index=True, return_inverse=True
    )
    return np.asarray(first[place])


def span_of(chains: Chains, row: int) -> str:
    """The tokens of a mention, for messages."""
    start, end = int(chains.starts[row]), int(chains.ends[row])
    return f"tokens {start} to {end}" if end >= start else f"an empty node before token {start}"


def without_singletons(chains: Chains) -> Chains:
    """Without the chains of one mention."""
    return chains.take(np.flatnonzero(np.bincount(chains.chains)[chains.chains] > 1))


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
            f"{chains.label}: {span_of(chains, row)} of document `{chains.documents[row]}` are listed as a mention twice.",
            "Keep each mention once, in one chain.",
        )
