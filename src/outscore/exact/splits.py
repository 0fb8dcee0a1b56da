"""Exact tails of the sum of the numbers that fall to A, when every division of N numbers into n and N - n is as likely.

With a fair coin for each number, K the heads and S the sum of the numbers with heads,

    P(S_A ≥ s) = P(K = n, S ≥ s) / P(K = n)

for independent flips of the vectors (x, 1): one row of the plane. The flips are tilted to the point (s, n), which makes both
sides of the fraction numbers of moderate size. Numbers are taken about the value that leaves S and K uncorrelated there, so
that the grid is small, and only the row itself has to be kept apart from its aliases, which halves the other axis. What
survives the sieve is summed as in `lattice`, a geometric series for each frequency.

Two distinct numbers make S_A hypergeometric. Few numbers are counted by a dynamic programme. Numbers on too fine a lattice are
rounded to a coarser one, and `bounds` proves on which sides of p the two tails lie.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from outscore.core.numeric import LOG2, Array
from outscore.core.records import dataclass
from outscore.exact import plane
from outscore.exact.binomial import log_point
from outscore.exact.bracket import Bounds
from outscore.exact.flipsum import FLOOR, BudgetError, FlipSum
from outscore.exact.lattice import CERTAIN, IMPOSSIBLE, Tail

COUNTED_WORK = 2e8
"""Steps of the dynamic programme that are quicker than a spectrum, or worth their time where there is none."""
SPARSE = 140
"""Up to so many numbers hardly any frequency can be left out, and counting is the quicker way."""
FINEST, COARSER, WIDEST = 1 << 17, 1 << 13, 1 << 20
"""Spread of rounded numbers, of so many that all of them together would be too many, and width, in steps of their lattice."""
SURE = 14.0
"""Bounds may be wrong with e^-14, a millionth, of p; that much is part of them."""
COUNTED_TABLE = 1_000
"""Answers whose divisions are counted in whole numbers."""
NEWTON_STEPS = 200
MANY = 300.0
"""Effective flips from which one FFT sieves better than boxes do."""
MAX_CELLS = 1 << 23
MAX_DISTINCT = 60_000
MAX_ROWS = 20_000
MAX_PRODUCTS = 20_000_000
"""Points of that FFT, distinct numbers, frequencies it may leave, and factors that are multiplied at once."""


def tail(numbers: Array, chosen: int, observed: int) -> Tail:
    """P(S ≥ observed), and P(S = observed) in it, for the sum S of `chosen` of the whole numbers.

    `BudgetError` says that their lattice is too fine.

    Examples
    --------
    >>> upper = tail(np.array([1, 2, 3, 4, 5, 6]), 3, 14)  # 3 + 5 + 6 and 4 + 5 + 6, of 20
    >>> round(math.exp(upper.log), 12), round(math.exp(upper.log_atom), 12)
    (0.1, 0.05)
    """
    numbers = np.sort(np.asarray(numbers, dtype=np.int64))
    n = len(numbers)
    if 2 * chosen > n:
        # What is left to B says the same, and is less.
        return tail(-numbers, n - chosen, observed - int(numbers.sum()))
    observed -= chosen * int(numbers[0])
    numbers = numbers - numbers[0]
    step = int(np.gcd.reduce(numbers)) or 1
    on_lattice = observed % step == 0
    observed, numbers = -(-observed // step), numbers // step
    upper = _tail(numbers, chosen, observed)
    return upper if on_lattice else Tail(upper.log, -math.inf)


def _tail(numbers: Array, chosen: int, observed: int) -> Tail:
    """The same for ascending numbers from 0 up without a common divisor."""
    n = len(numbers)
    least, largest = int(numbers[:chosen].sum()), int(numbers[n - chosen :].sum())
    if not least <= observed <= largest:
        return CERTAIN if observed < least else IMPOSSIBLE
    if int(numbers[-1]) <= 1:
        return hypergeometric(chosen, n - chosen, int(numbers.sum()), observed)
    work = float(largest + 1) * chosen * n
    if work <= (COUNTED_WORK if n < SPARSE else COUNTED_WORK / 10):
        return _counted(numbers, chosen, observed)
    try:
        return _large_tail(numbers, chosen, observed, (least, largest))
    except BudgetError:
        if work > COUNTED_WORK:
            raise
        return _counted(numbers, chosen, observed)


def _large_tail(numbers: Array, chosen: int, observed: int, ends: tuple[int, int]) -> Tail:
    """The same of many numbers, for which there is a spectrum; `ends` are the least and the largest sum."""
    if observed in ends:
        return _corner(numbers, chosen, at_top=observed == ends[1])
    if observed * len(numbers) < chosen * int(numbers.sum()):
        return _beyond_the_middle(numbers, chosen, observed)
    return _row_tail(numbers, chosen, observed)


def _corner(numbers: Array, chosen: int, *, at_top: bool) -> Tail:
    """The sum is as large, or as small, as it can be: as many ways as the last number has."""
    n = len(numbers)
    last = numbers[n - chosen] if at_top else numbers[chosen - 1]
    equal = int((numbers == last).sum())
    taken = int((numbers[n - chosen :] == last).sum()) if at_top else int((numbers[:chosen] == last).sum())
    atom = log_ways(equal, taken) - log_ways(n, chosen)
    return Tail(atom if at_top else 0.0, atom)


def _beyond_the_middle(numbers: Array, chosen: int, observed: int) -> Tail:
    """A tail that holds the middle is known better through its complement."""
    rest = _mirrored(numbers, chosen, 1 - observed)
    return Tail(math.log1p(-math.exp(rest.log)), _mirrored(numbers, chosen, -observed).log_atom)


def _mirrored(numbers: Array, chosen: int, observed: int) -> Tail:
    top = int(numbers[-1])
    return _tail((top - numbers)[::-1], chosen, observed + chosen * top)


def two_sided(numbers: Array, chosen: int, observed: int) -> Tail:
    """P(|S - ES| ≥ |observed - ES|), and the probability of a tie in it, with ES = chosen · mean.

    Examples
    --------
    >>> right = np.array([1] * 30 + [0] * 10)  # 10 of 10 against 20 of 30
    >>> round(math.exp(two_sided(right, 10, 10).log), 4)
    0.0852
    """
    centre = Fraction(chosen * int(np.sum(numbers)), len(numbers))
    distance = abs(observed - centre)
    if distance == 0:
        return Tail(0.0, tail(numbers, chosen, observed).log_atom)
    above, below = centre + distance, centre - distance
    upper = tail(numbers, chosen, math.ceil(above))
    if 2 * chosen == len(numbers):
        # What falls to B has the same law.
        return Tail(min(upper.log + LOG2, 0.0), upper.log_atom + LOG2 if above.denominator == 1 else -math.inf)
    lower = tail(-np.asarray(numbers), chosen, -math.floor(below))
    ties = [part.log_atom for part, edge in ((upper, above), (lower, below)) if edge.denominator == 1]
    log_ties = float(np.logaddexp.reduce(ties)) if ties else -math.inf
    return Tail(min(float(np.logaddexp(upper.log, lower.log)), 0.0), log_ties)


def hypergeometric(n_a: int, n_b: int, right: int, observed: int) -> Tail:
    """P(X ≥ observed) and P(X = observed), X of `right` right answers falling to A.

    Examples
    --------
    >>> round(math.exp(hypergeometric(3, 1, 3, 3).log), 6)  # the tea-tasting table with one cup of four wrong
    0.25
    """
    low, high = max(0, right - n_b), min(n_a, right)
    if observed > high:
        return IMPOSSIBLE
    if observed < low:
        return CERTAIN
    if n_a + n_b <= COUNTED_TABLE:
        ways = [math.comb(right, k) * math.comb(n_a + n_b - right, n_a - k) for k in range(observed, high + 1)]
        whole = math.comb(n_a + n_b, n_a)
        return Tail(_log_share(sum(ways), whole), _log_share(ways[0], whole))
    # Each term by its ratio to the one before, away from the middle.
    atom = log_ways(right, observed) + log_ways(n_a + n_b - right, n_a - observed) - log_ways(n_a + n_b, n_a)
    if observed * (n_a + n_b) < n_a * right:
        k = np.arange(observed, low, -1, dtype=float)
        ratios = k * (n_b - right + k) / ((right - k + 1) * (n_a - k + 1))
        below = atom + math.log(math.fsum(np.cumprod(ratios).tolist())) if len(k) else -math.inf
        return Tail(math.log1p(-math.exp(below)), atom)
    k = np.arange(observed, high, dtype=float)
    ratios = (right - k) * (n_a - k) / ((k + 1) * (n_b - right + k + 1))
    return Tail(min(atom + math.log(math.fsum([1.0, *np.cumprod(ratios).tolist()])), 0.0), atom)


def log_ways(n: int, k: int) -> float:
    """log C(n, k): of whole numbers where they are small, by ratios from the middle outwards where not."""
    return math.log(math.comb(n, k)) if n <= 2000 or min(k, n - k) <= 50 else log_point(n, k) + n * LOG2


def _counted(numbers: Array, chosen: int, observed: int) -> Tail:
    """Sums of so many numbers and in how many ways each arises; floats add up positive terms without losing digits."""
    top = int(numbers[len(numbers) - chosen :].sum())
    if len(numbers) > 1000:
        raise BudgetError
    n = len(numbers)
    ways = np.zeros((chosen + 1, top + 1))
    ways[0, 0] = 1.0
    before = np.concatenate([[0], np.cumsum(numbers)]).tolist()
    for i, x in enumerate(numbers.tolist()):
        # From the top down, so that no number is taken twice; sums that cannot have been reached, and numbers of numbers from
        # which the end cannot be, are left out.
        for k in range(min(chosen, i + 1), max(1, chosen - (n - 1 - i)) - 1, -1):
            reach = before[i] - before[i - k + 1] + 1
            ways[k, x : x + reach] += ways[k - 1, :reach]
    whole = math.comb(len(numbers), chosen)
    return Tail(_log_share(ways[chosen, observed:].sum(), whole), _log_share(ways[chosen, observed], whole))


def _log_share(ways: float, whole: int) -> float:
    """log(ways/whole); -inf of none."""
    return math.log(ways) - math.log(whole) if ways > 0 else -math.inf


def _row_tail(numbers: Array, chosen: int, observed: int) -> Tail:
    """One row of the plane, tilted to its first point."""
    values, counts = np.unique(numbers, return_counts=True)
    n = len(numbers)
    scale = float(numbers.std())
    centre = round(float(numbers.mean()))
    theta = _saddle(_flips((values - centre) / scale, counts), (observed - centre * chosen) / scale, chosen, n)
    theta = np.array([theta[0] / scale, theta[1]])
    # About this value S and K are uncorrelated where the tilt has put them.
    spread = _flips(values - centre, counts).covariance(theta)
    shift = round(float(spread[0, 1] / spread[1, 1]))
    theta = np.array([theta[0], theta[1] + theta[0] * shift])
    centre += shift
    law = _flips(values - centre, counts)
    # In flips: every number is added with heads and taken off with tails.
    whole = int(((values - centre) * counts).sum())
    first, row = 2 * (observed - centre * chosen) - whole, 2 * chosen - n
    along, across = (law.window(theta, axis, 4.0 * n * int(numbers[-1])) for axis in plane.AXES)
    mean = law.mean(theta)
    up = math.ceil((along[0] + abs(float(mean[0]) - first)) / 2) + 1
    down = math.ceil((along[1] + abs(float(mean[0]) - first)) / 2) + 1
    points = up + down + 1, math.ceil((max(across) + abs(float(mean[1]) - row)) / 2) + 2
    spectrum = _many if float((law.sech2(theta) * counts).sum()) >= MANY else _few
    index, phi, weight = spectrum(values - centre, counts, law, theta, points)
    factor = law.log_density_factor(theta) + float(theta @ (mean - np.array([first, row])))
    weighted = _Spectrum(index, weight * phi / (points[0] * points[1]), points)
    return _sum_row(weighted, (first, row), up + 1, 2 * float(theta[0]), factor - log_point(n, chosen))


def _flips(values: Array, counts: Array) -> FlipSum:
    return FlipSum(np.stack([values.astype(float), np.ones(len(values))], axis=1), counts.astype(float))


def _saddle(law: FlipSum, observed: float, chosen: int, n: int) -> Array:
    """θ at which the tilted flips have the mean (observed, chosen), by Newton's method with shorter steps where it goes uphill.

    In sums of heads, of which flips are twice as much less what all make.
    """
    target = np.array([2 * observed - float((law.values[:, 0] * law.counts).sum()), 2.0 * chosen - n])
    theta = np.array([0.0, math.atanh(target[1] / n)])

    def loss(t: Array) -> float:
        return law.log_mgf(t) - float(t @ target)

    value = loss(theta)
    for _ in range(NEWTON_STEPS):
        gradient = law.mean(theta) - target
        step = -np.linalg.solve(law.covariance(theta), gradient)
        slope, size = float(gradient @ step), 1.0
        if -slope < 1e-18 * n:
            break
        while size > 1e-6 and loss(theta + size * step) > value + 1e-4 * size * slope:
            size /= 2
        theta = theta + size * step
        new = loss(theta)
        if value - new <= 1e-14 * (1 + abs(new)):
            break
        value = new
    return theta


@dataclass(frozen=True)
class _Spectrum:
    """The tilted characteristic function at grid frequencies (j1, j2), by how many of the whole grid each stands for."""

    index: Array
    phi: Array
    points: tuple[int, int]


def _few(values: Array, counts: Array, law: FlipSum, theta: Array, points: tuple[int, int]) -> tuple[Array, Array, Array]:
    """Frequencies that the sieve of the plane leaves, of the half plane 0 ≤ j2 ≤ M2/2."""
    index, phi = plane.spectrum(np.stack([values, np.ones_like(values)], axis=1), counts, law, theta, points)
    return index, phi, _mirrors(index[:, 1], points[1])


def _mirrors(index: Array, points: int) -> Array:
    """How many frequencies each stands for: reflecting one conjugates its term."""
    return np.where((index == 0) | (2 * index == points), 1.0, 2.0)


def _many(values: Array, counts: Array, law: FlipSum, theta: Array, points: tuple[int, int]) -> tuple[Array, Array, Array]:
    """The same of many numbers, of the half plane 0 ≤ j1 ≤ M1/2, without boxes.

    With w the variances of the tilted heads times four, log |φ| ≤ -¼ (Σw - Re[e^(2iω2) G(2ω1)]), G(t) = Σ w e^(ixt). One FFT
    gives |G| on a grid that is fine enough for x, and Σ w|x| what it can change between two points of that; so few ω1 are left
    that G is computed at each of them, and then φ where the bound is above the floor, as a product.
    """
    m1, m2 = points
    weight = law.sech2(theta) * counts
    whole, floor = float(weight.sum()), float(weight.sum()) - 4 * FLOOR
    width = int(values[-1] - values[0])
    cells = 1 << max(10, math.ceil(math.log2(4 * (width + 1))))
    if cells > MAX_CELLS or len(values) > MAX_DISTINCT or 2.0 * m1 * m1 >= 2.0**62:
        raise BudgetError
    size = np.abs(np.fft.rfft(np.bincount(values - values[0], weights=weight, minlength=cells)))
    middle = float((weight * values).sum()) / whole
    slack = math.pi / cells * float((weight * np.abs(values - middle)).sum())
    alive = np.flatnonzero(size + slack >= floor)
    first, last = np.ceil((alive - 0.5) * m1 / cells), np.floor((alive + 0.5) * m1 / cells)
    first, last = np.clip(first, 0, m1 // 2).astype(np.int64), np.clip(last, 0, m1 // 2).astype(np.int64)
    if float((last - first + 1).sum()) > MAX_ROWS:
        raise BudgetError
    candidates = np.unique(np.concatenate([np.arange(low, high + 1) for low, high in zip(first, last, strict=True)]))
    heads = (1 + np.tanh(law.projections(theta))) / 2
    order = np.argsort(counts, kind="stable")
    powers, starts = np.unique(counts[order], return_index=True)
    k = np.arange(m2)
    turn = np.exp(2j * np.pi * (k / m2))
    found_index, found_phi = [], []
    for j in candidates.tolist():
        phase = np.exp(2j * np.pi * (j * (values % m1) % m1 / m1))
        near = np.flatnonzero(((weight * phase).sum() * turn).real >= floor)
        if not len(near):
            continue
        if len(near) * len(values) > MAX_PRODUCTS:
            raise BudgetError
        factors = (1 - heads)[order, None] + (heads * phase)[order, None] * turn[near]
        products = np.multiply.reduceat(factors, starts, axis=0) ** powers[:, None]
        # In flips: heads are +1 and tails -1 where here they are 1 and 0.
        back = (j * (int((values * counts).sum()) % (2 * m1)) % (2 * m1)) / m1 + (
            near * (int(counts.sum()) % (2 * m2)) % (2 * m2)
        ) / m2
        found_phi.append(products.prod(axis=0) * np.exp(-1j * np.pi * back))
        found_index.append(np.stack([np.full(len(near), j), near], axis=1))
    index = np.concatenate(found_index)
    return index, np.concatenate(found_phi), _mirrors(index[:, 0], m1)


def _sum_row(spectrum: _Spectrum, start: tuple[int, int], terms: int, decay: float, scale: float) -> Tail:
    """exp(scale) · Σ_m exp(-m·decay) · P_θ(S lies m steps beyond the first point of the row)."""
    (m1, m2), j, k = spectrum.points, spectrum.index[:, 0], spectrum.index[:, 1]
    turn = (j * (start[0] % (2 * m1)) % (2 * m1)) / m1 + (k * (start[1] % (2 * m2)) % (2 * m2)) / m2
    mass = spectrum.phi * np.exp(-1j * np.pi * turn)
    rate = -decay - 2j * np.pi * (np.where(2 * j <= m1, j, j - m1) / m1)
    span = -decay * terms - 2j * np.pi * (j * terms % m1 / m1)
    with np.errstate(all="ignore"):
        series = np.where(rate == 0, terms, np.expm1(span) / np.expm1(rate))
    total, atom = math.fsum((mass * series).real.tolist()), math.fsum(mass.real.tolist())
    if not total > 0:
        raise BudgetError
    return Tail(min(scale + math.log(total), 0.0), scale + math.log(atom) if atom > 0 else -math.inf)


def bounds(numbers: Array, chosen: int, observed: int, *, doubt: int = 0) -> Bounds:
    """Bounds for P(S ≥ observed) on a lattice of any fineness; sums within `doubt` of the observed one are ties.

    Numbers are rounded to multiples of q. The sum E of the errors of those that fall to A is that of a sample without
    replacement from an interval of length q: |E - EE| exceeds T with a probability of at most η = 2·exp(-2T²/(nq²)), and never
    n·q (Hoeffding, 1963, section 6), n the smaller of the two samples.

    Examples
    --------
    >>> numbers = np.array([0, 10**9, 3 * 10**9 + 1, 7 * 10**9, 2 * 10**9, 5 * 10**9 + 3] * 20)
    >>> certified = bounds(numbers, 60, 210 * 10**9)
    >>> certified.lower <= tail(np.array([0, 1, 3, 7, 2, 5] * 20), 60, 211).log <= certified.upper
    True
    """
    numbers = np.sort(np.asarray(numbers, dtype=np.int64))
    n = len(numbers)
    if 2 * chosen > n:
        return bounds(-numbers, n - chosen, observed - int(numbers.sum()), doubt=doubt)
    observed, numbers = observed - chosen * int(numbers[0]), numbers - numbers[0]
    for unit in _units(numbers, chosen):
        try:
            return _rounded_bounds(numbers, chosen, observed, doubt, unit)
        except BudgetError:
            continue
    raise BudgetError


def _units(numbers: Array, chosen: int) -> list[int]:
    """Steps of lattices to be tried: as fine as a spectrum takes them, or as counting can pay for."""
    n, width, spread = len(numbers), float(numbers[-1]), float(numbers.std())
    finest = FINEST if n <= MAX_DISTINCT else COARSER
    steps = [max(width / WIDEST, spread / finest)] if n >= MANY else []
    steps += [spread / coarse for coarse, least in ((1_000, 220), (300, SPARSE)) if n >= least]
    counted = chosen * width * chosen * n / COUNTED_WORK
    if counted < spread / 20:
        steps.append(max(counted, spread / 20_000))
    return [max(1, math.ceil(step)) for step in steps]


def _rounded_bounds(numbers: Array, chosen: int, observed: int, doubt: int, unit: int) -> Bounds:
    n, spread = len(numbers), float(numbers.std())
    places = (2 * numbers + unit) // (2 * unit)
    drift = chosen * float((numbers - places * unit).mean())
    sd = spread * math.sqrt(chosen * (n - chosen) / (n - 1))
    z = max(0.0, observed - chosen * float(numbers.mean())) / sd if sd else 0.0
    log_eta = -z * z / 2 - SURE
    error = min(chosen * unit, unit * math.sqrt(chosen / 2 * (LOG2 - log_eta))) + doubt + 1
    lower = tail(places, chosen, math.ceil((observed - drift + error) / unit)).log
    upper = tail(places, chosen, math.ceil((observed - drift - error) / unit)).log
    return Bounds(_less(lower, log_eta), min(0.0, float(np.logaddexp(upper, log_eta))))


def _less(log: float, other: float) -> float:
    """log(e^log - e^other), -inf where that is not positive."""
    return log + math.log1p(-math.exp(other - log)) if other < log else -math.inf
