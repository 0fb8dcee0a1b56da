"""Signed ranks, and Wilcoxon's exact null law through the lattice."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

from outscore.exact import lattice
from outscore.exact.numbers import to_exact_integers
from outscore.inference.classical.wilcoxon import signed_ranks

# Hollander and Wolfe's depression scores, first minus second visit.
DEPRESSION = [0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010]


def exact_p(ranks: np.ndarray) -> float:
    values, counts = lattice.histogram(ranks)
    return min(1.0, 2 * math.exp(lattice.tail(values, counts, abs(int(ranks.sum()))).log))


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
@settings(max_examples=80)
@given(d=st.lists(st.integers(-4, 4), min_size=1, max_size=12))
def test_against_naive_twin(zeros, d):
    assert signed_ranks(np.array(d), zeros).tolist() == oracles.signed_ranks(d, zeros)


@settings(max_examples=50)
@given(d=st.lists(st.integers(-100, 100).filter(bool), min_size=1, max_size=40))
def test_against_scipy_rankdata(d):
    expected = 2 * scipy.stats.rankdata(np.abs(d)) * np.sign(d)
    assert signed_ranks(np.array(d)).tolist() == expected.astype(int).tolist()


@pytest.mark.parametrize("zeros", ["drop", "pratt"])
@settings(max_examples=40)
@given(d=st.lists(st.integers(-3, 3), min_size=1, max_size=10).filter(any))
def test_p_against_all_sign_vectors(zeros, d):
    """Ties and zeros, which tables and most software ignore."""
    ranks = [abs(r) for r in oracles.signed_ranks(d, zeros) if r]
    observed = abs(sum(oracles.signed_ranks(d, zeros)))
    hits = sum(
        abs(sum(e * r for e, r in zip(signs, ranks, strict=True))) >= observed
        for signs in itertools.product((1, -1), repeat=len(ranks))
    )
    assert exact_p(signed_ranks(np.array(d), zeros)) == pytest.approx(hits / 2 ** len(ranks), rel=1e-12)


@pytest.mark.parametrize(("zeros", "method"), [("drop", "wilcox"), ("pratt", "pratt")])
def test_against_scipy_wilcoxon(zeros, method):
    """scipy's resampling over every sign vector (its method="exact" ignores ties)."""
    rng = np.random.default_rng(5)
    for _ in range(5):
        d = rng.integers(-3, 6, 9)
        everything = scipy.stats.PermutationMethod(n_resamples=np.inf)
        expected = scipy.stats.wilcoxon(d, zero_method=method, method=everything).pvalue
        assert exact_p(signed_ranks(d, zeros)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [10, 30, 50])
def test_without_ties_against_scipy_exact(n):
    rng = np.random.default_rng(n)
    d = rng.permutation(np.arange(1, n + 1)) * rng.choice([-1, 1, 1], n)
    assert exact_p(signed_ranks(d)) == pytest.approx(scipy.stats.wilcoxon(d, method="exact").pvalue, rel=1e-11)


def test_depression_example():
    """V = 40 and p = .0390625, the book's numbers."""
    written = to_exact_integers(np.array(DEPRESSION))
    assert written is not None
    ranks = signed_ranks(written[0][0])
    assert ranks[ranks > 0].sum() / 2 == 40
    assert exact_p(ranks) == pytest.approx(0.0390625, rel=1e-13)
