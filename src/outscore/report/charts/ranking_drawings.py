"""Two charts of a ranking: the heat map of adjusted p, and the forest of scores or of differences to the baseline."""

from __future__ import annotations

from typing import Any

from outscore.language.numbers import format_level, format_number
from outscore.report.charts.canvas import DASHED, Chart, data, layered, padded, rule
from outscore.report.charts.theme import COLOURS
from outscore.report.document import clean
from outscore.report.rows.ranking_words import Cell, bounds_of, cells, decimals_of, fitted, interval_name, subject
from outscore.results.ranking import Ranking

__all__ = ["BANDS", "MOST_DRAWN", "band_key", "band_names", "forest_chart", "heat_chart", "heat_words", "labels_of"]

MOST_DRAWN = 100
"""Systems in a picture; more cannot be told apart by eye."""
# Each band in the light and in the dark: the row is better or worse at the first, second or third level, or neither.
BANDS = {
    "better-3": ("#0072b2", "#56b4e9"),
    "better-2": ("#559fcd", "#2e6c8f"),
    "better-1": ("#a9cfe6", "#1f465d"),
    "open": ("#e9ecef", "#2a3038"),
    "worse-1": ("#f6cba8", "#5c3f17"),
    "worse-2": ("#e6935a", "#8f5f1e"),
    "worse-3": ("#be5200", "#f0a33a"),
    "apart": ("#fcfcfb", "#14171b"),
}
# Shapes instead of letters: the renderer is faster with them, and they look the same in every font.
SIGNS = {"better": "M-.4,-.7L.4,0L-.4,.7", "worse": "M.4,-.7L-.4,0L.4,.7", "apart": "M-.5,-.5L.5,.5M.5,-.5L-.5,.5"}
NAME = 30
ROW = 16


def labels_of(systems: list[str], room: int = NAME) -> list[str]:
    """Names that fit into a picture; numbers keep apart what the cutting made equal."""
    return [f"{i}  {fitted(system, room)}" for i, system in enumerate(systems, 1)]


def band_key(cell: Cell) -> str:
    """The band of a cell: its outcome, and of significant ones the number of bounds they meet."""
    return cell.outcome if cell.outcome in ("open", "apart") else f"{cell.outcome}-{cell.level}"


def band_names(ranking: Ranking) -> dict[str, str]:
    """What the bands say, in the order of a legend."""
    bounds = list(enumerate(bounds_of(ranking.alpha), 1))
    names = {
        f"{side}-{i}": f"row {side}, p ≤ {format_level(bound)}" for side in ("better", "worse") for i, bound in bounds[::-1]
    }
    names["open"] = f"p > {format_level(ranking.alpha)}"
    return names | ({"apart": "no common item"} if ranking.counts.testable < ranking.counts.pairs else {})


def heat_chart(ranking: Ranking) -> Chart | None:
    """Systems in order on both axes, colour by adjusted p in bands, as in figure 4 of Zhu et al. (2020), with the direction."""
    systems = [s.system for s in ranking.scores]
    if ranking.baseline is not None or not ranking.pairs or not 2 < len(systems) <= MOST_DRAWN:
        return None
    labels, names = labels_of(systems), band_names(ranking)
    label = dict(zip(systems, labels, strict=True))
    rows = [
        {"row": label[a], "column": label[b], "band": names[band_key(cell)], "sign": cell.outcome}
        for (a, b), cell in cells(ranking.standing, ranking.alpha).items()
    ]
    if len(systems) <= 25:
        step = 22
    else:
        step = 14 if len(systems) <= 50 else 10
    chart = layered(_heat_layers(ranking, rows, labels, step), step * len(systems), step * len(systems))
    caption = f"Adjusted p of each pair, {subject(ranking.standing)}; > and < mark significant ones"
    return Chart("heat-map", caption, heat_words(ranking), chart)


def heat_words(ranking: Ranking) -> str:
    """What a heat map shows, for those who cannot see it."""
    counts = ranking.counts
    return (
        f"Heat map of adjusted p for {len(ranking.scores)} systems, best first on both axes: {counts.significant:,} of "
        f"{counts.testable:,} pairs differ significantly at alpha = {format_level(ranking.alpha)}."
    )


def _heat_layers(ranking: Ranking, rows: list[dict[str, Any]], labels: list[str], step: int) -> list[Any]:
    """Coloured squares, and signs on those that are significant."""
    import altair as alt

    names = band_names(ranking)
    axis: dict[str, Any] = {"labelFontSize": min(11, step - 2), "labelLimit": 260, "labelOverlap": False, "labelFlush": False}
    angle = -50 if len(labels) <= 25 else -90
    x = alt.X("column:N", sort=labels, title=None, axis=alt.Axis(orient="top", labelAngle=angle, **axis))
    y = alt.Y("row:N", sort=labels, title=None, axis=alt.Axis(**axis))
    quiet: dict[str, Any] = {"titleColor": COLOURS["muted"], "labelColor": COLOURS["muted"], "titleFontWeight": "normal"}
    columns = len(bounds_of(ranking.alpha))
    legend = alt.Legend(orient="bottom", columns=columns, labelLimit=260, symbolType="square", symbolStrokeWidth=0, **quiet)
    bands = alt.Scale(domain=list(names.values()), range=[BANDS[key][0] for key in names])
    colour = alt.Color("band:N", scale=bands, title=f"adjusted p of {clean(ranking.metric)}", legend=legend)
    squares = alt.Chart(data(rows)).mark_rect(stroke=COLOURS["paper"], strokeWidth=0.5).encode(x, y, colour)
    strict = alt.FieldOneOfPredicate(field="band", oneOf=[names[key] for key in ("better-3", "worse-3") if key in names])
    bright = alt.condition(strict, alt.value(COLOURS["paper"]), alt.value(COLOURS["ink"]))
    shape = alt.Shape("sign:N", scale=alt.Scale(domain=list(SIGNS), range=list(SIGNS.values())), legend=None)
    signed = alt.Chart(data([row for row in rows if row["sign"] in SIGNS]))
    signs = signed.mark_point(filled=False, size=step * 2, strokeWidth=step / 16, opacity=1).encode(x, y, shape, color=bright)
    return [squares, signs]


def forest_chart(ranking: Ranking) -> Chart | None:
    """Scores with their intervals, best first; with a baseline the differences to it, and a line at 0."""
    rows = _differences(ranking) if ranking.baseline is not None else _scores(ranking)
    if not rows:
        return None
    import altair as alt

    labels = [row["label"] for row in rows]
    spread = [row[key] for row in rows for key in ("x", "low", "high")] + ([] if ranking.baseline is None else [0.0])
    scale = alt.Scale(domain=list(padded(spread, 0.04)), nice=False, zero=False)
    what = clean(ranking.metric)
    title = what if ranking.baseline is None else f"{what}: system − {fitted(ranking.baseline, 20)}"
    y = alt.Y("label:N", sort=labels, title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False))
    x = alt.X("x:Q", scale=scale, title=title)
    base = alt.Chart(data(rows))
    lines = base.mark_rule(strokeWidth=2, color=COLOURS["null"]).encode(
        alt.X("low:Q", scale=scale, title=title), alt.X2("high:Q"), y
    )
    dots = base.mark_point(filled=True, size=50, opacity=1).encode(x, y, color=alt.Color("colour:N", scale=None))
    zero = [] if ranking.baseline is None else [rule(0.0, x, dash=DASHED)]
    left = len(ranking.scores) - MOST_DRAWN
    more = f"; the first {MOST_DRAWN} of {len(ranking.scores)} systems" if left > 0 else ""
    told = "Scores" if ranking.baseline is None else f"Differences to {clean(ranking.baseline)}"
    colours = (
        "; blue: nobody is significantly better"
        if ranking.baseline is None
        else "; blue: significantly better than it, orange: worse"
    )
    caption = f"{told} with {interval_name(ranking)}s{more}{colours if ranking.counts.testable else ''}"
    best = ", ".join(row["words"] for row in rows[:3])
    chart: Any = layered([*zero, lines, dots], height=ROW * len(rows))
    return Chart("forest", caption, f"{caption}. First: {best}.", chart)


def _scores(ranking: Ranking) -> list[dict[str, Any]]:
    shown = ranking.scores[:MOST_DRAWN]
    labels, decimals = labels_of([s.system for s in shown], 24), decimals_of(ranking.standing)
    return [
        {
            "label": label,
            "x": s.value,
            "low": s.value if s.low is None else s.low,
            "high": s.value if s.high is None else s.high,
            "colour": COLOURS["a" if s.rank_low == 1 else "ink"],
            "words": f"{clean(s.system)} {format_number(s.value, decimals)}",
        }
        for label, s in zip(labels, shown, strict=True)
    ]


def _differences(ranking: Ranking) -> list[dict[str, Any]]:
    found, decimals = cells(ranking.standing, ranking.alpha), decimals_of(ranking.standing)
    colours = {"better": "a", "worse": "b"}
    rows = []
    for label, s in zip(labels_of([s.system for s in ranking.scores], 24), ranking.scores, strict=True):
        cell = found.get((s.system, str(ranking.baseline)))
        if cell is None or cell.pair.difference is None:
            continue
        x = cell.pair.difference
        low, high = (x if end is None else end for end in (cell.pair.low, cell.pair.high))
        words = f"{clean(s.system)} {format_number(x, decimals, sign=True)}"
        colour = COLOURS[colours.get(cell.outcome, "ink")]
        rows.append({"label": label, "x": x, "low": low, "high": high, "colour": colour, "words": words})
    return rows[:MOST_DRAWN]
