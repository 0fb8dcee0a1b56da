"""Logs of evaluation harnesses through the command line: real files with the p-values computed by independent code."""

from __future__ import annotations

import json
import re

import polars as pl
import pytest
from click.testing import CliRunner
from tests.formats.logs.test_contract import REPEATED
from tests.log_files import WRITERS, lm_eval
from tests.variants import a_few

import outscore as osc
from outscore.cli.app import app

METRICS = {"evalplus": "base", "promptfoo": "success", "deepeval": "success"}


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def compared(*words: object):
    done = run("compare", *words, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.output)["comparisons"][0]


# Scores of both systems and p, as exact tests by other code give them; differences are amber - birch.
REFERENCE = [
    ("lm_eval/two-models", "--log-task additions_sc --filter flexible-first", (0.9, 0.7), 0.0385742),
    ("lm_eval/two-models", "--log-task additions_sc --filter flexible-first --cluster passage", (0.9, 0.7), 0.0546875),
    ("lm_eval/two-models", "--log-task additions_sc --filter maj@3", (0.95, 0.775), 0.0390625),
    ("lm_eval/two-models", "--log-task additions_sc --filter maj@3 --cluster passage", (0.95, 0.775), 0.03125),
    ("lm_eval/two-models", "--log-task additions_sc --filter strict-first", (0.6, 0.5), 0.480682),
    ("lm_eval/two-models", "--log-task choices --metric acc", (0.48, 0.58), 0.48685),
    ("inspect/epochs", "--metric includes", (0.766667, 0.6), 0.0872803),
    ("inspect/epochs", "--metric includes --cluster passage", (0.766667, 0.6), 0.0625),
    ("inspect/epochs", "--metric brevity", (0.5958333, 0.6833333), 0.2357),
    ("inspect/unscored", "--metric partial --missing drop", (0.90625, 0.71875), 0.296875),
    ("inspect/unscored", "--metric partial --missing zero", (0.825, 0.575), 0.0976562),
    (
        "promptfoo/additions-repeat2.json",
        "--metric success --missing drop --system amber --system birch",
        (0.75, 0.636364),
        0.425781,
    ),
    (
        "promptfoo/additions-repeat2.json",
        "--metric success --missing zero --system amber --system birch",
        (0.75, 0.583333),
        0.226562,
    ),
    ("swe-bench", "--system baseline --system graphrag-advisory", (0.09, 0.27), 0.000277162),
    ("swe-bench", "--system baseline --system graphrag-hybrid", (0.09, 0.23), 0.000518799),
    ("swe-bench", "--system graphrag-advisory --system graphrag-hybrid", (0.27, 0.23), 0.454498),
    ("swe-bench", "--system graphrag-advisory --system graphrag-hybrid --cluster repository", (0.27, 0.23), 1.0),
    ("evalplus/older-layout/run1", "--metric base", (0.25, 0.115854), 2.74405e-5),
    ("evalplus/older-layout/run1", "--metric plus", (0.213415, 0.097561), 6.60419e-5),
    ("evalplus/layout-0.3", "--metric base --system phi_1 --system codet5_2b", (0.47561, 0.243902), 4.11092e-10),
    ("evalplus/layout-0.3", "--metric plus --system phi_1 --system codet5_2b", (0.414634, 0.219512), 1.85702e-7),
    ("bigcodebench", "", (0.63, 0.46), 0.00250244),
    ("openai-evals", "", (0.833333, 0.666667), 0.0413895),
    ("lighteval/details", "--metric extractive_match", (0.933333, 0.666667), 0.0214844),
    ("lighteval/details", "--metric extractive_match --cluster passage", (0.933333, 0.666667), 0.125),
    ("lighteval/details", "--metric pass@k:k=2&n=4", (0.977778, 0.8), 0.000366211),
    ("lighteval/details", "--metric pass@k:k=2&n=4 --cluster passage", (0.977778, 0.8), 0.03125),
    ("every_eval_ever/from-lm_eval/additions_sc", "--filter maj@3", (0.95, 0.775), 0.0390625),
    ("every_eval_ever/from-lm_eval/choices", "", (0.48, 0.58), 0.48685),
]


@pytest.mark.parametrize(
    ("path", "options", "scores", "p"), a_few(REFERENCE, 12), ids=[f"{path} {options}" for path, options, *_ in REFERENCE]
)
def test_real_logs(shared_data, path, options, scores, p):
    found = compared(shared_data / "harness-logs" / path, *options.split())
    assert [one["value"] for one in found["scores"]] == pytest.approx(scores, abs=1e-6)
    assert found["p"]["value"] == pytest.approx(p, rel=2e-4)


@pytest.mark.parametrize(
    ("metric", "scores"),
    [("bleu", (23.105956, 21.278069)), ("chrf", (53.235386, 52.373958)), ("ter", (65.569918, 68.272620))],
)
def test_corpus_metrics_are_scored_again(shared_data, metric, scores):
    found = compared(
        shared_data / "harness-logs/lm_eval/two-models", "--log-task", "ende", "--metric", metric, "--resamples", 99
    )
    assert [one["value"] for one in found["scores"]] == pytest.approx(scores, abs=1e-5)
    assert any("the scores agree with those in the logs" in note["text"] for note in found["notes"])


@pytest.mark.parametrize("name", a_few(WRITERS, 10))
def test_every_format_is_compared_and_ranked(name, tmp_path):
    paths = WRITERS[name](tmp_path)
    metric = ("--metric", METRICS[name]) if name in METRICS else ()
    found = compared(*paths, *metric)
    assert found["n"] == 12
    assert found["difference"] == pytest.approx(7 / 24 if name in REPEATED else 0.25)
    assert found["reading"]["kind"] == "log"
    done = run("rank", "-v", *paths, *metric)
    assert done.exit_code == 0, done.output
    assert "amber has the best" in done.output


def test_deciding_items_show_question_and_answers(tmp_path):
    found = compared(*lm_eval(tmp_path))
    first = found["deciding_items"][0]
    assert first["question"].startswith("What is")
    assert len(first["answers"]) == 2


@pytest.mark.parametrize(
    ("path", "options", "said"),
    [
        (
            "lm_eval/two-models",
            "",
            "The logs contain 3 tasks: `additions_sc`, `choices` and `ende`. Choose one with --log-task",
        ),
        ("lm_eval/two-models", "--log-task additions_sc", "scored by 3 filters: `strict-first`, `flexible-first` and `maj@3`"),
        ("inspect/unscored", "--metric partial", "has no score on 2 of 20 rows (2 unscored)"),
        ("inspect/error", "", "mockllm/amber has no score on 13 of 20 rows (2 errored, 11 not run)"),
        ("every_eval_ever/from-lm_eval/ende", "", "score 0 beside a total of 65.5699"),
        ("inspect/data_with_llm_scoring.json", "", "is an Inspect log without its samples"),
        ("promptfoo/debug-single.json", "", "contains no result, although its statistics count 1"),
        ("promptfoo/v3-simple-cli.json", "", "has an assertion, so every output passes"),
        ("swe-bench", "", "The logs contain 3 systems: `baseline`, `graphrag-advisory` and `graphrag-hybrid`"),
        ("openai-evals/amber.jsonl", "", "The logs contain one system only, `scripted/amber`"),
    ],
)
def test_refusals(shared_data, path, options, said):
    done = run("compare", shared_data / "harness-logs" / path, *options.split())
    assert done.exit_code == 2
    assert said in done.output
    assert "Traceback" not in done.output


def test_scores_that_are_the_same_on_every_row_are_one(shared_data):
    logs = shared_data / "harness-logs" / "lm_eval" / "two-models"
    asked = ("compare", logs, "--log-task", "choices", "--format", "json")
    found, named = (json.loads(run(*asked, *more).output)["comparisons"][0] for more in ((), ("--metric", "acc")))
    assert (found["p"], found["scores"]) == (named["p"], named["scores"])
    assert "`acc` and `acc_norm` are the same on every row." in [note["text"] for note in found["notes"]]


def test_systems_without_a_common_task_are_not_asked_to_choose_one(shared_data):
    logs = (shared_data / "harness-logs" / "inspect" / name for name in ("data_arc_qwen.json", "data_pubmedqa_gpt4o_mini.json"))
    done = run("compare", *logs)
    assert done.exit_code == 2
    assert (
        "have no task in common: `ollama/qwen2.5:0.5b` has `inspect_evals/arc_easy`, `openai/azure/gpt-4o-mini`" in done.output
    )
    assert "--log-task" not in done.output


MISSING = [
    (
        "inspect/unscored",
        "--metric partial --missing drop",
        [("amber", {"unscored": 2}, "drop"), ("birch", {"unscored": 2}, "drop")],
    ),
    ("inspect/error", "--missing drop", [("amber", {"errored": 2, "not run": 11}, "drop"), ("birch", {"errored": 2}, "drop")]),
    ("inspect/error", "--missing zero", [("amber", {"errored": 2, "not run": 11}, "zero"), ("birch", {"errored": 2}, "zero")]),
    ("swe-bench", "--system baseline --system graphrag-advisory", [("baseline", {"empty": 58}, "zero")]),
    ("openai-evals", "", []),
]


@pytest.mark.parametrize(("path", "options", "missing"), MISSING, ids=[f"{path} {options}" for path, options, _ in MISSING])
def test_the_alignment_counts_what_has_no_score(shared_data, path, options, missing):
    asked = (shared_data / "harness-logs" / path, *options.split())
    found = compared(*asked)["alignment"]["missing"]
    names = ("errored", "unscored", "empty", "not_run")
    reasons = [{name.replace("_", " "): one[name] for name in names if one[name]} for one in found]
    listed = [(one["system"].split("/")[-1], own, one["treatment"]) for one, own in zip(found, reasons, strict=True)]
    assert [one for one in listed if one[0] in {name for name, *_ in missing}] == missing
    said = run("compare", *asked, "--verbose").output
    for name, own, treatment in missing:
        counts = ", ".join(f"{count} {reason}" for reason, count in own.items())
        ending = {"drop": "left out", "zero": "they count as 0"}[treatment]
        assert f"{name} without a score: {counts}; {ending}" in " ".join(said.split())


def test_boards_of_swe_bench_count_empty_patches_as_0_and_it_is_said(shared_data):
    asked = (shared_data / "harness-logs/swe-bench", "--system", "baseline", "--system", "graphrag-advisory")
    said = "Rows without a score count as 0, as on the leaderboards of their harness: baseline 58 empty"
    assert any(note["text"].startswith(said) for note in compared(*asked)["notes"])
    assert not any("boards" in note["text"] for note in compared(*asked, "--missing", "zero")["notes"])
    assert compared(*asked, "--missing", "drop")["n"] < 100
    done = run("compare", *asked, "--missing", "stop")
    assert done.exit_code == 2
    assert "baseline has no score on 58 of 100 rows (58 empty)" in done.output
    assert said in " ".join(run("rank", *asked).output.split())


def test_a_system_that_is_not_compared_is_not_checked(tmp_path):
    paths = lm_eval(tmp_path)
    file = next(paths[1].glob("samples_*"))
    place = tmp_path / "third"
    place.mkdir()
    (place / file.name).write_text(file.read_text().replace('"exact_match": 0.0', '"exact_match": null'))
    asked = (tmp_path, "--system", "maker/amber", "--system", "maker/birch")
    assert run("compare", tmp_path).exit_code == 2
    assert compared(*asked)["n"] == 12


def test_different_questions_under_one_id_are_refused_unless_forced(tmp_path):
    paths = lm_eval(tmp_path)
    file = next(paths[1].glob("samples_*"))
    file.write_text(file.read_text().replace('"doc_hash": "', '"doc_hash": "0'))
    done = run("compare", *paths)
    assert done.exit_code == 2
    assert "ask different questions under the same id: 12 of 12 items" in done.output
    assert run("compare", *paths, "--force-same").exit_code == 0


def test_other_settings_are_refused_unless_forced(tmp_path):
    paths = lm_eval(tmp_path)
    file = next(paths[1].glob("results_*"))
    file.write_text(file.read_text().replace('"n-shot": {"sums": 0}', '"n-shot": {"sums": 5}'))
    done = run("compare", *paths)
    assert done.exit_code == 2
    assert "few-shot examples 0 and 5" in done.output
    assert run("compare", *paths, "--force-same").exit_code == 0


def test_rows_that_do_not_add_up_are_refused(tmp_path):
    paths = lm_eval(tmp_path)
    file = next(paths[0].glob("samples_*"))
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-3]))
    done = run("compare", *paths)
    assert done.exit_code == 2
    assert "rows are missing, or were written twice" in done.output


def test_tasks_are_datasets_of_a_ranking(tmp_path):
    lm_eval(tmp_path, task="sums")
    lm_eval(tmp_path, task="products")
    done = run("rank", tmp_path, "--format", "json")
    assert done.exit_code == 0, done.output
    assert [one["name"] for one in json.loads(done.output)["datasets"]] == ["products", "sums"]


def test_show_lists_what_logs_hold_and_what_comes_next(tmp_path):
    lm_eval(tmp_path, filters=("strict", "flexible"))
    done = run("show", tmp_path)
    assert done.exit_code == 0, done.output
    assert "2 systems on 1 task, logged by lm-evaluation-harness\n" in done.output
    assert "maker/amber  sums  flexible     12  exact_match  0.7500" in done.output
    assert "--filter strict" in done.output


def test_show_says_settings_in_words(shared_data):
    done = run("show", "-v", shared_data / "harness-logs" / "inspect" / "epochs")
    assert "scorers: includes, brevity\n" in done.output


def test_show_counts_rows_without_a_score(shared_data):
    done = run("show", shared_data / "harness-logs/inspect/error", "--format", "json")
    first = json.loads(done.output)["evaluations"][0]
    assert first["scores"][0]["missing"] == {"errored": 2, "not run": 11}


def test_show_refuses_a_format_that_a_file_does_not_have(tmp_path):
    (tmp_path / "a.txt").write_text("0.5\n")
    done = run("show", tmp_path / "a.txt", "--reader", "lm-eval")
    assert done.exit_code == 2
    assert "`" in done.output


@pytest.mark.parametrize("command", ["compare", "rank", "score"])
def test_a_folder_without_files_is_said_to_hold_no_log(command, tmp_path):
    done = run(command, tmp_path)
    assert done.exit_code == 2
    assert "is a folder without files: it contains no log of an evaluation harness. Name the folder or file" in done.output
    with pytest.raises(osc.OutscoreError, match="is a folder without files"):
        osc.read(tmp_path)


def test_a_folder_of_other_files_is_said_to_hold_no_log(tmp_path):
    (tmp_path / "notes.txt").write_text("0.5\n")
    done = run("compare", tmp_path)
    assert done.exit_code == 2
    assert "is a folder that contains no log of an evaluation harness. Name the folder or file" in done.output


def test_a_folder_of_parquet_files_is_for_rankings(tmp_path):
    for part in range(2):
        rows = [(f"q{item}", name, item % 3 > own) for item in range(9 * part, 9 * part + 9) for own, name in enumerate("abc")]
        pl.DataFrame(rows, schema=["item", "system", "score"], orient="row").write_parquet(tmp_path / f"{part}.parquet")
    two = (tmp_path, "--system", "a", "--system", "b")
    assert "A folder of Parquet files is read by `outscore rank`, with --system" in run("compare", *two).output
    done = run("rank", *two, "--format", "json")
    assert json.loads(done.output)["systems"] == ["a", "b"]
    assert compared(tmp_path / "0.parquet", *two[1:])["n"] == 9


def test_questions_that_made_the_difference_are_shown(tmp_path):
    done = run("compare", "-v", *lm_eval(tmp_path))
    assert "Questions that made the difference" in done.output
    assert "What is 0 + 1?" in done.output


@pytest.mark.parametrize("name", a_few(WRITERS, 8))
def test_python_reads_them_too(name, tmp_path):
    paths = WRITERS[name](tmp_path)
    metric = METRICS.get(name)
    systems = [scores for path in paths for scores in osc.read(path, metric=metric)]
    assert [scores.name.split("/")[-1] for scores in systems] == ["amber", "birch"]
    assert osc.compare(*systems).n == 12


TOTALS = [
    ("lm_eval/two-models", "--log-task choices --metric acc", "acc scripted/amber 0.48, scripted/birch 0.58"),
    ("inspect/epochs", "--metric includes", "includes mockllm/amber 0.766667, mockllm/birch 0.6"),
    ("swe-bench", "--system baseline --system graphrag-hybrid", "resolved baseline 0.09, graphrag-hybrid 0.23"),
    ("evalplus/layout-0.3", "--metric base --system phi_1 --system codet5_2b", "phi_1 0.47561"),
    ("bigcodebench", "", "passed amber-7b 0.63, birch-7b 0.46"),
    ("openai-evals", "", "correct scripted/amber 0.833333, scripted/birch 0.666667"),
    ("lighteval/details", "--metric extractive_match", "extractive_match scripted/amber 0.933333, scripted/birch 0.666667"),
    ("every_eval_ever/from-lm_eval/choices", "", "score scripted/amber 0.48, scripted/birch 0.58"),
    ("promptfoo/additions-repeat2.json", "--metric success --missing drop", "72 successes among 104"),
]


@pytest.mark.parametrize(("path", "options", "said"), TOTALS, ids=[path for path, *_ in TOTALS])
def test_totals_are_those_of_the_harness_and_it_is_said(shared_data, path, options, said):
    notes = compared(shared_data / "harness-logs" / path, *options.split())["notes"]
    assert any(said in note["text"] and "add up to what the" in note["text"] for note in notes)


def test_parts_of_one_system_add_up_to_their_totals_together(tmp_path):
    first, _ = WRITERS["swe-bench"](tmp_path)
    report = json.loads(first.read_text())
    ids = report["submitted_ids"]
    first.unlink()
    for part, own in enumerate((ids[:5], ids[5:])):
        resolved = [one for one in report["resolved_ids"] if one in own]
        content = {**report, "submitted_ids": own, "resolved_ids": resolved, "resolved_instances": len(resolved),
                   "unresolved_ids": [one for one in own if one not in resolved]}  # fmt: skip
        (tmp_path / f"amber.part{part}.json").write_text(json.dumps(content))
    found = compared(tmp_path)
    assert [one["value"] for one in found["scores"]] == [0.75, 0.5]
    assert any("resolved amber 0.75, birch 0.5" in note["text"] for note in found["notes"])


def test_columns_of_right_answers_are_no_clusters(shared_data):
    notes = compared(shared_data / "harness-logs/lm_eval/two-models", "--log-task", "choices", "--metric", "acc")["notes"]
    (offer,) = [note["text"] for note in notes if "--cluster" in note["text"]]
    assert "`level` (2 values)" in offer
    assert "gold" not in offer


def test_a_deciding_item_leads_to_its_texts(tmp_path):
    paths = lm_eval(tmp_path)
    for place in paths:
        file = next(place.glob("samples_*"))
        file.write_text(file.read_text().replace('"arg_0": "What is', '"arg_0": "' + "Think. " * 99 + "What is"))
    page = tmp_path / "page.html"
    assert run("compare", *paths, "-o", page).exit_code == 0
    source = page.read_text()
    links = re.findall(r'<th scope="row"[^>]*><a href="#([^"]*question-\d+)">([^<]+)</a></th>', source)
    assert links
    for target, item in links:
        shown = source[source.index(f'<li id="{target}"') :]
        assert shown[: shown.index("</p>")].split("<p>")[1].startswith(f"{item}: ")
        # Whole texts on a page, which has room for them.
        assert "What is" in shown[: shown.index("</li>")]


def test_texts_of_logs_are_cut_and_escaped(tmp_path):
    paths = lm_eval(tmp_path)
    wild = "<script>alert(1)</script> \\u001b[31mred " + "word " * 500
    for place in paths:
        file = next(place.glob("samples_*"))
        file.write_text(file.read_text().replace('"arg_0": "What is', f'"arg_0": "{wild} What is'))
    page = tmp_path / "page.html"
    done = run("compare", "-v", *paths, "-o", page)
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
    shown = done.output[done.output.index("Questions that made the difference") :]
    assert "alert(1)" in shown
    assert max(shown.count("word", begin, begin + 1_500) for begin in range(0, len(shown), 1_500)) < 200
    assert "<script>alert(1)" not in page.read_text()


def test_part_files_of_a_system_are_named_one_by_one(shared_data):
    folder = shared_data / "harness-logs/swe-bench"
    found = compared(folder / "baseline.run1.json", *sorted(folder.glob("graphrag-advisory.part*.json")))
    assert [one["value"] for one in found["scores"]] == pytest.approx((0.09, 0.27))
    assert found["p"]["value"] == pytest.approx(0.000277162, rel=2e-4)


def test_another_version_of_the_benchmark_is_refused_unless_forced(shared_data):
    folder = shared_data / "harness-logs/evalplus/older-layout"
    asked = (*(folder / run / "codet5_2b_samples_eval_results.json" for run in ("run1", "run2")), "--metric", "plus")
    done = run("compare", *asked)
    assert done.exit_code == 2
    assert "hash of the benchmark" in done.output
    assert compared(*asked, "--force-same")["n"] == 164
