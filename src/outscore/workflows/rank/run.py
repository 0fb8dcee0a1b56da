"""From a request to a ranking: scores in tables, texts with references, outputs with gold, or Parquet files of any size."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.records import dataclass
from outscore.core.reduction import parse_reduction
from outscore.core.repeats import RUNS, kind_of_column
from outscore.engine.engines import Engine, engine_of
from outscore.engine.progress import Progress, Steps
from outscore.formats.base.entry import Choice
from outscore.formats.logs.scores import missing_notes
from outscore.formats.tables.columns import NO_ITEMS
from outscore.formats.tables.partitions import are_partitions
from outscore.formats.tables.plausible import refuse_implausible
from outscore.language.numbers import count
from outscore.results.design import DirectionSource
from outscore.results.files import write_files
from outscore.results.note import Note
from outscore.results.ranking import Ranking
from outscore.scores.board import Board, boards_of
from outscore.scores.duplicates import DuplicateRule
from outscore.scores.reduce import first_runs, reduce_runs
from outscore.scores.system import Origin, Scores, origins_of
from outscore.workflows.classes import class_notes, counted_by_class
from outscore.workflows.compare.logs import asks_logs, better_of, log_origins, read_tasks
from outscore.workflows.names import path_texts
from outscore.workflows.rank.boards import Ranked, rank_boards
from outscore.workflows.rank.inputs import chosen_systems, files_by_system, read_many, systems_from
from outscore.workflows.rank.parquet.plan import measured_from_partitions
from outscore.workflows.rank.question import Question
from outscore.workflows.rank.texts import text_boards
from outscore.workflows.reading import Better, answer_notes, directed, reading_of, scale_notes, score_names, series_names
from outscore.workflows.requests import shared
from outscore.workflows.requests.rank import RankRequest
from outscore.workflows.texts.inputs import read_text_files, refuse_reading_twice
from outscore.workflows.texts.segments import SegmentScores, check_segments
from outscore.workflows.validate import refuse_labels

__all__ = ["RankData", "call", "run", "run_measured"]

Kind = Literal["scores", "texts", "outputs"]
NEED_ALL_ROWS = ("unit_size", "critical_difference", "joint", "names", "population", "repeats", "reduce", "equal_runs")
"""Options that parts of a table, read one by one, cannot serve."""


@dataclass(frozen=True, eq=False)
class RankData:
    """What is ranked as a caller has it, in place of files: boards of scores, or texts or outputs by system with gold.

    `gold` holds the references of texts, or the right answers to outputs, `dataset` a label for each segment of texts, and
    `by_class` what is to be said of answers that were counted by class, `measures` what series are called by themselves.
    """

    kind: Kind
    boards: Sequence[Board] = ()
    systems: Mapping[str, object] | None = None
    gold: object = None
    documents: object = None
    origins: Sequence[Origin] = ()
    notes: Sequence[str] = ()
    dataset: object = None
    by_class: Sequence[Note] = ()
    measures: Sequence[str] = ()


@dataclass(frozen=True, eq=False)
class _Material:
    """Boards by metric, the first of which is the headline; the files, and what to say of them.

    `unit` is what items are called, `group` what those that are swapped as one are, `called` what the metrics are.
    """

    boards: Sequence[tuple[str | AdditiveMetric, Sequence[Board]]]
    origins: Sequence[Origin]
    notes: Sequence[Note]
    unit: str = "items"
    group: str | None = None
    called: Sequence[str] = ()
    kind: Kind = "scores"
    direction_source: DirectionSource = "metric"
    segments: Callable[[], SegmentScores] | None = None
    by_class: bool = False


@dataclass(frozen=True, eq=False)
class _Work:
    """Who does the work, who is told how far it is, and who hears what is no part of the result."""

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
    """Read the files of a request, or take `data` in their place, and rank their systems."""
    return run_measured(request, data, engine=engine, progress=progress, remark=remark).ranking


def run_measured(
    request: RankRequest,
    data: RankData | None = None,
    *,
    engine: Engine | None = None,
    progress: Progress | None = None,
    remark: Callable[[str], None] = warnings.warn,
) -> Ranked:
    """The ranking with everything measured for it: the pairs themselves, however many there are."""
    logs = data is None and asks_logs(request)
    (replace(request, metric=None) if logs else request).validate(kind=None if data is None else data.kind)
    work = _Work(engine or engine_of(), progress or Steps(), remark)
    if logs:
        return _rank(_logs(request), request, work)
    if data is not None and data.kind == "scores":
        notes = [Note("data", text) for text in data.notes]
        return _rank(
            _of_boards(request, data.boards, data.origins, notes, by_class=data.by_class, measures=data.measures), request, work
        )
    if request.reference or (data is not None and data.kind == "texts"):
        return _rank(_texts(request, data or _read_texts(request), work), request, work)
    if request.task is not None:
        return _rank(_outputs(request, data or _read_outputs(request)), request, work)
    if are_partitions(request.files):
        return _from_partitions(request, work)
    return _rank(_scores(request), request, work)


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
    found = systems_from(scores, request, **labels)
    _check_systems(found, request, item_named=items is not None)
    found = counted_by_class(found, request.metric)
    boards, notes = _boards_of(found, request)
    origins = dict.fromkeys(one.origin for one in found if one.origin is not None)
    by_class = class_notes(found, request.metric)
    told = [note.text for note in notes]
    return run(
        request,
        RankData("scores", boards, origins=list(origins), notes=told, by_class=by_class, measures=_measures(scores)),
        **more,
    )


def _measures(scores: object) -> tuple[str, ...]:
    """What series by system are called by themselves; systems have names of their own."""
    return series_names(scores.values()) if isinstance(scores, Mapping) else ()


def _with_segments(found: Ranked, target: str | None) -> Ranking:
    """The ranking, once the scores of segments are written where they were asked for."""
    if target is not None and found.segments is not None:
        write_files({target: found.segments().to_csv()})
    return found.ranking


def _paths(scores: object, reference: object, documents: object, gold: object) -> dict[str, Any] | None:
    """Everything by the name of its file, where it is: these are a request that can be repeated."""
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
            f"`scores` is a {type(given).__name__}, {kind} of two or more systems were expected.",
            "Give a dictionary of them by system, or a list of paths.",
            parameter="scores",
        )
    return {str(name): output for name, output in given.items()}


def _rank(material: _Material, request: RankRequest, work: _Work) -> Ranked:
    (metric, boards), *further = material.boards
    ranked = rank_boards(
        boards,
        metric,
        Question(**request.question()),
        further=further,
        unit=material.unit,
        group=material.group,
        called=material.called,
        engine=work.engine,
        progress=work.progress,
        settings=request.settings(material.origins),
        notes=material.notes,
    )
    reading = reading_of(
        material.origins,
        rows=sum(board.shape[1] for board in boards),
        systems=boards[0].systems,
        direction=("higher" if ranked.ranking.higher_is_better else "lower", material.direction_source),
        kind=None if material.kind == "scores" else material.kind,
        by_class=material.by_class,
    )
    return replace(ranked, ranking=replace(ranked.ranking, reading=reading), segments=material.segments)


def _read_texts(request: RankRequest) -> RankData:
    refuse_reading_twice(request.inputs)
    found = read_text_files(
        request.files,
        request.reference,
        documents=request.documents,
        dataset=request.dataset,
        names=request.names,
        system=request.system,
        reader=request.reader,
        columns=request.text_column,
    )
    if len(found.systems) < 2:
        named = count(len(found.systems), "system")
        cure = "A quoted pattern stands for runs of one system: leave the quotes out to name systems."
        raise OutscoreError(f"{named} named, two or more are ranked.", cure, parameter="files")
    datasets = found.datasets or shared.POOLED
    return RankData("texts", (), found.systems, found.references, found.documents, found.origins, found.notes, datasets)


def _texts(request: RankRequest, data: RankData, work: _Work) -> _Material:
    assert data.systems is not None
    found = text_boards(
        data.systems,
        data.gold,
        metrics=request.text_metrics,
        documents=data.documents,
        dataset=data.dataset,
        scores=request.scores,
        engine=work.engine,
        progress=work.progress,
    )
    for note in found.cache_notes:
        work.remark(note)
    return _Material(
        [(member.metric, member.boards) for member in found.metrics],
        [*data.origins, *found.origins],
        [
            *(Note("input", text) for text in data.notes),
            *found.notes,
            *(Note("method", f"{member.label}: {member.signature}.") for member in found.metrics),
        ],
        unit="segments",
        called=[member.label for member in found.metrics],
        kind="texts",
        segments=found.segments,
    )


def _read_outputs(request: RankRequest) -> RankData:
    systems = files_by_system(request.system_files, request.names, request.system, "outputs")
    return RankData("outputs", (), systems, request.gold)


def _outputs(request: RankRequest, data: RankData) -> _Material:
    from outscore.workflows.rank.outputs import board_of_outputs

    assert request.task is not None
    assert data.systems is not None
    found = board_of_outputs(data.gold, data.systems, task=request.task, cluster=request.cluster, metric=request.metric)
    called = f"{found.criterion} accuracy" if found.metric == "mean" else str(found.metric)
    return _Material(
        [(found.metric, [found.board])],
        found.origins,
        found.notes,
        unit=found.unit,
        group=found.group,
        called=[called],
        kind="outputs",
    )


def _scores(request: RankRequest) -> _Material:
    scores, notes = read_many(
        request.system_files,
        format=request.reader,
        systems=request.system,
        names=request.names,
        columns=request.columns(),
    )
    _check_systems(scores, request)
    scores = counted_by_class(scores, request.metric)
    boards, said = _boards_of(scores, request)
    origins = origins_of(scores)
    return _of_boards(request, boards, origins, [*notes, *said], by_class=class_notes(scores, request.metric))


def _boards_of(scores: Sequence[Scores], request: RankRequest) -> tuple[list[Board], list[Note]]:
    """One board for each dataset, with the runs of an item taken as the request says, and what to say of that."""
    rule: DuplicateRule = request.duplicates  # type: ignore[assignment] # an unknown rule is refused there
    notes: list[Note] = []
    if request.equal_runs:
        scores, notes = first_runs(scores, rule)
    reduction = parse_reduction(request.reduce)
    if reduction is None:
        return boards_of(scores, rule), notes
    found = reduce_runs(scores, reduction, rule)
    return found.boards(boards_of(found.scores, rule)), [*notes, *found.notes]


def _logs(request: RankRequest) -> _Material:
    """The systems of logs; several tasks are datasets."""
    found = read_tasks(request)
    boards, said = _boards_of(chosen_systems(found.scores, request.system, request.names), request)
    told = log_origins(found, found.scores)
    # What nobody asked for is among the notes already.
    notes = (*found.notes, *said, *(() if request.missing is None else missing_notes(found.missing.values())))
    return _of_boards(replace(request, metric=None), boards, told, notes, told=better_of(found.higher_is_better))


def _check_systems(scores: Sequence[Scores], request: RankRequest, *, item_named: bool = False) -> None:
    named = item_named or request.item is not None or request.transpose
    refuse_implausible(scores, chosen=bool(request.system), item_named=named)


def _of_boards(
    request: RankRequest,
    boards: Sequence[Board],
    origins: Sequence[Origin],
    notes: Sequence[Note] = (),
    *,
    told: Better | None = None,
    by_class: Sequence[Note] = (),
    measures: Sequence[str] = (),
) -> _Material:
    """Boards with the metric that was asked for, or the one that suits them, turned the way that scores are better."""
    named = request.metric or ("f1" if boards[0].values.ndim == 3 else "mean")
    if boards[0].reduced:
        named = f"mean:of={boards[0].reduced}"
    better = directed(named, request.direction, measures or score_names(origins, boards[0].systems), told=told)
    said = [*better.notes, *answer_notes(origins, by_class), *_scale_notes(boards), *notes]
    return _Material([(better.metric, boards)], origins, said, direction_source=better.source, by_class=bool(by_class))


def _scale_notes(boards: Sequence[Board]) -> list[Note]:
    """Whether systems are on different scales, by the first board on which some are."""
    plain = (board for board in boards if board.values.ndim == 2)
    found = (scale_notes(one.systems, [row[here] for row, here in zip(one.values, one.present, strict=True)]) for one in plain)
    return next(filter(None, found), [])


def _from_partitions(request: RankRequest, work: _Work) -> Ranked:
    _check_partitioned(request)
    found = measured_from_partitions(
        request.files,
        Question(**request.question()),
        choice=Choice(systems=request.system, **request.columns()),
        direction=request.direction,
        engine=work.engine,
        progress=work.progress,
    )
    if found.conflicts and request.duplicates == "stop":
        contradict = "item has rows that contradict" if found.conflicts == 1 else "items of a system have rows that contradict"
        raise OutscoreError(
            f"{found.conflicts:,} {contradict} each other.",
            "Choose --duplicates mean, or name the column that tells repeats apart with --repeat.",
            parameter="duplicates",
        )
    if len(found.files) > 1 and found.columns.dataset is None:
        text = f"{len(found.files):,} Parquet files were read as parts of one dataset"
        note = Note("input", f"{text}; --dataset names a column that tells datasets apart.")
        found = replace(found, notes=(*found.notes, note))
    if found.columns.repeat is not None and kind_of_column(found.columns.repeat) == RUNS:
        text = "The claims are about these runs and not about new ones: Parquet parts are read one by one."
        found = replace(found, notes=(*found.notes, Note("runs", text)))
    used = found.columns.used
    origins = [Origin(file.path, file.sha256(), file.rows, "parquet", used, unit="row") for file in found.files]
    ranking = found.ranking(request.settings(origins))
    reading = reading_of(origins, rows=ranking.n, direction=(found.better.better, found.better.source))
    return Ranked(replace(ranking, reading=reading), found.measured)


def _check_partitioned(request: RankRequest) -> None:
    """Refuse what parts cannot serve."""
    if request.metric not in (None, "mean", "accuracy"):
        raise OutscoreError(
            f"Parquet parts are ranked by their mean scores, not by {request.metric}.",
            "Leave --metric out, or give one table.",
            parameter="metric",
        )
    if request.item == NO_ITEMS or request.duplicates not in ("stop", "mean"):
        name, value = ("item", NO_ITEMS) if request.item == NO_ITEMS else ("duplicates", request.duplicates)
        raise OutscoreError(
            f"--{name} {value} needs all rows in their order, and Parquet parts are read one by one.",
            "Name the files one by one if they are few and small.",
            parameter=name,
        )
    for option in request.options():
        if option.name in NEED_ALL_ROWS and request.is_given(option):
            raise OutscoreError(
                f"--{option.long} needs all rows at once, and Parquet parts are read one by one.",
                f"Leave --{option.long} out, or name the files one by one if they are few and small.",
                parameter=option.name,
            )
