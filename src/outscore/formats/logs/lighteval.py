"""lighteval: `details_<task>_<time>.parquet` with a document, a response and a struct of metrics per row.

Older versions call the columns `__doc__`, `__model_response__` and `__metric__`. The model is named by the folders, or by the
results that stand beside the details.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from outscore.core.errors import OutscoreError
from outscore.formats.logs.document import decode, field_of, open_document
from outscore.formats.logs.entry import LogPeek
from outscore.formats.logs.evaluation import Evaluation, Exchange, Row
from outscore.formats.tables.parquet import refuse_damaged

if TYPE_CHECKING:
    import polars as pl

__all__ = ["NAME", "looks_like_details", "read_details"]

NAME = "lighteval"
_FILE = re.compile(r"details_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.parquet")
_STYLES = (("doc", "metric", "model_response"), ("__doc__", "__metric__", "__model_response__"))


class _Results(msgspec.Struct):
    config_general: dict[str, Any] = {}
    results: dict[str, dict[str, Any]] = {}


def looks_like_details(peek: LogPeek) -> bool:
    """Whether the Parquet file has a column of documents and one of metrics."""
    return any({doc, metric} <= set(peek.columns) for doc, metric, _ in _STYLES)


def read_details(path: str) -> list[Evaluation]:
    """The evaluation of a file of details."""
    import polars as pl

    with open_document(path) as document:
        origin = document.origin(NAME, 0, item="doc.id")
    with refuse_damaged(document.label):
        frame = pl.scan_parquet(path, glob=False)
        schema = frame.collect_schema()
        doc, metric, _ = next(style for style in _STYLES if style[0] in schema.names())
        if not isinstance(schema[metric], pl.Struct) or not isinstance(schema[doc], pl.Struct):
            raise OutscoreError(
                f"{document.label}: `{metric}` is not a struct with a field per metric.", "Write the details again.", file=path
            )
        table = frame.select(_needed(schema, doc, metric)).collect()
    rows = _rows(table)
    if not rows:
        raise OutscoreError(f"{document.label} holds no row.", "Run the evaluation again.", file=path)
    name, task, totals = _named(path, str(table["task"][0]) if "task" in table.columns else None)
    return [
        Evaluation.of(
            rows,
            harness=NAME,
            system=name,
            task=task,
            origin=type(origin)(origin.path, origin.sha256, len(rows), NAME, origin.columns, "row"),
            totals=totals,
            exchanges=lambda wanted: _exchanges(path, wanted),
        )
    ]


def _needed(schema: pl.Schema, doc: str, metric: str) -> list[pl.Expr]:
    import polars as pl

    inside = {field.name: field.dtype for field in schema[doc].fields}  # type: ignore[attr-defined] # a struct
    chosen = [pl.col(metric).alias("metric"), pl.col(doc).struct.field("id").alias("id")]
    if "query" in inside:
        chosen.append(pl.col(doc).struct.field("query").hash().cast(pl.String).alias("content"))
    if "task_name" in inside:
        chosen.append(pl.col(doc).struct.field("task_name").alias("task"))
    if isinstance(inside.get("specific"), pl.Struct):
        chosen.append(pl.col(doc).struct.field("specific").alias("specific"))
    return chosen


def _rows(table: pl.DataFrame) -> list[Row]:
    rows = []
    for index, record in enumerate(table.iter_rows(named=True), 1):
        scores = {name: _number(value) for name, value in record["metric"].items()}
        specific = record.get("specific") or {}
        groups = {name: str(value) for name, value in specific.items() if isinstance(value, (str, int, bool))}
        state = "unscored" if all(map(math.isnan, scores.values())) else "scored"
        # An id may be empty: rows are then told apart by their order.
        item = str(record["id"]) if record["id"] not in (None, "") else f"row {index}"
        rows.append(Row(item, scores, state, content=record.get("content"), groups=groups))  # type: ignore[arg-type]
    return rows


def _number(value: object) -> float:
    return float(value) if isinstance(value, (bool, int, float)) else math.nan


def _named(path: str, task: str | None) -> tuple[str, str, dict[str, float]]:
    """The system, the task and the totals, by the results that were written with the details."""
    match = _FILE.fullmatch(Path(path).name)
    named = task or (match["task"] if match else Path(path).stem)
    folder = Path(path).resolve().parent
    parts = folder.parts
    if match is None or "details" not in parts:
        return folder.name, named, {}
    place = len(parts) - 1 - parts[::-1].index("details")
    system = "/".join(parts[place + 1 : -1]) or folder.name
    beside = Path(*parts[:place], "results", *parts[place + 1 : -1], f"results_{match['time']}.json")
    if not beside.is_file():
        return system, named, {}
    with open_document(beside) as document:
        results = decode(document.data, _Results, str(beside))
    reported = results.results.get(named.replace("|", ":")) or results.results.get(named) or {}
    totals = {name: float(value) for name, value in reported.items() if isinstance(value, (int, float))}
    return str(results.config_general.get("model_name") or system), named, totals


def _exchanges(path: str, wanted: Sequence[int]) -> list[Exchange]:
    import polars as pl

    frame = pl.scan_parquet(path, glob=False)
    doc, _, response = next(style for style in _STYLES if style[0] in frame.collect_schema().names())
    table = frame.select(doc, response).collect()
    return [_exchange(table[doc][row], table[response][row]) for row in wanted]


def _exchange(doc: dict[str, Any], response: dict[str, Any] | None) -> Exchange:
    texts = field_of(response or {}, "text") or []
    choices, gold = doc.get("choices") or [], doc.get("gold_index")
    target = choices[gold] if isinstance(gold, int) and 0 <= gold < len(choices) else None
    return Exchange(doc.get("query"), target, str(texts[0]) if len(texts) else None)
