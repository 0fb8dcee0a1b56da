"""Refusals: beside the field to blame, and as pages instead of JSON for people."""

from __future__ import annotations

import pytest

from outscore.web import api
from outscore.web.app import POLICY


@pytest.mark.parametrize(
    ("settings", "begins", "setting"),
    [
        ({"shuffle": 3}, "Shuffle: ", "shuffle"),
        ({"margin": -1}, "Margin: ", "margin"),
        ({"metric": "fbeta", "metric.fbeta.beta": "-1"}, "Beta: ", "metric.fbeta.beta"),
    ],
)
def test_a_job_is_refused_beside_the_field_to_blame(page, pair, settings, begins, setting):
    job = page.run("compare", {"files": pair}, settings=settings)
    assert job["state"] == "failed"
    assert job["error"].startswith(begins), job["error"]
    assert job["setting"] == setting


@pytest.mark.parametrize(
    ("settings", "begins", "setting"),
    [
        ({"names": "one"}, "Names: ", "names"),
        ({"alpha": 5}, "Level: `alpha` is 5.", "alpha"),
        ({"unit-size": 0}, "Unit size: `unit_size` is 0.", "unit-size"),
        ({"test": "bootstrap", "resamples": 0}, "Resamples: ", "resamples"),
        ({"normality-alpha": 2}, "Level of the normality test: ", "normality-alpha"),
        ({"seed": -1}, "Seed: `seed` is -1.", "seed"),
    ],
)
def test_what_needs_no_data_to_be_refused_is_refused_at_once(page, pair, settings, begins, setting):
    answer = page.start("compare", {"files": pair}, settings=settings)
    assert (answer.status_code, answer.json()["setting"]) == (422, setting)
    assert answer.json()["error"].startswith(begins), answer.json()


def test_a_column_called_like_a_setting_is_left_alone(page):
    table = {"t.csv": b"id,test,alpha\n1,1,0\n2,1,0\n3,1,1\n"}
    job = page.run("compare", {"files": table}, settings={"item": "seed"})
    assert "`seed`" in job["error"]
    job = page.run("compare", {"files": {"t.csv": b"id,test,alpha,x\n1,1,0,1\n2,1,0,1\n3,1,1,0\n"}})
    assert "`test`, `alpha` and `x`" in job["error"]
    assert job["setting"] == "system"


def test_a_plan_is_refused_beside_the_field_to_blame(page):
    answer = page.post("/api/plan", json={"effect": 0.1, "alpha": 2})
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("Level: `alpha` is 2")
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


@pytest.mark.parametrize("path", ["/api/jobs", "/api/text", "/api/plan"])
def test_a_body_that_is_nested_too_deeply_is_refused(page, path):
    for body in (b'{"a":' * 50_000, b'{"command":' + b"[" * 50_000):
        answer = page.post(path, content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400, answer.text
        assert answer.json()["error"].startswith("The request is invalid: ")
