"""Rows, repeats and clusters as views, and metrics as functions of column sums."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles
from tests.inference.asking import codes_of

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import ADDENDS, MIN_ADDENDS, combine, distinct, exact_sum, median, quantiles
from outscore.core.rows import PairedScores

labels = st.lists(st.integers(0, 4), min_size=1, max_size=12)


@settings(max_examples=80)
@given(items=labels, data=st.data())
def test_items_are_averaged(items, data):
    """Every item counts once, in order of first appearance, whatever the numbers of repeats."""
    rows = data.draw(st.lists(st.integers(0, 9), min_size=len(items), max_size=len(items)))
    table = np.array(rows)[:, None]
    view = PairedScores(table, -table, 10, codes_of(items)).per_item()
    expected = [
        Fraction(sum(r for r, i in zip(rows, items, strict=True) if i == item), 10 * items.count(item))
        for item in dict.fromkeys(items)
    ]
    assert view.integral
    assert [Fraction(int(x), view.scale) for x in view.a[:, 0]] == expected
    assert (view.a == -view.b).all()
    assert view.items is None


@settings(max_examples=80)
@given(clusters=labels, data=st.data())
def test_clusters_are_summed(clusters, data):
    rows = data.draw(
        st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), min_size=len(clusters), max_size=len(clusters))
    )
    view = PairedScores(np.array(rows), np.array(rows), 1, None, codes_of(clusters)).collapsed()
    assert view.a.tolist() == [[int(x) for x in row] for row in oracles.grouped(rows, clusters)]
    assert view.clusters is None


def test_units_are_items_then_clusters():
    """Two repeats of one item, one of another, both in one cluster: means first, then their sum."""
    a = np.array([[2], [4], [10], [7]])
    pairs = PairedScores(a, 0 * a, 1, np.array([0, 0, 1, 2]), np.array([0, 0, 0, 1]))
    units = pairs.units()
    assert (units.a / units.scale).tolist() == [[13.0], [7.0]]


def test_repeats_beyond_exact_integers_become_real():
    big = np.full((5, 1), 2**50)
    view = PairedScores(big, big, 1, np.array([0, 0, 0, 1, 1])).per_item()
    assert not view.integral
    assert view.a[:, 0].tolist() == [2.0**50, 2.0**50]


def test_what_is_known_of_numbers_stays_with_them_and_with_their_parts():
    a, b = np.array([[math.pi], [0.5]]), np.array([[math.e], [0.25]])
    pairs = PairedScores(a, b, 1, np.array([0, 1]), np.array([0, 0])).known_real()
    assert pairs.real
    assert pairs.labelled(pairs.items, None).real
    assert pairs.part(a[1:], b[1:]).real
    assert pairs.collapsed().real
    # Other numbers are other numbers: nobody has looked at them.
    assert not replace(pairs, a=b).real
    assert not PairedScores(a, b).part(a[:1], b[:1]).real


def test_totals_are_correctly_rounded():
    """Ten times .1 is 1, as integers over a scale and as floats."""
    assert PairedScores(np.full((10, 1), 1), np.full((10, 1), 2), 10).totals()[0].tolist() == [1.0]
    assert PairedScores(np.full((10, 1), 0.1), np.full((10, 1), 0.2)).totals()[1].tolist() == [2.0]


@settings(max_examples=60)
@given(
    rows=st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=5),
    weights=st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=4), min_size=1, max_size=3),
)
def test_combine_against_a_matrix_product(rows, weights):
    expected = [[sum(w * x for w, x in zip(vector, [*row, 1], strict=False)) for vector in weights] for row in rows]
    assert combine(np.array(rows), weights).tolist() == expected


@settings(max_examples=60)
@given(data=st.data())
def test_ratios_against_fractions(data):
    """u·x / v·x, 0 where that is undefined, over any leading axes."""
    u, v = (data.draw(st.lists(st.integers(-3, 3), min_size=3, max_size=3)) for _ in "uv")
    totals = data.draw(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=6))
    metric = AdditiveMetric("own", ("x", "y", "z"), ratio=(u, v))
    score = oracles.ratio(u, v)
    expected = [float(score([Fraction(x) for x in row])) for row in totals]
    assert metric.score(np.array(totals)).tolist() == pytest.approx(expected, rel=1e-15)
    assert metric.score(np.array([totals, totals])).shape == (2, len(totals))


@pytest.mark.parametrize(
    "make",
    [
        lambda: AdditiveMetric("x", ("a",)),
        lambda: AdditiveMetric("x", ("a",), ratio=((1, 2), None)),
        lambda: AdditiveMetric("x", ("a",), ratio=((1,), (1, 1))),
        lambda: AdditiveMetric("x", ("a",), ratio=((0.5,), None)),
        lambda: AdditiveMetric("x", ("a",), lambda t: t[..., 0], direction="up"),
    ],
    ids=["neither", "too long", "unequal", "fractions", "direction"],
)
def test_broken_metrics_are_refused(make):
    with pytest.raises(OutscoreError, match="`x`"):
        make()


@pytest.mark.parametrize("spread", [1, 30, 300])
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), extra=st.lists(st.floats(-1e300, 1e300), max_size=4))
def test_exact_sums_against_fsum(spread, seed, extra):
    """Many numbers of all sizes and both signs, the last bit included; what cancels leaves the smallest bits behind."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=MIN_ADDENDS) * 2.0 ** rng.integers(-spread, spread + 1, MIN_ADDENDS)
    for numbers in (x, np.append(x, extra), np.concatenate([x, -x[:-1]]), np.round(x, 3), np.zeros(MIN_ADDENDS), x[::2]):
        assert exact_sum(numbers) == math.fsum(numbers.tolist())


@pytest.mark.parametrize("x", [5e-324, 1e-300, 1.7e308 / MIN_ADDENDS, 2.0**52 + 1])
def test_exact_sums_at_the_ends_of_the_range(x):
    numbers = np.full(MIN_ADDENDS, x)
    assert exact_sum(numbers) == math.fsum(numbers.tolist())


@pytest.mark.parametrize("where", [0, ADDENDS - 1, ADDENDS, 2 * ADDENDS + 4])
def test_exact_sums_of_several_parts(where):
    """What cancels lies in different parts, and what is left of it is rounded once."""
    numbers = np.random.default_rng(where).normal(0, 1, 2 * ADDENDS + 5)
    numbers[where], numbers[where - 7] = 1e17, -1e17
    assert exact_sum(numbers) == math.fsum(numbers.tolist())
    numbers[where] = 1e-300
    assert exact_sum(numbers) == math.fsum(numbers.tolist())


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9))
def test_median_is_that_of_numpy(numbers):
    assert median(np.array(numbers)) == np.median(numbers)


@given(
    st.lists(st.floats(-1e6, 1e6) | st.integers(-5, 5), min_size=1, max_size=40),
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
)
def test_quantiles_and_distinct_numbers_are_those_of_numpy(numbers, levels):
    x = np.array(numbers)
    assert quantiles(x, levels) == np.quantile(x, levels).tolist()
    assert distinct(x).tolist() == np.unique(x).tolist()


def test_quantiles_of_what_is_undefined_are_undefined():
    assert np.isnan(quantiles(np.array([1.0, np.nan, 2.0]), (0.25, 0.5))).all()


whole_floats = st.one_of(st.integers(-9, 9).map(float), st.sampled_from([2.0**53, 2.0**53 - 1, -(2.0**52), 1e300]))


@given(rows=st.lists(st.tuples(whole_floats, st.floats(-1e6, 1e6)), min_size=1, max_size=12))
def test_floats_add_up_without_rounding_whether_they_are_whole_or_not(rows):
    """As fractions add up, rounded once; sums of whole numbers beyond 2^53 too."""
    sums, _ = PairedScores(np.array(rows), np.array(rows)).sums
    assert sums.tolist() == [float(sum(map(Fraction, column))) for column in zip(*rows, strict=True)]
