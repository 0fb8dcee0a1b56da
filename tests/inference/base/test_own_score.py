"""Intervals of one system's own score: textbook cases, naive twins, properties, and measured coverage."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from tests.inference.base.test_cluster_variance import full_matrices

from outscore.core.metric import AdditiveMetric
from outscore.core.rows import PairedScores
from outscore.inference.base.discordance import discordance, wilson_limits
from outscore.inference.base.own_score import OwnRows, own_intervals
from outscore.metrics.registry import resolve


def score_interval(rows, metric, *, scale=1, clusters=None, alpha=0.05):
    table = np.asarray(rows, dtype=float) / scale
    return own_intervals([OwnRows(table, table, clusters)], metric, alpha)[0]


def score_intervals(pairs, metric, alpha=0.05):
    items = pairs.per_item()
    sides = [(pairs.a, items.a), (pairs.b, items.b)]
    own = [OwnRows(rows / pairs.scale, means / items.scale, items.clusters) for rows, means in sides]
    return tuple(own_intervals(own, metric, alpha))


def limits(rows, metric="mean", **more):
    additive, own, _ = resolve(metric, np.asarray(rows), np.asarray(rows))
    return score_interval(own, additive, **more)


def test_mean_against_scipy():
    x = np.random.default_rng(1).exponential(size=37)
    expected = scipy.stats.t.interval(0.9, 36, x.mean(), scipy.stats.sem(x))
    assert limits(x, alpha=0.1) == pytest.approx(expected, rel=1e-12)
    assert limits(x, "sum", alpha=0.1) == pytest.approx([37 * limit for limit in expected], rel=1e-12)


@pytest.mark.parametrize(("right", "n"), [(0, 9), (9, 9), (40, 50), (871, 1000)])
def test_right_or_wrong_against_scipy(right, n):
    expected = scipy.stats.binomtest(right, n).proportion_ci(0.95, "wilson")
    x = (np.arange(n) < right).astype(int)
    assert limits(x, "accuracy") == pytest.approx(tuple(expected), abs=1e-12)
    assert limits(100 * x) == pytest.approx((100 * expected.low, 100 * expected.high), abs=1e-9) or right == 0


def test_clustered_mean_against_statsmodels():
    import statsmodels.api as sm

    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(15), 4)
    x = rng.normal(size=15)[codes] + rng.normal(size=len(codes))
    fit = sm.OLS(x, np.ones(len(x))).fit(
        cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False, "df_correction": True}, use_t=True
    )
    error = float(fit.bse[0]) * math.sqrt(15 / 14)
    expected = scipy.stats.t.interval(0.95, 14, x.mean(), error)
    assert limits(x, clusters=codes) == pytest.approx(expected, rel=1e-10)


def test_unequal_clusters_have_cr2_and_its_degrees_of_freedom():
    rng = np.random.default_rng(4)
    sizes = 1 + np.arange(15) % 4
    codes = np.repeat(np.arange(15), sizes)
    x = rng.normal(size=15)[codes] + rng.normal(size=len(codes))
    variance, df = full_matrices(x, codes)
    assert limits(x, clusters=codes) == pytest.approx(scipy.stats.t.interval(0.95, df, x.mean(), math.sqrt(variance)), rel=1e-8)
    right = (x > 0).astype(int)
    variance, df = full_matrices(right, codes)
    looks = min(len(x), right.mean() * (1 - right.mean()) / variance)
    expected = wilson_limits(right.mean(), looks, scipy.stats.t.ppf(0.975, df))
    assert limits(right, clusters=codes) == pytest.approx(expected, rel=1e-8)
    # All right: as many looks as clusters of one size would be, each of one piece.
    expected = wilson_limits(1.0, sizes.sum() ** 2 / (sizes**2).sum(), scipy.stats.t.ppf(0.975, df))
    assert limits(np.ones_like(right), clusters=codes) == pytest.approx(expected, rel=1e-8)


def f1(tp, errors):
    return 2 * tp / (2 * tp + errors)


def test_f1_against_its_linear_form():
    """F1 of sums moves with one item as (t - F·b)/Σb, and Wilson's formula takes the looks that leaves."""
    counts = np.random.default_rng(7).poisson([6, 2], (80, 2))
    score = f1(*counts.sum(axis=0))
    top, bottom = 2 * counts[:, 0], 2 * counts[:, 0] + counts[:, 1]
    share = bottom / bottom.sum()
    variance = sum((top - score * bottom) ** 2 / (1 - share)) / bottom.sum() ** 2
    q = share**2 / (1 - share)
    df = 1 / (sum(share**2) + sum(q) ** 2 - sum(q**2))
    looks, t = score * (1 - score) / variance, scipy.stats.t.ppf(0.975, df)
    middle = (score + t * t / (2 * looks)) / (1 + t * t / looks)
    reach = t / (1 + t * t / looks) * math.sqrt(score * (1 - score) / looks + (t / (2 * looks)) ** 2)
    assert limits(counts, "f1") == pytest.approx((middle - reach, middle + reach), rel=1e-12)


def test_functions_against_a_naive_jackknife():
    counts = np.random.default_rng(8).integers(0, 9, (30, 4))
    metric, own, _ = resolve("mcc", counts, counts)
    metric = replace(metric, cells=False)
    codes = np.arange(30) // 2
    units = np.array([own[codes == g].sum(axis=0) for g in range(15)])
    without = [float(metric.score(np.delete(units, g, axis=0).sum(axis=0))) for g in range(15)]
    error = math.sqrt(14 / 15 * sum((x - np.mean(without)) ** 2 for x in without))
    expected = scipy.stats.t.interval(0.95, 14, float(metric.score(own.sum(axis=0))), error)
    assert score_interval(own, metric, clusters=codes) == pytest.approx(expected, rel=1e-10)


def test_error_rates_may_exceed_one():
    low, high = limits([[3, 2], [1, 4], [9, 3], [4, 5]], "error-rate")
    assert low < 17 / 14 < high


@pytest.mark.parametrize("rows", [[0.3, 0.3, 0.3], [0.7]])
def test_no_spread_has_no_interval(rows):
    assert limits(rows) == (None, None)


def naive_table_interval(cells, metric):
    """One decision added to every cell, then the delta method with derivatives by hand, for balanced accuracy."""
    tp, fp, fn, tn = (x + 1 for x in cells)
    recalls = tp / (tp + fn), tn / (tn + fp)
    error = math.sqrt(recalls[0] * (1 - recalls[0]) / (tp + fn) + recalls[1] * (1 - recalls[1]) / (tn + fp)) / 2
    middle, t = sum(recalls) / 2, scipy.stats.t.ppf(0.975, sum(cells) - 1)
    return max(0.0, middle - t * error), min(1.0, middle + t * error)


@pytest.mark.parametrize("cells", [(4, 2, 1, 43), (5, 0, 0, 45), (1, 7, 4, 38)])
def test_balanced_accuracy_is_that_of_agresti_and_caffo(cells):
    rows = np.repeat(np.eye(4, dtype=int), cells, axis=0)
    assert limits(rows, "balanced-accuracy") == pytest.approx(naive_table_interval(cells, "balanced-accuracy"), rel=1e-5)


TABLE_METRICS = ("balanced-accuracy", "macro-f1", "mcc", "kappa")


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 4), min_size=2, max_size=20), st.sampled_from(TABLE_METRICS), st.booleans())
def test_functions_of_the_table_stay_in_range_around_the_score(rows, name, clustered):
    metric, own, _ = resolve(name, np.array(rows), np.array(rows))
    codes = np.arange(len(rows)) // 2 if clustered and len(rows) > 2 else None
    low, high = score_interval(own, metric, clusters=codes)
    if low is None:
        assert (own.sum(axis=1) > 0).sum() <= 2
        return
    least, largest = metric.bounds
    assert least <= low <= float(metric.score(own.sum(axis=0))) <= high <= largest


def test_all_found_is_no_proof_of_perfection():
    """Five positives, all found: the jackknife saw no spread among them."""
    low, high = limits(np.repeat(np.eye(4, dtype=int), (5, 5, 0, 40), axis=0), "balanced-accuracy")
    assert low < 0.78
    assert high == 1.0


def test_duplicated_rows_of_a_table_count_once():
    """Each decision ten times over, in clusters of ten: the interval is nearly that of the decisions alone."""
    rows = np.repeat(np.eye(4, dtype=int), (12, 6, 5, 37), axis=0)
    alone = limits(rows, "macro-f1")
    copied = limits(np.repeat(rows, 10, axis=0), "macro-f1", clusters=np.repeat(np.arange(60), 10))
    assert copied == pytest.approx(alone, abs=0.003)


@pytest.mark.parametrize(("unit", "wrong"), [(10, 0), (5, 0), (0.5, 0), (2, -1), (1, -1)])
def test_two_valued_scores_have_one_interval_in_any_unit(unit, wrong):
    right = (np.arange(30) % 10 > 0).astype(float)
    expected = np.array([limits(right), limits(np.ones(30))])
    found = both_limits(wrong + unit * right, np.full(30, wrong + unit))
    assert np.array(found) == pytest.approx(wrong + unit * expected, rel=1e-12)
    repeated = both_limits(np.repeat(wrong + unit * right, 5), np.full(150, wrong + unit), items=np.repeat(np.arange(30), 5))
    assert repeated == found
    assert both_limits(wrong + unit * right, np.full(30, wrong + unit), clusters=np.arange(30)) == found


def test_nothing_to_divide_by_has_none():
    assert limits(np.zeros((5, 2), dtype=int), "f1") == (None, None)


def test_a_perfect_share_is_as_sure_as_its_units_are_many():
    few, many = (limits([[3, 0], [2, 0]] * k, "f1") for k in (5, 500))
    assert few[1] == many[1] == 1.0
    assert 0.5 < few[0] < 0.8
    assert 0.99 < many[0] < 1


def test_both_sides_with_repeats_and_clusters():
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 60))
    items, clusters = np.arange(60) // 3, np.arange(60) // 12
    mean, rows_a, rows_b = resolve("mean", a, b)
    found = score_intervals(PairedScores(rows_a, rows_b, 1, items, clusters), mean, 0.1)
    for scores, one in zip((a, b), found, strict=True):
        assert one == pytest.approx(
            limits(scores.reshape(20, 3).mean(axis=1), clusters=np.arange(20) // 4, alpha=0.1), rel=1e-9
        )


def both_limits(a, b, metric="mean", **more):
    additive, rows_a, rows_b = resolve(metric, np.asarray(a), np.asarray(b))
    return score_intervals(PairedScores(rows_a, rows_b, **more), additive)


unit_scores = st.lists(st.floats(0, 1), min_size=2, max_size=20)


@given(unit_scores, st.booleans())
def test_scores_between_zero_and_one_stay_there(a, repeated):
    b = [round(x) for x in a]
    items = np.arange(len(a)) // 2 if repeated else None
    for scores, (low, high) in zip((a, b), both_limits(a, b, items=items), strict=True):
        if low is not None:
            mean = np.mean(scores if items is None else [np.mean(scores[k : k + 2]) for k in range(0, len(scores), 2)])
            assert 0 <= low <= mean + 1e-9
            assert mean - 1e-9 <= high <= 1


def test_repeats_of_right_or_wrong_items_stay_within_their_unit():
    a, b = (np.arange(60) % 29 > 0).astype(int), (np.arange(60) % 7 > 2).astype(int)
    items = np.arange(60) // 4
    found = both_limits(a, b, "accuracy", items=items)
    assert all(0 < low < high < 1 for low, high in found)
    percent = both_limits(100 * a, 100 * b, items=items)
    assert np.array(percent) == pytest.approx(100 * np.array(found))


def test_both_systems_get_one_method():
    rng = np.random.default_rng(5)
    graded, never = rng.random(12), np.zeros(12)
    low, high = both_limits(graded, never)[1]
    assert low == 0
    assert 0.1 < high < 0.4
    # Beside scores beyond 1 a column of zeros is no share: it has no spread, and so no interval.
    assert both_limits(5 * graded, never)[1] == (None, None)
    right = (graded > 0.4).astype(int)
    assert both_limits(5 * graded, right)[1] == pytest.approx(
        scipy.stats.t.interval(0.95, 11, right.mean(), scipy.stats.sem(right))
    )
    assert both_limits(never, 1 - right)[1] == pytest.approx(limits(1 - right))


@pytest.mark.parametrize("score", [0.0, 1.0, 100.0])
def test_points_are_no_proportion(score):
    """A constant score of a metric on a scale of its own shows no spread, whether it is 0, 1 or 100."""
    points = AdditiveMetric("sentence-ter", ("score", "segments"), ratio=((1, 0), (0, 1)), direction="lower", graded=True)
    rows = np.stack([np.full(30, score), np.ones(30)], axis=1)
    assert score_intervals(PairedScores(rows, rows), points) == ((None, None), (None, None))
    assert discordance(PairedScores(rows, rows), points) is None
    percent = AdditiveMetric("ter", ("edits", "length"), ratio=((100, 0), (0, 1)), direction="lower")
    none = np.stack([np.zeros(30, int), np.arange(30) + 5], axis=1)
    assert score_intervals(PairedScores(none, none), percent) == ((None, None), (None, None))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=30), st.sampled_from(["f1", "accuracy"]))
def test_shares_stay_between_zero_and_one_around_the_score(rows, metric):
    additive, own, _ = resolve(metric, np.array(rows), np.array(rows))
    low, high = score_interval(own, additive)
    if low is None:
        assert not np.array(rows).sum()
        return
    assert 0 <= low <= float(additive.score(own.sum(axis=0))) + 1e-12
    assert low <= high <= 1
    wider = score_interval(own, additive, alpha=0.01)
    assert wider[0] <= low + 1e-12
    assert wider[1] >= high - 1e-12


def covered(draw, metric, truth, replicates=2_000, **more):
    additive: AdditiveMetric | None = None
    hits = 0
    for k in range(replicates):
        rows, codes = draw(np.random.default_rng([k, 11]))
        additive, own, _ = resolve(metric, rows, rows)
        low, high = score_interval(own, additive, clusters=codes, **more)
        hits += low is not None and low <= truth <= high
    return hits / replicates


def graded(rng):
    return rng.beta(2, 1, 40), None


def repeated(rng, items=30):
    """Items of which most are nearly always solved, four runs of each: ± t·error covers too rarely."""
    return rng.binomial(4, rng.beta(9, 1, items)) / 4, None


def binary(rng):
    return (rng.random(60) < 0.9).astype(int), None


def clustered_binary(rng):
    codes = np.repeat(np.arange(40), 1 + np.arange(40) % 5)
    return (rng.random(len(codes)) < rng.beta(4, 1, 40)[codes]).astype(int), codes


def counted(rng):
    return np.stack([rng.poisson(4, 60), rng.poisson(1, 60)], axis=1), None


def confused(rng):
    gold = rng.random(300) < 0.4
    answer = np.where(rng.random(300) < 0.85, gold, ~gold)
    return np.stack([gold & answer, ~gold & answer, gold & ~answer, ~gold & ~answer], axis=1).astype(int), None


# E of Matthews' correlation for 85% right with 40% gold positives, from its definition.
MCC = (0.34 * 0.51 - 0.09 * 0.06) / math.sqrt(0.43 * 0.40 * 0.60 * 0.57)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "metric", "truth"),
    [
        (graded, "mean", 2 / 3),
        (repeated, "mean", 0.9),
        (binary, "accuracy", 0.9),
        (clustered_binary, "accuracy", 0.8),
        (counted, "f1", 8 / 9),
        (confused, "mcc", MCC),
    ],
)
def test_coverage(draw, metric, truth):
    assert 0.93 <= covered(draw, metric, truth) <= 0.985


@pytest.mark.slow
def test_few_pass_rates_that_show_two_values_are_taken_as_right_or_wrong():
    """A third of these show nothing but .75 and 1, which no interval tells from a coding of wrong and right."""
    assert 0.88 <= covered(lambda rng: repeated(rng, 15), "mean", 0.9) <= 0.92


@pytest.mark.parametrize("cells", [[1.0, 1.0, 1.0, 2_000_001.0], [1.0, 40.0, 3.0, 10_000_000.0], [34.0, 9.0, 6.0, 51.0]])
def test_slopes_of_matthews_correlation_against_its_derivatives(cells):
    """By hand, N/D with N = tp·tn - fp·fn and D the root of the margins: rare cells among many items included."""
    from outscore.inference.base.own_score import _slope
    from outscore.metrics.registry import resolve

    metric, _, _ = resolve("mcc", np.ones((1, 4)), np.ones((1, 4)))
    tp, fp, fn, tn = cells
    top, root = tp * tn - fp * fn, math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    margins = {"tp": (tp + fp, tp + fn), "fp": (tp + fp, tn + fp), "fn": (tp + fn, tn + fn), "tn": (tn + fp, tn + fn)}
    slopes = zip((tn, -fn, -fp, tp), margins.values(), strict=True)
    expected = [sum(cells) * (d / root - top / root * sum(1 / m for m in both) / 2) for d, both in slopes]
    assert _slope(np.array(cells), metric) == pytest.approx(expected, rel=1e-5, abs=1e-5 * max(map(abs, expected)))
