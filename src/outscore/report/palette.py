"""Colours, written once: the stylesheet, the charts and their dark twins all come from this palette.

A colour means one thing: a and b the two systems, tail what chance would have to give, problem what went wrong, won and open
how the question ended, null what says nothing. A and B are the blue and the vermilion of Okabe and Ito's palette (2008), which
people with any kind of colour vision can tell apart; in the dark they become the lighter pair of the same palette. Tail and
problem keep apart from them, and from what stands beside them, under every kind of colour vision; the tests measure it.

Charts are drawn in the light colours, and the page's stylesheet recolours them by their attributes, so a chart taken out of the
page still looks right.
"""

from __future__ import annotations

from importlib.resources import files

# Each role in the light and in the dark.
PALETTE = {
    "paper": ("#fcfcfb", "#14171b"),
    "panel": ("#f1f3f5", "#1e2329"),
    "ink": ("#1a1d21", "#e9ecef"),
    "muted": ("#57606a", "#a5afba"),
    "grid": ("#dde1e6", "#353c45"),
    "null": ("#828b96", "#77828e"),
    "a": ("#0072b2", "#56b4e9"),
    "b": ("#d55e00", "#f0a33a"),
    "tail": ("#690bbf", "#b968ff"),
    "problem": ("#8b1014", "#ea4f4c"),
    "won": ("#12734a", "#4cc38a"),
    "open": ("#8a5a00", "#f2e27a"),
}
LETTERS = {"dark": "#000000", "light": "#ffffff"}
"""Letters on colours that stay as they are in the dark, as those of a heat map do; so they must stay too."""
COLOURS = {role: light for role, (light, _) in PALETTE.items()}
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


def ranking_style() -> str:
    """What rankings add: a style of their own, and the colours of the bands in the light and in the dark."""
    light, dark = (
        "".join(f".heat .{band},.swatch.{band}{{fill:{pair[i]};background:{pair[i]}}}" for band, pair in BANDS.items())
        for i in (0, 1)
    )
    own = files("outscore.report").joinpath("ranking.css").read_text(encoding="utf-8")
    return f"{own}{light}\n@media screen and (prefers-color-scheme:dark){{{dark}}}\n"
