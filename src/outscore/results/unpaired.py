"""Two samples of different items: what a comparison says of each, beside the verdict."""

from __future__ import annotations

from dataclasses import dataclass

from outscore.results.interval import Interval
from outscore.results.pvalue import PValue

__all__ = ["Unpaired"]


@dataclass(frozen=True)
class Unpaired:
    """The two samples behind a comparison of different items.

    Attributes
    ----------
    n
        Items of A and of B.
    clusters
        Clusters of A and of B that are exchanged whole; None without clusters.
    sd
        The standard deviation of each system's scores; None of a single item.
    welch, welch_interval
        Welch's test and interval, which allow unequal spreads; None where nothing varies, and of right-or-wrong items.
    level
        About how often divisions would reject two systems of equal means with these sizes and spreads, at the level of the
        comparison; the level itself where sizes or spreads are equal. None where it cannot be told.
    by_likelihood
        Of right-or-wrong items: the two-sided p with tables ordered by their probability, as R's `fisher.test` has it.
    """

    n: tuple[int, int]
    clusters: tuple[int, int] | None
    sd: tuple[float | None, float | None]
    welch: PValue | None = None
    welch_interval: Interval | None = None
    level: float | None = None
    by_likelihood: float | None = None
