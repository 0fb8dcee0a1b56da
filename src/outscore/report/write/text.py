"""Results as plain text: the verdict first, the evidence under it, the signature last.

The text is the same on a terminal, in a pipe and in a file. No line is longer than the width asked for. A plain comparison fits
one screen, with a table of its slices below it, and so does one by several metrics; `verbose` adds every table, and writes out
every slice and every metric.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import replace

from outscore.language.numbers import format_probability
from outscore.report.rows.comparison import ASKED_FOR, alpha_of, details, family_note, scores, settings
from outscore.report.rows.facts import evidence
from outscore.report.rows.metrics import (
    is_family_of_metrics,
    metric_facts,
    metric_notes,
    metric_sentence,
    metric_signatures,
    metric_table,
    metrics_headline,
)
from outscore.report.rows.nouns import view_of
from outscore.report.rows.segments import segment_lines
from outscore.report.rows.slices import slices
from outscore.report.rows.texts import run_lines
from outscore.report.table import GLUED, Table, broken, clean, column_widths, glue, padded, screen_width
from outscore.results.comparison import Comparison, Comparisons

__all__ = ["NARROWEST", "fact_lines", "render", "signature_lines", "titled", "wrapped"]

LABEL = 12
NARROWEST = 40
FILLER = "\ufdd0"
"""A code point that no text may hold."""
GAP = "  "


def render(comparisons: Comparisons, *, width: int = 80, verbose: bool = False) -> str:
    """The whole result as text that ends with a line end."""
    width = max(width, NARROWEST)
    if not verbose and is_family_of_metrics(comparisons):
        return "\n".join(_metrics(comparisons, width)) + "\n"
    parts = None if verbose else slices(comparisons)
    shown = comparisons.comparisons if parts is None else comparisons.comparisons[:1]
    blocks = [_overview(comparisons, width)] if is_family_of_metrics(comparisons) else []
    blocks += [_comparison(c, comparisons, width, verbose=verbose) for c in shown]
    if parts is not None:
        blocks[0] += ["", *titled(parts, width)]
    elif comparisons.family is not None:
        blocks.append(fact_lines("family", [family_note(comparisons)], width))
    if verbose and comparisons.settings:
        blocks.append(titled(settings(comparisons), width))
    return ("\n" + "-" * width + "\n\n").join("\n".join(block) + "\n" for block in blocks)


def _comparison(c: Comparison, whole: Comparisons, width: int, *, verbose: bool) -> list[str]:
    lines = [*wrapped(clean(c.verdict), width), ""]
    lines += fact_lines("scores", _scores(c, alpha_of(whole)), width)
    for fact in evidence(c, whole, verbose=verbose):
        # One screen has room for what is wrong; what to do about it is in the other forms and in the verbose text.
        texts = map(_first_sentence, fact.lines) if fact.label == "warnings" and not verbose else fact.lines
        lines += fact_lines(fact.label, texts, width)
        if fact.label == "design" and not verbose:
            lines += fact_lines("", _path(c), width)
    lines += fact_lines("for a paper", [c.sentence], width)
    lines += fact_lines("signature", signature_lines(clean(c.signature), width - LABEL), width)
    for table in details(c, whole):
        if verbose or table.key in ASKED_FOR:
            lines += ["", *titled(table, width)]
    listing = segment_lines(c, width, verbose=verbose)
    return [*lines, "", *listing] if listing else lines


def _metrics(whole: Comparisons, width: int) -> list[str]:
    """Several metrics on one screen, and below it what was asked for and the segments behind the first metric."""
    first, *_ = whole.comparisons
    lines = [*_overview(whole, width), ""]
    runs = [f"{c.metric}, {line}" for c in whole.comparisons for line in run_lines(c, alpha_of(whole))]
    lines += fact_lines("runs", runs, width)
    for label in ("margin", "bayes"):
        lines += fact_lines(label, metric_facts(whole, label), width)
    lines += fact_lines("notes", map(_first_sentence, metric_notes(whole)), width)
    lines += fact_lines("for a paper", [metric_sentence(whole)], width)
    rows = [row for signature in metric_signatures(whole) for row in signature_lines(signature, width - LABEL)]
    lines += fact_lines("signature", rows, width)
    tables = [_of_metric(table, c) for c in whole.comparisons for table in details(c, whole) if table.key in ASKED_FOR]
    for block in (*(titled(table, width) for table in tables), segment_lines(first, width, verbose=False)):
        lines += ["", *block] if block else []
    return lines


def _of_metric(table: Table, c: Comparison) -> Table:
    """A table that stands among those of other metrics says whose it is; that of buckets does anyway."""
    return table if table.key == "buckets" else replace(table, title=clean(f"{table.title}: {c.metric}"))


def _overview(whole: Comparisons, width: int) -> list[str]:
    return [*wrapped(metrics_headline(whole), width), "", *titled(metric_table(whole), width)]


def _scores(c: Comparison, alpha: float | None) -> list[str]:
    table = scores(c, alpha)
    name_width = min(max(screen_width(row[0]) for row in table.rows), 40)
    value_width = max(len(row[1]) for row in table.rows)
    rows = [f"{table.title}, with {table.columns[2]}s" if len(table.columns) > 2 else table.title]
    for name, value, *ends in table.rows:
        rows.append(f"{padded(name, name_width, 'l')}  {value:>{value_width}}" + (f"   {ends[0]}" if ends and ends[0] else ""))
    return rows


def _path(c: Comparison) -> list[str]:
    """What repeats and clusters did to p, in a line; the table of it is in the other forms."""
    steps = [f"{format_probability(step.p)} over {step.n:,} {view_of(c, step.view)}" for step in c.design.path]
    return [f"p = {', '.join(steps)}: the last one counts"] if len(steps) > 1 else []


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.]) (?=[A-Z])", text, maxsplit=1)[0]


def signature_lines(signature: str, width: int) -> list[str]:
    """Break only between parts, so that the pieces can be put together again without thinking."""
    rows = [""]
    for part in signature.split("|"):
        piece = part if not rows[0] else f"|{part}"
        if rows[-1] and len(rows[-1]) + len(piece) > width:
            rows.append(piece)
        else:
            rows[-1] += piece
    return rows


def titled(table: Table, width: int) -> list[str]:
    """The lines of a table with its title above and its notes below."""
    notes = [line for note in table.notes for line in wrapped(note, width)]
    return [*wrapped(table.title, width), *_grid(table, width), *notes]


def _grid(table: Table, width: int) -> list[str]:
    """The table in columns; what does not fit is wrapped inside its cell, the widest column first."""
    widths = column_widths(table, width - len(GAP) * (len(table.columns) - 1))
    return [line for row in (table.columns, *table.rows) for line in _grid_row(row, widths, table.align)]


def _grid_row(row: tuple[str, ...], widths: list[int], align: str) -> list[str]:
    cells = [broken(cell, w) for cell, w in zip(row, widths, strict=True)]
    height = max(map(len, cells))
    lines = []
    for k in range(height):
        texts = [cell[k] if k < len(cell) else "" for cell in cells]
        shown = [padded(t, w, side) for t, w, side in zip(texts, widths, align, strict=True)]
        lines.append(GAP.join(shown).rstrip())
    return lines


def fact_lines(label: str, texts: Iterable[str], width: int) -> list[str]:
    """A label in the margin and its texts beside it, each on lines of its own."""
    lines: list[str] = []
    for text in texts:
        lines += wrapped(clean(text), width - LABEL)
    heads = [f"{label:<{LABEL}}"] + [" " * LABEL] * (len(lines) - 1)
    return [(head + line).rstrip() for head, line in zip(heads, lines, strict=False)]


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most this width, the first one out by two."""
    # Columns of aligned numbers must survive, so short lines are left as they are.
    if screen_width(text) <= width:
        return [text]
    fitting = " ".join(_loosened(word, width - 2) for word in glue(_widened(text)).split(" "))
    lines = textwrap.wrap(fitting, width, subsequent_indent="  ", break_on_hyphens=False)
    return [line.replace("\u00a0", " ").replace(FILLER, "") for line in lines]


def _widened(text: str) -> str:
    """The text with a filler behind every letter of two columns, so that counting letters counts columns."""
    return "".join(char + FILLER * (screen_width(char) - 1) for char in text)


def _loosened(word: str, width: int) -> str:
    """What was glued together comes apart again before it would be cut in the middle of a name."""
    for pair in GLUED:
        if max(map(len, word.split(" "))) > width:
            word = word.replace(glue(pair), pair)
    return word
