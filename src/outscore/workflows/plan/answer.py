"""Plans from numbers: how many items, how small a difference, how much power, and which p-values printed scores allow."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.options import MOST_ITEMS
from outscore.formats.base.source import open_source
from outscore.inference.base.question import Alternative
from outscore.inference.families import adjust, correct_family
from outscore.inference.power.binary import overlaps
from outscore.inference.power.design import Study, checked_n, study_of
from outscore.inference.power.gate import Bounded, gate_study
from outscore.inference.power.planning import sizes_around
from outscore.inference.power.two_samples import two_sample_study
from outscore.language.lines import VERSION, plan_signature, possible_p_signature
from outscore.language.numbers import count
from outscore.language.verdict.plan import (
    independence_note,
    plan_headline,
    plan_notes,
    possible_p_headline,
    possible_table_verdict,
    repeats_note,
)
from outscore.results.analysis import Directions, PowerPoint
from outscore.results.design import HOLM, Family, Reading
from outscore.results.note import Note, Signature
from outscore.results.plan import (
    Costs,
    EffectPoint,
    Fitting,
    PlanFacts,
    PlanResult,
    PossibleP,
    PossiblePair,
    PossibleTable,
    PricedDesign,
    PrintedScore,
    StudyDesign,
)
from outscore.scores.system import Origin
from outscore.workflows.requests.plan import POWER
from outscore.workflows.requests.shared import ALPHA, ALTERNATIVE

# Planning: how many items, how small a difference, how much power, and which p-values two printed scores allow.
#
# `answer` computes a plan from numbers, `finish` puts it into words, and `possible_p` answers a reviewer who has two
# accuracies and n. Planning from data is in `pilot`.
#
# Plans by price (`best_priced`) give the cheapest number of items and of runs per item, or the most that a budget buys. A
# study of n items that both systems run K times costs n (price of an item + 2 K price of a run). More runs need fewer
# items, because they average out differences between runs (Miller, 2024), but never those between items; so the cheapest K
# is small if items differ more than runs, and large if an item is expensive. Every K is planned for until no larger one can
# be cheaper.


MAX_PRINTED = 1_000_000
"""Printed scores of more items allow more pairs of totals than can be checked in a few seconds."""
MAX_DECIMALS = 15
"""Nobody prints more."""
LARGEST_CURVE = 1_000_000
"""Above this, exact power takes up to a second per point, and curves have many points."""
LARGEST_T = 100_000
EFFECTS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
"""Multiples of the effect in question at which the required items are computed."""
MAX_RUNS = 64
"""The largest number of runs of each system per item that is considered."""
ENDLESS = 10**9
"""So many runs that differences between them average out."""
ENOUGH = 1_000.0
"""So many items that any test can detect something."""
Planned = tuple[PlanFacts, Study, list[Note]]
"""A plan, the equation that it follows from, and notes on it."""
Ask = Callable[[int, float | None], Planned]
"""A plan for a number of runs per item, and for a number of items or None."""


def answer(
    design: StudyDesign,
    *,
    effect: float | None = None,
    n: float | None = None,
    power: float = POWER.default,
    accuracy: float | None = None,
    law: Bounded | None = None,
) -> Planned:
    """Compute what is not given: items for an effect, the effect that n items detect, or the power of both.

    Parameters
    ----------
    design
        The planned study.
    effect, n
        Give one to get the other, or both to get the power.
    power
        The probability with which a true difference of that size should be detected.
    accuracy
        Of the baseline, for right-or-wrong items: without `discordance`, the errors of the systems are assumed independent.
    law
        How items of a pilot pass a gate, if one is planned.

    Examples
    --------
    >>> facts, study, _ = answer(StudyDesign(sd=1 / 3), n=1000)
    >>> round(facts.effect, 4), round(study.power(1000, facts.effect), 4)
    (0.0296, 0.8)
    """
    if effect is None and n is None:
        raise OutscoreError(
            "There is nothing to plan from.", "Give the effect to detect (--effect), or the number of items (--n), or both."
        )
    design = design if accuracy is None else replace(design, accuracy=accuracy)
    study = _study(design, law)
    _check_question(study, effect, n)
    target = study.checked_power(power)
    found = _answer(study, effect, n, target)
    notes = []
    if accuracy is not None and design.discordance is None and not design.unpaired:
        # As saved results of version 0.1.0 have it: the discordance at the difference in question.
        rate = study.discordance(found["effect"])
        design, notes = replace(design, discordance=rate), [independence_note(rate, found["effect"])]
    return PlanFacts(design=design, method=study.method, accuracy=accuracy, target=target, **found), study, notes


def finish(
    facts: PlanFacts,
    study: Study,
    notes: Sequence[Note],
    *,
    costs: Costs | None = None,
    before: Sequence[Note] = (),
    after: Sequence[Note] = (),
    caveat: str = "",
    **more: Any,  # noqa: ANN401 - fields of the result
) -> PlanResult:
    """The result with its words; notes on the data come `before` those on the answer, and further ones `after` them.

    `caveat` is a sentence that the answer must not be read without.
    """
    others = _other_formulas(facts, study)
    said = [*notes, *plan_notes(facts, others.get("t_items")), *_repeats_note(facts, study)]
    return PlanResult(
        **vars(facts),
        **others,
        verdict=" ".join(filter(None, (*plan_headline(facts, costs), caveat))),
        curve=_curve(facts, study),
        needs=_needs(facts, study),
        signature=plan_signature(facts),
        notes=[*before, *said, *after],
        costs=costs,
        **more,
    )


def _study(design: StudyDesign, law: Bounded | None) -> Study:
    """The equation of the test that `compare` or `gate` will run."""
    if design.margin is not None and design.largest_loss is not None:
        return gate_study(design, law)
    tested = replace(design, method=_method_of(design))
    return two_sample_study(tested) if design.unpaired else study_of(tested)


def _method_of(design: StudyDesign) -> str:
    """A plan is about the test that `compare` runs by default, which is McNemar's for right-or-wrong items without clusters."""
    if design.method != "auto":
        return design.method
    return "exact" if design.basis == "discordance" and design.cluster_size == 1 else "permutation"


def _check_question(study: Study, effect: float | None, n: float | None) -> None:
    """Refuse questions that the formulas would answer with a useless number."""
    least, size = study.design.min_units, study.design.cluster_size
    if effect == study.design.delta and study.design.margin is None:
        raise OutscoreError(
            f"`effect` is {effect:g}, but no number of items can detect that there is no difference.",
            "Give the smallest difference that matters.",
            parameter="effect",
        )
    if n is not None and checked_n(n) < 2 * size:
        one = "one item" if size == 1 else f"one cluster of {size:.4g} items"
        raise OutscoreError(
            f"`n` is {n:,.10g}, but {one} cannot tell two systems apart, whatever their scores.",
            f"An exact test needs at least {count(least, 'item' if size == 1 else 'cluster')}.",
            parameter="n",
        )


def whole_items(n: float) -> int:
    """The number of items to collect: rounded up, except for an error in the last digits."""
    return max(1, math.ceil(n * (1 - 1e-12)))


def _answer(study: Study, effect: float | None, n: float | None, target: float) -> dict[str, Any]:
    """Question, n, items, effect and power, with the missing one computed."""
    if effect is None:
        assert n is not None
        return {"question": "effect", "n": float(n), "items": whole_items(n), "power": target, **_detected(study, n, target)}
    if n is not None:
        reached = study.power(checked_n(n), effect)
        return {"question": "power", "n": float(n), "items": whole_items(n), "effect": effect, "power": reached}
    needed = study.sample_size(effect, target)
    return {"question": "items", "n": needed, "items": _items_to_collect(study, needed), "effect": effect, "power": target}


def _detected(study: Study, n: float, target: float) -> dict[str, Any]:
    """The difference that n items detect in the less favourable direction that is possible, and in both where they differ."""
    size = study.detectable_effect(checked_n(n), target)
    if study.design.accuracy is None or study.design.alternative != "two-sided":
        return {"effect": -size if study.design.alternative == "less" else size}
    sides = Directions(**study.directions(n, target))
    ahead = sides.better is not None and sides.better >= size * (1 - 1e-9)
    return {"effect": size if ahead else -size, "directions": sides}


def _items_to_collect(study: Study, needed: float) -> int:
    """The items to collect: whole clusters, and enough of them; the closed formula ignores that few cannot give a small p."""
    fewest = 2 if study.method in ("t", "margin") else study.design.min_units
    clusters = max(whole_items(needed / study.design.cluster_size), fewest)
    return whole_items(clusters * study.design.cluster_size)


def _other_formulas(result: PlanFacts, study: Study) -> dict[str, Any]:
    """What the closed formula and the t test say, unless they nearly agree with the answer."""
    beside = result.method in ("normal", "permutation") and result.design.basis != "discordance"
    if result.question != "items" or not beside:
        return {}
    others: dict[str, Any] = {"formula_n": replace(study, method="normal").sample_size(result.effect, result.target)}
    if result.items <= LARGEST_T * result.design.cluster_size:
        student = replace(study, method="t")
        others["t_items"] = _items_to_collect(student, student.sample_size(result.effect, result.target))
    return others


def _repeats_note(result: PlanFacts, study: Study) -> list[Note]:
    """A note on what repeats can achieve: they average out the noise between runs, never the spread between items."""
    between, within = result.design.sd, result.design.within
    if result.question != "items" or not within or not between or result.design.margin is not None:
        return []

    def items_at(sd: float) -> int:
        return whole_items(replace(study, sd=sd).sample_size(result.effect, result.target))

    return [repeats_note(None if result.design.repeats == 1 else items_at(math.hypot(between, within)), items_at(between))]


def _curve(result: PlanFacts, study: Study) -> list[PowerPoint]:
    """Power at the effect in question, for fewer and for more items."""
    most = LARGEST_CURVE if study.method == "exact" else MOST_ITEMS
    clusters = sizes_around(math.ceil(result.items / study.design.cluster_size))
    sizes = [whole_items(k * study.design.cluster_size) for k in clusters]
    if result.items not in sizes:
        sizes = sorted([*sizes, result.items])
    return [PowerPoint(k, study.power(k, result.effect)) for k in sizes if k <= most]


def _needs(result: PlanFacts, study: Study) -> list[EffectPoint]:
    """Items for smaller and larger effects, as far as they make sense."""
    points: list[EffectPoint] = []
    if result.design.margin is not None:
        return points
    for factor in EFFECTS:
        effect = factor * result.effect
        if result.design.battles and abs(effect) >= 0.5 and factor != 1:
            # No win rate is above 100%.
            continue
        try:
            needed = study.sample_size(effect, result.target)
        except OutscoreError:
            # There is no such point: larger than the discordance, against the alternative, or out of reach.
            continue
        if study.method != "exact" or needed <= LARGEST_CURVE:
            points.append(EffectPoint(effect, _items_to_collect(study, needed)))
    return points


def possible_p(
    score_a: str | float,
    score_b: str | float,
    n: int,
    *,
    alpha: float = ALPHA.default,
    alternative: str = ALTERNATIVE.default,
    settings: Mapping[str, Any] | None = None,
) -> PossibleP:
    """The p-values that two printed accuracies on the same n items allow.

    A printed score stands for every number of right answers that rounds to it (half a unit of its last digit either way,
    both ends included, because it is unknown how ties were rounded), and two numbers of right answers for every overlap of the
    errors, from as complete as possible to as little as possible. p is that of the exact McNemar test, which is the paired
    permutation test for right-or-wrong items.

    Parameters
    ----------
    score_a, score_b
        As printed; write them as text to keep trailing zeros. Above 1 both are per cent.

    Examples
    --------
    >>> possible_p(".871", ".864", 1000).verdict.split(",")[0]
    'p lies between .016 and .71'
    """
    if int(n) != n or n < 1:
        raise OutscoreError(f"`n` is {n:g}.", "Give the whole number of items that both systems were scored on.", parameter="n")
    _check_items(n)
    design = study_of(StudyDesign(alpha=alpha, alternative=alternative)).design
    texts = (str(score_a).strip(), str(score_b).strip())
    values, whole = _read_all(texts)
    first, second = (printed_counts(text, *value, int(n), whole) for text, value in zip(texts, values, strict=True))
    possible = overlaps(first, second, int(n), alpha, cast("Alternative", alternative))
    headline = possible_p_headline(possible.lowest, possible.highest, possible.significant_up_to, n=int(n), alpha=design.alpha)
    return PossibleP(
        scores=texts,
        n=int(n),
        alpha=design.alpha,
        alternative=cast("Alternative", design.alternative),
        right=(first, second),
        **vars(possible),
        verdict=", ".join(headline),
        signature=possible_p_signature(texts, int(n), design.alternative, design.alpha),
        settings=dict(settings or {}),
    )


def _check_items(n: int) -> None:
    if n > MAX_PRINTED:
        raise OutscoreError(f"`n` is {n:,}.", f"Printed scores can be checked for up to {MAX_PRINTED:,} items.", parameter="n")


def _read_all(texts: Collection[str]) -> tuple[list[tuple[Fraction, Fraction]], int]:
    """All printed numbers with half a unit of their last digits, and what stands for all items: 100 if they are per cent."""
    values = [read_printed(text) for text in texts]
    return values, 100 if any(value > 1 for value, _ in values) or any(text.endswith("%") for text in texts) else 1


def read_printed(text: str) -> tuple[Fraction, Fraction]:
    """A printed number, and half a unit of its last digit."""
    try:
        value = Decimal(text.removesuffix("%").strip())
        digits = value.as_tuple().exponent
    except InvalidOperation:
        digits = "n"
    # An exponent of thousands is a typing error, and computing with it would take forever.
    if not isinstance(digits, int) or value < 0 or not -MAX_DECIMALS <= digits <= 0:
        raise OutscoreError(f"A score is `{text}`.", "Give accuracies as printed, such as .871 or 87.1.")
    if value > 100:
        raise OutscoreError(
            f"A score is `{text}`, which is above 100.", "Give accuracies between 0 and 1, or both in per cent."
        )
    return Fraction(value), Fraction(10) ** digits / 2


def printed_counts(text: str, value: Fraction, half: Fraction, n: int, whole: int) -> tuple[int, int]:
    """The fewest and the most right answers out of n that round to this printed score."""
    low = max(0, math.ceil((value - half) * n / whole))
    high = min(n, math.floor((value + half) * n / whole))
    if low > high:
        raise OutscoreError(
            f"No number of right answers out of {n:,} gives an accuracy that rounds to `{text}`.",
            "The score or n is misprinted, or the score is not an accuracy on these items.",
        )
    return low, high


def cost_of(items: float, repeats: int, prices: tuple[float, float]) -> float:
    """The cost of a study of two systems, by the prices of an item and of one run of one system on it.

    Examples
    --------
    >>> cost_of(100, 4, (2.0, 0.05))
    240.0
    """
    item, run = prices
    return items * (item + 2 * repeats * run)


def best_priced(
    ask: Ask, prices: tuple[float, float], budget: float | None, repeats: int | None, n: float | None
) -> tuple[Planned, Costs]:
    """The best plan by price, with the alternatives; `repeats` and `n` are the requested ones, if any.

    Without a budget, the best is the cheapest.
    """
    # Only to learn about the design: a budget may pay for too few items to plan with.
    first, *_ = ask(repeats or 1, n if budget is None else max(ENOUGH, _affordable(prices, budget, 1, 1.0)))
    if repeats is not None or not first.design.within:
        runs = [repeats or 1]
    else:
        runs = list(range(1, MAX_RUNS + 1))
    plans = _cheapest(ask, prices, runs, n) if budget is None else _bought(ask, prices, budget, runs, first)
    designs = [
        PricedDesign(plan.design.repeats, plan.items, _cost(plan, prices), plan.power, plan.effect) for plan, *_ in plans
    ]
    if budget is None:
        best = min(range(len(plans)), key=lambda i: (designs[i].cost, designs[i].repeats))
    elif first.question == "effect":
        best = min(range(len(plans)), key=lambda i: (abs(designs[i].effect), designs[i].cost))
    else:
        best = min(range(len(plans)), key=lambda i: (-designs[i].power, designs[i].cost))
    return plans[best], Costs(*prices, budget, designs[best].cost, designs)


def priced_notes(costs: Costs | None, repeats: int) -> list[Note]:
    """A note if more runs than were considered may be better."""
    if costs is None or repeats != MAX_RUNS:
        return []
    return [Note("design", f"At most {MAX_RUNS} runs per item were considered; more may be better still.")]


def _cost(plan: PlanFacts, prices: tuple[float, float]) -> float:
    return cost_of(plan.items, plan.design.repeats, prices)


def _cheapest(ask: Ask, prices: tuple[float, float], runs: list[int], n: float | None) -> list[Planned]:
    """Plans that reach the power, until no further run can make one cheaper; for a given number of items, just that one."""
    if n is not None:
        return [ask(runs[0], n)]
    fewest = ask(ENDLESS, None)[0].items if len(runs) > 1 else 1
    plans: list[Planned] = []
    for repeats in runs:
        if plans and cost_of(fewest, repeats, prices) > min(_cost(plan, prices) for plan, *_ in plans):
            break
        plans.append(ask(repeats, None))
    return plans


def _bought(ask: Ask, prices: tuple[float, float], budget: float, runs: list[int], first: PlanFacts) -> list[Planned]:
    """Plans that spend the budget, until more runs leave too few items."""
    size = first.design.cluster_size
    plans: list[Planned] = []
    for repeats in runs:
        items = _affordable(prices, budget, repeats, size)
        if items < max(2.0, first.design.min_units) * size:
            break
        try:
            plans.append(ask(repeats, items))
        except OutscoreError:
            # So few items cannot detect anything, and more runs leave even fewer.
            break
    if not plans:
        least = _least_items(ask, first, runs[0])
        cost = cost_of(least, runs[0], prices)
        raise OutscoreError(
            f"A budget of {budget:g} does not pay for a test that can detect anything.",
            f"Give at least {cost:.10g}, for the {least:g} items that it needs.",
            parameter="budget",
        )
    return plans


def _least_items(ask: Ask, first: PlanFacts, repeats: int) -> float:
    """The fewest items, in whole clusters, that a plan can be made for."""
    size = first.design.cluster_size
    units = math.ceil(max(2.0, first.design.min_units))
    while True:
        try:
            ask(repeats, units * size)
        except OutscoreError:
            if units * size >= ENOUGH:
                raise
            units += 1
        else:
            return units * size


def _affordable(prices: tuple[float, float], budget: float, repeats: int, size: float) -> float:
    """Items of whole clusters that the budget pays for."""
    clusters = math.floor(budget / cost_of(size, repeats, prices) * (1 + 1e-12))
    return max(1.0, clusters * size)


# A reviewer with a printed table: which numbers of items fit its decimals, and which p each pair of systems can have.
#
# A printed score stands for every number of right answers that rounds to it. The p-values of a pair are bounded by the
# overlaps of errors that are possible, as for two scores. Adjusted p grows with each raw p, so the correction of all
# smallest ones bounds it from below, and that of all largest from above; all pairs need not reach such a bound at once.


MAX_SYSTEMS = 60
"""More systems have more pairs than anybody would read."""
MAX_RANGES = 50
"""Ranges of fitting numbers that are kept."""
HEADERS = ("score", "accuracy", "acc", "acc.", "value", "result", "em", "%")


def read_table(path: str) -> tuple[dict[str, str], Origin, Reading]:
    """Printed scores by system from a file with two columns, with or without a header."""
    with open_source(path) as source:
        lines = [line for line in source.lines() if line.strip()]
        delimiter = max("\t;,", key=lines[0].count) if lines else ","
        rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=delimiter)]
        digest = source.sha256()
    scores: dict[str, str] = {}
    headings = ("column 1", "column 2")
    for i, row in enumerate(rows):
        if len(row) != 2:
            raise OutscoreError(
                f"Row {i + 1} of `{path}` has {len(row)} columns.",
                "Give two columns: the system, and its score as printed.",
                parameter="table",
                file=path,
                line=i + 1,
            )
        system, score = row
        if i == 0 and score.lower() in HEADERS:
            headings = (system or headings[0], score)
            continue
        if system in scores:
            raise OutscoreError(
                f"`{path}` has two scores for `{system}`.",
                "Give each system one score.",
                parameter="table",
                file=path,
                line=i + 1,
            )
        scores[system] = score
    origin = Origin(path, digest, len(rows), "printed", {"system": headings[:1], "score": headings[1:]})
    form = "tsv" if delimiter == "\t" else "csv"
    return scores, origin, Reading("printed", len(scores), 1, [form], [headings[1]], system=[headings[0]])


def possible_table(
    printed: Mapping[str, object],
    n: int | None,
    *,
    alpha: float,
    **more: Any,  # noqa: ANN401 - fields of the result
) -> PossibleTable:
    """The p-values that printed accuracies of systems on the same items allow; without `n`, which numbers of items fit.

    Examples
    --------
    >>> found = possible_table({"new": ".857", "old": ".714"}, None, alpha=0.05)
    >>> found.fitting.smallest, found.fitting.ranges[:3]
    (7, [(7, 7), (14, 14), (21, 21)])
    """
    texts = {str(name): str(score).strip() for name, score in printed.items()}
    _check(texts, n)
    read, whole = _read_all(texts.values())
    values = dict(zip(texts, read, strict=True))
    order = sorted(texts, key=lambda name: -values[name][0])
    fitting = _fitting([values[name] for name in order], whole)
    counts = {}
    if n is not None:
        counts = {name: printed_counts(texts[name], *values[name], n, whole) for name in order}
    systems = [PrintedScore(name, texts[name], counts.get(name)) for name in order]
    pairs, family = ([], None) if n is None else _pairs(counts, n, alpha)
    parts: list[tuple[str, object]] = [("plan", "possible-table"), ("scores", " ".join(texts[name] for name in order))]
    parts += [("n", n), ("test", "mcnemar"), ("correction", HOLM), ("m", len(pairs))] if n is not None else []
    headline, reason = possible_table_verdict(fitting, pairs, family, alpha)
    return PossibleTable(
        systems=systems,
        n=n,
        alpha=alpha,
        fitting=fitting,
        pairs=pairs,
        family=family,
        signature=Signature([*parts, ("alpha", f"{alpha:g}"), VERSION]),
        headline=headline,
        reason=reason,
        verdict=f"{headline} {reason}".strip(),
        **more,
    )


def _check(texts: Mapping[str, str], n: int | None) -> None:
    if not 2 <= len(texts) <= MAX_SYSTEMS:
        raise OutscoreError(
            f"The table has {count(len(texts), 'system')}.",
            f"Give two to {MAX_SYSTEMS} systems and their scores.",
            parameter="table",
        )
    _check_items(n or 0)


def _fitting(values: list[tuple[Fraction, Fraction]], whole: int) -> Fitting:
    """Which numbers of items fit: for each score some whole number lies between n (value ± half) / whole."""
    # From here on, every printed unit contains a whole number.
    always = max(math.ceil(whole / (2 * half)) for _, half in values)
    most = min(always, MAX_PRINTED)
    n = np.arange(1, most + 1, dtype=object if always > MAX_PRINTED else np.int64)
    fits = np.ones(most, dtype=bool)
    for value, half in values:
        low, high = max(Fraction(0), (value - half) / whole), min(Fraction(1), (value + half) / whole)
        fits &= np.asarray(-((-low.numerator * n) // low.denominator) <= (high.numerator * n) // high.denominator, dtype=bool)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], fits, [False]]).astype(np.int8)))
    ranges = [(int(first) + 1, int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)]
    every = ranges[-1][0] if ranges and ranges[-1][1] == most and always <= MAX_PRINTED else None
    return Fitting(most, int(fits.sum()), ranges[0][0] if ranges else None, every, ranges[:MAX_RANGES])


def _pairs(counts: Mapping[str, tuple[int, int]], n: int, alpha: float) -> tuple[list[PossiblePair], Family]:
    both = list(combinations(counts, 2))
    possible = [overlaps(counts[a], counts[b], n, alpha, "two-sided") for a, b in both]
    low, family = correct_family([overlap.lowest for overlap in possible], HOLM)
    high = adjust(np.array([overlap.highest.value for overlap in possible]), HOLM)
    pairs = []
    for pair, overlap, least, most in zip(both, possible, (p.deciding for p in low), high.tolist(), strict=True):
        outcome: Literal["always", "depends", "never"] = "depends"
        if most <= alpha:
            outcome = "always"
        elif least > alpha:
            outcome = "never"
        pairs.append(PossiblePair(pair, overlap.lowest, overlap.highest, least, most, overlap.independent, outcome))
    return pairs, family
