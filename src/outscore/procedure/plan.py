"""Planning: how many items, how small a difference, how likely a verdict, and what two printed scores leave possible.

`plan` answers from numbers, and `possible_p` answers a reviewer who has two accuracies and n. Both say in their first sentence
what was asked. Planning from data at hand is in `pilot`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, cast

from outscore.errors import OutscoreError
from outscore.inference.flipped import Alternative
from outscore.inference.power import sizes_around
from outscore.inference.power_binary import overlaps
from outscore.inference.power_study import Study, checked_n, study_of
from outscore.plans import PlanResult, PossibleP, PowerPoint
from outscore.procedure import plan_words as words

__all__ = ["plan", "possible_p", "whole_items"]

LARGEST_CURVE = 10_000_000
"""Exact power beyond this takes seconds per point, and a curve has eleven."""


def plan(
    *,
    effect: float | None = None,
    n: float | None = None,
    power: float = 0.8,
    sd: float | None = None,
    discordance: float | None = None,
    accuracy: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
    repeats: int = 1,
    within: float = 0.0,
    cluster_size: float = 1,
    icc: float = 0.0,
    method: str = "auto",
) -> PlanResult:
    """Answer the question that is left open: items for an effect, the effect that n items detect, or the power of both.

    Parameters
    ----------
    effect, n
        Give one to get the other, or both to get the power.
    accuracy
        Of the baseline, for right-or-wrong items: without `discordance` the errors of the systems are taken as independent.
    power, sd, discordance, alpha, alternative, repeats, within, cluster_size, icc, method
        As in `outscore.inference.power`.

    Examples
    --------
    >>> plan(effect=0.03, sd=1 / 3).verdict
    'You need 969 items to detect a difference of 0.03 with power .8 (two-sided, alpha = .05).'
    >>> plan(n=1000, sd=1 / 3).verdict
    'With 1,000 items you can detect a difference of 0.0296 with power .8 (two-sided, alpha = .05).'
    """
    if effect is None and n is None:
        raise OutscoreError("There is nothing to plan from.", "Give the effect to detect, or the number of items, or both.")
    rate, notes = _discordance(accuracy, discordance, effect, sd)
    study = study_of(sd, rate, alpha, alternative, repeats, cluster_size, icc, within, method)
    answer = _answer(study, effect, n, power)
    result = PlanResult(
        verdict="",
        alpha=study.alpha,
        alternative=study.alternative,
        basis=study.basis,
        method=study.method,
        sd=sd,
        within=float(within),
        discordance=rate,
        accuracy=accuracy,
        repeats=repeats,
        cluster_size=study.cluster_size,
        icc=study.icc,
        design_effect=study.design_effect,
        notes=notes,
        **answer,
    )
    result = replace(result, t_items=_t_items(result, study), curve=_curve(result, study))
    notes = [*notes, *words.notes(result), *_repeats_note(result, study)]
    return replace(result, verdict=words.verdict(result), notes=notes)


def whole_items(n: float) -> int:
    """The number to collect: rounded up, but not for an error in the last digits."""
    return max(1, math.ceil(n * (1 - 1e-12)))


def _answer(study: Study, effect: float | None, n: float | None, power: float) -> dict[str, Any]:
    """Question, n, items, effect and power, with the missing one computed."""
    if effect is None:
        assert n is not None
        found = study.detectable_effect(checked_n(n), study.checked_power(power))
        signed = -found if study.alternative == "less" else found
        return {"question": "effect", "n": float(n), "items": whole_items(n), "effect": signed, "power": power}
    size = study.towards(effect)
    if n is not None:
        reached = study.power(checked_n(n), size)
        return {"question": "power", "n": float(n), "items": whole_items(n), "effect": effect, "power": reached}
    target = study.checked_power(power)
    needed = study.sample_size(size, target)
    return {"question": "items", "n": needed, "items": whole_items(needed), "effect": effect, "power": power}


def _t_items(result: PlanResult, study: Study) -> int | None:
    """What the t test needs where the formula took the sd as known."""
    if result.question != "items" or result.method != "normal" or result.basis == "discordance":
        return None
    return whole_items(replace(study, method="t").sample_size(study.towards(result.effect), result.power))


def _repeats_note(result: PlanResult, study: Study) -> list[str]:
    """What repeats can buy at all: they average out the noise between runs, never the spread between items."""
    if result.question != "items" or not result.within or not result.sd:
        return []
    size = study.towards(result.effect)
    once = replace(study, sd=math.hypot(result.sd, result.within)).sample_size(size, result.power)
    endless = replace(study, sd=result.sd).sample_size(size, result.power)
    return [words.repeats(whole_items(once), whole_items(endless))]


def _curve(result: PlanResult, study: Study) -> list[PowerPoint]:
    """Power at the effect in question, below and beyond the items in question."""
    size = study.towards(result.effect)
    sizes = sizes_around(result.items, least=math.ceil(2 * study.cluster_size))
    return [PowerPoint(k, study.power(k, size)) for k in sizes if k <= LARGEST_CURVE or study.method != "exact"]


def _discordance(
    accuracy: float | None, discordance: float | None, effect: float | None, sd: float | None
) -> tuple[float | None, list[str]]:
    """The discordance rate that a baseline's accuracy allows, or implies when the errors are independent."""
    if accuracy is None:
        return discordance, []
    if sd is not None:
        raise OutscoreError("Both `sd` and `accuracy` were given.", "Give `accuracy` for right-or-wrong items only.")
    other = accuracy + (effect or 0.0)
    if not (0 < accuracy < 1 and 0 <= other <= 1):
        raise OutscoreError(
            f"`accuracy` is {accuracy:g}" + (f" and the effect {effect:+g}." if effect else "."),
            "Both systems' accuracies must lie between 0 and 1.",
        )
    most = min(accuracy + other, 2 - accuracy - other)
    if discordance is None:
        independent = accuracy * (1 - other) + other * (1 - accuracy)
        return independent, [words.independent(independent, effect)]
    if discordance > most * (1 + 1e-12):
        raise OutscoreError(
            f"`discordance` is {discordance:g}, but accuracies of {accuracy:g} and {other:g} allow {most:.6g} at most.",
            "Check the two numbers.",
        )
    return discordance, []


def possible_p(
    score_a: str | float, score_b: str | float, n: int, *, alpha: float = 0.05, alternative: str = "two-sided"
) -> PossibleP:
    """The p-values that two printed accuracies on the same n items leave possible.

    A printed score stands for every number of right answers that rounds to it (half a unit of its last digit either way,
    both ends included, since nobody knows how ties were rounded), and two numbers of right answers for every overlap of the
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
        raise OutscoreError(f"`n` is {n:g}.", "Give the whole number of items that both systems were scored on.")
    study = study_of(None, None, alpha, alternative)
    texts = (str(score_a).strip(), str(score_b).strip())
    values = [_printed(text) for text in texts]
    per_cent = any(value > 1 for value, _ in values) or any(text.endswith("%") for text in texts)
    first, second = (
        _counts(text, value, unit, int(n), 100 if per_cent else 1) for text, (value, unit) in zip(texts, values, strict=True)
    )
    found = overlaps(first, second, int(n), alpha, cast("Alternative", alternative))
    result = PossibleP(
        scores=texts,
        n=int(n),
        alpha=study.alpha,
        alternative=study.alternative,
        right=(first, second),
        lowest=found.lowest,
        highest=found.highest,
        discordant=found.discordant,
        independent=found.independent,
        significant_up_to=found.significant_up_to,
    )
    return replace(result, verdict=words.possible(result))


def _printed(text: str) -> tuple[Fraction, Fraction]:
    """A printed number, and half a unit of its last digit."""
    try:
        value = Decimal(text.removesuffix("%").strip())
        digits = value.as_tuple().exponent
    except InvalidOperation:
        digits = "n"
    if not isinstance(digits, int) or value < 0:
        raise OutscoreError(f"A score is `{text}`.", "Give accuracies as printed, such as .871 or 87.1.")
    return Fraction(value), Fraction(10) ** digits / 2


def _counts(text: str, value: Fraction, half: Fraction, n: int, whole: int) -> tuple[int, int]:
    """The fewest and the most right answers out of n that print as this score."""
    if value > whole:
        raise OutscoreError(f"A score is `{text}`, above {whole}.", "Give accuracies between 0 and 1, or both in per cent.")
    low = max(0, math.ceil((value - half) * n / whole))
    high = min(n, math.floor((value + half) * n / whole))
    if low > high:
        raise OutscoreError(
            f"No number of right answers out of {n:,} prints as `{text}`.",
            "The score or n is misprinted, or the score is not an accuracy on these items.",
        )
    return low, high
