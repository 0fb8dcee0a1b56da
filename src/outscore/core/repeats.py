"""Repeats of items: of which kind they are, and both systems' scores by item and run.

Epochs (epoch, sample, trial, attempt) have nothing to do with one another from item to item. A run (seed, run) spans all
items, and a lucky one is lucky everywhere. The column's name tells them apart, unless the caller does.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import dataclass

__all__ = [
    "EPOCHS",
    "KINDS",
    "RUNS",
    "Draws",
    "RepeatKind",
    "Repeats",
    "RunTable",
    "kind_of_column",
    "occurrences",
    "repeats_of_rows",
    "run_table",
]

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
class RunTable:
    """One system's numbers by item and run, (items, runs) scores or (items, runs, columns) counts.

    `values` is None where there is no such table, and `lacking` then says why, as a clause.
    """

    values: Array | None
    lacking: str = ""

    def take(self, items: Array) -> RunTable:
        """The table of these items."""
        return self if self.values is None else replace(self, values=self.values[items])


def run_table(values: Array, items: Array, runs: Array, name: str = "the system") -> RunTable:
    """The table of rows whose items and runs are given by codes from 0 up; a cell may be filled once and none be empty.

    Examples
    --------
    >>> run_table(np.array([1, 2, 3, 4]), np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0])).values
    array([[1, 2],
           [4, 3]])
    >>> run_table(np.array([1, 2, 3]), np.array([0, 0, 1]), np.array([0, 1, 0])).lacking
    'the system lacks runs of some items'
    """
    n, k = int(items.max()) + 1, int(runs.max()) + 1
    if k < 2:
        return RunTable(None, f"{name} has a single run")
    if len(values) != n * k or len(np.unique(items * k + runs)) < n * k:
        return RunTable(None, f"{name} lacks runs of some items")
    table = np.empty((n, k, *values.shape[1:]), dtype=values.dtype)
    table[items, runs] = values
    return RunTable(table)


def occurrences(items: Array) -> Array:
    """The how-manieth row of its item each row is, from 0 up: the run of rows that have no label of it.

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
class Draws:
    """All rows of one system, (rows,) scores or (rows, columns) counts, each with the code of its item."""

    values: Array
    items: Array

    def take(self, items: Array) -> Draws:
        """The rows of these items, which get new codes in the order given.

        Examples
        --------
        >>> found = Draws(np.array([5, 6, 7, 8]), np.array([0, 1, 0, 2])).take(np.array([2, 0]))
        >>> found.values.tolist(), found.items.tolist()
        ([5, 7, 8], [1, 1, 0])
        """
        place = np.full(int(max(self.items.max(initial=0), items.max(initial=0))) + 1, -1, dtype=np.int64)
        place[items] = np.arange(len(items))
        kept = place[self.items] >= 0
        return Draws(self.values[kept], place[self.items[kept]])


@dataclass(frozen=True, eq=False)
class Repeats:
    """What is known of the repeats of two systems' items.

    `column` is what the file calls them, empty where nothing does; `times` are how often A and B were run on an item, on
    average; `a` and `b` are their tables, with the items in the order in which rows first name them. Where A and B were run
    unequally often, their rows are item means and `raw` holds the rows behind these. `metric` is that of one run's rows, where
    the rows that are compared hold all runs side by side. `draws` are all rows of A and of B, with the items in the order of
    the tables. `reduced` names the score that was made of an item's runs, where it is not their mean.
    """

    kind: RepeatKind
    column: str
    times: tuple[float, float]
    a: RunTable
    b: RunTable
    raw: tuple[Array, ...] = ()
    metric: AdditiveMetric | None = None
    draws: tuple[Draws, Draws] | None = None
    reduced: str = ""

    @property
    def lacking(self) -> str:
        """Why there are no tables of items by runs; empty where there are."""
        return self.a.lacking or self.b.lacking

    @property
    def unequal(self) -> bool:
        """Whether the systems were run unequally often on some item.

        Examples
        --------
        >>> none = RunTable(None)
        >>> once, twice = Draws(np.array([1]), np.array([0])), Draws(np.array([1, 0]), np.array([0, 0]))
        >>> [Repeats(EPOCHS, "", (1, 1), none, none, draws=both).unequal for both in ((once, once), (once, twice))]
        [False, True]
        """
        if self.draws is None:
            return bool(self.raw) or self.times[0] != self.times[1]
        first, second = (np.bincount(own.items) for own in self.draws)
        return not np.array_equal(first, second)

    def turned(self) -> Repeats:
        """The same repeats, B first."""
        (first, second), draws = self.times, self.draws
        return replace(self, a=self.b, b=self.a, times=(second, first), draws=None if draws is None else (draws[1], draws[0]))

    def take(self, items: Array) -> Repeats:
        """The repeats of these items."""
        draws = None if self.draws is None else (self.draws[0].take(items), self.draws[1].take(items))
        return replace(self, a=self.a.take(items), b=self.b.take(items), draws=draws)


def repeats_of_rows(a: Array, b: Array, items: Array, names: tuple[str, str]) -> Repeats | None:
    """The repeats of paired rows whose items are given by codes: epochs, by the order of the rows of each item.

    None where every item has one row.

    Examples
    --------
    >>> found = repeats_of_rows(np.arange(4), np.arange(4), np.array([0, 1, 0, 1]), ("new", "old"))
    >>> found.kind, found.times, found.a.values.tolist()
    ('epochs', (2.0, 2.0), [[0, 2], [1, 3]])
    """
    n = int(items.max()) + 1
    if len(items) == n:
        return None
    runs, times = occurrences(items), len(items) / n
    tables = [run_table(values, items, runs, name) for values, name in zip((a, b), names, strict=True)]
    return Repeats(EPOCHS, "", (times, times), tables[0], tables[1], draws=(Draws(a, items), Draws(b, items)))
