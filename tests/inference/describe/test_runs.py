"""The exact test over runs against scipy, in both argument orders and on all sides."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from outscore.inference.base.question import TestRequest
from outscore.inference.describe import repeats
from outscore.inference.describe.repeats import run_test, standard_error


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("sizes", [(3, 3), (4, 2), (5, 5), (2, 4)])
def test_against_scipy(alternative, sizes):
    rng = np.random.default_rng(sum(sizes))
    a, b = rng.normal(0.5, 1, sizes[0]), rng.normal(0, 1, sizes[1])
    for x, y in ((a, b), (b, a)):
        theirs = stats.permutation_test(
            (x, y),
            lambda p, q, axis: p.mean(axis=axis) - q.mean(axis=axis),
            vectorized=True,
            n_resamples=np.inf,
            alternative=alternative,
        )
        ours = run_test(x, y, TestRequest(alternative))
        naive = theirs.pvalue
        if alternative == "two-sided":
            # scipy doubles the smaller tail; ours counts |difference|.
            observed = abs(x.mean() - y.mean())
            naive = np.mean(np.abs(theirs.null_distribution) >= observed - 1e-12)
        assert ours.value == pytest.approx(naive, abs=1e-12)


def test_lower_is_better_turns_the_side():
    a, b = np.array([1.0, 1.1]), np.array([2.0, 2.2])
    assert run_test(a, b, TestRequest("greater"), higher_is_better=False).value == run_test(b, a, TestRequest("greater")).value


def test_equal_runs_have_p_1():
    assert run_test(np.array([3.0, 3.0]), np.array([3.0, 3.0])).value == 1.0


def test_too_many_ways_are_drawn(monkeypatch):
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.7, 1, 6), rng.normal(0, 1, 6)
    exact = run_test(a, b)
    monkeypatch.setattr(repeats, "MAX_LISTED", 10)
    drawn = run_test(a, b, TestRequest(seed=3))
    assert drawn.method == "monte-carlo"
    assert drawn.lower <= exact.value <= drawn.upper
    assert drawn == run_test(a, b, TestRequest(seed=3))


def test_standard_error():
    assert standard_error(np.array([1.0, 3.0]), np.array([2.0, 2.0])) == pytest.approx(1.0)
    assert standard_error(np.array([1.0]), np.array([2.0, 2.0])) is None
