"""The document of a printed table: which pairs differ whatever the data are, and how many items there may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from outscore.report.build.common import facts_block, read_as, settings
from outscore.report.build.kind import Kind
from outscore.report.charts.theme import stylesheet
from outscore.report.document import Article, Block, Code, Document, Section, Verdict, clean
from outscore.report.rows.possible import facts, pair_table, records, score_table
from outscore.results.possible import PossibleTable

__all__ = ["KIND", "build", "card"]

TITLE = "What a printed table allows"
MAX_SHOWN = 30
"""Pairs that one screen shows."""


def build(found: PossibleTable) -> Document:
    """The whole answer."""
    signature = Section("signature", "Signature", lambda: [Code(clean(str(found.signature)))], joined=True)
    sections = (
        Section("answer", "", lambda: [_verdict(found), *read_as(found.reading, found.notes)]),
        Section("scores", "", lambda: [score_table(found)]),
        Section("pairs", "", lambda: _pairs(found)),
        Section("facts", "", lambda: [facts_block(facts(found))]).but("latex"),
        signature,
        settings(found.settings, "possible-settings"),
    )
    return Document(TITLE, (Article("", TITLE, sections),), style=stylesheet)


def _pairs(found: PossibleTable) -> Iterable[Block]:
    if found.pairs:
        whole = replace(pair_table(found), label="possible-pairs")
        yield pair_table(found, MAX_SHOWN).only("text").brief()
        yield whole.only("text").full()
        yield whole.but("text")


def card(found: PossibleTable) -> Document:
    """The answer and its table, for notebooks."""
    table = pair_table(found, MAX_SHOWN) if found.pairs else score_table(found)
    return Document("", (Article("", "", (Section("card", "", lambda: [_verdict(found), table]),)),))


def _verdict(found: PossibleTable) -> Verdict:
    top, reason = clean(found.headline), clean(found.reason)
    return Verdict((clean(found.verdict),), top, reason, TITLE, plain=(clean(found.verdict),), tone="told")


KIND = Kind(build, card, {"pairs": records})
