"""The first command that anybody would write for 24 kinds of published results: right at once, or after one question."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from tests.kind_files import ITEMS, KINDS, RIGHT, table
from tests.log_files import ITEMS as LOGGED
from tests.log_files import verdicts
from tests.variants import a_few

from outscore.cli.app import app

SHARES = [float(right.mean()) for right in RIGHT.values()]
WRONG = [1 - share for share in SHARES]
LOGS = [float(one.mean()) for one in verdicts()[:, :, 0]]
AGENTS = [float(np.where(np.arange(LOGGED) == 3, 0, one).mean()) for one in verdicts()[:, :, 0]]
WORDS = sum(len(f"the cat number {i} went home".split()) for i in range(ITEMS))
WER = [wrong * ITEMS / WORDS for wrong in WRONG]
ANSWERS = {
    "14": "rank table.csv --transpose",
    "17": "rank judges.csv --score human",
    "18": "compare amber.csv birch.csv --measure faithfulness --measure answer_relevancy --measure context_recall",
    "23": f"compare amber/results/results.json birch/results/results.json --roster {ITEMS}",
}
"""What those who were asked write."""


def columns(path: str) -> list[float]:
    """The mean of every row of a table with a system in each, by hand."""
    with Path(path).open(newline="") as file:
        _, *rows = csv.reader(file)
    return [sum(map(float, row[1:])) / len(row[1:]) for row in rows]


def logged() -> list[float]:
    return [sum(RIGHT["amber"][: 8 + model].tolist()) / (8 + model) for _ in range(15) for model in range(9)]


MEANS = {
    **dict.fromkeys(("1", "2", "3", "7", "8", "9", "17", "19", "22", "23", "a"), SHARES),
    **dict.fromkeys(("20", "21", "24"), LOGS),
    "4": [float(one.mean()) for one in verdicts(2)],
    "5": AGENTS,
    "6": logged(),
    "10": [wrong / 5 for wrong in WRONG],
    "11": WER,
    "12": WER,
    "13": [wrong / 5 for wrong in WRONG],
    "14": lambda: columns("table.csv"),
    "15": lambda: columns("irt.csv"),
    "16": SHARES[:1],
    "18": [
        *(0.5 + 0.5 * share for share in SHARES),
        *[sum(round(0.6 + i / 200, 3) for i in range(ITEMS)) / ITEMS] * 2,
        *((0.65 * share + 0.4 * (1 - share)) for share in SHARES),
    ],
}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(command: str, *more: str):
    done = CliRunner().invoke(app, [*shlex.split(command), *more], prog_name="outscore")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def scores_in(found: dict) -> list[float]:
    """The scores of a result of any kind: of systems by name, for each measure."""
    if "comparisons" in found:
        return [score["value"] for one in found["comparisons"] for score in one["scores"]]
    if "evaluations" in found:
        return [score["value"] for one in found["evaluations"] for score in one["scores"]]
    if "battles" in found:
        return [pair["win_rate"] for pair in found["pairs"]]
    if isinstance(found["scores"], dict):
        return [one["accuracy"] for one in found["scores"].values()]
    return [one["value"] for one in sorted(found["scores"], key=lambda one: (len(one["system"]), one["system"]))]


@pytest.mark.parametrize("name", a_few([name for name in KINDS if name.split()[0] in MEANS], 12))
def test_the_scores_are_right_at_the_first_command_or_after_the_answer(name):
    kind, number = KINDS[name], name.split()[0]
    kind.write()
    assert bool(kind.asks) == (number in ANSWERS)
    done = run(ANSWERS.get(number, kind.command), "--format", "json")
    assert done.exit_code == 0, done.output
    expected = MEANS[number]
    found = scores_in(json.loads(done.output))
    assert found == pytest.approx(expected() if callable(expected) else expected, abs=1e-12)


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.asks])
def test_the_others_ask_one_question_that_names_the_answer(name):
    kind = KINDS[name]
    kind.write()
    done = run(kind.command)
    assert done.exit_code == 2
    assert kind.asks in done.output
    assert done.output.count("\n") == 1


def test_most_kinds_need_one_command():
    """Those that ask leave a choice that no file makes: which of several scores, columns, or what failed."""
    numbered = [name for name in KINDS if name.split()[0].isdigit()]
    assert len(numbered) == 24
    asking = {name.split()[0] for name in numbered if KINDS[name].asks}
    assert asking == set(ANSWERS) == {"14", "17", "18", "23"}
    assert {name.split()[0] for name in numbered} <= MEANS.keys()


def test_right_answers_are_never_proposed_as_scores():
    for name in RIGHT:
        table(f"{name}.csv", ({"id": i, "output": [str(i)], "correct_answer": i, "temperature": 1.0} for i in range(ITEMS)))
    refused = run("compare amber.csv birch.csv").output
    assert "`amber.csv` has no column of scores: `correct_answer` holds answers." in refused
    assert "--score" not in refused


def test_a_constant_beside_a_score_that_varies_is_said_not_asked_about():
    KINDS["9 Inspect, dictionaries"].write()
    found = json.loads(run("compare amber.json birch.json", "--format", "json").output)["comparisons"][0]
    assert "`judge.refused` is 0 on every row, so `judge.neutral` is taken." in [note["text"] for note in found["notes"]]
    assert run("compare amber.json birch.json --metric judge.refused").exit_code == 0


def test_columns_of_texts_are_said():
    KINDS["12 ASR, other names"].write()
    done = " ".join(run(KINDS["12 ASR, other names"].command).output.split())
    assert "texts in `hypothesis_raw` against references in `normalised_transcript_raw` by `uid`" in done


@pytest.mark.parametrize("names", [("transcript_a", "transcript_b"), ("src_text", "hypothesis_raw"), ("hyp_raw", "hyp_clean")])
def test_columns_of_texts_that_may_be_anything_are_asked_about(names):
    for system in RIGHT:
        table(f"{system}.csv", ({"uid": i, names[0]: f"a cat {i}", names[1]: f"a bat {i}"} for i in range(ITEMS)))
    refused = run("compare amber.csv birch.csv --reference amber.csv --metric wer")
    assert refused.exit_code == 2
    assert "--text-column" in refused.output


def test_a_constant_is_not_proposed_beside_what_varies():
    KINDS["17 TriviaQA judges"].write()
    assert "`human` and `judge_a` could each be the score column" in run("rank judges.csv").output


def test_a_margin_in_per_cent_is_asked_about():
    KINDS["7 results_*.csv"].write()
    done = run("gate results_birch.csv results_amber.csv --margin 5%")
    assert done.exit_code == 2
    assert "'5%' does not say in which units the scores are. Write 0.05 if scores go from 0 to 1, or 5 if they" in done.output
