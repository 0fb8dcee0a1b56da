"""All pairs of systems on one dataset: a table of columns, and what its tests ask of a panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import MIN_FLOAT, Array, finite
from outscore.core.options import did_you_mean
from outscore.core.records import dataclass
from outscore.core.rows import EPOCHS, RUNS, PairedScores, Repeats, Runs
from outscore.inference.base.discordance import discordance, worth_of
from outscore.inference.base.own_score import UNKNOWN, Limits, OwnRows, interval_method, own_intervals
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.effects import SINGLE, UnitRule, evaluation_units
from outscore.inference.describe.repeats import OWN_BY_RUNS, own_run_limits, run_interval, run_test
from outscore.inference.populations import EXCHANGE, EXCHANGE_OF_RUNS, ITEMS, POPULATIONS, THESE_ITEMS, TWO_WAY, lacking
from outscore.inference.runs import COARSE, Exchange, exchange_of_rows, macro_exchange, not_exchangeable, sampled_exchange
from outscore.inference.shifted import is_shifted, larger
from outscore.inference.two_way import TwoWay, macro_two_way, noise_of_rows, two_way_of_rows
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.scores.panel import Panel

# All pairs of systems on one dataset, column by column: a million tests are arrays, not objects.


Run = Callable[[TestRequest], TestResult]
"""A test of one pair as a function of what is asked."""
KINDS = ("exact", "certified", "monte-carlo", "asymptotic")
"""What the codes in `PairTable.kind` mean."""
Unit = Literal["items", "clusters", "units", "segments"]
"""What the pairs count."""
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
    log_value
        The same of the p to report, which of certified bounds is their middle; None is `log_p`.
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
    log_value: Array | None = None

    def __len__(self) -> int:
        return len(self.left)

    @property
    def testable(self) -> Array:
        """Which pairs share items: only these belong to the family."""
        return np.asarray(self.n > 0)

    @cached_property
    def p(self) -> Array:
        """p to claim as floats; what underflows is the smallest positive one."""
        return _as_floats(self.log_p)

    @property
    def log_reported(self) -> Array:
        """Natural logarithm of the p to report."""
        return self.log_p if self.log_value is None else self.log_value

    @cached_property
    def reported(self) -> Array:
        """p to report as floats."""
        return self.p if self.log_value is None else _as_floats(self.log_value)


def _as_floats(log_p: Array) -> Array:
    p = np.exp(log_p)
    # An exact p of a few units is a multiple of a power of ½, a sampled one often a decimal: the logarithm has moved them by a
    # rounding error, which is taken back.
    for fineness in FINENESS:
        steps = np.rint(p * fineness)
        p = np.where(np.abs(p * fineness - steps) <= ROUNDING * steps, steps / fineness, p)
    return np.asarray(np.maximum(p, MIN_FLOAT))


@dataclass(frozen=True, eq=False)
class Measured:
    """The systems on one dataset by one metric, before any correction: scores with intervals, and all pairs.

    `n` are the items of each system, `items` those of the dataset.
    `complete` says that all systems have the same items. `unit` is what `n` of the pairs counts. A `macro`
    average stands for all datasets.
    """

    dataset: str | None
    metric: str
    higher_is_better: bool
    systems: tuple[str, ...]
    own: OwnScores
    n: Array
    items: int
    complete: bool
    pairs: PairTable
    test: str
    kernel: str
    interval: str
    unit: Unit = "items"
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


def exchange_of_pair(panels: Sequence[Panel], left: int, right: int) -> Exchange | None:
    """Runs of two systems to be exchanged within the items that both have; None unless the metric is a mean over items."""
    parts = []
    for panel in panels:
        part = exchange_of_rows(_runs_of_pair(panel, left, right), panel.metric)
        if part is None:
            return None
        parts.append(part)
    return macro_exchange(parts) if len(parts) > 1 else parts[0]


def _runs_of_pair(panel: Panel, left: int, right: int) -> tuple[Runs, Runs]:
    """The runs of two systems on the items that both have."""
    assert panel.repeats is not None
    both, runs = np.flatnonzero(panel.present[left] & panel.present[right]), panel.repeats.systems
    return runs[left].take(both), runs[right].take(both)


def run_scores_of_pair(panels: Sequence[Panel], left: int, right: int) -> tuple[Array, Array]:
    """The scores of the runs of two systems on the items that both have, averaged over panels."""
    scores = []
    for panel in panels:
        both = np.flatnonzero(panel.present[left] & panel.present[right])
        sums = (panel.run_rows(system, both).sum(axis=0) for system in (left, right))
        scores.append([np.asarray(panel.run_metric.score(total), dtype=float) for total in sums])
    a, b = (np.mean([pair[side] for pair in scores], axis=0) for side in (0, 1))
    return a, b


def two_way_result(crossed: TwoWay, metric: AdditiveMetric, over_items: Run | None, request: TestRequest) -> TestResult:
    """What the two-way test answers; at a margin no surer than the test of the items' means, `over_items`.

    That one excludes losses that have not shown.
    """
    orientation = 1 if metric.higher_is_better else -1
    of_items = over_items(request) if over_items is not None and is_shifted(request) else None
    if of_items is not None and crossed.error == 0.0:
        # What never varies says nothing about how much it could.
        return of_items
    result = TestResult(crossed.p(request, orientation=orientation), crossed.interval(request, orientation=orientation))
    return result if of_items is None else larger(result, of_items, metric, request)


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


def sampled_result(panel: Panel, left: int, right: int, request: TestRequest) -> TestResult:
    """What runs of a metric that is not a mean over items answer, exchanged at random within each item."""
    if request.delta:
        raise OutscoreError(
            f"Exchanging runs of {panel.metric.name} can only test for no difference.",
            "Leave `delta` and the margin out, or leave --population out.",
            parameter="population",
        )
    first, second = (float(panel.metric.score(total)) for total in panel.pair(left, right).totals())
    a, b = _runs_of_pair(panel, left, right)
    return TestResult(sampled_exchange(a, b, panel.metric, first - second, request))


def right_or_wrong(panel: Panel) -> bool:
    """Whether all items of all systems are right or wrong, each its own unit."""
    there = panel.rows[panel.present]
    averaged = panel.averaged is not None and bool(panel.averaged.any())
    both = PairedScores(there, there, panel.scale, None, panel.clusters, averaged)
    table = discordance(both, panel.metric) if len(there) else None
    # Scores of several systems do not add items.
    return table is not None and worth_of(table.wrong, table.right, panel.shape[1]) is not None


def lacking_of(
    panels: Sequence[Panel], *, unit_size: int = 1, further: Sequence[Panel] = (), sampled: bool = False
) -> dict[str, str]:
    """By population, what the panels of all datasets lack for a claim about it, as a clause; empty if they lack nothing.

    `further` are the panels of other metrics, whose runs are exchanged too; where these are not means over items, they may be
    exchanged at random if they may be `sampled`.
    """
    kind, parts = panels[0].repeat_kind, [panel.shared_repeats for panel in panels]
    fewest = min(panel.shape[1] for panel in panels)
    missing = {name: lacking(name, parts, kind, unit_size=unit_size, items=fewest) for name in POPULATIONS}
    if kind == EPOCHS and not missing[THESE_ITEMS] and not sampled:
        missing[THESE_ITEMS] = next(filter(None, map(not_a_mean, (*panels, *further))), "")
    # A system by itself is not compared with its runs on other datasets, nor with those of other systems.
    uneven = _uneven_runs(panels[0].systems, parts) if kind == RUNS and len(panels[0].systems) > 1 else ""
    return {name: "" if name == ITEMS else clause or uneven for name, clause in missing.items()}


def not_a_mean(panel: Panel) -> str:
    """Why the runs of an item cannot be exchanged by counting, as a clause; empty if they can, or there are none."""
    return "" if panel.repeats is None else not_exchangeable(panel.repeats.systems, panel.metric)


def _uneven_runs(systems: Sequence[str], parts: Sequence[Repeats | None]) -> str:
    """Which system has different numbers of runs on different datasets, as a clause; empty if none has, or lacks runs."""
    known = [repeats for repeats in parts if repeats is not None]
    if any(repeats.lacking for repeats in known):
        return ""
    for system, *runs in zip(systems, *(repeats.systems for repeats in known), strict=False):
        if len({one.count for one in runs}) > 1:
            return f"{system} has different numbers of runs on different datasets"
    return ""


@dataclass(frozen=True, eq=False)
class OwnScores:
    """The score of each system with its interval, nan where there is none, and how that was made."""

    value: Array
    low: Array
    high: Array
    method: str = ""

    @property
    def limits(self) -> list[Limits]:
        """The interval of each system."""
        return [(finite(low), finite(high)) for low, high in zip(self.low.tolist(), self.high.tolist(), strict=True)]


def own_scores(panel: Panel, test: str, alpha: float, units: UnitRule = SINGLE) -> OwnScores:
    """Every system's own score, over new items, with new runs or without, or over new runs of these: what the test is about.

    Of evaluation units those are scored, because their medians may order systems differently.
    """
    shown = panel if units[0] == 1 else _in_units(panel, units)
    listed = np.flatnonzero(shown.counts).tolist()
    if test == EXCHANGE_OF_RUNS:
        limits, method = [own_limits_of_runs(shown, i, alpha) for i in listed], OWN_BY_RUNS
    elif test == EXCHANGE and not not_a_mean(shown):
        among = scores_of_runs([shown])
        limits = [own_limits_of_runs(shown, i, alpha, among) for i in listed]
        method = method_of_exchange(shown, among)
    else:
        new_runs = test == TWO_WAY
        metric = shown.run_metric if new_runs else shown.metric
        own = [own_rows(shown, i, new_runs=new_runs) for i in listed]
        limits, method = own_intervals(own, metric, alpha), interval_method(own, metric)
    ends = np.full((2, len(shown.systems)), np.nan)
    for system, interval in zip(listed, limits, strict=True):
        ends[:, system] = [np.nan if end is None else end for end in interval]
    return OwnScores(shown.scores(), ends[0], ends[1], method)


def _in_units(panel: Panel, units: UnitRule) -> Panel:
    """The evaluation units of each system."""
    single = tuple(panel.single_rows(system) for system in range(len(panel.rows)))
    in_units = []
    for rows, there in zip(panel.rows, panel.present, strict=True):
        own = PairedScores(rows[there], rows[there], panel.scale)
        in_units.append(evaluation_units(own, panel.metric, *units)[0].a if own.rows else own.a / panel.scale)
    present = np.arange(max(map(len, in_units))) < np.array([[len(rows)] for rows in in_units])
    values = np.zeros((*present.shape, panel.rows.shape[2]), dtype=np.result_type(*in_units))
    values[present] = np.concatenate(in_units)
    return replace(panel, rows=values, present=present, clusters=None, scale=1, single=single)


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
    """The scores of all runs of all systems, by a mean over items: what scores can be."""
    systems = [(panel, system) for panel in panels for system in np.flatnonzero(panel.counts).tolist()]
    return np.concatenate([_own_exchange(panel, system).a.values for panel, system in systems])


def _own_exchange(panel: Panel, system: int) -> Exchange:
    """The runs of one system, by a mean over items."""
    exchange = exchange_of_pair([panel], system, system)
    assert exchange is not None
    return exchange


def method_of_exchange(panel: Panel, among: Array) -> str:
    """How intervals over new runs of these items are made where runs are exchanged within items."""
    return _own_exchange(panel, int(np.flatnonzero(panel.counts)[0])).own_method(among)


def own_limits_of_runs(panel: Panel, system: int, alpha: float, among: Array | None = None) -> Limits:
    """The interval of a system's own score over new runs of exactly these items; `among` as in `Exchange.own`."""
    repeats = panel.repeats
    if repeats is None or (repeats.kind == RUNS and repeats.systems[system].lacking):
        return UNKNOWN
    if repeats.kind == RUNS:
        return own_run_limits(run_scores(panel, system), alpha)
    own = _own_exchange(panel, system).own(alpha, among)
    return UNKNOWN if own is None else own[0]


def spread_of_runs(panel: Panel) -> tuple[float, float]:
    """The squared standard error of a single system over new runs of these items, and its degrees of freedom."""
    if panel.repeats is None or (panel.repeat_kind == RUNS and panel.repeats.lacking):
        return 0.0, 0.0
    if panel.repeat_kind == RUNS:
        scores = run_scores(panel, 0)
        return float(scores.var(ddof=1)) / len(scores), len(scores) - 1
    error, df = _own_exchange(panel, 0).error()
    return error**2 / 2, df / 2


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
