"""Declared options: written and given values, defaults, refusals with a hint."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.core.errors import OutscoreError
from outscore.core.options import Option, complete, did_you_mean, parse_spec

WORD = Option("zeros", str, "drop", "what to do with zeros", choices=("drop", "pratt"))
COUNT = Option("resamples", int, 9_999, "how many", minimum=1)
NUMBER = Option("rope", float, 0.01, "how near is equal", minimum=0.0)
FLAG = Option("exact", bool, True, "exact or not")
RATIO = Option("beta", Fraction, Fraction(1), "weight of recall", minimum=1e-9)
MAYBE = Option("block", int, None, "block length; none finds one")


@pytest.mark.parametrize(
    ("option", "given", "expected"),
    [
        (WORD, "pratt", "pratt"),
        (COUNT, "500", 500),
        (COUNT, 500.0, 500),
        (COUNT, 1, 1),
        (NUMBER, "1e-3", 0.001),
        (NUMBER, 1, 1.0),
        (FLAG, "Yes", True),
        (FLAG, "0", False),
        (FLAG, False, False),
        (RATIO, "1/3", Fraction(1, 3)),
        (RATIO, "0.1", Fraction(1, 10)),
        (RATIO, 0.1, Fraction(1, 10)),
        (RATIO, 2, Fraction(2)),
        (MAYBE, None, None),
        (MAYBE, "7", 7),
    ],
    ids=str,
)
def test_values_are_read(option, given, expected):
    found = option.read(given)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("option", "given"),
    [
        (WORD, "keep"),
        (WORD, None),
        (COUNT, "many"),
        (COUNT, "1.5"),
        (COUNT, 1.5),
        (COUNT, 0),
        (COUNT, -3),
        (COUNT, None),
        (COUNT, math.inf),
        (COUNT, math.nan),
        (NUMBER, "x"),
        (NUMBER, -0.5),
        (NUMBER, math.nan),
        (FLAG, "maybe"),
        (FLAG, 2),
        (RATIO, "1/0"),
        (RATIO, "0"),
        (RATIO, "x"),
        (RATIO, [1]),
    ],
    ids=str,
)
def test_bad_values_are_refused_by_name(option, given):
    with pytest.raises(OutscoreError, match=f"`{option.name}`") as caught:
        option.read(given)
    assert caught.value.hint


@given(st.integers(1, 10**9))
def test_what_is_written_is_read_back(count):
    assert COUNT.read(str(count)) == count
    assert RATIO.read(str(Fraction(count, 7))) == Fraction(count, 7)


def test_missing_options_get_their_defaults():
    assert complete("x", (WORD, COUNT), {"resamples": "9"}) == {"zeros": "drop", "resamples": 9}
    assert complete("x", (), {}) == {}


def test_unknown_options_are_refused_with_the_nearest():
    with pytest.raises(OutscoreError, match="Did you mean `resamples`"):
        complete("bootstrap", (WORD, COUNT), {"resample": 9})
    with pytest.raises(OutscoreError, match="takes no options"):
        complete("mean", (), {"x": 1})


@pytest.mark.parametrize(
    ("word", "hint"),
    [("acuracy", "Did you mean `accuracy`?"), ("F1", "Did you mean `f1`?"), ("zzz", "Choose one of: accuracy, f1.")],
)
def test_hints(word, hint):
    assert did_you_mean(word, ["f1", "accuracy"]) == hint


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("f1", ("f1", {})),
        (" fbeta : beta = 2 ", ("fbeta", {"beta": "2"})),
        ("x:a=1:b=two", ("x", {"a": "1", "b": "two"})),
        ("x:a=b=c", ("x", {"a": "b=c"})),
        ("x:a=", ("x", {"a": ""})),
    ],
)
def test_specs_are_split(spec, expected):
    assert parse_spec(spec) == expected


@pytest.mark.parametrize("spec", ["fbeta:beta", "fbeta:=2", "fbeta:", "a:b=1:c"])
def test_broken_specs_are_refused(spec):
    with pytest.raises(OutscoreError, match="name:key=value"):
        parse_spec(spec)
