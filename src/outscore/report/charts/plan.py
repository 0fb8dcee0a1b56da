"""Charts of a plan: power over items, items over differences, and p over the overlap of errors."""

from __future__ import annotations

from functools import partial
from typing import Literal

import altair as alt

from outscore.language.numbers import format_level, format_probability
from outscore.language.verdict.plan import scored, truth
from outscore.report.charts import canvas
from outscore.report.charts.canvas import Chart
from outscore.report.palette import COLOURS
from outscore.report.rows.plan import Plan, difference
from outscore.results.plan import PossibleP

KINDS = {"normal": "normal samples", "bootstrap": "samples of the pilot"}
UNITS = {"sd": "difference in {}", "discordance": "difference in accuracy", "standardised": "effect in sd"}
"""What the axis of differences is called, by what a plan starts from."""


def power_chart(plan: Plan) -> Chart | None:
    """Power over the number of items."""
    if isinstance(plan, PossibleP):
        return None
    asked = f"Power to detect a difference of {difference(plan)}"
    if plan.design.margin is not None:
        asked = f"Chance to pass {truth(plan)}"
    caption = f"{asked}; the dashed line is {plan.items:,} items"
    return canvas.power_chart("power", caption, plan.curve, "items", marked=plan.items, target=plan.target)


def tried_chart(kind: Literal["normal", "bootstrap"], plan: Plan) -> Chart | None:
    """Power that was simulated from a pilot, in one of two ways."""
    curves = [] if isinstance(plan, PossibleP) else plan.retrospective
    curve = next((curve for curve in curves if curve.kind == kind), None)
    if curve is None:
        return None
    observed = f"the dashed line is your {curve.observed_n:,} {curve.unit}"
    caption = f"Power of the {curve.test} test, {KINDS[kind]}, with 95% bands; {observed}"
    return canvas.power_chart(f"tried-{kind}", caption, curve.points, curve.unit, marked=curve.observed_n)


def needs_chart(plan: Plan) -> Chart | None:
    """The items that smaller and larger differences need."""
    if isinstance(plan, PossibleP) or len(plan.needs) < 2:
        return None
    rows = [{"effect": abs(point.effect), "items": point.items} for point in plan.needs]
    needed = [f"{row['items']:,} items for {difference(plan, row['effect'])}" for row in rows]
    title = UNITS[plan.design.basis].format(scored(plan))
    x = alt.X("effect:Q", title=title, **canvas.scaled([row["effect"] for row in rows], "~g"))
    y = alt.Y("items:Q", title="items", **canvas.scaled([row["items"] for row in rows]))
    shown = [row | {"hover": hover} for row, hover in zip(rows, needed, strict=True)]
    drawing = canvas.curve(shown, x, y, interpolate="monotone", point={"color": COLOURS["ink"], "filled": True})
    caption = f"Items needed for smaller and larger differences (power {format_level(plan.target)})"
    return Chart("needs", caption, f"{caption}: {needed[0]}, {needed[-1]}.", drawing, rows)


def overlap_chart(plan: Plan) -> Chart | None:
    """p over the number of items on which two systems differ."""
    if not isinstance(plan, PossibleP) or len(plan.curve) < 2:
        return None
    rows = [{"differ": point.differ, "p": point.p} for point in plan.curve]
    x = alt.X("differ:Q", title="items they differ on", **canvas.scaled([row["differ"] for row in rows]))
    y = alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    shown = [
        row | {"hover": f"{point.differ:,} items differ: p = {format_probability(point.p)}"}
        for row, point in zip(rows, plan.curve, strict=True)
    ]
    caption = f"p against the number of items they differ on; the dotted line is alpha = {format_level(plan.alpha)}"
    ends = " and ".join(f"{format_probability(q.p)} with {q.differ:,}" for q in (plan.curve[0], plan.curve[-1]))
    drawing = canvas.curve(shown, x, y, under=canvas.alpha_line(plan.alpha))
    return Chart("overlaps", caption, f"{caption}. p is {ends}.", drawing, rows)


CHARTS = (power_chart, needs_chart, partial(tried_chart, "normal"), partial(tried_chart, "bootstrap"), overlap_chart)
