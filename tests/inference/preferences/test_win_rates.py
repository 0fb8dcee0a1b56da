"""Win rates: p against every flip listed, intervals that agree with it, and what rows alone would say."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inference.preferences.battle_making import made, simulated

import outscore as osc
from outscore.inference.base.own_score import cluster_variance
from outscore.inference.preferences.agreement import (
    by_place,
    exchanged_p,
    halves_of,
    orders_of,
    seen_order,
    single_pair,
    swapped_verdicts,
)
from outscore.inference.preferences.tally import tally_of
from outscore.inference.preferences.win_rates import flip_p, independent_p, win_rates

SIGNS = {n: np.array(list(itertools.product((-1, 1), repeat=n))) for n in range(1, 11)}


def by_listing(d):
    """The share of all sign patterns with a sum at least as far from 0."""
    sums = np.abs(SIGNS[len(d)] @ np.abs(d))
    return float((sums >= abs(d.sum()) - 1e-9).mean())


@settings(max_examples=60)
@given(st.lists(st.integers(-6, 6), min_size=1, max_size=10))
def test_p_is_the_share_of_all_flips(d):
    assert flip_p(np.array(d)).value == pytest.approx(by_listing(np.array(d)), abs=1e-12)


@settings(max_examples=20)
@given(st.lists(st.integers(-4, 9), min_size=20, max_size=200))
def test_p_is_that_of_the_kernels(d):
    """However small: the sum adds positive numbers only."""
    d = np.array(d)
    assert flip_p(d).log10 == pytest.approx(osc.permutation_test(d, 0 * d).log10, rel=1e-9, abs=1e-9)


def test_p_of_shares_and_of_many_flips():
    rng = np.random.default_rng(1)
    shares = rng.random(9) - 0.4
    assert flip_p(shares).value == pytest.approx(by_listing(shares), rel=1e-9)
    many = rng.choice([-2, -1, 1, 2, 3], 1500)
    assert flip_p(many).log10 == pytest.approx(osc.permutation_test(many, 0 * many).log10, rel=1e-9)
    assert flip_p(np.zeros(4, dtype=int)).value == 1.0


def test_cells_hold_all_votes_of_a_prompt():
    rows = [("p", "x", "y", 1.0), ("p", "y", "x", 0.0), ("p", "x", "y", 0.5), ("q", "y", "x", 1.0), ("q", "x", "z", 1.0)]
    tally = tally_of(made(rows, weights=[3, 1, 1, 1, 2]))
    assert tally.left.tolist() == [0, 0]
    assert tally.d.tolist() == [4, -1, 2]
    assert tally.n.tolist() == [5, 1, 2]
    assert tally.tied.tolist() == [1, 0, 0]
    assert tally.n_first.tolist() == [4, 0, 2]
    assert (tally.wins.tolist(), tally.ties.tolist(), tally.losses.tolist()) == ([2, 1], [1, 0], [1, 0])
    assert tally.rate.tolist() == [pytest.approx(0.75), 1.0]


def test_battles_without_a_verdict_are_not_counted():
    tally = tally_of(made([("p", "x", "y", 1.0), ("q", "x", "y", np.nan)]))
    assert tally.n.tolist() == [1]
    assert tally.units == 1


def test_the_standard_error_is_that_of_clusters():
    battles = simulated(np.random.default_rng(2), [0.3, 0.0], 30)
    tally = tally_of(battles)
    found = win_rates(tally, 0.05)
    rate = float(found.rate[0])
    sums = (tally.d - (2 * rate - 1) * tally.n) / 2
    assert found.error[0] == pytest.approx(cluster_variance(sums, tally.n)[0] ** 0.5)
    left = np.where(battles.first == 0, battles.share, 1 - battles.share)
    assert found.rows_error[0] == pytest.approx(left.std(ddof=1) / len(left) ** 0.5)


def test_the_interval_holds_a_half_where_the_test_does_not_reject():
    rng = np.random.default_rng(3)
    for _ in range(200):
        tally = tally_of(simulated(rng, [rng.normal(), 0.0], int(rng.integers(2, 25)), votes=2))
        found, p = win_rates(tally, 0.05), flip_p(tally.d)
        _, low, high = found.kept(0, p, 0.05)
        assert (low <= 0.5 <= high) == (p.value > 0.05)
        assert low <= found.rate[0] <= high


def test_all_won_and_all_tied_have_room_on_the_open_side():
    won = win_rates(tally_of(made([(f"p{i}", "x", "y", 1.0) for i in range(20)])), 0.05)
    assert won.high[0] == pytest.approx(1.0)
    assert 0.8 < won.low[0] < 0.9
    tied = win_rates(tally_of(made([(f"p{i}", "x", "y", 0.5) for i in range(20)])), 0.05)
    assert tied.low[0] < 0.5 < tied.high[0]


def test_rows_alone():
    assert independent_p(np.array([26, 7]), np.array([13, 21])).round(7).tolist() == [0.0532519, 0.012541]


class TestPosition:
    def test_the_first_place_against_the_second(self):
        rows = [("p", "x", "y", 1.0), ("p", "y", "x", 1.0), ("q", "x", "y", 1.0), ("q", "y", "x", 0.0)]
        tally = by_place(made(rows))
        assert tally.d.tolist() == [2, 0]
        assert by_place(made(rows, shown=False)) is None

    def test_verdicts_that_change_with_the_order(self):
        rows = [("p", "x", "y", 1.0), ("p", "y", "x", 1.0), ("q", "x", "y", 1.0), ("q", "y", "x", 0.0), ("r", "x", "y", 0.5)]
        assert swapped_verdicts(made(rows))["flipped"] == 1
        assert swapped_verdicts(made(rows))["compared"] == 2
        # Another judge is no second look.
        judged = made(rows, judges=["a", "b", "a", "a", "a"])
        assert swapped_verdicts(judged)["compared"] == 1
        assert swapped_verdicts(made(rows, shown=False))["compared"] == 0


class TestOrders:
    def test_what_is_seen(self):
        both = [(f"p{i}", *pair, 1.0) for i in range(8) for pair in (("x", "y"), ("y", "x"))]
        single = [(f"p{i}", "x", "y", 1.0) for i in range(8)]
        mixed = [(f"p{i}", *(("x", "y") if i % 2 else ("y", "x")), 1.0) for i in range(8)]
        assert [seen_order(tally_of(made(rows))) for rows in (both, single, mixed)] == ["both", "single", "mixed"]
        assert seen_order(tally_of(made(single, shown=False))) == "unrecorded"
        # Two battles in one order may be chance.
        assert seen_order(tally_of(made(single[:2]))) == "mixed"
        assert orders_of(tally_of(made(both))).tolist() == [1]
        assert single_pair(tally_of(made(single))) == (0, 1)
        # A part that always shows the same one first is no better for battles whose order is not known.
        partly = replace(made([*single, *[(f"p{i}", "u", "v", 1.0) for i in range(8)]]), shown=np.arange(16) < 8)
        assert seen_order(tally_of(partly)) == "single"

    def test_missing_verdicts_leave_the_design_as_it_was(self):
        """Counted pair by pair and prompt by prompt."""
        rng = np.random.default_rng(4)
        for _ in range(40):
            rows = [
                (f"p{i}", *rng.permutation(["x", "y", "z"])[:2].tolist(), float(rng.integers(2)))
                for i in range(3)
                for _ in range(4)
            ]
            rows = [(*row[:3], np.nan if rng.random() < 0.2 else row[3]) for row in rows]
            uneven = lost = 0
            for cell in {(row[0], frozenset(row[1:3])) for row in rows}:
                own = [row for row in rows if (row[0], frozenset(row[1:3])) == cell]
                balance = [
                    sum(1 if row[1] < row[2] else -1 for row in own if kept(row))
                    for kept in (bool, lambda row: row[3] == row[3])
                ]
                uneven += balance[0] != 0
                lost += balance[0] == 0 and balance[1] != 0
            assert halves_of(made(rows)) == Counter(uneven=uneven, lost=lost)

    @settings(max_examples=40)
    @given(st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.booleans()), min_size=2, max_size=9))
    def test_exchanging_orders_lists_all_deals(self, drawn):
        y, first = np.array([a for a, _ in drawn]), np.array([b for _, b in drawn])
        if first.all() or not first.any():
            return
        k, mean = int(first.sum()), y.mean()
        gaps = [abs(y[list(some)].sum() - k * mean) for some in itertools.combinations(range(len(y)), k)]
        observed = abs(y[first].sum() - k * mean)
        wanted = np.mean([gap >= observed - 1e-9 for gap in gaps])
        assert exchanged_p(y, first, 0).value == pytest.approx(wanted, abs=1e-12)

    def test_shares_are_sampled(self):
        rng = np.random.default_rng(0)
        y, first = rng.random(12), np.arange(12) < 6
        found = exchanged_p(y, first, 0)
        deals = [abs(y[list(some)].mean() - y.mean()) for some in itertools.combinations(range(12), 6)]
        wanted = np.mean([gap >= abs(y[first].mean() - y.mean()) - 1e-12 for gap in deals])
        assert found.method == "monte-carlo"
        assert found.lower <= wanted <= found.upper
        assert exchanged_p(y, first, 0) == found


@pytest.mark.parametrize("shares", [[1.0], [1.0, 0.0], [1.0, 0.5], [1.0, 1.0, 0.0, 0.5]])
def test_the_error_of_rows_is_that_of_their_mean(shares):
    """As if every row were independent; a single row has none."""
    found = win_rates(tally_of(made([(f"p{i}", "x", "y", share) for i, share in enumerate(shares)])), 0.05)
    if len(shares) == 1:
        assert np.isnan(found.rows_error[0])
    else:
        assert found.rows_error[0] == pytest.approx(np.std(shares, ddof=1) / np.sqrt(len(shares)))
