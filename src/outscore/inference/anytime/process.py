r"""Evidence that is valid at every look, item by item, and stays so for those who stop when they like.

An e-process is hardly ever large by chance: P(it ever reaches 1/α) ≤ α where the null hypothesis holds (Ville, 1939). The
largest value so far, turned over, is therefore a p-value at every look.

*Right or wrong.* Given that an item is discordant, A wins it with probability θ, ½ under H0. The likelihood ratio of T wins and
U losses against ½, averaged over θ uniform on (0, 1), or on (½, 1) for a one-sided question, is in closed form

    E = 2^m B(T+1, U+1),    E₁ = 2^(m+1) B(T+1, U+1) [1 - I_½(T+1, U+1)],    m = T + U.

*Bounded scores.* Bets on the differences d in [-R, R], at fair odds if their mean is δ (Waudby-Smith and Ramdas, 2024):

    K⁺(δ) = Π (1 + λ_t (d_t - δ)),    K⁻(δ) = Π (1 - λ_t (d_t - δ)),

with stakes λ_t that rest on earlier differences alone. E is the mean of both at δ = 0, or K⁺ for a one-sided question, and the
confidence sequence holds every δ at which neither has ever reached 2/α.

*Clusters* enter whole: with S the sum of a cluster's differences and n its size, the bet is on S - δ n, which lies between
-M (R + δ) and M (R - δ) for clusters of M items at most. The e-value of clustered items is that of the bets, right or wrong as
they may be. p and the sequence are not dual: they come from different bets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass

__all__ = [
    "Looks",
    "betting_evidence",
    "binary_evidence",
    "binary_log_e",
    "confidence_sequence",
    "first_crossing",
    "log_capital",
    "stakes_of",
]

Alternative = Literal["two-sided", "greater", "less"]
TRUNCATED = 0.5
"""A bet never risks more than this share of the capital."""
PRIOR_MEAN, PRIOR_VARIANCE = 0.0, 0.25
"""Before any difference is seen, as if one of this size had been; both in units of the range R, the variance of its square."""
STEPS = 50


@dataclass(frozen=True, eq=False)
class Looks:
    """Evidence after every unit: log e-values, one for each, before any maximum is taken.

    `stops` is the number of units after which it first reached 1/α; None if it never did.
    """

    log_e: Array
    alpha: float

    @property
    def log_largest(self) -> float:
        """log of the largest e-value so far; 0 before the first unit."""
        return max(0.0, float(self.log_e.max(initial=0.0)))

    @property
    def e_value(self) -> float:
        """The e-value of the last look."""
        return _exp(float(self.log_e[-1]) if len(self.log_e) else 0.0)

    @property
    def p(self) -> float:
        """The anytime p-value: the largest e-value turned over."""
        return math.exp(-min(self.log_largest, 700.0))

    @property
    def stops(self) -> int | None:
        """After how many units one could have stopped."""
        return first_crossing(self.log_e, self.alpha)


def _exp(x: float) -> float:
    return math.exp(min(x, 700.0))


def first_crossing(log_e: Array, alpha: float) -> int | None:
    """The number of units after which 1/α was first reached; None if it never was.

    Examples
    --------
    >>> first_crossing(np.log([1.0, 4.0, 25.0, 3.0]), 0.05)
    3
    """
    crossed = np.flatnonzero(log_e >= -math.log(alpha) - 1e-12)
    return int(crossed[0]) + 1 if len(crossed) else None


def binary_evidence(d: Array, alternative: Alternative = "two-sided") -> Array:
    """log e after every right-or-wrong item; d is positive where A alone is right, negative where B is.

    Examples
    --------
    >>> np.exp(binary_evidence(np.array([1, 0, 1, 1, 1, 1]))).round(4).tolist()  # 2⁵ B(6, 1) = 32/6
    [1.0, 1.0, 1.3333, 2.0, 3.2, 5.3333]
    """
    return binary_log_e(np.cumsum(d > 0), np.cumsum(d < 0), alternative)


def binary_log_e(wins: Array, losses: Array, alternative: Alternative = "two-sided") -> Array:
    """log e of so many discordant items that A won and lost.

    Examples
    --------
    >>> np.exp(binary_log_e(np.array([5]), np.array([0]), "greater")).round(4).tolist()  # 2⁶ B(6, 1) (1 - 2⁻⁶)
    [10.5]
    """
    import scipy.special

    wins, losses = wins.astype(float), losses.astype(float)
    if alternative == "less":
        wins, losses = losses, wins
    m = wins + losses
    log_e = m * math.log(2) + scipy.special.betaln(wins + 1, losses + 1)
    if alternative != "two-sided":
        # 1 - I_½(T+1, U+1), the posterior chance of θ > ½, by its complement so that small ones keep their digits.
        share = scipy.special.betainc(losses + 1, wins + 1, 0.5)
        log_e = log_e + math.log(2) + np.log(np.maximum(share, 1e-300))
    return np.asarray(log_e)


def stakes_of(sums: Array, bound: float, alpha: float) -> Array:
    """Predictable stakes, in units of 1/(M R): from the spread of earlier payoffs, shrinking as looks at all times ask for.

    λ_t = √(2 log(2/α) / (v_{t-1} t log(1 + t))), v the mean square of what was seen, with one look before the first.
    """
    scaled = sums / bound
    count = np.arange(1, len(scaled) + 1)
    earlier_sum = np.concatenate([[PRIOR_MEAN], PRIOR_MEAN + np.cumsum(scaled)])
    means = earlier_sum[1:] / (count + 1)
    squares = np.concatenate([[PRIOR_VARIANCE], PRIOR_VARIANCE + np.cumsum((scaled - means) ** 2)])
    variance = squares[:-1] / count
    return np.asarray(np.sqrt(2 * math.log(2 / alpha) / (variance * count * np.log1p(count))))


def log_capital(sums: Array, sizes: Array, bound: float, largest: float, stakes: Array, delta: float, sign: float) -> Array:
    """log of the capital after every bet on S - δ n being positive (sign 1) or negative (sign -1), at these stakes."""
    payoff = sign * (sums - delta * sizes) / (largest * bound)
    # The most that can be lost: of bets on more, where S = -R n, and of bets on less, where S = R n.
    worst = 1 + sign * delta / bound
    limit = TRUNCATED / worst if worst > 0 else math.inf
    return np.asarray(np.cumsum(np.log1p(np.minimum(stakes, limit) * payoff)))


def betting_evidence(
    sums: Array,
    sizes: Array,
    bound: float,
    alpha: float,
    alternative: Alternative = "two-sided",
    *,
    largest: float = 1.0,
) -> Array:
    """log e after every unit, from bets on differences in [-bound, bound]: sums of them, and how many each unit has.

    `largest` is the most that a unit can have.

    Examples
    --------
    >>> d = np.array([0.4, 0.5, 0.3, 0.6] * 10)
    >>> float(np.exp(betting_evidence(d, np.ones(40), 1.0, 0.05)[-1])) > 100
    True
    """
    stakes = stakes_of(sums, bound * largest, alpha)
    up, down = (log_capital(sums, sizes, bound, largest, stakes, 0.0, sign) for sign in (1.0, -1.0))
    if alternative == "greater":
        return up
    if alternative == "less":
        return down
    return np.asarray(np.logaddexp(up, down) - math.log(2))


def confidence_sequence(sums: Array, sizes: Array, bound: float, alpha: float, *, largest: float = 1.0) -> tuple[float, float]:
    """The differences that no bet has ever refuted: valid at every look together, with probability 1 - α.

    Examples
    --------
    >>> d = np.array([0.4, 0.5, 0.3, 0.6] * 50)
    >>> low, high = confidence_sequence(d, np.ones(200), 1.0, 0.05)
    >>> 0.3 < low < 0.45 < high < 0.6
    True
    """
    if not len(sums):
        return -bound, bound
    stakes = stakes_of(sums, bound * largest, alpha)
    wanted = math.log(2 / alpha)

    def refuted(delta: float, sign: float) -> bool:
        return bool(log_capital(sums, sizes, bound, largest, stakes, delta, sign).max() >= wanted)

    # Between the ends lies what was observed; the refuted differences are an interval on each side.
    middle = float(sums.sum() / sizes.sum())
    return _edge(-bound, middle, lambda delta: refuted(delta, 1.0)), _edge(bound, middle, lambda delta: refuted(delta, -1.0))


def _edge(out: float, middle: float, refuted: Callable[[float], bool]) -> float:
    """The last difference from the outside that is refuted; the end of the range where none is."""
    if not refuted(out):
        return out
    low, high = out, middle
    if refuted(high):
        return middle
    for _ in range(STEPS):
        half = (low + high) / 2
        low, high = (half, high) if refuted(half) else (low, half)
    return low
