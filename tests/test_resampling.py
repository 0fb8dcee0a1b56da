"""Sign flips and bootstrap resamples against naive twins."""

from __future__ import annotations

import math
import subprocess
import sys
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

import outscore as osc
from outscore import resampling
from outscore.exact.numbers import to_exact_integers
from outscore.resampling import (
    centred_mean,
    centred_median,
    count_hits,
    exactly_summable,
    flip_bits,
    flipped_sums,
    multinomial_counts,
    optimal_block_length,
    products,
    quantile_limits,
    resample_indices,
    resampled_totals,
    shared_flipped_blocks,
    shared_resampled_blocks,
    stationary_indices,
)

# Resamples in bulk against one-by-one twins and exact laws, and the automatic block length against values of arch.


seeds = st.integers(0, 2**64 - 1)
scores = st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=1, max_size=30)


def words(seed, resample, steps):
    """The 32-bit words of one resample: a stretch of `steps` counter values of the stream."""
    return [
        int(x) for x in np.random.Philox(key=seed, counter=resample * steps).random_raw(4 * steps).astype("<u8").view("<u4")
    ]


def naive_indices(units, resample, seed):
    return [x * units >> 32 for x in words(seed, resample, math.ceil(units / 8))[:units]]


def naive_stationary(units, block_length, resample, seed):
    drawn = words(seed, resample, math.ceil(units / 4))
    found = []
    for t in range(units):
        if t == 0 or drawn[2 * t] < 2**32 / block_length:
            found.append(drawn[2 * t + 1] * units >> 32)
        else:
            found.append((found[-1] + 1) % units)
    return found


@given(st.integers(1, 40), st.integers(0, 50), st.integers(1, 6), seeds)
def test_indices_against_naive_twin(units, first, count, seed):
    found = resample_indices(units, first, count, seed)
    assert found.tolist() == [naive_indices(units, first + k, seed) for k in range(count)]


@given(st.integers(1, 40), st.floats(1, 50), st.integers(0, 50), st.integers(1, 6), seeds)
def test_stationary_indices_against_naive_twin(units, block_length, first, count, seed):
    found = stationary_indices(units, block_length, first, count, seed)
    assert found.tolist() == [naive_stationary(units, block_length, first + k, seed) for k in range(count)]


def test_every_unit_is_equally_likely():
    counts = np.bincount(resample_indices(37, 0, 20_000, 5).ravel(), minlength=37)
    assert scipy.stats.chisquare(counts).pvalue > 0.001
    counts = np.bincount(stationary_indices(37, 4.0, 0, 20_000, 5).ravel(), minlength=37)
    # Neighbours come together, so counts vary more than those of single draws; each is still near its share.
    assert np.abs(counts / counts.sum() - 1 / 37).max() < 0.001


def test_blocks_have_geometric_lengths():
    found = stationary_indices(1000, 5.0, 0, 400, 2)
    follows = (found[:, 1:] - found[:, :-1]) % 1000 == 1
    # A new block begins with probability 1/5, and happens to continue the old one with probability 1/1000.
    assert follows.mean() == pytest.approx(1 - 0.2 * 0.999, abs=0.003)
    assert (follows[:, 1:] & follows[:, :-1]).mean() == pytest.approx((1 - 0.2 * 0.999) ** 2, abs=0.004)


@settings(max_examples=30)
@given(st.integers(0, 300), st.integers(1, 200), seeds)
def test_counts_do_not_depend_on_the_range_they_are_drawn_in(first, count, seed):
    sizes = np.array([5, 1, 30])
    whole = multinomial_counts(sizes, 0, first + count, seed)
    assert (multinomial_counts(sizes, first, count, seed) == whole[first:]).all()
    assert (whole.sum(axis=1) == 36).all()


@settings(max_examples=40)
@given(scores, seeds, st.integers(1, 90), st.none() | st.floats(1, 10))
def test_totals_are_the_same_for_every_block_size(values, seed, block, block_length):
    columns = exactly_summable(np.stack([values, np.ones(len(values)), np.square(values)], axis=1))
    wanted = resampled_totals(columns, resamples=100, seed=seed, block_length=block_length)
    assert (resampled_totals(columns, resamples=100, seed=seed, block_length=block_length, block=block) == wanted).all()


@settings(max_examples=40)
@given(scores, seeds)
def test_totals_against_naive_loop(values, seed):
    """Different numbers are drawn one by one; their sums agree with exactly rounded ones to the last digit."""
    columns = exactly_summable(np.array(values)[:, None])
    found = resampled_totals(columns, resamples=5, seed=seed)
    if 8 * len(set(columns[:, 0].tolist())) > len(values):
        for k, row in enumerate(found):
            assert row[0] == math.fsum(columns[i, 0] for i in naive_indices(len(values), k, seed))


@given(scores)
def test_rounding_is_small_and_leaves_whole_numbers_alone(values):
    x = np.array(values)[:, None]
    room = 2.0 ** (-51 + len(values).bit_length()) * np.abs(x).max()
    assert np.abs(exactly_summable(x) - x).max() <= room
    assert (exactly_summable(np.rint(x)) == np.rint(x)).all()


def test_counts_of_kinds_have_the_law_of_single_draws():
    """200 right-or-wrong items: counts of four kinds against the moments of the multinomial law."""
    rng = np.random.default_rng(0)
    items = rng.integers(0, 2, (200, 2)).astype(float)
    totals = resampled_totals(items, resamples=40_000, seed=1)
    error = np.sqrt(200 * items.var(axis=0) / 40_000)
    assert (np.abs(totals.mean(axis=0) - items.sum(axis=0)) < 4 * error).all()
    assert np.cov(totals.T) == pytest.approx(200 * np.cov(items.T, bias=True), abs=1.5)


def test_stationary_variance_against_politis_and_romano():
    """Var*(mean) = (R(0) + 2 Σ b(i) R(i)) / n with b(i) of Politis and Romano (1994), eq. 6; arch 8.0.0 gave .13004 for SE.

    pip install arch; np.std([m[0] for m in StationaryBootstrap(4, x, seed=1).apply(np.mean, 20000)])
    """
    n, p = 200, 1 / 4
    x = np.random.default_rng([200, 50]).normal(size=n)
    for i in range(1, n):
        x[i] += 0.5 * x[i - 1]
    e = x - x.mean()
    b = [(1 - i / n) * (1 - p) ** i + i / n * (1 - p) ** (n - i) for i in range(n)]
    expected = sum((1 if i == 0 else 2) * b[i] * (e[i:] @ e[: n - i]) / n for i in range(n)) / n
    found = resampled_totals(exactly_summable(x[:, None]), resamples=40_000, seed=3, block_length=4.0)[:, 0] / n
    assert math.sqrt(expected) == pytest.approx(0.13004, rel=0.015)
    assert found.std() == pytest.approx(math.sqrt(expected), rel=0.015)
    assert found.mean() == pytest.approx(x.mean(), abs=0.003)


def all_resamples(n):
    return np.array(list(product(range(n), repeat=n)))


@pytest.mark.parametrize(
    "d", [[3.0, 1.0, 2.0], [0.0, 4.0, 1.0, 9.0], [2.0, 2.0, 5.0, 1.0, 7.0], [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]]
)
def test_median_against_all_resamples(d):
    """Few numbers, n^n equally likely resamples: every median as often as it should be."""
    d = np.array(d)
    values, expected = np.unique(np.median(d[all_resamples(len(d))], axis=1) - np.median(d), return_counts=True)
    found = centred_median(d, 100_000, seed=4)
    assert set(found.tolist()) <= set(values.tolist())
    counts = np.array([(found == v).sum() for v in values])
    wanted = expected / expected.sum() * len(found)
    common = wanted > 5
    assert np.abs((counts - wanted) / np.sqrt(wanted))[common].max() < 4.5


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4)), min_size=1, max_size=15), st.integers(0, 1000))
def test_clustered_median_against_naive_loop(rows, seed):
    d = np.array([x for x, _ in rows], dtype=float)
    _, clusters = np.unique([c for _, c in rows], return_inverse=True)
    groups = int(clusters.max()) + 1
    for k, found in enumerate(centred_median(d, 5, seed, clusters)):
        drawn = np.concatenate([d[clusters == g] for g in naive_indices(groups, k, seed)])
        assert found == np.median(drawn) - np.median(d)


def naive_mean_move(d, clusters, drawn):
    """(mean* - mean) / se* · se with the clustered standard error written out."""

    def mean_and_error(groups):
        n = sum(len(g) for g in groups)
        mean = math.fsum(x for g in groups for x in g) / n
        return mean, math.sqrt(math.fsum(math.fsum(x - mean for x in g) ** 2 for g in groups)) / n

    groups = [d[clusters == g].tolist() for g in range(int(clusters.max()) + 1)]
    mean, error = mean_and_error(groups)
    mean_star, error_star = mean_and_error([groups[g] for g in drawn])
    return mean_star - mean, error, error_star


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 6)), min_size=2, max_size=15), st.integers(0, 1000))
def test_studentised_mean_against_naive_loop(rows, seed):
    d = np.array([x for x, _ in rows], dtype=float)
    _, clusters = np.unique([c for _, c in rows], return_inverse=True)
    groups = int(clusters.max()) + 1
    sums = np.stack([np.bincount(clusters, weights=d), np.bincount(clusters)], axis=1)
    if 8 * len(np.unique(sums, axis=0)) <= groups:
        return
    for k, found in enumerate(centred_mean(d, 5, seed, clusters)):
        move, error, error_star = naive_mean_move(d, clusters, naive_indices(groups, k, seed))
        if error_star > 1e-9:
            assert found == pytest.approx(move * error / error_star, rel=1e-6, abs=1e-9)
        else:
            assert found == (0 if abs(move) < 1e-9 else math.copysign(math.inf, move))


def test_outliers_leave_the_other_numbers_their_digits():
    d = np.random.default_rng(0).normal(size=500)
    d[3] = 1e7
    for k, found in enumerate(centred_mean(d, 20, 0)):
        i = resample_indices(500, k, 1, 0)[0]
        assert found == pytest.approx((d[i].mean() - d.mean()) * (d.std() / d[i].std()), rel=1e-6)


def test_equal_numbers_do_not_move():
    for value in (0.0, 0.1, 1 / 3, 1e-9, 1e9 / 7):
        d = np.full(11, value)
        assert (centred_mean(d, 50, 0) == 0).all()
        assert (centred_median(d, 50, 0) == 0).all()
        assert (centred_mean(d, 50, 0, np.arange(11) // 3) == 0).all()


@pytest.mark.parametrize("shape", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("side", [0.025, 0.05])
def test_limits_against_scipy(shape, side):
    """scipy computes the interval from resampled means that we hand to it."""
    rng = np.random.default_rng(3)
    x = rng.exponential(size=40)
    moves = resampled_totals(exactly_summable(x[:, None]), resamples=2_000, seed=0)[:, 0] / 40 - x.mean()
    alternative = "two-sided" if side == 0.025 else "greater"
    ours = quantile_limits(moves, side, shape, x.mean() - (x.sum() - x) / 39)
    first = scipy.stats.bootstrap((x,), np.mean, n_resamples=2, method="percentile", random_state=np.random.default_rng(0))
    first.bootstrap_distribution = moves + x.mean()
    theirs = scipy.stats.bootstrap(
        (x,), np.mean, n_resamples=0, bootstrap_result=first, method=shape, alternative=alternative, confidence_level=0.95
    ).confidence_interval
    assert x.mean() + ours[0] == pytest.approx(theirs.low, abs=1e-12)
    if alternative == "two-sided":
        assert x.mean() + ours[1] == pytest.approx(theirs.high, abs=1e-12)


@pytest.mark.parametrize("moves", [np.zeros(9), np.ones(9), -np.ones(9), np.arange(9.0)])
@pytest.mark.parametrize("pulls", [np.zeros(5), np.arange(5.0) ** 3])
@pytest.mark.parametrize("shape", ["percentile", "basic", "bca"])
def test_limits_are_numbers_whatever_the_resamples(moves, pulls, shape):
    low, high = quantile_limits(moves, 0.025, shape, pulls)
    assert low <= high


def autoregression(n, rho):
    x = np.random.default_rng([n, int(100 * rho)]).normal(size=n)
    for i in range(1, n):
        x[i] += rho * x[i - 1]
    return x


# pip install arch==8.0.0; float(arch.bootstrap.optimal_block_length(autoregression(n, rho)).stationary.iloc[0])
@pytest.mark.parametrize(
    ("n", "rho", "length"),
    [
        (50, 0.3, 1.462405468967013),
        (200, 0.0, 2.80189326837519),
        (200, 0.5, 7.311015190668649),
        (200, 0.9, 18.434176775105385),
        (1000, 0.5, 10.646722366378027),
        (3000, 0.8, 27.784972516119065),
    ],
)
def test_against_arch(n, rho, length):
    assert optimal_block_length(autoregression(n, rho)) == pytest.approx(length, rel=1e-10)


def naive(x):
    """The rule as a loop: autocovariances, the first negligible run, the flat-top window."""
    n = len(x)
    e = [v - sum(x) / n for v in x]
    run = max(5, int(math.log10(n)))
    most = math.ceil(math.sqrt(n)) + run
    r, negligible = [], []
    for k in range(most + 1):
        r.append(sum(e[t] * e[t + k] for t in range(n - k)) / n)
        head, tail = sum(v * v for v in e[: n - k - 1]), sum(v * v for v in e[k + 1 :])
        negligible.append(abs(r[k]) * n / math.sqrt(head * tail) < 2 * math.sqrt(math.log10(n) / n))
    m = next((2 * max(k, 1) for k in range(most + 1 - run) if all(negligible[k : k + run])), most)
    m = min(m, most)
    window = [min(1, 2 * (1 - k / m)) for k in range(m + 1)]
    g = sum(2 * window[k] * k * r[k] for k in range(1, m + 1))
    d = 2 * (r[0] + sum(2 * window[k] * r[k] for k in range(1, m + 1))) ** 2
    return min(max((2 * g * g / d * n) ** (1 / 3), 1), math.ceil(min(3 * math.sqrt(n), n / 3)), n / 3)


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.4, 0.95])
@pytest.mark.parametrize("n", [12, 40, 150, 400])
def test_against_naive_loop(n, rho):
    x = autoregression(n, abs(rho)) * (np.sign(rho) or 1) ** np.arange(n)
    assert optimal_block_length(x) == pytest.approx(naive(x.tolist()), rel=1e-9)


@given(st.lists(st.floats(-1e150, 1e150), min_size=1, max_size=60))
def test_always_a_number_between_one_and_a_third(values):
    assert 1 <= optimal_block_length(np.array(values)) <= max(1, len(values) / 3)


@given(st.lists(st.integers(-9, 9), min_size=20, max_size=60), st.sampled_from([0.5, 4.0, -2.0, 1024.0]), st.integers(-8, 8))
def test_unit_and_origin_do_not_matter(values, scale, shift):
    x = np.array(values, dtype=float)
    assert optimal_block_length(scale * x + shift) == pytest.approx(optimal_block_length(x), rel=1e-6)


@pytest.mark.parametrize("x", [[5], [1, 2], [0.1] * 50, [1 / 3] * 7, [0, 1] * 30, [1, -1] * 50, [0] * 99 + [1]])
def test_series_with_little_in_them(x):
    length = optimal_block_length(np.array(x))
    assert 1 <= length <= max(1, len(x) / 3)
    if len(set(x)) == 1:
        assert length == 1


def test_a_series_in_which_nothing_adds_up_has_blocks_of_one(monkeypatch):
    """With both sums 0 the rule is 0 / 0, and blocks of one are as good as any; with only the long run 0, the longest."""
    for covariances, length in (([1.0, -0.75, 0.0, 0.5, 0.0], 1.0), ([1.0, -0.5, 0.0], 10.0)):
        monkeypatch.setattr("outscore.resampling._autocovariances", lambda _, found=covariances: np.array(found))
        assert optimal_block_length(np.arange(30.0)) == length


# Random sign flips: any worker, any block, any order gives the same hits.


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


# Flips and weights shared by many tables: each table gets what it would get alone, in any company and any block.


SEEDS = st.integers(0, 2**32)


def joined(blocks) -> list[np.ndarray]:
    """All blocks of each table, one below the other."""
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


def tables_of(seed: int, units: int = 40, largest: int = 60) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.integers(-largest, largest + 1, (units, columns)) for columns in (3, 1, 4)]


def naive_flipped(table: np.ndarray, first: int, count: int, seed: int) -> list[list[int]]:
    """Python integers, one sign and one number after the other."""
    signs = 1 - 2 * flip_bits(len(table), first, count, seed).astype(int)
    return [[sum(int(e) * int(v) for e, v in zip(row, column, strict=True)) for column in table.T] for row in signs]


def naive_resampled(table: np.ndarray, first: int, count: int, seed: int) -> list[list[int]]:
    drawn = resample_indices(len(table), first, count, seed)
    return [[sum(int(column[i]) for i in row) for column in table.T] for row in drawn]


@settings(max_examples=25)
@given(seed=SEEDS, first=st.integers(0, 2**40), block=st.integers(1, 9), power=st.sampled_from([2, 18, 22, 44]))
def test_flips_against_naive_twin(seed, first, block, power):
    """In single precision, at its edge and beyond it."""
    tables = tables_of(seed, largest=2**power)
    found = joined(shared_flipped_blocks(tables, resamples=7, seed=seed, first=first, block=block))
    for table, sums in zip(tables, found, strict=True):
        assert sums.dtype == np.float64
        assert sums.astype(object).tolist() == naive_flipped(table, first, 7, seed)


@settings(max_examples=25)
@given(seed=SEEDS, first=st.integers(0, 2**40), block=st.integers(1, 9), power=st.sampled_from([2, 18, 22, 44]))
def test_weights_against_naive_twin(seed, first, block, power):
    tables = tables_of(seed, largest=2**power)
    found = joined(shared_resampled_blocks(tables, resamples=7, seed=seed, first=first, block=block))
    for table, sums in zip(tables, found, strict=True):
        assert sums.astype(object).tolist() == naive_resampled(table, first, 7, seed)


@pytest.mark.parametrize("block", [None, 1, 33, 500])
def test_flips_against_single_calls(block):
    """The same bytes as a table alone, also where its company needs double precision."""
    tables = [*tables_of(1, units=300), np.full((300, 1), 2**40)]
    for table, sums in zip(tables, joined(shared_flipped_blocks(tables, resamples=400, seed=8, block=block)), strict=True):
        assert sums.tobytes() == flipped_sums(table, 0, 400, 8).tobytes()


@pytest.mark.parametrize("block", [None, 1, 33, 500])
def test_weights_against_single_calls(block):
    tables = tables_of(2, units=300)
    found = joined(shared_resampled_blocks(tables, resamples=400, seed=8, block=block))
    for table, sums in zip(tables, found, strict=True):
        alone = resampled_totals(np.asarray(table, dtype=float), resamples=400, seed=8)
        assert sums.tobytes() == alone.tobytes()


def test_real_numbers_against_single_calls():
    """Made exactly summable, they too are the same in any company."""
    rng = np.random.default_rng(3)
    tables = [exactly_summable(rng.normal(size=(120, columns))) for columns in (2, 5)]
    found = joined(shared_resampled_blocks(tables, resamples=300, seed=1))
    for table, sums in zip(tables, found, strict=True):
        assert sums.tobytes() == resampled_totals(table, resamples=300, seed=1).tobytes()


def shared_hits(tables, contrasts, *, resamples, seed, first=0, block=None):
    """How many flipped sums lie inside, of each (left, right, inside); hits of disjoint ranges of resamples add up."""
    hits = [0] * len(contrasts)
    for sums in shared_flipped_blocks(tables, resamples=resamples, seed=seed, first=first, block=block):
        for i, (left, right, inside) in enumerate(contrasts):
            flipped = sums[left] if right is None else sums[left] - sums[right]
            hits[i] += int(inside(flipped).sum())
    return hits


def curved(sums: np.ndarray) -> np.ndarray:
    return np.abs(sums[:, 0] / (9_000 + sums[:, 1]) + sums[:, 1] * sums[:, 2])


@pytest.mark.parametrize("block", [None, 1, 77])
def test_hits_against_count_hits(block):
    """All pairs of five systems on two metrics, from systems' tables or from the table of differences."""
    rng = np.random.default_rng(4)
    systems = [rng.integers(0, 30, (200, 3)) for _ in range(5)]
    tables = [*systems, systems[0] - systems[1]]
    pairs = [(i, j) for i in range(5) for j in range(i)]

    def inside(limit):
        return lambda sums: curved(sums) >= limit

    limits = [float(curved((systems[i] - systems[j]).sum(axis=0)[None])[0]) for i, j in pairs]
    contrasts = [(i, j, inside(limit)) for (i, j), limit in zip(pairs, limits, strict=True)]
    contrasts.append((5, None, inside(limits[0])))
    found = shared_hits(tables, contrasts, resamples=600, seed=11, block=block)
    alone = [
        count_hits(systems[i] - systems[j], inside(limit), resamples=600, seed=11)
        for (i, j), limit in zip(pairs, limits, strict=True)
    ]
    assert found == [*alone, alone[0]]
    assert len({*alone}) > 5


def test_hits_of_ranges_add_up():
    """What workers count in ranges of their own is what one process counts."""
    tables = tables_of(5, units=100)
    contrasts = [(0, None, lambda sums: sums[:, 0] > 150), (2, None, lambda sums: sums[:, 3] < -90)]
    whole = shared_hits(tables, contrasts, resamples=1_000, seed=2)
    parts = [shared_hits(tables, contrasts, resamples=n, seed=2, first=start) for start, n in [(640, 360), (0, 1), (1, 639)]]
    assert np.sum(parts, axis=0).tolist() == whole
    assert all(0 < hits < 1_000 for hits in whole)


def test_equal_systems_tie_everywhere():
    table = tables_of(6)[0]
    assert shared_hits([table, table.copy()], [(0, 1, lambda s: (s == 0).all(axis=1))], resamples=50, seed=0) == [50]


@pytest.mark.parametrize("units", [0, 1])
def test_hardly_any_units(units):
    tables = [np.ones((units, 2), dtype=int), np.ones((units, 1), dtype=int)]
    for blocks in (shared_flipped_blocks, shared_resampled_blocks):
        found = joined(blocks(tables, resamples=5, seed=0))
        assert [sums.shape for sums in found] == [(5, 2), (5, 1)]
        assert (np.abs(found[0]) == units).all()


def test_precision_is_chosen_by_the_largest_possible_sum(monkeypatch):
    """The bound of a bootstrap is the largest row drawn every time, of flips the absolute sum."""
    seen = []

    def watched(rows, *rest):
        seen.append(rows.dtype.name)
        return products(rows, *rest)

    for module in (resampling, resampling):
        monkeypatch.setattr(module, "products", watched)
    table = np.array([[2**23], [2**22]])
    list(shared_flipped_blocks([table], resamples=1, seed=0))
    list(shared_resampled_blocks([table], resamples=1, seed=0))
    list(shared_flipped_blocks([table / 3], resamples=1, seed=0))
    assert seen == ["float32", "float64", "float64"]


@pytest.mark.parametrize("blocks", [shared_flipped_blocks, shared_resampled_blocks])
def test_memory_is_bounded(blocks):
    """Thirty thousand units: a block of signs at a time, however many resamples there are."""
    tables = [np.ones((30_000, 4), dtype=np.int64)] * 3
    tracemalloc.start()
    for _ in blocks(tables, resamples=500, seed=0):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6
