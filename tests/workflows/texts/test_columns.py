"""Columns of tables of texts that are named, or have to be: no table is scored as lines of text."""

from __future__ import annotations

import shlex

import pytest

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.workflows.requests.compare import TextsRequest
from outscore.workflows.texts.run import run

pytest.importorskip("jiwer")

A = "uid,truth,said\nu1,hello world,hello word\nu2,good morning all,good morning all\nu3,one two three,one two\n"
B = "uid,truth,said\nu1,hello world,hello world\nu2,good morning all,good morning all\nu3,one two three,one two three\n"
BOTH = {"reference": "truth", "hypothesis": "said"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {"A.csv": A, "B.csv": B}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def error_rates(*files, reference="A.csv", columns=None, **more):
    request = TextsRequest(files=files, reference=(reference,), metric="wer", text_column=columns or {}, **more)
    return [score.value for score in run(request).comparisons[0].scores]


def refusal(*files, **more):
    with pytest.raises(OutscoreError) as caught:
        error_rates(*files, **more)
    return str(caught.value)


def test_named_columns_are_scored(folder):
    assert error_rates("A.csv", "B.csv", columns=BOTH) == [0.25, 0.0]


def test_a_table_with_unusual_names_is_refused_with_a_command_that_runs(folder):
    said = refusal("A.csv", "B.csv")
    assert said.startswith("`A.csv` is a table without a column of outputs or references; its columns are")
    words = shlex.split(said.split("`")[-2])
    assert words[:2] == ["outscore", "compare"]
    assert words[-2:] == ["A.csv", "B.csv"]
    named = dict(word.split("=") for word in words if "=" in word)
    assert error_rates("A.csv", "B.csv", columns=named) == [0.25, 0.0]


def test_a_table_of_references_alone(folder):
    """It need not have the column of outputs, and the outputs need not have its column."""
    (folder / "gold.csv").write_text("uid,gold\nu1,hello world\nu2,good morning all\nu3,one two three\n")
    (folder / "gold.txt").write_text("hello world\ngood morning all\none two three\n")
    columns = {"reference": "gold", "hypothesis": "said"}
    assert error_rates("A.csv", "B.csv", reference="gold.csv", columns=columns) == [0.25, 0.0]
    assert error_rates("A.csv", "B.csv", reference="gold.txt", columns={"hypothesis": "said"}) == [0.25, 0.0]
    said = refusal("A.csv", "B.csv", reference="gold.csv", columns={"hypothesis": "said"})
    assert "--text-column hypothesis=said --text-column reference=gold" in said
    assert "has no column `gone`" in refusal("A.csv", "B.csv", columns={**BOTH, "reference": "gone"})


def test_several_systems_in_one_table(folder):
    rows = [f"{line},{name}" for name, text in (("a", A), ("b", B)) for line in text.splitlines()[1:]]
    (folder / "one.csv").write_text("\n".join(["uid,truth,said,backend", *rows]) + "\n")
    columns = {**BOTH, "system": "backend", "item": "uid"}
    assert error_rates("one.csv", reference="one.csv", columns=columns) == [0.25, 0.0]
    assert error_rates("one.csv", reference="one.csv", columns=columns, system=("b", "a")) == [0.0, 0.25]


@pytest.mark.parametrize("columns", [{"hypothesis": "answer"}, {"reference": "gold"}, {"item": "id"}, {"system": "model"}])
def test_columns_of_plain_texts_are_refused(folder, columns):
    for name in ("ref.txt", "a.txt", "b.txt"):
        (folder / name).write_text("hello world\ngood morning\n")
    ((part, column),) = columns.items()
    assert f"--text-column {part}={column} names no column" in refusal("a.txt", "b.txt", reference="ref.txt", columns=columns)


def test_columns_are_for_files(folder):
    lines = ["hello world", "good morning"]
    with pytest.raises(OutscoreError, match="text_column"):
        osc.compare_texts(lines, lines, lines, metrics=["wer"], text_column={"hypothesis": "answer"})


def test_real_tables(shared_data):
    """By hand: two of eight words are wrong."""
    a, b = (str(shared_data / "repro" / "scores" / name) for name in ("A.csv", "B.csv"))
    assert error_rates(a, b, reference=a, columns={"reference": "truth", "hypothesis": "asr_out"}) == [0.25, 0.0]
