"""A diff as plain text: warnings about label inventories before anything else, the verdict, then the tables.

No line is longer than the width asked for. By default tables show their first rows; `verbose` shows all rows of all tables.
"""

from __future__ import annotations

from dataclasses import replace

from outscore.report.rows.diff_pairs import Sort
from outscore.report.rows.diff_selection import chosen_sheets, default_sheets, told_pairs
from outscore.report.rows.diff_words import Sheet, is_section
from outscore.report.table import Table, clean

# The layout of a table in columns is that of every other text.
from outscore.report.write.text import GAP, NARROWEST, fact_lines, titled, wrapped
from outscore.results.diff import Diff
from outscore.results.note import note_texts

__all__ = ["render_text"]

MARKS = {"best": "+", "worst": "-", "middle": " "}
# Private-use characters hold the place of section lines, which must not widen the first column.
FIRST_STAND_IN = 0xE000
STAND_INS = range(FIRST_STAND_IN, FIRST_STAND_IN + 16)
RANKED = ("oracle",)
# What a name may be squeezed to before columns are moved below.
NAME = 14
LEGEND = {True: "+ best, - worst.", False: "+ best."}


def render_text(
    diff: Diff,
    *,
    verbose: bool = False,
    top: int = 5,
    sort: Sort = "evidence",
    width: int = 80,
    tables: tuple[str, ...] = (),
) -> str:
    """The whole diff as text that ends with a line end, or only the tables named in `tables`."""
    width = max(width, NARROWEST)
    if tables:
        return "\n".join("\n".join(_sheet(sheet, width)) + "\n" for sheet in chosen_sheets(diff, tables, top=top, sort=sort))
    blocks = [fact_lines("warnings", [warning], width) for warning in diff.inventory.warnings]
    blocks.append([line for verdict in diff.verdicts for line in wrapped(clean(verdict), width)])
    blocks += [_sheet(sheet, width) for sheet in default_sheets(diff, verbose=verbose, top=top, sort=sort)]
    blocks.append(_closing(diff, width, verbose=verbose))
    return "\n".join("\n".join(block) + "\n" for block in blocks if block)


def _sheet(sheet: Sheet, width: int) -> list[str]:
    """The table in columns, with section lines running across them."""
    table = _marked(sheet)
    sections = [row[0] for row in table.rows if is_section(row)]
    if not sections:
        return [line for piece in _pieces(table, width) for line in titled(piece, width)]
    stand_ins = (chr(FIRST_STAND_IN + i) for i in range(len(sections)))
    rows = tuple((next(stand_ins), *row[1:]) if is_section(row) else row for row in table.rows)
    lines = titled(replace(table, rows=rows), width)
    return [
        part
        for line in lines
        for part in (
            wrapped(sections[ord(line) - FIRST_STAND_IN], width) if len(line) == 1 and ord(line) in STAND_INS else [line]
        )
    ]


def _pieces(table: Table, width: int) -> list[Table]:
    """The table, or where its columns do not fit side by side, as those of thirty systems, some of them at a time.

    The first column stands in every piece. Words of names may be broken, numbers may not.
    """
    grid = [*table.rows, table.columns]
    needs = [
        max(min(_longest(row[i]), _longest(row[i]) if side == "r" and row is not table.columns else NAME) for row in grid)
        for i, side in enumerate(table.align)
    ]
    groups: list[list[int]] = [[0]]
    for i in range(1, len(needs)):
        if sum(needs[j] + len(GAP) for j in groups[-1]) + needs[i] > width and len(groups[-1]) > 1:
            groups.append([0])
        groups[-1].append(i)
    pieces = [_columns_of(table, group) for group in groups]
    first, last = replace(pieces[0], title=table.title), replace(pieces[-1], notes=table.notes)
    return [table] if len(pieces) == 1 else [first, *pieces[1:-1], last]


def _columns_of(table: Table, chosen: list[int]) -> Table:
    """Some columns of a table, without title and notes."""
    rows = tuple(tuple(row[i] for i in chosen) for row in table.rows)
    align = "".join(table.align[i] for i in chosen)
    return replace(table, title="", columns=tuple(table.columns[i] for i in chosen), align=align, rows=rows, notes=())


def _longest(cell: str) -> int:
    return max(map(len, cell.split()), default=0)


def _marked(sheet: Sheet) -> Table:
    """The table with a sign after each ranked cell; the few numbers of a table of scores need none."""
    if not sheet.marks or sheet.table.key not in RANKED:
        return sheet.table
    columns = {column for _, column in sheet.marks}
    rows = tuple(
        tuple(
            cell + MARKS[sheet.marks.get((i, column), "middle")] if column in columns and cell else cell
            for column, cell in enumerate(row)
        )
        for i, row in enumerate(sheet.table.rows)
    )
    # The heading keeps its place over the digits.
    headings = tuple(f"{name} " if column in columns else name for column, name in enumerate(sheet.table.columns))
    return replace(
        sheet.table, columns=headings, rows=rows, notes=(*sheet.table.notes, LEGEND["worst" in sheet.marks.values()])
    )


def _closing(diff: Diff, width: int, *, verbose: bool) -> list[str]:
    lines = fact_lines(
        "notes", note_texts(dict.fromkeys([*diff.notes, *(n for pair in diff.pairs for n in pair.notes)])), width
    )
    sentences = [pair.sentence for pair in told_pairs(diff, verbose=verbose)]
    return lines + fact_lines("for a paper", sentences, width)
