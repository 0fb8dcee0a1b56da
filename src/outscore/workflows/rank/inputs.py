"""From a caller's data to many systems: a dictionary of arrays, systems that were read, a table, or the names of files.

For files: which systems and datasets they contain, and what those are called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.rows import in_order_of, occurrences
from outscore.formats.base.entry import Choice
from outscore.formats.base.source import is_pattern
from outscore.language.numbers import count
from outscore.results.note import Note
from outscore.scores.join import join_scores, same_label
from outscore.scores.system import Labels, Scores
from outscore.workflows.frames import encode_labels, is_table, systems_in
from outscore.workflows.names import distinct_names, read_each
from outscore.workflows.requests import base
from outscore.workflows.requests.rank import RankRequest, ScoreRequest
from outscore.workflows.validate import numbers_of, refuse_labels

if TYPE_CHECKING:
    from outscore.scores.system import Labels, Scores

GIVE = "Give a dictionary of arrays by system, the path of a file, the scores that `read` returns, or a table with columns."


def systems_from(
    scores: object,
    request: RankRequest | ScoreRequest,
    *,
    dataset: object = None,
    items: object = None,
    clusters: object = None,
) -> list[Scores]:
    """Systems from data that are not files; `dataset`, `items` and `clusters` are labels of the rows, or columns of a table.

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
    request.refuse_outside(base.FILES)
    if isinstance(scores, Mapping):
        return _from_arrays(scores, labels)
    if isinstance(scores, Sequence) and scores and all(isinstance(system, Scores) for system in scores):
        names = [name for name, label in labels.items() if label is not None]
        if names:
            raise OutscoreError(f"`{names[0]}` is given, but the systems bring their own labels.", "Leave it out.")
        return list(scores)
    raise OutscoreError(f"`scores` is a {type(scores).__name__}.", GIVE)


def _from_table(table: object, request: RankRequest | ScoreRequest, labels: Mapping[str, object]) -> list[Scores]:
    refuse_labels(labels)
    parts = {"dataset": "dataset", "items": "item", "clusters": "cluster"}
    named = {parts[name]: column for name, column in labels.items() if column is not None}
    return systems_in(table, Choice(**{**request.columns(), **named}, systems=request.system, gaps=True))


def _from_arrays(arrays: Mapping[Any, object], labels: Mapping[str, object]) -> list[Scores]:
    first = next(iter(arrays.values()), None)
    placed = {str(name): in_order_of(first, x, str(name))[0] for name, x in arrays.items()}
    values = {name: numbers_of(x, name) for name, x in placed.items()}
    if len(values) < len(arrays):
        raise OutscoreError("Two systems have the same name.", "Give each a different name.")
    sizes = {len(x) for x in values.values()}
    if len(sizes) > 1:
        names = list(values)
        other = next(name for name in names if len(values[name]) != len(values[names[0]]))
        raise OutscoreError(
            f"`{names[0]}` has {len(values[names[0]]):,} rows, `{other}` has {len(values[other]):,}.",
            "All systems must be scored on the same items, in the same order; give a long table if some lack items.",
        )
    rows = next(iter(sizes), 0)
    sets, ids, groups = (_labels(in_order_of(first, labels[name], name)[0], rows, name) for name in labels)
    # Rows of one item are repeats of it, however equal their scores.
    repeats = None if ids is None else _numbered(ids, sets)
    return [Scores(name, x, ids, repeats, groups, sets) for name, x in values.items()]


def _numbered(ids: Labels, sets: Labels | None) -> Labels:
    """A number for each row among the rows of its item, as the label of its repeat."""
    keys = ids.codes if sets is None else ids.codes * len(sets.names) + sets.codes
    codes = occurrences(np.unique(keys, return_inverse=True)[1])
    return Labels(codes, tuple(map(str, range(1, int(codes.max(initial=0)) + 2))))


def _labels(given: object, rows: int, name: str) -> Labels | None:
    if given is None:
        return None
    raw = np.asarray(given)
    if raw.ndim != 1 or len(raw) != rows:
        raise OutscoreError(
            f"`{name}` has shape {raw.shape}, but the scores have {rows:,} rows.", "Give one label for each row."
        )
    return encode_labels(raw, name)


def read_many(
    paths: Sequence[str],
    *,
    format: str,
    systems: Sequence[str] = (),
    names: Sequence[str] = (),
    columns: Mapping[str, Any],
) -> tuple[list[Scores], list[Note]]:
    """The systems of all files, and notes on how they were combined.

    Files with one system each are systems, named after their files. If files have several systems, those that share systems
    are datasets; otherwise they are parts of one leaderboard.
    """
    from outscore.formats.readers import read_scores

    wanted: dict[str, Any] = {"systems" if len(paths) == 1 else "among": tuple(dict.fromkeys(systems))}
    files = read_each(paths, partial(read_scores, format=format, gaps=True, **wanted), columns)
    notes: list[Note] = []
    if len(files) == 1:
        whole = _name_by_file(files[0], paths) if is_pattern(paths[0]) else files[0]
    elif all(len(file) == 1 for file in files) and not _share_names(files):
        whole = _name_by_file([file[0] for file in files], paths)
    elif _share_names(files):
        whole, notes = _by_dataset(files, paths)
    else:
        whole = [scores for file in files for scores in file]
    return chosen_systems(whole, systems, names), notes


def chosen_systems(read: list[Scores], systems: Sequence[str], names: Sequence[str]) -> list[Scores]:
    """The chosen systems under their new names, if any."""
    whole = _choose(read, systems)
    if names:
        whole = [replace(scores, name=name) for scores, name in zip(whole, _as_many(names, len(whole)), strict=True)]
    return whole


def files_by_system(paths: Sequence[str], names: Sequence[str], systems: Sequence[str], noun: str) -> dict[str, str]:
    """Files by the system they belong to, for inputs of one system per file."""
    if systems:
        raise OutscoreError(
            f"--system chooses from a table, but these are {noun}.", "Name only the files that you want.", parameter="system"
        )
    if len(paths) < 2:
        raise OutscoreError(
            f"{count(len(paths), 'system')} named, but at least two are needed.", f"Name the {noun} of each system."
        )
    system_names = _as_many(names, len(paths)) if names else distinct_names(paths)
    return dict(zip(system_names, paths, strict=True))


def _as_many(names: Sequence[str], wanted: int) -> Sequence[str]:
    if len(names) != wanted or len(set(names)) != wanted or not all(names):
        written = ",".join(names)
        raise OutscoreError(
            f'--names is "{written}", but {wanted} different names were expected.',
            "Separate the names with commas.",
            parameter="names",
        )
    return names


def _share_names(files: Sequence[Sequence[Scores]]) -> bool:
    """Whether a system appears in several files under the same name, other than the name of a file."""
    names = [scores.name for file in files for scores in file if not _is_called_after_its_file(scores, len(file))]
    return len(set(names)) < len(names)


def _is_called_after_its_file(scores: Scores, systems: int) -> bool:
    from outscore.formats.base.source import stem_of

    return systems == 1 and scores.origin is not None and scores.name == stem_of(scores.origin.path)


def _name_by_file(systems: Sequence[Scores], paths: Sequence[str]) -> list[Scores]:
    """Systems of one file each, under the name of the file unless the file contains a better one."""
    file_names = distinct_names(paths)
    names = [file_names[i] if _is_called_after_its_file(scores, 1) else scores.name for i, scores in enumerate(systems)]
    return [replace(scores, name=name) for scores, name in zip(systems, names, strict=True)]


def _by_dataset(files: Sequence[Sequence[Scores]], paths: Sequence[str]) -> tuple[list[Scores], list[Note]]:
    """Systems combined from several files; rows without a dataset get one named after their file."""
    stems = distinct_names(paths)
    have_datasets = all(scores.datasets is not None for file in files for scores in file)
    parts: dict[str, list[Scores]] = {}
    for file, stem in zip(files, stems, strict=True):
        for scores in file:
            part = scores if have_datasets else replace(scores, datasets=same_label(stem, scores.rows))
            parts.setdefault(scores.name, []).append(part)
    notes = [] if have_datasets else [Note("reading", _as_datasets(files, stems))]
    return [join_scores(name, several) for name, several in parts.items()], notes


def _as_datasets(files: Sequence[Sequence[Scores]], stems: Sequence[str]) -> str:
    """How the files were read, and for Parquet files how they could be read as one dataset."""
    from outscore.formats.tables.names import join_names

    text = f"The same systems appear in {len(files)} files, so each file is a dataset: {join_names(stems)}"
    parquet = all(scores.origin is not None and scores.origin.format == "parquet" for file in files for scores in file)
    return f"{text}. If they are parts of one dataset, name their folder instead." if parquet else f"{text}."


def _choose(scores: list[Scores], systems: Sequence[str]) -> list[Scores]:
    from outscore.formats.tables.names import suggest_name

    if not systems:
        return scores
    by_name = {system.name: system for system in scores}
    for name in systems:
        if name not in by_name:
            raise OutscoreError(f"There is no system `{name}`.", suggest_name(name, by_name))
    return [by_name[name] for name in dict.fromkeys(systems)]
