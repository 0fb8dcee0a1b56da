"""Seeded sign flips: the same hits whatever the block, the order, the thread or the process."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import outscore as osc
from outscore.resampling.flips import clopper_pearson, count_hits, flip_bits, flipped_sums

SEED = 11


def scores(n: int = 83) -> np.ndarray:
    """Two-decimal differences as whole hundredths."""
    return np.random.default_rng(5).integers(-99, 100, (n, 1))


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_hits_do_not_depend_on_the_block(block):
    d = scores()
    observed = abs(float(d.sum()))
    hits = [count_hits(d, lambda s: np.abs(s[:, 0]) >= observed, resamples=2_000, seed=SEED, block=b) for b in (block, None)]
    assert hits[0] == hits[1]


def chunk(first: int) -> np.ndarray:
    return flipped_sums(scores(), first, 100, SEED)


def test_chunks_in_any_order_thread_or_process():
    whole = flipped_sums(scores(), 0, 1_000, SEED)
    starts = list(range(0, 1_000, 100))
    backwards = np.concatenate([chunk(first) for first in reversed(starts)][::-1])
    with ThreadPoolExecutor(4) as pool:
        threaded = np.concatenate(list(pool.map(chunk, starts)))
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        elsewhere = pool.submit(flipped_sums, scores(), 300, 100, SEED).result()
    assert np.array_equal(whole, backwards)
    assert np.array_equal(whole, threaded)
    assert np.array_equal(whole[300:400], elsewhere)


def test_sums_are_those_of_the_bits():
    """The naive twin: every unit counted with its own sign."""
    d = scores(20)
    bits = flip_bits(20, 40, 10, SEED)
    naive = [[sum(-int(x) if bit else int(x) for x, bit in zip(d[:, 0], row, strict=True))] for row in bits]
    assert np.array_equal(flipped_sums(d, 40, 10, SEED), naive)


def test_coins_are_fair_and_seeds_differ():
    bits = flip_bits(1_000, 0, 1_000, SEED)
    # 1e6 coins: five standard deviations are .0025.
    assert abs(bits.mean() - 0.5) < 0.0025
    assert np.abs(bits.mean(axis=0) - 0.5).max() < 0.09
    assert not np.array_equal(bits, flip_bits(1_000, 0, 1_000, SEED + 1))


def test_p_counts_the_observed_arrangement():
    """(hits + 1)/(K + 1): never 0, and the same bytes for the same seed."""
    a, b = np.arange(60) + 1.0, np.zeros(60)
    p = osc.permutation_test(a, b, method="monte-carlo", resamples=999, seed=3)
    assert p.value == 1 / 1000
    assert p.lower == 0.0
    assert p.upper == pytest.approx(1 - 0.005 ** (1 / 999))
    assert p == osc.permutation_test(a, b, method="monte-carlo", resamples=999, seed=3)


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (10, 10), (3, 50), (500, 9_999)])
def test_bounds_against_scipy(hits, trials):
    from scipy.stats import binomtest

    expected = binomtest(hits, trials).proportion_ci(0.99, "exact")
    assert clopper_pearson(hits, trials) == pytest.approx((expected.low, expected.high), rel=1e-9)


@pytest.mark.parametrize("metric", ["f1", "mcc"])
def test_sampling_agrees_with_the_exact_value(metric):
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 2, 10_000)
    a, b = (osc.confusion(gold, np.where(rng.random(10_000) < q, gold, 1 - gold)) for q in (0.9, 0.893))
    exact = osc.permutation_test(a, b, metric=metric)
    sampled = osc.permutation_test(a, b, metric=metric, method="monte-carlo")
    assert exact.method == "exact"
    assert sampled.lower <= exact.value <= sampled.upper
