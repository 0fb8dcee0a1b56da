"""Random sign flips: any worker, any block, any order gives the same hits."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore.exact.numbers import to_exact_integers
from outscore.resampling.flips import count_hits, flip_bits, flipped_sums


@pytest.fixture(scope="module")
def two_decimals() -> np.ndarray:
    """Differences of scores with two decimals, as whole hundredths."""
    rng = np.random.default_rng(5)
    written = to_exact_integers(np.round(rng.normal(0.02, 0.3, 300), 2))
    assert written is not None
    return written[0][0][:, None]


def hits_of(vectors: np.ndarray, block: int | None = None) -> int:
    observed = abs(int(vectors.sum()))
    return count_hits(vectors, lambda s: np.abs(s[:, 0]) >= observed, resamples=2_000, seed=3, block=block)


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
def test_block_size_changes_no_hit(two_decimals, block):
    assert hits_of(two_decimals, block) == hits_of(two_decimals)


@settings(max_examples=30)
@given(units=st.integers(1, 600), first=st.integers(0, 2**40), count=st.integers(1, 20), seed=st.integers(0, 2**64 - 1))
def test_a_resample_does_not_depend_on_its_neighbours(units, first, count, seed):
    """Resample k alone, or in the middle of a block: the same bits."""
    together = flip_bits(units, first, count, seed)
    k = count // 2
    assert (flip_bits(units, first + k, 1, seed)[0] == together[k]).all()
    assert together.shape == (count, units)


def test_chunks_in_any_order_and_in_threads(two_decimals):
    chunks = [(first, 125) for first in range(0, 2_000, 125)]
    observed = abs(int(two_decimals.sum()))

    def hits(chunk):
        return int((np.abs(flipped_sums(two_decimals, *chunk, 3)[:, 0]) >= observed).sum())

    expected = hits_of(two_decimals)
    assert sum(map(hits, reversed(chunks))) == expected
    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(hits, chunks[1::2] + chunks[::2])) == expected


def test_another_process_gives_the_same_p():
    """The whole test, from its seed alone."""
    rng = np.random.default_rng(1)
    a, b = np.round(rng.random((2, 80)), 2).tolist()
    here = osc.permutation_test(a, b, method="monte-carlo", seed=9)
    code = f"import outscore as o; print(o.permutation_test({a}, {b}, method='monte-carlo', seed=9).value.hex())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == here.value.hex()


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), shift=st.integers(0, 60))
def test_sums_are_exact(seed, shift):
    """Integers with sums up to 2**53: floats add them without rounding, against Python integers."""
    rng = np.random.default_rng(seed)
    vectors = rng.integers(-(2**44), 2**44, (40, 2))
    bits = flip_bits(40, shift, 3, seed)
    signs = [[1 - 2 * int(e) for e in row] for row in bits]
    expected = [[sum(int(v) * e for v, e in zip(column, row, strict=True)) for column in vectors.T] for row in signs]
    assert flipped_sums(vectors, shift, 3, seed).astype(object).tolist() == expected


def test_coins_are_fair_and_independent():
    """Means, neighbours and the same unit in the next resample, within four standard errors."""
    bits = flip_bits(1_000, 0, 1_000, 0).astype(float)
    error = 4 * 0.5 / np.sqrt(bits.size)
    assert abs(bits.mean() - 0.5) < error
    assert abs((bits[:, 1:] == bits[:, :-1]).mean() - 0.5) < error
    assert abs((bits[1:] == bits[:-1]).mean() - 0.5) < error


def test_seeds_differ():
    one, two = (flip_bits(1_000, 0, 4, seed) for seed in (0, 1))
    assert 0.45 < (one == two).mean() < 0.55


@pytest.mark.parametrize("resamples", [1, 99, 1_000])
def test_p_counts_the_observed_arrangement(resamples):
    """(hits + 1) / (K + 1): never 0, and inside its own bounds."""
    a, b = np.arange(30) + 5, np.arange(30)
    p = osc.permutation_test(a, b, method="monte-carlo", resamples=resamples)
    assert p.value == 1 / (resamples + 1)
    assert 0.0 == p.lower < p.value <= p.upper


def test_ties_are_hits():
    """A single differing unit: every swap ties with the observed arrangement, decimals and reals alike."""
    for d in (1.0, 0.3, np.pi):
        p = osc.permutation_test([d, 0.1, 0.2], [0.0, 0.1, 0.2], method="monte-carlo", resamples=50)
        assert p.value == 1.0


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_real_ties_are_hits(seed):
    """Equal sizes of real numbers: sums differ in the last bit with the order of addition, hits do not."""
    rng = np.random.default_rng(seed)
    size = rng.random() + 0.1
    signs = rng.choice([-1, 1], 12)
    a, b = signs * size, np.zeros(12)
    p = osc.permutation_test(a, b, method="monte-carlo", resamples=400, seed=seed)
    whole = osc.permutation_test(signs, np.zeros(12, dtype=int), method="monte-carlo", resamples=400, seed=seed)
    assert p.value == whole.value
