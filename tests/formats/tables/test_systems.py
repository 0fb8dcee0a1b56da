"""From one file or two to the two systems that are compared."""

from __future__ import annotations

import json

import pytest

from outscore.core.errors import OutscoreError
from outscore.workflows.load import load_pair
from outscore.workflows.prepare import prepare
from outscore.workflows.requests.compare import CompareRequest

THREE = "id,a,b,c\nq1,1,0,1\nq2,1,1,0\n"


def test_one_wide_file(write):
    two = load_pair([write("id,new,old,doc\nq1,1,0,d1\nq2,0,1,d1\n", "x.csv")])
    assert two.names == ("new", "old")
    assert [one.values.tolist() for one in two.scores] == [[1, 0], [0, 1]]
    assert two.scores[0].clusters.texts() == ["d1", "d1"]
    assert not two.counts
    assert [(table.path, table.rows, len(table.sha256)) for table in two.origins] == [("x.csv", 2, 64)]


def test_two_of_many(write):
    two = load_pair([write(THREE, "x.csv")], systems=("c", "a"))
    assert two.names == ("c", "a")
    assert two.scores[0].values.tolist() == [1, 0]


def test_two_files_by_id(write):
    write("id,score\nq1,1\nq2,0\nq4,1\n", "new.csv")
    write("".join(json.dumps({"id": item, "score": 1}) + "\n" for item in ("q2", "q3", "q1")), "old.jsonl")
    two = load_pair(["new.csv", "old.jsonl"])
    assert two.names == ("new", "old")
    aligned = prepare(CompareRequest(), two).aligned
    assert (aligned.items, aligned.left_out, aligned.labels) == (2, (1, 1), ("q1", "q2"))
    assert [table.format for table in two.origins] == ["csv", "jsonl"]


def test_two_files_are_called_by_their_systems(write):
    write("id,model,score\nq1,gpt,1\n", "x.csv")
    write("id,model,score\nq1,llama,1\n", "y.csv")
    assert load_pair(["x.csv", "y.csv"]).names == ("gpt", "llama")
    assert load_pair(["x.csv", "x.csv"]).names == ("x", "x (2)")
    assert load_pair(["x.csv", "y.csv"], ("A", "B")).names == ("A", "B")


def test_systems_of_two_files_by_choice(write):
    write(THREE, "x.csv")
    write(THREE, "y.csv")
    two = load_pair(["x.csv", "y.csv"], systems=("a", "c"))
    assert [one.values.tolist() for one in two.scores] == [[1, 1], [1, 0]]


def test_columns_of_counts(write):
    two = load_pair(
        [write("id,model,tp,wrong\nq1,a,1,2\nq1,b,3,4\n", "x.csv")], score=("tp", "wrong")
    )  # fmt: skip
    assert two.counts
    assert two.scores[1].values.tolist() == [[3, 4]]


def test_duplicates(write):
    name = write("id,model,score\nq1,a,1\nq1,a,0\nq1,b,1\n", "x.csv")
    aligned = prepare(CompareRequest(duplicates="mean"), load_pair([name])).aligned
    assert aligned.scores[0].values.tolist() == [0.5]
    assert (aligned.items, aligned.duplicates, aligned.conflicts) == (1, 1, 1)


ERRORS = {
    "many": (["three.csv"], {}),
    "many-in-two-files": (["three.csv", "one.csv"], {}),
    "one": (["one.csv"], {}),
    "one-of-a-table": (["long.csv"], {}),
    "bare-and-table": (["bare.txt", "one.csv"], {}),
    "chosen-once": (["three.csv"], {"systems": ("a",)}),
    "chosen-twice": (["three.csv"], {"systems": ("a", "a")}),
    "chosen-unknown": (["three.csv", "one.csv"], {"systems": ("d", "one")}),
    "rule": (["three.csv"], {"systems": ("a", "b")}),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(write, golden, name):
    write(THREE, "three.csv")
    write("id,score\nq1,1\n", "one.csv")
    write("id,model,score\nq1,gpt,1\n", "long.csv")
    write("1\n", "bare.txt")
    paths, columns = ERRORS[name]
    with pytest.raises(OutscoreError) as caught:
        prepare(CompareRequest(duplicates="middle" if name == "rule" else "stop"), load_pair(paths, **columns))
    assert "\n" not in str(caught.value)
    golden(f"formats/systems-{name}.txt", f"{caught.value}\n")
