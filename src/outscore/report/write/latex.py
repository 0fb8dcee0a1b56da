r"""Documents as LaTeX for a paper: booktabs tables and sentences, with every text escaped.

The preamble needs ``booktabs``, and ``xcolor`` where the best cells of a table are coloured. Lines to copy, such as signatures,
stand in comments at the top. As in Tuggener (2017), the best system of a row is green, the worst red and the others yellow; the
best is bold too, so that the table can be read without colour.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from outscore.core.records import dataclass
from outscore.report import document as doc

ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    # babel gives the straight quote a meaning in several languages.
    '"': r"\symbol{34}",
    # After the end of a row a bracket or a star would be an argument of it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    # The signs this project writes itself.
    "±": r"$\pm$",
    "−": "$-$",
    "≤": r"$\leq$",
    "→": r"$\rightarrow$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "Δ": r"$\Delta$",
    "√": r"$\surd$",
    "³": "$^3$",
    "γ": r"$\gamma$",
    "\ufffd": "?",
}

CODE = re.compile(r"\\textasciigrave\{\}(.+?)\\textasciigrave\{\}")
"""Marks of code, escaped."""
POWER = re.compile(r"(?<![\w.])10\^(-?\d+(?:\.\d+)?)")
"""How the smallest p are written."""
BEYOND_LATIN = re.compile(r"[^\u0000-\u024f\u2010-\u2027]")
"""What pdflatex does not set by itself; dashes, quotation marks and dots it does."""
COLOURS = {"best": "green!25", "middle": "yellow!25", "worst": "red!20"}
ARROWS = {"↑": r"\uparrow", "↓": r"\downarrow"}
LEGEND = "Green and bold: the best system of the row; red: the worst."
MAX_WORD, PIECE = 24, 12
"""A longer word, such as a digest or a path, may be broken after every so many letters where a column has lines."""
# A soft hyphen, which cleaning keeps, marks the places until everything is escaped.
BREAK = "\u00ad"
LINE = 335.0
"""Points of a line of the class article at ten points, less what an estimate may miss; most other classes have more."""
MIN_SHARE, MAX_SHARE = 0.18, 0.4
"""Parts of a line that a column of prose may take."""
ALWAYS_BROKEN = 40
# A hyphen before a number is set as a minus sign.
WIDE, NARROW = frozenset("mwMW+=%-"), frozenset(" .,:;'|!iljftr()")


def write(document: doc.Document, *, verbose: bool = False) -> str:
    """The tables and sentences of a document."""
    articles = document.shown_articles("latex", verbose=verbose)
    blocks = [block for _, sections in articles for _, parts in sections for block in parts]
    comments = [f"% {doc.clean(line)}" for block in blocks if isinstance(block, doc.Code) for line in block.text.splitlines()]
    body = "\n".join([*comments, *(piece for block in blocks for piece in _pieces(block))])
    return f"{_preamble(body, coloured=any(isinstance(block, doc.Table) and block.marks for block in blocks))}\n{body}"


def _preamble(body: str, *, coloured: bool) -> str:
    """Comments that say what the text after them needs."""
    colour = " and \\usepackage[table]{xcolor}" if coloured else ""
    lines = [f"% Needs \\usepackage{{booktabs}}{colour} in the preamble."]
    if BEYOND_LATIN.search(body):
        lines.append("% Letters beyond Latin need lualatex or xelatex, and \\setmainfont (fontspec) with a font that has them.")
    return "\n".join(lines)


def _pieces(block: doc.Block) -> list[str]:  # noqa: C901, PLR0911 - one for each kind of block
    """The paragraphs of a block."""
    match block:
        case doc.Table():
            return [_table(block)]
        case doc.Quote():
            return [f"{_prose(block.text)}\n"]
        case doc.Verdict():
            return [f"{_prose(sentence)}\n" for sentence in block.sentences]
        case doc.Facts():
            return [_facts(block.facts)]
        case doc.Listing():
            lines = [f"  \\item {_prose(line)}" for line in block.lines]
            return ["\n".join([_prose(block.note), r"\begin{itemize}", *lines, r"\end{itemize}"]).lstrip() + "\n"]
        case doc.Examples():
            return [_examples(block)]
        case doc.Paragraph():
            return [f"% Warning: {doc.clean(block.text)}" if block.tone == "warning" else f"{_sentence(block.text)}\n"]
        case doc.Cards():
            return [_facts([doc.Fact(card.label, (card.value, *card.small)) for card in block.cards])]
        case doc.Figure():
            return [f"% Chart: {doc.clean(block.caption)}"]
        case doc.Code() | doc.Embed():
            return []


def _prose(text: str) -> str:
    return with_minus(escape(text))


def _sentence(text: str) -> str:
    """A sentence of ours, with the names of columns and the like in the letters of a typewriter."""
    return CODE.sub(r"\\texttt{\1}", _prose(text))


def _facts(facts: Sequence[doc.Fact]) -> str:
    lines = [f"  \\item[{escape(fact.label)}] {_prose(' '.join(fact.lines))}" for fact in facts]
    return "\n".join([r"\begin{description}", *lines, r"\end{description}"]) + "\n"


def _examples(block: doc.Examples) -> str:
    """Lists of texts, marked words in bold."""
    note = escape(block.marked_by("Marked words"))
    lines = [f"\\paragraph{{{escape(block.title)}.}} {note}", r"\begin{enumerate}", r"  \sloppy"]
    for example in block.examples:
        lines += [f"  \\item {escape(example.title)}", r"  \begin{description}"]
        lines += [f"    \\item[{escape(label)}] {doc.mark_up(words, _bold, escape)}" for label, words in example.texts]
        lines.append(r"  \end{description}")
    return "\n".join([*lines, r"\end{enumerate}"]) + "\n"


def _bold(escaped: str) -> str:
    return f"\\textbf{{{escaped}}}"


def escape(text: str) -> str:
    r"""Text that LaTeX sets as it is.

    Examples
    --------
    >>> print(escape("50 % of a_b & c"))
    50~\% of a\_b \& c
    >>> print(escape("p = 10^-1505.2, 2^n"))
    p = $10^{-1505.2}$, 2\textasciicircum{}n
    """
    # Every other piece is the exponent of a power of ten.
    pieces = ["".join(ESCAPES.get(char, char) for char in piece) for piece in POWER.split(doc.clean(text))]
    escaped = "".join(f"$10^{{{piece}}}$" if i % 2 else piece for i, piece in enumerate(pieces))
    # Two hyphens in a row would become a dash, and a per cent sign belongs to its number.
    return re.sub(r"-(?=-)", "-{}", escaped).replace(r" \%", r"~\%")


def _table(table: doc.Table) -> str:
    """A table with its caption and notes."""
    title = f"{table.title}, {table.about}" if table.about else table.title
    notes = [*table.notes, *([LEGEND] if "worst" in table.marks.values() else [])]
    caption = " ".join(text if text.endswith(".") else f"{text}." for text in (title, *notes))
    # A line across the table takes the room of all its columns.
    opening, prose = _opened(replace(table, rows=tuple(row for row in table.rows if not table.is_across(row))))
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escape(caption)}}}",
        f"  \\label{{tab:outscore-{table.label or table.key}}}",
        *opening,
        r"    \toprule",
        f"    {_row(table.columns, prose)}",
        r"    \midrule",
        *(f"    {line}" for i in range(len(table.rows)) for line in _body_rows(table, i, prose)),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _opened(table: doc.Table) -> tuple[list[str], list[bool]]:
    """The lines that begin a table in a size in which it fits a line, and which of its columns are broken into lines."""
    setting = fitting(table)
    prose = setting.prose(table)
    share = f"{setting.share(table):.2f}".removeprefix("0")
    columns = "".join(f"p{{{share}\\linewidth}}" if broken else side for side, broken in zip(table.align, prose, strict=True))
    lines = [
        *([f"  {setting.size}\\setlength{{\\tabcolsep}}{{{setting.gap:g}pt}}"] if setting.size else []),
        *([r"  \sloppy"] if any(prose) else []),
        f"  \\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
    ]
    return lines, prose


def _body_rows(table: doc.Table, i: int, prose: Sequence[bool]) -> list[str]:
    row = table.rows[i]
    if table.is_across(row):
        line = f"\\multicolumn{{{len(row)}}}{{@{{}}l@{{}}}}{{\\textit{{{escape(row[0])}}}}} \\\\"
        return [line] if i == 0 else [r"\addlinespace", line]
    marks = [table.marks.get((i, column)) for column in range(len(row))]
    above = [_superscript(table.superscripts.get((i, column), "")) for column in range(len(row))]
    return [_row(row, prose, marks, above)]


def _superscript(text: str) -> str:
    if not text:
        return ""
    return f"$^{{{ARROWS[text]}}}$" if text in ARROWS else f"$^{{\\mathrm{{{text}}}}}$"


def _row(
    cells: Sequence[str], prose: Sequence[bool], marks: Sequence[str | None] | None = None, above: Sequence[str] | None = None
) -> str:
    """Cells between ampersands; those of prose may be broken inside long words, such as digests and paths."""
    shown = [_breakable(cell) if broken else with_minus(cell_of(cell)) for cell, broken in zip(cells, prose, strict=True)]
    if above is not None:
        shown = [cell + sup for cell, sup in zip(shown, above, strict=True)]
    if marks is not None:
        shown = [_marked(cell, mark) for cell, mark in zip(shown, marks, strict=True)]
    return " & ".join(shown) + r" \\"


def _marked(cell: str, mark: str | None) -> str:
    if mark is None:
        return cell
    return f"\\cellcolor{{{COLOURS[mark]}}}" + (f"\\textbf{{{cell}}}" if mark == "best" else cell)


def _breakable(text: str) -> str:
    escaped = escape(" ".join(_pieced(word) for word in text.split(" ")))
    return with_minus(escaped.replace(BREAK, r"\allowbreak{}"))


def _pieced(word: str) -> str:
    pieces = [word[i : i + PIECE] for i in range(0, len(word), PIECE)]
    return word if len(word) <= MAX_WORD else BREAK.join(pieces)


def with_minus(escaped: str) -> str:
    """Minus signs for the hyphens before numbers and between two names."""
    return re.sub(r"(?:^|(?<=[ (]))-(?=\.?\d)|(?<= )-(?= )", "$-$", escaped)


def cell_of(text: str) -> str:
    """A cell, with mathematical signs where a number has them."""
    if re.fullmatch(r"\d+–\d+", text):
        return text.replace("–", "--")
    if text.startswith("<= "):
        return f"$\\leq$ {escape(text[3:])}"
    return f"$-${escape(text[1:])}" if re.match(r"-[\d.]", text) else escape(text)


@dataclass(frozen=True)
class Setting:
    """A size of type: its command, how large it is beside the normal one, and half the points between columns.

    Texts of more than `breaks` letters are broken into lines.
    """

    size: str
    scale: float
    gap: float
    breaks: int

    def prose(self, table: doc.Table) -> list[bool]:
        """Which columns hold texts that are broken into lines."""
        return [side == "l" and any(self._is_broken(row[i]) for row in table.rows) for i, side in enumerate(table.align)]

    def _is_broken(self, text: str) -> bool:
        return len(text) > (self.breaks if " " in text else ALWAYS_BROKEN)

    def share(self, table: doc.Table) -> float:
        """The part of a line for each column of prose."""
        return min(max(self._left(table) / max(sum(self.prose(table)), 1), MIN_SHARE), MAX_SHARE)

    def fits(self, table: doc.Table) -> bool:
        """Whether the table is no wider than a line."""
        return self._left(table) >= MIN_SHARE * sum(self.prose(table))

    def _left(self, table: doc.Table) -> float:
        """The part of a line that columns without prose leave."""
        columns, prose = zip(table.columns, *table.rows, strict=True), self.prose(table)
        used = sum(max(map(_points, cells)) for cells, broken in zip(columns, prose, strict=True) if not broken)
        return 1 - (self.scale * used + 2 * self.gap * (len(prose) - 1)) / LINE


SETTINGS = (
    Setting("", 1.0, 6.0, ALWAYS_BROKEN),
    Setting(r"\small", 0.93, 4.0, ALWAYS_BROKEN),
    Setting(r"\small", 0.93, 4.0, 16),
    Setting(r"\footnotesize", 0.86, 3.0, 16),
    Setting(r"\scriptsize", 0.81, 2.5, 16),
)
"""From what reads best to what fits most."""


def fitting(table: doc.Table) -> Setting:
    """The first setting in which the table fits a line; the last where it fits in none.

    Examples
    --------
    >>> fitting(doc.Table("t", "", ("name", "score"), "lr", (("a", ".5"),))).size
    ''
    """
    return next((setting for setting in SETTINGS if setting.fits(table)), SETTINGS[-1])


def _points(text: str) -> float:
    """About how wide Computer Modern sets a text at ten points."""
    return sum(map(_letter, text))


def _letter(char: str) -> float:
    if char in NARROW:
        return 3.5
    if unicodedata.east_asian_width(char) in "WF":
        return 10.0
    if char in WIDE:
        return 8.0
    return 7.2 if char.isupper() else 5.1
