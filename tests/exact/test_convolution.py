"""The published algorithms against a dictionary of counts, and all three ways to the null law against one another."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.tagging import published_fft, redrawn
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

import outscore as osc
from outscore.exact import convolution
from outscore.exact.flipsum import BudgetError

ALGORITHMS = {"dp": convolution.dynamic_programme, "fft": convolution.fast_fourier}


@pytest.mark.parametrize("method", ALGORITHMS)
@settings(max_examples=40)
@given(data=st.data())
def test_against_counting(method, data):
    """One to three axes, rows that move both ways, rows that do not move."""
    axes = data.draw(st.integers(1, 3))
    rows = st.lists(st.lists(st.integers(-4, 4), min_size=axes, max_size=axes), min_size=1, max_size=7)
    stay = data.draw(rows)
    row = st.lists(st.integers(-4, 4), min_size=axes, max_size=axes)
    swap = data.draw(st.lists(row, min_size=len(stay), max_size=len(stay)))
    low, table = ALGORITHMS[method](np.array(stay), np.array(swap))
    # stay or swap with a fair coin = middle ± half the difference: count in doubled units.
    centre = np.array(stay).sum(axis=0) + np.array(swap).sum(axis=0)
    law = oracles.whole_law((np.array(stay) - np.array(swap)).tolist())
    whole = 2.0 ** len(stay)
    expected = np.zeros(table.shape)
    for point, ways in law.items():
        expected[tuple((centre + point) // 2 - low)] = ways / whole
    assert table == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("n", [25, 120])
def test_dp_fft_and_spectral_agree(columns, n):
    """The same law three ways, to 1e-12."""
    rng = np.random.default_rng(n + columns)
    stay, swap = rng.integers(0, 5, (2, n, columns))
    laws = {}
    for method in ("dp", "fft", "spectral"):
        found = osc.null_distribution(stay, swap, method=method)
        assert found.method == method
        assert found.pmf.sum() == pytest.approx(1.0, abs=1e-12)
        laws[method] = {tuple(np.atleast_1d(s).tolist()): m for s, m in zip(found.support, found.pmf, strict=True)}
    points = set.union(*(set(law) for law in laws.values()))
    assert len(points) > n
    for point in points:
        masses = [law.get(point, 0.0) for law in laws.values()]
        assert max(masses) - min(masses) <= 1e-12


def test_dynamic_programme_drops_no_mass():
    """Point masses of 2^-60 survive: the reference code's tolerance would lose them."""
    _, table = convolution.dynamic_programme(np.ones((60, 1), dtype=int), -np.ones((60, 1), dtype=int))
    assert table[0] == table[-1] == 2.0**-60
    assert table.sum() == 1.0


@pytest.mark.parametrize("method", ALGORITHMS)
def test_a_table_beyond_memory_is_refused(method):
    huge = np.full((2, 2), 10_000)
    with pytest.raises(BudgetError):
        ALGORITHMS[method](huge, -huge)


@pytest.mark.parametrize("bare", [True, False])
def test_the_program_that_is_timed_gives_the_same_p(bare):
    a, b = redrawn(150, 0.97, 4)
    expected = osc.permutation_test(a, b, metric="accuracy")
    assert 0.001 < expected.value < 0.9
    assert published_fft(a[:, 0], b[:, 0], bare=bare) == pytest.approx(expected.value, abs=1e-13)


@pytest.mark.parametrize("small", [1, 64, 1 << 20])
def test_where_transforms_begin_does_not_matter(small, monkeypatch):
    monkeypatch.setattr(convolution, "SMALL", small)
    stay, swap = np.random.default_rng(small).integers(0, 4, (2, 40, 2))
    low, law = convolution.fast_fourier(stay, swap)
    expected_low, expected = convolution.dynamic_programme(stay, swap)
    assert (low == expected_low).all()
    assert law == pytest.approx(expected, abs=1e-15)
