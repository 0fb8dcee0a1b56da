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
from outscore.formats.base.source import shorten, stem_of
from outscore.formats.logs.base.document import Document, Line, Places, decode, json_lines, open_document
from outscore.formats.logs.base.entry import LogPeek, path_beside
from outscore.formats.logs.base.evaluation import Evaluation, Exchange, Row, State
from outscore.scores.system import label_of

NAME = "every-eval-ever"
ENDING = "_samples.jsonl"
SCORE = "score"
KNOWN = ("doc_hash", "prompt_hash", "target_hash", "filter", "lm_eval_metrics", "metric", "repeat", "state")
"""Keys of the metadata that are not columns to group by."""
MISSING = ("rows_without_score", "count as 0")
"""What the details of a result say where boards of the harness it comes from count rows without a score as 0."""
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

    def detail(self, key: str) -> str | None:
        """What the metadata say, as text."""
        value = (self.metadata or {}).get(key)
        return str(value) if isinstance(value, (str, int, float)) else None


class _Source(msgspec.Struct, frozen=True):
    additional_details: dict[str, Any] | None = None


class _Config(msgspec.Struct, frozen=True):
    lower_is_better: bool | None = None


class _Details(msgspec.Struct, frozen=True):
    score: float | str | None = None


class _Result(msgspec.Struct):
    evaluation_name: str
    evaluation_result_id: str | None = None
    source_data: _Source = _Source()
    metric_config: _Config = _Config()
    score_details: _Details = _Details()


class _Aggregate(msgspec.Struct):
    evaluation_results: list[_Result] = []


def looks_like_samples(peek: LogPeek) -> bool:
    """Whether the first line is a sample of the schema, or the name is that of samples with their aggregate beside them."""
    if {"schema_version", "evaluation_name", "sample_id", "evaluation"} <= peek.first_line.keys():
        return True
    return stem_of(peek.path).endswith("_samples") and not peek.first_line and aggregate_path(peek.path).is_file()


def result_id(system: str, name: str, metric: str) -> str:
    """What `export` calls one score of one evaluation."""
    return f"{system}/{name}/{metric}"


class _Table:
    """The rows of one evaluation, with the place of each in the file; lines that differ in their metric are one row."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.places = Places()
        self.filter: str | None = None
        self._indices: dict[tuple[str, str | None], int] = {}

    def add(self, sample: _Sample, line: Line, path: str) -> None:
        row = _row(sample, path, line.number)
        index = self._indices.get((row.item, row.repeat))
        known = None if index is None or sample.detail("metric") is None else self.rows[index]
        if known is None or index is None or known.scores.keys() & row.scores.keys():
            self.filter = self.filter if self.rows else sample.detail("filter")
            self._indices[row.item, row.repeat] = len(self.rows)
            self.rows.append(row)
            self.places.add(line)
            return
        state = row.state if known.state == "unscored" else known.state
        self.rows[index] = known._replace(scores={**known.scores, **row.scores}, state=state)


def read_samples(path: str) -> list[Evaluation]:
    """The evaluations of a file, one for each model, evaluation and filter."""
    tables: dict[Key, _Table] = {}
    with open_document(path) as document:
        for line in json_lines(document):
            sample = decode(line.data, _Sample, path, line.number)
            apart = sample.evaluation_result_id if sample.detail("metric") is None else None
            key = (sample.model_id, sample.evaluation_name, apart)
            tables.setdefault(key, _Table()).add(sample, line, path)
        if not tables:
            raise OutscoreError(f"{document.label} is empty.", "Convert the evaluation again.", file=path)
        reported = _aggregate(path)
        return [_evaluation(document, key, table, reported) for key, table in tables.items()]


def _number(written: float | str | None, path: str, line: int | None = None) -> float:
    """A score; infinities are written as words, and a missing one is nan."""
    if not isinstance(written, str):
        return math.nan if written is None else written
    try:
        return float(written)
    except ValueError:
        place = "" if line is None else f", line {line}"
        raise OutscoreError(
            f"{label_of(path)}{place} has the score `{shorten(written)}`, which is not a number.",
            "Convert the evaluation again.",
            file=path,
            line=line,
        ) from None


def _row(sample: _Sample, path: str, line: int) -> Row:
    score = _number(sample.evaluation.score, path, line)
    if math.isnan(score) and sample.evaluation.is_correct is not None:
        score = float(sample.evaluation.is_correct)
    metadata = sample.metadata or {}
    groups = {name: value for name, value in metadata.items() if name not in KNOWN and isinstance(value, str)}
    return Row(
        str(sample.sample_id),
        {sample.detail("metric") or SCORE: score},
        _state(sample, score),
        sample.detail("repeat"),
        sample.sample_hash,
        groups,
        line,
    )


def _state(sample: _Sample, score: float) -> State:
    state = sample.detail("state")
    if state in get_args(State) and (state == "scored") != math.isnan(score):
        return state  # type: ignore[return-value] # it is one of them
    if sample.error is not None:
        return "errored"
    return "unscored" if math.isnan(score) else "scored"


def aggregate_path(path: str) -> Path:
    """Where the aggregate of a file of samples is.

    Examples
    --------
    >>> aggregate_path("data/amber_samples.jsonl.gz").as_posix()
    'data/amber.json'
    """
    return Path(path).with_name(stem_of(path).removesuffix("_samples") + ".json")


def _aggregate(path: str) -> Mapping[str, _Result]:
    """What the file beside the samples reports, by the name and by the id of each result."""
    beside = aggregate_path(str(path))
    if str(beside) == str(path) or path_beside(str(path), beside.name) is None:
        return {}
    with open_document(beside) as document:
        aggregate = decode(document.data, _Aggregate, str(beside))
    results = aggregate.evaluation_results
    by_name = {result.evaluation_name: result for result in results}
    return by_name | {result.evaluation_result_id: result for result in results if result.evaluation_result_id}


def _evaluation(document: Document, key: Key, table: _Table, reported: Mapping[str, _Result]) -> Evaluation:
    system, name, _ = key
    metrics = dict.fromkeys(metric for row in table.rows for metric in row.scores)
    named = {metric: reported.get(result_id(system, name, metric)) or reported.get(name) for metric in metrics}
    results = {metric: result for metric, result in named.items() if result is not None}
    totals = {metric: _total(document, result, metric, table.rows) for metric, result in results.items()}
    lower = {metric: result.metric_config.lower_is_better for metric, result in results.items()}
    filter_name = None if table.filter == "none" else table.filter
    details = next((result.source_data.additional_details for result in results.values()), None) or {}
    conditions = {what: str(value) for what, value in details.items()}
    places = table.places
    return Evaluation.of(
        table.rows,
        harness=NAME,
        system=system,
        task=name if filter_name is None else name.removesuffix(f"/{filter_name}"),
        filter=filter_name,
        origin=document.origin(NAME, len(table.rows), item="sample_id", system="model_id"),
        directions={metric: not value for metric, value in lower.items() if value is not None},
        totals={metric: total for metric, total in totals.items() if total is not None},
        zero_missing=conditions.pop(MISSING[0], None) == MISSING[1],
        conditions=conditions,
        exchanges=lambda wanted: [_exchange(texts) for texts in places.read(document.path, wanted, _Texts)],
    )


def _total(document: Document, result: _Result, metric: str, rows: Sequence[Row]) -> float | None:
    """What the aggregate reports for a score; refused where it cannot be that of the samples."""
    written = result.score_details.score
    if written is None:
        return None
    total = _number(written, str(aggregate_path(document.path)))
    if total and all(row.scores.get(metric) == 0 for row in rows):
        raise OutscoreError(
            f"{document.label}: all {len(rows)} samples of {result.evaluation_name} score 0 beside a total of {total:.6g}, "
            "so the samples were not scored.",
            "Compare the log that they were converted from.",
            file=document.path,
        )
    return total


class _Texts(msgspec.Struct):
    input: dict[str, Any] | None = None
    output: dict[str, Any] | None = None


def _exchange(texts: _Texts) -> Exchange:
    inputs, outputs = texts.input or {}, texts.output or {}
    return Exchange(_first(inputs.get("raw")), _first(inputs.get("reference")), _first(outputs.get("raw")))


def _first(value: object) -> str | None:
    if isinstance(value, list):
        value = value[0] if value else None
    return None if value is None else str(value)
