"""The items behind a comparison: both scores of each, and the texts that files hold beside them, read when somebody looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import open_source
from outscore.formats.logs.evaluation import Evaluation
from outscore.formats.tables.assemble import open_table
from outscore.formats.tables.cells import label_text, looks_numeric
from outscore.formats.tables.numbers import BARE_FORMATS
from outscore.scores.system import Origin, Scores
from outscore.workflows.compare.matching import match_systems
from outscore.workflows.compare.run import load
from outscore.workflows.requests.compare import CompareRequest

MOST_ITEMS, MOST_COLUMNS, LONGEST = 20_000, 12, 2_000
MOST_CHARACTERS = 6_000_000
"""All texts together: an answer is one line that a process sends to another."""
Texts = Mapping[tuple[str, str], Sequence[str]]
"""Texts by column and system ("" for both), one for each item."""


def items_of(request: CompareRequest) -> dict[str, Any]:
    """Items in the order of the comparison, with both scores; `columns` name the texts of each and whose they are."""
    systems = load(request)
    if systems.corpus or systems.counts:
        raise OutscoreError("These files have no single score for each item.", "The report counts what they hold.")
    panel = match_systems(replace(request, reduce="mean", equal_runs=False), systems).panel("mean", systems)
    rows = panel.matched_rows()
    a, b = rows.a[:, 0] / rows.scale, rows.b[:, 0] / rows.scale
    ids = panel.items if rows.items is None or panel.items is None else [panel.items[i] for i in rows.items.tolist()]
    names = list(ids or (f"row {i + 1}" for i in range(len(a))))[:MOST_ITEMS]
    if systems.evaluations:
        texts = _exchanged(systems.evaluations, systems.names, names)
    else:
        texts = _beside(systems.scores, systems.names, names, by_name=panel.items is not None)
    texts = dict(list(texts.items())[:MOST_COLUMNS])
    longest = min(LONGEST, MOST_CHARACTERS // max(1, len(names) * len(texts)))
    scored = zip(names, a.tolist(), b.tolist(), strict=False)
    return {
        "systems": list(systems.names),
        "total": len(a),
        "columns": [{"name": name, "system": system} for name, system in texts],
        "items": [
            {"id": name, "a": one, "b": other, "texts": [_cut(column[i], longest) for column in texts.values()]}
            for i, (name, one, other) in enumerate(scored)
        ],
    }


def _cut(text: str, longest: int) -> str:
    readable = text.encode("utf-8", "replace").decode()
    return readable if len(readable) <= longest else readable[:longest] + "…"


def _exchanged(pair: Sequence[Evaluation], names: Sequence[str], items: Sequence[str]) -> Texts:
    """Question, right answer and both answers, from logs."""
    first, second = ([one.get(item) for item in items] for one in (_answers(evaluation, items) for evaluation in pair))
    either = [one or other for one, other in zip(first, second, strict=True)]
    found = {
        ("question", ""): [(one and one.question) or "" for one in either],
        ("right answer", ""): [(one and one.target) or "" for one in either],
        ("answer", names[0]): [(one and one.answer) or "" for one in first],
        ("answer", names[1]): [(one and one.answer) or "" for one in second],
    }
    return {column: texts for column, texts in found.items() if any(texts)}


def _answers(evaluation: Evaluation, items: Sequence[str]) -> dict[str, Any]:
    """The exchange of each item; that of the first run if there are several."""
    if evaluation.exchanges is None:
        return {}
    rows = {item: row for row, item in reversed(list(enumerate(evaluation.ids.texts())))}
    known = [item for item in items if item in rows]
    return dict(zip(known, evaluation.exchanges([rows[item] for item in known]), strict=True)) if known else {}


def _beside(pair: Sequence[Scores], names: Sequence[str], items: Sequence[str], *, by_name: bool) -> Texts:
    """Columns of text that play no part: of both systems where they are the same, and else of each."""
    columns = [_columns(one, items, by_name=by_name) for one in pair]
    found: dict[tuple[str, str], Sequence[str]] = {}
    for column in dict.fromkeys([*columns[0], *columns[1]]):
        of_a, of_b = (one.get(column) for one in columns)
        if of_a is None or of_b is None or of_a == of_b:
            found[column, "" if of_a == of_b else names[of_a is None]] = of_a or of_b or ()
        else:
            found |= {(column, names[0]): of_a, (column, names[1]): of_b}
    return found


def _columns(scores: Scores, items: Sequence[str], *, by_name: bool) -> dict[str, list[str]]:
    """The texts of one system's rows by column, in the order of the items; of several rows of one item, those of the first."""
    origin = scores.origin
    if origin is None or origin.format in BARE_FORMATS.values() or (by_name and "item" not in origin.columns):
        return {}
    with open_source(origin.path) as source:
        records = open_table(source)[1]
        used = {column for columns in origin.columns.values() for column in columns}
        # These play a part, and are what a reader wants to see or to choose by.
        told = [column for part in ("gold", "answer", "slice", "dataset") for column in origin.columns.get(part, ())]
        free = [name for name, values in records.sample.items() if name and name not in used and not looks_numeric(values)]
        wanted = [*free, *told][:MOST_COLUMNS]
        if not wanted:
            return {}
        rows: dict[str, list[str]] = {}
        for block in records.blocks([*wanted, *_naming(origin)]):
            for i, key in enumerate(_keys(origin, block.columns, len(rows), len(block.lines), scores.name)):
                if key is not None:
                    rows.setdefault(key, [_text(block.columns[column][i]) for column in wanted])
    keys = items if by_name else [f"row {i + 1}" for i in range(len(items))]
    return {column: [rows[key][j] if key in rows else "" for key in keys] for j, column in enumerate(wanted)}


def _naming(origin: Origin) -> list[str]:
    return [*origin.columns.get("item", ()), *origin.columns.get("system", ())]


def _keys(origin: Origin, columns: Mapping[str, Sequence[object]], seen: int, rows: int, system: str) -> list[str | None]:
    """What the item of each row is called; None for rows of other systems."""
    named = origin.columns.get("item", ())
    keys: list[str | None] = [f"row {seen + i + 1}" for i in range(rows)]
    if len(named) == 1:
        keys = [label_text(value) for value in columns[named[0]]]
    for column in origin.columns.get("system", ()):
        keys = [key if label_text(value) == system else None for key, value in zip(keys, columns[column], strict=True)]
    return keys


def _text(value: object) -> str:
    return "" if value is None else str(value)
