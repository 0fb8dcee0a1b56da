"""Walsh averages: the fast selection against the list of all of them."""

from __future__ import annotations

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.asking import DEPRESSION
from tests.variants import crossed

from outscore.inference.classical import wilcoxon as walsh
from outscore.inference.classical.wilcoxon import hodges_lehmann, walsh_interval, walsh_quantile


def naive(d):
    i, j = np.triu_indices(len(d))
    return np.sort((d[i] + d[j]) / 2)


KINDS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "ties": lambda rng, n: rng.integers(-3, 4, n) / 10,
    "outliers": lambda rng, n: rng.standard_cauchy(n) ** 5,
    "mostly zero": lambda rng, n: rng.normal(size=n) * (rng.random(n) < 0.1),
    "within rounding": lambda rng, n: 1e3 * (1 + 1e-14 * rng.integers(-50, 50, n)),
    "one far": lambda rng, n: np.concatenate([rng.normal(size=n - 1), [1e17]]),
    "sizes apart": lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-20, 20, n),
}


@pytest.mark.parametrize(("kind", "n"), crossed(KINDS, [1, 2, 3, 10, 57, 500]))
def test_against_the_list(kind, n):
    rng = np.random.default_rng(n)
    d = KINDS[kind](rng, n)
    averages = naive(d)
    for k in {1, len(averages), *(int(k) for k in rng.integers(1, len(averages) + 1, 12))}:
        assert walsh_quantile(d, k) == averages[k - 1]
    assert hodges_lehmann(d) == np.median(averages)


@settings(max_examples=150)
@given(st.lists(st.floats(-1e100, 1e100), min_size=1, max_size=30), st.data())
def test_any_floats(values, data):
    d = np.array(values)
    averages = naive(d)
    k = data.draw(st.integers(1, len(averages)))
    assert walsh_quantile(d, k) == averages[k - 1]


@settings(max_examples=50)
@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40), st.integers(-9, 9))
def test_shift_and_mirror(values, shift):
    d = np.array(values)
    assert hodges_lehmann(d + shift) == hodges_lehmann(d) + shift
    assert hodges_lehmann(-d) == -hodges_lehmann(d)


def test_hollander_and_wolfe():
    assert hodges_lehmann(DEPRESSION) == pytest.approx(0.46, abs=1e-12)
    assert walsh_interval(DEPRESSION, 0.05) == (0.01, 0.786)
    assert walsh_interval(DEPRESSION[:5], 0.05) == (None, None)


def test_null_law_against_counting():
    """The c of the interval: rank sums of all 2^n sign vectors."""
    for n in range(1, 13):
        sums = np.zeros(1, dtype=int)
        for rank in range(1, n + 1):
            sums = np.concatenate([sums, sums + rank])
        law = np.cumsum(np.bincount(sums)) / 2**n
        for side in (0.3, 0.05, 0.025, 0.005):
            assert walsh._critical(n, side) == int((law <= side).sum())


def test_the_expansion_gives_the_same_integers(monkeypatch):
    cases = [(n, side) for n in (200, 301, 400) for side in (0.25, 0.05, 0.025, 0.005, 0.0005)]
    expanded = []
    with monkeypatch.context() as patch:
        patch.setattr(walsh, "MAX_LISTED_SIGNS", 0)
        expanded = [walsh._critical(*case) for case in cases]
        patch.setattr(walsh, "MAX_LISTED_SIGNS", 1000)
        assert [walsh._critical(*case) for case in cases] == expanded
    for side in (0.05, 0.025):
        found = [walsh._critical(n, side) / (n * (n + 1) / 4) for n in range(290, 320)]
        assert all(0 < b - a < 0.001 for a, b in pairwise(found))


@pytest.mark.parametrize("kind", ["normal", "outliers", "ties"])
def test_a_hundred_thousand(kind):
    """Far from the 40 GB that all averages would take."""
    d = KINDS[kind](np.random.default_rng(1), 100_000)
    tracemalloc.start()
    hodges_lehmann(d)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200e6
