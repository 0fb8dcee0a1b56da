"""The look at the data: references, oracles, and data with nothing to see."""

from __future__ import annotations

import math
import warnings

import msgspec
import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import outscore as osc
from outscore.core.rows import PairedScores
from outscore.inference.base.entry import Claim
from outscore.inference.describe.analysis import (
    advise,
    analyse,
    autocorrelation,
    dagostino_pearson,
    nlpstattest_advice,
    normality_test,
    shapiro_wilk,
    skewness,
    skewness_band,
    summarise,
)
from outscore.inference.describe.histograms import histograms
from outscore.inference.registry import TESTS
from outscore.language.numbers import format_probability
from outscore.metrics.registry import resolve
from outscore.results.analysis import Analysis, lag1_bound

ALL = {
    "permutation",
    "permutation-median",
    "student",
    "wilcoxon",
    "sign",
    "mcnemar",
    "bootstrap",
    "bootstrap-t",
    "bootstrap-median",
    "block-bootstrap",
    "bayes",
}
ESTIMANDS = ("mean", "accuracy", "metric")
numbers = st.lists(st.integers(-50, 50).map(lambda x: x / 10), min_size=2, max_size=40)


def paired(a, b, metric="mean", **more):
    additive, x, y = resolve(metric, np.asarray(a), np.asarray(b))
    return PairedScores(x, y, **more), additive


def names(group):
    return [advice.test for advice in group]


def finite(value):
    if isinstance(value, dict):
        return all(map(finite, value.values()))
    if isinstance(value, list):
        return all(map(finite, value))
    return not isinstance(value, float) or math.isfinite(value)


def test_the_sample_file_of_nlpstattest(shared_data):
    """Figure 2 of Zhu et al. (2020), to all printed digits."""
    table = np.loadtxt(shared_data / "nlpstattest" / "data-file.txt")
    found = analyse(*paired(table[:, 0], table[:, 1]))
    printed = {
        "a": (0.28464, 0.25552, 0.15964, 0.02206, 1.0),
        "b": (0.28051, 0.24905, 0.15694, 0.01216, 1.0),
        "difference": (0.00413, 0.00070, 0.11228, -0.83215, 0.51108),
    }
    for name, expected in printed.items():
        s = found.systems[name]
        assert tuple(round(x, 5) for x in (s.mean, s.median, s.sd, s.min, s.max)) == expected
    assert round(found.skewness, 4) == -0.2637
    assert found.skewness_band == "roughly symmetric"
    assert found.normality.test == "Shapiro-Wilk"
    assert found.normality.p < 0.05
    assert "are not normal" in found.normality_reason
    assert found.statistic == "mean"
    assert names(found.tests.recommended) == ["permutation"]
    assert names(found.nlpstattest.recommended) == ["wilcoxon"]
    assert names(found.nlpstattest.unsuited) == ["student"]


@given(x=numbers)
def test_summaries_against_numpy(x):
    x = np.array(x)
    s = summarise(x)
    assert (s.n, s.min, s.max) == (len(x), x.min(), x.max())
    assert (s.mean, s.median, s.sd) == pytest.approx((x.mean(), np.median(x), x.std(ddof=1)), abs=1e-12)
    assert (s.q1, s.q3) == pytest.approx(tuple(np.percentile(x, (25, 75))), abs=1e-12)


@given(x=numbers.filter(lambda x: len(set(x)) > 1))
def test_skewness_against_scipy(x):
    assert skewness(np.array(x)) == pytest.approx(scipy.stats.skew(x), abs=1e-9)
    assert skewness(-np.array(x)) == pytest.approx(-scipy.stats.skew(x), abs=1e-9)


@given(x=numbers.filter(lambda x: len(set(x)) > 1))
def test_autocorrelation_against_a_loop(x):
    mean = sum(x) / len(x)
    top = sum((x[i] - mean) * (x[i + 1] - mean) for i in range(len(x) - 1))
    assert autocorrelation(np.array(x)) == pytest.approx(top / sum((v - mean) ** 2 for v in x), abs=1e-9)


@pytest.mark.parametrize(
    ("gamma", "band"),
    [
        (0.0, "roughly symmetric"),
        (-0.49, "roughly symmetric"),
        (0.5, "slightly skewed"),
        (-0.99, "slightly skewed"),
        (1.0, "highly skewed"),
    ],
)
def test_bands(gamma, band):
    assert skewness_band(gamma) == band


@pytest.mark.parametrize("n", [3, 4, 5, 6, 7, 11, 12, 20, 50, 500, 5000])
@pytest.mark.parametrize("kind", ["normal", "exponential", "ties"])
def test_shapiro_wilk_against_scipy(n, kind):
    rng = np.random.default_rng(n)
    x = {"normal": rng.normal(size=n), "exponential": rng.exponential(size=n), "ties": rng.integers(0, 5, n) + 0.0}[kind]
    x[0] = -1.0
    # scipy's normal scores are an approximation of about eight digits.
    w, p = scipy.stats.shapiro(x)
    assert shapiro_wilk(x)[0] == pytest.approx(w, abs=1e-8)
    assert shapiro_wilk(x)[1] == pytest.approx(p, rel=1e-5)
    assert shapiro_wilk(1e-200 * x) == pytest.approx(shapiro_wilk(x), rel=1e-9)


@pytest.mark.parametrize("n", [20, 100, 6_000])
@pytest.mark.parametrize("power", [0.2, 0.4, 1.0])
def test_dagostino_pearson_against_scipy(n, power):
    x = np.random.default_rng(n).exponential(size=n) ** power
    assert dagostino_pearson(x) == pytest.approx(tuple(scipy.stats.normaltest(x)), rel=1e-8)


def test_normality_changes_with_size_and_never_reaches_zero():
    x = np.random.default_rng(0).exponential(size=50_000)
    assert normality_test(x[:5_000]).test == "Shapiro-Wilk"
    assert normality_test(x[:5_001]).test == "D'Agostino-Pearson"
    assert normality_test(x).p > 0
    assert normality_test(np.ones(9)) is None
    assert normality_test(np.array([1.0, 2.0])) is None


def test_its_own_level():
    rng = np.random.default_rng(11)
    pairs, metric = paired(rng.normal(size=40) + 0.4 * rng.exponential(size=40), np.zeros(40))
    p = analyse(pairs, metric).normality.p
    strict, lax = (analyse(pairs, metric, normality_alpha=p * factor) for factor in (0.9, 1.1))
    assert "may be normal" in strict.normality_reason
    assert "are not normal" in lax.normality_reason


def test_pairing():
    rng = np.random.default_rng(5)
    b = rng.normal(size=400)
    a = b + rng.normal(0, 0.3, 400)
    found = analyse(*paired(a, b))
    assert found.correlation == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert found.pairing_gain == pytest.approx(math.sqrt(a.var(ddof=1) + b.var(ddof=1)) / (a - b).std(ddof=1))
    assert found.pairing_gain > 4
    assert analyse(*paired(a, -b)).pairing_gain < 1


def test_dependence_is_seen():
    rng = np.random.default_rng(6)
    documents = np.repeat(np.arange(40), 10)
    d = rng.normal(size=40)[documents] + rng.normal(size=400)
    (warning,) = analyse(*paired(d, np.zeros(400))).warnings
    assert warning.startswith("Neighbouring items are correlated (lag-1 r = 0.")
    assert "block-bootstrap" in warning
    assert analyse(*paired(d, np.zeros(400), clusters=documents)).warnings == []
    assert analyse(*paired(rng.permutation(d), np.zeros(400))).warnings == []


def test_false_alarms_are_as_rare_as_stated():
    rng = np.random.default_rng(7)
    runs = 2_000
    alarms = sum(autocorrelation(rng.normal(size=100)) > lag1_bound(100) for _ in range(runs))
    assert alarms / runs <= 0.004


def test_neighbours_that_differ_more_than_others_deserve_no_sentence():
    d = np.tile([1.0, -1.0], 100) + np.random.default_rng(1).normal(0, 0.5, 200)
    found = analyse(*paired(d, np.zeros(200)))
    assert found.lag1 < -0.5
    assert found.warnings == []


def test_a_shuffle_that_discards_dependence_says_so():
    rng = np.random.default_rng(6)
    d = rng.normal(size=40)[np.repeat(np.arange(40), 10)] + rng.normal(size=400)
    whole = osc.compare(d, np.zeros(400), unit_size=5)
    assert "Neighbouring units are correlated" in whole.analysis.warnings[0]
    mixed = osc.compare(d, np.zeros(400), unit_size=5, shuffle=3)
    (warning,) = mixed.analysis.warnings
    assert "in the order of the file, which the shuffle discards" in warning
    assert mixed.analysis.lag1 == pytest.approx(autocorrelation(d))
    assert mixed.analysis.lag1_n == 400
    (note,) = (note.text for note in mixed.notes if "shuffles" in note.text)
    each = [osc.compare(d, np.zeros(400), unit_size=5, shuffle=seed).p.value for seed in range(3, 13)]
    assert f"over 10 shuffles (seeds 3 to 12) p is {format_probability(min(each))} to {format_probability(max(each))}" in note
    free = osc.compare(rng.normal(size=400), np.zeros(400), unit_size=15, shuffle=13)
    assert free.analysis.warnings == []


def test_skewed_differences_suggest_the_median_and_say_what_it_costs():
    rng = np.random.default_rng(9)
    found = analyse(*paired(rng.exponential(size=300) ** 2, np.zeros(300)))
    assert found.statistic == "median"
    assert "claim about the mean" in found.statistic_reason
    # The advice goes by the claim all the same.
    assert names(found.tests.recommended) == ["permutation"]
    assert names(found.nlpstattest.recommended) == ["sign"]
    assert sorted(names(found.nlpstattest.usable)) == ["bootstrap-median", "permutation-median"]
    assert names(found.nlpstattest.unsuited) == ["student", "wilcoxon", "bootstrap-t", "permutation"]


def test_many_zeros_make_a_median_of_zero():
    a = [0.0] * 60 + [0.5] * 10 + [9.0] * 5
    found = analyse(*paired(a, np.zeros(75)), median_test=True)
    assert found.zero_share == 0.8
    words = "80% of the differences are 0, so the median difference is 0 whatever the others are."
    assert words in found.warnings
    # A test of the mean has nothing to fear from it: the description mentions it, no warning does.
    mean = analyse(*paired(a, np.zeros(75)))
    assert words not in mean.warnings
    assert mean.statistic_reason.endswith(words)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0.5], [0.25]),
        ([0.5], [0.5]),
        ([1, 0, 1, 1], [1, 0, 1, 1]),
        ([0.1, 0.2, 0.7], [0.1, 0.2, 0.7]),
        ([0.3] * 9, [0.1] * 9),
        ([0.0] * 9, [0.0] * 9),
        ([1, 1, 0, 1, 0, 1], [0, 1, 1, 1, 0, 0]),
        ([1, 1], [0, 1]),
        ([1e150, 0.0], [0.0, 1e150]),
        ([1e-300, 0.0, 0.0], [0.0, 0.0, 2e-300]),
    ],
)
def test_nothing_to_see(a, b):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = analyse(*paired(a, b))
        pictures = histograms(*paired(a, b))
    assert found.warnings == []
    assert finite(msgspec.to_builtins(found))
    assert finite(msgspec.to_builtins(pictures))
    assert found.normality_reason
    assert found.statistic == "mean"
    again = msgspec.json.decode(msgspec.json.encode(found), type=Analysis)
    assert again == found


def test_rounding_noise_is_not_analysed():
    a = np.random.default_rng(1).normal(size=50)
    found = analyse(*paired(a + 0.1, a))
    assert (found.skewness, found.normality, found.lag1, found.pairing_gain) == (None,) * 4
    assert found.normality_reason == "Not tested: all items have the same difference."


def test_a_metric_without_item_scores_gets_advice_alone():
    found = analyse(*paired([[3, 1, 0], [1, 1, 1]], [[2, 1, 1], [1, 0, 0]], "f1"))
    assert found.systems == {}
    assert found.statistic is None
    assert names(found.tests.recommended) == ["permutation"]
    assert names(found.tests.usable) == ["bootstrap", "block-bootstrap"]
    assert histograms(*paired([[3, 1, 0]], [[2, 1, 1]], "f1")) == {}


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("gamma", [None, 0.1, -0.7])
@pytest.mark.parametrize("n", [10, 500])
@pytest.mark.parametrize("estimand", ESTIMANDS)
def test_every_test_stands_in_exactly_one_group(estimand, n, gamma, clusters):
    found = advise(Claim(estimand, n, gamma, clusters))
    groups = (found.recommended, found.usable, found.unsuited)
    listed = [name for group in groups for name in names(group)]
    assert sorted(listed) == sorted(ALL)
    assert found.recommended
    for group in groups:
        for advice in group:
            assert advice.why.endswith(".")
    if clusters:
        assert set(names(found.recommended) + names(found.usable)) <= {name for name, entry in TESTS.items() if entry.clusters}


def test_every_registered_test_is_classified():
    assert set(TESTS) == ALL


def test_the_table_by_estimand():
    binary = advise(Claim("accuracy", 30, 0.0))
    assert "student" in names(binary.unsuited)
    assert "student" in names(advise(Claim("accuracy", 50, 0.0)).usable)
    assert {"wilcoxon", "sign", "permutation-median", "bootstrap-median"} <= set(names(binary.unsuited))
    assert names(advise(Claim("mean", 30, 2.0)).unsuited) == ["mcnemar"]


def test_binary_items_are_recognised_also_in_clusters():
    a, b = [1, 0, 1, 1, 1, 0], [0, 0, 1, 0, 1, 1]
    alone, grouped = analyse(*paired(a, b)), analyse(*paired(a, b, clusters=np.array([0, 0, 1, 1, 2, 2])))
    assert "McNemar" in alone.tests.recommended[0].why
    assert "cluster" in grouped.tests.recommended[0].why
    assert "mcnemar" in names(grouped.tests.unsuited)


def test_nlpstattest_on_normal_data():
    found = nlpstattest_advice(0.1, normal=True)
    assert names(found.recommended) == ["student"]
    # "bootstrap test based on t ratios" (Zhu et al., 2020, 3.1.3) is the studentised one here.
    assert names(found.usable) == ["wilcoxon", "sign", "bootstrap-t", "bootstrap-median", "permutation", "permutation-median"]
    assert found.unsuited == []
    assert nlpstattest_advice(None, normal=True) == nlpstattest_advice(0.1, normal=None)


@given(a=numbers, seed=st.integers(0, 9))
def test_histograms_count_every_item_once(a, seed):
    b = np.random.default_rng(seed).permutation(a)
    found = histograms(*paired(a, b))
    assert found["a"].edges == found["b"].edges
    for histogram in found.values():
        assert sum(histogram.counts) == len(a)
        assert len(histogram.edges) == len(histogram.counts) + 1
        assert (np.diff(histogram.edges) > 0).all()
        assert len(histogram.counts) <= 61


def test_histograms_of_real_numbers():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=3_000), rng.normal(size=3_000)
    difference = histograms(*paired(a, b))["difference"]
    width = 2 * scipy.stats.iqr(a - b) / 3_000 ** (1 / 3)
    assert np.diff(difference.edges) == pytest.approx(width, rel=0.03)
    assert min(abs(edge) for edge in difference.edges) < 1e-12
    heavy = histograms(*paired(rng.standard_cauchy(3_000), b))["difference"]
    assert len(heavy.counts) <= 61
    assert sum(heavy.counts) == 3_000


def test_histograms_of_few_values_have_one_bar_each():
    found = histograms(*paired([0, 0.5, 1, 1, 0.5], [0, 0, 0, 1, 1]))
    assert found["a"].edges == [-0.25, 0.25, 0.75, 1.25]
    assert found["a"].counts == [1, 2, 2]
    assert found["b"].counts == [3, 0, 2]
    assert found["difference"].edges == [-0.75, -0.25, 0.25, 0.75, 1.25]
