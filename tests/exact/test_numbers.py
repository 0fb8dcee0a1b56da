"""Floats read back as what people wrote."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.core.numeric import as_written
from outscore.exact import numbers
from outscore.exact.numbers import fixed_point, to_exact_integers


@settings(max_examples=150)
@given(digits=st.integers(0, 9), whole=st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=30))
def test_decimals_are_recognised(digits, whole):
    """What float("0.37") makes of 37/100 goes back to 37 over a power of ten."""
    texts = [str(Fraction(k, 10**digits)) for k in whole]
    x = np.array([float(Fraction(t)) for t in texts])
    found = to_exact_integers(x)
    assert found is not None
    (integers,), scale = found
    assert [Fraction(int(k), scale) for k in integers] == [Fraction(t) for t in texts]


@settings(max_examples=100)
@given(q=st.integers(2, 60), whole=st.lists(st.integers(-500, 500), min_size=1, max_size=30))
def test_multiples_of_a_small_fraction_are_recognised(q, whole):
    """Rates k of q, such as 1/3 pass rates."""
    found = to_exact_integers(np.array([k / q for k in whole]))
    assert found is not None
    (integers,), scale = found
    assert [Fraction(int(k), scale) for k in integers] == [Fraction(k, q) for k in whole]


def test_mixed_denominators_share_one_scale():
    (x, y), scale = to_exact_integers(np.array([1 / 3, 0.25]), np.array([[2.0], [1 / 6]])) or ([None, None], 0)
    assert scale == 12
    assert (x.tolist(), y.tolist()) == ([4, 3], [[24], [2]])


@pytest.mark.parametrize(("late", "scale"), [(0.5, 10), (0.125, 1000), (1 / 3, 3), (1 / 7, 7), (math.pi, None), (1e-6, 10**6)])
@pytest.mark.parametrize("place", [0, numbers.BLOCK - 1, numbers.BLOCK, 2 * numbers.BLOCK + 6])
def test_one_number_among_very_many_decides(late, scale, place):
    """Numbers are looked at part by part; the last of them counts as much as the first."""
    x = np.arange(2 * numbers.BLOCK + 7) % 5 + 0.0
    x[place] = late
    found = to_exact_integers(np.zeros((3, 2)), np.asfortranarray(x[:, None]))
    assert (found and found[1]) == scale
    assert found is None or (found[0][1][:, 0] / scale == x).all()


def test_denominators_of_all_parts_share_one_scale():
    x = np.repeat([1 / 3, 0.25, 1 / 7], numbers.BLOCK)
    found = to_exact_integers(x)
    assert found is not None
    assert found[1] == 84


def test_integers_pass_unchanged():
    (x,), scale = to_exact_integers(np.array([3, -1, 2**50])) or ([None], 0)
    assert (x.tolist(), scale) == ([3, -1, 2**50], 1)


@pytest.mark.parametrize(
    "x",
    [
        [np.pi, 1.0],
        [0.1 + 0.2, 0.3, np.pi],
        [1e-20, 1.0],
        [2.0**60, 0.5],
        np.random.default_rng(0).random(50).tolist(),
    ],
    ids=["pi", "float sum", "seventeen digits", "too wide", "random"],
)
def test_real_numbers_are_left_alone(x):
    assert to_exact_integers(np.array(x)) is None


def test_sums_stay_below_2_to_the_53():
    """Decimals that each fit but whose sum would not are treated as real."""
    assert to_exact_integers(np.full(1_000_000, 123_456_789.123)) is None


@settings(max_examples=150)
@given(values=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), bits=st.sampled_from([20, 40, 52]))
def test_fixed_point_stays_within_half_a_unit(values, bits):
    whole, shift = fixed_point(np.array(values), bits)
    unit = Fraction(2) ** -shift
    assert all(abs(Fraction(x) - int(k) * unit) <= unit / 2 for x, k in zip(values, whole, strict=True))
    assert int(np.abs(whole).sum()) < 2**bits
    if len(values) < 8 and any(abs(x) > 1e-300 for x in values):
        # Just under the ceiling: no bit is wasted beyond the two that rounding may need.
        assert int(np.abs(whole).sum()) >= 2 ** (bits - 2) - len(values)


@pytest.mark.parametrize(
    ("moved", "whole"),
    [
        (lambda k: k / 3 * 100, lambda k: 100 * k),
        (lambda k: 2.9 - 0.1 * k, lambda k: 29 - k),
        (lambda k: np.stack([0.1 * k] * 7).mean(axis=0), lambda k: k),
        (lambda k: (k / 7) * 1.1 - 0.4, None),
    ],
)
def test_one_operation_more_leaves_numbers_on_their_lattice(moved, whole):
    k = np.random.default_rng(5).integers(0, 40, 300)
    (found,), scale = to_exact_integers(moved(k))
    assert np.abs(found / scale - moved(k)).max() <= 4 * np.spacing(np.abs(moved(k)).max())
    if whole is not None:
        assert (found * scale_of(whole(k), found) == whole(k)).all()


def scale_of(whole, found):
    return whole[found != 0][0] // found[found != 0][0] if (whole != found).any() else 1


@given(st.lists(st.floats(0.1, 1), min_size=30, max_size=60, unique=True))
def test_real_numbers_stay_real(x):
    """Seventeen digits that nobody wrote: no lattice is made up for them."""
    values = np.array(x) * math.pi
    assert to_exact_integers(np.random.default_rng(len(x)).permutation(np.sqrt(values))) is None


@given(st.lists(st.integers(-999, 999), min_size=1, max_size=40), st.sampled_from([np.float16, np.float32]))
def test_short_floats_are_read_as_written(tenths, dtype):
    assert as_written((np.array(tenths) / 10).astype(dtype)).tolist() == [k / 10 for k in tenths]


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=40), st.integers(2, 12), st.sampled_from([np.float16, np.float32]))
def test_small_fractions_survive_single_and_half_precision(tops, q, dtype):
    """A short decimal comes first: in half precision .0909 and 1/11 are one number, and .0909 is what is read."""
    written = (np.array(tops) % q) / q if dtype is np.float16 else np.array(tops) / q
    short = [float(f"{value:.3g}") for value in written] if dtype is np.float16 else written
    same = np.array(short, dtype=dtype) == written.astype(dtype)
    assert as_written(written.astype(dtype)) == pytest.approx(np.where(same, short, written), rel=1e-15, abs=0)


@settings(max_examples=200)
@given(
    x=st.floats(-1e3, 1e3) | st.integers(-999, 999).map(lambda k: k / 100) | st.integers(-999, 999).map(lambda k: k * 0.1),
    scale=st.integers(0, 12).map(lambda k: 10**k),
    room=st.sampled_from([0.0, 1e-15, 1e-12]),
)
def test_one_number_alone_is_judged_as_among_others(x, scale, room):
    assert numbers._is_multiple_alone(x, scale, room) == bool(numbers._is_multiple(np.array([x]), scale, room)[0])


@given(st.lists(st.integers(0, 3), max_size=30), st.sampled_from([[0.5], [1 / 3, 0.25], [0.125, 0.3], [1 / 7]]))
def test_whole_numbers_among_fractions_ask_for_nothing(whole, fractions):
    alone, mixed = to_exact_integers(np.array(fractions)), to_exact_integers(np.array([*whole, *fractions]))
    assert alone is not None
    assert mixed is not None
    assert mixed[1] == alone[1]
    assert mixed[0][0].tolist() == [mixed[1] * x for x in whole] + alone[0][0].tolist()
