"""What the charts of a comparison draw: thinned out once, so that no report needs the items."""

from __future__ import annotations

from dataclasses import field

from outscore.core.records import dataclass
from outscore.results.analysis import Histogram

__all__ = ["ChartData", "NullHistogram", "RunsCurve", "RunsPoint", "SizePoint"]


@dataclass(frozen=True)
class NullHistogram:
    """The null distribution of the difference, in bars.

    Attributes
    ----------
    x, density
        The middles of the bars, and the density there.
    observed
        The observed difference.
    width
        The width of a bar; 0 in files of version 0.1.0, whose law is a sampled curve.
    centre
        The tested difference, which the law is symmetric about.
    drawn
        How many swaps were drawn; 0 where the law is exact, None where nobody said.
    """

    x: list[float]
    density: list[float]
    observed: float
    width: float = 0.0
    centre: float = 0.0
    drawn: int | None = None


@dataclass(frozen=True)
class SizePoint:
    """p-values on random subsets of one size.

    Attributes
    ----------
    n
        Units in each subset.
    p
        The median of the p-values.
    low, high
        The range that holds the middle half of them.
    """

    n: int
    p: float
    low: float
    high: float


@dataclass(frozen=True)
class RunsPoint:
    """The difference in pass@k, or pass^k, at one k.

    Attributes
    ----------
    k
        How many runs.
    difference
        A - B.
    low, high
        The band, which holds the differences at all k at once.
    """

    k: int
    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class RunsCurve:
    """The difference over the number of runs.

    Attributes
    ----------
    score
        ``"pass@"`` or ``"pass^"``.
    points
        One for each number of runs.
    level
        The confidence level of the band.
    """

    score: str
    points: list[RunsPoint]
    level: float


@dataclass(frozen=True)
class ChartData:
    """What the charts draw.

    Attributes
    ----------
    histograms
        Of ``"a"``, ``"b"`` and ``"difference"``.
    null
        The null distribution; None where the test has none to show.
    sizes, sizes_test
        p-values on random subsets of the units, and the test they are of.
    quantiles
        The quantiles of a normal distribution paired with those of the differences.
    alone
        Whether the metric is no mean of item scores: then A and B are scored on each unit alone, and a difference is what
        a unit contributes to the whole (jackknife).
    runs
        The difference over the number of runs, of right-or-wrong runs; None without them.
    """

    histograms: dict[str, Histogram]
    null: NullHistogram | None = None
    sizes: list[SizePoint] = field(default_factory=list)
    quantiles: list[tuple[float, float]] = field(default_factory=list)
    sizes_test: str = ""
    alone: bool = False
    runs: RunsCurve | None = None
