"""From a request to a listing of what logs hold."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LARGEST_SCORE
from outscore.formats.logs.base.evaluation import Evaluation
from outscore.formats.logs.find import read_logs
from outscore.formats.logs.registry import LOGS
from outscore.language.numbers import count
from outscore.results.logs import LoggedEvaluation, LoggedScore, Logs
from outscore.results.note import Note
from outscore.workflows.names import path_texts
from outscore.workflows.requests.show import ShowRequest

__all__ = ["call", "listing", "run"]


def run(request: ShowRequest) -> Logs:
    """List what the logs of a request hold; nothing is chosen, checked against another log or left out."""
    request.validate()
    found: list[Evaluation] = []
    for path in request.files:
        found += read_logs([path], request.reader if request.reader in LOGS else None)
    return listing(found, request, request.files)


def listing(found: Sequence[Evaluation], request: ShowRequest, files: Sequence[str]) -> Logs:
    """What evaluations hold; `files` is where the next command finds them."""
    origins = dict.fromkeys(origin for one in found for origin in one.origins)
    notes = dict.fromkeys(Note("input", text) for one in found for text in one.notes)
    return Logs(
        [_listed(evaluation) for evaluation in found],
        _next_command(files, found),
        _verdict(found),
        request.settings(origins),
        list(notes),
    )


def call(paths: object, *, reader: str) -> Logs:
    """`outscore.show`: a path, or several."""
    several = paths if isinstance(paths, (list, tuple)) else [paths]
    files = path_texts(several)
    if files is None:
        raise OutscoreError("`paths` holds something that is no path.", "Give the paths of logs.", parameter="files")
    return run(ShowRequest(files=files, reader=reader))


def _listed(evaluation: Evaluation) -> LoggedEvaluation:
    scores = []
    for name, measure in evaluation.measures.items():
        given = measure.values[~np.isnan(measure.values)]
        # What is too large to compute with has no mean.
        value = float(given.mean()) if len(given) and np.abs(given).max() <= LARGEST_SCORE else None
        missing = {} if measure.corpus else evaluation.missing(name)
        scores.append(LoggedScore(name, value, measure.total, measure.higher_is_better, missing, measure.corpus))
    items = len(evaluation.ids.names)
    return LoggedEvaluation(
        evaluation.harness,
        evaluation.system,
        evaluation.task,
        evaluation.filter,
        items,
        evaluation.rows / items,
        evaluation.rows,
        scores,
        evaluation.suggested,
        dict(evaluation.conditions),
        [origin.path for origin in evaluation.origins],
        evaluation.counts,
    )


def _verdict(found: Sequence[Evaluation]) -> str:
    harnesses = ", ".join(dict.fromkeys(LOGS[one.harness].title for one in found))
    systems = count(len({one.system for one in found}), "system")
    tasks = count(len({one.task for one in found}), "task")
    return f"{systems} on {tasks}, logged by {harnesses}."


def _next_command(files: Sequence[str], found: Sequence[Evaluation]) -> str:
    """The command that compares or ranks the first task, with every choice that it would ask for."""
    systems = list(dict.fromkeys(one.system for one in found))
    if len(systems) < 2:
        return ""
    first = found[0]
    words = ["outscore", "compare" if len(systems) == 2 else "rank", *files]
    if len({one.task for one in found}) > 1:
        words += ["--log-task", first.task]
    if len({one.filter for one in found if one.task == first.task}) > 1:
        words += ["--filter", first.filter or "none"]
    if len(first.measures) > 1:
        words += ["--metric", next(iter(first.measures))]
    if any(one.missing(name) for one in found for name, measure in one.measures.items() if not measure.corpus):
        words += ["--missing", "drop"]
    return shlex.join(words)
