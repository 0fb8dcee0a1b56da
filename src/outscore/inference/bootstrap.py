"""Bootstrap tests: how far the difference would move on another test set of the same kind.

The units (items, or whole clusters) are drawn with replacement, and the difference d* of every resample is compared with the
observed d. Resamples lie around d, not around the hypothesis δ, so what counts is how far they move away from d:

    p = (1 + #{|d* - d| ≥ |d - δ|}) / (B + 1)

(Hall and Wilson, 1991, first guideline), or the same without bars on one side. The δ that are not rejected at level α are then
exactly d ± q, with q the ⌊α(B + 1)⌋-th largest |d* - d|: interval and test say the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from outscore.data import AdditiveMetric, Array, PairedScores
from outscore.errors import OutscoreError
from outscore.inference import tails
from outscore.inference.entry import TestEntry, TestRequest
from outscore.inference.flipped import units_of
from outscore.inference.influence import influence
from outscore.inference.item_scores import item_scores
from outscore.options import Option
from outscore.resampling.block_length import optimal_block_length
from outscore.resampling.bootstrap import centred_mean, centred_median, exactly_summable, quantile_limits, resampled_totals
from outscore.resampling.flips import clopper_pearson
from outscore.results import Interval, TestResult

__all__ = ["ENTRIES", "block_bootstrap", "bootstrap", "bootstrap_median", "bootstrap_t", "resampled_interval"]

TIE = 1e-12
"""Moves that reach the observed difference up to this share of the scores are ties."""
FEW_UNITS = 50
INTERVAL_RESAMPLES = 4_999
LEAST_UNITS = 6
"""With fewer units no permutation test can reject at .05, and a resampled interval would pretend otherwise."""
INTERVALS = ("symmetric", "percentile", "basic", "bca")
TOO_OFTEN = "a centred bootstrap rejects too often (normal data: level .091 at n = 10, .069 at n = 20); prefer `permutation`"
SMALL_SAMPLES = {
    "bootstrap": TOO_OFTEN,
    "block-bootstrap": TOO_OFTEN,
    "bootstrap-t": "skewed differences are rejected too often (exponential ones: level .08 at n = 10); prefer `permutation`",
    "bootstrap-median": "the median is rejected too often (normal data: level .062 at n = 10, .066 at n = 20); prefer `sign`",
}
"""What few units do to the level of each test, as measured; the test suite measures it again."""


@dataclass(frozen=True)
class Resampled:
    """The observed difference A - B of n units, how far each resample moved from it, and the size of a rounding error."""

    test: str
    difference: float
    moves: Array
    n: int
    orientation: int
    slack: float


def bootstrap(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """Centred bootstrap of any additive metric.

    H0: on the population the units were drawn from, the difference in the metric is δ. Prefer it where `permutation` does not
    answer the question: for an interval of a ratio or corpus score, and for δ ≠ 0 there. Option `interval` gives percentile,
    basic or BCa limits instead of the symmetric ones; only the symmetric ones are dual to the test.

    Examples
    --------
    >>> f1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))
    >>> a, b = np.array([[3, 1], [4, 0], [2, 2]] * 30), np.array([[2, 2], [4, 0], [1, 3]] * 30)
    >>> asked = TestRequest(options={"resamples": 999, "interval": "symmetric"})
    >>> found = bootstrap(PairedScores(a, b), f1, asked)
    >>> round(found.p.statistic, 4), found.p.value, found.interval.dual
    (0.1203, 0.001, True)
    """
    units = units_of(pairs)
    found = _resample("bootstrap", units, metric, asked)
    result = _decide(found, asked)
    shape = str(asked.options["interval"])
    if shape == "symmetric" or found.n < 2:
        return result
    side = asked.alpha / 2 if asked.alternative == "two-sided" else asked.alpha
    low, high = quantile_limits(found.moves, side, shape, influence(units, metric))
    limits = (found.difference + low, found.difference + high)
    note = f"The {shape} interval and the test are two methods: near {asked.alpha:g} they may disagree."
    return replace(result, interval=_interval(limits, found, asked, f"bootstrap, {shape}"), notes=[*result.notes, note])


def resampled_interval(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> Interval | None:
    """d ± q of the centred bootstrap, for tests that have no interval of their own: same design, not dual."""
    request = replace(asked, options={"resamples": INTERVAL_RESAMPLES, "interval": "symmetric"})
    if units_of(pairs).rows < LEAST_UNITS:
        return None
    found = bootstrap(pairs, metric, request).interval
    return None if found is None else replace(found, dual=False, method="centred bootstrap")


def bootstrap_t(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """Studentised bootstrap of the mean difference, items alone or in clusters.

    H0: the mean difference of the population is δ. Each move d* - d is measured by its resample's own standard error, the
    clustered one where there are clusters (Efron and Tibshirani, 1993, section 12.5; here with symmetric limits). Prefer it to
    `bootstrap` for the mean of few items, and to `student` when the differences are skewed.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> scores = np.stack([np.arange(60.0) % 7, np.ones(60)], axis=1)
    >>> found = bootstrap_t(PairedScores(scores, scores[::-1]), mean, TestRequest(options={"resamples": 999}))
    >>> found.p.statistic, found.p.value
    (0.0, 1.0)
    """
    found = _resample_items("bootstrap-t", pairs, metric, asked)
    result = _decide(found, asked)
    lost = int(np.isinf(found.moves).sum())
    note = f"In {lost:,} resamples all units were alike; they have no standard error and count as extreme."
    return replace(result, notes=[*result.notes, note]) if lost else result


def bootstrap_median(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """Centred bootstrap of the median difference, items alone or in clusters.

    H0: the median of the items' differences is δ in the population. Prefer `sign`, which is exact; this one adds an interval
    and clusters. On differences with many ties the median hardly moves, and p is coarse.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> scores = np.stack([np.arange(60.0), np.ones(60)], axis=1)
    >>> found = bootstrap_median(PairedScores(scores + [[2, 0]], scores), mean, TestRequest(options={"resamples": 999}))
    >>> found.p.statistic
    2.0
    """
    return _decide(_resample_items("bootstrap-median", pairs, metric, asked), asked)


def block_bootstrap(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """Stationary bootstrap (Politis and Romano, 1994) of any additive metric, items in the order of the file.

    H0: the difference in the metric is δ, in a population where items depend on those near them: sentences of one document,
    questions about one text. Where you know what belongs together, prefer clusters and `bootstrap` or `permutation`.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> scores = np.stack([np.sin(np.arange(300.0) / 5), np.ones(300)], axis=1)
    >>> asked = TestRequest(options={"resamples": 999, "block_length": 10.0})
    >>> print(block_bootstrap(PairedScores(scores, 0 * scores + [[0, 1]]), mean, asked).notes[-2])
    Blocks of 10.0 items on average; SE(block)/SE(i.i.d.) = 2.07.
    """
    if pairs.clusters is not None:
        raise OutscoreError(
            "`block-bootstrap` goes by the order of the items and takes no clusters.",
            "Use `bootstrap`, which resamples whole clusters.",
        )
    units = units_of(pairs)
    pulls = influence(units, metric)
    wanted = asked.options["block_length"]
    length = optimal_block_length(pulls) if wanted is None else float(str(wanted))
    if length > units.rows:
        raise OutscoreError(f"`block_length` is {length:g}, there are {units.rows} items.", "Give at most a third of that.")
    found = _resample("block-bootstrap", units, metric, asked, length)
    result = _decide(found, asked)
    # The jackknife's standard error is that of independent items.
    alone = math.sqrt((units.rows - 1) / units.rows * float(((pulls - pulls.mean()) ** 2).sum()))
    chosen = f"Blocks of {length:.1f} items on average{'' if wanted is not None else ', chosen from the data'}"
    ratio = f"; SE(block)/SE(i.i.d.) = {float(found.moves.std()) / alone:.2f}." if alone > found.slack else "."
    liberal = "Where neighbours depend strongly, blocks still reject too often: level .07 to .12 at autocorrelation .5."
    return replace(result, notes=[*result.notes, chosen + ratio, liberal])


def _resample(
    test: str, units: PairedScores, metric: AdditiveMetric, asked: TestRequest, block_length: float | None = None
) -> Resampled:
    """The metric's difference on resampled units; scores without a denominator are 0, as everywhere."""
    columns = exactly_summable(np.concatenate([units.a, units.b], axis=1))
    drawn = resampled_totals(columns, resamples=asked.count("resamples"), seed=asked.seed, block_length=block_length)
    # The observed sums go through the same arithmetic: a resample that equals the sample does not move at all.
    totals = np.concatenate([columns.sum(axis=0)[None], drawn]) / units.scale
    score_a, score_b = (metric.score(half) for half in np.split(totals, 2, axis=1))
    difference = score_a - score_b
    undefined = int((~np.isfinite(difference)).sum())
    if undefined:
        raise OutscoreError(
            f"{metric.name} is not a number in {undefined:,} resamples.",
            "Let its function return a number for all totals, by convention 0 where it is undefined.",
        )
    slack = TIE * max(abs(float(score_a[0])), abs(float(score_b[0])), abs(asked.delta))
    moves = difference[1:] - difference[0]
    moves[np.abs(moves) <= slack] = 0.0
    total_a, total_b = units.totals()
    observed = float(metric.score(total_a) - metric.score(total_b))
    return Resampled(test, observed, moves, units.rows, 1 if metric.higher_is_better else -1, slack)


def _resample_items(test: str, pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> Resampled:
    """The mean or the median of the items' differences on resampled items or clusters."""
    scores = item_scores(pairs, metric, test)
    # Whole numbers where there are any: their sums and halves are exact, and ties are ties.
    values = np.asarray(scores.d if scores.whole is None else scores.whole, dtype=float)
    centred, centre = (centred_mean, values.mean()) if test == "bootstrap-t" else (centred_median, np.median(values))
    moves = centred(values, asked.count("resamples"), asked.seed, scores.clusters) / scores.scale
    slack = TIE * max(float(np.abs(scores.a).max()), float(np.abs(scores.b).max()), abs(asked.delta))
    n = scores.n if scores.clusters is None else int(scores.clusters.max()) + 1
    return Resampled(test, float(centre) / scores.scale, moves, n, scores.orientation, slack)


def _decide(found: Resampled, asked: TestRequest) -> TestResult:
    """The centred p and the interval dual to it; a single unit cannot be resampled and decides nothing."""
    resamples = len(found.moves)
    turn = found.orientation * (1 if asked.alternative == "greater" else -1)
    gap = found.difference - asked.delta
    reach, needed = (np.abs(found.moves), abs(gap)) if asked.alternative == "two-sided" else (turn * found.moves, turn * gap)
    hits = resamples if found.n < 2 else int((reach >= needed - found.slack).sum())
    p = replace(
        tails.sampled(hits, clopper_pearson(hits, resamples), resamples),
        kernel=f"{found.test}:{resamples}",
        test=found.test,
        statistic=found.difference,
        n=found.n,
    )
    rank = _largest_rank(asked.alpha, resamples)
    # p(δ) ≤ α means that fewer than `rank` resamples reach |d - δ|.
    q = float(np.partition(reach, -rank)[-rank]) if rank and found.n > 1 else math.inf
    interval = _interval((found.difference - q, found.difference + q), found, asked, f"{found.test}, symmetric")
    return TestResult(p, replace(interval, dual=True), _notes(found, asked, rank))


def _largest_rank(alpha: float, resamples: int) -> int:
    """⌊α(B + 1)⌋, rounded as the decision rounds: the largest k with k/(B + 1) ≤ α."""
    k = math.ceil(alpha * (resamples + 1)) + 1
    while k / (resamples + 1) > alpha:
        k -= 1
    return k


def _interval(limits: tuple[float, float], found: Resampled, asked: TestRequest, method: str) -> Interval:
    """Limits on the sides that were asked for; one that misses 0 by a rounding error is 0."""
    low, high = (0.0 if abs(x) <= found.slack else x if math.isfinite(x) else None for x in limits)
    towards_high = (asked.alternative == "greater") == (found.orientation > 0)
    return Interval(
        low=low if asked.alternative == "two-sided" or towards_high else None,
        high=high if asked.alternative == "two-sided" or not towards_high else None,
        level=1 - asked.alpha,
        method=method,
        dual=False,
    )


def _notes(found: Resampled, asked: TestRequest, rank: int) -> list[str]:
    if found.n < 2:
        return ["A single unit cannot be resampled: p is 1 and the interval unbounded."]
    notes = []
    if abs(found.difference - asked.delta) > found.slack >= float(np.abs(found.moves).max()):
        notes.append("No resample differs from the data: p is merely the smallest their number allows; see `permutation`.")
    elif found.n < FEW_UNITS:
        notes.append(f"Only {found.n} units: {SMALL_SAMPLES[found.test]}.")
    if rank == 0:
        notes.append(f"No interval: {len(found.moves):,} resamples are too few for level {1 - asked.alpha:g}.")
    return notes


RESAMPLES = Option("resamples", int, 9_999, "how many resamples are drawn", minimum=1)
ENTRIES: tuple[TestEntry, ...] = (
    TestEntry(
        name="bootstrap",
        summary="the difference in the metric is zero in the population the units come from; centred resampling",
        estimand="metric",
        on="any",
        clusters=True,
        delta=True,
        run=bootstrap,
        options=(RESAMPLES, Option("interval", str, "symmetric", "shape; only the symmetric one is dual", choices=INTERVALS)),
    ),
    TestEntry(
        name="bootstrap-t",
        summary="the mean difference is zero; resamples measured by their own standard errors",
        estimand="mean",
        on="scores",
        clusters=True,
        delta=True,
        run=bootstrap_t,
        options=(RESAMPLES,),
    ),
    TestEntry(
        name="bootstrap-median",
        summary="the median difference is zero; centred resampling",
        estimand="median",
        on="scores",
        clusters=True,
        delta=True,
        run=bootstrap_median,
        options=(RESAMPLES,),
    ),
    TestEntry(
        name="block-bootstrap",
        summary="the difference in the metric is zero, where neighbouring items depend on each other; blocks are resampled",
        estimand="metric",
        on="any",
        clusters=False,
        delta=True,
        run=block_bootstrap,
        options=(
            RESAMPLES,
            Option("block_length", float, None, "mean block length in items; chosen from the data if not given", minimum=1),
        ),
    ),
)
