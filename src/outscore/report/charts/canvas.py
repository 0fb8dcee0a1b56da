"""What every chart is, and what all charts are drawn with: sizes, lines, bars and names that fit.

Altair describes a chart and vl-convert draws it without a browser. Every chart is about as wide as a phone, so that its letters
stay readable there, and a page sets several side by side.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from outscore.core.errors import OutscoreError
from outscore.report.charts.theme import COLOURS, chart_config
from outscore.report.document import clean, minus
from outscore.results.analysis import Histogram

if TYPE_CHECKING:
    import altair as alt

__all__ = [
    "DASHED",
    "DOTTED",
    "FORMATS",
    "WIDE",
    "WIDTH",
    "Chart",
    "bars",
    "bins",
    "data",
    "layered",
    "padded",
    "require_drawing",
    "rule",
    "scaled",
    "short",
]

FORMATS = ("svg", "png", "pdf")
NAMESPACE = ' xmlns:xlink="http://www.w3.org/1999/xlink"'
HEIGHT = 150
# With an axis of numbers beside it or without, every picture is about as wide as the others.
WIDTH, WIDE = 276, 308
MAX_NAME = 32
WIDE_RANGE, MAX_TICKS = 20, 7
SOLID, DASHED, DOTTED = (1, 0), (4, 3), (1, 3)


@dataclass(frozen=True)
class Chart:
    """A chart with a key for its file name, a caption, and a description for those who cannot see it.

    `drawing` is Altair's object, for whoever wants to change colours or sizes.
    """

    key: str
    caption: str
    description: str
    drawing: alt.TopLevelMixin

    def __post_init__(self) -> None:
        """Names of systems and labels come from outside: their texts are cleaned like any others."""
        for name in ("caption", "description"):
            object.__setattr__(self, name, clean(getattr(self, name)))

    def to_svg(self, prefix: str = "") -> str:
        """The chart for a page: transparent, described in words, and the same bytes every time."""
        svg = str(_draw(self.drawing, "svg", "transparent"))
        label = html.escape(minus(self.description))
        svg = svg.replace(NAMESPACE, "").replace('class="marks"', f'class="chart" role="img" aria-label="{label}"', 1)
        return _own_ids(svg, f"{prefix}{self.key}").strip()

    def to_bytes(self, form: str) -> bytes:
        """The chart as a file of this form (svg, png or pdf), on white."""
        content = _draw(self.drawing, form, "#ffffff")
        return _own_ids(content, self.key).encode() if isinstance(content, str) else content


def _draw(chart: Any, form: str, background: str) -> str | bytes:  # noqa: ANN401 - any kind of chart
    """The chart in this form, as Altair's own `save` gives it.

    That would first check the description against its schema, which takes about as long as drawing it; the tests do so.
    """
    import altair as alt
    import vl_convert

    draw = getattr(vl_convert, f"vegalite_to_{form}")
    scale = {"scale": 2} if form == "png" else {}
    with alt.data_transformers.enable("default"), alt.data_transformers.disable_max_rows():
        described = chart.configure(**chart_config(background)).to_dict(validate=False, context={"pre_transform": False})
    drawn: str | bytes = draw(described, vl_version="_".join(alt.SCHEMA_VERSION.split(".")[:2]), **scale)
    return drawn


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


def data(rows: list[Any]) -> Any:  # noqa: ANN401 - Altair's data
    """Rows as Altair takes them."""
    import altair as alt

    return alt.InlineData(values=rows)


def bins(histogram: Histogram) -> list[dict[str, Any]]:
    """A histogram as rows."""
    return [
        {"low": low, "high": high, "count": count}
        for low, high, count in zip(histogram.edges[:-1], histogram.edges[1:], histogram.counts, strict=True)
    ]


def bars(chart: Any, x: Any, colour: str | None) -> Any:  # noqa: ANN401 - Altair's charts
    """Bars of binned counts."""
    import altair as alt

    marked = chart.mark_bar(binSpacing=1) if colour is None else chart.mark_bar(binSpacing=1, color=colour)
    return marked.encode(x, alt.X2("high:Q"), alt.Y("count:Q", title=None))


def rule(at: float, x: Any, *, colour: str = "ink", width: float = 1, dash: tuple[float, float] = SOLID) -> Any:  # noqa: ANN401
    """A line across the picture at one place."""
    import altair as alt

    marked = alt.Chart(data([{"x": at}])).mark_rule(color=COLOURS[colour], strokeWidth=width, strokeDash=list(dash))
    return marked.encode(x)


def layered(layers: Iterable[Any], width: int = WIDTH, height: int = HEIGHT) -> Any:  # noqa: ANN401 - Altair's charts
    """Layers as one picture."""
    import altair as alt

    return alt.layer(*layers).properties(width=width, height=height)


def padded(values: list[float], share: float = 0.12) -> tuple[float, float]:
    """A domain with some air on both sides."""
    low, high = min(values), max(values)
    air = share * (high - low) or 0.1 * max(abs(high), 1e-3)
    return low - air, high + air


def scaled(values: Sequence[float], form: str = "~s") -> dict[str, Any]:
    """Scale and axis over the range of the values: logarithmic where it is wide, with ticks at 1, 2, 5, 10, 20, 50."""
    import altair as alt

    low, high = min(values), max(values)
    if low <= 0 or high <= WIDE_RANGE * low:
        return {"scale": alt.Scale(domain=[low, high], nice=False, zero=False), "axis": alt.Axis(format=form)}
    tens = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    ticks = [step * ten for ten in tens for step in (1, 2, 5) if low <= step * ten <= high]
    shown = ticks if len(ticks) <= MAX_TICKS else [ten for ten in tens if low <= ten <= high]
    return {
        "scale": alt.Scale(type="log", domain=[low, high], nice=False, zero=False),
        "axis": alt.Axis(format=form, values=shown),
    }


def short(name: str) -> str:
    """A name that fits into a picture."""
    text = clean(name)
    return text if len(text) <= MAX_NAME else text[: MAX_NAME - 1] + "…"
