"""The segments that made the difference: reference and both outputs one under the other, with words marked in every form."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from outscore.language.numbers import decimals_for, format_number
from outscore.report.rows.marking import Words, cut, mark_up, marked_words, plain_words, window
from outscore.report.table import clean
from outscore.results.comparison import Comparison
from outscore.results.design import Segment

__all__ = ["FEW", "MANY", "SegmentView", "segment_lines", "segment_views", "segments_note", "segments_title"]

FEW, MANY = 3, 10
SHORT = 40
"""So many words of an output are shown where only few segments are; the whole is in the verbose text and on the page."""
LABEL = 16
EMPTY: Words = (("(empty)", False),)


@dataclass(frozen=True)
class SegmentView:
    """One segment for a reader: what it did to the difference, and the texts with their names."""

    title: str
    texts: tuple[tuple[str, Words], ...]


def segments_title(c: Comparison) -> str:
    """What the listing shows."""
    return f"Segments that moved {clean(c.metric)} most"


def segments_note(c: Comparison) -> str:
    """How to read the listing."""
    several = "" if c.runs is None else " Of several runs the first is shown."
    return f"Marked words do not line up with the reference.{several}"


def segment_views(c: Comparison, most: int, *, whole: bool = True) -> list[SegmentView]:
    """So many segments, the strongest first; without `whole` long texts are cut to where the outputs begin to differ."""
    # The largest influence is shown to two digits, and the others to as many places.
    decimals = max(decimals_for(*(s.influence for s in c.segments)) - 2, 0)
    return [SegmentView(_title(c, s, decimals), _texts(c, s, whole=whole)) for s in c.segments[:most]]


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


def segment_lines(c: Comparison, width: int, *, verbose: bool) -> list[str]:
    """The listing as plain text, marked words in brackets; nothing where no segment moved the score."""
    if not c.segments:
        return []
    note = segments_note(c).replace("Marked words", "Words in [brackets]")
    lines = [*textwrap.wrap(segments_title(c), width), *textwrap.wrap(note, width)]
    for i, view in enumerate(segment_views(c, MANY if verbose else FEW, whole=verbose), 1):
        lines += textwrap.wrap(f"{i}. {view.title}", width, subsequent_indent="   ")
        room = min(max(len(label) for label, _ in view.texts), LABEL)
        for label, words in view.texts:
            text = f"   {label:<{room}}  {mark_up(words, '[{}]'.format, clean)}"
            lines += textwrap.wrap(text, width, subsequent_indent=" " * (room + 5), break_on_hyphens=False)
    return lines
