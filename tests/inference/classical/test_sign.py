"""The sign test against scipy's binomial test and its own inversion."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.asking import DEPRESSION, LOSS, SIDES, ask

from outscore.core.errors import OutscoreError
from outscore.inference.classical.median import SIGN_ENTRY as ENTRY
from outscore.inference.classical.median import median_limits


@pytest.mark.parametrize("side", SIDES)
@settings(max_examples=60)
@given(d=st.lists(st.integers(-4, 4), min_size=1, max_size=40), delta=st.integers(-2, 2))
def test_against_scipy(side, d, delta):
    above, below = sum(x > delta for x in d), sum(x < delta for x in d)
    d = np.array(d) / 10
    found = ask(ENTRY, d, 0 * d, alternative=side, delta=delta / 10).p
    expected = scipy.stats.binomtest(above, above + below, alternative=side).pvalue if above + below else 1.0
    assert found.value == pytest.approx(expected, rel=1e-11)
    assert (found.statistic, found.n) == (above, above + below)
    assert found.dropped.get("zero differences", 0) == len(d) - above - below
    assert ask(ENTRY, 0 * d, d, alternative=side, delta=-delta / 10, metric=LOSS).p.value == found.value


def test_hollander_and_wolfe():
    """Seven of nine positive: 2 (1 + 9 + 36)/512."""
    found = ask(ENTRY, DEPRESSION, 0 * DEPRESSION)
    assert (found.p.value, found.p.mid, found.p.method) == (0.1796875, 0.109375, "exact")
    # Order statistics 2 and 8 of nine: P(X <= 1) = 10/512 <= .025 < P(X <= 2).
    assert (found.interval.low, found.interval.high, found.interval.dual) == (-0.08, 0.952, True)


@pytest.mark.parametrize("n", [1, 5, 6, 9, 30, 101, 1000])
@pytest.mark.parametrize("side", [0.05, 0.025, 0.005])
def test_limits_against_scipy(n, side):
    c = int((scipy.stats.binom.cdf(np.arange(n), n, 0.5) <= side).sum())
    expected = (None, None) if c == 0 else (float(c), float(n + 1 - c))
    assert median_limits(np.arange(1.0, n + 1), side) == expected


@settings(max_examples=60)
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=30, unique=True), st.integers(-32, 32), st.sampled_from(SIDES))
def test_the_interval_is_dual(values, whole, side):
    d, delta = np.array(values), whole + 0.5
    found = ask(ENTRY, d, 0 * d, delta=delta, alternative=side)
    low = -np.inf if found.interval.low is None else found.interval.low
    high = np.inf if found.interval.high is None else found.interval.high
    assert (low < delta < high) == (found.p.value > 0.05)


def test_far_tail():
    p = ask(ENTRY, np.ones(5_000), np.zeros(5_000)).p
    assert p.value == 5e-324
    assert p.log10 == pytest.approx(-4_999 * np.log10(2), rel=1e-12)


def test_ties_take_the_duality():
    found = ask(ENTRY, [3, 3, 4, 5, 6, 7, 8], np.zeros(7))
    assert not found.interval.dual
    assert "may disagree near alpha" in found.notes[1].text


def test_identical_systems():
    p = ask(ENTRY, np.ones(4), np.ones(4)).p
    assert (p.value, p.n, p.dropped) == (1.0, 0, {"zero differences": 4})


def test_clusters_are_refused():
    with pytest.raises(OutscoreError, match="`sign` treats items as independent"):
        ask(ENTRY, [1, 2], [0, 0], clusters=[0, 0])
