"""From a request to a ranking: scores in tables, texts with references, outputs with gold, or Parquet files of any size."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from outscore.core.errors import OutscoreError
from outscore.core.options import written_direction
from outscore.core.records import dataclass
from outscore.core.reduction import parse_reduction
from outscore.core.rows import RUNS, kind_of_column
from outscore.engine.engines import Engine, engine_of
from outscore.engine.progress import Progress, Steps
from outscore.formats.base.entry import Choice
from outscore.formats.logs.scores import missing_notes
from outscore.formats.tables.assemble import refuse_implausible
from outscore.formats.tables.columns import NO_ITEMS
from outscore.formats.tables.parquet import are_partitions
from outscore.language.numbers import count
from outscore.metrics.entry import Beside
from outscore.results.design import DirectionSource
from outscore.results.files import write_files
from outscore.results.note import Note
from outscore.results.ranking import Ranking
from outscore.scores.align import DuplicateRule, align
from outscore.scores.panel import Panel, panels_of, refuse_one, slices_of
from outscore.scores.reduce import first_runs, reduce_runs
from outscore.scores.system import Origin, Scores, origins_of
from outscore.workflows.compare.logs import asks_logs, better_of, log_origins, read_tasks
from outscore.workflows.gold import beside_of, gold_facts, scored_beside_gold
from outscore.workflows.names import at_the_door, path_texts, proposing_measures
from outscore.workflows.rank.inputs import chosen_systems, files_by_system, read_many, systems_from
from outscore.workflows.rank.panels import Ranked, rank_panels
from outscore.workflows.rank.parquet import measured_from_partitions
from outscore.workflows.rank.question import Question
from outscore.workflows.rank.texts import text_panels
from outscore.workflows.reading import (
    Better,
    answer_notes,
    gold_notes,
    reading_of,
    refuse_best_fill,
    resolve_direction,
    scale_notes,
    score_names,
    series_names,
)
from outscore.workflows.requests import base, shared
from outscore.workflows.requests.rank import RankRequest
from outscore.workflows.texts.inputs import files_of_request
from outscore.workflows.texts.members import SegmentScores, check_segments
from outscore.workflows.validate import refuse_labels

Kind = Literal["scores", "texts", "outputs"]


@dataclass(frozen=True, eq=False)
class RankData:
    """What a caller passes to be ranked instead of files: scores, or texts or outputs by system with gold.

    `gold` holds the references of texts, or the right answers to outputs, `dataset` a label for each segment of texts, and
    `measures` are the names of the series.
    """

    kind: Kind
    scores: Sequence[Scores] = ()
    systems: Mapping[str, object] | None = None
    gold: object = None
    documents: object = None
    origins: Sequence[Origin] = ()
    notes: Sequence[str] = ()
    dataset: object = None
    measures: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class _Material:
    """Panels by metric, the first of which is the headline; the files, and notes on them.

    `unit` is the name of items, `group` that of items swapped as one, `called` are the names of the metrics. `others` are
    scores that are only looked at for what contradicts the ranking.
    """

    panels: Sequence[Sequence[Panel]]
    origins: Sequence[Origin]
    notes: Sequence[Note]
    unit: str = "items"
    group: str | None = None
    called: Sequence[str] = ()
    kind: Kind = "scores"
    direction_source: DirectionSource = "metric"
    segments: Callable[[], SegmentScores] | None = None
    beside: Beside = ""
    others: Mapping[str, Panel] = field(default_factory=dict)
    margins: Mapping[str, float] | None = None
    slices: tuple[str, Mapping[str, Sequence[Panel]]] | None = None


@dataclass(frozen=True, eq=False)
class _Work:
    """Who does the work, who receives its progress, and who receives remarks that are not part of the result."""

    engine: Engine
    progress: Progress
    remark: Callable[[str], None]


def run(
    request: RankRequest,
    data: RankData | None = None,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    remark: Callable[[str], None] = warnings.warn,
) -> Ranking:
    """Read the files of a request, or use `data` instead, and rank their systems."""
    return run_measured(request, data, engine=engine, progress=progress, remark=remark).ranking


@at_the_door
def run_measured(
    request: RankRequest,
    data: RankData | None = None,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    remark: Callable[[str], None] = warnings.warn,
) -> Ranked:
    """The ranking with everything measured for it, including all pairs, however many there are."""
    logs = data is None and asks_logs(request)
    (replace(request, metric=None) if logs else request).validate(kind=None if data is None else data.kind)
    work = _Work(engine or engine_of(), progress or Steps(), remark)
    if data is None and not logs and not request.reference and request.task is None and are_partitions(request.files):
        return _from_partitions(request, work)
    return _rank(_material(request, data, work, logs=logs), request, work)


def _material(request: RankRequest, data: RankData | None, work: _Work, *, logs: bool) -> _Material:
    """What is ranked, from files or from `data`."""
    if data is not None and data.kind == "scores":
        return material_of(request, data.scores, measures=data.measures)
    if request.reference or (data is not None and data.kind == "texts"):
        return _texts(request, data or read_texts(request), work)
    if request.task is not None:
        return _outputs(request, data or read_outputs(request))
    read = _logs if logs else _scores
    if request.measure:
        return _measures([read(one) for one in request.by_measure(logs=logs).values()], request)
    return read(request)


def call(
    scores: object,
    *,
    items: object,
    clusters: object,
    dataset: object,
    reference: object,
    documents: object,
    gold: object,
    segments: str | os.PathLike[str] | None,
    engine: Engine | None,
    progress: Progress | None,
    **given: Any,  # noqa: ANN401 - the other keywords of `outscore.rank`
) -> Ranking:
    """`outscore.rank`: arrays, tables, paths, texts or outputs, with options by their Python names."""
    labels = {"items": items, "clusters": clusters, "dataset": dataset}
    more: dict[str, Any] = {"engine": engine, "progress": progress}
    paths = _paths(scores, reference, documents, gold)
    target = None if segments is None else os.fspath(segments)
    check_segments(target, (), texts=reference is not None)
    if paths is not None:
        columns = {name: label for name, label in labels.items() if label is not None}
        refuse_labels(columns)
        request = RankRequest.from_python({**given, **columns}, **paths)
        check_segments(target, request.inputs, texts=True)
        return _with_segments(run_measured(request, **more), target)
    if reference is not None or gold is not None:
        kind: Kind = "outputs" if reference is None else "texts"
        _refuse_labels(labels, kind)
        systems = _by_system(scores, kind)
        given_as_gold = gold if reference is None else reference
        data = RankData(kind, (), systems, given_as_gold, documents, dataset=dataset)
        return _with_segments(run_measured(RankRequest.from_python(given), data, **more), target)
    request = RankRequest.from_python(given)
    request.validate(kind="scores")
    if request.measure:
        parts = [material_of(one, systems_from(scores, one, **labels)) for one in request.by_measure(logs=False).values()]
        work = _Work(engine or engine_of(), progress or Steps(), warnings.warn)
        return _rank(_measures(parts, request), request, work).ranking
    with proposing_measures(request):
        given_scores = systems_from(scores, request, **labels)
    check_systems(given_scores, request, item_named=items is not None)
    return run(request, RankData("scores", given_scores, measures=_series_names(scores)), **more)


def _series_names(scores: object) -> tuple[str, ...]:
    """The names of series in a dictionary of systems, apart from the names of the systems."""
    return series_names(scores.values()) if isinstance(scores, Mapping) else ()


def _with_segments(ranked: Ranked, target: str | None) -> Ranking:
    """The ranking, after writing the scores of segments if they were asked for."""
    if target is not None and ranked.segments is not None:
        write_files({target: ranked.segments().to_csv()})
    return ranked.ranking


def _paths(scores: object, reference: object, documents: object, gold: object) -> dict[str, Any] | None:
    """All inputs as file names, which make a request that can be repeated; None if not everything is a file."""
    systems = list(scores.values()) if isinstance(scores, Mapping) else scores
    several = [systems] if isinstance(systems, (str, os.PathLike)) else systems
    references: Sequence[object] = []
    if reference is not None:
        references = reference if isinstance(reference, (list, tuple)) else [reference]
    if not isinstance(several, (list, tuple)) or not several:
        return None
    if isinstance(reference, (list, tuple)) and not all(isinstance(path, os.PathLike) for path in reference):
        # A list of strings is a text, segment by segment.
        return None
    files, texts = path_texts(several), path_texts(references)
    others = path_texts([*([] if documents is None else [documents]), *([] if gold is None else [gold])])
    if files is None or texts is None or others is None:
        return None
    return {
        "files": files,
        "names": tuple(str(name) for name in scores) if isinstance(scores, Mapping) else (),
        "reference": texts,
        "documents": None if documents is None else others[0],
        "gold": None if gold is None else others[-1],
    }


def _refuse_labels(labels: Mapping[str, object], kind: Kind) -> None:
    for name, label in labels.items():
        if label is not None and (kind, name) not in (("outputs", "clusters"), ("texts", "dataset")):
            raise OutscoreError(f"`{name}` is for scores, not for {kind}.", f"Leave `{name}` out.", parameter=name)


def _by_system(given: object, kind: Kind) -> dict[str, object]:
    if not isinstance(given, Mapping) or len(given) < 2:
        raise OutscoreError(
            f"`scores` is a {type(given).__name__}, but {kind} of two or more systems were expected.",
            "Give a dictionary of them by system, or a list of paths.",
            parameter="scores",
        )
    return {str(name): output for name, output in given.items()}


def _rank(material: _Material, request: RankRequest, work: _Work) -> Ranked:
    panels, *further = material.panels
    ranked = rank_panels(
        panels,
        Question(**request.question()),
        further=further,
        unit=material.unit,
        group=material.group,
        called=material.called,
        other_scores=material.others,
        slices=material.slices,
        margins=material.margins,
        engine=work.engine,
        progress=work.progress,
        settings=request.settings(material.origins),
        notes=material.notes,
    )
    reading = reading_of(
        material.origins,
        rows=sum(panel.shape[1] for panel in panels),
        systems=panels[0].systems,
        slices=() if request.slice is None else (request.slice,),
        direction=("higher" if ranked.ranking.higher_is_better else "lower", material.direction_source),
        kind=None if material.kind == "scores" else material.kind,
        beside=material.beside,
    )
    return replace(ranked, ranking=replace(ranked.ranking, reading=reading), segments=material.segments)


def read_texts(request: RankRequest) -> RankData:
    """The texts of a request's files."""
    texts_read = files_of_request(request)
    if len(texts_read.systems) < 2:
        named = count(len(texts_read.systems), "system")
        cure = "A quoted pattern matches runs of one system; leave the quotes out to name systems."
        raise OutscoreError(f"{named} named, but at least two are needed.", cure, parameter="files")
    datasets = texts_read.datasets or shared.POOLED
    return RankData(
        "texts",
        (),
        texts_read.systems,
        texts_read.references,
        texts_read.documents,
        texts_read.origins,
        texts_read.notes,
        datasets,
    )


def _texts(request: RankRequest, data: RankData, work: _Work) -> _Material:
    assert data.systems is not None
    by_metric = text_panels(
        data.systems,
        data.gold,
        metrics=request.text_metrics,
        documents=data.documents,
        dataset=data.dataset,
        scores=request.scores,
        engine=work.engine,
        progress=work.progress,
        command=(lambda scores: replace(request, scores=scores).command_line()) if request.files else None,
        files=data.origins,
    )
    for note in by_metric.cache_notes:
        work.remark(note)
    return _Material(
        [member.panels for member in by_metric.metrics],
        [*data.origins, *by_metric.origins],
        [
            *(Note("input", text) for text in data.notes),
            *by_metric.notes,
            *(Note("method", f"{member.label}: {member.signature}.") for member in by_metric.metrics),
        ],
        unit="segments",
        called=[member.label for member in by_metric.metrics],
        kind="texts",
        segments=by_metric.segments,
    )


def read_outputs(request: RankRequest) -> RankData:
    """The files of outputs by system, and that of the right answers."""
    systems = files_by_system(request.system_files, request.names, request.system, "outputs")
    return RankData("outputs", (), systems, request.gold)


def _outputs(request: RankRequest, data: RankData) -> _Material:
    from outscore.workflows.rank.outputs import panel_of_outputs

    assert request.task is not None
    assert data.systems is not None
    outputs = panel_of_outputs(data.gold, data.systems, task=request.task, cluster=request.cluster, metric=request.metric)
    metric_name = f"{outputs.criterion} accuracy" if outputs.metric == "mean" else str(outputs.metric)
    return _Material(
        [[outputs.panel]],
        outputs.origins,
        outputs.notes,
        unit=outputs.unit,
        group=outputs.group,
        called=[metric_name],
        kind="outputs",
        others=outputs.others,
    )


def _scores(request: RankRequest) -> _Material:
    with proposing_measures(request):
        scores, notes = read_many(
            # A single pattern stands for systems or datasets: the runs of one system cannot be ranked.
            request.system_files if len(request.files) == 1 else request.files,
            format=request.reader,
            systems=request.system,
            names=request.names,
            columns=request.columns(),
        )
    check_systems(scores, request)
    return material_of(request, scores, notes, origins=origins_of(scores))


def _logs(request: RankRequest) -> _Material:
    """The systems of logs; several tasks are datasets."""
    logs = read_tasks(request)
    systems = chosen_systems(logs.scores, request.system, request.names)
    # The default treatment of missing scores is among the notes already.
    missing = () if request.missing is None else missing_notes(logs.missing.values())
    return material_of(
        replace(request, metric=None),
        systems,
        logs.notes,
        origins=log_origins(logs, logs.scores),
        told=better_of(logs.higher_is_better),
        last=missing,
    )


def check_systems(scores: Sequence[Scores], request: RankRequest, *, item_named: bool = False) -> None:
    """Refuse columns that are unlikely to be systems, unless the caller says that they are."""
    named = item_named or request.item is not None or request.transpose
    refuse_implausible(scores, chosen=bool(request.system), item_named=named)


def material_of(
    request: RankRequest,
    scores: Sequence[Scores],
    notes: Sequence[Note] = (),
    *,
    origins: Sequence[Origin] | None = None,
    told: Better | None = None,
    measures: Sequence[str] = (),
    last: Sequence[Note] = (),
) -> _Material:
    """Panels by the requested metric, or the default for the scores, in the direction in which these are better.

    `notes` come before what is said of runs, `last` behind it; `told` is the direction that the data state.
    """
    rule: DuplicateRule = request.duplicates  # type: ignore[assignment] # an unknown rule is refused there
    files = origins_of(scores) if origins is None else origins
    systems = scored_beside_gold(scores, request.metric)
    about_gold = gold_facts(systems, request.metric)
    run_notes: Sequence[Note] = ()
    if request.equal_runs:
        systems, run_notes = first_runs(systems, rule)
    reduction = parse_reduction(request.reduce)
    reduced = None if reduction is None else reduce_runs(systems, reduction, rule)
    if reduced is not None:
        systems, run_notes = reduced.scores, [*run_notes, *reduced.notes]
    named = request.metric or ("f1" if any(system.values.ndim == 2 for system in systems) else "mean")
    if reduction is not None:
        named = f"mean:of={reduction.name}"
    names = measures or score_names(files, list(dict.fromkeys(system.name for system in systems)))
    better = resolve_direction(named, request.direction, names, told=told, scores=[system.values for system in systems])
    refuse_one(systems)
    panels = panels_of(systems, better.metric, rule)
    if reduced is not None:
        panels = reduced.with_repeats(panels)
    said = [*better.notes, *answer_notes(files, about_gold), *_values_notes(panels, files), *notes, *run_notes, *last]
    slices = None if request.slice is None else (request.slice, slices_of(panels, align(systems, rule), request.slice))
    return _Material(
        [panels],
        files,
        said,
        direction_source=better.source,
        beside=beside_of(request.metric) if about_gold else "",
        slices=slices,
    )


def _measures(parts: Sequence[_Material], request: RankRequest) -> _Material:
    """Several measures of the same systems as one material, the first of which sets the order."""
    names = [written_direction(measure)[0] for measure in request.measure]
    systems = parts[0].panels[0][0].systems
    for name, part in zip(names, parts, strict=True):
        if part.panels[0][0].systems != systems:
            cure = "Give every system a score by each measure."
            raise OutscoreError(f"`{name}` has other systems than `{names[0]}`.", cure, parameter="measure")
        refuse_best_fill(part.origins, "higher" if part.panels[0][0].metric.higher_is_better else "lower")
        if len(part.panels[0]) > 1:
            raise OutscoreError(
                f"There are {len(part.panels[0])} datasets, but a frontier is one of a single dataset.",
                "Add --dataset none to pool all items, or rank one dataset at a time.",
                parameter="dataset",
            )
    return replace(
        parts[0],
        panels=[part.panels[0] for part in parts],
        origins=list({str(origin): origin for part in parts for origin in part.origins}.values()),
        notes=list(dict.fromkeys(note for part in parts for note in part.notes)),
        called=names,
        margins=request.margins(),
    )


def _values_notes(panels: Sequence[Panel], origins: Sequence[Origin]) -> list[Note]:
    """Warnings if systems are on different scales, or equal gold, from the first panel on which some do."""
    for panel in panels:
        values = panel.item_scores()
        if values is not None and (notes := [*scale_notes(panel.systems, values), *gold_notes(panel.systems, values, origins)]):
            return notes
    return []


def _from_partitions(request: RankRequest, work: _Work) -> Ranked:
    _check_partitioned(request)
    partitioned = measured_from_partitions(
        request.files,
        Question(**request.question()),
        choice=Choice(systems=request.system, **request.columns()),
        direction=request.direction,
        engine=work.engine,
        progress=work.progress,
    )
    if partitioned.conflicts and request.duplicates == "stop":
        contradict = (
            "item has rows that contradict" if partitioned.conflicts == 1 else "items have rows of one system that contradict"
        )
        raise OutscoreError(
            f"{partitioned.conflicts:,} {contradict} each other.",
            "Choose --duplicates mean, or name the column of repeats with --repeat.",
            parameter="duplicates",
        )
    if len(partitioned.files) > 1 and partitioned.columns.dataset is None:
        text = f"{len(partitioned.files):,} Parquet files were read as parts of one dataset"
        note = Note("input", f"{text}; use --dataset to name a column of datasets.")
        partitioned = replace(partitioned, notes=(*partitioned.notes, note))
    if partitioned.columns.repeat is not None and kind_of_column(partitioned.columns.repeat) == RUNS:
        text = "The claims are about these runs, not about new ones, because Parquet parts are read one by one."
        partitioned = replace(partitioned, notes=(*partitioned.notes, Note("runs", text)))
    used = partitioned.columns.used
    origins = [Origin(file.path, file.sha256(), file.rows, "parquet", used, unit="row") for file in partitioned.files]
    ranking = partitioned.ranking(request.settings(origins))
    reading = reading_of(origins, rows=ranking.n, direction=(partitioned.better.better, partitioned.better.source))
    return Ranked(replace(ranking, reading=reading), partitioned.measured)


def _check_partitioned(request: RankRequest) -> None:
    """Refuse options that do not work with parts."""
    if request.metric not in (None, "mean", "accuracy"):
        raise OutscoreError(
            f"Parquet parts are ranked by their mean scores, not by {request.metric}.",
            "Leave --metric out, or give one table.",
            parameter="metric",
        )
    if request.item == NO_ITEMS or request.duplicates not in ("stop", "mean"):
        name, value = ("item", NO_ITEMS) if request.item == NO_ITEMS else ("duplicates", request.duplicates)
        raise OutscoreError(
            f"--{name} {value} needs all rows in order, but Parquet parts are read one by one.",
            "Name the files one by one if they are few and small.",
            parameter=name,
        )
    request.refuse_outside(base.ALL_ROWS)
