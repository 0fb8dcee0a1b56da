"""What is swapped as one in coreference: topics, sub-topics, documents or sentences.

Chains that run across documents are scored in one document of the file, which would be the only unit of a test. Topics
are what corpora of this kind are sampled by, and their names stand in the ids of documents: ``topic/subtopic/document``,
or ``1_10ecb`` and ``1_10ecbplus``, documents of topic 1 of ECB+ (Cybulska, Vossen, 2014: Using a sledgehammer to crack
a nut? Lexical diversity and event coreference resolution. LREC), whose sub-topics are the original and the added texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.outputs.coref.documents import DOCUMENT_ID
from outscore.outputs.coref.mentions import NO_CHAIN, Mentions
from outscore.scores.system import Labels

TOPIC, SUBTOPIC, DOCUMENT, SENTENCE = CLUSTERS = ("topic", "subtopic", "document", "sentence")
_ECB = re.compile(r"(\d+)_\d+(ecb(?:plus)?)(?:\.xml)?")
_PART = re.compile(r"; part \S+$")


def topic_of(document: str) -> str | None:
    """The topic that the id of a document names; None if it has no parts.

    Examples
    --------
    >>> topic_of("36/36_ecb/36_1ecb"), topic_of("1_10ecbplus"), topic_of("d1")
    ('36', '1', None)
    """
    parts = _parts(document)
    return parts[0] if len(parts) > 1 else None


def subtopic_of(document: str) -> str | None:
    """The sub-topic that the id of a document names; None if it names none.

    Examples
    --------
    >>> subtopic_of("36/36_ecb/36_1ecb"), subtopic_of("1_10ecbplus"), subtopic_of("nw/a")
    ('36/36_ecb', '1_ecbplus', None)
    """
    parts = _parts(document)
    if len(parts) > 2:
        return ("/" if "/" in document else "_").join(parts[:2])
    ecb = _ECB.fullmatch(document.rpartition("/")[2])
    return None if ecb is None else f"{ecb[1]}_{ecb[2]}"


def _parts(document: str) -> list[str]:
    name = _PART.sub("", document)
    return [part for part in name.split("/" if "/" in name else "_") if part]


def joins_documents(mentions: Mentions) -> bool:
    """Whether a document of the file holds several, which the first column tells apart."""
    return mentions.words is not None and DOCUMENT_ID in mentions.words.columns


def groupings(mentions: Mentions) -> dict[str, Callable[[], Labels]]:
    """Whatever mentions can be grouped by, by its name in `CLUSTERS`; groups without a mention are among the names."""
    documents = _documents(mentions)
    columns: dict[str, Callable[[], Labels]] = {}
    for name, rule in ((TOPIC, topic_of), (SUBTOPIC, subtopic_of)):
        named = [label for document in documents.names if (label := rule(document)) is not None]
        if len(named) == len(documents.names):
            columns[name] = partial(_merged, documents, named)
    columns[DOCUMENT] = lambda: documents
    words = mentions.words
    if words is not None:
        columns[SENTENCE] = lambda: Labels(words.sentences[mentions.tokens], words.sentence_ids)
    return columns


def _documents(mentions: Mentions) -> Labels:
    """The document of each mention, by the first column where that tells more than the file's own documents."""
    if not joins_documents(mentions):
        return mentions.documents
    assert mentions.words is not None
    return mentions.words.columns[DOCUMENT_ID].take(mentions.tokens)


def _merged(documents: Labels, names: Iterable[str]) -> Labels:
    """The documents under names that several of them share."""
    shared = Labels.of(names)
    return Labels(shared.codes[documents.codes], shared.names)


def grouped(mentions: Mentions, cluster: str | None) -> tuple[Mentions, str]:
    """The mentions with what is swapped as one, and its name.

    Unless one is asked for, it is the document; where one document of the file holds several, their topic if there are two
    topics at least.
    """
    groups = groupings(mentions)
    if cluster is None:
        has_topics = joins_documents(mentions) and TOPIC in groups and len(groups[TOPIC]().names) > 1
        cluster = TOPIC if has_topics else DOCUMENT
    if cluster not in groups:
        raise _refusal(mentions, cluster, list(groups))
    return replace(mentions, groups=groups[cluster]()), cluster


def _refusal(mentions: Mentions, cluster: str, known: list[str]) -> OutscoreError:
    *others, last = known
    hint = f"Give --cluster {', '.join(others)} or {last}." if others else f"Give --cluster {last}."
    if cluster not in CLUSTERS:
        return OutscoreError(
            f"Mentions cannot be clustered by `{cluster}`: chains run through documents.", hint, parameter="cluster"
        )
    if cluster == SENTENCE:
        return OutscoreError("Gold has no words, and so no sentences to cluster by.", hint, parameter="cluster")
    rule = topic_of if cluster == TOPIC else subtopic_of
    document = next(name for name in _documents(mentions).names if rule(name) is None)
    return OutscoreError(
        f"Document `{document}` names no {cluster}.",
        f"{hint} Topics are read from ids such as topic/subtopic/document or 1_10ecb.",
        parameter="cluster",
    )


def crossing_chains(mentions: Mentions) -> tuple[int, int]:
    """How many chains of all files run through several clusters, and how many chains there are."""
    counts = [_crossing(chains, mentions.clusters.codes) for chains in mentions.chains.T]
    return sum(crossing for crossing, _ in counts), sum(n for _, n in counts)


def _crossing(chains: Array, clusters: Array) -> tuple[int, int]:
    rows = chains != NO_CHAIN
    pairs = np.unique(np.stack([chains[rows], clusters[rows]], axis=1), axis=0)
    sizes = np.bincount(pairs[:, 0])
    return int((sizes > 1).sum()), int((sizes > 0).sum())
