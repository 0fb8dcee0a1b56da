"""What the tests of one score per item share: refusals, normal tails, and the sides of an interval."""

from __future__ import annotations

from typing import Literal

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import LOG2, Array, distinct, finite
from outscore.core.rows import PairedScores
from outscore.inference.base.item_scores import ItemScores, item_scores
from outscore.inference.base.question import Alternative
from outscore.laws import log_normal
from outscore.results.pvalue import Interval

Estimand = Literal["difference", "median", "pseudomedian", "shift"]
MEDIAN_IN_CLUSTERS = "`bootstrap-median`, which resamples whole clusters and tests the median, or `permutation`"


def unclustered_scores(pairs: PairedScores, metric: AdditiveMetric, test: str, instead: str) -> ItemScores:
    """One score per item and system; clusters, which the test would treat as if not there, are refused with a way out."""
    # The metric first: what is named instead must take it too.
    scores = item_scores(pairs, metric, test)
    if pairs.clusters is not None:
        raise ClustersError(
            f"`{test}` treats items as independent and does not support clusters.", f"Use {instead}.", parameter="cluster"
        )
    return scores


class NoSpreadError(OutscoreError):
    """A sample without spread says nothing about spread. Simulations, which may draw one, count it as undecided."""


def without_spread(test: str, place: str, difference: float) -> NoSpreadError:
    """The refusal of differences that are all the same."""
    return NoSpreadError(
        f"The difference is {difference:g} in every {place}, and `{test}` needs differences that vary.",
        "Use `permutation`, which does not.",
    )


def normal_log_p(gap: float, sd: float, correction: float, alternative: Alternative) -> float:
    """log p of a statistic that lies `gap` (oriented) from its null mean, by the normal law with a continuity correction.

    Every side moves the statistic by `correction` towards the middle of its own tail, so P(T ≥ t) still
    counts t itself.

    Examples
    --------
    >>> import math
    >>> round(math.exp(normal_log_p(1.96, 1.0, 0.0, "two-sided")), 4), round(math.exp(normal_log_p(1.96, 1.0, 0.0, "less")), 4)
    (0.05, 0.975)
    """
    if alternative == "two-sided":
        return min(0.0, LOG2 + log_normal(-max(abs(gap) - correction, 0.0) / sd))
    turned = gap if alternative == "greater" else -gap
    return log_normal(-(turned - correction) / sd)


def side_of(alpha: float, alternative: Alternative) -> float:
    """The probability left outside one limit: a two-sided interval shares α between both."""
    return alpha / 2 if alternative == "two-sided" else alpha


def interval_for(
    limits: tuple[float | None, float | None],
    alpha: float,
    alternative: Alternative,
    orientation: int,
    *,
    method: str,
    dual: bool,
    estimate: float,
    estimand: Estimand = "difference",
) -> Interval:
    """An interval of the sides that the alternative asks for: "greater" bounds from below, unless lower is better."""
    from_below = alternative == "two-sided" or (alternative == "greater") == (orientation > 0)
    from_above = alternative == "two-sided" or not from_below
    return Interval(
        low=finite(limits[0]) if from_below else None,
        high=finite(limits[1]) if from_above else None,
        level=1 - alpha,
        method=method,
        dual=dual,
        estimand=estimand,
        estimate=estimate,
    )


def without_repeats(sizes: Array) -> bool:
    """Whether no number occurs twice."""
    return len(distinct(sizes)) == len(sizes)
