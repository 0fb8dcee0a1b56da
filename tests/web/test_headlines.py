"""What a result comes to, told before its report is made: exactly what the report then has in large letters."""

from __future__ import annotations

import html
import re

import pytest

SCORES = "".join(f"{i % 3 > 0:d} {i % 4 < 1:d}\n" for i in range(60)).encode()
TABLE = b"item,gpt: a,gpt: b\n" + b"".join(b"%d,%d,%d\n" % (i, i % 3 > 0, i % 4 < 1) for i in range(60))


def reported(page, result):
    """The headline of a report and the line under it, as text."""
    report = page.get(f"/api/results/{result}/download.html").text
    tag = '<h1[^>]*>(.*?)</h1>\\s*(?:<p class="why">(.*?)</p>)?'
    return [html.unescape(part or "") for part in re.search(tag, report, re.DOTALL).groups()]


@pytest.mark.parametrize(
    ("command", "files", "settings"),
    [
        ("compare", {"files": {"runs.csv": TABLE}}, {}),
        ("compare", {"files": {"scores.txt": SCORES}}, {"test": "student", "alternative": "less"}),
        ("plan", {}, {"effect": 0.02, "sd": 0.3}),
        ("plan", {}, {"effect": -0.02, "n": 100}),
        ("plan", {}, {"n": 100}),
        ("plan", {}, {"scores": ".871 .864", "n": 1000}),
    ],
    ids=["colon in names", "one-sided", "items", "power", "effect", "possible p"],
)
def test_it_is_that_of_the_report(page, command, files, settings):
    job = page.run(command, files, settings=settings)
    found = page.get(f"/api/results/{job['result']}/headline").json()
    assert [found["headline"], found["why"]] == reported(page, job["result"])
    assert found["why"]
    assert found["won"] == (command == "compare" and "outscored" in found["headline"])
    if command == "plan":
        assert page.post("/api/plan/headline", json=settings).json() == found


def test_of_slices_it_is_that_of_the_whole(page):
    rows = b"".join(b"%d,%s,%d,%d\n" % (i, b"ab"[i % 2 :][:1], i % 3 > 0, i % 4 < 1) for i in range(60))
    job = page.run("compare", {"files": {"runs.csv": b"item,kind,new,old\n" + rows}}, slice="kind")
    found = page.get(f"/api/results/{job['result']}/headline").json()
    assert [found["headline"], found["why"]] == reported(page, job["result"])


def test_a_refused_plan_has_none(page):
    answer = page.post("/api/plan/headline", json={"effect": 0})
    assert answer.status_code == 422
    assert answer.json()["error"]
