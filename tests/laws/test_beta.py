from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
import scipy.special
import scipy.stats

from outscore.laws.beta import beta_quantile, clopper_pearson, log_beta_tails

CLOSE = 1e-13
SHAPES = [0.5, 1, 2, 3.5, 10, 40, 300, 5_000]


@pytest.mark.parametrize("a", SHAPES)
def test_both_tails(a):
    for b in SHAPES:
        mean = a / (a + b)
        sd = math.sqrt(mean * (1 - mean) / (a + b + 1))
        x = np.array([v for v in (mean + k * sd for k in (-8, -3, -1, 0, 1, 4)) if 0 < v < 1])
        found = np.exp([log_beta_tails(a, b, v) for v in x.tolist()])
        expected = np.stack([scipy.special.betainc(a, b, x), scipy.special.betaincc(a, b, x)], axis=1)
        np.testing.assert_allclose(found, expected, rtol=CLOSE, atol=0)


@pytest.mark.parametrize(("a", "b", "x"), [(10, 100_000, 0.00013160787670477543), (2, 100_000, 1e-5), (300, 5_000, 0.05)])
def test_both_tails_against_whole_numbers(a, b, x):
    """I_x(a, b) is the chance of a heads or more among a + b - 1 throws, here in 60 digits."""
    n = a + b - 1
    with localcontext() as context:
        context.prec = 60
        chance = Decimal(x)
        fewer = sum(Decimal(math.comb(n, k)) * chance**k * (1 - chance) ** (n - k) for k in range(a))
        lower, upper = (math.exp(log) for log in log_beta_tails(a, b, x))
        assert abs(float(Decimal(lower) / (1 - fewer) - 1)) < 1e-14
        assert abs(float(Decimal(upper) / fewer - 1)) < 1e-14


def test_a_tail_that_no_float_holds():
    """2^-5000, all heads."""
    assert log_beta_tails(5_000, 1, 0.5)[0] == pytest.approx(-5_000 * math.log(2), rel=1e-14)
    assert log_beta_tails(1, 5_000, 0.5)[1] == pytest.approx(-5_000 * math.log(2), rel=1e-14)


@pytest.mark.parametrize("a", SHAPES)
def test_quantiles(a):
    for b, p in itertools.product(SHAPES, (1e-9, 0.005, 0.025, 0.5)):
        assert beta_quantile(a, b, p) == pytest.approx(float(scipy.special.betaincinv(a, b, p)), rel=CLOSE)
        if (a, b, p) != (0.5, 0.5, 1e-9):
            assert beta_quantile(a, b, p, upper=True) == pytest.approx(float(scipy.special.betainccinv(a, b, p)), rel=CLOSE)


def test_a_quantile_of_few_hits_keeps_its_digits():
    """1 - (1 - p)^n of no hits, and n of one."""
    assert beta_quantile(1, 1_000_000, 0.005, upper=True) == pytest.approx(-math.expm1(math.log(0.005) / 1e6), rel=CLOSE)
    assert beta_quantile(0.5, 0.5, 1e-9, upper=True) < 1.0


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (3, 10), (10, 10), (1, 9_999), (500, 9_999)])
@pytest.mark.parametrize("level", [0.95, 0.99])
def test_clopper_pearson_against_scipy(hits, trials, level):
    expected = scipy.stats.binomtest(hits, trials).proportion_ci(level, "exact")
    assert clopper_pearson(hits, trials, level) == pytest.approx((expected.low, expected.high), abs=1e-12)
