"""What the data look like around a test: plain frozen records that survive a JSON round trip.

They say what was seen before any test and what suits it, how large effects are, and what the charts draw, thinned out once so
that no report needs the items. What is undefined for the data at hand, such as the spread of a single item, is None.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import Literal

from outscore.core.records import dataclass

__all__ = [
    "Advice",
    "Analysis",
    "ChartData",
    "Effect",
    "Histogram",
    "Normality",
    "NullHistogram",
    "Power",
    "PowerPoint",
    "RunsCurve",
    "RunsPoint",
    "SizePoint",
    "Summary",
    "TestAdvice",
    "UnitRow",
    "lag1_bound",
]


def lag1_bound(n: int) -> float:
    """The autocorrelation within which neighbours of n independent ones stay nineteen times out of twenty.

    Examples
    --------
    >>> lag1_bound(400)
    0.1
    """
    return 2 / math.sqrt(n)


@dataclass(frozen=True)
class Summary:
    """Items in numbers.

    Attributes
    ----------
    n
        Items.
    mean, median
        Their mean and median.
    sd
        The standard deviation, which divides by n - 1; None for one item.
    min, max
        The smallest and the largest.
    q1, q3
        The quartiles, interpolated linearly.
    """

    n: int
    mean: float
    median: float
    sd: float | None
    min: float
    max: float
    q1: float
    q3: float


@dataclass(frozen=True)
class Normality:
    """A test of "the differences come from a normal distribution".

    Attributes
    ----------
    test
        Its name.
    p
        Its p-value.
    """

    test: Literal["Shapiro-Wilk", "D'Agostino-Pearson"]
    p: float


@dataclass(frozen=True)
class Advice:
    """A test, and why it stands where it does.

    Attributes
    ----------
    test
        Its name.
    why
        The reason in one sentence.
    """

    test: str
    why: str


@dataclass(frozen=True)
class TestAdvice:
    """All tests in three groups.

    Attributes
    ----------
    recommended
        Those that suit data and claim best.
    usable
        Those that may be used.
    unsuited
        Those that do not suit.
    """

    # Not a test class, whatever its name says to pytest.
    __test__ = False

    recommended: list[Advice] = field(default_factory=list)
    usable: list[Advice] = field(default_factory=list)
    unsuited: list[Advice] = field(default_factory=list)


@dataclass(frozen=True)
class Analysis:
    """The data before any test.

    Attributes
    ----------
    systems
        Summaries of ``"a"``, ``"b"`` and ``"difference"``; empty for a metric that is not a mean of item scores.
    skewness, skewness_band
        γ of the differences (m₃/m₂^1.5) and what to call it; None where all differences are the same.
    normality, normality_reason
        The test of normality, None where there is nothing to test, and what it says in a sentence.
    statistic, statistic_reason
        The mean or the median as the typical difference, and why; None where the metric has no item scores.
    zero_share
        Share of items on which both systems score the same.
    correlation
        Of the two systems' scores over items; None where one of them never varies.
    pairing_gain
        Standard error without pairing over the one with it: 2 means that pairing halves it, below 1 that it costs.
    lag1
        Autocorrelation of neighbouring differences, in file order (of clusters' mean differences where there are clusters).
    warnings
        What the reader should look at before believing any p-value.
    tests
        The tests by what they say about the claim at hand.
    nlpstattest
        The tests as the published table of NLPStatTest groups them; empty where it has nothing to go by.
    """

    systems: dict[str, Summary]
    skewness: float | None
    skewness_band: str | None
    normality: Normality | None
    normality_reason: str
    statistic: Literal["mean", "median"] | None
    statistic_reason: str
    zero_share: float | None
    correlation: float | None
    pairing_gain: float | None
    lag1: float | None
    warnings: list[str]
    tests: TestAdvice
    nlpstattest: TestAdvice


@dataclass(frozen=True)
class Effect:
    """An effect size with its confidence interval.

    Attributes
    ----------
    name
        Which one.
    value
        None is undefined or infinite for these data.
    low, high
        The interval; None is unbounded or unknown.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Histogram:
    """Counts between neighbouring edges.

    Attributes
    ----------
    edges
        One more than counts.
    counts
        Items between each edge and the next.
    """

    edges: list[float]
    counts: list[int]


@dataclass(frozen=True)
class UnitRow:
    """What units of one size do to the data.

    Attributes
    ----------
    size
        Items in a unit.
    units, remainder
        Units that this makes, and items left over.
    sd, d_z
        The spread of the units' differences, and the standardised difference.
    p
        The permutation p-value.
    """

    size: int
    units: int
    remainder: int
    sd: float | None
    d_z: float | None
    p: float


@dataclass(frozen=True)
class PowerPoint:
    """Power at one number of items.

    Attributes
    ----------
    n
        Items.
    power
        The power.
    low, high
        The 95 % Monte-Carlo band of a simulated point.
    """

    n: int
    power: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Power:
    """What a comparison says about its own reach.

    Items that do not differ in spread leave nothing to compute: None, and no curve.

    Attributes
    ----------
    detectable_effect
        The smallest difference that so many items find with power .8.
    curve
        The power at the observed difference, below and beyond the observed n.
    jackknife
        Whether the spread is that of the units' contributions to the metric, which has no score of each item.
    """

    detectable_effect: float | None
    curve: list[PowerPoint]
    jackknife: bool = False


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
