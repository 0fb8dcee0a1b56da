"""Evaluation units: equal, in order, in the metric's own columns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import item_scores
from outscore.inference.describe.effects import evaluation_units, unit_advisor
from outscore.metrics.registry import resolve


def paired(a, b, metric="mean", **more):
    additive, x, y = resolve(metric, np.asarray(a), np.asarray(b))
    return PairedScores(x, y, **more), additive


scores = st.lists(st.integers(0, 100).map(lambda x: x / 100), min_size=1, max_size=30)


@given(a=scores, size=st.integers(2, 6), statistic=st.sampled_from(["mean", "median"]), shuffle=st.none() | st.integers(0, 9))
def test_against_a_loop(a, size, statistic, shuffle):
    b = a[::-1]
    if size > len(a):
        return
    pairs, metric = paired(a, b)
    units, remainder = evaluation_units(pairs, metric, size, statistic, shuffle)
    assert remainder == len(a) % size
    assert units.rows == len(a) // size
    order = range(len(a)) if shuffle is None else np.random.Generator(np.random.Philox(key=shuffle)).permutation(len(a))
    function = {"mean": np.mean, "median": np.median}[statistic]
    for system, found in ((a, units.a), (b, units.b)):
        listed = [system[i] for i in order]
        expected = [float(function(listed[i * size : (i + 1) * size])) for i in range(units.rows)]
        assert metric.score(found) == pytest.approx(expected, abs=1e-12)


@given(a=scores, size=st.integers(1, 6), statistic=st.sampled_from(["mean", "median"]))
def test_decimals_stay_decimals(a, size, statistic):
    """Units of numbers recognised as written are recognised too: their ties count."""
    if size > len(a):
        return
    pairs, metric = paired(a, a[::-1])
    units, _ = evaluation_units(pairs, metric, size, statistic)
    found = item_scores(units, metric, "test")
    assert found.whole is not None


def test_any_additive_metric_keeps_its_meaning():
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 5, (20, 3)), rng.integers(0, 5, (20, 3))
    pairs, f1 = paired(a, b, "f1")
    units, remainder = evaluation_units(pairs, f1, 6)
    assert remainder == 2
    tp, fp, fn = a[6:12].sum(axis=0)
    assert f1.score(units.a)[1] == pytest.approx(2 * tp / (2 * tp + fp + fn))
    total = f1.score(units.a.sum(axis=0))
    assert total == pytest.approx(float(f1.score(pairs.a[:18].sum(axis=0))))


def test_sums_and_counts_take_medians_too():
    pairs, accuracy = paired([[1, 1], [0, 2], [2, 0], [1, 1]], [[0, 2], [0, 2], [2, 0], [2, 0]], "accuracy")
    units, _ = evaluation_units(pairs, accuracy, 4, "median")
    assert accuracy.score(units.a).tolist() == [0.5]
    assert accuracy.score(units.b).tolist() == [0.5]
    pairs, total = paired([1.0, 5.0, 2.0, 8.0], [0.0, 0.0, 1.0, 1.0], "sum")
    units, _ = evaluation_units(pairs, total, 4, "median")
    assert total.score(units.a).tolist() == [3.5]


def test_size_one_changes_nothing():
    pairs, metric = paired([1.0, 2.0], [0.5, 0.1], clusters=np.array([0, 0]))
    assert evaluation_units(pairs, metric, 1, shuffle=4) == (pairs, 0)


def test_repeats_are_averaged_before_units_are_made():
    pairs, metric = paired([1, 0, 1, 1, 0, 0], [0, 0, 0, 1, 0, 1], items=np.array([0, 0, 1, 1, 2, 2]))
    units, remainder = evaluation_units(pairs, metric, 2)
    assert remainder == 1
    assert metric.score(units.a).tolist() == [0.75]
    assert metric.score(units.b).tolist() == [0.25]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"size": 0}, "`unit_size` is 0."),
        ({"size": 4}, "`unit_size` is 4, but there are only 3 items."),
        ({"size": 2, "statistic": "mode"}, "`unit_statistic` is 'mode'."),
        ({"size": 2, "clusters": np.array([0, 1, 1])}, "`unit_size` is 2, but items are in clusters."),
        (
            {"size": 2, "statistic": "median", "metric": "f1"},
            "The median of a unit needs one score per item, but f1 is not a mean of such scores here.",
        ),
    ],
)
def test_refusals(arguments, message):
    f1 = arguments.pop("metric", None)
    table = [[3, 1, 0], [1, 0, 0], [2, 2, 1]] if f1 else [1.0, 2.0, 3.0]
    pairs, metric = paired(table, table, f1 or "mean", clusters=arguments.pop("clusters", None))
    with pytest.raises(OutscoreError) as found:
        evaluation_units(pairs, metric, **arguments)
    assert found.value.message == message
    assert found.value.hint


def test_the_advisor_by_hand():
    rng = np.random.default_rng(8)
    a, b = rng.normal(0.2, 1, 47), rng.normal(0, 1, 47)
    pairs, metric = paired(a, b)
    rows = unit_advisor(pairs, metric)
    assert [(r.size, r.units, r.remainder) for r in rows] == [
        (1, 47, 0),
        (2, 23, 1),
        (5, 9, 2),
        (10, 4, 7),
        (15, 3, 2),
        (20, 2, 7),
    ]
    d = (a - b)[:45].reshape(9, 5).mean(axis=1)
    assert rows[2].sd == pytest.approx(d.std(ddof=1))
    assert rows[2].d_z == pytest.approx(d.mean() / d.std(ddof=1))
    assert rows[2].p == pytest.approx(osc.permutation_test(d, np.zeros(9)).value)


def test_the_advisor_on_any_metric_and_on_nothing():
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 5, (20, 3)), rng.integers(0, 5, (20, 3))
    pairs, f1 = paired(a, b, "f1")
    (row,) = unit_advisor(pairs, f1, (5,))
    first, second = ([2 * t / (2 * t + p + n) for t, p, n in table.reshape(4, 5, 3).sum(axis=1)] for table in (a, b))
    d = np.array(first) - np.array(second)
    assert (row.sd, row.d_z) == pytest.approx((d.std(ddof=1), d.mean() / d.std(ddof=1)))
    assert row.p == osc.permutation_test(*(table.reshape(4, 5, 3).sum(axis=1) for table in (a, b)), metric="f1").value
    same, metric = paired([1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert [(r.sd, r.d_z, r.p) for r in unit_advisor(same, metric, (1,))] == [(0.0, None, 1.0)]
    one, metric = paired([1.0], [2.0])
    assert [(r.sd, r.d_z, r.p) for r in unit_advisor(one, metric)] == [(None, None, 1.0)]


def test_the_advisor_refuses_clusters():
    pairs, metric = paired([1.0, 2.0], [0.0, 1.0], clusters=np.array([0, 0]))
    with pytest.raises(OutscoreError, match="clusters"):
        unit_advisor(pairs, metric)
