"""The picture of a gate: the interval of the difference, no difference, and the margin."""

from __future__ import annotations

from outscore.language.numbers import format_level
from outscore.report.charts.canvas import DASHED, WIDTH, Chart, data, layered, padded, require_drawing, rule
from outscore.report.charts.theme import COLOURS
from outscore.results.gate import GateResult

__all__ = ["charts"]


def charts(found: GateResult) -> list[Chart]:
    """The one chart, where there is an interval."""
    require_drawing()
    if found.interval is None:
        return []
    import altair as alt

    c = found.comparison
    margin = -found.margin if c.higher_is_better else found.margin
    ends = [c.difference if end is None else end for end in (found.interval.low, found.interval.high)]
    scale = alt.Scale(domain=list(padded([*ends, margin, 0.0])), nice=False, zero=False)
    row = [{"low": ends[0], "high": ends[1], "value": c.difference}]
    title = f"{c.systems[0]} - {c.systems[1]}"
    base = alt.Chart(data(row))
    line = base.mark_rule(color=COLOURS["a"], strokeWidth=3).encode(alt.X("low:Q", title=title, scale=scale), alt.X2("high:Q"))
    point = base.mark_point(color=COLOURS["a"], filled=True, size=70, opacity=1).encode(alt.X("value:Q", scale=scale))
    x = alt.X("x:Q", scale=scale)
    layers = [rule(0.0, x), rule(margin, x, colour="b", width=2, dash=DASHED), line, point]
    caption = (
        f"The difference with its interval (two one-sided tests at {format_level(found.alpha)}), no difference, and the margin"
        " (dashed)"
    )
    said = f"{caption}: {c.difference:.4g}, {ends[0]:.4g} to {ends[1]:.4g}; margin {margin:.4g}; {found.outcome}."
    return [Chart("gate", caption, said, layered(layers, WIDTH, 60))]
