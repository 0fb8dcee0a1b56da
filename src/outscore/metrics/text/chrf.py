"""ChrF (Popović, 2015) and chrF++ (Popović, 2017) as sacreBLEU computes them: three counts for each n-gram order.

With several references a segment counts against the one it scores best with.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.metrics.entry import Options
from outscore.metrics.text import sacre
from outscore.metrics.text.entry import Foreign, Lines, References, TextMetric, columns_first

__all__ = ["ENTRIES", "chrf_of_totals", "library_scorer"]

EPSILON = 1e-16
COUNTS = ("hypothesis", "reference", "matched")


def library_scorer(options: Options) -> Foreign:
    """SacreBLEU's scorer; its options have the same names."""
    return sacre.scorer("CHRF", "chrf", **options)


def _orders(options: Options) -> tuple[int, int]:
    characters, words = options["char_order"], options["word_order"]
    assert isinstance(characters, int)
    assert isinstance(words, int)
    return characters, words


def _rows(hypotheses: Lines, references: References, options: Options, prepared: object = None) -> Array:
    """Hypothesis, reference and matched n-grams of each order.

    sacreBLEU keeps them to itself; this is the only place that reaches for them, and the check against its
    corpus score says when a new version has changed them.
    """
    del prepared
    rows = library_scorer(options)._extract_corpus_statistics(hypotheses, references)  # noqa: SLF001
    return np.array(rows, dtype=np.int64)


def chrf_of_totals(beta: float, *, smoothed: bool) -> Callable[[Array], Array]:
    """ChrF of summed counts, in points of 100.

    (1 + β²)·P·R / (β²·P + R) with precision and recall averaged over the orders that occur on both sides
    (Popović, 2015, section 2); `smoothed` averages the F of each order instead and puts 1e-16 where one is
    undefined, as chrF++.py does.

    Examples
    --------
    >>> chrf_of_totals(2, smoothed=False)(np.array([8, 8, 6, 7, 7, 3])).round(2)
    np.float64(58.93)
    """
    # A closure could not travel to other processes.
    return partial(_chrf, weight=float(beta) ** 2, smoothed=smoothed)


def _chrf(totals: Array, *, weight: float, smoothed: bool) -> Array:
    x = columns_first(totals)
    given, wanted, matched = x[0::3], x[1::3], x[2::3]
    used = (given > 0) & (wanted > 0)
    if not smoothed and used.all():
        # As below, in half the time: sums of a corpus have n-grams of every order, and thousands of them are scored.
        return 100 * _f((matched / given).sum(axis=0) / len(used), (matched / wanted).sum(axis=0) / len(used), weight, 0.0)
    precision = np.where(given > 0, matched / np.where(given > 0, given, 1.0), EPSILON)
    recall = np.where(wanted > 0, matched / np.where(wanted > 0, wanted, 1.0), EPSILON)
    if smoothed:
        return np.asarray(100 * _f(precision, recall, weight, EPSILON).mean(axis=0))
    orders = np.maximum(used.sum(axis=0), 1)
    return 100 * _f(precision.sum(axis=0, where=used) / orders, recall.sum(axis=0, where=used) / orders, weight, 0.0)


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
    beta = options["beta"]
    assert isinstance(beta, int)
    name = "chrf" + "+" * _orders(options)[1]
    function = chrf_of_totals(beta, smoothed=bool(options["eps_smoothing"]))
    return AdditiveMetric(name, _columns(options), function, bounds=(0.0, 100.0))


def _signature(options: Options, references: int) -> str:
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
    """The options of chrF, with words counted up to `words` unless told otherwise."""
    return (
        Option("char_order", int, 6, "longest character n-grams counted", minimum=1),
        Option("word_order", int, words, "longest word n-grams counted; 2 is chrF++", minimum=0),
        Option("beta", int, 2, "weight of recall: 2 counts it twice as much as precision", minimum=1),
        sacre.LOWERCASE,
        Option("whitespace", bool, False, "spaces are characters too"),
        Option("eps_smoothing", bool, False, "smooth as chrF++.py, nltk and Moses do"),
    )


F_SCORE = r"( 1 + β^2 ) \frac{P R}{β^2 P + R}"


def _entry(name: str, summary: str, formula: str, *, words: int, citation: str) -> TextMetric:
    return sacre.corpus_metric(
        name,
        summary,
        formula,
        statistics=_rows,
        make=_make,
        signature=_signature,
        library_scorer=library_scorer,
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
