"""The general door: null laws of any columns and any function of their totals, by every way to them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks.tagging import published_fft, redrawn
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

import outscore as osc
from outscore.exact import distribution
from outscore.exact.flipsum import BudgetError

ALGORITHMS = {"dp": distribution.dynamic_programme, "fft": distribution.fast_fourier}


@pytest.mark.parametrize("method", ["spectral", "dp", "fft"])
@settings(max_examples=10)
@given(data=st.data())
def test_one_column_against_counting(method, data):
    """Support, masses, tails and quantiles, for any stay and swap; few items are listed, more are transformed."""
    n = data.draw(st.integers(1, 6) | st.integers(13, 18))
    stay = data.draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n))
    swap = data.draw(st.none() | st.lists(st.integers(-9, 9), min_size=len(stay), max_size=len(stay)))
    other = [-x for x in stay] if swap is None else swap
    law = {0: 1}
    for x, y in zip(stay, other, strict=True):
        wider: dict = {}
        for s, ways in law.items():
            for z in (x, y):
                wider[s + z] = wider.get(s + z, 0) + ways
        law = wider
    null = osc.null_distribution(stay, swap, method=method)
    whole = 2.0 ** len(stay)
    support = null.support.tolist()
    assert set(law) <= set(support)
    assert null.pmf == pytest.approx([law.get(s, 0) / whole for s in support], abs=1e-14)
    points = sorted(law)
    asked = (points[0] - 1, *points, points[0] + 0.25, points[-1] - 0.25, points[-1] + 0.5, math.inf, -math.inf)
    expected = [sum(w for s, w in law.items() if s >= x) / whole for x in asked]
    # Transforms add up rounding errors of the largest mass; the others keep their relative digits.
    slack = 1e-15 if method == "fft" else 1e-300
    assert [null.tail(x) for x in asked] == pytest.approx(expected, rel=1e-12, abs=slack)
    for q in (0.1, 0.25, 0.5, 0.9, 1.0):
        reached = next(s for s in points if sum(w for t, w in law.items() if t <= s) / whole >= q)
        assert null.quantile(q) == reached


@pytest.mark.parametrize("method", ["auto", "exact"])
def test_other_names_for_spectral(method):
    stay = np.random.default_rng(0).integers(-9, 10, 40)
    one, other = (osc.null_distribution(stay, method=m) for m in (method, "spectral"))
    assert (one.support == other.support).all()
    assert (one.pmf == other.pmf).all()


def test_tail_keeps_relative_accuracy():
    """Where the masses themselves are below rounding: 200 unanimous items."""
    null = osc.null_distribution(np.ones(200, dtype=int))
    assert null.tail(200) == pytest.approx(2.0**-200, rel=1e-12)
    assert null.tail(190) == pytest.approx(sum(math.comb(200, k) for k in range(6)) / 2.0**200, rel=1e-11)


@pytest.mark.parametrize("method", ["auto", "dp", "fft"])
@pytest.mark.parametrize("n", [6, 10, pytest.param(14, marks=pytest.mark.slow)])
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_any_function_of_four_columns(rank, n, method):
    """h gets the caller's columns also where the flips have a lower rank."""
    rng = np.random.default_rng(rank)
    mix = rng.integers(-1, 2, (rank, 4))
    centre = rng.integers(0, 3, (n, 4))
    half = rng.choice([-1, 1], (n, rank)) @ mix
    stay, swap = centre + half, centre - half

    def h(w, x, y, z):
        return np.abs(w * x - y) + z

    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    totals = centre.sum(axis=0) + signs @ half
    observed = float(h(*stay.sum(axis=0)))
    null = osc.null_distribution(stay, swap, method=method)
    assert null.support.shape[1] == 4
    assert null.probability(h, observed) == pytest.approx((h(*totals.T) >= observed).mean(), abs=1e-12)
    assert set(map(tuple, totals.tolist())) <= set(map(tuple, null.support.tolist()))


def test_nothing_moves():
    null = osc.null_distribution([[2, 3], [1, 1]], [[2, 3], [1, 1]])
    assert null.support.tolist() == [[3, 4]]
    assert null.pmf.tolist() == [1.0]


def test_ties_of_h_count():
    """A threshold off by rounding still includes its own point."""
    null = osc.null_distribution([1, 1, 1])
    assert null.probability(lambda x: x / 10, 0.1 + 0.2) == pytest.approx(1 / 8)
    assert null.probability(lambda x: x / 10, 0.1 * 3) == pytest.approx(1 / 8)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_item_order_never_matters(seed):
    """Bit for bit: the spectral law depends on the histogram only."""
    rng = np.random.default_rng(seed)
    stay = rng.integers(-6, 7, 40)
    one, other = osc.null_distribution(stay), osc.null_distribution(rng.permutation(stay))
    assert (one.support == other.support).all()
    assert (one.pmf == other.pmf).all()


@pytest.mark.parametrize(
    ("arguments", "keywords"),
    [
        (([1.5],), {}),
        ((["a"],), {}),
        ((None,), {}),
        (([],), {}),
        (([math.nan],), {}),
        (([2**62],), {}),
        (([2**70],), {}),
        ((np.zeros((1, 1, 1)),), {}),
        (([1], [1, 2]), {}),
        (([1],), {"method": "monte-carlo"}),
        (([[1, 2], [3]],), {}),
        ((np.eye(3, dtype=int) * 2000,), {"method": "dp"}),
    ],
    ids=["half", "text", "None", "empty", "nan", "2**62", "2**70", "3-D", "shapes", "method", "ragged", "memory"],
)
def test_bad_input_is_refused(arguments, keywords):
    with pytest.raises(osc.OutscoreError) as caught:
        osc.null_distribution(*arguments, **keywords)
    assert caught.value.message


def test_bad_questions_are_refused():
    one, two = osc.null_distribution([1, 2]), osc.null_distribution([[1, 0], [0, 1]])
    for ask in (
        lambda: two.tail(1),
        lambda: two.quantile(0.5),
        lambda: one.quantile(1.5),
        lambda: one.quantile(math.nan),
        lambda: one.tail(math.nan),
        lambda: one.probability(lambda _: 3.0, 1),
    ):
        with pytest.raises(osc.OutscoreError):
            ask()


def test_oracle_of_the_whole_law():
    """The naive twin itself, once by hand."""
    assert oracles.whole_law([[1], [2]]) == {(3,): 1, (-1,): 1, (1,): 1, (-3,): 1}


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


@pytest.mark.parametrize(("n", "largest"), [(1_000, 9), (3_000, 100)])
def test_fft_keeps_no_rounding_noise(n, largest):
    """Only points that the sums can reach, masses that sum to 1, and a stated error that holds."""
    d = np.random.default_rng(n).integers(-largest, largest + 1, n)
    found = osc.null_distribution(d, method="fft")
    assert (found.pmf > 0).all()
    assert found.pmf.sum() == pytest.approx(1.0, abs=1e-15)
    # Sums of flips are all even or all odd.
    assert ((found.support - d.sum()) % 2 == 0).all()
    exact = osc.null_distribution(d)
    masses = dict(zip(exact.support.tolist(), exact.pmf.tolist(), strict=True))
    off = sum(
        abs(mass - masses.pop(point, 0.0)) for point, mass in zip(found.support.tolist(), found.pmf.tolist(), strict=True)
    )
    # No set of points is further off than half of what all points are off together.
    assert (off + sum(masses.values())) / 2 <= distribution.FFT_ERROR == 1e-13
    assert repr(found).endswith("fft to 1e-13>")


@pytest.mark.parametrize("x", [0, 100, 1_000, 3_000, 9_000])
def test_tails_that_fft_cannot_hold_are_handed_over(x):
    """Once 2.2e-16 where 5.9e-41 is right."""
    d = np.random.default_rng(1).integers(-9, 10, 3_000)
    found, exact = osc.null_distribution(d, method="fft").tail(x), osc.null_distribution(d).tail(x)
    assert found == pytest.approx(exact, rel=1e-10, abs=0)
    assert found > 0


def test_several_columns_by_fft_are_within_the_stated_error():
    stay = np.random.default_rng(2).integers(0, 4, (150, 2))
    found, exact = (osc.null_distribution(stay, method=method) for method in ("fft", "dp"))
    far = float(stay[:, 0].sum()) - 40

    def h(x, y):
        return x + 0 * y

    for at_least in (0.0, 40.0, far):
        assert found.probability(h, at_least) == pytest.approx(exact.probability(h, at_least), abs=distribution.FFT_ERROR)


def test_dynamic_programme_drops_no_mass():
    """Point masses of 2^-60 survive: the reference code's tolerance would lose them."""
    _, table = distribution.dynamic_programme(np.ones((60, 1), dtype=int), -np.ones((60, 1), dtype=int))
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
    monkeypatch.setattr(distribution, "SMALL", small)
    stay, swap = np.random.default_rng(small).integers(0, 4, (2, 40, 2))
    low, law = distribution.fast_fourier(stay, swap)
    expected_low, expected = distribution.dynamic_programme(stay, swap)
    assert (low == expected_low).all()
    assert law == pytest.approx(expected, abs=1e-15)
