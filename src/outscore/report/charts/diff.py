"""What changed between two systems' outputs, label by label: charts as files, and the same as data for the explorer."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import Any

from outscore.language.numbers import count
from outscore.report.charts import canvas
from outscore.report.charts.canvas import COLOURS, Chart
from outscore.report.document import clean, glue
from outscore.report.rows.columns import alpha_of
from outscore.report.rows.diff import (
    adjusted_p,
    ends,
    headline_of,
    line_of,
    metric_name,
    next_step_of,
    p_number,
    pair_name,
    points,
    reason_of,
)
from outscore.report.rows.diff_pairs import CLASSES, sorted_parts, sorted_shifts
from outscore.results.analysis import ScoredSubset
from outscore.results.diff import Diff, Pair
from outscore.results.note import BESIDE_VERDICT
from outscore.results.pvalue import PValue

MAX_LABELS = 40
"""How many labels the matrix has, those in most changes first."""
MAX_ROWS = 2_000
"""How many rows of a transition table the page has for each class; a matrix of free texts would fill any page."""
MAX_DRAWN = 15
"""How many pairs are drawn: as many as the table of pairs shows."""
MAX_CHARTED_LABELS = 16
CELL, ROW = 24, 18
SIGNS = {1: "▲", 0: "", -1: "▼"}


def matrix(pair: Pair, most: int = MAX_LABELS) -> dict[str, Any]:
    """How often each label became each other: corrections, new errors and changed errors by (from, to).

    Labels are the `most` in most changes; `outside` counts the changes between the others.
    """
    cells: dict[tuple[str, str], list[int]] = {}
    weight: Counter[str] = Counter()
    for kind, name in enumerate(CLASSES):
        for row in pair.transitions.get(name, []):
            cells.setdefault((row.source, row.target), [0, 0, 0])[kind] += row.count
            weight.update(dict.fromkeys({row.source, row.target}, row.count))
    labels = sorted(weight, key=lambda label: (-weight[label], label))[:most]
    place = {label: i for i, label in enumerate(labels)}
    inside = [
        [place[source], place[target], *counts]
        for (source, target), counts in cells.items()
        if source in place and target in place
    ]
    outside = sum(map(sum, cells.values())) - sum(sum(row[2:]) for row in inside)
    return {"labels": [clean(label) for label in labels], "cells": sorted(inside), "outside": outside}


def pair_data(diff: Diff, pair: Pair) -> dict[str, Any]:
    """One pair in the form that the page's script reads."""
    transitions, left = _transitions(pair)
    return {
        "name": clean(pair_name(pair)),
        "systems": [clean(name) for name in pair.systems],
        "criterion": pair.criterion,
        "units": pair.unit_criterion,
        "countedBy": clean(metric_name(pair.counted_by)),
        "criterionName": clean(metric_name(pair.criterion)),
        "n": pair.n,
        "scores": [pair.first, pair.second],
        "headline": glue(headline_of(diff, pair)),
        "line": glue(" · ".join(line_of(diff, pair))),
        "next": next_step_of(diff, pair),
        "verdict": glue(reason_of(diff, pair)),
        "sentence": clean(pair.sentence),
        "significant": (alpha := alpha_of(diff)) is not None and pair.is_significant(alpha),
        "notes": [clean(note.text) for note in pair.notes if note.kind not in BESIDE_VERDICT],
        "beside": [clean(note.text) for note in (*diff.notes, *pair.notes) if note.kind in BESIDE_VERDICT],
        "outcomes": [
            pair.outcomes.both_right,
            *(getattr(pair.outcomes, name) for name in CLASSES),
            pair.outcomes.shared_error,
        ],
        "kinds": [[clean(metric_name(kind)), count] for kind, count in pair.kinds.items()],
        "metrics": [
            [
                [metric_name(m.metric), points(m.first), points(m.second), points(m.difference, sign=True), p_number(m.p)],
                [m.first, m.second, m.difference, m.p.value],
            ]
            for m in pair.metrics
        ],
        "tables": "" if pair.transitions else _how_to_see(diff, pair),
        "matrix": matrix(pair),
        "transitions": transitions,
        "left": left,
        "labels": _parts(pair.labels),
        "slices": _parts(pair.slices),
    }


def _how_to_see(diff: Diff, pair: Pair) -> str:
    """Why a pair has no tables, and the command that makes them, if the files are known."""
    first, second = pair.systems
    several = len({one.criterion for one in diff.pairs}) > 1
    by = f", by {metric_name(diff.pairs[0].criterion)}" if several else ""
    why = f"Of {len(diff.systems)} systems, only neighbours by score and the first two are compared label by label{by}."
    cure = f"To have the changes of this pair tested, compare {first} and {second} alone"
    files = [str(path) for path in diff.settings.get("files") or []]
    # Gold is the first file; a file that holds several systems cannot be divided.
    if len(files) != len(diff.systems) + 1:
        return clean(f"{why} {cure}.")
    chosen = [files[0], *(files[1 + diff.systems.index(name)] for name in pair.systems)]
    asked = ["outscore", "diff", "--task", diff.task, *(["--criterion", pair.criterion] if several else []), *chosen]
    return clean(f"{why} {cure}: `{shlex.join(asked)}`.")


def _transitions(pair: Pair) -> tuple[list[list[Any]], int]:
    """Rows in order of evidence: class, gold, from, to, count, mirror, shares, p as text and number; how many are left out."""
    rows: list[list[Any]] = []
    left = 0
    for kind, name in enumerate(CLASSES, 1):
        shifts = sorted_shifts(pair.transitions.get(name, []))
        left += len(shifts[MAX_ROWS:])
        rows += [
            [
                kind,
                *map(clean, (row.gold, row.source, row.target)),
                row.count,
                row.mirror,
                points(row.share_of_class),
                points(row.share_of_changes),
                adjusted_p(row.p),
                _order_of(row.p),
            ]
            for row in shifts[:MAX_ROWS]
        ]
    return rows, left


def _parts(parts: list[ScoredSubset]) -> list[list[Any]]:
    """Rows in order of evidence: column, value, units, both scores, difference twice, interval, p, numbers to sort by."""
    return [
        [
            clean(row.column),
            clean(row.value),
            row.n,
            points(row.first),
            points(row.second),
            points(row.difference, sign=True),
            round(row.difference, 6),
            None if row.low is None else round(row.low, 6),
            None if row.high is None else round(row.high, 6),
            "" if row.low is None and row.high is None else ends(row.low, row.high),
            adjusted_p(row.p),
            row.p is not None,
            [round(row.first, 6), round(row.second, 6), _order_of(row.p)],
        ]
        for row in sorted_parts(parts)
    ]


def _order_of(p: PValue | None) -> float | None:
    """The number by which rows are sorted, since a text such as "< .001" says none."""
    if p is None:
        return None
    return p.value if p.adjusted is None else p.adjusted


def charts(pair: Pair) -> list[Chart]:
    """The charts that a pair has data for."""
    canvas.require_drawing()
    drawn = [_transition_chart(pair), _label_chart(pair)]
    return [chart for chart in drawn if chart is not None]


def _transition_chart(pair: Pair) -> Chart | None:
    """First system's labels down, second system's across; colour says whether corrections or new errors prevail."""
    grid = matrix(pair, MAX_CHARTED_LABELS)
    if not grid["cells"]:
        return None
    import altair as alt

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
    legend = alt.Legend(orient="bottom", titleColor=COLOURS["muted"], labelColor=COLOURS["muted"], titleFontWeight="normal")
    colour = alt.Color("balance:Q", scale=scale, title="corrections − new errors", legend=legend)
    base = alt.Chart(canvas.data(rows)).encode(x, y)
    bright = canvas.coloured_if(f"abs(datum.balance) > {0.6 * largest}", "#ffffff", COLOURS["ink"])
    layers = [
        base.mark_rect().encode(colour, description=canvas.on_hover()),
        base.mark_text(fontSize=9).encode(text=alt.Text("count:Q"), color=bright),
        base.mark_text(fontSize=8, dx=7, dy=-7).encode(text=alt.Text("sign:N"), color=bright),
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
    return canvas.hover_text(f"{source} → {target}: {', '.join(classes)}")


def _label_chart(pair: Pair) -> Chart | None:
    """The difference on each gold label with its interval, strongest evidence first."""
    parts = sorted_parts([part for part in pair.labels if part.p is not None])[:MAX_CHARTED_LABELS]
    if not parts:
        return None
    import altair as alt

    shown = canvas.distinct(canvas.short(part.value) for part in parts)
    rows = [_row(part, label) for part, label in zip(parts, shown, strict=True)]
    scale = alt.Scale(
        domain=list(canvas.padded([0.0, *(row[key] for row in rows for key in ("x", "low", "high"))])), nice=False
    )
    title = f"{canvas.short(pair.systems[1])} − {canvas.short(pair.systems[0])}, in points"
    y = alt.Y("label:N", sort=[row["label"] for row in rows], title=None, axis=alt.Axis(labelLimit=200))
    x = alt.X("x:Q", scale=scale, title=title)
    base = alt.Chart(canvas.data(rows))
    line = base.mark_rule(strokeWidth=2, color=COLOURS["null"]).encode(
        alt.X("low:Q", scale=scale, title=title), alt.X2("high:Q"), y, description=canvas.on_hover()
    )
    dots = base.mark_point(filled=True, size=70, opacity=1)
    dots = dots.encode(x, y, color=alt.Color("colour:N", scale=None), description=canvas.on_hover())
    caption = f"Gold labels, {pair_name(pair)}, {metric_name(pair.unit_criterion)}, with intervals"
    worst = ", ".join(f"{row['label']} {row['x']:+.2f}" for row in rows[:3])
    chart: Any = canvas.layered([canvas.rule(0.0, x, dash=canvas.DASHED), line, dots], height=ROW * len(rows))
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
    hover = canvas.hover_text(f"{label}: {points(part.difference, sign=True)} points{between}; {part.n:,} units")
    row = {"label": label, "x": 100 * part.difference, "low": low, "high": high}
    return row | {"colour": COLOURS[colour], "hover": hover}
