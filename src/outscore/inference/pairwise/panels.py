"""What the tests of all pairs ask of a panel: two systems with their runs, own intervals, and which systems the pairs are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import did_you_mean
from outscore.core.paired import PairedScores
from outscore.inference.base.discordance import Discordance, discordance, worth_of
from outscore.inference.base.own_score import OwnRows, own_intervals
from outscore.inference.runs.exchange import Exchange, exchange_of_rows
from outscore.inference.runs.two_way import TwoWay, added_by_runs, two_way_of_rows
from outscore.scores.panel import Panel


def two_way_of_pair(panel: Panel, left: int, right: int) -> TwoWay:
    """Items and runs of two systems as two random factors, on the items both have."""
    both = np.flatnonzero(panel.present[left] & panel.present[right])
    pairs = panel.pair(left, right)
    first, second = (float(panel.metric.score(total)) for total in pairs.totals())
    a, b = (panel.run_rows(system, both) for system in (left, right))
    return two_way_of_rows(a, b, panel.run_metric, difference=first - second, clusters=pairs.clusters)


def exchange_of_pair(panel: Panel, left: int, right: int) -> Exchange:
    """Runs of two systems to be exchanged within the items that both have."""
    assert panel.repeats is not None
    both = np.flatnonzero(panel.present[left] & panel.present[right])
    runs = panel.repeats.systems
    of_pair = exchange_of_rows((runs[left].take(both), runs[right].take(both)), panel.metric)
    assert of_pair is not None
    return of_pair


def run_scores_of_pair(panel: Panel, left: int, right: int) -> tuple[Array, Array]:
    """The scores of the runs of two systems on the items that both have."""
    both = np.flatnonzero(panel.present[left] & panel.present[right])
    sums = (panel.run_rows(system, both).sum(axis=0) for system in (left, right))
    a, b = (np.asarray(panel.run_metric.score(total), dtype=float) for total in sums)
    return a, b


def discordance_of(panel: Panel) -> Discordance | None:
    """What a right item is worth, if all items of all systems are right or wrong, each its own unit; else None."""
    there = panel.rows[panel.present]
    both = PairedScores(there, there, panel.scale, None, panel.clusters, panel.averaged)
    table = discordance(both, panel.metric) if len(there) else None
    # Scores of several systems do not add items.
    return None if table is None or worth_of(table.wrong, table.right, panel.shape[1]) is None else table


def own_limits(panel: Panel, alpha: float, *, new_runs: bool = False) -> tuple[Array, Array]:
    """The interval of each system's own score, over new items or over new items and runs; nan where it shows no spread."""
    limits = np.full((2, len(panel.systems)), np.nan)
    listed = np.flatnonzero(panel.counts > 1).tolist()
    own = [_own_with_runs(panel, i) if new_runs else _own(panel, i) for i in listed]
    metric = panel.run_metric if new_runs else panel.metric
    for system, interval in zip(listed, own_intervals(own, metric, alpha), strict=True):
        limits[:, system] = [np.nan if end is None else end for end in interval]
    return limits[0], limits[1]


def _own(panel: Panel, system: int) -> OwnRows:
    there = panel.present[system]
    return OwnRows(panel.single_rows(system), panel.rows[system][there] / panel.scale, panel.clusters_of(there))


def _own_with_runs(panel: Panel, system: int) -> OwnRows:
    there = panel.present[system]
    rows = panel.run_rows(system, np.flatnonzero(there))
    single = rows.reshape(-1, rows.shape[2])
    return OwnRows(single, rows.mean(axis=1), panel.clusters_of(there), added_by_runs(rows, panel.run_metric))


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
