"""Pictures of a comparison: small charts of binned data, as SVG inside a page and as SVG, PNG or PDF files.

Altair describes a chart and vl-convert draws it without a browser. Every chart is about as wide as a phone, so that its letters
stay readable there, and a page sets several side by side.
"""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outscore.core.errors import OutscoreError
from outscore.report.charts.distributions import differences_histogram, quantile_chart, scores_histograms
from outscore.report.charts.drawings import difference_chart, null_chart, power_chart, size_chart
from outscore.report.charts.theme import chart_config
from outscore.report.table import clean, minus
from outscore.results.comparison import Comparison, Comparisons

if TYPE_CHECKING:
    import altair as alt

__all__ = ["FORMATS", "NOT_IN_A_NAME", "Picture", "file_content", "pictures", "require_drawing", "to_svg"]

FORMATS = ("svg", "png", "pdf")
NAMESPACE = ' xmlns:xlink="http://www.w3.org/1999/xlink"'
NOT_IN_A_NAME = re.compile(r"[^\w.-]+")


@dataclass(frozen=True)
class Picture:
    """A chart with a key for its file name, a caption, and a description for those who cannot see it."""

    key: str
    caption: str
    description: str
    chart: alt.TopLevelMixin


def pictures(c: Comparison, whole: Comparisons) -> list[Picture]:
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
    return [Picture(d.key, clean(d.caption), clean(d.description), d.chart) for d in drawn if d is not None]


def to_svg(picture: Picture, prefix: str = "") -> str:
    """The picture for a page: transparent, described in words, and the same bytes every time."""
    svg = str(_drawn(picture.chart, "svg", "transparent"))
    label = html.escape(minus(picture.description))
    svg = svg.replace(NAMESPACE, "").replace('class="marks"', f'class="chart" role="img" aria-label="{label}"', 1)
    return _own_ids(svg, f"{prefix}{picture.key}").strip()


def file_content(picture: Picture, form: str) -> bytes:
    """A picture as a file of this form, on white."""
    content = _drawn(picture.chart, form, "#ffffff")
    return _own_ids(content, picture.key).encode() if isinstance(content, str) else content


def _drawn(chart: Any, form: str, background: str) -> str | bytes:  # noqa: ANN401 - any kind of chart
    stream: io.StringIO | io.BytesIO = io.StringIO() if form == "svg" else io.BytesIO()
    scale = {"scale_factor": 2} if form == "png" else {}
    chart.configure(**chart_config(background)).save(stream, format=form, engine="vl-convert", **scale)
    return stream.getvalue()


def _own_ids(svg: str, prefix: str) -> str:
    """Number ids by their order: the renderer counts on from chart to chart, and one page holds many charts."""
    found = dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg))
    new = {old: f"{prefix}-{i}" for i, old in enumerate(found, 1)}
    return re.sub(r'(\bid="|url\(#|href="#)([^")]+)', lambda m: m[1] + new.get(m[2], m[2]), svg)


def require_drawing() -> None:
    """Refuse to draw where the packages that draw are missing."""
    try:
        import altair  # noqa: F401, ICN001
        import vl_convert  # noqa: F401
    except ModuleNotFoundError as error:
        name = "altair" if error.name is None else error.name.replace("_", "-")
        raise OutscoreError(f"{name} must be installed to draw charts.", "Install outscore[report].") from None
