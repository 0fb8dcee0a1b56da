"""No frequency above the floor is ever lost, and nearly all others are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.exact.bracket import _open_boxes
from outscore.exact.flipsum import FLOOR, SMALL_GRID, BudgetError, about_multiples, survivors


def log_modulus(values, counts, sech2, omega):
    """log |φ| = ½ Σ c log(1 - sech² sin²) at every row of omega, evaluated without any bound."""
    sine2 = np.sin(omega @ values.T) ** 2
    with np.errstate(divide="ignore"):
        return 0.5 * np.log(np.maximum(1 - sech2 * sine2, 0.0)) @ counts


def check_grid(values, counts, tilt, step, high):
    """All grid frequencies above the floor are among the survivors; returns how many survive."""
    sech2 = 1 / np.cosh(np.minimum(np.abs(values @ tilt), 300.0)) ** 2
    low = np.zeros(len(high), dtype=np.int64)
    found = survivors(values, counts, sech2, step, low, high, budget=1e12)
    grid = np.stack([g.ravel() for g in np.meshgrid(*(np.arange(h + 1) for h in high), indexing="ij")], axis=1)
    alive = grid[log_modulus(values, counts, sech2, grid * step) > -FLOOR + 1e-6]
    assert set(map(tuple, alive.tolist())) <= set(map(tuple, found.tolist()))
    assert len(np.unique(found, axis=0)) == len(found)
    return len(found), len(grid)


@settings(max_examples=8)
@given(seed=st.integers(0, 2**32), tilt=st.sampled_from([0.0, 0.01, 0.3]))
def test_against_the_whole_grid_on_a_line(seed, tilt):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(300, 800))
    values = rng.choice([rng.integers(1, 60, n), rng.exponential(3.0, n), rng.pareto(1.0, n)], axis=0)[:, None].astype(float)
    counts = rng.integers(1, 4, n)
    check_grid(values, counts, np.array([tilt]), np.array([np.pi / 3001]), np.array([3000]))


@settings(max_examples=6)
@given(seed=st.integers(0, 2**32), tilt=st.sampled_from([0.0, 0.05]))
def test_against_the_whole_grid_in_the_plane(seed, tilt):
    rng = np.random.default_rng(seed)
    values = np.unique(rng.integers(-9, 10, (60, 2)), axis=0).astype(float)
    values = values[values.any(axis=1)]
    counts = rng.integers(1, 20, len(values))
    check_grid(values, counts, np.array([tilt, -tilt]), np.pi / np.array([211, 307]), np.array([210, 153]))


@settings(max_examples=100)
@given(size=st.integers(1, 60), weight=st.floats(1.0, 1e9), points=st.integers(2, 20_000))
def test_one_size_against_all_its_sines(size, weight, points):
    """No index that one size leaves is lost, none stands twice or outside the grid; a few stand beside them."""
    index = np.arange(points // 2 + 1)
    alive = index[0.5 * weight * np.sin(np.pi * size * index / points) ** 2 < FLOOR]
    found = about_multiples(size, weight, points)
    if found is None:
        assert weight <= 2 * FLOOR or len(alive) + 5 * size >= min(len(index) / 2, SMALL_GRID / 2)
    else:
        assert np.isin(alive, found).all()
        assert (np.diff(found) > 0).all()
        assert 0 <= found[0] <= found[-1] <= points // 2
        assert len(found) <= len(alive) + 3 * (size + 1)


def test_few_survive_for_dense_integers():
    """The point of the sieve: of fifty thousand frequencies a few dozen are left."""
    values = np.arange(1.0, 101.0)[:, None]
    kept, grid = check_grid(values, np.full(100, 100), np.zeros(1), np.array([np.pi / 100_000]), np.array([50_000]))
    assert grid == 50_001
    assert kept < 80


def test_budget_is_kept():
    values = np.array([[7.0], [999_983.0]])
    with pytest.raises(BudgetError):
        survivors(values, np.array([9, 9]), np.ones(2), np.array([1e-7]), np.zeros(1), np.array([10**8]), budget=1e6)


def test_a_grid_of_boxes_that_no_budget_pays_for_is_never_made():
    sizes = np.array([[1e6 + 0.5]])
    with pytest.raises(BudgetError):
        survivors(sizes, np.array([9]), np.ones(1), np.array([1.0]), np.zeros(1), np.array([10**13]), budget=1e6)


@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32),
    n=st.integers(20, 1_500),
    theta=st.sampled_from([0.0, 0.02, 0.5]),
    step=st.floats(1e-3, 0.4),
    first=st.integers(1, 70),
    heavy=st.sampled_from([0, 30, 400]),
)
def test_boxes_of_one_transform_hold_every_frequency_above_the_floor(seed, n, theta, step, first, heavy):
    """Against the whole grid, without any bound; a few sizes may be as frequent as all others together."""
    rng = np.random.default_rng(seed)
    sizes = np.sort(rng.choice([rng.random(n), rng.exponential(0.1, n), rng.integers(1, 9, n) / 8], axis=0))
    sizes /= sizes.max()
    counts = np.ones(n)
    counts[rng.integers(0, n, 2)] += heavy
    sech2, last = np.cosh(theta * sizes) ** -2, 3_000
    low, high = (side[:, 0] for side in _open_boxes(sizes, counts, sech2, step, first, last, FLOOR))
    assert (low >= first).all()
    assert (high <= last).all()
    index = np.arange(first, last + 1)
    open_to = np.concatenate([np.arange(a, b + 1) for a, b in zip(low.tolist(), high.tolist(), strict=True)] or [[]])
    assert len(np.unique(open_to)) == len(open_to)
    alive = index[log_modulus(sizes[:, None], counts, sech2, step * index[:, None].astype(float)) > -FLOOR]
    assert set(alive.tolist()) <= set(open_to.tolist())
    if counts.sum() > 1_000 and heavy == 0 and theta < 0.1:
        # Nearly all are settled at once where flips are many.
        assert len(open_to) < len(index) / 4 or len(alive) > len(index) / 20
