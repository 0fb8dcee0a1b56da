"""All pictures of a ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from outscore.report.charts.canvas import Drawing
from outscore.report.charts.comparison import Picture, require_drawing
from outscore.report.charts.ranking_diagrams import critical_chart, wins_chart, wins_matrix
from outscore.report.charts.ranking_drawings import forest_chart, heat_chart
from outscore.report.table import clean
from outscore.results.ranking import Ranking

__all__ = ["page_pictures", "pictures"]

ON_PAGES = (forest_chart, wins_chart, wins_matrix, critical_chart)


def pictures(ranking: Ranking) -> list[Picture]:
    """All charts that the ranking holds data for."""
    return _drawn(ranking, (heat_chart, *ON_PAGES))


def page_pictures(ranking: Ranking) -> list[Picture]:
    """The charts of a page, which draws the heat map by itself: there each cell says which pair it is."""
    return _drawn(ranking, ON_PAGES)


def _drawn(ranking: Ranking, makers: Iterable[Callable[[Ranking], Drawing | None]]) -> list[Picture]:
    require_drawing()
    drawn = [make(ranking) for make in makers]
    return [Picture(d.key, clean(d.caption), clean(d.description), d.chart) for d in drawn if d is not None]
