"""`rank --joint`: intervals that hold together, who is best how often, Borda scores and win rates."""

from __future__ import annotations

import json

import numpy as np
import pytest

import outscore as osc
from outscore.core.errors import OutscoreError

NAMES = ("amber", "birch", "cedar", "dogwood")


def simulated(n: int = 60, seed: int = 0, k: int = 4) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    hard = rng.random(n)
    return {
        name: (rng.random(n) * 0.6 + share * 0.5 > hard).astype(int)
        for name, share in zip(NAMES[:k], (0.9, 0.7, 0.6, 0.1), strict=False)
    }


def test_what_it_says_of_systems_and_pairs():
    scores = simulated()
    found = osc.rank(scores, joint=True)
    joint = found.joint
    assert [one.system for one in joint.systems] == found.systems
    assert sum(one.best for one in joint.systems) == pytest.approx(1)
    assert all(0 < one.best_error < 0.02 for one in joint.systems)
    assert (joint.resamples, joint.unit, joint.units, joint.level) == (9_999, "items", 60, 0.95)
    assert joint.systems[0].behind is None
    for one in joint.systems[1:]:
        assert one.behind == pytest.approx(scores[one.system].mean() - scores[found.systems[0]].mean())
        assert one.behind_low < one.behind < one.behind_high
    for one in joint.systems:
        wins = np.mean(
            [
                (scores[one.system] > scores[other]).mean() + (scores[one.system] == scores[other]).mean() / 2
                for other in found.systems
                if other != one.system
            ]
        )
        assert one.win_rate == pytest.approx(wins)
        assert one.borda == pytest.approx(3 * wins)
        assert one.win_low < one.win_rate < one.win_high
        assert one.borda_low == pytest.approx(3 * one.win_low)
        assert one.dataset_win_rate is None
    assert [pair.systems for pair in joint.pairs] == [pair.systems for pair in found.pairs]
    assert sum(pair.win_rate for pair in joint.systems) == pytest.approx(2)
    # What holds for all pairs together reaches further than what holds for one.
    for pair, alone in zip(joint.pairs, found.pairs, strict=True):
        assert pair.high - pair.low > (alone.high - alone.low) * 1.05


def test_the_same_seed_gives_the_same_bytes():
    first, again, other = (osc.rank(simulated(), joint=True, seed=seed).joint for seed in (1, 1, 2))
    assert first == again
    assert first.systems[0].best != other.systems[0].best


def test_two_equal_systems_share_the_lead():
    scores = simulated(k=2)
    found = osc.rank({"one": scores["amber"], "two": scores["amber"]}, joint=True).joint
    assert [one.best for one in found.systems] == [0.5, 0.5]
    assert (found.pairs[0].low, found.critical) == (None, None)


def test_baseline_and_lower_is_better():
    found = osc.rank(simulated(), joint=True, baseline="dogwood", direction="lower")
    assert found.systems[0] == "dogwood"
    joint = found.joint
    assert all(pair.systems[1] == "dogwood" for pair in joint.pairs)
    assert len(joint.pairs) == 3
    assert all(one.behind is None for one in joint.systems)
    assert joint.systems[0].best > 0.99
    whole = osc.rank(simulated(), joint=True, direction="lower").joint
    assert joint.critical < whole.critical


def test_clusters_datasets_and_corpus_metrics():
    clustered = osc.rank(simulated(), joint=True, clusters=np.arange(60) // 3).joint
    assert (clustered.unit, clustered.units) == ("clusters", 20)
    sets = osc.rank(simulated(), joint=True, dataset=["x"] * 20 + ["y"] * 40).joint
    assert sets.units == 20
    assert sum(one.dataset_win_rate for one in sets.systems) == pytest.approx(2)
    rng = np.random.default_rng(0)
    counts = {name: np.stack([rng.integers(0, 5, 30), rng.integers(0, 4, 30)], axis=1) for name in NAMES}
    f1 = osc.rank(counts, metric="f1", joint=True).joint
    assert f1.systems[0].win_rate is None
    assert f1.pairs[0].low < f1.pairs[0].difference < f1.pairs[0].high


def test_every_form_has_it(tmp_path):
    found = osc.rank(simulated(), joint=True)
    saved = osc.load(found.save(tmp_path / "ranking.json"))
    assert saved == found
    data = json.loads((tmp_path / "ranking.json").read_text())
    assert data["joint"]["systems"][0]["system"] == "amber"
    for text in (found.to_text(), found.to_markdown(), found.to_html(), found.to_latex()):
        assert "All systems at once" in text
        assert "it is not a p-value" in " ".join(text.split())
    assert "Simultaneous intervals" in found.to_html()
    assert "Montiel Olea" in found.to_html()
    frame = found.to_frame()
    assert frame["best"].sum() == pytest.approx(1)
    assert found.to_frame("pairs")["joint_low"].null_count() == 0
    plain = osc.rank(simulated())
    assert plain.joint is None
    assert "best" not in plain.to_frame().columns
    assert "All systems at once" not in plain.to_html()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"unit_size": 2}, "Items were grouped into units"),
        ({"items": np.repeat(np.arange(20), 3), "repeats": "runs"}, "The claims are about items-and-runs"),
    ],
)
def test_what_it_cannot_serve(asked, message):
    with pytest.raises(OutscoreError, match=message) as caught:
        osc.rank(simulated(), joint=True, **asked)
    assert caught.value.parameter == "joint"


def test_missing_items_are_refused(tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text("id,a,b,c\n1,1,0,1\n2,0,,1\n3,1,1,0\n")
    with pytest.raises(OutscoreError, match="Systems lack some items, but --joint resamples the same items"):
        osc.rank(path, joint=True)
