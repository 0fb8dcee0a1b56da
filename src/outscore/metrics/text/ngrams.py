"""Which words and n-grams of the references an output has: of all segments at once, and one by one for any metric."""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache, reduce
from typing import TypeVar

import numpy as np

from outscore.core.numeric import Array
from outscore.metrics.text.entry import Lines, References
from outscore.results.analysis import Ngram

# Which n-grams of a text its references have, for all segments at once.


def matched_words(
    hypotheses: Sequence[Sequence[Hashable]], references: Sequence[Sequence[Sequence[Hashable]]], order: int
) -> Array:
    """N-grams of each segment that a reference has, by n: each at most as often as the reference that has most of it.

    Papineni et al. (2002), section 2.1.

    Examples
    --------
    >>> matched_words(["the the cat".split()], [["the cat".split()], ["a cat".split()]], 2)
    array([[2, 1]])
    """
    lines = [*hypotheses, *(line for lines in references for line in lines)]
    numbers: dict[Hashable, int] = {}
    words = np.array([numbers.setdefault(word, len(numbers)) for line in lines for word in line], dtype=np.int64)
    return _matched(words, np.array([len(line) for line in lines]), len(hypotheses), order)


def matched_characters(hypotheses: Sequence[str], references: Sequence[Sequence[str]], order: int) -> Array:
    """The same of characters.

    Examples
    --------
    >>> matched_characters(["abba", "x"], [["abb", "y"]], 3)
    array([[3, 2, 1],
           [0, 0, 0]])
    """
    lines = [*hypotheses, *(line for lines in references for line in lines)]
    # Four bytes each, whatever the character.
    characters = np.frombuffer("".join(lines).encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)
    return _matched(characters, np.array([len(line) for line in lines]), len(hypotheses), order)


def _matched(words: Array, lengths: Array, segments: int, order: int) -> Array:
    """Matches of words that are whole numbers, line after line: the hypotheses of all segments, then a reference of each, ….

    A word becomes the number of its kind, a kind being a word of one segment. An n-gram is a pair of an (n - 1)-gram and the
    word after it, and pairs are numbered by kinds in turn. An n-gram matches only where the (n - 1)-gram that it begins with
    does, so the others are left out.
    """
    texts = len(lengths) // segments
    ends = lengths.cumsum().repeat(lengths)
    text, segment = np.divmod(np.arange(len(lengths)).repeat(lengths), segments)
    words = _kinds(segment * (words.max(initial=0) + 1) + words)
    starts, kinds = np.arange(len(words)), words
    matched = np.zeros((segments, order), dtype=np.int64)
    for n in range(1, order + 1):
        if n > 1:
            fits = starts + n <= ends[starts]
            starts = starts[fits]
            kinds = _kinds(kinds[fits] * len(words) + words[starts + n - 1])
        if not len(starts):
            break
        size = int(kinds.max()) + 1
        counts = np.bincount(text[starts] * size + kinds, minlength=texts * size).reshape(texts, size)
        matches = np.minimum(counts[0], counts[1:].max(axis=0))
        where = np.zeros(size, dtype=np.int64)
        where[kinds] = segment[starts]
        matched[:, n - 1] = np.bincount(where, weights=matches, minlength=segments)
        met = matches[kinds] > 0
        starts, kinds = starts[met], kinds[met]
    return matched


def _kinds(codes: Array) -> Array:
    """Codes numbered from 0 without gaps."""
    return np.unique(codes, return_inverse=True)[1]


# Which words and n-grams of the references an output has: the counts behind a score, for any metric.
#
# A word, or an n-gram, is found in a segment as often as the output and a reference both have it, as in BLEU; of several
# references the one that has it most often counts.


BANDS = (0, 1, 2, 3, 4, 5, 10, 100, 1000)
"""The lowest frequency of each range."""
LONGEST = 4
"""Words of the longest n-grams."""
SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
"""Characters of writing that puts no spaces between words: Thai, Lao, Burmese, Khmer, kana, Han."""
Words = tuple[str, ...]
Key = TypeVar("Key", str, Words)


@cache
def _word() -> re.Pattern[str]:
    # Compiled when words are looked for: that takes longer than to read a corpus.
    return re.compile(rf"{SPACELESS.pattern}|(?:(?!{SPACELESS.pattern})\w)+|[^\w\s]")


def words_of(line: str) -> list[str]:
    """Runs of letters and digits, every other mark on its own, and each character of writing without spaces.

    Examples
    --------
    >>> words_of("It's 2 a.m., 猫が来た")
    ['It', "'", 's', '2', 'a', '.', 'm', '.', ',', '猫', 'が', '来', 'た']
    """
    return _word().findall(line)


def band_of(number: int, bands: Sequence[int] = BANDS) -> int:
    """The range that a number lies in.

    Examples
    --------
    >>> [band_name(band_of(times)) for times in (0, 1, 7, 5000)]
    ['0', '1', '5-9', '1000 and more']
    """
    return int(np.searchsorted(bands, number, side="right")) - 1


def band_name(band: int, bands: Sequence[int] = BANDS) -> str:
    """What a range is called."""
    low = bands[band]
    if band + 1 == len(bands):
        return f"{low} and more"
    high = bands[band + 1] - 1
    return str(low) if low == high else f"{low}-{high}"


def count_words(lines: Iterable[str]) -> Counter[str]:
    """How often each word occurs."""
    return Counter(word for line in lines for word in words_of(line))


def frequency_rows(hypotheses: Lines, references: References, frequencies: Mapping[str, int]) -> Array:
    """(segments, ranges of frequency, 3): words found, words that should not be there, and words that are missing.

    Examples
    --------
    >>> rows = frequency_rows(["the cat"], [["the mat"]], {"the": 7, "mat": 1})
    >>> {band_name(band): row for band, row in enumerate(rows[0].tolist()) if any(row)}
    {'0': [0, 1, 0], '1': [0, 0, 1], '5-9': [1, 0, 0]}
    """
    rows = np.zeros((len(hypotheses), len(BANDS), 3), dtype=np.int64)
    bands: dict[str, int] = {}
    for i, (hypothesis, *golds) in enumerate(zip(hypotheses, *references, strict=True)):
        mine, gold = Counter(words_of(hypothesis)), most_of(Counter(words_of(line)) for line in golds)
        for word in mine.keys() | gold.keys():
            if word not in bands:
                bands[word] = band_of(frequencies.get(word, 0))
            matched = min(mine[word], gold[word])
            rows[i, bands[word]] += (matched, mine[word] - matched, gold[word] - matched)
    return rows


def most_of(counts: Iterable[Counter[Key]]) -> Counter[Key]:
    """Each as often as the one that has it most often."""
    return reduce(operator.or_, counts)


def better_ngrams(a: Lines, b: Lines, references: References, *, most: int) -> tuple[list[Ngram], list[Ngram]]:
    """So many n-grams that A gets right more often than B, and so many of B.

    The strongest evidence comes first: the probability that coins would favour one system so much, where segments differ. An
    n-gram within a longer one of the same counts is left out.

    Examples
    --------
    >>> for_a, for_b = better_ngrams(["a red cat sat"], ["a red dog sat"], [["a red cat sat"]], most=3)
    >>> [(ngram.text, ngram.a, ngram.b) for ngram in for_a], for_b
    ([('a red cat sat', 1, 0)], [])
    """
    counts: dict[Words, list[int]] = {}
    for first, second, *golds in zip(a, b, *references, strict=True):
        gold = most_of(count_ngrams(words_of(line)) for line in golds)
        if not gold:
            continue
        mine, other = count_ngrams(words_of(first)), count_ngrams(words_of(second))
        for ngram, times in gold.items():
            x, y = min(mine[ngram], times), min(other[ngram], times)
            tally = counts.setdefault(ngram, [0, 0, 0, 0, 0])
            for place, value in enumerate((times, x, y, max(x - y, 0), max(y - x, 0))):
                tally[place] += value
    sides = []
    for sign in (1, -1):
        ahead = {ngram: tally for ngram, tally in counts.items() if sign * (tally[1] - tally[2]) > 0}
        ordered = sorted(ahead, key=lambda ngram: (_log_p(*ahead[ngram][3:]), -len(ngram), ngram))
        sides.append(_without_parts(ordered, ahead, most))
    return sides[0], sides[1]


def count_ngrams(words: Sequence[str], longest: int = LONGEST) -> Counter[Words]:
    """How often each n-gram of up to so many words occurs."""
    return Counter(tuple(words[i : i + n]) for n in range(1, longest + 1) for i in range(len(words) - n + 1))


def _log_p(wins: int, losses: int) -> float:
    """log P(one side has at least so many of all by fair coins)."""
    n, k = wins + losses, max(wins, losses)
    terms = [math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in range(k, n + 1)]
    largest = max(terms)
    return largest + math.log(sum(math.exp(term - largest) for term in terms)) - n * math.log(2)


def _without_parts(ordered: Sequence[Words], counts: Mapping[Words, Sequence[int]], most: int) -> list[Ngram]:
    """The first n-grams of an order, without those that lie in a longer one of the same counts."""
    within: set[tuple[Words, int, int]] = set()
    for ngram, (_, x, y, *_) in counts.items():
        if len(ngram) > 1:
            within |= {(part, x, y) for part in (ngram[1:], ngram[:-1])}
    kept = [ngram for ngram in ordered if (ngram, counts[ngram][1], counts[ngram][2]) not in within]
    return [Ngram(" ".join(ngram), *counts[ngram][:3]) for ngram in kept[:most]]
