"""The one reader of logs: what a format declares, and how evaluations are made of it.

A format says how its files begin, where the samples are, what row each of them is, and what the file says about all of them.
The rest is done here, the same for all: files are opened and decoded with their lines, rows are told apart by system and
filter, refusals name their place, and questions and answers are read again when somebody looks at them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import field
from fnmatch import fnmatch
from functools import cached_property
from itertools import islice
from pathlib import PurePath
from typing import Any, NoReturn

import numpy as np

from outscore.core.errors import OutscoreError
from outscore.core.numeric import Array
from outscore.core.records import dataclass
from outscore.formats.json import Shape, field_of, number_of
from outscore.formats.logs.document import Document, LogPeek, Piece, open_document
from outscore.formats.logs.evaluation import NOTHING, NOWHERE, Evaluation, Exchange, Row, digest_of, exchange_of
from outscore.scores.system import Origin


@dataclass(frozen=True, kw_only=True)
class LogFormat:
    """A format of logs.

    Parameters
    ----------
    harness
        What evaluations are said to be from.
    recognise
        Whether a file is in this format, by its beginning.
    system, task, totals, conditions
        What rows of one part are from, by functions of the document and the rows. Without them the system is the part, or
        called after the file, and so is the task. A task may be a name; totals, by measure, and conditions may be fields of
        the header.
    directions
        Whether higher scores are better: of all of them, or by measure; None where the log does not say.
    repeat_column, zero_missing
        As of an `Evaluation`.
    facts
        What else the file says about rows that belong together, as keywords of `Evaluation.of`.
    columns
        What the log calls the item, if not by its field, and the system where it is a column.
    header
        What the file says once for all samples: fields of the document, or what a function finds in it and in files beside it;
        where it stands among the lines, `row` adds to it.
    samples
        Where the samples are: lines, all values of a list, or a field of the header.
    sample
        The fields, or the type, that a sample is decoded into; None where `row` does it, or where samples are rows already.
    item, scores, error, repeat, content, part
        Fields of a sample: what names the item, the score of each measure, what is there only if the run failed, which run it
        is, what was asked, and what tells systems of one file apart.
    row
        The row that a sample is, where fields do not say it, or None if it is not a sample of a score.
    arrange
        All rows as they belong together, by their `part`, where this takes a look at all of them.
    reread
        What a sample is decoded into with its texts, when somebody looks at them.
    exchange
        Question, right answer and answer of such a sample, by their dotted paths or by a function; None if logs do not have
        them.
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
    system: Callable[[Document, Sequence[Row]], Any] = lambda file, rows: file.stem if rows[0].part is None else rows[0].part
    task: str | Callable[[Document, Sequence[Row]], Any] = lambda file, _: file.name_task(file.stem)
    totals: Mapping[str, str] | Callable[[Document, Sequence[Row]], Mapping[str, float | None]] = field(default_factory=dict)
    conditions: Mapping[str, str] | Callable[[Document, Sequence[Row]], Mapping[str, object]] = field(default_factory=dict)
    directions: bool | Mapping[str, bool] | Callable[[Document, Sequence[Row]], Mapping[str, bool]] | None = None
    repeat_column: str = "repeat"
    zero_missing: bool = False
    facts: Callable[[Document, Sequence[Row]], Mapping[str, Any]] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    header: Mapping[str, Any] | Callable[[Any], Any] = lambda _: {}
    samples: str | Callable[[Any], Iterable[Any]] = Document.lines
    sample: Any = None
    item: str = ""
    scores: Mapping[str, str] = field(default_factory=dict)
    error: str = ""
    repeat: str = ""
    content: str = ""
    part: str = ""
    row: Callable[[Any, Any], Row | None] | None = None
    arrange: Callable[[Any, list[Row]], list[Row]] = lambda _, rows: rows
    reread: Any = dict[str, Any]
    exchange: tuple[str, str, str] | Callable[[Any], Exchange] | None = None
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
        with self._opened(path) as document:
            rows = self.arrange(document, list(self._rows(document)))
            if not rows:
                document.refuse(f" {self.empty[0]}.", self.empty[1])
            parts: dict[Hashable, list[Row]] = {}
            for row in rows:
                parts.setdefault(row.part, []).append(row)
            return [self._evaluation(document, part) for part in parts.values()]

    def task_of(self, path: str) -> str | None:
        """The task of a file in which something is wrong, as far as its first sample tells it."""
        with suppress(OutscoreError), self._opened(path) as document:
            rows = self.arrange(document, list(islice(self._rows(document), 1)))
            return str(self._facts(document, rows)["task"]) if rows else None
        return None

    @cached_property
    def _kinds(self) -> list[Any]:
        """What the header, a sample, and a sample with its texts are decoded into."""
        return [Shape(kind) if isinstance(kind, Mapping) else kind for kind in (self.header, self.sample, self.reread)]

    @contextmanager
    def _opened(self, path: str) -> Iterator[Document]:
        header = self._kinds[0]
        with self.open(path) as document:
            document.header = document.decode_all(header) if isinstance(header, Shape) else header(document)
            yield document

    def _samples(self, document: Document) -> Iterable[Any]:
        return document.header[self.samples] or () if isinstance(self.samples, str) else self.samples(document)

    def _rows(self, document: Document) -> Iterator[Row]:
        kind, row_of = self._kinds[1], self.row or self._row_of
        for place, sample in enumerate(self._samples(document)):
            row = row_of(document, sample if kind is None else document.decode(sample, kind))
            if row is None:
                continue
            row.place = (place, place)
            if isinstance(sample, Piece) and sample.line is not None:
                row.line, row.place = sample.line, (sample.start, sample.end)
            yield row

    def _row_of(self, _: Document, sample: Mapping[str, Any] | Row) -> Row:
        """The row that the declared fields of a sample are, unless it is one already."""
        if isinstance(sample, Row):
            return sample
        failed = bool(self.error) and sample[self.error] is not None
        asked = sample[self.content] if self.content else None
        return Row(
            str(sample[self.item]),
            {measure: math.nan if failed else number_of(sample[path]) for measure, path in self.scores.items()},
            "errored" if failed else None,
            repeat=str(sample[self.repeat] or 0) if self.repeat else None,
            content=None if asked is None else digest_of(asked),
            part=sample[self.part] if self.part else None,
        )

    def _exchange_of(self, record: Any) -> Exchange:  # noqa: ANN401 - a sample of whichever kind
        if record is None or self.exchange is None:
            return NOTHING
        if callable(self.exchange):
            return self.exchange(record)
        return exchange_of(*(record.get(path, field_of(record, path)) for path in self.exchange))

    def _evaluation(self, document: Document, rows: Sequence[Row]) -> Evaluation:
        path, named = document.path, ({"item": self.item} if self.item else {}) | dict(self.columns)
        columns = {part: (name,) for part, name in named.items()}
        places = np.array([row.place for row in rows], dtype=np.int64)
        pair = self.pair
        more: dict[str, Any] = {}
        if self.exchange is not None:
            more["exchanges"] = lambda wanted: list(map(self._exchange_of, self._reread(path, places[wanted])))
        if pair is not None:
            more["texts"] = lambda measure: [
                pair(record, measure) or _refuse_unpaired(path, row, measure)
                for row, record in enumerate(self._reread(path, places), 1)
            ]
        logged = sum(row.place != NOWHERE for row in rows)
        origin = Origin(path, document.sha256, logged, self.harness, columns, "row")
        return Evaluation.of(rows, harness=self.harness, origin=origin, **more, **self._facts(document, rows))

    def _facts(self, document: Document, rows: Sequence[Row]) -> dict[str, Any]:
        """What the file says about rows of one part, as keywords of `Evaluation.of`."""
        said: dict[str, Any] = {}
        for name in ("system", "task", "totals", "conditions", "directions", "repeat_column", "zero_missing"):
            fact = getattr(self, name)
            if callable(fact):
                fact = fact(document, rows)
            elif name in ("totals", "conditions"):
                fact = {key: document.header.get(path) for key, path in fact.items()}
            said[name] = fact
        return said if self.facts is None else {**said, **self.facts(document, rows)}

    def _reread(self, path: str, places: Array) -> Iterator[Any]:
        """The samples at some places with everything that they have; None for those that were never run."""
        kind, (starts, ends) = self._kinds[2], places.T
        if (starts < ends).all():
            with self.open(path) as document:
                yield from (document.decode(document.data[start:end], kind) for start, end in places.tolist())
            return
        wanted = set(starts.tolist())
        with self._opened(path) as document:
            if self.texts is not None:
                found = self.texts(document, wanted)
            else:
                chosen = ((place, sample) for place, sample in enumerate(self._samples(document)) if place in wanted)
                found = {place: document.decode(sample, kind) for place, sample in chosen}
        yield from map(found.get, starts.tolist())


def _refuse_unpaired(path: str, row: int, measure: str) -> NoReturn:
    finding = f"`{path}`, row {row}: `{measure}` is not a pair of a reference and an output."
    raise OutscoreError(finding, "Compare the texts themselves.", file=path)
