"""The page of a ranking as a file: well formed, alone, and every cell of its heat map says what it is."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from tests.report.forms import render_html, without_script
from tests.report.ranking_making import HOSTILE, MADE
from tests.report.test_html import Page, contrast
from tests.variants import a_few

from outscore.report.charts.heat import heat_figure
from outscore.report.document import Verdict, clean
from outscore.report.palette import BANDS, PALETTE
from outscore.report.render import render
from outscore.report.write.html import write_badge


@cache
def source_of(name: str) -> str:
    return render_html(MADE[name]())


@pytest.mark.parametrize("name", a_few(MADE, 3))
def test_the_page_is_well_formed(name):
    page = Page(source_of(name))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(page.headings))
    assert "Holm over m" in page.words
    assert "(FWER)" in page.words


@pytest.mark.parametrize("name", a_few(MADE, 3))
def test_no_request_leaves_the_page(name):
    source = without_script(source_of(name))
    assert set(re.findall(r"\w+://[^\s\"'<]*", source)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@import|url\((?!#)|<script|<iframe|<img|<object|<form|\son\w+=", source)
    page = Page(source)
    links = [attributes["href"] for tag, attributes in page.tags if tag == "a"]
    assert {link.removeprefix("#") for link in links} <= set(page.ids)


def test_hostile_names_are_only_text():
    page = Page(without_script(source_of("odd")))
    assert "script" not in {tag for tag, _ in page.tags}
    assert clean(HOSTILE) in page.words


@pytest.mark.parametrize("name", ["sixteen", "datasets", "odd"])
def test_every_picture_is_described(name):
    charts = [attributes for tag, attributes in Page(source_of(name)).tags if tag == "svg"]
    assert len(charts) >= 3
    for chart in charts:
        assert chart["role"] == "img"
        assert len(chart["aria-label"]) > 20


@pytest.mark.parametrize(("name", "k", "linked"), [("sixteen", 16, True), ("ninety-three", 93, False)])
def test_every_pair_has_two_cells_and_a_title(name, k, linked):
    source = source_of(name)
    cells = re.search(r'<g class="cells">(.*?)</svg>', source, re.DOTALL)[1]
    assert cells.count("<title>") == k * (k - 1) // 2
    assert len(re.findall(r'<path class="(?:better|worse|open|apart)', cells)) == k * (k - 1)
    assert ('href="#pair-1"' in cells) == linked


def test_a_title_tells_the_pairs_numbers():
    ranking = MADE["sixteen"]()
    pair = ranking.pairs[-1]
    title = html.unescape(re.findall(r"<title>(.*?)</title>", heat_figure(ranking).svg(""))[-1])
    assert title.startswith(f"{pair.systems[0]} cannot be told apart from {pair.systems[1]}: difference ")
    assert "95% CI" in title
    assert "adjusted p = " in title
    assert title.endswith("n = 1,500")


def test_what_takes_the_place_of_a_heat_map():
    assert heat_figure(MADE["baseline"]()) is None
    assert 'class="heat"' not in source_of("baseline")
    assert "counts them for each system" in source_of("two-hundred")
    many = replace(MADE["two-hundred"](), pairs=MADE["two"]().pairs)
    assert "too many systems for a heat map" in render_html(many)


def test_order_of_the_sections():
    page = Page(source_of("datasets"))
    order = [
        "places",
        "groups",
        "pairs",
        "pictures",
        "metrics",
        "datasets",
        "replicability",
        "ranks",
        "grounds",
        "paper",
        "works",
    ]
    assert [key for key in page.ids if key in {*order, "settings"}] == [*order, "settings"]


def test_equal_scores_have_bars_too():
    ranking = MADE["two"]()
    flat = replace(ranking, scores=[replace(s, value=0.5, low=None, high=None) for s in ranking.scores])
    assert 'style="left:0.0%;width:0.0%"' in render_html(flat)


@pytest.mark.parametrize("name", ["sixteen", "datasets", "odd", "two-hundred"])
def test_charts_use_only_colours_that_have_a_dark_twin(name):
    known = {light for light, _ in PALETTE.values()}
    drawn = "".join(re.findall(r'<svg class="chart.*?</svg>', source_of(name), re.DOTALL))
    assert set(re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]+|\w+)"', drawn)) - {"none", "transparent"} <= known


@pytest.mark.parametrize("mode", [0, 1])
def test_signs_are_seen_on_their_bands(mode):
    for band, colours in BANDS.items():
        sign = PALETTE["paper" if band.endswith("3") else "ink"][mode]
        assert contrast(sign, colours[mode]) >= 3, band


def board_rows(ranking):
    """The lines and the systems of the places, in order, as the page has them."""
    table = re.search(r'<table class="ranked".*?</table>', render_html(ranking), re.DOTALL)[0]
    rows = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    return [[html.unescape(re.sub(r"<.*?>", "", cell)) for cell in re.findall(r"<t[dh].*?</t[dh]>", row)] for row in rows]


def tiered(ranking, tiers):
    return replace(ranking, scores=[replace(s, tier=tier) for s, tier in zip(ranking.scores, tiers, strict=True)])


def test_a_board_has_a_line_above_each_tier_and_a_column_for_each_dataset():
    ranking = MADE["datasets"]()
    k = len(ranking.scores)
    head, *rows = board_rows(tiered(ranking, [1, 2, *[1] * (k - 2)]))
    names = [part.name for part in ranking.datasets]
    assert [name for name in head if name in names] == names
    firsts = [row[0] for row in rows]
    assert firsts[0] == "Tier 1: nobody is significantly better"
    assert firsts[k] == "Tier 2: significantly worse than a system of tier 1"
    assert [row[1] for row in rows if len(row) > 2] == [ranking.scores[i].system for i in (0, *range(2, k), 1)]
    # One tier, or none in results of older versions, needs no line.
    for same in (1, None):
        assert len(board_rows(tiered(ranking, [same] * k))) == k + 1


def test_a_badge_holds_the_headline_as_text():
    badge = ET.fromstring(render(MADE["odd"](), "badge"))  # noqa: S314 - our own
    assert {element.tag.partition("}")[2] for element in badge.iter()} == {"svg", "title", "rect", "path", "g", "text"}
    assert float(badge.attrib["width"]) < 700
    hostile = write_badge(Verdict((HOSTILE,), HOSTILE * 9))
    assert len(ET.fromstring(hostile).findall(".//{*}text")) == 2  # noqa: S314 - our own
