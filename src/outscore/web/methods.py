"""What the page of methods lists: tests, metrics and corrections from their registries, with formulas and works to cite.

Formulas are written as TeX and turned into MathML, which browsers set without a script. Those of tests, metrics and
corrections stand in their entries; those of effect sizes are here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

# What each effect size says, and how it is computed; d is one item's difference.
EFFECTS: Mapping[str, tuple[str, str]] = {
    "Cohen's d_z": ("the mean difference in units of the spread of the differences", r"d_z = \frac{\bar{d}}{s_d}"),
    "Hedges' g_z": (
        "the same, without its small-sample bias",
        r"g = d_z \cdot \frac{Γ((n-1)/2)}{\sqrt{(n-1)/2} Γ((n-2)/2)}",
    ),
    "Wilcoxon r": ("how strongly the signed ranks favour one side", r"r = \frac{Z}{\sqrt{n}}"),
    "rank-biserial correlation": (
        "the weight of the ranks for A minus that of the ranks for B",
        r"r = \frac{W^{+} - W^{-}}{W^{+} + W^{-}}",
    ),
    "Hodges-Lehmann shift": (
        "the typical difference, in the metric's own unit",
        r"\text{HL} = \text{median} ( \frac{d_i + d_j}{2} )",
    ),
    "probability of superiority": (
        "how often A has the higher score on an item, ties count half",
        r"P ( a > b ) + \frac{1}{2} P ( a = b )",
    ),
}

TOKEN = re.compile(r"\\text\{[^}]*\}|\\[a-z]+|\d+(?:\.\d+)?|[{}_^]|\S")
SIGNS = {r"\sum": "∑", r"\cdot": "·", "-": "−"}
WORDS = (r"\min", r"\max", r"\log", r"\exp")
LIMITS = (r"\sum", r"\min", r"\max")
BREAKS = {"≤": 1, "≥": 1, r"\cdot": 0, r"\min": 1}
"""Signs before which a line may begin, inside so many parentheses."""
SENTENCE = re.compile(r"\\text\{\s*(\S+(?: \S+)+)\s*\}")
"""Words beside a formula, which are broken into lines as others are."""


def registries() -> list[tuple[str, str, Mapping[str, Any]]]:
    """All that outscore computes, by kind: its id, its title, and the entries by name."""
    from outscore.inference.families import CORRECTIONS
    from outscore.inference.registry import TESTS
    from outscore.metrics.registry import METRICS
    from outscore.metrics.text.registry import TEXT_METRICS

    return [
        ("tests", "Tests", TESTS),
        ("metrics", "Metrics of scores and counts", METRICS),
        ("text-metrics", "Metrics of texts", TEXT_METRICS),
        ("corrections", "Corrections for many comparisons", CORRECTIONS),
    ]


def to_mathml(tex: str) -> str:
    r"""A formula in a small part of TeX as MathML: fractions, roots, bars, sub- and superscripts, words and signs.

    Examples
    --------
    >>> to_mathml(r"\frac{x_i}{2}")
    '<math><mfrac><mrow><msub><mi>x</mi><mi>i</mi></msub></mrow><mrow><mn>2</mn></mrow></mfrac></math>'
    """
    tokens = TOKEN.findall(tex)[::-1]
    pieces: list[list[str]] = [[]]
    depth = 0
    try:
        while tokens:
            sign = tokens[-1]
            depth += {"(": 1, ")": -1}.get(sign, 0)
            if depth <= BREAKS.get(sign, -1):
                pieces.append([])
            if not depth and SENTENCE.match(sign):
                pieces += [[tokens.pop()], []]
                continue
            pieces[-1].append(_scripted(tokens))
            if sign == "," and not depth:
                pieces.append([])
    except IndexError:
        raise ValueError(f"The formula {tex} breaks off.") from None
    return " ".join(map(_line, filter(None, pieces)))


def _line(parts: list[str]) -> str:
    """What stays on one line: browsers break no formula, but between two of them and between words."""
    if words := SENTENCE.match(parts[0]):
        return escape(words[1])
    return f"<math>{''.join(parts)}</math>"


def _scripted(tokens: list[str]) -> str:
    """One element with what hangs below and above it."""
    limits = tokens[-1] in LIMITS
    base, scripts = _element(tokens), {}
    while tokens and tokens[-1] in "_^":
        place = tokens.pop()
        scripts[place] = _element(tokens)
    below, above = ("munder", "mover") if limits else ("msub", "msup")
    match scripts:
        case {"_": low, "^": high}:
            both = "munderover" if limits else "msubsup"
            return f"<{both}>{base}{low}{high}</{both}>"
        case {"_": low}:
            return f"<{below}>{base}{low}</{below}>"
        case {"^": high}:
            return f"<{above}>{base}{high}</{above}>"
    return base


def _group(tokens: list[str]) -> str:
    """What stands between braces, the first of which is taken already."""
    parts = []
    while tokens[-1] != "}":
        parts.append(_scripted(tokens))
    tokens.pop()
    return "".join(parts)


def _argument(tokens: list[str]) -> str:
    tokens.pop()
    return _group(tokens)


def _element(tokens: list[str]) -> str:
    token = tokens.pop()
    match token:
        case "}":
            raise ValueError("A formula has a brace too many.")
        case "{":
            return f"<mrow>{_group(tokens)}</mrow>"
        case r"\frac":
            return f"<mfrac><mrow>{_argument(tokens)}</mrow><mrow>{_argument(tokens)}</mrow></mfrac>"
        case r"\sqrt":
            return f"<msqrt>{_argument(tokens)}</msqrt>"
        case r"\bar":
            return f"<mover accent='true'><mrow>{_argument(tokens)}</mrow><mo>¯</mo></mover>"
        case _:
            return _leaf(token)


def _leaf(token: str) -> str:
    """A word, a name, a number or a sign."""
    if token.startswith(r"\text{"):
        return f"<mtext>{escape(token[6:-1])}</mtext>"
    if token in WORDS:
        return f"<mo>{token[1:]}</mo>"
    tag = "mi" if token.isalpha() else "mo"
    if token[0].isdecimal():
        tag = "mn"
    return f"<{tag}>{escape(SIGNS.get(token, token))}</{tag}>"
