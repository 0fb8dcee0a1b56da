"""The parts of certified bounds against laws that are listed: windows, outliers and characteristic functions."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from outscore.exact import bracket
from outscore.exact.flipsum import FlipSum
from outscore.exact.lattice import saddle_point

SIZES = st.lists(st.floats(0.01, 1.0), min_size=1, max_size=10)


@settings(max_examples=300)
@given(SIZES, st.floats(0.0, 0.999), st.floats(0.1, 15.0))
def test_no_more_than_allowed_lies_outside_a_window(sizes: list[float], share: float, nats: float) -> None:
    values, counts = np.unique(sizes, return_counts=True)
    law = FlipSum(values[:, None], counts.astype(float))
    total = math.fsum(sizes)
    theta = saddle_point(law, share * total)
    up, down = bracket._window(law, theta, total, nats)
    sums = np.array([math.fsum(flips) for flips in itertools.product(*((x, -x) for x in sizes))])
    mass = np.exp(float(theta[0]) * sums - law.log_mgf(theta)) / 2.0 ** len(sizes)
    away = sums - float(law.mean(theta)[0])
    allowed = math.exp(-nats) * (1 + 1e-9)
    # Where the window holds all there is, nothing is left out.
    assert up >= away.max() or mass[away > up].sum() <= allowed
    assert down >= -away.min() or mass[-away > down].sum() <= allowed


def naive_outliers(sizes: list[float]) -> int:
    """How many sizes, counted to the last that is more than six standard deviations of everything smaller."""
    falling = sorted(sizes, reverse=True)
    spreads = [math.sqrt(math.fsum(x**2 for x in falling[k + 1 :])) for k in range(bracket.MAX_OUTLIERS)]
    return max((k + 1 for k, spread in enumerate(spreads) if falling[k] > bracket.FAR_OUT * spread), default=0)


@settings(max_examples=300)
@given(st.lists(st.floats(-7, 0).map(lambda x: 10.0**x), min_size=9, max_size=40, unique=True))
def test_outliers_are_found_where_there_are_any(sizes: list[float]) -> None:
    assert bracket._outliers(np.sort(sizes)) == naive_outliers(sizes)


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.floats(0.01, 1.0), st.integers(1, 40)), max_size=12, unique_by=lambda flip: flip[0]),
    st.floats(0.0, 3.0),
    st.floats(0.001, 0.5),
    st.lists(st.integers(1, 5_000), min_size=1, max_size=30, unique=True).map(sorted),
)
def test_characteristic_function_is_the_product_of_its_flips(
    flips: list[tuple[float, int]], tilt: float, step: float, index: list[int]
) -> None:
    sizes, counts = (np.array([flip[part] for flip in flips], dtype=float) for part in (0, 1))
    law = FlipSum(sizes[:, None], counts)
    found = bracket._characteristic(law, np.array([tilt]), step, np.array(index))
    for i, value in zip(index, found, strict=True):
        factors = [complex(math.cos(step * i * a), math.tanh(tilt * a) * math.sin(step * i * a)) ** c for a, c in flips]
        assert abs(value - math.prod(factors)) <= 1e-11


def test_very_many_small_flips_leave_none_to_be_taken_one_by_one():
    """All of them enter through Taylor's series; the bounds hold the normal law's answer."""
    rng = np.random.default_rng(0)
    sizes = rng.uniform(0.5, 1.0, 12_000)
    observed = 1.5 * math.sqrt(float((sizes**2).sum()))
    found = bracket.bounds(sizes, observed)
    assert math.exp(found.lower) < 0.066807 < math.exp(found.upper)
    assert found.width < bracket.WIDTH
