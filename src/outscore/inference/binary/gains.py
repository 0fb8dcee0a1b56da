"""Tests of gains: what each unit gained between two systems, -1, 0 or +1, in clusters that are swapped as one.

This is the permutation test of a mean with whole numbers known beforehand, for tables of hundreds of rows:
only units that gained or lost something take part in p, and a row costs milliseconds.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.rows import PairedScores
from outscore.inference.base.item_scores import ItemScores
from outscore.inference.base.question import TestRequest
from outscore.inference.classical.student import make_agree, mean_of, t_interval
from outscore.inference.permutation.dispatch import permutation
from outscore.results.pvalue import Interval, PValue

GAIN_INTERVAL = "Student t, stretched to agree with the exact test"
"""The method of `gain_interval`."""

GAIN = AdditiveMetric("gain", ("gain", "units"), ratio=((1, 0), (0, 1)))


def gain_test(gains: Array, clusters: Array | None, alpha: float = 0.05) -> PValue:
    """p-value of H0: the systems are exchangeable, by swapping them within clusters (every unit alone without).

    Examples
    --------
    >>> gain_test(np.array([1, 1, 1, 0, 0, 1, 1]), None).value, gain_test(np.array([1, 1, 1, 1]), np.array([0, 0, 1, 1])).value
    (0.0625, 0.5)
    """
    moved = np.flatnonzero(gains)
    if not len(moved):
        # Nothing moved: any single row without a difference says so, with p = 1.
        moved = np.arange(min(1, len(gains)))
    gained = gains[moved].astype(np.int64)
    units = np.ones_like(gained)
    if clusters is not None:
        # A row of a table moved a few hundred units of thousands of clusters: sorting these is faster than
        # counting all.
        _, codes = np.unique(clusters[moved], return_inverse=True)
        gained, units = np.bincount(codes, weights=gained).astype(np.int64), np.bincount(codes)
    a, b = np.stack([gained, units], axis=1), np.stack([np.zeros_like(gained), units], axis=1)
    return permutation(PairedScores(a, b), GAIN, TestRequest(alpha=alpha))


def consecutive(codes: Array) -> Array:
    """Codes without gaps, in the same order; counting does what sorting would take ten times as long for.

    Examples
    --------
    >>> consecutive(np.array([7, 2, 7, 9])).tolist()
    [1, 0, 1, 2]
    """
    used = np.bincount(codes) > 0
    return np.asarray((np.cumsum(used) - 1)[codes])


def gain_interval(gains: Array, clusters: Array | None, p: PValue, alpha: float = 0.05) -> Interval | None:
    """Interval of the mean gain: Student's t with the clustered standard error, within -1 and 1.

    It is stretched to hold 0 exactly where `p`, the exact test's, does not reject at `alpha`, so that the two
    never disagree. None where nothing varies, and where there are so few clusters that the test can reject no
    difference at all: it has no bounded interval then.

    Examples
    --------
    >>> gains = np.array([1, 0, 0, 1, -1, 0])
    >>> interval = gain_interval(gains, None, gain_test(gains, None))
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.6233, 0.9567)
    """
    codes = None if clusters is None else consecutive(clusters)
    if 2.0 ** (1 - (len(gains) if codes is None else int(codes.max()) + 1)) > alpha:
        return None
    values = gains.astype(float)
    mean = mean_of(ItemScores(values, np.zeros_like(values), values, None, 1, codes, 1))
    if mean.error == 0.0:
        return None
    interval = t_interval(mean, alpha, "two-sided", 1, method=GAIN_INTERVAL, dual=True)
    agreed = make_agree(interval, p, mean.value, alpha)
    low, high = (None if end is None else min(max(end, -1.0), 1.0) for end in (agreed.low, agreed.high))
    return replace(agreed, low=low, high=high, estimate=mean.value)
