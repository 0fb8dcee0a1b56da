"""The document of a printed table: which pairs differ in every case, and how many items there may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from outscore.report.build.common import facts_block, read_as, settings
from outscore.report.build.kind import Kind
from outscore.report.charts.theme import stylesheet
from outscore.report.document import Article, Block, Code, Document, Section, Verdict, clean
from outscore.report.rows.possible import facts, pair_table, records, score_table
from outscore.results.possible import PossibleTable

TITLE = "What a printed table implies"
MAX_SHOWN = 30
"""How many pairs one screen shows."""


def build(printed: PossibleTable) -> Document:
    """The whole answer."""
    signature = Section("signature", "Signature", lambda: [Code(clean(str(printed.signature)))], joined=True)
    sections = (
        Section("answer", "", lambda: [_verdict(printed), *read_as(printed.reading, printed.notes)]),
        Section("scores", "", lambda: [score_table(printed)]),
        Section("pairs", "", lambda: _pairs(printed)),
        Section("facts", "", lambda: [facts_block(facts(printed))]).but("latex"),
        signature,
        settings(printed.settings, "possible-settings"),
    )
    return Document(TITLE, (Article("", TITLE, sections),), style=stylesheet)


def _pairs(printed: PossibleTable) -> Iterable[Block]:
    if printed.pairs:
        whole = replace(pair_table(printed), label="possible-pairs")
        yield pair_table(printed, MAX_SHOWN).only("text").brief()
        yield whole.only("text").full()
        yield whole.but("text")


def card(printed: PossibleTable) -> Document:
    """The answer and its table, for notebooks."""
    table = pair_table(printed, MAX_SHOWN) if printed.pairs else score_table(printed)
    return Document("", (Article("", "", (Section("card", "", lambda: [_verdict(printed), table]),)),))


def _verdict(printed: PossibleTable) -> Verdict:
    top, reason = clean(printed.headline), clean(printed.reason)
    return Verdict((clean(printed.verdict),), top, reason, TITLE, plain=(clean(printed.verdict),), tone="told")


KIND = Kind(build, card, {"pairs": records})
