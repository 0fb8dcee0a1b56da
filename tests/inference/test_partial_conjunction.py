"""Partial conjunction against its definition, scipy's combinations and the published example."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.inference.families import COMBINATIONS, adjust, log_partial, replicated_counts

EXAMPLE = [0.168, 0.297, 0.357, 0.019, 0.218, 0.001]
LN10 = math.log(10)
probabilities = st.lists(st.floats(1e-12, 1) | st.sampled_from([0.01, 0.05, 1.0]), min_size=1, max_size=7)


def count(p, combination="bonferroni"):
    return int(replicated_counts(np.log10(p), combination=combination))


def combined(p, combination="bonferroni"):
    """The p-values of "better on at least u datasets", u = 1 … m."""
    return np.exp(log_partial(np.log(p), combination)).tolist()


def test_six_datasets_as_published():
    # Dror et al. (2017), Replicability analysis for natural language processing, table of dependency parsing.
    assert count(EXAMPLE) == 1
    assert count(EXAMPLE, "fisher") == 2
    assert [i for i, p in enumerate(adjust(EXAMPLE, "holm")) if p <= 0.05] == [5]


@given(p=probabilities)
def test_against_scipy_fisher(p):
    found = combined(p, "fisher")
    expected = [float(scipy.stats.combine_pvalues(sorted(p)[u:], "fisher").pvalue) for u in range(len(p))]
    assert found == pytest.approx(expected, rel=1e-9)


@given(p=probabilities)
def test_against_definition_bonferroni(p):
    """The largest Bonferroni p over all sets of m - u + 1 datasets."""
    m = len(p)
    expected = [
        min(1.0, max((m - u + 1) * min(chosen) for chosen in itertools.combinations(p, m - u + 1))) for u in range(1, m + 1)
    ]
    assert combined(p) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("combination", COMBINATIONS)
@given(p=probabilities, seed=st.integers(0, 5))
def test_counts(combination, p, seed):
    found = count(p, combination)
    claimed = [x <= 0.05 * (1 + 1e-11) for x in combined(p, combination)]
    assert found == len(list(itertools.takewhile(bool, claimed)))
    if combination == "bonferroni":
        # Fisher may claim one of several datasets none of which is significant by itself.
        assert found <= sum(x <= 0.05 * (1 + 1e-11) for x in p)
    assert count(np.random.default_rng(seed).permutation(p), combination) == found
    assert replicated_counts(np.log10([p, p]), combination=combination).tolist() == [found] * 2


def test_far_below_the_smallest_float():
    log10 = np.array([-400.0, -500.0, -1000.0, -0.1])
    assert replicated_counts(log10, combination="fisher", alpha=1e-300).tolist() == 3
    assert replicated_counts(log10, combination="bonferroni", alpha=1e-300).tolist() == 3
    assert log_partial(log10 * LN10, "fisher")[0] < -950 * LN10


@pytest.mark.parametrize("combination", COMBINATIONS)
def test_edges(combination):
    assert combined([1.0, 1.0], combination) == pytest.approx([1.0, 1.0])
    assert count([0.05], combination) == 1
    # Exactly at the level: 5 · .01 = .05.
    assert count([0.01, 1.0, 1.0, 1.0, 1.0]) == 1


@pytest.mark.parametrize(
    ("more", "words"),
    [({"combination": "fischer"}, "There is no combination `fischer`."), ({"alpha": 5}, "`alpha` is 5.")],
)
def test_refusals(more, words):
    with pytest.raises(OutscoreError) as found:
        replicated_counts(np.log10([0.5]), **more)
    assert found.value.message == words
    assert found.value.hint
