"""The saddlepoint approximation near the ends of the law, and against exact tails."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.exact import lattice
from outscore.exact.saddlepoint import approximate_probit, log_saddlepoint


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


@pytest.mark.parametrize("flips", [[(40, 7), (60, 11)], [(30, 6), (25, 13), (50, 10)], [(80, 9), (20, 14)]])
@pytest.mark.parametrize("sds", [0.5, 2, 4, 6])
def test_saddlepoint_against_the_lattice(flips, sds):
    number, sizes = (np.array(column) for column in zip(*flips, strict=True))
    sd = math.sqrt(float((number * sizes**2).sum()))
    total = int((number * sizes).sum())
    observed = max(0, total - 2 * round((total - sds * sd) / 2))
    law = lattice.tail(np.sort(sizes), number[np.argsort(sizes)], observed)
    step = np.array([float(np.gcd.reduce(sizes))])
    found = log_saddlepoint(number[None], sizes[None].astype(float), np.array([float(observed)]), step)[0]
    assert found == pytest.approx(min(0.0, law.log + math.log(2)), abs=0.1)
