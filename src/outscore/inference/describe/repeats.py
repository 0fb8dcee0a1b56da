"""What repeated runs and single systems tell: where the spread comes from, the noise floor, and what a test set can detect."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import TIE_TOLERANCE, Array, first_where, median
from outscore.core.rows import RUNS, PairedScores
from outscore.inference.base import question
from outscore.inference.base.differences import scores_if_any, with_exact_integers
from outscore.inference.base.own_score import UNKNOWN, Limits
from outscore.inference.base.question import PLAIN, TestRequest, as_extreme, interval_for
from outscore.inference.permutation import permutation
from outscore.inference.populations import EXCHANGE_OF_RUNS
from outscore.inference.power.design import study_of
from outscore.inference.two_way import item_spread, pseudo_values
from outscore.laws import normal, normal_quantile, student_quantile, t_quantile
from outscore.results.analysis import Directions
from outscore.results.plan import StudyDesign
from outscore.results.pvalue import Interval, PValue
from outscore.results.score import Detectable, Noise

# Repeated runs: where the spread of their scores comes from, and whether two systems differ beyond what a run would change.
#
# With y_ik = μ + b_i + e_ik, b of variance σ_b² (between items) and e of variance σ_w² (within an item, from run to run),
# the analysis of variance equates mean squares with their expectations (Searle, Casella and McCulloch, 1992, chapter 3):
#
#     σ_w² = MSW,    σ_b² = (MSB - MSW) / n₀,    n₀ = (N - Σ n_i² / N) / (k - 1)
#
# for k items with n_i repeats each, N in all. With equally many repeats n₀ is their number, and both agree with REML where
# the estimate of σ_b² is not negative; where it is, 0 is reported.
#
# The test of runs takes one score of each run. H0: all runs come from one system. Exchanging runs between the systems then
# changes nothing in law, and p is the share of all ways to divide the runs whose difference of means is at least as large
# as the observed one, ties included. With three runs each no p below .1 is possible; the test is shown beside the one over
# segments, not instead of it.


OWN_BY_RUNS = "Student's t of the runs"
RUN_INTERVAL = "inverted exchange of whole runs"
WELCH = "Welch t over whole runs"

MAX_LISTED = 200_000
DRAWN = 99_999


def run_test(a: Array, b: Array, request: TestRequest = PLAIN, *, higher_is_better: bool = True) -> PValue:
    """p-value of the exact two-sample permutation test of run scores; those of A are taken as shifted by δ.

    Examples
    --------
    >>> p = run_test(np.array([30.1, 30.4, 30.2]), np.array([29.0, 29.3, 29.9]))
    >>> p.value, p.method
    (0.1, 'exact')
    """
    if not len(a) or not len(b):
        raise OutscoreError("A system has no run.", "Give at least one run of each system.")
    a = a - request.delta
    scores = np.concatenate([a, b]).astype(float)
    observed = float(a.mean() - b.mean())
    ways = math.comb(len(scores), len(a))
    exact = ways <= MAX_LISTED
    if exact:
        chosen = _all_ways(len(scores), len(a))
    else:
        stream = np.random.Generator(np.random.Philox(key=request.seed))
        chosen = np.argsort(stream.random((DRAWN, len(scores))), axis=1)[:, : len(a)]
    first = scores[chosen].mean(axis=1)
    second = (scores.sum() - scores[chosen].sum(axis=1)) / len(b)
    moved = first - second
    slack = TIE_TOLERANCE * float(np.abs(scores).max())
    hits = int(as_extreme(moved, observed, slack, request.direction(1 if higher_is_better else -1)).sum())
    shown, n = observed + request.delta, len(scores)
    if not exact:
        return question.sampled_p(hits, DRAWN, "divisions", test=EXCHANGE_OF_RUNS, statistic=shown, n=n)
    value = hits / ways
    return PValue(value, value, value, math.log10(value), "exact", "enumeration", EXCHANGE_OF_RUNS, shown, n)


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


def run_interval(a: Array, b: Array, request: TestRequest = PLAIN, *, higher_is_better: bool = True) -> Interval:
    """All shifts of A's runs that the exchange of whole runs does not reject: unbounded where no p is small enough.

    A division that exchanges j runs of A for j of B is as extreme as the observed one about δ exactly when the mean of those A
    gives up exceeds that of those it gets by no more than δ, so the ends are such differences. With more divisions than can be
    listed, Welch's interval of the run scores.

    Examples
    --------
    >>> interval = run_interval(np.array([30.1, 30.4, 30.2, 30.3]), np.array([29.0, 29.3, 29.9, 29.5]))
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.2, 1.4)
    """
    turn = 1 if higher_is_better else -1
    estimate = float(a.mean() - b.mean())
    if math.comb(len(a) + len(b), len(a)) > MAX_LISTED:
        return _welch(a, b, request, turn)
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
    both, alpha = request.alternative == "two-sided", request.alpha
    low = _limit(ends[ends <= estimate][::-1], -1, lambda x: share(x, "both" if both else "below") > alpha)
    high = _limit(ends[ends >= estimate], 1, lambda x: share(x, "both" if both else "above") > alpha)
    return interval_for((low, high), request, turn, method=RUN_INTERVAL, dual=True, estimate=estimate)


def _limit(ends: Array, outwards: int, accepted: Callable[[float], bool]) -> float | None:
    """The last of the ends, from the estimate outwards, that is accepted; None where all are, and what lies beyond them."""
    if not len(ends) or accepted(float(ends[-1]) + outwards * (1.0 + abs(float(ends[-1])))):
        return None
    return float(ends[first_where(lambda i: not accepted(float(ends[i])), 0, len(ends)) - 1])


def _welch(a: Array, b: Array, request: TestRequest, turn: int) -> Interval:
    parts = [(float(x.var(ddof=1)) / len(x), len(x) - 1) for x in (a, b)]
    variance = sum(v for v, _ in parts)
    noise = sum(v * v / df for v, df in parts)
    reach = student_quantile(variance**2 / noise, 1 - request.side) * math.sqrt(variance) if noise else 0.0
    estimate = float(a.mean() - b.mean())
    limits = (estimate - reach, estimate + reach)
    return interval_for(limits, request, turn, method=WELCH, dual=False, estimate=estimate)


def _all_ways(n: int, k: int) -> Array:
    return np.array(list(itertools.combinations(range(n), k)))


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


# What a test set can tell, from one system's scores: its noise floor, and the smallest difference it can detect.
#
# The noise floor is how far two runs of one system differ on the same items, and how often a test would call that real. A
# run of n items scores mean(y). Epochs of different items are independent, so the variance of a run's score on these items
# is σ_w²/n, σ_w² being the variance within an item. Runs that span all items (training seeds) may be lucky everywhere at
# once, and their scores vary by s²_run, whatever items say.
#
# *A/A.* Two single runs of one system are compared item by item. The two epochs of an item are exchangeable, so the
# permutation test is exact and its level is at most α; with right-or-wrong items it is known to every digit: item i is
# discordant with probability q_i, the share of discordant pairs of its epochs, and given m discordant items the test
# rejects with probability L(m), the attained level of the sign test, so that
#
#     P(p ≤ α) = Σ_m P(M = m) L(m),     M a sum of independent Bernoulli(q_i).
#
# For other scores, and for clusters, a bound is known: p is a multiple of 2/2^m, m being the units whose epochs differ at
# all, so that P(p ≤ α) is at most α rounded down to such a multiple, and 0 where there are too few of them for any p ≤ α.
#
# Runs are not exchangeable item by item. The test takes the difference of two runs to have the variance V that their items
# show; it has 2 s²_run, and so P(p ≤ α) ≈ 2 Φ(-z √(V / max(V, 2 s²_run))).
#
# *Reach.* What the test set can detect is known before a second system is there. The variance of a paired difference is
# that of two scores less what they have in common. With v the squared standard error of one system's score over items, r
# what new runs add to it, and ρ the correlation of two systems' scores of an item,
#
#     V = 2 (1 - ρ) v + 2 r,
#
# and the smallest difference that a two-sided paired t test finds with the power asked for solves the noncentral t of
# `power.design` for V and its degrees of freedom. Right-or-wrong items that were run once have the exact test of discordant
# items, whose number follows from both accuracies and ρ; a better system and a worse one are then detected from different
# differences on, and a difference that would make an accuracy leave the room between 0 and 1 is none. ρ is not known from
# one system, and systems of one kind mostly share what is hard: both ends are shown, ρ = 0 and a ρ that is measured where
# there are several systems and said to be assumed where there is one. Where units are so few that no sign flips reach
# alpha, no difference is detected at all, whatever a t test would say.


MAX_PAIRS = 28
"""Pairs of runs that are compared: all those of eight runs."""
NEGLIGIBLE = 1e-13
ASSUMED = 0.5
"""The correlation of two systems' item scores where there is one system: that of systems of one kind is .3 to .8 mostly."""


Share = tuple[float, float, int | None]
"""Right-or-wrong items: the share of right ones, what one is worth, and how many there are if each is a unit run once."""


def noise_floor(
    runs: Array, metric: AdditiveMetric, *, kind: str, clusters: Array | None = None, alpha: float, binary: bool = False
) -> Noise:
    """The noise floor of (items, runs, columns) rows in the metric's own columns, true numbers.

    `binary` says that a run of an item is right or wrong and an item its own unit.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> y = np.array([[1, 1], [1, 0], [0, 0], [0, 1], [1, 1], [0, 0]])
    >>> noise = noise_floor(np.stack([y, np.ones_like(y)], axis=-1), mean, kind="epochs", alpha=0.05, binary=True)
    >>> round(noise.sd, 4), round(noise.reach, 4), noise.largest, noise.pairs, noise.significant
    (0.1667, 0.462, 0.0, 1, 0)
    """
    n, k = runs.shape[:2]
    scores, values = pseudo_values(runs, metric)
    z = t_quantile(math.inf, alpha)
    varies = (runs != runs[:, :1]).any(axis=(1, 2))
    level = level_of_flips(int(varies.sum()) if clusters is None else len(np.unique(clusters[varies])), alpha)
    # Of very many pairs of runs, as many as are compared, evenly chosen.
    pairs = list(itertools.combinations(range(k), 2))
    pairs, bound = pairs[:: max(1, math.ceil(len(pairs) / MAX_PAIRS))], False
    if kind == RUNS:
        spread = float(scores.var(ddof=1))
        shown = [item_spread(values[:, i] - values[:, j], clusters).variance for i, j in pairs]
        seen = float(np.mean(shown))
        alarms = 2 * normal(-z * math.sqrt(seen / max(seen, 2 * spread))) if seen else None
        if not level:
            alarms = 0.0
        # The variance of runs is known from K - 1 of them.
        reach = t_quantile(k - 1, 0.05) * math.sqrt(2 * spread)
    else:
        spread = float(values.var(axis=1, ddof=1).mean()) / n
        exact = binary and clusters is None
        alarms, bound = discordant_alarms(values, alpha) if exact else level, not exact and level > 0
        reach = t_quantile(math.inf, 0.05) * math.sqrt(2 * spread)
    significant = 0
    for i, j in pairs:
        both = with_exact_integers(PairedScores(runs[:, i], runs[:, j], 1, None, clusters))
        significant += permutation(both, metric, PLAIN).upper <= alpha
    largest = float(scores.max() - scores.min())
    return Noise(float(k), math.sqrt(spread), reach, largest, alarms, len(pairs), significant, bound)


def epoch_noise(within: float, items: int, epochs: float, alpha: float, units: int) -> Noise:
    """The noise floor of epochs that are not equally many for all items, from their variance within an item.

    `units` are the items, or clusters, whose epochs differ.

    Examples
    --------
    >>> noise = epoch_noise(0.08, 50, 2.5, 0.05, 6)
    >>> round(noise.sd, 4), round(noise.reach, 4), noise.largest, noise.false_alarms, noise.bound
    (0.04, 0.1109, None, 0.03125, True)
    """
    sd, level = math.sqrt(within / items), level_of_flips(units, alpha)
    return Noise(epochs, sd, -normal_quantile(0.025) * math.sqrt(2) * sd, None, level, bound=level > 0)


def level_of_flips(units: int, alpha: float) -> float:
    """The largest level up to alpha that flips of so many signs can have, two-sided: a multiple of 2/2^m.

    Examples
    --------
    >>> [level_of_flips(units, 0.05) for units in (0, 5, 6, 7)]
    [0.0, 0.0, 0.03125, 0.046875]
    """
    # Beyond sixty units no double tells the levels apart.
    patterns = 2.0 ** (min(units, 60) - 1)
    return math.floor(alpha * patterns * (1 + 1e-12)) / patterns


def discordant_alarms(values: Array, alpha: float) -> float:
    """How often the exact test of two single epochs rejects, right-or-wrong items: (items, epochs) scores of two kinds.

    Examples
    --------
    >>> round(discordant_alarms(np.array([[0, 1]] * 6), 0.05), 6), discordant_alarms(np.array([[0, 0]] * 6), 0.05)
    (0.03125, 0.0)
    """
    k = values.shape[1]
    right = (values == values.max()).sum(axis=1)
    shares, counts = np.unique(2 * right * (k - right) / (k * (k - 1)), return_counts=True)
    law = _sum_of_coins(shares, counts)
    likely = np.flatnonzero(law > NEGLIGIBLE)
    return float(law[likely] @ attained_level(likely, alpha))


def _sum_of_coins(shares: Array, counts: Array) -> Array:
    """P(M = 0), P(M = 1), ... of a sum of independent coins, so many with each share: by the discrete Fourier transform."""
    size = int(counts[shares > 0].sum()) + 1
    turns = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    spectrum = np.ones(len(turns), dtype=complex)
    for share, times in zip(shares.tolist(), counts.tolist(), strict=True):
        spectrum *= (1 - share + share * turns) ** times if share else 1.0
    return np.asarray(np.clip(np.fft.irfft(spectrum, size), 0.0, 1.0))


def attained_level(m: Array, alpha: float) -> Array:
    """The level that the two-sided sign test attains with m discordant items.

    Examples
    --------
    >>> attained_level(np.array([0, 5, 6, 9]), 0.05).tolist()
    [0.0, 0.0, 0.03125, 0.0390625]
    """
    import scipy.special

    m = np.asarray(m, dtype=np.int64)
    # The largest k with 2 P(X <= k) <= alpha, by bisection: at half of m both tails are everything.
    low, high = np.full(m.shape, -1.0), np.floor(m / 2)
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        fits = 2 * scipy.special.bdtr(middle, m, 0.5) <= alpha
        apart = high - low > 1
        low = np.where(apart & fits, middle, low)
        high = np.where(apart & ~fits, middle, high)
    return np.asarray(np.where(low >= 0, 2 * scipy.special.bdtr(np.maximum(low, 0.0), m, 0.5), 0.0))


def detectable_difference(
    variance: float,
    df: float,
    *,
    added: float = 0.0,
    correlation: float | None = None,
    share: Share | None = None,
    units: int | None = None,
    alpha: float,
    power: float,
) -> Detectable | None:
    """The smallest difference to another system that is detected; None where scores do not vary.

    Parameters
    ----------
    variance, df
        The squared standard error of one score over items, and its degrees of freedom.
    added
        What new runs add to it.
    correlation
        Of two systems' item scores; None where it is not known.
    share
        Of right-or-wrong items: how many were right. No difference can leave the room between none and all.
    units
        Items or clusters whose signs the test of the difference flips; None where it flips none.

    Examples
    --------
    >>> smallest = detectable_difference(0.25 / 100, 99, alpha=0.05, power=0.8)
    >>> round(smallest.independent, 4), round(smallest.correlated, 4), smallest.correlation
    (0.2, 0.1415, 0.5)
    """
    right, unit, once = share or (0.0, 0.0, None)
    if once is None and (not variance + added > 0 or df < 1):
        return None
    rho = ASSUMED if correlation is None else min(1.0, max(-1.0, correlation))
    possible = None if share is None else unit
    if units is not None and units < StudyDesign(alpha=alpha).min_units:
        smallest = min(1.0, 2.0 ** (1 - units))
        return Detectable(None, None, rho, correlation is not None, power, alpha, possible, smallest)
    ends = []
    for shared in (0.0, rho):
        if once is not None:
            study = study_of(StudyDesign(accuracy=right, unit=unit, correlation=shared, alpha=alpha))
            ends.append(Directions(**study.directions(once, power)))
        else:
            ends.append(_directions(2 * (1 - shared) * variance + 2 * added, df, share, alpha, power))
    sizes = [max((size for size in (end.better, end.worse) if size is not None), default=None) for end in ends]
    return Detectable(sizes[0], sizes[1], rho, correlation is not None, power, alpha, possible, None, ends[0], ends[1])


def _directions(variance: float, df: float, share: Share | None, alpha: float, power: float) -> Directions:
    """By the t test of scores with this variance, as far as there is room for such a difference."""
    units, size = df + 1, 0.0
    if variance > 0:
        size = study_of(StudyDesign(math.sqrt(variance * units), alpha=alpha, method="t")).detectable_effect(units, power)
    if share is None:
        return Directions(size, size)
    right, unit, _ = share
    up, down = unit * (1 - right), unit * right
    return Directions(size if size <= up else None, size if size <= down else None)


def median_correlation(tables: Sequence[tuple[Array, Array]]) -> float | None:
    """The median correlation of two systems' scores of the items both have; None where no two systems show one.

    `tables` holds a code for each item and its score, for each system.

    Examples
    --------
    >>> codes = np.arange(4)
    >>> round(median_correlation([(codes, np.array([1.0, 2, 3, 4])), (codes, np.array([1.0, 3, 2, 4]))]), 6)
    0.8
    """
    correlations = []
    for i, (codes, scores) in enumerate(tables):
        for others, theirs in tables[i + 1 :]:
            _, first, second = np.intersect1d(codes, others, assume_unique=True, return_indices=True)
            x, y = scores[first], theirs[second]
            if len(x) > 2 and x.std() > 0 and y.std() > 0:
                correlations.append(float(np.corrcoef(x, y)[0, 1]))
    return median(np.array(correlations)) if correlations else None
