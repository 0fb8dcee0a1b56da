"""Items of logs that made the difference: what was asked, what was expected, and what both systems answered."""

from __future__ import annotations

from outscore.language.numbers import decimals_for, format_number
from outscore.report.document import Example, Examples, Words, clean
from outscore.report.rows.segments import cut, plain_words
from outscore.results.comparison import Comparison
from outscore.results.design import DecidingItem

__all__ = ["TITLE", "question_links", "questions"]

TITLE = "Questions that made the difference"
SHORT, LONG = 40, 2_000
"""So many words of a text are shown, and where the whole is wanted: prompts may be books."""


def questions(c: Comparison, most: int, *, whole: bool = False) -> Examples | None:
    """So many items with their texts, cut unless the `whole` is wanted, the strongest first; None where the input has none."""
    told = _told(c)
    if not told:
        return None
    decimals = decimals_for(*(x for item in told.values() for x in (item.a, item.b)))
    note = "Of several runs of an item the first is shown." if c.design.repeats > 1 else ""
    shown = list(told.items())[:most]
    return Examples(TITLE, tuple(_example(c, i, item, decimals, whole=whole) for i, item in shown), note)


def question_links(c: Comparison, most: int) -> dict[int, str]:
    """The keys of so many items with texts, by their place among all deciding items."""
    return {i: _key(i) for i in list(_told(c))[:most]}


def _told(c: Comparison) -> dict[int, DecidingItem]:
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
    return cut(plain_words(clean(text)), slice(0, LONG if whole else SHORT)) or (("(empty)", False),)
