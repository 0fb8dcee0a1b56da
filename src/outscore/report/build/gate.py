"""The document of a gate: the outcome, what it rests on, and the comparison behind it."""

from __future__ import annotations

from dataclasses import replace

from outscore.language.numbers import format_p
from outscore.report.build import comparison
from outscore.report.build.common import charts_section, facts_block, paper, read_as, settings, warnings_of
from outscore.report.build.kind import Kind
from outscore.report.charts.gate import charts
from outscore.report.charts.theme import stylesheet
from outscore.report.ci import github_log, junit_xml
from outscore.report.document import Article, Block, Document, Listing, Paragraph, Section, Verdict, clean
from outscore.report.rows.gate import facts, records, summary, table
from outscore.results.comparison import Comparisons
from outscore.results.gate import GateResult
from outscore.results.note import note_texts

BEHIND = "The comparison behind the gate, candidate as A and baseline as B; its p tests whether the candidate is worse."


def build(result: GateResult) -> Document:
    """The outcome first, then the comparison in full."""
    c = result.comparison
    title = clean(result.headline)
    sections = (
        Section("answer", "", lambda: [_verdict(result), *warnings_of(c.notes), *read_as(c.reading, c.notes)]).but("latex"),
        Section("table", "", lambda: [table(result)]).only("latex", "markdown"),
        charts_section(lambda: charts(result)),
        Section("grounds", "What decided the outcome", lambda: [facts_block(facts(result))]).but("latex"),
        paper(result.sentence, str(c.signature)),
        settings(result.settings, "gate-settings"),
    )
    behind = comparison.build(Comparisons([c], {"alpha": result.alpha}))
    shown = [
        replace(article, key=f"behind-{i}", depth=2).full().only("html", "markdown")
        for i, article in enumerate(behind.articles)
    ]
    intro = Article("behind", "The comparison", (Section("behind", "", lambda: [Paragraph(BEHIND)]),), depth=2)
    articles = (Article("", title, sections), intro.full().only("html", "markdown"), *shown)
    return Document(title, articles, style=stylesheet)


def card(result: GateResult) -> Document:
    """The outcome alone, for notebooks."""

    def blocks() -> list[Block]:
        notes = tuple(clean(note) for note in note_texts(result.notes))
        listed: list[Block] = [_verdict(result), *read_as(result.comparison.reading), table(result)]
        return [*listed, *([Listing("notes", notes)] if notes else [])]

    return Document(clean(result.headline), (Article("", "", (Section("card", "", blocks),)),))


def _verdict(result: GateResult) -> Verdict:
    headline, reason = clean(result.headline), clean(result.reason)
    statements = dict(summary(result))
    numbers = [statements[name] for name in ("difference", "interval") if name in statements]
    line = (", ".join(numbers), f"not worse: {format_p(result.not_worse, brief=True)}")
    verdict = Verdict((clean(result.verdict),), headline, reason, "Gate", strong=headline, plain=(reason,), line=line)
    return replace(verdict, tone="won") if result.outcome == "pass" else verdict


KIND = Kind(build, card, {"gate": records}, charts, forms={"github": github_log, "junit": junit_xml})
