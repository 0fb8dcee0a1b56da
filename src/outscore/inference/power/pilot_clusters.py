"""How strongly a pilot's own clusters show a difference: the flip test is tried on samples of them.

Clusters of unequal size have no power formula of their own. Large ones bring both more effect and more noise, and a
sample without the largest spreads less than the pilot does, so that a formula from the variance alone misses simulated
power by up to .1. Samples of whole clusters are drawn with replacement at one size, shifted to the difference in
question, and tested by sign flips; the rate of rejections is turned into the mean over the sd of a unit's
contribution that normal units would need for the same power. One number found in this way holds for other sizes too.
"""

from __future__ import annotations

import math

import numpy as np

from outscore.core.numeric import Array
from outscore.inference.base.sign_flips import Alternative
from outscore.inference.power.flips import flip_power

__all__ = ["TELLING", "measured_shift", "rejection_rate"]

SAMPLES = 4_000
"""The rate of rejections is then known within .013 (95 %)."""
CHUNK = 200
MIN_FLIPS, MAX_FLIPS = 999, 19_999
MAX_UNITS = 400
"""Larger samples take seconds and differ little from normal ones."""
TELLING = (0.1, 0.97)
"""Rates outside say little about how strong the difference is."""


def measured_shift(
    residuals: Array, sizes: Array, effect: float, *, units: int, alpha: float, alternative: Alternative, seed: int = 0
) -> float | None:
    """Mean over sd of normal units that are rejected as often as samples of these clusters; None where samples cannot tell.

    Parameters
    ----------
    residuals, sizes
        For every cluster the sum of its items' differences from their mean, positive where A is better, and its items.
    effect
        The true difference, positive where A is better.
    units
        How many clusters a sample has, about as many as are planned.
    alpha, alternative, seed
        The test, and the seed of samples and flips.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = measured_shift(rng.normal(size=500), np.ones(500), 0.4, units=50, alpha=0.05, alternative="two-sided")
    >>> abs(found - 0.4) < 0.05
    True
    """
    tried = min(units, MAX_UNITS)
    # A larger difference has the same power with fewer units.
    larger = math.sqrt(units / tried)
    effect = effect * larger
    while True:
        rate = rejection_rate(residuals, sizes, effect, units=tried, alpha=alpha, alternative=alternative, seed=seed)
        if rate <= TELLING[1] or tried < 12:
            break
        tried = tried // 2
    if not TELLING[0] < rate < 1:
        return None
    side: Alternative = "two-sided" if alternative == "two-sided" else "greater"
    low, high = 0.0, 9.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if flip_power(tried, middle, alpha, side) >= rate else (middle, high)
    return high / larger


def rejection_rate(
    residuals: Array,
    sizes: Array,
    effect: float,
    *,
    units: int,
    alpha: float,
    alternative: Alternative,
    seed: int = 0,
    samples: int = SAMPLES,
) -> float:
    """How often sign flips reject in samples of so many clusters, drawn with replacement and shifted to the effect."""
    stream = np.random.Generator(np.random.Philox(key=seed))
    sums = residuals + sizes * effect
    if alternative == "less":
        sums = -sums
    tails = 2 if alternative == "two-sided" else 1
    flips = min(max(MIN_FLIPS, math.ceil(8 * tails / alpha) - 1), MAX_FLIPS)
    rejected = 0
    for start in range(0, samples, CHUNK):
        drawn = sums[stream.integers(len(sums), size=(min(CHUNK, samples - start), units))]
        signs = np.where(stream.random((units, flips)) < 0.5, -1.0, 1.0)
        observed, flipped = drawn.sum(axis=1), drawn @ signs
        if alternative == "two-sided":
            observed, flipped = np.abs(observed), np.abs(flipped)
        slack = 1e-9 * np.abs(drawn).sum(axis=1)
        hits = (flipped >= (observed - slack)[:, None]).sum(axis=1)
        rejected += int(((hits + 1) / (flips + 1) <= alpha).sum())
    return rejected / samples
