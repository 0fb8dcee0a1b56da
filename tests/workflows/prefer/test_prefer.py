"""Battles from files to a verdict: the published numbers, the order, and what is said of extremes."""

from __future__ import annotations

import csv
import json
import math

import pandas as pd
import polars as pl
import pytest

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.battles.read import read_battles
from outscore.inference.preferences.tally import tally_of
from outscore.inference.preferences.win_rates import win_rates

HEAD = "prompt,model_a,model_b,winner\n"


@pytest.fixture
def write(tmp_path):
    """Write rows (prompt, a, b, winner) to a file and give its path."""

    def written(rows, name="votes.csv", head=HEAD):
        path = tmp_path / name
        path.write_text(head + "".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8")
        return path

    return written


def both(prompts, a, b, winner):
    """A prompt in both orders, `winner` of the pair each time."""
    return [(f"p{i}", *pair, winner(i)) for i in range(prompts) for pair in ((a, b), (b, a))]


@pytest.fixture(scope="module")
def arena_hard(shared_data):
    """The battles of Arena-Hard at a commit, analysed once."""
    found = {}

    def result(commit):
        if commit not in found:
            found[commit] = osc.prefer(shared_data / f"preferences/arena-hard/arena_hard_battles_{commit}.jsonl")
        return found[commit]

    return result


class TestReference:
    @pytest.mark.parametrize(
        ("commit", "model", "rate", "rows", "questions", "naive", "p"),
        [
            ("57a9881", "claude-3-5-sonnet-20240620", 0.908696, 0.013073, 0.024181, 5.739e-81, 3.697e-19),
            ("57a9881", "claude-3-opus-20240229", 0.822619, 0.018294, 0.032365, 7.210e-44, 4.202e-12),
            ("57a9881", "gpt-4o", 0.910256, 0.012950, 0.024503, 1.451e-82, 1.807e-18),
            ("74e8b6f", "claude-3-5-sonnet-20240620", 0.886949, 0.013420, 0.025698, None, None),
            ("74e8b6f", "claude-3-opus-20240229", 0.759728, 0.018516, 0.035235, None, None),
            ("74e8b6f", "gpt-4o", 0.868231, 0.014199, 0.028305, None, None),
            ("74e8b6f", "gpt-4o-mini", 0.800573, 0.017272, 0.032229, None, None),
        ],
    )
    def test_arena_hard_battles(self, arena_hard, commit, model, rate, rows, questions, naive, p):
        pair = next(one for one in arena_hard(commit).pairs if one.a == model and one.by == "games")
        assert pair.win_rate == pytest.approx(rate, abs=5e-7)
        n, g = pair.wins + pair.ties + pair.losses, pair.clusters
        # The reference divides by n and by G; here variances are unbiased, and clusters of unequal size corrected (CR2).
        assert pair.rows_standard_error == pytest.approx(rows * math.sqrt(n / (n - 1)), abs=2e-6)
        assert pair.standard_error == pytest.approx(questions * math.sqrt(g / (g - 1)), rel=2e-3)
        if p is not None:
            assert pair.p.value == pytest.approx(p, rel=5e-4)
            assert pair.independent_p == pytest.approx(naive, rel=5e-4)

    def test_arena_hard_games(self, shared_data):
        folder = shared_data / "preferences/arena-hard/arena-hard-v0.1/model_judgment"
        found = osc.prefer(folder / "gpt-4o")
        pair = found.pairs[0]
        assert (pair.a, found.order, found.clusters) == ("baseline", "both", 126)
        assert 1 - pair.win_rate == pytest.approx(0.430556, abs=5e-7)
        assert pair.p.value == pytest.approx(0.0709478, abs=5e-8)
        assert (found.position.first, found.position.second) == (137, 106)
        assert found.position.p.value == pytest.approx(0.00802078, abs=5e-9)
        assert (found.position.compared, found.position.flipped) == (126, 35)
        assert 1 - osc.prefer(folder / "gpt-4o", strength=3).pairs[0].win_rate == pytest.approx(0.376563, abs=5e-7)
        other = osc.prefer(folder / "claude-3.5-sonnet-v2", baseline="gpt-4-0314")
        assert (other.pairs[0].a, other.clusters) == ("gpt-4-0314", 27)
        assert 1 - other.pairs[0].win_rate == pytest.approx(0.222222, abs=5e-7)
        assert other.pairs[0].p.value == pytest.approx(0.00148964, abs=5e-9)

    def test_people(self, shared_data):
        path = shared_data / "preferences/llmfao/llmfao.csv"
        wanted = {
            ("Chronos Hermes (13B)", (26, 21, 13)): (0.0532519, 0.212891, 0.0656581),
            ("Dolly v2 (7B)", (7, 30, 21)): (0.012541, 0.0991211, 0.0622349),
        }
        for (name, counts), (naive, by_prompt, by_worker) in wanted.items():
            prompt = osc.prefer(path, systems=[name, "Weaver 12k"])
            worker = osc.prefer(path, systems=[name, "Weaver 12k"], cluster="worker")
            pair = prompt.pairs[0]
            assert (pair.wins, pair.ties, pair.losses) == (counts if pair.a == name else counts[::-1])
            assert pair.independent_p == pytest.approx(naive, abs=5e-8)
            assert pair.p.value == pytest.approx(by_prompt, abs=5e-7)
            assert worker.pairs[0].p.value == pytest.approx(by_worker, abs=5e-8)
            assert worker.unit == "worker"

    def test_alpaca_eval_equals_its_board(self, shared_data):
        folder = shared_data / "preferences/alpaca_eval"
        for board in folder.glob("*_leaderboard.csv"):
            with board.open() as lines:
                listed = list(csv.DictReader(lines))
            for row in listed:
                battles = read_battles([folder / "results" / row[""] / board.name.removesuffix("_leaderboard.csv")])
                assert battles.systems[1] == row[""]
                tally = tally_of(battles)
                found = win_rates(tally, 0.05)
                assert 100 * (1 - found.rate[0]) == pytest.approx(float(row["win_rate"]), abs=1e-8)
                assert 100 * found.error[0] == pytest.approx(float(row["standard_error"]), abs=1e-8)
                counts = [int(number[0]) for number in (tally.losses, tally.ties, tally.wins)]
                assert counts == [int(row[name]) for name in ("n_wins", "n_draws", "n_wins_base")]

    def test_one_line_of_the_board(self, shared_data):
        found = osc.prefer(shared_data / "preferences/alpaca_eval/results/gpt4/alpaca_eval_gpt4")
        pair = found.pairs[0]
        assert (pair.a, found.battles, found.order) == ("gpt4", 805, "unrecorded")
        assert 100 * pair.win_rate == pytest.approx(95.27950310559004, abs=1e-8)
        assert 100 * pair.standard_error == pytest.approx(0.716281440286153, abs=1e-8)
        assert pair.equal_length < pair.win_rate

    @pytest.mark.slow
    def test_two_systems_against_a_common_baseline(self, shared_data):
        results = shared_data / "preferences/alpaca_eval/results"
        weighted = [results / name / "weighted_alpaca_eval_gpt4_turbo" for name in ("claude", "claude-2", "gpt-3.5-turbo-0301")]
        found = osc.prefer(weighted)
        assert found.baseline == "gpt4_1106_preview"
        through = {(pair.a, pair.b): pair for pair in found.pairs if pair.by == "baseline"}
        near = through["claude-2", "claude"]
        assert near.difference == pytest.approx(0.00202897, abs=5e-9)
        assert (near.wins, near.losses) == (396, 383)
        assert near.p.value == pytest.approx(0.787, abs=0.003)
        assert near.p.method == "certified"
        assert near.p.lower <= near.p.value <= near.p.upper <= 1.006 * near.p.lower
        far = through["claude-2", "gpt-3.5-turbo-0301"]
        assert far.difference == pytest.approx(0.07565787, abs=5e-9)
        assert (far.wins, far.losses) == (608, 195)

    def test_the_exact_test_against_a_common_baseline(self, shared_data):
        results = shared_data / "preferences/alpaca_eval/results"
        found = osc.prefer([results / name / "alpaca_eval_gpt4" for name in ("gpt4", "claude-2")])
        pair = next(one for one in found.pairs if one.by == "baseline")
        assert (pair.a, pair.b, pair.clusters, pair.wins, pair.losses) == ("gpt4", "claude-2", 804, 56, 27)
        assert pair.difference == pytest.approx(0.0391791, abs=5e-8)
        assert pair.p.value == pytest.approx(0.000285235, abs=5e-10)
        assert found.undecided == 1


def test_judges_with_nothing_in_common_are_a_warning(write):
    met = (("strict", "new"), ("mild", "old"))
    rows = [(f"p{i}", system, "base", "model_a" if i % 3 else "model_b", judge) for judge, system in met for i in range(12)]
    path = write(rows, head="prompt,model_a,model_b,winner,judge\n")
    warnings = [note.text for note in osc.prefer(path, order="unrecorded").notes if note.kind == "warning"]
    assert any("`strict` and `mild` judged no battle in common" in text for text in warnings)
    alone = osc.prefer(path, judges=["strict"], order="unrecorded")
    assert not any("in common" in note.text for note in alone.notes)


class TestTwoSystems:
    def test_the_verdict(self, write):
        found = osc.prefer(write(both(12, "new", "old", lambda i: "new" if i else "tie")))
        assert found.headline == "new is preferred to old"
        assert found.pairs[0].p.value == 2.0**-10
        assert found.order == "both"
        assert "if votes were independent, p would be" in found.to_text()

    def test_votes_of_a_prompt_are_one(self, write):
        """Fifty equal votes on each of four prompts say no more than four."""
        rows = [(f"p{i}", *pair, "new") for i in range(4) for pair in (("new", "old"), ("old", "new")) for _ in range(25)]
        found = osc.prefer(write(rows))
        assert found.pairs[0].p.value == 0.125
        assert found.headline == "No preference"
        assert found.pairs[0].independent_p < 1e-50

    def test_both_orders_averaged(self, write):
        """The new one is shown first twice as often, and wins there only."""
        rows = [(f"p{i}", "new", "old", "new") for i in range(8)] + [(f"q{i}", "old", "new", "old") for i in range(4)]
        pair = osc.prefer(write(rows)).pairs[0]
        assert pair.win_rate == pytest.approx(8 / 12)
        assert pair.both_orders == 0.5

    def test_all_ties(self, write):
        found = osc.prefer(write(both(6, "new", "old", lambda _: "tie")))
        assert "all 12 battles between new and old are ties" in found.verdict
        assert found.pairs[0].p.value == 1.0
        assert found.pairs[0].low < 0.5 < found.pairs[0].high

    def test_one_prompt(self, write):
        found = osc.prefer(write([("p", *pair, "new") for pair in (("new", "old"), ("old", "new")) for _ in range(9)]))
        assert found.pairs[0].p.value == 1.0
        assert found.pairs[0].low is None
        assert any("nothing shows how other prompts would turn out" in note.text for note in found.notes)

    def test_never_lost(self, write):
        pair = osc.prefer(write(both(20, "new", "old", lambda _: "new"))).pairs[0]
        assert (pair.win_rate, pair.high) == (1.0, pytest.approx(1.0))
        assert 0.7 < pair.low < 0.9

    def test_tables_of_python(self):
        rows = both(12, "new", "old", lambda _: "new")
        table = pl.DataFrame(rows, schema=["prompt", "model_a", "model_b", "winner"], orient="row")
        assert osc.prefer(table).pairs[0].p.value == 2.0**-11
        other = pd.DataFrame(table.to_dict(as_series=False))
        assert osc.prefer(other).pairs == osc.prefer(table).pairs

    def test_several_judges(self, write):
        rows = [(*row, judge) for row in both(12, "new", "old", lambda i: "new" if i % 3 else "old") for judge in ("a", "b")]
        path = write(rows, head="prompt,model_a,model_b,winner,judge\n")
        found = osc.prefer(path)
        assert found.judges.alpha.value == 1.0
        assert [row.battles for row in found.judges.judges] == [24, 24]
        assert osc.prefer(path, judges="a").battles == 24
        with pytest.raises(OutscoreError, match="There is no judge `c`"):
            osc.prefer(path, judges=["c"])

    def test_length(self, write):
        rows = [
            (*row, 10 + i % 7, 10 + i % 5) for i, row in enumerate(both(30, "new", "old", lambda i: "new" if i % 3 else "old"))
        ]
        found = osc.prefer(write(rows, head="prompt,model_a,model_b,winner,length_a,length_b\n"))
        pair = found.pairs[0]
        assert found.length.battles == 60
        assert pair.equal_length_low < pair.equal_length < pair.equal_length_high


def test_two_systems_that_met_in_both_orders_can_be_saved(write, tmp_path):
    found = osc.prefer(write(both(30, "new", "old", lambda i: "new" if i % 5 else "old")))
    found.save(tmp_path / "votes.json")
    saved = json.loads((tmp_path / "votes.json").read_text(encoding="utf-8"))
    assert saved["strengths"][0]["low"] == found.strengths[0].low > 0


def test_without_prompts_battles_are_what_is_swapped(write):
    rows = [row[1:] for row in both(20, "new", "old", lambda i: "new" if i % 3 else "old")]
    found = osc.prefer(write(rows, head="model_a,model_b,winner\n"))
    assert found.unit == "battle"
    assert "of 40 battles (95% CI" in found.verdict
    assert "swapped battle by battle" in found.verdict
    for text in (found.verdict, found.sentence, str(found.signature)):
        assert "prompt" not in text
    assert "battles taken as independent" in found.to_text()
    three = osc.prefer(write([*rows, *[("old", "third", "old"), ("third", "old", "old")] * 9], head="model_a,model_b,winner\n"))
    assert "58 battles;" in three.reason
    assert "battles taken as independent" in three.sentence


class TestOrders:
    def test_one_system_always_first_is_refused(self, write):
        path = write([(f"p{i}", "new", "old", "new" if i % 4 else "old") for i in range(20)])
        with pytest.raises(OutscoreError, match="Every battle of `new` and `old` names `new` first") as refused:
            osc.prefer(path)
        assert refused.value.parameter == "order"
        assert osc.prefer(path, order="unrecorded").pairs[0].p.value == pytest.approx(0.04138947, abs=1e-8)
        fixed = osc.prefer(path, order="fixed")
        assert fixed.pairs[0].p is None
        assert "always shown first" in fixed.verdict

    def test_the_refusal_of_one_order_names_all_ways_out(self, write):
        with pytest.raises(OutscoreError) as refused:
            osc.prefer(write([(f"p{i}", "new", "old", "new") for i in range(20)]))
        for way in ("--order unrecorded", "--position COLUMN", "--order fixed"):
            assert way in refused.value.hint

    def test_one_chosen_order_is_told_in_whole_sentences(self, write):
        found = osc.prefer(write([(f"p{i}", "new", "old", "new" if i % 4 else "old") for i in range(20)]), order="fixed")
        assert "%). One of the two was always shown first" in found.verdict
        # What the first place is worth cannot be tested where it was chosen.
        assert found.position is None
        assert "exchanged between" not in found.to_text()
        unrecorded = osc.prefer(
            write([(f"p{i}", "new", "old", "new" if i % 4 else "old") for i in range(20)]), order="unrecorded"
        )
        assert unrecorded.position is None

    def test_missing_verdicts_do_not_make_a_lot_of_both_orders(self, write):
        rows = [
            (*row[:3], "" if i % 14 == 1 else row[3])
            for i, row in enumerate(both(20, "new", "old", lambda i: "new" if i % 3 else "old"))
        ]
        found = osc.prefer(write(rows))
        assert found.order == "both"
        assert dict(found.signature.parts)["order"] == "both"
        assert any("in 3 cases, verdicts of one are missing" in note.text for note in found.notes)
        assert not any("assumed to be random" in note.text for note in found.notes)
        # All verdicts of one order missing is one order.
        with pytest.raises(OutscoreError, match="names `new` first"):
            osc.prefer(
                write([(*row[:3], "" if i % 2 else row[3]) for i, row in enumerate(both(20, "new", "old", lambda _: "new"))])
            )

    def test_strong_verdicts_leave_both_orders_both(self, tmp_path):
        games = [{"score": "A>>B"}, {"score": "A=B"}]
        lines = [json.dumps({"question_id": f"q{i}", "model": "new", "judge": "j", "games": games}) for i in range(9)]
        (tmp_path / "new.jsonl").write_text("\n".join(lines))
        assert osc.prefer(tmp_path / "new.jsonl", strength=3, baseline="old").order == "both"

    def test_position_says_which_battles_it_is_about(self, write, tmp_path):
        folder = tmp_path / "mixed"
        folder.mkdir()
        (folder / "a.csv").write_text(write(both(20, "x", "y", lambda i: "x" if i % 3 else "y")).read_text())
        rows = [{"instruction": f"p{i}", "generator_1": "x", "generator_2": "z", "preference": 1 + i % 2} for i in range(30)]
        (folder / "b.json").write_text(json.dumps(rows))
        found = osc.prefer(folder)
        assert (found.order, found.battles, found.position.battles) == ("unrecorded", 70, 40)
        assert found.position.systems == ["x", "y"]
        text = " ".join(found.to_text().split())
        assert "in 40 of 70 battles, whose order is recorded: those of x and y" in text
        assert "order: recorded for 40 of 70 battles" in text
        assert "those of x and y" in found.to_html()

    def test_chosen_orders_are_exchanged_between_prompts(self, write):
        rows = [(f"p{i}", *(("new", "old") if i % 2 else ("old", "new")), "new" if i < 9 else "old") for i in range(10)]
        path = write(rows)
        swapped, exchanged = osc.prefer(path), osc.prefer(path, order="fixed")
        assert swapped.order == "random"
        assert any("assumed to be random" in note.text for note in swapped.notes)
        assert exchanged.pairs[0].p.kernel == "exchanged-orders"
        # y = 1 on four of five prompts with the new one first, -1 on all five others.
        assert exchanged.pairs[0].p.value == pytest.approx(12 / 252)

    def test_a_first_place_that_wins_is_no_better_system(self, write):
        """Whoever is shown first wins, and the new one is always so: exchanging orders is not fooled where both occur."""
        rows = [(f"p{i}", "new", "old", "new") for i in range(6)] + [(f"q{i}", "old", "new", "old") for i in range(6)]
        assert osc.prefer(write(rows), order="fixed").pairs[0].p.value == 1.0

    def test_what_the_files_do_not_say(self, write):
        path = write([{"a": 1}], "x.csv", "")
        path.write_text("item,human\n" + "".join(f"q{i},{1 + i % 3 // 2}\n" for i in range(12)))
        with pytest.raises(OutscoreError, match="do not say which answer was shown first"):
            osc.prefer(path, winner="human", names=("x", "y"), order="fixed")
        assert osc.prefer(path, winner="human", names=("x", "y")).order == "unrecorded"

    def test_fixed_serves_two_systems(self, write):
        rows = [(f"p{i}", *pair, "model_a") for i in range(9) for pair in (("x", "y"), ("y", "z"))]
        with pytest.raises(OutscoreError, match="--order fixed works for two systems"):
            osc.prefer(write(rows), order="fixed")


class TestManySystems:
    def round_robin(self, prompts=24):
        names = ("a", "b", "c", "d")
        rows = []
        for i in range(prompts):
            for x, one in enumerate(names):
                for y, other in enumerate(names[x + 1 :], x + 1):
                    upset = (i * 7 + 3 * x + 5 * y) % 9 < 3
                    rows += [(f"p{i}", *pair, other if upset else one) for pair in ((one, other), (other, one))]
        return rows

    def test_places_and_groups(self, write):
        found = osc.prefer(write(self.round_robin()), decide_by="games")
        assert found.systems == ["a", "b", "c", "d"]
        assert found.counts.pairs == found.counts.testable == found.family.m == 6
        assert {pair.by for pair in found.pairs} == {"games"}
        assert all(pair.p.adjusted >= pair.p.value for pair in found.pairs)
        assert found.strengths[0].rank_low == 1
        assert sum(one.log_odds for one in found.strengths) == pytest.approx(0, abs=1e-9)
        assert all(one.elo == pytest.approx(1000 + 400 / math.log(10) * one.log_odds) for one in found.strengths)
        assert all(one.low < one.log_odds < one.high for one in found.strengths)
        beats = {(pair.a, pair.b) for pair in found.pairs if pair.p.adjusted <= 0.05}
        for one in found.strengths:
            assert one.rank_low == 1 + sum(b == one.system for _, b in beats)
            assert one.rank_high == 4 - sum(a == one.system for a, _ in beats)

    def test_pairs_that_never_met_are_compared_through_the_model(self, write):
        rows = [row for row in self.round_robin() if {row[1], row[2]} != {"a", "d"}]
        found = osc.prefer(write(rows), decide_by="games")
        pair = next(one for one in found.pairs if {one.a, one.b} == {"a", "d"})
        assert (pair.by, pair.wins, pair.p.method) == ("model", 0, "asymptotic")
        gap = pair.log_odds
        assert pair.win_rate == pytest.approx(1 / (1 + math.exp(-gap)))
        assert found.pairs[-1] == pair

    def test_no_p_through_the_model_below_ten_prompts(self, write):
        rows = [row for row in self.round_robin(9) if {row[1], row[2]} != {"a", "d"}]
        found = osc.prefer(write(rows))
        assert not any({one.a, one.b} == {"a", "d"} for one in found.pairs)
        assert found.counts.testable == 5
        assert any("strengths are not tested" in note.text for note in found.notes)

    def test_a_chain_of_beatings(self, write):
        rows = []
        for one, two in (("x", "y"), ("y", "z"), ("z", "x")):
            rows += both(20, one, two, lambda i, one=one, two=two: one if i % 5 else two)
        found = osc.prefer(write(rows))
        assert found.headline == "No order"
        assert "x is preferred to y, y to z and z to x" in found.reason
        assert "x is preferred to y, y to z and z to x), so none ranks first" in found.sentence
        assert found.circles == [["x", "y", "z"]]
        assert found.counts.significant == 3
        assert [one.log_odds for one in found.strengths] == pytest.approx([0, 0, 0], abs=1e-9)
        assert [(one.rank_low, one.rank_high) for one in found.strengths] == [(1, 3)] * 3
        assert found.intransitivity.p is None or found.intransitivity.p < 0.01
        (warning,) = [note.text for note in found.notes if note.kind == "warning"]
        assert "x is preferred to y, y to z and z to x" in warning
        assert "less strength" not in warning
        # Every prompt gives each of the three what it takes away.
        assert {one.low for one in found.strengths} == {None}
        assert any("The strength of x, y, z has no interval" in note.text for note in found.notes)
        page = found.to_html()
        assert "preferences run in a circle" in page

    def test_a_circle_below_the_leader(self, write):
        """The leader stands, and the circle is a warning."""
        rows = []
        for one, two in (("x", "y"), ("y", "z"), ("z", "x")):
            rows += both(20, one, two, lambda i, one=one, two=two: one if i % 5 else two)
            rows += both(20, "top", one, lambda i, one=one: "top" if i % 7 else one)
        found = osc.prefer(write(rows))
        assert found.headline == "top leads"
        assert "top ranks first" in found.sentence
        assert found.circles == [["x", "y", "z"]]
        assert [(one.rank_low, one.rank_high) for one in found.strengths] == [(1, 1), (2, 4), (2, 4), (2, 4)]
        assert any("run in a circle" in note.text for note in found.notes if note.kind == "warning")

    def test_prompts_that_all_say_the_same_have_no_spread_to_test_by(self, write):
        rows = [row for one, two in (("x", "y"), ("y", "z"), ("z", "x")) for row in both(20, one, two, lambda _, one=one: one)]
        found = osc.prefer(write(rows)).intransitivity
        assert (found.statistic, found.p) == (None, None)
        assert "All prompts give the same verdicts" in found.note

    def test_never_lost(self, write):
        rows = both(20, "x", "y", lambda i: "x" if i % 2 else "y") + both(20, "z", "x", lambda _: "z")
        found = osc.prefer(write(rows))
        best = found.strengths[0]
        assert (best.system, best.log_odds, best.high) == ("z", None, None)
        assert best.low > 1
        assert any("z never lost to a system of finite strength" in note.text for note in found.notes)
        assert "at least" in found.to_text()

    def test_two_that_never_lost_to_the_rest_have_no_contrast(self, write):
        rows = (
            both(20, "x", "y", lambda i: "x" if i % 2 else "y")
            + both(20, "z", "x", lambda _: "z")
            + both(20, "u", "z", lambda _: "u")
        )
        found = osc.prefer(write(rows))
        pair = next(one for one in found.pairs if {one.a, one.b} == {"u", "z"})
        assert (pair.a, pair.log_odds) == ("u", None)
        assert found.systems == ["u", "z", "x", "y"]

    def test_two_sets_that_never_met(self, write):
        rows = both(20, "x", "y", lambda i: "x" if i % 3 else "y") + both(20, "u", "v", lambda i: "u" if i % 4 else "v")
        found = osc.prefer(write(rows))
        assert sorted(one.component for one in found.strengths) == [0, 0, 1, 1]
        assert any("fall into 2 sets that never met" in note.text for note in found.notes)
        assert found.counts.testable == 2
        assert found.headline == "No common order"
        assert found.sentence.endswith("the systems fall into 2 sets that never met, so none ranks first.")
        alone = osc.prefer(write([row for row in rows if "x" in row]), order="unrecorded").strengths
        ranks = {one.system: (one.rank_low, one.rank_high) for one in found.strengths}
        assert all(ranks[one.system] == (one.rank_low, one.rank_high) for one in alone)
        # Nothing can be said about systems of different sets together, so they share no letter.
        letters = {one.system: set(one.letters) for one in found.strengths}
        assert not (letters["x"] | letters["y"]) & (letters["u"] | letters["v"])
        assert all(len({name in "xy" for name in group}) == 1 for group in found.groups)
        assert [line.split()[0] for line in found.to_text().splitlines() if line[1:6].strip() in tuple("xyuv")] == [
            "1",
            "2",
        ] * 2
        assert "apply within a set" in found.to_text()

    def test_a_system_alone_with_a_finite_strength(self, write):
        found = osc.prefer(write(both(20, "x", "y", lambda i: "x" if i % 3 else "y") + both(20, "u", "v", lambda _: "u")))
        assert any("v: no other system of the set has a finite strength" in note.text for note in found.notes)

    def test_nothing_but_ties(self, write):
        found = osc.prefer(write(both(10, "x", "y", lambda _: "tie") + both(10, "y", "z", lambda _: "tie")))
        assert (found.headline, found.reason[:20]) == ("No winner", "all battles are ties")
        assert {pair.p.value for pair in found.pairs} == {1.0}

    def test_one_prompt_of_many_systems(self, write):
        rows = [("p", *pair, "x") for pair in (("x", "y"), ("y", "x"), ("x", "z"), ("z", "x"))] * 5
        found = osc.prefer(write(rows))
        assert found.headline == "No winner"
        assert {pair.p.value for pair in found.pairs} == {1.0}
        assert any("All battles are about one prompt" in note.text for note in found.notes)

    def test_davidson(self, write):
        rows = [(*row[:3], "tie" if i % 4 == 0 else row[3]) for i, row in enumerate(self.round_robin())]
        half, own = osc.prefer(write(rows)), osc.prefer(write(rows), ties="davidson")
        assert own.strengths[0].log_odds != pytest.approx(half.strengths[0].log_odds, abs=1e-3)
        assert own.pairs[0].win_rate == half.pairs[0].win_rate

    def test_shaffer_counts_all_pairs(self, write):
        found = osc.prefer(write(self.round_robin()), correction="shaffer")
        holm = osc.prefer(write(self.round_robin()))
        for one, other in zip(found.pairs, holm.pairs, strict=True):
            assert one.p.adjusted <= other.p.adjusted

    def test_it_is_the_same_after_saving(self, write, tmp_path):
        found = osc.prefer(write(self.round_robin()))
        assert osc.load(found.save(tmp_path / "x.json")) == found
        saved = json.loads((tmp_path / "x.json").read_text())
        assert saved["schema"] == "outscore/preference/1"
        assert {"a", "b", "wins", "ties", "losses", "win_rate", "low", "high", "p", "clusters"} <= set(saved["pairs"][0])
        assert {"system", "log_odds", "elo", "low", "high", "rank_low", "rank_high"} <= set(saved["strengths"][0])
        assert {"first", "second", "p"} <= set(saved["position"])
        assert saved["pairs"][0]["p"]["value"] == found.pairs[0].p.value
        assert found.to_frame("strengths")["system"].to_list() == found.systems


class TestCategories:
    HEAD = "prompt,model_a,model_b,winner,category\n"

    def test_two_systems_are_tested_in_each(self, write):
        """A row is what its category alone would give, and p is corrected for their number."""
        rows = [(*row, "maths" if int(row[0][1:]) % 2 else "prose") for row in both(24, "new", "old", self.winner)]
        found = osc.prefer(write(rows, head=self.HEAD))
        assert [row.category for row in found.categories.rows] == ["prose", "maths"]
        for row in found.categories.rows:
            alone = osc.prefer(write([one for one in rows if one[4] == row.category], "one.csv", self.HEAD))
            pair = alone.pairs[0]
            assert alone.categories is None
            assert (row.system, row.wins, row.ties, row.losses) == (pair.a, pair.wins, pair.ties, pair.losses)
            assert (row.win_rate, row.low, row.high, row.clusters) == (pair.win_rate, pair.low, pair.high, pair.clusters)
            assert row.p.value == pair.p.value
        small, large = sorted(row.p.value for row in found.categories.rows)
        assert sorted(row.p.adjusted for row in found.categories.rows) == [2 * small, max(2 * small, large)]
        assert (found.categories.family.correction, found.categories.family.m) == ("holm", 2)

    @staticmethod
    def winner(i):
        return "new" if i % 2 == 0 or i < 17 else "old"

    def test_many_systems_meet_all_others(self, write):
        """A system's wins less losses on a prompt change sign together: counted by hand over all flips."""
        rows = []
        for i in range(8):
            for a, b in (("x", "y"), ("y", "z"), ("z", "x")):
                rows += [(f"p{i}", a, b, min(a, b), "k"), (f"p{i}", b, a, "tie" if i > 5 else min(a, b), "k")]
        rows += [("q", "x", "y", "x", "other"), ("q", "y", "x", "x", "other")]
        found = osc.prefer(write(rows, head=self.HEAD))
        listed = {(row.category, row.system): row for row in found.categories.rows}
        assert set(listed) == {("k", "x"), ("k", "y"), ("k", "z"), ("other", "x"), ("other", "y")}
        first = listed["k", "x"]
        assert (first.wins, first.ties, first.losses, first.clusters) == (28, 4, 0, 8)
        assert first.p.value == 2 / 2**8
        assert listed["k", "y"].p.value == 1.0
        assert listed["other", "x"].p.value == 1.0
        assert found.categories.family.m == 5
        assert listed["k", "x"].elo > 1300
        assert listed["other", "x"].elo is None
        assert found.to_frame("categories").height == 5
        assert "Categories" in found.to_text()

    def test_too_many_are_not_looked_at(self, write):
        rows = [(*row, row[0]) for row in both(51, "new", "old", lambda i: "new" if i % 3 else "old")]
        found = osc.prefer(write(rows, head=self.HEAD))
        assert found.categories is None
        assert any("more than 50 categories" in note.text for note in found.notes)
        assert osc.prefer(write(rows, head=self.HEAD), category="none").notes == []

    def test_it_is_the_same_after_saving(self, write, tmp_path):
        rows = [(*row, row[0][-1]) for row in both(12, "new", "old", lambda i: "new" if i % 3 else "old")]
        found = osc.prefer(write(rows, head=self.HEAD))
        assert osc.load(found.save(tmp_path / "found.json")) == found


class TestJudges:
    HEAD = "prompt,model_a,model_b,winner,judge\n"

    def test_the_places_of_repeated_votes_do_not_matter(self, write):
        """Two judges who contradict themselves on every item: half of all their votes agree, however the rows stand."""
        rows = [
            (*row[:3], winner, judge)
            for row in both(10, "new", "old", lambda _: "new")
            for judge in ("a", "b")
            for winner in ("new", "old")
        ]
        other = [rows[i ^ 1] if rows[i][4] == "b" else rows[i] for i in range(len(rows))]
        for given in (rows, other):
            found = osc.prefer(write(given, head=self.HEAD))
            pair = found.judges.pairs[0]
            assert (pair.items, pair.agreement, pair.kappa, found.judges.alpha.items) == (20, 0.5, 0.0, 20)
            assert 0 < pair.low < 0.5 < pair.high < 1
            text = " ".join(found.to_text().split())
            assert "several verdicts of one judge on an item count as one, in proportion." in text
            assert "kappa has no interval, because leaving out single prompts does not show" in text
            assert [row.repeated for row in found.judges.judges] == [20, 20]

    def test_the_places_of_votes_in_both_orders_do_not_matter(self, write):
        rows = [
            row
            for i in range(12)
            for row in ((f"p{i}", "new", "old", "new"), (f"p{i}", "new", "old", "tie"), (f"p{i}", "old", "new", "new"))
        ]
        for given in (rows, rows[::-1]):
            found = osc.prefer(write(given))
            assert (found.position.compared, found.position.flipped, found.position.questions) == (24, 12, 12)
            assert found.position.flipped_rate == 0.5
            assert "12 of 24 pairs of verdicts" in " ".join(found.to_text().split())

    def test_alpha_leaves_missing_verdicts_out(self, write):
        human, gpt = "BAAABBBAAABTABBATBAA", "A  ABTABT AABB AABTB"
        rows = list(zip(range(20), human, gpt.replace(" ", "-"), strict=True))
        path = write(
            [[one.replace("T", "tie") if isinstance(one, str) else one for one in row] for row in rows], head="item,human,gpt\n"
        )
        path.write_text(path.read_text().replace("-", ""))
        found = osc.prefer(path, winner=["human", "gpt"], names=["A", "B"])
        given = [(a, b) for a, b in zip(human, gpt, strict=True) if b != " "]
        every = [verdict for two in given for verdict in two]
        observed = sum(a != b for a, b in given) / len(given)
        expected = sum(a != b for i, a in enumerate(every) for j, b in enumerate(every) if i != j) / (32 * 31)
        assert found.judges.alpha.items == 16
        assert found.judges.alpha.value == pytest.approx(1 - observed / expected)
        assert found.judges.pairs[0].items == 20
        assert 0 <= found.judges.pairs[0].low < found.judges.pairs[0].high <= 1
        assert "a missing verdict counts as a disagreement with a given one" in " ".join(found.to_text().split())

    def test_verdicts_that_are_all_the_same_leave_kappa_and_alpha_undefined(self, write):
        rows = [(*row, judge) for row in both(10, "new", "old", lambda _: "new") for judge in ("a", "b")]
        found = osc.prefer(write(rows, head=self.HEAD))
        assert (found.judges.pairs[0].kappa, found.judges.alpha.value) == (None, None)
        assert 0.5 < found.judges.pairs[0].low < found.judges.pairs[0].high == 1.0
        text = " ".join(found.to_text().split())
        assert "unbounded" not in text
        assert "kappa undefined (all verdicts are the same)" in text
        assert "Krippendorff's alpha undefined (all verdicts are the same), on 20 items" in text


class TestLabels:
    @pytest.mark.parametrize(("better", "worse"), [("new", "old"), ("old", "new")])
    @pytest.mark.parametrize(("first", "second"), [("new", "old"), ("old", "new")])
    def test_a_label_is_compared_with_the_verdict_in_its_order(self, write, first, second, better, worse):
        """Labels that are the judge's own rows, some prompts in one order: it agrees with itself and is not off."""
        rows = [
            (f"p{i}", *pair, "tie" if (i + turn) % 3 == 0 else (better, worse)[(i * i + turn * i) % 4 == 1])
            for i in range(60)
            for turn, pair in enumerate(((first, second), (second, first)))
        ]
        battles = write(rows)
        labels = [row for i, row in enumerate(rows) if i % 7 in (0, 2, 3, 4)]
        found = osc.prefer(battles, labels=write(labels, "people.csv"))
        assert (found.labels.agreement, found.labels.kappa) == (1.0, 1.0)
        assert found.labels.bias == pytest.approx(0.0, abs=1e-15)
        assert any("in the order that people saw" in note.text for note in found.notes)
        # Orders that are said to be unknown tell nothing: the judge's mean of both.
        unknown = osc.prefer(battles, labels=write(labels, "people.csv"), order="unrecorded")
        assert unknown.labels.agreement < 1
        assert unknown.labels.win_rate == found.labels.win_rate

    def files(self, write, labelled=30, wrong=5):
        """A judge on 120 prompts that is wrong on every fifth, people on some."""
        truth = ["new" if i % 3 else "old" for i in range(120)]
        judge = [truth[i] if i % wrong else ("old" if truth[i] == "new" else "new") for i in range(120)]
        battles = write(
            [row for i in range(120) for row in ((f"p{i}", "new", "old", judge[i]), (f"p{i}", "old", "new", judge[i]))]
        )
        people = write([(f"p{i}", "new", "old", truth[i]) for i in range(0, 120, 120 // labelled)], "people.csv")
        return battles, people

    def test_people_on_some_prompts(self, write):
        battles, people = self.files(write)
        found = osc.prefer(battles, labels=people).labels
        assert (found.labelled, found.unlabelled) == (30, 90)
        assert 0 < found.weight <= 1
        assert found.high - found.low < found.people_high - found.people_low
        assert found.effective > 30
        assert found.low < 2 / 3 < found.high

    def test_the_answer_is_about_people(self, write):
        """The judge prefers the old one; people prefer the new one, and they are asked about."""
        judge = write(both(60, "new", "old", lambda i: "old" if i % 6 else "new"))
        people = write(
            [
                row
                for i in range(0, 60, 2)
                for row in both(60, "new", "old", lambda i: "new" if i % 7 else "old")[2 * i : 2 * i + 2]
            ],
            "p.csv",
        )
        alone, found = osc.prefer(judge), osc.prefer(judge, labels=people)
        assert alone.headline == "old is preferred to new"
        assert found.headline == "new is preferred to old by people"
        assert "By the judge alone, old wins 83.3% of 120 battles" in found.reason
        assert found.sentence.startswith("By people, new would win ")
        assert "is significant at the .05 level" in found.sentence
        assert {"people", "people-test", "labels", "weight"} <= set(dict(found.signature.parts))
        assert found.verdict.startswith(found.headline)
        assert "by people" in repr(found)
        # The page begins with the verdict by people, and draws their win rate beside the judge's.
        page = found.to_html()
        assert 0 < page.index("new is preferred to old by people") < page.index("people, by labels")
        unsure = osc.prefer(judge, labels=write(both(12, "new", "old", lambda i: "new" if i % 2 else "old"), "u.csv"))
        assert unsure.headline == "No preference by people"
        assert "not significant" in unsure.sentence

    def test_without_weight_it_is_what_people_alone_say(self, write):
        judge = write(both(60, "new", "old", lambda i: "new" if i % 2 else "old"))
        people = write(both(12, "new", "old", lambda i: "new" if i < 10 else "old"), "people.csv")
        alone, found = osc.prefer(people).pairs[0], osc.prefer(judge, labels=people).labels
        assert found.weight == 0
        assert (found.win_rate, found.low, found.high) == pytest.approx((alone.win_rate, 0.5519691, 0.9530349), abs=1e-6)
        assert found.p.value == alone.p.value == 158 / 4096
        assert found.effective == found.labelled == 12

    def test_people_who_always_saw_the_same_first_are_warned_of(self, write):
        battles, people = self.files(write)
        warned = [note.text for note in osc.prefer(battles, labels=people).notes if note.kind == "warning"]
        assert any("All verdicts of people name `new` first" in text for text in warned)

    def test_a_judge_among_the_battles_may_be_people(self, write):
        battles, people = self.files(write)
        rows = [line.split(",") for line in battles.read_text().splitlines()[1:]]
        human = [line.split(",") for line in people.read_text().splitlines()[1:]]
        path = write([(*row, "gpt") for row in rows] + [(*row, "ann") for row in human], "all.csv", HEAD.strip() + ",judge\n")
        assert osc.prefer(path, people="ann").labels.win_rate == osc.prefer(battles, labels=people).labels.win_rate
        with pytest.raises(OutscoreError, match="There is no judge `bob`"):
            osc.prefer(path, people="bob")

    def test_prompts_that_differ_are_warned_of(self, write):
        battles, _ = self.files(write)
        biased = write([(f"p{i}", "new", "old", "new") for i in range(120) if i % 3 and i % 5][:40], "people.csv")
        found = osc.prefer(battles, labels=biased)
        assert found.labels.audit_p < 0.01
        assert any("not a random sample" in note.text for note in found.notes)

    def test_what_cannot_be_used(self, write):
        battles, _ = self.files(write)
        few = write([(f"p{i}", "new", "old", "new") for i in range(3)], "few.csv")
        with pytest.raises(OutscoreError, match="People and the judge share 3 prompts"):
            osc.prefer(battles, labels=few)
        other = write([(f"p{i}", "new", "else", "new") for i in range(9)], "other.csv")
        with pytest.raises(OutscoreError, match="People judged `else` and `new`"):
            osc.prefer(battles, labels=other)
        with pytest.raises(OutscoreError, match="`battles` contains something that is not a path"):
            osc.prefer(5, labels=few)
        with pytest.raises(OutscoreError, match="`labels` is neither a path nor a table"):
            osc.prefer(battles, labels=5)

    def test_people_without_a_verdict_are_refused(self, write):
        battles, _ = self.files(write)
        with pytest.raises(OutscoreError, match="None of people's verdicts are left"):
            osc.prefer(battles, labels=write([(f"p{i}", "new", "old", "") for i in range(9)], "none.csv"))
        rows = [(*row, "gpt") for row in both(9, "new", "old", lambda _: "new")]
        path = write([*rows, ("p1", "new", "old", "", "ann")], "all.csv", HEAD.strip() + ",judge\n")
        with pytest.raises(OutscoreError, match="None of people's verdicts are left"):
            osc.prefer(path, people="ann")

    def test_a_table_serves_as_a_file_does(self, write):
        battles, people = self.files(write)
        by_file, by_table = (osc.prefer(battles, labels=given).labels for given in (people, pl.read_csv(people)))
        assert by_table == by_file

    def test_systems_that_were_asked_for_are_chosen_on_both_sides(self, write):
        battles, people = self.files(write)
        more = people.read_text() + "".join(f"p{i},new,third,new\n" for i in range(9))
        both = write([line.split(",") for line in more.splitlines()[1:]], "more.csv")
        expected = osc.prefer(battles, labels=people).labels.win_rate
        assert osc.prefer(battles, labels=both, systems=["new", "old"]).labels.win_rate == expected

    def test_people_who_agree_are_certain_of_nothing(self, write, tmp_path):
        battles, _ = self.files(write)
        found = osc.prefer(battles, labels=write([(f"p{i}", "new", "old", "new") for i in range(12)], "one.csv"))
        assert found.labels.low < 1
        assert math.isfinite(found.labels.p.log10)
        assert osc.load(found.save(tmp_path / "one.json")) == found


class TestRefusals:
    def test_formats_with_columns_of_their_own(self, tmp_path):
        games = [{"score": "A>B"}, {"score": "B>A"}]
        path = tmp_path / "model.jsonl"
        lines = [json.dumps({"question_id": f"q{i}", "model": "new", "judge": "j", "games": games}) for i in range(6)]
        path.write_text("\n".join(lines))
        for given in ({"cluster": "question_id"}, {"winner": "games"}, {"prompt": "question_id"}):
            with pytest.raises(OutscoreError, match=f"--{next(iter(given))} names a column, but .* is a file of Arena-Hard"):
                osc.prefer(path, **given)
        assert osc.prefer(path, baseline="old").systems == ["old", "new"]

    def test_a_table_is_read_as_a_file_is(self, write):
        """Battles of a system with itself are left out, and repeated ones told."""
        path = write(
            [*both(6, "new", "old", lambda i: "new" if i else "old"), ("p9", "new", "new", "tie"), ("p1", "new", "old", "new")]
        )
        by_file, by_table = osc.prefer(path), osc.prefer(pl.read_csv(path))
        assert by_table.notes == by_file.notes
        said = {note.kind: note.text for note in by_file.notes}
        assert said["reading"] == "1 battle of a system with itself was left out."
        assert said["input"].startswith("1 ")
        assert by_table.battles == by_file.battles == 13

    def test_one_sentence_each(self, write):
        path = write(both(9, "new", "old", lambda _: "new"))
        for given, said in (
            ({"systems": ["new", "odl"]}, "There is no system `odl`"),
            ({"systems": ["new"]}, "--system names only one system"),
            ({"judges": ["x"]}, "The battles do not name a judge"),
            ({"alpha": 2}, "`alpha` is 2"),
            ({"people": "x"}, "There is no judge `x`"),
            ({"baseline": "old"}, "--baseline is for judgments of Arena-Hard"),
            ({"strength": 3}, "--strength is for judgments of Arena-Hard"),
            ({"names": ("x", "y")}, "--names is given, but .* names its systems in `model_a` and `model_b`"),
        ):
            with pytest.raises(OutscoreError, match=said):
                osc.prefer(path, **given)
            with pytest.raises(OutscoreError, match=said.replace(" .* ", ".*")):
                osc.prefer(pl.read_csv(path), **given)
        with pytest.raises(OutscoreError, match="No battle has a verdict"):
            osc.prefer(write([("p", "x", "y", "error")]))
        with pytest.raises(OutscoreError, match="something that is not a path"):
            osc.prefer([3])
        with pytest.raises(OutscoreError, match="list of dictionaries") as refused:
            osc.prefer([{"prompt": "p", "model_a": "x", "model_b": "y", "winner": "x"}])
        assert "DataFrame" in refused.value.hint
