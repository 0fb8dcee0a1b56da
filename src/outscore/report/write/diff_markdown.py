"""A diff as Markdown: the same tables as the text, with the best system bold and the worst in italics."""

from __future__ import annotations

from outscore.report.rows.diff_pairs import Sort
from outscore.report.rows.diff_selection import chosen_sheets, default_sheets, told_pairs
from outscore.report.rows.diff_words import Sheet, is_section
from outscore.report.write.markdown import escape
from outscore.results.diff import Diff

__all__ = ["render_markdown"]

MARKS = {"best": "**", "worst": "*", "middle": ""}
LEGEND = "Bold: the best system of the row; italics: the worst."


def render_markdown(
    diff: Diff, *, verbose: bool = False, top: int = 5, sort: Sort = "evidence", tables: tuple[str, ...] = ()
) -> str:
    """The whole diff as Markdown, or only the tables named in `tables`."""
    if tables:
        blocks = [block for sheet in chosen_sheets(diff, tables, top=top, sort=sort) for block in _blocks(sheet)]
        return "\n\n".join(blocks) + "\n"
    blocks = [f"# {escape(' and '.join(diff.systems[:2]) if len(diff.systems) < 3 else f'{len(diff.systems)} systems')}"]
    blocks += [f"> **Warning.** {escape(warning)}" for warning in diff.inventory.warnings]
    blocks += map(escape, diff.verdicts)
    for sheet in default_sheets(diff, verbose=verbose, top=top, sort=sort):
        blocks += _blocks(sheet)
    notes = dict.fromkeys([*diff.notes, *(note for pair in diff.pairs for note in pair.notes)])
    blocks += ["\n".join(f"- {escape(note.text)}" for note in notes)] if notes else []
    sentences = [f"> {escape(pair.sentence)}" for pair in told_pairs(diff, verbose=verbose)]
    blocks += ["## For a paper", *sentences] if sentences else []
    return "\n\n".join(block for block in blocks if block) + "\n"


def _blocks(sheet: Sheet) -> list[str]:
    table = sheet.table
    rule = ["---:" if side == "r" else ":---" for side in table.align]
    lines = [_row(list(map(escape, table.columns))), _row(rule)]
    lines += [_row(_cells(sheet, i)) for i in range(len(table.rows))]
    notes = [*table.notes, *([LEGEND] if "worst" in sheet.marks.values() else [])]
    return [f"## {escape(table.title)}", "\n".join(lines), *map(escape, notes)]


def _cells(sheet: Sheet, i: int) -> list[str]:
    row = sheet.table.rows[i]
    if is_section(row):
        return [f"**{escape(row[0])}**", *row[1:]]
    signs = [MARKS[sheet.marks[i, column]] if (i, column) in sheet.marks else "" for column in range(len(row))]
    return [f"{sign}{escape(cell)}{sign}" for sign, cell in zip(signs, row, strict=True)]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
