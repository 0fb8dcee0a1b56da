r"""Formulas that the page shows, written as TeX and turned into MathML, which browsers set without a script.

They explain; what is computed, with its citation, stands beside the code that computes it (`inference`, `metrics`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

__all__ = ["CORRECTIONS", "EFFECTS", "METRICS", "TESTS", "to_mathml"]

# What each effect size says, and how it is computed; d is one item's difference.
EFFECTS: Mapping[str, tuple[str, str]] = {
    "Cohen's d_z": ("the mean difference in units of the spread of the differences", r"d_z = \frac{\bar{d}}{s_d}"),
    "Hedges' g_z": (
        "the same without its bias in small samples",
        r"g = d_z \cdot \frac{Γ((n-1)/2)}{\sqrt{(n-1)/2} Γ((n-2)/2)}",
    ),
    "Wilcoxon r": ("how far the signed ranks lean to one side", r"r = \frac{Z}{\sqrt{n}}"),
    "rank-biserial correlation": (
        "weight of the ranks for A minus weight of those for B",
        r"r = \frac{W^{+} - W^{-}}{W^{+} + W^{-}}",
    ),
    "Hodges-Lehmann shift": (
        "the typical difference, in the metric's own unit",
        r"\text{HL} = \text{median} ( \frac{d_i + d_j}{2} )",
    ),
    "probability of superiority": (
        "how often A has the higher score on an item, ties counting half",
        r"P ( a > b ) + \frac{1}{2} P ( a = b )",
    ),
}
TESTS: Mapping[str, str] = {
    "permutation": r"p = P ( |\sum_{i} ε_i d_i| ≥ |\sum_{i} d_i| ) , ε_i = ± 1",
    "permutation-median": r"p = P ( |\text{median} ( ε_i d_i )| ≥ |\text{median} ( d_i )| )",
    "student": r"t = \frac{\bar{d} - δ}{s_d / \sqrt{n}}",
    "wilcoxon": r"W^{+} = \sum_{d_i > 0} \text{rank} |d_i|",
    "sign": r"p = P ( | X - \frac{n}{2} | ≥ | n_A - \frac{n}{2} | ) , X ∼ \text{Bin} ( n , \frac{1}{2} )",
    "mcnemar": r"p = P ( | X - \frac{b+c}{2} | ≥ \frac{|b-c|}{2} ) , X ∼ \text{Bin} ( b + c , \frac{1}{2} )",
    "bootstrap": r"p = \frac{1 + \text{number} ( |Δ^{*} - Δ| ≥ |Δ - δ| )}{1 + B}",
    "bootstrap-t": r"t^{*} = \frac{\bar{d}^{*} - \bar{d}}{s_{d^{*}} / \sqrt{n}}",
    "bootstrap-median": r"Δ^{*} = \text{median} ( d^{*} ) - \text{median} ( d )",
    "block-bootstrap": r"p = \frac{1 + \text{number} ( |Δ^{*} - Δ| ≥ |Δ - δ| )}{1 + B}",
    "bayes": r"P ( Δ > ρ | d ) , P ( |Δ| ≤ ρ | d ) , P ( Δ < - ρ | d )",
}
METRICS: Mapping[str, str] = {
    "mean": r"\frac{1}{n} \sum_{i} x_i",
    "sum": r"\sum_{i} x_i",
    "weighted-mean": r"\frac{\sum_{i} w_i x_i}{\sum_{i} w_i}",
    "accuracy": r"\frac{\text{right}}{\text{right} + \text{wrong}}",
    "error-rate": r"\frac{\text{errors}}{\text{length}}",
    "f1": r"\frac{2 \text{tp}}{2 \text{tp} + \text{fp} + \text{fn}}",
    "fbeta": r"\frac{( 1 + β^2 ) \text{tp}}{( 1 + β^2 ) \text{tp} + \text{fp} + β^2 \text{fn}}",
    "precision": r"\frac{\text{tp}}{\text{tp} + \text{fp}}",
    "recall": r"\frac{\text{tp}}{\text{tp} + \text{fn}}",
    "jaccard": r"\frac{\text{tp}}{\text{tp} + \text{fp} + \text{fn}}",
    "mcc": r"\frac{\text{tp} \cdot \text{tn} - \text{fp} \cdot \text{fn}}"
    r"{\sqrt{( \text{tp} + \text{fp} ) ( \text{tp} + \text{fn} ) ( \text{tn} + \text{fp} ) ( \text{tn} + \text{fn} )}}",
    "balanced-accuracy": r"\frac{1}{2} ( \frac{\text{tp}}{\text{tp} + \text{fn}} + \frac{\text{tn}}{\text{tn} + \text{fp}} )",
    "kappa": r"κ = \frac{p_o - p_e}{1 - p_e}",
    "macro-f1": r"\frac{1}{2} ( F_{1}^{+} + F_{1}^{-} )",
    "bleu": r"\text{BP} \cdot \exp ( \frac{1}{N} \sum_{n} \log p_n )",
    "chrf": r"( 1 + β^2 ) \frac{P R}{β^2 P + R}",
    "chrf++": r"( 1 + β^2 ) \frac{P R}{β^2 P + R} , P , R \text{ over n-grams of characters and of words}",
    "nist": r"\sum_{n} \frac{\text{information of matched n-grams}}{\text{number of n-grams}}"
    r" \cdot \exp ( β \log^2 \min ( 1 , \frac{\text{length}}{\text{length of the reference}} ) )",
    "meteor": r"\frac{1}{n} \sum_{i} ( 1 - γ ( \frac{\text{chunks}_i}{\text{matches}_i} )^β )"
    r" \frac{P_i R_i}{α P_i + ( 1 - α ) R_i}",
    "meteor-corpus": r"( 1 - γ ( \frac{\sum_{i} \text{chunks}_i}{\sum_{i} \text{matches}_i} )^β )"
    r" \frac{P R}{α P + ( 1 - α ) R}",
    "rouge1": r"\frac{1}{n} \sum_{i} \frac{2 P_i R_i}{P_i + R_i} , P , R \text{ of single words}",
    "rouge2": r"\frac{1}{n} \sum_{i} \frac{2 P_i R_i}{P_i + R_i} , P , R \text{ of pairs of words}",
    "rougeL": r"\frac{1}{n} \sum_{i} \frac{2 P_i R_i}{P_i + R_i} , P , R \text{ of the longest common subsequence}",
    "sentence-bleu": r"\frac{1}{n} \sum_{i} \text{BLEU}_i",
    "sentence-chrf": r"\frac{1}{n} \sum_{i} \text{chrF}_i",
    "sentence-ter": r"\frac{1}{n} \sum_{i} \text{TER}_i",
    "ter": r"\frac{\text{edits} + \text{shifts}}{\text{words of the reference}}",
    "wer": r"\frac{\text{edits}}{\text{words of the reference}}",
    "cer": r"\frac{\text{edits}}{\text{characters of the reference}}",
}
CORRECTIONS: Mapping[str, str] = {
    "bonferroni": r"\min ( 1 , m p_i )",
    "holm": r"\max_{j ≤ i} \min ( 1 , ( m - j + 1 ) p_{(j)} )",
    "shaffer": r"\max_{j ≤ i} \min ( 1 , t_j p_{(j)} ) ,"
    r" t_j = \text{most pairs that can be alike when } j - 1 \text{ are not}",
    "hommel": r"\max_{I ∋ i} \min_{j} \frac{|I|}{j} p_{(j)}^{I}",
    "hochberg": r"\min_{j ≥ i} ( m - j + 1 ) p_{(j)}",
    "bh": r"\min_{j ≥ i} \frac{m}{j} p_{(j)}",
    "by": r"\min_{j ≥ i} \frac{m}{j} p_{(j)} \sum_{k=1}^{m} \frac{1}{k}",
    "max-t": r"P ( \max_{j} |t_j^{*}| ≥ |t_i| )",
}

TOKEN = re.compile(r"\\text\{[^}]*\}|\\[a-z]+|\d+(?:\.\d+)?|[{}_^]|\S")
SIGNS = {r"\sum": "∑", r"\cdot": "·", "-": "−"}
WORDS = (r"\min", r"\max", r"\log", r"\exp")
LIMITS = (r"\sum", r"\min", r"\max")


def to_mathml(tex: str) -> str:
    r"""A formula in a small part of TeX as MathML: fractions, roots, bars, sub- and superscripts, words and signs.

    Examples
    --------
    >>> to_mathml(r"\frac{x_i}{2}")
    '<math><mfrac><mrow><msub><mi>x</mi><mi>i</mi></msub></mrow><mrow><mn>2</mn></mrow></mfrac></math>'
    """
    tokens = TOKEN.findall(tex)[::-1]
    parts = []
    try:
        while tokens:
            parts.append(_scripted(tokens))
    except IndexError:
        raise ValueError(f"The formula {tex} breaks off.") from None
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
    tag = "mn" if token[0].isdecimal() else "mi" if token.isalpha() else "mo"
    return f"<{tag}>{escape(SIGNS.get(token, token))}</{tag}>"
