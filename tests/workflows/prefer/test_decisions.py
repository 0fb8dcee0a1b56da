"""What decides who is ahead: strengths over all battles, unless a circle or the request says otherwise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import outscore as osc
from outscore.core.errors import OutscoreError

HEAD = ["prompt", "model_a", "model_b", "winner"]


def table(rows):
    return pd.DataFrame(rows, columns=HEAD)


def ladder(seed, systems=8, prompts=60, votes=10, gap=0.35):
    """Battles of random pairs, each system stronger than the next."""
    rng = np.random.default_rng(seed)
    rows = []
    for prompt in range(prompts):
        for _ in range(votes):
            i, j = rng.choice(systems, 2, replace=False)
            won = rng.random() < 1 / (1 + np.exp(-gap * (j - i)))
            rows.append((f"p{prompt}", f"s{i}", f"s{j}", f"s{i if won else j}"))
    return rows


def played(rates, times, seed=0):
    """Battles of pairs with these rates of the first one, each so many times on its own prompts."""
    rng = np.random.default_rng(seed)
    return [
        (f"p{pair}-{k}", *((a, b) if k % 2 else (b, a)), a if rng.random() < rate else b)
        for pair, ((a, b), rate) in enumerate(rates.items())
        for k in range(times[pair])
    ]


class TestStrengths:
    def test_they_find_what_direct_games_cannot(self):
        rows = ladder(1)
        auto, games = osc.prefer(table(rows)), osc.prefer(table(rows), decide_by="games")
        assert (auto.decided_by, games.decided_by) == ("strengths", "games")
        assert auto.counts.significant > games.counts.significant + 5
        assert auto.strengths[0].rank_high < games.strengths[0].rank_high
        # Both tests of a pair are there, whichever of them decides.
        of_games = {frozenset((pair.a, pair.b)): pair for pair in games.pairs}
        for pair in auto.pairs:
            other = of_games[frozenset((pair.a, pair.b))]
            assert pair.p.value == other.p.value
            assert pair.p.adjusted == other.p.adjusted
            assert pair.strength_p.value == other.strength_p.value
            assert pair.strength_p.adjusted == pytest.approx(other.strength_p.adjusted)
            assert pair.is_significant(0.05) == (pair.strength_p.adjusted <= 0.05)
            assert other.is_significant(0.05) == (other.p.adjusted <= 0.05)
            assert pair.log_odds_low <= pair.log_odds <= pair.log_odds_high
            # The interval and the test are the same statement.
            assert (pair.log_odds_low > 0) == (pair.strength_p.value < 0.05)

    def test_what_is_claimed_is_said(self):
        rows = ladder(1)
        auto, games = osc.prefer(table(rows)), osc.prefer(table(rows), decide_by="games")
        assert "significantly stronger in this mix of battles than" in auto.reason
        assert "significantly preferred to" in games.reason
        assert "in direct games" in games.reason
        assert "differ significantly in strength (Bradley-Terry, clustered by prompt" in auto.sentence
        assert "in strength" not in games.sentence
        assert dict(auto.signature.parts)["test"] == "strengths asymptotic"
        text = " ".join(auto.to_text().split())
        assert "ranks, groups and headline: by strengths in this mix of battles" in text
        assert "stronger than" in text
        assert "games p" in text
        wide = games.to_text(verbose=True)
        assert "strengths p" in wide

    def test_ranks_and_pairs_agree(self):
        found = osc.prefer(table(ladder(3)))
        beats = {(pair.a, pair.b) for pair in found.pairs if pair.is_significant(0.05)}
        assert len(beats) == found.counts.significant
        for one in found.strengths:
            assert one.rank_low == 1 + sum(b == one.system for _, b in beats)
            assert one.rank_high == 8 - sum(a == one.system for a, _ in beats)
        places = [found.systems.index(pair.a) for pair in found.pairs]
        assert places == sorted(places)

    def test_it_is_the_same_after_saving(self, tmp_path):
        found = osc.prefer(table(ladder(2, systems=4)))
        assert osc.load(found.save(tmp_path / "x.json")) == found
        assert {"strength_p", "strength_p_adjusted", "decided_by_strength", "log_odds_low"} <= set(found.to_frame().columns)

    def test_battles_of_the_field(self, shared_data):
        """Twelve systems that all differ: 29 of 66 pairs by direct games, 54 by strengths."""
        path = shared_data / "repro/battles/d6.csv"
        auto, games = osc.prefer(path), osc.prefer(path, decide_by="games")
        assert (auto.counts.significant, games.counts.significant) == (54, 29)
        assert (auto.strengths[0].rank_low, auto.strengths[0].rank_high) == (1, 2)


class TestGames:
    def test_they_decide_where_the_test_against_circles_rejects(self):
        rates = {("x", "y"): 0.75, ("y", "z"): 0.75, ("z", "x"): 0.75, ("x", "w"): 0.8, ("y", "w"): 0.8, ("z", "w"): 0.8}
        rows = [(row[0].split("-")[1], *row[1:]) for row in played(rates, [60] * 6)]
        found = osc.prefer(table(rows))
        assert found.intransitivity.p <= 0.05
        assert found.decided_by == "games"
        (note,) = [note.text for note in found.notes if note.text.startswith("One strength per system does not explain")]
        assert note.endswith("so ranks, groups and the headline follow from direct games, not from strengths.")
        asked = osc.prefer(table(rows), decide_by="strengths")
        assert asked.decided_by == "strengths"
        assert any("because --decide-by asks for it" in note.text for note in asked.notes if note.kind == "warning")

    def test_a_baseline_leaves_the_exact_tests(self):
        rows = [
            (f"p{i}", *pair, one if (i + k) % 4 else "base")
            for k, one in enumerate(("u", "v", "w"))
            for i in range(24)
            for pair in ((one, "base"), ("base", one))
        ]
        found = osc.prefer(table(rows))
        assert found.decided_by == "games"
        assert {pair.by for pair in found.pairs} == {"games", "baseline"}
        asked = osc.prefer(table(rows), decide_by="strengths")
        assert asked.decided_by == "strengths"
        assert all(pair.decided_by_strength for pair in asked.pairs)

    def test_systems_without_a_finite_strength_have_their_games(self):
        rows = ladder(1, systems=4) + [(f"p{i}", *two, "best") for i in range(20) for two in (("best", "s0"), ("s1", "best"))]
        found = osc.prefer(table(rows))
        assert found.systems[0] == "best"
        own = [pair for pair in found.pairs if "best" in (pair.a, pair.b)]
        assert {(pair.b, pair.decided_by_strength) for pair in own} == {("s0", False), ("s1", False)}
        assert "in direct games" in found.reason

    def test_two_systems_are_told_to_leave_it_out(self):
        rows = [(f"p{i}", *pair, "new") for i in range(9) for pair in (("new", "old"), ("old", "new"))]
        assert osc.prefer(table(rows), decide_by="games").pairs == osc.prefer(table(rows)).pairs
        with pytest.raises(OutscoreError, match="--decide-by strengths needs three systems"):
            osc.prefer(table(rows), decide_by="strengths")
        with pytest.raises(OutscoreError, match="There is no decide-by `strenghts`"):
            osc.prefer(table(rows), decide_by="strenghts")


class TestMix:
    def test_strengths_of_a_circle_depend_on_how_often_pairs_met(self):
        """A circle has no strongest system; played six, three and one times as often, it seems to have one."""
        found = osc.prefer(
            table(played({("x", "y"): 0.62, ("y", "z"): 0.62, ("z", "x"): 0.62}, [600, 300, 100])), decide_by="strengths"
        )
        strengths = {one.system: one for one in found.strengths}
        assert any(pair.is_significant(0.05) for pair in found.pairs)
        spread = max(one.log_odds for one in found.strengths) - min(one.log_odds for one in found.strengths)
        equal = [one.equal_pairs for one in strengths.values()]
        assert max(equal) - min(equal) < spread
        assert sum(equal) == pytest.approx(0, abs=1e-9)

    def test_places_that_would_change_are_named(self):
        rows = played({("x", "y"): 0.55, ("y", "z"): 0.75, ("z", "x"): 0.6}, [400, 60, 60], seed=3)
        found = osc.prefer(table(rows), decide_by="strengths")
        own = sorted(found.strengths, key=lambda one: -one.equal_pairs)
        assert [one.system for one in own] != found.systems
        assert any("counted alike, however often it met, places by strength would change" in note.text for note in found.notes)

    def test_nothing_is_said_where_the_order_stays(self):
        found = osc.prefer(table(ladder(1, systems=3, gap=0.8)))
        assert not any("counted alike" in note.text for note in found.notes)
        assert all(one.equal_pairs is not None for one in found.strengths)
