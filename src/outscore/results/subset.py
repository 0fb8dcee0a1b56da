"""Parts of the data: slices of items, buckets of segments, the units of one label."""

from __future__ import annotations

import msgspec

from outscore.results.pvalue import PValue

__all__ = ["Bucket", "ScoredSubset", "Subset"]


class Subset(msgspec.Struct, frozen=True):
    """A part of the data: the rows where a column has one value.

    Attributes
    ----------
    column
        The column.
    value
        Its value on these rows.
    """

    column: str
    value: str


class ScoredSubset(Subset, frozen=True):
    """Two systems on a part of the data.

    Attributes
    ----------
    column, value
        The rows where the column has this value.
    n
        How many they are.
    first, second
        Both systems' scores there.
    difference
        Of a comparison first - second, which are A and B; of a diff second - first.
    low, high
        The interval of the difference; None is unbounded or unknown.
    p
        Its p-value, corrected over the values of the column; None where there are fewer units than the minimum support.
    """

    n: int
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    p: PValue | None


class Bucket(ScoredSubset, frozen=True, rename={"first": "a", "second": "b"}):
    """The same comparison on some of the segments. In JSON the scores are called "a" and "b".

    Attributes
    ----------
    column, value, n, first, second, difference, low, high, p
        As in `ScoredSubset`; every bucket is tested.
    """

    p: PValue
