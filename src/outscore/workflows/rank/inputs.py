"""From what a caller of `rank` has to boards: a dictionary of arrays, systems that were read, or a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.base.entry import Choice
from outscore.formats.tables.columns import Layout, find_layout
from outscore.formats.tables.records import Block, Records
from outscore.scores.board import Board, boards_of
from outscore.scores.system import Labels, Scores
from outscore.workflows.validate import numbers_of

__all__ = ["boards_from"]

SAMPLE = 20
GIVE = "Give a dictionary of arrays by system, the path of a file, the scores that `read` returns, or a table with columns."


def boards_from(scores: object, *, dataset: object, items: object, clusters: object, duplicates: str) -> list[Board]:
    """Boards of whatever was given but files; `dataset`, `items` and `clusters` are labels of the rows, or columns of a table.

    Examples
    --------
    >>> right = {"new": [1, 1, 0, 1], "old": [0, 1, 0, 0]}
    >>> (board,) = boards_from(right, items=["q1", "q1", "q2", "q2"], clusters=None, dataset=None, duplicates="mean")
    >>> board.items, board.values.tolist()
    (('q1', 'q2'), [[1.0, 0.5], [0.5, 0.0]])
    """
    return boards_of(_systems(scores, dataset, items, clusters), duplicates)  # type: ignore[arg-type] # refused there


def _systems(scores: object, dataset: object, items: object, clusters: object) -> list[Scores]:
    if isinstance(scores, Mapping):
        return _from_arrays(scores, dataset, items, clusters)
    if isinstance(scores, Sequence) and scores and all(isinstance(system, Scores) for system in scores):
        given = [name for name, said in (("dataset", dataset), ("items", items), ("clusters", clusters)) if said is not None]
        if given:
            raise OutscoreError(f"`{given[0]}` is given, and the systems come with labels of their own.", "Leave it out.")
        return list(scores)
    if hasattr(scores, "columns") and hasattr(scores, "__getitem__"):
        return _from_table(scores, dataset, items, clusters)
    raise OutscoreError(f"`scores` is a {type(scores).__name__}.", GIVE)


def _from_arrays(arrays: Mapping[Any, object], dataset: object, items: object, clusters: object) -> list[Scores]:
    values = {str(name): numbers_of(x, str(name)) for name, x in arrays.items()}
    if len(values) < len(arrays):
        raise OutscoreError("Two systems have the same name.", "Give each a name of its own.")
    sizes = {len(x) for x in values.values()}
    if len(sizes) > 1:
        names = list(values)
        other = next(name for name in names if len(values[name]) != len(values[names[0]]))
        raise OutscoreError(
            f"`{names[0]}` has {len(values[names[0]]):,} rows, `{other}` has {len(values[other]):,}.",
            "All systems must be scored on the same items, in the same order; give a long table where some lack items.",
        )
    rows = next(iter(sizes), 0)
    ids, sets, groups = (
        _labels(given, rows, name) for name, given in (("items", items), ("dataset", dataset), ("clusters", clusters))
    )
    # Rows of one item are repeats of it, however equal their scores.
    repeats = None if ids is None else Labels(np.arange(rows), tuple(map(str, range(1, rows + 1))))
    return [Scores(name, x, ids, repeats, groups, sets) for name, x in values.items()]


def _labels(given: object, rows: int, name: str) -> Labels | None:
    if given is None:
        return None
    raw = np.asarray(given)
    if raw.ndim != 1 or len(raw) != rows:
        raise OutscoreError(f"`{name}` has shape {raw.shape}, the scores have {rows:,} rows.", "Give one label for each row.")
    return _encode(raw, name)


def _encode(raw: Array, name: str) -> Labels:
    """Labels in order of first appearance; numbers are encoded without a loop."""
    if raw.dtype.kind in "iub":
        distinct, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return Labels(place[inverse], tuple(str(x) for x in distinct[order].tolist()))
    listed = raw.tolist()
    # What is missing is None, or not equal to itself.
    missing = next((i for i, x in enumerate(listed) if x is None or x != x), None)  # noqa: PLR0124
    if missing is not None:
        raise OutscoreError(f"`{name}` has a missing label at row {missing + 1}.", "Give one label for each row.")
    return Labels.of(listed)


def _from_table(table: Any, dataset: object, items: object, clusters: object) -> list[Scores]:  # noqa: ANN401
    """The systems of a dataframe, its columns recognised as those of a file are."""
    columns = tuple(str(name) for name in table.columns)
    arrays = {name: np.asarray(table[name]) for name in columns}
    _check_columns(dataset=dataset, items=items, clusters=clusters)

    def blocks(needed: Sequence[str]) -> Iterator[Block]:
        yield Block(np.arange(1, len(next(iter(arrays.values()), ())) + 1), {name: arrays[name].tolist() for name in needed})

    records = Records("The table", columns, {name: x[:SAMPLE].tolist() for name, x in arrays.items()}, blocks, "row")
    choice = Choice(item=_said(items), cluster=_said(clusters), dataset=_said(dataset))
    layout = find_layout(records, choice)
    return _split(arrays, layout)


def _check_columns(**parts: object) -> None:
    for name, said in parts.items():
        if said is not None and not isinstance(said, str):
            raise OutscoreError(f"`{name}` is not the name of a column.", "For a table, name the column that holds it.")


def _said(name: object) -> str | None:
    return name if isinstance(name, str) else None


def _split(arrays: Mapping[str, Array], layout: Layout) -> list[Scores]:
    def labels(column: str | None) -> Labels | None:
        return None if column is None else _encode(arrays[column], column)

    ids, repeats, clusters, datasets = (labels(c) for c in (layout.item, layout.repeat, layout.cluster, layout.dataset))
    if layout.wide:
        present = {name: _present(arrays[name]) for name in layout.scores}
        places = np.arange(1, len(arrays[layout.scores[0]]) + 1)
        if ids is None and not all(rows.all() for rows in present.values()):
            ids = Labels.of(places)
        whole = Scores("", places, ids, repeats, clusters, datasets)
        return [
            replace(whole.take(rows), name=name, values=numbers_of(arrays[name][rows], name)) for name, rows in present.items()
        ]
    counts = [numbers_of(arrays[name], name) for name in layout.scores]
    whole = Scores("", counts[0] if len(counts) == 1 else np.column_stack(counts), ids, repeats, clusters, datasets)
    systems = labels(layout.system)
    if systems is None:
        raise OutscoreError("The table has no column of systems: there is nothing to rank.", "Name it model or system.")
    order = np.argsort(systems.codes, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(systems.codes, minlength=len(systems.names)))[:-1])
    return [replace(whole.take(rows), name=name) for name, rows in zip(systems.names, parts, strict=True)]


def _present(column: Array) -> Array:
    """Which cells of a system's column hold anything: a dataframe says None, NaN or NA where the system lacks the item."""
    if column.dtype.kind == "f":
        return ~np.isnan(column)
    if column.dtype.kind != "O":
        return np.ones(len(column), dtype=bool)
    # Compared by their names, as pandas' NA refuses to be compared.
    return np.array([str(value) not in ("None", "nan", "<NA>") for value in column.tolist()], dtype=bool)
