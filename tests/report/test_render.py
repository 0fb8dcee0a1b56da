"""The door: every kind of result in every form."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from tests.plans import plan_numbers as plan
from tests.report.diff_making import make_diff, make_units
from tests.report.making import make_full
from tests.report.ranking_making import MADE
from tests.variants import a_few, crossed

from outscore.core.errors import OutscoreError
from outscore.report.charts.canvas import chart_config
from outscore.report.render import FORMS, charts_of, kind_of, render
from outscore.results.plan import StudyDesign
from outscore.workflows.plan.answer import possible_p

KINDS = {
    "comparison": lambda: make_full().comparisons[0],
    "comparisons": make_full,
    "ranking": MADE["datasets"],
    "diff": lambda: make_diff(make_units()),
    "plan": lambda: replace(plan(StudyDesign(sd=0.3), effect=0.02), settings={"sd": 0.3}),
    "possible p": lambda: replace(possible_p("87.1", "86.4", 1000), settings={"n": 1000}),
}
TABLES = {"comparison": "csv", "comparisons": "csv", "ranking": "csv pairs", "diff": "csv", "plan": "csv", "possible p": "csv"}


@pytest.mark.parametrize(("form", "kind"), crossed(FORMS, KINDS))
def test_every_kind_in_every_form(kind, form):
    result = KINDS[kind]()
    without = form in ("csv", "pairs") and form not in TABLES[kind].split()
    if without or (form == "line" and kind_of(result).lines is None):
        with pytest.raises(OutscoreError, match=f"has no form `{form}`"):
            render(result, form)
        return
    text = render(result, form)
    assert text.endswith({"html": "</html>", "card": "</div>"}.get(form, "\n"))
    if form == "json":
        assert type(result).from_dict(json.loads(text)).to_dict() == result.to_dict()
    if form == "html":
        assert text.startswith("<!doctype html>")
    if form == "badge":
        assert ET.fromstring(text).tag.endswith("svg")  # noqa: S314 - our own
    if form not in ("json", "html", "csv", "pairs", "card", "screen", "line", "badge"):
        assert len(render(result, form, verbose=True)) > len(text)


def test_an_unknown_form_is_refused():
    with pytest.raises(OutscoreError, match="There is no form `docx`"):
        render(make_full(), "docx")


@pytest.mark.parametrize("kind", a_few(KINDS, 3))
def test_charts_of_every_kind(kind):
    charts = charts_of(KINDS[kind]())
    assert charts
    for chart in charts:
        # Drawing takes a description as it is, so it is checked against the schema here.
        chart.drawing.configure(**chart_config("#ffffff")).to_dict(validate=True)
    assert charts[0].to_bytes("png").startswith(b"\x89PNG")


def test_no_cell_of_a_table_is_taken_for_a_formula():
    """Texts that begin with = + - @ get an apostrophe; numbers stay numbers."""
    whole = make_full()
    names = ('=HYPERLINK("x")', "+1-555")
    systems = [
        replace(c, systems=names, scores=tuple(replace(s, system=n) for s, n in zip(c.scores, names, strict=True)))
        for c in whole.comparisons
    ]
    rows = list(csv.reader(io.StringIO(render(replace(whole, comparisons=systems), "csv"))))
    cells = [cell for row in rows[1:] for cell in row]
    assert {f"'{name}" for name in names} <= set(cells)
    begun = [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert all(isinstance(float(cell), float) for cell in begun)
