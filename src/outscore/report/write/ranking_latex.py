r"""A ranking as LaTeX for a paper: a booktabs table with the groups as superscript letters, or arrows against a baseline.

The preamble needs ``\usepackage{booktabs}`` and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

from outscore.language.numbers import format_level, format_number
from outscore.report.rows.ranking import MOST_LETTERS, critical_table, pair_table, replicability_table, settings_table
from outscore.report.rows.ranking_facts import correction_name, words_of_test
from outscore.report.rows.ranking_words import cells, decimals_of, ends, interval_name, places, shown_letters, subject
from outscore.report.table import clean
from outscore.report.write.latex import cell_of, escape, preamble, table_block, with_minus
from outscore.report.write.ranking_markdown import MOST_DATASETS
from outscore.results.ranking import Ranking, Standing

__all__ = ["render_latex"]

ARROWS = {"better": r"\uparrow", "worse": r"\downarrow"}
MOST_ROWS = 60
"""Rows that fit on one page; the rest is for `verbose`, and for the reader to break."""


def render_latex(ranking: Ranking, *, verbose: bool = False) -> str:
    """The table of places, that of datasets or metrics, and the sentence; `verbose` adds every other table."""
    parts = [f"% {clean(ranking.signature)}", _places(ranking, verbose=verbose)]
    if ranking.metrics:
        parts.append(_grid(ranking, ranking.metrics, "metric", verbose=verbose))
    if ranking.datasets and (verbose or len(ranking.datasets) <= MOST_DATASETS):
        parts.append(_grid(ranking, ranking.datasets, "dataset", verbose=verbose))
    if verbose:
        tables = [replicability_table(ranking), critical_table(ranking), pair_table(ranking), settings_table(ranking)]
        parts += [table_block(table, f"ranking-{table.key}") for table in tables if table is not None and table.rows]
    parts.append(f"{with_minus(escape(ranking.sentence))}\n")
    body = "\n".join(parts)
    return f"{preamble(body)}\n{body}"


def _places(ranking: Ranking, *, verbose: bool) -> str:
    standing, decimals, marks = ranking.standing, decimals_of(ranking.standing), _marks(ranking, ranking.standing)
    tested = standing.counts.testable > 0
    rows = [
        (
            str(place) if tested else "",
            escape(s.system),
            f"{_number(s.value, decimals)}{marks.get(s.system, '')}",
            with_minus(escape(ends(s.low, s.high, decimals))),
            "" if ranking.baseline is not None else _between(s.rank_low, s.rank_high),
        )
        for place, s in zip(places(standing), standing.scores, strict=True)
    ]
    columns = ["rank", "system", escape(ranking.metric), escape(interval_name(ranking)), "ranks"]
    shown = 5 if ranking.baseline is None and tested else 4
    caption = f"Ranking by {subject(standing)}. {_legend(ranking)}"
    return _booktabs(caption, "places", "rlrrr"[:shown], columns[:shown], [r[:shown] for r in rows], verbose=verbose)


def _between(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}--{high}"


def _grid(ranking: Ranking, standings: Sequence[Standing], what: str, *, verbose: bool) -> str:
    """Systems by datasets or metrics, each column with the marks of its own tests."""
    whole = [ranking.standing, *standings]
    filled = [
        {s.system: f"{_number(s.value, decimals_of(one))}{_marks(ranking, one).get(s.system, '')}" for s in one.scores}
        for one in whole
    ]
    rows = [(escape(s.system), *(column.get(s.system, "") for column in filled)) for s in ranking.scores]
    names = [(one.name if what == "dataset" else None) or one.metric for one in whole]
    top = ranking.metric if what == "metric" else ranking.name or "all"
    heads = ["system", *map(escape, (top, *names[1:]))]
    caption = f"Systems by {what}. {_legend(ranking)}"
    return _booktabs(caption, f"{what}s", "l" + "r" * len(whole), heads, rows, verbose=verbose)


def _number(value: float, decimals: int) -> str:
    return cell_of(format_number(value, decimals))


def _marks(ranking: Ranking, standing: Standing) -> dict[str, str]:
    """The superscript of each system: its groups, or an arrow for what it is beside the baseline."""
    if ranking.baseline is None:
        letters = shown_letters(standing) if len(standing.groups) <= MOST_LETTERS else {}
        return {system: f"$^{{\\mathrm{{{text}}}}}$" for system, text in letters.items()}
    found = cells(standing, ranking.alpha)
    return {
        row: f"$^{{{ARROWS[cell.outcome]}}}$"
        for (row, column), cell in found.items()
        if column == ranking.baseline and cell.outcome in ARROWS
    }


def _legend(ranking: Ranking) -> str:
    family = ranking.family
    if not ranking.counts.testable:
        return "No two systems share an item: nothing could be tested"
    how = (
        f"{words_of_test(ranking.standing)}; {correction_name(family.correction)} over m = {family.m:,}, {family.error_rate}, "
        f"alpha = {format_level(ranking.alpha)}"
    )
    if ranking.baseline is not None:
        return f"Arrows: significantly better or worse than {clean(ranking.baseline)} ({how})"
    if ranking.groups:
        return f"Systems that share a letter cannot be told apart ({how})"
    return f"Ranks: the places that the tests leave open ({how})"


def _booktabs(
    caption: str, label: str, align: str, heads: Sequence[str], rows: Sequence[Sequence[str]], *, verbose: bool
) -> str:
    """A table whose cells are LaTeX already."""
    shown = rows if verbose else rows[:MOST_ROWS]
    left = len(rows) - len(shown)
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{with_minus(escape(caption))}.{f' {left} more systems are not shown.' if left else ''}}}",
        f"  \\label{{tab:outscore-{label}}}",
        f"  \\begin{{tabular}}{{@{{}}{align}@{{}}}}",
        r"    \toprule",
        f"    {' & '.join(heads)} \\\\",
        r"    \midrule",
        *(f"    {' & '.join(row)} \\\\" for row in shown),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"
