"""Every Eval Ever: `<id>_samples.jsonl`, a line per sample and evaluation, beside the aggregate `<id>.json`.

Lines of different evaluations (a task scored by several filters) stand in one file and are told apart by `evaluation_name` and
`evaluation_result_id`. Which direction is better stands in the aggregate only. A converter that cannot score samples writes 0
for each of them: beside an aggregate that is not 0 such a file is refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.logs.document import Document, decode, json_lines, open_document
from outscore.formats.logs.entry import LogPeek
from outscore.formats.logs.evaluation import Evaluation, Exchange, Row

__all__ = ["ENDING", "NAME", "looks_like_samples", "read_samples"]

NAME = "every-eval-ever"
ENDING = "_samples.jsonl"


class _Scores(msgspec.Struct):
    score: float | str | None = None
    is_correct: bool | None = None


class _Sample(msgspec.Struct):
    model_id: str
    evaluation_name: str
    sample_id: str | int
    evaluation: _Scores
    evaluation_result_id: str | None = None
    sample_hash: str | None = None
    error: Any = None
    metadata: dict[str, Any] | None = None


class _Result(msgspec.Struct):
    evaluation_name: str
    metric_config: dict[str, Any] = {}
    score_details: dict[str, Any] = {}


class _Aggregate(msgspec.Struct):
    evaluation_results: list[_Result] = []


def looks_like_samples(peek: LogPeek) -> bool:
    """Whether the first line is a sample of the schema."""
    return {"schema_version", "evaluation_name", "sample_id", "evaluation"} <= peek.first_line.keys()


def read_samples(path: str) -> list[Evaluation]:
    """The evaluations of a file, one for each model, evaluation and filter."""
    rows: dict[tuple[str, str, str | None], list[Row]] = {}
    filters: dict[tuple[str, str, str | None], str | None] = {}
    places: dict[tuple[str, str, str | None], list[tuple[int, int]]] = {}
    with open_document(path) as document:
        for line in json_lines(document):
            sample = decode(line.data, _Sample, path, line.number)
            key = (sample.model_id, sample.evaluation_name, sample.evaluation_result_id)
            rows.setdefault(key, []).append(_row(sample))
            places.setdefault(key, []).append((line.start, len(line.data)))
            filters.setdefault(key, (sample.metadata or {}).get("filter"))
        if not rows:
            raise OutscoreError(f"{document.label} is empty.", "Convert the evaluation again.", file=path)
        reported = _aggregate(path)
        return [
            _evaluation(document, key, listed, filters[key], reported.get(key[1]), places[key]) for key, listed in rows.items()
        ]


def _row(sample: _Sample) -> Row:
    value = sample.evaluation.score
    # Infinities are written as words.
    score = math.nan if value is None else float(value)
    if math.isnan(score) and sample.evaluation.is_correct is not None:
        score = float(sample.evaluation.is_correct)
    state = "scored"
    if sample.error is not None:
        state = "errored"
    elif math.isnan(score):
        state = "unscored"
    known = ("doc_hash", "prompt_hash", "target_hash", "filter", "lm_eval_metrics")
    groups = {name: value for name, value in (sample.metadata or {}).items() if name not in known and isinstance(value, str)}
    return Row(str(sample.sample_id), {"score": score}, state, content=sample.sample_hash, groups=groups)  # type: ignore[arg-type]


def _aggregate(path: str) -> Mapping[str, _Result]:
    beside = Path(str(path).removesuffix(ENDING) + ".json")
    if str(beside) == str(path) or not beside.is_file():
        return {}
    with open_document(beside) as document:
        found = decode(document.data, _Aggregate, str(beside))
    return {result.evaluation_name: result for result in found.evaluation_results}


def _evaluation(
    document: Document,
    key: tuple[str, str, str | None],
    rows: Sequence[Row],
    filtered: object,
    reported: _Result | None,
    places: Sequence[tuple[int, int]],
) -> Evaluation:
    system, name, _ = key
    lower = None if reported is None else reported.metric_config.get("lower_is_better")
    total = None if reported is None else reported.score_details.get("score")
    if total and all(row.scores["score"] == 0 for row in rows):
        raise OutscoreError(
            f"{document.label}: all {len(rows)} samples of {name} score 0 beside a total of {float(total):.6g}, "
            "so that the samples were not scored.",
            "Compare the log that they were converted from.",
            file=document.path,
        )
    said = None if filtered in (None, "none") else str(filtered)
    return Evaluation.of(
        rows,
        harness=NAME,
        system=system,
        task=name if said is None else name.removesuffix(f"/{said}"),
        filter=said,
        origin=document.origin(NAME, len(rows), item="sample_id", system="model_id"),
        directions={} if lower is None else {"score": not lower},
        totals={} if total is None else {"score": float(total)},
        exchanges=lambda wanted: _exchanges(document.path, [places[row] for row in wanted]),
    )


class _Texts(msgspec.Struct):
    input: dict[str, Any] | None = None
    output: dict[str, Any] | None = None


def _exchanges(path: str, places: Sequence[tuple[int, int]]) -> list[Exchange]:
    with open_document(path) as document:
        found = [decode(bytes(document.data[start : start + size]), _Texts, path) for start, size in places]
    return [
        Exchange(
            _first((texts.input or {}).get("raw")),
            _first((texts.input or {}).get("reference")),
            _first((texts.output or {}).get("raw")),
        )
        for texts in found
    ]


def _first(value: object) -> str | None:
    if isinstance(value, list):
        value = value[0] if value else None
    return None if value is None else str(value)
