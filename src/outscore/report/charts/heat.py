"""The heat map of a page: one SVG in which every cell says which pair it is, without a script.

A pair has two cells, one on each side of the diagonal; they share one title, and where the page lists the pairs, one link.
"""

from __future__ import annotations

from html import escape

from outscore.language.numbers import format_level
from outscore.report.document import Figure, fitted, screen_width
from outscore.report.rows import places
from outscore.results.files import csv_text
from outscore.results.ranking import Ranking

MAX_DRAWN = 100
"""How many systems a heat map has: more could not be told apart by eye."""
MAX_LINKED = 500
"""How many pairs a page lists, so that a cell can link to its pair."""
BAND_NAME = 26
BAND_SIGNS = {"better": ">", "worse": "<", "apart": "×"}
LETTER = 0.58
"""How wide a letter is, in font sizes."""


def has_heat_map(ranking: Ranking) -> bool:
    """Whether pairs were all compared and kept, and are not too many to be seen."""
    return ranking.baseline is None and bool(ranking.pairs) and 2 < len(ranking.scores) <= MAX_DRAWN


def band_key(cell: places.Cell) -> str:
    """The band of a cell: its outcome, and for a significant one the number of bounds it meets."""
    return cell.outcome if cell.outcome in ("open", "apart") else f"{cell.outcome}-{cell.level}"


def band_names(ranking: Ranking) -> dict[str, str]:
    """What the bands mean, in the order of a legend."""
    bounds = list(enumerate(places.bounds_of(ranking.alpha), 1))
    names = {
        f"{side}-{i}": f"row {side}, p ≤ {format_level(bound)}" for side in ("better", "worse") for i, bound in bounds[::-1]
    }
    names["open"] = f"p > {format_level(ranking.alpha)}"
    return names | ({"apart": "no common item"} if ranking.counts.testable < ranking.counts.pairs else {})


def _pair_row(row: str, column: str, cell: places.Cell) -> dict[str, object]:
    difference, sign = cell.pair.difference, 1 if cell.pair.systems[0] == row else -1
    numbers = {"difference": None if difference is None else sign * difference, "adjusted_p": places.adjusted_p(cell.pair)}
    return {"row": row, "column": column, **numbers, "outcome": cell.outcome}


def pair_rows(ranking: Ranking) -> list[dict[str, object]]:
    """The numbers of a heat map: every system against every other, so that a spreadsheet can filter by row."""
    return [_pair_row(a, b, cell) for (a, b), cell in places.cells(ranking.standing, ranking.alpha).items()]


def heat_words(ranking: Ranking) -> str:
    """What a heat map shows, for those who cannot see it."""
    counts = ranking.counts
    return (
        f"Heat map of adjusted p for {len(ranking.scores)} systems, best first on both axes: {counts.significant:,} of "
        f"{counts.testable:,} pairs differ significantly at alpha = {format_level(ranking.alpha)}."
    )


HeatPair = tuple[str, list[tuple[float, float, str]]]
"""The description of a pair, and (x, y, band) of both of its cells."""


def heat_figure(ranking: Ranking) -> Figure | None:
    """The heat map of all pairs; None where pairs were not all compared or kept, or are too many to be seen."""
    if not has_heat_map(ranking):
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
    for i, (number, name) in enumerate(zip(places.places(ranking.standing), names, strict=True)):
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
    seen, decimals, alpha = places.cells(ranking.standing, ranking.alpha), places.decimals_of(ranking.standing), ranking.alpha
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
        pairs.append((places.pair_words(seen[a, b], a, b, alpha, decimals), drawn))
    return pairs, {kind: "".join(paths) for kind, paths in strokes.items()}


def _sign(x: float, y: float, step: float, outcome: places.Outcome) -> str:
    """>, < or × in the middle of a cell, as a path."""
    reach = step / 9
    if outcome == "apart":
        left, top = x + step / 2 - reach, y + step / 2 - reach
        return f"M{left:.1f} {top:.1f}l{2 * reach:.1f} {2 * reach:.1f}m0 {-2 * reach:.1f}l{-2 * reach:.1f} {2 * reach:.1f}"
    turn = 1 if outcome == "better" else -1
    start_x, start_y = x + step / 2 - turn * reach, y + step / 2 - 1.6 * reach
    return f"M{start_x:.1f} {start_y:.1f}l{turn * 2 * reach:.1f} {1.6 * reach:.1f}l{-turn * 2 * reach:.1f} {1.6 * reach:.1f}"
