"""Friedman's test: whether the systems' ranks differ at all over datasets, or over items.

In each block (a dataset or an item) the systems are ranked, best first, ties sharing their ranks; if nothing
distinguishes the systems, all orders of the ranks in a block are equally likely. Ranks forget by how much a
system is ahead, so the test is about consistency over blocks and not about the metric; it serves for
critical-difference diagrams, and the paired tests for the rest.

How p is computed: exactly where the orders can be counted, else by the F form of Iman and Davenport (1980),
which keeps its level better than χ² with few blocks. Nemenyi's critical difference says how far two mean
ranks must lie apart. It treats all pairs of systems as a family, is conservative with ties, and depends on
which other systems take part.
"""

from __future__ import annotations

import math
from itertools import permutations
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import MIN_FLOAT, Array
from outscore.core.options import check_level
from outscore.core.records import dataclass

Form = Literal["exact", "F"]
MAX_SUMS = 400_000
"""Rank sums held in one step of the exact law: beyond it p comes from F."""
MAX_BLOCKS = 100
"""And with more blocks than this F is as good."""
MAX_ORDERED = 6
"""Systems whose orders can be counted: 6! = 720."""
MAX_KEY = 2**62
STEP = 0.1
"""Of the quadrature. The integrand is smooth and wider than .2, so that this step is exact to rounding."""
REACH = 9.0
"""Beyond so many standard deviations a normal density adds nothing."""


@dataclass(frozen=True)
class Friedman:
    """`mean_ranks` of the systems (1 is best), `statistic` (χ² corrected for ties), and `p` by the form that `form` names."""

    mean_ranks: list[float]
    statistic: float
    p: float
    form: Form
    blocks: int


def friedman(scores: object, *, higher_is_better: bool = True) -> Friedman:
    """Friedman's test of H0: in every block all orders of the systems are equally likely.

    Rank orders are counted where that can be done in a fraction of a second; elsewhere p is that of Iman and Davenport's F.
    The result says which.

    Parameters
    ----------
    scores
        (blocks, systems): one row for each dataset or item, one column for each system, none missing.
    higher_is_better
        Whether rank 1 goes to the highest score.

    Examples
    --------
    >>> result = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.5], [0.7, 0.75, 0.6], [0.6, 0.5, 0.4]])
    >>> result.mean_ranks, result.statistic, round(result.p, 5), result.form
    ([1.25, 1.75, 3.0], 6.5, 0.04167, 'exact')
    """
    table = _as_table(scores)
    n, k = table.shape
    doubled = _doubled_ranks(-table if higher_is_better else table)
    # With doubled ranks Q = (k - 1) Σ (R - n(k+1))² / Σ (r - (k+1))²; ties make the divisor smaller (Conover,
    # 1999, 5.8).
    between = int(((doubled.sum(axis=0) - n * (k + 1)) ** 2).sum())
    within = int(((doubled - (k + 1)) ** 2).sum())
    mean_ranks = (doubled.sum(axis=0) / (2 * n)).tolist()
    if between == 0:
        return Friedman(mean_ranks, 0.0, 1.0, "exact", n)
    statistic = (k - 1) * between / within
    counted = _exact(doubled, between)
    p = f_tail(statistic, n, k) if counted is None else counted
    return Friedman(mean_ranks, statistic, min(max(p, MIN_FLOAT), 1.0), "F" if counted is None else "exact", n)


def critical_difference(systems: int, blocks: int, *, alpha: float = 0.05) -> float:
    """How far two mean ranks must lie apart to differ at `alpha` (Nemenyi, 1963; Demšar, 2006, section 3.2.2).

    Examples
    --------
    >>> round(critical_difference(5, 30), 4)
    1.1136
    """
    if systems < 2 or blocks < 1:
        raise OutscoreError(f"There are {systems} systems and {blocks} blocks.", "Give at least two systems and one block.")
    check_level("alpha", alpha)
    low, high = 0.0, 1.0
    while range_tail(high, systems) > alpha:
        high *= 2
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if range_tail(middle, systems) > alpha else (low, middle)
    return high * _rank_error(systems, blocks)


def mean_ranks_differ(mean_ranks: object, blocks: int) -> Array:
    """Nemenyi's p-values of all pairs of systems, 1 on the diagonal; they are adjusted for the number of pairs already.

    Examples
    --------
    >>> mean_ranks_differ([1.25, 1.75, 3.0], 4).round(4).tolist()
    [[1.0, 0.7593, 0.0356], [0.7593, 1.0, 0.1805], [0.0356, 0.1805, 1.0]]
    """
    ranks = np.asarray(mean_ranks, dtype=float)
    k = len(ranks)
    p = np.ones((k, k))
    for i in range(k):
        for j in range(i):
            gap = abs(float(ranks[i] - ranks[j])) / _rank_error(k, blocks)
            p[i, j] = p[j, i] = range_tail(gap, k)
    return p


def range_tail(q: float, k: int) -> float:
    """P(max - min ≥ q) of k standard normal numbers: the studentised range with infinitely many degrees of freedom.

    With the largest at z, P = k ∫ φ(z) [Φ(z)^(k-1) - (Φ(z) - Φ(z - q))^(k-1)] dz, and a tail without
    cancellation follows from the ratio Φ(z - q)/Φ(z). (Importing the distribution from scipy.stats costs more
    than computing it.)

    Examples
    --------
    >>> round(range_tail(3.314493, 3), 6), range_tail(0.0, 3)
    (0.05, 1.0)
    """
    if q <= 0:
        return 1.0
    import scipy.special

    z = np.arange(-REACH, q + REACH, STEP)
    log_below = scipy.special.log_ndtr(z)
    # Where Φ(z - q) and Φ(z) are equal as floats nothing lies between them, and log 0 = -inf is what is
    # meant.
    with np.errstate(divide="ignore"):
        log_none = (k - 1) * np.log1p(-np.exp(scipy.special.log_ndtr(z - q) - log_below))
    density = np.exp(-z * z / 2 + (k - 1) * log_below) * (k / math.sqrt(2 * math.pi))
    return min(max(float((density * -np.expm1(log_none)).sum()) * STEP, MIN_FLOAT), 1.0)


def _rank_error(k: int, n: int) -> float:
    """What a studentised range is multiplied by to become a difference in mean ranks over n blocks."""
    return math.sqrt(k * (k + 1) / (12 * n))


def _as_table(scores: object) -> Array:
    table = np.asarray(scores, dtype=float)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2:
        raise OutscoreError(
            f"`scores` has shape {table.shape}.",
            "Give a row for each block and a column for each of two or more systems.",
            parameter="scores",
        )
    missing = np.argwhere(np.isnan(table))
    if len(missing):
        block, system = (int(place) + 1 for place in missing[0])
        raise OutscoreError(
            f"Block {block} has no score of system {system}, and Friedman's test ranks all systems in every block.",
            "Leave out the blocks or systems with missing scores.",
        )
    return table


def _doubled_ranks(table: Array) -> Array:
    """Twice the rank of each number in its row, ties sharing the mean of theirs: whole numbers."""
    n, k = table.shape
    order = np.argsort(table, axis=1, kind="stable")
    ascending = np.take_along_axis(table, order, axis=1)
    new = np.ones((n, k + 1), dtype=bool)
    new[:, 1:-1] = ascending[:, 1:] != ascending[:, :-1]
    places = np.arange(k)
    first = np.maximum.accumulate(np.where(new[:, :-1], places, 0), axis=1)
    last = np.minimum.accumulate(np.where(new[:, 1:], places, k)[:, ::-1], axis=1)[:, ::-1]
    doubled = np.empty((n, k), dtype=np.int64)
    np.put_along_axis(doubled, order, first + last + 2, axis=1)
    return doubled


def _exact(doubled: Array, between: int) -> float | None:
    """P(Σ (R - mean)² ≥ observed) over all orders in all blocks, or None where there are too many.

    The law of the rank sums is the same for any order of the systems, so only the sorted sums are kept: one
    block after the other is added in all its distinct orders.
    """
    n, k = doubled.shape
    patterns = np.sort(doubled, axis=1) - (k + 1)
    if (doubled == doubled[0]).all():
        # All blocks agree: one order of each block after the first, however many systems there are.
        _, sizes = np.unique(patterns[0], return_counts=True)
        log_orders = math.lgamma(k + 1) - sum(math.lgamma(size + 1) for size in sizes.tolist())
        return math.exp(-(n - 1) * log_orders)
    if k > MAX_ORDERED or n > MAX_BLOCKS:
        return None
    base = 1 + 2 * int(patterns.max(axis=1).sum())
    if base**k > MAX_KEY:
        return None
    # Sums are held as the digits of one whole number: equal numbers are found much faster than equal rows.
    digits = base ** np.arange(k)
    sums: Array = np.zeros((1, k), dtype=np.int64)
    share: Array = np.ones(1)
    for pattern in patterns[patterns.any(axis=1)]:
        orders = np.array(sorted(set(permutations(pattern.tolist()))))
        if len(sums) * len(orders) > MAX_SUMS:
            return None
        reached = np.sort((sums[:, None, :] + orders).reshape(-1, k), axis=1)
        _, first, place = np.unique(reached @ digits, return_index=True, return_inverse=True)
        sums, share = reached[first], np.bincount(place, weights=np.repeat(share / len(orders), len(orders)))
    return float(share[(sums**2).sum(axis=1) >= between].sum())


def f_tail(statistic: float, n: int, k: int) -> float:
    """F = (n - 1) Q / (n(k - 1) - Q) with k - 1 and (k - 1)(n - 1) degrees of freedom (Iman and Davenport, 1980)."""
    import scipy.special

    rest = n * (k - 1) - statistic
    return float(scipy.special.fdtrc(k - 1, (k - 1) * (n - 1), (n - 1) * statistic / rest)) if rest > 0 else 0.0
