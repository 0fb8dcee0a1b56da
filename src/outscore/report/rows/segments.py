"""The segments that made the difference: reference and both outputs one under the other, with words marked in every form."""

from __future__ import annotations

from outscore.language.numbers import decimals_for, format_number
from outscore.report.document import Example, Examples, Words, clean
from outscore.report.rows.marking import cut, marked_words, plain_words, window
from outscore.results.comparison import Comparison
from outscore.results.design import Segment

__all__ = ["FEW", "MANY", "segments", "segments_title"]

FEW, MANY = 3, 10
SHORT = 40
"""So many words of an output are shown where only few segments are; the whole is in the verbose text and on the page."""
EMPTY: Words = (("(empty)", False),)


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
    return tuple((label, (words if whole else cut(words, part)) or EMPTY) for label, words in lines)
