"""Evaluation units: several items that are scored as one.

An evaluation unit is a set of items on which the metric can be meaningfully computed (Zhu et al., 2020,
definition 1): fifteen sentences for a corpus score, say. Its size changes the sample size, the spread and
every effect size measured in units of it, so the size is the user's choice and `unit_advisor` shows what it
does. Units here are equal: what is left over when the size does not divide the number of items is left out
and reported, because a short unit would spread more than the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from outscore.core.errors import ClustersError, OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, exact_sum
from outscore.core.rows import PairedScores
from outscore.inference.base.item_scores import ItemScores, scores_if_any
from outscore.inference.base.question import TestRequest
from outscore.inference.base.sign_flips import units_of
from outscore.inference.describe.effects import spread
from outscore.inference.permutation.dispatch import permutation
from outscore.results.analysis import UnitRow

SIZES = (1, 2, 5, 10, 15, 20, 30, 50, 100)
STATISTICS = ("mean", "median")
MIN_UNITS = 2


def evaluation_units(
    pairs: PairedScores,
    metric: AdditiveMetric,
    size: int,
    statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
) -> tuple[PairedScores, int]:
    """Every `size` adjacent items as one row of the metric's own columns, and how many items were left over.

    ``"mean"`` adds the columns up, so that any additive metric means on a unit what it means on the whole
    test set. ``"median"`` takes the item in the middle of each system's scores (half of both where two are in
    the middle), for means of item scores.

    Parameters
    ----------
    pairs, metric
        Rows in the metric's own columns. Repeats of an item are averaged first.
    size
        Items per unit; with 1 the rows are returned as they are.
    statistic
        What represents a unit.
    shuffle
        A seed: items are put into random order first, the same for both systems. None keeps the order of the
        file.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.array([1, 0, 1, 1, 0]), np.array([0, 0, 1, 0, 1]))
    >>> units, remainder = evaluation_units(PairedScores(a, b), metric, 2)
    >>> units.a.tolist(), remainder
    ([[1, 2], [2, 2]], 1)
    """
    _check(pairs, size, statistic)
    if size == 1:
        return pairs, 0
    items = units_of(pairs)
    remainder = items.rows % size
    if size > items.rows:
        raise OutscoreError(
            f"`unit_size` is {size}, but there are only {items.rows} items.",
            f"Give at most {items.rows}.",
            parameter="unit_size",
        )
    chosen = members(items.rows, size, shuffle)
    if statistic == "mean":
        a, b = items.a[chosen].sum(axis=1), items.b[chosen].sum(axis=1)
    else:
        scores = scores_if_any(pairs, metric)
        if scores is None:
            raise OutscoreError(
                f"The median of a unit needs one score per item, but {metric.name} is not a mean of such scores here.",
                "Use unit_statistic='mean'.",
            )
        a, b = _middle(items.a, scores.a, chosen), _middle(items.b, scores.b, chosen)
    # Plain rows again: dividing once keeps numbers that were written as decimals recognisable.
    if items.scale != 1:
        a, b = a / items.scale, b / items.scale
    return PairedScores(a, b, averaged=statistic == "mean"), remainder


def members(items: int, size: int, shuffle: int | None = None) -> Array:
    """The places of the items of each unit, (units, size); what is left over belongs to none.

    Examples
    --------
    >>> members(5, 2).tolist()
    [[0, 1], [2, 3]]
    """
    count = items // size
    order = np.arange(items) if shuffle is None else _shuffle(items, shuffle)
    return order[: count * size].reshape(count, size)


def _check(pairs: PairedScores, size: int, statistic: str) -> None:
    if int(size) != size or size < 1:
        raise OutscoreError(f"`unit_size` is {size!r}.", "Give a whole number from 1 up.", parameter="unit_size")
    if statistic not in STATISTICS:
        raise OutscoreError(
            f"`unit_statistic` is {statistic!r}.", f"Choose one of: {', '.join(STATISTICS)}.", parameter="unit_statistic"
        )
    if size > 1 and pairs.clusters is not None:
        raise ClustersError(
            f"`unit_size` is {size}, but items are in clusters.",
            "Give one of the two: a cluster is already a unit of several items.",
            parameter="unit_size",
        )


def _shuffle(n: int, seed: int) -> Array:
    return np.random.Generator(np.random.Philox(key=seed)).permutation(n)


def _middle(rows: Array, scores: Array, chosen: Array) -> Array:
    """The row of the item whose score is in the middle of its unit; of two middle ones, half of each."""
    size = chosen.shape[1]
    ranked = np.take_along_axis(chosen, np.argsort(scores[chosen], axis=1, kind="stable"), axis=1)
    upper = rows[ranked[:, size // 2]]
    return np.asarray(upper if size % 2 else (rows[ranked[:, size // 2 - 1]] + upper) / 2)


def unit_advisor(
    pairs: PairedScores,
    metric: AdditiveMetric,
    sizes: Sequence[int] = SIZES,
    statistic: Literal["mean", "median"] = "mean",
    shuffle: int | None = None,
    asked: TestRequest | None = None,
) -> list[UnitRow]:
    """How spread, effect size and the permutation p-value move with the size of the units; `asked` is the question of p.

    Sizes that leave fewer than two units are left out. d_z grows with the size though the systems stay the
    same: the mean of several items spreads less. Compare effect sizes of equal units only.

    Examples
    --------
    >>> from outscore.metrics.registry import resolve
    >>> metric, a, b = resolve("mean", np.arange(12) % 5, np.arange(12) % 3)
    >>> [(row.size, row.units, row.remainder) for row in unit_advisor(PairedScores(a, b), metric)]
    [(1, 12, 0), (2, 6, 0), (5, 2, 2)]
    """
    _check(pairs, max(sizes, default=1), statistic)
    items = pairs.per_item().rows
    return [
        _row(pairs, metric, size, statistic, shuffle, asked or TestRequest())
        for size in sizes
        if size == 1 or items // size >= MIN_UNITS
    ]


def _row(
    pairs: PairedScores,
    metric: AdditiveMetric,
    size: int,
    statistic: Literal["mean", "median"],
    shuffle: int | None,
    asked: TestRequest,
) -> UnitRow:
    units, remainder = evaluation_units(pairs, metric, size, statistic, shuffle)
    rows = units_of(units)
    scores = scores_if_any(units, metric)
    if scores is None:
        # A unit's score of any metric, which is what an evaluation unit is defined for.
        a, b = (metric.score(table / rows.scale) for table in (rows.a, rows.b))
        scores = ItemScores(a, b, a - b, None, 1, None, 1 if metric.higher_is_better else -1)
    sd = spread(scores)
    d_z = exact_sum(scores.d) / scores.n / sd if sd else None
    p = permutation(units, metric, asked).value
    return UnitRow(size, rows.rows, remainder, sd if scores.n > 1 else None, d_z, p)
