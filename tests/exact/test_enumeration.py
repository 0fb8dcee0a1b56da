"""Counting over all sign vectors."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

import outscore as osc
from outscore.exact import enumeration, lattice


@settings(max_examples=80)
@given(sizes=st.lists(st.integers(0, 2**48), min_size=1, max_size=10), data=st.data())
def test_meet_in_the_middle_against_itertools(sizes, data):
    sums = [sum(e * s for e, s in zip(signs, sizes, strict=True)) for signs in itertools.product((1, -1), repeat=len(sizes))]
    thresholds = [*data.draw(st.lists(st.sampled_from(sums), min_size=1, max_size=3)), sum(sizes) + 1, -sum(sizes)]
    expected = [sum(s >= t for s in sums) for t in thresholds]
    assert enumeration.meet_in_the_middle(np.array(sizes), *thresholds) == expected


@settings(max_examples=40)
@given(vectors=st.integers(1, 3).flatmap(lambda m: st.lists(st.tuples(*[st.integers(-9, 9)] * m), min_size=1, max_size=7)))
def test_all_sums_against_itertools(vectors):
    found = enumeration.all_sums(np.array(vectors))
    expected = [
        tuple(int(x) for x in np.array(signs) @ np.array(vectors)) for signs in itertools.product((1, -1), repeat=len(vectors))
    ]
    assert sorted(map(tuple, found.tolist())) == sorted(expected)


@pytest.mark.parametrize("n", [2, 17, 40])
def test_meet_in_the_middle_against_the_lattice(n):
    """Two exact methods on the same integers, up to n = 40."""
    d = np.random.default_rng(n).integers(1, 60, n)
    observed = int(d.sum()) // 3
    (ways,) = enumeration.meet_in_the_middle(d, observed)
    exact = lattice.tail(*lattice.histogram(d), observed)
    assert ways / 2**n == pytest.approx(np.exp(exact.log), rel=1e-12)


@settings(max_examples=40)
@given(data=st.data())
def test_item_order_never_matters(data):
    """Real numbers, met in the middle: the halves differ, the count does not."""
    d = data.draw(st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=14))
    shuffled = data.draw(st.permutations(d))
    zeros = [0.0] * len(d)
    assert osc.permutation_test(d, zeros, method="exact") == osc.permutation_test(shuffled, zeros, method="exact")


@settings(max_examples=60)
# Subnormal numbers have few digits: all their sums lie within the rounding of the input, and tie.
@given(d=st.lists(st.floats(-10, 10, allow_subnormal=False), min_size=1, max_size=12))
def test_real_numbers_against_exact_fractions(d):
    """Sums closer than the input's rounding count as ties, nothing else does."""
    from fractions import Fraction

    values = [Fraction(x) for x in d]
    observed = abs(sum(values))
    slack = Fraction(len(d) * 8 * max(map(abs, d)) * 2.0**-50)
    counts = [oracles.real_count(values, observed + turn * slack) for turn in (1, -1)]
    p = osc.permutation_test(d, [0.0] * len(d), method="exact").value
    whole = 2.0 ** len(d)
    assert min(1.0, 2 * counts[0] / whole) <= p <= min(1.0, 2 * counts[1] / whole)


@given(
    st.lists(
        st.tuples(st.tuples(st.integers(-4, 4), st.integers(-4, 4), st.integers(-4, 4)), st.integers(1, 4)),
        min_size=1,
        max_size=4,
    )
)
@settings(max_examples=50)
def test_sums_of_equal_vectors_against_all_sums(kinds):
    vectors, counts = np.array([v for v, _ in kinds]), np.array([c for _, c in kinds])
    sums, ways = enumeration.distinct_sums(vectors, counts)
    assert len(sums) == enumeration.sums_listed(counts)
    found = Counter()
    for row, count in zip(map(tuple, sums.tolist()), ways.tolist(), strict=True):
        found[row] += count
    assert found == Counter(map(tuple, enumeration.all_sums(np.repeat(vectors, counts, axis=0)).tolist()))


def test_ways_beyond_whole_numbers_are_floats():
    sums, ways = enumeration.distinct_sums(np.array([[1, 0], [0, 1]]), np.array([100, 60]))
    assert sums.shape == (101 * 61, 2)
    assert ways.sum() == pytest.approx(2.0**160, rel=1e-14)
    assert enumeration.sums_listed(np.array([600, 600])) == math.inf
