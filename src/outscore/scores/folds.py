"""What a column of folds is: folds that share out the items are clusters of them, folds that all hold every item are runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.numeric import Array
from outscore.scores.system import Labels, Scores


def settle_folds(systems: Sequence[Scores]) -> list[Scores]:
    """The systems of one file, with a column of folds in the part that its values play.

    Items of one fold were scored by one trained system, so they depend on one another. Where every item occurs in every fold,
    a fold is a run of the whole, and where it was named as repeats and no item occurs twice, it is a cluster after all.

    Examples
    --------
    >>> from outscore.scores.system import Origin
    >>> origin = Origin("a.csv", "", 4, "csv", {"item": ("id",), "cluster": ("fold",)})
    >>> ids, folds = Labels.of(["q1", "q2", "q1", "q2"]), Labels.of(["1", "1", "2", "2"])
    >>> (found,) = settle_folds([Scores("new", np.ones(4), ids, clusters=folds, origin=origin)])
    >>> found.clusters, found.repeat_column
    (None, 'fold')
    """
    origin = systems[0].origin if systems else None
    columns = {} if origin is None else dict(origin.columns)
    if origin is None or any(one.origin is not origin or one.ids is None for one in systems):
        return list(systems)
    if _is_fold(origin.column("cluster")) and "repeat" not in columns and all(_crossed(one, one.clusters) for one in systems):
        columns["repeat"] = columns.pop("cluster")
        moved = replace(origin, columns=columns)
        return [replace(one, clusters=None, repeats=one.clusters, origin=moved) for one in systems]
    if _is_fold(origin.column("repeat")) and "cluster" not in columns and all(map(_once, systems)):
        columns["cluster"] = columns.pop("repeat")
        moved = replace(origin, columns=columns)
        return [replace(one, clusters=one.repeats, repeats=None, origin=moved) for one in systems]
    return list(systems)


def _is_fold(column: str | None) -> bool:
    return column is not None and bool({"fold", "folds"} & set(re.split(r"[^a-z]+", column.lower())))


def _items(system: Scores) -> Array:
    """A code for the item of each row; ids may repeat across datasets."""
    assert system.ids is not None
    if system.datasets is None:
        return system.ids.codes
    return np.asarray(system.ids.codes * len(system.datasets.names) + system.datasets.codes)


def _crossed(system: Scores, folds: Labels | None) -> bool:
    """Whether every item occurs once in every fold, of which there are several."""
    if folds is None:
        return False
    items, several = len(np.unique(_items(system))), len(np.unique(folds.codes))
    cells = len(np.unique(_items(system) * len(folds.names) + folds.codes))
    return several > 1 and system.rows == cells == items * several


def _once(system: Scores) -> bool:
    """Whether no item occurs twice."""
    return system.repeats is not None and len(np.unique(_items(system))) == system.rows
