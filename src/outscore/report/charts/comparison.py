"""Charts of a comparison. Data come binned from the result; nothing is computed here but places on the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from outscore.language.numbers import format_ends, format_level, format_number, format_probability
from outscore.report.charts import canvas
from outscore.report.charts.canvas import Chart
from outscore.report.charts.difference import difference_chart, null_chart
from outscore.report.charts.distributions import differences_chart, quantile_chart, scores_histograms
from outscore.report.charts.theme import COLOURS
from outscore.report.document import clean, minus
from outscore.report.rows.comparison import alpha_of, decimals_of, units_of
from outscore.results.analysis import SizePoint
from outscore.results.comparison import Comparison, Comparisons

TARGET = 0.8
"""The customary power."""


def power_chart(c: Comparison, whole: Comparisons) -> Chart | None:
    """Power against the number of units, with the observed number marked."""
    del whole
    power = c.power
    if power is None or len(power.curve) < 2:
        return None
    observed, unit = units_of(c)
    sizes = [point.n for point in power.curve]
    marked = min(sizes) <= observed <= max(sizes)
    mark = f"; the dashed line is your {observed:,} {unit}" if marked else ""
    ends = " and ".join(f"{format_probability(q.power, 2)} with {q.n:,} {unit}" for q in (power.curve[0], power.curve[-1]))
    text = f"Power to detect the observed difference: {ends}{mark}."
    drawing = canvas.power_curve(power.curve, observed if marked else None, unit, TARGET)
    return Chart("power", f"Power to detect the observed difference{mark}", text, drawing, canvas.power_rows(power.curve, unit))


def size_chart(c: Comparison, whole: Comparisons) -> Chart | None:
    """p against the number of items as in Zhu et al. (2020), figure 5: the median, the middle half, and alpha."""
    points = [] if c.pictures is None else c.pictures.sizes
    if not points:
        return None
    import altair as alt

    alpha, unit = alpha_of(whole), units_of(c)[1]
    rows = [{"n": q.n, "p": q.p, "low": q.low, "high": q.high, "hover": _size_words(q, unit)} for q in points]
    x = alt.X("n:Q", title=unit, scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(format="~s"))
    y = alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(canvas.data(rows))
    layers: list[Any] = [
        base.mark_area(color=COLOURS["null"], opacity=0.4).encode(x, alt.Y("low:Q", title="p"), alt.Y2("high:Q")),
        base.mark_line(color=COLOURS["ink"], strokeWidth=2.5).encode(x, y),
    ]
    level = ""
    if alpha is not None:
        layers += canvas.alpha_line(alpha)
        level = f"; the dotted line is alpha = {format_level(alpha)}"
    of = f" ({_size_test(c)})" if c.pictures is not None and c.pictures.sizes_test else ""
    caption = f"p on random subsets of the {unit}{of}: the median and the middle half{level}"
    ends = " and ".join(f"{format_probability(q.p)} with {q.n:,}" for q in (points[0], points[-1]))
    layers.append(canvas.points_under(rows, x, y))
    numbers = [{unit: q.n, "median_p": q.p, "low": q.low, "high": q.high} for q in points]
    return Chart("sizes", caption, f"{caption}. The median is {ends}.", canvas.layered(layers), numbers)


def _size_words(q: SizePoint, unit: str) -> str:
    p, low, high = map(format_probability, (q.p, q.low, q.high))
    return canvas.hover_text(f"{q.n:,} {unit}: median p {p}, middle half {low} to {high}")


def runs_chart(c: Comparison, whole: Comparisons) -> Chart | None:
    """The difference in pass@K, or pass^K, over K, with a band that holds simultaneously for all K."""
    curve = None if c.pictures is None else c.pictures.runs
    if curve is None or len(curve.points) < 2:
        return None
    import altair as alt

    del whole
    a, b = map(clean, c.systems)
    decimals = decimals_of(c)
    numbers = [{"k": q.k, "difference": q.difference, "low": q.low, "high": q.high} for q in curve.points]
    words = [
        f"{format_number(q.difference, decimals, sign=True)} ({format_ends(q.low, q.high, decimals)}) at K = {q.k:,}"
        for q in curve.points
    ]
    rows = [row | {"hover": canvas.hover_text(hover)} for row, hover in zip(numbers, words, strict=True)]
    x = alt.X("k:Q", title="K", scale=alt.Scale(nice=False, zero=False), axis=alt.Axis(tickMinStep=1, format="d"))
    title = f"difference in {curve.score}K"
    y = alt.Y("difference:Q", title=title)
    base = alt.Chart(canvas.data(rows))
    layers: list[Any] = [
        base.mark_area(color=COLOURS["null"], opacity=0.4).encode(x, alt.Y("low:Q", title=title), alt.Y2("high:Q")),
        alt.Chart(canvas.data([{"difference": 0.0}])).mark_rule(color=COLOURS["ink"], strokeDash=list(canvas.DASHED)).encode(y),
        base.mark_line(color=COLOURS["ink"], strokeWidth=2.5, point={"color": COLOURS["ink"], "filled": True}).encode(x, y),
        canvas.points_under(rows, x, y),
    ]
    level = f"{100 * curve.level:g} %"
    caption = (
        minus(f"{a} - {b}") + f" in {curve.score}K over the number of runs K; the {level} band holds simultaneously for all K"
    )
    text = f"{caption}. It is {words[0]} and {words[-1]}."
    return Chart("runs", caption, text, canvas.layered(layers), numbers)


def _size_test(c: Comparison) -> str:
    """The test of the curve of sizes; where Student's test itself is advised against, how this t test differs from it."""
    assert c.pictures is not None
    unsuited = [] if c.analysis is None else [advice.test for advice in c.analysis.tests.unsuited]
    by = " by the jackknife" if c.pictures.sizes_test == "paired t test" and "student" in unsuited else ""
    return f"{c.pictures.sizes_test}{by}"


def charts(c: Comparison, whole: Comparisons) -> list[Chart]:
    """All charts that the result has data for."""
    canvas.require_drawing()
    makers: Sequence[Callable[[Comparison, Comparisons], Any]] = (
        difference_chart,
        null_chart,
        scores_histograms,
        differences_chart,
        quantile_chart,
        power_chart,
        size_chart,
        runs_chart,
    )
    drawn = [make(c, whole) for make in makers]
    return [chart for chart in drawn if chart is not None]
