"""The document of a plan: the answer first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from outscore.language.numbers import format_level, format_number, format_p, format_p_number, format_probability
from outscore.report.build.common import card_document, card_table, charts_section, facts_block, read_as, settings, works
from outscore.report.build.kind import Kind
from outscore.report.charts.plan import charts
from outscore.report.charts.theme import stylesheet
from outscore.report.document import Article, Block, Card, Cards, Code, Document, Section, Verdict, clean
from outscore.report.references.citations import cited_by_plan
from outscore.report.rows.plan import Plan, difference, facts, headline, number, plan_records, shown_tables, tables, title
from outscore.results.note import note_texts
from outscore.results.plan import PlanResult, PossibleP

__all__ = ["KIND", "build", "card"]


def build(found: Plan) -> Document:
    """The whole plan."""
    signature = Section("signature", "Signature", lambda: [Code(clean(str(found.signature)))], joined=True)
    sections = (
        Section("answer", "", lambda: [_verdict(found), *_data(found), _cards(found)]),
        charts_section(lambda: charts(found)),
        Section("grounds", "Method and assumptions", lambda: [facts_block(facts(found)), *_tables(found, "html")]).but("latex"),
        # On a screen the signature stands with the other statements.
        signature.only("text"),
        Section("tables", "", lambda: _tables(found, "text", "markdown", "latex")),
        settings(found.settings, "plan-settings").only("markdown"),
        signature.but("text"),
        works(lambda: cited_by_plan(found)),
        settings(found.settings, "plan-settings").but("markdown"),
    )
    return Document(title(found), (Article("", title(found), sections),), style=stylesheet)


def _verdict(found: Plan) -> Verdict:
    top, reason = headline(found)
    return Verdict((found.verdict,), top, reason, title(found), plain=(found.verdict,), tone="told")


def _data(found: Plan) -> list[Block]:
    """What a pilot was taken to mean."""
    return read_as(found.reading, found.notes) if isinstance(found, PlanResult) else []


def _tables(found: Plan, *forms: str) -> Iterable[Block]:
    """All curves; a brief text shows the tried-out ones, or the main points of the computed ones."""
    made = [replace(table, label=f"plan-{table.key}") for table in tables(found)]
    yield from (table.only("html") for table in made if "html" in forms)
    if "text" in forms:
        yield from (table.only("text").brief() for table in shown_tables(found))
        yield from (table.only("text").full() for table in made)
        yield from (table.only("markdown", "latex") for table in made)


def _cards(found: Plan) -> Cards:
    """The numbers everybody looks for first."""
    if isinstance(found, PossibleP):
        low, high = (format_p_number(p, found.alpha) for p in (found.lowest, found.highest))
        limit = "none" if found.significant_up_to is None else f"{found.significant_up_to:,}"
        cards = (
            Card("lowest p", low, (f"they differ on {found.discordant[0]:,} items",)),
            Card("highest p", high, (f"they differ on {found.discordant[1]:,} items",)),
            Card("items they may differ on", limit, (f"for p <= {format_level(found.alpha)}",)),
        )
    else:
        unit = {"sd": "in the mean score", "discordance": "in accuracy", "standardised": "in standard deviations"}
        level = f"{found.design.alternative}, alpha = {format_level(found.design.alpha)}"
        cards = (
            Card("items", f"{found.items:,}", ("asked for" if found.question != "items" else "to collect",)),
            Card("difference", difference(found), (unit[found.design.basis],)),
            Card("power", number(found.power).removeprefix("0"), (level,)),
        )
        if found.costs is not None:
            cost = Card("cost", f"{found.costs.cost:,.2f}", (f"runs of each system per item: {found.design.repeats}",))
            return Cards((*cards, cost)).only("html")
    return Cards(cards).only("html")


def card(found: Plan) -> Document:
    """The answer and what it rests on, for notebooks."""
    rows = _planned(found) if isinstance(found, PlanResult) else _possible(found)
    return card_document(found.verdict, "", card_table((), rows), note_texts(found.notes))


def _planned(plan: PlanResult) -> list[tuple[str, ...]]:
    return [
        ("items", f"{plan.items:,}"),
        ("effect", format_number(plan.effect)),
        ("power", format_probability(plan.power)),
        ("alpha", f"{format_level(plan.design.alpha)}, {plan.design.alternative}"),
        ("method", plan.method),
    ]


def _possible(found: PossibleP) -> list[tuple[str, ...]]:
    return [
        ("lowest", format_p(found.lowest), f"they differ on {found.discordant[0]:,} items"),
        ("highest", format_p(found.highest), f"they differ on {found.discordant[1]:,} items"),
        ("independent errors", format_p(found.independent), ""),
    ]


KIND = Kind(build, card, {"plan": plan_records}, charts)
