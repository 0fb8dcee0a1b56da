"""Results as plain text: the verdict first, the evidence under it, the signature last.

The text is the same on a terminal, in a pipe and in a file. No line is longer than the width asked for.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from outscore.numerals import decimals_for, format_interval, format_number, format_p, format_percent, format_probability
from outscore.results import Comparison, Comparisons, PathStep
from outscore.wording import method_phrase

__all__ = ["render"]

LABEL = 12
NARROWEST = 40
# No line break inside "A - B", "p = .01" or "95 %".
GLUED = (" - ", " = ", " ± ", " %")


def render(comparisons: Comparisons, *, width: int = 80, verbose: bool = False) -> str:
    """The whole result as text that ends with a line end."""
    width = max(width, NARROWEST)
    blocks = [_comparison(c, comparisons, width, verbose=verbose) for c in comparisons.comparisons]
    if comparisons.family is not None:
        family = comparisons.family
        blocks.append(_row("family", [f"{family.m} comparisons, {family.correction} ({family.error_rate})"], width))
    if verbose:
        blocks.append(_settings(comparisons, width))
    return ("\n" + "-" * width + "\n\n").join("\n".join(block) + "\n" for block in blocks)


def _comparison(c: Comparison, whole: Comparisons, width: int, *, verbose: bool) -> list[str]:
    lines = [*_wrap(c.verdict, width), ""]
    lines += _row("scores", _scores(c), width)
    lines += _row("difference", _difference(c), width)
    lines += _row("p-value", _p(c, whole, verbose=verbose), width)
    lines += _row("design", _design(c), width)
    if verbose or c.alignment.only_a or c.alignment.only_b or c.alignment.duplicates:
        lines += _row("alignment", _alignment(c), width)
    lines += _row("notes", c.notes, width)
    lines += _row("for a paper", [c.sentence], width)
    return lines + _row("signature", _signature(c.signature, width - LABEL), width)


def _scores(c: Comparison) -> list[str]:
    better = "higher is better" if c.higher_is_better else "lower is better"
    part = "" if c.slice is None else f", {c.slice.column} = {c.slice.value}"
    decimals = decimals_for(*(s.value for s in c.scores), difference=c.difference)
    values = [format_number(s.value, decimals) for s in c.scores]
    name_width = min(max(len(s.system) for s in c.scores), 40)
    value_width = max(len(v) for v in values)
    dataset = "" if c.dataset is None else f" on {c.dataset}"
    rows = [f"{c.metric}{dataset}{part} ({better})"]
    for score, value in zip(c.scores, values, strict=True):
        ends = ""
        if score.low is not None and score.high is not None:
            ends = f"   ({format_number(score.low, decimals)} to {format_number(score.high, decimals)})"
        rows.append(f"{score.system:<{name_width}}  {value:>{value_width}}{ends}")
    return rows


def _difference(c: Comparison) -> list[str]:
    decimals = decimals_for(*(s.value for s in c.scores), difference=c.difference)
    a, b = c.systems
    rows = [f"{format_number(c.difference, decimals, sign=True)}   ({a} - {b})"]
    if c.interval is None:
        return [*rows, "no interval for this test and metric"]
    dual = "dual to the test" if c.interval.dual else "not dual to the test"
    ends = format_interval(c.interval, decimals)
    return [*rows, f"{format_percent(c.interval.level)} interval {ends}   ({c.interval.method}, {dual})"]


def _p(c: Comparison, whole: Comparisons, *, verbose: bool) -> list[str]:
    p = c.p
    alpha = whole.settings.get("alpha")
    alternative = whole.settings.get("alternative")
    sides = f", {alternative}" if isinstance(alternative, str) else ""
    rows = [format_p(p, alpha if isinstance(alpha, float) else None)]
    rows.append(f"{method_phrase(p)}{sides}; kernel: {p.kernel}")
    if p.mid is not None:
        rows.append(f"mid-p = {format_probability(p.mid)}")
    if p.adjusted is not None:
        rows.append(f"adjusted p = {format_probability(p.adjusted)}")
    for reason, count in p.dropped.items():
        rows.append(f"{count:,} left out: {reason}")
    if verbose:
        rows.append(f"value {p.value!r}, log10 {p.log10!r}, statistic {p.statistic!r}")
    return rows


def _design(c: Comparison) -> list[str]:
    units = f"{c.n:,} {'item' if c.n == 1 else 'items'}, paired"
    if c.clusters is not None:
        units += f", in {c.clusters:,} {'cluster' if c.clusters == 1 else 'clusters'} that are swapped as one"
    if c.design.repeats != 1:
        units += f", {c.design.repeats:.4g} repeats each on average"
    if c.design.unit_size > 1:
        units += f", in units of {c.design.unit_size}"
    rows = [units]
    if len(c.design.path) > 1:
        rows += [_step(step) for step in c.design.path]
    return rows


def _step(step: PathStep) -> str:
    return f"as {step.view + ':':<10}{step.n:>9,}   difference {step.difference:+.4g}   p = {format_probability(step.p)}"


def _alignment(c: Comparison) -> list[str]:
    x = c.alignment
    a, b = c.systems
    text = f"{x.common:,} in common, {x.only_a:,} only in {a}, {x.only_b:,} only in {b}, {x.duplicates:,} duplicates"
    return [text + (f", {x.conflicts:,} in conflict" if x.conflicts else "")]


def _settings(whole: Comparisons, width: int) -> list[str]:
    lines: list[str] = []
    for key, value in whole.settings.items():
        rows = [str(v) for v in value] if isinstance(value, list) else [str(value)]
        lines += _row(key, rows, width)
    return lines


def _signature(signature: str, width: int) -> list[str]:
    """Break only between parts, so that the pieces can be put together again without thinking."""
    rows = [""]
    for part in signature.split("|"):
        piece = part if not rows[0] else f"|{part}"
        if rows[-1] and len(rows[-1]) + len(piece) > width:
            rows.append(piece)
        else:
            rows[-1] += piece
    return rows


def _row(label: str, texts: Iterable[str], width: int) -> list[str]:
    """A label in the margin and its texts beside it, each on lines of its own."""
    lines: list[str] = []
    for text in texts:
        lines += _wrap(text, width - LABEL)
    heads = [f"{label:<{LABEL}}"] + [" " * LABEL] * (len(lines) - 1)
    # A label that fills its column would touch the text.
    if lines and len(label) >= LABEL:
        return [label[:width], *(" " * LABEL + line for line in lines)]
    return [(head + line).rstrip() for head, line in zip(heads, lines, strict=False)]


def _wrap(text: str, width: int) -> list[str]:
    # Columns of aligned numbers must survive, so short lines are left as they are.
    if len(text) <= width:
        return [text]
    for pair in GLUED:
        text = text.replace(pair, pair.replace(" ", "\u00a0"))
    lines = textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False)
    return [line.replace("\u00a0", " ") for line in lines]
