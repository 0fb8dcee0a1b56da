"""One table of mentions for gold and all systems: documents and mentions of a response matched with those of the key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TypeVar

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.model import NO_HEAD, Chains, Nodes, Words, codes_among, is_word, plain_nodes, word_before, word_of
from outscore.scores.system import Labels

# Documents of gold and system, matched by name and checked for equal tokens.
#
# Mentions are token numbers, so a document must have the same tokens in both files. Some words may be spelt differently
# (``-LRB-`` for a bracket); a document in which most words differ, or in which the differing words are the same ones in
# another order, is another text or a shuffled one and is refused.


NO_WORD = "_"
"""The word of every token in a file without words."""
DOCUMENT_ID = "document id"
"""The column of words that says which document a token belongs to, where one document of the file holds several."""

_SAME_TOKENS = "Mentions are token numbers: give files of the same tokens in the same order."


def match_documents(gold: Chains, system: Chains) -> Array:
    """Gold's code of the document of each of the system's mentions.

    Examples
    --------
    >>> gold, new = ([(name, 0, 0, "a") for name in names] for names in (["d1", "d2"], ["d2", "d1"]))
    >>> match_documents(Chains.of("gold", gold), Chains.of("new", new)).tolist()
    [1, 0]
    """
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
    return codes_among(system.documents, gold.documents.names)


def document_of_tokens(words: Words, names: Sequence[str]) -> Array:
    """The document of each token, as a code of `names`."""
    assert words.documents is not None
    return np.asarray(codes_among(words.documents, names)[words.sentences])


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
    size = min(len(rows), len(other_rows))
    return np.asarray(ours.forms.codes[rows[:size]] != codes_among(theirs.forms, ours.forms.names)[other_rows[:size]])


def _first_difference(ours: Words, theirs: Words, rows: Array, other_rows: Array) -> str:
    """The first of these tokens that differs, for a message; empty if there is none."""
    differ = _differing_mask(ours, theirs, rows, other_rows)
    if not differ.any():
        return ""
    at = int(differ.argmax())
    line = "" if theirs.lines is None else f"on line {int(theirs.lines[other_rows[at]])} "
    return f"; the first difference is `{theirs.forms[other_rows[at]]}` {line}where gold has `{ours.forms[rows[at]]}`"


# Which mention of a response is which mention of the key, where mentions are more than runs of words.
#
# Each is matched once, in this order:
#
# 1. Mentions whose head is an empty node, by the parents of that node in the enhanced graph, since gold and a system may put
#    the same unsaid word at different places: the matching of the largest 10 · F1 of parents with relations + F1 of parents.
# 2. Mentions of the same words and empty nodes; with `HEAD` their heads must be the same, too.
# 3. With `HEAD`, mentions with the same head, those first that share more of the key's mention.
#
# Of several matchings that are equally good, the one that scipy finds for all mentions of a document in the order of the
# text is taken, as by the official scorer.
#
# References ---------- Žabokrtský et al. (2023): Findings of the second shared task on multilingual coreference resolution.
# CRAC (head match). Novák et al. (2024): Findings of the third shared task on multilingual coreference resolution. CRAC
# (zeros).


EXACT, HEAD = MATCHES = ("exact", "head")
RELATION_WEIGHT = 10
NO_MATCH = -1
MAX_CELLS = 4_000_000
"""The largest table of scores that is solved as a whole."""

Node = TypeVar("Node")
Pair = tuple[int, int]


def nodes_of(chains: Chains) -> Nodes:
    """What the mentions of a file consist of."""
    return plain_nodes(chains.starts, chains.ends) if chains.nodes is None else chains.nodes


def refuse_headless(chains: Chains) -> None:
    """Refuse a file that does not name the heads of its mentions."""
    nodes = nodes_of(chains)
    if (nodes.heads == NO_HEAD).any():
        place = "" if chains.lines is None else f" on line {int(chains.lines[(nodes.heads == NO_HEAD).argmax()])}"
        raise OutscoreError(
            f"{chains.label} does not name the head of the mention{place or 's'}, by which --match head finds mentions.",
            "Give CorefUD files whose `# global.Entity` includes `head`, or leave --match out.",
            parameter="match",
        )


def match_mentions(key: Nodes, keys: Array, response: Nodes, responses: Array, match: str = EXACT) -> Array:
    """The mention of the key that each mention of the response is, -1 for none; `keys` and `responses` are their documents."""
    found = np.full(len(responses), NO_MATCH, dtype=np.int64)
    ours, theirs = _by_document(key, keys), _by_document(response, responses)
    for document, others in theirs.items():
        rows = ours.get(document, [])
        zeros = [row for row in rows if row in key.parents], [row for row in others if row in response.parents]
        pairs = _best_pairs(*zeros, _zero_scores(key, zeros[0], response, zeros[1]))
        pairs |= _equal_pairs(key, response, *_left(rows, others, pairs), with_heads=match == HEAD)
        if match == HEAD:
            left = _left(rows, others, pairs)
            pairs |= _best_pairs(*left, _head_scores(key, left[0], response, left[1]))
        for mine, their in pairs.items():
            found[their] = mine
    return found


def _by_document(nodes: Nodes, documents: Array) -> dict[int, list[int]]:
    """The rows of each document in the order of the text."""
    places = nodes.places
    rows: dict[int, list[int]] = {}
    for row in sorted(range(len(places)), key=lambda row: (places[row][0], places[row][-1], len(places[row]))):
        rows.setdefault(int(documents[row]), []).append(row)
    return rows


def _left(ours: list[int], theirs: list[int], pairs: Mapping[int, int]) -> tuple[list[int], list[int]]:
    """The rows that have no partner, of the key and of the response."""
    taken = {*pairs.values()}
    return [row for row in ours if row not in pairs], [row for row in theirs if row not in taken]


def _best_pairs(ours: list[int], theirs: list[int], scores: Mapping[Pair, float]) -> dict[int, int]:
    """The best one-to-one pairs."""
    if not scores:
        return {}
    i, j = ({row: place for place, row in enumerate(rows)} for rows in (ours, theirs))
    found = [*scores]
    left, right = np.array([i[mine] for mine, _ in found]), np.array([j[their] for _, their in found])
    chosen = best_matching(left, right, np.array([*scores.values()]), (len(ours), len(theirs)))
    return dict(found[pair] for pair in chosen.tolist())


def _equal_pairs(key: Nodes, response: Nodes, ours: list[int], theirs: list[int], *, with_heads: bool) -> dict[int, int]:
    """The mentions of the same nodes."""

    def identity(nodes: Nodes, row: int) -> tuple[tuple[int, ...], int]:
        return nodes.places[row], int(nodes.heads[row]) if with_heads else NO_HEAD

    known = {identity(key, row): row for row in ours}
    return {known[same]: row for row in theirs if (same := identity(response, row)) in known}


def _zero_scores(key: Nodes, ours: list[int], response: Nodes, theirs: list[int]) -> dict[Pair, float]:
    """How well the parents of empty heads agree, of those that share one."""
    by_parent: dict[int, list[int]] = {}
    for mine in ours:
        for parent in {parent for parent, _ in key.parents[mine]}:
            by_parent.setdefault(parent, []).append(mine)
    scores = {}
    for their in theirs:
        for parent in {parent for parent, _ in response.parents[their]}:
            for mine in by_parent.get(parent, []):
                scores[mine, their] = _agreement(key.parents[mine], response.parents[their])
    return scores


def _head_scores(key: Nodes, ours: list[int], response: Nodes, theirs: list[int]) -> dict[Pair, float]:
    """Which share of the key's mention is in the response's, of those with the same head."""
    by_head: dict[int, list[int]] = {}
    for mine in ours:
        by_head.setdefault(int(key.heads[mine]), []).append(mine)
    scores = {}
    for their in theirs:
        nodes = {*response.places[their]}
        for mine in by_head.get(int(response.heads[their]), []):
            scores[mine, their] = len(nodes.intersection(key.places[mine])) / len(key.places[mine])
    return scores


def _agreement(mine: frozenset[tuple[int, str]], theirs: frozenset[tuple[int, str]]) -> float:
    parents = frozenset(parent for parent, _ in mine), frozenset(parent for parent, _ in theirs)
    return RELATION_WEIGHT * _f1(mine, theirs) + _f1(*parents)


def _f1(mine: frozenset[Node], theirs: frozenset[Node]) -> float:
    return 2 * len(mine & theirs) / (len(mine) + len(theirs))


def best_matching(left: Array, right: Array, weights: Array, shape: tuple[int, int] | None = None) -> Array:
    """Which of the pairs of `left` and `right` make the one-to-one matching with the largest sum of weights.

    Rows that share a pair, directly or through others, are connected, and an optimal matching is optimal on each connected
    component. Most components are a single pair, so the assignment problems stay small even if one document is a whole book.
    With a `shape` of few cells, all rows and columns of it make one problem, which decides between equal sums as others do.

    Examples
    --------
    >>> best_matching(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([2.0, 3.0, 2.0])).tolist()
    [0, 2]
    """
    if not len(left):
        return np.zeros(0, dtype=np.int64)
    from scipy.optimize import linear_sum_assignment
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if shape is not None and shape[0] * shape[1] <= MAX_CELLS:
        whole = np.zeros(shape)
        whole[left, right] = weights
        joined = np.zeros(shape, dtype=bool)
        joined[linear_sum_assignment(whole, maximize=True)] = True
        return np.flatnonzero(joined[left, right])
    size = int(left.max()) + 1
    nodes = size + int(right.max()) + 1
    edges = coo_array((np.ones(len(left), dtype=np.int8), (left, right + size)), shape=(nodes, nodes))
    component = connected_components(edges, directed=False)[1][left]
    order = np.argsort(component, kind="stable")
    bounds = np.flatnonzero(np.diff(component[order], prepend=-1, append=-1))
    alone = np.diff(bounds) == 1
    chosen = [order[bounds[:-1][alone]]]
    for low, high in zip(bounds[:-1][~alone].tolist(), bounds[1:][~alone].tolist(), strict=True):
        rows = order[low:high]
        _, i = np.unique(left[rows], return_inverse=True)
        _, j = np.unique(right[rows], return_inverse=True)
        table = np.zeros((int(i.max()) + 1, int(j.max()) + 1))
        table[i, j] = weights[rows]
        matched = np.zeros(table.shape, dtype=bool)
        matched[linear_sum_assignment(table, maximize=True)] = True
        chosen.append(rows[matched[i, j]])
    return np.sort(np.concatenate(chosen))


# One table of mentions for gold and all systems: a row per mention, a column of chains per file.
#
# Every measure of coreference compares two columns: gold and a system, or two systems, to measure how far they agree. Rows
# are in text order: by first token and, if two begin together, the longer first, which is the order in which brackets open.
# Mentions are the same if they have the same document, first and last token; where a file has mentions of another kind,
# `matching` says which of a system's is which of gold's.
#
# A mention of empty nodes alone is a zero. Another one is nominal if it has more than one token or its only token is a noun
# (Tuggener, 2017); the rest are personal or possessive pronouns by their tag. Tags are always those of the gold file: with
# its own tags a system could choose what it is judged on.


MENTION_TYPES = ("noun", "personal pronoun", "possessive pronoun", "other")
NOUN, PERSONAL, POSSESSIVE, OTHER = MENTION_TYPES
ZERO = "zero"
"""The kind of a mention without a word, in files that have such."""
PRONOUNS = (PERSONAL, POSSESSIVE)

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


def kinds_of(tags: Labels | None, sizes: Array, tokens: Array) -> tuple[Labels, Array]:
    """Kinds of mentions of `sizes` words, by the tags of the gold file at their first `tokens`, and which are nominal."""
    # The kind depends on the tag of a single token, otherwise on the size.
    case = -1 - sizes if tags is None else np.where(sizes == 1, tags.codes[tokens], -1 - sizes)
    distinct, place = np.unique(case, return_inverse=True)
    answers = [
        mention_type(-1 - x, None) if x < 0 or tags is None else mention_type(1, tags.names[x]) for x in distinct.tolist()
    ]
    known = tuple(dict.fromkeys((*MENTION_TYPES, *answers)))
    codes = np.array([known.index(answer) for answer in answers], dtype=np.int64)[place]
    return Labels(codes, known), codes == known.index(NOUN)


def first_tokens(words: Words, names: Sequence[str]) -> Array:
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


def align_mentions(gold: Chains, systems: Sequence[Chains], *, match: str = EXACT) -> Mentions:
    """Match the mentions of gold and systems, and documents by name.

    Parameters
    ----------
    gold, systems
        Files of the same documents with the same tokens; others are refused with the first difference.
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
    documents = [match_documents(gold, file) for file in files]
    for file in files:
        _refuse_repeats(file)
        if match == HEAD:
            refuse_headless(file)
    is_plain = match == EXACT and all(file.nodes is None for file in files)
    found = _rows_of_runs(files, documents) if is_plain else _rows_of_nodes(files, documents, match)
    place, first, sizes, anchors, parts = found
    chains = np.full((len(first), len(files)), NO_CHAIN, dtype=np.int64)
    bounds = np.cumsum([0, *(file.rows for file in files)])
    for column, (file, low, high) in enumerate(zip(files, bounds, bounds[1:], strict=False)):
        chains[place[low:high], column] = _chain_codes(documents[column], file.chains)
    spans = [np.concatenate(values)[first] for values in (documents, [f.starts for f in files], [f.ends for f in files])]
    tokens = np.full(len(first), -1, dtype=np.int64)
    if gold.words is not None:
        tokens = first_tokens(gold.words, names)[spans[0]] + anchors
    types, nominal = kinds_of(None if gold.words is None else gold.words.columns.get("pos"), sizes, tokens)
    return Mentions(
        tuple(file.name for file in files),
        Labels(spans[0], names),
        spans[1],
        spans[2],
        chains,
        types,
        nominal,
        tokens,
        gold.words,
        () if gold.words is not None and "pos" in gold.words.columns else (WITHOUT_TAGS,),
        parts=parts,
    )


_Rows = tuple[Array, Array, Array, Array, Mapping[int, tuple[int, ...]]]
"""Which row of the table each mention of all files is; of each row one mention, its size, a word beside it, and its parts."""


def _rows_of_runs(files: Sequence[Chains], documents: Sequence[Array]) -> _Rows:
    """Mentions that are runs of words are the same if these are."""
    starts, ends = (np.concatenate(parts) for parts in ([f.starts for f in files], [f.ends for f in files]))
    _, first, place = np.unique(_keys(np.concatenate(documents), starts, ends), return_index=True, return_inverse=True)
    return place, first, (ends - starts + 1)[first], starts[first], {}


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
    return (
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
