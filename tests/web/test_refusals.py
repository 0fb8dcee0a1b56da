"""Refusals in the words of the page: labels instead of parameters, and pages instead of JSON for people."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from outscore.web.forms.options import COMMANDS, form
from outscore.web.http import api
from outscore.web.http.guard import POLICY
from outscore.web.jobs.labels import in_words_of

PARAMETER = re.compile(r"`[a-z]+_[a-z_]+`|--[a-z]")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_setting_has_its_label(command):
    fields = form(command)
    for one in fields:
        owner, _, last = one.name.rpartition(".")
        # Tests and metrics have options of their own, some of which are called as a setting is.
        said = [f"Option `{last}` is 5."] if owner else [f"`{last.replace('-', '_')}` is 5.", f"Leave --{last} out."]
        for sentence in said:
            text, setting = in_words_of(fields, sentence)
            assert f"“{one.label}”" in text
            assert setting.rpartition(".")[2] == last


@pytest.mark.parametrize(
    ("said", "spoken", "setting"),
    [
        ("`alpha` is 5. Give a number.", "“Level” is 5. Give a number.", "alpha"),
        ("`shuffle` has no effect. Give `unit_size` as well.", "“Shuffle” has no effect. Give “Unit size” as well.", "shuffle"),
        ("Choose two: --system NAME --system NAME.", "Choose two: “Systems”.", "system"),
        ("Name it with --score COLUMN (score=... in Python).", "Name it with “Scores”.", "score"),
        ("Invalid value for '--alpha': x. See `outscore compare --help`.", "Invalid value for “Level”: x.", "alpha"),
        # What is no setting stays as it is.
        ("`x.csv` has no column `item`.", "`x.csv` has no column `item`.", None),
        (
            "`x.csv`: there is `item` and `score`. Leave --item out.",
            "`x.csv`: there is `item` and `score`. Leave “Items” out.",
            "item",
        ),
        ("The systems are `test` and `new`.", "The systems are `test` and `new`.", None),
        ("There is no setting `alfa`. Did you mean `alpha`?", "There is no setting `alfa`. Did you mean `alpha`?", None),
        ("See `outscore tests`, or --verbose.", "See `outscore tests`, or --verbose.", None),
    ],
)
def test_sentences(said, spoken, setting):
    assert in_words_of(form("compare"), said, {"test"}, {"x.csv"}) == (spoken, setting)


GOLDEN = {"compare": "refused-early", "rank": "rank-refused", "diff": "diff-refused"}


@pytest.mark.parametrize("command", GOLDEN)
def test_no_refusal_of_the_command_line_names_an_option_that_the_form_has(command):
    """Whatever the commands say today is said in the words of the form."""
    fields = form(command)
    text = (Path(__file__).parents[1] / "golden" / "cli" / f"{GOLDEN[command]}.txt").read_text(encoding="utf-8")
    said = [line.strip() for line in text.splitlines() if line.startswith("    ")]
    assert len(said) > 5
    for sentence in said:
        spoken, _ = in_words_of(fields, sentence)
        left = re.findall(r"--([a-z][a-z-]*)", spoken)
        assert not {one.name for one in fields} & set(left), spoken


@pytest.mark.parametrize(
    ("settings", "begins", "setting"),
    [
        ({"alpha": 5}, "“Level” is 5. ", "alpha"),
        ({"unit-size": 0}, "“Unit size” is 0. ", "unit-size"),
        ({"shuffle": 3}, "“Shuffle” has no effect on units of one item. Give “Unit size” as well", "shuffle"),
        ({"test": "bootstrap", "resamples": 0}, "“Resamples” is 0", "resamples"),
        ({"margin": -1}, "“Margin” is -1. ", "margin"),
        ({"normality-alpha": 2}, "“Level of the normality test” is 2. ", "normality-alpha"),
        ({"names": "one"}, "“Names” is ", "names"),
    ],
)
def test_a_job_is_refused_in_the_words_of_its_form(page, pair, settings, begins, setting):
    job = page.run("compare", {"files": pair}, settings=settings)
    assert job["state"] == "failed"
    assert job["error"].startswith(begins), job["error"]
    assert job["setting"] == setting
    assert not PARAMETER.search(job["error"])


def test_a_column_called_like_a_setting_is_left_alone(page):
    table = {"t.csv": b"id,test,alpha\n1,1,0\n2,1,0\n3,1,1\n"}
    job = page.run("compare", {"files": table}, settings={"item": "seed"})
    assert "`seed`" in job["error"]
    job = page.run("compare", {"files": {"t.csv": b"id,test,alpha,x\n1,1,0,1\n2,1,0,1\n3,1,1,0\n"}})
    assert "`test`, `alpha` and `x`" in job["error"]
    assert "“Systems”" in job["error"]


def test_a_plan_is_refused_in_the_words_of_its_form(page):
    answer = page.post("/api/plan", json={"effect": 0.1, "alpha": 2})
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("“Level” is 2")
    assert answer.json()["setting"] == "alpha"


PERSON = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(
    ("method", "path", "more", "status"),
    [
        ("GET", "/nothing", {}, 404),
        ("GET", "/static/nothing.js", {}, 404),
        ("GET", "/api/results/nothing", {}, 404),
        ("GET", "/<script>alert(1)</script>", {}, 404),
        ("POST", "/", {}, 405),
        ("DELETE", "/compare", {}, 405),
        ("GET", "/", {"host": "evil.example"}, 421),
        ("POST", "/api/jobs", {"origin": "http://evil.example"}, 403),
        ("POST", "/api/plan", {"content-length": str(1 << 40)}, 413),
    ],
)
def test_a_person_gets_a_page_with_a_way_back(page, method, path, more, status):
    answer = page.request(method, path, headers=PERSON | more)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["content-security-policy"] == POLICY
    assert '<a href="/">' in answer.text
    assert '<link rel="stylesheet" href="/static/page.css">' in answer.text
    assert "alert(1)" not in answer.text
    # A program that asks for the same gets JSON.
    answer = page.request(method, path, headers=more)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/json")
    assert answer.headers["vary"] == "accept"


def test_a_mistake_of_ours_is_a_page_too(open_page, monkeypatch):
    async def broken(scope, receive, send):
        raise KeyError("secret")

    route = next(route for route in api.routes if route.path == "/api/openapi.json")
    with open_page() as page:
        monkeypatch.setattr(route, "app", broken)
        for headers, kind in ((PERSON, "text/html"), ({}, "application/json")):
            answer = page.get("/api/openapi.json", headers=headers)
            assert answer.status_code == 500
            assert answer.headers["content-type"].startswith(kind)
            assert answer.headers["content-security-policy"] == POLICY
            assert "KeyError" in answer.text
            assert "secret" not in answer.text
