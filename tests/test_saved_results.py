"""Results survive a JSON round trip, and nothing underflows on the way."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import outscore as osc
from outscore.procedure.compare import comparisons
from outscore.results import Comparison, Comparisons, Interval, PValue

logs = st.floats(-5000, 0)


@given(logs, logs, st.sampled_from(["exact", "certified"]))
def test_p_values_from_logarithms(one, other, method):
    low, high = min(one, other), max(one, other)
    p = PValue.from_logs(low, high if method == "certified" else low, method=method, kernel="x")
    assert 0 < p.value <= 1
    assert p.lower <= p.value <= p.upper
    assert p.log10 <= 0
    assert PValue.from_dict(json.loads(json.dumps(p.to_dict(), allow_nan=False))) == p


def test_below_the_smallest_float_the_logarithm_is_trusted():
    p = PValue.from_logs(-2000.0, -2000.0, method="exact", kernel="lattice")
    assert (p.value, p.lower) == (5e-324, 0.0)
    assert p.log10 == pytest.approx(-2000 / math.log(10))
    assert float(p) == 5e-324


def test_without_a_lower_bound_the_value_is_the_upper_end():
    p = PValue.from_logs(-math.inf, -3.0, method="certified", kernel="bracket")
    assert p.lower == 0.0
    assert p.value == p.upper == pytest.approx(math.exp(-3))


@pytest.mark.parametrize("metric", ["mean", "accuracy"])
def test_a_comparison_survives(metric):
    result = osc.compare([1, 0, 1, 1, 1, 1], [0, 0, 1, 0, 0, 0], metric=metric, clusters=list("aabbcc"))
    saved = comparisons([result], {"seed": 0, "limit": math.inf})
    text = json.dumps(saved.to_dict(), allow_nan=False)
    again = Comparisons.from_dict(json.loads(text))
    assert again.comparisons == [result]
    assert json.loads(text)["schema"] == "outscore/result/1"
    assert json.loads(text)["settings"]["limit"] is None
    assert [step.view for step in result.design.path] == ["rows", "clusters"]


def test_an_unbounded_side_is_null():
    interval = Interval(None, 2.0, 0.95, "x", dual=True)
    assert interval.to_dict()["low"] is None
    assert Interval.from_dict(interval.to_dict()) == interval


@pytest.mark.parametrize("rubbish", [{}, {"value": "x"}, {"value": 0.5}])
def test_rubbish_is_refused(rubbish):
    with pytest.raises(osc.OutscoreError, match="not a saved PValue"):
        PValue.from_dict(rubbish)
    with pytest.raises(osc.OutscoreError):
        Comparison.from_dict(rubbish)


def test_notebooks_show_escaped_text():
    result = osc.compare([1, 2, 3], [1, 2, 4], names=("<script>", "b"))
    assert "<script>" not in result._repr_html_()
    assert "&lt;script&gt;" in result._repr_html_()
