"""What a report is made of, before any form is chosen: a document of articles, sections and blocks.

A builder states once which sections a kind of result has, in the order of reading, and where each of them is shown. Writers
turn any document into one form and know nothing of results. Numbers become texts in the rows of a table, once, so writers only
lay them out. Names of systems, items and files come from outside and may hold anything: every text is cleaned here and escaped
by each writer.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import groupby
from typing import Literal, Self

from outscore.core.records import dataclass

Form = Literal["text", "markdown", "latex", "html"]
FORMS: tuple[Form, ...] = ("text", "markdown", "latex", "html")
Level = Literal["brief", "full"]
EVERYWHERE: frozenset[tuple[Form, Level]] = frozenset((form, level) for form in FORMS for level in ("brief", "full"))
"""Forms and levels: `brief` is what fits a screen or two, `full` is everything. A page always shows everything."""
Mark = Literal["best", "middle", "worst"]
Tone = Literal["", "won", "lost", "told"]
Words = tuple[tuple[str, bool], ...]
"""Words with the space after them, and whether each is marked."""

GUARDED = ("margin", "warnings", "notes", "not read")
"""The labels of statements that are all equally important."""
PART = "   "
"""Between the parts of a statement on a screen, which are not broken."""
# No line break inside "A - B", "p = .01" or "95% CI".
GLUED = (" - ", " = ", " ± ", " CI")
# Before a number, or between two names.
MINUS = re.compile(r"(?:^|(?<=[ (\u00a0]))-(?=[\d.])|(?<=[ \u00a0])-(?=[ \u00a0])")


@dataclass(frozen=True)
class Placed:
    """Anything that may be shown in some forms and levels only; everywhere unless something else is said."""

    places: frozenset[tuple[Form, Level]] = field(default=EVERYWHERE, kw_only=True)

    def only(self, *forms: Form, level: Level | None = None) -> Self:
        """Shown in these forms alone, at one level or at both."""
        kept = {place for place in self.places if place[0] in forms and level in (None, place[1])}
        return replace(self, places=frozenset(kept))

    def but(self, *forms: Form, level: Level | None = None) -> Self:
        """Shown everywhere but in these forms, at one level or at both."""
        gone = {place for place in self.places if place[0] in forms and level in (None, place[1])}
        return replace(self, places=self.places - gone)

    def brief(self) -> Self:
        """Shown only where the report is brief."""
        return self.only(*FORMS, level="brief")

    def full(self) -> Self:
        """Shown only where the report shows everything."""
        return self.only(*FORMS, level="full")

    def is_shown(self, form: Form, *, verbose: bool) -> bool:
        """Whether a form shows it at this level."""
        return (form, "full" if verbose or form == "html" else "brief") in self.places


@dataclass(frozen=True)
class Fact:
    """A label and what is to be said about it, the most important line first.

    The lines of a `command` are to be copied into a shell and stay whole.
    """

    label: str
    lines: tuple[str, ...]
    command: bool = False

    @property
    def guarded(self) -> bool:
        """Whether each line counts as much as the first one."""
        return self.label in GUARDED


def statements(*listed: tuple[str, Iterable[str]], commands: str = "") -> tuple[Fact, ...]:
    """Labelled lines, without empty ones; those under the label `commands` are to be copied into a shell."""
    cleaned = [(clean(label), tuple(clean(line) for line in lines if line)) for label, lines in listed]
    return tuple(Fact(label, lines, command=label == commands) for label, lines in cleaned if lines)


@dataclass(frozen=True)
class Facts(Placed):
    """Labelled statements; those of a `glossary` say what the terms mean that others use, which lead there on a page."""

    facts: tuple[Fact, ...]
    glossary: bool = False


@dataclass(frozen=True)
class Listing(Placed):
    """Statements of equal weight under one label, and how to read them."""

    label: str
    lines: tuple[str, ...]
    note: str = ""
    fold: str = ""


@dataclass(frozen=True)
class Paragraph(Placed):
    """A sentence of ours. A `warning` stands out; a `note` is set smaller."""

    text: str
    tone: Literal["", "note", "warning", "to-do"] = ""


@dataclass(frozen=True)
class Quote(Placed):
    """A sentence to paste into a paper; some forms name it by its label."""

    text: str
    label: str = "for a paper"


@dataclass(frozen=True)
class Code(Placed):
    """A line to copy, such as a signature; it may be broken before the character `breaks`."""

    text: str
    label: str = "signature"
    breaks: str = "|"
    fold: str = ""


@dataclass(frozen=True)
class Bar:
    """An interval drawn beside a row, in per cent of the widest range; `zero` is where nothing differs."""

    low: float
    value: float
    width: float
    zero: float | None = None


@dataclass(frozen=True)
class Table(Placed):
    """Columns with headings, rows of the same length, and notes under them; `align` holds "l" or "r" per column.

    Parameters
    ----------
    key
        What the table is called in selections, labels and style sheets.
    about, label
        LaTeX adds `about` to the caption, and refers to the table by `label` instead of `key`.
    heading
        How running text names the table: by a heading, in bold letters, or not at all.
    fold
        On a page the table is folded away under these words.
    marks
        Cells (row, column) that are the best or the worst of their row; plain text marks them with signs if `signs` is set.
    superscripts
        Letters or arrows behind cells (row, column).
    optional
        Columns that plain text leaves out where the width is short, the first one first.
    splits
        Plain text sets columns that do not fit below the others, not in narrower ones; and a row with nothing but its first
        cell runs across all columns.
    matrix
        Columns are single signs, set close together by plain text.
    merges
        A last cell that several rows share stands once on a page.
    tiered
        Lines across all columns part the rows by their order: a page leaves them out where its reader wants another one.
    bars, anchors, links
        On a page: drawn intervals, one for each row; the beginning of the id of each row; and the keys of examples that rows
        lead to, by their indices.
    named_by
        The column that names the rows, for the ear and for links; the first one with words where none is named.
    numbers
        The number that each cell shows, by which a page sorts its rows; None where it shows none.
    """

    key: str
    title: str
    columns: tuple[str, ...]
    align: str
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    about: str = ""
    label: str = ""
    heading: Literal["heading", "bold", "none"] = "heading"
    fold: str = ""
    marks: Mapping[tuple[int, int], Mark] = field(default_factory=dict)
    signs: bool = False
    superscripts: Mapping[tuple[int, int], str] = field(default_factory=dict)
    optional: tuple[str, ...] = ()
    splits: bool = False
    matrix: bool = False
    merges: bool = False
    tiered: bool = False
    bars: tuple[Bar | None, ...] = ()
    anchors: str = ""
    links: Mapping[int, str] = field(default_factory=dict)
    named_by: str = ""
    numbers: tuple[tuple[float | None, ...], ...] = ()

    def is_across(self, row: Sequence[str]) -> bool:
        """Whether a row is a line across the table that says what the rows under it are."""
        return self.splits and len(row) > 1 and bool(row[0]) and not any(row[1:])


@dataclass(frozen=True)
class Figure(Placed):
    """A chart that is drawn when a form asks for it; `svg` takes a prefix for the ids inside.

    `csv` has the numbers that it draws, `hint` says what a pointer can do with it on a page. `legend` holds a sign and a name
    for each class of its cells, where its colours need one; such a figure takes the whole line.
    """

    key: str
    caption: str
    svg: Callable[[str], str]
    csv: Callable[[], str]
    hint: str = ""
    legend: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Example:
    """One example: a title, texts with their labels and marked words, and a key by which a table leads to it."""

    title: str
    texts: tuple[tuple[str, Words], ...]
    key: str = ""


@dataclass(frozen=True)
class Examples(Placed):
    """Examples one under the other; in `note`, each form says for `{marked}` how it marks words.

    `counts` says of how many they were chosen.
    """

    title: str
    examples: tuple[Example, ...]
    note: str = ""
    counts: str = ""

    def marked_by(self, marked: str) -> str:
        """What stands above the examples, with what a form calls the marked words."""
        return " ".join(filter(None, (self.counts, self.note.format(marked=marked))))


@dataclass(frozen=True)
class Card:
    """A number in large letters with what it is above and what belongs to it below."""

    label: str
    value: str
    small: tuple[str, ...] = ()
    role: Literal["", "a", "b"] = ""
    key: str = ""


@dataclass(frozen=True)
class Cards(Placed):
    """The numbers everybody looks for first; `pair` where the roles are two systems."""

    cards: tuple[Card, ...]
    pair: bool = False


@dataclass(frozen=True)
class Verdict(Placed):
    """What the result comes to.

    Parameters
    ----------
    sentences
        The whole, as plain text shows it.
    headline, reason, kind
        The same for a page: in large letters, below them, and the question above them.
    opening
        What the sentences begin with, where the headline of the page says more.
    line
        What a page says beside the headline while that is out of sight: p, the interval, who leads.
    named
        Whether the reason begins with the name of a system, which is written as it is.
    strong, plain
        The same for running text: in bold letters, and not.
    tone
        `won` where the question is decided, `told` where the answer is a number.
    key
        The page's id of the verdict, where a script changes it.
    """

    sentences: tuple[str, ...]
    headline: str = ""
    reason: str = ""
    kind: str = ""
    strong: str = ""
    plain: tuple[str, ...] = ()
    tone: Tone = ""
    key: str = ""
    opening: str = ""
    named: bool = False
    line: tuple[str, ...] = ()


@dataclass(frozen=True)
class Embed(Placed):
    """A piece of a page from a file of ours, which a script fills; other forms have nothing to show for it."""

    html: str


Block = Facts | Listing | Paragraph | Quote | Code | Table | Figure | Examples | Cards | Verdict | Embed


@dataclass(frozen=True)
class Later(Placed):
    """Blocks that are costly to make, and are made only where they are shown."""

    make: Callable[[], Iterable[Block]]


@dataclass(frozen=True)
class Section(Placed):
    """Blocks under one name. They are made when a form shows the section, so what nobody shows costs nothing.

    Parameters
    ----------
    key
        Unique within its article; the page's id.
    title
        Pages name every section that has a title. Running text does so only where `headed` is set: tables name themselves.
    blocks
        Makes the blocks; None among them are left out, and a section without any is not shown.
    joined
        In plain text it follows the section before it without an empty line.
    fold
        On a page its blocks are folded away under these words.
    style
        A class for the style sheet of a page.
    link
        On a page the title leads there.
    picture
        Makes the one picture that a page shows beside its blocks, if there is one.
    """

    key: str
    title: str
    blocks: Callable[[], Iterable[Block | Later | None]]
    headed: bool = False
    joined: bool = False
    fold: str = ""
    style: str = ""
    link: str = ""
    picture: Callable[[], Block | None] | None = None

    def shown_blocks(self, form: Form, *, verbose: bool) -> list[Block]:
        """The blocks of this form and level."""
        shown: list[Block] = []
        for block in self.blocks():
            if block is None or not block.is_shown(form, verbose=verbose):
                continue
            blocks = block.make() if isinstance(block, Later) else [block]
            shown += [one for one in blocks if one.is_shown(form, verbose=verbose)]
        return shown


@dataclass(frozen=True)
class Article(Placed):
    """A part of a document that could stand alone, such as one comparison of several.

    Without a `title` it has no heading, and without a `key` no id. `depth` is the level of its heading, and `listed` what a
    list of contents says of it. On a page it is folded away under the words of `fold`.
    """

    key: str
    title: str
    sections: tuple[Section, ...]
    depth: int = 1
    listed: str = ""
    fold: str = ""

    def shown_sections(self, form: Form, *, verbose: bool) -> list[tuple[Section, list[Block]]]:
        """The sections of this form and level with their blocks, without empty ones."""
        shown = [section for section in self.sections if section.is_shown(form, verbose=verbose)]
        sections = [(section, section.shown_blocks(form, verbose=verbose)) for section in shown]
        return [(section, blocks) for section, blocks in sections if blocks]


@dataclass(frozen=True)
class Screen:
    """The answer on one screen: the headline, a line for each thing that a person reads, and every warning.

    The `facts` stand between the `tables` and those `below`. Names in them may be short, as the headline or a table has them in
    full.
    """

    headline: str
    facts: tuple[Fact, ...]
    warnings: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    tone: Tone = ""
    below: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Document:
    """A whole report: articles one after the other, and what a page needs beside them.

    `style` and `script` add to those of all pages; `data`, by name, is JSON that holds no markup, for the script to read.
    """

    title: str
    articles: tuple[Article, ...]
    subject: str = ""
    style: Callable[[], str] | None = None
    script: str = ""
    data: Mapping[str, str] = field(default_factory=dict)
    footer: str = "Made by outscore; the signature names its version. This file needs no network."

    def shown_articles(self, form: Form, *, verbose: bool) -> list[tuple[Article, list[tuple[Section, list[Block]]]]]:
        """The articles of this form and level with their sections, without empty ones."""
        shown = [article for article in self.articles if article.is_shown(form, verbose=verbose)]
        articles = [(article, article.shown_sections(form, verbose=verbose)) for article in shown]
        return [(article, sections) for article, sections in articles if sections]


Record = Mapping[str, object]


@dataclass(frozen=True)
class Records:
    """Rows of plain values by column, for spreadsheets; a record may lack columns."""

    columns: tuple[str, ...]
    rows: tuple[Record, ...]


def clean(text: str) -> str:
    r"""The text on one line, without characters that steer a terminal, turn the writing direction or cannot be encoded.

    Examples
    --------
    >>> clean("a\x1b[31m\nb") == "a\ufffd[31m b"
    True
    """
    if text.isprintable():
        # As nearly all texts are: nothing in it steers, turns or breaks anything.
        return text.strip()
    plain = "".join(" " if char in "\t\n\r\v\f\u2028\u2029" else _visible(char) for char in text)
    return plain.strip()


def _visible(char: str) -> str:
    # Cc steers terminals, Cs breaks UTF-8, and of Cf the bidirectional overrides can make a loser look like the winner.
    category = unicodedata.category(char)
    return "\ufffd" if category in {"Cc", "Cs"} or (category == "Cf" and char not in "\u200c\u200d\u00ad") else char


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
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else not unicodedata.combining(char) for char in text)


def fitted(name: str, width: int) -> str:
    """A name in at most so many columns of a terminal, cut with dots.

    Examples
    --------
    >>> fitted("a-long-name", 6), fitted("模型名称", 6), fitted("short", 6)
    ('a-lon…', '模型…', 'short')
    """
    text = clean(name)
    if screen_width(text) <= width:
        return text
    # Marks on letters take no column, but few letters have more than one: what lies far beyond is not measured again and again.
    text = text[: 4 * width]
    while screen_width(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def padded(text: str, width: int, side: str) -> str:
    """The text filled up to so many columns of a terminal, on the left where it is to stand right ("r")."""
    space = " " * (width - screen_width(text))
    return space + text if side == "r" else text + space


def mark_up(words: Words, mark: Callable[[str], str], escape: Callable[[str], str]) -> str:
    """The words as one text, each run of marked ones inside one mark.

    Examples
    --------
    >>> mark_up((("a ", False), ("x ", True), ("y ", True), ("d", False)), "[{}]".format, str.upper)
    'A [X Y] D'
    """
    return "".join((mark(escape(text)) if marked else escape(text)) + space for text, space, marked in word_runs(words))


def word_runs(words: Words) -> list[tuple[str, str, bool]]:
    """Neighbours with the same mark as one text, the space after it, and the mark.

    Examples
    --------
    >>> word_runs((("a ", True), ("b ", True), ("c", False)))
    [('a b', ' ', True), ('c', '', False)]
    """
    joined = [("".join(word for word, _ in run), marked) for marked, run in groupby(words, key=lambda pair: pair[1])]
    return [(text.rstrip(), text[len(text.rstrip()) :], marked) for text, marked in joined]
