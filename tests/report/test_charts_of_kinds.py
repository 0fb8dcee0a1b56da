"""Charts of every kind of result but comparisons: whole numbers for spreadsheets, numbers under the pointer, no row lost."""

from __future__ import annotations

import csv
import html
import io
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from tests.conftest import make_p
from tests.report.diff_making import make_diff, make_units
from tests.report.ranking_making import MADE
from tests.variants import a_few

import outscore as osc
from outscore.report.explorer.data import pair_data
from outscore.report.render import charts_of, render
from outscore.report.rows.diff import next_step_of
from outscore.results.diff import Diff

LONG = "literature and philosophy of the middle ages in the west"
RIGHT = np.random.default_rng(4).random((60, 2)) < (0.75, 0.6)


def battles() -> pl.DataFrame:
    draw = np.random.default_rng(2)
    names = ["=amber", "birch", "cedar"]
    return pl.DataFrame(
        {
            "prompt": list(map(str, range(60))),
            "model_a": [names[i % 3] for i in range(60)],
            "model_b": [names[(i + 1) % 3] for i in range(60)],
            "winner": [("model_a", "model_b")[draw.integers(2)] for _ in range(60)],
        }
    )


KINDS = {
    "score": lambda: osc.score({"new": RIGHT[:, 0], "old": RIGHT[:, 1]}, slices={"topic": [LONG, LONG + "!", "law"] * 20}),
    "gate": lambda: osc.gate(RIGHT[:, 1].astype(float), RIGHT[:, 0].astype(float), margin=0.05),
    "plan": lambda: osc.plan(effect=0.02, sd=0.3),
    "possible p": lambda: osc.plan(scores=(0.7, 0.68), n=200),
    "prefer": lambda: osc.prefer(battles(), order="unrecorded"),
    "diff": lambda: make_diff(make_units()),
    "rank": MADE["datasets"],
    "baseline": MADE["baseline"],
}


@pytest.fixture(scope="module", params=KINDS)
def made(request):
    return request.param, charts_of(KINDS[request.param]())


def rows_of(chart) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(chart.to_csv())))


def test_every_chart_has_its_numbers(made):
    name, drawn = made
    assert drawn, name
    for chart in drawn:
        rows = rows_of(chart)
        assert rows, chart.key
        # Every column holds something, and no cell is a formula.
        assert all(any(row[column] for row in rows) for column in rows[0])
        assert not any(cell.startswith(("=", "@", "+")) for row in rows for cell in row.values())


def test_marks_say_their_numbers_under_the_pointer(made):
    _, drawn = made
    for chart in drawn[:1]:
        titles = re.findall(r"<title>([^<]*)</title>", chart.to_svg())
        assert len(titles) >= 2
        assert all(re.search(r"\d", title) for title in titles)


def test_mean_ranks_say_their_numbers_too():
    chart = next(chart for chart in charts_of(KINDS["rank"]()) if chart.key == "critical-difference")
    titles = re.findall(r"<title>([^<]*)</title>", chart.to_svg())
    assert sum("mean rank " in title for title in titles) == len(rows_of(chart)) - 1
    assert any(title.startswith("critical difference: ") for title in titles)


def test_names_that_are_cut_alike_keep_their_rows():
    chart = next(chart for chart in charts_of(KINDS["score"]()) if chart.key == "slices")
    assert len(rows_of(chart)) == 6
    assert {row["name"] for row in rows_of(chart)} == {LONG, LONG + "!", "law"}
    described = chart.drawing.to_dict()
    assert all(len({row["label"] for row in rows}) == 6 for rows in described["datasets"].values())


def test_a_matrix_of_transitions_says_its_direction_without_colour():
    found = KINDS["diff"]()
    assert isinstance(found, Diff)
    chart = next(chart for chart in charts_of(found) if chart.key == "transitions")
    rows = max(chart.drawing.to_dict()["datasets"].values(), key=len)
    for row in rows:
        sign = {"▲": 1, "▼": -1, "": 0}[row["sign"]]
        assert np.sign(row["balance"]) == sign
    counted = rows_of(chart)
    assert sum(int(row["correction"]) - int(row["new_error"]) for row in counted) == sum(row["balance"] for row in rows)


LINES = {
    "score": lambda: osc.score({"new": RIGHT[:, 0]}),
    "gate": KINDS["gate"],
    "prefer": KINDS["prefer"],
    "rank": MADE["datasets"],
    "diff": lambda: make_diff(make_units()),
    "compare": lambda: osc.compare(RIGHT[:, 0].astype(float), RIGHT[:, 1].astype(float)),
}
SAID = {
    "score": r"95% CI \d",
    "gate": r"\(.+ − .+\), 90% CI .* · not worse: p [=<] ",
    "prefer": r"of 3 pairs differ",
    "rank": r"pairs differ",
    "diff": r"p [=<] .* · [+−][\d.]+ points, 95% CI ",
    "compare": r"95% CI ",
}


@pytest.mark.parametrize("kind", a_few(LINES, 2))
def test_a_line_beside_the_headline_has_its_numbers(kind):
    """What a page repeats while the headline is out of sight: the numbers that it leaves out, and none of them twice."""
    page = render(LINES[kind](), "html")
    line = html.unescape(re.search(r'data-line="([^"]*)"', page)[1]).replace("\u00a0", " ")
    assert re.search(SAID[kind], line), line
    headline = html.unescape(re.search(r"<h1>(.*?)</h1>", page)[1]).replace("\u00a0", " ")
    for part in line.split(" · "):
        assert part not in headline
    # By ear, every row of every table is named, whatever its columns are called.
    for rows in re.findall(r"<tbody>(.*?)</tbody>", page, re.DOTALL):
        assert rows.count("<tr") == rows.count('<th scope="row"') + rows.count('class="l across"')


def test_every_criterion_has_a_headline_of_its_own():
    diff = make_diff(make_units(criterion="las"), make_units(criterion="uas", seed=2))
    diff = replace(diff, pairs=[replace(pair, headline="No winner") for pair in diff.pairs])
    told = [pair_data(diff, pair)["headline"] for pair in diff.pairs]
    counts = [f"{pair.outcomes.correction:,} corrected, {pair.outcomes.new_error:,} broken" for pair in diff.pairs]
    assert told == [f"No winner by {name}: {count}" for name, count in zip(("LAS", "UAS"), counts, strict=True)]


def test_an_undecided_pair_says_how_much_more_data_it_takes():
    diff = make_diff(make_units(n=400), settings={"alpha": 0.04})
    (pair,) = diff.pairs
    told = next_step_of(diff, replace(pair, p=make_p(0.0455), needed=2.13))
    assert "take about 2.1 times as much data (power .80)" in told
    assert "more than 100 times" in next_step_of(diff, replace(pair, p=make_p(0.999), needed=1234.5))
    assert not next_step_of(diff, replace(pair, p=make_p(0.001), needed=2.13))
    assert not next_step_of(diff, replace(pair, p=make_p(1.0), needed=None))
