"""COMET: what `comet-score --to_json` writes, a list of segments with their scores for each file of translations."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import stem_of
from outscore.formats.logs.base.document import Document, decode, number_of, open_document
from outscore.formats.logs.base.entry import LogPeek
from outscore.formats.logs.base.evaluation import Evaluation, Exchange, Row, State

NAME = "comet"
_TEXTS = ("src", "mt", "ref")


def looks_like_scores(peek: LogPeek) -> bool:
    """Whether the document holds translations with a score beside them."""
    return peek.is_object and peek.has_keys("src", "mt") and (peek.has_keys("COMET") or peek.has_keys("ref"))


def read_scores(path: str) -> list[Evaluation]:
    """The evaluations of a file, one for each file of translations."""
    with open_document(path) as document:
        segments_by_name = _segments(document)
        named = {name: segments for name, segments in segments_by_name.items() if segments}
        if not named:
            raise OutscoreError(
                f"{document.label} contains no translations.", "Write it with `comet-score --to_json`.", file=path
            )
        return [_evaluation(document, name, segments) for name, segments in named.items()]


def _segments(document: Document) -> dict[str, list[msgspec.Raw]]:
    return decode(document.data, dict[str, list[msgspec.Raw]], document.path)


def _evaluation(document: Document, name: str, segments: Sequence[msgspec.Raw]) -> Evaluation:
    path = document.path
    rows = [_row(index, decode(segment, dict[str, Any], path)) for index, segment in enumerate(segments, 1)]
    return Evaluation.of(
        rows,
        harness=NAME,
        system=stem_of(name),
        task=NAME,
        origin=document.origin(NAME, len(rows), system="file"),
        directions=dict.fromkeys(rows[0].scores, True),
        exchanges=lambda wanted: _exchanges(path, name, wanted),
    )


def _row(index: int, segment: Mapping[str, Any]) -> Row:
    scores = {name: number_of(value) for name, value in segment.items() if name not in _TEXTS and _is_number(value)}
    words = msgspec.json.encode([segment.get(name) for name in ("src", "ref")])
    state: State = "scored" if scores else "unscored"
    return Row(str(index), scores, state, content=hashlib.sha256(words).hexdigest())


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float))


def _exchanges(path: str, name: str, wanted: Sequence[int]) -> list[Exchange]:
    with open_document(path) as document:
        segments = _segments(document)[name]
        return [_exchange(decode(segments[row], dict[str, Any], path)) for row in wanted]


def _exchange(segment: Mapping[str, Any]) -> Exchange:
    texts = [segment.get(name) for name in ("src", "ref", "mt")]
    return Exchange(*(text if isinstance(text, str) else None for text in texts))
