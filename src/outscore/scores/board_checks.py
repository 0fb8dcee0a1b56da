"""Which systems can stand in one table: everything that is refused before it is filled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.scores.system import Scores

__all__ = ["check_systems"]


def check_systems(scores: Sequence[Scores]) -> None:
    """Refuse systems that cannot stand in one table."""
    names = list(dict.fromkeys(system.name for system in scores))
    if len(names) < 2:
        _refuse_one(scores)
    first = scores[0]
    for system in scores[1:]:
        if system.values.shape[1:] != first.values.shape[1:]:
            raise OutscoreError(
                f"`{first.name}` and `{system.name}` do not have the same number of scores per row.",
                "Give all systems the same columns.",
            )
        for what, one, other in (("item ids", first.ids, system.ids), ("datasets", first.datasets, system.datasets)):
            if (one is None) != (other is None):
                named, bare = (first, system) if other is None else (system, first)
                raise OutscoreError(
                    f"{named.label} names {what} and {bare.label} does not: they cannot be matched.",
                    f"Name the {what} of all systems, or of none.",
                )
    _check_twins(scores)
    _check_lengths(scores)


def _refuse_one(scores: Sequence[Scores]) -> NoReturn:
    """Say what the one system is: of a file without names of systems, its column of scores."""
    origin = scores[0].origin if scores else None
    if origin is not None and "score" in origin.columns and "system" not in origin.columns:
        raise OutscoreError(
            f"{origin.label} has one column of scores, `{origin.columns['score']}`: there is nothing to rank.",
            "Give a column or a file for each system, or name the column of the systems with --system-column"
            " (system=... in Python).",
        )
    found = f"Only `{scores[0].name}` was found" if scores else "No system was found"
    raise OutscoreError(f"{found}: there is nothing to rank.", "Give at least two systems.")


def _check_twins(scores: Sequence[Scores]) -> None:
    """One name twice is one system only where the rows lie on different datasets."""
    seen: dict[str, set[str]] = {}
    for system in scores:
        sets = {""} if system.datasets is None else {system.datasets.names[i] for i in np.unique(system.datasets.codes)}
        if sets & seen.setdefault(system.name, set()):
            raise OutscoreError(f"Two systems are named `{system.name}`.", "Give each a name of its own.")
        seen[system.name] |= sets


def _check_lengths(scores: Sequence[Scores]) -> None:
    first = scores[0]
    if not any(system.rows for system in scores):
        raise OutscoreError("No system has a single item.", "Give each at least one score.")
    for system in scores if first.ids is None else ():
        if system.rows != first.rows:
            raise OutscoreError(
                f"`{first.name}` has {first.rows:,} items and `{system.name}` has {system.rows:,}: without ids they cannot be"
                " matched.",
                "Give the scores of all systems for the same items in the same order, or name the items.",
            )
