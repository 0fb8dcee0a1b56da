"""Every Eval Ever: `<id>_samples.jsonl`, a line per sample and evaluation, beside the aggregate `<id>.json`.

Lines of different evaluations (a task scored by several filters) stand in one file and are told apart by `evaluation_name` and
`evaluation_result_id`. Which direction is better stands in the aggregate only. A converter that cannot score samples writes 0
for each of them: beside an aggregate that is not 0 such a file is refused.

The schema has one score for each line. Files that `export` wrote name it in the `metadata`, so that the lines of one row are
one row again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import label_of
from outscore.formats.logs.document import Document, decode, json_lines, open_document
from outscore.formats.logs.entry import LogPeek
from outscore.formats.logs.evaluation import Evaluation, Exchange, Row, State

__all__ = ["ENDING", "KNOWN", "NAME", "aggregate_path", "looks_like_samples", "read_samples", "result_id"]

NAME = "every-eval-ever"
ENDING = "_samples.jsonl"
SCORE = "score"
KNOWN = ("doc_hash", "prompt_hash", "target_hash", "filter", "lm_eval_metrics", "metric", "repeat", "state")
"""Keys of the metadata that are no columns to group by."""
Key = tuple[str, str, str | None]


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
    evaluation_result_id: str | None = None
    source_data: dict[str, Any] = {}
    metric_config: dict[str, Any] = {}
    score_details: dict[str, Any] = {}


class _Aggregate(msgspec.Struct):
    evaluation_results: list[_Result] = []


def looks_like_samples(peek: LogPeek) -> bool:
    """Whether the first line is a sample of the schema."""
    return {"schema_version", "evaluation_name", "sample_id", "evaluation"} <= peek.first_line.keys()


def result_id(system: str, name: str, metric: str) -> str:
    """What `export` calls one score of one evaluation."""
    return f"{system}/{name}/{metric}"


class _Table:
    """The rows of one evaluation, with the place of each in the file; lines that differ in their metric are one row."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.places: list[tuple[int, int]] = []
        self.filter: object = None
        self._indices: dict[tuple[str, str | None], int] = {}

    def add(self, sample: _Sample, place: tuple[int, int], path: str) -> None:
        row = _row(sample, path)
        index = self._indices.get((row.item, row.repeat))
        known = None if index is None or "metric" not in (sample.metadata or {}) else self.rows[index]
        if known is None or index is None or known.scores.keys() & row.scores.keys():
            self.filter = (sample.metadata or {}).get("filter") if not self.rows else self.filter
            self._indices[row.item, row.repeat] = len(self.rows)
            self.rows.append(row)
            self.places.append(place)
            return
        state = row.state if known.state == "unscored" else known.state
        self.rows[index] = known._replace(scores={**known.scores, **row.scores}, state=state)


def read_samples(path: str) -> list[Evaluation]:
    """The evaluations of a file, one for each model, evaluation and filter."""
    tables: dict[Key, _Table] = {}
    with open_document(path) as document:
        for line in json_lines(document):
            sample = decode(line.data, _Sample, path, line.number)
            apart = None if "metric" in (sample.metadata or {}) else sample.evaluation_result_id
            key = (sample.model_id, sample.evaluation_name, apart)
            tables.setdefault(key, _Table()).add(sample, (line.start, len(line.data)), path)
        if not tables:
            raise OutscoreError(f"{document.label} is empty.", "Convert the evaluation again.", file=path)
        reported = _aggregate(path)
        return [_evaluation(document, key, table, reported) for key, table in tables.items()]


def _number(written: object, path: str) -> float:
    """A score; infinities are written as words, and NaN stands for none."""
    if written is None:
        return math.nan
    try:
        return float(written)  # type: ignore[arg-type] # refused below
    except (TypeError, ValueError):
        raise OutscoreError(
            f"{label_of(path)} has the score `{str(written)[:40]}`, which is no number.",
            "Convert the evaluation again.",
            file=path,
        ) from None


def _row(sample: _Sample, path: str) -> Row:
    score = _number(sample.evaluation.score, path)
    if math.isnan(score) and sample.evaluation.is_correct is not None:
        score = float(sample.evaluation.is_correct)
    metadata = sample.metadata or {}
    groups = {name: value for name, value in metadata.items() if name not in KNOWN and isinstance(value, str)}
    repeat = metadata.get("repeat")
    return Row(
        str(sample.sample_id),
        {str(metadata.get("metric", SCORE)): score},
        _state(sample, score),
        None if repeat is None else str(repeat),
        sample.sample_hash,
        groups,
    )


def _state(sample: _Sample, score: float) -> State:
    said = (sample.metadata or {}).get("state")
    if said in get_args(State):
        return said  # type: ignore[return-value] # it is one of them
    if sample.error is not None:
        return "errored"
    return "unscored" if math.isnan(score) else "scored"


def aggregate_path(path: str) -> Path:
    """Where the aggregate of a file of samples stands."""
    return Path(path.removesuffix(ENDING) + ".json")


def _aggregate(path: str) -> Mapping[str, _Result]:
    """What the file beside the samples reports, by the name and by the id of each result."""
    beside = aggregate_path(str(path))
    if str(beside) == str(path) or not beside.is_file():
        return {}
    with open_document(beside) as document:
        found = decode(document.data, _Aggregate, str(beside))
    by_name = {result.evaluation_name: result for result in found.evaluation_results}
    return by_name | {result.evaluation_result_id: result for result in found.evaluation_results if result.evaluation_result_id}


def _evaluation(document: Document, key: Key, table: _Table, reported: Mapping[str, _Result]) -> Evaluation:
    system, name, _ = key
    metrics = dict.fromkeys(metric for row in table.rows for metric in row.scores)
    named = {metric: reported.get(result_id(system, name, metric)) or reported.get(name) for metric in metrics}
    results = {metric: result for metric, result in named.items() if result is not None}
    totals = {metric: _total(document, result, metric, table.rows) for metric, result in results.items()}
    lower = {metric: result.metric_config.get("lower_is_better") for metric, result in results.items()}
    said = None if table.filter in (None, "none") else str(table.filter)
    details = next((result.source_data.get("additional_details") for result in results.values()), None)
    return Evaluation.of(
        table.rows,
        harness=NAME,
        system=system,
        task=name if said is None else name.removesuffix(f"/{said}"),
        filter=said,
        origin=document.origin(NAME, len(table.rows), item="sample_id", system="model_id"),
        directions={metric: not value for metric, value in lower.items() if value is not None},
        totals={metric: total for metric, total in totals.items() if total is not None},
        conditions={str(what): str(value) for what, value in details.items()} if isinstance(details, dict) else {},
        exchanges=lambda wanted: _exchanges(document.path, [table.places[row] for row in wanted]),
    )


def _total(document: Document, result: _Result, metric: str, rows: Sequence[Row]) -> float | None:
    """What the aggregate reports for a score; refused where it cannot be that of the samples."""
    written = result.score_details.get("score")
    if written is None:
        return None
    total = _number(written, document.path)
    if total and all(row.scores.get(metric) == 0 for row in rows):
        raise OutscoreError(
            f"{document.label}: all {len(rows)} samples of {result.evaluation_name} score 0 beside a total of {total:.6g}, "
            "so that the samples were not scored.",
            "Compare the log that they were converted from.",
            file=document.path,
        )
    return total


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
