"""Results as Markdown: headings, tables and the paste-ready sentence, for issues, notebooks and readme files."""

from __future__ import annotations

import re
from collections.abc import Sequence

from outscore.report.rows.comparison import ASKED_FOR, alpha_of, details, results, scores, settings
from outscore.report.rows.facts import evidence, heading, headline
from outscore.report.rows.marking import mark_up
from outscore.report.rows.metrics import is_family_of_metrics, metric_sentence, metric_table, metrics_headline
from outscore.report.rows.segments import FEW, MANY, segment_views, segments_note, segments_title
from outscore.report.table import Fact, Table, clean
from outscore.results.comparison import Comparison, Comparisons

__all__ = ["escape", "facts_block", "fenced", "render", "table_block"]

# Whatever could begin markup, and the bar that would end a cell.
SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&$!@])")
# What a renderer would make a link of by itself.
BARE_LINK = re.compile(r"(?i)(?<=\bwww)\.|:(?=//)")


def render(comparisons: Comparisons, *, verbose: bool = False) -> str:
    """The whole result as Markdown; `verbose` adds every table and the settings."""
    many = len(comparisons.comparisons) != 1
    blocks = _metrics(comparisons) if is_family_of_metrics(comparisons) else _overview(comparisons) if many else []
    for c in comparisons.comparisons:
        blocks += _comparison(c, comparisons, "##" if many else "#", verbose=verbose)
    if verbose and comparisons.settings:
        blocks += ["## Settings", table_block(settings(comparisons))]
    return "\n\n".join(blocks) + "\n"


def _overview(whole: Comparisons) -> list[str]:
    return [f"# {len(whole.comparisons)} comparisons", table_block(results(whole))]


def _metrics(whole: Comparisons) -> list[str]:
    """Several metrics as one answer, above each of them by itself."""
    table = metric_table(whole)
    top = [f"# {escape(metrics_headline(whole).removesuffix('.'))}", f"**{escape(table.title)}**", table_block(table)]
    return [*top, f"> {escape(metric_sentence(whole))}"]


def escape(text: str) -> str:
    r"""Text that Markdown shows as it is.

    Examples
    --------
    >>> print(escape("a_b|c <script>"))
    a\_b\|c \<script\>
    """
    return BARE_LINK.sub(r"\\\g<0>", SPECIAL.sub(r"\\\1", clean(text)))


def _comparison(c: Comparison, whole: Comparisons, level: str, *, verbose: bool) -> list[str]:
    top, why = headline(c)
    answer = f"**{escape(top)}**: {escape(why)}" if why else f"**{escape(top)}**"
    blocks = [f"{level} {escape(heading(c))}", answer, table_block(scores(c, alpha_of(whole)))]
    blocks.append(facts_block(evidence(c, whole, verbose=verbose)))
    shown = [table for table in details(c, whole) if verbose or table.key in ("path", *ASKED_FOR)]
    for table in shown:
        blocks += [f"{level}# {escape(table.title)}", table_block(table)]
    if c.segments:
        blocks += [f"{level}# {escape(segments_title(c))}", segments_note(c), _segments(c, verbose=verbose)]
    blocks += [f"{level}# For a paper", f"> {escape(c.sentence)}", fenced(c.signature)]
    return [block for block in blocks if block]


def _segments(c: Comparison, *, verbose: bool) -> str:
    """A numbered list of segments, the texts of each as a list below it."""
    lines = []
    for i, view in enumerate(segment_views(c, MANY if verbose else FEW), 1):
        lines.append(f"{i}. {escape(view.title)}")
        lines += [f"    - {escape(label)}: {mark_up(words, _bold, escape)}" for label, words in view.texts]
    return "\n".join(lines)


def _bold(escaped: str) -> str:
    """Stars only open and close beside letters and digits, whatever stands outside (CommonMark 0.31, 6.2); elsewhere a tag."""
    return f"**{escaped}**" if escaped[0].isalnum() and escaped[-1].isalnum() else f"<b>{escaped}</b>"


def facts_block(facts: list[Fact]) -> str:
    """Facts as a list."""
    return "\n".join(f"- **{escape(fact.label)}**: {escape(_joined(fact.lines))}" for fact in facts)


def _joined(lines: Sequence[str]) -> str:
    """Statements in one line: a semicolon between them, but none behind a sentence.

    Examples
    --------
    >>> _joined(["A note.", "p = .5", "q = .6"])
    'A note. p = .5; q = .6'
    """
    texts = [" ".join(line.split()) for line in lines]
    return "".join(text + ("" if i == len(texts) else " " if text.endswith(".") else "; ") for i, text in enumerate(texts, 1))


def table_block(table: Table) -> str:
    """A table with its notes below."""
    rule = ["---:" if side == "r" else ":---" for side in table.align]
    cells = [tuple(map(escape, row)) for row in (table.columns, *table.rows)]
    lines = [_row(cells[0]), _row(rule), *map(_row, cells[1:])]
    notes = [f"\n{escape(note)}" for note in table.notes]
    return "\n".join([*lines, *notes])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def fenced(text: str) -> str:
    """A block of code whose fence is longer than any run of back-ticks in it."""
    plain = clean(text)
    longest = max((len(run) for run in re.findall(r"`+", plain)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{plain}\n{fence}"
