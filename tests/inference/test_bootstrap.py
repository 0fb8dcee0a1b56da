"""The bootstrap tests: naive loops on the same resamples, duality, sides and δ, and measured error rates."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.options import complete
from outscore.core.rows import PairedScores
from outscore.inference.base.question import TestRequest
from outscore.inference.bootstrap import ENTRIES, _largest_rank
from outscore.metrics.registry import resolve
from outscore.resampling import centred_median, resample_indices, stationary_indices
from outscore.results.note import note_texts

SIDES = ("two-sided", "greater", "less")
TESTS = {entry.name: entry for entry in ENTRIES}
NAMES = tuple(TESTS)


def run(
    test, a, b, metric="mean", *, items=None, clusters=None, alternative="two-sided", delta=0.0, alpha=0.05, seed=0, **options
):
    additive, rows_a, rows_b = resolve(metric, np.asarray(a), np.asarray(b))
    codes = [None if labels is None else np.asarray(labels) for labels in (items, clusters)]
    entry = TESTS[test]
    options = complete(test, entry.options, {"resamples": 199, **options})
    return entry.run(PairedScores(rows_a, rows_b, 1, *codes), additive, TestRequest(alternative, delta, alpha, seed, options))


def naive_p(moves, gap, side, turn=1):
    """(1 + #{resamples at least as far}) / (B + 1), written out."""
    if side == "two-sided":
        hits = sum(abs(m) >= abs(gap) - 1e-11 for m in moves)
    else:
        sign = turn * (1 if side == "greater" else -1)
        hits = sum(sign * m >= sign * gap - 1e-11 for m in moves)
    return (hits + 1) / (len(moves) + 1)


def f1(rows):
    tp, fp, fn = (sum(r[j] for r in rows) for j in range(3))
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0


def mcc(rows):
    tp, fp, fn, tn = (sum(r[j] for r in rows) for j in range(4))
    square = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(square) if square else 0.0


def mean(rows):
    return math.fsum(r[0] for r in rows) / len(rows)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("metric", "score", "width"), [("mean", mean, 1), ("f1", f1, 3), ("mcc", mcc, 4)])
@pytest.mark.parametrize("clustered", [False, True])
def test_bootstrap_against_naive_loop(metric, score, width, side, clustered):
    rng = np.random.default_rng(width)
    n = 24
    a, b = (
        rng.integers(0, 9, (n, width)) / (10 if width == 1 else 1),
        rng.integers(0, 8, (n, width)) / (10 if width == 1 else 1),
    )
    if width > 1:
        a, b = a.astype(int), b.astype(int)
    clusters = np.arange(n) // 3 if clustered else np.arange(n)
    members = [np.flatnonzero(clusters == g) for g in range(clusters.max() + 1)]
    for first, second in ((a, b), (b, a)):
        observed = score(first.tolist()) - score(second.tolist())
        moves = []
        for drawn in resample_indices(clusters.max() + 1, 0, 199, 0):
            rows = np.concatenate([members[g] for g in drawn])
            moves.append(score(first[rows].tolist()) - score(second[rows].tolist()) - observed)
        for delta in (0.0, 0.05, -0.2):
            squeeze = (first[:, 0], second[:, 0]) if width == 1 else (first, second)
            labels = clusters if clustered else None
            found = run("bootstrap", *squeeze, metric, clusters=labels, alternative=side, delta=delta)
            assert found.p.value == naive_p(moves, observed - delta, side)
            assert found.p.statistic == pytest.approx(observed, abs=1e-12)
            assert (found.p.n, found.p.kernel, found.p.test) == (clusters.max() + 1, "bootstrap:199", "bootstrap")
            assert found.p.lower <= found.p.value <= found.p.upper


@pytest.mark.parametrize("side", SIDES)
def test_block_bootstrap_against_naive_loop(side):
    rng = np.random.default_rng(8)
    a, b = rng.integers(0, 6, (2, 30, 3))
    observed = f1(a.tolist()) - f1(b.tolist())
    moves = [f1(a[i].tolist()) - f1(b[i].tolist()) - observed for i in stationary_indices(30, 3.5, 0, 199, 0)]
    found = run("block-bootstrap", a, b, "f1", alternative=side, block_length=3.5)
    assert found.p.value == naive_p(moves, observed, side)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("delta", [0.0, 0.15])
def test_bootstrap_t_against_naive_loop(side, delta):
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 30))
    d = a - b
    moves = [(d[i].mean() - d.mean()) * (d.std() / d[i].std()) for i in resample_indices(30, 0, 199, 0)]
    found = run("bootstrap-t", a, b, alternative=side, delta=delta)
    assert found.p.value == naive_p(moves, d.mean() - delta, side)
    if side == "two-sided":
        # d ± t·se with t the tenth largest |t*| of 199.
        t = sorted(abs(m) / d.std() for m in moves)[-10]
        assert found.interval.low == pytest.approx(d.mean() - t * d.std(), abs=1e-12)
        assert found.interval.high == pytest.approx(d.mean() + t * d.std(), abs=1e-12)


@pytest.mark.parametrize("side", SIDES)
def test_bootstrap_median_against_naive_loop(side):
    a, b = np.random.default_rng(2).integers(0, 50, (2, 41)) / 10
    d = np.rint(10 * a) - np.rint(10 * b)
    moves = (centred_median(d, 199, 0) / 10).tolist()
    found = run("bootstrap-median", a, b, alternative=side, delta=0.1)
    assert found.p.statistic == pytest.approx(np.median(a - b))
    assert found.p.value == naive_p(moves, np.median(d) / 10 - 0.1, side)


@pytest.mark.parametrize("test", NAMES)
@pytest.mark.parametrize("n", [1, 2, 3, 40, 60])
def test_identical_systems(test, n):
    for scores in (np.arange(n) / 7, np.zeros(n), np.full(n, 0.3), np.sqrt(np.arange(n))):
        for side in SIDES:
            found = run(test, scores, scores, alternative=side)
            assert found.p.value == found.p.upper == 1
            assert found.p.statistic == 0


@pytest.mark.parametrize("metric", ["f1", "mcc", "precision", "balanced-accuracy", "kappa", "macro-f1"])
@pytest.mark.parametrize("test", ["bootstrap", "block-bootstrap"])
def test_scores_without_a_denominator_are_zero(metric, test):
    """Nearly all items are empty, so that many resamples have nothing to divide by."""
    width = 4 if metric in ("mcc", "balanced-accuracy", "kappa", "macro-f1") else 3
    a, b = np.zeros((2, 12, width), dtype=int)
    a[0, 0] = b[0, 1] = 1
    for first, second in ((a, b), (b, a), (a, a)):
        found = run(test, first, second, metric)
        assert 0 < found.p.value <= 1
        assert math.isfinite(found.interval.low)
        assert math.isfinite(found.interval.high)


def test_metric_without_a_number_is_refused():
    odd = AdditiveMetric("odd", ("x",), function=lambda t: np.where(t[..., 0] > 2, np.nan, t[..., 0]))
    pairs = PairedScores(np.array([[1.0], [0.0], [0.5]]), np.zeros((3, 1)))
    with pytest.raises(OutscoreError, match="odd is not a number in"):
        TESTS["bootstrap"].run(pairs, odd, TestRequest(options={"resamples": 199, "interval": "symmetric"}))


small_scores = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=25) | st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=40, max_size=60
)


@settings(max_examples=40)
@given(small_scores, st.sampled_from(NAMES), st.sampled_from(SIDES), st.integers(-8, 8), st.sampled_from([0.05, 0.1, 0.32]))
def test_interval_is_dual(rows, test, side, quarter, alpha):
    """δ lies in the interval exactly when the test does not reject it, here on numbers with many ties."""
    a, b = np.array(rows).T
    delta = quarter / 4
    if np.ptp(a - b) == 0 and a[0] - b[0] != delta:
        return
    found = run(test, a, b, alternative=side, delta=delta, alpha=alpha)
    low = -math.inf if found.interval.low is None else found.interval.low
    high = math.inf if found.interval.high is None else found.interval.high
    assert found.interval.dual
    assert found.interval.level == 1 - alpha
    inside = low - 1e-10 <= delta <= high + 1e-10
    assert inside == (found.p.value > alpha)


@settings(max_examples=30)
@given(small_scores, st.sampled_from(NAMES))
def test_swapping_the_systems_turns_the_answer(rows, test):
    a, b = np.array(rows).T
    if np.ptp(a - b) == 0:
        return
    there, back = run(test, a, b), run(test, b, a)
    assert there.p.value == back.p.value
    assert there.p.statistic == -back.p.statistic
    assert run(test, a, b, alternative="greater").p.value == run(test, b, a, alternative="less").p.value
    if there.interval.low is not None:
        assert there.interval.low == pytest.approx(-back.interval.high, abs=1e-12)


def test_lower_is_better_turns_the_sides_and_not_the_number():
    errors_a = np.array([[e, 10] for e in (1, 2, 0, 3, 1, 2, 1, 0) * 8])
    errors_b = np.array([[e + k % 2, 10] for k, (e, _) in enumerate(errors_a)])
    for test in ("bootstrap", "bootstrap-t", "block-bootstrap"):
        found = run(test, errors_a, errors_b, "error-rate", alternative="greater")
        assert found.p.statistic < 0
        assert found.p.value < 0.05
        assert found.interval.low is None
        assert found.interval.high < 0
        assert run(test, errors_a, errors_b, "error-rate", alternative="less").p.value > 0.9


@pytest.mark.parametrize("test", ["bootstrap", "bootstrap-t", "bootstrap-median"])
def test_repeats_are_averaged_and_clusters_counted(test):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 10, (2, 60))
    items = np.arange(60) // 2
    averaged = run(test, a.reshape(30, 2).mean(axis=1), b.reshape(30, 2).mean(axis=1))
    assert run(test, a, b, items=items).p == averaged.p
    assert averaged.p.n == 30
    assert run(test, a, b, items=items, clusters=items // 5).p.n == 6


@pytest.mark.parametrize("test", NAMES)
@pytest.mark.parametrize("side", SIDES)
def test_units_that_are_all_alike_say_nothing_about_spread(test, side):
    """As `student` does: a constant difference is refused, unless it is the hypothesis itself."""
    a, b = np.array([0.4, 0.9, 0.7, 1.3]), np.array([0.3, 0.8, 0.6, 1.2])
    with pytest.raises(
        OutscoreError, match=f"The difference is 0.1 in every resample, and `{test}` needs differences that vary"
    ) as refusal:
        run(test, a, b, alternative=side)
    assert refusal.value.hint == "Use `permutation`, which does not."
    found = run(test, a, b, alternative=side, delta=0.1)
    assert found.p.value == 1
    assert "so the interval has no width" in found.notes[0].text


def test_a_ratio_that_never_moves_is_refused():
    """A always perfect, B always wrong: every resample has the same difference, though the items' sizes vary."""
    right, wrong = np.array([[k, 0, 0] for k in (1, 2, 3) * 10]), np.array([[0, 0, k] for k in (2, 1, 4) * 10])
    for test in ("bootstrap", "block-bootstrap"):
        with pytest.raises(OutscoreError, match="The difference is 1 in every resample"):
            run(test, right, wrong, "f1")


@pytest.mark.parametrize("test", NAMES)
def test_what_the_interval_is_about(test):
    a, b = np.random.default_rng(9).normal(size=(2, 60))
    found = run(test, a, b).interval
    centre, estimand = (np.median(a - b), "median") if test == "bootstrap-median" else ((a - b).mean(), "difference")
    assert (found.estimand, found.estimate) == (estimand, pytest.approx(centre, abs=1e-12))


@pytest.mark.parametrize("test", NAMES)
def test_numbers_of_resamples_that_would_run_for_days_are_refused(test):
    with pytest.raises(OutscoreError, match=r"`resamples` is 1,000,000,000\. It must be at most 1,000,000\."):
        run(test, [1, 2, 4], [1, 1, 1], resamples=10**9)


def test_blocks_refuse_clusters_and_metrics_without_items():
    with pytest.raises(OutscoreError, match=r"does not support clusters\. Use `bootstrap`"):
        run("block-bootstrap", [1, 2, 3], [1, 1, 1], clusters=[0, 0, 1])
    with pytest.raises(OutscoreError, match="`block_length` is 9, but there are only 3 items"):
        run("block-bootstrap", [1, 2, 3], [1, 1, 1], block_length=9)
    for test in ("bootstrap-t", "bootstrap-median"):
        with pytest.raises(OutscoreError, match=f"`{test}` needs one score per item"):
            run(test, np.ones((5, 3), dtype=int), np.eye(5, 3, dtype=int), "f1")


def test_notes():
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(2, 60))
    assert run("bootstrap", a, b).notes == []
    assert run("bootstrap", a[:20], b[:20]).notes[0].text.startswith("Only 20 units: a centred bootstrap rejects too often")
    assert run("bootstrap-median", a[:20], b[:20]).notes[0].text.endswith("prefer `sign`.")
    assert run("bootstrap-median", [1] * 60 + [2], [0] * 61).notes[0].text.startswith("No resample differs from the data")
    assert note_texts(run("bootstrap", a, a).notes) == ["The differences do not vary at all, so the interval has no width."]
    assert note_texts(run("bootstrap", [1], [0]).notes) == [
        "A single unit cannot be resampled: p is 1 and the interval unbounded."
    ]
    assert note_texts(run("bootstrap", a, b, alpha=0.001).notes) == ["No interval: 199 resamples are too few for level 0.999."]
    blocks = note_texts(run("block-bootstrap", a, b, block_length=2).notes)
    assert blocks[0].startswith("Blocks of 2.0 items on average; SE(block)/SE(i.i.d.) = ")
    assert "level .07 to .12" in blocks[1]
    assert "chosen from the data" in run("block-bootstrap", a, b).notes[0].text
    rare = run("bootstrap-t", [1, 1] + [0] * 58, [0] * 60)
    assert "resamples all units were equal" in rare.notes[0].text
    # exp(-2) of the resamples hold neither of the two items: no finite limit.
    assert (rare.interval.low, rare.interval.high) == (None, None)


def test_block_standard_error_is_that_of_the_resampled_differences():
    """One error of the literature is to report the i.i.d. variance instead; here blocks more than double it."""
    d = np.repeat(np.random.default_rng(1).normal(size=60), 10)
    found = run("block-bootstrap", d, 0 * d, resamples=999, block_length=30)
    ratio = float(found.notes[0].text.rpartition("= ")[2].rstrip("."))
    assert 2 < ratio < 3.3
    plain = run("bootstrap", d, 0 * d, resamples=999)
    assert (found.interval.high - found.interval.low) / (plain.interval.high - plain.interval.low) == pytest.approx(
        ratio, rel=0.1
    )


@pytest.mark.parametrize("shape", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("side", SIDES)
def test_interval_shapes_against_scipy(shape, side):
    """The same resamples handed to scipy; its interval of the mean difference, paired as ours."""
    rng = np.random.default_rng(11)
    a, b = rng.exponential(size=(2, 60))
    d = a - b
    found = run("bootstrap", a, b, interval=shape, alternative=side, resamples=999)
    first = scipy.stats.bootstrap((d,), np.mean, n_resamples=2, method="percentile", rng=0)
    first.bootstrap_distribution = d[resample_indices(60, 0, 999, 0)].mean(axis=1)
    theirs = scipy.stats.bootstrap((d,), np.mean, n_resamples=0, bootstrap_result=first, method=shape, alternative=side)
    low, high = theirs.confidence_interval
    assert found.interval.low == (None if math.isinf(low) else pytest.approx(low, abs=1e-10))
    assert found.interval.high == (None if math.isinf(high) else pytest.approx(high, abs=1e-10))
    assert not found.interval.dual
    assert shape in found.interval.method
    assert f"The {shape} interval and the test are two methods" in found.notes[-1].text


@given(st.floats(0.001, 0.999), st.integers(1, 20_000))
def test_rank_agrees_with_the_decision(alpha, resamples):
    k = _largest_rank(alpha, resamples)
    assert k / (resamples + 1) <= alpha < (k + 1) / (resamples + 1)
    assert 0 <= k <= resamples


def test_rank_of_the_usual_level():
    assert _largest_rank(0.05, 9_999) == 500


@pytest.mark.parametrize("test", NAMES)
def test_seeds(test):
    a, b = np.random.default_rng(0).normal(size=(2, 80))
    assert run(test, a, b, seed=3) == run(test, a, b, seed=3)
    assert run(test, a, b, seed=3).interval != run(test, a, b, seed=2**64 - 1).interval


def rates(test, draw, n, replicates, truth=0.0, **options):
    """Share of rejections of a true hypothesis, and of intervals that hold the truth."""
    rejected = covered = 0
    for k in range(replicates):
        d = draw(np.random.default_rng([k, n]), n)
        found = run(test, d, np.zeros(n), delta=truth, seed=k, resamples=499, **options)
        rejected += found.p.value <= 0.05
        low, high = found.interval.low, found.interval.high
        covered += (low is None or low <= truth) and (high is None or truth <= high)
    return rejected / replicates, covered / replicates


def normal(rng, n):
    return rng.normal(size=n)


def skewed(rng, n):
    return rng.exponential(size=n) - 1


def autoregressive(rng, n, rho=0.5):
    x = rng.normal(size=n)
    x[0] /= math.sqrt(1 - rho**2)
    for i in range(1, n):
        x[i] += rho * x[i - 1]
    return x


@pytest.mark.slow
@pytest.mark.parametrize("draw", [normal, skewed])
@pytest.mark.parametrize("test", ["bootstrap", "bootstrap-t"])
def test_level_and_coverage(test, draw):
    level, coverage = rates(test, draw, 100, 2_000)
    assert 0.035 <= level <= 0.065
    assert coverage >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("draw", [normal, lambda rng, n: rng.exponential(size=n) - math.log(2)])
def test_level_and_coverage_of_the_median(draw):
    level, coverage = rates("bootstrap-median", draw, 100, 2_000)
    assert 0.035 <= level <= 0.065
    assert coverage >= 0.93


@pytest.mark.slow
def test_level_of_blocks():
    """Independent items: near the nominal level. Dependent ones: liberal, as the note says, but far below `bootstrap`."""
    independent, _ = rates("block-bootstrap", normal, 200, 1_000)
    assert 0.035 <= independent <= 0.085
    dependent, _ = rates("block-bootstrap", autoregressive, 200, 1_000)
    assert 0.06 <= dependent <= 0.125
    plain, _ = rates("bootstrap", autoregressive, 200, 1_000)
    assert plain > 0.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "draw", "n", "claimed"),
    [
        ("bootstrap", normal, 10, 0.091),
        ("bootstrap", normal, 20, 0.069),
        ("bootstrap-t", skewed, 10, 0.08),
        ("bootstrap-median", normal, 10, 0.062),
        ("bootstrap-median", normal, 20, 0.066),
    ],
)
def test_levels_that_the_notes_claim_for_few_units(test, draw, n, claimed):
    level, _ = rates(test, draw, n, 2_000)
    assert level == pytest.approx(claimed, abs=0.015)


@pytest.mark.slow
def test_level_with_clusters():
    """Sixty clusters of one to five items that share an effect: resampled whole they keep the level, alone they do not."""
    codes = np.repeat(np.arange(60), 1 + np.arange(60) % 5)
    plain = aware = studentised = 0
    for k in range(1_000):
        rng = np.random.default_rng([k, 7])
        d = rng.normal(size=60)[codes] + rng.normal(size=len(codes)) / 2
        zeros = np.zeros(len(d))
        plain += run("bootstrap", d, zeros, seed=k).p.value <= 0.05
        aware += run("bootstrap", d, zeros, seed=k, clusters=codes).p.value <= 0.05
        studentised += run("bootstrap-t", d, zeros, seed=k, clusters=codes).p.value <= 0.05
    assert plain > 150
    assert 35 <= aware <= 85
    assert 30 <= studentised <= 70
