"""When evidence at every look is expected to stop: the recursion against simulated studies, and what plans say of it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.inference.anytime.expected import _needed, binary_stops, bounded_stops
from outscore.inference.anytime.process import binary_evidence, binary_log_e, first_crossing


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_the_recursion_against_simulated_studies(alternative):
    discordance, effect, alpha, paths = 0.3, 0.15, 0.05, 600
    found = binary_stops(discordance, effect, alpha, alternative)
    stream = np.random.default_rng(5)
    drawn = stream.random((paths, 1_500))
    d = np.where(drawn < (discordance + effect) / 2, 1, np.where(drawn < discordance, -1, 0))
    stops = np.array([first_crossing(binary_evidence(path, alternative), alpha) for path in d], dtype=float)
    assert np.isfinite(stops).all()
    assert found.mean == pytest.approx(stops.mean(), abs=4 * stops.std() / np.sqrt(paths))
    for share in (0.25, 0.5, 0.8):
        n = found.quantile(share)
        assert found.share(n) >= share > found.share(n - 1)
        assert (stops <= n).mean() == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / paths))


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_the_boundary_is_the_first_number_of_wins_that_suffices(alternative):
    needed = 1
    for m in range(1, 60):
        needed = _needed(m, needed, 0.05, alternative)
        wins = np.arange(m // 2 + 1, m + 1)
        crosses = binary_log_e(wins, m - wins, alternative) >= -np.log(0.05) - 1e-12
        assert needed == (int(wins[crosses.argmax()]) if crosses.any() else m + 1)


def test_bounded_scores_are_simulated_with_a_seed():
    one, again = (bounded_stops(0.1, 0.3, 1.0, 60, 0.05, seed=3) for _ in range(2))
    assert (one.mean, one.quantile(0.5), one.horizon) == (again.mean, again.quantile(0.5), 720)
    percent = bounded_stops(10.0, 30.0, 100.0, 60, 0.05, seed=3)
    assert percent.quantile(0.5) == one.quantile(0.5)
    assert one.share(one.quantile(0.5)) >= 0.5


def test_plans_say_what_looking_early_takes(tmp_path):
    found = osc.plan(effect=0.1, discordance=0.2, anytime=True)
    looks = found.anytime
    law = binary_stops(0.2, 0.1, 0.05)
    assert (looks.mean, looks.median, looks.items) == (law.mean, law.quantile(0.5), law.quantile(0.8))
    assert (looks.fixed, looks.by_fixed, looks.method) == (found.items, law.share(found.items), "exact")
    assert looks.median < found.items < looks.items
    text = " ".join(found.to_text().split())
    assert f"stops after {looks.mean:,.0f} items on average, {looks.median:,} in the median" in text
    found.save(tmp_path / "plan.json")
    assert osc.load(tmp_path / "plan.json") == found
    assert json.loads((tmp_path / "plan.json").read_text())["anytime"]["median"] == looks.median
    scores = osc.plan(effect=5.0, sd=20.0, anytime=True, bounds=(0, 100), seed=1)
    assert (scores.anytime.method, scores.anytime.paths, scores.anytime.seed) == ("simulated", 1_000, 1)
    assert osc.plan(effect=0.1, discordance=0.2).anytime is None


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"effect": 0.5, "anytime": True}, "needs the spread in the unit of the scores"),
        ({"effect": 0.02, "sd": 0.3, "anytime": True, "cluster_size": 5, "icc": 0.1}, "clusters enter as one bet each"),
        ({"effect": 0.02, "sd": 3.0, "anytime": True}, "at most 1 apart cannot differ by 0.02"),
        ({"effect": 0.02, "sd": 0.3, "bounds": (0, 1)}, "--bounds is for --anytime"),
        ({"scores": (".9", ".8"), "n": 100, "anytime": True}, "--anytime has no meaning beside --scores"),
        ({"effect": 0.002, "discordance": 0.5, "method": "normal", "anytime": True}, "more looks than can be planned"),
    ],
)
def test_what_cannot_be_planned_is_refused(asked, message):
    with pytest.raises(OutscoreError, match=r".") as caught:
        osc.plan(**asked)
    assert message in caught.value.message
