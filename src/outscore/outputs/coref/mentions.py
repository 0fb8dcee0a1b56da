"""One table of mentions for gold and all systems: a row per (document, first token, last token), a column of chains per file.

Every measure of coreference compares two columns: gold and a system, or two systems, to measure how far they
agree.

Rows are in text order: by first token and, if two begin together, the longer first, which is the order in
which brackets open.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.coref.documents import match_documents
from outscore.outputs.coref.mention_types import MentionType, kinds_of, mention_type
from outscore.outputs.model import Chains, Words
from outscore.scores.system import Labels

__all__ = ["NO_CHAIN", "WITHOUT_TAGS", "Mentions", "align_mentions", "first_of_mention"]

NO_CHAIN = -1
"""The chain of a mention in a file that does not have it."""

WITHOUT_TAGS = "The gold file has no part-of-speech tags, so no mention of a single token counts as nominal."


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
