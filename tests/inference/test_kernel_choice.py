"""Which kernel serves which data, and that all of them agree with sampling, scipy and the published algorithm."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import outscore as osc

SIDES = ("two-sided", "greater", "less")


def counts(rng, n, top=4):
    return rng.integers(0, top, (n, 3))


CASES = {
    "binomial": lambda rng: (rng.integers(0, 2, 200), rng.integers(0, 2, 200), "mean"),
    "lattice": lambda rng: (rng.integers(0, 9, 200), rng.integers(0, 9, 200), "mean"),
    "meet-in-the-middle": lambda rng: (rng.normal(size=30), rng.normal(size=30), "mean"),
    "bracket": lambda rng: (rng.normal(size=90), rng.normal(size=90), "mean"),
    "two-binomials": lambda rng: (*(osc.confusion(np.arange(150) % 2, rng.integers(0, 2, 150)) for _ in "ab"), "mcc"),
    "plane": lambda rng: (counts(rng, 200), counts(rng, 200), "f1"),
    "enumeration": lambda rng: (rng.integers(0, 4, (12, 4)), rng.integers(0, 4, (12, 4)), "kappa"),
    "sign-flips:9999": lambda rng: (rng.integers(0, 4, (60, 4)), rng.integers(0, 4, (60, 4)), "kappa"),
}


@pytest.mark.parametrize("kernel", CASES)
def test_each_kernel_serves_its_data(kernel):
    a, b, metric = CASES[kernel](np.random.default_rng(7))
    p = osc.permutation_test(a, b, metric=metric)
    assert p.kernel == kernel
    assert p.lower <= p.value <= p.upper
    # Sampling is the judge of all others, to four of its standard errors.
    sampled = osc.permutation_test(a, b, metric=metric, method="monte-carlo", seed=1).value
    room = 4 * math.sqrt(sampled * (1 - sampled) / 9_999) + 1e-4
    assert p.lower - room <= sampled <= p.upper + room


@pytest.mark.parametrize("kernel", ["binomial", "lattice", "two-binomials", "plane"])
def test_order_of_items_changes_no_bit(kernel):
    rng = np.random.default_rng(9)
    a, b, metric = CASES[kernel](rng)
    shuffled = rng.permutation(len(a))
    assert osc.permutation_test(a, b, metric=metric) == osc.permutation_test(a[shuffled], b[shuffled], metric=metric)


@pytest.mark.parametrize("kernel", CASES)
def test_identical_systems_and_one_differing_item(kernel):
    a, _, metric = CASES[kernel](np.random.default_rng(10))
    b = a.copy()
    for method in ("auto", "monte-carlo"):
        assert osc.permutation_test(a, b, metric=metric, method=method).value == 1.0
    b[0] = a[1] if (a[1] != a[0]).any() else a[0] + 1
    b = np.where(np.arange(len(a))[(...,) + (None,) * (a.ndim - 1)] == 0, b, a)
    assert osc.permutation_test(a, b, metric=metric).value == 1.0


@pytest.mark.parametrize("n", [60, 5_000])
def test_unanimous_binary_items(n):
    p = osc.permutation_test(np.ones(n, int), np.zeros(n, int))
    assert p.log10 == pytest.approx((1 - n) * math.log10(2), rel=1e-12)
    if n == 5_000:
        assert (p.value, p.lower) == (5e-324, 0.0)
    else:
        assert p.value == pytest.approx(2.0**-59, rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_binary_items_against_the_binomial(seed):
    from scipy.stats import binomtest

    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 2, (2, 500))
    only_a, only_b = int((a > b).sum()), int((b > a).sum())
    for side in SIDES:
        expected = binomtest(only_a, only_a + only_b, alternative=side).pvalue
        assert osc.permutation_test(a, b, alternative=side).value == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_counted_errors_against_scipy(seed):
    """scipy lists all 2^12 swaps."""
    from scipy.stats import permutation_test

    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 7, (2, 12))
    for side in SIDES:
        expected = permutation_test(
            (a, b),
            lambda x, y, axis: (x - y).sum(axis=axis),
            permutation_type="samples",
            n_resamples=math.inf,
            alternative=side,
        )
        assert osc.permutation_test(a, b, alternative=side).value == pytest.approx(expected.pvalue, rel=1e-12)


def test_the_papers_four_variable_f1():
    """tp and errors of both systems as four columns, by dynamic programming as published, and by rank reduction."""
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 3, (2, 9, 2))

    def h(x1, x2, x3, x4):
        first, second = (
            np.divide(2 * t, 2 * t + e, out=np.zeros(len(t)), where=2 * t + e > 0) for t, e in ((x1, x2), (x3, x4))
        )
        return np.abs(first - second)

    observed = float(h(*(np.array([t]) for t in (*a.sum(axis=0), *b.sum(axis=0))))[0])
    expected = osc.permutation_test(a, b, metric="f1").value
    for method in ("dp", "auto"):
        law = osc.null_distribution(np.hstack([a, b]), np.hstack([b, a]), method=method)
        assert law.probability(h, observed) == pytest.approx(expected, rel=1e-12)


def test_few_real_valued_units_of_any_metric_are_listed():
    rng = np.random.default_rng(5)
    a, b = rng.random((2, 9, 2))
    metric = osc.AdditiveMetric("curved", ("x", "y"), lambda x: x[..., 0] ** 2 / (1 + x[..., 1]))

    def difference(signs):
        d, t = a - b, (a + b).sum(axis=0)
        s = (np.array(signs)[:, None] * d).sum(axis=0)
        return float(metric.score((t + s) / 2) - metric.score((t - s) / 2))

    observed = abs(difference([1] * 9))
    naive = np.mean([abs(difference(signs)) >= observed - 1e-12 for signs in itertools.product((1, -1), repeat=9)])
    p = osc.permutation_test(a, b, metric=metric)
    assert (p.method, p.kernel) == ("exact", "enumeration")
    assert p.value == naive
    # Three units that differ: no p below a quarter, whatever the numbers.
    b[:6] = a[:6]
    assert osc.permutation_test(a, b, metric=metric).value >= 0.25
