"""Further charts of a ranking: wins and losses, the matrix of datasets won, and the critical-difference diagram."""

from __future__ import annotations

from collections import Counter
from typing import Any

from outscore.report.charts.canvas import Chart, data, layered
from outscore.report.charts.ranking_drawings import MOST_DRAWN, labels_of
from outscore.report.charts.theme import COLOURS
from outscore.report.rows.ranking_words import cells, fitted, friedman_p, losses, named, wins
from outscore.results.ranking import Ranking

__all__ = ["critical_chart", "wins_chart", "wins_matrix"]

ROW = 16
CELL = 22
MOST_IN_MATRIX = 40


def wins_chart(ranking: Ranking) -> Chart | None:
    """How many systems each one beats, cannot be told apart from, and loses to; nothing against a baseline."""
    if ranking.baseline is not None or len(ranking.scores) < 3:
        return None
    import altair as alt

    shown, k = ranking.scores[:MOST_DRAWN], len(ranking.scores)
    labels = labels_of([s.system for s in shown], 24)
    rows = []
    for label, s in zip(labels, shown, strict=True):
        counts = (wins(s, k), k - 1 - wins(s, k) - losses(s), losses(s))
        at = 0
        for role, n in zip(("a", "grid", "b"), counts, strict=True):
            rows.append({"label": label, "from": at, "to": at + n, "colour": COLOURS[role]})
            at += n
    y = alt.Y("label:N", sort=labels, title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False))
    x = alt.X("from:Q", title="systems", scale=alt.Scale(domain=[0, k - 1], nice=False))
    bars = alt.Chart(data(rows)).mark_bar(height=ROW - 5)
    chart = layered([bars.encode(x, alt.X2("to:Q"), y, color=alt.Color("colour:N", scale=None))], height=ROW * len(shown))
    caption = "Wins: systems that each one beats (blue), cannot be told apart from (grey), and loses to (orange)"
    first = shown[0]
    about = f"{caption}. {fitted(first.system, 60)} beats {wins(first, k)} of {k - 1} and loses to {losses(first)}."
    return Chart("wins", caption, about, chart)


def datasets_won(ranking: Ranking) -> Counter[tuple[str, str]]:
    """On how many datasets the first system is significantly better than the second."""
    return Counter(
        key for standing in ranking.datasets for key, cell in cells(standing, ranking.alpha).items() if cell.outcome == "better"
    )


def wins_matrix(ranking: Ranking) -> Chart | None:
    """On how many datasets the row is significantly better than the column; nothing where datasets keep no pairs."""
    systems = [s.system for s in ranking.scores]
    kept = len(ranking.datasets) > 1 and all(standing.pairs for standing in ranking.datasets)
    if ranking.baseline is not None or not kept or not 2 < len(systems) <= MOST_IN_MATRIX:
        return None
    import altair as alt

    won, most, labels = datasets_won(ranking), len(ranking.datasets), labels_of(systems, 24)
    numbers = [str(i) for i in range(1, len(systems) + 1)]
    rows = [
        {"row": label, "column": number, "won": won[a, b], "share": 0.55 * won[a, b] / most + 0.02}
        for a, label in zip(systems, labels, strict=True)
        for b, number in zip(systems, numbers, strict=True)
        if a != b
    ]
    x = alt.X("column:N", sort=numbers, title=None, axis=alt.Axis(orient="top", labelAngle=0, labelOverlap=False))
    y = alt.Y("row:N", sort=labels, title=None, axis=alt.Axis(labelLimit=220, labelOverlap=False))
    base = alt.Chart(data(rows)).encode(x, y)
    opacity = alt.Opacity("share:Q", scale=None)
    # Pale enough for dark numbers on all of them.
    layers = [base.mark_rect(color=COLOURS["a"]).encode(opacity), base.mark_text().encode(text="won:Q")]
    caption = f"On how many of {most} datasets the row is significantly better than the column"
    a, b = max(won, key=lambda key: won[key]) if won else (systems[0], systems[1])
    about = f"{caption}: at most {won[a, b]}, {fitted(a, 60)} against {fitted(b, 60)}."
    return Chart("win-matrix", caption, about, layered(layers, CELL * len(systems), CELL * len(systems)))


def critical_chart(ranking: Ranking) -> Chart | None:
    """Mean ranks on a line, best on the left, with bars over those that Nemenyi's test cannot tell apart (Demšar, 2006)."""
    found = ranking.critical_difference
    if found is None or len(found.mean_ranks) < 2:
        return None
    ordered = sorted(found.mean_ranks.items(), key=lambda entry: entry[1])
    low, high = 1.0, float(max(len(ordered), 2))
    half = (len(ordered) + 1) // 2
    bars = [group for group in found.groups if len(group) > 1][:12]
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
            {"rank": rank, "depth": depth, "edge": edge, "text": text, "side": "right" if left else "left", "top": 0.0}
        )
    spans = [
        {"from": min(ranks) - 0.04, "to": max(ranks) + 0.04, "depth": 0.5 + 0.6 * i}
        for i, ranks in enumerate([found.mean_ranks[system] for system in group] for group in bars)
    ]
    scale_bar = {
        "from": low,
        "to": low + found.critical_difference,
        "depth": -1.0,
        "text": f"CD {found.critical_difference:.2f}",
    }
    caption = (
        f"Mean ranks over {found.blocks:,} {found.over}; bars join systems less than the critical difference apart "
        f"(Friedman {friedman_p(found, ranking.alpha)}; Nemenyi)"
    )
    about = f"{caption}. Best: {named([system for system, _ in ordered], 3)}."
    return Chart("critical-difference", caption, about, _critical_layers(stems, spans, scale_bar, (low, high)))


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
        alt.Chart(data(ticks)).mark_text(dy=-9, color=muted).encode(x("rank"), y("depth"), text="text:N"),
        alt.Chart(data(ticks)).mark_tick(color=ink, orient="vertical", size=7).encode(x("rank"), y("depth")),
        stem.mark_rule(color=muted).encode(x("rank"), y("top"), alt.Y2("depth:Q")),
        stem.mark_rule(color=muted).encode(x("rank"), alt.X2("edge:Q"), y("depth")),
        bar.mark_rule(color=COLOURS["b"], strokeWidth=2).encode(x("from"), alt.X2("to:Q"), y("depth")),
        bar.mark_text(align="left", dy=-8, color=muted).encode(x("from"), y("depth"), text="text:N"),
    ]
    for side, shift in (("right", -4), ("left", 4)):
        texts = [row for row in stems if row["side"] == side]
        marks: Any = alt.Chart(data(texts)).mark_text(align=side, dx=shift)  # type: ignore[arg-type]
        layers.append(marks.encode(x("edge"), y("depth"), text="text:N"))
    if spans:
        thick = alt.Chart(data(spans)).mark_rule(color=COLOURS["a"], strokeWidth=4)
        layers.append(thick.encode(x("from"), alt.X2("to:Q"), y("depth")))
    return layered(layers, 260, round(17 * (deepest + 1.6)))


def _ticks(low: float, high: float) -> range:
    """Whole ranks, at most a dozen of them."""
    return range(int(low), int(high) + 1, max(1, int(high - low) // 10))
