"""From a request to the scores of systems, each on its own."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.records import dataclass
from outscore.core.reduction import Reduction, parse_reduction
from outscore.core.rows import RepeatKind, in_order_of, kind_of_column
from outscore.formats.tables.assemble import refuse_implausible
from outscore.formats.tables.parquet import are_partitions
from outscore.inference.populations import THESE_ITEMS
from outscore.language.lines import score_signature
from outscore.language.numbers import count, format_number
from outscore.language.verdict.score import score_verdict
from outscore.results.design import Reading
from outscore.results.note import Note, Signature
from outscore.results.score import ScoredSystem, ScoreResult
from outscore.scores.align import DuplicateRule, check_rule, settle
from outscore.scores.reduce import first_runs, reduce_runs
from outscore.scores.system import Labels, Origin, Scores, item_codes, origins_of
from outscore.workflows.compare.inputs import metric_of
from outscore.workflows.compare.logs import asks_logs, better_of, log_origins, read_tasks
from outscore.workflows.frames import encode_labels, is_table
from outscore.workflows.gold import beside_of, gold_facts, scored_beside_gold
from outscore.workflows.names import at_the_door, path_texts, proposing_measures
from outscore.workflows.rank.inputs import chosen_systems, read_many, systems_from
from outscore.workflows.reading import Better, MetricDirection, answer_notes, reading_of, resolve_direction, score_names
from outscore.workflows.requests.rank import ScoreRequest
from outscore.workflows.score.measure import Measured, measure
from outscore.workflows.texts.panels import TextsRead, read_text_panels, score_texts
from outscore.workflows.validate import refuse_labels

UNNAMED = "system"
"""The name of a system that has none."""
FEW_RUNS = "Two runs say little about how much runs differ: the intervals rest on a single difference between them."
SLICES = "slice"
"""The name of a column whose labels were given without one."""


@dataclass(frozen=True, eq=False)
class _Material:
    """Systems that were read, their files and notes; `missing` are rows without a score, by reason."""

    scores: Sequence[Scores]
    origins: Sequence[Origin] = ()
    notes: Sequence[Note] = ()
    told: Better | None = None
    missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@at_the_door
def run(request: ScoreRequest, data: Sequence[Scores] | None = None) -> ScoreResult:
    """Read the files of a request, or use `data` instead, and score each system on its own.

    Examples
    --------
    >>> found = run(ScoreRequest(), [Scores("new", np.array([1, 0, 1, 1, 1, 0, 1, 1] * 5))])
    >>> found.verdict
    'new scores 0.7500: 95% CI 0.5981 to 0.8581, mean, 40 items.'
    """
    if request.reference:
        request.validate()
        texts = read_text_panels(request)
        return _of_texts(request, texts)
    logs = data is None and asks_logs(request)
    (replace(request, metric=None) if logs else request).validate(arrays=data is not None)
    if logs:
        return _scored(replace(request, metric=None), request, _from_logs(request))
    return _scored(request, request, _Material(data, origins_of(data)) if data is not None else read_material(request))


def call(
    scores: object,
    *,
    items: object,
    clusters: object,
    slices: object,
    dataset: object,
    reference: object,
    documents: object,
    **given: Any,  # noqa: ANN401 - the other keywords of `outscore.score`
) -> ScoreResult:
    """`outscore.score`: arrays, tables, what `read` returns, or paths, with options by their Python names."""
    if reference is not None:
        return _call_texts(scores, reference, documents, {**given, "clusters": clusters, "dataset": dataset})
    labels = {"items": items, "clusters": clusters, "dataset": dataset}
    several = scores if isinstance(scores, (list, tuple)) else [scores]
    paths = path_texts(several) if several else None
    if paths is not None or is_table(scores):
        columns = {name: label for name, label in {**labels, "slices": slices}.items() if label is not None}
        refuse_labels(columns)
        request = ScoreRequest.from_python({**given, **columns}, files=paths or ())
        if paths is not None:
            return run(request)
        request.validate(arrays=True)
        none = {"items": None, "clusters": None, "dataset": None}
        with proposing_measures(request):
            systems = systems_from(scores, request, **none)
        return run(request, systems)
    request = ScoreRequest.from_python(given)
    request.validate(arrays=True)
    by_system = _by_system(scores, request)
    systems = systems_from(by_system, request, **labels)
    if slices is None:
        return run(request, systems)
    first = next(iter(by_system.values())) if isinstance(by_system, Mapping) else None
    column, texts = _slice_labels(slices, systems, first)
    return run(
        replace(request, slice=column),
        [replace(one, slices={**one.slices, column: texts}) for one in systems] if texts else systems,
    )


def _call_texts(scores: object, reference: object, documents: object, given: dict[str, Any]) -> ScoreResult:
    """Texts: paths, or lists of segments, of one system or of several by name."""
    several = scores if isinstance(scores, (list, tuple)) else [scores]
    references = reference if isinstance(reference, (list, tuple)) else [reference]
    more = [] if documents is None else [documents]
    paths = path_texts([*several, *references, *more])
    # A list of strings is a text, segment by segment.
    if paths is not None and all(isinstance(path, os.PathLike) for path in (*several, *references) if several is scores):
        names = {"files": paths[: len(several)], "reference": paths[len(several) : len(several) + len(references)]}
        return run(ScoreRequest.from_python({**given, "documents": paths[-1] if more else None}, **names))
    request = ScoreRequest.from_python({**given, "clusters": None, "dataset": None})
    (called, *_) = request.names or (UNNAMED,)
    systems = scores if isinstance(scores, Mapping) else {called: scores}
    return _of_texts(request, score_texts(systems, reference, request.text_metric, documents, given["dataset"]))


def _by_system(scores: object, request: ScoreRequest) -> object:
    """Arrays by system; a single array gets the given name, or a default."""
    if isinstance(scores, Scores):
        return [scores]
    if isinstance(scores, Mapping) or (isinstance(scores, (list, tuple)) and any(isinstance(one, Scores) for one in scores)):
        return scores
    if len(request.names) > 1:
        raise OutscoreError(f"There are {len(request.names)} names for one system.", "Give one name.", parameter="names")
    return {request.names[0] if request.names else UNNAMED: scores}


def _slice_labels(slices: object, scores: Sequence[Scores], first: object) -> tuple[str, Labels | None]:
    """The column and its labels: a column of scores that were read, labels by column, or labels alone.

    Labels with an index are matched with that of the `first` system's scores.
    """
    if isinstance(slices, str):
        return slices, None
    column, labels = next(iter(slices.items())) if isinstance(slices, Mapping) else (SLICES, slices)
    raw = np.asarray(in_order_of(first, labels, "slices")[0])
    if raw.ndim != 1 or any(one.rows != len(raw) for one in scores):
        raise OutscoreError(
            f"There are {len(raw):,} slice labels for {scores[0].rows:,} rows.", "Give one for each row.", parameter="slice"
        )
    return str(column), encode_labels(raw, "slices")


def read_material(request: ScoreRequest) -> _Material:
    """The systems of a request's files."""
    if are_partitions(request.files):
        raise OutscoreError(
            "A folder of Parquet parts is read piece by piece, but `score` needs all rows at once.",
            "Name the files one by one, or use `outscore rank`, which also shows the scores.",
            parameter="files",
        )
    with proposing_measures(request):
        scores, notes = read_many(
            request.files, format=request.reader, systems=request.system, names=request.names, columns=request.columns()
        )
    named = request.item is not None or request.transpose
    refuse_implausible(scores, chosen=bool(request.system), item_named=named)
    return _Material(scores, origins_of(scores), notes)


def _from_logs(request: ScoreRequest) -> _Material:
    """The systems of logs; several tasks are datasets."""
    logs = read_tasks(request)
    scores = chosen_systems(logs.scores, request.system, request.names)
    renamed = dict(zip((one.name for one in chosen_systems(logs.scores, request.system, ())), scores, strict=True))
    missing: dict[str, Counter[str]] = {}
    for evaluations in logs.evaluations:
        for one in evaluations:
            if one.system in renamed:
                missing.setdefault(renamed[one.system].name, Counter()).update(one.missing(logs.measure))
    return _Material(scores, log_origins(logs, scores), logs.notes, better_of(logs.higher_is_better), missing)


def _direction_of(
    metric: str | AdditiveMetric, request: ScoreRequest, material: _Material, scores: Sequence[Scores]
) -> MetricDirection:
    names = score_names(material.origins, [one.name for one in scores])
    return resolve_direction(metric, request.direction, names, told=material.told, scores=[one.values for one in scores])


def _scored(asked: ScoreRequest, request: ScoreRequest, material: _Material) -> ScoreResult:
    """The scores of systems that were read; `asked` has no metric if the metric is a score of the logs."""
    scores, notes = settled(scored_beside_gold(material.scores, asked.metric), request)
    check_systems(scores, request)
    kind = _kind(scores, request)
    taken = _taken(scores, request)
    scores, notes = list(taken.scores), [*notes, *taken.notes]
    named = _metric_of(asked, scores, taken.reduction)
    better = _direction_of(named, request, material, scores)
    about_gold = gold_facts(scores, asked.metric)
    measured = measure(
        scores,
        better.metric,
        kind=kind,
        reduced="" if taken.reduction is None else taken.reduction.name,
        population=request.population,
        slices=request.slice,
        alpha=request.alpha,
        power=request.power,
        missing=material.missing,
    )
    measured = replace(measured, systems=taken.with_runs(measured.systems))
    reading = reading_of(
        material.origins,
        rows=sum(one.rows for one in material.scores),
        systems=[one.system for one in measured.systems],
        slices=() if request.slice is None else (request.slice,),
        direction=(better.better, better.source),
        beside=beside_of(asked.metric) if about_gold else "",
    )
    column = next((one.repeat_column for one in taken.before if one.repeat_column), "") if kind else ""
    said = [*better.notes, *answer_notes(material.origins, about_gold), *material.notes, *notes]
    return _result(request, measured, kind, column, said, reading, material.origins)


def _result(
    request: ScoreRequest,
    measured: Measured,
    kind: RepeatKind | None,
    repeat_column: str,
    notes: Sequence[Note],
    reading: Reading,
    origins: Sequence[Origin],
) -> ScoreResult:
    """The scores in words."""
    higher, population = measured.metric.higher_is_better, measured.population
    words = score_verdict(
        measured.systems, measured.metric.name, alpha=request.alpha, population=population, kind=kind, higher_is_better=higher
    )
    several = len(measured.systems) > 1
    return ScoreResult(
        systems=measured.systems,
        metric=measured.metric.name,
        higher_is_better=higher,
        alpha=request.alpha,
        population=population,
        repeat_kind=kind,
        repeat_column=repeat_column,
        interval=measured.interval,
        headline=words[0],
        reason=words[1],
        sentence=words[2],
        signature=_signature(measured, kind, request.alpha),
        next_command=request.ranking().command_line() if several and request.files else "",
        macro=any(one.datasets for one in measured.systems),
        notes=[*_macro_notes(measured), *notes, *_run_notes(measured, kind)],
        reading=reading,
        settings=request.settings(origins),
    )


def _of_texts(request: ScoreRequest, texts: TextsRead) -> ScoreResult:
    """The corpus scores of texts, each with its interval over segments or documents."""
    (found,) = texts.ranking.metrics
    panels = [[panel.of_system(k) for panel in found.panels] for k in range(len(found.panels[0].systems))]
    kind = found.panels[0].repeat_kind
    measured = measure(
        (),
        found.panels[0].metric,
        kind=kind,
        population=request.population,
        slices=None,
        alpha=request.alpha,
        power=request.power,
        missing={},
        panels=panels,
    )
    reading = reading_of(
        texts.origins,
        rows=sum(panel.shape[1] for panel in found.panels),
        systems=found.panels[0].systems,
        direction=("higher" if measured.metric.higher_is_better else "lower", "metric"),
        kind="texts",
    )
    notes = [*texts.notes, Note("method", f"{found.label}: {found.signature}.")]
    return _result(request, measured, kind, "run" if kind else "", notes, reading, texts.origins)


def _metric_of(asked: ScoreRequest, scores: Sequence[Scores], reduction: Reduction | None) -> str | AdditiveMetric:
    """The requested metric, the default, or that of reduced runs."""
    if reduction is not None:
        return metric_of(reduction)
    return asked.metric or ("f1" if scores[0].values.ndim == 2 else "mean")


def _signature(measured: Measured, kind: RepeatKind | None, alpha: float) -> Signature:
    return score_signature(
        measured.systems,
        measured.metric.name,
        interval=measured.interval,
        alpha=alpha,
        population=measured.population,
        repeat_kind=kind,
        higher_is_better=measured.metric.higher_is_better,
    )


def settled(scores: Sequence[Scores], request: ScoreRequest) -> tuple[list[Scores], list[Note]]:
    """One row per item and repeat, by the given rule, and notes on what it changed."""
    rule = cast("DuplicateRule", request.duplicates)
    check_rule(rule)
    settled = [settle(one, rule) for one in scores]
    dropped, conflicts = sum(system[1] for system in settled), sum(system[2] for system in settled)
    notes = []
    if conflicts:
        text = f"{count(conflicts, 'item')} had rows that contradict each other; --duplicates {rule} was applied."
        notes.append(Note("input", text))
    elif dropped:
        notes.append(Note("input", f"{count(dropped, 'row')} repeating another row of the same item and run were left out."))
    return [system[0] for system in settled], notes


@dataclass(frozen=True, eq=False)
class _Taken:
    """Systems with the runs to use, or with one score made from them, and the systems with those runs."""

    scores: Sequence[Scores]
    before: Sequence[Scores]
    reduction: Reduction | None = None
    notes: Sequence[Note] = ()

    def with_runs(self, scored: Sequence[ScoredSystem]) -> list[ScoredSystem]:
        """The systems with the rows behind their scores."""
        if self.reduction is None:
            return list(scored)
        return [replace(one, rows=own.rows, repeats=own.rows / one.n) for one, own in zip(scored, self.before, strict=True)]


def _taken(scores: Sequence[Scores], request: ScoreRequest) -> _Taken:
    """The runs that the request selects, reduced if it says so."""
    rule = cast("DuplicateRule", request.duplicates)
    reduction, notes = parse_reduction(request.reduce), list[Note]()
    if request.equal_runs:
        scores, notes = first_runs(scores, rule)
    if reduction is None:
        return _Taken(scores, scores, None, notes)
    reduced = reduce_runs(scores, reduction, rule)
    # How unequal numbers of runs affect p does not matter for single systems.
    notes_kept = [note for note in reduced.notes if note.kind != "design"]
    return _Taken(reduced.scores, reduced.before, reduction, [*notes, *notes_kept])


def check_systems(scores: Sequence[Scores], request: ScoreRequest) -> None:
    """Refuse systems that share a name, or are unlikely to be systems."""
    names = [one.name for one in scores]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise OutscoreError(f"Two systems are named `{twice}`.", "Give each a different name.", parameter="names")
    for one in scores:
        if one.values.shape[1:] != scores[0].values.shape[1:]:
            raise OutscoreError(
                f"`{scores[0].name}` and `{one.name}` do not have the same number of scores per row.",
                "Give all systems the same columns.",
            )
        if not one.rows:
            raise OutscoreError(f"`{one.name}` has no scores.", "Give it at least one.")
        if request.slice is not None and request.slice not in one.slices:
            raise OutscoreError(
                f"The scores of `{one.name}` have no slice column `{request.slice}`.",
                "Read them with slice=..., or give a label for each row.",
                parameter="slice",
            )


def _kind(scores: Sequence[Scores], request: ScoreRequest) -> RepeatKind | None:
    """The kind of repeats; None if each item was scored once."""
    repeated = any(one.ids is not None and _most_rows(one) > 1 for one in scores)
    if not repeated:
        if request.repeats is not None:
            raise OutscoreError("There are no repeats: each item was scored once.", "Leave --repeats out.", parameter="repeats")
        return None
    if request.repeats is not None:
        return cast("RepeatKind", request.repeats)
    return kind_of_column(next((one.repeat_column for one in scores if one.repeat_column), ""))


def _most_rows(scores: Scores) -> int:
    return int(np.unique(item_codes(scores), return_counts=True)[1].max())


def _macro_notes(measured: Measured) -> list[Note]:
    """That scores are means over datasets, and what they would be if all items counted alike."""
    pooled = [(one, one.pooled) for one in measured.systems if one.pooled is not None]
    if not pooled:
        return []
    datasets = max(len(one.datasets) for one, _ in pooled)
    scores = ", ".join(f"{one.system} {format_number(value)}" for one, value in pooled)
    text = f"Scores are macro averages of {datasets} datasets, which weight them equally; --dataset none pools them."
    size = count(max(one.n for one, _ in pooled), "item")
    return [Note("reading", text), Note("reading", f"Pooled over all {size}: {measured.metric.name} {scores}.")]


def _run_notes(measured: Measured, kind: RepeatKind | None) -> list[Note]:
    if kind != "runs" or measured.population == THESE_ITEMS:
        return []
    if measured.lacking:
        return [Note("runs", f"The intervals are about these runs, not about new ones: {measured.lacking}.")]
    return [Note("runs", FEW_RUNS)] if measured.few_runs else []
