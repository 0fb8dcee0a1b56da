"""Metrics of one score per item: mean, sum and weighted mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, cast

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import Option
from outscore.exact.numbers import to_exact_integers
from outscore.metrics.entry import Layout, MetricEntry, Options, linear_layout

DIRECTION = Option("direction", str, "higher", "whether higher or lower scores are better", ("higher", "lower"))
OF = Option("of", str, "", "what reports call the scores")


def _ratio(name: str, columns: tuple[str, ...], divisor: tuple[int, ...] | None) -> Callable[[Options], AdditiveMetric]:
    """The metric that divides its first column by `divisor`, in the chosen direction."""
    first = tuple(int(i == 0) for i in range(len(columns)))

    def make(options: Options) -> AdditiveMetric:
        better = cast("Literal['higher', 'lower']", options[DIRECTION.name])
        return AdditiveMetric(str(options.get(OF.name) or name), columns, direction=better, ratio=(first, divisor))

    return make


def _anything(table: Array) -> None:
    del table


def _weighted_rows(table: Array) -> Array:
    """(score, weight) rows as (weight · score, weight)."""
    if (table[:, 1] < 0).any():
        row = int((table[:, 1] < 0).argmax())
        raise OutscoreError(f"Row {row + 1} has weight {table[row, 1]:g}.", "Weights are numbers from 0 up.")
    written = to_exact_integers(table)
    if written is None:
        return np.stack([table[:, 0] * table[:, 1], table[:, 1]], axis=1)
    # Multiplied as whole numbers and divided once, a product of decimals is still recognised as one.
    (whole,), scale = written
    return np.stack([whole[:, 0] * whole[:, 1], whole[:, 1] * scale], axis=1) / scale**2


ENTRIES = (
    MetricEntry(
        name="mean",
        eats=("scores",),
        summary="mean of the items' scores",
        formula=r"\frac{1}{n} \sum_{i} x_i",
        make=_ratio("mean", ("score", "items"), (0, 1)),
        layouts=lambda _: {1: linear_layout(("score",), ((1, 0), (0, 1)), _anything)},
        options=(DIRECTION, OF),
    ),
    MetricEntry(
        name="sum",
        eats=("scores",),
        summary="sum of the items' scores",
        formula=r"\sum_{i} x_i",
        make=_ratio("sum", ("score",), None),
        layouts=lambda _: {1: linear_layout(("score",), ((1,),), _anything)},
        options=(DIRECTION,),
    ),
    MetricEntry(
        name="weighted-mean",
        eats=("scores",),
        summary="mean of the items' scores, each with its weight",
        formula=r"\frac{\sum_{i} w_i x_i}{\sum_{i} w_i}",
        make=_ratio("weighted-mean", ("weighted score", "weight"), (0, 1)),
        layouts=lambda _: {2: Layout(("score", "weight"), _weighted_rows)},
        options=(DIRECTION,),
    ),
)
