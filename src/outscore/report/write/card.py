"""Documents as small pieces of HTML for notebooks: no script, no style but the notebook's own."""

from __future__ import annotations

import html

from outscore.report import document as doc


def write(document: doc.Document) -> str:
    """The whole document, which a builder has kept short."""
    articles = document.shown_articles("html", verbose=True)
    return f"<div>{''.join(_written(block) for _, sections in articles for _, parts in sections for block in parts)}</div>"


def _written(block: doc.Block) -> str:  # noqa: C901, PLR0911 - one for each kind of block
    match block:
        case doc.Verdict():
            return f"<p><strong>{_escape(block.headline)}</strong></p>" + _paragraph(block.reason)
        case doc.Table():
            return _table(block)
        case doc.Facts():
            return _rows([(fact.label, " ".join(fact.lines)) for fact in block.facts])
        case doc.Cards():
            return _rows([(card.label, card.value, *card.small) for card in block.cards])
        case doc.Listing():
            return f"<ul>{''.join(f'<li>{_escape(line)}</li>' for line in block.lines)}</ul>{_paragraph(block.note)}"
        case doc.Paragraph() | doc.Quote():
            return _paragraph(block.text)
        case doc.Code():
            return f"<pre>{_escape(block.text)}</pre>"
        case doc.Examples():
            return _paragraph(block.title) + _rows([(example.title,) for example in block.examples])
        case doc.Figure():
            return f"<figure>{block.svg('')}<figcaption>{_escape(block.caption)}</figcaption></figure>"
        case doc.Embed():
            return ""


def _paragraph(text: str) -> str:
    return f"<p>{_escape(text)}</p>" if text else ""


def _table(table: doc.Table) -> str:
    top = "".join(f"<th>{_escape(name)}</th>" for name in table.columns)
    head = f"<thead><tr>{top}</tr></thead>" if any(table.columns) else ""
    return _rows(table.rows, head) + "".join(map(_paragraph, table.notes))


def _rows(rows: list[tuple[str, ...]] | tuple[tuple[str, ...], ...], head: str = "") -> str:
    body = "".join(f"<tr>{''.join(f'<td>{_escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{head}<tbody>{body}</tbody></table>"


def _escape(text: str) -> str:
    return html.escape(doc.clean(text))
