"""How well each label is given, and what is given in its place: recall and precision by label, and confusions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.model import UNALIGNED, Units

__all__ = ["Confused", "LabelCounts", "confusions", "label_cluster_counts", "label_counts_of"]


@dataclass(frozen=True)
class LabelCounts:
    """Units of one label: in gold, in a system's answers, and those that are right."""

    label: str
    gold: int
    given: int
    right: int


@dataclass(frozen=True)
class Confused:
    """How often a system gave an answer that was wrong, by gold label; of trees the label may be right and the head wrong."""

    gold: str
    answer: str
    count: int


def label_counts_of(units: Units, system: int, *, without: str | None = None) -> Iterator[LabelCounts]:
    """Counts of every label, in the order of the inventory; `without` is no label, such as "no entity".

    Examples
    --------
    >>> gold, answers = np.array([0, 0, 1]), np.array([[0], [1], [1]])
    >>> units = Units("label", ("S",), ("A", "B"), gold, answers, answers == gold[:, None])
    >>> [(row.label, row.gold, row.given, row.right) for row in label_counts_of(units, 0)]
    [('A', 2, 1, 1), ('B', 1, 2, 1)]
    """
    size = len(units.labels)
    gold = np.bincount(units.gold, minlength=size)
    given = np.bincount(units.answers[:, system], minlength=size)
    right = np.bincount(units.gold[units.correct[:, system]], minlength=size)
    for code, label in enumerate(units.labels):
        if label not in (UNALIGNED, without) and (gold[code] or given[code]):
            yield LabelCounts(label, int(gold[code]), int(given[code]), int(right[code]))


def confusions(units: Units, system: int) -> list[Confused]:
    """All wrong answers of a system by gold label, most frequent first."""
    wrong = ~units.correct[:, system]
    size = len(units.labels)
    codes = units.gold[wrong].astype(np.int64) * size + units.answers[wrong, system]
    distinct, counts = np.unique(codes, return_counts=True)
    found = [
        Confused(units.labels[code // size], units.labels[code % size], count)
        for code, count in zip(distinct.tolist(), counts.tolist(), strict=True)
    ]
    return sorted(found, key=lambda row: (-row.count, row.gold, row.answer))


def label_cluster_counts(units: Units, system: int, label: int) -> Array:
    """(clusters, 3) true positives, false positives and false negatives of one label; without clusters a row per unit."""
    right = units.correct[:, system]
    is_gold, is_given = units.gold == label, units.answers[:, system] == label
    columns = (is_gold & right, is_given & ~right, is_gold & ~right)
    if units.clusters is None:
        return np.column_stack(columns).astype(np.int64)
    size = int(units.clusters.max(initial=0)) + 1
    return np.column_stack([np.bincount(units.clusters[column], minlength=size) for column in columns])
