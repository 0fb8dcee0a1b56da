"""Exact probabilities of a region under a sum of integer sign flips in the plane.

The region holds the sums (s1, s2) that are at least as extreme as the observed one. It hands the kernel, row by row (s2
fixed), the runs of lattice points that belong to it, with ties decided exactly. For a ratio u·x / v·x the two systems'
totals are (T ± S)/2 with T fixed, so with p = u·S, q = v·S, U = u·T, V = v·T

    score_a - score_b ≥ ξ   ⟺   2Vp - 2Uq ≥ ξ (V² - q²)

which at fixed q is a half-line in p with a rational edge: no bisection, and two axes however many columns the
metric has.

The kernel is the two-axis sibling of `lattice`: φ(ω1, ω2) = Π (cos(v·ω) + i tanh(v·θ) sin(v·ω))^c on a grid that covers a
window of all but 1e-20 of the tilted mass. The few frequencies that survive the sieve are grouped by ω1; one
FFT per group gives the mass of every row, and a run of points in a row is a geometric series.

Without a tilt the absolute error is about 1e-14. Small probabilities are tilted towards the likeliest point
of the region's boundary, which restores relative accuracy; the rounding error is estimated from the size of
the terms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Protocol

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.exact.flipsum import BudgetError, FlipSum, characteristic, survivors

MAX_GRID_POINTS = 1 << 24
CHUNK = 1 << 18
NEAR = 1e-9
TILT_BELOW = 1e-3
MAX_LOG_WEIGHT = 8.0
WORST_ERROR = 1e-7
RIDGE = 0.01
SIEVE_BUDGET = 5e7
MAX_SURVIVORS = 60_000
MAX_PMF_POINTS = 1 << 24
AXES = np.eye(2)
EPS = 2.0**-52


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


@dataclass(frozen=True)
class PlaneTail:
    """Natural logarithms of the region's probability and of the ties in it, with the estimated relative error."""

    log: float
    log_atom: float
    error: float


@dataclass(frozen=True)
class _Window:
    """Lattice points low + 2i, 0 ≤ i < points, on both axes."""

    low: tuple[int, int]
    points: tuple[int, int]


def histogram(vectors: Array) -> tuple[Array, Array]:
    """Distinct non-zero vectors up to sign, with counts: flipping v and -v is the same coin."""
    vectors = vectors[vectors.any(axis=1)]
    if not len(vectors):
        return np.empty((0, 2), dtype=np.int64), np.empty(0, dtype=np.int64)
    sign = np.where(vectors[:, 0] != 0, np.sign(vectors[:, 0]), np.sign(vectors[:, 1]))
    vectors = vectors * sign[:, None]
    low = vectors.min(axis=0)
    width = vectors.max(axis=0) - low + 1
    if float(width[0]) * float(width[1]) < 2.0**62:
        keys, counts = np.unique((vectors[:, 0] - low[0]) * width[1] + vectors[:, 1] - low[1], return_counts=True)
        return np.stack([keys // width[1] + low[0], keys % width[1] + low[1]], axis=1), counts
    return np.unique(vectors, axis=0, return_counts=True)


def tail(values: Array, counts: Array, region: Region, *, tilt: bool = True) -> PlaneTail:
    """Probability of `region` under Σ ε v for distinct integer vectors v (n, 2) with counts c.

    A tilt looks at the part of the plane where a region that grows with s1 begins. Without `tilt` the whole law
    is summed, whatever the shape of the region; digits then run out at small probabilities.
    """
    law = FlipSum(values.astype(float), counts.astype(float))
    plain = _evaluate(values, counts, law, np.zeros(2), region)
    if plain is not None and plain.log >= math.log(TILT_BELOW):
        return plain
    if not tilt:
        if plain is not None and math.isfinite(plain.log) and plain.error < WORST_ERROR:
            return plain
        raise BudgetError
    theta = _dominating_tilt(law, region, np.abs(values.T) @ counts)
    for _ in range(30):
        result = _evaluate(values, counts, law, theta, region)
        if result is not None and math.isfinite(result.log) and result.error < WORST_ERROR:
            return result
        theta = 0.8 * theta
    raise BudgetError


def _evaluate(values: Array, counts: Array, law: FlipSum, theta: Array, region: Region) -> PlaneTail | None:
    """The tilted sum; None where the weight of a point is so large that it would cost the digits of the others."""
    mean = law.mean(theta)
    window = _window(values, counts, law, theta, mean)
    index, phi = spectrum(values, counts, law, theta, window.points)
    rows = window.low[1] + 2 * np.arange(window.points[1], dtype=np.int64)
    inside, ties = region.runs(rows, window.low[0], window.points[0])
    if _largest_log_weight(inside, window, theta, mean) >= MAX_LOG_WEIGHT:
        return None
    groups, masses = _row_masses(index, phi, window)
    total, size = _sum_runs(inside, groups, masses, window, theta, mean)
    atom, _ = _sum_runs(ties, groups, masses, window, theta, mean)
    scale = law.log_density_factor(theta)
    error = EPS * size / total if total > 0 else math.inf
    return PlaneTail(scale + _log(total), scale + _log(atom) if len(ties.row) else -math.inf, error)


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def _window(values: Array, counts: Array, law: FlipSum, theta: Array, mean: Array) -> _Window:
    low, points = [], []
    for axis in (0, 1):
        extreme = int(np.abs(values[:, axis]) @ counts)
        parity = int(values[:, axis] @ counts)
        above, below = law.window(theta, AXES[axis], 2.0 * extreme)
        top = min(extreme, math.ceil(mean[axis] + above) + 1)
        bottom = max(-extreme, math.floor(mean[axis] - below) - 1)
        bottom += (bottom - parity) % 2
        low.append(bottom)
        points.append(max(1, (top - bottom) // 2 + 1))
    return _Window((low[0], low[1]), (points[0], points[1]))


def spectrum(values: Array, counts: Array, law: FlipSum, theta: Array, points: tuple[int, int]) -> tuple[Array, Array]:
    """Surviving grid indices of a half plane (0 ≤ l ≤ M2/2) and the tilted characteristic function there."""
    m1, m2 = points
    if 4.0 * m1 * m2 >= 2.0**62:
        raise BudgetError
    sech2 = law.sech2(theta)
    step = np.pi / np.array([m1, m2])
    high = np.array([m1 - 1, m2 // 2])
    index = survivors(law.values, counts, sech2, step, np.zeros(2), high, budget=SIEVE_BUDGET)
    if len(index) > 20 * MAX_SURVIVORS:
        raise BudgetError

    def turns(j: Array, which: Array) -> Array:
        v1, v2 = values[which, 0] % (2 * m1), values[which, 1] % (2 * m2)
        return np.asarray((j[:, :1] * v1 % (2 * m1)) * m2 + (j[:, 1:] * v2 % (2 * m2)) * m1)

    index, log_modulus, angle = characteristic(index, turns, m1 * m2, counts, np.tanh(law.projections(theta)), sech2)
    if len(index) > MAX_SURVIVORS:
        raise BudgetError
    return index, np.exp(log_modulus + 1j * angle)


def _row_masses(index: Array, phi: Array, window: _Window) -> tuple[Array, Array]:
    """For every surviving ω1 the transform over ω2: a (groups, rows) array."""
    m1, m2 = window.points
    weight = np.where((index[:, 1] == 0) | (2 * index[:, 1] == m2), 1.0, 2.0) / (m1 * m2)
    shift = np.exp(-1j * np.pi * (index[:, 1] * (window.low[1] % (2 * m2)) % (2 * m2) / m2))
    groups, member = np.unique(index[:, 0], return_inverse=True)
    dense = np.zeros((len(groups), m2), dtype=complex)
    dense[member, index[:, 1]] = weight * phi * shift
    return groups, np.fft.fft(dense, axis=1)


def _sum_runs(runs: Runs, groups: Array, masses: Array, window: _Window, theta: Array, mean: Array) -> tuple[float, float]:
    """Σ over runs of exp(-θ·(s - mean)) times the tilted mass, and the sum of the terms' sizes."""
    if not len(runs.row):
        return 0.0, 0.0
    m1 = window.points[0]
    first = window.low[0] + 2 * runs.start
    row = window.low[1] + 2 * runs.row
    weight = np.exp(-(theta[0] * (first - mean[0]) + theta[1] * (row - mean[1])))
    total, size = 0.0, 0.0
    for j, mass in zip(groups.tolist(), masses, strict=True):
        rate = -2 * theta[0] - 2j * np.pi * ((j if 2 * j <= m1 else j - m1) / m1)
        span = -2 * theta[0] * runs.count - 2j * np.pi * (j * runs.count % m1 / m1)
        series = np.expm1(span) / np.expm1(rate) if rate != 0 else runs.count
        turn = np.exp(-1j * np.pi * (j * (first % (2 * m1)) % (2 * m1) / m1))
        term = weight * turn * series * mass[runs.row]
        total += float(term.real.sum())
        size += float(np.abs(term).sum())
    return total, size


def _largest_log_weight(runs: Runs, window: _Window, theta: Array, mean: Array) -> float:
    if not len(runs.row):
        return 0.0
    first = window.low[0] + 2 * runs.start
    row = window.low[1] + 2 * runs.row
    log_weight = -(theta[0] * (first - mean[0]) + theta[1] * (row - mean[1]))
    return float((log_weight + np.maximum(0.0, -2 * theta[0] * (runs.count - 1))).max())


def _dominating_tilt(law: FlipSum, region: Region, extreme: Array) -> Array:
    """θ of the boundary point with the smallest (ridged) large-deviation rate.

    A normal approximation finds the neighbourhood, a golden-section search along the rows the point.
    """
    spread = law.spread
    inverse = np.linalg.pinv(spread)
    reach = 0.999 * float(extreme[1])
    rows = np.unique(
        np.concatenate([np.linspace(-reach, reach, 801), np.linspace(-1, 1, 801) * min(reach, 40 * math.sqrt(spread[1, 1]))])
    )
    points = np.stack([region.boundary(rows), rows], axis=1)
    start = float(rows[np.argmin(np.einsum("ij,jk,ik->i", points, inverse, points))])

    def rate(row: float) -> float:
        return _ridge_maximum(law, np.array([region.boundary(np.array([row]))[0], row]), spread)[1]

    width = 0.5 * math.sqrt(spread[1, 1]) + 1e-9
    best = _golden(rate, start, width, reach)
    return _ridge_maximum(law, np.array([region.boundary(np.array([best]))[0], best]), spread)[0]


def _golden(f: Callable[[float], float], start: float, width: float, reach: float) -> float:
    """Walk downhill in growing steps, then close in; enough digits for a tilt."""
    here, value = start, f(start)
    for sign in (1.0, -1.0):
        step = width
        for _ in range(40):
            there = min(max(here + sign * step, -reach), reach)
            lower = f(there)
            if there == here or lower >= value:
                break
            here, value, step = there, lower, 1.6 * step
    step = width
    for _ in range(12):
        step /= 2
        for there in (here - step, here + step):
            if abs(there) <= reach and (lower := f(there)) < value:
                here, value = there, lower
                break
    return here


def _ridge_maximum(law: FlipSum, target: Array, spread: Array) -> tuple[Array, float]:
    """argmax and max of θ·b - K(θ) - ½ρ θ'V₀θ by damped Newton; the ridge keeps θ finite for b on the hull."""
    ridge = RIDGE * spread
    theta = np.zeros(2)

    def loss(t: Array) -> float:
        return law.log_mgf(t) + 0.5 * float(t @ ridge @ t) - float(t @ target)

    value = 0.0
    for _ in range(60):
        gradient = law.mean(theta) + ridge @ theta - target
        step = -np.linalg.solve(law.covariance(theta) + ridge, gradient)
        size, slope = 1.0, float(gradient @ step)
        while size > 1e-10 and loss(theta + size * step) > value + 1e-4 * size * slope:
            size /= 2
        if size <= 1e-10:
            break
        theta = theta + size * step
        new = loss(theta)
        if value - new < 1e-9 * (1 + abs(new)):
            value = new
            break
        value = new
    return theta, -value


def pmf(values: Array, counts: Array) -> tuple[Array, Array]:
    """Points (P, 2) and probabilities inside a window of all but 1e-20 of the mass, by a two-axis inverse FFT."""
    law = FlipSum(values.astype(float), counts.astype(float))
    theta = np.zeros(2)
    window = _window(values, counts, law, theta, theta)
    m1, m2 = window.points
    if m1 * m2 > MAX_PMF_POINTS:
        raise BudgetError
    index, phi = spectrum(values, counts, law, theta, window.points)
    groups, masses = _row_masses(index, phi, window)
    dense = np.zeros((m1, m2), dtype=complex)
    turn = np.exp(-1j * np.pi * (groups * (window.low[0] % (2 * m1)) % (2 * m1) / m1))
    dense[groups] = masses * turn[:, None]
    mass = np.fft.fft(dense, axis=0).real
    axes = [low + 2 * np.arange(m, dtype=np.int64) for low, m in zip(window.low, window.points, strict=True)]
    s1, s2 = np.meshgrid(*axes, indexing="ij")
    return np.stack([s1.ravel(), s2.ravel()], axis=1), np.maximum(mass.ravel(), 0.0)
