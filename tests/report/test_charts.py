from __future__ import annotations

import csv
import io
import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import product

import pytest
from tests.conftest import make_p
from tests.variants import crossed

from outscore import compare
from outscore.report.build.common import drawn as drawn_by
from outscore.report.charts.canvas import DESCRIBED, FORMATS
from outscore.report.charts.comparison import difference_chart, null_chart
from outscore.report.charts.distributions import _through_quartiles, differences_chart, scores_histograms
from outscore.report.palette import COLOURS
from outscore.report.render import chart_files
from outscore.report.rows.facts import evidence
from outscore.results.analysis import Advice, Subset
from outscore.results.comparison import Comparisons, Margin, SystemScore
from outscore.results.pvalue import Interval

SIGNATURES = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "csv": b""}
MAKERS = {
    "difference": difference_chart,
    "null": null_chart,
    "scores": scores_histograms,
    "differences": differences_chart,
}
KEYS = ["difference", "null", "scores", "differences", "quantiles", "power", "sizes"]


def drawn(whole):
    return drawn_by("comparison.CHARTS", whole.comparisons[0], whole)


def chart(whole, key):
    """One of them, without drawing the others."""
    return MAKERS[key](whole.comparisons[0], whole)


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
    (caption,) = [picture.caption for picture in drawn_by("comparison.CHARTS", c, whole) if picture.key == "sizes"]
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
    whole = full(metric=name, systems=(name, "B"), scores=(SystemScore(name, 0.5), SystemScore("B", 0.4)))
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
        [(z / 10, float(max(0, z - 15))) for z in range(-20, 21)],
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


@pytest.mark.parametrize("values", [(0.0,), (0.0, 1.0), (-1.0, 0.0, 1.0)])
def test_right_or_wrong_items_are_not_compared_with_a_normal_distribution(full, values):
    points = [(z / 10, values[(z + 20) * len(values) // 41]) for z in range(-20, 21)]
    whole = full(pictures=replace(full().comparisons[0].pictures, quantiles=points))
    assert all(picture.key != "quantiles" for picture in drawn(whole))


def test_the_null_picture_claims_p_of_its_own_test_only(full, p_value):
    own, other = full(), full(p=p_value(0.0263, test="wilcoxon"))
    shown = [chart(whole, "null").description for whole in (own, other)]
    assert "p = .0123" in shown[0]
    assert "p = " not in shown[1]
    assert "not to the Wilcoxon signed-rank test" in shown[1]


def test_too_few_quantiles_are_no_picture(full):
    for points in ([], [(0.0, 1.0)] * 9):
        parts = replace(full().comparisons[0].pictures, quantiles=points)
        assert "quantiles" not in [picture.key for picture in drawn(full(pictures=parts))]


def layers_of(drawing, role, *marks):
    """The rows of every layer that is drawn with these marks in this colour."""
    described = drawing.to_dict()
    found = [layer for layer in described["layer"] if layer["mark"].get("color") == COLOURS[role]]
    return [described["datasets"][layer["data"]["name"]] for layer in found if layer["mark"]["type"] in marks]


@pytest.mark.parametrize(
    ("width", "alternative", "higher"), crossed([0.0005, 0.0], ["two-sided", "greater", "less"], [True, False])
)
def test_shaded_tail_is_on_the_side_of_the_alternative(full, alternative, higher, width):
    parts = full().comparisons[0].pictures
    whole = full(higher_is_better=higher, pictures=replace(parts, null=replace(parts.null, width=width)))
    whole = replace(whole, settings=whole.settings | {"alternative": alternative})
    drawing = chart(whole, "null").drawing
    tails = layers_of(drawing, "tail", "rect", "area")
    (axis,) = layers_of(drawing, "tail", "rule")
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
    picture = chart(whole, "null")
    assert "tested against 0.01, dotted" in picture.caption
    assert "(4,000 random swaps)" in picture.caption
    assert "if A - B were 0.01" in picture.description
    # Both tails lie as far from the tested difference as the observed one.
    (axis,) = layers_of(picture.drawing, "tail", "rule")
    assert [row["x"] for row in axis] == pytest.approx([0.01 - 0.0043, 0.0143])


def test_both_histograms_have_one_scale(full):
    panels = chart(full(), "scores").drawing.to_dict()["vconcat"]
    scales = [panel["encoding"]["y"]["scale"]["domain"] for panel in panels]
    assert scales[0] == scales[1] == [0, 299]


def test_units_are_called_units(full):
    design = replace(full().comparisons[0].design, unit_size=15)
    told = {picture.key: f"{picture.caption} {picture.description}" for picture in drawn(full(design=design))}
    for key in ("scores", "differences", "quantiles"):
        assert "units" in told[key]
        assert "item" not in told[key]


def test_both_tails_are_named_with_what_each_of_them_holds(full, p_value):
    picture = chart(full(), "null")
    names = [row["text"] for rows in layers_of(picture.drawing, "tail", "text") for row in rows]
    assert names == [["at least as far", "below: share .00615"], ["at least as far", "above: share .00615"]]
    assert "p = .0123, .00615 below and .00615 above" in picture.description
    assert picture.caption.endswith("and purple is at least as far below and above")
    # Of a sampled p, or of another test's, the shares are not known.
    for p in (p_value(0.0123, "monte-carlo", 0.01, 0.015), p_value(0.0123, test="wilcoxon")):
        shown = chart(full(p=p), "null")
        names = [row["text"] for rows in layers_of(shown.drawing, "tail", "text") for row in rows]
        assert names == [["at least", "as far below"], ["at least", "as far above"]]


@pytest.fixture(scope="module")
def right_or_wrong():
    return Comparisons([compare([1, 1, 1, 0, 1], [0, 0, 0, 1, 1])], {})


def test_shares_of_tails_are_those_of_the_exact_law(right_or_wrong):
    """Four right-or-wrong items that differ: of the 16 equally likely signs, 5 give a sum of 2 or more."""
    (c,) = right_or_wrong.comparisons
    tails = {row["part"]: row.get("share") for row in chart(right_or_wrong, "null").rows if row["part"].startswith("at least")}
    sums = [sum(signs) for signs in product((-1, 1), repeat=4)]
    for side, turn in (("below", -1), ("above", 1)):
        assert tails[f"at least as far {side}"] == pytest.approx(sum(turn * s >= 2 for s in sums) / 16)
    assert c.p.value == pytest.approx(10 / 16)


def test_the_tail_is_the_one_that_a_one_sided_p_asks_about():
    """Nine of fifteen items that differ speak against A: chance alone leaves it six or fewer."""
    c = compare([1] * 6 + [0] * 9 + [1] * 85, [0] * 6 + [1] * 9 + [1] * 85, alternative="less")
    (tail,) = [row for row in null_chart(c, Comparisons([c], {})).rows if row["part"].startswith("at least")]
    assert tail["part"] == "at least as far below"
    assert tail["share"] == pytest.approx(sum(math.comb(15, k) for k in range(7)) / 2**15)
    assert tail["share"] == c.p.value
    assert "one-sided" in str(evidence(c, Comparisons([c], {})))


def test_difference_and_law_share_their_axis_unless_one_would_be_squeezed(full):
    def domains(whole):
        return [
            chart(whole, key).drawing.to_dict()["layer"][0]["encoding"]["x"]["scale"]["domain"]
            for key in ("difference", "null")
        ]

    first, second = domains(full())
    assert first == second
    # A margin ten times as wide as the law would leave a spike of it.
    own, law = domains(full(margin=Margin(0.2, make_p(0.0004), make_p(0.91))))
    assert own[1] > 0.2
    assert law[1] < 0.03


def rain(whole):
    """What the lower panel of the differences shows, and the domains of both panels."""
    described = chart(whole, "differences").drawing.to_dict()
    if "vconcat" not in described:
        return [], []
    cloud, under = described["vconcat"]
    rows = [row for layer in under["layer"] for row in described["datasets"][layer["data"]["name"]]]
    return [row["hover"] for row in rows if "hover" in row], [
        panel["layer"][0]["encoding"]["x"]["scale"]["domain"] for panel in (cloud, under)
    ]


def test_under_the_differences_are_their_quartiles_and_the_mean_with_its_interval(full):
    said, (above, below) = rain(full())
    assert above == below
    assert said[0] == "all 2,000 items: −0.31 to 0.33"
    assert "middle half: −0.02 to 0.05; median 0" in said
    assert "mean +0.0143, 95% CI 0.0100 to 0.0186" in said


def test_the_mean_stands_there_only_where_it_is_that_of_these_differences(full):
    parts = full().comparisons[0]
    other = replace(parts.interval, estimand="pseudomedian", estimate=0.01)
    macro = replace(
        parts.analysis,
        systems=parts.analysis.systems | {"difference": replace(parts.analysis.systems["difference"], mean=0.02)},
    )
    contributions = replace(parts.pictures, alone=True)
    for changes in ({"interval": other}, {"interval": None}, {"analysis": macro}, {"pictures": contributions}):
        said, _ = rain(full(**changes))
        assert said
        assert not any(words.startswith("mean") for words in said)
    assert rain(full(analysis=None)) == ([], [])


def test_ticks_of_right_or_wrong_items_are_right_and_wrong(right_or_wrong):
    last = chart(right_or_wrong, "scores").drawing.to_dict()["vconcat"][-1]
    assert last["encoding"]["x"]["axis"]["values"] == [0, 1]
    cloud = chart(right_or_wrong, "differences").drawing.to_dict()["vconcat"][0]
    assert cloud["layer"][0]["encoding"]["x"]["axis"]["values"] == [-1, 0, 1]


def test_bars_and_points_say_their_numbers_under_the_pointer(full):
    whole = full(metric="<b>")
    for picture in drawn(whole):
        svg = picture.to_svg()
        titles = [node.text for node in ET.fromstring(svg).iter() if node.tag.endswith("title")]  # noqa: S314 - our own output
        assert titles, picture.key
        assert all(titles)
        # To a screen reader it stays one picture with one description.
        assert svg.count('role="img"') == 1
        assert not DESCRIBED.search(svg)
    svg = chart(whole, "difference").to_svg()
    assert "<title>&lt;b&gt;: +0.0143, 95% CI 0.0100 to 0.0186</title>" in svg
    histogram = whole.comparisons[0].pictures.histograms["difference"]
    titles = re.findall(r"<title>([^<]*)</title>", chart(whole, "differences").to_svg())
    for count in histogram.counts:
        assert any(title.endswith(f": {count:,} items") for title in titles) or count == 1


def test_every_chart_gives_the_numbers_it_draws(full):
    whole = full(systems=("=cmd()", "B"), scores=(SystemScore("=cmd()", 0.5), SystemScore("B", 0.4)))
    (c,) = whole.comparisons
    tables = {picture.key: list(csv.DictReader(io.StringIO(picture.to_csv()))) for picture in drawn(whole)}
    assert list(tables) == KEYS
    assert all(tables.values())
    for system, role in (("'=cmd()", "a"), ("B", "b")):
        counts = [int(row["count"]) for row in tables["scores"] if row["system"] == system]
        assert counts == c.pictures.histograms[role].counts
    bars = [row for row in tables["differences"] if row["part"] == "bar"]
    assert [float(row["high"]) for row in bars] == c.pictures.histograms["difference"].edges[1:]
    law = [row for row in tables["null"] if row["part"] == "law"]
    assert [float(row["density"]) for row in law] == c.pictures.null.density
    assert sum(float(row["share"]) for row in law) == pytest.approx(1)
    assert [(float(row["normal_quantile"]), float(row["difference"])) for row in tables["quantiles"]] == c.pictures.quantiles
    assert [(int(row["clusters"]), float(row["power"])) for row in tables["power"]] == [(p.n, p.power) for p in c.power.curve]
    assert [float(row["median_p"]) for row in tables["sizes"]] == [q.p for q in c.pictures.sizes]
    assert tables["difference"][0]["estimate"] == "0.0143"


def test_an_interval_without_an_end_has_an_arrow(comparison):
    whole = Comparisons([comparison(interval=Interval(0.01, None, 0.95, "x", dual=True))], {})
    described = chart(whole, "difference").drawing.to_dict()
    sides = [row["side"] for rows in described["datasets"].values() for row in rows if "side" in row]
    assert sides == ["right"]


def test_few_items_are_counted_in_whole_numbers(right_or_wrong):
    for panel in chart(right_or_wrong, "scores").drawing.to_dict()["vconcat"]:
        assert panel["encoding"]["y"]["axis"]["values"] == [0, 1, 2, 3, 4]
