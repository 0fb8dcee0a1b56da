"""All pairs at once equal each pair alone, whichever way they are tested."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.variants import a_few

import outscore as osc
from outscore.core.metric import AdditiveMetric
from outscore.inference.base.discordance import Discordance, tango_interval
from outscore.inference.base.question import TestRequest
from outscore.inference.pairwise.corpus import Flipped, drawn_scores, hits_of, ranges, shared_table, summable
from outscore.inference.pairwise.macro import macro_tested
from outscore.inference.pairwise.moments import binary_table, tango_limits
from outscore.inference.pairwise.per_pair import PairTest, exact_rows, pair_rows
from outscore.inference.pairwise.table import own_scores, pairs_of
from outscore.metrics.registry import resolve
from outscore.resampling import flip_bits
from outscore.results.pvalue import PValue
from outscore.scores.panel import Panel

MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
F1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))
PLAIN = {"method": "auto", "resamples": 999}


def names(rows):
    return tuple(f"s{number}" for number in range(len(rows)))


def means(values, present=None):
    values = np.asarray(values)
    present = np.ones(values.shape, dtype=bool) if present is None else present
    rows = np.stack([np.where(present, values, 0), present.astype(values.dtype)], axis=2)
    return Panel(MEAN, names(rows), rows, present)


counts = st.tuples(st.integers(0, 400), st.integers(0, 400), st.integers(0, 300))


@given(st.lists(counts, min_size=1, max_size=20), st.sampled_from([0.05, 0.01, 0.3]))
@settings(max_examples=50)
def test_tango_limits_against_the_scalar_interval(cells, alpha):
    wins, losses, same = np.array(cells).T
    n = np.maximum(wins + losses + same, 1)
    table = binary_table(np.zeros(len(n)), np.ones(len(n)), n, wins, losses, alpha=alpha)
    low, high = tango_limits(n, wins, losses, table.log_p, alpha)
    for i, p in enumerate(table.p.tolist()):
        pair = Discordance(int(n[i]), int(wins[i]), int(losses[i]), 1.0, 1)
        wanted = tango_interval(pair, TestRequest(alpha=alpha), PValue(p, p, p, 0.0, "exact", "binomial"))
        assert (low[i], high[i]) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


@given(arrays(np.int64, (3, 40), elements=st.integers(0, 1)))
@settings(max_examples=30)
def test_binary_pairs_against_permutation_test(right):
    left, second = pairs_of(3)
    wins = np.array([((right[i] > right[j]).sum(), (right[j] > right[i]).sum()) for i, j in zip(left, second, strict=True)]).T
    table = binary_table(left, second, np.full(3, 40), *wins)
    for row, (i, j) in enumerate(zip(left, second, strict=True)):
        for alternative, log in (("two-sided", table.log_p), ("greater", table.log_better), ("less", table.log_worse)):
            p = osc.permutation_test(right[i], right[j], alternative=alternative)
            assert log[row] == pytest.approx(p.log10 * math.log(10), abs=1e-12)


def test_the_p_of_all_pairs_are_found_once():
    """A ranking asks for them pair by pair: found anew each time they would take the square of the pairs."""
    counts = (np.arange(3), np.arange(3, 6), np.full(3, 50), np.array([6, 8, 9]), np.array([1, 2, 9]))
    table = binary_table(*counts, unit=1.0, orientation=1, alpha=0.05, intervals=False)
    assert table.p is table.p


def test_binary_tails_do_not_underflow():
    table = binary_table(*(np.array([x]) for x in (0, 1, 20_000, 20_000, 0)))
    assert table.log_p[0] == pytest.approx((1 - 20_000) * math.log(2))
    assert table.p[0] == 5e-324


def test_systems_without_common_items_are_not_tested():
    table = binary_table(*(np.array([x]) for x in (0, 1, 0, 0, 0)))
    assert not table.testable[0]
    assert table.p[0] == 1.0
    assert np.isnan(table.difference[0])


@pytest.mark.parametrize("kind", a_few(["decimals", "real", "clusters"], 1))
def test_single_pairs_against_permutation_test(kind):
    random = np.random.default_rng(5)
    values = random.normal(0.5, 0.3, (4, 60)) + np.array([0.25, 0.1, 0.0, 0.0])[:, None]
    values = values.round(1) if kind == "decimals" else values
    present = random.random((4, 60)) < 0.8
    clusters = random.integers(0, 20, 60) if kind == "clusters" else None
    rows = means(values, present)
    rows = Panel.of(MEAN, names(rows.rows), rows.rows, present, clusters=clusters)
    pairs = np.stack(pairs_of(4), axis=1)
    found = pair_rows(rows, PairTest("permutation", TestRequest(options=PLAIN), sides=True), pairs)
    for row, (i, j) in enumerate(pairs.tolist()):
        both = present[i] & present[j]
        chosen = None if clusters is None else clusters[both]
        alone = osc.permutation_test(values[i][both], values[j][both], clusters=chosen)
        claim = math.exp(found.numbers[row, 4])
        if alone.method == "certified":
            assert claim == pytest.approx(alone.upper, rel=1e-9)
            assert found.numbers[row, 8] == pytest.approx(alone.log10 * math.log(10))
        else:
            assert claim == pytest.approx(alone.value, rel=1e-9)
        assert found.numbers[row, 1] == pytest.approx(values[i][both].mean() - values[j][both].mean())
        student = osc.compare(values[i][both], values[j][both], test="student", clusters=chosen).interval
        assert found.numbers[row, 2:4] == pytest.approx([student.low, student.high])
        for column, side in ((5, "greater"), (6, "less")):
            one = osc.permutation_test(values[i][both], values[j][both], clusters=chosen, alternative=side)
            # Where ties are not known the larger p is taken.
            assert math.exp(found.numbers[row, column]) >= one.lower * (1 - 1e-9)


def test_far_tails_are_bounded_from_above():
    random = np.random.default_rng(0)
    values = np.stack([random.normal(1.0, 1.0, 300), np.zeros(300)])
    found = pair_rows(means(values), PairTest("permutation", TestRequest(options=PLAIN)), np.array([[0, 1]]))
    alone = osc.permutation_test(*values)
    assert alone.value < 1e-20
    assert alone.upper * (1 - 1e-9) <= math.exp(found.numbers[0, 4]) <= 1.3 * alone.upper


def test_a_test_that_cannot_judge_one_pair_says_so_and_goes_on():
    rows = means([[2.0, 3.0, 4.0, 6.0], [1.0, 2.0, 3.0, 5.0], [1.0, 3.0, 2.0, 2.0]])
    found = pair_rows(rows, PairTest("student", TestRequest(), own_interval=True), np.stack(pairs_of(3), axis=1))
    assert found.numbers[0, 4] == 0.0
    assert list(found.remarks) == [0]
    assert "Undecided" in found.remarks[0]
    assert found.numbers[1, 4] < 0


def test_shared_flips_against_the_naive_twin():
    random = np.random.default_rng(1)
    rows = random.integers(0, 6, (3, 25, 2))
    systems = Panel.of(F1, names(rows), rows)
    flipped = Flipped((summable(systems),), *pairs_of(3), 7)
    hits = sum(hits_of(flipped, part) for part in ranges(300, 120))
    signs = 1 - 2 * flip_bits(25, 0, 300, 7).astype(int)
    for i, (left, right) in enumerate(zip(*pairs_of(3), strict=True)):
        observed = F1.score(rows[left].sum(axis=0)) - F1.score(rows[right].sum(axis=0))
        a = np.where(signs[:, :, None] > 0, rows[left], rows[right]).sum(axis=1)
        b = np.where(signs[:, :, None] > 0, rows[right], rows[left]).sum(axis=1)
        moved = F1.score(a) - F1.score(b)
        slack = 1e-12
        assert hits[i].tolist() == [
            (abs(moved) >= abs(observed) - slack).sum(),
            (moved >= observed - slack).sum(),
            (moved <= observed + slack).sum(),
        ]


def test_shared_intervals_against_compare():
    random = np.random.default_rng(2)
    rows = random.integers(0, 9, (3, 24, 2)) + 1
    systems = summable(Panel.of(F1, names(rows), rows))
    flipped = Flipped((systems,), *pairs_of(3), 0)
    draws = np.concatenate([drawn_scores(systems, 0, part) for part in ranges(4_999)])
    table = shared_table(flipped, np.full(3, 24), np.zeros((3, 3), dtype=int), draws, 999, 0.05)
    for i, (left, right) in enumerate(zip(*pairs_of(3), strict=True)):
        alone = osc.compare(rows[left], rows[right], metric="f1").interval
        assert (table.low[i], table.high[i]) == pytest.approx((alone.low, alone.high), rel=1e-9)


def test_exact_ratio_against_permutation_test():
    random = np.random.default_rng(3)
    rows = random.integers(0, 4, (3, 40, 2))
    found = exact_rows(Panel.of(F1, names(rows), rows), np.stack(pairs_of(3), axis=1))
    for row, (i, j) in enumerate(zip(*pairs_of(3), strict=True)):
        for column, side in enumerate(("two-sided", "greater", "less")):
            alone = osc.permutation_test(rows[i], rows[j], metric="f1", alternative=side)
            assert math.exp(found[row, column]) == pytest.approx(alone.value, rel=1e-9)


def test_macro_average_against_a_weighted_test():
    random = np.random.default_rng(4)
    sizes, columns = (12, 30), []
    datasets = []
    for size in sizes:
        values = (random.random((2, size)) < np.array([[0.7], [0.4]])).astype(int)
        datasets.append(means(values))
        columns.append((values[0] - values[1]) * (60 // size))
    found = macro_tested(datasets, TestRequest(options=PLAIN), False, np.array([[0, 1]]))
    line = np.concatenate(columns)
    alone = osc.permutation_test(np.maximum(line, 0), np.maximum(-line, 0), metric="sum")
    assert math.exp(found[0, 0]) == pytest.approx(alone.value, rel=1e-9)


def test_scores_and_own_intervals_against_compare():
    random = np.random.default_rng(6)
    for values in ((random.random((2, 50)) < 0.6).astype(int), random.random((2, 50)), random.normal(3, 9, (2, 50))):
        metric, _, _ = resolve("mean", values[0], values[1])
        own = own_scores(means(values), "permutation", 0.05)
        alone = osc.compare(*values)
        assert metric.name == "mean"
        assert means(values).scores() == pytest.approx([score.value for score in alone.scores])
        assert own.low == pytest.approx([score.low for score in alone.scores])
        assert own.high == pytest.approx([score.high for score in alone.scores])


def test_items_worth_a_hundred_are_items_worth_one():
    # One dataset is tied, so that nothing but the scale itself says what an item is worth.
    left = np.array([1] * 5 + [0] * 5 + [1] * 6 + [0] * 4)
    right = np.array([0] * 5 + [1] * 5 + [0] * 6 + [0] * 4)
    sets = ["d1"] * 10 + ["d2"] * 10
    plain = osc.rank({"a": left, "b": right}, dataset=sets)
    percent = osc.rank({"a": 100 * left, "b": 100 * right}, dataset=sets)
    assert percent.pairs[0].p == plain.pairs[0].p
    assert percent.pairs[0].difference == 100 * plain.pairs[0].difference


def test_many_datasets_of_unlike_sizes():
    rng = np.random.default_rng(4)
    sizes = [int(n) for n in rng.integers(200, 400, 60)]
    sets = np.repeat(np.arange(60), sizes)
    scores = {name: rng.integers(0, 2, len(sets)) for name in "ab"} | {"c": rng.integers(0, 3, len(sets))}
    assert 0 < osc.rank({name: scores[name] for name in "ab"}, dataset=sets).pairs[0].p.value <= 1
    assert 0 < osc.rank(scores, dataset=sets, baseline="c").pairs[0].p.value <= 1


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_better_is_the_side_of_the_metric(direction):
    """The left system has far more of what is counted, which is better or worse."""
    metric = AdditiveMetric("share", ("hits", "others"), ratio=((1, 0), (1, 1)), direction=direction)
    rows = np.array([[[5, 1]] * 20, [[1, 5]] * 20])
    flipped = Flipped((summable(Panel.of(metric, names(rows), rows)),), np.array([0]), np.array([1]), 3)
    table = shared_table(flipped, np.array([20]), hits_of(flipped, (0, 999)), None, 999, 0.05)
    for_left, against_left = (table.log_better[0], table.log_worse[0])[:: 1 if direction == "higher" else -1]
    assert for_left == pytest.approx(math.log(1 / 1000))
    assert against_left == pytest.approx(0.0)
