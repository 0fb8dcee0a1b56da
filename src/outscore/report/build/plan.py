"""The document of a plan: the answer first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from outscore.language.numbers import format_level, format_number, format_p, format_probability
from outscore.report.build.common import (
    Kind,
    Line,
    bare,
    card_document,
    card_table,
    drawn,
    facts_block,
    glossary,
    illustrated,
    on_screen,
    read_as,
    settings,
    short_read_as,
    warnings_on_screen,
    works,
)
from outscore.report.citations import cited_by_plan
from outscore.report.document import Article, Block, Code, Document, Screen, Section, Verdict, clean
from outscore.report.rows.columns import texts
from outscore.report.rows.plan import (
    Plan,
    asked_tables,
    facts,
    headline,
    near_points,
    plan_records,
    shown_tables,
    tables,
    title,
)
from outscore.results.note import ON_SCREEN, note_texts
from outscore.results.plan import PlanResult, PossibleP


def build(plan: Plan) -> Document:
    """The whole plan."""
    signature = Section("signature", "Signature", lambda: [Code(clean(str(plan.signature)))], joined=True)
    told = Section("answer", "", lambda: [_verdict(plan), *_data(plan)])
    answer, pictures = illustrated(told, partial(drawn, "plan", plan), "overlaps" if isinstance(plan, PossibleP) else "power")
    sections = (
        answer,
        pictures,
        Section("grounds", "Method and assumptions", lambda: [facts_block(facts(plan)), *_tables(plan, "html")]).but("latex"),
        # On a screen, the signature is among the other statements.
        signature.only("text"),
        Section("tables", "", lambda: _tables(plan, "text", "markdown", "latex")),
        settings(plan.settings, "plan-settings").only("markdown"),
        signature.but("text"),
        works(lambda: cited_by_plan(plan)),
        glossary(),
        settings(plan.settings, "plan-settings").but("markdown"),
    )
    return Document(title(plan), (Article("", title(plan), sections),))


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


def screen(plan: Plan) -> Screen:
    """The answer, a few points of its curves, what it rests on, and the tables that were asked for."""
    found = {fact.label: fact for fact in facts(plan)}
    if isinstance(plan, PossibleP):
        told = tuple(found[label] for label in ("scores", "lowest p", "independent", "highest p", "test"))
        return Screen(clean(plan.verdict), told, warnings_on_screen(plan.notes), tone="told")
    basis = tuple(found[label] for label in ("method", "spread", "clusters", "simulated") if label in found)
    early = ("any time", found["any time"].lines[:1] if "any time" in found else ())
    noted = [clean(note.text) for note in plan.notes if note.kind not in ON_SCREEN]
    return Screen(
        clean(plan.verdict),
        (*on_screen(*near_points(plan), early), *basis, *on_screen(("read as", short_read_as(plan.reading)), ("notes", noted))),
        warnings_on_screen(plan.notes),
        tuple(bare(table, title=table.title) for table in asked_tables(plan)),
        "told",
    )


def lines(plan: Plan) -> list[Line]:
    """The answer as keys and values."""
    if isinstance(plan, PossibleP):
        return [
            {"lowest": plan.lowest.value, "independent": plan.independent.value, "highest": plan.highest.value, "n": plan.n}
        ]
    return [{"items": plan.items, "effect": plan.effect, "power": plan.power, "alpha": plan.design.alpha}]


KIND = Kind(build, card, {"plan": plan_records}, "plan", screen=screen, lines=lines)
