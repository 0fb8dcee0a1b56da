"""METRICS: every metric by name. An entry says what it eats, its options, and how rows become its additive columns.

Adding a metric is one entry; command line, docs table and contract tests loop over the registry.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array
from outscore.core.options import complete, did_you_mean, parse_spec
from outscore.metrics.counts import COUNTS, SCORES
from outscore.metrics.entry import MetricEntry
from outscore.metrics.outputs import PARTS, class_layout

METRICS: dict[str, MetricEntry] = {entry.name: entry for entry in (*SCORES, *COUNTS)}


def resolve(
    metric: str | AdditiveMetric, a: Array, b: Array, *, raw: Sequence[Array] = ()
) -> tuple[AdditiveMetric, Array, Array]:
    """The metric and both systems' rows in its own columns.

    Where the rows are item means of `raw` ones, it is these that have to suit the metric: the mean of right and wrong answers
    is neither.

    Examples
    --------
    >>> import numpy as np
    >>> resolve("f1", np.array([[3, 1, 0]]), np.array([[2, 0, 1]]))[1:]
    (array([[3, 1]]), array([[2, 1]]))
    """
    if isinstance(metric, AdditiveMetric):
        return metric, _own_columns(metric, a), _own_columns(metric, b)
    if not isinstance(metric, str):
        raise OutscoreError(f"`metric` is {metric!r}.", "Give a name such as 'f1', or an AdditiveMetric.")
    name, given = parse_spec(metric)
    if name not in METRICS:
        raise OutscoreError(f"There is no metric `{name}`.", did_you_mean(name, METRICS))
    entry = METRICS[name]
    options = complete(name, entry.options, given)
    width = 1 if a.ndim == 1 else a.shape[1]
    layouts = entry.layouts(options)
    if entry.many is not None and _is_by_class(width):
        classes = width // len(PARTS)
        layout, additive = class_layout(classes), entry.many(classes)
    elif width in layouts:
        layout, additive = layouts[width], entry.make(options)
    else:
        raise OutscoreError(
            f"Metric `{name}` cannot use rows of {width} number{'s' if width > 1 else ''}.", f"It takes {entry.layouts_text}."
        )
    for table in raw:
        layout.rows(table.reshape(len(table), width))
    rows = layout.averages if raw and layout.averages is not None else layout.rows
    return additive, rows(a.reshape(len(a), width)), rows(b.reshape(len(b), width))


def _is_by_class(width: int) -> bool:
    """Whether rows hold counts of each of two or more classes."""
    return width >= 2 * len(PARTS) and width % len(PARTS) == 0


def _own_columns(metric: AdditiveMetric, rows: Array) -> Array:
    table = rows[:, None] if rows.ndim == 1 else rows
    if table.shape[1] != len(metric.columns):
        raise OutscoreError(
            f"Metric `{metric.name}` has {len(metric.columns)} columns, the rows have {table.shape[1]}.",
            f"Give one number for each of: {', '.join(metric.columns)}.",
        )
    return np.asarray(table)
