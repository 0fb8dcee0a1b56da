"""Partial conjunction against its definition, scipy's combinations and the published example."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.inference.families import COMBINATIONS, adjust, replicability, replicated_counts

EXAMPLE = [0.168, 0.297, 0.357, 0.019, 0.218, 0.001]
probabilities = st.lists(st.floats(1e-12, 1) | st.sampled_from([0.01, 0.05, 1.0]), min_size=1, max_size=7)


def test_six_datasets_as_published():
    # Dror et al. (2017), Replicability analysis for natural language processing, table of dependency parsing.
    assert replicability(EXAMPLE, combination="bonferroni").count == 1
    assert replicability(EXAMPLE, combination="fisher").count == 2
    assert [i for i, p in enumerate(adjust(EXAMPLE, "holm")) if p <= 0.05] == [5]


@given(p=probabilities)
def test_against_scipy_fisher(p):
    found = replicability(p, combination="fisher").p
    expected = [float(scipy.stats.combine_pvalues(sorted(p)[u:], "fisher").pvalue) for u in range(len(p))]
    assert found == pytest.approx(expected, rel=1e-9)


@given(p=probabilities)
def test_against_definition_bonferroni(p):
    """The largest Bonferroni p over all sets of m - u + 1 datasets."""
    m = len(p)
    expected = [
        min(1.0, max((m - u + 1) * min(chosen) for chosen in itertools.combinations(p, m - u + 1))) for u in range(1, m + 1)
    ]
    assert replicability(p).p == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("combination", COMBINATIONS)
@given(p=probabilities, seed=st.integers(0, 5))
def test_counts(combination, p, seed):
    found = replicability(p, combination=combination)
    claimed = [x <= 0.05 * (1 + 1e-11) for x in found.p]
    assert found.count == len(list(itertools.takewhile(bool, claimed)))
    if combination == "bonferroni":
        # Fisher may claim one of several datasets none of which is significant by itself.
        assert found.count <= sum(x <= 0.05 * (1 + 1e-11) for x in p)
    assert replicability(np.random.default_rng(seed).permutation(p), combination=combination) == found
    assert replicated_counts(np.log10([p, p]), combination=combination).tolist() == [found.count] * 2


def test_far_below_the_smallest_float():
    log10 = np.array([-400.0, -500.0, -1000.0, -0.1])
    assert replicated_counts(log10, combination="fisher", alpha=1e-300).tolist() == 3
    assert replicated_counts(log10, combination="bonferroni", alpha=1e-300).tolist() == 3
    found = replicability([5e-324] * 3, combination="fisher")
    assert min(found.p) == 5e-324
    assert found.log10[0] < -950


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_edges(combination):
    assert replicability([1.0, 1.0], combination=combination).p == pytest.approx([1.0, 1.0])
    assert replicability([0.05], combination=combination).count == 1
    # Exactly at the level: 5 · .01 = .05.
    assert replicability([0.01, 1.0, 1.0, 1.0, 1.0]).count == 1


@pytest.mark.parametrize(
    ("p", "more", "words"),
    [
        ([], {}, "`p_values` has shape (0,)."),
        ([0.5, 0.0], {}, "p-value 2 is 0."),
        ([float("nan")], {}, "p-value 1 is nan."),
        ([0.5], {"combination": "fischer"}, "There is no combination `fischer`."),
        ([0.5], {"alpha": 5}, "`alpha` is 5."),
    ],
)
def test_refusals(p, more, words):
    with pytest.raises(OutscoreError) as found:
        replicability(p, **more)
    assert found.value.message == words
    assert found.value.hint
