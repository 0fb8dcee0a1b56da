"""A judge on all prompts, people on some of them: what people would say, with the judge to help (PPI++).

With h what people and j what the judge gives a prompt, n prompts labelled at random and m not, the estimate is

    θ = λ mean(j, unlabelled) + mean(h - λ j, labelled),   λ = cov(h, j) / ((1 + n/m) var j)  cut to [0, 1]
    V = s²(h - λj) (n - 1)/((n - 2) n) + λ² s²(j, unlabelled)/m,   t with n - 2 degrees of freedom

(Angelopoulos, Duchi and Zrnic, 2023, for θ and λ; one degree of freedom more is given up for λ.) Whatever the judge is like, θ
is what people would say: a judge without use gets λ = 0 and costs nothing.

A win rate is a share. Its interval is Wilson's for as many looks as V is worth, θ(1 - θ)/V, and p the score test that goes with
it: θ ± t √V covers .87 at 20 labels and a win rate of 90 %. Where people prefer one of the two on fewer than five prompts they
say too little about the judge, and where V with the judge is no smaller than without, he is of no use: then λ = 0, and interval
and p are those of people's battles alone, prompt by prompt (`win_rates`).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.base.discordance import wilson_limits
from outscore.inference.preferences.tally import tally_of
from outscore.inference.preferences.win_rates import flip_p, kept_half, win_rates
from outscore.laws.student import log_two_sided, student, t_quantile
from outscore.results.pvalue import PValue
from outscore.scores.battles import Battles
from outscore.scores.system import Labels

__all__ = ["MIN_EACH", "MIN_LABELS", "People", "Powered", "Share", "audit_p", "labelled_share", "power_tuned", "share_tuned"]

MIN_LABELS = 4
"""With fewer labels than this nothing is left to estimate the spread from."""


MIN_EACH = 5
"""Prompts that people must have decided either way before a judge is trusted by them."""


@dataclass(frozen=True)
class Powered:
    """The estimate, its error and degrees of freedom, how far the judge was trusted, and the error of labels alone."""

    value: float
    error: float
    df: int
    weight: float
    alone: float
    alone_error: float

    @property
    def effective(self) -> float:
        """How many labels alone would be as exact, by the labels that there are; where these do not vary, their number."""
        n = self.df + 2
        if self.alone_error == 0:
            return float(n)
        return n * (self.alone_error / self.error) ** 2 if self.error > 0 else math.inf

    def limits(self, alpha: float) -> tuple[float, float]:
        """The interval of level 1 - α."""
        reach = t_quantile(self.df, alpha) * self.error
        return self.value - reach, self.value + reach

    def alone_limits(self, alpha: float) -> tuple[float, float]:
        """The interval from labels alone."""
        reach = t_quantile(self.df + 1, alpha) * self.alone_error
        return self.alone - reach, self.alone + reach

    def share_limits(self, alpha: float) -> tuple[float, float]:
        """The interval of a share."""
        return wilson_limits(_clipped(self.value), _looks(self.value, self.error, self.df + 2), t_quantile(self.df, alpha))

    def share_log_p(self) -> float:
        """log p of the share being one half, two-sided, by the score that the interval inverts."""
        looks = _looks(self.value, self.error, self.df + 2)
        return log_two_sided(self.df, 2 * (_clipped(self.value) - 0.5) * math.sqrt(looks))


@dataclass(frozen=True)
class People:
    """What people's verdicts say alone: the win rate, its limits and p, a prompt counting once."""

    rate: float
    low: float
    high: float
    p: PValue


@dataclass(frozen=True)
class Share:
    """The win rate by people on all prompts: limits, p, how far the judge was trusted, and how many labels that is worth."""

    value: float
    low: float
    high: float
    p: PValue
    weight: float
    effective: float
    alone: People


def _clipped(share: float) -> float:
    return min(max(share, 0.0), 1.0)


def _looks(share: float, error: float, labels: int) -> float:
    """How many independent looks a share with this error is worth; at an end, as many as there are labels."""
    return share * (1 - share) / error**2 if 0 < share < 1 and error > 0 else float(labels)


def power_tuned(people: Array, judged: Array, unlabelled: Array) -> Powered:
    """The mean of people's verdicts over all prompts.

    Parameters
    ----------
    people, judged
        People's and the judge's numbers on the labelled prompts.
    unlabelled
        The judge's numbers on the others; there may be none.

    Examples
    --------
    >>> people = np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])
    >>> judged = np.array([0.9, 0.2, 0.8, 1.0, 0.1, 0.7])
    >>> tuned = power_tuned(people, judged, np.array([0.9, 0.8, 0.3, 0.6]))
    >>> round(tuned.value, 4), round(tuned.weight, 4)
    (0.6869, 0.608)
    """
    n, m = len(people), len(unlabelled)
    if n < MIN_LABELS:
        raise OutscoreError(
            f"{n} labelled prompts are too few to assess the judge.", f"Label at least {MIN_LABELS}, better 20."
        )
    spread = float(np.var(np.concatenate([judged, unlabelled]), ddof=1))
    weight = 0.0
    if m > 1 and spread > 0:
        shared = float(((people - people.mean()) * (judged - judged.mean())).mean())
        weight = min(max(shared / ((1 + n / m) * spread), 0.0), 1.0)
    rest = people - weight * judged
    value = float(rest.mean()) + (weight * float(unlabelled.mean()) if weight else 0.0)
    variance = float(np.var(rest, ddof=1)) * (n - 1) / ((n - 2) * n)
    if weight:
        variance += weight**2 * float(np.var(unlabelled, ddof=1)) / m
    alone = float(people.mean())
    return Powered(value, math.sqrt(variance), n - 2, weight, alone, math.sqrt(float(np.var(people, ddof=1)) / n))


def share_tuned(people: Array, judged: Array, unlabelled: Array) -> Powered:
    """The share of prompts that people give a system; the judge counts only where people say enough about him, and he helps."""
    few = min(int((people > 0.5).sum()), int((people < 0.5).sum())) < MIN_EACH
    alone = power_tuned(people, judged, unlabelled[:0])
    tuned = alone if few else power_tuned(people, judged, unlabelled)
    # Corrected beyond an end, the judge is worth nothing either.
    helps = 0 < tuned.value < 1 and tuned.effective > len(people)
    return tuned if helps else alone


def labelled_share(people: Array, judged: Array, unlabelled: Array, alpha: float) -> Share:
    """The same with its interval and p; where the judge has no weight, those of people alone.

    Examples
    --------
    >>> people = np.array([1.0] * 10 + [0.0] * 2)
    >>> share = labelled_share(people, 1 - people, np.array([1.0, 0.0] * 20), 0.05)
    >>> share.weight, share.effective, round(share.p.value, 4), share.p.method  # the sign test of 10 : 2
    (0.0, 12.0, 0.0386, 'exact')
    """
    tuned, alone = share_tuned(people, judged, unlabelled), _alone(people, alpha)
    labels = len(people)
    if not tuned.weight:
        return Share(alone.rate, alone.low, alone.high, alone.p, 0.0, float(labels), alone)
    log_p = tuned.share_log_p()
    p = PValue.from_logs(log_p, log_p, method="asymptotic", kernel="ppi++")
    p = replace(p, test="student", statistic=tuned.value - 0.5, n=labels)
    # A judge is never worth more than labels of all prompts.
    effective = min(tuned.effective, float(labels + len(unlabelled)))
    return Share(tuned.value, *tuned.share_limits(alpha), p, tuned.weight, effective, alone)


def _alone(people: Array, alpha: float) -> People:
    """People's verdicts as battles, one for each prompt."""
    zeros = np.zeros(len(people), dtype=np.int64)
    prompts = Labels(np.arange(len(people)), tuple(map(str, range(len(people)))))
    tally = tally_of(Battles(("a", "b"), zeros, zeros + 1, people, prompts))
    rates, p = win_rates(tally, alpha), flip_p(tally.d, alpha)
    rate = float(rates.rate[0])
    return People(rate, *kept_half(float(rates.low[0]), float(rates.high[0]), rate, p, alpha), p)


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
