"""Repeated runs: where the spread of their scores comes from, and whether two systems differ beyond what a run would change.

With y_ik = μ + b_i + e_ik, b of variance σ_b² (between items) and e of variance σ_w² (within an item, from
run to run), the analysis of variance equates mean squares with their expectations (Searle, Casella and
McCulloch, 1992, chapter 3):

    σ_w² = MSW,    σ_b² = (MSB - MSW) / n₀,    n₀ = (N - Σ n_i² / N) / (k - 1)

for k items with n_i repeats each, N in all. With equally many repeats n₀ is their number, and both agree with
REML where the estimate of σ_b² is not negative; where it is, 0 is reported.

The test of runs takes one score of each run. H0: all runs come from one system. Exchanging runs between the
systems then changes nothing in law, and p is the share of all ways to divide the runs whose difference of
means is at least as large as the observed one, ties included. With three runs each no p below .1 is possible;
the test is shown beside the one over segments, not instead of it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import TIE_TOLERANCE, Array
from outscore.core.rows import PairedScores
from outscore.inference.base import p_values
from outscore.inference.base.item_scores import scores_if_any
from outscore.inference.base.own_score import UNKNOWN, Limits
from outscore.inference.base.paired import interval_for, side_of
from outscore.inference.base.question import Alternative
from outscore.inference.populations import EXCHANGE_OF_RUNS
from outscore.laws import student_quantile, t_quantile
from outscore.results.pvalue import Interval, PValue

OWN_BY_RUNS = "Student's t of the runs"
RUN_INTERVAL = "inverted exchange of whole runs"
WELCH = "Welch t over whole runs"

MAX_LISTED = 200_000
DRAWN = 99_999


def run_test(
    a: Array, b: Array, *, alternative: str = "two-sided", higher_is_better: bool = True, seed: int = 0, delta: float = 0.0
) -> PValue:
    """p-value of the exact two-sample permutation test of run scores; those of A are taken as shifted by `delta`.

    Examples
    --------
    >>> p = run_test(np.array([30.1, 30.4, 30.2]), np.array([29.0, 29.3, 29.9]))
    >>> p.value, p.method
    (0.1, 'exact')
    """
    if not len(a) or not len(b):
        raise OutscoreError("A system has no run.", "Give at least one run of each system.")
    turn = 1.0 if higher_is_better else -1.0
    a = a - delta
    scores = np.concatenate([a, b]).astype(float)
    observed = float(a.mean() - b.mean())
    ways = math.comb(len(scores), len(a))
    exact = ways <= MAX_LISTED
    chosen = _all_ways(len(scores), len(a)) if exact else _drawn_ways(len(scores), len(a), seed)
    first = scores[chosen].mean(axis=1)
    second = (scores.sum() - scores[chosen].sum(axis=1)) / len(b)
    moved = first - second
    slack = TIE_TOLERANCE * float(np.abs(scores).max())
    if alternative == "two-sided":
        hits = int((np.abs(moved) >= abs(observed) - slack).sum())
    else:
        side = turn if alternative == "greater" else -turn
        hits = int((side * moved >= side * observed - slack).sum())
    if exact:
        value = hits / ways
        p = PValue(value, value, value, math.log10(value), "exact", "enumeration")
    else:
        p = p_values.sampled_p(hits, DRAWN, "divisions")
    return replace(p, test=EXCHANGE_OF_RUNS, statistic=observed + delta, n=len(scores))


def smallest_run_p(a: int, b: int, alternative: str = "two-sided") -> float:
    """The smallest p that so many runs of A and of B can give.

    Examples
    --------
    >>> smallest_run_p(3, 3), smallest_run_p(3, 4)
    (0.1, 0.02857142857142857)
    """
    return (2 if alternative == "two-sided" and a == b else 1) / math.comb(a + b, a)


def own_run_limits(scores: Array, alpha: float) -> Limits:
    """Student's interval of one system's score over new runs of the same items; none of a single run.

    Examples
    --------
    >>> [round(end, 4) for end in own_run_limits(np.array([0.6, 0.7, 0.65]), 0.05)]
    [0.5258, 0.7742]
    """
    if len(scores) < 2:
        return UNKNOWN
    middle = float(scores.mean())
    reach = t_quantile(len(scores) - 1, alpha) * float(scores.std(ddof=1)) / math.sqrt(len(scores))
    return middle - reach, middle + reach


def run_interval(
    a: Array, b: Array, alpha: float, alternative: Alternative = "two-sided", *, higher_is_better: bool = True
) -> Interval:
    """All shifts of A's runs that the exchange of whole runs does not reject: unbounded where no p is small enough.

    A division that exchanges j runs of A for j of B is as extreme as the observed one about δ exactly when the mean of those A
    gives up exceeds that of those it gets by no more than δ, so the ends are such differences. With more divisions than can be
    listed, Welch's interval of the run scores.

    Examples
    --------
    >>> interval = run_interval(np.array([30.1, 30.4, 30.2, 30.3]), np.array([29.0, 29.3, 29.9, 29.5]), 0.05)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.2, 1.4)
    """
    turn = 1 if higher_is_better else -1
    estimate = float(a.mean() - b.mean())
    if math.comb(len(a) + len(b), len(a)) > MAX_LISTED:
        return _welch(a, b, alpha, alternative, turn)
    chosen = _all_ways(len(a) + len(b), len(a))
    scores = np.concatenate([a, b]).astype(float)
    taken = chosen >= len(a)
    exchanged = taken.sum(axis=1)
    gained = np.where(taken, scores[chosen], 0.0).sum(axis=1)
    given_up = float(a.sum()) - np.where(taken, 0.0, scores[chosen]).sum(axis=1)
    weight = 1 / len(a) + 1 / len(b)
    moving = exchanged > 0
    loss, runs = (given_up - gained)[moving], exchanged[moving]
    steps = loss / runs
    slack = TIE_TOLERANCE * float(np.abs(scores).max())

    def share(delta: float, side: str) -> float:
        """p of the shift δ."""
        gap = estimate - delta
        moved = gap - weight * (loss - runs * delta)
        if side == "both":
            hits = np.abs(moved) >= abs(gap) - slack
        else:
            hits = moved >= gap - slack if side == "below" else moved <= gap + slack
        return float(hits.sum() + 1) / len(chosen)

    # Where the other tail joins in, with unequally many runs.
    crossing = weight * runs != 2
    crossings = (weight * loss[crossing] - 2 * estimate) / (weight * runs[crossing] - 2)
    ends = np.unique(np.concatenate([steps, crossings]))
    both = alternative == "two-sided"
    low = _limit(ends[ends <= estimate][::-1], -1, lambda x: share(x, "both" if both else "below") > alpha)
    high = _limit(ends[ends >= estimate], 1, lambda x: share(x, "both" if both else "above") > alpha)
    return interval_for((low, high), alpha, alternative, turn, method=RUN_INTERVAL, dual=True, estimate=estimate)


def _limit(ends: Array, outwards: int, accepted: Callable[[float], bool]) -> float | None:
    """The last of the ends, from the estimate outwards, that is accepted; None where all are, and what lies beyond them."""
    if not len(ends) or accepted(float(ends[-1]) + outwards * (1.0 + abs(float(ends[-1])))):
        return None
    inside, outside = 0, len(ends)
    while outside - inside > 1:
        middle = (inside + outside) // 2
        inside, outside = (middle, outside) if accepted(float(ends[middle])) else (inside, middle)
    return float(ends[inside])


def _welch(a: Array, b: Array, alpha: float, alternative: Alternative, turn: int) -> Interval:
    parts = [(float(x.var(ddof=1)) / len(x), len(x) - 1) for x in (a, b)]
    variance = sum(v for v, _ in parts)
    noise = sum(v * v / df for v, df in parts)
    reach = student_quantile(variance**2 / noise, 1 - side_of(alpha, alternative)) * math.sqrt(variance) if noise else 0.0
    estimate = float(a.mean() - b.mean())
    limits = (estimate - reach, estimate + reach)
    return interval_for(limits, alpha, alternative, turn, method=WELCH, dual=False, estimate=estimate)


def _all_ways(n: int, k: int) -> Array:
    return np.array(list(itertools.combinations(range(n), k)))


def _drawn_ways(n: int, k: int, seed: int) -> Array:
    stream = np.random.Generator(np.random.Philox(key=seed))
    return np.argsort(stream.random((DRAWN, n)), axis=1)[:, :k]


def standard_error(a: Array, b: Array) -> float | None:
    """Standard error of the difference of mean run scores; None where a system has a single run."""
    if len(a) < 2 or len(b) < 2:
        return None
    return math.sqrt(float(a.var(ddof=1)) / len(a) + float(b.var(ddof=1)) / len(b))


def pair_variances(pairs: PairedScores, metric: AdditiveMetric) -> tuple[float, float] | None:
    """ω² and σ² of the difference (Miller, 2024): its variance from item to item, and from run to run of one item.

    σ² is that of A's runs plus that of B's, each about its own item mean: runs of two systems belong together in no way, and
    pairing them by their numbers would only add noise. ω² is the variance of the item means less σ² times the mean of 1/K,
    and 0 where that is negative. None where no item has a second run, or the metric is not a mean of items.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a, b = (np.stack([np.array(x), np.ones(4)], axis=1) for x in ([0.2, 0.4, 0.7, 0.9], [0.0, 0.0, 0.1, 0.3]))
    >>> [round(x, 6) for x in pair_variances(PairedScores(a, b, items=np.array([0, 0, 1, 1])), mean)]
    [0.03, 0.03]
    """
    means = scores_if_any(pairs, metric) if pairs.items is not None else None
    rows = None if means is None else scores_if_any(pairs.labelled(None, None), metric)
    if means is None or rows is None or pairs.items is None or means.n < 2:
        return None
    runs = np.bincount(pairs.items)
    spare = int((runs - 1).sum())
    if not spare:
        return None
    squares = ((rows.a - means.a[pairs.items]) ** 2).sum() + ((rows.b - means.b[pairs.items]) ** 2).sum()
    within = float(squares) / spare
    return max(0.0, float(means.d.var(ddof=1)) - within * float((1 / runs).mean())), within


def variance_parts(values: Array, items: Array) -> tuple[float, float] | None:
    """Variance between items and variance within an item, from scores with an item code each.

    None where the two cannot be told apart: fewer than two items, or no item with a second score.

    Examples
    --------
    >>> between, within = variance_parts(np.array([0.2, 0.4, 0.7, 0.9]), np.array([0, 0, 1, 1]))
    >>> round(between, 6), round(within, 6)
    (0.115, 0.02)
    """
    sizes = np.bincount(items)
    sizes, codes = sizes[sizes > 0], np.unique(items, return_inverse=True)[1]
    n, k = len(values), len(sizes)
    if k < 2 or n == k:
        return None
    # About one of the scores: squares of a small spread on top of a large score lose no digits, and equal
    # scores have none.
    y = np.asarray(values, dtype=float) - float(values[0])
    means = np.bincount(codes, weights=y) / sizes
    within = float(((y - means[codes]) ** 2).sum()) / (n - k)
    among = float((sizes * (means - y.mean()) ** 2).sum()) / (k - 1)
    typical = (n - float((sizes**2).sum()) / n) / (k - 1)
    return max(0.0, (among - within) / typical), within
