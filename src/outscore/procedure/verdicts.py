"""A result's words: its decision, verdict and sentence, from the numbers it holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from outscore import wording
from outscore.numerals import count
from outscore.results import Comparison, PValue
from outscore.wording.decision import Side, sign

__all__ = ["worded"]


def worded(c: Comparison, *, alpha: float, alternative: str, delta: float, identical: bool = False) -> Comparison:
    """The same result with its decision, verdict and sentence as they follow from its numbers.

    `identical` says that the systems have the same score on every item.
    """
    answer: dict[str, Any] = {
        "higher_is_better": c.higher_is_better,
        "difference": c.difference,
        "p": c.p,
        "interval": c.interval,
        "margin": c.margin,
        "direction": _direction(c.p),
        "alpha": alpha,
        "alternative": alternative,
        "delta": delta,
    }
    words: dict[str, Any] = {
        "systems": c.systems,
        "metric": c.metric,
        "scores": (c.scores[0].value, c.scores[1].value),
        "bayes": c.bayes,
        "identical": identical,
        **answer,
    }
    return replace(
        c,
        decision=wording.decide(**answer),
        verdict=wording.verdict(**words),
        sentence=wording.sentence(**words, n=c.n, unit=_unit(c)),
    )


def _unit(c: Comparison) -> str:
    """What the comparison was made on, to stand after the number of items or units."""
    unit = f"{c.design.noun}s" if c.design.unit_size == 1 else f"units of {c.design.unit_size} {c.design.noun}s"
    groups = "" if c.clusters is None else f" in {count(c.clusters, 'cluster')}"
    return unit + groups + ("" if c.slice is None else f" with {c.slice.column} = {c.slice.value}")


def _direction(p: PValue) -> Side | None:
    """The side a test sees for itself: with many ties the median is 0 although one system wins more items."""
    return sign(2 * p.statistic - p.n) if p.test == "sign" else None
