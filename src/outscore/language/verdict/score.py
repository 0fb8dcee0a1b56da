"""Scores of single systems in words: the headline, the reason, and a sentence for a paper."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.inference.populations import claim_of
from outscore.language.numbers import count, decimals_for, format_ends, format_number, format_percent
from outscore.results.score import ScoredSystem


def score_decimals(systems: Sequence[ScoredSystem]) -> int:
    """Enough decimals for the precision of the scores."""
    widths = [one.high - one.low for one in systems if one.low is not None and one.high is not None]
    return decimals_for(*(one.value for one in systems), difference=min(widths, default=0.0) / 10)


def score_verdict(
    systems: Sequence[ScoredSystem], metric: str, *, alpha: float, population: str, kind: str | None, higher_is_better: bool
) -> tuple[str, str, str]:
    """Headline, reason and the sentence for a paper.

    Examples
    --------
    >>> one = ScoredSystem("new", 0.75, 0.53, 0.89, 20, 20)
    >>> asked = {"alpha": 0.05, "population": "items", "kind": None, "higher_is_better": True}
    >>> score_verdict([one], "accuracy", **asked)[:2]
    ('new scores 0.7500', '95% CI 0.5300 to 0.8900, accuracy, 20 items.')
    """
    decimals = score_decimals(systems)
    if any(one.datasets for one in systems):
        metric = f"macro-averaged {metric}"
    level = format_percent(1 - alpha)

    def score(one: ScoredSystem) -> str:
        return format_number(one.value, decimals)

    def limits(one: ScoredSystem, word: str) -> str:
        if one.low is None and one.high is None:
            return f"no interval, because {_why_none(one)}"
        return f"{level} {word} {format_ends(one.low, one.high, decimals)}"

    headline = score_headline(systems, decimals, higher_is_better=higher_is_better)
    if len(systems) == 1:
        one = systems[0]
        about = "" if kind is None else f"; about {claim_of(population, kind)}"
        ends = limits(one, "confidence interval")
        sentence = f"On {_sample(one)}, the {metric} of {one.system} is {score(one)} ({ends})."
        return headline, f"{limits(one, 'CI')}, {metric}, {_sample(one)}{about}.", sentence
    each = "; ".join(f"{one.system} {score(one)} ({limits(one, 'confidence interval')})" for one in systems)
    reason = "each interval is about one system alone, and overlapping intervals say little about their difference."
    return headline, f"{metric}; {reason}", f"{metric.capitalize()} of each system on its own: {each}."


def score_headline(systems: Sequence[ScoredSystem], decimals: int, *, higher_is_better: bool) -> str:
    """The score of one system, or the best and the last of several."""
    best, *others = sorted(systems, key=lambda one: one.value, reverse=higher_is_better)
    if not others:
        return f"{best.system} scores {format_number(best.value, decimals)}"
    first, last = (f"{format_number(one.value, decimals)} ({one.system})" for one in (best, others[-1]))
    return f"{len(systems)} systems score from {first} to {last}"


def _why_none(one: ScoredSystem) -> str:
    """Why there is no interval."""
    if one.n == 1:
        return "there is a single item"
    if one.datasets:
        return f"{next(part.name for part in one.datasets if part.low is None or part.high is None)} has none"
    return "there is a single cluster" if one.clusters == 1 else "the items do not vary"


def _sample(one: ScoredSystem) -> str:
    items = count(one.n, "item")
    if one.datasets:
        items += f" from {count(len(one.datasets), 'dataset')}"
    in_clusters = "" if one.clusters is None else f" in {count(one.clusters, 'cluster')}"
    return f"{items}{in_clusters}{f', {one.repeats:.4g} runs each' if one.repeats > 1 else ''}"
