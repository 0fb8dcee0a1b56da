"""Texts line by line, and the statistics of their segments: from the cache, or computed in several processes."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import partial

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.options import OptionValue
from outscore.core.records import dataclass
from outscore.engine.engines import MIN_WORK, SERIAL, Engine, Processes, engine_of
from outscore.engine.progress import Progress
from outscore.formats.segments import Segments
from outscore.formats.texts import read_texts
from outscore.metrics.cache import StatisticsCache, statistics_key
from outscore.metrics.text.entry import Doubt, TextMetric, check_lines, chosen_segments, find_doubt, rows_of_library, verify
from outscore.metrics.text.registry import segment_statistics
from outscore.metrics.text.sacre import AUTO, TOKENIZE
from outscore.results.note import Note
from outscore.scores.system import Origin
from outscore.workflows.texts.checks import cache_of, tokeniser_of
from outscore.workflows.texts.labels import (
    ONE,
    Datasets,
    Labels,
    buckets_by_source,
    datasets_of_segments,
    labels_of_segments,
    named_buckets,
)

PIECE = 250
"""Segments that a worker scores at a time: few enough for a progress bar that moves, enough to be worth sending."""
FIRST_LOOK = 0.1
"""Seconds of scoring after which the remaining time can be estimated."""
Lines = tuple[str, ...]
Piece = tuple[Lines, tuple[Lines, ...]]
_SAME_SEGMENTS = "Give both files the same segments; --text-column item=none takes the rows of tables in their order."


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts segment by segment, and what is known of the segments: the same for two systems and for many.

    `systems` holds the runs of each, `buckets` labels by the name of their column. `documents` are None where every segment
    stands alone.
    """

    systems: Mapping[str, Sequence[Lines]]
    references: Sequence[Lines]
    source: Lines | None = None
    documents: Labels | None = None
    datasets: Datasets = ONE
    buckets: Mapping[str, Labels] = field(default_factory=dict)
    origins: Sequence[Origin] = ()
    notes: Sequence[Note] = ()

    def __len__(self) -> int:
        return len(self.references[0])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems."""
        return tuple(self.systems)

    def swap_systems(self) -> Texts:
        """The same systems, the last one first."""
        return replace(self, systems=dict(reversed([*self.systems.items()])))


def texts_given(
    systems: Mapping[str, object],
    references: object,
    *,
    source: object = None,
    documents: object = None,
    dataset: object = None,
    buckets: object = None,
) -> Texts:
    """Texts that a caller passes instead of files; paths are read, and texts that cannot be aligned refused.

    A text is a list of segments, the path of a text file, or what was read from it; a list of these means several runs of a
    system, whose scores are averaged. `dataset` is a label for each segment; where there are no labels and no source, those
    that the texts name are taken.
    """
    numbered = enumerate(_several(references), 1)
    gold = [text for i, one in numbered for text in _texts(one, f"reference {i}", references=True)]
    runs = {name: [_segments(text, name) for text in _several(several)] for name, several in systems.items()}
    if not gold or not runs or not all(runs.values()):
        raise OutscoreError("A system or the reference has no text.", "Give at least one of each.")
    aligned, notes = side_by_side([*(text for several in runs.values() for text in several), *gold])
    rest = iter(aligned)
    lines = {name: [next(rest).lines for _ in several] for name, several in runs.items()}
    right = [text.lines for text in rest]
    said = source_of(aligned)
    if source is not None:
        (given, _), more = side_by_side([_segments(source, "source"), aligned[-1]])
        said, notes = given.lines, (*notes, *more)
    size, named = len(right[0]), next((text.datasets for text in aligned[::-1] if text.datasets), None)
    datasets = datasets_of_segments(dataset, named, size)
    grouped = None if documents is None else labels_of_segments(documents, "documents", size)
    asked = named_buckets(buckets_by_source(buckets), right[0])
    return Texts(lines, right, said, grouped, datasets, asked, notes=[Note("input", text) for text in notes])


def source_of(texts: Sequence[Segments]) -> Lines | None:
    """The source text that one of these texts comes with."""
    return next((text.source for text in texts[::-1] if text.source), None)


def _several(text: object) -> Sequence[object]:
    """Several texts: a list of lists, of `pathlib.Path` or of texts that were read; anything else is one text."""
    if isinstance(text, (str, os.PathLike, Segments)) or not isinstance(text, (list, tuple)):
        return [text]
    return [text] if any(isinstance(member, str) for member in text) else text


def _segments(text: object, name: str) -> Segments:
    (segments,) = _texts(text, name)
    return segments


def _texts(text: object, name: str, *, references: bool = False) -> list[Segments]:
    """The texts that one argument stands for: a file may contain several references."""
    if isinstance(text, Segments):
        return [text]
    if isinstance(text, (str, os.PathLike)):
        file = read_texts(text)
        texts = file.references() if references else file.systems()
        if len(texts) > 1 and not references:
            message = f"{file.origin.label} contains {len(texts)} systems, but one is expected here."
            raise OutscoreError(message, "Give the outputs of one system.")
        return texts
    lines = list(text) if isinstance(text, Iterable) else []
    if not lines or not all(isinstance(line, str) for line in lines):
        raise OutscoreError(f"`{name}` is not a list of segments.", "Give a list of strings, or the path of a text file.")
    if all(os.path.isfile(line) for line in lines):  # noqa: PTH113 - a segment may be no path at all
        # By the rule these are segments, but hardly what was meant.
        raise OutscoreError(
            f"`{name}` is a list of strings, which are read as segments, but all of them are names of files.",
            "Write pathlib.Path(...) around each name to give several texts; for one text, give its name without a list.",
        )
    return [Segments(name, tuple(lines))]


def side_by_side(texts: Sequence[Segments]) -> tuple[list[Segments], tuple[str, ...]]:
    """Texts in the order of the last one's segments, which all of them must have, and notes on those that were reordered.

    Texts without ids are taken in that order. If the last one has none, those of the others have to agree in order.

    Examples
    --------
    >>> a, b = Segments("a", ("x", "y"), keys=("1", "2")), Segments("b", ("v", "w"), keys=("2", "1"))
    >>> [text.lines for text in side_by_side([a, b])[0]]
    [('y', 'x'), ('v', 'w')]
    """
    reference, notes = texts[-1], []
    ordered = []
    keyed = [text for text in texts if text.keys is not None]
    order = keyed[-1] if keyed and reference.keys is None else reference
    for text in texts:
        if len(text) != len(reference):
            raise OutscoreError(
                f"{text.label} has {len(text):,} segment{'s' * (len(text) != 1)}, {reference.label} has {len(reference):,}.",
                "Give files with the same number of lines, one segment per line.",
            )
        ordered.append(in_order_of(text, order))
        if ordered[-1] is not text and order is not reference:
            raise OutscoreError(
                f"{text.label} and {order.label} have the same ids in different orders, and {reference.label} has none to say "
                "which line belongs to which.",
                "Give the reference as a table with the columns id and reference, or sort the other files alike.",
            )
        if ordered[-1] is not text:
            notes.append(f"The segments of {text.label} were reordered by id to match {order.label}.")
    plain = list(dict.fromkeys(text.label for text in texts if text.keys is None))
    if keyed and plain:
        agreeing = list(dict.fromkeys(text.label for text in keyed))
        followed = f"{_listed(agreeing)}, whose ids agree" if order is not reference and len(agreeing) > 1 else order.label
        has = "has no ids, so its" if len(plain) == 1 else "have no ids, so their"
        notes.append(f"{_listed(plain)} {has} lines were taken in the order of {followed}.")
        ordered = [replace(text, keys=order.keys) for text in ordered]
    return ordered, tuple(dict.fromkeys(notes))


def _listed(labels: Sequence[str]) -> str:
    """Labels of texts as part of a sentence, at most three of them."""
    shown = list(labels) if len(labels) < 4 else [*labels[:2], f"{len(labels) - 2} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def in_order_of(text: Segments, reference: Segments) -> Segments:
    """A text in the order of another, by the ids of their segments; the text itself if it is in that order already."""
    if text.keys is None or reference.keys is None or text.keys == reference.keys:
        return text
    place = {key: i for i, key in enumerate(text.keys)}
    lacking = next((key for key in reference.keys if key not in place), None)
    if lacking is not None:
        raise OutscoreError(
            f"{text.label} has no segment `{lacking}`, but {reference.label} does.",
            _SAME_SEGMENTS,
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

    engine: Engine = field(default_factory=engine_of)
    cache: StatisticsCache = field(default_factory=partial(cache_of, None))
    progress: Progress = field(default_factory=Progress)
    doubted: dict[str, Doubt] = field(default_factory=dict)
    """Metrics, by name and options, whose statistics are left to their library, and where those of outscore differed."""

    def begin(self, entry: TextMetric, texts: Sequence[Lines], datasets: Datasets) -> None:
        """Announce the work for all texts, so that progress never goes back from one to the next."""
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
        """One row per segment, computed for each dataset separately: only its own references say which n-grams are rare."""
        if not datasets:
            return self.of(entry, options, hypotheses, references)
        parts = [
            self.of(entry, options_of(options, name), *chosen_segments(hypotheses, references, rows.tolist()))
            for name, rows in datasets.rows.items()
        ]
        statistics = np.zeros((len(hypotheses), parts[0].shape[1]), dtype=np.result_type(*parts))
        for rows, part in zip(datasets.rows.values(), parts, strict=True):
            statistics[rows] = part
        return statistics

    def of(
        self, entry: TextMetric, options: Mapping[str, OptionValue], hypotheses: Lines, references: Sequence[Lines]
    ) -> Array:
        """One row per segment, checked against the library's own score when it is computed; see `doubt_about`.

        Cached rows passed that check; their key includes the texts, the options and the library's version.
        """
        numbers = reference_counts(references)
        has_gaps = len(numbers) > 1 or len(references) not in numbers
        doubted = not has_gaps and _spec(entry, options) in self.doubted
        counted_by = signature_of(entry, options, references) + ("|library" if doubted else "")
        key = statistics_key(entry.name, options, counted_by, hypotheses, references)
        rows = self.cache.load(key)
        if rows is None and not (has_gaps or doubted):
            return self._in_pieces(entry, options, hypotheses, references, key)
        if rows is None:
            rows = (_with_gaps if has_gaps else _by_library)(entry, options, hypotheses, references)
            self.cache.store(key, rows)
        self.progress.advance(len(range(0, len(hypotheses), PIECE)))
        return rows

    def _in_pieces(
        self, entry: TextMetric, options: Mapping[str, OptionValue], hypotheses: Lines, references: Sequence[Lines], key: str
    ) -> Array:
        # What all pieces share is sent once to each worker: the weights of NIST take megabytes.
        shared = partial(_piece, entry.name, dict(options), entry.prepare(references, options))
        pieces = [
            (hypotheses[i : i + PIECE], tuple(lines[i : i + PIECE] for lines in references))
            for i in range(0, len(hypotheses), PIECE)
        ]
        rows = np.concatenate(self._scored(shared, pieces))
        doubt = find_doubt(entry, hypotheses, references, rows, options)
        if doubt is None:
            self.cache.store(key, rows)
        else:
            self.doubted[_spec(entry, options)] = doubt
        return rows

    def doubt_about(
        self, entry: TextMetric, options: Mapping[str, OptionValue], datasets: Datasets | None = None
    ) -> Doubt | None:
        """Where the statistics of outscore differ from those of the library; if they do, the library has to count them all."""
        specs = [
            _spec(entry, options),
            *(_spec(entry, options_of(options, name)) for name in (datasets.rows if datasets else ())),
        ]
        return next((doubt for spec in specs if (doubt := self.doubted.get(spec)) is not None), None)

    def _scored(self, score: Callable[[Piece], Array], pieces: Sequence[Piece]) -> list[Array]:
        """The rows of all pieces. Workers start once the first pieces show that there is enough work for them."""
        if not isinstance(self.engine, Processes) or self.engine.workers == 1:
            return self.engine.map(score, pieces, progress=self.progress)
        rows: list[Array] = []
        started = time.perf_counter()
        for i, piece in enumerate(pieces):
            spent = time.perf_counter() - started
            if i and spent > FIRST_LOOK and spent / i * (len(pieces) - i) > MIN_WORK:
                break
            rows += SERIAL.map(score, [piece], progress=self.progress)
        return rows + self.engine.map(score, pieces[len(rows) :], progress=self.progress)


def _by_library(entry: TextMetric, options: Mapping[str, OptionValue], hypotheses: Lines, references: Sequence[Lines]) -> Array:
    rows = rows_of_library(entry, hypotheses, references, options)
    verify(entry, hypotheses, references, rows, options)
    return rows


def _with_gaps(entry: TextMetric, options: Mapping[str, OptionValue], hypotheses: Lines, references: Sequence[Lines]) -> Array:
    """The rows of segments with unequally many references: those with equally many are scored together.

    What a metric draws from all references, it draws from those of all segments.
    """
    check_lines(entry, hypotheses, references)
    numbers = reference_counts(references)
    prepared, common = entry.prepare(references, options), math.lcm(*numbers)
    parts = []
    for number, rows in numbers.items():
        texts, given = chosen_segments(hypotheses, references, rows.tolist())
        gold = _present(given, number)
        part = segment_statistics(entry.name, texts, gold, dict(options), prepared)
        if any(line.strip() for lines in gold for line in lines):
            verify(entry, texts, gold, part, options)
        parts.append(part * (common // number) if entry.times_references else part)
    return np.concatenate(parts)[np.argsort(np.concatenate(list(numbers.values())))]


def options_of(options: Mapping[str, OptionValue], dataset: str) -> Mapping[str, OptionValue]:
    """The options of a metric for a test set, whose name may say the language that its tokeniser is for."""
    if options.get("tokenize") != AUTO:
        return options
    return {**options, "tokenize": tokeniser_of([dataset]) or TOKENIZE.default}


def reference_counts(references: Sequence[Lines]) -> dict[int, Array]:
    """The segments by the number of their references: of several, a blank one is a reference that the segment lacks.

    Examples
    --------
    >>> {number: rows.tolist() for number, rows in reference_counts([("a", "b", ""), ("c", "", "")]).items()}
    {1: [1], 2: [0, 2]}
    """
    if len(references) == 1:
        return {1: np.arange(len(references[0]))}
    counts = np.sum([[bool(line.strip()) for line in lines] for lines in references], axis=0)
    # Where all are blank, nothing was expected there.
    numbers = np.where(counts == 0, len(references), counts)
    return {int(number): np.flatnonzero(numbers == number) for number in np.unique(numbers)}


def _present(references: Sequence[Lines], number: int) -> list[Lines]:
    """The references of segments that have so many of them, without the blank ones."""
    of_rows = [[line for line in lines if line.strip()] or lines for lines in zip(*references, strict=True)]
    return [tuple(own[place] for own in of_rows) for place in range(number)]


def signature_of(entry: TextMetric, options: Mapping[str, OptionValue], references: Sequence[Lines]) -> str:
    """The signature of a metric, which says if segments have unequally many references, as that of sacreBLEU does."""
    numbers = reference_counts(references)
    return entry.signature(options, next(iter(numbers)) if len(numbers) == 1 else "var")


def _spec(entry: TextMetric, options: Mapping[str, OptionValue]) -> str:
    return f"{entry.name} {sorted(options.items())}"


def _piece(metric: str, options: dict[str, OptionValue], prepared: object, piece: Piece) -> Array:
    """The rows of some segments."""
    hypotheses, references = piece
    return segment_statistics(metric, hypotheses, references, options, prepared)
