"""The picture of a gate: the interval of the difference, no difference, and the margin."""

from __future__ import annotations

from outscore.language.numbers import format_level
from outscore.report.charts import canvas
from outscore.report.charts.theme import COLOURS
from outscore.results.gate import GateResult


def charts(result: GateResult) -> list[canvas.Chart]:
    """The one chart, where there is an interval."""
    canvas.require_drawing()
    if result.interval is None:
        return []
    import altair as alt

    c = result.comparison
    margin = -result.margin if c.higher_is_better else result.margin
    ends = [c.difference if end is None else end for end in (result.interval.low, result.interval.high)]
    scale = alt.Scale(domain=list(canvas.padded([*ends, margin, 0.0])), nice=False, zero=False)
    numbers = f"{c.difference:.4g}, {ends[0]:.4g} to {ends[1]:.4g}"
    row = [{"low": ends[0], "high": ends[1], "value": c.difference, "hover": canvas.hover_text(numbers)}]
    a, b = canvas.side_names(c.systems)
    better = a if c.higher_is_better else b
    title = canvas.between(c.systems, f"{canvas.short(c.metric, 24)}: {a} − {b} (above 0: {better} is better)")
    base = alt.Chart(canvas.data(row)).encode(description=canvas.on_hover())
    ink = COLOURS["ink"]
    line = base.mark_rule(color=ink, strokeWidth=3).encode(alt.X("low:Q", title=title, scale=scale), alt.X2("high:Q"))
    point = base.mark_point(color=ink, filled=True, size=70, opacity=1).encode(alt.X("value:Q", scale=scale))
    x = alt.X("x:Q", scale=scale)
    layers = [
        canvas.rule(0.0, x, dash=canvas.DASHED),
        canvas.rule(margin, x, colour="muted", width=2, dash=canvas.DOTTED),
        line,
        point,
    ]
    caption = (
        f"The difference with its interval (two one-sided tests at {format_level(result.alpha)}); the dashed line is no"
        " difference, and the dotted one the margin"
    )
    description = f"{caption}: {numbers}; margin {margin:.4g}; {result.outcome}."
    rows = [
        {"what": c.metric, "difference": c.difference, "low": result.interval.low, "high": result.interval.high},
        {"what": "margin", "difference": margin},
    ]
    return [canvas.Chart("gate", caption, description, canvas.layered(layers, canvas.WIDE, 60), rows)]
