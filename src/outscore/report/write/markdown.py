"""Documents as Markdown: headings, tables and the paste-ready sentence, for issues, notebooks and readme files."""

from __future__ import annotations

import re
from collections.abc import Sequence

from outscore.report import document as doc

# Whatever could begin markup, and the bar that would end a cell.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$!@])")
# What a renderer would make a link of by itself.
BARE_LINK = re.compile(r"(?i)(?<=\bwww)\.|:(?=//)")
MARKS = {"best": "**", "worst": "*", "middle": ""}
LEGEND = "Bold: the best system of the row; italics: the worst."


def write(document: doc.Document, *, verbose: bool = False) -> str:
    """The whole document as Markdown."""
    articles = document.shown_articles("markdown", verbose=verbose)
    return "\n\n".join(piece for article, sections in articles for piece in _article(article, sections)) + "\n"


def _article(article: doc.Article, sections: Sequence[tuple[doc.Section, list[doc.Block]]]) -> list[str]:
    level = "#" * (article.depth + 1)
    pieces = [f"{'#' * article.depth} {escape(article.title)}"] if article.title else []
    for section, blocks in sections:
        pieces += [f"{level} {escape(section.title)}"] if section.headed else []
        pieces += [piece for block in blocks for piece in _pieces(block, level)]
    return [piece for piece in pieces if piece]


def _pieces(block: doc.Block, level: str) -> list[str]:  # noqa: C901, PLR0911 - one for each kind of block
    """The paragraphs of a block."""
    match block:
        case doc.Verdict():
            strong = [f"**{escape(block.strong)}**"] if block.strong else []
            if strong and block.plain:
                return [f"{strong[0]}: {escape(block.plain[0])}", *map(escape, block.plain[1:])]
            return [*strong, *map(escape, block.plain)]
        case doc.Table():
            return _table(block, level)
        case doc.Facts():
            return ["\n".join(map(_fact, block.facts))]
        case doc.Listing():
            return [escape(block.note), "\n".join(f"- {escape(line)}" for line in block.lines)]
        case doc.Quote():
            return [f"> {escape(block.text)}"]
        case doc.Code():
            return [fenced(block.text)]
        case doc.Examples():
            return [f"{level} {escape(block.title)}", escape(block.marked_by("Marked words")), _examples(block)]
        case doc.Paragraph():
            return [f"> **Warning.** {escape(block.text)}" if block.tone == "warning" else escape(block.text)]
        case doc.Cards():
            return ["\n".join(_fact(doc.Fact(card.label, (card.value, *card.small))) for card in block.cards)]
        case doc.Figure():
            return [f"*{escape(block.caption)}*"]
        case doc.Embed():
            return []


def escape(text: str) -> str:
    r"""Text that Markdown shows as it is.

    Examples
    --------
    >>> print(escape("a_b|c <script>"))
    a\_b\|c \<script\>
    """
    return BARE_LINK.sub(r"\\\g<0>", SPECIAL.sub(r"\\\1", doc.clean(text)))


def _fact(fact: doc.Fact) -> str:
    return f"- **{escape(fact.label)}**: {escape(_joined(fact.lines))}"


def _joined(lines: Sequence[str]) -> str:
    """Statements in one line: a semicolon between them, but none behind a sentence.

    Examples
    --------
    >>> _joined(["A note.", "p = .5", "q = .6"])
    'A note. p = .5; q = .6'
    """
    texts = [" ".join(line.split()) for line in lines]
    gaps = [" " if text.endswith(".") else "; " for text in texts[:-1]]
    return "".join(text + gap for text, gap in zip(texts, [*gaps, ""], strict=True))


def _examples(block: doc.Examples) -> str:
    """A numbered list of examples, the texts of each as a list below it."""
    lines = []
    for i, example in enumerate(block.examples, 1):
        lines.append(f"{i}. {escape(example.title)}")
        lines += [f"    - {escape(label)}: {doc.mark_up(words, _bold, escape)}" for label, words in example.texts]
    return "\n".join(lines)


def _bold(escaped: str) -> str:
    """Stars only open and close beside letters and digits, whatever stands outside (CommonMark 0.31, 6.2); elsewhere a tag."""
    return f"**{escaped}**" if escaped[0].isalnum() and escaped[-1].isalnum() else f"<b>{escaped}</b>"


def _table(table: doc.Table, level: str) -> list[str]:
    """A table under its title with its notes below."""
    titles = {"heading": [f"{level} {escape(table.title)}"], "bold": [f"**{escape(table.title)}**"], "none": []}
    rule = ["---:" if side == "r" else ":---" for side in table.align]
    rows = [_row([escape(name) for name in table.columns]), _row(rule)]
    rows += [_row(_cells(table, i)) for i in range(len(table.rows))]
    notes = [*table.notes, *([LEGEND] if "worst" in table.marks.values() else [])]
    return [*titles[table.heading], "\n".join(rows), *map(escape, notes)]


def _cells(table: doc.Table, i: int) -> list[str]:
    row = table.rows[i]
    if table.is_across(row):
        return [f"**{escape(row[0])}**", *row[1:]]
    return [_cell(table, i, column) for column in range(len(row))]


def _cell(table: doc.Table, i: int, column: int) -> str:
    sign, above = MARKS[table.marks.get((i, column), "middle")], table.superscripts.get((i, column))
    return f"{sign}{escape(table.rows[i][column])}{f'<sup>{escape(above)}</sup>' if above else ''}{sign}"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def fenced(text: str) -> str:
    """A block of code whose fence is longer than any run of back-ticks in it."""
    plain = "\n".join(map(doc.clean, text.splitlines()))
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{plain}\n{fence}"
