"""Rows that sum the others up: taken for items, they would count everything twice."""

from __future__ import annotations

from collections.abc import Sequence

from outscore.formats.base.source import shorten
from outscore.formats.tables.names import SUMMARIES, normalize_name
from outscore.formats.tables.records import Records
from outscore.scores.system import Labels

__all__ = ["edges_of", "refuse_summary"]


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
                "Take the row out, or give the item another name.",
            )
