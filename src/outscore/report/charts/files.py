"""The charts of any result, and their files: all drawn before the first one is written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outscore.report.charts import comparison, diff, plan, ranking
from outscore.report.charts.canvas import FORMATS, Chart
from outscore.report.rows.plan import Plan
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.diff import Diff
from outscore.results.ranking import Ranking

__all__ = ["chart_files", "charts_of", "named_charts"]

NOT_IN_A_NAME = re.compile(r"[^\w.-]+")

Charted = Comparison | Comparisons | Ranking | Diff | Plan


def charts_of(result: Charted) -> list[Chart]:
    """Every chart that the result holds data for; of many pairs of a diff, those of the first."""
    return [chart for _, chart in named_charts(result)]


def chart_files(result: Charted) -> dict[str, bytes]:
    """Every chart as SVG, PNG and PDF, by file name."""
    return {f"{name}.{form}": chart.to_bytes(form) for name, chart in named_charts(result) for form in FORMATS}


def named_charts(result: Charted) -> Iterator[tuple[str, Chart]]:
    """Every chart with the name of its file; of several comparisons or pairs, names begin with their number."""
    parts: list[list[Chart]]
    if isinstance(result, Comparison):
        result = Comparisons([result], {})
    if isinstance(result, Comparisons):
        parts = [comparison.charts(c, result) for c in result.comparisons]
    elif isinstance(result, Diff):
        parts = [diff.charts(pair) for pair in result.primary_pairs[: diff.MAX_DRAWN]]
    elif isinstance(result, Ranking):
        parts = [ranking.charts(result)]
    else:
        parts = [plan.charts(result)]
    for number, part in enumerate(parts, 1):
        for chart in part:
            name = NOT_IN_A_NAME.sub("-", chart.key)
            yield f"{number}-{name}" if len(parts) > 1 else name, chart
