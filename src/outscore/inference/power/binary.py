"""Right-or-wrong items: the power of the exact McNemar test, and the p-values two printed accuracies leave possible.

Only discordant items, those one system alone gets right, say anything. Their number M is binomial(n, ψ) with
ψ the discordance rate, and of m discordant items A wins binomial(m, (ψ + δ)/2ψ) when its accuracy is higher
by δ. The exact test rejects when that count lies in a tail of binomial(m, ½), so its power is a sum over m
without any approximation. Everything is summed up from one m to the next, so that a comparison need not wait for scipy.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import LOG2, Array, first_where
from outscore.core.records import dataclass
from outscore.exact.binomial import log_point, log_tail
from outscore.inference.base.question import Alternative
from outscore.laws import log_beta_tails, normal_quantile
from outscore.results.plan import OverlapPoint
from outscore.results.pvalue import PValue

BLOCK = 4096
"""Critical numbers that are found together and kept."""
SLACK = 1 + 1e-12
"""Sums of floats miss a level by so much."""
CURVE = 40
"""Points of a curve of p over overlaps."""
MAX_N = 10**7
"""Beyond this many items exact power takes seconds and differs from the normal formula in the fourth digit."""
NORMAL = "Plan for a larger effect, or use the method normal."
SPREAD = 9.0
"""Numbers of discordant items further than this many standard deviations from their mean are left out (mass below 1e-18)."""
SMOOTH_VARIANCE = 9.0
"""The rejection chance given m is a saw with teeth of about two; from this variance of M on no tooth is left in the average."""
STEPS = 10
"""Points at which a tooth of the saw that power is in n is looked at."""


def mcnemar_power(n: int, effect: float, discordance: float, alpha: float, alternative: Alternative) -> float:
    """Chance that the exact McNemar test rejects; `effect` is the accuracy difference, counted as A better when positive.

    Examples
    --------
    >>> round(mcnemar_power(1000, 0.03, 0.1, 0.05, "two-sided"), 4)
    0.8346
    """
    if n > MAX_N:
        raise OutscoreError(f"Exact power is computed for at most {MAX_N:,} items.", NORMAL)
    if not discordance:
        return 0.0
    low, high = _ends(n, discordance)
    return _average_power(n, discordance, low, _rejects(low, high, effect, discordance, alpha, alternative))


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
        first = _ends(low, discordance)[0]
        rejects = _rejects(first, _ends(high, discordance)[1], effect, discordance, alpha, alternative)

        def enough(n: int, first: int = first, rejects: Array = rejects) -> bool:
            least, most = _ends(n, discordance)
            return _average_power(n, discordance, least, rejects[least - first : most - first + 1]) >= power

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
    return first_where(enough, low, high) - 1


def _scan(enough: Callable[[int], bool], low: int, high: int) -> int:
    """The last n that falls short where power goes up and down."""
    return next((n for n in range(high, low, -1) if not enough(n)), low)


def near(n: int, chance: float) -> Array:
    """The numbers that a binomial of n has, but for a negligible part.

    Examples
    --------
    >>> near(100, 0.0).tolist(), near(3, 0.5).tolist()
    ([0], [0, 1, 2, 3])
    """
    low, high = _ends(n, chance)
    return np.arange(low, (high if 0 < chance < 1 else low) + 1)


def _ends(n: int, chance: float) -> tuple[int, int]:
    mean, spread = n * chance, SPREAD * math.sqrt(n * chance * (1 - chance))
    # A rare event's upper tail is longer than the normal one.
    return max(0, math.floor(mean - spread)), min(n, math.ceil(mean + spread) + 40)


def log_binomial(n: int, k: Array, chance: float) -> Array:
    """log P(Bin(n, chance) = k)."""
    fixed = math.lgamma(n + 1)
    ways = np.array([fixed - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in k.tolist()])
    return np.asarray(ways + times_log(k, chance) + times_log(n - k, 1 - chance))


def times_log(k: Array, chance: float) -> Array:
    """k log(chance), 0 for k = 0 whatever the chance."""
    return np.asarray(k * math.log(chance) if chance > 0 else np.where(k > 0, -math.inf, 0.0))


def last_crossing(enough: Callable[[int], bool], guess: float, least: int, tooth: int) -> int:
    """The fewest items from which on there is power enough, which goes up and down with a period of a tooth."""
    step = max(1, tooth // STEPS)
    n = max(least, math.floor(guess) - 2 * tooth)
    while n > least and enough(n):
        n = max(least, n - 4 * tooth)
    first = None
    while first is None or n < first + 2 * tooth:
        if not enough(n):
            first = None
        elif first is None:
            first = n
        n += step
    while first > least and enough(first - 1):
        first -= 1
    return first


def _average_power(n: int, discordance: float, low: int, rejects: Array) -> float:
    """Σ P(M = m) · P(reject | m) over m = low, low + 1, …, which hold all but a negligible part of the mass."""
    if discordance >= 1:
        return float(rejects[-1])
    m = np.arange(low, low + len(rejects) - 1)
    log_mass = np.concatenate([[0.0], np.cumsum(np.log((n - m) / (m + 1)))])
    log_mass += math.log(discordance / (1 - discordance)) * np.arange(len(rejects))
    mass = np.exp(log_mass - log_mass.max())
    return float(min(1.0, (mass @ rejects) / mass.sum()))


def _rejects(low: int, high: int, effect: float, discordance: float, alpha: float, alternative: Alternative) -> Array:
    """P(reject | m discordant items) for m = low, …, high."""
    critical = _critical(low, high, alpha / 2 if alternative == "two-sided" else alpha)
    wins = (discordance + effect) / (2 * discordance)
    upper, lower = _tails(low, critical, wins), _tails(low, critical, 1 - wins)
    return {"two-sided": upper + lower, "greater": upper, "less": lower}[alternative]


def _critical(low: int, high: int, side: float) -> Array:
    """The smallest k with P(Bin(m, ½) ≥ k) ≤ side, for m = low, …, high; m + 1 where not even m wins out of m are enough."""
    blocks = [_critical_block(block, side) for block in range(low // BLOCK, high // BLOCK + 1)]
    start = low // BLOCK * BLOCK
    return np.concatenate(blocks)[low - start : high - start + 1]


@functools.lru_cache(maxsize=1024)
def _critical_block(block: int, side: float) -> Array:
    """BLOCK of the critical numbers: the normal law's, which are off by one or two, and as many steps to the right ones."""
    low = block * BLOCK
    m = np.arange(low, low + BLOCK)
    k = np.clip(np.ceil((m + 1) / 2 - normal_quantile(side) * np.sqrt(m) / 2).astype(np.int64), 1, m + 1)
    while True:
        # Both the numbers sought and those at hand stay or grow by one from m to m + 1, and so do those after a step.
        above, below = _along(low, k, 0.5, log_point(low, int(k[0]) - 1))
        steps = (above > side * SLACK).astype(np.int64) - ((k > 1) & (above + below <= side * SLACK))
        if not steps.any():
            return k
        k += steps


def _tails(low: int, critical: Array, chance: float) -> Array:
    """P(Bin(m, chance) ≥ k) for m = low, low + 1, … and their critical k."""
    m = np.arange(low, low + len(critical))
    if chance <= 0 or chance >= 1:
        return np.where(critical <= (m if chance >= 1 else 0), 1.0, 0.0)
    first = int(critical[0])
    log_start = math.lgamma(low + 1) - math.lgamma(first) - math.lgamma(low - first + 2)
    log_start += (first - 1) * math.log(chance) + (low - first + 1) * math.log1p(-chance)
    return _along(low, critical, chance, log_start)[0]


def _along(low: int, critical: Array, chance: float, log_start: float) -> tuple[Array, Array]:
    """P(Bin(m, chance) ≥ k) and P(Bin(m, chance) = k - 1) for m = low, low + 1, … and a k that stays or grows by one.

    From one m to the next by single points; `log_start` is the logarithm of the first.
    """
    m, k, jumps = np.arange(low, low + len(critical) - 1), critical[:-1], np.diff(critical) > 0
    odds = chance / (1 - chance)
    # log P(Bin(m, chance) = k - 1) along the way; a k larger by one moves to the next point.
    steps = np.log((1 - chance) * (m + 1) / (m + 2 - k)) + np.where(jumps, np.log((m + 2 - k) / k * odds), 0.0)
    points = np.exp(log_start + np.concatenate([[0.0], np.cumsum(steps)]))
    rise = chance * points[:-1] - np.where(jumps, points[1:], 0.0)
    first = int(critical[0])
    start = 0.0 if first > low else math.exp(log_beta_tails(first, low - first + 1, chance)[0])
    return np.clip(start + np.concatenate([[0.0], np.cumsum(rise)]), 0.0, 1.0), points


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
    # Items to differ on when the errors are independent: whole and of the right parity.
    expected = abs(a - b) + 2 * round(((a * (n - b) + b * (n - a)) / n - abs(a - b)) / 2)
    return Overlaps(
        lowest=_p_value(m[low], d[low], alternative),
        highest=_p_value(m[high], d[high], alternative),
        discordant=(int(m[low]), int(m[high])),
        independent=_p_value(min(expected, a + b, 2 * n - a - b), a - b, alternative),
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
    return PValue.from_logs(log, log, method="exact", kernel="binomial", test="mcnemar", statistic=float(gap), n=int(m))


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
