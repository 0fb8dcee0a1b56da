"""Sums of independent finite laws on whole numbers: the laws, their sum under a tilt, and its exact tails."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property

import numpy as np

from outscore.core.numeric import LOG2, Array
from outscore.core.records import dataclass
from outscore.exact import lattice
from outscore.exact.bracket import Bounds
from outscore.exact.flipsum import FLOOR, BudgetError, TiltedSum, branch_and_bound
from outscore.exact.lattice import CERTAIN, IMPOSSIBLE, MAX_POINTS, MAX_SURVIVORS, ORIGIN, UP, Spectrum, Tail, sum_spectrum

# Finite laws on whole numbers, and those of scores redivided between two systems; `sums` adds them up.


MAX_SPLITS = 20_000
MAX_SPLIT_WORK = 50_000_000
"""Divisions of one item that are listed, and steps of the dynamic programme where there are more."""


@dataclass(frozen=True)
class Law:
    """Whole numbers in ascending order and the natural logarithms of their probabilities, which add up to 1.

    Examples
    --------
    >>> hypergeometric(2, 2, 2)
    Law(support=(0, 1, 2), log_mass=(-1.791759469228055, -0.4054651081081644, -1.791759469228055))
    """

    support: tuple[int, ...]
    log_mass: tuple[float, ...]

    @property
    def is_coin(self) -> bool:
        """Whether this is a coin flip: two points of equal probability."""
        return len(self.support) == 2 and self.log_mass[0] == self.log_mass[1]

    @property
    def is_symmetric(self) -> bool:
        """Whether X and its mirror image have the same law."""
        ends = self.support[0] + self.support[-1]
        return self.log_mass == self.log_mass[::-1] and all(
            x + y == ends for x, y in zip(self.support, reversed(self.support), strict=True)
        )

    def times(self, factor: int, shift: int = 0) -> Law:
        """The law of factor·X + shift, for a positive factor."""
        return Law(tuple(factor * x + shift for x in self.support), self.log_mass)


Laws = Iterable[Law] | Mapping[Law, int]


def mirrored(law: Law) -> Law:
    """The law of -X."""
    return Law(tuple(-x for x in reversed(law.support)), law.log_mass[::-1])


def mirrored_laws(laws: Laws) -> Counter[Law]:
    """All laws mirrored, with their numbers."""
    return Counter({mirrored(law): count for law, count in Counter(laws).items()})


def hypergeometric(n_a: int, n_b: int, right: int) -> Law:
    """How many of `right` right answers fall to A, when n_a of the n_a + n_b answers do and every division is as likely.

    Examples
    --------
    >>> [round(math.exp(x), 6) for x in hypergeometric(4, 4, 1).log_mass]
    [0.5, 0.5]
    """
    ways = math.log(math.comb(n_a + n_b, n_a))
    support = tuple(range(max(0, right - n_b), min(n_a, right) + 1))
    return Law(support, tuple(math.log(math.comb(right, k) * math.comb(n_a + n_b - right, n_a - k)) - ways for k in support))


def split_sums(values: Iterable[int], n_a: int) -> Law:
    """The sum of the n_a numbers that fall to A, every division of the numbers being as likely; `BudgetError` where too many.

    Examples
    --------
    >>> split_sums([0, 0, 1, 3], 2).support
    (0, 1, 3, 4)
    """
    numbers = sorted(values)
    low, n = numbers[0], len(numbers)
    moved = np.array([x - low for x in numbers], dtype=np.int64)
    if not moved.any():
        return Law((n_a * low,), (0.0,))
    if moved[-1] == moved[moved > 0][0]:
        return hypergeometric(n_a, n - n_a, int((moved > 0).sum())).times(int(moved[-1]), n_a * low)
    unit = int(np.gcd.reduce(moved))
    moved //= unit
    if math.comb(n, n_a) <= MAX_SPLITS:
        sums, ways = np.unique(moved[choices(n, n_a)].sum(axis=1), return_counts=True)
    else:
        sums, ways = _subset_counts(moved, n_a)
    log_ways = math.log(math.comb(n, n_a))
    return Law(tuple((unit * sums + n_a * low).tolist()), tuple((np.log(ways) - log_ways).tolist()))


def choices(n: int, k: int) -> Array:
    """All ways to choose k of n, (C(n, k), k)."""
    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(k):
        last = rows[:, -1] if rows.shape[1] else np.full(1, -1)
        parts = [np.column_stack([rows[last < i], np.full(int((last < i).sum()), i)]) for i in range(n)]
        rows = np.concatenate(parts)
    return rows


def _subset_counts(numbers: Array, k: int) -> tuple[Array, Array]:
    """Sums of k of the numbers and in how many ways each arises, by a dynamic programme over size and sum."""
    top = int(np.sort(numbers)[-k:].sum())
    if float(top + 1) * k * len(numbers) > MAX_SPLIT_WORK:
        raise BudgetError
    # Ways reach 1e37 and more: floats add up positive terms without losing digits.
    ways = np.zeros((k + 1, top + 1))
    ways[0, 0] = 1.0
    for x in numbers.tolist():
        ways[1:, x:] += ways[:-1, : top + 1 - x].copy()
    sums = np.flatnonzero(ways[k])
    return sums, ways[k, sums]


# A sum of independent finite laws under a tilt: K(θ) = Σ c log Σ_x p(x) exp(θx), its derivatives, and the θ of a sum.
#
# Tilts are taken about each law's mean, so that no first-order term has to cancel.
#
# `spectrum_of` is the characteristic function of the tilted sum at those frequencies where it is not too small to matter. A
# sieve leaves them: bounds on boxes of frequencies, law by law, until what is left is looked at one by one. Phases are taken
# about a point of each law's support and reduced in whole numbers, so that no digit is lost to their size.


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


# Exact tails of a sum of independent finite laws on whole numbers: `lattice` with laws of any shape in place of coin flips.
#
# S = Σ X_i, each X_i on a few whole numbers with known probabilities, equal laws counted together. As there, the law is tilted
# to the observed value o, recovered from the frequencies that a sieve leaves, and the tail is a short sum of geometric series:
#
#     P(S ≥ o) = exp(K(θ) - θo) · Σ_{m≥0} exp(-mθ) · P_θ(S = o + m),    K(θ) = Σ c log Σ_x p(x) exp(θx),    K'(θ) = o.
#
# A coin flip ±d is the law on two points. Sums of nothing but flips stay with `lattice`: of two points cosine and tanh are
# closed forms, four times as fast as sums over supports, and millions of distinct sizes have an expansion there. Everything
# after the characteristic function, window, sieve and series, is the same code.
#
# Where the lattice is too fine for that, `bounds` rounds every law to a coarser one and proves on which sides of p the two
# tails lie. What hypothesis the laws come from is the caller's; `finite` has some.


SMALL_SUPPORT = 1_000
"""Sums of so few values need no window."""
COARSE_POINTS = 1 << 20
WINDOW = 24.0
SURE = 14.0
"""A rounded lattice has so many points in so many standard deviations, and may be wrong with e^-14, a millionth, of p."""
MAX_SUMS = 1 << 18
"""Sums of all laws that are listed."""


def tail(laws: Laws, observed: int) -> Tail:
    """P(Σ X ≥ observed), and P(Σ X = observed) in it, for independent laws; `BudgetError` where the lattice is too fine.

    Laws are given one by one, or with their numbers.

    Examples
    --------
    >>> from outscore.exact.laws import hypergeometric
    >>> round(math.exp(tail([hypergeometric(2, 2, 2)] * 2, 3).log), 6)  # (1 + 4 + 4) / 36
    0.25
    """
    counted = Counter(laws)
    moving = {law: count for law, count in counted.items() if len(law.support) > 1}
    observed -= sum(count * law.support[0] for law, count in counted.items() if len(law.support) == 1)
    if not moving:
        if observed > 0:
            return IMPOSSIBLE
        return Tail(0.0, 0.0) if observed == 0 else CERTAIN
    if all(law.is_coin for law in moving):
        return _flips_tail(moving, observed)
    return _tail(LawSum.of(moving), observed)


def two_sided(laws: Laws, observed: int, centre: Fraction) -> Tail:
    """P(|Σ X - centre| ≥ |observed - centre|), and the probability of a tie in it.

    Examples
    --------
    >>> from outscore.exact.laws import hypergeometric
    >>> p_tail = two_sided([hypergeometric(2, 2, 2)] * 2, 3, Fraction(2))
    >>> round(math.exp(p_tail.log), 6)
    0.5
    """
    known = Counter(laws)
    distance = abs(observed - centre)
    if distance == 0:
        return Tail(0.0, tail(known, observed).log_atom)
    above, below = centre + distance, centre - distance
    upper = tail(known, math.ceil(above))
    middle = Fraction(sum(count * (law.support[0] + law.support[-1]) for law, count in known.items()), 2)
    if centre == middle and all(law.is_symmetric for law in known):
        return Tail(upper.log + LOG2, upper.log_atom + LOG2 if above.denominator == 1 else -math.inf)
    lower = tail(mirrored_laws(known), -math.floor(below))
    ties = [part.log_atom for part, edge in ((upper, above), (lower, below)) if edge.denominator == 1]
    return Tail(float(np.logaddexp(upper.log, lower.log)), float(np.logaddexp.reduce(ties)) if ties else -math.inf)


def bounds(laws: Laws, observed: int, *, doubt: int = 0, points: int = COARSE_POINTS) -> Bounds:
    """Bounds for P(Σ X ≥ observed) on a lattice of any fineness; sums within `doubt` of the observed one are ties.

    Points are rounded to multiples of q. The errors E of independent laws are independent and lie in intervals of length q, so
    that |E - EE| exceeds T with a probability of at most η = 2·exp(-2T²/(nq²)) (Hoeffding, 1963), and never n·q. Hence, with
    S' the rounded sum, P(S' ≥ o - EE + T) - η ≤ P(S ≥ o) ≤ P(S' ≥ o - EE - T) + η.

    Examples
    --------
    >>> from outscore.exact.laws import split_sums
    >>> fine = [split_sums([0, 10**9, 3 * 10**9 + k], 1) for k in range(12)]
    >>> certified = bounds(fine, 25 * 10**9, points=4096)
    >>> certified.lower <= tail([split_sums([0, 1, 3], 1)] * 12, 25).log <= certified.upper
    True
    """
    counted = Counter(laws)
    means = {law: _middle([law]) for law in counted}
    variance = math.fsum(
        count * math.exp(mass) * (x - means[law]) ** 2
        for law, count in counted.items()
        for x, mass in zip(law.support, law.log_mass, strict=True)
    )
    unit = max(1, round(WINDOW * math.sqrt(variance) / points))
    rounded = {law: _rounded(law, unit) for law in counted}
    drift = math.fsum(count * rounded[law][1] for law, count in counted.items())
    coarse: Counter[Law] = Counter()
    for law, count in counted.items():
        coarse[rounded[law][0]] += count
    moving = sum(count for law, count in counted.items() if len(law.support) > 1)
    # Few digits of log p do for η: those of the normal law.
    z = max(0.0, observed - drift - unit * _middle(coarse)) / math.sqrt(variance) if variance else 0.0
    log_eta = -z * z / 2 - SURE
    error = min(moving * unit, unit * math.sqrt(moving / 2 * (LOG2 - log_eta))) + doubt + 1
    lower = tail(coarse, math.ceil((observed - drift + error) / unit)).log
    upper = tail(coarse, math.ceil((observed - drift - error) / unit)).log
    return Bounds(_less(lower, log_eta), min(0.0, float(np.logaddexp(upper, log_eta))))


def all_sums(laws: Laws) -> tuple[Array, Array]:
    """Every sum of independent laws, as often as it arises, with its probability; `BudgetError` where they are too many.

    Serves few items whose scores lie on no lattice, where ties are decided by how near two sums are.

    Examples
    --------
    >>> fair = (math.log(0.5),) * 2
    >>> sums, mass = all_sums([Law((-1, 1), fair), Law((-2, 2), fair)])
    >>> sums.tolist(), mass.tolist()
    ([-3, 1, -1, 3], [0.25, 0.25, 0.25, 0.25])
    """
    counted = Counter(laws)
    if sum(count * math.log(len(law.support)) for law, count in counted.items()) > math.log(MAX_SUMS):
        raise BudgetError
    if sum(count * max(map(abs, law.support)) for law, count in counted.items()) >= 2**62:
        raise BudgetError
    sums, mass = np.zeros(1, dtype=np.int64), np.ones(1)
    for law in counted.elements():
        sums = (sums[:, None] + np.array(law.support, dtype=np.int64)).ravel()
        mass = (mass[:, None] * np.exp(law.log_mass)).ravel()
    return sums, mass


def _middle(laws: Laws) -> float:
    """The mean of a sum of laws."""
    return math.fsum(
        count * math.exp(mass) * x
        for law, count in Counter(laws).items()
        for x, mass in zip(law.support, law.log_mass, strict=True)
    )


def _less(log: float, other: float) -> float:
    """log(e^log - e^other), -inf where that is not positive."""
    return log + math.log1p(-math.exp(other - log)) if other < log else -math.inf


def _rounded(law: Law, unit: int) -> tuple[Law, float]:
    """The law of X rounded to multiples of a unit, in that unit, and the mean of what is left."""
    support: dict[int, list[float]] = {}
    left = []
    for x, mass in zip(law.support, law.log_mass, strict=True):
        place = (2 * x + unit) // (2 * unit)
        support.setdefault(place, []).append(math.exp(mass))
        left.append(math.exp(mass) * (x - place * unit))
    return Law(tuple(support), tuple(math.log(math.fsum(masses)) for masses in support.values())), math.fsum(left)


def _flips_tail(laws: dict[Law, int], observed: int) -> Tail:
    """Coin flips about their middles: twice the sum is one of ±(high - low), with which `lattice` is quicker."""
    middle = sum(count * (law.support[0] + law.support[1]) for law, count in laws.items())
    sizes: Counter[int] = Counter()
    for law, count in laws.items():
        sizes[law.support[1] - law.support[0]] += count
    values = sorted(sizes)
    counts = np.array([sizes[value] for value in values])
    return lattice.tail(np.array(values), counts, 2 * observed - middle)


def _tail(law: LawSum, observed: int) -> Tail:
    above, off = divmod(observed - law.bottom, law.step)
    above += bool(off)
    if above > law.extreme:
        return IMPOSSIBLE
    if above <= 0:
        return Tail(0.0, float(law.counts @ law.log_mass[law.starts]) if above == 0 and not off else -math.inf)
    if above <= float(law.counts @ law.centres):
        # Beyond the middle the complement is the small one.
        beyond = _spectral_tail(law.mirrored(), law.extreme - above + 1)
        upper_tail = Tail(math.log1p(-math.exp(beyond.log)), _spectral_tail(law.mirrored(), law.extreme - above).log_atom)
    else:
        upper_tail = _spectral_tail(law, above)
    return Tail(upper_tail.log, -math.inf) if off else upper_tail


def _spectral_tail(law: LawSum, observed: int) -> Tail:
    """P(Σ X ≥ observed) in steps from the bottom; `observed` lies above the mean, or a step below it."""
    if observed >= law.extreme:
        log = float(law.counts @ law.log_mass[law.starts + law.lengths - 1]) if observed == law.extreme else -math.inf
        return Tail(log, log)
    middle = float(law.counts @ law.centres)
    theta = saddle_point(law, observed - middle)
    offset = float(law.mean(theta)[0]) + middle - observed
    up, down = law.extreme - observed, observed
    if law.extreme > SMALL_SUPPORT:
        above, below = law.window(theta, UP, float(law.extreme))
        up, down = min(up, math.ceil(above + offset) + 1), min(down, math.ceil(below - offset) + 1)
    points = up + down + 1
    spectrum = spectrum_of(law, theta, points, observed)
    scale = law.log_density_factor(theta) + float(theta[0]) * offset
    return sum_spectrum(spectrum, up + 1, float(theta[0]), scale)


def pmf(laws: Laws) -> tuple[Array, Array]:
    """Support and probabilities of Σ X inside a window of all but 1e-20 of the mass, by one inverse FFT.

    Examples
    --------
    >>> from outscore.exact.laws import hypergeometric
    >>> points, mass = pmf([hypergeometric(2, 2, 2), hypergeometric(1, 1, 1)])
    >>> points.tolist(), [round(float(x), 6) for x in mass]
    ([0, 1, 2, 3], [0.083333, 0.416667, 0.416667, 0.083333])
    """
    counted = Counter(laws)
    moving = {law: count for law, count in counted.items() if len(law.support) > 1}
    fixed = sum(count * law.support[0] for law, count in counted.items() if len(law.support) == 1)
    if not moving:
        return np.array([fixed]), np.ones(1)
    law = LawSum.of(moving)
    middle = float(law.counts @ law.centres)
    above, below = law.window(ORIGIN, UP, float(law.extreme))
    high = min(law.extreme, math.ceil(middle + above) + 1)
    low = max(0, math.floor(middle - below) - 1)
    points = high - low + 1
    tilted = spectrum_of(law, ORIGIN, points, low)
    spectrum = np.zeros(points // 2 + 1, dtype=complex)
    spectrum[tilted.index] = np.exp(tilted.log_modulus + 1j * tilted.angle)
    mass = np.fft.irfft(np.conj(spectrum), points)
    return fixed + law.bottom + law.step * np.arange(low, high + 1), np.maximum(mass, 0.0)
