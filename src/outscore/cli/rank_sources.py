"""What is ranked: scores in tables, texts with references, outputs with gold, or Parquet files of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from outscore.cli.many import named_files, read_many
from outscore.cli.rank_request import RankRequest
from outscore.core.errors import OutscoreError
from outscore.results.note import Note

if TYPE_CHECKING:
    from outscore.core.metric import AdditiveMetric
    from outscore.engine.engines import Engine
    from outscore.engine.progress import Progress
    from outscore.scores.board import Board
    from outscore.scores.system import Origin
    from outscore.workflows.rank.boards import Ranked

__all__ = ["ranked"]


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


def ranked(request: RankRequest, engine: Engine, progress: Progress) -> Ranked:
    """Read what was named and rank it."""
    from outscore.formats.tables.partitions import are_partitions

    if request.references:
        return _from_boards(_texts(request, engine, progress), request, engine, progress)
    if request.task is not None:
        return _from_boards(_outputs(request), request, engine, progress)
    if are_partitions(request.paths):
        return _from_partitions(request, engine, progress)
    return _from_boards(_scores(request), request, engine, progress)


def _from_boards(material: _Material, request: RankRequest, engine: Engine, progress: Progress) -> Ranked:
    from outscore.workflows.rank.boards import rank_boards

    (metric, boards), *further = material.boards
    return rank_boards(
        boards,
        metric,
        request.question,
        further=further,
        unit=material.unit,
        group=material.group,
        called=material.called,
        engine=engine,
        progress=progress,
        settings=request.saved(material.origins),
        notes=material.notes,
    )


def _texts(request: RankRequest, engine: Engine, progress: Progress) -> _Material:
    from outscore.formats.segments import read_segments
    from outscore.workflows.rank.texts import text_boards

    if request.files.count("-") > 1:
        raise OutscoreError("Standard input (-) is named twice, and can be read once.", "Save it to a file first.")
    systems = named_files(request.named, request.names, request.systems, "texts")
    texts = {name: read_segments(path) for name, path in systems.items()}
    references = [read_segments(path) for path in request.references]
    documents = None if request.documents is None else read_segments(request.documents)
    boards, notes = text_boards(
        texts,
        references,
        metrics=request.text_metrics,
        documents=documents,
        engine=engine,
        progress=progress,
    )
    for note in notes:
        click.echo(f"outscore: {note}", err=True)
    files = [*texts.values(), *references, *([] if documents is None else [documents])]
    return _Material(
        [(found.metric, [found.board]) for found in boards],
        [text.origin for text in files if text.origin is not None],
        [Note("method", f"{found.spec}: {found.signature}.") for found in boards],
        unit="segments",
        called=[found.spec for found in boards],
    )


def _outputs(request: RankRequest) -> _Material:
    from outscore.workflows.rank.outputs import board_of_outputs

    assert request.task is not None
    assert request.gold is not None
    systems = named_files(request.named, request.names, request.systems, "outputs")
    cluster = request.columns.get("cluster")
    found = board_of_outputs(request.gold, systems, task=request.task, cluster=cluster if isinstance(cluster, str) else None)
    called = "f1" if found.metric == "f1" else f"{found.criterion} accuracy"
    return _Material(
        [(found.metric, [found.board])], found.origins, found.notes, unit=found.unit, group=found.group, called=[called]
    )


def _scores(request: RankRequest) -> _Material:
    from outscore.scores.board import boards_of

    columns: dict[str, Any] = dict(request.columns)
    scores, notes = read_many(
        request.named, format=request.reader, systems=request.systems, names=request.names, columns=columns
    )
    metric = request.metric or ("f1" if scores[0].values.ndim == 2 else "mean")
    boards = boards_of(scores, request.duplicates)  # type: ignore[arg-type] # an unknown rule is refused there
    origins = list(dict.fromkeys(one.origin for one in scores if one.origin is not None))
    return _Material([(metric, boards)], origins, notes)


def _from_partitions(request: RankRequest, engine: Engine, progress: Progress) -> Ranked:
    from outscore.formats.base.entry import Choice
    from outscore.scores.system import Origin
    from outscore.workflows.rank.boards import Ranked
    from outscore.workflows.rank.parquet.plan import measured_from_partitions

    _check_partitioned(request)
    columns: dict[str, Any] = dict(request.columns)
    found = measured_from_partitions(
        request.paths,
        request.question,
        choice=Choice(systems=request.systems, **columns),
        engine=engine,
        progress=progress,
    )
    if len(found.files) > 1 and found.columns.dataset is None:
        found = replace(found, notes=(*found.notes, Note("input", _as_one(len(found.files)))))
    origins = [Origin(file.path, _digest(file.place), file.rows, "parquet", unit="row") for file in found.files]
    return Ranked(found.ranking(request.saved(origins)), found.measured)


def _as_one(files: int) -> str:
    return f"{files:,} Parquet files were read as parts of one dataset; --dataset names a column that tells datasets apart."


def _check_partitioned(request: RankRequest) -> None:
    """Refuse what parts cannot serve."""
    if request.metric not in (None, "mean", "accuracy"):
        raise OutscoreError(
            f"Parquet parts are ranked by their mean scores, not by {request.metric}.", "Leave --metric out, or give one table."
        )
    asked: dict[str, object] = {
        "unit-size": request.unit_size != 1,
        "critical-difference": request.critical_difference,
        "names": request.names,
        "duplicates": request.duplicates != "mean",
    }
    for name, given in asked.items():
        if given:
            raise OutscoreError(
                f"--{name} needs all rows at once, and Parquet parts are read one by one.",
                f"Leave --{name} out, or name the files one by one if they are few and small.",
            )


def _digest(path: str) -> str:
    import hashlib

    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
