r"""Results as LaTeX for a paper: booktabs tables and the sentence, with every text escaped.

The preamble needs ``\usepackage{booktabs}`` and nothing else. Signatures stand in comments above the table they belong to.
"""

from __future__ import annotations

import re

from outscore.report.facts import heading
from outscore.report.table import Table, clean
from outscore.report.tables import ASKED_FOR, details, results, settings
from outscore.results import Comparisons

__all__ = ["cell_of", "escape", "render"]

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
    "\ufffd": "?",
}


def render(comparisons: Comparisons, *, verbose: bool = False) -> str:
    """The table of results, the sentences and what was asked for; `verbose` adds every other table."""
    parts = ["% Needs \\usepackage{booktabs} in the preamble."]
    parts += [f"% {clean(c.signature)}" for c in comparisons.comparisons]
    parts += [_table(results(comparisons), "results")]
    parts += [f"{_with_minus(escape(c.sentence))}\n" for c in comparisons.comparisons]
    for i, c in enumerate(comparisons.comparisons, 1):
        shown = [table for table in details(c, comparisons) if verbose or table.key in ASKED_FOR]
        parts += [_table(table, f"{table.key}-{i}", heading(c)) for table in shown]
    if verbose and comparisons.settings:
        parts.append(_table(settings(comparisons), "settings"))
    return "\n".join(parts)


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


def _table(table: Table, label: str, about: str = "") -> str:
    caption = f"{table.title}, {about}" if about else table.title
    notes = " ".join(note if note.endswith(".") else f"{note}." for note in table.notes)
    columns = "".join("p{.4\\linewidth}" if _is_prose(table, i) else side for i, side in enumerate(table.align))
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{escape(caption)}.{' ' + escape(notes) if notes else ''}}}",
        f"  \\label{{tab:outscore-{label}}}",
        f"  \\begin{{tabular}}{{@{{}}{columns}@{{}}}}",
        r"    \toprule",
        f"    {_row(table.columns)}",
        r"    \midrule",
        *(f"    {_row(row)}" for row in table.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _is_prose(table: Table, column: int) -> bool:
    """Whether a column holds sentences, which must be broken into lines."""
    return table.align[column] == "l" and any(len(row[column]) > 40 for row in table.rows)


def _row(cells: tuple[str, ...]) -> str:
    return " & ".join(_with_minus(cell_of(cell)) for cell in cells) + r" \\"


def _with_minus(escaped: str) -> str:
    """Minus signs for the hyphens before numbers and between two names."""
    return re.sub(r"(?:^|(?<=[ (]))-(?=\.?\d)|(?<= )-(?= )", "$-$", escaped)


def cell_of(text: str) -> str:
    """A cell, with mathematical signs where a number has them."""
    if power := re.fullmatch(r"10\^(-[\d.]+)", text):
        return f"$10^{{{power[1]}}}$"
    if text.startswith("<= "):
        return f"$\\leq$ {escape(text[3:])}"
    return f"$-${escape(text[1:])}" if re.match(r"-[\d.]", text) else escape(text)
