"""Evidence that is valid at every look: an e-process over items, and items that arrive one by one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array, first_where
from outscore.core.options import check_level, check_range
from outscore.core.records import Brief, dataclass
from outscore.inference.base.question import Alternative, check_alternative

# Evidence that is valid at every look, item by item, and stays so for those who stop when they like.
#
# An e-process is hardly ever large by chance: P(it ever reaches 1/α) ≤ α where the null hypothesis holds (Ville, 1939). The
# largest value so far, turned over, is therefore a p-value at every look.
#
# *Right or wrong.* Given that an item is discordant, A wins it with probability θ, ½ under H0. The likelihood ratio of T
# wins and U losses against ½, averaged over θ uniform on (0, 1), or on (½, 1) for a one-sided question, is in closed form
#
#     E = 2^m B(T+1, U+1),    E₁ = 2^(m+1) B(T+1, U+1) [1 - I_½(T+1, U+1)],    m = T + U.
#
# *Bounded scores.* Bets on the differences d in [-R, R], at fair odds if their mean is δ (Waudby-Smith and Ramdas, 2024):
#
#     K⁺(δ) = Π (1 + λ_t (d_t - δ)),    K⁻(δ) = Π (1 - λ_t (d_t - δ)),
#
# with stakes λ_t that rest on earlier differences alone. E is the mean of both at δ = 0, or K⁺ for a one-sided question,
# and the confidence sequence holds every δ at which neither has ever reached 2/α.
#
# *Clusters* enter whole: with S the sum of a cluster's differences and n its size, the bet is on S - δ n, which lies
# between -M (R + δ) and M (R - δ) for clusters of M items at most. The e-value of clustered items is that of the bets,
# right or wrong as they may be. p and the sequence are not dual: they come from different bets.
#
# After how many items is it expected to stop, where there is a difference? *Right or wrong.* Only discordant items count,
# and A wins one of them with probability θ = (d + Δ)/(2d), d the rate of discordance and Δ the difference. With T wins
# among m discordant items, evidence has been reached where T ≥ t_m, or on the other side too; t_m grows by one item at the
# most, so that the law of the first such m is a recursion over T. An item is discordant with probability d whatever came
# before: E[items] = E[m]/d (Wald, 1944), and P(stopped after n items) is Σ_m P(stop at m) P(Bin(n, d) ≥ m).
#
# *Bounded scores.* Differences in [-R, R] with the planned mean and spread are drawn from the beta law that has them, and
# the bets are simulated.


TRUNCATED = 0.5
"""A bet never risks more than this share of the capital."""
PRIOR_MEAN, PRIOR_VARIANCE = 0.0, 0.25
"""Before any difference is seen, as if one of this size had been; both in units of the range R, the variance of its square."""
STEPS = 50
PATHS = 1_000
"""Simulated studies."""
MAX_DISCORDANT = 100_000
LEFT = 1e-9
"""The recursion ends where hardly anything is left to stop, and gives up beyond so many discordant items."""
HORIZON = 12
"""Simulated studies go on for so many times the items of the fixed plan."""


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
        return math.exp(min(float(self.log_e[-1]), 700.0)) if len(self.log_e) else 1.0

    @property
    def p(self) -> float:
        """The anytime p-value: the largest e-value turned over."""
        return math.exp(-min(self.log_largest, 700.0))

    @property
    def stops(self) -> int | None:
        """After how many units one could have stopped."""
        return first_crossing(self.log_e, self.alpha)


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
    sums: Array, sizes: Array, bound: float, alpha: float, alternative: Alternative = "two-sided", *, largest: float = 1.0
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


@dataclass(frozen=True, eq=False)
class Stops:
    """The law of the number of items at which evidence is reached.

    Attributes
    ----------
    mean
        The expected number; of simulated studies those that never stopped count with all their items.
    horizon
        The items after which simulated studies ended; None where the law is exact.
    """

    mean: float
    horizon: int | None
    _discordance: float
    _stops: Array
    """P(stop at m), m = 1, 2, … of discordant items; or the items of simulated studies, beyond the horizon where none did."""

    def share(self, n: int) -> float:
        """The probability to have stopped after n items."""
        import scipy.special

        if self.horizon is not None:
            return float((self._stops <= n).mean())
        m = np.arange(1, min(len(self._stops), n) + 1)
        # P(Bin(n, d) ≥ m) is I_d(m, n - m + 1).
        reached = scipy.special.betainc(m, n - m + 1, self._discordance)
        return float((self._stops[: len(m)] * reached).sum())

    def quantile(self, share: float) -> int | None:
        """The items after which so large a share has stopped; None where simulated studies ended before."""
        if self.horizon is not None:
            items = int(np.sort(self._stops)[max(0, math.ceil(share * len(self._stops)) - 1)])
            return items if items <= self.horizon else None
        low, high = 0, 64
        while self.share(high) < share:
            low, high = high, 2 * high
        return first_where(lambda n: not self.share(n) < share, low, high)


def binary_stops(discordance: float, effect: float, alpha: float, alternative: Alternative = "two-sided") -> Stops:
    """The exact law for right-or-wrong items; `effect` is the difference in accuracy, in the direction of the test.

    Examples
    --------
    >>> stops = binary_stops(0.2, 0.1, 0.05)
    >>> round(stops.mean, 1), stops.quantile(0.5), round(stops.share(155), 3)
    (169.4, 145, 0.537)
    """
    theta = (discordance + effect) / (2 * discordance)
    # Wins of A among discordant items, of studies that go on: from `first` up.
    alive, first, needed = np.ones(1), 0, 1
    stops: list[float] = []
    too_long = OutscoreError(
        f"A difference of {effect:g} at a discordance of {discordance:g} takes more items than can be planned.",
        "Plan a larger difference, or leave --anytime out.",
        parameter="effect",
    )
    # An item adds this much to the logarithm of evidence for θ itself, which no other has more of on average.
    gain = sum(p * math.log(2 * p) for p in (theta, 1 - theta) if p > 0)
    if effect <= 0 or -math.log(alpha) > MAX_DISCORDANT * gain:
        raise too_long
    while alive.sum() > LEFT:
        m = len(stops) + 1
        if m > MAX_DISCORDANT:
            raise too_long
        moved = np.zeros(len(alive) + 1)
        moved[1:] = theta * alive
        moved[:-1] += (1 - theta) * alive
        wins = first + np.arange(len(moved))
        needed = _needed(m, needed, alpha, alternative)
        inside = wins < needed
        if alternative == "two-sided":
            inside &= m - wins < needed
        stops.append(float(moved[~inside].sum()))
        kept = np.flatnonzero(inside & (moved > 0))
        if not len(kept):
            break
        # What is left at the ends of the window, a probability below 1e-18, changes nothing.
        first, alive = first + int(kept[0]), moved[kept[0] : kept[-1] + 1]
        start, end = int(np.argmax(alive > 1e-18)), len(alive) - int(np.argmax(alive[::-1] > 1e-18))
        first, alive = first + start, alive[start:end]
    law = np.array(stops)
    mean = float((np.arange(1, len(law) + 1) * law).sum()) / float(law.sum()) / discordance
    return Stops(mean, None, discordance, law)


def _needed(m: int, before: int, alpha: float, alternative: Alternative) -> int:
    """The fewest wins among m discordant items that reach 1/α, m + 1 if none do; at most one more than among m - 1."""
    side: Alternative = "two-sided" if alternative == "two-sided" else "greater"
    wanted = -math.log(alpha) - 1e-12
    needed = min(before, m)
    while needed <= m and float(binary_log_e(np.array([needed]), np.array([m - needed]), side)[0]) < wanted:
        needed += 1
    # Evidence for the other side is none.
    return max(needed, m // 2 + 1)


def bounded_stops(
    effect: float, sd: float, bound: float, n: int, alpha: float, alternative: Alternative = "two-sided", *, seed: int = 0
) -> Stops:
    """Simulated studies of scores that differ by at most `bound`; n is the size of the fixed plan.

    Examples
    --------
    >>> stops = bounded_stops(0.1, 0.3, 1.0, 73, 0.05)
    >>> stops.horizon, stops.share(stops.quantile(0.5)) >= 0.5
    (876, True)
    """
    mean, variance = (effect / bound + 1) / 2, (sd / bound) ** 2 / 4
    room = mean * (1 - mean) / variance - 1 if variance > 0 else 0.0
    if not 0 < mean < 1 or room <= 0:
        raise OutscoreError(
            f"Scores that lie at most {bound:g} apart cannot differ by {effect:g} on average with a spread of {sd:g}.",
            "Give the least and the largest score that an item can have with --bounds.",
            parameter="bounds",
        )
    horizon = HORIZON * n
    side = "greater" if alternative == "less" else alternative
    stream = np.random.Generator(np.random.Philox(key=seed))
    stops = np.empty(PATHS, dtype=np.int64)
    for i in range(PATHS):
        d = bound * (2 * stream.beta(mean * room, (1 - mean) * room, horizon) - 1)
        crossing = first_crossing(betting_evidence(d, np.ones(horizon), bound, alpha, side), alpha)
        stops[i] = horizon + 1 if crossing is None else crossing
    return Stops(float(np.minimum(stops, horizon).mean()), horizon, math.nan, stops)


# Items one by one: the evidence so far, and whether it is enough to stop.


Scores = float | Sequence[float]


class Anytime(Brief):
    """Evidence for a difference between A and B that stays valid however often you look and whenever you stop.

    H0: A and B are equally good: each is equally likely to win a right-or-wrong item on which they differ, and the differences
    of bounded scores have mean 0. Under H0 the e-value reaches 1/α with probability α at most, over all looks together (Ville,
    1939). Items must come in random order, and items that depend on one another (turns of a conversation) must come together,
    as one call of `add`.

    Parameters
    ----------
    alpha
        The level: stop where the e-value reaches 1/alpha.
    alternative
        ``"two-sided"``, ``"greater"`` (A is better) or ``"less"``.
    bounds
        The least and the largest score that an item can have. They must be known beforehand, not taken from the scores.
    binary
        Whether every item is either right (the upper bound) or wrong (the lower one), which allows the more powerful of
        two tests. It must be set before the first item.
    cluster_size
        The most items that one call of `add` brings; 1 where items are independent.
    lower_is_better
        The direction of the scores, for one-sided alternatives.

    Examples
    --------
    >>> watch = Anytime(binary=True)
    >>> for a, b in [(1, 0)] * 8 + [(0, 0), (1, 1)]:
    ...     watch.add(a, b)
    >>> watch.n, round(watch.e_value, 2), round(watch.p, 4), watch.stopped_at
    (10, 28.44, 0.0352, 8)
    """

    def __init__(
        self,
        *,
        alpha: float = 0.05,
        alternative: Alternative = "two-sided",
        bounds: tuple[float, float] = (0.0, 1.0),
        binary: bool = False,
        cluster_size: int = 1,
        lower_is_better: bool = False,
    ) -> None:
        check_level("alpha", alpha)
        check_alternative(alternative)
        low, high = check_range("bounds", bounds)
        if cluster_size < 1:
            raise OutscoreError(f"`cluster_size` is {cluster_size}.", "Give 1 or more.", parameter="cluster_size")
        if binary and cluster_size > 1:
            raise OutscoreError(
                "`binary` needs independent items, and `cluster_size` is more than 1.",
                "Leave `binary` out: the test by betting is valid for clusters.",
                parameter="binary",
            )
        self.alpha = alpha
        self.alternative: Alternative = alternative
        self.bounds = (low, high)
        self.binary = binary
        self.cluster_size = cluster_size
        self.lower_is_better = lower_is_better
        self._sums: list[float] = []
        self._sizes: list[int] = []
        self._looks: Looks | None = None

    def add(self, a: Scores, b: Scores) -> None:
        """One more item: A's score and B's; or several that depend on one another, as two sequences."""
        first, second = (np.atleast_1d(np.asarray(side, dtype=float)) for side in (a, b))
        if first.shape != second.shape or first.ndim != 1 or not len(first):
            raise OutscoreError(
                f"A has {first.size} scores and B has {second.size}.",
                "Give one score of each system for every item.",
                parameter="b",
            )
        if len(first) > self.cluster_size:
            raise OutscoreError(
                f"{len(first)} items were added together, but `cluster_size` is {self.cluster_size}.",
                "Set `cluster_size` to the size of the largest cluster before the first item.",
                parameter="cluster_size",
            )
        self._check(first)
        self._check(second)
        self._sums.append(float((first - second).sum()))
        self._sizes.append(len(first))
        self._looks = None

    def _check(self, scores: Array) -> None:
        low, high = self.bounds
        allowed = (scores == low) | (scores == high) if self.binary else (scores >= low) & (scores <= high)
        if not allowed.all():
            score = float(scores[int(np.argmin(allowed))])
            range_text = f"{low:g} or {high:g} (`binary`)" if self.binary else f"from {low:g} to {high:g} (`bounds`)"
            raise OutscoreError(
                f"A score is {score:g}, but scores must be {range_text}.", "Set `bounds` and `binary` before the first item."
            )

    @property
    def n(self) -> int:
        """Items so far."""
        return sum(self._sizes)

    @property
    def units(self) -> int:
        """Calls of `add` so far: items, or clusters."""
        return len(self._sums)

    @property
    def difference(self) -> float | None:
        """The mean difference A - B so far; None before the first item."""
        return math.fsum(self._sums) / self.n if self._sums else None

    @property
    def looks(self) -> Looks:
        """The evidence after every unit."""
        if self._looks is None:
            self._looks = Looks(self._log_e(), self.alpha)
        return self._looks

    def _log_e(self) -> Array:
        sums, sizes, reach = self._arrays()
        side: Alternative = self.alternative
        if self.lower_is_better and side != "two-sided":
            side = "less" if side == "greater" else "greater"
        if self.binary:
            return binary_evidence(sums, side)
        return betting_evidence(sums, sizes, reach, self.alpha, side, largest=self.cluster_size)

    def _arrays(self) -> tuple[Array, Array, float]:
        return np.array(self._sums), np.array(self._sizes, dtype=float), self.bounds[1] - self.bounds[0]

    @property
    def e_value(self) -> float:
        """The e-value now: the factor by which bets on a difference have grown."""
        return self.looks.e_value

    @property
    def p(self) -> float:
        """The anytime p-value: valid at every look, including the last."""
        return self.looks.p

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence sequence of A - B now."""
        sums, sizes, reach = self._arrays()
        return confidence_sequence(sums, sizes, reach, self.alpha, largest=self.cluster_size)

    @property
    def stopped_at(self) -> int | None:
        """The number of units after which the evidence sufficed to stop; None if not yet."""
        return self.looks.stops

    @property
    def decided(self) -> bool:
        """Whether the evidence is enough to stop: the e-value has reached 1/alpha."""
        return self.stopped_at is not None

    def _brief(self) -> str:
        outcome = f"decided after {self.stopped_at}" if self.decided else "undecided"
        return f"{self.n} items, e {self.e_value:.4g}, {outcome}"
