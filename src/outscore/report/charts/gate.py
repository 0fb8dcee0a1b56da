"""The chart of a gate: the difference with its interval, no difference, and the margin."""

from __future__ import annotations

import altair as alt

from outscore.language.numbers import format_level
from outscore.report.charts import canvas
from outscore.report.charts.canvas import Chart
from outscore.report.charts.comparison import axis_title
from outscore.results.gate import GateResult


def gate_chart(result: GateResult) -> Chart | None:
    """The one chart, where there is an interval."""
    if result.interval is None:
        return None
    c, interval = result.comparison, result.interval
    margin = -result.margin if c.higher_is_better else result.margin
    low, high = (c.difference if end is None else end for end in (interval.low, interval.high))
    numbers = f"{c.difference:.4g}, {low:.4g} to {high:.4g}"
    row = {"low": low, "high": high, "x": c.difference, "colour": "ink", "hover": numbers}
    scale = canvas.fixed(canvas.padded([low, high, margin, 0.0]))
    x = alt.X("x:Q", scale=scale)
    layers = [
        canvas.rule(0.0, x, dash=canvas.DASHED),
        canvas.rule(margin, x, colour="muted", width=2, dash=canvas.DOTTED),
        *canvas.intervals([row], axis_title(c), scale, line="ink", width=3, size=70),
    ]
    caption = (
        f"The difference with its interval (two one-sided tests at {format_level(result.alpha)}); the dashed line is no"
        " difference, and the dotted one the margin"
    )
    description = f"{caption}: {numbers}; margin {margin:.4g}; {result.outcome}."
    rows = [
        {"what": c.metric, "difference": c.difference, "low": interval.low, "high": interval.high},
        {"what": "margin", "difference": margin},
    ]
    return Chart("gate", caption, description, canvas.layered(layers, canvas.WIDE, 60), rows)


CHARTS = (gate_chart,)
