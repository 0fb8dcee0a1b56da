"""Charts of a ranking: a heat map of its pairs, a forest of its scores, wins over datasets, and mean ranks.

On a page the heat map is one SVG in which every cell says which pair it is, without a script. A pair has two cells, one on each
side of the diagonal; they share one title, and where the page lists the pairs, one link.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from html import escape
from typing import Any

from outscore.language.numbers import format_ends, format_level, format_number
from outscore.report.charts.canvas import (
    COLOURS,
    DASHED,
    Chart,
    coloured_if,
    count_axis,
    data,
    distinct,
    hover_text,
    layered,
    on_hover,
    padded,
    require_drawing,
    rule,
)
from outscore.report.document import Figure, clean, list_names, screen_width
from outscore.report.rows.columns import interval_head
from outscore.report.rows.places import (
    Cell,
    Outcome,
    adjusted_p,
    bounds_of,
    cells,
    decimals_of,
    fitted,
    friedman_p,
    losses,
    pair_words,
    places,
    subject,
    wins,
)
from outscore.results.files import csv_text
from outscore.results.ranking import Frontier, FrontierSystem, Ranking, Standing

MAX_DRAWN, MAX_SPOTS = 100, 30
"""How many systems a heat map has, and how many rows a forest: more could not be told apart by eye, or read on one screen."""
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
CELL = 22
MAX_IN_MATRIX = 40
MAX_TOLD = 40
"""Up to this many systems, every cell of a heat map has a tooltip; more would make a large file."""
PALE = 0.6
"""Losses are paler than wins, so that they differ in print without colour."""
DRAWN = ("label", "x", "low", "high", "colour", "hover")
MAX_LINKED = 500
"""How many pairs a page lists, so that a cell can link to its pair."""
BAND_NAME = 26
BAND_SIGNS = {"better": ">", "worse": "<", "apart": "×"}
LETTER = 0.58
"""How wide a letter is, in font sizes."""


def labels_of(ranking: Ranking, room: int = NAME) -> dict[str, str]:
    """Each system's place with a name that fits into a picture."""
    named = {s.system: fitted(s.system, room) for s in ranking.scores}
    ranked = zip(places(ranking.standing), named.values(), strict=True)
    return dict(zip(named, distinct(f"{place}  {name}" for place, name in ranked), strict=True))


def band_key(cell: Cell) -> str:
    """The band of a cell: its outcome, and for a significant one the number of bounds it meets."""
    return cell.outcome if cell.outcome in ("open", "apart") else f"{cell.outcome}-{cell.level}"


def band_names(ranking: Ranking) -> dict[str, str]:
    """What the bands mean, in the order of a legend."""
    bounds = list(enumerate(bounds_of(ranking.alpha), 1))
    names = {
        f"{side}-{i}": f"row {side}, p ≤ {format_level(bound)}" for side in ("better", "worse") for i, bound in bounds[::-1]
    }
    names["open"] = f"p > {format_level(ranking.alpha)}"
    return names | ({"apart": "no common item"} if ranking.counts.testable < ranking.counts.pairs else {})


def heat_chart(ranking: Ranking) -> Chart | None:
    """Systems in order on both axes, colour by adjusted p in bands, as in figure 4 of Zhu et al. (2020), with the direction."""
    systems = [s.system for s in ranking.scores]
    if ranking.baseline is not None or not ranking.pairs or not 2 < len(systems) <= MAX_DRAWN:
        return None
    label, names = labels_of(ranking), band_names(ranking)
    seen, decimals = cells(ranking.standing, ranking.alpha), decimals_of(ranking.standing)
    rows = [
        {
            "row": label[a],
            "column": label[b],
            "band": names[band_key(cell)],
            "sign": cell.outcome,
            "hover": hover_text(pair_words(cell, a, b, ranking.alpha, decimals)),
        }
        for (a, b), cell in seen.items()
    ]
    step = 10
    if len(systems) <= 50:
        step = 22 if len(systems) <= 25 else 14
    chart = layered(_heat_layers(ranking, rows, list(label.values()), step), step * len(systems), step * len(systems))
    caption = f"Adjusted p of each pair, {subject(ranking.standing)}; > and < mark significant ones"
    numbers = pair_rows(ranking)
    return Chart("heat-map", caption, heat_words(ranking), chart, numbers)


def _pair_row(row: str, column: str, cell: Cell) -> dict[str, object]:
    difference, sign = cell.pair.difference, 1 if cell.pair.systems[0] == row else -1
    numbers = {"difference": None if difference is None else sign * difference, "adjusted_p": adjusted_p(cell.pair)}
    return {"row": row, "column": column, **numbers, "outcome": cell.outcome}


def pair_rows(ranking: Ranking) -> list[dict[str, object]]:
    """The numbers of a heat map: every system against every other, so that a spreadsheet can filter by row."""
    return [_pair_row(a, b, cell) for (a, b), cell in cells(ranking.standing, ranking.alpha).items()]


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
    if len(labels) <= MAX_TOLD:
        squares = squares.encode(description=on_hover())
    strict = alt.FieldOneOfPredicate(field="band", oneOf=[names[key] for key in ("better-3", "worse-3") if key in names])
    bright = coloured_if(strict, COLOURS["paper"], COLOURS["ink"])
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
    title = what
    if ranking.baseline is not None:
        title = f"{what}: system − {fitted(ranking.baseline, 20)}"
    elif ranking.ordered_by == "advantage":
        title = f"{what}: advantage over the average system"
    y = alt.Y("label:N", sort=labels, title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False))
    x = alt.X("x:Q", scale=scale, title=title)
    base = alt.Chart(data([{key: row[key] for key in DRAWN} for row in rows])).encode(description=on_hover())
    lines = base.mark_rule(strokeWidth=2, color=COLOURS["null"]).encode(
        alt.X("low:Q", scale=scale, title=title), alt.X2("high:Q"), y
    )
    dots = base.mark_point(filled=True, size=50, opacity=1).encode(x, y, color=alt.Color("colour:N", scale=None))
    zero = [] if ranking.baseline is None else [rule(0.0, x, dash=DASHED)]
    left = len(ranking.scores) - MAX_SPOTS
    more = f"; the first {MAX_SPOTS} of {len(ranking.scores)} systems" if left > 0 else ""
    drawn = f"{_drawn(ranking)} with {interval_head(ranking.alpha)}s"
    if ranking.baseline is None and ranking.ordered_by == "advantage":
        drawn = "Advantages over the average system (their scores are on different items and not comparable)"
    colours = "; blue: nobody is significantly better"
    if ranking.baseline is not None:
        colours = "; blue: significantly better than it, orange: worse"
    caption = f"{drawn}{more}{colours if ranking.counts.testable else ''}"
    best = ", ".join(row["words"] for row in rows[:3])
    chart: Any = layered([*zero, lines, dots], height=ROW * len(rows))
    value = "score" if ranking.baseline is None and ranking.ordered_by != "advantage" else "difference"
    numbers = [
        {"system": row["system"], value: row["x"], **dict(zip(("low", "high"), row["ends"], strict=True))} for row in rows
    ]
    return Chart("forest", caption, f"{caption}. First: {best}.", chart, numbers)


def _drawn(ranking: Ranking) -> str:
    return "Scores" if ranking.baseline is None else f"Differences from {clean(ranking.baseline)}"


def _spot(
    system: str, label: str, x: float, ends: tuple[float | None, float | None], colour: str, words: str
) -> dict[str, Any]:
    """A row of the forest; without an interval its ends are where the point is."""
    low, high = (x if end is None else end for end in ends)
    interval = "" if ends == (None, None) else f", {format_ends(*ends)}"
    return {
        "system": system,
        "label": label,
        "x": x,
        "low": low,
        "high": high,
        "ends": ends,
        "colour": COLOURS[colour],
        "words": f"{clean(system)} {words}",
        "hover": hover_text(f"{system}: {words}{interval}"),
    }


def _advantages(ranking: Ranking) -> list[dict[str, Any]]:
    """Effects of systems with different items: they have no intervals, and those without an effect no place."""
    shown = [(s, s.advantage) for s in ranking.scores[:MAX_SPOTS] if s.advantage is not None]
    labels, decimals = labels_of(ranking, 24), decimals_of(ranking.standing)
    return [
        _spot(
            s.system,
            labels[s.system],
            x,
            (None, None),
            "a" if s.rank_low == 1 else "ink",
            format_number(x, decimals, sign=True),
        )
        for s, x in shown
    ]


def _scores(ranking: Ranking) -> list[dict[str, Any]]:
    if ranking.ordered_by == "advantage":
        return _advantages(ranking)
    labels, decimals = labels_of(ranking, 24), decimals_of(ranking.standing)
    return [
        _spot(
            s.system,
            labels[s.system],
            s.value,
            (s.low, s.high),
            "a" if s.rank_low == 1 else "ink",
            format_number(s.value, decimals),
        )
        for s in ranking.scores[:MAX_SPOTS]
    ]


def _differences(ranking: Ranking) -> list[dict[str, Any]]:
    effects, decimals = cells(ranking.standing, ranking.alpha), decimals_of(ranking.standing)
    colours = {"better": "a", "worse": "b"}
    rows = []
    labels = labels_of(ranking, 24)
    for s in ranking.scores:
        cell = effects.get((s.system, str(ranking.baseline)))
        if cell is None or cell.pair.difference is None:
            continue
        x, ends, colour = cell.pair.difference, (cell.pair.low, cell.pair.high), colours.get(cell.outcome, "ink")
        rows.append(_spot(s.system, labels[s.system], x, ends, colour, format_number(x, decimals, sign=True)))
    return rows[:MAX_SPOTS]


def frontier_chart(ranking: Ranking) -> Chart | None:
    """The first two measures with intervals in both directions; systems that nobody is shown to dominate stand out."""
    frontier = ranking.frontier
    if frontier is None:
        return None
    shown = frontier.systems[:MAX_DRAWN]
    numbers = [
        {"system": s.system, **_limits(s, 1, "x"), **_limits(s, 0, "y"), "dominated": bool(s.dominated_by)} for s in shown
    ]
    rows = [
        {
            **row,
            "label": fitted(s.system, 20),
            "colour": COLOURS["ink" if s.dominated_by else "a"],
            "hover": hover_text(f"{s.system}: {_told(frontier, s)}"),
        }
        for row, s in zip(numbers, shown, strict=True)
    ]
    first, second = map(clean, frontier.measures[:2])
    caption = f"{first} and {second} with {interval_head(ranking.alpha)}s; blue: nobody is shown to dominate it"
    free = list_names([s.system for s in frontier.systems if not s.dominated_by], 8)
    return Chart("frontier", caption, f"{caption}: {free}.", _frontier_layers(frontier, rows), numbers)


def _limits(s: FrontierSystem, m: int, axis: str) -> dict[str, float]:
    """A score and the ends of its interval; the score replaces an end that is not known."""
    ends = (s.values[m] if end is None else end for end in (s.lows[m], s.highs[m]))
    return {axis: s.values[m], **dict(zip((f"{axis}_low", f"{axis}_high"), ends, strict=True))}


def _told(frontier: Frontier, s: FrontierSystem) -> str:
    values = ", ".join(f"{name} {value:.4g}" for name, value in zip(frontier.measures, s.values, strict=True))
    return f"{values}; dominated by {list_names(s.dominated_by, 3) if s.dominated_by else 'nobody'}"


def _frontier_layers(frontier: Frontier, rows: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - Altair's
    import altair as alt

    def channel(make: Any, field: str, m: int) -> Any:  # noqa: ANN401 - Altair's
        spread = [row[f"{field[0]}{end}"] for row in rows for end in ("", "_low", "_high")]
        scale = alt.Scale(domain=list(padded(spread, 0.08)), nice=False, zero=False)
        better = "higher" if frontier.higher_is_better[m] else "lower"
        return make(f"{field}:Q", scale=scale, title=f"{clean(frontier.measures[m])} ({better} is better)")

    def x(field: str) -> Any:  # noqa: ANN401 - Altair's
        return channel(alt.X, field, 1)

    def y(field: str) -> Any:  # noqa: ANN401 - Altair's
        return channel(alt.Y, field, 0)

    base = alt.Chart(data(rows)).encode(description=on_hover())
    lines = base.mark_rule(strokeWidth=2, color=COLOURS["null"])
    colour = alt.Color("colour:N", scale=None)
    return layered(
        [
            lines.encode(x("x_low"), alt.X2("x_high:Q"), y("y")),
            lines.encode(x("x"), y("y_low"), alt.Y2("y_high:Q")),
            base.mark_point(filled=True, size=50, opacity=1).encode(x("x"), y("y"), color=colour),
            base.mark_text(align="left", dx=6, dy=-7).encode(x("x"), y("y"), text=alt.Text("label:N")),
        ]
    )


def wins_chart(ranking: Ranking) -> Chart | None:
    """How many systems each one beats, cannot be told apart from, and loses to; nothing against a baseline."""
    if ranking.baseline is not None or len(ranking.scores) < 3:
        return None
    import altair as alt

    shown, k = ranking.scores[:MAX_DRAWN], len(ranking.scores)
    labels = labels_of(ranking, 24)
    rows, numbers = [], []
    for s in shown:
        counts = (wins(s, k), k - 1 - wins(s, k) - losses(s), losses(s))
        numbers.append({"system": s.system} | dict(zip(("beats", "open", "loses"), counts, strict=True)))
        hover = hover_text(f"{clean(s.system)}: beats {counts[0]}, undecided {counts[1]}, loses to {counts[2]}")
        at = 0
        for role, n in zip(("a", "grid", "b"), counts, strict=True):
            part = {"from": at, "to": at + n, "colour": COLOURS[role], "strength": PALE if role == "b" else 1, "hover": hover}
            rows.append({"label": labels[s.system], **part})
            at += n
    y = alt.Y("label:N", sort=list(labels.values()), title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False))
    x = alt.X("from:Q", title="systems", scale=alt.Scale(domain=[0, k - 1], nice=False), axis=count_axis(k - 1))
    colour, strength = alt.Color("colour:N", scale=None), alt.Opacity("strength:Q", scale=None)
    bars = alt.Chart(data(rows)).mark_bar(height=ROW - 5).encode(x, alt.X2("to:Q"), y, colour, strength, description=on_hover())
    chart = layered([bars], height=ROW * len(shown))
    caption = "Wins: systems that each one beats (blue), cannot be told apart from (grey), and loses to (orange)"
    first = shown[0]
    about = f"{caption}. {fitted(first.system, 60)} beats {wins(first, k)} of {k - 1} and loses to {losses(first)}."
    return Chart("wins", caption, about, chart, numbers)


def datasets_won(ranking: Ranking) -> Counter[tuple[str, str]]:
    """On how many datasets the first system is significantly better than the second, by the first metric."""
    return Counter(
        key
        for standing in _of_first_metric(ranking)
        for key, cell in cells(standing, ranking.alpha).items()
        if cell.outcome == "better"
    )


def _of_first_metric(ranking: Ranking) -> list[Standing]:
    """The datasets by the metric that ranks."""
    return [standing for standing in ranking.datasets if standing.metric == ranking.metric]


def wins_matrix(ranking: Ranking) -> Chart | None:
    """On how many datasets the row is significantly better than the column; nothing where datasets keep no pairs."""
    systems = [s.system for s in ranking.scores]
    datasets = _of_first_metric(ranking)
    kept = len(datasets) > 1 and all(standing.pairs for standing in datasets)
    if ranking.baseline is not None or not kept or not 2 < len(systems) <= MAX_IN_MATRIX:
        return None
    import altair as alt

    won, most, labels = datasets_won(ranking), len(datasets), labels_of(ranking, 24)
    numbers = distinct(map(str, places(ranking.standing)))
    rows = [
        {
            "row": labels[a],
            "column": number,
            "won": won[a, b],
            "share": 0.55 * won[a, b] / most + 0.02,
            "hover": hover_text(f"{a} is better than {b} on {won[a, b]} of {most}, worse on {won[b, a]}"),
        }
        for a in systems
        for b, number in zip(systems, numbers, strict=True)
        if a != b
    ]
    x = alt.X("column:N", sort=numbers, title=None, axis=alt.Axis(orient="top", labelAngle=0, labelOverlap=False))
    y = alt.Y("row:N", sort=list(labels.values()), title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False))
    base = alt.Chart(data(rows)).encode(x, y)
    opacity = alt.Opacity("share:Q", scale=None)
    # Pale enough for dark numbers on all of them.
    layers = [
        base.mark_rect(color=COLOURS["a"]).encode(opacity, description=on_hover()),
        base.mark_text().encode(text=alt.Text("won:Q")),
    ]
    caption = f"On how many of {most} datasets the row is significantly better than the column"
    a, b = max(won, key=lambda key: won[key]) if won else (systems[0], systems[1])
    about = f"{caption}: at most {won[a, b]}, {fitted(a, 60)} against {fitted(b, 60)}."
    counted = [{"row": a, "column": b, "datasets_won": won[a, b], "datasets": most} for a in systems for b in systems if a != b]
    return Chart("win-matrix", caption, about, layered(layers, CELL * len(systems), CELL * len(systems)), counted)


def critical_chart(ranking: Ranking) -> Chart | None:
    """Mean ranks on a line, best on the left, with bars over those that Nemenyi's test cannot tell apart (Demšar, 2006)."""
    critical = ranking.critical_difference
    if critical is None or len(critical.mean_ranks) < 2:
        return None
    ordered = sorted(critical.mean_ranks.items(), key=lambda entry: entry[1])
    low, high = 1.0, float(max(len(ordered), 2))
    half = (len(ordered) + 1) // 2
    bars = [group for group in critical.groups if len(group) > 1][:12]
    below = 1.0 + 0.6 * len(bars)
    # Names hang below the line: the better half to the left of it, the others to the right.
    stems = []
    for i, (system, rank) in enumerate(ordered):
        left = i < half
        depth = below + (i if left else len(ordered) - 1 - i)
        edge = low if left else high
        label = fitted(system, 20)
        text = f"{label} {rank:.2f}" if left else f"{rank:.2f} {label}"
        stems.append(
            {
                "rank": rank,
                "depth": depth,
                "edge": edge,
                "text": text,
                "side": "right" if left else "left",
                "top": 0.0,
                "hover": hover_text(f"{system}: mean rank {rank:.4g}"),
            }
        )
    spans = [
        {
            "from": min(ranks) - 0.04,
            "to": max(ranks) + 0.04,
            "depth": 0.5 + 0.6 * i,
            "hover": hover_text(f"{len(ranks)} systems with mean ranks from {min(ranks):.4g} to {max(ranks):.4g}"),
        }
        for i, ranks in enumerate([critical.mean_ranks[system] for system in group] for group in bars)
    ]
    scale_bar = {
        "from": low,
        "to": low + critical.critical_difference,
        "depth": -1.0,
        "text": f"CD {critical.critical_difference:.2f}",
        "hover": hover_text(f"critical difference: {critical.critical_difference:.4g}"),
    }
    caption = (
        f"Mean ranks over {critical.blocks:,} {critical.over}; bars join systems less than the critical difference apart "
        f"(Friedman {friedman_p(critical, ranking.alpha)}; Nemenyi)"
    )
    about = f"{caption}. Best: {list_names([system for system, _ in ordered], 3)}."
    numbers: list[dict[str, object]] = [{"system": system, "mean_rank": rank} for system, rank in ordered]
    numbers.append({"system": "critical difference", "mean_rank": critical.critical_difference})
    return Chart("critical-difference", caption, about, _critical_layers(stems, spans, scale_bar, (low, high)), numbers)


def _critical_layers(
    stems: list[dict[str, Any]], spans: list[dict[str, Any]], scale_bar: dict[str, Any], ends: tuple[float, float]
) -> Any:  # noqa: ANN401 - Altair's
    import altair as alt

    deepest = max(stem["depth"] for stem in stems) + 0.5
    across = alt.Scale(domain=[ends[0], max(ends[1], scale_bar["to"])], nice=False, zero=False)
    down = alt.Scale(domain=[deepest, -1.6], nice=False, zero=False)

    def x(field: str) -> Any:  # noqa: ANN401 - Altair's
        return alt.X(f"{field}:Q", scale=across, title=None, axis=None)

    def y(field: str) -> Any:  # noqa: ANN401 - Altair's
        return alt.Y(f"{field}:Q", scale=down, title=None, axis=None)

    ink, muted = COLOURS["ink"], COLOURS["muted"]
    ticks = [{"rank": float(i), "depth": 0.0, "text": str(i)} for i in _ticks(*ends)]
    line = alt.Chart(data([{"from": ends[0], "to": ends[1], "depth": 0.0}])).mark_rule(color=ink)
    stem = alt.Chart(data(stems))
    bar = alt.Chart(data([scale_bar]))
    layers = [
        line.encode(x("from"), alt.X2("to:Q"), y("depth")),
        alt.Chart(data(ticks)).mark_text(dy=-9, color=muted).encode(x("rank"), y("depth"), text=alt.Text("text:N")),
        alt.Chart(data(ticks)).mark_tick(color=ink, orient="vertical", size=7).encode(x("rank"), y("depth")),
        stem.mark_rule(color=muted).encode(x("rank"), y("top"), alt.Y2("depth:Q")),
        stem.mark_rule(color=muted).encode(x("rank"), alt.X2("edge:Q"), y("depth")),
        bar.mark_rule(color=ink, strokeWidth=2).encode(x("from"), alt.X2("to:Q"), y("depth"), description=on_hover()),
        bar.mark_text(align="left", dy=-8, color=muted).encode(x("from"), y("depth"), text=alt.Text("text:N")),
    ]
    for side, shift in (("right", -4), ("left", 4)):
        texts = [row for row in stems if row["side"] == side]
        marks: Any = alt.Chart(data(texts)).mark_text(align=side, dx=shift)  # type: ignore[arg-type]
        layers.append(marks.encode(x("edge"), y("depth"), text=alt.Text("text:N"), description=on_hover()))
    if spans:
        thick = alt.Chart(data(spans)).mark_rule(color=ink, strokeWidth=4)
        layers.append(thick.encode(x("from"), alt.X2("to:Q"), y("depth"), description=on_hover()))
    return layered(layers, 260, round(17 * (deepest + 1.6)))


def _ticks(low: float, high: float) -> range:
    """Whole ranks, at most a dozen of them."""
    return range(int(low), int(high) + 1, max(1, int(high - low) // 10))


ON_PAGES = (frontier_chart, forest_chart, wins_chart, wins_matrix, critical_chart)


def charts(ranking: Ranking) -> list[Chart]:
    """All charts that the ranking has data for."""
    return _draw(ranking, (heat_chart, *ON_PAGES))


def page_charts(ranking: Ranking) -> list[Chart]:
    """The charts of a page, which draws its own heat map, whose cells name their pairs."""
    return _draw(ranking, ON_PAGES)


def _draw(ranking: Ranking, makers: Iterable[Callable[[Ranking], Chart | None]]) -> list[Chart]:
    require_drawing()
    drawn = [make(ranking) for make in makers]
    return [chart for chart in drawn if chart is not None]


HeatPair = tuple[str, list[tuple[float, float, str]]]
"""The description of a pair, and (x, y, band) of both of its cells."""


def heat_figure(ranking: Ranking) -> Figure | None:
    """The heat map of all pairs; None where pairs were not all compared or kept, or are too many to be seen."""
    if ranking.baseline is not None or not ranking.pairs or not 2 < len(ranking.scores) <= MAX_DRAWN:
        return None
    linked = len(ranking.pairs) <= MAX_LINKED
    hint = f"Point at a cell for its numbers{', or choose it for its line in the list' if linked else ''}."
    return Figure(
        "heat-map",
        "Rows against columns, best first, by adjusted p.",
        lambda _: _svg(ranking, linked=linked),
        lambda: _csv(ranking),
        hint,
        {band: (_swatch(band), name) for band, name in band_names(ranking).items()},
    )


def _csv(ranking: Ranking) -> str:
    """The numbers of all pairs, each once, which the page keeps beside the drawing."""
    order = {s.system: i for i, s in enumerate(ranking.scores)}
    rows = [row for row in pair_rows(ranking) if order[str(row["row"])] < order[str(row["column"])]]
    return csv_text(tuple(rows[0]), rows)


def _swatch(band: str) -> str:
    """The sign on cells of a band."""
    return BAND_SIGNS.get(band.partition("-")[0], "")


def _svg(ranking: Ranking, *, linked: bool) -> str:
    """The drawing: names with places on the left, places above, cells, and signs over them. Sizes are in pixels."""
    systems = [s.system for s in ranking.scores]
    k = len(systems)
    step = 10.0
    if k <= 50:
        step = 26 if k <= 25 else 16
    font = min(step - 2, 12)
    names = [fitted(system, BAND_NAME) for system in systems]
    left = 2.2 * font + LETTER * font * max(map(screen_width, names)) + font / 2
    top = 1.6 * font
    width, height = round(left + k * step + 1, 1), round(top + k * step + 1, 1)
    pairs, signs = _pairs(ranking, systems, step, left, top)
    small = ' font-size="6.5"' if step < 12 else ""
    size = f'style="width:{width}px;min-width:{round(width * 0.75, 1)}px" font-size="{font}"'
    about = f'role="img" aria-label="{escape(heat_words(ranking))}"'
    lines = [f'<svg class="heat" {about} viewBox="0 0 {width} {height}" {size}>', '<g class="names">']
    for i, (number, name) in enumerate(zip(places(ranking.standing), names, strict=True)):
        middle = step * (i + 0.5)
        place = f'x="{round(left - font / 2, 1)}" y="{round(top + middle, 1)}"'
        lines.append(
            f'<text {place} text-anchor="end">{number}&#160; {escape(name)}</text>'
            f'<text x="{round(left + middle, 1)}" y="{font * 0.9}" text-anchor="middle"{small}>{number}</text>'
        )
    lines += ["</g>", '<g class="cells">']
    for number, (title, both) in enumerate(pairs, 1):
        squares = "".join(f'<path class="{band}" d="M{x} {y}h{step}v{step}h-{step}z"/>' for x, y, band in both)
        start, end = (f'<a href="#pair-{number}" tabindex="-1">', "</a>") if linked else ("<g>", "</g>")
        lines.append(f"{start}<title>{escape(title)}</title>{squares}{end}")
    lines += ["</g>", "".join(f'<path class="sign {kind}" d="{path}"/>' for kind, path in signs.items() if path), "</svg>"]
    return "\n".join(lines)


def _pairs(ranking: Ranking, systems: list[str], step: float, left: float, top: float) -> tuple[list[HeatPair], dict[str, str]]:
    seen, decimals, alpha = cells(ranking.standing, ranking.alpha), decimals_of(ranking.standing), ranking.alpha
    place = {system: i for i, system in enumerate(systems)}
    strokes: dict[str, list[str]] = {"plain": [], "strict": []}
    pairs = []
    for pair in ranking.pairs:
        a, b = pair.systems
        drawn = []
        for row, column in ((a, b), (b, a)):
            cell = seen[row, column]
            x, y = round(left + step * place[column], 1), round(top + step * place[row], 1)
            drawn.append((x, y, band_key(cell)))
            if cell.outcome != "open":
                strokes["strict" if cell.level > 2 else "plain"].append(_sign(x, y, step, cell.outcome))
        pairs.append((pair_words(seen[a, b], a, b, alpha, decimals), drawn))
    return pairs, {kind: "".join(paths) for kind, paths in strokes.items()}


def _sign(x: float, y: float, step: float, outcome: Outcome) -> str:
    """>, < or × in the middle of a cell, as a path."""
    reach = step / 9
    if outcome == "apart":
        left, top = x + step / 2 - reach, y + step / 2 - reach
        return f"M{left:.1f} {top:.1f}l{2 * reach:.1f} {2 * reach:.1f}m0 {-2 * reach:.1f}l{-2 * reach:.1f} {2 * reach:.1f}"
    turn = 1 if outcome == "better" else -1
    start_x, start_y = x + step / 2 - turn * reach, y + step / 2 - 1.6 * reach
    return f"M{start_x:.1f} {start_y:.1f}l{turn * 2 * reach:.1f} {1.6 * reach:.1f}l{-turn * 2 * reach:.1f} {1.6 * reach:.1f}"


def heat_style() -> str:
    """The colours of the bands in the light and in the dark."""
    light, dark = (
        "".join(f".heat .{band},.swatch.{band}{{fill:{pair[i]};background:{pair[i]}}}" for band, pair in BANDS.items())
        for i in (0, 1)
    )
    return f"{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}\n"
