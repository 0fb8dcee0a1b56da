"""The page of methods: everything in the registries, with a formula that browsers can set and works to cite."""

from __future__ import annotations

import re
from xml.dom.minidom import parseString

import pytest
from markupsafe import escape

from outscore.inference.families import CORRECTIONS
from outscore.inference.registry import TESTS
from outscore.metrics.registry import METRICS
from outscore.metrics.text.registry import TEXT_METRICS
from outscore.report.citations import works
from outscore.web import methods
from outscore.web.pages import page

LISTED = {"tests": TESTS, "metrics": METRICS, "text-metrics": TEXT_METRICS, "corrections": CORRECTIONS}
UNCITED = {
    "mean",
    "sum",
    "weighted-mean",
    "accuracy",
    "accuracy-at",
    "error-rate",
    "precision",
    "recall",
    "macro-f1",
    "weighted-f1",
    "wer",
    "cer",
}
"""Shares, means and rates, whose definitions are nobody's."""


def test_everything_is_listed_with_its_formula_and_works():
    shown = page("methods")
    listed = {(kind, name): entry for kind, registry in LISTED.items() for name, entry in registry.items()}
    assert re.findall(r'<article class="method" id="(.+)">', shown) == ["-".join(place) for place in listed]
    assert {name for (_, name), entry in listed.items() if not entry.citations} == UNCITED
    articles = re.findall(r"<article.*?</article>", shown, re.DOTALL)
    for entry, article in zip(listed.values(), articles, strict=True):
        assert entry.summary
        # Some are several, so that lines can be broken between them.
        parseString(f"<p>{methods.to_mathml(entry.formula)}</p>")  # noqa: S318 - our own
        assert article.count('<p class="note">') == len(entry.citations)
        assert all(escape(works()[key].line) in article for key in entry.citations)


@pytest.mark.parametrize("tex", [tex for _, tex in methods.EFFECTS.values()])
def test_formulas_of_effects_are_xml(tex):
    written = parseString(f"<p>{methods.to_mathml(tex)}</p>")  # noqa: S318 - our own
    assert written.getElementsByTagName("math")


@pytest.mark.parametrize("tex", [r"\frac{a}", r"{a", r"a_", r"\sqrt", r"a}"])
def test_what_is_not_balanced_is_a_mistake(tex):
    with pytest.raises(ValueError, match="formula"):
        methods.to_mathml(tex)
