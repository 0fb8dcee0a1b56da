"""ChrF (Popović, 2015) and chrF++ (Popović, 2017) as sacreBLEU computes them: three counts for each n-gram order.

With several references a segment counts against the one it scores best with.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from functools import partial, reduce

import numpy as np

from outscore.core.metric import AdditiveMetric, moving
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.metrics.entry import Options
from outscore.metrics.text import sacre
from outscore.metrics.text.entry import Foreign, Lines, References, TextMetric, columns_first
from outscore.metrics.text.ngrams import matched_characters, matched_words

EPSILON = 1e-16
PUNCTUATION = frozenset(string.punctuation)
COUNTS = ("hypothesis", "reference", "matched")


def library_scorer(options: Options) -> Foreign:
    """SacreBLEU's scorer; its options have the same names."""
    return sacre.scorer("CHRF", "chrf", **options)


def _orders(options: Options) -> tuple[int, int]:
    characters, words = options["char_order"], options["word_order"]
    assert isinstance(characters, int)
    assert isinstance(words, int)
    return characters, words


def _rows(hypotheses: Lines, references: References, options: Options, _: object = None) -> Array:
    """Hypothesis, reference and matched n-grams of each order, against the reference that a segment scores best with."""
    said, *wanted = (_split(lines, options) for lines in (hypotheses, *references))
    against = np.stack([_counts(said, one, options) for one in wanted])
    # Of equal ones the first, as in sacreBLEU.
    best = _of_totals(options)(against).argmax(axis=0)
    return np.asarray(against[best, np.arange(len(hypotheses))])


Split = tuple[Sequence[str], Sequence[Sequence[str]]]
"""The characters and the words of each line."""


def _split(lines: Lines, options: Options) -> Split:
    if options["lowercase"]:
        lines = [line.lower() for line in lines]
    characters = lines if options["whitespace"] else ["".join(line.split()) for line in lines]
    return characters, [_words(line) if _orders(options)[1] else () for line in lines]


def _words(line: str) -> list[str]:
    """Words between spaces, with one mark split off their end, or else off their beginning, as chrF++.py does.

    Examples
    --------
    >>> _words("He (says): 'a-b', -")
    ['He', '(says)', ':', "'a-b'", ',', '-']
    """
    pieces: list[str] = []
    for word in line.split():
        if len(word) > 1 and word[-1] in PUNCTUATION:
            pieces += word[:-1], word[-1]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            pieces += word[0], word[1:]
        else:
            pieces.append(word)
    return pieces


def _counts(said: Split, wanted: Split, options: Options) -> Array:
    """The three counts of each order, segment by segment, against one reference."""
    (characters, words), (gold_characters, gold_words) = said, wanted
    most_characters, most_words = _orders(options)
    parts = [_triples(characters, gold_characters, matched_characters(characters, [gold_characters], most_characters))]
    if most_words:
        parts.append(_triples(words, gold_words, matched_words(words, [gold_words], most_words)))
    return np.concatenate(parts, axis=1)


def _triples(lines: Sequence[Sequence[str]], gold: Sequence[Sequence[str]], matched: Array) -> Array:
    """N-grams of lines, of their reference and of both; where the reference has none of an order, none are counted."""
    before = np.arange(matched.shape[1])
    given, wanted = (np.maximum(np.array([len(line) for line in text])[:, None] - before, 0) for text in (lines, gold))
    return np.stack([np.where(wanted > 0, given, 0), wanted, matched], axis=-1).reshape(len(lines), -1)


def _of_totals(options: Options) -> Callable[[Array], Array]:
    beta = options["beta"]
    assert isinstance(beta, int)
    # A closure could not travel to other processes.
    return partial(chrf_of_totals, beta=beta, smoothed=bool(options["eps_smoothing"]))


def chrf_of_totals(totals: Array, *, beta: float, smoothed: bool) -> Array:
    """ChrF of summed counts, in points of 100.

    (1 + β²)·P·R / (β²·P + R) with precision and recall averaged over the orders that occur on both sides
    (Popović, 2015, section 2); `smoothed` averages the F of each order instead and puts 1e-16 where one is
    undefined, as chrF++.py does.

    Examples
    --------
    >>> chrf_of_totals(np.array([8, 8, 6, 7, 7, 3]), beta=2, smoothed=False).round(2)
    np.float64(58.93)
    """
    weight = float(beta) ** 2
    x = columns_first(totals)
    given, wanted, matched = x[0::3], x[1::3], x[2::3]
    used = (given > 0) & (wanted > 0)
    if not smoothed and used.all():
        # As below, in half the time: sums of a corpus have n-grams of every order, and thousands of them are scored.
        return 100 * _f(_sum(matched / given) / len(used), _sum(matched / wanted) / len(used), weight, 0.0)
    precision = np.where(given > 0, matched / np.where(given > 0, given, 1.0), EPSILON)
    recall = np.where(wanted > 0, matched / np.where(wanted > 0, wanted, 1.0), EPSILON)
    if smoothed:
        return np.asarray(100 * _sum(_f(precision, recall, weight, EPSILON)) / len(used))
    orders = np.maximum(used.sum(axis=0), 1)
    return 100 * _f(_sum(np.where(used, precision, 0.0)) / orders, _sum(np.where(used, recall, 0.0)) / orders, weight, 0.0)


def _sum(orders: Array) -> Array:
    """Added up one after the other: a score is sacreBLEU's to the last digit, and so is the choice between references."""
    return reduce(np.add, orders)


def _f(precision: Array, recall: Array, weight: float, undefined: float) -> Array:
    """F of precision and recall, β² being the `weight` of recall."""
    bottom = weight * precision + recall
    return np.where(bottom > 0, (1 + weight) * precision * recall / np.where(bottom > 0, bottom, 1.0), undefined)


def _columns(options: Options) -> tuple[str, ...]:
    characters, words = _orders(options)
    kinds = [f"{n}-character" for n in range(1, characters + 1)] + [f"{n}-word" for n in range(1, words + 1)]
    return tuple(f"{kind} {count}" for kind in kinds for count in COUNTS)


def _make(options: Options) -> AdditiveMetric:
    """ChrF as a function of its columns; the entry's name says whether words count."""
    name = "chrf" + "+" * _orders(options)[1]
    columns = _columns(options)
    emptied = moving(columns, dict.fromkeys((*columns[0::3], *columns[2::3])))
    return AdditiveMetric(name, columns, _of_totals(options), bounds=(0.0, 100.0), emptied=emptied)


def _signature(options: Options, references: int | str) -> str:
    characters, words = _orders(options)
    return sacre.signature(
        f"chrF{options['beta']}" + "+" * words,
        references,
        case=sacre.case(lowercase=options["lowercase"]),
        eff=not options["eps_smoothing"],
        nc=characters,
        nw=words,
        space=bool(options["whitespace"]),
    )


def _options(words: int) -> tuple[Option, ...]:
    """The options of chrF, with words counted up to `words` by default."""
    return (
        Option("char_order", int, 6, "longest character n-grams counted", minimum=1),
        Option("word_order", int, words, "longest word n-grams counted; 2 is chrF++", minimum=0),
        Option("beta", int, 2, "weight of recall: 2 counts it twice as much as precision", minimum=1),
        sacre.LOWERCASE,
        Option("whitespace", bool, False, "count spaces as characters"),
        Option("eps_smoothing", bool, False, "smooth like chrF++.py, nltk and Moses"),
    )


F_SCORE = r"( 1 + β^2 ) \frac{P R}{β^2 P + R}"


def _entry(name: str, summary: str, formula: str, *, words: int, citation: str) -> TextMetric:
    return sacre.corpus_metric(
        library_scorer,
        name=name,
        summary=summary,
        formula=formula,
        direction="higher",
        statistics=_rows,
        make=_make,
        signature=_signature,
        options=_options(words),
        citation=citation,
        label=name.replace("f", "F"),
    )


ENTRIES = (
    _entry("chrf", "F-score of character n-grams", F_SCORE, words=0, citation="popovic2015"),
    _entry(
        "chrf++",
        "F-score of character n-grams and of words and word pairs",
        F_SCORE + r" , P , R \text{ over n-grams of characters and of words}",
        words=2,
        citation="popovic2017",
    ),
)
