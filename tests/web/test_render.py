"""Results in other forms: those of the command line, and charts that are there whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.variants import variants

from outscore.cli.app import app
from outscore.report.charts.canvas import Chart
from outscore.web.worker import TASKS


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scores.txt").write_text("".join(f"{i % 3} {i % 2}\n" for i in range(30)))
    CliRunner().invoke(app, ["compare", str(tmp_path / "scores.txt"), "-o", str(tmp_path / "result.json")])
    return tmp_path


def test_charts_appear_all_at_once(folder, monkeypatch):
    drawn = []

    def to_bytes(chart, form):
        # Nobody who looks now may take them for complete.
        assert not (folder / "charts").exists()
        drawn.append(form)
        if len(drawn) == 2:
            raise MemoryError
        return form.encode()

    monkeypatch.setattr(Chart, "to_bytes", to_bytes)
    monkeypatch.chdir(folder)
    with pytest.raises(MemoryError):
        TASKS["draw"]({})
    assert not (folder / "charts").exists()
    TASKS["draw"]({})
    listed = json.loads((folder / "charts" / "list.json").read_text())
    expected = {f"{entry['name']}.{form}" for entry in listed for form in ("svg", "png", "pdf", "csv")} | {"list.json"}
    assert {path.name for path in (folder / "charts").iterdir()} == expected
    assert (folder / "charts" / f"{listed[0]['name']}.pdf").read_bytes() == b"pdf"


def test_downloads(page, pair):
    job = page.run("compare", {"files": pair})
    for form_, begins in (("html", b"<!doctype html>"), ("md", b"# "), ("tex", b"%"), ("txt", b"a "), ("csv", b"system_a,")):
        answer = page.get(f"/api/results/{job['result']}/download.{form_}")
        assert answer.status_code == 200, answer.text
        assert answer.content.lstrip().startswith(begins), answer.content[:40]
        assert answer.headers["content-disposition"] == f'attachment; filename="outscore-compare-a-vs-b.{form_}"'
    refused = page.get(f"/api/results/{job['result']}/download.docx")
    assert refused.status_code == 404
    assert refused.json()["error"] == "A result has no form `docx`."


@pytest.mark.parametrize("name", variants(("labels", "reviewer", "scores", "leaderboard"), ("labels", "reviewer")))
def test_charts_are_those_of_the_command_line(page, name, tmp_path, monkeypatch):
    found = page.post(f"/api/examples/{name}").json()
    job = page.run(found["view"], found["parts"], settings=found["settings"])
    charts = page.get(f"/api/results/{job['result']}/charts").json()
    monkeypatch.chdir(tmp_path)
    Path("result.json").write_bytes(page.get(f"/api/results/{job['result']}").content)
    done = CliRunner().invoke(app, ["report", "result.json", "--charts", "charts"])
    assert done.exit_code == 0, done.output
    expected = {path.name for path in Path("charts").iterdir()}
    assert {f"{chart['name']}.{form_}" for chart in charts for form_ in ("svg", "png", "pdf", "csv")} == expected
    for chart in charts[:1]:
        assert chart["title"]
        svg = page.get(f"/api/results/{job['result']}/charts/{chart['name']}.svg")
        assert svg.headers["content-type"] == "image/svg+xml"
        assert svg.content == Path("charts", f"{chart['name']}.svg").read_bytes()


def test_the_page_of_a_diff_has_examples(page):
    found = page.post("/api/examples/labels").json()
    job = page.run(found["view"], found["parts"], settings=found["settings"])
    assert job["command_line"].endswith("-o result.json -o result.html")
    html = page.get(f"/api/results/{job['result']}/download.html").text
    assert len(html) > 50_000
