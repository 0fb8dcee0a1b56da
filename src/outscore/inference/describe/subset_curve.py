"""How p would have come out on fewer items: the test on random subsets of the units, a dozen sizes up to all of them.

The curve shows how far the verdict hangs on the size of the test set (Zhu et al., 2020, figure 5, do the same
on simulated data). It needs hundreds of p-values inside a comparison that should not take longer for it, so
each is one that costs a fraction of a millisecond. Which one stands in its entry (`TestEntry.subsets`): the
test itself, the test with quicker options, or a paired t test of the difference in the metric by the
jackknife's standard error, which for a mean of item scores is Student's test. Without any of these there is
no curve: subsets would be resampled in turn, or lose their order. `size_test` names it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import complete
from outscore.core.paired import PairedScores
from outscore.inference.base.discordance import discordance
from outscore.inference.base.entry import TestEntry, TestRequest
from outscore.inference.base.influence import jackknife_error
from outscore.inference.base.sign_flips import reach, units_of
from outscore.results.chart_data import SizePoint

__all__ = ["jackknife_t", "size_curve", "size_test"]

POINTS = 12
MIN_UNITS = 5
"""Below this no test that swaps units can reject at .05."""
RESAMPLES = 20
MIN_RESAMPLES = 9
"""Quartiles of fewer p-values say little: data so large get no curve."""
MAX_ROWS = 2_000_000
"""Rows looked at in all: some three tenths of a second."""
T_TEST = "paired t test"


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
    quick = entry.subsets
    if quick is None:
        return None
    if quick.jackknifed and not (quick.itself_on_binary and discordance(pairs, metric) is not None):
        return T_TEST
    return f"{entry.name}, {quick.remark}" if quick.remark else entry.name


def size_curve(
    pairs: PairedScores, metric: AdditiveMetric, entry: TestEntry, request: TestRequest, *, resamples: int = RESAMPLES
) -> list[SizePoint]:
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
    resamples
        How many random orders, fewer where the data are large.

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
    resamples = min(resamples, MAX_ROWS // (n * (POINTS + 1) // 2)) if n >= POINTS else 0
    if name is None or resamples < MIN_RESAMPLES:
        return []
    p_of = _p_of_jackknife(metric, request) if name == T_TEST else _p_of_test(metric, entry, request)
    orders = [_order(n, request.seed, r) for r in range(resamples)]
    try:
        with np.errstate(all="ignore"):
            # All orders agree on the whole.
            points = [_point(units, size, orders if size < n else orders[:1], p_of) for size in _sizes(n)]
    except OutscoreError:
        return []
    return points if all(math.isfinite(point.low + point.high) for point in points) else []


def _point(units: PairedScores, size: int, orders: list[Array], p_of: Callable[[PairedScores], float]) -> SizePoint:
    # `take` copies rows three times as fast as an index does.
    parts = ((units.a.take(order[:size], axis=0), units.b.take(order[:size], axis=0)) for order in orders)
    ps = [p_of(replace(units, a=a, b=b)) for a, b in parts]
    low, middle, high = (float(q) for q in np.quantile(ps, (0.25, 0.5, 0.75)))
    return SizePoint(size, middle, low, high)


def _sizes(n: int) -> list[int]:
    return [size for size in sorted({-(-n * k // POINTS) for k in range(1, POINTS + 1)}) if size >= MIN_UNITS]


def _order(n: int, seed: int, resample: int) -> Array:
    # The counter's upper words name the resample and, by a number of its own, this use of the seed.
    stream = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, resample, 0x512E]))
    return stream.permutation(n)


def _p_of_test(metric: AdditiveMetric, entry: TestEntry, request: TestRequest) -> Callable[[PairedScores], float]:
    options = dict(request.options)
    if entry.subsets is not None and entry.subsets.options:
        options = {**complete(entry.name, entry.options, {}), **options, **entry.subsets.options}
    asked = replace(request, interval=False, options=options)
    return lambda subset: entry.run(subset, metric, asked).p.value


def _p_of_jackknife(metric: AdditiveMetric, request: TestRequest) -> Callable[[PairedScores], float]:
    import scipy.special

    turn = 1.0 if metric.higher_is_better else -1.0
    two_sided = request.alternative == "two-sided"

    def p_of(units: PairedScores) -> float:
        t = turn * jackknife_t(units, metric, request.delta)
        if math.isnan(t):
            return t
        if t == 0 and two_sided:
            return 1.0
        sides = 2 if two_sided else 1
        p = sides * float(scipy.special.stdtr(units.rows - 1, -reach(t, request.alternative)))
        # No swap of m units has a smaller probability than this.
        return max(p, sides * 2.0 ** -min(units.rows, 1_000))

    return p_of


def jackknife_t(units: PairedScores, metric: AdditiveMetric, delta: float = 0.0) -> float:
    """(difference - δ) over its jackknife standard error √((m - 1)/m Σ(pull - mean pull)²) (Tukey, 1958).

    A unit's pull is what the difference loses without it. For a mean of item scores this is Student's paired
    t. It is ±inf where no unit pulls more than another, and nan where the metric is.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> round(jackknife_t(PairedScores(np.array([[3, 1], [5, 1], [4, 1]]), np.array([[1, 1], [2, 1], [3, 1]])), mean), 6)
    3.464102
    """
    totals = [rows.sum(axis=0) for rows in (units.a, units.b)]
    score_a, score_b = (float(metric.score(total / units.scale)) for total in totals)
    gap = score_a - score_b - delta
    # A unit's pull is the whole less what is left without it: their spread is the same.
    left_a, left_b = (metric.score((t - rows) / units.scale) for t, rows in zip(totals, (units.a, units.b), strict=True))
    # A sum grows with its units, so that one left out moves it by m/(m - 1) times less than it moves a mean
    # of the same size.
    m = units.rows
    growth = m / (m - 1) if metric.ratio is not None and metric.ratio[1] is None else 1.0
    error = growth * (jackknife_error(left_a - left_b) or 0.0)
    rounding = 8 * float(np.spacing(max(abs(score_a), abs(score_b), abs(delta))))
    if not math.isfinite(gap + error):
        return math.nan
    if abs(gap) <= rounding:
        return 0.0
    return gap / error if error > rounding else float(np.copysign(np.inf, gap))
