r"""How many items it takes until a gate decides: whether a candidate is worse, or not worse by more than a margin.

With Δ the candidate's lead, m the margin and w the half width of the interval of level 1 - 2α, which holds exactly the
differences that neither one-sided test rejects, a test set of n items decides where Δ - w > -m (pass) or Δ + w < 0 (fail). Half
widths shrink like 1/√n, so that items like these decide, with the power asked for, from

    n' = n (k w / d)²,   d = Δ + m or -Δ,   k = 1 + z_power/z_α

items in all. Where there are so few units that the interval has no end, they are those that a plan asks for: flips of signs
with the spread of these. Right-or-wrong items pass by Tango's score (1998) with the discordant items in the same proportion,
which is another law where hardly any item is discordant: outputs that are identical on every item pass from n = z_α² (1 - m)/m
on, 133 for m = .02. They fail by the exact test of discordant items, and from as many of them as a plan asks for.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.inference.base import discordance
from outscore.inference.power.design import study_of
from outscore.laws.normal import normal_quantile
from outscore.results.plan import StudyDesign

__all__ = ["Outlook", "items_to_decide"]

MAX_ITEMS = 10**9
"""Nobody collects more items."""
EXACT_ITEMS = 10**6
"""Beyond this many right-or-wrong items exact power takes a second, and the formula of a plan has the same first digits."""


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
    units: int | None = None,
    sd: float | None = None,
    wins: float | None = None,
    losses: float = 0.0,
    unit: float = 1.0,
) -> Outlook | None:
    """The fewest items like these that decide; None where no number of them would, or nothing tells how many.

    Parameters
    ----------
    n
        Items at hand.
    lead, margin
        The candidate's lead, negative where it is behind, and how far behind it may be.
    below, above
        How far the interval of level 1 - 2α reaches below the lead and above it; None where it has no end.
    units, sd
        Items or clusters whose signs are flipped, and the standard deviation of their differences, for a side without an end.
    wins, losses, unit
        For right-or-wrong items: how many the candidate alone and the baseline alone got right, and what one is worth.

    Examples
    --------
    >>> items_to_decide(100, 0.0, 0.02, alpha=0.05, power=0.8, wins=0, losses=0)
    Outlook(items=133, outcome='pass')
    >>> items_to_decide(100, -0.01, 0.05, alpha=0.05, power=0.8, below=0.06, above=0.06)
    Outlook(items=515, outcome='pass')
    >>> items_to_decide(4, -0.6, 0.1, alpha=0.05, power=0.8, units=4, sd=0.1)
    Outlook(items=5, outcome='fail')
    >>> items_to_decide(40, -0.15, 0.05, alpha=0.05, power=0.8, wins=4, losses=10)
    Outlook(items=103, outcome='fail')
    """
    outlooks = []
    for outcome, gap, reach in (("pass", lead + margin, below), ("fail", -lead, above)):
        if gap <= 0:
            continue
        if wins is not None:
            if outcome == "pass":
                size = _by_tango(n, wins, losses, margin / unit, alpha, power)
            else:
                size = _by_discordant_items(n, wins, losses, alpha, power)
        elif reach is None:
            if units is None or sd is None:
                continue
            size = _by_flips(gap, sd, alpha, power) * n / units
        else:
            ratio = _stretch(alpha, power) * reach / gap
            # A product becomes infinite where a power would be an error.
            size = n * ratio * ratio
        if size <= MAX_ITEMS:
            outlooks.append(Outlook(max(n + 1, math.ceil(size - 1e-9)), "pass" if outcome == "pass" else "fail"))
    return min(outlooks, key=lambda outlook: outlook.items, default=None)


def _z(share: float) -> float:
    return normal_quantile(share)


def _stretch(alpha: float, power: float) -> float:
    return 1 + _z(power) / _z(1 - alpha)


def _planned(design: StudyDesign, effect: float, power: float) -> float:
    """What a plan asks for; infinite where that is more than it counts."""
    try:
        return study_of(design).sample_size(effect, power)
    except OutscoreError:
        return math.inf


def _by_flips(gap: float, sd: float, alpha: float, power: float) -> float:
    """Units whose flipped signs show a gap."""
    design = StudyDesign(sd or None, alpha=alpha, alternative="greater", method="permutation")
    # What never varies is found as soon as anything can be.
    return _planned(design, gap, power) if sd else design.min_units


def _by_discordant_items(n: int, wins: float, losses: float, alpha: float, power: float) -> float:
    """Items of which the exact test of discordant ones says that the candidate loses more of them."""
    effect, discordance = (losses - wins) / n, (losses + wins) / n
    design = StudyDesign(None, discordance, alpha=alpha, alternative="greater", method="normal")
    size = _planned(design, effect, power)
    return size if size > EXACT_ITEMS else _planned(replace(design, method="exact"), effect, power)


def _by_tango(n: int, wins: float, losses: float, margin: float, alpha: float, power: float) -> float:
    """n' at which Tango's z of the same proportions reaches its critical value, and the power's part above it."""
    # What never varies is the same in every sample, and needs no room for chance.
    wanted = _z(1 - alpha) + (_z(power) if wins + losses else 0.0)

    def decides(size: float) -> bool:
        share = size / n
        return float(discordance.tango_score(size, wins * share, losses * share, -margin, discordance.NUMBERS)) >= wanted

    low, high = 0.0, float(n)
    while not decides(high):
        low, high = high, 2 * high
        if high > MAX_ITEMS:
            return math.inf
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return high
