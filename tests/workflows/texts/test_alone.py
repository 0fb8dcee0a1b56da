"""`score --reference` and `plan --reference`: the interval of a corpus score, and how many segments a difference takes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sacrebleu")

from click.testing import CliRunner
from tests.workflows.texts.test_documents import REFERENCE, SYSTEMS, lines, noisy, write_jsonl

import outscore as osc
from outscore.cli.app import app
from outscore.core.errors import OutscoreError


def found(*words: object):
    done = CliRunner().invoke(app, [*map(str, words), "--format", "json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


@pytest.fixture
def files(tmp_path) -> dict[str, Path]:
    paths = {}
    for name, texts in {"ref": REFERENCE, **SYSTEMS}.items():
        paths[name] = tmp_path / f"{name}.txt"
        paths[name].write_text("\n".join(texts) + "\n")
    return paths


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter", "wer", "sentence-bleu"])
def test_scores_and_intervals_are_those_of_a_ranking(metric, files):
    systems = [files["a"], files["b"]]
    alone = found("score", *systems, "--reference", files["ref"], "--metric", metric)
    ranked = found("rank", *systems, "--reference", files["ref"], "--metric", metric)
    ours = {one["system"]: (one["value"], one["low"], one["high"]) for one in alone["systems"]}
    theirs = {one["system"]: (one["value"], one["low"], one["high"]) for one in ranked["scores"]}
    assert ours.keys() == theirs.keys() == set(SYSTEMS)
    for name, numbers in ours.items():
        assert numbers == pytest.approx(theirs[name], rel=1e-12)
    assert alone["higher_is_better"] is (metric not in ("ter", "wer"))
    one = found("score", files["a"], "--reference", files["ref"], "--metric", metric)["systems"][0]
    assert (one["value"], one["n"]) == (ours["a"][0], len(REFERENCE))


def test_the_interval_is_near_that_of_a_naive_bootstrap(files):
    """2,000 corpora drawn with replacement, whose BLEU sacreBLEU computes."""
    import sacrebleu

    reference = lines(9, 120)
    texts = noisy(reference, 10, 0.25)
    result = osc.score({"a": texts}, reference=reference, metric="bleu").systems[0]
    rng = np.random.default_rng(1)
    rows = sacrebleu.BLEU()._extract_corpus_statistics(texts, [reference])
    table = np.array(rows, dtype=float)
    drawn = []
    for _ in range(2000):
        sums = table[rng.integers(len(table), size=len(table))].sum(axis=0)
        drawn.append(sacrebleu.BLEU()._compute_score_from_stats(sums.tolist()).score)
    assert result.value == pytest.approx(sacrebleu.BLEU().corpus_score(texts, [reference]).score)
    assert result.error == pytest.approx(np.std(drawn), rel=0.1)
    assert (result.low, result.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.35 * np.std(drawn))


def test_documents_widen_the_interval_and_are_counted(tmp_path):
    paths = write_jsonl(tmp_path, lambda i: f"d{i // 4}")
    by_document = found("score", paths[0], "--reference", paths[0], "--metric", "ter")["systems"][0]
    alone = found("score", paths[0], "--reference", paths[0], "--metric", "ter", "--cluster", "none")["systems"][0]
    assert (by_document["clusters"], alone["clusters"]) == (6, None)
    assert by_document["value"] == alone["value"]
    assert by_document["error"] != alone["error"]


def test_runs_of_one_system_are_averaged(tmp_path, files):
    """A quoted pattern names runs: the score is the mean of theirs."""
    for run in range(3):
        (tmp_path / f"run{run}.txt").write_text("\n".join(noisy(REFERENCE, 20 + run, 0.2)) + "\n")
    one = found("score", tmp_path / "run?.txt", "--reference", files["ref"], "--metric", "ter")["systems"][0]
    each = [
        found("score", tmp_path / f"run{run}.txt", "--reference", files["ref"], "--metric", "ter")["systems"][0]["value"]
        for run in range(3)
    ]
    assert one["value"] == pytest.approx(np.mean(each))
    assert one["repeats"] == 3


def test_test_sets_are_averaged(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("en-de", 1), ("en-fr", 2)):
        reference = lines(seed, 30)
        Path(f"ref.{name}.txt").write_text("\n".join(reference) + "\n")
        Path(f"a.{name}.txt").write_text("\n".join(noisy(reference, seed + 5, 0.2)) + "\n")
    one = found("score", "a.{dataset}.txt", "--reference", "ref.{dataset}.txt", "--metric", "chrf")["systems"][0]
    parts = [part["value"] for part in one["datasets"]]
    assert len(parts) == 2
    assert one["value"] == pytest.approx(np.mean(parts))


def test_what_is_for_scores_or_for_texts_is_refused(files):
    for words in (
        ["--reference", files["ref"], "--metric", "bleu,chrf"],
        ["--reference", files["ref"], "--item", "x"],
        ["--metric", "bleu"],
        ["--documents", files["ref"]],
    ):
        done = CliRunner().invoke(app, ["score", str(files["a"]), *map(str, words)])
        assert done.exit_code == 2
        assert done.stderr.count("\n") == 1


def test_a_plan_from_texts_agrees_with_their_comparison(files):
    """The segments that the observed difference takes are those that `compare` names."""
    pilot = ["--pilot", files["a"], files["b"], "--reference", files["ref"]]
    for metric in ("bleu", "ter"):
        plan = found("plan", *pilot, "--metric", metric)
        compared = found("compare", files["a"], files["b"], "--reference", files["ref"], "--metric", metric)["comparisons"][0]
        needed = compared["power"]["needed"]
        assert needed is None or plan["n"] == pytest.approx(needed, rel=0.1)
        assert plan["design"]["sd"] > 0
    smaller, larger = (found("plan", *pilot, "--metric", "bleu", "--effect", effect)["n"] for effect in (1, 4))
    assert smaller > 10 * larger


def test_a_plan_says_what_so_many_segments_detect(files):
    plan = found("plan", "--pilot", files["a"], files["b"], "--reference", files["ref"], "--metric", "bleu", "--n", 2000)
    assert f"in {plan['design']['measure']} with power" in plan["verdict"]
    assert "bleu" in plan["design"]["measure"].lower()
    back = found(
        "plan", "--pilot", files["a"], files["b"], "--reference", files["ref"], "--metric", "bleu", "--effect", plan["effect"]
    )
    assert back["n"] == pytest.approx(2000, rel=0.01)


def test_a_metric_of_texts_needs_texts_in_a_plan(files):
    with pytest.raises(OutscoreError):
        osc.plan(pilot=[files["a"], files["b"]], metric="bleu")


def test_columns_of_texts_are_matched_by_their_labels():
    texts = pd.Series([f"number {i} sat on the mat of {i * 7 % 5} today" for i in range(12)], index=list("abcdefghijkl"))
    found = osc.compare_texts(texts[::-1], texts, texts, metrics=["ter"]).comparisons[0]
    assert [one.value for one in found.scores] == [0.0, 0.0]
