"""Integer sign flips: relative accuracy against big integers, and every trap of signs, parity, divisors and sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles
from tests.variants import a_few

import outscore as osc
from outscore.exact import lattice
from outscore.exact.flipsum import FLIPS, FLOOR, BudgetError, FlipSum, characteristic

LOG2 = math.log(2.0)
DIGITS = 1e-11


@pytest.fixture(scope="module", params=["counted", "spectral"], autouse=True)
def way(request):
    """Few flips are counted one by one; with no work allowed for that, their spectrum is summed as that of many is."""
    before = lattice.COUNTED_WORK
    lattice.COUNTED_WORK = before if request.param == "counted" else 0
    yield request.param
    lattice.COUNTED_WORK = before


def relative_error(log: float, exact_log: float) -> float:
    return abs(math.expm1(log - exact_log))


def check_against_big_integers(seed: int, units: int, largest: int) -> float:
    """Worst relative error over thresholds from p = .9 down to 1e-150 or the end of the support."""
    rng = np.random.default_rng(seed)
    values, counts = np.unique(rng.integers(1, largest + 1, units), return_counts=True)
    extreme, sd = int(values @ counts), math.sqrt(float(values**2 @ counts))
    thresholds = {min(extreme, round(z * sd)) for z in (-1.3, 0.0, 0.7, 2.5, 6.0, 15.0, 26.0)} | {extreme - 2}
    law = oracles.big_integer_law(values.tolist(), counts.tolist())
    worst = 0.0
    for observed in thresholds:
        found = lattice.tail(values, counts, observed)
        place, off_lattice = divmod(observed + extreme, 2)
        ways = sum(law[place + off_lattice :])
        worst = max(worst, relative_error(found.log, oracles.log_fraction(ways, units)))
        # The tie enters through mid-p only, so what counts is its error relative to the tail.
        tied = 0 if off_lattice else law[place]
        worst = max(worst, abs(math.exp(found.log_atom - found.log) - tied / ways))
    return worst


@pytest.mark.parametrize(("units", "largest"), a_few([(3, 4), (12, 9), (40, 3), (150, 6), (400, 5), (900, 2), (2000, 2)], 4))
def test_against_big_integers(units, largest):
    assert check_against_big_integers(units, units, largest) <= DIGITS


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_against_big_integers_in_many_cases(seed):
    rng = np.random.default_rng(1000 + seed)
    units = int(10 ** rng.uniform(0.5, 3.3))
    assert check_against_big_integers(seed, units, int(rng.integers(2, 4 + 4000 // units))) <= DIGITS


def test_sizes_that_differ_widely(way):
    """Three decimals of few scores: counting has every digit, and the spectrum as many as it promises."""
    worst = max(check_against_big_integers(seed, units, 1000) for seed, units in ((1, 5), (2, 12), (3, 30)))
    assert worst <= (1e-14 if way == "counted" else DIGITS)


def test_150_orders_of_magnitude_are_reached():
    """The check above would be empty if its thresholds never went that far."""
    values, counts = np.array([1, 2]), np.array([1000, 1000])
    observed = round(26.2 * math.sqrt(5000))
    log = lattice.tail(values, counts, observed).log
    ways, n = oracles.big_integer_tail(values.tolist(), counts.tolist(), observed)
    assert log < -150 * math.log(10)
    assert relative_error(log, oracles.log_fraction(ways, n)) <= DIGITS


@settings(max_examples=25)
@given(sizes=st.lists(st.integers(-30, 30), max_size=9), factor=st.sampled_from([1, 2, 3, 50]))
def test_every_threshold_against_enumeration(sizes, factor):
    """Observed below, at and above 0, off the lattice, at and beyond both ends; zeros; common divisors; both parities."""
    sizes = [factor * s for s in sizes]
    law = oracles.whole_law([[s] for s in sizes]) if sizes else {(0,): 1}
    values, counts = lattice.histogram(np.array(sizes, dtype=np.int64))
    extreme = sum(map(abs, sizes))
    for observed in {*range(-extreme - 3, extreme + 4, max(1, extreme // 8)), 0, 1, extreme, -extreme, 1 - extreme}:
        found = lattice.tail(values, counts, observed)
        ways = sum(w for (s,), w in law.items() if s >= observed)
        tied = law.get((observed,), 0)
        whole = 2.0 ** len(sizes)
        assert math.exp(found.log) == pytest.approx(ways / whole, rel=1e-12, abs=0)
        if values.size and ways:
            assert math.exp(found.log_atom) == pytest.approx(tied / whole, rel=1e-9, abs=1e-14)


def test_nothing_differs():
    """All-zero differences: P(0 ≥ 0) is 1 and nothing is beyond."""
    values, counts = lattice.histogram(np.zeros(5, dtype=np.int64))
    assert len(values) == len(counts) == 0
    assert lattice.tail(values, counts, 0).log == 0.0
    assert lattice.tail(values, counts, 1).log == -math.inf
    assert osc.permutation_test([3, 3, 1], [3, 3, 1]).value == 1.0


@pytest.mark.parametrize("n", [60, 5_000])
def test_unanimous_items_give_a_power_of_two(n):
    """The observed value is the end of the support, far below the smallest float at n = 5,000."""
    p = osc.permutation_test(np.ones(n, dtype=int), np.zeros(n, dtype=int))
    assert p.log10 == pytest.approx((1 - n) * math.log10(2), rel=1e-14)
    if n == 60:
        assert p.value == p.lower == p.upper == pytest.approx(2.0**-59, rel=1e-14)
    else:
        assert (p.value, p.lower, p.upper) == (5e-324, 0.0, 5e-324)


def test_unanimous_items_of_several_sizes():
    values, counts = np.array([1, 3, 4]), np.array([200, 100, 300])
    found = lattice.tail(values, counts, int(values @ counts))
    assert found.log == pytest.approx(-600 * LOG2, rel=1e-15)
    assert found.log_atom == found.log


@settings(max_examples=60)
@given(only_a=st.integers(0, 300), only_b=st.integers(0, 300), both=st.integers(0, 5))
def test_against_scipy_binomtest(only_a, only_b, both):
    """Binary items: the sign-flip test is exact McNemar."""
    a = [1] * only_a + [0] * only_b + [1] * both
    b = [0] * only_a + [1] * only_b + [1] * both
    if not a:
        a, b = [1], [1]
    discordant = only_a + only_b
    for side in ("two-sided", "greater", "less"):
        expected = scipy.stats.binomtest(only_a, discordant, 0.5, side).pvalue if discordant else 1.0
        assert osc.permutation_test(a, b, alternative=side).value == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("z", [0.2, 1.0, 3.0, 8.0, 25.0])
def test_counts_of_ten_million(z):
    """One size against a 60-digit binomial; one item of size 2 among them against the mixture of two such tails."""
    n = 10**7
    observed = 2 * round(z * math.sqrt(n) / 2)
    one = lattice.tail(np.array([1]), np.array([n]), observed)
    assert relative_error(one.log, oracles.log_binomial_tail(n, (n + observed) // 2)) <= 5e-11
    two = lattice.tail(np.array([1, 2]), np.array([n, 1]), observed)
    parts = [oracles.log_binomial_tail(n, (n + observed + shift) // 2) for shift in (2, -2)]
    assert relative_error(two.log, np.logaddexp(*parts) - LOG2) <= 5e-11


@pytest.mark.parametrize("z", [0.2, 3.0, 25.0])
def test_a_grid_of_thirty_million_frequencies(z):
    """Three decimals of ten million items, all but one of the same size: exact, where the sums are too many to be listed."""
    n, size = 10**7, 999
    assert math.sqrt(92 * n * size**2) > lattice.MAX_POINTS
    observed = 2 * round(z * size * math.sqrt(n) / 2)
    found = lattice.tail(np.array([size, size + 1]), np.array([n, 1]), observed)
    # size · (2·heads - n) has to make up for what the odd one out leaves.
    heads = [math.ceil((n + math.ceil((observed + shift) / size)) / 2) for shift in (size + 1, -size - 1)]
    parts = [oracles.log_binomial_tail(n, k) for k in heads]
    assert relative_error(found.log, np.logaddexp(*parts) - LOG2) <= 5e-11
    with pytest.raises(BudgetError):
        lattice.pmf(np.array([size, size + 1]), np.array([n, 1]))


def test_what_a_sieve_may_cost_is_said():
    """Sizes up to 20,000 take millions of sines: fewer are refused, and bounds serve unless exact p is asked for."""
    d = np.random.default_rng(5).integers(1, 20_000, 600) * np.where(np.arange(600) % 2, 1, -1)
    values, counts = lattice.histogram(d)
    observed = abs(int(d.sum()))
    with pytest.raises(BudgetError):
        lattice.tail(values, counts, observed, budget=1e5)
    exact = 2 * math.exp(lattice.tail(values, counts, observed).log)
    unasked, asked = (osc.permutation_test(d, np.zeros_like(d), method=method) for method in ("auto", "exact"))
    assert (unasked.kernel, asked.kernel) == ("bracket", "lattice")
    assert unasked.lower <= exact <= unasked.upper
    assert asked.value == pytest.approx(exact, rel=1e-14)


def test_sparse_values_are_refused_not_guessed():
    """7 and 999,983 keep millions of frequencies alive: the lattice says so and the next method serves."""
    values, counts = np.array([7, 999_983]), np.array([100, 100])
    observed = 7 * 30 + 999_983 * 20
    with pytest.raises(BudgetError):
        lattice.tail(values, counts, observed)


@pytest.mark.parametrize("method", ["auto", "certified"])
@pytest.mark.parametrize(("sevens", "large"), [(20, 24), (100, 100)])
def test_sparse_values_against_two_binomials(sevens, large, method):
    """What the lattice refuses is served exactly by other means, and the bounds hold the same number."""
    signs = np.where(np.arange(sevens + large) % 16 < 9, 1, -1)
    d = signs * np.where(np.arange(sevens + large) < sevens, 7, 999_983)
    observed = abs(int(d.sum()))
    ways = sum(
        math.comb(sevens, i) * math.comb(large, j)
        for i in range(sevens + 1)
        for j in range(large + 1)
        if 7 * (2 * i - sevens) + 999_983 * (2 * j - large) >= observed
    )
    p = osc.permutation_test(d, np.zeros_like(d), method=method)
    exact = 2 * ways / 2 ** (sevens + large)
    if method == "auto":
        assert p.exact
        assert p.value == pytest.approx(exact, rel=1e-12)
    else:
        assert 0 < p.lower <= exact <= p.upper


@pytest.mark.parametrize("n", [30, 60])
def test_three_sparse_values_against_counting(n):
    """Three far-apart sizes: met in the middle while that is possible, then bracketed."""
    sizes = np.array([7, 50_021, 999_983])[np.arange(n) % 3]
    d = np.where(np.arange(n) % 7 < 4, 1, -1) * sizes
    law = oracles.whole_law([[int(s)] for s in sizes])
    exact = 2 * sum(w for (s,), w in law.items() if s >= abs(d.sum())) / 2**n
    p = osc.permutation_test(d, np.zeros_like(d))
    assert p.kernel == ("meet-in-the-middle" if n <= 44 else "bracket")
    if p.exact:
        assert p.value == pytest.approx(exact, rel=1e-12)
    else:
        assert 0 < p.lower <= exact <= p.upper


def test_decimal_ties_count():
    """.1 + .2 and .3 are the same difference, although their floats are not."""
    a = [0.1, 0.2, 0.0, 0.5, 0.4]
    b = [0.0, 0.0, 0.3, 0.0, 0.0]
    expected, mid = oracles.brute_force([[1], [2], [0], [5], [4]], [[0], [0], [3], [0], [0]], lambda x: x[0], "two-sided")
    p = osc.permutation_test(a, b)
    assert (p.value, p.mid) == (float(expected), float(mid))


@settings(max_examples=60)
@given(values=st.sets(st.integers(1, 40), min_size=1, max_size=6), data=st.data())
def test_pmf_against_enumeration(values, data):
    values = sorted(values)
    counts = data.draw(st.lists(st.integers(1, 4), min_size=len(values), max_size=len(values)))
    support, mass = lattice.pmf(np.array(values), np.array(counts))
    law = oracles.whole_law([[v] for v, c in zip(values, counts, strict=True) for _ in range(c)])
    whole = 2 ** sum(counts)
    found = dict(zip(support.tolist(), mass.tolist(), strict=True))
    assert set(law) <= {(s,) for s in found}
    assert all(mass == pytest.approx(law.get((s,), 0) / whole, rel=1e-12, abs=1e-15) for s, mass in found.items())


def test_pmf_of_many_flips_is_a_window():
    """Of 10,000 flips of ±1 all but 1e-20 of the mass lies within ten standard deviations."""
    support, mass = lattice.pmf(np.array([1]), np.array([10_000]))
    assert 800 < support.max() == -support.min() < 1_200
    assert mass == pytest.approx(scipy.stats.binom.pmf((support + 10_000) // 2, 10_000, 0.5), rel=1e-9, abs=1e-18)


@settings(max_examples=50)
@given(d=st.lists(st.integers(-10_000, 10_000), max_size=60))
def test_histogram_counts_sizes(d):
    values, counts = lattice.histogram(np.array(d, dtype=np.int64))
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {
        s: sum(abs(x) == s for x in d) for s in {abs(x) for x in d} - {0}
    }
    assert (np.diff(values) > 0).all()


@pytest.mark.parametrize("share", [1e-6, 0.1, 0.5, 0.9, 0.999])
def test_saddle_point_moves_the_mean(share):
    law = FlipSum(np.array([[1.0], [4.0], [9.0]]), np.array([50.0, 30.0, 20.0]))
    observed = share * 350.0
    theta = lattice.saddle_point(law, observed)
    assert law.mean(theta)[0] == pytest.approx(observed, rel=1e-9)
    slope = float(theta[0])
    assert law.log_scale(slope, observed) == pytest.approx(law.log_mgf(theta) - slope * observed, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.2, 0.8, 0.99])
@pytest.mark.parametrize("seed", range(3))
def test_a_window_that_was_searched_gives_the_same_tail(seed, share, monkeypatch):
    """Hoeffding's window is wider than Chernoff's, and the mass between them is negligible."""
    stream = np.random.default_rng(seed)
    values, counts = np.arange(1, 12), stream.integers(1, 300, 11)
    observed = int(share * (values @ counts))
    found = lattice.tail(values, counts, observed)
    monkeypatch.setattr(lattice, "NARROW", 0)
    searched = lattice.tail(values, counts, observed)
    assert found.log == pytest.approx(searched.log, rel=1e-12, abs=1e-12)
    assert found.log_atom == pytest.approx(searched.log_atom, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("theta", [0.0, 0.02, 0.3])
def test_no_frequency_above_the_floor_is_lost(theta):
    """Against the product of all cosines, at every frequency of a grid."""
    values, counts, points = np.array([1, 2, 3, 7]), np.array([900, 40, 300, 2]), 701
    index = np.arange(points)
    law = FlipSum(values[:, None].astype(float), counts.astype(float))
    tilt = np.array([theta])

    def turns(j, which):
        return j[:, None] * values[which] % (2 * points)

    tanh = np.tanh(law.projections(tilt))
    kept, log_modulus, angle = characteristic(index, turns, points, counts, tanh, law.sech2(tilt))
    x = np.pi * index[:, None] * values / points
    with np.errstate(divide="ignore"):
        expected = (np.log(np.cos(x) + 1j * tanh * np.sin(x)) * counts).sum(axis=1)
    assert kept.tolist() == np.flatnonzero(expected.real > -FLOOR).tolist()
    assert log_modulus == pytest.approx(expected.real[kept], abs=1e-10)
    assert np.exp(1j * angle) == pytest.approx(np.exp(1j * expected.imag[kept]), abs=1e-9)


@pytest.mark.parametrize("flips", [30, FLIPS + 20])
def test_corners_count_every_flip_until_they_are_negligible(flips):
    """A tilt so strong that nearly all flips go one way; against it the corner is out of reach."""
    law = FlipSum(np.ones((flips, 1)), np.ones(flips))
    theta = np.array([6.0])
    assert law.log_corner(theta, lattice.UP) == pytest.approx(-flips * math.log1p(math.exp(-12.0)))
    assert law.log_corner(theta, -lattice.UP) == -math.inf


@given(sizes=st.lists(st.integers(1, 60), min_size=1, max_size=12), times=st.integers(1, 40), most=st.integers(3, 60))
def test_parts_of_a_law_are_sums_of_its_points(sizes, times, most):
    values, counts = np.unique(sizes, return_counts=True)
    counts = counts * times
    middles, mass = lattice.coarse_pmf(values, counts, most)
    support, points = lattice.pmf(values, counts)
    step = int(middles[1] - middles[0])
    naive = [points[np.abs(support - middle) < step / 2].sum() for middle in middles.tolist()]
    assert mass == pytest.approx(naive, abs=1e-12)
    assert (middles == -middles[::-1]).all()
    assert len(middles) <= most + 3
