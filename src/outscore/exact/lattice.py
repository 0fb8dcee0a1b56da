"""Exact tails of a sum of integer sign flips, by a tilted sparse spectrum.

S = Σ ε_i k_i takes values on a lattice of step 2. Its law tilted to the observed value o is recovered from
the characteristic function at M equidistant frequencies, M the number of lattice points in a window that
holds all but 1e-20 of the mass. Only 60 to 170 of the frequencies carry weight (`sieve`), and the tail is a
short sum of geometric series over them:

    P(S ≥ o) = exp(K(θ) - θo) · Σ_{m≥0} exp(-2mθ) · P_θ(S = o + 2m),    Σ c k tanh(kθ) = o

No table of size G·N is built and nothing is convolved. Phases are reduced modulo 2M in integers, which keeps
eleven digits. Only where few flips of unlike sizes leave nothing to skip are the sums counted one flip at a time.
"""

from __future__ import annotations

import math
from operator import mul

import numpy as np

from outscore.core.numeric import LOG2, Array, median
from outscore.core.records import dataclass
from outscore.exact.enumeration import count_subsets
from outscore.exact.flipsum import (
    FIRST_ITEMS,
    FLOOR,
    MANY,
    NEGLIGIBLE,
    BudgetError,
    FlipSum,
    about_multiples,
    characteristic,
    expand,
    survivors,
)

MAX_POINTS = 1 << 22
FINEST_POINTS = 1 << 30
"""Points of a law that is listed, and frequencies that are sieved: their phases still fit 64 bits."""
MAX_SURVIVORS = 200_000
SIEVE_BUDGET = 5e7
CHEAP_SIEVE = 7e5
"""Sines that a sieve may take by default, and beyond `MAX_POINTS`. How many items there are does not matter
to it, so that whole numbers of moderate size stay exact however many they are; bounds of others cost no more than these."""
MAX_COUNTED = 400
COUNTED_WORK = 4e8
"""Flips, and flips times sums, up to which counting is quicker than a spectrum; floats hold the numbers up to 1,023 flips."""
FEW, FEW_WORK = 34, 4e7
"""The same of so few flips that all their sums are listed in less time (`enumeration`)."""
NARROW = 16_384
"""Windows up to this many points are cheaper to evaluate than to narrow."""
NEAR = 12.0
"""Up to so many standard deviations the origin serves as the centre of an expansion, which is the cheapest one."""
WINDOW = 14.0
"""Standard deviations' worth of frequencies and tilts that an expansion covers: |φ| falls below its floor at 10."""
ORIGIN = np.zeros(1)
UP = np.ones(1)


@dataclass(frozen=True)
class Tail:
    """Natural logarithms of P(S ≥ o) and of the tie P(S = o) in it."""

    log: float
    log_atom: float

    @property
    def log_mid(self) -> float:
        """log of P(S > o) + ½ P(S = o)."""
        return self.log + math.log1p(-0.5 * math.exp(self.log_atom - self.log)) if math.isfinite(self.log) else self.log


CERTAIN = Tail(0.0, -math.inf)
IMPOSSIBLE = Tail(-math.inf, -math.inf)


def histogram(differences: Array) -> tuple[Array, Array]:
    """Distinct non-zero |d| in ascending order, and how often each occurs: all that the null law depends on.

    Examples
    --------
    >>> import numpy as np
    >>> histogram(np.array([2, -1, 0, 1, 2]))
    (array([1, 2]), array([2, 2]))
    """
    sizes = np.abs(differences)
    largest = int(sizes.max(initial=0))
    if largest <= 4 * len(sizes) + 1024:
        counts = np.bincount(sizes, minlength=1)
        counts[0] = 0
        values = counts.nonzero()[0]
        return values, counts[values]
    values, counts = np.unique(sizes[sizes != 0], return_counts=True)
    return values, counts


def tail(values: Array, counts: Array, observed: int, *, budget: float = SIEVE_BUDGET) -> Tail:
    """P(Σ ε k ≥ observed) for distinct positive integers k with counts c.

    `budget` is what finding the frequencies may cost; `BudgetError` says that it was not enough.

    Examples
    --------
    >>> import math, numpy as np
    >>> round(math.exp(tail(np.array([1]), np.array([5]), 3).log), 6)  # P(at least 4 heads of 5)
    0.1875
    """
    if not len(values):
        return CERTAIN if observed <= 0 else IMPOSSIBLE
    divisor = math.gcd(*values.tolist())
    multiple = observed % divisor == 0
    if divisor > 1:
        values, observed = values // divisor, -(-observed // divisor)
    extreme = sum(map(mul, values.tolist(), counts.tolist()))
    odd = (observed - extreme) % 2
    on_lattice = multiple and not odd
    observed += odd
    if observed > extreme:
        return IMPOSSIBLE
    if observed <= -extreme:
        return Tail(0.0, -int(counts.sum()) * math.log(2) if on_lattice and observed == -extreme else -math.inf)
    if observed < 0:
        # The upper part of a symmetric law is known better through its complement.
        beyond = tail(values, counts, 2 - observed, budget=budget)
        atom = tail(values, counts, -observed, budget=budget).log_atom if on_lattice else -math.inf
        return Tail(math.log1p(-math.exp(beyond.log)), atom)
    result = _spectral_tail(values, counts, observed, extreme, budget)
    return result if on_lattice else Tail(result.log, -math.inf)


def _spectral_tail(values: Array, counts: Array, observed: int, extreme: int, budget: float) -> Tail:
    n = int(counts.sum())
    if observed == extreme:
        return Tail(-n * math.log(2), -n * math.log(2))
    if n <= MAX_COUNTED and n * extreme <= min(COUNTED_WORK, FEW_WORK if n <= FEW else math.inf):
        return _counted_tail(np.repeat(values, counts), observed, extreme)
    law, theta = tilt(FlipSum(values.astype(float)[:, None], counts.astype(float)), float(observed))
    _refuse_hopeless(values, counts, float(law.covariance(theta)[0, 0]), budget)
    up, down = _reach(law, theta, extreme)
    up, down = min(extreme - observed, up), min(extreme + observed, down)
    points = (up + down) // 2 + 2
    index, log_phi, phase = _spectrum(values, counts, law, theta, points, budget)
    phase -= np.pi * (index * (observed % (2 * points)) % (2 * points) / points)
    slope = float(theta[0])
    scale = law.log_scale(slope, float(observed))
    return sum_spectrum(Spectrum(index, log_phi, phase, points), up // 2 + 1, 2 * slope, scale)


def _refuse_hopeless(values: Array, counts: Array, variance: float, budget: float) -> None:
    """Say at once that a sieve would be too dear: a window holds at least a standard deviation, and boxes are wide as sizes."""
    points = math.sqrt(variance) / 2
    allowed = budget if points <= MAX_POINTS else min(budget, CHEAP_SIEVE)
    if int(counts.max()) <= 2 * FLOOR and min(points / 2, median(values) * math.pi / 1.4) * FIRST_ITEMS > allowed:
        raise BudgetError


def _reach(law: FlipSum, theta: Array, extreme: int) -> tuple[int, int]:
    """How far above and below its mean the tilted sum lies but for a negligible part of its mass.

    No tilt moves a flip by more than its size (Hoeffding, 1963). What that leaves is searched where it is still wide.
    """
    widest = math.ceil(math.sqrt(2 * NEGLIGIBLE * float(law.spread[0, 0]))) + 1
    if widest <= NARROW:
        return widest, widest
    up, down = (math.ceil(side) + 1 for side in law.window(theta, UP, 2.0 * extreme))
    return up, down


def _counted_tail(flips: Array, observed: int, extreme: int) -> Tail:
    """S ≥ o leaves the flips that are negative a sum of at most (extreme - o)/2: their subsets are counted; nothing cancels.

    With few flips whose sizes differ widely there is little for a spectrum to leave out, and counting is the quicker way.
    """
    ways = count_subsets(flips, (extreme - observed) // 2)
    total = len(flips) * LOG2
    return Tail(math.log(float(ways.sum())) - total, _log(float(ways[-1])) - total)


@dataclass(frozen=True)
class Spectrum:
    """A tilted characteristic function at frequencies index/points of a turn, 0 ≤ index ≤ points/2, about the observed value.

    The other half mirrors these: reflecting a frequency conjugates its term. Frequencies that are negligible are left out.
    """

    index: Array
    log_modulus: Array
    angle: Array
    points: int


def sum_spectrum(found: Spectrum, terms: int, decay: float, scale: float) -> Tail:
    """exp(scale) · Σ_{m < terms} exp(-m·decay) · P_θ(S lies m steps beyond the observed value): a geometric series each."""
    index, points = found.index, found.points
    weight = np.where((index == 0) | (2 * index == points), 1 / points, 2 / points)
    mass = weight * np.exp(found.log_modulus + 1j * found.angle)
    rate = -decay - (2j * np.pi / points) * index
    total = -terms * decay - (2j * np.pi / points) * (index * terms % points)
    # Without a decay the terms of frequency 0 are all the same.
    series = np.full(len(index), terms, dtype=complex)
    np.divide(np.expm1(total), np.expm1(rate), out=series, where=rate != 0)
    return Tail(scale + _log(math.fsum((mass * series).real.tolist())), scale + _log(math.fsum(mass.real.tolist())))


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def saddle_point(law: FlipSum, observed: float) -> Array:
    """θ with mean(θ) = observed on a line, 0 < observed < maximum.

    tanh is concave, so mean(θ) ≤ T·tanh(θV/T) with T the sum of the sizes and V that of their squares. The start is where that
    is the observed sum, left of the root, and the mean is concave too: Newton climbs without overshoot.
    """
    total = float(np.add.reduce(law.counts * np.abs(law.values[:, 0])))
    theta = math.atanh(min(observed / total, 1 - 2.0**-53)) * total / float(law.spread[0, 0])
    for _ in range(200):
        mean, variance = law.line_moments(theta)
        step = (observed - mean) / variance if variance > 0 else 0.0
        theta += step
        # Every step squares the error.
        if not step > 1e-5 * theta:
            break
    return np.array([theta])


def tilt(law: FlipSum, observed: float, frequency: float = 0.0) -> tuple[FlipSum, Array]:
    """The law and its saddle point; with very many flips it is expanded around that, at least up to a frequency."""
    if len(law.counts) < MANY:
        return law, saddle_point(law, observed)
    spread = math.sqrt(float(law.spread[0, 0]))
    if observed <= NEAR * spread:
        law = expand(law, 0.0, 1.5 * observed / spread**2 + max(WINDOW / spread, frequency))
        return law, saddle_point(law, observed)
    theta = saddle_point(law, observed)
    window = max(WINDOW / math.sqrt(float(law.covariance(theta)[0, 0])), frequency)
    return expand(law, float(theta[0]), window), theta


def _spectrum(
    values: Array, counts: Array, law: FlipSum, theta: Array, points: int, budget: float = SIEVE_BUDGET
) -> tuple[Array, Array, Array]:
    """Surviving indices 0..M/2 with log modulus and angle of the tilted characteristic function at π·index/M."""
    if points > FINEST_POINTS:
        raise BudgetError
    sech2 = law.sech2(theta)
    weight = counts * sech2
    heaviest = int(weight.argmax())
    index = about_multiples(int(values[heaviest]), float(weight[heaviest]), points)
    if index is None:
        grid = np.array([np.pi / points]), np.array([0]), np.array([points // 2])
        budget = budget if points <= MAX_POINTS else min(budget, CHEAP_SIEVE)
        index = survivors(law.values, counts, sech2, *grid, budget=budget)[:, 0]
    if len(index) > MAX_SURVIVORS:
        raise BudgetError

    def turns(j: Array, which: Array) -> Array:
        return np.asarray(j[:, None] * (values[which] % (2 * points)) % (2 * points))

    return characteristic(index, turns, points, counts, np.tanh(law.projections(theta)), sech2)


def coarse_pmf(values: Array, counts: Array, most: int) -> tuple[Array, Array]:
    """Middles and probabilities of up to about `most` neighbouring parts of the law, as many points in each, symmetric about 0.

    Every part is a geometric series for each frequency that survives, so that the law itself is never listed.

    Examples
    --------
    >>> middles, mass = coarse_pmf(np.array([1, 2, 4]), np.array([20, 20, 20]), 5)
    >>> middles.tolist(), mass.round(3).tolist()
    ([-174, -116, -58, 0, 58, 116, 174], [0.0, 0.0, 0.079, 0.842, 0.079, 0.0, 0.0])
    """
    divisor = int(np.gcd.reduce(values))
    values = values // divisor
    extreme = int(values @ counts)
    law = FlipSum(values.astype(float)[:, None], counts.astype(float))
    half = min(extreme, math.ceil(law.window(ORIGIN, UP, float(extreme))[0]) + 1)
    # An odd number of points has a point in its middle.
    size = -(-(half + 1) // most) | 1
    odd = extreme % 2
    parts = -(-(half + 1) // (2 * size))
    middles = 2 * size * np.arange(-parts, parts + 1 - odd) + odd * size
    points = size * len(middles)
    if points > MAX_POINTS:
        raise BudgetError
    index, log_phi, phase = _spectrum(values, counts, law, ORIGIN, points)
    omega = np.pi * index / points
    weight = np.where((index == 0) | (2 * index == points), 1 / points, 2 / points)
    # A sum of exp(-iωx) over x = -(size - 1), …, size - 1 in steps of two.
    kernel = np.full(len(index), float(size))
    np.divide(np.sin(size * omega), np.sin(omega), out=kernel, where=index != 0)
    terms = weight * np.exp(log_phi) * kernel
    # Middles lie evenly, so frequencies that differ by as many as there are parts turn alike: their sums, and one transform.
    cycle = len(middles)
    angle = phase + np.pi * ((2 * parts - odd) * index % (2 * cycle)) / cycle
    real, imaginary = (np.bincount(index % cycle, terms * turned, cycle) for turned in (np.cos(angle), np.sin(angle)))
    mass = np.fft.fft(real + 1j * imaginary).real
    return divisor * middles, np.maximum(mass, 0.0)


def pmf(values: Array, counts: Array) -> tuple[Array, Array]:
    """Support and probabilities of S inside a window of all but 1e-20 of the mass, by one inverse FFT."""
    if not len(values):
        return np.zeros(1, dtype=np.int64), np.ones(1)
    divisor = int(np.gcd.reduce(values))
    values = values // divisor
    extreme = int(values @ counts)
    law = FlipSum(values.astype(float)[:, None], counts.astype(float))
    half = min(extreme, math.ceil(law.window(ORIGIN, UP, float(extreme))[0]) + 1)
    start = -half + (half - extreme) % 2
    points = (half - start) // 2 + 1
    if points > MAX_POINTS:
        raise BudgetError
    index, log_phi, phase = _spectrum(values, counts, law, ORIGIN, points)
    spectrum = np.zeros(points // 2 + 1, dtype=complex)
    phase -= np.pi * (index * (start % (2 * points)) % (2 * points) / points)
    spectrum[index] = np.exp(log_phi + 1j * phase)
    # irfft sums exp(+2πi jm/M); the law wants the conjugate.
    mass = np.fft.irfft(np.conj(spectrum), points)
    support = divisor * (start + 2 * np.arange(points, dtype=np.int64))
    return support, np.maximum(mass, 0.0)
