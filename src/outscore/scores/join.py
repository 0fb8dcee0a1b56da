"""One system's rows from several files: its datasets, or its runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.scores.align import encode_together
from outscore.scores.system import BY_ROW, Labels, Scores

RUN = "run"
"""What tells the runs of a system apart if each has its own file."""


def join_runs(files: Sequence[Sequence[Scores]]) -> Scores:
    """The runs of one system, each in a file of its own; items without ids are told apart by their order.

    It is called as in the first file.

    Examples
    --------
    >>> ids = Labels.of(["q1", "q2"])
    >>> runs = join_runs([[Scores("1", np.array([1, 0]), ids)], [Scores("2", np.array([1, 1]), ids)]])
    >>> runs.values.tolist(), runs.ids.texts(), runs.repeats.texts()
    ([1, 0, 1, 1], ['q1', 'q2', 'q1', 'q2'], ['1', '1', '2', '2'])
    """
    runs = []
    for place, file in enumerate(files, 1):
        if len(file) > 1:
            raise OutscoreError(
                f"{file[0].label} contains {len(file)} systems, but files that a quoted pattern matches are runs of one.",
                "Name the files one by one, or leave the quotation marks out.",
                parameter="files",
            )
        (run,) = file
        origin = None if run.origin is None else replace(run.origin, columns={"repeat": (RUN,), **run.origin.columns})
        ids = run.ids or Labels.of(str(row + 1) for row in range(run.rows))
        runs.append(replace(run, ids=ids, repeats=repeats_of_run(place, run.repeats, run.rows), origin=origin))
    return join_scores(runs[0].name, runs)


def repeats_of_run(number: int, within: Labels | None, rows: int) -> Labels:
    """The repeats of one of several runs, with its number before those that it has within."""
    return (
        same_label(str(number), rows) if within is None else Labels(within.codes, [f"{number}.{name}" for name in within.names])
    )


def same_label(label: str, rows: int) -> Labels:
    """The same label for all rows."""
    return Labels(np.zeros(rows, dtype=np.int64), (label,))


def join_scores(name: str, parts: Sequence[Scores]) -> Scores:
    """One system's rows from several files; line numbers are dropped."""
    if len(parts) == 1:
        return replace(parts[0], name=name)
    if len({part.values.shape[1:] for part in parts}) > 1:
        raise OutscoreError(
            f"`{name}` has different numbers of scores per row in different files.", "Use the same columns in all."
        )
    if len({part.ids is None for part in parts}) > 1:
        raise OutscoreError(f"`{name}` has item ids in some files but not in others.", "Give ids in all files, or in none.")
    columns = {column: _joined([getattr(part, column) for part in parts]) for column in BY_ROW}
    further = tuple(part.origin for part in parts[1:] if part.origin is not None)
    return replace(parts[0], **{**columns, "name": name, "lines": None, "further": further})


def _joined(parts: Sequence[Any]) -> Any:  # noqa: ANN401 - a field of scores that says something of every row
    """A column of several files, one behind the other, or several by name, as far as all files have them."""
    if any(part is None for part in parts):
        return None
    if isinstance(parts[0], Labels):
        return Labels(*encode_together(parts))
    if isinstance(parts[0], Mapping):
        shared = sorted(set(parts[0]).intersection(*parts[1:]))
        return {name: _joined([part[name] for part in parts]) for name in shared}
    return np.concatenate(parts)
