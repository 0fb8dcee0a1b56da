"""Wilcoxon's test against all sign vectors, scipy and R."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.asking import DEPRESSION, LOSS, SIDES, ask

from outscore.core.errors import OutscoreError
from outscore.inference.classical.wilcoxon import ENTRY

whole = st.lists(st.integers(-5, 5), min_size=1, max_size=9)


def naive(d, side, zeros):
    """(p, mid-p) over all sign vectors of the ranks, as fractions."""
    d = np.asarray(d)
    ranked = d if zeros == "pratt" else d[d != 0]
    doubled = [int(2 * r) for r in scipy.stats.rankdata(np.abs(ranked))]
    turned = [r * int(np.sign(x)) for r, x in zip(doubled, ranked, strict=True) if x]
    shape = {"two-sided": abs, "greater": lambda x: x, "less": lambda x: -x}[side]
    observed = shape(sum(turned))
    sums = [
        shape(sum(s * r for s, r in zip(signs, turned, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(turned))
    ]
    hits, ties = sum(x >= observed for x in sums), sum(x == observed for x in sums)
    return Fraction(hits, len(sums)), Fraction(2 * hits - ties, 2 * len(sums))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("zeros", ["drop", "pratt"])
@settings(max_examples=40)
@given(d=whole, delta=st.integers(-2, 2))
def test_against_all_sign_vectors(side, zeros, d, delta):
    p, mid = naive(np.array(d) - delta, side, zeros)
    d = np.array(d) / 10
    found = ask(ENTRY, d, 0 * d, alternative=side, zeros=zeros, delta=delta / 10).p
    assert found.value == float(p)
    assert found.mid is None or found.mid == float(mid)
    turned = ask(ENTRY, -d, 0 * d, alternative=side, zeros=zeros, delta=-delta / 10, metric=LOSS).p
    assert turned.value == found.value


@pytest.mark.parametrize("side", SIDES)
def test_against_scipy(side):
    """Without ties scipy's exact law is right; with them only its permutations are."""
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.3, 1, 40), rng.normal(0, 1, 40)
    for x, y in ((a, b), (b, a)):
        expected = scipy.stats.wilcoxon(x, y, alternative=side, method="exact")
        found = ask(ENTRY, x, y, alternative=side).p
        assert found.value == pytest.approx(expected.pvalue, rel=1e-9)
    tied = rng.integers(-3, 6, 10)
    every = scipy.stats.PermutationMethod(n_resamples=np.inf)
    nonzero = tied[tied != 0]
    expected = scipy.stats.wilcoxon(nonzero, alternative=side, method=every)
    assert ask(ENTRY, tied, 0 * tied, alternative=side).p.value == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("zeros", ["drop", "pratt"])
def test_normal_variant_against_scipy(side, zeros):
    rng = np.random.default_rng(3)
    d = rng.integers(-4, 7, 60)
    method = {"drop": "wilcox", "pratt": "pratt"}[zeros]
    expected = scipy.stats.wilcoxon(d, alternative=side, zero_method=method, method="asymptotic", correction=True)
    found = ask(ENTRY, d, 0 * d, alternative=side, zeros=zeros, variant="normal").p
    assert found.value == pytest.approx(expected.pvalue, rel=1e-9)
    assert (found.method, found.kernel, found.test) == ("asymptotic", "signed ranks: normal", "wilcoxon")
    assert found.dropped == {"zero differences": int((d == 0).sum())}


def test_hollander_and_wolfe():
    found = ask(ENTRY, DEPRESSION, 0 * DEPRESSION)
    assert (found.p.statistic, found.p.value) == (40.0, 0.0390625)
    assert (found.interval.low, found.interval.high, found.interval.dual) == (0.01, 0.786, True)
    assert found.p.kernel.startswith("signed ranks: ")


def test_ties_and_zeros_take_the_duality():
    clean = np.array([1, 2, 4, 8, 16, 32, -64, 3.5])
    assert ask(ENTRY, clean, 0 * clean).interval.dual
    for other in (np.append(clean, 1.0), np.append(clean, -1.0), np.append(clean, 0.0)):
        found = ask(ENTRY, other, 0 * other)
        assert not found.interval.dual
        assert "may disagree near alpha" in found.notes[1].text
    normal = ask(ENTRY, clean, 0 * clean, variant="normal")
    assert not normal.interval.dual
    assert "inverts the exact test" in normal.notes[1].text


@settings(max_examples=60)
@given(st.lists(st.integers(-30, 30), min_size=6, max_size=14, unique=True), st.integers(-65, 65), st.sampled_from(SIDES))
def test_the_interval_is_dual(values, half, side):
    """δ between the Walsh averages (which are halves), where no size ties and no difference is zero."""
    d, delta = np.array(values), half / 2 + 0.25
    found = ask(ENTRY, d, 0 * d, delta=delta, alternative=side)
    low = -np.inf if found.interval.low is None else found.interval.low
    high = np.inf if found.interval.high is None else found.interval.high
    assert (low < delta < high) == (found.p.value > 0.05)


def test_many_items_stay_exact_or_certified():
    rng = np.random.default_rng(4)
    ranked = ask(ENTRY, rng.normal(0.02, 1, 3_000), np.zeros(3_000)).p
    assert (ranked.method, ranked.kernel) == ("exact", "signed ranks: lattice")
    d = rng.normal(0.005, 1, 30_000)
    many = ask(ENTRY, d, 0 * d).p
    normal = ask(ENTRY, d, 0 * d, variant="normal").p
    assert many.method in ("exact", "certified")
    assert many.lower <= normal.value * 1.01
    assert many.upper >= normal.value * 0.99


def test_identical_systems():
    for zeros in ("drop", "pratt"):
        for variant in ("exact", "normal"):
            p = ask(ENTRY, np.ones(4), np.ones(4), zeros=zeros, variant=variant).p
            assert (p.value, p.n, p.dropped) == (1.0, 0, {"zero differences": 4})


def test_clusters_are_refused():
    with pytest.raises(OutscoreError, match="does not support clusters") as refusal:
        ask(ENTRY, [1, 2], [0, 0], clusters=[0, 0])
    assert all(name in refusal.value.hint for name in ("`bootstrap-median`", "`permutation`"))
