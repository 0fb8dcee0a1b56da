"""The law of a sum of sign flips, S = Σ ε_i v_i with fair coins ε_i = ±1, and its exponential tilts.

Everything the kernels need of it in closed form: cumulant generating function K(θ) = Σ c log cosh(v·θ), its
derivatives, the logarithm of the tilted characteristic function, and Chernoff windows outside which the mass
is negligible. Values are rows of an (n, r) array with multiplicities, r = 1 on a line and r = 2 in the plane.

Tilting by θ multiplies the probability of s by exp(θ·s - K(θ)); with the mean moved to the observed value a
tail of any size becomes a number of moderate size times a known factor, so that relative accuracy survives
(Daniels, 1954).

On an integer lattice every phase v·ω is a whole number of turns over a common denominator, so
`characteristic` reduces it modulo a full turn in integers before it becomes a float. That is what keeps
eleven digits at ten million items.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property

import numpy as np

from outscore.core.numeric import LOG2, Array
from outscore.core.records import dataclass

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
