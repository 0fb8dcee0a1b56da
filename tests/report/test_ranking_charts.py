from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace

import pytest
from tests.report.ranking_making import ALPHA, MADE
from tests.variants import a_few

from outscore.report.build.common import drawn
from outscore.report.charts.canvas import FORMATS
from outscore.report.charts.heat import band_names, heat_figure
from outscore.report.charts.ranking import datasets_won, heat_chart
from outscore.report.palette import BANDS
from outscore.report.render import chart_files

KEYS = {
    "sixteen": ["heat-map", "forest", "wins"],
    "datasets": ["heat-map", "forest", "wins", "win-matrix", "critical-difference"],
    "baseline": ["forest"],
    "two": ["forest"],
    "two-hundred": ["forest", "wins"],
    "odd": ["heat-map", "forest", "wins", "win-matrix", "critical-difference"],
}


@pytest.mark.parametrize(("name", "keys"), a_few(KEYS.items(), 3))
def test_only_what_there_are_data_for(name, keys):
    made, on_page = drawn("ranking.CHARTS", MADE[name]()), drawn("ranking.ON_PAGES", MADE[name]())
    assert [picture.key for picture in made] == keys
    assert [picture.key for picture in on_page] == [key for key in keys if key != "heat-map"]
    assert all(len(picture.description) > 20 for picture in made)


@pytest.mark.parametrize("name", a_few(["datasets", "odd", "baseline", "two"], 2))
def test_pictures_are_sound_and_the_same_every_time(name):
    for picture, again in zip(drawn("ranking.CHARTS", MADE[name]()), drawn("ranking.CHARTS", MADE[name]()), strict=True):
        svg = picture.to_svg()
        assert svg == again.to_svg()
        ET.fromstring(svg)  # noqa: S314 - our own output
        assert "<script" not in svg
        assert "NaN" not in svg


def heat_rows(ranking, *, checked: bool = True) -> list[dict[str, str]]:
    chart = heat_chart(ranking).drawing.to_dict(validate=checked)
    return max(chart["datasets"].values(), key=len)


def test_against_a_naive_twin_bands_of_the_heat_map():
    ranking = MADE["sixteen"]()
    expected: Counter[str] = Counter()
    for pair in ranking.pairs:
        p = pair.p.adjusted
        bound = ".001" if p <= 0.001 else ".01" if p <= 0.01 else ".05" if p <= 0.05 else None
        expected[f"row better, p ≤ {bound}" if bound else "p > .05"] += 1
        expected[f"row worse, p ≤ {bound}" if bound else "p > .05"] += 1
    rows = heat_rows(ranking)
    assert Counter(row["band"] for row in rows) == expected
    assert sum(row["sign"] == "better" for row in rows) == ranking.counts.significant
    assert all((row["sign"] == "open") == (row["band"] == "p > .05") for row in rows)


def test_pictures_number_systems_by_the_place_they_have_in_the_table():
    ranking = MADE["sixteen"]()
    tied = replace(ranking, scores=[replace(s, value=0.3) if i in {1, 2} else s for i, s in enumerate(ranking.scores)])
    shown = [text.split("&")[0] for text in re.findall(r'text-anchor="end">([^<]*)', heat_figure(tied).svg(""))]
    assert shown[:4] == ["1", "2", "2", "4"]
    assert {row["row"].split()[0] for row in heat_rows(tied)} == {str(place) for place in range(1, 17)} - {"3"}
    assert len({row["row"] for row in heat_rows(tied)}) == 16


def test_an_incomplete_board_marks_what_was_not_compared():
    ranking = MADE["ninety-three"]()
    # The schema is that of sixteen systems.
    rows = heat_rows(ranking, checked=False)
    assert len(rows) == 93 * 92
    assert sum(row["sign"] == "apart" for row in rows) == 2 * (ranking.counts.pairs - ranking.counts.testable)
    assert "apart" in band_names(ranking)
    assert "apart" not in band_names(MADE["sixteen"]())


def test_bands_follow_alpha():
    assert len(band_names(replace(MADE["sixteen"](), alpha=0.01))) == 5
    assert set(band_names(MADE["ninety-three"]())) == set(BANDS)


def test_names_that_look_alike_when_cut_keep_their_rows():
    ranking = MADE["two"]()
    long = [f"{'x' * 60}-{i}" for i in range(2)]
    scores = [replace(s, system=name) for s, name in zip(ranking.scores, long, strict=True)]
    chart = drawn("ranking.CHARTS", replace(ranking, scores=scores, systems=long))[0].drawing.to_dict()
    assert len({row["label"] for rows in chart["datasets"].values() for row in rows}) == 2


def test_against_a_naive_twin_datasets_won():
    ranking = MADE["datasets"]()
    won = datasets_won(ranking)
    for a in ranking.systems:
        for b in ranking.systems:
            count = 0
            for standing in ranking.datasets:
                for pair in standing.pairs:
                    if set(pair.systems) == {a, b} and a != b and pair.p.adjusted <= ALPHA:
                        count += (pair.difference > 0) == (pair.systems[0] == a)
            assert won[a, b] == count


def test_files_of_every_kind():
    assert list(chart_files(MADE["baseline"]())) == [f"forest.{form}" for form in FORMATS]


def test_intervals_may_be_missing():
    ranking = MADE["sixteen"]()
    bare = replace(ranking, scores=[replace(s, low=None, high=None) for s in ranking.scores])
    forest = next(picture for picture in drawn("ranking.CHARTS", bare) if picture.key == "forest")
    assert "NaN" not in forest.to_svg()
