"""Intervals: permutation inversion against subset means, Tango against its own likelihood, and duality with p."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.inference.binary import Discordance
from outscore.inference.inversion import lower_limit


def enumerated(d, w, alpha):
    """The naive twin: smallest δ with p_greater(δ) > α among all subset means."""
    means = sorted(
        sum(d[i] for i in subset) / sum(w[i] for i in subset)
        for size in range(1, len(d) + 1)
        for subset in itertools.combinations(range(len(d)), size)
    )
    # p_greater(δ) = (1 + #{means ≤ δ}) / 2^n
    return next(m for j, m in enumerate(means, start=1) if (1 + j) / 2 ** len(d) > alpha)


@pytest.mark.parametrize("n", [6, 9, 12, 16])
@pytest.mark.parametrize("weighted", [False, True])
def test_inversion_against_enumeration(n, weighted):
    rng = np.random.default_rng(n)
    d = rng.normal(0.3, 1, n)
    w = rng.integers(1, 5, n).astype(float) if weighted else np.ones(n)
    found = lower_limit(d, w, 0.025)
    assert found.outer == found.inner == pytest.approx(enumerated(d, w, 0.025), rel=1e-12)


@pytest.mark.parametrize("n", [21, 23, 40, 60])
def test_certified_limits_hold_the_listed_one(n):
    """The limit of 21 to 23 units can still be listed; beyond that p itself is checked on both sides."""
    d = np.random.default_rng(n).exponential(1.0, n) - 0.8
    found = lower_limit(d, np.ones(n), 0.025)
    spread = d.std(ddof=1) / math.sqrt(n)
    assert found.outer < found.inner < found.outer + 0.02 * spread
    if n <= 23:
        sums = np.zeros(1), np.zeros(1)
        for x in d:
            sums = np.concatenate([sums[0], sums[0] + x]), np.concatenate([sums[1], sums[1] + 1])
        means = np.sort(sums[0][1:] / sums[1][1:])
        assert found.outer <= means[math.floor(0.025 * 2**n) - 1] <= found.inner
    else:
        for delta, rejected in ((found.outer, True), (found.inner, False)):
            p = osc.permutation_test(d, np.zeros(n), alternative="greater", delta=float(delta))
            assert (p.upper <= 0.025 * 1.001) if rejected else (p.upper > 0.025 * 0.999)


def test_example_of_nine():
    d = [0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010]
    interval = osc.compare(d, [0] * 9).interval
    assert (interval.low, interval.high) == pytest.approx((0.09325, 0.77100), abs=5e-6)
    assert interval.dual


@pytest.mark.parametrize("n", [1, 3, 5])
def test_unbounded_with_few_units(n):
    interval = osc.compare([0.5] * n, [0.1, 0.2, 0.3, 0.35, 0.05][:n]).interval
    assert interval.low is None
    assert interval.high is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=6, max_size=15), st.sampled_from([0.01, 0.05, 0.2]))
def test_the_interval_holds_zero_exactly_when_p_exceeds_alpha(d, alpha):
    """Graded scores by inversion; d doubled so that no unit looks binary."""
    result = osc.compare([2 * x + 50 for x in d], [50] * len(d), alpha=alpha)
    low, high = result.interval.low, result.interval.high
    inside = (low is None or low <= 0) and (high is None or high >= 0)
    assert inside == (result.p.value > alpha)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 40), st.sampled_from([0.01, 0.05, 0.2]))
def test_tango_holds_zero_exactly_when_p_exceeds_alpha(only_a, only_b, same, alpha):
    a = [1] * only_a + [0] * only_b + [1] * same
    b = [0] * only_a + [1] * only_b + [1] * same
    result = osc.compare(a, b, metric="accuracy", alpha=alpha)
    assert result.interval.method.startswith("Tango")
    assert (result.interval.low <= 0 <= result.interval.high) == (result.p.value > alpha)


@pytest.mark.parametrize(("n", "b", "c", "delta"), [(50, 9, 3, 0.05), (100, 0, 4, -0.1), (30, 12, 2, 0.3), (20, 5, 5, -0.2)])
def test_tango_against_numerical_likelihood(n, b, c, delta):
    """The constrained maximum found by brute search instead of the quadratic."""
    grid = np.linspace(max(0, -delta), (1 - delta) / 2, 2_000_001)[1:-1]
    loglik = (b * np.log(grid + delta) if b else 0) + (c * np.log(grid) if c else 0)
    loglik = loglik + (n - b - c) * np.log(1 - 2 * grid - delta)
    p21 = grid[int(np.argmax(loglik))]
    expected = (b - c - n * delta) / math.sqrt(n * (2 * p21 + delta * (1 - delta)))
    assert Discordance(n, b, c, 1.0, 1).score(delta) == pytest.approx(expected, abs=2e-5)


def test_one_sided_interval_is_open_on_the_other_side():
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.3, 1, 40), rng.normal(0, 1, 40)
    greater, less = (osc.compare(a, b, alternative=side).interval for side in ("greater", "less"))
    assert greater.high is None
    assert less.low is None
    assert greater.low < a.mean() - b.mean() < less.high


@pytest.mark.slow
@pytest.mark.parametrize("n", [8, 30, 100])
def test_coverage_of_the_inverted_interval(n):
    """Symmetric, heavy-tailed differences: exact coverage, so 95 % up to discreteness and simulation error."""
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(600):
        d = rng.standard_t(3, n) + 0.7
        interval = osc.compare(d, np.zeros(n)).interval
        held += interval.low <= 0.7 <= interval.high
    assert 0.93 <= held / 600 <= 0.975


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 200])
def test_coverage_of_tango(n):
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(1_000):
        u = rng.random(n)
        a, b = (u < 0.75).astype(int), ((u < 0.6) | (u > 0.95)).astype(int)
        interval = osc.compare(a, b, metric="accuracy").interval
        held += interval.low <= 0.1 <= interval.high
    assert held / 1_000 >= 0.93
