"""Adjusted p-values against statsmodels, R and what an adjustment must do."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from outscore.errors import OutscoreError
from outscore.inference.multiplicity import CORRECTIONS, adjust

STATSMODELS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
    "bh": "fdr_bh",
    "by": "fdr_by",
}
probabilities = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.04, 0.05, 1.0]), min_size=1, max_size=12)


def test_every_correction_has_an_oracle():
    assert set(STATSMODELS) == set(CORRECTIONS)


@pytest.mark.parametrize("method", CORRECTIONS)
@settings(deadline=None)
@given(p=probabilities)
def test_against_statsmodels(method, p):
    # statsmodels divides by p-values of 0 when it steps up.
    p = [max(x, 1e-300) for x in p]
    expected = multipletests(p, method=STATSMODELS[method])[1]
    assert adjust(p, method) == pytest.approx(expected, rel=1e-12, abs=0)


# Worked out by hand from the definitions; the harmonic sum of six is 2.45.
@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("bonferroni", [1, 1, 1, 0.114, 1, 0.006]),
        ("holm", [0.672, 0.672, 0.672, 0.095, 0.672, 0.006]),
        ("hochberg", [0.357, 0.357, 0.357, 0.095, 0.357, 0.006]),
        ("hommel", [0.357, 0.357, 0.357, 0.095, 0.357, 0.006]),
        ("bh", [0.327, 0.3564, 0.357, 0.057, 0.327, 0.006]),
        ("by", [0.80115, 0.87318, 0.87465, 0.13965, 0.80115, 0.0147]),
    ],
)
def test_a_family_of_six_worked_out(method, expected):
    found = adjust([0.168, 0.297, 0.357, 0.019, 0.218, 0.001], method)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", CORRECTIONS)
@settings(deadline=None)
@given(p=probabilities, seed=st.integers(0, 5))
def test_between_raw_and_one_and_in_the_order_given(method, p, seed):
    p = np.array(p)
    adjusted = adjust(p, method)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    order = np.random.default_rng(seed).permutation(len(p))
    assert (adjust(p[order], method) == adjusted[order]).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-15).all()


@settings(deadline=None)
@given(p=probabilities)
def test_stronger_corrections_never_give_smaller_p(p):
    hommel, hochberg, holm, bonferroni = (adjust(p, m) for m in ("hommel", "hochberg", "holm", "bonferroni"))
    slack = 1 + 1e-12
    assert (hommel <= hochberg * slack).all()
    assert (hochberg <= holm * slack).all()
    assert (holm <= bonferroni * slack).all()
    assert (adjust(p, "bh") <= adjust(p, "by") * slack).all()


@settings(deadline=None)
@given(p=st.lists(st.floats(0.0001, 1), min_size=1, max_size=6))
def test_hommel_is_the_closure_of_simes(p):
    """The naive twin: the largest Simes p over all sets of hypotheses that hold the one in question."""
    simes = {
        subset: min(len(subset) * x / (i + 1) for i, x in enumerate(sorted(p[j] for j in subset)))
        for k in range(1, len(p) + 1)
        for subset in itertools.combinations(range(len(p)), k)
    }
    expected = [max(value for subset, value in simes.items() if i in subset) for i in range(len(p))]
    assert adjust(p, "hommel") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", CORRECTIONS)
def test_edges(method):
    assert adjust([], method).tolist() == []
    assert adjust([0.03], method).tolist() == [0.03]
    assert adjust([1.0, 1.0], method).tolist() == [1.0, 1.0]
    assert (adjust([5e-324, 5e-324, 0.5], method)[:2] < 1e-300).all()


@pytest.mark.parametrize(
    ("p", "method", "words"),
    [
        ([0.1, float("nan")], "holm", "p-value 2 is nan."),
        ([1.2], "holm", "p-value 1 is 1.2."),
        ([[0.1]], "holm", "`p_values` has 2 dimensions."),
        ([0.1], "hom", "There is no correction `hom`."),
    ],
)
def test_refusals(p, method, words):
    with pytest.raises(OutscoreError) as found:
        adjust(p, method)
    assert found.value.message == words
    assert found.value.hint
