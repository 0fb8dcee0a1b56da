"""Items of logs that made the difference: what was asked, what was expected, and what both systems answered."""

from __future__ import annotations

from outscore.language.numbers import decimals_for, format_number
from outscore.report.document import Example, Examples, Words, clean
from outscore.report.rows.segments import cut, plain_words
from outscore.results.comparison import Comparison
from outscore.results.design import DecidingItem

__all__ = ["TITLE", "questions"]

TITLE = "Questions that made the difference"
SHORT = 40
"""So many words of a text are shown: prompts may be pages long."""


def questions(c: Comparison, most: int) -> Examples | None:
    """So many items with their texts, the strongest first; None where the input has none."""
    told = [item for item in c.deciding_items if item.answers is not None or item.question is not None]
    if not told:
        return None
    decimals = decimals_for(*(x for item in told for x in (item.a, item.b)))
    note = "Of several runs of an item the first is shown." if c.design.repeats > 1 else ""
    return Examples(TITLE, tuple(_example(c, item, decimals) for item in told[:most]), note)


def _example(c: Comparison, item: DecidingItem, decimals: int) -> Example:
    scores = f"{c.systems[0]} {format_number(item.a, decimals)}, {c.systems[1]} {format_number(item.b, decimals)}"
    answers = item.answers or (None, None)
    texts = (("question", item.question), ("expected", item.target), *zip(c.systems, answers, strict=True))
    shown = tuple((clean(label), _short(text)) for label, text in texts if text is not None)
    return Example(clean(f"{item.item}: {scores}"), shown)


def _short(text: str) -> Words:
    return cut(plain_words(clean(text)), slice(0, SHORT)) or (("(empty)", False),)
