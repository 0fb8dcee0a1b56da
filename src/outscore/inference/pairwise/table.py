"""All pairs of systems on one dataset: a table of columns, and what its tests ask of a panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import MIN_FLOAT, Array
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.core.rows import EPOCHS, RUNS, PairedScores
from outscore.inference.base.discordance import Discordance, discordance, worth_of
from outscore.inference.base.own_score import UNKNOWN, Limits, OwnRows, own_intervals
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.effects import evaluation_units
from outscore.inference.describe.repeats import own_run_limits, run_interval, run_test
from outscore.inference.populations import EXCHANGE, EXCHANGE_OF_RUNS, POPULATIONS, THESE_ITEMS, TWO_WAY, lacking
from outscore.inference.runs import COARSE, Exchange, exchange_of_rows, macro_exchange, not_exchangeable
from outscore.inference.two_way import TwoWay, macro_two_way, noise_of_rows, two_way_of_rows
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.scores.panel import Panel

# All pairs of systems on one dataset, column by column: a million tests are arrays, not objects.


KINDS = ("exact", "certified", "monte-carlo", "asymptotic")
"""What the codes in `PairTable.kind` mean."""
FINENESS = (2.0**40, 1e12)
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class PairTable:
    """One row for each pair (left, right) of systems, by their indices; differences are left - right, raw.

    Parameters
    ----------
    left, right
        Indices of the systems.
    n
        Units both systems have; where there are none, `difference` is nan and p is 1.
    difference, low, high
        In the metric's own unit; nan where unknown, an infinite end where unbounded.
    log_p
        Natural logarithm of the p to claim: of certified bounds the upper end. Never -inf, 0 for identical
        systems.
    kind
        Codes into `KINDS`.
    log_better, log_worse
        The same one-sided, for "left is better" and "left is worse", where datasets are to be combined; else
        None.
    wins, losses
        Items that only the left or only the right system got right, where all items are right or wrong; else
        None.
    unit
        What such an item is worth: 1, or 100 where scores are 0 and 100.
    remarks
        What is to be said about single rows, by their number.
    weight
        How much a pair counts in the order of systems with different items; None is `n`. Of a macro average it is the number of
        datasets that both have.
    """

    left: Array
    right: Array
    n: Array
    difference: Array
    low: Array
    high: Array
    log_p: Array
    kind: Array
    log_better: Array | None = None
    log_worse: Array | None = None
    wins: Array | None = None
    losses: Array | None = None
    unit: float = 1.0
    remarks: Mapping[int, str] = field(default_factory=dict)
    weight: Array | None = None

    def __len__(self) -> int:
        return len(self.left)

    @property
    def testable(self) -> Array:
        """Which pairs share items: only these belong to the family."""
        return np.asarray(self.n > 0)

    @cached_property
    def p(self) -> Array:
        """p as floats; what underflows is the smallest positive one."""
        p = np.exp(self.log_p)
        # An exact p of a few units is a multiple of a power of ½, a sampled one often a decimal: the
        # logarithm has moved them by a rounding error, which is taken back.
        for fineness in FINENESS:
            steps = np.rint(p * fineness)
            p = np.where(np.abs(p * fineness - steps) <= ROUNDING * steps, steps / fineness, p)
        return np.asarray(np.maximum(p, MIN_FLOAT))


@dataclass(frozen=True, eq=False)
class Measured:
    """The systems on one dataset by one metric, before any correction: scores with intervals, and all pairs.

    `n` are the items of each system, `items` those of the dataset; `value` is nan for a system that has none.
    `complete` says that all systems have the same items. `unit` is what `n` of the pairs counts. A `macro`
    average stands for all datasets.
    """

    dataset: str | None
    metric: str
    higher_is_better: bool
    systems: tuple[str, ...]
    value: Array
    low: Array
    high: Array
    n: Array
    items: int
    complete: bool
    pairs: PairTable
    test: str
    kernel: str
    interval: str
    unit: Literal["items", "clusters", "units", "segments"] = "items"
    notes: list[Note] = field(default_factory=list)
    macro: bool = False


# What the tests of all pairs ask of a panel: two systems with their runs, own intervals, and which systems the pairs are.


def shared_panels(panels: Sequence[Panel], left: int, right: int) -> list[Panel]:
    """The panels on which both systems have items."""
    return [panel for panel in panels if (panel.present[left] & panel.present[right]).any()]


def two_way_of_pair(panels: Sequence[Panel], left: int, right: int) -> TwoWay:
    """Items and runs of two systems as two random factors, on the items both have; the mean over several panels."""
    parts = []
    for panel in panels:
        both = np.flatnonzero(panel.present[left] & panel.present[right])
        pairs = panel.pair(left, right)
        first, second = (float(panel.metric.score(total)) for total in pairs.totals())
        a, b = (panel.run_rows(system, both) for system in (left, right))
        parts.append(two_way_of_rows(a, b, panel.run_metric, difference=first - second, clusters=pairs.clusters))
    return macro_two_way(parts) if len(parts) > 1 else parts[0]


def exchange_of_pair(panels: Sequence[Panel], left: int, right: int) -> Exchange:
    """Runs of two systems to be exchanged within the items that both have, by a mean over items."""
    parts = []
    for panel in panels:
        assert panel.repeats is not None
        both = np.flatnonzero(panel.present[left] & panel.present[right])
        runs = panel.repeats.systems
        part = exchange_of_rows((runs[left].take(both), runs[right].take(both)), panel.metric)
        assert part is not None
        parts.append(part)
    return macro_exchange(parts) if len(parts) > 1 else parts[0]


def run_scores_of_pair(panels: Sequence[Panel], left: int, right: int) -> tuple[Array, Array]:
    """The scores of the runs of two systems on the items that both have, averaged over panels."""
    scores = []
    for panel in panels:
        both = np.flatnonzero(panel.present[left] & panel.present[right])
        sums = (panel.run_rows(system, both).sum(axis=0) for system in (left, right))
        scores.append([np.asarray(panel.run_metric.score(total), dtype=float) for total in sums])
    a, b = (np.mean([pair[side] for pair in scores], axis=0) for side in (0, 1))
    return a, b


def two_way_result(crossed: TwoWay, request: TestRequest, orientation: int) -> TestResult:
    """What the two-way test answers."""
    return TestResult(crossed.p(request, orientation=orientation), crossed.interval(request, orientation=orientation))


def exchange_result(exchange: Exchange, request: TestRequest, points: int = COARSE) -> TestResult:
    """What exchanging runs within items answers; `points` of the grid on which real numbers are counted."""
    p = exchange.p(request, points=points)
    if not request.interval:
        return TestResult(p)
    at_zero = exchange.p(replace(request, delta=0.0), points=points) if request.delta else p
    return TestResult(p, exchange.interval(request, at_zero))


def runs_result(a: Array, b: Array, request: TestRequest, *, higher_is_better: bool) -> TestResult:
    """What exchanging whole runs, of which these are the scores, answers."""
    interval = run_interval(a, b, request, higher_is_better=higher_is_better) if request.interval else None
    return TestResult(run_test(a, b, request, higher_is_better=higher_is_better), interval)


def discordance_of(panel: Panel) -> Discordance | None:
    """What a right item is worth, if all items of all systems are right or wrong, each its own unit; else None."""
    there = panel.rows[panel.present]
    averaged = panel.averaged is not None and bool(panel.averaged.any())
    both = PairedScores(there, there, panel.scale, None, panel.clusters, averaged)
    table = discordance(both, panel.metric) if len(there) else None
    # Scores of several systems do not add items.
    return None if table is None or worth_of(table.wrong, table.right, panel.shape[1]) is None else table


def lacking_of(panels: Sequence[Panel], *, unit_size: int = 1, further: Sequence[Panel] = ()) -> dict[str, str]:
    """By population, what panels lack for a claim about it, as a clause; empty if they lack nothing.

    `further` are the panels of other metrics, whose runs are exchanged too.
    """
    kind, parts = panels[0].repeat_kind, [panel.shared_repeats for panel in panels]
    fewest = min(panel.shape[1] for panel in panels)
    missing = {name: lacking(name, parts, kind, unit_size=unit_size, items=fewest) for name in POPULATIONS}
    if kind == EPOCHS and not missing[THESE_ITEMS]:
        known = [(panel.repeats.systems, panel.metric) for panel in (*panels, *further) if panel.repeats is not None]
        clauses = (not_exchangeable(systems, metric) for systems, metric in known)
        missing[THESE_ITEMS] = next(filter(None, clauses), "")
    return missing


@dataclass(frozen=True, eq=False)
class OwnScores:
    """The score of each system with its interval, nan where there is none."""

    value: Array
    low: Array
    high: Array


def own_scores(
    panel: Panel,
    test: str,
    alpha: float,
    *,
    unit_size: int = 1,
    unit_statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
) -> OwnScores:
    """Every system's own score, over new items, with new runs or without, or over new runs of these: what the test is about.

    Of evaluation units those are scored, because their medians may order systems differently.
    """
    shown = panel if unit_size == 1 else _in_units(panel, unit_size, unit_statistic, shuffle)
    if test in (EXCHANGE, EXCHANGE_OF_RUNS):
        among = scores_of_runs([shown]) if test == EXCHANGE else None
        limits = [own_limits_of_runs(shown, i, alpha, among) if n else UNKNOWN for i, n in enumerate(shown.counts.tolist())]
        return OwnScores(shown.scores(), *np.array(limits, dtype=float).T)
    return OwnScores(shown.scores(), *own_limits(shown, alpha, new_runs=test == TWO_WAY))


def _in_units(panel: Panel, size: int, statistic: Literal["mean", "median"], shuffle: int | None) -> Panel:
    """The evaluation units of each system."""
    single = tuple(panel.single_rows(system) for system in range(len(panel.rows)))
    in_units = []
    for rows, there in zip(panel.rows, panel.present, strict=True):
        own = PairedScores(rows[there], rows[there], panel.scale)
        units = evaluation_units(own, panel.metric, size, statistic, shuffle)[0] if own.rows else own
        in_units.append(units.a if own.rows else units.a / panel.scale)
    present = np.arange(max(map(len, in_units))) < np.array([[len(units)] for units in in_units])
    values = np.zeros((*present.shape, panel.rows.shape[2]), dtype=np.result_type(*in_units))
    values[present] = np.concatenate(in_units)
    return replace(panel, rows=values, present=present, clusters=None, scale=1, single=single)


def own_limits(panel: Panel, alpha: float, *, new_runs: bool = False) -> tuple[Array, Array]:
    """The interval of each system's own score, over new items or over new items and runs; nan where it shows no spread."""
    listed = np.flatnonzero(panel.counts).tolist()
    own = [own_rows(panel, i, new_runs=new_runs) for i in listed]
    metric = panel.run_metric if new_runs else panel.metric
    return _ends(panel, listed, own_intervals(own, metric, alpha))


def own_rows(panel: Panel, system: int, *, new_runs: bool = False) -> OwnRows:
    """What the interval of a system's own score rests on; with the variance that new runs add, if that is known.

    A system that lacks runs of items that only it has shows that variance on all others.
    """
    there = panel.present[system]
    if not new_runs or panel.repeats is None:
        return OwnRows(panel.single_rows(system), panel.rows[system][there] / panel.scale, panel.clusters_of(there))
    runs = panel.repeats.systems[system]
    if runs.lacking:
        runs = runs.take(np.flatnonzero(there & (panel.present.sum(axis=0) > 1)))
        noise = None if runs.lacking else noise_of_rows(runs.table.astype(float), panel.run_metric)
        return OwnRows(panel.single_rows(system), panel.rows[system][there] / panel.scale, panel.clusters_of(there), noise)
    rows = panel.run_rows(system, np.flatnonzero(there))
    single = rows.reshape(-1, rows.shape[2])
    return OwnRows(single, rows.mean(axis=1), panel.clusters_of(there), noise_of_rows(rows, panel.run_metric))


def run_scores(panel: Panel, system: int) -> Array:
    """The scores of the runs of a system."""
    return run_scores_of_pair([panel], system, system)[0]


def scores_of_runs(panels: Sequence[Panel]) -> Array:
    """The scores of all runs of all systems: what scores can be."""
    systems = [(panel, system) for panel in panels for system in np.flatnonzero(panel.counts).tolist()]
    return np.concatenate([exchange_of_pair([panel], system, system).a.values for panel, system in systems])


def own_limits_of_runs(panel: Panel, system: int, alpha: float, among: Array | None = None) -> Limits:
    """The interval of a system's own score over new runs of exactly these items; `among` as in `Exchange.own`."""
    repeats = panel.repeats
    if repeats is None or (repeats.kind == RUNS and repeats.systems[system].lacking):
        return UNKNOWN
    if repeats.kind == RUNS:
        return own_run_limits(run_scores(panel, system), alpha)
    own = exchange_of_pair([panel], system, system).own(alpha, among)
    return UNKNOWN if own is None else own[0]


def _ends(panel: Panel, listed: Sequence[int], limits: Sequence[Limits]) -> tuple[Array, Array]:
    """Both ends of the intervals of the listed systems; nan for all others."""
    ends = np.full((2, len(panel.systems)), np.nan)
    for system, interval in zip(listed, limits, strict=True):
        ends[:, system] = [np.nan if end is None else end for end in interval]
    return ends[0], ends[1]


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
