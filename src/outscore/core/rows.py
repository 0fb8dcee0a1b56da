"""Rows of scores: of two systems side by side, of all runs of items, and rows that bring labels of their own."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import field, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import MAX_EXACT, Array, exact_sum
from outscore.core.records import dataclass

# Two systems' rows side by side, in input order; averages over repeats and sums over clusters are made on demand.

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class PairedScores:
    """Two systems' rows in a metric's own columns.

    `a` and `b` are (rows, columns): int64 if all numbers are integers over a common `scale`, which divides them; float64
    otherwise. `items` and `clusters` are integer codes per row, or None. `real` says that floats were looked at and are no
    decimals or other fractions, so that nobody looks again; `replace` forgets it, as it may put in any numbers. `averaged` says
    that rows are means of several scores: two values among them are a coincidence.
    """

    a: Array
    b: Array
    scale: int = 1
    items: Array | None = None
    clusters: Array | None = None
    averaged: bool = False
    real: bool = field(default=False, init=False)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.a)

    @property
    def integral(self) -> bool:
        """Whether the numbers are exact integers over a common scale."""
        return bool(self.a.dtype.kind == self.b.dtype.kind == "i")

    @cached_property
    def sums(self) -> tuple[Array, Array]:
        """Column sums of both systems, integers over the scale or correctly rounded."""
        if self.integral:
            return self.a.sum(axis=0), self.b.sum(axis=0)
        return _float_sums(self.a), _float_sums(self.b)

    @cached_property
    def _found(self) -> dict[tuple[object, int], tuple[object, Any]]:
        return {}

    def once(self, work: Callable[[PairedScores, AdditiveMetric], Answer], metric: AdditiveMetric) -> Answer:
        """What some work finds in these rows, which is done once however many ask for it."""
        known = self._found.get((work, id(metric)))
        if known is None:
            # The metric is kept, so that no other can take its identity.
            known = self._found[work, id(metric)] = metric, work(self, metric)
        return known[1]

    def __getstate__(self) -> dict[str, object]:
        """What other processes are sent: they find the rest themselves."""
        return {name: value for name, value in vars(self).items() if name not in ("_found", "sums")}

    def totals(self) -> tuple[Array, Array]:
        """Column sums of both systems in true units."""
        a, b = self.sums
        return (a / self.scale, b / self.scale) if self.integral else (a, b)

    def per_item(self) -> PairedScores:
        """The rows of each item averaged, so that each item counts once."""
        if self.items is None:
            return self
        repeats = np.bincount(self.items)
        clusters = None if self.clusters is None else _one_per_group(self.clusters, self.items)
        a, b = _sum_by(self.a, self.items), _sum_by(self.b, self.items)
        common = math.lcm(*(int(k) for k in np.unique(repeats)))
        if self.integral and _fits(common, self.a, self.b):
            weight = (common // repeats)[:, None]
            return PairedScores(a * weight, b * weight, self.scale * common, None, clusters)
        divisor = repeats[:, None] * float(self.scale)
        return PairedScores(a / divisor, b / divisor, 1, None, clusters)

    def collapsed(self) -> PairedScores:
        """The rows of each cluster summed: the units that are swapped as one."""
        if self.clusters is None:
            return self
        return self.part(_sum_by(self.a, self.clusters), _sum_by(self.b, self.clusters))

    def units(self) -> PairedScores:
        """Items averaged, then clusters summed: what the permutation test swaps."""
        return self.per_item().collapsed()

    def known_real(self) -> PairedScores:
        """The same pairs, whose floats are not decimals."""
        return _marked(replace(self), real=True)

    def labelled(self, items: Array | None, clusters: Array | None) -> PairedScores:
        """The same rows with these labels."""
        return _marked(replace(self, items=items, clusters=clusters), real=self.real)

    def part(self, a: Array, b: Array, clusters: Array | None = None) -> PairedScores:
        """Some of the rows, or sums of them, each an item of its own.

        Those of real numbers count as real, which saves looking at every part of many. One that happens to hold decimals only
        loses nothing but the word "exact": its p lies between certified bounds.
        """
        return _marked(replace(self, a=a, b=b, items=None, clusters=clusters), real=self.real)


def _marked(pairs: PairedScores, *, real: bool) -> PairedScores:
    object.__setattr__(pairs, "real", real)
    return pairs


def _sum_by(rows: Array, codes: Array) -> Array:
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.add.reduceat(rows[order], starts, axis=0)


def _one_per_group(labels: Array, groups: Array) -> Array:
    """The label that all rows of each group share; rows that disagree are refused."""
    first = np.zeros(int(groups.max()) + 1, dtype=labels.dtype)
    first[groups[::-1]] = labels[::-1]
    wrong = np.flatnonzero(first[groups] != labels)
    if len(wrong):
        raise ClustersError(
            f"Row {int(wrong[0]) + 1} puts its item into a second cluster.",
            "Every item must be in exactly one cluster.",
            parameter="cluster",
        )
    return first


def _fits(factor: int, *tables: Array) -> bool:
    return all(factor * float(np.abs(t).sum(axis=0, dtype=float).max(initial=0.0)) < MAX_EXACT for t in tables)


def _float_sums(rows: Array) -> Array:
    return np.array([_float_sum(np.ascontiguousarray(column)) for column in rows.T])


def _float_sum(column: Array) -> float:
    # Whole numbers, as those of items are, add up without rounding.
    if (column == np.rint(column)).all() and float(np.abs(column).sum()) < MAX_EXACT:
        return float(column.sum())
    return exact_sum(column)


# Repeats of items: of which kind they are, and every row of every system by item and run.
#
# Epochs (epoch, sample, trial, attempt) have nothing to do with one another from item to item. A run (seed, run) spans all
# items, and a lucky one is lucky everywhere. The column's name tells them apart, unless the caller does.


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


def match_runs(a: Runs, b: Runs) -> tuple[Array, Array, bool]:
    """Rows of two systems with the same items, side by side in the order of A, and whether runs are called alike.

    The same runs of an item stand side by side; runs that are called differently in the order of the rows. Of items that the
    systems were run on unequally often, the first rows stand side by side.

    Examples
    --------
    >>> items, runs = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> match_runs(Runs(runs, items, runs), Runs(runs, items[::-1], runs))[1].tolist()
    [2, 3, 0, 1]
    """
    if a.runs is b.runs is None and np.array_equal(a.items, b.items):
        return np.arange(len(a.items)), np.arange(len(a.items)), True
    orders = [np.argsort(one.items, kind="stable") for one in (a, b)]
    times = [np.bincount(one.items) for one in (a, b)]
    if not np.array_equal(times[0], times[1]):
        first, second = (order[np.cumsum(n) - n] for order, n in zip(orders, times, strict=True))
        in_file_order = np.argsort(first)
        return first[in_file_order], second[in_file_order], True
    alike = True
    if a.runs is not None and b.runs is not None and times[0].max() > 1:
        by_run = [np.lexsort((a.runs, a.items)), np.lexsort((b.runs, b.items))]
        alike = np.array_equal(a.runs[by_run[0]], b.runs[by_run[1]])
        orders = by_run if alike else orders
    partner = np.empty(len(a.items), dtype=np.int64)
    partner[orders[0]] = orders[1]
    return np.arange(len(a.items)), partner, alike


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


# Rows with labels of their own, as a series of pandas has them, by which two are matched: never by position if they disagree.
#
# They are recognised by what they can do: outscore depends on no such library.


def is_labelled(rows: object) -> bool:
    """Whether rows have labels, as those of pandas do."""
    return hasattr(rows, "iloc") and hasattr(rows, "index")


def in_order_of(
    first: Any,  # noqa: ANN401 - of whatever library
    rows: Any,  # noqa: ANN401
    name: str,
    other: str = "the other scores",
) -> tuple[Any, bool]:
    """The rows in the order of the labels of `first`, and whether they had to be moved.

    `other` is what messages call `first`. Without labels on both sides rows are matched by position, and `rows` is returned
    as it is.
    """
    if not (is_labelled(first) and is_labelled(rows)):
        return rows, False
    wanted, there = list(first.index), list(rows.index)
    if wanted == there:
        return rows, False
    place = {label: i for i, label in enumerate(there)}
    known = set(wanted)
    if len(place) < len(there) or len(known) < len(wanted):
        raise OutscoreError(
            f"The index of `{name}` differs from that of {other} and has repeated labels: rows cannot be matched.",
            "Give every item a label of its own, or the bare values of both (`.to_numpy()`) in the same order.",
            parameter=name,
        )
    lost = next((label for label in wanted if label not in place), None)
    if lost is None:
        lost = next((label for label in there if label not in known), None)
    if lost is not None:
        raise OutscoreError(
            f"The index of `{name}` differs from that of {other}: only one of them has the label {lost!r}.",
            "Keep the labels that both have, or give the bare values of both (`.to_numpy()`) in the same order.",
            parameter=name,
        )
    return rows.iloc[[place[label] for label in wanted]], True
