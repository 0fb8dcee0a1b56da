"""What a report says beside the numbers of a comparison."""

from __future__ import annotations

import math
import re

import numpy as np
import polars as pl
import pytest

import outscore as osc
from outscore.report.rows.facts import next_step
from outscore.report.rows.places import next_step as ranking_step
from outscore.report.rows.preference import next_step as battles_step


def undecided(lead: float, n: int = 300):
    random = np.random.default_rng(1)
    a = random.random(n)
    return a, a + random.normal(lead, 0.3, n)


def test_what_is_undecided_says_how_many_items_it_would_take():
    a, b = undecided(0.01)
    found = osc.compare(a, b)
    said = next_step(found)
    assert len(said) == 1
    assert said[0] in re.sub(r"\s+", " ", found.to_text())
    assert said[0] in found.to_html()
    # A plan for the same difference and spread asks for as many.
    spread = float(np.std(a - b, ddof=1))
    needed = osc.plan(effect=abs(found.difference), sd=spread).items
    about = int(re.search(r"about ([\d,]+) items", said[0])[1].replace(",", ""))
    assert about == needed


def test_a_winner_needs_no_next_step():
    a, b = undecided(0.2)
    found = osc.compare(a, b)
    assert found.decision.winner is not None
    assert next_step(found) == []
    assert next_step(osc.compare(a, a)) == []


def test_a_ranking_says_how_much_more_data_would_decide_the_nearest_pair():
    """The same number as a comparison of the two."""
    rng = np.random.default_rng(3)
    items = rng.normal(0, 1, 400)
    systems = {name: items + rng.normal(skill, 1, 400) for name, skill in (("far", -1.0), ("near", 0.0), ("best", 0.06))}
    ranking = osc.rank(systems)
    (told,) = ranking_step(ranking)
    leader, other = ranking.scores[0].system, ranking.scores[1].system
    assert told.startswith(f"{other} is closest to being told apart from {leader}: ")
    (compared,) = next_step(osc.compare(systems[leader], systems[other]))
    needed = re.search(r"about ([\d,]+) items", compared)[1]
    times = int(needed.replace(",", "")) / 400
    assert told.endswith(f"about {times:.1f} times as much data, about {needed} items (power .80, before correction)")
    (to_baseline,) = ranking_step(osc.rank(systems, baseline=other))
    assert to_baseline.startswith(f"{leader} is closest to being told apart from {other}: ")
    apart = {"low": items, "high": items + rng.normal(1, 0.3, 400)}
    assert ranking_step(osc.rank(apart)) == []
    assert ranking_step(osc.rank({"one": items, "same": items})) == []


def test_what_only_the_correction_leaves_open_is_nearest():
    rng = np.random.default_rng(11)
    base = rng.normal(0, 1, 300)
    systems = {f"s{k}": base + rng.normal(0, 1, 300) for k in range(8)} | {"best": base + rng.normal(0.12, 1, 300)}
    ranking = osc.rank(systems)
    leader = ranking.scores[0].system
    open_pairs = [pair for pair in ranking.standing.pairs if leader in pair.systems and pair.p.adjusted > 0.05]
    nearest = min(open_pairs, key=lambda pair: pair.p.value)
    assert nearest.p.value < 0.05 < nearest.p.adjusted
    (other,) = set(nearest.systems) - {leader}
    told = f"{other} is closest to being told apart from {leader}: significant before correction, but not after"
    assert ranking_step(ranking) == [told]


def test_battles_say_how_many_more_would_decide_the_nearest_pair():
    rows = [
        (f"q{i}", *pair, w) for i in range(60) for pair, w in ((("a", "b"), "aab"[i % 3]), (("b", "a"), "aab"[(i + 1) % 3]))
    ]
    frame = pl.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner"], orient="row")
    found = osc.prefer(frame.filter(pl.col("prompt").is_in([f"q{i}" for i in range(6)])))
    (told,) = battles_step(found)
    times = float(re.search(r"take about ([\d.]+) times as many battles, on new prompts \(power .80\)", told)[1])
    # Prompts are flipped as one, like items with the mean of their battles as a score.
    pair = found.pairs[0]
    planned = osc.plan(effect=pair.win_rate - 0.5, sd=pair.standard_error * math.sqrt(pair.clusters)).items
    assert times == pytest.approx(planned / pair.clusters, abs=0.05)
    assert battles_step(osc.prefer(frame)) == []
