"""Charts of single systems' scores: each system, and each of its parts, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from outscore.report.charts import canvas
from outscore.report.charts.canvas import Chart, short
from outscore.report.document import clean, minus
from outscore.report.rows.columns import interval_head
from outscore.results.score import ScoredSystem, ScorePart, ScoreResult

MAX_DRAWN = 40
"""How many rows fit into one chart."""
ROW, HALF = 22, 20


def scores_chart(result: ScoreResult) -> Chart:
    """The score of each system."""
    rows = [_row(one.system, "", one) for one in result.systems]
    return _drawn("scores", result, f"{clean(result.metric)} with its {interval_head(result.alpha)}", rows)


def parts_chart(key: str, result: ScoreResult) -> Chart | None:
    """The score of each system on every dataset or slice."""
    several = len(result.systems) > 1
    rows: list[dict[str, Any]] = []
    for one in result.systems:
        parts: Sequence[ScorePart] = getattr(one, key)
        rows += [{"column": part.column} | _row(part.name, one.system if several else "", part) for part in parts]
    caption = f"{clean(result.metric)} by {key}, with {interval_head(result.alpha)}s"
    return _drawn(key, result, caption, rows) if rows else None


def _row(name: str, system: str, one: ScoredSystem | ScorePart) -> dict[str, Any]:
    return {"name": name, **({"system": system} if system else {}), "value": one.value, "low": one.low, "high": one.high}


def _drawn(key: str, result: ScoreResult, caption: str, rows: Sequence[dict[str, Any]]) -> Chart:
    if len(rows) > MAX_DRAWN:
        caption = f"{caption}; the first {MAX_DRAWN} of {len(rows)}"
    # The names of a slice and a system share the room, so that neither is cut away.
    names = canvas.distinct(
        f"{short(row['name'], HALF)}, {short(row['system'], HALF)}" if "system" in row else short(row["name"])
        for row in rows[:MAX_DRAWN]
    )
    spots = []
    for row, name in zip(rows, names, strict=False):
        x, low, high = (row["value"] if row[end] is None else row[end] for end in ("value", "low", "high"))
        hover = f"{name}: {x:.4g}, {low:.4g} to {high:.4g}"
        spots.append({"label": name, "x": x, "low": low, "high": high, "colour": "ink", "hover": hover})
    scale = canvas.fixed(canvas.padded([end for spot in spots for end in (spot["low"], spot["high"])]))
    layers = canvas.intervals(spots, clean(result.metric), scale, canvas.down(names, labelLimit=260))
    drawing = canvas.layered(layers, canvas.WIDTH, max(40, ROW * len(spots)))
    return Chart(key, caption, f"{caption}. {minus(spots[0]['hover'])}.", drawing, rows)


CHARTS = (scores_chart, partial(parts_chart, "datasets"), partial(parts_chart, "slices"))
