"""Everything the description allows, and much that it does not: never an error of ours, never a traceback."""

from __future__ import annotations

import json
import string

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.variants import a_few

from outscore.web.api import OPERATIONS, description
from outscore.web.form import COMMANDS, form

QUICK = settings(max_examples=12, suppress_health_check=list(HealthCheck), phases=[Phase.generate], derandomize=True)
DEEP = settings(QUICK, max_examples=1_500)
SCHEMA = schemathesis.openapi.from_dict(description(OPERATIONS))
OPERATIONS = [result.ok() for result in SCHEMA.get_all_operations()]


def as_json(body):
    """A body that httpx would not write: not a number is one here."""
    return {"content": json.dumps(body).encode("utf-8", "replace"), "headers": {"content-type": "application/json"}}


def assert_sound(answer):
    """No error of ours, and nothing that only a programmer wants to see."""
    assert answer.status_code < 500, answer.text
    assert "Traceback" not in answer.text
    assert 'File "' not in answer.text
    if answer.status_code >= 400:
        assert set(answer.json()) == {"error", "hint", "setting", "cures"}
        assert answer.json()["error"].endswith((".", "?", "!"))


@pytest.fixture(scope="module")
def ids(page, pair):
    """Ids of things that exist, so that requests get beyond the first check."""
    job = page.run("compare", {"files": pair})
    return {"file": [file["id"] for file in page.upload({**pair, "c.csv": b"id,x,y\n1,2,3\n2,3,4\n"})], "result": job["result"]}


def ask(page, ids, case):
    """One request that the description allows; an id is sometimes that of a thing that exists."""
    path = dict(case.path_parameters or {})
    if "id" in path and len(path["id"]) % 2:
        path["id"] = ids["result"] if "files" not in case.path else ids["file"][0]
    address = case.path
    for name, value in path.items():
        address = address.replace(f"{{{name}}}", str(value).replace("/", "%2F").replace("?", "%3F").replace("#", "%23") or "x")
    more = {}
    if case.method == "DELETE":
        # The things that exist are needed again.
        address = address.replace(ids["file"][0], "gone").replace(f"results/{ids['result']}", "results/gone")
    if case.media_type == "multipart/form-data":
        sent = case.body.get("file", []) if isinstance(case.body, dict) else []
        more["files"] = [
            ("file", (f"f{i}.csv", x if isinstance(x, bytes) else str(x).encode("utf-8", "replace")))
            for i, x in enumerate(sent)
        ]
    elif case.media_type == "application/json":
        more |= as_json(case.body)
    query = {
        key: str(min(value, 0.01) if isinstance(value, (int, float)) else value) for key, value in (case.query or {}).items()
    }
    return page.request(case.method, address, params=query, **more)


def check_operation(page, ids, operation, depth):
    @depth
    @given(case=operation.as_strategy())
    def run(case):
        assert_sound(ask(page, ids, case))

    run()


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_against_schemathesis(page, ids, operation):
    check_operation(page, ids, operation, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_against_schemathesis_deeply(page, ids, operation):
    check_operation(page, ids, operation, DEEP)


ANY = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["0.05", "all", "--help", "-o", "/etc/passwd"])
)


def near_settings(command):
    """Settings that are named as they should be, with values that are right as often as wrong."""
    fields = [one for one in form(command) if one.type != "file"]
    strategies = {}
    for one in fields:
        right = st.sampled_from([choice.value for choice in one.choices]) if one.choices else ANY
        strategies[one.name] = right | st.lists(right, max_size=3) | ANY
    return st.lists(st.sampled_from(sorted(strategies)), max_size=4, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: strategies[name] for name in names})
    )


def near_files(command, ids):
    """As many files as are needed, or any."""
    parts = {one.name: one.least for one in form(command) if one.type == "file"}
    right = {part: ids[:least] for part, least in parts.items() if least}
    wrong = st.dictionaries(st.sampled_from(sorted(parts)), st.lists(st.sampled_from(ids), min_size=1, max_size=2), max_size=3)
    return st.just(right) | wrong


@pytest.mark.parametrize("command", a_few([command for command in COMMANDS if command != "report"], 5))
def test_settings_that_nearly_fit(full_page, pair, command):
    ids = [file["id"] for file in full_page.upload({**pair, "c.csv": b"id,x,y\n1,2,3\n2,3,4\n"})]
    seen = set()

    @settings(QUICK, max_examples=30)
    @given(files=near_files(command, ids), asked=near_settings(command))
    def run(files, asked):
        answer = full_page.post("/api/jobs", **as_json({"command": command, "files": files, "settings": asked}))
        assert_sound(answer)
        seen.add(answer.status_code)

    run()
    assert seen >= {422, 429}


@pytest.mark.slow
def test_plans_of_all_kinds(page):
    @DEEP
    @given(near_settings("plan"))
    def run(asked):
        assert_sound(page.post("/api/plan", **as_json(asked)))

    run()


@QUICK
@given(st.binary(max_size=300), st.text(string.printable, max_size=20))
def check_file(page, content, name):
    answer = page.post("/api/files", files={"file": (name or "x", content)})
    assert_sound(answer)
    if answer.status_code == 201:
        file = answer.json()["files"][0]
        assert file["problem"] is None or file["problem"].endswith((".", "?", "!"))


def test_files_of_any_bytes(page):
    check_file(page)


LINES = st.lists(st.text(string.ascii_letters + string.digits + ",;\t .{}\"'[]#-", max_size=30), max_size=12).map("\n".join)


@QUICK
@given(LINES, st.sampled_from(["csv", "tsv", "txt", "jsonl", "conllu", "json", "parquet", "gz"]))
def check_lines(page, text, suffix):
    assert_sound(page.post("/api/files", files={"file": (f"x.{suffix}", text.encode())}))


def test_files_of_any_lines(page):
    check_lines(page)
