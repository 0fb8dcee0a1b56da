"""What words and entities can be split by: gold's columns, and lengths and distances in gold."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from outscore.core.numeric import Array
from outscore.outputs.model import Words, binned
from outscore.scores.system import Labels

__all__ = ["entity_slices", "word_slices"]

SENTENCE_LENGTHS = (1, 6, 11, 21, 31, 41)
DISTANCES = (1, 2, 3, 7)
ENTITY_LENGTHS = (1, 2, 3, 4)
DIRECTIONS = ("root", "head before", "head after")


def word_slices(gold: Words, rows: Array) -> dict[str, Callable[[], Labels]]:
    """The columns of gold, and form, sentence length, and the distance and direction of the head."""
    found: dict[str, Callable[[], Labels]] = {
        name: partial(column.take, rows) for name, column in gold.columns.items() if name != "token"
    }
    found |= {"form": lambda: gold.forms.take(rows), **_of_sentences(gold, rows)}
    if gold.heads is not None:
        found |= {
            "head-distance": lambda: _distances(gold, rows),
            "head-direction": lambda: Labels(_directions(gold, rows), DIRECTIONS),
        }
    return found


def entity_slices(gold: Words, spans: Array) -> dict[str, Callable[[], Labels]]:
    """Lengths of entities in gold's words and of their sentences; `spans` are rows of gold, the last exclusive."""
    lengths = np.maximum(spans[:, 1] - spans[:, 0], 1)
    return {"entity-length": lambda: binned(lengths, ENTITY_LENGTHS), **_of_sentences(gold, spans[:, 0])}


def _of_sentences(gold: Words, rows: Array) -> dict[str, Callable[[], Labels]]:
    sentences = gold.sentences[rows]
    found: dict[str, Callable[[], Labels]] = {
        "sentence-length": lambda: binned(np.bincount(gold.sentences)[sentences], SENTENCE_LENGTHS)
    }
    documents = gold.documents
    if documents is not None:
        found["document"] = lambda: documents.take(sentences)
    return found


def _distances(gold: Words, rows: Array) -> Labels:
    """How many words a word is away from its head; the root has a value of its own."""
    assert gold.heads is not None
    heads = gold.heads[rows]
    ranges = binned(np.abs(heads - rows), DISTANCES)
    return Labels(np.where(heads < 0, len(ranges.names), ranges.codes), (*ranges.names, "root"))


def _directions(gold: Words, rows: Array) -> Array:
    assert gold.heads is not None
    heads = gold.heads[rows]
    return np.where(heads < 0, 0, np.where(heads < rows, 1, 2))
