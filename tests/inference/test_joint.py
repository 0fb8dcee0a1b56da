"""All systems at once against loops over draws and items, and the coverage of intervals that hold together."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats

from outscore.core.metric import AdditiveMetric
from outscore.inference.leaderboard import band_of, draw, points_of, shares_of_best, win_rates
from outscore.inference.pairwise.table import pairs_of
from outscore.resampling import shared_resampled_blocks
from outscore.scores.panel import Panel

MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
F1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))


def board(values, clusters=None, metric=MEAN):
    rows = np.stack([values, np.ones_like(values)], axis=2) if values.ndim == 2 else values
    return Panel(metric, tuple(f"s{i}" for i in range(len(rows))), rows, np.ones(rows.shape[:2], dtype=bool), clusters=clusters)


def weights_of(units: int, resamples: int, seed: int):
    """How often each draw has each unit."""
    return np.concatenate([sums[0] for sums in shared_resampled_blocks([np.eye(units)], resamples=resamples, seed=seed)])


def naive_points(values, higher=True):
    """Points of each item, one system after the other."""
    k, n = values.shape
    points = np.zeros((k, n))
    for i in range(k):
        for j in range(k):
            for item in range(n):
                if i != j:
                    ahead = values[i, item] - values[j, item]
                    points[i, item] += 0.5 if ahead == 0 else float((ahead > 0) == higher)
    return points


@pytest.mark.parametrize("clustered", [False, True])
def test_draws_against_loops(clustered):
    rng = np.random.default_rng(3)
    values = rng.integers(0, 4, (4, 12))
    clusters = np.repeat(np.arange(5), [1, 2, 3, 2, 4]) if clustered else None
    codes = np.arange(12) if clusters is None else clusters
    units = int(codes.max()) + 1
    found = draw([board(values, clusters)], resamples=40, seed=7)
    assert found.units == units
    points = naive_points(values)
    for b, weight in enumerate(weights_of(units, 40, 7)):
        items = [i for i in range(12) for _ in range(int(weight[codes[i]]))]
        for system in range(4):
            assert found.scores[b, system] == pytest.approx(sum(values[system, i] for i in items) / len(items))
            assert found.points[0][b, system] == pytest.approx(sum(points[system, i] for i in items) / len(items))
    assert found.observed == pytest.approx(values.mean(axis=1))
    assert found.points[1] == pytest.approx(points.mean(axis=1))


def test_points_where_lower_is_better():
    values = np.array([[1, 2, 3], [2, 2, 1], [1, 5, 0]])
    lower = AdditiveMetric("loss", ("score", "items"), ratio=((1, 0), (0, 1)), direction="lower")
    assert (points_of(board(values, metric=lower)) / 2 == naive_points(values, higher=False)).all()
    counts = np.array([[[3, 1], [2, 2]], [[1, 1], [4, 0]]])
    assert points_of(board(counts, metric=F1)) is None


def test_several_datasets_are_averaged():
    rng = np.random.default_rng(0)
    sets = [board(rng.integers(0, 2, (3, n))) for n in (10, 30)]
    found = draw(sets, resamples=50, seed=1)
    assert found.units == 10
    assert found.by_dataset[0].shape == (50, 2, 3)
    assert found.scores == pytest.approx(found.by_dataset[0].mean(axis=1))
    # Streams of their own: the second dataset's draws are not the first one's.
    assert not np.allclose(found.by_dataset[0][:, 0], found.by_dataset[0][:, 1])


def test_who_is_best_and_who_wins_against_loops():
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 3, (200, 4)).astype(float)
    for higher in (True, False):
        expected, beaten = np.zeros(4), np.zeros(4)
        for row in scores:
            best = max(row) if higher else min(row)
            first = [i for i in range(4) if row[i] == best]
            for i in first:
                expected[i] += 1 / len(first)
        assert shares_of_best(scores, higher_is_better=higher) == pytest.approx(expected / 200)
        table = scores[:5]
        for row in table:
            for i in range(4):
                wins = [0.5 if row[i] == row[j] else float((row[i] > row[j]) == higher) for j in range(4) if j != i]
                beaten[i] += sum(wins) / 3
        assert win_rates(table, higher_is_better=higher) == pytest.approx(beaten / 5)


def test_band_against_loops():
    rng = np.random.default_rng(2)
    drawn = rng.normal(size=(999, 5)) * [1, 2, 3, 4, 0]
    observed = np.zeros(5)
    left, right = pairs_of(5)
    band = band_of(drawn, observed, units=12, alpha=0.1, pairs=(left, right))
    spreads = []
    for i, j in zip(left, right, strict=True):
        spreads.append(math.sqrt(sum((row[i] - row[j]) ** 2 for row in drawn) / len(drawn)))
    largest = sorted(max(abs(row[i] - row[j]) / s for i, j, s in zip(left, right, spreads, strict=True)) for row in drawn)
    normal = largest[math.ceil(0.9 * 1000) - 1]
    critical = scipy.stats.t(11).ppf(scipy.special.ndtr(normal))
    assert band.critical == pytest.approx(critical)
    assert band.high == pytest.approx(np.array(spreads) * critical * math.sqrt(12 / 11))
    assert band.low == pytest.approx(-band.high)
    assert 0 < band.error < 0.5


def test_what_does_not_move_has_no_limits():
    drawn = np.tile([1.0, 1.0, 2.0], (50, 1))
    drawn[:, 2] += np.random.default_rng(0).normal(size=50)
    band = band_of(drawn, np.array([1.0, 1.0, 2.0]), units=30, alpha=0.05, pairs=pairs_of(3))
    assert np.isnan(band.low).tolist() == [True, False, False]
    still = band_of(drawn[:, :2], np.ones(2), units=30, alpha=0.05, pairs=pairs_of(2))
    assert math.isnan(still.critical)


def covered(kind: str, systems: int, items: int, replicates: int, draws: int = 499) -> float:
    """How often the intervals of all pairs hold the true differences, all of them together."""
    rng, hits = np.random.default_rng(1), 0
    pairs = pairs_of(systems)
    share = np.linspace(0.5, 0.7, systems)
    for replicate in range(replicates):
        hard = rng.normal(size=items)
        if kind == "right or wrong":
            values = (rng.normal(size=(systems, items)) + hard < math.sqrt(2) * scipy.special.ndtri(share)[:, None]).astype(int)
        else:
            values = rng.standard_exponential((systems, items)) + hard + share[:, None]
        clusters = None
        if kind == "clustered":
            clusters = np.repeat(np.arange(items // 4), 4)
            values = values + np.repeat(rng.normal(size=(systems, items // 4)), 4, axis=1)
        found = draw([board(values, clusters)], resamples=draws, seed=replicate)
        band = band_of(found.scores, found.observed, units=found.units, alpha=0.05, pairs=pairs)
        truth = share[pairs[0]] - share[pairs[1]]
        hits += bool((np.isnan(band.low) | ((band.low <= truth) & (truth <= band.high))).all())
    return hits / replicates


def test_coverage_of_all_pairs_together():
    assert 0.91 <= covered("right or wrong", 5, 100, 300, 299) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["right or wrong", "skewed", "clustered"])
@pytest.mark.parametrize(("systems", "items"), [(3, 40), (6, 100), (6, 400)])
def test_coverage_on_the_calibration_page(kind, systems, items):
    # 2,000 replicates leave ±.013 open; ten clusters of four skewed items are few.
    assert 0.925 <= covered(kind, systems, items, 2_000, 999) <= 0.975
