"""Readers of battles: what each format says, what is recognised, and one sentence for everything that is wrong."""

from __future__ import annotations

import json

import numpy as np
import pytest

from outscore.core.errors import OutscoreError
from outscore.formats.battles.entry import BattleChoice
from outscore.formats.battles.read import BATTLES, read_battles

PLAIN = "prompt,model_a,model_b,winner\n"


@pytest.fixture
def write(tmp_path):
    """Write a file and give its path."""

    def written(text, name="votes.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else "".join(json.dumps(row) + "\n" for row in text), encoding="utf-8")
        return path

    return written


def rows_of(battles):
    """First, second, share and prompt of every battle."""
    return [
        (battles.systems[a], battles.systems[b], share, battles.prompts[i])
        for i, (a, b, share) in enumerate(zip(battles.first, battles.second, battles.share.tolist(), strict=True))
    ]


class TestTables:
    @pytest.mark.parametrize("end", ["\n", "\r"])
    @pytest.mark.parametrize("row", ["q1", "q1,base", "q1,base,y"])
    def test_a_row_that_lacks_fields_is_refused(self, write, row, end):
        path = write(f"question_id,model_a,model_b,winner\nq1,base,x,model_a\n{row}{end}q2,base,x,model_b\n")
        with pytest.raises(OutscoreError, match=r"line 3: found \d fields? .*, expected 4 as in the header"):
            read_battles([path])

    @pytest.mark.parametrize(
        ("word", "share"),
        [
            ("model_a", 1.0), ("model_b", 0.0), ("A", 1.0), ("[[B]]", 0.0), ("left", 1.0), ("tie", 0.5), ("tie (bothbad)", 0.5),
            ("both_bad", 0.5), ("new", 1.0), ("old", 0.0), ("A>B", 1.0), ("B>>A", 0.0), ("1", 1.0), ("2", 0.0), ("1.5", 0.5),
            ("1.25", 0.75),
        ],
    )  # fmt: skip
    def test_words_for_a_verdict(self, write, word, share):
        battles = read_battles([write(f"{PLAIN}q1,new,old,{word}\n")])
        assert rows_of(battles) == [("new", "old", share, "q1")]
        assert battles.shown.tolist() == [True]

    @pytest.mark.parametrize("word", ["", "null", "error", "NaN"])
    def test_no_verdict(self, write, word):
        assert np.isnan(read_battles([write(f"{PLAIN}q1,new,old,{word}\nq2,new,old,tie\n")]).share[0])

    def test_names_that_look_like_numbers_or_words(self, write):
        battles = read_battles([write(f"{PLAIN}q1,1,2,2\nq2,tie,1,tie\n")])
        assert battles.share.tolist() == [0.0, 1.0]

    def test_names_that_are_also_words_are_said_to_be_names(self, write):
        """Systems called A and B: where the reading makes a difference it is told, and elsewhere nothing is."""
        told = read_battles([write(f"{PLAIN}q1,A,B,A\nq1,B,A,A\n")])
        assert told.share.tolist() == [1.0, 0.0]
        (note,) = told.notes
        assert note.kind == "reading"
        assert note.text.startswith("`A` in `winner` is read as the system of that name")
        assert read_battles([write(f"{PLAIN}q1,A,B,A\nq2,A,B,B\n")]).notes == ()
        assert read_battles([write(f"{PLAIN}q1,1,2,2\nq2,2,1,2\n")]).notes[0].kind == "reading"

    def test_words_that_are_names_but_for_capitals_are_refused_with_both_readings(self, write):
        path = write(f"{PLAIN}q1,A,B,a\nq1,B,A,a\n")
        with pytest.raises(OutscoreError, match=r"line 3: found `a` in `winner`, which may be the first system .* named `A`"):
            read_battles([path])
        assert read_battles([write(f"{PLAIN}q1,A,B,a\nq2,A,B,b\n")]).share.tolist() == [1.0, 0.0]

    def test_a_name_comes_before_a_word_for_the_place_too(self, write):
        battles = read_battles([write("prompt,model_a,model_b,winner,shown_first\nq1,B,A,A,A\nq2,B,A,A,B\n")])
        assert [battles.systems[i] for i in battles.first] == ["A", "B"]
        assert battles.share.tolist() == [1.0, 0.0]

    def test_repeated_battles_are_counted_and_told(self, write):
        rows = "q1,new,old,model_a\nq1,new,old,model_b\nq1,new,old,model_a\nq2,new,old,\nq2,new,old,\n"
        (note,) = read_battles([write(PLAIN + rows)]).notes
        assert (note.kind, note.text[:24]) == ("input", "1 battle repeats another")
        head = PLAIN.strip() + ",judge\n"
        judged = "q1,new,old,model_a,ann\nq1,new,old,model_a,bob\nq1,new,old,model_a,ann\nq1,new,old,model_a,ann\n"
        (note,) = read_battles([write(head + judged)]).notes
        assert (note.kind, note.text[:25]) == ("warning", "2 battles repeat another ")

    def test_battles_that_stand_in_two_files(self, write):
        one, two = (
            write(f"{PLAIN}q1,new,old,new\nq1,new,old,new\nq2,new,old,old\n", "1.csv"),
            write(f"{PLAIN}q1,new,old,new\nq2,new,old,new\nq1,new,old,new\n", "2.csv"),
        )
        texts = {note.kind: note.text for note in read_battles([one, two]).notes}
        assert texts["warning"].startswith("2 battles appear identically in another file")
        assert texts["input"].startswith("2 battles repeat another of the same file")

    def test_the_other_parts_are_found_by_name(self, write):
        head = "question_id,system_a,system_b,verdict,judge,category,length_a,length_b\n"
        battles = read_battles([write(head + "q1,x,y,x,ann,maths,10,20\nq1,y,x,tie,bob,maths,,5\n")])
        assert battles.judges.names == ("ann", "bob")
        assert battles.categories.names == ("maths",)
        assert battles.lengths[0].tolist() == [10.0, 20.0]
        assert np.isnan(battles.lengths[1, 0])
        assert battles.origins[0].columns["prompt"] == ("question_id",)

    def test_one_hot_verdicts(self, write):
        head = "id,prompt,model_a,model_b,winner_model_a,winner_model_b,winner_tie,response_a,response_b\n"
        battles = read_battles([write(head + "1,hi,x,y,1,0,0,abc,de\n2,hi,y,x,0,0,1,f,\n")])
        assert battles.share.tolist() == [1.0, 0.5]
        assert battles.prompts.names == ("hi",)
        assert battles.lengths[0].tolist() == [3.0, 2.0]

    def test_several_columns_of_verdicts_are_judges(self, write):
        path = write("item,human,gpt-4\nq1,1,2\nq2,2,\n")
        battles = read_battles([path], BattleChoice(winner=("human", "gpt-4"), names=("one", "two")))
        assert battles.judges.texts() == ["human", "human", "gpt-4", "gpt-4"]
        assert battles.share[:3].tolist() == [1.0, 0.0, 0.0]
        assert np.isnan(battles.share[3])
        assert battles.shown.tolist() == [False] * 4

    @pytest.mark.parametrize(("column", "words"), [("shown_first", ("new", "old")), ("swapped", ("false", "true"))])
    def test_a_column_says_who_was_shown_first(self, write, column, words):
        text = f"prompt,model_a,model_b,winner,{column},length_a,length_b\n"
        battles = read_battles([write(text + f"q1,new,old,model_a,{words[0]},1,2\nq2,new,old,model_a,{words[1]},1,2\n")])
        assert rows_of(battles) == [("new", "old", 1.0, "q1"), ("old", "new", 0.0, "q2")]
        assert battles.lengths.tolist() == [[1.0, 2.0], [2.0, 1.0]]

    def test_battles_with_oneself_are_left_out_and_counted(self, write):
        battles = read_battles([write(f"{PLAIN}q1,new,new,tie\nq2,new,old,tie\n")])
        assert battles.rows == 1
        assert any("1 battle of a system with itself was left out" in note.text for note in battles.notes)

    def test_without_prompts_every_battle_is_one(self, write):
        battles = read_battles([write("model_a,model_b,winner\nx,y,x\nx,y,y\n")])
        assert len(battles.prompts.names) == 2
        assert "every battle counts as a prompt of its own" in battles.notes[0].text

    def test_without_prompts_files_have_none_in_common(self, write):
        head = "model_a,model_b,winner\n"
        paths = [write(f"{head}new,old,new\nold,new,new\n", f"{name}.csv") for name in "ab"]
        battles = read_battles(paths)
        assert len(set(battles.prompts.codes.tolist())) == battles.rows == 4
        assert not any("alike" in note.text for note in battles.notes)

    def test_json_lines_lists_and_parquet_are_the_same(self, write, tmp_path):
        import polars as pl

        rows = [{"prompt": f"q{i}", "model_a": "x", "model_b": "y", "winner": "model_a" if i else "tie"} for i in range(3)]
        pl.DataFrame(rows).write_parquet(tmp_path / "votes.parquet")
        paths = [write(rows, "votes.jsonl"), write(json.dumps(rows), "votes.json"), tmp_path / "votes.parquet"]
        found = [rows_of(read_battles([path])) for path in paths]
        assert found[0] == found[1] == found[2]

    def test_columns_inside_objects_are_found_in_lists_as_in_lines(self, write):
        lengths = {"sum_assistant_a_tokens": 10, "sum_assistant_b_tokens": 25, "turns": float("nan")}
        row = {"question_id": "q1", "model_a": "x", "model_b": "y", "winner": "tie", "conv_metadata": lengths}
        for path in (write([row], "arena.jsonl"), write(json.dumps([row]), "arena.json")):
            found = read_battles([path]).lengths
            assert found is not None
            assert found.tolist() == [[10, 25]]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (
                "prompt,model_a,model_b,winner\nq1,x,y,z\n",
                "line 2: found the verdict `z` in `winner`, expected `x`, `y` or tie",
            ),
            ("prompt,model_a,model_b,winner\nq1,x,y,0\nq2,x,y,1\n", "does not say whether 1 is the first system"),
            ("prompt,model_a,model_b,winner\nq1,x,,tie\n", "line 2"),
            (
                "prompt,answer_a,answer_b,winner\nq1,so,no,a\n",
                "every row compares the same two, give --winner COLUMN --names A,B",
            ),
            ("prompt,model_a,model_b,score_a,score_b\nq1,x,y,1,2\n", "has no column that says who won"),
            ("item,human,gpt4\nq1,1,2\n", "if every row compares the same two, --winner and --names A,B"),
            ("prompt,model_a,model_b,winner\n", "no records"),
            ("prompt,model_a,model_b\nq1,x,y\n", "has no column that says who won"),
            ("prompt,model,score\nq1,x,1\n", "are for `outscore compare`"),
            ("prompt,model_a,model_b,left,right,winner\nq1,x,y,x,y,tie\n", "`model_a` and `model_b` or `left` and `right`"),
            ("prompt,model_a,model_b,vote,outcome\nq1,x,y,x,y\n", "`vote` and `outcome` could each be the winner column"),
            ("prompt,model_a,model_b,winner\nq1,x,x,tie\n", "Every battle is `x` against itself"),
            (
                "prompt,model_a,model_b,winner_model_a,winner_model_b\nq1,x,y,1,1\n",
                "line 2: found more than one winner in winner_model_a",
            ),
            ("prompt,model_a,model_b,winner,length_a,length_b\nq1,x,y,x,long,2\n", "line 2: found `long` in `length_a`"),
            *(
                (f"prompt,model_a,model_b,winner,length_a,length_b\nq1,x,y,x,{length},2\n", "line 2: found `")
                for length in ("9" * 5_000, "1e308", "inf", "-inf", "-1", "1e400")
            ),
            ("prompt,model_a,model_b,winner,position\nq1,x,y,x,z\n", "expected the system that was shown first"),
        ],
    )
    def test_what_is_wrong_is_said_in_a_sentence(self, write, text, said):
        with pytest.raises(OutscoreError) as refused:
            read_battles([write(text)])
        assert said in str(refused.value)

    def test_columns_that_are_not_there(self, write):
        path = write(f"{PLAIN}q1,x,y,x\n")
        with pytest.raises(OutscoreError, match="has no column `won`") as refused:
            read_battles([path], BattleChoice(winner=("won",)))
        assert refused.value.parameter == "winner"
        with pytest.raises(OutscoreError, match="--first is given without --second"):
            read_battles([path], BattleChoice(first="model_a"))
        with pytest.raises(OutscoreError, match="There is no format of battles `arna`"):
            read_battles([path], format="arna")


ROW = {
    "question_id": "1",
    "model_a": "x",
    "model_b": "y",
    "winner": "tie (bothbad)",
    "judge": "u1",
    "turn": 1,
    "anony": True,
}


class TestArena:
    def test_the_first_message_is_the_prompt(self, write):
        turns = [[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "x" * n}] for n in (3, 5)]
        rows = [{**ROW, "question_id": str(i), "conversation_a": turns[0], "conversation_b": turns[1]} for i in range(2)]
        battles = read_battles([write(rows, "arena.jsonl")])
        assert battles.origins[0].format == "arena"
        assert len(battles.prompts.names) == 1
        assert battles.lengths.tolist() == [[3.0, 5.0]] * 2
        assert battles.share.tolist() == [0.5, 0.5]

    def test_without_conversations_the_question_is(self, write):
        battles = read_battles([write([ROW, {**ROW, "question_id": "2"}], "arena.jsonl")])
        assert battles.prompts.names == ("1", "2")
        assert battles.judges.names == ("u1",)


class TestGames:
    def judgment(self, *scores, **more):
        return {"question_id": "q1", "model": "new", "judge": "gpt", "games": [{"score": score} for score in scores], **more}

    def test_the_model_is_second_in_the_first_game(self, write):
        battles = read_battles([write([self.judgment("A>>B", "A>B")], "new.jsonl")])
        assert rows_of(battles) == [("baseline", "new", 1.0, "q1"), ("new", "baseline", 1.0, "q1")]
        assert battles.origins[0].format == "arena-hard"
        assert battles.shown.all()
        assert battles.weights is None

    def test_strong_verdicts_count_more_where_that_is_asked_for(self, write):
        path = write([self.judgment("A>>B", "B>A")], "new.jsonl")
        battles = read_battles([path], BattleChoice(strength=3, baseline="gpt-4-0314"))
        assert battles.weight.tolist() == [3, 1]
        assert battles.systems == ("gpt-4-0314", "new")

    def test_version_two_has_uids_and_categories_and_null_games(self, write):
        row = {
            "uid": "u",
            "model": "new",
            "judge": "gpt",
            "category": "maths",
            "games": [None, {"score": "B<A"}, {"score": None}],
        }
        battles = read_battles([write([row], "new.jsonl")])
        assert battles.decided.tolist() == [False, True, False]
        assert battles.share[1] == 1.0
        assert battles.categories.names == ("maths",)

    def test_what_is_no_verdict_is_named(self, write):
        with pytest.raises(OutscoreError, match="line 2: found the score `maybe` of a game"):
            read_battles([write([self.judgment("A=B"), self.judgment("maybe")], "new.jsonl")])

    def test_mt_bench_names_winners_by_their_model(self, write):
        row = {"question_id": 81, "model_1": "x", "model_2": "y", "g1_winner": "model_1", "g2_winner": "model_1"}
        row |= {"judge": ["gpt-4", "pair-v2"], "turn": 1}
        battles = read_battles([write([row, {**row, "g2_winner": "error", "turn": 2}], "gpt-4_pair.jsonl")])
        assert rows_of(battles)[:2] == [("x", "y", 1.0, "81"), ("y", "x", 0.0, "81")]
        assert battles.judges.names == ("gpt-4",)
        assert battles.decided.tolist() == [True, True, True, False]
        assert battles.origins[0].format == "mt-bench"

    def test_pooled_games_do_not_say_their_order(self, write):
        rows = [{"question_id": i // 2, "model_a": "base", "model_b": "x", "winner": "model_b"} for i in range(6)]
        battles = read_battles([write(rows, "arena_hard_battles.jsonl")])
        assert battles.origins[0].format == "arena-hard-battles"
        assert not battles.shown.any()


class TestAlpacaEval:
    def annotation(self, preference, instruction="say hi"):
        return {
            "instruction": instruction,
            "generator_1": "base",
            "generator_2": "new",
            "preference": preference,
            "annotator": "a",
        }

    def test_preferences_ties_and_nulls(self, write):
        rows = [self.annotation(value, str(i)) for i, value in enumerate((1, 2.0, 0, 1.5, None, 1.25, float("nan")))]
        battles = read_battles([write(json.dumps(rows), "results/new/a/annotations.json")])
        assert battles.share[[0, 1, 2, 3, 5]].tolist() == [1.0, 0.0, 0.5, 0.5, 0.75]
        assert battles.decided.tolist() == [True, True, True, True, False, True, False]
        assert battles.origins[0].format == "alpaca-eval"
        assert not battles.shown.any()

    def test_a_folder_of_models(self, write, tmp_path):
        for model in ("new", "old"):
            rows = [{**self.annotation(2), "generator_2": model}]
            write(json.dumps(rows), f"results/{model}/a/annotations.json")
        write("name,win_rate\nnew,1\n", "results/leaderboard.csv")
        battles = read_battles([tmp_path / "results"])
        assert battles.systems == ("base", "new", "old")
        assert len(battles.origins) == 2

    def test_files_of_a_folder_without_battles_are_named(self, tmp_path):
        """Whether they are something else or damaged: nothing is left out in silence."""
        battles = "prompt,model_a,model_b,winner\n1,a,b,model_a\n2,b,a,model_a\n"
        (tmp_path / "all").mkdir()
        for name, content in (("votes.csv", battles), ("scores.csv", "id,score\n1,2\n"), ("cut.jsonl", '{"prompt": 1, "mod')):
            (tmp_path / "all" / name).write_text(content)
        (tmp_path / "all" / "notes.md").write_text("not data")
        found = read_battles([tmp_path / "all"])
        (said,) = [note for note in found.notes if "no known battles" in note.text]
        assert said.kind == "reading"
        assert said.text.startswith("2 files in the folders contain no known battles and are left out: ")
        assert "cut.jsonl" in said.text
        assert "scores.csv" in said.text
        assert not [note for note in read_battles([tmp_path / "all" / "votes.csv"]).notes if "no known battles" in note.text]

    def test_a_folder_without_battles(self, write, tmp_path):
        write("name,win_rate\nnew,1\n", "results/leaderboard.csv")
        with pytest.raises(OutscoreError, match="contains no file of Arena-Hard, MT-bench, AlpacaEval"):
            read_battles([tmp_path / "results"])


class TestRealData:
    def test_llmfao(self, shared_data):
        battles = read_battles([shared_data / "preferences/llmfao/llmfao.csv"])
        assert (battles.rows, len(battles.systems), len(battles.prompts.names), len(battles.judges.names)) == (
            8931,
            59,
            13,
            124,
        )
        counts = [int((battles.share == share).sum()) for share in (1.0, 0.0, 0.5)]
        assert counts == [2911, 2549, 3471]

    def test_arena_hard(self, shared_data):
        folder = shared_data / "preferences/arena-hard"
        battles = read_battles([folder / "arena_hard_battles_57a9881.jsonl"])
        assert (battles.rows, battles.origins[0].format) == (1348, "arena-hard-battles")
        games = read_battles([folder / "arena-hard-v0.1/model_judgment/gpt-4o"])
        assert (games.rows, len(games.prompts.names)) == (252, 126)
        scores = folder / "arena-bench-v1/model_judgment/gpt-4-0314.jsonl"
        with pytest.raises(OutscoreError, match="are for `outscore compare`"):
            read_battles([scores])

    def test_alpaca_eval(self, shared_data):
        battles = read_battles([shared_data / "preferences/alpaca_eval/results"])
        assert (battles.rows, len(battles.origins), int((~battles.decided).sum())) == (4830, 6, 1)


def test_every_format_has_its_words():
    for name, entry in BATTLES.items():
        assert name == entry.name
        assert entry.title
        assert entry.summary
