"""Which words make the difference between two texts: tables of frequencies and of n-grams."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.language.numbers import format_number, format_p_number
from outscore.language.phrases import correction_name, difference_called, legend, sides_called
from outscore.report.document import Table, clean, make_table
from outscore.report.rows.comparison import adjusted, alpha_of
from outscore.results.comparison import Comparisons
from outscore.results.subset import Ngram, WordStudy

__all__ = ["ngram_tables", "word_table"]

PLACES = 4
"""Places of a share that others are compared with."""


def word_table(whole: Comparisons, words: WordStudy) -> Table:
    """Words by how rare they are, with the F1 of both systems."""
    systems = whole.comparisons[0].systems
    called = sides_called(systems)
    rows = [
        (
            bucket.value,
            f"{bucket.words:,}",
            format_number(bucket.a, PLACES),
            format_number(bucket.b, PLACES),
            format_number(bucket.difference, PLACES, sign=True),
            format_p_number(bucket.p, alpha_of(whole)),
            adjusted(bucket.p),
        )
        for bucket in words.buckets
    ]
    meaning = (
        f"{called[0]}, {called[1]}: F1 of words, each found as often as output and reference both have it; p from swaps of"
        " segments"
    )
    by = whole.settings.get("correction", "holm")
    family = f", adj. p over {len(rows)} ranges ({correction_name(str(by))})" if any(row[-1] for row in rows) else ""
    title = f"Words by frequency in {words.counted_in}, {legend(systems)}"
    heads = ["frequency", "words", *called, difference_called(systems), "p", "adj. p"]
    return make_table("words", title, heads, "lrrrrrr", rows, [f"{meaning}{family}."])


def ngram_tables(whole: Comparisons, words: WordStudy) -> list[Table]:
    """N-grams that one system gets right more often than the other."""
    systems = whole.comparisons[0].systems
    found = zip(("a", "b"), systems, (words.ngrams_a, words.ngrams_b), strict=True)
    return [
        _ngrams(f"ngrams-{key}", system, listed, sides_called(systems), several=whole.comparisons[0].runs is not None)
        for key, system, listed in found
    ]


def _ngrams(key: str, system: str, listed: Sequence[Ngram], called: tuple[str, str], *, several: bool) -> Table:
    rows = [(ngram.text, f"{ngram.reference:,}", f"{ngram.a:,}", f"{ngram.b:,}") for ngram in listed]
    meaning = (
        f"Reference: how often it occurs there; {called[0]}, {called[1]}: how often it is found. The clearest first; nothing is"
        " tested here."
    )
    runs = ["Of several runs the first is counted."] if several else []
    title = clean(f"N-grams that {system} gets right more often")
    return make_table(key, title, ["n-gram", "reference", *called], "lrrr", rows, [meaning, *runs])
