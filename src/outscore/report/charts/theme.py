"""Colours and chart settings, written once: the stylesheet, the charts and their dark twins all come from this palette.

A colour means one thing: a and b the two systems, tail what chance would have to give, problem what went wrong, won and open
how the question ended, null what says nothing. A and B are the blue and the vermilion of Okabe and Ito's palette (2008), which
people with any kind of colour vision can tell apart; in the dark they become the lighter pair of the same palette. Tail and
problem keep apart from them, and from what stands beside them, under every kind of colour vision; the tests measure it.

Charts are drawn in the light colours, and the page's stylesheet recolours them by their attributes, so a chart taken out of the
page still looks right.
"""

from __future__ import annotations

from importlib.resources import files
from typing import Any

# Each role in the light and in the dark.
PALETTE = {
    "paper": ("#fcfcfb", "#14171b"),
    "panel": ("#f1f3f5", "#1e2329"),
    "ink": ("#1a1d21", "#e9ecef"),
    "muted": ("#57606a", "#a5afba"),
    "grid": ("#dde1e6", "#353c45"),
    "null": ("#98a2ad", "#77828e"),
    "a": ("#0072b2", "#56b4e9"),
    "b": ("#d55e00", "#f0a33a"),
    "tail": ("#7a0fdb", "#b968ff"),
    "problem": ("#8b1014", "#ea4f4c"),
    "won": ("#12734a", "#4cc38a"),
    "open": ("#8a5a00", "#f2e27a"),
}
LETTERS = {"dark": "#000000", "light": "#ffffff"}
"""Letters on colours that stay as they are in the dark, as those of a heat map do; so they must stay too."""
COLOURS = {role: light for role, (light, _) in PALETTE.items()}
# Metric twins of Arial are on every system and inside the renderer, so labels take the room they were given.
FONT = "Arial, Helvetica, 'Liberation Sans', sans-serif"


def chart_config(background: str = "transparent") -> dict[str, Any]:
    """Settings of every chart, as Vega-Lite's `config`."""
    ink, muted, grid = COLOURS["ink"], COLOURS["muted"], COLOURS["grid"]
    return {
        # The page gives each picture one description; a label on every bar would drown it.
        "aria": False,
        "background": background,
        "font": FONT,
        "padding": 4,
        "view": {"stroke": None, "continuousWidth": 260, "continuousHeight": 150},
        "axis": {
            "labelColor": muted,
            "titleColor": muted,
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "gridColor": grid,
            "domainColor": grid,
            "tickColor": grid,
            "tickSize": 4,
        },
        "axisX": {"grid": False, "tickCount": 5, "labelOverlap": True, "labelFlush": True},
        "axisY": {"domain": False, "ticks": False, "tickCount": 4, "minExtent": 26},
        "text": {"color": ink, "fontSize": 11},
        "title": {"color": ink, "fontSize": 12, "fontWeight": "normal", "anchor": "start", "offset": 6},
    }


def stylesheet() -> str:
    """The whole style of a page: variables, rules, and the recolouring of charts."""
    light = "".join(f"--{role}:{colours[0]};" for role, colours in PALETTE.items())
    dark = "".join(f"--{role}:{colours[1]};" for role, colours in PALETTE.items())
    rules = [
        f'.chart [{attribute}="{colours[0]}"]{{{attribute}:var(--{role})}}'
        for role, colours in PALETTE.items()
        for attribute in ("fill", "stroke")
    ]
    variables = (
        f":root{{color-scheme:light dark;{light}}}\n"
        # Paper is white whatever the screen was.
        f"@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
    )
    own = files("outscore.report").joinpath("style.css").read_text(encoding="utf-8")
    return variables + own + "\n".join(rules) + "\n"
