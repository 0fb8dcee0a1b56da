"""The automatic block length: values of arch, and numbers for every series however odd."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outscore.resampling.block_length import optimal_block_length


def autoregression(n, rho):
    x = np.random.default_rng([n, int(100 * rho)]).normal(size=n)
    for i in range(1, n):
        x[i] += rho * x[i - 1]
    return x


# pip install arch==8.0.0; float(arch.bootstrap.optimal_block_length(autoregression(n, rho)).stationary.iloc[0])
@pytest.mark.parametrize(
    ("n", "rho", "length"),
    [
        (50, 0.3, 1.462405468967013),
        (200, 0.0, 2.80189326837519),
        (200, 0.5, 7.311015190668649),
        (200, 0.9, 18.434176775105385),
        (1000, 0.5, 10.646722366378027),
        (3000, 0.8, 27.784972516119065),
    ],
)
def test_against_arch(n, rho, length):
    assert optimal_block_length(autoregression(n, rho)) == pytest.approx(length, rel=1e-10)


def naive(x):
    """The rule as a loop: autocovariances, the first negligible run, the flat-top window."""
    n = len(x)
    e = [v - sum(x) / n for v in x]
    run = max(5, int(math.log10(n)))
    most = math.ceil(math.sqrt(n)) + run
    r, negligible = [], []
    for k in range(most + 1):
        r.append(sum(e[t] * e[t + k] for t in range(n - k)) / n)
        head, tail = sum(v * v for v in e[: n - k - 1]), sum(v * v for v in e[k + 1 :])
        negligible.append(abs(r[k]) * n / math.sqrt(head * tail) < 2 * math.sqrt(math.log10(n) / n))
    m = next((2 * max(k, 1) for k in range(most + 1 - run) if all(negligible[k : k + run])), most)
    m = min(m, most)
    window = [min(1, 2 * (1 - k / m)) for k in range(m + 1)]
    g = sum(2 * window[k] * k * r[k] for k in range(1, m + 1))
    d = 2 * (r[0] + sum(2 * window[k] * r[k] for k in range(1, m + 1))) ** 2
    return min(max((2 * g * g / d * n) ** (1 / 3), 1), math.ceil(min(3 * math.sqrt(n), n / 3)), n / 3)


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.4, 0.95])
@pytest.mark.parametrize("n", [12, 40, 150, 400])
def test_against_naive_loop(n, rho):
    x = autoregression(n, abs(rho)) * (np.sign(rho) or 1) ** np.arange(n)
    assert optimal_block_length(x) == pytest.approx(naive(x.tolist()), rel=1e-9)


@given(st.lists(st.floats(-1e150, 1e150), min_size=1, max_size=60))
def test_always_a_number_between_one_and_a_third(values):
    assert 1 <= optimal_block_length(np.array(values)) <= max(1, len(values) / 3)


@given(st.lists(st.integers(-9, 9), min_size=20, max_size=60), st.sampled_from([0.5, 4.0, -2.0, 1024.0]), st.integers(-8, 8))
def test_unit_and_origin_do_not_matter(values, scale, shift):
    x = np.array(values, dtype=float)
    assert optimal_block_length(scale * x + shift) == pytest.approx(optimal_block_length(x), rel=1e-6)


@pytest.mark.parametrize("x", [[5], [1, 2], [0.1] * 50, [1 / 3] * 7, [0, 1] * 30, [1, -1] * 50, [0] * 99 + [1]])
def test_series_with_little_in_them(x):
    length = optimal_block_length(np.array(x))
    assert 1 <= length <= max(1, len(x) / 3)
    if len(set(x)) == 1:
        assert length == 1
