from __future__ import annotations

import math

import numpy as np
import pytest

import outscore as osc
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import units_of
from outscore.inference.base.influence import contributions, influence, jackknife_error
from outscore.metrics.registry import resolve


def tagging(n=120, seed=2, lead=0.03):
    """True positives and errors of two taggers, sentence by sentence."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(1, 9, n)
    right = [rng.binomial(gold, rate) for rate in (0.8 + lead, 0.8)]
    return [np.stack([tp, rng.binomial(5, 0.2, n), gold - tp], axis=1) for tp in right]


def test_contributions_to_a_mean_are_the_differences():
    metric, a, b = resolve("mean", np.array([0.5, 0.25, 1.0]), np.array([0.25, 0.5, 0.0]))
    assert contributions(units_of(PairedScores(a, b)), metric) == pytest.approx([0.25, -0.25, 1.0])


def test_contributions_to_a_ratio_have_its_jackknife_error():
    metric, a, b = resolve("f1", *tagging())
    units = units_of(PairedScores(a, b))
    found = contributions(units, metric)
    error = jackknife_error(influence(units, metric))
    assert found.std(ddof=1) / math.sqrt(len(found)) == pytest.approx(error)
    # Left out one by one, by hand.
    whole = float(metric.score(units.a.sum(0)) - metric.score(units.b.sum(0)))
    for i in (0, 7):
        kept = np.arange(120) != i
        without = float(metric.score(units.a[kept].sum(0)) - metric.score(units.b[kept].sum(0)))
        assert found[i] == pytest.approx(120 * whole - 119 * without)


def test_no_step_is_empty_for_a_ratio_of_sums():
    found = osc.compare(*tagging(), metric="f1")
    assert set(found.pictures.histograms) == {"a", "b", "difference"}
    assert found.pictures.alone
    assert found.pictures.quantiles
    assert [effect.name for effect in found.effects] == ["cohen_dz", "hedges_g"]
    assert found.power.jackknife
    assert "(spread estimated by the jackknife)" in " ".join(found.to_text().split())
    assert "the contribution of each (jackknife)" in " ".join(found.to_text(verbose=True).split())
    captions = {chart.key: chart.caption for chart in found.charts()}
    assert "each on its own" in captions["scores"]
    assert "contributes to the difference (jackknife)" in captions["differences"]
    assert type(found).from_dict(found.to_dict()) == found


def test_clusters_have_a_power_of_their_own():
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(30), 5)
    a, b = np.round(rng.normal(0.1, 0.3, 150), 2), np.zeros(150)
    found = osc.compare(a, b, clusters=clusters).power
    assert 30 in [point.n for point in found.curve]


@pytest.mark.slow
def test_the_power_of_a_ratio_is_that_of_the_test():
    """Samples of sentences with replacement: the permutation test of F1 rejects as often as the curve says."""
    a, b = tagging(300, lead=0.05)
    stated = {point.n: point.power for point in osc.compare(a, b, metric="f1").power.curve}
    rng, size, hits = np.random.default_rng(5), 150, 0
    for _ in range(400):
        rows = rng.integers(300, size=size)
        hits += osc.permutation_test(a[rows], b[rows], metric="f1").value <= 0.05
    assert hits / 400 == pytest.approx(stated[size], abs=0.06)
