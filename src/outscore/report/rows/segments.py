"""The segments that made the difference: reference and both outputs one under the other, with marked words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from outscore.language.numbers import decimals_for, format_number
from outscore.report.document import Example, Examples, Words, clean
from outscore.results.comparison import Comparison
from outscore.results.design import Segment

__all__ = ["MAX_BRIEF", "MAX_SHOWN", "cut", "marked_words", "plain_words", "segments", "segments_title", "window"]

# Chinese and Japanese are written without spaces, so each of their characters is a word; so is each punctuation mark.
SINGLE = "\u3001-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff65!-/:-@\\[-`{-~\u2010-\u2027\u00ab\u00bb\u00bf\u00a1"
WORD = re.compile(rf"(?:[{SINGLE}]|[^\s{SINGLE}]+)\s*")
LONG = 1500
"""Outputs of more words are compared less finely: the time grows with the square of their length."""
BEFORE = 5
"""So many words stand before the first difference in an excerpt."""
MAX_BRIEF, MAX_SHOWN = 3, 10
SHORT = 40
"""So many words of an output are shown where only few segments are; the whole is in the verbose text and on the page."""
EMPTY: Words = (("(empty)", False),)


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
    found = {i for block in nearest.get_matching_blocks() for i in range(block.b, block.b + block.size)}
    return tuple((word, i not in found) for i, word in enumerate(words))


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
    same = next((i for i, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), min(len(a), len(b)))
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
    """So many segments, the strongest first; without `whole` long texts are cut to where the outputs begin to differ."""
    # The largest influence is shown to two digits, and the others to as many places.
    decimals = max(decimals_for(*(s.influence for s in c.segments)) - 2, 0)
    several = "" if c.runs is None else " Of several runs the first is shown."
    return Examples(
        segments_title(c),
        tuple(Example(_title(c, s, decimals), _texts(c, s, whole=whole)) for s in c.segments[:most]),
        f"{{marked}} do not line up with the reference.{several}",
    )


def segments_title(c: Comparison) -> str:
    """What the listing shows."""
    return f"Segments that moved {clean(c.metric)} most"


def _title(c: Comparison, segment: Segment, decimals: int) -> str:
    favoured = c.systems[(segment.influence > 0) != c.higher_is_better]
    size = format_number(abs(segment.influence), decimals)
    # Not "favours": a good output can draw the difference the other way, by being less far ahead than the others are.
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
    """A source, whose words have other places than those of the outputs: cut at the end."""
    return words if whole else cut(words, slice(0, SHORT))
