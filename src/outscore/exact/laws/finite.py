"""Finite laws on whole numbers, and those of scores redivided between two systems; `sums` adds them up."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.exact.flipsum import BudgetError

MAX_SPLITS = 20_000
MAX_SPLIT_WORK = 50_000_000
"""Divisions of one item that are listed, and steps of the dynamic programme where there are more."""


@dataclass(frozen=True)
class Law:
    """Whole numbers in ascending order and the natural logarithms of their probabilities, which add up to 1.

    Examples
    --------
    >>> hypergeometric(2, 2, 2)
    Law(support=(0, 1, 2), log_mass=(-1.791759469228055, -0.4054651081081644, -1.791759469228055))
    """

    support: tuple[int, ...]
    log_mass: tuple[float, ...]

    @property
    def is_coin(self) -> bool:
        """Whether this is a coin flip: two points of equal probability."""
        return len(self.support) == 2 and self.log_mass[0] == self.log_mass[1]

    @property
    def is_symmetric(self) -> bool:
        """Whether X and its mirror image have the same law."""
        ends = self.support[0] + self.support[-1]
        return self.log_mass == self.log_mass[::-1] and all(
            x + y == ends for x, y in zip(self.support, reversed(self.support), strict=True)
        )

    def times(self, factor: int, shift: int = 0) -> Law:
        """The law of factor·X + shift, for a positive factor."""
        return Law(tuple(factor * x + shift for x in self.support), self.log_mass)


Laws = Iterable[Law] | Mapping[Law, int]


def coin(size: int) -> Law:
    """The law of ±size by a fair coin."""
    half = math.log(0.5)
    return Law((-size, size), (half, half)) if size else Law((0,), (0.0,))


def mirrored(law: Law) -> Law:
    """The law of -X."""
    return Law(tuple(-x for x in reversed(law.support)), law.log_mass[::-1])


def mirrored_laws(laws: Laws) -> Counter[Law]:
    """All laws mirrored, with their numbers."""
    return Counter({mirrored(law): count for law, count in Counter(laws).items()})


def hypergeometric(n_a: int, n_b: int, right: int) -> Law:
    """How many of `right` right answers fall to A, when n_a of the n_a + n_b answers do and every division is as likely.

    Examples
    --------
    >>> [round(math.exp(x), 6) for x in hypergeometric(4, 4, 1).log_mass]
    [0.5, 0.5]
    """
    ways = math.log(math.comb(n_a + n_b, n_a))
    support = tuple(range(max(0, right - n_b), min(n_a, right) + 1))
    return Law(support, tuple(math.log(math.comb(right, k) * math.comb(n_a + n_b - right, n_a - k)) - ways for k in support))


def split_sums(values: Iterable[int], n_a: int) -> Law:
    """The sum of the n_a numbers that fall to A, every division of the numbers being as likely; `BudgetError` where too many.

    Examples
    --------
    >>> split_sums([0, 0, 1, 3], 2).support
    (0, 1, 3, 4)
    """
    numbers = sorted(values)
    low, n = numbers[0], len(numbers)
    moved = np.array([x - low for x in numbers], dtype=np.int64)
    if not moved.any():
        return Law((n_a * low,), (0.0,))
    if moved[-1] == moved[moved > 0][0]:
        return hypergeometric(n_a, n - n_a, int((moved > 0).sum())).times(int(moved[-1]), n_a * low)
    unit = int(np.gcd.reduce(moved))
    moved //= unit
    if math.comb(n, n_a) <= MAX_SPLITS:
        sums, ways = np.unique(moved[choices(n, n_a)].sum(axis=1), return_counts=True)
    else:
        sums, ways = _subset_counts(moved, n_a)
    log_ways = math.log(math.comb(n, n_a))
    return Law(tuple((unit * sums + n_a * low).tolist()), tuple((np.log(ways) - log_ways).tolist()))


def choices(n: int, k: int) -> Array:
    """All ways to choose k of n, (C(n, k), k)."""
    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(k):
        last = rows[:, -1] if rows.shape[1] else np.full(1, -1)
        parts = [np.column_stack([rows[last < i], np.full(int((last < i).sum()), i)]) for i in range(n)]
        rows = np.concatenate(parts)
    return rows


def _subset_counts(numbers: Array, k: int) -> tuple[Array, Array]:
    """Sums of k of the numbers and in how many ways each arises, by a dynamic programme over size and sum."""
    top = int(np.sort(numbers)[-k:].sum())
    if float(top + 1) * k * len(numbers) > MAX_SPLIT_WORK:
        raise BudgetError
    # Ways reach 1e37 and more: floats add up positive terms without losing digits.
    ways = np.zeros((k + 1, top + 1))
    ways[0, 0] = 1.0
    for x in numbers.tolist():
        ways[1:, x:] += ways[:-1, : top + 1 - x].copy()
    sums = np.flatnonzero(ways[k])
    return sums, ways[k, sums]
