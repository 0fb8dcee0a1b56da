"""The interval of a macro average over datasets inverts its test."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc


def benchmark(rng: np.random.Generator, sizes, draw, systems=("new", "old")) -> pl.DataFrame:
    rows = [
        (f"{d}-{i}", f"set {d}", system, draw(rng, k))
        for d, n in enumerate(sizes)
        for i in range(n)
        for k, system in enumerate(systems)
    ]
    return pl.DataFrame(rows, schema=["id", "dataset", "system", "score"], orient="row")


def binary(rng, k):
    return int(rng.random() < (0.95, 0.85, 0.8)[k])


def normal(rng, k):
    return round(rng.normal((0.3, 0.0, 0.0)[k], 1.0), 1)


@given(
    seed=st.integers(0, 10**6),
    sizes=st.lists(st.integers(4, 25), min_size=2, max_size=6),
    draw=st.sampled_from([binary, normal]),
)
@settings(max_examples=90, deadline=None)
def test_it_holds_0_exactly_where_the_test_does_not_reject(seed, sizes, draw):
    found = osc.compare(benchmark(np.random.default_rng(seed), sizes, draw))
    interval = found.interval
    held = interval is None or ((interval.low is None or interval.low <= 0) and (interval.high is None or interval.high >= 0))
    assert held == (found.p.upper > 0.05)
    assert interval is None or interval.dual
    board = osc.rank(benchmark(np.random.default_rng(seed), sizes, draw, ("new", "old", "base")))
    for pair in board.pairs:
        if pair.low is not None and pair.high is not None:
            assert (pair.low <= 0 <= pair.high) == (pair.p.value > 0.05)


def test_it_is_that_of_a_mean_where_datasets_have_one_size():
    table = benchmark(np.random.default_rng(3), [12, 12, 12], normal)
    macro, pooled = osc.compare(table), osc.compare(table, dataset="none")
    assert macro.p.value == pytest.approx(pooled.p.value)
    assert (macro.interval.low, macro.interval.high) == pytest.approx((pooled.interval.low, pooled.interval.high))


def test_limits_are_where_the_test_of_shifted_scores_turns():
    """Datasets of unequal sizes: scores of the first system moved to the limit, or a little further."""
    table = benchmark(np.random.default_rng(11), [6, 14, 9], normal)
    limit = osc.compare(table).interval.low
    for step, rejected in ((-1e-3, True), (1e-2, False)):
        moved = pl.when(pl.col("system") == "new").then(pl.col("score") - limit - step).otherwise(pl.col("score"))
        assert (osc.compare(table.with_columns(score=moved)).p.upper <= 0.05) == rejected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "draw", "truth"), [([15] * 8, binary, 0.1), ([6] * 20, normal, 0.3), ([50, 20], binary, 0.1)]
)
def test_coverage(sizes, draw, truth):
    held = 0
    for seed in range(300):
        interval = osc.compare(benchmark(np.random.default_rng([seed, 7]), sizes, draw)).interval
        held += interval.low <= truth <= interval.high
    assert 0.91 <= held / 300 <= 0.98


def test_no_dataset_alone_is_no_news():
    """Better on at least 0 of 3 datasets says nothing."""
    rng = np.random.default_rng(2)
    found = osc.compare(benchmark(rng, [20, 20, 20], lambda rng, _: int(rng.random() < 0.5)))
    assert found.replicability is None or found.replicability.bonferroni == 0
    assert "at least 0 of" not in found.to_text(verbose=True)
    assert "0 of 3" not in osc.rank(benchmark(rng, [20, 20, 20], lambda rng, _: int(rng.random() < 0.5))).to_text(verbose=True)
