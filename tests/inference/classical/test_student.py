"""Student's paired t test against scipy, statsmodels, arbitrary precision and real data."""

from __future__ import annotations

import csv
import math
from collections import defaultdict

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.asking import DEPRESSION, LOSS, SIDES, ask, scores_of

from outscore.core.errors import OutscoreError
from outscore.inference.base.question import TestRequest
from outscore.inference.classical.student import ENTRY, student
from outscore.laws import log_t_tail


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("delta", [0.0, 0.3, -0.2])
@pytest.mark.parametrize("swapped", [False, True])
def test_against_scipy(side, delta, swapped):
    rng = np.random.default_rng(5)
    a, b = rng.normal(0.2, 1, 40), rng.normal(0, 1, 40)
    if swapped:
        a, b = b, a
    expected = scipy.stats.ttest_1samp(a - b, delta, alternative=side)
    limits = expected.confidence_interval(0.9)
    found = ask(ENTRY, a, b, alternative=side, delta=delta, alpha=0.1)
    assert found.p.value == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.p.statistic == pytest.approx(expected.statistic, rel=1e-10)
    assert (found.p.test, found.p.method, found.p.n) == ("student", "asymptotic", 40)
    for limit, ours in ((limits.low, found.interval.low), (limits.high, found.interval.high)):
        assert ours is None if math.isinf(limit) else ours == pytest.approx(limit, rel=1e-9)


def test_lower_is_better_turns_the_side_and_not_the_number():
    rng = np.random.default_rng(6)
    a, b = rng.normal(0, 1, 20), rng.normal(0.5, 1, 20)
    better = ask(ENTRY, a, b, metric=LOSS, alternative="greater")
    expected = scipy.stats.ttest_rel(a, b, alternative="less")
    assert (better.p.value, better.p.statistic) == pytest.approx((expected.pvalue, expected.statistic), rel=1e-10)
    assert better.interval.low is None
    assert better.interval.high is not None


def test_hollander_and_wolfe():
    assert ask(ENTRY, DEPRESSION, 0 * DEPRESSION).p.statistic == pytest.approx(3.0354, abs=5e-5)


def test_clusters_against_statsmodels():
    """For clusters of one size CR2 is what OLS on a constant has: the factor (G/(G-1))·((n-1)/(n-1)) and t with G - 1."""
    import statsmodels.api as sm

    rng = np.random.default_rng(7)
    clusters = rng.permutation(np.arange(12).repeat(8))
    d = rng.normal(0.2, 1, 96) + rng.normal(0, 0.7, 12)[clusters]
    fit = sm.OLS(d, np.ones(96)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    found = ask(ENTRY, d, 0 * d, clusters=clusters)
    assert found.p.value == pytest.approx(float(fit.pvalues[0]), rel=1e-9)
    assert [found.interval.low, found.interval.high] == pytest.approx(fit.conf_int()[0].tolist(), rel=1e-9)
    assert found.p.n == 12
    assert "11 degrees of freedom" in found.notes[0].text


def test_a_dominating_cluster_leaves_few_degrees_of_freedom():
    """One cluster of 100 beside seven of 5: CR1 with t(7) rejected a true mean in half of the samples."""
    rng = np.random.default_rng(11)
    clusters = np.repeat(np.arange(8), [100] + [5] * 7)
    rejected = 0
    for _ in range(400):
        d = rng.normal(size=135) + rng.normal(size=8)[clusters]
        found = ask(ENTRY, d, 0 * d, clusters=clusters)
        rejected += found.p.value <= 0.05
    assert rejected <= 0.08 * 400
    assert "8 clusters (CR2), and t has 1.665 degrees of freedom" in found.notes[0].text


def test_clusters_of_one_item_change_nothing():
    a, b = np.arange(10.0) % 4, np.arange(10.0) % 3
    alone, clustered = ask(ENTRY, a, b), ask(ENTRY, a, b, clusters=range(10))
    assert clustered.p == alone.p
    assert clustered.interval == alone.interval


# mpmath 1.4, 30 digits: log of the integral of the density from t on, with its value at t taken out.
FAR = [
    (1, 1e4, -10.355070261158916),
    (30, 200.0, -110.57032364785539),
    (1_000, 60.0, -767.2789337230812),
    (10_000, 60.0, -1542.2833420150748),
    (100_000, 40.0, -798.2679656412455),
    (1_000_000, 200.0, -19616.55424743221),
]


@pytest.mark.parametrize(("df", "t", "expected"), FAR)
def test_far_tails(df, t, expected):
    assert log_t_tail(df, t) == pytest.approx(expected, rel=1e-11)


@settings(max_examples=60)
@given(st.integers(1, 3000), st.floats(0, 60))
def test_tails_join(df, t):
    """Both ways of computing a tail are one function: it falls, and p never leaves (0, 1]."""
    here, further = log_t_tail(df, t), log_t_tail(df, t + 0.01)
    assert further < here <= math.log(0.5) + 1e-12
    slope = (further - here) / 0.01
    assert slope == pytest.approx((log_t_tail(df, t + 0.02) - further) / 0.01, rel=0.2, abs=0.05)


def test_p_never_underflows():
    rng = np.random.default_rng(8)
    d = rng.normal(1, 0.01, 3_000)
    p = ask(ENTRY, d, 0 * d).p
    assert p.value == 5e-324
    assert p.log10 < -3000
    assert ask(ENTRY, d, 0 * d, alternative="less").p.value == 1.0


def test_identical_systems():
    for n in (1, 2, 50):
        found = ask(ENTRY, np.ones(n), np.ones(n))
        assert (found.p.value, found.p.log10, found.p.statistic) == (1.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("a", "b", "clusters", "words"),
    [
        ([1, 2, 3], [0, 1, 2], None, "in every item, and `student` needs differences"),
        # 0.1 apart up to rounding: a t of 1e15 would be nonsense.
        (
            [0.1 + 1 / 3, 0.1 + 1 / 7, 0.1 + 2**0.5],
            [1 / 3, 1 / 7, 2**0.5],
            None,
            "in every item, and `student` needs differences",
        ),
        ([1, 2], [0, 1], None, "in every item, and `student` needs differences"),
        ([1.5], [1.0], None, "at least two items"),
        ([1, 2, 5], [0, 1, 2], [0, 0, 0], "at least two clusters"),
    ],
)
def test_no_spread_is_refused(a, b, clusters, words):
    with pytest.raises(OutscoreError, match=words) as refusal:
        ask(ENTRY, a, b, clusters=clusters)
    assert "`permutation`" in refusal.value.hint


def test_a_constant_difference_of_delta_is_no_difference():
    found = ask(ENTRY, [1.1, 2.1, 3.1], [1, 2, 3], delta=0.1)
    assert found.p.value == 1.0


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=20))
def test_sides_and_order(rows):
    a, b = np.array(rows).T
    if np.ptp(a - b) == 0:
        return
    two, greater, less = (student(scores_of(a, b), TestRequest(side)).value for side in SIDES)
    assert greater + less == pytest.approx(1)
    assert two == pytest.approx(min(1, 2 * min(greater, less)))
    assert student(scores_of(b, a), TestRequest("greater")).value == pytest.approx(less)


@settings(max_examples=40)
@given(st.lists(st.integers(-20, 20), min_size=3, max_size=20, unique=True), st.integers(-300, 300))
def test_the_interval_is_dual(values, tenth):
    d, delta = np.array(values) * 1.0, tenth / 10
    found = ask(ENTRY, d, 0 * d, delta=delta)
    inside = found.interval.low < delta < found.interval.high
    assert inside == (found.p.value > 0.05)


def test_gpqa(shared_data):
    """Real data: gpt-5-nano against gpt-5.4-mini, five epochs of 198 questions, in points."""
    rows = defaultdict(dict)
    with (shared_data / "llm-scores" / "gpqa-diamond.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            rows[row["item_id"], row["epoch"]][row["model_id"].split("/")[-1]] = 100 * float(row["score"])
    first, second = (
        next(m for m in next(iter(rows.values())) if m.startswith(start)) for start in ("gpt-5-nano", "gpt-5.4-mini")
    )
    a, b = (np.array([cell[m] for cell in rows.values()]) for m in (first, second))
    found = ask(ENTRY, a, b, items=[item for item, _ in rows])
    assert found.p.value == pytest.approx(0.036271, abs=5e-7)
    assert (found.interval.low, found.interval.high) == pytest.approx((0.378, 11.339), abs=5e-4)
    assert found.p.n == 198
    assert ask(ENTRY, a, b).p.value == pytest.approx(0.00064174, abs=5e-9)


def test_aime(shared_data):
    with (shared_data / "llm-scores" / "aime-2025-II.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    a, b = (np.array([int(row[name]) for row in rows]) for name in ("o3-mini (high)", "o1 (medium)"))
    naive = ask(ENTRY, a, b).p
    assert naive.n == 60
    assert naive.value == pytest.approx(0.0313, abs=5e-5)
