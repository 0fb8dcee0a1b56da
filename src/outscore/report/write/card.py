"""Documents as small pieces of HTML for notebooks: no script, no style but the notebook's own."""

from __future__ import annotations

import html

from outscore.report.document import (
    Block,
    Cards,
    Code,
    Document,
    Embed,
    Examples,
    Facts,
    Figure,
    Listing,
    Paragraph,
    Quote,
    Table,
    Verdict,
    clean,
)

__all__ = ["write"]


def write(document: Document) -> str:
    """The whole document, which a builder has kept short."""
    articles = document.shown_articles("html", verbose=True)
    return f"<div>{''.join(_written(block) for _, sections in articles for _, made in sections for block in made)}</div>"


def _written(block: Block) -> str:  # noqa: C901, PLR0911 - one for each kind of block
    match block:
        case Verdict():
            return f"<p><strong>{_escape(block.headline)}</strong></p>" + _paragraph(block.reason)
        case Table():
            return _table(block)
        case Facts():
            return _rows([(fact.label, " ".join(fact.lines)) for fact in block.facts])
        case Cards():
            return _rows([(card.label, card.value, *card.small) for card in block.cards])
        case Listing():
            return f"<ul>{''.join(f'<li>{_escape(line)}</li>' for line in block.lines)}</ul>{_paragraph(block.note)}"
        case Paragraph() | Quote():
            return _paragraph(block.text)
        case Code():
            return f"<pre>{_escape(block.text)}</pre>"
        case Examples():
            return _paragraph(block.title) + _rows([(example.title,) for example in block.examples])
        case Figure():
            return f"<figure>{block.svg('')}<figcaption>{_escape(block.caption)}</figcaption></figure>"
        case Embed():
            return ""


def _paragraph(text: str) -> str:
    return f"<p>{_escape(text)}</p>" if text else ""


def _table(table: Table) -> str:
    top = "".join(f"<th>{_escape(name)}</th>" for name in table.columns)
    head = f"<thead><tr>{top}</tr></thead>" if any(table.columns) else ""
    return _rows(table.rows, head) + "".join(map(_paragraph, table.notes))


def _rows(rows: list[tuple[str, ...]] | tuple[tuple[str, ...], ...], head: str = "") -> str:
    body = "".join(f"<tr>{''.join(f'<td>{_escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _escape(text: str) -> str:
    return html.escape(clean(text))
