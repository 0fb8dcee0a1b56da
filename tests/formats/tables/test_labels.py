"""A label per item: which column is taken for what, and every refusal word for word."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest

from outscore import diff
from outscore.core.errors import OutscoreError
from outscore.formats.readers import read_labels

ROWS = [
    {"question_id": "q1", "label": "yes", "prediction": "yes", "topic": "law", "text": "Is it?"},
    {"question_id": "q2", "label": "no", "prediction": "", "topic": "law", "text": "Was it?"},
    {"question_id": "q3", "label": "no", "prediction": "yes", "topic": "art", "text": "Will it, be?"},
    {"question_id": "q4", "label": "no", "prediction": "no", "topic": "art", "text": "Can it?"},
]


def table(separator):
    quoted = [[f'"{value}"' for value in row.values()] for row in ROWS]
    return "\n".join(separator.join(row) for row in [list(ROWS[0]), *quoted]) + "\n"


def parquet():
    buffer = io.BytesIO()
    pl.DataFrame(ROWS).write_parquet(buffer)
    return buffer.getvalue()


FORMS = {
    "csv": table(","),
    "tsv": table("\t"),
    "jsonl": "".join(json.dumps({**row, "prediction": row["prediction"] or None, "meta": [1]}) + "\n" for row in ROWS),
    "parquet": parquet(),
}


def values(labels):
    return [labels[i] for i in range(len(labels))]


@pytest.mark.parametrize("form", FORMS)
def test_forms(write, form):
    items = read_labels(write(FORMS[form], f"new.{form}"))
    assert items.name == "new"
    assert values(items.ids) == ["q1", "q2", "q3", "q4"]
    assert values(items.answers) == ["yes", "(none)", "yes", "no"]
    assert values(items.gold) == ["yes", "no", "no", "no"]
    assert {name: labels.names for name, labels in items.slices.items()} == {"topic": ("law", "art")}
    assert list(items.texts) == ["text"]
    assert items.origin.columns == {"item": ("question_id",), "answer": ("prediction",), "gold": ("label",)}


GAPS = {
    "gold.csv": ("id,gold\n1,a\n2,\n3,b\n", "line 3: found nothing in column `gold`"),
    "gold.jsonl": ('{"id": 1, "gold": "a"}\n{"id": 2, "gold": null}\n{"id": 3, "gold": "b"}\n', "line 2: found nothing"),
    "beside.csv": ("id,prediction,label\n1,a,a\n2,b, \n3,b,b\n", "line 3: found nothing in column `label`"),
}


@pytest.mark.parametrize("file", GAPS)
def test_a_missing_right_answer_is_no_label(write, file):
    content, said = GAPS[file]
    systems = [write("id,prediction\n1,a\n2,b\n3,b\n", "new.csv"), write("id,prediction\n1,a\n2,\n3,a\n", "old.csv")]
    with pytest.raises(OutscoreError, match=said) as refused:
        diff(write(content, file), systems, task="label")
    assert refused.value.hint == "Fill it in, or remove the row."
    kept = "".join(line for line in content.splitlines(keepends=True) if "2" not in line)
    assert diff(write(kept, file), systems, task="label").units == 2


def test_a_missing_right_answer_in_one_table_is_no_label(write):
    path = write("id,gold,new,old\n1,a,a,b\n2,,b,\n3,b,b,b\n")
    with pytest.raises(OutscoreError, match="line 3: found nothing in column `gold`"):
        diff(path, [], task="label")
    answered = diff(write("id,gold,new,old\n1,a,a,b\n2,a,b,\n3,b,b,b\n"), [], task="label")
    assert answered.inventory.unknown == {"old": ["(none)"]}


@pytest.mark.parametrize("missing", [None, float("nan"), "", " "])
def test_a_missing_right_answer_in_a_list_is_no_label(missing):
    with pytest.raises(OutscoreError, match=r"`gold` has no label at index 1\. Fill it in, or remove the item from all lists"):
        diff(["a", missing, "b"], [["a", "b", "b"], ["a", "a", "b"]], task="label")


def test_a_list_of_right_answers_may_be_empty(write):
    gold = write('{"id": 1, "gold": ["a"]}\n{"id": 2, "gold": []}\n', "gold.jsonl")
    system = write('{"id": 1, "prediction": ["a"]}\n{"id": 2, "prediction": []}\n', "new.jsonl")
    assert diff(gold, system, task="label").scores["new"]["accuracy"] == 1


@pytest.mark.parametrize(
    ("header", "role", "answer", "gold"),
    [
        ("id,label", "system", "label", None),
        ("id,label", "gold", "label", None),
        ("id,answer", "gold", "answer", None),
        ("id,gold,label", "system", "label", "gold"),
        ("id,gold,label", "gold", "gold", None),
        ("id,Prediction,Answer", "system", "Prediction", "Answer"),
        ("id,output,target", "system", "output", "target"),
        ("id,prediction,label,answer", "system", "prediction", "label"),
        ("id,prediction,gold label", "gold", "gold label", None),
    ],
)
def test_usual_names(write, header, role, answer, gold):
    path = write(f"{header}\n{','.join('x' * (header.count(',') + 1))}\n")
    origin = read_labels(path, role=role).origin
    assert (origin.column("answer"), origin.column("gold")) == (answer, gold)


def test_columns_by_name(write):
    path = write("k,a,b,c,d\n1,x,y,z,w\n2,x,y,z,w\n")
    items = read_labels(path, "new", item="k", answer="b", gold="a", cluster="c", slices=["d"])
    assert (items.name, items.answers.names, items.gold.names) == ("new", ("y",), ("x",))
    assert items.clusters.names == ("z",)
    assert list(items.slices) == ["d"]


def test_without_ids(write):
    items = read_labels(write("gold,prediction\na,a\nb,a\n"))
    assert values(items.ids) == ["1", "2"]
    assert "item" not in items.origin.columns


WRONG = {
    "empty": ("", {}, "`x.txt` is empty, but a table was expected."),
    "no records": ("id,prediction\n", {}, "`x.txt` has column names but no records."),
    "no answers": ("id,score\nq1,1\n", {}, "`x.txt` has no column of answers among `id` and `score`."),
    "no gold": (
        "id,prediction\nq1,1\n",
        {"role": "gold"},
        "`x.txt` has no column of right answers among `id` and `prediction`.",
    ),
    "unsure": ("id,pred,prediction\nq1,a,b\n", {}, "`x.txt`: `pred` and `prediction` could each be the answer column."),
    "misspelt": ("id,prediction\nq1,a\n", {"answer": "predicton"}, "`x.txt` has no column `predicton`."),
    "twice": ("id,prediction,x,x\nq1,a,b,c\n", {}, "`x.txt` has two columns named `x`."),
    "no id": ("id,prediction\n,a\n", {}, "`x.txt`, line 2: found nothing in column `id`, expected a label."),
    "no right answer": (
        "id,gold,prediction\nq1,,a\n",
        {},
        "`x.txt`, line 2: found nothing in column `gold`, expected a label.",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_refusals(write, case):
    text, options, message = WRONG[case]
    with pytest.raises(OutscoreError) as caught:
        read_labels(write(text), **options)
    assert caught.value.message == message
    assert caught.value.hint


def test_another_task(write):
    """A file of words has no header to find an answer column in."""
    with pytest.raises(OutscoreError, match="`x"):
        read_labels(write("1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n", "x.conllu"))


def test_lists_of_labels(tmp_path):
    """Lists on both sides are sets; a single answer beside gold's list is right if it is one of them."""
    gold, sets, single = (tmp_path / f"{name}.jsonl" for name in ("gold", "sets", "single"))
    gold.write_text('{"id": 1, "label": ["b", "a"]}\n{"id": 2, "label": ["c"]}\n{"id": 3, "label": []}\n')
    sets.write_text('{"id": 1, "label": ["a", "b", "a"]}\n{"id": 2, "label": ["c", "a"]}\n{"id": 3, "label": []}\n')
    single.write_text('{"id": 1, "prediction": "a"}\n{"id": 2, "prediction": "x"}\n{"id": 3, "prediction": "b"}\n')
    found = diff(gold, [sets, single], task="label")
    assert [round(scores["accuracy"], 3) for scores in found.scores.values()] == [0.667, 0.333]
    # No label at all is what gold says of the third: a class like the others, and found by the first system.
    assert [round(scores["macro_f1"], 4) for scores in found.scores.values()] == [0.5, 0.2]
    told = [note.text for note in found.notes if note.kind == "reading"]
    assert told[0] == "Gold lists accepted answers; an answer of single is right if it is one of them."
    assert told[1].startswith("Answers are sets of labels")
