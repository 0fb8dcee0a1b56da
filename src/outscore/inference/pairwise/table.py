"""All pairs of systems on one dataset, column by column: a million tests are arrays, not objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Literal

import numpy as np

from outscore.core.numeric import MIN_FLOAT, Array
from outscore.core.records import dataclass
from outscore.results.note import Note

KINDS = ("exact", "certified", "monte-carlo", "asymptotic")
"""What the codes in `PairTable.kind` mean."""
FINENESS = (2.0**40, 1e12)
ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class PairTable:
    """One row for each pair (left, right) of systems, by their indices; differences are left - right, raw.

    Parameters
    ----------
    left, right
        Indices of the systems.
    n
        Units both systems have; where there are none, `difference` is nan and p is 1.
    difference, low, high
        In the metric's own unit; nan where unknown, an infinite end where unbounded.
    log_p
        Natural logarithm of the p to claim: of certified bounds the upper end. Never -inf, 0 for identical
        systems.
    kind
        Codes into `KINDS`.
    log_better, log_worse
        The same one-sided, for "left is better" and "left is worse", where datasets are to be combined; else
        None.
    wins, losses
        Items that only the left or only the right system got right, where all items are right or wrong; else
        None.
    unit
        What such an item is worth: 1, or 100 where scores are 0 and 100.
    remarks
        What is to be said about single rows, by their number.
    weight
        How much a pair counts in the order of systems with different items; None is `n`. Of a macro average it is the number of
        datasets that both have.
    """

    left: Array
    right: Array
    n: Array
    difference: Array
    low: Array
    high: Array
    log_p: Array
    kind: Array
    log_better: Array | None = None
    log_worse: Array | None = None
    wins: Array | None = None
    losses: Array | None = None
    unit: float = 1.0
    remarks: Mapping[int, str] = field(default_factory=dict)
    weight: Array | None = None

    def __len__(self) -> int:
        return len(self.left)

    @property
    def testable(self) -> Array:
        """Which pairs share items: only these belong to the family."""
        return np.asarray(self.n > 0)

    @cached_property
    def p(self) -> Array:
        """p as floats; what underflows is the smallest positive one."""
        p = np.exp(self.log_p)
        # An exact p of a few units is a multiple of a power of ½, a sampled one often a decimal: the
        # logarithm has moved them by a rounding error, which is taken back.
        for fineness in FINENESS:
            steps = np.rint(p * fineness)
            p = np.where(np.abs(p * fineness - steps) <= ROUNDING * steps, steps / fineness, p)
        return np.asarray(np.maximum(p, MIN_FLOAT))


@dataclass(frozen=True, eq=False)
class Measured:
    """The systems on one dataset by one metric, before any correction: scores with intervals, and all pairs.

    `n` are the items of each system, `items` those of the dataset; `value` is nan for a system that has none.
    `complete` says that all systems have the same items. `unit` is what `n` of the pairs counts. A `macro`
    average stands for all datasets.
    """

    dataset: str | None
    metric: str
    higher_is_better: bool
    systems: tuple[str, ...]
    value: Array
    low: Array
    high: Array
    n: Array
    items: int
    complete: bool
    pairs: PairTable
    test: str
    kernel: str
    interval: str
    unit: Literal["items", "clusters", "units", "segments"] = "items"
    notes: list[Note] = field(default_factory=list)
    macro: bool = False
