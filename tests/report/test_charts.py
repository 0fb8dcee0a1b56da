from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from outscore.report.charts.canvas import FORMATS
from outscore.report.charts.comparison import _through_quartiles, charts
from outscore.report.render import chart_files
from outscore.results.analysis import Advice
from outscore.results.comparison import Comparisons, SystemScore
from outscore.results.interval import Interval
from outscore.results.subset import Subset

SIGNATURES = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
KEYS = ["difference", "null", "scores", "differences", "quantiles", "power", "sizes"]


def drawn(whole):
    return charts(whole.comparisons[0], whole)


def test_all_pictures(full):
    assert [picture.key for picture in drawn(full())] == KEYS


def test_only_what_there_are_data_for(comparison):
    whole = Comparisons([comparison()], {})
    assert [picture.key for picture in drawn(whole)] == ["difference"]


@pytest.mark.parametrize(("unsuited", "called"), [([], "paired t test"), (["student"], "paired t test by the jackknife")])
def test_a_t_test_is_not_taken_for_the_one_that_is_advised_against(full, unsuited, called):
    whole = full()
    (c,) = whole.comparisons
    tests = replace(c.analysis.tests, unsuited=[Advice(test, "It is for means.") for test in unsuited])
    c = replace(c, analysis=replace(c.analysis, tests=tests), pictures=replace(c.pictures, sizes_test="paired t test"))
    (caption,) = [picture.caption for picture in charts(c, whole) if picture.key == "sizes"]
    assert f"({called}):" in caption


def test_files_of_every_kind(full):
    files = chart_files(full())
    assert list(files) == [f"{key}.{form}" for key in KEYS for form in FORMATS]
    for name, content in files.items():
        assert content.startswith(SIGNATURES[name.rpartition(".")[2]])


def test_several_comparisons_do_not_overwrite_each_other(comparison):
    files = chart_files(Comparisons([comparison(), comparison()], {}))
    assert list(files) == [f"{number}-difference.{form}" for number in (1, 2) for form in FORMATS]


def test_charts_of_slices_are_named_after_them(comparison):
    sliced = replace(comparison(), slice=Subset("topic", "law / art"))
    files = chart_files(Comparisons([comparison(), sliced], {}))
    assert [name for name in files if name.endswith(".svg")] == ["1-difference.svg", "2-topic-law-art-difference.svg"]


def test_the_same_picture_has_the_same_bytes(full):
    first = [picture.to_svg("c1-") for picture in drawn(full())]
    second = [picture.to_svg("c1-") for picture in drawn(full())]
    assert first == second
    for svg in first:
        ET.fromstring(svg)  # noqa: S314 - our own output


def test_names_are_text_in_pictures(full):
    name = "<b>&\"'\x00"
    whole = full(systems=(name, "B"), scores=(SystemScore(name, 0.5), SystemScore("B", 0.4)))
    for picture in drawn(whole):
        svg = picture.to_svg()
        ET.fromstring(svg)  # noqa: S314 - our own output
        assert "<b>" not in svg


@pytest.mark.parametrize(
    "interval",
    [
        None,
        Interval(None, 0.02, 0.95, "x", dual=True),
        Interval(0.01, None, 0.95, "x", dual=True),
        Interval(None, None, 0.95, "x", dual=True),
    ],
)
@pytest.mark.parametrize("difference", [0.0, 0.0143, -3e7])
def test_differences_of_all_sizes(comparison, interval, difference):
    whole = Comparisons([comparison(interval=interval, difference=difference)], {})
    (picture,) = drawn(whole)
    svg = picture.to_svg()
    assert "NaN" not in svg
    assert "Infinity" not in svg


@pytest.mark.parametrize(
    "points",
    [
        [(z / 10, 0.0) for z in range(-20, 21)],
        [(z / 10, float(z > 15)) for z in range(-20, 21)],
        [(z / 10, 1e6 * z) for z in range(-2, 3)],
    ],
)
def test_quantiles_of_all_kinds(full, points):
    parts = replace(full().comparisons[0].pictures, quantiles=points)
    whole = full(pictures=parts)
    svg = next(picture for picture in drawn(whole) if picture.key == "quantiles").to_svg()
    assert "NaN" not in svg
    line = _through_quartiles(points)
    assert all(min(y for _, y in points) - 1e-9 <= end["y"] <= max(y for _, y in points) + 1e-9 for end in line)


def test_the_null_picture_claims_p_of_its_own_test_only(full, p_value):
    own, other = full(), full(p=p_value(0.0263, test="wilcoxon"))
    shown = [next(p for p in drawn(whole) if p.key == "null").description for whole in (own, other)]
    assert "p = .0123" in shown[0]
    assert "p = " not in shown[1]
    assert "not to the Wilcoxon signed-rank test" in shown[1]


def test_too_few_quantiles_are_no_picture(full):
    for points in ([], [(0.0, 1.0)] * 9):
        parts = replace(full().comparisons[0].pictures, quantiles=points)
        assert "quantiles" not in [picture.key for picture in drawn(full(pictures=parts))]


def null_layers(whole):
    """The null chart's layers between the law and the observed line: the tails, and where they lie on the axis."""
    chart = next(picture for picture in drawn(whole) if picture.key == "null").drawing.to_dict()
    return [chart["datasets"][layer["data"]["name"]] for layer in chart["layer"][1:-1]]


@pytest.mark.parametrize("width", [0.0005, 0.0], ids=["bars", "a curve of version 0.1.0"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("higher", [True, False])
def test_shaded_tail_is_on_the_side_of_the_alternative(full, alternative, higher, width):
    parts = full().comparisons[0].pictures
    whole = full(higher_is_better=higher, pictures=replace(parts, null=replace(parts.null, width=width)))
    whole = replace(whole, settings=whole.settings | {"alternative": alternative})
    *tails, axis = null_layers(whole)
    observed = 0.0143
    up = alternative == "two-sided" or (alternative == "greater") == higher
    down = alternative == "two-sided" or not up
    assert len(axis) == up + down
    shaded = [row for tail in tails for row in tail]
    lower = -observed if alternative == "two-sided" else observed
    for row in shaded:
        low, high = row["x"], row.get("end", row["x"])
        assert (up and low >= observed - 1e-12) or (down and high <= lower + 1e-12)
    # The edge itself, where a curve's tail begins, is on neither side.
    assert any(row["x"] > observed for row in shaded) == up
    assert any(row.get("end", row["x"]) < lower for row in shaded) == down


def test_the_null_picture_is_about_the_tested_difference(full):
    parts = full().comparisons[0].pictures
    law = replace(parts.null, x=[x + 0.01 for x in parts.null.x], centre=0.01, drawn=4000)
    whole = full(pictures=replace(parts, null=law))
    chart = next(picture for picture in drawn(whole) if picture.key == "null")
    assert "tested against 0.01, dotted" in chart.caption
    assert "(4,000 random swaps)" in chart.caption
    assert "if A - B were 0.01" in chart.description
    # Both tails lie as far from the tested difference as the observed one.
    axis = next(rows for rows in null_layers(whole) if "end" in rows[0] and rows[0]["y"] == 0)
    assert [row["x"] for row in axis] == pytest.approx([0.01 - 0.0043, 0.0143])


def test_both_histograms_have_one_scale(full):
    chart = next(picture for picture in drawn(full()) if picture.key == "scores").drawing.to_dict()
    scales = [panel["encoding"]["y"]["scale"]["domain"] for panel in chart["vconcat"]]
    assert scales[0] == scales[1] == [0, 299]


def test_units_are_called_units(full):
    design = replace(full().comparisons[0].design, unit_size=15)
    told = {picture.key: f"{picture.caption} {picture.description}" for picture in drawn(full(design=design))}
    for key in ("scores", "differences", "quantiles"):
        assert "units" in told[key]
        assert "item" not in told[key]
