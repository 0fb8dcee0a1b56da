"""Words for plans and printed tables: the first sentence, the notes below it, and which pairs differ in every case."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal

from outscore.language.numbers import count, effect_size, format_level, format_probability, rounded, span
from outscore.language.phrases import corrected_by
from outscore.results.design import Family
from outscore.results.note import Note
from outscore.results.plan import Costs, Fitting, PlanFacts, PossiblePair
from outscore.results.pvalue import PValue

SMALL = 100
"""Below this many items estimating the sd costs more than two per cent of them."""
NEARLY_ONE = 0.9995
TENTH = 0.1
"""Two directions whose differences are further apart are both told."""
SHOWN = 5
"""Ranges of fitting numbers that a sentence names."""


def plan_headline(plan: PlanFacts, costs: Costs | None) -> tuple[str, str]:
    """The answer, its conditions, and what it costs."""
    headline, reason = _headline(plan)
    return (headline, reason) if costs is None else (headline, f"{reason} {cost_sentence(plan, costs)}")


def cost_sentence(plan: PlanFacts, costs: Costs) -> str:
    """What the study costs, and why it has as many runs as it has."""
    runs = 2 * plan.design.repeats * plan.items
    items = f"{count(plan.items, 'item')} at {costs.price_item:g}, {count(runs, 'run')} at {costs.price_run:g}"
    text = f"That costs {_money(costs.cost)} ({items})"
    if len(costs.designs) < 2:
        return f"{text}."
    if costs.budget is not None:
        better = "most power" if plan.question == "power" else "smallest difference"
        return f"{text}, the {better} that {_money(costs.budget)} buys."
    once = costs.designs[0]
    once_each = "" if once.repeats == plan.design.repeats else f"; with one run of each per item it costs {_money(once.cost)}"
    return f"{text}, the cheapest such design{once_each}."


def _money(value: float) -> str:
    return f"{value:,.2f}".removesuffix(".00")


def _headline(plan: PlanFacts) -> tuple[str, str]:
    """The answer and its conditions."""
    if plan.design.margin is not None:
        return _gate_headline(plan, plan.design.margin)
    test = f"{plan.design.alternative}, alpha = {format_level(plan.design.alpha)}"
    aim = f"with power {format_level(plan.power)} ({test})."
    if plan.question == "items":
        return f"You need {_items(plan)}", f"to detect {difference(plan)} {aim}"
    if plan.question == "effect":
        return f"With {_items(plan)} you can detect {difference(plan)}", aim + _other_direction(plan)
    return f"With {_items(plan)} the power to detect {difference(plan)} is {_chance(plan.power)}", f"({test})."


def _gate_headline(plan: PlanFacts, margin: float) -> tuple[str, str]:
    """The answer about a gate and its conditions."""
    gate = f"a gate with a margin of {_in_unit(plan, margin)}"
    level = f"(alpha = {format_level(plan.design.alpha)})"
    if plan.question == "items":
        return f"You need {_items(plan)}", f"for {gate} to pass with power {format_level(plan.power)} {truth(plan)} {level}."
    return f"With {_items(plan)} {gate} passes with probability {_chance(plan.power)}", f"{truth(plan)} {level}."


def truth(plan: PlanFacts) -> str:
    """What a planned gate takes for true."""
    if not plan.effect:
        return "if the systems do not differ"
    return f"if A is {'better' if plan.effect > 0 else 'worse'} by {effect_size(abs(plan.effect), computed=False)}"


def _in_unit(plan: PlanFacts, size: float) -> str:
    of_accuracy = plan.design.basis == "discordance" and plan.design.unit == 1
    return f"{effect_size(size, computed=False)} in {'accuracy' if of_accuracy else scored(plan)}"


def scored(plan: PlanFacts) -> str:
    """What a difference is one of, unless it is of accuracy."""
    return plan.design.measure or "the mean score"


def _other_direction(plan: PlanFacts) -> str:
    """Which direction the answer is about, where a system that is better takes another difference than one that is worse."""
    sides = plan.directions
    if sides is None:
        return ""
    ahead = plan.effect > 0
    this, other, extreme = ("better", "worse", "always wrong") if ahead else ("worse", "better", "always right")
    size = sides.worse if ahead else sides.better
    if size is None:
        return f" The other system is {this} by so much; no {other} one is detected with this power, even if it is {extreme}."
    if abs(abs(plan.effect) - size) <= TENTH * size:
        return "" if ahead else " The other system is worse by so much."
    return f" The other system is {this} by so much; a {other} one is detected from {effect_size(size, computed=True)} on."


def _items(plan: PlanFacts) -> str:
    size, runs = plan.design.cluster_size, plan.design.repeats
    item, cluster = nouns(plan)
    text = count(plan.items, item)
    if size > 1:
        # Clusters are what a plan can count: their items come with them.
        average = " on average" if plan.design.cluster_cv or plan.design.battles else ""
        text = f"{count(clusters_of(plan, plan.items), cluster)} of {size:.4g} {item}s{average} ({text})"
    if plan.design.unpaired:
        text = f"{text} of each system"
    return text + (f", each run {runs} times by both systems," if runs > 1 else "")


def nouns(plan: PlanFacts) -> tuple[str, str]:
    """What an item and a cluster are called."""
    return ("battle", "prompt") if plan.design.battles else ("item", "cluster")


def clusters_of(plan: PlanFacts, items: float) -> int:
    """How many whole clusters so many items make."""
    return math.floor(items / plan.design.cluster_size * (1 + 1e-12))


def difference(plan: PlanFacts) -> str:
    """The difference in question with its unit."""
    computed = plan.question == "effect"
    effect = plan.effect if plan.directions is None else abs(plan.effect)
    size = effect_size(effect, computed=computed)
    if plan.design.battles:
        rate = Decimal(effect_size(50 + 100 * abs(effect), computed=computed))
        return f"a win rate of {rate if effect >= 0 else 100 - rate}%"
    if plan.design.basis == "standardised":
        return f"an effect of {size} standard deviations"
    if plan.design.basis == "sd" or plan.design.unit != 1:
        return f"a difference of {size} in {scored(plan)}"
    points = effect_size(100 * effect, computed=computed)
    return f"a difference of {size} in accuracy ({points} percentage {'point' if points == '1' else 'points'})"


def _chance(power: float) -> str:
    # Rounding must not promise certainty.
    return "above .999" if power > NEARLY_ONE else format_probability(power, 3)


def plan_notes(plan: PlanFacts, t_items: int | None) -> list[Note]:
    """What a reader should know about this answer; `t_items` is what the t test needs."""
    notes = []
    if plan.method == "normal" and t_items is not None and plan.items < t_items and plan.items < SMALL:
        text = f"With so few items, the sd has to be estimated as well: plan for the t test's {t_items:,}."
        notes.append(Note("assumption", text))
    size, least = plan.design.cluster_size, plan.design.min_units
    needed = plan.n if plan.question == "items" else plan.items
    if needed / size < least and plan.method not in ("exact", "t", "margin"):
        unit = "item" if size == 1 else "cluster"
        level = format_level(plan.design.alpha)
        text = f"An exact test cannot reach p <= {level} with fewer than {count(least, unit)}, whatever the formula says."
        notes.append(Note("method", text))
    return notes


def repeats_note(once: int | None, endless: int) -> Note:
    """What more or fewer runs per item would change; `once` is None where the plan has one run."""
    if once is None:
        text = f"With more runs per item, fewer items are needed, but never fewer than {endless:,}."
    else:
        text = f"With one run per item, {once:,} items are needed; with any number of runs, at least {endless:,}."
    return Note("design", text)


def units_note(size: int) -> Note:
    """What the items of a plan are, where those of its pilot were joined."""
    return Note("design", f"The pilot's items were joined into units of {size}: each item here is such a unit.")


def independence_note(rate: float, effect: float) -> Note:
    """How a discordance rate follows from accuracies alone."""
    apart = rounded(abs(effect))
    text = f"Discordance {rate:.4g} assumes independent errors of systems that differ by {apart}."
    return Note("assumption", f"{text} Systems that err on the same items need fewer items, down to a discordance of {apart}.")


def possible_p_headline(
    lowest: PValue, highest: PValue, significant_up_to: int | None, *, n: int, alpha: float
) -> tuple[str, str]:
    """The range of p, and what it depends on."""
    low, high = (_beside(p, alpha) for p in (lowest, highest))
    level = format_level(alpha)
    if lowest.log10 == highest.log10:
        return f"p = {low}", "however much the errors of the two systems overlap."
    headline, reason = f"p lies between {low} and {high}", "depending on how much the errors of the two systems overlap."
    if highest.value <= alpha:
        return headline, f"{reason} It is at or below {level} in any case."
    if significant_up_to is None:
        return headline, f"{reason} It is above {level} in any case."
    limit = f"{significant_up_to:,} of {count(n, 'item')}"
    return headline, f"{reason} It is at or below {level} only if they differ on at most {limit}."


def _beside(p: PValue, alpha: float) -> str:
    """Two digits, or as many as keep the number on its side of alpha."""
    if p.log10 < -300:
        return f"10^{p.log10:.1f}"
    for digits in range(2, 17):
        shown = Decimal(repr(p.value)).normalize(Context(prec=digits, rounding=ROUND_HALF_EVEN))
        if p.value == alpha or (float(shown) != alpha and (float(shown) < alpha) == (p.value < alpha)):
            break
    return format_probability(p.value, digits)


def possible_table_verdict(
    fits: Fitting, pairs: Sequence[PossiblePair], family: Family | None, alpha: float
) -> tuple[str, str]:
    """The answer, and what it depends on; without a known number of items there are no pairs and no family."""
    if family is None:
        if fits.smallest is None:
            return "No number of items fits all printed scores.", fitting_sentence(fits)
        return f"The printed scores need at least {count(fits.smallest, 'item')}.", fitting_sentence(fits)
    level, m = format_level(alpha), len(pairs)
    number = {name: sum(pair.outcome == name for pair in pairs) for name in ("always", "never", "depends")}
    how = "" if m == 1 else f", {corrected_by(family, 'pair')}"
    headline = f"{number['always']} of {count(m, 'pair')} differ significantly in every case"
    rest = f"{number['never']} in no case, {number['depends']} depending on how much the errors overlap"
    return headline, f"(exact McNemar test, alpha = {level}{how}); {rest}."


def fitting_sentence(fits: Fitting) -> str:
    """Which numbers of items fit the printed decimals."""
    if fits.smallest is None:
        return f"No number of items up to {fits.looked_up_to:,} has counts of right answers that round to all printed scores."
    shown = [span(*ends) for ends in fits.ranges[:SHOWN]]
    if fits.every_from is not None and len(fits.ranges) <= SHOWN:
        shown[-1] = f"every number from {fits.every_from:,} up"
    elif fits.every_from is not None:
        shown.append(f"…, and every number from {fits.every_from:,} up")
    elif len(fits.ranges) > SHOWN:
        shown.append(f"… ({fits.count:,} of the numbers up to {fits.looked_up_to:,})")
    return f"Numbers of items that fit the printed decimals: {', '.join(shown)}."
