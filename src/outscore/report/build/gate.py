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

__all__ = ["KIND", "build", "card"]

BEHIND = "The comparison behind the gate, the candidate as A and the baseline as B; its p asks whether the candidate is worse."


def build(found: GateResult) -> Document:
    """The outcome first, then the comparison in full."""
    c = found.comparison
    title = clean(found.headline)
    sections = (
        Section("answer", "", lambda: [_verdict(found), *warnings_of(c.notes), *read_as(c.reading, c.notes)]).but("latex"),
        Section("table", "", lambda: [table(found)]).only("latex", "markdown"),
        charts_section(lambda: charts(found)),
        Section("grounds", "What decided", lambda: [facts_block(facts(found))]).but("latex"),
        paper(found.sentence, str(c.signature)),
        settings(found.settings, "gate-settings"),
    )
    behind = comparison.build(Comparisons([c], {"alpha": found.alpha}))
    shown = [
        replace(article, key=f"behind-{i}", depth=2).full().only("html", "markdown")
        for i, article in enumerate(behind.articles)
    ]
    intro = Article("behind", "The comparison", (Section("behind", "", lambda: [Paragraph(BEHIND)]),), depth=2)
    articles = (Article("", title, sections), intro.full().only("html", "markdown"), *shown)
    return Document(title, articles, style=stylesheet)


def card(found: GateResult) -> Document:
    """The outcome alone, for notebooks."""

    def blocks() -> list[Block]:
        notes = tuple(clean(note) for note in note_texts(found.notes))
        told: list[Block] = [_verdict(found), *read_as(found.comparison.reading), table(found)]
        return [*told, *([Listing("notes", notes)] if notes else [])]

    return Document(clean(found.headline), (Article("", "", (Section("card", "", blocks),)),))


def _verdict(found: GateResult) -> Verdict:
    headline, reason = clean(found.headline), clean(found.reason)
    said = dict(summary(found))
    numbers = [said[name] for name in ("difference", "interval") if name in said]
    line = (", ".join(numbers), f"not worse: {format_p(found.not_worse, brief=True)}")
    told = Verdict((clean(found.verdict),), headline, reason, "Gate", strong=headline, plain=(reason,), line=line)
    return replace(told, tone="won") if found.outcome == "pass" else told


KIND = Kind(build, card, {"gate": records}, charts, forms={"github": github_log, "junit": junit_xml})
