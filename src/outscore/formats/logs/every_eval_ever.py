"""Every Eval Ever: samples beside their aggregate, read like any log, and written from any log."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import shorten, stem_of
from outscore.formats.json import Shape, field_of
from outscore.formats.logs.document import Document, LogPeek, Piece
from outscore.formats.logs.engine import LogFormat
from outscore.formats.logs.evaluation import NOTHING, STATES, Evaluation, Exchange, Measure, Row, State
from outscore.scores.system import label_of

# Every Eval Ever: `<id>_samples.jsonl`, a line per sample and evaluation, beside the aggregate `<id>.json`.
#
# Lines of different evaluations (a task scored by several filters) stand in one file and are told apart by
# `evaluation_name` and `evaluation_result_id`. Which direction is better stands in the aggregate only. A converter that
# cannot score samples writes 0 for each of them: beside an aggregate that is not 0 such a file is refused.
#
# The schema has one score for each line. Files that `export` wrote name it in the `metadata`, so that the lines of one row
# are one row again.


ENDING = "_samples.jsonl"
SCORE = "score"
RESERVED = ("doc_hash", "prompt_hash", "target_hash", "filter", "lm_eval_metrics", "metric", "repeat", "state")
"""Keys of the metadata that are not columns to group by."""
MISSING = ("rows_without_score", "count as 0")
"""What the details of a result say where boards of the harness it comes from count rows without a score as 0."""
REPEATED_BY = "repeated_by"
"""Where the details of a result say what its harness calls a repeat: runs of everything are not epochs of single items."""


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


_AGGREGATE = Shape(
    {
        "evaluation_results": [
            Shape(
                {
                    "evaluation_name": str,
                    "evaluation_result_id": str | None,
                    "source_data.additional_details": dict[str, Any] | None,
                    "metric_config.lower_is_better": bool | None,
                    "score_details.score": float | str | None,
                }
            )
        ]
    }
)


def _header(document: Document) -> dict[str, Any]:
    """What the aggregate reports by the name and by the id of each result, and the filter of each part."""
    name = aggregate_path(document.path).name
    aggregate = None if name == Path(document.path).name else document.beside(name, _AGGREGATE)
    results = [] if aggregate is None else aggregate["evaluation_results"]
    keys = ("evaluation_name", "evaluation_result_id")
    return {"results": {result[key]: result for key in keys for result in results if result[key]}, "filters": {}}


def aggregate_path(path: str) -> Path:
    """Where the aggregate of a file of samples is.

    Examples
    --------
    >>> aggregate_path("data/amber_samples.jsonl.gz").as_posix()
    'data/amber.json'
    """
    return Path(path).with_name(stem_of(path).removesuffix("_samples") + ".json")


def result_id(system: str, name: str, metric: str) -> str:
    """What `export` calls one score of one evaluation."""
    return f"{system}/{name}/{metric}"


def _is_samples(peek: LogPeek) -> bool:
    """Whether the first line is a sample of the schema, or the name is that of samples with their aggregate beside them."""
    if {"schema_version", "evaluation_name", "sample_id", "evaluation"} <= peek.first_line.keys():
        return True
    return peek.stem.endswith("_samples") and not peek.first_line and aggregate_path(peek.path).is_file()


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


def _row(document: Document, line: Piece) -> Row:
    sample: _Sample = document.decode(line, _Sample)
    score = _number(sample.evaluation.score, document.path, line.line)
    if math.isnan(score) and sample.evaluation.is_correct is not None:
        score = float(sample.evaluation.is_correct)
    metric = sample.detail("metric")
    # Lines that name their metric differ in the id of the result.
    part = (sample.model_id, sample.evaluation_name, sample.evaluation_result_id if metric is None else None)
    document.header["filters"].setdefault(part, sample.detail("filter"))
    metadata = sample.metadata or {}
    return Row(
        str(sample.sample_id),
        {metric or SCORE: score},
        _state(sample, score),
        sample.detail("repeat"),
        sample.sample_hash,
        {name: value for name, value in metadata.items() if name not in RESERVED and isinstance(value, str)},
        part,
    )


def _state(sample: _Sample, score: float) -> State:
    unscored = math.isnan(score)
    state = sample.detail("state")
    if state in STATES and (state == "scored") != unscored:
        return state
    if sample.error is not None:
        return "errored"
    return "unscored" if unscored else "scored"


def _merge_metrics(_: Document, rows: list[Row]) -> list[Row]:
    """One row for lines that differ in their metric only."""
    merged: list[Row] = []
    places: dict[tuple[object, ...], int] = {}
    for row in rows:
        key = (row.part, row.item, row.repeat)
        earlier = merged[places[key]] if key in places else None
        if earlier is None or earlier.scores.keys() & row.scores.keys():
            places[key] = len(merged)
            merged.append(row)
        else:
            earlier.scores = {**earlier.scores, **row.scores}
            earlier.state = row.state if earlier.state == "unscored" else earlier.state
    return merged


def _facts(document: Document, rows: Sequence[Row]) -> dict[str, Any]:
    results, part = document.header["results"], cast("tuple[str, str, str | None]", rows[0].part)
    system, name, _ = part
    metrics = dict.fromkeys(metric for row in rows for metric in row.scores)
    reported = {metric: results.get(result_id(system, name, metric)) or results.get(name) for metric in metrics}
    results = {metric: result for metric, result in reported.items() if result is not None}
    lower = {metric: result["metric_config.lower_is_better"] for metric, result in results.items()}
    conditions = dict(next((result["source_data.additional_details"] for result in results.values()), None) or {})
    filter_name = document.header["filters"][part]
    filter_name = None if filter_name == "none" else filter_name
    return {
        "system": system,
        "task": name if filter_name is None else name.removesuffix(f"/{filter_name}"),
        "filter": filter_name,
        "directions": {metric: not value for metric, value in lower.items() if value is not None},
        "totals": {metric: _total(document, result, metric, rows) for metric, result in results.items()},
        "repeat_column": str(conditions.pop(REPEATED_BY, "repeat")),
        "zero_missing": str(conditions.pop(MISSING[0], None)) == MISSING[1],
        "conditions": {name: str(value) for name, value in conditions.items()},
    }


def _total(document: Document, result: Mapping[str, Any], metric: str, rows: Sequence[Row]) -> float:
    """What the aggregate reports for a score; refused where it cannot be that of the samples."""
    total = _number(result["score_details.score"], str(aggregate_path(document.path)))
    if total and not math.isnan(total) and all(row.scores.get(metric) == 0 for row in rows):
        document.refuse(
            f": all {len(rows)} samples of {result['evaluation_name']} score 0 beside a total of {total:.6g}, "
            "so the samples were not scored.",
            "Compare the log that they were converted from.",
        )
    return total


def _first(value: object) -> str | None:
    if isinstance(value, list):
        value = value[0] if value else None
    return None if value is None else str(value)


EVERY_EVAL_EVER = LogFormat(
    harness="every-eval-ever",
    recognise=_is_samples,
    header=_header,
    row=_row,
    arrange=_merge_metrics,
    facts=_facts,
    columns={"item": "sample_id", "system": "model_id"},
    reread=Shape({"input": dict[str, Any] | None, "output": dict[str, Any] | None}),
    exchange=lambda sample: Exchange(
        *(_first(field_of(sample, path)) for path in ("input.raw", "input.reference", "output.raw"))
    ),
    empty=("is empty", "Convert the evaluation again."),
    companions=("*.json",),
)


# Any log as Every Eval Ever: a line per row and score, and the aggregate beside the lines.
#
# What the schema has no field for (the score's name, the repeat, why a row has no score, columns to group by) stands in the
# `metadata` of a line. The conditions of a run, what it calls a repeat, and whether rows without a score count as 0 stand
# in the `source_data` of its result. The reader finds them again there.


SCHEMA = "0.3.0"
# Questions and answers are read again, this many rows at a time.
AT_ONCE = 10_000


def sample_lines(evaluations: Sequence[Evaluation]) -> Iterator[bytes]:
    """One line for each row and score; texts to be scored together have no score of a row, and are refused."""
    for evaluation in evaluations:
        scored = _measures(evaluation)
        for start in range(0, evaluation.rows, AT_ONCE):
            rows = range(start, min(start + AT_ONCE, evaluation.rows))
            exchanges = [NOTHING] * len(rows) if evaluation.exchanges is None else evaluation.exchanges(rows)
            for row, exchange in zip(rows, exchanges, strict=True):
                for name, measure in scored.items():
                    yield msgspec.json.encode(_sample(evaluation, name, measure, row, exchange)) + b"\n"


def aggregate(evaluations: Sequence[Evaluation]) -> bytes:
    """The totals of all evaluations, with the direction of each score."""
    systems = list(dict.fromkeys(one.system for one in evaluations))
    results = [_result(one, name, measure) for one in evaluations for name, measure in _measures(one).items()]
    aggregate = {
        "schema_version": SCHEMA,
        "evaluation_id": "/".join([evaluations[0].task, *systems]),
        "source_metadata": {"source_name": evaluations[0].harness, "source_type": "evaluation_run"},
        "eval_library": {"name": evaluations[0].harness},
        # The schema has one model for each file: of several, the lines say which is meant.
        "model_info": {"name": ", ".join(systems), "id": ", ".join(systems)},
        "evaluation_results": [result for result in results if result is not None],
    }
    return msgspec.json.format(msgspec.json.encode(aggregate), indent=1) + b"\n"


def _measures(evaluation: Evaluation) -> dict[str, Measure]:
    measures = {name: measure for name, measure in evaluation.measures.items() if not measure.corpus}
    if not measures:
        finding = f": {evaluation.task} is scored as a whole, so its rows have no scores to convert."
        evaluation.refuse(finding, "Leave this task out: name only the logs of the others.")
    return measures


def _name(evaluation: Evaluation) -> str:
    filtered = evaluation.filter in (None, "none")
    return evaluation.task if filtered else f"{evaluation.task}/{evaluation.filter}"


def _sample(evaluation: Evaluation, name: str, measure: Measure, row: int, exchange: Exchange) -> dict[str, Any]:
    value = float(measure.values[row])
    state = STATES[int(evaluation.states[row])]
    contents = evaluation.contents
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{evaluation.task}/{evaluation.system}",
        "model_id": evaluation.system,
        "evaluation_name": _name(evaluation),
        "evaluation_result_id": result_id(evaluation.system, _name(evaluation), name),
        "sample_id": evaluation.ids[row],
        "sample_hash": None if contents is None else contents[row],
        "interaction_type": "single_turn",
        "input": {"raw": exchange.question or "", "reference": [] if exchange.target is None else [exchange.target]},
        "output": None if exchange.answer is None else {"raw": [exchange.answer]},
        "evaluation": {"score": _written_number(value), "is_correct": bool(value) if value in (0, 1) else None},
        "error": state if state == "errored" else None,
        "metadata": {
            "metric": name,
            **({} if evaluation.filter is None else {"filter": evaluation.filter}),
            **({} if evaluation.repeats is None else {"repeat": evaluation.repeats[row]}),
            **({} if state == "scored" else {"state": state}),
            **{column: labels[row] for column, labels in evaluation.groups.items() if column not in RESERVED},
        },
    }


def _written_number(value: float) -> float | str | None:
    """A score as the schema writes it: infinities are words, and what is missing is null."""
    if math.isnan(value):
        return None
    return str(value) if math.isinf(value) else value


def _result(evaluation: Evaluation, name: str, measure: Measure) -> dict[str, Any] | None:
    scored = evaluation.counted(measure.values)
    if not len(scored):
        return None
    direction = {} if measure.higher_is_better is None else {"lower_is_better": not measure.higher_is_better}
    total = float(scored.mean()) if measure.total is None else measure.total
    details = dict(evaluation.conditions)
    if evaluation.repeats is not None:
        details[REPEATED_BY] = evaluation.repeat_column
    if evaluation.zero_missing:
        details.update([MISSING])
    return {
        "evaluation_name": _name(evaluation),
        "evaluation_result_id": result_id(evaluation.system, _name(evaluation), name),
        "source_data": {"dataset_name": evaluation.task, "source_type": "other", "additional_details": details},
        "metric_config": {"evaluation_description": name, **direction},
        "score_details": {"score": _written_number(total)},
    }
