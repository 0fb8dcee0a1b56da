"""The command that `show` proposes is one that runs, and decides nothing in silence."""

from __future__ import annotations

import json
import shlex

import pytest
from click.testing import CliRunner
from tests.log_files import WRITERS, lm_eval, swe_bench
from tests.variants import a_few

import outscore as osc
from outscore.cli.app import app


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def shown(*words: object):
    done = run("show", *words, "--format", "json")
    assert done.exit_code == 0, done.output
    return json.loads(done.output)


def proposed(*words: object) -> list[str]:
    return shlex.split(shown(*words)["next_command"])[1:]


def said(found) -> str:
    return " ".join(note["text"] for note in found["notes"])


@pytest.mark.slow
def test_every_proposal_for_real_logs_runs(shared_data):
    root = shared_data / "harness-logs"
    asked = 0
    for folder in sorted(path for path in (*root.glob("*"), *root.glob("*/*")) if path.is_dir()):
        done = run("show", folder, "--format", "json")
        if done.exit_code == 2:
            # Two runs of one system, or a file without samples: its refusal is tested where it is made.
            continue
        found = json.loads(done.output)
        if not found["next_command"]:
            assert "No command is proposed: " in said(found)
            continue
        answer = run(*shlex.split(found["next_command"])[1:])
        assert answer.exit_code == 0, (found["next_command"], answer.output)
        asked += 1
    assert asked >= 15


@pytest.mark.parametrize("command", ["show", "score"])
def test_a_long_proposal_stays_on_one_line_to_be_copied(tmp_path, command):
    """Broken into two lines, a shell runs the first of them without the rest."""
    folder = tmp_path / ("a-folder-" * 9)
    lm_eval(folder)
    chosen = proposed(folder)[2:] if command == "score" else []
    lines = run(command, folder, *chosen).output.splitlines()
    (line,) = (line for line in lines if line.lstrip().startswith("next "))
    copied = line.strip().removeprefix("next").strip().removeprefix("compare them with `").removesuffix("`")
    assert len(line) > 80
    assert run(*shlex.split(copied)[1:]).exit_code == 0


@pytest.mark.parametrize("name", a_few(sorted(WRITERS), 8))
def test_every_proposal_for_logs_of_every_format_runs(name, tmp_path):
    paths = WRITERS[name](tmp_path)
    for given in (paths, paths[:1]):
        found = shown(*given)
        words = shlex.split(found["next_command"])[1:]
        systems = len({one["system"] for one in found["evaluations"]})
        assert words[0] == ("compare" if systems == 2 else "score")
        answer = run(*words)
        assert answer.exit_code == 0, (words, answer.output)


def test_the_proposal_for_swe_bench_leaves_its_default_alone(shared_data):
    folder = shared_data / "harness-logs" / "swe-bench"
    found = shown(folder)
    assert shlex.split(found["next_command"]) == ["outscore", "rank", str(folder)]
    assert "Rows without a score count as 0 in the means and in comparisons, as on the harness's own leaderboard." in said(
        found
    )
    ranked = json.loads(run(*proposed(folder), "--format", "json").output)
    means = {one["system"]: one["scores"][0]["value"] for one in found["evaluations"]}
    assert means == {one["system"]: one["value"] for one in ranked["scores"]}
    assert means == {one["system"]: one["scores"][0]["reported"] for one in found["evaluations"]}


def empty_patches(folder):
    """Reports of SWE-bench in which whatever was not resolved is an empty patch."""
    paths = swe_bench(folder)
    for path in paths:
        report = json.loads(path.read_text())
        report["empty_patch_ids"] = report.pop("unresolved_ids")
        path.write_text(json.dumps({**report, "unresolved_ids": []}))
    return paths


def test_means_of_boards_that_count_empty_as_zero(tmp_path):
    paths = empty_patches(tmp_path)
    found = shown(*paths)
    assert [one["scores"][0]["value"] for one in found["evaluations"]] == [0.75, 0.5]
    assert [one["scores"][0]["missing"] for one in found["evaluations"]] == [{"empty": 3}, {"empty": 6}]
    assert "Rows without a score count as 0 in the means" in said(found)
    assert proposed(*paths) == ["compare", *map(str, paths)]


@pytest.mark.parametrize("command", ["compare", "rank", "score"])
def test_what_counts_as_zero_unasked_is_said_beside_the_data(tmp_path, command):
    """More than half of a board may be empty patches, which a line far below does not make plain."""
    text = " ".join(run(command, *empty_patches(tmp_path)).output.split())
    assert "warning Rows without a score count as 0, as on the leaderboards of their harness: " in text


@pytest.mark.parametrize("folder", ["inspect/error", "inspect/unscored"])
def test_both_ways_to_treat_rows_without_a_score_are_said(folder, shared_data):
    path = shared_data / "harness-logs" / folder
    found = shown(path)
    words = shlex.split(found["next_command"])[1:]
    assert words[-2:] == ["--missing", "drop"]
    assert "has --missing drop, which drops them; --missing zero counts them as 0 instead." in said(found)
    assert run(*words[:-2]).exit_code == 2
    assert run(*words[:-1], "zero").exit_code == 0


def test_a_score_without_gaps_needs_no_choice(tmp_path):
    lm_eval(tmp_path)
    assert "--missing" not in proposed(tmp_path)
    assert "no score" not in said(shown(tmp_path))


def test_the_first_task_that_two_systems_share_is_proposed(tmp_path):
    amber, _ = lm_eval(tmp_path / "alone", task="alone")
    lm_eval(tmp_path / "shared", task="shared")
    paths = [amber, tmp_path / "shared"]
    assert proposed(*paths) == ["compare", *map(str, paths), "--log-task", "shared"]
    assert run(*proposed(*paths)).exit_code == 0


def test_systems_without_a_task_in_common_are_scored(tmp_path):
    amber, _ = lm_eval(tmp_path / "one", task="sums")
    _, birch = lm_eval(tmp_path / "two", task="products")
    words = proposed(amber, birch)
    assert words == ["score", str(amber), str(birch), "--log-task", "sums"]
    assert run(*words).exit_code == 0


def test_one_system_at_two_paths_is_compared_with_itself(tmp_path):
    first, _ = lm_eval(tmp_path / "before")
    second, _ = lm_eval(tmp_path / "after")
    words = proposed(first, second)
    assert words[0] == "compare"
    assert run(*words).exit_code == 0


def test_the_format_that_was_named_is_kept(tmp_path):
    amber, birch = lm_eval(tmp_path)
    words = proposed(amber, birch, "--reader", "lm-eval")
    assert words[-2:] == ["--reader", "lm-eval"]
    assert run(*words).exit_code == 0


def test_the_proposal_for_a_converted_file_is_for_what_was_written(tmp_path):
    inspected = WRITERS["inspect"](tmp_path / "logs")
    target = tmp_path / "own_samples.jsonl"
    words = shlex.split(osc.convert(inspected, target).next_command)[1:]
    assert words == proposed(target)
    assert run(*words).exit_code == 0


def test_a_listing_without_a_proposal_says_why(tmp_path):
    amber, _ = lm_eval(tmp_path)
    samples = next(amber.glob("samples_*"))
    samples.write_text("".join(samples.read_text().splitlines(keepends=True)[:-1]))
    found = shown(tmp_path)
    assert found["next_command"] == ""
    assert "No command is proposed: " in said(found)
    assert "rows are missing, or were written twice" in said(found)
