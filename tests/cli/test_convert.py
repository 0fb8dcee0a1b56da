"""`outscore convert`: what is written is read again with the same systems, items, scores, repeats, totals and refusals."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.log_files import METRIC, WRITERS, inspect_json, lm_eval
from tests.variants import a_few

import outscore as osc
from outscore.cli.app import app
from outscore.core.errors import OutscoreError
from outscore.formats.logs.choose import check_total
from outscore.formats.logs.evaluation import STATES, Evaluation, Row
from outscore.formats.logs.every_eval_ever import aggregate, sample_lines
from outscore.formats.logs.find import find_logs, read_logs
from outscore.scores.system import Origin


def run(*words: object):
    return CliRunner().invoke(app, [str(word) for word in words])


def said_by(*words: object) -> str:
    return " ".join(run(*words).output.split())


def converted(tmp_path, *logs: object):
    target = tmp_path / "all_samples.jsonl"
    done = run("convert", *logs, "-o", target)
    assert done.exit_code == 0, done.output
    return target


def table(evaluation):
    """Everything of an evaluation that a comparison rests on."""
    return {
        "system": evaluation.system,
        "task": evaluation.task,
        "filter": None if evaluation.filter == "none" else evaluation.filter,
        "ids": evaluation.ids.texts(),
        "repeats": None if evaluation.repeats is None else evaluation.repeats.texts(),
        "states": [STATES[state] for state in evaluation.states],
        "scores": {name: measure.values.tolist() for name, measure in evaluation.measures.items()},
        "directions": {name: measure.higher_is_better for name, measure in evaluation.measures.items()},
        "groups": {name: labels.texts() for name, labels in evaluation.groups.items()},
        "conditions": dict(evaluation.conditions),
        "repeated by": None if evaluation.repeats is None else evaluation.repeat_column,
        "missing counts as 0": evaluation.zero_missing,
    }


def totals(evaluation):
    """What the rows were found to add up to, by score; a log without a total gets one when it is written."""
    found = {name: check_total(evaluation, name) for name in evaluation.measures}
    return {name: total for name, total in found.items() if total is not None}


@pytest.mark.parametrize("name", a_few(WRITERS, 12))
def test_every_format_comes_back_as_it_was(name, tmp_path):
    logs = WRITERS[name](tmp_path / "logs")
    before = read_logs([tmp_path / "logs"])
    after = read_logs([converted(tmp_path, *logs)])
    assert [table(one) for one in after] == [table(one) for one in before]
    assert {one.harness for one in after} == {"every-eval-ever"}
    for old, new in zip(before, after, strict=True):
        for measure in old.measures:
            total = old.measures[measure].total
            assert total is None or new.measures[measure].total == pytest.approx(total)
        if old.exchanges is not None:
            assert [one.answer for one in new.exchanges([0, 3])] == [one.answer for one in old.exchanges([0, 3])]


@pytest.mark.parametrize("name", a_few(WRITERS, 8))
def test_the_comparison_is_the_same(name, tmp_path):
    logs = WRITERS[name](tmp_path / "logs")
    metric = METRIC.get(name, ())
    found = [
        json.loads(run("compare", *paths, *metric, "--format", "json").output)["comparisons"][0]
        for paths in (logs, [converted(tmp_path, *logs)])
    ]
    assert found[0]["p"] == found[1]["p"]
    assert found[0]["systems"] == found[1]["systems"]


def test_empty_patches_and_failed_runs_count_as_boards_count_them(tmp_path):
    """They have no score, and the total of a report is that of all instances: read back, it is so again."""
    logs = WRITERS["swe-bench"](tmp_path / "logs")
    for path, outcome in zip(logs, ("empty_patch_ids", "error_ids"), strict=True):
        report = json.loads(path.read_text())
        report[outcome] = [report["unresolved_ids"].pop(), report["unresolved_ids"].pop()]
        path.write_text(json.dumps(report))
    target = converted(tmp_path, *logs)
    before, after = read_logs(logs), read_logs([target])
    assert repr([table(one) for one in after]) == repr([table(one) for one in before])
    assert [totals(one) for one in after] == [totals(one) for one in before]
    found = [json.loads(run("compare", "-v", *paths, "--format", "json").output) for paths in (logs, [target])]
    assert found[0]["comparisons"][0]["p"] == found[1]["comparisons"][0]["p"]
    said = "Rows without a score count as 0, as on the leaderboards of their harness: amber 2 empty; birch 2 errored."
    assert all(said in [note["text"] for note in one["comparisons"][0]["notes"]] for one in found)
    assert "count as 0 in the means and in comparisons, as on the harness's own leaderboard" in said_by("show", "-v", target)
    assert "24 rows in 1 file" in said_by("compare", "-v", target)


SCORES = st.floats(-1e6, 1e6).map(lambda value: round(value, 3)) | st.sampled_from([0.0, 1.0, math.nan, 1e-300])
REASONS = st.sampled_from(["unscored", "errored", "empty", "not run"])


@st.composite
def evaluations(draw):
    """One system's rows with two scores, some of them missing, and a total as its harness would print it."""
    repeats = draw(st.integers(1, 3))
    rows = [
        Row(
            f"item {item}",
            {"first": (first := draw(SCORES)), "second": (second := draw(SCORES))},
            draw(REASONS) if math.isnan(first) and math.isnan(second) else "scored",
            str(repeat) if repeats > 1 else None,
            groups={"topic": draw(st.sampled_from(["a", "b"]))},
        )
        for item in range(draw(st.integers(1, 6)))
        for repeat in range(repeats)
    ]
    zero = draw(st.booleans())
    values = np.array([row.scores["first"] for row in rows])
    counted = np.nan_to_num(values, nan=0.0) if zero else values[~np.isnan(values)]
    known = len(counted) and draw(st.booleans())
    return Evaluation.of(
        rows,
        harness="swe-bench",
        system=draw(st.sampled_from(["amber", "maker/birch"])),
        task="sums",
        filter=draw(st.sampled_from([None, "strict"])),
        origin=Origin("log", "", len(rows), "swe-bench"),
        directions={"first": draw(st.sampled_from([None, True, False]))},
        totals={"first": float(counted.mean())} if known else {},
        conditions=draw(st.sampled_from([{}, {"shots": "5"}])),
        zero_missing=zero,
    )


@given(evaluations())
@settings(max_examples=90)
def test_every_row_score_and_total_comes_back(tmp_path_factory, written):
    path = tmp_path_factory.mktemp("converted") / "log_samples.jsonl"
    path.write_bytes(b"".join(sample_lines([written])))
    path.with_name("log.json").write_bytes(aggregate([written]))
    (read,) = read_logs([path])
    assert repr(table(read)) == repr(table(written))
    assert totals(written).items() <= totals(read).items()


@pytest.mark.slow
def test_real_logs_come_back_as_they_were(shared_data, tmp_path):
    """All that can be read and have scores by row; of a total that contradicts its rows, the contradiction comes back."""
    seen = set()
    for path, entry in find_logs(shared_data / "harness-logs"):
        target = tmp_path / f"{len(seen)}_samples.jsonl"
        try:
            before = read_logs([path])
            osc.convert(path, target)
        except OutscoreError:
            continue
        after = read_logs([target])
        assert repr([table(one) for one in after]) == repr([table(one) for one in before])
        for old, new in zip(before, after, strict=True):
            try:
                known = totals(old)
            except OutscoreError:
                continue
            assert known.items() <= totals(new).items()
        seen.add(entry.name)
    assert seen >= {"lm-eval", "every-eval-ever", "openai-evals", "inspect", "inspect-json", "helm", "promptfoo", "lighteval"}
    assert seen >= {"swe-bench", "evalplus", "bigcodebench"}


def test_a_score_beyond_whole_numbers_is_a_number_all_the_same(tmp_path):
    """10^19 is no int64: cast to one it would be another score."""
    logs = WRITERS["openai-evals"](tmp_path / "logs")
    target = converted(tmp_path, *logs)
    lines = [json.loads(line) for line in target.read_text().splitlines()]
    lines[0]["evaluation"] = {"score": 1e19, "is_correct": None}
    target.write_text("".join(json.dumps(line) + "\n" for line in lines))
    target.with_name("all.json").unlink()
    found = osc.compare(target)
    assert max(score.value for score in found.scores) == pytest.approx(1e19 / 12)


def test_rows_without_a_score_stay_without_one(tmp_path):
    (path, _) = inspect_json(tmp_path)
    log = json.loads(path.read_text())
    log["samples"][0]["scores"]["match"]["value"] = float("nan")
    log["samples"][1]["scores"] = {}
    log["samples"][1]["error"] = "timed out"
    path.write_text(json.dumps(log))
    (evaluation,) = read_logs([converted(tmp_path, path)])
    assert evaluation.missing("match") == {"unscored": 1, "errored": 1}
    assert np.isnan(evaluation.measures["match"].values[:2]).all()


def test_filters_and_settings_are_kept_apart(tmp_path):
    lm_eval(tmp_path / "logs", filters=("strict", "flexible"))
    target = converted(tmp_path, tmp_path / "logs")
    assert "scored by 2 filters: `strict` and `flexible`" in run("compare", target).output
    assert run("compare", target, "--filter", "strict").exit_code == 0


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("a.jsonl", "Name a file that ends in _samples.jsonl."),
        ("none/a_samples.jsonl", "there is no folder"),
        ("uuid_samples.jsonl", "is an input and would be overwritten"),
    ],
)
def test_refusals_write_nothing(output, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (first, _) = WRITERS["every-eval-ever"](tmp_path)
    first.rename("uuid_samples.jsonl")
    before = sorted(tmp_path.rglob("*"))
    done = run("convert", "uuid_samples.jsonl", "-o", output)
    assert done.exit_code == 2
    assert said in done.output
    assert sorted(tmp_path.rglob("*")) == before


def test_a_score_that_is_no_number_is_refused(tmp_path):
    (first, _) = WRITERS["every-eval-ever"](tmp_path)
    first.write_text(first.read_text().replace('"score": 1.0', '"score": "high"', 1))
    done = run("show", first)
    assert done.exit_code == 2
    assert "has the score `high`, which is not a number" in done.output


def test_corpus_scores_are_refused(shared_data, tmp_path):
    folder = shared_data / "harness-logs/lm_eval/two-models"
    sample = next(path for path in sorted(folder.rglob("samples_ende*")))
    done = run("convert", sample, "-o", tmp_path / "x_samples.jsonl")
    assert done.exit_code == 2
    assert "is scored as a whole" in done.output


def test_python_writes_the_same_bytes_and_says_what_it_wrote(tmp_path):
    lm_eval(tmp_path / "logs")
    by_command = converted(tmp_path, tmp_path / "logs")
    by_python = tmp_path / "own_samples.jsonl"
    found = osc.convert(tmp_path / "logs", by_python)
    assert by_python.read_bytes() == by_command.read_bytes()
    assert (tmp_path / "own.json").read_bytes() == (tmp_path / "all.json").read_bytes()
    assert found.evaluations == osc.show(tmp_path / "logs").evaluations
    assert str(by_python) in found.next_command


def test_one_system_or_task_is_chosen(tmp_path):
    lm_eval(tmp_path / "logs", task="sums")
    lm_eval(tmp_path / "logs", task="products")
    target = tmp_path / "one_samples.jsonl"
    found = osc.convert(tmp_path / "logs", target, systems=["maker/birch"], log_task="sums")
    assert [(one.system, one.task) for one in found.evaluations] == [("maker/birch", "sums")]
    (read,) = read_logs([target])
    assert (read.system, read.task, read.rows) == ("maker/birch", "sums", 12)
    done = run("convert", tmp_path / "logs", "-o", target, "--system", "maker/elm")
    assert done.exit_code == 2
    assert "no system `maker/elm`" in done.output


@pytest.mark.parametrize(
    ("paths", "output", "parameter"),
    [
        ([3], "a_samples.jsonl", "files"),
        (["x"], 4, "output"),
        ([__file__], "a.jsonl", "output"),
        ([], "a_samples.jsonl", "files"),
    ],
)
def test_python_refuses_what_is_no_path(paths, output, parameter):
    with pytest.raises(OutscoreError) as refused:
        osc.convert(paths, output)
    assert refused.value.parameter == parameter
