"""What being shown first is worth, and how often a verdict changes with the order.

H0: the order does not matter. Then exchanging the order on a prompt leaves its verdicts as they are and turns "the first one
won" into "the second one won", so the sign of (first less second) flips: the test of a win rate, with places for systems. It
holds where both orders of a prompt were judged or the order was drawn by lot.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from outscore.core.numeric import Array
from outscore.core.repeats import occurrences
from outscore.inference.preferences.tally import Tally, tally_of
from outscore.scores.battles import Battles

__all__ = ["Swapped", "by_place", "swapped_verdicts"]


@dataclass(frozen=True)
class Swapped:
    """Verdicts with one of the same pair, prompt and judge in the other order, and how many of them change."""

    compared: int
    flipped: int


def by_place(battles: Battles) -> Tally | None:
    """Battles as those of the first place against the second; None where no order is known.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> first, second, shown = np.array([0, 1]), np.array([1, 0]), np.ones(2, dtype=bool)
    >>> made = Battles(("x", "y"), first, second, np.array([1.0, 1.0]), Labels.of("ab"), shown)
    >>> by_place(made).rate.tolist()
    [1.0]
    """
    if battles.shown is None or not (battles.shown & battles.decided).any():
        return None
    known = battles.take(np.flatnonzero(battles.shown))
    places = np.zeros(known.rows, dtype=np.int64)
    return tally_of(replace(known, systems=("first", "second"), first=places, second=places + 1))


def swapped_verdicts(battles: Battles) -> Swapped:
    """Set the verdicts of both orders against each other; of several in one order, the first meets the first.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> first, second, shown = np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]), np.ones(4, dtype=bool)
    >>> made = Battles(("x", "y"), first, second, np.array([1.0, 1.0, 1.0, 0.0]), Labels.of("aabb"), shown)
    >>> swapped_verdicts(made)
    Swapped(compared=2, flipped=1)
    """
    if battles.shown is None:
        return Swapped(0, 0)
    known = battles.take(np.flatnonzero(battles.shown & battles.decided))
    if not known.rows:
        return Swapped(0, 0)
    turned = known.first > known.second
    verdict = np.sign(np.where(turned, 1 - known.share, known.share) - 0.5)
    group = same_question(known)
    keys = [_numbered(group[side], known.rows) for side in (~turned, turned)]
    _, one, other = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
    changed = verdict[~turned][one] != verdict[turned][other]
    return Swapped(len(one), int(changed.sum()))


def same_question(battles: Battles) -> Array:
    """A code for every pair, prompt and judge."""
    k = len(battles.systems)
    low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    judges = 0 if battles.judges is None else battles.judges.codes
    many = 1 if battles.judges is None else len(battles.judges.names)
    keys = ((low * k + high) * len(battles.prompts.names) + battles.prompts.codes) * many + judges
    return np.asarray(np.unique(keys, return_inverse=True)[1])


def _numbered(group: Array, rows: int) -> Array:
    """A key for each row of at most so many: its group, and the how-manieth of the group it is."""
    if not len(group):
        return group
    _, codes = np.unique(group, return_inverse=True)
    return np.asarray(group * rows + occurrences(codes))
