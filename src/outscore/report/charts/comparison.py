"""Charts of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from outscore.report.charts.canvas import Chart, require_drawing
from outscore.report.charts.distributions import differences_histogram, quantile_chart, scores_histograms
from outscore.report.charts.drawings import difference_chart, null_chart, power_chart, size_chart
from outscore.results.comparison import Comparison, Comparisons

__all__ = ["charts"]


def charts(c: Comparison, whole: Comparisons) -> list[Chart]:
    """All charts that the result holds data for."""
    require_drawing()
    makers: Sequence[Callable[[Comparison, Comparisons], Any]] = (
        difference_chart,
        null_chart,
        scores_histograms,
        differences_histogram,
        quantile_chart,
        power_chart,
        size_chart,
    )
    drawn = [make(c, whole) for make in makers]
    return [chart for chart in drawn if chart is not None]
