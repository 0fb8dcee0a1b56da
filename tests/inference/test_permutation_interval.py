"""Confidence intervals by inversion: subset means, certified limits, and one answer with the test."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles
from tests.inference.asking import codes_of

import outscore as osc
from outscore.core.metric import AdditiveMetric
from outscore.core.rows import PairedScores
from outscore.exact.numbers import to_exact_integers
from outscore.inference.base.question import TestRequest
from outscore.inference.permutation import inversion_interval, lower_limit, permutation
from outscore.results.pvalue import Interval, PValue

MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
SUM = AdditiveMetric("sum", ("score",), ratio=((1,), None))
# Hollander and Wolfe's depression scores, first minus second visit.
DEPRESSION = [0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010]


def invert(a, b, *, alpha=0.05, side="two-sided", clusters=None, metric=MEAN) -> tuple[PValue, Interval]:
    """p and interval of one design, nothing else of a comparison."""
    rows = [np.asarray(x, dtype=float)[:, None] for x in (a, b)]
    if len(metric.columns) == 2:
        rows = [np.hstack([x, np.ones_like(x)]) for x in rows]
    pairs = PairedScores(*rows, clusters=codes_of(clusters))
    p = permutation(pairs, metric, TestRequest(side, alpha=alpha))
    found = inversion_interval(pairs, metric, TestRequest(side, alpha=alpha), p)
    assert found is not None
    return p, found


def holds_zero(interval: Interval) -> bool:
    return (interval.low is None or interval.low <= 0) and (interval.high is None or interval.high >= 0)


def naive_limits(d, w, alpha) -> tuple[float | None, float | None]:
    low = oracles.subset_limit(d, w, alpha / 2)
    high = oracles.subset_limit([-x for x in d], w, alpha / 2)
    return None if low is None else float(low), None if high is None else -float(high)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize("n", [6, 9, 12])
def test_against_all_subset_means(n, alpha):
    rng = np.random.default_rng(n)
    for a in (rng.normal(0.3, 1, n), rng.integers(-3, 5, n), np.round(rng.normal(0, 1, n), 2)):
        written = to_exact_integers(np.asarray(a))
        d = [Fraction(x) for x in a.tolist()] if written is None else [Fraction(int(k), written[1]) for k in written[0][0]]
        _, found = invert(a, np.zeros(n), alpha=alpha)
        assert (found.low, found.high) == pytest.approx(naive_limits(d, [Fraction(1)] * n, alpha), rel=1e-14, abs=1e-15)
        assert found.method == "permutation inversion, exact"


def test_sixteen_units_against_all_subset_means():
    d = np.random.default_rng(16).integers(-40, 60, 16)
    expected = naive_limits([Fraction(int(x)) for x in d], [Fraction(1)] * 16, 0.05)
    _, found = invert(d, np.zeros(16))
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_clusters_of_unequal_size_against_all_subset_means(seed):
    """Units are Σd and their sizes: a limit is a mean over the items of some clusters."""
    rng = np.random.default_rng(seed)
    clusters = np.concatenate([np.arange(9), rng.integers(0, 9, 14)])
    d = rng.integers(-6, 9, 23)
    sums = [Fraction(int(d[clusters == g].sum())) for g in range(9)]
    sizes = [Fraction(int((clusters == g).sum())) for g in range(9)]
    _, found = invert(d, np.zeros(23), clusters=clusters)
    assert (found.low, found.high) == pytest.approx(naive_limits(sums, sizes, 0.05), rel=1e-14)


def test_depression_example():
    """Nine patients: [.09325, .77100]."""
    _, found = invert(DEPRESSION, [0.0] * 9)
    assert (found.low, found.high) == pytest.approx((0.09325, 0.77100), abs=1e-12)


def subset_limit_of_many(d: np.ndarray, alpha: float) -> float:
    """The k-th smallest subset mean over all 2^n subsets, by brute force in numpy."""
    sums, sizes = np.zeros(1), np.zeros(1)
    for x in d:
        sums, sizes = np.concatenate([sums, sums + x]), np.concatenate([sizes, sizes + 1])
    k = math.floor(alpha * len(sums))
    return float(np.partition(sums[1:] / sizes[1:], k - 1)[k - 1])


@pytest.mark.parametrize("n", [21, 22, *(pytest.param(n, marks=pytest.mark.slow) for n in (23, 24))])
def test_certified_limits_against_enumeration(n):
    """The reported end lies outside the enumerated limit, by no more than a thousandth of a standard error or so."""
    d = np.random.default_rng(n).normal(0.4, 1.0, n)
    error = d.std(ddof=1) / math.sqrt(n)
    for sample in (d, -d):
        exact = subset_limit_of_many(sample, 0.025)
        found = lower_limit(sample, np.ones(n), 0.025)
        assert found is not None
        assert found[0] <= exact <= found[1]
        assert found[1] - found[0] <= 0.003 * error


@pytest.mark.parametrize("n", [60, 2_000])
def test_certified_limits_are_where_the_test_turns(n):
    """Just outside the limit the shifted test rejects, just inside it does not."""
    d = np.random.default_rng(n).standard_t(3, n) + 0.1
    _, found = invert(d, np.zeros(n))
    error = d.std(ddof=1) / math.sqrt(n)
    for end, inwards in ((found.low, 1), (found.high, -1)):
        rejected, accepted = (
            osc.permutation_test(d, np.zeros(n), delta=end + step * inwards * error) for step in (-0.005, 0.005)
        )
        assert rejected.upper <= 0.05 < accepted.lower


@pytest.mark.parametrize("n", [1, 3, 5])
def test_few_units_leave_it_unbounded(n):
    """2^-5 > .025: with five units no difference can be rejected, with six it can."""
    _, few = invert(np.arange(1.0, n + 1), np.zeros(n))
    assert (few.low, few.high) == (None, None)
    _, six = invert(np.arange(1.0, 7.0), np.zeros(6))
    assert (six.low, six.high) == (1.0, 6.0)


@pytest.mark.parametrize("n", range(2, 12))
def test_bounded_from_the_first_level_that_can_reject(n):
    """2^-n itself rejects beyond the smallest difference; the next float below it never does."""
    d, w = np.arange(1.0, n + 1), np.ones(n)
    at, below = (lower_limit(d, w, level) for level in (2.0**-n, math.nextafter(2.0**-n, 0)))
    assert at is not None
    assert at[0] == 1.0
    assert below is None


values = st.one_of(
    st.lists(st.integers(-4, 5), min_size=2, max_size=12),
    st.lists(st.integers(-30, 40).map(lambda k: k / 10), min_size=2, max_size=12),
    st.lists(st.floats(-2, 3, width=16), min_size=2, max_size=12),
)


@settings(max_examples=120)
@given(d=values, alpha=st.sampled_from([0.05, 0.1, 0.25, 0.5, 0.0625]), side=st.sampled_from(["two-sided", "greater", "less"]))
def test_zero_is_inside_exactly_when_the_test_accepts(d, alpha, side):
    p, found = invert(d, [0.0] * len(d), alpha=alpha, side=side)
    assert found.dual
    assert holds_zero(found) == (p.upper > alpha)


@settings(max_examples=12)
@given(seed=st.integers(0, 2**32), n=st.integers(21, 45), kind=st.sampled_from(["normal", "decimal", "integer", "clusters"]))
def test_zero_is_inside_exactly_when_the_test_accepts_certified(seed, n, kind):
    """More units than can be listed; alpha set so that the decision at 0 is a close one."""
    rng = np.random.default_rng(seed)
    d = rng.normal(0.3, 1, n)
    d = np.round(d, 1) if kind == "decimal" else np.rint(3 * d) if kind == "integer" else d
    clusters = np.arange(n) % 25 if kind == "clusters" else None
    close = osc.permutation_test(d, np.zeros(n), clusters=clusters).value
    alpha = min(max(close * rng.choice([0.999, 1.0, 1.001]), 1e-4), 0.9)
    p, found = invert(d, np.zeros(n), alpha=alpha, clusters=clusters)
    assert holds_zero(found) == (p.upper > alpha)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), n=st.sampled_from([8, 15, 30]))
def test_swapping_mirrors_the_interval(seed, n):
    d = np.random.default_rng(seed).normal(0.2, 1, n)
    _, one = invert(d, np.zeros(n))
    _, other = invert(np.zeros(n), d)
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-9)


@pytest.mark.parametrize("side", ["greater", "less"])
def test_one_sided_intervals_have_one_end(side):
    d = np.random.default_rng(1).normal(0.2, 1, 12)
    _, both = invert(d, np.zeros(12), alpha=0.1)
    _, one = invert(d, np.zeros(12), alpha=0.05, side=side)
    assert (one.low, one.high) == ((both.low, None) if side == "greater" else (None, both.high))


@pytest.mark.parametrize("n", [10, 40])
def test_a_constant_difference(n):
    """A = B + .1 on every item: nothing but .1 is left, whether or not the floats agree in the last bit."""
    x = np.random.default_rng(n).random(n)
    for a, b in ((x + 0.1, x), (np.full(n, 0.1), np.zeros(n)), (np.full(n, 3), np.zeros(n))):
        _, found = invert(a, b)
        assert (found.low, found.high) == pytest.approx((a[0] - b[0], a[0] - b[0]), abs=1e-12)


@pytest.mark.parametrize("n", [10, 40])
def test_identical_systems(n):
    p, found = invert(np.ones(n), np.ones(n))
    assert p.value == 1.0
    assert (found.low, found.high) == (0.0, 0.0)


def test_interval_of_a_sum_is_n_times_that_of_the_mean():
    d = np.random.default_rng(2).integers(-3, 6, 14)
    _, mean = invert(d, np.zeros(14))
    _, total = invert(d, np.zeros(14), metric=SUM)
    assert (total.low, total.high) == pytest.approx((14 * mean.low, 14 * mean.high))


@pytest.mark.parametrize("extra", [0, 20])
def test_units_without_weight_are_no_trouble(extra):
    """Errors on a reference of length 0: no δ can explain them, so they never leave a subset's sum."""
    a = np.array([[2, 0], [1, 5], [3, 3], [0, 2], [3, 4], [2, 5], [2, 4], [3, 4]] + [[1, 3]] * extra)
    b = np.array([[1, 0], [0, 5], [1, 3], [1, 2], [2, 4], [1, 5], [2, 4], [0, 4]] + [[0, 3]] * extra)
    p = osc.permutation_test(a, b, metric="error-rate")
    metric = AdditiveMetric("error-rate", ("errors", "length"), ratio=((1, 0), (0, 1)), direction="lower")
    found = inversion_interval(PairedScores(a, b), metric, TestRequest(), p)
    assert found is not None
    assert holds_zero(found) == (p.upper > 0.05)


def test_a_curved_metric_has_none():
    f1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))
    rng = np.random.default_rng(0)
    pairs = PairedScores(*rng.integers(0, 4, (2, 12, 2)))
    assert inversion_interval(pairs, f1, TestRequest(), permutation(pairs, f1, TestRequest())) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "n"),
    [
        (lambda rng, n: rng.normal(size=n), 12),
        (lambda rng, n: rng.standard_t(2, n), 15),
        (lambda rng, n: rng.integers(-3, 4, n), 18),
        (lambda rng, n: rng.laplace(size=n), 28),
    ],
    ids=["normal", "heavy tails", "integers", "laplace"],
)
def test_coverage_on_symmetric_data(draw, n):
    """At least 95% within the error of 1,500 draws; more where the data are discrete."""
    rng = np.random.default_rng(95)
    centre, draws = 0.7, 1_500
    covered = 0
    for _ in range(draws):
        _, found = invert(draw(rng, n) + centre, np.zeros(n))
        covered += found.low <= centre <= found.high
    assert covered / draws >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / draws)
    assert covered / draws <= 0.985
