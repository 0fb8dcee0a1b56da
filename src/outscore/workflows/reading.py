"""From files or arrays to the record of what they were taken to mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Literal

from outscore.core.numeric import Array
from outscore.results.note import Note
from outscore.results.reading import Direction, DirectionSource, Reading
from outscore.scores.system import Origin

__all__ = ["answer_notes", "outputs_reading", "reading_of", "scale_notes"]

BARE = ("scores", "score-pairs", "f1-counts")
MEAN_PER_CENT = 5.0
"""A mean beyond this, of scores up to 100, is that of per cent where another system stays between 0 and 1."""


def reading_of(
    origins: Sequence[Origin],
    *,
    rows: int,
    systems: Sequence[str] = (),
    slices: Sequence[str] = (),
    direction: tuple[Direction, DirectionSource],
    kind: Literal["texts", "outputs"] | None = None,
    by_class: bool = False,
) -> Reading:
    """What files were taken to mean; without `origins`, `rows` rows of arrays.

    `systems` are the names of the systems, which are columns where no column of the file holds the scores.
    """
    better, source = direction
    if not origins:
        return Reading(kind or "arrays", rows, slices=list(slices), direction=better, direction_source=source)
    formats = list(dict.fromkeys(map(_format, origins)))
    bare = all(name in BARE for name in formats)
    named = kind is None and not bare
    wide = named and not any("score" in origin.columns or "answer" in origin.columns for origin in origins)
    return Reading(
        kind or ("numbers" if bare else _log_or_table(formats)),
        sum(origin.rows for origin in origins),
        # A dataframe has columns, and no file; a log of several systems is an origin for each of them.
        len({origin.path for origin in origins if origin.sha256}),
        formats,
        score=_columns(origins, "score"),
        systems=list(systems) if wide else [],
        item=_columns(origins, "item"),
        system=_columns(origins, "system"),
        repeat=_columns(origins, "repeat"),
        cluster=_columns(origins, "cluster"),
        dataset=_columns(origins, "dataset"),
        slices=list(slices),
        prediction=_columns(origins, "answer"),
        gold=_columns(origins, "gold"),
        direction=better,
        direction_source=source,
        by_class=by_class,
        left_out=sum(origin.left_out for origin in origins),
    )


def outputs_reading(origins: Sequence[Origin], rows: int) -> Reading:
    """What the files of a diff were taken to mean, the first of which holds the right answers; or lists of `rows` answers."""
    if not origins:
        return Reading("outputs", rows)
    gold, *systems = origins
    files = {origin.path: origin for origin in origins}
    called = _short_names(list(files))
    return Reading(
        "outputs",
        sum(origin.rows for origin in files.values()),
        len(files),
        list(dict.fromkeys(origin.format for origin in origins)),
        item=_columns(origins, "item"),
        cluster=_columns(origins, "cluster"),
        prediction=_columns(systems, "answer"),
        # Of one table with a row for each system, the right answers stand beside the answers.
        gold=_columns([gold], "gold" if "gold" in gold.columns else "answer"),
        gold_file=called[gold.path],
        output_files=[called[path] for path in dict.fromkeys(origin.path for origin in systems)],
    )


def _short_names(paths: Sequence[str]) -> dict[str, str]:
    """Files by their names without folders, unless these would be the same.

    Examples
    --------
    >>> _short_names(["a/gold.csv", "b/new.csv"]), _short_names(["a/x.csv", "b/x.csv"])
    ({'a/gold.csv': 'gold.csv', 'b/new.csv': 'new.csv'}, {'a/x.csv': 'a/x.csv', 'b/x.csv': 'b/x.csv'})
    """
    names = [PurePath(path).name for path in paths]
    return {path: name if names.count(name) == 1 else path for path, name in zip(paths, names, strict=True)}


def answer_notes(origins: Iterable[Origin], by_class: Sequence[Note] = ()) -> list[Note]:
    """What to do next with answers that were scored, or what is said of those that were counted by class."""
    if by_class or not any("gold" in origin.columns for origin in origins):
        return list(by_class)
    return [Note("input", "Answers were scored as right or wrong; `outscore diff --task label` shows which ones changed.")]


def _log_or_table(formats: Sequence[str]) -> Literal["log", "table"]:
    # Readers of logs are many, and other files do without them.
    from outscore.formats.logs.registry import LOGS

    return "log" if all(name in LOGS for name in formats) else "table"


def _format(origin: Origin) -> str:
    """The format of a file; a JSON list is read as JSON lines are, and called what it is."""
    return "json" if (origin.format, origin.unit) == ("jsonl", "row") else origin.format


def _columns(origins: Iterable[Origin], part: str) -> list[str]:
    """The columns that play a part, each once."""
    return list(dict.fromkeys(column for origin in origins for column in origin.columns.get(part, ())))


def scale_notes(names: Sequence[str], columns: Sequence[Array]) -> list[Note]:
    """A warning where one system has scores between 0 and 1 and another between 0 and 100.

    Examples
    --------
    >>> import numpy as np
    >>> [note.kind for note in scale_notes(["new", "old"], [np.array([0.5, 0.9]), np.array([48.0, 91.0])])]
    ['warning']
    >>> scale_notes(["new", "old"], [np.array([0.5, 0.9]), np.array([0, 2])])
    []
    """
    # Words that judge an answer and counts are on no scale.
    numbers = [(name, one) for name, one in zip(names, columns, strict=True) if one.ndim == 1 and one.dtype.kind in "iufb"]
    filled = [(name, column) for name, column in numbers if column.size and column.min() >= 0]
    shares = [name for name, column in filled if 0 < column.max() <= 1]
    high = [(name, column) for name, column in filled if column.max() <= 100 and column.mean() > MEAN_PER_CENT]
    if not shares or not high:
        return []
    name, column = high[0]
    text = f"The scores of {shares[0]} lie between 0 and 1, and those of {name} go up to {column.max():.4g}."
    return [Note("warning", f"{text} If some are per cent, divide them by 100.")]
