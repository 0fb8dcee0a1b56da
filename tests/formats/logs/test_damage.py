"""Faults of logs that a mean would hide: rows written twice, scores that are no numbers, parts that are missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.log_files import WRITERS, inspect_log, verdicts, write, zstd_archive

from outscore.cli.app import app
from outscore.core.errors import OutscoreError
from outscore.formats.logs.find import find_logs, read_logs


def run(*words: object):
    return CliRunner().invoke(app, [*map(str, words), "-v"])


def first_file(name: str, folder: Path) -> Path:
    WRITERS[name](folder)
    return Path(find_logs(folder)[0][0])


@pytest.mark.parametrize(("name", "line", "first"), [("lm-eval", 13, 1), ("openai-evals", 15, 2), ("every-eval-ever", 13, 1)])
def test_lines_that_stand_twice_are_refused_with_both(name, line, first, tmp_path):
    file = first_file(name, tmp_path)
    file.write_text(
        file.read_text() * 2 if name != "openai-evals" else file.read_text() + "".join(file.read_text().splitlines(True)[1:])
    )
    with pytest.raises(OutscoreError, match=rf"line {line}: item `.*` is already on line {first}") as error:
        read_logs([file])
    assert "one of 12 such items" in str(error.value)
    assert (error.value.file, error.value.line) == (str(file), line)


def test_one_line_that_stands_twice_is_refused_although_the_total_stays(tmp_path):
    first, second = WRITERS["lm-eval"](tmp_path)
    file = next(first.glob("samples_*"))
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join([*lines, *lines]))
    done = run("compare", first, second)
    assert done.exit_code == 2
    assert "is already on line 1" in done.output


@pytest.mark.parametrize(("name", "path"), [("inspect-json", ("samples",)), ("helm", ()), ("swe-bench", ("submitted_ids",))])
def test_rows_that_stand_twice_are_refused(name, path, tmp_path):
    file = first_file(name, tmp_path)
    log = json.loads(file.read_text())
    rows = log
    for key in path:
        rows = rows[key]
    rows.append(rows[2])
    file.write_text(json.dumps(log))
    with pytest.raises(OutscoreError, match=r"row \d+: item `.*`(, run 1)? is already on row 3"):
        read_logs([file])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"resolved_ids": ["new__x-1"], "resolved_instances": 1}, "`new__x-1` has a verdict but was not submitted"),
        ({"empty_patch_ids": ["astro__sum-0"]}, "`astro__sum-0` is both resolved and not resolved"),
        ({"resolved_instances": 3}, "counts 3 resolved instances but lists 9"),
    ],
)
def test_reports_that_contradict_themselves_are_refused(change, said, tmp_path):
    file = first_file("swe-bench", tmp_path)
    write(file, {**json.loads(file.read_text()), **change})
    with pytest.raises(OutscoreError, match=said):
        read_logs([file])


@pytest.mark.parametrize("completion", [True, -1, 0.5, {"a": 1}, [1], "x"])
def test_a_specification_of_wrong_types_is_refused(completion, tmp_path):
    file = first_file("openai-evals", tmp_path)
    spec, *events = map(json.loads, file.read_text().splitlines())
    spec["spec"]["completion_fns"] = completion
    file.write_text("".join(json.dumps(one) + "\n" for one in (spec, *events)))
    done = run("show", file)
    assert done.exit_code == 2
    assert "line 1 is not laid out as its harness writes it" in done.output


@pytest.mark.parametrize("accuracy", ["high", [1], {}, True])
def test_a_report_of_wrong_types_is_refused(accuracy, tmp_path):
    file = first_file("openai-evals", tmp_path)
    file.write_text(file.read_text().replace('"accuracy": 0.75', f'"accuracy": {json.dumps(accuracy)}'))
    done = run("show", file)
    assert done.exit_code == 2
    assert "line 6 is not laid out" in done.output


def archive(tmp_path: Path, *without: str, **more: bytes) -> Path:
    log = inspect_log("maker/amber", verdicts(1)[0])
    samples = log.pop("samples")
    members = {
        "_journal/start.json": {"eval": log["eval"]},
        "_journal/summaries/1.json": samples[:5],
        "_journal/summaries/2.json": samples[5:],
        "summaries.json": samples,
        "header.json": log,
        **{f"samples/{sample['id']}_epoch_1.json": sample for sample in samples},
    }
    kept = {name: json.dumps(data).encode() for name, data in members.items() if not name.startswith(without)}
    return zstd_archive(tmp_path / "amber.eval", {**kept, **more})


@pytest.mark.parametrize("reader", [(), ("--reader", "inspect")])
def test_an_archive_without_header_and_journal_is_no_log(reader, tmp_path):
    done = run("show", archive(tmp_path, "header.json", "_journal/start.json"), *reader)
    assert done.exit_code == 2
    assert ("has neither `header.json` nor `_journal/start.json`" in done.output) == bool(reader)


@pytest.mark.parametrize(
    "without",
    [
        ("summaries.json",),
        ("summaries.json", "_journal/summaries"),
        ("samples", "_journal"),
        ("header.json",),
        ("header.json", "summaries.json", "samples"),
    ],
)
def test_samples_of_an_archive_are_found_wherever_they_stand(without, tmp_path):
    (found,) = read_logs([archive(tmp_path, *without)])
    assert found.rows == 12
    assert sorted(found.measures["match"].values.tolist()) == [0.0] * 3 + [1.0] * 9
    assert found.exchanges([3])[0].question.startswith("What is")


def test_an_archive_of_no_sample_is_shown_as_such_and_never_compared(tmp_path):
    empty = archive(tmp_path, "summaries.json", "_journal/summaries", "samples")
    done = run("show", empty)
    assert done.exit_code == 0
    assert "12 not run" in done.output
    done = run("compare", empty, WRITERS["inspect"](tmp_path / "more")[1])
    assert done.exit_code == 2
    assert "maker/amber" in done.output


def test_numbers_too_large_to_compute_with_are_refused(tmp_path):
    first, second = WRITERS["every-eval-ever"](tmp_path)
    for file in (first, second):
        file.write_text(file.read_text().replace('"score": 1.0', '"score": 1e308'))
    done = run("compare", first, second)
    assert done.exit_code == 2
    assert "item `0` of maker/amber has 1e+308 as `score`, which is too large to compute with" in done.output
    assert run("show", first).exit_code == 0


@pytest.mark.parametrize("written", ["Infinity", "-Infinity"])
def test_infinite_scores_are_refused_where_they_are_chosen(written, tmp_path):
    first, second = WRITERS["lm-eval"](tmp_path)
    file = next(first.glob("samples_*"))
    file.write_text(file.read_text().replace('"exact_match": 1.0', f'"exact_match": {written}', 1))
    done = run("compare", first, second)
    assert done.exit_code == 2
    assert "too large to compute with" in done.output


def test_half_a_character_does_no_harm(tmp_path):
    first, second = WRITERS["lm-eval"](tmp_path)
    file = next(first.glob("samples_*"))
    file.write_text(file.read_text().replace('["1"]', '["\\ud83d"]'))
    done = run("compare", first, second)
    assert done.exit_code == 0
    assert "�" in done.output


def test_a_run_with_more_epochs_than_it_can_have_is_refused(tmp_path):
    file = first_file("inspect-json", tmp_path)
    log = json.loads(file.read_text())
    log["eval"]["config"]["epochs"] = 10**9
    write(file, log)
    with pytest.raises(OutscoreError, match="promises 1,000,000,000 epochs of 12 samples, but contains 24"):
        read_logs([file])


@pytest.mark.parametrize(
    ("config", "missing"),
    [
        ({}, {"not run": 4}),
        ({"limit": 8}, {}),
        ({"limit": 10}, {"not run": 2}),
        ({"limit": [2, 9]}, {"not run": 1}),
        ({"sample_id": ["sum-1", "sum-11"]}, {"not run": 1}),
        ({"limit": 10, "sample_shuffle": 7}, {}),
    ],
)
def test_what_was_to_be_run_and_was_not_is_counted(config, missing, tmp_path):
    log = inspect_log("maker/amber", verdicts(1)[0], status="started")
    log["samples"] = log["samples"][:8]
    log["eval"]["config"] |= config
    (found,) = read_logs([write(tmp_path / "amber.json", log)])
    assert found.missing("match") == missing


@pytest.mark.parametrize("name", ["evalplus", "bigcodebench"])
def test_a_verdict_that_no_harness_writes_is_not_a_failure(name, tmp_path):
    file = first_file(name, tmp_path)
    file.write_text(file.read_text().replace('"pass"', '"crashed"', 2))
    (found,) = read_logs([file])
    measure = next(iter(found.measures))
    assert sum(found.missing(measure).values()) in (1, 2)
    assert found.missing(measure).keys() == {"unscored"}
