"""What a finished study could have shown, against sums over every table of wins and losses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from tests.variants import a_few

import outscore as osc
from outscore.core.metric import AdditiveMetric
from outscore.core.rows import PairedScores
from outscore.inference.base.question import TestRequest
from outscore.inference.power.design import study_of
from outscore.inference.power.observed import items_needed
from outscore.inference.registry import TESTS
from outscore.results.plan import StudyDesign

MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))


def double_sum(n, only_a, only_b, alpha=0.05):
    """P(exact McNemar rejects) of n items of which so large shares are won by A alone and by B alone: every (m, k)."""
    rate, total = only_a + only_b, 0.0
    for m in range(n + 1):
        k = np.arange(m + 1)
        p = np.minimum(1, 2 * stats.binom.cdf(np.minimum(k, m - k), m, 0.5)) if m else np.ones(1)
        total += stats.binom.pmf(m, n, rate) * stats.binom.pmf(k, m, only_a / rate)[p <= alpha * (1 + 1e-12)].sum()
    return total


def power_of(n, accuracy, other):
    """The same of two systems whose errors are independent."""
    return double_sum(n, other * (1 - accuracy), accuracy * (1 - other))


@pytest.mark.parametrize(
    ("accuracy", "n", "said", "worse", "better"),
    [
        # What equal systems' discordance promised power .8 for, and what it has.
        (0.95, 100, 0.0861, 0.471, None),
        (0.95, 300, 0.0516, 0.619, None),
        (0.90, 100, 0.1208, 0.568, None),
        (0.80, 100, 0.1637, 0.681, 0.949),
        (0.50, 100, 0.2025, 0.800, 0.800),
    ],
)
def test_power_at_the_alternative(accuracy, n, said, worse, better):
    study = study_of(StudyDesign(accuracy=accuracy))
    assert study.power(n, -said) == pytest.approx(power_of(n, accuracy, accuracy - said), abs=1e-9)
    assert study.power(n, -said) == pytest.approx(worse, abs=6e-4)
    if better is None:
        with pytest.raises(osc.OutscoreError, match="must lie between 0 and 1"):
            study.power(n, said)
    else:
        assert study.power(n, said) == pytest.approx(better, abs=6e-4)


@pytest.mark.parametrize(("accuracy", "n"), [(0.95, 100), (0.8, 100), (0.5, 100), (0.3, 60), (0.02, 200)])
def test_both_directions_have_the_power_that_they_promise(accuracy, n):
    found = osc.plan(n=n, accuracy=accuracy)
    sizes = {1: found.directions.better, -1: found.directions.worse}
    assert abs(found.effect) == max(size for size in sizes.values() if size is not None)
    for sign, size in sizes.items():
        room = 1 - accuracy if sign > 0 else accuracy
        if size is None:
            assert power_of(n, accuracy, accuracy + sign * room) < 0.8
        else:
            assert power_of(n, accuracy, accuracy + sign * size) == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize("correlation", [-0.3, 0.0, 0.4, 0.9])
def test_the_discordance_of_correlated_answers(correlation):
    study = study_of(StudyDesign(accuracy=0.8, correlation=correlation))
    rate = study.discordance(-0.1)
    both = 0.56 + correlation * math.sqrt(0.8 * 0.2 * 0.7 * 0.3)
    # As much alike, or unlike, as two systems of these accuracies can be.
    both = min(max(both, 0.5), 0.7)
    assert rate == pytest.approx(0.8 + 0.7 - 2 * both)


def test_what_a_score_says_that_it_detects(shared_data):
    found = osc.score(shared_data / "repro" / "statistics" / "s95.csv").systems[0].detectable
    assert found.independent == pytest.approx(-osc.plan(n=100, accuracy=0.95).effect)
    assert power_of(100, 0.95, 0.95 - found.independent) == pytest.approx(0.8, abs=1e-9)
    assert (found.independent_directions.better, found.correlated_directions.better) == (None, None)


def test_few_discordant_items_detect_nothing(shared_data):
    path = shared_data / "repro" / "statistics" / "b51.csv"
    found = osc.compare(path)
    assert found.power.detectable_effect is None
    assert "100 items cannot detect any difference with power .80" in " ".join(found.to_text().split())
    assert found.power.needed == osc.plan(effect=0.04, discordance=0.06).items == 307
    with pytest.raises(osc.OutscoreError, match="no difference reaches a power of"):
        osc.plan(pilot=path, n=100)


def test_how_many_items_a_small_difference_takes(shared_data):
    path = shared_data / "repro" / "statistics" / "b75.csv"
    needed = osc.plan(effect=0.1, discordance=0.6).items
    assert needed == 487
    assert double_sum(needed, 0.35, 0.25) == pytest.approx(0.8, abs=2e-3)
    compared, ranked = osc.compare(path), osc.rank(path)
    assert compared.power.needed == ranked.pairs[0].needed == osc.plan(pilot=path).items == needed
    assert compared.power.detectable_effect == pytest.approx(osc.plan(n=20, discordance=0.6).effect)
    for text in (compared.to_text(), ranked.to_text()):
        assert "about 487 items" in " ".join(text.split())
    assert "about 24 times as much data" in " ".join(ranked.to_text().split())


def test_another_tested_difference_moves_the_power_too(shared_data):
    path = shared_data / "nlpstattest" / "data-file.txt"
    columns = np.loadtxt(path)
    d = columns[:, 0] - columns[:, 1]
    error, n = d.std(ddof=1) / math.sqrt(len(d)), len(d)
    found = osc.compare(path, delta=0.01).power
    here = next(point.power for point in found.curve if point.n == n)
    away = (0.01 - d.mean()) / error
    assert here == pytest.approx(stats.norm.cdf(away - 1.96) + stats.norm.cdf(-away - 1.96), abs=1e-3)
    assert here == pytest.approx(0.648, abs=1e-3)
    # A true difference of .0070, which would be detected against 0, lies too near to .01.
    against = study_of(StudyDesign(sd=d.std(ddof=1), delta=0.01, method="permutation"))
    assert against.power(n, 0.007) == pytest.approx(0.223, abs=1e-3)
    assert against.power(n, 0.01 - found.detectable_effect) == pytest.approx(0.8)
    rows = [np.stack([side, np.ones(n)], axis=1) for side in columns.T]
    assert items_needed(PairedScores(*rows), MEAN, TestRequest(delta=0.01), TESTS["permutation"]) == pytest.approx(2870, abs=10)
    assert "0.0070 from the tested 0.01" in " ".join(osc.compare(path, delta=0.01).to_text().split())


@pytest.mark.parametrize(("effect", "sd"), a_few([(2, 1), (1, 1), (0.3, 0.4), (0.02, 0.3)], 2))
def test_the_t_test_needs_what_statsmodels_says(effect, sd):
    solved = TTestPower().solve_power(effect / sd, power=0.8, alpha=0.05)
    planned = osc.plan(effect=effect, sd=sd, method="t")
    assert planned.items == math.ceil(solved)
    assert osc.plan(effect=effect, sd=sd).t_items in (None, planned.items)
    # Flips of normal differences never need fewer.
    assert osc.plan(effect=effect, sd=sd).items >= planned.items
    power = osc.plan(effect=effect, sd=sd, n=planned.items, method="t").power
    assert power == pytest.approx(TTestPower().power(effect / sd, planned.items, 0.05), abs=1e-9)


@pytest.mark.slow
def test_a_trial_of_a_pilot_is_at_the_effect_in_question():
    rng = np.random.default_rng(5)
    a, b = rng.normal(0.1, 1, 60).round(2), np.zeros(60)
    planned = osc.plan(pilot=(a, b), effect=0.5, retrospective=True, test="student", replicates=400)
    for curve in planned.retrospective:
        assert curve.effect == 0.5
        here = next(point for point in curve.points if point.n == 60)
        expected = TTestPower().power(0.5 / a.std(ddof=1), 60, 0.05)
        assert here.power == pytest.approx(expected, abs=0.06)
    right, wrong = np.array([1] * 30 + [0] * 70), np.array([0] * 30 + [1] * 20 + [0] * 50)
    (binary,) = osc.plan(pilot=(right, wrong), effect=0.2, retrospective=True, replicates=400).retrospective
    here = next(point for point in binary.points if point.n == 100)
    assert (binary.effect, here.power) == (0.2, pytest.approx(double_sum(100, 0.35, 0.15), abs=0.06))
    with pytest.raises(osc.OutscoreError, match="less than the effect"):
        osc.plan(pilot=(right, wrong), effect=0.6, retrospective=True)


def test_a_diff_asks_for_as_much_data_as_a_comparison():
    from outscore.workflows.diff.pair import accuracy_change
    from outscore.workflows.requests.diff import DiffRequest

    before, after = np.array([1] * 13 + [0] * 7, bool), np.array([1] * 8 + [0] * 5 + [1] * 7, bool)
    change = accuracy_change("accuracy", before, after, None, DiffRequest())
    assert change.needed == 487 / 20
    rng = np.random.default_rng(1)
    of_unlike_sizes = np.repeat(np.arange(60), rng.integers(1, 12, 60))
    rows = len(of_unlike_sizes)
    many = rng.random(rows) < 0.57, rng.random(rows) < 0.6 + 0.05 * rng.normal(size=60)[of_unlike_sizes]
    for first, second, clusters in ((before, after, np.arange(20) // 2), (*many, of_unlike_sizes)):
        compared = osc.compare(second.astype(int), first.astype(int), clusters=clusters)
        # One code of a cluster without items changes nothing.
        for codes in (clusters, clusters + (clusters > 3)):
            change = accuracy_change("accuracy", first, second, codes, DiffRequest())
            assert change.needed == pytest.approx(compared.power.needed / compared.clusters, rel=1e-12)
