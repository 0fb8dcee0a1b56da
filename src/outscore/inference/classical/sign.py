"""The sign test.

H0: a difference lies above δ as often as below it. Only the direction of every difference counts, so nothing
is assumed about their sizes. Prefer it where differences are skewed and the median, or "which system wins
more items", is the question.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, first_where
from outscore.core.rows import PairedScores
from outscore.exact import binomial
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
from outscore.results.comparison import TestResult
from outscore.results.note import Note
from outscore.results.pvalue import PValue

NAME = "sign"


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
    return replace(p, test=NAME, kernel="binomial", statistic=float(above), n=above + below, dropped=dropped)


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


def _run(pairs: PairedScores, metric: AdditiveMetric, asked: TestRequest) -> TestResult:
    scores = unclustered_scores(pairs, metric, NAME, MEDIAN_IN_CLUSTERS)
    p = sign(scores, asked)
    text = "The test and its interval are about the median difference, not about the difference in means."
    notes = [Note("estimand", text)]
    if not asked.interval:
        return TestResult(p, None, notes)
    clean = not p.dropped and without_repeats(scores.d)
    limits, middle = median_limits(scores.d, asked.side), float(np.median(scores.d))
    how = "order statistics, median"
    interval = interval_for(limits, asked, scores.orientation, method=how, dual=clean, estimate=middle, estimand="median")
    if not clean:
        notes.append(Note("interval", "With tied or zero differences the interval and p may disagree near alpha."))
    if limits[0] is None:
        text = "The interval is unbounded: with so few items no difference can be rejected at this level."
        notes.append(Note("interval", text))
    return TestResult(p, interval, notes)


ENTRY = TestEntry(
    name=NAME,
    summary="each system is equally likely to win an item; binomial, always exact",
    phrase="sign test",
    formula=r"p = P ( | X - \frac{n}{2} | ≥ | n_A - \frac{n}{2} | ) , X ∼ \text{Bin} ( n , \frac{1}{2} )",
    citations=("dixon1946",),
    run=_run,
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
