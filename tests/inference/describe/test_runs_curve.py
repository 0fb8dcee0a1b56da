"""The difference over the number of runs: its numbers, and what the band promises."""

from __future__ import annotations

import numpy as np
import pytest

from outscore.core.reduction import pass_rate
from outscore.core.repeats import Draws
from outscore.inference.describe.runs_curve import MAX_POINTS, runs_curve


def draws(rng, n: int, runs: int, rates) -> Draws:
    return Draws((rng.random((n, runs)) < np.asarray(rates).reshape(-1, 1)).astype(int).ravel(), np.repeat(np.arange(n), runs))


@pytest.mark.parametrize("kind", ["pass@", "pass^"])
def test_differences_are_those_of_pass_rates(kind):
    rng = np.random.default_rng(1)
    a, b = draws(rng, 9, 5, [0.6]), draws(rng, 9, 4, [0.4])
    found = runs_curve((a, b), kind)
    assert [point.k for point in found.points] == [1, 2, 3, 4]
    for point in found.points:
        means = [
            np.mean([float(pass_rate(kind, k, int(one.values[one.items == i].sum()), point.k)) for i in range(9)])
            for one, k in ((a, 5), (b, 4))
        ]
        assert point.difference == pytest.approx(means[0] - means[1])
        assert point.low < point.difference < point.high
    assert found == runs_curve((a, b), kind)


def test_the_band_is_wider_than_single_intervals_and_clusters_widen_it():
    rng = np.random.default_rng(2)
    a, b = draws(rng, 40, 4, rng.random(40)), draws(rng, 40, 4, rng.random(40))
    d = np.array([a.values[a.items == i].mean() - b.values[b.items == i].mean() for i in range(40)])
    single = 2.0227 * d.std(ddof=1) / np.sqrt(40)
    first = runs_curve((a, b)).points[0]
    assert first.high - first.difference > single
    order = np.argsort(d)
    clusters = np.empty(40, dtype=int)
    clusters[order] = np.repeat(np.arange(8), 5)
    assert runs_curve((a, b), clusters=clusters).points[0].high > first.high


def test_no_curve_where_there_is_none():
    rng = np.random.default_rng(3)
    once, twice = draws(rng, 5, 1, [0.5]), draws(rng, 5, 2, [0.5])
    graded = Draws(np.array([0.5, 1.0] * 5), np.repeat(np.arange(5), 2))
    assert runs_curve((once, twice)) is None
    assert runs_curve((graded, twice)) is None
    assert runs_curve((twice, twice), clusters=np.zeros(5, dtype=int)) is None


def test_very_many_runs_are_thinned_out():
    rng = np.random.default_rng(4)
    found = runs_curve((draws(rng, 4, 200, [0.3]), draws(rng, 4, 200, [0.2])))
    ks = [point.k for point in found.points]
    assert (ks[0], ks[-1]) == (1, 200)
    assert len(ks) <= MAX_POINTS


@pytest.mark.slow
@pytest.mark.parametrize(("n", "runs"), [(15, 4), (50, 5), (200, 8)])
def test_the_band_holds_all_differences_at_once(n, runs):
    rng = np.random.default_rng(5)

    def rates(size):
        first = rng.beta(0.6, 0.5, size)
        return first, np.clip(first - rng.beta(1, 8, size), 0, 1)

    a, b = rates(400_000)
    truth = [((1 - b) ** k - (1 - a) ** k).mean() for k in range(1, runs + 1)]
    held = 0
    for seed in range(400):
        first, second = rates(n)
        found = runs_curve((draws(rng, n, runs, first), draws(rng, n, runs, second)), seed=seed)
        held += all(point.low <= x <= point.high for point, x in zip(found.points, truth, strict=True))
    assert held / 400 >= 0.92
