"""Several rows for the same item of a system: kept once if they agree, resolved by a rule if they do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.results.note import Note
from outscore.scores.system import Labels, Scores

UNEQUAL_RUNS = (
    "Means of fewer runs spread more, so p is not exact: it is right for many items and may be too small for few (10 runs"
    " against 1, 15 nearly perfect items: level .19, and .20 for the t test)."
)
"""What unequal numbers of runs do to a test of item means."""

DuplicateRule = Literal["stop", "mean", "first", "last"]
DUPLICATES: tuple[DuplicateRule, ...] = ("stop", "mean", "first", "last")


def check_rule(rule: DuplicateRule) -> None:
    """Refuse a rule that does not exist."""
    if rule not in DUPLICATES:
        hint = f"Choose one of: {', '.join(DUPLICATES)}."
        raise OutscoreError(f"`duplicates` is {rule!r}.", hint, parameter="duplicates")


def settle(scores: Scores, rule: DuplicateRule = "stop") -> tuple[Scores, int, int]:
    """One row per item and repeat; the number of rows dropped, and of items with contradicting rows.

    The first row keeps its position and labels. ``"mean"`` averages all contradicting rows, copies included.

    Examples
    --------
    >>> twice = Scores("new", np.array([1, 1, 0]), Labels.of(["q1", "q1", "q2"]))
    >>> once, duplicates, conflicts = settle(twice)
    >>> once.values.tolist(), duplicates, conflicts
    ([1, 0], 1, 0)
    """
    if scores.ids is None:
        return scores, 0, 0
    if not len(scores.ids) or int(np.bincount(scores.ids.codes).max()) == 1:
        return scores, 0, 0
    keys = _keys(scores.ids.codes, scores.datasets, scores.repeats)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    if len(starts) == len(keys):
        return scores, 0, 0
    sizes = np.diff(starts, append=len(keys))
    first = order[starts]
    table = scores.values.reshape(len(keys), -1)
    differs = (table[order] != np.repeat(table[first], sizes, axis=0)).any(axis=1)
    conflict = np.logical_or.reduceat(differs, starts)
    if rule == "stop" and conflict.any():
        _refuse_conflict(scores, order, np.repeat(first, sizes), differs)
    values = scores.values
    if rule == "mean" and conflict.any():
        values = values.astype(np.float64)
        sums = np.add.reduceat(table[order].astype(np.float64), starts, axis=0) / sizes[:, None]
        values[first[conflict]] = sums[conflict].reshape(-1, *values.shape[1:])
    elif rule == "last":
        values = values.copy()
        values[first] = scores.values[order[starts + sizes - 1]]
    kept = np.sort(first)
    return replace(scores, values=values).take(kept), len(keys) - len(kept), int(conflict.sum())


def _keys(items: Array, *labels: Labels | None) -> Array:
    """One integer per row for its combination of labels."""
    keys = items
    for column in labels:
        if column is not None:
            keys = keys * len(column.names) + column.codes
    return keys


def _refuse_conflict(scores: Scores, order: Array, first: Array, differs: Array) -> None:
    """Raise the error of the first row that contradicts an earlier one."""
    bad = np.flatnonzero(differs)
    where = bad[np.argmin(order[bad])]
    row, earlier = int(order[where]), int(first[where])
    assert scores.ids is not None
    run = "" if scores.repeats is None else f", repeat `{scores.repeats[row]}`"
    hint = "Choose --duplicates mean, first or last."
    if not run:
        hint = (
            "Choose --duplicates mean, first or last, name the column that tells repeats apart with --repeat, or write --item"
            " none if every row is an item of its own (and --cluster COLUMN if rows of one id belong together)."
        )
    apart = [name for name, labels in scores.slices.items() if labels[row] != labels[earlier]]
    if apart:
        hint = (
            f"If `{apart[0]}` tells items apart, both systems need it as --dataset {apart[0]}; otherwise choose"
            " --duplicates mean."
        )
    raise scores.row_error(
        row,
        f"{scores.place(row)}: `{scores.name}` has the score {_show(scores.values[row])} on item `{scores.ids[row]}`{run}, "
        f"but {_show(scores.values[earlier])} on {scores.position(earlier)}.",
        hint,
        parameter="duplicates",
    )


def _show(value: Array) -> str:
    return ", ".join(f"{x:.12g}" for x in np.atleast_1d(value).tolist())


def repeated_notes(duplicates: int, conflicts: int) -> list[Note]:
    """A note about rows that repeat an item with the same score; contradictions are reported elsewhere."""
    if not duplicates or conflicts:
        return []
    rows = "1 row repeats an item" if duplicates == 1 else f"{duplicates:,} rows repeat an item"
    return [Note("reading", f"{rows} with the same score: each item counts once.")]
