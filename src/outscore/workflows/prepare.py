"""From what was read to what is measured: panels in the columns of a metric, of two systems, of many, or of each by itself.

Every command takes the same way: answers are scored beside the right ones, runs are selected or made one score, the direction
is decided, rows that repeat one another are settled and every row finds its item. What there is to say of it is said here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import parse_spec
from outscore.core.records import dataclass
from outscore.core.reduction import Reduction, parse_reduction
from outscore.core.rows import match_runs
from outscore.metrics.registry import beside_of, resolve
from outscore.results.design import Alignment, Reading
from outscore.results.note import Note
from outscore.scores.align import (
    UNEQUAL_RUNS,
    Aligned,
    DuplicateRule,
    align,
    align_pair,
    as_pair,
    repeated_notes,
    values_of_rows,
)
from outscore.scores.panel import Panel, Part, name_repeats, panel_of, panels_by_dataset, refuse_one, slices_of
from outscore.scores.reduce import UsedRuns, use_runs
from outscore.scores.system import Origin, Scores, facts_of_answers
from outscore.scores.weights import weigh
from outscore.workflows.gold import gold_facts, scored_beside_gold
from outscore.workflows.reading import (
    MetricDirection,
    gold_notes,
    reading_of,
    resolve_direction,
    scale_notes,
    score_names,
)
from outscore.workflows.requests.compare import CompareRequest
from outscore.workflows.requests.rank import RankRequest, ScoreRequest
from outscore.workflows.requests.shared import NO_REDUCTION
from outscore.workflows.systems import Systems

ScoresRequest = CompareRequest | RankRequest | ScoreRequest


@dataclass(frozen=True, eq=False)
class Prepared:
    """Systems on their items, ready to be measured by a metric in the direction that is better.

    `systems` are all as they were read, in what the metric makes of answers; `runs` what was taken of them, and `aligned` these
    on one list of items. `kind` is what the caller says that repeats are.
    """

    request: ScoresRequest
    systems: Systems
    runs: UsedRuns
    better: MetricDirection
    aligned: Aligned
    kind: str | None = None

    @cached_property
    def whole(self) -> Panel:
        """All items, whatever their dataset."""
        panel = panel_of(self.aligned, self.better.metric)
        if self.systems.labels is not None:
            panel = replace(panel, items=_row_names(self.systems, self.aligned))
        return panel if self.kind is None else name_repeats([panel], self.kind)[0]

    @cached_property
    def panels(self) -> list[Panel]:
        """One panel for each dataset."""
        return name_repeats(panels_by_dataset(self.aligned, self.better.metric), self.kind)

    def slices(self, column: str, panels: Sequence[Panel]) -> dict[str, list[Part]]:
        """The parts of these panels by the values of a column, in order of first appearance."""
        return slices_of(self.aligned, panels, column, self.better.metric)

    @property
    def alignment(self) -> Alignment:
        """How the rows of two systems were matched."""
        only_a, only_b = self.aligned.left_out
        counts = self.aligned.items, only_a, only_b, self.aligned.duplicates, self.aligned.conflicts
        return Alignment(*counts, list(self.systems.missing))

    @cached_property
    def about_gold(self) -> list[Note]:
        """What the metric made of answers beside right ones."""
        return gold_facts(self.systems.scores, self.better.metric)

    def reading(self, rows: int, origins: Sequence[Origin] | None = None) -> Reading:
        """How the files were interpreted, these or `origins`; without any, there were so many `rows`."""
        metric = self.better.metric
        return reading_of(
            self.systems.origins if origins is None else origins,
            rows=rows,
            systems=self.systems.names,
            further=self.request.further_columns(),
            direction=(self.better.better, self.better.source),
            beside=beside_of(metric) if self.about_gold else "",
        )

    @cached_property
    def matching_notes(self) -> list[Note]:
        """What a reader should know about the rows: what became of runs, what repeats an item, what answers are."""
        aligned = self.aligned
        of_pair = list[Note]()
        if aligned.left_out:
            of_pair = _pair_notes(aligned)
            of_pair += repeated_notes(aligned.duplicates, aligned.conflicts)
        return [*self.runs.notes, *of_pair, *facts_of_answers(self.systems.scores)]

    @cached_property
    def value_notes(self) -> list[Note]:
        """Warnings if systems are on different scales on some dataset, or equal gold, and what to do next with answers."""
        # Beside weights, scores are no longer columns of numbers.
        scores = self.runs.scores if self.request.weight is None else self.systems.scores
        origins = self.systems.origins
        names = [one.name for one in scores]
        scales = (scale_notes(names, values) for values in _values_by_dataset(scores))
        return [
            *next(filter(None, scales), []),
            *gold_notes(names, [one.values for one in scores], origins, self.about_gold),
        ]


def prepare(request: ScoresRequest, systems: Systems) -> Prepared:
    """Two systems on the items that both have for a comparison; for a ranking, all on the items that any of them has.

    Examples
    --------
    >>> from outscore.workflows.systems import pair_given
    >>> found = prepare(CompareRequest(), pair_given([1, 0, 1], [0, 0, 1], names=("new", "old")))
    >>> found.whole.systems, found.whole.scores().round(2).tolist(), found.better.better
    (('new', 'old'), [0.67, 0.33], 'higher')
    """
    scored, runs, better = _chosen(request, systems)
    pair = isinstance(request, CompareRequest)
    if not pair:
        refuse_one(scored.scores)
    aligned = _on_items(request, runs, runs.scores, runs.before)
    aligned = replace(aligned, duplicates=aligned.duplicates + runs.duplicates, conflicts=aligned.conflicts + runs.conflicts)
    if pair and request.slice is not None:
        values_of_rows(aligned.runs, request.slice).refuse(aligned.runs, request.slice)
    return Prepared(request, scored, runs, better, aligned, request.repeats)


def _on_items(request: ScoresRequest, runs: UsedRuns, scores: Sequence[Scores], before: Sequence[Scores]) -> Aligned:
    """Systems on one list of items, with the runs behind their scores."""
    rule = cast("DuplicateRule", request.duplicates)
    if isinstance(request, CompareRequest) and len(scores) > 1:
        aligned, behind = align_pair(scores, rule), align_pair(before, rule) if before else None
    else:
        aligned, behind = align(scores, rule).in_common_order(), align(before, rule).in_common_order() if before else None
    return aligned if runs.reduction is None else replace(aligned, behind=behind, reduced=runs.reduction.name)


def prepare_each(request: ScoresRequest, systems: Systems) -> list[Prepared]:
    """Each system on its own items; the direction and the runs that are taken are those of all."""
    scored, runs, better = _chosen(request, systems)
    places = range(len(runs.scores))
    each = [_on_items(request, runs, runs.scores[k : k + 1], runs.before[k : k + 1]) for k in places]
    return [Prepared(request, scored, runs, better, aligned) for aligned in each]


def _chosen(request: ScoresRequest, systems: Systems) -> tuple[Systems, UsedRuns, MetricDirection]:
    """The systems in what the metric makes of answers, the runs that are used, and the metric in the direction that is better.

    The systems have the names that they are called by, runs are one score if the request says so, and the metric of logs is
    their own.
    """
    rule = cast("DuplicateRule", request.duplicates)
    compared = isinstance(request, CompareRequest)
    unpaired = isinstance(request, CompareRequest) and request.unpaired
    metric = None if systems.evaluations else request.metric
    systems = replace(systems, scores=tuple(scored_beside_gold(systems.called, None if unpaired else metric)))
    scores = as_pair(*systems.scores) if compared and not unpaired else systems.scores
    reduction = parse_reduction(request.reduce)
    if reduction is not None:
        request.refuse_outside(NO_REDUCTION)
    bare = compared and scores[0].ids is None and not systems.origins
    if bare and (reduction is not None or request.equal_runs):
        raise OutscoreError(
            "There are no repeats: each item was scored once.",
            "Give `items`, a label for each row, so that rows of one item are its runs.",
            parameter="reduce" if reduction is not None else "equal_runs",
        )
    runs = use_runs(scores, reduction, equal_runs=request.equal_runs, rule=rule)
    usual = "f1" if systems.counts else "mean"
    named = (metric or usual) if reduction is None else metric_of(reduction)
    columns = systems.measures or score_names(systems.origins, list(dict.fromkeys(systems.names)))
    values = [one.values for one in runs.scores]
    if request.weight is not None:
        runs = replace(runs, scores=weigh(runs.scores, request.weight))
        named = _weighted(named, runs.scores)
    return systems, runs, resolve_direction(named, request.direction, columns, told=systems.better, scores=values)


def _weighted(metric: str | AdditiveMetric, scores: Sequence[Scores]) -> str | AdditiveMetric:
    """The metric of scores with weights: the weighted mean in place of the mean."""
    name = parse_spec(metric)[0] if isinstance(metric, str) else metric.name
    if not isinstance(metric, str) or name not in ("mean", "accuracy"):
        raise OutscoreError(f"--weight is for means, not for `{name}`.", "Leave --metric or --weight out.", parameter="weight")
    if scores[0].values.ndim == 1:
        # All items weigh the same.
        return metric
    if name == "mean":
        return metric.replace(name, "weighted-mean", 1)
    for one in scores:
        resolve(name, one.values[:, 0], one.values[:1, 0])
    return "weighted-mean:direction=higher"


def metric_of(reduction: Reduction) -> str:
    """The metric for reduced scores: their mean, named after the reduction.

    Examples
    --------
    >>> metric_of(Reduction("pass@", 2))
    'mean:of=pass@2'
    """
    return f"mean:of={reduction.name}"


def _values_by_dataset(systems: Sequence[Scores]) -> list[list[Array]]:
    """The values of each system on each dataset; all of them where some system names none."""
    parts = []
    for one in systems:
        if one.datasets is None:
            return [[each.values for each in systems]]
        codes = one.datasets.codes
        ends = np.cumsum(np.bincount(codes, minlength=len(one.datasets.names)))[:-1]
        pieces = np.split(one.values[np.argsort(codes, kind="stable")], ends)
        parts.append(dict(zip(one.datasets.names, pieces, strict=True)))
    names = dict.fromkeys(name for part in parts for name in part)
    return [[part.get(name, one.values[:0]) for part, one in zip(parts, systems, strict=True)] for name in names]


def _row_names(systems: Systems, aligned: Aligned) -> tuple[str, ...]:
    """The name of each item: that of the first of all rows that were given of it."""
    ids, labels = systems.scores[0].ids, systems.labels or ()
    if ids is None or aligned.labels is None:
        return tuple(labels)
    names = dict(zip(reversed(ids.texts()), reversed(labels), strict=True))
    return tuple(names[item] for item in aligned.labels)


def _pair_notes(aligned: Aligned) -> list[Note]:
    """What a reader should know about how the rows of two systems were matched."""
    notes, rows = [], aligned.runs
    a, b = aligned.counts
    if not np.array_equal(a, b):
        first, second = aligned.systems
        times = f"{_times(a)} by {first} and {_times(b)} by {second}"
        notes.append(Note("design", f"Items were run {times}: item means are compared. {UNEQUAL_RUNS}"))
    elif aligned.run is not None and not match_runs(aligned.runs_of(0), aligned.runs_of(1))[2]:
        text = "The labels of the repeats differ between the systems, so repeats of an item were matched in file order."
        notes.append(Note("input", text))
    for name in dict.fromkeys(column for one in rows.scores[::-1] for column in one.slices):
        if values_of_rows(rows, name).wrong is not None:
            text = f"Column `{name}` differs between the systems on the same item and was not used for slices."
            notes.append(Note("input", text))
    return notes


def _times(runs: Array) -> str:
    low, high = int(runs.min()), int(runs.max())
    if low != high:
        return f"{low} to {high} times"
    return "once" if low == 1 else f"{low} times"
