"""What a report says beside the numbers of a comparison."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
import pytest

import outscore as osc
from outscore.language.phrases import times_as_much
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
    # A plan for the same difference and spread asks for as many, to the two digits that are said.
    spread = float(np.std(a - b, ddof=1))
    needed = osc.plan(effect=abs(found.difference), sd=spread).items
    about = int(re.search(r"about ([\d,]+) items", said[0])[1].replace(",", ""))
    assert about == pytest.approx(needed, rel=0.05)
    assert about % 100 == 0


def test_beyond_the_curve_it_takes_more_than_that():
    found = osc.compare(*undecided(0.001))
    most = f"more than {found.power.curve[-1].n:,} items"
    assert next_step(found) == [f"detecting a true difference as large as the observed one would take {most} (power .80)"]


def test_a_winner_needs_no_next_step():
    a, b = undecided(0.2)
    found = osc.compare(a, b)
    assert found.decision.winner is not None
    assert next_step(found) == []
    assert next_step(osc.compare(a, a)) == []


def test_a_ranking_says_how_much_more_data_would_decide_the_nearest_pair():
    """The same number as a comparison of the two, which reads it off its own curve of power."""
    rng = np.random.default_rng(3)
    items = rng.normal(0, 1, 400)
    systems = {name: items + rng.normal(skill, 1, 400) for name, skill in (("far", -1.0), ("near", 0.0), ("best", 0.06))}
    ranking = osc.rank(systems)
    (told,) = ranking_step(ranking)
    leader, other = ranking.scores[0].system, ranking.scores[1].system
    assert told.startswith(f"{other} is closest to being told apart from {leader}: ")
    assert told.endswith("times as much data (for power .80, from p before correction)")
    (compared,) = next_step(osc.compare(systems[leader], systems[other]))
    needed = float(re.search(r"about ([\d,]+) items", compared)[1].replace(",", ""))
    assert float(re.search(r"about ([\d.]+) times", told)[1]) == pytest.approx(needed / 400, rel=0.1)
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
    more = re.search(r"take (about [\d.]+) times as many battles, on new prompts \(for power .80, from p\)", told)[1]
    assert more == times_as_much(found.pairs[0].p.value, 0.05)
    assert battles_step(osc.prefer(frame)) == []
