"""CR2 and Bell–McCaffrey's degrees of freedom against the full matrices they are defined by."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.inference.base.own_score import bell_mccaffrey_df, cluster_variance, effective_clusters


def full_matrices(scores: np.ndarray, clusters: np.ndarray) -> tuple[float, float]:
    """Variance and degrees of freedom with every N × N matrix written out: regression on a constant, identity working model."""
    n = len(scores)
    ones = np.ones((n, 1))
    bread = np.linalg.inv(ones.T @ ones)
    hat = ones @ bread @ ones.T
    annihilator = np.eye(n) - hat
    residuals = annihilator @ scores
    meat, columns = 0.0, []
    for g in np.unique(clusters):
        inside = np.flatnonzero(clusters == g)
        values, vectors = np.linalg.eigh(np.eye(len(inside)) - hat[np.ix_(inside, inside)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        meat += float((ones[inside].T @ root @ residuals[inside]).item()) ** 2
        columns.append(annihilator[:, inside] @ root @ ones[inside] @ bread)
    gathered = np.concatenate(columns, axis=1)
    eigenvalues = np.linalg.eigvalsh(gathered.T @ gathered)
    return meat * bread.item() ** 2, eigenvalues.sum() ** 2 / (eigenvalues**2).sum()


sizes_of = st.lists(st.integers(1, 9), min_size=2, max_size=8)


@given(sizes_of, st.integers(0, 2**32 - 1))
def test_is_the_full_sandwich(sizes, seed):
    rng = np.random.default_rng(seed)
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    scores = rng.normal(size=len(clusters)) + rng.normal(size=len(sizes))[clusters]
    sums = np.bincount(clusters, weights=scores - scores.mean())
    assert cluster_variance(sums, np.array(sizes)) == pytest.approx(full_matrices(scores, clusters), rel=1e-8)


@given(sizes_of, st.integers(0, 2**32 - 1))
def test_is_unbiased_for_independent_items(sizes, seed):
    """E[V] = σ²/N whatever the sizes: the expectation of S_g² is n_g (1 - n_g/N) σ²."""
    sizes = np.array(sizes)
    n = sizes.sum()
    expected = np.sqrt(sizes * (1 - sizes / n))
    assert cluster_variance(expected, sizes)[0] == pytest.approx(1 / n)
    assert 1 <= bell_mccaffrey_df(sizes) <= len(sizes) - 1 + 1e-12
    assert 1 <= effective_clusters(sizes) <= len(sizes) + 1e-12


@given(st.lists(st.floats(-5, 5), min_size=2, max_size=20))
def test_single_items_have_the_plain_variance(scores):
    x = np.array(scores)
    variance, df = cluster_variance(x - x.mean())
    assert variance == pytest.approx(x.var(ddof=1) / len(x), abs=1e-12)
    assert df == len(x) - 1


@given(st.lists(st.integers(1, 2**40) | st.integers(1, 9), min_size=2, max_size=6))
def test_sizes_may_differ_by_any_factor(sizes):
    """Against rationals: a cluster that is nearly everything leaves differences of nearly equal numbers."""
    whole = sum(sizes)
    q = [Fraction(n * n, whole * (whole - n)) for n in sizes]
    df = 1 / (sum(Fraction(n, whole) ** 2 for n in sizes) + sum(q) ** 2 - sum(x * x for x in q))
    variance = sum(Fraction(g * g * whole, whole - n) for g, n in enumerate(sizes, 1)) / whole**2
    found = cluster_variance(np.arange(1.0, len(sizes) + 1), np.array(sizes))
    assert found == pytest.approx((float(variance), float(df)), rel=1e-12)


def test_a_single_cluster_says_nothing():
    assert cluster_variance(np.array([0.0]), np.array([7])) == (0.0, 0.0)
    assert cluster_variance(np.array([0.0, 0.0]), np.array([7, 0])) == (0.0, 0.0)


@pytest.mark.parametrize("n", [1, 2, 3, 50, 2_000])
def test_items_by_themselves_are_clusters_of_one(n):
    sums = np.random.default_rng(n).normal(size=n)
    assert cluster_variance(sums) == cluster_variance(sums, np.ones(n))
