"""The saddlepoint approximation near the ends of the law."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.exact.saddlepoint import approximate_probit


@given(st.lists(st.floats(1e-3, 1.0), min_size=2, max_size=40), st.integers(-3, 3))
def test_the_largest_sum_is_known_whatever_rounding_makes_of_it(sizes, ulps):
    """Warnings are errors: Newton's step must not divide by a spread of 0."""
    largest = math.fsum(sizes)
    expected = -math.sqrt(2 * len(sizes) * math.log(2))
    assert approximate_probit(np.array(sizes), largest + ulps * math.ulp(largest)) == expected


def test_one_size_that_dwarfs_the_others():
    """The shifted differences of systems that differ in one segment."""
    sizes = np.array([0.0050502617024102] * 29 + [1.0])
    found = approximate_probit(sizes, np.nextafter(sizes.sum(), 0))
    assert found == pytest.approx(-math.sqrt(60 * math.log(2)))
