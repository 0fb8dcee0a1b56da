"""A great many flips near one tilt: cumulants by Taylor's series instead of a pass over all sizes for every question.

K(z) = Σ c log cosh(az) is analytic where |Im az| < π/2. Flips so small that |as| ≤ π/8 in the disc |s| ≤
radius therefore have

    K(θ₀ + s) = Σ_k C_k s^k,    C_k = Σ c a^k [log cosh]^(k)(θ₀a) / k!

with a remainder that is known: log cosh' = tanh has simple poles at ±iπ/2, ±3iπ/2, … only, so that its k-th
coefficient is at most 2.47/k·(2/π)^k at any real point, and what stands beyond degree T adds up to less than

    2.47/(T + 1) · (2/π)² · |s|² Σ c a² · q^(T-1) / (1 - q),    q = 2/π · π/8 = 1/4.

One pass over the sizes then answers for the saddle point, the window and the characteristic function. The
flips that are too large are few, at most (8·radius/π)² Σ c a², and are taken one by one.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.exact.flipsum import FlipSum

MANY = 10_000
"""Fewer sizes than this are asked one by one: that is as quick, and needs no remainder."""
DEGREE = 28
SMALL = math.pi / 8
RATIO = 2 / math.pi * SMALL
BLOCK = 1 << 14
"""Sizes expanded at a time: their coefficients stay in the processor's cache."""


@dataclass(frozen=True)
class Expanded(FlipSum):
    """A law of flips on a line that knows its cumulants near a tilt; further away they are summed as ever.

    `coefficients` are those of the small flips, `large` are the others, and `remainder` bounds what the
    series leaves out.
    """

    centre: float
    radius: float
    coefficients: Array
    large: FlipSum
    remainder: float

    def log_mgf(self, theta: Array) -> float:
        """K(θ)."""
        return float(self._series(theta, 0)[0]) + self.large.log_mgf(theta) if self._near(theta) else super().log_mgf(theta)

    def mean(self, theta: Array) -> Array:
        """K'(θ)."""
        return self._series(theta, 1) + self.large.mean(theta) if self._near(theta) else super().mean(theta)

    def covariance(self, theta: Array) -> Array:
        """K''(θ)."""
        if not self._near(theta):
            return super().covariance(theta)
        return self._series(theta, 2)[:, None] + self.large.covariance(theta)

    def line_moments(self, theta: float) -> tuple[float, float]:
        """K'(θ) and K''(θ)."""
        at = np.array([theta])
        return float(self.mean(at)[0]), float(self.covariance(at)[0, 0])

    def max_frequency(self, theta: Array) -> float:
        """The frequency up to which `log_characteristic` serves."""
        return math.sqrt(max(0.0, self.radius**2 - (float(theta[0]) - self.centre) ** 2))

    def log_characteristic(self, theta: Array, omega: Array) -> Array:
        """log φ_θ(ω) = K(θ + iω) - K(θ) of the small flips."""
        here = float(theta[0]) - self.centre
        return np.asarray(_value(self.coefficients, here + 1j * omega) - _value(self.coefficients, here))

    def _near(self, theta: Array) -> bool:
        return abs(float(theta[0]) - self.centre) <= self.radius

    def _series(self, theta: Array, order: int) -> Array:
        coefficients = self.coefficients
        for _ in range(order):
            coefficients = coefficients[1:] * np.arange(1, len(coefficients))
        return np.asarray(_value(coefficients, theta - self.centre))


def _value(coefficients: Array, x: Any) -> Any:  # noqa: ANN401 - a number or an array of them
    """Horner's rule; numpy's own takes complex arrays through powers."""
    value = coefficients[-1] + 0 * x
    for coefficient in coefficients[-2::-1]:
        value = value * x + coefficient
    return value


def expand(law: FlipSum, centre: float, radius: float) -> FlipSum:
    """The same law, expanded in the disc |θ - centre| ≤ radius; as it is where most of its flips are too large for that.

    Examples
    --------
    >>> law = FlipSum(np.linspace(0.5, 1.5, 20_000)[:, None], np.ones(20_000))
    >>> near = expand(law, 0.0, 0.1)
    >>> theta = np.array([0.02])
    >>> abs(near.log_mgf(theta) / law.log_mgf(theta) - 1) < 1e-14
    True
    """
    sizes, counts = law.values[:, 0], law.counts
    small = sizes * radius <= SMALL
    if 2 * int(small.sum()) < len(sizes):
        return law
    a, c = sizes[small], counts[small]
    squares = float(c @ (a * a))
    return Expanded(
        law.values,
        law.counts,
        centre=centre,
        radius=radius,
        coefficients=_coefficients(a, c, centre),
        large=FlipSum(law.values[~small], law.counts[~small]),
        remainder=2.47 / (DEGREE + 1) * (2 / math.pi * radius) ** 2 * squares * RATIO ** (DEGREE - 1) / (1 - RATIO),
    )


def _coefficients(a: Array, c: Array, centre: float) -> Array:
    """C_0 … C_T of Σ c log cosh(a(centre + s))."""
    coefficients = np.zeros(DEGREE + 1)
    coefficients[0] = FlipSum(a[:, None], c).log_mgf(np.array([centre])) if centre else 0.0
    at_origin = _tanh_series(np.zeros(1)) if not centre else None
    for start in range(0, len(a), BLOCK):
        here = slice(start, start + BLOCK)
        series = at_origin or _tanh_series(centre * a[here])
        weight = c[here].copy()
        for k in range(1, DEGREE + 1):
            weight *= a[here]
            # At the origin log cosh is even.
            if centre or k % 2 == 0:
                coefficients[k] += float((weight * series[k - 1]).sum()) / k
    return coefficients


def _tanh_series(x: Array) -> list[Array]:
    """The Taylor coefficients of tanh at x, from tanh' = 1 - tanh²."""
    t = [np.tanh(x)]
    for k in range(DEGREE - 1):
        # The square's coefficients are symmetric: every product but the middle one occurs twice.
        square = sum((t[j] * t[k - j] for j in range((k + 1) // 2)), np.zeros_like(x)) * 2
        if k % 2 == 0:
            square = square + t[k // 2] ** 2
        t.append(((1.0 if k == 0 else 0.0) - square) / (k + 1))
    return t
