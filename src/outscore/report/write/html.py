"""Documents as one HTML file that needs nothing else: style and charts inside, no request to anywhere.

Smaller forms are a card for notebooks, a piece of HTML without script and style, and a badge, a verdict as a picture.

Everything that comes from a document is escaped by the template engine; only style sheets, scripts of ours and drawn charts,
whose texts the renderer has escaped, go in as they are.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import escape
from importlib.resources import files
from itertools import groupby
from typing import TYPE_CHECKING

from outscore.core.errors import load_extra
from outscore.report import document as doc
from outscore.report.document import clean
from outscore.report.palette import stylesheet

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from markupsafe import Markup


CODE = re.compile(r"`([^`]+)`")
SHORT = {False: 16, True: 24}
"""Cells of so many letters are not broken, more of them beside bars."""
LONG = 100
"""A folded table of more rows stays folded on paper, of which it would be the most."""


def write(document: doc.Document) -> str:
    """The whole document as a self-contained page; a page always shows everything."""
    page = _template()
    from markupsafe import Markup

    script = _script(document)
    articles = document.shown_articles("html", verbose=True)
    blocks = [block for _, sections in articles for _, blocks in sections for block in blocks]
    html = page.render(
        document=document,
        articles=articles,
        terms=[fact.label for block in blocks if isinstance(block, doc.Facts) and block.glossary for fact in block.facts],
        # Our own files and colours.
        style=Markup(stylesheet() + ("" if document.style is None else document.style())),  # noqa: S704
        script=Markup(script),  # noqa: S704
        script_hash=Markup(_digest(script)),  # noqa: S704
        # JSON whose brackets are escaped.
        data={name: Markup(text) for name, text in document.data.items()},  # noqa: S704
    )
    return str(html).lstrip()


def _script(document: doc.Document) -> str:
    """What makes tables sortable and charts savable, and what the document brings along; without it all is as it stands."""
    folder = files("outscore.report.write")
    shared = "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in ("tables.js", "figures.js"))
    return f'"use strict";\n{shared}{document.script}enliven(document);\nofferCharts(document);\n'


def _digest(script: str) -> str:
    """The script's name in a content security policy."""
    return f"sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}"


def _template() -> Template:
    """The template of this package."""
    load_extra("jinja2", "write HTML", "report")
    return _environment().get_template("document.html")


@cache
def _environment() -> Environment:
    """How templates are filled: everything is escaped and every missing name is an error. It keeps what it has compiled."""
    import jinja2
    from markupsafe import Markup

    folder = files("outscore.report.write")
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(lambda name: folder.joinpath(name).read_text(encoding="utf-8")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "clean": clean,
        "glue": doc.glue,
        "grouped": _grouped,
        "led_by": _led_by,
        "kind": lambda block: type(block).__name__,
        "minus": doc.minus,
        "parted": _with_breaks,
        "prose": prose,
        "raw": Markup,
        "slug": _slug,
        "word_runs": doc.word_runs,
    }
    environment.globals |= {
        "has_verdict": _has_verdict,
        "LONG": LONG,
        "SHORT": SHORT,
        "spans": _spans,
    }
    return environment


def prose(text: str) -> Markup:
    """A sentence of ours: signs as they are printed, no formula torn apart at the end of a line, and code as code."""
    from markupsafe import Markup, escape

    return Markup(CODE.sub(r"<code>\1</code>", str(escape(doc.minus(doc.glue(text))))))  # noqa: S704 - escaped before


def _led_by(text: Markup, terms: list[str], led: list[str]) -> Markup:
    """A sentence in which terms lead to what they mean; those in `led` did so before."""
    from markupsafe import Markup

    def link(match: re.Match[str]) -> str:
        if match[0] in led:
            return match[0]
        led.append(match[0])
        return f'<a href="#term-{_slug(match[0])}">{match[0]}</a>'

    found = "|".join(map(re.escape, terms))
    return Markup(re.sub(rf"(?<![\w-])(?:{found})(?![\w-])", link, text)) if terms else text  # noqa: S704 - escaped before


def _slug(term: str) -> str:
    return term.replace(" ", "-")


def _with_breaks(text: str, breaks: str) -> Markup:
    """A line to copy that may be broken between its parts; copied, it is still one word."""
    from markupsafe import Markup

    return Markup("{}<wbr>").format(breaks).join(text.split(breaks))


def _has_verdict(sections: list[tuple[doc.Section, list[doc.Block]]]) -> bool:
    return any(isinstance(block, doc.Verdict) for _, blocks in sections for block in blocks)


def _grouped(blocks: list[doc.Block], title: str) -> list[tuple[str, list[doc.Block]]]:
    """Neighbours that stand side by side: tables with titles of their own, figures, warnings, quotes."""

    def group(block: doc.Block) -> str:
        if (
            isinstance(block, doc.Table)
            and block.heading == "heading"
            and block.title != title
            and not (block.bars or block.fold)
        ):
            return "tables"
        if isinstance(block, doc.Figure) and not block.legend:
            return "figures"
        if isinstance(block, doc.Paragraph) and block.tone == "warning":
            return "warnings"
        return "quotes" if isinstance(block, doc.Quote) else ""

    return [(kind, list(run)) for kind, run in groupby(blocks, key=group)]


def _spans(table: doc.Table) -> list[int]:
    """Over how many rows the last cell of each row reaches: a reason that several rows share stands once, 0 below it."""
    spans = [1] * len(table.rows)
    start = 0
    for i in range(1, len(spans) if table.merges else 0):
        if (table.rows[i][0], table.rows[i][-1]) == (table.rows[start][0], table.rows[start][-1]):
            spans[start], spans[i] = spans[start] + 1, 0
        else:
            start = i
    return spans


def write_card(document: doc.Document) -> str:
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
    return escape(clean(text))


LETTER, PAD, HEIGHT = 6.6, 12, 20
"""The width of a letter of 11 pixels, and of the room on both sides of a text."""
COLOURS = {"won": "#1a7f37", "": "#8a5a00"}
MAX_LETTERS = 80


def write_badge(verdict: doc.Verdict) -> str:
    """The headline beside the name of the program, as SVG.

    Examples
    --------
    >>> print(write_badge(doc.Verdict(("new outscored old: ...",), "new outscored <old>", tone="won"))[:96])
    <svg xmlns="http://www.w3.org/2000/svg" width="202" height="20" role="img" aria-label="outscore:
    """
    told = clean(verdict.headline)
    told = told if len(told) <= MAX_LETTERS else f"{told[: MAX_LETTERS - 1]}…"
    left, right = (round(doc.screen_width(text) * LETTER) + PAD for text in ("outscore", told))
    width, colour = left + right, COLOURS.get(verdict.tone, COLOURS[""])
    words = f"outscore: {told}"

    def text(said: str, x: float, room: int) -> str:
        return f'<text x="{x:g}" y="14" textLength="{room - PAD}" lengthAdjust="spacingAndGlyphs">{escape(said)}</text>'

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" role="img" aria-label="{escape(words)}">'
        f"<title>{escape(words)}</title>"
        f'<rect width="{width}" height="{HEIGHT}" rx="3" fill="{colour}"/>'
        f'<path d="M3,0H{left}V{HEIGHT}H3A3,3 0 0 1 0,{HEIGHT - 3}V3A3,3 0 0 1 3,0Z" fill="#444"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{text('outscore', left / 2, left)}{text(told, left + right / 2, right)}</g></svg>\n"
    )
