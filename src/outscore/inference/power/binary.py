"""Right-or-wrong items: the power of the exact McNemar test, and the p-values two printed accuracies leave possible.

Only discordant items, those one system alone gets right, say anything. Their number M is binomial(n, ψ) with
ψ the discordance rate, and of m discordant items A wins binomial(m, (ψ + δ)/2ψ) when its accuracy is higher
by δ. The exact test rejects when that count lies in a tail of binomial(m, ½), so its power is a sum over m
without any approximation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LOG2, Array
from outscore.core.records import dataclass
from outscore.exact.binomial import log_tail
from outscore.inference.base.sign_flips import Alternative
from outscore.laws.normal import normal_quantile
from outscore.results.plan import OverlapPoint
from outscore.results.pvalue import PValue

__all__ = ["Overlaps", "mcnemar_power", "mcnemar_sample_size", "overlaps"]

CURVE = 40
"""Points of a curve of p over overlaps."""
MAX_N = 10**7
"""Beyond this many items exact power takes seconds and differs from the normal formula in the fourth digit."""
NORMAL = "Plan for a larger effect, or use the method normal."
SPREAD = 9.0
"""Numbers of discordant items further than this many standard deviations from their mean are left out (mass below 1e-18)."""
SMOOTH_VARIANCE = 9.0
"""The rejection chance given m is a saw with teeth of about two; from this variance of M on no tooth is left in the average."""


def mcnemar_power(n: int, effect: float, discordance: float, alpha: float, alternative: Alternative) -> float:
    """Chance that the exact McNemar test rejects; `effect` is the accuracy difference, counted as A better when positive.

    Examples
    --------
    >>> round(mcnemar_power(1000, 0.03, 0.1, 0.05, "two-sided"), 4)
    0.8346
    """
    if n > MAX_N:
        raise OutscoreError(f"Exact power is computed for at most {MAX_N:,} items.", NORMAL)
    low, high = _window(n, discordance)
    m = np.arange(low, high + 1)
    return _average_power(n, discordance, m, _rejects(m, effect, discordance, alpha, alternative))


def mcnemar_sample_size(
    effect: float, discordance: float, power: float, alpha: float, alternative: Alternative, guess: float
) -> int:
    """The fewest items from which on the power never falls below the one asked for; `guess` is the normal formula's answer.

    Examples
    --------
    >>> mcnemar_sample_size(0.03, 0.1, 0.8, 0.05, "two-sided", 900.0)
    920
    """
    # The exact test costs some 1/δ items more than the formula; a tooth of the saw is worth 4/δ items at
    # most.
    tooth = math.ceil(4 / abs(effect)) + 20
    low, high = max(0, math.floor(guess) - tooth), math.ceil(guess) + 2 * tooth
    while True:
        if high > MAX_N:
            raise OutscoreError(
                f"More than {MAX_N:,} items would be needed, the most that exact power is computed for.", NORMAL
            )
        # One table of rejection chances serves every n between.
        first = _window(low, discordance)[0]
        m = np.arange(first, _window(high, discordance)[1] + 1)
        rejects = _rejects(m, effect, discordance, alpha, alternative)

        def enough(n: int, first: int = first, m: Array = m, rejects: Array = rejects) -> bool:
            inside = slice(_window(n, discordance)[0] - first, _window(n, discordance)[1] - first + 1)
            return _average_power(n, discordance, m[inside], rejects[inside]) >= power

        smooth = low * discordance * (1 - discordance) >= SMOOTH_VARIANCE
        last_short = _bisect(enough, low, high) if smooth else _scan(enough, low, high)
        if last_short == low and low > 0:
            low = low // 2
        elif last_short > high - tooth:
            high = 2 * high
        else:
            return last_short + 1


def _bisect(enough: Callable[[int], bool], low: int, high: int) -> int:
    """The last n that falls short where power only rises; low or high when it lies outside."""
    if enough(low) or not enough(high):
        return low if enough(low) else high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return low


def _scan(enough: Callable[[int], bool], low: int, high: int) -> int:
    """The last n that falls short where power goes up and down."""
    return next((n for n in range(high, low, -1) if not enough(n)), low)


def _window(n: int, discordance: float) -> tuple[int, int]:
    mean, spread = n * discordance, SPREAD * math.sqrt(n * discordance * (1 - discordance))
    # A rare event's upper tail is longer than the normal one.
    return max(0, math.floor(mean - spread)), min(n, math.ceil(mean + spread) + 40)


def _average_power(n: int, discordance: float, m: Array, rejects: Array) -> float:
    """Σ P(M = m) · P(reject | m) over a window that holds all but a negligible part of the mass."""
    import scipy.special as sp

    log_choose = sp.gammaln(n + 1) - sp.gammaln(m + 1) - sp.gammaln(n - m + 1)
    mass = np.exp(log_choose + sp.xlogy(m, discordance) + sp.xlog1py(n - m, -discordance))
    # Dividing by the sum also removes the common rounding error of large factorials.
    return float(min(1.0, (mass @ rejects) / mass.sum()))


def _rejects(m: Array, effect: float, discordance: float, alpha: float, alternative: Alternative) -> Array:
    """P(reject | m discordant items) for an array of m."""
    critical = _critical(m, alpha / 2 if alternative == "two-sided" else alpha)
    wins = (discordance + effect) / (2 * discordance)
    upper, lower = _binomial_tail(m, critical, wins), _binomial_tail(m, critical, 1 - wins)
    return {"two-sided": upper + lower, "greater": upper, "less": lower}[alternative]


def _critical(m: Array, side: float) -> Array:
    """The smallest k with P(Bin(m, ½) ≥ k) ≤ side; m + 1 where not even m wins out of m are enough."""
    k = np.clip(np.ceil(m / 2 - normal_quantile(side) * np.sqrt(m) / 2 + 0.5), 0, m + 1)
    while (short := _binomial_tail(m, k, 0.5) > side).any():
        k = k + short
    while (spare := (k > 0) & (_binomial_tail(m, k - 1, 0.5) <= side)).any():
        k = k - spare
    return k


def _binomial_tail(m: Array, k: Array, chance: float) -> Array:
    """P(Bin(m, chance) ≥ k), elementwise: the regularised incomplete beta function I_chance(k, m - k + 1)."""
    import scipy.special as sp

    inside = (k > 0) & (k <= m)
    value = sp.betainc(np.where(inside, k, 1), np.where(inside, m - k + 1, 1), chance)
    return np.asarray(np.where(inside, value, np.where(k <= 0, 1.0, 0.0)))


@dataclass(frozen=True)
class Overlaps:
    """Extremes of the exact McNemar p over all tables two ranges of right answers allow, and where they lie."""

    lowest: PValue
    highest: PValue
    discordant: tuple[int, int]
    independent: PValue
    significant_up_to: int | None
    curve: list[OverlapPoint]


def overlaps(right_a: tuple[int, int], right_b: tuple[int, int], n: int, alpha: float, alternative: Alternative) -> Overlaps:
    """Every p two accuracies on the same n binary items can have, from complete to least overlap of their errors.

    With D = right_a - right_b fixed, the number m of discordant items may be |D|, |D| + 2, …; P(S_m ≥ D) of a
    random walk moves one way along these steps (two more steps add ¼(P(S_m = D - 2) - P(S_m = D))), so both
    ends of m are enough.
    """
    gap, fewest, most = _gaps(right_a, right_b, n)
    m, d = np.concatenate([fewest, most]), np.concatenate([gap, gap])
    logs = _log_p(m, d, alternative)
    low, high = int(logs.argmin()), int(logs.argmax())
    a, b = ((sum(right) + 1) // 2 for right in (right_a, right_b))
    return Overlaps(
        lowest=_p_value(m[low], d[low], alternative),
        highest=_p_value(m[high], d[high], alternative),
        discordant=(int(m[low]), int(m[high])),
        independent=_p_value(_independent(a, b, n), a - b, alternative),
        significant_up_to=_significant(gap, fewest, most, alpha, alternative),
        curve=_overlap_curve(a, b, n, alternative),
    )


def _overlap_curve(a: int, b: int, n: int, alternative: Alternative) -> list[OverlapPoint]:
    """p at numbers of discordant items between the fewest and the most, closer together where there are few."""
    least, most = abs(a - b), min(a + b, 2 * n - a - b)
    steps = np.unique(np.round(np.geomspace(1, (most - least) // 2 + 1, CURVE)).astype(np.int64)) - 1
    m = least + 2 * steps
    logs = _log_p(m, np.full(len(m), a - b), alternative)
    return [OverlapPoint(int(k), float(p)) for k, p in zip(m, np.exp(logs), strict=True)]


def _gaps(right_a: tuple[int, int], right_b: tuple[int, int], n: int) -> tuple[Array, Array, Array]:
    """All differences of right answers, with the fewest and the most items the systems can then differ on."""
    gap = np.arange(right_a[0] - right_b[1], right_a[1] - right_b[0] + 1)
    low_b = np.maximum(right_b[0], right_a[0] - gap)
    high_b = np.minimum(right_b[1], right_a[1] - gap)
    # The systems share no right answer, or no wrong one: at most a + b items, and at most 2n - a - b. The sum
    # of the two is fixed, so the best total a + b = 2b + D is the one nearest to n.
    nearest = np.clip((n - gap) // 2, low_b, high_b)
    best = np.zeros_like(gap)
    for b in (nearest, np.minimum(nearest + 1, high_b)):
        best = np.maximum(best, np.minimum(2 * b + gap, 2 * n - 2 * b - gap))
    return gap, np.abs(gap), best


def _log_p(m: Array, gap: Array, alternative: Alternative) -> Array:
    """log of the exact McNemar p for m discordant items of which A wins (m + gap)/2, elementwise."""
    if alternative == "two-sided":
        return np.minimum(0.0, log_tail(m, (m + np.abs(gap)) // 2) + LOG2)
    return log_tail(m, (m + gap) // 2 if alternative == "greater" else (m - gap) // 2)


def _p_value(m: int, gap: int, alternative: Alternative) -> PValue:
    log = float(_log_p(np.array([m]), np.array([gap]), alternative)[0])
    p = PValue.from_logs(log, log, method="exact", kernel="binomial")
    return replace(p, test="mcnemar", statistic=float(gap), n=int(m))


def _independent(a: int, b: int, n: int) -> int:
    """How many discordant items to expect when the errors are independent: whole, of the right parity, and possible."""
    expected = (a * (n - b) + b * (n - a)) / n
    m = abs(a - b) + 2 * round((expected - abs(a - b)) / 2)
    return min(m, a + b, 2 * n - a - b)


def _significant(gap: Array, fewest: Array, most: Array, alpha: float, alternative: Alternative) -> int | None:
    """The largest m with p ≤ α over all possible differences; p rises with m where the difference points the right way."""
    lead = {"two-sided": np.abs(gap), "greater": gap, "less": -gap}[alternative]
    good = (lead > 0) & (_log_p(fewest, gap, alternative) <= math.log(alpha))
    if not good.any():
        return None
    gap, low = gap[good], fewest[good]
    high = most[good] + 2
    while (high - low > 2).any():
        middle = low + (high - low) // 4 * 2
        fine = _log_p(middle, gap, alternative) <= math.log(alpha)
        low, high = np.where(fine, middle, low), np.where(fine, high, middle)
    return int(low.max())
