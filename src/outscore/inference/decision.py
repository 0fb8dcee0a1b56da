"""Who won. The test decides, in the direction of what the test itself measures.

Tests of the median or of signed ranks are not about the metric: their p may be small while the metric's
difference points the other way. A system wins only if the test and the metric favour the same one; if they
disagree there is no winner, and the verdict says why.
"""

from __future__ import annotations

from typing import Literal

from outscore.results.comparison import Margin
from outscore.results.design import Decision
from outscore.results.pvalue import Interval, PValue

Side = Literal[-1, 0, 1]


def sign(x: float) -> Side:
    """-1, 0 or 1."""
    if x > 0:
        return 1
    return -1 if x < 0 else 0


def side_of_test(difference: float, delta: float, interval: Interval | None, direction: Side | None) -> Side:
    """On which side of `delta` the test sees A - B, in the metric's own sense.

    If the test reports a `direction`, that is used: with many ties a median can be 0 although one system wins
    more items. Otherwise it is the side of the estimate that its interval is about, or of the difference
    itself if the interval is about that.

    Examples
    --------
    >>> typical = Interval(0.001, 0.003, 0.95, "Walsh averages", dual=True, estimand="pseudomedian", estimate=0.002)
    >>> side_of_test(-0.01, 0.0, typical, None), side_of_test(-0.01, 0.0, None, None)
    (1, -1)
    """
    if direction is not None:
        return direction
    if interval is None or interval.estimand == "difference" or interval.estimate is None:
        return sign(difference - delta)
    return sign(interval.estimate - delta)


def decide(
    *,
    higher_is_better: bool,
    difference: float,
    p: PValue,
    alpha: float,
    alternative: str = "two-sided",
    delta: float = 0.0,
    margin: Margin | None = None,
    interval: Interval | None = None,
    direction: Side | None = None,
) -> Decision:
    """Who won: the upper end of p against `alpha`, the direction from the test and from the metric, which must agree.

    Against a `delta` other than 0 a rejection shows only on which side of `delta` the difference lies: A wins
    with a lead beyond `delta`, and a lead that is merely shown to be smaller is not a win for B. Without a
    winner a `margin` may still show that the systems are equivalent, or that A is not inferior.

    Examples
    --------
    >>> small = PValue(0.01, 0.01, 0.01, -2.0, "exact", "lattice")
    >>> decide(higher_is_better=False, difference=0.1, p=small, alpha=0.05)
    Decision(winner=1, claim='better')
    """
    turn: Literal[-1, 1] = 1 if higher_is_better else -1
    lead, bar = turn * sign(difference - delta), turn * delta
    winner: Literal[0, 1] | None = None
    if p.rejects(alpha) and lead == turn * side_of_test(difference, delta, interval, direction):
        if lead > 0 and bar >= 0 and alternative != "less":
            winner = 0
        elif lead < 0 and bar <= 0 and alternative != "greater":
            winner = 1
    if winner is not None:
        return Decision(winner, "better")
    if margin is not None and margin.equivalence.rejects(alpha):
        return Decision(None, "equivalent")
    if margin is not None and margin.noninferiority.rejects(alpha):
        return Decision(None, "non-inferior")
    return Decision(None, "undecided")
