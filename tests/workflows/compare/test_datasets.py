"""Macro averages over datasets as claims with sides, a tested difference and a margin, against enumeration of all swaps."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.variants import a_few

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.exact.bounded import log_p_of_mean

SYSTEMS = ("new", "old")


def table_of(parts: list[list[tuple[object, object]]], **columns: list[object]) -> pl.DataFrame:
    """Two systems on several datasets, each a list of both scores by item."""
    rows = [
        (f"{d}-{i}", f"set {d}", system, score)
        for d, part in enumerate(parts)
        for i, pair in enumerate(part)
        for system, score in zip(SYSTEMS, pair, strict=True)
    ]
    return pl.DataFrame(rows, schema=["id", "dataset", "system", "score"], orient="row").with_columns(**columns)


def macro_flips(parts: list[list[tuple[object, object]]], delta: Fraction = Fraction(0)) -> tuple[Fraction, list[Fraction]]:
    """The macro difference less delta, and its value under every division of the items' signs about delta."""
    worth = [(Fraction(str(a)) - Fraction(str(b)) - delta) / (len(parts) * len(part)) for part in parts for a, b in part]
    sums = [
        sum(sign * x for sign, x in zip(signs, worth, strict=True)) for signs in itertools.product((1, -1), repeat=len(worth))
    ]
    return sum(worth), sums


def share(sums: list[Fraction], observed: Fraction, alternative: str) -> float:
    at_least = {
        "two-sided": [abs(x) >= abs(observed) for x in sums],
        "greater": [x >= observed for x in sums],
        "less": [x <= observed for x in sums],
    }[alternative]
    return sum(at_least) / len(sums)


halves = st.sampled_from([0, 1])
tenths = st.integers(-15, 15).map(lambda k: k / 10)
datasets = st.lists(st.lists(st.tuples(halves, halves), min_size=1, max_size=5), min_size=2, max_size=3)
graded = st.lists(st.lists(st.tuples(tenths, tenths), min_size=1, max_size=4), min_size=2, max_size=3)


@given(parts=st.one_of(datasets, graded).filter(lambda parts: sum(map(len, parts)) > 2))
@settings(max_examples=120, deadline=None)
def test_sides_are_shares_of_all_swaps(parts):
    observed, sums = macro_flips(parts)
    table = table_of(parts)
    for alternative in ("two-sided", "greater", "less"):
        found = osc.compare(table, alternative=alternative)
        assert found.design.datasets == len(parts)
        assert found.difference == pytest.approx(float(observed), abs=1e-12)
        assert found.p.value == pytest.approx(share(sums, observed, alternative), rel=1e-9)


@given(parts=graded.filter(lambda parts: len({a - b for part in parts for a, b in part}) > 2), tenth=st.integers(-4, 4))
@settings(max_examples=90, deadline=None)
def test_graded_scores_are_swapped_about_delta(parts, tenth):
    """As on one dataset: the differences are taken as symmetric about it."""
    observed, sums = macro_flips(parts, Fraction(tenth, 10))
    found = osc.compare(table_of(parts), delta=tenth / 10)
    assert found.p.value == pytest.approx(share(sums, observed, "two-sided"), rel=1e-9)


def bounded_p(parts, margin: float, worst: float) -> float:
    """Gaffke's p of weighted items by drawing exponentials: one more item with the worst loss, as heavy as the heaviest."""
    weights = np.concatenate([np.full(len(part), 1 / (len(parts) * len(part))) for part in parts])
    d = np.array([a - b for part in parts for a, b in part], dtype=float)
    draws = np.random.default_rng(0).exponential(size=(200_000, len(d) + 1))
    sums = draws[:, 1:] @ (weights * (d + margin)) + draws[:, 0] * (margin - worst) * weights.max()
    return float((sums <= 0).mean())


def drawn(seed: int, sizes, levels=(0.8, 0.8)) -> list[list[tuple[int, int]]]:
    rng = np.random.default_rng(seed)
    return [[tuple(int(rng.random() < level) for level in levels) for _ in range(n)] for n in sizes]


@pytest.mark.parametrize(
    ("seed", "sizes", "margin"), a_few([(1, (12, 40), 0.1), (2, (30, 30), 0.05), (3, (5, 60, 25), 0.2)], 2)
)
def test_the_margin_of_right_or_wrong_items_is_that_of_bounded_means(seed, sizes, margin):
    parts = drawn(seed, sizes)
    found = osc.compare(table_of(parts), margin=margin)
    p = found.margin.noninferiority
    assert p.kernel == "bounded-mean"
    assert p.value == pytest.approx(bounded_p(parts, margin, 1.0), abs=4e-3)
    less = [[(b, a) for a, b in part] for part in parts]
    assert found.margin.equivalence.value == pytest.approx(max(p.value, bounded_p(less, margin, 1.0)), abs=4e-3)
    # The limit is the margin at which p is alpha.
    at_limit = osc.compare(table_of(parts), margin=-found.margin.limit).margin.noninferiority
    assert at_limit.value == pytest.approx(0.05, rel=1e-6)


def test_graded_scores_of_datasets_of_one_size_have_the_margin_of_pooled_ones():
    rng = np.random.default_rng(5)
    parts = [[tuple(rng.random(2).round(2).tolist()) for _ in range(20)] for _ in range(3)]
    table = table_of(parts)
    macro, pooled = (osc.compare(table, margin=0.2, dataset=dataset) for dataset in (None, "none"))
    assert macro.margin.noninferiority.value == pytest.approx(pooled.margin.noninferiority.value)
    assert macro.margin.limit == pytest.approx(pooled.margin.limit)


def test_silence_excludes_no_loss_that_the_smallest_dataset_may_hide():
    """Identical outputs: a loss of the margin may sit in one dataset, where it has not shown in so many items."""
    sizes, margin = (15, 400), 0.05
    parts = [[(i % 2, i % 2) for i in range(n)] for n in sizes]
    found = osc.compare(table_of(parts), margin=margin)
    hidden = (1 - margin * len(sizes)) ** min(sizes)
    assert hidden <= found.margin.noninferiority.value < 1.1 * hidden


def binomial(n: int, q: float) -> np.ndarray:
    return np.array([math.comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)])


@pytest.mark.parametrize("values", a_few([[0.0, -1.0], [1.0, -1.0], [0.05, -0.5]], 2))
@pytest.mark.parametrize(("sizes", "margin"), [((5, 40), 0.1), ((15, 15), 0.02)])
def test_a_true_loss_of_the_margin_passes_no_more_often_than_alpha(values, sizes, margin):
    """Exact: items of two differences, every division of the loss between two datasets."""
    (high, low), alpha = values, 0.05
    weights = np.concatenate([np.full(n, 1 / (2 * n)) for n in sizes])
    rejected = np.zeros([n + 1 for n in sizes], dtype=bool)
    for lost in itertools.product(*(range(n + 1) for n in sizes)):
        x = np.concatenate([np.r_[np.full(k, low), np.full(n - k, high)] for k, n in zip(lost, sizes, strict=True)])
        rejected[lost] = log_p_of_mean(x * weights, margin, 1.0, weights) <= math.log(alpha)
    both = 2 * (high + margin) / (high - low)
    for q in np.linspace(max(0.0, both - 1), min(1.0, both), 50):
        level = binomial(sizes[0], q) @ rejected @ binomial(sizes[1], both - q)
        assert level <= alpha + 1e-12


def test_a_gate_on_several_datasets():
    rng = np.random.default_rng(8)
    parts = [[tuple(int(rng.random() < level) for level in (0.8, 0.8)) for _ in range(n)] for n in (900, 500)]
    table = table_of(parts)
    gate = osc.gate(table, margin=0.08, systems=["old", "new"])
    compared = osc.compare(table, margin=0.08, systems=["new", "old"])
    assert gate.outcome == "pass"
    assert gate.comparison.design.datasets == 2
    assert gate.not_worse.value == compared.margin.noninferiority.value
    assert gate.interval.low == compared.margin.limit
    assert gate.worse.value == osc.compare(table, alternative="less", systems=["new", "old"]).p.value
    assert osc.gate(table, margin=0.0001, systems=["old", "new"]).outcome == "inconclusive"
    worse = table_of([[(int(bool(a and i % 4)), b) for i, (a, b) in enumerate(part)] for part in parts])
    assert osc.gate(worse, margin=0.02, systems=["old", "new"]).outcome == "fail"
    assert gate.to_text()
    assert "2 datasets" in gate.to_html()


@pytest.mark.parametrize("column", a_few(["seed", "epoch"], 1))
def test_claims_about_new_runs_have_sides_and_margins(column):
    rng = np.random.default_rng(3)
    rows = [
        (f"q{i}", f"set {d}", system, run, round(float(rng.normal(level, 0.2)), 2))
        for d, n in enumerate((12, 20))
        for i in range(n)
        for system, level in zip(SYSTEMS, (0.62, 0.6), strict=True)
        for run in range(3)
    ]
    table = pl.DataFrame(rows, schema=["id", "dataset", "system", column, "score"], orient="row")
    population = "these-items" if column == "epoch" else None
    two, more, less = (
        osc.compare(table, alternative=side, population=population, margin=0.3) for side in ("two-sided", "greater", "less")
    )
    assert two.population == more.population == ("these-items" if column == "epoch" else "items-and-runs")
    assert min(more.p.value, less.p.value) == pytest.approx(two.p.value / 2, rel=0.02)
    assert more.margin.noninferiority.value == two.margin.noninferiority.value < more.p.value
    assert osc.gate(table, margin=0.3, population=population, systems=["old", "new"]).outcome == "pass"


def test_lower_may_be_better():
    parts = drawn(4, (14, 30), (0.9, 0.5))
    table = table_of(parts)
    higher = osc.compare(table, alternative="greater", margin=0.1)
    lower = osc.compare(table, alternative="less", margin=0.1, direction="lower")
    assert lower.p.value == pytest.approx(higher.p.value)
    swapped = osc.compare(table, margin=0.1, direction="lower", systems=["old", "new"])
    assert swapped.margin.noninferiority.value == pytest.approx(higher.margin.noninferiority.value)
    assert swapped.margin.limit == pytest.approx(-higher.margin.limit)


def test_a_score_that_is_no_mean_has_sides_but_no_margin():
    rng = np.random.default_rng(6)
    rows = [
        (f"q{i}", f"set {d}", system, *rng.binomial(6, [level, 0.2, 1 - level]).tolist())
        for d, n in enumerate((25, 40))
        for i in range(n)
        for system, level in zip(SYSTEMS, (0.73, 0.7), strict=True)
    ]
    table = pl.DataFrame(rows, schema=["id", "dataset", "system", "tp", "fp", "fn"], orient="row")
    two, more, less = (osc.compare(table, metric="f1", alternative=side) for side in ("two-sided", "greater", "less"))
    assert more.p.value == pytest.approx(two.p.value / 2, rel=0.3)
    assert less.p.value == pytest.approx(1 - more.p.value, abs=1e-3)
    for ask in (osc.compare, osc.gate):
        with pytest.raises(OutscoreError, match="--dataset none"):
            ask(table, metric="f1", margin=0.1)


def test_nothing_makes_right_or_wrong_items_symmetric_about_a_margin():
    table = table_of(drawn(1, (12, 40)))
    plain, assumed = (osc.compare(table, margin=0.1, assume=word).margin for word in (None, "symmetric"))
    assert assumed.noninferiority.value == plain.noninferiority.value


def test_scores_of_any_range_have_the_margin_that_their_range_says():
    """Right and wrong are worth 100 and 0, or lie within the bounds that are given; the last digit of a weight is no score."""
    parts = drawn(2, (7, 31, 13))
    plain = osc.compare(table_of(parts), margin=0.1).margin
    hundred = table_of([[(100 * a, 100 * b) for a, b in part] for part in parts])
    for asked in ({}, {"bounds": (0, 100)}):
        found = osc.compare(hundred, margin=10, **asked).margin
        assert found.noninferiority.value == pytest.approx(plain.noninferiority.value)
        assert found.limit == pytest.approx(100 * plain.limit)
    tenths = table_of([[(a / 7, b / 7) for a, b in part] for part in parts])
    assert osc.compare(tenths, margin=0.1 / 7, bounds=(0, 1 / 7)).margin.limit == pytest.approx(plain.limit / 7)


def test_a_difference_other_than_0_of_right_or_wrong_items_is_tested_on_both_sides():
    table = table_of(drawn(3, (20, 45), (0.9, 0.5)))
    two = osc.compare(table, delta=0.1)
    sides = [osc.compare(table, delta=0.1, alternative=side).p.value for side in ("greater", "less")]
    assert two.p.value == pytest.approx(min(1.0, 2 * min(sides)))
    assert two.p.kernel == "bounded-mean"
