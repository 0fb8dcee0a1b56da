"""Evidence at every look: closed forms against quadrature and a naive twin, Ville's bound, and when it is expected to stop."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.inference.anytime import (
    _needed,
    betting_evidence,
    binary_evidence,
    binary_log_e,
    binary_stops,
    bounded_stops,
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
    "`binary` needs independent items": lambda: osc.Anytime(binary=True, cluster_size=3),
    "A score is 7": lambda: osc.Anytime().add(7, 0),
    "A score is 0.5, but scores must be 0 or 1": lambda: osc.Anytime(binary=True).add(0.5, 0),
    "2 items were added together": lambda: osc.Anytime().add([1, 0], [0, 0]),
    "A has 2 scores and B has 1": lambda: osc.Anytime(cluster_size=3).add([1, 0], [0]),
    "A score is 40, but scores must lie between 0 and 1": lambda: osc.compare([40, 50, 60], [30, 20, 55], anytime=True),
    "--bounds is for a margin, a one-sided --delta, --anytime or": lambda: osc.compare([1, 0], [0, 1], bounds=(0, 1)),
    "`bounds` is 3 and 2": lambda: osc.compare([1, 0], [0, 1], anytime=True, bounds=(3, 2)),
    "cannot be combined with `delta`": lambda: osc.compare([0.1, 0.2], [0.2, 0.2], anytime=True, delta=0.1),
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


@pytest.mark.parametrize(("effect", "sd"), [(0.1, 0.0), (0.1, 2.0), (1.0, 0.3)])
def test_scores_that_cannot_vary_so_are_refused(effect, sd):
    with pytest.raises(OutscoreError, match="cannot differ by"):
        bounded_stops(effect, sd, 1.0, 60, 0.05)


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
        ({"effect": 0.5, "anytime": True}, "needs the spread in units of the scores"),
        ({"effect": 0.02, "sd": 0.3, "anytime": True, "cluster_size": 5, "icc": 0.1}, "a cluster enters as one bet"),
        ({"effect": 0.02, "sd": 3.0, "anytime": True}, "at most 1 apart cannot differ by 0.02"),
        ({"effect": 0.02, "sd": 0.3, "bounds": (0, 1)}, "--bounds is for --anytime"),
        ({"scores": (".9", ".8"), "n": 100, "anytime": True}, "--anytime cannot be combined with --scores"),
        ({"effect": 0.002, "discordance": 0.5, "method": "normal", "anytime": True}, "more items than can be planned"),
    ],
)
def test_what_cannot_be_planned_is_refused(asked, message):
    with pytest.raises(OutscoreError, match=r".") as caught:
        osc.plan(**asked)
    assert message in caught.value.message
