from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from statsmodels.stats.power import TTestPower
from tests.variants import crossed

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.rows import PairedScores
from outscore.inference.base.question import TestRequest
from outscore.inference.permutation import permutation
from outscore.inference.power import binary, planning
from outscore.inference.power.binary import mcnemar_power, overlaps
from outscore.inference.power.planning import (
    RETROSPECTIVE,
    detectable_effect,
    power,
    sample_size,
    sizes_around,
)
from outscore.inference.registry import TESTS
from outscore.laws import clopper_pearson
from outscore.results.comparison import TestResult
from outscore.results.pvalue import PValue

SIDES = ("two-sided", "greater", "less")
LARGER = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}
MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
ERRORS = AdditiveMetric("error-rate", ("errors", "items"), direction="lower", ratio=((1, 0), (0, 1)))
effects = st.floats(0.01, 2.0)
targets = st.floats(0.1, 0.99)
sides = st.sampled_from(SIDES[:2])


def simulated_curve(pairs, metric, run, asked, *, screen=None, **shared):
    entry = replace(TESTS["permutation"], run=run, simulated=None, screen=screen)
    return planning.simulated_curve(pairs, metric, entry, asked, **shared)


# The closed formula: (z_{α/2} + z_β)² (ω² + σ_A²/K_A + σ_B²/K_B)/δ² × design effect.


def test_the_printed_example():
    n = sample_size(0.03, sd=1 / 3)
    assert n == pytest.approx(968.9975, abs=1e-4)
    assert math.ceil(n) == 969


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("runs", "size", "icc"), [(1, 1, 0.0), (5, 1, 0.0), (3, 10, 0.2), (1, 7.5, 1.0)])
def test_against_the_formula_by_hand(side, runs, size, icc):
    omega, sigma_a, sigma_b, delta = 0.3, 0.2, 0.4, -0.05 if side == "less" else 0.05
    z = stats.norm.isf(0.05 if side != "two-sided" else 0.025) + stats.norm.isf(0.1)
    expected = z**2 * (omega**2 + sigma_a**2 / runs + sigma_b**2 / runs) / delta**2 * (1 + (size - 1) * icc)
    design = {"sd": omega, "within": math.hypot(sigma_a, sigma_b), "repeats": runs, "cluster_size": size, "icc": icc}
    n = sample_size(delta, power=0.9, alternative=side, **design)
    assert n == pytest.approx(expected, rel=1e-12)
    assert power(n, delta, alternative=side, **design) == pytest.approx(0.9, abs=1e-12)
    assert detectable_effect(n, power=0.9, alternative=side, **design) == pytest.approx(0.05, rel=1e-12)


# The t test.


@pytest.mark.slow
def test_against_statsmodels_sample_size():
    assert sample_size(0.2) == pytest.approx(198.15, abs=0.005)
    for d, target, alpha, side in product((0.05, 0.2, 0.8, 1.5), (0.5, 0.8, 0.95), (0.01, 0.05, 0.1), SIDES):
        signed = -d if side == "less" else d
        expected = TTestPower().solve_power(effect_size=signed, power=target, alpha=alpha, alternative=LARGER[side])
        if expected > 2:
            found = sample_size(3 * signed, sd=3, power=target, alpha=alpha, alternative=side, method="t")
            assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("side", SIDES)
def test_against_statsmodels_at_extreme_levels(side):
    # By its power function: its solver gives up here.
    for d, target, alpha in product((0.05, 0.4, 1.5), (0.3, 0.99), (1e-4, 0.2)):
        signed = -d if side == "less" else d
        n = sample_size(signed, power=target, alpha=alpha, alternative=side)
        expected = TTestPower().power(signed, n, alpha, alternative=LARGER[side])
        # Its distribution function has no digits left for the tail that all but vanishes.
        if n > 2 and math.isfinite(expected):
            assert expected == pytest.approx(target, abs=1e-9)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", [2, 2.5, 7, 50, 1000, 1e6])
def test_against_statsmodels_power(n, side):
    for d, alpha in product((-0.6, -0.01, 0.0, 0.02, 0.4, 3.0), (0.001, 0.05, 0.3)):
        expected = TTestPower().power(d, n, alpha, alternative=LARGER[side])
        # statsmodels leaves nan where the answer is 0 or 1 to all digits.
        if math.isfinite(expected):
            assert power(n, d, alpha=alpha, alternative=side) == pytest.approx(expected, abs=1e-9)


def test_against_statsmodels_detectable_effect():
    # By its power function: its own solver stops some digits earlier.
    for n, target in product((5, 30, 400), (0.3, 0.8, 0.99)):
        found = detectable_effect(n, power=target)
        assert TTestPower().power(found, n, 0.05) == pytest.approx(target, abs=1e-9)
        assert detectable_effect(n, power=target, sd=0.25, method="t") == pytest.approx(found / 4, rel=1e-12)


@pytest.mark.parametrize("side", SIDES)
def test_power_is_never_nan(side):
    for n, d, alpha in product((2, 5, 60, 600, 1e5, 1e9), (-30, -1, -0.1, 0.0, 1e-3, 0.3, 1, 30), (1e-6, 0.005, 0.05)):
        assert 0 <= power(n, d, alternative=side, alpha=alpha) <= 1


def test_a_cluster_without_inner_spread_is_one_item():
    assert sample_size(0.2, cluster_size=6, icc=1.0) == pytest.approx(6 * sample_size(0.2), rel=1e-9)
    assert power(600, 0.2, cluster_size=6, icc=1.0) == pytest.approx(power(100, 0.2), rel=1e-9)


def test_the_t_test_costs_about_two_items_more():
    for effect in (0.05, 0.2, 0.5):
        extra = sample_size(effect, sd=1, method="t") - sample_size(effect, sd=1)
        assert extra == pytest.approx(stats.norm.isf(0.025) ** 2 / 2, abs=0.15)


@settings(max_examples=60)
@given(effect=effects, target=targets, side=sides, method=st.sampled_from(["t", "normal"]))
def test_the_three_questions_are_one_equation(effect, target, side, method):
    asked = {"sd": 0.7, "method": method, "alternative": side}
    n = sample_size(effect, power=target, **asked)
    if n > 2:
        assert power(n, effect, **asked) == pytest.approx(target, abs=1e-9)
        assert detectable_effect(n, power=target, **asked) == pytest.approx(effect, rel=1e-8)


@settings(max_examples=60)
@given(effect=effects, n=st.floats(4, 1e5), side=sides)
def test_power_is_a_probability_that_rises(effect, n, side):
    for method in ("t", "normal"):
        asked = {"sd": 1.0, "method": method, "alternative": side}
        low, more, larger = power(n, effect, **asked), power(2 * n, effect, **asked), power(n, 1.1 * effect, **asked)
        assert 0 <= low <= more + 1e-12
        assert low <= larger + 1e-12
        assert larger <= 1


def test_both_signs_and_turned_sides():
    for given_sd in ({"sd": 0.4}, {"discordance": 0.4}, {}):
        assert power(60, 0.1, **given_sd) == pytest.approx(power(60, -0.1, **given_sd), rel=1e-12)
        for first, second in (("greater", "less"), ("less", "greater")):
            there, back = power(60, 0.1, alternative=first, **given_sd), power(60, -0.1, alternative=second, **given_sd)
            assert there == pytest.approx(back, rel=1e-12)
        assert power(60, -0.1, alternative="greater", **given_sd) < 0.05


# The exact McNemar test.


def enumerated(n: int, effect: float, discordance: float, alpha: float, side: str) -> float:
    """Power over every (wins of A, wins of B), with the p-values of scipy."""
    up, down = (discordance + effect) / 2, (discordance - effect) / 2
    total = 0.0
    for a in range(n + 1):
        for b in range(n - a + 1):
            p = stats.binomtest(a, a + b, 0.5, side).pvalue if a + b else 1.0
            if p <= alpha:
                total += stats.multinomial.pmf([a, b, n - a - b], n, [up, down, 1 - up - down])
    return total


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("effect", "discordance"), [(0.0, 0.3), (0.1, 0.3), (-0.25, 0.6), (0.4, 0.4), (0.5, 1.0)])
def test_against_enumeration(effect, discordance, side):
    for n in (1, 6, 13):
        expected = enumerated(n, effect, discordance, 0.0626, side)
        found = power(n, effect, discordance=discordance, alpha=0.0626, alternative=side)
        assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("effect", "discordance"), [(0.5, 0.5), (0.3, 1.0), (0.9, 1.0), (0.2, 0.25), (1.0, 1.0), (0.12, 0.97)])
def test_sample_size_is_the_last_crossing(effect, discordance):
    n = int(sample_size(effect, discordance=discordance))
    curve = [mcnemar_power(k, effect, discordance, 0.05, "two-sided") for k in range(1, 2 * n + 60)]
    assert all(value >= 0.8 for value in curve[n - 1 :])
    assert curve[n - 2] < 0.8


def test_where_the_saw_is_smooth_power_only_rises():
    # n ψ(1 - ψ) just above 9, where sample_size starts to search by halving.
    for effect, discordance in ((0.03, 0.1), (0.3, 0.95), (0.05, 0.06)):
        first = math.ceil(9 / (discordance * (1 - discordance)))
        curve = [mcnemar_power(n, effect, discordance, 0.05, "two-sided") for n in range(first, first + 60)]
        assert all(later > earlier for earlier, later in pairwise(curve))


def test_exact_and_normal_meet_for_many_items():
    assert sample_size(0.03, discordance=0.1) == 920
    assert sample_size(0.03, discordance=0.1, method="normal") == pytest.approx(869.736, abs=1e-3)
    exact, normal = (sample_size(0.002, discordance=0.1, method=method) for method in ("exact", "normal"))
    assert normal < exact < 1.01 * normal
    size = detectable_effect(1000, discordance=0.1)
    assert power(1000, size, discordance=0.1) == pytest.approx(0.8, abs=1e-9)


def test_accuracy_in_clusters_needs_the_design_effect_more():
    alone, together = sample_size(0.05, discordance=0.2), sample_size(0.05, discordance=0.2, cluster_size=11, icc=0.1)
    assert together == 2 * alone
    assert power(2 * alone, 0.05, discordance=0.2, cluster_size=11, icc=0.1) == power(alone, 0.05, discordance=0.2)


REFUSED = {
    "effect 0": (lambda: sample_size(0, sd=1), "no number of items detects no difference"),
    "effect the other way": (lambda: sample_size(-0.1, sd=1, alternative="greater"), "points away"),
    "effect nan": (lambda: sample_size(math.nan, sd=1), "`effect` is nan"),
    "power 1": (lambda: sample_size(0.1, sd=1, power=1), "infinitely many"),
    "power below alpha": (lambda: detectable_effect(10, sd=1, power=0.05), "no more than alpha"),
    "discordance below effect": (lambda: sample_size(0.1, discordance=0.05), "less than the effect"),
    "discordance above 1": (lambda: power(10, 0.1, discordance=1.2), "`discordance` is 1.2"),
    "too few for any effect": (lambda: detectable_effect(5, discordance=0.5), "no difference reaches"),
    "too many": (lambda: sample_size(1e-6, discordance=0.1), "More than 10,000,000 items"),
    "too many for any test": (lambda: sample_size(1e-200, sd=1), "More than 1,000,000,000,000 items"),
    "too many for the t test": (lambda: sample_size(1e-9), "More than 1,000,000,000,000 items"),
    "n beyond reach": (lambda: power(1e13, 0.1, sd=1), "from 1 to 1,000,000,000,000"),
    "n beyond exact power": (lambda: power(1e9, 0.1, discordance=0.2), "Exact power is computed for at most"),
    "both": (lambda: power(10, 0.1, sd=1, discordance=0.2), "Both `sd` and `discordance`"),
    "sd 0": (lambda: power(10, 0.1, sd=0), "`sd` is 0"),
    "n 0": (lambda: power(0, 0.1, sd=1), "`n` is 0"),
    "t with n 1": (lambda: power(1, 0.1), "needs at least two items"),
    "t with one cluster": (lambda: detectable_effect(19, cluster_size=10, icc=0.1), "needs at least two clusters of 10"),
    "repeats without within": (lambda: power(10, 0.1, sd=1, repeats=3), "nothing says how much runs"),
    "within without sd": (lambda: power(10, 0.1, discordance=0.2, within=0.1), "`within` was given without `sd`"),
    "half a repeat": (lambda: power(10, 0.1, sd=1, within=1, repeats=0.5), "`repeats` is 0.5"),
    "icc": (lambda: power(10, 0.1, sd=1, icc=1.5), "`icc` is 1.5"),
    "cluster size": (lambda: power(10, 0.1, sd=1, cluster_size=0), "`cluster_size` is 0"),
    "alpha": (lambda: power(10, 0.1, sd=1, alpha=5), "`alpha` is 5"),
    "side": (lambda: power(10, 0.1, sd=1, alternative="larger"), "`alternative` is 'larger'"),
    "method": (lambda: power(10, 0.1, sd=1, method="exact"), "auto, normal, t"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_impossible_questions_get_one_sentence(case):
    ask, words = REFUSED[case]
    with pytest.raises(OutscoreError) as refusal:
        ask()
    assert words in str(refusal.value)
    assert refusal.value.hint
    assert refusal.value.message.count(". ") == 0


def test_one_item():
    assert power(1, 0.5, sd=1) == pytest.approx(stats.norm.sf(stats.norm.isf(0.025) - 0.5))
    assert power(1, 0.5, discordance=1) == 0


# The curve inside a comparison.


def test_curves_lie_on_both_sides_of_n():
    assert sizes_around(1000)[0] < 1000 < sizes_around(1000)[-1]
    assert 1000 in sizes_around(1000)
    assert sizes_around(2) == [2, 3, 4, 6, 8, 12, 16]


# The reviewer's question.


def every_table(right_a, right_b, n, side):
    """p of every 2 × 2 table with these margins, by scipy, with its number of discordant items."""
    for a, b in product(range(right_a[0], right_a[1] + 1), range(right_b[0], right_b[1] + 1)):
        for shared in range(max(0, a + b - n), min(a, b) + 1):
            only_a, only_b = a - shared, b - shared
            m = only_a + only_b
            yield (stats.binomtest(only_a, m, 0.5, side).pvalue if m else 1.0), m


def test_printed_scores_of_a_thousand_items():
    found = overlaps((871, 871), (864, 864), 1000, 0.05, "two-sided")
    assert found.lowest.value == pytest.approx(2 / 2**7)
    assert round(found.lowest.value, 3) == 0.016
    assert round(found.highest.value, 2) == 0.71
    assert found.discordant == (7, 265)
    assert found.significant_up_to == 9


@settings(max_examples=60)
@given(data=st.data(), n=st.integers(1, 16), side=st.sampled_from(SIDES))
def test_against_every_overlap(data, n, side):
    ranges = [tuple(sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n))))) for _ in "ab"]
    ranges = [(low, min(high, low + 3)) for low, high in ranges]
    tables = list(every_table(*ranges, n, side))
    found = overlaps(*ranges, n, 0.05, side)
    assert found.lowest.value == pytest.approx(min(p for p, _ in tables), rel=1e-9)
    assert found.highest.value == pytest.approx(max(p for p, _ in tables), rel=1e-9)
    below = [m for p, m in tables if p <= 0.05]
    assert found.significant_up_to == (max(below) if below else None)
    assert found.lowest.value <= found.independent.value * (1 + 1e-9)
    assert found.independent.value <= found.highest.value * (1 + 1e-9)


def test_differences_too_large_for_floats():
    found = overlaps((90_000, 90_000), (10_000, 10_000), 100_000, 0.05, "two-sided")
    assert found.lowest.value > 0
    assert found.lowest.log10 == pytest.approx(math.log10(2) * (1 - 80_000))


# Retrospective curves.


def rows(scores) -> PairedScores:
    scores = np.asarray(scores)
    ones = np.ones(len(scores), dtype=scores.dtype)
    return PairedScores(np.stack([scores, ones], axis=1), np.stack([0 * scores, ones], axis=1))


def t_test(pairs, metric, request):
    d = (pairs.a - pairs.b)[:, 0] / pairs.scale
    t = d.mean() / d.std(ddof=1) * math.sqrt(len(d)) if d.std() else 0.0
    value = max(2 * float(special.stdtr(len(d) - 1, -abs(t))), 5e-324)
    return TestResult(PValue(value, value, value, math.log10(value), "asymptotic", "t"))


def p_alone(pairs, metric, request):
    return TestResult(permutation(pairs, metric, TestRequest(request.alternative, alpha=request.alpha)))


SAMPLE = np.round(np.random.default_rng(3).normal(0.1, 0.3, 40), 3)


@pytest.mark.parametrize("kind", ["normal", "bootstrap"])
def test_points_do_not_depend_on_each_other(kind):
    whole = simulated_curve(rows(SAMPLE), MEAN, t_test, TestRequest(seed=5), kind=kind, sizes=[10, 40, 80], replicates=60)
    alone = simulated_curve(rows(SAMPLE), MEAN, t_test, TestRequest(seed=5), kind=kind, sizes=[40], replicates=60)
    assert whole.points[1] == alone.points[0]
    other = simulated_curve(rows(SAMPLE), MEAN, t_test, TestRequest(seed=6), kind=kind, sizes=[10, 40, 80], replicates=60)
    assert other.points != whole.points
    assert whole.note == RETROSPECTIVE
    assert "function of p alone" in whole.note


def test_bands_progress_and_default_sizes():
    seen = []
    curve = simulated_curve(
        rows(SAMPLE),
        MEAN,
        t_test,
        TestRequest(),
        kind="normal",
        replicates=20,
        advance=lambda: seen.append(1),
    )
    assert [point.n for point in curve.points] == sizes_around(40)
    assert len(seen) == 20 * len(curve.points)
    for point in curve.points:
        assert (point.low, point.high) == clopper_pearson(round(20 * point.power), 20, 0.95)
    assert curve.effect == pytest.approx(SAMPLE.mean())
    assert (curve.observed_n, curve.unit) == (40, "items")


def test_resampling_tests_get_their_own_draws():
    seeds = []

    def remember(pairs, metric, request):
        seeds.append(request.seed)
        return t_test(pairs, metric, request)

    simulated_curve(rows(SAMPLE), MEAN, remember, TestRequest(), sizes=[10, 20], replicates=10)
    assert len(set(seeds)) == 20


def test_sides_and_direction():
    def at(metric, side):
        asked = TestRequest(alternative=side, options={"method": "auto", "resamples": 99})
        return simulated_curve(rows(SAMPLE), metric, p_alone, asked, sizes=[25], replicates=30).points[0].power

    assert at(MEAN, "greater") > 0.3 > at(MEAN, "less") == 0
    assert at(ERRORS, "less") > 0.3 > at(ERRORS, "greater") == 0


def test_clusters_are_drawn_whole():
    clusters = np.repeat(np.arange(20), 2)
    data = PairedScores(rows(SAMPLE).a, rows(SAMPLE).b, 1, None, clusters)

    def check(pairs, metric, request):
        assert pairs.clusters is not None
        assert (np.bincount(pairs.clusters) == 2).all()
        couples = {tuple(couple) for couple in SAMPLE.reshape(20, 2)}
        assert all(tuple(pairs.a[pairs.clusters == g, 0] / pairs.scale) in couples for g in range(len(pairs.a) // 2))
        return p_alone(pairs, metric, request)

    curve = simulated_curve(data, MEAN, check, TestRequest(), sizes=[5, 30], replicates=5)
    assert (curve.unit, curve.observed_n) == ("clusters", 20)
    means = SAMPLE.reshape(20, 2).mean(axis=1)
    normal = simulated_curve(data, MEAN, t_test, TestRequest(), kind="normal", sizes=[30], replicates=50)
    same = simulated_curve(rows(means), MEAN, t_test, TestRequest(), kind="normal", sizes=[30], replicates=50)
    assert normal.points == same.points


def test_identical_systems_have_no_power():
    for kind in ("normal", "bootstrap"):
        curve = simulated_curve(rows(np.zeros(8)), MEAN, p_alone, TestRequest(), kind=kind, sizes=[8], replicates=5)
        assert curve.points[0].power == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"replicates": 0}, "`replicates` is 0"),
        ({"sizes": []}, "`sizes` must contain"),
    ],
)
def test_impossible_curves(change, words):
    with pytest.raises(OutscoreError, match=words):
        simulated_curve(rows(SAMPLE), MEAN, t_test, TestRequest(), **change)
    with pytest.raises(OutscoreError, match="no spread"):
        simulated_curve(rows(SAMPLE[:1]), MEAN, t_test, TestRequest(), kind="normal")


@pytest.mark.parametrize(("name", "side"), crossed(["permutation", "wilcoxon"], SIDES))
def test_clear_decisions_are_those_of_the_test(name, side):
    # Continuous, heavy-tailed, whole numbers with many ties, and zeros: sizes at which p is near .05 as often as not.
    rng = np.random.default_rng(21)
    entry = TESTS[name]
    asked = TestRequest(alternative=side, options={o.name: o.default for o in entry.options}, interval=False)
    decided = 0
    for k in range(32):
        n = int(rng.integers(40, 250))
        noise = (rng.normal(size=n), rng.standard_t(4, n), rng.integers(-3, 4, n), rng.integers(-1, 2, n) * 2.0)[k % 4]
        shift = rng.normal(0, 2.5) * noise.std() / math.sqrt(n)
        d = noise + shift if k % 4 < 2 else noise + rng.binomial(1, min(0.9, abs(shift)), n) * np.sign(shift)
        data = rows(d)
        clear = TESTS[name].screen(data, MEAN, asked)
        if clear is not None:
            decided += 1
            assert clear == (entry.run(data, MEAN, asked).p.upper <= asked.alpha)
    assert decided > 20


def test_what_is_not_clear_is_left_to_the_test():
    asked = TestRequest(options={"method": "auto", "resamples": 99})
    near = np.concatenate([np.ones(57), -np.ones(37)])
    assert TESTS["permutation"].screen(rows(near.astype(int)), MEAN, asked) is None
    one = np.zeros(50)
    one[0] = 1000
    assert TESTS["permutation"].screen(rows(one), MEAN, asked) is None
    assert TESTS["permutation"].screen(rows(np.zeros(50)), MEAN, asked) is None
    sampled = TestRequest(options={"method": "monte-carlo", "resamples": 99})
    assert TESTS["permutation"].screen(rows(np.ones(200)), MEAN, sampled) is None
    assert TESTS["permutation"].screen(rows(np.ones(200)), MEAN, asked) is True


def test_screens_and_grids_change_no_curve():
    asked = TestRequest(options={"method": "auto", "resamples": 99}, interval=False)
    run, entry = TESTS["permutation"].run, TESTS["permutation"]
    coarse = np.round(SAMPLE, 1)
    for kind, data in (("normal", SAMPLE), ("bootstrap", coarse)):
        shared = {"kind": kind, "sizes": [12, 150], "replicates": 15}
        alone = simulated_curve(rows(data), MEAN, run, asked, **shared)
        quick = simulated_curve(
            rows(data),
            MEAN,
            entry.simulated,
            asked,
            screen=entry.screen,
            **shared,
        )
        assert quick == alone


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bootstrap", "bootstrap-t"])
def test_clear_decisions_are_those_of_the_bootstrap(name):
    rng = np.random.default_rng(22)
    entry = TESTS[name]
    for k in range(32):
        side = SIDES[k % 3]
        asked = TestRequest(alternative=side, seed=k, options={o.name: o.default for o in entry.options}, interval=False)
        noise = (rng.normal(size=600), rng.exponential(size=600) - 1)[k % 2]
        data = rows(noise + rng.normal(0, 2.5) / math.sqrt(600))
        clear = TESTS[name].screen(data, MEAN, asked)
        if clear is not None:
            assert clear == (entry.run(data, MEAN, asked).p.upper <= asked.alpha)


def test_a_registered_test_serves():
    asked = TestRequest(options={"method": "auto", "resamples": 99})
    curve = simulated_curve(rows(SAMPLE[:12]), MEAN, TESTS["permutation"].run, asked, sizes=[5], replicates=3)
    assert curve.points[0].power == 0


# Simulation.


@pytest.mark.slow
def test_simulated_power_of_the_t_test():
    curve = simulated_curve(rows(SAMPLE), MEAN, t_test, TestRequest(), kind="normal", sizes=[10, 40, 90], replicates=4_000)
    for point in curve.points:
        exact = power(point.n, float(SAMPLE.mean()), sd=float(SAMPLE.std(ddof=1)), method="t")
        assert abs(point.power - exact) < 4 * math.sqrt(exact * (1 - exact) / 4_000)


@pytest.mark.slow
def test_simulated_power_with_clusters_and_repeats():
    rng = np.random.default_rng(11)
    omega, sigma, icc, size, groups, runs, effect = 0.3, 0.5, 0.3, 5, 60, 4, 0.1
    shared = rng.normal(0, omega * math.sqrt(icc), (3_000, groups, 1))
    own = rng.normal(0, omega * math.sqrt(1 - icc), (3_000, groups, size))
    noise = rng.normal(0, sigma / math.sqrt(runs), (3_000, groups, size))
    means = (effect + shared + own + noise).mean(axis=2)
    share = float((stats.ttest_1samp(means, 0.0, axis=1).pvalue <= 0.05).mean())
    # Noise between runs is not shared in a cluster, so the correlation of what is observed is smaller.
    observed = icc * omega**2 / (omega**2 + sigma**2 / runs)
    exact = power(groups * size, effect, sd=omega, within=sigma, repeats=runs, cluster_size=size, icc=observed, method="t")
    assert abs(share - exact) < 4 * math.sqrt(exact * (1 - exact) / 3_000)


@pytest.mark.slow
def test_simulated_power_of_mcnemar():
    rng = np.random.default_rng(12)
    counts = rng.multinomial(400, [0.09, 0.04, 0.87], 20_000)
    p = 2 * stats.binom.sf(counts[:, :2].max(axis=1) - 1, counts[:, :2].sum(axis=1), 0.5)
    exact = power(400, 0.05, discordance=0.13)
    assert abs(float((p <= 0.05).mean()) - exact) < 4 * math.sqrt(exact * (1 - exact) / 20_000)


@pytest.mark.parametrize("side", [0.5, 0.05, 0.025, 2.0**-5, 1e-10])
@pytest.mark.parametrize("low", [0, 4090, 400_000])
def test_critical_numbers_against_scipy(low, side):
    """Across the border of two blocks, and where a tail is exactly the level."""
    m = np.arange(low, low + 40)
    critical = binary._critical(low, low + 39, side)
    assert (stats.binom.sf(critical - 1, m, 0.5) <= side * (1 + 1e-9)).all()
    assert (stats.binom.sf(critical - 2, m, 0.5)[critical > 1] > side * (1 + 1e-12)).all()
