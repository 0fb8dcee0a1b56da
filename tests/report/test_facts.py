"""What a report says beside the numbers of a comparison."""

from __future__ import annotations

import math
import re

import numpy as np
import polars as pl
import pytest

import outscore as osc
from outscore.report.build.preference import next_step as battles_step
from outscore.report.rows.facts import next_step
from outscore.report.rows.places import next_step as ranking_step
from outscore.report.write.latex import escape


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
    times = float(re.search(r"take about ([\d.]+) times as many battles on new prompts \(power .80\)", told)[1])
    # Prompts are flipped as one, like items with the mean of their battles as a score.
    pair = found.pairs[0]
    planned = osc.plan(effect=pair.win_rate - 0.5, sd=pair.standard_error * math.sqrt(pair.clusters)).items
    assert times == pytest.approx(planned / pair.clusters, abs=0.05)
    assert battles_step(osc.prefer(frame)) == []


def graded(n: int = 60) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(3)
    a = rng.normal(0.6, 0.1, n)
    return (a.round(3).tolist(), (a - rng.normal(0.02, 0.05, n)).round(3).tolist())


def test_a_paper_gets_effect_size_and_power_if_it_asks_for_everything():
    """Beyond p: test, level, effect size and its estimator, sample size and power (Zhu et al., 2020, 2.3)."""
    result = osc.compare(*graded())
    effect = next(e for e in result.effects if e.name == "cohen_dz")
    size = f"The effect size is Cohen's d_z {effect.value:+.4f} (95% CI {effect.low:.4f} to {effect.high:.4f})"
    power = f"60 items can detect a true difference of {result.power.detectable_effect:.4f} with power .80."
    brief, full = (" ".join(result.to_text(verbose=verbose).split()) for verbose in (False, True))
    assert f"{size}; {power}" not in brief
    assert f"{result.sentence} {size}; {power} signature" in full
    assert f"{escape(f'{size}; {power}')}" in result.to_latex()
    assert size not in result.sentence


def test_several_metrics_give_a_paper_the_effect_and_power_of_each(tmp_path):
    path = tmp_path / "scores.csv"
    rows = [f"{i},{name},{x},{1 - x:.3f}" for name, xs in zip("AB", graded(), strict=True) for i, x in enumerate(xs)]
    path.write_text("\n".join(["id,system,one,two", *rows]))
    result = osc.compare(path, measure=["one", "two"])
    brief, full = (" ".join(result.to_text(verbose=verbose).split()) for verbose in (False, True))
    assert "The effect size" not in brief
    assert full.count("The effect size is Cohen's d_z") == 2
    in_latex = result.to_latex()
    assert "The effect size in one is Cohen's d" in in_latex
    assert "The effect size in two is Cohen's d" in in_latex


def test_identical_systems_have_no_effect_to_report():
    result = osc.compare([0.5, 0.25, 1.0], [0.5, 0.25, 1.0])
    assert "effect size" not in result.to_latex()
