"""What explains a difference between texts: words by how rare they are, and n-grams that one system gets right more often."""

from __future__ import annotations

from dataclasses import dataclass, field

from outscore.results.pvalue import PValue

__all__ = ["Ngram", "WordBucket", "WordStudy"]


@dataclass(frozen=True)
class WordBucket:
    """How well both systems get the words of one range of frequencies.

    Attributes
    ----------
    value
        The range: "1", "5-9".
    words
        How many words of the references are in it.
    a, b
        Both systems' F1: a word is found as often as output and reference both have it.
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
    """Words in a row that one system gets right more often.

    Attributes
    ----------
    text
        The words.
    reference
        How often the references have them.
    a, b
        How often both have them where the references do.
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
        N-grams that A, and that B, gets right more often: the strongest evidence first.
    """

    counted_in: str
    buckets: list[WordBucket] = field(default_factory=list)
    ngrams_a: list[Ngram] = field(default_factory=list)
    ngrams_b: list[Ngram] = field(default_factory=list)
