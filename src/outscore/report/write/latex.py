r"""Results as LaTeX for a paper: booktabs tables and the sentence, with every text escaped.

The preamble needs ``\usepackage{booktabs}`` and nothing else. Signatures stand in comments above the table they belong to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from outscore.report.rows.comparison import ASKED_FOR, details, results, settings
from outscore.report.rows.facts import heading
from outscore.report.rows.marking import mark_up
from outscore.report.rows.metrics import is_family_of_metrics, metric_sentence, metric_table
from outscore.report.rows.segments import MANY, segment_views, segments_note, segments_title
from outscore.report.table import Table, clean
from outscore.report.write.latex_width import fitting
from outscore.results.comparison import Comparison, Comparisons

__all__ = ["cell_of", "escape", "opened", "preamble", "render", "table_block", "with_minus"]

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
    "γ": r"$\gamma$",
    "\ufffd": "?",
}

BEYOND_LATIN = re.compile(r"[^\u0000-\u024f\u2010-\u2027]")
"""What pdflatex does not set by itself; dashes, quotation marks and dots it does."""
LONGEST_WORD, PIECE = 24, 12
"""A longer word, such as a digest or a path, may be broken after every so many letters where a column has lines."""
# A soft hyphen, which cleaning keeps, marks the places until everything is escaped.
BREAK = "\u00ad"


def render(comparisons: Comparisons, *, verbose: bool = False) -> str:
    """The table of results, the sentences and what was asked for; `verbose` adds every other table and the segments."""
    several_metrics = is_family_of_metrics(comparisons)
    sentences = [metric_sentence(comparisons)] if several_metrics else [c.sentence for c in comparisons.comparisons]
    parts = [f"% {clean(c.signature)}" for c in comparisons.comparisons]
    parts += [table_block(metric_table(comparisons) if several_metrics else results(comparisons), "results")]
    parts += [f"{with_minus(escape(sentence))}\n" for sentence in sentences]
    for i, c in enumerate(comparisons.comparisons, 1):
        shown = [table for table in details(c, comparisons) if verbose or table.key in ASKED_FOR]
        parts += [table_block(table, f"{table.key}-{i}", heading(c)) for table in shown]
        parts += [_segments(c)] if verbose and c.segments else []
    if verbose and comparisons.settings:
        parts.append(table_block(settings(comparisons), "settings"))
    body = "\n".join(parts)
    return f"{preamble(body)}\n{body}"


def preamble(body: str) -> str:
    r"""Comments that say what the text after them needs.

    Examples
    --------
    >>> print(preamble("naïve"))
    % Needs \usepackage{booktabs} in the preamble.
    """
    lines = ["% Needs \\usepackage{booktabs} in the preamble."]
    if BEYOND_LATIN.search(body):
        lines.append("% Letters beyond Latin need lualatex or xelatex, and \\setmainfont (fontspec) with a font that has them.")
    return "\n".join(lines)


def _segments(c: Comparison) -> str:
    """The segments as lists of texts, marked words in bold."""
    lines = [f"\\paragraph{{{escape(segments_title(c))}.}} {segments_note(c)}", r"\begin{enumerate}", r"  \sloppy"]
    for view in segment_views(c, MANY):
        lines += [f"  \\item {escape(view.title)}", r"  \begin{description}"]
        lines += [f"    \\item[{escape(label)}] {mark_up(words, _bold, escape)}" for label, words in view.texts]
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
    """
    escaped = "".join(ESCAPES.get(char, char) for char in clean(text))
    # Two hyphens in a row would become a dash, and a per cent sign belongs to its number.
    return re.sub(r"-(?=-)", "-{}", escaped).replace(r" \%", r"~\%")


def table_block(table: Table, label: str, about: str = "") -> str:
    """A table with its caption and notes."""
    caption = f"{table.title}, {about}" if about else table.title
    notes = " ".join(note if note.endswith(".") else f"{note}." for note in table.notes)
    opening, prose = opened(table)
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escape(caption)}.{' ' + escape(notes) if notes else ''}}}",
        f"  \\label{{tab:outscore-{label}}}",
        *opening,
        r"    \toprule",
        f"    {_row(table.columns, prose)}",
        r"    \midrule",
        *(f"    {_row(row, prose)}" for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def opened(table: Table) -> tuple[list[str], list[bool]]:
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


def _row(cells: Sequence[str], prose: Sequence[bool]) -> str:
    """Cells between ampersands; those of prose may be broken inside long words, such as digests and paths."""
    shown = [_breakable(cell) if broken else with_minus(cell_of(cell)) for cell, broken in zip(cells, prose, strict=True)]
    return " & ".join(shown) + r" \\"


def _breakable(text: str) -> str:
    escaped = escape(" ".join(_pieced(word) for word in text.split(" ")))
    return with_minus(escaped.replace(BREAK, r"\allowbreak{}"))


def _pieced(word: str) -> str:
    pieces = [word[i : i + PIECE] for i in range(0, len(word), PIECE)]
    return word if len(word) <= LONGEST_WORD else BREAK.join(pieces)


def with_minus(escaped: str) -> str:
    """Minus signs for the hyphens before numbers and between two names."""
    return re.sub(r"(?:^|(?<=[ (]))-(?=\.?\d)|(?<= )-(?= )", "$-$", escaped)


def cell_of(text: str) -> str:
    """A cell, with mathematical signs where a number has them."""
    if power := re.fullmatch(r"10\^(-[\d.]+)", text):
        return f"$10^{{{power[1]}}}$"
    if text.startswith("<= "):
        return f"$\\leq$ {escape(text[3:])}"
    return f"$-${escape(text[1:])}" if re.match(r"-[\d.]", text) else escape(text)
