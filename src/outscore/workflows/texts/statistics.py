"""Texts line by line, and the statistics of their segments: from the cache, or from as many processes as there are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import OptionValue
from outscore.engine.engines import Engine
from outscore.engine.progress import Progress
from outscore.formats.segments import Segments, read_segments
from outscore.metrics.cache import StatisticsCache, statistics_key
from outscore.metrics.text.check import verify
from outscore.metrics.text.entry import TextMetric
from outscore.metrics.text.registry import segment_statistics

__all__ = ["Statistics", "Texts", "segments_of"]

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


def segments_of(systems: Mapping[str, object], references: object) -> tuple[dict[str, Segments], list[Segments]]:
    """Texts of systems by name and their references, read where they are paths, and as many segments in each."""
    gold = [_segments(text, f"reference {i + 1}") for i, text in enumerate(_several(references))]
    read = {name: _segments(text, name) for name, text in systems.items()}
    if not gold or not read:
        raise OutscoreError("A system or the reference has no text.", "Give at least one of each.")
    _same_length([*read.values(), *gold])
    return read, gold


def _several(text: object) -> Sequence[object]:
    """Several texts: a list of lists, of `pathlib.Path` or of texts that were read; anything else is one text."""
    if isinstance(text, (str, os.PathLike, Segments)) or not isinstance(text, (list, tuple)):
        return [text]
    return [text] if any(isinstance(member, str) for member in text) else text


def _segments(text: object, name: str) -> Segments:
    if isinstance(text, Segments):
        return text
    if isinstance(text, (str, os.PathLike)):
        return read_segments(text)
    lines = list(text) if isinstance(text, Iterable) else []
    if not lines or not all(isinstance(line, str) for line in lines):
        raise OutscoreError(f"`{name}` is not a list of segments.", "Give a list of strings, or the path of a text file.")
    if all(os.path.isfile(line) for line in lines):  # noqa: PTH113 - a segment may be no path at all
        # Segments they are by the rule, and hardly what was meant.
        raise OutscoreError(
            f"`{name}` is a list of strings, which are segments, and all of them are names of files.",
            "Write pathlib.Path(...) around each name to give several texts; one text is its name alone.",
        )
    return Segments(name, tuple(lines))


def _same_length(texts: Sequence[Segments]) -> None:
    reference = texts[-1]
    for text in texts:
        if len(text) != len(reference):
            raise OutscoreError(
                f"{_name_of(text)} has {len(text):,} segments, {_name_of(reference)} has {len(reference):,}.",
                "Give files of the same number of lines, one segment per line.",
            )


def _name_of(text: Segments) -> str:
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
        # What all pieces share travels once to each worker: the weights of NIST are megabytes.
        shared = partial(_piece, entry.name, dict(options), entry.prepare(references, options))
        pieces = [
            (hypotheses[i : i + PIECE], tuple(lines[i : i + PIECE] for lines in references))
            for i in range(0, len(hypotheses), PIECE)
        ]
        self.progress.begin(f"{entry.name} statistics", len(pieces))
        rows = np.concatenate(self.engine.map(shared, pieces, progress=self.progress))
        verify(entry, hypotheses, references, rows, options)
        self.cache.store(key, rows)
        return rows


def _piece(metric: str, options: dict[str, OptionValue], prepared: object, piece: tuple[Lines, tuple[Lines, ...]]) -> Array:
    """The rows of some segments."""
    hypotheses, references = piece
    return segment_statistics(metric, hypotheses, references, options, prepared)
