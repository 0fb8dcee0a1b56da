from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.integrate
import scipy.special

from outscore.laws.student import _spreads as spreads
from outscore.laws.student import log_t_tail, noncentral_student, student, student_quantile, t_quantile

CLOSE = 1e-13
FREEDOMS = [1, 1.5, 2, 3, 4, 5, 7.3, 10, 19, 30, 57.2, 100, 399, 1_999, 1e4, 1e6, 1e9]


@pytest.mark.parametrize("df", FREEDOMS)
def test_distribution_function(df):
    t = np.concatenate([np.linspace(0, 12, 49), -np.linspace(0, 12, 49)])
    np.testing.assert_allclose([student(df, v) for v in t.tolist()], scipy.special.stdtr(df, t), rtol=CLOSE, atol=0)


@pytest.mark.parametrize("df", FREEDOMS)
def test_quantiles(df):
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
