"""The data that calibration is measured on: pairs of scores whose true difference is known, whatever is meant by it.

Every kind of data has one parameter. At `null[e]` the estimand e (the difference of the means, the median difference, or the
pseudomedian) is 0, so that a test of e should reject α of the time; at `effect` the estimands have the values in `truth`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DATA", "Data", "sample"]

Array = NDArray[Any]
Draw = Callable[[np.random.Generator, int, float], tuple[Array, Array]]
ESTIMANDS = ("difference", "median", "pseudomedian")
CLUSTER_SIZE = 4
DISCORDANT = 0.3
ZERO_SHARE = 0.5
LARGEST_STEP = 5
EXPONENTIAL = {"difference": 1.0, "median": math.log(2), "pseudomedian": 1.678346990016661 / 2}
"""Of the exponential distribution; the pseudomedian is the median of (X + Y)/2, half that of a gamma with shape 2."""


@dataclass(frozen=True)
class Data:
    """One kind of data: `n` items, how they are drawn, and what is true of them."""

    name: str
    what: str
    n: int
    draw: Draw
    null: dict[str, float]
    effect: float
    truth: dict[str, float]
    binary: bool = False
    clustered: bool = False
    symmetric: bool = True
    atom: bool = False

    @property
    def units(self) -> int:
        """How many units are independent."""
        return self.n // CLUSTER_SIZE if self.clustered else self.n


def sample(data: Data, replicate: int, seed: int, *, null: str | None = None) -> tuple[Array, Array, Array | None]:
    """Scores of A and B, and cluster labels: with the estimand named by `null` at 0, or with the true effect.

    Every replicate has a stretch of the random stream of its own, and under the null hypothesis another one than with an
    effect: many intervals move with the data, and would say nothing that the test has not said.
    """
    place = [0, int(null is not None), replicate, list(DATA).index(data.name)]
    stream = np.random.Generator(np.random.Philox(key=seed, counter=place))
    a, b = data.draw(stream, data.n, data.effect if null is None else data.null[null])
    return a, b, np.arange(data.n) // CLUSTER_SIZE if data.clustered else None


def _around(stream: np.random.Generator, d: Array) -> tuple[Array, Array]:
    """Two systems' scores with the given differences; where these are 0 the scores are equal to the last bit."""
    base = stream.normal(0.0, 2.0, len(d))
    return base + d, base


def _normal(stream: np.random.Generator, n: int, shift: float) -> tuple[Array, Array]:
    return _around(stream, stream.normal(shift, 1.0, n))


def _binary(stream: np.random.Generator, n: int, difference: float) -> tuple[Array, Array]:
    only_a, only_b = (DISCORDANT + difference) / 2, (DISCORDANT - difference) / 2
    cells = stream.choice(4, n, p=[only_a, only_b, 0.55, 0.45 - DISCORDANT])
    return np.isin(cells, (0, 2)).astype(np.int64), np.isin(cells, (1, 2)).astype(np.int64)


def _zeros(stream: np.random.Generator, n: int, lead: float) -> tuple[Array, Array]:
    """Counts of errors, say: P(d > 0 | d ≠ 0) = ½ + lead, and the mean of |d| is 3 where d is not 0."""
    sign = np.where(stream.random(n) < 0.5 + lead, 1, -1)
    d = np.where(stream.random(n) < ZERO_SHARE, 0, sign * stream.integers(1, LARGEST_STEP + 1, n))
    b = stream.integers(0, 20, n)
    return b + d, b


def _skewed(stream: np.random.Generator, n: int, shift: float) -> tuple[Array, Array]:
    return _around(stream, stream.exponential(1.0, n) + shift)


def _clustered(stream: np.random.Generator, n: int, shift: float) -> tuple[Array, Array]:
    shared = np.repeat(stream.normal(0.0, 1.0, n // CLUSTER_SIZE), CLUSTER_SIZE)
    return _around(stream, shared + stream.normal(shift, 1.0, n))


def _moved(draw: Draw, name: str, what: str, n: int, effect: float, centre: dict[str, float], **more: bool) -> Data:
    """Data whose parameter shifts all differences: every estimand moves with it."""
    null = {e: -centre[e] for e in ESTIMANDS}
    return Data(name, what, n, draw, null, effect, {e: centre[e] + effect for e in ESTIMANDS}, **more)


ZERO = dict.fromkeys(ESTIMANDS, 0.0)
ZEROS = f"whole-number differences, half of them 0, the others ±1 to ±{LARGEST_STEP}"
DATA: dict[str, Data] = {
    data.name: data
    for data in (
        _moved(_normal, "normal", "normal differences", 200, 0.1, ZERO),
        Data(
            "binary",
            f"right-or-wrong items, {100 * DISCORDANT:g} % discordant",
            200,
            _binary,
            ZERO,
            0.1,
            {**ZERO, "difference": 0.1},
            binary=True,
            atom=True,
        ),
        # A lead of .1 makes the mean 2·.1 · 3 · ½ = .3 and leaves fewer than half of all Walsh averages on either side of 0.
        Data("zeros", ZEROS, 200, _zeros, ZERO, 0.1, {**ZERO, "difference": 0.3}, atom=True),
        _moved(_skewed, "skewed", "exponential differences, skewness 2", 400, -0.9, EXPONENTIAL, symmetric=False),
        _moved(
            _clustered,
            "clustered",
            f"50 clusters of {CLUSTER_SIZE} items, half of the variance between clusters",
            200,
            0.1,
            ZERO,
            clustered=True,
        ),
        _moved(_normal, "normal, n = 20", "normal differences, few of them", 20, 0.1, ZERO),
        _moved(_skewed, "skewed, n = 20", "exponential differences, few of them", 20, -0.9, EXPONENTIAL, symmetric=False),
    )
}
