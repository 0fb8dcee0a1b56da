"""The document of a plan: the answer first, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from outscore.language.numbers import format_level, format_number, format_p, format_probability
from outscore.language.verdict.plan import scored, truth
from outscore.report.build.common import (
    Kind,
    Line,
    bare,
    card_document,
    card_table,
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
from outscore.report.charts import canvas
from outscore.report.charts.canvas import COLOURS, Chart, stylesheet
from outscore.report.citations import cited_by_plan
from outscore.report.document import Article, Block, Code, Document, Screen, Section, Verdict, clean
from outscore.report.rows.columns import texts
from outscore.report.rows.plan import (
    Plan,
    asked_tables,
    difference,
    facts,
    headline,
    near_points,
    plan_records,
    shown_tables,
    tables,
    title,
)
from outscore.results.analysis import PowerPoint
from outscore.results.note import ON_SCREEN, note_texts
from outscore.results.plan import PlanResult, PossibleP, SimulatedCurve


def build(plan: Plan) -> Document:
    """The whole plan."""
    signature = Section("signature", "Signature", lambda: [Code(clean(str(plan.signature)))], joined=True)
    told = Section("answer", "", lambda: [_verdict(plan), *_data(plan)])
    answer, pictures = illustrated(told, lambda: charts(plan), "overlaps" if isinstance(plan, PossibleP) else "power")
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


def charts(plan: Plan) -> list[Chart]:
    """All charts that the plan has data for."""
    canvas.require_drawing()
    if isinstance(plan, PossibleP):
        drawn = [_overlap_chart(plan)]
    else:
        drawn = [_power_chart(plan), _needs_chart(plan), *(_tried_chart(curve) for curve in plan.retrospective)]
    return [chart for chart in drawn if chart is not None]


def _power_chart(plan: PlanResult) -> Chart | None:
    if len(plan.curve) < 2:
        return None
    asked = f"Power to detect a difference of {difference(plan)}"
    if plan.design.margin is not None:
        asked = f"Chance to pass {truth(plan)}"
    caption = f"{asked}; the dashed line is {plan.items:,} items"
    drawing = canvas.power_curve(plan.curve, plan.items, "items", plan.target)
    return Chart("power", caption, _in_words(caption, plan.curve), drawing, canvas.power_rows(plan.curve, "items"))


def _tried_chart(curve: SimulatedCurve) -> Chart | None:
    if len(curve.points) < 2:
        return None
    kind = {"normal": "normal samples", "bootstrap": "samples of the pilot"}[curve.kind]
    caption = (
        f"Power of the {curve.test} test, {kind}, with 95% bands; the dashed line is your {curve.observed_n:,} {curve.unit}"
    )
    drawing = canvas.power_curve(curve.points, curve.observed_n, curve.unit, None)
    return Chart(
        f"tried-{curve.kind}", caption, _in_words(caption, curve.points), drawing, canvas.power_rows(curve.points, curve.unit)
    )


def _in_words(caption: str, points: list[PowerPoint]) -> str:
    """A curve of power in words: where it begins and where it ends."""
    ends = " and ".join(f"{format_probability(point.power, 2)} with {point.n:,}" for point in (points[0], points[-1]))
    return f"{caption}. Power is {ends}."


def _needs_chart(plan: PlanResult) -> Chart | None:
    if len(plan.needs) < 2:
        return None
    import altair as alt

    rows = [{"effect": abs(point.effect), "items": point.items} for point in plan.needs]
    shown = [
        row | {"hover": canvas.hover_text(f"{row['items']:,} items for {difference(plan, row['effect'])}")} for row in rows
    ]
    unit = {"sd": f"difference in {scored(plan)}", "discordance": "difference in accuracy", "standardised": "effect in sd"}
    x = alt.X("effect:Q", title=unit[plan.design.basis], **canvas.scaled([row["effect"] for row in rows], "~g"))
    y = alt.Y("items:Q", title="items", **canvas.scaled([row["items"] for row in rows]))
    point = {"color": COLOURS["ink"], "filled": True}
    line = alt.Chart(canvas.data(rows)).mark_line(color=COLOURS["ink"], strokeWidth=2.5, interpolate="monotone", point=point)
    caption = f"Items needed for smaller and larger differences (power {format_level(plan.target)})"
    ends = (rows[0], rows[-1])
    text = f"{caption}: " + ", ".join(f"{row['items']:,} items for {difference(plan, row['effect'])}" for row in ends) + "."
    return Chart("needs", caption, text, canvas.layered([line.encode(x, y), canvas.points_under(shown, x, y)]), rows)


def _overlap_chart(plan: PossibleP) -> Chart | None:
    if len(plan.curve) < 2:
        return None
    import altair as alt

    rows = [{"differ": point.differ, "p": point.p} for point in plan.curve]
    x = alt.X("differ:Q", title="items they differ on", **canvas.scaled([row["differ"] for row in rows]))
    y = alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    line = alt.Chart(canvas.data(rows)).mark_line(color=COLOURS["ink"], strokeWidth=2.5).encode(x, y)
    shown = [
        row | {"hover": canvas.hover_text(f"{point.differ:,} items differ: p = {format_probability(point.p)}")}
        for row, point in zip(rows, plan.curve, strict=True)
    ]
    caption = f"p against the number of items they differ on; the dotted line is alpha = {format_level(plan.alpha)}"
    ends = " and ".join(f"{format_probability(q.p)} with {q.differ:,}" for q in (plan.curve[0], plan.curve[-1]))
    return Chart(
        "overlaps",
        caption,
        f"{caption}. p is {ends}.",
        canvas.layered([*canvas.alpha_line(plan.alpha), line, canvas.points_under(shown, x, y)]),
        rows,
    )


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


KIND = Kind(build, card, {"plan": plan_records}, charts, screen=screen, lines=lines)
