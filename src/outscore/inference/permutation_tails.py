"""Permutation tails, exact or with certified bounds: of linear metrics, which have one number per unit, and of all others.

Metrics that are not linear have two or more sums per unit, which are reduced to their rank. `convolution_p` has the published
dynamic programme and FFT convolution as named methods, over one axis for each rank.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LOG2, TIE_TOLERANCE, Array, distinct
from outscore.exact import binomial, bracket, distribution, enumeration, lattice, numbers, plane
from outscore.exact.flipsum import BudgetError
from outscore.exact.lattice import Tail
from outscore.exact.numbers import coordinates, hermite_basis, shear
from outscore.exact.plane import GridRegion, RatioRegion
from outscore.inference.base import question
from outscore.inference.base.differences import Flips, Statistic
from outscore.inference.base.question import TestRequest
from outscore.results.pvalue import PValue

FIXED_POINT_BITS = 52
MAX_REAL = 34
"""Real numbers of which all sums are listed unasked; beyond, bounds a few thousandths apart take a fraction of the time."""
UNASKED_SIEVE = 3e6
"""Sines that an exact p may cost unasked, about 60 ms: bounds take a tenth of that. One that is asked for may take its time."""
MAX_CHECKED = 1 << 22
"""Points of two binomials that are looked at one by one."""
FEW = 65
"""Rows and points that tell which way a region grows, where it is known to."""
TABLE = 4
"""Cells of a 2 × 2 table."""
ALGORITHMS = {"dp": distribution.dynamic_programme, "fft": distribution.fast_fourier}
ERRORS = {"dp": 1e-290, "fft": distribution.FFT_ERROR}
"""How far a sum over part of a law may be off; by dp, what underflows."""
STEPS = 80
FLAT = 40.0
"""Tilted so far, a coin falls one way."""


def linear_p(flips: Flips, request: TestRequest) -> PValue:
    """Binomial, lattice or meet in the middle; `BudgetError` when none of them serves."""
    line = cast("Array", flips.line)
    sign = flips.sign()
    if not flips.on_a_lattice:
        sizes, observed, slack = fixed_line(flips)
        if np.count_nonzero(sizes) > MAX_REAL and request.method == "auto":
            raise BudgetError
        return _meet_in_the_middle(np.abs(sizes[sizes != 0]), abs(observed) if sign else 0, sign, request, slack)
    values, counts = lattice.histogram(line)
    observed, n = abs(int(flips.observed)), int(counts.sum())
    if n == 0:
        return question.identical_p()
    if len(values) == 1:
        return question.exact_p(binomial.tail(n, (n + observed // int(values[0])) // 2), sign, n, "binomial", request)
    budget = UNASKED_SIEVE if request.method == "auto" else lattice.SIEVE_BUDGET
    try:
        return question.exact_p(lattice.tail(values, counts, observed, budget=budget), sign, n, "lattice", request)
    except BudgetError:
        if len(values) == 2:
            return question.exact_p(binomial.two_sizes(values, counts, observed), sign, n, "two-binomials", request)
        if n > enumeration.MAX_HALVED:
            raise
    return _meet_in_the_middle(np.repeat(values, counts), observed, sign, request, 0)


def fixed_line(flips: Flips) -> tuple[Array, int, int]:
    """Contributions as whole numbers, their sum, and how far apart two sums may be and still be a tie."""
    line = cast("Array", flips.line)
    if flips.on_a_lattice:
        return line, int(line.sum()), 0
    whole, shift = numbers.fixed_point(line, FIXED_POINT_BITS)
    return whole, int(whole.sum()), len(line) + math.ceil(Fraction(flips.doubt) * Fraction(2) ** shift)


def whole_flips(flips: Flips) -> tuple[Array, Callable[[Array], Array], float]:
    """What is flipped in whole numbers, whose sums are exact, the statistic of a sum of it, and the size of a tie.

    Real columns have a power of two each, which the sums are divided by before the metric sees them.
    """
    if flips.line is not None:
        line, _, ties = fixed_line(flips)
        return line[:, None], lambda sums: sums[:, 0], float(ties)
    statistic = flips.statistic
    slack = statistic.slack
    if flips.on_a_lattice:
        return flips.vectors, statistic.difference, slack
    columns, shifts = zip(*(numbers.fixed_point(column, FIXED_POINT_BITS) for column in flips.vectors.T), strict=True)
    whole, shift = np.stack(columns, axis=1), np.array(shifts)
    # Rounding to fixed point moves a total by as many units as there are rows.
    slack *= 1 + math.ldexp(len(whole), -FIXED_POINT_BITS) / TIE_TOLERANCE
    return whole, lambda sums: statistic.difference(np.ldexp(sums, -shift)), slack


def _meet_in_the_middle(sizes: Array, observed: int, sign: int, request: TestRequest, slack: int) -> PValue:
    n = len(sizes)
    if n == 0:
        return question.identical_p()
    if n > enumeration.MAX_HALVED:
        raise BudgetError
    at_least, beyond = enumeration.meet_in_the_middle(sizes, observed - slack, observed + slack + 1)
    tail = Tail(math.log(at_least) - n * LOG2, question.log(at_least - beyond) - n * LOG2)
    return question.exact_p(tail, sign, n, "meet-in-the-middle", request)


def certified_p(flips: Flips, request: TestRequest) -> PValue:
    """Bounds by Selberg's polynomials for numbers of any kind."""
    if flips.line is None:
        raise OutscoreError(
            f"Certified bounds exist only for linear metrics, and {flips.name} is not linear in these data.",
            "Ask for the method auto.",
        )
    line, sign = flips.line, flips.sign()
    if not line.any() or (sign == 0 and request.alternative == "two-sided"):
        return question.identical_p()
    ties = request.alternative == "two-sided" or request.favours(sign)
    observed = abs(flips.observed) if sign else 0.0
    if flips.on_a_lattice:
        # Sums lie on a lattice of step twice the divisor: half-way to the next one nothing can tie, so no
        # bound stalls.
        divisor = int(np.gcd.reduce(line))
        observed += -divisor if ties else divisor
    log_level = math.log(request.side)
    if observed < 0:
        return question.certified_p(bracket.HALF, sign, request)
    bounds = bracket.bounds(
        line.astype(float), observed, doubt=flips.doubt, ties=ties, width=request.width, log_level=log_level
    )
    return question.certified_p(bounds, sign, request)


def nonlinear_p(flips: Flips, request: TestRequest) -> PValue:
    """Lattice, two binomials, plane or enumeration; `BudgetError` when none of them serves."""
    moving = flips.vectors[flips.vectors.any(axis=1)]
    n, sign = len(moving), flips.sign()
    if n == 0 or (sign == 0 and request.alternative == "two-sided"):
        return question.identical_p(n)
    statistic = flips.statistic
    if not flips.on_a_lattice:
        # Real numbers have no lattice, but a few units can always be listed; sums that differ by rounding
        # alone are ties.
        if n > enumeration.MAX_ENUMERATED:
            raise BudgetError
        return question.exact_p(_enumerate_tail(statistic, moving, np.ones(n, dtype=int)), sign, n, "enumeration", request)
    distinct, counts = _distinct(moving)
    frame = hermite_basis(distinct, most=2)
    listed = enumeration.sums_listed(counts)
    few = listed <= 2**enumeration.MAX_ENUMERATED
    try:
        # Where the lattice has many more points than there are sums, listing these is the smaller work.
        points = (np.abs(coordinates(distinct, frame)).T.astype(float) @ counts + 1).prod()
        if len(frame) > 2 or (few and points > 16 * listed):
            raise BudgetError
        if len(frame) == 1:
            kernel, tail = "lattice", _on_a_line(statistic, distinct, counts, frame)
        else:
            kernel, tail = _in_a_plane(statistic, distinct, counts, frame)
    except BudgetError:
        if not few:
            raise
        kernel, tail = "enumeration", _enumerate_tail(statistic, distinct, counts)
    return question.exact_p(tail, sign, n, kernel, request)


def _distinct(vectors: Array) -> tuple[Array, Array]:
    """Distinct vectors up to sign, with counts."""
    if vectors.shape[1] == 2:
        return plane.histogram(vectors)
    first = vectors[np.arange(len(vectors)), (vectors != 0).argmax(axis=1)]
    distinct, counts = np.unique(vectors * np.sign(first)[:, None], axis=0, return_counts=True)
    return distinct, counts


def _enumerate_tail(statistic: Statistic, vectors: Array, counts: Array) -> Tail:
    """The statistic at every sum of the flips, equal ones counted together."""
    sums, ways = enumeration.distinct_sums(vectors, counts)
    inside, tie = statistic.classify(sums)
    whole = int(counts.sum()) * LOG2
    return Tail(question.log(ways[inside].sum()) - whole, question.log(ways[tie].sum()) - whole)


def _on_a_line(statistic: Statistic, distinct: Array, counts: Array, frame: Array) -> Tail:
    """All flips along one vector: a half-line is a tail of the lattice, any other region a sum over its points."""
    values = np.abs(coordinates(distinct, frame)[:, 0])
    extreme = int(values @ counts)
    if extreme >= lattice.MAX_POINTS:
        raise BudgetError
    support = np.arange(-extreme, extreme + 1, 2)
    inside, tie = statistic.classify(support[:, None] * frame[0])
    held = int(inside.sum())
    if inside[len(support) - held :].all():
        start = int(support[len(support) - held])
    elif inside[:held].all():
        # The statistic falls along the vector; the law is symmetric.
        start = -int(support[held - 1])
    else:
        points, mass = lattice.pmf(values, counts)
        where = (points + extreme) // 2
        return Tail(question.log(float(mass[inside[where]].sum())), question.log(float(mass[tie[where]].sum())))
    atoms = [lattice.tail(values, counts, abs(int(s))).log_atom for s in support[tie]]
    return Tail(lattice.tail(values, counts, start).log, question.log(math.fsum(math.exp(a) for a in atoms)))


def _in_a_plane(statistic: Statistic, distinct: Array, counts: Array, frame: Array) -> tuple[str, Tail]:
    if len(distinct) == 2:
        tail = _two_coins(statistic, distinct, counts)
        if tail is not None:
            return "two-binomials", tail
    places, frame = shear(coordinates(distinct, frame), counts, frame)
    # The row coordinate comes second, so that a row fixes the denominator of a ratio.
    places = places[:, ::-1]
    least = int(statistic.total[0]) - int(np.abs(distinct[:, 0]) @ counts)
    if statistic.metric.ratio is not None and least >= 0:
        # Closed-form edges, for a ratio whose denominators no swap can make negative.
        threshold = abs(cast("Fraction", statistic.exact_difference(statistic.observed)))
        across, sheared, along = int(frame[1, 1]), int(frame[0, 1]), int(frame[0, 0])
        bottom, top = map(int, statistic.total)
        edges = RatioRegion(top, bottom, threshold, across=across, shear=sheared, along=along)
        tail_of_region = plane.tail(places, counts, edges)
    else:
        # The outermost sum along the first coordinate tells which way the statistic grows.
        corner = (np.sign(places[:, 0]) * counts) @ distinct
        turn = 1 if statistic.excess(corner) >= statistic.excess(-corner) else -1
        extent = float(np.abs(places[:, 0]) @ counts)
        region = _grid_region(statistic, frame * [[1], [turn]], extent)
        tail_of_region = plane.tail(places * [turn, 1], counts, region, tilt=statistic.metric.cells)
    return "plane", Tail(tail_of_region.log, tail_of_region.log_atom)


def _grid_region(statistic: Statistic, frame: Array, extent: float) -> GridRegion:
    def sums(s1: Array, s2: Array) -> Array:
        return np.stack([s2, s1], axis=-1) @ frame

    return GridRegion(
        classify=lambda s1, s2: statistic.classify(sums(s1, s2)),
        excess=lambda s1, s2: statistic.excess(sums(s1, s2)),
        extent=extent,
    )


def _two_coins(statistic: Statistic, distinct: Array, counts: Array) -> Tail | None:
    """Two kinds of flips only (gold-positive and gold-negative items, say) are two independent binomials.

    Rows are searched by bisection, so the region must grow or shrink along them. That follows from what a table
    of decisions is where a flip moves right ones one way; otherwise every point is looked at.
    """
    n1, n2 = (int(c) for c in counts)
    known = statistic.metric.cells and _moves_one_way(distinct[0], statistic.metric)
    if not known and (n1 + 1) * (n2 + 1) > MAX_CHECKED:
        return None

    def inside(x: Array, y: Array, turn: int) -> tuple[Array, Array]:
        sums = (turn * (2 * x - n1))[..., None] * distinct[0] + (2 * y - n2)[..., None] * distinct[1]
        return statistic.classify(sums)

    turn = _trend(lambda x, y: inside(x, y, 1), n1, n2, FEW if known else max(n1, n2) + 1)
    if turn == 0:
        return None
    return Tail(*binomial.two_binomials(n1, n2, lambda x, y: inside(x, y, turn)))


def _moves_one_way(flip: Array, metric: AdditiveMetric) -> bool:
    """Whether a flip moves decisions from wrong cells to right ones only (tp, tn up; fp, fn down), or the other way."""
    turned = flip * np.array([1, -1, -1, 1]) if len(metric.columns) == TABLE else np.array([-1, 1])
    return bool((turned >= 0).all() or (turned <= 0).all())


def _trend(inside: Callable[[Array, Array], tuple[Array, Array]], n1: int, n2: int, points: int) -> int:
    """+1 if the region, with and without its ties, grows with x in every row looked at, -1 if it shrinks, 0 if neither."""
    x = distinct(np.linspace(0, n1, min(points, n1 + 1)).astype(np.int64))
    y = distinct(np.linspace(0, n2, min(points, n2 + 1)).astype(np.int64))
    region, ties = inside(*np.meshgrid(x, y))
    change = np.diff(np.stack([region, region & ~ties]).astype(np.int8), axis=2)
    if (change >= 0).all():
        return 1
    return -1 if (change <= 0).all() else 0


def convolution_p(flips: Flips, request: TestRequest) -> PValue:
    """The whole null law by convolution, summed where the statistic is extreme enough.

    Source: Zmigrod, Vieira and Cotterell (2022), algorithms 3 and 4.

    Examples
    --------
    >>> import numpy as np
    >>> from outscore.core.metric import AdditiveMetric
    >>> from outscore.core.rows import PairedScores
    >>> from outscore.inference.base.differences import flips_of
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a = np.stack([[1, 1, 1, 1, 0, 1, 1, 1], np.ones(8, int)], axis=1)
    >>> b = np.stack([[0, 0, 1, 0, 0, 0, 0, 0], np.ones(8, int)], axis=1)
    >>> flips = flips_of(PairedScores(a, b), mean)
    >>> [round(convolution_p(flips, TestRequest(options={"method": method})).value, 9) for method in ("dp", "fft")]
    [0.03125, 0.03125]
    """
    if not flips.on_a_lattice:
        raise OutscoreError(
            f"The method {request.method} needs whole numbers, decimals or multiples of a small 1/q.",
            "Ask for the method auto.",
        )
    vectors = flips.vectors if flips.line is None else flips.line[:, None]
    moving = vectors[vectors.any(axis=1)]
    if not len(moving):
        return question.identical_p()
    frame = hermite_basis(moving)
    places = coordinates(moving, frame)
    if flips.line is not None:
        return question.exact_p(_tilted_tail(places[:, 0], request.method), flips.sign(), len(moving), request.method, request)
    low, law = _law(request.method, places)
    live = law > 0
    inside, tie = flips.statistic.classify((np.argwhere(live) + low) @ frame)
    mass = law[live]
    share, atom = math.fsum(mass[inside].tolist()), math.fsum(mass[tie].tolist())
    error = ERRORS[request.method]
    if share >= distribution.DIGITS * error or not (request.alternative == "two-sided" or request.favours(flips.sign())):
        tail = Tail(question.log(share), question.log(atom))
        return question.exact_p(tail, flips.sign(), len(moving), request.method, request)
    bounds = bracket.Bounds(question.log(share - error), question.log(share + error))
    return question.certified_p(bounds, flips.sign(), request, kernel=request.method)


def _law(method: str, places: Array, share: Array | None = None) -> tuple[Array, Array]:
    try:
        return ALGORITHMS[method](places, -places, share)
    except BudgetError:
        raise OutscoreError(
            f"The method {method} would take minutes or gigabytes for a table of all sums of these numbers.",
            "Ask for the method auto, which needs no such table.",
        ) from None


def _tilted_tail(line: Array, method: str) -> Tail:
    """P(Σ ±x ≥ |Σ x|) by convolution of coins that are tilted so far that the observed sum is their mean.

    A convolution in floats holds nothing below 1e-16 of its largest value, which so is at the observed sum t: with
    P(+x) = e^(θx)/(2 cosh θx) and their law q, P(S ≥ t) = Π cosh(θx) · Σ_{s ≥ t} q(s) e^(-θs).
    """
    sizes = np.abs(line).astype(float)
    observed = abs(int(line.sum()))
    tilt = _tilt(sizes, observed)
    # 1/(1 + e^(-2y)) and log cosh y without overflow.
    heads = 1 / (1 + np.exp(-2 * tilt * sizes))
    low, law = _law(method, np.abs(line)[:, None], heads)
    beyond = law[observed - int(low[0]) :]
    weights = np.exp(-tilt * np.arange(len(beyond)))
    scale = math.fsum((tilt * sizes + np.log1p(np.exp(-2 * tilt * sizes)) - LOG2).tolist()) - tilt * observed
    share = math.fsum((np.maximum(beyond, 0.0) * weights).tolist())
    return Tail(scale + question.log(share), scale + question.log(max(float(beyond[0]), 0.0)))


def _tilt(sizes: Array, observed: int) -> float:
    """θ ≥ 0 with Σ x tanh(θx) = t, by bisection; where all coins must fall one way, one at which they do."""
    low, high = 0.0, FLAT / float(sizes.min())
    for _ in range(STEPS if observed else 0):
        middle = (low + high) / 2
        low, high = (middle, high) if float(sizes @ np.tanh(middle * sizes)) < observed else (low, middle)
    return low
