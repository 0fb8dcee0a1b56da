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
from outscore.formats.base.pipes import scannable
from outscore.formats.logs.base.document import decode, field_of, number_of, open_document
from outscore.formats.logs.base.entry import LogPeek, folder_name, task_by_name
from outscore.formats.logs.base.evaluation import Evaluation, Exchange, Row
from outscore.formats.tables.parquet import refuse_damaged
from outscore.scores.system import label_of

if TYPE_CHECKING:
    import polars as pl

NAME = "lighteval"
_FILE = re.compile(r"details_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?)\.parquet")
_STYLES = (("doc", "metric", "model_response"), ("__doc__", "__metric__", "__model_response__"))


class _General(msgspec.Struct, frozen=True):
    model_name: str | None = None


class _Results(msgspec.Struct):
    config_general: _General = _General()
    results: dict[str, dict[str, Any]] = {}


def looks_like_details(peek: LogPeek) -> bool:
    """Whether the Parquet file has a column of documents and one of metrics, or is called so."""
    return any({doc, metric} <= set(peek.columns) for doc, metric, _ in _STYLES) or _FILE.fullmatch(peek.name) is not None


def read_details(path: str) -> list[Evaluation]:
    """The evaluation of a file of details."""
    import polars as pl

    with open_document(path) as document:
        origin = document.origin(NAME, 0, item="doc.id")
    with refuse_damaged(document.label):
        frame = pl.scan_parquet(scannable(path), glob=False)
        schema = frame.collect_schema()
        doc, metric, _ = _style(schema, path)
        table = frame.select(_needed(schema, doc, metric)).collect()
    rows = _rows(table)
    if not rows:
        raise OutscoreError(f"{document.label} contains no row.", "Run the evaluation again.", file=path)
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


def _style(schema: pl.Schema, path: str) -> tuple[str, str, str]:
    """What the columns are called, if they are what they have to be."""
    import polars as pl

    for style in _STYLES:
        doc, metric = schema.get(style[0]), schema.get(style[1])
        named = {field.name for field in doc.fields} if isinstance(doc, pl.Struct) else ()
        if "id" in named and isinstance(metric, pl.Struct):
            return style
    raise OutscoreError(
        f"{label_of(path)} has no column `doc` with a field `id` and no column `metric` with a field per metric.",
        "Write the details again with lighteval.",
        file=path,
    )


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
        scores = {name: number_of(value) for name, value in (record["metric"] or {}).items()}
        specific = record.get("specific") or {}
        groups = {name: str(value) for name, value in specific.items() if isinstance(value, (str, int, bool))}
        state = "unscored" if all(map(math.isnan, scores.values())) else "scored"
        # An id may be empty: rows are then told apart by their order.
        item = str(record["id"]) if record["id"] not in (None, "") else f"row {index}"
        rows.append(Row(item, scores, state, content=record.get("content"), groups=groups))  # type: ignore[arg-type]
    return rows


def _named(path: str, task: str | None) -> tuple[str, str, dict[str, float]]:
    """The system, the task and the totals, by the results that were written with the details."""
    match = _FILE.fullmatch(Path(path).name)
    named = task or (match["task"] if match else task_by_name(path, Path(path).stem))
    folder = Path(path).resolve().parent
    parts = folder.parts
    if match is None or "details" not in parts:
        return folder_name(path), named, {}
    place = len(parts) - 1 - parts[::-1].index("details")
    system = "/".join(parts[place + 1 : -1]) or folder.name
    beside = Path(*parts[:place], "results", *parts[place + 1 : -1], f"results_{match['time']}.json")
    if not beside.is_file():
        return system, named, {}
    with open_document(beside) as document:
        results = decode(document.data, _Results, str(beside))
    reported = results.results.get(named.replace("|", ":")) or results.results.get(named) or {}
    totals = {name: number_of(value) for name, value in reported.items()}
    return results.config_general.model_name or system, named, totals


def _exchanges(path: str, wanted: Sequence[int]) -> list[Exchange]:
    import polars as pl

    with refuse_damaged(label_of(path)):
        frame = pl.scan_parquet(scannable(path), glob=False)
        schema = frame.collect_schema()
        doc, _, response = _style(schema, path)
        columns = [pl.col(name) for name in (doc, response) if name in schema]
        table = frame.with_row_index("row").filter(pl.col("row").is_in(list(wanted))).select("row", *columns).collect()
    exchanges = {record["row"]: _exchange(record[doc], record.get(response)) for record in table.iter_rows(named=True)}
    return [exchanges[row] for row in wanted]


def _exchange(doc: object, response: object) -> Exchange:
    texts, choices = field_of(response, "text"), field_of(doc, "choices")
    gold = field_of(doc, "gold_index")
    gold = gold[0] if isinstance(gold, list) and gold else gold
    listed = choices if isinstance(choices, list) else []
    target = listed[gold] if isinstance(gold, int) and 0 <= gold < len(listed) else None
    answer = texts[0] if isinstance(texts, list) and texts else None
    return Exchange(_text(field_of(doc, "query")), _text(target), _text(answer))


def _text(value: object) -> str | None:
    return None if value is None else str(value)
