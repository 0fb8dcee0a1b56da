"""The form of a registry entry for metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.metric import AdditiveMetric
from outscore.core.numeric import Array, combine
from outscore.core.options import Option, OptionValue
from outscore.core.records import dataclass

Options = Mapping[str, OptionValue]


@dataclass(frozen=True)
class Layout:
    """Named input columns, and how a table of them becomes the metric's additive columns.

    `averages` does the same to item means of rows that `rows` has accepted, which are no longer whole counts; None where
    `rows` takes them.
    """

    columns: tuple[str, ...]
    rows: Callable[[Array], Array]
    averages: Callable[[Array], Array] | None = None


Beside = Literal["", "classes", "probabilities", "people"]
"""What stands beside a column of right answers: answers of several classes, probabilities, or scores beside people's."""
TAKES: Mapping[Beside, tuple[str, ...]] = {
    "": (),
    "classes": ("predictions beside right answers",),
    "probabilities": ("a table with a column of right answers (gold) and one of probabilities per system",),
    "people": ("a table with a row per output, a column of people's scores (gold) and one per metric",),
}


@dataclass(frozen=True)
class MetricEntry:
    """One metric: what it takes, its formula, its options, its layouts (by number of input columns) and its additive form.

    `formula` is written in the small part of TeX that the page of methods knows, `citations` are keys of
    works in ``report/works.bib``: a metric that somebody defined names that work, shares of
    right answers need none. `many` makes the same metric for rows of any width, and their layout; None for a width that it
    does not take. `beside` says what the metric makes of answers beside right ones, if more than right and wrong; `items` makes
    the rows of items from scores of outputs and those that people gave them, both as (items, outputs) tables, with nan where
    there is no output.
    """

    name: str
    summary: str
    formula: str
    make: Callable[[Options], AdditiveMetric]
    layouts: Callable[[Options], dict[int, Layout]]
    options: tuple[Option, ...] = ()
    citations: tuple[str, ...] = ()
    many: Callable[[int], tuple[Layout, AdditiveMetric] | None] | None = None
    beside: Beside = ""
    items: Callable[[Array, Array, Options], Array] | None = None

    @property
    def layouts_text(self) -> str:
        """The accepted rows in words."""
        defaults = {option.name: option.default for option in self.options}
        rows = [
            f"(n, {width}) {', '.join(layout.columns)}" if width > 1 else f"(n,) {layout.columns[0]}"
            for width, layout in sorted(self.layouts(defaults).items())
        ]
        return " or ".join([*rows, *TAKES[self.beside]])


def linear_layout(columns: tuple[str, ...], matrix: Sequence[Sequence[int]], check: Callable[[Array], None]) -> Layout:
    """A layout whose columns are integer combinations of the input; one number more per row of `matrix` is a constant."""

    def rows(table: Array) -> Array:
        check(table)
        return combine(table, matrix)

    return Layout(columns, rows, lambda table: combine(table, matrix))


def require_counts(table: Array) -> None:
    """Counts are whole and not negative."""
    whole = table.dtype.kind != "f" or bool((table == np.rint(table)).all())
    if not whole or table.min(initial=0) < 0:
        bad = (table < 0) | (table != np.rint(table))
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise OutscoreError(
            f"Row {row + 1}, column {column + 1} is {table[row, column]:g}, not a count.", "Counts are whole numbers from 0 up."
        )


def divide(top: Array, bottom: Array) -> Array:
    """A ratio of sums, by convention 0 where nothing is below the line.

    Examples
    --------
    >>> divide(np.array([1.0, 2.0]), np.array([4.0, 0.0]))
    array([0.25, 0.  ])
    """
    defined = bottom != 0
    # Whole numbers here, so that a ratio of fractions is a fraction.
    return np.where(defined, top / np.where(defined, bottom, 1), 0)
