r"""Two samples of different items, exact: every division of the pooled scores between the systems.

H0: the scores of A's items and of B's come from one distribution. Then, given all N scores, every one of the C(N, n_A)
divisions is as likely (Pitman, 1937). With S_A the sum of the scores that fall to A and T that of all,

    p = P(|S_A - n_A T/N| ≥ observed),

which is the size of the difference in means. The law is exact (`exact.splits`): whole numbers and decimals on their lattice,
real numbers between certified bounds. Right-or-wrong items make it Fisher's exact test, two-sided by the size of the
difference; R's `fisher.test` takes the tables that are no likelier than the observed one. Mid-ranks in place of scores make it
the rank-sum test of Wilcoxon (1945) and Mann and Whitney (1947), ties included.

Items in clusters are divided by clusters, whose number is fixed. Clusters of one size are items of their sums; of unlike sizes
the difference in means is a ratio in clusters, items and sums, and the divisions are listed, or drawn where there are too many.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

from outscore.core.numeric import TIE_TOLERANCE, Array
from outscore.exact import numbers, splits
from outscore.exact.bracket import Bounds
from outscore.exact.flipsum import BudgetError
from outscore.exact.laws import choices
from outscore.inference.base import p_values
from outscore.inference.base.question import Alternative
from outscore.inference.populations import FISHER, RANK_SUM, TWO_SAMPLES
from outscore.inference.unpaired.samples import Samples, mid_ranks
from outscore.results.pvalue import PValue

SAMPLED = 9_999
MAX_LISTED = 100_000
"""Divisions that are listed one by one."""
BITS = 52
BLOCK = 1 << 20


def division_p(
    samples: Samples, alternative: Alternative = "two-sided", *, resamples: int = SAMPLED, seed: int = 0, sample: bool = False
) -> PValue:
    """The p-value of the mean difference over all divisions; `sample` draws some of them.

    Examples
    --------
    >>> right = Samples(np.ones(10), np.array([1.0] * 20 + [0.0] * 10))
    >>> p = division_p(right)
    >>> round(p.value, 4), p.test
    (0.0852, 'fisher')
    """
    pooled = np.concatenate([samples.a, samples.b])
    p = _p(samples, pooled, alternative, resamples, seed, sample=sample)
    table = samples.worth is not None and samples.clusters is None
    return replace(p, test=FISHER if table else TWO_SAMPLES, statistic=samples.difference, n=samples.n)


def rank_sum_p(
    samples: Samples, alternative: Alternative = "two-sided", *, resamples: int = SAMPLED, seed: int = 0, sample: bool = False
) -> PValue:
    """The p-value of the rank-sum test; its statistic is the number of pairs of items that A wins, ties counted half.

    Examples
    --------
    >>> p = rank_sum_p(Samples(np.array([1.1, 2.2, 3.3]), np.array([4.4, 5.5, 6.6, 7.7])))
    >>> round(p.value, 6), p.statistic
    (0.057143, 0.0)
    """
    pooled = np.concatenate([samples.a, samples.b])
    written = numbers.to_exact_integers(pooled)
    ranks = mid_ranks(pooled if written is None else written[0][0])
    p = _p(samples, ranks, alternative, resamples, seed, sample=sample)
    n_a = len(samples.a)
    won = (int(ranks[:n_a].sum()) - n_a * (n_a + 1)) / 2
    return replace(p, test=RANK_SUM, statistic=won, n=samples.n)


def _p(samples: Samples, pooled: Array, alternative: Alternative, resamples: int, seed: int, *, sample: bool) -> PValue:
    if (pooled == pooled[0]).all():
        return p_values.identical_p()
    side = {"two-sided": 0, "greater": 1, "less": -1}[alternative] * samples.orientation
    whole, doubt = _whole(pooled)
    n_a = len(samples.a)
    sizes = np.ones(len(whole), dtype=np.int64)
    if samples.clusters is not None:
        codes = np.concatenate([samples.clusters[0], samples.clusters[1] + samples.units[0]])
        sizes = np.bincount(codes)
        sums = np.zeros(len(sizes), dtype=np.int64)
        np.add.at(sums, codes, whole)
        whole, n_a = sums, samples.units[0]
    p = None if sample else _computed(whole, sizes, n_a, side, doubt)
    return _drawn(whole, sizes, n_a, side, resamples, seed) if p is None else p


def _computed(whole: Array, sizes: Array, n_a: int, side: int, doubt: int) -> PValue | None:
    """p without sampling, by whichever method applies; None where none does."""
    few = _divisions(len(whole), n_a) <= MAX_LISTED
    if (sizes != sizes[0]).any():
        return _listed_ratio(whole, sizes, n_a, side) if few else None
    if doubt and few:
        return _listed(whole, n_a, side, doubt)
    try:
        return _bounded(whole, n_a, side, doubt) if doubt else _exact(whole, n_a, side)
    except BudgetError:
        return None


def _whole(pooled: Array) -> tuple[Array, int]:
    """Numbers as written in whole numbers, or reals on a fine lattice with what all of them together may be off by."""
    written = numbers.to_exact_integers(pooled)
    if written is not None:
        return written[0][0], 0
    return numbers.fixed_point(pooled.astype(float), BITS)[0], len(pooled)


def _exact(whole: Array, n_a: int, side: int) -> PValue:
    observed = int(whole[:n_a].sum())
    try:
        tail = splits.two_sided(whole, n_a, observed) if side == 0 else splits.tail(side * whole, n_a, side * observed)
    except BudgetError:
        return _bounded(whole, n_a, side, 0)
    kernel = "hypergeometric" if len(np.unique(whole)) == 2 else "splits"
    p = PValue.from_logs(tail.log, tail.log, method="exact", kernel=kernel, log_mid=min(tail.log_mid, 0.0))
    return _snapped(p, _divisions(len(whole), n_a))


def _divisions(n: int, chosen: int) -> float:
    """How many divisions there are, unless that number has many thousand digits."""
    return math.comb(n, chosen) if min(chosen, n - chosen) <= 60 else math.inf


def _snapped(p: PValue, divisions: float) -> PValue:
    """An exact p is a whole number of divisions; where floats hold their number, the last rounding error goes."""
    if divisions >= 2**50:
        return p
    value = max(1, round(p.value * divisions)) / divisions
    return replace(p, value=value, lower=value, upper=value, log10=math.log10(value) + 0.0)


def _bounded(whole: Array, n_a: int, side: int, doubt: int) -> PValue:
    """Certified bounds of numbers on a lattice too fine for the kernel."""
    observed = int(whole[:n_a].sum())
    if side:
        bounds = splits.bounds(side * whole, n_a, side * observed, doubt=doubt)
    else:
        centre = Fraction(n_a * int(whole.sum()), len(whole))
        distance = abs(observed - centre)
        if distance <= doubt:
            return p_values.identical_p()
        upper = splits.bounds(whole, n_a, math.ceil(centre + distance), doubt=doubt + 1)
        lower = upper
        if 2 * n_a != len(whole):
            lower = splits.bounds(-whole, n_a, -math.floor(centre - distance), doubt=doubt + 1)
        low, high = float(np.logaddexp(upper.lower, lower.lower)), float(np.logaddexp(upper.upper, lower.upper))
        bounds = Bounds(min(0.0, low), min(0.0, high))
    return PValue.from_logs(bounds.lower, bounds.upper, method="certified", kernel="splits")


def _listed(whole: Array, n_a: int, side: int, doubt: int) -> PValue:
    """Every division of few numbers, near sums being ties."""
    n, total = len(whole), int(whole.sum())
    sums = whole[choices(n, n_a)].sum(axis=1) - n_a * (total / n)
    observed = float(whole[:n_a].sum()) - n_a * (total / n)
    slack = doubt + 4 * float(np.spacing(np.abs(sums).max() + abs(total)))
    hits = np.abs(sums) >= abs(observed) - slack if side == 0 else side * sums >= side * observed - slack
    return _counted_p(hits)


def _listed_ratio(sums: Array, sizes: Array, n_a: int, side: int) -> PValue:
    """Every division of few clusters of unlike sizes."""
    chosen = choices(len(sums), n_a)
    moved = _differences(sums[chosen].sum(axis=1), sizes[chosen].sum(axis=1), sums, sizes)
    return _counted_p(_hits(moved, _observed(sums, sizes, n_a), side))


def _counted_p(hits: Array) -> PValue:
    log = math.log(int(hits.sum())) - math.log(len(hits))
    return _snapped(PValue.from_logs(log, log, method="exact", kernel="enumeration"), len(hits))


def _differences(total: Array, items: Array, sums: Array, sizes: Array) -> Array:
    """Mean differences where A has these totals on so many items."""
    return np.asarray(total / items - (sums.sum() - total) / (sizes.sum() - items))


def _observed(sums: Array, sizes: Array, n_a: int) -> float:
    return float(_differences(sums[:n_a].sum(), sizes[:n_a].sum(), sums, sizes))


def _hits(moved: Array, observed: float, side: int) -> Array:
    slack = TIE_TOLERANCE * max(float(np.abs(moved).max()), abs(observed))
    if side == 0:
        return np.asarray(np.abs(moved) >= abs(observed) - slack)
    return np.asarray(side * moved >= side * observed - slack)


def _drawn(sums: Array, sizes: Array, n_a: int, side: int, resamples: int, seed: int) -> PValue:
    """Divisions drawn at random; the observed one counts as one more."""
    stream = np.random.Generator(np.random.Philox(key=seed))
    observed = _observed(sums, sizes, n_a)
    block = max(1, BLOCK // len(sums))
    hits = 0
    for start in range(0, resamples, block):
        count = min(block, resamples - start)
        places = np.argpartition(stream.random((count, len(sums))), n_a - 1, axis=1)[:, :n_a]
        moved = _differences(sums[places].sum(axis=1), sizes[places].sum(axis=1), sums, sizes)
        hits += int(_hits(moved, observed, side).sum())
    return p_values.sampled_p(hits, resamples, "divisions")


def likelihood_p(samples: Samples) -> float | None:
    """Fisher's two-sided p with tables ordered by their probability, as R and scipy have it; None but for small 2 × 2 tables.

    Examples
    --------
    >>> round(likelihood_p(Samples(np.ones(10), np.array([1.0] * 20 + [0.0] * 10))), 4)
    0.0428
    """
    if samples.worth is None or samples.clusters is not None or samples.identical or sum(samples.sizes) > splits.COUNTED_TABLE:
        return None
    n_a, n_b = samples.sizes
    first, second = (int((x == samples.worth.right).sum()) for x in (samples.a, samples.b))
    right = first + second
    ways = {
        k: math.comb(right, k) * math.comb(n_a + n_b - right, n_a - k) for k in range(max(0, right - n_b), min(n_a, right) + 1)
    }
    return sum(count for count in ways.values() if count <= ways[first]) / math.comb(n_a + n_b, n_a)
