r"""A diff as LaTeX for a paper: booktabs tables in the shapes of Tuggener (2017).

As there, the best system of a row is green, the worst red and the others yellow; the best is bold too, so that the table can be
read without colour. The preamble needs ``booktabs`` and ``xcolor`` with the option ``table``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from outscore.report.rows.diff_pairs import Sort
from outscore.report.rows.diff_selection import chosen_sheets, default_sheets, told_pairs
from outscore.report.rows.diff_words import Sheet, is_section
from outscore.report.table import clean

# A cell with mathematical signs where a number has them is the same in every table.
from outscore.report.write.latex import cell_of, escape, opened
from outscore.results.diff import Diff

__all__ = ["render_latex"]

NEEDS = "% Needs \\usepackage{booktabs} and \\usepackage[table]{xcolor} in the preamble."
COLOURS = {"best": "green!25", "middle": "yellow!25", "worst": "red!20"}
LEGEND = "Green and bold: the best system of the row; red: the worst."
# Signs that the tables of a diff write themselves.
SIGNS = {"→": r"$\rightarrow$", "Δ": r"$\Delta$", "³": "$^3$"}


def render_latex(
    diff: Diff, *, verbose: bool = False, top: int = 5, sort: Sort = "evidence", tables: tuple[str, ...] = ()
) -> str:
    """The tables of a diff and the sentences of its pairs, or only the tables named in `tables`."""
    if tables:
        sheets = chosen_sheets(diff, tables, top=top, sort=sort)
        return "\n".join([NEEDS, *(_table(sheet, _label(sheet, diff)) for sheet in sheets)])
    parts = [NEEDS, *(f"% Warning: {clean(warning)}" for warning in diff.inventory.warnings)]
    sheets = default_sheets(diff, verbose=verbose, top=top, sort=sort)
    parts += [_table(sheet, _label(sheet, diff)) for sheet in sheets]
    return "\n".join([*parts, *(f"{_escaped(pair.sentence)}\n" for pair in told_pairs(diff, verbose=verbose))])


def _label(sheet: Sheet, diff: Diff) -> str:
    """A name for references; tables of several pairs are numbered."""
    key = sheet.table.key
    return key if sheet.pair is None or len(diff.pairs) == 1 else f"{key}-{diff.pairs.index(sheet.pair) + 1}"


def _table(sheet: Sheet, label: str) -> str:
    table = sheet.table
    notes = [*table.notes, *([LEGEND] if "worst" in sheet.marks.values() else [])]
    caption = " ".join(text if text.endswith(".") else f"{text}." for text in (table.title, *notes))
    # A line across the table takes the room of all its columns.
    opening, _ = opened(replace(table, rows=tuple(row for row in table.rows if not is_section(row))))
    body = [line for i in range(len(table.rows)) for line in _row(sheet, i)]
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{_escaped(caption)}}}",
        f"  \\label{{tab:outscore-{label}}}",
        *opening,
        r"    \toprule",
        f"    {' & '.join(map(_escaped, table.columns))} \\\\",
        r"    \midrule",
        *(f"    {line}" for line in body),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(sheet: Sheet, i: int) -> list[str]:
    row = sheet.table.rows[i]
    if is_section(row):
        line = f"\\multicolumn{{{len(row)}}}{{@{{}}l@{{}}}}{{\\textit{{{_escaped(row[0])}}}}} \\\\"
        return [line] if i == 0 else [r"\addlinespace", line]
    return [" & ".join(_marked(cell, sheet.marks.get((i, column))) for column, cell in enumerate(row)) + r" \\"]


def _marked(cell: str, mark: str | None) -> str:
    text = _signed(cell_of(cell))
    if mark is None:
        return text
    return f"\\cellcolor{{{COLOURS[mark]}}}" + (f"\\textbf{{{text}}}" if mark == "best" else text)


def _escaped(text: str) -> str:
    return _signed(escape(text))


def _signed(text: str) -> str:
    return re.sub("[→Δ³]", lambda match: SIGNS[match[0]], text)
