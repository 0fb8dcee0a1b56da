"""The document of single systems' scores: the scores, what they can show, and what they rest on."""

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
from outscore.report.rows.columns import interval_head
from outscore.report.rows.score import facts, parts, records, scores
from outscore.results.note import note_texts
from outscore.results.score import ScoreResult

MAX_OPEN_ROWS = 30
MAX_CARDS = 4


def build(result: ScoreResult) -> Document:
    """All scores."""
    title = clean(f"{count(len(result.systems), 'system')} by {result.metric}")
    sections = (
        Section("answer", "", lambda: [_verdict(result), *_above(result), _cards(result)]).but("latex"),
        Section("scores", "Scores", lambda: [scores(result)]),
        Section("parts", "Parts", lambda: [folded(table, MAX_OPEN_ROWS) for table in parts(result)]),
        charts_section(lambda: charts(result)),
        Section("grounds", "What they can show, and what they rest on", lambda: [facts_block(facts(result))]).but("latex"),
        paper(result.sentence, str(result.signature)),
        works(lambda: cited_by_scores(result)),
        settings(result.settings, "score-settings"),
    )
    return Document(title, (Article("", title, sections),), style=stylesheet)


def card(result: ScoreResult) -> Document:
    """The scores alone, for notebooks."""

    def blocks() -> list[Block]:
        notes = tuple(clean(note) for note in note_texts(result.notes))
        listed: list[Block] = [_verdict(result), *read_as(result.reading), scores(result)]
        return [*listed, *([Listing("notes", notes)] if notes else [])]

    return Document(clean(result.headline), (Article("", "", (Section("card", "", blocks),)),))


def _above(result: ScoreResult) -> list[Block]:
    return [*warnings_of(result.notes), *read_as(result.reading, result.notes)]


def _verdict(result: ScoreResult) -> Verdict:
    headline, reason = clean(result.headline), clean(result.reason)
    verdict = Verdict((clean(result.verdict),), headline, reason, "Scores", strong=headline, plain=(reason,), tone="told")
    first = result.systems[0]
    if len(result.systems) > 1 or first.low is None:
        return verdict
    ends = format_ends(first.low, first.high, score_decimals(result.systems))
    return replace(verdict, line=(f"{interval_head(result.alpha)} {ends}",))


def _cards(result: ScoreResult) -> Cards:
    """The first scores, and what the test set can detect."""
    decimals = score_decimals(result.systems)
    cards = []
    for one in result.systems[:MAX_CARDS]:
        ends = () if one.low is None else (f"{interval_head(result.alpha)} {format_ends(one.low, one.high, decimals)}",)
        metric = f"macro-averaged {result.metric}" if result.macro else result.metric
        cards.append(Card(clean(one.system), format_number(one.value, decimals), (clean(metric), *ends), "a"))
    reach = result.systems[0].detectable
    if len(result.systems) == 1 and reach is not None and reach.correlated is not None:
        conditions = (f"if item scores correlate at {reach.correlation:.2g}", f"power {format_percent(reach.power)}")
        cards.append(Card("smallest detectable difference", format_number(reach.correlated, decimals), conditions))
    return Cards(tuple(cards)).only("html")


KIND = Kind(build, card, {"scores": records}, charts)
