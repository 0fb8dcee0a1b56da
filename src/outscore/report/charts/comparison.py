"""Charts of a comparison. Data come binned from the result; nothing is computed here but places on the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from outscore.language.numbers import finer, format_ends, format_level, format_number, format_p_number, format_probability
from outscore.language.phrases import interval_noun, name_of_test
from outscore.report.charts.canvas import (
    DASHED,
    DOTTED,
    WIDE,
    WIDTH,
    Chart,
    bars,
    bins,
    data,
    layered,
    padded,
    require_drawing,
    rule,
    scaled,
    short,
)
from outscore.report.charts.theme import COLOURS
from outscore.report.document import clean, minus
from outscore.report.rows.comparison import alone, alpha_of, decimals_of, finite, other_estimand, scored_noun, units_of
from outscore.results.chart_data import NullHistogram
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.interval import Interval

__all__ = [
    "charts",
]


NEAR = 1e-6
"""Places closer than this share of a bar are the same."""


def difference_chart(c: Comparison, whole: Comparisons) -> Chart | None:
    """The difference with its interval and 0 beside it; an interval about something else has a row of its own."""
    if finite(c.difference) is None:
        return None
    import altair as alt

    del whole
    rows = _marks(c)
    margins = [] if c.margin is None else [-c.margin.value, c.margin.value]
    least, most = padded([0.0, *margins, *(row[key] for row in rows for key in ("x", "low", "high") if row[key] is not None)])
    # A system's colour only where it won.
    colour = COLOURS["ink" if c.decision.winner is None else "ab"[c.decision.winner]]
    scale = alt.Scale(domain=[least, most], nice=False, zero=False)
    title = f"A − B (above 0: {'A' if c.higher_is_better else 'B'} is better)"
    x = alt.X("x:Q", scale=scale, title=title)
    y = alt.Y("what:N", sort=[row["what"] for row in rows], title=None, axis=None)
    layers = [rule(0.0, x, dash=DASHED), *(rule(end, x, colour="muted", dash=DOTTED) for end in margins)]
    lines = [
        {
            "what": row["what"],
            "low": least if row["low"] is None else row["low"],
            "high": most if row["high"] is None else row["high"],
        }
        for row in rows
        if row["interval"]
    ]
    if lines:
        line = alt.Chart(data(lines)).mark_rule(strokeWidth=3, color=colour)
        layers.append(line.encode(alt.X("low:Q", scale=scale, title=title), alt.X2("high:Q"), y))
    base = alt.Chart(data([row for row in rows if row["x"] is not None])).encode(x, y)
    layers += [base.mark_point(filled=True, size=110, color=colour, opacity=1), base.mark_text(dy=-16).encode(text="label:N")]
    text = "; ".join(row["words"] for row in rows)
    caption = "The difference"
    if lines:
        caption += " and its interval" if len(rows) == 1 else f" and the {rows[1]['what']}"
    about = f"Difference {short(c.systems[0])} - {short(c.systems[1])}: {text}. The dashed line is 0."
    lines_are = "the dashed line is no difference" + (", the dotted ones are the margin" if margins else "")
    return Chart("difference", f"{caption}: {lines_are}", about, layered(layers, WIDE, 40 + 70 * len(rows)))


def _marks(c: Comparison) -> list[dict[str, Any]]:
    """A row for the difference, and one for what the interval is about where that is something else."""
    decimals, other = decimals_of(c), other_estimand(c)
    label = minus(format_number(c.difference, decimals, sign=True))
    own = None if other is not None else c.interval
    rows = [_mark(c.metric, c.difference, label, own, decimals)]
    if other is not None:
        name, interval = other
        places = finer(decimals, interval.estimate)
        shown = "" if interval.estimate is None else minus(format_number(interval.estimate, places, sign=True))
        rows[0]["label"] = f"{short(c.metric)} {label}"
        rows.append(_mark(name, interval.estimate, shown, interval, places) | {"label": f"{name} {shown}"})
        rows[1]["words"] = f"{name} {rows[1]['words']}"
    return rows


def _mark(what: str, x: float | None, label: str, interval: Interval | None, decimals: int) -> dict[str, Any]:
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    ends = "" if interval is None else f", {interval_noun(interval)} {format_ends(low, high, decimals)}"
    return {
        "what": what,
        "x": x,
        "label": label,
        "low": low,
        "high": high,
        "interval": interval is not None,
        "words": label + ends,
    }


def null_chart(c: Comparison, whole: Comparisons) -> Chart | None:
    """The differences that chance alone would give, and the observed one among them."""
    picture = None if c.pictures is None else c.pictures.null
    if picture is None or not picture.x:
        return None
    import altair as alt

    alternative = str(whole.settings.get("alternative", "two-sided"))
    starts = _tail_starts(picture, alternative, turn=1 if c.higher_is_better else -1)
    reach = picture.width / 2
    ends = [picture.observed, *starts.values(), picture.x[0] - reach, picture.x[-1] + reach]
    domain = padded(ends, share=0.03)
    centre = minus(f"{picture.centre:g}") if picture.centre else ""
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    x = alt.X("x:Q", title=f"A − B if it were {centre}" if centre else "A − B if the systems were alike", scale=scale)
    layers = _law(picture, starts, x) if picture.width else _curve_of_law(picture, starts, x)
    # However thin the tails are, a line on the axis shows where they lie.
    reached = [{"x": at, "end": domain[0] if side == "lower" else domain[1], "y": 0} for side, at in starts.items()]
    line = alt.Chart(data(reached)).mark_rule(color=COLOURS["b"], strokeWidth=4)
    layers.append(line.encode(x, alt.X2("end:Q"), alt.Y("y:Q", title=None, axis=None)))
    if picture.centre:
        layers.append(rule(picture.centre, x, colour="muted", dash=DOTTED))
    layers.append(rule(picture.observed, x, width=2))
    observed = format_number(picture.observed, decimals_of(c), sign=True)
    alike = f"A - B were {centre}" if centre else "the systems were alike"
    text = f"Distribution of the difference if {alike}, with the observed {observed} marked"
    given = f", tested against {centre}, dotted" if centre else ""
    sampled = f" ({picture.drawn:,} random swaps)" if picture.drawn else ""
    # The picture is of swapped systems; another test's p is not the area under it.
    if c.p.test == "permutation":
        text += f"; differences at least as extreme have p = {format_p_number(c.p)}"
        caption = f"What chance alone would give{sampled}; the line is what was observed ({observed}{given})"
        caption += ", and orange what is at least as extreme" if picture.width else ""
    else:
        text += f". It belongs to the permutation test, not to the {name_of_test(c.p.test)}"
        caption = (
            f"What swapping the systems by chance would give{sampled}, for comparison; the line is what was observed"
            f" ({observed}{given})"
        )
    return Chart("null", caption, f"{text}.", layered(layers, WIDE))


def _tail_starts(picture: NullHistogram, alternative: str, turn: int) -> dict[str, float]:
    """Where what is at least as extreme as the observed begins: on both sides of the tested difference, or on one."""
    away = abs(picture.observed - picture.centre)
    if alternative == "two-sided":
        return {"lower": picture.centre - away, "upper": picture.centre + away}
    return {"upper" if (alternative == "greater") == (turn > 0) else "lower": picture.observed}


def _law(picture: NullHistogram, starts: dict[str, float], x: Any) -> list[Any]:  # noqa: ANN401 - Altair's
    """The bars, and what of them lies in the tails."""
    import altair as alt

    half = picture.width / 2
    rows = [{"x": at - half, "end": at + half, "y": y, "foot": 0} for at, y in zip(picture.x, picture.density, strict=True)]
    tails = []
    for middle, row in zip(picture.x, rows, strict=True):
        # The bar of a single point of the lattice counts whole, as ties do; any other begins at the observed difference.
        on_the_point = {side: abs(middle - start) <= NEAR * picture.width for side, start in starts.items()}
        if "upper" in starts and (on_the_point["upper"] or row["end"] > starts["upper"]):
            tails.append(row | {"x": row["x"] if on_the_point["upper"] else max(row["x"], starts["upper"])})
        if "lower" in starts and (on_the_point["lower"] or row["x"] < starts["lower"]):
            tails.append(row | {"end": row["end"] if on_the_point["lower"] else min(row["end"], starts["lower"])})
    y, y2 = alt.Y("y:Q", title=None, axis=None), alt.Y2("foot:Q")
    layers = [alt.Chart(data(rows)).mark_rect(color=COLOURS["null"], opacity=0.55).encode(x, alt.X2("end:Q"), y, y2)]
    if tails:
        layers.append(alt.Chart(data(tails)).mark_rect(color=COLOURS["b"], opacity=0.9).encode(x, alt.X2("end:Q"), y, y2))
    return layers


def _curve_of_law(picture: NullHistogram, starts: dict[str, float], x: Any) -> list[Any]:  # noqa: ANN401 - Altair's
    """A law saved as a curve by version 0.1.0, and its tails, which begin between two points of it."""
    import altair as alt

    rows = [{"x": at, "y": y} for at, y in zip(picture.x, picture.density, strict=True)]
    tails = []
    for side, start in starts.items():
        edge = {"x": start, "y": float(np.interp(start, picture.x, picture.density, left=0.0, right=0.0))}
        beyond = [row for row in rows if (row["x"] < start if side == "lower" else row["x"] > start)]
        tails.append([*beyond, edge] if side == "lower" else [edge, *beyond])
    y = alt.Y("y:Q", title=None, axis=None)
    layers = [alt.Chart(data(rows)).mark_area(color=COLOURS["null"], opacity=0.55).encode(x, y)]
    layers += [alt.Chart(data(tail)).mark_area(color=COLOURS["b"], opacity=0.9).encode(x, y) for tail in tails if len(tail) > 1]
    return layers


def power_chart(c: Comparison, whole: Comparisons) -> Chart | None:
    """Power against the number of units, with the observed number marked."""
    del whole
    power = c.power
    if power is None or len(power.curve) < 2:
        return None
    import altair as alt

    observed, unit = units_of(c)
    rows = [{"n": point.n, "power": point.power} for point in power.curve]
    sizes = [point.n for point in power.curve]
    x = alt.X("n:Q", title=unit, **scaled(sizes))
    y = alt.Y("power:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    line = alt.Chart(data(rows)).mark_line(color=COLOURS["a"], strokeWidth=2.5).encode(x, y)
    target = alt.Chart(data([{"power": 0.8}])).mark_rule(color=COLOURS["muted"], strokeDash=list(DOTTED)).encode(y)
    here = alt.Chart(data([{"n": observed}])).mark_rule(color=COLOURS["ink"], strokeDash=list(DASHED)).encode(x)
    marked = min(sizes) <= observed <= max(sizes)
    mark = f"; the dashed line is your {observed:,} {unit}" if marked else ""
    ends = " and ".join(f"{format_probability(q.power, 2)} with {q.n:,} {unit}" for q in (power.curve[0], power.curve[-1]))
    text = f"Power to find the observed difference: {ends}{mark}."
    layers = [target, line, *([here] if marked else [])]
    return Chart("power", f"Power to find the observed difference{mark}", text, layered(layers))


def size_chart(c: Comparison, whole: Comparisons) -> Chart | None:
    """p against the number of items as in Zhu et al. (2020), figure 5: the median, the middle half, and alpha."""
    points = [] if c.pictures is None else c.pictures.sizes
    if not points:
        return None
    import altair as alt

    alpha = alpha_of(whole)
    rows = [{"n": q.n, "p": q.p, "low": q.low, "high": q.high} for q in points]
    x = alt.X("n:Q", title=units_of(c)[1], scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(format="~s"))
    y = alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    base = alt.Chart(data(rows))
    layers: list[Any] = [
        base.mark_area(color=COLOURS["null"], opacity=0.4).encode(x, alt.Y("low:Q", title="p"), alt.Y2("high:Q")),
        base.mark_line(color=COLOURS["a"], strokeWidth=2.5).encode(x, y),
    ]
    level = ""
    if alpha is not None:
        layers.append(alt.Chart(data([{"p": alpha}])).mark_rule(color=COLOURS["b"], strokeDash=list(DOTTED)).encode(y))
        level = f"; the dotted line is alpha = {format_level(alpha)}"
    of = f" ({_size_test(c)})" if c.pictures is not None and c.pictures.sizes_test else ""
    caption = f"p on random subsets of the {units_of(c)[1]}{of}: the median and the middle half{level}"
    ends = " and ".join(f"{format_probability(q.p)} with {q.n:,}" for q in (points[0], points[-1]))
    return Chart("sizes", caption, f"{caption}. The median is {ends}.", layered(layers))


def runs_chart(c: Comparison, whole: Comparisons) -> Chart | None:
    """The difference in pass@K, or pass^K, over K, with a band that holds at all K at once."""
    curve = None if c.pictures is None else c.pictures.runs
    if curve is None or len(curve.points) < 2:
        return None
    import altair as alt

    del whole
    a, b = map(clean, c.systems)
    rows = [{"k": q.k, "difference": q.difference, "low": q.low, "high": q.high} for q in curve.points]
    x = alt.X("k:Q", title="K", scale=alt.Scale(nice=False, zero=False), axis=alt.Axis(tickMinStep=1, format="d"))
    title = f"difference in {curve.score}K"
    y = alt.Y("difference:Q", title=title)
    base = alt.Chart(data(rows))
    layers: list[Any] = [
        base.mark_area(color=COLOURS["null"], opacity=0.4).encode(x, alt.Y("low:Q", title=title), alt.Y2("high:Q")),
        alt.Chart(data([{"difference": 0.0}])).mark_rule(color=COLOURS["ink"], strokeDash=list(DOTTED)).encode(y),
        base.mark_line(color=COLOURS["a"], strokeWidth=2.5, point={"color": COLOURS["a"], "filled": True}).encode(x, y),
    ]
    level = f"{100 * curve.level:g} %"
    caption = minus(f"{a} - {b}") + f" in {curve.score}K over the number of runs K; the {level} band holds at all K at once"
    decimals = decimals_of(c)
    ends = " and ".join(
        f"{format_number(q.difference, decimals, sign=True)} ({format_ends(q.low, q.high, decimals)}) at K = {q.k:,}"
        for q in (curve.points[0], curve.points[-1])
    )
    return Chart("runs", caption, f"{caption}. It is {ends}.", layered(layers))


def _size_test(c: Comparison) -> str:
    """The test of the curve of sizes; where Student's test itself is advised against, how this t test differs from it."""
    assert c.pictures is not None
    unsuited = [] if c.analysis is None else [advice.test for advice in c.analysis.tests.unsuited]
    by = " by the jackknife" if c.pictures.sizes_test == "paired t test" and "student" in unsuited else ""
    return f"{c.pictures.sizes_test}{by}"


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
    most = max(count for _, h, _ in pairs for count in h.counts)
    one, by_itself = scored_noun(c), alone(c)
    axis = f"{clean(c.metric)} of each {one} alone" if by_itself else f"{clean(c.metric)} per {one}"
    panels = []
    for role, histogram, name in pairs:
        last = role == pairs[-1][0]
        x = alt.X(
            "low:Q",
            bin="binned",
            scale=scale,
            title=axis if last else None,
            axis=alt.Axis(labels=last, ticks=last),
        )
        chart = alt.Chart(data(bins(histogram)), title=short(name))
        # Equal heights are equal counts in both panels.
        y = alt.Y("count:Q", title=None, scale=alt.Scale(domain=[0, most]))
        panels.append(bars(chart, x, COLOURS[role]).encode(y).properties(width=WIDTH, height=58))
    values = {s.system: format_number(s.value, decimals_of(c)) for s in c.scores}
    told = [f"{short(name)} ({sum(h.counts):,.0f} {one}s, {clean(c.metric)} {values[name]})" for _, h, name in pairs]
    text = f"Histograms of the {one} scores of {' and '.join(told)}."
    caption = f"How the {one}s scored" + (", each by itself" if by_itself else "")
    return Chart("scores", caption, text, alt.vconcat(*panels, spacing=8))


def differences_histogram(c: Comparison, whole: Comparisons) -> Chart | None:
    """The item differences, coloured by who was better."""
    del whole
    histogram = None if c.pictures is None else c.pictures.histograms.get("difference")
    if histogram is None:
        return None
    import altair as alt

    one = scored_noun(c)
    above, below = ("a", "b") if c.higher_is_better else ("b", "a")
    rows = []
    for row in bins(histogram):
        side = "null"
        if row["low"] >= 0 or row["high"] <= 0:
            side = above if row["low"] >= 0 else below
        rows.append(row | {"side": side})
    x = alt.X(
        "low:Q",
        bin="binned",
        title="contribution to A − B" if alone(c) else f"A − B per {one}",
        scale=alt.Scale(nice=False, zero=False),
    )
    sides = ("a", "b", "null")
    colours = alt.Scale(domain=list(sides), range=[COLOURS[side] for side in sides])
    shown = bars(alt.Chart(data(rows)), x, None).encode(color=alt.Color("side:N", scale=colours, legend=None))
    zero = [rule(0.0, alt.X("x:Q"), dash=DASHED)] if min(histogram.edges) < 0 < max(histogram.edges) else []
    peak = max(rows, key=lambda row: row["count"])
    text = (
        f"Histogram of the differences of {sum(histogram.counts):,.0f} {one}s, blue where {short(c.systems[0])} was better; "
        f"the highest bar has {peak['count']:,.0f} {one}s from {format_number(peak['low'])} to {format_number(peak['high'])}."
    )
    told = f"What each {one} contributes to the difference (jackknife)" if alone(c) else f"Where the {one}s differ"
    caption = f"{told}: blue for {short(c.systems[0])}, orange for {short(c.systems[1])}"
    return Chart("differences", caption, text, layered([shown, *zero]))


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
        f"Quantiles of the differences of the {scored_noun(c)}s against those of a normal distribution, {len(points):,} points "
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


def charts(c: Comparison, whole: Comparisons) -> list[Chart]:
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
        runs_chart,
    )
    drawn = [make(c, whole) for make in makers]
    return [chart for chart in drawn if chart is not None]
