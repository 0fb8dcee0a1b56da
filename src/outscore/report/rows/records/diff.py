"""Records of diffs: pairs, their labels and slices, and the errors that changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from outscore.report.document import Record, Records
from outscore.results.diff import Diff, Pair, Shift
from outscore.results.pvalue import PValue
from outscore.results.subset import ScoredSubset

__all__ = ["DIFF_COLUMNS", "diff", "diff_table"]

DIFF_COLUMNS = (
    "row",
    "first",
    "second",
    "criterion",
    "column",
    "value",
    "gold",
    "from",
    "to",
    "n",
    "mirror",
    "first_score",
    "second_score",
    "difference",
    "low",
    "high",
    "p",
    "p_adjusted",
)


def diff(found: Diff) -> Records:
    """One record per row of the tables.

    `row` says what it is: pair, metric, label, slice, correction, new_error, changed_error. A single system has labels alone.
    """
    rows: list[Record] = [row for pair in found.pairs for row in _diff_pair(pair)]
    if not found.pairs and found.oracle is not None:
        own = {"row": "label", "first": found.systems[0], "criterion": found.oracle.criterion, "column": "label"}
        rows = [{**own, "value": row.label, "n": row.n, "first_score": row.scores[0]} for row in found.oracle.labels]
    return Records(DIFF_COLUMNS, tuple(rows))


DIFF_TABLES = {
    "pairs": (("pair", "metric"), ("column", "gold", "from", "to", "mirror")),
    "labels": (("label", "slice"), ("gold", "from", "to", "mirror")),
    "transitions": (
        ("correction", "new_error", "changed_error"),
        ("column", "value", "first_score", "second_score", "difference", "low", "high"),
    ),
}
"""The rows that a table of a diff has, and the columns that are never filled in it."""


def diff_table(found: Diff, table: str) -> Records:
    """The rows of one table of a diff, with the columns that it fills."""
    kinds, empty = DIFF_TABLES[table]
    whole = diff(found)
    columns = tuple(name for name in whole.columns if name not in empty)
    return Records(columns, tuple(row for row in whole.rows if row["row"] in kinds))


def _diff_pair(pair: Pair) -> Iterator[Record]:
    own = {"first": pair.systems[0], "second": pair.systems[1], "criterion": pair.criterion}
    yield {"row": "pair", **own, "value": pair.metric, "n": pair.n, **_change(pair)}
    for metric in pair.metrics:
        yield {"row": "metric", **own, "value": metric.metric, **_change(metric)}
    for kind, parts in (("label", pair.labels), ("slice", pair.slices)):
        yield from ({"row": kind, **own, **_part(part)} for part in parts)
    for name, shifts in pair.transitions.items():
        yield from ({"row": name, **own, **_shift(shift)} for shift in shifts)


def _change(found: Any) -> Record:  # noqa: ANN401 - a pair or one of its scores
    ends = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
    return {**_scores(found.first, found.second, found.difference, *ends), **_p(found.p)}


def _part(part: ScoredSubset) -> Record:
    scores = _scores(part.first, part.second, part.difference, part.low, part.high)
    return {"column": part.column, "value": part.value, "n": part.n, **scores, **_p(part.p)}


def _scores(first: float, second: float, difference: float, low: float | None, high: float | None) -> Record:
    return {"first_score": first, "second_score": second, "difference": difference, "low": low, "high": high}


def _shift(shift: Shift) -> Record:
    labels = {"gold": shift.gold, "from": shift.source, "to": shift.target}
    return {**labels, "n": shift.count, "mirror": shift.mirror, **_p(shift.p)}


def _p(p: PValue | None) -> Record:
    return {} if p is None else {"p": p.value, "p_adjusted": p.adjusted}
