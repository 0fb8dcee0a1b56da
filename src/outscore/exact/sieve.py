"""Which frequencies matter: branch and bound on the characteristic function.

|φ(ω)| is a product of many factors below 1 and negligible at all but a few grid frequencies. Instead of
evaluating the grid, cover it by boxes. On a box with centre ω and half-widths h, |v·ω' | moves by at most
|v|·h, hence

    log |φ| ≤ ½ Σ c log(1 - sech²(v·θ) · max(0, |sin(v·ω)| - |v|·h)²)

and every subset of the items gives a valid bound. Boxes that fall below the floor are dropped whole, the
others are split until single frequencies remain. No frequency above the floor can be lost.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from outscore.core.numeric import Array, median
from outscore.exact.flipsum import FLOOR, BudgetError

Boxes = tuple[Array, Array]
Undecided = Callable[[Array, Array, float], tuple[Array, int]]

SMALL_GRID = 2_048
SMALL_WORK = 3e5
"""Grids of few points, or of few sines in all, are cheaper to evaluate than to sieve."""
FIRST_ITEMS = 64
BLOCK = 1 << 20
"""Entries of one work matrix: 8 MB, about what the caches still like."""


def survivors(
    values: Array, counts: Array, sech2: Array, step: Array, low: Array, high: Array, *, budget: float, floor: float = FLOOR
) -> Array:
    """Grid indices j (rows, low ≤ j ≤ high per axis) at which |φ(j·step)| may exceed exp(-floor).

    `budget` is the number of sine evaluations allowed; `BudgetError` says that it was not enough.
    """
    low, high = np.atleast_1d(low).astype(np.int64), np.atleast_1d(high).astype(np.int64)
    axes = len(low)
    grid = math.prod((high - low + 1).tolist())
    if grid <= SMALL_GRID or grid * len(values) <= SMALL_WORK:
        return _cover(low, high, np.ones(axes, dtype=np.int64))[0]
    order = _useful_first(values, counts, sech2)
    values, counts, sech2 = values[order].astype(float), counts[order].astype(float), sech2[order]
    typical = np.array([median(column[column > 0]) if (column > 0).any() else 0.0 for column in np.abs(values).T])
    with np.errstate(divide="ignore"):
        size = np.minimum(0.7 / axes / (typical * step), high - low + 1.0)
    box = np.maximum(1, size).astype(np.int64)
    if math.prod((-(-(high - low + 1) // box)).tolist()) * FIRST_ITEMS > budget:
        raise BudgetError

    def undecided(centre: Array, half: Array, left: float) -> tuple[Array, int]:
        return _undecided_boxes(values, counts, sech2, centre, half, left, floor)

    return branch_and_bound(undecided, step, _cover(low, high, box, high), budget=budget)


def about_multiples(size: int, weight: float, points: int) -> Array | None:
    """Indices 0 ≤ j ≤ points/2 at which one size alone leaves |φ(πj/points)| above the floor, and a few beside them.

    log |φ| ≤ -½·weight·sin²(π·size·j/points), so they lie within points/(π·size)·asin √(2·FLOOR/weight) of a multiple of
    points/size. None where they are most of the grid, or too many to be looked at without a sieve.

    Examples
    --------
    >>> about_multiples(2, 1e6, 1000).tolist()
    [0, 1, 2, 3, 497, 498, 499, 500]
    """
    if weight <= 2 * FLOOR:
        return None
    # One for the multiple, which is rounded, and one for the width.
    reach = int(points / (math.pi * size) * math.asin(math.sqrt(2 * FLOOR / weight))) + 2
    if 2 * reach >= points // size or reach * size > SMALL_GRID:
        return None
    if size == 1:
        return np.arange(reach + 1)
    multiples = np.arange(size // 2 + 1) * points // size
    index = (multiples[:, None] + np.arange(-reach, reach + 1)).ravel()
    return np.asarray(index[(index >= 0) & (2 * index <= points)])


def branch_and_bound(undecided: Undecided, step: Array, boxes: Boxes, *, budget: float) -> Array:
    """Grid indices that lie in no box that was decided; boxes, (lowest, highest) indices, are split until one index remains.

    `undecided(centre, half-widths, budget)` gives the boxes whose bound stays above the floor, and the work that took.
    """
    lo, hi = boxes
    axes = lo.shape[1]
    fan = 8 if axes == 1 else 2
    leaves = []
    while len(lo):
        keep, spent = undecided((lo + hi) / 2 * step, (hi - lo) / 2 * step, budget)
        budget -= spent
        lo, hi = lo[keep], hi[keep]
        leaf = (lo == hi).all(axis=1)
        leaves.append(lo[leaf])
        lo, hi = _split(lo[~leaf], hi[~leaf], fan)
    return np.concatenate(leaves) if leaves else np.empty((0, axes), dtype=np.int64)


def _useful_first(values: Array, counts: Array, sech2: Array) -> Array:
    """Frequent values first; among equals a stride through the sorted sizes, so that any prefix is a fair sample."""
    n = len(counts)
    by_size = np.argsort(np.abs(values).sum(axis=1), kind="stable")
    spread = by_size[np.argsort((np.arange(n) * 0.6180339887498949) % 1.0, kind="stable")]
    weight = counts[spread] * sech2[spread]
    return np.asarray(spread[np.argsort(-weight, kind="stable")]) if counts.max() > 1 else spread


def _cover(low: Array, high: Array, size: Array, clip: Array | None = None) -> tuple[Array, Array]:
    starts = [np.arange(*bounds) for bounds in zip(low.tolist(), (high + 1).tolist(), size.tolist(), strict=True)]
    if len(starts) == 1:
        lo = starts[0][:, None]
    else:
        lo = np.stack([axis.ravel() for axis in np.meshgrid(*starts, indexing="ij")], axis=1)
    return lo, lo + size - 1 if clip is None else np.minimum(lo + size - 1, clip)


def _undecided_boxes(
    values: Array, counts: Array, sech2: Array, centre: Array, half: Array, budget: float, floor: float
) -> tuple[Array, int]:
    """Boxes whose bound stays above the floor after all items, and the work it took to know."""
    bound = np.zeros(len(centre))
    active = np.arange(len(centre))
    done, spent = 0, 0
    absolute = np.abs(values)
    while done < len(values) and len(active):
        width = min(max(FIRST_ITEMS, 3 * done), max(FIRST_ITEMS, BLOCK // len(active)), len(values) - done)
        items = slice(done, done + width)
        spent += len(active) * width
        if spent > budget:
            raise BudgetError
        for part in np.array_split(active, -(-len(active) * width // (2 * BLOCK)) or 1):
            slack = np.sin(centre[part] @ values[items].T)
            np.abs(slack, out=slack)
            slack -= half[part] @ absolute[items].T
            np.maximum(slack, 0.0, out=slack)
            slack *= slack
            slack *= -sech2[items]
            np.maximum(slack, -1.0 + 1e-16, out=slack)
            np.log1p(slack, out=slack)
            bound[part] += 0.5 * (slack @ counts[items])
        active = active[bound[active] > -floor]
        done += width
    return active, spent


def _split(lo: Array, hi: Array, fan: int) -> tuple[Array, Array]:
    """Every box cut into `fan` parts along each axis; empty parts are left out."""
    for axis in range(lo.shape[1]):
        step = -(-(hi[:, axis] - lo[:, axis] + 1) // fan)
        starts = lo[:, axis, None] + step[:, None] * np.arange(fan)
        ends = np.minimum(starts + step[:, None] - 1, hi[:, axis, None])
        box, part = np.nonzero(starts <= ends)
        new_lo, new_hi = lo[box], hi[box]
        new_lo[:, axis], new_hi[:, axis] = starts[box, part], ends[box, part]
        lo, hi = new_lo, new_hi
    return lo, hi
