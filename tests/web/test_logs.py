"""Logs of evaluation harnesses on the page: dropped with their folders, said in one line, compared and ranked."""

from __future__ import annotations

import json

import pytest
from tests.log_files import METRIC, WRITERS, inspect_json, lm_eval
from tests.variants import a_few

from outscore.web.store import clashes, safe_place


def dropped(folder):
    """Every file below a folder, by the path that a browser sends."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def logs_of(files):
    return [file["id"] for file in files if not file["companion"]]


@pytest.mark.parametrize("name", a_few(WRITERS, 6))
def test_a_dropped_folder_is_described_compared_and_ranked(page, name, tmp_path):
    WRITERS[name](tmp_path / "runs")
    files = page.upload(dropped(tmp_path))
    logs = [file for file in files if not file["companion"]]
    assert {file["format"] for file in logs} == {name}
    assert [file["problem"] for file in files] == [None] * len(files)
    assert all(file["suits"] == [] for file in files if file["companion"])
    assert all({"compare", "rank"} <= set(file["suits"]) for file in logs)
    assert {system.split("/")[-1] for file in logs for system in file["systems"]} == {"amber", "birch"}
    settings = {"metric": METRIC[name][1]} if name in METRIC else {}
    for command in ("compare", "rank"):
        job = page.run(command, {"files": logs_of(files)}, settings=settings)
        assert job["state"] == "done", job
    found = page.get(f"/api/results/{job['result']}").json()
    assert "amber" in found["verdict"]


def test_one_line_says_what_a_log_holds(page, tmp_path):
    lm_eval(tmp_path, filters=("strict", "flexible"))
    first = next(file for file in page.upload(dropped(tmp_path)) if not file["companion"])
    assert first["reading"] == (
        "a log of lm-evaluation-harness, system `maker/amber`, task `sums`, score `exact_match`, "
        "filters `strict` and `flexible`, 12 items"
    )
    assert (first["tasks"], first["scores"], first["filters"]) == (["sums"], ["exact_match"], ["strict", "flexible"])


def test_several_files_of_a_system_are_compared_by_their_folders(page, tmp_path):
    lm_eval(tmp_path, task="sums")
    lm_eval(tmp_path, task="products")
    logs = logs_of(page.upload(dropped(tmp_path)))
    assert len(logs) == 4
    refused = page.run("compare", {"files": logs})
    assert refused["state"] == "failed"
    assert refused["setting"] == "log-task"
    assert "The logs contain 2 tasks: `products` and `sums`. Choose one with “Task of the logs”." in refused["error"]
    job = page.run("compare", {"files": logs}, settings={"log-task": "sums"})
    assert job["state"] == "done", job
    assert "compare --log-task sums maker__amber maker__birch" in job["command_line"]


@pytest.mark.parametrize(
    ("damage", "settings", "field"),
    [
        ({"filters": ("strict", "flexible")}, {}, "filter"),
        ({}, {"log-task": "sum"}, "log-task"),
        ({}, {"filter": "x"}, "filter"),
    ],
)
def test_a_refusal_marks_the_field(page, damage, settings, field, tmp_path):
    lm_eval(tmp_path, **damage)
    job = page.run("compare", {"files": logs_of(page.upload(dropped(tmp_path)))}, settings=settings)
    assert (job["state"], job["setting"]) == ("failed", field), job


def test_missing_and_different_rows_mark_their_fields(page, tmp_path):
    paths = inspect_json(tmp_path)
    log = json.loads(paths[0].read_text())
    log["samples"][0]["scores"] = {}
    paths[0].write_text(json.dumps(log))
    logs = logs_of(page.upload(dropped(tmp_path)))
    assert page.run("compare", {"files": logs})["setting"] in ("missing", "force-same")
    job = page.run("compare", {"files": logs}, settings={"force-same": True, "missing": "drop"})
    assert job["state"] == "done", job


def test_a_score_that_no_log_has_is_refused(page, tmp_path):
    lm_eval(tmp_path)
    logs = logs_of(page.upload(dropped(tmp_path)))
    answer = page.start("compare", {"files": logs}, settings={"metric": "exact"})
    assert answer.status_code == 422
    assert answer.json()["setting"] == "metric"


def test_a_loose_log_that_does_not_name_its_system_asks_for_its_folder(page, tmp_path):
    (path, _) = lm_eval(tmp_path)
    samples = next(path.glob("samples_*"))
    (file,) = page.upload({samples.name: samples.read_bytes()})
    assert file["problem"].endswith(
        "does not say which system it belongs to. Drop the folder that contains it, with the files beside it."
    )


def test_drops_with_equal_paths_keep_their_own_companions(page, tmp_path):
    first, second = lm_eval(tmp_path)
    drops = [{f"run/{path.name}": path.read_bytes() for path in folder.iterdir()} for folder in (first, second)]
    logs = [id_ for drop in drops for id_ in logs_of(page.upload(drop))]
    job = page.run("compare", {"files": logs})
    assert job["state"] == "done", job
    systems = page.get(f"/api/results/{job['result']}").json()["comparisons"][0]["systems"]
    assert systems == ["maker/amber", "maker/birch"]


@pytest.mark.parametrize("name", a_few(["lm-eval", "lighteval", "every-eval-ever"], 1))
def test_answers_of_logs_are_compared_label_by_label(page, name, tmp_path):
    WRITERS[name](tmp_path / "runs")
    files = page.upload(dropped(tmp_path))
    logs = [file for file in files if not file["companion"]]
    assert all("diff" in file["suits"] and file["task"] == "label" for file in logs)
    first, *others = logs_of(files)
    assert bool(others) != logs[0]["whole"]
    job = page.run("diff", {"gold": [first], "files": others}, settings={"task": "label"})
    assert job["state"] == "done", job
    assert page.get(f"/api/results/{job['result']}").json()["systems"] == ["maker/amber", "maker/birch"]


def test_logs_without_answers_are_not_offered_a_diff(page, tmp_path):
    WRITERS["evalplus"](tmp_path / "runs")
    assert all("diff" not in file["suits"] for file in page.upload(dropped(tmp_path)))


def test_show_is_a_job_too(page, tmp_path):
    lm_eval(tmp_path)
    job = page.run("show", {"files": logs_of(page.upload(dropped(tmp_path)))})
    assert job["state"] == "done", job


def test_the_form_offers_the_settings_of_logs(page):
    for command in ("compare", "rank", "diff"):
        groups = {field["name"]: field["group"] for field in page.get(f"/api/options/{command}").json()}
        own = {"log-task", "filter", "force-same"} | (set() if command == "diff" else {"roster", "qrels"})
        assert {name for name, group in groups.items() if group == "logs"} == own
        # Rows of tables may lack a score, too.
        assert groups.get("missing") == (None if command == "diff" else "data")
        assert 'data-groups="' in (text := page.get(f"/{command}").text)
        assert "logs" in text.partition('data-groups="')[2].partition('"')[0].split()


@pytest.mark.parametrize(
    ("written", "place"),
    [
        ("a/b.txt", "a/b.txt"),
        ("a/../b", "b"),
        ("/a/b", "b"),
        ("a//b", "b"),
        ("-a/b", "a/b"),
        ("a\\b/c", "c"),
        ("x/" * 9 + "y", "y"),
    ],
)
def test_paths_stay_inside_the_folder(written, place):
    assert safe_place(written) == place
    assert not clashes(place, {"other"})
