"""Groups of systems against brute force, and rank intervals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.inference.leaderboard.groups import _letter, groups_of, rank_intervals

wins = st.integers(1, 8).flatmap(
    lambda k: st.lists(st.sampled_from([-1, 0, 1]), min_size=k * (k - 1) // 2, max_size=k * (k - 1) // 2).map(
        lambda signs: matrix(k, signs)
    )
)


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
def test_refusals(better, words):
    for function in (groups_of, rank_intervals):
        with pytest.raises(OutscoreError) as found:
            function(better)
        assert found.value.message == words
