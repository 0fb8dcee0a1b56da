"""From systems that were read to their scores: overall, by dataset and by slice, with noise floor and detectable difference."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.paired import PairedScores
from outscore.core.records import dataclass
from outscore.core.repeats import RUNS, RepeatKind, Repeats, Runs
from outscore.inference.base.discordance import Worth, worth_of
from outscore.inference.base.item_scores import scores_if_any, with_exact_integers
from outscore.inference.base.own_score import (
    UNKNOWN,
    Added,
    Limits,
    OwnRows,
    interval_method,
    own_intervals,
    score_variance,
)
from outscore.inference.describe.repeats import OWN_BY_RUNS, own_run_limits, variance_parts
from outscore.inference.own.resolution import Share, detectable_difference, epoch_noise, median_correlation, noise_floor
from outscore.inference.populations import (
    ITEMS,
    ITEMS_AND_RUNS,
    POPULATIONS,
    THESE_ITEMS,
    lacking,
    population_cure,
    usual_population,
)
from outscore.inference.runs.exchange import Exchange, exchange_of_rows, not_exchangeable
from outscore.inference.runs.two_way import added_by_runs
from outscore.metrics.registry import resolve
from outscore.results.score import Noise, ScoredSystem, ScorePart
from outscore.results.subset import DATASET
from outscore.scores.system import Labels, Scores

MAX_DATASETS = 1 << 20


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
class _Part:
    """Rows of one system in the metric's own columns, true numbers, on all or some of its items.

    `items`, `clusters` and `runs` are codes per row, `keys` the names of items; None if there are none.
    """

    metric: AdditiveMetric
    rows: Array
    name: str
    items: Array | None
    clusters: Array | None
    runs: Array | None
    keys: Array
    kind: RepeatKind | None = None
    population: str = ITEMS

    @cached_property
    def pairs(self) -> PairedScores:
        return with_exact_integers(PairedScores(self.rows, self.rows, 1, self.items, self.clusters))

    @cached_property
    def means(self) -> PairedScores:
        return self.pairs.per_item()

    @property
    def n(self) -> int:
        return self.means.rows

    @cached_property
    def value(self) -> float:
        return float(self.metric.score(self.means.totals()[0]))

    @cached_property
    def repeats(self) -> Runs:
        """The rows by item and run."""
        items = np.arange(len(self.rows)) if self.items is None else self.items
        return Runs.of(self.rows, items, self.runs, self.name)

    @cached_property
    def added(self) -> Added | None:
        """The variance that new runs add, if the claim is about them."""
        if self.population != ITEMS_AND_RUNS or self.repeats.lacking:
            return None
        return added_by_runs(self.repeats.table, self.metric)

    @cached_property
    def own(self) -> OwnRows:
        means = self.means
        return OwnRows(self.rows, means.a / means.scale, means.clusters, self.added)

    @cached_property
    def spread(self) -> tuple[float, float]:
        """Squared standard error over items, or over runs if the items are fixed, and its degrees of freedom."""
        if self.population != THESE_ITEMS:
            return score_variance(self.own.items, self.metric, self.own.clusters)
        if self.kind == RUNS:
            return float(self.run_scores.var(ddof=1)) / len(self.run_scores), len(self.run_scores) - 1
        error, df = self.exchange.error()
        return error**2 / 2, df / 2

    @cached_property
    def run_scores(self) -> Array:
        """The score of every run over all items."""
        return np.asarray(self.metric.score(self.repeats.table.sum(axis=0)), dtype=float)

    @cached_property
    def exchange(self) -> Exchange:
        """The runs of each item against themselves, which shows how much runs of an item differ."""
        exchange = exchange_of_rows((self.repeats,) * 2, self.metric)
        assert exchange is not None
        return exchange

    def limits_of_runs(self, alpha: float) -> Limits:
        """The interval of the score over new runs of these items."""
        if self.kind == RUNS:
            return own_run_limits(self.run_scores, alpha)
        own = self.exchange.own(alpha)
        return UNKNOWN if own is None else own[0]

    @cached_property
    def item_scores(self) -> Array | None:
        scores = scores_if_any(self.pairs, self.metric)
        return None if scores is None else scores.a

    @cached_property
    def single(self) -> Array | None:
        """The scores of single runs of single items, if the metric is their mean."""
        scores = scores_if_any(self.pairs.labelled(None, None), self.metric)
        return None if scores is None else scores.a

    @property
    def is_binary(self) -> bool:
        """Whether single runs of single items are right or wrong."""
        return self.single is not None and self.means.clusters is None and len(np.unique(self.single)) <= 2

    def variances(self) -> tuple[float, float] | None:
        """Between and within items."""
        return None if self.items is None or self.single is None else variance_parts(self.single, self.items)

    def noise(self, kind: RepeatKind | None, alpha: float) -> Noise | None:
        if kind is None or self.items is None:
            return None
        if not self.repeats.lacking and self.n > 1:
            runs = self.repeats.table.astype(float)
            return noise_floor(runs, self.metric, kind=kind, clusters=self.means.clusters, alpha=alpha, binary=self.is_binary)
        parts = self.variances()
        if parts is None or kind == RUNS:
            return None
        return epoch_noise(parts[1], self.n, len(self.rows) / self.n, alpha, self._varying_units())

    def _varying_units(self) -> int:
        """Items, or clusters, with repeats that differ."""
        assert self.items is not None
        first = np.unique(self.items, return_index=True)[1]
        differs = (self.rows != self.rows[first][self.items]).any(axis=1)
        return len(np.unique((self.items if self.clusters is None else self.clusters)[differs]))


@dataclass(frozen=True, eq=False)
class _System:
    """One system with its rows by dataset, and the whole of them for slices."""

    scores: Scores
    rows: Array
    metric: AdditiveMetric
    kind: RepeatKind | None = None
    population: str = ITEMS
    known: dict[str, dict[str, int]] = field(default_factory=dict)

    @property
    def datasets(self) -> list[str]:
        labels = self.scores.datasets
        return [""] if labels is None else [labels.names[code] for code in dict.fromkeys(labels.codes.tolist())]

    def on(self, dataset: str) -> Array:
        """The rows of a dataset."""
        labels = self.scores.datasets
        return np.ones(self.scores.rows, dtype=bool) if labels is None else labels.codes == _code(labels, dataset)

    def parts(self) -> list[_Part]:
        """Its rows by dataset."""
        return [self.part(self.on(dataset)) for dataset in self.datasets]

    def part(self, chosen: Array) -> _Part:
        scores = self.scores.take(chosen)
        ids, sets = scores.ids, scores.datasets
        keys: Array = np.arange(scores.rows) if ids is None else self._keys(ids)
        if sets is not None:
            # The same id may name different items in different datasets.
            keys = keys * MAX_DATASETS + self._keys(sets, "dataset")
        names, items = np.unique(keys, return_inverse=True)
        single = len(names) == len(items)
        runs = None if scores.repeats is None else np.unique(scores.repeats.codes, return_inverse=True)[1]
        return _Part(
            self.metric,
            self.rows[chosen],
            self.scores.name,
            None if single else items,
            None if scores.clusters is None else np.unique(scores.clusters.codes, return_inverse=True)[1],
            runs,
            keys if single else names,
            self.kind,
            self.population,
        )

    def _keys(self, labels: Labels, kind: str = "item") -> Array:
        """Codes that all systems share."""
        known = self.known.setdefault(kind, {})
        return np.array([known.setdefault(name, len(known)) for name in labels.names], dtype=np.int64)[labels.codes]


def _code(labels: Labels, name: str) -> int:
    return labels.names.index(name) if name in labels.names else -1


def measure(
    systems: Sequence[Scores],
    spec: str | AdditiveMetric,
    *,
    kind: RepeatKind | None,
    reduced: str = "",
    population: str | None,
    slices: str | None,
    alpha: float,
    power: float,
    missing: Mapping[str, Mapping[str, int]],
) -> Measured:
    """Score each system on its own; the range of scores is taken from all of them.

    `missing` are rows without a score, by system and reason; `reduced` is the name of the reduction of an item's runs.

    Examples
    --------
    >>> new = Scores("new", np.array([1, 0, 1, 1, 1, 0, 1, 1]))
    >>> asked = {"kind": None, "population": None, "slices": None, "alpha": 0.05, "power": 0.8, "missing": {}}
    >>> found = measure([new], "accuracy", **asked).systems[0]
    >>> found.value, round(found.low, 4), round(found.high, 4), found.n
    (0.75, 0.4093, 0.9285, 8)
    """
    values = np.concatenate([system.values for system in systems])
    metric, table, _ = resolve(spec, values, values[:1])
    starts = np.cumsum([system.rows for system in systems])[:-1]
    known: dict[str, dict[str, int]] = {}
    parts = [
        _System(system, rows.astype(float) if rows.dtype.kind != "i" else rows, metric, kind, known=known)
        for system, rows in zip(systems, np.split(table, starts), strict=True)
    ]
    missing_for = _missing(parts, kind, reduced)
    usual = usual_population(kind)
    chosen = population or (ITEMS if missing_for[usual] else usual)
    if missing_for[chosen]:
        incomplete = any(part.repeats.lacking for system in parts for part in system.parts())
        cure = population_cure(chosen, kind, reduced=reduced, incomplete=incomplete)
        raise OutscoreError(f"Population {chosen} is not available: {missing_for[chosen]}.", cure, parameter="population")
    parts = [replace(part, population=chosen) for part in parts]
    whole = _whole(parts, alpha)
    slots = _slots(parts, slices, alpha)
    asked: dict[str, Any] = {
        "alpha": alpha,
        "power": power,
        "correlation": _correlation(whole),
        "worth": _worth(whole),
    }
    systems_scored = [
        _scored(system, whole, i, kind=kind, missing=dict(missing.get(system.scores.name, {})), **asked)
        for i, system in enumerate(parts)
    ]
    systems_scored = [replace(one, slices=slots.get(one.system, [])) for one in systems_scored]
    first = [next(iter(by_set.values()))[0] for by_set in whole]
    few = chosen == ITEMS_AND_RUNS and any(part.repeats.table.shape[1] < 3 for part, _ in _all(whole))
    limited = any(one.low is not None or one.high is not None for one in systems_scored)
    return Measured(systems_scored, metric, _method(first) if limited else "", chosen, few, missing_for[ITEMS_AND_RUNS])


def _missing(systems: Sequence[_System], kind: RepeatKind | None, reduced: str) -> dict[str, str]:
    """By population, what the data lack for it, as a clause; empty if they lack nothing."""
    parts = [part for system in systems for part in system.parts()]
    repeats = None if kind is None else [Repeats(kind, "", (part.repeats,), reduced=reduced) for part in parts]
    missing = {name: lacking(name, repeats or [None], kind, items=min(part.n for part in parts)) for name in POPULATIONS}
    for part in parts:
        if kind is not None and kind != RUNS and not missing[THESE_ITEMS]:
            once = f"each item of {part.name} was scored once" if part.items is None else ""
            missing[THESE_ITEMS] = once or not_exchangeable([part.repeats], part.metric)
    return missing


def _limits_of(parts: Sequence[_Part], alpha: float) -> Sequence[Limits]:
    """The interval of each score for the chosen population."""
    if parts[0].population == THESE_ITEMS:
        return [part.limits_of_runs(alpha) for part in parts]
    return own_intervals([part.own for part in parts], parts[0].metric, alpha)


def _method(parts: Sequence[_Part]) -> str:
    """How the intervals were computed."""
    if parts[0].population != THESE_ITEMS:
        return interval_method([part.own for part in parts], parts[0].metric)
    return OWN_BY_RUNS if parts[0].kind == RUNS else parts[0].exchange.own_method


Whole = list[dict[str, tuple[_Part, Limits]]]
"""By system, and by dataset: the part and the interval of its score."""


def _whole(parts: Sequence[_System], alpha: float) -> Whole:
    whole: Whole = [{} for _ in parts]
    for dataset in dict.fromkeys(name for system in parts for name in system.datasets):
        here = [(i, system.part(system.on(dataset))) for i, system in enumerate(parts) if dataset in system.datasets]
        limits = _limits_of([part for _, part in here], alpha)
        for (i, part), ends in zip(here, limits, strict=True):
            whole[i][dataset] = part, ends
    return whole


def _all(whole: Whole) -> list[tuple[_Part, Limits]]:
    return [entry for by_set in whole for entry in by_set.values()]


def _correlation(whole: Whole) -> float | None:
    """The median correlation of two systems' item scores."""
    tables = []
    for by_set in whole:
        parts = [part for part, _ in by_set.values()]
        scores = [part.item_scores for part in parts]
        if all(one is not None for one in scores):
            tables.append((np.concatenate([part.keys for part in parts]), np.concatenate([s for s in scores if s is not None])))
    return median_correlation(tables)


def _worth(whole: Whole) -> Worth | None:
    """What wrong and right are worth if every run of every item is one of the two; None if scores are graded."""
    singles = [part.single for part, _ in _all(whole)]
    values = np.concatenate([one for one in singles if one is not None] or [np.zeros(0)])
    if not len(values) or any(one is None for one in singles):
        return None
    least, largest = float(values.min()), float(values.max())
    return worth_of(least, largest, len(values)) if ((values == least) | (values == largest)).all() else None


def _scored(
    system: _System,
    whole: Whole,
    place: int,
    *,
    kind: RepeatKind | None,
    missing: dict[str, int],
    alpha: float,
    power: float,
    correlation: float | None,
    worth: Worth | None,
) -> ScoredSystem:
    by_set = whole[place]
    parts, limits = [part for part, _ in by_set.values()], [ends for _, ends in by_set.values()]
    n, rows, several = sum(part.n for part in parts), sum(len(part.rows) for part in parts), len(parts) > 1
    variance, df = _mean_variance([part.spread for part in parts])
    these = parts[0].population == THESE_ITEMS
    added = _mean_variance([(part.added.variance, 1.0) for part in parts if part.added is not None])[0]
    value = math.fsum(part.value for part in parts) / len(parts)
    low, high = limits[0] if not several else _mean_limits(list(by_set.values()))
    scores = parts[0].item_scores if not several else None
    between, within = (parts[0].variances() if not several else None) or (None, None)
    clusters = [part.means.clusters for part in parts]
    grouped = None if clusters[0] is None else sum(len(np.unique(codes)) for codes in clusters if codes is not None)
    units = n if grouped is None else grouped
    share = None
    if worth is not None:
        alone = parts[0].population == ITEMS and grouped is None and rows == n and not several
        right = worth.share(value) if parts[0].metric.higher_is_better else 1 - worth.share(value)
        share = Share(right, worth.unit, n if alone else None)
    return ScoredSystem(
        system=system.scores.name,
        value=value,
        low=low,
        high=high,
        n=n,
        rows=rows,
        clusters=grouped,
        repeats=rows / n,
        missing={**missing, **_absent(whole, place)},
        error=math.sqrt(variance + added) if variance + added > 0 else None,
        sd=None if scores is None or len(scores) < 2 else float(scores.std(ddof=1)),
        between=between,
        within=within,
        detectable=detectable_difference(
            0.0 if these else variance,
            2 * df if these else df,
            added=variance if these else added,
            correlation=correlation,
            share=share,
            units=units if parts[0].population == ITEMS else None,
            alpha=alpha,
            power=power,
        ),
        noise=None if several else parts[0].noise(kind, alpha),
        datasets=[ScorePart(DATASET, name, part.n, part.value, *ends) for name, (part, ends) in by_set.items() if several],
        pooled=system.part(np.ones(system.scores.rows, dtype=bool)).value if several else None,
    )


def _mean_variance(parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The squared error of a mean of independent scores, with Satterthwaite's degrees of freedom."""
    total = sum(variance for variance, _ in parts)
    # Shares of a power of two: they are exact, and their squares neither overflow nor vanish.
    unit = math.ldexp(1.0, math.frexp(total)[1] - 1)
    noise = sum((variance / unit) ** 2 / df for variance, df in parts if variance and df)
    return total / max(1, len(parts)) ** 2, (total / unit) ** 2 / noise if noise else sum(df for _, df in parts)


def _mean_limits(parts: Sequence[tuple[_Part, Limits]]) -> Limits:
    """The interval of a mean over datasets: on each side, distances from the score are added as independent errors.

    The sides are separate, so that limits of shares stay between 0 and 1 (Zou and Donner, 2008, "MOVER").
    """
    lows = [part.value - low for part, (low, _) in parts if low is not None]
    highs = [high - part.value for part, (_, high) in parts if high is not None]
    if len(lows) < len(parts) or len(highs) < len(parts):
        return None, None
    value = math.fsum(part.value for part, _ in parts) / len(parts)
    return value - math.hypot(*lows) / len(parts), value + math.hypot(*highs) / len(parts)


def _absent(whole: Whole, place: int) -> dict[str, int]:
    """The number of items that other systems have and this one lacks."""
    known = {key for part, _ in _all(whole) for key in part.keys.tolist()}
    own = {key for part, _ in whole[place].values() for key in part.keys.tolist()}
    return {"absent": len(known - own)} if len(known) > len(own) else {}


def _slots(parts: Sequence[_System], column: str | None, alpha: float) -> dict[str, list[ScorePart]]:
    """Every value of a column, by system; the range of scores is taken from all systems."""
    by_system: dict[str, list[ScorePart]] = {}
    if column is None:
        return by_system
    names = dict.fromkeys(
        labels.names[code] for system in parts for labels in [system.scores.slices[column]] for code in labels.codes.tolist()
    )
    for name in names:
        masks = [system.scores.slices[column] for system in parts]
        here = [
            (system, system.part(labels.codes == _code(labels, name)))
            for system, labels in zip(parts, masks, strict=True)
            if (labels.codes == _code(labels, name)).any()
        ]
        limits = _limits_of([part for _, part in here], alpha)
        for (system, part), ends in zip(here, limits, strict=True):
            by_system.setdefault(system.scores.name, []).append(ScorePart(column, name, part.n, part.value, *ends))
    return by_system
