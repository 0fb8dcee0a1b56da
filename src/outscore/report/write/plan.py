"""A plan as text, Markdown, LaTeX and HTML, from the same statements and tables."""

from __future__ import annotations

from typing import Any

from outscore.language.numbers import format_level, format_p_number
from outscore.report.charts.plan import charts
from outscore.report.references.citations import cited_by_plan
from outscore.report.rows.plan import Plan, difference, facts, headline, number, shown_tables, tables, title
from outscore.report.table import clean

# The layout of a table is that of every other report.
from outscore.report.write.html import card, environment, figures
from outscore.report.write.latex import escape as latex_escape
from outscore.report.write.latex import preamble as latex_preamble
from outscore.report.write.latex import table_block as latex_table
from outscore.report.write.markdown import escape as markdown_escape
from outscore.report.write.markdown import facts_block as markdown_facts
from outscore.report.write.markdown import fenced as markdown_fenced
from outscore.report.write.markdown import table_block as markdown_table
from outscore.report.write.text import NARROWEST, fact_lines, signature_lines, titled, wrapped
from outscore.results.plan import PossibleP

__all__ = ["render"]

LABEL = 12


def render(found: Plan, form: str, *, verbose: bool = False) -> str:
    """The plan in one of the forms: text, markdown, latex or html; `verbose` adds every table and the settings."""
    forms = {"text": render_text, "markdown": render_markdown, "latex": render_latex, "html": render_html}
    return forms[form](found, verbose=verbose)


def render_text(found: Plan, *, width: int = 80, verbose: bool = False) -> str:
    """The answer first, then what it rests on, on one screen unless `verbose`."""
    width = max(width, NARROWEST)
    lines = [*wrapped(clean(found.verdict), width), ""]
    said = facts(found)
    for fact in said:
        lines += fact_lines(fact.label, fact.lines, width)
    lines += fact_lines("signature", signature_lines(clean(found.signature), width - LABEL), width)
    for table in tables(found) if verbose else shown_tables(found):
        lines += ["", *titled(table, width)]
    return "\n".join(lines) + "\n"


def render_markdown(found: Plan, *, verbose: bool = False) -> str:
    """Headings, statements and tables."""
    blocks = [f"# {markdown_escape(title(found))}", markdown_escape(found.verdict), markdown_facts(facts(found))]
    for table in tables(found) if verbose else _without_settings(found):
        blocks += [f"## {markdown_escape(table.title)}", markdown_table(table)]
    return "\n\n".join([*blocks, markdown_fenced(found.signature)]) + "\n"


def render_latex(found: Plan, *, verbose: bool = False) -> str:
    """The sentence and booktabs tables."""
    parts = [
        f"% {clean(found.signature)}",
        f"{latex_escape(found.verdict)}\n",
    ]
    parts += [latex_table(table, f"plan-{table.key}") for table in (tables(found) if verbose else _without_settings(found))]
    body = "\n".join(parts)
    return f"{latex_preamble(body)}\n{body}"


def _without_settings(found: Plan) -> list[Any]:
    return [table for table in tables(found) if table.key != "settings"]


def render_html(found: Plan, *, verbose: bool = False) -> str:
    """One self-contained page; it always holds everything."""
    del verbose
    return (
        environment()
        .get_template("plan.html")
        .render(
            title=title(found),
            headline=headline(found),
            numbers=_numbers(found),
            figures=figures(charts(found)),
            cited=cited_by_plan(found),
            facts=facts(found),
            tables=_without_settings(found),
            settings=[table for table in tables(found) if table.key == "settings"],
            signature=clean(found.signature),
        )
    )


def _numbers(found: Plan) -> list[dict[str, Any]]:
    """The numbers everybody looks for first."""
    if isinstance(found, PossibleP):
        low, high = (format_p_number(p, found.alpha) for p in (found.lowest, found.highest))
        limit = "none" if found.significant_up_to is None else f"{found.significant_up_to:,}"
        return [
            card("lowest p", low, [f"they differ on {found.discordant[0]:,} items"]),
            card("highest p", high, [f"they differ on {found.discordant[1]:,} items"]),
            card("items they may differ on", limit, [f"for p <= {format_level(found.alpha)}"]),
        ]
    unit = {"sd": "in the mean score", "discordance": "in accuracy", "standardised": "in standard deviations"}
    return [
        card("items", f"{found.items:,}", ["asked for" if found.question != "items" else "to collect"]),
        card("difference", difference(found), [unit[found.design.basis]]),
        card(
            "power",
            number(found.power).removeprefix("0"),
            [f"{found.design.alternative}, alpha = {format_level(found.design.alpha)}"],
        ),
    ]
