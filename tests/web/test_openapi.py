"""The description says what there is: every route, and schemas that the answers fit."""

from __future__ import annotations

import re
from functools import cache

import jsonschema
import pytest

from outscore.web.api import OPERATIONS, description
from outscore.web.form import COMMANDS


@cache
def described():
    return description(OPERATIONS)


def test_every_operation_says_what_it_does():
    assert all(operation["summary"] for methods in described()["paths"].values() for operation in methods.values())


def test_every_name_in_a_path_is_described():
    for path, methods in described()["paths"].items():
        for operation in methods.values():
            named = {entry["name"] for entry in operation["parameters"] if entry["in"] == "path"}
            assert named == set(re.findall(r"{(\w+)}", path))


def assert_fits(value, schema):
    components = {"components": described()["components"]}
    jsonschema.Draft202012Validator({**schema, **components}).validate(value)


def answer_schema(path, method="get"):
    done = next(answer for code, answer in described()["paths"][path][method]["responses"].items() if code < "300")
    return done["content"]["application/json"]["schema"]


def test_it_describes_itself(page):
    found = page.get("/api/openapi.json").json()
    assert found["openapi"] == "3.1.0"
    assert_fits(found, answer_schema("/api/openapi.json"))


@pytest.mark.parametrize("command", COMMANDS)
def test_forms_fit(page, command):
    assert_fits(page.get(f"/api/options/{command}").json(), answer_schema("/api/options/{command}"))


def test_answers_fit(page, pair):
    files = page.upload(pair)
    assert_fits({"files": files}, answer_schema("/api/files", "post"))
    assert_fits(page.get("/api/examples").json(), answer_schema("/api/examples"))
    assert_fits(page.post("/api/examples/labels").json(), answer_schema("/api/examples/{name}", "post"))
    job = page.run("compare", {"files": [file["id"] for file in files]})
    assert_fits(job, answer_schema("/api/jobs/{id}"))
    assert_fits(page.get(f"/api/results/{job['result']}").json(), answer_schema("/api/results/{id}"))
    assert_fits(page.get(f"/api/results/{job['result']}/headline").json(), answer_schema("/api/results/{id}/headline"))
    assert_fits(page.get(f"/api/results/{job['result']}/charts").json(), answer_schema("/api/results/{id}/charts"))
    for asked in ({"effect": 0.1}, {"scores": ".8 .7", "n": 100}):
        assert_fits(page.post("/api/plan", json=asked).json(), answer_schema("/api/plan", "post"))
        assert_fits(page.post("/api/plan/headline", json=asked).json(), answer_schema("/api/plan/headline", "post"))
    assert_fits(page.get("/api/files/nothing").json(), {"$ref": "#/components/schemas/Refusal"})


def test_a_wrong_answer_does_not_fit(page):
    with pytest.raises(jsonschema.ValidationError):
        assert_fits({"comparisons": "none"}, answer_schema("/api/results/{id}"))
