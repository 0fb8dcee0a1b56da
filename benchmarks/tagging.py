"""The tagging simulation of the literature on exact paired tests, and the tests as that literature publishes them.

References
----------
Zmigrod, R., Vieira, T. and Cotterell, R. (2022). Exact paired-permutation testing for structured test statistics. NAACL.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outscore.examples.scores import LENGTH_MEAN, LENGTH_SD, POS_MEAN, POS_SD, simulate_pos

__all__ = ["SIMULATIONS", "clipped", "plain_monte_carlo", "published_fft", "redrawn"]

Array = NDArray[Any]


def clipped(n: int, multiplier: float, seed: int) -> tuple[Array, Array]:
    """Right and wrong words per sentence, (n, 2) for each of two taggers; normals outside their range are clipped to it."""
    a, b, lengths = simulate_pos(n, multiplier, np.random.default_rng(seed))
    return np.column_stack([a, lengths - a]), np.column_stack([b, lengths - b])


def redrawn(n: int, multiplier: float, seed: int) -> tuple[Array, Array]:
    """The same with normals drawn again until they are in range, as the authors' public scripts do.

    The text of the papers leaves this open, and it matters: clipping puts a third of all sentences at 100 %, redrawing none.
    """
    rng = np.random.default_rng(seed)
    lengths = np.ceil(_truncated(LENGTH_MEAN, LENGTH_SD, np.inf, n, rng)).astype(np.int64)
    tables = []
    for mean in (POS_MEAN, POS_MEAN * multiplier):
        right = np.floor(_truncated(mean, POS_SD, 1.0, n, rng) * lengths).astype(np.int64)
        tables.append(np.column_stack([right, lengths - right]))
    return tables[0], tables[1]


def _truncated(mean: float, sd: float, top: float, n: int, rng: np.random.Generator) -> Array:
    """Normals conditional on lying between 0 and `top`, by rejection."""
    values = rng.normal(mean, sd, n)
    while (outside := (values < 0) | (values > top)).any():
        values[outside] = rng.normal(mean, sd, int(outside.sum()))
    return values


SIMULATIONS = {"clipped": clipped, "redrawn": redrawn}


def plain_monte_carlo(a: Array, b: Array, resamples: int, seed: int) -> float:
    """One random swap of the data after the other, each in numpy (figure 1 of both papers), p = hits / resamples."""
    rng = np.random.default_rng(seed)
    observed = abs(a.mean() - b.mean())
    hits = 0
    for _ in range(resamples):
        swap = rng.random(len(a)) < 0.5
        hits += abs(np.where(swap, b, a).mean() - np.where(swap, a, b).mean()) >= observed
    return hits / resamples


def published_fft(a: Array, b: Array, *, bare: bool = False) -> float:
    """The exact test by FFT as its authors' program goes about it: halves of the data, convolved by `scipy.signal.convolve`.

    The program also drops the zeros in front of every product, and adds up the law point by point. Without that, `bare`, the
    convolutions are left, the least that the algorithm takes.
    """
    differences = (a - b)[a != b]
    low, law = _product([(-abs(d), _two_points(abs(d))) for d in differences.tolist()], bare=bare)
    observed = abs(int(differences.sum()))
    if bare:
        return float(law[np.abs(np.arange(low, low + len(law))) >= observed].sum())
    points = {low + i: mass for i, mass in enumerate(law) if mass != 0}
    return float(sum(mass for point, mass in points.items() if abs(point) >= observed))


def _two_points(size: int) -> Array:
    law = np.zeros(2 * size + 1)
    law[[0, -1]] = 0.5
    return law


def _product(laws: list[tuple[int, Array]], *, bare: bool) -> tuple[int, Array]:
    """The lowest point and the law of a sum of independent numbers with these laws."""
    from scipy.signal import convolve

    if len(laws) == 1:
        return laws[0]
    middle = len(laws) // 2
    (low, first), (other, second) = (_product(half, bare=bare) for half in (laws[:middle], laws[middle:]))
    law = convolve(first, second)
    if bare:
        return low + other, law
    kept = np.trim_zeros(law, "f")
    return low + other + len(law) - len(kept), kept
