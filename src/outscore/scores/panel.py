"""Systems by items on one dataset, in the columns of one metric: what every test of several systems works on.

`panels_of` makes one `Panel` per dataset from the systems that readers return. It works on codes and counts
throughout, so that millions of rows take a second or two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import Brief, count_of, dataclass
from outscore.core.rows import PairedScores, RepeatKind, Repeats, Runs, kind_of_column
from outscore.exact.numbers import to_exact_integers
from outscore.metrics.registry import resolve
from outscore.results.note import Note
from outscore.scores.pairing import UNEQUAL_RUNS, DuplicateRule, check_rule, settle
from outscore.scores.system import Labels, Scores, facts_of_answers, refuse_other_gold

MAX_CELLS = 1 << 31
"""A larger table of systems by items would take more than sixteen gigabytes."""


@dataclass(frozen=True, eq=False, repr=False)
class Panel(Brief):
    """Systems by items on one dataset; cells may be empty.

    Parameters
    ----------
    metric
        What scores the rows.
    systems
        The names; all panels of one ranking have the same systems in the same order.
    rows
        (systems, items, columns) in the metric's own columns, true numbers being rows / scale; 0 where not present.
    present
        (systems, items) mask of the filled cells.
    scale
        What integers are divided by; 1 for real numbers.
    items
        The ids of the items in order of first appearance; None if items are identified by their position.
    clusters
        A code per item, or None.
    dataset
        The name of the dataset, if there are several.
    repeats
        The runs behind the cells, where cells are made of several, true numbers in the columns of one run's metric; else None.
    averaged
        (systems, items) mask of the cells that are means of rows that differ; None without any.
    single
        Each system's rows, true numbers, before units were made, if they were.
    duplicates, conflicts
        The number of repeated rows, and of items whose rows contradict each other.
    notes
        What a report should say about how the table was filled.

    Examples
    --------
    >>> panel = Panel.of("mean", ("new", "old"), np.array([[1.5, 0.5], [0.5, 0]]), np.array([[True, True], [True, False]]))
    >>> panel.shape, panel.complete, panel.counts.tolist(), panel.scores().tolist()
    ((2, 2), False, [2, 1], [1.0, 0.5])
    >>> panel.pair(0, 1).a.tolist(), panel.scale
    ([[15, 10]], 10)
    """

    metric: AdditiveMetric
    systems: tuple[str, ...]
    rows: Array
    present: Array
    scale: int = 1
    items: tuple[str, ...] | None = None
    clusters: Array | None = None
    dataset: str | None = None
    repeats: Repeats | None = None
    averaged: Array | None = None
    single: tuple[Array, ...] | None = None
    duplicates: int = 0
    conflicts: int = 0
    notes: tuple[Note, ...] = ()

    @classmethod
    def of(
        cls,
        metric: str | AdditiveMetric,
        systems: Sequence[str],
        values: Array,
        present: Array | None = None,
        *,
        items: tuple[str, ...] | None = None,
        clusters: Array | None = None,
        dataset: str | None = None,
        repeats: Repeats | None = None,
    ) -> Panel:
        """A panel of (systems, items) scores or (systems, items, columns) counts, read as they were written.

        `present` are the filled cells; all of them if None. The rows of `repeats` are as they were read, too.
        """
        filled = np.ones(values.shape[:2], dtype=bool) if present is None else present
        there = values[filled]
        if not len(there):
            raise OutscoreError("No system has any item.", "Give each system at least one score.")
        known, differ = None if repeats is None else _with_columns(repeats, metric), None
        raw: tuple[Array, ...] = ()
        if repeats is not None and known is not None and not repeats.reduced and repeats.metric is None:
            differ = np.array([_differ(runs, filled.shape[1]) for runs in known.systems])
            raw = tuple(runs.values for runs in repeats.systems if len(runs.values))
        additive, rows_there, _ = resolve(metric, there, there[:1], raw=raw)
        if additive.joint is not None:
            # Ranks are those of one system's outputs.
            own = [rows[has] for rows, has in zip(values, filled, strict=True)]
            rows_there = np.concatenate([resolve(metric, rows, rows[:1])[1] for rows in own if len(rows)])
        written = to_exact_integers(rows_there)
        (whole,), scale = ((rows_there,), 1) if written is None else written
        rows = np.zeros((*filled.shape, whole.shape[1]), dtype=whole.dtype)
        rows[filled] = whole
        return cls(
            additive,
            tuple(systems),
            rows,
            filled,
            scale,
            items=items,
            clusters=clusters,
            dataset=dataset,
            repeats=known,
            averaged=differ,
        )

    @classmethod
    def of_pair(
        cls, pairs: PairedScores, metric: AdditiveMetric, names: tuple[str, str], repeats: Repeats, spec: str | AdditiveMetric
    ) -> Panel:
        """A panel of two systems whose rows have been matched; the rows of `repeats` are as they were read, for `spec`."""
        items = pairs.per_item()
        rows = np.stack([items.a, items.b])
        filled = np.ones(rows.shape[:2], dtype=bool)
        known = _with_columns(repeats, spec)
        return cls(metric, names, rows, filled, items.scale, clusters=items.clusters, repeats=known)

    def _brief(self) -> str:
        systems, items = self.shape
        return f"{count_of(systems, 'system')} by {count_of(items, 'item')}"

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of systems and of items."""
        systems, items = self.present.shape
        return int(systems), int(items)

    @property
    def counts(self) -> Array:
        """The number of items of each system."""
        return np.asarray(self.present.sum(axis=1))

    @property
    def complete(self) -> bool:
        """Whether all systems have the same items."""
        return bool(self.present.all())

    @property
    def orientation(self) -> int:
        """-1 where lower is better."""
        return 1 if self.metric.higher_is_better else -1

    @property
    def run_metric(self) -> AdditiveMetric:
        """The metric of one run's rows."""
        return (None if self.repeats is None else self.repeats.metric) or self.metric

    @property
    def repeat_kind(self) -> RepeatKind | None:
        """What repeats are; None without any."""
        return None if self.repeats is None else self.repeats.kind

    @property
    def times(self) -> Array:
        """(systems, items): how often each system was run on each item."""
        if self.repeats is None:
            return self.present.astype(np.int64)
        return np.array([runs.times(self.shape[1]) for runs in self.repeats.systems])

    @cached_property
    def shared_repeats(self) -> Repeats | None:
        """The repeats of items that several systems have: what is compared, so that all others may lack runs."""
        if self.repeats is None or self.complete:
            return self.repeats
        shared = np.flatnonzero(self.present.sum(axis=0) > 1)
        return replace(self.repeats, systems=tuple(runs.take(shared) for runs in self.repeats.systems))

    def run_unequally(self) -> Array | None:
        """(systems, systems): which two were run unequally often on an item that both have; None where none were.

        Examples
        --------
        >>> once, twice = Runs(np.array([1]), np.array([0])), Runs(np.array([1, 0]), np.array([0, 0]))
        >>> repeats = Repeats("epochs", "", (once, twice))
        >>> Panel.of("mean", ("new", "old"), np.array([[1], [0.5]]), repeats=repeats).run_unequally().tolist()
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

    def of_system(self, system: int) -> Panel:
        """The panel of one system."""
        own = slice(system, system + 1)
        return replace(
            self,
            systems=self.systems[own],
            rows=self.rows[own],
            present=self.present[own],
            repeats=None if self.repeats is None else replace(self.repeats, systems=self.repeats.systems[own]),
            single=None if self.single is None else self.single[own],
        )

    def pair(self, left: int, right: int) -> PairedScores:
        """Two systems on the items both have."""
        both = self.present[left] & self.present[right]
        averaged = self.averaged is not None and bool(self.averaged[[left, right]][:, both].any())
        rows = self.rows[left][both], self.rows[right][both]
        if self.metric.joint is not None:
            rows = self.metric.joint(*rows)
        elif self.complete:
            return PairedScores(self.rows[left], self.rows[right], self.scale, None, self.clusters, averaged)
        return PairedScores(*rows, self.scale, None, self.clusters_of(both), averaged)

    def part(self, items: Array) -> Panel:
        """The same systems on some items.

        Examples
        --------
        >>> Panel.of("mean", ("new", "old"), np.array([[1, 0, 1], [0, 1, 1]])).part(np.array([0, 2])).scores().tolist()
        [1.0, 0.5]
        """
        rows = self.rows[:, items]
        if self.metric.joint is not None:
            rows = np.stack([_ranked_again(self.metric.joint, *own) for own in zip(rows, self.present[:, items], strict=True)])
        return replace(
            self,
            rows=rows,
            present=self.present[:, items],
            items=None if self.items is None else tuple(self.items[i] for i in items.tolist()),
            clusters=self.clusters_of(items),
            repeats=None if self.repeats is None else self.repeats.take(items),
            averaged=None if self.averaged is None else self.averaged[:, items],
        )

    def clusters_of(self, items: Array) -> Array | None:
        """Codes without gaps of the clusters of some items."""
        return None if self.clusters is None else np.unique(self.clusters[items], return_inverse=True)[1]

    def run_rows(self, system: int, items: Array) -> Array:
        """A system's (items, runs, columns) rows of these items, true numbers."""
        assert self.repeats is not None
        runs = self.repeats.systems[system]
        # An item that only this system has may lack runs, or have others.
        return np.asarray(runs.table if self.complete else runs.take(items).table, dtype=float)

    def single_rows(self, system: int) -> Array:
        """A system's rows, true numbers, before repeats were averaged and units were made."""
        if self.single is not None:
            return self.single[system]
        if self.repeats is not None and self.repeats.metric is None and not self.repeats.reduced:
            return self.repeats.systems[system].values.astype(float)
        return np.asarray(self.rows[system][self.present[system]] / self.scale)

    def collapse_clusters(self) -> Panel:
        """Items of one cluster added up, where all systems have all of them."""
        if self.clusters is None:
            return self
        order = np.argsort(self.clusters, kind="stable")
        starts = np.flatnonzero(np.diff(self.clusters[order], prepend=-1))
        rows = np.add.reduceat(self.rows[:, order], starts, axis=1)
        return replace(self, rows=rows, present=np.ones(rows.shape[:2], dtype=bool), clusters=None)

    def totals(self) -> Array:
        """(systems, columns) sums in true units, correctly rounded."""
        if self.rows.dtype.kind == "i":
            return np.asarray(self.rows.sum(axis=1) / self.scale)
        columns = self.rows.transpose(0, 2, 1)
        return np.array([[math.fsum(column) for column in system] for system in columns.tolist()]) / self.scale

    def scores(self) -> Array:
        """Every system's score on its own items; nan for one that has none."""
        with np.errstate(invalid="ignore", divide="ignore"):
            values = self.metric.score(self.totals())
        return np.asarray(np.where(self.present.any(axis=1), values, np.nan))

    def single_scores(self) -> bool:
        """Whether the metric is the mean, or the sum, of one score per item: with one weight for all items."""
        if self.metric.ratio is None or self.metric.joint is not None:
            return False
        if self.metric.ratio[1] is None:
            return True
        weight = self.rows[self.present] @ np.asarray(self.metric.ratio[1])
        return bool(len(weight) and weight[0] > 0 and (weight == weight[0]).all())

    def item_scores(self) -> list[Array] | None:
        """Each system's scores of its items, if items have one score each; else None."""
        if not self.single_scores():
            return None
        assert self.metric.ratio is not None
        top, bottom = self.metric.ratio
        tops = self.rows @ np.asarray(top)
        unit = self.scale if bottom is None else (self.rows[self.present][0] @ np.asarray(bottom)).item()
        return [row[present] / unit for row, present in zip(tops, self.present, strict=True)]

    def linear(self) -> bool:
        """Whether the difference of any two systems is a sum over items: a sum, or a ratio whose denominators all share."""
        if self.metric.ratio is None or self.metric.joint is not None:
            return False
        if self.metric.ratio[1] is None:
            return True
        bottom = np.where(self.present, self.rows @ np.asarray(self.metric.ratio[1]), np.nan)
        with np.errstate(invalid="ignore"):
            return bool((np.isnan(bottom) | (bottom == np.fmax.reduce(bottom, axis=0))).all())


def _ranked_again(joint: Callable[[Array, Array], tuple[Array, Array]], rows: Array, present: Array) -> Array:
    """One system's rows on some of its items, ranked among these."""
    again = np.zeros_like(rows)
    again[present] = joint(rows[present], rows[present])[0]
    return again


def _with_columns(repeats: Repeats, metric: str | AdditiveMetric) -> Repeats:
    """The repeats with the rows of single runs in their metric's own columns; scores made of several runs have none."""
    if repeats.reduced:
        return repeats
    systems = tuple(replace(runs, values=_in_columns(repeats.metric or metric, runs.values)) for runs in repeats.systems)
    return replace(repeats, systems=systems)


def _in_columns(metric: str | AdditiveMetric, values: Array) -> Array:
    """Rows in the metric's own columns; there may be none."""
    known = values if len(values) else np.zeros((1, *values.shape[1:]))
    return resolve(metric, known, known[:1])[1][: len(values)]


def _differ(runs: Runs, items: int) -> Array:
    """Which items have rows that differ."""
    first = np.zeros((items, runs.values.shape[1]))
    first[runs.items] = runs.values
    differ = np.zeros(items, dtype=bool)
    differ[runs.items[(first[runs.items] != runs.values).any(axis=1)]] = True
    return differ


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

    @property
    def datasets_at(self) -> dict[str | None, Array]:
        """The items of each dataset; of the only one, if there are none by name."""
        names: Sequence[str | None] = [None] if self.datasets is None else self.datasets
        return {name: np.flatnonzero(self.home == code) for code, name in enumerate(names)}

    def item_label(self, item: int) -> str:
        """What messages call an item."""
        return f"Item {item + 1}" if self.labels is None else f"Item `{self.labels[item]}`"


def panels_of(
    scores: Sequence[Scores], metric: str | AdditiveMetric = "mean", duplicates: DuplicateRule = "mean"
) -> list[Panel]:
    """One panel per dataset, in order of first appearance.

    Items are matched by id, or by position if no system has ids. Equal rows of one item and repeat are kept
    once and counted; `duplicates` decides on rows that contradict each other, and ``"mean"`` averages them
    with a note. Repeats are averaged.

    Parameters
    ----------
    scores
        The systems, each with a name of its own.
    metric
        What scores their rows.
    duplicates
        ``"mean"``, ``"first"``, ``"last"`` or ``"stop"``.

    Examples
    --------
    >>> new = Scores("new", np.array([1, 0]), Labels.of(["q1", "q2"]))
    >>> old = Scores("old", np.array([0, 1]), Labels.of(["q2", "q3"]))
    >>> (panel,) = panels_of([new, old])
    >>> panel.items, panel.rows[..., 0].tolist(), panel.present.tolist()
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
    repeats = _repeats(cells, systems) if counts.max() > 1 else {}
    panels = []
    for name, here in cells.datasets_at.items():
        panels.append(
            Panel.of(
                metric,
                cells.systems,
                np.ascontiguousarray(table[:, here]),
                counts[:, here] > 0,
                items=None if cells.labels is None else tuple(cells.labels[i] for i in here.tolist()),
                clusters=None if clusters is None else _densify(clusters[here])[0],
                dataset=name,
                repeats=repeats.get(name),
            )
        )
    # Counts and notes are about all rows: the first panel carries them.
    return [replace(panels[0], duplicates=repeated, conflicts=conflicts, notes=notes), *panels[1:]]


def slices_of(panels: Sequence[Panel], scores: Sequence[Scores], column: str) -> dict[str, list[Panel]]:
    """The panels of each value of a column, of which every item has one, in order of first appearance.

    Examples
    --------
    >>> ids, topics = Labels.of(["q1", "q2", "q3"]), {"topic": Labels.of(["x", "y", "x"])}
    >>> both = [Scores(name, np.array([1, 0, 1]), ids, slices=topics) for name in ("new", "old")]
    >>> {value: parts[0].items for value, parts in slices_of(panels_of(both), both, "topic").items()}
    {'x': ('q1', 'q3'), 'y': ('q2',)}
    """
    values: dict[tuple[str | None, str], str] = {}
    for system in scores:
        labels = system.slices.get(column)
        if labels is None or (system.ids is None and len(panels) > 1):
            lacking = f"no slice column `{column}`" if labels is None else "no ids of items, by which datasets have slices"
            cure = "Read them with slice=..." if labels is None else "Name the column of ids with --item."
            raise OutscoreError(f"The scores of `{system.name}` have {lacking}.", cure, parameter="slice")
        ids = map(str, range(system.rows)) if system.ids is None else system.ids.texts()
        sets = [panels[0].dataset] * system.rows if system.datasets is None else system.datasets.texts()
        for item, value in zip(zip(sets, ids, strict=True), labels.texts(), strict=True):
            if values.setdefault(item, value) != value:
                raise OutscoreError(
                    f"Column `{column}` is `{values[item]}` and `{value}` on item `{item[1]}`, so it cannot define slices.",
                    "Name a column with --slice that has the same value for all systems on every item.",
                    parameter="slice",
                )
    found: dict[str, list[Panel]] = {value: [] for value in values.values()}
    for panel in panels:
        names = panel.items or [str(i) for i in range(panel.shape[1])]
        of_items = np.array([values[panel.dataset, name] for name in names], dtype=object)
        for value in dict.fromkeys(of_items.tolist()):
            found[value].append(panel.part(np.flatnonzero(of_items == value)))
    return found


def name_repeats(panels: Sequence[Panel], kind: str | None) -> list[Panel]:
    """The panels with repeats of the kind that the caller names, if any; refused where nothing was repeated."""
    if kind is None:
        return list(panels)
    if all(panel.repeats is None for panel in panels):
        raise OutscoreError("There are no repeats: each item was scored once.", "Leave --repeats out.", parameter="repeats")
    named = cast("RepeatKind", kind)
    return [p if p.repeats is None else replace(p, repeats=replace(p.repeats, kind=named)) for p in panels]


def repeats_by_dataset(systems: Sequence[Scores]) -> dict[str | None, Repeats]:
    """The runs of all systems, one of each item and repeat, with the items in the order of their panels."""
    return _repeats(_cells(systems), systems)


def _check_systems(scores: Sequence[Scores]) -> None:
    """Refuse systems that do not fit into one table."""
    if not scores:
        raise OutscoreError("No system was found.", "Give at least one.")
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


def refuse_one(scores: Sequence[Scores]) -> None:
    """Refuse to rank a single system, naming its score column if the file has no system column."""
    if len({system.name for system in scores}) > 1:
        return
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


def _repeats(cells: _Cells, systems: Sequence[Scores]) -> dict[str | None, Repeats]:
    """The runs of all systems by dataset."""
    column = next((system.repeat_column for system in systems if system.repeat_column), "")
    kind = kind_of_column(column)
    return {name: Repeats(kind, column, _runs(cells, here)) for name, here in cells.datasets_at.items()}


def _runs(cells: _Cells, here: Array) -> tuple[Runs, ...]:
    """Each system's rows of these items."""
    place = np.full(len(cells.home), -1, dtype=np.int64)
    place[here] = np.arange(len(here))
    items = place[cells.item]
    systems = []
    for code, name in enumerate(cells.systems):
        rows = np.flatnonzero((cells.system == code) & (items >= 0))
        systems.append(Runs(cells.values[rows], items[rows], None if cells.run is None else cells.run[rows], name))
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
        who = "system" if len(cells.systems) > 1 else "row"
        raise OutscoreError(
            f"{cells.item_label(int(item[row]))} is in cluster `{one}` for one {who} and in `{other}` for another.",
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
