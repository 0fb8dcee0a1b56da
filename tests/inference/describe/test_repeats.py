"""Variance between and within items: by hand, against REML of statsmodels on balanced runs, and on odd input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.inference.describe.repeats import variance_parts


def test_by_hand():
    """Items 1 2 | 3 5 7: MSW = (.5 + 8)/3, MSB = 1.2·(3.5)², n₀ = 5 - 13/5."""
    between, within = variance_parts(np.array([1, 2, 3, 5, 7]), np.array([0, 0, 1, 1, 1]))
    assert within == pytest.approx(8.5 / 3)
    assert between == pytest.approx((1.2 * 3.5**2 - 8.5 / 3) / 2.4)


def test_against_statsmodels():
    import statsmodels.api as sm

    rng = np.random.default_rng(3)
    items = np.repeat(np.arange(40), 4)
    values = rng.normal(size=40)[items] + rng.normal(0, 0.7, 160)
    with warnings.catch_warnings():
        # Its optimiser warns of its own steps.
        warnings.simplefilter("ignore")
        fitted = sm.MixedLM(values, np.ones(160), items).fit(reml=True, method="bfgs", gtol=1e-12)
    between, within = variance_parts(values, items)
    assert between == pytest.approx(float(np.asarray(fitted.cov_re)[0, 0]), rel=1e-5)
    assert within == pytest.approx(fitted.scale, rel=1e-5)


def test_unbiased_with_unequally_many_repeats():
    rng = np.random.default_rng(5)
    items = np.repeat(np.arange(12), [1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8, 10])
    found = [variance_parts(2 * rng.normal(size=12)[items] + rng.normal(size=len(items)), items) for _ in range(2_000)]
    assert np.mean(found, axis=0) == pytest.approx([4, 1], rel=0.04)


@pytest.mark.parametrize("items", [[0, 1, 2], [0, 0, 0], [0]])
def test_parts_that_cannot_be_told_apart(items):
    assert variance_parts(np.arange(len(items)), np.array(items)) is None


def test_codes_need_not_be_dense_nor_sorted():
    values, items = np.array([1.0, 4.0, 2.0, 6.0]), np.array([7, 2, 7, 2])
    assert variance_parts(values, items) == variance_parts(np.array([1.0, 2.0, 4.0, 6.0]), np.array([0, 0, 1, 1]))


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(-50, 50)), min_size=1, max_size=30),
    st.sampled_from([0.0, 1e6]),
    st.booleans(),
)
def test_parts_are_not_negative_and_ignore_the_level(rows, level, constant):
    items, values = np.array(rows).T
    values = 0 * values if constant else values
    found = variance_parts(values + level, items)
    if found is not None:
        assert min(found) >= 0
        assert found == pytest.approx(variance_parts(values, items), abs=1e-6)
        assert not constant or found == (0.0, 0.0)
