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
from outscore.report.rows.columns import texts
from outscore.report.rows.plan import Plan, difference, facts, headline, number, plan_records, shown_tables, tables, title
from outscore.results.note import note_texts
from outscore.results.plan import PlanResult, PossibleP


def build(plan: Plan) -> Document:
    """The whole plan."""
    signature = Section("signature", "Signature", lambda: [Code(clean(str(plan.signature)))], joined=True)
    sections = (
        Section("answer", "", lambda: [_verdict(plan), *_data(plan), _cards(plan)]),
        charts_section(lambda: charts(plan)),
        Section("grounds", "Method and assumptions", lambda: [facts_block(facts(plan)), *_tables(plan, "html")]).but("latex"),
        # On a screen, the signature is among the other statements.
        signature.only("text"),
        Section("tables", "", lambda: _tables(plan, "text", "markdown", "latex")),
        settings(plan.settings, "plan-settings").only("markdown"),
        signature.but("text"),
        works(lambda: cited_by_plan(plan)),
        settings(plan.settings, "plan-settings").but("markdown"),
    )
    return Document(title(plan), (Article("", title(plan), sections),), style=stylesheet)


def _verdict(plan: Plan) -> Verdict:
    top, reason = headline(plan)
    return Verdict((plan.verdict,), top, reason, title(plan), plain=(plan.verdict,), tone="told")


def _data(plan: Plan) -> list[Block]:
    """How a pilot was interpreted."""
    return read_as(plan.reading, plan.notes) if isinstance(plan, PlanResult) else []


def _tables(plan: Plan, *forms: str) -> Iterable[Block]:
    """All curves; a brief text shows the simulated ones, or the main points of the computed ones."""
    labelled = [replace(table, label=f"plan-{table.key}") for table in tables(plan)]
    yield from (table.only("html") for table in labelled if "html" in forms)
    if "text" in forms:
        yield from (table.only("text").brief() for table in shown_tables(plan))
        yield from (table.only("text").full() for table in labelled)
        yield from (table.only("markdown", "latex") for table in labelled)


def _cards(plan: Plan) -> Cards:
    """The numbers everybody looks for first."""
    if isinstance(plan, PossibleP):
        low, high = (format_p_number(p, plan.alpha) for p in (plan.lowest, plan.highest))
        limit = "none" if plan.significant_up_to is None else f"{plan.significant_up_to:,}"
        cards = (
            Card("lowest p", low, (f"they differ on {plan.discordant[0]:,} items",)),
            Card("highest p", high, (f"they differ on {plan.discordant[1]:,} items",)),
            Card("items they may differ on", limit, (f"for p <= {format_level(plan.alpha)}",)),
        )
    else:
        unit = {"sd": "in the mean score", "discordance": "in accuracy", "standardised": "in standard deviations"}
        level = f"{plan.design.alternative}, alpha = {format_level(plan.design.alpha)}"
        cards = (
            Card("items", f"{plan.items:,}", ("given" if plan.question != "items" else "to collect",)),
            Card("difference", difference(plan), (unit[plan.design.basis],)),
            Card("power", number(plan.power).removeprefix("0"), (level,)),
        )
        if plan.costs is not None:
            cost = Card("cost", f"{plan.costs.cost:,.2f}", (f"runs per system and item: {plan.design.repeats}",))
            return Cards((*cards, cost)).only("html")
    return Cards(cards).only("html")


def card(plan: Plan) -> Document:
    """The answer and what it rests on, for notebooks."""
    rows = _planned(plan) if isinstance(plan, PlanResult) else _possible(plan)
    return card_document(plan.verdict, "", card_table(texts(*[""] * len(rows[0])), rows), note_texts(plan.notes))


def _planned(plan: PlanResult) -> list[tuple[str, ...]]:
    return [
        ("items", f"{plan.items:,}"),
        ("effect", format_number(plan.effect)),
        ("power", format_probability(plan.power)),
        ("alpha", f"{format_level(plan.design.alpha)}, {plan.design.alternative}"),
        ("method", plan.method),
    ]


def _possible(plan: PossibleP) -> list[tuple[str, ...]]:
    return [
        ("lowest", format_p(plan.lowest), f"they differ on {plan.discordant[0]:,} items"),
        ("highest", format_p(plan.highest), f"they differ on {plan.discordant[1]:,} items"),
        ("independent errors", format_p(plan.independent), ""),
    ]


KIND = Kind(build, card, {"plan": plan_records}, charts)
