"""Coreference as JSON lines, a document per object, as neural resolvers read and write it.

    {"doc_key": "nw/a_0001", "sentences": [["The", "mayor", …], …], "clusters": [[[0, 1], [4, 4]], …]}

Mentions are first and last token, counted through the document. The chains of a system are
``predicted_clusters`` where there are such.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import Peek, Source, shorten, stem_of
from outscore.formats.conll.sentences import Sentence, assemble
from outscore.formats.json.objects import Found, first_value, objects_of, place_error, refuse_shape, typed
from outscore.outputs.model import Chains
from outscore.scores.system import Labels, Origin

FORMAT = "coref-jsonl"

CLUSTERS, PREDICTED = "clusters", "predicted_clusters"
HINT = "Give objects with `doc_key`, `sentences` and `clusters` (or `predicted_clusters`)."


class _Document(msgspec.Struct):
    sentences: list[list[str]]
    clusters: list[list[Any]] | msgspec.UnsetType = msgspec.UNSET
    predicted_clusters: list[list[Any]] | msgspec.UnsetType = msgspec.UNSET
    doc_key: str | int | None = None
    doc_id: str | int | None = None


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
    for found in objects_of(source):
        if not isinstance(found.value, Mapping) or "sentences" not in found.value:
            raise refuse_shape(source, "documents with `sentences` and `clusters`", HINT)
        document = typed(source, found, found.value, _Document, "a resolver", HINT)
        clusters, key = document.clusters, CLUSTERS
        if predicted and document.predicted_clusters is not msgspec.UNSET:
            clusters, key = document.predicted_clusters, PREDICTED
        if clusters is msgspec.UNSET:
            raise place_error(source, found, f"this document has no `{key}`", HINT)
        given = document.doc_id if document.doc_key is None else document.doc_key
        name = str(len(documents) + 1 if given is None else given)
        if name in documents:
            raise place_error(source, found, f"document `{name}` appears twice", "Give each document its own key.")
        size = sum(map(len, document.sentences))
        documents.append(name)
        sentences += [Sentence([word or "_" for word in words], document=name) for words in document.sentences if words]
        for cluster in clusters:
            mentions += [(len(documents) - 1, *_span(source, found, mention, size), chain) for mention in cluster]
            chain += 1
    if not sentences:
        raise OutscoreError(f"{source.label} contains no documents.", HINT)
    table = np.array(mentions, dtype=np.int64).reshape(-1, 4)
    origin = Origin(source.path, source.sha256(), len(table), FORMAT)
    words = assemble(source, sentences, stem_of(source.path), FORMAT)
    codes, starts, ends, chains = table.T
    return Chains(stem_of(source.path), Labels(codes, tuple(documents)), starts, ends, chains, words, origin)


def _span(source: Source, found: Found, mention: Any, size: int) -> tuple[int, int]:  # noqa: ANN401 - any JSON value
    # Python counts True as a whole number, people do not.
    if isinstance(mention, list) and len(mention) >= 2 and {type(x) for x in mention[:2]} == {int}:
        first, last = mention[:2]
        if 0 <= first <= last < size:
            return first, last
    problem = f"found the mention {shorten(str(mention))}, expected first and last of {size} tokens"
    hint = "Count tokens from 0 through the whole document; the last token is part of the mention."
    raise place_error(source, found, problem, hint)
