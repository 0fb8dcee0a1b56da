"""Tests of the median difference: the sign test, and the permutation test with the median as its statistic."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LOG2, Array, first_where, median
from outscore.core.rows import PairedScores
from outscore.exact import binomial
from outscore.exact.lattice import Tail
from outscore.inference.base import question
from outscore.inference.base.differences import ItemScores
from outscore.inference.base.entry import (
    ANOTHER_MEDIAN,
    MEDIAN_IN_CLUSTERS,
    MEDIAN_OF_BINARY,
    NEEDS_SCORES,
    TestEntry,
    unclustered_scores,
    without_repeats,
)
from outscore.inference.base.question import TestRequest, interval_for
from outscore.inference.bootstrap import resampled_median_interval
from outscore.inference.classical.wilcoxon import first_above
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import PValue

# The sign test.
#
# H0: a difference lies above δ as often as below it. Only the direction of every difference counts, so nothing is assumed
# about their sizes. Prefer it where differences are skewed and the median, or "which system wins more items", is the
# question.


SIGN, PERMUTATION = "sign", "permutation-median"


def binomial_p(wins: int, losses: int, request: TestRequest) -> PValue:
    """Exact p for `wins` of wins + losses fair coins; "greater" asks for many wins.

    Examples
    --------
    >>> binomial_p(9, 1, TestRequest()).value
    0.021484375
    """
    n, most = wins + losses, max(wins, losses)
    if not n:
        return question.identical_p()
    return question.exact_p(binomial.tail(n, most), (wins > losses) - (wins < losses), n, "binomial", request)


def sign(scores: ItemScores, request: TestRequest) -> PValue:
    """p-value of H0: P(d > δ) = P(d < δ); the statistic is how many differences lie above δ. Zeros are dropped.

    Examples
    --------
    >>> from outscore.inference.base.differences import item_scores
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([3, 5, 4, 8, 1]), np.array([1, 2, 3, 4, 1]))
    >>> p = sign(item_scores(PairedScores(a, b), metric, "sign"), TestRequest())
    >>> p.value, p.statistic, p.dropped
    (0.125, 4.0, {'zero differences': 1})
    """
    d, whole = scores.minus(request.delta)
    d = d if whole is None else whole
    above, below = int((d > 0).sum()), int((d < 0).sum())
    wins, losses = (above, below) if scores.orientation > 0 else (below, above)
    zeros = scores.n - above - below
    p = binomial_p(wins, losses, request)
    dropped = {"zero differences": zeros} if zeros else {}
    return replace(p, test=SIGN, kernel="binomial", statistic=float(above), n=above + below, dropped=dropped)


def median_limits(d: Array, side: float) -> tuple[float | None, float | None]:
    """The c-th smallest and c-th largest difference, c the largest number with P(X ≤ c - 1) ≤ side, X ~ Binomial(n, ½).

    Without ties these hold the medians that the sign test does not reject (Thompson, 1936). None: too few for
    a limit.

    Examples
    --------
    >>> median_limits(np.arange(1.0, 11.0), 0.025)
    (2.0, 9.0)
    """
    n = len(d)

    def kept(c: int) -> bool:
        return float(binomial.log_tail(np.array([n]), np.array([n - c + 1]))[0]) > question.log(side)

    low = first_where(kept, 0, n // 2 + 1) - 1
    if not low:
        return None, None
    ordered = np.sort(d)
    return float(ordered[low - 1]), float(ordered[n - low])


def _run_sign(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    scores = unclustered_scores(pairs, metric, SIGN, MEDIAN_IN_CLUSTERS)
    p = sign(scores, asked)
    text = "The test and its interval are about the median difference, not about the difference in means."
    notes = [Note("estimand", text)]
    if not asked.interval:
        return TestResult(p, None, notes)
    clean = not p.dropped and without_repeats(scores.d)
    limits, middle = median_limits(scores.d, asked.side), median(scores.d)
    how = "order statistics, median"
    interval = interval_for(limits, asked, scores.orientation, method=how, dual=clean, estimate=middle, estimand="median")
    if not clean:
        notes.append(Note("interval", "With tied or zero differences the interval and p may disagree near alpha."))
    if limits[0] is None:
        text = "The interval is unbounded: with so few items no difference can be rejected at this level."
        notes.append(Note("interval", text))
    return TestResult(p, interval, notes)


SIGN_ENTRY = TestEntry(
    name=SIGN,
    summary="each system is equally likely to win an item; binomial, always exact",
    phrase="sign test",
    formula=r"p = P ( | X - \frac{n}{2} | ≥ | n_A - \frac{n}{2} | ) , X ∼ \text{Bin} ( n , \frac{1}{2} )",
    citations=("dixon1946",),
    run=_run_sign,
    suits={
        "mean": ("usable", f"{ANOTHER_MEDIAN}; it ignores how large the differences are.", 8),
        "accuracy": ("unsuited", MEDIAN_OF_BINARY, 9),
        "metric": ("unsuited", NEEDS_SCORES, 6),
    },
    estimand="median",
    null="signs",
    # Wins above half: with many ties the median is 0 although one system wins more items.
    lean=lambda p: 2 * p.statistic - p.n,
    subsets="itself",
)


# The permutation test of the median difference.
#
# H0: item by item the two systems are exchangeable (after taking off δ), so that every difference may as well have the
# other sign. The statistic is T, the median of the differences. Prefer it where the median is the claim and `sign`, which
# looks at directions only, throws too much away.
#
# The null law needs no sampling. Write a_1 ≤ … ≤ a_n for the sizes |d - δ|, each of which gets a fair sign.
#
# n = 2m + 1: T ≥ t > 0 says that at least m + 1 of the signed sizes are ≥ t, and only those a ≥ t with a plus are. So
#
#     P(T ≥ t) = P(Binomial(#{a ≥ t}, ½) ≥ m + 1)
#
# n = 2m: T is half the sum of the two in the middle. Let the upper one be +a_j (ties are ordered by their place). Then of
# the n - j larger sizes exactly m - 1 have a plus, and the lower one is the largest of what is left. The sum misses 2t
# exactly when all i < j with a_i + a_j ≥ 2t have a minus, unless even -a_1 would do. The signs of smaller and larger sizes
# are independent:
#
#     P(T ≥ t) = Σ_j ½ · C(n - j, m - 1) 2^-(n - j) · (1 - [a_j - a_1 < 2t or j = 1] · 2^-#{i < j : a_i + a_j ≥ 2t})


def permutation_median(scores: ItemScores, request: TestRequest) -> PValue:
    """Exact p-value of the median of sign-flipped differences; the statistic is the median of d itself.

    Examples
    --------
    >>> from outscore.inference.base.differences import item_scores
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([3, 5, 4, 8, 2]), np.array([1, 2, 3, 4, 1]))
    >>> permutation_median(item_scores(PairedScores(a, b), metric, "permutation-median"), TestRequest()).value
    0.25
    """
    d, whole = scores.minus(request.delta)
    exact = (d if whole is None else whole).astype(float)
    ordered, n = np.sort(exact), scores.n
    # Of two numbers in the middle the sum, or twice the one: a whole sum stays whole.
    middle = float(ordered[(n - 1) // 2] + ordered[n // 2])
    sign = scores.orientation * ((middle > 0) - (middle < 0))
    p = question.exact_p(median_tail(np.abs(exact), abs(middle)), sign, scores.n, "binomial", request)
    return replace(p, test=PERMUTATION, kernel="binomial", statistic=median(scores.d), n=scores.n)


def median_tail(sizes: Array, twice: float) -> Tail:
    """log P(2T ≥ twice) and log P(2T = twice) for the median T of sizes with random signs, twice ≥ 0.

    Examples
    --------
    >>> round(math.exp(median_tail(np.array([1.0, 2.0, 3.0]), 2.0).log), 6)  # two pluses or more of three
    0.5
    """
    ordered = np.sort(sizes)
    log_beyond = _log_at_least(ordered, math.nextafter(twice, math.inf))
    beyond = math.exp(log_beyond)
    if twice == 0.0:
        # T and -T have the same law.
        return Tail(math.log1p(-beyond), question.log(1 - 2 * beyond))
    log_tail = _log_at_least(ordered, twice)
    return Tail(log_tail, log_tail + question.log(-math.expm1(min(log_beyond - log_tail, 0.0))))


def _log_at_least(ordered: Array, twice: float) -> float:
    """log P(2T ≥ twice), twice > 0."""
    n, m = len(ordered), len(ordered) // 2
    if n % 2:
        return binomial.tail(int((2 * ordered >= twice).sum()), m + 1).log
    larger = n - 1 - np.arange(n)
    rows = np.flatnonzero((larger >= m - 1) & (ordered > 0))
    start = np.zeros(n, dtype=np.int64)
    # The columns from here up to the diagonal reach the sum together with their row.
    reach = first_above(ordered, math.nextafter(twice, -math.inf), start, np.arange(n))[rows]
    with_plus = rows - reach
    always = (rows > 0) & (ordered[rows] - ordered[0] >= twice)
    with np.errstate(divide="ignore"):
        enough = np.where(always, 0.0, np.log(-np.expm1(-with_plus * LOG2)))
    return _log_sum(_log_exactly(m - 1, larger[rows]) + enough) - LOG2


def _log_exactly(successes: int, trials: Array) -> Array:
    """log P(X = s) for X ~ Binomial(N, ½) and every N in `trials`.

    Consecutive N have the ratio (N + 1)/(2(N + 1 - s)); sums of its logarithms from the largest term keep all
    digits.
    """
    if not len(trials):
        return np.zeros(0)
    most = max(int(trials.max()), 2 * successes)
    ratio = np.log(np.arange(successes + 1, most + 1) / (2.0 * np.arange(1, most - successes + 1)))
    table = np.concatenate([[0.0], np.cumsum(ratio)])
    mode = max(2 * successes - 1, successes)
    table += binomial.tail(mode, successes).log_atom - table[mode - successes]
    return np.asarray(table[trials - successes])


def _log_sum(logs: Array) -> float:
    top = float(logs.max(initial=-math.inf))
    return top + math.log(math.fsum(np.exp(logs - top).tolist())) if math.isfinite(top) else -math.inf


def _run_permutation(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    scores = unclustered_scores(pairs, metric, PERMUTATION, MEDIAN_IN_CLUSTERS)
    p = permutation_median(scores, asked)
    notes = [Note("estimand", "The test is about the median difference, not about the difference in means.")]
    if not asked.interval:
        return TestResult(p, None, notes)
    interval = resampled_median_interval(pairs, metric, asked)
    if interval is None:
        text = "No interval: the differences do not vary, so nothing shows how far their median could move."
    else:
        text = (
            "The interval comes from the centred bootstrap, not from the permutation test, and may disagree with p near alpha."
        )
    return TestResult(p, interval, [*notes, Note("interval", text)])


PERMUTATION_ENTRY = TestEntry(
    name=PERMUTATION,
    summary="the two systems are exchangeable item by item; statistic: the median difference, always exact",
    phrase="paired permutation test of the median",
    formula=r"p = P ( |\text{median} ( ε_i d_i )| ≥ |\text{median} ( d_i )| )",
    citations=("noreen1989",),
    estimand="median",
    run=_run_permutation,
    suits={
        "mean": ("usable", "Another estimand: the median difference.", 9),
        "accuracy": ("unsuited", MEDIAN_OF_BINARY, 10),
        "metric": ("unsuited", NEEDS_SCORES, 8),
    },
    null="swaps",
    subsets="itself",
)
