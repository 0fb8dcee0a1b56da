"""Adjusted p-values against statsmodels, R and what an adjustment must do."""

from __future__ import annotations

import itertools
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from outscore.core.errors import OutscoreError
from outscore.inference.families import CORRECTIONS, adjust, correct_family, possible_true_pairs

STATSMODELS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
    "bh": "fdr_bh",
    "by": "fdr_by",
}
probabilities = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.01, 0.04, 0.05, 1.0]), min_size=1, max_size=12)


# Shaffer's oracle is the enumeration of partitions below; max-T has its own file.
ALONE = [name for name, entry in CORRECTIONS.items() if entry.function is not None and not entry.all_pairs and name != "none"]


def test_every_correction_has_an_oracle():
    assert {*STATSMODELS, "shaffer", "max-t", "none"} == set(CORRECTIONS)
    assert set(STATSMODELS) == set(ALONE)


@given(p=probabilities)
def test_no_correction_leaves_p_alone(p):
    assert adjust(p, "none").tolist() == p


@pytest.mark.parametrize("method", ALONE)
@settings(max_examples=15)
@given(p=probabilities)
def test_against_statsmodels(method, p):
    # statsmodels divides by p-values of 0 when it steps up.
    p = [max(x, 1e-300) for x in p]
    # For Holm's it collects garbage each time, which takes a thousand times as long as the p-values.
    with patch("gc.collect"):
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


@pytest.mark.parametrize("method", ALONE)
@given(p=probabilities, seed=st.integers(0, 5))
def test_between_raw_and_one_and_in_the_order_given(method, p, seed):
    p = np.array(p)
    adjusted = adjust(p, method)
    assert (adjusted >= p).all()
    assert (adjusted <= 1).all()
    order = np.random.default_rng(seed).permutation(len(p))
    assert (adjust(p[order], method) == adjusted[order]).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-15).all()


@given(p=probabilities)
def test_stronger_corrections_never_give_smaller_p(p):
    hommel, hochberg, holm, bonferroni = (adjust(p, m) for m in ("hommel", "hochberg", "holm", "bonferroni"))
    slack = 1 + 1e-12
    assert (hommel <= hochberg * slack).all()
    assert (hochberg <= holm * slack).all()
    assert (holm <= bonferroni * slack).all()
    assert (adjust(p, "bh") <= adjust(p, "by") * slack).all()


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


@pytest.mark.parametrize("method", ALONE)
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
        ([0.1] * 3, "shaffer", "Correction `shaffer` is for all pairs of several systems, but `systems` is missing."),
        (
            [0.1] * 3,
            "max-t",
            (
                "Correction `max-t` needs the resampled differences of one pair of systems; it is not valid across systems, "
                "because one swap per item cannot exchange three of them."
            ),
        ),
    ],
)
def test_refusals(p, method, words):
    with pytest.raises(OutscoreError) as found:
        adjust(p, method)
    assert found.value.message == words
    assert found.value.hint


def partitions(k):
    """All ways to put k systems into groups of equals, as the group of each system."""

    def grown(labels, groups):
        if len(labels) == k:
            yield tuple(labels)
            return
        for group in range(groups + 1):
            yield from grown([*labels, group], max(groups, group + 1))

    return list(grown([], 0))


def true_pairs(labels):
    """Which of all pairs are equal systems."""
    return [labels[i] == labels[j] for i, j in itertools.combinations(range(len(labels)), 2)]


@pytest.mark.parametrize("k", range(2, 9))
def test_shaffers_sets_against_all_partitions(k):
    assert possible_true_pairs(k) == sorted({sum(true_pairs(labels)) for labels in partitions(k)})


# Shaffer (1986) and everybody after her print these.
@pytest.mark.parametrize(
    ("k", "expected"),
    [(2, [0, 1]), (3, [0, 1, 3]), (4, [0, 1, 2, 3, 6]), (5, [0, 1, 2, 3, 4, 6, 10]), (6, [0, 1, 2, 3, 4, 6, 7, 10, 15])],
)
def test_shaffers_sets_as_published(k, expected):
    assert possible_true_pairs(k) == expected


pairs_of_systems = st.integers(2, 5).flatmap(
    lambda k: st.tuples(
        st.just(k),
        st.lists(
            st.floats(1e-6, 1) | st.sampled_from([0.001, 0.01, 0.05]), min_size=k * (k - 1) // 2, max_size=k * (k - 1) // 2
        ),
    )
)


@given(given_pairs=pairs_of_systems)
def test_against_enumeration_shaffer(given_pairs):
    """The naive twin: after i - 1 rejections, the most pairs that any grouping with i - 1 different pairs leaves equal."""
    k, p = given_pairs
    m = len(p)
    counts = [sum(true_pairs(labels)) for labels in partitions(k)]
    expected, running = [0.0] * m, 0.0
    for i, place in enumerate(sorted(range(m), key=lambda x: p[x])):
        running = max(running, max(c for c in counts if m - c >= i) * p[place])
        expected[place] = min(1.0, running)
    assert adjust(p, "shaffer", systems=k) == pytest.approx(expected, rel=1e-12)


@given(given_pairs=pairs_of_systems)
def test_against_closure_shaffer_claims_nothing_more(given_pairs):
    """Closure over all groupings with Bonferroni inside (Bergmann and Hommel, 1988) claims all that Shaffer does."""
    k, p = given_pairs
    closed = np.zeros(len(p))
    for labels in partitions(k):
        true = np.array(true_pairs(labels))
        if true.any():
            closed[true] = np.maximum(closed[true], min(1.0, true.sum() * min(np.array(p)[true])))
    shaffer = adjust(p, "shaffer", systems=k)
    assert (closed <= shaffer * (1 + 1e-12)).all()
    assert (shaffer <= adjust(p, "holm") * (1 + 1e-12)).all()
    assert (shaffer >= p).all()
    assert (np.diff(shaffer[np.argsort(p, kind="stable")]) >= 0).all()


def test_shaffer_needs_all_pairs():
    with pytest.raises(OutscoreError) as found:
        adjust([0.1] * 5, "shaffer", systems=4)
    assert found.value.message == "`systems` is 4, which makes 6 pairs, but there are 5 p-values."
    assert "p = 1" in found.value.hint


def test_resampled_p_never_fall_below_raw_ones(p_value):
    exact = [p_value(0.01), p_value(0.2), p_value(0.03, "certified", 0.02, 0.04)]
    found, family = correct_family(exact, "max-t", resampled=np.array([0.0099, 0.3, 0.035]))
    assert [p.adjusted for p in found] == [0.01, 0.3, 0.04]
    assert (family.correction, family.error_rate, family.m) == ("max-t", "FWER", 3)
    assert [p.value for p in found] == [p.value for p in exact]
