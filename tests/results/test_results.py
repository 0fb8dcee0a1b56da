"""Any result, whatever its fields hold, survives a JSON round trip."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import pkgutil
import types
import typing
from dataclasses import replace
from functools import cache
from importlib import import_module

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outscore import results
from outscore.core.errors import OutscoreError
from outscore.results.comparison import Comparison, Comparisons
from outscore.results.note import Signature
from outscore.results.preference import PreferencePair
from outscore.results.pvalue import Interval, PValue
from outscore.results.rendering import json_text

SAVED = [PValue, Interval, Comparison, Comparisons]
plain = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text()


@cache
def anything(kind: typing.Any) -> st.SearchStrategy:
    """A strategy for values of an annotated type; new fields and classes are covered without a line here."""
    arguments = typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return st.builds(kind, **{f.name: anything(hints[f.name]) for f in dataclasses.fields(kind)})
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = typing.get_type_hints(kind)
        return st.builds(kind, **{name: anything(hints[name]) for name in kind.__struct_fields__})
    containers = {
        typing.Literal: lambda: st.sampled_from(arguments),
        typing.Union: lambda: st.one_of([anything(k) for k in arguments]),
        types.UnionType: lambda: st.one_of([anything(k) for k in arguments]),
        list: lambda: st.lists(anything(arguments[0]), max_size=2),
        dict: lambda: st.dictionaries(st.text(max_size=5), anything(arguments[1]), max_size=2),
        tuple: lambda: st.tuples(*(anything(k) for k in arguments)),
    }
    origin = typing.get_origin(kind)
    return LEAVES[kind] if origin is None else containers[origin]()


LEAVES = {
    float: st.floats(allow_nan=False, allow_infinity=False),
    int: st.integers(-(2**53), 2**53),
    str: st.text(max_size=8),
    bool: st.booleans(),
    type(None): st.none(),
    Signature: st.text("ab:|", max_size=8).map(Signature.parse),
    typing.Any: plain | st.lists(plain, max_size=2),
}


@pytest.mark.parametrize("kind", SAVED)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_round_trip(kind, data):
    result = data.draw(anything(kind))
    text = json.dumps(result.to_dict(), allow_nan=False)
    again = kind.from_dict(json.loads(text))
    assert again == result
    assert json.dumps(again.to_dict()) == text


def test_every_result_is_frozen():
    modules = [import_module(found.name) for found in pkgutil.walk_packages(results.__path__, "outscore.results.")]
    kinds = [kind for module in modules for kind in vars(module).values() if dataclasses.is_dataclass(kind)]
    assert len(kinds) > 30
    for kind in kinds:
        with pytest.raises(dataclasses.FrozenInstanceError):
            kind.__new__(kind).notes = []


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_non_finite_becomes_null(value):
    """JSON knows neither; an unbounded limit is null and comes back as None."""
    saved = Interval(value, 1.0, 0.95, "inversion", dual=True).to_dict()
    assert saved["low"] is None
    assert Interval.from_dict(saved).low is None
    assert Comparisons([], {"limit": [value, {"x": value}]}).to_dict()["settings"] == {"limit": [None, {"x": None}]}


def test_precision_is_kept():
    p = PValue(0.1 + 0.2, 5e-324, 1 / 3, -1e-17, "exact", "lattice", statistic=-0.0)
    again = PValue.from_dict(json.loads(json.dumps(p.to_dict())))
    assert [x.hex() for x in (again.value, again.lower, again.upper, again.log10)] == [
        x.hex() for x in (p.value, p.lower, p.upper, p.log10)
    ]
    assert math.copysign(1, again.statistic) == -1


@pytest.mark.parametrize(
    "rubbish",
    [{}, {"value": "x"}, [], None, 3, "text", {"low": 1, "high": 2, "level": "high", "method": 3, "dual": None}],
    ids=str,
)
@pytest.mark.parametrize("kind", SAVED)
def test_rubbish_is_refused_in_one_sentence(kind, rubbish):
    with pytest.raises(OutscoreError, match=kind.__name__) as caught:
        kind.from_dict(rubbish)
    assert "\n" not in str(caught.value)


def test_another_schema_is_refused():
    with pytest.raises(OutscoreError):
        Comparisons.from_dict({"comparisons": [], "settings": {}, "schema": "outscore/result/999"})


@given(st.text("ab:|", max_size=12))
def test_a_signature_is_its_line(line):
    assert str(Signature.parse(line)) == line
    assert Signature.parse(line) == line
    assert hash(Signature.parse(line)) == hash(line)


def test_a_signature_has_parts_and_is_frozen():
    line = Signature([("metric", "bleu"), ("unit", "items"), ("n", 5), ("outscore", "0")]).extended("BLEU|nrefs:1")
    assert line.value("n") == "5"
    assert line.replacing("unit", "items", "segments").value("unit") == "segments"
    assert line.replacing("unit", "clusters", "segments") == line
    assert [str(part) for part in line.before_and_after("outscore")] == [
        "metric:bleu|unit:items|n:5|outscore:0",
        "BLEU|nrefs:1",
    ]
    assert copy.deepcopy(line) == line
    with pytest.raises(AttributeError, match="frozen"):
        line.parts = ()


json_values = st.recursive(
    plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3), max_leaves=12
)


@given(st.dictionaries(st.text(max_size=3), json_values, max_size=4))
def test_json_for_people_says_what_json_says(value):
    assert json.loads(json_text(value)) == value


def test_rows_of_a_table_stand_on_a_line_each():
    """Thousands of rows took a line for every number, which was more than half of the file."""
    rows = [{"count": i, "law": [0.1, 0.2]} for i in range(3)]
    assert json_text({"n": 3, "laws": [row["law"] for row in rows]}) == (
        '{\n  "n": 3,\n  "laws": [\n    [0.1, 0.2],\n    [0.1, 0.2],\n    [0.1, 0.2]\n  ]\n}\n'
    )
    assert json_text({"numbers": list(range(50))}).count("\n") == 3
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_text({"rows": [{"p": math.nan}]})


def test_a_pair_of_battles_is_significant_where_any_p_value_rejects():
    sampled = PValue(0.049, 0.046, 0.052, -1.31, "monte-carlo", "sign-flips:9999", adjusted=0.049)
    pair = PreferencePair("new", "old", 60, 0, 40, 0.6, 0.5, 0.7, sampled, 100)
    # What sampling left open may lie on the other side of alpha.
    assert [pair.is_significant(alpha) for alpha in (0.049, 0.05, 0.052)] == [False, False, True]
    assert not replace(pair, p=replace(sampled, adjusted=0.06)).is_significant(0.055)
    assert not replace(pair, p=None).is_significant(0.5)
    assert (sampled.claimed, replace(sampled, method="certified").claimed) == (0.049, 0.052)
