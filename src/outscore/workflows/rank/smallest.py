"""The smallest p that the items and runs of a ranking can give, for each claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outscore.core.numeric import LOG2, MIN_FLOAT, Array
from outscore.core.rows import RUNS
from outscore.inference.describe.repeats import smallest_run_p
from outscore.inference.pairwise.table import Measured, PairTable
from outscore.inference.populations import ITEMS, ITEMS_AND_RUNS
from outscore.inference.registry import DEFAULT
from outscore.scores.panel import Panel
from outscore.workflows.rank.populations import MAX_PAIRS, Metrics
from outscore.workflows.rank.question import Question
from outscore.workflows.rank.standings import families


def smallest_p_of(
    population: str, measured: Sequence[Measured], question: Question, metrics: Metrics
) -> tuple[float | None, float | None]:
    """The smallest p that a pair can reach, and the smallest adjusted one, if every pair reached its own."""
    parts = len(measured) // len(metrics)
    least = []
    for i, panels in enumerate(metrics):
        own = measured[i * parts : (i + 1) * parts]
        log_p = _smallest_log_p(population, panels, own[-1].pairs, question)
        if log_p is None:
            return None, None
        least += [replace(part, pairs=replace(part.pairs, log_p=log_p)) for part in own]
    top = families(least, question).tops[0]
    testable = top.measured.pairs.testable
    if not testable.any():
        return None, None
    # Adjusted or not, p as floats are those of the table; what is too small for a number is no limit.
    least_p, adjusted = float(top.measured.pairs.p[testable].min()), float(top.adjusted[testable].min())
    return (least_p, adjusted) if least_p > MIN_FLOAT else (None, None)


def _smallest_log_p(population: str, panels: Sequence[Panel], pairs: PairTable, question: Question) -> Array | None:
    """The log of the smallest p that the items and runs of each pair can give; None if there is no limit, or it is not known.

    Without repeats there is one claim only, whose p says all.
    """
    repeats = panels[0].shared_repeats
    unknown = population == ITEMS_AND_RUNS or question.unit_size != 1
    if repeats is None or repeats.reduced or unknown or len(pairs) > MAX_PAIRS:
        return None
    both = list(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True))
    if population == ITEMS:
        return _smallest_of_items(panels, both) if question.test == DEFAULT else None
    if repeats.kind == RUNS:
        runs = [known.count for known in repeats.systems]
        return np.array([math.log(smallest_run_p(runs[i], runs[j])) for i, j in both])
    return _smallest_of_epochs(panels, both)


def _smallest_of_items(panels: Sequence[Panel], both: Sequence[tuple[int, int]]) -> Array:
    """Swaps of all items, or clusters, in the same direction."""
    units = np.zeros(len(both))
    for panel in panels:
        for row, (i, j) in enumerate(both):
            shared = panel.present[i] & panel.present[j]
            units[row] += np.count_nonzero(shared) if panel.clusters is None else len(np.unique(panel.clusters[shared]))
    return np.minimum((1 - units) * LOG2, 0.0)


def _smallest_of_epochs(panels: Sequence[Panel], both: Sequence[tuple[int, int]]) -> Array:
    """The most extreme division of the runs of every item; with equal numbers of runs its mirror image is as extreme."""
    log_p = np.zeros(len(both))
    for row, (i, j) in enumerate(both):
        equal = True
        for panel in panels:
            counts = panel.times[[i, j]]
            a, b = counts[:, (counts > 0).all(axis=0)].tolist()
            equal &= a == b
            log_p[row] -= math.fsum(math.log(math.comb(m + n, m)) for m, n in zip(a, b, strict=True))
        log_p[row] += LOG2 if equal else 0.0
    return np.minimum(log_p, 0.0)
