"""What cards for notebooks share: the verdict, the numbers under it, and what to know about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from outscore.language.numbers import count
from outscore.report.build.common import read_as
from outscore.report.document import Article, Block, Document, Listing, Paragraph, Section, Table, Verdict, clean
from outscore.results.reading import Reading

__all__ = ["card_document", "card_table"]


def card_document(
    headline: str,
    reason: str,
    table: Table,
    notes: Iterable[str] = (),
    left: tuple[int, str] = (0, ""),
    reading: Reading | None = None,
) -> Document:
    """The verdict, what the input was taken to mean, the numbers, how many more rows there are, and what to know about them."""
    more = f"and {count(left[0], f'more {left[1]}')}"
    blocks: list[Block] = [Verdict((headline,), clean(headline), clean(reason)), *read_as(reading), table]
    blocks += [Paragraph(more)] if left[0] > 0 else []
    said = tuple(clean(note) for note in notes)
    blocks += [Listing("notes", said)] if said else []
    return Document(clean(headline), (Article("", "", (Section("card", "", lambda: blocks),)),))


def card_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """All columns, whatever they hold; without a `head` they have no names."""
    width = len(rows[0]) if rows else len(head)
    cells = tuple(tuple(clean(cell) for cell in row) for row in rows)
    return Table("card", "", tuple(map(clean, head)) or ("",) * width, "l" * width, cells)
