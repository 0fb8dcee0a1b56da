"""`outscore diff --task label` of logs: answers and targets are read from them, and the p-values are those of their scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.log_files import WRITERS, lm_eval
from tests.variants import a_few

import outscore as osc
from outscore.cli.app import app


def run(*words: object):
    return CliRunner().invoke(app, ["diff", "--task", "label", *(str(word) for word in words)])


def found(*words: object):
    done = run(*words, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.output)


# Accuracies and p as exact tests by other code give them for the scores of the same logs.
REFERENCE = [
    ("lm_eval/two-models", "--log-task additions_sc --filter flexible-first", (90, 70), 0.0385742),
    ("lm_eval/two-models", "--log-task additions_sc --filter maj@3", (95, 77.5), 0.0390625),
    ("lm_eval/two-models", "--log-task additions_sc --filter maj@3 --cluster passage", (95, 77.5), 0.03125),
    ("lm_eval/two-models", "--log-task choices", (48, 58), 0.48685),
    ("openai-evals", "", (83.3333, 66.6667), 0.0413895),
    ("lighteval/details", "", (93.3333, 66.6667), 0.0214844),
    ("lighteval/details", "--cluster passage", (93.3333, 66.6667), 0.125),
    ("every_eval_ever/from-lm_eval/additions_sc", "--filter maj@3", (95, 77.5), 0.0390625),
]


@pytest.mark.parametrize(
    ("path", "options", "accuracies", "p"), a_few(REFERENCE, 3), ids=[f"{path} {options}" for path, options, *_ in REFERENCE]
)
def test_real_logs(shared_data, path, options, accuracies, p):
    result = found(shared_data / "harness-logs" / path, *options.split())
    scores = [100 * result["scores"][system]["accuracy"] for system in result["systems"]]
    assert scores == pytest.approx(accuracies, abs=1e-3)
    assert result["pairs"][0]["p"]["value"] == pytest.approx(p, rel=2e-4)


@pytest.mark.parametrize(
    ("path", "options", "said"),
    [
        ("lm_eval/two-models", "", "The logs contain 3 tasks"),
        ("lm_eval/two-models", "--log-task additions_sc", "scored by 3 filters"),
        ("lm_eval/two-models", "--log-task ende", "is scored as a whole, so its answers are texts, not labels"),
        ("inspect/epochs", "", "contains 60 runs of 20 items"),
        ("inspect/unscored", "", "differently from a comparison with their targets"),
        ("swe-bench", "", "contains scores but no answers"),
        ("every_eval_ever/from-lm_eval/choices", "", "so they are not labels"),
    ],
)
def test_what_is_no_label_is_refused(shared_data, path, options, said):
    done = run(shared_data / "harness-logs" / path, *options.split())
    assert done.exit_code == 2
    assert said in done.output
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", a_few(["lm-eval", "lighteval", "every-eval-ever"], 1))
def test_folders_and_files_of_each_system_serve_alike(name, tmp_path):
    paths = WRITERS[name](tmp_path)
    both, each = found(tmp_path), found(*paths)
    assert both["pairs"] == each["pairs"]
    assert both["systems"] == ["maker/amber", "maker/birch"]
    assert both["pairs"][0]["difference"] == pytest.approx(-0.25)


def test_python_gives_the_same(tmp_path):
    first, second = lm_eval(tmp_path)
    words = found(first, second)
    assert json.loads(json.dumps(osc.diff(first, [second], task="label").to_dict())) == words


def test_questions_are_shown_and_groups_are_slices(tmp_path):
    lm_eval(tmp_path)
    result = found(tmp_path, "--slice", "passage", "--min-support", "1")
    assert "passage" in json.dumps(result["pairs"][0])
    said = run(tmp_path).output
    assert "answers in lm-eval logs are compared with their targets" in " ".join(said.split())


def changed(paths: list[Path], old: str, new: str, count: int = 1) -> None:
    file = next(paths[1].glob("samples_*"))
    file.write_text(file.read_text().replace(old, new, count))


def test_other_right_answers_are_refused(tmp_path):
    paths = lm_eval(tmp_path)
    changed(paths, '"target": "1"', '"target": "2"')
    done = run(*paths, "--force-same")
    assert done.exit_code == 2
    assert "the right answer to `0` is `2`, but `1` in another log" in done.output


def test_what_has_no_answer_is_wrong_and_said(tmp_path):
    paths = lm_eval(tmp_path)
    changed(paths, '"filtered_resps": ["8"]', '"filtered_resps": [null]')
    result = found(*paths)
    assert any("maker/birch gave no answer to 1 item" in note["text"] for note in result["notes"])


def test_a_score_that_judges_one_answer_otherwise_is_said(tmp_path):
    paths = lm_eval(tmp_path)
    changed(paths, '"exact_match": 0.0', '"exact_match": 1.0')
    result = found(*paths)
    assert any(
        "`exact_match` of the log judges 1 answer of maker/birch differently" in note["text"] for note in result["notes"]
    )


def test_logs_name_their_systems_themselves(tmp_path):
    first, second = lm_eval(tmp_path)
    done = run(first, second, "--names", "a")
    assert done.exit_code == 2
    assert "already name their systems" in done.output


def test_what_is_asked_of_logs_only_is_refused_for_tables(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("id,gold,old,new\nq1,yes,no,yes\nq2,no,no,no\n")
    done = run(path, "--log-task", "x")
    assert done.exit_code == 2
    assert "--log-task is for logs of evaluation harnesses" in done.output
