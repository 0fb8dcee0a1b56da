"""Evidence at every look: closed forms against quadrature and a naive twin, Ville's bound by simulation, and the class."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.inference.anytime.process import (
    betting_evidence,
    binary_evidence,
    confidence_sequence,
    first_crossing,
    log_capital,
    stakes_of,
)


@pytest.mark.parametrize(("side", "low"), [("two-sided", 0.0), ("greater", 0.5)])
def test_right_or_wrong_is_the_mean_likelihood_ratio(side, low):
    d = np.array([1, 1, -1, 0, 1, 1, -1, 1])
    wins, losses = (d > 0).sum(), (d < 0).sum()
    mean, _ = scipy.integrate.quad(lambda t: t**wins * (1 - t) ** losses / (1 - low), low, 1)
    assert math.exp(binary_evidence(d, side)[-1]) == pytest.approx(mean * 2.0 ** (wins + losses), rel=1e-9)
    assert binary_evidence(-d, "less" if side == "greater" else side)[-1] == pytest.approx(binary_evidence(d, side)[-1])


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=12), st.sampled_from([0.01, 0.05, 0.2]))
def test_bets_against_a_naive_twin(drawn, alpha):
    """One bet at a time: the stake rests on what came before, and never risks more than half."""
    capital, total, squares, ups = 1.0, 0.0, 0.25, []
    for t, d in enumerate(drawn, 1):
        stake = min(math.sqrt(2 * math.log(2 / alpha) / (squares / t * t * math.log(1 + t))), 0.5)
        capital *= 1 + stake * d
        ups.append(capital)
        total += d
        squares += (d - total / (t + 1)) ** 2
    d = np.array(drawn)
    assert np.exp(betting_evidence(d, np.ones(len(d)), 1.0, alpha, "greater")) == pytest.approx(ups, rel=1e-9)


def test_a_stake_does_not_know_its_own_outcome():
    d = np.array([0.3, -0.2, 0.9, 0.1])
    other = d.copy()
    other[-1] = -1.0
    assert (stakes_of(d, 1.0, 0.05) == stakes_of(other, 1.0, 0.05)).all()


def null(rng: np.random.Generator, kind: str, n: int) -> np.ndarray:
    if kind == "right or wrong":
        return rng.choice([1, -1, 0], n, p=[0.1, 0.1, 0.8])
    return rng.beta(2, 2, n) - rng.beta(2, 2, n)


def crossings(kind: str, paths: int, n: int, seed: int) -> dict[str, float]:
    """How often evidence ever reaches 1/.05 without a difference, and how often the sequence ever loses the truth."""
    rng = np.random.default_rng(seed)
    counts = {"two-sided": 0, "greater": 0, "bets": 0, "lost": 0}
    ones = np.ones(n)
    for _ in range(paths):
        d = null(rng, kind, n)
        if kind == "right or wrong":
            counts["two-sided"] += first_crossing(binary_evidence(d), 0.05) is not None
            counts["greater"] += first_crossing(binary_evidence(d, "greater"), 0.05) is not None
        stakes = stakes_of(d.astype(float), 1.0, 0.05)
        up, down = (log_capital(d.astype(float), ones, 1.0, 1.0, stakes, 0.0, sign) for sign in (1.0, -1.0))
        counts["bets"] += first_crossing(np.logaddexp(up, down) - math.log(2), 0.05) is not None
        counts["lost"] += max(up.max(), down.max()) >= math.log(40)
    return {name: count / paths for name, count in counts.items()}


@pytest.mark.parametrize("kind", ["right or wrong", "graded"])
def test_looking_after_every_item_keeps_the_level(kind):
    assert max(crossings(kind, 300, 300, 1).values()) <= 0.07


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["right or wrong", "graded"])
def test_looking_after_every_item_keeps_the_level_over_many_paths(kind):
    # Three standard errors of 10,000 paths are .0065.
    assert max(crossings(kind, 10_000, 1_000, 2).values()) <= 0.0565


def in_clusters(rng: np.random.Generator, groups: int) -> np.ndarray:
    """Ten items each, whose differences go together."""
    return rng.choice([1, -1], groups) * rng.binomial(10, 0.6, groups)


def test_clusters_enter_whole():
    """Taken one by one, items of a cluster cross far too often; as one bet they do not."""
    rng = np.random.default_rng(5)
    whole = alone = 0
    for _ in range(300):
        sums = in_clusters(rng, 60).astype(float)
        whole += first_crossing(betting_evidence(sums, np.full(60, 10.0), 1.0, 0.05, largest=10), 0.05) is not None
        items = np.concatenate([np.r_[np.full(abs(int(s)), np.sign(s)), np.zeros(10 - abs(int(s)))] for s in sums])
        alone += first_crossing(binary_evidence(items), 0.05) is not None
    assert whole / 300 <= 0.07
    assert alone / 300 > 0.25


def test_the_sequence_is_what_bets_have_not_refuted():
    rng = np.random.default_rng(3)
    d = np.clip(rng.normal(0.1, 0.3, 400), -1, 1)
    low, high = confidence_sequence(d, np.ones(400), 1.0, 0.05)
    stakes = stakes_of(d, 1.0, 0.05)
    grid = np.linspace(-0.99, 0.99, 397)
    kept = [
        delta
        for delta in grid
        if all(log_capital(d, np.ones(400), 1.0, 1.0, stakes, delta, sign).max() < math.log(40) for sign in (1.0, -1.0))
    ]
    assert low == pytest.approx(min(kept), abs=0.006)
    assert high == pytest.approx(max(kept), abs=0.006)
    assert low < d.mean() < high


def test_the_class_says_what_compare_says():
    rng = np.random.default_rng(4)
    a, b = (rng.random((2, 150)) < [[0.75], [0.5]]).astype(int)
    watch = osc.Anytime(binary=True)
    for one, other in zip(a.tolist(), b.tolist(), strict=True):
        watch.add(one, other)
    found = osc.compare(a, b, anytime=True).anytime
    assert (found.e_value, found.p, found.stopped_at) == (watch.e_value, watch.p, watch.stopped_at)
    assert (found.low, found.high) == watch.interval
    assert (watch.decided, watch.n, found.binary) == (found.stopped_at is not None, 150, True)
    clusters = np.arange(150) // 5
    grouped = osc.Anytime(cluster_size=5)
    for code in range(30):
        grouped.add(a[clusters == code], b[clusters == code])
    found = osc.compare(a, b, clusters=clusters, anytime=True).anytime
    assert (found.e_value, found.units, found.binary) == (pytest.approx(grouped.e_value), 30, False)
    assert (found.low, found.high) == pytest.approx(grouped.interval)


def test_stopping_early_is_about_as_long_as_a_plan():
    """Half of the paths stop before the number of items that a plan with power .8 collects."""
    rng = np.random.default_rng(6)
    stops = []
    for _ in range(200):
        d = rng.choice([1, -1, 0], 3000, p=[0.13, 0.07, 0.8])
        stops.append(first_crossing(binary_evidence(d), 0.05) or 3000)
    planned = osc.sample_size(0.06, discordance=0.2)
    assert 0.6 * planned < np.median(stops) < 1.2 * planned


BAD = {
    "`bounds` is 1 and 0": lambda: osc.Anytime(bounds=(1, 0)),
    "`alternative` is 'up'": lambda: osc.Anytime(alternative="up"),
    "`alpha` is 2": lambda: osc.Anytime(alpha=2.0),
    "no coins": lambda: osc.Anytime(binary=True, cluster_size=3),
    "A score is 7": lambda: osc.Anytime().add(7, 0),
    "A score is 0.5, and scores are 0 or 1": lambda: osc.Anytime(binary=True).add(0.5, 0),
    "2 items came together": lambda: osc.Anytime().add([1, 0], [0, 0]),
    "A has 2 scores and B has 1": lambda: osc.Anytime(cluster_size=3).add([1, 0], [0]),
    "A score is 40, and scores lie between 0 and 1": lambda: osc.compare([40, 50, 60], [30, 20, 55], anytime=True),
    "--bounds is for --anytime": lambda: osc.compare([1, 0], [0, 1], bounds=(0, 1)),
    "`bounds` is 3 and 2": lambda: osc.compare([1, 0], [0, 1], anytime=True, bounds=(3, 2)),
    "and `delta` was given": lambda: osc.compare([0.1, 0.2], [0.2, 0.2], anytime=True, delta=0.1),
    "needs one score per item": lambda: osc.compare([[3, 1]] * 5, [[2, 1]] * 5, metric="f1", anytime=True),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input(message):
    with pytest.raises(OutscoreError, match=message):
        BAD[message]()


def test_points_of_a_hundred_need_their_bounds():
    found = osc.compare([40, 50, 60] * 20, [30, 20, 55] * 20, anytime=True, bounds=(0, 100)).anytime
    assert (found.bound, found.binary) == (100.0, False)
    assert -100 <= found.low < 15 < found.high <= 100
