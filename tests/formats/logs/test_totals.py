"""Totals of lm-evaluation-harness without samples: said to be that, with the command that tells what they allow."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.log_files import lm_eval, write

from outscore.cli.app import app


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def totals(folder: Path) -> list[Path]:
    """What two runs leave without --log_samples."""
    paths = lm_eval(folder)
    for path in paths:
        next(path.glob("samples_*")).unlink()
        (results,) = path.glob("results_*")
        content = json.loads(results.read_text())
        write(results, {**content, "n-samples": {"sums": {"original": 12, "effective": 12}}})
    return paths


@pytest.mark.parametrize("command", ["compare", "rank"])
@pytest.mark.parametrize("inside", [False, True])
def test_two_runs_without_samples(command, inside, tmp_path):
    paths = totals(tmp_path)
    done = run(command, *(next(path.glob("results_*")) if inside else path for path in paths))
    assert done.exit_code == 2
    assert "--log_samples" in done.stderr
    proposed = shlex.split(done.stderr.split("`")[-2])
    assert proposed == ["outscore", "plan", "--scores", "0.75", "0.5", "--n", "12"]
    assert run(*proposed[1:]).exit_code == 0


def test_a_listing_of_nothing_else_says_it_of_both(tmp_path):
    done = run("show", *totals(tmp_path))
    assert done.exit_code == 2
    assert done.stderr.split("`")[-2] == "outscore plan --scores 0.75 0.5 --n 12"


@pytest.mark.parametrize("command", ["score", "show"])
def test_one_run_without_samples(command, tmp_path):
    done = run(command, totals(tmp_path)[0])
    assert done.exit_code == 2
    proposed = shlex.split(done.stderr.split("`")[-2])
    assert proposed == ["outscore", "plan", "--accuracy", "0.75", "--n", "12"]
    assert run(*proposed[1:]).exit_code == 0


def test_totals_that_are_no_accuracies_get_no_plan(tmp_path):
    paths = totals(tmp_path)
    for path in paths:
        (results,) = path.glob("results_*")
        content = json.loads(results.read_text())
        content["results"] = {"sums": {"alias": "sums", "bleu,none": 23.1, "f1,none": 0.777, "f1_stderr,none": 0.5}}
        write(results, content)
    done = run("compare", *paths)
    assert done.exit_code == 2
    assert "--log_samples" in done.stderr
    assert "outscore plan" not in done.stderr


def test_real_totals(shared_data, tmp_path):
    """One of the results of lm-evaluation-harness 0.4.13, without its samples."""
    (real,) = (shared_data / "harness-logs" / "lm_eval" / "two-models" / "scripted__amber").glob("results_*.json")
    path = write(tmp_path / real.name, real.read_text())
    done = run("score", path)
    assert done.exit_code == 2
    assert "`outscore plan --accuracy 0.6 --n 40`" in done.stderr


def test_samples_beside_their_totals_are_read(tmp_path):
    assert run("compare", *lm_eval(tmp_path)).exit_code == 0
