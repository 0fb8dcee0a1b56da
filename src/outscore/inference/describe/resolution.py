"""What a test set can tell, from one system's scores: its noise floor, and the smallest difference it can detect.

The noise floor is how far two runs of one system differ on the same items, and how often a test would call that real. A run
of n items scores mean(y). Epochs of different items are independent, so the variance of a run's score on
these items is σ_w²/n, σ_w² being the variance within an item. Runs that span all items (training seeds) may be lucky
everywhere at once, and their scores vary by s²_run, whatever items say.

*A/A.* Two single runs of one system are compared item by item. The two epochs of an item are exchangeable, so the permutation
test is exact and its level is at most α; with right-or-wrong items it is known to every digit: item i is discordant with
probability q_i, the share of discordant pairs of its epochs, and given m discordant items the test rejects with probability
L(m), the attained level of the sign test, so that

    P(p ≤ α) = Σ_m P(M = m) L(m),     M a sum of independent Bernoulli(q_i).

For other scores, and for clusters, a bound is known: p is a multiple of 2/2^m, m being the units whose epochs differ at all, so
that P(p ≤ α) is at most α rounded down to such a multiple, and 0 where there are too few of them for any p ≤ α.

Runs are not exchangeable item by item. The test takes the difference of two runs to have the variance V that their items show;
it has 2 s²_run, and so P(p ≤ α) ≈ 2 Φ(-z √(V / max(V, 2 s²_run))).

*Reach.* What the test set can detect is known before a second system is there. The variance of a paired difference is that of
two scores less what they have in common. With v the squared standard error of one system's score over items, r what new runs
add to it, and ρ the correlation of two systems' scores of an item,

    V = 2 (1 - ρ) v + 2 r,

and the smallest difference that a two-sided paired t test finds with the power asked for solves the noncentral t of
`power.design` for V and its degrees of freedom. Right-or-wrong items that were run once have the exact test of discordant
items, whose number follows from both accuracies and ρ; a better system and a worse one are then detected from different
differences on, and a difference that would make an accuracy leave the room between 0 and 1 is none. ρ is not known from one
system, and systems of one kind mostly share what is hard: both ends are shown, ρ = 0 and a ρ that is measured where there are
several systems and said to be assumed where there is one. Where units are so few that no sign flips reach alpha, no difference
is detected at all, whatever a t test would say.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, median
from outscore.core.records import dataclass
from outscore.core.rows import RUNS, PairedScores
from outscore.inference.base.item_scores import with_exact_integers
from outscore.inference.base.question import TestRequest
from outscore.inference.permutation.dispatch import permutation
from outscore.inference.power.design import study_of
from outscore.inference.runs.two_way import item_spread, pseudo_values
from outscore.laws import normal, normal_quantile, t_quantile
from outscore.results.analysis import Directions
from outscore.results.plan import StudyDesign
from outscore.results.score import Detectable, Noise

MAX_PAIRS = 28
"""Pairs of runs that are compared: all those of eight runs."""
NEGLIGIBLE = 1e-13
ASSUMED = 0.5
"""The correlation of two systems' item scores where there is one system: that of systems of one kind is .3 to .8 mostly."""


@dataclass(frozen=True)
class Share:
    """Right-or-wrong items: the share of right ones, what one is worth, and how many there are if each is a unit run once."""

    right: float
    unit: float
    n: int | None = None


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
    bound = False
    if kind == RUNS:
        spread = float(scores.var(ddof=1))
        shown = [item_spread(values[:, i] - values[:, j], clusters).variance for i, j in _pairs(k)]
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
    pairs = _pairs(k)
    significant = sum(_is_significant(runs[:, i], runs[:, j], metric, clusters, alpha) for i, j in pairs)
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


def _pairs(runs: int) -> list[tuple[int, int]]:
    """Pairs of runs; of very many, as many as are compared, evenly chosen."""
    pairs = list(itertools.combinations(range(runs), 2))
    step = max(1, math.ceil(len(pairs) / MAX_PAIRS))
    return pairs[::step]


def _is_significant(a: Array, b: Array, metric: AdditiveMetric, clusters: Array | None, alpha: float) -> bool:
    pairs = with_exact_integers(PairedScores(a, b, 1, None, clusters))
    return permutation(pairs, metric, TestRequest()).upper <= alpha


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
    by_share = share is not None and share.n is not None
    if not by_share and (not variance + added > 0 or df < 1):
        return None
    rho = ASSUMED if correlation is None else min(1.0, max(-1.0, correlation))
    possible = None if share is None else share.unit
    if units is not None and units < StudyDesign(alpha=alpha).min_units:
        smallest = min(1.0, 2.0 ** (1 - units))
        return Detectable(None, None, rho, correlation is not None, power, alpha, possible, smallest)
    ends = []
    for shared in (0.0, rho):
        if share is not None and share.n is not None:
            study = study_of(StudyDesign(accuracy=share.right, unit=share.unit, correlation=shared, alpha=alpha))
            ends.append(Directions(**study.directions(share.n, power)))
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
    up, down = share.unit * (1 - share.right), share.unit * share.right
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
