"""The characteristic function of a tilted sum of laws, at those frequencies where it is not too small to matter.

A sieve leaves them: bounds on boxes of frequencies, law by law, until what is left is looked at one by one. Phases are taken
about a point of each law's support and reduced in whole numbers, so that no digit is lost to their size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from outscore.core.numeric import Array
from outscore.exact.flipsum import FLOOR, BudgetError
from outscore.exact.lattice import MAX_POINTS, MAX_SURVIVORS, Spectrum
from outscore.exact.laws.tilted import LawSum
from outscore.exact.sieve import branch_and_bound

__all__ = ["spectrum_of"]

SMALL_WORK = 2e6
"""Grids of so few terms in all are cheaper to evaluate than to sieve."""
GRID_WORK = 1.5e9
SIEVE_BUDGET = 2e8
"""Terms of matrix products over a whole grid, and of single frequencies, that are worth their time."""
FEW = 0.02
"""Once so small a share of a grid is undecided, the rest is looked at one by one."""
FIRST_LAWS = 16
FIRST_BLOCK = 4
BLOCK = 1 << 19
"""Entries of one table of phases."""
BOX = 0.2
"""Half-width of the first boxes, in units of a typical law's spread."""


def spectrum_of(law: LawSum, theta: Array, points: int, observed: int) -> Spectrum:
    """The tilted characteristic function of Σ X - observed at the frequencies that matter."""
    if points > MAX_POINTS:
        raise BudgetError
    masses = law.tilted(theta)
    index = _survivors(law, masses, points)
    if len(index) > MAX_SURVIVORS or len(index) * len(law.points) > 10 * SIEVE_BUDGET:
        raise BudgetError
    means = law.sums(masses * law.points)
    # Phases are taken about the point of the support that lies next to the mean.
    distance = np.abs(law.points - np.repeat(means, law.lengths))
    nearest = distance == np.repeat(np.minimum.reduceat(distance, law.starts), law.lengths)
    place = np.maximum.reduceat(np.where(nearest, law.points, -1), law.starts)
    offsets = law.points - np.repeat(place, law.lengths)
    reference = (int(place @ law.counts) - observed) % points
    log_modulus, angle = np.zeros(len(index)), 2 * np.pi * (index * reference % points / points)
    # The most telling laws come first, so that most indices drop out early.
    variances = law.sums(masses * (law.points - np.repeat(means, law.lengths)) ** 2)
    order = np.argsort(-law.counts * variances, kind="stable")
    for laws in _blocks(law, order, max(1, len(index))):
        entries, starts = _entries(law, laws)
        turns = index[:, None] * (offsets[entries] % points) % points
        turns = np.where(2 * turns > points, turns - points, turns)
        x = 2 * np.pi * (turns / points)
        sine = np.sin(x / 2)
        weighted = 2 * masses[entries] * sine
        short = np.add.reduceat(weighted * sine, starts, axis=1)
        imaginary = np.add.reduceat(weighted * np.cos(x / 2), starts, axis=1)
        deficit = short * (2 - short) - imaginary**2
        with np.errstate(divide="ignore"):
            modulus = np.where(deficit < 0.5, 0.5 * np.log1p(-np.minimum(deficit, 0.5)), np.log(np.hypot(1 - short, imaginary)))
        log_modulus += np.maximum(modulus, -FLOOR * 4) @ law.counts[laws]
        angle += np.arctan2(imaginary, 1 - short) @ law.counts[laws]
        keep = log_modulus > -FLOOR
        index, log_modulus, angle = index[keep], log_modulus[keep], angle[keep]
        if not len(index):
            break
    return Spectrum(index, log_modulus, angle, points)


def _blocks(law: LawSum, order: Array, rows: int) -> Iterable[Array]:
    """Laws in an order, cut so that a table of so many rows over the points of a block stays small, and the first are few."""
    block = np.cumsum(law.lengths[order]) * rows // BLOCK
    growing = FIRST_BLOCK * (2 ** np.arange(1, 40) - 1)
    cuts = np.union1d(np.flatnonzero(np.diff(block)) + 1, growing[growing < len(order)])
    return np.split(order, cuts)


def _entries(law: LawSum, laws: Array) -> tuple[Array, Array]:
    """Where the points of some laws stand, and where each law begins among these."""
    lengths = law.lengths[laws]
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return np.repeat(law.starts[laws] - starts, lengths) + np.arange(int(lengths.sum())), starts


def _survivors(law: LawSum, masses: Array, points: int) -> Array:
    """Indices 0..M/2 at which the characteristic function may exceed its floor.

    On a box of half-width h about ω, |φ_i| ≤ |φ_i(ω)| + h·E|X_i - EX_i|, and every subset of the laws gives a valid bound.
    """
    last = points // 2
    work = float(last + 1) * len(law.points)
    if work <= SMALL_WORK:
        return np.arange(last + 1)
    means = law.sums(masses * law.points)
    spreads = law.sums(masses * np.abs(law.points - np.repeat(means, law.lengths)))
    # Laws that are still open tell most; among those a stride, so that any prefix is a fair sample.
    stride = np.argsort((np.arange(len(law.counts)) * 0.6180339887498949) % 1.0, kind="stable")
    order = stride[np.argsort(-law.counts[stride] * (spreads[stride] > 0), kind="stable")]
    step = 2 * np.pi / points
    typical = float(np.median(spreads[spreads > 0])) if (spreads > 0).any() else 1.0
    box = 1 if work <= GRID_WORK else max(1, int(2 * BOX / (typical * step)))
    boxes = last // box + 1
    bound, done, budget = np.zeros(boxes), 0, GRID_WORK
    half = (box - 1) / 2 * step
    while done < len(order) and np.count_nonzero(bound > -FLOOR) > FEW * boxes:
        one = order[done]
        entries = slice(int(law.starts[one]), int(law.starts[one] + law.lengths[one]))
        budget -= boxes * float(law.lengths[one])
        if budget < 0:
            raise BudgetError
        size = _sizes_on_grid(law.points[entries], masses[entries], half, box * step, boxes)
        bound += law.counts[one] * np.log(np.minimum(size + half * spreads[one], 1.0) + 1e-300)
        done += 1

    def undecided(centre: Array, half: Array, budget: float) -> tuple[Array, int]:
        return _undecided(law, masses, spreads, order, (centre, half), budget)

    first = np.flatnonzero(bound > -FLOOR) * box
    if box == 1 and done == len(order):
        return np.asarray(first)
    boxes_left = first[:, None], np.minimum(first + box - 1, last)[:, None]
    return branch_and_bound(undecided, np.array([step]), boxes_left, budget=SIEVE_BUDGET)[:, 0]


def _sizes_on_grid(places: Array, masses: Array, first: float, step: float, boxes: int) -> Array:
    """|Σ p exp(iωx)| at ω = first + step·k: with k = k1·width + k2 two short tables, and a matrix product of them."""
    width = math.isqrt(boxes) + 1
    fine = np.exp(1j * step * np.outer(places, np.arange(width)))
    coarse = masses * np.exp(1j * np.outer(first + step * width * np.arange(-(-boxes // width)), places))
    return np.asarray(np.abs(coarse @ fine).ravel()[:boxes])


def _undecided(
    law: LawSum, masses: Array, spreads: Array, order: Array, box: tuple[Array, Array], budget: float
) -> tuple[Array, int]:
    """Boxes whose bound stays above the floor after all laws, and the work it took to know."""
    centre, half = box
    bound, active = np.zeros(len(centre)), np.arange(len(centre))
    done = spent = 0
    while done < len(order) and len(active):
        laws = order[done : done + max(FIRST_LAWS, done)]
        entries, starts = _entries(law, laws)
        spent += len(active) * len(entries)
        if spent > budget:
            raise BudgetError
        for part in np.array_split(active, -(-len(active) * len(entries) // BLOCK) or 1):
            phase = centre[part] * law.points[entries]
            real = np.add.reduceat(np.cos(phase) * masses[entries], starts, axis=1)
            imaginary = np.add.reduceat(np.sin(phase) * masses[entries], starts, axis=1)
            size = np.hypot(real, imaginary) + half[part] * spreads[laws]
            bound[part] += np.log(np.minimum(size, 1.0) + 1e-300) @ law.counts[laws]
        active = active[bound[active] > -FLOOR]
        done += len(laws)
    return active, spent
