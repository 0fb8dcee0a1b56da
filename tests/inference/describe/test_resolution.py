"""The noise floor against enumeration and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from outscore.core.metric import AdditiveMetric
from outscore.inference.describe.repeats import attained_level, detectable_difference, discordant_alarms, noise_floor

MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))


def rows(y):
    return np.stack([y, np.ones_like(y)], axis=-1).astype(float)


def sign_p(wins: int, losses: int) -> float:
    return 1.0 if wins + losses == 0 else scipy.stats.binomtest(wins, wins + losses).pvalue


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_attained_levels_by_counting(alpha):
    found = attained_level(np.arange(15), alpha)
    for m in range(15):
        rejected = [k for k in range(m + 1) if sign_p(k, m - k) <= alpha + 1e-12]
        assert found[m] == pytest.approx(sum(math.comb(m, k) for k in rejected) / 2**m, abs=1e-12)


def test_false_alarms_of_epochs_by_counting():
    """All ordered pairs of two epochs of each item, drawn independently."""
    values = np.array([[0, 1, 1], [1, 1, 1], [0, 0, 1], [1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1], [0, 0, 0]])
    choices = []
    for scores in values:
        pairs = list(itertools.permutations(scores.tolist(), 2))
        counts = {d: sum(a - b == d for a, b in pairs) / len(pairs) for d in (-1, 0, 1)}
        choices.append([(d, share) for d, share in counts.items() if share])
    total = 0.0
    for drawn in itertools.product(*choices):
        differences = [d for d, _ in drawn]
        if sign_p(differences.count(1), differences.count(-1)) <= 0.1 + 1e-12:
            total += math.prod(share for _, share in drawn)
    assert discordant_alarms(values, 0.1) == pytest.approx(total, rel=1e-10)
    assert 0 < total <= 0.1


def test_epochs_by_hand():
    y = np.array([[1.0, 0.0, 1.0], [0.5, 0.5, 0.0], [0.2, 0.4, 0.9], [1.0, 1.0, 1.0]])
    found = noise_floor(rows(y), MEAN, kind="epochs", alpha=0.05)
    assert found.sd == pytest.approx(math.sqrt(y.var(axis=1, ddof=1).mean() / 4))
    assert found.reach == pytest.approx(1.959964 * math.sqrt(2) * found.sd, rel=1e-6)
    assert found.largest == pytest.approx(y.mean(axis=0).max() - y.mean(axis=0).min())
    # Three items vary, and the smallest p of three is .25.
    assert (found.pairs, found.runs, found.false_alarms, found.bound) == (3, 3.0, 0.0, False)


@pytest.mark.parametrize("clustered", [False, True])
def test_graded_epochs_are_called_different_no_more_often_than_is_told(clustered):
    """All ordered pairs of two epochs of each unit, and all flips of the signs of their differences."""
    y = np.array([[0.1, 0.9], [0.3, 0.5], [0.25, 0.4], [0.7, 0.31], [0.2, 0.67], [0.9, 0.34], [0.5, 0.5]])
    clusters = np.array([0, 0, 1, 1, 2, 2, 3]) if clustered else None
    found = noise_floor(rows(y), MEAN, kind="epochs", clusters=clusters, alpha=0.05)
    signs = np.array(list(itertools.product([1, -1], repeat=6)))
    drawn = (y[:6, 0] - y[:6, 1]) * signs
    if clustered:
        # Within a cluster every item is turned by itself, and the test turns the cluster.
        drawn = drawn.reshape(-1, 3, 2).sum(axis=2)
        signs = np.array(list(itertools.product([1, -1], repeat=3)))
    p = (np.abs(drawn @ signs.T) >= np.abs(drawn.sum(axis=1, keepdims=True)) - 1e-12).mean(axis=1)
    called = (p <= 0.05).mean()
    assert called <= found.false_alarms <= 0.05
    assert (found.false_alarms, found.bound) == ((0.0, False) if clustered else (1 / 32, True))


def test_runs_of_too_few_items_are_never_called_different():
    y = np.array([[1.0, 0.0, 1.0], [0.5, 0.5, 0.0], [0.2, 0.4, 0.9], [1.0, 0.7, 1.0]])
    assert noise_floor(rows(y), MEAN, kind="runs", alpha=0.05).false_alarms == 0.0


def test_runs_vary_as_their_scores_do():
    rng = np.random.default_rng(2)
    y = (rng.normal(size=(200, 5)) + np.array([0.0, 0.5, -0.5, 0.2, -0.2])).round(1)
    found = noise_floor(rows(y), MEAN, kind="runs", alpha=0.05)
    assert found.sd == pytest.approx(y.mean(axis=0).std(ddof=1))
    assert found.false_alarms > 0.5
    assert found.significant > 5
    same = noise_floor(rows(rng.normal(size=(200, 5)).round(1)), MEAN, kind="runs", alpha=0.05)
    assert same.false_alarms < 0.15


def test_runs_that_never_differ_are_never_called_different():
    y = np.repeat(np.array([[1.0], [0.0], [1.0]]), 3, axis=1)
    for kind in ("epochs", "runs"):
        found = noise_floor(rows(y), MEAN, kind=kind, alpha=0.05, binary=True)
        assert (found.sd, found.reach, found.largest, found.significant) == (0.0, 0.0, 0.0, 0)
        assert not found.false_alarms


@pytest.mark.parametrize("correlation", [0.0, 0.3, None])
def test_what_new_runs_add_is_added_for_both_systems(correlation):
    """The variance of the difference is 2 (1 - ρ) v + 2 w; at the smallest difference the t test has the power asked for."""
    v, w, df = 0.002, 0.0007, 60
    found = detectable_difference(v, df, added=w, correlation=correlation, alpha=0.05, power=0.8)
    for effect, rho in ((found.independent, 0.0), (found.correlated, 0.5 if correlation is None else correlation)):
        shift = effect / math.sqrt(2 * (1 - rho) * v + 2 * w)
        edge = scipy.stats.t.ppf(0.975, df)
        power = scipy.stats.nct.sf(edge, df, shift) + scipy.stats.nct.cdf(-edge, df, shift)
        assert power == pytest.approx(0.8, abs=1e-3)


@pytest.mark.slow
def test_false_alarms_of_runs_are_those_that_happen():
    """Many runs tell how often two of them are called different; few runs estimate it without bias to speak of."""
    rng = np.random.default_rng(7)
    ease = rng.normal(1.0, 1.5, 500)

    def runs(k):
        luck = rng.normal(0.0, 0.2, k)
        return (rng.random((500, k)) < 1 / (1 + np.exp(-(ease[:, None] + luck)))).astype(float)

    happened = np.mean([sign_p(int((a > b).sum()), int((a < b).sum())) <= 0.05 for a, b in (runs(2).T for _ in range(1500))])
    told = np.mean([noise_floor(rows(runs(8)), MEAN, kind="runs", alpha=0.05).false_alarms for _ in range(60)])
    assert 0.1 < happened < 0.5
    assert told == pytest.approx(happened, abs=0.06)
