"""The one reader of logs: what a format declares, and how evaluations are made of it.

A format says how its files begin, where the samples are, what row each of them is, and what the file says about all of them.
The rest is done here, the same for all: files are opened and decoded with their lines, rows are told apart by system and
filter, refusals name their place, and questions and answers are read again when somebody looks at them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import field
from fnmatch import fnmatch
from itertools import islice
from pathlib import PurePath
from typing import Any

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.formats.logs.document import Document, LogPeek, Piece, open_document
from outscore.formats.logs.evaluation import NOTHING, NOWHERE, Evaluation, Exchange, Row
from outscore.scores.system import Origin


def _nothing(_: Document) -> dict[str, Any]:
    return {}


def _row_itself(_: Document, record: Row) -> Row:
    return record


def _as_they_are(_: Document, rows: list[Row]) -> list[Row]:
    return rows


@dataclass(frozen=True, kw_only=True)
class LogFormat:
    """A format of logs.

    Parameters
    ----------
    harness
        What evaluations are said to be from.
    recognise
        Whether a file is in this format, by its beginning.
    facts
        What the file says about rows that belong together, as keywords of `Evaluation.of`: at least `system` and `task`.
    columns
        What the log calls the item, and the system where it is a column.
    header
        What the file, and those beside it, say once for all samples; where it stands among the lines, `row` adds to it.
    samples
        Where the samples are: lines, or parts of the header.
    sample
        The type that a sample is decoded into; None where `row` does it, or where samples are rows already.
    row
        The row that a sample is, or None if it is not a sample of a score.
    arrange
        All rows as they belong together, by their `part`, where this takes a look at all of them.
    reread
        The type that a sample is decoded into with its texts, when somebody looks at them.
    exchange
        Question, right answer and answer of such a sample; None if logs do not have them.
    pair
        The reference and the output of a sample, where a measure scores all of them together.
    texts
        Samples by their places with their texts, where those of `samples` have none.
    empty
        What a file without samples lacks, and the cure.
    companions
        What else the harness writes, by pattern: names in the same folder, or paths from anywhere if they hold a slash.
    open
        Opens a file that is not just bytes.
    """

    harness: str
    recognise: Callable[[LogPeek], bool]
    facts: Callable[[Document, Sequence[Row]], Mapping[str, Any]]
    columns: Mapping[str, str] = field(default_factory=dict)
    header: Callable[[Any], Any] = _nothing
    samples: Callable[[Any], Iterable[Any]] = Document.lines
    sample: Any = None
    row: Callable[[Any, Any], Row | None] = _row_itself
    arrange: Callable[[Any, list[Row]], list[Row]] = _as_they_are
    reread: Any = dict[str, Any]
    exchange: Callable[[Any], Exchange] | None = None
    pair: Callable[[Any, str], tuple[str, str] | None] | None = None
    texts: Callable[[Any, Collection[int]], Mapping[int, Any]] | None = None
    empty: tuple[str, str] = ("contains no sample", "Run the evaluation again with its samples logged.")
    companions: tuple[str, ...] = ()
    open: Callable[[str], AbstractContextManager[Document]] = open_document

    def accompanies(self, log: str, other: str) -> bool:
        """Whether another file belongs to a log of this format."""
        near, far = PurePath(log), PurePath(other)
        return any(
            fnmatch(far.as_posix(), pattern) if "/" in pattern else near.parent == far.parent and fnmatch(far.name, pattern)
            for pattern in self.companions
        )

    def read(self, path: str) -> list[Evaluation]:
        """The evaluations that a file holds, one for each part."""
        with self.open(path) as document:
            document.header = self.header(document)
            rows = self.arrange(document, list(self._rows(document)))
            if not rows:
                document.refuse(f" {self.empty[0]}.", self.empty[1])
            parts: dict[Hashable, list[Row]] = {}
            for row in rows:
                parts.setdefault(row.part, []).append(row)
            return [self._evaluation(document, part) for part in parts.values()]

    def task_of(self, path: str) -> str | None:
        """The task of a file in which something is wrong, as far as its first sample tells it."""
        with suppress(OutscoreError), self.open(path) as document:
            document.header = self.header(document)
            rows = self.arrange(document, list(islice(self._rows(document), 1)))
            return str(self.facts(document, rows)["task"]) if rows else None
        return None

    def _rows(self, document: Document) -> Iterator[Row]:
        for place, sample in enumerate(self.samples(document)):
            row = self.row(document, sample if self.sample is None else document.decode(sample, self.sample))
            if row is None:
                continue
            row.place = (place, place)
            if isinstance(sample, Piece) and sample.line is not None:
                row.line, row.place = sample.line, (sample.start, sample.end)
            yield row

    def _evaluation(self, document: Document, rows: Sequence[Row]) -> Evaluation:
        path, lined = document.path, rows[0].line is not None
        columns = {part: (name,) for part, name in self.columns.items()}
        places = np.array([row.place for row in rows], dtype=np.int64)
        exchange, pair = self.exchange, self.pair
        more: dict[str, Any] = {}
        if exchange is not None:
            more["exchanges"] = lambda wanted: [
                NOTHING if record is None else exchange(record) for record in self._reread(path, places[wanted], lined=lined)
            ]
        if pair is not None:
            more["texts"] = lambda measure: self._pairs(pair, path, places, measure)
        logged = sum(row.place != NOWHERE for row in rows)
        origin = Origin(path, document.sha256, logged, self.harness, columns, "row")
        return Evaluation.of(rows, harness=self.harness, origin=origin, **more, **self.facts(document, rows))

    def _pairs(
        self, pair_of: Callable[[Any, str], tuple[str, str] | None], path: str, places: Array, measure: str
    ) -> list[tuple[str, str]]:
        pairs = []
        for row, record in enumerate(self._reread(path, places, lined=True), 1):
            pair = pair_of(record, measure)
            if pair is None:
                raise OutscoreError(
                    f"`{path}`, row {row}: `{measure}` is not a pair of a reference and an output.",
                    "Compare the texts themselves.",
                    file=path,
                )
            pairs.append(pair)
        return pairs

    def _reread(self, path: str, places: Array, *, lined: bool) -> Iterator[Any]:
        """The samples at some places with everything that they have; None for those that were never run."""
        with self.open(path) as document:
            if lined:
                yield from (document.decode(document.data[start:end], self.reread) for start, end in places.tolist())
                return
            document.header = self.header(document)
            wanted = places[:, 0].tolist()
            samples = self._with_texts(document, set(wanted)) if self.texts is None else self.texts(document, set(wanted))
            yield from map(samples.get, wanted)

    def _with_texts(self, document: Document, places: Collection[int]) -> dict[int, Any]:
        chosen = ((place, sample) for place, sample in enumerate(self.samples(document)) if place in places)
        return {place: document.decode(sample, self.reread) for place, sample in chosen}
