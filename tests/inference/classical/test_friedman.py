"""Friedman's test and Nemenyi's difference against scipy, scikit-posthocs, statsmodels and the counting of all orders."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.inference.classical.friedman import critical_difference, f_tail, friedman, mean_ranks_differ, range_tail

# Demšar (2006), table 6: AUC of C4.5 and its variants on 14 datasets. The last but one was ranked before it was rounded: its
# third .975 beat the fourth.
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
small = st.tuples(st.integers(2, 4), st.integers(1, 4)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 3), min_size=shape[0], max_size=shape[0]), min_size=shape[1], max_size=shape[1]
    )
)


@settings(max_examples=60)
@given(scores=st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=2, max_size=12))
def test_against_scipy_chi_square(scores):
    table = np.array(scores)
    found = friedman(table)
    if found.statistic == 0:
        assert found.p == 1.0
        return
    expected = scipy.stats.friedmanchisquare(*table.T)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert scipy.stats.chi2.sf(found.statistic, 3) == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.mean_ranks == pytest.approx(scipy.stats.rankdata(-table, axis=1).mean(axis=0))


@settings(max_examples=60)
@given(scores=st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), min_size=3, max_size=12))
def test_f_against_the_analysis_of_variance_of_ranks(scores):
    """Iman and Davenport's F is that of systems and blocks, with ranks in the place of measurements."""
    ranks = scipy.stats.rankdata(np.array(scores), axis=1)
    n, k = ranks.shape
    between = n * ((ranks.mean(axis=0) - ranks.mean()) ** 2).sum()
    rest = ((ranks - ranks.mean(axis=1, keepdims=True) - ranks.mean(axis=0) + ranks.mean()) ** 2).sum()
    if min(between, rest) < 1e-9:
        return
    f = (between / (k - 1)) / (rest / ((k - 1) * (n - 1)))
    expected = scipy.stats.f.sf(f, k - 1, (k - 1) * (n - 1))
    assert f_tail(friedman(np.array(scores)).statistic, n, k) == pytest.approx(expected, rel=1e-9)


@settings(max_examples=60)
@given(scores=small)
def test_against_enumeration(scores):
    """All orders of every block, each as likely as the others."""
    table = np.array(scores)
    ranks = scipy.stats.rankdata(table, axis=1)
    n, k = ranks.shape
    orders = [[np.array(order) for order in itertools.permutations(row)] for row in ranks]

    def spread(sums):
        return float(((sums - n * (k + 1) / 2) ** 2).sum())

    observed = spread(ranks.sum(axis=0))
    # The first block can stay as it is: only the others' orders against it matter.
    law = [spread(ranks[0] + sum(rest, np.zeros(k))) for rest in itertools.product(*orders[1:])]
    found = friedman(table)
    assert found.form == "exact"
    assert found.p == pytest.approx(np.mean([x >= observed - 1e-9 for x in law]), rel=1e-9)


def test_the_sign_test_is_the_case_of_two():
    table = np.array([[1, 0]] * 9 + [[0, 1]] * 3)
    assert friedman(table).p == pytest.approx(scipy.stats.binomtest(9, 12).pvalue, rel=1e-12)


def test_as_published():
    found = friedman(DEMSAR)
    assert np.round(found.mean_ranks, 3).tolist() == [3.143, 2.0, 2.893, 1.964]
    # He leaves the ties out of χ²; correcting for them makes it larger.
    plain = 12 * 14 / (4 * 5) * (sum(r * r for r in found.mean_ranks) - 4 * 25 / 4)
    assert plain == pytest.approx(9.28, abs=0.01)
    assert found.statistic > plain
    assert critical_difference(4, 14, alpha=0.05) == pytest.approx(1.25, abs=0.01)


def test_forms_agree_with_many_blocks():
    table = np.random.default_rng(3).normal(size=(80, 3)) + np.array([0.0, 0.1, 0.35])
    counted, twice = friedman(table), friedman(np.vstack([table] * 2))
    assert f_tail(counted.statistic, 80, 3) == pytest.approx(counted.p, rel=0.1)
    assert scipy.stats.chi2.sf(counted.statistic, 2) == pytest.approx(counted.p, rel=0.25)
    assert (counted.form, twice.form) == ("exact", "F")
    assert twice.p == f_tail(twice.statistic, 160, 3)


def test_perfect_agreement_is_counted_however_many_systems():
    found = friedman(np.tile(np.arange(10), (5, 1)))
    assert (found.form, found.statistic) == ("exact", 45.0)
    assert found.p == pytest.approx(math.factorial(10) ** -4.0, rel=1e-9)
    tied = friedman(np.tile([0, 0, 1, 1, 1], (3, 1)))
    assert tied.p == pytest.approx(10.0**-2, rel=1e-12)
    assert friedman(np.tile(np.arange(50), (500, 1))).p == 5e-324
    assert f_tail(friedman(np.tile(np.arange(4), (9, 1))).statistic, 9, 4) == 0.0


def test_nothing_differs():
    found = friedman(np.ones((4, 3)))
    assert (found.p, found.statistic, found.mean_ranks) == (1.0, 0.0, [2.0, 2.0, 2.0])
    assert friedman([[1, 2], [2, 1]]).p == 1.0


def test_direction_and_order_of_systems():
    table = np.random.default_rng(1).normal(size=(8, 4))
    found, turned = friedman(table), friedman(-table, higher_is_better=False)
    assert found == turned
    shuffled = friedman(table[:, [2, 0, 3, 1]])
    assert shuffled.p == pytest.approx(found.p, rel=1e-12)
    assert shuffled.mean_ranks == [found.mean_ranks[i] for i in (2, 0, 3, 1)]
    assert found.mean_ranks[0] + friedman(-table).mean_ranks[0] == pytest.approx(5.0)


# Twelve blocks of five systems, and p of all pairs by scikit-posthocs 0.17.1 with scipy 1.17.1, rounded to twelve digits:
# `posthoc_nemenyi_friedman(blocks).to_numpy()[np.triu_indices(5, 1)]`. The second table has ties.
POSTHOCS = [
    (
        [
            [-0.8, -0.99, 0.42, 1.42, 2.47], [0.11, -0.22, -0.12, 1.75, 2.97], [0.27, -0.9, -0.29, 2.6, 1.54],
            [-1.73, 0.25, -0.5, 0.37, 0.85], [-0.71, 0.89, 0.6, 0.41, 1.74], [0.83, -1.31, 0.41, 0.02, 1.16],
            [-1.29, 0.35, 0.63, 0.7, 0.29], [-0.4, -0.76, -0.69, 1.22, 0.22], [1.17, 1.05, -1.33, 1.27, 0.23],
            [0.03, 0.38, -1.32, 0.77, 1.08], [0.96, -0.85, 1.4, -0.1, 1.0], [-0.84, 1.78, 1.23, 3.43, 1.98],
        ],
        [
            0.995245176717, 0.999023832411, 0.101613279021, 0.036443666102, 0.967520675912,
            0.036443666102, 0.010951157998, 0.18159903479, 0.073670633167, 0.995245176717,
        ],
    ),
    (
        [
            [-2, -2, 1, 3, 5], [0, 0, 0, 3, 6], [1, -2, -1, 5, 3], [-3, 0, -1, 1, 2], [-1, 2, 1, 1, 3], [2, -3, 1, 0, 2],
            [-3, 1, 1, 1, 1], [-1, -2, -1, 2, 0], [2, 2, -3, 3, 0], [0, 1, -3, 2, 2], [2, -2, 3, 0, 2], [-2, 4, 2, 7, 4],
        ],
        [
            0.999686918007, 0.995245176717, 0.073670633167, 0.024883511724, 0.999686918007,
            0.118417138439, 0.043781108511, 0.18159903479, 0.073670633167, 0.995245176717,
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("blocks", "expected"), POSTHOCS, ids=["untied", "tied"])
def test_against_scikit_posthocs(blocks, expected):
    found = mean_ranks_differ(friedman(blocks).mean_ranks, len(blocks))
    assert found[np.triu_indices(5, 1)] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("k", [2, 3, 10, 40])
@pytest.mark.parametrize("q", [0.5, 2.0, 3.5, 5.0])
def test_against_scipy_studentized_range(q, k):
    assert range_tail(q, k) == pytest.approx(float(scipy.stats.studentized_range.sf(q, k, np.inf)), rel=1e-8, abs=1e-10)


def test_against_statsmodels_studentized_range():
    from statsmodels.stats.libqsturng import psturng

    for q, k in ((2.5, 3), (3.9, 5), (4.5, 10)):
        assert range_tail(q, k) == pytest.approx(float(np.ravel(psturng(q, k, np.inf))[0]), abs=1e-3)


@pytest.mark.parametrize("q", [1.0, 4.0, 30.0, 50.0])
def test_two_systems_are_a_normal_difference(q):
    # The tail of the far end must be right in relative terms; scipy's own integral has only absolute precision.
    assert range_tail(q, 2) == pytest.approx(2 * scipy.stats.norm.sf(q / math.sqrt(2)), rel=1e-11)


# Demšar (2006), table 5(a): q of the two-tailed Nemenyi test, divided by √2.
@pytest.mark.parametrize(
    ("alpha", "values"),
    [
        (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_as_published(alpha, values):
    found = [critical_difference(k, 10, alpha=alpha) / math.sqrt(k * (k + 1) / 60) for k in range(2, 11)]
    assert found == pytest.approx(values, abs=1.1e-3)


def test_the_critical_difference_is_where_p_is_alpha():
    gap = critical_difference(6, 20, alpha=0.01)
    assert mean_ranks_differ([1.0, 1.0 + gap, 2, 2, 2, 2], 20)[0, 1] == pytest.approx(0.01, rel=1e-9)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([1, 2, 3], "`scores` has shape (3,)."),
        ([[1], [2]], "`scores` has shape (2, 1)."),
        (
            [[1, 2], [float("nan"), 1]],
            "Block 2 has no score of system 1, and Friedman's test ranks all systems in every block.",
        ),
    ],
)
def test_refusals(scores, words):
    with pytest.raises(OutscoreError) as found:
        friedman(scores)
    assert found.value.message == words
    assert found.value.hint


def test_what_cannot_be_counted_has_an_f():
    assert friedman(np.random.default_rng(0).normal(size=(50, 8))).form == "F"


def test_critical_differences_need_a_level_and_two_systems():
    with pytest.raises(OutscoreError, match="`alpha` is 0"):
        critical_difference(3, 5, alpha=0)
    with pytest.raises(OutscoreError, match="1 systems"):
        critical_difference(1, 5)
