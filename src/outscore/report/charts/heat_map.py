"""The heat map of a page: one SVG in which every cell says which pair it is, without a script.

A pair has two cells, one on each side of the diagonal; they share one title, and where the page lists the pairs, one link.
"""

from __future__ import annotations

from html import escape

from outscore.core.records import dataclass
from outscore.report.charts.ranking import BANDS, MAX_DRAWN, band_key, band_names, heat_words, pair_rows
from outscore.report.document import Figure, Records, screen_width
from outscore.report.rows.places import Outcome, cells, decimals_of, fitted, pair_words, places
from outscore.report.write.spreadsheet import csv_text
from outscore.results.ranking import Ranking

MAX_LINKED = 500
"""How many pairs a page lists, so that a cell can link to its pair."""
NAME = 26
SIGNS = {"better": ">", "worse": "<", "apart": "×"}
LETTER = 0.58
"""How wide a letter is, in font sizes."""


@dataclass(frozen=True)
class HeatPair:
    """One pair: its number in the list of pairs, its description, and (x, y, band) of both cells."""

    number: int
    title: str
    cells: tuple[tuple[float, float, str], ...]


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
    return csv_text(Records(tuple(rows[0]), tuple(rows)))


def _swatch(band: str) -> str:
    """The sign on cells of a band."""
    return SIGNS.get(band.partition("-")[0], "")


def _svg(ranking: Ranking, *, linked: bool) -> str:
    """The drawing: names with places on the left, places above, cells, and signs over them. Sizes are in pixels."""
    systems = [s.system for s in ranking.scores]
    k = len(systems)
    step = 10.0
    if k <= 50:
        step = 26 if k <= 25 else 16
    font = min(step - 2, 12)
    names = [fitted(system, NAME) for system in systems]
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
    for pair in pairs:
        squares = "".join(f'<path class="{band}" d="M{x} {y}h{step}v{step}h-{step}z"/>' for x, y, band in pair.cells)
        start, end = (f'<a href="#pair-{pair.number}" tabindex="-1">', "</a>") if linked else ("<g>", "</g>")
        lines.append(f"{start}<title>{escape(pair.title)}</title>{squares}{end}")
    lines += ["</g>", "".join(f'<path class="sign {kind}" d="{path}"/>' for kind, path in signs.items() if path), "</svg>"]
    return "\n".join(lines)


def _pairs(ranking: Ranking, systems: list[str], step: float, left: float, top: float) -> tuple[list[HeatPair], dict[str, str]]:
    seen, decimals, alpha = cells(ranking.standing, ranking.alpha), decimals_of(ranking.standing), ranking.alpha
    place = {system: i for i, system in enumerate(systems)}
    strokes: dict[str, list[str]] = {"plain": [], "strict": []}
    pairs = []
    for number, pair in enumerate(ranking.pairs, 1):
        a, b = pair.systems
        drawn = []
        for row, column in ((a, b), (b, a)):
            cell = seen[row, column]
            x, y = round(left + step * place[column], 1), round(top + step * place[row], 1)
            drawn.append((x, y, band_key(cell)))
            if cell.outcome != "open":
                strokes["strict" if cell.level > 2 else "plain"].append(_sign(x, y, step, cell.outcome))
        pairs.append(HeatPair(number, pair_words(seen[a, b], a, b, alpha, decimals), tuple(drawn)))
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
