"""Two systems' rows side by side, in input order; averages over repeats and sums over clusters are made on demand."""

from __future__ import annotations

import math
from dataclasses import field, replace
from functools import cached_property

import numpy as np

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.numeric import MAX_EXACT, Array, exact_sum
from outscore.core.records import dataclass


@dataclass(frozen=True)
class PairedScores:
    """Two systems' rows in a metric's own columns.

    `a` and `b` are (rows, columns): int64 if all numbers are integers over a common `scale`, which divides them; float64
    otherwise. `items` and `clusters` are integer codes per row, or None. `real` says that floats were looked at and are no
    decimals or other fractions, so that nobody looks again; `replace` forgets it, as it may put in any numbers. `averaged` says
    that rows are means of several scores: two values among them are a coincidence.
    """

    a: Array
    b: Array
    scale: int = 1
    items: Array | None = None
    clusters: Array | None = None
    averaged: bool = False
    real: bool = field(default=False, init=False)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.a)

    @property
    def integral(self) -> bool:
        """Whether the numbers are exact integers over a common scale."""
        return bool(self.a.dtype.kind == self.b.dtype.kind == "i")

    @cached_property
    def sums(self) -> tuple[Array, Array]:
        """Column sums of both systems, integers over the scale or correctly rounded."""
        if self.integral:
            return self.a.sum(axis=0), self.b.sum(axis=0)
        return _float_sums(self.a), _float_sums(self.b)

    def totals(self) -> tuple[Array, Array]:
        """Column sums of both systems in true units."""
        a, b = self.sums
        return (a / self.scale, b / self.scale) if self.integral else (a, b)

    def per_item(self) -> PairedScores:
        """The rows of each item averaged, so that each item counts once."""
        if self.items is None:
            return self
        repeats = np.bincount(self.items)
        clusters = None if self.clusters is None else _one_per_group(self.clusters, self.items)
        a, b = _sum_by(self.a, self.items), _sum_by(self.b, self.items)
        common = math.lcm(*(int(k) for k in np.unique(repeats)))
        if self.integral and _fits(common, self.a, self.b):
            weight = (common // repeats)[:, None]
            return PairedScores(a * weight, b * weight, self.scale * common, None, clusters)
        divisor = repeats[:, None] * float(self.scale)
        return PairedScores(a / divisor, b / divisor, 1, None, clusters)

    def collapsed(self) -> PairedScores:
        """The rows of each cluster summed: the units that are swapped as one."""
        if self.clusters is None:
            return self
        return self.part(_sum_by(self.a, self.clusters), _sum_by(self.b, self.clusters))

    def units(self) -> PairedScores:
        """Items averaged, then clusters summed: what the permutation test swaps."""
        return self.per_item().collapsed()

    def known_real(self) -> PairedScores:
        """The same pairs, whose floats are not decimals."""
        return _marked(replace(self), real=True)

    def labelled(self, items: Array | None, clusters: Array | None) -> PairedScores:
        """The same rows with these labels."""
        return _marked(replace(self, items=items, clusters=clusters), real=self.real)

    def part(self, a: Array, b: Array, clusters: Array | None = None) -> PairedScores:
        """Some of the rows, or sums of them, each an item of its own.

        Those of real numbers count as real, which saves looking at every part of many. One that happens to hold decimals only
        loses nothing but the word "exact": its p lies between certified bounds.
        """
        return _marked(replace(self, a=a, b=b, items=None, clusters=clusters), real=self.real)


def _marked(pairs: PairedScores, *, real: bool) -> PairedScores:
    object.__setattr__(pairs, "real", real)
    return pairs


def codes_of(labels: object, rows: int, parameter: str) -> Array | None:
    """Labels, one per row, as codes 0..k-1 in order of first appearance."""
    if labels is None:
        return None
    try:
        raw = np.asarray(labels)
    except ValueError:
        raise OutscoreError(f"`{parameter}` holds lists of different lengths.", "Give one label for each row.") from None
    if raw.ndim != 1 or len(raw) != rows:
        raise OutscoreError(
            f"`{parameter}` has shape {raw.shape}, the scores have {rows} rows.", "Give one label for each row."
        )
    # Missing values are None, or not equal to themselves.
    missing = np.array([x is None or x != x for x in raw]) if raw.dtype == object else raw != raw  # noqa: PLR0124
    if missing.any():
        raise OutscoreError(f"`{parameter}` has a missing label at row {int(missing.argmax()) + 1}.")
    if raw.dtype == object:
        raw = raw.astype(str)
    _, first, inverse = np.unique(raw, return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first, kind="stable")] = np.arange(len(first))
    return order[inverse]


def _sum_by(rows: Array, codes: Array) -> Array:
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.add.reduceat(rows[order], starts, axis=0)


def _one_per_group(labels: Array, groups: Array) -> Array:
    """The label that all rows of each group share; rows that disagree are refused."""
    first = np.zeros(int(groups.max()) + 1, dtype=labels.dtype)
    first[groups[::-1]] = labels[::-1]
    wrong = np.flatnonzero(first[groups] != labels)
    if len(wrong):
        raise ClustersError(
            f"Row {int(wrong[0]) + 1} puts its item into a second cluster.",
            "Every item must be in exactly one cluster.",
            parameter="cluster",
        )
    return first


def _fits(factor: int, *tables: Array) -> bool:
    return all(factor * float(np.abs(t).sum(axis=0, dtype=float).max(initial=0.0)) < MAX_EXACT for t in tables)


def _float_sums(rows: Array) -> Array:
    # Whole numbers, as those of items are, add up without rounding.
    whole = (rows == np.rint(rows)).all(axis=0) & (np.abs(rows).sum(axis=0) < MAX_EXACT)
    return np.array([float(column.sum()) if easy else exact_sum(column) for column, easy in zip(rows.T, whole, strict=True)])
