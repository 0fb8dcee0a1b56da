"""Words for plans: the first sentence, and the notes under it. No statistics are computed here."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Context, Decimal

from outscore._version import __version__
from outscore.language.numbers import count, format_level, format_probability
from outscore.language.rounding import effect_size, rounded
from outscore.results.note import Note
from outscore.results.plan import PlanResult, PossibleP, StudyDesign
from outscore.results.pvalue import PValue

__all__ = [
    "difference",
    "independent",
    "least_units",
    "notes",
    "possible",
    "possible_signature",
    "repeats",
    "rounded",
    "signature",
    "verdict",
]

SMALL = 100
"""Below this many items estimating the sd costs more than two per cent of them."""
NEARLY_ONE = 0.9995


def verdict(plan: PlanResult) -> str:
    """The answer in one sentence."""
    test = f"{plan.design.alternative}, alpha = {format_level(plan.design.alpha)}"
    if plan.question == "items":
        return f"You need {_items(plan)} to detect {difference(plan)} with power {format_level(plan.power)} ({test})."
    if plan.question == "effect":
        return f"With {_items(plan)} you can detect {difference(plan)} with power {format_level(plan.power)} ({test})."
    return f"With {_items(plan)} the power to detect {difference(plan)} is {_chance(plan.power)} ({test})."


def _items(plan: PlanResult) -> str:
    size, runs = plan.design.cluster_size, plan.design.repeats
    text = count(plan.items, "item")
    if size > 1:
        text += f" in {count(math.ceil(plan.items / size), 'cluster')} of {size:.4g}"
    return text + (f", each run {runs} times by both systems," if runs > 1 else "")


def difference(plan: PlanResult) -> str:
    """The difference in question with its unit."""
    computed = plan.question == "effect"
    size = effect_size(plan.effect, computed=computed)
    if plan.design.basis == "standardised":
        return f"an effect of {size} standard deviations"
    if plan.design.basis == "sd":
        return f"a difference of {size} in the mean score"
    points = effect_size(100 * plan.effect, computed=computed)
    return f"a difference of {size} in accuracy ({points} percentage {'point' if points == '1' else 'points'})"


def _chance(power: float) -> str:
    # Rounding must not promise certainty.
    return "above .999" if power > NEARLY_ONE else format_probability(power, 3)


def least_units(design: StudyDesign) -> int:
    """The fewest units with which a test that flips their signs can reach alpha at all: its smallest p is 2^-m a side.

    Examples
    --------
    >>> least_units(StudyDesign()), least_units(StudyDesign(alternative="greater"))
    (6, 5)
    """
    tails = 2 if design.alternative == "two-sided" else 1
    return max(2, math.ceil(math.log2(tails / design.alpha) - 1e-12))


def notes(plan: PlanResult) -> list[Note]:
    """What a reader should know about this answer."""
    found = []
    if plan.t_items is not None and plan.items < plan.t_items and plan.items < SMALL:
        text = f"With so few items the sd has to be estimated: plan for the t test's {plan.t_items:,}."
        found.append(Note("assumption", text))
    size, least = plan.design.cluster_size, least_units(plan.design)
    needed = plan.n if plan.question == "items" else plan.items
    if needed / size < least and plan.method != "exact":
        unit = "item" if size == 1 else "cluster"
        level = format_level(plan.design.alpha)
        text = f"An exact test cannot reach p <= {level} with fewer than {count(least, unit)}, whatever the formula says."
        found.append(Note("method", text))
    return found


def repeats(once: int | None, endless: int) -> Note:
    """What more or fewer runs per item would change; `once` is None where one run is what the plan has."""
    if once is None:
        text = f"More runs per item would need fewer items, but no number of runs brings it below {endless:,}."
    else:
        text = f"One run per item would need {once:,} items; no number of runs brings it below {endless:,}."
    return Note("design", text)


def independent(rate: float, effect: float | None) -> Note:
    """How a discordance rate was found from accuracies alone."""
    text = f"Discordance {rate:.4g}: the errors are taken as independent. Systems that err on the same items need fewer items"
    down_to = f", down to a discordance of {rounded(abs(effect))}" if effect else ""
    return Note("assumption", f"{text}{down_to}.")


def possible(found: PossibleP) -> str:
    """The range of p in one sentence, and what significance would take in another."""
    low, high = (_beside(p, found.alpha) for p in (found.lowest, found.highest))
    level = format_level(found.alpha)
    if found.lowest.log10 == found.highest.log10:
        return f"p = {low}, however far the errors of the two systems overlap."
    text = f"p lies between {low} and {high}, depending on how far the errors of the two systems overlap."
    if found.highest.value <= found.alpha:
        return f"{text} It is at or below {level} in any case."
    if found.significant_up_to is None:
        return f"{text} It is above {level} in any case."
    limit = f"{found.significant_up_to:,} of {count(found.n, 'item')}"
    return f"{text} It is at or below {level} only if they differ on at most {limit}."


def signature(plan: PlanResult) -> str:
    """One line that repeats the plan."""
    design = plan.design
    parts = {
        "plan": plan.question,
        **({} if plan.question == "items" else {"n": plan.items}),
        **({} if plan.question == "effect" else {"effect": f"{plan.effect:g}"}),
        **({} if plan.question == "power" else {"power": f"{plan.power:g}"}),
        **{name: f"{value:g}" for name, value in (("sd", design.sd), ("discordance", design.discordance)) if value is not None},
        **({"within": f"{design.within:g}", "repeats": design.repeats} if design.within else {}),
        **({"cluster-size": f"{design.cluster_size:g}", "icc": f"{design.icc:g}"} if design.cluster_size > 1 else {}),
        "method": plan.method,
        "alternative": design.alternative,
        "alpha": f"{design.alpha:g}",
        "outscore": __version__,
    }
    return "|".join(f"{name}:{value}" for name, value in parts.items())


def possible_signature(found: PossibleP) -> str:
    """One line that repeats the answer to a reviewer."""
    scores = " ".join(found.scores)
    test = f"test:mcnemar|alternative:{found.alternative}|alpha:{found.alpha:g}"
    return f"plan:possible-p|scores:{scores}|n:{found.n}|{test}|outscore:{__version__}"


def _beside(p: PValue, alpha: float) -> str:
    """Two digits, or as many as keep the number on its side of alpha."""
    if p.log10 < -300:
        return f"10^{p.log10:.1f}"
    for digits in range(2, 17):
        shown = Decimal(repr(p.value)).normalize(Context(prec=digits, rounding=ROUND_HALF_EVEN))
        if p.value == alpha or (float(shown) != alpha and (float(shown) < alpha) == (p.value < alpha)):
            break
    return format_probability(p.value, digits)
