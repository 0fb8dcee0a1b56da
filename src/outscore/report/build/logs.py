"""The document of a listing of logs: what was found, every score, and the command that comes next."""

from __future__ import annotations

from outscore.report.build.common import facts_block, settings
from outscore.report.build.kind import Kind
from outscore.report.charts.theme import stylesheet
from outscore.report.document import Article, Document, Section, Verdict, clean
from outscore.report.rows.logs import facts, records, scores
from outscore.results.logs import Logs


def build(logs: Logs) -> Document:
    """The whole listing."""
    sections = (
        Section("answer", "", lambda: [_verdict(logs)]),
        Section("scores", "", lambda: [scores(logs)]),
        Section("facts", "", lambda: [facts_block(facts(logs))]).but("latex"),
        settings(logs.settings, "logs-settings"),
    )
    return Document("Contents of the logs", (Article("", "Contents of the logs", sections),), style=stylesheet)


def card(logs: Logs) -> Document:
    """The scores alone, for notebooks."""
    return Document("", (Article("", "", (Section("card", "", lambda: [_verdict(logs), scores(logs)]),)),))


def _verdict(logs: Logs) -> Verdict:
    line = clean(logs.verdict)
    return Verdict((line,), line.removesuffix("."), tone="told")


KIND = Kind(build, card, {"scores": records})
