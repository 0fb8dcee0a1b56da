"""What a result comes to, told before its report is made: exactly what the report then has in large letters."""

from __future__ import annotations

import html
import re

import pytest
from tests.variants import a_few

SCORES = "".join(f"{i % 3 > 0:d} {i % 4 < 1:d}\n" for i in range(60)).encode()
TABLE = b"item,gpt: a,gpt: b\n" + b"".join(b"%d,%d,%d\n" % (i, i % 3 > 0, i % 4 < 1) for i in range(60))


def reported(page, result):
    """The headline of a report and the line under it, as text."""
    report = page.get(f"/api/results/{result}/download.html").text
    tag = '<h1[^>]*>(.*?)</h1>\\s*(?:<p class="why[^"]*">(.*?)</p>)?'
    return [html.unescape(part or "") for part in re.search(tag, report, re.DOTALL).groups()]


@pytest.mark.parametrize(
    ("command", "files", "settings"),
    a_few(
        [
            ("compare", {"files": {"runs.csv": TABLE}}, {}),
            ("compare", {"files": {"scores.txt": SCORES}}, {"test": "student", "alternative": "less"}),
            ("plan", {}, {"effect": 0.02, "sd": 0.3}),
            ("plan", {}, {"effect": -0.02, "n": 100}),
            ("plan", {}, {"n": 100}),
            ("plan", {}, {"scores": ".871 .864", "n": 1000}),
        ],
        3,
    ),
    ids=["colon in names", "one-sided", "items", "power", "effect", "possible p"],
)
def test_it_is_that_of_the_report(page, command, files, settings):
    job = page.run(command, files, settings=settings)
    found = page.get(f"/api/results/{job['result']}/headline").json()
    assert [found["headline"], found["why"]] == reported(page, job["result"])
    assert found["why"]
    # What begins with the name of a system keeps its small letter.
    report = page.get(f"/api/results/{job['result']}/download.html").text
    assert found["named"] == ('<p class="why as-is"' in report)
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


def example(page, name):
    """The saved result of an example, and the headline that its page has."""
    made = page.post(f"/api/examples/{name}").json()
    job = page.run(made["view"], made["parts"], settings=made["settings"])
    return page.get(f"/api/results/{job['result']}").json(), reported(page, job["result"])


class TestNumbers:
    """A headline is that of the saved result; a count stands in it, and all other numbers stand once, below it."""

    def test_a_difference(self, page):
        saved, (top, _) = example(page, "tagging")
        (c,) = saved["comparisons"]
        assert top == c["headline"]

    def test_no_difference(self, page):
        saved, (top, _) = example(page, "scores")
        (c,) = saved["comparisons"]
        assert top == c["headline"] == "No winner"

    def test_how_many_share_the_lead(self, page):
        saved, (top, why) = example(page, "leaderboard")
        best = saved["scores"][0]["system"]
        beaten = [pair for pair in saved["pairs"] if best in pair["systems"] and pair["p"]["adjusted"] <= 0.05]
        first = sum(score["rank_low"] == 1 for score in saved["scores"])
        assert first == 12 - len(beaten) > 1
        assert top == f"{first} of 12 systems share the lead"
        assert why.startswith(best)

    def test_what_became_of_the_units(self, page):
        saved, (top, _) = example(page, "labels")
        became = saved["pairs"][0]["outcomes"]
        assert top.endswith(f": {became['correction']:,} corrected, {became['new_error']:,} broken")


def test_what_undermines_a_verdict_stands_directly_under_it(page):
    # Neighbours that depend on one another, which a test of single items does not know.
    walk, rows = 0.0, []
    for i in range(240):
        walk += ((i * 7919) % 17 - 8) / 40
        rows.append(b"%d,%.3f,0.5\n" % (i, 0.5 + walk))
    job = page.run("compare", {"files": {"runs.csv": b"item,new,old\n" + b"".join(rows)}})
    report = page.get(f"/api/results/{job['result']}/download.html").text
    after = report[report.index('<p class="why') :]
    assert re.match(r"<p class=[^>]*>.*?</p>\s*</div>\s*<section class=\"warnings\"", after, re.DOTALL), after[:900]
