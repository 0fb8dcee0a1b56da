"""The distributions of `laws` against scipy and against what is known of them."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats

from outscore.laws import _spreads as spreads
from outscore.laws import (
    beta_quantile,
    clopper_pearson,
    log_beta_tails,
    log_normal,
    log_t_tail,
    mills,
    noncentral_student,
    normal,
    normal_quantile,
    student,
    student_quantile,
    t_quantile,
)

CLOSE = 1e-13


def test_distribution_function():
    x = np.linspace(-37, 9, 2_001)
    np.testing.assert_allclose([normal(v) for v in x.tolist()], scipy.special.ndtr(x), rtol=CLOSE, atol=0)


def test_quantiles():
    p = np.concatenate([10.0 ** np.arange(-300, -1, 0.5), np.linspace(0.001, 0.999, 998)])
    np.testing.assert_allclose([normal_quantile(v) for v in p.tolist()], scipy.special.ndtri(p), rtol=CLOSE, atol=1e-16)


@pytest.mark.parametrize(("p", "expected"), [(0.0, -math.inf), (0.5, 0.0), (1.0, math.inf)])
def test_quantiles_at_the_ends_and_in_the_middle(p, expected):
    assert normal_quantile(p) == expected


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_no_quantile_of_what_is_no_probability(p):
    assert math.isnan(normal_quantile(p))


def test_mills_ratio():
    y = np.linspace(0, 200, 2_001)
    np.testing.assert_allclose([mills(v) for v in y.tolist()], scipy.special.erfcx(y / math.sqrt(2)) / 2, rtol=CLOSE)


def test_logarithm():
    x = np.concatenate([-(10.0 ** np.arange(-3, 6, 0.25)), np.linspace(-12, 8, 201)])
    np.testing.assert_allclose([log_normal(v) for v in x.tolist()], scipy.special.log_ndtr(x), rtol=CLOSE)


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
def test_beta_quantiles(a):
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


FREEDOMS = [1, 1.5, 2, 3, 4, 5, 7.3, 10, 19, 30, 57.2, 100, 399, 1_999, 1e4, 1e6, 1e9]


@pytest.mark.parametrize("df", FREEDOMS)
def test_student_distribution_function(df):
    t = np.concatenate([np.linspace(0, 12, 49), -np.linspace(0, 12, 49)])
    np.testing.assert_allclose([student(df, v) for v in t.tolist()], scipy.special.stdtr(df, t), rtol=CLOSE, atol=0)


@pytest.mark.parametrize("df", FREEDOMS)
def test_student_quantiles(df):
    p = np.array([1e-12, 1e-6, 1e-3, 0.005, 0.025, 0.05, 0.1, 0.25, 0.4, 0.49, 0.6, 0.975])
    # Near the middle scipy's are off by up to 1e-14 (df = 4, checked against the closed form).
    np.testing.assert_allclose(
        [student_quantile(df, v) for v in p.tolist()], scipy.special.stdtrit(df, p), rtol=CLOSE, atol=2e-14
    )


def test_quantiles_of_two_degrees_of_freedom_in_closed_form():
    for p in (1e-12, 0.01, 0.3, 0.49, 0.4999):
        expected = (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
        assert student_quantile(2, p) == pytest.approx(expected, rel=2e-13)


def test_a_quantile_gives_its_probability_back_however_small():
    for df, p in itertools.product((1, 2.5, 8, 300), (1e-250, 1e-80, 1e-20)):
        assert log_t_tail(df, -student_quantile(df, p)) == pytest.approx(math.log(p), rel=1e-14)


def test_normal_law_without_end_of_degrees_of_freedom():
    assert t_quantile(math.inf, 0.05) == pytest.approx(-scipy.special.ndtri(0.025), rel=CLOSE)
    assert student(math.inf, -3.0) == pytest.approx(scipy.special.ndtr(-3.0), rel=CLOSE)
    assert noncentral_student(math.inf, 1.0, 2.5) == pytest.approx(scipy.special.ndtr(1.5), rel=CLOSE)
    assert student_quantile(7, 0.5) == 0.0


@pytest.mark.parametrize("df", [0, -1, math.nan])
def test_no_degrees_of_freedom(df):
    assert math.isnan(log_t_tail(df, 1.0))
    assert math.isnan(student_quantile(df, 0.1))
    assert math.isnan(noncentral_student(df, 1.0, 1.0))


@pytest.mark.parametrize("df", [1, 2, 5, 10, 19, 57, 399, 1_999, 15_999])
def test_noncentral_law_against_scipy(df):
    for noncentrality, t in itertools.product((-5, -1, 0, 0.5, 2, 2.8, 5, 10), (-20, -2, -0.5, 0, 0.3, 1, 2, 4, 10, 40)):
        expected = float(scipy.special.nctdtr(df, noncentrality, t))
        if not math.isnan(expected):
            assert noncentral_student(df, noncentrality, t) == pytest.approx(expected, abs=2e-14)


@pytest.mark.parametrize(("df", "noncentrality", "t"), [(1, 30, 10), (2, 100, 40), (5, 2, 300), (3, -40, -2), (10, 30, 40)])
def test_noncentral_law_against_its_integral(df, noncentrality, t):
    def integrand(s):
        log = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2) + (df - 1) * math.log(s) - df * s * s / 2
        return math.exp(log) * float(scipy.special.ndtr(t * s - noncentrality))

    middle = noncentrality / t
    parts = sorted({0.0, *(max(0.0, middle + x / abs(t)) for x in (-9, -3, 0, 3, 9)), 1.0, 3.0, 10.0, middle + 10})
    whole = math.fsum(
        scipy.integrate.quad(integrand, *ends, epsabs=1e-15, epsrel=1e-13)[0] for ends in itertools.pairwise(parts)
    )
    assert noncentral_student(df, noncentrality, t) == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize("df", [1e20, 1e31, 1e60, 1e300, 1.7e308])
def test_the_law_becomes_the_normal_one_in_a_few_points(df):
    """The laws differ by t (t² + 1) φ(t) / (4 df), which no float holds here; the points once filled the memory."""
    for t in (-8.0, -1.96, 0.0, 0.5, 3.0):
        assert student(df, t) == pytest.approx(float(scipy.special.ndtr(t)), rel=1e-14)
        assert noncentral_student(df, 1.0, t) == pytest.approx(float(scipy.special.ndtr(t - 1)), abs=1e-15)
    assert student_quantile(df, 0.025) == pytest.approx(float(scipy.special.ndtri(0.025)), rel=1e-14)
    assert log_t_tail(df, 60.0) == pytest.approx(float(scipy.special.log_ndtr(-60.0)), rel=1e-14)
    assert len(spreads(df, df)) < 40


def test_numbers_out_of_arrays_give_plain_ones():
    """A saved result holds plain numbers only, and degrees of freedom are often an entry of an array."""
    assert type(student_quantile(np.float64(9.0), np.float64(0.025))) is float
    assert type(t_quantile(np.float64(math.inf), 0.05)) is float
