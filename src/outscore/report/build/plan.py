"""How a plan is reported: the answer first, then what it rests on, in short statements and tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from outscore.language import numbers
from outscore.language.verdict.plan import clusters_of, nouns, plan_headline, possible_p_headline, truth
from outscore.report import document as doc
from outscore.report.build import common
from outscore.report.citations import uses_of_plan
from outscore.report.document import PART, clean
from outscore.report.rows.columns import Column, Text, tabulate, texts, words
from outscore.results.analysis import PowerPoint
from outscore.results.note import ON_SCREEN, note_texts
from outscore.results.plan import EffectPoint, PlanResult, PossibleP, PricedDesign, SimulatedCurve, StudyDesign
from outscore.results.pvalue import PValue

Plan = PlanResult | PossibleP

METHODS = {
    "permutation": "paired permutation test on normal differences",
    "normal": "normal approximation with known spread",
    "t": "paired t test (noncentral t)",
    "exact": "exact McNemar test, no approximation at this discordance",
    "margin": "the test at the margin that `gate` runs",
}
OF_TWO_SAMPLES = METHODS | {
    "permutation": "two-sample permutation test, by its t approximation",
    "t": "t test of two samples (noncentral t)",
    "exact": "Fisher's exact test, no approximation at this accuracy",
}
OF_BATTLES = METHODS | {
    "permutation": "permutation test that swaps names prompt by prompt, on normal differences",
    "t": "t test of prompts (noncentral t)",
    "exact": "exact sign test, no approximation at this share of ties",
}
KINDS = {"normal": "normal distribution", "bootstrap": "pilot's items"}
NEAR = (0.5, 1.0, 2.0)
"""The points of the curves that fit on one screen, as multiples of the items and of the difference in question."""
NEAR_RUNS = 2
"""How many numbers of runs one screen shows on either side of the plan's."""
CERTAIN = 0.9995


def title(plan: Plan) -> str:
    """What was asked, as a heading."""
    if isinstance(plan, PossibleP):
        return f"Scores of {plan.scores[0]} and {plan.scores[1]} on {plan.n:,} items"
    return {"items": "Items needed", "effect": "Detectable difference", "power": "Power"}[plan.question]


def headline(plan: Plan) -> tuple[str, str]:
    """The answer and the question it answers: the headline, and the text below it."""
    if isinstance(plan, PossibleP):
        top, reason = possible_p_headline(plan.lowest, plan.highest, plan.significant_up_to, n=plan.n, alpha=plan.alpha)
    else:
        top, reason = plan_headline(plan, plan.costs)
    return clean(top), clean(reason)


def number(value: float) -> str:
    """A difference or a spread for people: four digits, without trailing zeros."""
    return f"{value:.4g}"


def difference(plan: PlanResult, effect: float | None = None) -> str:
    """The difference in question, or another one, rounded as in the first sentence."""
    return numbers.effect_size(plan.effect if effect is None else effect, computed=plan.question == "effect")


def facts(plan: Plan) -> tuple[doc.Fact, ...]:
    """What the answer rests on, the most important first, without what is missing."""
    return _possible_facts(plan) if isinstance(plan, PossibleP) else _plan_facts(plan)


def _plan_facts(plan: PlanResult) -> tuple[doc.Fact, ...]:
    design = plan.design
    computed = plan.question == "items" and plan.method in ("normal", "t")
    named = OF_TWO_SAMPLES if design.unpaired else METHODS
    if design.battles:
        named = OF_BATTLES
    method = named[plan.method] + (f"; n = {plan.n:.6g} before rounding up" if computed else "")
    student = "the t test" if design.unpaired else "the paired t test"
    t_test = [] if plan.t_items is None else [f"{plan.t_items:,} {nouns(plan)[0]}s, because {student} estimates the spread too"]
    observed = [plan.retrospective[0].note] if plan.retrospective else []
    return doc.statements(
        ("meaning", [_meaning(plan)]),
        ("method", [method]),
        ("formula", _formula(plan)),
        ("t test", t_test),
        ("spread", [_spread(plan)]),
        ("any time", _anytime(plan)),
        ("clusters", [_clusters(design)] if design.cluster_size > 1 else []),
        ("simulated", observed),
        ("notes", note_texts(note for note in plan.notes if note.kind != "reading")),
    )


def _anytime(plan: PlanResult) -> list[str]:
    """What it takes to look early, compared with the plan with one look."""
    early = plan.anytime
    if early is None:
        return []
    more = "" if early.horizon is None else f" (studies end after {early.horizon:,})"
    median, most = (f"more than {early.horizon:,}" if n is None else f"{n:,}" for n in (early.median, early.items))
    how = "exact" if early.method == "exact" else f"{early.paths:,} simulated studies with seed {early.seed}"
    target = numbers.format_level(plan.target)
    stopped = f"with looks at any time, the chance to have stopped by then is {_power(early.by_fixed)}"
    return [
        f"stops after {early.mean:,.0f} items on average{more}, {median} in the median and {most} for power {target}; {how}",
        f"one look at {early.fixed:,} items has power {_power(plan.power)}; {stopped}",
    ]


def _formula(plan: PlanResult) -> list[str]:
    """The closed formula, for comparison with the test's own power; with few units, the test needs more."""
    if plan.formula_n is None or plan.method == "normal":
        return []
    shown = f"n = {plan.formula_n:.4g} if the spread were known"
    return [shown if plan.n == plan.formula_n else f"{shown}, which is too few for the test"]


def _clusters(design: StudyDesign) -> str:
    """What clusters cost."""
    worth = number(design.cluster_size / design.design_effect)
    if design.battles:
        return f"{number(design.cluster_size)} battles on one prompt are worth {worth} on different ones"
    if not design.cluster_cv:
        return f"{number(design.cluster_size)} items with correlation {number(design.icc)} are worth {worth} independent ones"
    cluster = number(design.cluster_size * (1 + design.cluster_cv**2))
    return (
        f"{number(design.cluster_size)} items on average, {cluster} in an item's own cluster, with correlation "
        f"{number(design.icc)}: a cluster is worth {worth} independent items"
    )


def _meaning(plan: PlanResult) -> str:
    """Power in words that need no statistics."""
    level, size = numbers.format_level(plan.design.alpha), difference(plan)
    at_margin = plan.design.margin is not None
    unit = " standard deviations" if plan.design.basis == "standardised" else ""
    share = 100 * plan.power
    about = "at least" if plan.question == "items" else "about"
    of_hundred = f"{about} {math.floor(share + 0.5)}"
    if not share:
        of_hundred = "none"
    elif share > 99:
        of_hundred = "more than 99"
    elif share < 1:
        of_hundred = "fewer than 1"
    if at_margin:
        return f"{truth(plan)}, {of_hundred} of 100 gates on test sets of this size pass (p <= {level})"
    if plan.design.battles:
        return f"if the true win rate is {_effect(plan, plan.effect)}, {of_hundred} of 100 such sets show it (p <= {level})"
    return f"if the true difference is {size}{unit}, {of_hundred} of 100 test sets of this size show it (p <= {level})"


def _spread(plan: PlanResult) -> str:
    design = plan.design
    if design.battles:
        return _spread_of_battles(design)
    if design.discordance is not None:
        share = number(100 * design.discordance)
        return f"discordance {number(design.discordance)}: on {share}% of the items only one system is right"
    if design.unpaired and design.accuracy is not None:
        return f"the accuracy of the baseline is {number(design.accuracy)}"
    if design.sd is None:
        of_what = "a system's scores" if design.unpaired else "the items' differences"
        return f"the effect is in units of the standard deviation of {of_what}"
    if design.unpaired:
        return f"standard deviation of a system's scores {number(design.sd)}"
    runs = f", {number(design.within)} between runs ({design.repeats} per item)" if design.within else ""
    return f"standard deviation of the items' differences {number(design.sd)}{runs}"


def _spread_of_battles(design: StudyDesign) -> str:
    if design.sd is None:
        return f"{number(100 * (design.discordance or 0.0))}% of the battles are no ties"
    return f"standard deviation of a battle {number(design.sd)}, where a win counts 1 and a tie 0.5"


def _possible_facts(possible: PossibleP) -> tuple[doc.Fact, ...]:
    answers = [
        f"{score}: {numbers.span(*counts)} of {possible.n:,} right"
        for score, counts in zip(possible.scores, possible.right, strict=True)
    ]

    def at(p: PValue, items: int) -> str:
        return f"{numbers.format_p_number(p, possible.alpha):<8} if they differ on {numbers.count(items, 'item')}"

    return doc.statements(
        ("scores", answers),
        ("lowest p", [at(possible.lowest, possible.discordant[0])]),
        ("independent", [f"{at(possible.independent, possible.independent.n)}, as independent errors would"]),
        ("highest p", [at(possible.highest, possible.discordant[1])]),
        ("test", [f"exact McNemar test, {possible.alternative}, on right-or-wrong items"]),
        ("notes", note_texts(possible.notes)),
    )


def tables(plan: Plan) -> list[doc.Table]:
    """Every table, in the order of reading."""
    if isinstance(plan, PossibleP):
        listed = [_overlaps(plan)]
    else:
        listed = [_priced(plan), _tried(plan.retrospective), _curve(plan), _needs(plan)]
    return [table for table in listed if table.rows]


def shown_tables(plan: Plan) -> list[doc.Table]:
    """For a brief text: the simulated curves, or the main points of the computed ones."""
    if isinstance(plan, PossibleP):
        return []
    asked = asked_tables(plan)
    if plan.retrospective:
        return asked
    near, needs = _near(plan)
    return [*asked, *(table for table in (_curve(plan, near), _needs(plan, needs)) if table.rows)]


def asked_tables(plan: PlanResult) -> list[doc.Table]:
    """What somebody asked for beyond the answer: prices, and curves that were simulated."""
    return [table for table in (_priced(plan, near=True), _tried(plan.retrospective)) if table.rows]


def _near(plan: PlanResult) -> tuple[list[PowerPoint], list[EffectPoint]]:
    """Half and twice the items, and half and twice the difference, with the answer between them."""
    clusters = clusters_of(plan, plan.items)
    close = {max(2, round(clusters * factor)) for factor in NEAR}
    needs = [point for point in plan.needs if any(point.effect == factor * plan.effect for factor in NEAR)]
    return [point for point in plan.curve if clusters_of(plan, point.n) in close], needs


def near_points(plan: PlanResult) -> list[tuple[str, list[str]]]:
    """The same on a line each: power with fewer and more items, items for smaller and larger differences."""
    points, needs = _near(plan)
    item, _ = nouns(plan)
    powers = [f"{_power(point.power)} with {numbers.count(point.n, item)}" for point in points if point.n != plan.items]
    others = [f"{need.items:,} to detect {_effect(plan, need.effect)}" for need in needs if need.effect != plan.effect]
    label = "chance" if plan.design.margin is not None else "power"
    return [(label, [PART.join(powers)]), (f"{item}s", [PART.join(others)])]


def _priced(plan: PlanResult, *, near: bool = False) -> doc.Table:
    """What each number of runs costs, where there is a choice; with `near`, only numbers near the plan's, and one run."""
    costs = plan.costs
    designs = [] if costs is None or len(costs.designs) < 2 else costs.designs
    effect, runs = plan.question == "effect", plan.design.repeats
    columns: list[Column[PricedDesign]] = [
        Column("runs", lambda design: design.repeats),
        Column("items", lambda design: design.items),
        Column("cost", lambda design: design.cost, "{:,.2f}".format),
        Column("detects", lambda design: Text(difference(plan, design.effect), design.effect), when=effect),
        Column("power", lambda design: design.power, _power, when=not effect),
        words("", lambda design: "this plan" if design.repeats == runs else None),
    ]
    shown = [one for one in designs if not near or one.repeats == 1 or abs(one.repeats - runs) <= NEAR_RUNS]
    return tabulate("costs", "Items and runs by price", columns, shown, ["Runs: per system and item."])


def _curve(plan: PlanResult, points: Sequence[PowerPoint] | None = None) -> doc.Table:
    power: Column[PowerPoint] = Column("power", lambda point: point.power, _power)
    heading = f"Power to detect {_effect(plan, plan.effect)}"
    if plan.design.margin is not None:
        heading = f"Chance to pass {truth(plan)}"
    columns = [*(column.of(lambda point: point.n) for column in _sizes(plan)), power]
    return tabulate("power", heading, columns, plan.curve if points is None else points)


def _sizes(plan: PlanResult) -> list[Column[int]]:
    """What is counted: clusters, if there are any, with their items."""
    item, cluster = nouns(plan)
    each = " of each" if plan.design.unpaired else ""
    return [
        Column(f"{cluster}s{each}", lambda items: clusters_of(plan, items), when=plan.design.cluster_size != 1),
        Column(f"{item}s{each}", lambda items: items),
    ]


def _needs(plan: PlanResult, points: Sequence[EffectPoint] | None = None) -> doc.Table:
    sizes = _sizes(plan)
    head = f"to detect a {'win rate' if plan.design.battles else 'difference'} of"
    effect: Column[EffectPoint] = Column(head, lambda point: Text(_effect(plan, point.effect), point.effect))
    columns = [effect, *(column.of(lambda point: point.items) for column in sizes)]
    first = next(column.head for column in sizes if column.when)
    heading = f"{first.capitalize()} needed with power {numbers.format_level(plan.target)}"
    return tabulate("needs", heading, columns, plan.needs if points is None else points)


def _effect(plan: PlanResult, effect: float) -> str:
    if plan.design.battles:
        return f"{number(50 + 100 * effect)}%"
    return f"{difference(plan, effect)}{' sd' if plan.design.basis == 'standardised' else ''}"


def _tried(curves: Sequence[SimulatedCurve]) -> doc.Table:
    """The retrospective curves side by side: they have the same sizes."""
    if not curves:
        return tabulate("tried", "", texts("items"), [])
    first = curves[0]

    def size(i: int) -> Text:
        n = first.points[i].n
        return Text(f"{n:,}{' (observed)' if n == first.observed_n else ''}", n)

    columns = [Column(first.unit, size), *(column for c in curves for column in _tried_columns(c))]
    heading = f"Power of the {first.test} test at a difference of {number(first.effect)}, {first.replicates:,} samples per size"
    notes = [
        "Samples are drawn from a normal distribution with the pilot's spread, or from the pilot's own items with replacement."
    ]
    return tabulate("tried", heading, columns, range(len(first.points)), notes if len(curves) > 1 else [])


def _tried_columns(curve: SimulatedCurve) -> list[Column[int]]:
    return [
        Column(KINDS[curve.kind], lambda i: curve.points[i].power, lambda power: f"{power:.3f}".removeprefix("0")),
        Column("95% band", lambda i: Text(_band(curve.points[i]), curve.points[i].low)),
    ]


def _band(point: PowerPoint) -> str:
    return "" if point.low is None or point.high is None else f"{_short(point.low)} to {_short(point.high)}"


def _short(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def _power(value: float) -> str:
    # Rounding must not promise certainty.
    return "> .999" if value > CERTAIN else f"{value:.3f}".removeprefix("0")


def _overlaps(possible: PossibleP) -> doc.Table:
    columns: list[Column[tuple[str, int, PValue]]] = [
        words("overlap of the errors", lambda row: row[0]),
        Column("items they differ on", lambda row: row[1]),
        Column("p", lambda row: row[2], lambda p: numbers.format_p_number(p, possible.alpha)),
    ]
    fewest, most = possible.discordant
    rows = [
        ("as large as possible", fewest, possible.lowest),
        ("errors are independent", possible.independent.n, possible.independent),
        ("as small as possible", most, possible.highest),
    ]
    scores = f"{possible.scores[0]} against {possible.scores[1]} on {possible.n:,} items"
    note = f"{scores}; exact McNemar test, {possible.alternative}"
    return tabulate("overlaps", "Possible p-values", columns, rows, [note])


def plan_records(plan: PlanResult | PossibleP) -> doc.Records:
    """The answer, then the points of its curves; `row` says which is which."""
    if isinstance(plan, PossibleP):
        answers = {"lowest": plan.lowest, "highest": plan.highest, "independent": plan.independent}
        differ = {"lowest": plan.discordant[0], "highest": plan.discordant[1]}
        rows = [{"row": name, "differ": differ.get(name), "p": p.value} for name, p in answers.items()]
        rows += [{"row": "curve", "differ": point.differ, "p": point.p} for point in plan.curve]
        return doc.Records(("row", "differ", "p"), tuple(rows))
    answer = {"row": "answer", "items": plan.items, "effect": plan.effect, "power": plan.power}
    curve = [{"row": "curve", "items": point.n, "effect": plan.effect, "power": point.power} for point in plan.curve]
    needs = [{"row": "need", "items": need.items, "effect": need.effect, "power": plan.target} for need in plan.needs]
    return doc.Records(("row", "items", "effect", "power"), (answer, *curve, *needs))


def build(plan: Plan) -> doc.Document:
    """The whole plan."""
    signature = doc.Section("signature", "Signature", lambda: [doc.Code(clean(str(plan.signature)))], joined=True)
    told = doc.Section("answer", "", lambda: [_verdict(plan), *_data(plan)])
    answer, pictures = common.illustrated(told, "curves.PLAN", (plan,), "overlaps" if isinstance(plan, PossibleP) else "power")
    sections = (
        answer,
        pictures,
        doc.Section("grounds", "Method and assumptions", lambda: [common.facts_block(facts(plan)), *_tables(plan, "html")]).but(
            "latex"
        ),
        # On a screen, the signature is among the other statements.
        signature.only("text"),
        doc.Section("tables", "", lambda: _tables(plan, "text", "markdown", "latex")),
        common.settings(plan.settings, "plan-settings").only("markdown"),
        signature.but("text"),
        *common.references(uses_of_plan, plan),
        common.settings(plan.settings, "plan-settings").but("markdown"),
    )
    return doc.Document(title(plan), (doc.Article("", title(plan), sections),))


def _verdict(plan: Plan) -> doc.Verdict:
    top, reason = headline(plan)
    return doc.Verdict((plan.verdict,), top, reason, title(plan), plain=(plan.verdict,), tone="told")


def _data(plan: Plan) -> list[doc.Block]:
    """How a pilot was interpreted."""
    return common.read_as(plan.reading, plan.notes) if isinstance(plan, PlanResult) else []


def _tables(plan: Plan, *forms: str) -> Iterable[doc.Block]:
    """All curves; a brief text shows the simulated ones, or the main points of the computed ones."""
    labelled = [replace(table, label=f"plan-{table.key}") for table in tables(plan)]
    yield from (table.only("html") for table in labelled if "html" in forms)
    if "text" in forms:
        yield from (table.only("text").brief() for table in shown_tables(plan))
        yield from (table.only("text").full() for table in labelled)
        yield from (table.only("markdown", "latex") for table in labelled)


def card(plan: Plan) -> doc.Document:
    """The answer and what it rests on, for notebooks."""
    rows = _planned(plan) if isinstance(plan, PlanResult) else _possible(plan)
    return common.card_document(plan.verdict, "", common.card_table(texts(*[""] * len(rows[0])), rows), note_texts(plan.notes))


def _planned(plan: PlanResult) -> list[tuple[str, ...]]:
    return [
        ("items", f"{plan.items:,}"),
        ("effect", numbers.format_number(plan.effect)),
        ("power", numbers.format_probability(plan.power)),
        ("alpha", f"{numbers.format_level(plan.design.alpha)}, {plan.design.alternative}"),
        ("method", plan.method),
    ]


def _possible(plan: PossibleP) -> list[tuple[str, ...]]:
    return [
        ("lowest", numbers.format_p(plan.lowest), f"they differ on {plan.discordant[0]:,} items"),
        ("highest", numbers.format_p(plan.highest), f"they differ on {plan.discordant[1]:,} items"),
        ("independent errors", numbers.format_p(plan.independent), ""),
    ]


def screen(plan: Plan) -> doc.Screen:
    """The answer, a few points of its curves, what it rests on, and the tables that were asked for."""
    found = {fact.label: fact for fact in facts(plan)}
    if isinstance(plan, PossibleP):
        told = tuple(found[label] for label in ("scores", "lowest p", "independent", "highest p", "test"))
        return doc.Screen(clean(plan.verdict), told, common.warnings_on_screen(plan.notes), tone="told")
    basis = tuple(found[label] for label in ("method", "spread", "clusters", "simulated") if label in found)
    early = ("any time", found["any time"].lines[:1] if "any time" in found else ())
    noted = [clean(note.text) for note in plan.notes if note.kind not in ON_SCREEN]
    return doc.Screen(
        clean(plan.verdict),
        (
            *doc.statements(*near_points(plan), early),
            *basis,
            *doc.statements(("read as", common.short_read_as(plan.reading)), ("notes", noted)),
        ),
        common.warnings_on_screen(plan.notes),
        tuple(common.bare(table, title=table.title) for table in asked_tables(plan)),
        "told",
    )


def lines(plan: Plan) -> list[common.Line]:
    """The answer as keys and values."""
    if isinstance(plan, PossibleP):
        return [
            {"lowest": plan.lowest.value, "independent": plan.independent.value, "highest": plan.highest.value, "n": plan.n}
        ]
    return [{"items": plan.items, "effect": plan.effect, "power": plan.power, "alpha": plan.design.alpha}]


KIND = common.Kind(build, card, {"plan": plan_records}, "curves.PLAN", screen=screen, lines=lines)
