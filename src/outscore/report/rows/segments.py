"""The segments, questions and words that made the difference.

Segments show the reference and both outputs below each other, with marked words; items of logs show the question, the
expected answer and both systems' answers; words and n-grams are tables of frequencies.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from outscore.language.numbers import decimals_for, format_number
from outscore.language.phrases import correction_name, difference_called, legend, sides_called
from outscore.report.document import Example, Examples, Table, Words, clean
from outscore.report.rows.columns import Column, number, tabulate, words
from outscore.report.rows.comparison import alpha_of, favour_lines, p_columns
from outscore.results.analysis import Ngram, WordBucket, WordStudy
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.design import DecidingItem, Segment

# Chinese and Japanese are written without spaces, so each of their characters is a word; so is each punctuation mark.
SINGLE = "\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff65!-/:-@\\[-`{-~\u2010-\u2027\u00ab\u00bb\u00bf\u00a1"
WORD = re.compile(rf"(?:[{SINGLE}]|[^\s{SINGLE}]+)\s*")
LONG = 1500
"""Outputs of more words are compared less finely: the time grows with the square of their length."""
BEFORE = 5
"""How many words an excerpt shows before the first difference."""
MAX_BRIEF, MAX_SHOWN = 3, 10
SHORT = 40
"""How many words of an output a brief report shows; the verbose text and the page have all of them."""
EMPTY: Words = (("(empty)", False),)
TITLE = "Questions that made the difference"
SHORT_TEXT, LONG_TEXT = 40, 2_000
"""How many words of a text are shown, briefly and in full: prompts may be books."""
PLACES = 4
"""Decimals of shares that are compared with each other."""


def marked_words(references: Sequence[str], a: str, b: str) -> tuple[Words, Words]:
    """The words of both outputs, marked where they do not line up with the nearest reference.

    Examples
    --------
    >>> a, b = marked_words(["the cat sat"], "the dog sat", "the cat sat")
    >>> a
    (('the ', False), ('dog ', True), ('sat', False))
    >>> [word for word, marked in b if marked]
    []
    """
    return _marked(references, a), _marked(references, b)


def _marked(references: Sequence[str], output: str) -> Words:
    words = WORD.findall(" ".join(output.split()))
    bare = [word.strip() for word in words]
    # `autojunk` matches frequent words only beside rarer ones. That misses some, and is worth it only where time would be felt.
    junk = len(bare) > LONG
    matchers = [SequenceMatcher(None, _bare_words(reference), bare, autojunk=junk) for reference in references]
    nearest = max(matchers, key=lambda matcher: matcher.ratio())
    matching = {i for block in nearest.get_matching_blocks() for i in range(block.b, block.b + block.size)}
    return tuple((word, i not in matching) for i, word in enumerate(words))


def _bare_words(text: str) -> list[str]:
    return [word.strip() for word in WORD.findall(text)]


def plain_words(text: str) -> Words:
    """A text as words without a mark."""
    return tuple((word, False) for word in WORD.findall(" ".join(text.split())))


def window(a: Words, b: Words, size: int) -> slice:
    """Where to look in two long outputs: `size` words from shortly before their first difference.

    Examples
    --------
    >>> a, b = plain_words("one two three four five six seven"), plain_words("one two three four five six eight")
    >>> window(a, b, 4), window(a, b, 9)
    (slice(1, 5, None), slice(0, 9, None))
    """
    if max(len(a), len(b)) <= size:
        return slice(0, size)
    same = next((i for i, (left, right) in enumerate(zip(a, b, strict=False)) if left != right), min(len(a), len(b)))
    start = max(same - BEFORE, 0)
    return slice(start, start + size)


def cut(words: Words, part: slice) -> Words:
    """The words of a window, with dots where some were left out."""
    kept = words[part]
    before = (("… ", False),) if part.start > 0 and words else ()
    if part.stop >= len(words):
        return (*before, *kept)
    gap = " " if kept and kept[-1][0] == kept[-1][0].rstrip() else ""
    return (*before, *kept, (f"{gap}…", False))


def segments(c: Comparison, most: int, *, whole: bool = True) -> Examples:
    """At most `most` segments, the winner's first; without `whole`, long texts are cut around the first difference."""
    # The largest influence has two digits, and the others as many decimals.
    decimals = max(decimals_for(*(s.influence for s in c.segments)) - 2, 0)
    several = "" if c.runs is None else " Only the first of several runs is shown."
    return Examples(
        segments_title(c),
        tuple(Example(_title(c, s, decimals), _texts(c, s, whole=whole)) for s in c.segments[:most]),
        f"{{marked}} do not line up with the reference.{several}",
        " ".join(favour_lines(c)),
    )


def segments_title(c: Comparison) -> str:
    """What the listing shows."""
    return f"Segments that moved {clean(c.metric)} most"


def _title(c: Comparison, segment: Segment, decimals: int) -> str:
    favoured = c.systems[(segment.influence > 0) != c.higher_is_better]
    size = format_number(abs(segment.influence), decimals)
    # Not "favours": a good output can pull the difference the other way, if its lead is smaller than on other segments.
    return clean(f"{segment.item} moves {c.metric} by {size} towards {favoured}")


def _texts(c: Comparison, segment: Segment, *, whole: bool) -> tuple[tuple[str, Words], ...]:
    a, b = marked_words(segment.references, segment.a, segment.b)
    part = slice(0, None) if whole else window(a, b, SHORT)
    several = len(segment.references) > 1
    lines = [(f"reference {i}" if several else "reference", plain_words(text)) for i, text in enumerate(segment.references, 1)]
    lines += [(clean(c.systems[0]), a), (clean(c.systems[1]), b)]
    source = [] if segment.source is None else [("source", _beginning(plain_words(segment.source), whole=whole) or EMPTY)]
    return (*source, *((label, (words if whole else cut(words, part)) or EMPTY) for label, words in lines))


def _beginning(words: Words, *, whole: bool) -> Words:
    """A source, cut at the end: its words do not line up with those of the outputs."""
    return words if whole else cut(words, slice(0, SHORT))


def questions(c: Comparison, most: int, *, whole: bool = False) -> Examples | None:
    """At most `most` items with their texts, cut unless `whole`, the winner's first; None where the input has no texts."""
    items = _with_texts(c)
    if not items:
        return None
    decimals = decimals_for(*(x for item in items.values() for x in (item.a, item.b)))
    note = "Only the first of several runs of an item is shown." if c.design.repeats > 1 else ""
    shown = list(items.items())[:most]
    return Examples(
        TITLE, tuple(_example(c, i, item, decimals, whole=whole) for i, item in shown), note, " ".join(favour_lines(c))
    )


def question_links(c: Comparison, most: int) -> dict[int, str]:
    """The keys of at most `most` items with texts, by their place among all deciding items."""
    return {i: _key(i) for i in list(_with_texts(c))[:most]}


def _with_texts(c: Comparison) -> dict[int, DecidingItem]:
    """The items that have texts, by their place."""
    return {i: item for i, item in enumerate(c.deciding_items) if item.answers is not None or item.question is not None}


def _key(place: int) -> str:
    return f"question-{place + 1}"


def _example(c: Comparison, place: int, item: DecidingItem, decimals: int, *, whole: bool) -> Example:
    scores = f"{c.systems[0]} {format_number(item.a, decimals)}, {c.systems[1]} {format_number(item.b, decimals)}"
    answers = item.answers or (None, None)
    texts = (("question", item.question), ("expected", item.target), *zip(c.systems, answers, strict=True))
    shown = tuple((clean(label), _words(text, whole=whole)) for label, text in texts if text is not None)
    return Example(clean(f"{item.item}: {scores}"), shown, _key(place))


def _words(text: str, *, whole: bool) -> Words:
    return cut(plain_words(clean(text)), slice(0, LONG_TEXT if whole else SHORT_TEXT)) or (("(empty)", False),)


def word_table(whole: Comparisons, study: WordStudy) -> Table:
    """Words by how rare they are, with the F1 of both systems."""
    systems = whole.comparisons[0].systems
    sides = sides_called(systems)
    columns: list[Column[WordBucket]] = [
        words("frequency", lambda bucket: bucket.value),
        Column("words", lambda bucket: bucket.words),
        Column(sides[0], lambda bucket: bucket.a, number(PLACES)),
        Column(sides[1], lambda bucket: bucket.b, number(PLACES)),
        Column(difference_called(systems), lambda bucket: bucket.difference, number(PLACES, sign=True)),
        *p_columns(alpha_of(whole), "adj. p", lambda bucket: bucket.p),
    ]
    meaning = (
        f"{sides[0]}, {sides[1]}: F1 of words, each counted as often as output and reference both have it; p from swapping"
        " segments"
    )
    by, corrected = whole.settings.get("correction", "holm"), any(bucket.p.adjusted is not None for bucket in study.buckets)
    family = f", adj. p over {len(study.buckets)} ranges ({correction_name(str(by))})" if corrected else ""
    title = f"Words by frequency in {study.counted_in}, {legend(systems)}"
    return tabulate("words", title, columns, study.buckets, [f"{meaning}{family}."])


def ngram_tables(whole: Comparisons, study: WordStudy) -> list[Table]:
    """N-grams that one system gets right more often than the other."""
    systems = whole.comparisons[0].systems
    sides = zip(("a", "b"), systems, (study.ngrams_a, study.ngrams_b), strict=True)
    return [
        _ngrams(f"ngrams-{key}", system, listed, sides_called(systems), several=whole.comparisons[0].runs is not None)
        for key, system, listed in sides
    ]


def _ngrams(key: str, system: str, listed: Sequence[Ngram], sides: tuple[str, str], *, several: bool) -> Table:
    columns: list[Column[Ngram]] = [
        words("n-gram", lambda ngram: ngram.text),
        Column("reference", lambda ngram: ngram.reference),
        Column(sides[0], lambda ngram: ngram.a),
        Column(sides[1], lambda ngram: ngram.b),
    ]
    meaning = (
        f"Reference: how often it occurs there; {sides[0]}, {sides[1]}: how often it is found. The clearest differences first;"
        " nothing is tested here."
    )
    runs = "Only the first of several runs is counted." if several else ""
    return tabulate(key, f"N-grams that {system} gets right more often", columns, listed, [meaning, runs])
