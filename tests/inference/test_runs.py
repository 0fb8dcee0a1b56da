"""Runs exchanged within items, or whole: against all divisions, one by one, and against what the interval promises."""

from __future__ import annotations

import itertools
import math
import time
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from outscore.core.metric import AdditiveMetric
from outscore.core.rows import Runs
from outscore.inference import runs as module
from outscore.inference.base.question import TestRequest
from outscore.inference.describe.repeats import run_interval, run_test, smallest_run_p
from outscore.inference.pairwise.table import exchange_result
from outscore.inference.runs import Exchange, exchange_of, exchange_of_rows, macro_exchange, sampled_exchange

MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
F1 = AdditiveMetric("f1", ("tp", "errors"), ratio=((2, 0), (2, 1)))


def draws(runs) -> Runs:
    """Runs of items, a list each."""
    return Runs(np.concatenate([np.array(one) for one in runs]), np.repeat(np.arange(len(runs)), [len(one) for one in runs]))


def of(a, b, **more) -> Exchange:
    return exchange_of(draws(a), draws(b), **more)


def all_differences(a, b) -> list[Fraction]:
    """The mean difference after every division of every item's runs, in fractions."""
    items = []
    for one, other in zip(a, b, strict=True):
        pool = [Fraction(str(x)) for x in (*one, *other)]
        chosen = itertools.combinations(range(len(pool)), len(one))
        sums = [sum(pool[i] for i in places) for places in chosen]
        items.append([s / len(one) - (sum(pool) - s) / len(other) for s in sums])
    return [sum(parts) / len(a) for parts in itertools.product(*items)]


def brute_force(a, b, alternative: str) -> Fraction:
    moved = all_differences(a, b)
    observed = sum(
        sum(Fraction(str(x)) for x in one) / len(one) - sum(Fraction(str(x)) for x in other) / len(other)
        for one, other in zip(a, b, strict=True)
    ) / len(a)
    hits = {
        "two-sided": [abs(d) >= abs(observed) for d in moved],
        "greater": [d >= observed for d in moved],
        "less": [d <= observed for d in moved],
    }[alternative]
    return Fraction(sum(hits), len(moved))


scores = {
    "binary": st.integers(0, 1),
    "graded": st.integers(0, 4),
    "decimal": st.integers(-20, 20).map(lambda k: k / 10),
}


@pytest.mark.parametrize("kind", scores)
@settings(max_examples=30)
@given(data=st.data(), alternative=st.sampled_from(["two-sided", "greater", "less"]))
def test_p_against_all_divisions(kind, data, alternative):
    """Equal and unequal numbers of runs, single runs, ties, items on which nothing differs."""
    runs = st.lists(scores[kind], min_size=1, max_size=3)
    items = data.draw(st.lists(st.tuples(runs, runs), min_size=1, max_size=3))
    a, b = [one for one, _ in items], [other for _, other in items]
    p = of(a, b).p(TestRequest(alternative))
    assert p.exact
    assert p.value == pytest.approx(float(brute_force(a, b, alternative)), rel=1e-11)


def test_lower_is_better_turns_the_sides():
    a, b = [[1, 0, 1], [1, 1, 1]], [[0, 0, 1], [1, 0, 0]]
    assert of(a, b, orientation=-1).p(TestRequest("less")).value == pytest.approx(float(brute_force(a, b, "greater")))
    assert of(a, b, orientation=-1).p(TestRequest("greater")).value == pytest.approx(float(brute_force(a, b, "less")))


def test_identical_systems_have_a_p_of_one():
    assert of([[1, 0], [1, 1]], [[0, 1], [1, 1]]).p().value == 1.0
    assert of([[1, 1], [1, 1]], [[1, 1], [1, 1]]).p().value == 1.0


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_real_scores_of_few_items_are_listed(alternative, monkeypatch):
    """Scores without end: all sums, of which the observed one and its mirror image are ties; bounds hold the same number."""
    rng = np.random.default_rng(1)
    a, b = (rng.normal(shift, 1, (5, 2)).tolist() for shift in (0.6, 0))
    exact = float(brute_force(a, b, alternative))
    found = of(a, b).p(TestRequest(alternative))
    assert (found.method, found.kernel) == ("exact", "enumeration")
    assert found.value == pytest.approx(exact, rel=1e-12)
    monkeypatch.setattr(module.law_sums, "MAX_SUMS", 1)
    bounded = of(a, b).p(TestRequest(alternative), points=1 << 12)
    assert bounded.method == "certified"
    assert bounded.lower <= exact <= bounded.upper
    assert bounded.upper < 1.5 * bounded.lower


def test_runs_too_many_to_count_are_sampled():
    """Real scores of 40 runs have 1e11 divisions: sampled, and said; a normal law is near."""
    rng = np.random.default_rng(2)
    a, b = (rng.normal(shift, 1, (4, 20)).tolist() for shift in (0.3, 0))
    found = of(a, b)
    p = found.p(TestRequest(seed=3))
    error, _ = found.error()
    assert (p.method, p.kernel) == ("monte-carlo", "divisions:9999")
    assert p.value == pytest.approx(2 * scipy.stats.norm.sf(abs(found.difference) / error), rel=0.3)
    assert p == found.p(TestRequest(seed=3))


def test_both_sides_of_equally_many_runs_are_worked_out_once(monkeypatch):
    """Their law is symmetric; unequally many runs have two sides."""
    rng = np.random.default_rng(8)
    a, b = (rng.normal(shift, 1, (12, 3)).tolist() for shift in (0.3, 0))
    asked = []
    bounds = module.law_sums.bounds
    monkeypatch.setattr(module.law_sums, "bounds", lambda *given, **more: asked.append(given) or bounds(*given, **more))
    p = of(a, b).p(points=1 << 12)
    assert (p.method, len(asked)) == ("certified", 1)
    other = [bounds(laws, abs(asked[0][1]), doubt=of(a, b).line().doubt, points=1 << 12) for laws in (asked[0][0],)]
    assert p.upper == pytest.approx(2 * math.exp(other[0].upper), rel=1e-12)
    of(a, [one[:2] for one in b]).p(points=1 << 12)
    assert len(asked) == 3


@pytest.mark.parametrize("resamples", [99, 999])
def test_exchanges_are_sampled_where_that_is_asked_for(resamples):
    """Monte Carlo by name, with as many exchanges as named, whatever could be counted."""
    rng = np.random.default_rng(5)
    exchange = of(*(rng.normal(shift, 1, (8, 3)).tolist() for shift in (0.4, 0)))
    options = {"method": "monte-carlo", "resamples": resamples}
    found = exchange_result(exchange, TestRequest(options=options, interval=False, seed=2)).p
    assert (found.method, found.kernel) == ("monte-carlo", f"divisions:{resamples}")
    assert found.lower <= exchange.p().value <= found.upper


def test_sampled_divisions_agree_with_the_exact_law():
    rng = np.random.default_rng(4)
    a, b = (draws((rng.random((12, 4)) < rate).astype(int).tolist()) for rate in (0.7, 0.5))
    rows = [Runs(np.stack([one.values, np.ones(48)], axis=1), one.items) for one in (a, b)]
    exact = exchange_of(a, b)
    sampled = sampled_exchange(rows[0], rows[1], MEAN, exact.difference, TestRequest())
    assert sampled.lower <= exact.p().value <= sampled.upper


def test_a_ratio_of_sums_is_no_mean_over_items():
    rows = Runs(np.array([[3, 1], [2, 2]]), np.array([0, 0]))
    assert exchange_of_rows((rows, rows), F1) is None
    assert sampled_exchange(rows, rows, F1, 0.0, TestRequest()).value == 1.0


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_the_interval_holds_zero_exactly_where_p_does_not_reject(seed):
    rng = np.random.default_rng(seed)
    found = of(*((rng.random((9, 4)) < rng.random((9, 1))).astype(int).tolist() for _ in range(2)))
    p = found.p()
    interval = found.interval(TestRequest("two-sided", alpha=0.2), p)
    assert (interval.low <= 0 <= interval.high) == (p.value > 0.2)
    assert interval.low <= found.difference <= interval.high


def test_the_interval_is_welchs_within_items():
    a, b = [[3.0, 5.0, 4.0], [1.0, 2.0, 6.0]], [[1.0, 2.0], [0.0, 3.0]]
    found = of(a, b)
    parts = [(np.var(x, ddof=1) / len(x) / 4, len(x) - 1) for x in (*a, *b)]
    variance = sum(v for v, _ in parts)
    df = variance**2 / sum(v * v / k for v, k in parts)
    reach = scipy.stats.t.ppf(0.975, df) * math.sqrt(variance)
    interval = found.interval(TestRequest("two-sided", alpha=0.05), found.p())
    assert found.error() == pytest.approx((math.sqrt(variance), df))
    assert (interval.low, interval.high) == pytest.approx((2 - reach, 2 + reach))
    one_sided = found.interval(TestRequest("greater", alpha=0.05), found.p(TestRequest("greater")))
    assert one_sided.low == pytest.approx(2 - scipy.stats.t.ppf(0.95, df) * math.sqrt(variance))
    assert one_sided.high is None


def test_single_runs_borrow_no_spread_from_the_other_system():
    """A's 30 coin tosses, one of each item, against four nearly perfect runs: Wilson for A, items for the difference."""
    a, b = [[1]] * 14 + [[0]] * 16, [[1, 1, 1, 1]] * 26 + [[1, 1, 1, 0]] * 4
    found = of(a, b)
    own = found.own(0.05)
    assert own is not None
    wilson = scipy.stats.binomtest(14, 30).proportion_ci(method="wilson")
    assert own[0] == pytest.approx((wilson.low, wilson.high))
    within = sum(float(np.var(runs, ddof=1)) / 4 for runs in b) / 900
    assert own[1][1] - own[1][0] < 6 * math.sqrt(within)
    d = [np.mean(one) - np.mean(other) for one, other in zip(a, b, strict=True)]
    interval = found.interval(TestRequest("two-sided", alpha=0.05), found.p())
    expected = scipy.stats.ttest_1samp(d, 0.0).confidence_interval()
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))
    assert interval.method == module.OVER_ITEMS
    mirrored = of(b, a).interval(TestRequest("two-sided", alpha=0.05), found.p())
    assert (-mirrored.high, -mirrored.low) == pytest.approx((interval.low, interval.high))


def test_items_with_single_runs_add_their_spread_to_the_noise_within_the_others():
    a, b = [[3.0, 5.0], [1.0, 2.0], [4.0], [2.0], [7.0]], [[1.0, 2.0], [0.0, 3.0], [1.0, 1.0], [0.0, 5.0], [2.0]]
    found = of(a, b)
    within = [(np.var(x, ddof=1) / 2 / 25, 1) for x in (a[0], a[1], b[0], b[1])]
    d = [np.mean(one) - np.mean(other) for one, other in zip(a, b, strict=True)]
    single = max((3 * np.var(d[2:], ddof=1) / 25, 2), (3 * np.var(d, ddof=1) / 25, 4))
    variance = sum(v for v, _ in (*within, single))
    df = variance**2 / sum(v * v / k for v, k in (*within, single))
    assert found.error() == pytest.approx((math.sqrt(variance), df))
    assert found.interval(TestRequest("two-sided", alpha=0.05), found.p()).method == module.PARTLY_OVER_ITEMS


def test_a_single_run_of_a_single_item_bounds_nothing():
    found = of([[0.7]], [[0.1, 0.2, 0.4]])
    assert found.interval(TestRequest("two-sided", alpha=0.05), found.p()) is None
    assert found.own(0.05) is None
    assert found.p(TestRequest("greater", -0.1)).value == 1.0
    share = of([[1]], [[0, 1, 0]]).own(0.05)
    wilson = scipy.stats.binomtest(1, 1).proportion_ci(method="wilson")
    assert share is not None
    assert share[0] == pytest.approx((wilson.low, wilson.high))


def test_a_margin_is_tested_by_the_interval():
    a, b = [[1, 1, 1, 0], [1, 0, 1, 1], [0, 1, 1, 1]], [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 1]]
    found = of(a, b)
    low = found.difference - scipy.stats.t.ppf(0.95, found.error()[1]) * found.error()[0]
    assert found.p(TestRequest("greater", low)).value == pytest.approx(0.05)
    assert found.p(TestRequest("greater", low)).method == "asymptotic"


def test_runs_that_never_differ_get_the_score_interval():
    """Of 15 items with 4 equal runs each nothing varies; 60 right runs against 60 bound a difference at about 4/60."""
    a = [[1] * 4] * 15
    found = of(a, a)
    interval = found.interval(TestRequest("two-sided", alpha=0.05), found.p())
    assert interval.method == module.SCORE_INTERVAL
    end = 1.96**2 * 8 / 7 / (60 + 1.96**2 * 8 / 7)
    assert (-interval.low, interval.high) == pytest.approx((end, end), rel=1e-4)
    other = of(a, [[0] * 4] * 15)
    assert other.p().value == pytest.approx(2 * (1 / 70) ** 15, rel=1e-10)
    assert 0.8 < other.interval(TestRequest("two-sided", alpha=0.05), other.p()).low < 1
    graded = of([[0.3, 0.3]], [[0.2, 0.2]])
    assert graded.interval(TestRequest("two-sided", alpha=0.05), graded.p()) is None


def test_constrained_rates_are_the_likeliest_ones():
    for x_a, n_a, x_b, n_b, gap in [(3, 4, 1, 4, 0.1), (4, 4, 4, 4, -0.2), (0, 5, 2, 3, 0.3), (2, 4, 2, 4, 0.0)]:
        first, second = module._constrained(*(np.array([float(x)]) for x in (x_a, n_a, x_b, n_b)), gap)
        grid = np.linspace(max(0, -gap), min(1, 1 - gap), 20_001)
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = [(x_a, grid + gap), (n_a - x_a, 1 - grid - gap), (x_b, grid), (n_b - x_b, 1 - grid)]
            log = sum(k * np.log(np.maximum(p, 1e-300)) for k, p in terms)
        assert second[0] == pytest.approx(grid[np.argmax(log)], abs=1e-4)
        assert first[0] == pytest.approx(second[0] + gap, abs=1e-12)


def test_datasets_count_alike_in_the_macro_average():
    rng = np.random.default_rng(6)
    parts = [of(*((rng.random((n, 2)) < rate).astype(int).tolist() for rate in (0.8, 0.4))) for n in (3, 2)]
    both = macro_exchange(parts)
    assert both.difference == pytest.approx((parts[0].difference + parts[1].difference) / 2)
    assert both.error()[0] == pytest.approx(math.hypot(parts[0].error()[0], parts[1].error()[0]) / 2)
    sums = [
        (Fraction(d0) + Fraction(d1)) / 2
        for d0 in all_differences(*(_runs(one) for one in (parts[0].a, parts[0].b)))
        for d1 in all_differences(*(_runs(one) for one in (parts[1].a, parts[1].b)))
    ]
    hits = sum(abs(d) >= abs(Fraction(both.difference).limit_denominator(1000)) for d in sums)
    assert both.p().value == pytest.approx(hits / len(sums), rel=1e-10)


def _runs(one: Runs) -> list[list[int]]:
    return [one.values[one.items == i].tolist() for i in range(int(one.items.max()) + 1)]


def test_thirty_items_of_sixty_four_runs():
    rng = np.random.default_rng(7)
    rates = rng.beta(1, 1, (30, 1))
    found = of(*((rng.random((30, 64)) < np.clip(rates + d, 0, 1)).astype(int).tolist() for d in (0.03, 0.0)))
    times = []
    for _ in range(9):
        start = time.process_time()
        p = found.p()
        times.append(time.process_time() - start)
    assert p.exact
    # CPU time, the best of several, since the machine may have other work; a third of it on an idle one.
    assert min(times) < 0.02


@settings(max_examples=40)
@given(
    a=st.lists(st.integers(0, 30), min_size=2, max_size=4),
    b=st.lists(st.integers(0, 30), min_size=2, max_size=4),
    alternative=st.sampled_from(["two-sided", "greater"]),
    delta=st.integers(-60, 60).map(lambda k: k / 2 + 0.1),
)
@example(a=[0, 0], b=[0, 0], alternative="greater", delta=-0.4)
def test_the_interval_of_whole_runs_holds_what_the_test_does_not_reject(a, b, alternative, delta):
    x, y = np.array(a, dtype=float), np.array(b, dtype=float)
    alpha = 0.21
    interval = run_interval(x, y, TestRequest(alternative, alpha=alpha))
    inside = (interval.low is None or delta >= interval.low) and (interval.high is None or delta <= interval.high)
    p = run_test(x, y, TestRequest(alternative, delta)).value
    assume(abs(p - alpha) > 1e-9)
    assert inside == (p > alpha)


def test_few_whole_runs_leave_the_interval_open():
    rng = np.random.default_rng(8)
    three, four = (run_interval(rng.normal(1, 1, k), rng.normal(0, 1, k)) for k in (3, 4))
    assert (three.low, three.high) == (None, None)
    assert four.low is not None
    assert smallest_run_p(3, 3) == 0.1
    assert smallest_run_p(4, 4) == pytest.approx(0.0286, abs=5e-5)
    assert smallest_run_p(3, 5) == pytest.approx(1 / 56)


def test_very_many_whole_runs_get_welchs_interval():
    rng = np.random.default_rng(9)
    a, b = rng.normal(1, 1, 14), rng.normal(0, 2, 16)
    found, expected = run_interval(a, b), scipy.stats.ttest_ind(a, b, equal_var=False).confidence_interval()
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["alike", "apart", "extreme"])
def test_coverage_over_new_runs_of_these_items(kind):
    rng = np.random.default_rng(10)
    shapes = {"alike": (1, 1), "apart": (0.5, 0.5), "extreme": (0.12, 0.12)}
    held = 0
    for _ in range(1000):
        first = rng.beta(*shapes[kind], 15)
        second = np.clip(first - 0.1, 0, 1) if kind == "alike" else rng.beta(*shapes[kind], 15)
        found = of(*((rng.random((15, 4)) < rates[:, None]).astype(int).tolist() for rates in (first, second)))
        interval = found.interval(TestRequest("two-sided", alpha=0.05), found.p())
        held += interval.low <= (first - second).mean() <= interval.high
    assert held / 1000 >= 0.935


@pytest.mark.slow
@pytest.mark.parametrize(("n", "runs"), [(30, 4), (100, 8)])
@pytest.mark.parametrize("kind", ["coins", "mixed"])
def test_coverage_of_single_runs_against_several(n, runs, kind):
    """A once, at rates of .5 or .3 to .7, against several runs of B that hardly vary; .5 to .7 with B's spread for A's."""
    rng = np.random.default_rng(11)
    held = np.zeros(2)
    for _ in range(600):
        first = np.full(n, 0.5) if kind == "coins" else rng.uniform(0.3, 0.7, n)
        second = np.full(n, 0.95) if kind == "coins" else rng.choice([0.02, 0.98], n)
        a, b = ((rng.random((n, k)) < rates[:, None]).astype(int).tolist() for k, rates in ((1, first), (runs, second)))
        found = of(a, b)
        interval, own = found.interval(TestRequest("two-sided", alpha=0.05), found.p()), found.own(0.05)
        held += [interval.low <= (first - second).mean() <= interval.high, own[0][0] <= first.mean() <= own[0][1]]
    assert (held / 600 >= 0.93).all()


def test_what_takes_too_long_on_a_fine_grid_is_asked_on_a_coarser_one():
    """Four runs of 14 items with scores of any size: 70 divisions each ended in a crash."""
    rng = np.random.default_rng(5)
    a, b = (rng.random((14, 4)).tolist() for _ in "ab")
    found = of(a, b).p()
    assert found.method == "certified"
    assert found.lower < found.value < found.upper
    assert found.upper - found.lower < 0.02
