"""A diff as one table of numbers with all digits, for spreadsheets: a line for every pair, label, slice and transition."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

from outscore.results.diff import Diff, Pair, Part, Shift
from outscore.results.pvalue import PValue

__all__ = ["COLUMNS", "render_csv"]

COLUMNS = (
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


def render_csv(diff: Diff) -> str:
    """One line per row of the tables; `row` says what it is: pair, metric, label, slice, correction, new_error, changed_error.

    Of a single system there are labels alone.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(row for pair in diff.pairs for row in _pair_rows(pair))
    if not diff.pairs and diff.oracle is not None:
        own = {"row": "label", "first": diff.systems[0], "criterion": diff.oracle.criterion, "column": "label"}
        writer.writerows({**own, "value": row.label, "n": row.n, "first_score": row.scores[0]} for row in diff.oracle.labels)
    return text.getvalue()


def _pair_rows(pair: Pair) -> Iterator[dict[str, Any]]:
    own = {"first": pair.systems[0], "second": pair.systems[1], "criterion": pair.criterion}
    yield {"row": "pair", **own, "value": pair.metric, "n": pair.n, **_change(pair)}
    for metric in pair.metrics:
        yield {"row": "metric", **own, "value": metric.metric, **_change(metric)}
    for kind, parts in (("label", pair.labels), ("slice", pair.slices)):
        yield from ({"row": kind, **own, **_part(part)} for part in parts)
    for name, shifts in pair.transitions.items():
        yield from ({"row": name, **own, **_shift(shift)} for shift in shifts)


def _change(found: Any) -> dict[str, Any]:  # noqa: ANN401 - a pair or one of its scores
    ends = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
    return {**_scores(found.first, found.second, found.difference, *ends), **_p(found.p)}


def _part(part: Part) -> dict[str, Any]:
    scores = _scores(part.first, part.second, part.difference, part.low, part.high)
    return {"column": part.column, "value": part.value, "n": part.n, **scores, **_p(part.p)}


def _scores(first: float, second: float, difference: float, low: float | None, high: float | None) -> dict[str, Any]:
    return {"first_score": first, "second_score": second, "difference": difference, "low": low, "high": high}


def _shift(shift: Shift) -> dict[str, Any]:
    labels = {"gold": shift.gold, "from": shift.source, "to": shift.target}
    return {**labels, "n": shift.count, "mirror": shift.mirror, **_p(shift.p)}


def _p(p: PValue | None) -> dict[str, Any]:
    return {} if p is None else {"p": p.value, "p_adjusted": p.adjusted}
