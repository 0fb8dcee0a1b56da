"""Texts line by line, and the statistics of their segments: from the cache, or from as many processes as there are."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import OptionValue
from outscore.core.records import dataclass
from outscore.engine.engines import MIN_WORK, Engine, Processes, Serial
from outscore.engine.progress import Progress
from outscore.formats.texts.read import read_texts
from outscore.formats.texts.segments import Segments
from outscore.metrics.cache import StatisticsCache, statistics_key
from outscore.metrics.text.check import verify
from outscore.metrics.text.entry import TextMetric
from outscore.metrics.text.registry import segment_statistics
from outscore.workflows.texts.labels import Datasets

__all__ = ["Statistics", "Texts", "in_order_of", "references_of", "segments_of", "side_by_side"]

PIECE = 250
"""Segments a worker scores at a time: small enough for a bar that moves, large enough to be worth the way."""
FIRST_LOOK = 0.1
"""Seconds of scoring after which it is known how long the rest takes."""
Lines = tuple[str, ...]
Piece = tuple[Lines, tuple[Lines, ...]]
FURTHER = ("source", "datasets")
"""What files may say of segments besides, for all texts alike."""


@dataclass(frozen=True, eq=False)
class Texts:
    """Both systems' runs and the references, line by line."""

    names: tuple[str, str]
    a: tuple[Lines, ...]
    b: tuple[Lines, ...]
    references: tuple[Lines, ...]
    source: Lines | None = None
    notes: tuple[str, ...] = ()
    datasets: Lines | None = None

    @classmethod
    def of(cls, a: object, b: object, reference: object, names: tuple[str, str], source: object = None) -> Texts:
        """Read what is a path, and refuse texts that do not lie side by side.

        `source` is what was translated; None goes by what the texts say.
        """
        references = references_of(reference)
        sides = [[_segments(text, name) for text in _several(side)] for side, name in ((a, names[0]), (b, names[1]))]
        if not references or not all(sides):
            raise OutscoreError("A system or the reference has no text.", "Give at least one of each.")
        texts, notes = side_by_side([*sides[0], *sides[1], *references])
        ends = len(sides[0]), len(sides[0]) + len(sides[1])
        parts = texts[: ends[0]], texts[ends[0] : ends[1]], texts[ends[1] :]
        first, second, gold = (tuple(text.lines for text in part) for part in parts)
        said, datasets = (next((found for text in texts[::-1] if (found := getattr(text, name))), None) for name in FURTHER)
        if source is not None:
            (given, _), more = side_by_side([_segments(source, "source"), texts[-1]])
            said, notes = given.lines, (*notes, *more)
        return cls(names, first, second, gold, said, notes, datasets)

    @property
    def systems(self) -> dict[str, tuple[Lines, ...]]:
        """The runs of both systems by name."""
        return dict(zip(self.names, (self.a, self.b), strict=True))


def segments_of(
    systems: Mapping[str, object], references: object
) -> tuple[dict[str, list[Segments]], list[Segments], tuple[str, ...]]:
    """Runs of systems by name and their references, read where they are paths, segment by segment side by side."""
    gold = references_of(references)
    runs = {name: [_segments(text, name) for text in _several(several)] for name, several in systems.items()}
    if not gold or not runs or not all(runs.values()):
        raise OutscoreError("A system or the reference has no text.", "Give at least one of each.")
    texts, notes = side_by_side([*(text for several in runs.values() for text in several), *gold])
    rest = iter(texts)
    found = {name: [next(rest) for _ in several] for name, several in runs.items()}
    return found, list(rest), notes


def references_of(given: object) -> list[Segments]:
    """The references, read where they are paths."""
    return [text for i, one in enumerate(_several(given)) for text in _texts(one, f"reference {i + 1}", references=True)]


def _several(text: object) -> Sequence[object]:
    """Several texts: a list of lists, of `pathlib.Path` or of texts that were read; anything else is one text."""
    if isinstance(text, (str, os.PathLike, Segments)) or not isinstance(text, (list, tuple)):
        return [text]
    return [text] if any(isinstance(member, str) for member in text) else text


def _segments(text: object, name: str) -> Segments:
    (found,) = _texts(text, name)
    return found


def _texts(text: object, name: str, *, references: bool = False) -> list[Segments]:
    """What is meant by one text: a file may hold several references."""
    if isinstance(text, Segments):
        return [text]
    if isinstance(text, (str, os.PathLike)):
        file = read_texts(text)
        found = file.references() if references else file.systems()
        if len(found) > 1 and not references:
            message = f"{file.origin.label} holds {len(found)} systems, and one is meant here."
            raise OutscoreError(message, "Give the outputs of one system.")
        return found
    lines = list(text) if isinstance(text, Iterable) else []
    if not lines or not all(isinstance(line, str) for line in lines):
        raise OutscoreError(f"`{name}` is not a list of segments.", "Give a list of strings, or the path of a text file.")
    if all(os.path.isfile(line) for line in lines):  # noqa: PTH113 - a segment may be no path at all
        # Segments they are by the rule, and hardly what was meant.
        raise OutscoreError(
            f"`{name}` is a list of strings, which are segments, and all of them are names of files.",
            "Write pathlib.Path(...) around each name to give several texts; one text is its name alone.",
        )
    return [Segments(name, tuple(lines))]


def side_by_side(texts: Sequence[Segments]) -> tuple[list[Segments], tuple[str, ...]]:
    """Texts in the order of the last one's segments, which all of them have; and what was put in another order.

    Examples
    --------
    >>> a, b = Segments("a", ("x", "y"), keys=("1", "2")), Segments("b", ("v", "w"), keys=("2", "1"))
    >>> [text.lines for text in side_by_side([a, b])[0]]
    [('y', 'x'), ('v', 'w')]
    """
    reference, notes = texts[-1], []
    found = []
    for text in texts:
        if len(text) != len(reference):
            raise OutscoreError(
                f"{text.label} has {len(text):,} segment{'s' * (len(text) != 1)}, {reference.label} has {len(reference):,}.",
                "Give files of the same number of lines, one segment per line.",
            )
        found.append(in_order_of(text, reference))
        if found[-1] is not text:
            notes.append(f"The segments of {text.label} were put in the order of {reference.label}, by their ids.")
    return found, tuple(dict.fromkeys(notes))


def in_order_of(text: Segments, reference: Segments) -> Segments:
    """A text in the order of another, by the ids of their segments; the text itself where they are in that order."""
    if text.keys is None or reference.keys is None or text.keys == reference.keys:
        return text
    place = {key: i for i, key in enumerate(text.keys)}
    lacking = next((key for key in reference.keys if key not in place), None)
    if lacking is not None:
        raise OutscoreError(
            f"{text.label} has no segment `{lacking}`, which {reference.label} has.", "Give both files the same segments."
        )
    order = [place[key] for key in reference.keys]

    def sort(values: Lines | None) -> Lines | None:
        return None if values is None else tuple(values[i] for i in order)

    lines = tuple(text.lines[i] for i in order)
    return replace(
        text,
        lines=lines,
        keys=reference.keys,
        documents=sort(text.documents),
        source=sort(text.source),
        datasets=sort(text.datasets),
    )


@dataclass(frozen=True)
class Statistics:
    """Where rows of statistics come from."""

    engine: Engine
    cache: StatisticsCache
    progress: Progress

    def begin(self, entry: TextMetric, texts: Sequence[Lines], datasets: Datasets) -> None:
        """Count what all texts take, so that progress never goes back from one to the next."""
        parts = [len(rows) for rows in datasets.rows.values()] if datasets else [len(texts[0])]
        self.progress.begin(f"{entry.name} statistics", len(texts) * sum(len(range(0, n, PIECE)) for n in parts))

    def by_dataset(
        self,
        entry: TextMetric,
        options: Mapping[str, OptionValue],
        hypotheses: Lines,
        references: Sequence[Lines],
        datasets: Datasets,
    ) -> Array:
        """One row per segment, of each dataset by itself: its references alone say which n-grams are rare."""
        if not datasets:
            return self.of(entry, options, hypotheses, references)
        found: Array | None = None
        for rows in datasets.rows.values():
            mine = rows.tolist()
            part = self.of(entry, options, _chosen(hypotheses, mine), [_chosen(lines, mine) for lines in references])
            found = np.zeros((len(hypotheses), part.shape[1]), dtype=part.dtype) if found is None else found
            found = found.astype(np.result_type(found, part), copy=False)
            found[rows] = part
        assert found is not None
        return found

    def of(
        self, entry: TextMetric, options: Mapping[str, OptionValue], hypotheses: Lines, references: Sequence[Lines]
    ) -> Array:
        """One row per segment, checked against the library's own score when they are computed.

        What was kept passed that check under its key, of which texts, options and the library's version are part.
        """
        key = statistics_key(entry.name, options, entry.signature(options, len(references)), hypotheses, references)
        found = self.cache.load(key)
        if found is not None:
            self.progress.advance(len(range(0, len(hypotheses), PIECE)))
            return found
        # What all pieces share travels once to each worker: the weights of NIST are megabytes.
        shared = partial(_piece, entry.name, dict(options), entry.prepare(references, options))
        pieces = [
            (hypotheses[i : i + PIECE], tuple(lines[i : i + PIECE] for lines in references))
            for i in range(0, len(hypotheses), PIECE)
        ]
        rows = np.concatenate(self._scored(shared, pieces))
        verify(entry, hypotheses, references, rows, options)
        self.cache.store(key, rows)
        return rows

    def _scored(self, score: Callable[[Piece], Array], pieces: Sequence[Piece]) -> list[Array]:
        """The rows of all pieces. Workers are started once the first pieces tell that there is enough for them to do."""
        if not isinstance(self.engine, Processes):
            return self.engine.map(score, pieces, progress=self.progress)
        found: list[Array] = []
        started = time.perf_counter()
        for i, piece in enumerate(pieces):
            spent = time.perf_counter() - started
            if i and spent > FIRST_LOOK and spent / i * (len(pieces) - i) > MIN_WORK:
                break
            found += Serial().map(score, [piece], progress=self.progress)
        return found + self.engine.map(score, pieces[len(found) :], progress=self.progress)


def _chosen(lines: Lines, rows: Sequence[int]) -> Lines:
    return tuple(lines[i] for i in rows)


def _piece(metric: str, options: dict[str, OptionValue], prepared: object, piece: Piece) -> Array:
    """The rows of some segments."""
    hypotheses, references = piece
    return segment_statistics(metric, hypotheses, references, options, prepared)
