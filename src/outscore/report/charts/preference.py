"""Charts of battles: strengths with intervals, the matrix of win rates, and what the first place is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outscore.language.verdict.preference import format_rate
from outscore.report.charts.canvas import DASHED, Chart, data, layered, padded, require_drawing, rule, short
from outscore.report.charts.ranking import MAX_DRAWN
from outscore.report.charts.theme import COLOURS
from outscore.report.document import clean
from outscore.report.rows.preference import interval_name, is_significant
from outscore.results.preference import Preference

__all__ = ["charts", "matrix_chart", "position_chart", "rate_chart", "strength_chart"]

ROW = 16
MAX_IN_MATRIX = 40
MAX_WRITTEN = 14
"""Systems up to which cells hold their numbers."""


def charts(result: Preference) -> list[Chart]:
    """Every chart that the result holds data for."""
    require_drawing()
    found = (strength_chart(result), matrix_chart(result), rate_chart(result), position_chart(result))
    return [chart for chart in found if chart is not None]


def _numbered(systems: Sequence[str]) -> list[str]:
    """Places with names that fit into a picture."""
    return [f"{place}  {short(name)}" for place, name in enumerate(systems, 1)]


def strength_chart(result: Preference) -> Chart | None:
    """Strengths on the scale of Elo with their intervals, the strongest first; arrows for those that only have a bound."""
    if len(result.systems) < 3:
        return None
    import altair as alt

    shown = result.strengths[:MAX_DRAWN]
    labels = _numbered([one.system for one in shown])
    rows: list[dict[str, Any]] = []
    bounds: list[dict[str, Any]] = []
    for label, one in zip(labels, shown, strict=True):
        colour = COLOURS["a" if one.rank_low == 1 else "ink"]
        if one.elo is not None:
            low, high = (one.elo if end is None else end for end in (one.elo_low, one.elo_high))
            rows.append({"label": label, "x": one.elo, "low": low, "high": high, "colour": colour})
        elif one.elo_low is not None or one.elo_high is not None:
            at = one.elo_high if one.elo_low is None else one.elo_low
            bounds.append({"label": label, "x": at, "sign": "at most" if one.elo_low is None else "at least", "colour": colour})
    if not rows and not bounds:
        return None
    places = [row[key] for row in rows for key in ("x", "low", "high")] + [row["x"] for row in bounds]
    scale = alt.Scale(domain=list(padded(places, 0.04)), nice=False, zero=False)
    y = alt.Y("label:N", sort=labels, title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False))
    x = alt.X("x:Q", scale=scale, title="Elo, 1000 is average")
    base, limits = alt.Chart(data(rows)), alt.Chart(data(bounds))
    lines = base.mark_rule(strokeWidth=2, color=COLOURS["null"]).encode(
        alt.X("low:Q", scale=scale, title="Elo, 1000 is average"), alt.X2("high:Q"), y
    )
    dots = base.mark_point(filled=True, size=50, opacity=1).encode(x, y, color=alt.Color("colour:N", scale=None))
    arrows = alt.Scale(domain=["at least", "at most"], range=["triangle-right", "triangle-left"])
    marks = limits.mark_point(filled=True, size=70, opacity=1).encode(
        x, y, shape=alt.Shape("sign:N", scale=arrows, legend=None), color=alt.Color("colour:N", scale=None)
    )
    layers = [lines, dots, *([marks] if bounds else [])]
    more = f"; the first {MAX_DRAWN} of {len(result.strengths)}" if len(result.strengths) > MAX_DRAWN else ""
    arrow = "; an arrow: only a bound is known" if bounds else ""
    caption = f"Strengths with {interval_name(result)}s{more}; blue: nobody is significantly preferred{arrow}"
    best = ", ".join(f"{clean(one.system)} {one.elo:.0f}" for one in shown[:3] if one.elo is not None)
    chart: Any = layered(layers, height=ROW * len(shown))
    return Chart("strengths", caption, f"{caption}. First: {best}.", chart)


def matrix_chart(result: Preference) -> Chart | None:
    """Win rates of rows against columns, the strongest first; a frame marks significant pairs."""
    if not 2 < len(result.systems) <= MAX_IN_MATRIX:
        return None
    import altair as alt

    labels = _numbered(result.systems)
    label = dict(zip(result.systems, labels, strict=True))
    rows = []
    for pair in result.pairs:
        if pair.win_rate is None or not (pair.wins or pair.ties or pair.losses):
            continue
        rate = (pair.wins + pair.ties / 2) / (pair.wins + pair.ties + pair.losses) if pair.by == "model" else pair.win_rate
        sure = is_significant(pair, result.alpha)
        for one, other, share in ((pair.a, pair.b, rate), (pair.b, pair.a, 1 - rate)):
            rows.append({"row": label[one], "column": label[other], "rate": share, "text": f"{100 * share:.0f}", "sure": sure})
    if not rows:
        return None
    step = 30 if len(labels) <= MAX_WRITTEN else 16
    axis: dict[str, Any] = {"labelFontSize": 11, "labelLimit": 220, "labelOverlap": False, "labelFlush": False}
    x = alt.X(
        "column:N", sort=labels, title=None, scale=alt.Scale(domain=labels), axis=alt.Axis(orient="top", labelAngle=-50, **axis)
    )
    y = alt.Y("row:N", sort=labels, title=None, scale=alt.Scale(domain=labels), axis=alt.Axis(**axis))
    colours = alt.Scale(domain=[0, 0.5, 1], range=[COLOURS["b"], COLOURS["panel"], COLOURS["a"]], clamp=True, interpolate="rgb")
    legend = alt.Legend(
        orient="bottom",
        format=".0%",
        titleColor=COLOURS["muted"],
        labelColor=COLOURS["muted"],
        titleFontWeight="normal",
        gradientLength=160,
    )
    base = alt.Chart(data(rows))
    squares = base.mark_rect(stroke=COLOURS["paper"], strokeWidth=0.5).encode(
        x, y, alt.Color("rate:Q", scale=colours, title="row wins", legend=legend)
    )
    framed = alt.Chart(data([row for row in rows if row["sure"]]))
    frames = framed.mark_rect(filled=False, stroke=COLOURS["ink"], strokeWidth=1.2).encode(x, y)
    layers = [squares, frames]
    if len(labels) <= MAX_WRITTEN:
        strong = alt.condition("datum.rate > .85 || datum.rate < .15", alt.value(COLOURS["paper"]), alt.value(COLOURS["ink"]))
        layers.append(base.mark_text(fontSize=10).encode(x, y, alt.Text("text:N"), color=strong))
    caption = "Win rates in direct games, rows against columns, the strongest first; a frame marks significant pairs"
    told = f"{caption}: {len(rows) // 2} pairs met, {result.counts.significant} differ significantly."
    chart: Any = layered(layers, step * len(labels), step * len(labels))
    return Chart("win-matrix", caption, told, chart)


def rate_chart(result: Preference) -> Chart | None:
    """Of two systems: the win rate as counted, with both orders alike, at equal length, and by people, with intervals."""
    if len(result.systems) != 2:
        return None
    import altair as alt

    pair = result.pairs[0]
    listed = [("all battles", pair.win_rate, pair.low, pair.high)]
    if pair.both_orders is not None and result.order != "both":
        listed.append(("orders alike", pair.both_orders, None, None))
    if pair.equal_length is not None:
        listed.append(("equal length", pair.equal_length, pair.equal_length_low, pair.equal_length_high))
    if result.labels is not None:
        listed.append(("people, by labels", result.labels.win_rate, result.labels.low, result.labels.high))
    rows: list[dict[str, Any]] = [
        {"label": label, "x": x, "low": x if low is None else low, "high": x if high is None else high}
        for label, x, low, high in listed
        if x is not None
    ]
    spread = [row[key] for row in rows for key in ("x", "low", "high")] + [0.5]
    low, high = padded(spread, 0.06)
    scale = alt.Scale(domain=[max(low, 0.0), min(high, 1.0)], nice=False, zero=False)
    title = f"win rate of {clean(pair.a)[:24]}"
    x = alt.X("x:Q", scale=scale, title=title, axis=alt.Axis(format=".0%"))
    y = alt.Y("label:N", sort=[str(row["label"]) for row in rows], title=None)
    base = alt.Chart(data(rows))
    lines = base.mark_rule(strokeWidth=2, color=COLOURS["null"]).encode(
        alt.X("low:Q", scale=scale, title=title, axis=alt.Axis(format=".0%")), alt.X2("high:Q"), y
    )
    dots = base.mark_point(filled=True, size=60, opacity=1, color=COLOURS["a"]).encode(x, y)
    caption = f"Win rate of {clean(pair.a)} against {clean(pair.b)} with {interval_name(result)}s; the dashed line is one half"
    told = f"{caption}: {format_rate(pair.win_rate)}."
    return Chart("win-rate", caption, told, layered([rule(0.5, x, dash=DASHED), lines, dots], height=26 * len(rows) + 10))


def position_chart(result: Preference) -> Chart | None:
    """Shares of battles won by the answer shown first, ties, and those won by the second."""
    found = result.position
    if found is None:
        return None
    import altair as alt

    whole = found.first + found.ties + found.second
    parts = (
        ("first shown", found.first, "a", "paper"),
        ("tie", found.ties, "grid", "ink"),
        ("second shown", found.second, "b", "paper"),
    )
    rows: list[dict[str, Any]] = []
    start = 0.0
    for name, number, colour, over in parts:
        share = number / whole
        middle = {"middle": start + share / 2, "who": name, "text": f"{number:,}", "over": COLOURS[over]}
        if number:
            rows.append({"low": start, "high": start + share, "colour": COLOURS[colour], **middle})
        start += share
    x = alt.X("low:Q", title="share of battles", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%"))
    base = alt.Chart(data(rows))
    bars = base.mark_bar(height=30).encode(x, alt.X2("high:Q"), color=alt.Color("colour:N", scale=None))
    names = base.mark_text(dy=-26, fontSize=11).encode(alt.X("middle:Q"), text="who:N")
    numbers = base.mark_text(fontSize=11).encode(alt.X("middle:Q"), text="text:N", color=alt.Color("over:N", scale=None))
    caption = f"Who won by place: the answer shown first wins {format_rate(found.first_rate)}, ties as half"
    told = f"{caption}: {found.first:,} won by the first, {found.ties:,} ties, {found.second:,} won by the second."
    return Chart("position", caption, told, layered([bars, names, numbers, rule(0.5, alt.X("x:Q"), dash=DASHED)], height=90))
