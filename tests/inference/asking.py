"""One way to ask any entry, shared by the tests of tests."""

from __future__ import annotations

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.options import complete
from outscore.core.rows import PairedScores
from outscore.inference.base.differences import ItemScores, item_scores
from outscore.inference.base.entry import TestEntry
from outscore.inference.base.question import TestRequest
from outscore.results.comparison import TestResult
from outscore.scores.system import Labels

SIDES = ("two-sided", "greater", "less")
MEAN = AdditiveMetric("mean", ("score", "items"), ratio=((1, 0), (0, 1)))
LOSS = AdditiveMetric("loss", ("score", "items"), ratio=((1, 0), (0, 1)), direction="lower")
# Hollander and Wolfe's depression data, first - second.
DEPRESSION = np.array([0.952, -0.147, 1.022, 0.430, 0.620, 0.590, 0.490, -0.080, 0.010])


def codes_of(labels) -> np.ndarray | None:
    """Labels as codes in order of first appearance."""
    return None if labels is None else Labels.of(labels).codes


def pairs_of(a, b, *, items=None, clusters=None) -> PairedScores:
    a, b = np.asarray(a), np.asarray(b)
    rows = [np.stack([x, np.ones_like(x)], axis=1) for x in (a, b)]
    return PairedScores(rows[0], rows[1], 1, codes_of(items), codes_of(clusters))


def scores_of(a, b, *, metric: AdditiveMetric = MEAN, items=None, clusters=None) -> ItemScores:
    return item_scores(pairs_of(a, b, items=items, clusters=clusters), metric, "any")


def ask(entry: TestEntry, a, b, *, metric: AdditiveMetric = MEAN, items=None, clusters=None, **asked) -> TestResult:
    """Options of the entry and fields of the request may be mixed."""
    fields = {name: asked.pop(name) for name in ("alternative", "delta", "alpha", "seed", "only_p") if name in asked}
    interval = not fields.pop("only_p", False)
    request = TestRequest(**fields, interval=interval, options=complete(entry.name, entry.options, asked))
    return entry.run(pairs_of(a, b, items=items, clusters=clusters), metric, request)
