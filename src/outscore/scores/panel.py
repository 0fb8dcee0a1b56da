"""Systems by items on one dataset, in the columns of one metric: what every test works on, of two systems or of many.

`panels_by_dataset` makes one `Panel` per dataset of systems that were aligned, `panel_of` one of all their items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NoReturn, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import Brief, count_of, dataclass
from outscore.core.rows import PairedScores, RepeatKind, Repeats, Runs, kind_of_column, match_runs
from outscore.exact.numbers import to_exact_integers
from outscore.metrics.registry import resolve
from outscore.results.note import Note
from outscore.scores.align import (
    UNEQUAL_RUNS,
    Aligned,
    DuplicateRule,
    RowValues,
    densify,
    item_clusters,
    names_at,
    values_of_rows,
)
from outscore.scores.system import Rows, Scores


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
    clusters, cluster_names
        A code per item, or None, and what the clusters are called.
    dataset
        The name of the dataset, if there are several.
    repeats
        The runs behind the cells, where cells are made of several, true numbers in the columns of one run's metric; else None.
    averaged
        (systems, items) mask of the cells that are means of rows that differ; None without any.
    single
        Each system's rows, true numbers, before units were made, if they were.
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
    items: Sequence[str] | None = None
    clusters: Array | None = None
    dataset: str | None = None
    repeats: Repeats | None = None
    averaged: Array | None = None
    single: tuple[Array, ...] | None = None
    notes: tuple[Note, ...] = ()
    cluster_names: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        metric: str | AdditiveMetric,
        systems: Sequence[str],
        values: Array,
        present: Array | None = None,
        *,
        items: Sequence[str] | None = None,
        clusters: Array | None = None,
        cluster_names: Sequence[str] = (),
        dataset: str | None = None,
        repeats: Repeats | None = None,
    ) -> Panel:
        """A panel of (systems, items) scores or (systems, items, columns) counts, read as they were written.

        `present` are the filled cells; all of them if None. The rows of `repeats` are as they were read, too.
        """
        filled = np.ones(values.shape[:2], dtype=bool) if present is None else present
        there = values.reshape(-1, *values.shape[2:]) if filled.all() else values[filled]
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
        if len(whole) == filled.size:
            rows = np.ascontiguousarray(whole) if written is None else whole
            rows = rows.reshape(*filled.shape, -1)
        else:
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
            cluster_names=cluster_names,
            dataset=dataset,
            repeats=known,
            averaged=differ,
        )

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
            averaged=None if self.averaged is None else self.averaged[own],
            single=None if self.single is None else self.single[own],
        )

    def pair(self, left: int, right: int) -> PairedScores:
        """Two systems on the items both have."""
        both = self.present[left] & self.present[right]
        averaged = self.averaged is not None and bool(self.averaged[[left, right]][:, both].any())
        if both.all() and self.metric.joint is None:
            return PairedScores(self.rows[left], self.rows[right], self.scale, None, self.clusters, averaged)
        rows = self.rows[left][both], self.rows[right][both]
        if self.metric.joint is not None:
            rows = self.metric.joint(*rows)
        return PairedScores(*rows, self.scale, None, self.clusters_of(both), averaged)

    def matched_rows(self) -> PairedScores:
        """Two systems row by row: the same runs of each item, or item means where they were run unequally often.

        Examples
        --------
        >>> runs = [Runs(np.array(x), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])) for x in ([1, 0, 1, 1], [0, 0, 1, 0])]
        >>> means = np.array([[0.5, 1], [0, 0.5]])
        >>> rows = Panel.of("mean", ("new", "old"), means, repeats=Repeats("epochs", "", tuple(runs))).matched_rows()
        >>> rows.a[:, 0].tolist(), rows.items.tolist()
        ([1, 0, 1, 1], [0, 0, 1, 1])
        """
        known = self.repeats
        if known is None or known.reduced or known.metric is not None or known.unequal:
            pairs = self.pair(0, 1)
            # Sums of columns that are stored as such round less.
            return pairs if pairs.integral else replace(pairs, a=np.asfortranarray(pairs.a), b=np.asfortranarray(pairs.b))
        a, b = known.systems
        clusters = None if self.clusters is None else self.clusters[a.items]
        rows = np.asfortranarray(a.values), np.asfortranarray(b.values[match_runs(a, b)[1]])
        return PairedScores(*rows, 1, a.items, clusters)

    def run_scores(self) -> tuple[Runs, ...] | None:
        """The runs of all systems with one score of each row, if the metric is the mean or the sum of these; else None."""
        known = self.repeats
        if known is None or known.metric is not None or known.reduced or self.metric.ratio is None:
            return None if known is None or not known.reduced else known.systems
        top, bottom = self.metric.ratio
        systems = []
        for runs in known.systems:
            if bottom is not None and not (runs.values @ np.asarray(bottom) == 1).all():
                return None
            systems.append(replace(runs, values=runs.values @ np.asarray(top)))
        return tuple(systems)

    def unit_names(self) -> Sequence[str]:
        """What is swapped as one is called: the clusters, or else the items."""
        if self.clusters is not None:
            return self.cluster_names or [str(code) for code in range(int(self.clusters.max()) + 1)]
        return self.items or [f"row {i + 1}" for i in range(self.shape[1])]

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
        clusters, names = None, self.cluster_names
        if self.clusters is not None:
            clusters, first = densify(self.clusters[items])
            names = tuple(names[i] for i in self.clusters[items][first].tolist()) if names else ()
        return replace(
            self,
            rows=rows,
            present=self.present[:, items],
            items=None if self.items is None else tuple(self.items[i] for i in items.tolist()),
            clusters=clusters,
            cluster_names=names,
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
        return np.asarray(runs.table[items] if self.complete else runs.take(items).table, dtype=float)

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
        """Whether the difference of any two systems is a sum over the rows of `pair`.

        So it is of a sum, of a ratio whose denominators all share, and of rows that are made for two.
        """
        if self.metric.ratio is None:
            return False
        if self.metric.ratio[1] is None or self.metric.joint is not None:
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


def panels_by_dataset(aligned: Aligned, metric: str | AdditiveMetric) -> list[Panel]:
    """One panel for each dataset of systems that have been aligned; the first one carries the notes on all rows.

    Examples
    --------
    >>> from outscore.scores.align import align
    >>> from outscore.scores.system import Labels
    >>> new = Scores("new", np.array([1, 0]), Labels.of(["q1", "q2"]))
    >>> old = Scores("old", np.array([0, 1]), Labels.of(["q2", "q3"]))
    >>> (panel,) = panels_by_dataset(align([new, old]), "mean")
    >>> panel.items, panel.rows[..., 0].tolist(), panel.present.tolist()
    (('q1', 'q2', 'q3'), [[1, 0, 0], [0, 0, 1]], [[True, True, False], [False, True, True]])
    """
    first, *others = _panels(aligned, metric, aligned.by_dataset)
    notes = filling_notes(aligned.items, aligned.conflicts, _count_unequal(aligned.counts), aligned.rule)
    return [replace(first, notes=tuple(notes)), *others]


def panel_of(aligned: Aligned, metric: str | AdditiveMetric) -> Panel:
    """All items of systems that have been aligned, whatever their dataset.

    Examples
    --------
    >>> from outscore.scores.align import align
    >>> from outscore.scores.system import Labels
    >>> new, old = (Scores(name, np.array([1, 0]), Labels.of(ids)) for name, ids in (("new", "xy"), ("old", "yx")))
    >>> panel_of(align([new, old]), "mean").pair(0, 1).b[:, 0].tolist()
    [0, 1]
    """
    return _panels(aligned, metric, {None: None})[0]


def _panels(aligned: Aligned, metric: str | AdditiveMetric, parts: Mapping[str | None, Array | None]) -> list[Panel]:
    """One panel for the items of each part; None stands for all of them."""
    table, present = _fill_table(aligned), None if aligned.whole else aligned.counts > 0
    clusters = item_clusters(aligned)
    repeated = present is not None and bool(aligned.counts.max() > 1)
    panels = []
    for name, items in parts.items():
        # A slice copies nothing.
        here: Rows = slice(None) if items is None or len(items) == aligned.items else items
        codes: Array | None = None
        names: Sequence[str] = ()
        if clusters is not None:
            codes, first = densify(clusters[0][here])
            names = names_at(clusters[1], clusters[0][here][first])
        repeats = _repeats(aligned.runs, here, aligned.reduced) if repeated or aligned.behind is not None else None
        panels.append(
            Panel.of(
                metric,
                aligned.systems,
                np.ascontiguousarray(table[:, here]),
                None if present is None else present[:, here],
                items=aligned.labels if aligned.labels is None or isinstance(here, slice) else names_at(aligned.labels, here),
                clusters=codes,
                cluster_names=names,
                dataset=name,
                repeats=repeats,
            )
        )
    return panels


@dataclass(frozen=True, eq=False)
class Part:
    """Some items of a panel, and their places in it; of items whose runs differ in what makes the part, some of the runs."""

    panel: Panel
    items: Array


def slices_of(
    aligned: Aligned,
    panels: Sequence[Panel],
    column: str,
    metric: str | AdditiveMetric = "mean",
) -> dict[str, list[Part]]:
    """The parts of each panel by the values of a column, in order of first appearance.

    The `panels` are those of the datasets by a metric, or one of all items. Where runs of an item have several values, each
    belongs to its own part.

    Examples
    --------
    >>> from outscore.scores.align import align
    >>> from outscore.scores.system import Labels
    >>> ids, topics = Labels.of(["q1", "q2", "q3"]), {"topic": Labels.of(["x", "y", "x"])}
    >>> both = align([Scores(name, np.array([1, 0, 1]), ids, slices=topics) for name in ("new", "old")])
    >>> {value: parts[0].panel.items for value, parts in slices_of(both, panels_by_dataset(both, "mean"), "topic").items()}
    {'x': ('q1', 'q3'), 'y': ('q2',)}
    """
    rows = aligned.runs
    values = values_of_rows(rows, column)
    values.refuse(rows, column)
    first = np.zeros(rows.items, dtype=np.int64)
    first[rows.item[::-1]] = values.codes[::-1]
    mixed = np.flatnonzero(values.codes != first[rows.item])
    if len(mixed) and (aligned.reduced or _count_unequal(rows.counts)):
        _refuse_mixed(rows, column, int(mixed[0]), values, aligned.reduced)
    groups = list(aligned.by_dataset.values()) if len(panels) > 1 else [np.arange(aligned.items)]
    found: dict[str, list[Part]] = {name: [] for name in values.names}
    for panel, here in zip(panels, groups, strict=True):
        codes, order = first[here], dict.fromkeys(first[here].tolist())
        inside, several = np.ones(len(rows.item), dtype=bool), np.zeros(len(values.names), dtype=bool)
        if len(mixed):
            inside = np.isin(rows.item, here)
            order = dict.fromkeys(values.codes[inside].tolist())
            several[np.unique(values.codes[inside & np.isin(rows.item, rows.item[mixed])])] = True
        for code in order:
            items = np.flatnonzero(codes == code)
            part = panel.part(items)
            if several[code]:
                kept = inside & (values.codes == code)
                items = np.searchsorted(here, np.unique(rows.item[kept]))
                part = _of_runs(panel, items, panel_of(aligned.take(kept), metric))
            found[values.names[code]].append(Part(part, items))
    return found


def _of_runs(whole: Panel, items: Array, part: Panel) -> Panel:
    """A part that has some runs of some items, whose repeats are of the kind of the whole and lack what that lacks."""
    names = None if whole.items is None else tuple(whole.items[i] for i in items.tolist())
    part = replace(part, dataset=whole.dataset, items=names)
    if part.repeats is None or whole.repeats is None:
        return part
    return replace(part, repeats=replace(part.repeats, kind=whole.repeats.kind, of_whole=whole.repeats.lacking))


def _refuse_mixed(rows: Aligned, column: str, row: int, values: RowValues, reduced: str) -> NoReturn:
    """Refuse slices that would tear the runs of an item apart where these count as one score."""
    item, code = int(rows.item[row]), int(values.codes[row])
    other = next(c for c in values.codes[rows.item == item].tolist() if c != code)
    why = f"its runs make one {reduced}" if reduced else "the systems were run on it unequally often"
    raise OutscoreError(
        f"Runs of {rows.item_label(item).lower()} have both `{values.names[other]}` and `{values.names[code]}` as `{column}`,"
        f" but {why}.",
        "Name a column with --slice that has the same value for all runs of an item.",
        parameter="slice",
    )


def name_repeats(panels: Sequence[Panel], kind: str | None) -> list[Panel]:
    """The panels with repeats of the kind that the caller names, if any; refused where nothing was repeated."""
    if kind is None:
        return list(panels)
    if all(panel.repeats is None for panel in panels):
        raise OutscoreError("There are no repeats: each item was scored once.", "Leave --repeats out.", parameter="repeats")
    named = cast("RepeatKind", kind)
    return [p if p.repeats is None else replace(p, repeats=replace(p.repeats, kind=named)) for p in panels]


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


def _fill_table(aligned: Aligned) -> Array:
    """The table of all items with repeats averaged."""
    if aligned.whole:
        return aligned.values.reshape(len(aligned.systems), aligned.items, *aligned.values.shape[1:])
    columns, size = aligned.values.shape[1:], aligned.counts.size
    cell = aligned.system * aligned.items + aligned.item
    single = bool(aligned.counts.max() <= 1)
    table = np.zeros((size, *columns), dtype=aligned.values.dtype if single else np.float64)
    if single:
        table[cell] = aligned.values
    else:
        flat, source = table.reshape(size, -1), aligned.values.reshape(len(cell), -1)
        for column in range(flat.shape[1]):
            sums = np.bincount(cell, weights=source[:, column], minlength=size)
            flat[:, column] = sums / np.maximum(aligned.counts.ravel(), 1)
    return table.reshape(*aligned.counts.shape, *columns)


def _repeats(aligned: Aligned, here: Rows, reduced: str) -> Repeats:
    """The runs of all systems on these items, and the name of the score that they make, if they make one."""
    column = next((system.repeat_column for system in aligned.scores if system.repeat_column), "")
    runs = map(aligned.runs_of, range(len(aligned.systems)))
    systems = tuple(one if isinstance(here, slice) else one.take(here) for one in runs)
    return Repeats(kind_of_column(column), column, systems, reduced=reduced)


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
