"""The one shape all renderers share: a titled table of texts.

Numbers become texts once, where a table is made; text, Markdown, LaTeX and HTML only lay them out. Names of systems, items and
files come from outside and may hold anything, so every text is cleaned here and escaped by each renderer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["GLUED", "Fact", "Table", "clean", "glue", "make_table"]

# No line break inside "A - B", "p = .01" or "95 %".
GLUED = (" - ", " = ", " ± ", " %")


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


def _visible(char: str) -> str:
    # Cc steers terminals, Cs breaks UTF-8, and of Cf the bidirectional overrides can make a loser look like the winner.
    category = unicodedata.category(char)
    return "\ufffd" if category in {"Cc", "Cs"} or (category == "Cf" and char not in "\u200c\u200d\u00ad") else char
