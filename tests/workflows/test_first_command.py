"""The first command that anybody would write for 24 kinds of published results: right at once, or after one question."""

from __future__ import annotations

import json
import shlex

import numpy as np
import pytest
from click.testing import CliRunner
from tests.kind_files import ITEMS, KINDS, RIGHT
from tests.log_files import ITEMS as LOGGED
from tests.log_files import verdicts

from outscore.cli.app import app

AMBER, BIRCH = (float(right.mean()) for right in RIGHT.values())
LOGS = tuple(float(one.mean()) for one in verdicts()[:, :, 0])
AGENTS = tuple(float(np.where(np.arange(LOGGED) == 3, 0, one).mean()) for one in verdicts()[:, :, 0])
WORDS = sum(len(f"the cat number {i} went home".split()) for i in range(ITEMS))
MEANS = {
    "1": (AMBER, BIRCH),
    "2": (AMBER, BIRCH),
    "4": tuple(float(one.mean()) for one in verdicts(2)),
    "5": AGENTS,
    "7": (AMBER, BIRCH),
    "8": (AMBER, BIRCH),
    "10": ((1 - AMBER) / 5, (1 - BIRCH) / 5),
    "11": ((1 - AMBER) * ITEMS / WORDS, (1 - BIRCH) * ITEMS / WORDS),
    "13": ((1 - AMBER) / 5, (1 - BIRCH) / 5),
    "19": (AMBER, BIRCH),
    "20": LOGS,
    "22": (AMBER, BIRCH),
    "24": LOGS,
}


@pytest.fixture(autouse=True)
def _in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(command: str, *more: str):
    done = CliRunner().invoke(app, [*shlex.split(command), *more], prog_name="outscore")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not kind.asks])
def test_the_first_command_is_right(name):
    kind = KINDS[name]
    kind.write()
    done = run(kind.command, "--format", "json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.output)
    if name.split()[0] in MEANS:
        (compared,) = found["comparisons"]
        means = tuple(score["value"] for score in compared["scores"])
        assert means == pytest.approx(MEANS[name.split()[0]], abs=1e-12)


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
    at_once = [name for name in numbered if not KINDS[name].asks]
    assert len(at_once) == 17
    assert {name.split()[0] for name in numbered} - {name.split()[0] for name in at_once} == {
        "9",
        "12",
        "14",
        "17",
        "18",
        "21",
        "23",
    }


def test_right_answers_are_never_proposed_as_scores():
    KINDS["21 ZeroEval"].write()
    refused = run(KINDS["21 ZeroEval"].command).output
    assert "`amber.json` has no column of scores: `correct_answer` holds answers." in refused
    assert "--score" not in refused


def test_a_constant_is_not_proposed_beside_what_varies():
    KINDS["17 TriviaQA judges"].write()
    assert "`human` and `judge_a` could each be the score column" in run("rank judges.csv").output


def test_a_margin_in_per_cent_is_asked_about():
    KINDS["7 results_*.csv"].write()
    done = run("gate results_birch.csv results_amber.csv --margin 5%")
    assert done.exit_code == 2
    assert "'5%' does not say in which units the scores are. Write 0.05 if scores go from 0 to 1, or 5 if they" in done.output
