"""Coreference as JSON lines, a document per object, as neural resolvers read and write it.

    {"doc_key": "nw/a_0001", "sentences": [["The", "mayor", …], …], "clusters": [[[0, 1], [4, 4]], …]}

Mentions are first and last token, counted through the document. The chains of a system are
``predicted_clusters`` where there are such.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import Peek, Source, stem_of
from outscore.formats.conll.sentences import Sentence, assemble
from outscore.formats.json.objects import first_value, objects_of, refuse_shape
from outscore.outputs.model import Chains
from outscore.scores.system import Labels, Origin

__all__ = ["FORMAT", "chains_of", "looks_like_chains"]

FORMAT = "coref-jsonl"

CLUSTERS, PREDICTED = "clusters", "predicted_clusters"
HINT = "Give objects with `doc_key`, `sentences` and `clusters` (or `predicted_clusters`)."


def looks_like_chains(peek: Peek) -> bool:
    """Whether the first object has sentences and clusters."""
    first = first_value(peek)
    if not isinstance(first, Mapping) or not isinstance(first.get("sentences"), list):
        return False
    return any(isinstance(first.get(key), list) for key in (CLUSTERS, PREDICTED))


def chains_of(source: Source, *, predicted: bool = False) -> Chains:
    """The chains of an open file; with `predicted` those that a system predicts, if the file has both."""
    documents: list[str] = []
    sentences: list[Sentence] = []
    mentions: list[tuple[int, int, int, int]] = []
    chain = 0
    for number, value in enumerate(objects_of(source), 1):
        if not isinstance(value, Mapping) or not isinstance(value.get("sentences"), list):
            raise refuse_shape(source, "documents with `sentences` and `clusters`", HINT)
        key = PREDICTED if predicted and PREDICTED in value else CLUSTERS
        if key not in value:
            raise OutscoreError(f"{source.label}, object {number} has no `{key}`.", HINT)
        name = str(value.get("doc_key", value.get("doc_id", number)))
        if name in documents:
            raise OutscoreError(
                f"{source.label}, object {number}: document `{name}` appears twice.", "Give each document its own key."
            )
        size = sum(map(len, value["sentences"]))
        documents.append(name)
        sentences += [Sentence([str(word) or "_" for word in words], document=name) for words in value["sentences"] if words]
        for cluster in value[key]:
            mentions += [(len(documents) - 1, *_span(source, number, mention, size), chain) for mention in cluster]
            chain += 1
    if not sentences:
        raise OutscoreError(f"{source.label} contains no documents.", HINT)
    table = np.array(mentions, dtype=np.int64).reshape(-1, 4)
    origin = Origin(source.path, source.sha256(), len(table), FORMAT)
    words = assemble(source, sentences, stem_of(source.path), FORMAT)
    codes, starts, ends, chains = table.T
    return Chains(stem_of(source.path), Labels(codes, tuple(documents)), starts, ends, chains, words, origin)


def _span(source: Source, number: int, mention: Any, size: int) -> tuple[int, int]:  # noqa: ANN401 - any JSON value
    if isinstance(mention, list) and len(mention) >= 2 and all(isinstance(x, int) for x in mention[:2]):
        first, last = mention[:2]
        if 0 <= first <= last < size:
            return first, last
    raise OutscoreError(
        f"{source.label}, object {number}: found the mention {mention}, expected first and last of {size} tokens.",
        "Count tokens from 0 through the whole document; the last token is part of the mention.",
    )
