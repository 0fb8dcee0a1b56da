"""A ranking as plain text: the verdict, the table of places, the groups in words, who beat whom, and what it all rests on.

No line is longer than the width asked for. By default the first systems are shown; `verbose` shows all of them, and all pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outscore.language.numbers import format_level
from outscore.report.rows.ranking import (
    GROUPS,
    critical_table,
    grid_table,
    group_lines,
    pair_table,
    place_table,
    replicability_table,
    settings_table,
    standings_table,
)
from outscore.report.rows.ranking_facts import facts
from outscore.report.rows.ranking_words import Cell, bounds_of, cells, fitted, interval_name
from outscore.report.table import Table, clean, screen_width

# The layout of a table in columns is that of every other text.
from outscore.report.write.text import GAP, LABEL, NARROWEST, fact_lines, signature_lines, titled, wrapped
from outscore.results.ranking import Ranking

__all__ = ["MOST_SHOWN", "render_text", "symbol"]

MOST_SHOWN = 20
"""Systems that are shown unless all are asked for; up to so many have a heat map."""
MOST_GROUPS = 10
FEWER_GROUPS, FEWER_NAMES = 5, 5
SQUEEZED = 26
"""What a name may be squeezed to before columns are left out."""
SYMBOLS = {"better": ">", "worse": "<", "open": "·", "apart": "?"}
NAME = 18
"""What a name is cut to in a heat map."""


def render_text(ranking: Ranking, *, verbose: bool = False, width: int = 80) -> str:
    """The whole ranking as text that ends with a line end."""
    width = max(width, NARROWEST)
    most = None if verbose else MOST_SHOWN
    few = len(ranking.scores) <= MOST_SHOWN
    blocks = [wrapped(clean(ranking.verdict), width)]
    table = place_table(ranking, most=most, counts=not few)
    blocks.append(titled(table if verbose else _shed(table, ("n", "loses", interval_name(ranking)), width), width))
    most_groups, names = (None, MOST_SHOWN) if verbose else (MOST_GROUPS, 8) if few else (FEWER_GROUPS, FEWER_NAMES)
    groups = group_lines(ranking, most=most_groups, names=names)
    blocks.append(fact_lines("groups", [*groups, GROUPS], width) if groups else [])
    blocks.append(heat_lines(ranking, width) if few else [])
    blocks += [titled(table, width) for table in _more(ranking, verbose=verbose) if table is not None]
    blocks.append(_closing(ranking, width))
    return "\n".join("\n".join(block) + "\n" for block in blocks if block)


def _more(ranking: Ranking, *, verbose: bool) -> list[Table | None]:
    tables = [
        standings_table(ranking, ranking.metrics, "metric"),
        standings_table(ranking, ranking.datasets, "dataset"),
        replicability_table(ranking, None if verbose else MOST_SHOWN),
        critical_table(ranking),
    ]
    if verbose:
        tables += [grid_table(ranking, ranking.metrics, "metric")]
        tables += [pair_table(ranking)] if ranking.pairs else []
        tables += [settings_table(ranking)]
    return tables


def _shed(table: Table, columns: Sequence[str], width: int) -> Table:
    """The table without some columns, the first one first, as far as its rows would not stay on one line each."""
    gone: list[str] = []
    for name in [name for name in columns if name in table.columns]:
        needs = [max(screen_width(row[i]) for row in (table.columns, *table.rows)) for i in range(len(table.columns))]
        needs[1] = min(needs[1], SQUEEZED)
        if sum(needs) + len(GAP) * (len(needs) - 1) <= width:
            break
        gone.append(name)
        kept = [i for i, column in enumerate(table.columns) if column != name]
        align, heads = "".join(table.align[i] for i in kept), tuple(table.columns[i] for i in kept)
        table = replace(table, columns=heads, align=align, rows=tuple(tuple(row[i] for i in kept) for row in table.rows))
    note = f"Left out for want of room: {', '.join(gone)} (-v shows all)."
    return replace(table, notes=(*table.notes, note)) if gone else table


def symbol(cell: Cell | None) -> str:
    """The sign of a pair from the side of its row; doubled where the strictest level is met."""
    if cell is None:
        return ""
    strict = cell.outcome in ("better", "worse") and cell.level > 2
    return SYMBOLS[cell.outcome] * (2 if strict else 1)


def legend(ranking: Ranking) -> str:
    """What the signs say."""
    bounds = bounds_of(ranking.alpha)
    doubled = f" (doubled: <= {format_level(bounds[-1])})" if len(bounds) > 2 else ""
    apart = "; ? no common item" if ranking.counts.testable < ranking.counts.pairs else ""
    return f"> the row is better, < it is worse, adjusted p <= {format_level(ranking.alpha)}{doubled}; · not told apart{apart}."


def heat_lines(ranking: Ranking, width: int) -> list[str]:
    """Who beat whom, a row and a column for each system; nothing where pairs were not all compared, or do not fit."""
    systems = [s.system for s in ranking.scores]
    if ranking.baseline is not None or not ranking.pairs or len(systems) < 3:
        return []
    found = cells(ranking.standing, ranking.alpha)
    grid = [[symbol(found.get((row, column))) for column in systems] for row in systems]
    step = max(len(str(len(systems))), *(len(text) for row in grid for text in row)) + 1
    room = width - step * len(systems) - 4
    if room < NAME // 2:
        return []
    names = [fitted(system, min(room, NAME)) for system in systems]
    longest = max(map(screen_width, names))
    numbers = [str(i) for i in range(1, len(systems) + 1)]
    lines = ["Who beat whom", " " * (longest + 4) + "".join(f"{number:>{step}}" for number in numbers)]
    for number, name, row in zip(numbers, names, grid, strict=True):
        padding = " " * (longest - screen_width(name))
        lines.append((f"{number:>2}{GAP}{name}{padding}" + "".join(f"{text:>{step}}" for text in row)).rstrip())
    return [*lines, *wrapped(legend(ranking), width)]


def _unbroken(text: str, width: int) -> list[str]:
    """A text in which a metric's signature breaks between its parts only."""
    # A word that is not the first of a text stands on an indented line.
    long = any(len(word) > width - 2 and "|" in word for word in text.split())
    return signature_lines(text, width) if long else [text]


def _closing(ranking: Ranking, width: int) -> list[str]:
    lines = []
    for fact in facts(ranking):
        lines += fact_lines(fact.label, [row for text in fact.lines for row in _unbroken(text, width - LABEL)], width)
    lines += fact_lines("for a paper", [ranking.sentence], width)
    return lines + fact_lines("signature", signature_lines(clean(ranking.signature), width - LABEL), width)
