"""Many systems on one dataset: a table of systems by items, in which cells may be empty.

`boards_of` makes one `Board` per dataset from the systems that readers return. It works on codes and counts
throughout, so that millions of rows take a second or two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np

from outscore.core.brief import Brief, count_of
from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.core.repeats import Repeats, Runs, kind_of_column
from outscore.results.note import Note
from outscore.scores.answers import facts_of_answers, refuse_other_gold
from outscore.scores.duplicates import UNEQUAL_RUNS, DuplicateRule, check_rule, settle
from outscore.scores.system import Labels, Scores

MAX_CELLS = 1 << 31
"""A larger table of systems by items would take more than sixteen gigabytes."""


@dataclass(frozen=True, eq=False, repr=False)
class Board(Brief):
    """Systems by items on one dataset.

    Parameters
    ----------
    systems
        The names; all boards of one ranking have the same systems in the same order.
    values
        (systems, items) scores or (systems, items, columns) counts; 0 where a system lacks the item. int64 if
        every number is an integer as written, float64 otherwise.
    present
        (systems, items) mask of the filled cells.
    items
        The ids of the items in order of first appearance; None if items are identified by their position.
    clusters
        A code per item, or None.
    dataset
        The name of the dataset, if there are several.
    duplicates, conflicts
        The number of repeated rows, and of items whose rows contradict each other.
    repeats
        The runs behind the cells, where cells are made of several; else None.
    notes
        What a report should say about how the table was filled.

    Examples
    --------
    >>> board = Board(("new", "old"), np.array([[1, 0], [1, 1]]), np.array([[True, False], [True, True]]))
    >>> board.shape, board.complete, board.counts.tolist(), board.rows
    ((2, 2), False, [1, 2], 3)
    """

    systems: tuple[str, ...]
    values: Array
    present: Array
    items: tuple[str, ...] | None = None
    clusters: Array | None = None
    dataset: str | None = None
    duplicates: int = 0
    conflicts: int = 0
    repeats: Repeats | None = None
    notes: tuple[Note, ...] = ()

    def _brief(self) -> str:
        systems, items = self.shape
        return f"{count_of(systems, 'system')} by {count_of(items, 'item')}"

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of systems and of items."""
        systems, items = self.present.shape
        return int(systems), int(items)

    def run_unequally(self) -> Array | None:
        """(systems, systems): which two were run unequally often on an item that both have; None where none were.

        Examples
        --------
        >>> once, twice = Runs(np.array([1]), np.array([0])), Runs(np.array([1, 0]), np.array([0, 0]))
        >>> repeats = Repeats("epochs", "", (once, twice))
        >>> board = Board(("new", "old"), np.array([[1], [0.5]]), np.ones((2, 1), dtype=bool), repeats=repeats)
        >>> board.run_unequally().tolist()
        [[False, True], [True, False]]
        """
        if self.repeats is None:
            return None
        times = self.times
        if not _count_unequal(times):
            return None
        shared = self.present.astype(np.float64) @ self.present.T
        alike = [(times == n).astype(np.float64) for n in np.unique(times[times > 0])]
        return np.asarray(shared > np.sum([same @ same.T for same in alike], axis=0))

    @property
    def counts(self) -> Array:
        """The number of items of each system."""
        return np.asarray(self.present.sum(axis=1))

    @property
    def times(self) -> Array:
        """(systems, items): how often each system was run on each item."""
        if self.repeats is None:
            return self.present.astype(np.int64)
        return np.array([runs.times(self.shape[1]) for runs in self.repeats.systems])

    @property
    def rows(self) -> int:
        """The number of rows behind the cells, repeats included."""
        return int(self.times.sum())

    @property
    def complete(self) -> bool:
        """Whether all systems have the same items."""
        return bool(self.present.all())


@dataclass(frozen=True, eq=False)
class _Cells:
    """The concatenated rows of all systems: the cell that each belongs to, and its values.

    Items of all datasets are numbered in order of first appearance; `home` is the dataset of each.
    """

    systems: tuple[str, ...]
    system: Array
    item: Array
    values: Array
    labels: tuple[str, ...] | None
    home: Array
    datasets: tuple[str, ...] | None
    run: Array | None

    def item_label(self, item: int) -> str:
        """What messages call an item."""
        return f"Item {item + 1}" if self.labels is None else f"Item `{self.labels[item]}`"


def boards_of(scores: Sequence[Scores], duplicates: DuplicateRule = "mean") -> list[Board]:
    """One board per dataset, in order of first appearance.

    Items are matched by id, or by position if no system has ids. Equal rows of one item and repeat are kept
    once and counted; `duplicates` decides on rows that contradict each other, and ``"mean"`` averages them
    with a note. Repeats are averaged.

    Parameters
    ----------
    scores
        The systems, two or more, each with a name of its own.
    duplicates
        ``"mean"``, ``"first"``, ``"last"`` or ``"stop"``.

    Examples
    --------
    >>> new = Scores("new", np.array([1, 0]), Labels.of(["q1", "q2"]))
    >>> old = Scores("old", np.array([0, 1]), Labels.of(["q2", "q3"]))
    >>> (board,) = boards_of([new, old])
    >>> board.items, board.values.tolist(), board.present.tolist()
    (('q1', 'q2', 'q3'), [[1, 0, 0], [0, 0, 1]], [[True, True, False], [False, True, True]])
    """
    check_rule(duplicates)
    _check_systems(scores)
    refuse_other_gold(scores)
    settled = [settle(system, duplicates) for system in scores]
    systems = [system for system, _, _ in settled]
    cells = _cells(systems)
    table, counts = _fill_table(cells, systems[0].values.shape[1:])
    clusters = _item_clusters(systems, cells)
    repeated, conflicts = sum(repeats for _, repeats, _ in settled), sum(conflicts for _, _, conflicts in settled)
    filling = filling_notes(counts.shape[1], conflicts, _count_unequal(counts), duplicates)
    notes = (*filling, *facts_of_answers(scores))
    averaged = bool(counts.max() > 1)
    column = next((system.repeat_column for system in systems if system.repeat_column), "")
    boards = []
    for code in range(1 if cells.datasets is None else len(cells.datasets)):
        here = np.flatnonzero(cells.home == code)
        board = Board(
            systems=cells.systems,
            values=np.ascontiguousarray(table[:, here]),
            present=counts[:, here] > 0,
            items=None if cells.labels is None else tuple(cells.labels[i] for i in here.tolist()),
            clusters=None if clusters is None else _densify(clusters[here])[0],
            dataset=None if cells.datasets is None else cells.datasets[code],
            repeats=Repeats(kind_of_column(column), column, _runs(cells, here)) if averaged else None,
        )
        boards.append(board)
    # Counts and notes are about all rows: the first board carries them.
    return [replace(boards[0], duplicates=repeated, conflicts=conflicts, notes=notes), *boards[1:]]


def _check_systems(scores: Sequence[Scores]) -> None:
    """Refuse systems that do not fit into one table."""
    names = list(dict.fromkeys(system.name for system in scores))
    if len(names) < 2:
        _refuse_one(scores)
    first = scores[0]
    for system in scores[1:]:
        if system.values.shape[1:] != first.values.shape[1:]:
            raise OutscoreError(
                f"`{first.name}` and `{system.name}` do not have the same number of scores per row.",
                "Give all systems the same columns.",
            )
        for what, one, other in (("item ids", first.ids, system.ids), ("datasets", first.datasets, system.datasets)):
            if (one is None) != (other is None):
                named, bare = (first, system) if other is None else (system, first)
                raise OutscoreError(
                    f"{named.label} names {what} but {bare.label} does not: they cannot be matched.",
                    f"Name the {what} of all systems, or of none.",
                )
    _check_names(scores)
    _check_lengths(scores)


def _refuse_one(scores: Sequence[Scores]) -> NoReturn:
    """Raise the error of a single system, naming its score column if the file has no system column."""
    origin = scores[0].origin if scores else None
    if origin is not None and "score" in origin.columns and "system" not in origin.columns:
        raise OutscoreError(
            f"{origin.label} has one column of scores, `{origin.column('score')}`: there is nothing to rank.",
            "Give a column or a file for each system, or name the column of the systems with --system-column"
            " (system_column=... in Python).",
            parameter="system_column",
        )
    who = f"Only `{scores[0].name}` was found" if scores else "No system was found"
    raise OutscoreError(f"{who}: there is nothing to rank.", "Give at least two systems.")


def _check_names(scores: Sequence[Scores]) -> None:
    """Refuse two systems of one name, unless they are one system on different datasets."""
    seen: dict[str, set[str]] = {}
    for system in scores:
        sets = {""} if system.datasets is None else {system.datasets.names[i] for i in np.unique(system.datasets.codes)}
        if sets & seen.setdefault(system.name, set()):
            raise OutscoreError(f"Two systems are named `{system.name}`.", "Give each a name of its own.")
        seen[system.name] |= sets


def _check_lengths(scores: Sequence[Scores]) -> None:
    first = scores[0]
    if not any(system.rows for system in scores):
        raise OutscoreError("No system has a single item.", "Give each at least one score.")
    for system in scores if first.ids is None else ():
        if system.rows != first.rows:
            raise OutscoreError(
                f"`{first.name}` has {first.rows:,} items and `{system.name}` has {system.rows:,}: without ids they cannot be"
                " matched.",
                "Give the scores of all systems for the same items in the same order, or name the items.",
            )


def _cells(scores: Sequence[Scores]) -> _Cells:
    names = tuple(dict.fromkeys(system.name for system in scores))
    code = {name: i for i, name in enumerate(names)}
    system = np.repeat([code[s.name] for s in scores], [s.rows for s in scores])
    places = [np.arange(s.rows) for s in scores]
    label_codes, labels = _encode_together([s.ids for s in scores])
    item = np.concatenate(places) if label_codes is None else label_codes
    set_codes, datasets = _encode_together([s.datasets for s in scores])
    keys = item if set_codes is None else set_codes * (int(item.max()) + 1) + item
    dense, first = _densify(keys)
    return _Cells(
        systems=names,
        system=system,
        item=dense,
        values=np.concatenate([s.values for s in scores]),
        labels=None if labels is None else tuple(labels[i] for i in item[first].tolist()),
        home=np.zeros(len(first), dtype=np.int64) if set_codes is None else set_codes[first],
        datasets=datasets,
        run=_encode_together([s.repeats for s in scores])[0],
    )


def _encode_together(columns: Sequence[Labels | None]) -> tuple[Array | None, tuple[str, ...] | None]:
    """One column of codes for all systems, with the names that occur in it; None if a system has no labels."""
    known: dict[str, int] = {}
    translated: dict[int, Array] = {}
    parts = []
    for column in columns:
        if column is None:
            return None, None
        # The systems of one file share their tuple of names, which is translated once.
        place = id(column.names)
        if place not in translated:
            translated[place] = np.array([known.setdefault(name, len(known)) for name in column.names], dtype=np.int64)
        parts.append(translated[place][column.codes])
    codes, first = _densify(np.concatenate(parts))
    names = tuple(known)
    whole = np.concatenate(parts)
    return codes, tuple(names[i] for i in whole[first].tolist())


def _densify(codes: Array) -> tuple[Array, Array]:
    """Codes without gaps in order of first appearance, and the row of each code's first appearance."""
    size = int(codes.max(initial=-1)) + 1
    if size > 4 * len(codes) + 1_000_000:
        # Too sparse for an array over all codes.
        codes = np.unique(codes, return_inverse=True)[1]
        size = int(codes.max()) + 1
    first = np.full(size, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    order = np.argsort(first, kind="stable")
    rank = np.empty(size, dtype=np.int64)
    rank[order] = np.arange(size)
    firsts = first[order]
    return rank[codes], firsts[firsts < len(codes)]


def _fill_table(cells: _Cells, columns: tuple[int, ...]) -> tuple[Array, Array]:
    """The table of all items with repeats averaged, and the number of rows behind each cell."""
    shape = (len(cells.systems), len(cells.home))
    size = shape[0] * shape[1]
    if size > MAX_CELLS:
        raise OutscoreError(
            f"{shape[0]:,} systems by {shape[1]:,} items are too many cells for one table.",
            "Rank fewer systems at a time, or read the rows from Parquet with --dask.",
        )
    cell = cells.system * shape[1] + cells.item
    counts = np.bincount(cell, minlength=size)
    single = bool(counts.max() <= 1)
    table = np.zeros((size, *columns), dtype=cells.values.dtype if single else np.float64)
    if single:
        table[cell] = cells.values
    else:
        flat, source = table.reshape(size, -1), cells.values.reshape(len(cell), -1)
        for column in range(flat.shape[1]):
            flat[:, column] = np.bincount(cell, weights=source[:, column], minlength=size) / np.maximum(counts, 1)
    return table.reshape(*shape, *columns), counts.reshape(shape)


def _runs(cells: _Cells, here: Array) -> tuple[Runs, ...]:
    """Each system's rows of these items."""
    place = np.full(len(cells.home), -1, dtype=np.int64)
    place[here] = np.arange(len(here))
    items = place[cells.item]
    systems = []
    for code, name in enumerate(cells.systems):
        rows = np.flatnonzero((cells.system == code) & (items >= 0))
        systems.append(Runs.of(cells.values[rows], items[rows], None if cells.run is None else cells.run[rows], name))
    return tuple(systems)


def _item_clusters(scores: Sequence[Scores], cells: _Cells) -> Array | None:
    """The cluster of each item; systems that name clusters must agree on them."""
    named = [system.clusters is not None for system in scores]
    if not any(named):
        return None
    chosen = np.repeat(named, [system.rows for system in scores])
    codes, names = _encode_together([system.clusters for system in scores if system.clusters is not None])
    assert codes is not None
    assert names is not None
    item = cells.item[chosen]
    clusters = np.full(len(cells.home), -1, dtype=np.int64)
    clusters[item[::-1]] = codes[::-1]
    wrong = np.flatnonzero(clusters[item] != codes)
    if len(wrong):
        row = int(wrong[0])
        one, other = names[int(clusters[item[row]])], names[int(codes[row])]
        raise OutscoreError(
            f"{cells.item_label(int(item[row]))} is in cluster `{one}` for one system and in `{other}` for another.",
            "Every item must be in exactly one cluster.",
        )
    bare = np.flatnonzero(clusters < 0)
    if len(bare):
        raise OutscoreError(f"{cells.item_label(int(bare[0]))} has no cluster.", "Name the cluster of every item.")
    return clusters


def filling_notes(items: int, conflicts: int, unequal: int, rule: DuplicateRule = "mean") -> list[Note]:
    """Notes on a table: items with contradicting rows, and items on which systems were run unequally often.

    Examples
    --------
    >>> [note.text for note in filling_notes(9, 1, 0, "first")]
    ['1 item has rows that contradict each other; they were settled by the first row.']
    """
    notes = []
    if items == 1:
        notes.append(Note("data", "There is only one item, and a single item cannot tell systems apart."))
    if conflicts:
        what = {"mean": "averaged", "first": "settled by the first row", "last": "settled by the last row"}[rule]
        several = "item has" if conflicts == 1 else "items of a system have"
        notes.append(Note("input", f"{conflicts:,} {several} rows that contradict each other; they were {what}."))
    if unequal:
        text = (
            f"On {unequal:,} of {items:,} items the systems were run unequally often: item means are compared. {UNEQUAL_RUNS}"
        )
        notes.append(Note("design", text))
    return notes


def _count_unequal(counts: Array) -> int:
    """The number of items on which some systems were run more often than others that have them."""
    most, least = counts.max(axis=0), np.where(counts > 0, counts, counts.max()).min(axis=0)
    return int((most != least).sum())
