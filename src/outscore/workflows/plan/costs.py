"""Plans by price: how many items, and how many runs of each, for the least money; or the most that a budget buys.

A study of n items that both systems run K times costs n (price of an item + 2 K price of a run). More runs need fewer items, as
they average out what differs between runs (Miller, 2024), never what differs between items; so the cheapest K is small where
items differ more than runs, and large where an item is dear. Every K is planned for until no larger one can be cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from outscore.core.errors import OutscoreError
from outscore.core.records import dataclass
from outscore.language.verdict.plan import plan_verdict
from outscore.results.note import Note
from outscore.results.plan import Costs, PlanResult, PricedDesign

__all__ = ["Ask", "Prices", "best_priced"]

MAX_RUNS = 64
"""Runs of each system per item that are looked at."""
ENDLESS = 10**9
"""So many runs that what differs between them is gone."""
ENOUGH = 1_000.0
"""So many items that any test of them can find something."""
Ask = Callable[[int, float | None], PlanResult]
"""A plan for so many runs per item, and for so many items or None."""


@dataclass(frozen=True)
class Prices:
    """What an item and one run of one system on it cost, and what may be spent; None asks for the cheapest design."""

    item: float
    run: float
    budget: float | None = None

    def of(self, items: float, repeats: int) -> float:
        """What a study of two systems costs.

        Examples
        --------
        >>> Prices(2.0, 0.05).of(100, 4)
        240.0
        """
        return items * (self.item + 2 * repeats * self.run)


def best_priced(ask: Ask, prices: Prices, repeats: int | None, n: float | None) -> PlanResult:
    """The best plan by price, with the others beside it; `repeats` and `n` are those that were asked for, if any."""
    # For what is known of the design: a budget may pay for too few items to ask anything of.
    first = ask(repeats or 1, n if prices.budget is None else max(ENOUGH, _affordable(prices, 1, 1.0)))
    if repeats is not None or not first.design.within:
        runs = [repeats or 1]
    else:
        runs = list(range(1, MAX_RUNS + 1))
    found = _bought(ask, prices, runs, first) if prices.budget is not None else _cheapest(ask, prices, runs, n)
    designs = [
        PricedDesign(plan.design.repeats, plan.items, prices.of(plan.items, plan.design.repeats), plan.power, plan.effect)
        for plan in found
    ]
    if prices.budget is None:
        best = min(range(len(found)), key=lambda i: (designs[i].cost, designs[i].repeats))
    elif first.question == "effect":
        best = min(range(len(found)), key=lambda i: (abs(designs[i].effect), designs[i].cost))
    else:
        best = min(range(len(found)), key=lambda i: (-designs[i].power, designs[i].cost))
    plan = replace(found[best], costs=Costs(prices.item, prices.run, prices.budget, designs[best].cost, designs))
    notes = plan.notes
    if designs[best].repeats == MAX_RUNS:
        text = f"No more than {MAX_RUNS} runs per item were looked at, and more of them may be better still."
        notes = [*notes, Note("design", text)]
    return replace(plan, verdict=plan_verdict(plan), notes=notes)


def _cheapest(ask: Ask, prices: Prices, runs: list[int], n: float | None) -> list[PlanResult]:
    """Plans that reach the power, until no further run can make one cheaper; of a given number of items the one asked for."""
    if n is not None:
        return [ask(runs[0], n)]
    fewest = ask(ENDLESS, None).items if len(runs) > 1 else 1
    found: list[PlanResult] = []
    for repeats in runs:
        if found and prices.of(fewest, repeats) > min(prices.of(plan.items, plan.design.repeats) for plan in found):
            break
        found.append(ask(repeats, None))
    return found


def _bought(ask: Ask, prices: Prices, runs: list[int], first: PlanResult) -> list[PlanResult]:
    """Plans that spend the budget, until more runs leave too few items."""
    size = first.design.cluster_size
    found: list[PlanResult] = []
    for repeats in runs:
        items = _affordable(prices, repeats, size)
        if items < max(2.0, first.design.min_units) * size:
            break
        try:
            found.append(ask(repeats, items))
        except OutscoreError:
            # So few items detect nothing at all, and more runs leave still fewer.
            break
    if not found:
        least = _least_items(ask, first, runs[0])
        cost = prices.of(least, runs[0])
        raise OutscoreError(
            f"A budget of {prices.budget:g} does not pay for a test that can find anything.",
            f"Give {cost:.10g} at least, for the {least:g} items that it needs.",
            parameter="budget",
        )
    return found


def _least_items(ask: Ask, first: PlanResult, repeats: int) -> float:
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


def _affordable(prices: Prices, repeats: int, size: float) -> float:
    """Items of whole clusters that the budget pays for."""
    assert prices.budget is not None
    clusters = math.floor(prices.budget / prices.of(size, repeats) * (1 + 1e-12))
    return max(1.0, clusters * size)
