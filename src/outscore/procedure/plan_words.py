"""Words for plans: the first sentence, and the notes under it. No statistics are computed here."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal

from outscore.plans import PlanResult, PossibleP
from outscore.results import PValue
from outscore.wording import format_probability

__all__ = ["count", "independent", "notes", "possible", "repeats", "rounded", "verdict"]

SMALL = 100
"""Below this many items estimating the sd costs more than two per cent of them."""


def verdict(plan: PlanResult) -> str:
    """The answer in one sentence."""
    test = f"{plan.alternative}, alpha = {_fraction(plan.alpha)}"
    if plan.question == "items":
        return f"You need {_items(plan)} to detect {_effect(plan)} with power {_fraction(plan.power)} ({test})."
    if plan.question == "effect":
        return f"With {_items(plan)} you can detect {_effect(plan)} with power {_fraction(plan.power)} ({test})."
    chance = format_probability(plan.power, 3)
    return f"With {_items(plan)} the power to detect {_effect(plan)} is {chance} ({test})."


def _items(plan: PlanResult) -> str:
    text = count(plan.items, "item")
    if plan.cluster_size > 1:
        text += f" in {count(math.ceil(plan.items / plan.cluster_size), 'cluster')} of {plan.cluster_size:.4g}"
    return text + (f", each run {plan.repeats} times by both systems," if plan.repeats > 1 else "")


def _effect(plan: PlanResult) -> str:
    # A computed effect is rounded up, as fewer items than it needs would be a promise not kept.
    size = f"{plan.effect:g}" if plan.question != "effect" else rounded(plan.effect, up=True)
    if plan.basis == "standardised":
        return f"an effect of {size} standard deviations"
    return f"a difference of {size}" + (" in accuracy" if plan.basis == "discordance" else "")


def notes(plan: PlanResult) -> list[str]:
    """What a reader should know about this answer."""
    found = []
    if plan.t_items is not None and plan.items < SMALL:
        found.append(f"With so few items the sd has to be estimated: plan for the t test's {plan.t_items:,}.")
    tails = 2 if plan.alternative == "two-sided" else 1
    least = math.ceil(math.log2(tails / plan.alpha) - 1e-12)
    if plan.items / plan.cluster_size < least:
        unit = "item" if plan.cluster_size == 1 else "cluster"
        found.append(f"An exact test cannot reach p <= {_fraction(plan.alpha)} with fewer than {count(least, unit)}.")
    return found


def repeats(once: int, endless: int) -> str:
    """What more or fewer runs per item would change."""
    return f"One run per item would need {once:,} items; no number of runs brings it below {endless:,}."


def independent(rate: float, effect: float | None) -> str:
    """How a discordance rate was found from accuracies alone."""
    text = f"Discordance {rate:.4g}: the errors are taken as independent. Systems that err on the same items need fewer items"
    return f"{text}, down to a discordance of {abs(effect):g}." if effect else f"{text}."


def possible(found: PossibleP) -> str:
    """The range of p in one sentence, and what significance would take in another."""
    low, high = (_beside(p, found.alpha) for p in (found.lowest, found.highest))
    level = _fraction(found.alpha)
    if found.lowest.log10 == found.highest.log10:
        return f"p = {low}, however far the errors of the two systems overlap."
    text = f"p lies between {low} and {high}, depending on how far the errors of the two systems overlap."
    if found.highest.value <= found.alpha:
        return f"{text} It is at or below {level} in any case."
    if found.significant_up_to is None:
        return f"{text} It is above {level} in any case."
    limit = f"{found.significant_up_to:,} of {count(found.n, 'item')}"
    return f"{text} It is at or below {level} only if they differ on at most {limit}."


def _beside(p: PValue, alpha: float) -> str:
    """Two digits, or as many as keep the number on its side of alpha."""
    if p.log10 < -300:
        return f"10^{p.log10:.1f}"
    for digits in range(2, 17):
        shown = Decimal(repr(p.value)).normalize(Context(prec=digits, rounding=ROUND_HALF_EVEN))
        if p.value == alpha or (float(shown) != alpha and (float(shown) < alpha) == (p.value < alpha)):
            break
    return format_probability(p.value, digits)


def rounded(value: float, digits: int = 3, *, up: bool = False) -> str:
    """So many significant digits, away from 0 if asked for.

    Examples
    --------
    >>> rounded(0.02953130, up=True), rounded(-0.5), rounded(12345.0)
    ('0.0296', '-0.5', '12300')
    """
    if not value:
        return "0"
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_HALF_EVEN)
    # The last digits of a float are noise, which must not push a number up.
    clean = Decimal(f"{abs(value):.12g}").normalize(context)
    return f"{'-' if value < 0 else ''}{clean:f}"


def count(n: int, noun: str) -> str:
    """A number with its noun: 1 item, 2,000 items."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _fraction(x: float) -> str:
    return f"{x:g}".removeprefix("0")
