"""Series and tables of dataframe libraries, recognised by their methods: outscore depends on none of the libraries.

A pandas Series has an index, by which `core.labelled` matches two of them. Polars has no index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.rows import is_labelled
from outscore.formats.base.entry import Choice
from outscore.formats.tables.assemble import check_guess, edges_of, refuse_best_fill, refuse_summary, transposed
from outscore.formats.tables.cells import AnswerColumn, Block, GoldColumn, Records, is_missing, label_text
from outscore.formats.tables.columns import Layout, find_layout, refuse_other_gold
from outscore.formats.tables.names import normalize_name, suggest_name
from outscore.scores.system import Labels, Origin, Scores, pooled, refuse_other_kind, settle_folds
from outscore.workflows.validate import numbers_of

TABLE = "table"
"""The name of a table without a file, in messages and settings."""
SAMPLE = 20
COUNTS = (("tp", "errors"), ("tp", "fp", "fn"), ("tp", "fp", "fn", "tn"))


def is_table(given: object) -> bool:
    """Whether this is a table with named columns, collected or not."""
    # Looked up on the type: a lazy table would have to resolve its columns first.
    return hasattr(type(given), "columns") and hasattr(type(given), "__getitem__")


def table_of(given: Any) -> Any:  # noqa: ANN401 - of whatever library
    """The table itself; a lazy table, such as polars' LazyFrame, is collected."""
    if not hasattr(given, "collect") or hasattr(given, "__len__"):
        return given
    try:
        return given.collect()
    except Exception as error:  # whatever the library raises
        why = str(error).strip().partition("\n")[0] or type(error).__name__
        raise OutscoreError(f"The table could not be collected: {why}.", "Check its query.") from error


def counts_in(given: Any) -> Array | None:  # noqa: ANN401
    """The rows of a table that contains only counts, in the order that metrics take; None if it has other columns."""
    table = table_of(given)
    columns = {normalize_name(str(name)): name for name in table.columns}
    wanted = next((names for names in COUNTS if set(names) == set(columns)), None)
    return None if wanted is None else np.column_stack([np.asarray(table[columns[name]]) for name in wanted])


def systems_in(given: Any, choice: Choice) -> list[Scores]:  # noqa: ANN401
    """The systems of a table, its columns recognised as those of a file are."""
    table = table_of(given)
    columns = tuple(str(name) for name in table.columns)
    arrays = {name: np.asarray(table[name]) for name in table.columns}
    arrays = {str(name): values for name, values in arrays.items()}
    rows = len(next(iter(arrays.values()), ()))

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        yield Block(np.arange(1, rows + 1), {name: arrays[name].tolist() for name in needed})

    records = Records("The table", columns, {name: x[:SAMPLE].tolist() for name, x in arrays.items()}, blocks, "row")
    if is_labelled(table) and rows and not choice.transpose:
        refuse_summary(records, "index", (str(table.index[0]), str(table.index[-1])), (1, rows))
    if choice.transpose:
        records, choice = transposed(records, choice)
        (block,) = records.blocks(records.columns)
        arrays, rows = {name: np.asarray(values) for name, values in block.columns.items()}, len(block.lines)
    layout = find_layout(records, choice)
    _refuse_summaries(records, layout, arrays)
    places = _kept(layout, arrays, rows) if choice.drop else np.arange(rows)
    arrays = {name: values[places] for name, values in arrays.items()}
    filled = 0
    if choice.fill is not None:
        arrays, filled = _without_gaps(layout, arrays, choice.fill)
    gold, answered = _read_answers(records, layout, arrays, places + 1, unjudged=choice.fill is not None)
    scored = {**arrays, **{name: column.values() for name, column in answered.items()}}
    left_out = rows - len(places)
    origin = Origin(
        TABLE, "", rows, "dataframe", layout.used, "row", left_out=left_out, filled=filled, filled_for=choice.fill_for
    )
    systems = settle_folds(check_guess(records, layout, _split(scored, layout, origin, gold, answered, places + 1)))
    refuse_best_fill(systems, choice)
    for one in systems if not choice.beside else ():
        refuse_other_kind(one)
    if not choice.systems:
        return systems
    by_name = {scores.name: scores for scores in systems}
    for name in choice.systems:
        if name not in by_name:
            raise OutscoreError(f"The table has no system `{name}`.", suggest_name(name, by_name), parameter="system")
    return [by_name[name] for name in choice.systems]


def _kept(layout: Layout, arrays: Mapping[str, Array], rows: int) -> Array:
    """The places of the rows that have a score or, where answers are scored, a right answer; a wide table has gaps instead."""
    if layout.gold is not None:
        return np.flatnonzero([bool(label_text(value)) for value in arrays[layout.gold].tolist()])
    if layout.wide:
        return np.arange(rows)
    columns = [arrays[name].tolist() for name in layout.scores]
    return np.flatnonzero([not any(map(is_missing, cells)) for cells in zip(*columns, strict=True)])


def _without_gaps(layout: Layout, arrays: Mapping[str, Array], worst: float) -> tuple[dict[str, Array], int]:
    """The columns with the worst score where there is none, and how many rows have such a gap or no right answer."""
    judged = [layout.gold] if layout.gold is not None else list(layout.scores)
    absent = {name: np.array([is_missing(value) for value in arrays[name].tolist()], dtype=bool) for name in judged}
    filled = int(np.logical_or.reduce(list(absent.values())).sum())
    if layout.gold is not None:
        return dict(arrays), filled
    whole = {name: np.where(gaps, worst, arrays[name]).astype(float) for name, gaps in absent.items() if gaps.any()}
    return {**arrays, **whole}, filled


def _refuse_summaries(records: Records, layout: Layout, arrays: Mapping[str, Array]) -> None:
    """Refuse a first or last row that summarises the others, as in files."""
    for name in (layout.item, layout.cluster, layout.repeat, layout.dataset, *layout.slices, layout.row_name):
        edges = None if name is None else edges_of(Labels.of(arrays[name].tolist()), repeated=name == layout.item)
        if name is not None and edges is not None:
            refuse_summary(records, name, edges, (1, len(arrays[name])))


def _read_answers(
    records: Records, layout: Layout, arrays: Mapping[str, Array], lines: Array, *, unjudged: bool
) -> tuple[Labels | None, dict[str, AnswerColumn]]:
    """The right answers, if there is a column of them, and the columns of answers, which are right or wrong."""
    if layout.gold is None:
        return None, {}
    refuse_other_gold(records, layout, Block(lines, {name: arrays[name].tolist() for name in (layout.gold, *layout.twins)}))
    gold = GoldColumn(records, layout.gold, optional=unjudged)
    gold.add(arrays[layout.gold].tolist(), lines)
    columns = {name: AnswerColumn(records, name, gold) for name in layout.scores}
    for name, column in columns.items():
        column.add(arrays[name].tolist(), lines)
    return gold.labels(), columns


def _split(
    arrays: Mapping[str, Array],
    layout: Layout,
    origin: Origin,
    gold: Labels | None,
    answered: Mapping[str, AnswerColumn],
    places: Array,
) -> list[Scores]:
    labels = _labels_of(arrays)
    ids, repeats, clusters, datasets = (labels(c) for c in (layout.item, layout.repeat, layout.cluster, layout.dataset))
    slices = {name: column_labels for name in layout.slices if (column_labels := labels(name)) is not None}
    if ids is None and origin.left_out:
        ids = Labels.of(places)
    whole = Scores("", places, ids, repeats, clusters, datasets, slices, origin, places, gold=gold)
    if layout.pooled:
        whole = pooled(whole)
        ids = whole.ids

    def told(name: str) -> Scores:
        """All rows with their answers."""
        if name not in answered:
            return whole
        return replace(whole, answers=answered[name].labels(), padded=answered[name].padded)

    if layout.wide:
        present = {name: _present(arrays[name]) for name in layout.scores}
        if ids is None and not all(rows.all() for rows in present.values()):
            whole = replace(whole, ids=Labels.of(places))
        return [
            replace(told(name).take(rows), name=name, values=numbers_of(arrays[name][rows], name))
            for name, rows in present.items()
        ]
    counts = [numbers_of(arrays[name], name) for name in layout.scores]
    whole = replace(told(layout.scores[0]), values=counts[0] if len(counts) == 1 else np.column_stack(counts))
    systems = labels(layout.system)
    if systems is None:
        return [replace(whole, name=TABLE)]
    order = np.argsort(systems.codes, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(systems.codes, minlength=len(systems.names)))[:-1])
    return [replace(whole.take(rows), name=name) for name, rows in zip(systems.names, parts, strict=True)]


def _labels_of(arrays: Mapping[str, Array]) -> Callable[[str | None], Labels | None]:
    return lambda column: None if column is None else encode_labels(arrays[column], column)


def encode_labels(raw: Array, name: str) -> Labels:
    """Labels in order of first appearance; numbers are encoded without a loop."""
    if raw.dtype.kind in "iub":
        distinct, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return Labels(place[inverse], tuple(str(x) for x in distinct[order].tolist()))
    listed = raw.tolist()
    # A missing label is None, or not equal to itself.
    missing = next((i for i, x in enumerate(listed) if x is None or x != x), None)  # noqa: PLR0124
    if missing is not None:
        raise OutscoreError(f"`{name}` has a missing label at row {missing + 1}.", "Give one label for each row.")
    return Labels.of(listed)


def _present(column: Array) -> Array:
    """Which cells of a system's column have a value: a dataframe has None, NaN or NA if the system lacks the item."""
    if column.dtype.kind == "f":
        return ~np.isnan(column)
    if column.dtype.kind != "O":
        return np.ones(len(column), dtype=bool)
    # Compared by type name, because pandas' NA cannot be compared.
    return np.array([str(value) not in ("None", "nan", "<NA>") for value in column.tolist()], dtype=bool)
