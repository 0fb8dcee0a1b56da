"""The centred rule of the bootstrap tests: from how far resamples move to a p-value and the interval dual to it.

Resamples lie around the observed difference d, not around the hypothesis δ, so what counts is how far they
move away from d:

    p = (1 + #{|d* - d| ≥ |d - δ|}) / (B + 1)

(Hall and Wilson, 1991, first guideline), or the same without bars on one side. The δ that are not rejected at
level α are then exactly d ± q, with q the ⌊α(B + 1)⌋-th largest |d* - d|: interval and test say the same.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.base import p_values
from outscore.inference.base.item_scores import MIN_LARGE_SAMPLE
from outscore.inference.base.paired import Estimand, interval_for, without_spread
from outscore.inference.base.question import TestRequest
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Interval


@dataclass(frozen=True)
class Resampled:
    """The observed difference A - B of n units, how far each resample moved from it, and the size of a rounding error.

    `alike` says that the units do not differ from one another in what is measured: then no resample can ever
    move. `estimand` is what was resampled, and `small_samples` what few units do to the level of the test. `own` are the
    scores of each system, first the observed one and then those of the resamples.
    """

    test: str
    difference: float
    moves: Array
    n: int
    orientation: int
    slack: float
    alike: bool
    estimand: Estimand = "difference"
    small_samples: str = ""
    own: tuple[Array, Array] | None = None

    @property
    def stuck(self) -> bool:
        """Whether at least half of the resamples stayed where the data are."""
        return float(np.median(np.abs(self.moves))) <= self.slack

    @property
    def still(self) -> bool:
        """Whether no resample moved."""
        return float(np.abs(self.moves).max()) <= self.slack


def decide(resampled: Resampled, asked: TestRequest) -> TestResult:
    """The centred p and the interval dual to it.

    Units that are all alike show nothing of how much others would differ, so that any δ but the observed
    difference is refused. A single unit cannot be resampled and decides nothing.

    Examples
    --------
    >>> resampled = Resampled("bootstrap", 0.5, np.array([-0.6, -0.1, 0.2, 0.1, 0.3, -0.2, 0.4, 0.1, 0.2]), 60, 1, 1e-12, False)
    >>> result = decide(resampled, TestRequest(alpha=0.2))
    >>> result.p.value, result.interval.low, result.interval.high
    (0.2, 0.09999999999999998, 0.9)
    """
    gap, resamples = resampled.difference - asked.delta, len(resampled.moves)
    if resampled.alike and resampled.n > 1 and abs(gap) > resampled.slack:
        raise without_spread(resampled.test, "resample", resampled.difference)
    needed = abs(gap) if asked.alternative == "two-sided" else _turn(resampled, asked) * gap
    hits = resamples if resampled.n < 2 else int((_reach(resampled, asked) >= needed - resampled.slack).sum())
    p = replace(
        p_values.sampled_p(hits, resamples, resampled.test), test=resampled.test, statistic=resampled.difference, n=resampled.n
    )
    return TestResult(p, symmetric_interval(resampled, asked), _notes(resampled, asked))


def equal_tailed(resampled: Resampled, asked: TestRequest) -> TestResult:
    """The same with both tails judged apart: p = 2 · min of the two one-sided p, and the limits that are dual to it.

    Skewed differences have tails that differ, which bars around d* - d wipe out (Efron and Tibshirani, 1993,
    section 12.5; Hall, 1992, section 3.5). One-sided questions are the same either way.

    Examples
    --------
    >>> moves = np.array([-0.6, -0.1, 0.2, 0.1, 0.3, -0.2, 0.4, 0.1, 0.2])
    >>> result = equal_tailed(Resampled("bootstrap-t", 0.5, moves, 60, 1, 1e-12, False), TestRequest(alpha=0.4))
    >>> result.p.value, round(result.interval.low, 12), round(result.interval.high, 12)
    (0.2, 0.2, 0.7)
    """
    result = decide(resampled, asked)
    if asked.alternative != "two-sided" or resampled.n < 2:
        return result
    gap, resamples = resampled.difference - asked.delta, len(resampled.moves)
    above, below = int((resampled.moves >= gap - resampled.slack).sum()), int((resampled.moves <= gap + resampled.slack).sum())
    one = p_values.sampled_p(min(above, below), resamples, resampled.test)
    value, lower, upper = (min(1.0, 2 * x) for x in (one.value, one.lower, one.upper))
    p = replace(one, value=value, lower=lower, upper=upper, log10=math.log10(value), test=resampled.test, n=resampled.n)
    rank = _largest_rank(asked.alpha / 2, resamples)
    ordered = np.sort(resampled.moves)
    limits = (-math.inf, math.inf)
    if rank:
        limits = (resampled.difference - float(ordered[-rank]), resampled.difference - float(ordered[rank - 1]))
    interval = interval_at(limits, resampled, asked, method=f"{resampled.test}, equal-tailed", dual=True)
    return replace(result, p=replace(p, statistic=resampled.difference), interval=interval)


def symmetric_interval(resampled: Resampled, asked: TestRequest) -> Interval:
    """d ± q, the differences that the centred test does not reject."""
    rank = _largest_rank(asked.alpha, len(resampled.moves))
    # p(δ) ≤ α means that fewer than `rank` resamples reach |d - δ|.
    q = float(np.partition(_reach(resampled, asked), -rank)[-rank]) if rank and resampled.n > 1 else math.inf
    limits = (resampled.difference - q, resampled.difference + q)
    return interval_at(limits, resampled, asked, method=f"{resampled.test}, symmetric", dual=True)


def interval_at(limits: tuple[float, float], resampled: Resampled, asked: TestRequest, *, method: str, dual: bool) -> Interval:
    """Limits on the sides that were asked for; one that misses 0 by a rounding error is 0."""
    low, high = (0.0 if abs(x) <= resampled.slack else x for x in limits)
    return interval_for(
        (low, high),
        asked.alpha,
        asked.alternative,
        resampled.orientation,
        method=method,
        dual=dual,
        estimate=resampled.difference,
        estimand=resampled.estimand,
    )


def _turn(resampled: Resampled, asked: TestRequest) -> int:
    return resampled.orientation * (1 if asked.alternative == "greater" else -1)


def _reach(resampled: Resampled, asked: TestRequest) -> Array:
    """How far each resample moved, in the direction the alternative looks."""
    return np.abs(resampled.moves) if asked.alternative == "two-sided" else _turn(resampled, asked) * resampled.moves


def _largest_rank(alpha: float, resamples: int) -> int:
    """⌊α(B + 1)⌋, rounded as the decision rounds: the largest k with k/(B + 1) ≤ α."""
    k = math.ceil(alpha * (resamples + 1)) + 1
    while k / (resamples + 1) > alpha:
        k -= 1
    return k


def _notes(resampled: Resampled, asked: TestRequest) -> list[Note]:
    if resampled.n < 2:
        return [Note("data", "A single unit cannot be resampled: p is 1 and the interval unbounded.")]
    notes = []
    if resampled.alike:
        notes.append(Note("interval", "The differences do not vary at all, so the interval has no width."))
    elif resampled.still and abs(resampled.difference - asked.delta) > resampled.slack:
        text = "No resample differs from the data, so p is only the smallest that this many allow; see `permutation`."
        notes.append(Note("data", text))
    elif resampled.estimand == "median" and resampled.stuck:
        text = "At least half of the differences are equal: the median hardly moves, and p is not informative."
        notes.append(Note("data", text))
    elif resampled.n < MIN_LARGE_SAMPLE and resampled.small_samples:
        notes.append(Note("data", f"Only {resampled.n} units: {resampled.small_samples}."))
    if _largest_rank(asked.alpha, len(resampled.moves)) == 0:
        text = f"No interval: {len(resampled.moves):,} resamples are too few for level {1 - asked.alpha:g}."
        notes.append(Note("interval", text))
    return notes
