"""All systems of a dataset in a metric's own columns: what the tests of all pairs work on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.paired import PairedScores
from outscore.core.records import dataclass
from outscore.core.repeats import Runs
from outscore.exact.numbers import to_exact_integers
from outscore.inference.base.discordance import Discordance, discordance, worth_of
from outscore.inference.base.own_score import OwnRows, own_intervals
from outscore.inference.runs.exchange import Exchange, exchange_of_rows
from outscore.inference.runs.two_way import TwoWay, added_by_runs, two_way_of_rows


@dataclass(frozen=True, eq=False)
class SystemRows:
    """(systems, items, columns) rows in the metric's own columns, true numbers being rows / scale; 0 where not present.

    `repeats` are each system's rows before repeats were averaged, true numbers, in the columns of `run_metric`, the metric of
    one run's rows, where that is not `metric`; None if each item was run once. `averaged` says that rows are means of several
    that differ. `single` are each system's rows, true numbers, before units were made, if they were.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = np.array([[[1.5, 1], [0.5, 1]], [[0.5, 1], [0, 0]]])
    >>> systems = SystemRows(mean, rows, np.array([[True, True], [True, False]]))
    >>> systems.scores().tolist(), systems.pair(0, 1).a.tolist()
    ([1.0, 0.5], [[1.5, 1.0]])
    """

    metric: AdditiveMetric
    rows: Array
    present: Array
    clusters: Array | None = None
    scale: int = 1
    repeats: tuple[Runs, ...] | None = None
    run_metric: AdditiveMetric | None = None
    averaged: bool = False
    single: tuple[Array, ...] | None = None

    @property
    def complete(self) -> bool:
        """Whether all systems have all items."""
        return bool(self.present.all())

    @property
    def orientation(self) -> int:
        """-1 where lower is better."""
        return 1 if self.metric.higher_is_better else -1

    def with_exact_integers(self) -> SystemRows:
        """Numbers read as they were written, once for all pairs; real numbers stay as they are."""
        written = to_exact_integers(self.rows[self.present])
        if written is None:
            return self
        (whole,), scale = written
        rows = np.zeros(self.rows.shape, dtype=np.int64)
        rows[self.present] = whole
        return replace(self, rows=rows, scale=scale * self.scale)

    def collapse_clusters(self) -> SystemRows:
        """Items of one cluster added up, where all systems have all of them."""
        if self.clusters is None:
            return self
        order = np.argsort(self.clusters, kind="stable")
        starts = np.flatnonzero(np.diff(self.clusters[order], prepend=-1))
        rows = np.add.reduceat(self.rows[:, order], starts, axis=1)
        return replace(self, rows=rows, present=np.ones(rows.shape[:2], dtype=bool), clusters=None)

    def pair(self, left: int, right: int) -> PairedScores:
        """Two systems on the items both have."""
        if self.complete:
            return PairedScores(self.rows[left], self.rows[right], self.scale, None, self.clusters, self.averaged)
        both = self.present[left] & self.present[right]
        clusters = None if self.clusters is None else np.unique(self.clusters[both], return_inverse=True)[1]
        return PairedScores(self.rows[left][both], self.rows[right][both], self.scale, None, clusters, self.averaged)

    def crossed(self, left: int, right: int) -> TwoWay:
        """Items and runs of two systems as two random factors, on the items both have."""
        both = np.flatnonzero(self.present[left] & self.present[right])
        pairs = self.pair(left, right)
        scores = [float(self.metric.score(total)) for total in pairs.totals()]
        a, b = (self.run_rows(system, both) for system in (left, right))
        return two_way_of_rows(a, b, self.run_metric or self.metric, difference=scores[0] - scores[1], clusters=pairs.clusters)

    def exchange(self, left: int, right: int) -> Exchange:
        """Runs of two systems to be exchanged within the items that both have."""
        assert self.repeats is not None
        both = np.flatnonzero(self.present[left] & self.present[right])
        of_pair = exchange_of_rows((self.repeats[left].take(both), self.repeats[right].take(both)), self.metric)
        assert of_pair is not None
        return of_pair

    def run_rows(self, system: int, items: Array) -> Array:
        """A system's (items, runs, columns) rows of these items."""
        assert self.repeats is not None
        return np.asarray(self.repeats[system].table[items], dtype=float)

    def run_scores(self, left: int, right: int) -> tuple[Array, Array]:
        """The scores of the runs of two systems on the items that both have."""
        both = np.flatnonzero(self.present[left] & self.present[right])
        metric = self.run_metric or self.metric
        a, b = (np.asarray(metric.score(self.run_rows(system, both).sum(axis=0)), dtype=float) for system in (left, right))
        return a, b

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

    def discordance(self) -> Discordance | None:
        """What a right item is worth, if all items of all systems are right or wrong, each its own unit; else None."""
        there = self.rows[self.present]
        both = PairedScores(there, there, self.scale, None, self.clusters, self.averaged)
        table = discordance(both, self.metric) if len(there) else None
        # Scores of several systems do not add items.
        return None if table is None or worth_of(table.wrong, table.right, self.rows.shape[1]) is None else table

    def single_scores(self) -> bool:
        """Whether the metric is the mean, or the sum, of one score per item: with one weight for all items."""
        if self.metric.ratio is None:
            return False
        if self.metric.ratio[1] is None:
            return True
        weight = self.rows[self.present] @ np.asarray(self.metric.ratio[1])
        return bool(len(weight) and weight[0] > 0 and (weight == weight[0]).all())

    def linear(self) -> bool:
        """Whether the difference of any two systems is a sum over items: a sum, or a ratio whose denominators all share."""
        if self.metric.ratio is None:
            return False
        if self.metric.ratio[1] is None:
            return True
        bottom = np.where(self.present, self.rows @ np.asarray(self.metric.ratio[1]), np.nan)
        with np.errstate(invalid="ignore"):
            return bool((np.isnan(bottom) | (bottom == np.fmax.reduce(bottom, axis=0))).all())

    def own_limits_of_runs(self, alpha: float) -> tuple[Array, Array]:
        """The same as a claim about new items and new runs."""
        metric = self.run_metric or self.metric
        limits = np.full((2, len(self.rows)), np.nan)
        listed = np.flatnonzero(self.present.sum(axis=1) > 1).tolist()
        rows_of_systems = []
        for system in listed:
            there = self.present[system]
            clusters = None if self.clusters is None else np.unique(self.clusters[there], return_inverse=True)[1]
            rows = self.run_rows(system, np.flatnonzero(there))
            single = rows.reshape(-1, rows.shape[2])
            rows_of_systems.append(OwnRows(single, rows.mean(axis=1), clusters, added_by_runs(rows, metric)))
        for system, interval in zip(listed, own_intervals(rows_of_systems, metric, alpha), strict=True):
            limits[:, system] = [np.nan if end is None else end for end in interval]
        return limits[0], limits[1]

    def own_limits(self, alpha: float) -> tuple[Array, Array]:
        """The interval of each system's own score; nan where its items show no spread."""
        limits = np.full((2, len(self.rows)), np.nan)
        listed = np.flatnonzero(self.present.sum(axis=1) > 1).tolist()
        for system, interval in zip(listed, own_intervals([self._own(i) for i in listed], self.metric, alpha), strict=True):
            limits[:, system] = [np.nan if end is None else end for end in interval]
        return limits[0], limits[1]

    def _own(self, system: int) -> OwnRows:
        there = self.present[system]
        items = self.rows[system][there] / self.scale
        clusters = None if self.clusters is None else np.unique(self.clusters[there], return_inverse=True)[1]
        return OwnRows(self.single_rows(system), items, clusters)

    def single_rows(self, system: int) -> Array:
        """A system's rows, true numbers, before repeats were averaged and units were made."""
        if self.single is not None:
            return self.single[system]
        if self.repeats is not None and self.run_metric is None:
            return self.repeats[system].values.astype(float)
        return np.asarray(self.rows[system][self.present[system]] / self.scale)


def baseline_of(systems: Sequence[str], baseline: str | None) -> int | None:
    """The number of the baseline among the systems; None where none was asked for.

    Examples
    --------
    >>> baseline_of(("new", "old"), "old"), baseline_of(("new", "old"), None)
    (1, None)
    """
    if baseline is None:
        return None
    if baseline not in systems:
        raise OutscoreError(f"There is no system `{baseline}` to compare with.", did_you_mean(baseline, systems))
    return list(systems).index(baseline)


def pairs_of(systems: int, baseline: int | None = None) -> tuple[Array, Array]:
    """Left and right of all pairs, or of all systems with the baseline on the right.

    Examples
    --------
    >>> [side.tolist() for side in pairs_of(3)], [side.tolist() for side in pairs_of(3, 1)]
    ([[0, 0, 1], [1, 2, 2]], [[0, 2], [1, 1]])
    """
    if baseline is None:
        left, right = np.triu_indices(systems, 1)
        return left, right
    others = np.delete(np.arange(systems), baseline)
    return others, np.full(len(others), baseline)
