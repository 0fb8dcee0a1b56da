"""Integer sign flips in the plane: F1 and its family against counting in big integers, tilted or not."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles
from tests.variants import a_few

import outscore as osc
from outscore.exact import plane
from outscore.exact.plane import GridRegion, RatioRegion

F1 = oracles.ratio((2, 0), (2, 1))


def f1_rows(seed: int, n: int, lead: float) -> tuple[np.ndarray, np.ndarray]:
    """(tp, errors) rows in which A is ahead on a share of the items and behind on a few."""
    rng = np.random.default_rng(seed)
    b = np.stack([rng.integers(0, 3, n), rng.integers(0, 3, n)], axis=1)
    better = rng.random((n, 1)) < lead
    a = b + np.where(better, np.stack([rng.integers(0, 3, n), -rng.integers(0, b[:, 1] + 1)], axis=1), 0)
    worse = rng.random((n, 1)) < 0.1 * (1 - lead) + 0.01
    return np.where(worse, b + np.array([0, 1]), a), b


def log_exact(a: np.ndarray, b: np.ndarray, score=F1) -> float:
    """log of the two-sided p in big integers."""
    return math.log(2 * oracles.curved_count(a.tolist(), b.tolist(), score)) - len(a) * math.log(2)


@pytest.mark.parametrize(("n", "lead"), a_few([(30, 0.2), (40, 0.3), (60, 0.6), (80, 0.8), (130, 1.0)], 2))
def test_f1_against_big_integers(n, lead):
    """Relative error 1e-8 or better from p of a half down to below 1e-25."""
    a, b = f1_rows(n, n, lead)
    p = osc.permutation_test(a, b, metric="f1")
    exact = log_exact(a, b)
    assert p.kernel == "plane"
    assert abs(math.expm1(p.log10 * math.log(10) - exact)) <= 1e-8
    if lead == 1.0:
        assert exact < -25 * math.log(10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_f1_against_big_integers_in_many_cases(seed):
    rng = np.random.default_rng(seed)
    a, b = f1_rows(seed, int(rng.integers(21, 110)), rng.random())
    p = osc.permutation_test(a, b, metric="f1")
    if p.kernel == "plane":
        assert abs(math.expm1(p.log10 * math.log(10) - log_exact(a, b))) <= 1e-8


@pytest.mark.parametrize(
    ("metric", "score"),
    a_few(
        [
            ("jaccard", oracles.ratio((1, 0, 0), (1, 1, 1))),
            ("precision", oracles.ratio((1, 0, 0), (1, 1, 0))),
            ("recall", oracles.ratio((1, 0, 0), (1, 0, 1))),
            ("fbeta:beta=1/2", oracles.ratio((5, 0, 0), (5, 4, 1))),
            ("f1", oracles.ratio((2, 0, 0), (2, 1, 1))),
        ],
        2,
    ),
)
def test_unequal_gold_against_big_integers(metric, score):
    """tp + fn differs between the systems on most items; nothing may assume the same gold."""
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 3, (15, 3)), rng.integers(0, 3, (15, 3))
    a[:, 0] += rng.integers(0, 2, 15)
    assert ((a[:, 0] + a[:, 2]) != (b[:, 0] + b[:, 2])).mean() > 0.5
    p = osc.permutation_test(a, b, metric=metric)
    assert p.kernel == "plane"
    assert p.value == pytest.approx(math.exp(log_exact(a, b, score)), rel=1e-9)


@pytest.mark.parametrize("n", [25, 60, 200, 1100])
def test_every_item_favours_one_system(n):
    """The observed point is a corner of the hull, where an unridged tilt diverges: only it and its mirror count."""
    rng = np.random.default_rng(n)
    b = np.stack([rng.integers(0, 3, n), rng.integers(1, 4, n)], axis=1)
    step = np.stack([rng.integers(1, 4, n), -np.ones(n, dtype=int)], axis=1)
    p = osc.permutation_test(b + step, b, metric="f1")
    assert p.kernel == "plane"
    assert p.log10 == pytest.approx((1 - n) * math.log10(2), rel=1e-9)


def test_monte_carlo_agrees_at_ten_thousand_items():
    """Ten seeds: at least nine of ten 99 % bounds hold the exact value."""
    rng = np.random.default_rng(14)
    gold = rng.integers(0, 6, 10_000)
    found = (rng.binomial(gold, 0.8) for _ in "ab")
    a, b = (np.stack([tp, rng.poisson(0.5, 10_000), gold - tp], axis=1) for tp in found)
    exact = osc.permutation_test(a, b, metric="f1")
    assert exact.kernel == "plane"
    assert 0.01 < exact.value < 0.9
    sampled = [osc.permutation_test(a, b, metric="f1", method="monte-carlo", resamples=999, seed=seed) for seed in range(10)]
    assert sum(p.lower <= exact.value <= p.upper for p in sampled) >= 9


@pytest.mark.parametrize("n", [4, 7])
def test_four_variables_of_the_papers(n):
    """F1 as published: a joint law of both systems' tp and errors, four columns, by dynamic programming."""
    rng = np.random.default_rng(n)
    a, b = rng.integers(0, 4, (n, 2)), rng.integers(0, 4, (n, 2))

    def f1(tp, errors):
        return np.where(2 * tp + errors > 0, 2 * tp / np.maximum(2 * tp + errors, 1), 0.0)

    def h(tp_a, errors_a, tp_b, errors_b):
        return np.abs(f1(tp_a, errors_a) - f1(tp_b, errors_b))

    observed = float(h(*a.sum(axis=0), *b.sum(axis=0)))
    stay, swap = np.hstack([a, b]), np.hstack([b, a])
    published = osc.null_distribution(stay, swap, method="dp").probability(h, observed)
    assert osc.permutation_test(a, b, metric="f1").value == pytest.approx(published, rel=1e-12)
    # The same question through the rank reduction: two axes, four columns for h.
    assert osc.null_distribution(stay, swap).probability(h, observed) == pytest.approx(published, rel=1e-12)


@pytest.mark.parametrize(("first", "second"), [([2, 0], [1, 1]), ([1, 3], [3, 1]), ([1, 1], [4, 4])])
def test_flips_along_one_line(first, second):
    """Rank 1: every item moves (tp, errors) along one vector, by one step or by several."""
    rng = np.random.default_rng(0)
    times = rng.integers(1, 4, (26, 1))
    favours = rng.random((26, 1)) < 0.7
    a = np.where(favours, times * first, times * second)
    b = np.where(favours, times * second, times * first)
    a[0], b[0] = [5, 2], [5, 2]
    p = osc.permutation_test(a, b, metric="f1")
    assert p.kernel == "lattice"
    assert p.value == pytest.approx(math.exp(log_exact(a, b)), rel=1e-11)


def test_one_constant_column():
    """Errors never differ: the flips have one axis although the score needs two columns."""
    rng = np.random.default_rng(2)
    errors = rng.integers(0, 3, 30)
    a, b = (np.stack([rng.integers(0, 4, 30), errors], axis=1) for _ in "ab")
    p = osc.permutation_test(a, b, metric="f1")
    assert p.kernel == "lattice"
    assert p.value == pytest.approx(math.exp(log_exact(a, b)), rel=1e-11)


def test_totals_of_zero():
    """No true positive anywhere: every F1 is 0 by convention, no swap changes it."""
    rng = np.random.default_rng(4)
    a, b = (np.stack([np.zeros(30, dtype=int), rng.integers(0, 4, 30)], axis=1) for _ in "ab")
    assert osc.permutation_test(a, b, metric="f1").value == 1.0
    assert osc.permutation_test(a, b, metric="f1", alternative="greater").value == 1.0


def test_a_denominator_that_swaps_can_empty():
    """All of B's counts are zero on every item, so some swaps leave a system without a denominator."""
    a = np.array([[1, 1]] * 5 + [[2, 0]] * 18 + [[0, 3]] * 3)
    b = np.zeros_like(a)
    p = osc.permutation_test(a, b, metric="f1")
    assert p.value == pytest.approx(math.exp(log_exact(a, b)), rel=1e-9)


@settings(max_examples=12)
@given(seed=st.integers(0, 2**32))
def test_item_order_and_swapping_never_matter(seed):
    """Bit for bit, since only the histogram of the flips enters."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 4, (30, 3)), rng.integers(0, 4, (30, 3))
    order = rng.permutation(30)
    first = osc.permutation_test(a, b, metric="f1")
    assert osc.permutation_test(a[order], b[order], metric="f1") == first
    mirrored = osc.permutation_test(b, a, metric="f1")
    assert (mirrored.value, mirrored.mid) == (first.value, first.mid)


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_pmf_against_counting(seed):
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-3, 4, (8, 2))
    values, counts = plane.histogram(vectors)
    if np.linalg.matrix_rank(values) < 2:
        return
    points, mass = plane.pmf(values, counts)
    law = oracles.whole_law(vectors.tolist())
    found = {tuple(point): m for point, m in zip(points.tolist(), mass.tolist(), strict=True)}
    moving = int(vectors.any(axis=1).sum())
    assert set(law) <= set(found)
    assert all(found[s] == pytest.approx(law.get(s, 0) / 2**8, abs=1e-14) for s in found)
    assert sum(law.values()) == 2**8
    assert counts.sum() == moving


@pytest.mark.parametrize("size", [5, 2**40])
def test_histogram_joins_opposite_vectors(size):
    """v and -v are the same coin, for small entries and for ones too wide to pack into one key."""
    vectors = size * np.array([[1, -2], [-1, 2], [0, 3], [0, -3], [0, 0], [2, 0], [1, -2]])
    values, counts = plane.histogram(vectors)
    found = {tuple(v): c for v, c in zip((values // size).tolist(), counts.tolist(), strict=True)}
    assert found == {(1, -2): 3, (0, 3): 2, (2, 0): 1}


@settings(max_examples=60)
@given(
    top=st.integers(0, 60),
    bottom=st.integers(1, 60),
    threshold=st.fractions(0, 1, max_denominator=40),
    across=st.integers(1, 3),
    shear=st.integers(-3, 3),
    along=st.integers(1, 3),
)
def test_closed_edges_against_every_point(top, bottom, threshold, across, shear, along):
    """The rational edge of each row, ties included, against scores of every point in fractions."""
    region = RatioRegion(top, bottom, threshold, across, shear, along)

    def excess(s1: int, s2: int) -> Fraction:
        p, q = across * s1 + shear * s2, along * s2
        plus = Fraction(top + p, bottom + q) if bottom + q else Fraction(0)
        minus = Fraction(top - p, bottom - q) if bottom - q else Fraction(0)
        return plus - minus - threshold

    # Rows that leave both denominators at 0 or more, as totals of counts do.
    reach = bottom // along
    rows = np.arange(-reach, reach + 1)
    first, points = -31, 32
    inside, ties = region.runs(rows, first, points)
    found = {(int(r), int(i)) for r, s, c in zip(inside.row, inside.start, inside.count, strict=True) for i in range(s, s + c)}
    tied = {(int(r), int(i)) for r, s, c in zip(ties.row, ties.start, ties.count, strict=True) for i in range(s, s + c)}
    gaps = {(r, i): excess(first + 2 * i, int(s2)) for r, s2 in enumerate(rows) for i in range(points)}
    assert found == {place for place, gap in gaps.items() if gap >= 0}
    assert tied == {place for place, gap in gaps.items() if gap == 0}


def test_grid_region_reads_runs_off_a_mask():
    """Regions of any shape, here a ring: two runs in the rows it crosses twice."""
    region = GridRegion(
        classify=lambda x, y: (x * x + y * y >= 100, x * x + y * y == 100), excess=lambda x, _: x - 1.0, extent=20.0
    )
    rows = np.array([-10, 0, 6])
    inside, ties = region.runs(rows, -20, 21)
    found, tied = (list(zip(runs.row, runs.start, runs.count, strict=True)) for runs in (inside, ties))
    assert found == [(0, 0, 21), (1, 0, 6), (1, 15, 6), (2, 0, 7), (2, 14, 7)]
    assert tied == [(0, 10, 1), (1, 5, 1), (1, 15, 1), (2, 6, 1), (2, 14, 1)]
    assert region.boundary(np.array([0.0])) == pytest.approx([1.0])
