"""Moments of pairs, and the tests that follow from them, beside naive twins that look at one pair of systems at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.exact import binomial
from outscore.inference.base.own_score import OwnRows, own_intervals
from outscore.inference.pairwise.moments import (
    binary_pairs,
    fixed_shift,
    flipped_totals,
    log_t_tails,
    macro_student,
    moments_of,
    pair_hits,
    sampled_pairs,
    student_pairs,
    system_scores,
    total_of,
)
from outscore.inference.pairwise.table import pairs_of
from outscore.laws import log_t_tail
from outscore.metrics.registry import resolve

TABLES = ("count", "own", "squares", "own_squares")


@st.composite
def boards(draw, binary=None):
    systems, items = draw(st.integers(1, 5)), draw(st.integers(0, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["binary", "percent", "decimal", "real", "mixed"])) if binary is None else "binary"
    values = {
        "binary": lambda size: rng.integers(0, 2, size),
        "percent": lambda size: 100 * rng.integers(0, 2, size),
        "decimal": lambda size: rng.integers(-30, 30, size) / 10,
        "real": lambda size: rng.normal(size=size) * 10.0 ** rng.integers(-8, 9),
        "mixed": lambda size: np.where(rng.random(size) < 0.5, 1, 7),
    }[kind]((systems, items))
    present = rng.random((systems, items)) < draw(st.sampled_from([0.0, 0.5, 1.0]))
    return [f"s{i}" for i in range(systems)], values, present


def twin(values, present):
    """Every pair by itself, in exact sums."""
    k = len(values)
    count, own, squares = np.zeros((k, k), dtype=int), np.zeros((k, k)), np.zeros((k, k))
    for i in range(k):
        for j in range(k):
            both = present[i] & present[j]
            x, y = values[i][both].astype(float), values[j][both].astype(float)
            count[i, j], own[i, j] = both.sum(), math.fsum(x.tolist())
            squares[i, j] = math.fsum(((x - y) ** 2).tolist())
    alone = [math.fsum((x[there].astype(float) ** 2).tolist()) for x, there in zip(values, present, strict=True)]
    return count, own, squares, np.array(alone)


def assert_close(moments, expected, values):
    size = max(1.0, float(np.abs(values).max(initial=0.0)))
    for name, table in zip(TABLES, expected, strict=True):
        scale = {"count": 0.0, "own": size, "squares": size**2, "own_squares": size**2}[name]
        np.testing.assert_allclose(getattr(moments, name), table, rtol=1e-11, atol=1e-11 * scale * values.shape[1])


@given(boards())
def test_against_a_naive_twin(board):
    names, values, present = board
    assert_close(moments_of(names, values, present), twin(values, present), values)


@given(boards(), st.data())
def test_moments_of_any_split_add_up_to_the_whole(board, data):
    names, values, present = board
    whole = moments_of(names, values, present)
    place = np.array(data.draw(st.lists(st.integers(0, 2), min_size=values.shape[1], max_size=values.shape[1])), dtype=int)
    parts = [moments_of(names, values[:, place == i], present[:, place == i]) for i in range(3)]
    total = total_of(parts)
    assert_close(total, tuple(getattr(whole, name) for name in TABLES), values)
    assert (total.systems, total.items, total.worth) == (whole.systems, whole.items, whole.worth)
    assert (total.least, total.largest) == (whole.least, whole.largest)
    if whole.worth is not None:
        for name in TABLES:
            assert getattr(total, name).tobytes() == getattr(whole, name).tobytes()


@given(boards())
def test_the_order_of_items_changes_no_bit_of_a_chunk(board):
    names, values, present = board
    turned = moments_of(names, values[:, ::-1], present[:, ::-1])
    for name in TABLES:
        assert getattr(turned, name).tobytes() == getattr(moments_of(names, values, present), name).tobytes()


def test_several_chunks_are_summed():
    rng = np.random.default_rng(3)
    present = rng.random((3, 2500)) < 0.8
    for values in (rng.normal(size=(3, 2500)), rng.integers(0, 2, (3, 2500))):
        assert_close(moments_of(["a", "b", "c"], values, present), twin(values, present), values)
    binary = rng.integers(0, 2, (3, 40_000))
    everywhere = np.ones(binary.shape, dtype=bool)
    assert_close(moments_of(["a", "b", "c"], binary, everywhere), twin(binary, everywhere), binary)


def test_parts_may_know_different_systems():
    rng = np.random.default_rng(4)
    values, present = rng.integers(0, 2, (4, 30)), rng.random((4, 30)) < 0.7
    present[0, :15] = present[3, 15:] = False
    names = np.array(["a", "b", "c", "d"])
    parts = [
        moments_of(names[keep], values[keep][:, at], present[keep][:, at])
        for keep, at in (([3, 1, 2], slice(0, 15)), ([0, 2, 1], slice(15, 30)))
    ]
    total, whole = total_of(parts, names.tolist()), moments_of(names, values, present)
    assert total_of(parts).systems == ("d", "b", "c", "a")
    for name in TABLES:
        assert getattr(total, name).tobytes() == getattr(whole, name).tobytes()


@pytest.mark.parametrize(
    ("parts", "common"),
    [
        (([1, 0], [0, 0]), (0, 1)),
        (([0, 0], [0, 0]), (0, 1)),
        (([1, 0], [100, 0]), None),
        (([1, 0], [0.5, 1]), None),
        (([100, 0], [100, 100]), (0, 100)),
        (([-1, -1], [1, 1]), (-1, 1)),
        (([-1, 1], [5, 0]), None),
        (([0.75, 1], [0.75, 1]), (0.75, 1)),
        (([0.75, 0.75], [0.75, 0.75]), None),
    ],
)
def test_what_right_is_worth_in_all_parts(parts, common):
    found = total_of([moments_of(["a"], np.array([scores]), np.ones((1, 2), dtype=bool)) for scores in parts]).worth
    assert (found and (found.wrong, found.right)) == common


@given(boards(binary=True))
@settings(max_examples=40)
def test_against_permutation_test(board):
    names, values, present = board
    left, right = pairs_of(len(names))
    table = binary_pairs(moments_of(names, values, present), left, right)
    for row, (i, j) in enumerate(zip(left, right, strict=True)):
        both = present[i] & present[j]
        assert table.n[row] == both.sum()
        if not both.any():
            assert math.isnan(table.difference[row])
            assert table.log_p[row] == 0.0
            continue
        a, b = values[i][both], values[j][both]
        assert table.difference[row] == pytest.approx(a.mean() - b.mean())
        assert table.p[row] == pytest.approx(osc.permutation_test(a, b).value, rel=1e-12)
        assert np.exp(table.log_better[row]) == pytest.approx(
            osc.permutation_test(a, b, alternative="greater").value, rel=1e-12
        )


@pytest.mark.parametrize("size", [1, 2, 17, 1_000, 30_000])
def test_binomial_tails_against_term_by_term(size):
    n = np.full(60, size)
    k = np.unique(np.concatenate([np.linspace(0, size, 58).astype(int), [size - 1, size]]))
    n = np.full(len(k), size)
    np.testing.assert_allclose(binomial.log_better(k, n - k), binomial.log_tail(n, k), rtol=1e-13, atol=1e-13)


def test_binomial_tails_against_whole_numbers():
    n, k = 5_000, np.array([3_900, 4_400, 4_990, 4_999, 5_000])
    exact = [math.log(sum(math.comb(n, i) for i in range(int(m), n + 1))) - n * math.log(2) for m in k]
    np.testing.assert_allclose(binomial.log_better(k, n - k), exact, rtol=1e-14)
    np.testing.assert_allclose(binomial.log_two_sided(n - k, k), np.array(exact) + math.log(2), rtol=1e-14)


def test_a_million_items_apart_underflow_nothing():
    wins = np.array([10**6, 10**6, 0])
    log_p = binomial.log_two_sided(wins, np.array([0, 10**5, 10**6]))
    assert log_p[0] == pytest.approx((1 - 10**6) * math.log(2), rel=1e-15)
    assert np.isfinite(log_p).all()
    assert log_p[2] == log_p[0]


def test_student_against_scipy():
    rng = np.random.default_rng(5)
    values, present = rng.normal(0.5, 0.2, (4, 300)).round(3), rng.random((4, 300)) < 0.9
    left, right = pairs_of(4)
    table = student_pairs(moments_of("abcd", values, present), left, right)
    for row, (i, j) in enumerate(zip(left, right, strict=True)):
        both = present[i] & present[j]
        found = scipy.stats.ttest_rel(values[i][both], values[j][both])
        assert table.p[row] == pytest.approx(found.pvalue, rel=1e-9)
        interval = found.confidence_interval()
        assert (table.low[row], table.high[row]) == pytest.approx((interval.low, interval.high), rel=1e-9)
        one_sided = scipy.stats.ttest_rel(values[i][both], values[j][both], alternative="greater").pvalue
        assert np.exp(table.log_better[row]) == pytest.approx(one_sided, rel=1e-9)


def test_student_where_nothing_varies():
    values = np.array([[1.5, 2.5, 3.5], [1.0, 2.0, 3.0], [1.5, 2.5, 3.5]])
    table = student_pairs(moments_of("abc", values, np.ones((3, 3), dtype=bool)), *pairs_of(3))
    assert table.log_p.tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(table.low).all()


def test_t_tails_against_the_scalar_ones():
    df, t = np.array([4, 50, 900, 10_000]), np.array([-1.5, 3.0, 60.0, 80.0])
    assert log_t_tails(df, t).tolist() == pytest.approx([log_t_tail(*pair) for pair in zip(df, t, strict=True)], rel=1e-12)


@pytest.mark.parametrize("kind", ["binary", "percent", "share", "real", "constant"])
def test_scores_against_the_intervals_of_one_system(kind):
    rng = np.random.default_rng(6)
    values = {
        "binary": lambda: rng.integers(0, 2, (3, 80)),
        "percent": lambda: 100 * rng.integers(0, 2, (3, 80)),
        "share": lambda: rng.random((3, 80)),
        "real": lambda: rng.normal(3, 2, (3, 80)),
        "constant": lambda: np.full((3, 80), 3.25),
    }[kind]()
    present = rng.random(values.shape) < 0.9
    found = system_scores(moments_of("abc", values, present))
    for i in range(3):
        metric, rows, _ = resolve("mean", values[i][present[i]], values[i][present[i]])
        low, high = (math.nan if end is None else end for end in own_intervals([OwnRows(rows, rows)], metric)[0])
        assert found.value[i] == pytest.approx(values[i][present[i]].mean(), rel=1e-12)
        assert (found.low[i], found.high[i]) == pytest.approx((low, high), rel=1e-8, nan_ok=True)


def test_flips_against_all_of_them():
    """2^10 arrangements listed one by one; the sampled p lies where 20,000 draws put it."""
    rng = np.random.default_rng(7)
    values = rng.normal(0, 1, (3, 10)) + np.array([[0.0], [0.3], [0.6]])
    moments = moments_of("abc", values, np.ones(values.shape, dtype=bool))
    whole = np.rint(np.ldexp(values, fixed_shift(max(-moments.least, moments.largest), 10)))
    left, right = pairs_of(3)
    totals = flipped_totals(whole, list(range(100, 110)), resamples=20_000, seed=1)
    table = sampled_pairs(moments, left, right, totals)
    signs = 1 - 2 * ((np.arange(1024)[:, None] >> np.arange(10)) & 1)
    for row, (i, j) in enumerate(zip(left, right, strict=True)):
        d = values[i] - values[j]
        sums = signs @ d
        assert table.p[row] == pytest.approx((np.abs(sums) >= abs(d.sum()) - 1e-9).mean(), abs=0.015)
        assert np.exp(table.log_better[row]) == pytest.approx((sums >= d.sum() - 1e-9).mean(), abs=0.015)


def test_ties_count_and_identical_systems_have_p_one():
    # ±.1 ±.2 ±.3: |sum| ≥ .6 for 2 of 8 arrangements and the sum .1 + .2 ties with .3 in between.
    values = np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0], [0.1, 0.2, 0.3], [0.3, 0.0, 0.0]])
    moments = moments_of("abcd", values, np.ones(values.shape, dtype=bool))
    whole = np.rint(np.ldexp(values, fixed_shift(0.3, 3)))
    totals = flipped_totals(whole, [5, 6, 7], resamples=999, seed=0)
    table = sampled_pairs(moments, *pairs_of(4), totals)
    p = {(int(i), int(j)): float(x) for i, j, x in zip(table.left, table.right, table.p, strict=True)}
    assert p[0, 2] == 1.0
    assert p[1, 3] == 1.0
    assert p[0, 1] == pytest.approx(0.25, abs=0.05)
    assert min(p.values()) >= 1 / 1000


@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(0, 40))
@settings(max_examples=25)
def test_flipped_totals_add_up_over_any_split(seed, items, cut):
    rng = np.random.default_rng(seed)
    whole, keys = rng.integers(-1000, 1000, (3, items)), rng.integers(0, 2**63, items).tolist()
    both = flipped_totals(whole, keys, resamples=70, seed=seed % 100)
    parts = [flipped_totals(whole[:, s], keys[s], resamples=70, seed=seed % 100) for s in (slice(0, cut), slice(cut, None))]
    assert (both == parts[0] + parts[1]).all()
    assert both[0].tolist() == whole.sum(axis=1).tolist()


def test_blocks_of_items_change_no_total(monkeypatch):
    rng = np.random.default_rng(8)
    whole, keys = rng.integers(-1000, 1000, (2, 50)), list(range(50))
    before = flipped_totals(whole, keys, resamples=30, seed=3)
    monkeypatch.setattr("outscore.inference.pairwise.moments.ITEMS", 7)
    assert (flipped_totals(whole, keys, resamples=30, seed=3) == before).all()


def test_coins_are_fair_and_independent_between_items():
    totals = flipped_totals(np.eye(8, dtype=int), list(range(8)), resamples=4000, seed=9)[1:]
    assert np.abs(totals.mean(axis=0)).max() < 4 / math.sqrt(4000)
    assert np.abs(np.corrcoef(totals.T) - np.eye(8)).max() < 4 / math.sqrt(4000)


def test_hits_against_a_loop():
    rng = np.random.default_rng(10)
    totals = rng.integers(-9, 10, (60, 4))
    left, right = pairs_of(4)
    for slack in (0, 2):
        far, above, below = pair_hits(totals, left, right, slack)
        for row, (i, j) in enumerate(zip(left, right, strict=True)):
            gaps = totals[:, i] - totals[:, j]
            assert far[row] == sum(abs(gap) >= abs(gaps[0]) - slack for gap in gaps[1:])
            assert below[row] == sum(gap <= gaps[0] + slack for gap in gaps[1:])
            assert above[row] == sum(gap >= gaps[0] - slack for gap in gaps[1:])


@pytest.mark.parametrize("unknown", [[[1.0], [0.5]], [[1.0, 2.0, 3.0], [0.5, 1.5, 2.5]]])
def test_a_dataset_whose_error_nobody_knows_leaves_the_macro_average_untested(unknown):
    """A single common item, or differences that are all the same; those that are all 0 are known."""
    pair = np.array([0]), np.array([1])
    varying = moments_of(["x", "y"], np.array([[3, 5, 4, 8], [1, 2, 3, 4]]), np.ones((2, 4), dtype=bool))

    def with_dataset(values):
        return macro_student([varying, moments_of(["x", "y"], np.array(values), np.ones(np.shape(values), dtype=bool))], *pair)[
            0
        ]

    assert with_dataset(unknown) == 0.0
    assert with_dataset([[1.0, 2.0], [1.0, 2.0]]) < -1
