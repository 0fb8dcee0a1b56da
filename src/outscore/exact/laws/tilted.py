"""A sum of independent finite laws under a tilt: K(θ) = Σ c log Σ_x p(x) exp(θx), its derivatives, and the θ of a sum.

Tilts are taken about each law's mean, so that no first-order term has to cancel.

`spectrum_of` is the characteristic function of the tilted sum at those frequencies where it is not too small to matter. A
sieve leaves them: bounds on boxes of frequencies, law by law, until what is left is looked at one by one. Phases are taken
about a point of each law's support and reduced in whole numbers, so that no digit is lost to their size.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.exact.flipsum import FLOOR, BudgetError, TiltedSum
from outscore.exact.lattice import MAX_POINTS, MAX_SURVIVORS, ORIGIN, Spectrum
from outscore.exact.laws.finite import Law
from outscore.exact.sieve import branch_and_bound

SERIES = 18
"""Terms of a series of factorials up to which |y| ≤ 1 has all digits."""
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
        """The sum of laws with at least two points."""
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
        """Laws have at least two points."""
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
