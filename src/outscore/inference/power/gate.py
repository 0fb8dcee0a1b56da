r"""How many items it takes until a gate decides: whether a candidate is worse, or not worse by more than a margin.

Right-or-wrong items pass by Tango's score (1998) with the discordant items in the same proportion, and not before a loss of the
margin would have shown: outputs that are identical on every item pass from n = log α / log(1 - m) on, 149 for m = .02 and α =
.05. They fail by the exact test of discordant items, and from as many of them as a plan asks for. Scores with a known range
pass by the rules of `inference.shifted`.

Everywhere else the interval of level 1 - 2α decides, which holds exactly the differences that neither one-sided test rejects.
With w its half width and d the gap between the lead and what has to be excluded, half widths shrink like 1/√n, so that items
like these decide, with the power asked for, from

    n' = n (k w / d)²,   k = 1 + z_power/z_α

items in all. Where there are so few units that the interval has no end, they are those that a plan asks for: flips of signs
with the spread of these.
"""

from __future__ import annotations

import math
from dataclasses import replace

from outscore.core.errors import OutscoreError
from outscore.inference.base import discordance
from outscore.inference.power.design import study_of
from outscore.laws.normal import normal_quantile
from outscore.results.plan import StudyDesign

__all__ = ["MAX_ITEMS", "items_by_discordance", "items_by_tango", "items_by_width"]

MAX_ITEMS = 10**9
"""Nobody collects more items."""
EXACT_ITEMS = 10**6
"""Beyond this many right-or-wrong items exact power takes a second, and the formula of a plan has the same first digits."""


def items_by_width(
    n: int,
    gap: float,
    width: float | None,
    *,
    alpha: float,
    power: float,
    units: int | None = None,
    sd: float | None = None,
) -> int | None:
    """The fewest items like these whose interval leaves a gap; None where no number of them does, or nothing tells how many.

    Parameters
    ----------
    n
        Items at hand.
    gap
        How far the lead is from what has to be excluded.
    width
        How far the interval of level 1 - 2α reaches beyond the lead on that side; None where it has no end.
    units, sd
        For an interval without an end: items or clusters whose signs are flipped, and the sd of their differences.

    Examples
    --------
    >>> items_by_width(100, 0.04, 0.06, alpha=0.05, power=0.8)
    515
    >>> items_by_width(4, 0.6, None, alpha=0.05, power=0.8, units=4, sd=0.1)
    5
    """
    if gap <= 0:
        return None
    if width is not None:
        ratio = _stretch(alpha, power) * width / gap
        # A product becomes infinite where a power would be an error.
        size = n * ratio * ratio
    elif units is not None and sd is not None:
        size = _by_flips(gap, sd, alpha, power) * n / units
    else:
        return None
    return _more_than(n, size)


def items_by_discordance(n: int, wins: float, losses: float, *, alpha: float, power: float) -> int | None:
    """Items of which the exact test of discordant ones says that the candidate loses more of them.

    Examples
    --------
    >>> items_by_discordance(40, 4, 10, alpha=0.05, power=0.8)
    103
    """
    if wins >= losses:
        return None
    effect, discordant = (losses - wins) / n, (losses + wins) / n
    design = StudyDesign(None, discordant, alpha=alpha, alternative="greater", method="normal")
    size = _planned(design, effect, power)
    return _more_than(n, size if size > EXACT_ITEMS else _planned(replace(design, method="exact"), effect, power))


def _more_than(n: int, size: float) -> int | None:
    return max(n + 1, math.ceil(size - 1e-9)) if size <= MAX_ITEMS else None


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


def items_by_tango(n: int, wins: float, losses: float, margin: float, alpha: float, power: float) -> int | None:
    """Right-or-wrong items like these that show a loss below the margin: by Tango's z, and enough for an unseen one to show.

    Examples
    --------
    >>> items_by_tango(100, 0, 0, 0.02, 0.05, 0.8), items_by_tango(40, 4, 10, 0.05, 0.05, 0.8)
    (149, None)
    """
    if (wins - losses) / n + margin <= 0:
        return None
    # What never varies is the same in every sample, and needs no room for chance.
    wanted = _z(1 - alpha) + (_z(power) if wins + losses else 0.0)

    def decides(size: float) -> bool:
        share = size / n
        return float(discordance.tango_score(size, wins * share, losses * share, -margin, discordance.NUMBERS)) >= wanted

    low, high = 0.0, float(n)
    while not decides(high):
        low, high = high, 2 * high
        if high > MAX_ITEMS:
            return None
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    unseen = math.log(alpha) / math.log1p(-margin)
    return _more_than(n, max(high, unseen))
