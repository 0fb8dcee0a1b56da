"""An interval never stands beside a number it is not about, in any form."""

from __future__ import annotations

import re

import pytest
from tests.report.forms import latex, markdown, render_html, text
from tests.report.making import make_full

from outscore.report.build.common import drawn
from outscore.report.rows.comparison import results
from outscore.results.comparison import Comparison
from outscore.results.design import Decision
from outscore.results.note import Note
from outscore.results.pvalue import Interval

ENDS = "0.00010 to 0.00400"
MEDIAN = Interval(0.0001, 0.004, 0.95, "order statistics", dual=False, estimand="median", estimate=0.0007)
FORMS = {
    "text": lambda whole: text.render(whole, verbose=True),
    "markdown": lambda whole: markdown.render(whole, verbose=True),
    "latex": lambda whole: latex.render(whole, verbose=True),
    "html": lambda whole: re.sub(r"<[^>]+>", "\n", render_html(whole)),
}


@pytest.mark.parametrize("form", FORMS)
def test_the_estimate_stands_before_its_interval(form):
    shown = " ".join(FORMS[form](make_full(interval=MEDIAN)).replace("\u00a0", " ").replace("\\", "").split())
    assert ENDS in shown
    assert re.search(r"\+0\.0143\S*(\W+\(A - B\))?\W+(95% CI )?0\.00010", shown) is None
    assert shown.count("+0.00070") >= 1


def test_the_table_of_results_has_columns_for_it():
    table = results(make_full(interval=MEDIAN))
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert row["A - B"] == "+0.0143"
    assert row["median difference"] == "+0.00070"
    assert row["its 95% CI"] == ENDS
    assert "95% CI" not in row
    assert "its 95% CI" not in results(make_full()).columns


def test_an_interval_without_its_estimate_is_still_named():
    whole = make_full(interval=Interval(0.0001, 0.004, 0.95, "x", dual=False, estimand="pseudomedian"))
    assert "95% CI of the pseudomedian (Hodges-Lehmann) 0.0001 to 0.0040" in " ".join(text.render(whole).split())
    assert "NaN" not in drawn("comparison.CHARTS", whole.comparisons[0], whole)[0].to_svg()


def test_the_picture_has_a_row_for_each():
    whole = make_full(interval=MEDIAN)
    picture = drawn("comparison.CHARTS", whole.comparisons[0], whole)[0]
    assert "median difference +0.00070, 95% CI 0.00010 to 0.00400" in picture.description
    assert picture.description.startswith("Difference A - B: +0.0143; ")
    spans = [layer for layer in picture.drawing.to_dict()["layer"] if "x2" in layer["encoding"]]
    (span,) = spans
    rows = picture.drawing.to_dict()["datasets"][span["data"]["name"]] if "name" in span["data"] else span["data"]["values"]
    assert [row["what"] for row in rows] == ["median difference"]


def test_posterior_intervals_are_called_so():
    whole = make_full(interval=Interval(0.01, 0.0186, 0.95, "posterior", dual=False))
    for render in FORMS.values():
        assert "95% posterior interval" in render(whole).replace("\u00a0", " ").replace("\\", "").replace("~", " ")


def test_notebooks_show_the_numbers_and_nothing_runs():
    name = "<script>alert(1)</script>"
    whole = make_full(systems=(name, "B"), notes=[Note("data", name)], metric=name)
    shown = whole._repr_html_()
    assert "<script" not in shown
    assert "style" not in shown
    assert "&lt;script&gt;" in shown
    assert shown.count("<table") == 1
    for cell in ("0.9543", "0.9494 to 0.9592", "+0.0143", "0.0100 to 0.0186", ".0123", "exact paired permutation test"):
        assert f"<td>{cell}</td>" in shown
    assert isinstance(whole.comparisons[0], Comparison)
    assert whole.comparisons[0]._repr_html_() == shown
    assert whole.comparisons[0].p._repr_html_().startswith("<div><p><strong>p = ")
    median = make_full(interval=MEDIAN, decision=Decision(None, "undecided"))._repr_html_()
    assert "<td>A - B</td><td>+0.0143</td><td></td>" in median
    assert "<td>median difference</td><td>+0.00070</td><td>0.00010 to 0.00400</td>" in median
