"""All pictures of a ranking, and the same as files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from outscore.errors import OutscoreError
from outscore.rankings import Ranking
from outscore.report.canvas import Drawing

# Charts become SVG, PNG and PDF in one place.
from outscore.report.charts import FORMATS, Picture, file_content, require_drawing
from outscore.report.ranking_diagrams import critical_chart, wins_chart, wins_matrix
from outscore.report.ranking_drawings import forest_chart, heat_chart
from outscore.report.table import clean

__all__ = ["page_pictures", "pictures", "write_charts"]

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


def write_charts(ranking: Ranking, folder: str | Path) -> list[Path]:
    """Draw every chart as SVG, PNG and PDF into a folder, which is made if need be, and return the paths."""
    target = Path(folder)
    written = []
    try:
        target.mkdir(parents=True, exist_ok=True)
        for picture in pictures(ranking):
            for form in FORMATS:
                path = target / f"{picture.key}.{form}"
                path.write_bytes(file_content(picture, form))
                written.append(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise OutscoreError(f"The charts could not be written to `{target}`: {reason}.", "Name another folder.") from None
    return written
