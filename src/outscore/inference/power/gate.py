r"""How many items it takes until a gate decides: whether a candidate is worse, or not worse by more than a margin.

With Δ the candidate's lead, m the margin and w the half width of the interval of level 1 - 2α, which holds exactly the
differences that neither one-sided test rejects, a test set of n items decides where Δ - w > -m (pass) or Δ + w < 0 (fail). Half
widths shrink like 1/√n, so that items like these decide, with the power asked for, from

    n' = n (k w / d)²,   d = Δ + m or -Δ,   k = 1 + z_power/z_α

items in all. Right-or-wrong items follow Tango's score (1998) with the discordant items in the same proportion, which is
another law where hardly any item is discordant: outputs that are identical on every item pass from n = z_α² (1 - m)/m on, 133
for m = .02.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from outscore.inference.base import tango

__all__ = ["Outlook", "items_to_decide"]

MAX_ITEMS = 10**9
"""Nobody collects more items."""


@dataclass(frozen=True)
class Outlook:
    """How many items in all would decide, if the others are like these, and how."""

    items: int
    outcome: Literal["pass", "fail"]


def items_to_decide(
    n: int,
    lead: float,
    margin: float,
    *,
    alpha: float,
    power: float,
    below: float | None = None,
    above: float | None = None,
    wins: float | None = None,
    losses: float = 0.0,
    unit: float = 1.0,
) -> Outlook | None:
    """The fewest items like these that decide; None where no number of them would.

    Parameters
    ----------
    n
        Items at hand.
    lead, margin
        The candidate's lead, negative where it is behind, and how far behind it may be.
    below, above
        How far the interval of level 1 - 2α reaches below the lead and above it; None where it has no end.
    wins, losses, unit
        Of right-or-wrong items: how many the candidate alone and the baseline alone got right, and what one is worth.

    Examples
    --------
    >>> items_to_decide(100, 0.0, 0.02, alpha=0.05, power=0.8, wins=0, losses=0)
    Outlook(items=133, outcome='pass')
    >>> items_to_decide(100, -0.01, 0.05, alpha=0.05, power=0.8, below=0.06, above=0.06)
    Outlook(items=515, outcome='pass')
    """
    found = []
    for outcome, gap, reach in (("pass", lead + margin, below), ("fail", -lead, above)):
        if gap <= 0:
            continue
        if wins is not None:
            size = _by_tango(n, wins, losses, margin / unit if outcome == "pass" else 0.0, outcome, alpha, power)
        elif reach is None:
            continue
        else:
            ratio = _stretch(alpha, power) * reach / gap
            # A product becomes infinite where a power would be an error.
            size = n * ratio * ratio
        if size <= MAX_ITEMS:
            found.append(Outlook(max(n + 1, math.ceil(size - 1e-9)), "pass" if outcome == "pass" else "fail"))
    return min(found, key=lambda one: one.items, default=None)


def _z(share: float) -> float:
    import scipy.special

    return float(scipy.special.ndtri(share))


def _stretch(alpha: float, power: float) -> float:
    return 1 + _z(power) / _z(1 - alpha)


def _by_tango(n: int, wins: float, losses: float, margin: float, outcome: str, alpha: float, power: float) -> float:
    """n' at which Tango's z of the same proportions reaches its critical value, and the power's part above it."""
    # What never varies is the same in every sample, and needs no room for chance.
    wanted = _z(1 - alpha) + (_z(power) if wins + losses else 0.0)

    def decides(size: float) -> bool:
        share = size / n
        z = float(tango.score(size, wins * share, losses * share, -margin, tango.NUMBERS))
        return (z if outcome == "pass" else -z) >= wanted

    low, high = 0.0, float(n)
    while not decides(high):
        low, high = high, 2 * high
        if high > MAX_ITEMS:
            return math.inf
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high
