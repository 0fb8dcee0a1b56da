"""Repeats of items: of which kind they are, and every row of every system by item and run.

Epochs (epoch, sample, trial, attempt) have nothing to do with one another from item to item. A run (seed, run) spans all
items, and a lucky one is lucky everywhere. The column's name tells them apart, unless the caller does.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Literal

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import dataclass

RepeatKind = Literal["epochs", "runs"]
EPOCHS: RepeatKind = "epochs"
RUNS: RepeatKind = "runs"
KINDS = (EPOCHS, RUNS)
SPANNING = {"seed", "seeds", "run", "runs", "fold", "folds"}
"""Words in the name of a column whose every value spans all items."""


def kind_of_column(name: str) -> RepeatKind:
    """What the repeats in a column of this name are; a name that says nothing stands for epochs.

    Examples
    --------
    >>> kind_of_column("seed"), kind_of_column("train-seed"), kind_of_column("Run ID"), kind_of_column("epoch")
    ('runs', 'runs', 'runs', 'epochs')
    """
    return RUNS if SPANNING & set(re.split(r"[^a-z]+", name.lower())) else EPOCHS


@dataclass(frozen=True, eq=False)
class Runs:
    """All rows of one system, (rows,) scores or (rows, columns) counts, with the codes of their items and of their runs.

    `runs` is None where rows do not say which run they are.
    """

    values: Array
    items: Array
    runs: Array | None = None
    system: str = ""

    @cached_property
    def codes(self) -> Array:
        """The run of each row, without gaps; all are of one run where they do not say."""
        if self.runs is None:
            return np.zeros(len(self.items), dtype=np.int64)
        return np.unique(self.runs, return_inverse=True)[1]

    @property
    def count(self) -> int:
        """The number of runs."""
        return int(self.codes.max(initial=-1)) + 1

    @cached_property
    def lacking(self) -> str:
        """Why there is no table of items by runs, as a clause; empty where every item has every run once.

        Examples
        --------
        >>> Runs(np.array([1, 2, 3]), np.array([0, 0, 1]), np.array([0, 1, 0]), "new").lacking
        'new lacks runs of some items'
        """
        if not len(self.values):
            return f"{self.system} has no item"
        if self.count < 2:
            return f"{self.system} has a single run"
        cells = len(np.unique(self.items)) * self.count
        complete = len(self.values) == cells and len(np.unique(self.items * self.count + self.codes)) == cells
        return "" if complete else f"{self.system} lacks runs of some items"

    @cached_property
    def table(self) -> Array:
        """(items, runs) scores or (items, runs, columns) counts, 0 for items that the system lacks; none may be `lacking`.

        Examples
        --------
        >>> Runs(np.array([1, 2, 3, 4]), np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])).table.tolist()
        [[1, 2], [4, 3]]
        """
        table = np.zeros((int(self.items.max()) + 1, self.count, *self.values.shape[1:]), dtype=self.values.dtype)
        table[self.items, self.codes] = self.values
        return table

    def __getstate__(self) -> dict[str, object]:
        """What other processes are sent: they make the rest themselves."""
        return {name: value for name, value in vars(self).items() if name not in ("table", "codes", "lacking")}

    def times(self, items: int) -> Array:
        """How often each of so many items was run."""
        return np.bincount(self.items, minlength=items)

    def take(self, items: Array) -> Runs:
        """The rows of these items, which get new codes in the order given.

        Examples
        --------
        >>> found = Runs(np.array([5, 6, 7, 8]), np.array([0, 1, 0, 2])).take(np.array([2, 0]))
        >>> found.values.tolist(), found.items.tolist()
        ([5, 7, 8], [1, 1, 0])
        """
        place = np.full(int(max(self.items.max(initial=0), items.max(initial=0))) + 1, -1, dtype=np.int64)
        place[items] = np.arange(len(items))
        kept = place[self.items] >= 0
        runs = None if self.runs is None else self.runs[kept]
        return Runs(self.values[kept], place[self.items[kept]], runs, self.system)


def occurrences(items: Array) -> Array:
    """The number of earlier rows of the same item: the run of rows that have no label of it.

    Examples
    --------
    >>> occurrences(np.array([0, 1, 0, 0, 1])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(items, kind="stable")
    starts = np.flatnonzero(np.diff(items[order], prepend=-1))
    places = np.empty(len(items), dtype=np.int64)
    places[order] = np.arange(len(items)) - np.repeat(starts, np.diff(starts, append=len(items)))
    return places


@dataclass(frozen=True, eq=False)
class Repeats:
    """What is known of items that were run several times: the runs of each system, with the items of all in one order.

    `column` is what the data call the repeats, empty where nothing does. `metric` is that of one run's rows, where the rows
    that are compared hold all runs side by side. `reduced` names the score that was made of an item's runs, where it is not
    their mean. `of_whole` is what the whole lacks that these are a part of, because claims about parts are of the same kind.

    Examples
    --------
    >>> once, twice = Runs(np.array([1]), np.array([0])), Runs(np.array([1, 0]), np.array([0, 0]))
    >>> [Repeats(EPOCHS, "", both).unequal for both in ((once, once), (once, twice))]
    [False, True]
    """

    kind: RepeatKind
    column: str
    systems: tuple[Runs, ...]
    metric: AdditiveMetric | None = None
    reduced: str = ""
    of_whole: str = ""

    @property
    def times(self) -> tuple[float, ...]:
        """How often each system was run on an item that it has, on average."""
        return tuple(len(runs.items) / max(1, len(np.unique(runs.items))) for runs in self.systems)

    @property
    def lacking(self) -> str:
        """Why there are no tables of items by runs; empty where there are."""
        if self.reduced:
            return f"{self.reduced} is one score of all runs of an item"
        return self.of_whole or next((runs.lacking for runs in self.systems if runs.lacking), "")

    @property
    def unequal(self) -> bool:
        """Whether the systems were run unequally often on some item that all have."""
        items = 1 + max((int(runs.items.max(initial=0)) for runs in self.systems), default=0)
        times = np.array([runs.times(items) for runs in self.systems])
        shared = times[:, (times > 0).all(axis=0)]
        return bool((shared != shared[:1]).any())

    @property
    def averaged(self) -> tuple[Array, ...]:
        """The rows behind means of unequally many runs; none where rows are compared as they are."""
        return tuple(runs.values for runs in self.systems) if self.unequal else ()

    def swap_systems(self) -> Repeats:
        """The same repeats, the last system first."""
        return replace(self, systems=self.systems[::-1])

    def take(self, items: Array) -> Repeats:
        """The repeats of these items."""
        return replace(self, systems=tuple(runs.take(items) for runs in self.systems), of_whole=self.lacking)


def repeats_of_rows(values: Sequence[Array], items: Array, names: Sequence[str]) -> Repeats | None:
    """The repeats of rows of several systems whose items are given by codes: epochs, by the order of the rows of each item.

    None where every item has one row.

    Examples
    --------
    >>> found = repeats_of_rows([np.arange(4), np.arange(4)], np.array([0, 1, 0, 1]), ("new", "old"))
    >>> found.kind, found.times, found.systems[0].table.tolist()
    ('epochs', (2.0, 2.0), [[0, 2], [1, 3]])
    """
    if len(items) == int(items.max()) + 1:
        return None
    runs = occurrences(items)
    return Repeats(EPOCHS, "", tuple(Runs(rows, items, runs, name) for rows, name in zip(values, names, strict=True)))
