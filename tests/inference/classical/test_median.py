"""The permutation test of the median against all sign vectors."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.asking import LOSS, SIDES, ask
from tests.variants import a_few

from outscore.core.errors import OutscoreError
from outscore.inference.classical.median import PERMUTATION_ENTRY as ENTRY
from outscore.inference.classical.median import median_tail
from outscore.resampling import flip_bits


def twice_median(values):
    ordered = sorted(values)
    return ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]


def naive(d, side):
    shape = {"two-sided": abs, "greater": lambda x: x, "less": lambda x: -x}[side]
    observed = shape(twice_median(d))
    every = [
        shape(twice_median([s * x for s, x in zip(signs, d, strict=True)]))
        for signs in itertools.product((1, -1), repeat=len(d))
    ]
    hits, ties = sum(x >= observed for x in every), sum(x == observed for x in every)
    return Fraction(hits, len(every)), Fraction(2 * hits - ties, 2 * len(every))


@pytest.mark.parametrize("side", SIDES)
@settings(max_examples=80)
@given(d=st.lists(st.integers(-5, 5) | st.integers(-99, 99), min_size=1, max_size=9), delta=st.integers(-2, 2))
def test_against_all_sign_vectors(side, d, delta):
    """Ties, zeros, odd and even n, in tenths, so that floats would not tie."""
    p, mid = naive([x - delta for x in d], side)
    d = np.array(d) / 10
    found = ask(ENTRY, d, 0 * d, alternative=side, delta=delta / 10).p
    assert found.value == float(p)
    assert found.mid is None or found.mid == float(mid)
    assert (found.method, found.n) == ("exact", len(d))
    assert found.statistic == pytest.approx(np.median(d))
    assert ask(ENTRY, 0 * d, d, alternative=side, delta=-delta / 10, metric=LOSS).p.value == found.value


@pytest.mark.parametrize("n", [9, 10])
def test_real_numbers_against_scipy(n):
    """scipy's permutation test of paired samples swaps them in all 2^n ways."""
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.5, 1, n), rng.normal(0, 1, n)
    for side in SIDES:
        expected = scipy.stats.permutation_test(
            (a, b),
            lambda x, y, axis: np.median(x - y, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=np.inf,
            alternative=side,
        )
        assert ask(ENTRY, a, b, alternative=side).p.value == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("n", [3, 4])
def test_ties_that_rounding_hides(n):
    """Real numbers that differ by one half everywhere, but for their last digits: every swap has an equal median or 0."""
    b = np.random.default_rng(1).normal(0, 1, n)
    half = ask(ENTRY, b + 0.5, b)
    assert len(np.unique(b + 0.5 - b)) > 1
    assert half.p.value == ask(ENTRY, np.full(n, 0.5), np.zeros(n)).p.value
    assert ask(ENTRY, b + 0.5, b, delta=0.5).p.value == 1.0


@pytest.mark.parametrize("n", a_few([201, 200], 1))
def test_many_items_against_sampling(n):
    d = np.random.default_rng(n).normal(0.12, 1, n).round(1)
    flips = 1 - 2.0 * flip_bits(n, 0, 40_000, seed=1)
    share = (np.abs(np.median(flips * d, axis=1)) >= abs(np.median(d)) - 1e-12).mean()
    p = ask(ENTRY, d, 0 * d).p.value
    assert share == pytest.approx(p, abs=4 * math.sqrt(p / 40_000))


def test_odd_and_even_are_neighbours_far_out():
    """With all sizes equal, 2T is -2, 0 or 2 for even n: both formulas are binomial tails, however far out."""
    for n in (2_000, 2_001):
        found = median_tail(np.ones(n), 2.0).log
        assert found == pytest.approx(scipy.stats.binom(n, 0.5).logsf(n // 2), abs=1e-10)
    far = np.concatenate([np.full(2_990, 1.0), np.full(3_010, 2.0)])
    # 2T >= 4 asks for 3,001 twos with a plus.
    expected = math.log(sum(math.comb(3_010, k) for k in range(3_001, 3_011))) - 3_010 * math.log(2)
    assert median_tail(far, 4.0).log == pytest.approx(expected, abs=1e-9)


def test_large_samples_are_exact_too():
    d = np.random.default_rng(0).normal(0.001, 1, 200_000)
    found = ask(ENTRY, d, 0 * d).p
    assert 0 < found.value <= 1
    assert found.method == "exact"


def test_identical_systems():
    for n in (1, 2, 7):
        for side in SIDES:
            assert ask(ENTRY, np.ones(n), np.ones(n), alternative=side).p.value == 1.0


def test_an_interval_of_another_method_says_so():
    d = np.random.default_rng(3).normal(0.4, 1, 40)
    found = ask(ENTRY, d, 0 * d)
    assert not found.interval.dual
    assert any("may disagree with p near alpha" in note.text for note in found.notes)
    assert not any("may disagree with p near alpha" in note.text for note in ask(ENTRY, np.ones(9), np.ones(9)).notes)


def test_clusters_are_refused():
    with pytest.raises(OutscoreError, match="`permutation-median` treats items as independent"):
        ask(ENTRY, [1, 2], [0, 0], clusters=[0, 0])
