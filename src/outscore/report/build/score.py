"""The document of single systems' scores: the scores, what they can tell, and what they rest on."""

from __future__ import annotations

from dataclasses import replace

from outscore.language.numbers import count, format_ends, format_number, format_percent
from outscore.language.verdict.score import score_decimals
from outscore.report.build.common import charts_section, facts_block, folded, paper, read_as, settings, warnings_of, works
from outscore.report.build.kind import Kind
from outscore.report.charts.score import charts
from outscore.report.charts.theme import stylesheet
from outscore.report.document import Article, Block, Card, Cards, Document, Listing, Section, Verdict, clean
from outscore.report.references.citations import cited_by_scores
from outscore.report.rows.score import facts, interval_name, parts, records, scores
from outscore.results.note import note_texts
from outscore.results.score import ScoreResult

__all__ = ["KIND", "build", "card"]

MAX_OPEN_ROWS = 30
MAX_CARDS = 4


def build(found: ScoreResult) -> Document:
    """All scores."""
    title = clean(f"{count(len(found.systems), 'system')} by {found.metric}")
    sections = (
        Section("answer", "", lambda: [_verdict(found), *_above(found), _cards(found)]).but("latex"),
        Section("scores", "Scores", lambda: [scores(found)]),
        Section("parts", "Parts", lambda: [folded(table, MAX_OPEN_ROWS) for table in parts(found)]),
        charts_section(lambda: charts(found)),
        Section("grounds", "What they can tell, and what they rest on", lambda: [facts_block(facts(found))]).but("latex"),
        paper(found.sentence, str(found.signature)),
        works(lambda: cited_by_scores(found)),
        settings(found.settings, "score-settings"),
    )
    return Document(title, (Article("", title, sections),), style=stylesheet)


def card(found: ScoreResult) -> Document:
    """The scores alone, for notebooks."""

    def blocks() -> list[Block]:
        notes = tuple(clean(note) for note in note_texts(found.notes))
        told: list[Block] = [_verdict(found), *read_as(found.reading), scores(found)]
        return [*told, *([Listing("notes", notes)] if notes else [])]

    return Document(clean(found.headline), (Article("", "", (Section("card", "", blocks),)),))


def _above(found: ScoreResult) -> list[Block]:
    return [*warnings_of(found.notes), *read_as(found.reading, found.notes)]


def _verdict(found: ScoreResult) -> Verdict:
    headline, reason = clean(found.headline), clean(found.reason)
    told = Verdict((clean(found.verdict),), headline, reason, "Scores", strong=headline, plain=(reason,), tone="told")
    first = found.systems[0]
    if len(found.systems) > 1 or first.low is None:
        return told
    ends = format_ends(first.low, first.high, score_decimals(found.systems))
    return replace(told, line=(f"{interval_name(found)} {ends}",))


def _cards(found: ScoreResult) -> Cards:
    """The first scores, and what the test set can detect."""
    decimals = score_decimals(found.systems)
    cards = []
    for one in found.systems[:MAX_CARDS]:
        ends = () if one.low is None else (f"{interval_name(found)} {format_ends(one.low, one.high, decimals)}",)
        cards.append(Card(clean(one.system), format_number(one.value, decimals), (clean(found.metric), *ends), "a"))
    reach = found.systems[0].detectable
    if len(found.systems) == 1 and reach is not None and reach.correlated is not None:
        told = (f"if item scores correlate by {reach.correlation:.2g}", f"power {format_percent(reach.power)}")
        cards.append(Card("smallest detectable difference", format_number(reach.correlated, decimals), told))
    return Cards(tuple(cards)).only("html")


KIND = Kind(build, card, {"scores": records}, charts)
