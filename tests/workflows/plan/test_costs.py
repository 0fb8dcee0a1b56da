"""Plans by price against a search over every number of runs and items."""

from __future__ import annotations

import math

import numpy as np
import pytest

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.inference.power.planning import power

SPREAD = {"sd": 0.2, "within": 0.4}
PRICES = {"price_item": 2.0, "price_run": 0.05}


def cost(items: int, runs: int, price_item: float, price_run: float) -> float:
    return items * price_item + items * runs * price_run + items * runs * price_run


@pytest.mark.parametrize(("item", "run"), [(2.0, 0.05), (0.0, 1.0), (1.0, 1.0), (10.0, 0.01)])
def test_the_cheapest_of_a_grid(item, run):
    """By the closed formula every number of items is looked at, for every number of runs."""
    found = osc.plan(effect=0.05, **SPREAD, price_item=item, price_run=run, method="normal")
    best = math.inf, 0, 0
    for runs in range(1, 65):
        needed = next(n for n in range(6, 2_000) if power(n, 0.05, sd=0.2, within=0.4, repeats=runs, method="normal") >= 0.8)
        best = min(best, (cost(needed, runs, item, run), runs, needed))
    assert (found.costs.cost, found.design.repeats, found.items) == (pytest.approx(best[0]), *best[1:])
    assert found.costs.cost == pytest.approx(cost(found.items, found.design.repeats, item, run))


def test_every_design_is_a_plan_of_its_own():
    found = osc.plan(effect=0.03, **SPREAD, **PRICES)
    for design in found.costs.designs[:4]:
        alone = osc.plan(effect=0.03, **SPREAD, repeats=design.repeats)
        assert (design.items, design.power) == (alone.items, alone.power)
    # The classical square root: √(price of an item · within² / (2 · price of a run · sd²)).
    assert found.design.repeats == round(math.sqrt(2.0 * 0.16 / (2 * 0.05 * 0.04)))
    assert found.items == osc.plan(effect=0.03, **SPREAD, repeats=9).items
    assert "the cheapest such design" in found.verdict


@pytest.mark.slow
def test_what_a_budget_buys():
    found = osc.plan(effect=0.03, **SPREAD, **PRICES, budget=500)
    chances = {}
    for runs in range(1, 65):
        items = int(500 / (2.0 + 2 * runs * 0.05))
        chances[runs] = osc.plan(effect=0.03, **SPREAD, repeats=runs, n=items).power
    best = max(chances, key=lambda runs: chances[runs])
    assert (found.design.repeats, found.power) == (best, chances[best])
    assert found.costs.cost <= 500
    smallest = osc.plan(**SPREAD, **PRICES, budget=500)
    assert smallest.question == "effect"
    assert smallest.effect == min(design.effect for design in smallest.costs.designs)
    assert smallest.effect == osc.plan(**SPREAD, repeats=smallest.design.repeats, n=smallest.items).effect


def test_without_noise_between_runs_there_is_one():
    found = osc.plan(effect=0.05, sd=0.3, **PRICES)
    assert (found.design.repeats, len(found.costs.designs)) == (1, 1)
    right_or_wrong = osc.plan(effect=0.05, discordance=0.2, **PRICES)
    assert right_or_wrong.costs.cost == pytest.approx(right_or_wrong.items * 2.1)
    fixed = osc.plan(effect=0.05, **SPREAD, repeats=3, **PRICES)
    assert fixed.costs.cost == pytest.approx(fixed.items * (2 + 6 * 0.05))
    at_hand = osc.plan(effect=0.05, sd=0.3, n=100, **PRICES)
    assert (at_hand.question, at_hand.costs.cost) == ("power", pytest.approx(210))


def test_the_spread_of_a_pilot_and_clusters():
    rng = np.random.default_rng(0)
    items = np.repeat(np.arange(40), 4)
    shared = rng.normal(0, 0.3, 40)[items]
    a, b = shared + rng.normal(0.1, 0.4, 160), rng.normal(0, 0.4, 160)
    found = osc.plan(pilot=[a, b], items=items, effect=0.1, **PRICES)
    assert found.design.repeats > 1
    for design in found.costs.designs[:3]:
        alone = osc.plan(pilot=[a, b], items=items, effect=0.1, repeats=design.repeats)
        assert (design.items, design.power) == (alone.items, alone.power)
    clustered = osc.plan(**SPREAD, cluster_size=10, icc=0.1, **PRICES, budget=1_000)
    assert all(design.items % 10 == 0 for design in clustered.costs.designs)


def test_every_form_has_it(tmp_path):
    found = osc.plan(effect=0.03, **SPREAD, **PRICES)
    assert osc.load(found.save(tmp_path / "plan.json")) == found
    for text in (found.to_text(), found.to_markdown(), found.to_html(), found.to_latex()):
        assert "Items and runs by price" in text
        assert "this plan" in text
    assert osc.plan(effect=0.03, **SPREAD).costs is None


@pytest.mark.parametrize(
    ("asked", "message", "parameter"),
    [
        ({"price_item": 2}, "Prices need --price-run too", "price_run"),
        ({"budget": 100}, "Prices need --price-item too", "price_item"),
        ({"price_item": 0, "price_run": 0}, "Both prices are 0", "price_item"),
        ({"price_item": 2, "price_run": 0}, "A run costs nothing", "price_run"),
        ({**PRICES, "budget": 100, "n": 50}, "--n and --budget both determine the number of items", "budget"),
        ({**PRICES, "budget": 5}, "A budget of 5 does not pay for a test", "budget"),
    ],
)
def test_what_is_refused(asked, message, parameter):
    with pytest.raises(OutscoreError, match=message) as caught:
        osc.plan(effect=0.05, **SPREAD, **asked)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize("budget", [0.5, 5])
@pytest.mark.parametrize("design", [SPREAD, {"accuracy": 0.6, "discordance": 0.3}, {"sd": 0.3, "cluster_size": 5, "icc": 0.1}])
def test_a_budget_that_is_too_small_says_which_suffices(budget, design):
    asked = {**design, "price_item": 1.0, "price_run": 0.5}
    with pytest.raises(OutscoreError, match=f"A budget of {budget:g} does not pay") as caught:
        osc.plan(**asked, budget=budget)
    assert caught.value.hint.startswith("Give at least ")
    least = float(caught.value.hint.split()[3].rstrip(","))
    assert osc.plan(**asked, budget=least).costs.cost <= least
    with pytest.raises(OutscoreError, match="does not pay"):
        osc.plan(**asked, budget=least - 0.01)


def test_printed_scores_cost_nothing():
    with pytest.raises(OutscoreError, match="cannot be combined with --scores"):
        osc.plan(scores=(".87", ".86"), n=100, **PRICES)
