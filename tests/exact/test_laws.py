"""Sums of independent laws: against convolution in fractions, at both ends, far out, with ties, and about the mean."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles
from tests.variants import a_few

from outscore.exact import lattice
from outscore.exact import laws as law_sums
from outscore.exact.flipsum import BudgetError
from outscore.exact.laws import Law, LawSum, hypergeometric, split_sums

DIGITS = 1e-11
Weighted = tuple[tuple[int, ...], tuple[int, ...]]


def coin(size):
    half = math.log(0.5)
    return Law((-size, size), (half, half)) if size else Law((0,), (0.0,))


def law_of(support: tuple[int, ...], weights: tuple[int, ...]) -> Law:
    return Law(support, tuple(math.log(Fraction(w, sum(weights))) for w in weights))


def check_tail(found: lattice.Tail, law: dict[int, int], observed: int) -> None:
    """The tail to eleven digits of itself, and the tie to ten digits of the tail."""
    whole, tied = sum(w for s, w in law.items() if s >= observed), law.get(observed, 0)
    if not whole:
        assert found.log == -math.inf
        return
    assert abs(math.expm1(found.log - oracles.log_ratio(whole, sum(law.values())))) <= DIGITS
    assert abs(math.exp(found.log_atom - found.log) - tied / whole) <= 10 * DIGITS


weighted = st.dictionaries(st.integers(-12, 12), st.integers(1, 30), min_size=1, max_size=5).map(
    lambda found: (tuple(sorted(found)), tuple(found[x] for x in sorted(found)))
)


@settings(max_examples=40)
@given(parts=st.lists(st.tuples(weighted, st.integers(1, 4)), min_size=1, max_size=6), factor=st.sampled_from([1, 1, 2, 30]))
def test_every_threshold_against_convolution(parts, factor):
    """Observed below, at and above the support, off the lattice; common divisors; single points; multiplicities."""
    parts = [((tuple(factor * x for x in support), weights), count) for (support, weights), count in parts]
    known = [law_of(*one) for one, count in parts for _ in range(count)]
    law = oracles.convolved([one for one, count in parts for _ in range(count)])
    low, high = min(law), max(law)
    for observed in {*range(low - 2, high + 3, max(1, (high - low) // 6)), low, low + 1, high - 1, high, 0}:
        check_tail(law_sums.tail(known, observed), law, observed)


@settings(max_examples=40)
@given(parts=st.lists(weighted, min_size=1, max_size=5), data=st.data())
def test_two_sided_about_the_mean_against_convolution(parts, data):
    law = oracles.convolved(parts)
    total = sum(law.values())
    centre = Fraction(sum(s * w for s, w in law.items()), total)
    observed = data.draw(st.sampled_from(sorted(law)))
    extreme = sum(w for s, w in law.items() if abs(s - centre) >= abs(observed - centre))
    tied = sum(w for s, w in law.items() if abs(s - centre) == abs(observed - centre))
    found = law_sums.two_sided([law_of(*part) for part in parts], observed, centre)
    assert math.exp(found.log) == pytest.approx(extreme / total, rel=1e-11)
    if observed != centre:
        assert math.exp(found.log_atom) == pytest.approx(tied / total, rel=1e-9, abs=1e-13)


@pytest.mark.parametrize("orders", a_few([5, 30, 100], 1))
def test_digits_survive_far_out(orders):
    """Hypergeometric laws of many items, unequal numbers of runs, down to 1e-100 and beyond."""
    rng = np.random.default_rng(orders)
    sizes = [(int(a), int(b), int(t)) for a, b in rng.integers(3, 9, (260, 2)) for t in rng.integers(1, a + b, 1)]
    known = [hypergeometric(*size) for size in sizes]
    law = oracles.convolved([oracles.hypergeometric(*size) for size in sizes])
    total, above, observed = sum(law.values()), 0, max(law)
    for observed in sorted(law, reverse=True):
        above += law[observed]
        if above * 10**orders > total:
            break
    check_tail(law_sums.tail(known, observed), law, observed)
    assert law_sums.tail(known, observed).log == pytest.approx(-orders * math.log(10), abs=3)


def test_right_answers_of_one_item_are_hypergeometric():
    for a, b, right in [(4, 4, 5), (3, 7, 2), (64, 64, 100), (1, 1, 1), (5, 2, 0), (5, 2, 7)]:
        law = hypergeometric(a, b, right)
        expected = scipy.stats.hypergeom(a + b, right, a).logpmf(law.support)
        assert law.log_mass == pytest.approx(expected, abs=1e-11)


@settings(max_examples=40)
@given(values=st.lists(st.integers(-5, 9), min_size=1, max_size=8), data=st.data())
def test_sums_of_splits_against_listing(values, data):
    k = data.draw(st.integers(0, len(values)))
    law = split_sums(values, k)
    found = oracles.split_law(values, k)
    total = sum(found.values())
    assert law.support == tuple(sorted(found))
    assert [math.exp(x) for x in law.log_mass] == pytest.approx([found[s] / total for s in sorted(found)], rel=1e-13)


def test_sums_of_very_many_splits_are_counted_without_listing():
    """C(40, 20) is 1e11: graded answers by a dynamic programme, right-or-wrong ones in closed form."""
    rng = np.random.default_rng(1)
    graded = rng.integers(0, 6, 40).tolist()
    law = split_sums(graded, 20)
    mean = math.fsum(x * math.exp(mass) for x, mass in zip(law.support, law.log_mass, strict=True))
    assert mean == pytest.approx(sum(graded) / 2, rel=1e-13)
    assert math.fsum(map(math.exp, law.log_mass)) == pytest.approx(1, rel=1e-13)
    assert split_sums([0] * 25 + [1] * 15, 20) == hypergeometric(20, 20, 15)
    with pytest.raises(BudgetError):
        split_sums(rng.integers(0, 10**9, 40).tolist(), 20)


@pytest.mark.parametrize("n", [60, 3_000, 10**7])
def test_a_coin_is_a_law_like_any_other(n):
    """The general path has the digits of the path of flips, which sums of flips take."""
    observed = 2 * round(2.5 * math.sqrt(n))
    flips = lattice.tail(np.array([1]), np.array([n]), observed)
    general = law_sums._tail(LawSum.of({coin(1): n}), observed)  # the path that mixed laws take
    assert abs(math.expm1(general.log - flips.log)) <= 5e-11
    if n <= 3_000:
        assert law_sums.tail([coin(1)] * n, observed) == flips


def test_flips_of_several_sizes_beside_other_laws():
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 9, 40).tolist()
    law = oracles.convolved([*(((-d, d), (1, 1)) for d in sizes), oracles.hypergeometric(3, 3, 2)])
    for observed in (5, 40, 90):
        check_tail(law_sums.tail([*map(coin, sizes), hypergeometric(3, 3, 2)], observed), law, observed)


@pytest.mark.slow
@pytest.mark.parametrize("items", [25, 80])
def test_a_fine_lattice_is_sieved(items):
    """Scores of three decimals, many steps to an item: the sieve loses nothing, against one transform of the whole law."""
    rng = np.random.default_rng(items)
    known = [split_sums(rng.integers(0, 801, 6).tolist(), 3) for _ in range(items)]
    low = sum(law.support[0] for law in known)
    extent = sum(law.support[-1] - law.support[0] for law in known) + 1
    size = 1 << (extent - 1).bit_length()
    spectrum = np.ones(size // 2 + 1, dtype=complex)
    for law in known:
        masses = np.zeros(size)
        masses[np.array(law.support) - law.support[0]] = np.exp(law.log_mass)
        spectrum *= np.fft.rfft(masses)
    whole = np.fft.irfft(spectrum, size)[:extent]
    middle = float(np.arange(extent) @ whole)
    spread = math.sqrt(float((np.arange(extent) - middle) ** 2 @ whole))
    for z in (0.2, 3.0):
        observed = round(middle + z * spread)
        assert math.exp(law_sums.tail(known, low + observed).log) == pytest.approx(float(whole[observed:].sum()), rel=1e-9)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), z=st.sampled_from([0.3, 1.0, 2.5, 4.0]), points=st.sampled_from([300, 2_000]))
def test_bounds_hold_what_the_fine_lattice_says(seed, z, points):
    rng = np.random.default_rng(seed)
    known = [split_sums(rng.integers(0, 400, 4).tolist(), 2) for _ in range(int(rng.integers(3, 40)))]
    means = [math.fsum(x * math.exp(m) for x, m in zip(law.support, law.log_mass, strict=True)) for law in known]
    observed = round(sum(means) + z * 120 * math.sqrt(len(known)))
    exact, found = law_sums.tail(known, observed).log, law_sums.bounds(known, observed, points=points)
    assert found.lower <= exact + 1e-12
    assert exact <= found.upper + 1e-12


def test_bounds_are_narrow_where_no_lattice_serves():
    rng = np.random.default_rng(5)
    known = [split_sums(rng.integers(0, 10**15, 4).tolist(), 2) for _ in range(40)]
    means = sum(math.fsum(x * math.exp(m) for x, m in zip(law.support, law.log_mass, strict=True)) for law in known)
    observed = round(means + 2.2 * math.sqrt(40) * 3e14)
    with pytest.raises(BudgetError):
        law_sums.tail(known, observed)
    found = law_sums.bounds(known, observed, points=1 << 16)
    assert found.width < 0.05


def test_the_law_itself_is_that_of_the_tails():
    rng = np.random.default_rng(2)
    sizes = [(int(a), int(b), int(t)) for a, b in rng.integers(1, 6, (12, 2)) for t in rng.integers(0, a + b + 1, 1)]
    law = oracles.convolved([oracles.hypergeometric(*size) for size in sizes])
    points, mass = law_sums.pmf([hypergeometric(*size) for size in sizes])
    total = sum(law.values())
    assert mass == pytest.approx([law.get(int(s), 0) / total for s in points], abs=1e-15)
    assert mass.sum() == pytest.approx(1, abs=1e-13)


def test_thirty_items_of_sixty_four_runs_take_milliseconds():
    rng = np.random.default_rng(4)
    known = [hypergeometric(64, 64, int(t)) for t in rng.integers(20, 109, 30)]
    centre = Fraction(sum(law.support[0] + law.support[-1] for law in known), 2)
    times = []
    for _ in range(5):
        start = time.process_time()
        found = law_sums.two_sided(known, int(centre) + 60, centre)
        times.append(time.process_time() - start)
    assert 1e-12 < math.exp(found.log) < 1e-3
    assert min(times) < 0.05  # .01 s on an idle machine
