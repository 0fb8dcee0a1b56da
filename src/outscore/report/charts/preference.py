"""Charts of battles: strengths with intervals, the matrix of win rates, and the effect of being shown first."""

from __future__ import annotations

from typing import Any

import altair as alt

from outscore.language.verdict.preference import format_rate
from outscore.report.build.preference import elo_name, set_places, shown_part
from outscore.report.charts import canvas
from outscore.report.charts.canvas import Chart, marks
from outscore.report.document import clean
from outscore.report.palette import COLOURS, LETTERS
from outscore.report.rows.columns import interval_head
from outscore.results.preference import Preference

MAX_SPOTS = 30
"""How many rows fit on one screen."""
ROW, NAME, NAME_LETTER = 16, 26, 6
MAX_IN_MATRIX = 40
NARROW = 0.06
MAX_WRITTEN = 14
"""Up to this many systems, cells show their numbers."""


def _numbered(result: Preference) -> list[str]:
    """Systems with their places and names that fit into a picture."""
    ranked = zip(set_places(result), result.strengths, strict=True)
    return [f"{place}  {canvas.short(one.system, NAME)}" for place, one in ranked]


def strength_chart(result: Preference) -> Chart | None:
    """Strengths on the scale of Elo with their intervals, the strongest first; arrows for those that only have a bound."""
    if len(result.systems) < 3:
        return None
    shown = result.strengths[:MAX_SPOTS]
    labels = _numbered(result)[: len(shown)]
    beaten = {pair.b for pair in result.pairs if pair.is_significant(result.alpha)}
    rows: list[dict[str, Any]] = []
    bounds: list[dict[str, Any]] = []
    for label, one in zip(labels, shown, strict=True):
        spot = {"label": label, "colour": "ink" if one.system in beaten else "a"}
        if one.elo is not None:
            low, high = (one.elo if end is None else end for end in (one.elo_low, one.elo_high))
            hover = f"{one.system}: {one.elo:.0f}, {low:.0f} to {high:.0f}"
            rows.append(spot | {"x": one.elo, "low": low, "high": high, "hover": hover})
        elif one.elo_low is not None or one.elo_high is not None:
            at = one.elo_high if one.elo_low is None else one.elo_low
            sign = "at most" if one.elo_low is None else "at least"
            bounds.append(spot | {"x": at, "sign": sign, "hover": f"{one.system}: {sign} {at:.0f}"})
    if not rows and not bounds:
        return None
    places = [row[key] for row in rows for key in ("x", "low", "high")] + [row["x"] for row in bounds]
    scale, y = canvas.fixed(canvas.padded(places, 0.04)), canvas.down(labels)
    layers = canvas.intervals(rows, elo_name(result), scale, y)
    if bounds:
        arrows = alt.Scale(domain=["at least", "at most"], range=["triangle-right", "triangle-left"])
        shape, colour = alt.Shape("sign:N", scale=arrows, legend=None), alt.Color("colour:N", scale=None)
        x = alt.X("x:Q", scale=scale, title=elo_name(result))
        layers.append(marks(bounds).mark_point(filled=True, size=70, opacity=1).encode(x, y, shape=shape, color=colour))
    more = f"; the first {MAX_SPOTS} of {len(result.strengths)}" if len(result.strengths) > MAX_SPOTS else ""
    arrow = "; an arrow: only a bound is known" if bounds else ""
    interval = f" with {interval_head(result.alpha)}s" if any(row["low"] < row["high"] for row in rows) or bounds else ""
    apart = len({one.component for one in shown}) > 1
    sets = "; places and Elo apply within a set" if apart else ""
    caption = f"Strengths{interval}{more}; blue: nobody is significantly ahead of them{arrow}{sets}"
    best = ", ".join(f"{clean(one.system)} {one.elo:.0f}" for one in shown[:3] if one.elo is not None)
    numbers = [{"system": one.system, "elo": one.elo, "low": one.elo_low, "high": one.elo_high} for one in shown]
    return Chart("strengths", caption, f"{caption}. First: {best}.", canvas.layered(layers, height=ROW * len(shown)), numbers)


def matrix_chart(result: Preference) -> Chart | None:
    """Win rates of rows against columns, the strongest first; a frame marks significant pairs."""
    if not 2 < len(result.systems) <= MAX_IN_MATRIX:
        return None
    labels = _numbered(result)
    label = dict(zip(result.systems, labels, strict=True))
    rows, numbers = [], []
    for pair in result.pairs:
        if pair.win_rate is None or not (pair.wins or pair.ties or pair.losses):
            continue
        rate = (pair.wins + pair.ties / 2) / (pair.wins + pair.ties + pair.losses) if pair.by == "model" else pair.win_rate
        sure = pair.is_significant(result.alpha)
        games = pair.wins + pair.ties + pair.losses
        for one, rival, share in ((pair.a, pair.b, rate), (pair.b, pair.a, 1 - rate)):
            numbers.append({"row": one, "column": rival, "win_rate": share, "games": games, "significant": sure})
            hover = f"{one} wins {format_rate(share)} of {games:,} against {rival}"
            cell = {"rate": share, "text": f"{100 * share:.0f}", "sure": sure, "hover": hover}
            rows.append({"row": label[one], "column": label[rival], **cell})
    if not rows:
        return None
    # A chart of few systems is as wide as the others, so that its letters are as large as theirs.
    room = canvas.WIDTH - NAME_LETTER * max(map(len, labels))
    step = max(30, room // len(labels)) if len(labels) <= MAX_WRITTEN else 16
    axis: dict[str, Any] = {"labelFontSize": 11, "labelLimit": 220, "labelFlush": False}
    # Systems that met nobody have a row and a column, too.
    x = canvas.across(labels, scale=alt.Scale(domain=labels), labelAngle=-50, **axis)
    y = canvas.down(labels, "row", scale=alt.Scale(domain=labels), **axis)
    colours = alt.Scale(domain=[0, 0.5, 1], range=[COLOURS["b"], COLOURS["panel"], COLOURS["a"]], clamp=True, interpolate="rgb")
    legend = canvas.legend(format=".0%", gradientLength=160)
    squares = marks(rows).mark_rect(stroke=COLOURS["paper"], strokeWidth=0.5)
    framed = marks([row for row in rows if row["sure"]], told=False)
    layers = [
        squares.encode(x, y, alt.Color("rate:Q", scale=colours, title="row wins", legend=legend)),
        framed.mark_rect(filled=False, stroke=COLOURS["ink"], strokeWidth=1.2).encode(x, y),
    ]
    if len(labels) <= MAX_WRITTEN:
        # Only the blue end is dark enough for white letters.
        strong = canvas.coloured_if("datum.rate > .93", LETTERS["light"], LETTERS["dark"])
        layers.append(marks(rows, told=False).mark_text(fontSize=10).encode(x, y, alt.Text("text:N"), color=strong))
    caption = "Win rates in direct games, rows against columns, the strongest first; a frame marks significant pairs"
    text = f"{caption}: {len(rows) // 2} pairs met, {result.counts.significant} differ significantly."
    return Chart("win-matrix", caption, text, canvas.layered(layers, step * len(labels), step * len(labels)), numbers)


def rate_chart(result: Preference) -> Chart | None:
    """For two systems: the win rate as counted, with both orders weighted equally, at equal length, and by people."""
    if len(result.systems) != 2:
        return None
    pair = result.pairs[0]
    listed = [("all battles" if result.labels is None else "the judge", pair.win_rate, pair.low, pair.high)]
    if pair.both_orders is not None and result.order != "both":
        listed.append(("orders equal", pair.both_orders, None, None))
    if pair.equal_length is not None:
        listed.append(("equal length", pair.equal_length, pair.equal_length_low, pair.equal_length_high))
    if result.labels is not None:
        listed.append(
            (canvas.short(f"{result.labels.people}, by labels"), result.labels.win_rate, result.labels.low, result.labels.high)
        )
    rows: list[dict[str, Any]] = []
    for label, rate, low, high in listed:
        if rate is not None:
            ends = [rate if end is None else end for end in (low, high)]
            between = "" if low is None and high is None else f", {format_rate(ends[0])} to {format_rate(ends[1])}"
            row = {"label": label, "x": rate, "low": ends[0], "high": ends[1], "colour": "a"}
            rows.append(row | {"hover": f"{label}: {format_rate(rate)}{between}"})
    least, most = canvas.padded([row[key] for row in rows for key in ("x", "low", "high")] + [0.5], 0.06)
    scale, title = canvas.fixed((max(least, 0.0), min(most, 1.0))), f"win rate of {canvas.short(pair.a)}"
    y = alt.Y("label:N", sort=[str(row["label"]) for row in rows], title=None)
    layers = canvas.intervals(rows, title, scale, y, axis=alt.Axis(format=".0%"), size=60)
    half = canvas.rule(0.5, alt.X("x:Q", scale=scale, title=title, axis=alt.Axis(format=".0%")), dash=canvas.DASHED)
    caption = (
        f"Win rate of {clean(pair.a)} against {clean(pair.b)} with {interval_head(result.alpha)}s; the dashed line is one half"
    )
    text = f"{caption}: {format_rate(pair.win_rate)}."
    drawing = canvas.layered([half, *layers], height=26 * len(rows) + 10)
    numbers = [{"what": label, "win_rate": rate, "low": low, "high": high} for label, rate, low, high in listed]
    return Chart("win-rate", caption, text, drawing, numbers)


def position_chart(result: Preference) -> Chart | None:
    """Shares of battles won by the answer shown first, tied, and won by the second, in no system's colour."""
    position = result.position
    if position is None:
        return None
    whole = position.first + position.ties + position.second
    parts = (
        ("shown first", position.first, "muted"),
        ("tie", position.ties, "grid"),
        ("shown second", position.second, "null"),
    )
    rows: list[dict[str, Any]] = []
    start = 0.0
    for name, number, colour in parts:
        share = number / whole
        # A narrow part has no room for its name, which the tooltip and the description have.
        words = [name, f"{number:,}"] if share >= NARROW else []
        if number:
            place = {"low": start, "middle": start + share / 2, "high": start + share}
            hover = f"{name}: {number:,} ({format_rate(share)})"
            rows.append({"colour": colour, "words": words, "hover": hover, **place})
        start += share
    x = alt.X("low:Q", title="share of battles", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%"))
    bars = marks(rows).mark_bar(height=30).encode(x, alt.X2("high:Q"), color=alt.Color("colour:N", scale=None))
    # Words that the line at one half would cross are put beside it.
    crossed = [row for row in rows if abs(row["middle"] - 0.5) < NARROW]
    free = [row for row in rows if row not in crossed]
    texts = [
        marks(listed, told=False).mark_text(dy=-38, lineHeight=13, **aside).encode(alt.X("middle:Q"), text=alt.Text("words:N"))
        for listed, aside in ((free, {}), (crossed, {"dx": 5, "align": "left"}))
        if listed
    ]
    caption = f"Wins by position: the answer shown first wins {format_rate(position.first_rate)}, ties count as half"
    part = shown_part(result)
    caption += f"; in {part}" if part else ""
    text = f"{caption}: {position.first:,} won by the first, {position.ties:,} ties, {position.second:,} won by the second."
    drawing = canvas.layered([bars, canvas.rule(0.5, alt.X("x:Q"), dash=canvas.DASHED), *texts], height=100)
    counts = [{"winner": name, "battles": number, "share": number / whole} for name, number, _ in parts]
    return Chart("position", caption, text, drawing, counts)


CHARTS = (strength_chart, matrix_chart, rate_chart, position_chart)
