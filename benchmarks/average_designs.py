"""Means for the calibration page: scores of two values in several codings, and macro averages over datasets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from outscore.core.numeric import Array
from outscore.core.rows import PairedScores
from outscore.inference.base.own_score import OwnRows, own_intervals
from outscore.inference.base.question import TestRequest
from outscore.inference.registry import TESTS
from outscore.metrics.registry import resolve
from outscore.scores.panel import Panel
from outscore.workflows.rank.measure import measure

__all__ = ["codings", "macro"]

ALPHA = 0.05
Look = tuple[str, str, str, bool | None]
CODINGS = {"0 and 1": (0.0, 1.0), "7 and 8": (7.0, 8.0), ".25 and .75": (0.25, 0.75)}
RATES = (0.95, 0.85)
"""How often A and B are right."""
Draw = Callable[[np.random.Generator, float], tuple[Array, Array]]
DATASETS: dict[str, tuple[int, float, Draw]] = {
    "8 of 15 right-or-wrong items": (8, 0.10, lambda rng, gap: (_right(rng, 15, 0.85 + gap), _right(rng, 15, 0.85))),
    "20 of 6 normal items": (20, 0.30, lambda rng, gap: (rng.normal(gap, 1, 6).round(2), rng.normal(0, 1, 6).round(2))),
    "5 of 20 skewed scores": (5, 0.30, lambda rng, gap: (_skewed(rng, gap), _skewed(rng, 0.0))),
}
"""Datasets, the true difference between the systems, and their scores on one dataset."""


def _right(rng: np.random.Generator, n: int, rate: float) -> Array:
    return (rng.random(n) < rate).astype(int)


def _skewed(rng: np.random.Generator, least: float) -> Array:
    return (least + rng.exponential(1, 20)).round(2)


def codings(rng: np.random.Generator) -> Iterator[Look]:
    """The same right-or-wrong items, written as other numbers."""
    for n in (20, 50):
        right = [_right(rng, n, rate) for rate in RATES]
        for row, (low, high) in CODINGS.items():
            worth = high - low
            metric, a, b = resolve("mean", *(low + worth * x for x in right))
            request = TestRequest(options={option.name: option.default for option in TESTS["permutation"].options})
            pairs = PairedScores(a, b)
            interval = TESTS["permutation"].run(pairs, metric, request).interval
            assert interval is not None
            assert interval.low is not None
            assert interval.high is not None
            yield "codings", row, f"difference, n = {n}", interval.low <= worth * (RATES[0] - RATES[1]) <= interval.high
            items = pairs.per_item()
            own = [OwnRows(rows / pairs.scale, means / items.scale) for rows, means in ((pairs.a, items.a), (pairs.b, items.b))]
            least, most = own_intervals(own, metric)[0]
            holds = None if least is None or most is None else least <= low + worth * RATES[0] <= most
            yield "codings", row, f"own score of A, n = {n}", holds


def macro(rng: np.random.Generator) -> Iterator[Look]:
    """Two systems on several datasets: the interval of the macro average, and whether it says what its p says."""
    for row, (datasets, gap, draw) in DATASETS.items():
        for truth, column in ((0.0, "equal: rejects"), (gap, "apart: interval holds the difference")):
            panels = []
            for i in range(datasets):
                values = np.stack(draw(rng, truth))
                panels.append(Panel.of("mean", ("A", "B"), values, dataset=f"d{i}"))
            pairs = measure(panels)[-1].pairs
            low, high, rejects = float(pairs.low[0]), float(pairs.high[0]), float(pairs.log_p[0]) <= math.log(ALPHA)
            yield "macro", row, column, low <= truth <= high if truth else rejects
            if truth:
                yield "macro", row, "apart: p and interval disagree about 0", rejects == (low <= 0 <= high)
