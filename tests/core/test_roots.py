"""Brackets of roots: as right as those that are halved, and narrow after a dozen values."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.core.numeric import FINE, narrowed

RISING = {
    "line": lambda x: x,
    "power": lambda x: x**9,
    "exponential": lambda x: math.expm1(min(x, 600.0)),
    "law": lambda x: math.erfc(-x),
    "flat": math.atan,
    "steps": math.floor,
}


def halved(function, target, low, high):
    """Neighbouring floats between which it rises to the target."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if function(middle) >= target else (middle, high)
    return low, high


@pytest.mark.parametrize("name", RISING)
@settings(max_examples=60)
@given(ends=st.tuples(st.floats(-50, 50), st.floats(-50, 50)).map(sorted), share=st.floats(0.01, 1.0))
def test_it_ends_where_halving_ends(name, ends, share):
    function, (low, high) = RISING[name], ends
    target = function(low) + share * (function(high) - function(low))
    if function(low) < target <= function(high):
        assert halved(function, target, *narrowed(function, target, low, high)) == halved(function, target, low, high)


def test_a_dozen_values_are_enough():
    asked = []

    def law(x):
        asked.append(x)
        return math.erfc(-x)

    low, high = narrowed(law, 1.6, 0.0, 8.0)
    assert law(low) < 1.6 <= law(high)
    assert high - low <= FINE * high
    assert len(asked) < 18
