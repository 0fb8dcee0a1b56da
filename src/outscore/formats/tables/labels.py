"""A label per item: CSV, TSV, JSON lines or Parquet with an item column, an answer column, and perhaps the right answers.

Columns are recognised by their usual names. Names such as `label` and `answer` can mean both: next to a
column of predictions they hold the right answers. All other columns are kept, to split by or to show.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TypedDict, Unpack

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.formats.base.source import Peek, Source, stem_of
from outscore.formats.tables import delimited, jsonl
from outscore.formats.tables.assemble import open_table
from outscore.formats.tables.cells import LabelColumn, label_text, looks_numeric
from outscore.formats.tables.finder import ColumnFinder, is_list, is_nested, listed
from outscore.formats.tables.names import (
    EITHER,
    PREDICTED,
    RIGHT,
    SLICES,
    USUAL,
    Tiers,
    holds_answers,
    is_known,
    is_score,
    join_names,
    normalize_name,
    suggest_name,
)
from outscore.formats.tables.records import Records
from outscore.outputs.model import SET_SEPARATOR, Items
from outscore.scores.system import Labels, Origin

__all__ = ["LabelOptions", "Role", "items_of", "looks_like_labels"]

Role = Literal["system", "gold", "either"]
# A column with more values than this is a text to show, not a way to split the items.
MAX_SLICES = 50


class LabelOptions(TypedDict, total=False):
    """How to read a table of labels.

    Parameters
    ----------
    role
        ``"system"``, the default, reads a system's answers, with the right ones if the file has them.
        ``"gold"`` reads the right answers as the file's answers. ``"either"`` is ``"system"``, or ``"gold"``
        if the file has right answers only.
    item, answer, gold, cluster
        Columns. Those left out are recognised by their usual names, except `cluster`.
    slices
        Columns to split by; by default all other columns with few values.
    """

    role: Role
    item: str | None
    answer: str | None
    gold: str | None
    cluster: str | None
    slices: Sequence[str]


def items_of(source: Source, name: str | None = None, **options: Unpack[LabelOptions]) -> Items:
    """The items of an open table.

    Answers that are empty, null or not a number are a class of their own, ``(none)``. Without an item column,
    items are numbered, which is enough as long as no other file has to be matched.
    """
    if isinstance(listed := source.peek.document, list) and not any(isinstance(value, dict) for value in listed):
        name_of = "gold" if options.get("role") == "gold" else "prediction"
        raise OutscoreError(
            f"{source.label} is a JSON list of {len(listed):,} values without ids.",
            f'Write an object for each item, {{"id": ..., "{name_of}": ...}}.',
        )
    _, records = open_table(source)
    layout = _find_layout(records, options)
    columns, lines = _read_columns(records, layout)
    return _items(source, records, layout, columns, lines, stem_of(source.path) if name is None else name)


def looks_like_labels(peek: Peek) -> bool:
    """Whether this is a table of answers without a single column of scores."""
    if peek.is_parquet:
        return False
    is_json = jsonl.looks_like_json(peek)
    sample = jsonl.sample(peek) if is_json else delimited.sample(peek, delimited.separator_of(peek) or ",")
    numeric = [name for name, values in sample.items() if looks_numeric(values)]
    return any(map(holds_answers, sample)) and not any(is_score(name) or not is_known(name) for name in numeric)


@dataclass(frozen=True)
class _Layout:
    """Which column plays which part."""

    item: str | None
    answer: str
    gold: str | None
    cluster: str | None
    slices: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def used(self) -> dict[str, tuple[str, ...]]:
        parts = {"item": self.item, "answer": self.answer, "gold": self.gold, "cluster": self.cluster}
        return {part: (column,) for part, column in parts.items() if column is not None}

    @property
    def needed(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*(column for (column,) in self.used.values()), *self.slices, *self.others]))


def _find_layout(records: Records, options: LabelOptions) -> _Layout:
    """Decide which column plays which part; if that is not clear, raise an error that lists the candidates."""
    item, cluster, slices = options.get("item"), options.get("cluster"), tuple(options.get("slices", ()))
    named = [name for name in (item, options.get("answer"), options.get("gold"), cluster, *slices) if name is not None]
    for column in named:
        if column not in records.columns:
            raise OutscoreError(f"{records.label} has no column `{column}`.", suggest_name(column, records.columns))
    finder = ColumnFinder(records, named, lists=True)
    answer, gold = _find_answers(records, finder, options)
    item = item or _take(finder, "item", USUAL["item"])
    flat = [name for name in records.columns if name and not is_nested(records.sample[name])]
    used = {item, answer, gold, cluster, *slices}
    layout = _Layout(item, answer, gold, cluster, slices, tuple(name for name in flat if name not in used))
    records.refuse_repeated(layout.needed)
    return layout


def _find_answers(records: Records, finder: ColumnFinder, options: LabelOptions) -> tuple[str, str | None]:
    """The column of the file's answers, and that of the right ones beside it."""
    answer, gold, role = options.get("answer"), options.get("gold"), options.get("role", "system")
    if role == "gold":
        answer, gold = answer or _take(finder, "answer", (*RIGHT, *EITHER)), None
    else:
        answer = answer or _take(finder, "answer", PREDICTED)
        # Next to a prediction, `label` holds the right answer; alone it is the answer.
        gold = gold or _take(finder, "gold", RIGHT if answer is None else (*RIGHT, *EITHER))
        answer = answer or _take(finder, "answer", EITHER)
    if answer is None and role == "either":
        answer, gold = gold, None
    if answer is None:
        what, name = ("right answers", "gold") if role == "gold" else ("answers", "prediction")
        if len(records.columns) == 1:
            first = f"{records.label} has one column, and its first line, {join_names(records.columns)},"
            cure = f"Write the line id,{name} above all, and an id and a comma before each label."
            raise OutscoreError(f"{first} does not name a column of {what}.", cure)
        raise OutscoreError(
            f"{records.label} has no column of {what} among {join_names(records.columns)}.",
            f"Call it `{name}` in the line of column names.",
        )
    return answer, gold


def _take(finder: ColumnFinder, part: str, tiers: Tiers) -> str | None:
    return finder.take(part, tiers, "Rename the others, or take them out.")


def _read_columns(records: Records, layout: _Layout) -> tuple[dict[str, Labels], Array]:
    must = {layout.item, layout.gold, layout.cluster}
    columns = {name: LabelColumn(records, name, optional=name not in must) for name in layout.needed}
    lines: list[Array] = []
    sets = [name for name in layout.needed if is_list(records.sample[name])]
    for block in records.blocks(layout.needed):
        lines.append(block.lines)
        for name, column in columns.items():
            values = block.columns[name]
            column.add([_set_text(value) for value in values] if name in sets else values, block.lines)
    if not lines:
        records.refuse_empty()
    return {name: column.labels() for name, column in columns.items()}, np.concatenate(lines)


def _set_text(value: object) -> object:
    """A list of labels as one label, whatever their order; anything else as it is."""
    values = listed(value)
    return value if values is None else SET_SEPARATOR.join(sorted({text for x in values if (text := label_text(x))}))


def _items(source: Source, records: Records, layout: _Layout, columns: dict[str, Labels], lines: Array, name: str) -> Items:
    rows = len(lines)
    numbers = Labels(np.arange(rows), tuple(map(str, range(1, rows + 1))))
    split = {column: columns[column] for column in layout.slices or _find_slices(layout, columns, rows)}
    return Items(
        name=name,
        ids=numbers if layout.item is None else columns[layout.item],
        answers=columns[layout.answer],
        gold=None if layout.gold is None else columns[layout.gold],
        clusters=None if layout.cluster is None else columns[layout.cluster],
        slices=split,
        texts={column: columns[column] for column in layout.others if column not in split},
        origin=Origin(source.path, source.sha256(), rows, "labels", layout.used, records.unit),
        lines=lines,
        are_sets=is_list(records.sample[layout.answer]),
    )


def _find_slices(layout: _Layout, columns: dict[str, Labels], rows: int) -> Iterator[str]:
    """Columns with a usual name of slices, or with few values."""
    for name in layout.others:
        count = len(columns[name].names)
        if normalize_name(name) in SLICES or count <= min(MAX_SLICES, rows // 2):
            yield name
