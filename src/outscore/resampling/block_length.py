"""How long blocks must be for a bootstrap of dependent items, from the data themselves."""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import Array

__all__ = ["optimal_block_length"]


def optimal_block_length(x: Array) -> float:
    """Mean block length of the stationary bootstrap with the smallest mean squared error for the variance of the mean of x.

    The rule of Politis and White (2004) with the correction of Patton, Politis and White (2009), as in the
    package arch:

        b = (2 g² n / D)^(1/3),   g = Σ λ(k/M) |k| R(k),   D = 2 (Σ λ(k/M) R(k))²,   |k| ≤ M

    R(k) being the autocovariance at lag k, λ(t) = min(1, 2(1 - |t|)) the flat-top window and M twice the
    first lag from which on a run of autocorrelations is negligible. The result lies between 1 and n/3; a
    series without variation has length 1.

    Examples
    --------
    >>> optimal_block_length(np.ones(30))
    1.0
    >>> round(optimal_block_length(np.sin(np.arange(200) ** 2 / 90)), 2)
    3.64
    """
    n = len(x)
    longest = max(1.0, n / 3)
    centred = np.asarray(x, dtype=float) - np.mean(x)
    size = float(np.abs(centred).max(initial=0.0))
    # Rounding alone leaves a constant series with differences of a few units in the last place.
    if n < 3 or size <= 8 * np.spacing(float(np.abs(x).max())):
        return 1.0
    autocovariances = _autocovariances(centred / size)
    k = np.arange(1, len(autocovariances))
    window = np.minimum(1.0, 2 * (1 - k / k[-1]))
    g = 2 * float((window * k * autocovariances[1:]).sum())
    long_run = float(autocovariances[0] + 2 * (window * autocovariances[1:]).sum())
    if long_run == 0.0:
        return longest if g else 1.0
    length = math.cbrt(2 * g**2 * n / (2 * long_run**2))
    return min(max(length, 1.0), math.ceil(min(3 * math.sqrt(n), longest)), longest)


def _autocovariances(centred: Array) -> Array:
    """R(0) … R(M), up to the M of Politis and White's rule (2004, footnote c)."""
    n = len(centred)
    run = max(5, int(math.log10(n)))
    most = min(math.ceil(math.sqrt(n)) + run, n - 1)
    products = np.array([centred[lag:] @ centred[: n - lag] for lag in range(most + 1)])
    squares = np.concatenate([[0.0], np.cumsum(centred**2)])
    # arch divides by the lengths of the two stretches that remain after one more lag; so do we, to agree to
    # all digits.
    beyond = np.minimum(np.arange(1, most + 2), n)
    scale = np.sqrt((squares[n] - squares[beyond]) * squares[n - beyond])
    correlations = np.abs(products) / np.where(scale > 0, scale, np.inf)
    negligible = correlations < 2 * math.sqrt(math.log10(n) / n)
    starts = [lag for lag in range(most + 1 - run) if negligible[lag : lag + run].all()]
    chosen = 2 * max(starts[0], 1) if starts else most
    return products[: min(chosen, most) + 1] / n
