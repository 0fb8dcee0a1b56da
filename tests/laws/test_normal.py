from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.special

from outscore.laws.normal import log_normal, mills, normal, normal_quantile

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
