"""The two-way test: against a naive twin with loops, its properties, and its level where runs differ."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.inference.base.entry import NoSpreadError
from outscore.inference.base.question import TestRequest
from outscore.inference.two_way import RunNoise, Spread, TwoWay, run_noise, two_way_of_means, two_way_of_rows

MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
F1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))


def naive(a, b) -> tuple[float, float, float]:
    """Difference, standard error and degrees of freedom, by the definition and with loops."""
    n = len(a)
    sizes, variances, residual = [], [], []
    for y in (a, b):
        runs = len(y[0])
        grand = sum(map(sum, y)) / (n * runs)
        by_run = [sum(y[i][r] for i in range(n)) / n for r in range(runs)]
        by_item = [sum(row) / runs for row in y]
        ms_run = n * sum((m - grand) ** 2 for m in by_run) / (runs - 1)
        squares = sum((y[i][r] - by_item[i] - by_run[r] + grand) ** 2 for i in range(n) for r in range(runs))
        sizes.append(runs)
        variances.append(ms_run / (n * runs))
        residual.append(squares / ((n - 1) * (runs - 1)) / (n * runs))
    d = [sum(x) / len(x) - sum(y) / len(y) for x, y in zip(a, b, strict=True)]
    mean = sum(d) / n
    v = sum((x - mean) ** 2 for x in d) / (n - 1) / n
    items = max(0.0, v - sum(residual))
    total = items + sum(max(r, e / 2) for r, e in zip(variances, residual, strict=True))
    f = sum(1 / k for k in sizes) ** 2 / sum(1 / (k * k * (k - 1)) for k in sizes)
    own = sum(r * r / (k - 1) for r, k in zip(variances, sizes, strict=True))
    return mean, math.sqrt(total), total**2 / (items**2 / (n - 1) + max(own, sum(variances) ** 2 / f))


@given(st.integers(2, 9), st.integers(2, 5), st.integers(2, 5), st.integers(0, 2**32), st.booleans())
def test_it_is_the_definition(n, runs_a, runs_b, seed, shifted):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, runs_a)), rng.normal(size=(n, runs_b))
    if shifted:
        a += rng.normal(size=runs_a)
    found = two_way_of_means(a, b)
    assert (found.difference, found.error, found.df) == pytest.approx(naive(a.tolist(), b.tolist()), rel=1e-9)
    of_both = 2 * scipy.special.stdtr(found.df, -abs(found.difference) / found.error)
    of_items = scipy.stats.ttest_rel(a.mean(axis=1), b.mean(axis=1)).pvalue
    assert found.p().value == pytest.approx(max(of_both, of_items), rel=1e-9)


def test_new_runs_never_make_a_claim_surer_than_new_items_alone():
    """Runs whose scores happen to agree: the items' own spread is what is left to go by."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.3, 1, (10, 3)), rng.normal(size=(10, 3))
    a, b = a - a.mean(axis=0) + 0.3, b - b.mean(axis=0)
    found = two_way_of_means(a, b)
    alone = scipy.stats.ttest_rel(a.mean(axis=1), b.mean(axis=1))
    assert 2 * scipy.special.stdtr(found.df, -abs(found.difference) / found.error) < alone.pvalue
    assert found.p().value == pytest.approx(alone.pvalue)
    interval, expected = found.interval(), alone.confidence_interval()
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


@given(st.integers(0, 2**32), st.sampled_from(["two-sided", "greater", "less"]), st.sampled_from([1, -1]))
def test_the_interval_holds_what_is_not_rejected(seed, alternative, orientation):
    rng = np.random.default_rng(seed)
    found = two_way_of_means(rng.normal(size=(8, 3)) + rng.normal(size=3), rng.normal(size=(8, 4)))
    interval = found.interval(TestRequest(alternative, alpha=0.1), orientation=orientation)
    for end in (interval.low, interval.high):
        if end is not None:
            assert found.p(TestRequest(alternative, end), orientation=orientation).value == pytest.approx(0.1, rel=1e-6)


def test_swapping_the_systems_changes_the_sign_alone():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(20, 3)), rng.normal(size=(20, 5))
    one, other = two_way_of_means(a, b), two_way_of_means(b, a)
    assert (one.difference, one.error, one.df) == pytest.approx((-other.difference, other.error, other.df))
    assert one.p(TestRequest("greater")).value == pytest.approx(other.p(TestRequest("less")).value)
    assert one.p(TestRequest("greater")).value == pytest.approx(one.p(TestRequest("less"), orientation=-1).value)


def test_a_mean_by_its_rows_is_the_mean():
    rng = np.random.default_rng(4)
    a, b = rng.random((30, 3)), rng.random((30, 4))
    by_rows = two_way_of_rows(*(np.stack([y, np.ones_like(y)], axis=-1) for y in (a, b)), MEAN)
    by_means = two_way_of_means(a, b)
    assert (by_rows.difference, by_rows.error, by_rows.df) == pytest.approx(
        (by_means.difference, by_means.error, by_means.df), rel=1e-9
    )


def test_a_metric_that_is_no_mean_is_judged_by_its_runs_scores():
    rng = np.random.default_rng(5)
    a, b = (np.stack([rng.poisson(4, (60, k)), rng.poisson(2, (60, k))], axis=-1) for k in (3, 4))
    found = two_way_of_rows(a, b, F1)
    scores = [F1.score(rows.sum(axis=0)) for rows in (a, b)]
    assert found.difference == pytest.approx(scores[0].mean() - scores[1].mean())
    assert found.a.between == pytest.approx(scores[0].var(ddof=1) / 3)
    # Items have no effects either, so the jackknife of a run, averaged over runs, says nearly the same as the residuals.
    without = np.array([F1.score(np.delete(a, i, axis=0).sum(axis=0)) for i in range(60)])
    jackknife = 59 / 60 * ((without - without.mean(axis=0)) ** 2).sum(axis=0)
    assert found.a.within == pytest.approx(jackknife.mean() / 3, rel=0.2)


def test_runs_that_agree_up_to_rounding_are_no_burden():
    """Degrees of freedom of 1e60 were a number that no machine could hold."""
    noise = RunNoise(3, 1e-34, 0.01, 18.0)
    found = TwoWay(0.2, Spread(0.015, 9.0, 10), noise, noise)
    assert found.df == math.inf
    assert found.p().value == pytest.approx(2 * scipy.special.stdtr(9, -0.2 / math.sqrt(0.015)))


def test_no_spread_at_all():
    same = np.ones((4, 3))
    assert two_way_of_means(same, same).p().value == 1.0
    assert two_way_of_means(same, same).interval().low == 0.0
    with pytest.raises(NoSpreadError, match="in every item and run"):
        two_way_of_means(same, 0 * same).p()
    # Rounding is no spread: .1 added up is not .1 times three.
    third = np.full((5, 3), 0.1)
    assert two_way_of_means(third + 0.2, np.full((5, 3), 0.3)).p().value == 1.0


def test_a_single_run_says_nothing_of_runs():
    with pytest.raises(OutscoreError, match="at least two runs"):
        run_noise(np.ones((5, 1)))


def test_unequal_runs_are_guarded():
    """Ten runs with a visible effect and two that happen to agree: Welch alone would trust the two."""
    many, few = RunNoise(10, 1e-4, 0.0, 9.0), RunNoise(2, 1e-12, 0.0, 1.0)
    found = TwoWay(0.0, Spread(1e-9, 999, 1000), few, many)
    assert found.df == pytest.approx((1 / 2 + 1 / 10) ** 2 / (1 / 4 + 1 / 900), rel=1e-3)


def test_clusters_of_items_count_as_one_each():
    rng = np.random.default_rng(6)
    clusters = np.repeat([0, 1, 2, 3], [2, 5, 9, 14])
    a, b = rng.normal(size=(30, 3)) + rng.normal(size=4)[clusters, None], rng.normal(size=(30, 3))
    found, alone = two_way_of_means(a, b, clusters), two_way_of_means(a, b)
    assert found.difference == alone.difference
    assert (found.a, found.b) == (alone.a, alone.b)
    assert (found.items.units, alone.items.units) == (4, 30)
    assert found.items.df < 3
    assert found.items.variance > alone.items.variance
    assert found.p().n == 4
    with pytest.raises(NoSpreadError, match="two items or clusters"):
        two_way_of_means(a, b, np.zeros(30, dtype=int)).p()


def rejections(n: int, runs: tuple[int, int], effects: tuple[float, float], replicates: int) -> tuple[float, float]:
    """The shares of data sets without a difference that the paired t test of item means and the two-way test reject.

    Right-or-wrong items of logit N(1.2, 1.5²), and an effect of each whole run with the given standard deviations.
    """
    rng = np.random.default_rng(20)
    items = both = 0
    for _ in range(replicates):
        logit = rng.normal(1.2, 1.5, (n, 1))
        a, b = (
            (rng.random((n, k)) < scipy.special.expit(logit + rng.normal(0, sd, k))).astype(float)
            for k, sd in zip(runs, effects, strict=True)
        )
        found = two_way_of_means(a, b)
        items += 2 * scipy.stats.t.sf(abs(found.difference) / math.sqrt(found.items.variance), n - 1) <= 0.05
        both += found.p().value <= 0.05
    return items / replicates, both / replicates


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "runs", "effects", "ignored", "most"),
    [
        (1000, (3, 3), (0.0, 0.0), (0.03, 0.06), 0.03),
        (1000, (3, 3), (0.1, 0.1), (0.18, 0.25), 0.065),
        (1000, (3, 3), (0.2, 0.2), (0.42, 0.50), 0.065),
        (2000, (5, 5), (0.2, 0.2), (0.56, 0.63), 0.065),
        (1000, (3, 3), (0.2, 0.0), (0.28, 0.37), 0.075),
        (1000, (3, 10), (0.2, 0.0), (0.36, 0.45), 0.075),
        (1000, (3, 10), (0.2, 0.2), (0.43, 0.52), 0.065),
        (1000, (2, 2), (0.2, 0.2), (0.40, 0.49), 0.11),
        (1000, (2, 5), (0.2, 0.0), (0.34, 0.43), 0.11),
    ],
)
def test_level_where_whole_runs_differ(n, runs, effects, ignored, most):
    """Item means alone reject in half of all data sets; the two-way test keeps its level."""
    items, both = rejections(n, runs, effects, 10_000)
    assert ignored[0] < items < ignored[1]
    assert both <= most
