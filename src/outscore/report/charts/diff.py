"""Charts of a diff: which label became which, and the difference on each gold label."""

from __future__ import annotations

from typing import Any

import altair as alt

from outscore.language.numbers import count
from outscore.report.charts import canvas
from outscore.report.charts.canvas import Chart, marks
from outscore.report.explorer.data import matrix
from outscore.report.palette import COLOURS
from outscore.report.rows.diff import ends, metric_name, pair_name, points
from outscore.report.rows.diff_pairs import CLASSES, sorted_parts
from outscore.results.analysis import ScoredSubset
from outscore.results.diff import Pair

MAX_CHARTED_LABELS = 16
CELL, ROW = 24, 18
SIGNS = {1: "▲", 0: "", -1: "▼"}


def _transition_chart(pair: Pair) -> Chart | None:
    """First system's labels down, second system's across; colour says whether corrections or new errors prevail."""
    grid = matrix(pair, MAX_CHARTED_LABELS)
    if not grid["cells"]:
        return None
    labels = grid["labels"]
    order = canvas.distinct(map(canvas.short, labels))
    numbers = [
        {"from": labels[i], "to": labels[j]} | dict(zip(CLASSES, counts, strict=True)) for i, j, *counts in grid["cells"]
    ]
    rows = [
        {
            "from": order[i],
            "to": order[j],
            "count": sum(counts),
            "balance": counts[0] - counts[1],
            "sign": SIGNS[(counts[0] > counts[1]) - (counts[0] < counts[1])],
            "hover": _counted(labels[i], labels[j], counts),
        }
        for i, j, *counts in grid["cells"]
    ]
    largest = max((abs(row["balance"]) for row in rows), default=0) or 1
    x = alt.X(
        "to:N", sort=order, title=canvas.short(pair.systems[1]), axis=alt.Axis(orient="top", labelAngle=-45, labelOverlap=False)
    )
    y = alt.Y("from:N", sort=order, title=canvas.short(pair.systems[0]))
    # As on the page: green for what became right, red for what became wrong; the arrows say it without colour.
    tones = [COLOURS[role] for role in ("problem", "panel", "won")]
    scale = alt.Scale(domain=[-largest, 0, largest], range=tones, interpolate="rgb")
    colour = alt.Color("balance:Q", scale=scale, title="corrections − new errors", legend=canvas.legend())
    texts = marks(rows, told=False).encode(x, y)
    bright = canvas.coloured_if(f"abs(datum.balance) > {0.6 * largest}", "#ffffff", COLOURS["ink"])
    layers = [
        marks(rows).mark_rect().encode(x, y, colour),
        texts.mark_text(fontSize=9).encode(text=alt.Text("count:Q"), color=bright),
        texts.mark_text(fontSize=8, dx=7, dy=-7).encode(text=alt.Text("sign:N"), color=bright),
    ]
    outside = f"; {grid['outside']:,} changes are between other labels" if grid["outside"] else ""
    caption = f"What changed, {pair_name(pair)}, {metric_name(pair.unit_criterion)}; ▲ more corrections, ▼ more new errors"
    most = max(rows, key=lambda row: row["count"])
    peak = f"most often {most['from']} became {most['to']} ({most['count']:,})"
    about = f"{caption}: rows are labels of the first system, columns of the second; {peak}{outside}."
    return Chart("transitions", caption, about, canvas.layered(layers, CELL * len(order), CELL * len(order)), numbers)


def _counted(source: str, target: str, counts: list[int]) -> str:
    """A cell in words."""
    classes = [count(n, name.replace("_", " ")) for n, name in zip(counts, CLASSES, strict=True) if n]
    return f"{source} → {target}: {', '.join(classes)}"


def _label_chart(pair: Pair) -> Chart | None:
    """The difference on each gold label with its interval, strongest evidence first."""
    parts = sorted_parts([part for part in pair.labels if part.p is not None])[:MAX_CHARTED_LABELS]
    if not parts:
        return None
    shown = canvas.distinct(canvas.short(part.value) for part in parts)
    rows = [_row(part, label) for part, label in zip(parts, shown, strict=True)]
    scale = canvas.fixed(canvas.padded([0.0, *(row[key] for row in rows for key in ("x", "low", "high"))]))
    title = f"{canvas.short(pair.systems[1])} − {canvas.short(pair.systems[0])}, in points"
    y = alt.Y("label:N", sort=[row["label"] for row in rows], title=None, axis=alt.Axis(labelLimit=200))
    layers = canvas.intervals(rows, title, scale, y, size=70)
    zero = canvas.rule(0.0, alt.X("x:Q", scale=scale, title=title), dash=canvas.DASHED)
    caption = f"Gold labels, {pair_name(pair)}, {metric_name(pair.unit_criterion)}, with intervals"
    worst = ", ".join(f"{row['label']} {row['x']:+.2f}" for row in rows[:3])
    chart = canvas.layered([zero, *layers], height=ROW * len(rows))
    numbers = [
        {"label": part.value, "units": part.n, "difference": part.difference, "low": part.low, "high": part.high}
        for part in parts
    ]
    return Chart("labels", caption, f"{caption}: {worst}.", chart, numbers)


def _row(part: ScoredSubset, label: str) -> dict[str, Any]:
    """In points; without an interval, only the difference."""
    low, high = (100 * (part.difference if end is None else end) for end in (part.low, part.high))
    colour = "ink"
    if part.difference:
        colour = "won" if part.difference > 0 else "problem"
    between = "" if part.low is None and part.high is None else f", {ends(part.low, part.high)}"
    hover = f"{label}: {points(part.difference, sign=True)} points{between}; {part.n:,} units"
    return {"label": label, "x": 100 * part.difference, "low": low, "high": high, "colour": colour, "hover": hover}


CHARTS = (_transition_chart, _label_chart)
