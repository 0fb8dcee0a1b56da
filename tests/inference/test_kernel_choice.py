"""The paired permutation test as a whole: which kernel serves, what never changes, what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.exact import lattice, ranks

whole = st.integers(-20, 20)
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
    # Sampling is the judge of all others, and its bounds hold with 99 %.
    sampled = osc.permutation_test(a, b, metric=metric, method="monte-carlo", seed=1)
    assert sampled.lower <= p.upper
    assert p.lower <= sampled.upper


@pytest.mark.parametrize("kernel", CASES)
def test_swapping_systems_mirrors_the_sides(kernel):
    a, b, metric = CASES[kernel](np.random.default_rng(8))
    forth, back = (
        {side: osc.permutation_test(*pair, metric=metric, alternative=side).value for side in SIDES}
        for pair in ((a, b), (b, a))
    )
    assert forth["two-sided"] == pytest.approx(back["two-sided"], rel=1e-12)
    if kernel not in ("bracket", "sign-flips:9999"):
        assert forth["greater"] == pytest.approx(back["less"], rel=1e-12)
        assert forth["less"] == pytest.approx(back["greater"], rel=1e-12)


@pytest.mark.parametrize("kernel", ["binomial", "lattice", "two-binomials", "plane"])
def test_order_of_items_changes_no_bit(kernel):
    rng = np.random.default_rng(9)
    a, b, metric = CASES[kernel](rng)
    shuffled = rng.permutation(len(a))
    assert osc.permutation_test(a, b, metric=metric) == osc.permutation_test(a[shuffled], b[shuffled], metric=metric)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(whole, whole), min_size=1, max_size=40), st.randoms())
def test_order_and_identity(rows, random):
    """Permuting items leaves every bit; a system against itself gives 1; p lies in (0, 1]."""
    a, b = (list(column) for column in zip(*rows, strict=True))
    p = osc.permutation_test(a, b)
    random.shuffle(rows)
    assert osc.permutation_test(*(list(c) for c in zip(*rows, strict=True))) == p
    assert osc.permutation_test(a, a).value == 1.0
    assert 0 < p.value <= 1


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


def test_published_methods_agree():
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 9, (2, 60))
    exact = osc.permutation_test(a, b, method="exact")
    for method in ("dp", "fft", "spectral"):
        assert osc.permutation_test(a, b, method=method).value == pytest.approx(exact.value, rel=1e-11)
    a, b = counts(rng, 40), counts(rng, 40)
    exact = osc.permutation_test(a, b, metric="f1", method="exact")
    for method in ("dp", "fft"):
        assert osc.permutation_test(a, b, metric="f1", method=method).value == pytest.approx(exact.value, rel=1e-11)


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


class TestDelta:
    def test_shift_is_the_shift_of_scores(self):
        rng = np.random.default_rng(3)
        a, b = rng.integers(0, 100, (2, 50)) / 100
        for side in SIDES:
            moved = osc.permutation_test((a - 0.05).round(2), b, alternative=side)
            assert osc.permutation_test(a, b, delta=0.05, alternative=side).value == pytest.approx(moved.value, rel=1e-10)

    def test_lower_is_better_turns_the_side_not_the_number(self):
        a, b = [[3, 10], [1, 10], [0, 10], [2, 10], [5, 10]], [[1, 10], [0, 10], [0, 10], [1, 10], [2, 10]]
        greater = osc.permutation_test(a, b, metric="error-rate", alternative="greater")
        assert greater.value == 1.0
        assert greater.statistic == pytest.approx(0.14)
        assert osc.permutation_test(a, b, metric="error-rate", alternative="less").value == 1 / 16

    def test_binary_items_get_tango(self):
        p = osc.permutation_test([1, 1, 0, 1, 0], [0, 1, 0, 0, 1], delta=0.1)
        assert (p.method, p.kernel) == ("asymptotic", "tango")

    def test_a_ratio_is_refused(self):
        with pytest.raises(osc.OutscoreError, match="linear metrics"):
            osc.permutation_test([[1, 2, 0]], [[2, 1, 1]], metric="f1", delta=0.1)


class TestRepeatsAndClusters:
    def test_equal_repeats_are_averaged_in_whole_numbers(self):
        a, b = np.array([1, 0, 1, 1, 0, 0]), np.array([0, 0, 1, 0, 1, 0])
        items = [0, 0, 1, 1, 2, 2]
        by_hand = osc.permutation_test([1, 2, 0], [0, 1, 1])
        assert osc.permutation_test(a, b, items=items).value == by_hand.value
        assert osc.permutation_test(a, b, items=items).n == 3

    def test_unequal_repeats_use_the_least_common_multiple(self):
        p = osc.permutation_test([1, 0, 1, 1], [0, 0, 0, 1], items=["x", "x", "x", "y"])
        by_hand = osc.permutation_test([4, 6], [0, 6])
        assert p.value == by_hand.value
        assert p.method == "exact"

    def test_clusters_flip_as_one(self):
        a, b = [3, 1, 2, 5], [1, 1, 4, 0]
        assert osc.permutation_test(a, b, clusters=[1, 1, 2, 2]).value == osc.permutation_test([4, 7], [2, 4]).value

    def test_an_item_in_two_clusters_is_refused(self):
        with pytest.raises(osc.OutscoreError, match="second cluster"):
            osc.permutation_test([1, 2], [2, 1], items=[0, 0], clusters=[0, 1])

    @pytest.mark.parametrize("labels", [[1], [[1, 2]], [1.0, math.nan]])
    def test_bad_labels_are_refused(self, labels):
        with pytest.raises(osc.OutscoreError):
            osc.permutation_test([1, 2], [2, 1], clusters=labels)


class TestOwnMetrics:
    ROWS = np.random.default_rng(6).integers(0, 5, (2, 40, 2))

    def test_a_ratio(self):
        f1 = osc.AdditiveMetric("mine", ("tp", "errors"), ratio=((2, 0), (2, 1)))
        assert osc.permutation_test(*self.ROWS, metric=f1).value == osc.permutation_test(*self.ROWS, metric="f1").value

    def test_a_function(self):
        mine = osc.AdditiveMetric("mine", ("tp", "errors"), lambda x: 2 * x[..., 0] / np.maximum(2 * x[..., 0] + x[..., 1], 1))
        p = osc.permutation_test(*self.ROWS, metric=mine)
        assert p.method == "exact"
        assert p.value == pytest.approx(osc.permutation_test(*self.ROWS, metric="f1").value, rel=1e-10)

    def test_rank_one_and_not_monotone(self):
        """A bump in the middle: the region is not a tail, so its points are summed."""
        bump = osc.AdditiveMetric("bump", ("x",), lambda x: np.sin(x[..., 0] / 3.0))
        a, b = np.random.default_rng(1).integers(0, 4, (2, 12))
        p = osc.permutation_test(a, b, metric=bump)
        total, d = a + b, a - b
        sums = np.array([np.where(np.array(list(f"{i:012b}")) == "1", -d, d).sum() for i in range(4096)])
        there = np.sin((total.sum() + sums) / 6) - np.sin((total.sum() - sums) / 6)
        here = abs(np.sin(a.sum() / 3) - np.sin(b.sum() / 3))
        assert p.value == pytest.approx((np.abs(there) >= here - 1e-12).mean(), rel=1e-9)


def test_wilcoxon_example_through_signed_ranks(h_and_w):
    """Hollander and Wolfe, depression data: V = 40, p = .0390625 (R: wilcox.test(x, y, paired = TRUE))."""
    signed = ranks.signed_ranks(h_and_w)
    assert signed[signed > 0].sum() / 2 == 40
    values, sizes = lattice.histogram(signed)
    assert 2 * math.exp(lattice.tail(values, sizes, abs(int(signed.sum()))).log) == pytest.approx(0.0390625, rel=1e-12)


def test_sign_flip_example(h_and_w):
    p = osc.permutation_test(h_and_w / 1000, np.zeros(9))
    assert p.value == 0.02734375


@pytest.fixture
def h_and_w():
    return np.array([952, -147, 1022, 430, 620, 590, 490, -80, 10])


def test_repeats_of_real_models(shared_data):
    """AIME 2025 II, o3-mini (high) against o1 (medium): 15 questions, four samples each."""
    rows = np.genfromtxt(shared_data / "llm-scores" / "aime-2025-II.csv", delimiter=",", names=True, deletechars="", dtype=None)
    names = rows.dtype.names
    first = next(n for n in names if n.startswith("o3-mini") and "high" in n)
    second = next(n for n in names if n.startswith("o1") and "medium" in n)
    p = osc.permutation_test(rows[first], rows[second], items=rows["question"])
    assert p.value == 0.109375
    assert p.n == 15
    assert p.statistic == pytest.approx(0.13333333 * (100 if rows[first].max() > 1 else 1), rel=1e-6)


BAD = {
    "unequal lengths": (([1, 2], [1]), {}, "rows"),
    "empty": (([], []), {}, "empty"),
    "nan": (([math.nan], [1.0]), {}, "row 1"),
    "infinite": (([1.0, math.inf], [1.0, 2.0]), {}, "row 2"),
    "text": ((["a"], ["b"]), {}, "text"),
    "nothing": (([None], [1]), {}, "NoneType"),
    "fractional counts": (([[1.5, 1, 1]], [[1, 1, 1]]), {"metric": "f1"}, "not a count"),
    "negative counts": (([[-1, 1, 1]], [[1, 1, 1]]), {"metric": "f1"}, "not a count"),
    "huge": (([2**62, 1], [0, 0]), {}, "2\\*\\*53"),
    "beyond 64 bits": (([10**30], [0]), {}, "64 bits"),
    "far out": (([1e200], [0.0]), {}, "beyond"),
    "three dimensions": ((np.zeros((2, 2, 2)), np.zeros((2, 2, 2))), {}, "dimensions"),
    "one number": ((1, 2), {}, "dimensions"),
    "other columns": ((np.zeros((2, 2)), np.zeros((2, 3))), {"metric": "f1"}, "same columns"),
    "ragged": (([[1, 2], [3]], [[1, 2], [3]]), {}, "different lengths"),
    "wrong width": (([[1, 2, 3]], [[1, 2, 3]]), {}, "cannot use rows of 3 numbers"),
    "unknown metric": (([1], [2]), {"metric": "acuracy"}, "Did you mean `accuracy`"),
    "unknown option": (([[1, 1, 1]], [[1, 1, 1]]), {"metric": "fbeta:gamma=2"}, "no option"),
    "bad option": (([[1, 1, 1]], [[1, 1, 1]]), {"metric": "fbeta:beta=x"}, "Expected a number"),
    "zero beta": (([[1, 1, 1]], [[1, 1, 1]]), {"metric": "fbeta:beta=0"}, "at least"),
    "bad spec": (([1], [2]), {"metric": "mean:x"}, "name:key=value"),
    "unknown side": (([1], [2]), {"alternative": "bigger"}, "two-sided"),
    "unknown method": (([1], [2]), {"method": "magic"}, "one of"),
    "no resamples": (([1], [2]), {"resamples": 0}, "at least 1"),
    "bad seed": (([1], [2]), {"seed": -1}, "seed"),
    "bad delta": (([1], [2]), {"delta": math.nan}, "finite"),
    "accuracy of grades": (([0.5], [1.0]), {"metric": "accuracy"}, "neither 0 nor 1"),
    "negative weight": (([[1, -1]], [[1, 1]]), {"metric": "weighted-mean"}, "weight -1"),
    "exact on reals": ((np.sqrt(np.arange(60.0)), np.zeros(60)), {"method": "exact"}, "No exact method"),
    "dp on reals": ((np.sqrt(np.arange(60.0)), np.zeros(60)), {"method": "dp"}, "whole numbers"),
    "certified ratio": (([[1, 2, 0]], [[2, 1, 1]]), {"metric": "f1", "method": "certified"}, "linear metrics"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gets_one_sentence(name):
    arguments, options, words = BAD[name]
    with pytest.raises(osc.OutscoreError, match=words) as caught:
        osc.permutation_test(*arguments, **options)
    assert "\n" not in str(caught.value)
