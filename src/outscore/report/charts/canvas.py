"""What every chart is, and what all are drawn with: sizes, lines, bars, curves, names that fit, numbers under the pointer.

Altair describes a chart and vl-convert draws it without a browser. Every chart is about as wide as a phone, so that its letters
stay readable there, and a page sets several side by side.

Colours and chart settings, written once: the stylesheet, the charts and their dark twins all come from this palette.

A colour means one thing: a and b the two systems, tail what chance would have to give, problem what went wrong, won and open
how the question ended, null what says nothing. A and B are the blue and the vermilion of Okabe and Ito's palette (2008), which
people with any kind of colour vision can tell apart; in the dark they become the lighter pair of the same palette. Tail and
problem keep apart from them, and from what stands beside them, under every kind of colour vision; the tests measure it.

Charts are drawn in the light colours, and the page's stylesheet recolours them by their attributes, so a chart taken out of the
page still looks right.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from outscore.core.errors import load_extra
from outscore.core.records import dataclass
from outscore.language.numbers import format_level, format_probability
from outscore.language.phrases import sides_called
from outscore.report.document import Record, clean, minus
from outscore.results.analysis import PowerPoint
from outscore.results.files import csv_text

if TYPE_CHECKING:
    import altair as alt


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
# Each role in the light and in the dark.
PALETTE = {
    "paper": ("#fcfcfb", "#14171b"),
    "panel": ("#f1f3f5", "#1e2329"),
    "ink": ("#1a1d21", "#e9ecef"),
    "muted": ("#57606a", "#a5afba"),
    "grid": ("#dde1e6", "#353c45"),
    "null": ("#828b96", "#77828e"),
    "a": ("#0072b2", "#56b4e9"),
    "b": ("#d55e00", "#f0a33a"),
    "tail": ("#690bbf", "#b968ff"),
    "problem": ("#8b1014", "#ea4f4c"),
    "won": ("#12734a", "#4cc38a"),
    "open": ("#8a5a00", "#f2e27a"),
}
LETTERS = {"dark": "#000000", "light": "#ffffff"}
"""Letters on colours that stay as they are in the dark, as those of a heat map do; so they must stay too."""
COLOURS = {role: light for role, (light, _) in PALETTE.items()}
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
    from altair.utils import schemapi

    with schemapi.debug_mode(False):
        yield


def _draw(chart: Any, form: str, background: str) -> str | bytes:  # noqa: ANN401 - any kind of chart
    """The chart in this form, as Altair's own `save` gives it, but for the check of its description."""
    import altair as alt

    with unchecked(), alt.data_transformers.enable("default"), alt.data_transformers.disable_max_rows():
        context: dict[str, Any] = {"pre_transform": False, "top_level": False, "datasets": {}}
        described = _described(chart, context)
    # Altair's `configure` would copy all that is drawn.
    whole = {"$schema": alt.SCHEMA_URL, "datasets": context["datasets"], "config": chart_config(background)}
    return _rendered(json.dumps(described | whole), form)


def _described(chart: Any, context: dict[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - any kind of chart
    """The description of a chart, its data in the context: Altair's own, without the copy it makes of charts in a chart."""
    import altair as alt
    from altair.utils import SchemaBase

    inside = {alt.LayerChart: "layer", alt.VConcatChart: "vconcat"}.get(type(chart))
    if inside is None or chart.data is not alt.Undefined:
        return dict(chart.to_dict(validate=False, context=context))
    around = SchemaBase.to_dict(chart, validate=False, ignore=[inside], context=context)
    return around | {inside: [_described(part, context) for part in chart[inside]]}


@lru_cache(maxsize=64)
def _rendered(described: str, form: str) -> str | bytes:
    """What a description looks like. A report in several forms, or on the page and as a file, draws each chart once."""
    import altair as alt
    import vl_convert

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


def require_drawing() -> None:
    """Refuse to draw if the drawing packages are missing."""
    for library in ("altair", "vl_convert"):
        load_extra(library, "draw charts", "report")


def data(rows: list[Any]) -> Any:  # noqa: ANN401 - Altair's data
    """Rows as Altair takes them."""
    import altair as alt

    # A tuple goes through unchanged; of a list, Altair copies every number for every layer and property. Any rows fit the
    # schema, which would be asked for each number.
    with unchecked():
        return alt.InlineData(values=tuple(rows))


def count_axis(most: float, **more: Any) -> Any:  # noqa: ANN401 - Altair's
    """An axis of counts, which are whole however few they are."""
    import altair as alt

    return alt.Axis(values=list(range(int(most) + 1)), format="d", **more) if most <= FEW else alt.Axis(**more)


def on_hover() -> Any:  # noqa: ANN401 - Altair's channel
    """The tooltip of a mark: the field `hover` of its row, as the encoding `description`."""
    import altair as alt

    # Of a word alone, Altair first seeks the class by comparing schemas, which takes a quarter of the time of a report.
    return alt.Description("hover:N")


def at_pixel(channel: str, place: float) -> Any:  # noqa: ANN401 - Altair's channel
    """A place in pixels on a channel: X, Y, X2 or Y2."""
    import altair as alt

    # Of `y=alt.value(4)`, too, Altair would seek the class.
    return getattr(alt, f"{channel}Value")(place)


def hover_text(text: str) -> str:
    """The tooltip of a mark."""
    return minus(clean(text))


def bars(rows: Sequence[Record], x: Any, y: Any, *, gap: float = 1, **marked: Any) -> Any:  # noqa: ANN401 - Altair's charts
    """Bars of binned counts, from `low` to `high`."""
    import altair as alt

    return alt.Chart(data(list(rows))).mark_bar(binSpacing=gap, **marked).encode(x, alt.X2("high:Q"), y, description=on_hover())


def points_under(rows: Sequence[Record], x: Any, y: Any) -> Any:  # noqa: ANN401 - Altair's charts
    """Points nobody sees that say the numbers of a curve when they are pointed at."""
    import altair as alt

    marked = alt.Chart(data(list(rows))).mark_point(filled=True, size=160, opacity=0, color=COLOURS["ink"])
    return marked.encode(x, y, description=on_hover())


def rule(at: float, x: Any, *, colour: str = "ink", width: float = 1, dash: tuple[float, float] = SOLID) -> Any:  # noqa: ANN401
    """A line across the picture at one place."""
    import altair as alt

    marked = alt.Chart(data([{"x": at}])).mark_rule(color=COLOURS[colour], strokeWidth=width, strokeDash=list(dash))
    return marked.encode(x)


def layered(layers: Iterable[Any], width: int = WIDTH, height: int = HEIGHT) -> Any:  # noqa: ANN401 - Altair's charts
    """Layers as one picture."""
    import altair as alt

    drawn = alt.LayerChart(width=width, height=height)
    # Given them at once, Altair copies every layer three times, down to the properties nobody has set, to find selections in
    # them; there are none.
    drawn.layer = list(layers)
    return drawn


def stacked(panels: Iterable[Any], spacing: int) -> Any:  # noqa: ANN401 - Altair's charts
    """Pictures one below the other, not copied either."""
    import altair as alt

    drawn = alt.VConcatChart(spacing=spacing)
    drawn.vconcat = list(panels)
    return drawn


def coloured_if(condition: Any, then: str, otherwise: str) -> Any:  # noqa: ANN401 - Altair's
    """A colour for the rows that meet the condition, and another for the others."""
    import altair as alt

    return alt.ColorValue(otherwise, condition={"test": condition, "value": then})


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
        # With fewer ticks in mind the renderer would leave labels out that have room.
        "axis": alt.Axis(format=form, values=shown, labelOverlap="greedy", tickCount=MANY_TICKS),
    }


def short(name: str, most: int = MAX_NAME) -> str:
    """A name that fits into a picture."""
    text = clean(name)
    return text if len(text) <= most else text[: most - 1] + "…"


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


def power_rows(points: Sequence[PowerPoint], unit: str) -> list[dict[str, Any]]:
    """The numbers of a curve of power, with a band where there is one."""
    rows = []
    for p in points:
        row: dict[str, Any] = {unit: p.n, "power": p.power}
        rows.append(row if p.low is None and p.high is None else row | {"low": p.low, "high": p.high})
    return rows


def power_curve(points: Sequence[PowerPoint], marked: int | None, unit: str, target: float | None) -> Any:  # noqa: ANN401 - Altair's
    """Power from 0 to 1 against sizes, with a band where there is one.

    A curve without a band follows a formula and is drawn smooth; one that was tried shows where it was tried.
    """
    import altair as alt

    rows = [{"n": p.n, "power": p.power, "low": p.low, "high": p.high, "hover": _words(p, unit)} for p in points]
    sizes = scaled([p.n for p in points])
    x = alt.X("n:Q", title=unit, **sizes)
    y = alt.Y("power:Q", title="power", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%"))
    base, layers = alt.Chart(data(rows)), []
    tried = all(p.low is not None and p.high is not None for p in points)
    if tried:
        band = base.mark_area(color=COLOURS["null"], opacity=0.4)
        layers.append(band.encode(x, alt.Y("low:Q", title="power"), alt.Y2("high:Q")))
    if target is not None:
        line = alt.Chart(data([{"power": target}])).mark_rule(color=COLOURS["muted"], strokeDash=list(DOTTED))
        layers.append(line.encode(y))
    if tried:
        curve = base.mark_line(color=COLOURS["ink"], strokeWidth=2, point={"color": COLOURS["ink"], "filled": True, "size": 20})
    else:
        curve = base.mark_line(color=COLOURS["ink"], strokeWidth=2.5, interpolate="monotone")
    layers.append(curve.encode(x, y))
    if marked is not None:
        layers.append(rule(marked, alt.X("x:Q", scale=sizes["scale"]), dash=DASHED))
    layers.append(points_under(rows, x, y))
    return layered(layers)


def _words(p: PowerPoint, unit: str) -> str:
    band = "" if p.low is None or p.high is None else f" ({format_probability(p.low, 2)} to {format_probability(p.high, 2)})"
    return hover_text(f"{p.n:,} {unit}: power {format_probability(p.power, 2)}{band}")


def alpha_line(alpha: float) -> list[Any]:
    """Where p begins to count, with its name beside the right end: a curve may end on it."""
    import altair as alt

    y = alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(data([{"p": alpha, "text": "α", "hover": hover_text(f"alpha = {format_level(alpha)}")}]))
    line = base.mark_rule(color=COLOURS["tail"], strokeDash=list(DOTTED), strokeWidth=1.5)
    name = base.mark_text(align="left", dx=4, color=COLOURS["tail"])
    return [
        line.encode(y, description=on_hover()),
        name.encode(at_pixel("X", WIDTH), y, text=alt.Text("text:N"), description=on_hover()),
    ]


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


def stylesheet() -> str:
    """The whole style of a page: variables, rules, and the recolouring of charts."""
    light = "".join(f"--{role}:{colours[0]};" for role, colours in PALETTE.items())
    dark = "".join(f"--{role}:{colours[1]};" for role, colours in PALETTE.items())
    rules = [
        f'.chart [{attribute}="{colours[0]}"]{{{attribute}:var(--{role})}}'
        for role, colours in PALETTE.items()
        for attribute in ("fill", "stroke")
    ]
    variables = (
        f":root{{color-scheme:light dark;{light}}}\n"
        # Paper is white whatever the screen was.
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    )
    own = files("outscore.report").joinpath("style.css").read_text(encoding="utf-8")
    return variables + own + "\n".join(rules) + "\n"
