"""Two samples of different items against all divisions listed, scipy and R."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.inference.base.question import TestRequest
from outscore.inference.unpaired import (
    Samples,
    _expansion,
    _lower_law,
    critical,
    division_p,
    likelihood_p,
    mid_ranks,
    rank_sum_p,
    run_unpaired,
    score_interval,
    shift,
    shift_quantile,
    welch_interval,
    welch_p,
)

X = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
Y = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
A = np.array([5, 3, 4, 6, 2, 5, 4, 3, 6, 1, 4, 5, 2, 3])
B = np.array([3, 3, 2, 6, 4, 1, 3, 4, 2, 1, 2, 4, 3, 1])


def samples(a: object, b: object, **more: object) -> Samples:
    return Samples(np.asarray(a), np.asarray(b), **more)  # type: ignore[arg-type]


def listed(a: list[Fraction], b: list[Fraction], side: int = 0, sizes: list[int] | None = None) -> Fraction:
    """The share of all divisions with a mean difference as large as the observed one; units of several items by their sums."""
    pooled, n_a = [*a, *b], len(a)
    weights = sizes or [1] * len(pooled)

    def difference(chosen: tuple[int, ...]) -> Fraction:
        rest = [i for i in range(len(pooled)) if i not in chosen]
        first, second = (sum((pooled[i] for i in part), Fraction(0)) / sum(weights[i] for i in part) for part in (chosen, rest))
        return first - second

    observed = difference(tuple(range(n_a)))
    moved = [difference(chosen) for chosen in itertools.combinations(range(len(pooled)), n_a)]
    hits = sum(abs(d) >= abs(observed) if side == 0 else side * d >= side * observed for d in moved)
    return Fraction(hits, len(moved))


digits = st.lists(st.integers(0, 9), min_size=1, max_size=5)


@given(digits, digits, st.sampled_from([1, 10, 3]))
@settings(max_examples=40, deadline=None)
def test_every_division(a: list[int], b: list[int], scale: int) -> None:
    first, second = ([Fraction(x, scale) for x in part] for part in (a, b))
    both = samples([x / scale for x in a], [x / scale for x in b])
    assert division_p(both).value == pytest.approx(float(listed(first, second)), rel=1e-12)
    assert division_p(both, TestRequest("greater")).value == pytest.approx(float(listed(first, second, 1)), rel=1e-12)
    assert division_p(both, TestRequest("less")).value == pytest.approx(float(listed(first, second, -1)), rel=1e-12)
    ranks = [Fraction(int(r)) for r in mid_ranks(np.array(a + b))]
    expected = listed(ranks[: len(a)], ranks[len(a) :])
    assert rank_sum_p(both).value == pytest.approx(float(expected), rel=1e-12)


def test_fourteen_items_of_unequal_samples() -> None:
    stream = np.random.default_rng(3)
    a, b = stream.integers(0, 1000, 5), stream.integers(100, 1100, 9)
    expected = listed([Fraction(int(x)) for x in a], [Fraction(int(x)) for x in b])
    assert division_p(samples(a / 1000, b / 1000)).value == float(expected)


def test_six_and_seven_digits() -> None:
    """The 6 + 7 digits of the default generator with seed 497, worked by listing all 1,716 divisions: 925 of them."""
    a, b = [1, 4, 1, 6, 9, 7], [7, 5, 8, 7, 0, 5, 9]
    expected = listed([Fraction(x) for x in a], [Fraction(x) for x in b])
    assert expected == Fraction(925, 1716)
    assert division_p(samples(a, b)).value == pytest.approx(0.539044289044289, abs=1e-15)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_scipy_agrees_where_it_orders_alike(alternative: str) -> None:
    stream = np.random.default_rng(8)
    a, b = stream.normal(0.5, 1, 6), stream.normal(0, 2, 9)

    def size(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        found = x.mean(axis=axis) - y.mean(axis=axis)
        return np.abs(found) if alternative == "two-sided" else found

    side = "less" if alternative == "less" else "greater"
    found = scipy.stats.permutation_test((a, b), size, alternative=side, n_resamples=np.inf, vectorized=True)
    assert division_p(samples(a, b), TestRequest(alternative)).value == pytest.approx(found.pvalue, rel=1e-12)  # type: ignore[arg-type]


def test_fisher_in_r() -> None:
    """fisher.test(matrix(c(10, 0, 20, 10), 2, byrow = TRUE), alternative = "greater"); two-sided, R orders by likelihood."""
    both = samples([1.0] * 10, [1.0] * 20 + [0.0] * 10)
    found = division_p(both)
    assert (found.test, found.method, found.kernel) == ("fisher", "exact", "hypergeometric")
    assert round(found.value, 4) == 0.0852
    assert division_p(both, TestRequest("greater")).value == pytest.approx(0.03544463143858935, rel=1e-12)
    assert likelihood_p(both) == pytest.approx(0.042832171371320546, rel=1e-12)
    other = samples([1] * 3 + [0] * 17, [1] * 12 + [0] * 18)
    assert division_p(other, TestRequest("less")).value == pytest.approx(0.055277494304901753, rel=1e-12)
    assert likelihood_p(other) == pytest.approx(0.06926261356401836, rel=1e-12)


def test_rank_sum_and_shift_in_r() -> None:
    """wilcox.test(x, y[1:6], exact = TRUE, conf.int = TRUE), data of `tests/reference/r_values.py`."""
    found = run_unpaired("wilcoxon", samples(X, Y[:6]), TestRequest())
    assert (found.p.value, found.p.statistic) == (pytest.approx(0.087912087912087919, rel=1e-12), 42)
    interval = found.interval
    assert interval is not None
    assert (interval.low, interval.high, interval.estimate) == (
        pytest.approx(-0.147),
        pytest.approx(1.233),
        pytest.approx(0.722),
    )
    assert rank_sum_p(samples(X, Y[:6]), TestRequest("greater")).value == pytest.approx(0.043956043956043959, rel=1e-12)


def test_rank_sum_with_ties_against_scipy() -> None:
    ranks = scipy.stats.rankdata(np.concatenate([A, B[:5]]))

    def size(x: np.ndarray, y: np.ndarray, axis: int) -> np.ndarray:
        return np.abs(x.mean(axis=axis) - y.mean(axis=axis))

    found = scipy.stats.permutation_test((ranks[:14], ranks[14:]), size, alternative="greater", n_resamples=np.inf)
    assert rank_sum_p(samples(A, B[:5])).value == pytest.approx(found.pvalue, rel=1e-12)


def test_welch_in_r() -> None:
    """t.test(x, y[1:6]) and t.test(a, b[1:9], alternative = "greater")."""
    both = samples(X, Y[:6])
    p, interval = welch_p(both, TestRequest()), welch_interval(both, TestRequest(), dual=True)
    assert p is not None
    assert interval is not None
    assert p.value == pytest.approx(0.056688746485603875, rel=1e-10)
    assert (interval.low, interval.high) == pytest.approx((-0.022479883924910082, 1.3814798839249101), rel=1e-10)
    one = welch_p(samples(A, B[:9]), TestRequest("greater"))
    assert one is not None
    assert one.value == pytest.approx(0.15056838666335032, rel=1e-10)


def test_score_interval_inverts_the_score() -> None:
    """At its ends the score of Miettinen and Nurminen is ±1.96: their cubic solved by maximising the likelihood on a grid."""
    both = samples([1] * 15 + [0] * 25, [1] * 9 + [0] * 51)
    found = score_interval(both, both.worth, TestRequest(), division_p(both))
    assert found.low is not None
    assert found.high is not None
    for end, z in ((found.low, 1.959964), (found.high, -1.959964)):
        rates = np.linspace(max(0, -end), min(1, 1 - end), 400_001)[1:-1]
        likelihood = 15 * np.log(rates + end) + 25 * np.log1p(-rates - end) + 9 * np.log(rates) + 51 * np.log1p(-rates)
        q = float(rates[np.argmax(likelihood)])
        variance = ((q + end) * (1 - q - end) / 40 + q * (1 - q) / 60) * 100 / 99
        assert (15 / 40 - 9 / 60 - end) / math.sqrt(variance) == pytest.approx(z, abs=2e-4)


def test_clusters_of_one_size_are_items_of_their_sums() -> None:
    a, b = np.array([1, 4, 2, 2, 5, 3]), np.array([0, 1, 1, 1, 3, 2, 0, 0])
    clusters = (np.arange(6) // 2, np.arange(8) // 2)
    found = division_p(samples(a, b, clusters=clusters))
    sums = a.reshape(3, 2).sum(axis=1), b.reshape(4, 2).sum(axis=1)
    assert (found.value, found.n) == (division_p(samples(*sums)).value, 7)


def test_clusters_of_unlike_sizes_are_listed_or_drawn() -> None:
    a, b = np.array([5, 4, 6, 2, 5]), np.array([0, 1, 1, 3, 2, 0, 4])
    clusters = (np.array([0, 0, 0, 1, 2]), np.array([0, 1, 1, 2, 2, 2, 3]))
    both = samples(a, b, clusters=clusters)
    sums = [Fraction(int(x)) for x in (15, 2, 5, 0, 2, 5, 4)]
    expected = listed(sums[:3], sums[3:], sizes=[3, 1, 1, 1, 2, 3, 1])
    found = division_p(both)
    assert (found.value, found.kernel) == (pytest.approx(float(expected), rel=1e-12), "enumeration")
    drawn = division_p(both, TestRequest(seed=1, options={"method": "monte-carlo", "resamples": 4_999}))
    assert drawn.lower <= found.value <= drawn.upper
    assert drawn.method == "monte-carlo"
    assert drawn == division_p(both, TestRequest(seed=1, options={"method": "monte-carlo", "resamples": 4_999}))


def test_real_numbers_lie_between_certified_bounds() -> None:
    stream = np.random.default_rng(1)
    a, b = stream.normal(0.25, 1, 200), stream.normal(0, 1, 260)
    found = division_p(samples(a, b))
    rough = division_p(samples(np.round(a, 3), np.round(b, 3)))
    assert (found.method, rough.method) == ("certified", "exact")
    assert found.upper / found.lower < 1.005
    assert rough.value == pytest.approx(found.value, rel=0.01)
    few = division_p(samples(a[:5], b[:6]))
    assert (few.method, few.kernel) == ("exact", "enumeration")


def test_all_scores_alike_and_lower_is_better() -> None:
    assert division_p(samples([1, 1, 1], [1, 1])).value == 1.0
    up = division_p(samples(A, B), TestRequest("greater"))
    down = division_p(samples(A, B, orientation=-1), TestRequest("less"))
    assert up.value == down.value
    assert up.mid is not None
    assert up.mid < up.value


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=6), st.lists(st.integers(-20, 20), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_shift_is_an_order_statistic_of_all_differences(a: list[int], b: list[int]) -> None:
    first, second = np.array(a) / 8, np.array(b) / 8
    all_of_them = sorted(float(x - y) for x in first for y in second)
    assert [shift_quantile(first, second, k + 1) for k in range(len(all_of_them))] == all_of_them
    assert shift(first, second) == pytest.approx(float(np.median(all_of_them)))


def test_shift_of_many_is_found_without_listing(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = np.random.default_rng(2)
    a, b = stream.normal(size=80), np.round(stream.normal(size=60), 1)
    expected = [shift_quantile(a, b, k) for k in (1, 700, 2_401, 4_800)]
    monkeypatch.setattr("outscore.inference.unpaired.MAX_DIFFERENCES", 10)
    assert [shift_quantile(a, b, k) for k in (1, 700, 2_401, 4_800)] == expected


def test_critical_values_in_r() -> None:
    """qwilcox(.025, 30, 40) is 435: the smallest u with P(U ≤ u) ≥ .025, which leaves as many differences below the limit."""
    assert critical(30, 40, 0.025) == 435
    law = _lower_law(30, 40)
    assert _expansion(30, 40, 434) == pytest.approx(float(law[434]), rel=2e-3)
    assert critical(30, 40, 0.025) == critical(40, 30, 0.025)


def test_twenty_thousand_decimals_are_exact_and_quick() -> None:
    import time

    stream = np.random.default_rng(0)
    a, b = np.round(stream.normal(0.5, 0.2, 10_000), 4), np.round(stream.normal(0.498, 0.2, 10_000), 4)
    start = time.process_time()
    found = division_p(samples(a, b))
    assert time.process_time() - start < 2
    assert found.method == "exact"


def test_many_distinct_numbers_are_rounded_and_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = np.random.default_rng(6)
    both = samples(np.round(stream.normal(0.15, 1, 400), 3), np.round(stream.normal(0, 1, 500), 3))
    exact = division_p(both)
    monkeypatch.setattr("outscore.exact.splits.MAX_DISTINCT", 600)
    monkeypatch.setattr("outscore.exact.splits.COARSER", 50)
    bounded = division_p(both)
    assert (exact.method, bounded.method) == ("exact", "certified")
    assert bounded.lower <= exact.value <= bounded.upper


def test_hundreds_of_thousands_of_right_or_wrong_items() -> None:
    """A normal approximation has four digits of so many."""
    n, right = 200_000, (100_400, 99_600)
    a, b = ((np.arange(n) < k) * 1 for k in right)
    z = (right[0] - right[1]) / math.sqrt(2 * n * 0.25)
    assert division_p(samples(a, b)).value == pytest.approx(2 * scipy.stats.norm.sf(z), rel=0.02)
