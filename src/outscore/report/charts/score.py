"""Pictures of single systems' scores: each with its interval, and the same for datasets and slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outscore.report.charts.canvas import WIDTH, Chart, data, layered, padded, require_drawing, short
from outscore.report.charts.theme import COLOURS
from outscore.report.rows.score import interval_name
from outscore.results.score import ScoredSystem, ScorePart, ScoreResult

__all__ = ["charts"]

MOST = 40
"""Rows that one picture has room for."""
ROW = 22


def charts(found: ScoreResult) -> list[Chart]:
    """All charts that the result holds data for."""
    require_drawing()
    drawn = [_intervals("scores", f"{found.metric} with its {interval_name(found)}", _rows(found.systems))]
    several = len(found.systems) > 1
    for key in ("datasets", "slices"):
        rows = []
        for one in found.systems:
            listed: Sequence[ScorePart] = getattr(one, key)
            rows += [_row(f"{part.name}, {one.system}" if several else part.name, part) for part in listed]
        if rows:
            drawn.append(_intervals(key, f"{found.metric} by {key}, with {interval_name(found)}s", rows))
    return drawn


def _rows(systems: Sequence[ScoredSystem]) -> list[dict[str, Any]]:
    return [_row(one.system, one) for one in systems]


def _row(name: str, one: ScoredSystem | ScorePart) -> dict[str, Any]:
    low, high = (one.value if end is None else end for end in (one.low, one.high))
    return {"name": short(name), "value": one.value, "low": low, "high": high}


def _intervals(key: str, caption: str, rows: Sequence[dict[str, Any]]) -> Chart:
    import altair as alt

    shown = list(rows[:MOST])
    if len(rows) > MOST:
        caption = f"{caption}; the first {MOST} of {len(rows)}"
    ends = [end for row in shown for end in (row["low"], row["high"])]
    y = alt.Y("name:N", title=None, sort=None)
    scale = alt.Scale(domain=list(padded(ends)), zero=False, nice=False)
    base = alt.Chart(data(shown))
    line = base.mark_rule(color=COLOURS["a"], strokeWidth=2).encode(
        alt.X("low:Q", title=None, scale=scale), alt.X2("high:Q"), y
    )
    point = base.mark_point(color=COLOURS["a"], filled=True, size=50, opacity=1).encode(
        alt.X("value:Q", title=None, scale=scale), y
    )
    first = shown[0]
    said = f"{caption}. {first['name']}: {first['value']:.4g}, {first['low']:.4g} to {first['high']:.4g}."
    return Chart(key, caption, said, layered([line, point], WIDTH, max(40, ROW * len(shown))))
