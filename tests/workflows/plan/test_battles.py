"""Plans from battles: how many prompts tell two systems apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

import outscore as osc
from outscore.inference.power.observed import needed_of_battles
from outscore.inference.preferences.win_rates import flip_p
from outscore.report.build.preference import next_step, times_as_much

HEAD = "prompt,model_a,model_b,winner"


def written(tmp_path, seed, votes, ties=0.1, lead=0.1):
    """Battles of two systems on sixty prompts with so many votes each."""
    rng = np.random.default_rng(seed)
    lines = [HEAD]
    for prompt in range(60):
        liked = 1 / (1 + math.exp(-rng.normal(lead, 0.8)))
        for _ in range(int(rng.integers(1, votes + 1))):
            turned, won = bool(rng.random() < 0.5), bool(rng.random() < liked)
            winner = "tie" if rng.random() < ties else ("model_a" if won != turned else "model_b")
            lines.append(f"p{prompt},{'y,x' if turned else 'x,y'},{winner}")
    path = tmp_path / "battles.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("votes", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_prefer_and_plan_agree(tmp_path, votes, seed):
    path = written(tmp_path, seed, votes)
    found = osc.prefer(path)
    planned = osc.plan(pilot=path)
    prompts = planned.items / planned.design.cluster_size
    assert round(prompts) == needed_of_battles(found.pairs[0], 0.05)
    times = times_as_much(prompts / found.pairs[0].clusters)
    assert next_step(found) == [] or f"{times} times as many battles" in next_step(found)[0]
    assert planned.effect == pytest.approx(found.pairs[0].win_rate - 0.5)
    assert "prompts" in planned.verdict or votes == 1
    assert "win rate of" in planned.verdict


def test_words_and_what_is_refused(tmp_path):
    path = written(tmp_path, 1, 1, ties=0.0)
    planned = osc.plan(pilot=path, effect=0.1)
    # A sign test of 60 against 40 per cent.
    assert planned.verdict.startswith("You need 210 battles to detect a win rate of 60% with power .8")
    assert (planned.items, planned.method) == (osc.plan(effect=0.2, discordance=1.0).items, "exact")
    assert "battles" in planned.to_text()
    assert "if the true win rate is 60%" in " ".join(planned.to_text().split())
    assert osc.load(planned.save(tmp_path / "plan.json")) == planned
    for given in ({"unpaired": True}, {"margin": 0.1}, {"repeats": 2}, {"items": "prompt"}):
        with pytest.raises(osc.OutscoreError, match="is about scores, not battles"):
            osc.plan(pilot=path, effect=0.1, **given)
    three = tmp_path / "three.csv"
    three.write_text(f"{HEAD}\np1,x,y,model_a\np2,y,z,model_b\np3,z,x,tie\np4,x,y,model_b\np5,x,y,model_a\n")
    with pytest.raises(osc.OutscoreError, match="between 3 systems, but a plan is for two"):
        osc.plan(pilot=three, effect=0.1)
    assert osc.plan(pilot=three, effect=0.1, systems=["x", "y"]).items == 210


@pytest.mark.slow
def test_planned_battles_decide_as_often_as_planned(tmp_path):
    """Prompts with one to three votes, drawn again from those of the pilot and moved to the lead that was planned for."""
    path = written(tmp_path, 3, 3)
    planned = osc.plan(pilot=path, effect=0.1)
    rng = np.random.default_rng(8)
    hits = 0
    for _ in range(400):
        liked = 1 / (1 + np.exp(-rng.normal(0.1, 0.8, 20_000)))
        move = 0.1 - 0.9 * (liked.mean() - 0.5)
        prompts = round(planned.items / planned.design.cluster_size)
        votes = rng.integers(1, 4, prompts)
        chosen = np.clip(liked[:prompts] + move / 0.9, 0, 1)
        ties = rng.binomial(votes, 0.1)
        wins = rng.binomial(votes - ties, chosen)
        hits += flip_p(2 * wins + ties - votes).upper <= 0.05
    assert hits / 400 == pytest.approx(0.8, abs=0.1)


def test_a_is_the_first_system_that_is_named(tmp_path):
    """Not the stronger one, which is first where none is named."""
    path = written(tmp_path, 3, 1, lead=0.5)
    ahead = osc.prefer(path).pairs[0]
    strong, weak = ahead.a, ahead.b
    rate = ahead.win_rate
    first = osc.plan(pilot=path, systems=[strong, weak], alternative="greater")
    last = osc.plan(pilot=path, systems=[weak, strong], alternative="less")
    assert first.effect == pytest.approx(rate - 0.5)
    assert last.effect == pytest.approx(0.5 - rate)
    assert (first.items, first.power) == (last.items, last.power)
    with pytest.raises(osc.OutscoreError, match="points away from the alternative"):
        osc.plan(pilot=path, systems=[weak, strong], alternative="greater")
    text = " ".join(last.to_text().split())
    assert f"A is {weak}, B is {strong}" in text
    assert f"The win rate is the pilot's own, {100 * (1 - rate):.1f}%" in text
    unnamed = osc.plan(pilot=path)
    assert unnamed.effect == first.effect
    assert f"A is {strong}, B is {weak}" in " ".join(unnamed.to_text().split())


def test_a_negative_effect_is_a_win_rate_below_one_half(tmp_path):
    path = written(tmp_path, 1, 1, ties=0.0)
    up, down = (osc.plan(pilot=path, effect=effect) for effect in (0.05, -0.05))
    assert up.items == down.items
    assert "a win rate of 55%" in up.verdict
    assert "a win rate of 45%" in down.verdict
    assert "if the true win rate is 45%" in " ".join(down.to_text().split())
    more, fewer = (osc.plan(pilot=path, n=500, alternative=side).verdict for side in ("greater", "less"))
    rates = [float(verdict.split("a win rate of ")[1].split("%")[0]) for verdict in (more, fewer)]
    assert sum(rates) == pytest.approx(100)
    assert rates[0] > 50


@pytest.mark.parametrize("votes", [1, 3])
@pytest.mark.parametrize("effect", [0.5, -0.5, 0.6])
def test_a_win_rate_lies_between_0_and_100_per_cent(tmp_path, votes, effect):
    path = written(tmp_path, 1, votes)
    with pytest.raises(osc.OutscoreError, match=f"a win rate of {50 + 100 * effect:g}%") as caught:
        osc.plan(pilot=path, effect=effect)
    assert caught.value.parameter == "effect"
    assert "win rate of 1" not in osc.plan(pilot=path, effect=0.3).to_text()


def test_no_table_of_a_plan_has_an_impossible_win_rate(tmp_path):
    path = written(tmp_path, 1, 3)
    with pytest.raises(osc.OutscoreError, match="no win rate reaches a power"):
        osc.plan(pilot=path, n=13)
    planned = osc.plan(pilot=path, effect=0.3)
    assert all(abs(point.effect) < 0.5 for point in planned.needs)
