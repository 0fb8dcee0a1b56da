"""The order of systems on complete and incomplete leaderboards, groups against brute force, and rank intervals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.inference.leaderboard import _letter, groups_of, order_of, rank_intervals, system_effects, tiers_of

boards = st.tuples(st.integers(1, 5), st.integers(1, 8), st.integers(0, 10_000)).map(
    lambda made: np.where(
        (stream := np.random.default_rng(made[2])).random((made[1], made[0])) < 0.6,
        stream.integers(0, 5, (made[1], made[0])).astype(float),
        np.nan,
    )
)
wins = st.integers(1, 8).flatmap(
    lambda k: st.lists(st.sampled_from([-1, 0, 1]), min_size=k * (k - 1) // 2, max_size=k * (k - 1) // 2).map(
        lambda signs: matrix(k, signs)
    )
)


def shared_differences(scores):
    """Mean paired differences of all pairs, and how many items each pair shares: (items, systems), nan where one is missing."""
    table = np.asarray(scores, dtype=float)
    there = ~np.isnan(table)
    shared = there.T.astype(np.int64) @ there.astype(np.int64)
    differences = np.full(shared.shape, np.nan)
    for i, j in zip(*np.nonzero(shared), strict=True):
        both = there[:, i] & there[:, j]
        differences[i, j] = (table[both, i] - table[both, j]).mean()
    return differences, shared


@given(board=boards)
def test_against_a_loop_over_pairs(board):
    differences, shared = shared_differences(board)
    k = board.shape[1]
    for i in range(k):
        for j in range(k):
            both = ~np.isnan(board[:, i]) & ~np.isnan(board[:, j])
            assert shared[i, j] == both.sum()
            gap = (board[both, i] - board[both, j]).mean() if both.any() else np.nan
            assert differences[i, j] == pytest.approx(gap, nan_ok=True, abs=1e-12)
    effects = system_effects(differences, shared)
    # The naive twin: one row of the design for every item and every pair of systems that has it.
    rows, gaps = [], []
    for item in board:
        there = np.flatnonzero(~np.isnan(item))
        for place, i in enumerate(there):
            for j in there[place + 1 :]:
                rows.append(np.eye(k)[i] - np.eye(k)[j])
                gaps.append(item[i] - item[j])
    met = np.any(rows, axis=0) if rows else np.zeros(k, dtype=bool)
    assert np.isnan(effects).tolist() == (~met).tolist()
    if rows:
        fitted = np.linalg.lstsq(np.array(rows), np.array(gaps), rcond=None)[0]
        assert np.array(rows)[:, met] @ effects[met] == pytest.approx(np.array(rows) @ fitted, abs=1e-9)


@given(scores=st.lists(st.lists(st.integers(0, 9), min_size=4, max_size=4), min_size=1, max_size=9))
def test_on_a_complete_board_the_advantage_is_the_score(scores):
    board = np.array(scores, dtype=float)
    differences, _ = shared_differences(board)
    means = board.mean(axis=0)
    assert system_effects(differences, np.full((4, 4), len(scores))) == pytest.approx(means - means.mean(), abs=1e-12)
    assert order_of(means, differences, complete=True).order == np.argsort(-means, kind="stable").tolist()


def test_spared_items_do_not_help():
    """The second system is better wherever both were asked, and was asked the hard questions only."""
    board = np.array([[1.0, np.nan, 0.9], [1.0, np.nan, 0.9], [0.2, 0.4, 0.1], [0.1, 0.3, 0.0]])
    differences, _ = shared_differences(board)
    scores = np.nanmean(board, axis=0)
    found = order_of(scores, differences, complete=False)
    assert np.argsort(-scores)[0] == 0
    assert (found.order, found.by, found.islands) == ([1, 0, 2], "advantage", 1)


def test_directions_ties_and_strangers():
    differences = np.zeros((3, 3))
    assert order_of([0.5, 0.5, 0.5], differences, complete=True).order == [0, 1, 2]
    gaps = np.array([[0, 0.2], [-0.2, 0]])
    assert order_of([0.6, 0.4], gaps, complete=True, higher_is_better=False).order == [1, 0]
    assert order_of([0.6, 0.4], gaps, complete=False, higher_is_better=False).order == [1, 0]
    alone = np.array([[0, np.nan, np.nan], [np.nan, 0, 0.1], [np.nan, -0.1, 0]])
    found = order_of([0.99, 0.5, 0.4], alone, complete=False)
    assert (found.order, found.islands) == ([1, 2, 0], 2)
    assert np.isnan(found.value[0])
    assert order_of([0.3], np.zeros((1, 1)), complete=True).order == [0]
    assert order_of([], np.zeros((0, 0)), complete=True).islands == 0


def test_a_large_common_level_costs_no_digits():
    board = 1e12 + np.array([[0.5, 0.25], [0.25, 0.25], [0.5, 0.0]])
    assert shared_differences(board)[0][0, 1] == pytest.approx(0.25, abs=1e-4)


def test_chains_join_islands():
    board = np.full((3, 4), np.nan)
    board[0, [0, 1]] = board[1, [1, 2]] = board[2, [2, 3]] = 1.0
    differences, _ = shared_differences(board)
    assert order_of(np.ones(4), differences, complete=False).islands == 1


def test_refusals():
    with pytest.raises(OutscoreError, match=r"`differences` has shape \(2, 2\)"):
        order_of([1.0], np.zeros((2, 2)), complete=True)


def test_a_baseline_stands_where_the_differences_to_it_change_sign():
    differences = np.full((4, 4), np.nan)
    differences[:, 0], differences[0] = [0, 0.3, 0.2, -0.1], [0, -0.3, -0.2, 0.1]
    found = order_of([0.5, 0.9, 0.1, 0.8], differences, complete=False, reference=0)
    assert found.order == [1, 2, 0, 3]


def matrix(k, signs):
    better = np.zeros((k, k), dtype=bool)
    for (i, j), sign in zip(itertools.combinations(range(k), 2), signs, strict=True):
        better[i, j], better[j, i] = sign > 0, sign < 0
    return better


def largest_sets(better):
    """The naive twin: all sets of systems without a difference that no other such set contains."""
    k, differ = len(better), better | better.T
    alike = [
        set(chosen)
        for size in range(1, k + 1)
        for chosen in itertools.combinations(range(k), size)
        if not any(differ[i, j] for i, j in itertools.combinations(chosen, 2))
    ]
    return sorted(sorted(a) for a in alike if not any(a < b for b in alike))


@given(better=wins)
def test_against_brute_force(better):
    found = groups_of(better)
    assert found.members == largest_sets(better)
    assert found.note is None
    for i, j in itertools.combinations(range(len(better)), 2):
        shared = any(i in group and j in group for group in found.members)
        assert shared != (better[i, j] or better[j, i])


@given(better=wins)
def test_letters_say_what_groups_say(better):
    found = groups_of(better)
    if len(found.members) <= 26:
        assert [len(letters) for letters in found.letters] == [sum(i in g for g in found.members) for i in range(len(better))]
        for i, j in itertools.combinations(range(len(better)), 2):
            assert bool(set(found.letters[i]) & set(found.letters[j])) != bool(better[i, j] or better[j, i])


@given(better=wins)
def test_rank_intervals_hold_every_order_the_claims_allow(better):
    low, high = rank_intervals(better)
    k = len(better)
    assert (low >= 1).all()
    assert (high <= k).all()
    for order in itertools.islice(itertools.permutations(range(k)), 200):
        place = {system: rank for rank, system in enumerate(order, start=1)}
        if all(place[i] < place[j] for i, j in np.argwhere(better)):
            assert all(low[i] <= place[i] <= high[i] for i in range(k))


def test_all_alike_and_all_different():
    assert groups_of(np.zeros((4, 4))).letters == ["a"] * 4
    assert groups_of(np.triu(np.ones((4, 4)), 1)).letters == ["a", "b", "c", "d"]
    assert groups_of(np.zeros((1, 1))).members == [[0]]
    assert groups_of(np.zeros((0, 0))).members == []
    assert [x.tolist() for x in rank_intervals(np.triu(np.ones((3, 3)), 1))] == [[1, 2, 3], [1, 2, 3]]


def test_a_thousand_equal_systems_are_one_group():
    assert groups_of(np.zeros((1100, 1100))).members == [list(range(1100))]


def test_a_chain_of_neighbours():
    """Two hundred systems, each told apart from all but its nearest neighbours."""
    places = np.arange(200)
    better = places[:, None] + 3 < places[None, :]
    found = groups_of(better)
    assert found.members == [list(range(i, i + 4)) for i in range(197)]
    assert (found.letters[0], found.letters[3], found.letters[199]) == ("a", "a,b,c,d", "go")


def test_too_many_groups_get_a_sentence():
    # Twelve pairs of systems that differ within the pair only: 2^12 groups.
    better = np.zeros((24, 24), dtype=bool)
    for i in range(0, 24, 2):
        better[i, i + 1] = True
    found = groups_of(better)
    assert found.members == []
    assert found.letters == [""] * 24
    assert found.note.startswith("There are more than 200 groups")
    assert len(groups_of(better, most=5000).members) == 4096


def test_letters_go_on_after_z():
    assert [_letter(i) for i in (0, 25, 26, 27, 51, 52, 701, 702)] == ["a", "z", "aa", "ab", "az", "ba", "zz", "aaa"]


@pytest.mark.parametrize(
    ("better", "words"),
    [
        (np.zeros((2, 3)), "`better` has shape (2, 3)."),
        (np.ones((2, 2)) - np.eye(2), "`better` says that systems 1 and 2 beat each other."),
    ],
)
def test_refusals_of_groups(better, words):
    for function in (groups_of, rank_intervals):
        with pytest.raises(OutscoreError) as found:
            function(better)
        assert found.value.message == words


def longest_chain(better, i, seen=()):
    """How many systems a chain of significant wins down to system i has at most; None if one of them is in a circle."""
    if i in seen:
        return None
    above = [longest_chain(better, j, (*seen, i)) for j in np.flatnonzero(better[:, i])]
    return None if None in above else 1 + max(above, default=0)


@given(wins)
def test_tiers_are_the_longest_chains_of_wins(better):
    chains = [longest_chain(better, i) for i in range(len(better))]
    last = max((chain for chain in chains if chain is not None), default=0) + 1
    # Whoever is in a circle, or below one, is in the last tier.
    assert tiers_of(better).tolist() == [last if chain is None else chain for chain in chains]


@given(wins)
def test_nobody_loses_inside_a_tier_and_everybody_loses_to_the_one_above(better):
    tiers = tiers_of(better)
    last = int(tiers.max())
    for tier in range(1, last + 1):
        inside = np.flatnonzero(tiers == tier)
        circle = tier == last and better[np.ix_(inside, inside)].any()
        assert circle or not better[np.ix_(inside, inside)].any()
        if tier > 1 and not circle:
            assert better[np.ix_(tiers == tier - 1, inside)].any(axis=0).all()
    assert ((tiers == 1) == ~better.any(axis=0)).all() or last == 1
