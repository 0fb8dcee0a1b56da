"""The charts of any result as files: their names and contents, all drawn before the first one is written."""

from __future__ import annotations

from collections.abc import Iterator

from outscore.report.charts import comparison as charts
from outscore.report.charts import diff as diff_drawings
from outscore.report.charts import plan as plan_charts
from outscore.report.charts import ranking as ranking_charts
from outscore.report.rows.plan import Plan
from outscore.results.comparison import Comparisons
from outscore.results.diff import Diff
from outscore.results.ranking import Ranking

__all__ = ["chart_files", "named_pictures"]


def chart_files(result: Comparisons | Ranking | Diff | Plan) -> dict[str, bytes]:
    """Every chart as SVG, PNG and PDF, by file name."""
    return {
        f"{name}.{form}": charts.file_content(picture, form)
        for name, picture in named_pictures(result)
        for form in charts.FORMATS
    }


def named_pictures(result: Comparisons | Ranking | Diff | Plan) -> Iterator[tuple[str, charts.Picture]]:
    """Every chart with the name of its file; of several comparisons or pairs, names begin with their number."""
    parts: list[list[charts.Picture]]
    if isinstance(result, Comparisons):
        parts = [charts.pictures(c, result) for c in result.comparisons]
    elif isinstance(result, Diff):
        parts = [diff_drawings.pictures(pair) for pair in result.primary_pairs[: diff_drawings.MOST_DRAWN]]
    elif isinstance(result, Ranking):
        parts = [ranking_charts.pictures(result)]
    else:
        parts = [plan_charts.pictures(result)]
    for number, part in enumerate(parts, 1):
        for picture in part:
            name = charts.NOT_IN_A_NAME.sub("-", picture.key)
            yield f"{number}-{name}" if len(parts) > 1 else name, picture
