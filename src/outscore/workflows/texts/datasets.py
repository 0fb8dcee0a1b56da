"""Which segments belong to which test set or language pair, and a board for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.paired import PairedScores, codes_of
from outscore.core.records import dataclass
from outscore.inference.base.influence import influence
from outscore.scores.board import Board
from outscore.workflows.requests import shared
from outscore.workflows.texts.buckets import labels_of_segments
from outscore.workflows.texts.runs import mean_of_runs, run_table_of

__all__ = ["ONE", "Datasets", "boards_of_runs", "datasets_of_segments"]


@dataclass(frozen=True)
class Datasets:
    """The dataset of each segment; no labels if all segments belong to one dataset.

    Examples
    --------
    >>> found = Datasets.of(["news", "talk", "news"])
    >>> {name: rows.tolist() for name, rows in found.rows.items()}
    {'news': [0, 2], 'talk': [1]}
    >>> found.segment_names(3)
    ['news, segment 1', 'talk, segment 1', 'news, segment 2']
    >>> bool(found), bool(Datasets.of(["news", "news"]))
    (True, False)
    """

    labels: tuple[str, ...] = ()

    @classmethod
    def of(cls, labels: Sequence[object] | None) -> Datasets:
        """The datasets that the labels distinguish."""
        names = tuple(str(label) for label in labels or ())
        return cls(names if len(set(names)) > 1 else ())

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def rows(self) -> dict[str, Array]:
        """The segments of each dataset, by its name."""
        labels = np.array(self.labels)
        return {name: np.flatnonzero(labels == name) for name in dict.fromkeys(self.labels)}

    def cut(self, rows: Array) -> list[Array]:
        """The rows of each dataset; all rows if there is only one."""
        return [rows[mine] for mine in self.rows.values()] if self else [rows]

    def segment_names(self, segments: int) -> list[str]:
        """The names of segments: their number, within their dataset if there are several."""
        names = [f"segment {i + 1}" for i in range(segments)]
        for dataset, rows in self.rows.items():
            for place, i in enumerate(rows.tolist(), 1):
                names[i] = f"{dataset}, segment {place}"
        return names

    def pull(self, a: Array, b: Array, metric: AdditiveMetric) -> Array:
        """How much of the difference depends on each segment; for several datasets, of the mean of their differences."""
        if not self:
            return influence(PairedScores(a, b), metric)
        influences = np.zeros(len(a))
        for rows in self.rows.values():
            influences[rows] = influence(PairedScores(a[rows], b[rows]), metric) / len(self)
        return influences


ONE = Datasets()
"""All segments belong to one dataset."""


def datasets_of_segments(given: object, said: Sequence[str] | None, segments: int) -> Datasets:
    """The datasets that labels, or a file of them, distinguish; without labels, those that the texts name.

    Examples
    --------
    >>> datasets_of_segments(None, ("news", "talk"), 2).labels, datasets_of_segments("none", ("news", "talk"), 2).labels
    (('news', 'talk'), ())
    """
    labels = said if given is None else given
    if labels is None or (isinstance(labels, str) and labels == shared.POOLED):
        return ONE
    return Datasets.of(labels_of_segments(labels, "dataset", segments))


def boards_of_runs(
    metric: AdditiveMetric, systems: Mapping[str, Sequence[Array]], documents: Sequence[object] | None, datasets: Datasets = ONE
) -> tuple[list[Board], AdditiveMetric]:
    """A board for each dataset from the rows of every run of each system, and the metric of the boards' rows.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = {"A": [np.array([[1, 1], [0, 1], [1, 1]])], "B": [np.array([[0, 1], [0, 1], [1, 1]])]}
    >>> boards, _ = boards_of_runs(mean, rows, None, Datasets.of(["news", "talk", "news"]))
    >>> [(board.dataset, board.values[..., 0].tolist()) for board in boards]
    [('news', [[1, 1], [0, 1]]), ('talk', [[0], [0]])]
    """
    of_systems, together = mean_of_runs(metric, list(systems.values()))
    values = np.stack(of_systems)
    everything: dict[str | None, Array] = {None: np.arange(values.shape[1])}
    boards = []
    for name, rows in {**datasets.rows}.items() if datasets else everything.items():
        mine = {system: [table[rows] for table in runs] for system, runs in systems.items()}
        labels = None if documents is None else [documents[i] for i in rows.tolist()]
        boards.append(
            Board(
                tuple(systems),
                values[:, rows],
                np.ones((len(systems), len(rows)), dtype=bool),
                clusters=codes_of(labels, len(rows), "documents"),
                dataset=name,
                rows=sum(len(runs) for runs in systems.values()) * len(rows),
                **_run_tables(metric, mine),
            )
        )
    return boards, together


def _run_tables(metric: AdditiveMetric, systems: Mapping[str, Sequence[Array]]) -> dict[str, Any]:
    """What a board knows about several runs of its systems; nothing if each has a single run."""
    if all(len(runs) == 1 for runs in systems.values()):
        return {}
    tables = tuple(run_table_of(runs, name) for name, runs in systems.items())
    return {"runs": tables, "repeat_column": "run", "run_metric": metric}
