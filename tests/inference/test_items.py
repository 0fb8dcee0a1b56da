"""Items of many systems: against loops over items with numpy's correlation, and the edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from outscore.inference.leaderboard import DISCRIMINATING, LEVEL, MIN_SYSTEMS, effective_items, item_table

boards = st.tuples(st.integers(1, 9), st.integers(1, 8), st.integers(0, 10_000), st.booleans(), st.booleans()).map(
    lambda made: draw(*made)
)


def draw(k, n, seed, right_or_wrong, whole):
    random = np.random.default_rng(seed)
    values = random.integers(0, 2, (k, n)).astype(float) if right_or_wrong else random.normal(size=(k, n)).round(1)
    return np.where(random.random((k, n)) < (1.0 if whole else 0.7), values, np.nan)


def naive(table, i):
    """Mean, variance and item-rest correlation of one item, and the two-sided p of that correlation."""
    has = [s for s in range(len(table)) if not np.isnan(table[s, i])]
    own = [table[s, i] for s in has]
    if not own:
        return 0.0, 0.0, None, None
    rests = [(s, np.delete(table[s], i)) for s in has]
    rests = [(s, rest[~np.isnan(rest)].mean()) for s, rest in rests if not np.isnan(rest).all()]
    pairs = np.array([(table[s, i], rest) for s, rest in rests])
    correlation = p = None
    if len(pairs) >= MIN_SYSTEMS and np.ptp(own) > 0 and (pairs.std(axis=0) > 1e-12).all():
        correlation, p = stats.pearsonr(pairs[:, 0], pairs[:, 1])
    return np.mean(own), np.var(own), correlation, p


@given(boards)
def test_against_loops(table):
    found = item_table(np.nan_to_num(table), ~np.isnan(table))
    for i in range(table.shape[1]):
        mean, variance, correlation, p = naive(table, i)
        assert found.mean[i] == pytest.approx(mean, abs=1e-12)
        assert found.spread[i] == pytest.approx(variance, abs=1e-12)
        assert found.dead[i] == (np.ptp(table[~np.isnan(table[:, i]), i]) == 0 if found.systems[i] else True)
        if correlation is None:
            continue
        assert found.rest[i] == pytest.approx(correlation, abs=1e-9)
        if found.systems[i] == len(table) and abs(p / 2 - LEVEL) > 1e-9 and not np.isnan(table).any():
            assert found.suspicious[i] == (correlation < 0 and p / 2 <= LEVEL)
        assert found.discriminating[i] == (correlation >= DISCRIMINATING) or abs(correlation - DISCRIMINATING) < 1e-9


@given(boards)
def test_which_scores_are_better_does_not_matter(table):
    there = ~np.isnan(table)
    one, other = item_table(np.nan_to_num(table), there), item_table(-np.nan_to_num(table), there)
    assert np.allclose(one.rest, other.rest, equal_nan=True)


def test_few_systems_have_no_correlation():
    found = item_table(np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]]))
    assert np.isnan(found.rest).all()
    assert not (found.suspicious | found.discriminating).any()


def test_an_item_that_contradicts_an_ordered_board_is_suspicious():
    k = 12
    board = (np.arange(k)[:, None] > np.arange(k - 1)[None, :]).astype(float)
    against = (np.arange(k) < k / 2).astype(float)[:, None]
    found = item_table(np.hstack([board, against, np.ones((k, 1))]))
    assert np.flatnonzero(found.suspicious).tolist() == [k - 1]
    assert np.flatnonzero(found.dead).tolist() == [k]
    assert found.discriminating[: k - 1].all()


@given(st.lists(st.floats(0, 0.25), min_size=1, max_size=30))
def test_effective_items_lie_between_one_and_all_that_live(spread):
    live = sum(value > 1e-6 for value in spread)
    rounded = [value if value > 1e-6 else 0.0 for value in spread]
    assert (1 if live else 0) - 1e-9 <= effective_items(rounded) <= live + 1e-9
