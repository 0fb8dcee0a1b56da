"""What charts show as bars: item scores with their normal quantiles, and the null law, thinned out for reports without items.

The null law holds the differences that swapping the systems by chance would give. Where the contributions of the units are
whole numbers it is known exactly (`exact.distribution`), and it lies on a lattice: every bar then holds the same number of its
points, since bars narrower than the lattice, or of now three and now four points, would show notches that the law does not
have. Elsewhere swaps are drawn; the law is symmetric, so each counts in both directions.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, distinct, quantiles
from outscore.core.rows import PairedScores
from outscore.exact import lattice
from outscore.exact import laws as law_sums
from outscore.exact.distribution import null_distribution
from outscore.exact.flipsum import BudgetError
from outscore.inference.base.differences import Flips, flips_of, scores_if_any, units_of
from outscore.inference.base.influence import contributions
from outscore.laws import normal_quantile
from outscore.resampling import flipped_sums
from outscore.results.analysis import Histogram, NullHistogram

if TYPE_CHECKING:
    from outscore.inference.runs import Exchange
    from outscore.inference.unpaired import Samples

MIN_WIDTH = 1e-300
"""No axis of a chart can be shorter: distances on it would be lost to rounding."""
MAX_BINS = 60
MAX_VALUES = 25
"""Scores that take no more values than this, evenly spaced, get one bar each."""

MAX_QUANTILES = 200
DRAWN = 4_000
WORK = 2e7
LISTED, PARTS = 8_000, 4_096
"""A law with a larger standard deviation, in steps of its lattice, is not listed, but made in so many parts."""
BARS = 61
"""About so many bars at most."""
FEWER_BARS = 31
"""Values without a lattice: bars wide enough that neither sampling nor near-lattices make them ragged."""
MAX_PLANE = 5_000
"""Units of a ratio of two sums whose law is listed for a picture."""
UNSEEN = 1e-5
"""A share of the law at either end that no picture shows."""


def histograms(pairs: PairedScores, metric: AdditiveMetric) -> dict[str, Histogram]:
    """Counts of A, B (on the same edges) and A - B (with an edge at 0).

    A metric that is not a mean of item scores is computed on each unit alone, and a unit's difference is what it
    contributes to the whole (`contributions`); empty where it cannot be.

    Bins have the width of Freedman and Diaconis (1981), 2·IQR/∛n, and there are 60 at most.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([1, 0, 1, 1]), np.array([0, 0, 1, 0]))
    >>> histograms(PairedScores(a, b), metric)["difference"]
    Histogram(edges=[-0.5, 0.5, 1.5], counts=[2, 2])
    """
    values = described(pairs, metric)
    if values is None:
        return {}
    a, b, d = values
    shared, of_difference = _edges(np.concatenate([a, b]), len(d), at_zero=False), _edges(d, len(d), at_zero=True)
    return _counted({"a": (a, shared), "b": (b, shared), "difference": (d, of_difference)})


def two_histograms(a: Array, b: Array) -> dict[str, Histogram]:
    """Counts of two samples on the same edges.

    Examples
    --------
    >>> two_histograms(np.array([1.0, 0.0]), np.array([1.0]))["b"]
    Histogram(edges=[-0.5, 0.5, 1.5], counts=[0, 1])
    """
    edges = _edges(np.concatenate([a, b]), min(len(a), len(b)), at_zero=False)
    return _counted({"a": (a, edges), "b": (b, edges)})


def _counted(parts: dict[str, tuple[Array, Array]]) -> dict[str, Histogram]:
    """Numbers counted between edges, by name; nothing where an axis would be too short."""
    if min(edges[-1] - edges[0] for _, edges in parts.values()) < MIN_WIDTH:
        return {}
    return {name: Histogram(edges.tolist(), np.histogram(x, edges)[0].tolist()) for name, (x, edges) in parts.items()}


def described(pairs: PairedScores, metric: AdditiveMetric) -> tuple[Array, Array, Array] | None:
    """The scores of A and B and their differences, item by item or unit by unit; None where a unit alone has none."""
    scores = scores_if_any(pairs, metric)
    if scores is not None:
        return scores.a, scores.b, scores.d
    units = units_of(pairs)
    differences = contributions(units, metric)
    with np.errstate(all="ignore"):
        a, b = (np.asarray(metric.score(rows / units.scale), dtype=float) for rows in (units.a, units.b))
    if differences is None or not np.isfinite(a).all() or not np.isfinite(b).all():
        return None
    return a, b, differences


def normal_quantiles(pairs: PairedScores, metric: AdditiveMetric) -> list[tuple[float, float]]:
    """Standard normal quantiles beside the ordered differences A - B: the points of a QQ plot, 200 of them at most.

    The i-th smallest of n differences is paired with the quantile of (i - ½)/n (Hazen, 1914). Points left out
    lie evenly between others; the smallest and the largest difference always stay. Empty where nothing
    varies.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([3, 0, 1]), np.array([0, 0, 0]))
    >>> [(round(z, 3), d) for z, d in normal_quantiles(PairedScores(a, b), metric)]
    [(-0.967, 0.0), (0.0, 1.0), (0.967, 3.0)]
    """
    scores = scores_if_any(pairs, metric)
    if scores is not None:
        d = scores.d if scores.spread else None
    else:
        d = contributions(units_of(pairs), metric)
    if d is None or float(np.ptp(d)) < MIN_WIDTH:
        return []
    n = len(d)
    kept = distinct(np.linspace(0, n - 1, min(n, MAX_QUANTILES)).round().astype(np.int64))
    z = [normal_quantile((i + 0.5) / n) for i in kept.tolist()]
    return list(zip(z, np.sort(d)[kept].tolist(), strict=True))


def _edges(x: Array, n: int, *, at_zero: bool) -> Array:
    low, high = float(x.min()), float(x.max())
    step = _common_step(x)
    if step is not None:
        return low + step * (np.arange(round((high - low) / step) + 2) - 0.5)
    q1, q3 = quantiles(x, (0.25, 0.75))
    # Where the middle half is one value the rule has no width, and Sturges' number of bins serves.
    width = 2 * (q3 - q1) / n ** (1 / 3) or (high - low) / (math.ceil(math.log2(n)) + 1)
    bins = max(math.ceil(min((high - low) / width, MAX_BINS - 1)), 1)
    edges: Array = np.linspace(low, high, bins + 1)
    if at_zero and low < 0 < high:
        width = (high - low) / bins
        edges = width * np.arange(math.floor(low / width), math.ceil(high / width) + 1)
        # Rounding must not leave an end outside.
        edges[0], edges[-1] = min(edges[0], low), max(edges[-1], high)
    # Numbers too close together to be told apart get one bar.
    reach = max(abs(low), abs(high))
    return edges if (np.diff(edges) > 0).all() else np.array([low - reach / 2, high + reach / 2])


def _common_step(x: Array) -> float | None:
    """The spacing of scores that take few, evenly spaced values (a single value counts as spaced by its own size)."""
    values = distinct(x)
    if len(values) == 1:
        return abs(float(values[0])) or 1.0
    if len(values) > MAX_VALUES:
        return None
    step = float(np.diff(values).min())
    # Before a division that may overflow.
    if float(values[-1] - values[0]) > (MAX_VALUES + 0.5) * step:
        return None
    places = (values - values[0]) / step
    if (np.abs(places - np.rint(places)) > 1e-6).any():
        return None
    return float(values[-1] - values[0]) / round(float(places[-1]))


def null_histogram(units: PairedScores, metric: AdditiveMetric, *, delta: float = 0.0, seed: int = 0) -> NullHistogram | None:
    """The law of the difference when every unit's systems are swapped at random, about the tested difference.

    None where nothing can be swapped, and where swaps cannot test the difference in question.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([1, 1, 1, 0]), np.array([0, 0, 0, 0]))
    >>> null = null_histogram(PairedScores(a, b), metric)
    >>> null.x, [round(height * null.width, 3) for height in null.density], null.drawn
    ([-0.75, -0.25, 0.25, 0.75], [0.125, 0.375, 0.375, 0.125], 0)
    """
    try:
        flips = flips_of(units, metric, delta)
    except OutscoreError:
        # A metric that is not linear has no swaps about a difference other than 0.
        return None
    observed = flips.statistic.value()
    exact = _on_a_line(flips, delta) or _in_a_plane(flips)
    if exact is not None:
        values, mass, step = exact
        return _bars(values, mass, step, observed, delta, drawn=0)
    sampled = _sampled(flips, delta, seed)
    if sampled is None:
        return None
    both = np.concatenate([sampled, -sampled])
    return _bars(both, np.full(len(both), 1 / len(both)), 0.0, observed, delta, drawn=len(sampled))


def null_of_exchange(exchange: Exchange, delta: float = 0.0) -> NullHistogram | None:
    """The law of the difference when runs are exchanged within items; None where nothing can be, or the law is not known.

    Examples
    --------
    >>> from outscore.core.rows import Runs
    >>> from outscore.inference.runs import exchange_of
    >>> a_runs, b_runs = (Runs(np.array(x), np.array([0, 0, 1, 1])) for x in ([1, 1, 1, 0], [0, 0, 0, 0]))
    >>> null = null_of_exchange(exchange_of(a_runs, b_runs))
    >>> null.x, [round(height * null.width, 3) for height in null.density]
    ([-0.75, -0.25, 0.25, 0.75], [0.083, 0.417, 0.417, 0.083])
    """
    if delta:
        return None
    try:
        line = exchange.line()
        support, mass = law_sums.pmf(line.laws)
    except BudgetError:
        return None
    if len(support) < 2:
        return None
    values = support * line.unit
    step = float(values[-1] - values[0]) / (len(values) - 1)
    return _bars(values, mass, step, exchange.difference, 0.0, drawn=0, symmetric=exchange.equal_runs)


def null_of_samples(samples: Samples, seed: int = 0) -> NullHistogram | None:
    """The null distribution of the difference when scores of different items are redivided; None if all scores are equal.

    Right-or-wrong items have the hypergeometric law; of others, and of clusters, divisions are drawn.

    Examples
    --------
    >>> from outscore.inference.unpaired import Samples
    >>> null = null_of_samples(Samples(np.array([1.0, 1.0]), np.array([1.0, 0.0])))
    >>> null.x, [round(height * null.width, 3) for height in null.density], null.drawn
    ([-0.5, 0.5], [0.5, 0.5], 0)
    """
    if samples.identical:
        return None
    if samples.worth is not None and samples.clusters is None:
        return _of_shares(samples, samples.worth.unit)
    drawn = _divided(samples, np.random.default_rng(seed))
    mass = np.full(len(drawn), 1 / len(drawn))
    return _bars(drawn, mass, 0.0, samples.difference, 0.0, drawn=len(drawn), symmetric=False)


def _of_shares(samples: Samples, unit: float) -> NullHistogram | None:
    """Every number of right items that may fall to A, which is hypergeometric."""
    import scipy.stats

    n_a, n_b = samples.sizes
    least = min(samples.a.min(), samples.b.min())
    right = int((samples.a > least).sum() + (samples.b > least).sum())
    there = np.arange(max(0, right - n_b), min(n_a, right) + 1)
    mass = scipy.stats.hypergeom(n_a + n_b, right, n_a).pmf(there)
    step = unit * (1 / n_a + 1 / n_b)
    # Counted from the observed difference, which is one of the law's values while 0 need not be.
    observed = int((samples.a > least).sum())
    null = _bars(step * (there - observed), mass, step, 0.0, 0.0, drawn=0, symmetric=False)
    if null is None:
        return None
    # Bars lie evenly on both sides of it, and the law does not.
    seen = [i for i, height in enumerate(null.density) if height * null.width > UNSEEN or abs(null.x[i]) <= null.width / 2]
    shown = slice(seen[0], seen[-1] + 1)
    moved = [x + samples.difference for x in null.x[shown]]
    return replace(null, x=moved, density=null.density[shown], observed=samples.difference)


def _divided(samples: Samples, rng: np.random.Generator) -> Array:
    """Differences in means of random divisions of items, or of whole clusters."""
    codes = [np.arange(len(x)) for x in (samples.a, samples.b)] if samples.clusters is None else list(samples.clusters)
    sums = np.concatenate([np.bincount(own, weights=x) for own, x in zip(codes, (samples.a, samples.b), strict=True)])
    sizes = np.concatenate([np.bincount(own) for own in codes]).astype(float)
    units, taken = len(sums), samples.units[0]
    differences = np.empty(int(min(DRAWN, max(200, WORK // (2 * units)))))
    for i in range(len(differences)):
        chosen = rng.choice(units, taken, replace=False)
        own, items = float(sums[chosen].sum()), float(sizes[chosen].sum())
        differences[i] = own / items - (float(sums.sum()) - own) / (float(sizes.sum()) - items)
    return differences


def _on_a_line(flips: Flips, delta: float) -> tuple[Array, Array, float] | None:
    """Values about the tested difference, their probabilities, and how far apart they lie."""
    line = flips.line
    if line is None or line.dtype.kind != "i" or not line.any():
        return None
    try:
        values, counts = lattice.histogram(line)
        divisor = int(np.gcd.reduce(values))
        if float(counts @ values.astype(float) ** 2) > (LISTED * divisor) ** 2:
            # Where they are very many, neighbours together.
            support, mass = lattice.coarse_pmf(values, counts, PARTS)
            step = int(support[1] - support[0])
        else:
            law = null_distribution(line)
            support, mass, step = law.support, law.pmf, 2 * divisor
    except (OutscoreError, BudgetError):
        return None
    fine = Fraction(repr(float(delta))).denominator if delta else 1
    sums = np.zeros((len(support), len(flips.statistic.observed)))
    sums[:, -1] = support / fine
    values = flips.statistic.difference(sums)
    points = float(support[-1] - support[0]) / step
    return values, mass, abs(float(values[-1] - values[0])) / points if points else 0.0


def _in_a_plane(flips: Flips) -> tuple[Array, Array, float] | None:
    """A ratio of two sums: values without a lattice, but all of them."""
    vectors = flips.vectors
    moving = vectors[vectors.any(axis=1)]
    if flips.line is not None or not flips.statistic.integral or vectors.shape[1] > 2 or not 0 < len(moving) <= MAX_PLANE:
        return None
    try:
        law = null_distribution(moving)
    except OutscoreError:
        return None
    values = flips.statistic.difference(law.support)
    kept = np.isfinite(values)
    return values[kept], law.pmf[kept], 0.0


def _sampled(flips: Flips, delta: float, seed: int) -> Array | None:
    """Differences of randomly swapped systems, about the tested one."""
    contributions = flips.vectors
    if flips.line is not None and delta:
        # With the tested difference taken off.
        fine = Fraction(repr(float(delta))).denominator if flips.line.dtype.kind == "i" else 1
        contributions = np.zeros(contributions.shape)
        contributions[:, -1] = flips.line / fine
    moving = contributions[contributions.any(axis=1)]
    if not len(moving):
        return None
    count = int(min(DRAWN, max(200, WORK // len(moving))))
    return flips.statistic.difference(flipped_sums(moving, 0, count, seed))


def _bars(
    values: Array, mass: Array, step: float, observed: float, delta: float, *, drawn: int, symmetric: bool = True
) -> NullHistogram | None:
    """Bars of one width, symmetric about the tested difference; with a step each holds the same number of lattice points."""
    order = np.argsort(np.abs(values), kind="stable")
    share = np.cumsum(mass[order])
    reach = float(np.abs(values)[order][min(int(np.searchsorted(share, 1 - UNSEEN)), len(order) - 1)])
    reach = max(reach, abs(observed - delta))
    # A lattice whose points are 0, ±step, … has a bar in the middle, one of ±step/2, … has an edge there.
    in_the_middle = not step or abs(values / step - np.rint(values / step)).max() < 0.25
    if step:
        points = math.ceil(2 * reach / step) + 1
        per_bar = max(1, math.ceil(points / BARS))
        if in_the_middle and per_bar % 2 == 0:
            per_bar += 1
        width = per_bar * step
    else:
        width = 2.1 * reach / FEWER_BARS
    # The heights of narrower bars overflow, and the width of wider ones.
    if not MIN_WIDTH <= width < math.inf:
        return None
    places = np.floor(values / width + (0.5 if in_the_middle else 0.0) + 1e-9).astype(np.int64)
    last = max(math.ceil(reach / width - 0.5), 0) if in_the_middle else math.ceil(reach / width) - 1
    first = -last if in_the_middle else -last - 1
    shown = (places >= first) & (places <= last)
    heights = np.bincount(places[shown] - first, weights=mass[shown], minlength=last - first + 1) / width
    if symmetric:
        # Equal by theory, and not to be told apart by rounding.
        heights = (heights + heights[::-1]) / 2
    middles = (np.arange(first, last + 1) + (0.0 if in_the_middle else 0.5)) * width + delta
    return NullHistogram(middles.tolist(), heights.tolist(), observed, width=width, centre=delta, drawn=drawn)
