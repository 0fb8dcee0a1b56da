"""From a request to a listing of what logs hold."""

from __future__ import annotations

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
from outscore.workflows.show.proposal import Proposal, propose

__all__ = ["call", "listing", "run"]


def run(request: ShowRequest) -> Logs:
    """List what the logs of a request hold; nothing is chosen, checked against another log or left out."""
    request.validate()
    format = request.reader if request.reader in LOGS else None
    by_path = [(path, read_logs([path], format)) for path in request.files]
    found = [evaluation for _, evaluations in by_path for evaluation in evaluations]
    return listing(found, request, propose(by_path, format))


def listing(found: Sequence[Evaluation], request: ShowRequest, proposal: Proposal) -> Logs:
    """What evaluations hold, and the command that comes next."""
    origins = dict.fromkeys(origin for one in found for origin in one.origins)
    notes = dict.fromkeys([*(Note("input", text) for one in found for text in one.notes), *_zero_notes(found), *proposal.notes])
    return Logs(
        [_listed(evaluation) for evaluation in found],
        proposal.command,
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
        if evaluation.zero_missing and not measure.corpus:
            given = np.nan_to_num(measure.values, nan=0.0)
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


def _zero_notes(found: Sequence[Evaluation]) -> list[Note]:
    """That rows without a score are in the means, where comparisons count them too."""
    if not any(one.zero_missing and any(one.missing(name) for name in one.measures) for one in found):
        return []
    return [Note("data", "Rows without a score count as 0 in the means and in comparisons, as boards of their harness do.")]


def _verdict(found: Sequence[Evaluation]) -> str:
    harnesses = ", ".join(dict.fromkeys(LOGS[one.harness].title for one in found))
    systems = count(len({one.system for one in found}), "system")
    tasks = count(len({one.task for one in found}), "task")
    return f"{systems} on {tasks}, logged by {harnesses}."
