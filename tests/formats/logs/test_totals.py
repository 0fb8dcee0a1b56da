"""Totals without scores of items: said to be that, with the command that tells what they allow."""

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


def mteb(folder: Path, **scores: float) -> Path:
    """As embeddings-benchmark/mteb writes results (in its documentation of version 1.31.6 and 2.21.0)."""
    for task, score in scores.items():
        part = {"accuracy": score, "f1": score - 0.01, "hf_subset": "default", "languages": ["eng-Latn"], "main_score": score}
        said = {"dataset_revision": "0fd1", "task_name": task, "mteb_version": "1.31.6", "scores": {"test": [part]}}
        write(folder / "1" / f"{task}.json", {**said, "evaluation_time": 1.5})
    write(folder / "1" / "model_meta.json", {"name": "x"})
    return folder


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_folders_of_mteb(command, tmp_path):
    """How many items a task has is not said: the fewest that give both scores are taken, and it is said."""
    paths = [mteb(tmp_path / name, Banking=banking, Emotion=0.5) for name, banking in (("amber", 0.849416), ("birch", 0.8474))]
    done = run(command, *paths)
    assert done.exit_code == 2
    assert "has the totals of MTEB only" in done.stderr
    assert "How many items there are is not said" in done.stderr
    proposed = shlex.split(done.stderr.split("`")[-2])
    assert proposed[:5] == ["outscore", "plan", "--scores", "0.849416", "0.8474"]
    assert run(*proposed[1:]).exit_code == 0


def test_one_file_of_mteb(tmp_path):
    mteb(tmp_path / "amber", Banking=0.825)
    done = run("score", tmp_path / "amber" / "1" / "Banking.json")
    assert done.exit_code == 2
    assert "`outscore plan --accuracy 0.825 --n 40`" in done.stderr


def test_scores_of_mteb_that_are_no_shares_get_no_plan(tmp_path):
    path = mteb(tmp_path / "amber", Search=0.4)
    found = json.loads((path / "1" / "Search.json").read_text())
    found["scores"]["test"][0] = {"ndcg_at_10": 0.4, "main_score": 0.4}
    write(path / "1" / "Search.json", found)
    done = run("score", path)
    assert (done.exit_code, "totals of MTEB" in done.stderr, "outscore plan" in done.stderr) == (2, True, False)


def report(share: str) -> dict[str, object]:
    """As data/reports/report.json (neulab/ExplainaBoard 98b6433), where one of 1,821 items lies in no bucket."""
    overall = [{"metric_name": "Accuracy", "value": share, "confidence_score_low": "0.8", "confidence_score_up": "0.9"}]
    parts = [[{"metric_name": "Accuracy", "value": "0.89", "bucket_name": ["0"], "n_samples": n}] for n in (912, 908)]
    results = {"overall": overall, "calibration": None, "fine_grained": {"label": parts, "length": parts}}
    return {"task_name": "text-classification", "model_name": None, "dataset_name": "sst2", "results": results}


def test_reports_of_explainaboard(tmp_path):
    paths = [write(tmp_path / f"{name}.json", report(share)) for name, share in (("amber", "0.8803"), ("birch", "0.8748"))]
    done = run("compare", *paths)
    assert done.exit_code == 2
    assert "totals of ExplainaBoard only" in done.stderr
    proposed = shlex.split(done.stderr.split("`")[-2])
    assert proposed == ["outscore", "plan", "--scores", "0.8803", "0.8748", "--n", "1821"]
    assert run(*proposed[1:]).exit_code == 0


def test_a_report_in_another_layout_is_refused_all_the_same(tmp_path):
    content = report("0.8803")
    content["results"] = {"overall": 1, "fine_grained": [1]}
    done = run("score", write(tmp_path / "a.json", content))
    assert (done.exit_code, "totals of ExplainaBoard" in done.stderr) == (2, True)
