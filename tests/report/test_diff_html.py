"""The explorer's page as a file: what it embeds, that data stay data, and that nothing is asked of the network."""

from __future__ import annotations

import base64
import json
import re
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.report.diff_making import make_changed, make_contexts, make_diff, make_units
from tests.report.forms import render_html, without_script
from tests.report.test_html import Page

from outscore.core.errors import OutscoreError
from outscore.report.explorer.data import embedded, matrix, pack
from outscore.results.diff import Diff


def unpack(packed: dict) -> np.ndarray:
    """What the page's script does, in numpy."""
    if "value" in packed:
        return np.full(packed["n"], packed["value"])
    numbers = np.frombuffer(base64.b64decode(packed["data"]), dtype=f"<i{packed['bytes']}").astype(np.int64)
    return numbers.cumsum() if packed["steps"] else numbers


@given(hnp.arrays(np.int64, st.integers(0, 40), elements=st.integers(-(2**30), 2**30)))
def test_against_numpy_packing_loses_nothing(numbers):
    assert (unpack(pack(numbers)) == numbers).all()


def test_packing_is_compact():
    assert pack(np.array([3, 1, 2]))["bytes"] == 1
    assert pack(np.arange(40_000))["bytes"] == 1
    assert pack(np.array([0, 40_000, 3]))["bytes"] == 4


@given(st.text())
def test_embedded_text_comes_back_and_holds_no_markup(text):
    plain = text.encode("utf-8", "replace").decode()
    made = embedded(plain)
    assert json.loads(made) == plain
    assert not set("<>&\u2028\u2029") & set(made)


@pytest.fixture(scope="module")
def source() -> str:
    units, parses = make_units(), make_units(criterion="las", heads=True)
    diff = make_diff(units, parses, warnings=("Look at <X> first.",))
    return render_html(diff, [make_changed(units), make_changed(parses)], make_contexts(units))


def blocks(source: str) -> dict[str, object]:
    found = re.findall(r'<script type="application/json" id="data-(\w+)">(.*?)</script>', source, re.DOTALL)
    return {name: json.loads(text) for name, text in found}


def test_the_page_is_well_formed(source):
    page = Page(source)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert page.headings[0] == 1
    assert page.words.index("Look at <X> first.") < page.words.index("Overview")


def test_only_our_script_may_run(source):
    assert "<script>" not in without_script(source)
    assert not re.search(r"\son\w+=|innerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", source)


def test_nothing_is_fetched(source):
    assert not re.search(r"@import|url\((?!#)|<iframe|<img|<object|<form|fetch\(|XMLHttp|\w+://", source)


def test_units_come_back_from_the_page(source):
    units = make_units()
    changed, contexts = make_changed(units), make_contexts(units)
    data = blocks(source)["examples"]
    first = data["sets"][0]
    assert (unpack(first["gold"]) == changed.units.gold).all()
    assert (unpack(first["answers"]).reshape(-1, 2) == changed.units.answers).all()
    assert (unpack(first["correct"]).reshape(-1, 2) == changed.units.correct).all()
    places = [data["ids"].index(contexts.ids[i]) for i in changed.contexts.tolist()]
    assert unpack(first["contexts"]).tolist() == places
    lengths = unpack(data["lengths"])
    assert (lengths == 8).all()
    words = [data["vocabulary"][i] for i in unpack(data["words"]).tolist()]
    last = places[-1] * 8 + int(unpack(first["starts"])[-1])
    assert words[last] == contexts.words[int(changed.contexts[-1])][int(changed.starts[-1])]
    heads = unpack(data["sets"][1]["heads"]).reshape(-1, 3)
    assert (heads == make_changed(make_units(criterion="las", heads=True)).heads).all()
    assert unpack(data["heads"]).reshape(-1, 8).tolist() == [list(range(-1, 7))] * len(data["ids"])


def test_matrix_counts_every_change():
    pair = make_diff(make_units()).pairs[0]
    found = matrix(pair)
    assert sum(sum(cell[2:]) for cell in found["cells"]) + found["outside"] == pair.outcomes.changes
    assert found["outside"] == 0


def test_a_saved_result_is_shown_without_examples():
    diff = make_diff(make_units())
    again = Diff.from_dict(json.loads(json.dumps(diff.to_dict())))
    source = render_html(again, [], None)
    assert blocks(source)["examples"] is None
    assert len(blocks(source)["pairs"]) == 1


def test_one_system_needs_no_explorer():
    source = without_script(render_html(make_diff(make_units(systems=1)), [], None))
    assert "<script" not in source
    assert 'id="explorer"' not in source
    assert "Scores" in source


def test_missing_template_engine(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(OutscoreError, match="jinja2 must be installed"):
        render_html(make_diff(make_units(n=200)), [], None)
