"""Charts of a diff as files: which label became which, and what every label gained or lost.

The page draws these by itself, because there each cell leads to its examples; a paper wants them as pictures.
"""

from __future__ import annotations

from typing import Any

from outscore.report.charts.canvas import DASHED, Chart, data, layered, padded, require_drawing, rule, short
from outscore.report.charts.diff_data import matrix
from outscore.report.charts.theme import COLOURS
from outscore.report.rows.diff_pairs import sorted_parts
from outscore.report.rows.diff_words import metric_name, pair_name
from outscore.results.diff import Pair, Part

__all__ = ["MAX_DRAWN", "charts"]

MAX_DRAWN = 15
"""Pairs that are drawn: as many as the table of pairs shows."""
MOST_LABELS = 16
CELL, ROW = 24, 18


def charts(pair: Pair) -> list[Chart]:
    """The charts that a pair holds data for."""
    require_drawing()
    drawn = [_transitions(pair), _labels(pair)]
    return [chart for chart in drawn if chart is not None]


def _transitions(pair: Pair) -> Chart | None:
    """First system's labels down, second system's across; colour says whether corrections or new errors prevail."""
    found = matrix(pair, MOST_LABELS)
    if not found["cells"]:
        return None
    import altair as alt

    labels = found["labels"]
    rows = [
        {"from": short(labels[i]), "to": short(labels[j]), "count": sum(counts), "balance": counts[0] - counts[1]}
        for i, j, *counts in found["cells"]
    ]
    largest = max((abs(row["balance"]) for row in rows), default=0) or 1
    order = [short(label) for label in labels]
    x = alt.X("to:N", sort=order, title=short(pair.systems[1]), axis=alt.Axis(orient="top", labelAngle=-45, labelOverlap=False))
    y = alt.Y("from:N", sort=order, title=short(pair.systems[0]))
    # As on the page: green for what became right, vermilion for what became wrong.
    scale = alt.Scale(domain=[-largest, 0, largest], range=[COLOURS[role] for role in ("b", "panel", "won")], interpolate="rgb")
    legend = alt.Legend(orient="bottom", titleColor=COLOURS["muted"], labelColor=COLOURS["muted"], titleFontWeight="normal")
    colour = alt.Color("balance:Q", scale=scale, title="corrections − new errors", legend=legend)
    base = alt.Chart(data(rows)).encode(x, y)
    bright = alt.condition(f"abs(datum.balance) > {0.6 * largest}", alt.value("#ffffff"), alt.value(COLOURS["ink"]))
    layers = [base.mark_rect().encode(colour), base.mark_text(fontSize=9).encode(text="count:Q", color=bright)]
    outside = f"; {found['outside']:,} changes are between other labels" if found["outside"] else ""
    caption = f"What changed, {pair_name(pair)}, {metric_name(pair.criterion)}"
    most = max(rows, key=lambda row: row["count"])
    peak = f"most often {most['from']} became {most['to']} ({most['count']:,})"
    about = f"{caption}: rows are labels of the first system, columns of the second; {peak}{outside}."
    return Chart("transitions", caption, about, layered(layers, CELL * len(order), CELL * len(order)))


def _labels(pair: Pair) -> Chart | None:
    """The difference on each gold label with its interval, strongest evidence first."""
    parts = sorted_parts([part for part in pair.labels if part.p is not None])[:MOST_LABELS]
    if not parts:
        return None
    import altair as alt

    rows = [_row(part) for part in parts]
    scale = alt.Scale(domain=list(padded([0.0, *(row[key] for row in rows for key in ("x", "low", "high"))])), nice=False)
    title = f"{short(pair.systems[1])} − {short(pair.systems[0])}, in points"
    y = alt.Y("label:N", sort=[row["label"] for row in rows], title=None, axis=alt.Axis(labelLimit=200))
    x = alt.X("x:Q", scale=scale, title=title)
    base = alt.Chart(data(rows))
    line = base.mark_rule(strokeWidth=2, color=COLOURS["null"]).encode(
        alt.X("low:Q", scale=scale, title=title), alt.X2("high:Q"), y
    )
    dots = base.mark_point(filled=True, size=70, opacity=1).encode(x, y, color=alt.Color("colour:N", scale=None))
    caption = f"Gold labels, {pair_name(pair)}, {metric_name(pair.criterion)}, with intervals"
    worst = ", ".join(f"{row['label']} {row['x']:+.2f}" for row in rows[:3])
    chart: Any = layered([rule(0.0, x, dash=DASHED), line, dots], height=ROW * len(rows))
    return Chart("labels", caption, f"{caption}: {worst}.", chart)


def _row(part: Part) -> dict[str, Any]:
    """In points; a label without an interval stands alone."""
    low, high = (100 * (part.difference if end is None else end) for end in (part.low, part.high))
    colour = "ink"
    if part.difference:
        colour = "won" if part.difference > 0 else "b"
    return {"label": short(part.value), "x": 100 * part.difference, "low": low, "high": high, "colour": COLOURS[colour]}
