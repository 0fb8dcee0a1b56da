"""From a request to a ranking: scores in tables, texts with references, outputs with gold, or Parquet files of any size."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from outscore.core.errors import OutscoreError
from outscore.core.options import written_direction
from outscore.core.records import dataclass
from outscore.core.rows import RUNS, kind_of_column
from outscore.engine.engines import Engine, engine_of
from outscore.engine.progress import Progress
from outscore.formats.base.entry import Choice
from outscore.formats.logs.scores import missing_notes
from outscore.formats.tables.columns import NO_ITEMS
from outscore.formats.tables.parquet import are_partitions
from outscore.language.numbers import count
from outscore.outputs.model import OutputData
from outscore.results.files import write_files
from outscore.results.note import Note
from outscore.results.ranking import Ranking
from outscore.scores.panel import Panel
from outscore.scores.system import Origin
from outscore.workflows.frames import is_table
from outscore.workflows.load import asks_logs, check_files, files_by_system, load, refuse_unlikely
from outscore.workflows.names import at_the_door, files_given, proposing_measures
from outscore.workflows.prepare import Prepared, prepare
from outscore.workflows.question import Question, these_runs
from outscore.workflows.rank.panels import Ranked, rank_panels
from outscore.workflows.rank.parquet import measured_from_partitions
from outscore.workflows.reading import reading_of, refuse_best_fill
from outscore.workflows.requests import base
from outscore.workflows.requests.rank import RankRequest
from outscore.workflows.systems import Systems, many_given, refuse_labels, rows_in
from outscore.workflows.texts.checks import cache_of
from outscore.workflows.texts.inputs import read_text_files
from outscore.workflows.texts.members import check_segments, members_of, segment_scores
from outscore.workflows.texts.panels import notes_of
from outscore.workflows.texts.statistics import Statistics, Texts, texts_given

Kind = Literal["texts", "outputs"]
Given = Systems | Texts | OutputData[Any]
"""What a caller passes to be ranked instead of files: scores, or texts or outputs by system with what is right."""


@dataclass(frozen=True, eq=False)
class _Work:
    """Who does the work, who receives its progress, and who receives remarks that are not part of the result."""

    engine: Engine
    progress: Progress
    remark: Callable[[str], None]


def run(
    request: RankRequest,
    data: Given | None = None,
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
    data: Given | None = None,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    remark: Callable[[str], None] = warnings.warn,
) -> Ranked:
    """The ranking with everything measured for it, including all pairs, however many there are."""
    work = _Work(engine or engine_of(), progress or Progress(), remark)
    if isinstance(data, Systems):
        request.validate(kind="scores")
        return _rank_scores(request, [prepare(request, data)], work)
    logs = data is None and asks_logs(request)
    if isinstance(data, Texts) or request.reference:
        request.validate(kind="texts" if data else None)
        return _rank_texts(request, data if isinstance(data, Texts) else read_texts(request), work)
    if isinstance(data, OutputData) or request.task is not None:
        request.validate(kind="outputs" if data else None)
        return _rank_outputs(request, data if isinstance(data, OutputData) else read_outputs(request), work)
    if not logs and are_partitions(request.files):
        request.validate()
        return _from_partitions(request, work)
    measures = [request]
    if request.measure:
        check_files(request)
        measures = list(request.by_measure(logs=logs).values())
    return _rank_scores(request, [prepare(one, load(one)) for one in measures], work)


def call(
    scores: object,
    *,
    reference: object,
    documents: object,
    gold: object,
    segments: str | os.PathLike[str] | None,
    engine: Engine | None,
    progress: Progress | None,
    **given: Any,  # noqa: ANN401 - the other keywords of `outscore.rank`
) -> Ranking:
    """`outscore.rank`: arrays, tables, paths, texts or outputs, with options by their Python names."""
    more: dict[str, Any] = {"engine": engine, "progress": progress}
    paths = _paths(scores, reference=reference, documents=documents, gold=gold)
    target = None if segments is None else os.fspath(segments)
    check_segments(target, (), texts=reference is not None)
    if paths is not None:
        request = RankRequest.from_python(given, **paths)
        check_segments(target, request.inputs, texts=True)
        return _with_segments(run_measured(request, **more), target)
    if reference is not None or gold is not None:
        kind: Kind = "outputs" if reference is None else "texts"
        refuse_labels(given, kind)
        systems = _by_system(scores, kind)
        dataset = given.pop("dataset")
        request = RankRequest.from_python(given)
        data: Given = OutputData(gold, systems)
        if reference is not None:
            request.validate(kind="texts")
            data = texts_given(systems, reference, documents=documents, dataset=dataset)
        return _with_segments(run_measured(request, data, **more), target)
    rows = {} if is_table(scores) else rows_in(RankRequest, given)
    items_named = given.get("items") is not None or "items" in rows
    request = RankRequest.from_python(given)
    request.validate(kind="scores")
    if request.measure:
        parts = request.by_measure(logs=False).values()
        work = _Work(engine or engine_of(), progress or Progress(), warnings.warn)
        return _rank_scores(request, [prepare(one, many_given(scores, one, **rows)) for one in parts], work).ranking
    with proposing_measures(request):
        found = many_given(scores, request, **rows)
    refuse_unlikely(found.scores, request, item_named=items_named)
    return run(request, found, **more)


def _with_segments(ranked: Ranked, target: str | None) -> Ranking:
    """The ranking, after writing the scores of segments if they were asked for."""
    if target is not None and ranked.segments is not None:
        write_files({target: ranked.segments()})
    return ranked.ranking


def _paths(scores: object, **more: object) -> dict[str, Any] | None:
    """All inputs as file names; None if not everything is a file."""
    systems = list(scores.values()) if isinstance(scores, Mapping) else scores
    several = [systems] if isinstance(systems, (str, os.PathLike)) else systems
    paths = files_given(files=several, **more) if isinstance(several, (list, tuple)) and several else None
    if paths is not None and isinstance(scores, Mapping):
        paths["names"] = tuple(map(str, scores))
    return paths


def _by_system(given: object, kind: Kind) -> dict[str, object]:
    if not isinstance(given, Mapping) or len(given) < 2:
        raise OutscoreError(
            f"`scores` is a {type(given).__name__}, but {kind} of two or more systems were expected.",
            "Give a dictionary of them by system, or a list of paths.",
            parameter="scores",
        )
    return {str(name): output for name, output in given.items()}


def read_texts(request: RankRequest) -> Texts:
    """The texts of a request's files."""
    texts = read_text_files(request)
    if len(texts.systems) < 2:
        named = count(len(texts.systems), "system")
        cure = "A quoted pattern matches runs of one system; leave the quotes out to name systems."
        raise OutscoreError(f"{named} named, but at least two are needed.", cure, parameter="files")
    return texts


def _rank_texts(request: RankRequest, texts: Texts, work: _Work) -> Ranked:
    cache = cache_of(None)
    command = (lambda scores: request.command_line(scores=scores)) if request.files else None
    statistics = Statistics(work.engine, cache, work.progress)
    members, origins = members_of(texts, request.text_metrics, request.scores, statistics, command)
    for note in cache.notes:
        work.remark(note)
    notes = [
        *notes_of(texts, request.text_metrics, members),
        *(Note("method", f"{member.label}: {member.signature}.") for member in members),
    ]
    return _ranked(
        request,
        [member.panels(texts) for member in members],
        work,
        origins=[*texts.origins, *origins],
        kind="texts",
        notes=notes,
        unit="segments",
        called=[member.label for member in members],
        segments=partial(segment_scores, members, texts),
    )


def read_outputs(request: RankRequest) -> OutputData[Any]:
    """The files of outputs by system, and that of the right answers."""
    return OutputData(request.gold, files_by_system(request.system_files, request.names, request.system, "outputs"))


def _rank_outputs(request: RankRequest, data: OutputData[Any], work: _Work) -> Ranked:
    from outscore.workflows.rank.outputs import panel_of_outputs

    panel, known = panel_of_outputs(data, task=str(request.task), cluster=request.cluster, metric=request.metric)
    return _ranked(request, [[panel]], work, kind="outputs", **known)


def _ranked(
    request: RankRequest,
    by_metric: Sequence[Sequence[Panel]],
    work: _Work,
    *,
    origins: Sequence[Origin],
    kind: Literal["texts", "outputs"],
    **how: Any,  # noqa: ANN401 - the keywords of `rank_panels`
) -> Ranked:
    """What has a metric of its own, which says which scores are better."""
    panels, *further = by_metric
    reading = reading_of(
        origins,
        rows=sum(panel.shape[1] for panel in panels),
        systems=panels[0].systems,
        direction=("higher" if panels[0].metric.higher_is_better else "lower", "metric"),
        kind=kind,
    )
    settings = request.settings(origins)
    question = Question(**request.asked())
    return rank_panels(
        panels, question, further=further, engine=work.engine, progress=work.progress, settings=settings, reading=reading, **how
    )


def _rank_scores(request: RankRequest, measures: Sequence[Prepared], work: _Work) -> Ranked:
    """Scores by one measure, or by several, the first of which sets the order."""
    if request.measure:
        _check_measures(request, measures)
    first = measures[0]
    notes = [note for one in measures for note in _notes(one, request)]
    origins = list(dict.fromkeys(origin for one in measures for origin in one.systems.origins))
    slices = None
    if request.slice is not None:
        slices = (request.slice, first.slices(request.slice, first.panels))
    return rank_panels(
        first.panels,
        Question(**request.asked()),
        further=[one.panels for one in measures[1:]],
        called=[written_direction(measure)[0] for measure in request.measure],
        slices=slices,
        margins=request.margins() if request.measure else None,
        engine=work.engine,
        progress=work.progress,
        settings=request.settings(origins),
        reading=first.reading(sum(panel.shape[1] for panel in first.panels), origins),
        repeated=(first.aligned.duplicates, first.aligned.conflicts),
        notes=list(dict.fromkeys(notes)),
    )


def _check_measures(request: RankRequest, measures: Sequence[Prepared]) -> None:
    """Refuse measures of different systems, or of several datasets."""
    names = [written_direction(measure)[0] for measure in request.measure]
    for name, one in zip(names, measures, strict=True):
        if one.aligned.systems != measures[0].aligned.systems:
            cure = "Give every system a score by each measure."
            raise OutscoreError(f"`{name}` has other systems than `{names[0]}`.", cure, parameter="measure")
        refuse_best_fill(one.systems.origins, one.better.better)
        if len(one.panels) > 1:
            raise OutscoreError(
                f"There are {len(one.panels)} datasets, but a frontier is one of a single dataset.",
                "Add --dataset none to pool all items, or rank one dataset at a time.",
                parameter="dataset",
            )


def _notes(prepared: Prepared, request: RankRequest) -> list[Note]:
    """What a reader should know about what was read; the default treatment of missing scores is among the notes of logs."""
    missing = () if request.missing is None else missing_notes(prepared.systems.missing)
    return [
        *prepared.better.notes,
        *prepared.systems.notes,
        *prepared.matching_notes,
        *prepared.value_notes,
        *missing,
    ]


def _from_partitions(request: RankRequest, work: _Work) -> Ranked:
    _check_partitioned(request)
    partitioned = measured_from_partitions(
        request.files,
        Question(**request.asked()),
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
    notes = []
    if len(partitioned.files) > 1 and "dataset" not in partitioned.columns:
        text = f"{len(partitioned.files):,} Parquet files were read as parts of one dataset"
        notes.append(Note("input", f"{text}; use --dataset to name a column of datasets."))
    if kind_of_column(partitioned.columns.get("repeat", "")) == RUNS:
        notes.append(these_runs("Parquet parts are read one by one"))
    used = {part: (column,) for part, column in partitioned.columns.items()}
    known: dict[str, Any] = {"format": "parquet", "columns": used, "unit": "row", "unused": partitioned.unused}
    origins = [Origin(file.path, file.sha256(), file.rows, **known) for file in partitioned.files]
    rows = partitioned.measured[-1].items
    reading = reading_of(origins, rows=rows, direction=(partitioned.better.better, partitioned.better.source))
    return Ranked(partitioned.ranking(request.settings(origins), reading, notes), partitioned.measured)


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
