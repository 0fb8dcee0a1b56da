"""p-values from logarithms: nothing underflows, bounds stay ordered, and notebooks get escaped text."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import outscore as osc
from outscore.results.pvalue import PValue

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


def test_notebooks_show_escaped_text():
    result = osc.compare([1, 2, 3], [1, 2, 4], names=("<script>", "b"))
    assert "<script>" not in result._repr_html_()
    assert "&lt;script&gt;" in result._repr_html_()


def test_against_numbers_the_upper_end_decides():
    p = PValue(0.048, 0.045, 0.052, -1.3, "monte-carlo", "sign-flips:999")
    assert not p < 0.05
    assert not p <= 0.05
    assert p > 0.05
    assert p >= 0.05
    assert p < 0.053
    assert p <= 0.052
    assert p > 0.05
    assert p < 0.053
    assert (p <= 0.05) == p.rejects(0.05)
    with pytest.raises(TypeError):
        assert p < "0.05"


def test_between_p_values_the_logarithm_decides():
    small, smaller = (PValue(5e-324, 0.0, 5e-324, log, "exact", "lattice") for log in (-1000.0, -2000.0))
    assert smaller < small
    assert small > smaller
    assert smaller <= small
    assert small >= smaller
    assert min(small, smaller) is smaller
    assert sorted([small, smaller]) == [smaller, small]


def test_formats_and_rounds_like_a_number():
    p = PValue(0.0123456, 0.0123456, 0.0123456, -1.9085, "exact", "lattice", n=80)
    assert f"{p:.3g}" == "0.0123"
    assert round(p, 3) == 0.012
    assert float(p) == 0.0123456
    assert f"{p}" == str(p)
    assert str(p).startswith("p = .0123\n")


def test_equality_is_that_of_all_fields_and_equal_ones_hash_alike():
    p = PValue(0.5, 0.5, 0.5, -0.301, "exact", "lattice", dropped={"ties": 3})
    same = PValue.from_dict(p.to_dict())
    assert p == same
    assert hash(p) == hash(same)
    assert p != 0.5
    assert len({p, same, PValue(0.5, 0.5, 0.5, -0.301, "exact", "plane")}) == 2
