"""Divisions of numbers between two samples: the kernel against all divisions, counted."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.variants import a_few

from outscore.exact import splits
from outscore.exact.flipsum import BudgetError


def _shares(numbers: list[int], chosen: int, observed: int) -> tuple[Fraction, Fraction, Fraction]:
    """P(S ≥ o), P(S = o) and P(|S - ES| ≥ |o - ES|), by listing every division."""
    sums = [sum(part) for part in itertools.combinations(numbers, chosen)]
    centre = Fraction(chosen * sum(numbers), len(numbers))
    beyond = sum(abs(s - centre) >= abs(observed - centre) for s in sums)
    return (
        Fraction(sum(s >= observed for s in sums), len(sums)),
        Fraction(sums.count(observed), len(sums)),
        Fraction(beyond, len(sums)),
    )


@given(st.lists(st.integers(-9, 9), min_size=2, max_size=10), st.integers(1, 9), st.integers(1, 4), st.integers(-2, 2))
@settings(max_examples=60, deadline=None)
def test_few_numbers_are_counted(numbers: list[int], chosen: int, step: int, off: int) -> None:
    chosen = min(chosen, len(numbers) - 1)
    numbers = [step * x for x in numbers]
    observed = sum(numbers[:chosen]) + off
    upper, atom, both = _shares(numbers, chosen, observed)
    found, sides = splits.tail(np.array(numbers), chosen, observed), splits.two_sided(np.array(numbers), chosen, observed)
    assert math.exp(found.log) == pytest.approx(float(upper), rel=1e-13, abs=0)
    assert math.exp(found.log_atom) == pytest.approx(float(atom), rel=1e-13, abs=0)
    assert math.exp(sides.log) == pytest.approx(float(both), rel=1e-13, abs=0)


def test_fourteen_numbers() -> None:
    stream = np.random.default_rng(14)
    for chosen in (5, 7):
        numbers = stream.integers(0, 100, 14).tolist()
        observed = sum(numbers[:chosen])
        found = splits.two_sided(np.array(numbers), chosen, observed)
        assert math.exp(found.log) == pytest.approx(float(_shares(numbers, chosen, observed)[2]), rel=1e-13)


@pytest.mark.parametrize("z", [0.1, 2.0, 7.0])
@pytest.mark.parametrize(("n", "chosen", "width"), [(190, 70, 12), (420, 130, 9)])
def test_one_row_of_the_plane_equals_the_count(n: int, chosen: int, width: int, z: float) -> None:
    """With the sieve of the plane, and with the one for many numbers."""
    numbers = np.sort(np.random.default_rng(n).integers(0, width, n))
    numbers -= numbers[0]
    spread = float(numbers.std()) * math.sqrt(chosen * (n - chosen) / (n - 1))
    observed = round(chosen * float(numbers.mean()) + z * spread)
    counted, found = splits._counted(numbers, chosen, observed), splits._row_tail(numbers, chosen, observed)
    assert found.log == pytest.approx(counted.log, rel=1e-12)
    assert found.log_atom == pytest.approx(counted.log_atom, rel=1e-12)


def test_tails_about_the_middle_and_at_the_ends_of_many_numbers() -> None:
    numbers = np.random.default_rng(5).integers(0, 1000, 900)
    ascending = np.sort(numbers)
    middle = round(300 * float(numbers.mean()))
    below, above = splits.tail(numbers, 300, middle - 40), splits.tail(-numbers, 300, 41 - middle)
    assert math.exp(below.log) + math.exp(above.log) == pytest.approx(1, rel=1e-12)
    top = int(ascending[600:].sum())
    equal, taken = int((numbers == ascending[600]).sum()), int((ascending[600:] == ascending[600]).sum())
    ways = math.log(math.comb(equal, taken)) - math.log(math.comb(900, 300))
    assert splits.tail(numbers, 300, top).log == pytest.approx(ways, rel=1e-13)
    assert splits.tail(numbers, 300, top + 1).log == -math.inf
    assert splits.tail(numbers, 300, int(ascending[:300].sum())).log == 0.0


def test_a_tail_below_the_middle_is_what_the_count_says() -> None:
    """Most numbers are near the largest, so that their distances from it are quickly counted."""
    numbers = np.concatenate([[0], np.random.default_rng(8).integers(900, 1000, 198), [1010]])
    observed = round(20 * float(numbers.mean())) - 60
    found, counted = splits.tail(numbers, 20, observed), splits._counted(np.sort(numbers), 20, observed)
    assert math.exp(found.log) == pytest.approx(math.exp(counted.log), rel=1e-12)
    assert found.log_atom == pytest.approx(counted.log_atom, rel=1e-12)


@pytest.mark.parametrize(("n_a", "n_b", "right", "observed"), [(10, 30, 30, 10), (700, 900, 800, 420), (700, 900, 800, 340)])
def test_right_or_wrong_is_hypergeometric(n_a: int, n_b: int, right: int, observed: int) -> None:
    import scipy.stats

    law = scipy.stats.hypergeom(n_a + n_b, right, n_a)
    found = splits.tail(np.array([1] * right + [0] * (n_a + n_b - right)), n_a, observed)
    assert math.exp(found.log) == pytest.approx(float(law.sf(observed - 1)), rel=1e-9)
    assert math.exp(found.log_atom) == pytest.approx(float(law.pmf(observed)), rel=1e-9)


@pytest.mark.parametrize(("n", "chosen"), a_few([(24, 12), (50, 15), (250, 100), (500, 250)], 2))
def test_bounds_enclose_the_tail_of_real_numbers(n: int, chosen: int) -> None:
    stream = np.random.default_rng(n)
    whole = stream.integers(0, 40 if n < 300 else 5_000, n)
    fine = 10**9 * whole + stream.integers(0, 3, n)
    spread = float(whole.std()) * math.sqrt(chosen * (n - chosen) / (n - 1))
    observed = round(chosen * float(whole.mean()) + 1.8 * spread)
    exact = splits.tail(whole, chosen, observed).log
    found = splits.bounds(fine, chosen, 10**9 * observed)
    assert found.lower <= exact <= found.upper
    # On so coarse numbers the ties themselves are a good part of the tail.
    assert found.upper - found.lower < (0.25 if n < 300 else 0.002)


def test_few_numbers_far_apart_are_refused() -> None:
    with pytest.raises(BudgetError):
        splits.tail(np.random.default_rng(0).integers(0, 2**50, 120), 60, 2**55)
