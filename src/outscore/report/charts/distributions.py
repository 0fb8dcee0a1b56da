"""How items scored and differed: histograms, and the differences against a normal distribution."""

from __future__ import annotations

from collections.abc import Mapping

from outscore.language.numbers import format_number, format_probability
from outscore.report.charts.canvas import DASHED, WIDTH, Chart, bars, bins, data, layered, rule, short
from outscore.report.charts.theme import COLOURS
from outscore.report.document import clean
from outscore.report.rows.comparison import decimals_of
from outscore.results.comparison import Comparison, Comparisons

__all__ = ["differences_histogram", "quantile_chart", "scores_histograms"]


def scores_histograms(c: Comparison, whole: Comparisons) -> Chart | None:
    """The scores of A over those of B, on the same axis."""
    del whole
    found = {} if c.pictures is None else c.pictures.histograms
    pairs = [(role, found[role], name) for role, name in zip("ab", c.systems, strict=True) if role in found]
    if not pairs:
        return None
    import altair as alt

    edges = [edge for _, h, _ in pairs for edge in h.edges]
    scale = alt.Scale(domain=[min(edges), max(edges)], nice=False, zero=False)
    panels = []
    for role, histogram, name in pairs:
        last = role == pairs[-1][0]
        x = alt.X(
            "low:Q",
            bin="binned",
            scale=scale,
            title=clean(c.metric) + " per item" if last else None,
            axis=alt.Axis(labels=last, ticks=last),
        )
        chart = alt.Chart(data(bins(histogram)), title=short(name))
        panels.append(bars(chart, x, COLOURS[role]).properties(width=WIDTH, height=58))
    values = {s.system: format_number(s.value, decimals_of(c)) for s in c.scores}
    told = [f"{short(name)} ({sum(h.counts):,.0f} items, {clean(c.metric)} {values[name]})" for _, h, name in pairs]
    text = f"Histograms of the item scores of {' and '.join(told)}."
    return Chart("scores", "How the items scored", text, alt.vconcat(*panels, spacing=8))


def differences_histogram(c: Comparison, whole: Comparisons) -> Chart | None:
    """The item differences, coloured by who was better."""
    del whole
    histogram = None if c.pictures is None else c.pictures.histograms.get("difference")
    if histogram is None:
        return None
    import altair as alt

    rows = [row | {"side": _side(row, higher_is_better=c.higher_is_better)} for row in bins(histogram)]
    x = alt.X("low:Q", bin="binned", title="A − B per item", scale=alt.Scale(nice=False, zero=False))
    sides = ("a", "b", "null")
    colours = alt.Scale(domain=list(sides), range=[COLOURS[side] for side in sides])
    shown = bars(alt.Chart(data(rows)), x, None).encode(color=alt.Color("side:N", scale=colours, legend=None))
    zero = [rule(0.0, alt.X("x:Q"), dash=DASHED)] if min(histogram.edges) < 0 < max(histogram.edges) else []
    peak = max(rows, key=lambda row: row["count"])
    text = (
        f"Histogram of the differences of {sum(histogram.counts):,.0f} items, blue where {short(c.systems[0])} was better; "
        f"the highest bar has {peak['count']:,.0f} items from {format_number(peak['low'])} to {format_number(peak['high'])}."
    )
    caption = f"Where the items differ: blue for {short(c.systems[0])}, orange for {short(c.systems[1])}"
    return Chart("differences", caption, text, layered([shown, *zero]))


def _side(row: Mapping[str, float], *, higher_is_better: bool) -> str:
    """Whose bar it is: a bar across 0 is nobody's."""
    above, below = ("a", "b") if higher_is_better else ("b", "a")
    if row["low"] >= 0:
        return above
    return below if row["high"] <= 0 else "null"


def quantile_chart(c: Comparison, whole: Comparisons) -> Chart | None:
    """The differences against the quantiles of a normal distribution: on the line where they are normal (QQ plot)."""
    del whole
    points = sorted(c.pictures.quantiles) if c.pictures is not None else []
    if len(points) < 4 or points[0][0] == points[-1][0]:
        return None
    import altair as alt

    x = alt.X("x:Q", title="quantiles of a normal distribution", scale=alt.Scale(nice=False, zero=False, padding=6))
    y = alt.Y("y:Q", title=None, scale=alt.Scale(zero=False))
    dots = alt.Chart(data([{"x": u, "y": v} for u, v in points])).mark_point(
        filled=True, size=14, color=COLOURS["ink"], opacity=0.8
    )
    line = alt.Chart(data(_through_quartiles(points))).mark_line(color=COLOURS["muted"], strokeDash=list(DASHED))
    caption = "The differences against normal ones, which would follow the dashed line"
    text = (
        f"Quantiles of the differences of the items against those of a normal distribution, {len(points):,} points "
        "and the line through the quartiles."
    )
    if c.analysis is not None and c.analysis.normality is not None:
        text += f" {c.analysis.normality.test} test of normality: p = {format_probability(c.analysis.normality.p)}."
    return Chart("quantiles", caption, text, layered([dots.encode(x, y), line.encode(x, y)]))


def _through_quartiles(points: list[tuple[float, float]]) -> list[dict[str, float]]:
    """The ends of the line through the first and third quartile, kept within the reach of the differences."""
    (x1, y1), (x3, y3) = points[len(points) // 4], points[(3 * len(points)) // 4]
    slope = (y3 - y1) / (x3 - x1) if x3 > x1 else 0.0
    lowest, highest = min(y for _, y in points), max(y for _, y in points)
    ends = [points[0][0], points[-1][0]]
    if slope > 0:
        # A steep line leaves the picture before the last quantile does.
        ends = [max(ends[0], x1 + (lowest - y1) / slope), min(ends[1], x1 + (highest - y1) / slope)]
    return [{"x": end, "y": y1 + slope * (end - x1)} for end in ends]
