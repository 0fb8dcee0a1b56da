"""What can hardly be what it was taken for: counters and lengths no systems, and rows that sum the others up no items.

Rows of sums would count everything twice.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.formats.base.source import shorten
from outscore.formats.tables.names import SUMMARIES, normalize_name
from outscore.formats.tables.numbers import BARE_FORMATS
from outscore.formats.tables.records import Records
from outscore.scores.system import Labels, Scores

MIN_COUNTED = 5
"""This many consecutive whole numbers are a counter, not scores."""
FACTOR = 5.0
"""A mean so many times the largest score of the others is another quantity."""
MIN_ITEMS = 20
"""So many columns whose names only count are items."""
OF_SYSTEMS = {
    *("s", "sys", "system", "m", "model", "method", "team", "submission", "v", "version", "variant", "run", "agent", "llm"),
    *("exp", "experiment", "ckpt", "checkpoint", "config", "candidate"),
}
"""What systems are called that are counted."""
OF_PEOPLE = {"userid", "user_id"}
"""Ids of whoever answered, which may be systems."""
SHOWN = 12
CHOOSE = "Name the systems with --system NAME --system NAME (systems=[...] in Python)"


def refuse_implausible(scores: Sequence[Scores], *, chosen: bool, item_named: bool) -> None:
    """Refuse a table whose columns were all taken for systems if some of them are unlikely to be one.

    Parameters
    ----------
    scores
        The systems that were found.
    chosen
        Whether the caller named the systems, who then knows best.
    item_named
        Whether the caller named the column of the items: then rows are items, however many columns there are.
    """
    wide = [one for one in scores if _is_a_column(one)]
    if chosen or len(wide) < len(scores) or len(wide) < 2 or any(one.values.ndim > 1 or not one.rows for one in wide):
        return
    if not item_named:
        _refuse_items(wide)
    values = [np.abs(one.values.astype(float)) for one in wide]
    largest = np.array([float(column.max()) for column in values])
    counters = np.array([_counts(one.values) for one in wide])
    for i, one in enumerate(wide):
        others = float(np.median(np.delete(largest, i)))
        counter = bool(counters[i]) and not counters.all()
        if normalize_name(one.name) in SUMMARIES:
            _refuse(one, wide, "is named like a summary", others)
        # Beside shares, whole numbers beyond 1 are something else, such as the code of a category.
        shares = len(wide) > 2 and float(np.delete(largest, i).max()) <= 1 < largest[i]
        if shares and (one.values == np.rint(one.values)).all():
            _refuse(one, wide, f"goes up to {largest[i]:.4g}", others)
        if counter or (others > 0 and float(values[i].mean()) > FACTOR * others):
            _refuse(one, wide, "counts 1, 2, 3" if counter else f"has the mean {float(one.values.mean()):.4g}", others)


def _is_a_column(one: Scores) -> bool:
    """Whether a system is a column of a table with a column for each."""
    return one.origin is not None and "score" not in one.origin.columns and one.origin.format not in BARE_FORMATS.values()


def _counts(values: Array) -> bool:
    """Whether the values are consecutive whole numbers, in whatever order."""
    if len(values) < MIN_COUNTED or (values != np.rint(values)).any():
        return False
    ordered = np.sort(values)
    return bool((np.diff(ordered) == 1).all())


def _refuse(one: Scores, wide: Sequence[Scores], reason: str, others: float) -> None:
    rest = [other.name for other in wide if other is not one]
    raise OutscoreError(
        f"{one.label}: `{one.name}` was found beside {_listed(rest)}, but {reason} where the others reach {others:.4g}: it is "
        "unlikely to be the score of a system.",
        f"{CHOOSE}, or leave that column out.",
        parameter="system",
    )


def _refuse_items(wide: Sequence[Scores]) -> None:
    """Refuse columns whose names only count, as items do in a table with a system in every row."""
    stems = {re.sub(r"\d+$", "", one.name) for one in wide if re.search(r"\d$", one.name)}
    numbered = all(re.search(r"\d$", one.name) for one in wide)
    if not numbered or len(stems) > 1 or len(wide) < MIN_ITEMS:
        return
    ids = {normalize_name(name) for one in wide if one.origin is not None for name in one.origin.columns.get("item", ())}
    if ids - OF_PEOPLE and {normalize_name(stem).strip("_") for stem in stems} <= OF_SYSTEMS:
        # The rows have ids of items, and the columns are called systems.
        return
    raise OutscoreError(
        f"{wide[0].label} has {len(wide):,} columns {_listed([one.name for one in wide], 3)}, which look like items, not "
        "systems.",
        "Add --transpose if every row is a system, or name the column of the items with --item if every row is an item.",
        parameter="transpose",
    )


def _listed(names: Sequence[str], most: int = SHOWN) -> str:
    quoted = ", ".join(f"`{name}`" for name in names[:most])
    return quoted if len(names) <= most else f"{quoted} ..."


def edges_of(labels: Labels, *, repeated: bool) -> tuple[str, str] | None:
    """What the first and the last row are called; empty where other rows are called the same, unless these may be `repeated`.

    Examples
    --------
    >>> edges_of(Labels.of(["mean", "q1", "q2", "q1"]), repeated=False)
    ('mean', '')
    """
    if not len(labels):
        return None
    first, last = (
        labels[row] if repeated or int((labels.codes == labels.codes[row]).sum()) == 1 else "" for row in (0, len(labels) - 1)
    )
    return first, last


def refuse_summary(records: Records, column: str, edges: tuple[str, str], lines: Sequence[int]) -> None:
    """Refuse a first or last row whose name in `column` says that it sums the others up; `lines` are those of both rows."""
    for name, line, place in zip(edges, lines, ("first", "last"), strict=True):
        if normalize_name(name) in SUMMARIES:
            records.refuse(
                line,
                f"found `{shorten(name)}` as the {place} item of `{column}`, which looks like a summary of the others",
                "Remove the row, or give the item another name.",
            )
