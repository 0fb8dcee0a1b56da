"""All systems at once for the calibration page: the intervals of `rank --joint`, which hold for all pairs together.

True scores lie evenly apart, and an item is as hard for one system as for another.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.inference.leaderboard import band_of, draw
from outscore.inference.pairwise.table import pairs_of
from outscore.scores.panel import Panel

__all__ = ["together"]

ALPHA = 0.05
DRAWS = 999
KINDS = ("right or wrong", "skewed, exponential", "skewed, in clusters of four")
SIZES = ((3, 40), (6, 100), (6, 400))
CLUSTER = 4
MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
Look = tuple[str, str, str, bool | None]


def together(rng: np.random.Generator) -> Iterator[Look]:
    """Whether the intervals of all pairs hold the true differences, all of them together."""
    import scipy.special

    for kind in KINDS:
        for systems, items in SIZES:
            truths, hard = np.linspace(0.5, 0.7, systems), rng.normal(size=items)
            if kind == KINDS[0]:
                edges = math.sqrt(2) * scipy.special.ndtri(truths)[:, None]
                values = (rng.normal(size=(systems, items)) + hard < edges).astype(int)
            else:
                values = rng.standard_exponential((systems, items)) + hard + truths[:, None]
            clusters = None
            if kind == KINDS[2]:
                clusters = np.repeat(np.arange(items // CLUSTER), CLUSTER)
                values = values + np.repeat(rng.normal(size=(systems, items // CLUSTER)), CLUSTER, axis=1)
            rows = np.stack([values, np.ones_like(values)], axis=2)
            panel = Panel(MEAN, tuple(map(str, range(len(rows)))), rows, np.ones(rows.shape[:2], dtype=bool), clusters=clusters)
            draws = draw([panel], resamples=DRAWS, seed=int(rng.integers(2**32)))
            pairs = pairs_of(systems)
            band = band_of(draws.scores, draws.observed, units=draws.units, alpha=ALPHA, pairs=pairs)
            truth = truths[pairs[0]] - truths[pairs[1]]
            holds = np.isnan(band.low) | ((band.low <= truth) & (truth <= band.high))
            yield "joint", kind, f"{systems} systems, {items} items", bool(holds.all())
