"""The heat map of a page: one SVG in which every cell says which pair it is, without a script.

A pair has two cells, one on each side of the diagonal; they share one title, and where the page lists the pairs, one link.
"""

from __future__ import annotations

from dataclasses import dataclass

from outscore.report.charts.ranking_drawings import BANDS, MOST_DRAWN, band_key, band_names, heat_words
from outscore.report.rows.ranking_words import Outcome, cells, decimals_of, fitted, pair_words
from outscore.report.table import screen_width
from outscore.results.ranking import Ranking

__all__ = ["MOST_LINKED", "Heat", "HeatPair", "heat_map", "heat_style"]

MOST_LINKED = 500
"""Pairs that a page lists, so that a cell can lead to its pair."""
NAME = 26
LETTER = 0.58
"""How wide a letter is, in font sizes."""


@dataclass(frozen=True)
class HeatPair:
    """One pair: its number in the list of pairs, what to say about it, and (x, y, band) of both cells."""

    number: int
    title: str
    cells: tuple[tuple[float, float, str], ...]


@dataclass(frozen=True)
class Heat:
    """Everything the template draws: sizes in pixels, names with the middle of their row, pairs, and signs as paths."""

    width: float
    height: float
    step: float
    font: float
    left: float
    top: float
    names: list[str]
    pairs: list[HeatPair]
    signs: dict[str, str]
    legend: dict[str, str]
    linked: bool
    description: str


def heat_map(ranking: Ranking) -> Heat | None:
    """The heat map of all pairs; None where pairs were not all compared or kept, or are too many to be seen."""
    systems = [s.system for s in ranking.scores]
    k = len(systems)
    if ranking.baseline is not None or not ranking.pairs or not 2 < k <= MOST_DRAWN:
        return None
    step: float = 26 if k <= 25 else 16 if k <= 50 else 10
    font = min(step - 2, 12)
    names = [fitted(system, NAME) for system in systems]
    number = 2.2 * font
    left = number + LETTER * font * max(map(screen_width, names)) + font / 2
    top = 1.6 * font
    pairs, signs = _pairs(ranking, systems, step, left, top)
    return Heat(
        width=round(left + k * step + 1, 1),
        height=round(top + k * step + 1, 1),
        step=step,
        font=font,
        left=round(left, 1),
        top=round(top, 1),
        names=names,
        pairs=pairs,
        signs=signs,
        legend=band_names(ranking),
        linked=len(pairs) <= MOST_LINKED,
        description=heat_words(ranking),
    )


def _pairs(ranking: Ranking, systems: list[str], step: float, left: float, top: float) -> tuple[list[HeatPair], dict[str, str]]:
    found, decimals, alpha = cells(ranking.standing, ranking.alpha), decimals_of(ranking.standing), ranking.alpha
    place = {system: i for i, system in enumerate(systems)}
    strokes: dict[str, list[str]] = {"plain": [], "strict": []}
    pairs = []
    for number, pair in enumerate(ranking.pairs, 1):
        a, b = pair.systems
        drawn = []
        for row, column in ((a, b), (b, a)):
            cell = found[row, column]
            x, y = round(left + step * place[column], 1), round(top + step * place[row], 1)
            drawn.append((x, y, band_key(cell)))
            if cell.outcome != "open":
                strokes["strict" if cell.level > 2 else "plain"].append(_sign(x, y, step, cell.outcome))
        pairs.append(HeatPair(number, pair_words(found[a, b], a, b, alpha, decimals), tuple(drawn)))
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
