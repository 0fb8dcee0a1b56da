"""OpenAI evals: the record of a run as JSON lines, a specification first, then events in order of completion.

The score of a sample is its event of the type `match`. The final report may stand on any line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import stem_of
from outscore.formats.logs.base.document import Document, Places, decode, field_of, json_lines, open_document
from outscore.formats.logs.base.entry import LogPeek
from outscore.formats.logs.base.evaluation import Evaluation, Exchange, Row
from outscore.scores.system import label_of

NAME = "openai-evals"


class _Config(msgspec.Struct):
    seed: int | None = None
    max_samples: int | None = None


class _Spec(msgspec.Struct):
    completion_fns: list[str] = []
    eval_name: str | None = None
    split: str | None = None
    run_config: _Config | None = None


class _Report(msgspec.Struct):
    accuracy: float | None = None


class _Event(msgspec.Struct):
    spec: _Spec | None = None
    final_report: _Report | None = None
    sample_id: str | int | None = None
    type: str | None = None
    data: msgspec.Raw = msgspec.Raw(b"null")


class _Match(msgspec.Struct):
    correct: bool | None = None


def looks_like_record(peek: LogPeek) -> bool:
    """Whether the first line is the specification of a run."""
    return isinstance(peek.first_line.get("spec"), dict) and "completion_fns" in peek.first_line["spec"]


def read_record(path: str) -> list[Evaluation]:
    """The evaluation of a record."""
    spec, report = _Spec(), _Report()
    rows: list[Row] = []
    places = Places()
    with open_document(path) as document:
        for line in json_lines(document):
            event = decode(line.data, _Event, path, line.number)
            spec = event.spec or spec
            report = event.final_report or report
            if event.type == "match":
                rows.append(_row(event, path, line.number))
                places.add(line)
        if not rows:
            raise OutscoreError(
                f"{document.label} records no event of the type `match`, which says whether an answer is right.",
                "Compare an eval that matches answers, or export a table with a score per sample.",
                file=path,
            )
        return [_evaluation(document, spec, report, rows, places)]


def _row(event: _Event, path: str, line: int) -> Row:
    if event.sample_id is None:
        raise OutscoreError(
            f"{label_of(path)}, line {line}: an event of the type `match` has no `sample_id`.",
            "Run the evaluation again.",
            file=path,
            line=line,
        )
    correct = decode(event.data, _Match, path, line).correct
    scores = {} if correct is None else {"correct": float(correct)}
    return Row(str(event.sample_id), scores, "scored" if scores else "unscored", line=line)


def _evaluation(document: Document, spec: _Spec, report: _Report, rows: Sequence[Row], places: Places) -> Evaluation:
    config = spec.run_config or _Config()
    conditions = {"split": spec.split, "seed": config.seed, "limit": config.max_samples}
    return Evaluation.of(
        rows,
        harness=NAME,
        system=spec.completion_fns[0] if spec.completion_fns else stem_of(document.path),
        task=spec.eval_name or NAME,
        origin=document.origin(NAME, len(rows), item="sample_id"),
        directions={"correct": True},
        totals={} if report.accuracy is None else {"correct": report.accuracy},
        conditions={name: str(value) for name, value in conditions.items() if value is not None},
        exchanges=lambda wanted: [_exchange(event) for event in places.read(document.path, wanted, dict)],
    )


def _exchange(event: dict[str, Any]) -> Exchange:
    return Exchange(None, _text(field_of(event, "data", "expected")), _text(field_of(event, "data", "sampled")))


def _text(value: object) -> str | None:
    return None if value is None else str(value)
