"""p against the number of units and the difference over the number of runs: oracles, properties, and what the band promises."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.core.metric import AdditiveMetric
from outscore.core.options import complete
from outscore.core.reduction import pass_rate
from outscore.core.rows import PairedScores, Runs
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.curves import MAX_POINTS, MAX_ROWS, _scores_and_error, _t, runs_curve, size_curve, size_test
from outscore.inference.registry import TESTS
from outscore.metrics.registry import resolve

MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
SUM = AdditiveMetric("sum", ("score", "items"), ratio=((1, 0), None))
LOSS = AdditiveMetric("loss", ("score", "items"), ratio=((1, 0), (0, 1)), direction="lower")


def jackknife_t(a, b, metric, delta=0.0):
    return _t(_scores_and_error(a, b, metric), delta)


def pairs_of(a, b, clusters=None):
    a, b = np.asarray(a), np.asarray(b)
    return PairedScores(np.stack([a, np.ones_like(a)], 1), np.stack([b, np.ones_like(b)], 1), 1, None, clusters)


def curve(test, pairs, metric=MEAN, **asked):
    entry = TESTS[test]
    return size_curve(pairs, metric, entry, TestRequest(options=complete(entry.name, entry.options, {}), **asked))


def scores(n, lead=0.0, seed=0):
    stream = np.random.default_rng(seed)
    base = stream.normal(size=n)
    return pairs_of(base + stream.normal(lead, 1.0, n), base)


@given(st.lists(st.integers(-9, 9), min_size=3, max_size=30).filter(lambda d: len(set(d)) > 1), st.integers(-3, 3))
@settings(max_examples=50)
def test_against_scipy_t_test(d, delta):
    expected = scipy.stats.ttest_1samp(d, delta).statistic
    pairs = pairs_of(d, np.zeros(len(d), int))
    assert jackknife_t(pairs.a, pairs.b, MEAN, delta) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert jackknife_t(pairs.a, pairs.b, SUM, delta * len(d)) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert jackknife_t(*np.stack([[pairs.a, pairs.b], [pairs.b, pairs.a]], axis=1), MEAN).tolist() == [
        jackknife_t(pairs.a, pairs.b, MEAN),
        jackknife_t(pairs.b, pairs.a, MEAN),
    ]


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("metric", [MEAN, LOSS])
def test_the_last_point_is_the_t_test_of_all_units(alternative, metric):
    pairs = scores(100, 0.2)
    expected = TESTS["student"].run(pairs, metric, TestRequest(alternative=alternative)).p.value
    last = curve("permutation", pairs, metric, alternative=alternative)[-1]
    assert last.n == 100
    assert last.p == last.low == last.high == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("test", ["sign", "mcnemar", "permutation", "permutation-median"])
def test_quick_tests_are_themselves(test):
    stream = np.random.default_rng(3)
    metric, a, b = resolve("accuracy", stream.integers(0, 2, 80), stream.integers(0, 2, 80))
    pairs = PairedScores(a, b)
    entry = TESTS[test]
    expected = entry.run(pairs, metric, TestRequest(options=complete(test, entry.options, {}))).p.value
    assert size_test(pairs, metric, entry) == test
    assert curve(test, pairs, metric)[-1].p == pytest.approx(expected, rel=1e-13)


def test_wilcoxon_is_its_normal_approximation():
    pairs, entry = scores(60, 0.3), TESTS["wilcoxon"]
    options = complete("wilcoxon", entry.options, {"variant": "normal"})
    assert curve("wilcoxon", pairs)[-1].p == entry.run(pairs, MEAN, TestRequest(options=options)).p.value


@pytest.mark.parametrize("n", [12, 13, 30, 500])
def test_sizes_rise_to_all_units_and_quartiles_are_in_order(n):
    points = curve("permutation", scores(n, 0.3))
    sizes = [point.n for point in points]
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == n
    assert len(sizes) <= 12
    assert all(0 < point.low <= point.p <= point.high <= 1 for point in points)


def test_p_falls_with_the_size_when_there_is_a_difference():
    ps = [point.p for point in curve("permutation", scores(600, 0.2))]
    assert ps[0] > 10 * ps[-1]


def test_the_same_seed_gives_the_same_curve():
    pairs = scores(200)
    assert curve("sign", pairs, seed=5) == curve("sign", pairs, seed=5)
    assert curve("sign", pairs, seed=5) != curve("sign", pairs, seed=6)


def test_clusters_are_drawn_whole():
    d = np.repeat(np.random.default_rng(1).normal(0.2, 1, 40), 5)
    pairs = pairs_of(d, 0 * d, np.repeat(np.arange(40), 5))
    last = curve("permutation", pairs)[-1]
    assert last.n == 40
    assert last.p == pytest.approx(TESTS["student"].run(pairs, MEAN, TestRequest()).p.value, rel=1e-9)


def test_a_ratio_has_a_curve_too():
    stream = np.random.default_rng(2)
    metric, a, b = resolve("f1", stream.integers(0, 4, (300, 3)), stream.integers(0, 4, (300, 3)))
    exact = osc.permutation_test(a, b, metric=metric, resamples=999).value
    assert curve("permutation", PairedScores(a, b), metric)[-1].p == pytest.approx(exact, abs=0.02)


@pytest.mark.parametrize("constant", [0, 2])
def test_differences_without_spread(constant):
    points = curve("permutation", pairs_of(np.full(24, constant), np.zeros(24, int)))
    assert points[-1].p == pytest.approx(1.0 if constant == 0 else 2.0**-23, rel=1e-13)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_no_p_is_smaller_than_that_of_all_swaps(alternative):
    """However far apart the systems are, 24 units have 2^24 swaps."""
    pairs = pairs_of(10 + np.random.default_rng(4).random(24), np.zeros(24))
    last = curve("permutation", pairs, alternative=alternative)[-1]
    assert (last.n, last.p) == (24, pytest.approx(2.0 ** (-23 if alternative == "two-sided" else -24), rel=1e-12))


def per_hit(totals):
    return totals[..., 1] / totals[..., 0]


def refused(totals):
    if np.any(totals[..., 0] < 3):
        raise ValueError
    return totals[..., 0]


@pytest.mark.parametrize("function", [per_hit, refused])
def test_no_curve_for_a_metric_that_is_undefined_on_a_part(function):
    metric = AdditiveMetric("own", ("hits", "items"), function=function)
    hits = (np.arange(60) % 15 == 0).astype(int)
    pairs = pairs_of(hits, hits[::-1])
    assert curve("permutation", pairs, metric) == []


@pytest.mark.parametrize("test", ["bootstrap-median", "block-bootstrap"])
def test_no_curve_for_tests_without_a_quick_one(test):
    assert curve(test, scores(50)) == []


def test_no_curve_for_few_units_or_very_many():
    assert curve("sign", scores(11)) == []
    many = np.zeros(MAX_ROWS // 50, int)
    assert curve("sign", pairs_of(many, many)) == []


def test_a_comparison_holds_the_curve_and_the_quantiles():
    stream = np.random.default_rng(4)
    a, b = stream.normal(size=(2, 400)).round(2)
    pictures = osc.compare(a, b).pictures
    assert pictures.sizes[-1].n == 400
    z, d = zip(*pictures.quantiles, strict=True)
    assert len(z) == 200
    assert list(z) == sorted(z)
    assert list(d) == sorted(d)
    assert (d[0], d[-1]) == pytest.approx(((a - b).min(), (a - b).max()))


def test_quantiles_against_scipy():
    from outscore.inference.describe.histograms import normal_quantiles

    pairs = scores(90)
    d = np.sort((pairs.a - pairs.b)[:, 0])
    z, ordered = zip(*normal_quantiles(pairs, MEAN), strict=True)
    assert list(ordered) == pytest.approx(d.tolist())
    assert list(z) == pytest.approx(scipy.stats.norm.ppf((np.arange(90) + 0.5) / 90).tolist(), abs=1e-12)
    assert normal_quantiles(pairs_of(np.ones(9), np.zeros(9)), MEAN) == []


def draws(rng, n: int, runs: int, rates) -> Runs:
    return Runs((rng.random((n, runs)) < np.asarray(rates).reshape(-1, 1)).astype(int).ravel(), np.repeat(np.arange(n), runs))


@pytest.mark.parametrize("kind", ["pass@", "pass^"])
def test_differences_are_those_of_pass_rates(kind):
    rng = np.random.default_rng(1)
    a, b = draws(rng, 9, 5, [0.6]), draws(rng, 9, 4, [0.4])
    found = runs_curve((a, b), kind)
    assert [point.k for point in found.points] == [1, 2, 3, 4]
    for point in found.points:
        means = [
            np.mean([float(pass_rate(kind, k, int(one.values[one.items == i].sum()), point.k)) for i in range(9)])
            for one, k in ((a, 5), (b, 4))
        ]
        assert point.difference == pytest.approx(means[0] - means[1])
        assert point.low < point.difference < point.high
    assert found == runs_curve((a, b), kind)


def test_the_band_is_wider_than_single_intervals_and_clusters_widen_it():
    rng = np.random.default_rng(2)
    a, b = draws(rng, 40, 4, rng.random(40)), draws(rng, 40, 4, rng.random(40))
    d = np.array([a.values[a.items == i].mean() - b.values[b.items == i].mean() for i in range(40)])
    single = 2.0227 * d.std(ddof=1) / np.sqrt(40)
    first = runs_curve((a, b)).points[0]
    assert first.high - first.difference > single
    order = np.argsort(d)
    clusters = np.empty(40, dtype=int)
    clusters[order] = np.repeat(np.arange(8), 5)
    assert runs_curve((a, b), clusters=clusters).points[0].high > first.high


def test_no_curve_where_there_is_none():
    rng = np.random.default_rng(3)
    once, twice = draws(rng, 5, 1, [0.5]), draws(rng, 5, 2, [0.5])
    graded = Runs(np.array([0.5, 1.0] * 5), np.repeat(np.arange(5), 2))
    assert runs_curve((once, twice)) is None
    assert runs_curve((graded, twice)) is None
    assert runs_curve((twice, twice), clusters=np.zeros(5, dtype=int)) is None


def test_very_many_runs_are_thinned_out():
    rng = np.random.default_rng(4)
    found = runs_curve((draws(rng, 4, 200, [0.3]), draws(rng, 4, 200, [0.2])))
    ks = [point.k for point in found.points]
    assert (ks[0], ks[-1]) == (1, 200)
    assert len(ks) <= MAX_POINTS


@pytest.mark.slow
@pytest.mark.parametrize(("n", "runs"), [(15, 4), (50, 5), (200, 8)])
def test_the_band_holds_all_differences_at_once(n, runs):
    rng = np.random.default_rng(5)

    def rates(size):
        first = rng.beta(0.6, 0.5, size)
        return first, np.clip(first - rng.beta(1, 8, size), 0, 1)

    a, b = rates(400_000)
    truth = [((1 - b) ** k - (1 - a) ** k).mean() for k in range(1, runs + 1)]
    held = 0
    for seed in range(400):
        first, second = rates(n)
        found = runs_curve((draws(rng, n, runs, first), draws(rng, n, runs, second)), seed=seed)
        held += all(point.low <= x <= point.high for point, x in zip(found.points, truth, strict=True))
    assert held / 400 >= 0.92
