r"""How many items it takes until a gate decides: whether a candidate is worse, or not worse by more than a margin.

Right-or-wrong items pass by Tango's score (1998) with the discordant items in the same proportion, and not before a loss of the
margin would have shown: outputs that are identical on every item pass from n = log α / log(1 - m) on, 149 for m = .02 and α =
.05. Scores with a known range pass by the rules of `inference.shifted`. Everything else, and every failure, is the question of
how many items a difference as large as the observed one takes (`observed`).

Different items for each system have no such equation here: the interval of level 1 - 2α decides, which holds exactly the
differences that neither one-sided test rejects. With w its half width and d the gap between the lead and what has to be
excluded, half widths shrink like 1/√n, so that items like these decide, with the power asked for, from

    n' = n (k w / d)²,   k = 1 + z_power/z_α

items in all.
"""

from __future__ import annotations

import math

from outscore.inference.base import discordance
from outscore.laws.normal import normal_quantile

MAX_ITEMS = 10**9
"""Nobody collects more items."""


def items_by_width(n: int, gap: float, width: float | None, *, alpha: float, power: float) -> int | None:
    """The fewest items like these whose interval leaves a gap; None where no number of them does, or nothing tells how many.

    Parameters
    ----------
    n
        Items at hand.
    gap
        How far the lead is from what has to be excluded.
    width
        How far the interval of level 1 - 2α reaches beyond the lead on that side; None where it has no end.

    Examples
    --------
    >>> items_by_width(100, 0.04, 0.06, alpha=0.05, power=0.8)
    515
    """
    if gap <= 0 or width is None:
        return None
    ratio = (1 + _z(power) / _z(1 - alpha)) * width / gap
    # A product becomes infinite where a power would be an error.
    return _more_than(n, n * ratio * ratio)


def _more_than(n: int, size: float) -> int | None:
    return max(n + 1, math.ceil(size - 1e-9)) if size <= MAX_ITEMS else None


def _z(share: float) -> float:
    return normal_quantile(share)


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
