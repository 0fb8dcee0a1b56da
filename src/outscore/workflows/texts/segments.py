"""The score of every segment, for a file: the numbers behind corpus scores, means and tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.results.files import check_further
from outscore.results.rendering import csv_text
from outscore.workflows.texts.labels import Datasets, Labels
from outscore.workflows.texts.members import Member
from outscore.workflows.texts.runs import mean_of_runs


@dataclass(frozen=True, eq=False)
class SegmentScores:
    """Columns of numbers by their name, a row for each segment."""

    names: Sequence[str]
    labels: Mapping[str, Labels] = field(default_factory=dict)
    numbers: Mapping[str, Array] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns in order."""
        return ("segment", *self.labels, *self.numbers)

    def rows(self) -> list[dict[str, object]]:
        """One record for each segment, with all digits."""
        label_columns = {name: [str(label) for label in labels] for name, labels in self.labels.items()}
        numbers = {name: values.tolist() for name, values in self.numbers.items()}
        columns = {"segment": list(self.names), **label_columns, **numbers}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def to_csv(self) -> str:
        """All scores as CSV."""
        return csv_text(self.columns, self.rows())


def check_segments(path: str | None, inputs: Iterable[str], *, texts: bool) -> None:
    """Refuse a file of segment scores that cannot be written, or that is asked for without texts."""
    if path is None:
        return
    if not texts:
        raise OutscoreError(
            "--segments is for texts, but no --reference was named.", "Leave --segments out.", parameter="segments"
        )
    check_further(path, inputs, option="--segments", ending=".csv", holds="a table of segment scores")


def segment_scores(
    members: Sequence[Member], datasets: Datasets, documents: Labels | None, *, influence: bool = False
) -> SegmentScores:
    """The scores of segments by every metric: means over runs, and for two systems the influence of each on the difference.

    Examples
    --------
    >>> from outscore.metrics.text.entry import segment_mean, to_rows
    >>> comet = Member("COMET", segment_mean("COMET"), "", {"new": [to_rows([0.9, 0.5])], "old": [to_rows([0.8, 0.75])]})
    >>> segment_scores([comet], Datasets(), None).rows()[1]
    {'segment': 'segment 2', 'COMET: new': 0.5, 'COMET: old': 0.75}
    """
    first = next(iter(members[0].rows.values()))[0]
    labels: dict[str, Labels] = {"dataset": datasets.labels} if datasets else {}
    if documents is not None:
        labels["document"] = documents
    numbers: dict[str, Array] = {}
    for member in members:
        score = (member.segment_metric or member.metric).score
        for system, runs in member.rows.items():
            numbers[f"{member.label}: {system}"] = np.mean([score(rows) for rows in runs], axis=0)
        if influence:
            (a, b), together = mean_of_runs(member.metric, list(member.rows.values()))
            numbers[f"{member.label}: influence"] = datasets.pull(a, b, together)
    return SegmentScores(datasets.segment_names(len(first)), labels, numbers)
