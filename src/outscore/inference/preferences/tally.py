"""Battles added up: one cell for every pair of systems and every unit, which is a prompt unless something else was asked for.

Everything about pairs and strengths follows from the cells. A cell holds d, wins less losses of the pair's left system, and n,
the number of battles; both count a verdict as often as its weight says. Cells of different units are independent, so the cells
of several shares of the data can be counted apart and added, as long as no unit is in two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from outscore.core.numeric import Array, as_integers, renumbered
from outscore.core.records import dataclass
from outscore.scores.battles import Battles

CELLS = np.int32
"""Whole numbers of cells, of which there may be as many as battles."""


@dataclass(frozen=True, eq=False)
class Tally:
    """Cells of battles, sorted by pair and unit.

    Parameters
    ----------
    systems
        How many systems there are.
    left, right
        The two systems of each pair, left < right.
    wins, ties, losses
        Rows of each pair, from the side of `left`; a win is any share above a half.
    pair, unit
        The pair and the unit of each cell.
    d, n, tied
        Weighted wins less losses of `left`, weighted battles, and weighted ties; d is whole unless verdicts are shares.
    units
        How many units there are.
    d_first, n_first, d_shown, n_shown
        Of the battles in a cell whose order is known: d and n of those with `left` shown first, and of all of them.
    won
        Where d is not whole, weighted shares of the win of `left`, which have digits that (n + d)/2 has lost.
    squares
        Σ weight · (2 share - 1)² of each pair, for the spread of single rows.
    """

    systems: int
    left: Array
    right: Array
    wins: Array
    ties: Array
    losses: Array
    pair: Array
    unit: Array
    d: Array
    n: Array
    tied: Array
    units: int
    d_first: Array
    n_first: Array
    d_shown: Array
    n_shown: Array
    won: Array | None
    squares: Array

    @property
    def pairs(self) -> int:
        """How many pairs have met."""
        return len(self.left)

    def by_pair(self, cells: Array) -> Array:
        """Sums over the cells of each pair."""
        return np.bincount(self.pair, weights=cells, minlength=self.pairs)

    @property
    def total(self) -> Array:
        """Weighted battles of each pair."""
        return self.by_pair(self.n)

    @property
    def lead(self) -> Array:
        """Weighted wins less losses of each pair, from the side of `left`."""
        return self.by_pair(self.d)

    @property
    def rate(self) -> Array:
        """The win rate of `left`, ties as half."""
        return np.asarray((1 + self.lead / self.total) / 2)

    @property
    def shares(self) -> Array:
        """Weighted shares of the win of `left` in each cell."""
        return (self.n + self.d) / 2 if self.won is None else self.won

    @property
    def graded(self) -> bool:
        """Whether some verdicts are degrees between a win and a tie."""
        return self.won is not None

    @property
    def plain(self) -> Array:
        """For every pair, whether all its verdicts are a win or a tie that counts as one battle."""
        return np.asarray((self.total == self.wins + self.ties + self.losses) & (not self.graded))

    @property
    def meetings(self) -> Array:
        """Units in which each pair met."""
        return np.bincount(self.pair, minlength=self.pairs)

    def among(self, members: Array) -> Tally:
        """The battles among some systems, in ascending order, which are renumbered like their units."""
        if len(members) == self.systems:
            return self
        place = np.full(self.systems, -1)
        place[members] = np.arange(len(members))
        inside = (place[self.left] >= 0) & (place[self.right] >= 0)
        cells = np.flatnonzero(inside[self.pair])
        used, unit = renumbered(self.unit[cells], self.units)
        own = {name: getattr(self, name)[inside] for name in ("wins", "ties", "losses", "squares")}
        own |= {name: getattr(self, name)[cells] for name in ("d", "n", "tied", "d_first", "n_first", "d_shown", "n_shown")}
        return Tally(
            systems=len(members),
            left=place[self.left[inside]],
            right=place[self.right[inside]],
            pair=(np.cumsum(inside) - 1)[self.pair[cells]],
            unit=unit,
            units=len(used),
            won=None if self.won is None else self.won[cells],
            **own,
        )

    def cells_of(self, pair: int) -> slice:
        """Where the cells of a pair stand."""
        # Numbers of another type would have all cells converted.
        ends = np.searchsorted(self.pair, np.array([pair, pair + 1], dtype=self.pair.dtype))
        return slice(int(ends[0]), int(ends[1]))


def tally_of(battles: Battles) -> Tally:
    """Add battles up; those without a verdict are not counted.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> share = np.array([1.0, 0.5, 0.0, 1.0])
    >>> first, second = np.array([0, 1, 0, 0]), np.array([1, 0, 1, 1])
    >>> tally = tally_of(Battles(("new", "old"), first, second, share, Labels.of(["q1", "q1", "q2", "q3"])))
    >>> tally.d.tolist(), tally.n.tolist(), tally.rate.tolist()
    ([1, -1, 1], [2, 1, 1], [0.625])
    """
    kept = battles.take(np.flatnonzero(battles.decided))
    k = len(kept.systems)
    turned = kept.first > kept.second
    left, right = np.where(turned, kept.second, kept.first), np.where(turned, kept.first, kept.second)
    share = np.where(turned, 1 - kept.share, kept.share)
    weight = kept.weight
    keys, pair = renumbered(left * k + right, k * k)
    used, unit = renumbered(kept.units.codes, len(kept.units.names))
    lead = as_integers(weight * (2 * share - 1))
    cells, cell = np.unique(pair * len(used) + unit, return_inverse=True)
    shown = np.zeros(kept.rows, dtype=bool) if kept.shown is None else kept.shown
    left_first = shown & ~turned

    def summed(values: Array) -> Array:
        sums = np.bincount(cell, weights=values, minlength=len(cells))
        return sums.astype(CELLS) if values.dtype.kind in "ib" else sums

    def counted(rows: Array) -> Array:
        return np.bincount(pair[rows], minlength=len(keys))

    return Tally(
        systems=k,
        left=keys // k,
        right=keys % k,
        wins=counted(share > 0.5),
        ties=counted(share == 0.5),
        losses=counted(share < 0.5),
        pair=(cells // max(len(used), 1)).astype(CELLS),
        unit=(cells % max(len(used), 1)).astype(CELLS),
        d=summed(lead),
        n=summed(weight),
        tied=summed(np.where(share == 0.5, weight, 0)),
        units=len(used),
        d_first=summed(np.where(left_first, lead, 0)),
        n_first=summed(np.where(left_first, weight, 0)),
        d_shown=summed(np.where(shown, lead, 0)),
        n_shown=summed(np.where(shown, weight, 0)),
        won=None if lead.dtype.kind == "i" else summed(weight * share),
        squares=np.bincount(pair, weights=weight * (2 * share - 1) ** 2, minlength=len(keys)),
    )


def against_all(tally: Tally) -> Tally:
    """Every system against all it met, as a pair of it and one more system, the others together.

    Examples
    --------
    >>> from outscore.scores.system import Labels
    >>> first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> battles = Battles(("x", "y", "z"), first, second, np.array([1.0, 1.0, 0.5]), Labels.of("aab"))
    >>> against_all(tally_of(battles)).rate.tolist()
    [1.0, 0.25, 0.25]
    """
    k, units = tally.systems, np.arange(tally.units)
    others = np.full(tally.pairs, k)
    return added([(tally, tally.left, others, units), (tally, others, tally.right, units)], k + 1, tally.units)[0]


def added(parts: Sequence[tuple[Tally, Array, Array, Array]], systems: int, units: int) -> tuple[Tally, Array]:
    """Tallies added, each with the new codes of its pairs' two systems and of its units; and the units that occur."""
    turned_pairs, keys, cells = [], [], []
    for tally, left, right, codes in parts:
        turned_pairs.append(left > right)
        keys.append(np.minimum(left, right) * systems + np.maximum(left, right))
        cells.append(keys[-1][tally.pair] * units + codes[tally.unit])
    turned = [flags[tally.pair] for flags, (tally, *_) in zip(turned_pairs, parts, strict=True)]
    pair_keys, pair = np.unique(np.concatenate(keys), return_inverse=True)
    cell_keys, cell = np.unique(np.concatenate(cells), return_inverse=True)
    used, unit = np.unique(cell_keys % units, return_inverse=True)

    def summed(value: Callable[[Tally, Array], Array]) -> Array:
        values = np.concatenate([value(tally, flags) for (tally, *_), flags in zip(parts, turned, strict=True)])
        sums = np.bincount(cell, weights=values, minlength=len(cell_keys))
        return sums.astype(CELLS) if values.dtype.kind == "i" else sums

    def counted(value: Callable[[Tally, Array], Array]) -> Array:
        values = np.concatenate([value(tally, flags) for (tally, *_), flags in zip(parts, turned_pairs, strict=True)])
        sums = np.bincount(pair, weights=values, minlength=len(pair_keys))
        return sums.astype(np.int64) if values.dtype.kind == "i" else sums

    whole = all(tally.won is None for tally, *_ in parts)
    tally_of_all = Tally(
        systems=systems,
        left=pair_keys // systems,
        right=pair_keys % systems,
        wins=counted(lambda t, turn: np.where(turn, t.losses, t.wins)),
        ties=counted(lambda t, _: t.ties),
        losses=counted(lambda t, turn: np.where(turn, t.wins, t.losses)),
        pair=np.searchsorted(pair_keys, cell_keys // units).astype(CELLS),
        unit=unit.astype(CELLS),
        d=summed(lambda t, turn: np.where(turn, -t.d, t.d)),
        n=summed(lambda t, _: t.n),
        tied=summed(lambda t, _: t.tied),
        units=len(used),
        d_first=summed(lambda t, turn: np.where(turn, t.d_first - t.d_shown, t.d_first)),
        n_first=summed(lambda t, turn: np.where(turn, t.n_shown - t.n_first, t.n_first)),
        d_shown=summed(lambda t, turn: np.where(turn, -t.d_shown, t.d_shown)),
        n_shown=summed(lambda t, _: t.n_shown),
        won=None if whole else summed(lambda t, turn: np.where(turn, t.n - t.shares, t.shares)),
        squares=counted(lambda t, _: t.squares),
    )
    return tally_of_all, used
