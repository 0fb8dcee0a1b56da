"""Runs of two systems, each with a score of its own, and whether the systems differ beyond what another run would change.

H0: all runs come from one system. Exchanging runs between the systems then changes nothing in law, and p is the share of all
ways to divide the runs whose difference of means is at least as large as the observed one, ties included. With three runs each
no p below .1 is possible; the test is shown beside the one over segments, not instead of it.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.inference.base import p_values
from outscore.results.pvalue import PValue

__all__ = ["run_test", "standard_error"]

MOST_LISTED = 200_000
DRAWN = 99_999
TIE = 1e-12


def run_test(a: Array, b: Array, *, alternative: str = "two-sided", higher_is_better: bool = True, seed: int = 0) -> PValue:
    """p-value of the exact two-sample permutation test of run scores.

    Examples
    --------
    >>> p = run_test(np.array([30.1, 30.4, 30.2]), np.array([29.0, 29.3, 29.9]))
    >>> p.value, p.method
    (0.1, 'exact')
    """
    if not len(a) or not len(b):
        raise OutscoreError("A system has no run.", "Give at least one run of each system.")
    turn = 1.0 if higher_is_better else -1.0
    scores = np.concatenate([a, b]).astype(float)
    observed = float(a.mean() - b.mean())
    ways = math.comb(len(scores), len(a))
    exact = ways <= MOST_LISTED
    chosen = _all_ways(len(scores), len(a)) if exact else _drawn_ways(len(scores), len(a), seed)
    first = scores[chosen].mean(axis=1)
    second = (scores.sum() - scores[chosen].sum(axis=1)) / len(b)
    moved = first - second
    slack = TIE * max(1.0, float(np.abs(scores).max()))
    if alternative == "two-sided":
        hits = int((np.abs(moved) >= abs(observed) - slack).sum())
    else:
        side = turn if alternative == "greater" else -turn
        hits = int((side * moved >= side * observed - slack).sum())
    if exact:
        value = hits / ways
        p = PValue(value, value, value, math.log10(value), "exact", "enumeration")
    else:
        p = p_values.sampled(hits, DRAWN, "divisions")
    return replace(p, test="permutation of runs", statistic=observed, n=len(scores))


def _all_ways(n: int, k: int) -> Array:
    return np.array(list(itertools.combinations(range(n), k)))


def _drawn_ways(n: int, k: int, seed: int) -> Array:
    stream = np.random.Generator(np.random.Philox(key=seed))
    return np.argsort(stream.random((DRAWN, n)), axis=1)[:, :k]


def standard_error(a: Array, b: Array) -> float | None:
    """Standard error of the difference of mean run scores; None where a system has a single run."""
    if len(a) < 2 or len(b) < 2:
        return None
    return math.sqrt(float(a.var(ddof=1)) / len(a) + float(b.var(ddof=1)) / len(b))
