"""Two systems whose items were run several times, with one score made of each item's runs, or of the first of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.reduction import Reduction, parse_reduction
from outscore.core.repeats import occurrences
from outscore.results.note import Note
from outscore.scores.reduce import first_runs, reduce_runs
from outscore.scores.system import Labels, Scores
from outscore.workflows.compare.inputs import TwoSystems, pair_scores
from outscore.workflows.requests.compare import CompareRequest

__all__ = ["metric_of", "reduced"]


def metric_of(reduction: Reduction) -> str:
    """The metric of reduced scores: their mean, called after them.

    Examples
    --------
    >>> metric_of(Reduction("pass@", 2))
    'mean:of=pass@2'
    """
    return f"mean:of={reduction.name}"


def reduced(systems: TwoSystems, request: CompareRequest) -> tuple[TwoSystems, Reduction | None]:
    """The systems as the request wants their runs taken, and the reduction; they are as they were where it says nothing."""
    reduction = parse_reduction(request.reduce)
    if reduction is None and not request.equal_runs:
        return systems, None
    scores = list(systems.scores or _scores_of(systems, request))
    notes: list[Note] = []
    if request.equal_runs:
        scores, notes = first_runs(scores, request.duplicates)  # type: ignore[arg-type] # an unknown rule is refused there
    if reduction is None:
        return _paired_again(systems, scores, notes, request), None
    found = reduce_runs(scores, reduction, request.duplicates)  # type: ignore[arg-type] # as above
    again = _paired_again(systems, found.scores, [*notes, *found.notes], request)
    by_dataset = again.scores is not None and all(one.datasets is not None for one in again.scores)
    kept = None if again.labels is None or by_dataset else list(again.labels)
    return replace(again, repeats=found.repeats(kept), unequal_repeats=found.unequal), reduction


def _paired_again(systems: TwoSystems, scores: list[Scores], notes: list[Note], request: CompareRequest) -> TwoSystems:
    """The same systems with other rows, matched anew; what was said of the files stays."""
    new = pair_scores(scores[0], scores[1], systems.names, request.duplicates)
    alignment = new.alignment
    if alignment is not None and systems.alignment is not None:
        alignment = replace(
            alignment,
            duplicates=systems.alignment.duplicates,
            conflicts=systems.alignment.conflicts,
            missing=systems.alignment.missing,
        )
    # What was said of runs that were averaged is no longer true.
    said = [note for note in systems.notes if note.kind != "design"]
    return replace(
        new,
        tables=systems.tables,
        alignment=alignment,
        better=systems.better,
        notes=tuple(dict.fromkeys([*said, *notes, *new.notes])),
    )


def _scores_of(systems: TwoSystems, request: CompareRequest) -> tuple[Scores, Scores]:
    """Arrays with a label of the item for each row, as systems that were read."""
    if systems.items is None:
        raise OutscoreError(
            "There are no repeats: each item was scored once.",
            "Give `items`, a label for each row, so that rows of one item are its runs.",
            parameter="reduce" if request.reduce != "mean" else "equal_runs",
        )
    ids = Labels.of(np.asarray(systems.items).tolist())
    runs = occurrences(ids.codes)
    repeats = Labels(runs, tuple(map(str, range(1, int(runs.max(initial=0)) + 2))))
    clusters = None if systems.clusters is None else Labels.of(np.asarray(systems.clusters).tolist())
    slices = {column: Labels.of(values) for column, values in systems.slices.items()}
    first, second = (
        Scores(name, np.asarray(values), ids, repeats, clusters, slices=slices)
        for name, values in zip(systems.names, (systems.a, systems.b), strict=True)
    )
    return first, second
