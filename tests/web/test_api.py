"""The interface: files, saved results, requests that do not fit."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from tests.web.copying import command_line, python

from outscore.cli.app import app


def test_a_saved_result_is_shown_again(page, pair):
    first = page.run("compare", {"files": pair})
    saved = page.get(f"/api/results/{first['result']}").content
    file = page.upload({"saved.json": saved})[0]
    assert (file["format"], file["suits"], file["systems"]) == ("result", ["report"], ["a", "b"])
    again = page.run("report", {"files": [file["id"]]})
    assert page.get(f"/api/results/{again['result']}").content == saved


@pytest.mark.parametrize("name", ["result.json", "RESULT.json"])
def test_a_file_called_like_the_result_is_not_in_its_way(page, pair, name, tmp_path, monkeypatch):
    """Neither here nor where the command is copied to."""
    saved = page.get(f"/api/results/{page.run('compare', {'files': pair})['result']}").content
    job = page.run("report", {"files": {name: saved}})
    assert page.get(f"/api/results/{job['result']}").content == saved
    assert job["command_line"] == f"outscore report {name} -o result-2.json"
    (tmp_path / name).write_bytes(saved)
    assert command_line(tmp_path, job["command_line"], monkeypatch) == saved
    assert (tmp_path / name).read_bytes() == saved
    # One comparison is loaded as such, and what it was asked with stands in the file of the command only.
    assert python(job["python"]) == json.loads(saved) | {"settings": {}}


SCRIPT = "<img src=x onerror=alert(1)>"


def test_scripts_in_names_are_text(page):
    csv = f"id,{SCRIPT},<b>old</b>\n" + "".join(f"q{i},{i % 2},{i % 3}\n" for i in range(30))
    file = page.upload({f"{SCRIPT}.csv": csv.encode()})[0]
    assert file["systems"] == [SCRIPT, "<b>old</b>"]
    job = page.run("compare", {"files": [file["id"]]})
    assert job["state"] == "done", job["error"]
    for path in (f"/api/files/{file['id']}", f"/api/jobs/{job['id']}", f"/api/results/{job['id']}"):
        answer = page.get(path)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
    html = page.get(f"/api/results/{job['id']}/download.html").text
    assert SCRIPT not in html
    assert "<b>old</b>" not in html
    assert "&lt;img src=x" in html


def test_pasted_text_is_a_file(page):
    answer = page.post("/api/text", json={"name": "../pasted", "text": "new,old\n1,0\n1,1\n0,0\n"})
    assert answer.status_code == 201
    assert (answer.json()["name"], answer.json()["rows"]) == ("pasted", 3)
    assert page.post("/api/text", json={"name": 5, "text": "x"}).status_code == 400


def test_files_can_be_removed(page, pair):
    ids = [f["id"] for f in page.upload(pair)]
    assert page.delete(f"/api/files/{ids[0]}").status_code == 204
    assert page.get(f"/api/files/{ids[0]}").status_code == 404
    assert page.start("compare", {"files": ids}).status_code == 404


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"command": 5}', b'{"command": "compare", "files": {"files": "x"}}', b"\xff", b"[" * 100_000]
)
def test_what_is_no_request_is_refused(page, body):
    for path in ("/api/jobs", "/api/text", "/api/plan"):
        answer = page.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code in (400, 422), (path, answer.text)
        assert set(answer.json()) == {"error", "hint", "setting", "cures"}


def test_a_plan_answers_at_once(page):
    answer = page.post("/api/plan", json={"effect": "0.02", "sd": 0.3})
    assert answer.json()["items"] == 1768
    done = CliRunner().invoke(app, ["plan", "--effect", "0.02", "--sd", "0.3", "--format", "json"])
    assert answer.text == done.output
    refused = page.post("/api/plan", json={"effect": 0})
    assert refused.status_code == 422
    assert refused.json()["error"]


@pytest.mark.parametrize("wait", ["x", "-1", "21", "nan", "1e9"])
def test_waiting_is_bounded(page, pair, wait):
    job = page.run("compare", {"files": pair})
    assert page.get(f"/api/jobs/{job['id']}", params={"wait": wait}).status_code == 400


def test_unknown_commands_are_refused(page):
    assert page.get("/api/options/serve").status_code == 404
    assert page.start("serve").status_code == 404
