"""The scores of single systems: overall, by dataset and by slice, with noise floor and detectable difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.core.rows import EPOCHS, RUNS, PairedScores, RepeatKind, Repeats, Runs
from outscore.inference.base.differences import scores_if_any
from outscore.inference.base.discordance import Worth, worth_of
from outscore.inference.base.own_score import (
    UNKNOWN,
    Limits,
    OwnRows,
    interval_method,
    own_intervals,
    score_variance,
)
from outscore.inference.describe.repeats import (
    OWN_BY_RUNS,
    detectable_difference,
    epoch_noise,
    median_correlation,
    noise_floor,
    variance_parts,
)
from outscore.inference.pairwise.macro import macro_scores
from outscore.inference.pairwise.table import (
    OwnScores,
    lacking_of,
    method_of_exchange,
    own_limits_of_runs,
    own_rows,
    scores_of_runs,
    spread_of_runs,
)
from outscore.inference.populations import (
    ITEMS,
    ITEMS_AND_RUNS,
    THESE_ITEMS,
    choose_population,
)
from outscore.results.analysis import DATASET
from outscore.results.score import Noise, ScoredSystem, ScorePart
from outscore.scores.panel import Panel


@dataclass(frozen=True, eq=False)
class Measured:
    """Systems with their scores, and how these were computed."""

    systems: list[ScoredSystem]
    metric: AdditiveMetric
    interval: str
    population: str
    few_runs: bool = False
    lacking: str = ""


@dataclass(frozen=True, eq=False)
class _Estimate:
    """What is known of one system on one dataset, a panel of one: the interval of its score, and its spread.

    `spread` is the squared standard error over items, or over runs if the items are fixed, and its degrees of freedom; `own` is
    what an interval over items rests on.
    """

    panel: Panel
    limits: Limits
    spread: tuple[float, float]
    own: OwnRows | None = None

    @property
    def value(self) -> float:
        return float(self.panel.scores()[0])

    @property
    def added(self) -> float:
        """The variance that new runs add, if the claim is about them."""
        return 0.0 if self.own is None or self.own.runs is None else self.own.runs.added


def measure(
    by_system: Sequence[Sequence[Panel]],
    *,
    kind: RepeatKind | None = None,
    population: str | None = None,
    slices: tuple[str, Mapping[str, Sequence[Panel]]] | None = None,
    alpha: float,
    power: float,
    missing: Mapping[str, Mapping[str, int]] = MappingProxyType({}),
    pooled: Sequence[float | None] = (),
) -> Measured:
    """Score each system on its own, from its panels, one for each dataset; the range of scores is taken from all systems.

    `slices` are a column and the panels of each of its values. `missing` are rows without a score, by system and reason, and
    `pooled` the scores over the items of all datasets.

    Examples
    --------
    >>> new = Panel.of("accuracy", ("new",), np.array([[1, 0, 1, 1, 1, 0, 1, 1]]))
    >>> found = measure([[new]], alpha=0.05, power=0.8).systems[0]
    >>> found.value, round(found.low, 4), round(found.high, 4), found.n
    (0.75, 0.4093, 0.9285, 8)
    """
    flat = [panel for of_system in by_system for panel in of_system]
    missing_for = lacking_of(flat)
    if kind == EPOCHS:
        once = next((_scored_once(panel) for panel in flat if _scored_once(panel)), "")
        missing_for[THESE_ITEMS] = missing_for[THESE_ITEMS] or once
    chosen = choose_population(population, missing_for, [panel.repeats for panel in flat], kind)
    estimates = _by_dataset(by_system, chosen, alpha)
    by_slice = {} if slices is None else _slices(*slices, chosen, alpha)
    keys = _item_keys(by_system)
    score = partial(
        _scored,
        population=chosen,
        alpha=alpha,
        power=power,
        correlation=_correlation(by_system, keys),
        worth=_worth(flat),
    )
    scored = []
    for i, own in enumerate(estimates):
        (name,) = own[0].panel.systems
        lacked = {**missing.get(name, {}), **_absent(keys, i)}
        scored.append(score(own, missing=lacked, slices=by_slice.get(name, []), pooled=pooled[i] if pooled else None))
    few = chosen == ITEMS_AND_RUNS and any(p.repeats is not None and p.repeats.systems[0].count < 3 for p in flat)
    limited = any(one.low is not None or one.high is not None for one in scored)
    method = _method([own[0] for own in estimates], chosen) if limited else ""
    return Measured(scored, flat[0].metric, method, chosen, few, missing_for[ITEMS_AND_RUNS])


def of_kind(panels: Sequence[Panel], kind: RepeatKind | None) -> list[Panel]:
    """One system by dataset, with repeats of the kind that was named or recognised, even if it has one run itself."""
    found = []
    for panel in panels:
        known = panel.repeats
        if known is None and kind is not None:
            rows = Runs(panel.single_rows(0), np.arange(panel.shape[1]), None, panel.systems[0])
            known = Repeats(kind, "", (rows,))
        found.append(replace(panel, repeats=known if known is None or kind is None else replace(known, kind=kind)))
    return found


def _scored_once(panel: Panel) -> str:
    """That there are no runs to exchange, as a clause; empty if there are."""
    return "" if (panel.times > 1).any() else f"each item of {panel.systems[0]} was scored once"


def _estimates(panels: Sequence[Panel], population: str, alpha: float) -> list[_Estimate]:
    """What is known of each system's score for the chosen population; all of them say what scores can be."""
    if population == THESE_ITEMS:
        among = _scores_of_runs(panels)
        return [_Estimate(panel, own_limits_of_runs(panel, 0, alpha, among), spread_of_runs(panel)) for panel in panels]
    own = [own_rows(panel, 0, new_runs=population == ITEMS_AND_RUNS) for panel in panels]
    metric = panels[0].metric
    return [
        _Estimate(panel, limits, score_variance(rows.items, metric, rows.clusters), rows)
        for panel, limits, rows in zip(panels, own_intervals(own, metric, alpha), own, strict=True)
    ]


def _method(estimates: Sequence[_Estimate], population: str) -> str:
    """How the intervals were computed."""
    panel = estimates[0].panel
    if population != THESE_ITEMS:
        return interval_method([one.own for one in estimates if one.own is not None], panel.metric)
    among = _scores_of_runs([one.panel for one in estimates])
    return OWN_BY_RUNS if among is None else method_of_exchange(panel, among)


def _scores_of_runs(panels: Sequence[Panel]) -> Array | None:
    """The scores of all runs, if runs are exchanged within items."""
    return None if panels[0].repeat_kind == RUNS else scores_of_runs(panels)


def _by_dataset(by_system: Sequence[Sequence[Panel]], population: str, alpha: float) -> list[list[_Estimate]]:
    """What is known of each system on each of its datasets."""
    found: list[dict[str | None, _Estimate]] = [{} for _ in by_system]
    for dataset in dict.fromkeys(panel.dataset for panels in by_system for panel in panels):
        here = [(i, panel) for i, panels in enumerate(by_system) for panel in panels if panel.dataset == dataset]
        for (i, _), estimate in zip(here, _estimates([panel for _, panel in here], population, alpha), strict=True):
            found[i][dataset] = estimate
    return [[of_system[panel.dataset] for panel in panels] for of_system, panels in zip(found, by_system, strict=True)]


def _slices(column: str, by_value: Mapping[str, Sequence[Panel]], population: str, alpha: float) -> dict[str, list[ScorePart]]:
    """Every value of a column, by system; the range of scores is taken from all systems."""
    by_system: dict[str, list[ScorePart]] = {}
    for name, panels in by_value.items():
        for one in _estimates(panels, population, alpha):
            part = ScorePart(column, name, one.panel.shape[1], one.value, *one.limits)
            by_system.setdefault(one.panel.systems[0], []).append(part)
    return by_system


Keys = list[list[tuple[str | None, str | int]]]
"""By system, its items: their dataset, and their id or position."""


def _item_keys(by_system: Sequence[Sequence[Panel]]) -> Keys:
    return [[(p.dataset, item) for p in panels for item in p.items or range(p.shape[1])] for panels in by_system]


def _absent(keys: Keys, place: int) -> dict[str, int]:
    """The number of items that other systems have and this one lacks."""
    known = set().union(*keys)
    return {"absent": len(known) - len(keys[place])} if len(known) > len(keys[place]) else {}


def _correlation(by_system: Sequence[Sequence[Panel]], keys: Keys) -> float | None:
    """The median correlation of two systems' item scores."""
    codes: dict[tuple[str | None, str | int], int] = {}
    tables = []
    for panels, own in zip(by_system, keys, strict=True):
        scores = [panel.item_scores() for panel in panels]
        if all(one is not None for one in scores):
            items = np.array([codes.setdefault(key, len(codes)) for key in own], dtype=np.int64)
            tables.append((items, np.concatenate([one[0] for one in scores if one is not None])))
    return median_correlation(tables)


def _single_scores(panel: Panel) -> Array | None:
    """The scores of single runs of single items, if the metric is their mean."""
    rows = panel.single_rows(0)
    scores = scores_if_any(PairedScores(rows, rows), panel.metric)
    return None if scores is None else scores.a


def _worth(panels: Sequence[Panel]) -> Worth | None:
    """What wrong and right are worth if every run of every item is one of the two; None if scores are graded."""
    singles = [_single_scores(panel) for panel in panels]
    values = np.concatenate([one for one in singles if one is not None] or [np.zeros(0)])
    if not len(values) or any(one is None for one in singles):
        return None
    least, largest = float(values.min()), float(values.max())
    return worth_of(least, largest, len(values)) if ((values == least) | (values == largest)).all() else None


def _variances(panel: Panel) -> tuple[float, float] | None:
    """Between and within items."""
    single = _single_scores(panel)
    if panel.repeats is None or panel.repeats.reduced or single is None:
        return None
    return variance_parts(single, panel.repeats.systems[0].items)


def _noise(panel: Panel, alpha: float) -> Noise | None:
    """How much the score of one system differs from run to run."""
    if panel.repeats is None or panel.repeats.reduced:
        return None
    kind, runs, n = panel.repeats.kind, panel.repeats.systems[0], panel.shape[1]
    if not runs.lacking and n > 1:
        single = _single_scores(panel)
        binary = single is not None and panel.clusters is None and len(np.unique(single)) <= 2
        rows = panel.run_rows(0, np.arange(n))
        return noise_floor(rows, panel.metric, kind=kind, clusters=panel.clusters, alpha=alpha, binary=binary)
    parts = _variances(panel)
    if parts is None or kind == RUNS:
        return None
    return epoch_noise(parts[1], n, len(runs.items) / n, alpha, _varying_units(runs, panel.clusters))


def _varying_units(runs: Runs, clusters: Array | None) -> int:
    """Items, or clusters, with repeats that differ."""
    first = np.unique(runs.items, return_index=True)[1]
    differs = (runs.values != runs.values[first][runs.items]).any(axis=1)
    units = runs.items if clusters is None else clusters[runs.items]
    return len(np.unique(units[differs]))


def _scored(
    own: Sequence[_Estimate],
    *,
    population: str,
    alpha: float,
    power: float,
    correlation: float | None,
    worth: Worth | None,
    **known: Any,  # noqa: ANN401 - other fields of the result
) -> ScoredSystem:
    panels, first, several = [one.panel for one in own], own[0].panel, len(own) > 1
    n, rows = sum(panel.shape[1] for panel in panels), sum(int(panel.times.sum()) for panel in panels)
    variance, df = _mean_variance([one.spread for one in own])
    these = population == THESE_ITEMS
    added = sum(one.added for one in own) / len(own) ** 2
    value = math.fsum(one.value for one in own) / len(own)
    low, high = _mean_limits(own) if several else own[0].limits
    scores = None if several else first.item_scores()
    between, within = (None if several else _variances(first)) or (None, None)
    grouped = None
    if first.clusters is not None:
        grouped = sum(len(np.unique(panel.clusters)) for panel in panels if panel.clusters is not None)
    units = n if grouped is None else grouped
    share = None
    if worth is not None:
        once = rows == n or (first.repeats is not None and bool(first.repeats.reduced))
        alone = population == ITEMS and grouped is None and once and not several
        right = worth.share(value)
        share = (right if first.metric.higher_is_better else 1 - right, worth.unit, n if alone else None)
    return ScoredSystem(
        system=first.systems[0],
        value=value,
        low=low,
        high=high,
        n=n,
        rows=rows,
        clusters=grouped,
        repeats=rows / n,
        error=math.sqrt(variance + added) if variance + added > 0 else None,
        sd=None if scores is None or n < 2 else float(scores[0].std(ddof=1)),
        between=between,
        within=within,
        detectable=detectable_difference(
            0.0 if these else variance,
            2 * df if these else df,
            added=variance if these else added,
            correlation=correlation,
            share=share,
            units=units if population == ITEMS else None,
            alpha=alpha,
            power=power,
        ),
        noise=None if several else _noise(first, alpha),
        datasets=[ScorePart(DATASET, str(one.panel.dataset), one.panel.shape[1], one.value, *one.limits) for one in own]
        if several
        else [],
        **known,
    )


def _mean_variance(parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The squared error of a mean of independent scores, with Satterthwaite's degrees of freedom."""
    total = sum(variance for variance, _ in parts)
    # Shares of a power of two: they are exact, and their squares neither overflow nor vanish.
    unit = math.ldexp(1.0, math.frexp(total)[1] - 1)
    noise = sum((variance / unit) ** 2 / df for variance, df in parts if variance and df)
    return total / max(1, len(parts)) ** 2, (total / unit) ** 2 / noise if noise else sum(df for _, df in parts)


def _mean_limits(parts: Sequence[_Estimate]) -> Limits:
    """The interval of a mean over datasets; unknown if that of one of them is."""
    ends = [part.limits for part in parts]
    if any(end is None for limits in ends for end in limits):
        return UNKNOWN
    own = [tuple(np.array([x]) for x in (part.value, *part.limits)) for part in parts]
    whole = macro_scores([OwnScores(value, low, high) for value, low, high in own])
    return whole.low.item(), whole.high.item()
