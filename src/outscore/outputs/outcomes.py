"""What changes between two systems on every unit: five outcomes, and the transitions behind them.

From S1 to S2 a unit stays right, is corrected, becomes a new error, changes from one error to another, or
stays the same error (Tuggener, 2017, algorithm 1, plus the two outcomes that the algorithm does not count).
So

    accuracy(S2) - accuracy(S1) = (corrections - new errors) / n

and swapping the systems swaps corrections with new errors and changes nothing else.
"""

from __future__ import annotations

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.outputs.model import Units

__all__ = [
    "CHANGED_ERROR",
    "CHANGES",
    "CORRECTION",
    "NEW_ERROR",
    "OUTCOMES",
    "Transition",
    "agreement",
    "count_differing",
    "outcomes",
    "overlap_matrix",
    "overlap_of_correct",
    "transitions",
]

OUTCOMES = ("both_right", "correction", "new_error", "changed_error", "shared_error")
_, CORRECTION, NEW_ERROR, CHANGED_ERROR, _ = range(len(OUTCOMES))
CHANGES = ("correction", "new_error", "changed_error")


@dataclass(frozen=True)
class Transition:
    """One kind of change, from one label to another, with the right label; codes of the units' inventory.

    `mirror` counts the opposite change: a correction undoes a new error.
    """

    kind: int
    gold: int
    source: int
    target: int
    count: int
    mirror: int


def outcomes(units: Units, first: int = 0, second: int = 1) -> Array:
    """The outcome of every unit, as an index into `OUTCOMES`.

    Examples
    --------
    >>> labels = tuple("ABCDEUXYZ")
    >>> code = [[labels.index(x) for x in word] for word in ("ABCDE", "ABCXY", "ZBCDU")]
    >>> gold, answers = np.array(code[0]), np.array(code[1:]).T
    >>> units = Units("label", ("S1", "S2"), labels, gold, answers, answers == gold[:, None])
    >>> [OUTCOMES[k] for k in outcomes(units)]
    ['new_error', 'both_right', 'both_right', 'correction', 'changed_error']
    """
    before, after = units.correct[:, first], units.correct[:, second]
    both_right, correction, new_error, changed_error, shared_error = np.arange(len(OUTCOMES), dtype=np.int8)
    wrong = np.where(_same_answers(units, first, second), shared_error, changed_error)
    return np.where(before, np.where(after, both_right, new_error), np.where(after, correction, wrong))


def _same_answers(units: Units, first: int, second: int) -> Array:
    same = units.answers[:, first] == units.answers[:, second]
    if units.detail is not None:
        same &= units.detail[:, first] == units.detail[:, second]
    return np.asarray(same)


def count_differing(units: Units, first: int = 0, second: int = 1) -> int:
    """The number of units on which the two answers differ, right or wrong."""
    return int((~_same_answers(units, first, second)).sum())


def overlap_of_correct(units: Units, first: int = 0, second: int = 1) -> float:
    """Dice coefficient of the right answers of two systems; 0 if neither has any."""
    right = units.correct[:, first].sum() + units.correct[:, second].sum()
    both = (units.correct[:, first] & units.correct[:, second]).sum()
    return float(2 * both / right) if right else 0.0


def overlap_matrix(units: Units) -> Array:
    """(k, k) overlap of right answers of every two systems (Tuggener, 2017, table 1).

    Examples
    --------
    >>> gold, answers = np.zeros(3, dtype=int), np.array([[0, 0], [0, 1], [1, 0]])
    >>> overlap_matrix(Units("label", ("S1", "S2"), ("A", "B"), gold, answers, answers == 0)).tolist()
    [[1.0, 0.5], [0.5, 1.0]]
    """
    right = units.correct.astype(np.float64)
    sums = right.sum(axis=0)
    both, total = right.T @ right, sums[:, None] + sums
    return np.asarray(np.divide(2 * both, total, out=np.zeros_like(both), where=total > 0))


def agreement(units: Units) -> Array:
    """(k, k) shares of units on which two systems give the same answer."""
    k = len(units.systems)
    shares = np.eye(k)
    for i in range(k):
        for j in range(i):
            shares[i, j] = shares[j, i] = 1.0 - count_differing(units, i, j) / units.n if units.n else 1.0
    return shares


def transitions(units: Units, first: int = 0, second: int = 1) -> list[Transition]:
    """Every kind of change, most frequent first within corrections, new errors and changed errors.

    The mirror of a correction from x to y (the right label) is the new error from y to x, that of a changed
    error from x to y the changed error from y to x: swapping the systems turns one into the other.
    """
    kinds = outcomes(units, first, second)
    rows = np.flatnonzero((kinds >= CORRECTION) & (kinds <= CHANGED_ERROR))
    size = len(units.labels)
    key = kinds[rows].astype(np.int64)
    for column in (units.gold, units.answers[:, first], units.answers[:, second]):
        key = key * size + column[rows]
    distinct, counts = np.unique(key, return_counts=True)
    table: dict[tuple[int, int, int, int], int] = {}
    for value, count in zip(distinct.tolist(), counts.tolist(), strict=True):
        rest, target = divmod(value, size)
        rest, source = divmod(rest, size)
        kind, gold = divmod(rest, size)
        table[kind, gold, source, target] = count
    opposite = {CORRECTION: NEW_ERROR, NEW_ERROR: CORRECTION, CHANGED_ERROR: CHANGED_ERROR}
    result = [
        Transition(kind, gold, source, target, count, table.get((opposite[kind], gold, target, source), 0))
        for (kind, gold, source, target), count in table.items()
    ]
    return sorted(result, key=lambda t: (t.kind, -t.count, t.gold, t.source, t.target))
