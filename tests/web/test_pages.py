"""The pages and the files they are made of: names in them are those of the forms, and scripts have the lines of Python."""

from __future__ import annotations

from importlib.resources import files

import pytest

from outscore.web.jobs.form import COMMANDS, form
from outscore.web.pages.views import QUESTIONS, VIEWS

STATIC = {entry.name: entry for entry in files("outscore.web").joinpath("static").iterdir()}
MAX_LINE = 128


@pytest.mark.parametrize("name", sorted(name for name in STATIC if name.endswith((".js", ".css"))))
def test_lines_fit(name):
    lines = STATIC[name].read_text(encoding="utf-8").splitlines()
    assert [(i, len(line)) for i, line in enumerate(lines, 1) if len(line) > MAX_LINE] == []


def test_every_command_has_a_view_and_a_way_to_it():
    assert {view.name for view in VIEWS if view.way} == set(COMMANDS)
    assert {view.script for view in VIEWS if view.script} <= STATIC.keys()


@pytest.mark.parametrize("view", [view for view in VIEWS if view.groups], ids=lambda view: view.name)
def test_a_view_asks_for_what_its_form_has(view):
    fields = form(view.name)
    assert set(view.groups.split()) <= {one.group for one in fields}
    assert {name.removesuffix("+") for name in view.first.split()} <= {one.name for one in fields}


def test_questions_ask_for_what_a_plan_takes():
    known = {one.name for one in form("plan") if one.type != "file"}
    asked = [set(f"{question.needs} {question.asks}".split()) for question in QUESTIONS]
    assert set.union(*asked) == known
