"""Scores of a baseline that are kept beside the code: a small table of ids and scores, compared with and written by `gate`.

The file holds no texts and no names of systems. Rows are in the order of their ids, so that the same scores are the same bytes
however the candidate's file was sorted, and a difference between two commits shows the items that changed.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

from outscore.core.brief import count_of
from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.formats.logs.find import are_logs
from outscore.formats.logs.registry import LOGS
from outscore.formats.logs.scores import read_systems
from outscore.formats.readers import read_scores
from outscore.results.files import check_target
from outscore.results.note import Note
from outscore.scores.pairing import TwoSystems
from outscore.scores.system import Scores
from outscore.workflows.compare.inputs import pair_scores
from outscore.workflows.compare.logs import asks_logs, better_of, log_question
from outscore.workflows.requests.gate import GateRequest

ITEM, SCORE = "item", "score"
LABELS = {ITEM: "ids", "dataset": "datasets", "cluster": "clusters", "repeat": "repeats"}
"""The columns of labels by what scores call them, of which a file has those that the scores have; all others are scores."""
CALLED = ("candidate", "baseline")
"""The names of systems that would have the same."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """The scores of a candidate, with what its log says about them."""

    scores: Scores
    higher_is_better: bool | None = None
    notes: tuple[Note, ...] = ()


def read_candidate(request: GateRequest) -> Candidate:
    """The only system in the file of a request, or the one it chooses."""
    asked = request.comparison("permutation")
    asked.validate(arrays=True)
    if asks_logs(asked):
        found = read_systems(request.files, log_question(asked), format=request.reader if request.reader in LOGS else None)
        if found.is_corpus:
            raise OutscoreError(
                f"`{found.measure}` scores the whole corpus, so the log has no score per item that could be kept.",
                "Choose another score with --metric.",
                parameter="metric",
            )
        candidate = Candidate(_only(found.scores, request), found.higher_is_better, found.notes)
    else:
        columns = request.columns()
        systems = read_scores(request.files[0], format=request.reader, systems=request.system or None, gaps=True, **columns)
        candidate = Candidate(_only(systems, request))
    if candidate.scores.ids is None:
        raise OutscoreError(
            f"{candidate.scores.label} has no ids of items, by which later scores could be matched.",
            "Give a table with a column of ids, and name it with --item if it has an unusual name.",
            parameter="item",
        )
    return candidate


def _only(systems: list[Scores], request: GateRequest) -> Scores:
    if len(systems) != 1:
        names = ", ".join(f"`{one.name}`" for one in systems[:5])
        raise OutscoreError(
            f"`{request.files[0]}` contains {count_of(len(systems), 'system')} ({names}), but one candidate is compared with"
            " the baseline file.",
            "Choose it with --system NAME.",
            parameter="system",
        )
    return systems[0]


def pair_with_file(request: GateRequest, candidate: Candidate) -> TwoSystems:
    """The candidate and the scores of the baseline file, matched by id."""
    path = str(request.baseline_file)
    if not Path(path).exists():
        raise OutscoreError(
            f"`{path}` does not exist, so there is nothing to compare with.",
            f"Write the scores of this candidate into it: `{request.command_line()} --update`.",
            parameter="baseline_file",
        )
    scores = candidate.scores
    baseline = _read(path)
    names = (scores.name, Path(path).stem)
    if request.names:
        names = (request.names[1], request.names[0])
    elif names[0] == names[1]:
        names = CALLED
    metric = request.comparison("permutation", **changes(request)).metric
    pair = pair_scores(scores, baseline, names, request.duplicates, metric)
    return replace(pair, better=better_of(candidate.higher_is_better), notes=(*candidate.notes, *pair.notes))


def changes(request: GateRequest) -> dict[str, Any]:
    """What the comparison is asked differently: the metric of a log is one of its scores, of which the mean is compared."""
    logs = request.baseline_file is not None and are_logs(request.files, request.reader)
    return {"metric": None} if logs else {}


def _read(path: str) -> Scores:
    """The scores of a baseline file; it is a plain table, so that scores from elsewhere can be kept as well."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            header = next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError):
        header = []
    if ITEM not in header:
        raise OutscoreError(
            f"`{path}` is not a baseline file: its first line has no column `{ITEM}`.",
            "Name a file that `outscore gate --update` wrote, or compare two files without --baseline-file.",
            parameter="baseline_file",
        )
    columns = {name: name for name in LABELS if name in header}
    scores = tuple(name for name in header if name not in LABELS)
    (found,) = read_scores(path, score=scores, **columns)
    return found


def text_of(scores: Scores) -> str:
    r"""A baseline file with these scores: ids, labels of groups if there are any, and numbers with all their digits.

    Examples
    --------
    >>> import numpy as np
    >>> from outscore.scores.system import Labels
    >>> text_of(Scores("new", np.array([0.5, 1.0]), Labels.of(["q2", "q1"])))
    'item,score\nq1,1.0\nq2,0.5\n'
    """
    labels = {column: getattr(scores, part) for column, part in LABELS.items()}
    given = {name: one.texts() for name, one in labels.items() if one is not None}
    values = scores.values if scores.values.ndim == 2 else scores.values[:, None]
    rows = sorted(zip(*given.values(), *_written(values), strict=True))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*given, *_score_names(scores, values.shape[1])])
    writer.writerows(rows)
    return text.getvalue()


def _written(values: Array) -> list[list[str]]:
    """The numbers of each column, which are read again as the same numbers."""
    return [[repr(number) for number in column.tolist()] for column in values.T]


def _score_names(scores: Scores, columns: int) -> tuple[str, ...]:
    """The names that the candidate's file has for its scores: some tell which direction is better."""
    names = () if scores.origin is None else tuple(scores.origin.columns.get(SCORE, ()))
    if len(names) == columns and not set(names) & set(LABELS):
        return names
    return (SCORE,) if columns == 1 else ("tp", "fp", "fn")[:columns]


def check_update(request: GateRequest) -> None:
    """Refuse, before any work is done, to write scores to where they cannot be written."""
    if request.baseline_file is None:
        raise OutscoreError(
            "--update writes a baseline file, but none was named.", "Name it with --baseline-file.", parameter="baseline_file"
        )
    check_target(request.baseline_file, request.files, "--baseline-file")
