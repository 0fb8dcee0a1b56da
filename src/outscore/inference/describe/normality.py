"""Is a sample normal? Shapiro and Wilk's test for up to 5,000 numbers, D'Agostino and Pearson's beyond.

Both are written out here because the package that has them takes a second to import, and every comparison
asks for one.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import MIN_FLOAT, Array
from outscore.laws import normal, normal_quantile
from outscore.results.analysis import Normality

MAX_SHAPIRO = 5_000
"""Royston's approximation was fitted up to this size."""
MIN_ITEMS = 3

# Royston (1995), remark AS R94: corrections of the two outermost weights, polynomials in 1/√n, constant term
# first …
OUTERMOST = (0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056)
NEXT = (0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633)
# … and location and log scale of the transformed 1 - W, in n up to 11 and in log n beyond.
SMALL_LOCATION = (0.5440, -0.39978, 0.025054, -6.714e-4)
SMALL_SCALE = (1.3822, -0.77857, 0.062767, -0.0020322)
SMALL_BOUND = (-2.273, 0.459)
LARGE_LOCATION = (-1.5861, -0.31082, -0.083751, 0.0038915)
LARGE_SCALE = (-0.4803, -0.082676, 0.0030302)


def normality_test(x: Array) -> Normality | None:
    """The test that suits the size; None for fewer than three numbers or numbers that are all the same.

    Examples
    --------
    >>> normality_test(np.arange(20.0)).test, round(normality_test(np.arange(20.0) ** 4).p, 6)
    ('Shapiro-Wilk', 0.000219)
    """
    if len(x) < MIN_ITEMS or float(np.ptp(x)) == 0.0:
        return None
    if len(x) <= MAX_SHAPIRO:
        return Normality("Shapiro-Wilk", max(shapiro_wilk(x)[1], MIN_FLOAT))
    return Normality("D'Agostino-Pearson", max(dagostino_pearson(x)[1], MIN_FLOAT))


def shapiro_wilk(x: Array) -> tuple[float, float]:
    """W and p of Shapiro and Wilk (1965), by Royston's approximation for 3 to 5,000 numbers that are not all the same.

    H0: the numbers are a sample from a normal distribution. W compares the spread that the ordered numbers
    would have if they were normal with the spread they have.

    Examples
    --------
    >>> w, p = shapiro_wilk(np.array([2.1, 3.4, 1.9, 5.6, 4.4, 3.8, 2.9]))
    >>> round(w, 4), round(p, 4)
    (0.9623, 0.8382)
    """
    y = np.sort(x)
    # Standardised by its range first: squares of tiny or huge scores neither vanish nor overflow.
    y = (y - y[len(y) // 2]) / (y[-1] - y[0])
    weights = _weights(len(y))
    deviations = y - y.mean()
    w = min(float(weights @ y) ** 2 / float(deviations @ deviations), 1.0)
    return w, _shapiro_p(w, len(y))


def _weights(n: int) -> Array:
    """Weights of the ordered numbers: normal scores, the outer ones corrected, of length one."""
    if n == MIN_ITEMS:
        return np.array([-math.sqrt(0.5), 0.0, math.sqrt(0.5)])
    scores = np.array([normal_quantile((i - 0.375) / (n + 0.25)) for i in range(1, n + 1)])
    norm, root = float(scores @ scores), 1 / math.sqrt(n)
    last = _polynomial(OUTERMOST, root) + scores[-1] / math.sqrt(norm)
    corrected = [last] if n <= 5 else [last, _polynomial(NEXT, root) + scores[-2] / math.sqrt(norm)]
    rest = norm - 2 * sum(float(scores[-1 - i]) ** 2 for i in range(len(corrected)))
    weights = np.asarray(scores / math.sqrt(rest / (1 - 2 * sum(c * c for c in corrected))))
    for i, value in enumerate(corrected):
        weights[-1 - i], weights[i] = value, -value
    return weights


def _shapiro_p(w: float, n: int) -> float:
    if n == MIN_ITEMS:
        # The one size with a known law; W is at least 3/4.
        return max(0.0, 6 / math.pi * (math.asin(math.sqrt(w)) - math.asin(math.sqrt(0.75))))
    if w == 1.0:
        return 1.0
    y = math.log1p(-w)
    if n <= 11:
        bound = _polynomial(SMALL_BOUND, n)
        if y >= bound:
            return 0.0
        y, location, scale = -math.log(bound - y), _polynomial(SMALL_LOCATION, n), _polynomial(SMALL_SCALE, n)
    else:
        location, scale = _polynomial(LARGE_LOCATION, math.log(n)), _polynomial(LARGE_SCALE, math.log(n))
    return normal((location - y) / math.exp(scale))


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    return sum(c * x**i for i, c in enumerate(coefficients))


def dagostino_pearson(x: Array) -> tuple[float, float]:
    """K² and p of D'Agostino and Pearson (1973), for at least twenty numbers that are not all the same.

    H0: the numbers are a sample from a normal distribution. Skewness and kurtosis are each turned into a
    standard normal number (D'Agostino, 1970; Anscombe and Glynn, 1983); the sum of their squares is χ² with
    two degrees of freedom.
    """
    n = float(len(x))
    deviations = (x - x.mean()) / np.ptp(x)
    m2, m3, m4 = (float(np.mean(deviations**k)) for k in (2, 3, 4))
    total = _skewness_z(m3 / m2**1.5, n) ** 2 + _kurtosis_z(m4 / m2**2, n) ** 2
    return total, math.exp(-total / 2)


def _skewness_z(skewness: float, n: float) -> float:
    """D'Agostino (1970): Johnson's S_U curve fitted to the null law of the skewness."""
    y = skewness * math.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    kurtosis = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    w2 = math.sqrt(2 * (kurtosis - 1)) - 1
    return math.asinh(y / math.sqrt(2 / (w2 - 1))) / math.sqrt(math.log(w2) / 2)


def _kurtosis_z(kurtosis: float, n: float) -> float:
    """Anscombe and Glynn (1983): a Wilson-Hilferty cube root fitted to the null law of the kurtosis."""
    mean = 3 * (n - 1) / (n + 1)
    variance = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    skew = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * math.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    df = 6 + 8 / skew * (2 / skew + math.sqrt(1 + 4 / skew**2))
    base = 1 + (kurtosis - mean) / math.sqrt(variance) * math.sqrt(2 / (df - 4))
    return (1 - 2 / (9 * df) - math.copysign(abs((1 - 2 / df) / base) ** (1 / 3), base)) / math.sqrt(2 / (9 * df))
