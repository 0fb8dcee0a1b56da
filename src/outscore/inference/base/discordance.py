"""Right-or-wrong items: discordant counts, Tango's score test and interval, and Wilson's interval for one share.

For binary items sign flips answer δ = 0 exactly (McNemar's test), but shifting 0/1 differences by δ ≠ 0
leaves nothing symmetric: an inverted permutation interval covers far too rarely. Tango's score answers for
every δ (`tango`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.paired import PairedScores
from outscore.inference.base import tango
from outscore.inference.base.sign_flips import KernelOptions, reach
from outscore.results.interval import Interval
from outscore.results.pvalue import PValue

__all__ = ["Discordance", "discordance", "tango_interval", "tango_test", "wilson_limits"]


@dataclass(frozen=True)
class Discordance:
    """n binary items, of which only A got `only_a` right and only B `only_b`; a right item is worth `unit`."""

    n: int
    only_a: int
    only_b: int
    unit: float
    orientation: int

    @property
    def difference(self) -> float:
        """A - B in the unit of the scores."""
        return self.unit * (self.only_a - self.only_b) / self.n

    def score(self, delta: float) -> float:
        """Tango's z for p_A - p_B = δ, decreasing in δ."""
        return float(tango.score(self.n, self.only_a, self.only_b, delta, tango.NUMBERS))


def discordance(pairs: PairedScores, metric: AdditiveMetric) -> Discordance | None:
    """The 2 × 2 table behind a mean of 0/1 (or 0/100) items, each one its own unit; None for other data.

    Nothing but zeros is a table too: both systems are wrong on every item. What a right one would be worth it
    does not show, and 1 is taken. A metric whose scores are graded has none.

    Examples
    --------
    >>> mean = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
    >>> a = np.stack([[1, 1, 1, 1, 0, 1, 1, 1], np.ones(8, int)], axis=1)
    >>> b = np.stack([[0, 0, 1, 0, 0, 0, 0, 0], np.ones(8, int)], axis=1)
    >>> found = discordance(PairedScores(a, b), mean)
    >>> found.n, found.only_a, found.only_b
    (8, 6, 0)
    """
    if metric.ratio is None or metric.ratio[1] is None or pairs.clusters is not None or metric.graded:
        return None
    if pairs.items is not None and len(np.unique(pairs.items)) < pairs.rows:
        return None
    u, v = (np.asarray(w) for w in metric.ratio)
    weight = pairs.a @ v / pairs.scale
    if (weight != weight[0]).any() or (pairs.b @ v / pairs.scale != weight[0]).any() or weight[0] <= 0:
        return None
    a, b = pairs.a @ u / pairs.scale / weight[0], pairs.b @ u / pairs.scale / weight[0]
    unit = float(max(a.max(), b.max())) or 1.0
    if unit not in (1.0, 100.0) or not (np.isin(a, (0.0, unit)).all() and np.isin(b, (0.0, unit)).all()):
        return None
    orientation = 1 if metric.higher_is_better else -1
    return Discordance(len(a), int((a > b).sum()), int((b > a).sum()), unit, orientation)


def tango_test(pair: Discordance, request: KernelOptions) -> PValue:
    """p-value of H0: p_A - p_B = δ by Tango's score test, normal approximation.

    Source: Tango (1998), the score statistic of a paired difference in proportions.

    Examples
    --------
    >>> pair = Discordance(n=100, only_a=15, only_b=5, unit=1.0, orientation=1)
    >>> round(tango_test(pair, KernelOptions(delta=0.05)).value, 4)
    0.2471
    """
    import scipy.special

    delta = request.delta / pair.unit
    if not -1 < delta < 1:
        raise OutscoreError(
            f"`delta` is {request.delta:g}.",
            f"Scores are 0 or {pair.unit:g}, so it must lie between -{pair.unit:g} and {pair.unit:g}.",
            parameter="delta",
        )
    z = reach(pair.orientation * pair.score(delta), request.alternative)
    log_p = float(scipy.special.log_ndtr(-z)) + (math.log(2) if request.alternative == "two-sided" else 0.0)
    return PValue.from_logs(log_p, log_p, method="asymptotic", kernel="tango")


def tango_interval(pair: Discordance, alpha: float, p: PValue, alternative: str = "two-sided") -> Interval:
    """All δ that Tango's test does not reject, moved to hold 0 exactly when the exact test does not reject 0.

    Examples
    --------
    >>> pair = Discordance(n=100, only_a=15, only_b=5, unit=1.0, orientation=1)
    >>> p = tango_test(pair, KernelOptions())
    >>> found = tango_interval(pair, 0.05, p)
    >>> round(found.low, 4), round(found.high, 4)
    (0.0134, 0.1924)
    """
    import scipy.special

    side = alpha / 2 if alternative == "two-sided" else alpha
    z = -float(scipy.special.ndtri(side))
    low, high = tango.limits(pair.n, pair.only_a, pair.only_b, z, p.upper > alpha, tango.NUMBERS)
    below, above = pair.unit * low, pair.unit * high
    towards_high = (alternative == "greater") == (pair.orientation > 0)
    return Interval(
        low=below if alternative == "two-sided" or towards_high else None,
        high=above if alternative == "two-sided" or not towards_high else None,
        level=1 - alpha,
        method="Tango score, stretched to agree with the exact test",
        dual=True,
        estimate=pair.difference,
    )


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
