"""Plans for different items: so many of each system."""

from __future__ import annotations

import math

import numpy as np
import pytest

import outscore as osc
from outscore.inference.base.question import TestRequest
from outscore.inference.power.two_samples import fisher_power
from outscore.inference.unpaired import Samples, division_p


def table(n, x, y):
    return Samples(np.repeat([1.0, 0.0], [x, n - x]), np.repeat([1.0, 0.0], [y, n - y]))


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("n", "first", "second"), [(9, 0.8, 0.3), (12, 0.5, 0.95), (6, 1.0, 0.2)])
def test_fisher_against_every_table(n, first, second, side):
    expected = 0.0
    for x in range(n + 1):
        for y in range(n + 1):
            mass = math.comb(n, x) * first**x * (1 - first) ** (n - x) * math.comb(n, y) * second**y * (1 - second) ** (n - y)
            if mass > 1e-12:
                expected += mass * (division_p(table(n, x, y), TestRequest(side)).upper <= 0.05)
    assert fisher_power(n, first, second, 0.05, side) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("effect", "sd"), [(0.5, 1.0), (0.2, 0.4), (2.0, 1.0)])
def test_the_t_test_needs_what_statsmodels_says(effect, sd):
    from statsmodels.stats.power import TTestIndPower

    expected = TTestIndPower().solve_power(effect / sd, power=0.8, alpha=0.05)
    assert osc.plan(effect=effect, sd=sd, unpaired=True, method="t").n == pytest.approx(expected, rel=1e-6)
    assert osc.plan(effect=effect, sd=sd, unpaired=True).items >= max(4, math.ceil(expected - 1e-9))


def test_items_power_and_effect_are_one_equation():
    for given in ({"accuracy": 0.7}, {"sd": 0.4}, {"sd": 0.4, "cluster_size": 5, "icc": 0.1}):
        planned = osc.plan(effect=0.1, unpaired=True, **given)
        assert 0.8 <= osc.plan(effect=0.1, n=planned.items, unpaired=True, **given).power < 0.82
        assert abs(osc.plan(n=planned.items, unpaired=True, **given).effect) == pytest.approx(0.1, rel=0.15)
        assert "of each system" in planned.verdict
        assert "of each" in planned.to_text()


def test_pairs_cannot_be_planned_for_together_with_different_items():
    for other in ({"discordance": 0.1}, {"margin": 0.1}, {"anytime": True}, {"repeats": 2}, {"price_item": 1, "price_run": 1}):
        with pytest.raises(osc.OutscoreError, match="needs the same items for both systems"):
            osc.plan(effect=0.1, unpaired=True, sd=0.3, **other)
    with pytest.raises(osc.OutscoreError, match="all equal"):
        osc.plan(pilot=([2.5] * 5, [2.5] * 5), unpaired=True, effect=0.1)


def test_a_pilot_in_files(tmp_path):
    rng = np.random.default_rng(2)
    lines = ["id,model,passage,score"]
    for system, ids in (("new", range(30)), ("old", range(30, 70))):
        lines += [f"q{i},{system},{system}{i // 5},{rng.random():.3f}" for i in ids]
    path = tmp_path / "pilot.csv"
    path.write_text("\n".join(lines) + "\n")
    compared = osc.compare(path, unpaired=True, clusters="passage")
    planned = osc.plan(pilot=path, unpaired=True, clusters="passage")
    assert planned.design.cluster_size == 5
    assert planned.items / 5 == compared.power.needed
    assert f"about {compared.power.needed:,} clusters of each system" in " ".join(compared.to_text().split())
    assert planned.reading == compared.reading
    assert osc.load(planned.save(tmp_path / "plan.json")) == planned


def simulated(draw, n, samples):
    rng = np.random.default_rng(5)
    options = {"method": "monte-carlo", "resamples": 999}
    hits = (division_p(Samples(*draw(rng, n)), TestRequest(seed=k, options=options)).value <= 0.05 for k in range(samples))
    return sum(hits) / samples


@pytest.mark.slow
@pytest.mark.parametrize(("sds", "effect"), [((1.0, 1.0), 0.8), ((1.0, 2.0), 1.2), ((1.0, 1.0), 2.5)])
def test_planned_scores_are_found_as_often_as_planned(sds, effect):
    design = {"effect": effect, "sd": math.sqrt((sds[0] ** 2 + sds[1] ** 2) / 2), "unpaired": True}
    items = osc.plan(**design).items

    def draw(rng, n):
        return rng.normal(effect, sds[0], n), rng.normal(0, sds[1], n)

    # Few whole items have more power than was asked for.
    assert simulated(draw, items, 1_000) == pytest.approx(osc.plan(**design, n=items).power, abs=0.035)


@pytest.mark.slow
def test_planned_accuracies_are_found_as_often_as_planned():
    planned = osc.plan(effect=-0.15, accuracy=0.9, unpaired=True)

    def draw(rng, n):
        return (rng.random(n) < 0.75).astype(float), (rng.random(n) < 0.9).astype(float)

    assert simulated(draw, planned.items, 1_000) == pytest.approx(0.8, abs=0.035)
