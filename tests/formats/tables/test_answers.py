"""Answers that are no table: a label per line, `{id: answer}`, and SQuAD with its own normalisation."""

from __future__ import annotations

import json
import re
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import outscore as osc
from outscore.core.errors import OutscoreError
from outscore.formats.tables.labels import normalised


def write(folder: Path, **texts: str) -> list[str]:
    paths = []
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.write_text(text)
        paths.append(str(path))
    return paths


def test_labels_one_per_line(tmp_path):
    """Gold stands first, as for every task; the counts are by hand."""
    gold, a, b = write(tmp_path, gold="yes\nno\nno\nyes\n", a="yes\nyes\nno\nno\n", b="yes\nno\nyes\nyes\n")
    pair = osc.diff(gold, [a, b], task="label").pairs[0]
    assert (pair.outcomes.correction, pair.outcomes.new_error) == (2, 1)


@pytest.mark.parametrize(
    ("gold", "system", "line"), [("yes\n\nno\n", "yes\nno\nno\n", 2), ("yes\nno\n", "yes\n", None), ("", "yes\n", None)]
)
def test_labels_that_do_not_fit_are_refused(tmp_path, gold, system, line):
    paths = write(tmp_path, gold=gold, a=system)
    with pytest.raises(OutscoreError) as caught:
        osc.diff(*paths, task="label")
    assert caught.value.line == line


def test_lines_are_not_matched_with_ids(tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("id,gold\n1,yes\n2,no\n")
    with pytest.raises(OutscoreError, match="no item column"):
        osc.diff(str(gold), *write(tmp_path, a="yes\nno\n"), task="label")


def official(text: str) -> str:
    """SQuAD's `normalize_answer`, step by step."""
    text = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


@given(st.text(st.sampled_from("aAn theTHE.,'-x "), max_size=20))
def test_answers_are_normalised_as_squad_does(text):
    assert normalised(text).replace("(none)", "") == official(text)


def test_squad_accepts_any_answer_after_its_normalisation(tmp_path):
    questions = [("q1", ["the Middle Rhine", "Rhine"]), ("q2", ["1853"]), ("q3", [])]
    qas = [
        {"id": item, "question": "?", "answers": [{"text": text, "answer_start": 0} for text in texts]}
        for item, texts in questions
    ]
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps({"version": "2", "data": [{"title": "x", "paragraphs": [{"context": "", "qas": qas}]}]}))
    answers = {"a": {"q1": "Middle Rhine", "q2": "in 1853", "q3": "x"}, "b": {"q1": "rhine.", "q2": "1853", "q3": ""}}
    for name, given_ in answers.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(given_))
    found = osc.diff(str(gold), [str(tmp_path / "a.json"), str(tmp_path / "b.json")], task="label")
    assert [found.scores[name]["accuracy"] for name in ("a", "b")] == pytest.approx([1 / 3, 1])
