"""The first screen of a page: the answer and one picture beside it, and every number once."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest
from tests.report.forms import render_html
from tests.report.ranking_making import MADE

import outscore as osc
from outscore.report.rows.comparison import fourfold

RNG = np.random.default_rng(7)
X, Y = (RNG.random((2, 60)) < [[0.8], [0.6]]).astype(int)
GRADED = {
    "comparison": lambda: osc.compare(X + RNG.random(60), Y + RNG.random(60)),
    "right or wrong": lambda: osc.compare(X, Y),
    "gate": lambda: osc.gate(X, Y, margin=0.1),
    "score": lambda: osc.score({"x": X}),
    "ranking": MADE["datasets"],
    "plan": lambda: osc.plan(effect=0.05, sd=0.3),
}


def first_screen(page: str) -> tuple[str, str]:
    """What is told, and the picture beside it."""
    body = page[page.index("<main") :]
    top = body[: body.index("<section")]
    found = re.search(
        r'<div class="first-screen">\s*<div class="told-first">(.*)</div>\s*<div class="picture">(.*)', top, re.DOTALL
    )
    assert found is not None
    return found[1], found[2]


@pytest.mark.parametrize("kind", GRADED)
def test_the_answer_has_one_picture_beside_it_and_no_number_twice(kind):
    told, picture = first_screen(render_html(GRADED[kind]()))
    assert 'class="verdict' in told
    assert "<figure" not in told
    assert 'class="numbers' not in told
    assert picture.count("<figure") + picture.count("<table") == 1
    verdict = re.sub("<.*?>", " ", unescape(re.search(r"<h1>.*?</div>", told, re.DOTALL)[0]))
    decimals = re.findall(r"\d*\.\d{2,}", verdict)
    assert len(decimals) == len(set(decimals)), verdict


def test_a_chart_beside_the_answer_is_no_second_time_among_the_charts():
    page = render_html(osc.gate(X, Y, margin=0.1))
    assert len(re.findall(r'data-key="gate"', page)) == 1


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_right_and_wrong_items_are_counted_in_four_cells(direction):
    a, b = (X, Y) if direction == "higher" else (1 - X, 1 - Y)
    table = fourfold(osc.compare(a, b, direction=direction))
    counts = [int(cell.split()[0]) for row in table.rows for cell in row[1:]]
    assert counts == [int(np.sum((x == X) & (y == Y))) for x in (1, 0) for y in (1, 0)]


@pytest.mark.parametrize("scores", [np.linspace(0, 1, 60), np.where(np.arange(60) % 3 == 0, 0.5, X), X + 1, X * 2])
def test_graded_items_have_no_such_table(scores):
    assert fourfold(osc.compare(scores, Y)) is None


def test_clusters_have_no_such_table():
    assert fourfold(osc.compare(X, Y, clusters=np.arange(60) // 5)) is None
