"""What being shown first is worth, and how often a verdict changes with the order.

H0: the order does not matter. Then exchanging the order on a prompt leaves its verdicts as they are and turns "the first one
won" into "the second one won", so the sign of (first less second) flips: the test of a win rate, with places for systems. It
holds where both orders of a prompt were judged or the order was drawn by lot.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.preferences.tally import Tally, tally_of
from outscore.scores.battles import Battles

__all__ = ["Swapped", "by_place", "swapped_verdicts"]


@dataclass(frozen=True)
class Swapped:
    """Two verdicts on the same pair and prompt by one judge, one in each order: how many such two there are, how many differ.

    Of several in one order each meets each of the other, so that places in a file do not matter; `questions` are the pairs,
    prompts and judges that have both orders.
    """

    compared: int = 0
    flipped: int = 0
    questions: int = 0

    def __add__(self, other: Swapped) -> Swapped:
        return Swapped(self.compared + other.compared, self.flipped + other.flipped, self.questions + other.questions)


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
    """Set the verdicts of both orders against each other.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> first, second, shown = np.array([0, 1, 0, 1]), np.array([1, 0, 1, 0]), np.ones(4, dtype=bool)
    >>> made = Battles(("x", "y"), first, second, np.array([1.0, 1.0, 1.0, 0.0]), Labels.of("aabb"), shown)
    >>> swapped_verdicts(made)
    Swapped(compared=2, flipped=1, questions=2)
    """
    if battles.shown is None:
        return Swapped()
    known = battles.take(np.flatnonzero(battles.shown & battles.decided))
    if not known.rows:
        return Swapped()
    turned = known.first > known.second
    verdict = (1 - np.sign(np.where(turned, 1 - known.share, known.share) - 0.5)).astype(np.int64)
    group = same_question(known)
    size = 3 * (int(group.max()) + 1)
    one, other = (np.bincount(group[side] * 3 + verdict[side], minlength=size).reshape(-1, 3) for side in (~turned, turned))
    met = one.sum(axis=1) * other.sum(axis=1)
    return Swapped(int(met.sum()), int(met.sum() - (one * other).sum()), int((met > 0).sum()))


def same_question(battles: Battles) -> Array:
    """A code for every pair, prompt and judge."""
    k = len(battles.systems)
    low, high = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    judges = 0 if battles.judges is None else battles.judges.codes
    many = 1 if battles.judges is None else len(battles.judges.names)
    keys = ((low * k + high) * len(battles.prompts.names) + battles.prompts.codes) * many + judges
    return np.asarray(np.unique(keys, return_inverse=True)[1])
