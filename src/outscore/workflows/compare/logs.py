"""Two systems from logs of evaluation harnesses: scores item by item, or texts if a log scores the whole corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from outscore.core.errors import OutscoreError
from outscore.formats.logs.choose import LogQuestion
from outscore.formats.logs.evaluation import Evaluation, Exchange
from outscore.formats.logs.find import are_logs, is_ranking, refuse_folders, refuse_totals
from outscore.formats.logs.registry import LOGS
from outscore.formats.logs.scores import LogSystems, read_systems
from outscore.formats.tables.names import join_names
from outscore.scores.system import Origin, Scores, label_of, origins_of
from outscore.workflows.compare.inputs import Systems
from outscore.workflows.requests import base

if TYPE_CHECKING:
    from outscore.results.design import DecidingItem
    from outscore.workflows.requests.compare import CompareRequest
    from outscore.workflows.requests.rank import RankRequest, ScoreRequest


def asks_logs(request: CompareRequest | RankRequest | ScoreRequest) -> bool:
    """Whether the files of a request are logs; options that do not apply to them are refused."""
    logs = request.qrels is not None or are_logs(request.files, request.reader)
    if not logs and request.reader == "auto":
        refuse_rankings(request)
        refuse_totals(request.files)
        # `rank` and `score` decide for themselves which folders of tables they read.
        refuse_folders(request.files, empty=request.command != "compare")
    if logs:
        request.refuse_outside(base.TABLES, log=label_of(request.files[0]))
    else:
        request.refuse_outside(base.LOGS)
    return logs


def refuse_rankings(request: CompareRequest | RankRequest | ScoreRequest) -> None:
    """Refuse a TREC run without judgements, with the command that has them."""
    for path in request.files:
        if is_ranking(path):
            judged = replace(request, qrels="QRELS", metric=request.metric or "nDCG@10").command_line()
            message = f"{label_of(path)} is a TREC run, whose documents are not judged in it."
            raise OutscoreError(message, f"Name the file of judgements: `{judged}`.", parameter="qrels", file=path)


def log_question(request: CompareRequest | RankRequest | ScoreRequest) -> LogQuestion:
    """What a request wants from logs; `metric` is one of their scores."""
    if request.metric is not None and not isinstance(request.metric, str):
        raise OutscoreError("Logs already contain scores.", "Name one of their scores as the metric.", parameter="metric")
    if request.metric is not None and request.qrels is not None and "," in request.metric:
        names = [name.strip() for name in request.metric.split(",")]
        message = f"`{request.command}` takes one measure at a time, but --metric names {len(names)}."
        first = replace(request, metric=names[0]).command_line()
        raise OutscoreError(message, f"Write `{first}`; `outscore compare` takes several.", parameter="metric")
    slices = getattr(request, "slice", None)
    return LogQuestion(
        request.log_task,
        request.metric,
        request.filter,
        request.missing,
        force_same=request.force_same,
        cluster=request.cluster,
        slices=() if slices is None else (slices,),
        systems=tuple(request.system),
        answers=getattr(request, "reduce", None) == "majority",
        roster=request.roster,
        qrels=request.qrels,
    )


def systems_of_logs(request: CompareRequest) -> Systems:
    """The two systems in the logs of a request; without scores if the logs contain texts that have to be scored."""
    format = request.reader if request.reader in LOGS else None
    found = read_systems(request.files, log_question(request), format=format)
    if found.is_corpus and request.unpaired:
        raise OutscoreError(
            "--unpaired compares means of item scores, but these logs score the whole corpus.",
            "Leave --unpaired out.",
            parameter="unpaired",
        )
    places = _two([evaluations[0].system for evaluations in found.evaluations], request.system)
    first, second = (found.evaluations[place][0] for place in places)
    names = (request.names[0], request.names[1]) if request.names else (first.system, second.system)
    scores = () if found.is_corpus else tuple(found.scores[place] for place in places)
    origins = list(dict.fromkeys([*first.origins, *second.origins]))
    if not found.is_corpus:
        columns = origins_of(scores)[0].columns
        origins = [replace(origin, columns=columns) for origin in origins]
    return Systems(
        scores,
        names,
        origins,
        notes=found.notes,
        better=better_of(found.higher_is_better),
        missing=[
            replace(found.missing[own.system], system=name)
            for own, name in zip((first, second), names, strict=True)
            if own.system in found.missing
        ],
        evaluations=(first, second),
        corpus=found.measure if found.is_corpus else "",
    )


def read_tasks(request: RankRequest | ScoreRequest) -> LogSystems:
    """The systems of logs with a score for each item; several tasks are datasets."""
    format = request.reader if request.reader in LOGS else None
    systems_read = read_systems(request.files, log_question(request), format=format, several=True)
    if systems_read.is_corpus:
        raise OutscoreError(
            f"`{systems_read.measure}` scores the whole corpus, so the logs contain texts instead of a score per item.",
            "Compare two systems with `outscore compare`, which scores their texts itself, or choose another score.",
            parameter="metric",
        )
    return systems_read


def log_origins(systems_read: LogSystems, scores: Sequence[Scores]) -> list[Origin]:
    """The files of all logs, with the columns that these scores use."""
    columns = next(one.origin.columns for one in scores if one.origin is not None)
    origins = dict.fromkeys(origin for several in systems_read.evaluations for one in several for origin in one.origins)
    return [replace(origin, columns=columns) for origin in origins]


def better_of(higher: bool | None) -> Literal["higher", "lower"] | None:  # noqa: FBT001 - what the log says, if anything
    """The direction that logs state."""
    if higher is None:
        return None
    return "higher" if higher else "lower"


def _two(names: Sequence[str], chosen: Sequence[str]) -> tuple[int, int]:
    """The indices of the two systems to compare."""
    if chosen:
        if len(chosen) != 2 or chosen[0] == chosen[1]:
            raise OutscoreError("--system must name two different systems.", "Give --system twice.", parameter="system")
        return names.index(chosen[0]), names.index(chosen[1])
    if len(names) > 2:
        raise OutscoreError(
            f"The logs contain {len(names)} systems: {join_names(list(names))}.",
            "Choose two of them: --system NAME --system NAME; `outscore rank` compares them all.",
            parameter="system",
        )
    if len(names) < 2:
        raise OutscoreError(
            f"The logs contain one system only, `{names[0]}`.", "Name the logs of the other system too.", parameter="files"
        )
    return 0, 1


def with_exchanges(items: Sequence[DecidingItem], pair: tuple[Evaluation, ...]) -> list[DecidingItem]:
    """Items with the question and both answers, read again from the logs; clusters and units stay as they are."""
    if not pair:
        return list(items)
    texts = [_texts_of(evaluation, [item.item for item in items]) for evaluation in pair]
    completed = []
    for item in items:
        first, second = (one.get(item.item) for one in texts)
        exchange = next((one for one in (first, second) if one is not None), None)
        if exchange is None:
            completed.append(item)
            continue
        answers = (None if first is None else first.answer, None if second is None else second.answer)
        completed.append(replace(item, question=exchange.question, target=exchange.target, answers=answers))
    return completed


def _texts_of(evaluation: Evaluation, wanted: Sequence[str]) -> dict[str, Exchange]:
    """Question and answer by item; the first if there are several runs."""
    if evaluation.exchanges is None:
        return {}
    rows = {item: row for row, item in reversed(list(enumerate(evaluation.ids.texts())))}
    known = [item for item in wanted if item in rows]
    return dict(zip(known, evaluation.exchanges([rows[item] for item in known]), strict=True)) if known else {}
