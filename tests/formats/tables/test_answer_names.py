"""Columns named like right answers and predictions are never systems; what could be either is asked about."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.variants import crossed

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.readers import read_scores

PAIRS = [
    "y_true,y_pred",
    "y,y_hat",
    "y_test,y_pred",
    "Y True,Y Pred",
    "gt,pred",
    "true,pred",
    "actual,predicted",
    "expected,actual",
    "target,output",
    "expected_output,output",
    "expected_output,actual_output",
    "true_label,pred_label",
    "label,prediction",
    "ground_truth,answer",
]
CLASSES = {"numbers": ["0", "1"], "words": ["cat", "dog", "owl"], "texts": [f"the answer is {i}" for i in range(60)]}


def table(header, *columns):
    rows = (",".join(map(str, row)) for row in zip(*columns, strict=True))
    return f"{header}\n" + "".join(f"q{i},{row}\n" for i, row in enumerate(rows))


@pytest.fixture
def write(tmp_path):
    def make(text: str, name: str = "x.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return make


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("names", PAIRS)
def test_predictions_are_scored_by_the_right_answers_beside_them(names, kind, write):
    rng = np.random.default_rng(5)
    values = CLASSES[kind]
    gold = [values[i % len(values)] for i in range(60)]
    answers = [right if rng.random() < 0.7 else values[(i + 1) % len(values)] for i, right in enumerate(gold)]
    (found,) = read_scores(write(table(f"id,{names}", gold, answers)))
    right, prediction = names.split(",")
    assert found.values.tolist() == [int(one == other) for one, other in zip(gold, answers, strict=True)]
    assert found.origin.columns == {"item": ("id",), "answer": (prediction,), "gold": (right,)}


def test_systems_beside_y_true_are_answers(write):
    path = write(table("id,y_true,forest,linear", [0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]))
    forest, linear = read_scores(path)
    assert (forest.values.tolist(), linear.values.tolist()) == ([1, 1, 0, 1], [0, 1, 1, 1])
    assert "scores: `forest` and `linear`, each = `y_true` (1 right, 0 wrong)" in " ".join(osc.rank(path).to_text().split())


@pytest.mark.parametrize("names", ["x,y", "true,false", "actual,new", "true,base"])
@pytest.mark.parametrize("values", [[0, 1, 1, 0], [0.25, 0.5, 0.75, 0.5]])
def test_short_names_without_a_prediction_are_systems(names, values, write):
    found = read_scores(write(table(f"id,{names}", values, values[::-1])))
    assert [one.name for one in found] == names.split(",")
    assert found[0].values.tolist() == values


@pytest.mark.parametrize("values", [[0, 1, 1, 0, 1, 1], [0.25, 0.5, 0.75, 0.5, 1.0, 0.0]])
def test_a_system_called_target_is_asked_about_with_options_that_run(values, write):
    path = write(table("id,target,base", values, values[::-1]))
    with pytest.raises(OutscoreError) as caught:
        osc.compare(path)
    systems = re.findall(r"--system (\w+)", caught.value.hint)
    assert sorted(systems) == ["base", "target"]
    found = osc.compare(path, systems=systems)
    assert {one.system: one.value for one in found.scores} == dict.fromkeys(systems, pytest.approx(np.mean(values)))


def test_measured_values_are_no_answers(write):
    with pytest.raises(OutscoreError, match="`y_true` and `y_pred` could each be the score column") as caught:
        osc.score(write(table("id,y_true,y_pred", [0.25, 0.5], [0.2, 0.6])))
    assert "add a column of errors" in caught.value.hint


def test_whole_responses_are_asked_about_with_the_columns_found(write):
    path = write(table("id,expected_output,output", ["Paris", "Rome", "Oslo"], ["It is Paris", "I think Rome", "Oslo"]))
    with pytest.raises(OutscoreError) as caught:
        osc.score(path)
    assert "--prediction output --gold expected_output" in caught.value.hint
    assert osc.score(path, prediction="output", gold="expected_output").systems[0].value == pytest.approx(1 / 3)


@pytest.mark.parametrize("form", ["file", "table"])
def test_probabilities_are_not_scored_as_answers(form, write):
    polars = pytest.importorskip("polars")
    given = polars.DataFrame({"id": range(6), "y_true": [0, 1] * 3, "y_pred": [0.0, 1.0, 0.25, 0.5, 0.125, 0.75]})
    if form == "file":
        path = write("", "x.json")
        given.write_json(path)
        given = path
    with pytest.raises(
        OutscoreError, match=r"4 of 6 answers of `\w+` are fractions, such as 0.25, where the right answers are"
    ):
        osc.score(given)


def test_a_number_among_whole_answers_may_have_a_fraction(write):
    (found,) = read_scores(write(table("id,answer,pred", [18, 7, 3, 5], [18, 7.5, 3, 5])))
    assert found.values.tolist() == [1, 0, 1, 1]


def test_rows_without_ids_are_told_how_they_are_items(write):
    path = write("y_true,y_pred\n0,0\n1,1\n1,0\n0,0\n")
    with pytest.raises(OutscoreError, match="has no item column among `y_true` and `y_pred`") as caught:
        osc.score(path)
    assert "write --item none" in caught.value.hint
    assert osc.score(path, items="none").systems[0].value == 0.75


def test_one_system_says_what_was_read_as_what(write):
    with pytest.raises(OutscoreError, match="`y_pred` was read as answers to `y_true`: name the other system's file too"):
        osc.compare(write(table("id,y_true,y_pred", [0, 1], [0, 1])))


def test_the_files_of_scikit_learn_users(shared_data):
    folder = shared_data / "repro" / "scores" / "sklearn"
    if not folder.is_dir():
        pytest.skip("these files are not here")
    assert osc.score(folder / "logreg.csv").systems[0].value == pytest.approx(0.9807, abs=5e-5)
    for given in ([folder / "preds_wide.csv"], [folder / "logreg.csv", folder / "forest.csv"]):
        found = osc.compare(*given)
        assert [one.value for one in found.scores] == pytest.approx([0.9807, 0.9613], abs=5e-5)
        assert found.p.value == pytest.approx(0.0347, abs=5e-5)
        assert [one.system for one in osc.rank(given).scores] == ["logreg", "forest"]
        linear, forest = read_scores(given[0]) if len(given) == 1 else (read_scores(path)[0] for path in given)
        assert ((linear.values > forest.values).sum(), (linear.values < forest.values).sum()) == (17, 6)


GOLD = [i % 4 for i in range(24)]
NEW = [right if i % 5 else (right + 1) % 4 for i, right in enumerate(GOLD)]
OLD = [right if i % 2 else (right + 1) % 4 for i, right in enumerate(GOLD)]
RIGHT = [[int(one == right) for one, right in zip(answers, GOLD, strict=True)] for answers in (NEW, OLD)]
REPEATED = [
    "y_true_A,y_pred_A,y_true_B,y_pred_B",
    "A_true,A_pred,B_true,B_pred",
    "gold 1,prediction 1,gold 2,prediction 2",
    "y_true1,y_pred1,y_true2,y_pred2",
    "expected_output_new,output_new,expected_output_old,output_old",
]


@pytest.mark.parametrize(("form", "names"), crossed(["file", "table"], REPEATED))
def test_right_answers_may_be_repeated_for_each_system(names, form, write):
    path = write(table(f"id,{names}", GOLD, NEW, GOLD, OLD))
    given = path if form == "file" else pytest.importorskip("polars").read_csv(path)
    columns = names.split(",")
    for asked in ({}, {"systems": columns[1::2]}):
        found = osc.compare(given, **asked)
        assert [(one.system, one.value) for one in found.scores] == [
            (name, np.mean(right)) for name, right in zip(columns[1::2], RIGHT, strict=True)
        ]
    assert [one.system for one in osc.rank(given).scores] == columns[1::2]


def test_repeated_right_answers_are_those_of_diff(write):
    path = write(table(f"id,{REPEATED[0]}", GOLD, NEW, GOLD, OLD))
    found = osc.diff(path, [], task="label")
    assert {name: scores["accuracy"] for name, scores in found.scores.items()} == {
        "y_pred_A": pytest.approx(np.mean(RIGHT[0])),
        "y_pred_B": pytest.approx(np.mean(RIGHT[1])),
    }


def test_a_right_answer_that_differs_between_systems_is_refused(write):
    other = [*GOLD[:7], 9, *GOLD[8:]]
    path = write(table(f"id,{REPEATED[0]}", GOLD, NEW, other, OLD))
    said = "line 9: found `9` in `y_true_B` beside `3` in `y_true_A`, expected one right answer"
    for ask in (lambda: osc.compare(path), lambda: osc.diff(path, [], task="label")):
        with pytest.raises(OutscoreError, match=said):
            ask()
    frame = pytest.importorskip("polars").read_csv(path)
    with pytest.raises(OutscoreError, match=said.replace("line 9", "row 8")):
        osc.compare(frame)


def test_repeated_right_answers_are_no_systems(write):
    path = write(table(f"id,{REPEATED[0]}", GOLD, NEW, GOLD, OLD))
    assert [one.name for one in read_scores(path, gold="y_true_A")] == ["y_pred_A", "y_pred_B"]
    assert "of the 3 systems" not in osc.compare(path, gold="y_true_A").to_text()
    halves = [[x + 0.5 for x in values] for values in (GOLD, NEW, GOLD, OLD)]
    with pytest.raises(OutscoreError, match="could each be the score column") as caught:
        osc.rank(write(table(f"id,{REPEATED[0]}", *halves)))
    assert "measured values and their predictions" in caught.value.hint


@pytest.mark.parametrize("name", ["true", "Actual", "y"])
def test_words_beside_a_short_name_are_answers_to_it(name, write):
    words = [[f"class {x}" for x in values] for values in (GOLD, NEW, OLD)]
    path = write(table(f"id,{name},new,old", *words))
    assert [one.values.tolist() for one in read_scores(path)] == RIGHT
    assert list(osc.diff(path, [], task="label").systems) == ["new", "old"]


@pytest.mark.parametrize("names", ["true,new,old", "actual,new,old", "y,new,old"])
@pytest.mark.parametrize("classes", [2, 4])
def test_numbers_beside_a_short_name_are_asked_about_with_options_that_run(names, classes, write):
    values = [[x % classes for x in one] for one in (GOLD, NEW, OLD)]
    path = write(table(f"id,{names}", *values))
    for door in (osc.compare, osc.rank):
        with pytest.raises(OutscoreError, match="`new` and `old` may be answers to") as caught:
            door(path)
        assert re.findall(r"--system (\w+)", caught.value.hint) == ["new", "old"]
    gold = names.split(",")[0]
    assert [one.value for one in osc.compare(path, gold=gold).scores] == pytest.approx([np.mean(one) for one in RIGHT])
    scores = osc.compare(path, systems=["new", "old"]).scores
    assert [one.value for one in scores] == pytest.approx([np.mean(one) for one in values[1:]])


def test_one_system_beside_classes_called_true_is_asked_about(write):
    path = write(table("id,true,new", GOLD, NEW))
    with pytest.raises(OutscoreError, match="`new` may be answers to `true`, or scores") as caught:
        osc.compare(path)
    assert re.findall(r"--system (\w+)", caught.value.hint) == ["true", "new"]
    assert osc.score(path, gold="true").systems[0].value == pytest.approx(np.mean(RIGHT[0]))


def test_x_and_y_are_systems(write):
    assert [one.name for one in read_scores(write(table("id,x,y,z", GOLD, NEW, OLD)))] == ["x", "y", "z"]
