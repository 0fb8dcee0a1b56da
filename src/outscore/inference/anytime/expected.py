r"""After how many items evidence that is valid at every look is expected to stop, where there is a difference.

*Right or wrong.* Only discordant items count, and A wins one of them with probability θ = (d + Δ)/(2d), d the rate of
discordance and Δ the difference. With T wins among m discordant items, evidence has been reached where T ≥ t_m, or on the other
side too; t_m grows by one item at the most, so that the law of the first such m is a recursion over T. An item is discordant
with probability d whatever came before: E[items] = E[m]/d (Wald, 1944), and P(stopped after n items) is
Σ_m P(stop at m) P(Bin(n, d) ≥ m).

*Bounded scores.* Differences in [-R, R] with the planned mean and spread are drawn from the beta law that has them, and the
bets of `process` are simulated.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.inference.anytime.process import Alternative, betting_evidence, binary_log_e, first_crossing

__all__ = ["PATHS", "Stops", "binary_stops", "bounded_stops"]

PATHS = 1_000
"""Simulated studies."""
MAX_DISCORDANT = 100_000
LEFT = 1e-9
"""The recursion ends where hardly anything is left to stop, and gives up beyond so many discordant items."""
HORIZON = 12
"""Simulated studies go on for so many times the items of the fixed plan."""


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
            found = int(np.sort(self._stops)[max(0, math.ceil(share * len(self._stops)) - 1)])
            return found if found <= self.horizon else None
        low, high = 0, 64
        while self.share(high) < share:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.share(middle) < share else (low, middle)
        return high


def binary_stops(discordance: float, effect: float, alpha: float, alternative: Alternative = "two-sided") -> Stops:
    """The exact law for right-or-wrong items; `effect` is the difference in accuracy, in the direction of the test.

    Examples
    --------
    >>> found = binary_stops(0.2, 0.1, 0.05)
    >>> round(found.mean, 1), found.quantile(0.5), round(found.share(155), 3)
    (169.4, 145, 0.537)
    """
    theta = (discordance + effect) / (2 * discordance)
    # Wins of A among discordant items, of studies that go on: from `first` up.
    alive, first, needed = np.ones(1), 0, 1
    stops: list[float] = []
    too_long = OutscoreError(
        f"A difference of {effect:g} at a discordance of {discordance:g} takes more looks than can be planned.",
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
    """The fewest wins among m discordant items that reach 1/α, m + 1 where none do; at the most one more than among m - 1."""
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
    """Simulated studies of scores that differ by `bound` at the most; n is the size of the fixed plan.

    Examples
    --------
    >>> found = bounded_stops(0.1, 0.3, 1.0, 73, 0.05)
    >>> found.horizon, found.share(found.quantile(0.5)) >= 0.5
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
        found = first_crossing(betting_evidence(d, np.ones(horizon), bound, alpha, side), alpha)
        stops[i] = horizon + 1 if found is None else found
    return Stops(float(np.minimum(stops, horizon).mean()), horizon, math.nan, stops)
