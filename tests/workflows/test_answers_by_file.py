"""`--gold FILE`: answers against the right ones in a file of their own, in every command; SQuAD by its own rules."""

from __future__ import annotations

import json
import random
import re
import string
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import outscore as osc
from outscore.cli.app import app
from outscore.core.errors import OutscoreError

WORDS = ("the", "red", "house", "Of", "an", "old", "man,", "river", "France", "1999", "Rhine.")


def words(rng: random.Random, most: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(most + 1)))


def questions(seed: int = 1, count: int = 60) -> dict[str, list[str]]:
    """Accepted answers by question; some have none, some only an article."""
    rng = random.Random(seed)  # noqa: S311 - no secret
    return {f"q{i}": [words(rng, 4) or "the" for _ in range(rng.randrange(4))] for i in range(count)}


def answers(right: dict[str, list[str]], seed: int) -> dict[str, str]:
    rng = random.Random(seed)  # noqa: S311 - no secret
    return {item: rng.choice([*texts, words(rng, 3), "", (texts or ["x"])[0].upper() + " !"]) for item, texts in right.items()}


def official(texts: list[str], answer: str) -> tuple[float, float]:
    """Exact match and F1 of evaluate-v2.0.py, step by step, written anew."""

    def normal(text: str) -> list[str]:
        bare = "".join(letter for letter in text.lower() if letter not in set(string.punctuation))
        return re.sub(r"\b(a|an|the)\b", " ", bare).split()

    golds = [normal(text) for text in texts if normal(text)] or [[]]
    given = normal(answer)
    exact, f1 = 0.0, 0.0
    for gold in golds:
        exact = max(exact, float(gold == given))
        if not gold or not given:
            f1 = max(f1, float(gold == given))
            continue
        shared = sum((Counter(gold) & Counter(given)).values())
        if shared:
            precision, recall = shared / len(given), shared / len(gold)
            f1 = max(f1, 2 * precision * recall / (precision + recall))
    return exact, f1


RIGHT = questions()
SYSTEMS = {name: answers(RIGHT, seed) for seed, name in enumerate(("old", "new"), 2)}
SCORES = {name: np.array([official(texts, given[item]) for item, texts in RIGHT.items()]) for name, given in SYSTEMS.items()}


def squad(folder: Path) -> list[str]:
    qas = [
        {"id": item, "question": "?", "answers": [{"text": text, "answer_start": 0} for text in texts]}
        for item, texts in RIGHT.items()
    ]
    (folder / "gold.json").write_text(
        json.dumps({"version": "v2.0", "data": [{"title": "t", "paragraphs": [{"context": "", "qas": qas}]}]})
    )
    for name, given in SYSTEMS.items():
        (folder / f"{name}.json").write_text(json.dumps(given))
    return [str(folder / f"{name}.json") for name in ("gold", *SYSTEMS)]


def hugging_face(folder: Path) -> list[str]:
    """A line per question, as `datasets` and `evaluate` have them: answers with their places, and prediction_text."""
    lines = ({"id": item, "answers": {"text": texts, "answer_start": [0] * len(texts)}} for item, texts in RIGHT.items())
    (folder / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    for name, given in SYSTEMS.items():
        rows = ({"id": item, "prediction_text": text} for item, text in given.items())
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [str(folder / f"{name}.jsonl") for name in ("gold", *SYSTEMS)]


WRITERS = [squad, hugging_face]


@pytest.mark.parametrize("write", WRITERS)
def test_exact_match_and_f1_in_every_command(write, tmp_path):
    gold, *systems = write(tmp_path)
    both = osc.compare(*systems, gold=gold, metric="exact_match,f1")
    for place, (name, one) in enumerate(zip(("exact_match", "f1"), both.comparisons, strict=True)):
        assert one.metric == name
        means = [SCORES[system][:, place].mean() for system in SYSTEMS]
        assert [score.value for score in one.scores] == pytest.approx(means, abs=1e-12)
        ranked = osc.rank(systems, gold=gold, metric=name)
        assert {score.system: score.value for score in ranked.scores} == pytest.approx(dict(zip(SYSTEMS, means, strict=True)))
        assert ranked.pairs[0].p.value == pytest.approx(one.p.value, rel=1e-6)
        alone = osc.score(systems, gold=gold, metric=name).systems
        assert [system.value for system in alone] == pytest.approx(means, abs=1e-12)


@pytest.mark.parametrize("write", WRITERS)
def test_diff_has_both_scores_too(write, tmp_path):
    gold, *systems = write(tmp_path)
    found = osc.diff(gold, systems, task="label")
    for name in SYSTEMS:
        assert found.scores[name]["accuracy"] == pytest.approx(SCORES[name][:, 0].mean(), abs=1e-12)
        assert found.scores[name]["f1"] == pytest.approx(SCORES[name][:, 1].mean(), abs=1e-12)
    (other,) = (change for change in found.pairs[0].metrics if change.metric == "f1")
    compared = osc.compare(*systems, gold=gold, metric="f1")
    assert other.difference == pytest.approx(-compared.difference, abs=1e-12)
    assert other.p.value == pytest.approx(compared.p.value, rel=1e-9)


def test_the_command_line(tmp_path):
    gold, *systems = squad(tmp_path)
    done = CliRunner().invoke(app, ["compare", *systems, "--gold", gold])
    assert done.exit_code == 2
    assert "`exact_match` and `f1`" in done.stderr
    for command in (["compare", *systems], ["rank", *systems], ["score", systems[0]], ["gate", *systems, "--margin", ".1"]):
        done = CliRunner().invoke(app, [*command, "--gold", gold, "--metric", "f1"])
        assert done.exit_code in (0, 1, 3), done.output
        assert done.stdout


def test_labels_against_a_file(tmp_path):
    """A label per line, and a table: right where they are equal."""
    texts = {"gold": "yes\nno\nno\nyes\n", "a": "yes\nyes\nno\nno\n", "b": "yes\nno\nyes\nyes\n"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text)
        rows = "".join(f"{number},{line}\n" for number, line in enumerate(text.split()))
        (tmp_path / f"{name}.csv").write_text(f"id,label\n{rows}")
    for ending in ("txt", "csv"):
        gold, a, b = (str(tmp_path / f"{name}.{ending}") for name in texts)
        found = osc.compare(a, b, gold=gold)
        assert [score.value for score in found.scores] == [0.5, 0.75]


def test_metrics_of_classes_have_another_command(tmp_path):
    for name, labels in {"gold": "yyn", "a": "yny", "b": "nyn"}.items():
        (tmp_path / f"{name}.csv").write_text("id,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    gold, a, b = (str(tmp_path / f"{name}.csv") for name in ("gold", "a", "b"))
    with pytest.raises(OutscoreError) as refused:
        osc.compare(a, b, gold=gold, metric="macro-f1")
    assert refused.value.parameter == "metric"
    assert "logs" not in refused.value.message
    command = ["rank", "--task", "label", "--gold", gold, a, b, "--metric", "macro-f1"]
    assert " ".join(command[:3]) in refused.value.hint
    assert CliRunner().invoke(app, command).exit_code == 0


def test_questions_without_an_answer_count_as_wrong_and_are_said(tmp_path):
    gold, old, _ = squad(tmp_path)
    given = json.loads(Path(old).read_text())
    left = dict(list(given.items())[:57])
    Path(old).write_text(json.dumps(left))
    found = osc.score(old, gold=gold, metric="exact_match")
    assert found.systems[0].value == pytest.approx(SCORES["old"][:57, 0].sum() / 60)
    assert any("answers 57 of 60 questions" in note.text for note in found.notes)


def test_a_name_that_is_a_file_and_a_column_is_asked_about(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("truth").write_text("id,gold\n1,yes\n2,no\n")
    Path("a.csv").write_text("id,prediction,truth\n1,yes,no\n2,no,no\n")
    with pytest.raises(OutscoreError, match="is a file and a column") as caught:
        osc.score("a.csv", gold="truth")
    assert caught.value.parameter == "gold"
    assert osc.score("a.csv", gold="./truth").systems[0].value == 1


def test_a_column_of_right_answers_is_still_one(tmp_path):
    (tmp_path / "a.csv").write_text("id,prediction,truth\n1,yes,no\n2,no,no\n3,no,no\n")
    assert osc.score(str(tmp_path / "a.csv"), gold="truth").systems[0].value == pytest.approx(2 / 3)


@pytest.mark.parametrize("command", ["rank", "score"])
def test_one_measure_at_a_time_is_said_with_a_command(command, tmp_path):
    gold, *systems = squad(tmp_path)
    done = CliRunner().invoke(app, [command, *systems, "--gold", gold, "--metric", "exact_match,f1"])
    assert done.exit_code == 2
    assert f"`{command}` takes one" in done.stderr


def test_words_are_no_answers(tmp_path):
    """Tags and trees are compared by task."""
    from tests.diff_files import write_trees

    gold, old, new, _ = map(str, write_trees(tmp_path).values())
    with pytest.raises(OutscoreError, match="is CoNLL-U, but a table with a label per item was expected") as caught:
        osc.compare(old, new, gold=gold)
    assert "--task pos" in caught.value.hint
