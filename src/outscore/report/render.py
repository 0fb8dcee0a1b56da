"""The one door to reports: any result in any form.

Every form is imported when it is asked for, so that plain text needs neither a template engine nor a charting library.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from outscore.core.errors import OutscoreError
from outscore.report.build.value import Value, value_records
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.diff import Diff
from outscore.results.plan import PlanResult, PossibleP
from outscore.results.ranking import Ranking

if TYPE_CHECKING:
    from outscore.outputs.changed import Changed, Contexts
    from outscore.report.charts.canvas import Chart
    from outscore.report.document import Document, Records
    from outscore.report.rows.diff_pairs import Sort

    Examples = tuple[Sequence[Changed], Contexts | None]

__all__ = ["FORMS", "AnyResult", "chart_files", "charts_of", "named_charts", "records_of", "render"]

NOT_IN_A_NAME = re.compile(r"[^\w.-]+")

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
    if form == "card":
        from outscore.report.build import card
        from outscore.report.write import card as writer

        return writer.write(card.build(result))
    if isinstance(result, Comparison):
        result = Comparisons([result], {})
    if form in ("csv", "pairs"):
        return _csv(_records(result, form))
    document = _document(result, tables=tables, top=top, sort=sort, examples=examples)
    return _written(document, form, verbose=verbose, width=width)


def _csv(records: Records) -> str:
    """A line of column names and a line per record."""
    text = io.StringIO()
    writer = csv.DictWriter(text, records.columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(records.rows)
    return text.getvalue()


def _written(document: Document, form: str, *, verbose: bool, width: int) -> str:
    match form:
        case "html":
            from outscore.report.write import html

            return html.write(document)
        case "text":
            from outscore.report.write import text

            return text.write(document, verbose=verbose, width=width)
        case "markdown":
            from outscore.report.write import markdown

            return markdown.write(document, verbose=verbose)
        case _:
            from outscore.report.write import latex

            return latex.write(document, verbose=verbose)


def _document(
    result: Comparisons | Ranking | Diff | PlanResult | PossibleP | Value,
    *,
    tables: Sequence[str],
    top: int,
    sort: Sort,
    examples: Examples | None,
) -> Document:
    if isinstance(result, Comparisons):
        from outscore.report.build import comparison

        return comparison.build(result)
    if isinstance(result, Ranking):
        from outscore.report.build import ranking

        return ranking.build(result)
    if isinstance(result, Diff):
        from outscore.report.build import diff

        if tables:
            return diff.build_tables(result, tables, top=top, sort=sort)
        changed, contexts = ((), None) if examples is None else examples
        return diff.build(result, top=top, sort=sort, changed=changed, contexts=contexts)
    if isinstance(result, PlanResult | PossibleP):
        from outscore.report.build import plan

        return plan.build(result)
    from outscore.report.build import value

    return value.build(result)


def _records(result: AnyResult, form: str) -> Records:
    """The result as one table of plain values."""
    from outscore.report.rows import records

    if isinstance(result, Ranking):
        return records.ranked_systems(result) if form == "csv" else records.ranked_pairs(result)
    if form == "csv" and isinstance(result, Comparisons):
        return records.comparisons(result)
    if form == "csv" and isinstance(result, Diff):
        return records.diff(result)
    if form == "csv" and isinstance(result, Value):
        return value_records(result)
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
    """Every chart that the result holds data for; of many pairs of a diff those of the first. Small values have none."""
    return [chart for _, chart in named_charts(result)]


def chart_files(result: AnyResult) -> dict[str, bytes]:
    """Every chart as SVG, PNG and PDF, by file name; all are drawn before the first one can be written."""
    from outscore.report.charts.canvas import FORMATS

    return {f"{name}.{form}": chart.to_bytes(form) for name, chart in named_charts(result) for form in FORMATS}


def named_charts(result: AnyResult) -> Iterator[tuple[str, Chart]]:
    """Every chart with the name of its file; of several comparisons or pairs, names begin with their number."""
    parts = _charts(Comparisons([result], {}) if isinstance(result, Comparison) else result)
    for number, part in enumerate(parts, 1):
        for chart in part:
            name = NOT_IN_A_NAME.sub("-", chart.key)
            yield f"{number}-{name}" if len(parts) > 1 else name, chart


def _charts(result: AnyResult) -> list[list[Chart]]:
    """The charts of each part of a result."""
    if isinstance(result, Comparisons):
        from outscore.report.charts import comparison

        return [comparison.charts(c, result) for c in result.comparisons]
    if isinstance(result, Ranking):
        from outscore.report.charts import ranking

        return [ranking.charts(result)]
    if isinstance(result, Diff):
        from outscore.report.charts import diff

        return [diff.charts(pair) for pair in result.primary_pairs[: diff.MAX_DRAWN]]
    if isinstance(result, PlanResult | PossibleP):
        from outscore.report.charts import plan

        return [plan.charts(result)]
    return []
