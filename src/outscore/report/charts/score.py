"""Pictures of single systems' scores: each with its interval, and the same for datasets and slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outscore.report.charts.canvas import (
    WIDTH,
    Chart,
    data,
    distinct,
    hover_text,
    layered,
    on_hover,
    padded,
    require_drawing,
    short,
)
from outscore.report.charts.theme import COLOURS
from outscore.report.document import clean
from outscore.report.rows.columns import interval_head
from outscore.results.score import ScoredSystem, ScorePart, ScoreResult

MAX_DRAWN = 40
"""How many rows fit into one chart."""
ROW, HALF = 22, 20


def charts(result: ScoreResult) -> list[Chart]:
    """All charts that the result has data for."""
    require_drawing()
    metric, interval = clean(result.metric), interval_head(result.alpha)
    drawn = [_intervals("scores", metric, f"{metric} with its {interval}", _rows(result.systems))]
    several = len(result.systems) > 1
    for key in ("datasets", "slices"):
        rows = []
        for one in result.systems:
            listed: Sequence[ScorePart] = getattr(one, key)
            rows += [{"column": part.column} | _row(part.name, one.system if several else "", part) for part in listed]
        if rows:
            drawn.append(_intervals(key, metric, f"{metric} by {key}, with {interval}s", rows))
    return drawn


def _rows(systems: Sequence[ScoredSystem]) -> list[dict[str, Any]]:
    return [_row(one.system, "", one) for one in systems]


def _row(name: str, system: str, one: ScoredSystem | ScorePart) -> dict[str, Any]:
    return {"name": name, **({"system": system} if system else {}), "value": one.value, "low": one.low, "high": one.high}


def _intervals(key: str, metric: str, caption: str, rows: Sequence[dict[str, Any]]) -> Chart:
    import altair as alt

    if len(rows) > MAX_DRAWN:
        caption = f"{caption}; the first {MAX_DRAWN} of {len(rows)}"
    # The names of a slice and a system share the room, so that neither is cut away.
    names = distinct(
        f"{short(row['name'], HALF)}, {short(row['system'], HALF)}" if "system" in row else short(row["name"])
        for row in rows[:MAX_DRAWN]
    )
    shown = [_drawn(row, name) for row, name in zip(rows, names, strict=False)]
    ends = [end for row in shown for end in (row["low"], row["high"])]
    y = alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=260))
    scale = alt.Scale(domain=list(padded(ends)), zero=False, nice=False)
    base = alt.Chart(data(shown)).encode(description=on_hover())
    line = base.mark_rule(color=COLOURS["null"], strokeWidth=2)
    point = base.mark_point(color=COLOURS["ink"], filled=True, size=50, opacity=1)
    layers = [
        line.encode(alt.X("low:Q", title=metric, scale=scale), alt.X2("high:Q"), y),
        point.encode(alt.X("value:Q", title=metric, scale=scale), y),
    ]
    description = f"{caption}. {shown[0]['hover']}."
    return Chart(key, caption, description, layered(layers, WIDTH, max(40, ROW * len(shown))), rows)


def _drawn(row: dict[str, Any], name: str) -> dict[str, Any]:
    low, high = (row["value"] if end is None else end for end in (row["low"], row["high"]))
    hover = hover_text(f"{name}: {row['value']:.4g}, {low:.4g} to {high:.4g}")
    return {"name": name, "value": row["value"], "low": low, "high": high, "hover": hover}
