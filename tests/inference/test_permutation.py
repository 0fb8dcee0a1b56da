"""The paired permutation test as a whole: sides, shifts, repeats, clusters, methods, own metrics, refusals, real data."""

from __future__ import annotations

import csv
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles
from tests.variants import a_few

import outscore as osc
from outscore.core.metric import AdditiveMetric

SIDES = ("two-sided", "greater", "less")
# Hollander and Wolfe's depression scores, first minus second visit.
DEPRESSION = [0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010]

scores = st.one_of(
    st.lists(st.integers(-5, 5), min_size=1, max_size=12),
    st.lists(st.integers(-300, 300).map(lambda k: k / 100), min_size=1, max_size=12),
    st.lists(st.floats(-3, 3), min_size=1, max_size=12),
)


# --- properties every p-value has


@settings(max_examples=60)
@given(d=scores)
def test_swapping_mirrors(d):
    """A against B and B against A: the same two-sided p, one-sided ones exchanged."""
    zeros = [0] * len(d)
    assert osc.permutation_test(d, zeros).value == osc.permutation_test(zeros, d).value
    for side, other in (("greater", "less"), ("less", "greater")):
        assert osc.permutation_test(d, zeros, alternative=side).value == osc.permutation_test(zeros, d, alternative=other).value


@settings(max_examples=60)
@given(d=scores)
def test_one_sided_p_values_overlap_in_the_tie(d):
    """P(T ≥ t) + P(T ≤ t) = 1 + P(T = t), and the two mid-p add up to 1."""
    zeros = [0] * len(d)
    up, down = (osc.permutation_test(d, zeros, alternative=side) for side in ("greater", "less"))
    assert up.value + down.value >= 1
    if up.mid is not None and down.mid is not None:
        assert up.mid + down.mid == pytest.approx(1, abs=1e-12)


@settings(max_examples=60)
@given(d=scores, data=st.data())
def test_item_order_changes_nothing(d, data):
    """Bit for bit, on the lattice, by enumeration and in the middle."""
    shuffled = data.draw(st.permutations(d))
    zeros = [0] * len(d)
    for side in SIDES:
        one, other = (osc.permutation_test(x, zeros, alternative=side) for x in (d, shuffled))
        assert (one.value, one.mid, one.kernel) == (other.value, other.mid, other.kernel)


@pytest.mark.parametrize("rows", [[1, 0, 1], [0.5, 0.25, math.pi], [[3, 1], [0, 2], [1, 1]]])
def test_identical_systems(rows):
    metric = "f1" if isinstance(rows[0], list) else "mean"
    for side in SIDES:
        for method in ("auto", "exact", "monte-carlo"):
            p = osc.permutation_test(rows, rows, metric=metric, alternative=side, method=method)
            assert (p.value, p.lower, p.upper, p.log10) == (1.0, 1.0, 1.0, 0.0)


@pytest.mark.parametrize("d", [1, 0.25, math.pi])
def test_one_differing_item(d):
    """Two swaps, equally extreme."""
    a, b = [d, 1, 2, 3], [0, 1, 2, 3]
    assert osc.permutation_test(a, b).value == 1.0
    assert osc.permutation_test(a, b, alternative="greater").value == 0.5
    assert osc.permutation_test(a, b, alternative="less").value == 1.0


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32), n=st.integers(1, 80))
def test_p_is_never_zero_and_bounds_are_ordered(seed, n):
    d = np.random.default_rng(seed).exponential(size=n)
    p = osc.permutation_test(d, np.zeros(n))
    assert 0 < p.value <= 1
    assert 0 <= p.lower <= p.value <= p.upper <= 1


# --- shifted hypotheses


@pytest.mark.parametrize("side", SIDES)
@settings(max_examples=30)
@given(d=st.lists(st.integers(-20, 20), min_size=2, max_size=9).filter(lambda d: set(d) - {0, 1, -1}), shift=st.integers(-8, 8))
def test_delta_against_shifted_scores(side, d, shift):
    """H0: A - B = δ is H0: (A - δ) - B = 0, decimals exact."""
    a, zeros = [x / 10 for x in d], [0.0] * len(d)
    shifted = [[x - shift, 1] for x in d]
    expected, _ = oracles.brute_force(shifted, [[0, 1]] * len(d), lambda x: x[0], side)
    p = osc.permutation_test(a, zeros, delta=shift / 10, alternative=side)
    assert p.method in ("exact", "asymptotic")
    if p.method == "exact":
        assert p.value == float(expected)


def test_delta_with_clusters_takes_off_their_size():
    """Clusters of unequal size: δ counts once per item."""
    d, clusters = [3, 4, 6, 1, 2, 9, 5], [0, 0, 0, 1, 1, 2, 3]
    units = oracles.grouped([[x - 2] for x in d], clusters)
    expected, _ = oracles.brute_force(units, [[0]] * len(units), lambda x: x[0], "two-sided")
    assert osc.permutation_test(d, [0] * 7, delta=2, clusters=clusters).value == float(expected)


def test_delta_on_real_numbers():
    rng = np.random.default_rng(0)
    d = rng.normal(0.3, 1, 12)
    expected = Fraction(2 * oracles.real_count([Fraction(x - 0.25) for x in d], abs(sum(Fraction(x - 0.25) for x in d))), 2**12)
    assert osc.permutation_test(d, np.zeros(12), delta=0.25).value == float(expected)


@pytest.mark.parametrize(
    ("metric", "a", "b"),
    [
        ("f1", [[2, 1], [1, 0], [3, 1]], [[1, 1], [1, 1], [2, 1]]),
        ("error-rate", [[1, 5], [2, 6]], [[0, 4], [1, 7]]),
        ("mcc", [[1, 0, 0, 0], [0, 0, 0, 1]], [[0, 0, 1, 0], [0, 1, 0, 0]]),
    ],
)
def test_delta_of_a_curved_metric_is_refused(metric, a, b):
    """Swaps under a shift are not defined where the difference is no mean of differences."""
    with pytest.raises(osc.OutscoreError, match=rf"margin or a `delta` only for .*, and {metric} is not one here"):
        osc.permutation_test(a, b, metric=metric, delta=0.1)


@pytest.mark.parametrize("unit", [1, 100])
def test_delta_on_right_or_wrong_items_is_tango(unit):
    a = unit * np.array([1] * 40 + [0] * 20)
    b = unit * np.array([1] * 25 + [0] * 30 + [1] * 5)
    p = osc.permutation_test(a, b, delta=0.1 * unit)
    assert (p.method, p.kernel) == ("asymptotic", "tango")
    with pytest.raises(osc.OutscoreError):
        osc.permutation_test(a, b, delta=1.5 * unit)
    # Clusters of such items are sums, and served by sign flips again.
    assert osc.permutation_test(a, b, delta=0.1 * unit, clusters=np.arange(60) // 3).method == "exact"


# --- repeats and clusters


@pytest.mark.parametrize("equal", [True, False], ids=["equal repeats", "unequal repeats"])
@pytest.mark.parametrize("clustered", [False, True], ids=["items", "clusters of items"])
def test_repeats_are_averaged_first(equal, clustered):
    rng = np.random.default_rng(7)
    items = np.repeat(np.arange(9), 3) if equal else np.repeat(np.arange(9), [1, 2, 3, 1, 4, 2, 5, 1, 3])
    a, b = rng.integers(0, 4, (2, len(items)))
    labels = items // 2 if clustered else None
    means = [[Fraction(int(x[items == i].sum()), int((items == i).sum())) for i in range(9)] for x in (a, b)]
    units = [oracles.grouped([[m, 1] for m in side], [i // 2 for i in range(9)] if clustered else None) for side in means]
    order = rng.permutation(len(items))
    for side in SIDES:
        expected, _ = oracles.brute_force(*units, oracles.ratio((1, 0), (0, 1)), side)
        p = osc.permutation_test(
            a[order],
            b[order],
            items=[f"item {i}" for i in items[order]],
            clusters=None if labels is None else labels[order],
            alternative=side,
        )
        assert p.value == float(expected)
        assert p.n == (5 if clustered else 9)


def test_repeats_of_corpus_scores_are_averaged_too():
    """F1 of repeated items: counts are averaged per item, so an item run twice weighs no more than one run once."""
    a = [[2, 1], [4, 0], [1, 1], [0, 3], [2, 2]]
    b = [[1, 1], [1, 2], [2, 0], [1, 1], [0, 1]]
    items = ["x", "x", "y", "z", "w"]
    means = [
        [[Fraction(r[0][0] + r[1][0], 2), Fraction(r[0][1] + r[1][1], 2)], *([Fraction(x) for x in row] for row in r[2:])]
        for r in (a, b)
    ]
    expected, _ = oracles.brute_force(*means, oracles.ratio((2, 0), (2, 1)), "two-sided")
    assert osc.permutation_test(a, b, metric="f1", items=items).value == float(expected)


def test_clusters_are_swapped_as_one():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 5, (2, 40))
    clusters = rng.integers(0, 11, 40)
    expected, _ = oracles.brute_force(
        [[int(x)] for x in a], [[int(x)] for x in b], lambda x: x[0], "two-sided", clusters=clusters.tolist()
    )
    assert osc.permutation_test(a, b, clusters=clusters).value == float(expected)


def test_an_item_in_two_clusters_is_refused():
    with pytest.raises(osc.OutscoreError, match="but the same item of"):
        osc.permutation_test([1, 2, 3], [0, 0, 0], items=[0, 0, 1], clusters=[0, 1, 1])


def test_unequal_repeats_without_a_common_denominator():
    """Repeat counts whose least common multiple is beyond exact integers: real numbers, met in the middle."""
    primes = [101, 103, 107, 109, 113, 127, 131, 137]
    items = np.repeat(np.arange(len(primes)), primes)
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, len(items)))
    p = osc.permutation_test(a, b, items=items)
    d = [Fraction(int(a[items == i].sum()) - int(b[items == i].sum()), k) for i, k in enumerate(primes)]
    assert p.value == float(Fraction(2 * oracles.real_count(d, abs(sum(d))), 2 ** len(primes)))


# --- methods by request


@pytest.mark.parametrize("method", ["exact", "spectral", "dp", "fft", "auto"])
@pytest.mark.parametrize("metric", ["mean", "f1", "mcc"])
def test_every_exact_method_gives_the_same_p(method, metric):
    rng = np.random.default_rng(2)
    if metric == "mcc":
        gold = rng.integers(0, 2, 24)
        a, b = (osc.confusion(gold, rng.integers(0, 2, 24)) for _ in "ab")
    else:
        a, b = rng.integers(0, 4, (2, 24)) if metric == "mean" else rng.integers(0, 4, (2, 24, 2))
    expected = osc.permutation_test(a, b, metric=metric)
    for side in SIDES:
        one = osc.permutation_test(a, b, metric=metric, method=method, alternative=side)
        assert one.method == "exact"
        assert one.kernel == (method if method in ("dp", "fft") else expected.kernel)
        assert one.value == pytest.approx(osc.permutation_test(a, b, metric=metric, alternative=side).value, rel=1e-10)


def test_certified_on_request():
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 9, (2, 60))
    exact = osc.permutation_test(a, b)
    for side in SIDES:
        exact = osc.permutation_test(a, b, alternative=side)
        found = osc.permutation_test(a, b, alternative=side, method="certified")
        assert found.method == "certified"
        assert found.lower <= exact.value <= found.upper


def test_monte_carlo_on_request():
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 9, (2, 60))
    for side in SIDES:
        exact = osc.permutation_test(a, b, alternative=side)
        found = osc.permutation_test(a, b, alternative=side, method="monte-carlo", resamples=2_000)
        assert (found.method, found.kernel) == ("monte-carlo", "sign-flips:2000")
        assert found.lower <= exact.value <= found.upper


REAL = np.random.default_rng(0).random((2, 60))
COUNTS = np.random.default_rng(0).integers(0, 9, (2, 60, 2))
RANK_3 = AdditiveMetric("product", ("x", "y", "z"), lambda t: t[..., 0] * t[..., 1] - t[..., 2])


@pytest.mark.parametrize(
    ("data", "metric", "method"),
    [
        (REAL, "mean", "exact"),
        (REAL, "mean", "spectral"),
        (REAL, "mean", "dp"),
        (REAL, "mean", "fft"),
        (COUNTS, "f1", "certified"),
        (np.random.default_rng(0).integers(0, 9, (2, 60, 3)), RANK_3, "exact"),
        (np.random.default_rng(0).integers(0, 10**8, (2, 60)), "mean", "dp"),
        (np.random.default_rng(0).integers(0, 10**5, (2, 60, 2)), "f1", "fft"),
        (np.random.default_rng(0).integers(0, 10**7, (2, 30)), "mean", "fft"),
        (np.random.default_rng(0).integers(0, 10**4, (2, 9_000)), "mean", "dp"),
    ],
    ids=[
        "reals exact",
        "reals spectral",
        "reals dp",
        "reals fft",
        "F1 certified",
        "rank 3",
        "dp memory",
        "fft memory",
        "fft minutes",
        "dp minutes",
    ],
)
def test_a_method_that_cannot_serve_is_refused(data, metric, method):
    with pytest.raises(osc.OutscoreError) as caught:
        osc.permutation_test(*data, metric=metric, method=method)
    assert "auto" in caught.value.hint


# --- metrics of one's own


@settings(max_examples=25)
@given(data=st.data())
def test_own_ratio_against_brute_force(data):
    """Any integer vectors, denominators that swaps can make zero or negative included."""
    columns = data.draw(st.integers(1, 3))
    vector = st.lists(st.integers(-2, 3), min_size=columns, max_size=columns)
    u, v = data.draw(vector), data.draw(vector)
    n = data.draw(st.integers(1, 6))
    rows = st.lists(st.lists(st.integers(0, 3), min_size=columns, max_size=columns), min_size=n, max_size=n)
    a, b = data.draw(rows), data.draw(rows)
    side = data.draw(st.sampled_from(SIDES))
    metric = AdditiveMetric("own", tuple("xyz"[:columns]), ratio=(u, v))
    expected, _ = oracles.brute_force(a, b, oracles.ratio(u, v), side)
    assert osc.permutation_test(a, b, metric=metric, alternative=side).value == float(expected)


@pytest.mark.parametrize(("v", "expected"), [([1, 0], [0.5, 1.0]), ([-1, 0], [1.0, 0.5]), ([0, 0], [1.0, 1.0])])
def test_a_negative_denominator_turns_the_sides(v, expected):
    metric = AdditiveMetric("own", ("x", "y"), ratio=((0, 1), v))
    for kind in (int, float):
        rows = np.array([[[1, 1.0]], [[1, 0]]]) / (1 if kind is int else np.pi)
        found = [osc.permutation_test(*rows, metric=metric, alternative=side).value for side in ("greater", "less")]
        assert found == expected


def _own(rank: int) -> tuple[AdditiveMetric, oracles.Score]:
    if rank == 1:
        return AdditiveMetric("square", ("x",), lambda t: t[..., 0] ** 2), lambda x: x[0] ** 2
    if rank == 2:
        return AdditiveMetric("mixed", ("x", "y"), lambda t: t[..., 0] ** 2 - 3 * t[..., 1]), lambda x: x[0] ** 2 - 3 * x[1]
    return RANK_3, lambda x: x[0] * x[1] - x[2]


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("rank", [1, 2, 3])
def test_own_function_against_brute_force(rank, side):
    metric, score = _own(rank)
    rng = np.random.default_rng(rank)
    for _ in range(6):
        a, b = rng.integers(0, 4, (2, 9, rank))
        expected, _ = oracles.brute_force(a.tolist(), b.tolist(), score, side)
        p = osc.permutation_test(a, b, metric=metric, alternative=side)
        assert p.exact
        assert p.value == float(expected)


def test_own_function_of_a_line_that_turns_back():
    """Rank 1 and not monotone: the region has two ends, its masses are added up."""
    metric = AdditiveMetric("bump", ("x",), lambda t: t[..., 0] * (9.5 - t[..., 0]) * (t[..., 0] - 14.25))
    rng = np.random.default_rng(6)
    for _ in range(5):
        a, b = rng.integers(0, 4, (2, 10, 1))
        expected, _ = oracles.brute_force(
            a.tolist(), b.tolist(), lambda x: x[0] * (Fraction(19, 2) - x[0]) * (x[0] - Fraction(57, 4)), "two-sided"
        )
        assert osc.permutation_test(a, b, metric=metric).value == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize("rank", [1, 2])
def test_own_function_of_many_items_against_monte_carlo(rank):
    """No enumeration any more: lattice and plane."""
    metric, _ = _own(rank)
    rng = np.random.default_rng(rank)
    a, b = rng.integers(0, 4, (2, 200, rank))
    exact = osc.permutation_test(a, b, metric=metric)
    sampled = osc.permutation_test(a, b, metric=metric, method="monte-carlo")
    assert exact.kernel == ("lattice" if rank == 1 else "plane")
    assert sampled.lower <= exact.value <= sampled.upper


def test_rank_three_of_many_items_is_sampled_and_says_so():
    a, b = np.random.default_rng(3).integers(0, 4, (2, 50, 3))
    assert osc.permutation_test(a, b, metric=RANK_3).method == "monte-carlo"
    assert osc.compare(a, b, metric=RANK_3).notes


def test_lower_is_better_turns_the_sides():
    a, b = [[1, 5], [0, 5], [1, 5], [0, 5]], [[2, 5], [2, 5], [1, 5], [1, 5]]
    better = osc.permutation_test(a, b, metric="error-rate", alternative="greater")
    assert better.value == 0.125
    assert better.statistic < 0


# --- refusals


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1, 2], [1, 2, 3]),
        ([], []),
        ([[]], [[]]),
        ([1.0, math.nan], [1.0, 2.0]),
        ([1.0, math.inf], [1.0, 2.0]),
        (["1", "2"], [1, 2]),
        ([None, 1], [1, 2]),
        (None, [1, 2]),
        (3, 4),
        ("12", "34"),
        ([2**62, 1], [0, 1]),
        ([2**70, 1], [0, 1]),
        ([-(2**63), 1], [0, 1]),
        ([1 + 2j, 1], [0, 1]),
        (np.zeros((2, 2, 2)), np.zeros((2, 2, 2))),
        ([[1, 2], [3]], [[1, 2], [3]]),
        ([[1, 2], [3, 4]], [[1, 2, 3], [4, 5, 6]]),
        ([[1, 2], [3, 4]], [1, 2]),
        ([1e200, 1.0], [0.0, 1.0]),
    ],
    ids=[
        "unequal lengths", "empty", "empty rows", "nan", "inf", "strings", "None inside", "None", "numbers", "words",
        "2**62", "beyond 64 bits", "smallest integer", "complex", "3-D", "ragged", "unequal columns", "1-D and 2-D", "1e200",
    ],
)  # fmt: skip
@pytest.mark.parametrize("call", [osc.permutation_test, osc.compare])
def test_bad_scores_are_refused(call, a, b):
    with pytest.raises(osc.OutscoreError) as caught:
        call(a, b)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("rows", "metric"),
    [
        ([[1.5, 1], [1, 1]], "f1"),
        ([[-1, 1], [1, 1]], "f1"),
        ([[1, 1], [1, 1]], "mcc"),
        ([1, 0], "f1"),
        ([0.5, 1], "accuracy"),
        ([2, 1], "error-rate"),
        ([[0.5, -1], [1, 1]], "weighted-mean"),
        ([[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]], "f1"),
        ([[1, 2], [1, 2]], AdditiveMetric("own", ("x",), lambda t: t[..., 0])),
    ],
    ids=["fraction", "negative", "too few columns", "no columns", "graded", "two errors", "weight", "too many", "own columns"],
)
def test_rows_that_do_not_fit_the_metric_are_refused(rows, metric):
    with pytest.raises(osc.OutscoreError) as caught:
        osc.permutation_test(rows, rows, metric=metric)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "keywords",
    [
        {"metric": "no such"},
        {"metric": ""},
        {"metric": "mean:x=1"},
        {"metric": "mean:x"},
        {"metric": None},
        {"metric": 3},
        {"alternative": "bigger"},
        {"alternative": None},
        {"method": "magic"},
        {"method": None},
        {"seed": -1},
        {"seed": 1.5},
        {"seed": 2**64},
        {"seed": "one"},
        {"seed": None},
        {"seed": math.nan},
        {"resamples": 0},
        {"resamples": -5},
        {"resamples": 10.5},
        {"resamples": "many"},
        {"resamples": math.inf},
        {"delta": math.nan},
        {"delta": math.inf},
        {"delta": "x"},
        {"delta": None},
        {"items": [1, 2]},
        {"items": 5},
        {"items": [[1], [2], [3]]},
        {"items": [[1], [2, 3], [4]]},
        {"items": [1.0, math.nan, 2.0]},
        {"items": [1, None, 2]},
        {"clusters": "abc"},
    ],
    ids=str,
)
def test_bad_requests_are_refused(keywords):
    with pytest.raises(osc.OutscoreError) as caught:
        osc.permutation_test([1, 2, 3], [0, 0, 1], **keywords)
    assert str(caught.value).endswith((".", "?"))


def test_no_number_of_resamples_is_the_tests_own():
    a, b = [3, 5, 4, 8], [1, 2, 3, 4]
    assert osc.permutation_test(a, b, resamples=None) == osc.permutation_test(a, b)


@pytest.mark.parametrize(
    "keywords",
    [
        {"alpha": 0},
        {"alpha": 1},
        {"alpha": math.nan},
        {"alpha": "x"},
        {"alpha": None},
        {"names": ("only",)},
        {"names": ("a", "b", "c")},
        {"test": "no such"},
        {"test": None},
        {"options": {"no such": 1}},
        {"options": {"resamples": "many"}},
    ],
    ids=str,
)
def test_bad_requests_to_compare_are_refused(keywords):
    with pytest.raises(osc.OutscoreError) as caught:
        osc.compare([1, 2, 3], [0, 0, 1], **keywords)
    assert str(caught.value).endswith((".", "?"))


def test_a_score_that_is_not_a_number_is_refused():
    """A metric of one's own that is 0/0 on its totals: there is no difference to test, and no p = 1 either."""

    def precision(totals):
        with np.errstate(invalid="ignore"):
            return totals[..., 0] / totals.sum(axis=-1)

    metric = AdditiveMetric("precision", ("tp", "fp"), precision)
    with pytest.raises(osc.OutscoreError, match="not a number"):
        osc.permutation_test([[0, 0], [0, 0]], [[1, 1], [0, 1]], metric=metric)


def test_a_misspelt_name_gets_a_hint():
    with pytest.raises(osc.OutscoreError, match="accuracy"):
        osc.permutation_test([1, 0], [0, 0], metric="acuracy")


# --- published numbers


def test_depression_example():
    """Nine patients, all 512 sign vectors: p = .02734375."""
    assert osc.permutation_test(DEPRESSION, [0] * 9).value == 0.02734375
    hits = sum(
        abs(sum(e * round(1000 * x) for e, x in zip(signs, DEPRESSION, strict=True))) >= 3887
        for signs in itertools.product((1, -1), repeat=9)
    )
    assert hits / 512 == 0.02734375


def test_gpqa_items_with_five_epochs(shared_data):
    """gpt-5-nano against gpt-5.4-mini, repeats averaged per item."""
    with (shared_data / "llm-scores" / "gpqa-diamond.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    table = {(r["model_id"], r["item_id"], r["epoch"]): float(r["score"]) for r in rows}
    nano, mini = (next(m for m in {r["model_id"] for r in rows} if part in m) for part in ("gpt-5-nano", "gpt-5.4-mini"))
    keys = sorted((item, epoch) for model, item, epoch in table if model == nano)
    a, b = ([table[model, *key] for key in keys] for model in (nano, mini))
    p = osc.permutation_test(a, b, items=[item for item, _ in keys])
    assert p.exact
    assert p.n == 198
    assert p.value == pytest.approx(0.0395408, abs=5e-8)
    assert 100 * p.statistic == pytest.approx(5.8586, abs=5e-5)


def test_aime_questions_with_four_samples(shared_data):
    """o3-mini (high) against o1 (medium) over the 15 questions."""
    with (shared_data / "llm-scores" / "aime-2025-II.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    a, b = ([float(r[model]) for r in rows] for model in ("o3-mini (high)", "o1 (medium)"))
    p = osc.permutation_test(a, b, items=[r["question"] for r in rows])
    assert p.value == 0.109375
    assert 100 * p.statistic == pytest.approx(40 / 3)


@pytest.mark.parametrize("seed", a_few(range(3), 1))
def test_mid_p_of_sums_that_are_listed(seed):
    """Sizes too large for a lattice, with ties: half of the sums as far out as the observed one count."""
    rng = np.random.default_rng(seed)
    sizes = np.tile(rng.integers(10**8, 10**9, 6), 3)
    d = sizes * rng.choice([1, 1, -1], 18)
    found = osc.permutation_test(d, 0 * d)
    assert found.kernel == "meet-in-the-middle"
    sums = np.abs(np.array(list(itertools.product([1, -1], repeat=18))) @ sizes)
    beyond, tied = (sums > abs(d.sum())).mean(), (sums == abs(d.sum())).mean()
    assert (found.value, found.mid) == (pytest.approx(beyond + tied, rel=1e-12), pytest.approx(beyond + tied / 2, rel=1e-12))
