"""All pictures of a ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from outscore.report.charts.canvas import Chart, require_drawing
from outscore.report.charts.ranking_diagrams import critical_chart, wins_chart, wins_matrix
from outscore.report.charts.ranking_drawings import forest_chart, heat_chart
from outscore.results.ranking import Ranking

__all__ = ["charts", "page_charts"]

ON_PAGES = (forest_chart, wins_chart, wins_matrix, critical_chart)


def charts(ranking: Ranking) -> list[Chart]:
    """All charts that the ranking holds data for."""
    return _drawn(ranking, (heat_chart, *ON_PAGES))


def page_charts(ranking: Ranking) -> list[Chart]:
    """The charts of a page, which draws the heat map by itself: there each cell says which pair it is."""
    return _drawn(ranking, ON_PAGES)


def _drawn(ranking: Ranking, makers: Iterable[Callable[[Ranking], Chart | None]]) -> list[Chart]:
    require_drawing()
    drawn = [make(ranking) for make in makers]
    return [chart for chart in drawn if chart is not None]
