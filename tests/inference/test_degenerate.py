"""Data that leave nothing to measure: all zeros, nothing to count, no spread, sums; one honest answer for each."""

from __future__ import annotations

import numpy as np
import pytest
from tests.inference.asking import ask, pairs_of

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.core.options import complete
from outscore.core.rows import PairedScores
from outscore.inference.base.discordance import discordance, tango_interval
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.analysis import analyse
from outscore.inference.describe.effects import effects
from outscore.inference.registry import TESTS
from outscore.metrics.registry import resolve
from outscore.results.note import note_texts


def run(name, a, b, metric, **asked):
    additive, rows_a, rows_b = resolve(metric, np.asarray(a), np.asarray(b))
    options = complete(name, TESTS[name].options, {})
    return TESTS[name].run(PairedScores(rows_a, rows_b), additive, TestRequest(**asked, options=options))


ERRORS = np.array([[0, k] for k in (1, 2, 3) * 10])
OTHER_ERRORS = np.array([[0, 2]] * 30)
RIGHT = np.array([[k, 0] for k in (1, 2, 3) * 10])
STILL = "No interval: the difference in f1 is the same in every resample, so nothing shows how far it could move."


@pytest.mark.parametrize(
    ("a", "b", "difference"),
    [(ERRORS, OTHER_ERRORS, 0), (0 * ERRORS, 0 * ERRORS, 0), (RIGHT, ERRORS, 1), (ERRORS, RIGHT, -1)],
    ids=["no true positive", "nothing to count", "perfect against wrong", "wrong against perfect"],
)
def test_an_f1_that_never_moves_has_no_interval(a, b, difference):
    found = run("permutation", a, b, "f1")
    assert (found.p.statistic, found.interval) == (difference, None)
    assert found.p.value == (1.0 if difference == 0 else pytest.approx(2.0**-29))
    assert note_texts(found.notes) == [STILL]


def test_nothing_to_count_in_a_few_units():
    found = run("permutation", np.zeros((3, 2), dtype=int), np.zeros((3, 2), dtype=int), "f1")
    assert (found.p.value, found.interval) == (1.0, None)
    assert "too few units to resample" in found.notes[0].text


def test_limits_of_zero_have_no_sign():
    found = run("permutation", RIGHT, RIGHT, "f1").interval
    assert (str(found.low), str(found.high), found.estimate) == ("0.0", "0.0", 0.0)


def test_nobody_right_is_a_table_of_right_and_wrong():
    """Tango's interval then, as for any other table without discordant items, for the metric mean and for accuracy."""
    zeros = np.zeros(30, dtype=int)
    pair = discordance(pairs_of(zeros, zeros), resolve("mean", zeros, zeros)[0])
    assert (pair.n, pair.only_a, pair.only_b, pair.unit) == (30, 0, 0, 1.0)
    for metric in ("mean", "accuracy"):
        found = run("permutation", zeros, zeros, metric)
        assert found.p.value == 1.0
        assert found.interval == tango_interval(pair, TestRequest(), found.p)
        assert found.interval.high == pytest.approx(-found.interval.low)
    ones = zeros + 1
    assert run("permutation", ones, ones, "mean").interval.high == pytest.approx(found.interval.high)


@pytest.mark.parametrize("name", [name for name, entry in TESTS.items() if entry.on != "any"])
def test_sums_are_left_to_the_tests_of_any_metric(name):
    a, b = np.random.default_rng(1).normal(size=(2, 30))
    with pytest.raises(OutscoreError, match=f"`{name}` compares scores per item, but sum is a sum over the items") as refusal:
        run(name, a, b, "sum")
    assert "`permutation` or `bootstrap`" in refusal.value.hint


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_a_sum_is_as_certain_as_its_mean(side):
    a, b = np.round(np.random.default_rng(2).normal(size=(2, 30)), 1)
    for name in ("permutation", "bootstrap"):
        total, mean = (run(name, a, b, metric, alternative=side) for metric in ("sum", "mean"))
        assert total.p.value == mean.p.value
        assert total.p.statistic == pytest.approx(30 * mean.p.statistic)
        assert total.interval.estimate == pytest.approx(30 * mean.interval.estimate)
        for limit, other in ((total.interval.low, mean.interval.low), (total.interval.high, mean.interval.high)):
            assert limit == (None if other is None else pytest.approx(30 * other, rel=1e-3))
    assert run("permutation", a, b, "sum", delta=3.0).p.value == run("permutation", a, b, "mean", delta=0.1).p.value


def test_a_sum_is_described_by_its_items_and_advised_as_a_whole():
    a, b = np.random.default_rng(3).normal(size=(2, 60))
    metric, rows_a, rows_b = resolve("sum", a, b)
    pairs = PairedScores(rows_a, rows_b)
    found = analyse(pairs, metric)
    assert found.systems["a"].mean == pytest.approx(a.mean())
    assert {advice.test for advice in found.tests.usable} == {"bootstrap", "block-bootstrap"}
    mean, mean_a, mean_b = resolve("mean", a, b)
    assert effects(pairs, metric) == effects(PairedScores(mean_a, mean_b), mean)


@pytest.mark.parametrize("constant", [[0.4, 0.9, 0.7, 1.3, 2.0, 1.1], [1, 2, 3, 4, 5, 6]])
def test_constant_differences(constant):
    """Tests that judge by spread refuse them; tests that need none answer."""
    a = np.array(constant)
    b = np.round(a - 0.1, 1) if a.dtype.kind == "f" else a - 1
    for name in ("student", "bootstrap", "bootstrap-t", "bootstrap-median", "block-bootstrap", "bayes"):
        with pytest.raises(NoSpreadError, match="needs differences that vary") as refusal:
            ask(TESTS[name], a, b)
        assert refusal.value.hint == "Use `permutation`, which does not."
    for name in ("permutation", "wilcoxon", "sign"):
        assert ask(TESTS[name], a, b).p.value == 2.0**-5
    median = ask(TESTS["permutation-median"], a, b)
    # Four of six flipped differences must keep their sign for the median to stay.
    assert (median.p.value, median.interval) == (2 * (15 + 6 + 1) / 64, None)
    assert "the differences do not vary" in median.notes[-1].text


@pytest.mark.parametrize("name", [name for name in TESTS if name != "mcnemar"])
def test_identical_systems_with_graded_scores(name):
    a = np.round(np.random.default_rng(4).normal(size=20), 2)
    assert ask(TESTS[name], a, a).p.value == 1.0


@pytest.mark.parametrize("alpha", [0.0, 1.0, 5.0, -0.1, float("nan")])
def test_normality_has_a_level_of_its_own(alpha):
    a, b = np.random.default_rng(5).exponential(size=(2, 100))
    metric, rows_a, rows_b = resolve("mean", a, b)
    with pytest.raises(OutscoreError, match="`normality_alpha` is"):
        analyse(PairedScores(rows_a, rows_b), metric, normality_alpha=alpha)


def test_resamples_of_the_permutation_test_are_bounded_too():
    with pytest.raises(OutscoreError, match=r"`resamples` is 1,000,000,000\. It must be at most 1,000,000\."):
        TestRequest(options={"method": "monte-carlo", "resamples": 10**9})


def test_differences_whose_squares_are_nothing_leave_the_power_unmeasured():
    a, b = np.random.default_rng(0).normal(0.1, 1, (2, 60)) * 1e-170
    assert 0 < osc.compare(a, b, clusters=np.arange(60) // 3).p.value < 1
