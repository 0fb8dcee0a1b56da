"""OpenAI evals: the record of a run as JSON lines, a specification first, then events in order of completion.

The score of a sample is its event of the type `match`. The final report may stand on any line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.logs.document import Document, decode, field_of, json_lines, open_document
from outscore.formats.logs.entry import LogPeek
from outscore.formats.logs.evaluation import Evaluation, Exchange, Row

__all__ = ["NAME", "looks_like_record", "read_record"]

NAME = "openai-evals"


class _Event(msgspec.Struct):
    spec: dict[str, Any] | None = None
    final_report: dict[str, Any] | None = None
    sample_id: str | None = None
    type: str | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")


class _Match(msgspec.Struct):
    correct: bool | None = None


def looks_like_record(peek: LogPeek) -> bool:
    """Whether the first line is the specification of a run."""
    return isinstance(peek.first_line.get("spec"), dict) and "completion_fns" in peek.first_line["spec"]


def read_record(path: str) -> list[Evaluation]:
    """The evaluation of a record."""
    spec: dict[str, Any] = {}
    report: dict[str, Any] = {}
    rows: list[Row] = []
    places: list[tuple[int, int]] = []
    with open_document(path) as document:
        for line in json_lines(document):
            event = decode(line.data, _Event, path, line.number)
            spec = spec or event.spec or {}
            report = report or event.final_report or {}
            if event.type == "match" and event.sample_id is not None:
                correct = decode(bytes(event.data), _Match, path, line.number).correct
                scores = {} if correct is None else {"correct": float(correct)}
                rows.append(Row(event.sample_id, scores, "scored" if scores else "unscored"))
                places.append((line.start, len(line.data)))
        if not rows:
            raise OutscoreError(
                f"{document.label} records no event of the type `match`, which holds whether an answer is right.",
                "Compare an eval that matches answers, or export a table with a score per sample.",
                file=path,
            )
        return [_evaluation(document, spec, report, rows, places)]


def _evaluation(
    document: Document, spec: dict[str, Any], report: dict[str, Any], rows: Sequence[Row], places: Sequence[tuple[int, int]]
) -> Evaluation:
    models = spec.get("completion_fns") or [document.path]
    accuracy = report.get("accuracy")
    conditions = {
        "split": spec.get("split"),
        "seed": field_of(spec, "run_config", "seed"),
        "limit": field_of(spec, "run_config", "max_samples"),
    }
    return Evaluation.of(
        rows,
        harness=NAME,
        system=str(models[0]),
        task=str(spec.get("eval_name") or NAME),
        origin=document.origin(NAME, len(rows), item="sample_id"),
        directions={"correct": True},
        totals={} if accuracy is None else {"correct": float(accuracy)},
        conditions={name: str(value) for name, value in conditions.items() if value is not None},
        exchanges=lambda wanted: _exchanges(document.path, [places[row] for row in wanted]),
    )


def _exchanges(path: str, places: Sequence[tuple[int, int]]) -> list[Exchange]:
    with open_document(path) as document:
        found = [decode(bytes(document.data[start : start + size]), dict[str, Any], path) for start, size in places]
    return [
        Exchange(None, _text(field_of(event, "data", "expected")), _text(field_of(event, "data", "sampled"))) for event in found
    ]


def _text(value: object) -> str | None:
    return None if value is None else str(value)
