"""The tagging simulation of the literature on exact paired tests, and Monte Carlo as that literature publishes it.

References
----------
Zmigrod, R., Vieira, T. and Cotterell, R. (2022). Exact paired-permutation testing for structured test statistics. NAACL.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outscore.examples.counts import LENGTH_MEAN, LENGTH_SD, POS_MEAN, POS_SD, simulate_pos

__all__ = ["SIMULATIONS", "clipped", "plain_monte_carlo", "redrawn"]

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
    found = rng.normal(mean, sd, n)
    while (outside := (found < 0) | (found > top)).any():
        found[outside] = rng.normal(mean, sd, int(outside.sum()))
    return found


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
