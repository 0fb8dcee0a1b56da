"""What a pilot cannot tell, and which way its differences point."""

from __future__ import annotations

import numpy as np
import pytest
from tests.plans import plan_from_pilot
from tests.variants import crossed

import outscore as osc
from outscore.core.errors import OutscoreError


@pytest.mark.parametrize("clusters", [1, 2])
def test_so_few_clusters_say_nothing_of_their_spread(clusters):
    rng = np.random.default_rng(5)
    a, b = rng.random((2, 30))
    with pytest.raises(OutscoreError, match=f"The pilot has {clusters} cluster"):
        plan_from_pilot(a, b, effect=0.1, clusters=np.arange(30) % clusters)


def test_errors_that_fall_are_an_improvement():
    rng = np.random.default_rng(6)
    a, b = rng.random((2, 30))
    asked = {"alternative": "greater"}
    up = plan_from_pilot(a, b, effect=0.1, **asked)
    down = plan_from_pilot(a, b, effect=-0.1, metric="mean:direction=lower", **asked)
    assert (up.n, up.power) == (down.n, down.power)


def test_a_plan_says_what_it_read(tmp_path):
    """Which column is the score of a pilot is told, as a comparison tells it; a plan from numbers has read nothing."""
    path = tmp_path / "pilot.csv"
    rows = [f"q{i},{name},{(i * 7 + len(name)) % 5 > 1:d}" for i in range(30) for name in ("new", "older")]
    path.write_text("\n".join(["id,model,correct", *rows]) + "\n")
    found = osc.plan(pilot=path, effect=0.1)
    line = "scores: `correct`; items: `id`; systems: `model`; 60 rows in 1 file (csv); higher is better"
    assert line in " ".join(found.to_text().split())
    assert found.reading == osc.compare(path).reading
    assert osc.load(found.save(tmp_path / "plan.json")) == found
    for form in (found.to_markdown(), found.to_html()):
        assert "higher is better" in form
    assert osc.plan(effect=0.1, sd=0.3).reading is None
    assert "scores: arrays" in osc.plan(pilot=[[1, 0, 1, 1], [0, 0, 1, 0]], effect=0.3).to_text()


def test_logs_are_no_pilot(shared_data):
    with pytest.raises(OutscoreError, match="is a log of an evaluation harness, but a plan needs tables") as caught:
        osc.plan(pilot=shared_data / "harness-logs" / "inspect" / "epochs", effect=0.1)
    assert caught.value.parameter == "pilot"


@pytest.mark.parametrize(("n", "near"), [(400, True), (8_000, False)])
def test_clusters_are_measured_near_the_answer(n, near, monkeypatch):
    """Samples of as many clusters as are planned, unless power is so close to 1 there that they could not tell anything."""
    asked = []
    monkeypatch.setattr("outscore.inference.power.observed.measured_shift", lambda *_, units, **__: asked.append(units))
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(40), 5)
    a = rng.normal(0.1, 1.0, 200) + rng.normal(0.0, 0.3, 40)[clusters]
    found = plan_from_pilot(a, np.zeros(200), n=n, effect=0.15, clusters=clusters)
    assert found.question == "power"
    assert asked == [n // 5] if near else asked[0] < n // 5


def test_a_pilot_of_whole_runs_says_what_items_and_runs_reach(tmp_path):
    """As many items as the comparison of the pilot names, and fewer with more runs."""
    rng = np.random.default_rng(4)
    lines = ["item,system,seed,score"]
    apart = rng.normal(0, 0.2, 25)
    for name, mean in (("new", 0.57), ("old", 0.5)):
        for k in range(3):
            scores = mean + (apart if name == "new" else 0) + rng.normal(0, 0.15, 25)
            lines += [f"q{i},{name},{k},{score:.3f}" for i, score in enumerate(scores)]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines) + "\n")
    compared, planned = osc.compare(path, repeats="runs"), osc.plan(pilot=path)
    needed = {point.runs_a: point.items for point in planned.runs}
    assert list(needed) == [2, 3, 5, 10]
    assert needed[3] == compared.power.needed
    assert needed[3] > needed[5] > needed[10]
    (note,) = (note.text for note in planned.notes if note.kind == "runs")
    assert f"{needed[3]:,} items with 3 runs of each system" in note
    assert "No number of runs makes do with fewer than" in note
    assert f"about {compared.power.needed:,} items, with as many runs as here" in " ".join(compared.to_text().split())
    assert osc.load(planned.save(tmp_path / "plan.json")) == planned


@pytest.mark.parametrize(
    ("kind", "asked"),
    crossed(
        ["graded", "binary"],
        [
            {"effect": 0.1},
            {"effect": -0.1},
            {"effect": 0.1, "alternative": "greater"},
            {"effect": -0.1, "alternative": "less"},
            {"effect": -0.1, "alternative": "greater", "n": 100},
            {"effect": 0.1, "unpaired": True},
            {"effect": -0.1, "unpaired": True},
            {"effect": -0.1, "alternative": "less", "unpaired": True},
            {"effect": 0.02, "margin": 0.1},
            {"effect": -0.02, "margin": 0.1},
        ],
    ),
)
def test_a_pilot_and_its_mirror_have_the_same_plan(asked, kind):
    """Errors instead of right answers: the effect is A - B, whichever is better."""
    rng = np.random.default_rng(9)
    a, b = rng.integers(0, 9, (2, 30)) / 8 if kind == "graded" else rng.integers(0, 2, (2, 30))
    up = osc.plan(pilot=(a, b), direction="higher", **asked)
    turned = {**asked, "effect": -asked["effect"]}
    down = osc.plan(pilot=(1 - a, 1 - b), direction="lower", **turned)
    assert (up.items, up.effect) == (down.items, down.effect)
    assert up.power == pytest.approx(down.power, rel=1e-9)
    assert up.n == pytest.approx(down.n, rel=1e-9)
    assert up.verdict == down.verdict


@pytest.mark.parametrize(("alternative", "effect"), [("greater", 0.1), ("less", -0.1)])
def test_an_effect_against_the_alternative_is_told_how_to_turn(alternative, effect):
    rng = np.random.default_rng(9)
    a, b = rng.random((2, 40))
    asked = {"pilot": (a, b), "direction": "lower", "alternative": alternative}
    with pytest.raises(OutscoreError, match="points away from the alternative") as caught:
        osc.plan(effect=effect, **asked)
    assert f"{-effect:g}" in str(caught.value)
    assert osc.plan(effect=-effect, **asked).items > 0


def test_trials_are_drawn_at_the_effect_as_given():
    rng = np.random.default_rng(9)
    a, b = rng.random((2, 20))
    found = osc.plan(pilot=(a, b), direction="lower", effect=0.2, alternative="less", retrospective=True, replicates=5)
    assert {curve.effect for curve in found.retrospective} == {0.2}


def test_counts_are_no_pilot(tmp_path):
    counts = np.array([[1, 2], [3, 1], [2, 0]])
    for name in ("new", "old"):
        (tmp_path / f"{name}.csv").write_text("".join(f"{right},{wrong}\n" for right, wrong in counts.tolist()))
    for pilot, cure in (
        ((counts, counts[::-1]), "Give arrays of one column."),
        ((tmp_path / "new.csv", tmp_path / "old.csv"), "Name the column of scores"),
    ):
        with pytest.raises(OutscoreError, match="The pilot contains counts") as refused:
            osc.plan(pilot=pilot, n=100)
        assert cure in refused.value.hint
