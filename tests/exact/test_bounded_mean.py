"""The bound of a bounded mean: against fractions, Clopper and Pearson, its own definition, and its inversion."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.exact.bounded import log_p_of_mean, lower_limit_of_mean


def by_fractions(weights: list[Fraction]) -> Fraction:
    """P(Σ a E ≤ 0) for distinct weights, none 0: P(sum > 0) = Σ over a > 0 of Π a/(a - b), by partial fractions."""
    above = sum(
        (
            math.prod((a / (a - b) for j, b in enumerate(weights) if j != i), start=Fraction(1))
            for i, a in enumerate(weights)
            if a > 0
        ),
        Fraction(0),
    )
    return 1 - above


@given(st.lists(st.integers(-996, 997), min_size=1, max_size=9, unique=True), st.integers(-400, 900))
@settings(max_examples=120)
def test_p_equals_the_fraction(values, margin):
    x, m = [Fraction(v, 997) for v in values], Fraction(margin, 1009)
    weights = [*(v + m for v in x), m - 1]
    p = float(by_fractions(weights))
    found = math.exp(log_p_of_mean(np.array([float(v) for v in x]), float(m), 1.0))
    assert found == pytest.approx(p, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize(("n", "lost", "margin"), [(10, 0, 0.1), (50, 1, 0.05), (400, 3, 0.02), (60, 59, 0.99)])
def test_two_values_give_clopper_and_pearson(n, lost, margin):
    """Losses of 1 in `lost` of n items: P(so few or fewer) if each is lost with probability `margin`."""
    x = np.repeat([-1.0, 0.0], [lost, n - lost])
    assert math.exp(log_p_of_mean(x, margin, 1.0)) == pytest.approx(scipy.stats.binom.cdf(lost, n, margin), rel=1e-10)


@pytest.mark.parametrize(("n", "margin", "worst"), [(1, 0.5, 1.0), (10, 0.001, 1.0), (149, 2.0, 100.0), (1_000_000, 0.3, 1.0)])
def test_numbers_that_are_all_0_give_the_chance_of_an_unseen_loss(n, margin, worst):
    assert log_p_of_mean(np.zeros(n), margin, worst) == pytest.approx(n * math.log1p(-margin / worst), rel=1e-10)


def test_it_is_the_bayesian_bootstrap_with_one_worst_item():
    """Its definition, drawn two million times."""
    x, sizes, margin = np.array([0.5, -1.2, 0.0, 2.0, -0.4]), np.array([1.0, 3.0, 1.0, 4.0, 2.0]), 0.2
    rng = np.random.default_rng(0)
    drawn = rng.exponential(size=(2_000_000, 6))
    sums = drawn[:, :5] @ (x + margin * sizes) + drawn[:, 5] * (margin - 1.0) * 4.0
    share = (sums <= 0).mean()
    assert math.exp(log_p_of_mean(x, margin, 1.0, sizes)) == pytest.approx(share, abs=4 * math.sqrt(share / 2e6))


@given(
    st.lists(st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.25, 1.0]), min_size=1, max_size=40), st.sampled_from([0.01, 0.05, 0.2])
)
@settings(max_examples=60)
def test_the_limit_inverts_the_test(values, alpha):
    x = np.array(values)
    limit = lower_limit_of_mean(x, alpha, 1.0)
    assert -1.0 <= limit <= x.mean() or limit <= x.max()
    if x.max() > -1.0:
        assert math.exp(log_p_of_mean(x, -limit, 1.0)) == pytest.approx(alpha, rel=1e-6)
        nearer = (1.0 + limit) / 2
        assert log_p_of_mean(x, -limit + nearer, 1.0) < math.log(alpha) < log_p_of_mean(x, -limit - nearer, 1.0) + 1e-9


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=30), st.floats(-0.9, 0.9), st.floats(0.001, 0.09))
@settings(max_examples=60)
def test_p_falls_as_the_margin_grows(values, margin, more):
    x = np.array(values)
    assert log_p_of_mean(x, margin + more, 1.0) <= log_p_of_mean(x, margin, 1.0) + 1e-9


def test_more_of_the_same_data_is_the_same_as_data_written_out():
    x = np.array([0.3, -0.2, 0.0, 0.1])
    assert log_p_of_mean(x, 0.05, 1.0, times=3) == pytest.approx(log_p_of_mean(np.repeat(x, 3), 0.05, 1.0), rel=1e-12)


def test_p_keeps_its_digits_however_small():
    assert log_p_of_mean(np.zeros(100_000), 0.5, 1.0) == pytest.approx(100_000 * math.log(0.5), rel=1e-12)


def test_a_margin_as_large_as_the_worst_loss_excludes_nothing():
    with pytest.raises(ValueError, match="excludes nothing"):
        log_p_of_mean(np.zeros(3), 1.0, 1.0)


@pytest.mark.parametrize("lead", [-0.9, -0.3, 0.4])
def test_the_limit_of_clusters_inverts_their_test(lead):
    """Also where every cluster is worse: the sums of large clusters lie far below the worst mean."""
    rng = np.random.default_rng(4)
    sizes = rng.integers(2, 9, 30).astype(float)
    x = sizes * np.clip(lead + rng.normal(0.0, 0.05, 30), -1.0, 1.0)
    limit = lower_limit_of_mean(x, 0.05, 1.0, sizes)
    assert -1 < limit < x.sum() / sizes.sum()
    assert log_p_of_mean(x, -limit, 1.0, sizes) == pytest.approx(math.log(0.05), abs=1e-6)
