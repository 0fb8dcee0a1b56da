"""Rows with labels of their own, as a series of pandas has them, by which two are matched: never by position if they disagree.

They are recognised by what they can do: outscore depends on no such library.
"""

from __future__ import annotations

from typing import Any

from outscore.core.errors import OutscoreError


def is_labelled(rows: object) -> bool:
    """Whether rows have labels, as those of pandas do."""
    return hasattr(rows, "iloc") and hasattr(rows, "index")


def in_order_of(
    first: Any,  # noqa: ANN401 - of whatever library
    rows: Any,  # noqa: ANN401
    name: str,
    other: str = "the other scores",
) -> tuple[Any, bool]:
    """The rows in the order of the labels of `first`, and whether they had to be moved.

    `other` is what messages call `first`. Without labels on both sides rows are matched by position, and `rows` is returned
    as it is.
    """
    if not (is_labelled(first) and is_labelled(rows)):
        return rows, False
    wanted, there = list(first.index), list(rows.index)
    if wanted == there:
        return rows, False
    place = {label: i for i, label in enumerate(there)}
    known = set(wanted)
    if len(place) < len(there) or len(known) < len(wanted):
        raise OutscoreError(
            f"The index of `{name}` differs from that of {other} and has repeated labels: rows cannot be matched.",
            "Give every item a label of its own, or the bare values of both (`.to_numpy()`) in the same order.",
            parameter=name,
        )
    lost = next((label for label in wanted if label not in place), None)
    if lost is None:
        lost = next((label for label in there if label not in known), None)
    if lost is not None:
        raise OutscoreError(
            f"The index of `{name}` differs from that of {other}: only one of them has the label {lost!r}.",
            "Keep the labels that both have, or give the bare values of both (`.to_numpy()`) in the same order.",
            parameter=name,
        )
    return rows.iloc[[place[label] for label in wanted]], True
