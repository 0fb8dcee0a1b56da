"""A plan in short statements and tables of texts: what every form of its report is made of."""

from __future__ import annotations

import math
from collections.abc import Sequence

from outscore.language.numbers import effect_size, format_level, format_p_number
from outscore.language.verdict.plan import clusters_of, plan_headline, possible_p_headline
from outscore.report.document import Fact, Records, Table, clean, make_table
from outscore.results.note import note_texts
from outscore.results.plan import EffectPoint, PlanResult, PossibleP, PowerPoint, SimulatedCurve, StudyDesign

__all__ = ["Plan", "difference", "facts", "headline", "number", "plan_records", "shown_tables", "tables", "title"]

Plan = PlanResult | PossibleP

METHODS = {
    "permutation": "paired permutation test on normal differences",
    "normal": "normal approximation, spread taken as known",
    "t": "paired t test (noncentral t)",
    "exact": "exact McNemar test, no approximation",
}
KINDS = {"normal": "normal law", "bootstrap": "pilot's items"}
NEAR = (0.5, 1.0, 2.0)
"""What one screen shows of the curves, in multiples of the items and of the difference in question."""
NEAR_RUNS = 2
"""Numbers of runs on either side of the plan's that one screen shows."""
CERTAIN = 0.9995


def title(found: Plan) -> str:
    """What was asked, as a heading."""
    if isinstance(found, PossibleP):
        return f"Scores of {found.scores[0]} and {found.scores[1]} on {found.n:,} items"
    return {"items": "Items needed", "effect": "Detectable difference", "power": "Power"}[found.question]


def headline(found: Plan) -> tuple[str, str]:
    """The answer, and what it is an answer to: what to set in large letters, and what to set under it."""
    top, reason = possible_p_headline(found) if isinstance(found, PossibleP) else plan_headline(found)
    return clean(top), clean(reason)


def number(value: float) -> str:
    """A difference or a spread for people: four digits, without trailing zeros."""
    return f"{value:.4g}"


def difference(found: PlanResult, effect: float | None = None) -> str:
    """The difference in question, or another beside it, as the first sentence rounds it."""
    return effect_size(found.effect if effect is None else effect, computed=found.question == "effect")


def facts(found: Plan) -> list[Fact]:
    """What the answer rests on, the most important first, without what is missing."""
    rows = _possible_facts(found) if isinstance(found, PossibleP) else _plan_facts(found)
    return [Fact(label, tuple(lines), guarded=label == "notes") for label, lines in rows if lines]


def _plan_facts(found: PlanResult) -> list[tuple[str, Sequence[str]]]:
    design = found.design
    computed = found.question == "items" and found.method in ("normal", "t")
    method = METHODS[found.method] + (f"; n = {found.n:.10g} before rounding up" if computed else "")
    t_test = [] if found.t_items is None else [f"{found.t_items:,} items, as the paired t test estimates the spread too"]
    observed = [found.retrospective[0].note] if found.retrospective else []
    return [
        ("meaning", [_meaning(found)]),
        ("method", [method]),
        ("formula", _formula(found)),
        ("t test", t_test),
        ("spread", [_spread(found)]),
        ("any time", _anytime(found)),
        ("clusters", [_clusters(design)] if design.cluster_size > 1 else []),
        ("simulated", observed),
        ("notes", note_texts(note for note in found.notes if note.kind != "reading")),
    ]


def _anytime(found: PlanResult) -> list[str]:
    """What looking early takes, beside the plan with one look."""
    plan = found.anytime
    if plan is None:
        return []
    more = "" if plan.horizon is None else f" (studies end after {plan.horizon:,})"
    median, most = (f"more than {plan.horizon:,}" if n is None else f"{n:,}" for n in (plan.median, plan.items))
    how = "exact" if plan.method == "exact" else f"{plan.paths:,} simulated studies with seed {plan.seed}"
    target, reached = format_level(found.target), _power(plan.by_fixed)
    return [
        f"stops after {plan.mean:,.0f} items on average{more}, {median} in the median, {most} with power {target}; {how}",
        f"one look at {plan.fixed:,} items has power {_power(found.power)}; looked at any time, {reached} stop by then",
    ]


def _formula(found: PlanResult) -> list[str]:
    """The closed formula beside the test's own power, which is the larger number where there are few units."""
    if found.formula_n is None or found.method == "normal":
        return []
    shown = f"n = {found.formula_n:.10g}, the spread taken as known"
    return [shown if found.n == found.formula_n else f"{shown}: too few for the test"]


def _clusters(design: StudyDesign) -> str:
    """What clusters cost."""
    worth = number(design.cluster_size / design.design_effect)
    if not design.cluster_cv:
        return f"{number(design.cluster_size)} items with correlation {number(design.icc)} are worth {worth} independent ones"
    own = number(design.cluster_size * (1 + design.cluster_cv**2))
    return (
        f"{number(design.cluster_size)} items on average, {own} in an item's own cluster, with correlation "
        f"{number(design.icc)}: a cluster is worth {worth} independent items"
    )


def _meaning(found: PlanResult) -> str:
    """Power in words that need no statistics."""
    level, size = format_level(found.design.alpha), difference(found)
    unit = " standard deviations" if found.design.basis == "standardised" else ""
    share = 100 * found.power
    about = "at least" if found.question == "items" else "about"
    of_hundred = f"{about} {math.floor(share + 0.5)}"
    if not share:
        of_hundred = "none"
    elif share > 99:
        of_hundred = "more than 99"
    elif share < 1:
        of_hundred = "fewer than 1"
    return f"if the true difference is {size}{unit}, {of_hundred} of 100 test sets of this size show it (p <= {level})"


def _spread(found: PlanResult) -> str:
    design = found.design
    if design.discordance is not None:
        share = number(100 * design.discordance)
        return f"discordance {number(design.discordance)}: on {share} % of the items one system alone is right"
    if design.sd is None:
        return "the effect is in units of the standard deviation of the items' differences"
    runs = f", {number(design.within)} between runs ({design.repeats} per item)" if design.within else ""
    return f"standard deviation of the items' differences {number(design.sd)}{runs}"


def _possible_facts(found: PossibleP) -> list[tuple[str, Sequence[str]]]:
    answers = [
        f"{score}: {_range(counts)} of {found.n:,} right" for score, counts in zip(found.scores, found.right, strict=True)
    ]
    return [
        ("scores", answers),
        ("lowest p", [_at(format_p_number(found.lowest, found.alpha), found.discordant[0])]),
        (
            "independent",
            [_at(format_p_number(found.independent, found.alpha), found.independent.n) + ", as errors by chance would"],
        ),
        ("highest p", [_at(format_p_number(found.highest, found.alpha), found.discordant[1])]),
        ("test", [f"exact McNemar test, {found.alternative}, on right-or-wrong items"]),
        ("notes", note_texts(found.notes)),
    ]


def _at(p: str, items: int) -> str:
    return f"{p:<8} if they differ on {items:,} item{'' if items == 1 else 's'}"


def _range(counts: tuple[int, int]) -> str:
    low, high = counts
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def tables(found: Plan) -> list[Table]:
    """Every table, in the order of reading."""
    if isinstance(found, PossibleP):
        own = [_overlaps(found)]
    else:
        own = [_priced(found), _tried(found.retrospective), _curve(found), _needs(found)]
    return [table for table in own if table.rows]


def shown_tables(found: Plan) -> list[Table]:
    """What one screen has room for: the tried-out curves, or the main points of the computed ones."""
    if isinstance(found, PossibleP):
        return []
    priced = [table for table in (_priced(found, near=True),) if table.rows]
    if found.retrospective:
        return [*priced, _tried(found.retrospective)]
    clusters = clusters_of(found, found.items)
    close = {max(2, round(clusters * factor)) for factor in NEAR}
    near = [point for point in found.curve if clusters_of(found, point.n) in close]
    needs = [point for point in found.needs if any(point.effect == factor * found.effect for factor in NEAR)]
    return [*priced, *(table for table in (_curve(found, near), _needs(found, needs)) if table.rows)]


def _priced(found: PlanResult, *, near: bool = False) -> Table:
    """What every number of runs costs, where there is a choice; `near` the plan's, and one run."""
    costs = found.costs
    if costs is None or len(costs.designs) < 2:
        return make_table("costs", "", ["runs"], "r", [])
    rows = [
        (
            f"{one.repeats:,}",
            f"{one.items:,}",
            f"{one.cost:,.2f}",
            difference(found, one.effect) if found.question == "effect" else _power(one.power),
            "this plan" if one.repeats == found.design.repeats else "",
        )
        for one in costs.designs
        if not near or one.repeats == 1 or abs(one.repeats - found.design.repeats) <= NEAR_RUNS
    ]
    last = "detects" if found.question == "effect" else "power"
    notes = ["Runs: of each system per item."]
    return make_table("costs", "Items and runs by price", ["runs", "items", "cost", last, ""], "rrrrl", rows, notes)


def _curve(found: PlanResult, points: Sequence[PowerPoint] | None = None) -> Table:
    rows = [(*_sizes(found, point.n), _power(point.power)) for point in (found.curve if points is None else points)]
    columns = [*_units(found), "power"]
    return make_table("power", f"Power to detect {_effect(found, found.effect)}", columns, "r" * len(columns), rows)


def _units(found: PlanResult) -> list[str]:
    """What is counted: clusters are planned, and their items come with them."""
    return ["items"] if found.design.cluster_size == 1 else ["clusters", "items"]


def _sizes(found: PlanResult, items: int) -> list[str]:
    return [f"{items:,}"] if found.design.cluster_size == 1 else [f"{clusters_of(found, items):,}", f"{items:,}"]


def _needs(found: PlanResult, points: Sequence[EffectPoint] | None = None) -> Table:
    rows = [
        (_effect(found, point.effect), *_sizes(found, point.items)) for point in (found.needs if points is None else points)
    ]
    columns = ["to detect a difference of", *_units(found)]
    heading = f"{columns[1].capitalize()} needed with power {format_level(found.target)}"
    return make_table("needs", heading, columns, "r" * len(columns), rows)


def _effect(found: PlanResult, effect: float) -> str:
    return f"{difference(found, effect)}{' sd' if found.design.basis == 'standardised' else ''}"


def _tried(curves: Sequence[SimulatedCurve]) -> Table:
    """The retrospective curves side by side: they are drawn at the same sizes."""
    if not curves:
        return make_table("tried", "", ["items"], "r", [])
    first = curves[0]
    rows = []
    for i, point in enumerate(first.points):
        here = " (observed)" if point.n == first.observed_n else ""
        cells = [(f"{c.points[i].power:.3f}".removeprefix("0"), _band(c.points[i])) for c in curves]
        rows.append((f"{point.n:,}{here}", *(cell for pair in cells for cell in pair)))
    columns = [first.unit, *(name for c in curves for name in (KINDS[c.kind], "95 % band"))]
    heading = f"Power of the {first.test} test at a difference of {number(first.effect)}, {first.replicates:,} samples per size"
    notes = ["Samples come from a normal law with the pilot's spread, or from the pilot's own items with replacement."]
    return make_table("tried", heading, columns, "r" + "rr" * len(curves), rows, notes if len(curves) > 1 else [])


def _band(point: PowerPoint) -> str:
    return "" if point.low is None or point.high is None else f"{_short(point.low)} to {_short(point.high)}"


def _short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def _power(value: float) -> str:
    # Rounding must not promise certainty.
    return "> .999" if value > CERTAIN else f"{value:.3f}".removeprefix("0")


def _overlaps(found: PossibleP) -> Table:
    rows = [
        ("as complete as possible", f"{found.discordant[0]:,}", format_p_number(found.lowest, found.alpha)),
        ("errors are independent", f"{found.independent.n:,}", format_p_number(found.independent, found.alpha)),
        ("as little as possible", f"{found.discordant[1]:,}", format_p_number(found.highest, found.alpha)),
    ]
    notes = [f"{found.scores[0]} against {found.scores[1]} on {found.n:,} items; exact McNemar test, {found.alternative}"]
    return make_table(
        "overlaps", "Possible p-values", ["overlap of the errors", "items they differ on", "p"], "lrr", rows, notes
    )


def plan_records(found: PlanResult | PossibleP) -> Records:
    """The answer, then the points of its curves; `row` says which is which."""
    if isinstance(found, PossibleP):
        answers = {"lowest": found.lowest, "highest": found.highest, "independent": found.independent}
        differ = {"lowest": found.discordant[0], "highest": found.discordant[1]}
        rows = [{"row": name, "differ": differ.get(name), "p": p.value} for name, p in answers.items()]
        rows += [{"row": "curve", "differ": point.differ, "p": point.p} for point in found.curve]
        return Records(("row", "differ", "p"), tuple(rows))
    answer = {"row": "answer", "items": found.items, "effect": found.effect, "power": found.power}
    curve = [{"row": "curve", "items": point.n, "effect": found.effect, "power": point.power} for point in found.curve]
    needs = [{"row": "need", "items": need.items, "effect": need.effect, "power": found.target} for need in found.needs]
    return Records(("row", "items", "effect", "power"), (answer, *curve, *needs))
