"""Forms have every option of their requests, and a new option appears wherever the page speaks of options."""

from __future__ import annotations

from pathlib import Path

import pytest

from outscore.core.options import Option
from outscore.core.records import dataclass
from outscore.inference.registry import TESTS
from outscore.metrics.registry import METRICS
from outscore.web import api
from outscore.web import form as forms
from outscore.web.form import COMMANDS, form
from outscore.web.store import Upload
from outscore.web.submission import read_value, submit
from outscore.workflows.diff.tasks import TASKS
from outscore.workflows.requests.base import declare
from outscore.workflows.requests.compare import METRICS_OF_TEXTS, CompareRequest
from outscore.workflows.requests.registry import REQUESTS

# Options that become fields of their own: `set.zeros` of a test.
ELSEWHERE = {"set"}


def uploads(*names):
    return [Upload(name, Path(name), name, 1) for name in names]


def field(command, name):
    return next(one for one in form(command) if one.name == name)


@pytest.mark.parametrize("command", REQUESTS)
def test_forms_have_every_option_and_no_other(command):
    plain = {one.name for one in form(command) if "." not in one.name} - {"lengths"}
    assert plain == {option.long for option in REQUESTS[command].options()} - ELSEWHERE


def test_options_of_tests_and_metrics_are_fields():
    fields = form("compare")
    for test, entry in TESTS.items():
        for option in entry.options:
            own = [one for one in fields if one.name in (option.name, f"set.{option.name}")]
            assert any(test in values for one in own for _, values in one.only)
    for metric, entry in METRICS.items():
        assert {f"metric.{metric}.{option.name}" for option in entry.options} <= {one.name for one in fields}


@pytest.mark.parametrize("command", COMMANDS)
def test_forms_describe_themselves(command):
    fields = form(command)
    for i, one in enumerate(fields):
        assert one.label
        assert one.help
        assert "--" not in one.help
        assert "outscore" not in one.help
        assert len({choice.value for choice in one.choices}) == len(one.choices)
        assert read_value(one, one.default) is not None
        if one.type == "choice" and one.default is not None:
            assert one.default in {choice.value for choice in one.choices}
        # What a field depends on comes first, in the form and in the script that hides it.
        assert {name for name, _ in one.only} <= {other.name for other in fields[:i]}


@pytest.mark.parametrize("command", REQUESTS)
def test_defaults_are_those_of_the_request(command):
    resamples = {option.default for test in TESTS.values() for option in test.options if option.name == "resamples"}
    for option in REQUESTS[command].options():
        if option.kind in ("file", "settings"):
            continue
        one = field(command, option.long)
        if option.name == "resamples":
            # A request leaves it to the test.
            assert (option.default, {one.default}) == (None, resamples)
        elif command == "texts" and option.name == "metric":
            assert (option.default, one.default) == (None, METRICS_OF_TEXTS)
        else:
            assert (one.default or None) == (option.default or None), option.name


def test_ticked_as_they_are_metrics_of_texts_say_nothing_on_the_command_line():
    files = {"files": uploads("a", "b"), "reference": uploads("r")}
    plain, ticked, other = (
        submit("texts", settings, files).line for settings in ({}, {"metric": ["bleu", "chrf"]}, {"metric": ["bleu"]})
    )
    assert plain == ticked
    assert "--metric bleu" in other


def test_every_criterion_of_a_task_is_offered():
    offered = {
        dict(one.only)["task"]: {choice.value for choice in one.choices} for one in form("diff") if one.name == "criterion"
    }
    assert offered == {(name,): set(task.criteria) for name, task in TASKS.items() if task.criteria}
    assert offered[("dep",)] == {"las", "uas", "ls", "clas", "mlas", "blex"}


def test_other_columns_of_tags_are_taken_too():
    line = submit("diff", {"task": "pos", "criterion": ["xpos", "deprel"]}, {"gold": uploads("g"), "files": uploads("s")}).line
    assert "--criterion xpos --criterion deprel" in line


DUMMY = Option("dummy_size", int, 3, "How large the dummy is.", minimum=1, label="Dummy", group="test")


@dataclass(frozen=True)
class WithDummy(CompareRequest):
    dummy_size: int = declare(DUMMY)


@pytest.fixture
def with_dummy(monkeypatch):
    """A comparison with one option more."""

    def forget():
        forms._form.cache_clear()
        api._described.cache_clear()

    monkeypatch.setitem(REQUESTS, "compare", WithDummy)
    forget()
    yield
    monkeypatch.undo()
    forget()


@pytest.mark.usefixtures("with_dummy")
def test_an_option_declared_once_is_in_the_form_the_description_and_the_command_line(full_page):
    """One field of a request: nothing else on the page has to be told."""
    fields = {one["name"]: one for one in full_page.get("/api/options/compare").json()}
    assert {key: fields["dummy-size"][key] for key in ("label", "type", "group", "default", "help")} == {
        "label": "Dummy",
        "type": "whole",
        "group": "test",
        "default": 3,
        "help": "How large the dummy is.",
    }
    schemas = full_page.get("/api/openapi.json").json()["components"]["schemas"]
    described = schemas["CompareSettings"]["properties"]["dummy-size"]
    assert (described["default"], described["minimum"], described["title"]) == (3, 1, "Dummy")
    ids = [file["id"] for file in full_page.upload({"a.txt": b"1 0\n0 1\n"})]
    # What fits is stopped by the page that takes no jobs, what does not is refused before that, beside its field.
    assert full_page.start("compare", {"files": ids}, settings={"dummy-size": 4}).status_code == 429
    for wrong in (0, "many"):
        answer = full_page.start("compare", {"files": ids}, settings={"dummy-size": wrong})
        assert (answer.status_code, answer.json()["setting"]) == (422, "dummy-size")
        assert answer.json()["error"].startswith("Dummy: ")
    assert "--dummy-size 4" in submit("compare", {"dummy-size": 4}, {"files": uploads("t")}).line
