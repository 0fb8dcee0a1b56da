"""What a plan promises, tried: the test that will be run, on data as they were planned."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.plans import paired_pilot, plan_from_pilot, plan_numbers
from tests.variants import a_few

from outscore.inference.power.design import flip_power
from outscore.inference.power.planning import rejection_rate
from outscore.results.plan import StudyDesign
from outscore.workflows.plan.pilot import spread_of_pilot

PROMISE = 0.03


def rejected(x, alpha=0.05):
    """How often sign flips reject in the rows of x: every pattern up to 14 units, 1,999 random ones beyond."""
    n, rng = x.shape[1], np.random.default_rng(0)
    if n <= 14:
        signs = np.array([(1, *rest) for rest in itertools.product((1.0, -1.0), repeat=n - 1)]).T
    else:
        signs = np.concatenate([np.ones((n, 1)), rng.choice([1.0, -1.0], (n, 1999))], axis=1)
    hits = 0
    for rows in np.array_split(x, max(1, len(x) * signs.shape[1] // 2_000_000)):
        p = (np.abs(rows @ signs) >= np.abs(rows.sum(axis=1))[:, None] * (1 - 1e-12)).mean(axis=1)
        hits += int((p <= alpha).sum())
    return hits / len(x)


TABLE = [(1.5, 7), (1.2, 8), (1.0, 11), (0.75, 16), (0.6, 24)]


@pytest.mark.parametrize(("effect", "items"), a_few(TABLE, 2))
def test_the_power_of_few_items_is_the_power_of_the_test(effect, items):
    plan = plan_numbers(StudyDesign(sd=1), effect=effect)
    assert plan.items == items
    stated = next(point.power for point in plan.curve if point.n == items)
    assert stated >= 0.8
    drawn = np.random.default_rng(items).normal(effect, 1, (3000, items))
    assert rejected(drawn) == pytest.approx(stated, abs=PROMISE)
    # Fewer would not do.
    assert plan_numbers(StudyDesign(sd=1), effect=effect, n=items - 1).power < 0.8


def test_the_power_of_few_clusters_is_the_power_of_the_test():
    design = StudyDesign(sd=1, cluster_size=200, icc=0.2)
    plan = plan_numbers(design, effect=0.5)
    assert plan.items == 9 * 200
    stated = next(point.power for point in plan.curve if point.n == plan.items)
    rng = np.random.default_rng(3)
    means = rng.normal(0.5, math.sqrt(0.2), (3000, 9)) + rng.normal(0, math.sqrt(0.8 / 200), (3000, 9))
    assert rejected(means) == pytest.approx(stated, abs=PROMISE)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.01, 0.001])
@pytest.mark.parametrize("shift", [0.8, 1.2, 1.6])
def test_flips_of_few_normal_units(alpha, shift):
    for n in range(5, 14):
        drawn = np.random.default_rng(n).normal(shift, 1, (6000, n))
        assert rejected(drawn, alpha) == pytest.approx(flip_power(n, shift, alpha, "two-sided"), abs=PROMISE)


def uneven_pilot(seed, *, groups=135, binary=True):
    """Clusters of lognormal sizes, 130 items on average, whose differences share a part."""
    rng = np.random.default_rng(seed)
    sizes = np.maximum(1, np.round(rng.lognormal(math.log(90), 0.9, groups))).astype(int)
    clusters = np.repeat(np.arange(groups), sizes)
    shared = rng.normal(0.02, 0.06, groups)[clusters]
    if not binary:
        return np.round(shared + rng.normal(0, 0.5, len(clusters)), 3), np.zeros(len(clusters)), clusters
    u, wins = rng.random(len(clusters)), (0.25 + shared) / 2
    right = u > 0.5
    return ((u < wins) | right).astype(int), (((u >= wins) & (u < 0.25)) | right).astype(int), clusters


def simulated(a, b, clusters, effect, groups, samples=2000):
    """The audit of a plan: clusters drawn from the pilot, shifted to the effect, tested by sign flips."""
    d = a - b
    sums, sizes = np.bincount(clusters, weights=d - d.mean()), np.bincount(clusters)
    drawn = np.random.default_rng(11).integers(len(sums), size=(samples, groups))
    return rejected((sums + effect * sizes)[drawn])


def test_a_pilot_with_clusters_of_unequal_size():
    a, b, clusters = uneven_pilot(3)
    plan = plan_from_pilot(a, b, effect=0.02, clusters=clusters)
    size = plan.design.cluster_size
    groups = math.floor(plan.items / size)
    assert f"You need {groups} clusters of {size:.4g} items on average ({plan.items:,} items)" in plan.verdict
    assert simulated(a, b, clusters, 0.02, groups) == pytest.approx(0.8, abs=PROMISE)
    # A mean size says far too little: equal clusters with the same correlation would do with many fewer.
    spread = spread_of_pilot(*paired_pilot(a, b, clusters=clusters))
    equal = StudyDesign(sd=plan.design.sd, cluster_size=size, icc=spread.icc)
    assert plan_numbers(equal, effect=0.02).items < 0.8 * plan.items
    few, many = (int(w) for w in plan.notes[1].text.replace(",", "").split() if w.isdigit() and int(w) != 135)
    assert few < 0.75 * groups < 1.3 * groups < many


@pytest.mark.slow
@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_pilots_with_clusters_of_unequal_size(seed, binary):
    a, b, clusters = uneven_pilot(seed, binary=binary)
    plan = plan_from_pilot(a, b, effect=0.02, clusters=clusters)
    size = plan.design.cluster_size
    needed = math.floor(plan.items / size)
    for groups in (needed // 2, needed, round(1.3 * needed)):
        stated = plan_from_pilot(a, b, effect=0.02, n=math.ceil(groups * size), clusters=clusters).power
        assert simulated(a, b, clusters, 0.02, groups, 4000) == pytest.approx(stated, abs=PROMISE)


def test_sides_of_samples_of_clusters():
    sums, sizes = np.random.default_rng(1).normal(size=300), np.ones(300)
    sums -= sums.mean()
    rates = {
        side: rejection_rate(sums, sizes, effect, units=40, alpha=0.05, alternative=side, samples=600)
        for side, effect in (("two-sided", 0.3), ("greater", 0.3), ("less", -0.3))
    }
    assert rates["greater"] == pytest.approx(rates["less"], abs=0.06)
    assert rates["greater"] > rates["two-sided"] > 0.3
    assert rejection_rate(sums, sizes, 0.3, units=40, alpha=0.05, alternative="less", samples=400) < 0.02
