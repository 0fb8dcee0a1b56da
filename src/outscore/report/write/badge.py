"""A verdict as a badge: a small picture for a README or the head of a board, complete in itself."""

from __future__ import annotations

from html import escape

from outscore.report.document import Verdict, clean, screen_width

LETTER, PAD, HEIGHT = 6.6, 12, 20
"""The width of a letter of 11 pixels, and of the room on both sides of a text."""
COLOURS = {"won": "#1a7f37", "": "#8a5a00"}
MAX_LETTERS = 80


def write(verdict: Verdict) -> str:
    """The headline beside the name of the program, as SVG.

    Examples
    --------
    >>> print(write(Verdict(("new outscored old: ...",), "new outscored <old>", tone="won"))[:96])
    <svg xmlns="http://www.w3.org/2000/svg" width="202" height="20" role="img" aria-label="outscore:
    """
    told = clean(verdict.headline)
    told = told if len(told) <= MAX_LETTERS else f"{told[: MAX_LETTERS - 1]}…"
    left, right = (round(screen_width(text) * LETTER) + PAD for text in ("outscore", told))
    width, colour = left + right, COLOURS.get(verdict.tone, COLOURS[""])
    words = f"outscore: {told}"

    def text(said: str, x: float, room: int) -> str:
        return f'<text x="{x:g}" y="14" textLength="{room - PAD}" lengthAdjust="spacingAndGlyphs">{escape(said)}</text>'

    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" role="img" aria-label="{escape(words)}">'
        f"<title>{escape(words)}</title>"
        f'<rect width="{width}" height="{HEIGHT}" rx="3" fill="{colour}"/>'
        f'<path d="M3,0H{left}V{HEIGHT}H3A3,3 0 0 1 0,{HEIGHT - 3}V3A3,3 0 0 1 3,0Z" fill="#444"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f"{text('outscore', left / 2, left)}{text(told, left + right / 2, right)}</g></svg>\n"
    )
