"""McNemar's test and its variants against statsmodels, the permutation test and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.asking import LOSS, MEAN, SIDES, ask, pairs_of

from outscore.core.errors import OutscoreError
from outscore.inference.base.discordance import Discordance
from outscore.inference.base.question import TestRequest
from outscore.inference.classical.mcnemar import ENTRY, VARIANTS, mcnemar
from outscore.inference.permutation import permutation

counts = st.integers(0, 25)


def items(only_a, only_b, both=7, none=4):
    a = np.repeat([1, 0, 1, 0], [only_a, only_b, both, none])
    b = np.repeat([0, 1, 1, 0], [only_a, only_b, both, none])
    return a, b


@settings(max_examples=60)
@given(counts, counts)
def test_against_statsmodels(only_a, only_b):
    from statsmodels.stats.contingency_tables import mcnemar as reference

    a, b = items(only_a, only_b)
    table = [[7, only_a], [only_b, 4]]
    exact = ask(ENTRY, a, b).p
    assert exact.value == pytest.approx(min(1, reference(table, exact=True).pvalue), rel=1e-11)
    assert (exact.statistic, exact.n, exact.method) == (only_a, len(a), "exact")
    if only_a + only_b == 0:
        return
    plain, corrected = (ask(ENTRY, a, b, variant=v).p for v in ("chi-square", "corrected"))
    expected = reference(table, exact=False, correction=False)
    assert (plain.value, plain.statistic) == pytest.approx((expected.pvalue, expected.statistic), rel=1e-9, abs=1e-12)
    # statsmodels lets the correction overshoot at b = c.
    expected = reference(table, exact=False, correction=only_a != only_b)
    assert (corrected.value, corrected.statistic) == pytest.approx((expected.pvalue, expected.statistic), rel=1e-9, abs=1e-12)


@settings(max_examples=60)
@given(counts, counts, st.sampled_from(SIDES))
def test_exact_is_the_permutation_test(only_a, only_b, side):
    a, b = items(only_a, only_b)
    for metric in (MEAN, LOSS):
        found = ask(ENTRY, a, b, alternative=side, metric=metric).p
        assert found.value == permutation(pairs_of(a, b), metric, TestRequest(side)).value


@settings(max_examples=60)
@given(counts, counts)
def test_mid_p(only_a, only_b):
    """P(X > k) + ½ P(X = k); twice the smaller side."""
    n = only_a + only_b
    a, b = items(only_a, only_b)
    law = scipy.stats.binom(n, 0.5)
    greater = law.sf(only_a) + law.pmf(only_a) / 2
    less = law.cdf(only_a - 1) + law.pmf(only_a) / 2
    expected = {"greater": greater, "less": less, "two-sided": 2 * min(greater, less)}
    for side in SIDES:
        found = ask(ENTRY, a, b, variant="mid-p", alternative=side).p
        assert found.value == pytest.approx(expected[side] if n else 1.0, rel=1e-10)
        assert found.kernel == "mid-p"


@pytest.mark.parametrize("variant", ["chi-square", "corrected"])
@settings(max_examples=30)
@given(only_a=counts, only_b=counts)
def test_one_sided_variants_are_normal_tails(variant, only_a, only_b):
    if only_a + only_b == 0:
        return
    a, b = items(only_a, only_b)
    c = 1 if variant == "corrected" else 0
    sd = math.sqrt(only_a + only_b)
    gap = only_a - only_b
    greater, less = (ask(ENTRY, a, b, variant=variant, alternative=side).p.value for side in SIDES[1:])
    assert greater == pytest.approx(scipy.stats.norm.sf((gap - c) / sd), rel=1e-9)
    assert less == pytest.approx(scipy.stats.norm.cdf((gap + c) / sd), rel=1e-9)


@pytest.mark.parametrize("variant", VARIANTS)
def test_far_tails_keep_their_logarithm(variant):
    found = mcnemar(Discordance(9_000, 6_000, 1, 1.0, 1), TestRequest(), variant)
    assert found.value == 5e-324
    # 2 · 6002 · 2^-6001 exactly, less one of the first terms for mid-p.
    expected = math.log10(12_004 if variant == "exact" else 6_003) - 6_001 * math.log10(2)
    if variant in ("exact", "mid-p"):
        assert found.log10 == pytest.approx(expected, abs=1e-9)
    else:
        assert -2_000 < found.log10 < -1_000


@settings(max_examples=80)
@given(counts, counts, st.sampled_from(VARIANTS), st.sampled_from(SIDES))
def test_zero_lies_in_the_interval_when_p_does_not_reject(only_a, only_b, variant, side):
    a, b = items(only_a, only_b)
    found = ask(ENTRY, a, b, variant=variant, alternative=side)
    low = -1 if found.interval.low is None else found.interval.low
    high = 1 if found.interval.high is None else found.interval.high
    if found.p.value > 0.05:
        assert low <= 0 <= high
    assert found.interval.dual == ((low <= 0 <= high) == (found.p.value > 0.05))


@pytest.mark.parametrize(("only_a", "only_b", "delta"), [(12, 5, 0.1), (3, 9, 0.2), (20, 4, -0.15)])
def test_delta_is_tangos_test(only_a, only_b, delta):
    """The score of p_A - p_B = δ with the other parameter at its constrained maximum, found numerically."""
    n = only_a + only_b + 11

    def minus_log_likelihood(p):
        return -(only_a * math.log(p + delta) + only_b * math.log(p) + 11 * math.log(1 - 2 * p - delta))

    ends = (max(0.0, -delta) + 1e-12, (1 - delta) / 2 - 1e-12)
    p = scipy.optimize.minimize_scalar(minus_log_likelihood, bounds=ends, method="bounded", options={"xatol": 1e-12}).x
    z = (only_a - only_b - n * delta) / math.sqrt(n * (2 * p + delta * (1 - delta)))
    found = ask(ENTRY, *items(only_a, only_b), delta=delta, alternative="greater")
    assert found.p.statistic == pytest.approx(z, abs=1e-6)
    assert found.p.value == pytest.approx(scipy.stats.norm.sf(z), abs=1e-6)
    assert (found.p.kernel, found.p.method) == ("tango", "asymptotic")
    assert "large-sample" in found.notes[1].text


def test_points_are_right_or_wrong_too():
    a, b = items(9, 2)
    plain, points = ask(ENTRY, a, b), ask(ENTRY, 100 * a, 100 * b)
    assert points.p == plain.p
    assert points.interval.high == pytest.approx(100 * plain.interval.high)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("value", [0, 1])
def test_identical_systems(variant, value):
    found = ask(ENTRY, np.full(5, value), np.full(5, value), variant=variant)
    assert found.p.value == 1.0
    assert found.notes[0].text.startswith("0 of 5 items decide")


def test_other_data_are_refused():
    for a, b, more in (([0.5, 1], [0, 1], {}), ([1, 0, 1, 1], [0, 1, 1, 0], {"items": [0, 0, 1, 1]})):
        with pytest.raises(OutscoreError, match="right or wrong") as refusal:
            ask(ENTRY, a, b, **more)
        assert "`permutation`" in refusal.value.hint
    with pytest.raises(OutscoreError, match="does not support clusters"):
        ask(ENTRY, [1, 0, 1], [0, 0, 1], clusters=[0, 1, 1])
    assert ask(ENTRY, [1, 0], [0, 0], clusters=[0, 1]) == ask(ENTRY, [1, 0], [0, 0])
