"""What is said of battles that are out of the ordinary: equal leaders, weights, blank prompts, and one order."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app

HEAD = ["prompt", "model_a", "model_b", "winner"]


def table(rows, head=HEAD):
    return pd.DataFrame(rows, columns=head)


def both(prompts, a, b, winner):
    """A prompt in both orders."""
    return [(f"p{i}", *pair, winner) for i in range(prompts) for pair in ((a, b), (b, a))]


def page_of(found, tmp_path):
    found.save(tmp_path / "x.html")
    return (tmp_path / "x.html").read_text(encoding="utf-8")


def texts(found, kind=None):
    return [note.text for note in found.notes if kind in (None, note.kind)]


class TestTogether:
    @pytest.mark.parametrize(("one", "other"), [("k", "m"), ("m", "k")])
    def test_two_that_tie_and_beat_the_rest_lead_together(self, one, other, tmp_path):
        rows = [*both(12, one, other, "tie"), *both(12, one, "n", one), *both(12, other, "n", other)]
        found = osc.prefer(table(rows))
        assert found.headline == f"{one} and {other} lead together"
        assert found.reason.startswith("they are equally strong, and each is significantly preferred to n in direct games (")
        found.save(tmp_path / "x.json")
        assert json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))["headline"] == found.headline
        assert f"{one} leads" not in page_of(found, tmp_path)
        assert f"{one} and {other} share first place" in found.sentence

    def test_so_do_two_without_a_finite_strength(self):
        rows = [*both(12, "k", "m", "tie"), *both(12, "x", "y", "tie"), *both(12, "x", "z", "tie"), *both(12, "y", "z", "tie")]
        rows += [row for top in "km" for low in "xyz" for row in both(12, top, low, top)]
        found = osc.prefer(table(rows))
        assert [one.log_odds for one in found.strengths[:2]] == [None, None]
        assert found.headline == "k and m lead together"
        assert "k and m share first place" in found.sentence

    def test_one_that_beats_the_other_leads_alone(self):
        rows = [*both(12, "k", "m", "k"), *both(12, "k", "n", "k"), *both(12, "m", "n", "m")]
        assert osc.prefer(table(rows)).headline == "k leads"


class TestWeights:
    def test_strong_verdicts_are_said_to_count_for_more(self, tmp_path):
        games = [{"score": "A>>B"}, {"score": "B>A"}]
        lines = [{"question_id": f"q{i}", "model": "m", "judge": "j", "games": games if i else games[::-1]} for i in range(12)]
        path = tmp_path / "m.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
        found = osc.prefer(path, strength=3)
        assert found.pairs[0].independent_p is None
        assert found.position.independent_p is None
        assert "A>>B counts as 3 wins" in found.reason
        assert "A>>B counts as 3 wins" in found.sentence
        assert "if votes were independent" not in CliRunner().invoke(app, ["prefer", str(path), "--strength", "3"]).output
        plain = osc.prefer(path)
        assert plain.pairs[0].independent_p is not None
        assert "A>>B" not in plain.verdict + plain.sentence

    def test_degrees_are_said_to_count(self):
        rows = [(f"p{i}", *pair) for i in range(6) for pair in (("new", "old", 1.2), ("old", "new", 1.9))]
        found = osc.prefer(table(rows))
        assert found.graded
        assert found.position.independent_p is None
        assert "verdicts count by their degree" in found.verdict
        assert "verdicts count by their degree" in found.sentence


class TestPrompts:
    def test_a_cluster_does_not_take_the_prompts_away(self):
        rows = [*both(8, "new", "old", "new")]
        found = osc.prefer(table(rows), cluster="prompt")
        assert found.reading.columns["prompt"] == "prompt"
        assert not texts(found, "warning")
        assert found.pairs == osc.prefer(table(rows)).pairs
        labelled = osc.prefer(table(rows), labels=table(rows), cluster="prompt")
        assert labelled.labels.labelled == 8

    def test_blank_prompts_are_prompts_of_their_own(self):
        rows = [*both(4, "new", "old", "new"), *[(None, "new", "old", "new"), ("", "old", "new", "new")] * 2]
        found = osc.prefer(table(rows))
        assert (found.clusters, found.unit) == (8, "prompt")
        assert "4 battles have no prompt in `prompt` and count as prompts of their own." in texts(found, "warning")

    def test_a_column_of_blanks_is_none(self, tmp_path):
        path = tmp_path / "votes.csv"
        path.write_text(",".join(HEAD) + "\n" + ",new,old,new\n,old,new,new\n" * 5, encoding="utf-8")
        found = osc.prefer(path)
        assert (found.clusters, found.unit) == (10, "battle")
        assert "prompt" not in found.reading.columns


class TestOneOrder:
    def test_a_pair_that_was_always_shown_in_one_order_is_named(self):
        rows = [(f"p{i}", "k", "m", "k" if i % 2 else "m") for i in range(12)]
        rows += [*both(12, "k", "n", "k"), *both(12, "m", "n", "m")]
        (said,) = texts(osc.prefer(table(rows)), "warning")
        assert said.startswith("Every battle names `k` before `m`: for these two, being shown first cannot be distinguished")

    def test_an_order_that_is_no_lot_has_no_test_of_position(self):
        rows = [(f"p{i}", "new", "old", "old" if i % 4 == 0 else "new") for i in range(20)]
        found = osc.prefer(table(rows), order="random")
        assert found.position is None
        (said,) = texts(found, "warning")
        assert "`new` before `old`" in said

    def test_a_draw_by_lot_is_not_suspected(self):
        rows = [(f"p{i}", *(("new", "old") if i % 3 else ("old", "new")), "new") for i in range(20)]
        found = osc.prefer(table(rows), order="random")
        assert found.position is not None
        assert not texts(found, "warning")


class TestWords:
    def test_sets_that_are_not_named_are_counted(self):
        rows = [row for one in "abcde" for row in both(12, f"{one}1", f"{one}2", f"{one}1")]
        assert any("c1, c2 and 2 more." in text for text in texts(osc.prefer(table(rows)), "warning"))

    def test_who_never_lost_to_whom(self, tmp_path):
        rows = [*both(12, "a", "b", "a"), *both(12, "a", "c", "a"), *both(12, "b", "c", "b")]
        found = osc.prefer(table(rows))
        assert any(text.startswith("a, b never lost to a system of finite strength,") for text in texts(found))
        assert "1000 is average" not in page_of(found, tmp_path)

    def test_a_difference_through_a_baseline_is_a_mean_over_prompts(self):
        rows = [row for one in ("x", "y") for row in both(12, one, "base", one)]
        assert "the mean difference, each prompt counted once." in " ".join(osc.prefer(table(rows)).to_text().split())

    def test_a_system_named_tie_is_told(self):
        (said,) = texts(osc.prefer(table(both(8, "tie", "old", "tie"))), "reading")
        assert said.startswith("`tie` in `winner` is read as the system of that name, not as a tie; write draw for a tie")

    def test_few_prompts_are_told_only_where_strengths_are_asked(self):
        rows = [*both(4, "k", "m", "k"), *both(4, "k", "n", "k"), *both(4, "m", "n", "m")]
        assert not any("strengths are not tested" in text for text in texts(osc.prefer(table(rows))))

    def test_a_sentence_without_interval_has_no_gap(self):
        assert "(ties count as half; exact" in osc.prefer(table(both(1, "new", "old", "new"))).sentence

    def test_a_cluster_is_not_what_was_judged(self):
        rows = [(f"p{i}", *(("x", "y") if i % 3 else ("y", "x")), "x", f"w{i % 12}") for i in range(24)]
        found = osc.prefer(table(rows, [*HEAD, "worker"]), cluster="worker")
        (said,) = [text for text in texts(found) if "assumed to be random" in text]
        assert said.startswith("Battles were judged in one order or the other")

    def test_rounding_is_no_strength(self):
        rows = [*both(4, "c", "a", "tie"), *both(4, "b", "a", "tie"), *both(3, "c", "b", "c"), *both(4, "c", "b", "tie")]
        assert "e-1" not in osc.prefer(table(rows)).to_text()

    def test_battles_with_lengths_are_counted(self):
        rows = [(*row, 10 + i, 30 - i) for i, row in enumerate(both(15, "new", "old", "tie"))]
        rows = [(*row[:3], "new" if i % 3 else "old", *row[4:]) for i, row in enumerate(rows)]
        rows[:2] = [(*row[:4], None, None) for row in rows[:2]]
        found = osc.prefer(table(rows, [*HEAD, "length_a", "length_b"]))
        assert found.length.battles == 28
        assert "(28 of 30 battles)" in " ".join(found.to_text().split())

    def test_what_is_the_judges_beside_people(self):
        rows = [
            (f"p{i}", *pair, "new" if i % 3 else "old", f"c{i % 2}")
            for i in range(24)
            for pair in (("new", "old"), ("old", "new"))
        ]
        labels = table([row[:4] for row in rows[:24]])
        text = " ".join(osc.prefer(table(rows, [*HEAD, "category"]), labels=labels).to_text().split())
        assert "by the judge, against old" in text

    def test_people_who_find_ties_only(self):
        rows, ties = both(24, "new", "old", "new"), both(12, "new", "old", "tie")
        said = texts(osc.prefer(table(rows), labels=table(ties)))
        assert "The judge counts from 20 labelled prompts on, and there are 12: only the labels are used." in said


class TestRefusals:
    def test_systems_that_never_met_and_who_met_both(self):
        rows = [row for one in ("x", "y") for row in both(12, one, "base", one)]
        with pytest.raises(osc.OutscoreError) as refused:
            osc.prefer(table(rows), systems=["x", "y"])
        assert "`x` and `y` never met directly. Add --system base, which all of them met" in str(refused.value)

    @pytest.mark.parametrize(
        ("part", "column", "said"),
        [
            ("category", "model_a", "which names systems"),
            ("judge", "model_b", "which names systems"),
            ("judge", "winner", "won"),
        ],
    )
    def test_a_column_that_plays_another_part(self, part, column, said):
        with pytest.raises(osc.OutscoreError) as refused:
            osc.prefer(table(both(8, "new", "old", "new")), **{part: column})
        assert f"--{part} is the column `{column}` of The table, " in str(refused.value)
        assert said in str(refused.value)

    def test_one_prompt_in_common(self):
        rows = both(8, "new", "old", "new")
        with pytest.raises(osc.OutscoreError) as refused:
            osc.prefer(table(rows), labels=table(rows[:2]))
        assert "share 1 prompt, " in str(refused.value)


def test_nobody_is_first_where_the_lead_is_shared():
    rows = [*both(12, "k", "m", "tie"), *both(12, "k", "n", "k"), *both(12, "m", "n", "m")]
    assert " first" not in repr(osc.prefer(table(rows)))
    rows = [*both(12, "k", "m", "k"), *both(12, "k", "n", "k"), *both(12, "m", "n", "m")]
    assert "k first" in repr(osc.prefer(table(rows)))
