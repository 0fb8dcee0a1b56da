"""Win rates of pairs with p-values and intervals: from all verdicts, and from few of people with a judge's to help."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LOG2, Array
from outscore.core.records import dataclass
from outscore.exact.binomial import log_two_sided
from outscore.exact.lattice import Tail
from outscore.inference.base.differences import rows_of
from outscore.inference.base.discordance import wilson_limits
from outscore.inference.base.own_score import effective_clusters
from outscore.inference.base.question import PLAIN, TestRequest, exact_p, identical_p
from outscore.inference.permutation import permutation
from outscore.inference.preferences.tally import Tally, tally_of
from outscore.laws import log_two_sided as log_two_sided_t
from outscore.laws import student, t_quantile
from outscore.results.pvalue import PValue
from outscore.scores.battles import Battles
from outscore.scores.system import Labels

# Win rates of pairs with their exact p-values and intervals, with units as clusters.
#
# H0: the two systems are exchangeable on every unit, so swapping their names flips the sign of its d (wins less losses, all
# orders, judges and votes of the unit together). p is the share of all flips with |Σ d| at least as large as observed. That
# holds however the votes of a unit depend on one another, if both orders were shown or the order was random.
#
# The interval is Wilson's for as many independent looks as the clustered variance of the win rate is worth, W(1 - W)/V,
# with CR2 and Bell-McCaffrey degrees of freedom (`base.cluster_variance`), moved so that it contains ½ exactly where the
# test does not reject it. Beside both is what a table of independent votes would give: the sign test on rows.


MEAN = AdditiveMetric("lead", ("lead", "units"), ratio=((1, 0), (0, 1)))
MAX_RANGE = 1 << 12
"""Sums up to this size are convolved, which is quicker than the lattice."""
MAX_FLIPS = 900
"""Beyond so many flips a single sign pattern is too unlikely for a float."""


@dataclass(frozen=True, eq=False)
class WinRates:
    """Win rates of all pairs: estimates, standard errors by unit and by row, and limits."""

    rate: Array
    error: Array
    rows_error: Array
    low: Array
    high: Array

    def kept(self, pair: int, p: PValue | None, alpha: float) -> tuple[float, float, float]:
        """Rate and limits of a pair, these moved to hold ½ exactly where the test does not reject it.

        Examples
        --------
        >>> of_one = [np.array([x]) for x in (0.6, 0.05, 0.05, 0.52, 0.7)]
        >>> WinRates(*of_one).kept(0, PValue(0.08, 0.08, 0.08, -1.1, "exact", "binomial"), 0.05)
        (0.6, 0.5, 0.7)
        """
        rate, low, high = (float(values[pair]) for values in (self.rate, self.low, self.high))
        if p is None or math.isnan(low):
            return rate, low, high
        if p.upper > alpha:
            return rate, min(low, 0.5), max(high, 0.5)
        if low <= 0.5 <= high:
            return (rate, math.nextafter(0.5, 1.0), high) if rate > 0.5 else (rate, low, math.nextafter(0.5, 0.0))
        return rate, low, high


def flip_p(d: Array, level: float = 0.05) -> PValue:
    """The p of Σ d under fair flips of its signs, two-sided.

    Parameters
    ----------
    d
        One number per unit, whole or real.
    level
        The α that bounds must lie clear of, where p cannot be exact.

    Examples
    --------
    >>> p = flip_p(np.array([2, 2, 1, 2, -1, 2, 2]))
    >>> p.value, p.method
    (0.046875, 'exact')
    """
    units = len(d)
    if d.dtype.kind != "i":
        return permutation(rows_of(d), MEAN, TestRequest(alpha=level))
    sizes, counts = np.unique(np.abs(d[d != 0]), return_counts=True)
    total = int(d.sum())
    flips = int(counts.sum())
    if flips == 0 or total == 0:
        return identical_p(units)
    step = math.gcd(*sizes.tolist())
    if flips > MAX_FLIPS or int(sizes @ counts) > MAX_RANGE * step:
        return permutation(rows_of(d), MEAN, TestRequest(alpha=level))
    tail = _convolved_tail(sizes // step, counts, abs(total) // step)
    kernel = "binomial" if len(sizes) == 1 else "convolution"
    return replace(exact_p(tail, int(np.sign(total)), flips, kernel, PLAIN), statistic=total / units, n=units)


def _convolved_tail(sizes: Array, counts: Array, observed: int) -> Tail:
    """P(S ≥ s) and P(S = s) of a sum of whole flips, from the law of how much of Σ|d| is positive.

    Only positive numbers are added, so no digit is lost however small the tail.
    """
    import scipy.special

    law = np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        of_size = np.zeros(size * count + 1)
        k = np.arange(count + 1.0)
        of_size[::size] = np.exp(-np.log(count + 1.0) - scipy.special.betaln(count - k + 1, k + 1) - count * LOG2)
        law = np.convolve(law, of_size)
    whole = int(sizes @ counts)
    # With X the positive part, S = 2X - Σ|d|.
    upper = law[(whole + observed) // 2 :]
    return Tail(math.log(math.fsum(upper.tolist())), math.log(float(upper[0])) if upper[0] > 0 else -math.inf)


def independent_p(wins: Array, losses: Array) -> Array:
    """The sign test on rows, as if every vote were independent of all others.

    Examples
    --------
    >>> independent_p(np.array([26]), np.array([13])).round(7).tolist()
    [0.0532519]
    """
    return np.asarray(np.exp(log_two_sided(wins, losses)))


def win_rates(tally: Tally, alpha: float) -> WinRates:
    """The win rate of the left system of every pair, with its standard errors and Wilson limits."""
    total, rate = tally.total, tally.rate
    share = tally.n / total[tally.pair]
    centred = (tally.d - (2 * rate - 1)[tally.pair] * tally.n) / 2
    # What rounding leaves of units that do not vary is nothing.
    centred[np.abs(centred) <= 8 * np.spacing(np.abs(tally.d) + tally.n)] = 0.0
    alone = tally.meetings < 2
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = tally.by_pair(centred**2 / (1 - share)) / total**2
        q = share**2 / (1 - share)
        df = 1 / (tally.by_pair(share**2) + tally.by_pair(q) ** 2 - tally.by_pair(q**2))
        rows = tally.wins + tally.ties + tally.losses
        spread = np.maximum(tally.squares / total - (2 * rate - 1) ** 2, 0) / 4
        rows_error = np.sqrt(spread / (rows - 1))
    variance[alone], df[alone] = np.nan, np.nan
    low, high = np.full(tally.pairs, np.nan), np.full(tally.pairs, np.nan)
    single = (tally.by_pair(tally.n != 1) == 0) & (tally.ties == 0)
    for pair in np.flatnonzero(~alone).tolist():
        low[pair], high[pair] = _limits(tally, pair, rate[pair], variance[pair], df[pair], alpha, binary=bool(single[pair]))
    return WinRates(rate, np.sqrt(variance), np.where(rows > 1, rows_error, np.nan), low, high)


def _limits(
    tally: Tally, pair: int, rate: float, variance: float, df: float, alpha: float, *, binary: bool
) -> tuple[float, float]:
    if binary:
        return wilson_limits(rate, float(tally.total[pair]), t_quantile(math.inf, alpha))
    spread = rate * (1 - rate)
    looks = spread / variance if variance > 0 and spread > 0 else effective_clusters(tally.n[tally.cells_of(pair)])
    return wilson_limits(rate, looks, t_quantile(max(df, 1.0), alpha))


# A judge on all prompts, people on some of them: what people would say, with the judge to help (PPI++).
#
# With h what people and j what the judge gives a prompt, n prompts labelled at random and m not, and ū the judge's mean on
# the latter, the estimate is the mean over labelled prompts of
#
#     e_i = h_i - λ_i (j_i - ū),   λ_i = cov(h, j) / ((1 + n/m) var j) over the labelled prompts except i, cut to [0, 1]
#
# (Angelopoulos, Duchi and Zrnic, 2023, with λ cross-fitted). Because λ_i depends on neither j_i nor ū, the estimate is what
# people would say on average, whatever the judge is like. One λ fitted to all labels is not: at a win rate of 75 % and 20
# labels it is off by .016, and by .03 where the judge is trusted only if labels against the winner are many enough. So the
# number of labels alone decides whether the judge counts (`MIN_JUDGED`).
#
# Few labels make the judge look better than he is: where nearly all are for one system, he may agree with all of them by
# chance. So λ_i also counts one prompt on which both contradict each other in either direction, (h, j) = (1, 0) and (0, 1),
# and the variance counts them by half, with λ the mean of all λ_i:
#
#     V = s²(e) (n - 1)/((n - 2) n) + λ² s²(j, unlabelled)/m,   t with n - 2 degrees of freedom
#
# A win rate is a share. Its interval is Wilson's for as many looks as V is worth, θ(1 - θ)/V, and p the score test that
# goes with it. Below `MIN_JUDGED` labels, interval and p are those of people's battles alone, prompt by prompt
# (`win_rates`).


MIN_LABELS = 4
"""With fewer labels than this nothing is left to estimate the spread from."""
MIN_JUDGED = 20
"""Labels from which on the judge counts: a useless one then costs no more than 2 in 100 labels."""
HALF = 0.5
"""How much each of the two contradictions counts in the variance."""


@dataclass(frozen=True)
class Tuned:
    """The estimate, its variance and that of labels alone, how far the judge was trusted, and the number of labels."""

    value: float
    variance: float
    alone_variance: float
    weight: float
    labels: int

    @property
    def share(self) -> float:
        """The estimate, which the judge's correction may have moved beyond an end."""
        return min(max(self.value, 0.0), 1.0)

    @property
    def looks(self) -> float:
        """How many independent looks the share is worth; at an end, as many as there are labels."""
        return self.share * (1 - self.share) / self.variance if 0 < self.value < 1 else float(self.labels)

    def limits(self, alpha: float) -> tuple[float, float]:
        """The interval of the share, of level 1 - α."""
        return wilson_limits(self.share, self.looks, t_quantile(self.labels - 2, alpha))

    def log_p(self) -> float:
        """log p of the share being one half, two-sided, by the score that the interval inverts."""
        return log_two_sided_t(self.labels - 2, 2 * (self.share - 0.5) * math.sqrt(self.looks))


@dataclass(frozen=True)
class Share:
    """The win rate by people on all prompts: limits, p, how far the judge was trusted, and how many labels that is worth.

    `alone` are rate and limits of people's verdicts alone, a prompt counting once.
    """

    value: float
    low: float
    high: float
    p: PValue
    weight: float
    effective: float
    alone: tuple[float, float, float]


def mean_limits(values: Array, alpha: float) -> tuple[float, float]:
    """Student's interval of a mean, of level 1 - α."""
    reach = t_quantile(len(values) - 1, alpha) * math.sqrt(float(np.var(values, ddof=1)) / len(values))
    return float(values.mean()) - reach, float(values.mean()) + reach


def share_tuned(people: Array, judged: Array, unlabelled: Array) -> Tuned:
    """The share of prompts that people give a system, with the judge.

    Parameters
    ----------
    people, judged
        People's and the judge's numbers on the labelled prompts, from 0 to 1.
    unlabelled
        The judge's numbers on the others, at least two.

    Examples
    --------
    >>> people = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    >>> tuned = share_tuned(people, people, np.array([1.0, 1.0, 0.0, 1.0]))
    >>> round(tuned.value, 4), round(tuned.weight, 4)
    (0.6689, 0.1511)
    """
    n, m = len(people), len(unlabelled)
    middle = float(unlabelled.mean())
    weights = _weights(people, judged, m)
    weight = float(weights.mean())
    seen = people - weights * (judged - middle)
    opposed = np.array([1 + weight * middle, -weight * (1 - middle)])
    variance = _variance(seen, opposed) + weight**2 * float(np.var(unlabelled, ddof=1)) / m
    return Tuned(float(seen.mean()), variance, _variance(people, np.array([1.0, 0.0])), weight, n)


def _weights(people: Array, judged: Array, unlabelled: int) -> Array:
    """λ for each labelled prompt, from all the others and two on which people and judge contradict each other."""
    n = len(people)
    others = n + 1
    mean_h, mean_j = (people.sum() - people + 1) / others, (judged.sum() - judged + 1) / others
    shared = (float(people @ judged) - people * judged) / others - mean_h * mean_j
    spread = (float(judged @ judged) - judged**2 + 1) / others - mean_j**2
    return np.asarray(np.clip(shared / ((1 + n / unlabelled) * spread), 0.0, 1.0))


def _variance(seen: Array, opposed: Array) -> float:
    """The variance of a mean, two more numbers counting by half in the spread, and one degree of freedom given up for λ."""
    n = len(seen)
    values, counts = np.concatenate([seen, opposed]), np.concatenate([np.ones(n), [HALF, HALF]])
    centre = float(counts @ values) / (n + 2 * HALF)
    spread = float(counts @ (values - centre) ** 2) / (n + 2 * HALF - 1)
    return spread * (n - 1) / ((n - 2) * n)


def labelled_share(people: Array, judged: Array, unlabelled: Array, alpha: float) -> Share:
    """The same with its interval and p; with too few labels for a judge, or nothing else that he judged, people alone.

    Examples
    --------
    >>> people = np.array([1.0] * 10 + [0.0] * 2)
    >>> share = labelled_share(people, 1 - people, np.array([1.0, 0.0] * 20), 0.05)
    >>> share.weight, share.effective, round(share.p.value, 4), share.p.method  # the sign test of 10 : 2
    (0.0, 12.0, 0.0386, 'exact')
    """
    labels, others = len(people), len(unlabelled)
    if labels < MIN_LABELS:
        raise OutscoreError(
            f"{labels} labelled prompts are too few to assess the judge.", f"Label at least {MIN_LABELS}, better {MIN_JUDGED}."
        )
    zeros = np.zeros(labels, dtype=np.int64)
    tally = tally_of(Battles(("a", "b"), zeros, zeros + 1, people, Labels.of(range(labels))))
    p = flip_p(tally.d, alpha)
    alone = win_rates(tally, alpha).kept(0, p, alpha)
    if labels < MIN_JUDGED or others < 2:
        return Share(*alone, p, 0.0, float(labels), alone)
    tuned = share_tuned(people, judged, unlabelled)
    log_p = tuned.log_p()
    p = PValue.from_logs(
        log_p, log_p, method="asymptotic", kernel="ppi++", test="student", statistic=tuned.share - 0.5, n=labels
    )
    # A judge is never worth more than labels of all prompts.
    effective = min(labels * tuned.alone_variance / tuned.variance, float(labels + others))
    return Share(tuned.share, *tuned.limits(alpha), p, tuned.weight, effective, alone)


def audit_p(judged: Array, unlabelled: Array) -> float | None:
    """Welch's p of labelled and unlabelled prompts having the same mean by the judge; None where nothing varies."""
    n, m = len(judged), len(unlabelled)
    if min(n, m) < 2:
        return None
    parts = float(np.var(judged, ddof=1)) / n, float(np.var(unlabelled, ddof=1)) / m
    whole = sum(parts)
    if whole == 0.0:
        return None
    df = whole**2 / (parts[0] ** 2 / (n - 1) + parts[1] ** 2 / (m - 1))
    t = abs(float(judged.mean() - unlabelled.mean())) / math.sqrt(whole)
    return 2 * student(df, -t)
