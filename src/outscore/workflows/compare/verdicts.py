"""A result's words: its decision, verdict and sentence, from the numbers it holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from outscore.core.numeric import Array
from outscore.inference.decision import Side, sign
from outscore.inference.families.multiplicity import correct_family
from outscore.inference.registry import TESTS
from outscore.language.numbers import count
from outscore.language.verdict.comparison import sentence, verdict
from outscore.language.verdict.facts import Facts
from outscore.results.comparison import Comparison
from outscore.results.design import Family
from outscore.results.pvalue import PValue

__all__ = ["as_family", "worded"]


def worded(c: Comparison, *, alpha: float, alternative: str, delta: float, identical: bool = False) -> Comparison:
    """The same result with its decision, verdict and sentence as they follow from its numbers.

    `identical` says that the systems have the same score on every item.
    """
    facts = Facts(
        systems=c.systems,
        metric=c.metric,
        higher_is_better=c.higher_is_better,
        scores=(c.scores[0].value, c.scores[1].value),
        difference=c.difference,
        p=c.p,
        interval=c.interval,
        alpha=alpha,
        alternative=alternative,
        delta=delta,
        margin=c.margin,
        bayes=c.bayes,
        direction=_direction(c.p),
        identical=identical,
    )
    answer = verdict(facts)
    return replace(
        c,
        decision=facts.decision,
        verdict=answer.text,
        headline=answer.headline,
        reason=answer.reason,
        identical=identical,
        sentence=sentence(facts, n=c.n, unit=_unit(c)),
    )


def as_family(
    found: Sequence[Comparison],
    correction: str,
    *,
    alpha: float,
    alternative: str,
    delta: float,
    resampled: Array | None = None,
) -> tuple[list[Comparison], Family]:
    """Comparisons made together: each with its corrected p, and with words that follow from it.

    `resampled` holds the adjusted p-values of a correction that works on resampled differences, as `max-t` does.
    """
    p_values, family = correct_family([c.p for c in found], correction, resampled=resampled)
    question: dict[str, Any] = {"alpha": alpha, "alternative": alternative, "delta": delta}
    claims = [worded(replace(c, p=p), **question, identical=c.identical) for c, p in zip(found, p_values, strict=True)]
    return claims, family


def _unit(c: Comparison) -> str:
    """What the comparison was made on, to stand after the number of items or units."""
    unit = f"{c.design.noun}s" if c.design.unit_size == 1 else f"units of {c.design.unit_size} {c.design.noun}s"
    group = "document" if c.design.noun == "segment" else "cluster"
    groups = "" if c.clusters is None else f" in {count(c.clusters, group)}"
    return unit + groups + ("" if c.slice is None else f" with {c.slice.column} = {c.slice.value}")


def _direction(p: PValue) -> Side | None:
    """The side a test sees for itself."""
    entry = TESTS.get(p.test)
    return None if entry is None or entry.lean is None else sign(entry.lean(p))
