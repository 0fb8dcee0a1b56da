"""COMET: what `comet-score --to_json` writes, a list of segments with their scores for each file of translations."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import stem_of
from outscore.formats.logs.document import Document, decode, open_document
from outscore.formats.logs.entry import LogPeek
from outscore.formats.logs.evaluation import Evaluation, Exchange, Row

__all__ = ["NAME", "looks_like_scores", "read_scores"]

NAME = "comet"
_TEXTS = ("src", "mt", "ref")


def looks_like_scores(peek: LogPeek) -> bool:
    """Whether the document holds translations with a score beside them."""
    return peek.is_object and peek.has_keys("src", "mt") and (peek.has_keys("COMET") or peek.has_keys("ref"))


def read_scores(path: str) -> list[Evaluation]:
    """The evaluations of a file, one for each file of translations."""
    with open_document(path) as document:
        found = decode(document.data, dict[str, Any], path)
        named = {name: segments for name, segments in found.items() if isinstance(segments, list) and segments}
        if not named:
            raise OutscoreError(f"{document.label} holds no translations.", "Write it with `comet-score --to_json`.", file=path)
        return [_evaluation(document, name, segments) for name, segments in named.items()]


def _evaluation(document: Document, name: str, segments: Sequence[Mapping[str, Any]]) -> Evaluation:
    rows = [_row(index, segment, document) for index, segment in enumerate(segments, 1)]
    return Evaluation.of(
        rows,
        harness=NAME,
        system=stem_of(name),
        task=NAME,
        origin=document.origin(NAME, len(rows), system="file"),
        directions=dict.fromkeys(rows[0].scores, True),
        exchanges=lambda wanted: [_exchange(segments[row]) for row in wanted],
    )


def _row(index: int, segment: object, document: Document) -> Row:
    if not isinstance(segment, dict):
        raise OutscoreError(
            f"{document.label}: segment {index} is not an object with a score.", "Write it with `comet-score --to_json`."
        )
    scores = {name: float(value) for name, value in segment.items() if name not in _TEXTS and isinstance(value, (int, float))}
    words = "\0".join(str(segment.get(name)) for name in ("src", "ref"))
    state = "scored" if scores and not all(map(math.isnan, scores.values())) else "unscored"
    return Row(str(index), scores, state, content=hashlib.sha256(words.encode()).hexdigest())  # type: ignore[arg-type]


def _exchange(segment: Mapping[str, Any]) -> Exchange:
    source, reference, output = (segment.get(name) for name in ("src", "ref", "mt"))
    return Exchange(source, reference, output)
