"""How a gate is reported: the outcome, what it rests on, the comparison behind it, and what build servers show.

GitHub's annotations are commands in the log (`::error title=...::message`). Per cent signs and line ends of the message, and
colons and commas of the title, are escaped as GitHub asks for, so that no name of a system or file can become a command. In
JUnit's XML a gate is one test case that passed, failed or was skipped.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from xml.sax.saxutils import escape, quoteattr

from outscore.language import numbers
from outscore.language.phrases import better, decimals_of, interval_noun, interval_phrase, method_phrase
from outscore.report import document as doc
from outscore.report.build import common, comparison
from outscore.report.document import PART, clean, statements
from outscore.report.rows.columns import Column, Text, digits, number, score_columns, tabulate, words
from outscore.report.rows.facts import answered, evidence, lost_items
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.gate import GateResult, GateSlice
from outscore.results.note import note_texts, texts_below
from outscore.results.pvalue import Interval, PValue

BEHIND = "The comparison behind the gate, candidate as A and baseline as B; its p tests whether the candidate is worse."
DETAILS = "Charts, effect size, power and items of the comparison"
COLUMNS = (
    "outcome", "candidate", "baseline", "metric", "margin", "alpha", "n", "clusters", "score_candidate", "score_baseline",
    "difference", "low", "high", "level", "p_not_worse", "p_worse", "worse_within", "needed", "towards", "counts_as",
    "unanswered",
)  # fmt: skip
FROM_COMPARISON = ("design", "alignment", "claims")
"""What the comparison says about the data."""
TONES: dict[str, doc.Tone] = {"pass": "won", "fail": "lost"}
LEVELS = {"pass": "notice", "fail": "error", "inconclusive": "warning"}
MARKER = "<!-- outscore gate -->"
"""The first line of a comment, by which the action finds it again."""
COMMENT_WIDTH, LONGEST_ID = 100, 60
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold, not even escaped."""


def build(result: GateResult) -> doc.Document:
    """The outcome first, then the comparison in full."""
    c = result.comparison
    title = clean(result.headline)
    told = doc.Section(
        "answer", "", lambda: [_verdict(result), *common.warnings_of(result.notes), *common.read_as(c.reading, c.notes)]
    ).but("latex")
    answer, pictures = common.illustrated(told, "comparison.GATE", (result,), "gate")
    sections = (
        answer,
        doc.Section("table", "", lambda: [table(result)]).only("latex", "markdown"),
        pictures,
        doc.Section("slices", "Slices", lambda: [slice_table(result) if result.slices else None]),
        doc.Section("grounds", "What decided the outcome", lambda: [common.facts_block(facts(result))]).but("latex"),
        common.paper(result.sentence, str(c.signature)),
        common.settings(result.settings, "gate-settings"),
    )
    behind = comparison.build(Comparisons([c], {"alpha": result.alpha}))
    # A gate has one verdict, and its own settings.
    shown = [
        replace(
            article,
            key="behind" if article.title else "",
            title="",
            depth=2,
            fold=DETAILS if article.title else "",
            sections=tuple(
                replace(section, blocks=partial(_without_verdict, section))
                for section in article.sections
                if section.key != "settings"
            ),
        )
        for article in behind.articles
    ]
    folded = [article.full().only("html", "markdown") for article in shown]
    intro = doc.Article("", "The comparison", (doc.Section("behind", "", lambda: [doc.Paragraph(BEHIND)]),), depth=2)
    articles = (doc.Article("", title, sections), intro.full().only("html", "markdown"), *folded)
    return doc.Document(title, articles)


def _without_verdict(section: doc.Section) -> list[doc.Block | doc.Later | None]:
    """The blocks of a section but the verdict, which answers another question than the gate's."""
    return [block for block in section.blocks() if not isinstance(block, doc.Verdict)]


def card(result: GateResult) -> doc.Document:
    """The outcome alone, for notebooks."""
    notes, reading = note_texts(result.notes), result.comparison.reading
    return common.card_document(result.headline, result.reason, table(result), notes, reading=reading)


MAX_SLICES = 6
"""Slices that fit on a screen."""
BAR = 40
"""Columns of a drawn interval."""


def screen(result: GateResult) -> doc.Screen:
    """The outcome, the interval drawn beside the margin, and what was asked with its answers."""
    c, alpha, interval = result.comparison, result.alpha, result.interval
    parts, places = common.answer_parts({score.system: score.value for score in c.scores}, c.difference, interval)
    tests = [
        answered(f"loss below {result.margin:g} shown?", result.not_worse, alpha),
        answered("any loss?", result.worse, alpha),
    ]
    needed = ""
    if result.needed:
        power = numbers.format_level(result.power)
        needed = f"about {numbers.count(result.needed, c.design.noun)} like these would decide with power {power}"
    drawn = []
    if interval is not None:
        drawn = [f"{numbers.format_interval(interval, places)}{PART}{drawn_interval(result, interval)}"]
    return doc.Screen(
        clean(result.headline),
        statements(
            (c.score_name, [PART.join(parts)]),
            (interval_noun(interval), drawn),
            ("tests", [PART.join(tests)]),
            ("items", lost_items(c, result.settings)),
            ("slices", _slices_on_screen(result)),
            ("read as", common.short_read_as(c.reading)),
            ("next", [needed]),
        ),
        common.warnings_on_screen([*result.notes, *c.notes]),
        tone=TONES.get(result.outcome, ""),
    )


def _slices_on_screen(result: GateResult) -> list[str]:
    """The slices, those that lost most first; -v shows all."""
    turn = 1 if result.comparison.higher_is_better else -1
    ordered = sorted(result.slices, key=lambda one: turn * one.difference)
    lines = []
    for one in ordered[:MAX_SLICES]:
        decimals = numbers.decimals_for(one.candidate, one.baseline, difference=one.difference)
        ends = "" if one.interval is None else f"{PART}{numbers.format_interval(one.interval, decimals)}"
        lines.append(f"{clean(one.slice.value)}: {numbers.format_number(one.difference, decimals, sign=True)}{ends}")
    more = len(ordered) - MAX_SLICES
    return [*lines, f"and {more:,} more (-v shows all)"] if more > 0 else lines


def drawn_interval(result: GateResult, interval: Interval) -> str:
    """The interval between brackets with the difference inside, the margin and no difference, on one line.

    The margin is `|`, no difference `0`, the difference `*`, and the interval `[===]`.
    """
    c = result.comparison
    margin = -result.margin if c.higher_is_better else result.margin
    low, high = (c.difference if end is None else end for end in (interval.low, interval.high))
    least, most = min(low, margin, 0.0), max(high, margin, 0.0)
    if least == most:
        return ""

    def column(value: float) -> int:
        return round((value - least) / (most - least) * (BAR - 1))

    line = ["-"] * BAR
    line[column(low) : column(high) + 1] = "=" * (column(high) - column(low) + 1)
    for value, sign in ((low, "["), (high, "]"), (0.0, "0"), (c.difference, "*"), (margin, "|")):
        line[column(value)] = sign
    return "".join(line)


def lines(result: GateResult) -> list[common.Line]:
    """The outcome and the comparison as keys and values."""
    low, high = (None, None) if result.interval is None else (result.interval.low, result.interval.high)
    return [
        {"outcome": result.outcome, **comparison.line_of(result.comparison), "low": low, "high": high, "margin": result.margin}
    ]


def _verdict(result: GateResult) -> doc.Verdict:
    statements = dict(summary(result))
    found = [statements[name] for name in ("difference", "interval") if name in statements]
    line = (", ".join(found), f"not worse: {numbers.format_p(result.not_worse, brief=True)}")
    return common.verdict_of(result, "Gate", strong=clean(result.headline), tone=TONES.get(result.outcome, ""), line=line)


def summary(result: GateResult) -> list[tuple[str, str]]:
    """The main statements with their labels, for every form."""
    c = result.comparison
    decimals = decimals_of(c)
    allowed = f"{result.margin:g}"
    level = f"alpha = {numbers.format_level(result.alpha)}"
    scores = ", ".join(f"{score.system} {numbers.format_number(score.value, decimals)}" for score in c.scores)
    rows = [
        ("scores", f"{c.score_name} ({better(higher=c.higher_is_better)}): {scores}"),
        ("difference", f"{numbers.format_number(c.difference, decimals, sign=True)} ({c.systems[0]} - {c.systems[1]})"),
    ]
    if result.interval is not None:
        rows.append(("interval", interval_phrase(result.interval, decimals)))
    rows += [
        ("to pass", f"{_test(f'loss below {allowed} shown?', result.not_worse, result.alpha)}; one-sided, {level}"),
        ("to fail", f"{_test('any loss?', result.worse, result.alpha)}; one-sided, {level}"),
    ]
    return [(label, clean(text)) for label, text in rows]


def _test(question: str, p: PValue, alpha: float) -> str:
    return f"{answered(question, p, alpha)}, {method_phrase(p)}"


def facts(result: GateResult) -> tuple[doc.Fact, ...]:
    """Everything that the outcome rests on."""
    whole = Comparisons([result.comparison], {"alpha": result.alpha})
    about = [fact for fact in evidence(result.comparison, whole) if fact.label in FROM_COMPARISON]
    counts = str(result.inconclusive or "") if result.outcome == "inconclusive" else ""
    told = [(label, [text]) for label, text in summary(result)]
    return (*statements(*told, ("counts as", [counts])), *about, *statements(("notes", texts_below(result.notes))))


def table(result: GateResult) -> doc.Table:
    """The outcome as a table of one row, for papers and step summaries."""
    decimals = decimals_of(result.comparison)

    def system(c: Comparison, i: int) -> str:
        return f"{c.systems[i]} {numbers.format_number(c.scores[i].value, decimals)}"

    def p(value: PValue) -> str:
        return numbers.format_p(value, result.alpha, brief=True)

    columns: list[Column[GateResult]] = [
        words("outcome", lambda one: one.outcome),
        words("candidate", lambda one: system(one.comparison, 0)),
        words("baseline", lambda one: system(one.comparison, 1)),
        Column("difference", lambda one: one.comparison.difference, number(decimals, sign=True)),
        words("interval", lambda one: one.interval, lambda interval: interval_phrase(interval, decimals)),
        Column("margin", lambda one: one.margin, "{:g}".format),
        words("not worse", lambda one: one.not_worse, p),
        words("worse", lambda one: one.worse, p),
    ]
    return tabulate("gate", f"Gate: {result.comparison.score_name}", columns, [result])


def slice_table(result: GateResult) -> doc.Table:
    """Both systems on each slice; p is corrected over them, and none of them decides."""

    def ends(one: GateSlice) -> Text | None:
        if one.interval is None:
            return None
        places = numbers.decimals_for(one.candidate, one.baseline, difference=one.difference)
        return Text(numbers.format_interval(one.interval, places), one.interval.low)

    c, column = result.comparison, result.slices[0].slice.column
    columns: list[Column[GateSlice]] = [
        words(column, lambda one: one.slice.value),
        Column(f"{c.design.noun}s", lambda one: one.n),
        *score_columns(("candidate", "baseline", "difference"), lambda one: (one.candidate, one.baseline, one.difference)),
        Column(interval_noun(result.interval), ends),
        words("not worse", lambda one: one.not_worse, lambda p: numbers.format_p(p, result.alpha, brief=True)),
        words("worse", lambda one: one.worse, lambda p: numbers.format_p(p, result.alpha, brief=True)),
    ]
    notes = [f"The outcome is that of all {c.design.noun}s; p is corrected over the slices."]
    return tabulate("slices", f"{c.score_name} by {column}", columns, result.slices, notes)


def records(result: GateResult) -> doc.Records:
    """One record with all digits."""
    c = result.comparison
    row = {
        **digits(result, "outcome", "margin", "alpha", "worse_within", "needed", "towards", "counts_as", "unanswered"),
        **digits(result, low="interval.low", high="interval.high", level="interval.level"),
        **digits(result, p_not_worse="not_worse.value", p_worse="worse.value"),
        **digits(c, "metric", "n", "clusters", "difference"),
        **dict(zip(("candidate", "baseline"), c.systems, strict=True)),
        **dict(zip(("score_candidate", "score_baseline"), (score.value for score in c.scores), strict=True)),
    }
    return doc.Records(COLUMNS, (row,))


def annotation(result: GateResult) -> str:
    """The line that GitHub shows beside the run."""
    # Properties hold neither colons nor commas.
    title = _data(f"outscore gate: {result.outcome}").replace(":", "%3A").replace(",", "%2C")
    return f"::{LEVELS[result.counts_as]} title={title}::{_data(clean(result.verdict))}"


def github_log(result: GateResult) -> str:
    """What goes to the log: the annotation, and the numbers under it."""
    lines = [f"{label}: {text}" for label, text in summary(result)]
    # A line of the log that begins with two colons would be a command.
    return "\n".join([annotation(result), *(f"  {line}" for line in lines)]) + "\n"


def comment(result: GateResult) -> str:
    """A comment for a pull request: ids of items and never their texts, because more people read it than the report."""
    c = result.comparison
    told = textwrap.wrap(clean(result.verdict), COMMENT_WIDTH)
    if (interval := result.interval) is not None:
        told += [
            "",
            drawn_interval(result, interval),
            f"* difference, [ ] {interval_noun(interval)}, | margin, 0 no difference",
        ]
    parts = [MARKER, f"### outscore gate: {result.outcome}", _fenced(told)]
    turn = 1 if c.higher_is_better else -1
    won, lost = ([item.item for item in c.deciding_items if side * turn * item.difference > 0] for side in (1, -1))
    candidate, baseline = c.favoured or (len(won), len(lost))
    parts.append(f"- worse on {_items(lost, baseline)}\n- better on {_items(won, candidate)}")
    if result.needed is not None:
        parts.append(f"Still needed for a decision: {numbers.count(result.needed - c.n, 'more item')} like these.")
    return "\n\n".join(parts) + "\n"


def _fenced(lines: Sequence[str]) -> str:
    """Lines as a block of code, in which nothing is a mention, a link or a tag, whatever the systems are called.

    Examples
    --------
    >>> _fenced(["a", "``` @team"]).splitlines()
    ['```text', 'a', "''' @team", '```']
    """
    return "\n".join(["```text", *(line.replace("```", "'''") for line in lines), "```"])


def _items(ids: Sequence[str], total: int) -> str:
    """How many items, and the ids of those that are known, as code, in which nothing is a mention, a link or a tag.

    Examples
    --------
    >>> _items(["q1", "@team`"], 3)
    "3 items: `q1`, `@team'` and 1 more"
    """
    listed = ", ".join(f"`{clean(one)[:LONGEST_ID].replace('`', chr(39))}`" for one in ids)
    more = f" and {total - len(ids):,} more" if total > len(ids) else ""
    return f"{numbers.count(total, 'item')}: {listed}{more}" if ids else numbers.count(total, "item")


def _data(text: str) -> str:
    """A message as the commands of GitHub take it.

    Examples
    --------
    >>> _data("50% of a::b")
    '50%25 of a::b'
    """
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def junit_xml(result: GateResult) -> str:
    """A test suite of one case; what is inconclusive, and counts as nothing else, was skipped."""
    candidate, baseline = result.comparison.systems
    outcome = result.counts_as
    name = _attribute(f"{candidate} is not worse than {baseline} by {result.margin:g} ({result.comparison.metric})")
    failures, skipped = int(outcome == "fail"), int(outcome == "inconclusive")
    verdict = _attribute(clean(result.headline))
    reason = _text(clean(result.reason))
    body = {
        "pass": [],
        "fail": [f"    <failure message={verdict}>{reason}</failure>"],
        "inconclusive": [f"    <skipped message={verdict}/>"],
    }[outcome]
    out = "\n".join(_text(f"{label}: {text}") for label, text in [("outcome", clean(result.verdict)), *summary(result)])
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites tests="1" failures="{failures}" errors="0" skipped="{skipped}">',
        f'  <testsuite name="outscore gate" tests="1" failures="{failures}" errors="0" skipped="{skipped}">',
        f'  <testcase classname="outscore.gate" name={name}>',
        *body,
        f"    <system-out>{out}</system-out>",
        "  </testcase>",
        "  </testsuite>",
        "</testsuites>",
    ]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    return escape(NOT_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(NOT_XML.sub("\ufffd", clean(text)))


KIND = common.Kind(
    build,
    card,
    {"gate": records},
    "comparison.GATE",
    forms={"github": github_log, "comment": comment, "junit": junit_xml},
    screen=screen,
    lines=lines,
)
