"""A column is taken for scores only if nothing speaks against it; answers are scored against the right ones."""

from __future__ import annotations

import gzip
import inspect
import json

import numpy as np
import pytest

import outscore as osc
from outscore.core.errors import MeasuresError, OutscoreError
from outscore.formats.readers import read_scores
from outscore.formats.tables.names import KEYWORDS, is_score

RECORDS = [
    {"question_id": i, "options": ["x", "y"], "answer": "ABCD"[i % 4], "answer_index": i % 4, "category": "law", "pred": pred}
    for i, pred in enumerate(["A", "B", None, "A", "A", "C"])
]
RIGHT = [1, 1, 0, 0, 1, 0]


@pytest.fixture
def write(tmp_path):
    def make(text: str, name: str = "x.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return make


def refused(path, **columns) -> OutscoreError:
    with pytest.raises(OutscoreError) as caught:
        read_scores(path, **columns)
    return caught.value


@pytest.mark.parametrize("form", ["lines", "list", "wrapped", "indented", "packed"])
def test_raw_records_are_scored_by_prediction_and_answer(form, tmp_path):
    path = tmp_path / ("x.jsonl" if form == "lines" else "x.json")
    lines = "".join(json.dumps(record) + "\n" for record in RECORDS)
    texts = {
        "lines": lines,
        "list": json.dumps(RECORDS),
        "wrapped": json.dumps({"model": "new", "n": 6, "results": RECORDS}),
        "indented": json.dumps({"run": {"results": RECORDS}}, indent=2),
        "packed": json.dumps(RECORDS),
    }
    if form == "packed":
        path = tmp_path / "x.json.gz"
        path.write_bytes(gzip.compress(texts[form].encode()))
    else:
        path.write_text(texts[form])
    (found,) = read_scores(path)
    assert found.values.tolist() == RIGHT
    assert found.origin.columns == {
        "item": ("question_id",),
        "slice": ("category",),
        "answer": ("pred",),
        "gold": ("answer",),
    }


def test_a_known_score_beside_answers_wins(write):
    (found,) = read_scores(write("id,answer,pred,is_correct\n1,A,A,0\n2,B,A,1\n"))
    assert found.values.tolist() == [0, 1]


@pytest.mark.parametrize("labels", ["01", "xy"])
def test_systems_beside_gold_are_scored(labels, write):
    zero, one = labels
    path = write(f"id,gold,new,old\n1,{one},{one},{zero}\n2,{zero},{zero},{one}\n3,{one},{zero},{one}\n")
    new, old = read_scores(path)
    assert (new.values.tolist(), old.values.tolist()) == ([1, 1, 0], [0, 0, 1])
    chosen = read_scores(path, systems=["old", "new"])
    assert [one.values.tolist() for one in chosen] == [[0, 0, 1], [1, 1, 0]]


def test_a_label_of_0_and_1_beside_0_and_1_is_asked_about(write):
    path = write("id,label,new,old\n1,1,1,0\n2,0,1,1\n")
    problem = refused(path)
    assert "`new` and `old` may be answers to `label`, or scores" in problem.message
    assert [one.values.tolist() for one in read_scores(path, gold="label")] == [[1, 0], [0, 0]]
    assert [one.values.tolist() for one in read_scores(path, systems=["new", "old"])] == [[1, 1], [0, 1]]


def test_a_text_label_beside_scores_is_no_gold(write):
    new, _ = read_scores(write("id,label,new,old\n1,x,1,0\n2,y,1,1\n"))
    assert new.values.tolist() == [1, 1]


def test_long_tables_of_answers_have_systems(write):
    new, old = read_scores(write("id,model,prediction,target\n1,new,A,A\n1,old,B,A\n2,new,B,B\n2,old,B,B\n"))
    assert (new.name, new.values.tolist(), old.values.tolist()) == ("new", [1, 1], [0, 1])


def test_columns_of_answers_can_be_named(write):
    path = write("id,mine,theirs,n\n1,A,A,5\n2,A,B,6\n")
    assert read_scores(path, prediction="mine", gold="theirs")[0].values.tolist() == [1, 0]
    assert "no column of right answers" in refused(path, prediction="mine").message


UNSURE = {
    "id,prediction,latency_ms\n1,x,90\n2,y,80\n": ["latency_ms"],
    "id,answer,answer_index\n1,A,0\n2,B,1\n": ["answer_index"],
    "id,constant,length,latency_s\n1,1,90,3\n2,1,80,4\n": ["length", "latency_s"],
    "id,prediction,target\n1,.5,.52\n2,.6,.4\n": ["prediction", "target"],
    "id,answer,bleurt\n1,it was so,.5\n2,it was not,.6\n": ["bleurt"],
}


@pytest.mark.parametrize("text", UNSURE)
def test_what_may_not_be_the_scores_is_listed(text, write):
    problem = refused(write(text))
    assert problem.parameter == "score"
    assert all(f"`{name}`" in problem.message for name in UNSURE[text])
    assert "--score COLUMN" in problem.hint


ONLY_CANDIDATE = (
    "id,judge,length\n1,.5,90\n2,.6,80\n",
    "id,judge,output_tokens\n1,.5,90\n2,.6,80\n",
    "id,model,cost,judge\n1,a,9,.5\n2,a,8,.6\n",
    "id,temperature,judge\n1,.7,.5\n2,.7,.6\n",
    "id,judge,speech_duration,top_p,repetition_penalty,max_new_tokens\n1,.5,9,.9,1.1,512\n2,.6,8,.9,1.1,512\n",
)


@pytest.mark.parametrize("text", ONLY_CANDIDATE)
def test_settings_times_and_lengths_are_no_candidates_beside_scores(text, write):
    (system,) = read_scores(write(text))
    assert system.origin.columns["score"] == ("judge",)
    assert system.values.tolist() == [0.5, 0.6]


def test_a_setting_alone_is_not_inferred_but_can_be_named(write):
    path = write("id,temperature\n1,.7\n2,.7\n")
    problem = refused(path)
    assert (problem.parameter, "is a setting of a run" in problem.message) == ("score", True)
    assert read_scores(path, score="temperature")[0].values.tolist() == [0.7, 0.7]


def test_settings_and_constants_are_not_proposed_as_measures(write):
    with pytest.raises(MeasuresError) as caught:
        read_scores(write("id,seed_penalty,faithfulness,fluency,top_k,batch\n1,1,.5,.6,40,8\n2,1,.7,.4,40,8\n"))
    assert caught.value.measures == ("faithfulness", "fluency")


def test_only_what_could_be_a_score_inside_an_object_is_proposed(write):
    rows = [
        {
            "id": i,
            "configs": {"repetition_penalty": 1.0, "open": True},
            "answer_index": {"option_index": i},
            "out": {"quality": i / 3},
        }
        for i in range(3)
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    assert "such as --score out.quality." in refused(write(text, "x.jsonl")).hint
    for row in rows:
        del row["out"]
    assert "such as" not in refused(write("".join(json.dumps(row) + "\n" for row in rows), "x.jsonl")).hint


@pytest.mark.parametrize(
    ("good", "bad"), [("Success", "failure"), ("ok", "FAIL"), ("resolved", "unresolved"), ("solved", "unsolved")]
)
def test_words_for_right_and_wrong(good, bad, write):
    assert read_scores(write(f"id,verdict\n1,{good}\n2,{bad}\n"))[0].values.tolist() == [1, 0]


@pytest.mark.parametrize(("good", "bad"), ["CI", "YN", "TF", ("yes", "no")])
def test_words_that_may_be_answers_are_asked_about_once(good, bad, write):
    path = write(f"id,verdict\n1,{good}\n2,{bad}\n")
    assert f"Write --score verdict if {good} means right" in refused(path).hint
    assert read_scores(path, score="verdict")[0].values.tolist() == [1, 0]


@pytest.mark.parametrize("word", ["P", "partial"])
def test_partial_credit_is_refused_with_the_words(word, write):
    problem = refused(write(f"id,score\n1,C\n2,{word}\n"))
    assert (problem.line, "such as 0.5" in problem.hint, "resolved/unresolved" in problem.hint) == (3, True, True)


@pytest.mark.parametrize(("sign", "better"), [("", "lower"), ("-", "higher")])
@pytest.mark.parametrize("name", ["error", "valError", "wer"])
def test_errors_beside_numbered_items_are_scores_with_a_direction(name, sign, better, write):
    files = [write(f"id,{name}\n" + "".join(f"{i},{sign}.{i + k}\n" for i in range(1, 7)), f"{k}.csv") for k in (1, 2)]
    assert osc.compare(*files).reading.direction == better


def test_answers_without_the_right_ones_name_the_way_to_score_them(write):
    hint = refused(write("id,prediction,latency_ms\n1,x,90\n2,y,80\n")).hint
    assert "--prediction prediction --gold COLUMN" in hint
    assert "outscore diff --task label" in hint


def test_other_numbers_beside_systems_are_refused(write):
    path = write("id,new,old,length\n1,1,0,12\n2,1,1,40\n")
    assert "`length` would be read as scores of a system" in refused(path).message
    assert [one.name for one in read_scores(path, systems=["new", "old"])] == ["new", "old"]


def test_people_beside_systems_may_hold_the_right_answers(write):
    path = write("item,human,first,second,length_1\n" + "".join(f"q{i},{i % 2 + 1},1,2,{i}\n" for i in range(9)))
    assert "If `human` holds the right answers, write --gold human" in refused(path).hint
    assert [one.values.mean() for one in read_scores(path, gold="human")] == [5 / 9, 4 / 9]
    (note,) = osc.show(path).notes
    assert "--gold human" in note.text


def test_the_only_column_of_numbers_is_the_score(write):
    assert read_scores(write("id,question_text,bleurt\n1,why,.5\n2,how,.6\n"))[0].values.tolist() == [0.5, 0.6]


def test_values_inside_objects_have_dotted_names(write):
    records = [{"task_id": f"t/{i}", "prompt": "p", "scores": {"pass@1": i % 2}, "doc": {"id": i}} for i in range(4)]
    path = write("".join(json.dumps(record) + "\n" for record in records), "x.jsonl")
    (found,) = read_scores(path)
    assert (found.values.tolist(), found.ids.names[:2]) == ([0, 1, 0, 1], ("t/0", "t/1"))
    (found,) = read_scores(path, score="scores.pass@1", item="doc.id")
    assert (found.values.tolist(), found.ids.names) == ([0, 1, 0, 1], ("0", "1", "2", "3"))
    assert "`scores.pass@1`" in refused(path, score="scores.pass").hint


def test_systems_inside_an_object_can_be_named(write):
    records = [{"id": i, "scores": {"new": i % 2, "old": i % 3 % 2}} for i in range(6)]
    path = write("".join(json.dumps(record) + "\n" for record in records), "x.jsonl")
    names = ("scores.new", "scores.old")
    assert "--system scores.new --system scores.old" in refused(path).hint
    found = read_scores(path, systems=names)
    assert {one.name: one.values.tolist() for one in found} == {
        "scores.new": [0, 1, 0, 1, 0, 1],
        "scores.old": [0, 1, 0, 0, 1, 0],
    }


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("scores.rouge", True),
        ("metrics.by.judge", True),
        ("doc.scores.rouge", False),
        ("doc.correct", True),
    ],
)
def test_the_outermost_object_or_the_last_part_names_a_score(name, is_one):
    assert is_score(name) == is_one


def test_several_scores_inside_an_object_are_listed(write):
    path = write('[{"id": 1, "metrics": {"rouge": 1, "judge": 0}}, {"id": 2, "metrics": {"rouge": 0, "judge": 0}}]', "x.json")
    assert "`metrics.rouge` and `metrics.judge` could each be the score column" in refused(path).message


def test_documents_with_several_lists_are_refused(write):
    path = write('{"a": [{"id": 1, "score": 1}],\n "b": [{"id": 1, "score": 0}]}', "x.json")
    problem = refused(path)
    assert "2 lists of records: `a`, `b`" in problem.message
    assert "--item a.ID --score a.SCORE" in problem.hint


def test_a_broken_document_says_so(write):
    assert "is cut short or malformed" in refused(write('[{"id": 1, "score": 1},\n {"id": 2, "sco', "x.json")).message


def test_errors_in_documents_name_the_row(write):
    path = write('[{"id": 1, "score": 1}, {"id": 2, "score": "x"}]', "x.json")
    assert ", row 2: " in refused(path).message


def test_a_list_of_numbers_is_one_score_per_item(write):
    assert read_scores(write("[1, 0, 0.5]", "x.json"))[0].values.tolist() == [1, 0, 0.5]


def test_counts_are_recognised(write):
    path = write("id,model,tp,fn,fp\n1,a,3,1,0\n1,b,2,2,1\n")
    assert [one.values.tolist() for one in read_scores(path)] == [[[3, 0, 1]], [[2, 1, 2]]]
    assert read_scores(path, score="tp,fp,fn")[0].values.tolist() == [[3, 0, 1]]


@pytest.mark.parametrize(("yes", "no"), [("correct", "incorrect"), ("True", "FALSE"), ("pass", "fail"), ("right", "wrong")])
def test_judgements_are_1_and_0(yes, no, write):
    new, old = read_scores(write(f"id,new,old\n1,{yes},{no}\n2,{no},{no}\n"))
    assert (new.values.tolist(), old.values.tolist()) == ([1, 0], [0, 0])


def test_yes_and_no_are_read_where_they_are_known_to_be_scores(write):
    assert read_scores(write("id,correct\n1,yes\n2,no\n"))[0].values.tolist() == [1, 0]
    assert "contain yes and no" in refused(write("id,new,old\n1,yes,no\n2,no,no\n")).message


def test_compare_and_rank_score_answers_alike(write):
    rng = np.random.default_rng(1)
    gold = rng.integers(0, 3, 120)
    columns = {name: np.where(rng.random(120) < share, gold, 3) for name, share in (("new", 0.9), ("old", 0.7))}
    table = np.array(list("xyzu"))[np.column_stack([gold, columns["new"], columns["old"]])]
    path = write("id,gold,new,old\n" + "".join(f"q{i},{','.join(row)}\n" for i, row in enumerate(table)))
    given = osc.compare(*((columns[name] == gold).astype(int) for name in ("new", "old")))
    found, ranked = osc.compare(path), osc.rank(path)
    assert found.p.value == given.p.value
    assert ranked.pairs[0].p.value == pytest.approx(given.p.value)
    assert found.reading.gold == ranked.reading.gold == ["gold"]
    for said in (found.to_text(), ranked.to_text()):
        assert "scores: `new` and `old`, each = `gold`" in said
        assert "diff --task label" in said


@pytest.mark.parametrize("above", ["# exported 2024\n", "# exported\n\n# by a, b\n"])
def test_comments_above_the_header_are_skipped(above, write):
    path = write(f"{above}id,new,old\n1,1,0\n2,0,x\n")
    assert refused(path).message.startswith(f'`{path}`, line {above.count(chr(10)) + 3}: found "x"')


@pytest.mark.parametrize("mark", ["#", "# "])
def test_a_header_behind_a_mark_is_one(mark, write):
    new, _ = read_scores(write(f"{mark}id,new,old\n1,1,0\n2,0,1\n"))
    assert (new.name, new.ids.names, new.values.tolist()) == ("new", ("1", "2"), [1, 0])


def test_a_comment_above_bare_numbers_is_named(write):
    assert 'line 1: found a comment ("# exported 2024")' in refused(write("# exported 2024\n1\n0\n", "x.txt")).message


def test_true_and_false_one_per_line(write):
    assert read_scores(write("True\nFalse\nTrue\n", "x.txt"))[0].values.tolist() == [1, 0, 1]


def test_thousands_separators_are_named(write):
    hint = refused(write('id,new,old\n1,"1,200","1,100"\n2,"1,100","1,000"\n')).hint
    assert hint == "Write 1200 without the separator, or with a point if the comma is a decimal one."


@pytest.mark.parametrize("name", ["mean", "Total", "macro avg"])
@pytest.mark.parametrize("command", [osc.compare, osc.rank])
def test_a_row_that_sums_up_is_refused(name, command, write):
    path = write(f"id,new,old\nq1,1,0\nq2,0,1\n{name},0.5,0.5\n")
    with pytest.raises(OutscoreError, match=f"line 4: found `{name}` as the last item of `id`"):
        command(path)


def test_per_cents_name_their_line(write):
    assert ', line 3: found "40%" in column `new`' in refused(write("id,new,old\n1,,\n2,40%,30%\n")).message


def test_most_items_left_out_is_said_at_the_verdict(write):
    def scores(name: str, first: int):
        return write("id,score\n" + "".join(f"q{i},{i % 3 > 0:d}\n" for i in range(first, first + 25)), name)

    found = osc.compare(scores("a.csv", 0), scores("b.csv", 15))
    said = "Only 10 of 40 items are compared: the other 75% have a score from one system only."
    assert found.reason.endswith(said)
    assert found.verdict.endswith(said)
    assert said in found._repr_html_()
    few = osc.compare(scores("a.csv", 0), scores("b.csv", 1))
    assert "left out" not in few.verdict


@pytest.mark.parametrize("name", ["ttest", "t-test", "T_test"])
def test_tests_are_known_by_their_other_names(name):
    with pytest.raises(OutscoreError, match="Did you mean `student`"):
        osc.compare([1, 0, 1], [0, 0, 1], test=name)


def records(path, answers, gold):
    """A file of raw answers."""
    rows = [{"id": i, "pred": given, "answer": right} for i, (given, right) in enumerate(zip(answers, gold, strict=True))]
    path.write_text(json.dumps(rows))
    return str(path)


GOLD = list("ABCD" * 15)
ANSWERS = ["A" if i % 3 else right for i, right in enumerate(GOLD)]


@pytest.mark.parametrize("door", [osc.compare, lambda a, b: osc.rank([a, b])])
def test_other_right_answers_to_the_same_items_are_refused(door, tmp_path):
    one = records(tmp_path / "one.json", ANSWERS, GOLD)
    other = records(tmp_path / "other.json", ANSWERS, [*["Z"] * 20, *GOLD[20:]])
    with pytest.raises(
        osc.OutscoreError, match="The right answers differ on 20 of 60 items: to `0` it is `A` with `one` and `Z`"
    ):
        door(one, other)
    # Only items that both have can differ.
    with pytest.raises(osc.OutscoreError, match="differ on 20 of 40 items"):
        door(one, records(tmp_path / "short.json", ANSWERS[:40], [*["Z"] * 20, *GOLD[20:40]]))
    assert door(one, records(tmp_path / "same.json", GOLD, GOLD))


def test_right_answers_of_a_long_table_agree(tmp_path):
    lines = [
        f"{i},{model},{right},{'Z' if (model, i) == ('old', 3) else right}"
        for model in ("new", "old")
        for i, right in enumerate(GOLD)
    ]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["id,model,prediction,gold", *lines]) + "\n")
    with pytest.raises(osc.OutscoreError, match="differ on 1 of 60 items: to `3` it is `D` with `new` and `Z` with `old`"):
        osc.compare(path)


@pytest.mark.parametrize(
    ("convert", "cure"), [("ABCD".index, "answers are of the same kind"), (str.lower, "if capitals did not count")]
)
def test_answers_of_another_kind_are_refused(convert, cure, tmp_path):
    path = records(tmp_path / "x.json", [convert(given) for given in ANSWERS], GOLD)
    problem = refused(path)
    assert "none of the 60 answers of `x` is one of the right answers" in problem.message
    assert cure in problem.hint


@pytest.mark.parametrize("door", [osc.compare, lambda a, b: osc.rank([a, b])])
def test_empty_answers_and_blanks_around_them_are_said(door, tmp_path):
    one = records(tmp_path / "one.json", GOLD, GOLD)
    other = records(tmp_path / "other.json", [*[None] * 11, " ", *(f" {given}" for given in GOLD[12:15]), *ANSWERS[15:]], GOLD)
    notes = [note.text for note in door(one, other).notes]
    assert "12 of 60 predictions of other are empty and count as wrong." in notes
    assert "3 of 60 predictions of other have blanks around them that do not count." in notes
    assert not any("of one" in text for text in notes)


@pytest.fixture
def told(tmp_path):
    """The error of reading a text."""

    def refused(text, **asked):
        path = tmp_path / "x.csv"
        path.write_text(text)
        with pytest.raises(OutscoreError) as error:
            read_scores(path, **asked)
        return str(error.value)

    return refused


def test_numbers_with_commas_may_be_one_or_two(told):
    said = told("".join(f"1,{100 + i}\n" for i in range(9)))
    assert "a number with a thousands separator, or two" in said
    assert "line of names" in said


def test_a_table_of_systems_by_items_is_told_of_transposing(told, tmp_path):
    rows = "name,0,1,2,3\nx,1,0,1,1\ny,0,0,1,1\n"
    assert "add --transpose" in told(rows)
    path = tmp_path / "y.csv"
    path.write_text(rows)
    assert sorted(osc.rank(path, transpose=True).systems) == ["x", "y"]
    assert "add --transpose" in told("model,mmlu,gsm8k,arc\nx,.1,.2,.3\ny,.2,.3,.4\nz,.3,.1,.2\n")


def test_a_name_of_two_columns_is_not_offered_as_a_choice(told):
    """Results in a spreadsheet have a column of the same name for each run, which --score cannot choose from."""
    assert "has two columns named `Score`" in told("id,Score,note,Score\nq1,1,x,0\nq2,0,y,0\n")


def test_comments_between_lines_are_left_out(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("id,a,b\nq1,1,0\n# checked by hand\nq2,1,1\n")
    assert [one.rows for one in read_scores(path)] == [2, 2]


def test_hints_name_what_python_takes():
    for part, keyword in KEYWORDS.items():
        assert part in inspect.signature(osc.read).parameters
        assert all(keyword in inspect.signature(function).parameters for function in (osc.compare, osc.score)), keyword
