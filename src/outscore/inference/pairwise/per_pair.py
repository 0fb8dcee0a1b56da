"""Pairs of systems tested one by one, by any test: in chunks that any worker can do.

For leaderboards of real-valued scores most of the time would go into digits nobody reads: where p lies far
below 1e-7, its certified upper end is found to within a quarter only. Few items with many digits, or datasets
whose sizes have a large common multiple, make a lattice too fine to pay: they get certified bounds as real
numbers do. All other p-values are those of the test run alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field, replace
from functools import partial

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LN10, LOG2, Array
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.exact import bracket, enumeration
from outscore.exact.saddlepoint import approximate_probit
from outscore.inference.base import question
from outscore.inference.base.differences import Flips, flips_of, is_sum, scores_if_any, units_of, with_exact_integers
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.base.question import SIDES, TestRequest
from outscore.inference.classical.student import make_agree, mean_of, t_interval
from outscore.inference.describe.effects import SINGLE, UnitRule, evaluation_units
from outscore.inference.pairwise.table import (
    KINDS,
    PairTable,
    Run,
    exchange_of_pair,
    exchange_result,
    run_scores_of_pair,
    runs_result,
    sampled_result,
    two_way_of_pair,
    two_way_result,
)
from outscore.inference.permutation import permutation
from outscore.inference.populations import EXCHANGE, TWO_WAY, own_test
from outscore.inference.registry import TESTS
from outscore.inference.runs import COARSE, Exchange
from outscore.inference.two_way import TwoWay
from outscore.results.pvalue import Interval, PValue
from outscore.scores.panel import Panel

STUDENT = "Student's t of the paired differences, stretched to agree with the test"
CHUNK = 16
"""Pairs that a worker takes at a time: enough to be worth the way, few enough for a bar that moves."""
FAR_PROBIT = -5.2
"""Φ⁻¹ of 1e-7."""
FAR_SQUARE = 14 * LN10
"""The square of the z at which exp(-z²/2) is 1e-7."""
FAR_WIDTH, FAR_DEGREE = 0.24, 4_000
FINE, FEW_FLIPS = 1 << 18, 200
"""A lattice that reaches so far costs seconds where fewer flips than this leave most frequencies alive."""
SMALLEST_UPPER = 1e-290
NO_OWN = "none: the test gives no interval of the difference"


@dataclass(frozen=True)
class PairTest:
    """How each pair is tested. `sides` asks for one-sided p-values too, `own_interval` for the interval of the test."""

    test: str
    request: TestRequest
    units: UnitRule = SINGLE
    sides: bool = False
    own_interval: bool = False

    @property
    def in_units(self) -> bool:
        """Whether several items are scored as one."""
        return self.units[0] > 1


@dataclass(frozen=True, eq=False)
class PairRows:
    """Some pairs: one row of `numbers` each (`COLUMNS`), the kernels that served, how the intervals came about, remarks."""

    numbers: Array
    kernels: tuple[str, ...]
    intervals: tuple[str, ...]
    remarks: dict[int, str] = field(default_factory=dict)


COLUMNS = ("n", "difference", "low", "high", "log_p", "log_better", "log_worse", "kind", "log_value")


def pair_rows(panel: Panel, asked: PairTest, chunk: Array) -> PairRows:
    """The pairs of a chunk, rows (left, right).

    Examples
    --------
    >>> from outscore.core.metric import AdditiveMetric
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> rows = np.stack([np.array([[3, 5, 4, 8], [1, 2, 3, 4]]), np.ones((2, 4), dtype=int)], axis=2)
    >>> test = PairTest("student", TestRequest(), own_interval=True)
    >>> table = pair_rows(Panel(mean, ("A", "B"), rows, np.ones((2, 4), dtype=bool)), test, np.array([[0, 1]]))
    >>> np.exp(table.numbers[0, 4]).round(6).item(), table.kernels
    (0.030466, ('student-t',))
    """
    numbers = np.zeros((len(chunk), len(COLUMNS)))
    kernels, intervals, remarks = [], [], {}
    for row, (left, right) in enumerate(chunk.tolist()):
        pairs = rows_of_pair(panel, left, right, asked.units)
        if not pairs.rows:
            numbers[row] = [0, np.nan, np.nan, np.nan, 0.0, 0.0, 0.0, 0, 0.0]
            continue
        try:
            if own_test(asked.test) is None:
                numbers[row], kernel, interval = _one(panel, pairs, asked)
            else:
                numbers[row], kernel, interval = population_numbers([panel], left, right, asked)
        except NoSpreadError as refusal:
            # One pair that the test cannot judge must not cost all others theirs.
            numbers[row] = [pairs.rows, _difference(panel, pairs), np.nan, np.nan, 0.0, 0.0, 0.0, 0, 0.0]
            remarks[row] = f"Undecided: {refusal.message}"
            continue
        kernels.append(kernel)
        intervals.append(interval)
    return PairRows(numbers, tuple(dict.fromkeys(kernels)), tuple(dict.fromkeys(intervals)), remarks)


def table_of(left: Array, right: Array, parts: list[PairRows], *, sides: bool) -> tuple[PairTable, str, str]:
    """The parts as one table, with the kernels and the methods of the intervals that took part."""
    numbers = np.concatenate([part.numbers for part in parts])
    kernels = sorted({name for part in parts for name in part.kernels})
    intervals = sorted({name for part in parts for name in part.intervals})
    starts = np.cumsum([0, *(len(part.numbers) for part in parts)])
    remarks = {int(start) + row: text for start, part in zip(starts, parts, strict=False) for row, text in part.remarks.items()}
    column = dict(zip(COLUMNS, numbers.T, strict=True))
    table = PairTable(
        left=left,
        right=right,
        n=column["n"].astype(np.int64),
        difference=column["difference"],
        low=column["low"],
        high=column["high"],
        log_p=column["log_p"],
        kind=column["kind"].astype(np.int8),
        log_value=column["log_value"],
        log_better=column["log_better"] if sides else None,
        log_worse=column["log_worse"] if sides else None,
        remarks=remarks,
    )
    return table, ", ".join(kernels), ", ".join(name for name in intervals if name != "none") or NO_OWN


class _AgainstMetricError(NoSpreadError):
    """A test that finds the system better whose score is worse: nothing can be claimed about the score."""


def exact_rows(panel: Panel, chunk: Array) -> Array:
    """(pairs, 4): log p, one-sided log p (better, worse) and kind by exact kernels; nan where none serves.

    Examples
    --------
    >>> f1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))
    >>> rows = np.array([[[3, 1], [4, 0], [2, 2]], [[1, 3], [2, 2], [0, 4]]])
    >>> np.exp(exact_rows(Panel(f1, ("A", "B"), rows, np.ones((2, 3), dtype=bool)), np.array([[0, 1]]))[0, 0]).round(6).item()
    0.25
    """
    answers = np.full((len(chunk), 4), np.nan)
    for row, (left, right) in enumerate(chunk.tolist()):
        try:
            p = permutation(panel.pair(left, right), panel.metric, TestRequest(options={"method": "exact"}))
        except OutscoreError:
            # No exact method serves this pair: it is left to the shared flips.
            continue
        answers[row] = [log_claim(p), *sides_of(p, panel.orientation), KINDS.index(p.method)]
    return answers


Basis = TwoWay | Exchange | tuple[Array, Array] | None
"""What the test of a population rests on: items and runs, runs of items, the scores of whole runs, or sampled exchanges."""


def population_run(
    panels: Sequence[Panel], left: int, right: int, test: str, *, over_items: Run | None = None, points: int = COARSE
) -> tuple[Run, Basis]:
    """The test of a population on the items that both systems have, as a function of what is asked, and what it rests on.

    Of several panels, on each of which both have items, the mean difference is tested. `over_items` is the test of the items'
    means, for margins, and `points` those of the grid on which real numbers are counted.
    """
    metric = panels[0].metric
    if test == TWO_WAY:
        crossed = two_way_of_pair(panels, left, right)
        return partial(two_way_result, crossed, metric, over_items), crossed
    if test == EXCHANGE:
        exchange = exchange_of_pair(panels, left, right)
        if exchange is None:
            return partial(sampled_result, panels[0], left, right), None
        return partial(exchange_result, exchange, points=points), exchange
    scores = run_scores_of_pair(panels, left, right)
    return partial(runs_result, *scores, higher_is_better=metric.higher_is_better), scores


def population_numbers(panels: Sequence[Panel], left: int, right: int, asked: PairTest) -> tuple[list[float], str, str]:
    """The numbers of a pair by the test of a population, the kernel of p and the method of the interval."""
    run, _ = population_run(panels, left, right, asked.test)
    result = run(asked.request)
    others = [run(replace(asked.request, alternative=side, interval=False)).p for side in SIDES[1:] if asked.sides]
    logs = [log_claim(result.p), *([log_claim(p) for p in others] or [0.0, 0.0])]
    pairs = [panel.pair(left, right) for panel in panels]
    difference = sum(_difference(panel, pair) for panel, pair in zip(panels, pairs, strict=True)) / len(panels)
    # Whole runs are exchanged, but items are what both systems have.
    n = sum(pair.rows for pair in pairs) if asked.test == EXCHANGE else result.p.n
    method = "none" if result.interval is None else result.interval.method
    numbers = [n, difference, *ends_of(result.interval), *logs, KINDS.index(result.p.method), result.p.log10 * LN10]
    return numbers, result.p.kernel.split(":")[0], method


def rows_of_pair(panel: Panel, left: int, right: int, units: UnitRule = SINGLE) -> PairedScores:
    """Two systems on the items both have, in evaluation units, as a test takes them."""
    pairs = panel.pair(left, right)
    if pairs.rows:
        pairs, _ = evaluation_units(pairs, panel.metric, *units)
    return with_exact_integers(pairs) if pairs.rows else pairs


def _one(panel: Panel, pairs: PairedScores, asked: PairTest) -> tuple[list[float], str, str]:
    """One pair's numbers, the kernel of its p and the method of its interval."""
    metric, request = panel.metric, asked.request
    if asked.test == "permutation" and not asked.own_interval:
        p = permutation_p(pairs, metric, request)
        interval = _student(panel, pairs, p, request.alpha)
        better, worse = sides_of(p, panel.orientation)
    else:
        result = TESTS[asked.test].run(pairs, metric, request)
        p, interval = result.p, result.interval
        better, worse = _one_sided(pairs, metric, asked) if asked.sides else (0.0, 0.0)
    # An interval about a median says nothing of the difference beside it.
    fitting = interval is not None and interval.estimand == "difference"
    low, high = ends_of(interval) if fitting else (np.nan, np.nan)
    method = interval.method if interval is not None and fitting else "none"
    difference = _difference(panel, pairs)
    kind = KINDS.index(p.method)
    if interval is not None and not fitting and difference * (interval.estimate or 0.0) < 0 and p.upper <= request.alpha:
        raise _AgainstMetricError(
            f"`{asked.test}` rejects in favour of the system with the worse {metric.name}, judged by the {interval.estimand}."
        )
    numbers = [p.n or pairs.rows, difference, low, high, log_claim(p), better, worse, kind, p.log10 * LN10]
    return numbers, p.kernel.split(":")[0], method


def _one_sided(pairs: PairedScores, metric: AdditiveMetric, asked: PairTest) -> tuple[float, float]:
    """log p of both one-sided tests: that the left system is better, and that it is worse."""
    run = TESTS[asked.test].run
    better = run(pairs, metric, replace(asked.request, alternative="greater", interval=False))
    worse = run(pairs, metric, replace(asked.request, alternative="less", interval=False))
    return log_claim(better.p), log_claim(worse.p)


def ends_of(interval: Interval | None) -> tuple[float, float]:
    """Both ends as numbers: infinite where there is none, nan without an interval.

    Examples
    --------
    >>> ends_of(Interval(0.1, None, level=0.95, method="", dual=True)), ends_of(None)
    ((0.1, inf), (nan, nan))
    """
    if interval is None:
        return np.nan, np.nan
    low = -math.inf if interval.low is None else interval.low
    return low, math.inf if interval.high is None else interval.high


def _difference(panel: Panel, pairs: PairedScores) -> float:
    total_a, total_b = pairs.totals()
    return float(panel.metric.score(total_a) - panel.metric.score(total_b))


def permutation_p(pairs: PairedScores, metric: AdditiveMetric, request: TestRequest) -> PValue:
    """The permutation test of one pair; far out only as close as anyone looks."""
    if request.method != "auto" or metric.ratio is None:
        return permutation(pairs, metric, request)
    units = units_of(pairs)
    flips = flips_of(units, metric)
    if _too_fine(flips):
        request = replace(request, options={**request.options, "method": "certified"})
    elif not units.integral:
        far_p = _far(flips, request)
        if far_p is not None:
            return far_p
    return permutation(pairs, metric, request, known=flips)


def _too_fine(flips: Flips) -> bool:
    """Whether whole numbers make a lattice so fine, for so few flips, that its spectrum costs more than digits are worth."""
    line = flips.line
    if line is None or not flips.on_a_lattice:
        return False
    moving = int((line != 0).sum())
    if not enumeration.MAX_HALVED < moving < FEW_FLIPS:
        return False
    return int(np.abs(line).sum()) // int(np.gcd.reduce(line)) > FINE


def _far(flips: Flips, request: TestRequest) -> PValue | None:
    """Wide bounds for a p far below what matters; None where it is not, or where it can be listed."""
    line = flips.line
    if line is None or int((line != 0).sum()) <= enumeration.MAX_HALVED:
        return None
    observed = abs(flips.observed)
    if flips.sign() == 0:
        return None
    # Hoeffding's bound, exp(-z²/2), settles most of them.
    if observed * observed < FAR_SQUARE * float(np.add.reduce(line * line)) and approximate_probit(line, observed) > FAR_PROBIT:
        return None
    bounds = bracket.bounds(line, observed, doubt=flips.doubt, width=FAR_WIDTH, most=FAR_DEGREE)
    p = question.certified_p(bounds, flips.sign(), request)
    # Where floats do not hold the upper end, its logarithm is all there is to claim.
    log10 = p.log10 if p.upper > SMALLEST_UPPER else min(0.0, bounds.upper + LOG2) / LN10
    return replace(p, log10=log10, statistic=flips.observed, n=len(line))


def log_claim(p: PValue) -> float:
    """log of the p that may be claimed: of certified bounds the upper end."""
    return math.log(p.upper) if p.method == "certified" and p.upper > SMALLEST_UPPER else p.log10 * LN10


def sides_of(p: PValue, orientation: int) -> tuple[float, float]:
    """One-sided log p, better and worse, from the two-sided p of a symmetric law (`tails`).

    On the side the difference points to p is half of it; on the other 1 - p/2 + P(T = t), where 1 is taken if
    that last probability is not known.
    """
    if p.statistic == 0.0 or p.value >= 1.0:
        return 0.0, 0.0
    ahead = log_claim(p) - LOG2
    behind = 0.0 if p.mid is None else min(0.0, math.log1p(p.value / 2 - p.mid))
    return (ahead, behind) if orientation * p.statistic > 0 else (behind, ahead)


def _student(panel: Panel, pairs: PairedScores, p: PValue, alpha: float) -> Interval | None:
    """Student's interval of the mean difference, agreeing with p about 0.

    The inverted permutation test would cost a hundred times as much.
    """
    scores = scores_if_any(pairs, panel.metric)
    if scores is None:
        return None
    mean = mean_of(scores)
    if mean.error == 0.0:
        return None
    if is_sum(panel.metric):
        mean = replace(mean, value=mean.value * scores.n, error=mean.error * scores.n)
    interval = t_interval(mean, TestRequest(alpha=alpha), scores.orientation, method=STUDENT, dual=False)
    return make_agree(interval, p, mean.value, alpha)
