"""Exact tails of a sum of independent finite laws on whole numbers: `lattice` with laws of any shape in place of coin flips.

S = Σ X_i, each X_i on a few whole numbers with known probabilities, equal laws counted together. As there, the law is tilted to
the observed value o, recovered from the frequencies that a sieve leaves, and the tail is a short sum of geometric series:

    P(S ≥ o) = exp(K(θ) - θo) · Σ_{m≥0} exp(-mθ) · P_θ(S = o + m),    K(θ) = Σ c log Σ_x p(x) exp(θx),    K'(θ) = o.

A coin flip ±d is the law on two points. Sums of nothing but flips stay with `lattice`: of two points cosine and tanh are closed
forms, four times as fast as sums over supports, and millions of distinct sizes have an expansion there. Everything after the
characteristic function, window, sieve and series, is the same code.

Where the lattice is too fine for that, `bounds` rounds every law to a coarser one and proves on which sides of p the two tails
lie. What hypothesis the laws come from is the caller's; `finite` has some.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np

from outscore.core.numeric import LOG2, Array
from outscore.exact import lattice
from outscore.exact.bracket import Bounds
from outscore.exact.flipsum import BudgetError
from outscore.exact.lattice import CERTAIN, IMPOSSIBLE, ORIGIN, UP, Tail, sum_spectrum
from outscore.exact.laws.finite import Law, Laws, mirrored_laws
from outscore.exact.laws.tilted import LawSum, saddle_point, spectrum_of

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
    >>> from outscore.exact.laws.finite import hypergeometric
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
    >>> from outscore.exact.laws.finite import hypergeometric
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
    >>> from outscore.exact.laws.finite import split_sums
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
    >>> from outscore.exact.laws.finite import coin
    >>> sums, mass = all_sums([coin(1), coin(2)])
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
    >>> from outscore.exact.laws.finite import hypergeometric
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
