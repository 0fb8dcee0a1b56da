"""How the answer depends on how much was measured: p on fewer items, and the difference by the number of runs.

p comes from the test on random subsets of the units, a dozen sizes up to all of them. The curve shows how far the verdict
hangs on the size of the test set (Zhu et al., 2020, figure 5, do the same on simulated data). It needs hundreds of p-values
inside a comparison that should not take longer for it, so each is one that costs a fraction of a millisecond. Which one
is in its entry (`TestEntry.subsets`): the test itself, the test with quicker options, or a paired t test of the
difference in the metric by the jackknife's standard error, which for a mean of item scores is Student's test. Without any of
these there is no curve: subsets would be resampled in turn, or lose their order. `size_test` names it.

The difference in pass@K, or pass^K, is shown for K = 1 … n runs with a band that holds all at once (`runs_curve`). With d_iK
the difference of item i in pass@K, the band is mean ± q·error of each K, and q the quantile of the largest of the absolute
deviations max_K |T_K| (max-T; Westfall and Young, 1993), drawn by random signs of the items' residuals, or of clusters' sums
of them: the same signs for every K, so that what the K have in common is allowed for. The errors are those of the mean item
difference (CR2 where items come in clusters) with an item of +1/2 and one of -1/2 added, as Agresti and Caffo (2000) add
successes and failures: at large K few items differ, and where none does, the difference is still not known without error. q
is taken from Student's law as far out as it lies in the normal one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, quantiles
from outscore.core.options import complete
from outscore.core.reduction import Kind, pass_rate
from outscore.core.rows import PairedScores, Runs
from outscore.exact.binomial import log_better, log_two_sided
from outscore.inference.base.differences import units_of
from outscore.inference.base.discordance import discordance
from outscore.inference.base.entry import TestEntry
from outscore.inference.base.influence import jackknife_errors
from outscore.inference.base.own_score import cluster_variance
from outscore.inference.base.question import TestRequest, reach
from outscore.inference.shifted import is_shifted
from outscore.laws import normal, normal_quantile, student, student_quantile, t_quantile
from outscore.results.analysis import RunsCurve, RunsPoint, SizePoint

POINTS = 12
MIN_UNITS = 5
"""Below this no test that swaps units can reject at .05."""
RESAMPLES = 20
MIN_RESAMPLES = 9
"""Quartiles of fewer p-values say little: data so large get no curve."""
MAX_ROWS = 2_000_000
"""Rows looked at in all: some three tenths of a second."""
CACHED = 30_000
"""Numbers of each system that are looked at together."""
T_TEST = "paired t test"

Blocks = Iterable[tuple[Array, Array]]
"""Rows of both systems in samples of units: one axis of samples, one of units, one of the metric's columns."""
Parts = Callable[[Blocks], Array]
"""The p-values of all samples."""
DRAWN = 4_000
MAX_POINTS = 64
"""Numbers of runs that are shown; of more, as many as that, evenly on a logarithmic scale."""
ADDED = 0.5
"""Squares of the two items that are added."""
BLOCK = 1 << 21


def size_test(pairs: PairedScores, metric: AdditiveMetric, entry: TestEntry) -> str | None:
    """What to call the test that the curve is of; None where there is no curve.

    Examples
    --------
    >>> from outscore.inference.registry import TESTS
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> pairs = PairedScores(np.array([[3, 1], [5, 1]]), np.array([[1, 1], [2, 1]]))
    >>> size_test(pairs, mean, TESTS["permutation"]), size_test(pairs, mean, TESTS["sign"])
    ('paired t test', 'sign')
    """
    if entry.subsets == "none":
        return None
    if entry.subsets == "t" and not (entry.swaps_metric and discordance(pairs, metric) is not None):
        return T_TEST
    return ", ".join(filter(None, (entry.name, entry.quick[1])))


def size_curve(pairs: PairedScores, metric: AdditiveMetric, entry: TestEntry, request: TestRequest) -> list[SizePoint]:
    """Median and quartiles of p over random subsets of the units, at sizes up to all units.

    Subsets are drawn without replacement: a smaller test set made of the same items. Those of one resample
    are nested, each the beginning of one random order. There is no curve for data too large for
    `MIN_RESAMPLES`, for fewer than twelve units, and for a metric of one's own that is undefined on some part
    of the data.

    Parameters
    ----------
    pairs, metric
        The data; repeats are averaged and clusters summed, and one unit is what remains.
    entry, request
        The test of the comparison and what was asked of it. The curve is of the test that `size_test` names.

    Examples
    --------
    >>> from outscore.inference.registry import TESTS
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> score = np.arange(60) % 5
    >>> pairs = PairedScores(np.stack([score + 1, np.ones(60, int)], 1), np.stack([score[::-1], np.ones(60, int)], 1))
    >>> curve = size_curve(pairs, mean, TESTS["sign"], TestRequest())
    >>> [point.n for point in curve][-3:], curve[0].p > curve[-1].p
    ([50, 55, 60], True)
    """
    name = size_test(pairs, metric, entry)
    units = units_of(pairs)
    n = units.rows
    resamples = min(RESAMPLES, MAX_ROWS // (n * (POINTS + 1) // 2)) if n >= POINTS else 0
    # A t test stands for others where it answers nearly the same, which at a margin it does not.
    if name is None or resamples < MIN_RESAMPLES or (name == T_TEST and is_shifted(request)):
        return []
    if name == T_TEST:
        p_of = _p_of_jackknife(units.scale, metric, request)
    elif entry.swaps_metric and request.delta == 0 and discordance(units, metric) is not None:
        p_of = _p_of_swaps(metric, request)
    else:
        p_of = _p_of_test(units, metric, entry, request)
    # The counter's upper words name the resample and, by a number of its own, this use of the seed.
    counters = [[0, 0, r, 0x512E] for r in range(resamples)]
    orders = np.array([np.random.Generator(np.random.Philox(key=request.seed, counter=at)).permutation(n) for at in counters])
    sizes = [size for size in sorted({-(-n * k // POINTS) for k in range(1, POINTS + 1)}) if size >= MIN_UNITS]
    columns = np.ascontiguousarray(units.a.T), np.ascontiguousarray(units.b.T)
    try:
        with np.errstate(all="ignore"):
            # All orders agree on the whole.
            points = [_point(columns, size, orders if size < n else orders[:1], p_of) for size in sizes]
    except OutscoreError:
        return []
    return points if all(math.isfinite(point.low + point.high) for point in points) else []


def _point(columns: tuple[Array, Array], size: int, orders: Array, p_of: Parts) -> SizePoint:
    # `take` copies three times as fast as an index does, and what fits a processor's cache is counted in half the time, as is
    # what lies column by column, because numpy adds up and divides whole stretches of memory.
    at_once = max(1, CACHED // (size * len(columns[0])))
    parts = [orders[r : r + at_once, :size] for r in range(0, len(orders), at_once)]
    first, second = columns
    ps = p_of((first.take(part, axis=1).transpose(1, 2, 0), second.take(part, axis=1).transpose(1, 2, 0)) for part in parts)
    low, middle, high = quantiles(ps, (0.25, 0.5, 0.75))
    return SizePoint(size, middle, low, high)


def _p_of_test(units: PairedScores, metric: AdditiveMetric, entry: TestEntry, request: TestRequest) -> Parts:
    options = {**complete(entry.name, entry.options, {}), **request.options, **entry.quick[0]}
    quick_request = replace(request, options=options)

    def p_of(blocks: Blocks) -> Array:
        pairs = (units.part(x, y) for a, b in blocks for x, y in zip(a, b, strict=True))
        return np.array([entry.p(pair, metric, quick_request).value for pair in pairs])

    return p_of


def _p_of_swaps(metric: AdditiveMetric, request: TestRequest) -> Parts:
    """The exact test of right-or-wrong items from how many of a part only one system got right."""
    turn = 1 if metric.higher_is_better else -1

    def p_of(blocks: Blocks) -> Array:
        ahead = [turn * metric.top(a - b) for a, b in blocks]
        wins, losses = (np.concatenate([(sign * one > 0).sum(axis=-1) for one in ahead]) for sign in (1, -1))
        if request.alternative == "two-sided":
            return np.exp(log_two_sided(wins, losses))
        return np.exp(log_better(wins, losses) if request.alternative == "greater" else log_better(losses, wins))

    return p_of


def _p_of_jackknife(scale: float, metric: AdditiveMetric, request: TestRequest) -> Parts:
    turn = 1.0 if metric.higher_is_better else -1.0
    two_sided = request.alternative == "two-sided"

    def p_of(blocks: Blocks) -> Array:
        m, scores_and_errors = 0, []
        for a, b in blocks:
            m = a.shape[-2]
            scores_and_errors.append(
                _scores_and_error(a, b, metric) if scale == 1 else _scores_and_error(a / scale, b / scale, metric)
            )
        t = turn * _t(np.concatenate(scores_and_errors, axis=1), request.delta)
        sides = 2 if two_sided else 1
        p = sides * np.array([student(m - 1, -x) for x in np.atleast_1d(reach(t, request.alternative)).tolist()])
        # No swap of m units has a smaller probability than this.
        return np.asarray(np.where((t == 0) & two_sided, 1.0, np.maximum(p, sides * 2.0 ** -min(m, 1_000))))

    return p_of


def _scores_and_error(a: Array, b: Array, metric: AdditiveMetric) -> Array:
    """Both scores of each sample, and the jackknife's standard error of their difference."""
    totals = np.stack([rows.sum(axis=-2, keepdims=True) for rows in (a, b)])
    # A unit's pull is the whole less what is left without it: their spread is the same.
    left_a, left_b = (metric.score(total - rows) for total, rows in zip(totals, (a, b), strict=True))
    # A sum grows with its units, so that one left out moves it by m/(m - 1) times less than it moves a mean
    # of the same size.
    m = a.shape[-2]
    growth = m / (m - 1) if metric.ratio is not None and metric.ratio[1] is None else 1.0
    return np.stack([*metric.score(totals)[..., 0], growth * jackknife_errors(left_a - left_b)])


def _t(scores_and_error: Array, delta: float) -> Array:
    """(difference - δ) over its jackknife standard error √((m - 1)/m Σ(pull - mean pull)²) (Tukey, 1958).

    A unit's pull is what the difference loses without it. For a mean of item scores this is Student's paired t. It is ±inf
    where no unit pulls more than another, and nan where the metric is.
    """
    score_a, score_b, error = scores_and_error
    gap = score_a - score_b - delta
    rounding = 8 * np.spacing(np.maximum(np.maximum(abs(score_a), abs(score_b)), abs(delta)))
    with np.errstate(all="ignore"):
        t = np.where(error > rounding, gap / error, np.copysign(np.inf, gap))
    t = np.where(abs(gap) <= rounding, 0.0, t)
    return np.asarray(np.where(np.isfinite(gap + error), t, np.nan))


def runs_curve(
    draws: Sequence[Runs], kind: Kind = "pass@", *, alpha: float = 0.05, clusters: Array | None = None, seed: int = 0
) -> RunsCurve | None:
    """The curve of right-or-wrong runs; None where runs are graded, where there are no two of an item, or fewer than two units.

    `clusters` are codes of the items, where these come in clusters.

    Examples
    --------
    >>> items = np.repeat(np.arange(4), 2)
    >>> curve = runs_curve((Runs(np.array([1, 1, 1, 0, 0, 1, 0, 0]), items), Runs(np.array([0, 1, 0, 0, 0, 1, 0, 0]), items)))
    >>> [(point.k, point.difference) for point in curve.points]
    [(1, 0.25), (2, 0.25)]
    """
    if any(((one.values != 0) & (one.values != 1)).any() or one.values.ndim > 1 for one in draws):
        return None
    n = 1 + int(draws[0].items.max())
    runs = [np.bincount(one.items, minlength=n) for one in draws]
    right = [np.bincount(one.items, weights=one.values, minlength=n).astype(np.int64) for one in draws]
    least = int(min(counts.min() for counts in runs))
    units = n if clusters is None else int(clusters.max()) + 1
    if least < 2 or units < 2:
        return None
    ks = list(range(1, least + 1))
    if least > MAX_POINTS:
        ks = sorted({round(k) for k in np.geomspace(1, least, MAX_POINTS)})
    rates = [np.stack([_rates(kind, counts, good, k) for k in ks], axis=1) for counts, good in zip(runs, right, strict=True)]
    d = rates[0] - rates[1]
    mean = d.mean(axis=0)
    residuals = d - mean
    sizes = None
    if clusters is not None:
        sizes = np.bincount(clusters)
        residuals = np.stack([np.bincount(clusters, weights=column) for column in residuals.T], axis=1)
    variances = [cluster_variance(column, sizes) for column in residuals.T]
    error = np.sqrt([variance + ADDED / units**2 for variance, _ in variances])
    reach = _quantile(residuals, alpha, min(df for _, df in variances), seed) * error
    points = [RunsPoint(k, float(x), float(x - half), float(x + half)) for k, x, half in zip(ks, mean, reach, strict=True)]
    return RunsCurve(kind, points, 1 - alpha)


def _rates(kind: Kind, runs: Array, right: Array, k: int) -> Array:
    """pass@k or pass^k of every item."""
    pairs, places = np.unique(np.stack([runs, right], axis=1), axis=0, return_inverse=True)
    return np.array([float(pass_rate(kind, n, c, k)) for n, c in pairs.tolist()])[places.ravel()]


def _quantile(residuals: Array, alpha: float, df: float, seed: int) -> float:
    """The quantile of max |T| under random signs, as far out in Student's law as it is in the normal one."""
    norm = np.sqrt((residuals**2).sum(axis=0))
    moving = residuals[:, norm > 0] / norm[norm > 0]
    if not moving.size:
        return t_quantile(df, alpha) if df else 0.0
    stream = np.random.Generator(np.random.Philox(key=seed))
    block = max(1, BLOCK // len(moving))
    largest = []
    for start in range(0, DRAWN, block):
        signs = 2.0 * stream.integers(0, 2, (min(block, DRAWN - start), len(moving))) - 1
        largest.append(np.abs(signs @ moving).max(axis=1))
    z = max(float(np.quantile(np.concatenate(largest), 1 - alpha)), -normal_quantile(alpha / 2))
    return -student_quantile(df, normal(-z)) if math.isfinite(df) else z
