"""Tables with a system in every row and an item in every column, turned so that they read as all others do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.formats.base.entry import Choice
from outscore.formats.base.source import shorten
from outscore.formats.tables.cells import is_scalar, looks_numeric
from outscore.formats.tables.names import USUAL, join_names, normalize_name
from outscore.formats.tables.records import Block, Records

ITEM = "item"
"""What the column of the former column names is called."""


def transposed(records: Records, choice: Choice) -> tuple[Records, Choice]:
    """The table with rows and columns exchanged, and what was said about its columns, as it then holds.

    The column of the systems' names is the one with a usual name of systems or items, or else the first. All other columns are
    items.
    """
    name = choice.system or _names_column(records)
    items = [column for column in records.columns if column != name]
    texts = [column for column in items if not looks_numeric(records.sample[column])]
    if texts:
        raise OutscoreError(
            f"{records.label}: no numbers in {join_names(texts)}, but in a transposed table all columns except `{name}` are "
            "items.",
            "Leave such columns out of the file, or name the column of the systems with --system-column.",
            parameter="transpose",
        )
    blocks = list(records.blocks((name, *items)))
    lines = [int(line) for block in blocks for line in block.lines]
    systems = [_name(value) for block in blocks for value in block.columns[name]]
    _refuse_names(records, name, systems, lines)
    label = ITEM if ITEM not in systems else f"{ITEM} "
    rows = {column: [value for block in blocks for value in block.columns[column]] for column in items}
    columns: dict[str, list[object]] = {label: list(items)}
    columns |= {system: [rows[column][i] for column in items] for i, system in enumerate(systems)}

    def transposed_blocks(needed: Sequence[str]) -> Iterator[Block]:
        yield Block(np.arange(1, len(items) + 1), {column: columns[column] for column in needed})

    sample = {column: values[:20] for column, values in columns.items()}
    table = Records(records.label, (label, *systems), sample, transposed_blocks, "row", records.path)
    return table, replace(choice, item=label, system=None, systems=choice.systems or tuple(systems), transpose=False)


def _name(value: object) -> str:
    return str(value).strip() if is_scalar(value) and value is not None else ""


def _names_column(records: Records) -> str:
    for part in ("system", "item"):
        for tier in USUAL[part]:
            columns = [column for column in records.columns if normalize_name(column) in tier]
            if columns:
                return columns[0]
    return records.columns[0]


def _refuse_names(records: Records, column: str, systems: Sequence[str], lines: Sequence[int]) -> None:
    if not systems:
        records.refuse_empty()
    seen: set[str] = set()
    for system, line in zip(systems, lines, strict=True):
        if not system:
            records.refuse(line, f"`{column}` is empty", "Name the system of every row.")
        if system in seen:
            records.refuse(
                line, f"the system `{shorten(system)}` appears for the second time", "Give each system only one row."
            )
        seen.add(system)
