"""The law of a sum of sign flips and its tilts, which of its frequencies matter, and what many small flips add up to."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from outscore.core.numeric import LOG2, Array, median
from outscore.core.records import dataclass

# The law of a sum of sign flips, S = Σ ε_i v_i with fair coins ε_i = ±1, and its exponential tilts.
#
# Everything the kernels need of it in closed form: cumulant generating function K(θ) = Σ c log cosh(v·θ), its derivatives, the
# logarithm of the tilted characteristic function, and Chernoff windows outside which the mass is negligible. Values are rows of
# an (n, r) array with multiplicities, r = 1 on a line and r = 2 in the plane.
#
# Tilting by θ multiplies the probability of s by exp(θ·s - K(θ)); with the mean moved to the observed value a tail of any size
# becomes a number of moderate size times a known factor, so that relative accuracy survives (Daniels, 1954).
#
# On an integer lattice every phase v·ω is a whole number of turns over a common denominator, so `characteristic` reduces it
# modulo a full turn in integers before it becomes a float. That is what keeps eleven digits at ten million items.


FLOOR = 48.0
"""Characteristic-function values below exp(-FLOOR) are left out."""
NEGLIGIBLE = 46.0
"""Windows leave out at most exp(-NEGLIGIBLE), about 1e-20, of the tilted mass on each side."""
FIRST_STEP = 1.05
"""Where windows are sought first, in units of a normal law's step: far enough that it is the answer for most laws."""
FIRST_VALUES = 2
FIRST_BLOCK = 600
"""Flip values looked at first, one after the other; of few indices as many at a time as there are sines in a small table."""
BLOCK = 300_000
FLIPS = 10_000
"""Entries of a table of phases, and flips that are taken at a time."""


class BudgetError(Exception):
    """The method would need more memory or time than it is allowed; the next one is asked."""


def log_cosh(x: Array) -> Array:
    """log cosh x without cancellation near 0 or overflow far out."""
    x = np.abs(x)
    half = np.sinh(np.minimum(x, 1.0) / 2)
    near = np.log1p(2 * half * half)
    if x.max(initial=0.0) < 1:
        return np.asarray(near)
    return np.asarray(np.where(x < 1, near, x + np.log1p(np.exp(-2 * x)) - LOG2))


def _sech2(x: Array) -> Array:
    """1 / cosh² x without cancellation or overflow far out."""
    decay = np.exp(-2 * np.abs(x))
    return np.asarray(4 * decay / np.square(1 + decay))


def _log_density(x: Array, tanh: Array) -> Array:
    """log cosh x - x tanh x of x ≥ 0, without the cancellation of two large numbers far out."""
    near = log_cosh(x) - x * tanh
    if float(x.max(initial=0.0)) < 1:
        return np.asarray(near)
    decay = np.exp(-2 * x)
    return np.asarray(np.where(x < 1, near, np.log1p(decay) - LOG2 + 2 * x * decay / (1 + decay)))


def log_factor(x: Array, tanh: Array, sech2: Array) -> tuple[Array, Array]:
    """Log modulus and angle of cos x + i·tanh·sin x, one flip's tilted characteristic function.

    The modulus comes from 1 - |z|² = sin² x · sech², which loses no digits where |z| is near 1.
    """
    sine, cosine = np.sin(x), np.cos(x)
    imaginary = tanh * sine
    deficit = sine * sine * sech2
    log_modulus = 0.5 * np.log1p(-np.minimum(deficit, 0.5))
    far = deficit > 0.5
    if far.any():
        with np.errstate(divide="ignore"):
            log_modulus[far] = np.log(np.hypot(cosine[far], imaginary[far]))
    return log_modulus, np.arctan2(imaginary, cosine)


class TiltedSum(ABC):
    """A sum of independent parts whose exponential tilts are known: what windows and saddle points are found from."""

    @abstractmethod
    def log_mgf(self, theta: Array) -> float:
        """K(θ), the logarithm of E exp(θ·S)."""

    @abstractmethod
    def mean(self, theta: Array) -> Array:
        """K'(θ), the mean of the tilted sum."""

    @abstractmethod
    def covariance(self, theta: Array) -> Array:
        """K''(θ), the covariance of the tilted sum."""

    @abstractmethod
    def varies(self, direction: Array) -> bool:
        """Whether any part varies in a direction, however little a tilt leaves of it."""

    def log_corner(self, theta: Array, direction: Array) -> float:  # noqa: ARG002
        """The logarithm of the probability that S is as large in a direction as it can be; -inf where it is negligible."""
        return -math.inf

    def window(self, theta: Array, direction: Array, limit: float, nats: float = NEGLIGIBLE) -> tuple[float, float]:
        """How far above and below its mean the tilted sum lies in a direction, but for exp(-nats) of its mass on either side.

        The smallest R with P_θ(direction·(S - mean) ≥ R) ≤ exp(-nats), by Chernoff, and the same of the opposite direction;
        `limit` is the largest possible.
        """
        here, origin = self.log_mgf(theta), float(self.mean(theta) @ direction)
        spread = float(direction @ self.covariance(theta) @ direction)
        up, down = (self._reach(theta, sign * direction, limit, nats, here, sign * origin, spread) for sign in (1.0, -1.0))
        return up, down

    def _reach(
        self, theta: Array, direction: Array, limit: float, nats: float, here: float, origin: float, spread: float
    ) -> float:
        def excess(step: float) -> float:
            moved = theta + step * direction
            return self.log_mgf(moved) - here - step * float(self.mean(moved) @ direction) + nats

        if spread == 0.0:
            return limit if self.varies(direction) else 0.0
        if self.log_corner(theta, direction) > -nats:
            return limit
        step = _just_negative(excess, FIRST_STEP * math.sqrt(2 * nats / spread))
        if step is None:
            return limit
        return min(limit, float(self.mean(theta + step * direction) @ direction) - origin)


@dataclass(frozen=True)
class FlipSum(TiltedSum):
    """Distinct flip values (n, r) with their counts (n,), none of them zero."""

    values: Array
    counts: Array

    def projections(self, theta: Array) -> Array:
        """v·θ for every distinct value."""
        if self.line is not None:
            return np.asarray(self.line * theta[0])
        # Column by column: a matrix product would wake all threads of the linear-algebra library for a
        # millisecond's work.
        (first, *others), (t, *rest) = self.values.T, theta.tolist()
        total = first * t
        for column, tilt in zip(others, rest, strict=True):
            total += column * tilt
        return np.asarray(total)

    @cached_property
    def line(self) -> Array | None:
        """The values of a law on one axis, which is asked most and spared the loop over axes; None of others."""
        return np.ascontiguousarray(self.values[:, 0]) if self.values.shape[1] == 1 else None

    @cached_property
    def spread(self) -> Array:
        """The covariance of the sum as it is, which no tilt exceeds."""
        if self.line is not None:
            return np.array([[np.add.reduce(self.counts * self.line * self.line)]])
        return np.array([[np.add.reduce(self.counts * x * y) for y in self.values.T] for x in self.values.T])

    def log_mgf(self, theta: Array) -> float:
        """K(θ)."""
        return float(np.add.reduce(self.counts * log_cosh(self.projections(theta))))

    def mean(self, theta: Array) -> Array:
        """K'(θ), the mean of the tilted sum."""
        weight = self.counts * np.tanh(self.projections(theta))
        if self.line is not None:
            return np.array([np.add.reduce(weight * self.line)])
        return np.array([np.add.reduce(weight * column) for column in self.values.T])

    def covariance(self, theta: Array) -> Array:
        """K''(θ), the covariance of the tilted sum."""
        weight = self.counts * self.sech2(theta)
        if self.line is not None:
            return np.array([[np.add.reduce(weight * self.line * self.line)]])
        return np.array([[np.add.reduce(weight * x * y) for y in self.values.T] for x in self.values.T])

    def line_moments(self, theta: float) -> tuple[float, float]:
        """K'(θ) and K''(θ) of a law on a line."""
        sizes = self.values[:, 0]
        x = sizes * theta
        weight = self.counts * sizes
        mean = np.add.reduce(weight * np.tanh(x))
        weight *= sizes
        weight *= _sech2(x)
        return float(mean), float(np.add.reduce(weight))

    def varies(self, direction: Array) -> bool:
        """Whether any flip moves the sum in a direction."""
        return bool((self.values @ direction).any())

    def log_corner(self, theta: Array, direction: Array) -> float:
        """Every flip that moves the sum in a direction moves it forwards; of very many a few tell that not all will."""
        total = 0.0
        for start in range(0, len(self.counts), FLIPS):
            part = FlipSum(self.values[start : start + FLIPS], self.counts[start : start + FLIPS])
            tilted, moves = part.projections(theta), part.projections(direction)
            forwards = np.sign(moves) * tilted - log_cosh(tilted) - LOG2
            total += float((part.counts * np.where(moves != 0, forwards, 0.0)).sum())
            if total < -NEGLIGIBLE:
                return -math.inf
        return total

    def sech2(self, theta: Array) -> Array:
        """sech²(v·θ), the variance of one tilted flip."""
        return _sech2(self.projections(theta))

    def log_density_factor(self, theta: Array) -> float:
        """K(θ) - θ·K'(θ), summed so that no digits cancel."""
        x = np.abs(self.projections(theta))
        return math.fsum((self.counts * _log_density(x, np.tanh(x))).tolist())

    def log_scale(self, theta: float, observed: float) -> float:
        """K(θ) - θ·observed of a law on a line at θ ≥ 0, summed in the same way."""
        x = self.values[:, 0] * theta
        tanh = np.tanh(x)
        mean = float(np.add.reduce(self.counts * self.values[:, 0] * tanh))
        return math.fsum((self.counts * _log_density(x, tanh)).tolist()) + theta * (mean - observed)


def _just_negative(f: Callable[[float], float], step: float) -> float | None:
    """A point where a decreasing function that starts positive lies between -8 and 0; None if it never gets below 0.

    A window a little too wide costs a few grid points, so the search stops early; the first guess is right
    for a normal law.
    """
    low = 0.0
    for _ in range(60):
        value = f(step)
        if value < 0:
            break
        low, step = step, 1.2 * step
    else:
        return None
    while value < -8 and step - low > 1e-3 * step:
        middle = (low + step) / 2
        there = f(middle)
        if there < 0:
            step, value = middle, there
        else:
            low = middle
    return step


def characteristic(
    index: Array, turns: Callable[[Array, Array], Array], half_turn: int, counts: Array, tanh: Array, sech2: Array
) -> tuple[Array, Array, Array]:
    """Indices that stay above the floor, with log modulus and angle of Π (cos x + i tanh sin x)^count there.

    `turns(index, which)` gives the phases of some flip values as integers in [0, 2·half_turn); x =
    π·turns/half_turn. Most indices drop out by sines alone, since log|z| ≤ -½ sin² x · sech² of any values.
    """
    weight = counts * sech2
    order = (-weight).argsort(kind="stable")
    decay = np.zeros(len(index))
    first = 0
    while first < min(FIRST_VALUES, len(order)):
        these = order[first : first + max(1, FIRST_BLOCK // max(1, len(index)))]
        sine = np.sin(turns(index, these) * (np.pi / half_turn))
        decay += (sine * sine) @ weight[these]
        keep = decay < 2 * FLOOR
        index, decay = index[keep], decay[keep]
        first += len(these)
    log_modulus, angle = np.zeros(len(index)), np.zeros(len(index))
    done = 0
    while done < len(order) and len(index):
        width = max(1, BLOCK // len(index))
        these = order[done : done + width]
        phase = turns(index, these)
        halves = np.rint(phase / half_turn).astype(np.int64)
        modulus, argument = log_factor(np.pi * ((phase - halves * half_turn) / half_turn), tanh[these], sech2[these])
        log_modulus += modulus @ counts[these]
        angle += argument @ counts[these] + np.pi * ((halves @ (counts[these] % 2)) % 2)
        keep = log_modulus > -FLOOR
        index, log_modulus, angle = index[keep], log_modulus[keep], angle[keep]
        done += width
    return index, log_modulus, angle


# Which frequencies matter: branch and bound on the characteristic function.
#
# |φ(ω)| is a product of many factors below 1 and negligible at all but a few grid frequencies. Instead of
# evaluating the grid, cover it by boxes. On a box with centre ω and half-widths h, |v·ω' | moves by at most
# |v|·h, hence
#
#     log |φ| ≤ ½ Σ c log(1 - sech²(v·θ) · max(0, |sin(v·ω)| - |v|·h)²)
#
# and every subset of the items gives a valid bound. Boxes that fall below the floor are dropped whole, the others are split
# until single frequencies remain. No frequency above the floor can be lost.


Boxes = tuple[Array, Array]
Undecided = Callable[[Array, Array, float], tuple[Array, int]]

SMALL_GRID = 2_048
SMALL_WORK = 3e5
"""Grids of few points, or of few sines in all, are cheaper to evaluate than to sieve."""
FIRST_ITEMS = 64
COARSEST, SHARE_ROUNDED = 0.01, 1e-5
"""What single precision may move a sine by, and what share it may move a sum of logarithms by."""
SIEVE_BLOCK = 1 << 20
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
    if grid * len(values) <= SMALL_WORK:
        return _cover(low, high, np.ones(axes, dtype=np.int64))[0]
    typical = np.array([median(column[column > 0]) if (column > 0).any() else 0.0 for column in np.abs(values.astype(float)).T])
    with np.errstate(divide="ignore"):
        size = np.minimum(0.7 / axes / (typical * step), high - low + 1.0)
    box = np.maximum(1, size).astype(np.int64)
    if math.prod((-(-(high - low + 1) // box)).tolist()) * FIRST_ITEMS > budget:
        raise BudgetError
    return sift(values, counts, sech2, step, _cover(low, high, box, high), budget=budget, floor=floor)


def sift(
    values: Array, counts: Array, sech2: Array, step: Array, boxes: Boxes, *, budget: float, floor: float = FLOOR
) -> Array:
    """Grid indices in these boxes at which |φ(j·step)| may exceed exp(-floor)."""
    order = _useful_first(values, counts, sech2)
    values, counts, sech2 = values[order].astype(float), counts[order].astype(float), sech2[order]

    def undecided(centre: Array, half: Array, left: float) -> tuple[Array, int]:
        return _undecided_boxes(values, counts, sech2, centre, half, left, floor)

    return branch_and_bound(undecided, step, boxes, budget=budget)


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
    kind, rounding = precision(float(np.abs(centre).max(axis=0) @ absolute.max(axis=0)) if len(values) else 0.0)
    while done < len(values) and len(active):
        width = min(max(FIRST_ITEMS, 3 * done), max(FIRST_ITEMS, SIEVE_BLOCK // len(active)), len(values) - done)
        items = slice(done, done + width)
        spent += len(active) * width
        if spent > budget:
            raise BudgetError
        sizes, weights = absolute[items].astype(kind), sech2[items].astype(kind)
        pieces = -(-len(active) * width // (2 * SIEVE_BLOCK))
        for part in [active] if pieces <= 1 else np.array_split(active, pieces):
            slack = _projected(centre[part], values[items]).astype(kind, copy=False)
            np.sin(slack, out=slack)
            np.abs(slack, out=slack)
            slack -= _projected(half[part].astype(kind), sizes)
            slack -= rounding
            np.maximum(slack, 0.0, out=slack)
            slack *= slack
            slack *= -weights
            np.log1p(slack, out=slack)
            bound[part] += 0.5 * (slack @ counts[items])
        active = active[bound[active] * (1 - SHARE_ROUNDED) > -floor]
        done += width
    return active, spent


def _projected(rows: Array, values: Array) -> Array:
    """rows @ values.T; on one axis nothing is added up, and a product of matrices would take thrice as long."""
    return np.multiply.outer(rows[:, 0], values[:, 0]) if values.shape[1] == 1 else np.asarray(rows @ values.T)


def precision(largest: float) -> tuple[type[np.floating[Any]], float]:
    """The kind of numbers in which sines of angles up to the largest are taken to bound |φ|, and what rounding moves one by.

    Processors take sines in single precision ten times as fast. A bound gives up as much as rounding may have added.
    """
    moved = largest * 2.0**-23 + 2e-6
    return (np.float32, moved) if moved < COARSEST else (np.float64, largest * 2.0**-52 + 2e-15)


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


# A great many flips near one tilt: cumulants by Taylor's series instead of a pass over all sizes for every question.
#
# K(z) = Σ c log cosh(az) is analytic where |Im az| < π/2. Flips so small that |as| ≤ π/8 in the disc |s| ≤ radius therefore
# have
#
#     K(θ₀ + s) = Σ_k C_k s^k,    C_k = Σ c a^k [log cosh]^(k)(θ₀a) / k!
#
# with a remainder that is known: log cosh' = tanh has simple poles at ±iπ/2, ±3iπ/2, … only, so that its k-th coefficient is at
# most 2.47/k·(2/π)^k at any real point, and what stands beyond degree T adds up to less than
#
#     2.47/(T + 1) · (2/π)² · |s|² Σ c a² · q^(T-1) / (1 - q),    q = 2/π · π/8 = 1/4.
#
# One pass over the sizes then answers for the saddle point, the window and the characteristic function. The flips that are too
# large are few, at most (8·radius/π)² Σ c a², and are taken one by one.


MANY = 10_000
"""Fewer sizes than this are asked one by one: that is as quick, and needs no remainder."""
DEGREE = 28
SMALL = math.pi / 8
RATIO = 2 / math.pi * SMALL
EXPANSION_BLOCK = 1 << 14
"""Sizes expanded at a time: their coefficients stay in the processor's cache."""


@dataclass(frozen=True)
class Expanded(FlipSum):
    """A law of flips on a line that knows its cumulants near a tilt; further away they are summed as ever.

    `coefficients` are those of the small flips, `large` are the others, and `remainder` bounds what the
    series leaves out.
    """

    centre: float
    radius: float
    coefficients: Array
    large: FlipSum
    remainder: float

    def log_mgf(self, theta: Array) -> float:
        """K(θ)."""
        return float(self._series(theta, 0)[0]) + self.large.log_mgf(theta) if self._near(theta) else super().log_mgf(theta)

    def mean(self, theta: Array) -> Array:
        """K'(θ)."""
        return self._series(theta, 1) + self.large.mean(theta) if self._near(theta) else super().mean(theta)

    def covariance(self, theta: Array) -> Array:
        """K''(θ)."""
        if not self._near(theta):
            return super().covariance(theta)
        return self._series(theta, 2)[:, None] + self.large.covariance(theta)

    def line_moments(self, theta: float) -> tuple[float, float]:
        """K'(θ) and K''(θ)."""
        at = np.array([theta])
        return float(self.mean(at)[0]), float(self.covariance(at)[0, 0])

    def max_frequency(self, theta: Array) -> float:
        """The frequency up to which `log_characteristic` serves."""
        return math.sqrt(max(0.0, self.radius**2 - (float(theta[0]) - self.centre) ** 2))

    def log_characteristic(self, theta: Array, omega: Array) -> Array:
        """log φ_θ(ω) = K(θ + iω) - K(θ) of the small flips."""
        here = float(theta[0]) - self.centre
        return np.asarray(_value(self.coefficients, here + 1j * omega) - _value(self.coefficients, here))

    def _near(self, theta: Array) -> bool:
        return abs(float(theta[0]) - self.centre) <= self.radius

    def _series(self, theta: Array, order: int) -> Array:
        coefficients = self.coefficients
        for _ in range(order):
            coefficients = coefficients[1:] * np.arange(1, len(coefficients))
        return np.asarray(_value(coefficients, theta - self.centre))


def _value(coefficients: Array, x: Any) -> Any:  # noqa: ANN401 - a number or an array of them
    """Horner's rule; numpy's own takes complex arrays through powers."""
    value = coefficients[-1] + 0 * x
    for coefficient in coefficients[-2::-1]:
        value = value * x + coefficient
    return value


def expand(law: FlipSum, centre: float, radius: float) -> FlipSum:
    """The same law, expanded in the disc |θ - centre| ≤ radius; as it is where most of its flips are too large for that.

    Examples
    --------
    >>> law = FlipSum(np.linspace(0.5, 1.5, 20_000)[:, None], np.ones(20_000))
    >>> near = expand(law, 0.0, 0.1)
    >>> theta = np.array([0.02])
    >>> abs(near.log_mgf(theta) / law.log_mgf(theta) - 1) < 1e-14
    True
    """
    sizes, counts = law.values[:, 0], law.counts
    small = sizes * radius <= SMALL
    if 2 * int(small.sum()) < len(sizes):
        return law
    a, c = sizes[small], counts[small]
    squares = float(c @ (a * a))
    return Expanded(
        law.values,
        law.counts,
        centre=centre,
        radius=radius,
        coefficients=_coefficients(a, c, centre),
        large=FlipSum(law.values[~small], law.counts[~small]),
        remainder=2.47 / (DEGREE + 1) * (2 / math.pi * radius) ** 2 * squares * RATIO ** (DEGREE - 1) / (1 - RATIO),
    )


def _coefficients(a: Array, c: Array, centre: float) -> Array:
    """C_0 … C_T of Σ c log cosh(a(centre + s))."""
    coefficients = np.zeros(DEGREE + 1)
    coefficients[0] = FlipSum(a[:, None], c).log_mgf(np.array([centre])) if centre else 0.0
    at_origin = _tanh_series(np.zeros(1)) if not centre else None
    for start in range(0, len(a), EXPANSION_BLOCK):
        here = slice(start, start + EXPANSION_BLOCK)
        series = at_origin or _tanh_series(centre * a[here])
        weight = c[here].copy()
        for k in range(1, DEGREE + 1):
            weight *= a[here]
            # At the origin log cosh is even.
            if centre or k % 2 == 0:
                coefficients[k] += float((weight * series[k - 1]).sum()) / k
    return coefficients


def _tanh_series(x: Array) -> list[Array]:
    """The Taylor coefficients of tanh at x, from tanh' = 1 - tanh²."""
    t = [np.tanh(x)]
    for k in range(DEGREE - 1):
        # The square's coefficients are symmetric: every product but the middle one occurs twice.
        square = sum((t[j] * t[k - j] for j in range((k + 1) // 2)), np.zeros_like(x)) * 2
        if k % 2 == 0:
            square = square + t[k // 2] ** 2
        t.append(((1.0 if k == 0 else 0.0) - square) / (k + 1))
    return t
