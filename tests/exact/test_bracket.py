"""Certified bounds for real numbers: they hold the exact value, always, and are narrow by default."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from tests import oracles
from tests.variants import a_few, crossed

import outscore as osc
from outscore.exact import bracket, lattice
from outscore.inference.base import question
from outscore.inference.base.question import TestRequest


@pytest.fixture(scope="module", params=["counted", "polynomials"], autouse=True)
def way(request):
    """Few flips are counted on a grid; where none may be, they are bounded by polynomials as many are."""
    before = bracket.MAX_COUNTED
    bracket.MAX_COUNTED = before if request.param == "counted" else 0
    yield request.param
    bracket.MAX_COUNTED = before


LOG2 = math.log(2.0)
SIDES = ("two-sided", "greater", "less")


def draw(rng: np.random.Generator) -> np.ndarray:
    """Differences of every kind: smooth, heavy-tailed, of mixed scales, with ties and zeros."""
    n = int(rng.integers(1, 17))
    kind = rng.integers(5)
    d = rng.normal(size=n)
    if kind == 1:
        d = rng.standard_t(1.2, size=n)
    elif kind == 2:
        d = d * 10.0 ** rng.integers(-2, 3, n)
    elif kind == 3:
        d = np.abs(rng.choice(rng.normal(size=3), n))
    elif kind == 4:
        d = np.where(rng.random(n) < 0.3, 0.0, rng.exponential(size=n))
    # Signs only: arithmetic would round, and a sum that ties but for rounding is a tie to the test and none to fractions.
    return np.abs(d) * np.where(rng.random(n) < rng.choice([0.5, 0.8, 1.0]), 1, -1)


def shares(d: np.ndarray) -> dict[str, Fraction]:
    """The three p-values, counted in exact fractions of the given floats."""
    values = [Fraction(x) for x in d.tolist()]
    observed, whole = sum(values), 2 ** len(values)
    return {
        "two-sided": min(Fraction(2 * oracles.real_count(values, abs(observed)), whole), Fraction(1)),
        "greater": Fraction(oracles.real_count(values, observed), whole),
        "less": Fraction(oracles.real_count(values, -observed), whole),
    }


def check_bounds(seed: int, cases: int, width: float) -> None:
    rng = np.random.default_rng(seed)
    for case in range(cases):
        d, side = draw(rng), SIDES[case % 3]
        observed = math.fsum(d.tolist())
        sign, request = int(np.sign(observed)), TestRequest(alternative=side)
        ties = side == "two-sided" or request.favours(sign)
        p = question.certified_p(bracket.bounds(d, abs(observed), ties=ties, width=width), sign, request)
        assert Fraction(p.lower) <= shares(d)[side] <= Fraction(p.upper), (d.tolist(), side)
        assert p.lower <= p.value <= p.upper


@pytest.mark.parametrize(
    ("seed", "cases"),
    [*((seed, 33) for seed in range(2)), *(pytest.param(seed, 100, marks=pytest.mark.slow) for seed in range(10))],
)
def test_bounds_hold_the_exact_value(seed, cases, monkeypatch):
    """No tolerance anywhere. Bounds of any degree must hold, and low degrees are quick."""
    monkeypatch.setattr(bracket, "LAST_DEGREE", 30_000)
    check_bounds(seed, cases, width=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1_000, 1_010))
def test_narrow_bounds_hold_the_exact_value(seed):
    check_bounds(seed, cases=100, width=0.005)


@pytest.mark.parametrize("side", a_few(SIDES, 2))
def test_the_whole_test_holds_the_exact_value(side):
    """The same through the front door, at the default width."""
    rng = np.random.default_rng([77, SIDES.index(side)])
    for _ in range(5):
        d = draw(rng)
        p = osc.permutation_test(d, np.zeros_like(d), alternative=side, method="certified")
        assert Fraction(p.lower) <= shares(d)[side] <= Fraction(p.upper), d.tolist()


def test_sums_that_differ_by_rounding_only_are_ties():
    """Half and one and a half times a size: three halves against one sum to the same but for the last bit, and count."""
    x = 1.487644239755298
    d = np.array([0.5 * x, 0.5 * x, 0.5 * x, 1.5 * x, -1.5 * x, 0.7 * x])
    p = osc.permutation_test(d, np.zeros(6), method="certified")
    expected, _ = oracles.brute_force([[5], [5], [5], [15], [-15], [7]], [[0]] * 6, lambda s: s[0], "two-sided")
    assert p.lower <= float(expected) <= p.upper
    assert osc.permutation_test(d, np.zeros(6)).value == float(expected)


@pytest.mark.parametrize("scale", [1e-120, 1e-3, 1.0, 1e9, 1e120])
def test_scale_does_not_matter(scale):
    """The same data in other units: the same bounds up to rounding, without over- or underflow."""
    d = np.random.default_rng(1).normal(0.1, 1.0, 300)
    one, other = (osc.permutation_test(d * s, np.zeros(300)) for s in (1.0, scale))
    assert other.method == "certified"
    assert other.value == pytest.approx(one.value, rel=0.005)


@pytest.mark.parametrize("shift", [0.0, 0.01, 0.02, 0.05])
def test_default_width_at_twenty_thousand_items(shift):
    """Half a per cent, for p of any size (down to 1e-10 here)."""
    d = np.random.default_rng(2).normal(shift, 1.0, 20_000)
    p = osc.permutation_test(d, np.zeros_like(d))
    assert p.method == "certified"
    assert p.upper <= 1.005 * p.lower


@pytest.mark.parametrize("z", [0.5, 3.0, 8.0, 15.0, 25.0, 36.9])
def test_tilted_bounds_hold_the_lattice_value(z):
    """Integers given as reals, down to 1e-299: the lattice knows the answer."""
    sizes = np.random.default_rng(7).integers(1, 200, 4_000)
    observed = round(z * math.sqrt(float((sizes**2).sum())))
    observed += (observed - int(sizes.sum())) % 2
    exact = lattice.tail(*lattice.histogram(sizes), observed).log
    # Half-way to the point below nothing ties.
    found = bracket.bounds(sizes.astype(float), observed - 1.0)
    assert found.lower <= exact <= found.upper
    assert found.width <= 0.005
    if z > 36:
        assert exact < -298 * math.log(10)


def test_certified_on_integers_agrees_with_the_lattice():
    """method="certified" on data the lattice serves: bounds half-way between lattice points are not widened by ties."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 6, (2, 500))
    exact = osc.permutation_test(a, b, method="exact")
    found = osc.permutation_test(a, b, method="certified")
    assert found.lower <= exact.value <= found.upper <= 1.005 * found.lower


def test_tied_reals_stall_and_say_so():
    """Three irrational sizes many times over: rounding hides on which side of o the many ties lie, so bounds stay apart."""
    sizes = np.repeat([math.pi, math.e, math.sqrt(2)], 20)
    signs = np.where(np.arange(60) % 5 > 1, 1, -1)
    observed = math.fsum((signs * sizes).tolist())
    found = bracket.bounds(sizes, observed)
    plus = [int((signs.reshape(3, 20)[i] > 0).sum()) for i in range(3)]
    target = [2 * k - 20 for k in plus]
    units = (math.pi, math.e, math.sqrt(2))
    ways = tied = 0
    for i in range(21):
        for j in range(21):
            for k in range(21):
                there = [2 * x - 20 for x in (i, j, k)]
                count = math.comb(20, i) * math.comb(20, j) * math.comb(20, k)
                gap = math.fsum((t - o) * u for t, o, u in zip(there, target, units, strict=True))
                tied += count * (there == target)
                ways += count * (gap > 1e-9 or there == target)
    exact = math.log(ways) - 60 * LOG2
    assert found.lower <= exact <= found.upper
    assert found.width > 0.5 * tied / ways
    # The whole test counts the ties: written once as floats, equal sums of equal floats.
    p = osc.permutation_test(signs * sizes, np.zeros(60))
    assert p.lower <= 2 * math.exp(exact) <= p.upper


@pytest.mark.parametrize("n", [50, 3000])
def test_unanimous_reals(n):
    """Every difference positive: 2^(1-n), below the smallest float at n = 3,000."""
    d = np.random.default_rng(n).random(n) + 0.5
    p = osc.permutation_test(d, np.zeros(n), method="certified")
    assert p.log10 == pytest.approx((1 - n) * math.log10(2), rel=1e-12)
    assert p.lower <= p.value <= p.upper


@pytest.mark.parametrize("ties", [True, False])
def test_edges_of_the_range(ties):
    d = np.array([1.0, 2.0, 4.0])
    assert bracket.bounds(d, 7.5, ties=ties).upper == -math.inf
    assert bracket.bounds(d, 0.0, ties=True) == bracket.HALF
    assert bracket.bounds(np.zeros(2), 0.0, ties=ties).upper == (0.0 if ties else -math.inf)
    assert bracket.bounds(np.zeros(2), 1.0, ties=ties).upper == -math.inf


def test_a_level_inside_the_bounds_is_settled():
    """When alpha lies between the default bounds they are narrowed until it does not."""
    d = np.random.default_rng(9).normal(0.08, 1.0, 1_500)
    plain = osc.permutation_test(d, np.zeros_like(d))
    level = plain.lower + 0.1 * (plain.upper - plain.lower)
    assert plain.lower < level < plain.upper
    decided = osc.compare(d, np.zeros_like(d), alpha=level).p
    assert decided.lower > level
    assert plain.lower <= decided.lower
    assert decided.upper <= plain.upper


def test_wide_bounds_far_out_hold_what_narrow_ones_do():
    """A ranking asks for a quarter where p is far below what matters: less of the law is looked at, and they still hold."""
    rng = np.random.default_rng(5)
    for ahead in (0.62, 0.75, 0.9):
        # As graded answers are: many of few sizes, and some of their own.
        sizes = np.concatenate([rng.choice([1.0, 0.5, 1 / 3, 1 / 7], 300), rng.random(60)])
        observed = float((sizes * np.where(rng.random(len(sizes)) < ahead, 1, -1)).sum())
        narrow, wide = bracket.bounds(sizes, observed), bracket.bounds(sizes, observed, width=0.25, most=2_000)
        assert wide.lower <= narrow.upper
        assert narrow.lower <= wide.upper
        assert wide.lower < wide.upper
        assert wide.width < 0.5


@pytest.mark.parametrize(("far", "ahead"), crossed([1, 2, 3], [0.3, 0.6]))
def test_outliers_leave_the_bounds_narrow(far, ahead):
    """A few sizes that dwarf all others: all signs of them, and the law of the others written out."""
    rng = np.random.default_rng(far)
    small, large = rng.random(14) + 0.1, 1_000.0 * 10.0 ** np.arange(far) * (1 + rng.random(far))
    sizes = rng.permutation(np.concatenate([small, large]))
    assert bracket._outliers(np.sort(sizes)) == far
    sums = np.array(list(itertools.product([1, -1], repeat=len(sizes)))) @ sizes
    for observed in (float(large.sum()) + ahead * float(small.sum()), float(large[0]) - ahead * float(small.sum())):
        exact = math.log((sums >= observed).mean())
        found = bracket.bounds(sizes, observed)
        assert found.lower <= exact <= found.upper
        assert found.width <= bracket.WIDTH


@pytest.mark.parametrize("below", [1e-12, 1e-14, 4e-16])
def test_a_grid_is_no_finer_than_floats(below):
    """Next to the largest sum there is hardly anything to count, and bounds that nothing satisfies must end all the same."""
    sizes = np.random.default_rng(3).random(60)
    total = math.fsum(sizes)
    found = bracket._count(sizes, total * (1 - below), total, bracket._Aim(1e-300, None, 64))
    assert found.lower <= -60 * math.log(2) + 1e-12
    assert found.upper >= -60 * math.log(2) - 1e-12
