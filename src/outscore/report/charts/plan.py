"""Pictures of a plan: power against items, items against the difference, and p against the overlap of two systems' errors."""

from __future__ import annotations

from outscore.language.numbers import format_level, format_probability
from outscore.language.verdict.plan import truth
from outscore.report.charts import canvas
from outscore.report.charts.canvas import Chart
from outscore.report.charts.theme import COLOURS
from outscore.report.rows.plan import Plan, difference
from outscore.results.analysis import PowerPoint
from outscore.results.plan import PlanResult, PossibleP, SimulatedCurve


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
        f"Power of the {curve.test} test, {kind}, with 95 % bands; the dashed line is your {curve.observed_n:,} {curve.unit}"
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
    unit = {"sd": "difference in the mean score", "discordance": "difference in accuracy", "standardised": "effect in sd"}
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
