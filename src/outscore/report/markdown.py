"""Results as Markdown: headings, tables and the paste-ready sentence, for issues, notebooks and readme files."""

from __future__ import annotations

import re
from collections.abc import Sequence

from outscore.report.facts import evidence, heading, headline
from outscore.report.table import Fact, Table, clean
from outscore.report.tables import ASKED_FOR, alpha_of, details, results, scores, settings
from outscore.results import Comparison, Comparisons

__all__ = ["escape", "render"]

# Whatever could begin markup, and the bar that would end a cell.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$!@])")
# What a renderer would make a link of by itself.
BARE_LINK = re.compile(r"(?i)(?<=\bwww)\.|:(?=//)")


def render(comparisons: Comparisons, *, verbose: bool = False) -> str:
    """The whole result as Markdown; `verbose` adds every table and the settings."""
    many = len(comparisons.comparisons) != 1
    blocks = [f"# {len(comparisons.comparisons)} comparisons", _table(results(comparisons))] if many else []
    for c in comparisons.comparisons:
        blocks += _comparison(c, comparisons, "##" if many else "#", verbose=verbose)
    if verbose and comparisons.settings:
        blocks += ["## Settings", _table(settings(comparisons))]
    return "\n\n".join(blocks) + "\n"


def escape(text: str) -> str:
    r"""Text that Markdown shows as it is.

    Examples
    --------
    >>> print(escape("a_b|c <script>"))
    a\_b\|c \<script\>
    """
    return BARE_LINK.sub(r"\\\g<0>", SPECIAL.sub(r"\\\1", clean(text)))


def _comparison(c: Comparison, whole: Comparisons, level: str, *, verbose: bool) -> list[str]:
    top, why = headline(c)
    blocks = [f"{level} {escape(top)}", escape(why), f"**{escape(heading(c))}**", _table(scores(c, alpha_of(whole)))]
    blocks.append(_facts(evidence(c, whole, verbose=verbose)))
    shown = [table for table in details(c, whole) if verbose or table.key in ("path", *ASKED_FOR)]
    for table in shown:
        blocks += [f"{level}# {escape(table.title)}", _table(table)]
    blocks += [f"{level}# For a paper", f"> {escape(c.sentence)}", _fenced(c.signature)]
    return [block for block in blocks if block]


def _facts(facts: list[Fact]) -> str:
    rows = [
        f"- **{escape(fact.label)}**: " + "; ".join(escape(" ".join(line.split())) for line in fact.lines) for fact in facts
    ]
    return "\n".join(rows)


def _table(table: Table) -> str:
    rule = ["---:" if side == "r" else ":---" for side in table.align]
    cells = [tuple(map(escape, row)) for row in (table.columns, *table.rows)]
    lines = [_row(cells[0]), _row(rule), *map(_row, cells[1:])]
    notes = [f"\n{escape(note)}" for note in table.notes]
    return "\n".join([*lines, *notes])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _fenced(text: str) -> str:
    """A block of code whose fence is longer than any run of back-ticks in it."""
    plain = clean(text)
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{plain}\n{fence}"
