"""Max-T against the enumeration of all swaps, and within comparisons of slices."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore import compare, permutation_test
from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.rows import PairedScores
from outscore.inference import families as module
from outscore.inference.base.question import TestRequest
from outscore.inference.families import adjust, max_t, max_t_of_pair
from outscore.metrics.registry import resolve
from outscore.workflows.validate import check_correction


def all_swaps(units):
    """Every arrangement of the signs but the observed one."""
    return np.array(list(itertools.product([1, -1], repeat=units)))[1:]


def step_down(observed, draws):
    """The naive twin: claim the strongest first, each against the largest of those that are left."""
    table = np.vstack([observed, draws])
    t = np.abs(table / np.sqrt((table**2).mean(axis=0)))
    adjusted, last = [None] * t.shape[1], 0.0
    left = list(range(t.shape[1]))
    while left:
        strongest = max(left, key=lambda j: t[0, j])
        share = np.mean([max(row[j] for j in left) >= t[0, strongest] - 1e-9 for row in t])
        last = max(last, share)
        adjusted[strongest] = last
        left.remove(strongest)
    return adjusted


tables = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.lists(st.integers(-4, 4), min_size=m, max_size=m), min_size=2, max_size=6)
)


@given(d=tables)
def test_against_enumeration(d):
    d = np.array(d)
    d = d[:, d.any(axis=0)]
    if not d.shape[1]:
        return
    draws = all_swaps(len(d)) @ d
    adjusted = max_t(d.sum(axis=0), draws)
    assert adjusted == pytest.approx(step_down(d.sum(axis=0), draws), rel=1e-12)
    raw = [float(permutation_test(column, np.zeros_like(column))) for column in d.T]
    assert (adjusted >= np.array(raw) - 1e-12).all()


def test_one_statistic_gets_its_own_p():
    d = np.array([3, 1, 4, 1, 5, -2])
    draws = all_swaps(6) @ d[:, None]
    assert max_t([d.sum()], draws)[0] == pytest.approx(float(permutation_test(d, np.zeros(6))), rel=1e-12)


def test_copies_of_one_metric_cost_nothing():
    d = np.repeat(np.array([[3], [1], [4], [1], [5], [-2]]), 5, axis=1)
    draws = all_swaps(6) @ d
    assert max_t(d.sum(axis=0), draws).tolist() == [max_t(d.sum(axis=0)[:1], draws[:, :1])[0]] * 5


def test_units_of_a_statistic_do_not_matter():
    d = np.array([[3, 1], [1, 2], [4, 0], [1, -1], [5, 3], [-2, 2]])
    draws = all_swaps(6) @ d
    scaled = np.array([1000.0, 0.001])
    assert (max_t(d.sum(axis=0), draws) == max_t(d.sum(axis=0) * scaled, draws * scaled)).all()


def test_nothing_differs():
    assert max_t([0.0, 0.0], np.zeros((99, 2))).tolist() == [1.0, 1.0]


def test_p_is_never_zero_and_one_sided_looks_one_way():
    d = np.ones((40, 2))
    draws = np.random.default_rng(0).choice([-1, 1], size=(999, 40)) @ d
    assert max_t(d.sum(axis=0), draws).tolist() == [0.001, 0.001]
    assert max_t(-d.sum(axis=0), draws, side="upper").tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("observed", "draws", "words"),
    [
        ([1.0], np.zeros((5, 2)), "`draws` has shape (5, 2) for (1,) observed statistics."),
        ([1.0], np.full((5, 1), np.nan), "A statistic is not a finite number in every resample."),
    ],
)
def test_refusals(observed, draws, words):
    with pytest.raises(OutscoreError) as found:
        max_t(observed, draws)
    assert found.value.message == words


REAL = (
    AdditiveMetric("mean", ("top", "bottom", "rest"), ratio=((1, 0, 0), None)),
    AdditiveMetric("quotient", ("top", "bottom", "rest"), ratio=((1, 0, 0), (0, 1, 0))),
    AdditiveMetric("root", ("top", "bottom", "rest"), function=lambda x: np.sqrt(x[..., 0] + x[..., 2])),
)


@pytest.mark.parametrize("metrics", [("f1", "precision", "recall"), REAL], ids=["counts", "real"])
def test_metrics_of_one_pair_and_any_block_size(monkeypatch, metrics):
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 9, (30, 3)), rng.integers(1, 9, (30, 3))
    a[:, 0] += 2
    if metrics is REAL:
        a, b = a + rng.random(a.shape), b + rng.random(b.shape)
    members, raw = [], []
    for name in metrics:
        metric, rows_a, rows_b = resolve(name, a, b)
        members.append((PairedScores(rows_a, rows_b), metric, np.arange(30)))
        raw.append(float(permutation_test(a, b, metric=name)))
    asked = TestRequest(seed=3, options={"resamples": 1999})
    found = max_t_of_pair(members, asked)
    assert (found >= np.array(raw) - 0.01).all()
    assert (found <= adjust(raw, "holm") + 0.01).all()
    monkeypatch.setattr(module, "BLOCK_ENTRIES", 37 * 30)
    assert (max_t_of_pair(members, asked) == found).all()


def test_lower_is_better_turns_the_alternative():
    loss = AdditiveMetric("loss", ("sum",), ratio=((1,), None), direction="lower")
    members = [(PairedScores(np.full((12, 1), 1), np.full((12, 1), 4)), loss, np.arange(12))]
    assert max_t_of_pair(members, TestRequest("greater", options={"resamples": 999}))[0] < 0.01
    assert max_t_of_pair(members, TestRequest("less", options={"resamples": 999}))[0] == 1.0


def slices_of(n, parts, seed):
    rng = np.random.default_rng(seed)
    return rng.random(n) < 0.7, rng.random(n) < 0.6, [f"part {i % parts}" for i in range(n)]


def compare_slices(a, b, column, values, **asked):
    """The slices of a comparison, the family they make, and notes on those that were left out."""
    found = compare(a, b, slices={column: values}, **asked)
    whole, *parts = found.comparisons
    return parts, found.family, [note for note in whole.notes if note.kind == "omission"]


def test_slices_of_one_pair():
    a, b, values = slices_of(500, 5, 4)
    parts, family, _ = compare_slices(a, b, "topic", values, correction="max-t")
    holm, _, _ = compare_slices(a, b, "topic", values, correction="holm")
    assert (family.correction, family.error_rate, family.m) == ("max-t", "FWER", 5)
    for part, other in zip(parts, holm, strict=True):
        assert part.p.value == other.p.value
        assert part.p.value <= part.p.adjusted <= other.p.adjusted + 0.005
    # Disjoint slices are independent, so the smallest p is adjusted as by Šidák.
    smallest = min(parts, key=lambda part: part.p.value).p
    assert smallest.adjusted == pytest.approx(1 - (1 - smallest.value) ** 5, abs=0.03)


def test_clusters_across_slices_are_swapped_as_one():
    """Every document lies in both slices with the same differences, so the second slice costs nothing."""
    rng = np.random.default_rng(7)
    d = rng.integers(-3, 6, 25)
    a, values = np.concatenate([d, d]), ["x"] * 25 + ["y"] * 25
    documents = [f"d{i}" for i in range(25)] + [f"d{i}" for i in range(25)]
    parts, _, _ = compare_slices(a, np.zeros(50, dtype=int), "half", values, clusters=documents, correction="max-t")
    alone, _, _ = compare_slices(a, np.zeros(50, dtype=int), "half", values, correction="max-t")
    assert [p.p.adjusted for p in parts] == pytest.approx([p.p.value for p in parts], abs=0.01)
    assert alone[0].p.adjusted > parts[0].p.adjusted + 0.01


def test_slices_in_units_and_with_repeats():
    a, b, values = slices_of(240, 2, 5)
    units, family, _ = compare_slices(a, b, "topic", values, correction="max-t", unit_size=10, shuffle=1)
    assert family.m == 2
    assert all(part.p.adjusted >= part.p.value for part in units)
    items = [i // 4 for i in range(240)]
    values = [f"part {i % 2}" for i in items]
    repeats, _, _ = compare_slices(a, b, "topic", values, correction="max-t", items=items)
    assert all(part.p.adjusted >= part.p.value for part in repeats)


def test_identical_systems():
    parts, _, _ = compare_slices([1, 2, 3, 4], [1, 2, 3, 4], "s", ["x", "x", "y", "y"], correction="max-t")
    assert [(part.p.value, part.p.adjusted) for part in parts] == [(1.0, 1.0)] * 2


@pytest.mark.parametrize(
    ("correction", "asked", "words"),
    [
        ("max-t", {"test": "student"}, "test `student`"),
        ("max-t", {"delta": 0.1}, "`delta` = 0.1"),
        ("shaffer", {}, "three or more systems"),
        ("max-tt", {}, "There is no correction `max-tt`."),
    ],
)
def test_what_a_comparison_of_two_refuses(correction, asked, words):
    with pytest.raises(OutscoreError, match=words) as found:
        compare_slices([1, 2, 3, 5], [1, 1, 2, 2], "s", ["x", "x", "y", "y"], correction=correction, **asked)
    assert found.value.hint


@pytest.mark.parametrize("correction", ["max-t", "holm", "by"])
def test_what_it_accepts(correction):
    check_correction(correction, test="permutation", delta=0.0)
