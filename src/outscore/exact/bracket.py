"""Certified bounds for tails of a sum of real-valued sign flips, without sampling.

For an interval on a circle the trigonometric polynomials of Beurling, Selberg and Vaaler lie wholly above and
wholly below its indicator and come as close as any polynomial of their degree K (Vaaler, 1985; Montgomery,
1994, ch. 1). Their expectations need the characteristic function at K frequencies only, nearly all of which
the sieve proves negligible:

    E[minorant] ≤ P(S in the interval) ≤ E[majorant],  the gap shrinking like 1/K.

With the law tilted to mean o and y = S - o, the tail is exp(K(θ) - θo)·E_θ[exp(-θy); y ≥ 0]. Writing
exp(-θy)·1{y ≥ 0} as a mixture of intervals [0, t], t exponential and cut off at T, the Selberg pair is
averaged over t; each frequency then gets the coefficient Λ = θ(1 - exp(-qT))/q + exp(-qT), q = θ + iω. θ = 0
gives the plain pair on [0, T].

Up to `MAX_COUNTED` flips a grid serves better (`_count`).

The bounds account for the mass outside the period, for frequencies below the floor and for rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from outscore.core.numeric import Array, exact_sum
from outscore.core.records import dataclass
from outscore.exact.enumeration import all_sums, count_subsets
from outscore.exact.flipsum import FLOOR, NEGLIGIBLE, SMALL_WORK, Boxes, BudgetError, Expanded, FlipSum, precision, sift
from outscore.exact.lattice import UP, tilt
from outscore.laws import log_rest

MIN_DEGREE = 64
MARGIN = 1.2
"""What a degree found by the normal law is raised by, so that it mostly suffices."""
LAST_DEGREE = 10_000_000
WIDTH = 0.005
"""Default relative width of bounds."""
SIEVE_BUDGET = 2e7
MAX_SURVIVORS = 400_000
MAX_COUNTED = 200
FIRST_POINTS = 1 << 15
COUNTED_WORK = 2e8
"""Flips, grid points to begin with, and flips times sums, up to which sums are counted on a grid."""
FINEST_POINTS = 1 << 45
"""A finer grid is rounded away: its points are no longer told apart in floats, nor counted in 64 bits."""
MAX_OUTLIERS = 8
FAR_OUT = 6.0
"""An outlier is more than so many standard deviations of everything smaller."""
HEAVIEST, FEW_LEFT = 8, 64
"""Flips that every frequency is tried on before its characteristic function is computed, unless so few are left."""
TOGETHER = 8_000
"""Sines that are taken at a time: of few frequencies those of several flips."""
LOWEST = 64
"""Frequencies that are looked at one by one, before doubling, for the first that is negligible."""
ROUGH = 12.0
"""Of a law whose tail is asked for no closer than per cent, exp(-ROUGH) may be left out on either side, and at a frequency."""
SPREAD_LEFT, ROUGHLY_LEFT = 0.7, 0.3
"""A variance that is so large a share of its bound makes a window little wider than a search would; or a rough one."""
HEAVY, BOX_SHARE = 1 / 16, 0.25
"""The share of all weights from which on a size is heavy, and the share of them by which a sum of cosines may move in a box."""
FINEST_TRANSFORM = 1 << 22
FACTORS = 16_000
"""Factors of characteristic functions that are taken at a time: they stay in the processor's cache."""
UNIT = 2.0**-53


@dataclass(frozen=True)
class Bounds:
    """Natural logarithms of a lower and an upper bound."""

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """Relative width, upper / lower - 1."""
        return math.expm1(self.upper - self.lower) if math.isfinite(self.lower) and self.upper - self.lower < 700 else math.inf

    def settles(self, log_level: float) -> bool:
        """Whether a level lies outside the bounds."""
        return self.upper <= log_level or self.lower > log_level


CERTAIN = Bounds(0.0, 0.0)
HALF = Bounds(math.log(0.5), 0.0)
"""P(S ≥ 0) of a symmetric law: a half and half the probability of a tie at 0."""
IMPOSSIBLE = Bounds(-math.inf, -math.inf)
UNKNOWN = Bounds(-math.inf, 0.0)


def bounds(
    sizes: Array,
    observed: float,
    *,
    doubt: float = 0.0,
    ties: bool = True,
    width: float = WIDTH,
    log_level: float | None = None,
    most: int = LAST_DEGREE,
) -> Bounds:
    """Bounds for P(Σ ε a ≥ observed), observed ≥ 0, with a relative width of at most `width` where that can be had.

    Sums within `doubt` (the rounding error of the input) of the observed one are ties; with ``ties=False``
    they are left out. The degree grows until the bounds are narrow enough and, if a level is given, lie on
    one side of it, but not beyond `most`. It stops where they stall: bounds cannot be narrower than the
    probability of a tie that rounding hides.

    Examples
    --------
    >>> import math, numpy as np
    >>> b = bounds(np.array([0.5, 1.25, 2.0, 0.75]), 2.5)
    >>> math.exp(b.lower) <= 3 / 16 <= math.exp(b.upper)
    True
    """
    sizes = np.sort(np.abs(sizes[sizes != 0]).astype(float))
    if not len(sizes):
        return CERTAIN if observed <= 0 and ties else IMPOSSIBLE
    if observed == 0 and ties:
        return HALF
    # Everything is scale-free: the largest size as unit keeps squares clear of over- and underflow.
    unit = float(sizes[-1])
    sizes, observed = sizes / unit, observed / unit
    total = float(np.add.reduce(sizes))
    slack = doubt / unit + UNIT * (len(sizes) + 4) * total
    outliers = _outliers(sizes)
    threshold = observed - slack if ties else observed + slack
    if outliers:
        return _condition_on_outliers(sizes, outliers, threshold, slack, _Aim(width, None, most))
    return _bounds(sizes, threshold, total, slack, _Aim(width, log_level, most))


@dataclass(frozen=True)
class _Aim:
    """When bounds are good enough, and the degree beyond which they are taken as they are."""

    width: float
    log_level: float | None
    most: int

    def met(self, bounds: Bounds) -> bool:
        return bounds.width <= self.width and (self.log_level is None or bounds.settles(self.log_level))


def _bounds(sizes: Array, threshold: float, total: float, slack: float, aim: _Aim) -> Bounds:
    """Bounds for P(Σ ε a ≥ threshold), a threshold of either sign; `total` is what the sizes add up to."""
    if threshold <= 0:
        aim = replace(aim, log_level=None)
        beyond = IMPOSSIBLE if -threshold > total else _bounds(sizes, max(-threshold, 3 * slack), total, slack, aim)
        # P(S ≥ -t) = 1 - P(S > t) ≥ 1 - P(S ≥ t), and at 0 never less than a half.
        upper = 0.0 if threshold > -3 * slack else log_rest(beyond.lower)
        return Bounds(max(log_rest(beyond.upper), math.log(0.5)), upper)
    if threshold >= total - 3 * slack:
        return _unanimous(sizes, slack) if threshold <= total else IMPOSSIBLE
    counted = _count(sizes, threshold, total, aim)
    if aim.met(counted):
        return counted
    finer = _refine(_Bracket.at(sizes, threshold, total, NEGLIGIBLE if aim.width <= WIDTH else ROUGH), aim)
    return Bounds(max(counted.lower, finer.lower), min(counted.upper, finer.upper))


def _count(sizes: Array, threshold: float, total: float, aim: _Aim) -> Bounds:
    """Bounds from sizes rounded to a grid, on which sums are counted; `UNKNOWN` for many flips.

    A sum moves by at most Σ |a - k·step| when its sizes move to the grid, so the counts beyond the threshold plus that, and
    minus that, enclose the probability. With few flips the polynomials have many frequencies left, and this is the quicker way.
    """
    best, points = UNKNOWN, FIRST_POINTS
    # Those below the threshold, more than half of them, are not counted.
    share = (1 - threshold / total) / 2
    while len(sizes) <= MAX_COUNTED and points <= FINEST_POINTS and len(sizes) * points * share <= COUNTED_WORK:
        counted = _count_on_grid(sizes, threshold, total, points)
        best = Bounds(max(best.lower, counted.lower), min(best.upper, counted.upper))
        if aim.met(best):
            break
        wanted = 1.3 * best.width / aim.width if best.width < math.inf else 8.0
        points = int(points * min(max(wanted, 2.0), 256.0))
    return best


def _count_on_grid(sizes: Array, threshold: float, total: float, points: int) -> Bounds:
    step = total / points
    whole = np.rint(sizes / step).astype(np.int64)
    # Quotients below are rounded, by far less than a millionth of a step.
    moved = exact_sum(np.abs(sizes - whole * step)) + 1e-6 * step + 4 * UNIT * total
    extreme = int(whole.sum())
    whole = whole[whole > 0]
    # S ≥ t leaves the flips that are negative a sum of at most (Σk - t/step)/2 steps.
    least, most = (math.floor((extreme - (threshold + shift) / step) / 2) for shift in (moved, -moved))
    if most < 0:
        return IMPOSSIBLE
    ways = count_subsets(whole, min(most, extreme))
    slip = 2 * UNIT * (len(whole) + 64)
    upper = math.log(float(ways.sum())) - len(whole) * math.log(2) + slip
    few = float(ways[: least + 1].sum()) if least >= 0 else 0.0
    return Bounds(math.log(few) - len(whole) * math.log(2) - slip if few > 0 else -math.inf, min(0.0, upper))


def _outliers(sizes: Array) -> int:
    """How many of ascending sizes dwarf the spread of all smaller ones; their signs are better listed than transformed."""
    squares = sizes * sizes
    # Where all but the largest are enough even for the largest not to be far out, none of these is.
    if len(sizes) <= MAX_OUTLIERS or float(np.add.reduce(squares)) > (MAX_OUTLIERS + 1.001 / FAR_OUT**2) * float(squares[-1]):
        return 0
    smaller = np.append(squares[:-MAX_OUTLIERS].sum(), squares[-MAX_OUTLIERS:-1]).cumsum()
    far = np.flatnonzero(sizes[-MAX_OUTLIERS:] > FAR_OUT * np.sqrt(smaller))
    return MAX_OUTLIERS - int(far[0]) if len(far) else 0


def _condition_on_outliers(sizes: Array, outliers: int, threshold: float, slack: float, aim: _Aim) -> Bounds:
    """The mean of the bounds over all signs of so many of the largest."""
    rest = sizes[:-outliers]
    total = exact_sum(rest)
    lower = upper = 0.0
    sums, counts = np.unique(all_sums(sizes[-outliers:, None])[:, 0], return_counts=True)
    for shift, count in zip(sums.tolist(), counts.tolist(), strict=True):
        left = threshold - shift
        if left > total:
            part = IMPOSSIBLE
        elif left <= -total:
            part = CERTAIN
        else:
            part = _bounds(rest, left, total, slack, aim)
        share = count / 2.0**outliers
        lower, upper = lower + share * math.exp(part.lower), upper + share * math.exp(part.upper)
    return Bounds(math.log(lower) if lower > 0 else -math.inf, math.log(min(1.0, upper)) if upper > 0 else -math.inf)


def _refine(bracket: _Bracket, aim: _Aim) -> Bounds:
    degree, refused = min(max(int(bracket.needed(aim.width)), MIN_DEGREE), aim.most), math.inf
    while True:
        try:
            best = bracket.evaluate(degree)
            break
        except BudgetError:
            degree, refused = degree // 4, degree
            if degree < MIN_DEGREE:
                # Chernoff's bound holds always; below it nothing is known.
                return Bounds(-math.inf, min(0.0, bracket.log_scale))
    while degree < aim.most and not aim.met(best):
        # The gap shrinks like 1/K, so the degree that suffices is known; a margin makes up for what rounding
        # adds.
        wanted = 1.3 * best.width / aim.width if best.width < math.inf else 8.0
        degree = min(aim.most, int(degree * min(max(wanted, 2.0), 16.0)))
        if degree >= refused:
            break
        try:
            finer = bracket.evaluate(degree)
        except BudgetError:
            break
        stalled = best.width < math.inf and finer.width > 0.8 * best.width
        best = Bounds(max(best.lower, finer.lower), min(best.upper, finer.upper))
        if stalled:
            break
    return best


def _unanimous(sizes: Array, slack: float) -> Bounds:
    """All flips one way; flips too small to be told from rounding may go either way."""
    too_small = int((sizes <= 3 * slack).sum())
    return Bounds(-len(sizes) * math.log(2), -(len(sizes) - too_small) * math.log(2))


@dataclass(frozen=True)
class _Bracket:
    """The tilted law around the observed value, and the circle it is wrapped on."""

    law: FlipSum
    theta: Array
    observed: float
    total: float
    cut: float
    period: float
    log_scale: float
    lost_above: float
    lost_below: float
    floor: float

    @classmethod
    def at(cls, sizes: Array, observed: float, total: float, nats: float) -> _Bracket:
        """Of ascending sizes, with exp(-nats) of the mass at most beyond each end of the period or at a frequency left out."""
        ends = np.append(np.flatnonzero(sizes[1:] != sizes[:-1]) + 1, len(sizes))
        distinct, counts = sizes[ends - 1], np.diff(ends, prepend=0)
        floor = nats + FLOOR - NEGLIGIBLE
        law, theta = tilt(
            FlipSum(distinct[:, None], counts.astype(float)), observed, _fading_frequency(distinct, counts, floor)
        )
        offset = float(law.mean(theta)[0]) - observed
        above, below = _window(law, theta, total, nats)
        up = min(total - observed, above + offset) * (1 + 1e-9)
        down = min(total + observed, below - offset) * (1 + 1e-9)
        return cls(
            law=law,
            theta=theta,
            observed=observed,
            total=total,
            cut=up,
            period=(up + down) * 1.0001,
            log_scale=law.log_mgf(theta) - float(theta[0]) * observed,
            lost_above=0.0 if up >= total - observed else math.exp(-nats),
            lost_below=0.0 if down >= total + observed else math.exp(-nats),
            floor=floor,
        )

    def needed(self, width: float) -> float:
        """A degree that leaves about this width, by the normal law in the place of the tilted one.

        The pair is 2·f/(K + 1)/p apart, with f the density at the observed value in the period and p the scaled probability.
        """
        spread = math.sqrt(float(self.law.counts @ (self.law.sech2(self.theta) * self.law.values[:, 0] ** 2)))
        slope = float(self.theta[0]) * spread
        density = self.period / (spread * math.sqrt(2 * math.pi)) if spread else 1.0
        return MARGIN * 2 * density / _scaled_tail(slope) / width

    def evaluate(self, degree: int) -> Bounds:
        """The averaged Selberg pair of the given degree."""
        theta = float(self.theta[0])
        index, psi, doubt = self._spectrum(degree)
        omega = 2 * np.pi * index / self.period
        u = index / (degree + 1)
        vaaler = -(1 - u) / np.tan(np.pi * u) - 1 / np.pi
        decay = np.exp(-(theta + 1j * omega) * self.cut)
        far = psi * (theta * (1 - decay) / (theta + 1j * omega) + decay)
        sine = (vaaler * (far.imag - psi.imag)).sum() / (degree + 1)
        fejer = (1 + ((1 - u) * (far.real + psi.real)).sum()) / (degree + 1)
        length = (-math.expm1(-theta * self.cut) / theta if theta > 0 else self.cut) / self.period
        rounding = (np.abs(vaaler) + 1) @ doubt / (degree + 1) * 2 + 4 * math.exp(-self.floor) * math.log(degree + 2) + 8 * UNIT
        upper = length + sine + fejer + math.exp(-theta * self.cut) * self.lost_above + rounding
        lower = length + sine - fejer - self.lost_above - self.lost_below - rounding
        slip = 4 * UNIT * (abs(self.log_scale) + theta * self.observed + math.sqrt(float(self.law.counts.sum())))
        return Bounds(
            self.log_scale + math.log(lower) - slip if lower > 0 else -math.inf,
            min(0.0, self.log_scale + math.log(upper) + slip),
        )

    def _spectrum(self, degree: int) -> tuple[Array, Array, Array]:
        """Surviving indices 1..K, exp(-iωo)·φ_θ(ω) there, and how far rounding may have moved it."""
        step = 2 * np.pi / self.period
        near = min(degree, int(self.law.max_frequency(self.theta) / step)) if isinstance(self.law, Expanded) else 0
        if near * len(self.law.large.counts if isinstance(self.law, Expanded) else ()) > 100 * SIEVE_BUDGET:
            raise BudgetError
        far = self._survivors(step, near, degree)
        index = np.concatenate([np.arange(1, near + 1), far])
        omega = step * index
        psi = np.exp(-1j * omega * self.observed)
        doubt = np.zeros(len(index))
        if isinstance(self.law, Expanded):
            psi[:near] *= np.exp(self.law.log_characteristic(self.theta, omega[:near]))
            psi[:near] *= _characteristic(self.law.large, self.theta, step, index[:near])
            doubt[:near] = 2 * self.law.remainder * np.abs(psi[:near])
        if len(far):
            psi[near:] *= _characteristic(self.law, self.theta, step, far)
        # n factors of two complex products each, or of powers up to thrice the minutes, which lose four roundings a time; and
        # arguments ω·a put together from two that are rounded.
        each = 7 + 12 * _minutes(index)
        doubt += UNIT * (np.abs(psi) * (each * self.law.counts.sum() + 20 + omega * self.observed) + 3 * omega * self.total)
        return index, psi, doubt

    def _survivors(self, step: float, near: int, degree: int) -> Array:
        """Indices beyond `near` that are not negligible, or were not proved to be."""
        values, counts, sech2 = self.law.values, self.law.counts, self.law.sech2(self.theta)
        # The lowest ones are kept unseen, and those above them are negligible up to a frequency that needs no sieve.
        lowest = 0 if near else _lowest_damped(values[:, 0], counts * sech2, step, self.floor)
        kept = np.arange(near + 1, min(lowest, degree + 1))
        first = near + 1 + len(kept)
        if near or lowest:
            first = max(first, int(_damping_frequency(values[:, 0], counts * sech2, first * step, self.floor) / step))
        if first > degree:
            return kept
        if (degree - first) * len(counts) <= SMALL_WORK:
            index = np.arange(first, degree + 1)
        else:
            boxes = _open_boxes(values[:, 0], counts, sech2, step, first, degree, self.floor)
            index = sift(values, counts, sech2, np.array([step]), boxes, budget=SIEVE_BUDGET, floor=self.floor)[:, 0]
        index = np.concatenate([kept, _audible(index, step, values[:, 0], counts * sech2, self.floor)])
        if len(index) * len(counts) > 100 * SIEVE_BUDGET or len(index) > MAX_SURVIVORS:
            raise BudgetError
        return index


def _window(law: FlipSum, theta: Array, total: float, nats: float) -> tuple[float, float]:
    """How far above and below its mean the tilted sum lies, but for exp(-nats) of its mass on either side.

    A flip of size a with mean a·tanh(θa) is at most as wide as a normal law of variance a²·tanh(θa)/(θa) (Kearns and Saul,
    1998), and all of them together as one of variance K'(θ)/θ. Where that is hardly more than their own, nothing is searched.
    """
    tilt = float(theta[0])
    widest = float(law.spread[0, 0])
    if tilt > 0:
        widest = min(widest, float(law.mean(theta)[0]) / tilt)
    if float(law.covariance(theta)[0, 0]) < (SPREAD_LEFT if nats > ROUGH else ROUGHLY_LEFT) * widest:
        return law.window(theta, UP, 2 * total, nats)
    reach = math.sqrt(2 * nats * widest) * (1 + 1e-9)
    return reach, reach


def _scaled_tail(z: float) -> float:
    """exp(z²/2)·P(Z > z) of a normal Z: Mills' ratio over √(2π), by the first terms of its continued fraction far out."""
    if z < 5.0:
        return 0.5 * math.exp(0.5 * z * z) * math.erfc(z / math.sqrt(2))
    return z / ((z * z + 1) * math.sqrt(2 * math.pi))


def _fading_frequency(sizes: Array, counts: Array, floor: float) -> float:
    """A frequency well beyond which |φ| is negligible; heavy tails put it far beyond ten standard deviations' worth."""
    needed = 2 * (floor + 1) / math.sin(1) ** 2 / np.cumsum(counts * sizes**2)
    # As in `_damping_frequency`, with all sizes up to the largest a that keeps ωa ≤ 1.
    deep = np.flatnonzero(needed * sizes**2 <= 1)
    # The sieve would have to look at every flip to tell frequencies at the margin.
    return 3 * math.sqrt(float(needed[deep[-1]])) if len(deep) else 0.0


def _damping_frequency(sizes: Array, weights: Array, omega: float, floor: float) -> float:
    """A frequency up to which, from `omega` on, the smaller sizes alone make |φ| negligible; `sizes` ascend.

    sin x ≥ x sin 1 for 0 ≤ x ≤ 1, so log |φ(ω)| ≤ -½ Σ c sech² sin²(ωa) ≤ -½ sin² 1 · ω² Σ c sech² a² over
    all a ≤ 1/ω.
    """
    squares = np.concatenate([[0.0], np.cumsum(weights * sizes**2)])
    while 0.5 * (math.sin(1) * omega) ** 2 * squares[np.searchsorted(sizes, 1 / (2 * omega))] > floor + 1:
        omega *= 2
    return omega


def _lowest_damped(sizes: Array, weights: Array, step: float, floor: float) -> int:
    """The first of the lowest indices at which the bound of `_damping_frequency` makes |φ| negligible; 0 where none does."""
    index = np.arange(1, LOWEST + 1)
    squares = np.concatenate([[0.0], np.cumsum(weights * sizes**2)])
    bound = 0.5 * (math.sin(1) * step * index) ** 2 * squares[np.searchsorted(sizes, 1 / (step * index), side="right")]
    damped = np.flatnonzero(bound > floor + 1)
    return int(index[damped[0]]) if len(damped) else 0


def _open_boxes(sizes: Array, counts: Array, sech2: Array, step: float, first: int, last: int, floor: float) -> Boxes:
    """Boxes of the indices first, …, last in which |φ| may exceed exp(-floor), by one Fourier transform for all of them.

    With w = c sech², log |φ(ω)| ≤ -½ Σ w sin²(ωa) = -¼ (Σ w - F(ω)), F(ω) = Σ w cos 2ωa. Where one box is h to either side, F
    moves by 2h Σ w a at most. A transform wants sizes on a grid: one between two points of it, δ apart, is shared out between
    them, which moves its cosine by (ωδ)²/2. Sizes of which there are very many have a logarithm of their own.
    """
    weights = counts * sech2
    heavy = weights > HEAVY * weights.sum()
    light, spread = weights[~heavy], sizes[~heavy]
    whole, moment = float(light.sum()), float(weights @ sizes)
    width = min(max(1, int(BOX_SHARE * float(weights.sum()) / (moment * step))), last)
    box = np.arange((first + width // 2) // width, (last + width // 2) // width + 1)
    lowest = box * width - width // 2
    boxes = np.maximum(lowest, first)[:, None], np.minimum(lowest + width - 1, last)[:, None]
    points = 4 << int(box[-1]).bit_length()
    if points > FINEST_TRANSFORM:
        return boxes
    place = spread * (width * step * points / np.pi)
    below = np.floor(place)
    share, below = place - below, below.astype(np.int64) % points
    grid = np.bincount(below, light * (1 - share), points) + np.bincount((below + 1) % points, light * share, points)
    missing = (np.pi * box / points) ** 2 / 2 * whole + width * step * float(light @ spread)
    bound = -0.25 * np.maximum(whole - np.fft.rfft(grid).real[box] - missing, 0.0)
    omega, reach = step * width * box, step * width / 2
    for size, count, part in zip(sizes[heavy].tolist(), counts[heavy].tolist(), sech2[heavy].tolist(), strict=True):
        sine = np.maximum(np.abs(np.sin(omega * size)) - size * reach - 1e-9, 0.0)
        bound += 0.5 * count * np.log1p(-part * sine * sine)
    undecided = bound > -(floor + 1)
    return boxes[0][undecided], boxes[1][undecided]


def _audible(index: Array, step: float, sizes: Array, weights: Array, floor: float) -> Array:
    """Of these indices, those where the heaviest flips alone do not make |φ| negligible.

    log |φ(ω)| = ½ Σ c log(1 - sech² sin²(ωa)) ≤ -½ Σ c sech² sin²(ωa), whichever flips the sum is over: a few of them settle
    most frequencies for the price of a sine each.
    """
    decay = np.zeros(len(index))
    kind, rounding = precision(step * float(sizes[-1]) * int(index.max(initial=0)))
    order = np.argsort(-weights, kind="stable")[:HEAVIEST]
    while len(order) and len(index) > FEW_LEFT:
        together = max(1, TOGETHER // len(index))
        flips, order = order[:together], order[together:]
        sine = np.sin(np.multiply.outer(step * sizes[flips], index).astype(kind, copy=False))
        decay += 0.5 * weights[flips] @ np.maximum(sine * sine - 2 * rounding, 0.0)
        left = decay <= floor + 1
        index, decay = index[left], decay[left]
    return index


def _characteristic(law: FlipSum, theta: Array, step: float, index: Array) -> Array:
    """φ_θ(ω) = Π (cos ωa + i tanh(θa) sin ωa)^c over the sizes a, for every ω = step · index.

    With index = B·q + r, exp(iωa) is a product of two of far fewer turns, as a clock needs but an hour and a minute hand:
    sines and cosines are what costs, and minutes are powers of the first. Sizes of one count are one power of their product.
    """
    if not len(law.counts):
        return np.ones(len(index), dtype=complex)
    order = np.argsort(law.counts, kind="stable")
    sizes, tanh = law.values[order, 0], np.tanh(law.projections(theta))[order, None]
    counts = law.counts[order].astype(np.int64)
    starts = np.flatnonzero(np.diff(counts, prepend=0)).tolist()
    exponents = counts[starts].tolist()
    hand = _minutes(index)
    hour, minute = np.divmod(index, hand)
    first = _turns(step * np.array([1.0, hand]), sizes)
    fine = _powers(first[0], hand - 1)
    last = int(hour.max(initial=0))
    if last <= 2 * hand:
        coarse = _powers(first[1], last)
    else:
        hours = np.flatnonzero(np.bincount(hour))
        coarse, hour = np.ascontiguousarray(_turns(step * hand * hours, sizes).T), np.searchsorted(hours, hour)
    product = np.empty(len(index), dtype=complex)
    width = max(1, FACTORS // len(sizes))
    for start in range(0, len(index), width):
        here = slice(start, start + width)
        turn = coarse.take(hour[here], axis=1)
        turn *= fine.take(minute[here], axis=1)
        turn.imag *= tanh
        powers = [np.multiply.reduce(turn[low:high], axis=0) for low, high in pairwise([*starts, len(counts)])]
        product[here] = _product(powers, exponents)
    return product


def _minutes(index: Array) -> int:
    """How many minutes an hour has on the clock of `_characteristic`."""
    return math.isqrt(len(index)) + 1


def _turns(omega: Array, sizes: Array) -> Array:
    """exp(iωa), a row for each ω."""
    angle = np.multiply.outer(omega, sizes)
    turn = np.empty(angle.shape, dtype=complex)
    np.cos(angle, out=turn.real)
    np.sin(angle, out=turn.imag)
    return turn


def _powers(base: Array, most: int) -> Array:
    """base^k in column k = 0, …, most."""
    powers = np.ones((most + 1, len(base)), dtype=complex)
    powers[1:2] = base
    known = 2
    while known <= most:
        # base^(known - 1 + k) for k = 1, 2, …
        further = powers[known : 2 * known - 1]
        np.multiply(powers[1 : 1 + len(further)], powers[known - 1], out=further)
        known += len(further)
    return np.ascontiguousarray(powers.T)


def _product(bases: Sequence[Array], counts: Sequence[int]) -> Array:
    """The product of powers, all squared together: a fraction of the price of complex powers."""
    product = np.ones_like(bases[0])
    for bit in reversed(range(max(counts).bit_length())):
        product *= product
        for base in [k for k, count in enumerate(counts) if count >> bit & 1]:
            product *= bases[base]
    return product
