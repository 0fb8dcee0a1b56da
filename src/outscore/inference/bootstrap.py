"""Bootstrap tests: how far the difference would move on another test set of the same kind."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import TIE_TOLERANCE, Array, median
from outscore.core.options import Option, check_count
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.inference.base import question
from outscore.inference.base.differences import MIN_LARGE_SAMPLE, item_scores, screen_mean, units_of
from outscore.inference.base.entry import (
    ANOTHER_MEDIAN,
    MEDIAN_OF_BINARY,
    NEEDS_SCORES,
    TestEntry,
    suits_many_binary,
    without_spread,
)
from outscore.inference.base.influence import influence, jackknife_error
from outscore.inference.base.own_score import within_scale
from outscore.inference.base.question import TestRequest, as_extreme, interval_for
from outscore.resampling import (
    centred_mean,
    centred_median,
    exactly_summable,
    optimal_block_length,
    quantile_limits,
    resampled_totals,
)
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import Estimand, Interval, PValue

# The centred rule of the bootstrap tests: from how far resamples move to a p-value and the interval dual to it.
#
# Resamples lie around the observed difference d, not around the hypothesis δ, so what counts is how far they move away from
# d:
#
#     p = (1 + #{|d* - d| ≥ |d - δ|}) / (B + 1)
#
# (Hall and Wilson, 1991, first guideline), or the same without bars on one side. The δ that are not rejected at level α are
# then exactly d ± q, with q the ⌊α(B + 1)⌋-th largest |d* - d|: interval and test say the same.


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
    direction = asked.direction(resampled.orientation)
    hits = resamples if resampled.n < 2 else int(as_extreme(resampled.moves, gap, resampled.slack, direction).sum())
    return TestResult(_p_of(hits, resampled), symmetric_interval(resampled, asked), _notes(resampled, asked))


def _p_of(hits: int, resampled: Resampled) -> PValue:
    test = resampled.test
    return question.sampled_p(hits, len(resampled.moves), test, test=test, statistic=resampled.difference, n=resampled.n)


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
    one = _p_of(min(above, below), resampled)
    value, lower, upper = (min(1.0, 2 * x) for x in (one.value, one.lower, one.upper))
    p = replace(one, value=value, lower=lower, upper=upper, log10=math.log10(value))
    rank = _largest_rank(asked.alpha / 2, resamples)
    ordered = np.sort(resampled.moves)
    limits = (-math.inf, math.inf)
    if rank:
        limits = (resampled.difference - float(ordered[-rank]), resampled.difference - float(ordered[rank - 1]))
    interval = interval_at(limits, resampled, asked, method=f"{resampled.test}, equal-tailed", dual=True)
    return replace(result, p=p, interval=interval)


def symmetric_interval(resampled: Resampled, asked: TestRequest) -> Interval:
    """d ± q, the differences that the centred test does not reject."""
    rank = _largest_rank(asked.alpha, len(resampled.moves))
    # p(δ) ≤ α means that fewer than `rank` resamples reach |d - δ|.
    direction = asked.direction(resampled.orientation)
    moved = direction * resampled.moves if direction else np.abs(resampled.moves)
    q = float(np.partition(moved, -rank)[-rank]) if rank and resampled.n > 1 else math.inf
    limits = (resampled.difference - q, resampled.difference + q)
    return interval_at(limits, resampled, asked, method=f"{resampled.test}, symmetric", dual=True)


def interval_at(limits: tuple[float, float], resampled: Resampled, asked: TestRequest, *, method: str, dual: bool) -> Interval:
    """Limits on the sides that were asked for; one that misses 0 by a rounding error is 0."""
    low, high = (0.0 if abs(x) <= resampled.slack else x for x in limits)
    of, estimate = resampled.estimand, resampled.difference
    return interval_for((low, high), asked, resampled.orientation, method=method, dual=dual, estimate=estimate, estimand=of)


def _largest_rank(alpha: float, resamples: int) -> int:
    """⌊α(B + 1)⌋, rounded as the decision rounds: the largest k with k/(B + 1) ≤ α."""
    k = math.ceil(alpha * (resamples + 1)) + 1
    while k / (resamples + 1) > alpha:
        k -= 1
    return k


def _notes(resampled: Resampled, asked: TestRequest) -> list[Note]:
    if resampled.n < 2:
        return [Note("data", "A single unit cannot be resampled: p is 1 and the interval unbounded.")]
    notes, moved = [], np.abs(resampled.moves)
    if resampled.alike:
        notes.append(Note("interval", "The differences do not vary at all, so the interval has no width."))
    elif float(moved.max()) <= resampled.slack and abs(resampled.difference - asked.delta) > resampled.slack:
        text = "No resample differs from the data, so p is only the smallest that this many allow; see `permutation`."
        notes.append(Note("data", text))
    elif resampled.estimand == "median" and float(np.median(moved)) <= resampled.slack:
        text = "At least half of the differences are equal: the median hardly moves, and p is not informative."
        notes.append(Note("data", text))
    elif resampled.n < MIN_LARGE_SAMPLE and resampled.small_samples:
        notes.append(Note("data", f"Only {resampled.n} units: {resampled.small_samples}."))
    if _largest_rank(asked.alpha, len(resampled.moves)) == 0:
        text = f"No interval: {len(resampled.moves):,} resamples are too few for level {1 - asked.alpha:g}."
        notes.append(Note("interval", text))
    return notes


# Bootstrap tests: how far the difference would move on another test set of the same kind.
#
# The units (items, or whole clusters) are drawn with replacement, and the difference of every resample is compared with the
# observed one by the centred rule (`centred`).


INTERVAL_RESAMPLES = 4_999
MIN_UNITS = 6
"""With fewer units no permutation test can reject at .05, and a resampled interval would pretend otherwise."""
TOO_OFTEN = "a centred bootstrap rejects too often (normal data: level .091 at n = 10, .069 at n = 20); prefer `permutation`"
SMALL_SAMPLES = {
    "bootstrap": TOO_OFTEN,
    "block-bootstrap": "it rejects far too often (normal data: level .116 at n = 20); prefer `permutation`",
    "bootstrap-t": "it rejects too often for skewed differences (exponential: level .08 at n = 10); prefer `permutation`",
    "bootstrap-median": "it rejects too often (normal data: level .062 at n = 10, .066 at n = 20); prefer `sign`",
}
"""What few units do to the level of each test, as measured; the test suite measures it again."""
EQUAL_TAILED = "equal-tailed"
INTERVALS = ("symmetric", "percentile", "basic", "bca")


def bootstrap(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """Centred bootstrap of any additive metric.

    H0: on the population the units were drawn from, the difference in the metric is δ. Prefer it where
    `permutation` does not answer the question: for an interval of a ratio or corpus score, and for δ ≠ 0
    there. Option `interval` gives percentile, basic or BCa limits instead of the symmetric ones; only the
    symmetric ones are dual to the test.

    Examples
    --------
    >>> f1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))
    >>> a, b = np.array([[3, 1], [4, 0], [2, 2]] * 30), np.array([[2, 2], [4, 0], [1, 3]] * 30)
    >>> asked = TestRequest(options={"resamples": 999, "interval": "symmetric"})
    >>> result = bootstrap(PairedScores(a, b), f1, asked)
    >>> round(result.p.statistic, 4), result.p.value, result.interval.dual
    (0.1203, 0.001, True)
    """
    units = units_of(pairs)
    resampled = _resample("bootstrap", units, metric, asked)
    result = decide(resampled, asked)
    shape = str(asked.options["interval"])
    if shape == "symmetric" or resampled.n < 2 or not asked.interval:
        return result
    low, high = quantile_limits(resampled.moves, asked.side, shape, influence(units, metric))
    limits = (resampled.difference + low, resampled.difference + high)
    interval = interval_at(limits, resampled, asked, method=f"bootstrap, {shape}", dual=False)
    note = f"The {shape} interval and the test are two methods: near {asked.alpha:g} they may disagree."
    return replace(result, interval=interval, notes=[*result.notes, Note("interval", note)])


def resampled_interval(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> Interval | None:
    """d ± q of the centred bootstrap, for tests that have no interval of their own: same design, not dual.

    None where the units are too few, or where nothing moves: they say nothing about how far the difference could
    move.
    """
    units = units_of(pairs)
    if units.rows < MIN_UNITS:
        return None
    asked = replace(asked, options={"resamples": INTERVAL_RESAMPLES})
    return _interval_to_lend(_resample("bootstrap", units, metric, asked), asked)


def resampled_median_interval(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> Interval | None:
    """The same for the median difference of items; None where all differences are the same."""
    asked = replace(asked, options={"resamples": INTERVAL_RESAMPLES})
    return _interval_to_lend(_resample_items("bootstrap-median", pairs, metric, asked), asked)


def _interval_to_lend(resampled: Resampled, asked: TestRequest) -> Interval | None:
    return None if resampled.alike else replace(symmetric_interval(resampled, asked), dual=False, method="centred bootstrap")


def bootstrap_t(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """Studentised bootstrap of the mean difference, items alone or in clusters.

    H0: the mean difference of the population is δ. Each move d* - d is measured by its resample's own
    standard error, the clustered one where there are clusters (Efron and Tibshirani, 1993, section 12.5; with
    symmetric limits unless `interval=equal-tailed`). Prefer it to `bootstrap` for the mean of few items, and to
    `student` when the differences are skewed; then equal tails hold the level better (lognormal differences, n =
    50: .065, with symmetric limits .086).

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> scores = np.stack([np.arange(60.0) % 7, np.ones(60)], axis=1)
    >>> result = bootstrap_t(PairedScores(scores, scores[::-1]), mean, TestRequest(options={"resamples": 999}))
    >>> result.p.statistic, result.p.value
    (0.0, 1.0)
    """
    resampled = _resample_items("bootstrap-t", pairs, metric, asked)
    result = (equal_tailed if asked.options.get("interval") == EQUAL_TAILED else decide)(resampled, asked)
    lost = int(np.isinf(resampled.moves).sum())
    note = f"In {lost:,} resamples all units were equal; they have no standard error and count as extreme."
    return replace(result, notes=[*result.notes, Note("data", note)]) if lost else result


def bootstrap_median(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """Centred bootstrap of the median difference, items alone or in clusters.

    H0: the median of the items' differences is δ in the population. Prefer `sign`, which is exact; this one
    adds an interval and clusters. On differences with many ties the median hardly moves, and p is coarse.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> scores = np.stack([np.arange(60.0), np.ones(60)], axis=1)
    >>> result = bootstrap_median(PairedScores(scores * [[2, 1]], scores), mean, TestRequest(options={"resamples": 999}))
    >>> result.p.statistic, result.interval.estimand
    (29.5, 'median')
    """
    return decide(_resample_items("bootstrap-median", pairs, metric, asked), asked)


def block_bootstrap(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    """Stationary bootstrap (Politis and Romano, 1994) of any additive metric, items in the order of the file.

    H0: the difference in the metric is δ, in a population where items depend on those near them: sentences of
    one document, questions about one text. Where you know what belongs together, prefer clusters and
    `bootstrap` or `permutation`.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> scores = np.stack([np.sin(np.arange(300.0) / 5), np.ones(300)], axis=1)
    >>> asked = TestRequest(options={"resamples": 999, "block_length": 10.0})
    >>> print(block_bootstrap(PairedScores(scores, 0 * scores + [[0, 1]]), mean, asked).notes[-2])
    Blocks of 10.0 items on average; SE(block)/SE(i.i.d.) = 2.07.
    """
    if pairs.clusters is not None:
        raise ClustersError(
            "`block-bootstrap` relies on the order of the items and does not support clusters.",
            "Use `bootstrap`, which resamples whole clusters.",
            parameter="cluster",
        )
    units = units_of(pairs)
    pulls = influence(units, metric)
    wanted = asked.options["block_length"]
    length = optimal_block_length(pulls) if wanted is None else float(str(wanted))
    if length > units.rows:
        raise OutscoreError(
            f"`block_length` is {length:g}, but there are only {units.rows} items.", "Give at most a third of that."
        )
    resampled = _resample("block-bootstrap", units, metric, asked, length)
    result = decide(resampled, asked)
    # The jackknife's standard error is that of independent items.
    alone = jackknife_error(pulls) or 0.0
    chosen = f"Blocks of {length:.1f} items on average{'' if wanted is not None else ', chosen from the data'}"
    ratio = f"; SE(block)/SE(i.i.d.) = {float(resampled.moves.std()) / alone:.2f}." if alone > resampled.slack else "."
    liberal = "With strongly dependent neighbours it still rejects too often: level .07 to .12 at autocorrelation .5."
    assert resampled.own is not None
    first, second = (_own_limits(scores, metric, asked.alpha) for scores in resampled.own)
    return replace(
        result,
        notes=[*result.notes, Note("design", chosen + ratio), Note("method", liberal)],
        own=(first, second),
        own_method="centred block bootstrap",
        chosen={"block_length": f"{length:.4g}"} if wanted is None else {},
    )


def _resample(
    test: str, units: PairedScores, metric: AdditiveMetric, asked: TestRequest, block_length: float | None = None
) -> Resampled:
    """The metric's difference on resampled units; scores without a denominator are 0, as everywhere."""
    columns = exactly_summable(np.concatenate([units.a, units.b], axis=1))
    drawn = resampled_totals(columns, resamples=asked.resamples, seed=asked.seed, block_length=block_length)
    # The observed sums go through the same arithmetic: a resample that equals the sample does not move at
    # all.
    totals = np.concatenate([columns.sum(axis=0)[None], drawn]) / units.scale
    score_a, score_b = (metric.score(half) for half in np.split(totals, 2, axis=1))
    difference = score_a - score_b
    undefined = int((~np.isfinite(difference)).sum())
    if undefined:
        raise OutscoreError(
            f"{metric.name} is not a number in {undefined:,} resamples.",
            "Let its function return a number for all totals, by convention 0 where it is undefined.",
        )
    slack = TIE_TOLERANCE * max(abs(float(score_a[0])), abs(float(score_b[0])), abs(asked.delta))
    moves = difference[1:] - difference[0]
    moves[np.abs(moves) <= slack] = 0.0
    total_a, total_b = units.totals()
    observed = float(metric.score(total_a) - metric.score(total_b))
    return Resampled(
        test,
        observed,
        moves,
        units.rows,
        1 if metric.higher_is_better else -1,
        slack,
        not moves.any(),
        small_samples=SMALL_SAMPLES[test],
        own=(score_a, score_b),
    )


def _own_limits(scores: Array, metric: AdditiveMetric, alpha: float) -> tuple[float, float]:
    """Centred limits of one system's score: as far on both sides as 1 - α of the resamples move, within the scale."""
    reach = float(np.quantile(np.abs(scores[1:] - scores[0]), 1 - alpha, method="higher"))
    low, high = within_scale((float(scores[0]) - reach, float(scores[0]) + reach), metric)
    assert low is not None
    assert high is not None
    return low, high


def _resample_items(test: str, pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> Resampled:
    """The mean or the median of the items' differences on resampled items or clusters."""
    scores = item_scores(pairs, metric, test)
    # Whole numbers where there are any: their sums and halves are exact, and ties are ties.
    values = np.asarray(scores.d if scores.whole is None else scores.whole, dtype=float)
    of_median = test == "bootstrap-median"
    centred, centre = (centred_median, median(values)) if of_median else (centred_mean, values.mean())
    moves = centred(values, asked.resamples, asked.seed, scores.clusters) / scores.scale
    slack = TIE_TOLERANCE * max(float(np.abs(scores.a).max()), float(np.abs(scores.b).max()), abs(asked.delta))
    n = scores.n if scores.clusters is None else int(scores.clusters.max()) + 1
    # A median may stay where it is though the differences vary; a mean moves with them.
    alike = float(np.ptp(scores.d)) <= slack if of_median else not moves.any()
    return Resampled(
        test,
        float(centre) / scores.scale,
        moves,
        n,
        scores.orientation,
        slack,
        alike,
        estimand="median" if of_median else "difference",
        small_samples=SMALL_SAMPLES[test],
    )


RESAMPLES = Option("resamples", int, 9_999, "how many resamples are drawn", minimum=1, check=check_count)
SHAPE = Option("interval", str, "symmetric", "shape; only the symmetric one always agrees with p", choices=INTERVALS)
TAILS = Option("interval", str, "symmetric", "equal tails suit skewed differences", choices=("symmetric", EQUAL_TAILED))
LENGTH = Option("block_length", float, None, "mean block length in items; chosen from the data if not given", minimum=1)


CENTRED_P = r"p = \frac{1 + \text{number} ( |Δ^{*} - Δ| ≥ |Δ - δ| )}{1 + B}"


ENTRIES: tuple[TestEntry, ...] = (
    TestEntry(
        name="bootstrap",
        summary="the difference in the metric is zero in the population the units come from; centred resampling",
        phrase="paired bootstrap test",
        formula=CENTRED_P,
        citations=("efron1993",),
        estimand="metric",
        on="any",
        clusters=True,
        run=bootstrap,
        suits={
            "mean": ("usable", "It tests the mean without assuming a shape{few}.", 3),
            "accuracy": ("usable", "It tests the difference in accuracy by resampling{few}.", 3),
            "metric": ("usable", "It recomputes the metric on resampled items{few}.", 2),
        },
        options=(RESAMPLES, SHAPE),
        kind_in_phrase=True,
        small_samples=SMALL_SAMPLES["bootstrap"],
        subsets="t",
        screen=screen_mean,
    ),
    TestEntry(
        name="bootstrap-t",
        summary="the mean difference is zero; each resample is divided by its own standard error",
        phrase="studentised bootstrap test",
        formula=r"t^{*} = \frac{\bar{d}^{*} - \bar{d}}{s_{d^{*}} / \sqrt{n}}",
        citations=("efron1993",),
        estimand="mean",
        clusters=True,
        run=bootstrap_t,
        suits={
            "mean": ("usable", "It tests the mean and allows for skewness{few}.", 4),
            "accuracy": partial(suits_many_binary, place=7),
            "metric": ("unsuited", NEEDS_SCORES, 9),
        },
        options=(RESAMPLES, TAILS),
        kind_in_phrase=True,
        small_samples=SMALL_SAMPLES["bootstrap-t"],
        subsets="t",
        screen=screen_mean,
    ),
    TestEntry(
        name="bootstrap-median",
        summary="the median difference is zero; centred resampling",
        phrase="bootstrap test of the median",
        formula=r"Δ^{*} = \text{median} ( d^{*} ) - \text{median} ( d )",
        citations=("efron1993",),
        estimand="median",
        clusters=True,
        run=bootstrap_median,
        suits={
            "mean": ("usable", f"{ANOTHER_MEDIAN}{{few}}.", 10),
            "accuracy": ("unsuited", MEDIAN_OF_BINARY, 11),
            "metric": ("unsuited", NEEDS_SCORES, 10),
        },
        options=(RESAMPLES,),
        kind_in_phrase=True,
        small_samples=SMALL_SAMPLES["bootstrap-median"],
    ),
    TestEntry(
        name="block-bootstrap",
        summary="the difference in the metric is zero, for neighbouring items that depend on each other; resampled in blocks",
        phrase="block bootstrap test",
        formula=CENTRED_P,
        citations=("politis1994",),
        estimand="metric",
        on="any",
        run=block_bootstrap,
        suits={
            "mean": ("usable", "It tests the mean when neighbouring items depend on one another{few}.", 5),
            "accuracy": ("usable", "It is for items that depend on their neighbours{few}.", 5),
            "metric": ("usable", "It does the same for items that depend on their neighbours{few}.", 3),
        },
        options=(RESAMPLES, LENGTH),
        kind_in_phrase=True,
        small_samples=SMALL_SAMPLES["block-bootstrap"],
        unsimulated="it needs the order of the items, which samples do not keep",
    ),
)
