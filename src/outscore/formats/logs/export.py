"""Any log as Every Eval Ever: a line per row and score, and the aggregate beside the lines.

What the schema has no field for (the score's name, the repeat, why a row has no score, columns to group by) stands in the
`metadata` of a line. The conditions of a run, what it calls a repeat, and whether rows without a score count as 0 stand in the
`source_data` of its result. The reader finds them again there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from outscore.formats.logs.evaluation import NOTHING, STATES, Evaluation, Exchange, Measure
from outscore.formats.logs.every_eval_ever import MISSING, REPEATED_BY, RESERVED, result_id

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
        "evaluation": {"score": _number(value), "is_correct": bool(value) if value in (0, 1) else None},
        "error": state if state == "errored" else None,
        "metadata": {
            "metric": name,
            **({} if evaluation.filter is None else {"filter": evaluation.filter}),
            **({} if evaluation.repeats is None else {"repeat": evaluation.repeats[row]}),
            **({} if state == "scored" else {"state": state}),
            **{column: labels[row] for column, labels in evaluation.groups.items() if column not in RESERVED},
        },
    }


def _number(value: float) -> float | str | None:
    """A score as the schema writes it: infinities are words, and what is missing is null."""
    if math.isnan(value):
        return None
    return str(value) if math.isinf(value) else value


def _result(evaluation: Evaluation, name: str, measure: Measure) -> dict[str, Any] | None:
    zero = evaluation.zero_missing
    scored = np.nan_to_num(measure.values, nan=0.0) if zero else measure.values[~np.isnan(measure.values)]
    if not len(scored):
        return None
    direction = {} if measure.higher_is_better is None else {"lower_is_better": not measure.higher_is_better}
    total = float(scored.mean()) if measure.total is None else measure.total
    details = dict(evaluation.conditions)
    if evaluation.repeats is not None:
        details[REPEATED_BY] = evaluation.repeat_column
    if zero:
        details.update([MISSING])
    return {
        "evaluation_name": _name(evaluation),
        "evaluation_result_id": result_id(evaluation.system, _name(evaluation), name),
        "source_data": {
            "dataset_name": evaluation.task,
            "source_type": "other",
            "additional_details": details,
        },
        "metric_config": {"evaluation_description": name, **direction},
        "score_details": {"score": _number(total)},
    }
