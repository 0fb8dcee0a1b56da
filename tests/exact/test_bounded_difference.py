"""The difference between two bounded means against beta laws, whose limits right-or-wrong items have."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from tests.variants import a_few

from outscore.exact.bounded import Sample, difference_limit, log_p_of_difference, lower_mean


def shares(right: int, n: int) -> Sample:
    return Sample(np.repeat([1.0, 0.0], [right, n - right]), 0.0, 1.0)


@pytest.mark.parametrize(
    ("a", "b", "margin"),
    a_few([((80, 100), (80, 100), 0.1), ((149, 150), (148, 150), 0.02), ((10, 12), (3, 9), 0.1), ((0, 20), (3, 9), 0.5)], 2),
)
def test_two_shares_meld_the_limits_of_clopper_and_pearson(a, b, margin):
    """P(L ≤ U - m) with L of the law Beta(x, n - x + 1) and U of the law Beta(y + 1, m - y)."""
    highest = scipy.stats.beta.ppf((np.arange(100_000) + 0.5) / 100_000, b[0] + 1, b[1] - b[0])
    lowest = scipy.stats.beta(a[0], a[1] - a[0] + 1).cdf(highest - margin) if a[0] else highest >= margin
    first, second = lower_mean(shares(*a)), lower_mean(shares(*b).negative)
    assert math.exp(log_p_of_difference(first, second, margin)) == pytest.approx(float(lowest.mean()), rel=2e-3)


def test_without_a_margin_it_is_the_test_of_fisher():
    first, second = lower_mean(shares(14, 20)), lower_mean(shares(5, 15).negative)
    fisher = scipy.stats.fisher_exact([[14, 6], [5, 10]], "greater").pvalue
    assert math.exp(log_p_of_difference(first, second, 0.0)) == pytest.approx(fisher, rel=1e-3)


def test_the_limit_inverts_the_test():
    rng = np.random.default_rng(3)
    first, second = lower_mean(Sample(rng.random(30), 0.0, 1.0)), lower_mean(Sample(rng.random(20), 0.0, 1.0).negative)
    limit = difference_limit(first, second, 0.05)
    assert math.exp(log_p_of_difference(first, second, -limit)) == pytest.approx(0.05, rel=1e-5)


def test_many_different_numbers_are_counted_in_bins():
    """Five hundred bins of six hundred numbers: as the numbers themselves say, to three digits."""
    x = np.random.default_rng(4).random(600)
    table, exact = lower_mean(Sample(x, 0.0, 1.0)), np.append(x, 0.0)
    drawn = np.random.default_rng(5).dirichlet(np.ones(601), 4_000) @ exact
    for t in np.quantile(x, [0.47, 0.5, 0.53]):
        assert float(table.below(np.array([t]))[0]) == pytest.approx((drawn <= t).mean(), abs=0.03)


def test_numbers_at_their_worst_leave_nothing_to_lose():
    nothing = lower_mean(Sample(np.zeros(30), 0.0, 1.0))
    assert nothing.below(np.array([-0.1, 0.0, 0.1])).tolist() == [0.0, 1.0, 1.0]
