"""Every deterministic test against R, both argument orders, all sides, with and without δ, to nine digits and more."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.inference.asking import ask, scores_of
from tests.reference import r_values as r

from outscore.core.rows import PairedScores, Runs
from outscore.inference.base.discordance import Discordance
from outscore.inference.base.own_score import OwnRows, own_intervals
from outscore.inference.base.question import TestRequest
from outscore.inference.classical.bayes import binary_posterior
from outscore.inference.classical.mcnemar import mcnemar
from outscore.inference.classical.median import binomial_p
from outscore.inference.classical.wilcoxon import hodges_lehmann
from outscore.inference.describe.analysis import autocorrelation, shapiro_wilk, skewness
from outscore.inference.describe.effects import effects
from outscore.inference.describe.repeats import variance_parts
from outscore.inference.registry import TESTS
from outscore.inference.runs import exchange_of
from outscore.metrics.registry import resolve

CLOSE = 1e-9


def data(order):
    return (np.array(r.DATA[name]) for name in order)


def close(value):
    return pytest.approx(value, rel=CLOSE, abs=CLOSE)


def limits(interval):
    low = -math.inf if interval.low is None else interval.low
    return low, math.inf if interval.high is None else interval.high


@pytest.mark.parametrize(("order", "alternative", "delta", "t", "p", "low", "high"), r.STUDENT)
def test_against_t_test(order, alternative, delta, t, p, low, high):
    found = ask(TESTS["student"], *data(order), alternative=alternative, delta=delta)
    assert (found.p.statistic, found.p.value) == (close(t), pytest.approx(p, rel=CLOSE))
    assert limits(found.interval) == (close(low), close(high))


@pytest.mark.parametrize(("order", "alternative", "delta", "v", "p", "middle", "low", "high"), r.WILCOXON)
def test_against_wilcox_test(order, alternative, delta, v, p, middle, low, high):
    found = ask(TESTS["wilcoxon"], *data(order), alternative=alternative, delta=delta)
    assert (found.p.statistic, found.p.value) == (v, p)
    assert limits(found.interval) == (close(low), close(high))
    assert (found.interval.estimand, found.interval.estimate) == ("pseudomedian", close(middle))
    assert found.interval.dual


@pytest.mark.parametrize(("order", "alternative", "delta", "v", "p"), r.WILCOXON_TIES)
def test_against_wilcox_exact(order, alternative, delta, v, p):
    found = ask(TESTS["wilcoxon"], *data(order), alternative=alternative, delta=delta).p
    assert (found.statistic, found.value) == (v, close(p))


@pytest.mark.parametrize(("order", "alternative", "zeros", "p"), r.WILCOXON_ZEROS)
def test_against_coin(order, alternative, zeros, p):
    found = ask(TESTS["wilcoxon"], *data(order), alternative=alternative, zeros=zeros).p
    assert found.value == close(p)


@pytest.mark.parametrize(("order", "alternative", "v", "p"), r.WILCOXON_NORMAL)
def test_against_wilcox_test_without_exactness(order, alternative, v, p):
    found = ask(TESTS["wilcoxon"], *data(order), alternative=alternative, variant="normal").p
    assert (found.statistic, found.value) == (v, pytest.approx(p, rel=CLOSE))


@pytest.mark.parametrize(("order", "alternative", "delta", "p"), r.PERMUTATION)
def test_against_perm_test(order, alternative, delta, p):
    found = ask(TESTS["permutation"], *data(order), alternative=alternative, delta=delta).p
    assert (found.method, found.value) == ("exact", close(p))


@pytest.mark.parametrize(("wins", "n", "alternative", "p"), r.SIGN)
def test_against_binom_test(wins, n, alternative, p):
    assert binomial_p(wins, n - wins, TestRequest(alternative)).value == pytest.approx(p, rel=CLOSE)
    scores = np.where(np.arange(n) < wins, 1.5, -0.5)
    assert ask(TESTS["sign"], scores, 0 * scores, alternative=alternative).p.value == pytest.approx(p, rel=CLOSE)
    mirrored = {"two-sided": "two-sided", "greater": "less", "less": "greater"}[alternative]
    assert ask(TESTS["sign"], 0 * scores, scores, alternative=mirrored).p.value == pytest.approx(p, rel=CLOSE)


@pytest.mark.parametrize(("table", "variant", "statistic", "p"), r.MCNEMAR)
def test_against_mcnemar_test(table, variant, statistic, p):
    a, b = np.repeat([1, 1, 0, 0], table), np.repeat([1, 0, 1, 0], table)
    found = ask(TESTS["mcnemar"], a, b, variant=variant).p
    assert (found.statistic, found.value) == (close(statistic), pytest.approx(p, rel=CLOSE))
    assert ask(TESTS["mcnemar"], b, a, variant=variant).p.value == pytest.approx(p, rel=CLOSE)


@pytest.mark.parametrize(("n", "only_a", "only_b", "delta", "z"), r.TANGO)
def test_tango_against_maximum_likelihood(n, only_a, only_b, delta, z):
    pair = Discordance(n, only_a, only_b, 1.0, 1)
    assert pair.score(delta) == pytest.approx(z, rel=CLOSE)
    assert mcnemar(pair, TestRequest(delta=delta)).statistic == pytest.approx(z, rel=CLOSE)


@pytest.mark.parametrize(("n", "only_a", "only_b", "rope", "better"), r.BAYES_BINARY)
def test_posterior_of_accuracy_against_pbeta(n, only_a, only_b, rope, better):
    assert binary_posterior(Discordance(n, only_a, only_b, 1.0, 1), rope).a_better == pytest.approx(better, rel=CLOSE)


@pytest.mark.parametrize(("order", "rope", "better"), r.BAYES_MEAN)
def test_posterior_of_a_mean_against_pt(order, rope, better):
    assert ask(TESTS["bayes"], *data(order), rope=rope).bayes.a_better == pytest.approx(better, rel=CLOSE)


@pytest.mark.parametrize(("order", "d_z", "low", "high", "g"), r.STANDARDISED)
def test_standardised_effects_against_noncentral_pt(order, d_z, low, high, g):
    metric, a, b = resolve("mean", *data(order))
    found = {effect.name: effect for effect in effects(PairedScores(a, b), metric)}
    assert (found["cohen_dz"].value, found["hedges_g"].value) == (close(d_z), close(g))
    assert (found["cohen_dz"].low, found["cohen_dz"].high) == (close(low), close(high))


@pytest.mark.parametrize(("order", "w", "p", "lag1", "correlation", "gamma"), r.ANALYSIS)
def test_analysis_against_r(order, w, p, lag1, correlation, gamma):
    scores = scores_of(*data(order))
    assert shapiro_wilk(scores.d) == (close(w), close(p))
    assert (autocorrelation(scores.d), skewness(scores.d)) == (close(lag1), close(gamma))
    assert float(np.corrcoef(scores.a, scores.b)[0, 1]) == close(correlation)


@pytest.mark.parametrize(("order", "sizes", "t", "p", "low", "high"), r.CLUSTERED)
def test_clustered_t_against_r(order, sizes, t, p, low, high):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    found = ask(TESTS["student"], *data(order), clusters=codes)
    assert (found.p.statistic, found.p.value) == (close(t), close(p))
    assert limits(found.interval) == (close(low), close(high))


@pytest.mark.parametrize(("right", "n", "alpha", "low", "high"), r.WILSON)
def test_score_interval_against_prop_test(right, n, alpha, low, high):
    x = (np.arange(n) < right).astype(int)
    metric, rows, _ = resolve("accuracy", x, x)
    assert own_intervals([OwnRows(rows, rows)], metric, alpha)[0] == (close(low), close(high))


@pytest.mark.parametrize(("name", "low", "high"), r.ONE_MEAN)
def test_score_interval_against_t_test(name, low, high):
    (x,) = data(name)
    metric, rows, _ = resolve("mean", x, x)
    assert own_intervals([OwnRows(rows, rows)], metric)[0] == (close(low), close(high))


@pytest.mark.parametrize(("name", "sizes", "between", "within"), r.VARIANCE_PARTS)
def test_variance_parts_against_anova(name, sizes, between, within):
    (values,) = data(name)
    ordered = values if name == "b" else np.sort(values)
    found = variance_parts(ordered, np.repeat(np.arange(len(sizes)), sizes))
    assert found == (close(between), close(within))


def test_hollander_and_wolfe():
    """The n = 9 depression data as the statistical literature prints them, in one place."""
    metric, a, b = resolve("mean", *data("xy"))
    x, y = data("xy")
    t = ask(TESTS["student"], x, y).p
    assert round(t.statistic, 4) == 3.0354
    assert ask(TESTS["permutation"], x, y).p.value == 0.02734375
    signed = ask(TESTS["wilcoxon"], x, y)
    assert (signed.p.statistic, signed.p.value) == (40, 0.0390625)
    assert (signed.interval.estimate, signed.interval.low, signed.interval.high) == (0.46, 0.01, 0.786)
    assert hodges_lehmann(x - y) == pytest.approx(0.46)
    found = {effect.name: effect for effect in effects(PairedScores(a, b), metric)}
    assert round(found["cohen_dz"].value, 5) == 1.01179
    assert (round(found["cohen_dz"].low, 3), round(found["cohen_dz"].high, 3)) == (0.177, 1.807)
    assert round(found["hedges_g"].value, 5) == 0.91335


@pytest.mark.parametrize(("runs", "right_a", "right_b", "two_sided", "greater", "less"), r.STRATIFIED)
def test_exchange_of_runs_against_mantelhaen_test(runs, right_a, right_b, two_sided, greater, less):
    a, b = (
        Runs(np.array([int(k < x) for x in right for k in range(n)]), np.repeat(np.arange(len(right)), n))
        for n, right in zip(runs, (right_a, right_b), strict=True)
    )
    found = exchange_of(a, b)
    for alternative, p in (("two-sided", two_sided), ("greater", greater), ("less", less)):
        if p is not None:
            assert found.p(TestRequest(alternative)).value == close(p)
