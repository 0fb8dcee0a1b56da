"""The pages and the files they are made of: names in them are those of the forms, and scripts have the lines of Python."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest

from outscore.report.explorer.data import source
from outscore.web.form import COMMANDS, form
from outscore.web.pages import QUESTIONS, VIEWS

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
    asked = [set(f"{needs} {asks}".split()) for _, _, needs, asks in QUESTIONS]
    assert set.union(*asked) == known


def test_every_view_says_which_way_its_differences_go():
    told = {view.name: view.lead for view in VIEWS}
    assert "Differences are A minus B." in told["compare"]
    assert "Differences are the later system minus the earlier one" in told["diff"]


def test_the_lead_of_the_test_holds_for_every_test():
    """It spoke of swapping beside t tests and the bootstrap."""
    page = files("outscore.web").joinpath("templates").joinpath("compare.html").read_text(encoding="utf-8")
    assert "The p-value says how often a difference at least as large would occur if the systems were alike" in page
    assert "swapping" not in page


def test_the_extra_of_the_page_holds_what_the_page_offers():
    """Examples of texts, .zst and Parquet are offered; servers before these versions have known ways to be kept busy."""
    with (Path(__file__).resolve().parents[2] / "pyproject.toml").open("rb") as file:
        web = tomllib.load(file)["project"]["optional-dependencies"]["web"]
    assert "outscore[report,text,parquet,zst]" in web
    least = dict(line.split(">=") for line in web if ">=" in line)
    assert tuple(map(int, least["starlette"].split("."))) >= (1, 3, 1)
    assert tuple(map(int, least["python-multipart"].split("."))) >= (0, 0, 31)


def test_no_script_decides_by_the_words_of_a_report():
    """Wording changes; what scripts need of a report are keys, places and JSON."""
    worded = re.compile(r"(?:textContent|innerText)\)?\s*(?:===?|!==?|\.(?:includes|match|startsWith|endsWith)\()\s*[\"'`/]")
    read = {name: worded.findall(file.read_text(encoding="utf-8")) for name, file in STATIC.items() if name.endswith(".js")}
    assert len(read) > 10
    assert {name: found for name, found in read.items() if found} == {}
    assert worded.search("if (cell.textContent === 'power') return;")


def test_the_page_does_not_dress_what_the_explorer_makes():
    """The explorer stands in the page with the page's own style: a class of both would mean two things."""
    words = re.findall(r"class: [`\"']([^`\"']*)", source())
    made = {name for text in words for name in re.findall(r"(?<![\w$}{-])[a-z][\w-]*(?![\w}-])", text)}
    dressed = set(re.findall(r"\.([a-z][\w-]*)", STATIC["page.css"].read_text(encoding="utf-8")))
    assert {"transition", "cell", "lane"} <= made
    assert made & dressed <= {"note", "paste", "unseen", "wide"}


def test_settings_at_hand_are_no_forest_of_boxes():
    """What has more choices than fit a line stands behind "More settings"; only texts begin with their metrics."""
    for view in VIEWS:
        if view.name in COMMANDS and view.name != "texts":
            several = [field for field in form(view.name) if field.type == "several" and field.name in view.first.split()]
            assert [field.name for field in several if len(field.choices) > 8] == [], view.name
