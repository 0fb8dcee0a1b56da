"""What every chart is, and what all are drawn with: sizes, lines, bars, curves, names that fit, numbers under the pointer.

Altair describes a chart and vl-convert draws it without a browser. Every chart is about as wide as a phone, so that its letters
stay readable there, and a page sets several side by side.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import altair as alt
import vl_convert
from altair.utils import SchemaBase, schemapi

from outscore.core.records import dataclass
from outscore.language.phrases import sides_called
from outscore.report.document import Record, clean, fitted, minus
from outscore.report.palette import COLOURS
from outscore.results.files import csv_text

FORMATS = ("svg", "png", "pdf", "csv")
NAMESPACE = ' xmlns:xlink="http://www.w3.org/1999/xlink"'
HEIGHT = 150
# With an axis of numbers beside it or without, every picture is about as wide as the others.
WIDTH, WIDE = 276, 308
MAX_NAME, NAME_ON_AXIS = 32, 22
UNSEEN = "\u200b"
# What the renderer makes of a description. It escapes the text, so no mark ends early.
DESCRIBED = re.compile(r'<(\w+) aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="[^"]*"([^>]*)/>')
WRITTEN = re.compile(r'<text aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="[^"]*"([^>]*)>')
PARTS = re.compile(r' role="graphics-(?:symbol|object|document)" aria-roledescription="[^"]*"')
WIDE_RANGE, MAX_TICKS, MANY_TICKS, FEW = 20, 7, 30, 5
SOLID, DASHED, DOTTED = (1, 0), (4, 3), (1, 3)
# Metric twins of Arial are on every system and inside the renderer, so labels take the room they were given.
FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"


@dataclass(frozen=True)
class Chart:
    """A chart with a key for its file name, a caption, and a description for those who cannot see it.

    `drawing` is Altair's object, for whoever wants to change colours or sizes. `rows` are the numbers that it draws, with all
    digits and whole names.
    """

    key: str
    caption: str
    description: str
    drawing: alt.TopLevelMixin
    rows: Sequence[Record]

    def __post_init__(self) -> None:
        """Names of systems and labels come from outside: their texts are cleaned like any others."""
        for name in ("caption", "description"):
            object.__setattr__(self, name, clean(getattr(self, name)))

    def to_svg(self, prefix: str = "") -> str:
        """The chart for a page: transparent, described in words, and the same bytes every time."""
        svg = str(_draw(self.drawing, "svg", "transparent"))
        label = html.escape(minus(self.description))
        svg = svg.replace(NAMESPACE, "").replace('class="marks"', f'class="chart" role="img" aria-label="{label}"', 1)
        # One picture with one description: what it is drawn of would be read out part by part, without a name.
        svg = PARTS.sub("", svg)
        return _own_ids(svg, f"{prefix}{self.key}").strip()

    def to_csv(self) -> str:
        """The numbers that the chart draws: a line of column names and a line per row."""
        columns = dict.fromkeys(name for row in self.rows for name in row)
        return csv_text(tuple(columns), self.rows)

    def to_bytes(self, form: str) -> bytes:
        """The chart as a file of this form: svg, png or pdf on white, or csv."""
        if form == "csv":
            return self.to_csv().encode()
        content = _draw(self.drawing, form, "#ffffff")
        return _own_ids(content, self.key).encode() if isinstance(content, str) else content


@contextmanager
def unchecked() -> Iterator[None]:
    """Make charts without checking every part against its schema, which takes about as long as drawing; the tests check it."""
    with schemapi.debug_mode(False):
        yield


def _draw(chart: Any, form: str, background: str) -> str | bytes:  # noqa: ANN401 - any kind of chart
    """The chart in this form, as Altair's own `save` gives it, but for the check of its description."""
    with unchecked(), alt.data_transformers.enable("default"), alt.data_transformers.disable_max_rows():
        context: dict[str, Any] = {"pre_transform": False, "top_level": False, "datasets": {}}
        described = _described(chart, context)
    # Altair's `configure` would copy all that is drawn.
    whole = {"$schema": alt.SCHEMA_URL, "datasets": context["datasets"], "config": chart_config(background)}
    return _rendered(json.dumps(described | whole), form)


def _described(chart: Any, context: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - any kind of chart
    """The description of a chart, its data in the context: Altair's own, without the copy it makes of charts in a chart."""
    inside = {alt.LayerChart: "layer", alt.VConcatChart: "vconcat"}.get(type(chart))
    if inside is None or chart.data is not alt.Undefined:
        return dict(chart.to_dict(validate=False, context=context))
    around = SchemaBase.to_dict(chart, validate=False, ignore=[inside], context=context)
    return around | {inside: [_described(part, context) for part in chart[inside]]}


@lru_cache(maxsize=64)
def _rendered(described: str, form: str) -> str | bytes:
    """What a description looks like. A report in several forms, or on the page and as a file, draws each chart once."""
    draw = getattr(vl_convert, f"vegalite_to_{form}")
    scale = {"scale": 2} if form == "png" else {}
    drawn: str | bytes = draw(described, vl_version="_".join(alt.SCHEMA_VERSION.split(".")[:2]), **scale)
    # A page shows a title under the pointer without any script. To a screen reader the picture stays one image.
    if not isinstance(drawn, str):
        return drawn
    return WRITTEN.sub(r"<text\2><title>\1</title>", DESCRIBED.sub(r"<\1\3><title>\2</title></\1>", drawn))


def _own_ids(svg: str, prefix: str) -> str:
    """Number ids by their order: the renderer counts on from chart to chart, and one page has many charts."""
    ids = dict.fromkeys(re.findall(r'\bid="([^"]+)"', svg))
    new = {old: f"{prefix}-{i}" for i, old in enumerate(ids, 1)}
    return re.sub(r'(\bid="|url\(#|href="#)([^")]+)', lambda m: m[1] + new.get(m[2], m[2]), svg)


def marks(rows: Iterable[Mapping[str, Any]], *, told: bool = True) -> Any:  # noqa: ANN401 - Altair's charts
    """Rows to be drawn: `colour` is a role of the palette, and `hover` the tooltip, if it is `told`."""
    shown = list(map(_drawn, rows))
    # A tuple goes through unchanged; of a list, Altair copies every number for every layer and property. Any rows fit the
    # schema, which would be asked for each number.
    with unchecked():
        drawn = alt.Chart(alt.InlineData(values=tuple(shown)))
    # Of the word `hover:N` alone, Altair first seeks the class by comparing schemas, which takes a quarter of the time of a
    # report.
    return drawn.encode(description=alt.Description("hover:N")) if told and shown and "hover" in shown[0] else drawn


def _drawn(row: Mapping[str, Any]) -> dict[str, Any]:
    colour = {"colour": COLOURS[row["colour"]]} if "colour" in row else {}
    return {**row, **colour, **({"hover": minus(clean(row["hover"]))} if "hover" in row else {})}


def fixed(domain: Iterable[float]) -> Any:  # noqa: ANN401 - Altair's
    """A scale from one number to another."""
    return alt.Scale(domain=list(domain), nice=False, zero=False)


def down(labels: Sequence[str], field: str = "label", *, scale: Any = alt.Undefined, **axis: Any) -> Any:  # noqa: ANN401
    """Names down the side of a picture, in this order."""
    settings = {"labelLimit": 220, "labelOverlap": False} | axis
    return alt.Y(f"{field}:N", sort=list(labels), title=None, scale=scale, axis=alt.Axis(**settings))


def across(labels: Sequence[str], field: str = "column", *, scale: Any = alt.Undefined, **axis: Any) -> Any:  # noqa: ANN401
    """Names along the top of a picture, in this order."""
    settings: dict[str, Any] = {"orient": "top", "labelOverlap": False} | axis
    return alt.X(f"{field}:N", sort=list(labels), title=None, scale=scale, axis=alt.Axis(**settings))


def legend(**more: Any) -> Any:  # noqa: ANN401 - Altair's
    """What the colours mean, below the picture and no louder than its axes."""
    quiet: dict[str, Any] = {"titleColor": COLOURS["muted"], "labelColor": COLOURS["muted"], "titleFontWeight": "normal"}
    return alt.Legend(orient="bottom", **quiet, **more)


def count_axis(most: float, **more: Any) -> Any:  # noqa: ANN401 - Altair's
    """An axis of counts, which are whole however few they are."""
    return alt.Axis(values=list(range(int(most) + 1)), format="d", **more) if most <= FEW else alt.Axis(**more)


def at_pixel(channel: str, place: float) -> Any:  # noqa: ANN401 - Altair's channel
    """A place in pixels on a channel: X, Y, X2 or Y2."""
    # Of `y=alt.value(4)`, too, Altair would seek the class.
    return getattr(alt, f"{channel}Value")(place)


def bars(rows: Sequence[Record], x: Any, y: Any, *, gap: float = 1, **marked: Any) -> Any:  # noqa: ANN401 - Altair's charts
    """Bars of binned counts, from `low` to `high`."""
    return marks(rows).mark_bar(binSpacing=gap, **marked).encode(x, alt.X2("high:Q"), y)


def intervals(
    rows: Sequence[Mapping[str, Any]],
    title: str | list[str],
    scale: Any,  # noqa: ANN401 - Altair's
    y: Any = alt.Undefined,  # noqa: ANN401
    *,
    axis: Any = alt.Undefined,  # noqa: ANN401
    line: str = "null",
    width: float = 2,
    size: float = 50,
) -> list[Any]:
    """Rows as points at `x`, each in its colour, on lines from `low` to `high`."""
    low, x = (alt.X(f"{end}:Q", scale=scale, title=title, axis=axis) for end in ("low", "x"))
    base = marks(rows).encode(y=y)
    return [
        base.mark_rule(strokeWidth=width, color=COLOURS[line]).encode(low, alt.X2("high:Q")),
        base.mark_point(filled=True, size=size, opacity=1).encode(x, color=alt.Color("colour:N", scale=None)),
    ]


def curve(
    rows: Sequence[Mapping[str, Any]],
    x: Any,  # noqa: ANN401 - Altair's channels
    y: Any,  # noqa: ANN401
    *,
    band: str = "",
    under: Iterable[Any] = (),
    over: Iterable[Any] = (),
    **line: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401
    """A line through all rows, on a band from `low` to `high` if its axis has the title `band`.

    Points that nobody sees say the numbers when they are pointed at.
    """
    base, settings = marks(rows, told=False), {"color": COLOURS["ink"], "strokeWidth": 2.5} | line
    shaded = base.mark_area(color=COLOURS["null"], opacity=0.4)
    points = marks(rows).mark_point(filled=True, size=160, opacity=0, color=COLOURS["ink"])
    bands = [shaded.encode(x, alt.Y("low:Q", title=band), alt.Y2("high:Q"))] if band else []
    return layered([*bands, *under, base.mark_line(**settings).encode(x, y), *over, points.encode(x, y)])


def rule(at: float, x: Any, *, colour: str = "ink", width: float = 1, dash: tuple[float, float] = SOLID) -> Any:  # noqa: ANN401
    """A line across the picture at one place."""
    return marks([{"x": at}]).mark_rule(color=COLOURS[colour], strokeWidth=width, strokeDash=list(dash)).encode(x)


def layered(layers: Iterable[Any], width: int = WIDTH, height: int = HEIGHT) -> Any:  # noqa: ANN401 - Altair's charts
    """Layers as one picture."""
    drawn = alt.LayerChart(width=width, height=height)
    # Given them at once, Altair copies every layer three times, down to the properties nobody has set, to find selections in
    # them; there are none.
    drawn.layer = list(layers)
    return drawn


def stacked(panels: Iterable[Any], spacing: int) -> Any:  # noqa: ANN401 - Altair's charts
    """Pictures one below the other, not copied either."""
    drawn = alt.VConcatChart(spacing=spacing)
    drawn.vconcat = list(panels)
    return drawn


def coloured_if(condition: Any, then: str, otherwise: str) -> Any:  # noqa: ANN401 - Altair's
    """A colour for the rows that meet the condition, and another for the others."""
    return alt.ColorValue(otherwise, condition={"test": condition, "value": then})


def padded(values: list[float], share: float = 0.12) -> tuple[float, float]:
    """A domain with some air on both sides."""
    low, high = min(values), max(values)
    air = share * (high - low) or 0.1 * max(abs(high), 1e-3)
    return low - air, high + air


def scaled(values: Sequence[float], form: str = "~s") -> dict[str, Any]:
    """Scale and axis over the range of the values: logarithmic where it is wide, with ticks at 1, 2, 5, 10, 20, 50."""
    low, high = min(values), max(values)
    if low <= 0 or high <= WIDE_RANGE * low:
        return {"scale": alt.Scale(domain=[low, high], nice=False, zero=False), "axis": alt.Axis(format=form)}
    tens = [10.0**k for k in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    ticks = [step * ten for ten in tens for step in (1, 2, 5) if low <= step * ten <= high]
    shown = ticks if len(ticks) <= MAX_TICKS else [ten for ten in tens if low <= ten <= high]
    return {
        "scale": alt.Scale(type="log", domain=[low, high], nice=False, zero=False),
        # With fewer ticks in mind the renderer would leave labels out that have room.
        "axis": alt.Axis(format=form, values=shown, labelOverlap="greedy", tickCount=MANY_TICKS),
    }


def short(name: str, most: int = MAX_NAME) -> str:
    """A name that fits into a picture."""
    return fitted(name, most)


def distinct(texts: Iterable[str]) -> list[str]:
    """The texts, equal ones with invisible marks at the end: names may be equal once they are cut, and would share one row."""
    seen: Counter[str] = Counter()
    marked = []
    for text in texts:
        marked.append(text + UNSEEN * seen[text])
        seen[text] += 1
    return marked


def side_names(systems: tuple[str, str]) -> tuple[str, str]:
    """What a chart calls the two systems: A and B, or their names where a letter would mean the other one."""
    a, b = (short(name, NAME_ON_AXIS) for name in sides_called(systems))
    return a, b


def between(systems: tuple[str, str], line: str) -> list[str]:
    """A title for an axis of differences, and below it who A and B are: a picture in a paper has no cards beside it."""
    if sides_called(systems) == systems:
        return [line]
    return [line, f"A: {short(systems[0], NAME_ON_AXIS)}, B: {short(systems[1], NAME_ON_AXIS)}"]


def chart_config(background: str = "transparent") -> dict[str, Any]:
    """Settings of every chart, as Vega-Lite's `config`."""
    ink, muted, grid = COLOURS["ink"], COLOURS["muted"], COLOURS["grid"]
    return {
        # The page gives each picture one description; a label on every bar would drown it.
        "aria": False,
        "background": background,
        "font": FONT,
        "padding": 4,
        "view": {"stroke": None, "continuousWidth": 260, "continuousHeight": 150},
        "axis": {
            "labelColor": muted,
            "titleColor": muted,
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "gridColor": grid,
            "domainColor": grid,
            "tickColor": grid,
            "tickSize": 4,
        },
        "axisX": {"grid": False, "tickCount": 5, "labelOverlap": True, "labelFlush": True},
        "axisY": {"domain": False, "ticks": False, "tickCount": 4, "minExtent": 26},
        "text": {"color": ink, "fontSize": 11},
        "title": {"color": ink, "fontSize": 12, "fontWeight": "normal", "anchor": "start", "offset": 6},
    }
