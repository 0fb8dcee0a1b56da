"""A test is declared once: its entry and a line in the registry bring it everywhere a test is named or used."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from click.testing import CliRunner
from markupsafe import escape

from outscore import compare
from outscore.cli.app import app
from outscore.core.options import Option
from outscore.inference.base.entry import Claim, TestEntry
from outscore.inference.describe.analysis import advise
from outscore.inference.families import CORRECTIONS, Correction
from outscore.inference.registry import TESTS
from outscore.language.phrases import correction_name, method_phrase, name_of_test
from outscore.metrics.registry import METRICS
from outscore.report.citations import cited, uses_of_comparisons, works, works_on_metric
from outscore.results.comparison import Comparisons
from outscore.web.form import _form
from outscore.web.pages import page

SCORES = ([3.0, 5.0, 4.0, 8.0, 2.5, 6.0, 7.0], [1.0, 2.0, 3.0, 4.0, 1.0, 3.0, 5.5])


def _run(pairs, metric, asked):
    found = TESTS["sign"].run(pairs, metric, asked)
    return replace(found, p=replace(found.p, test="dummy"))


DUMMY = TestEntry(
    name="dummy",
    summary="nothing is ever different; a test of the registry",
    phrase="dummy test of nothing",
    formula=r"p = \frac{1}{2}",
    citations=("dixon1946",),
    method_citations={"exact": ("exactness", "vaaler1985")},
    estimand="median",
    on="scores",
    clusters=False,
    delta=True,
    run=_run,
    suits=dict.fromkeys(
        ("mean", "accuracy", "metric"), lambda claim: ("usable", f"It is a dummy for {claim.n} {{units}}.", 99)
    ),
    options=(Option("nerve", int, 3, "how boldly it guesses", minimum=1),),
)


@pytest.fixture(autouse=True)
def _registered(monkeypatch):
    monkeypatch.setitem(TESTS, "dummy", DUMMY)


def test_the_command_line_lists_it():
    found = CliRunner().invoke(app, ["tests"])
    assert found.exit_code == 0
    assert "dummy" in found.output
    assert "nothing is ever different" in found.output


def test_the_command_line_runs_it(tmp_path):
    for name, scores in zip("ab", SCORES, strict=True):
        (tmp_path / f"{name}.txt").write_text("".join(f"{x}\n" for x in scores), encoding="utf-8")
    found = CliRunner().invoke(app, ["compare", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "--test", "dummy"])
    assert found.exit_code == 0, found.output
    assert "exact dummy test of nothing" in found.output


def test_the_advice_places_it():
    advice = {row.test: row.why for row in advise(Claim("mean", 70, 0.0)).usable}
    assert advice["dummy"] == "It is a dummy for 70 items."
    clustered = {row.test: row.why for row in advise(Claim("mean", 70, 0.0, clusters=True)).unsuited}
    assert clustered["dummy"] == "It treats items as independent and does not support clusters."


def test_the_form_offers_it_with_its_option():
    # Without its cache, which the other tests share.
    fields = {field.name: field for field in _form.__wrapped__("compare")}
    assert "dummy" in [choice.value for choice in fields["test"].choices]
    assert fields["set.nerve"].default == 3
    assert fields["set.nerve"].only == (("test", ("dummy",)),)


def test_sentences_name_it():
    c = compare(*SCORES, test="dummy")
    assert name_of_test("dummy") == "dummy test of nothing"
    assert method_phrase(c.p) == "exact dummy test of nothing"
    assert "exact dummy test of nothing" in c.sentence


def test_it_stands_among_all_tests():
    assert "dummy" in [p.test for p in compare(*SCORES, test="all").tests]


def test_the_page_of_methods_shows_it():
    shown = on_the_page("tests-dummy")
    assert "<mfrac>" in shown
    assert [escape(works()["dixon1946"].line)] == re.findall('<p class="note">(.*)</p>', shown)


def on_the_page(name: str) -> str:
    """What the page of methods says of one."""
    return page.__wrapped__("methods").partition(f'id="{name}"')[2].partition("</article>")[0]


def test_its_works_are_cited():
    listed, bibtex = cited(uses_of_comparisons(Comparisons([compare(*SCORES, test="dummy")], {})))
    assert "dixon1946" in bibtex
    assert [fact.label for fact in listed if "Vaaler" in fact.lines[0]] == ["exactness"]


def test_a_correction_and_a_metric_are_declared_likewise(monkeypatch):
    correction = replace(CORRECTIONS["holm"], name="dummy", phrase="Dummy", citations=("holm1979",))
    assert isinstance(correction, Correction)
    monkeypatch.setitem(CORRECTIONS, "dummy", correction)
    monkeypatch.setitem(METRICS, "dummy-score", replace(METRICS["mean"], name="dummy-score", citations=("cohen1988",)))
    assert correction_name("dummy") == "Dummy"
    assert works_on_metric("dummy-score") == ("cohen1988",)
    assert escape(works()["cohen1988"].line) in on_the_page("metrics-dummy-score")
