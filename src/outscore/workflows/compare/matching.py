"""Two systems on the items that both have, with their runs treated as the request says, and what there is to say of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.core.reduction import parse_reduction
from outscore.core.rows import match_runs
from outscore.results.design import Alignment
from outscore.results.note import Note
from outscore.scores.align import UNEQUAL_RUNS, Aligned, align_pair, densify, encode_together, repeated_notes
from outscore.scores.panel import Panel, name_repeats, panel_of
from outscore.scores.reduce import Reduced, first_runs, reduce_runs
from outscore.scores.system import Labels, Scores, facts_of_answers
from outscore.workflows.compare.families import Part
from outscore.workflows.compare.inputs import Systems

if TYPE_CHECKING:
    from outscore.workflows.requests.compare import CompareRequest


@dataclass(frozen=True, eq=False)
class Matched:
    """Two systems on the items that both have, what was left out, and notes; `reduced` if runs were made one score.

    `systems` are the two as they were read or given.
    """

    systems: Systems
    aligned: Aligned
    alignment: Alignment
    notes: list[Note]
    reduced: Reduced | None = None

    def panel(self, metric: str | AdditiveMetric, repeats: str | None = None) -> Panel:
        """The two systems in the columns of a metric; `repeats` is what the caller says that these are."""
        panel = panel_of(self.aligned, metric)
        if self.reduced is not None:
            panel = replace(panel, repeats=self.reduced.repeats())
        if self.systems.labels is not None:
            panel = replace(panel, items=_row_names(self.systems.labels, self.systems.scores[0].ids, self.aligned))
        (named,) = name_repeats([panel], repeats)
        return named

    def slices(self, column: str, panel: Panel, metric: str | AdditiveMetric) -> dict[str, Part]:
        """The two systems on each value of a column, in order of first appearance."""
        rows, partners = _side_by_side(self.aligned)
        of_rows = _slices(self.aligned, column)
        assert of_rows is not None
        first = self.aligned.scores[0].rows
        times, item = self.aligned.counts[0], self.aligned.item[rows]
        found = {}
        for code in dict.fromkeys(of_rows.codes.tolist()):
            here = of_rows.codes == code
            items = np.unique(item[here])
            part = panel.part(items)
            if len(rows) == first and here.sum() < times[items].sum():
                # Some runs of an item have another value.
                kept = np.zeros(len(self.aligned.item), dtype=bool)
                kept[rows[here]] = kept[first + partners[here]] = True
                items = item[here][densify(item[here])[1]]
                part = replace(self, aligned=self.aligned.take(kept)).panel(metric)
                if part.repeats is not None and panel.repeats is not None:
                    as_in_whole = replace(part.repeats, kind=panel.repeats.kind, of_whole=panel.repeats.lacking)
                    part = replace(part, repeats=as_in_whole)
            found[of_rows.names[code]] = Part(part, items)
        return found


def match_systems(request: CompareRequest, systems: Systems) -> Matched:
    """Match the rows of two systems, and reduce or select their runs if the request says so."""
    aligned = systems.aligned(request.duplicates)
    notes = [*systems.notes, *_notes(aligned, systems.called)]
    _refuse_differing(request.slice, aligned)
    counted = replace(_alignment(aligned), missing=list(systems.missing))
    reduction = parse_reduction(request.reduce)
    if reduction is None and not request.equal_runs:
        return Matched(systems, aligned, counted, notes)
    _refuse_without_items(systems, request)
    rule, scores, said = request.duplicates, list(systems.called), list[Note]()
    if request.equal_runs:
        scores, said = first_runs(scores, rule)  # type: ignore[arg-type] # an unknown rule is refused there
    reduced = None if reduction is None else reduce_runs(scores, reduction, rule)  # type: ignore[arg-type] # as above
    if reduced is not None:
        scores, said = reduced.scores, [*said, *reduced.notes]
    again = align_pair(scores[0], scores[1])
    # The first run of an item, which stands for all of them, may be another one in each file.
    _refuse_differing(request.slice, again)
    left_out = _alignment(again)
    # Notes about averaged runs are no longer true.
    kept = [note for note in notes if note.kind != "design"]
    return Matched(
        systems,
        again,
        replace(counted, common=left_out.common, only_a=left_out.only_a, only_b=left_out.only_b),
        list(dict.fromkeys([*kept, *said, *_notes(again, scores)])),
        reduced,
    )


def _alignment(aligned: Aligned) -> Alignment:
    only_a, only_b = aligned.left_out
    return Alignment(aligned.items, only_a, only_b, aligned.duplicates, aligned.conflicts)


def _row_names(labels: Sequence[str], ids: Labels | None, aligned: Aligned) -> tuple[str, ...]:
    """The name of each item: that of the first of all rows that were given of it, whose ids are `ids`."""
    if ids is None or aligned.labels is None:
        return tuple(labels)
    names = dict(zip(reversed(ids.texts()), reversed(labels), strict=True))
    return tuple(names[item] for item in aligned.labels)


def _refuse_differing(column: str | None, aligned: Aligned) -> None:
    """Refuse slices by a column on which the systems disagree."""
    if column is not None and _slices(aligned, column) is None:
        raise OutscoreError(
            f"Column `{column}` differs between the systems on the same item, so it cannot define slices.",
            "Name a column with --slice that has the same value for both systems on every item.",
            parameter="slice",
        )


def _side_by_side(aligned: Aligned) -> tuple[Array, Array]:
    """The rows of both systems that are compared with each other."""
    return match_runs(aligned.runs_of(0), aligned.runs_of(1))[:2]


def _slices(aligned: Aligned, column: str) -> Labels | None:
    """The value of a column on the rows that are compared; None where the systems disagree."""
    found = [
        one.slices[column].take(rows)
        for one, rows in zip(aligned.scores, _side_by_side(aligned), strict=True)
        if column in one.slices
    ]
    if not found:
        return None
    codes, names = encode_together(found)
    first, *other = np.split(codes, len(found))
    return Labels(first, names) if not other or np.array_equal(first, other[0]) else None


def _notes(aligned: Aligned, scores: Sequence[Scores]) -> list[Note]:
    """What a reader should know about how rows were matched."""
    notes = []
    a, b = aligned.counts
    if not np.array_equal(a, b):
        first, second = aligned.systems
        times = f"{_times(a)} by {first} and {_times(b)} by {second}"
        notes.append(Note("design", f"Items were run {times}: item means are compared. {UNEQUAL_RUNS}"))
    elif not match_runs(aligned.runs_of(0), aligned.runs_of(1))[2]:
        text = "The labels of the repeats differ between the systems, so repeats of an item were matched in file order."
        notes.append(Note("input", text))
    for name in dict.fromkeys(column for one in aligned.scores[::-1] for column in one.slices):
        if _slices(aligned, name) is None:
            text = f"Column `{name}` differs between the systems on the same item and was not used for slices."
            notes.append(Note("input", text))
    return [*notes, *repeated_notes(aligned.duplicates, aligned.conflicts), *facts_of_answers(scores)]


def _times(runs: Array) -> str:
    low, high = int(runs.min()), int(runs.max())
    if low != high:
        return f"{low} to {high} times"
    return "once" if low == 1 else f"{low} times"


def _refuse_without_items(systems: Systems, request: CompareRequest) -> None:
    """Refuse to reduce the runs of arrays that do not say which rows are of one item."""
    if systems.scores[0].ids is None and not systems.origins:
        raise OutscoreError(
            "There are no repeats: each item was scored once.",
            "Give `items`, a label for each row, so that rows of one item are its runs.",
            parameter="reduce" if request.reduce != "mean" else "equal_runs",
        )
