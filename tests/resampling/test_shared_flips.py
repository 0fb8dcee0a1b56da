"""Flips and weights shared by many tables: each table gets what it would get alone, in any company and any block."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.resampling import bootstrap, flips
from outscore.resampling.bootstrap import exactly_summable, resample_indices, resampled_totals
from outscore.resampling.flips import count_hits, flip_bits, flipped_sums
from outscore.resampling.products import products
from outscore.resampling.shared_flips import flipped_blocks, resampled_blocks

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
    found = joined(flipped_blocks(tables, resamples=7, seed=seed, first=first, block=block))
    for table, sums in zip(tables, found, strict=True):
        assert sums.dtype == np.float64
        assert sums.astype(object).tolist() == naive_flipped(table, first, 7, seed)


@settings(max_examples=25)
@given(seed=SEEDS, first=st.integers(0, 2**40), block=st.integers(1, 9), power=st.sampled_from([2, 18, 22, 44]))
def test_weights_against_naive_twin(seed, first, block, power):
    tables = tables_of(seed, largest=2**power)
    found = joined(resampled_blocks(tables, resamples=7, seed=seed, first=first, block=block))
    for table, sums in zip(tables, found, strict=True):
        assert sums.astype(object).tolist() == naive_resampled(table, first, 7, seed)


@pytest.mark.parametrize("block", [None, 1, 33, 500])
def test_flips_against_single_calls(block):
    """The same bytes as a table alone, also where its company needs double precision."""
    tables = [*tables_of(1, units=300), np.full((300, 1), 2**40)]
    for table, sums in zip(tables, joined(flipped_blocks(tables, resamples=400, seed=8, block=block)), strict=True):
        assert sums.tobytes() == flipped_sums(table, 0, 400, 8).tobytes()


@pytest.mark.parametrize("block_length", [None, 4.0])
@pytest.mark.parametrize("block", [None, 1, 33, 500])
def test_weights_against_single_calls(block, block_length):
    tables = tables_of(2, units=300)
    found = joined(resampled_blocks(tables, resamples=400, seed=8, block_length=block_length, block=block))
    for table, sums in zip(tables, found, strict=True):
        alone = resampled_totals(np.asarray(table, dtype=float), resamples=400, seed=8, block_length=block_length)
        assert sums.tobytes() == alone.tobytes()


def test_real_numbers_against_single_calls():
    """Made exactly summable, they too are the same in any company."""
    rng = np.random.default_rng(3)
    tables = [exactly_summable(rng.normal(size=(120, columns))) for columns in (2, 5)]
    found = joined(resampled_blocks(tables, resamples=300, seed=1))
    for table, sums in zip(tables, found, strict=True):
        assert sums.tobytes() == resampled_totals(table, resamples=300, seed=1).tobytes()


def shared_hits(tables, contrasts, *, resamples, seed, first=0, block=None):
    """How many flipped sums lie inside, of each (left, right, inside); hits of disjoint ranges of resamples add up."""
    hits = [0] * len(contrasts)
    for sums in flipped_blocks(tables, resamples=resamples, seed=seed, first=first, block=block):
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
    for blocks in (flipped_blocks, resampled_blocks):
        found = joined(blocks(tables, resamples=5, seed=0))
        assert [sums.shape for sums in found] == [(5, 2), (5, 1)]
        assert (np.abs(found[0]) == units).all()


def test_precision_is_chosen_by_the_largest_possible_sum(monkeypatch):
    """The bound of a bootstrap is the largest row drawn every time, of flips the absolute sum."""
    seen = []

    def watched(rows, *rest):
        seen.append(rows.dtype.name)
        return products(rows, *rest)

    for module in (flips, bootstrap):
        monkeypatch.setattr(module, "products", watched)
    table = np.array([[2**23], [2**22]])
    list(flipped_blocks([table], resamples=1, seed=0))
    list(resampled_blocks([table], resamples=1, seed=0))
    list(flipped_blocks([table / 3], resamples=1, seed=0))
    assert seen == ["float32", "float64", "float64"]


@pytest.mark.parametrize("blocks", [flipped_blocks, resampled_blocks])
def test_memory_is_bounded(blocks):
    """Thirty thousand units: a block of signs at a time, however many resamples there are."""
    tables = [np.ones((30_000, 4), dtype=np.int64)] * 3
    tracemalloc.start()
    for _ in blocks(tables, resamples=500, seed=0):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6
