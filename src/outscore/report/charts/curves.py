"""What several pictures of curves have in common: power over sizes, and the line of alpha under curves of p."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outscore.language.numbers import format_level, format_probability
from outscore.report.charts.canvas import (
    DASHED,
    DOTTED,
    WIDTH,
    at_pixel,
    data,
    layered,
    on_hover,
    points_under,
    rule,
    scaled,
    told,
)
from outscore.report.charts.theme import COLOURS
from outscore.results.analysis import PowerPoint

__all__ = ["alpha_line", "power_curve", "power_rows"]


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
    return told(f"{p.n:,} {unit}: power {format_probability(p.power, 2)}{band}")


def alpha_line(alpha: float) -> list[Any]:
    """Where p begins to count, with its name beside the right end: a curve may end on it."""
    import altair as alt

    y = alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(data([{"p": alpha, "text": "α", "hover": told(f"alpha = {format_level(alpha)}")}]))
    line = base.mark_rule(color=COLOURS["tail"], strokeDash=list(DOTTED), strokeWidth=1.5)
    name = base.mark_text(align="left", dx=4, color=COLOURS["tail"])
    return [
        line.encode(y, description=on_hover()),
        name.encode(at_pixel("X", WIDTH), y, text=alt.Text("text:N"), description=on_hover()),
    ]
