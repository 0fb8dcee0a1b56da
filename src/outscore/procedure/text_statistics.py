"""Texts line by line, and the statistics of their segments: from the cache, or from as many processes as there are."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from outscore.data import Array
from outscore.engine import Engine, Progress
from outscore.errors import OutscoreError
from outscore.formats.segments import Segments, read_segments
from outscore.metrics.cache import StatisticsCache, statistics_key
from outscore.metrics.text import TextMetric, segment_statistics, verify
from outscore.options import OptionValue

__all__ = ["Statistics", "Texts", "mean_of_runs"]

PIECE = 250
"""Segments a worker scores at a time: small enough for a bar that moves, large enough to be worth the way."""
Lines = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Texts:
    """Both systems' runs and the references, line by line."""

    names: tuple[str, str]
    a: tuple[Lines, ...]
    b: tuple[Lines, ...]
    references: tuple[Lines, ...]

    @classmethod
    def of(cls, a: object, b: object, reference: object, names: tuple[str, str]) -> Texts:
        """Read what is a path, and refuse texts that do not lie side by side."""
        references = [_segments(text, f"reference {i + 1}") for i, text in enumerate(_several(reference))]
        sides = [[_segments(text, name) for text in _several(side)] for side, name in ((a, names[0]), (b, names[1]))]
        if not references or not all(sides):
            raise OutscoreError("A system or the reference has no text.", "Give at least one of each.")
        _same_length([*sides[0], *sides[1], *references])
        first, second, gold = (tuple(text.lines for text in texts) for texts in (*sides, references))
        return cls(names, first, second, gold)


def _several(text: object) -> Sequence[object]:
    """Several texts: a list of lists, of paths or of texts that were read; anything else is one text."""
    if isinstance(text, (str, os.PathLike, Segments)) or not isinstance(text, (list, tuple)):
        return [text]
    return [text] if any(isinstance(member, str) for member in text) else text


def _segments(text: object, name: str) -> Segments:
    if isinstance(text, Segments):
        return text
    if isinstance(text, (str, os.PathLike)):
        return read_segments(text)
    lines = list(text) if hasattr(text, "__iter__") else []
    if not lines or not all(isinstance(line, str) for line in lines):
        raise OutscoreError(f"`{name}` is not a list of segments.", "Give a list of strings, or the path of a text file.")
    return Segments(name, tuple(lines))


def _same_length(texts: Sequence[Segments]) -> None:
    reference = texts[-1]
    for text in texts:
        if len(text) != len(reference):
            raise OutscoreError(
                f"{_called(text)} has {len(text):,} segments, {_called(reference)} has {len(reference):,}.",
                "Give files of the same number of lines, one segment per line.",
            )


def _called(text: Segments) -> str:
    return f"`{text.name}`" if text.origin is None else text.origin.label


@dataclass(frozen=True)
class Statistics:
    """Where rows of statistics come from."""

    engine: Engine
    cache: StatisticsCache
    progress: Progress

    def of(
        self, entry: TextMetric, options: Mapping[str, OptionValue], hypotheses: Lines, references: Sequence[Lines]
    ) -> Array:
        """One row per segment, checked against the library's own score when they are computed."""
        key = statistics_key(entry.name, options, entry.signature(options, len(references)), hypotheses, references)
        found = self.cache.load(key)
        if found is not None:
            return found
        prepared = entry.prepare(references, options)
        tasks = [
            _Piece(entry.name, hypotheses[i : i + PIECE], tuple(r[i : i + PIECE] for r in references), dict(options), prepared)
            for i in range(0, len(hypotheses), PIECE)
        ]
        self.progress.begin(f"{entry.name} statistics", len(tasks))
        rows = np.concatenate(self.engine.map(_piece, tasks, progress=self.progress))
        verify(entry, hypotheses, references, rows, options)
        self.cache.store(key, rows)
        return rows


@dataclass(frozen=True)
class _Piece:
    """Some segments on their way to a worker."""

    metric: str
    hypotheses: Lines
    references: tuple[Lines, ...]
    options: dict[str, OptionValue]
    prepared: object


def _piece(task: _Piece) -> Array:
    return segment_statistics(task.metric, task.hypotheses, task.references, task.options, task.prepared)


def mean_of_runs(runs: Sequence[Array]) -> Array:
    """Statistics averaged over runs; those of a single run stay whole numbers.

    Examples
    --------
    >>> mean_of_runs([np.array([[1, 4]])]), mean_of_runs([np.array([[1, 4]]), np.array([[2, 4]])])
    (array([[1, 4]]), array([[1.5, 4. ]]))
    """
    return runs[0] if len(runs) == 1 else np.mean(np.stack(runs), axis=0)
