"""Descriptions of the data around a test: plain frozen records that survive a JSON round trip.

They describe the data before any test, suitable tests, effect sizes and the data of the charts, thinned out once so
that no report needs the items. Values that are undefined for the data, such as the spread of a single item, are None.
"""

from __future__ import annotations

import math
from dataclasses import field
from typing import Literal

import msgspec

from outscore.core.records import dataclass
from outscore.results.pvalue import PValue

DATASET = "dataset"
"""The column of subsets that are datasets."""


def lag1_bound(n: int) -> float:
    """Three standard errors: the lag-1 autocorrelation of n independent values lies above this about one time in a thousand.

    Examples
    --------
    >>> lag1_bound(400)
    0.15
    """
    return 3 / math.sqrt(n)


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
    """A test, and why it is in its group.

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
        Tests that suit data and claim best.
    usable
        Tests that may be used.
    unsuited
        Tests that do not suit the data or the claim.
    """

    # Not a test class, although its name looks like one to pytest.
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
        γ of the differences (m₃/m₂^1.5) and what to call it; None if all differences are the same.
    normality, normality_reason
        The test of normality, None if there is nothing to test, and what it says in a sentence.
    statistic, statistic_reason
        The mean or the median as the typical difference, and why; None if the metric has no item scores.
    zero_share
        Share of items on which both systems score the same.
    correlation
        Of the two systems' scores over items; None if one of them never varies.
    pairing_gain
        Standard error without pairing divided by that with pairing: 2 means that pairing halves it, below 1 that it hurts.
    lag1
        Autocorrelation of neighbouring differences, in file order (of the mean differences of clusters if there are clusters).
    lag1_n
        How many neighbours that is computed from: items before they are shuffled, or clusters; None in older files.
    warnings
        What to check before believing any p-value.
    tests
        The tests, by how well they suit the claim.
    nlpstattest
        The tests in the groups of NLPStatTest's published table; empty if the table does not cover the data.
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
    lag1_n: int | None = None


@dataclass(frozen=True)
class Effect:
    """An effect size with its confidence interval.

    Attributes
    ----------
    name
        Which one.
    value
        The effect size; None if it is undefined or infinite for these data.
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
    """The data in units of one size.

    Attributes
    ----------
    size
        Items in a unit.
    units, remainder
        The number of units, and items left over.
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
class EvaluationUnit:
    """Several items that were compared as one.

    Attributes
    ----------
    name
        What the unit is called.
    a, b
        Both systems' scores on it.
    difference
        The difference A - B.
    items
        The names of its items.
    """

    name: str
    a: float
    b: float
    difference: float
    items: list[str]


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
        The 95% Monte-Carlo band of a simulated point.
    """

    n: int
    power: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Power:
    """What a comparison could detect.

    If the differences do not vary, there is nothing to compute: None, and no curve.

    Attributes
    ----------
    detectable_effect
        How far from the tested difference a true one has to be for this many items to detect it with power .8; None if they
        detect none.
    curve
        The power at the observed difference, for fewer and for more items.
    jackknife
        Whether the spread is that of the units' contributions, because the metric has no score for each item.
    needed
        If nothing was decided: the items, or clusters, that detect a true difference as large as the observed one with power
        .8. None if no number of them does, and in results of version 0.1.0.
    delta
        The tested difference.
    """

    detectable_effect: float | None
    curve: list[PowerPoint]
    jackknife: bool = False
    needed: int | None = None
    delta: float = 0.0


@dataclass(frozen=True)
class Directions:
    """The smallest difference that is detected, if the other system is better and if it is worse.

    Attributes
    ----------
    better, worse
        The size of the difference; None if no such system can be told apart, or if the test does not look for it.
    """

    better: float | None = None
    worse: float | None = None


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
        The width of a bar; 0 in files of version 0.1.0, which have a sampled curve instead.
    centre
        The tested difference, about which the distribution is symmetric.
    drawn
        How many swaps were drawn; 0 if the distribution is exact, None if unknown.
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
        The range of the middle half of them.
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
        The band, which is simultaneous for all k.
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
    """The data of the charts.

    Attributes
    ----------
    histograms
        Of ``"a"``, ``"b"`` and ``"difference"``.
    null
        The null distribution; None if the test has none to show.
    sizes, sizes_test
        p-values on random subsets of the units, and their test.
    quantiles
        The quantiles of a normal distribution paired with those of the differences.
    alone
        Whether the metric is not a mean of item scores: then A and B are scored on each unit alone, and a difference is what
        a unit contributes to the whole (jackknife).
    runs
        The difference over the number of runs, for right-or-wrong runs; None without them.
    """

    histograms: dict[str, Histogram]
    null: NullHistogram | None = None
    sizes: list[SizePoint] = field(default_factory=list)
    quantiles: list[tuple[float, float]] = field(default_factory=list)
    sizes_test: str = ""
    alone: bool = False
    runs: RunsCurve | None = None


class Subset(msgspec.Struct, frozen=True):
    """A part of the data: the rows where a column has one value.

    Attributes
    ----------
    column
        The column.
    value
        Its value on these rows.
    """

    column: str
    value: str


class ScoredSubset(Subset, frozen=True):
    """Two systems on a part of the data.

    Attributes
    ----------
    column, value
        The rows where the column has this value.
    n
        The number of rows.
    first, second
        Both systems' scores there.
    difference
        For a comparison first - second, which are A and B; for a diff second - first.
    low, high
        The interval of the difference; None is unbounded or unknown.
    p
        Its p-value, corrected over the values of the column; None if there are fewer units than the minimum support.
    """

    n: int
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    p: PValue | None


class Bucket(ScoredSubset, frozen=True, rename={"first": "a", "second": "b"}):
    """The same comparison on some of the segments. In JSON the scores are called "a" and "b".

    Attributes
    ----------
    column, value, n, first, second, difference, low, high, p
        As in `ScoredSubset`; every bucket is tested.
    """

    p: PValue


@dataclass(frozen=True)
class WordBucket:
    """How well both systems do on the words in one range of frequencies.

    Attributes
    ----------
    value
        The range: "1", "5-9".
    words
        How many words of the references are in it.
    a, b
        Both systems' F1: a word counts as found as often as output and reference both have it.
    difference
        The difference A - B.
    p
        Its p-value, from swaps of segments, corrected over the ranges.
    """

    value: str
    words: int
    a: float
    b: float
    difference: float
    p: PValue


@dataclass(frozen=True)
class Ngram:
    """A sequence of words that one system gets right more often.

    Attributes
    ----------
    text
        The words.
    reference
        How often the references have them.
    a, b
        How often each system has them where the references do.
    """

    text: str
    reference: int
    a: int
    b: int


@dataclass(frozen=True)
class WordStudy:
    """What explains a difference between texts.

    Attributes
    ----------
    counted_in
        Where frequencies were counted: "the reference", or a file.
    buckets
        Words by their frequency, the rarest first.
    ngrams_a, ngrams_b
        N-grams that A, and that B, gets right more often, the strongest evidence first.
    """

    counted_in: str
    buckets: list[WordBucket] = field(default_factory=list)
    ngrams_a: list[Ngram] = field(default_factory=list)
    ngrams_b: list[Ngram] = field(default_factory=list)
