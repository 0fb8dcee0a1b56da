"""Right-or-wrong items: discordant counts, Tango's score test and interval, and Wilson's interval for one share.

For binary items sign flips answer δ = 0 exactly (McNemar's test), but shifting 0/1 differences by δ ≠ 0
leaves nothing symmetric: an inverted permutation interval covers far too rarely. Tango's score answers for
every δ: p_A - p_B = δ is tested by the efficient score, with the nuisance parameter at its constrained maximum (Tango,
1998). One formula serves a single pair and arrays of pairs. `of` is the arithmetic it is done in: numpy, or
`NUMBERS`, which for a single pair is twenty times as fast.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, distinct
from outscore.core.records import dataclass
from outscore.core.rows import PairedScores
from outscore.inference.base.question import TestRequest, interval_for, reach
from outscore.laws import log_normal, normal_quantile
from outscore.results.pvalue import Interval, PValue

TINY = 5e-324
STEPS = 60
MIN_ITEMS = 3
"""From this many items on, only two distinct scores are not a coincidence, as two real numbers would be."""


NUMBERS = SimpleNamespace(
    sqrt=math.sqrt,
    copysign=math.copysign,
    maximum=max,
    minimum=min,
    where=lambda condition, one, other: one if condition else other,
)
"""The functions of numpy that the formula needs, for single numbers."""


def tango_score(n: Any, wins: Any, losses: Any, delta: Any, of: Any) -> Any:  # noqa: ANN401 - numbers or arrays of them
    """Tango's z for p_A - p_B = δ, decreasing in δ: of n items only A got `wins` right and only B `losses`.

    Examples
    --------
    >>> round(tango_score(50, 6, 1, 0.0, NUMBERS), 6)  # McNemar's, 5/√7
    1.889822
    """
    linear = -wins - losses + (2 * n - wins + losses) * delta
    constant = -losses * delta * (1 - delta)
    root = of.sqrt(of.maximum(0.0, linear * linear - 8 * n * constant))
    # The other form of the quadratic formula where this one cancels.
    divisor = root + linear
    stable_root = of.where(divisor != 0, -2 * constant / of.where(divisor != 0, divisor, 1.0), 0.0)
    p21 = of.where(linear < 0, (root - linear) / (4 * n), stable_root)
    variance = n * (2 * p21 + delta * (1 - delta))
    gap = wins - losses - n * delta
    z = gap / of.sqrt(of.where(variance > 0, variance, 1.0))
    return of.where(variance > 0, z, of.where(gap == 0, 0.0, of.copysign(math.inf, gap)))


def tango_limits(n: Any, wins: Any, losses: Any, z: float, kept: Any, of: Any) -> tuple[Any, Any]:  # noqa: ANN401 - as above
    """All δ with a score within ±z, moved to contain 0 exactly where the exact test does not reject 0 (`kept`).

    Examples
    --------
    >>> [round(end, 4) for end in tango_limits(50, 6, 1, 1.959963984540054, True, NUMBERS)]
    [-0.0048, 0.2226]
    """
    low, high = _tango_limit(n, wins, losses, z, of), _tango_limit(n, wins, losses, -z, of)
    ahead, astride = wins > losses, (low <= 0) & (high >= 0)
    # Far out the exact test is the sharper one: 0 is rejected on the side of the difference.
    away = of.where(astride & ahead, TINY, low), of.where(astride, of.where(ahead, high, -TINY), high)
    return of.where(kept, of.minimum(low, 0.0), away[0]), of.where(kept, of.maximum(high, 0.0), away[1])


def _tango_limit(n: Any, wins: Any, losses: Any, z: float, of: Any) -> Any:  # noqa: ANN401 - as above
    """δ whose score is z, by bisection on a decreasing function."""
    low, high = 0.0 * n - 1.0, 0.0 * n + 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        above = tango_score(n, wins, losses, middle, of) > z
        low, high = of.where(above, middle, low), of.where(above, high, middle)
    return (low + high) / 2


@dataclass(frozen=True)
class Worth:
    """The score of a wrong item and that of a right one, `wrong` < `right`."""

    wrong: float
    right: float

    @property
    def unit(self) -> float:
        """What is gained by being right."""
        return self.right - self.wrong

    def share(self, score: float) -> float:
        """The share of right items behind a mean score."""
        return (score - self.wrong) / self.unit


def worth_of(least: float, largest: float, items: int) -> Worth | None:
    """What wrong and right are worth in scores that are all the one or the other of two numbers; None where they are not.

    The two may be any: 0 and 1, -1 and 1, 7 and 8. Nothing but zeros, ones or hundreds is right-or-wrong too; another number
    that all scores share does not tell what the other one would be.

    Examples
    --------
    >>> worth_of(-1.0, 1.0, 50), worth_of(1.0, 1.0, 50), worth_of(0.75, 1.0, 50), worth_of(0.75, 0.75, 50)
    (Worth(wrong=-1.0, right=1.0), Worth(wrong=0.0, right=1.0), Worth(wrong=0.75, right=1.0), None)
    """
    for right in (1.0, 100.0):
        if {least, largest} <= {0.0, right}:
            return Worth(0.0, right)
    return Worth(least, largest) if least < largest and items >= MIN_ITEMS else None


@dataclass(frozen=True)
class Discordance:
    """n binary items, of which only A got `only_a` right and only B `only_b`; being right is worth `unit` more than `wrong`."""

    n: int
    only_a: int
    only_b: int
    unit: float
    orientation: int
    wrong: float = 0.0

    @property
    def right(self) -> float:
        """The score of a right item."""
        return self.wrong + self.unit

    @property
    def difference(self) -> float:
        """A - B in the unit of the scores."""
        return self.unit * (self.only_a - self.only_b) / self.n

    def score(self, delta: float) -> float:
        """Tango's z for p_A - p_B = δ, decreasing in δ."""
        return float(tango_score(self.n, self.only_a, self.only_b, delta, NUMBERS))


def discordance(pairs: PairedScores, metric: AdditiveMetric) -> Discordance | None:
    """The 2 × 2 table behind a mean of two-valued items, each one its own unit; None for other data.

    The two values may be any (`worth_of`). Repeats that agree are one look, and clusters of one item are none.
    A metric whose scores are graded has no table, and means of several scores have none.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a = np.stack([[1, 1, 1, 1, 0, 1, 1, 1], np.ones(8, int)], axis=1)
    >>> b = np.stack([[0, 0, 1, 0, 0, 0, 0, 0], np.ones(8, int)], axis=1)
    >>> table = discordance(PairedScores(a, b), mean)
    >>> table.n, table.only_a, table.only_b
    (8, 6, 0)
    """
    return pairs.once(_discordance, metric)


def _discordance(pairs: PairedScores, metric: AdditiveMetric) -> Discordance | None:
    weights, other = metric.bottom(pairs.a), metric.bottom(pairs.b)
    if weights is None or other is None or metric.graded or pairs.averaged:
        return None
    weight = weights[0]
    if weight <= 0 or any((x != weight).any() for x in (weights, other)):
        return None
    a, b = metric.top(pairs.a), metric.top(pairs.b)
    clusters = pairs.clusters
    if pairs.items is not None:
        if not (_agree(a, pairs.items) and _agree(b, pairs.items)):
            return None
        _, first = np.unique(pairs.items, return_index=True)
        a, b, clusters = a[first], b[first], None if clusters is None else clusters[first]
    if clusters is not None and len(distinct(clusters)) < len(a):
        return None
    least, largest = min(a.min(), b.min()), max(a.max(), b.max())
    worth = worth_of(float(least) / float(weight), float(largest) / float(weight), len(a))
    if worth is None or not all(((x == least) | (x == largest)).all() for x in (a, b)):
        return None
    orientation = 1 if metric.higher_is_better else -1
    return Discordance(len(a), int((a > b).sum()), int((b > a).sum()), worth.unit, orientation, worth.wrong)


def _agree(scores: Array, items: Array) -> bool:
    """Whether all repeats of each item have the same score."""
    first = np.zeros(int(items.max()) + 1)
    first[items] = scores
    return bool((first[items] == scores).all())


def tango_test(pair: Discordance, request: TestRequest) -> PValue:
    """p-value of H0: p_A - p_B = δ by Tango's score test, normal approximation.

    Source: Tango (1998), the score statistic of a paired difference in proportions.

    Examples
    --------
    >>> pair = Discordance(n=100, only_a=15, only_b=5, unit=1.0, orientation=1)
    >>> round(tango_test(pair, TestRequest(delta=0.05)).value, 4)
    0.2471
    """
    delta = request.delta / pair.unit
    if not -1 < delta < 1:
        raise OutscoreError(
            f"`delta` is {request.delta:g}.",
            f"Scores are {pair.wrong:g} or {pair.right:g}, so it must lie between -{pair.unit:g} and {pair.unit:g}.",
            parameter="delta",
        )
    z = reach(pair.orientation * pair.score(delta), request.alternative)
    log_p = log_normal(-z) + (math.log(2) if request.alternative == "two-sided" else 0.0)
    return PValue.from_logs(log_p, log_p, method="asymptotic", kernel="tango")


def tango_interval(pair: Discordance, request: TestRequest, p: PValue) -> Interval:
    """All δ that Tango's test does not reject, moved to hold 0 exactly when the exact test does not reject 0.

    Examples
    --------
    >>> pair = Discordance(n=100, only_a=15, only_b=5, unit=1.0, orientation=1)
    >>> p = tango_test(pair, TestRequest())
    >>> interval = tango_interval(pair, TestRequest(), p)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0134, 0.1924)
    """
    how = "Tango score, stretched to agree with the exact test"
    return interval_for(
        tango_ends(pair, request, p), request, pair.orientation, method=how, dual=True, estimate=pair.difference
    )


def tango_ends(pair: Discordance, request: TestRequest, p: PValue) -> tuple[float, float]:
    """The limits of `tango_interval`, both of them whatever the alternative."""
    z = -normal_quantile(request.side)
    low, high = tango_limits(pair.n, pair.only_a, pair.only_b, z, p.upper > request.alpha, NUMBERS)
    return pair.unit * low, pair.unit * high


def wilson_limits(share: float, looks: float, z: float) -> tuple[float, float]:
    """Wilson's (1927) score interval for a share of independent looks, whose number need not be whole.

    Examples
    --------
    >>> low, high = wilson_limits(0.9, 50, 1.959963984540054)
    >>> round(low, 4), round(high, 4)
    (0.7864, 0.9565)
    """
    middle = (share + z * z / (2 * looks)) / (1 + z * z / looks)
    reach = z / (1 + z * z / looks) * math.sqrt(share * (1 - share) / looks + (z / (2 * looks)) ** 2)
    return max(0.0, min(middle - reach, share)), min(1.0, max(middle + reach, share))
