"""Flips of one size, and two kinds of flips, in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

from outscore.exact import binomial


@settings(max_examples=100)
@given(n=st.integers(0, 400), k=st.integers(-3, 403))
def test_against_binomial_coefficients(n, k):
    found = binomial.tail(n, k)
    ways = sum(math.comb(n, i) for i in range(max(0, k), n + 1))
    expected = math.log(ways) - n * math.log(2) if ways else -math.inf
    assert found.log == pytest.approx(expected, abs=1e-12)
    atom = math.log(math.comb(n, k)) - n * math.log(2) if 0 <= k <= n else -math.inf
    assert found.log_atom == pytest.approx(atom, abs=1e-12)


@pytest.mark.parametrize("n", [5_001, 10**5, 10**7])
@pytest.mark.parametrize("z", [0.01, 1.0, 5.0, 30.0, 45.0])
def test_against_stirling_to_sixty_digits(n, z):
    """Large n, far beyond where the incomplete beta function underflows (z = 45: p = 1e-442)."""
    k = (n + round(z * math.sqrt(n)) + 1) // 2
    found = binomial.tail(n, k)
    exact = oracles.log_binomial_tail(n, k)
    assert abs(math.expm1(found.log - exact)) <= 2e-11
    assert found.log_atom < found.log


@pytest.mark.parametrize("times", [1, 20])
def test_many_tails_at_once(times):
    """Arrays give what single calls give, underflow or not, few or many."""
    n = np.tile([10, 3000, 5000, 7, 7, 7], times)
    k = np.tile([8, 2900, 5000, 0, 8, -2], times)
    single = [binomial.tail(int(i), int(j)).log for i, j in zip(n, k, strict=True)]
    assert binomial.log_tail(n, k).tolist() == pytest.approx(single, rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 9, 100, 2001])
def test_log_pmf_against_binomial_coefficients(n):
    expected = [math.log(math.comb(n, k)) - n * math.log(2) for k in range(n + 1)]
    assert binomial.log_pmf(n) == pytest.approx(expected, abs=1e-12 * max(1, n / 10))


@settings(max_examples=60)
@given(n1=st.integers(0, 12), n2=st.integers(0, 12), slope=st.integers(-3, 3), edge=st.integers(-20, 30))
def test_two_binomials_against_enumeration(n1, n2, slope, edge):
    """The half plane 2x + slope·y ≥ edge, with its boundary as ties."""

    def inside(x, y):
        score = 2 * x + slope * y
        return score >= edge, score == edge

    log, log_tie = binomial.two_binomials(n1, n2, inside)
    ways, tied = (
        sum(math.comb(n1, x) * math.comb(n2, y) for x in range(n1 + 1) for y in range(n2 + 1) if holds(2 * x + slope * y))
        for holds in (lambda s: s >= edge, lambda s: s == edge)
    )
    whole = 2.0 ** (n1 + n2)
    assert math.exp(log) == pytest.approx(ways / whole, rel=1e-12)
    assert math.exp(log_tie) == pytest.approx(tied / whole, rel=1e-10, abs=1e-15)


@settings(max_examples=60)
@given(
    sizes=st.tuples(st.integers(1, 20), st.integers(21, 10**12)),
    counts=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    data=st.data(),
)
def test_two_sizes_against_enumeration(sizes, counts, data):
    """Sizes any distance apart, at reachable and unreachable thresholds."""
    law = oracles.whole_law([[s] for s, c in zip(sizes, counts, strict=True) for _ in range(c)])
    observed = data.draw(st.sampled_from(sorted(law)))[0] + data.draw(st.sampled_from([-1, 0, 0, 1]))
    found = binomial.two_sizes(np.array(sizes), np.array(counts), observed)
    whole = 2.0 ** sum(counts)
    assert math.exp(found.log) == pytest.approx(sum(w for (s,), w in law.items() if s >= observed) / whole, rel=1e-12)
    assert math.exp(found.log_atom) == pytest.approx(law.get((observed,), 0) / whole, rel=1e-12)
