"""Rejection regions in the plane: which sums (s1, s2) are at least as extreme as the observed one.

A region hands the kernel, row by row (s2 fixed), the runs of lattice points that belong to it, with ties
decided exactly.

For a ratio u·x / v·x the two systems' totals are (T ± S)/2 with T fixed, so with p = u·S, q = v·S, U = u·T, V
= v·T

    score_a - score_b ≥ ξ   ⟺   2Vp - 2Uq ≥ ξ (V² - q²)

which at fixed q is a half-line in p with a rational edge: no bisection, and two axes however many columns the
metric has.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.exact.flipsum import BudgetError

__all__ = ["GridRegion", "RatioRegion", "Region", "Runs"]

MAX_GRID_POINTS = 1 << 24
CHUNK = 1 << 18
NEAR = 1e-9


@dataclass(frozen=True)
class Runs:
    """Runs of consecutive lattice points: row index, index of the first point, number of points."""

    row: Array
    start: Array
    count: Array


class Region(Protocol):
    """What the plane kernel asks of a rejection region."""

    def runs(self, rows: Array, first: int, points: int) -> tuple[Runs, Runs]:
        """Runs in the region, and runs of ties, on the grid s1 = first + 2i (0 ≤ i < points), s2 in `rows`."""
        ...

    def boundary(self, rows: Array) -> Array:
        """Approximate s1 at which each (real-valued) row enters the region; only guides the tilt."""
        ...


@dataclass(frozen=True)
class RatioRegion:
    """{score_a - score_b ≥ threshold} for a ratio metric, in coordinates p = across·s1 + shear·s2, q = along·s2."""

    numerator: int
    denominator: int
    threshold: Fraction
    across: int
    shear: int
    along: int

    def boundary(self, rows: Array) -> Array:
        """Real-valued edge of the half-line in each row."""
        q = self.along * rows.astype(float)
        edge = q * (self.numerator / self.denominator)
        edge = edge + float(self.threshold) * (self.denominator - q * (q / self.denominator)) / 2
        return np.asarray((edge - self.shear * rows) / self.across)

    def runs(self, rows: Array, first: int, points: int) -> tuple[Runs, Runs]:
        """Half-lines with integer edges; rows whose edge is too close to call in floats are redone in integers."""
        position = (self.boundary(rows) - first) / 2
        start = np.ceil(position)
        size = np.abs(position) + (np.abs(self.shear * rows) + abs(first)) / self.across + self.numerator / self.across
        doubtful = np.abs(position - np.rint(position)) < NEAR + 1e-13 * size
        doubtful |= np.abs(self.along * rows) >= self.denominator
        tied = np.zeros(len(rows), dtype=bool)
        clipped = np.clip(start, 0, points).astype(np.int64)
        for i in np.flatnonzero(doubtful).tolist():
            exact, tie = self._edge(int(rows[i]), first)
            clipped[i] = min(max(exact, 0), points)
            tied[i] = tie and 0 <= exact < points
        index = np.flatnonzero(clipped < points)
        ties = np.flatnonzero(tied)
        return (
            Runs(index, clipped[index], points - clipped[index]),
            Runs(ties, clipped[ties], np.ones(len(ties), dtype=np.int64)),
        )

    def _edge(self, row: int, first: int) -> tuple[int, bool]:
        """Index of the first point of a row in the region, and whether it is a tie, in whole numbers."""
        q = self.along * row
        top, bottom = self.threshold.numerator, self.threshold.denominator
        total, mass = self.numerator, self.denominator
        if abs(q) < mass:
            edge, unit = 2 * total * q * bottom + top * (mass * mass - q * q), 2 * mass * bottom
        else:
            # One system's denominator is zero and its score 0 by convention; the other's is (U ± p) / 2V.
            edge, unit = 2 * mass * top - (total if q > 0 else -total) * bottom, bottom
        edge -= self.shear * row * unit
        unit *= self.across
        quotient, rest = divmod(edge - first * unit, 2 * unit)
        return (quotient, True) if rest == 0 else (quotient + 1, False)


@dataclass(frozen=True)
class GridRegion:
    """Any region, classified point by point.

    `classify(s1, s2)` gives two masks, in the region and tied with its threshold; `excess(s1, s2)` is a float
    that is positive inside and grows with s1; `extent` is the largest |s1|.
    """

    classify: Callable[[Array, Array], tuple[Array, Array]]
    excess: Callable[[Array, Array], Array]
    extent: float

    def boundary(self, rows: Array) -> Array:
        """By bisection along s1."""
        low, high = np.full(len(rows), -self.extent), np.full(len(rows), self.extent)
        for _ in range(50):
            middle = (low + high) / 2
            inside = self.excess(middle, rows) >= 0
            low, high = np.where(inside, low, middle), np.where(inside, middle, high)
        return high

    def runs(self, rows: Array, first: int, points: int) -> tuple[Runs, Runs]:
        """Runs read off a mask of the whole grid, a block of rows at a time."""
        if len(rows) * points > MAX_GRID_POINTS:
            raise BudgetError
        s1 = first + 2 * np.arange(points, dtype=np.int64)
        block = max(1, CHUNK // points)
        masks = [self.classify(*np.meshgrid(s1, rows[i : i + block])) for i in range(0, len(rows), block)]
        return _runs(np.concatenate([m[0] for m in masks])), _runs(np.concatenate([m[1] for m in masks]))


def _runs(mask: Array) -> Runs:
    padded = np.zeros((mask.shape[0], mask.shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = mask
    change = np.diff(padded, axis=1)
    row, start = np.nonzero(change == 1)
    _, end = np.nonzero(change == -1)
    return Runs(row, start, end - start)
