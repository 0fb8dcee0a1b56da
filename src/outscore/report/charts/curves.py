"""Charts of curves: power over items, p over subsets, differences over runs, and the items that differences need."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal

import altair as alt

from outscore.language.numbers import format_ends, format_level, format_number, format_probability
from outscore.language.phrases import decimals_of
from outscore.language.verdict.plan import scored, truth
from outscore.report.build.plan import Plan, difference
from outscore.report.charts.canvas import DASHED, DOTTED, WIDTH, Chart, at_pixel, curve, marks, rule, scaled
from outscore.report.document import clean, minus
from outscore.report.palette import COLOURS
from outscore.report.rows.columns import alpha_of
from outscore.report.rows.comparison import units_of
from outscore.results.analysis import PowerPoint, SizePoint
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.plan import PossibleP

TARGET = 0.8
"""The customary power."""
KINDS = {"normal": "normal samples", "bootstrap": "samples of the pilot"}
UNITS = {"sd": "difference in {}", "discordance": "difference in accuracy", "standardised": "effect in sd"}
"""What the axis of differences is called, by what a plan starts from."""


def _power(
    key: str,
    caption: str,
    points: Sequence[PowerPoint],
    unit: str,
    *,
    marked: int | None,
    target: float | None = None,
    text: str = "",
) -> Chart | None:
    """Power from 0 to 1 against sizes, with a band where there is one; None where there is no curve.

    A curve without a band follows a formula and is drawn smooth; one that was tried shows where it was tried.
    """
    if len(points) < 2:
        return None
    rows = [{"n": p.n, "power": p.power, "low": p.low, "high": p.high, "hover": _words(p, unit)} for p in points]
    sizes = scaled([p.n for p in points])
    x = alt.X("n:Q", title=unit, **sizes)
    y = alt.Y("power:Q", title="power", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%"))
    aim = marks([{"power": target}]).mark_rule(color=COLOURS["muted"], strokeDash=list(DOTTED)).encode(y)
    line: dict[str, Any] = {"interpolate": "monotone"}
    tried = all(p.low is not None and p.high is not None for p in points)
    if tried:
        line = {"strokeWidth": 2, "point": {"color": COLOURS["ink"], "filled": True, "size": 20}}
    drawing = curve(
        rows,
        x,
        y,
        band="power" if tried else "",
        under=[] if target is None else [aim],
        over=[] if marked is None else [rule(marked, alt.X("x:Q", scale=sizes["scale"]), dash=DASHED)],
        **line,
    )
    numbers: list[dict[str, Any]] = [{unit: p.n, "power": p.power} for p in points]
    for row, p in zip(numbers, points, strict=True):
        row.update({} if p.low is None and p.high is None else {"low": p.low, "high": p.high})
    ends = " and ".join(f"{format_probability(point.power, 2)} with {point.n:,}" for point in (points[0], points[-1]))
    return Chart(key, caption, text or f"{caption}. Power is {ends}.", drawing, numbers)


def _words(p: PowerPoint, unit: str) -> str:
    band = "" if p.low is None or p.high is None else f" ({format_probability(p.low, 2)} to {format_probability(p.high, 2)})"
    return f"{p.n:,} {unit}: power {format_probability(p.power, 2)}{band}"


def _alpha_line(alpha: float) -> list[Any]:
    """Where p begins to count, with its name beside the right end: a curve may end on it."""
    y = alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    base = marks([{"p": alpha, "text": "α", "hover": f"alpha = {format_level(alpha)}"}]).encode(y)
    line = base.mark_rule(color=COLOURS["tail"], strokeDash=list(DOTTED), strokeWidth=1.5)
    name = base.mark_text(align="left", dx=4, color=COLOURS["tail"])
    return [line, name.encode(at_pixel("X", WIDTH), text=alt.Text("text:N"))]


def power_chart(c: Comparison, _whole: Comparisons) -> Chart | None:
    """Power against the number of units, with the observed number marked."""
    if c.power is None or len(c.power.curve) < 2:
        return None
    curve, (observed, unit) = c.power.curve, units_of(c)
    sizes = [point.n for point in curve]
    marked = min(sizes) <= observed <= max(sizes)
    mark = f"; the dashed line is your {observed:,} {unit}" if marked else ""
    ends = " and ".join(f"{format_probability(q.power, 2)} with {q.n:,} {unit}" for q in (curve[0], curve[-1]))
    return _power(
        "power",
        f"Power to detect the observed difference{mark}",
        curve,
        unit,
        marked=observed if marked else None,
        target=TARGET,
        text=f"Power to detect the observed difference: {ends}{mark}.",
    )


def size_chart(c: Comparison, whole: Comparisons) -> Chart | None:
    """p against the number of items as in Zhu et al. (2020), figure 5: the median, the middle half, and alpha."""
    points = [] if c.pictures is None else c.pictures.sizes
    if not points:
        return None
    alpha, unit = alpha_of(whole), units_of(c)[1]
    rows = [{"n": q.n, "p": q.p, "low": q.low, "high": q.high, "hover": _size_words(q, unit)} for q in points]
    x = alt.X("n:Q", title=unit, scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(format="~s"))
    y = alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    drawing = curve(rows, x, y, band="p", over=[] if alpha is None else _alpha_line(alpha))
    level = "" if alpha is None else f"; the dotted line is alpha = {format_level(alpha)}"
    of = f" ({_size_test(c, c.pictures.sizes_test)})" if c.pictures is not None and c.pictures.sizes_test else ""
    caption = f"p on random subsets of the {unit}{of}: the median and the middle half{level}"
    ends = " and ".join(f"{format_probability(q.p)} with {q.n:,}" for q in (points[0], points[-1]))
    numbers = [{unit: q.n, "median_p": q.p, "low": q.low, "high": q.high} for q in points]
    return Chart("sizes", caption, f"{caption}. The median is {ends}.", drawing, numbers)


def _size_words(q: SizePoint, unit: str) -> str:
    p, low, high = map(format_probability, (q.p, q.low, q.high))
    return f"{q.n:,} {unit}: median p {p}, middle half {low} to {high}"


def runs_chart(c: Comparison, _whole: Comparisons) -> Chart | None:
    """The difference in pass@K, or pass^K, over K, with a band that holds simultaneously for all K."""
    found = None if c.pictures is None else c.pictures.runs
    if found is None or len(found.points) < 2:
        return None
    a, b = map(clean, c.systems)
    decimals = decimals_of(c)
    numbers = [{"k": q.k, "difference": q.difference, "low": q.low, "high": q.high} for q in found.points]
    words = [
        f"{format_number(q.difference, decimals, sign=True)} ({format_ends(q.low, q.high, decimals)}) at K = {q.k:,}"
        for q in found.points
    ]
    x = alt.X("k:Q", title="K", scale=alt.Scale(nice=False, zero=False), axis=alt.Axis(tickMinStep=1, format="d"))
    title = f"difference in {found.score}K"
    y = alt.Y("difference:Q", title=title)
    drawing = curve(
        [row | {"hover": hover} for row, hover in zip(numbers, words, strict=True)],
        x,
        y,
        band=title,
        under=[marks([{"difference": 0.0}]).mark_rule(color=COLOURS["ink"], strokeDash=list(DASHED)).encode(y)],
        point={"color": COLOURS["ink"], "filled": True},
    )
    level = f"{100 * found.level:g}%"
    caption = (
        minus(f"{a} - {b}") + f" in {found.score}K over the number of runs K; the {level} band holds simultaneously for all K"
    )
    return Chart("runs", caption, f"{caption}. It is {words[0]} and {words[-1]}.", drawing, numbers)


def _size_test(c: Comparison, test: str) -> str:
    """The test of the curve of sizes; where Student's test itself is advised against, how this t test differs from it."""
    unsuited = [] if c.analysis is None else [advice.test for advice in c.analysis.tests.unsuited]
    return f"{test} by the jackknife" if test == "paired t test" and "student" in unsuited else test


def planned_chart(plan: Plan) -> Chart | None:
    """Power over the number of items."""
    if isinstance(plan, PossibleP):
        return None
    asked = f"Power to detect a difference of {difference(plan)}"
    if plan.design.margin is not None:
        asked = f"Chance to pass {truth(plan)}"
    caption = f"{asked}; the dashed line is {plan.items:,} items"
    return _power("power", caption, plan.curve, "items", marked=plan.items, target=plan.target)


def tried_chart(kind: Literal["normal", "bootstrap"], plan: Plan) -> Chart | None:
    """Power that was simulated from a pilot, in one of two ways."""
    curves = [] if isinstance(plan, PossibleP) else plan.retrospective
    curve = next((curve for curve in curves if curve.kind == kind), None)
    if curve is None:
        return None
    observed = f"the dashed line is your {curve.observed_n:,} {curve.unit}"
    caption = f"Power of the {curve.test} test, {KINDS[kind]}, with 95% bands; {observed}"
    return _power(f"tried-{kind}", caption, curve.points, curve.unit, marked=curve.observed_n)


def needs_chart(plan: Plan) -> Chart | None:
    """The items that smaller and larger differences need."""
    if isinstance(plan, PossibleP) or len(plan.needs) < 2:
        return None
    rows = [{"effect": abs(point.effect), "items": point.items} for point in plan.needs]
    needed = [f"{row['items']:,} items for {difference(plan, row['effect'])}" for row in rows]
    title = UNITS[plan.design.basis].format(scored(plan))
    x = alt.X("effect:Q", title=title, **scaled([row["effect"] for row in rows], "~g"))
    y = alt.Y("items:Q", title="items", **scaled([row["items"] for row in rows]))
    shown = [row | {"hover": hover} for row, hover in zip(rows, needed, strict=True)]
    drawing = curve(shown, x, y, interpolate="monotone", point={"color": COLOURS["ink"], "filled": True})
    caption = f"Items needed for smaller and larger differences (power {format_level(plan.target)})"
    return Chart("needs", caption, f"{caption}: {needed[0]}, {needed[-1]}.", drawing, rows)


def overlap_chart(plan: Plan) -> Chart | None:
    """p over the number of items on which two systems differ."""
    if not isinstance(plan, PossibleP) or len(plan.curve) < 2:
        return None
    rows = [{"differ": point.differ, "p": point.p} for point in plan.curve]
    x = alt.X("differ:Q", title="items they differ on", **scaled([row["differ"] for row in rows]))
    y = alt.Y("p:Q", title="p", scale=alt.Scale(domain=[0, 1]))
    shown = [
        row | {"hover": f"{point.differ:,} items differ: p = {format_probability(point.p)}"}
        for row, point in zip(rows, plan.curve, strict=True)
    ]
    caption = f"p against the number of items they differ on; the dotted line is alpha = {format_level(plan.alpha)}"
    ends = " and ".join(f"{format_probability(q.p)} with {q.differ:,}" for q in (plan.curve[0], plan.curve[-1]))
    drawing = curve(shown, x, y, under=_alpha_line(plan.alpha))
    return Chart("overlaps", caption, f"{caption}. p is {ends}.", drawing, rows)


PLAN = (planned_chart, needs_chart, partial(tried_chart, "normal"), partial(tried_chart, "bootstrap"), overlap_chart)
