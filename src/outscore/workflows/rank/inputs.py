"""From what a caller of `rank` has to systems: a dictionary of arrays, systems that were read, or a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.labelled import in_order_of
from outscore.core.repeats import occurrences
from outscore.formats.base.entry import Choice
from outscore.scores.system import Labels, Scores
from outscore.workflows.frames import encode_labels, is_table, systems_in
from outscore.workflows.requests.rank import RankRequest
from outscore.workflows.requests.score import ScoreRequest
from outscore.workflows.validate import numbers_of, refuse_labels, refuse_reading_options

__all__ = ["systems_from"]

GIVE = "Give a dictionary of arrays by system, the path of a file, the scores that `read` returns, or a table with columns."


def systems_from(
    scores: object,
    request: RankRequest | ScoreRequest,
    *,
    dataset: object = None,
    items: object = None,
    clusters: object = None,
) -> list[Scores]:
    """Systems of whatever was given but files; `dataset`, `items` and `clusters` are labels of the rows, or columns of a table.

    Examples
    --------
    >>> right = {"new": [1, 1, 0, 1], "old": [0, 1, 0, 0]}
    >>> new, old = systems_from(right, RankRequest(), items=["q1", "q1", "q2", "q2"])
    >>> new.name, new.values.tolist(), new.ids.texts()
    ('new', [1, 1, 0, 1], ['q1', 'q1', 'q2', 'q2'])
    """
    labels = {"dataset": dataset, "items": items, "clusters": clusters}
    if is_table(scores):
        return _from_table(scores, request, labels)
    refuse_reading_options(request)
    if isinstance(scores, Mapping):
        return _from_arrays(scores, labels)
    if isinstance(scores, Sequence) and scores and all(isinstance(system, Scores) for system in scores):
        given = [name for name, said in labels.items() if said is not None]
        if given:
            raise OutscoreError(f"`{given[0]}` is given, and the systems come with labels of their own.", "Leave it out.")
        return list(scores)
    raise OutscoreError(f"`scores` is a {type(scores).__name__}.", GIVE)


def _from_table(table: object, request: RankRequest | ScoreRequest, labels: Mapping[str, object]) -> list[Scores]:
    refuse_labels(labels)
    parts = {"dataset": "dataset", "items": "item", "clusters": "cluster"}
    named = {parts[name]: said for name, said in labels.items() if said is not None}
    return systems_in(table, Choice(**{**request.columns(), **named}, systems=request.system, gaps=True))


def _from_arrays(arrays: Mapping[Any, object], labels: Mapping[str, object]) -> list[Scores]:
    first = next(iter(arrays.values()), None)
    placed = {str(name): in_order_of(first, x, str(name))[0] for name, x in arrays.items()}
    values = {name: numbers_of(x, name) for name, x in placed.items()}
    if len(values) < len(arrays):
        raise OutscoreError("Two systems have the same name.", "Give each a name of its own.")
    sizes = {len(x) for x in values.values()}
    if len(sizes) > 1:
        names = list(values)
        other = next(name for name in names if len(values[name]) != len(values[names[0]]))
        raise OutscoreError(
            f"`{names[0]}` has {len(values[names[0]]):,} rows, `{other}` has {len(values[other]):,}.",
            "All systems must be scored on the same items, in the same order; give a long table where some lack items.",
        )
    rows = next(iter(sizes), 0)
    sets, ids, groups = (_labels(in_order_of(first, labels[name], name)[0], rows, name) for name in labels)
    # Rows of one item are repeats of it, however equal their scores.
    repeats = None if ids is None else _numbered(ids, sets)
    return [Scores(name, x, ids, repeats, groups, sets) for name, x in values.items()]


def _numbered(ids: Labels, sets: Labels | None) -> Labels:
    """The how-manieth row of its item each row is, as the label of its repeat."""
    keys = ids.codes if sets is None else ids.codes * len(sets.names) + sets.codes
    codes = occurrences(np.unique(keys, return_inverse=True)[1])
    return Labels(codes, tuple(map(str, range(1, int(codes.max(initial=0)) + 2))))


def _labels(given: object, rows: int, name: str) -> Labels | None:
    if given is None:
        return None
    raw = np.asarray(given)
    if raw.ndim != 1 or len(raw) != rows:
        raise OutscoreError(f"`{name}` has shape {raw.shape}, the scores have {rows:,} rows.", "Give one label for each row.")
    return encode_labels(raw, name)
