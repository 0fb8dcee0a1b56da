"""One table with the answers of several systems: a column for each beside the right answers, or a row per item and system."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.formats.base.source import open_source
from outscore.formats.tables.answers import answer_columns
from outscore.formats.tables.assemble import open_table
from outscore.formats.tables.finder import ColumnFinder
from outscore.formats.tables.labels import items_of
from outscore.formats.tables.names import EITHER, PREDICTED, RIGHT, USUAL, join_names
from outscore.outputs.model import Items
from outscore.scores.system import Labels

__all__ = ["LabelTable", "read_label_table"]

_SHAPES = "Give columns id, gold and one for each system; or id, system, prediction and gold."
_RENAME = "Rename the others, or take them out."


@dataclass(frozen=True, eq=False)
class LabelTable:
    """The right answers and the systems of one table, and how it was read."""

    gold: Items
    systems: dict[str, Items]
    reading: str


@dataclass(frozen=True)
class _Columns:
    """`answers` has a column for each system, or one where `system` names the column of systems."""

    gold: str
    answers: tuple[str, ...]
    system: str | None


def read_label_table(path: str | os.PathLike[str], gold_name: str = "gold") -> LabelTable:
    r"""The right answers and the answers of all systems in one table.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "answers.csv")
    ...     _ = path.write_text("id,gold,old,new\nq1,yes,no,yes\nq2,no,no,no\n")
    ...     table = read_label_table(path)
    >>> list(table.systems), table.systems["new"].answers.names
    (['old', 'new'], ('yes', 'no'))
    """
    if os.fspath(path) == "-":
        raise OutscoreError(
            "A table of several systems is read more than once, which standard input cannot be.", "Name a file."
        )
    columns, label = _find_columns(path)
    if columns.system is None:
        table = _wide(path, columns, gold_name)
    else:
        table = _long(path, columns, columns.system, gold_name)
    return replace(table, reading=f"{label}: {table.reading}")


def _find_columns(path: str | os.PathLike[str]) -> tuple[_Columns, str]:
    """Which columns hold the right answers, the systems and their answers; and what messages call the file."""
    with open_source(path) as source:
        records = open_table(source)[1]
    finder = ColumnFinder(records, ())
    system = finder.find("system", USUAL["system"], _RENAME)
    prediction = finder.find("prediction", PREDICTED, _RENAME)
    gold = finder.find("gold", (*RIGHT, *EITHER), _RENAME)
    if gold is None:
        raise OutscoreError(f"{records.label} has no column of right answers among {join_names(records.columns)}.", _SHAPES)
    if system is not None and prediction is not None:
        return _Columns(gold, (prediction,), system), records.label
    answers = answer_columns(records, finder, gold) or (() if prediction is None else (prediction,))
    if not answers:
        others = [name for name in records.columns if name != gold]
        raise OutscoreError(
            f"{records.label} has no column with answers like those of `{gold}` among {join_names(others)}.", _SHAPES
        )
    return _Columns(gold, answers, None), records.label


def _wide(path: str | os.PathLike[str], columns: _Columns, gold_name: str) -> LabelTable:
    def read(name: str, column: str) -> Items:
        with open_source(path) as source:
            items = items_of(source, name, role="gold", answer=column)
        return _without(items, (columns.gold, *columns.answers))

    gold = read(gold_name, columns.gold)
    systems = {name: read(name, name) for name in columns.answers}
    what = "is a system's answers" if len(systems) == 1 else "are the systems' answers"
    return LabelTable(gold, systems, f"`{columns.gold}` holds the right answers, {join_names(columns.answers)} {what}.")


def _long(path: str | os.PathLike[str], columns: _Columns, system: str, gold_name: str) -> LabelTable:
    with open_source(path) as source:
        everything = items_of(source, role="system", answer=columns.answers[0], gold=columns.gold, slices=(system,))
    labels = everything.slices[system]
    items = _without(everything, (system,))
    systems = {
        name: replace(items.take(np.flatnonzero(labels.codes == code)), name=name) for code, name in enumerate(labels.names)
    }
    parts = f"`{columns.answers[0]}` the answers of the {len(systems)} systems in `{system}`"
    return LabelTable(_right_answers(items, gold_name), systems, f"`{columns.gold}` holds the right answers, {parts}.")


def _right_answers(items: Items, name: str) -> Items:
    """The right answers of a table that repeats an item for each system, once for each item."""
    assert items.gold is not None
    first = _first_rows(items.ids)
    differ = np.flatnonzero(items.gold.codes != items.gold.codes[first[items.ids.codes]])
    if len(differ):
        row = int(differ[0])
        raise OutscoreError(
            f"{items.place(row)}: the right answer to `{items.ids[row]}` is `{items.gold[row]}`, and before it was "
            f"`{items.gold[int(first[items.ids.codes[row]])]}`.",
            "Give an item the same right answer in all rows.",
        )
    gold = items.take(first)
    assert gold.gold is not None
    return replace(gold, name=name, answers=gold.gold, gold=None)


def _first_rows(ids: Labels) -> Array:
    return np.unique(ids.codes, return_index=True)[1]


def _without(items: Items, columns: Iterable[str]) -> Items:
    """The items without columns that are no texts: answers of other systems, or the systems' names."""
    left = set(columns)
    return replace(
        items,
        slices={name: labels for name, labels in items.slices.items() if name not in left},
        texts={name: labels for name, labels in items.texts.items() if name not in left},
    )
