"""The one shape all renderers share: a titled table of texts.

Numbers become texts once, where a table is made; text, Markdown, LaTeX and HTML only lay them out. Names of systems, items and
files come from outside and may hold anything, so every text is cleaned here and escaped by each renderer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "GLUED",
    "Fact",
    "Table",
    "broken",
    "clean",
    "column_widths",
    "glue",
    "make_table",
    "minus",
    "padded",
    "screen_width",
]

# No line break inside "A - B", "p = .01" or "95 %".
GLUED = (" - ", " = ", " ± ", " %")
# Before a number, or between two names.
MINUS = re.compile(r"(?:^|(?<=[ (\u00a0]))-(?=[\d.])|(?<=[ \u00a0])-(?=[ \u00a0])")
LONG = 24
"""A word of more columns is no reason to narrow the other ones."""


@dataclass(frozen=True)
class Table:
    """Columns with headings, rows of the same length, and notes under them; `align` holds "l" or "r" per column."""

    key: str
    title: str
    columns: tuple[str, ...]
    align: str
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fact:
    """A label and what is to be said about it, the most important line first."""

    label: str
    lines: tuple[str, ...]


def make_table(
    key: str, title: str, columns: Sequence[str], align: str, rows: Iterable[Sequence[str]], notes: Iterable[str] = ()
) -> Table:
    r"""A table whose texts are clean, without the columns that are empty in every row.

    Examples
    --------
    >>> make_table("t", "Example", ["name", "score", "error"], "lrr", [("a\nb", ".5", "")]).rows
    (('a b', '.5'),)
    """
    filled = [tuple(clean(cell) for cell in row) for row in rows]
    kept = [i for i in range(len(columns)) if not filled or any(row[i] for row in filled)]
    return Table(
        key,
        clean(title),
        tuple(clean(columns[i]) for i in kept),
        "".join(align[i] for i in kept),
        tuple(tuple(row[i] for i in kept) for row in filled),
        tuple(clean(note) for note in notes),
    )


def clean(text: str) -> str:
    r"""The text on one line, without characters that steer a terminal, turn the writing direction or cannot be encoded.

    Examples
    --------
    >>> clean("a\x1b[31m\nb") == "a\ufffd[31m b"
    True
    """
    plain = "".join(" " if char in "\t\n\r\v\f\u2028\u2029" else _visible(char) for char in text)
    return plain.strip()


def glue(text: str) -> str:
    """The text with no-break spaces where a line break would tear a formula apart."""
    for pair in GLUED:
        text = text.replace(pair, pair.replace(" ", "\u00a0"))
    return text


def minus(text: str) -> str:
    """The text as it is printed: a minus sign, which is as wide as a plus, and the sign for at most.

    Examples
    --------
    >>> minus("A - B = -0.5, p <= .05")
    'A − B = −0.5, p ≤ .05'
    """
    return MINUS.sub("\u2212", text).replace("<= ", "\u2264 ")


def screen_width(text: str) -> int:
    """How many columns of a terminal a text takes: Chinese, Japanese and Korean letters take two.

    Examples
    --------
    >>> screen_width("abc"), screen_width("模型")
    (3, 4)
    """
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.combining(char) for char in text)


def padded(text: str, width: int, side: str) -> str:
    """The text filled up to so many columns of a terminal, on the left where it is to stand right ("r")."""
    space = " " * (width - screen_width(text))
    return space + text if side == "r" else text + space


def column_widths(table: Table, room: int) -> list[int]:
    """How wide each column is where all of them have so much room: the widest gives way first.

    Columns give way as far as words stay whole, then as far as they can be broken behind hyphens, and at last between any two
    letters. A very long word gives way before the others do.

    Examples
    --------
    >>> column_widths(make_table("t", "", ["name", "score of A"], "lr", [("permutation-median", "0.5")]), 24)
    [18, 6]
    """
    columns = list(zip(table.columns, *table.rows, strict=True))
    widths = [max(map(screen_width, cells)) for cells in columns]
    for split, longest in ((_words, LONG), (_parts, LONG), (list, room)):
        floors = [min(_widest(cells, split), longest) for cells in columns]
        while sum(widths) > room and (loose := [i for i, width in enumerate(widths) if width > floors[i]]):
            widths[max(loose, key=widths.__getitem__)] -= 1
    return widths


def _widest(cells: Sequence[str], split: Callable[[str], Sequence[str]]) -> int:
    return max((screen_width(piece) for cell in cells for piece in split(cell)), default=0)


def _words(text: str) -> list[str]:
    return text.split()


def _parts(text: str) -> list[str]:
    """Words, and what hyphens between letters divide them into."""
    return [part for word in text.split() for part in re.split(r"(?<=[^\W\d]-)(?=[^\W\d])", word)]


def broken(text: str, width: int) -> list[str]:
    """A text in lines of so many columns of a terminal, broken between words wherever they fit.

    Examples
    --------
    >>> broken("permutation-median of all", 12), broken("模型名称", 5)
    (['permutation-', 'median of', 'all'], ['模型', '名称'])
    """
    if screen_width(text) <= width:
        return [text]
    lines: list[str] = []
    for word in _words(text):
        if lines and screen_width(joined := f"{lines[-1]} {word}") <= width:
            lines[-1] = joined
        else:
            lines += _fitting(word, width)
    return lines


def _fitting(word: str, width: int) -> list[str]:
    """A word in pieces that fit: whole, or broken behind hyphens, or else between letters."""
    if screen_width(word) <= width:
        return [word]
    pieces = [""]
    for part in _parts(word) if _widest([word], _parts) <= width else word:
        if pieces[-1] and screen_width(pieces[-1] + part) > width:
            pieces.append(part)
        else:
            pieces[-1] += part
    return pieces


def _visible(char: str) -> str:
    # Cc steers terminals, Cs breaks UTF-8, and of Cf the bidirectional overrides can make a loser look like the winner.
    category = unicodedata.category(char)
    return "\ufffd" if category in {"Cc", "Cs"} or (category == "Cf" and char not in "\u200c\u200d\u00ad") else char
