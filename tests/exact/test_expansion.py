"""Very many flips: the series says what a pass over all of them says, and the bounds that rest on it hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.variants import a_few, crossed

from outscore.exact import bracket, lattice
from outscore.exact.flipsum import DEGREE, FLOOR, SMALL, Expanded, FlipSum, _tanh_series, expand

N = 12_000


def sizes_of(kind: str, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.unique(np.abs({"normal": rng.normal(size=N), "uniform": rng.random(N), "heavy": rng.standard_t(1.5, N)}[kind]))


def both(kind: str, z: float) -> tuple[FlipSum, Expanded, float]:
    """The law, its expansion around the sum z standard deviations out, and that sum."""
    sizes = sizes_of(kind)
    plain = FlipSum(sizes[:, None], np.random.default_rng(2).integers(1, 3, len(sizes)).astype(float))
    observed = z * math.sqrt(float(plain.covariance(np.zeros(1))[0, 0]))
    law, _ = lattice.tilt(plain, observed, bracket._fading_frequency(sizes, plain.counts, FLOOR))
    assert isinstance(law, Expanded)
    return plain, law, observed


@pytest.mark.parametrize("z", [0.0, 2.0, 11.0, 30.0])
@pytest.mark.parametrize("kind", ["normal", "uniform", "heavy"])
def test_against_a_pass_over_all_flips(kind, z):
    """Cumulants everywhere in the disc, its edge included, and beyond it, where the pass itself answers."""
    plain, law, _ = both(kind, z)
    for share in (-1.0, -0.3, 0.0, 1e-9, 0.5, 1.0, 1.5):
        theta = np.array([law.centre + share * law.radius])
        scale = math.sqrt(float(plain.covariance(theta)[0, 0]))
        assert law.log_mgf(theta) == pytest.approx(plain.log_mgf(theta), rel=1e-12, abs=1e-12)
        assert law.mean(theta) == pytest.approx(plain.mean(theta), rel=1e-11, abs=1e-11 * scale)
        assert law.covariance(theta) == pytest.approx(plain.covariance(theta), rel=1e-10)
        for either in (law, plain):
            together = float(either.mean(theta)[0]), float(either.covariance(theta)[0, 0])
            assert either.line_moments(float(theta[0])) == pytest.approx(together, rel=1e-13, abs=1e-13 * scale)


@pytest.mark.parametrize("z", [0.0, 2.0, 11.0, 30.0])
@pytest.mark.parametrize("kind", ["normal", "uniform", "heavy"])
def test_the_characteristic_function_against_the_product(kind, z):
    plain, law, observed = both(kind, z)
    theta = lattice.saddle_point(plain, observed) if z else np.zeros(1)
    step, index = law.max_frequency(theta) / 40, np.arange(41)
    found = np.exp(law.log_characteristic(theta, step * index)) * bracket._characteristic(law.large, theta, step, index)
    assert np.abs(found - bracket._characteristic(plain, theta, step, index)).max() < 1e-11


@pytest.mark.parametrize(
    "indices", [np.arange(1, 50), np.array([1, 2, 3, 977, 40_000, 1_000_003]), np.empty(0, dtype=np.int64)]
)
@pytest.mark.parametrize("counts", [[1] * 9, [1, 1, 1, 2, 2, 5, 30, 30, 1_000], []])
def test_turns_put_together_against_one_factor_at_a_time(indices, counts):
    values = np.random.default_rng(7).random(len(counts))
    theta, step = np.array([0.4]), 0.37
    law = FlipSum(values[:, None], np.array(counts, dtype=float))
    expected = np.ones(len(indices), dtype=complex)
    for size, count in zip(values.tolist(), counts, strict=True):
        angle = step * indices * size
        expected *= (np.cos(angle) + 1j * math.tanh(theta[0] * size) * np.sin(angle)) ** count
    assert bracket._characteristic(law, theta, step, indices) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_coefficients_stay_below_the_bound_that_the_remainder_rests_on():
    """[log cosh]^(k) / k! is t_(k-1) / k, at most 2.47/k·(2/π)^k on the whole line."""
    series = _tanh_series(np.linspace(-6, 6, 2_001))
    for k in range(2, DEGREE + 1):
        assert np.abs(series[k - 1]).max() <= 2.47 * (2 / math.pi) ** k


@pytest.mark.parametrize("kind", ["normal", "uniform", "heavy"])
def test_the_remainder_bounds_what_a_shorter_series_leaves_out(kind, monkeypatch):
    monkeypatch.setattr("outscore.exact.flipsum.DEGREE", 6)
    sizes = sizes_of(kind)
    plain = FlipSum(sizes[:, None], np.ones(len(sizes)))
    law = expand(plain, 0.0, SMALL / float(np.quantile(sizes, 0.9)))
    assert isinstance(law, Expanded)
    edge = np.array([law.radius])
    missing = abs(law.log_mgf(edge) - plain.log_mgf(edge))
    assert 1e-9 < missing <= law.remainder < 1_000 * missing


def test_few_large_flips_are_told_apart():
    law = both("heavy", 2.0)[1]
    assert 0 < len(law.large.counts) < N / 5
    assert float(law.large.values.min()) * law.radius > SMALL
    assert law.remainder < 1e-12


def test_where_most_flips_are_large_the_law_stays_as_it_is():
    law = FlipSum(np.linspace(1.0, 2.0, N)[:, None], np.ones(N))
    assert expand(law, 0.0, 1.0) is law


@pytest.mark.parametrize("kind", ["normal", "uniform", "heavy"])
def test_frequencies_called_damped_are(kind):
    sizes = sizes_of(kind)
    start = bracket._fading_frequency(sizes, np.ones(len(sizes)), FLOOR)
    end = bracket._damping_frequency(sizes, np.ones(len(sizes)), start, FLOOR)
    assert end >= 2 * start
    for omega in np.linspace(start, end, 200):
        assert 0.5 * np.log(np.maximum(np.cos(omega * sizes) ** 2, 1e-300)).sum() <= -FLOOR


@pytest.mark.parametrize(("z", "kind"), crossed([0.01, 1.0, 5.0, 13.0, 40.0], ["normal", "uniform", "heavy"]))
def test_bounds_against_those_without_an_expansion(kind, z, monkeypatch):
    sizes = sizes_of(kind)
    observed = z * math.sqrt(float((sizes**2).sum()))
    found = bracket.bounds(sizes, observed)
    monkeypatch.setattr(lattice, "MANY", 10**9)
    plain = bracket.bounds(sizes, observed)
    # Both hold p, so they overlap; and the expansion costs no width.
    assert max(found.lower, plain.lower) <= min(found.upper, plain.upper)
    assert found.width <= max(1.01 * plain.width, 0.005)


@pytest.mark.parametrize("z", a_few([0.5, 3.0, 11.0, 25.0], 2))
def test_bounds_hold_the_lattice_value_of_very_many(z, monkeypatch):
    """Twelve thousand distinct whole numbers given as reals: the lattice knows the answer, given room and no expansion."""
    sizes = np.random.default_rng(3).permutation(np.arange(1, 12_001))
    observed = round(z * math.sqrt(float((sizes.astype(float) ** 2).sum())))
    observed += (observed - int(sizes.sum())) % 2
    found = bracket.bounds(sizes.astype(float), observed - 1.0)
    monkeypatch.setattr(lattice, "MANY", 10**9)
    monkeypatch.setattr(lattice, "MAX_POINTS", 1 << 25)
    exact = lattice.tail(*lattice.histogram(sizes), observed).log
    assert found.lower <= exact <= found.upper
    assert found.width <= 0.005
