from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import units_of
from outscore.inference.describe.histograms import null_histogram, null_of_samples
from outscore.inference.unpaired import Samples, division_p
from outscore.metrics.registry import resolve
from outscore.results.analysis import NullHistogram


def law_of(a, b, metric="mean", **given):
    resolved, left, right = resolve(metric, np.asarray(a), np.asarray(b))
    return null_histogram(units_of(PairedScores(left, right)), resolved, **given)


def every_swap(d):
    return np.array([np.mean(np.array(signs) * d) for signs in itertools.product((1, -1), repeat=len(d))])


@settings(max_examples=60)
@given(st.lists(st.integers(-4, 4), min_size=2, max_size=8).filter(any), st.sampled_from([0.0, 0.25, -1.0]))
def test_bars_against_every_swap(d, delta):
    found = law_of(d, np.zeros(len(d), dtype=int), delta=delta)
    if found is None:
        assert not (np.array(d) - delta).any()
        return
    sums = delta + every_swap(np.array(d) - delta)
    assert (found.drawn, found.centre) == (0, delta)
    for middle, height in zip(found.x, found.density, strict=True):
        inside = np.abs(sums - middle) < found.width / 2 - 1e-9
        assert height * found.width == pytest.approx(inside.mean(), abs=1e-9)
    assert sum(found.density) * found.width == pytest.approx(1)
    assert found.density == found.density[::-1]
    assert np.mean(found.x) == pytest.approx(delta, abs=1e-9)


def test_right_or_wrong_items_have_no_false_notches():
    rng = np.random.default_rng(3)
    a = (rng.random(500) < 0.7).astype(int)
    b = np.where(rng.random(500) < 0.8, a, 1 - a)
    found = law_of(a, b)
    middle = len(found.density) // 2
    # A binomial law falls from its middle on: no bar is lower than the next one outwards.
    assert (np.diff(found.density[middle:]) <= 1e-12).all()
    beyond = np.abs(found.x) >= abs(found.observed) - 1e-9
    assert np.array(found.density)[beyond].sum() * found.width == pytest.approx(osc.permutation_test(a, b).value, abs=2e-5)


def test_many_points_share_bars_evenly():
    d = np.round(np.random.default_rng(4).normal(0.02, 0.3, 400), 3)
    found = law_of(d, np.zeros(400))
    assert len(found.x) <= 64
    outwards = np.diff(found.density[len(found.density) // 2 :])
    assert (outwards <= 1e-6).all()


def test_ratios_of_sums_are_exact_and_reals_are_sampled():
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 9, (40, 3)), rng.integers(1, 9, (40, 3))
    assert law_of(*counts, metric="f1").drawn == 0
    reals = law_of(rng.normal(size=50), rng.normal(size=50))
    assert reals.drawn == 4000
    assert reals.density == reals.density[::-1]
    shifted = law_of(rng.normal(size=50), rng.normal(size=50), delta=0.3)
    assert np.mean(shifted.x) == pytest.approx(0.3)


def test_nothing_to_swap_and_no_swaps_at_a_difference():
    assert law_of([1, 0, 1], [1, 0, 1]) is None
    rng = np.random.default_rng(5)
    counts = rng.integers(1, 9, (40, 3)), rng.integers(1, 9, (40, 3))
    assert law_of(*counts, metric="f1", delta=0.1) is None
    # Tango's score test at a difference is not a law of swaps.
    binary = osc.compare([1, 1, 0, 1] * 20, [0, 1, 1, 0] * 20, delta=0.1)
    assert binary.pictures.null is None


def test_old_files_have_a_sampled_curve():
    old = NullHistogram([-1.0, 0.0, 1.0], [0.1, 0.8, 0.1], 0.5)
    assert (old.width, old.centre, old.drawn) == (0.0, 0.0, None)


@pytest.mark.parametrize(("right_a", "n_a", "right_b", "n_b"), [(8, 10, 12, 30), (3, 3, 2, 9), (20, 25, 18, 25)])
def test_divisions_of_right_or_wrong_items(right_a, n_a, right_b, n_b):
    """Bars of all tables with these totals: the tails beyond the observed difference are Fisher's p."""
    both = Samples(np.repeat([1.0, 0.0], [right_a, n_a - right_a]), np.repeat([1.0, 0.0], [right_b, n_b - right_b]))
    found = null_of_samples(both)
    assert (found.drawn, found.observed) == (0, both.difference)
    mass = np.array(found.density) * found.width
    far = np.abs(found.x) >= abs(found.observed) - 1e-9
    assert mass[far].sum() == pytest.approx(division_p(both).value, abs=5e-5)
    assert mass.sum() == pytest.approx(1, abs=5e-5)


@pytest.mark.parametrize(("right_a", "n_a", "right_b", "n_b"), [(2, 9, 1, 12), (9, 9, 1, 4), (2, 200, 1, 150)])
def test_bars_of_divisions_are_hypergeometric(right_a, n_a, right_b, n_b):
    """Every number of right items that can fall to A has a bar, and no other."""
    both = Samples(np.repeat([1.0, 0.0], [right_a, n_a - right_a]), np.repeat([1.0, 0.0], [right_b, n_b - right_b]))
    found = null_of_samples(both)
    right, law = right_a + right_b, scipy.stats.hypergeom(n_a + n_b, right_a + right_b, n_a)
    numbers = range(max(0, right - n_b), min(n_a, right) + 1)
    assert found.x == pytest.approx([k / n_a - (right - k) / n_b for k in numbers])
    assert [height * found.width for height in found.density] == pytest.approx([law.pmf(k) for k in numbers])


def test_divisions_of_other_scores_are_drawn():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=12), rng.normal(size=20)
    found = null_of_samples(Samples(a, b), seed=1)
    assert found.drawn == 4_000
    assert sum(found.density) * found.width == pytest.approx(1)
    # The spread of the law is that of samples without replacement.
    mass = np.array(found.density) * found.width
    sd = np.concatenate([a, b]).std(ddof=1) * np.sqrt(1 / 12 + 1 / 20)
    assert np.sqrt(mass @ np.square(found.x)) == pytest.approx(sd, rel=0.06)
    grouped = null_of_samples(Samples(a, b, (np.arange(12) // 3, np.arange(20) // 4)), seed=1)
    assert grouped.drawn == 4_000
    assert null_of_samples(Samples(np.ones(3), np.ones(4))) is None
