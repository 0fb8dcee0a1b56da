"""What several systems could achieve together: an oracle that picks the right answer, units that only one solves, a vote.

The upper bound of a combination counts a unit as solved if at least one system solves it (Tuggener, 2017,
section 3). Systems with independent errors reach 1 - Π(1 - accuracy) by chance alone; the further the oracle
is below that, the more the systems fail together.
"""

from __future__ import annotations

import numpy as np

from outscore.core.numeric import Array
from outscore.outputs.model import Units

__all__ = ["independent_rate", "majority_vote", "oracle_rate", "solved_by", "solved_only_by"]


def oracle_rate(correct: Array) -> float:
    """Share of units that at least one system solves; `correct` is (n, k).

    Examples
    --------
    >>> oracle_rate(np.array([[True, False], [False, False], [False, True], [True, True]]))
    0.75
    """
    return float(correct.any(axis=1).mean()) if len(correct) else 0.0


def independent_rate(correct: Array) -> float:
    """The oracle of systems with these accuracies and independent errors.

    Examples
    --------
    >>> independent_rate(np.array([[True, False], [False, False], [False, True], [True, True]]))
    0.75
    """
    return float(1.0 - np.prod(1.0 - correct.mean(axis=0))) if len(correct) else 0.0


def solved_by(correct: Array) -> list[int]:
    """The numbers of units that exactly 0, 1, ..., k systems solve."""
    return [int(x) for x in np.bincount(correct.sum(axis=1), minlength=correct.shape[1] + 1)]


def solved_only_by(correct: Array) -> list[int]:
    """The number of units that each system alone solves."""
    alone = correct.sum(axis=1) == 1
    return [int((column & alone).sum()) for column in correct.T]


def majority_vote(units: Units) -> float:
    """Share of units that the most frequent answer solves; ties go to the first system.

    Examples
    --------
    >>> gold, answers = np.array([0, 1]), np.array([[0, 0, 1], [1, 0, 2]])
    >>> majority_vote(Units("label", ("x", "y", "z"), ("a", "b", "c"), gold, answers, answers == gold[:, None]))
    1.0
    """
    votes = _identity(units)
    # Votes for each system's answer, including its own; argmax returns the first maximum.
    support = np.stack([sum((own == other).astype(np.int16) for other in votes.T) for own in votes.T])
    chosen = support.argmax(axis=0)
    return float(units.correct[np.arange(units.n), chosen].mean()) if units.n else 0.0


def _identity(units: Units) -> Array:
    """(n, k) codes that are equal if and only if two answers are the same."""
    if units.detail is None:
        return units.answers
    offset = units.detail - units.detail.min(initial=0)
    return np.asarray(units.answers.astype(np.int64) * (int(offset.max(initial=0)) + 1) + offset)
