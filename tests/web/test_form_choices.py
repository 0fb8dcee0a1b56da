"""What the forms offer at first is what the commands do when nothing is said."""

from __future__ import annotations

import inspect
from pathlib import Path

import outscore
from outscore.web.forms.fields import read_value
from outscore.web.forms.options import form
from outscore.web.jobs.commands import build
from outscore.web.jobs.store import Upload
from outscore.workflows.diff.tasks.registry import TASKS


def uploads(*names):
    return [Upload(name, Path(name), name, 1) for name in names]


def test_the_metrics_that_are_ticked_at_first_are_those_of_the_library():
    asked = next(one for one in form("texts") if one.name == "metric")
    assert asked.default == inspect.signature(outscore.compare_texts).parameters["metrics"].default
    assert read_value(asked, asked.default) == list(asked.default)


def test_ticked_as_they_are_they_say_nothing_on_the_command_line():
    files = {"files": uploads("a", "b"), "reference": uploads("r")}
    plain, ticked, other = (
        build("texts", settings, files).line for settings in ({}, {"metric": ["bleu", "chrf"]}, {"metric": ["bleu"]})
    )
    assert plain == ticked
    assert "--metric bleu" in other


def test_every_criterion_of_a_task_is_offered():
    offered = {
        dict(one.only)["task"]: {choice.value for choice in one.choices} for one in form("diff") if one.name == "criterion"
    }
    assert offered == {(name,): set(task.criteria) for name, task in TASKS.items() if task.criteria}
    assert offered[("dep",)] == {"las", "uas", "ls"}


def test_other_columns_of_tags_are_taken_too():
    line = build("diff", {"task": "pos", "criterion": ["xpos", "deprel"]}, {"gold": uploads("g"), "files": uploads("s")}).line
    assert "--criterion xpos --criterion deprel" in line
