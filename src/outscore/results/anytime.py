"""Evidence that is valid at every look."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["AnytimeEvidence"]


@dataclass(frozen=True)
class AnytimeEvidence:
    """What could be said at any look, and where one could have stopped.

    Attributes
    ----------
    e_value
        The e-value after the last unit.
    p
        The anytime p-value: the largest e-value so far, turned over.
    low, high
        The confidence sequence of A - B after the last unit, in the unit of the metric.
    stopped_at
        After how many units the e-value first reached 1/alpha; None if it never did.
    units
        How many units there are: items, or clusters.
    bound
        Scores of an item differ by this much at most.
    binary
        Whether the e-value is that of right-or-wrong items, in closed form; otherwise it comes from bets on the differences.
    """

    e_value: float
    p: float
    low: float
    high: float
    stopped_at: int | None
    units: int
    bound: float
    binary: bool
