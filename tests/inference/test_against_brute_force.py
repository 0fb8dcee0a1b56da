"""Every metric, every side, with and without clusters, against all 2^n swaps in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles
from tests.variants import crossed

import outscore as osc
from outscore.inference.base.differences import Statistic
from outscore.metrics.registry import METRICS

SIDES = ("two-sided", "greater", "less")
small = st.integers(0, 3)


def identity(row: list[Any]) -> list[Any]:
    return row


CASES: dict[str, tuple[Any, Any, bool, int]] = {
    # metric: (input row → columns of the oracle, score of column totals, higher is better, input columns)
    "mean": (lambda r: [r[0], 1], oracles.ratio((1, 0), (0, 1)), True, 1),
    "sum": (identity, lambda x: x[0], True, 1),
    "weighted-mean": (lambda r: [r[0] * r[1], r[1]], oracles.ratio((1, 0), (0, 1)), True, 2),
    "accuracy": (identity, oracles.ratio((1, 0), (1, 1)), True, 2),
    "error-rate": (identity, oracles.ratio((1, 0), (0, 1)), False, 2),
    "f1": (identity, oracles.ratio((2, 0, 0), (2, 1, 1)), True, 3),
    "fbeta:beta=2": (identity, oracles.ratio((5, 0, 0), (5, 1, 4)), True, 3),
    "fbeta:beta=1/2": (identity, oracles.ratio((5, 0, 0), (5, 4, 1)), True, 3),
    "precision": (identity, oracles.ratio((1, 0, 0), (1, 1, 0)), True, 3),
    "recall": (identity, oracles.ratio((1, 0, 0), (1, 0, 1)), True, 3),
    "jaccard": (identity, oracles.ratio((1, 0, 0), (1, 1, 1)), True, 3),
    "mcc": (identity, oracles.mcc, True, 4),
    "balanced-accuracy": (identity, oracles.balanced, True, 4),
    "kappa": (identity, oracles.kappa, True, 4),
    "macro-f1": (identity, oracles.macro_f1, True, 4),
    "weighted-f1": (identity, oracles.weighted_f1, True, 4),
}


def test_every_metric_has_an_oracle() -> None:
    """Those of numbers beside right answers have theirs, and their rows, in tests/metrics/test_judged.py."""
    of_counts = {name for name, entry in METRICS.items() if entry.beside in ("", "classes")}
    assert {name.split(":")[0] for name in CASES} == of_counts


def check_p(metric: str, a: list[list[int]], b: list[list[int]], side: str, clusters: list[int] | None) -> None:
    columns, score, higher, _ = CASES[metric]
    expected, mid = oracles.brute_force(
        [columns(r) for r in a], [columns(r) for r in b], score, side, higher=higher, clusters=clusters
    )
    squeeze = (lambda rows: [r[0] for r in rows]) if len(a[0]) == 1 else identity
    p = osc.permutation_test(squeeze(a), squeeze(b), metric=metric, alternative=side, clusters=clusters)
    assert p.method == "exact"
    assert p.value == float(expected), (p, expected)
    assert p.lower == p.upper == p.value
    assert p.mid is None or p.mid == float(mid), (p, mid)


@pytest.mark.parametrize(("side", "metric"), crossed(SIDES, CASES))
@settings(max_examples=15)
@given(data=st.data())
def test_random_rows(metric: str, side: str, data: st.DataObject) -> None:
    """Nothing shared between the systems: any counts, any clusters."""
    width = CASES[metric][3]
    n = data.draw(st.integers(1, 7))
    rows = st.lists(st.lists(small, min_size=width, max_size=width), min_size=n, max_size=n)
    clusters = data.draw(st.none() | st.lists(st.integers(0, 4), min_size=n, max_size=n))
    check_p(metric, data.draw(rows), data.draw(rows), side, clusters)


@pytest.mark.parametrize("metric", CASES)
@settings(max_examples=15)
@given(data=st.data())
def test_binary_classification_with_shared_gold(metric: str, data: st.DataObject) -> None:
    """One label per item and the same gold for both systems, items alone and in clusters."""
    width = CASES[metric][3]
    n = data.draw(st.integers(1, 9))
    labels = st.lists(st.booleans(), min_size=n, max_size=n)
    gold, first, second = data.draw(labels), data.draw(labels), data.draw(labels)
    clusters = data.draw(st.none() | st.lists(st.integers(0, 4), min_size=n, max_size=n))

    def rows(answers: list[bool]) -> list[list[int]]:
        if width == 4:
            return [[g and x, x and not g, g and not x, not g and not x] for g, x in zip(gold, answers, strict=True)]
        if width == 3:
            return [[int(g and x), int(x and not g), int(g and not x)] for g, x in zip(gold, answers, strict=True)]
        right = [int(g == x) for g, x in zip(gold, answers, strict=True)]
        return [[r] for r in right] if width == 1 else [[r, 1 - r] if metric == "accuracy" else [1 - r, 1] for r in right]

    a, b = ([[int(x) for x in row] for row in rows(answers)] for answers in (first, second))
    check_p(metric, a, b, data.draw(st.sampled_from(SIDES)), clusters)


@pytest.mark.parametrize(("metric", "side"), [(metric, SIDES[i % len(SIDES)]) for i, metric in enumerate(CASES)])
def test_fourteen_units(metric: str, side: str) -> None:
    rng = np.random.default_rng(sum(map(ord, metric)))
    width = CASES[metric][3]
    gold = rng.integers(0, 2, 14)
    if width == 4:
        a, b = (osc.confusion(gold, rng.integers(0, 2, 14)).tolist() for _ in "ab")
    else:
        a, b = (rng.integers(0, 4, (14, width)).tolist() for _ in "ab")
    # The sides take turns; smaller numbers of units try all of them above.
    check_p(metric, a, b, side, None)


def both_odd(x):
    """Grows with u and v but for jumps at every odd number, which no coarse grid of rows sees."""
    u, v = np.rint(x[..., 0]), np.rint(x[..., 1])
    return u + v + 20 * (u % 2) + 20 * (v % 2)


@pytest.mark.parametrize("share", [0.35, 0.45, 0.5])
def test_a_metric_that_jumps_is_exact_or_sampled(share):
    metric = osc.AdditiveMetric("both odd", ("u", "v"), both_odd)
    rows = np.repeat(np.eye(2, dtype=int), 129, axis=0)
    swapped = (np.random.default_rng(6).random(258) < share)[:, None]
    a, b = np.where(swapped, 0, rows), np.where(swapped, rows, 0)
    found = osc.permutation_test(a, b, metric=metric)
    heads = np.stack(np.meshgrid(np.arange(130), np.arange(130)), axis=-1)
    moved = both_odd(heads) - both_odd(129 - heads)
    observed = both_odd(a.sum(axis=0)) - both_odd(b.sum(axis=0))
    law = scipy.stats.binom.pmf(np.arange(130), 129, 0.5)
    truth = (law[:, None] * law)[np.abs(moved) >= abs(observed)].sum()
    assert found.method == "exact"
    assert found.value == pytest.approx(truth, rel=1e-9)


def jump_at_odd(x):
    """Grows with u and v but for jumps at odd numbers of v, which nobody sees who looks at every second number."""
    u, v = np.rint(x[..., 0]), np.rint(x[..., 1])
    return u + v + 20 * (v % 2)


@pytest.mark.parametrize("swapped", [10, 17, 22, 31, 40, 50])
def test_two_kinds_of_flips_are_looked_at_one_by_one(swapped):
    """The region is searched by bisection only if it grows or shrinks along every row."""
    metric, size = osc.AdditiveMetric("jump", ("u", "v"), jump_at_odd), 41
    rows = np.tile(np.eye(2, dtype=int), (size, 1))
    other = (np.arange(2 * size) < swapped)[:, None]
    a, b = np.where(other, 0, rows), np.where(other, rows, 0)
    heads = np.stack(np.meshgrid(np.arange(size + 1), np.arange(size + 1)), axis=-1)
    moved = np.abs(jump_at_odd(heads) - jump_at_odd(size - heads))
    law = scipy.stats.binom.pmf(np.arange(size + 1), size, 0.5)
    truth = (law[:, None] * law)[moved >= abs(jump_at_odd(a.sum(axis=0)) - jump_at_odd(b.sum(axis=0)))].sum()
    assert osc.permutation_test(a, b, metric=metric).value == pytest.approx(truth, rel=1e-9)


def test_a_deep_tail_of_a_metric_of_unknown_shape_is_sampled():
    """A tilt would look at one end of the plane only, and nothing says that the region lies there; few sums are listed."""
    metric = osc.AdditiveMetric("both odd", ("u", "v"), both_odd)
    for many, method in ((129, "exact"), (641, "monte-carlo")):
        rows = np.repeat(np.eye(2, dtype=int), many, axis=0)
        swapped = (np.arange(2 * many) % many < many // 6)[:, None]
        found = osc.permutation_test(np.where(swapped, 0, rows), np.where(swapped, rows, 0), metric=metric)
        assert (found.method, found.n) == (method, 2 * many)
    rows = np.repeat(np.eye(2, dtype=int), 129, axis=0)
    # Where every point was looked at, and the region is a corner, p is exact however small.
    assert osc.permutation_test(rows, 0 * rows, metric=metric).log10 == pytest.approx(-257 * np.log10(2))


@pytest.mark.parametrize("unit", [1e-15, 1e-12, 1e-10, 1e-6, 1e6])
@pytest.mark.parametrize("metric", ["weighted-mean", "custom"])
def test_ties_are_relative_to_the_scores(unit, metric):
    """p does not depend on the unit of the scores, however small."""
    rng = np.random.default_rng(3)
    a, b = (np.stack([np.round(rng.normal(size=11), 1), rng.random(11) + 0.5], axis=1) for _ in range(2))
    custom = osc.AdditiveMetric("root", ("top", "bottom"), lambda x: x[..., 0] / np.sqrt(x[..., 1]))
    named = custom if metric == "custom" else metric
    scaled = [x * [unit, 1] for x in (a, b)]
    for method in ("auto", "monte-carlo"):
        plain, small = (osc.permutation_test(*pair, metric=named, method=method) for pair in ((a, b), scaled))
        assert small.value == pytest.approx(plain.value, rel=1e-12)


@settings(max_examples=60)
@given(st.integers(10**6, 10**7), st.integers(-5, 5), st.integers(-5, 5))
def test_sums_that_floats_cannot_tell_apart_are_compared_exactly(total, first, second):
    """Two ratios of large counts that differ by less than any tie of floats are no tie."""
    metric = osc.AdditiveMetric("ratio", ("bottom", "top"), ratio=((0, 1), (1, 0)))
    statistic = Statistic(metric, np.array([4 * total, 2 * total]), np.array([0, 2]), 1, integral=True)

    def difference(sums):
        bottom, top = sums
        return Fraction(2 * total + top, 4 * total + bottom) - Fraction(2 * total - top, 4 * total - bottom)

    here = difference((2 * first, 2 + 2 * second))
    expected = (here > difference((0, 2))) - (here < difference((0, 2)))
    assert statistic._compare(np.array([2 * first, 2 + 2 * second])) == expected
