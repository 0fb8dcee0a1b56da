"""Right-or-wrong items: Tango's score test against a numerical twin, and its interval against the exact test."""

from __future__ import annotations

import itertools
import math
from functools import cache

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles
from tests.variants import a_few

import outscore as osc
from outscore.core.metric import AdditiveMetric
from outscore.core.rows import PairedScores
from outscore.inference.base.discordance import Discordance, discordance, tango_interval, tango_test
from outscore.inference.base.question import TestRequest
from outscore.inference.permutation import permutation

MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
tables = st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 60)).filter(lambda t: sum(t) > 0)


def rows(only_a: int, only_b: int, both: int, unit: int = 1) -> PairedScores:
    a = unit * np.array([1] * only_a + [0] * only_b + [1] * both)
    b = unit * np.array([0] * only_a + [1] * only_b + [1] * both)
    return PairedScores(*(np.stack([x, np.ones_like(x)], axis=1) for x in (a, b)))


def exact_p(pairs: PairedScores, side: str = "two-sided"):
    return permutation(pairs, MEAN, TestRequest(side))


@settings(max_examples=150)
@given(table=tables, delta=st.floats(-0.95, 0.95).filter(lambda x: x == 0 or abs(x) > 1e-100))
def test_score_against_numerical_maximum(table, delta):
    """The closed form of the constrained maximum against golden sections on the likelihood itself."""
    (only_a, only_b, _), n = table, sum(table)
    found = Discordance(n, only_a, only_b, 1.0, 1).score(delta)
    assert found == pytest.approx(oracles.tango_score(n, only_a, only_b, delta), rel=1e-5, abs=1e-6)


@settings(max_examples=60)
@given(only_a=st.integers(0, 60), only_b=st.integers(0, 60), both=st.integers(0, 30))
def test_at_zero_it_is_mcnemar(only_a, only_b, both):
    """δ = 0: z = (b - c)/√(b + c), the uncorrected McNemar statistic."""
    if only_a + only_b:
        z = Discordance(only_a + only_b + both, only_a, only_b, 1.0, 1).score(0.0)
        assert z == pytest.approx((only_a - only_b) / math.sqrt(only_a + only_b), abs=1e-12)


def test_no_discordant_item():
    """Next to 0 the score is next to 0 too: no difference that small can be refused by ten equal items."""
    assert -0.01 < Discordance(10, 0, 0, 1.0, 1).score(1e-13) < 0
    assert osc.permutation_test([1, 1, 0], [1, 1, 0], delta=1e-13).value == pytest.approx(1, abs=1e-5)
    assert Discordance(10, 0, 0, 1.0, 1).score(0.0) == 0.0
    assert Discordance(10, 0, 0, 1.0, 1).score(0.1) < 0 < Discordance(10, 0, 0, 1.0, 1).score(-0.1)


@settings(max_examples=60)
@given(table=tables)
def test_score_falls_with_delta(table):
    """What the bisection for the limits rests on."""
    pair = Discordance(sum(table), table[0], table[1], 1.0, 1)
    scores = [pair.score(x) for x in np.linspace(-0.99, 0.99, 67)]
    assert all(x >= y - 1e-9 for x, y in itertools.pairwise(scores))


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
def test_p_against_the_normal_law(side):
    pair = discordance(rows(20, 8, 30), MEAN)
    assert pair is not None
    z = oracles.tango_score(58, 20, 8, 0.05)
    above = scipy.stats.norm.sf(z)
    expected = {"two-sided": 2 * min(above, 1 - above), "greater": above, "less": 1 - above}
    p = tango_test(pair, TestRequest(side, delta=0.05))
    assert p.method == "asymptotic"
    assert p.value == pytest.approx(expected[side], rel=1e-5)


@settings(max_examples=80)
@given(table=tables, alpha=st.sampled_from([0.3, 0.05, 0.01]))
def test_limits_are_where_the_score_crosses(table, alpha):
    """Both ends, as long as the exact test at 0 did not move them."""
    pairs = rows(*table)
    pair = discordance(pairs, MEAN)
    if pair is None:
        return
    found = tango_interval(pair, TestRequest(alpha=alpha), exact_p(pairs))
    z = scipy.stats.norm.isf(alpha / 2)
    for end, target in ((found.low, z), (found.high, -z)):
        assert end is not None
        assert -1 <= end <= 1
        if abs(end) > 1e-6 and abs(end) < 1 - 1e-6:
            assert pair.score(end) == pytest.approx(target, abs=1e-6)


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.0005, 1e-4])
@settings(max_examples=60)
@given(table=tables, side=st.sampled_from(["two-sided", "greater", "less"]))
def test_zero_is_inside_exactly_when_the_exact_test_accepts(alpha, table, side):
    pairs = rows(*table)
    pair = discordance(pairs, MEAN)
    if pair is None:
        return
    p = exact_p(pairs, side)
    found = tango_interval(pair, TestRequest(side, alpha=alpha), p)
    inside = (found.low is None or found.low <= 0) and (found.high is None or found.high >= 0)
    assert inside == (p.upper > alpha)


def test_far_out_the_exact_test_is_sharper():
    """Twelve of twelve at α = .0005: exact p = 2^-11 rejects, the normal approximation would not."""
    pairs = rows(12, 0, 5)
    pair = discordance(pairs, MEAN)
    assert pair is not None
    found = tango_interval(pair, TestRequest(alpha=0.0005), exact_p(pairs))
    assert found.low is not None
    assert found.low > 0


@pytest.mark.parametrize("unit", [1, 100])
def test_units_scale_the_interval(unit):
    one, other = (discordance(rows(20, 8, 30, u), MEAN) for u in (1, unit))
    assert one is not None
    assert other is not None
    assert other.unit == unit
    first, second = (tango_interval(pair, TestRequest(alpha=0.05), exact_p(rows(20, 8, 30))) for pair in (one, other))
    assert (second.low, second.high) == pytest.approx((unit * first.low, unit * first.high))


@pytest.mark.parametrize(
    "pairs",
    [
        PairedScores(np.array([[0.5, 1], [1, 1]]), np.array([[0, 1], [1, 1.0]])),
        PairedScores(np.array([[2, 1], [1, 1]]), np.array([[0, 1], [1, 1]])),
        PairedScores(np.array([[1, 2], [1, 1]]), np.array([[0, 2], [1, 1]])),
        PairedScores(np.array([[1, 1], [0, 1]]), np.array([[0, 1], [1, 1]]), clusters=np.array([0, 0])),
        PairedScores(np.array([[1, 1], [0, 1]]), np.array([[0, 1], [1, 1]]), items=np.array([0, 0])),
    ],
    ids=["graded", "counts", "weights", "clusters", "repeats"],
)
def test_other_data_are_not_binary(pairs):
    assert discordance(pairs, MEAN) is None


def test_compare_uses_it():
    a, b = [1] * 30 + [0] * 10, [1] * 18 + [0] * 22
    result = osc.compare(a, b, metric="accuracy")
    assert result.interval is not None
    assert "Tango" in result.interval.method
    assert result.p.value == pytest.approx(scipy.stats.binomtest(12, 12).pvalue)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "shares"), [(50, (0.25, 0.15)), (200, (0.1, 0.05)), (1_000, (0.12, 0.1))])
def test_coverage(n, shares):
    """95% CIs hold the true difference in 93.5% or more of 4,000 seeded samples."""
    rng = np.random.default_rng(n)
    truth, held, draws = shares[0] - shares[1], 0, 4_000
    for _ in range(draws):
        only_a, only_b, _ = rng.multinomial(n, [*shares, 1 - sum(shares)])
        pair = Discordance(n, int(only_a), int(only_b), 1.0, 1)
        k = only_a + only_b
        p = min(1.0, 2 * scipy.stats.binom.sf(max(only_a, only_b) - 1, k, 0.5)) if k else 1.0
        value = osc.PValue(p, p, p, math.log10(p), "exact", "binomial")
        found = tango_interval(pair, TestRequest(alpha=0.05), value)
        held += found.low <= truth <= found.high
    assert held / draws >= 0.935
    assert held / draws <= 0.985


ALL_RIGHT, THREE_WRONG = np.ones(30), np.repeat([1.0, 0.0], [27, 3])


@cache
def in_zeros_and_ones() -> tuple[list[float], float]:
    return in_unit(1, 0)


def in_unit(unit: float, wrong: float, **more) -> tuple[list[float], float]:
    """Interval and p at a margin of .1 of two-valued scores, in 0/1 terms."""
    a, b = wrong + unit * ALL_RIGHT, wrong + unit * THREE_WRONG
    if "items" in more:
        a, b = np.repeat(a, 5), np.repeat(b, 5)
    found = osc.compare(a, b, **more)
    tested = osc.permutation_test(a, b, delta=-0.1 * unit, **more)
    return [found.interval.low / unit, found.interval.high / unit], tested.value


CODINGS = [(0, 1), (0, 100), (0, 0.5), (-1, 1), (1, 2), (7, 8), (0.25, 0.75), (0, 0.1), (0, 0.01)]


@pytest.mark.parametrize(("wrong", "right"), a_few(CODINGS, 3))
@pytest.mark.parametrize(
    "more", [{}, {"items": np.repeat(np.arange(30), 5)}, {"clusters": np.arange(30)}], ids=["items", "runs", "clusters"]
)
def test_two_valued_scores_are_binary_in_any_unit(wrong, right, more):
    interval, p = in_zeros_and_ones()
    found, tested = in_unit(right - wrong, wrong, **more)
    assert interval == pytest.approx([-0.0249, 0.2562], abs=1e-4)
    assert found == pytest.approx(interval, abs=1e-9)
    assert tested == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize(("a", "b"), [([1, 0, 1, 1], [0, 0, 0, 0]), ([0, 0, 0], [0, 1, 1]), ([1, 1], [0, 1]), ([1, 1], [0, 0])])
def test_a_system_that_is_always_right_or_always_wrong_is_right_or_wrong(a, b):
    columns = (np.stack([x, np.ones_like(x)], axis=1) for x in (np.array(a), np.array(b)))
    found = discordance(PairedScores(*columns), MEAN)
    wins, losses = (sum(x > y for x, y in zip(*pair, strict=True)) for pair in ((a, b), (b, a)))
    assert (found.n, found.only_a, found.only_b, found.unit) == (len(a), wins, losses, 1.0)


@given(
    table=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=3, max_size=40).filter(lambda t: len({*sum(t, ())}) == 2),
    clustered=st.booleans(),
    coding=st.sampled_from(CODINGS),
)
@settings(max_examples=120, deadline=None)
def test_no_interval_depends_on_the_coding(table, clustered, coding):
    """Differences, own scores and p of right-or-wrong items, whatever right and wrong are called."""
    wrong, right = coding
    shares = np.array(table, dtype=float)
    clusters = np.arange(len(table)) // 2 if clustered else None

    def compare(scores):
        return osc.compare(scores[:, 0], scores[:, 1], clusters=clusters)

    plain, coded = compare(shares), compare(wrong + (right - wrong) * shares)
    assert coded.p.value == pytest.approx(plain.p.value, rel=1e-9)
    for one, other, start in ((plain.interval, coded.interval, 0.0), *_own(plain, coded, wrong)):
        assert (one is None) == (other is None)
        if one is None:
            continue
        for end, coded_end in zip((one.low, one.high), (other.low, other.high), strict=True):
            assert (end is None) == (coded_end is None)
            assert end is None or (coded_end - start) / (right - wrong) == pytest.approx(end, abs=1e-7)


def _own(plain, coded, wrong):
    return [(one, other, wrong) for one, other in zip(plain.scores, coded.scores, strict=True)]


def test_one_score_of_all_items_does_not_tell_the_other():
    same = np.full(20, 0.75)
    assert discordance(PairedScores(*(np.stack([x, np.ones(20)], axis=1) for x in (same, same))), MEAN) is None
