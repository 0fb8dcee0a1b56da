"""Parts of the data: slices of items, buckets of segments, the units of one label, and the words that explain a difference."""

from __future__ import annotations

from dataclasses import field

import msgspec

from outscore.core.records import dataclass
from outscore.results.pvalue import PValue

DATASET = "dataset"
"""The column of subsets that are datasets."""


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
