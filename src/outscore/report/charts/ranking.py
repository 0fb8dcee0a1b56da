"""Charts of systems: scores alone; of a ranking a heat map, a forest of scores, wins over datasets, and mean ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import altair as alt

from outscore.language.numbers import format_ends, format_number
from outscore.language.phrases import join_words
from outscore.report.charts import canvas
from outscore.report.charts.canvas import Chart, distinct, fixed, layered, marks, padded
from outscore.report.charts.heat import MAX_DRAWN, band_key, band_names, has_heat_map, heat_words, pair_rows
from outscore.report.document import clean, fitted, minus
from outscore.report.palette import BANDS, COLOURS
from outscore.report.rows import places
from outscore.report.rows.columns import interval_head
from outscore.results.ranking import Frontier, FrontierSystem, Ranking, Standing
from outscore.results.score import ScoredSystem, ScorePart, ScoreResult

MAX_SPOTS = 30
"""How many rows a forest has: more could not be read on one screen."""
# Shapes instead of letters: the renderer is faster with them, and they look the same in every font.
SIGNS = {"better": "M-.4,-.7L.4,0L-.4,.7", "worse": "M.4,-.7L-.4,0L.4,.7", "apart": "M-.5,-.5L.5,.5M.5,-.5L-.5,.5"}
NAME, NAME_BESIDE = 30, 24
ROW = 16
CELL = 22
MAX_IN_MATRIX = 40
MAX_TOLD = 40
"""Up to this many systems, every cell of a heat map has a tooltip; more would make a large file."""
MAX_SCORED = 40
"""How many rows a chart of scores has."""
SCORED, HALF = 22, 20
PALE = 0.6
"""Losses are paler than wins, so that they differ in print without colour."""


def labels_of(ranking: Ranking, room: int = NAME_BESIDE) -> dict[str, str]:
    """Each system's place with a name that fits into a picture."""
    named = {s.system: fitted(s.system, room) for s in ranking.scores}
    ranked = zip(places.places(ranking.standing), named.values(), strict=True)
    return dict(zip(named, distinct(f"{place}  {name}" for place, name in ranked), strict=True))


def heat_chart(ranking: Ranking) -> Chart | None:
    """Systems in order on both axes, colour by adjusted p in bands, as in figure 4 of Zhu et al. (2020), with the direction."""
    if not has_heat_map(ranking):
        return None
    label, names = labels_of(ranking, NAME), band_names(ranking)
    decimals = places.decimals_of(ranking.standing)
    rows = [
        {
            "row": label[a],
            "column": label[b],
            "band": names[band_key(cell)],
            "sign": cell.outcome,
            "hover": places.pair_words(cell, a, b, ranking.alpha, decimals),
        }
        for (a, b), cell in places.cells(ranking.standing, ranking.alpha).items()
    ]
    step = 10
    if len(label) <= 50:
        step = 22 if len(label) <= 25 else 14
    chart = layered(_heat_layers(ranking, rows, list(label.values()), step), step * len(label), step * len(label))
    caption = f"Adjusted p of each pair, {places.subject(ranking.standing)}; > and < mark significant ones"
    return Chart("heat-map", caption, heat_words(ranking), chart, pair_rows(ranking))


def _heat_layers(ranking: Ranking, rows: list[dict[str, Any]], labels: list[str], step: int) -> list[Any]:
    """Coloured squares, and signs on those that are significant."""
    names = band_names(ranking)
    axis: dict[str, Any] = {"labelFontSize": min(11, step - 2), "labelLimit": 260, "labelFlush": False}
    x = canvas.across(labels, labelAngle=-50 if len(labels) <= 25 else -90, **axis)
    y = canvas.down(labels, "row", **axis)
    columns = len(places.bounds_of(ranking.alpha))
    legend = canvas.legend(columns=columns, labelLimit=260, symbolType="square", symbolStrokeWidth=0)
    bands = alt.Scale(domain=list(names.values()), range=[BANDS[key][0] for key in names])
    colour = alt.Color("band:N", scale=bands, title=f"adjusted p of {clean(ranking.metric)}", legend=legend)
    squares = marks(rows, told=len(labels) <= MAX_TOLD).mark_rect(stroke=COLOURS["paper"], strokeWidth=0.5).encode(x, y, colour)
    strict = alt.FieldOneOfPredicate(field="band", oneOf=[names[key] for key in ("better-3", "worse-3") if key in names])
    bright = canvas.coloured_if(strict, COLOURS["paper"], COLOURS["ink"])
    shape = alt.Shape("sign:N", scale=alt.Scale(domain=list(SIGNS), range=list(SIGNS.values())), legend=None)
    signed = marks([row for row in rows if row["sign"] in SIGNS], told=False)
    signs = signed.mark_point(filled=False, size=step * 2, strokeWidth=step / 16, opacity=1).encode(x, y, shape, color=bright)
    return [squares, signs]


def forest_chart(ranking: Ranking) -> Chart | None:
    """Scores with their intervals, best first; with a baseline the differences to it, and a line at 0."""
    rows = _differences(ranking) if ranking.baseline is not None else _scores(ranking)
    if not rows:
        return None
    metric, value = clean(ranking.metric), "difference"
    if ranking.baseline is not None:
        title = f"{metric}: system − {fitted(ranking.baseline, 20)}"
        drawn = f"Differences from {clean(ranking.baseline)} with {interval_head(ranking.alpha)}s"
    elif ranking.ordered_by == "advantage":
        title = f"{metric}: advantage over the average system"
        drawn = "Advantages over the average system (their scores are on different items and not comparable)"
    else:
        title, drawn, value = metric, f"Scores with {interval_head(ranking.alpha)}s", "score"
    spread = [row[key] for row in rows for key in ("x", "low", "high")] + ([] if ranking.baseline is None else [0.0])
    scale = fixed(padded(spread, 0.04))
    layers = canvas.intervals(rows, title, scale, canvas.down([row["label"] for row in rows]))
    if ranking.baseline is not None:
        layers.insert(0, canvas.rule(0.0, alt.X("x:Q", scale=scale, title=title), dash=canvas.DASHED))
    left = len(ranking.scores) - MAX_SPOTS
    more = f"; the first {MAX_SPOTS} of {len(ranking.scores)} systems" if left > 0 else ""
    colours = "; blue: nobody is significantly better"
    if ranking.baseline is not None:
        colours = "; blue: significantly better than it, orange: worse"
    caption = f"{drawn}{more}{colours if ranking.counts.testable else ''}"
    best = ", ".join(row["words"] for row in rows[:3])
    numbers = [
        {"system": row["system"], value: row["x"], **dict(zip(("low", "high"), row["ends"], strict=True))} for row in rows
    ]
    return Chart("forest", caption, f"{caption}. First: {best}.", layered(layers, height=ROW * len(rows)), numbers)


def _spot(
    system: str, label: str, x: float, ends: tuple[float | None, float | None], colour: str, words: str
) -> dict[str, Any]:
    """A row of the forest; without an interval its ends are where the point is."""
    low, high = (x if end is None else end for end in ends)
    interval = "" if ends == (None, None) else f", {format_ends(*ends)}"
    place = {"system": system, "label": label, "x": x, "low": low, "high": high, "ends": ends, "colour": colour}
    return place | {"words": f"{clean(system)} {words}", "hover": f"{system}: {words}{interval}"}


def _scores(ranking: Ranking) -> list[dict[str, Any]]:
    """Scores; of systems with different items effects, which have no intervals, of those that have one."""
    labels, decimals, effects = labels_of(ranking), places.decimals_of(ranking.standing), ranking.ordered_by == "advantage"
    rows = []
    for s in ranking.scores[:MAX_SPOTS]:
        x, ends = (s.advantage, (None, None)) if effects else (s.value, (s.low, s.high))
        if x is not None:
            words = format_number(x, decimals, sign=effects)
            rows.append(_spot(s.system, labels[s.system], x, ends, "a" if s.rank_low == 1 else "ink", words))
    return rows


def _differences(ranking: Ranking) -> list[dict[str, Any]]:
    effects, decimals = places.cells(ranking.standing, ranking.alpha), places.decimals_of(ranking.standing)
    colours, labels = {"better": "a", "worse": "b"}, labels_of(ranking)
    rows = []
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
            "colour": "ink" if s.dominated_by else "a",
            "hover": f"{s.system}: {_told(frontier, s)}",
        }
        for row, s in zip(numbers, shown, strict=True)
    ]
    first, second = map(clean, frontier.measures[:2])
    caption = f"{first} and {second} with {interval_head(ranking.alpha)}s; blue: nobody is shown to dominate it"
    free = join_words([s.system for s in frontier.systems if not s.dominated_by], 8)
    return Chart("frontier", caption, f"{caption}: {free}.", _frontier_layers(frontier, rows), numbers)


def _limits(s: FrontierSystem, m: int, axis: str) -> dict[str, float]:
    """A score and the ends of its interval; the score replaces an end that is not known."""
    ends = (s.values[m] if end is None else end for end in (s.lows[m], s.highs[m]))
    return {axis: s.values[m], **dict(zip((f"{axis}_low", f"{axis}_high"), ends, strict=True))}


def _told(frontier: Frontier, s: FrontierSystem) -> str:
    values = ", ".join(f"{name} {value:.4g}" for name, value in zip(frontier.measures, s.values, strict=True))
    return f"{values}; dominated by {join_words(s.dominated_by, 3) if s.dominated_by else 'nobody'}"


def _frontier_layers(frontier: Frontier, rows: list[dict[str, Any]]) -> Any:  # noqa: ANN401 - Altair's
    def channel(field: str) -> Any:  # noqa: ANN401 - Altair's
        make, m = (alt.X, 1) if field[0] == "x" else (alt.Y, 0)
        scale = fixed(padded([row[f"{field[0]}{end}"] for row in rows for end in ("", "_low", "_high")], 0.08))
        better = "higher" if frontier.higher_is_better[m] else "lower"
        return make(f"{field}:Q", scale=scale, title=f"{clean(frontier.measures[m])} ({better} is better)")

    base, at = marks(rows), (channel("x"), channel("y"))
    lines = base.mark_rule(strokeWidth=2, color=COLOURS["null"])
    return layered(
        [
            lines.encode(channel("x_low"), alt.X2("x_high:Q"), channel("y")),
            lines.encode(channel("x"), channel("y_low"), alt.Y2("y_high:Q")),
            base.mark_point(filled=True, size=50, opacity=1).encode(*at, color=alt.Color("colour:N", scale=None)),
            base.mark_text(align="left", dx=6, dy=-7).encode(*at, text=alt.Text("label:N")),
        ]
    )


def wins_chart(ranking: Ranking) -> Chart | None:
    """How many systems each one beats, cannot be told apart from, and loses to; nothing against a baseline."""
    if ranking.baseline is not None or len(ranking.scores) < 3:
        return None
    shown, k = ranking.scores[:MAX_DRAWN], len(ranking.scores)
    labels = labels_of(ranking)
    rows, numbers = [], []
    for s in shown:
        counts = (places.wins(s, k), k - 1 - places.wins(s, k) - places.losses(s), places.losses(s))
        numbers.append({"system": s.system} | dict(zip(("beats", "open", "loses"), counts, strict=True)))
        hover = f"{clean(s.system)}: beats {counts[0]}, undecided {counts[1]}, loses to {counts[2]}"
        at = 0
        for role, n in zip(("a", "grid", "b"), counts, strict=True):
            part = {"from": at, "to": at + n, "colour": role, "strength": PALE if role == "b" else 1, "hover": hover}
            rows.append({"label": labels[s.system], **part})
            at += n
    x = alt.X("from:Q", title="systems", scale=alt.Scale(domain=[0, k - 1], nice=False), axis=canvas.count_axis(k - 1))
    colour, strength = alt.Color("colour:N", scale=None), alt.Opacity("strength:Q", scale=None)
    y = canvas.down(list(labels.values()))
    bars = marks(rows).mark_bar(height=ROW - 5).encode(x, alt.X2("to:Q"), y, colour, strength)
    caption = "Wins: systems that each one beats (blue), cannot be told apart from (grey), and loses to (orange)"
    first = shown[0]
    told = f"beats {places.wins(first, k)} of {k - 1} and loses to {places.losses(first)}"
    about = f"{caption}. {fitted(first.system, 60)} {told}."
    return Chart("wins", caption, about, layered([bars], height=ROW * len(shown)), numbers)


def datasets_won(ranking: Ranking) -> Counter[tuple[str, str]]:
    """On how many datasets the first system is significantly better than the second, by the first metric."""
    return Counter(
        key
        for standing in _of_first_metric(ranking)
        for key, cell in places.cells(standing, ranking.alpha).items()
        if cell.outcome == "better"
    )


def _of_first_metric(ranking: Ranking) -> list[Standing]:
    """The datasets by the metric that ranks."""
    return [standing for standing in ranking.datasets if standing.metric == ranking.metric]


def wins_matrix(ranking: Ranking) -> Chart | None:
    """On how many datasets the row is significantly better than the column; nothing where datasets keep no pairs."""
    datasets = _of_first_metric(ranking)
    kept = len(datasets) > 1 and all(standing.pairs for standing in datasets)
    if ranking.baseline is not None or not kept or not 2 < len(ranking.scores) <= MAX_IN_MATRIX:
        return None
    won, most, labels = datasets_won(ranking), len(datasets), labels_of(ranking)
    number = dict(zip(labels, distinct(map(str, places.places(ranking.standing))), strict=True))
    pairs = [(a, b) for a in labels for b in labels if a != b]
    rows = [
        {
            "row": labels[a],
            "column": number[b],
            "won": won[a, b],
            "share": 0.55 * won[a, b] / most + 0.02,
            "hover": f"{a} is better than {b} on {won[a, b]} of {most}, worse on {won[b, a]}",
        }
        for a, b in pairs
    ]
    at = (canvas.across(list(number.values()), labelAngle=0), canvas.down(list(labels.values()), "row"))
    # Pale enough for dark numbers on all of them.
    layers = [
        marks(rows).mark_rect(color=COLOURS["a"]).encode(*at, alt.Opacity("share:Q", scale=None)),
        marks(rows, told=False).mark_text().encode(*at, text=alt.Text("won:Q")),
    ]
    caption = f"On how many of {most} datasets the row is significantly better than the column"
    a, b = max(won, key=lambda key: won[key]) if won else pairs[0]
    about = f"{caption}: at most {won[a, b]}, {fitted(a, 60)} against {fitted(b, 60)}."
    numbers = [{"row": a, "column": b, "datasets_won": won[a, b], "datasets": most} for a, b in pairs]
    return Chart("win-matrix", caption, about, layered(layers, CELL * len(labels), CELL * len(labels)), numbers)


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
        stem = {"rank": rank, "depth": depth, "edge": edge, "top": 0.0, "text": text, "side": "right" if left else "left"}
        stems.append(stem | {"hover": f"{system}: mean rank {rank:.4g}"})
    spans = [
        {
            "from": min(ranks) - 0.04,
            "to": max(ranks) + 0.04,
            "depth": 0.5 + 0.6 * i,
            "hover": f"{len(ranks)} systems with mean ranks from {min(ranks):.4g} to {max(ranks):.4g}",
        }
        for i, ranks in enumerate([critical.mean_ranks[system] for system in group] for group in bars)
    ]
    scale_bar = {
        "from": low,
        "to": low + critical.critical_difference,
        "depth": -1.0,
        "text": f"CD {critical.critical_difference:.2f}",
        "hover": f"critical difference: {critical.critical_difference:.4g}",
    }
    caption = (
        f"Mean ranks over {critical.blocks:,} {critical.over}; bars join systems less than the critical difference apart "
        f"(Friedman {places.friedman_p(critical, ranking.alpha)}; Nemenyi)"
    )
    about = f"{caption}. Best: {join_words([system for system, _ in ordered], 3)}."
    numbers: list[dict[str, object]] = [{"system": system, "mean_rank": rank} for system, rank in ordered]
    numbers.append({"system": "critical difference", "mean_rank": critical.critical_difference})
    return Chart("critical-difference", caption, about, _critical_layers(stems, spans, scale_bar, (low, high)), numbers)


def _critical_layers(
    stems: list[dict[str, Any]], spans: list[dict[str, Any]], scale_bar: dict[str, Any], ends: tuple[float, float]
) -> Any:  # noqa: ANN401 - Altair's
    deepest = max(stem["depth"] for stem in stems) + 0.5
    across, down = fixed((ends[0], max(ends[1], scale_bar["to"]))), fixed((deepest, -1.6))

    def x(field: str) -> Any:  # noqa: ANN401 - Altair's
        return alt.X(f"{field}:Q", scale=across, title=None, axis=None)

    def y(field: str) -> Any:  # noqa: ANN401 - Altair's
        return alt.Y(f"{field}:Q", scale=down, title=None, axis=None)

    ink, muted, words = COLOURS["ink"], COLOURS["muted"], alt.Text("text:N")
    line = marks([{"from": ends[0], "to": ends[1], "depth": 0.0}])
    tick = marks({"rank": float(i), "depth": 0.0, "text": str(i)} for i in _ticks(*ends)).encode(x("rank"), y("depth"))
    stem = marks(stems, told=False).mark_rule(color=muted)
    layers = [
        line.mark_rule(color=ink).encode(x("from"), alt.X2("to:Q"), y("depth")),
        tick.mark_text(dy=-9, color=muted).encode(text=words),
        tick.mark_tick(color=ink, orient="vertical", size=7),
        stem.encode(x("rank"), y("top"), alt.Y2("depth:Q")),
        stem.encode(x("rank"), alt.X2("edge:Q"), y("depth")),
        marks([scale_bar]).mark_rule(color=ink, strokeWidth=2).encode(x("from"), alt.X2("to:Q"), y("depth")),
        marks([scale_bar], told=False).mark_text(align="left", dy=-8, color=muted).encode(x("from"), y("depth"), text=words),
    ]
    for side, shift in (("right", -4), ("left", 4)):
        named = marks(row for row in stems if row["side"] == side)
        layers.append(named.mark_text(align=side, dx=shift).encode(x("edge"), y("depth"), text=words))
    if spans:
        thick = marks(spans).mark_rule(color=ink, strokeWidth=4)
        layers.append(thick.encode(x("from"), alt.X2("to:Q"), y("depth")))
    return layered(layers, 260, round(17 * (deepest + 1.6)))


def _ticks(low: float, high: float) -> range:
    """Whole ranks, at most a dozen of them."""
    return range(int(low), int(high) + 1, max(1, int(high - low) // 10))


def scores_chart(result: ScoreResult) -> Chart:
    """The score of each system."""
    rows = [_part(one.system, "", one) for one in result.systems]
    return _scored("scores", result, f"{clean(result.metric)} with its {interval_head(result.alpha)}", rows)


def parts_chart(key: str, result: ScoreResult) -> Chart | None:
    """The score of each system on every dataset or slice."""
    several = len(result.systems) > 1
    rows: list[dict[str, Any]] = []
    for one in result.systems:
        parts: Sequence[ScorePart] = getattr(one, key)
        rows += [{"column": part.column} | _part(part.name, one.system if several else "", part) for part in parts]
    caption = f"{clean(result.metric)} by {key}, with {interval_head(result.alpha)}s"
    return _scored(key, result, caption, rows) if rows else None


def _part(name: str, system: str, one: ScoredSystem | ScorePart) -> dict[str, Any]:
    return {"name": name, **({"system": system} if system else {}), "value": one.value, "low": one.low, "high": one.high}


def _scored(key: str, result: ScoreResult, caption: str, rows: Sequence[dict[str, Any]]) -> Chart:
    if len(rows) > MAX_SCORED:
        caption = f"{caption}; the first {MAX_SCORED} of {len(rows)}"
    # The names of a slice and a system share the room, so that neither is cut away.
    names = distinct(
        f"{canvas.short(row['name'], HALF)}, {canvas.short(row['system'], HALF)}"
        if "system" in row
        else canvas.short(row["name"])
        for row in rows[:MAX_SCORED]
    )
    spots = []
    for row, name in zip(rows, names, strict=False):
        x, low, high = (row["value"] if row[end] is None else row[end] for end in ("value", "low", "high"))
        hover = f"{name}: {x:.4g}, {low:.4g} to {high:.4g}"
        spots.append({"label": name, "x": x, "low": low, "high": high, "colour": "ink", "hover": hover})
    scale = fixed(padded([end for spot in spots for end in (spot["low"], spot["high"])]))
    layers = canvas.intervals(spots, clean(result.metric), scale, canvas.down(names, labelLimit=260))
    drawing = layered(layers, canvas.WIDTH, max(40, SCORED * len(spots)))
    return Chart(key, caption, f"{caption}. {minus(spots[0]['hover'])}.", drawing, rows)


ON_PAGES = (frontier_chart, forest_chart, wins_chart, wins_matrix, critical_chart)
"""The charts of a page, which draws its own heat map, whose cells name their pairs."""
CHARTS = (heat_chart, *ON_PAGES)
SCORES = (scores_chart, partial(parts_chart, "datasets"), partial(parts_chart, "slices"))
