"""Numbers at the ends of what floats hold: whatever is computed from them can be saved, loaded and shown."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.report.forms import render_html
from tests.variants import a_few, crossed

import outscore
from outscore.core.errors import OutscoreError
from outscore.inference.registry import TESTS
from outscore.results.comparison import Comparisons
from outscore.results.saved import parse

SIZES = [
    0,
    1,
    -1,
    0.5,
    1 / 3,
    5e-324,
    1e-320,
    -1e-310,
    2.3e-308,
    1e-300,
    1e-299,
    -1e-300,
    1e-160,
    1e-8,
    1e15,
    1e16,
    1e100,
    1e149,
    -1e149,
]
COUNTS = [0, 1, 2, 10, 10**6, 2**31, 2**45]
WIDTHS = {"mean": 1, "f1": 3, "precision": 3, "mcc": 4, "kappa": 4, "macro-f1": 4, "weighted-mean": 2}
SHIFTS = [0.1, 2.5, 1e-150, 1e150]


@st.composite
def questions(draw):
    """Two systems whose numbers have few values of very different sizes, and a question about them."""
    metric = draw(st.sampled_from(["mean", "mean", *WIDTHS]))
    pool = draw(st.lists(st.sampled_from(SIZES if metric == "mean" else COUNTS), min_size=1, max_size=3))
    n, width = draw(st.sampled_from([1, 2, 3, 5, 8, 30])), WIDTHS[metric]
    rows = st.lists(st.sampled_from(pool), min_size=n * width, max_size=n * width)
    a, b = (x if width == 1 else [x[i : i + width] for i in range(0, len(x), width)] for x in (draw(rows), draw(rows)))
    test = draw(st.sampled_from(list(TESTS) if metric == "mean" else ["permutation", "bootstrap"]))
    asked = {"metric": metric, "test": test, "options": {"resamples": 99} if "bootstrap" in test else None}
    extra = draw(st.sampled_from(["", "", "margin", "delta", "clusters", "items", "unit_size"]))
    if extra in ("margin", "delta"):
        asked[extra] = draw(st.sampled_from(SHIFTS))
    elif extra:
        asked[extra] = 2 if extra == "unit_size" else [i // 2 for i in range(n)]
    return a, b, asked


def check_saved(comparison):
    """A comparison as it comes back from its file."""
    whole = Comparisons([comparison], {})
    content = json.dumps(whole.to_dict(), allow_nan=False).encode()
    back = parse(content, "result.json")
    assert back.to_dict() == whole.to_dict()
    return back


@given(questions())
@settings(max_examples=50)
@example(([0], [math.pi], {}))
@example(([1, 0, 1], [1e-299, 0.5, 1e15], {}))
@example(([1e-320, 1e-310, 0], [2e-320, 0, 0], {}))
@example(([1e16], [1e16], {"margin": 1e-150}))
@example(([-1e149] * 3, [-1e149] * 3, {"delta": 0.1}))
@example(([1e149, 0, 1, 1e149, 1e149, 0], [0, 1e149, 0, 1, 1e149, 1], {"items": [0, 0, 1, 1, 2, 2]}))
@example(([[0, 0]] * 30, [[0, 0]] * 30, {"metric": "weighted-mean", "delta": 1e140}))
def test_what_is_computed_can_be_loaded(question):
    a, b, asked = question
    try:
        found = outscore.compare(a, b, **asked)
    except OutscoreError:
        assume(False)
    check_saved(found)


@pytest.mark.parametrize(
    ("a", "b", "asked"),
    a_few(
        [
            ([0.5], [0.25], {}),
            ([0.5] * 9, [0.5] * 9, {}),
            ([1e149, -1e149, 1e100], [0.5, 1e-300, 0], {}),
            ([1e-300, 2e-300, 0], [1e-299, 0, 0], {}),
            ([1e-320, 1e-310, 0], [2e-320, 0, 0], {}),
            ([1e-310, 1e-310, 5e-324], [0, 0, 0], {}),
            ([1e-300, 1e149, 1e-300], [1e-299, 0, 1 / 3], {"margin": 1e150}),
            ([[2**45, 1, 0]] * 5, [[1, 2**45, 3]] * 5, {"metric": "f1"}),
            ([[0, 0, 0]], [[0, 0, 0]], {"metric": "f1"}),
        ],
        4,
    ),
)
def test_what_is_computed_can_be_shown(a, b, asked):
    assert "<html" in render_html(check_saved(outscore.compare(a, b, **asked)))


@pytest.mark.parametrize(
    ("a", "asked", "sentence"),
    [
        ([1, 2, 3], {"delta": 1e-320}, "`delta` is 9.99989e-321."),
        ([1, 2, 3], {"delta": math.inf}, "`delta` is inf."),
        ([1, 2, 3], {"margin": 1e-200}, "`margin` is 1e-200."),
        ([1, 2, 3], {"margin": 1e200}, "`margin` is 1e+200."),
    ],
)
def test_numbers_that_floats_cannot_compute_with_are_refused(a, asked, sentence):
    with pytest.raises(OutscoreError) as refusal:
        outscore.compare(a, [0, 1, 2], **asked)
    assert refusal.value.message == sentence


def test_whole_numbers_beside_real_ones():
    whole, real = [0, 1, 1], [math.pi, 0.5, math.e]
    found, mirrored = outscore.compare(whole, real), outscore.compare(real, whole)
    assert found.p.value == mirrored.p.value == 0.5
    assert found.difference == -mirrored.difference == pytest.approx((2 - sum(real)) / 3)


@pytest.mark.parametrize(("test", "n", "power"), crossed(["permutation", "student", "bayes"], [15, 60], [-530, -560, -900]))
def test_the_interval_of_tiny_scores_is_that_of_large_ones(test, n, power):
    """Whose squares are 0, or have lost most of their digits; powers of two change no other digit."""
    rng = np.random.default_rng(7)
    a, b = rng.normal(6, 2, n), rng.normal(5, 2, n)
    large, tiny = (outscore.compare(a * size, b * size, test=test) for size in (1.0, 2.0**power))
    assert tiny.p.value == large.p.value
    low, high = large.interval.low, large.interval.high
    assert (tiny.interval.low, tiny.interval.high) == (math.ldexp(low, power), math.ldexp(high, power))
