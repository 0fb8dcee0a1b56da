"""A sum of independent finite laws under a tilt: K(θ) = Σ c log Σ_x p(x) exp(θx), its derivatives, and the θ of a sum.

Tilts are taken about each law's mean, so that no first-order term has to cancel.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.exact.flipsum import BudgetError, TiltedSum
from outscore.exact.lattice import MAX_POINTS, ORIGIN
from outscore.exact.laws.finite import Law

__all__ = ["LawSum", "saddle_point"]

SERIES = 18
"""Terms of a series of factorials up to which |y| ≤ 1 has all digits."""


@dataclass(frozen=True, eq=False)
class LawSum(TiltedSum):
    """Independent laws with their counts, end to end: each begins at 0, in steps of their common divisor.

    `points` and `log_mass` are those of all laws, `starts` where each begins; S = bottom + step · Σ X.
    """

    points: Array
    log_mass: Array
    starts: Array
    counts: Array
    bottom: int
    step: int

    @classmethod
    def of(cls, laws: dict[Law, int]) -> LawSum:
        """The sum of laws with two points at the least."""
        lengths = [len(law.support) for law in laws]
        moved = [x - law.support[0] for law in laws for x in law.support]
        step = math.gcd(*moved)
        if max(moved) // step >= MAX_POINTS:
            raise BudgetError
        return cls(
            np.array([x // step for x in moved], dtype=np.int64),
            np.array([mass for law in laws for mass in law.log_mass]),
            np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
            np.array(list(laws.values()), dtype=np.int64),
            sum(count * law.support[0] for law, count in laws.items()),
            step,
        )

    @cached_property
    def lengths(self) -> Array:
        """How many points each law has."""
        return np.asarray(np.diff(self.starts, append=len(self.points)))

    @cached_property
    def extreme(self) -> int:
        """The largest sum, in steps from the bottom."""
        return int(self.points[self.starts + self.lengths - 1] @ self.counts)

    @cached_property
    def centres(self) -> Array:
        """The mean of each law."""
        return self.sums(np.exp(self.log_mass) * self.points)

    @cached_property
    def deviations(self) -> Array:
        """Points less the mean of their law."""
        return np.asarray(self.points - np.repeat(self.centres, self.lengths))

    def sums(self, terms: Array) -> Array:
        """Terms that stand beside the points, added up law by law."""
        return np.asarray(np.add.reduceat(terms, self.starts, axis=-1))

    def mirrored(self) -> LawSum:
        """The law of extreme - S: every law reflected in its own range."""
        top = np.repeat(self.points[self.starts + self.lengths - 1], self.lengths)
        # Reflected points descend, so each law is turned round.
        order = np.repeat(2 * self.starts + self.lengths - 1, self.lengths) - np.arange(len(self.points))
        return LawSum((top - self.points)[order], self.log_mass[order], self.starts, self.counts, 0, 1)

    def _tilt(self, theta: float) -> tuple[Array, Array]:
        """For every law K(θ) - θμ and K'(θ) - μ, μ its mean."""
        y = theta * self.deviations
        near = np.repeat(np.maximum.reduceat(np.abs(y), self.starts) <= 1, self.lengths)
        mass = np.exp(self.log_mass)
        # Near 0 both are sums of positive terms of second order; further out the largest exponent is taken
        # out.
        small = np.where(near, y, 0.0)
        excess = self.sums(mass * _expm1_less(small))
        top = np.maximum.reduceat(self.log_mass + y, self.starts)
        weight = np.exp(self.log_mass + y - np.repeat(top, self.lengths))
        whole = self.sums(weight)
        here = near[self.starts]
        log_mgf = np.where(here, np.log1p(excess), top + np.log(whole))
        shift = np.where(
            here,
            self.sums(mass * self.deviations * np.expm1(small)) / (1 + excess),
            self.sums(weight * self.deviations) / whole,
        )
        return log_mgf, shift

    def log_mgf(self, theta: Array) -> float:
        """K(θ) less θ times the mean of S, in steps from the bottom."""
        return float(self.counts @ self._tilt(float(theta[0]))[0])

    def mean(self, theta: Array) -> Array:
        """K'(θ) less the mean of S."""
        return np.array([self.counts @ self._tilt(float(theta[0]))[1]])

    def covariance(self, theta: Array) -> Array:
        """K''(θ)."""
        log_mgf, shift = self._tilt(float(theta[0]))
        square = self.sums(self.tilted(theta, log_mgf) * (self.deviations - np.repeat(shift, self.lengths)) ** 2)
        return np.array([[self.counts @ square]])

    def varies(self, direction: Array) -> bool:
        """Laws have two points at the least."""
        return bool(direction.any())

    def tilted(self, theta: Array, log_mgf: Array | None = None) -> Array:
        """The probabilities of all points under the tilt."""
        t = float(theta[0])
        log_mgf = self._tilt(t)[0] if log_mgf is None else log_mgf
        return np.asarray(np.exp(self.log_mass + t * self.deviations - np.repeat(log_mgf, self.lengths)))

    def log_density_factor(self, theta: Array) -> float:
        """K(θ) - θ·K'(θ)."""
        log_mgf, shift = self._tilt(float(theta[0]))
        return math.fsum(self.counts * (log_mgf - float(theta[0]) * shift))


def _expm1_less(y: Array) -> Array:
    """exp y - 1 - y for |y| ≤ 1, by its series: the difference of the two would lose digits near 0."""
    total = np.ones_like(y)
    for k in range(SERIES, 2, -1):
        total = 1 + y / k * total
    return np.asarray(y * y / 2 * total)


def saddle_point(law: LawSum, excess: float) -> Array:
    """θ ≥ 0 with K'(θ) - mean = excess, nearly: Newton's steps inside a bracket; 0 where the excess is none.

    The tilt identity holds for every θ, so few digits do.
    """
    theta, low, high = ORIGIN, 0.0, math.inf
    if excess <= 0:
        return ORIGIN
    tolerance = 1e-9 * math.sqrt(float(law.covariance(ORIGIN)[0, 0]))
    for _ in range(200):
        miss = excess - float(law.mean(theta)[0])
        if abs(miss) <= tolerance:
            break
        low, high = (float(theta[0]), high) if miss > 0 else (low, float(theta[0]))
        spread = float(law.covariance(theta)[0, 0])
        step = theta[0] + miss / spread if spread > 0 else math.inf
        if not low < step < high:
            step = 2 * low + 1e-6 if high == math.inf else (low + high) / 2
        theta = np.array([min(step, 4 * theta[0]) if theta[0] else step])
    return theta
