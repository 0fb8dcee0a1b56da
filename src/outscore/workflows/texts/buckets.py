"""Labels of segments, from Python or from a file with one label per line: their documents and their buckets."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from outscore.core.errors import OutscoreError
from outscore.formats.base.source import stem_of
from outscore.formats.texts.segments import Segments, read_segments
from outscore.metrics.text.matches import SPACELESS
from outscore.results.subset import Bucket

__all__ = ["buckets_of", "in_bands", "labels_of_segments", "length_bands"]

Labels = tuple[object, ...]

LENGTH = "length"
"""The bucket that needs no labels: reference length."""
LENGTH_COLUMN = "reference length"
LENGTH_BANDS = ((1, 10), (11, 20), (21, 30), (31, 40), (41, None))
NO_WORDS = "0"


def labels_of_segments(given: object, column: str, segments: int) -> Labels:
    """A label for each segment, none of them missing or blank: a list, or a file with one label per line or its path.

    Examples
    --------
    >>> labels_of_segments(["news", "news", "talk"], "documents", 3)
    ('news', 'news', 'talk')
    """
    read = read_segments(given) if isinstance(given, (str, os.PathLike)) else given
    file = read.origin.label if isinstance(read, Segments) and read.origin is not None else None
    values = read.lines if isinstance(read, Segments) else read
    if not isinstance(values, Iterable):
        raise OutscoreError(f"`{column}` is {given!r}.", "Give a label for each segment, or the path of a file of labels.")
    labels = tuple(values)
    if len(labels) != segments:
        held = f"There are {len(labels):,} labels of {column}" if file is None else f"{file} has {len(labels):,} lines"
        raise OutscoreError(f"{held} for {segments:,} segments.", "Give one for each segment.")
    for i, label in enumerate(labels):
        if _missing(label):
            where = f"`{column}` has no label at segment {i + 1}" if file is None else f"{file}, line {i + 1}: no label"
            raise OutscoreError(f"{where}.", "Give every segment a label.")
    return labels


def _missing(label: object) -> bool:
    # A missing value in an array of numbers (nan) is not equal to itself.
    return label is None or label != label or (isinstance(label, str) and not label.strip())  # noqa: PLR0124


def buckets_of(buckets: object, reference: Sequence[str]) -> dict[str, Labels]:
    """The labels of every column of buckets, by its name.

    `buckets` is ``"length"``, the path of a file of labels, a list of these, or labels by the name of their column.

    Examples
    --------
    >>> buckets_of("length", ["a b c", ""])
    {'reference length': ('1-10', '0')}
    """
    if buckets is None:
        return {}
    columns = buckets.items() if isinstance(buckets, Mapping) else _columns_by_source(buckets)
    labels_by_column: dict[str, Labels] = {}
    for name, given in columns:
        if name in labels_by_column:
            raise OutscoreError(f"`buckets` names `{name}` twice.", "Name it once, or rename a file.")
        by_length = isinstance(given, str) and given == LENGTH
        labels_by_column[name] = (
            tuple(length_bands(reference)) if by_length else labels_of_segments(given, name, len(reference))
        )
    return labels_by_column


def _columns_by_source(buckets: object) -> list[tuple[str, str | os.PathLike[str]]]:
    """Columns named after their source."""
    written = [buckets] if isinstance(buckets, (str, os.PathLike)) else buckets
    if not isinstance(written, (list, tuple)) or not all(isinstance(name, (str, os.PathLike)) for name in written):
        raise OutscoreError(
            f"`buckets` is {buckets!r}.",
            'Give "length", the path of a file of labels, or {"topic": a label for each segment}.',
            parameter="buckets",
        )
    return [(LENGTH_COLUMN if name == LENGTH else stem_of(os.fspath(name)), name) for name in written]


def length_bands(reference: Sequence[str]) -> list[str]:
    """The band of each segment's reference length in words, for buckets.

    In scripts without spaces between words, each character counts as a word.

    Examples
    --------
    >>> length_bands(["a b c", "", " ".join("x" * 50), "猫坐在垫子上了今天下午"])
    ['1-10', '0', '41 and more', '11-20']
    """
    sizes = [len(SPACELESS.sub(r" \g<0> ", line).split()) for line in reference]
    return [
        next((_band(low, high) for low, high in LENGTH_BANDS if low <= n and (high is None or n <= high)), NO_WORDS)
        for n in sizes
    ]


def _band(low: int, high: int | None) -> str:
    return f"{low} and more" if high is None else f"{low}-{high}"


def in_bands(buckets: list[Bucket]) -> list[Bucket]:
    """Length bands from the shortest up; other labels in the order in which they first appear."""
    order = {band: i for i, band in enumerate([NO_WORDS, *(_band(*limits) for limits in LENGTH_BANDS)])}
    banded = all(bucket.value in order for bucket in buckets)
    return sorted(buckets, key=lambda bucket: order[bucket.value]) if banded else buckets
