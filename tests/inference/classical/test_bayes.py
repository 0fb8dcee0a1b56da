"""Posterior probabilities against closed forms, adaptive quadrature and draws."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.asking import LOSS, MEAN, SIDES, ask, pairs_of
from tests.variants import a_few

from outscore.core.errors import OutscoreError
from outscore.inference.base.discordance import Discordance
from outscore.inference.base.question import TestRequest
from outscore.inference.classical.bayes import ENTRY, binary_exceeds, binary_posterior
from outscore.inference.permutation import permutation


def table(only_a, only_b, n):
    return Discordance(n, only_a, only_b, 1.0, 1)


@pytest.mark.parametrize(
    ("only_a", "only_b", "n"), [(0, 0, 1), (0, 0, 50), (3, 1, 10), (15, 5, 100), (300, 260, 2000), (9, 0, 9)]
)
@pytest.mark.parametrize("x", a_few([-0.2, 0.0, 0.01, 0.05, 0.4], 2))
def test_against_quadrature(only_a, only_b, n, x):
    s = scipy.stats.beta(only_a + only_b + 2, n - only_a - only_b + 2)
    q = scipy.stats.beta(only_a + 1, only_b + 1)
    breaks = sorted({abs(x), *(float(p) for p in s.ppf([1e-12, 0.01, 0.5, 0.99]))} - {0.0})
    expected, _ = scipy.integrate.quad(
        lambda u: s.pdf(u) * q.sf((1 + x / u) / 2), 0, 1, points=breaks, limit=400, epsabs=1e-12, epsrel=1e-10
    )
    assert binary_exceeds(table(only_a, only_b, n), x) == pytest.approx(expected, abs=1e-8)


def test_against_draws():
    """Four Dirichlet cells drawn a million times."""
    cells = np.random.default_rng(1).dirichlet([15 + 1, 5 + 1, 60 + 1, 20 + 1], 1_000_000)
    gap = cells[:, 0] - cells[:, 1]
    found = binary_posterior(table(15, 5, 100), 0.05)
    assert found.a_better == pytest.approx((gap > 0.05).mean(), abs=2e-3)
    assert found.b_better == pytest.approx((gap < -0.05).mean(), abs=2e-3)
    a, b = np.repeat([1, 0, 1, 0], [15, 5, 60, 20]), np.repeat([0, 1, 1, 0], [15, 5, 60, 20])
    interval = ask(ENTRY, a, b).interval
    assert (interval.low, interval.high) == pytest.approx(np.quantile(gap, [0.025, 0.975]), abs=1e-3)
    assert not interval.dual
    assert interval.method.startswith("posterior")


def test_closed_form_without_rope():
    a, b = np.repeat([1, 0], [9, 4]), np.repeat([0, 1], [9, 4])
    found = ask(ENTRY, a, b).bayes
    assert found.a_better == pytest.approx(scipy.stats.beta(10, 5).sf(0.5), rel=1e-12)
    assert (found.equal, found.rope) == (0.0, 0.0)
    assert found.a_better + found.b_better == pytest.approx(1)


def test_means_have_students_posterior():
    rng = np.random.default_rng(2)
    a, b = rng.normal(0.3, 1, 25), rng.normal(0, 1, 25)
    d = a - b
    posterior = scipy.stats.t(24, d.mean(), d.std(ddof=1) / 5)
    found = ask(ENTRY, a, b, rope=0.1)
    assert found.bayes.a_better == pytest.approx(posterior.sf(0.1), rel=1e-10)
    assert found.bayes.b_better == pytest.approx(posterior.cdf(-0.1), rel=1e-10)
    assert found.bayes.equal == pytest.approx(posterior.cdf(0.1) - posterior.cdf(-0.1), rel=1e-9)
    assert (found.interval.low, found.interval.high) == pytest.approx(posterior.interval(0.95), rel=1e-10)
    assert not found.interval.dual


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30),
    st.sampled_from([0.0, 0.05, 0.5, 1.0, 3.0]),
)
def test_order_and_direction(rows, rope):
    a, b = np.array(rows).T
    here, swapped, turned = (
        ask(ENTRY, *pair, rope=rope, metric=metric).bayes for pair, metric in (((a, b), MEAN), ((b, a), MEAN), ((b, a), LOSS))
    )
    assert here.a_better + here.equal + here.b_better == pytest.approx(1, abs=1e-9)
    assert (swapped.a_better, swapped.b_better) == pytest.approx((here.b_better, here.a_better), abs=1e-12)
    assert (turned.a_better, turned.equal, turned.b_better) == pytest.approx(
        (here.a_better, here.equal, here.b_better), abs=1e-12
    )
    assert rope < 1 or here.equal == 1.0 or not (a.any() or b.any())


@pytest.mark.parametrize("side", SIDES)
def test_p_is_that_of_the_permutation_test(side):
    a, b = np.array([0.9, 0.7, 0.8, 0.9, 1.0]), np.array([0.5, 0.4, 0.7, 0.6, 0.8])
    found = ask(ENTRY, a, b, alternative=side)
    assert found.p == permutation(pairs_of(a, b), MEAN, TestRequest(side, alpha=0.05))
    assert found.p.test == "permutation"
    assert "permutation test" in found.notes[0].text


def test_identical_systems():
    scores = ask(ENTRY, [0.5, 0.7, 0.1], [0.5, 0.7, 0.1])
    assert scores.p.value == 1.0
    assert (scores.bayes.a_better, scores.bayes.equal, scores.bayes.b_better) == (0.0, 1.0, 0.0)
    binary = ask(ENTRY, [1, 0, 1], [1, 0, 1])
    assert binary.bayes.a_better == pytest.approx(0.5)


def test_nobody_right_is_a_table_too():
    """Zeros everywhere: nothing speaks for either system, and little against a difference of a few items in a hundred."""
    found = ask(ENTRY, np.zeros(100, dtype=int), np.zeros(100, dtype=int), rope=0.02)
    assert found.p.value == 1.0
    assert found.bayes == binary_posterior(table(0, 0, 100), 0.02)
    assert found.bayes.a_better == found.bayes.b_better > 0.01
    assert found.interval.low == pytest.approx(-found.interval.high)
    assert found.interval.high == pytest.approx(0.0287, abs=1e-4)


def test_the_result_says_what_is_what():
    """p is the permutation test's, the interval the posterior's, and the rope is on record."""
    a, b = np.array([0.9, 0.7, 0.8, 0.9, 1.0]), np.array([0.5, 0.4, 0.7, 0.6, 0.8])
    found = ask(ENTRY, a, b, rope=0.05)
    assert found.p.test == "permutation"
    assert found.bayes.rope == 0.05
    assert (found.interval.method, found.interval.dual, found.interval.estimand) == ("posterior", False, "difference")
    assert found.interval.estimate == pytest.approx((a - b).mean())
    assert "within 0.05 of 0 counts as practically equal" in found.notes[1].text
    assert "rope = 0" in ask(ENTRY, a, b).notes[1].text


def test_refusals():
    with pytest.raises(OutscoreError, match="in every item, and `bayes` needs differences"):
        ask(ENTRY, [2, 3, 4], [1, 2, 3])
    with pytest.raises(OutscoreError, match="`bayes` does not take one") as refusal:
        ask(ENTRY, [0.2, 0.3], [0.1, 0.5], delta=0.1)
    assert "`rope`" in refusal.value.hint
    with pytest.raises(OutscoreError, match="at least 0"):
        ask(ENTRY, [0.2, 0.3], [0.1, 0.5], rope=-1)
    with pytest.raises(OutscoreError, match="does not support clusters"):
        ask(ENTRY, [1, 0], [0, 1], clusters=[0, 0])
