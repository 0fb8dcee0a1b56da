"""The one door to reports: any result in any form.

Every form is imported when it is asked for, so that plain text needs neither a template engine nor a charting library.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from outscore.core.errors import OutscoreError
from outscore.report.values import Value, render_value
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.diff import Diff
from outscore.results.plan import PlanResult, PossibleP
from outscore.results.ranking import Ranking

if TYPE_CHECKING:
    from outscore.outputs.changed import Changed, Contexts
    from outscore.report.charts.canvas import Chart
    from outscore.report.document import Records
    from outscore.report.rows.diff_pairs import Sort

    Examples = tuple[Sequence[Changed], Contexts | None]

__all__ = ["FORMS", "AnyResult", "charts_of", "records_of", "render"]

AnyResult = Comparison | Comparisons | Ranking | Diff | PlanResult | PossibleP | Value
FORMS = ("text", "markdown", "latex", "html", "csv", "json", "pairs", "card")
"""`csv` holds all digits, one line per comparison, system or pair; `pairs` is the second table of a ranking; `card` is a
piece of HTML for notebooks."""


def render(
    result: AnyResult,
    form: str,
    *,
    verbose: bool = False,
    width: int = 80,
    tables: Sequence[str] = (),
    top: int = 5,
    sort: Sort = "evidence",
    examples: Examples | None = None,
) -> str:
    """The result in one of the forms.

    Parameters
    ----------
    result
        What `compare`, `rank`, `diff` or `plan` returned, or what was loaded from a file.
    form
        One of `FORMS`. Not every kind of result has every form: plans have no `csv`, and only rankings have `pairs`.
    verbose
        Show every table and the settings; `html`, `csv` and `json` always hold everything.
    width
        Columns of a terminal, for `text`.
    tables, top, sort
        Of a diff: show only these tables, so many rows of each kind, in this order.
    examples
        Of a diff as `html`: its changed units and their contexts. A saved result has none.
    """
    if form not in FORMS:
        raise OutscoreError(f"There is no form `{form}`.", f"Choose from: {', '.join(FORMS)}.")
    if form == "json":
        return json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if form == "card" or isinstance(result, Value):
        return _small(result, form, width)
    if isinstance(result, Comparison):
        result = Comparisons([result], {})
    if form in ("csv", "pairs"):
        from outscore.report.write import csv

        return csv.write(_records(result, form))
    shown: dict[str, Any] = {"verbose": verbose, "width": width}
    if isinstance(result, Diff):
        return _diff(result, form, examples, tables=tuple(tables), top=top, sort=sort, **shown)
    return _document(result, form, **shown)


def _small(result: AnyResult, form: str, width: int) -> str:
    """A card of any result, or a small result in any form."""
    if form != "card" and isinstance(result, Value):
        return render_value(result, form, width=width)
    from outscore.report.cards import card

    return card(result)


def _document(result: Comparisons | Ranking | PlanResult | PossibleP, form: str, **shown: Any) -> str:  # noqa: ANN401 - keywords
    if isinstance(result, Comparisons):
        return _comparisons(result, form, **shown)
    if isinstance(result, Ranking):
        return _ranking(result, form, **shown)
    return _plan(result, form, **shown)


def _records(result: AnyResult, form: str) -> Records:
    """The result as one table of plain values."""
    from outscore.report.rows import records

    if isinstance(result, Ranking):
        return records.ranked_systems(result) if form == "csv" else records.ranked_pairs(result)
    if form == "csv" and isinstance(result, Comparisons):
        return records.comparisons(result)
    if form == "csv" and isinstance(result, Diff):
        return records.diff(result)
    if form == "csv" and isinstance(result, (PlanResult, PossibleP)):
        return records.plan(result)
    raise OutscoreError(f"A {type(result).__name__} has no form `{form}`.", "Choose text, markdown, latex, html or json.")


def records_of(result: Comparisons | Ranking | Diff, table: str) -> Records:
    """One table of a result as records with all digits.

    `table` is ``"comparisons"``; of a ranking ``"systems"`` or ``"pairs"``; of a diff ``"pairs"``, ``"labels"`` or
    ``"transitions"``.
    """
    from outscore.report.rows import records

    match result, table:
        case Comparisons(), "comparisons":
            return records.comparisons(result)
        case Ranking(), "systems":
            return records.ranked_systems(result)
        case Ranking(), "pairs":
            return records.ranked_pairs(result)
        case Diff(), "pairs" | "labels" | "transitions":
            return records.diff_table(result, table)
    known = {Ranking: "systems, pairs", Diff: "pairs, labels, transitions"}.get(type(result), "comparisons")
    raise OutscoreError(f"There is no table `{table}`.", f"Choose from: {known}.")


def charts_of(result: AnyResult) -> list[Chart]:
    """Every chart that the result holds data for; small values have none."""
    if isinstance(result, Value):
        return []
    from outscore.report.charts import files

    return files.charts_of(result)


def _comparisons(result: Comparisons, form: str, *, verbose: bool, width: int) -> str:
    match form:
        case "text":
            from outscore.report.write import text

            return text.render(result, verbose=verbose, width=width)
        case "markdown":
            from outscore.report.write import markdown

            return markdown.render(result, verbose=verbose)
        case "latex":
            from outscore.report.write import latex

            return latex.render(result, verbose=verbose)
        case _:
            from outscore.report.write.html import render_html

            return render_html(result)


def _ranking(result: Ranking, form: str, *, verbose: bool, width: int) -> str:
    match form:
        case "text":
            from outscore.report.write.ranking_text import render_text

            return render_text(result, verbose=verbose, width=width)
        case "markdown":
            from outscore.report.write.ranking_markdown import render_markdown

            return render_markdown(result, verbose=verbose)
        case "latex":
            from outscore.report.write.ranking_latex import render_latex

            return render_latex(result, verbose=verbose)
        case _:
            from outscore.report.write.ranking_html import render_html

            return render_html(result)


def _diff(result: Diff, form: str, examples: Examples | None, **shown: Any) -> str:  # noqa: ANN401 - the writers' keywords
    match form:
        case "text":
            from outscore.report.write.diff_text import render_text

            return render_text(result, **shown)
        case "markdown":
            from outscore.report.write.diff_markdown import render_markdown

            del shown["width"]
            return render_markdown(result, **shown)
        case "latex":
            from outscore.report.write.diff_latex import render_latex

            del shown["width"]
            return render_latex(result, **shown)
        case _:
            from outscore.report.write.diff_html import render_html

            return render_html(result, *(([], None) if examples is None else examples))


def _plan(result: PlanResult | PossibleP, form: str, *, verbose: bool, width: int) -> str:
    from outscore.report.write import plan

    if form == "text":
        return plan.render_text(result, verbose=verbose, width=width)
    return plan.render(result, form, verbose=verbose)
