"""A ranking as Markdown: the verdict as a heading, tables, groups, and the sentence for a paper."""

from __future__ import annotations

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
from outscore.report.rows.ranking_facts import facts, headline
from outscore.report.rows.ranking_words import cells
from outscore.report.table import Table, make_table
from outscore.report.write.markdown import escape, facts_block, fenced, table_block
from outscore.report.write.ranking_text import MOST_SHOWN, legend, symbol
from outscore.results.ranking import Ranking

__all__ = ["heat_table", "render_markdown"]

MOST_DATASETS = 8
"""Columns of datasets that a page has room for."""


def render_markdown(ranking: Ranking, *, verbose: bool = False) -> str:
    """The whole ranking as Markdown; `verbose` shows all systems, all pairs and the settings."""
    most, few = None if verbose else MOST_SHOWN, len(ranking.scores) <= MOST_SHOWN
    top, why = headline(ranking)
    table = place_table(ranking, most=most, counts=not few)
    blocks = [f"# {escape(top)}", escape(why), f"**{escape(table.title)}**", table_block(table)]
    if groups := group_lines(ranking, most=None if few or verbose else MOST_SHOWN):
        blocks += ["## Groups", GROUPS, "\n".join(f"- {escape(line)}" for line in groups)]
    for more in _more(ranking, verbose=verbose):
        blocks += [] if more is None else [f"## {escape(more.title)}", table_block(more)]
    blocks += ["## What it rests on", facts_block(facts(ranking)), "## For a paper", f"> {escape(ranking.sentence)}"]
    return "\n\n".join(block for block in [*blocks, fenced(ranking.signature)] if block) + "\n"


def _more(ranking: Ranking, *, verbose: bool) -> list[Table | None]:
    most = None if verbose else MOST_SHOWN
    tables = [
        heat_table(ranking),
        standings_table(ranking, ranking.metrics, "metric"),
        grid_table(ranking, ranking.metrics, "metric", most),
        standings_table(ranking, ranking.datasets, "dataset"),
        grid_table(ranking, ranking.datasets, "dataset", most) if verbose or len(ranking.datasets) <= MOST_DATASETS else None,
        replicability_table(ranking, most),
        critical_table(ranking),
    ]
    if verbose:
        tables += [pair_table(ranking) if ranking.pairs else None, settings_table(ranking)]
    return tables


def heat_table(ranking: Ranking) -> Table | None:
    """Who beat whom as a table of signs; None where pairs were not all compared or are too many."""
    systems = [s.system for s in ranking.scores]
    if ranking.baseline is not None or not ranking.pairs or not 2 < len(systems) <= MOST_SHOWN:
        return None
    found, numbers = cells(ranking.standing, ranking.alpha), [str(i) for i in range(1, len(systems) + 1)]
    rows = [
        (number, row, *(symbol(found.get((row, column))) for column in systems))
        for number, row in zip(numbers, systems, strict=True)
    ]
    # Every column has a sign, because every system met another.
    columns = ["", "system", *numbers]
    return make_table("heat", "Who beat whom", columns, "rl" + "r" * len(systems), rows, [legend(ranking)])
